//! Measures validation and lossy decoding of a stream in pieces, `copy_utf8`, and reading a file into a string.
//!
//! ```text
//! cargo bench -p trust8-measure --bench streaming              everything, written to docs/data/
//! cargo bench -p trust8-measure --bench streaming -- pieces    one section (pieces, decoding, copying, reading), printed
//! ```
//!
//! The contestants of a row take turns in many rounds, and the fastest round of each counts. A disturbance then
//! spoils one round of every contestant, rather than all rounds of one. Every answer is checked.
//!
//! In `cargo test` everything runs once, on less text, to check the answers.

use std::hint::black_box;
use std::mem::MaybeUninit;
use std::time::{Duration, Instant};
use std::{env, io};

use trust8::stream::Decoder;
use trust8::{Kernel, Validator, copy_utf8};
use trust8_measure::machine::Machine;
use trust8_measure::measure::{measuring, pin};
use trust8_measure::report::{Data, Table, digits};
use trust8_measure::targets::{Lowest, Targets};
use trust8_measure::texts::{Text, generated, ordinary};

/// The length of a text that fits into the L2 cache of any current CPU.
const TEXT: usize = 256 << 10;

/// Returns the length of a text that fits into no cache, or a shorter one in `cargo test`.
fn large() -> usize {
    if measuring() { 64 << 20 } else { 1 << 20 }
}

/// The lengths of pieces.
const PIECES: [usize; 6] = [64 << 10, 4 << 10, 1 << 10, 256, 64, 16];

type Section = fn(&mut Data, &mut Targets);

const SECTIONS: [(&str, Section); 4] =
    [("pieces", pieces), ("decoding", decoding), ("copying", copying), ("reading", reading)];

fn main() -> io::Result<()> {
    let chosen: Vec<String> = env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    pin()?;
    let mut targets = Targets::default();
    let mut body = Data::default();
    for (name, section) in SECTIONS {
        if chosen.is_empty() || chosen.iter().any(|chosen| chosen == name) {
            section(&mut body, &mut targets);
        }
    }
    let mut data = Data::default();
    targets.report(&mut data);
    data.append(&body);
    data.publish(measuring() && chosen.is_empty(), "streaming", &[("peers", &Machine::ask().peers)])
}

/// Returns the time of each contestant's fastest round.
fn race<const N: usize>(time: Duration, mut contestants: [&mut dyn FnMut(); N]) -> [Duration; N] {
    let mut best = [Duration::MAX; N];
    take_turns(time, || {}, &mut contestants, &mut best);
    best
}

/// Lowers the times in `best` to those of each contestant's fastest round. `before_each` is not part of the time.
fn take_turns(
    time: Duration,
    before_each: impl Fn(),
    contestants: &mut [impl FnMut()],
    best: &mut [Duration],
) {
    let begin = Instant::now();
    let mut rounds = 0;
    while rounds == 0 || measuring() && (rounds < 5 || begin.elapsed() < time) {
        for (contestant, best) in contestants.iter_mut().zip(&mut *best) {
            before_each();
            let start = Instant::now();
            contestant();
            *best = start.elapsed().min(*best);
        }
        rounds += 1;
    }
}

fn gigabytes_per_second(bytes: usize, time: Duration) -> f64 {
    bytes as f64 / time.as_secs_f64() / 1e9
}

/// Returns `bytes` bytes of text from `words` in random order, so that no branch predictor learns the text.
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

/// The bytes of a character that the end of a piece cut off. A program keeps them if its function validates only whole
/// characters.
struct Carry {
    bytes: [u8; 4],
    len: usize,
}

/// The answer of a validation. `Err(Some(at))` means that the input ends inside the character at `at`, and `Err(None)`
/// that the input is invalid.
type Answer = Result<(), Option<usize>>;

impl Carry {
    const EMPTY: Self = Self { bytes: [0; 4], len: 0 };

