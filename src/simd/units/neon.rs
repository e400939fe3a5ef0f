//! NEON: tables of shuffles leave the gaps out, 16 bytes at a time.

use core::arch::aarch64::*;

use super::{Units, tables, within};
use crate::simd::neon::Neon;
use crate::simd::{Simd, neon};
use crate::transcode::{Length, Output, Routine, Routines, plain, routines};

/// The NEON kernel's conversions.
pub(crate) static ROUTINES: Routines = routines!(convert, swap, length);

#[target_feature(enable = "neon")]
fn convert<R: Routine>(text: &[u8], out: &mut Output<'_>) -> usize {
    let read = R::short(Neon::new(), text, out, |piece| neon::validate(piece));
    if read == text.len() { read } else { convert_long::<R>(text, out) }
}

#[inline(never)]
#[target_feature(enable = "neon")]
fn convert_long<R: Routine>(text: &[u8], out: &mut Output<'_>) -> usize {
    R::run(Neon::new(), text, out, |piece| neon::validate(piece))
}

#[target_feature(enable = "neon")]
fn swap(unit: usize, bytes: &mut [u8]) {
    plain::swap(unit, bytes);
}

#[target_feature(enable = "neon")]
fn length(which: Length, text: &[u8]) -> usize {
    plain::length(which, text)
}

impl Neon {
    /// The bytes of `a` and `b` in turn: the first half of them, and the second.
    #[inline(always)]
    fn pairs(self, a: uint8x16_t, b: uint8x16_t) -> [uint8x16_t; 2] {
        // SAFETY: NEON, by `self`.
        let first = unsafe { vzip1q_u8(a, b) };
        // SAFETY: NEON, by `self`.
        let second = unsafe { vzip2q_u8(a, b) };
        [first, second]
    }

    /// Appends the first `n` bytes of the vector, if they fit.
    #[inline(always)]
    fn put(self, v: uint8x16_t, n: usize, out: &mut Output<'_>) -> bool {
        let n = n.min(16);
        if let Some(window) = out.window::<16>() {
            // SAFETY: NEON, by `self`; the window has 16 bytes, and the store needs no alignment.
            unsafe { vst1q_u8(window.as_mut_ptr().cast(), v) };
            // SAFETY: the store has written 16 bytes, and `n` is no more.
            unsafe { out.advance(n) };
            return true;
        }
        let mut bytes = [0u8; 16];
        // SAFETY: NEON, by `self`; there are 16 bytes, and the store needs no alignment.
        unsafe { vst1q_u8(bytes.as_mut_ptr(), v) };
        out.put(&bytes[..n])
    }

    #[inline(always)]
    fn shuffle(self, v: uint8x16_t, shuffle: &[u8; 16]) -> uint8x16_t {
        self.lookup(v, self.table(shuffle))
    }

    /// Appends those of the four dwords for which the lowest bits of `keep` have a one, if they fit.
    #[inline(always)]
    fn put_some_dwords(self, v: uint8x16_t, keep: u64, out: &mut Output<'_>) -> bool {
        self.put(self.shuffle(v, tables::dwords(keep)), 4 * (keep & 0xF).count_ones() as usize, out)
    }

    /// All bits of the lanes of 16 bits that are equal to `word`.
    #[inline(always)]
    fn equal16(self, v: uint8x16_t, word: u16) -> uint8x16_t {
        // SAFETY: NEON, by `self`.
        let word = unsafe { vdupq_n_u16(word) };
        // SAFETY: NEON, by `self`.
        bytes16(unsafe { vceqq_u16(words(v), word) })
    }

    /// Bit by bit: `yes` where `mask` has a one, else `no`.
    #[inline(always)]
    fn select(self, mask: uint8x16_t, yes: uint8x16_t, no: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON, by `self`.
        unsafe { vbslq_u8(mask, yes, no) }
    }

    /// All bits of the bytes whose bit 7 is set.
    #[inline(always)]
    fn spread_high(self, v: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON, by `self`.
        let signed = unsafe { vreinterpretq_s8_u8(v) };
        // SAFETY: NEON, by `self`.
        let spread = unsafe { vshrq_n_s8::<7>(signed) };
        // SAFETY: NEON, by `self`.
        unsafe { vreinterpretq_u8_s8(spread) }
    }
}

/// The same bits in lanes of another width. (These need no token: NEON is part of what this file is compiled for.)
#[inline(always)]
fn words(v: uint8x16_t) -> uint16x8_t {
    // SAFETY: build.rs has seen the target guarantee NEON, or this file would not be compiled.
    unsafe { vreinterpretq_u16_u8(v) }
}

