//! The list of pairs of families with a fast conversion.
//!
//! `scalar.rs` converts the pairs that are not listed. To list one, add a block to `pairs!` below.
//! If a pair is listed, but not with these byte orders, the text is converted in two steps: see
//! `swapped.rs`.
//!
//! Without the feature `all-pairs`, only the pairs of UTF-8 and another family in the native order
//! are compiled: with `known-valid` those of `&str`, with `faulty` those of bytes. Pairs are looked up at compile time, so
//! nothing else is.
//!
//! The bytes of a text may have any alignment.

#![forbid(unsafe_code)]

use core::marker::PhantomData;

use super::encodings::{Family, Layout};
use super::encodings::{latin1::Latin1Codec, utf8::Utf8Codec, utf16::Utf16Codec, utf32::Utf32Codec};
use super::portable;
#[cfg(trust8_simd)]
use super::vector::{IntoUtf16, IntoUtf32, from_utf8, from_utf16, from_utf32, latin1, utf16_order};
#[cfg(all(trust8_simd, feature = "all-pairs"))]
use super::{handlers::Faulty, vector::from_faulty_utf8::Replaced};
use trust8::Kernel;

use crate::conversion::{Conversion, Convert};
#[cfg(trust8_simd)]
use crate::simd::ConvertOps;
use trust8::engine::Output;

