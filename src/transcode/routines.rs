//! The conversions that exist once for each instruction set; all others are made of them.
//!
//! UTF-16 in the machine's byte order stands in the middle: every form can be converted into it and out of
//! it. Units are bytes here, at any address.

#![forbid(unsafe_code)]

use super::output::Output;
use super::plain::{self, Length};

/// Converts the beginning of a text and returns how much of it, in bytes.
///
/// It converts whole characters and appends nothing else. It may stop where it likes, but not far before
/// the first malformed sequence, the end of the text, or the character that does not fit any more.
///
/// # Safety
///
/// - The CPU must have the instruction set that the function was compiled for.
pub(crate) type Convert = unsafe fn(&[u8], &mut Output<'_>) -> usize;

/// What a kernel can convert.
pub(crate) struct Routines {
    /// ASCII alone; stops at anything else.
    pub(crate) ascii_to_utf16: Convert,
    /// The text is valid UTF-8, or what is appended means nothing.
    pub(crate) utf8_to_utf16: Convert,
    pub(crate) utf16_to_utf8: Convert,
    pub(crate) utf16_to_utf16: Convert,
    pub(crate) utf16_to_utf32: Convert,
    pub(crate) utf16_to_latin1: Convert,
    pub(crate) utf32_to_utf16: Convert,
    pub(crate) utf32_to_utf32: Convert,
    pub(crate) latin1_to_utf16: Convert,
    /// Units with their bytes the other way round: how many bytes in a unit, and the units.
    ///
    /// As `Convert`, this may be called only where the CPU has the instruction set.
    pub(crate) swap: unsafe fn(usize, &mut [u8]),
    /// How long a text would be.
    ///
    /// As `Convert`, this may be called only where the CPU has the instruction set.
    pub(crate) length: unsafe fn(Length, &[u8]) -> usize,
}

/// Those of the scalar kernel.
pub(crate) static SCALAR: Routines = Routines {
    ascii_to_utf16: plain::ascii_to_utf16,
    utf8_to_utf16: plain::utf8_to_utf16,
    utf16_to_utf8: plain::utf16_to_utf8,
    utf16_to_utf16: plain::utf16_to_utf16,
    utf16_to_utf32: plain::utf16_to_utf32,
    utf16_to_latin1: plain::utf16_to_latin1,
    utf32_to_utf16: plain::utf32_to_utf16,
    utf32_to_utf32: plain::utf32_to_utf32,
    latin1_to_utf16: plain::latin1_to_utf16,
    swap: plain::swap,
    length: plain::length,
};
