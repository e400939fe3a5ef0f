//! What the kernels and the search of all faults need to know about boundaries. The proofs compile this file.
//!
//! A block may begin anywhere. Most checks keep no state between blocks: they read again the text before a block that they
//! need. These functions take a block with this context before it.

#![forbid(unsafe_code)]

/// The context of a byte, in bytes, before it or after it: a character has at most three others.
pub const CONTEXT: usize = 3;

/// Returns the `N` bytes from `at` on, if there are that many. It cannot panic, which keeps loops
/// small.
#[inline(always)]
pub fn array_at<const N: usize>(bytes: &[u8], at: usize) -> Option<&[u8; N]> {
    bytes.get(at..)?.first_chunk()
}

/// Returns the `N` bytes from `at - CONTEXT` on: a block and its context. `at` is at least
/// `CONTEXT`.
#[cfg(trust8_simd)]
#[inline(always)]
pub(crate) fn with_context<const N: usize>(bytes: &[u8], at: usize) -> Option<&[u8; N]> {
    array_at(bytes, at - CONTEXT)
}

/// Returns whether a character that begins in the context of a block does not end there.
#[cfg(trust8_avx512)]
#[inline(always)]
pub(crate) fn is_unfinished<const N: usize>(block: &[u8; N]) -> bool {
    block[2] >= 0xC0 || block[1] >= 0xE0 || block[0] >= 0xF0
}

/// Returns whether the rules of two-byte characters are enough for a block after this context: no
/// character of three or four bytes reaches into it, and no `C0` or `C1` comes directly before it,
/// where those rules would miss it.
#[cfg(trust8_simd)]
#[inline(always)]
pub(crate) fn allows_two_byte<const N: usize>(block: &[u8; N]) -> bool {
    block[0] < 0xF0 && block[1] < 0xE0 && block[2] < 0xE0 && block[2] & 0xFE != 0xC0
}

/// The largest allowed byte at each of the last 32 positions of a text: a lead of two, three or
/// four bytes needs one, two or three bytes after it. Then 32 positions of a text that continues,
/// where any byte is allowed.
#[cfg(trust8_simd)]
pub(crate) const LARGEST_AT_END: &[u8; 64] = &{
    let mut limits = [0xFF; 64];
    limits[29] = 0xF0 - 1;
    limits[30] = 0xE0 - 1;
    limits[31] = 0xC0 - 1;
    limits
};

/// The same for a text before a block of one- and two-byte characters: a two-byte character may
/// continue in it.
#[cfg(trust8_simd)]
pub(crate) const LARGEST_BEFORE_TWO_BYTE: &[u8; 64] = &{
    let mut limits = *LARGEST_AT_END;
    limits[31] = 0xE0 - 1;
    limits
};

/// Returns the last position at or before `at` where a character begins, if `bytes[..at]` has no
/// fault except perhaps a character that `at` cuts off. The byte at `at` does not matter.
///
/// `start_before` steps back over a whole or a cut character alike; callers tell them apart.
#[must_use]
// Not inlined: it runs once for each fault or long run, and eight functions would contain it.
#[inline(never)]
pub fn start_before(bytes: &[u8], at: usize) -> usize {
    let at = at.min(bytes.len());
    for back in 1..=at.min(3) {
        match bytes[at - back] {
            0x00..=0x7F => break,
            0x80..=0xBF => {}
            // A character begins here, whole or cut.
            0xC0..=0xFF => return at - back,
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "a\u{E9}\u{65E5}\u{1F600}\u{7FF}b\u{FFFF}\u{10FFFF}\u{80}\u{800}cd";

    #[test]
    fn start_before_is_a_start_of_at_most_three_bytes_before() {
        for at in 0..=TEXT.len() {
            let start = start_before(TEXT.as_bytes(), at);
            let cut = TEXT.floor_char_boundary(at);
            assert!(TEXT.is_char_boundary(start) && start <= cut && start + 3 >= at, "{at}");
        }
    }

    #[cfg(trust8_simd)]
    #[test]
    fn a_context_is_unfinished_where_a_character_needs_more() {
        let text = TEXT.as_bytes();
        for at in CONTEXT..text.len() {
            let block: &[u8; 4] = with_context(text, at).expect("inside");
            let cut = at - TEXT.floor_char_boundary(at);
            #[cfg(trust8_avx512)]
            assert_eq!(is_unfinished(block), cut > 0, "{at}");
            let long = cut > 0 && text[at - cut] >= 0xE0;
            assert_eq!(allows_two_byte(block), !long, "{at}");
            let fits = (0..3).all(|i| block[i] <= LARGEST_AT_END[29 + i]);
            assert_eq!(fits, cut == 0, "{at}");
        }
        assert!(!allows_two_byte(b"ab\xC0.") && !allows_two_byte(b"ab\xC1."));
        assert_eq!(with_context::<5>(b"abcd", 3), None);
    }
}
