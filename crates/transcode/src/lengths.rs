//! The length of a text in another encoding. A malformed sequence counts as its replacement.
//!
//! A unit's count depends on the unit, and in UTF-16 on the next one, so the compiler vectorises
//! the sums.

#![forbid(unsafe_code)]

use crate::count::{Count, Counted};

use super::encodings::{Family, Layout};
use super::scalar;
use trust8::Kernel;
#[cfg(trust8_avx512)]
use trust8::engine::Avx512;
use trust8_counts::sum;

/// Returns the number of units that a text becomes, if it is well-formed or the conversion is
/// lossy.
pub(super) fn units(kernel: &Kernel, from: Layout, to: Layout, lossy: bool, text: &[u8]) -> usize {
    /// Counts in the text's byte order.
    macro_rules! count {
        ($count:ident) => {
            if from.swapped {
                kernel.run(Counted::<$count<true>>::JOB, text, ())
            } else {
                kernel.run(Counted::<$count<false>>::JOB, text, ())
            }
        };
    }
    match (from.family, to.family) {
        (Family::Utf16, Family::Utf8) if lossy => count!(Utf8OfUtf16),
        (Family::Utf16, Family::Utf8) => count!(Utf8OfValidUtf16),
        (Family::Utf16, Family::Utf32 | Family::Latin1) => count!(Utf32OfUtf16),
        (Family::Utf32, Family::Utf8) => count!(Utf8OfUtf32),
        (Family::Utf32, Family::Utf16) => count!(Utf16OfUtf32),
        (Family::Latin1, Family::Utf8) => kernel.run(Counted::<Utf8OfLatin1>::JOB, text, ()),
        (Family::Utf16, Family::Utf16)
        | (Family::Utf32, Family::Utf32 | Family::Latin1)
        | (Family::Latin1, Family::Utf16 | Family::Utf32 | Family::Latin1) => text.len() / from.family.unit(),
        // UTF-8, and encodings that have only what every encoding must have.
        _ => scalar::length(from, to, text),
    }
}

struct Utf8OfLatin1;

impl Count for Utf8OfLatin1 {
    #[inline(always)]
    fn count(text: &[u8]) -> usize {
        text.len() + sum(text, |byte| byte >> 7)
    }
}

/// The list of counts. `SWAPPED` means that units are in the non-native byte order.
macro_rules! counts {
    ($(
        $(#[$meta:meta])*
        $name:ident: $sum:ident, |$($unit:ident),+| $count:expr $(, avx512 $lossy:literal)?;
    )*) => {$(
        $(#[$meta])*
        struct $name<const SWAPPED: bool>;

        impl<const SWAPPED: bool> Count for $name<SWAPPED> {
            #[inline(always)]
            fn count(text: &[u8]) -> usize {
                $sum(text, |$($unit),+| {
                    $(let $unit = if SWAPPED { $unit.swap_bytes() } else { $unit };)+
                    $count
                })
            }

            $(
                #[cfg(trust8_avx512)]
                #[inline(always)]
                fn count_with_avx512(s: Avx512, text: &[u8]) -> usize {
                    crate::simd::avx512::utf8_of_utf16::<SWAPPED, $lossy>(s, text)
                }
            )?
        }
    )*};
}

counts! {
    /// Any surrogate counts as the three bytes of U+FFFD. A pair has two bytes less than that.
    Utf8OfUtf16: sum16, |unit, next| {
        1 + u16::from(unit >= 0x80) + u16::from(unit >= 0x800) - 2 * begins_pair(unit, next)
    }, avx512 true;
    /// Half a surrogate pair counts as two bytes. This is exact for well-formed text.
    Utf8OfValidUtf16: sum16, |unit, _next| {
        1 + u16::from(unit >= 0x80) + u16::from(unit >= 0x800) - u16::from(unit & 0xF800 == 0xD800)
    }, avx512 false;
    Utf32OfUtf16: sum16, |unit, next| 1 - begins_pair(unit, next);
    /// What is above U+10FFFF counts as the three bytes of U+FFFD.
    Utf8OfUtf32: sum32, |unit| {
        1 + u32::from(unit >= 0x80)
            + u32::from(unit >= 0x800)
            + u32::from(unit.wrapping_sub(0x1_0000) <= 0xF_FFFF)
    };
    Utf16OfUtf32: sum32, |unit| 1 + u32::from(unit.wrapping_sub(0x1_0000) <= 0xF_FFFF);
}

/// Returns one if a unit and its successor are a surrogate pair, and zero otherwise.
#[inline(always)]
fn begins_pair(unit: u16, next: u16) -> u16 {
    u16::from((unit & 0xFC00 == 0xD800) & (next & 0xFC00 == 0xDC00))
}

/// Adds up the units' counts, at most three each. A count depends on the unit and its successor.
/// The last unit's successor is zero.
#[inline(always)]
fn sum16(text: &[u8], count: impl Fn(u16, u16) -> u16 + Copy) -> usize {
    const CHUNK_UNITS: usize = 1 << 14;
    let (units, _) = text.as_chunks::<2>();
    let Some((last, _)) = units.split_last() else { return 0 };
    let number = |unit: &[u8; 2]| u16::from_ne_bytes(*unit);
    let mut sum = usize::from(count(number(last), 0));
    for (units, nexts) in units.chunks(CHUNK_UNITS).zip(units[1..].chunks(CHUNK_UNITS)) {
        let pairs = units.iter().zip(nexts);
        sum += usize::from(pairs.map(|(unit, next)| count(number(unit), number(next))).sum::<u16>());
    }
    sum
}

/// Adds up the units' counts, at most four each.
#[inline(always)]
fn sum32(text: &[u8], count: impl Fn(u32) -> u32 + Copy) -> usize {
    let (units, _) = text.as_chunks::<4>();
    let sum_of = |units: &[[u8; 4]]| units.iter().map(|unit| count(u32::from_ne_bytes(*unit))).sum::<u32>();
    units.chunks(1 << 24).map(|units| sum_of(units) as usize).sum()
}
