//! Instruction sets: the trait of vectors for the block algorithm, and one file for each
//! instruction set.
//!
//! A value of a type that implements [`Simd`] proves that the CPU has the instruction set. Only a
//! function that is compiled for the instruction set (`#[target_feature]`) makes such a value, and
//! it is called only after the CPU was detected. So code with a value uses the instructions without
//! `unsafe`.
//!
//! Every method is `#[inline(always)]`, and so is every function between a method and the function
//! with the target feature: an intrinsic that is not inlined into such a function becomes a call.
//!
//! AVX-512 does not implement [`Simd`]: it has other algorithms, in `kernel/bitplanes/`.

#[macro_use]
mod sets;
#[macro_use]
#[cfg(trust8_simd)]
mod compiled;
#[cfg(test)]
mod model;

cfg_if::cfg_if! {
    if #[cfg(trust8_x86)] {
        pub(crate) mod nontemporal;
        pub(crate) mod x86 {
            //! The instruction sets of x86 and x86-64.

            mod avx2;
            #[cfg(trust8_avx512)]
            #[expect(clippy::incompatible_msrv, reason = "build.rs asks the compiler for its version")]
            pub mod avx512;
            mod prefetch;
            mod sse42;
        }
    } else if #[cfg(trust8_neon)] {
        mod neon;
    } else if #[cfg(trust8_wasm)] {
        mod simd128;
    }
}

use core::mem::MaybeUninit;

/// Only this crate can name this trait. So only its own types are tokens, and have vectors.
///
/// ```compile_fail,E0277
/// #[derive(Clone, Copy)]
/// struct Other;
///
/// impl trust8::engine::Token for Other {
///     fn apart<J: trust8::engine::Job<Self, M, O>, M, O>(self, _: J, bytes: &[u8], more: M) -> O {
///         J::run(self, bytes, more)
///     }
/// }
/// ```
pub trait Sealed {}

/// A proof that the CPU has an instruction set, for code inside a function that is compiled for it.
pub trait Token: Copy + Sealed {
    /// Runs a job as a separate function that is compiled for the instruction set.
    ///
    /// A function with several loops keeps the constants of all of them in registers, and spills.
    /// So each hot loop is a separate function.
    fn apart<J: Job<Self, M, O>, M, O>(self, job: J, bytes: &[u8], more: M) -> O;
}

/// Work on bytes, compiled for one instruction set with [`Token::apart`], or for each with
/// `Kernel::run`.
///
/// `T` is the token, `M` the other input, and `O` the result.
pub trait Job<T, M, O> {
    /// Does the work. It is inlined into the function that is compiled for the instruction set.
    fn run(token: T, bytes: &[u8], more: M) -> O;
}

/// Declares the tokens.
macro_rules! tokens {
    ($($set:ident: $token:ident, $name:literal, $cfg:ident, [$($feature:tt),+], $target:tt, $about:literal;)+) => {$(
        #[doc = concat!("The proof that the CPU has what the kernel `", $name, "` needs: ", stringify!($($feature),+), ".")]
        #[cfg($cfg)]
        #[derive(Clone, Copy, Debug)]
        pub struct $token(());

        #[cfg($cfg)]
        impl $token {
            #[inline]
            #[target_feature($(enable = $feature),+)]
            pub(crate) fn new() -> Self {
                Self(())
            }

            /// Runs a job. Only this function and `new` are compiled for the instruction set.
            #[target_feature($(enable = $feature),+)]
            pub(crate) fn enter<J: Job<Self, M, O>, M, O>(bytes: &[u8], more: M) -> O {
                J::run(Self::new(), bytes, more)
            }
        }

        #[cfg($cfg)]
        impl Sealed for $token {}

        #[cfg($cfg)]
        impl Token for $token {
            // Not inlined, because rustc 1.95 ignores `inline(never)` on `enter`, whose features this
            // function lacks. It compiles to a jump.
            #[inline(never)]
            fn apart<J: Job<Self, M, O>, M, O>(self, _: J, bytes: &[u8], more: M) -> O {
                // SAFETY: `self` proves that the CPU has the features.
                #[cfg_attr(trust8_wasm, expect(unused_unsafe, reason = "a module runs only where its features are"))]
                unsafe {
                    Self::enter::<J, M, O>(bytes, more)
                }
            }
        }
    )+};
}
instruction_sets!(tokens);

