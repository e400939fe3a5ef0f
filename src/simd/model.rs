//! Every operation of every instruction set, compared with the same operation on an array.
//!
//! A thousand texts may not reveal a mistake about one byte in one lane. So an operation on two
//! bytes is tested with all pairs of bytes, a test of bits with each bit of each lane, and a
//! partial load with each length.
//!
//! Instruction sets that the CPU lacks are skipped. If the machine must have one, the test fails.

use core::fmt::Debug;

use required::required;

use super::{Job, Simd, short_words};
use crate::kernel::{Automaton, Kernel};

#[path = "../../tests/support/required.rs"]
#[expect(unreachable_pub, reason = "tests/ and fuzz/ have this file as well")]
mod required;

/// Bytes at which signs, nibbles and the classes of UTF-8 change.
const EDGES: [u8; 22] = [
    0x00, 0x01, 0x0F, 0x10, 0x3F, 0x40, 0x5F, 0x60, 0x7F, 0x80, 0x81, 0x8F, 0x90, 0xA0, 0xBF, 0xC0, 0xC1,
    0xC2, 0xE0, 0xF0, 0xF4, 0xFF,
];

/// Returns arrays of 64 bytes, the same in each run: edges in all lanes, sequences, and random
/// ones. An instruction set with shorter vectors takes their beginnings.
fn arrays() -> Vec<[u8; 64]> {
    let mut arrays: Vec<[u8; 64]> = EDGES.iter().map(|&byte| [byte; 64]).collect();
    for start in [0, 64, 128, 192] {
        arrays.push(core::array::from_fn(|i| start + i as u8));
        arrays.push(core::array::from_fn(|i| start + 63 - i as u8));
    }
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    for _ in 0..60 {
        arrays.push(core::array::from_fn(|_| random.byte()));
        arrays.push(core::array::from_fn(|_| EDGES[usize::from(random.byte()) % EDGES.len()]));
    }
    arrays
}

struct Random(u64);

impl Random {
    fn byte(&mut self) -> u8 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 56) as u8
    }
}

/// Returns the bytes of a vector in the order of memory.
fn lanes<V: Copy>(vector: V) -> Vec<u8> {
    let first: *const u8 = (&raw const vector).cast();
    // SAFETY: `vector` is alive. It holds integers that fill a register, so it has no padding.
    let bytes = unsafe { core::slice::from_raw_parts(first, size_of::<V>()) };
    bytes.to_vec()
}

/// Asserts that a vector operation and its model agree.
#[inline(never)]
#[track_caller]
fn same<V: Copy>(what: &str, operands: &dyn Debug, vector: V, model: &[u8]) {
    assert_eq!(lanes(vector), model, "{what} of {operands:02X?}");
}

/// Tries a bytewise operation of two operands with all 65,536 pairs of bytes.
#[track_caller]
fn all_pairs<V: Copy>(
    what: &str,
    load: impl Fn(&[u8]) -> V,
    operation: impl Fn(V, V) -> V,
    model: impl Fn(u8, u8) -> u8,
) {
    let n = size_of::<V>();
    for a in 0..=255 {
        for first in (0..256).step_by(n) {
            // Neighbours differ in both operands, and each byte comes into several lanes.
            let left: Vec<u8> = (0..n).map(|lane| (a + lane) as u8).collect();
            let right: Vec<u8> = (0..n).map(|lane| (first + (lane ^ (a % n))) as u8).collect();
            let expected: Vec<u8> = left.iter().zip(&right).map(|(&a, &b)| model(a, b)).collect();
            same(what, &(&left, &right), operation(load(&left), load(&right)), &expected);
        }
    }
}

/// Returns the text `n` bytes earlier, as `Simd::earlier` does.
fn earlier_model(n: usize, now: &[u8], before: &[u8]) -> Vec<u8> {
    let mut text = before.to_vec();
    text.extend_from_slice(now);
    text[before.len() - n..text.len() - n].to_vec()
}

/// Checks all operations of each instruction set.
fn check_all<S: Simd>(s: S) {
    assert_eq!(size_of::<S::Vector>(), S::LANES);
    assert!(S::LANES == 16 || S::LANES == 32);
    loads(s);
    bytewise(s);
    nibbles_and_lookups(s);
    neighbours(s);
    questions(s);
}

