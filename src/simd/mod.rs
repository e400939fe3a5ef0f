//! Instruction sets: a trait for what the block algorithm needs, and one file for each instruction set.
//!
//! A value of a type that implements [`Simd`] proves that the CPU has the instruction set. Such a value is made only
//! inside a function that is compiled for the instruction set (`#[target_feature]`), and such a function is called
//! only after the CPU has been asked. So code that is handed a value uses the instructions without `unsafe`.
//!
//! Every method is `#[inline(always)]`, and so is every function between a method and the function with the target
//! feature: an intrinsic that is not inlined into such a function becomes a call.
//!
//! AVX-512 does not implement [`Simd`]: it has algorithms of its own, in `kernel/bitplanes/`.

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
            #[cfg(feature = "transcode")]
            mod avx2_convert;
            #[cfg(kernel_avx512)]
            #[expect(clippy::incompatible_msrv, reason = "build.rs asks the compiler for its version")]
            pub(crate) mod avx512;
            #[cfg(all(kernel_avx512, feature = "transcode"))]
            #[expect(clippy::incompatible_msrv, reason = "build.rs asks the compiler for its version")]
            mod avx512_convert;
            #[cfg(all(kernel_avx512, feature = "transcode"))]
            #[expect(clippy::incompatible_msrv, reason = "build.rs asks the compiler for its version")]
            mod avx512_lengths;
            mod prefetch;
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

/// A proof that the CPU has an instruction set, for code inside a function that is compiled for it.
pub(crate) trait Token: Copy {
    /// Calls `R::run` as a function of its own that is compiled for the instruction set.
    ///
    /// A function with several loops keeps the constants of all of them in registers, and moves to memory what does
    /// not fit. So each loop that matters is a function of its own.
    fn apart<R: Routine<Self>>(self, bytes: &[u8], at: usize) -> R::Output;
}

/// What [`Token::apart`] compiles as a function of its own.
pub(crate) trait Routine<T> {
    /// What the function returns.
    type Output;

    /// Works on `bytes`. `at` is the place from which on, or another number that the routine asks for.
    fn run(token: T, bytes: &[u8], at: usize) -> Self::Output;
}

