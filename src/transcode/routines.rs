//! The conversions: one type for each pair of forms, in the machine's byte order. Units are bytes here, at any address.

#![forbid(unsafe_code)]

use super::plain;
#[cfg(kernel_simd)]
use super::{latin1, vector, vector32};
use crate::kernel::Conversion;
#[cfg(kernel_simd)]
use crate::kernel::Validates;
use crate::output::Output;
#[cfg(kernel_simd)]
use crate::simd::convert::Units;

/// The list of conversions: a type for each, how it goes with vectors (a way for short texts, if there is one, and one for
/// all), and how it goes without.
macro_rules! conversions {
    ($(
        $(#[$meta:meta])*
        $name:ident, |$s:ident, $text:ident, $out:ident, $validator:ident|
            $(short $short:expr,)? run $run:expr, scalar $scalar:path;
    )*) => {$(
        $(#[$meta])*
        pub(super) struct $name;

        impl Conversion for $name {
            $(
                #[cfg(kernel_simd)]
                #[inline(always)]
                fn short<S: Units>(
                    $s: S,
                    $text: &[u8],
                    $out: &mut Output<'_>,
                    $validator: impl Validates,
                ) -> usize {
                    $short
                }
            )?

            #[cfg(kernel_simd)]
            #[inline(always)]
            fn run<S: Units>(
                $s: S,
                $text: &[u8],
                out: &mut Output<'_>,
                $validator: impl Validates,
            ) -> usize {
                let mut fork = out.fork();
                let $out = fork.output();
                let read = $run;
                fork.join();
                read
            }

            #[inline(always)]
            fn scalar(text: &[u8], out: &mut Output<'_>) -> usize {
                $scalar(text, out)
            }
        }
    )*};
}

conversions! {
    Utf8ToUtf16, |s, text, out, validator|
        short vector::short_utf8::<S, vector::IntoUtf16>(s, text, out, validator),
        run vector::utf8::<S, vector::IntoUtf16>(s, text, out, validator),
        scalar plain::utf8_to_utf16;
    /// The text is valid UTF-8 and ends with a whole character, or what is appended means nothing.
    ValidUtf8ToUtf16, |s, text, out, _validator|
        short vector::short_utf8::<S, vector::IntoUtf16>(s, text, out, vector::Known),
        run vector::valid_utf8::<S, vector::IntoUtf16>(s, text, out),
        // It looks at characters one by one, so it would gain nothing from knowing.
        scalar plain::utf8_to_utf16;
    Utf8ToUtf32, |s, text, out, validator|
        short vector::short_utf8::<S, vector32::IntoUtf32>(s, text, out, validator),
        run vector::utf8::<S, vector32::IntoUtf32>(s, text, out, validator),
        scalar plain::utf8_to_utf32;
    /// As for UTF-16.
    ValidUtf8ToUtf32, |s, text, out, _validator|
        short vector::short_utf8::<S, vector32::IntoUtf32>(s, text, out, vector::Known),
        run vector::valid_utf8::<S, vector32::IntoUtf32>(s, text, out),
        scalar plain::utf8_to_utf32;
    Utf8ToLatin1, |s, text, out, _validator|
        short latin1::short_utf8_to_latin1(s, text, out),
        run latin1::utf8_to_latin1(s, text, out),
        scalar plain::utf8_to_latin1;
    Utf16ToUtf8, |s, text, out, _validator|
        short vector::short_utf16_to_utf8(s, text, out),
        run vector::utf16_to_utf8(s, text, out),
        scalar plain::utf16_to_utf8;
    Utf16ToUtf16, |_s, text, out, _validator| run plain::utf16_to_utf16(text, out), scalar plain::utf16_to_utf16;
    Utf16ToUtf32, |s, text, out, _validator| run vector32::utf16_to_utf32(s, text, out), scalar plain::utf16_to_utf32;
    Utf16ToLatin1, |s, text, out, _validator| run latin1::utf16_to_latin1(s, text, out), scalar plain::utf16_to_latin1;
    Utf32ToUtf8, |s, text, out, _validator| run vector32::utf32_to_utf8(s, text, out), scalar plain::utf32_to_utf8;
    Utf32ToUtf16, |s, text, out, _validator| run vector32::utf32_to_utf16(s, text, out), scalar plain::utf32_to_utf16;
    Utf32ToUtf32, |_s, text, out, _validator| run plain::utf32_to_utf32(text, out), scalar plain::utf32_to_utf32;
    Utf32ToLatin1, |_s, text, out, _validator| run plain::utf32_to_latin1(text, out), scalar plain::utf32_to_latin1;
    Latin1ToUtf8, |s, text, out, _validator|
        short latin1::short_latin1_to_utf8(s, text, out),
        run latin1::latin1_to_utf8(s, text, out),
        scalar plain::latin1_to_utf8;
    Latin1ToUtf16, |s, text, out, _validator| run latin1::latin1_to_utf16(s, text, out), scalar plain::latin1_to_utf16;
    Latin1ToUtf32, |s, text, out, _validator| run latin1::latin1_to_utf32(s, text, out), scalar plain::latin1_to_utf32;
}