/// A register, or an array: integers side by side.
///
/// # Safety
///
/// - The type has no padding, so all of its bytes are initialised. Every sequence of bytes of its
///   length is a value of it.
pub unsafe trait Plain: Copy {}

// SAFETY: a byte is initialised as a whole, or not at all.
unsafe impl Plain for u8 {}
// SAFETY: an array has no padding between its elements.
unsafe impl<V: Plain, const N: usize> Plain for [V; N] {}

/// Vectors of bytes. All arithmetic is bytewise, and numbers are unsigned if a method says nothing
/// else.
///
/// Every engine implements it, with vectors of an instruction set or with arrays. `Simd` has what
/// the block algorithm needs besides.
pub trait Vectors: Token {
    /// A vector, in a register if there is one.
    type Vector: Plain;

    /// The number of bytes in a vector, at most 64.
    const LANES: usize;

    /// Returns `byte` in every lane.
    fn splat(self, byte: u8) -> Self::Vector;

    /// Returns `bytes[at..at + LANES]`.
    ///
    /// `load` panics if this is out of bounds. All callers check lengths such that the compiler
    /// sees that it never is.
    #[inline(always)]
    fn load(self, bytes: &[u8], at: usize) -> Self::Vector {
        read(bytes, at)
    }

    /// Returns `bytes`, and zeros after them. `bytes` has fewer than `LANES` bytes.
    fn load_short(self, bytes: &[u8]) -> Self::Vector;

