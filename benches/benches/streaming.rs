//! Streams: validation in chunks, the fused copy, and reading a file into a string.
//!
//! ```text
//! cargo bench -p trust8-benches --bench streaming              all of it, into docs/streaming.md
//! cargo bench -p trust8-benches --bench streaming -- chunks    these sections only, to the terminal
//! ```
//!
//! All contenders of a table take turns, round after round, and of each the fastest round counts: a
//! disturbance then hits one round of all, not all rounds of one. Every answer is checked.
//!
//! In `cargo test` all of it runs once, on less text, for the answers' sake.

use std::hint::black_box;
use std::mem::MaybeUninit;
use std::path::Path;
use std::time::{Duration, Instant};
use std::{env, fs, io};

use trust8::{Kernel, Validator, copy_utf8};
use trust8_benches::machine::Machine;
use trust8_benches::measure::{measuring, pin};
use trust8_benches::report::{Page, Table, digits};
use trust8_benches::targets::{Lowest, Targets};

/// In the second-level cache of everything current.
const TEXT: usize = 256 << 10;
/// Bytes that are in no cache, when something is measured.
fn large() -> usize {
    if measuring() { 64 << 20 } else { 1 << 20 }
}

const CHUNKS: [usize; 4] = [64 << 10, 4 << 10, 256, 16];

type Section = fn(&mut Page, &mut Targets);

const SECTIONS: [(&str, Section); 3] = [("chunks", chunks), ("copying", copying), ("reading", reading)];

fn main() -> io::Result<()> {
    let chosen: Vec<String> = env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    pin()?;
    let mut targets = Targets::default();
    let mut body = Page::default();
    for (name, section) in SECTIONS {
        if chosen.is_empty() || chosen.iter().any(|chosen| chosen == name) {
            section(&mut body, &mut targets);
        }
    }
    let mut page = Page::default();
    page.heading(1, "Streams, copies, files");
    let machine = Machine::ask();
    page.block(&format!(
        "`cargo bench -p trust8-benches --bench streaming` writes this page. The contestants of a row take turns \
         on one core, and the best round of each counts. Every answer is checked.\n\n- CPU: {}\n- Kernel: {}\n- Compiler: {} for \
         {}\n- Peers: {}",
        machine.cpu,
        Kernel::best().name(),
        machine.rustc,
        machine.target,
        machine.peers,
    ));
    targets.report(&mut page);
    page.append(body);
    if measuring() && chosen.is_empty() {
        fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/streaming.md"), page.markdown())
    } else {
        println!("{}", page.markdown());
        Ok(())
    }
}

/// The fastest of each contender's rounds.
fn race<const N: usize>(time: Duration, mut contenders: [&mut dyn FnMut(); N]) -> [Duration; N] {
    let mut best = [Duration::MAX; N];
    let begin = Instant::now();
    let mut rounds = 0;
    while rounds == 0 || measuring() && (rounds < 5 || begin.elapsed() < time) {
        for (contender, best) in contenders.iter_mut().zip(&mut best) {
            let start = Instant::now();
            contender();
            *best = start.elapsed().min(*best);
        }
        rounds += 1;
    }
    best
}

fn gigabytes_per_second(bytes: usize, time: Duration) -> f64 {
    bytes as f64 / time.as_secs_f64() / 1e9
}

/// Words of `words` in random order, so that no branch predictor learns the text by heart.
fn text(words: &str, bytes: usize) -> String {
    let words: Vec<_> = words.split_inclusive(' ').collect();
    let mut random = 0x9E37_79B9_7F4A_7C15_u64;
    let mut text = String::with_capacity(bytes);
    loop {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let word = words[random as usize % words.len()];
        if text.len() + word.len() > bytes {
            text.extend(std::iter::repeat_n(' ', bytes - text.len()));
            return text;
        }
        text += word;
    }
}

const WORDS: [(&str, &str); 5] = [
    ("English", "the quick brown fox jumps over a lazy dog, while seventeen others look on "),
    ("French", "l'été dernier, où les élèves français étudiaient la géographie à côté du château "),
    ("Russian", "быстрая рыжая лиса прыгает через ленивую собаку, и всё это на глазах у соседей "),
    ("Chinese", "敏捷的棕色狐狸 跳过了那只 懒狗， 而另外十七只 在一旁看着 没有说话。 "),
    ("emoji", "😀 🎉🎉 ok 👍🏽 так 狐狸 🦊🐕 naïve 🏳️‍🌈 "),
];

/// What a program must do with a function that wants whole characters.
struct Carry {
    bytes: [u8; 4],
    len: usize,
}

/// `Err(Some(n))`: the input ends inside a character, at `n`. `Err(None)`: it is ill-formed.
type Answer = Result<(), Option<usize>>;