fn loads<S: Simd>(s: S) {
    for byte in 0..=255 {
        same("splat", &byte, s.splat(byte), &vec![byte; S::LANES]);
    }
    let text: Vec<u8> = (1..=3 * S::LANES as u8).collect();
    for at in 0..=2 * S::LANES {
        same("load", &at, s.load(&text, at), &text[at..at + S::LANES]);
    }
    for array in arrays() {
        let table = array.first_chunk::<16>().expect("an array has 64 bytes");
        same("table", table, s.table(table), &table.repeat(S::LANES / 16));
    }
    for array in arrays().into_iter().chain([core::array::from_fn(|i| i as u8 + 1)]) {
        for n in 0..S::LANES {
            // In a separate allocation, whose end a sanitizer guards.
            let bytes: Box<[u8]> = array[..n].into();
            let mut model = bytes.to_vec();
            model.resize(S::LANES, 0);
            same("load_short", &bytes, s.load_short(&bytes), &model);
        }
        let four = array.first_chunk().expect("an array has 64 bytes");
        let mut model = vec![0; S::LANES];
        model[S::LANES - 4..].copy_from_slice(four);
        same("ending_in", four, s.ending_in(*four), &model);
        let twice: Vec<u8> = array.iter().chain(array.iter().rev()).copied().collect();
        for n in S::LANES..=2 * S::LANES {
            let bytes: Box<[u8]> = twice[..n].into();
            let mut model = bytes[S::LANES..].to_vec();
            model.resize(S::LANES, 0);
            same("load_second", &bytes, s.load_second(&bytes), &model);
        }
    }
}

fn bytewise<S: Simd>(s: S) {
    let load = |bytes: &[u8]| s.load(bytes, 0);
    all_pairs("and", load, |a, b| s.and(a, b), |a, b| a & b);
    all_pairs("or", load, |a, b| s.or(a, b), |a, b| a | b);
    all_pairs("xor", load, |a, b| s.xor(a, b), |a, b| a ^ b);
    all_pairs("max", load, |a, b| s.max(a, b), u8::max);
    all_pairs("min", load, |a, b| s.min(a, b), u8::min);
    all_pairs("minus", load, |a, b| s.minus_saturating(a, b), u8::saturating_sub);
    all_pairs(
        "plus_signed_saturating",
        load,
        |a, b| s.plus_signed_saturating(a, b),
        |a, b| a.cast_signed().saturating_add(b.cast_signed()).cast_unsigned(),
    );
    all_pairs("minus_wrapping", load, |a, b| s.minus_wrapping(a, b), u8::wrapping_sub);
    all_pairs("mean", load, |a, b| s.mean(a, b), |a, b| (u16::from(a) + u16::from(b)).div_ceil(2) as u8);
    all_pairs(
        "inverted, above the lowest bit",
        load,
        |v, signs| {
            let open = s.or(s.xor(v, s.minus_wrapping(v, s.splat(1))), s.equal(signs, s.splat(0)));
            s.or(s.inverted(v, signs), open)
        },
        |v, signs| match signs {
            0 => 0xFF,
            1..0x80 => v | (v ^ v.wrapping_sub(1)),
            _ => !v | (v ^ v.wrapping_sub(1)),
        },
    );
    all_pairs("equal", load, |a, b| s.equal(a, b), |a, b| if a == b { 0xFF } else { 0 });
    all_pairs(
        "below_signed",
        load,
        |a, b| s.below_signed(a, b),
        |a, b| if a.cast_signed() < b.cast_signed() { 0xFF } else { 0 },
    );
    for array in arrays() {
        let model: usize = array[..S::LANES].iter().map(|&byte| usize::from(byte)).sum();
        assert_eq!(s.sum(load(&array)), model, "sum of {array:02X?}");
    }
}

