//! Finds vectors of ASCII without suspects. Only this test decides that text is valid; all others
//! only suspect characters of it.
//!
//! `tools/proofs/` proves that it misses no byte.

#![forbid(unsafe_code)]

#[cfg(trust8_simd)]
use trust8::engine::Simd;
use trust8::engine::Vectors;
#[cfg(trust8_avx512)]
use trust8::engine::{Avx512, avx512::Vector};

/// The suspects among ASCII, for text that may be all ASCII.
#[derive(Clone, Copy)]
pub(super) struct Plain {
    /// A byte of ASCII. Bytes above it are non-ASCII or suspect.
    most: u8,
    /// For each lower nibble, the number from which to subtract a byte, modulo 256. The difference
    /// is below [`WIDTH`](Self::WIDTH) exactly for suspects up to 1F. One more is so, too, except for CR if CR LF is allowed, which
    /// may make 1D one.
    #[cfg_attr(not(trust8_simd), expect(dead_code, reason = "only vectors use it"))]
    ends: [u8; 16],
    /// How many suspects there are.
    pub(super) count: Count,
}

/// How many characters of ASCII are suspects. None and one take fewer operations.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Count {
    None,
    /// NUL.
    One,
    More,
}

impl Plain {
    /// 00..0F and 10..1F, and CR.
    #[cfg_attr(not(trust8_simd), expect(dead_code, reason = "only vectors use it"))]
    const WIDTH: u8 = 0x12;

    /// Describes the suspects up to 1F by `ends`, and those above `most`. If `most` is zero, no
    /// text passes.
    pub(super) const fn new(ends: [u8; 16], most: u8, count: Count) -> Self {
        assert!(most.is_ascii());
        Self { ends, most, count }
    }

    /// Returns whether no text passes.
    pub(super) const fn refuses_all(&self) -> bool {
        self.most == 0
    }
}

/// Sets bit 7 in each lane in which a vector is non-ASCII or NUL, and in no other.
#[inline(always)]
pub(super) fn not_ascii_or_nul<V: Vectors>(v: V, bytes: V::Vector) -> V::Vector {
    // FF is -1. Negative bytes stay negative.
    v.plus_signed_saturating(bytes, v.splat(0xFF))
}

/// Returns nonzero lanes where a vector is non-ASCII or has a suspect, and possibly elsewhere.
#[cfg(trust8_simd)]
#[inline(always)]
pub(super) fn not_plain<S: Simd, const N: usize>(s: S, vectors: [S::Vector; N], plain: &Plain) -> S::Vector {
    let ends = s.table(&plain.ends);
    let (mut least, mut most, mut i) = (s.splat(0xFF), s.splat(0), 0);
    while i < N {
        // On x86, a lookup itself masks the lower four bits of an index. Non-ASCII is found in any
        // case.
        let low = if cfg!(trust8_x86) { vectors[i] } else { s.low_nibbles(vectors[i]) };
        least = s.min(least, s.minus_wrapping(s.lookup(ends, low), vectors[i]));
        most = s.max(most, vectors[i]);
        i += 1;
    }
    let below = s.minus_saturating(s.splat(Plain::WIDTH), least);
    s.or(below, s.minus_saturating(most, s.splat(plain.most)))
}

/// The same, except that CR before LF is no suspect if that is allowed. `next` are the bytes one position after `now`.
#[cfg(trust8_simd)]
#[inline(always)]
pub(super) fn not_lines<S: Simd>(s: S, now: S::Vector, next: S::Vector, plain: &Plain) -> S::Vector {
    let low = if cfg!(trust8_x86) { now } else { s.low_nibbles(now) };
    let difference = s.minus_wrapping(s.lookup(s.table(&plain.ends), low), now);
    // FF is -1.
    let one_more = s.minus_wrapping(difference, s.equal(next, s.splat(b'\n')));
    let below = s.minus_saturating(s.splat(Plain::WIDTH), one_more);
    s.or(below, s.minus_saturating(now, s.splat(plain.most)))
}

/// Sets bit 7 in each lane in which a vector is non-ASCII or has a suspect. `added` is
/// [`Sixes::ascii`](super::lanes::Sixes::ascii).
#[cfg(trust8_avx512)]
#[inline(always)]
pub(super) fn not_plain_512<const N: usize>(s: Avx512, vectors: [Vector; N], added: &[u8; 64]) -> Vector {
    let table = s.load(added, 0);
    let (mut all, mut i) = (s.zero(), 0);
    while i < N {
        // FE is the truth table of `or`.
        all = s.ternary::<0xFE>(all, vectors[i], s.plus(vectors[i], s.lookup(table, vectors[i])));
        i += 1;
    }
    all
}

/// The same, except that CR before LF is no suspect if that is allowed. `next` are the bytes one position after `now`.
#[cfg(trust8_avx512)]
#[inline(always)]
pub(super) fn not_lines_512(s: Avx512, now: Vector, next: Vector, added: &[u8; 64]) -> Vector {
    let sums = s.plus(now, s.lookup(s.load(added, 0), now));
    s.or(now, s.count_where(sums, s.equal(next, s.splat(b'\n')), s.splat(1)))
}
