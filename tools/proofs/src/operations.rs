//! Operations on formulas, compared with the same operations on numbers.
//!
//! The unit tests of the library compare the instructions of each instruction set with arrays (`src/simd/model.rs`). Here the
//! operations that take the place of these instructions are compared with the same arrays: first formulas are made of variables,
//! and then values are put in. Operations of two bytes are compared for all 65,536 pairs.

use crate::any_bytes;
use crate::byte::Byte;
use crate::formula::{Formula, alone};
use crate::simd::symbolic::{Symbolic, X86};
use crate::simd::x86::avx512::Avx512;
use crate::simd::{Simd, Vectors};
use crate::vector::Vector;

/// Returns the values of the variables where these are the values of the bytes.
fn bits(bytes: &[u8]) -> impl Fn(u32) -> bool {
    move |variable| bytes[variable as usize / 8] >> (7 - variable % 8) & 1 == 1
}

fn value<const N: usize>(vector: Vector<N>, bytes: &[u8]) -> [u8; N] {
    vector.0.map(|byte| byte.under(bits(bytes)))
}

/// Returns `n` bytes that look random, the same in each run.
fn random(n: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let next = std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 56) as u8
    });
    next.take(n).collect()
}

/// Returns whether all operations are right.
pub(crate) fn are_right() -> bool {
    alone(pairs) && alone(vectors::<16>) && alone(vectors::<32>) && alone(avx512)
}

fn pairs() -> bool {
    type Pair = (fn(Byte, Byte) -> Byte, fn(u8, u8) -> u8);
    const PAIRS: [Pair; 12] = [
        (Byte::and, |a, b| a & b),
        (Byte::or, |a, b| a | b),
        (Byte::xor, |a, b| a ^ b),
        (Byte::max, u8::max),
        (Byte::min, u8::min),
        (Byte::minus_saturating, u8::saturating_sub),
        (Byte::minus_wrapping, u8::wrapping_sub),
        (Byte::mean, |a, b| (u16::from(a) + u16::from(b)).div_ceil(2) as u8),
        (Byte::negated, |a, b| a.cast_signed().wrapping_mul(b.cast_signed().signum()).cast_unsigned()),
        (Byte::plus_signed_saturating, |a, b| {
            a.cast_signed().saturating_add(b.cast_signed()).cast_unsigned()
        }),
        (|a, b| Byte::splat(a.equals(b)), |a, b| if a == b { 0xFF } else { 0 }),
        (
            |a, b| Byte::splat(a.below_signed(b)),
            |a, b| if a.cast_signed() < b.cast_signed() { 0xFF } else { 0 },
        ),
    ];
    let (a, b) = (Byte::any(0), Byte::any(1));
    PAIRS.iter().all(|(operation, model)| {
        let result = operation(a, b);
        (0..=255).all(|x| (0..=255).all(|y| result.under(bits(&[x, y])) == model(x, y)))
    })
}

fn vectors<const N: usize>() -> bool {
    let s = Symbolic::<N, X86>;
    let bytes = any_bytes(2 * N);
    let (a, b) = (Vector(std::array::from_fn(|i| bytes[i])), Vector(std::array::from_fn(|i| bytes[N + i])));
    let entries: [u8; 16] = std::array::from_fn(|i| (i * 37 + 11) as u8);
    (0..20).all(|seed| {
        let values = random(2 * N, seed);
        let earlier =
            |n: usize| std::array::from_fn(|i| if i < n { values[2 * N + i - n] } else { values[i - n] });
        value(s.nibbles_at::<4>(a), &values)[..]
            == values[..N].iter().map(|byte| byte >> 4).collect::<Vec<_>>()
            && value(s.nibbles_at::<2>(a), &values)[..]
                == values[..N].iter().map(|byte| byte >> 2 & 15).collect::<Vec<_>>()
            && value(s.low_nibbles(a), &values)[..]
                == values[..N].iter().map(|byte| byte & 15).collect::<Vec<_>>()
            && value(s.lookup(s.table(&entries), s.low_nibbles(a)), &values)
                == std::array::from_fn(|i| entries[usize::from(values[i] & 15)])
            && value(s.earlier::<1>(a, b), &values) == earlier(1)
            && value(s.earlier::<2>(a, b), &values) == earlier(2)
            && value(s.earlier::<3>(a, b), &values) == earlier(3)
            && a.any().under(bits(&values)) == values[..N].iter().any(|&byte| byte != 0)
            && a.any_high_bit().under(bits(&values)) == values[..N].iter().any(|&byte| byte >= 0x80)
    })
}