fn nibbles_and_lookups<S: Simd>(s: S) {
    // Pairs of neighbours, because a shift of 16-bit lanes could move bits of one byte into the
    // other.
    let load = |bytes: &[u8]| s.load(bytes, 0);
    all_pairs("nibbles_at::<4>", load, |a, _| s.nibbles_at::<4>(a), |a, _| a >> 4);
    all_pairs("nibbles_at::<2>", load, |a, _| s.nibbles_at::<2>(a), |a, _| a >> 2 & 15);
    all_pairs("low_nibbles", load, |a, _| s.low_nibbles(a), |a, _| a & 15);
    for array in arrays() {
        let high: Vec<u8> = array[..S::LANES].iter().map(|byte| byte >> 4).collect();
        same("nibbles_at::<4>", &array, s.nibbles_at::<4>(load(&array)), &high);
        let low: Vec<u8> = array[..S::LANES].iter().map(|byte| byte & 15).collect();
        same("low_nibbles", &array, s.low_nibbles(load(&array)), &low);

        let entries = array.first_chunk::<16>().expect("an array has 64 bytes");
        for turn in 0..16 {
            let indices: Vec<u8> = (0..S::LANES).map(|lane| ((lane * 7 + turn) % 16) as u8).collect();
            let model: Vec<u8> = indices.iter().map(|&index| entries[usize::from(index)]).collect();
            same("lookup", &(entries, &indices), s.lookup(s.table(entries), load(&indices)), &model);
        }
        let model: Vec<u8> = high.iter().map(|&index| entries[usize::from(index)]).collect();
        same("lookup", &(entries, &high), s.lookup(s.table(entries), load(&high)), &model);
    }
}

fn neighbours<S: Simd>(s: S) {
    let arrays = arrays();
    halves(s, &arrays);
    for (now, before) in arrays.iter().zip(arrays.iter().rev()).chain(arrays.iter().zip(&arrays[1..])) {
        let (now, before) = (&now[..S::LANES], &before[..S::LANES]);
        let (now_vector, before_vector) = (s.load(now, 0), s.load(before, 0));
        let operands = (now, before);
        same(
            "earlier 1",
            &operands,
            s.earlier::<1>(now_vector, before_vector),
            &earlier_model(1, now, before),
        );
        same(
            "earlier 2",
            &operands,
            s.earlier::<2>(now_vector, before_vector),
            &earlier_model(2, now, before),
        );
        same(
            "earlier 3",
            &operands,
            s.earlier::<3>(now_vector, before_vector),
            &earlier_model(3, now, before),
        );
    }
}

/// `halve` returns one byte for each two neighbours; only whether it is zero is specified. Tested
/// with one byte at each position, and with bytes at all.
fn halves<S: Simd>(s: S, arrays: &[[u8; 64]]) {
    let check = |a: &[u8], b: &[u8]| {
        let halved = s.halve(s.load(a, 0), s.load(b, 0));
        let found = s.equal(halved, s.splat(0));
        let pairs = a.chunks(16).zip(b.chunks(16)).flat_map(|(a, b)| a.chunks(2).chain(b.chunks(2)));
        let model: Vec<u8> = pairs.map(|pair| if pair == [0, 0] { 0xFF } else { 0 }).collect();
        same("halve", &(a, b), found, &model);
    };
    for a in arrays {
        for b in arrays {
            check(&a[..S::LANES], &b[..S::LANES]);
        }
    }
    for lane in 0..2 * S::LANES {
        for byte in [1, 0x7F, 0x80, 0xFF] {
            let mut both = vec![0; 2 * S::LANES];
            both[lane] = byte;
            check(&both[..S::LANES], &both[S::LANES..]);
        }
    }
}

/// Returns the answers for all bytes. The first byte's answer is the lowest bit.
fn bits(bytes: &[u8], answer: impl Fn(u8) -> bool) -> u64 {
    bytes.iter().rev().fold(0, |bits, &byte| bits << 1 | u64::from(answer(byte)))
}

fn questions<S: Simd>(s: S) {
    let ask = |bytes: &[u8]| (s.any_high_bit(s.load(bytes, 0)), s.any(s.load(bytes, 0)));
    assert_eq!(ask(&vec![0; S::LANES]), (false, false));
    assert_eq!(ask(&vec![0x7F; S::LANES]), (false, true));
    assert_eq!(ask(&vec![0x80; S::LANES]), (true, true));
    for lane in 0..S::LANES {
        for bit in 0..8 {
            let mut bytes = vec![0; S::LANES];
            bytes[lane] = 1 << bit;
            assert_eq!(ask(&bytes), (bit == 7, true), "lane {lane}, bit {bit}");
        }
        let mut bytes = vec![0x7F; S::LANES];
        bytes[lane] = 0x80;
        assert_eq!(ask(&bytes), (true, true), "lane {lane}");
    }
    for array in arrays() {
        let bytes = &array[..S::LANES];
        assert_eq!(
            s.high_bits(s.load(bytes, 0)),
            bits(bytes, |byte| byte >= 0x80),
            "high_bits of {bytes:02X?}"
        );
        assert_eq!(
            s.high_bits_of_64(&array, 0),
            bits(&array, |byte| byte >= 0x80),
            "high_bits_of_64 of {array:02X?}"
        );
        let model = (bytes.iter().any(|&byte| byte >= 0x80), bytes.iter().any(|&byte| byte != 0));
        assert_eq!(ask(bytes), model, "{bytes:02X?}");
    }
}