#[inline(always)]
fn dwords(v: uint8x16_t) -> uint32x4_t {
    // SAFETY: build.rs has seen the target guarantee NEON.
    unsafe { vreinterpretq_u32_u8(v) }
}

#[inline(always)]
fn bytes16(v: uint16x8_t) -> uint8x16_t {
    // SAFETY: build.rs has seen the target guarantee NEON.
    unsafe { vreinterpretq_u8_u16(v) }
}

#[inline(always)]
fn bytes32(v: uint32x4_t) -> uint8x16_t {
    // SAFETY: build.rs has seen the target guarantee NEON.
    unsafe { vreinterpretq_u8_u32(v) }
}

// Each SAFETY below rests on this: `self` exists, so this code runs inside a function that is
// compiled for NEON and was called on a CPU that has it.
impl Units for Neon {
    type Vector = uint8x16_t;
    const LANES: usize = 16;

    #[inline(always)]
    fn splat8(self, byte: u8) -> uint8x16_t {
        self.splat(byte)
    }

    #[inline(always)]
    fn splat16(self, word: u16) -> uint8x16_t {
        // SAFETY: NEON, by `self`.
        bytes16(unsafe { vdupq_n_u16(word) })
    }

    #[inline(always)]
    fn splat32(self, word: u32) -> uint8x16_t {
        // SAFETY: NEON, by `self`.
        bytes32(unsafe { vdupq_n_u32(word) })
    }

    #[inline(always)]
    fn load(self, bytes: &[u8], at: usize) -> uint8x16_t {
        Simd::load(self, bytes, at)
    }

    #[inline(always)]
    fn load_short(self, bytes: &[u8]) -> uint8x16_t {
        Simd::load_short(self, bytes)
    }

    #[inline(always)]
    fn earlier(self, now: uint8x16_t, before: uint8x16_t) -> [uint8x16_t; 3] {
        [
            Simd::earlier::<1>(self, now, before),
            Simd::earlier::<2>(self, now, before),
            Simd::earlier::<3>(self, now, before),
        ]
    }

    #[inline(always)]
    fn widened(self, v: uint8x16_t) -> [uint8x16_t; 2] {
        let zero = self.splat16(0);
        // SAFETY: NEON, by `self`.
        let first = unsafe { vzip1q_u16(words(v), words(zero)) };
        // SAFETY: NEON, by `self`.
        let second = unsafe { vzip2q_u16(words(v), words(zero)) };
        [bytes16(first), bytes16(second)]
    }

    #[inline(always)]
    fn widened8(self, v: uint8x16_t) -> [uint8x16_t; 2] {
        self.pairs(v, self.splat8(0))
    }

    #[inline(always)]
    fn narrowed32(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON, by `self`.
        bytes16(unsafe { vuzp1q_u16(words(a), words(b)) })
    }

    #[inline(always)]
    fn and(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        Simd::and(self, a, b)
    }

    #[inline(always)]
    fn or(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        Simd::or(self, a, b)
    }

    #[inline(always)]
    fn max(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        Simd::max(self, a, b)
    }

    #[inline(always)]
    fn minus(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        Simd::minus(self, a, b)
    }

    #[inline(always)]
    fn plus_signed(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        Simd::plus_signed(self, a, b)
    }

    #[inline(always)]
    fn plus32(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON, by `self`.
        bytes32(unsafe { vaddq_u32(dwords(a), dwords(b)) })
    }

    #[inline(always)]
    fn left16<const N: i32>(self, v: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON, by `self`.
        bytes16(unsafe { vshlq_n_u16::<N>(words(v)) })
    }

    #[inline(always)]
    fn right16<const N: i32>(self, v: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON, by `self`.
        bytes16(unsafe { vshrq_n_u16::<N>(words(v)) })
    }

    #[inline(always)]
    fn left32<const N: i32>(self, v: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON, by `self`.
        bytes32(unsafe { vshlq_n_u32::<N>(dwords(v)) })
    }

    #[inline(always)]
    fn right32<const N: i32>(self, v: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON, by `self`.
        bytes32(unsafe { vshrq_n_u32::<N>(dwords(v)) })
    }

    #[inline(always)]
    fn sixes(self, v: uint8x16_t) -> uint8x16_t {
        let (second, third) = (self.left32::<2>(v), self.left32::<16>(v));
        let second = Simd::and(self, second, self.splat32(0x0000_FF00));
        let third = Simd::and(self, third, self.splat32(0x00FF_0000));
        Simd::or(self, Simd::or(self, second, third), self.right32::<12>(v))
    }

