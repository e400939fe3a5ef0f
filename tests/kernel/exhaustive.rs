//! Every input, where there are finitely many: a character has at most four bytes, so all there is to know about UTF-8 is
//! which sequences of four bytes may appear in it.
//!
//! The tests that take minutes are ignored by default. They try all 2^32 sequences of four bytes, alone and inside longer
//! text:
//!
//! ```text
//! cargo test --release --test kernel exhaustive:: -- --ignored --nocapture
//! ```
//!
//! Two environment variables choose a part of them: `TRUST8_TEST_KERNELS=avx2` the kernels (and ways) whose name begins
//! so, and `TRUST8_TEST_FIRST_BYTES=E0-EF` the sequences that begin with these bytes.

use std::array;
use std::env;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

use super::support::kernels::{Way, check, check_for, fault_of, ways};
use super::support::oracle::{self, Fault};
use super::support::scale::{Thin, scale};
use trust8::Validator;

/// The first and the last byte of each class that the grammar distinguishes.
const EDGES: [u8; 25] = [
    0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE,
    0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xF7, 0xFF,
];
/// A byte of each class.
const CLASSES: [u8; 13] = [0x41, 0x88, 0x98, 0xA8, 0xC1, 0xC9, 0xE0, 0xE8, 0xED, 0xF0, 0xF2, 0xF4, 0xF5];

#[test]
fn one_and_two_bytes() {
    check(&[]);
    for a in 0..=255 {
        check(&[a]);
        for b in 0..=255 {
            check(&[a, b]);
        }
    }
}

// Three bytes, in two halves that run side by side.

#[test]
fn three_bytes_from_ascii_or_a_continuation_on() {
    three_bytes(0x00..=0xBF);
}

#[test]
fn three_bytes_from_a_lead_on() {
    three_bytes(0xC0..=0xFF);
}

fn three_bytes(first: RangeInclusive<u8>) {
    // Leads are never left out: the sequences to check begin with them.
    for a in first.filter(|&a| a >= 0xC0 || scale() == 1 || EDGES.contains(&a)) {
        for b in 0..=255 {
            if scale() > 4 && !EDGES.contains(&b) {
                continue;
            }
            for c in 0..=255 {
                check_for(&[a, b, c], oracle::fault(&[a, b, c]));
            }
        }
    }
}

#[test]
fn four_bytes_by_class() {
    let mut thin = Thin::new();
    for a in EDGES {
        for b in EDGES {
            for c in EDGES {
                for d in EDGES {
                    if thin.keep() {
                        check(&[a, b, c, d]);
                    }
                }
            }
        }
    }
}

#[test]
fn five_bytes_by_class() {
    let mut thin = Thin::new();
    for a in CLASSES {
        for b in CLASSES {
            for c in CLASSES {
                for d in CLASSES {
                    for e in CLASSES {
                        if thin.keep() {
                            check(&[a, b, c, d, e]);
                        }
                    }
                }
            }
        }
    }
}

/// Text with a hole for four bytes, across a border: a place where a kernel goes from one block or vector to the next.
struct Surroundings {
    /// The text, from `start` on, where it is aligned to 64 bytes. Some borders depend on the alignment.
    text: Vec<u8>,
    start: usize,
    hole: usize,
}

