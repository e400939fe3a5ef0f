//! The list of pairs of families: the fast conversions for each pair, and the length of the result.
//!
//! `scalar.rs` converts the pairs that are not listed. To list one, add a block to `pairs!` below.
//! If a pair is listed, but not with these byte orders, the text is converted in two steps: see
//! `swapped.rs`.
//!
//! Without the feature `all-pairs`, only the pairs of UTF-8 and another family in the native order
//! are compiled, and with `known-valid` those of `&str`. Pairs are looked up at compile time, so nothing else is.
//!
//! The bytes of a text may have any alignment.

#![forbid(unsafe_code)]

use core::marker::PhantomData;

use super::encodings::{Family, Layout};
use super::latin1::Latin1;
use super::swapped::in_order16;
use super::utf8::Utf8;
use super::utf16::Utf16;
use super::utf32::Utf32;
#[cfg(trust8_simd)]
use super::vector::{
    IntoUtf16, IntoUtf32, from_faulty_utf8, from_faulty_utf8::Replaced, from_utf8, from_utf16, from_utf32,
    latin1, utf16_order,
};
use super::{copies, lengths, portable};
use trust8::Kernel;
use trust8::engine::counts::{CountChars, Utf16Len};

use crate::conversion::{Conversion, Convert as ConvertJob, ConvertLong};
#[cfg(trust8_simd)]
use crate::conversion::{Surveying, Utf8Check};
#[cfg(trust8_simd)]
use crate::simd::ConvertOps;
use trust8::engine::Output;