/// Declares a token: its type, the `new` that makes it, and its [`Token::apart`]. The features stand here once for
/// both functions.
#[cfg(any(kernel_x86, kernel_neon))]
macro_rules! token {
    ($(#[$docs:meta])* $name:ident, $features:literal) => {
        $(#[$docs])*
        #[derive(Clone, Copy)]
        pub(crate) struct $name(());

        impl $name {
            #[inline]
            #[target_feature(enable = $features)]
            pub(crate) fn new() -> Self {
                Self(())
            }
        }

        impl $crate::simd::Token for $name {
            // This function is not inlined either. Where a function without the features calls one with them, as
            // here, the compiler (1.95) forgets that the callee is not to be inlined. What is left of this one is a
            // jump.
            #[inline(never)]
            fn apart<R: $crate::simd::Routine<Self>>(self, bytes: &[u8], at: usize) -> R::Output {
                #[target_feature(enable = $features)]
                fn compiled<R: $crate::simd::Routine<$name>>(bytes: &[u8], at: usize) -> R::Output {
                    R::run($name::new(), bytes, at)
                }
                // SAFETY: `self` proves that the CPU has the features.
                unsafe { compiled::<R>(bytes, at) }
            }
        }
    };
}
#[cfg(any(kernel_x86, kernel_neon))]
use token;

/// An instruction set with vectors of [`LANES`](Self::LANES) bytes.
///
/// All arithmetic works on each byte by itself, but where the name ends in 32.
///
/// # Safety
///
/// - `Vector` must be a register: integers side by side, without padding. (A vector that is stored as text counts as
///   bytes that are initialised.)
pub(crate) unsafe trait Simd: Token {
    /// The token of the instruction set that conversions use on such a CPU.
    #[cfg(feature = "transcode")]
    type Converter: convert::ConvertOps;

    /// Returns the token for conversions.
    #[cfg(feature = "transcode")]
    fn converter(self) -> Self::Converter;

    /// A vector register.
    type Vector: Copy;

    /// The number of bytes in a vector: 16 or 32.
    const LANES: usize;

    /// The least length at which short input is tested for being all ASCII before it is checked. The check of
    /// anything shorter costs less than predicting the outcome of that test wrongly now and then.
    const ASCII_TEST_FROM: usize;

    /// Whether dense text that is one to three bytes earlier is loaded again, and not made of two registers.
    ///
    /// Loads have ports of their own, so on CPUs they cost less. A compiler for WebAssembly does all loads of a block first, and then
    /// V8 has too few registers.
    const RELOADS: bool = true;

    /// Returns `byte` in every lane.
    fn splat(self, byte: u8) -> Self::Vector;

    /// Returns `bytes[at..at + LANES]`.
    ///
    /// `load` panics where that is out of bounds. All callers check lengths such that the compiler sees it never is.
    fn load(self, bytes: &[u8], at: usize) -> Self::Vector;

    /// Prefetches the line at `bytes[at]`, where the instruction set can. If `bytes` has no such place, nothing happens.
    #[inline(always)]
    fn prefetch(self, _bytes: &[u8], _at: usize) {}

    /// Returns `bytes`, and zeros after them. `bytes` has fewer than `LANES` bytes.
    fn load_short(self, bytes: &[u8]) -> Self::Vector;

    /// Returns `bytes[LANES..]`, and zeros after them. `bytes` has `LANES` to `2 * LANES` bytes.
    fn load_second(self, bytes: &[u8]) -> Self::Vector;

    /// Returns a vector of which `bytes` are the last four bytes, and all others are zero.
    fn ending_in(self, bytes: [u8; 4]) -> Self::Vector;

    /// Returns a table for [`lookup`](Self::lookup).
    fn table(self, entries: &[u8; 16]) -> Self::Vector;

    /// Returns `table[index]` for each lane of `indices`, all of which are below 16. Each sixteen lanes look up in the sixteen bytes
    /// that stand in the same place of `table`.
    fn lookup(self, table: Self::Vector, indices: Self::Vector) -> Self::Vector;

    /// Returns the text `N` bytes before `now`: the last `N` lanes of `before`, then the first lanes of `now`.
    fn earlier<const N: usize>(self, now: Self::Vector, before: Self::Vector) -> Self::Vector;

    /// Returns the upper four bits of each byte, as a number below 16.
    fn high_nibbles(self, v: Self::Vector) -> Self::Vector;

    /// Returns the lower four bits of each byte.
    fn low_nibbles(self, v: Self::Vector) -> Self::Vector;

    fn and(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn or(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn xor(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns the larger of two unsigned numbers.
    fn max(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns the smaller of two unsigned numbers.
    fn min(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns `a - b` of unsigned numbers, and 0 where that would be negative.
    fn minus(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns `a + b` of signed numbers, and 127 where that would be more.
    fn plus_signed(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns `a - b`, modulo 256.
    fn minus_wrapping(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns `a - b` of numbers of 32 bits, modulo 2^32.
    #[cfg(feature = "transcode")]
    fn minus32(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns the larger of two unsigned numbers of 32 bits.
    #[cfg(feature = "transcode")]
    fn max32(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns FF where `a` equals `b`, and 00 elsewhere.
    fn equal(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns FF where `a` is below `b`, both as signed numbers, and 00 elsewhere.
    fn below_signed(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns a byte for each two neighbouring bytes, of `a` and then of `b`: zero if both are zero, and something else otherwise.
    ///
    /// Each sixteen lanes are made of the same sixteen lanes of `a` and `b`.
    fn halve(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns the sum of all bytes.
    fn sum(self, v: Self::Vector) -> usize;

    /// Returns bit 7 of each byte. The first byte's is the lowest bit of the result.
    fn high_bits(self, v: Self::Vector) -> u64;

    /// Returns bit 7 of each byte of `bytes[at..at + 64]`. The first byte's is the lowest bit of the result.
    #[inline(always)]
    fn high_bits_of_64(self, bytes: &[u8], at: usize) -> u64 {
        let (mut bits, mut done) = (0, 0);
        while done < 64 {
            bits |= self.high_bits(self.load(bytes, at + done)) << done;
            done += Self::LANES;
        }
        bits
    }

    /// Returns whether bit 7 of any byte is set. In text: whether any byte is not ASCII.
    fn any_high_bit(self, v: Self::Vector) -> bool;

    /// Returns whether any bit is set.
    fn any(self, v: Self::Vector) -> bool;

    /// Appends `bytes` to `out` and returns whether all of them are ASCII, or returns `None` if there is no room.
    ///
    /// Each vector is loaded once, and then tested and stored.
    #[cfg(feature = "alloc")]
    #[inline(always)]
    fn put_and_test_ascii(self, bytes: &[u8; 256], out: &mut Output<'_>) -> Option<bool> {
        let next = out.next_array::<256>()?;
        let mut all = self.splat(0);
        let mut at = 0;
        while at < 256 {
            let v = self.load(bytes, at);
            all = self.or(all, v);
            let to: &mut [MaybeUninit<u8>] = &mut next[at..at + size_of::<Self::Vector>()];
            // SAFETY: `to` has as many bytes as the vector, and the store writes all of them: by the contract of the
            // trait the vector has no padding. The store needs no alignment.
            unsafe { to.as_mut_ptr().cast::<Self::Vector>().write_unaligned(v) };
            at += size_of::<Self::Vector>();
        }
        // SAFETY: the loop has written 256 bytes.
        unsafe { out.advance(256) };
        Some(!self.any_high_bit(all))
    }
}

/// The indices that move the bytes of a 16-byte vector to lower lanes. A load at `MOVE_DOWN.0[n]` gives the indices
/// with which lane `i` gets the byte of lane `i + n`, and the last `n` lanes get zero. (An index with bit 7 set gives
/// zero on every instruction set.) No such load touches two cache lines.
const MOVE_DOWN: &Aligned<[u8; 32]> = &{
    let mut indices = [0x80; 32];
    let mut i = 0;
    while i < 16 {
        indices[i] = i as u8;
        i += 1;
    }
    Aligned(indices)
};

/// A table that begins at the start of a cache line.
#[repr(align(64))]
struct Aligned<T>(T);

/// Returns fewer than 16 bytes, and zeros after them, as two little-endian words.
///
/// The loads overlap, so that none reaches outside. A shift removes the bytes that were loaded twice.
#[inline(always)]
fn short_words(bytes: &[u8]) -> [u64; 2] {
    let n = bytes.len();
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        // 8 to 15 bytes: the first 16 - n bytes of the last word, at least one, are in the first word too.
        [u64::from_le_bytes(*first), u64::from_le_bytes(*last) >> 8 >> (8 * (15 - n))]
    } else if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        // 4 to 7 bytes: a byte that is in both loads is the same in both.
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        [u64::from(first) | u64::from(last) << (8 * (n - 4)), 0]
    } else if let (Some(&first), Some(&middle), Some(&last)) = (bytes.first(), bytes.get(n / 2), bytes.last())
    {
        // 1 to 3 bytes: the middle byte is the first or the last one, unless there are three.
        let (middle, last) = (u64::from(middle) << (8 * (n / 2)), u64::from(last) << (8 * (n - 1)));
        [u64::from(first) | middle | last, 0]
    } else {
        [0, 0]
    }
}
