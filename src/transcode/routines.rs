//! The conversions that exist once for each instruction set: of each form into each other one, in the machine's byte
//! order. Units are bytes here, at any address.

#![forbid(unsafe_code)]

use super::output::Output;
use super::plain::{self, Length};
#[cfg(kernel_simd)]
use super::{latin1, vector, vector32};
#[cfg(kernel_simd)]
use crate::simd::units::Units;
#[cfg(kernel_simd)]
use crate::verdict::Verdict;

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
    pub(crate) utf8_to_utf16: Convert,
    /// The text is valid UTF-8 and ends with a whole character, or what is appended means nothing.
    pub(crate) valid_utf8_to_utf16: Convert,
    pub(crate) utf8_to_utf32: Convert,
    /// As for UTF-16.
    pub(crate) valid_utf8_to_utf32: Convert,
    pub(crate) utf8_to_latin1: Convert,
    pub(crate) utf16_to_utf8: Convert,
    pub(crate) utf16_to_utf16: Convert,
    pub(crate) utf16_to_utf32: Convert,
    pub(crate) utf16_to_latin1: Convert,
    pub(crate) utf32_to_utf8: Convert,
    pub(crate) utf32_to_utf16: Convert,
    pub(crate) utf32_to_utf32: Convert,
    pub(crate) utf32_to_latin1: Convert,
    pub(crate) latin1_to_utf8: Convert,
    pub(crate) latin1_to_utf16: Convert,
    pub(crate) latin1_to_utf32: Convert,
    /// Units with their bytes the other way round: how many bytes in a unit, and the units.
    ///
    /// As `Convert`, this may be called only where the CPU has the instruction set.
    pub(crate) swap: unsafe fn(usize, &mut [u8]),
    /// How long a text would be.
    ///
    /// As `Convert`, this may be called only where the CPU has the instruction set.
    pub(crate) length: unsafe fn(Length, &[u8]) -> usize,
}

/// A conversion that is compiled for each instruction set with vectors.
#[cfg(kernel_simd)]
pub(crate) trait Routine {
    /// A way for short texts, if there is one: converts all, or nothing.
    #[inline(always)]
    fn short<S: Units>(
        _: S,
        _text: &[u8],
        _: &mut Output<'_>,
        _validate: impl Fn(&[u8]) -> Verdict,
    ) -> usize {
        0
    }