    #[inline(always)]
    fn high_bits(self, v: uint8x16_t) -> u64 {
        Simd::high_bits(self, v)
    }

    #[inline(always)]
    fn any(self, v: uint8x16_t) -> bool {
        Simd::any(self, v)
    }

    #[inline(always)]
    fn where_high(self, flags: uint8x16_t, v: uint8x16_t) -> uint8x16_t {
        Simd::and(self, self.spread_high(flags), v)
    }

    #[inline(always)]
    fn select_high(self, flags: uint8x16_t, yes: uint8x16_t, no: uint8x16_t) -> uint8x16_t {
        self.select(self.spread_high(flags), yes, no)
    }

    #[inline(always)]
    fn select16(self, v: uint8x16_t, least: u16, yes: uint8x16_t, no: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON, by `self`.
        let mask = bytes16(unsafe { vcgeq_u16(words(v), words(self.splat16(least))) });
        self.select(mask, yes, no)
    }

    #[inline(always)]
    fn select32(self, v: uint8x16_t, least: u32, yes: uint8x16_t, no: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON, by `self`.
        let mask = bytes32(unsafe { vcgeq_u32(dwords(v), dwords(self.splat32(least))) });
        self.select(mask, yes, no)
    }

    #[inline(always)]
    fn select32_equal(self, a: uint8x16_t, b: uint8x16_t, yes: uint8x16_t, no: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON, by `self`.
        let mask = bytes32(unsafe { vceqq_u32(dwords(a), dwords(b)) });
        self.select(mask, yes, no)
    }

    #[inline(always)]
    fn differ16(self, x: uint8x16_t, a: u16, y: uint8x16_t, b: u16) -> bool {
        Simd::any(self, self.xor(self.equal16(x, a), self.equal16(y, b)))
    }

    #[inline(always)]
    fn any_equal16(self, v: uint8x16_t, word: u16) -> bool {
        Simd::any(self, self.equal16(v, word))
    }

    #[inline(always)]
    fn ordered(self, v: uint8x16_t) -> uint8x16_t {
        v
    }

    #[inline(always)]
    fn select16_equal(self, v: uint8x16_t, word: u16, yes: uint8x16_t, no: uint8x16_t) -> uint8x16_t {
        self.select(self.equal16(v, word), yes, no)
    }

    #[inline(always)]
    fn any_equal32(self, v: uint8x16_t, dword: u32) -> bool {
        // SAFETY: NEON, by `self`.
        let equal = unsafe { vceqq_u32(dwords(v), dwords(self.splat32(dword))) };
        Simd::any(self, bytes32(equal))
    }

    #[inline(always)]
    fn put_first(self, v: uint8x16_t, n: usize, out: &mut Output<'_>) -> bool {
        self.put(v, n, out)
    }

    #[inline(always)]
    fn put_both(self, first: uint8x16_t, second: uint8x16_t, n: usize, out: &mut Output<'_>) -> bool {
        out.left() >= n && self.put(first, n.min(16), out) && self.put(second, n.saturating_sub(16), out)
    }

    #[inline(always)]
    fn put_widened(self, v: uint8x16_t, n: usize, out: &mut Output<'_>) -> bool {
        let [first, second] = self.widened8(v);
        self.put_both(first, second, 2 * n, out)
    }

    #[inline(always)]
    fn put_widened32(self, v: uint8x16_t, n: usize, out: &mut Output<'_>) -> bool {
        let [first, second] = self.widened8(v);
        let ([a, b], [c, d]) = (self.widened(first), self.widened(second));
        out.left() >= 4 * n
            && self.put_both(a, b, (4 * n).min(32), out)
            && (n <= 8 || self.put_both(c, d, 4 * n - 32, out))
    }

    #[inline(always)]
    fn put_narrowed(self, a: uint8x16_t, b: uint8x16_t, n: usize, out: &mut Output<'_>) -> bool {
        // SAFETY: NEON, by `self`.
        let bytes = unsafe { vuzp1q_u8(a, b) };
        self.put(bytes, n, out)
    }

    #[inline(always)]
    fn put_words(self, low: uint8x16_t, high: uint8x16_t, keep: u64, out: &mut Output<'_>) -> bool {
        let [first, second] = self.pairs(low, high);
        let (n, m) = (2 * (keep & 0xFF).count_ones() as usize, 2 * (keep >> 8 & 0xFF).count_ones() as usize);
        out.left() >= n + m
            && self.put(self.shuffle(first, tables::words(keep)), n, out)
            && self.put(self.shuffle(second, tables::words(keep >> 8)), m, out)
    }