impl Surroundings {
    /// Returns texts with a border in each, short enough to cost little.
    ///
    /// The hole begins one to three bytes before the border. The text before the hole ends with a whole character, and the
    /// text after it begins with one, so the four bytes decide whether the text is valid.
    fn all() -> Vec<Self> {
        // The start of the last block, which ends with the text.
        const OF_LAST_BLOCK: usize = 777;
        // The end of the four blocks after ASCII, if a chunk of a sparse run comes after them.
        const OF_FOUR_BLOCKS: usize = 384;
        // Ends of vectors; of blocks (of 64 bytes, or of 61 after the first); of the head of long input (128), of what is skipped as ASCII
        // (256), and of the four blocks after it (384); of superblocks (616 and 1104), and of a chunk of a sparse run (640 and 2176).
        const BORDERS: [usize; 15] =
            [16, 32, 48, 64, 125, 128, 192, 256, 320, OF_FOUR_BLOCKS, 616, 640, OF_LAST_BLOCK, 1104, 2176];
        // Where lists of blocks begin: after the head. Ends of their first group of sixteen blocks, of the first block of that, and of
        // their first chunk and the next.
        const HEAD: usize = 128;
        const BORDERS_OF_LISTS: [usize; 4] = [HEAD + 64, HEAD + 1024, HEAD + 4096, HEAD + 2 * 4096];
        let rare = format!("{}日", "a".repeat(299));
        let mixed = format!("{}日", "é".repeat(149));
        let sparse = format!("{}é", "a".repeat(99));
        let frequent = format!("{}日", "a".repeat(89));
        // With ASCII all around, the four bytes decide which kind the block has. Text of three-byte characters is checked without a list.
        // Rare and frequent longer characters are listed as what is not ASCII (the latter in most blocks), and those among two-byte
        // characters as what is not two-byte text.
        let units = ["a", "日", "é", rare.as_str(), mixed.as_str(), sparse.as_str(), frequent.as_str()];
        let mut all = Vec::new();
        for (number, border) in BORDERS.into_iter().enumerate() {
            for before_border in 1..=3 {
                // The text after the hole makes the whole long enough for each way of a kernel.
                let len = match border {
                    OF_LAST_BLOCK => border + 64,
                    OF_FOUR_BLOCKS => border + 2048,
                    _ => (border + 604).max(710),
                };
                all.push(Self::of(units[(number + before_border) % 3], border - before_border, len));
            }
        }
        for border in BORDERS_OF_LISTS {
            for unit in &units[1..] {
                // What comes after the next chunk is as what comes after the first, in all text but dense text.
                if border == HEAD + 2 * 4096 && *unit != "日" {
                    continue;
                }
                for before_border in 1..=3 {
                    all.push(Self::of(unit, border - before_border, (border + 160).max(1200)));
                }
            }
        }
        all
    }

    /// Returns a text of `unit`s, with a hole.
    fn of(unit: &str, hole: usize, len: usize) -> Self {
        let mut text = vec![b'.'; hole % unit.len()];
        text.extend(unit.repeat(hole / unit.len()).bytes());
        text.extend([0; 4]);
        text.extend(unit.repeat((len - text.len()) / unit.len()).bytes());
        text.resize(len, b'.');
        Self::new(&text, hole)
    }

    fn new(text: &[u8], hole: usize) -> Self {
        assert_eq!(text[..hole].len(), hole);
        let mut aligned: Vec<u8> = Vec::with_capacity(text.len() + 64);
        aligned.resize(aligned.as_ptr().align_offset(64), b'.');
        let start = aligned.len();
        aligned.extend(text);
        Self { text: aligned, start, hole }
    }

    fn put(&mut self, window: [u8; 4]) -> &[u8] {
        let text = &mut self.text[self.start..];
        text[self.hole..self.hole + 4].copy_from_slice(&window);
        text
    }
}

/// Returns the fault of four bytes that at least one byte of valid text follows.
fn fault_inside(window: [u8; 4]) -> Option<Fault> {
    let [a, b, c, d] = window;
    oracle::fault(&[a, b, c, d, b'.'])
}

/// Four bytes of every class, in every surroundings.
#[test]
fn windows_by_class_across_borders() {
    let mut thin = Thin::new();
    for mut surroundings in Surroundings::all() {
        for a in CLASSES {
            for b in CLASSES {
                for c in CLASSES {
                    for d in CLASSES {
                        if thin.keep() {
                            let hole = surroundings.hole;
                            let fault = fault_inside([a, b, c, d]);
                            let fault = fault.map(|f| Fault { valid_up_to: hole + f.valid_up_to, ..f });
                            check_for(surroundings.put([a, b, c, d]), fault);
                        }
                    }
                }
            }
        }
    }
}