#[test]
fn short_words_of_every_length() {
    for array in arrays() {
        for n in 0..16 {
            let bytes: Box<[u8]> = array[..n].into();
            let mut model = [0; 16];
            model[..n].copy_from_slice(&bytes);
            assert_eq!(u128::from_le_bytes(model), {
                let [low, high] = short_words(&bytes);
                u128::from(high) << 64 | u128::from(low)
            });
        }
    }
}

/// Checks all operations of an instruction set.
struct Model;

#[cfg(trust8_simd)]
impl<S: Simd> Job<S, (), ()> for Model {
    fn run(s: S, _: &[u8], (): ()) {
        check_all(s);
    }
}

impl Job<Automaton, (), ()> for Model {
    fn run(_: Automaton, _: &[u8], (): ()) {}
}

#[test]
fn all_operations_of_all_instruction_sets() {
    for name in required() {
        assert!(Kernel::by_name(&name).is_some(), "the kernel '{name}' must be here");
    }
    for kernel in Kernel::available() {
        eprintln!("operations of {}", kernel.name());
        kernel.run(Model, &[], ());
    }
}

#[cfg(trust8_avx512)]
mod avx512 {
    use super::*;
    use crate::simd::x86::avx512::Vector;
    use crate::simd::{Avx512, Vectors};

    impl Job<Avx512, (), ()> for Model {
        fn run(s: Avx512, _: &[u8], (): ()) {
            loads(s);
            bytewise(s);
            counts(s);
            ternary(s);
            lookups(s);
            shifts(s);
            neighbours(s);
            regrouping(s);
            questions(s);
            planes(s);
        }
    }

    /// Returns the eight 64-bit lanes.
    fn words(bytes: &[u8]) -> [u64; 8] {
        let (words, _) = bytes.as_chunks::<8>();
        core::array::from_fn(|i| u64::from_le_bytes(words[i]))
    }

    fn of_words(words: impl IntoIterator<Item = u64>) -> Vec<u8> {
        words.into_iter().flat_map(u64::to_le_bytes).collect()
    }

    fn loads(s: Avx512) {
        same("zero", &(), s.zero(), &[0; 64]);
        for byte in 0..=255 {
            same("splat", &byte, s.splat(byte), &[byte; 64]);
        }
        for array in arrays() {
            let word = words(&array)[3];
            same("splat64", &word, s.splat64(word), &of_words([word; 8]));
            let (two, _) = array.as_chunks::<16>();
            same("splat128", &two[1], s.splat128(u128::from_le_bytes(two[1])), &two[1].repeat(4));
            let (four, others) = s.split_four(s.load(&array, 0));
            assert_eq!(four, array[..4], "split_four");
            same("split_four", &array, others, &[&array[4..], &array[..4]].concat());
        }
        let text: Vec<u8> = (0..192).collect();
        for at in 0..=128 {
            same("load", &at, s.load(&text, at), &text[at..at + 64]);
        }
        for at in 0..=176 {
            let places = [at, 176 - at, at * 7 % 177, 176];
            let model: Vec<u8> = places.iter().flat_map(|&place| &text[place..place + 16]).copied().collect();
            same("load_by_sixteen", &places, s.load_by_sixteen(&text, places), &model);
        }
        for array in arrays() {
            for n in 0..64 {
                let bytes: Box<[u8]> = array[..n].into();
                let mut model = bytes.to_vec();
                model.resize(64, 0);
                same("load_short", &bytes, s.load_short(&bytes), &model);
                same("first_bytes", &bytes, s.first_bytes(s.load(&array, 0), n), &model);
            }
            for n in 0..=80 {
                let bytes: Box<[u8]> = array.iter().chain(&[0xA5; 16]).take(n).copied().collect();
                let mut model = bytes.to_vec();
                model.resize(80, 0);
                same("load_up_to_64", &bytes, s.load_up_to_64(&bytes), &model[..64]);
            }
            let four = array.first_chunk().expect("an array has 64 bytes");
            same("ending_in", four, s.ending_in(*four), &four.repeat(16));
        }
        // A prefetch is a hint: inside or outside the slice, it has no effect that a test could
        // see.
        for at in [0, 100, 191, 192, 1 << 20, usize::MAX] {
            s.prefetch(&text, at);
        }
    }

