//! Instruction sets: a trait for what the block algorithm needs, and one file for each that has it.
//!
//! A value of a type that implements [`Simd`] is the proof that the CPU has the instruction set: it
//! is made only inside functions that are compiled for it (`#[target_feature]`), which in turn are
//! called only when the CPU has been asked. So whoever is handed such a value needs no `unsafe` to use the instructions.
//!
//! Every method is `#[inline(always)]`, and so is everything between it and the function with the
//! target feature: an intrinsic that is not inlined into such a function becomes a call.
//!
//! AVX-512 has an algorithm of its own, in `sliced/`, and does not implement the trait.

#[cfg(feature = "transcode")]
pub(crate) mod convert;
#[cfg(test)]
mod model;

cfg_if::cfg_if! {
    if #[cfg(kernel_x86)] {
        pub(crate) mod nontemporal;
        pub(crate) mod x86 {
            //! The instruction sets of x86 and x86-64.

            pub(crate) mod avx2;
            pub(crate) mod avx512;
            #[cfg(feature = "transcode")]
            mod avx512_convert;
            #[cfg(feature = "transcode")]
            mod avx512_lengths;
            pub(crate) mod sse42;
        }
    } else if #[cfg(kernel_neon)] {
        pub(crate) mod arm {
            //! The instruction sets of AArch64.

            pub(crate) mod neon;
        }
    } else if #[cfg(kernel_wasm)] {
        pub(crate) mod wasm {
            //! The instruction sets of WebAssembly.

            pub(crate) mod simd128;
        }
    }
}

#[cfg(feature = "alloc")]
use core::mem::MaybeUninit;

#[cfg(feature = "alloc")]
use crate::output::Output;

/// A token: the proof that the code which has it runs on a CPU that has the instruction set, inside a function that is
/// compiled for it.
pub(crate) trait Token: Copy {
    /// Calls `R::run`, compiled for the instruction set as a function of its own.
    ///
    /// A function that mixes several loops keeps the constants of all of them in registers, and what no longer fits goes to
    /// memory. So each loop that matters is a function of its own.
    fn apart<R: Routine<Self>>(self, bytes: &[u8], at: usize) -> R::Output;
}

/// What [`Token::apart`] compiles as a function of its own.
pub(crate) trait Routine<T> {
    /// What the function returns.
    type Output;

    /// Works on `bytes`, from `at` on where the place matters.
    fn run(token: T, bytes: &[u8], at: usize) -> Self::Output;
}

/// An instruction set with vectors of [`LANES`](Self::LANES) bytes.
///
/// All arithmetic is on each byte by itself.
///
/// # Safety
///
/// - `Vector` is a register: integers side by side, without padding. (What is stored as text counts as bytes.)
pub(crate) unsafe trait Simd: Token {
    /// The token of the instruction set that conversions use on such a CPU.
    #[cfg(feature = "transcode")]
    type Converter: convert::ConvertOps;

    /// Returns that token.
    #[cfg(feature = "transcode")]
    fn converter(self) -> Self::Converter;

    /// A vector register.
    type Vector: Copy;

    /// Bytes in a vector: a power of two from 16 to 64.
    const LANES: usize;

    /// The length from which on short input is asked whether it is all ASCII before it is checked. Below
    /// that, the check costs less than one wrong prediction of the answer in a few.
    const ASCII_PAYS: usize;

    /// `byte` in every lane.
    fn splat(self, byte: u8) -> Self::Vector;

    /// `bytes[at..at + LANES]`. Panics where that is out of bounds; the callers' lengths are such
    /// that the compiler sees it never is.
    fn load(self, bytes: &[u8], at: usize) -> Self::Vector;

    /// `bytes`, fewer than `LANES`, then zeros.
    fn load_short(self, bytes: &[u8]) -> Self::Vector;

    /// `bytes[LANES..]`, then zeros; there are `LANES` to `2 * LANES` bytes.
    fn load_rest(self, bytes: &[u8]) -> Self::Vector;

    /// Zeros, and then these four bytes.
    fn ending_in(self, bytes: [u8; 4]) -> Self::Vector;

    /// A table for [`lookup`](Self::lookup).
    fn table(self, entries: &[u8; 16]) -> Self::Vector;