/// All 2^32 inputs of four bytes: verdict, place, length and kind.
#[test]
#[ignore = "takes minutes: cargo test --release --test kernel exhaustive:: -- --ignored --nocapture"]
fn every_four_bytes() {
    for_each(ways(), |way, a| {
        for b in 0..=255 {
            for c in 0..=255 {
                // A fault within three bytes is the same whatever follows, unless the end is its cause.
                let early = oracle::fault(&[a, b, c]).filter(|fault| fault.error_len.is_some());
                for d in 0..=255 {
                    let window = [a, b, c, d];
                    let fault = early.or_else(|| oracle::fault(&window));
                    // If `from_utf8` returns an error, `is_utf8` need not be asked each time.
                    if fault.is_none() || (d ^ c) % 64 == 0 {
                        way.check(&window, fault);
                    } else {
                        let found = way.kernel.from_utf8(&window).err().map(|error| fault_of(&error));
                        assert_eq!(found, fault, "kernel '{}', {window:02X?}", way.name);
                    }
                }
            }
        }
    });
}

/// All 2^32 sequences of four bytes inside text of 700 to 8,500 bytes, each across one of 18 borders, at one of three places: the verdict of
/// each, and the place, the length and the kind of every 64th.
///
/// To locate a fault takes longer than to find that there is one, and doing it for every sequence would take hours. The tests above
/// and `positions` do it for faults at every place.
#[test]
#[ignore = "takes minutes: cargo test --release --test kernel exhaustive:: -- --ignored --nocapture"]
fn every_four_bytes_inside_longer_text() {
    for_each(ways(), |way, a| {
        let mut all = Surroundings::all();
        if way.name == "scalar" {
            // It reads byte by byte, and would take half an hour with more text before the hole.
            all.retain(|surroundings| surroundings.hole <= 64);
        }
        for b in 0..=255 {
            for c in 0..=255 {
                let early = fault_inside([a, b, c, b'.']).filter(|fault| fault.valid_up_to + 1 < 3);
                let early = early.filter(|fault| oracle::fault(&[a, b, c]) == Some(*fault));
                // Another border for each three bytes.
                let number = (usize::from(a) + 257 * usize::from(b) + 5 * usize::from(c)) % all.len();
                let surroundings = &mut all[number];
                let hole = surroundings.hole;
                for d in 0..=255 {
                    let fault = early.or_else(|| fault_inside([a, b, c, d]));
                    let input = surroundings.put([a, b, c, d]);
                    if way.kernel.is_utf8(input) != fault.is_none() || (d ^ c) % 64 == 0 {
                        way.check(input, fault.map(|f| Fault { valid_up_to: hole + f.valid_up_to, ..f }));
                    }
                }
            }
        }
    });
}

/// All 2^32 sequences of four bytes in a stream, cut after the first, the second and the third byte. The rest comes in a
/// piece that is shorter than a vector, or as long as two or a few.
///
/// All ways of a kernel have its functions for pieces, so only the kernels are tested.
#[test]
#[ignore = "takes minutes: cargo test --release --test kernel exhaustive:: -- --ignored --nocapture"]
fn every_four_bytes_in_two_pieces() {
    for_each(ways().iter().filter(|way| way.is_kernel), |way, a| {
        for b in 0..=255 {
            for c in 0..=255 {
                let before = [a, b, c];
                // For each fourth byte: whether the text is valid with more after it, and whether it begins a valid text.
                let inside: [bool; 256] = array::from_fn(|d| fault_inside([a, b, c, d as u8]).is_none());
                let begins: [bool; 256] = array::from_fn(|d| {
                    oracle::fault(&[a, b, c, d as u8]).is_none_or(|fault| fault.error_len.is_none())
                });
                for cut in 1..=3 {
                    let mut validator = Validator::new();
                    let pushed = way.kernel.push(&mut validator, &before[..cut]);
                    let early = oracle::fault(&before[..cut]).filter(|fault| fault.error_len.is_some());
                    assert_eq!(pushed.is_err(), early.is_some(), "{}: {:02X?}", way.name, &before[..cut]);
                    if early.is_some() {
                        break;
                    }
                    // Another length for each three bytes.
                    let lengths = [4 - cut, 60, 100, 300];
                    let mut piece = [b'.'; 300];
                    let piece = &mut piece[..lengths[usize::from(a ^ b.rotate_left(3) ^ c) % 4]];
                    piece[..3 - cut].copy_from_slice(&before[cut..]);
                    let expected = if piece.len() > 4 - cut { &inside } else { &begins };
                    for d in 0..=255 {
                        piece[3 - cut] = d;
                        let mut validator = validator;
                        assert_eq!(
                            way.kernel.push(&mut validator, piece).is_ok(),
                            expected[usize::from(d)],
                            "{}: {:02X?} | {:02X?}",
                            way.name,
                            &before[..cut],
                            &piece[..4 - cut]
                        );
                    }
                }
            }
        }
    });
}

