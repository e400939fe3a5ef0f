//! Characters that are split between two pieces of a stream.
//!
//! A table and arithmetic decide about both ends of a piece, without a branch on the bytes. In text
//! with multi-byte characters, a piece ends at a random position in a character, and a branch on it
//! would be mispredicted half the time.
//!
//! The end of a piece that is cut is examined *before* the kernel runs. So a piece that ends inside a
//! character costs no more than any other: the kernel does not see the unfinished character, and
//! need not report where the text stops.

#![forbid(unsafe_code)]

use core::hint::select_unpredictable;

use crate::boundary;

/// The last four bytes of the input so far.
///
/// Bytes that are not pending may be zeros. If none is pending, any bytes that end in ASCII are
/// equivalent.
///
/// The next piece needs no other state. Keeping these bytes costs nothing: the pending ones are
/// computed when they are needed.
#[derive(Clone, Copy)]
pub(super) struct LastFour(pub(super) [u8; 4]);

impl LastFour {
    /// Returns the tail of an input that ends with `pending` after whole characters, or `None` if
    /// `pending` is not the well-formed beginning of a character.
    #[inline(always)]
    pub(super) fn of_pending(pending: &[u8]) -> Option<Self> {
        let tail = match *pending {
            [] => return Some(Self([0; 4])),
            [a] => [0, 0, 0, a],
            [a, b] => [0, 0, a, b],
            [a, b, c] => [0, a, b, c],
            _ => return None,
        };
        (beginning(u32::from_be_bytes(tail)).len() == pending.len()).then_some(Self(tail))
    }

    /// Returns the tail of an input whose last four bytes are these, or `None` if no text that is
    /// well-formed so far ends with them.
    #[inline(always)]
    pub(super) fn of_last(last: [u8; 4]) -> Option<Self> {
        let tail = Self(last);
        (beginning(u32::from_be_bytes(last)).len() == tail.pending_len()).then_some(tail)
    }

    /// Returns how many bytes begin a character that does not end here.
    #[inline(always)]
    pub(super) const fn pending_len(self) -> usize {
        boundary::unfinished_len(self.0)
    }

    /// Returns the tail after one more byte, or `None` if the byte makes an error certain.
    #[inline]
    pub(super) fn followed_by(self, byte: u8) -> Option<Self> {
        // Bit `n`: a byte whose upper half is `n` may follow.
        let may_follow = match self.pending_len() {
            0 => 0xF0FF,
            1 => LEADS[usize::from(self.0[3] & 0x3F)].seconds,
            _ => 0b1111 << 8,
        };
        let follows = may_follow >> (byte >> 4) & 1 == 1 && !matches!(byte, 0xC0 | 0xC1 | 0xF5..);
        let [_, third, second, first] = self.0;
        follows.then_some(Self([third, second, first, byte]))
    }

    #[inline(always)]
    pub(super) fn pending(self) -> Pending {
        let len = self.pending_len() as u32;
        // As a `u64`, because a shift by 32 must leave nothing.
        let bytes = (u64::from(u32::from_be_bytes(self.0)) << (32 - 8 * len)) as u32;
        Pending((bytes | len).to_be_bytes())
    }
}

/// The well-formed beginning of a character: up to three bytes, then zeros, and their number in the
/// last byte. So it is one word.
#[derive(Clone, Copy)]
pub(super) struct Pending(pub(super) [u8; 4]);

impl Pending {
    #[inline(always)]
    pub(super) const fn len(self) -> usize {
        self.0[3] as usize
    }

    #[inline(always)]
    pub(super) fn as_tail(self) -> LastFour {
        let word = u32::from_be_bytes(self.0);
        let len = word & 3;
        // As a `u64`, because a shift by 32 must leave nothing.
        LastFour(((u64::from(word ^ len) >> (32 - 8 * len)) as u32).to_be_bytes())
    }
}

/// The properties of the character that a first byte begins: RFC 3629, section 4, as bits.
#[derive(Clone, Copy)]
struct Lead {
    /// Bit `n`: a second byte whose upper half is `n` may follow.
    seconds: u16,
    /// The bits in which the third and the fourth byte must agree with `80 80`.
    rest: u16,
    /// The length of the character.
    len: u16,
    /// The incomplete beginnings of the character that are well-formed. Bit 0: this byte alone.
    /// Bits 4 to 7: this byte and a second one, 80 to 8F, 90 to 9F, A0 to AF, B0 to BF. Bits 8 to
    /// 11: the same, and a third byte.
    begins: u16,
}

/// The leads, by the low six bits of a byte C0 to FF.
///
/// C0 begins no character. Its entry means that no byte is pending: a character of length 0, which
/// is complete whatever follows.
static LEADS: [Lead; 64] = {
    const NOTHING_PENDING: Lead = Lead { seconds: 0xFFFF, rest: 0, len: 0, begins: 0 };
    const NEVER: Lead = Lead { seconds: 0, rest: 0, len: 0, begins: 0 };
    const fn two() -> Lead {
        Lead { seconds: 0b1111 << 8, rest: 0, len: 2, begins: 1 }
    }
    const fn three(seconds: u16) -> Lead {
        Lead { seconds: seconds << 8, rest: 0xC000, len: 3, begins: 1 | seconds << 4 }
    }
    const fn four(seconds: u16) -> Lead {
        Lead { seconds: seconds << 8, rest: 0xC0C0, len: 4, begins: 1 | seconds << 4 | seconds << 8 }
    }

    let mut table = [NEVER; 64];
    let mut i = 0;
    while i < 64 {
        // The binary digits represent B0 to BF, A0 to AF, 90 to 9F and 80 to 8F, from left to
        // right.
        table[i] = match 0xC0 + i as u8 {
            0xC0 => NOTHING_PENDING,
            0xC2..=0xDF => two(),
            0xE0 => three(0b1100),
            0xED => three(0b0011),
            0xE1..=0xEF => three(0b1111),
            0xF0 => four(0b1110),
            0xF1..=0xF3 => four(0b1111),
            0xF4 => four(0b0001),
            _ => NEVER,
        };
        i += 1;
    }
    table
};