impl Carry {
    const EMPTY: Self = Self { bytes: [0; 4], len: 0 };

    #[inline(always)]
    fn push(&mut self, mut chunk: &[u8], validate: impl Fn(&[u8]) -> Answer) -> bool {
        while self.len > 0 {
            let [byte, rest @ ..] = chunk else { return true };
            chunk = rest;
            self.bytes[self.len] = *byte;
            self.len += 1;
            match validate(&self.bytes[..self.len]) {
                Ok(()) => self.len = 0,
                Err(Some(_)) => {}
                Err(None) => return false,
            }
        }
        match validate(chunk) {
            Ok(()) => true,
            Err(Some(at)) => {
                self.len = chunk.len() - at;
                self.bytes[..self.len].copy_from_slice(&chunk[at..]);
                true
            }
            Err(None) => false,
        }
    }
}

fn std_validate(bytes: &[u8]) -> Answer {
    std::str::from_utf8(bytes).map(|_| ()).map_err(|error| match error.error_len() {
        None => Some(error.valid_up_to()),
        Some(_) => None,
    })
}

fn simdutf8_validate(bytes: &[u8]) -> Answer {
    simdutf8::compat::from_utf8(bytes).map(|_| ()).map_err(|error| match error.error_len() {
        None => Some(error.valid_up_to()),
        Some(_) => None,
    })
}

/// simdutf8's validator for AVX2, which is unsafe to use.
#[cfg(target_arch = "x86_64")]
fn simdutf8_unsafe(bytes: &[u8], chunk: usize) -> bool {
    use simdutf8::basic::imp::{Utf8Validator, x86::avx2::Utf8ValidatorImp};

    #[target_feature(enable = "avx2")]
    fn run(bytes: &[u8], chunk: usize) -> bool {
        // SAFETY: AVX2 is there: this function is compiled for it.
        let mut validator = unsafe { Utf8ValidatorImp::new() };
        for chunk in bytes.chunks(chunk) {
            // SAFETY: AVX2 is there: this function is compiled for it.
            unsafe { validator.update(black_box(chunk)) };
        }
        // SAFETY: AVX2 is there: this function is compiled for it.
        unsafe { validator.finalize() }.is_ok()
    }

    assert!(is_x86_feature_detected!("avx2"), "simdutf8's validator is measured with AVX2");
    // SAFETY: AVX2 has just been detected.
    unsafe { run(bytes, chunk) }
}

/// Elsewhere there is none for the instruction set that this machine has for certain.
#[cfg(not(target_arch = "x86_64"))]
fn simdutf8_unsafe(bytes: &[u8], _: usize) -> bool {
    simdutf8::basic::from_utf8(bytes).is_ok()
}

fn chunks(page: &mut Page, targets: &mut Targets) {
    page.heading(2, "Validation in chunks");
    page.block(&format!(
        "The speed in GB/s on {} KiB of text. `one shot` is `from_utf8` on the whole text. `carry` is what a \
         program does that has only such a function: it keeps the bytes of a character that is cut off. \
         `Utf8Validator` is simdutf8's own, which is unsafe to use, and says yes or no at the end.",
        TEXT >> 10
    ));
    let mut table = Table::new([
        "text, chunk",
        "one shot",
        "Validator",
        "std, carry",
        "simdutf8 compat, carry",
        "simdutf8 Utf8Validator",
        "of one shot",
        "of compat",
    ]);
    let mut of_one_shot = CHUNKS.map(|_| Lowest::default());
    let mut of_compat = CHUNKS.map(|_| Lowest::default());
    for (name, words) in WORDS {
        let text = text(words, TEXT);
        let bytes = text.as_bytes();
        for (i, chunk) in CHUNKS.into_iter().enumerate() {
            let times = race(
                Duration::from_millis(300),
                [
                    &mut || assert!(trust8::from_utf8(black_box(bytes)).is_ok()),
                    &mut || {
                        let mut validator = Validator::new();
                        for chunk in bytes.chunks(chunk) {
                            assert!(validator.push(black_box(chunk)).is_ok());
                        }
                        assert!(validator.finish().is_ok());
                    },
                    &mut || {
                        let mut carry = Carry::EMPTY;
                        for chunk in bytes.chunks(chunk) {
                            assert!(carry.push(black_box(chunk), std_validate));
                        }
                        assert!(carry.len == 0);
                    },
                    &mut || {
                        let mut carry = Carry::EMPTY;
                        for chunk in bytes.chunks(chunk) {
                            assert!(carry.push(black_box(chunk), simdutf8_validate));
                        }
                        assert!(carry.len == 0);
                    },
                    &mut || assert!(simdutf8_unsafe(bytes, chunk)),
                ],
            );
            let [whole, ours, std, compat, simdutf8] = times.map(|time| gigabytes_per_second(TEXT, time));
            of_one_shot[i].meet(name, ours / whole);
            of_compat[i].meet(name, ours / compat);
            let figures = [whole, ours, std, compat, simdutf8, ours / whole, ours / compat].map(digits);
            table.row([format!("{name}, {chunk}")].into_iter().chain(figures));
        }
    }
    page.table(&table);
    let [large, _, of_256, _] = of_one_shot;
    let [.., of_16] = of_compat;
    targets.at_least("chunks of 64 KiB, of one-shot validation", 0.97, large.0);
    targets.at_least("chunks of 256 bytes, of one-shot validation", 0.6, of_256.0);
    targets.at_least("chunks of 16 bytes, against simdutf8 compat with a carry", 3.0, of_16.0);
}

