//! The length of a well-formed text in another encoding. Units count independently of each other,
//! so vectors can add them up.

#![forbid(unsafe_code)]

use super::portable::{BLOCK, utf16_units};
use trust8::engine::counts;

use crate::measure::Measure;
#[cfg(trust8_avx512)]
use crate::simd::avx512_lengths;
#[cfg(trust8_avx512)]
use trust8::engine::Avx512;

/// The list of lengths. Each has a type, a loop that the compiler vectorises, and perhaps a faster
/// method of `Avx512`.
macro_rules! lengths {
    ($(
        $(#[$meta:meta])*
        $name:ident, |$text:ident| $portable:expr $(, avx512 $avx512:ident)?;
    )*) => {$(
        $(#[$meta])*
        pub(super) struct $name;

        impl Measure for $name {
            #[inline(always)]
            fn portable($text: &[u8]) -> usize {
                $portable
            }

            $(
                #[cfg(trust8_avx512)]
                #[inline(always)]
                fn avx512(s: Avx512, text: &[u8]) -> usize {
                    avx512_lengths::$avx512(s, text)
                }
            )?
        }
    )*};
}

lengths! {
    /// Half a surrogate pair counts as two bytes.
    Utf8OfUtf16, |text| sum16(text, |unit| {
            1 + u16::from(unit >= 0x80) + u16::from(unit >= 0x800) - u16::from(unit & 0xF800 == 0xD800)
        }),
        avx512 utf8_of_utf16;
    Utf32OfUtf16, |text| sum16(text, |unit| u16::from(unit & 0xFC00 != 0xDC00));
    /// Signed comparison takes fewer operations. A unit that is negative as a signed number is no
    /// character, and counts as one.
    Utf8OfUtf32, |text| sum32(text, |unit| {
        let unit = unit.cast_signed();
        1 + u32::from(unit >= 0x80) + u32::from(unit >= 0x800) + u32::from(unit >= 0x1_0000)
    });
    Utf16OfUtf32, |text| sum32(text, |unit| 1 + u32::from(unit.cast_signed() >= 0x1_0000));
    Utf8OfLatin1, |text| text.len() + counts::sum(text, |byte| byte >> 7);
}

/// The list of lengths of lossy conversions, which count a malformed sequence as its replacement.
/// `SWAPPED` means that units are in the non-native byte order.
macro_rules! lossy_lengths {
    ($(
        $(#[$meta:meta])*
        $name:ident: $sum:ident, |$($unit:ident),+| $count:expr $(, avx512 $avx512:ident)?;
    )*) => {$(
        $(#[$meta])*
        pub(super) struct $name<const SWAPPED: bool>;

        impl<const SWAPPED: bool> Measure for $name<SWAPPED> {
            #[inline(always)]
            fn portable(text: &[u8]) -> usize {
                $sum(text, |$($unit),+| {
                    $(let $unit = if SWAPPED { $unit.swap_bytes() } else { $unit };)+
                    $count
                })
            }

            $(
                #[cfg(trust8_avx512)]
                #[inline(always)]
                fn avx512(s: Avx512, text: &[u8]) -> usize {
                    avx512_lengths::$avx512::<SWAPPED>(s, text)
                }
            )?
        }
    )*};
}

lossy_lengths! {
    /// Any surrogate counts as the three bytes of U+FFFD. A pair has two bytes less than that.
    Utf8OfUtf16Lossy: sum16_with_next, |unit, next| {
            1 + u16::from(unit >= 0x80) + u16::from(unit >= 0x800) - 2 * begins_pair(unit, next)
        },
        avx512 utf8_of_lossy_utf16;
    Utf32OfUtf16Lossy: sum16_with_next, |unit, next| 1 - begins_pair(unit, next);
    /// What is above U+10FFFF counts as the three bytes of U+FFFD.
    Utf8OfUtf32Lossy: sum32, |unit| {
        1 + u32::from(unit >= 0x80)
            + u32::from(unit >= 0x800)
            + u32::from(unit.wrapping_sub(0x1_0000) <= 0xF_FFFF)
    };
    Utf16OfUtf32Lossy: sum32, |unit| 1 + u32::from(unit.wrapping_sub(0x1_0000) <= 0xF_FFFF);
}

/// Returns one if a unit and its successor are a surrogate pair, and zero otherwise.
#[inline(always)]
fn begins_pair(unit: u16, next: u16) -> u16 {
    u16::from((unit & 0xFC00 == 0xD800) & (next & 0xFC00 == 0xDC00))
}

/// Adds up the units' counts, at most three each. A count depends on the unit and its successor.
/// The last unit's successor is zero.
#[inline(always)]
fn sum16_with_next(text: &[u8], count: impl Fn(u16, u16) -> u16 + Copy) -> usize {
    if text.len() <= FEW_BYTES {
        return sum16_of_few(text, count);
    }
    let mut sum = 0;
    let (blocks, _) = text[..text.len().saturating_sub(2)].as_chunks::<BLOCK>();
    let (nexts, _) = text.get(2..).unwrap_or_default().as_chunks::<BLOCK>();
    for (blocks, nexts) in blocks.chunks(1 << 14).zip(nexts.chunks(1 << 14)) {
        let mut sums = [0u16; BLOCK / 2];
        for (block, next) in blocks.iter().zip(nexts) {
            let units = utf16_units::<BLOCK, { BLOCK / 2 }>(block);
            let nexts = utf16_units::<BLOCK, { BLOCK / 2 }>(next);
            for ((sum, unit), next) in sums.iter_mut().zip(units).zip(nexts) {
                *sum = sum.wrapping_add(count(unit, next));
            }
        }
        sum += sums.iter().map(|&sum| usize::from(sum)).sum::<usize>();
    }
    // The remainder is at most a block. The zeros after it count too, so they are subtracted.
    let rest = &text[blocks.len() * BLOCK..];
    let mut last = [0; BLOCK + 2];
    last[..rest.len()].copy_from_slice(rest);
    let units = last.as_chunks::<2>().0.iter().map(|unit| u16::from_ne_bytes(*unit));
    let padded: u16 = units.clone().zip(units.skip(1)).map(|(unit, next)| count(unit, next)).sum();
    sum + usize::from(padded) - (BLOCK - rest.len()) / 2 * usize::from(count(0, 0))
}

/// Below this length, text is counted unit by unit: preparing a block takes longer.
const FEW_BYTES: usize = 32;

/// Like [`sum16_with_next`], unit by unit. This is a separate function, so that it takes no
/// registers from that one.
#[inline(never)]
fn sum16_of_few(text: &[u8], count: impl Fn(u16, u16) -> u16) -> usize {
    let units = text.as_chunks::<2>().0;
    let (mut sum, mut next) = (0, 0);
    for unit in units.iter().rev() {
        let unit = u16::from_ne_bytes(*unit);
        sum += usize::from(count(unit, next));
        next = unit;
    }
    sum
}

/// Adds up the units' counts, at most three each.
#[inline(always)]
fn sum16(text: &[u8], count: impl Fn(u16) -> u16 + Copy) -> usize {
    let (units, _) = text.as_chunks::<2>();
    let sum_of = |units: &[[u8; 2]]| units.iter().map(|unit| count(u16::from_ne_bytes(*unit))).sum::<u16>();
    units.chunks(1 << 14).map(|units| usize::from(sum_of(units))).sum()
}

/// Adds up the units' counts, at most four each.
#[inline(always)]
fn sum32(text: &[u8], count: impl Fn(u32) -> u32 + Copy) -> usize {
    let (units, _) = text.as_chunks::<4>();
    let sum_of = |units: &[[u8; 4]]| units.iter().map(|unit| count(u32::from_ne_bytes(*unit))).sum::<u32>();
    units.chunks(1 << 24).map(|units| sum_of(units) as usize).sum()
}