/// A kernel's conversion. Converts the start of a text and returns the number of bytes converted.
pub(super) type ConvertFn = fn(&Kernel, &[u8], &mut Output<'_>) -> usize;

/// A function that runs this conversion. It has no type parameters, so it is compiled once, here,
/// and not again in each program that converts.
macro_rules! converted {
    ($conversion:ty) => {{
        // Not `#[inline]`: each crate that converts would compile the entry points again.
        #[inline(never)]
        fn convert(kernel: &Kernel, text: &[u8], out: &mut Output<'_>) -> usize {
            kernel.run(Convert::<$conversion>(PhantomData), text, out)
        }
        let converted: ConvertFn = convert;
        converted
    }};
}

/// Returns the conversion between two layouts, if a single one does everything.
///
/// If the compiler knows the layouts, it knows the function. If they are values, one load finds it.
#[inline(always)]
pub(super) fn direct(from: Layout, to: Layout) -> Option<ConvertFn> {
    const TABLE: [[Option<ConvertFn>; Layout::COUNT]; Layout::COUNT] = {
        let mut table = [[None; Layout::COUNT]; Layout::COUNT];
        let mut from = 0;
        while from < Layout::COUNT {
            let mut to = 0;
            while to < Layout::COUNT {
                table[from][to] = find_direct(Layout::numbered(from), Layout::numbered(to));
                to += 1;
            }
            from += 1;
        }
        table
    };
    TABLE[from.number()][to.number()]
}

/// Like [`direct`], at compile time.
const fn find_direct(from: Layout, to: Layout) -> Option<ConvertFn> {
    let is_native = !from.swapped && !to.swapped;
    let from_utf8 = matches!(from.family, Family::Utf8) && (from.known_valid || cfg!(feature = "faulty"));
    let with_utf8 = from_utf8 || matches!(to.family, Family::Utf8);
    if !(cfg!(feature = "all-pairs") || is_native && with_utf8) {
        return None;
    }
    conversion(from, to, from.known_valid && cfg!(feature = "known-valid"))
}

/// Returns the conversion of UTF-8 that replaces each fault, if there is one. The text must begin
/// at the start of a sequence and end at the end of one. The conversion stops when no faults are
/// near any more.
pub(super) fn conversion_of_faulty(to: Family) -> Option<ConvertFn> {
    match to {
        #[cfg(all(trust8_simd, feature = "all-pairs"))]
        Family::Utf16 => Some(converted!(Faulty<IntoUtf16<false>, Replaced>)),
        #[cfg(all(trust8_simd, feature = "all-pairs"))]
        Family::Utf32 => Some(converted!(Faulty<IntoUtf32, Replaced>)),
        _ => None,
    }
}

/// The conversion from one family into another. `FROM` and `TO` mean that the text and the result
/// are in the non-native byte order, and `VALID` that the text is known to be valid and ends with a
/// whole character.
struct Pair<F, T, const FROM: bool, const TO: bool, const VALID: bool>(PhantomData<(F, T)>);

/// The list. A block begins with the byte orders in which text is converted in one step: whether
/// the text is in the non-native order, and whether the result is. `valid` lists those in which text
/// that is valid by its type, and so ends with a whole character, has another conversion.
/// With vectors, a block has `long`, and optionally `short(n)` for texts of at most `n` long vectors.
macro_rules! pairs {
    (|$s:ident, $text:ident, $out:ident, $from_swapped:ident, $to_swapped:ident, $valid:ident| $(
        $from:ident => $to:ident, orders $(($f:literal, $t:literal))+ $(, valid $(($vf:literal, $vt:literal))+)? {
            $(short($most:literal): $short:expr,)?
            long: $long:expr,
        }
    )*) => {
        $(
            impl<const $from_swapped: bool, const $to_swapped: bool, const $valid: bool> Conversion
                for Pair<$from, $to, $from_swapped, $to_swapped, $valid>
            {
                $(
                    #[cfg(trust8_simd)]
                    const SHORT_VECTORS: usize = $most;

                    #[cfg(trust8_simd)]
                    #[inline(always)]
                    fn short<S: ConvertOps>($s: S, $text: &[u8], $out: &mut Output<'_>) -> bool {
                        $short
                    }
                )?

                #[cfg(trust8_simd)]
                #[inline(always)]
                fn long<S: ConvertOps>($s: S, $text: &[u8], $out: &mut Output<'_>) -> usize {
                    let _ = $s;
                    $long
                }

                #[inline(always)]
                fn portable(text: &[u8], out: &mut Output<'_>) -> usize {
                    portable::convert::<$from, $to, $from_swapped, $to_swapped>(text, out)
                }
            }
        )*

        /// Returns the conversion of a pair, if it is listed with these byte orders.
        const fn conversion(from: Layout, to: Layout, is_valid: bool) -> Option<ConvertFn> {
            match (from.family, to.family, from.swapped, to.swapped) {
                $(
                    $($(
                        ($from::FAMILY, $to::FAMILY, $vf, $vt) if is_valid => {
                            Some(converted!(Pair<$from, $to, $vf, $vt, true>))
                        }
                    )+)?
                    $(($from::FAMILY, $to::FAMILY, $f, $t) => Some(converted!(Pair<$from, $to, $f, $t, false>)),)+
                )*
                _ => None,
            }
        }
    };
}

pairs! { |s, text, out, FROM, TO, VALID|
    Utf8Codec => Utf16Codec, orders (false, false) (false, true), valid (false, false) (false, true) {
        short(2): from_utf8::short::<_, IntoUtf16<TO>, VALID>(s, text, out),
        long: from_utf8::long::<_, IntoUtf16<TO>, VALID>(s, text, out),
    }
    Utf8Codec => Utf32Codec, orders (false, false), valid (false, false) {
        short(2): from_utf8::short::<_, IntoUtf32, VALID>(s, text, out),
        long: from_utf8::long::<_, IntoUtf32, VALID>(s, text, out),
    }
    Utf8Codec => Latin1Codec, orders (false, false), valid (false, false) {
        short(2): latin1::short_from_utf8::<_, VALID>(s, text, out),
        long: latin1::from_utf8::<_, VALID>(s, text, out),
    }
    Utf16Codec => Utf8Codec, orders (false, false) (true, false) {
        short(4): from_utf16::short_to_utf8::<_, FROM>(s, text, out),
        long: from_utf16::to_utf8::<_, FROM>(s, text, out),
    }
    Utf16Codec => Utf16Codec, orders (false, false) (false, true) (true, false) (true, true) {
        long: utf16_order::copy::<_, FROM, TO>(s, text, out),
    }
    Utf16Codec => Utf32Codec, orders (false, false) (true, false) {
        long: from_utf16::to_utf32::<_, FROM>(s, text, out),
    }
    Utf16Codec => Latin1Codec, orders (false, false) (true, false) {
        long: latin1::narrowed::<_, 2, FROM>(s, text, out),
    }
    Utf32Codec => Utf8Codec, orders (false, false) {
        short(2): from_utf32::short_to_utf8(s, text, out),
        long: from_utf32::to_utf8(s, text, out),
    }
    Utf32Codec => Utf16Codec, orders (false, false) (false, true) {
        long: from_utf32::to_utf16::<_, TO>(s, text, out),
    }
    Utf32Codec => Utf32Codec, orders (false, false) (false, true) (true, false) (true, true) {
        long: portable::convert::<Utf32Codec, Utf32Codec, FROM, TO>(text, out),
    }
    Utf32Codec => Latin1Codec, orders (false, false) {
        long: latin1::narrowed::<_, 4, FROM>(s, text, out),
    }
    Latin1Codec => Utf8Codec, orders (false, false) {
        short(2): latin1::short_to_utf8(s, text, out),
        long: latin1::to_utf8(s, text, out),
    }
    Latin1Codec => Utf16Codec, orders (false, false) (false, true) {
        short(2): latin1::short_widened::<_, IntoUtf16<TO>>(s, text, out),
        long: latin1::widened::<_, IntoUtf16<TO>>(s, text, out),
    }
    Latin1Codec => Utf32Codec, orders (false, false) {
        short(2): latin1::short_widened::<_, IntoUtf32>(s, text, out),
        long: latin1::widened::<_, IntoUtf32>(s, text, out),
    }
    Latin1Codec => Latin1Codec, orders (false, false) {
        long: portable::convert::<Latin1Codec, Latin1Codec, FROM, TO>(text, out),
    }
}
