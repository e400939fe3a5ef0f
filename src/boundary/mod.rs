//! Boundaries of characters: where a character begins, whether it is whole, and what the end of a
//! slice cuts off.
//!
//! UTF-8 is self-synchronizing (RFC 3629, section 1): a character is ASCII, or one lead byte and at
//! most three continuation bytes. All code that cuts text, or looks back from a position in it,
//! uses these functions.
//!
//! ```
//! use trust8::boundary;
//!
//! let text = "naïve".as_bytes();
//! assert_eq!(boundary::floor(text, 3), 2); // byte 3 continues the ï
//! assert_eq!(boundary::whole_len(&text[..3]), 2);
//! ```

#![forbid(unsafe_code)]

mod context;

#[cfg(trust8_avx512)]
pub(crate) use context::is_unfinished;
#[doc(hidden)]
pub use context::{CONTEXT, array_at, start_before};
#[cfg(trust8_simd)]
pub(crate) use context::{LARGEST_AT_END, LARGEST_BEFORE_TWO_BYTE, allows_two_byte, with_context};

/// Returns whether the byte continues a character: `80` to `BF`.
///
/// ```
/// use trust8::boundary::is_continuation;
///
/// assert!(is_continuation(0x80) && is_continuation(0xBF));
/// assert!(!is_continuation(b'a') && !is_continuation(0xC3));
/// ```
#[inline(always)]
#[must_use]
pub const fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// Returns whether `at` lies inside a character of `text`, which is UTF-8: after its first byte and
/// before its end. The end of `text`, and every position after it, lies inside none.
#[inline(always)]
#[doc(hidden)]
#[must_use]
pub fn is_inside(text: &[u8], at: usize) -> bool {
    text.get(at).is_some_and(|&byte| is_continuation(byte))
}

/// Returns the last position at or before `at` where a character begins, if `bytes` is UTF-8. If
/// `at` is the length or more, the result is the length.
///
/// If `bytes` is not UTF-8, the result is a position at most three bytes before `at` that lies
/// inside no character. So text can be cut at these positions without reading all of it: the whole
/// is UTF-8 if and only if each part is.
///
/// ```
/// use trust8::boundary::floor;
///
/// let text = "a€b".as_bytes();
/// assert_eq!([0, 1, 2, 3, 4, 5, 9].map(|at| floor(text, at)), [0, 1, 1, 1, 4, 5, 5]);
/// assert_eq!(floor(&[0x80; 8], 5), 5);
/// ```
#[must_use]
#[inline]
pub fn floor(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at) {
        None => bytes.len(),
        Some(&byte) if is_continuation(byte) => start_of_character(bytes, at),
        Some(_) => at,
    }
}

/// Returns the first position from `at` on that lies inside no character of `bytes`, or
/// `bytes.len()` if there is none.
///
/// For valid text, this is `str::ceil_char_boundary`. If `bytes` is not UTF-8, the result is at
/// most three bytes after `at`.
///
/// ```
/// use trust8::boundary::ceil;
///
/// let text = "a€b".as_bytes();
/// assert_eq!([0, 1, 2, 3, 4, 5, 9].map(|at| ceil(text, at)), [0, 1, 4, 4, 4, 5, 5]);
/// assert_eq!(ceil(&[0x80; 8], 5), 5);
/// ```
#[must_use]
pub fn ceil(bytes: &[u8], at: usize) -> usize {
    let mut end = at.min(bytes.len());
    while end < bytes.len() && floor(bytes, end) < end {
        end += 1;
    }
    end
}

/// Does the same as [`floor`], if there is a continuation at `at`.
fn start_of_character(bytes: &[u8], at: usize) -> usize {
    // No character has four continuations. So after four of them, or if the text begins with them,
    // the last one is in no character.
    let Some(last) = at.checked_sub(3).and_then(|first| array_at(bytes, first)) else {
        return (0..=at).rev().find(|&at| !is_continuation(bytes[at])).unwrap_or(at);
    };
    // A branch for each byte would often be mispredicted. The last byte is the lowest one of the
    // number. Bit 7 of a byte stays set unless it is a continuation (`10......`).
    let last = u32::from_be_bytes(*last);
    let others = (!last | last << 1) & 0x8080_8080;
    at - (others.trailing_zeros() / 8 % 4) as usize
}

/// Returns the length of `text` without a character that its end cuts off. The rest of `text` is
/// valid.
///
/// ```
/// use trust8::boundary::whole_len;
///
/// assert_eq!(whole_len(b"abc"), 3);
/// assert_eq!(whole_len(b"ab\xE2\x82"), 2);
/// assert_eq!(whole_len(b"ab\xE2\x82\xAC"), 5);
/// ```
#[must_use]
pub fn whole_len(text: &[u8]) -> usize {
    let mut last = [0; 4];
    let known = text.len().min(4);
    last[4 - known..].copy_from_slice(&text[text.len() - known..]);
    // Bytes that are not text may seem to cut off more bytes than there are.
    text.len().saturating_sub(unfinished_len(last))
}

