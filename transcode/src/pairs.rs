//! The list of pairs of families: the fast conversion for each pair, and the length of its result.
//!
//! `scalar.rs` converts the pairs that are not listed. To list one, add a block to `pairs!` below.
//!
//! Without the feature `all-pairs`, only the pairs of UTF-8 and another family are compiled. The
//! foreign byte order takes two steps, and `&str` is converted like bytes. Pairs are looked up at
//! compile time, so nothing else is compiled.
//!
//! The conversions in `pairs!` are between texts in the machine's byte order. The bytes of a text
//! may have any alignment.

#![forbid(unsafe_code)]

use core::marker::PhantomData;

use super::encodings::{Family, Layout};
use super::latin1::Latin1;
use super::swapped::{from_swapped16, to_swapped16};
use super::utf8::Utf8;
use super::utf16::Utf16;
use super::utf32::Utf32;
#[cfg(trust8_simd)]
use super::vector::{
    IntoUtf16, IntoUtf32, from_faulty_utf8, from_utf8, from_utf16, from_utf32, latin1, utf16_order,
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
    if !cfg!(feature = "all-pairs") {
        let is_native = !from.swapped && !to.swapped;
        let is_compiled = is_native && is_compiled(from.family, to.family);
        return if is_compiled { conversion(from.family, to.family) } else { None };
    }
    if from.swapped || to.swapped {
        return match reordering(from, to) {
            None => conversion_of_swapped(from, to),
            reordering => reordering,
        };
    }
    match conversion_of_valid(from.family, to.family) {
        // Text that is valid by its type ends with a whole character.
        Some(of_valid) if from.known_valid => Some(of_valid),
        _ => conversion(from.family, to.family),
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

/// The conversion from one family into another.
struct Pair<F, T>(PhantomData<(F, T)>);

/// Text that is known to be valid and to end with a whole character.
struct Valid<F>(PhantomData<F>);

/// The list. With vectors, a block has `long`, and optionally `short(n)` for texts of at most `n`
/// long vectors. Without vectors, it has `portable`. If valid text has a faster conversion, `valid`
/// has a `short` and a `long` for it.
macro_rules! pairs {
    (|$s:ident, $text:ident, $out:ident, $validator:ident| $(
        $from:ident => $to:ident {
            $(short($most:literal): $short:expr,)?
            long: $long:expr,
            $(part: $part:expr,)?
            $(valid: { short($most_valid:literal): $short_valid:expr, long: $long_valid:expr },)?
            portable: $portable:expr,
            length: $length:expr,
        }
    )*) => {
        $(
            impl Conversion for Pair<$from, $to> {
                type Part = Self;

                vectors!(|$s, $text, $out, $validator| $(short($most): $short,)? long: $long $(, part: $part)?);

                #[inline(always)]
                fn portable(text: &[u8], out: &mut Output<'_>) -> usize {
                    $portable(text, out)
                }
            }

            $(
                impl Conversion for Pair<Valid<$from>, $to> {
                    type Part = Pair<$from, $to>;

                    vectors!(|$s, $text, $out, $validator| short($most_valid): $short_valid, long: $long_valid);

                    // This works character by character and would gain nothing.
                    #[inline(always)]
                    fn portable(text: &[u8], out: &mut Output<'_>) -> usize {
                        $portable(text, out)
                    }
                }
            )?
        )*

        /// Returns the conversion of a pair, if it is listed.
        const fn conversion(from: Family, to: Family) -> Option<Convert> {
            match (from, to) {
                $((Family::$from, Family::$to) => Some(converted!(Pair<$from, $to>)),)*
                _ => None,
            }
        }

        /// Returns the conversion of a pair for valid text that ends with a whole character, if the
        /// list has a separate one.
        const fn conversion_of_valid(from: Family, to: Family) -> Option<Convert> {
            $($(
                // Only its presence matters.
                let _ = stringify!($long_valid);
                if let (Family::$from, Family::$to) = (from, to) {
                    return Some(converted!(Pair<Valid<$from>, $to>));
                }
            )?)*
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

/// From one byte order of a family into another, or from the non-native order into itself.
struct Reordered<F, const FROM: bool, const TO: bool>(PhantomData<F>);

/// The list of families with two byte orders, and the conversion between them.
macro_rules! reordered {
    (|$s:ident, $text:ident, $out:ident, $validator:ident| $(
        $family:ident<$from:ident, $to:ident> { long: $long:expr, portable: $portable:expr }
    )*) => {
        $(
            impl<const $from: bool, const $to: bool> Conversion for Reordered<$family, $from, $to> {
                type Part = Self;

                vectors!(|$s, $text, $out, $validator| long: $long);

                #[inline(always)]
                fn portable(text: &[u8], out: &mut Output<'_>) -> usize {
                    $portable(text, out)
                }
            }
        )*

        /// Returns the conversion between the byte orders of a family, unless both are native.
        const fn reordering(from: Layout, to: Layout) -> Option<Convert> {
            match (from.family, to.family, from.swapped, to.swapped) {
                $(
                    (Family::$family, Family::$family, false, true) => {
                        Some(converted!(Reordered<$family, false, true>))
                    }
                    (Family::$family, Family::$family, true, false) => {
                        Some(converted!(Reordered<$family, true, false>))
                    }
                    (Family::$family, Family::$family, true, true) => {
                        Some(converted!(Reordered<$family, true, true>))
                    }
                )*
                _ => None,
            }
        }
    };
}

/// Text in the non-native byte order.
struct Swapped<F>(PhantomData<F>);

/// The list of conversions from or into the non-native order. The pairs that it lacks take two
/// steps.
macro_rules! swapped {
    (|$s:ident, $text:ident, $out:ident, $validator:ident| $(
        $from:ty => $to:ty, $pattern:pat => {
            $(short($most:literal): $short:expr,)?
            long: $long:expr,
            $(part: $part:expr,)?
            part_of: $part_of:ty,
            portable: $portable:expr,
        }
    )*) => {
        $(
            impl Conversion for Pair<$from, $to> {
                type Part = $part_of;

                vectors!(|$s, $text, $out, $validator| $(short($most): $short,)? long: $long $(, part: $part)?);

                #[inline(always)]
                fn portable($text: &[u8], $out: &mut Output<'_>) -> usize {
                    $portable
                }
            }
        )*

        /// Returns the conversion from or into the non-native order, if it is listed. A text that
        /// is known to be valid ends with a whole character.
        const fn conversion_of_swapped(from: Layout, to: Layout) -> Option<Convert> {
            if from.swapped == to.swapped {
                return None;
            }
            match (from.family, to.family, from.swapped, from.known_valid) {
                $($pattern => Some(converted!(Pair<$from, $to>)),)*
                _ => None,
            }
        }
    };
}

/// A copy of a text with each fault replaced.
struct Repaired<F>(PhantomData<F>);

/// A conversion that replaces what the target lacks. Its input is well-formed text, or any text if
/// faults get the same replacement.
struct Lossy<F, T>(PhantomData<(F, T)>);

/// The list of conversions that replace. `repaired` has loops that the compiler vectorises.
macro_rules! lossy {
    (|$s:ident, $text:ident, $out:ident, $validator:ident|
        copies { $($family:ident: $repaired:path;)* }
        $($from:ident => $to:ident { long: $long:expr, portable: $portable:expr })*
    ) => {
        $(
            impl Conversion for Repaired<$family> {
                type Part = Self;

                vectors!(|$s, $text, $out, $validator| long: $repaired($text, $out));

                #[inline(always)]
                fn portable(text: &[u8], out: &mut Output<'_>) -> usize {
                    $repaired(text, out)
                }
            }
        )*

        $(
            impl Conversion for Lossy<$from, $to> {
                type Part = Self;

                vectors!(|$s, $text, $out, $validator| long: $long);

                #[inline(always)]
                fn portable(text: &[u8], out: &mut Output<'_>) -> usize {
                    $portable(text, out)
                }
            }
        )*

        /// Returns the function that copies native text and replaces each fault. It does not copy a
        /// high surrogate at the end of the text.
        #[inline(always)]
        pub(super) fn repair(family: Family) -> Option<Convert> {
            match family {
                $(Family::$family => Some(converted!(Repaired<$family>)),)*
                _ => None,
            }
        }

        /// Returns the conversion that replaces what the target lacks, if there is one. UTF-8 must
        /// be valid.
        #[inline(always)]
        pub(super) fn lossy_conversion(from: Family, to: Family) -> Option<Convert> {
            match (from, to) {
                $((Family::$from, Family::$to) => const {
                    if is_compiled(Family::$from, Family::$to) {
                        Some(converted!(Lossy<$from, $to>))
                    } else {
                        None
                    }
                })*
                _ => None,
            }
        }
    };
}

/// The methods of a [`Conversion`] with vectors.
macro_rules! vectors {
    (|$s:ident, $text:ident, $out:ident, $validator:ident| $(short($most:literal): $short:expr,)? long: $long:expr $(, part: $part:expr)?) => {
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
            fn part<S: ConvertOps>(
                $s: S,
                $text: &[u8],
                out: &mut Output<'_>,
                $validator: impl Utf8Check,
            ) -> usize {
                let _ = $validator;
                let mut fork = out.fork();
                let $out = fork.output();
                let read = $part;
                fork.join();
                read
            }
        )?
    };
}

/// UTF-8 whose faults are replaced.
#[cfg(trust8_simd)]
struct Faulty<T>(PhantomData<T>);

#[cfg(trust8_simd)]
impl<T: from_utf8::Wide> Conversion for Faulty<T> {
    type Part = Self;

    vectors!(|s, text, out, surveys| long: from_faulty_utf8::long::<_, T>(s, text, out, surveys));

    /// Without vectors, a repaired copy is converted.
    #[inline(always)]
    fn portable(_: &[u8], _: &mut Output<'_>) -> usize {
        0
    }
}

/// Returns the conversion of UTF-8 that replaces each fault, if there is one into this layout. The
/// text must begin at the start of a sequence and end at the end of one. The conversion stops when
/// no faults are near any more.
pub(super) fn conversion_of_faulty_utf8(to: Layout) -> Option<Convert> {
    match (to.family, to.swapped) {
        _ if !cfg!(feature = "all-pairs") => None,
        #[cfg(trust8_simd)]
        (Family::Utf16, false) => Some(converted!(Faulty<IntoUtf16<false>>)),
        #[cfg(trust8_simd)]
        (Family::Utf16, true) => Some(converted!(Faulty<IntoUtf16<true>>)),
        #[cfg(trust8_simd)]
        (Family::Utf32, false) => Some(converted!(Faulty<IntoUtf32>)),
        _ => None,
    }
}

reordered! { |s, text, out, validator|
    Utf16<FROM, TO> {
        long: utf16_order::copy::<_, FROM, TO>(s, text, out),
        portable: copies::utf16_to_utf16::<FROM, TO>
    }
    Utf32<FROM, TO> {
        long: copies::utf32_to_utf32::<FROM, TO>(text, out),
        portable: copies::utf32_to_utf32::<FROM, TO>
    }
}

swapped! { |s, text, out, validator|
    Utf8 => Swapped<Utf16>, (Family::Utf8, Family::Utf16, false, false) => {
        short(2): from_utf8::short::<_, IntoUtf16<true>, _>(s, text, out, validator),
        long: from_utf8::long::<_, IntoUtf16<true>>(s, text, out, validator),
        part: from_utf8::part::<_, IntoUtf16<true>, _>(s, text, out, validator),
        part_of: Pair<Utf8, Swapped<Utf16>>,
        portable: to_swapped16(text, out, portable::utf8_to_utf16),
    }
    Valid<Utf8> => Swapped<Utf16>, (Family::Utf8, Family::Utf16, false, true) => {
        short(2): from_utf8::short_valid::<_, IntoUtf16<true>>(s, text, out),
        long: from_utf8::long_valid::<_, IntoUtf16<true>>(s, text, out),
        part_of: Pair<Utf8, Swapped<Utf16>>,
        portable: to_swapped16(text, out, portable::utf8_to_utf16),
    }
    Utf32 => Swapped<Utf16>, (Family::Utf32, Family::Utf16, false, _) => {
        short(4): from_utf32::short_to_utf16::<_, true>(s, text, out),
        long: from_utf32::to_utf16::<_, true>(s, text, out),
        part: from_utf32::part_to_utf16::<_, true>(s, text, out),
        part_of: Pair<Utf32, Swapped<Utf16>>,
        portable: to_swapped16(text, out, portable::utf32_to_utf16),
    }
    Latin1 => Swapped<Utf16>, (Family::Latin1, Family::Utf16, _, _) => {
        short(2): latin1::short_widened::<_, IntoUtf16<true>>(s, text, out),
        long: latin1::to_utf16::<_, true>(s, text, out),
        part_of: Pair<Latin1, Swapped<Utf16>>,
        portable: to_swapped16(text, out, portable::latin1_to_utf16),
    }
    Swapped<Utf16> => Utf8, (Family::Utf16, Family::Utf8, true, _) => {
        short(4): from_utf16::short_to_utf8::<_, true>(s, text, out),
        long: from_utf16::to_utf8::<_, true>(s, text, out),
        part: from_utf16::part_to_utf8::<_, true>(s, text, out),
        part_of: Pair<Swapped<Utf16>, Utf8>,
        portable: from_swapped16(text, out, portable::utf16_to_utf8),
    }
    Swapped<Utf16> => Utf32, (Family::Utf16, Family::Utf32, true, _) => {
        long: from_utf16::to_utf32::<_, true>(s, text, out),
        part_of: Pair<Swapped<Utf16>, Utf32>,
        portable: from_swapped16(text, out, portable::utf16_to_utf32),
    }
    Swapped<Utf16> => Latin1, (Family::Utf16, Family::Latin1, true, _) => {
        long: latin1::from_utf16::<_, true>(s, text, out),
        part_of: Pair<Swapped<Utf16>, Latin1>,
        portable: from_swapped16(text, out, portable::utf16_to_latin1),
    }
}

lossy! { |s, text, out, validator|
    copies {
        Utf16: copies::repaired_utf16;
        Utf32: copies::repaired_utf32;
    }

    Utf8 => Latin1 {
        long: latin1::from_valid_utf8_lossy(s, text, out),
        portable: copies::characters_or_replacement::<Utf8, Latin1>
    }
    Utf16 => Latin1 {
        long: latin1::from_utf16_lossy(s, text, out),
        portable: copies::characters_or_replacement::<Utf16, Latin1>
    }
    Utf32 => Latin1 {
        long: copies::utf32_to_latin1_lossy(text, out),
        portable: copies::utf32_to_latin1_lossy
    }
}

pairs! { |s, text, out, validator|
    Utf8 => Utf16 {
        short(2): from_utf8::short::<_, IntoUtf16<false>, _>(s, text, out, validator),
        long: from_utf8::long::<_, IntoUtf16<false>>(s, text, out, validator),
        part: from_utf8::part::<_, IntoUtf16<false>, _>(s, text, out, validator),
        valid: {
            short(2): from_utf8::short_valid::<_, IntoUtf16<false>>(s, text, out),
            long: from_utf8::long_valid::<_, IntoUtf16<false>>(s, text, out)
        },
        portable: portable::utf8_to_utf16,
        length: Length::Counted(utf16_len),
    }
    Utf8 => Utf32 {
        short(2): from_utf8::short::<_, IntoUtf32, _>(s, text, out, validator),
        long: from_utf8::long::<_, IntoUtf32>(s, text, out, validator),
        part: from_utf8::part::<_, IntoUtf32, _>(s, text, out, validator),
        valid: {
            short(2): from_utf8::short_valid::<_, IntoUtf32>(s, text, out),
            long: from_utf8::long_valid::<_, IntoUtf32>(s, text, out)
        },
        portable: portable::utf8_to_utf32,
        length: Length::Counted(count_chars),
    }
    Utf8 => Latin1 {
        short(2): latin1::short_from_utf8::<_, false>(s, text, out),
        long: latin1::from_utf8::<_, false>(s, text, out),
        part: latin1::part_from_utf8(s, text, out),
        valid: {
            short(2): latin1::short_from_utf8::<_, true>(s, text, out),
            long: latin1::from_utf8::<_, true>(s, text, out)
        },
        portable: portable::utf8_to_latin1,
        length: Length::Counted(count_chars),
    }
    Utf16 => Utf8 {
        short(4): from_utf16::short_to_utf8::<_, false>(s, text, out),
        long: from_utf16::to_utf8::<_, false>(s, text, out),
        part: from_utf16::part_to_utf8::<_, false>(s, text, out),
        portable: portable::utf16_to_utf8,
        length: Length::Counted(counting!(lengths::Utf8OfUtf16)),
    }
    Utf16 => Utf16 {
        long: utf16_order::copy::<_, false, false>(s, text, out),
        portable: copies::utf16_to_utf16::<false, false>,
        length: Length::Unchanged,
    }
    Utf16 => Utf32 {
        long: from_utf16::to_utf32::<_, false>(s, text, out),
        portable: portable::utf16_to_utf32,
        length: Length::Counted(counting!(lengths::Utf32OfUtf16)),
    }
    Utf16 => Latin1 {
        long: latin1::from_utf16::<_, false>(s, text, out),
        portable: portable::utf16_to_latin1,
        length: Length::Counted(counting!(lengths::Utf32OfUtf16)),
    }
    Utf32 => Utf8 {
        short(2): from_utf32::short_to_utf8(s, text, out),
        long: from_utf32::to_utf8(s, text, out),
        part: from_utf32::part_to_utf8(s, text, out),
        portable: portable::utf32_to_utf8,
        length: Length::Counted(counting!(lengths::Utf8OfUtf32)),
    }
    Utf32 => Utf16 {
        short(4): from_utf32::short_to_utf16::<_, false>(s, text, out),
        long: from_utf32::to_utf16::<_, false>(s, text, out),
        part: from_utf32::part_to_utf16::<_, false>(s, text, out),
        portable: portable::utf32_to_utf16,
        length: Length::Counted(counting!(lengths::Utf16OfUtf32)),
    }
    Utf32 => Utf32 {
        long: copies::utf32_to_utf32::<false, false>(text, out),
        portable: copies::utf32_to_utf32::<false, false>,
        length: Length::Unchanged,
    }
    Utf32 => Latin1 {
        long: from_utf32::to_latin1(s, text, out),
        portable: portable::utf32_to_latin1,
        length: Length::Unchanged,
    }
    Latin1 => Utf8 {
        short(2): latin1::short_to_utf8(s, text, out),
        long: latin1::to_utf8(s, text, out),
        part: latin1::part_to_utf8(s, text, out),
        portable: portable::latin1_to_utf8,
        length: Length::Counted(counting!(lengths::Utf8OfLatin1)),
    }
    Latin1 => Utf16 {
        short(2): latin1::short_widened::<_, IntoUtf16<false>>(s, text, out),
        long: latin1::to_utf16::<_, false>(s, text, out),
        portable: portable::latin1_to_utf16,
        length: Length::Unchanged,
    }
    Latin1 => Utf32 {
        short(2): latin1::short_widened::<_, IntoUtf32>(s, text, out),
        long: latin1::to_utf32(s, text, out),
        portable: portable::latin1_to_utf32,
        length: Length::Unchanged,
    }
    Latin1 => Latin1 {
        long: portable::copy(text, out),
        portable: portable::copy,
        length: Length::Unchanged,
    }
}