    #[inline(always)]
    fn put_pairs(self, v: uint8x16_t, keep: u64, out: &mut Output<'_>) -> bool {
        self.put(self.shuffle(v, tables::pairs(keep)), keep.count_ones() as usize, out)
    }

    #[inline(always)]
    fn put_quads(self, v: uint8x16_t, keep: u64, out: &mut Output<'_>) -> bool {
        self.put(self.shuffle(v, tables::quads(keep)), keep.count_ones() as usize, out)
    }

    #[inline(always)]
    fn put_dwords(
        self,
        low: uint8x16_t,
        middle: uint8x16_t,
        high: Option<uint8x16_t>,
        keep: u64,
        out: &mut Output<'_>,
    ) -> bool {
        let [first, second] = self.pairs(low, middle);
        let (first, second) = (words(first), words(second));
        let [upper_first, upper_second] = match high {
            Some(high) => self.widened8(high),
            None => [self.splat8(0); 2],
        };
        if out.left() < 4 * (keep & 0xFFFF).count_ones() as usize {
            return false;
        }
        // SAFETY: NEON, by `self`.
        let a = unsafe { vzip1q_u16(first, words(upper_first)) };
        // SAFETY: NEON, by `self`.
        let b = unsafe { vzip2q_u16(first, words(upper_first)) };
        // SAFETY: NEON, by `self`.
        let c = unsafe { vzip1q_u16(second, words(upper_second)) };
        // SAFETY: NEON, by `self`.
        let d = unsafe { vzip2q_u16(second, words(upper_second)) };
        self.put_some_dwords(bytes16(a), keep, out)
            && self.put_some_dwords(bytes16(b), keep >> 4, out)
            && self.put_some_dwords(bytes16(c), keep >> 8, out)
            && self.put_some_dwords(bytes16(d), keep >> 12, out)
    }

    #[inline(always)]
    fn put_joined(self, low: uint8x16_t, high: uint8x16_t, keep: u64, out: &mut Output<'_>) -> bool {
        // SAFETY: NEON, by `self`.
        let first = bytes16(unsafe { vzip1q_u16(words(low), words(high)) });
        // SAFETY: NEON, by `self`.
        let second = bytes16(unsafe { vzip2q_u16(words(low), words(high)) });
        let (n, m) = (2 * (keep & 0xFF).count_ones() as usize, 2 * (keep >> 8 & 0xFF).count_ones() as usize);
        out.left() >= n + m
            && self.put(self.shuffle(first, tables::joined(keep)), n, out)
            && self.put(self.shuffle(second, tables::joined(keep >> 8)), m, out)
    }

    #[inline(always)]
    fn put_ones_or_twos(
        self,
        first: uint8x16_t,
        second: uint8x16_t,
        two: u64,
        len: usize,
        out: &mut Output<'_>,
    ) -> bool {
        let [a, b] = self.pairs(first, second);
        let two = two & within(len);
        let n = len.min(8) + (two & 0xFF).count_ones() as usize;
        let m = len.saturating_sub(8) + (two >> 8).count_ones() as usize;
        out.left() >= n + m
            && self.put(self.shuffle(a, tables::ones_or_twos(two)), n, out)
            && self.put(self.shuffle(b, tables::ones_or_twos(two >> 8)), m, out)
    }

    #[inline(always)]
    fn put_some(self, v: uint8x16_t, keep: u64, out: &mut Output<'_>) -> bool {
        let first = self.shuffle(v, tables::bytes(keep));
        let of_second = self.table(tables::bytes(keep >> 8));
        let second = self.lookup(v, Simd::or(self, of_second, self.splat8(8)));
        let (n, m) = ((keep & 0xFF).count_ones() as usize, (keep >> 8 & 0xFF).count_ones() as usize);
        out.left() >= n + m && self.put(first, n, out) && self.put(second, m, out)
    }

    #[inline(always)]
    fn put_twos(self, v: uint8x16_t, keep: u64, out: &mut Output<'_>) -> bool {
        self.put(self.shuffle(v, tables::twos(keep)), keep.count_ones() as usize, out)
    }

    #[inline(always)]
    fn put_ends(self, v: uint8x16_t, keep: u64, out: &mut Output<'_>) -> bool {
        self.put(self.shuffle(v, tables::ends(keep)), keep.count_ones() as usize, out)
    }
}