    /// `table[index]`; every lane of `indices` is below 16.
    fn lookup(self, table: Self::Vector, indices: Self::Vector) -> Self::Vector;

    /// The text N bytes earlier: the last N lanes of `before`, then the first ones of `now`.
    fn earlier<const N: usize>(self, now: Self::Vector, before: Self::Vector) -> Self::Vector;

    /// The upper four bits, as numbers below 16.
    fn high_nibbles(self, v: Self::Vector) -> Self::Vector;

    /// The lower four bits.
    fn low_nibbles(self, v: Self::Vector) -> Self::Vector;

    fn and(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn or(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn xor(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// The larger and the smaller, as unsigned numbers.
    fn max(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn min(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// `a - b` as unsigned numbers, and 0 where that would be negative.
    fn minus(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// `a + b` as signed numbers, and 127 where that would be more.
    fn plus_signed(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Bit 7 of each lane, the first lane's as the lowest bit.
    fn high_bits(self, v: Self::Vector) -> u64;

    /// `a - b`, modulo 256.
    fn minus_wrapping(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// FF where `a` is `b`, 00 elsewhere.
    fn equal(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// FF where `a` is below `b` as signed numbers, 00 elsewhere.
    fn below_signed(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// The sum of all bytes.
    fn sum(self, v: Self::Vector) -> usize;

    /// Whether a byte is 0x80 or above: whether any lane's bit 7 is set.
    fn any_high(self, v: Self::Vector) -> bool;

    /// Whether any bit is set.
    fn any(self, v: Self::Vector) -> bool;

    /// Appends the bytes, if there is room, and says whether all of them are ASCII: loaded once, looked at and stored.
    #[cfg(feature = "alloc")]
    #[inline(always)]
    fn put_and_ask(self, bytes: &[u8; 256], out: &mut Output<'_>) -> Option<bool> {
        let next = out.next_array::<256>()?;
        let mut all = self.splat(0);
        let mut at = 0;
        while at < 256 {
            let v = self.load(bytes, at);
            all = self.or(all, v);
            let to: &mut [MaybeUninit<u8>] = &mut next[at..at + size_of::<Self::Vector>()];
            // SAFETY: `to` has as many bytes as the vector, all of which are written: by the trait's contract it has
            // no padding. The store needs no alignment.
            unsafe { to.as_mut_ptr().cast::<Self::Vector>().write_unaligned(v) };
            at += size_of::<Self::Vector>();
        }
        // SAFETY: the loop has written 256 bytes.
        unsafe { out.advance(256) };
        Some(!self.any_high(all))
    }
}

/// Moves the first bytes of a vector of 16 out, and zeros in at the end: loaded at `n`, lane i gets lane i + n.
/// (An index with bit 7 set gives zero everywhere.) None of these loads is in two cache lines.
static MOVE_DOWN: Aligned<[u8; 32]> = {
    let mut indices = [0x80; 32];
    let mut i = 0;
    while i < 16 {
        indices[i] = i as u8;
        i += 1;
    }
    Aligned(indices)
};

/// A table at the start of a cache line.
#[repr(align(64))]
struct Aligned<T>(T);

/// Fewer than 16 bytes and then zeros, as two little-endian words: loads that overlap, so that none
/// reaches outside, and a shift that removes what was loaded twice.
#[inline(always)]
fn short_words(bytes: &[u8]) -> [u64; 2] {
    let n = bytes.len();
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        // 8 to 15: the last word has 16 - n bytes too many, at least one of them.
        [u64::from_le_bytes(*first), u64::from_le_bytes(*last) >> 8 >> (8 * (15 - n))]
    } else if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        // 4 to 7: bytes that both have are the same in both.
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        [u64::from(first) | u64::from(last) << (8 * (n - 4)), 0]
    } else if let (Some(&first), Some(&middle), Some(&last)) = (bytes.first(), bytes.get(n / 2), bytes.last())
    {
        // 1 to 3: the middle is one of the others unless there are three.
        let (middle, last) = (u64::from(middle) << (8 * (n / 2)), u64::from(last) << (8 * (n - 1)));
        [u64::from(first) | middle | last, 0]
    } else {
        [0, 0]
    }
}
