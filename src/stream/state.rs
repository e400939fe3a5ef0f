//! The state of a validator between two pieces, in 16 bytes.

#![forbid(unsafe_code)]

use super::cut::LastFour;
use crate::error::Sequence;

/// The state of a validator.
pub(super) enum State {
    /// There is no error so far. This is the end of the input.
    Sound(LastFour),
    /// The input is not UTF-8, because of this sequence.
    Failed(Sequence),
}

/// A [`State`] and the length of the input, in 16 bytes.
///
/// A plain enum would not allow [`is_sound_and_ends_in_ascii`](Self::is_sound_and_ends_in_ascii) to
/// be one test of one word, and that is most of what a push of short ASCII does. The invariants:
///
/// - In a sound state, `seen_len` is 0, and `bytes` is the [`LastFour`].
/// - In a failed state, `seen_len` is the length of [`Sequence::seen`], 1 to 4, and `bytes` has
///   those bytes in reverse order, the first one last. The first byte of an ill-formed sequence is
///   not ASCII, so a failed state never ends in ASCII.
///
/// All methods take references. If `bytes` and `seen_len` were a value of their own, of eight
/// bytes, the compiler would keep both in one register in a loop, and take them apart with shifts.
#[derive(Clone, Copy)]
pub(super) struct Packed {
    /// How many bytes at the start of the input are well-formed: whole characters, and then the
    /// pending bytes.
    pub(super) accepted: u64,
    bytes: [u8; 4],
    seen_len: u32,
}

impl Packed {
    /// Returns the sound state after `accepted` bytes, the pending ones included.
    #[inline(always)]
    pub(super) const fn sound(accepted: u64, tail: LastFour) -> Self {
        Self { accepted, bytes: tail.0, seen_len: 0 }
    }

    pub(super) fn unpack(&self) -> State {
        match self.tail() {
            Some(tail) => State::Sound(tail),
            None => {
                let mut seen = self.bytes;
                seen.reverse();
                // A sequence is determined by the bytes that were seen of it.
                State::Failed(Sequence::at_start_of(&seen[..self.seen_len as usize]))
            }
        }
    }

    /// Returns the tail of a sound state.
    #[inline(always)]
    pub(super) const fn tail(&self) -> Option<LastFour> {
        match self.seen_len {
            0 => Some(LastFour(self.bytes)),
            _ => None,
        }
    }

    /// Returns whether there is no error and the last byte is ASCII, so that nothing is pending.
    #[inline(always)]
    pub(super) const fn is_sound_and_ends_in_ascii(&self) -> bool {
        // All four bytes are tested as one word, so that they stay one word in registers.
        u32::from_le_bytes(self.bytes) >> 31 == 0
    }

    /// Returns how many bytes at the start of the input are whole characters.
    #[inline]
    pub(super) const fn valid_up_to(&self) -> u64 {
        self.accepted - self.pending_len() as u64
    }

    /// Returns the bytes at the end of the input that begin a character which is not complete yet.
    /// After an error there are none.
    pub(super) fn pending(&self) -> &[u8] {
        &self.bytes[4 - self.pending_len()..]
    }

    #[inline]
    const fn pending_len(&self) -> usize {
        match self.tail() {
            Some(tail) => tail.pending_len(),
            None => 0,
        }
    }

    /// Accepts `n` bytes of ASCII after ASCII, which do not change the state.
    #[inline(always)]
    pub(super) const fn accept_ascii(&mut self, n: usize) {
        self.accepted += n as u64;
    }

    /// Accepts `n` bytes in a sound state. The input ends in `tail` now.
    #[inline(always)]
    pub(super) const fn accept(&mut self, n: usize, tail: LastFour) {
        debug_assert!(self.seen_len == 0);
        self.accepted += n as u64;
        self.bytes = tail.0;
    }

    /// Fails: after the whole characters so far come `valid` more bytes of them, and then
    /// `sequence`.
    pub(super) fn fail(&mut self, valid: usize, sequence: Sequence) {
        let seen = sequence.seen();
        self.accepted = self.valid_up_to() + valid as u64;
        self.seen_len = seen.len() as u32;
        self.bytes = [0; 4];
        self.bytes[..seen.len()].copy_from_slice(seen);
        self.bytes.reverse();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_state_keeps_all_of_the_sequence() {
        let sequences: [&[u8]; 12] = [
            b"\x80",
            b"\xC0",
            b"\xC3!",
            b"\xC3\xC3",
            b"\xE0\x80",
            b"\xED\xA0",
            b"\xE2\x82\0",
            b"\xF0\x80",
            b"\xF4\x90",
            b"\xF0\x9F\x98\0",
            b"\xF5",
            b"\xFF",
        ];
        for bytes in sequences {
            let sequence = Sequence::at_start_of(bytes);
            let mut packed = Packed::sound(0, LastFour([0; 4]));
            packed.accept(4, LastFour(*b"ab\xE2\x82"));
            packed.fail(3, sequence);
            assert!(matches!(packed.unpack(), State::Failed(same) if same == sequence), "{bytes:02X?}");
            assert!(packed.tail().is_none() && !packed.is_sound_and_ends_in_ascii(), "{bytes:02X?}");
            assert_eq!((packed.valid_up_to(), packed.pending()), (5, &[][..]), "{bytes:02X?}");
        }
    }

    #[test]
    fn a_sound_state_keeps_the_tail() {
        for (tail, pending) in [
            (*b"abcd", 0),
            (*b"abc\xC3", 1),
            (*b"ab\xE2\x82", 2),
            (*b"a\xF0\x9F\x98", 3),
            (*b"\xF0\x9F\x98\x80", 0),
        ] {
            let mut packed = Packed::sound(1, LastFour([0; 4]));
            packed.accept(4, LastFour(tail));
            assert!(matches!(packed.unpack(), State::Sound(LastFour(same)) if same == tail), "{tail:02X?}");
            assert_eq!(packed.pending(), &tail[4 - pending..], "{tail:02X?}");
            assert_eq!(packed.valid_up_to(), 5 - pending as u64, "{tail:02X?}");
            assert_eq!(packed.is_sound_and_ends_in_ascii(), tail[3].is_ascii(), "{tail:02X?}");
        }
    }
}
