//! What conversions need of an instruction set: a trait, and a file for each that has it.
//!
//! As with [`Simd`](super::Simd), a value of a type that implements the trait is the proof that the CPU has
//! the instructions, and every method is `#[inline(always)]`.
//!
//! The steps that distinguish instruction sets are those that leave gaps out: [`put_words`](Units::put_words),
//! [`put_pairs`](Units::put_pairs) and [`put_quads`](Units::put_quads). AVX-512 has an instruction for that; the
//! others, all of 16 bytes, have a table of shuffles (`tables.rs`), and what they do with it they have in common
//! (`sixteen.rs`). The text is taken in steps of fixed length, whatever is in it.

#[cfg(test)]
mod model;
#[cfg(any(kernel_neon, kernel_wasm, kernel_x86))]
mod tables;
mod vectors16;

pub(crate) use vectors16::Vectors16;

use crate::output::Output;

/// Ones for the first so many places.
#[inline(always)]
pub(crate) fn within(places: usize) -> u64 {
    if places >= 64 { u64::MAX } else { (1 << places) - 1 }
}

/// Reverses the bytes of each unit of `unit` bytes, whatever they are.
#[inline(always)]
pub(crate) fn swap(unit: usize, bytes: &mut [u8]) {
    if unit == 2 {
        for unit in bytes.as_chunks_mut::<2>().0 {
            unit.reverse();
        }
    } else if unit == 4 {
        for unit in bytes.as_chunks_mut::<4>().0 {
            unit.reverse();
        }
    }
}

/// An instruction set with vectors of [`LANES`](Self::LANES) bytes.
///
/// Lanes of 16 and 32 bits have the low byte first. The `put` methods append all that they are to append, or
/// nothing if it does not fit.
pub(crate) trait Units: Copy {
    /// A vector register.
    type Vector: Copy;

    /// Bytes in a vector: 16, 32 or 64.
    const LANES: usize;

    /// The value in every lane of 8, 16 or 32 bits.
    fn splat8(self, byte: u8) -> Self::Vector;
    fn splat16(self, word: u16) -> Self::Vector;
    fn splat32(self, word: u32) -> Self::Vector;

    /// `bytes[at..at + LANES]`. Panics where that is out of bounds.
    fn load(self, bytes: &[u8], at: usize) -> Self::Vector;

    /// `bytes`, fewer than `LANES`, then zeros.
    fn load_short(self, bytes: &[u8]) -> Self::Vector;

    /// What stands one, two and three bytes earlier: the end of `before`, and then the beginning of `now`.
    fn earlier(self, now: Self::Vector, before: Self::Vector) -> [Self::Vector; 3];

    /// The units of 16 bits in lanes of 32: the first half of them, and the second.
    fn widened(self, v: Self::Vector) -> [Self::Vector; 2];

    /// The bytes in lanes of 16 bits: the first half of them, and the second.
    fn widened8(self, v: Self::Vector) -> [Self::Vector; 2];