    /// `validate` is the kernel's.
    fn run<S: Units>(s: S, text: &[u8], out: &mut Output<'_>, validate: impl Fn(&[u8]) -> Verdict) -> usize;
}

/// Types for the routines, of the same names in capitals: a way for short texts, if there is one, and one for all.
#[cfg(kernel_simd)]
macro_rules! types {
    ($($name:ident, |$s:ident, $text:ident, $out:ident, $validate:ident| $(short $short:expr,)? run $run:expr;)*) => {$(
        pub(crate) struct $name;
        impl Routine for $name {
            $(
                #[inline(always)]
                fn short<S: Units>(
                    $s: S,
                    $text: &[u8],
                    $out: &mut Output<'_>,
                    $validate: impl Fn(&[u8]) -> Verdict,
                ) -> usize {
                    $short
                }
            )?

            #[inline(always)]
            fn run<S: Units>(
                $s: S,
                $text: &[u8],
                out: &mut Output<'_>,
                $validate: impl Fn(&[u8]) -> Verdict,
            ) -> usize {
                let mut fork = out.fork();
                let $out = fork.output();
                let read = $run;
                fork.join();
                read
            }
        }
    )*};
}

#[cfg(kernel_simd)]
types! {
    Utf8ToUtf16, |s, text, out, validate|
        short vector::short_utf8::<S, vector::IntoUtf16>(s, text, out, validate),
        run vector::utf8::<S, vector::IntoUtf16>(s, text, out, validate);
    ValidUtf8ToUtf16, |s, text, out, _validate|
        short vector::short_utf8::<S, vector::IntoUtf16>(s, text, out, |_| Verdict::VALID),
        run vector::valid_utf8::<S, vector::IntoUtf16>(s, text, out);
    Utf8ToUtf32, |s, text, out, validate|
        short vector::short_utf8::<S, vector32::IntoUtf32>(s, text, out, validate),
        run vector::utf8::<S, vector32::IntoUtf32>(s, text, out, validate);
    ValidUtf8ToUtf32, |s, text, out, _validate|
        short vector::short_utf8::<S, vector32::IntoUtf32>(s, text, out, |_| Verdict::VALID),
        run vector::valid_utf8::<S, vector32::IntoUtf32>(s, text, out);
    Utf8ToLatin1, |s, text, out, _validate|
        short latin1::short_utf8_to_latin1(s, text, out),
        run latin1::utf8_to_latin1(s, text, out);
    Utf16ToUtf8, |s, text, out, _validate|
        short vector::short_utf16_to_utf8(s, text, out),
        run vector::utf16_to_utf8(s, text, out);
    Utf16ToUtf16, |_s, text, out, _validate| run plain::utf16_to_utf16(text, out);
    Utf16ToUtf32, |s, text, out, _validate| run vector32::utf16_to_utf32(s, text, out);
    Utf16ToLatin1, |s, text, out, _validate| run latin1::utf16_to_latin1(s, text, out);
    Utf32ToUtf8, |s, text, out, _validate| run vector32::utf32_to_utf8(s, text, out);
    Utf32ToUtf16, |s, text, out, _validate| run vector32::utf32_to_utf16(s, text, out);
    Utf32ToUtf32, |_s, text, out, _validate| run plain::utf32_to_utf32(text, out);
    Utf32ToLatin1, |_s, text, out, _validate| run plain::utf32_to_latin1(text, out);
    Latin1ToUtf8, |s, text, out, _validate|
        short latin1::short_latin1_to_utf8(s, text, out),
        run latin1::latin1_to_utf8(s, text, out);
    Latin1ToUtf16, |s, text, out, _validate| run latin1::latin1_to_utf16(s, text, out);
    Latin1ToUtf32, |s, text, out, _validate| run latin1::latin1_to_utf32(s, text, out);
}

/// The table of an instruction set, from the functions that are compiled for it.
#[cfg(kernel_simd)]
macro_rules! routines {
    ($convert:ident, $swap:path, $length:path) => {{
        use $crate::transcode::routines as r;
        r::Routines {
            utf8_to_utf16: $convert::<r::Utf8ToUtf16>,
            valid_utf8_to_utf16: $convert::<r::ValidUtf8ToUtf16>,
            utf8_to_utf32: $convert::<r::Utf8ToUtf32>,
            valid_utf8_to_utf32: $convert::<r::ValidUtf8ToUtf32>,
            utf8_to_latin1: $convert::<r::Utf8ToLatin1>,
            utf16_to_utf8: $convert::<r::Utf16ToUtf8>,
            utf16_to_utf16: $convert::<r::Utf16ToUtf16>,
            utf16_to_utf32: $convert::<r::Utf16ToUtf32>,
            utf16_to_latin1: $convert::<r::Utf16ToLatin1>,
            utf32_to_utf8: $convert::<r::Utf32ToUtf8>,
            utf32_to_utf16: $convert::<r::Utf32ToUtf16>,
            utf32_to_utf32: $convert::<r::Utf32ToUtf32>,
            utf32_to_latin1: $convert::<r::Utf32ToLatin1>,
            latin1_to_utf8: $convert::<r::Latin1ToUtf8>,
            latin1_to_utf16: $convert::<r::Latin1ToUtf16>,
            latin1_to_utf32: $convert::<r::Latin1ToUtf32>,
            swap: $swap,
            length: $length,
        }
    }};
}
#[cfg(kernel_simd)]
pub(crate) use routines;

/// Those of the scalar kernel.
pub(crate) static SCALAR: Routines = Routines {
    utf8_to_utf16: plain::utf8_to_utf16,
    // It looks at characters one by one, so it would gain nothing from knowing.
    valid_utf8_to_utf16: plain::utf8_to_utf16,
    utf8_to_utf32: plain::utf8_to_utf32,
    valid_utf8_to_utf32: plain::utf8_to_utf32,
    utf8_to_latin1: plain::utf8_to_latin1,
    utf16_to_utf8: plain::utf16_to_utf8,
    utf16_to_utf16: plain::utf16_to_utf16,
    utf16_to_utf32: plain::utf16_to_utf32,
    utf16_to_latin1: plain::utf16_to_latin1,
    utf32_to_utf8: plain::utf32_to_utf8,
    utf32_to_utf16: plain::utf32_to_utf16,
    utf32_to_utf32: plain::utf32_to_utf32,
    utf32_to_latin1: plain::utf32_to_latin1,
    latin1_to_utf8: plain::latin1_to_utf8,
    latin1_to_utf16: plain::latin1_to_utf16,
    latin1_to_utf32: plain::latin1_to_utf32,
    swap: plain::swap,
    length: plain::length,
};