    fn bytewise(s: Avx512) {
        let load = |bytes: &[u8]| s.load(bytes, 0);
        all_pairs("and", load, |a, b| s.and(a, b), |a, b| a & b);
        all_pairs("or", load, |a, b| s.or(a, b), |a, b| a | b);
        all_pairs("without", load, |a, b| s.without(a, b), |a, b| a & !b);
        all_pairs("max", load, |a, b| s.max(a, b), u8::max);
        all_pairs("min", load, |a, b| s.min(a, b), u8::min);
        all_pairs("minus", load, |a, b| s.minus_saturating(a, b), u8::saturating_sub);
        all_pairs("plus", load, |a, b| s.plus(a, b), u8::wrapping_add);
        all_pairs(
            "plus_signed_saturating",
            load,
            |a, b| s.plus_signed_saturating(a, b),
            |a, b| a.cast_signed().saturating_add(b.cast_signed()).cast_unsigned(),
        );
    }

    /// Comparisons into masks, and the operations that use masks.
    fn counts(s: Avx512) {
        let mask = |a: &[u8; 64], b: &[u8; 64], is: fn(u8, u8) -> bool| -> u64 {
            (0..64).fold(0, |mask, i| mask | u64::from(is(a[i], b[i])) << i)
        };
        let arrays = arrays();
        for (a, b) in arrays.iter().flat_map(|a| arrays.iter().step_by(3).map(move |b| (a, b))) {
            let (left, right) = (s.load(a, 0), s.load(b, 0));
            let below = mask(a, b, |a, b| a.cast_signed() < b.cast_signed());
            assert_eq!(s.below_signed(left, right), below, "below_signed of {a:02X?} {b:02X?}");
            assert_eq!(s.at_least(left, right), mask(a, b, |a, b| a >= b), "at_least of {a:02X?} {b:02X?}");
            assert_eq!(s.equal(left, right), mask(a, b, |a, b| a == b), "equal of {a:02X?} {b:02X?}");
            let model: Vec<u8> = (0..64).map(|i| a[i].wrapping_add((below >> i & 1) as u8)).collect();
            same("count_where", &(a, below), s.count_where(left, below, s.opaque_ones()), &model);
            let mut model: Vec<u8> = (0..64).filter(|i| below >> i & 1 == 1).map(|i| a[i]).collect();
            model.resize(64, 0);
            same("compress", &(a, below), s.compress(left, below), &model);
            for len in 0..=64 {
                same(
                    "append",
                    &(a, len, b),
                    s.append(left, len, right),
                    &[&a[..len], &b[..64 - len]].concat(),
                );
            }
            assert_eq!(s.not_zero(left), mask(a, b, |a, _| a != 0), "not_zero of {a:02X?}");
            let sums = words(a).into_iter().zip(words(b)).map(|(a, b)| a.wrapping_add(b));
            same("plus64", &(a, b), s.plus64(left, right), &of_words(sums));
        }
        for array in &arrays {
            let (eights, _) = array.as_chunks::<8>();
            let sums = eights.iter().map(|eight| eight.iter().map(|&byte| u64::from(byte)).sum());
            same("sums_of_bytes", array, s.sums_of_bytes(s.load(array, 0)), &of_words(sums));
            let total = words(array).into_iter().fold(0, u64::wrapping_add);
            assert_eq!(s.sum_of_lanes(s.load(array, 0)), total, "sum_of_lanes of {array:02X?}");
        }
    }