    /// The units of two vectors of 32-bit lanes, all below 0x10000, in lanes of 16.
    fn narrowed32(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    fn and(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn or(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Byte by byte, the larger one.
    fn max(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// `a - b`, byte by byte as unsigned numbers, and 0 where that would be negative.
    fn minus(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// `a + b`, byte by byte as signed numbers, and 127 where that would be more.
    fn plus_signed(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// `a + b` in lanes of 32 bits.
    fn plus32(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Shifts in lanes of 16 bits, zeros coming in.
    fn left16<const N: i32>(self, v: Self::Vector) -> Self::Vector;
    fn right16<const N: i32>(self, v: Self::Vector) -> Self::Vector;

    /// Shifts in lanes of 32 bits, zeros coming in.
    fn left32<const N: i32>(self, v: Self::Vector) -> Self::Vector;
    fn right32<const N: i32>(self, v: Self::Vector) -> Self::Vector;

    /// In lanes of 32 bits, all below 0x0010_0000: bits 12 to 19, 6 to 13 and 0 to 7, from the lowest byte to the
    /// third.
    fn sixes(self, v: Self::Vector) -> Self::Vector;

    /// Bit 7 of each byte, that of the first one lowest.
    fn high_bits(self, v: Self::Vector) -> u64;

    /// Whether any bit is set.
    fn any(self, v: Self::Vector) -> bool;

    /// Byte by byte: `v` where bit 7 of `flags` is set, else 0.
    fn where_high(self, flags: Self::Vector, v: Self::Vector) -> Self::Vector;

    /// Byte by byte: `yes` where bit 7 of `flags` is set, else `no`.
    fn select_high(self, flags: Self::Vector, yes: Self::Vector, no: Self::Vector) -> Self::Vector;

    /// In lanes of 16 bits: `yes` where `v` is at least `least`, else `no`. Both are below 0x8000, and `least` is not 0.
    fn select16(self, v: Self::Vector, least: u16, yes: Self::Vector, no: Self::Vector) -> Self::Vector;

    /// In lanes of 32 bits, all below 0x8000_0000: `yes` where `v` is at least `least`, which is not 0; else `no`.
    fn select32(self, v: Self::Vector, least: u32, yes: Self::Vector, no: Self::Vector) -> Self::Vector;

    /// In lanes of 32 bits: `yes` where `a` and `b` are equal, else `no`.
    fn select32_equal(
        self,
        a: Self::Vector,
        b: Self::Vector,
        yes: Self::Vector,
        no: Self::Vector,
    ) -> Self::Vector;

    /// Whether a lane of 16 bits is `a`'s equal in one pair of vectors and not in the other: of `x` and `a`, of
    /// `y` and `b`.
    fn differ16(self, x: Self::Vector, a: u16, y: Self::Vector, b: u16) -> bool;

    /// Whether a lane of 16 bits is equal to `word`.
    fn any_equal16(self, v: Self::Vector, word: u16) -> bool;

    /// The bytes in the order that [`put_ones_or_twos`](Self::put_ones_or_twos) wants.
    fn ordered(self, v: Self::Vector) -> Self::Vector;

    /// In lanes of 16 bits: `yes` where `v` is equal to `word`, else `no`.
    fn select16_equal(self, v: Self::Vector, word: u16, yes: Self::Vector, no: Self::Vector) -> Self::Vector;

    /// Whether a lane of 32 bits is equal to `dword`.
    fn any_equal32(self, v: Self::Vector, dword: u32) -> bool;

    /// Appends the first `n` bytes, of as many as there are.
    fn put_first(self, v: Self::Vector, n: usize, out: &mut Output<'_>) -> bool;

    /// Appends the first `n` bytes of both vectors together.
    fn put_both(self, first: Self::Vector, second: Self::Vector, n: usize, out: &mut Output<'_>) -> bool;

    /// Tells the cache that so many bytes will be written some way behind. Where there are none, nothing happens.
    #[inline(always)]
    fn will_write(self, _bytes: usize, _out: &Output<'_>) {}

    /// Appends the first `n` bytes as units of 16 bits.
    fn put_widened(self, v: Self::Vector, n: usize, out: &mut Output<'_>) -> bool;

    /// Appends the first `n` bytes as units of 32 bits.
    fn put_widened32(self, v: Self::Vector, n: usize, out: &mut Output<'_>) -> bool;

    /// Appends the low bytes of the first `n` lanes of 16 bits, which are below 0x100.
    fn put_narrowed(self, a: Self::Vector, b: Self::Vector, n: usize, out: &mut Output<'_>) -> bool;

    /// Appends units of 16 bits, of which the one vector has the low bytes and the other one the high ones:
    /// those for which `keep` has a one.
    fn put_words(self, low: Self::Vector, high: Self::Vector, keep: u64, out: &mut Output<'_>) -> bool;

    /// Appends bytes: those for which `keep` has a one. Of each two bytes that is the first or both, but none
    /// at all from some place on.
    fn put_pairs(self, v: Self::Vector, keep: u64, out: &mut Output<'_>) -> bool;

    /// Appends bytes: those for which `keep` has a one. Of each four bytes that is the third, or the second and
    /// the third, or the first three, but none at all from some place on.
    fn put_quads(self, v: Self::Vector, keep: u64, out: &mut Output<'_>) -> bool;

    /// Appends units of 32 bits, of which the vectors have the first bytes, the second ones and, if there are such, the
    /// third ones: those units for which `keep` has a one.
    fn put_dwords(
        self,
        low: Self::Vector,
        middle: Self::Vector,
        high: Option<Self::Vector>,
        keep: u64,
        out: &mut Output<'_>,
    ) -> bool;

    /// Appends units of 32 bits, of which the vectors have the lower and the upper halves in lanes of 16: those for
    /// which `keep` has two ones.
    fn put_joined(self, low: Self::Vector, high: Self::Vector, keep: u64, out: &mut Output<'_>) -> bool;

    /// Appends the first `len` bytes of `first`, and behind each for which `two` has a one the byte of `second`. Both
    /// vectors are [`ordered`](Self::ordered).
    fn put_ones_or_twos(
        self,
        first: Self::Vector,
        second: Self::Vector,
        two: u64,
        len: usize,
        out: &mut Output<'_>,
    ) -> bool;

    /// Appends bytes: those for which `keep` has a one.
    fn put_some(self, v: Self::Vector, keep: u64, out: &mut Output<'_>) -> bool;

    /// Appends bytes: those for which `keep` has a one. Of each two bytes that is both or none.
    fn put_twos(self, v: Self::Vector, keep: u64, out: &mut Output<'_>) -> bool;

    /// Appends bytes: those for which `keep` has a one. Of each four bytes that is the last, or the last two, or the
    /// last three, or all, but none at all from some place on.
    fn put_ends(self, v: Self::Vector, keep: u64, out: &mut Output<'_>) -> bool;
}
