//! Runs of UTF-8 in bytes that are almost UTF-8: from one exception to the next at the speed of the kernels.
//!
//! ```text
//! for each piece, from where a character begins:
//!     search for an exception; a kernel says whether what is before it is text
//!     if it is not, or there was no search: a kernel checks the piece, `core::str` says exactly where it stopped,
//!         and what UTF-8 has and the dialect has not is searched for afterwards
//! ```
//!
//! 1. **Exceptions are searched for**, behind another exception, and always where forms of UTF-8 are excluded. A
//!    kernel on the piece would find them as well, but it reads on for some hundred bytes before it looks, and goes
//!    back to say where. They begin with bytes from `ED` on, which few texts have, so most blocks are passed over by
//!    their largest byte.
//! 2. **Pieces are not much longer than what was gained last**: so all pieces together are linear in
//!    the text, however many exceptions there are and wherever they lie.
//! 3. **Pieces stay in the first-level cache** while they are searched and checked.

use crate::boundary;
use crate::kernel::verdict::Verdict;
use crate::kernel::{self, Kernel};

/// Bytes that are looked at together to see whether there can be an exception.
const LARGE_BLOCK: usize = 256;
const BLOCK: usize = 64;
/// Bytes that are searched word by word first of all.
const NEXT: usize = 16;
/// The least that a kernel is given.
const SHORT: usize = 256;
/// The most, but for the first piece of a dialect that excludes nothing.
const LONG: usize = 16 << 10;

/// Sequences of a dialect's own: what ends a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(not(feature = "dialect"), expect(dead_code, reason = "only dialects have sequences of their own"))]
pub(crate) enum Own {
    /// None: it is UTF-8.
    Nothing,
    /// Surrogates, `ED A0` and above: WTF-8.
    Surrogates,
    /// Those, and what is longer than UTF-8 or begins like it, `F4` and above: RFC 2279.
    SurrogatesAndLong,
    /// Those, and in place of forms of four bytes, `F0` and above, which are excluded: CESU-8.
    Pairs,
    /// Those, and `C0` in place of `00`, which is excluded: Modified UTF-8.
    PairsAndNul,
}