    fn ternary(s: Avx512) {
        fn check<const TABLE: i32>(s: Avx512) {
            // All eight combinations of bits, in all lanes, and some more.
            for shift in 0..8_u32 {
                let [a, b, c] = [0xF0_u8, 0xCC, 0xAA].map(|byte| [byte.rotate_left(shift); 64]);
                compare::<TABLE>(s, &a, &b, &c);
            }
            for three in arrays().windows(3).step_by(5) {
                compare::<TABLE>(s, &three[0], &three[1], &three[2]);
            }
        }
        fn compare<const TABLE: i32>(s: Avx512, a: &[u8; 64], b: &[u8; 64], c: &[u8; 64]) {
            let model: Vec<u8> = (0..64)
                .map(|i| {
                    let bit = |of: &[u8; 64], k: u32| i32::from(of[i] >> k & 1);
                    (0..8).fold(0, |byte, k| {
                        let row = bit(a, k) << 2 | bit(b, k) << 1 | bit(c, k);
                        byte | ((TABLE >> row & 1) as u8) << k
                    })
                })
                .collect();
            let result = s.ternary::<TABLE>(s.load(a, 0), s.load(b, 0), s.load(c, 0));
            same("ternary", &(TABLE, a, b, c), result, &model);
        }
        // Each row of a truth table alone, and the tables of some formulas.
        check::<0b0000_0001>(s);
        check::<0b0000_0010>(s);
        check::<0b0000_0100>(s);
        check::<0b0000_1000>(s);
        check::<0b0001_0000>(s);
        check::<0b0010_0000>(s);
        check::<0b0100_0000>(s);
        check::<0b1000_0000>(s);
        check::<0x00>(s);
        check::<0xFF>(s);
        check::<0xFE>(s); // a | b | c
        check::<0xF6>(s); // a | (b ^ c)
        check::<0xF8>(s); // a | (b & c)
        check::<0x96>(s); // a ^ b ^ c
        check::<0xE8>(s); // the majority
        check::<0xCA>(s); // if a { b } else { c }
        check::<0xE4>(s); // if c { a } else { b }
    }

    fn lookups(s: Avx512) {
        let arrays = arrays();
        for (table, indices) in arrays.iter().zip(arrays.iter().rev()) {
            let (table_vector, indices_vector) = (s.load(table, 0), s.load(indices, 0));
            let entry = |index: u8| table[usize::from(index % 64)];
            let model: Vec<u8> = indices.iter().map(|&index| entry(index)).collect();
            same("lookup", &(table, indices), s.lookup(table_vector, indices_vector), &model);
            for least in EDGES {
                let model: Vec<u8> =
                    indices.iter().map(|&index| if index >= least { entry(index) } else { 0 }).collect();
                let result = s.lookup_from(table_vector, indices_vector, s.splat(least));
                same("lookup_from", &(table, indices, least), result, &model);
            }
        }
    }

    fn shifts(s: Avx512) {
        fn check<const N: u32>(s: Avx512, array: &[u8; 64]) {
            let vector = s.load(array, 0);
            same(
                "shift_right",
                &(N, array),
                s.shift_right::<N>(vector),
                &of_words(words(array).map(|word| word >> N)),
            );
            same(
                "shift_left",
                &(N, array),
                s.shift_left::<N>(vector),
                &of_words(words(array).map(|word| word << N)),
            );
        }
        for array in arrays() {
            check::<1>(s, &array);
            check::<2>(s, &array);
            check::<3>(s, &array);
            check::<7>(s, &array);
            check::<8>(s, &array);
            check::<63>(s, &array);
            let (pairs, _) = array.as_chunks::<2>();
            let model: Vec<u8> =
                pairs.iter().flat_map(|&pair| (u16::from_le_bytes(pair) >> 4).to_le_bytes()).collect();
            same("shift_right_4_in_16", &array, s.shift_right_4_in_16(s.load(&array, 0)), &model);
        }
    }

    fn neighbours(s: Avx512) {
        let arrays = arrays();
        for (now, before) in arrays.iter().zip(arrays.iter().rev()).chain(arrays.iter().zip(&arrays[1..])) {
            let earlier = s.earlier_and_up(s.load(now, 0), s.load(before, 0));
            for (n, vector) in earlier.into_iter().enumerate() {
                // One to three bytes earlier, and up by none to two bits, which come in from the
                // byte before.
                let below = earlier_model(n + 2, now, before);
                let model: Vec<u8> = earlier_model(n + 1, now, before)
                    .iter()
                    .zip(below)
                    .map(|(&byte, below)| (u16::from_be_bytes([byte, below]) << n).to_be_bytes()[0])
                    .collect();
                same("earlier_and_up", &(n + 1, now, before), vector, &model);
            }
        }
    }

