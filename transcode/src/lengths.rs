//! The length that a well-formed text has in another encoding. Each unit counts by itself, so vectors can add.

#![forbid(unsafe_code)]

use super::portable::{BLOCK, utf16_units};
use trust8::engine::counts;

use crate::conversion::Measure;
#[cfg(trust8_avx512)]
use crate::simd::avx512_lengths;
#[cfg(trust8_avx512)]
use trust8::engine::Avx512;

/// The list of lengths: a type for each, with a loop that the compiler makes vectors of, and a faster method of `Avx512` if there
/// is one.
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
    /// Compared as signed numbers, which takes fewer operations. A number that is negative then is no character, and counts as one.
    Utf8OfUtf32, |text| sum32(text, |unit| {
        let unit = unit.cast_signed();
        1 + u32::from(unit >= 0x80) + u32::from(unit >= 0x800) + u32::from(unit >= 0x1_0000)
    });
    Utf16OfUtf32, |text| sum32(text, |unit| 1 + u32::from(unit.cast_signed() >= 0x1_0000));
    Utf8OfLatin1, |text| text.len() + counts::sum(text, |byte| byte >> 7);
}

/// The list of lengths of lossy conversions, which count what is malformed as its replacement. `SWAPPED` says that the bytes of each
/// unit are in the order that is not the machine's.
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
    /// Any surrogate counts as the three bytes of U+FFFD. A pair has two bytes less.
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

/// Returns one if a unit and the next one are a surrogate pair, and zero otherwise.
#[inline(always)]
fn begins_pair(unit: u16, next: u16) -> u16 {
    u16::from((unit & 0xFC00 == 0xD800) & (next & 0xFC00 == 0xDC00))
}

/// Returns the sum of what the units count for, at most three each, by the unit and the next one. There is a zero after the last one.
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
    // What is left is at most a block. The zeros after it count as well, and are taken back.
    let rest = &text[blocks.len() * BLOCK..];
    let mut last = [0; BLOCK + 2];
    last[..rest.len()].copy_from_slice(rest);
    let units = last.as_chunks::<2>().0.iter().map(|unit| u16::from_ne_bytes(*unit));
    let padded: u16 = units.clone().zip(units.skip(1)).map(|(unit, next)| count(unit, next)).sum();
    sum + usize::from(padded) - (BLOCK - rest.len()) / 2 * usize::from(count(0, 0))
}

/// Texts of so few bytes are counted unit by unit. To prepare a block of them takes longer.
const FEW_BYTES: usize = 32;

/// Does what [`sum16_with_next`] does, unit by unit. It is a separate function, so that it takes no registers from the other.
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

/// Returns the sum of what the units count for, at most three each.
#[inline(always)]
fn sum16(text: &[u8], count: impl Fn(u16) -> u16 + Copy) -> usize {
    let (units, _) = text.as_chunks::<2>();
    let sum_of = |units: &[[u8; 2]]| units.iter().map(|unit| count(u16::from_ne_bytes(*unit))).sum::<u16>();
    units.chunks(1 << 14).map(|units| usize::from(sum_of(units))).sum()
}

/// Returns the sum of what the units count for, at most four each.
#[inline(always)]
fn sum32(text: &[u8], count: impl Fn(u32) -> u32 + Copy) -> usize {
    let (units, _) = text.as_chunks::<4>();
    let sum_of = |units: &[[u8; 4]]| units.iter().map(|unit| count(u32::from_ne_bytes(*unit))).sum::<u32>();
    units.chunks(1 << 24).map(|units| sum_of(units) as usize).sum()
}
