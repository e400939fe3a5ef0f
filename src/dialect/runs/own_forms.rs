//! The search for the sequences that a dialect writes in its own way, and for those of UTF-8 that it lacks.

#![forbid(unsafe_code)]

/// Text is skipped in large blocks first, and then in blocks.
const LARGE_BLOCK: usize = 256;
pub(super) const BLOCK: usize = 64;
/// The bytes that are searched word by word before any block.
const WORD_BY_WORD: usize = 16;

/// The sequences that a dialect writes in its own way. They end a run of UTF-8.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(
    not(any(feature = "dialect", test)),
    expect(dead_code, reason = "only dialects have sequences of their own")
)]
pub(crate) enum OwnForms {
    /// UTF-8 has none.
    Nothing,
    /// WTF-8: surrogates, which begin with `ED` before `A0` and above.
    Surrogates,
    /// RFC 2279: surrogates, and sequences that begin with `F4` and above.
    SurrogatesAndLong,
    /// CESU-8: surrogates. It excludes the sequences of four bytes, which begin with `F0` and above.
    Pairs,
    /// Modified UTF-8: surrogates, and `C0` in place of `00`. It excludes `00` and the sequences of four bytes.
    PairsAndNul,
}

/// Returns a word with `byte` in each of its bytes.
pub(super) const fn repeat(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

/// Sets bit 7 of each byte that is zero, and no other bit.
const fn zeros(word: u64) -> u64 {
    // The sum of each byte stays inside it, and has bit 7 if any of the lower bits was set.
    let low = (word & repeat(0x7F)) + repeat(0x7F);
    !(low | word) & repeat(0x80)
}

/// Sets bit 7 of each byte that is F0 or above. The other bits of the result have no meaning.
const fn from_f0(word: u64) -> u64 {
    word & word << 1 & word << 2 & word << 3
}

/// Returns `FF` if the condition holds, and otherwise `00`. (The compiler makes vectors of masks, but not of a choice between
/// two values.)
#[inline(always)]
const fn all_ones(condition: bool) -> u8 {
    (condition as u8).wrapping_neg()
}

/// Returns the place of the first byte before `end` for which `mark` sets bit 7. `mark` gets a word of eight bytes and the word
/// of the bytes after each.
#[inline(always)]
fn find_by_words(bytes: &[u8], end: usize, mark: impl Fn(u64, u64) -> u64) -> Option<usize> {
    let mut at = 0;
    while at < end {
        let padded;
        let nine = match bytes[at..].first_chunk::<9>() {
            Some(nine) => nine,
            None => {
                padded = pad(&bytes[at..]);
                &padded
            }
        };
        let (word, next) = two_words(nine);
        let marks = mark(word, next) & repeat(0x80);
        if marks != 0 {
            let found = at + marks.trailing_zeros() as usize / 8;
            return (found < end).then_some(found);
        }
        at += 8;
    }
    None
}

/// Returns the word of the first eight bytes and the word of the last eight. The first byte is the lowest.
#[inline(always)]
pub(super) fn two_words(bytes: &[u8; 9]) -> (u64, u64) {
    let word = |from: usize| u64::from_le_bytes(*bytes[from..].first_chunk().unwrap_or(&[0; 8]));
    (word(0), word(1))
}

/// Returns fewer than nine bytes with zeros after them.
#[cold]
fn pad(bytes: &[u8]) -> [u8; 9] {
    let mut padded = [0; 9];
    padded[..bytes.len()].copy_from_slice(bytes);
    padded
}

impl OwnForms {
    /// Returns whether the dialect lacks some sequences of UTF-8.
    pub(crate) const fn excludes(self) -> bool {
        matches!(self, Self::Pairs | Self::PairsAndNul)
    }

    /// Returns a byte's rank. A byte that begins a sequence of the dialect's own, or one that it excludes, whatever follows,
    /// has a higher rank than all other bytes.
    #[inline(always)]
    const fn rank(self, byte: u8) -> u8 {
        match self {
            // The byte less one, so that zero has the highest rank.
            Self::PairsAndNul => byte.wrapping_sub(1) | all_ones(byte == 0xC0),
            _ => byte,
        }
    }

    /// Returns the lowest rank of those bytes. If only surrogates are searched for, that is the rank of `FF`, which is not in
    /// UTF-8 either.
    const fn least(self) -> u8 {
        match self {
            Self::Nothing | Self::Surrogates => 0xFF,
            Self::SurrogatesAndLong => 0xF4,
            Self::Pairs => 0xF0,
            Self::PairsAndNul => 0xF0 - 1,
        }
    }

    /// Sets bit 7 of each byte that begins an exception: a sequence of the dialect's own, or one that it excludes.
    #[inline(always)]
    pub(super) const fn mark(self, word: u64, next: u64) -> u64 {
        // After ED, bits 7 and 5: A0 to BF. (E0 and above have them too, but may not follow ED anyway.)
        let surrogates = zeros(word ^ repeat(0xED)) & next & next << 2;
        let own = match self {
            Self::Nothing => 0,
            Self::Surrogates => surrogates,
            Self::SurrogatesAndLong => surrogates | from_f0(word) & (word << 4 | word << 5),
            Self::Pairs => surrogates | from_f0(word),
            Self::PairsAndNul => surrogates | from_f0(word) | zeros(word) | zeros(word ^ repeat(0xC0)),
        };
        own & repeat(0x80)
    }

    /// Returns whether an exception begins at the start of `bytes`. UTF-8 has no such sequence, except for those that the
    /// dialect excludes.
    #[inline]
    pub(crate) fn begins(self, bytes: &[u8]) -> bool {
        let Some(&first) = bytes.first() else { return false };
        let next = bytes.get(1).copied().unwrap_or(0);
        let may_begin = match self {
            Self::Nothing => false,
            Self::Surrogates | Self::Pairs => first >= 0xED,
            // F4 begins characters up to U+10FFFF as well.
            Self::SurrogatesAndLong => first >= 0xED && (first != 0xF4 || next >= 0x90),
            Self::PairsAndNul => first >= 0xED || first == 0 || first == 0xC0,
        };
        may_begin && self.mark(first.into(), next.into()) & 0x80 != 0
    }

    /// Returns where the first exception begins, if it begins before `end`. It searches word by word.
    #[inline]
    fn find_near(self, bytes: &[u8], end: usize) -> Option<usize> {
        find_by_words(bytes, end, |word, next| self.mark(word, next))
    }

    /// Returns where the first exception begins. It skips text in blocks.
    #[inline]
    pub(crate) fn find(self, bytes: &[u8]) -> Option<usize> {
        match self {
            Self::PairsAndNul => self.find_by_rank(bytes, |byte| Self::PairsAndNul.rank(byte)),
            _ => self.find_by_rank(bytes, |byte| byte),
        }
    }

    #[inline(always)]
    fn find_by_rank(self, bytes: &[u8], rank: impl Fn(u8) -> u8 + Copy) -> Option<usize> {
        let find = |from: usize, most: usize| {
            let rest = &bytes[from..];
            self.find_near(rest, rest.len().min(most)).map(|found| from + found)
        };
        if let found @ Some(_) = find(0, WORD_BY_WORD) {
            return found;
        }
        let mut at = bytes.len().min(WORD_BY_WORD);
        // Few texts have bytes from ED on, with which surrogates begin. The rank of ED is ED, or one less.
        at += skip_large_and_small(&bytes[at..], rank, 0xED - 1);
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

    /// Returns where the first sequence begins that the dialect excludes.
    #[inline]
    pub(crate) fn find_excluded(self, bytes: &[u8]) -> Option<usize> {
        if self.excludes() && !bytes.is_empty() { self.search_excluded(bytes) } else { None }
    }

    fn search_excluded(self, bytes: &[u8]) -> Option<usize> {
        let near = bytes.len().min(WORD_BY_WORD);
        let mark = |word, _| match self {
            Self::Nothing | Self::Surrogates | Self::SurrogatesAndLong => 0,
            Self::Pairs => from_f0(word),
            Self::PairsAndNul => from_f0(word) | zeros(word),
        };
        if let Some(found) = find_by_words(bytes, near, mark) {
            return Some(found);
        }
        let mut at = near;
        loop {
            at += match self {
                Self::PairsAndNul => {
                    skip_large_and_small(&bytes[at..], |byte| byte.wrapping_sub(1), 0xF0 - 1)
                }
                _ => skip_large_and_small(&bytes[at..], |byte| byte, 0xF0),
            };
            // If there is one in the text, the next block has one or is the last.
            let rest = &bytes[at..];
            match find_by_words(rest, rest.len().min(BLOCK), mark) {
                Some(found) => return Some(at + found),
                None if rest.len() <= BLOCK => return None,
                None => at += BLOCK,
            }
        }
    }
}

/// Returns how many bytes come before the first block that has a byte of rank `least` or more.
#[inline(always)]
fn skip<const BLOCK: usize>(bytes: &[u8], rank: impl Fn(u8) -> u8 + Copy, least: u8) -> usize {
    let (blocks, _) = bytes.as_chunks::<BLOCK>();
    BLOCK * blocks.iter().take_while(|block| highest(block, rank) < least).count()
}

/// Does what [`skip`] does, with large blocks and then with blocks.
#[inline(always)]
fn skip_large_and_small(bytes: &[u8], rank: impl Fn(u8) -> u8 + Copy, least: u8) -> usize {
    let at = skip::<LARGE_BLOCK>(bytes, rank, least);
    at + skip::<BLOCK>(&bytes[at..], rank, least)
}

/// Returns the highest rank in a block. The length is a constant and there is no branch, so that the compiler makes vectors of
/// the loop.
#[inline(always)]
fn highest<const BLOCK: usize>(block: &[u8; BLOCK], rank: impl Fn(u8) -> u8) -> u8 {
    let mut most = 0;
    #[expect(
        clippy::needless_range_loop,
        reason = "the compiler does not make vectors of the loop with an iterator"
    )]
    for i in 0..BLOCK {
        most = rank(block[i]).max(most);
    }
    most
}

