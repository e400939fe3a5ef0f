//! Tests every operation of [`ConvertOps`] against a model on arrays, for each instruction set of
//! this CPU.

use core::mem::MaybeUninit;
use std::vec;
use std::vec::Vec;

use super::ConvertOps;
use trust8::engine::{Automaton, Job, Output};

/// Pseudorandom numbers.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Returns bytes. Half of them are at the limits of some comparison.
    fn bytes(&mut self, n: usize) -> Vec<u8> {
        const EDGES: [u8; 12] = [0, 1, 0x7F, 0x80, 0xBF, 0xC0, 0xD7, 0xD8, 0xDC, 0xDF, 0xE0, 0xFF];
        (0..n)
            .map(|_| {
                let number = self.next();
                if number >> 32 & 1 == 0 { number as u8 } else { EDGES[(number >> 8) as usize % EDGES.len()] }
            })
            .collect()
    }
}

fn words(bytes: &[u8]) -> Vec<u16> {
    bytes.as_chunks().0.iter().map(|bytes| u16::from_le_bytes(*bytes)).collect()
}

fn dwords(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect()
}

fn of_words(words: impl IntoIterator<Item = u16>) -> Vec<u8> {
    words.into_iter().flat_map(u16::to_le_bytes).collect()
}

fn of_dwords(dwords: impl IntoIterator<Item = u32>) -> Vec<u8> {
    dwords.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// Returns the bytes of a vector.
#[track_caller]
fn lanes<V: Copy>(v: V) -> Vec<u8> {
    // SAFETY: a vector consists of integers without padding, so all its bytes are initialised.
    let bytes = unsafe { core::slice::from_raw_parts((&raw const v).cast::<u8>(), size_of::<V>()) };
    bytes.to_vec()
}

/// Asserts that the bytes of a vector are the model's. The test has three copies of what is inlined, which take long to compile.
#[inline(never)]
#[track_caller]
fn same(bytes: Vec<u8>, model: Vec<u8>) {
    assert_eq!(bytes, model);
}

/// Returns the bytes for which `keep` has a one.
fn kept(bytes: &[u8], keep: u64) -> Vec<u8> {
    bytes.iter().enumerate().filter(|(i, _)| keep >> i & 1 == 1).map(|(_, &byte)| byte).collect()
}

/// Asserts that `put` appends what is expected to outputs of several sizes: all of it, or nothing
/// if it does not fit.
#[track_caller]
fn check_put(expected: &[u8], put: &dyn Fn(&mut Output<'_>) -> bool) {
    let n = expected.len();
    for room in [n.saturating_sub(1), n, n + 1, n + 7, n + 16, n + 64, n + 128] {
        let mut memory = vec![MaybeUninit::new(0xA5u8); room + 8];
        let mut out = Output::new(&mut memory[..room]);
        let fits = put(&mut out);
        assert!(!fits || room >= n, "{room} for {n}");
        assert!(fits || room < n, "{room} for {n}");
        assert_eq!(out.finish(), if fits { expected } else { &[] }, "{room} for {n}");
        for byte in &memory[room..] {
            // SAFETY: all of it was initialised above.
            assert_eq!(unsafe { byte.assume_init() }, 0xA5);
        }
    }
}

#[expect(clippy::cognitive_complexity, reason = "a list of operations")]
fn check<S: ConvertOps>(s: S) {
    let n = S::LANES;
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let per_byte = |a: &[u8], b: &[u8], f: fn(u8, u8) -> u8| -> Vec<u8> {
        a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect()
    };
    for _ in 0..300 {
        let (a, b, c) = (random.bytes(n), random.bytes(n), random.bytes(n));
        let (x, y, z) = (s.load(&a, 0), s.load(&b, 0), s.load(&c, 0));
        same(lanes(x), a.clone());
        let len = random.next() as usize % n;
        let mut short = a[..len].to_vec();
        let exactly = short.clone().into_boxed_slice();
        short.resize(n, 0);
        same(lanes(s.load_short(&exactly)), short);
        let both: Vec<u8> = b.iter().chain(&a).copied().collect();
        let len = random.next() as usize % (2 * n + 1);
        let exactly: Box<[u8]> = both[..len].into();
        let padded: Vec<u8> = exactly.iter().copied().chain([0].repeat(2 * n - len)).collect();
        assert_eq!(s.load_two(&exactly).map(lanes).concat(), padded);
        for (back, earlier) in (1..).zip(s.earlier(x, y)) {
            same(lanes(earlier), both[n - back..2 * n - back].to_vec());
        }
        let threes = both[1..].chunks(3).take(n / 4).flat_map(|three| [three[2], three[1], three[0], 0]);
        same(lanes(s.load_threes(&both[..n + 1], 1)), threes.collect::<Vec<_>>());
        same(lanes(s.splat(a[0])), vec![a[0]; n]);
        same(lanes(s.splat16(words(&a)[0])), of_words(vec![words(&a)[0]; n / 2]));
        same(lanes(s.splat32(dwords(&a)[0])), of_dwords(vec![dwords(&a)[0]; n / 4]));
        same(lanes(s.and(x, y)), per_byte(&a, &b, |a, b| a & b));
        same(lanes(s.or(x, y)), per_byte(&a, &b, |a, b| a | b));
        same(lanes(s.max(x, y)), per_byte(&a, &b, u8::max));
        same(lanes(s.minus_saturating(x, y)), per_byte(&a, &b, u8::saturating_sub));
        let plus = |a: u8, b: u8| a.cast_signed().saturating_add(b.cast_signed()).cast_unsigned();
        same(lanes(s.plus_signed_saturating(x, y)), per_byte(&a, &b, plus));
        let sums = dwords(&a).into_iter().zip(dwords(&b)).map(|(a, b)| a.wrapping_add(b));
        same(lanes(s.plus32(x, y)), of_dwords(sums));
        same(lanes(s.left16::<6>(x)), of_words(words(&a).iter().map(|word| word << 6)));
        same(lanes(s.right16::<2>(x)), of_words(words(&a).iter().map(|word| word >> 2)));
        same(lanes(s.left32::<14>(x)), of_dwords(dwords(&a).iter().map(|dword| dword << 14)));
        same(lanes(s.right32::<12>(x)), of_dwords(dwords(&a).iter().map(|dword| dword >> 12)));
        same(lanes(s.reversed16(x)), of_words(words(&a).into_iter().map(u16::swap_bytes)));
        let bits = a.iter().enumerate().map(|(i, byte)| u64::from(byte >> 7) << i).sum();
        assert_eq!(s.high_bits(x), bits);
        assert_eq!(s.high_bits(s.with_high_bits(bits)), bits);
        assert_eq!(s.any(x), a.iter().any(|&byte| byte != 0));
        assert!(!s.any(s.splat(0)));
        let mut single = vec![0; n];
        single[random.next() as usize % n] = 1 << (random.next() % 8);
        assert!(s.any(s.load(&single, 0)));
        same(lanes(s.zero_unless_high(x, y)), per_byte(&a, &b, |a, b| if a > 0x7F { b } else { 0 }));
        let selected = (0..n).map(|i| if a[i] > 0x7F { b[i] } else { c[i] });
        same(lanes(s.select_high(x, y, z)), selected.collect::<Vec<_>>());

        // These operations require numbers below 0x8000.
        let small: Vec<u8> = of_words(words(&a).iter().map(|word| word & 0x0FFF));
        let chosen = |least: u16| {
            let all = words(&small).into_iter().zip(words(&b).into_iter().zip(words(&c)));
            of_words(all.map(|(word, (yes, no))| if word >= least { yes } else { no }))
        };
        for least in [1, 0x80, 0x800] {
            let above = s.above16(s.load(&small, 0), s.splat16(least - 1));
            same(lanes(s.select16(above, y, z)), chosen(least));
        }
        let [first, second] = s.widened16(x);
        let wide = of_dwords(words(&a).into_iter().map(u32::from));
        assert_eq!((lanes(first), lanes(second)), (wide[..n].to_vec(), wide[n..].to_vec()));
        same(lanes(s.narrowed32(first, second)), a.clone());
        let [first8, second8] = s.widened8(x);
        let wide8 = of_words(a.iter().map(|&byte| byte.into()));
        assert_eq!((lanes(first8), lanes(second8)), (wide8[..n].to_vec(), wide8[n..].to_vec()));
        let dword = dwords(&a)[random.next() as usize % (n / 4)];
        assert!(s.any_equal32(x, dword));
        assert!(!dwords(&a).contains(&!dword) && !s.any_equal32(x, !dword));
        for least in [0x80, 0x800] {
            let all = dwords(&wide[..n]).into_iter().zip(dwords(&b).into_iter().zip(dwords(&c)));
            let chosen = of_dwords(all.map(|(dword, (yes, no))| if dword >= least { yes } else { no }));
            same(lanes(s.select32(s.above32(first, s.splat32(least - 1)), y, z)), chosen);
        }
        let small = of_dwords(dwords(&a).iter().map(|dword| dword & 0x000F_FFFF));
        let sixes = dwords(&small).into_iter().map(|dword| {
            let byte = |from: u32| dword >> from & 0xFF;
            byte(12) | byte(6) << 8 | byte(0) << 16
        });
        same(lanes(s.spread_sixes(s.load(&small, 0))), of_dwords(sixes));
        let mut alike = a.clone();
        alike[..n / 2].copy_from_slice(&b[..n / 2]);
        let all = dwords(&alike).into_iter().zip(dwords(&b)).zip(dwords(&a).into_iter().zip(dwords(&c)));
        let chosen = of_dwords(all.map(|((a, b), (yes, no))| if a == b { yes } else { no }));
        same(lanes(s.select32(s.equal32(s.load(&alike, 0), y), x, z)), chosen);

        let halves = of_words(words(&a).iter().map(|word| word & 0x0400 | 0xD800));
        let others = of_words(words(&halves).iter().map(|word| word ^ 0x0400));
        let (v, mut w) = (s.load(&halves, 0), others);
        assert!(!s.matches_differ16(v, 0xD800, s.load(&w, 0), 0xDC00));
        w[random.next() as usize % (n / 2) * 2 + 1] ^= 0x04;
        assert!(s.matches_differ16(v, 0xD800, s.load(&w, 0), 0xDC00));
        let word = words(&halves)[random.next() as usize % (n / 2)];
        assert!(s.any_equal16_of_two(v, s.splat(0), word) && s.any_equal16_of_two(s.splat(0), v, word));
        assert!(!s.any_equal16_of_two(v, s.splat(0), 0xD801));
        let all = words(&halves).into_iter().zip(words(&b).into_iter().zip(words(&c)));
        let chosen = of_words(all.map(|(half, (yes, no))| if half == word { yes } else { no }));
        same(lanes(s.select16(s.equal16(v, s.splat16(word)), y, z)), chosen);

        // Units with pairs, and the unit before each.
        let mut units = words(&a);
        units.insert(0, words(&b)[0]);
        for i in 0..units.len() {
            let after_high = i > 0 && units[i - 1] & 0xFC00 == 0xD800;
            let is_last = i + 1 == units.len();
            units[i] = match units[i] & 0xFC00 {
                _ if after_high => units[i] & 0x3FF | 0xDC00,
                0xDC00 if i > 0 => units[i] & 0x3FF,
                _ if i == 0 && random.next() & 1 == 0 => units[i] & 0x3FF | 0xD800,
                0xD800 if i == 0 => units[i] & 0x3FF,
                _ if !is_last && units[i] & 3 == 0 => units[i] & 0x3FF | 0xD800,
                _ => units[i],
            };
        }
        let (before, now) = (of_words(units[..n / 2].to_vec()), of_words(units[1..].to_vec()));
        let (before, now) = (s.load(&before, 0), s.load(&now, 0));
        for places in [n / 2, n / 2 - 1, n / 4 + 1, n / 4, 1, 0] {
            let ends = (1..=places).filter(|&i| units[i] & 0xFC00 != 0xD800);
            let numbers = ends.map(|i| match units[i] {
                low @ 0xDC00..0xE000 => {
                    0x10000 + (u32::from(units[i - 1] & 0x3FF) << 10 | u32::from(low & 0x3FF))
                }
                unit => unit.into(),
            });
            check_put(&of_dwords(numbers), &|out| s.put_utf16_as_u32([before, now], places, out));
        }

        let some = random.next() as usize % (n + 1);
        for some in [n, some] {
            let widened = of_words(a[..some].iter().map(|&byte| byte.into()));
            check_put(&widened, &|out| s.put_as_u16(x, some, out));
            let widened = of_dwords(a[..some].iter().map(|&byte| byte.into()));
            check_put(&widened, &|out| s.put_as_u32(x, some, out));
        }
        for places in [n, n - 1, 3, 0] {
            check_put(&a[..places], &|out| s.put_first(x, places, out));
            for second in [0, 1, n] {
                let both: Vec<u8> = a.iter().chain(&b).copied().take(places + second).collect();
                check_put(&both, &|out| s.put_first_of_two([x, y], places + second, out));
            }
        }
        let latin1 = |bytes: &[u8]| of_words(words(bytes).iter().map(|word| word & 0xFF));
        let narrow: Vec<u8> =
            words(&latin1(&a)).into_iter().chain(words(&latin1(&b))).map(|word| word as u8).collect();
        let (low, high) = (latin1(&a), latin1(&b));
        for some in [n, some] {
            let v = s.narrowed16(s.load(&low, 0), s.load(&high, 0));
            check_put(&narrow[..some], &|out| s.put_first(v, some, out));
        }

        let all = u64::MAX >> (64 - n);
        for keep in [random.next(), random.next() & random.next(), 0, u64::MAX, 1, 1 << (n - 1)] {
            let keep = keep & all;
            let units = a.iter().zip(&b).enumerate().filter(|(i, _)| keep >> i & 1 == 1);
            let units: Vec<u8> = units.flat_map(|(_, (&low, &high))| [low, high]).collect();
            check_put(&units, &|out| s.put_u16_of_bytes([x, y], keep, out));

            let (sixes, lows): (Vec<u8>, Vec<u8>) = a
                .iter()
                .zip(&b)
                .map(|(&a, &b)| if b > 0x7F { (0, b & 0x7F) } else { (a & 0x1F, b & 0x3F) })
                .unzip();
            let units = sixes.iter().zip(&lows).enumerate().filter(|(i, _)| keep >> i & 1 == 1);
            let units = of_words(units.map(|(_, (&six, &low))| u16::from(six) << 6 | u16::from(low)));
            let (sixes, lows) = (s.load(&sixes, 0), s.load(&lows, 0));
            let [low, high] = s.of_sixes([sixes, lows]);
            check_put(&units, &|out| s.put_u16_of_bytes([low, high], keep, out));

            let places = (0..n).filter(|i| keep >> i & 1 == 1);
            let units = of_dwords(places.clone().map(|i| u32::from_le_bytes([a[i], b[i], c[i], 0])));
            check_put(&units, &|out| s.put_u32_of_bytes(x, y, Some(z), keep, out));
            let units = of_dwords(places.map(|i| u32::from_le_bytes([a[i], b[i], 0, 0])));
            check_put(&units, &|out| s.put_u32_of_bytes(x, y, None, keep, out));
            check_put(&kept(&a, keep), &|out| s.put_kept_bytes(x, keep, out));
            let (first, second) = (s.for_interleaving(x), s.for_interleaving(y));
            for places in [n, n - 1, n / 2 + 1, n / 2, 1] {
                let bytes =
                    (0..places).flat_map(|i| if keep >> i & 1 == 1 { vec![a[i], b[i]] } else { vec![a[i]] });
                let bytes: Vec<u8> = bytes.collect();
                check_put(&bytes, &|out| s.put_interleaved([first, second], keep, places, out));
            }
            let twos = (keep & 0x5555_5555_5555_5555) * 0b11;
            check_put(&kept(&a, twos), &|out| s.put_kept_u16(x, twos, out));

            for units in [n / 2, n / 2 - 1, n / 4 + 1, 1, 0] {
                let starts = a.chunks(2).take(units);
                let starts = starts.flat_map(|unit| &unit[..if unit[1] > 0x7F { 2 } else { 1 }]);
                check_put(&starts.copied().collect::<Vec<_>>(), &|out| s.put_starts_of_two(x, units, out));
                let (firsts, thirds) = (words(&a), words(&b));
                let bytes = firsts.iter().zip(thirds).take(units).flat_map(|(first, third)| {
                    let first_two = first.to_le_bytes().into_iter().filter(|&byte| byte > 0x7F);
                    first_two.chain([third as u8]).collect::<Vec<_>>()
                });
                let thirds = s.and(y, s.splat16(0xFF));
                check_put(&bytes.collect::<Vec<_>>(), &|out| s.put_ends_of_halves([x, thirds], units, out));
            }

            // Of each four bytes, the third, the second and third, or the first three, and the last
            // one to four.
            let three = (keep & 0x3333_3333_3333_3333) | 0x4444_4444_4444_4444;
            let three = three | (three & 0x1111_1111_1111_1111) << 1;
            let four = three << 1 | keep >> 2 & three & 0x1111_1111_1111_1111;
            for places in [n, n / 2, 4, 0] {
                let first = if places == 64 { u64::MAX } else { (1 << places) - 1 };
                let (three, four) = (three & first, four & first);
                check_put(&kept(&a, three), &|out| s.put_ends_of_three(x, three, out));
                check_put(&kept(&a, four), &|out| s.put_ends_of_four(x, four, out));
            }
        }
    }
}

/// Checks all operations of an instruction set.
struct Model;

impl<S: ConvertOps> Job<S, (), ()> for Model {
    fn run(s: S, _: &[u8], (): ()) {
        check(s);
    }
}

impl Job<Automaton, (), ()> for Model {
    fn run(_: Automaton, _: &[u8], (): ()) {}
}

#[test]
fn all_operations_of_all_instruction_sets() {
    for kernel in trust8::Kernel::available() {
        kernel.run(Model, &[], ());
    }
}