/// Returns how many bytes at the end of a text begin a character that does not end there, given its
/// last four bytes. If the text is shorter, the missing bytes are zeros or other ASCII.
///
/// Each lead gives the length of its character. The lead of a cut-off character has fewer bytes
/// after it. There is at most one such lead, because everything before the end is valid.
#[inline(always)]
#[doc(hidden)]
#[must_use]
pub const fn unfinished_len(last: [u8; 4]) -> usize {
    let [_, third, second, first] = last;
    (first >= 0xC0) as usize + 2 * (second >= 0xE0) as usize + 3 * (third >= 0xF0) as usize
}

/// Returns whether the last byte begins a character of two bytes or more, which then does not end
/// in `bytes`: `C0` and above.
#[inline(always)]
#[doc(hidden)]
#[must_use]
pub const fn ends_in_lead(bytes: &[u8]) -> bool {
    matches!(bytes.last(), Some(0xC0..))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "a\u{E9}\u{65E5}\u{1F600}\u{7FF}b\u{FFFF}\u{10FFFF}\u{80}\u{800}cd";

    #[test]
    fn is_inside_is_what_str_says() {
        for at in 0..TEXT.len() + 3 {
            let inside = at < TEXT.len() && !TEXT.is_char_boundary(at);
            assert_eq!(is_inside(TEXT.as_bytes(), at), inside, "{at}");
        }
    }

    #[test]
    fn floor_is_what_str_says() {
        for at in 0..TEXT.len() + 3 {
            let expected = (0..=at.min(TEXT.len())).rev().find(|&at| TEXT.is_char_boundary(at));
            assert_eq!(Some(floor(TEXT.as_bytes(), at)), expected, "{at}");
        }
    }

    #[test]
    fn ceil_is_what_str_says() {
        for at in 0..TEXT.len() + 3 {
            let expected = (at.min(TEXT.len())..=TEXT.len()).find(|&at| TEXT.is_char_boundary(at));
            assert_eq!(Some(ceil(TEXT.as_bytes(), at)), expected, "{at}");
        }
    }

    /// Returns all texts of six bytes out of five that mean different things.
    fn all_of_six() -> impl Iterator<Item = [u8; 6]> {
        const BYTES: [u8; 5] = [b'a', 0x80, 0xC3, 0xE6, 0xF1];
        (0..5_usize.pow(6)).map(|number| core::array::from_fn(|i| BYTES[number / 5_usize.pow(i as u32) % 5]))
    }

    #[test]
    fn ceil_stays_near_whatever_the_bytes() {
        for bytes in all_of_six() {
            for at in 0..=bytes.len() {
                let ceil = ceil(&bytes, at);
                assert!(at <= ceil && ceil <= at + 3 && floor(&bytes, ceil) == ceil, "{bytes:02X?} {at}");
            }
        }
    }

    #[test]
    fn floor_stays_near_whatever_the_bytes() {
        for len in 0..8 {
            for at in 0..len + 2 {
                let floor = floor(&vec![0x80; len], at);
                assert!(floor <= len && floor + 3 >= at.min(len), "{len} {at}");
            }
        }
    }

    /// A text was once cut inside a character, because three continuations came before the
    /// position.
    #[test]
    fn floor_cuts_no_character_whatever_surrounds_it() {
        for character in ["a", "é", "€", "😀"] {
            for more in 0..6 {
                let bytes = [&[b'.'; 20][..], character.as_bytes(), &[0x80; 6][..more], b"...."].concat();
                for at in 4..bytes.len() {
                    let end = floor(&bytes, at);
                    assert!(end <= at && at - end <= 3);
                    assert!(end <= 20 || end >= 20 + character.len(), "{character} {more} {at} {end}");
                }
            }
        }
    }

    #[test]
    fn parts_between_floors_are_valid_exactly_if_the_whole_is() {
        for bytes in all_of_six() {
            for at in 0..=bytes.len() {
                let (left, right) = bytes.split_at(floor(&bytes, at));
                let parts = core::str::from_utf8(left).is_ok() && core::str::from_utf8(right).is_ok();
                assert_eq!(parts, core::str::from_utf8(&bytes).is_ok(), "{bytes:02X?} {at}");
            }
        }
    }

    #[test]
    fn whole_len_is_what_str_says() {
        for end in 0..=TEXT.len() {
            assert_eq!(whole_len(&TEXT.as_bytes()[..end]), TEXT.floor_char_boundary(end), "{end}");
        }
    }

    #[test]
    fn whole_len_of_what_is_not_text_is_no_longer_than_it() {
        for bytes in [&b"a\xF0\xE0a"[..], b"\xF0\xE0\xC0", b"\xE0\xC0", b"\xF0"] {
            assert!(whole_len(bytes) <= bytes.len(), "{bytes:02X?}");
        }
    }

    #[test]
    fn ends_in_lead_where_a_first_byte_is_cut_off() {
        assert!(!ends_in_lead(b""));
        for at in 1..=TEXT.len() {
            let cut = !TEXT.is_char_boundary(at) && TEXT.is_char_boundary(at - 1);
            assert_eq!(ends_in_lead(&TEXT.as_bytes()[..at]), cut, "{at}");
        }
    }
}