    /// Bitwise.
    fn and(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Bitwise.
    fn or(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns the larger of two numbers.
    fn max(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns the smaller of two numbers.
    fn min(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns `a - b`, and 0 where that would be negative.
    fn minus_saturating(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns `a + b` of signed numbers, and 127 where that would be more.
    fn plus_signed_saturating(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns bit 7 of each byte. The first byte's is the lowest bit of the result.
    fn high_bits(self, v: Self::Vector) -> u64;

    /// Returns whether bit 7 of any byte is set. In text: whether any byte is not ASCII.
    #[inline(always)]
    fn any_high_bit(self, v: Self::Vector) -> bool {
        self.high_bits(v) != 0
    }

    /// Returns whether any bit is set.
    fn any(self, v: Self::Vector) -> bool;

    /// Writes the vector to `to[at..at + LANES]`.
    ///
    /// `store` panics if this is out of bounds.
    #[inline(always)]
    fn store(self, v: Self::Vector, to: &mut [MaybeUninit<u8>], at: usize) {
        let to: &mut [MaybeUninit<u8>] = &mut to[at..at + size_of::<Self::Vector>()];
        // SAFETY: `to` has as many bytes as the vector, which is `Plain`. The store needs no
        // alignment.
        unsafe { to.as_mut_ptr().cast::<Self::Vector>().write_unaligned(v) };
    }
}

/// Returns the vector whose bytes begin at `bytes[at]`.
///
/// # Panics
///
/// If it is out of bounds.
#[must_use]
#[inline(always)]
pub fn read<V: Plain>(bytes: &[u8], at: usize) -> V {
    let from: &[u8] = &bytes[at..at + size_of::<V>()];
    // SAFETY: `from` has as many bytes as the vector, which is `Plain`. The load needs no alignment.
    unsafe { from.as_ptr().cast::<V>().read_unaligned() }
}

/// What the block algorithm needs of an instruction set with vectors of 16 or 32 bytes.
#[cfg(trust8_simd)]
pub trait Simd: Vectors {
    /// Whether text in a block two and three bytes earlier is loaded again, not combined from two registers.
    ///
    /// CPUs have separate ports for loads, so loads cost less. A compiler for WebAssembly does all
    /// loads of a block first, and then V8 runs out of registers.
    const RELOADS: bool = true;

    /// Prefetches the line at `bytes[at]`, if the instruction set can. `at` may be out of bounds.
    #[inline(always)]
    fn prefetch(self, _bytes: &[u8], _at: usize) {}

    /// Returns `bytes[LANES..]`, and zeros after them. `bytes` has `LANES` to `2 * LANES` bytes.
    ///
    /// The default is for vectors of 16 bytes.
    #[inline(always)]
    fn load_second(self, bytes: &[u8]) -> Self::Vector {
        let end = self.load(bytes, bytes.len() - 16);
        self.lookup(end, self.load(&MOVE_DOWN.0, 32 - bytes.len()))
    }

    /// Returns a vector whose last four bytes are `bytes`, with zeros before them.
    fn ending_in(self, bytes: [u8; 4]) -> Self::Vector;

    /// Returns a table for [`lookup`](Self::lookup). The default is for vectors of 16 bytes.
    #[inline(always)]
    fn table(self, entries: &[u8; 16]) -> Self::Vector {
        self.load(entries, 0)
    }

    /// Returns `table[index]` for each lane of `indices`, or zero for the index 80. All others are
    /// below 16. Each sixteen lanes use the sixteen bytes at the same position of `table`.
    fn lookup(self, table: Self::Vector, indices: Self::Vector) -> Self::Vector;

    /// Returns the text `N` bytes before `now`: the last `N` lanes of `before`, then the first
    /// lanes of `now`.
    fn earlier<const N: usize>(self, now: Self::Vector, before: Self::Vector) -> Self::Vector;

    /// Returns four bits of each byte from bit `BIT` on, as a number below 16.
    fn nibbles_at<const BIT: i32>(self, v: Self::Vector) -> Self::Vector;

    /// Returns the lower four bits of each byte.
    #[inline(always)]
    fn low_nibbles(self, v: Self::Vector) -> Self::Vector {
        self.and(v, self.splat(0x0F))
    }

    /// Bitwise.
    fn xor(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns `a - b`, modulo 256.
    fn minus_wrapping(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns the mean of two numbers, rounded up.
    fn mean(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns `v`, with all bits above the lowest one that is set inverted where `signs` is negative. What the others are there, and
    /// what a byte is where `signs` is 0, depends on the instruction set.
    #[inline(always)]
    fn inverted(self, v: Self::Vector, signs: Self::Vector) -> Self::Vector {
        self.xor(v, self.below_signed(signs, self.splat(0)))
    }

    /// Returns FF where `a` equals `b`, and 00 elsewhere.
    fn equal(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns FF where `a` is below `b`, both as signed numbers, and 00 elsewhere.
    fn below_signed(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns a byte for each two neighbouring bytes, of `a` and then of `b`: zero if both are
    /// zero, and something else otherwise.
    ///
    /// Each sixteen lanes come from the same sixteen lanes of `a` and `b`.
    fn halve(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns the sum of all bytes.
    fn sum(self, v: Self::Vector) -> usize;

    /// Returns bit 7 of each byte of `bytes[at..at + 64]`. The first byte's is the lowest bit of
    /// the result.
    #[inline(always)]
    fn high_bits_of_64(self, bytes: &[u8], at: usize) -> u64 {
        let (mut bits, mut done) = (0, 0);
        while done < 64 {
            bits |= self.high_bits(self.load(bytes, at + done)) << done;
            done += Self::LANES;
        }
        bits
    }
}

/// The indices that move the bytes of a 16-byte vector to lower lanes. A load at `MOVE_DOWN.0[n]`
/// gives the indices with which lane `i` gets the byte of lane `i + n`, and the last `n` lanes get
/// zero. (An index with bit 7 set gives zero on every instruction set.) No such load touches two
/// cache lines.
#[cfg(trust8_simd)]
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
#[cfg(trust8_simd)]
#[repr(align(64))]
struct Aligned<T>(T);

/// Returns fewer than 16 bytes, and zeros after them, as two little-endian words.
///
/// The loads overlap, so that none reaches outside. A shift removes the bytes that were loaded
/// twice.
#[cfg(trust8_simd)]
#[inline(always)]
fn short_words(bytes: &[u8]) -> [u64; 2] {
    let n = bytes.len();
    assert!(n < 16);
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        // 8 to 15 bytes: the first 16 - n bytes of the last word, at least one, are in the first
        // word too.
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

/// Returns initialised bytes as bytes that need not be.
#[must_use]
pub fn as_uninit(bytes: &[u8]) -> &[MaybeUninit<u8>] {
    let bytes = core::ptr::from_ref(bytes) as *const [MaybeUninit<u8>];
    // SAFETY: `MaybeUninit<u8>` has the size and alignment of `u8`, and every `u8` is a valid one.
    // Nothing can be written through a shared reference.
    unsafe { &*bytes }
}