/// Returns whether a block has no byte of rank `least` or more and no surrogate. `next` has the byte after each.
#[inline(always)]
fn is_plain(
    now: &[u8; LARGE_BLOCK],
    next: &[u8; LARGE_BLOCK],
    rank: impl Fn(u8) -> u8 + Copy,
    least: u8,
) -> bool {
    let (mut most, mut after_ed) = (0, 0);
    for i in 0..LARGE_BLOCK {
        most = rank(now[i]).max(most);
        after_ed = (all_ones(now[i] == 0xED) & next[i]).max(after_ed);
    }
    most < least && after_ed < 0xA0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns whether the dialect excludes the byte, and whether a sequence of its own begins with it.
    fn is_own(own: OwnForms, byte: u8, next: Option<u8>) -> (bool, bool) {
        let surrogate = byte == 0xED && matches!(next, Some(0xA0..=0xBF | 0xE0..));
        match own {
            OwnForms::Nothing => (false, false),
            OwnForms::Surrogates => (false, surrogate),
            OwnForms::SurrogatesAndLong => (false, surrogate || byte >= 0xF4),
            OwnForms::Pairs => (byte >= 0xF0, surrogate),
            OwnForms::PairsAndNul => (byte >= 0xF0 || byte == 0, surrogate || byte == 0xC0),
        }
    }

    #[test]
    fn every_pair_of_bytes_at_every_place_of_a_block() {
        const FIRST: [u8; 15] =
            [0x00, 0x01, 0x7F, 0x80, 0xBF, 0xC0, 0xC1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF3, 0xF4, 0xFF];
        const SECOND: [u8; 11] = [0x00, 0x41, 0x80, 0x9F, 0xA0, 0xBF, 0xC0, 0xDF, 0xED, 0xF0, 0xFF];
        // Emulators have time for some places of long texts: a scale of 100 and above asks for fewer.
        let slow = option_env!("TRUST8_TEST_SCALE").is_some_and(|scale| scale.len() > 2);
        for own in [
            OwnForms::Nothing,
            OwnForms::Surrogates,
            OwnForms::SurrogatesAndLong,
            OwnForms::Pairs,
            OwnForms::PairsAndNul,
        ] {
            for len in [2, 3, 8, 9, 10, 17, 64, 65, 66, 130, 330] {
                for (at, first, second) in (0..len - 1)
                    .step_by(if slow && len > 100 { 13 } else { 1 })
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
                    assert_eq!(own.find_near(&bytes, end), any.filter(|&any| any < end));
                    // F4 before 80 to 8F begins a character that UTF-8 has too.
                    let is_utf8 = own == OwnForms::SurrogatesAndLong && first == 0xF4 && second < 0x90;
                    assert_eq!(
                        own.begins(&bytes[at..]),
                        (is(at).0 || is(at).1) && !is_utf8,
                        "{own:?} {first:02X} {second:02X}"
                    );
                    assert_eq!(
                        own.find_near(&bytes, len),
                        any,
                        "{own:?} {len} {at} {first:02X} {second:02X}"
                    );
                    assert_eq!(own.find(&bytes), any, "{own:?} {len} {at} {first:02X} {second:02X}");
                }
            }
        }
    }
}
