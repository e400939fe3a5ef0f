//! The codec of a family of encodings: how to read and write one character.

#![forbid(unsafe_code)]

use super::error::Fault;
use trust8::Kernel;
use trust8::engine::Output;

/// A family of encodings that differ only in byte order. Works character by character.
pub(super) trait Codec: Sized {
    /// The number of bytes in a unit.
    const UNIT_BYTES: usize;

    /// Each character up to this number is one unit, which is the number.
    const LAST_SINGLE: u32;

    /// Whether all bytes are well-formed text.
    const ALL_VALID: bool = false;

    /// The character that replaces what can't be converted: U+FFFD, or another one if the encoding
    /// lacks it.
    const REPLACEMENT: char = char::REPLACEMENT_CHARACTER;

    /// Decodes the start of `text`, which is not empty. `swapped` means that units are in the
    /// non-native byte order.
    fn next(text: &[u8], swapped: bool) -> Next;

    /// Returns the length of the whole characters at the start of a well-formed text that is cut
    /// off anywhere.
    fn whole_len(text: &[u8], _swapped: bool) -> usize {
        text.len() / Self::UNIT_BYTES * Self::UNIT_BYTES
    }

    /// Returns the position of the first thing in whole units that is not a character of this set,
    /// or the length of the text. In UTF-8, what comes before a character outside Latin-1 may be
    /// malformed.
    #[inline(always)]
    fn up_to(_: &'static Kernel, text: &[u8], swapped: bool, set: Set) -> usize {
        let mut at = 0;
        while at < text.len()
            && let Next::Char(char, len) = Self::next(&text[at..], swapped)
            && u32::from(char) <= set as u32
        {
            at += len;
        }
        at
    }

    /// Returns the length of a character in bytes, if the encoding has it.
    fn len(char: char) -> Option<usize>;

    /// Appends a character if the encoding has it and it fits.
    fn put(char: char, swapped: bool, out: &mut Output<'_>) -> Result<(), Refusal>;
}

/// A set of characters. Its value is the number of the last one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Set {
    Ascii = 0x7F,
    Latin1 = 0xFF,
    Unicode = 0x10_FFFF,
}

/// What comes first in a text.
#[derive(Clone, Copy)]
pub(super) enum Next {
    /// A character and its length in bytes.
    Char(char, usize),
    /// Bytes that begin no character, and the number of bytes that one replacement replaces.
    Malformed(Fault, usize),
    /// The text ends inside a character, after at most three bytes of it. The fault is the error if
    /// nothing follows.
    Cut(Fault),
}

/// Why a character could not be appended.
pub(super) enum Refusal {
    /// It does not fit.
    Full,
    /// The encoding lacks it.
    Unmappable,
}

impl Refusal {
    /// Turns the return value of [`Output::put`] into a result.
    #[inline(always)]
    pub(super) fn unless_put(put: bool) -> Result<(), Self> {
        if put { Ok(()) } else { Err(Self::Full) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encodings::{latin1::Latin1Codec, utf8::Utf8Codec, utf16::Utf16Codec, utf32::Utf32Codec};

    /// A codec with only what every codec must have.
    struct Least<C>(core::marker::PhantomData<C>);

    impl<C: Codec> Codec for Least<C> {
        const UNIT_BYTES: usize = C::UNIT_BYTES;
        const LAST_SINGLE: u32 = C::LAST_SINGLE;

        fn next(text: &[u8], swapped: bool) -> Next {
            C::next(text, swapped)
        }

        fn len(char: char) -> Option<usize> {
            C::len(char)
        }

        fn put(char: char, swapped: bool, out: &mut Output<'_>) -> Result<(), Refusal> {
            C::put(char, swapped, out)
        }
    }

    fn check<C: Codec>(text: &[u8]) {
        let text = &text[..text.len() / C::UNIT_BYTES * C::UNIT_BYTES];
        for kernel in Kernel::available() {
            for swapped in [false, true] {
                let [well_formed, ascii, latin1] = [Set::Unicode, Set::Ascii, Set::Latin1].map(|set| {
                    (C::up_to(kernel, text, swapped, set), Least::<C>::up_to(kernel, text, swapped, set))
                });
                assert_eq!(well_formed.0, well_formed.1, "{text:02X?}");
                assert_eq!(ascii.0, ascii.1, "{text:02X?}");
                assert_eq!(latin1.0.min(well_formed.0), latin1.1, "{text:02X?}");
            }
        }
    }

    #[test]
    fn searches_find_what_a_look_at_each_character_finds() {
        let units = [0x41, 0x7F, 0x80, 0xFF, 0x100, 0xD83D, 0xDE00, 0xD800, 0xFFFF, 0x10_FFFF, 0x11_0000];
        for first in units {
            for second in units {
                let numbers = [vec![0x41; 300], vec![first, second, 0x42]].concat();
                let bytes: Vec<u8> = numbers.iter().map(|&number| number as u8).collect();
                let text = String::from_iter(numbers.iter().filter_map(|&number| char::from_u32(number)));
                check::<Latin1Codec>(&bytes);
                check::<Utf8Codec>(&bytes);
                check::<Utf8Codec>(text.as_bytes());
                for swap in [false, true] {
                    let sixteen =
                        |&number: &u32| if swap { (number as u16).swap_bytes() } else { number as u16 };
                    check::<Utf16Codec>(
                        &numbers.iter().map(sixteen).flat_map(u16::to_ne_bytes).collect::<Vec<u8>>(),
                    );
                    let thirty_two = |&number: &u32| if swap { number.swap_bytes() } else { number };
                    check::<Utf32Codec>(
                        &numbers.iter().map(thirty_two).flat_map(u32::to_ne_bytes).collect::<Vec<u8>>(),
                    );
                }
            }
        }
    }
}