/// The same byte eight times.
const fn eight(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

/// Bit 7 of each byte that is zero.
const fn zeros(word: u64) -> u64 {
    // A sum that stays inside its byte has bit 7 if any of the other bits was set.
    let low = (word & eight(0x7F)) + eight(0x7F);
    !(low | word) & eight(0x80)
}

/// Bit 7 of each byte that is F0 or above; other bits mean nothing.
const fn from_f0(word: u64) -> u64 {
    word & word << 1 & word << 2 & word << 3
}

/// All bits or none. (A choice between two values is not made a vector of, a mask is.)
#[inline(always)]
const fn all_ones(condition: bool) -> u8 {
    (condition as u8).wrapping_neg()
}

/// Where the first of the bytes before `end` is of which `mark` sets bit 7, given eight bytes and the bytes
/// behind each.
#[inline(always)]
fn search(bytes: &[u8], end: usize, mark: impl Fn(u64, u64) -> u64) -> Option<usize> {
    let mut at = 0;
    while at < end {
        let padded;
        let window = match bytes[at..].first_chunk::<9>() {
            Some(window) => window,
            None => {
                padded = pad(&bytes[at..]);
                &padded
            }
        };
        let (word, next) = two_words(window);
        let marks = mark(word, next) & eight(0x80);
        if marks != 0 {
            let found = at + marks.trailing_zeros() as usize / 8;
            return (found < end).then_some(found);
        }
        at += 8;
    }
    None
}

/// Eight bytes, and the bytes behind each; the first is the lowest.
#[inline(always)]
fn two_words(window: &[u8; 9]) -> (u64, u64) {
    let word = |from: usize| u64::from_le_bytes(*window[from..].first_chunk().unwrap_or(&[0; 8]));
    (word(0), word(1))
}

/// Fewer than nine bytes, with zeros behind them.
#[cold]
fn pad(bytes: &[u8]) -> [u8; 9] {
    let mut window = [0; 9];
    window[..bytes.len()].copy_from_slice(bytes);
    window
}

impl Own {
    /// Whether UTF-8 has forms that the dialect has not.
    pub(crate) const fn excludes(self) -> bool {
        matches!(self, Self::Pairs | Self::PairsAndNul)
    }

    /// A byte's rank: what the dialect has of its own, or excludes, whatever stands behind it, is above all else.
    #[inline(always)]
    const fn rank(self, byte: u8) -> u8 {
        match self {
            // Less one, zero is the largest.
            Self::PairsAndNul => byte.wrapping_sub(1) | all_ones(byte == 0xC0),
            _ => byte,
        }
    }

    /// The least rank of those; with surrogates alone, `FF`, which is not text either.
    const fn least(self) -> u8 {
        match self {
            Self::Nothing | Self::Surrogates => 0xFF,
            Self::SurrogatesAndLong => 0xF4,
            Self::Pairs => 0xF0,
            Self::PairsAndNul => 0xF0 - 1,
        }
    }

    /// Bit 7 of each byte with which one of its own sequences, or what it excludes, begins.
    #[inline(always)]
    const fn mark(self, word: u64, next: u64) -> u64 {
        // Bits 7 and 5 behind ED: A0 to BF (and E0 and above, which can't follow anyway).
        let surrogates = zeros(word ^ eight(0xED)) & next & next << 2;
        let own = match self {
            Self::Nothing => 0,
            Self::Surrogates => surrogates,
            Self::SurrogatesAndLong => surrogates | from_f0(word) & (word << 4 | word << 5),
            Self::Pairs => surrogates | from_f0(word),
            Self::PairsAndNul => surrogates | from_f0(word) | zeros(word) | zeros(word ^ eight(0xC0)),
        };
        own & eight(0x80)
    }

    /// Where the first of them begins before `end`.
    #[inline]
    fn find(self, bytes: &[u8], end: usize) -> Option<usize> {
        search(bytes, end, |word, next| self.mark(word, next))
    }

    /// Where the first of them begins, as quickly as blocks can be passed over.
    #[inline]
    pub(crate) fn find_far(self, bytes: &[u8]) -> Option<usize> {
        match self {
            Self::PairsAndNul => self.find_by_rank(bytes, |byte| Self::PairsAndNul.rank(byte)),
            _ => self.find_by_rank(bytes, |byte| byte),
        }
    }

    #[inline(always)]
    fn find_by_rank(self, bytes: &[u8], rank: impl Fn(u8) -> u8 + Copy) -> Option<usize> {
        let find = |from: usize, most: usize| {
            let rest = &bytes[from..];
            self.find(rest, rest.len().min(most)).map(|found| from + found)
        };
        if let found @ Some(_) = find(0, NEXT) {
            return found;
        }
        let mut at = bytes.len().min(NEXT);
        // Few texts have bytes from ED on, with which surrogates begin; its rank is that or one less.
        at += skip_by_both(&bytes[at..], rank, 0xED - 1);
        if let found @ Some(_) = find(at, BLOCK) {
            return found;
        }
        // Chinese and Japanese text has EF, but not ED.
        let least = self.least();
        let rank_with_ed = |byte| rank(byte) | all_ones(byte == 0xED);
        at += skip::<LARGE_BLOCK>(&bytes[at..], rank_with_ed, least);
        // Korean text has ED, but not in surrogates.
        while let Some(now) = bytes[at..].first_chunk::<LARGE_BLOCK>()
            && let Some(next) = bytes[at + 1..].first_chunk()
            && is_plain(now, next, rank, least)
        {
            at += LARGE_BLOCK;
        }
        at += skip::<BLOCK>(&bytes[at..], rank_with_ed, least);
        find(at, usize::MAX)
    }

    /// Where the first begins of what it excludes.
    pub(crate) fn find_excluded(self, bytes: &[u8]) -> Option<usize> {
        let near = bytes.len().min(NEXT);
        let mark = |word, _| match self {
            Self::Nothing | Self::Surrogates | Self::SurrogatesAndLong => 0,
            Self::Pairs => from_f0(word),
            Self::PairsAndNul => from_f0(word) | zeros(word),
        };
        if !self.excludes() {
            return None;
        }
        if let Some(found) = search(bytes, near, mark) {
            return Some(found);
        }
        let mut at = near;
        loop {
            at += match self {
                Self::PairsAndNul => skip_by_both(&bytes[at..], |byte| byte.wrapping_sub(1), 0xF0 - 1),
                _ => skip_by_both(&bytes[at..], |byte| byte, 0xF0),
            };
            // It is in these, if it is anywhere.
            let rest = &bytes[at..];
            match search(rest, rest.len().min(BLOCK), mark) {
                Some(found) => return Some(at + found),
                None if rest.len() <= BLOCK => return None,
                None => at += BLOCK,
            }
        }
    }
}

/// How many bytes are in blocks without a byte whose rank is `least` or more.
#[inline(always)]
fn skip<const BLOCK: usize>(bytes: &[u8], rank: impl Fn(u8) -> u8 + Copy, least: u8) -> usize {
    let (blocks, _) = bytes.as_chunks::<BLOCK>();
    BLOCK * blocks.iter().take_while(|block| highest(block, rank) < least).count()
}

/// The same of large blocks and then small ones.
#[inline(always)]
fn skip_by_both(bytes: &[u8], rank: impl Fn(u8) -> u8 + Copy, least: u8) -> usize {
    let at = skip::<LARGE_BLOCK>(bytes, rank, least);
    at + skip::<BLOCK>(&bytes[at..], rank, least)
}

/// The highest rank in a block: its length is known to the compiler, and there is no branch, so it makes
/// vectors of it.
#[inline(always)]
fn highest<const BLOCK: usize>(block: &[u8; BLOCK], rank: impl Fn(u8) -> u8) -> u8 {
    let mut most = 0;
    #[expect(clippy::needless_range_loop, reason = "with an iterator it is not made a vector of")]
    for i in 0..BLOCK {
        most = rank(block[i]).max(most);
    }
    most
}

/// Whether the block has no such byte, and no surrogate; `next` are the bytes behind each.
#[inline(always)]
fn is_plain(
    now: &[u8; LARGE_BLOCK],
    next: &[u8; LARGE_BLOCK],
    rank: impl Fn(u8) -> u8 + Copy,
    least: u8,
) -> bool {
    let (mut most, mut behind_ed) = (0, 0);
    for i in 0..LARGE_BLOCK {
        most = rank(now[i]).max(most);
        behind_ed = (all_ones(now[i] == 0xED) & next[i]).max(behind_ed);
    }
    most < least && behind_ed < 0xA0
}

/// Where it stands in the bytes, and how far it dares to look.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Runs<'a> {
    bytes: &'a [u8],
    at: usize,
    own: Own,
    /// Whether it is known that no text begins here.
    stopped: bool,
    /// Whether it stands behind an exception.
    behind: bool,
    /// Whether the last run ended soon, and not where a search had said it would.
    dense: bool,
    /// The most that the next piece has.
    reach: usize,
    /// At how many bytes a run ends even if the text goes on.
    limit: usize,
    /// The dispatched one, if `None`.
    kernel: Option<&'static Kernel>,
}