fn copying(page: &mut Page, targets: &mut Targets) {
    let large = large();
    page.heading(2, "Validate and copy");
    page.block(&format!("{} MiB, GB/s of text.", large >> 20));
    let mut table = Table::new([
        "text",
        "copy_utf8",
        "from_utf8, then memcpy",
        "std, then memcpy",
        "memcpy alone",
        "copy_utf8 / from_utf8",
    ]);
    let mut lowest = Lowest::default();
    let mut to = vec![MaybeUninit::new(1u8); large];
    let mut to2 = vec![1u8; large];
    let mut to3 = vec![1u8; large];
    let mut to4 = vec![1u8; large];
    for (name, words) in WORDS {
        let text = text(words, large);
        let bytes = text.as_bytes();
        let times = race(
            Duration::from_millis(1000),
            [
                &mut || assert_eq!(copy_utf8(black_box(bytes), &mut to).map(|text| text.len()), Ok(large)),
                &mut || {
                    assert!(trust8::from_utf8(black_box(bytes)).is_ok());
                    black_box(&mut to2).copy_from_slice(bytes);
                },
                &mut || {
                    assert!(std::str::from_utf8(black_box(bytes)).is_ok());
                    black_box(&mut to3).copy_from_slice(bytes);
                },
                &mut || black_box(&mut to4).copy_from_slice(black_box(bytes)),
            ],
        );
        assert!(copy_utf8(bytes, &mut to).is_ok_and(|copy| *copy == *text));
        let [fused, separate, std, memcpy] = times.map(|time| gigabytes_per_second(large, time));
        lowest.meet(name, fused / separate);
        let figures = [fused, separate, std, memcpy, fused / separate].map(digits);
        table.row([name.to_owned()].into_iter().chain(figures));
    }
    page.table(&table);
    targets.at_least("copy_utf8 against from_utf8 and memcpy, 64 MiB", 1.5, lowest.0);
}

fn reading(page: &mut Page, targets: &mut Targets) {
    let large = large();
    page.heading(2, "A file into a String");
    page.block(&format!("The time of `read_to_string` in ms, for {} MiB in the page cache.", large >> 20));
    let mut table = Table::new([
        "text",
        "trust8::fs",
        "std::fs",
        "std::fs::read, then trust8",
        "std::fs::read alone",
        "std / trust8",
    ]);
    let mut lowest = Lowest::default();
    let path = std::env::temp_dir().join(format!("trust8-streaming-{}", std::process::id()));
    for (name, words) in WORDS {
        let text = text(words, large);
        std::fs::write(&path, &text).expect("the temporary directory takes 64 MiB");
        let times = race(
            Duration::from_millis(1500),
            [
                &mut || assert_eq!(trust8::fs::read_to_string(&path).unwrap().len(), large),
                &mut || assert_eq!(std::fs::read_to_string(&path).unwrap().len(), large),
                &mut || {
                    let bytes = std::fs::read(&path).unwrap();
                    assert_eq!(trust8::string_from_utf8(bytes).unwrap().len(), large);
                },
                &mut || assert_eq!(std::fs::read(&path).unwrap().len(), large),
            ],
        );
        assert_eq!(trust8::fs::read_to_string(&path).unwrap(), text);
        let [ours, std, then, alone] = times.map(|time| time.as_secs_f64() * 1e3);
        if !text.is_ascii() {
            lowest.meet(name, std / ours);
        }
        let figures = [ours, std, then, alone, std / ours].map(digits);
        table.row([name.to_owned()].into_iter().chain(figures));
    }
    page.table(&table);
    targets.at_least("fs::read_to_string against std's, 64 MiB, not ASCII", 1.5, lowest.0);
    std::fs::remove_file(&path).expect("it was written above");
}