/// A character whose first bytes were in an earlier piece.
#[derive(Clone, Copy)]
pub(super) struct Completed {
    /// The bytes of the character. Those after `len` bytes are unspecified.
    pub(super) bytes: [u8; 4],
    /// 2 to 4, or 0 if no character was pending.
    len: u8,
}

impl Completed {
    pub(super) const NONE: Self = Self { bytes: [0; 4], len: 0 };

    #[inline(always)]
    pub(super) const fn len(&self) -> usize {
        self.len as usize
    }

    pub(super) fn as_str(&self) -> &str {
        // There are at most four bytes: validating them again is cheaper than an argument for
        // `unsafe` code.
        core::str::from_utf8(&self.bytes[..self.len()]).expect("`complete` has found a character")
    }
}

/// A piece, cut into the bytes that complete the pending character, the inside, and the bytes that
/// begin the next character.
#[derive(Clone, Copy)]
pub(super) struct Cut<'a> {
    pub(super) completed: Completed,
    /// The part for the kernel.
    pub(super) inside: &'a [u8],
    pub(super) next: Pending,
}

impl<'a> Cut<'a> {
    /// Cuts `piece`, which comes after `pending`. Returns `None` if `piece` does not complete the
    /// pending character.
    #[inline(always)]
    pub(super) fn of(pending: Pending, piece: &'a [u8]) -> Option<Self> {
        let (first, last) = ends(piece);
        let completed = complete(pending, first)?;
        let next = beginning(last);
        // Both slices exist. A completed character took its bytes from `piece`: where `piece` has
        // none, `first` has zeros, which complete nothing. It took continuations only, so a
        // character that begins in `piece` begins after them.
        let after = piece.get(completed.len() - pending.len()..)?;
        let inside = after.get(..after.len().wrapping_sub(next.len()))?;
        Some(Self { completed, inside, next })
    }
}

// In the functions below, four bytes are one word, with the first byte at the top.

/// Returns the first four bytes of `piece` and its last four. There are zeros after the first bytes
/// and before the last ones where `piece` is shorter.
#[inline(always)]
fn ends(piece: &[u8]) -> (u32, u32) {
    if let (Some(first), Some(last)) = (piece.first_chunk(), piece.last_chunk()) {
        return (u32::from_be_bytes(*first), u32::from_be_bytes(*last));
    }
    match *piece {
        [a, b, c] => (u32::from_be_bytes([a, b, c, 0]), u32::from_be_bytes([0, a, b, c])),
        [a, b] => (u32::from_be_bytes([a, b, 0, 0]), u32::from_be_bytes([0, 0, a, b])),
        [a] => (u32::from_be_bytes([a, 0, 0, 0]), a.into()),
        _ => (0, 0),
    }
}

/// Returns the character that `pending` begins and the bytes of `first` complete, or `None` if they
/// do not.
#[inline(always)]
fn complete(pending: Pending, first: u32) -> Option<Completed> {
    let pending = u32::from_be_bytes(pending.0);
    let held = pending & 3;
    let character = pending ^ held | first >> (8 * held);
    let lead = LEADS[(pending >> 24 & 0x3F) as usize];
    let second_fits = lead.seconds >> (character >> 20 & 0xF) & 1 == 1;
    let rest_fits = (character ^ 0x8080) & u32::from(lead.rest) == 0;
    (second_fits & rest_fits).then_some(Completed { bytes: character.to_be_bytes(), len: lead.len as u8 })
}

/// Returns the last bytes of a piece, if they begin a character that the piece does not complete.
///
/// Only a *well-formed* beginning is returned. Any other end goes to the kernel, which finds the
/// error.
#[inline(always)]
fn beginning(last: u32) -> Pending {
    // The top bit of each byte that is not 10......, and of the first byte in any case.
    let firsts = (!last | last << 1) & 0x8080_8080 | 0x8000_0000;
    // Eight times the number of bytes 10...... at the end, which is 0 to 3.
    let continuations = firsts.trailing_zeros() - 7;
    let begun = last << (24 - continuations);
    let lead = LEADS[(begun >> 24 & 0x3F) as usize];
    // Four bits for each number of continuations; the bits 20 and 21 of `begun` tell 80 to 8F from
    // B0 to BF.
    let begins = lead.begins >> (continuations / 2 + (begun >> 20 & 3));
    // The top bit of `begun` is that of the first byte, and clear in ASCII, which has no place in
    // the table.
    let valid = u32::from(begins) & begun >> 31 == 1;
    let pending = begun | (continuations / 8 + 1);
    Pending(select_unpredictable(valid, pending, 0).to_be_bytes())
}