/// Calls `test` for each way and each first byte, on all CPUs, and prints how long each way took.
fn for_each<'a>(ways: impl IntoIterator<Item = &'a Way>, test: impl Fn(&Way, u8) + Sync) {
    let wanted = env::var("TRUST8_TEST_KERNELS").unwrap_or_default();
    let first = first_bytes();
    let mut found = false;
    for way in ways.into_iter().filter(|way| way.name.starts_with(&wanted)) {
        found = true;
        let begin = Instant::now();
        let next = AtomicUsize::new(usize::from(*first.start()));
        let work = || {
            loop {
                let byte = next.fetch_add(1, Relaxed);
                match u8::try_from(byte) {
                    Ok(byte) if byte <= *first.end() => test(way, byte),
                    _ => break,
                }
            }
        };
        if cfg!(target_family = "wasm") {
            work();
        } else {
            let threads = std::thread::available_parallelism().map_or(1, usize::from);
            std::thread::scope(|scope| {
                for _ in 0..threads {
                    scope.spawn(work);
                }
            });
        }
        println!("{}: first bytes {first:02X?} in {:.1?}", way.name, begin.elapsed());
    }
    assert!(found, "no kernel's name begins with '{wanted}'");
}

/// Returns the bytes that `TRUST8_TEST_FIRST_BYTES` names, or all bytes.
fn first_bytes() -> RangeInclusive<u8> {
    let Ok(text) = env::var("TRUST8_TEST_FIRST_BYTES") else { return 0x00..=0xFF };
    let parse = |hex: &str| u8::from_str_radix(hex, 16).ok();
    match text.split_once('-').and_then(|(first, last)| Some(parse(first)?..=parse(last)?)) {
        Some(range) if !range.is_empty() => range,
        _ => panic!("TRUST8_TEST_FIRST_BYTES is two hexadecimal bytes as in E0-EF, not '{text}'"),
    }
}

/// The tests above compute the fault of a whole text from its four bytes. For a few of each kind, this compares with the
/// oracle's answer for the whole text.
#[test]
fn faults_inside_text_are_those_of_the_window() {
    for mut surroundings in Surroundings::all() {
        for window in [*b"abcd", *b"\xF0\x9F\x98\x80", *b"a\xE2\x82\xAC", *b"ab\xC3\xA9"] {
            assert_eq!(fault_inside(window), None);
            check_for(surroundings.put(window), None);
        }
        for window in [
            *b"\xF0\x9F\x98a",
            *b"\x80abc",
            *b"abc\xC3",
            *b"ab\xE2\x82",
            *b"a\xF0\x9F\x98",
            *b"\xE2\x82\xAC\xAC",
        ] {
            let hole = surroundings.hole;
            let input = surroundings.put(window);
            let error = trust8::from_utf8(input).map(str::len).unwrap_err();
            let fault = fault_inside(window).unwrap();
            assert_eq!(fault_of(&error), Fault { valid_up_to: hole + fault.valid_up_to, ..fault });
            check(input);
        }
    }
}
