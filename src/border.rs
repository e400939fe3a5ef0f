//! What crosses the border of a block: characters have up to four bytes, and blocks begin anywhere.
//!
//! No algorithm here carries anything from block to block. What a block must know of the text before
//! it is read again from memory.

#![forbid(unsafe_code)]

/// How far a check must see back: a character has at most three bytes before its last.
pub(crate) const CONTEXT: usize = 3;

/// What begins at `at`, with its context before it, if it lies wholly inside. `at` is at least `CONTEXT`.
#[inline(always)]
pub(crate) fn window<const N: usize>(bytes: &[u8], at: usize) -> Option<&[u8; N]> {
    bytes.get(at - CONTEXT..)?.first_chunk()
}

/// Whether the text before a window's block ends inside a character.
#[inline(always)]
pub(crate) fn ends_early<const N: usize>(window: &[u8; N]) -> bool {
    window[2] >= 0xC0 || window[1] >= 0xE0 || window[0] >= 0xF0
}

/// Whether what stands before a window's block leaves all in it to the rules of two-byte characters: no
/// character of three or four bytes reaches in, and no C0 or C1 waits at the border, where nobody
/// would see it.
#[inline(always)]
pub(crate) fn no_long_character_reaches_into<const N: usize>(window: &[u8; N]) -> bool {
    window[0] < 0xF0 && window[1] < 0xE0 && window[2] < 0xE0 && window[2] & 0xFE != 0xC0
}

/// The largest byte that may stand in each of the last 64 places of a text, or of a stretch that ASCII
/// follows: a lead of two, three or four bytes needs one, two or three behind it.
pub(crate) static END: [u8; 64] = {
    let mut limits = [0xFF; 64];
    limits[61] = 0xF0 - 1;
    limits[62] = 0xE0 - 1;
    limits[63] = 0xC0 - 1;
    limits
};