/// A kernel's conversion. Converts the start of a text and returns the number of bytes converted.
pub(super) type Convert = fn(&Kernel, &[u8], &mut Output<'_>) -> usize;

/// The length of the longest vectors, in bytes.
const LONGEST_VECTOR: usize = 64;

/// How to find the length of a text in another encoding.
#[derive(Clone, Copy)]
pub(super) enum Length {
    /// The number of units stays the same.
    Unchanged,
    /// A kernel counts the units.
    Counted(fn(&Kernel, &[u8]) -> usize),
}

/// Returns the conversion between two layouts, if a single one does everything.
///
/// If the compiler knows the layouts, it knows the function. If they are values, one load finds it.
#[inline(always)]
pub(super) fn direct(from: Layout, to: Layout) -> Option<Convert> {
    const TABLE: [[Option<Convert>; Layout::COUNT]; Layout::COUNT] = {
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

/// Returns whether the pair has routines.
const fn is_compiled(from: Family, to: Family) -> bool {
    cfg!(feature = "all-pairs") || matches!(from, Family::Utf8) || matches!(to, Family::Utf8)
}

/// Like [`direct`], at compile time.
const fn find_direct(from: Layout, to: Layout) -> Option<Convert> {
    let is_native = !from.swapped && !to.swapped;
    if !cfg!(feature = "all-pairs") && !(is_native && is_compiled(from.family, to.family)) {
        return None;
    }
    match conversion_of_valid(from, to) {
        // Text that is valid by its type ends with a whole character.
        Some(of_valid) if from.known_valid && cfg!(feature = "known-valid") => Some(of_valid),
        _ => conversion(from, to),
    }
}

/// A function that runs this conversion. It has no type parameters, so it is compiled once, here,
/// and not again in each program that converts.
macro_rules! converted {
    ($conversion:ty) => {{
        /// A separate function, so that short texts need not choose between two tables.
        #[inline(never)]
        fn convert_long(kernel: &Kernel, text: &[u8], out: &mut Output<'_>) -> usize {
            kernel.run(ConvertLong::<$conversion>::JOB, text, out)
        }
        // Not `#[inline]`: each crate that converts would compile the entry points again.
        #[inline(never)]
        fn convert(kernel: &Kernel, text: &[u8], out: &mut Output<'_>) -> usize {
            if text.len() > LONGEST_VECTOR * <$conversion>::SHORT_VECTORS {
                return convert_long(kernel, text, out);
            }
            kernel.run(ConvertJob::<$conversion>::JOB, text, out)
        }
        let converted: Convert = if <$conversion>::SHORT_VECTORS == 0 { convert_long } else { convert };
        converted
    }};
}

/// A function that takes this measure.
macro_rules! counting {
    ($measure:ty) => {{
        #[inline]
        fn count(kernel: &trust8::Kernel, text: &[u8]) -> usize {
            kernel.run($crate::conversion::Measured::<$measure>::JOB, text, ())
        }
        count
    }};
}
pub(super) use counting;

// Not `#[inline]`, for the same reason.

fn utf16_len(kernel: &Kernel, text: &[u8]) -> usize {
    kernel.run(Utf16Len, text, ())
}

fn count_chars(kernel: &Kernel, text: &[u8]) -> usize {
    kernel.run(CountChars, text, ())
}

/// The conversion from one family into another. `FROM` and `TO` mean that the text and the result
/// are in the non-native byte order.
struct Pair<F, T, const FROM: bool, const TO: bool>(PhantomData<(F, T)>);

// These are the other conversions of a pair: `Pair<Valid<F>, T, ..>`.

/// Text that is known to be valid and to end with a whole character.
struct Valid<F>(PhantomData<F>);

/// Text whose faults are replaced. The conversion stops when no faults are near any more.
#[cfg(trust8_simd)]
struct Faulty<F>(PhantomData<F>);

/// A copy of native text with each fault replaced.
struct Repaired<F>(PhantomData<F>);

/// Native text, in which faults and characters that the target lacks get the same replacement.
/// UTF-8 must be valid.
struct Lossy<F>(PhantomData<F>);

/// The list. A block begins with the byte orders in which text is converted in one step: whether
/// the text is in the non-native order, and whether the result is. With vectors, a block has
/// `long`, and optionally `short(n)` for texts of at most `n` long vectors, and `fill_rest` for the
/// part of a block that fits. Without vectors, it has `portable`.
///
/// If valid text has a faster conversion, `valid` has a `short` and a `long` for it. `faulty`,
/// `lossy` and `repaired` are the conversions that replace.
macro_rules! pairs {
    (|$s:ident, $text:ident, $out:ident, $validator:ident, $from_swapped:ident, $to_swapped:ident| $(
        $from:ident => $to:ident, orders $(($f:literal, $t:literal))+ {
            $(short($most:literal): $short:expr,)?
            long: $long:expr,
            $(fill_rest: $fill_rest:expr,)?
            $(valid: { short($most_valid:literal): $short_valid:expr, long: $long_valid:expr },)?
            $(faulty: $faulty:expr,)?
            $(lossy: { long: $long_lossy:expr, portable: $portable_lossy:expr },)?
            $(repaired: $repaired:expr,)?
            portable: $portable:expr,
            length: $length:expr,
        }
    )*) => {
        $(
            impl<const $from_swapped: bool, const $to_swapped: bool> Conversion
                for Pair<$from, $to, $from_swapped, $to_swapped>
            {
                type Finisher = Self;

                vectors!(|$s, $text, $out, $validator| $(short($most): $short,)? long: $long $(, fill_rest: $fill_rest)?);

                #[inline(always)]
                fn portable($text: &[u8], $out: &mut Output<'_>) -> usize {
                    $portable
                }
            }

            $(
                impl<const $from_swapped: bool, const $to_swapped: bool> Conversion
                    for Pair<Valid<$from>, $to, $from_swapped, $to_swapped>
                {
                    type Finisher = Pair<$from, $to, $from_swapped, $to_swapped>;

                    vectors!(|$s, $text, $out, $validator| short($most_valid): $short_valid, long: $long_valid);

                    // This works character by character and would gain nothing.
                    #[inline(always)]
                    fn portable($text: &[u8], $out: &mut Output<'_>) -> usize {
                        $portable
                    }
                }
            )?

            $(
                #[cfg(trust8_simd)]
                impl<const $from_swapped: bool, const $to_swapped: bool> Conversion
                    for Pair<Faulty<$from>, $to, $from_swapped, $to_swapped>
                {
                    type Finisher = Self;

                    vectors!(|$s, $text, $out, $validator| long: $faulty);

                    /// Without vectors, a repaired copy is converted.
                    #[inline(always)]
                    fn portable(_: &[u8], _: &mut Output<'_>) -> usize {
                        0
                    }
                }
            )?

            $(
                impl Conversion for Pair<Lossy<$from>, $to, false, false> {
                    type Finisher = Self;

                    vectors!(|$s, $text, $out, $validator| long: $long_lossy);

                    #[inline(always)]
                    fn portable($text: &[u8], $out: &mut Output<'_>) -> usize {
                        $portable_lossy
                    }
                }
            )?

            $(
                impl Conversion for Pair<Repaired<$from>, $to, false, false> {
                    type Finisher = Self;

                    // The compiler vectorises the loops.
                    vectors!(|$s, $text, $out, $validator| long: $repaired);

                    #[inline(always)]
                    fn portable($text: &[u8], $out: &mut Output<'_>) -> usize {
                        $repaired
                    }
                }
            )?
        )*

        /// Returns the conversion of a pair, if it is listed with these byte orders.
        const fn conversion(from: Layout, to: Layout) -> Option<Convert> {
            match (from.family, to.family, from.swapped, to.swapped) {
                $($((Family::$from, Family::$to, $f, $t) => Some(converted!(Pair<$from, $to, $f, $t>)),)+)*
                _ => None,
            }
        }

        /// Returns the conversion of a pair for valid text that ends with a whole character, if the
        /// list has a separate one.
        const fn conversion_of_valid(from: Layout, to: Layout) -> Option<Convert> {
            $(listed!(($($most_valid)?) $(
                if let (Family::$from, Family::$to, $f, $t) = (from.family, to.family, from.swapped, to.swapped) {
                    return Some(converted!(Pair<Valid<$from>, $to, $f, $t>));
                }
            )+);)*
            None
        }

        /// Returns the conversion that replaces each fault, if there is one. The text must begin at
        /// the start of a sequence and end at the end of one. The conversion stops when no faults
        /// are near any more.
        pub(super) fn conversion_of_faulty(from: Layout, to: Layout) -> Option<Convert> {
            #[cfg(trust8_simd)]
            if cfg!(feature = "all-pairs") {
                $(listed!(($($faulty)?) $(
                    if let (Family::$from, Family::$to, $f, $t) = (from.family, to.family, from.swapped, to.swapped) {
                        return Some(converted!(Pair<Faulty<$from>, $to, $f, $t>));
                    }
                )+);)*
            }
            let _ = (from, to);
            None
        }

        /// Returns the conversion that replaces what the target lacks, if there is one. UTF-8 must
        /// be valid.
        #[inline(always)]
        pub(super) fn lossy_conversion(from: Family, to: Family) -> Option<Convert> {
            $(listed!(($($long_lossy)?)
                if (from, to) == (Family::$from, Family::$to) {
                    return const {
                        if is_compiled(Family::$from, Family::$to) {
                            Some(converted!(Pair<Lossy<$from>, $to, false, false>))
                        } else {
                            None
                        }
                    };
                }
            );)*
            None
        }

        /// Returns the function that copies native text and replaces each fault. It does not copy a
        /// high surrogate at the end of the text.
        #[inline(always)]
        pub(super) fn repair(family: Family) -> Option<Convert> {
            $(listed!(($($repaired)?)
                if family == Family::$from {
                    return Some(converted!(Pair<Repaired<$from>, $to, false, false>));
                }
            );)*
            None
        }

        /// Returns how to find the length for a pair, if it is listed.
        #[inline(always)]
        pub(super) fn length(from: Family, to: Family) -> Option<Length> {
            match (from, to) {
                $((Family::$from, Family::$to) => Some($length),)*
                _ => None,
            }
        }
    };
}

/// These statements, if a block has what is in the parentheses.
macro_rules! listed {
    (() $($statements:tt)*) => {};
    (($($present:tt)+) $($statements:tt)*) => {
        $($statements)*
    };
}

/// The methods of a [`Conversion`] with vectors.
macro_rules! vectors {
    (|$s:ident, $text:ident, $out:ident, $validator:ident| $(short($most:literal): $short:expr,)? long: $long:expr $(, fill_rest: $fill_rest:expr)?) => {
        $(
            const SHORT_VECTORS: usize = $most;

            #[cfg(trust8_simd)]
            #[inline(always)]
            fn short<S: ConvertOps>(
                $s: S,
                $text: &[u8],
                out: &mut Output<'_>,
                $validator: impl Utf8Check,
            ) -> usize {
                let _ = $validator;
                debug_assert!($text.len() <= LONGEST_VECTOR * Self::SHORT_VECTORS);
                let mut fork = out.fork();
                let $out = fork.output();
                let read = $short;
                // All of the text or nothing: output for part of it does not count.
                if read > 0 {
                    fork.join();
                }
                read
            }
        )?

        #[cfg(trust8_simd)]
        #[inline(always)]
        fn long<S: ConvertOps>(
            $s: S,
            $text: &[u8],
            out: &mut Output<'_>,
            $validator: impl Surveying,
        ) -> usize {
            let _ = ($s, $validator);
            let mut fork = out.fork();
            let $out = fork.output();
            let read = $long;
            fork.join();
            read
        }

        $(
            #[cfg(trust8_simd)]
            #[inline(always)]
            fn fill_rest<S: ConvertOps>(
                $s: S,
                $text: &[u8],
                out: &mut Output<'_>,
                $validator: impl Utf8Check,
            ) -> usize {
                let _ = $validator;
                let mut fork = out.fork();
                let $out = fork.output();
                let read = $fill_rest;
                fork.join();
                read
            }
        )?
    };
}

pairs! { |s, text, out, validator, FROM, TO|
    Utf8 => Utf16, orders (false, false) (false, true) {
        short(2): from_utf8::short::<_, IntoUtf16<TO>, _>(s, text, out, validator),
        long: from_utf8::long::<_, IntoUtf16<TO>>(s, text, out, validator),
        fill_rest: from_utf8::fill_rest::<_, IntoUtf16<TO>, _>(s, text, out, validator),
        valid: {
            short(2): from_utf8::short_valid::<_, IntoUtf16<TO>>(s, text, out),
            long: from_utf8::long_valid::<_, IntoUtf16<TO>>(s, text, out)
        },
        faulty: from_faulty_utf8::long::<_, IntoUtf16<TO>, Replaced>(s, text, out, validator),
        portable: in_order16::<FROM, TO>(text, out, portable::utf8_to_utf16),
        length: Length::Counted(utf16_len),
    }
    Utf8 => Utf32, orders (false, false) {
        short(2): from_utf8::short::<_, IntoUtf32, _>(s, text, out, validator),
        long: from_utf8::long::<_, IntoUtf32>(s, text, out, validator),
        fill_rest: from_utf8::fill_rest::<_, IntoUtf32, _>(s, text, out, validator),
        valid: {
            short(2): from_utf8::short_valid::<_, IntoUtf32>(s, text, out),
            long: from_utf8::long_valid::<_, IntoUtf32>(s, text, out)
        },
        faulty: from_faulty_utf8::long::<_, IntoUtf32, Replaced>(s, text, out, validator),
        portable: portable::utf8_to_utf32(text, out),
        length: Length::Counted(count_chars),
    }
    Utf8 => Latin1, orders (false, false) {
        short(2): latin1::short_from_utf8::<_, false>(s, text, out),
        long: latin1::from_utf8::<_, false>(s, text, out),
        fill_rest: latin1::fill_from_utf8(s, text, out),
        valid: {
            short(2): latin1::short_from_utf8::<_, true>(s, text, out),
            long: latin1::from_utf8::<_, true>(s, text, out)
        },
        lossy: {
            long: latin1::from_valid_utf8_lossy(s, text, out),
            portable: copies::characters_or_replacement::<Utf8, Latin1>(text, out)
        },
        portable: portable::utf8_to_latin1(text, out),
        length: Length::Counted(count_chars),
    }
    Utf16 => Utf8, orders (false, false) (true, false) {
        short(4): from_utf16::short_to_utf8::<_, FROM>(s, text, out),
        long: from_utf16::to_utf8::<_, FROM>(s, text, out),
        fill_rest: from_utf16::fill_with_utf8::<_, FROM>(s, text, out),
        portable: in_order16::<FROM, TO>(text, out, portable::utf16_to_utf8),
        length: Length::Counted(counting!(lengths::Utf8OfUtf16)),
    }
    Utf16 => Utf16, orders (false, false) (false, true) (true, false) (true, true) {
        long: utf16_order::copy::<_, FROM, TO>(s, text, out),
        repaired: copies::repaired_utf16(text, out),
        portable: copies::utf16_to_utf16::<FROM, TO>(text, out),
        length: Length::Unchanged,
    }
    Utf16 => Utf32, orders (false, false) (true, false) {
        long: from_utf16::to_utf32::<_, FROM>(s, text, out),
        portable: in_order16::<FROM, TO>(text, out, portable::utf16_to_utf32),
        length: Length::Counted(counting!(lengths::Utf32OfUtf16)),
    }
    Utf16 => Latin1, orders (false, false) (true, false) {
        long: latin1::from_utf16::<_, FROM>(s, text, out),
        lossy: {
            long: latin1::from_utf16_lossy(s, text, out),
            portable: copies::characters_or_replacement::<Utf16, Latin1>(text, out)
        },
        portable: in_order16::<FROM, TO>(text, out, portable::utf16_to_latin1),
        length: Length::Counted(counting!(lengths::Utf32OfUtf16)),
    }
    Utf32 => Utf8, orders (false, false) {
        short(2): from_utf32::short_to_utf8(s, text, out),
        long: from_utf32::to_utf8(s, text, out),
        fill_rest: from_utf32::fill_with_utf8(s, text, out),
        portable: portable::utf32_to_utf8(text, out),
        length: Length::Counted(counting!(lengths::Utf8OfUtf32)),
    }
    Utf32 => Utf16, orders (false, false) (false, true) {
        short(4): from_utf32::short_to_utf16::<_, TO>(s, text, out),
        long: from_utf32::to_utf16::<_, TO>(s, text, out),
        fill_rest: from_utf32::fill_with_utf16::<_, TO>(s, text, out),
        portable: in_order16::<FROM, TO>(text, out, portable::utf32_to_utf16),
        length: Length::Counted(counting!(lengths::Utf16OfUtf32)),
    }
    Utf32 => Utf32, orders (false, false) (false, true) (true, false) (true, true) {
        long: copies::utf32_to_utf32::<FROM, TO>(text, out),
        repaired: copies::repaired_utf32(text, out),
        portable: copies::utf32_to_utf32::<FROM, TO>(text, out),
        length: Length::Unchanged,
    }
    Utf32 => Latin1, orders (false, false) {
        long: from_utf32::to_latin1(s, text, out),
        lossy: {
            long: copies::utf32_to_latin1_lossy(text, out),
            portable: copies::utf32_to_latin1_lossy(text, out)
        },
        portable: portable::utf32_to_latin1(text, out),
        length: Length::Unchanged,
    }
    Latin1 => Utf8, orders (false, false) {
        short(2): latin1::short_to_utf8(s, text, out),
        long: latin1::to_utf8(s, text, out),
        fill_rest: latin1::fill_with_utf8(s, text, out),
        portable: portable::latin1_to_utf8(text, out),
        length: Length::Counted(counting!(lengths::Utf8OfLatin1)),
    }
    Latin1 => Utf16, orders (false, false) (false, true) {
        short(2): latin1::short_widened::<_, IntoUtf16<TO>>(s, text, out),
        long: latin1::to_utf16::<_, TO>(s, text, out),
        portable: in_order16::<FROM, TO>(text, out, portable::latin1_to_utf16),
        length: Length::Unchanged,
    }
    Latin1 => Utf32, orders (false, false) {
        short(2): latin1::short_widened::<_, IntoUtf32>(s, text, out),
        long: latin1::to_utf32(s, text, out),
        portable: portable::latin1_to_utf32(text, out),
        length: Length::Unchanged,
    }
    Latin1 => Latin1, orders (false, false) {
        long: portable::copy(text, out),
        portable: portable::copy(text, out),
        length: Length::Unchanged,
    }
}