impl<'a> Runs<'a> {
    /// Runs as long as can be.
    pub(crate) fn new(bytes: &'a [u8], own: Own, kernel: Option<&'static Kernel>) -> Self {
        let reach = if own.excludes() { LONG } else { usize::MAX };
        Self {
            bytes,
            at: 0,
            own,
            stopped: false,
            behind: false,
            dense: false,
            reach,
            limit: usize::MAX,
            kernel,
        }
    }

    /// Runs that end soon, for who may not want the next one.
    pub(crate) fn in_steps(bytes: &'a [u8], own: Own, kernel: Option<&'static Kernel>) -> Self {
        Self { reach: SHORT, limit: LONG, ..Self::new(bytes, own, kernel) }
    }

    /// How far it is.
    #[inline]
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// What follows.
    #[inline]
    pub(crate) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// Goes on behind something that is no text. There text may begin again.
    #[inline]
    pub(crate) fn skip(&mut self, bytes: usize) {
        self.at += bytes;
        self.stopped = false;
        self.behind = true;
    }

    /// The text from here on, up to what is none or to the limit. It is empty only if there is something
    /// else, or nothing.
    #[inline]
    pub(crate) fn text(&mut self) -> &'a str {
        let start = self.at;
        if !self.stopped && !self.hop() {
            self.advance();
        }
        // SAFETY: `start` is where a run ended or a sequence was skipped. `hop` passes ASCII only; `advance` passes
        // pieces, each by itself found to be text, cut short only before an ASCII or a lead byte.
        unsafe { core::str::from_utf8_unchecked(&self.bytes[start..self.at]) }
    }

    /// Goes to the next exception, if it is so near that there is no room for more than some ASCII.
    #[inline]
    fn hop(&mut self) -> bool {
        if !self.behind {
            return false;
        }
        let Some(window) = self.rest().first_chunk() else { return false };
        let (word, next) = two_words(window);
        let marks = self.own.mark(word, next);
        // As many ones as there are bits below the lowest mark.
        let before = !marks & marks.wrapping_sub(1);
        if marks == 0 || word & before & eight(0x80) != 0 {
            return false;
        }
        self.at += before.count_ones() as usize / 8;
        self.stopped = true;
        true
    }

    /// Goes to the end of the text, or to the limit.
    #[inline(never)]
    fn advance(&mut self) {
        let start = self.at;
        while self.at - start < self.limit && !self.stopped {
            let rest = self.rest();
            if rest.is_empty() {
                break;
            }
            let piece = &rest[..end_of_piece(rest, self.reach)];
            let searches = self.own.excludes() || self.own != Own::Nothing && self.behind;
            let searched = if searches && !self.dense { self.search(piece) } else { None };
            let gained = searched.unwrap_or_else(|| {
                let text = &piece[..self.valid_len(piece)];
                self.own.find_excluded(text).unwrap_or(text.len())
            });
            self.dense = searched.is_none() && gained < BLOCK.min(piece.len());
            self.at += gained;
            if gained < piece.len() {
                self.stopped = true;
                self.reach = (2 * gained).clamp(SHORT, LONG);
            } else {
                self.behind &= piece.len() < LONG / 2;
                self.reach = self.reach.saturating_mul(2).min(LONG);
            }
        }
    }

    /// Searches for the next exception, and has a kernel check what is before it. Returns how much of the
    /// piece that is, if it is text.
    fn search(&self, piece: &[u8]) -> Option<usize> {
        let found = self.own.find_far(piece).unwrap_or(piece.len());
        self.is_text(&piece[..found]).then_some(found)
    }

    /// Whether all of it is. A few bytes of ASCII are known for it before a kernel has begun.
    fn is_text(&self, piece: &[u8]) -> bool {
        piece.len() <= 16 && piece.is_ascii() || self.verdict(piece).is_valid()
    }

    fn verdict(&self, piece: &[u8]) -> Verdict {
        match self.kernel {
            Some(kernel) => kernel.verdict(piece),
            None => kernel::validate(piece),
        }
    }

    /// How many bytes of the piece are text, from its first one on.
    ///
    /// A kernel is believed when it says 'valid', and not when it says where something else is: so that is a
    /// question of time and not of soundness.
    fn valid_len(&self, piece: &[u8]) -> usize {
        let from = if self.dense {
            // Among faults, a kernel takes longer to begin than `core::str` to get there.
            0
        } else {
            let Some(suspect) = self.verdict(piece).suspicion() else { return piece.len() };
            let from = boundary::start_before(piece, suspect);
            if self.is_text(&piece[..from]) { from } else { 0 }
        };
        from + match core::str::from_utf8(&piece[from..]) {
            Ok(text) => text.len(),
            Err(error) => error.valid_up_to(),
        }
    }
}