    #[inline(always)]
    fn push(&mut self, mut piece: &[u8], validate: impl Fn(&[u8]) -> Answer) -> bool {
        while self.len > 0 {
            let [byte, rest @ ..] = piece else { return true };
            piece = rest;
            self.bytes[self.len] = *byte;
            self.len += 1;
            match validate(&self.bytes[..self.len]) {
                Ok(()) => self.len = 0,
                Err(Some(_)) => {}
                Err(None) => return false,
            }
        }
        match validate(piece) {
            Ok(()) => true,
            Err(Some(at)) => {
                self.len = piece.len() - at;
                self.bytes[..self.len].copy_from_slice(&piece[at..]);
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

/// Validates `bytes` in pieces with simdutf8's validator for AVX2, which is unsafe to use.
#[cfg(target_arch = "x86_64")]
fn simdutf8_unsafe(bytes: &[u8], piece_len: usize) -> bool {
    use simdutf8::basic::imp::{Utf8Validator, x86::avx2::Utf8ValidatorImp};

    #[target_feature(enable = "avx2")]
    fn run(bytes: &[u8], piece_len: usize) -> bool {
        // SAFETY: AVX2 is there: this function is compiled for it.
        let mut validator = unsafe { Utf8ValidatorImp::new() };
        for piece in bytes.chunks(piece_len) {
            // SAFETY: AVX2 is there: this function is compiled for it.
            unsafe { validator.update(black_box(piece)) };
        }
        // SAFETY: AVX2 is there: this function is compiled for it.
        unsafe { validator.finalize() }.is_ok()
    }

    assert!(is_x86_feature_detected!("avx2"), "simdutf8's validator is measured with AVX2");
    // SAFETY: AVX2 has just been detected.
    unsafe { run(bytes, piece_len) }
}

/// Validates `bytes` as a whole: on other targets, simdutf8 has no such validator that every CPU of the target runs.
#[cfg(not(target_arch = "x86_64"))]
fn simdutf8_unsafe(bytes: &[u8], _: usize) -> bool {
    simdutf8::basic::from_utf8(bytes).is_ok()
}

/// Returns the texts that are validated in pieces, the most ordinary ones first.
fn texts_for_pieces() -> Vec<Text> {
    let mut texts = vec![ordinary(3, 200, TEXT, 0)];
    for name in ["JSON logs", "German", "ASCII", "Russian", "Chinese"] {
        texts.push(generated(name, TEXT));
    }
    texts
}

fn push_all(kernel: &'static Kernel, bytes: &[u8], piece_len: usize) {
    kernel.make_default();
    let mut validator = Validator::new();
    for piece in bytes.chunks(piece_len) {
        assert!(validator.push(black_box(piece)).is_ok());
    }
    assert!(validator.finish().is_ok());
}

fn push_all_with_carry(bytes: &[u8], piece_len: usize, validate: fn(&[u8]) -> Answer) {
    let mut carry = Carry::EMPTY;
    for piece in bytes.chunks(piece_len) {
        assert!(carry.push(black_box(piece), validate));
    }
    assert!(carry.len == 0);
}

fn pieces(data: &mut Data, targets: &mut Targets) {
    data.heading(2, "Validation in pieces");
    data.note(&format!(
        "GB/s on {} KiB of text. In the first text, a character of three bytes stands in 200 bytes of ASCII, on average. `one shot` is \
         `from_utf8` on the whole text. The columns named after kernels are `Validator`, which a program uses with the best of \
         them. `carry` is a program that has only a function for whole text, and keeps the bytes of a character that the end of a \
         piece cuts off. simdutf8's `Utf8Validator`, here for AVX2, is unsafe to use, and answers only at the end. `/ compat` divides \
         the speed of the best kernel by that of simdutf8 compat with a carry, and `avx2 / compat` that of the AVX2 kernel, whose \
         instructions simdutf8 uses.",
        TEXT >> 10
    ));
    let between = generated("random", TEXT).text;
    data.heading(3, "One text, again and again");
    let learned = pieces_table(data, || {});
    data.heading(3, "Text that the CPU has not learned");
    data.note("Before each round, std reads text in which nothing can be predicted, so that the CPU forgets the branches of this one.");
    let new = pieces_table(data, || assert!(std::str::from_utf8(black_box(between.as_bytes())).is_ok()));
    targets.at_least("pieces of 64 KiB, against one-shot validation", 0.97, learned.to_one_shot[0].0.clone());
    targets.at_least(
        "pieces of 256 bytes, against one-shot validation",
        0.6,
        learned.to_one_shot[3].0.clone(),
    );
    targets.at_least(
        "pieces of 16 bytes, against simdutf8 compat with a carry",
        3.0,
        learned.shortest_to_compat.0.clone(),
    );
    for (ratios, what) in [(learned, ""), (new, ", not learned")] {
        for (name, lowest) in [("the best kernel", ratios.to_compat), ("avx2", ratios.avx2_to_compat)] {
            targets.at_least(
                &format!("any pieces, {name} against simdutf8 compat with a carry{what}"),
                1.0,
                lowest.0,
            );
        }
    }
}

/// The lowest ratios of a table of [`pieces_table`].
#[derive(Default)]
struct LowestOfPieces {
    to_one_shot: [Lowest; PIECES.len()],
    shortest_to_compat: Lowest,
    to_compat: Lowest,
    avx2_to_compat: Lowest,
}

fn pieces_table(data: &mut Data, before_each: impl Fn()) -> LowestOfPieces {
    // Where the target fixes the choice there is one.
    let kernels: Vec<_> = Kernel::available()
        .iter()
        .filter(|kernel| kernel.name() != "scalar" && kernel.make_default())
        .collect();
    let avx2 = kernels.iter().position(|kernel| kernel.name() == "avx2");
    let mut table = Table::new(
        ["text, piece", "one shot"].into_iter().chain(kernels.iter().map(|kernel| kernel.name())).chain([
            "std, carry",
            "simdutf8 compat, carry",
            "simdutf8 Utf8Validator",
            "/ compat",
            "avx2 / compat",
        ]),
    );
    let mut lowest = LowestOfPieces::default();
    for Text { name, text } in texts_for_pieces() {
        let bytes = text.as_bytes();
        for (i, piece_len) in PIECES.into_iter().enumerate() {
            let mut contestants: Vec<Box<dyn FnMut()>> = vec![Box::new(|| {
                Kernel::available()[0].make_default();
                assert!(trust8::from_utf8(black_box(bytes)).is_ok());
            })];
            for kernel in &kernels {
                contestants.push(Box::new(|| push_all(kernel, bytes, piece_len)));
            }
            contestants.push(Box::new(|| push_all_with_carry(bytes, piece_len, std_validate)));
            contestants.push(Box::new(|| push_all_with_carry(bytes, piece_len, simdutf8_validate)));
            contestants.push(Box::new(|| assert!(simdutf8_unsafe(bytes, piece_len))));
            let mut best = vec![Duration::MAX; contestants.len()];
            take_turns(Duration::from_millis(400), &before_each, &mut contestants, &mut best);

            let speeds: Vec<_> = best.into_iter().map(|time| gigabytes_per_second(TEXT, time)).collect();
            let (one_shot, of_kernels, compat) =
                (speeds[0], &speeds[1..=kernels.len()], speeds[speeds.len() - 2]);
            let place = format!("{name}, {piece_len}");
            let ours = of_kernels.first().copied().unwrap_or(f64::NAN);
            lowest.to_one_shot[i].add(&place, ours / one_shot);
            lowest.to_compat.add(&place, ours / compat);
            if i == PIECES.len() - 1 {
                lowest.shortest_to_compat.add(&place, ours / compat);
            }
            let of_avx2 = avx2.map(|avx2| of_kernels[avx2] / compat);
            if let Some(ratio) = of_avx2 {
                lowest.avx2_to_compat.add(&place, ratio);
            }
            let ratios = [ours / compat, of_avx2.unwrap_or(f64::NAN)].map(digits);
            table.row([place].into_iter().chain(speeds.into_iter().map(digits)).chain(ratios));
        }
    }
    data.table(&table);
    Kernel::available()[0].make_default();
    lowest
}

/// The distances between faults in lossy text, on average. 0 means that there is none.
const DISTANCES: [usize; 4] = [0, 1000, 100, 10];

/// Writes bytes that are not UTF-8 over a text, at random distances.
fn spoil(bytes: &mut [u8], distance: usize) {
    let mut random = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random as usize % below
    };
    let mut at = next(2 * distance);
    while let Some(byte) = bytes.get_mut(at) {
        *byte = [0xFF, 0xE9, 0x80, 0xFC, 0xC3][next(5)];
        at += 1 + next(2 * distance);
    }
}

/// Appends the lossy text of the pieces to `text`, which is cleared first.
fn decode_all(kernel: &'static Kernel, bytes: &[u8], piece_len: usize, text: &mut String) {
    text.clear();
    let mut decoder = Decoder::new();
    for piece in bytes.chunks(piece_len) {
        text.extend(kernel.push_lossy(&mut decoder, black_box(piece)));
    }
    text.extend(decoder.finish());
}

/// Writes the lossy text of the pieces to `text`, and returns its length.
fn decode_with_encoding_rs(bytes: &[u8], piece_len: usize, text: &mut [u8]) -> usize {
    let mut decoder = encoding_rs::UTF_8.new_decoder_without_bom_handling();
    let (pieces, mut len) = (bytes.len().div_ceil(piece_len), 0);
    for (i, piece) in bytes.chunks(piece_len).enumerate() {
        let (result, _, written, _) =
            decoder.decode_to_utf8(black_box(piece), &mut text[len..], i + 1 == pieces);
        assert!(result == encoding_rs::CoderResult::InputEmpty);
        len += written;
    }
    len
}

fn decoding(data: &mut Data, targets: &mut Targets) {
    data.heading(2, "Lossy text in pieces");
    data.note(&format!(
        "GB/s on {} KiB of text that the CPU has not learned, with a byte that is not UTF-8 at the given distances on average (0: none). \
         The columns named after kernels append what `Decoder` yields to a `String`; `encoding_rs` writes to memory with `decode_to_utf8`.",
        TEXT >> 10
    ));
    let kernels: Vec<_> = Kernel::available().iter().filter(|kernel| kernel.name() != "scalar").collect();
    let avx2 = kernels.iter().position(|kernel| kernel.name() == "avx2");
    let mut table = Table::new(
        ["text, distance, piece"].into_iter().chain(kernels.iter().map(|kernel| kernel.name())).chain([
            "encoding_rs",
            "/ encoding_rs",
            "avx2 / encoding_rs",
        ]),
    );
    let between = generated("random", TEXT).text;
    let forget = || assert!(std::str::from_utf8(black_box(between.as_bytes())).is_ok());
    let (mut lowest, mut lowest_of_avx2) = (Lowest::default(), Lowest::default());
    for (name, words) in WORDS {
        for distance in DISTANCES {
            let mut bytes = text(words, TEXT).into_bytes();
            if distance > 0 {
                spoil(&mut bytes, distance);
            }
            let expected = String::from_utf8_lossy(&bytes);
            for piece_len in PIECES {
                let mut texts: Vec<String> =
                    kernels.iter().map(|_| String::with_capacity(3 * TEXT)).collect();
                let mut other = vec![0; 3 * TEXT + 16];
                let mut len = 0;
                let mut contestants: Vec<Box<dyn FnMut()>> = Vec::new();
                for (kernel, text) in kernels.iter().zip(&mut texts) {
                    contestants.push(Box::new(|| decode_all(kernel, &bytes, piece_len, text)));
                }
                contestants.push(Box::new(|| len = decode_with_encoding_rs(&bytes, piece_len, &mut other)));
                let mut best = vec![Duration::MAX; contestants.len()];
                take_turns(Duration::from_millis(60), forget, &mut contestants, &mut best);
                drop(contestants);
                assert!(texts.iter().all(|text| *text == expected));
                assert!(other[..len] == *expected.as_bytes());
                let speeds: Vec<_> = best.into_iter().map(|time| gigabytes_per_second(TEXT, time)).collect();
                let (peer, place) = (speeds[kernels.len()], format!("{name}, {distance}, {piece_len}"));
                let ratio = speeds[0] / peer;
                lowest.add(&place, ratio);
                let of_avx2 = avx2.map(|avx2| speeds[avx2] / peer);
                if let Some(ratio) = of_avx2 {
                    lowest_of_avx2.add(&place, ratio);
                }
                let ratios = [ratio, of_avx2.unwrap_or(f64::NAN)].map(digits);
                table.row([place].into_iter().chain(speeds.into_iter().map(digits)).chain(ratios));
            }
        }
    }
    data.table(&table);
    targets.at_least("lossy text in any pieces, against encoding_rs", 1.0, lowest.0);
    targets.at_least("lossy text in any pieces, avx2 against encoding_rs", 1.0, lowest_of_avx2.0);
}

fn copying(data: &mut Data, targets: &mut Targets) {
    let large = large();
    data.heading(2, "Validate and copy");
    data.note(&format!("GB/s on {} MiB of text.", large >> 20));
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
        lowest.add(name, fused / separate);
        let figures = [fused, separate, std, memcpy, fused / separate].map(digits);
        table.row([name.to_owned()].into_iter().chain(figures));
    }
    data.table(&table);
    targets.at_least("copy_utf8 against from_utf8 and memcpy, 64 MiB", 1.5, lowest.0);
}

fn reading(data: &mut Data, targets: &mut Targets) {
    let large = large();
    data.heading(2, "A file into a String");
    data.note(&format!(
        "Milliseconds for `read_to_string` on a file of {} MiB in the page cache.",
        large >> 20
    ));
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
            lowest.add(name, std / ours);
        }
        let figures = [ours, std, then, alone, std / ours].map(digits);
        table.row([name.to_owned()].into_iter().chain(figures));
    }
    data.table(&table);
    targets.at_least("fs::read_to_string against std's, 64 MiB, not ASCII", 1.5, lowest.0);
    std::fs::remove_file(&path).expect("it was written above");
}