/// Returns the eight lanes of 64 bits.
fn words(bytes: &[u8]) -> [u64; 8] {
    let (words, _) = bytes.as_chunks::<8>();
    std::array::from_fn(|i| u64::from_le_bytes(words[i]))
}

fn of_words(words: [u64; 8]) -> Vec<u8> {
    words.into_iter().flat_map(u64::to_le_bytes).collect()
}

fn avx512() -> bool {
    let s = Avx512;
    let bytes = any_bytes(192);
    let [a, b, c] = [0, 64, 128].map(|from| Vector::<64>(std::array::from_fn(|i| bytes[from + i])));
    let table: [u8; 64] = std::array::from_fn(|i| (i * 37 + 11) as u8);
    let constants = Vector(table.map(Byte::constant));
    (0..20).all(|seed| {
        let values = random(192, seed);
        let (x, y, z) = (&values[..64], &values[64..128], &values[128..]);
        let is = |vector: Vector<64>, model: &[u8]| value(vector, &values)[..] == *model;
        let map = |f: &dyn Fn(usize) -> u8| (0..64).map(f).collect::<Vec<u8>>();
        let lanes: Vec<u64> = words(y)[7..].iter().chain(&words(x)[..7]).copied().collect();
        let earlier_and_up = s.earlier_and_up(a, b);
        let ups = [8, 17, 26].map(|n| std::array::from_fn(|i| words(x)[i] << n | lanes[i] >> (64 - n)));
        let regrouped = |width: usize, (inner, outer): (Vector<64>, Vector<64>)| {
            let is_high = |i: usize| i / width % 2 == 1;
            is(inner, &map(&|i| if is_high(i) { x[i - width] } else { y[i + width] }))
                && is(outer, &map(&|i| if is_high(i) { x[i] } else { y[i] }))
        };
        let picked = |i: usize| {
            let lane = i / 8 * 8;
            (0..8).fold(0, |byte, k| {
                let is_odd = (x[lane + k] & table[i]).count_ones() as u8 & 1;
                byte | is_odd << (7 - k)
            })
        };
        is(s.ternary::<0xCA>(a, b, c), &map(&|i| x[i] & y[i] | !x[i] & z[i]))
            && is(s.ternary::<0xF6>(a, b, c), &map(&|i| x[i] | (y[i] ^ z[i])))
            && is(s.ternary::<0x10>(a, b, c), &map(&|i| x[i] & !y[i] & !z[i]))
            && is(s.plus(a, b), &map(&|i| x[i].wrapping_add(y[i])))
            && is(s.without(a, b), &map(&|i| x[i] & !y[i]))
            && is(s.lookup(constants, a), &map(&|i| table[usize::from(x[i] % 64)]))
            && is(s.lookup(a, constants), &map(&|i| x[usize::from(table[i] % 64)]))
            && is(
                s.lookup_from(constants, a, s.splat(0xC0)),
                &map(&|i| if x[i] >= 0xC0 { table[usize::from(x[i] % 64)] } else { 0 }),
            )
            && is(s.shift_right_4_in_16(a), &map(&|i| x[i] >> 4 | if i % 2 == 0 { x[i + 1] << 4 } else { 0 }))
            && is(s.shift_right::<1>(a), &of_words(words(x).map(|word| word >> 1)))
            && is(s.shift_right::<3>(a), &of_words(words(x).map(|word| word >> 3)))
            && is(s.shift_left::<1>(a), &of_words(words(x).map(|word| word << 1)))
            && (0..3).all(|i| is(earlier_and_up[i], &of_words(ups[i])))
            && regrouped(1, s.regroup_8(a, b))
            && regrouped(2, s.regroup_16(a, b))
            && regrouped(4, s.regroup_32(a, b))
            && is(s.pick_planes(constants, a), &map(&picked))
            && is(
                s.splat64(0x0123_4567_89AB_CDEF),
                &[0xEF, 0xCD, 0xAB, 0x89, 0x67, 0x45, 0x23, 0x01].repeat(8),
            )
            && is(
                s.splat128(0x0123_4567),
                &[0x67, 0x45, 0x23, 0x01, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0].repeat(4),
            )
            && is(s.first_bytes(a, 13), &map(&|i| if i < 13 { x[i] } else { 0 }))
            && Formula::not(a.any()).under(bits(&values)) == x.iter().all(|&byte| byte == 0)
    })
}