/// As much as the reach says, to the last place where a character begins. If that is not among the last
/// four bytes, there are four continuations, and at the last of them no character is cut.
#[inline]
fn end_of_piece(rest: &[u8], reach: usize) -> usize {
    if rest.len() <= reach {
        return rest.len();
    }
    let is_continuation = |&at: &usize| rest[at] & 0xC0 == 0x80;
    (reach - 3..=reach).rev().find(|at| !is_continuation(at)).unwrap_or(reach)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether it excludes the byte; whether something of its own begins with it.
    fn is_own(own: Own, byte: u8, next: Option<u8>) -> (bool, bool) {
        let surrogate = byte == 0xED && matches!(next, Some(0xA0..=0xBF | 0xE0..));
        match own {
            Own::Nothing => (false, false),
            Own::Surrogates => (false, surrogate),
            Own::SurrogatesAndLong => (false, surrogate || byte >= 0xF4),
            Own::Pairs => (byte >= 0xF0, surrogate),
            Own::PairsAndNul => (byte >= 0xF0 || byte == 0, surrogate || byte == 0xC0),
        }
    }

    /// A piece was once cut inside the character, because three continuations stood before the place.
    #[test]
    fn no_piece_cuts_a_character() {
        for character in ["a", "é", "€", "😀"] {
            for more in 0..6 {
                let bytes = [&[b'.'; 20][..], character.as_bytes(), &[0x80; 6][..more], b"...."].concat();
                for reach in 4..bytes.len() {
                    let end = end_of_piece(&bytes, reach);
                    assert!(end <= reach && reach - end <= 3);
                    assert!(end <= 20 || end >= 20 + character.len(), "{character} {more} {reach} {end}");
                }
            }
        }
    }

    #[test]
    fn every_pair_of_bytes_at_every_place_of_a_block() {
        const FIRST: [u8; 15] =
            [0x00, 0x01, 0x7F, 0x80, 0xBF, 0xC0, 0xC1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF3, 0xF4, 0xFF];
        const SECOND: [u8; 11] = [0x00, 0x41, 0x80, 0x9F, 0xA0, 0xBF, 0xC0, 0xDF, 0xED, 0xF0, 0xFF];
        for own in [Own::Nothing, Own::Surrogates, Own::SurrogatesAndLong, Own::Pairs, Own::PairsAndNul] {
            for len in [2, 3, 8, 9, 10, 17, 64, 65, 66, 130, 330] {
                for (at, first, second) in (0..len - 1)
                    .flat_map(|at| FIRST.map(|first| (at, first)))
                    .flat_map(|(at, first)| SECOND.map(|second| (at, first, second)))
                {
                    let mut bytes = vec![b'a'; len];
                    (bytes[at], bytes[at + 1]) = (first, second);
                    let is = |i| is_own(own, bytes[i], bytes.get(i + 1).copied());
                    let excluded = (0..len).find(|&i| is(i).0);
                    let any = (0..len).find(|&i| is(i).0 || is(i).1);
                    let end = len / 2;
                    assert_eq!(
                        own.find_excluded(&bytes),
                        excluded,
                        "{own:?} {len} {at} {first:02X} {second:02X}"
                    );
                    assert_eq!(own.find(&bytes, end), any.filter(|&any| any < end));
                    assert_eq!(own.find(&bytes, len), any, "{own:?} {len} {at} {first:02X} {second:02X}");
                }
            }
        }
    }
}
