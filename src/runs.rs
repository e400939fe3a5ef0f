//! Runs of UTF-8 in bytes that are almost UTF-8: from one exception to the next at the speed of the kernels.
//!
//! ```text
//! for each piece, from where a character begins:
//!     is there an exception? Then a kernel checks what is before it
//!     if that can't be said quickly, a kernel checks the piece; `core::str` says exactly where it stopped,
//!         and what UTF-8 has and the dialect has not is searched for afterwards
//! ```
//!
//! 1. **Exceptions are searched for** where that is quick: they begin with bytes from `ED` on, which few
//!    texts have, so a block is passed over by its largest byte. A kernel on the piece would find them as well, but it
//!    reads on for some hundred bytes before it looks, and goes back to say where. Chinese punctuation and some
//!    Hangul begin with such bytes, too; there the kernel goes alone for some runs, and also where there has been no
//!    exception for long, if the dialect excludes nothing.
//! 2. **Pieces are not much longer than what was gained last**: so all pieces together are linear in
//!    the text, however many exceptions there are and wherever they lie.
//! 3. **Pieces stay in the first-level cache** while they are searched and checked.

use crate::verdict::Verdict;
use crate::{Kernel, dispatch, scalar};

/// Bytes that are looked at together to see whether there can be an exception.
const LARGE_BLOCK: usize = 256;
const BLOCK: usize = 64;
/// Bytes that are searched word by word first of all.
const NEXT: usize = 16;
/// Runs without a search after one that was in vain.
const PAUSE: u8 = 16;
/// The least that a kernel is given.
const SHORT: usize = 256;
/// The most, but for the first piece of a dialect that excludes nothing.
const LONG: usize = 16 << 10;

/// Sequences of a dialect's own: what ends a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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

    /// How many bytes at the start are in blocks without any from `least` on (and without `00` and `C0`, where
    /// they count).
    #[inline(always)]
    fn plain(self, bytes: &[u8], least: u8) -> usize {
        match self {
            // Less one, zero is the largest.
            Self::PairsAndNul => {
                skip(bytes, |byte| if byte == 0xC0 { 0xFF } else { byte.wrapping_sub(1) }, least - 1)
            }
            _ => skip(bytes, |byte| byte, least),
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
            at += self.plain(&bytes[at..], 0xF0);
            // It is in these, if it is anywhere; but C0 counts as plain here.
            let rest = &bytes[at..];
            match search(rest, rest.len().min(BLOCK), mark) {
                Some(found) => return Some(at + found),
                None if rest.len() <= BLOCK => return None,
                None => at += BLOCK,
            }
        }
    }
}

/// How many bytes are in blocks, large ones and then small ones, without a byte of which `key` makes
/// `least` or more.
#[inline(always)]
fn skip(bytes: &[u8], key: impl Fn(u8) -> u8 + Copy, least: u8) -> usize {
    #[inline(always)]
    fn by<const BLOCK: usize>(bytes: &[u8], key: impl Fn(u8) -> u8, least: u8) -> usize {
        // Blocks have a length that the compiler knows, and no branch inside: it makes vectors of them.
        let is_plain = |block: &&[u8; BLOCK]| block.iter().fold(0, |most, &byte| key(byte).max(most)) < least;
        BLOCK * bytes.as_chunks().0.iter().take_while(is_plain).count()
    }
    let plain = by::<LARGE_BLOCK>(bytes, key, least);
    plain + by::<BLOCK>(&bytes[plain..], key, least)
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
    /// For how many runs not to search.
    pause: u8,
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
        Self { bytes, at: 0, own, stopped: false, behind: false, pause: 0, reach, limit: usize::MAX, kernel }
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
        // SAFETY: `hop` and `advance` stop only where all behind `start` was found to be text.
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
        self.pause = self.pause.saturating_sub(1);
        while self.at - start < self.limit && !self.stopped {
            let rest = self.rest();
            if rest.is_empty() {
                break;
            }
            let piece = &rest[..end_of_piece(rest, self.reach)];
            let searches = self.own.excludes() || self.own != Own::Nothing && self.behind;
            let gained = match searches && self.pause == 0 {
                true => self.search(piece),
                false => None,
            };
            let gained = gained.unwrap_or_else(|| {
                let text = &piece[..self.valid_len(piece)];
                self.own.find_excluded(text).unwrap_or(text.len())
            });
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
    /// piece that is, if it is text and there is nothing in it that hides exceptions.
    fn search(&mut self, piece: &[u8]) -> Option<usize> {
        let near = piece.len().min(NEXT);
        let found = match self.own.find(piece, near) {
            Some(found) => found,
            None => {
                // Surrogates begin with ED.
                let plain = near + self.own.plain(&piece[near..], 0xED);
                let rest = &piece[plain..];
                match self.own.find(rest, rest.len().min(BLOCK)) {
                    Some(found) => plain + found,
                    None if rest.len() <= BLOCK => piece.len(),
                    // Characters from U+D000 on: there may be many of them.
                    None => {
                        self.pause = if plain < LARGE_BLOCK { PAUSE } else { 0 };
                        return None;
                    }
                }
            }
        };
        self.is_text(&piece[..found]).then_some(found)
    }

    /// Whether all of it is. A few bytes of ASCII are known for it before a kernel has begun.
    fn is_text(&self, piece: &[u8]) -> bool {
        piece.len() <= 16 && piece.is_ascii() || self.verdict(piece).is_valid()
    }

    fn verdict(&self, piece: &[u8]) -> Verdict {
        match self.kernel {
            Some(kernel) => kernel.verdict(piece),
            None => dispatch::validate(piece),
        }
    }

    /// How many bytes of the piece are text, from its first one on.
    fn valid_len(&self, piece: &[u8]) -> usize {
        let Some(suspect) = self.verdict(piece).suspicion() else { return piece.len() };
        let from = scalar::character_start(piece, suspect);
        match core::str::from_utf8(&piece[from..]) {
            Err(error) => from + error.valid_up_to(),
            // A false alarm. What stands before has been seen by the kernel alone, so once more.
            Ok(_) => core::str::from_utf8(piece).map_or_else(|error| error.valid_up_to(), str::len),
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