    /// For each two lanes of `width` bytes of `a` and `b`, returns the low one of `a` above the
    /// high one of `b`, and the high one of `a` above the low one of `b`.
    fn regroup_model(width: usize, a: &[u8], b: &[u8]) -> (Vec<u8>, Vec<u8>) {
        let (mut inner, mut outer) = (Vec::new(), Vec::new());
        for (a, b) in a.chunks(2 * width).zip(b.chunks(2 * width)) {
            let ((a_low, a_high), (b_low, b_high)) = (a.split_at(width), b.split_at(width));
            // The low half comes first in memory.
            inner.extend([b_high, a_low].concat());
            outer.extend([b_low, a_high].concat());
        }
        (inner, outer)
    }

    fn regrouping(s: Avx512) {
        let check = |what, width, a: &[u8; 64], b: &[u8; 64], result: (Vector, Vector)| {
            let (inner, outer) = regroup_model(width, a, b);
            same(what, &(a, b), result.0, &inner);
            same(what, &(a, b), result.1, &outer);
        };
        let arrays = arrays();
        for (a, b) in arrays.iter().zip(arrays.iter().rev()).chain(arrays.iter().zip(&arrays[1..])) {
            let (a_vector, b_vector) = (s.load(a, 0), s.load(b, 0));
            check("regroup_8", 1, a, b, s.regroup_8(a_vector, b_vector));
            check("regroup_16", 2, a, b, s.regroup_16(a_vector, b_vector));
            check("regroup_32", 4, a, b, s.regroup_32(a_vector, b_vector));
        }
    }

    fn questions(s: Avx512) {
        let ask = |bytes: &[u8; 64]| (s.any_high_bit(s.load(bytes, 0)), s.any(s.load(bytes, 0)));
        assert_eq!(ask(&[0; 64]), (false, false));
        assert_eq!(ask(&[0x7F; 64]), (false, true));
        for lane in 0..64 {
            for bit in 0..8 {
                let mut bytes = [0; 64];
                bytes[lane] = 1 << bit;
                assert_eq!(ask(&bytes), (bit == 7, true), "lane {lane}, bit {bit}");
            }
            let mut bytes = [0x7F; 64];
            bytes[lane] = 0x80;
            assert_eq!(ask(&bytes), (true, true), "lane {lane}");
        }
        let arrays = arrays();
        for (a, b) in arrays.iter().zip(arrays.iter().rev()) {
            let high = bits(a, |byte| byte >= 0x80);
            assert_eq!(s.high_bits(s.load(a, 0)), high, "high_bits of {a:02X?}");
            let common: Vec<u8> = a.iter().zip(b).map(|(a, b)| a & b).collect();
            let disjoint = bits(&common, |byte| byte == 0);
            assert_eq!(s.disjoint(s.load(a, 0), s.load(b, 0)), disjoint, "disjoint of {a:02X?} {b:02X?}");
        }
        for array in arrays {
            let model = (array.iter().any(|&byte| byte >= 0x80), array.iter().any(|&byte| byte != 0));
            assert_eq!(ask(&array), model, "{array:02X?}");
        }
    }

    /// Bit 7 - i of byte j of a group is the parity of the bits of byte i of the text that byte j
    /// of `planes` selects. If it selects one bit, this is that bit.
    fn planes(s: Avx512) {
        let arrays = arrays();
        let single = [0x8040_2010_0804_0201_u64, 0x0102_0408_1020_4080, 0x0102_0408_8040_2010];
        let single = single.map(|word| [word.to_le_bytes(); 8].concat().try_into().expect("64 bytes"));
        for text in &arrays {
            for planes in single.iter().chain(arrays.iter().step_by(9)) {
                let model: Vec<u8> = (0..64)
                    .map(|at| {
                        let group = at / 8 * 8;
                        (0..8).fold(0, |byte, i| {
                            let odd = (text[group + i] & planes[at]).count_ones() as u8 & 1;
                            byte | odd << (7 - i)
                        })
                    })
                    .collect();
                let result = s.pick_planes(s.load(planes, 0), s.load(text, 0));
                same("pick_planes", &(planes, text), result, &model);
            }
        }
    }
}
