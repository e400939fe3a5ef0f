//! Measures lossy text, chunks and errors against std, bstr and a loop around simdutf8, and validation on two threads.
//!
//! ```text
//! cargo bench -p trust8-measure --bench lossy                  everything, written to docs/data/
//! cargo bench -p trust8-measure --bench lossy -- lossy short   these sections only, printed
//! cargo bench -p trust8-measure --bench lossy -- --quick       a quick look at everything, printed
//! ```
//!
//! The contestants of a row take turns in many rounds, and the fastest round of each counts. While an answer is timed, its
//! length is checked. In `cargo test` everything runs once, on less text, and every answer is compared byte by byte.

use std::borrow::Cow;
use std::hint::black_box;
use std::time::{Duration, Instant};
use std::{env, io};

use bstr::ByteSlice;
use trust8::Kernel;
use trust8_measure::machine::{Machine, memory_available};
use trust8_measure::measure::{Placed, measuring, pin, quick};
use trust8_measure::random::Random;
use trust8_measure::report::{Data, Table, digits};
use trust8_measure::short_strings::{Contents, Lengths, random_strings};
use trust8_measure::targets::{Lowest, Targets};
use trust8_measure::texts::generated;

/// How much text is spoiled: one byte in each of these numbers, on average.
const RATES: [usize; 5] = [100_000, 1000, 100, 10, 3];

/// The texts: one of each kind that validators treat differently. `src/texts.rs` describes them.
const TEXTS: [&str; 8] =
    ["ASCII", "Latin", "HTML, Chinese", "Russian", "Korean", "Chinese", "emoji", "random"];

/// Returns the length of each text. The text and its lossy copy fit into the L2 cache of any current CPU.
fn text_len() -> usize {
    if measuring() { 256 << 10 } else { 16 << 10 }
}

/// A contestant: its name and its work. `run` returns a number by which the answers are compared: a length or a count.
struct Contestant {
    name: String,
    run: Box<Run>,
}

type Run = dyn Fn(&[u8]) -> usize;

impl Contestant {
    fn new(name: impl Into<String>, run: impl Fn(&[u8]) -> usize + 'static) -> Self {
        Self { name: name.into(), run: Box::new(run) }
    }

    /// Returns a contestant that makes lossy text.
    fn lossy(name: impl Into<String>, make: impl Fn(&[u8]) -> Cow<'_, str> + 'static) -> Self {
        let name = name.into();
        let (whose, checked) = (name.clone(), !measuring());
        Self::new(name, move |bytes| {
            let text = black_box(make(bytes));
            // The text is compared byte by byte where nothing is timed.
            assert!(!checked || text == String::from_utf8_lossy(bytes), "{whose} makes other text than std");
            text.len()
        })
    }
}

/// The time that each contestant runs on other text before it is timed. A core that has not used its widest registers for
/// half a millisecond, because another contestant was slow, first has to power them up. Until then it runs 512-bit code at
/// a quarter of the speed.
const WARM_UP: Duration = Duration::from_micros(200);

/// Returns the nanoseconds that each contestant takes for all strings, in its fastest round.
fn race(contestants: &[Contestant], strings: &[&[u8]]) -> Vec<f64> {
    let expected: Vec<usize> = strings.iter().map(|bytes| (contestants[0].run)(bytes)).collect();
    let sample = |contestant: &Contestant, times: usize| {
        let start = Instant::now();
        for _ in 0..times {
            for (bytes, &expected) in strings.iter().zip(&expected) {
                let found = (contestant.run)(black_box(bytes));
                assert_eq!(found, expected, "{} and {}", contestant.name, contestants[0].name);
            }
        }
        start.elapsed()
    };
    let other = "wärmer ".repeat(512);
    let warm_up = |contestant: &Contestant| {
        let start = Instant::now();
        while measuring() && start.elapsed() < WARM_UP {
            black_box((contestant.run)(black_box(other.as_bytes())));
        }
    };
    let mut best = vec![f64::MAX; contestants.len()];
    let times: Vec<usize> = contestants
        .iter()
        .map(|contestant| {
            let once = sample(contestant, 1).min(sample(contestant, 1));
            // Long input runs once a turn, or branch predictors would learn where its errors are.
            let wanted = if strings.len() > 1 { 100_000 } else { 10_000 };
            if measuring() { (wanted / once.as_nanos().max(1) as usize).max(1) } else { 1 }
        })
        .collect();
    let (fewest, budget) = match (measuring(), quick()) {
        (true, false) => (5, Duration::from_millis(400)),
        (true, true) => (5, Duration::from_millis(40)),
        (false, _) => (1, Duration::ZERO),
    };
    let start = Instant::now();
    let mut round = 0;
    while round < fewest || start.elapsed() < budget {
        for turn in 0..contestants.len() {
            let i = (turn + round) % contestants.len();
            warm_up(&contestants[i]);
            let nanos = sample(&contestants[i], times[i]).as_nanos() as f64 / times[i] as f64;
            best[i] = best[i].min(nanos);
        }
        round += 1;
    }
    best
}

/// Converts `bytes` to lossy text, as a program does that uses simdutf8.
fn simdutf8_lossy(bytes: &[u8]) -> Cow<'_, str> {
    let Err(mut error) = simdutf8::compat::from_utf8(bytes) else {
        // SAFETY: `bytes` has just been found valid.
        return Cow::Borrowed(unsafe { std::str::from_utf8_unchecked(bytes) });
    };
    let mut text = String::with_capacity(bytes.len());
    let mut rest = bytes;
    loop {
        let (valid, invalid) = rest.split_at(error.valid_up_to());
        // SAFETY: `rest` is valid up to `error.valid_up_to()`, where it was split.
        text.push_str(unsafe { std::str::from_utf8_unchecked(valid) });
        text.push('\u{FFFD}');
        rest = &invalid[error.error_len().unwrap_or(invalid.len())..];
        match simdutf8::compat::from_utf8(rest) {
            Ok(valid) => {
                text.push_str(valid);
                return Cow::Owned(text);
            }
            Err(next) => error = next,
        }
    }
}

/// Returns the contestants that make lossy text. The first is std, whose answers the others must give.
fn lossy_contestants() -> Vec<Contestant> {
    let mut all = vec![
        Contestant::lossy("std", String::from_utf8_lossy),
        Contestant::lossy("bstr", |bytes| bytes.to_str_lossy()),
        Contestant::lossy("simdutf8 loop", simdutf8_lossy),
        Contestant::lossy("trust8", trust8::from_utf8_lossy),
    ];
    for kernel in &Kernel::available()[1..] {
        all.push(Contestant::lossy(format!("trust8 {}", kernel.name()), |bytes| {
            kernel.from_utf8_lossy(bytes)
        }));
    }
    all
}

/// Returns a copy of `text` in which one byte in `rate` on average, and at least one, is replaced by a non-ASCII byte.
fn spoiled(text: &str, rate: usize) -> Vec<u8> {
    let mut random = Random::named(&format!("spoiled {rate}"));
    let mut bytes = text.as_bytes().to_vec();
    let middle = bytes.len() / 2;
    bytes[middle] = 0xFF;
    for byte in &mut bytes {
        if random.once_in(rate) {
            *byte = random.between(0x80, 0xFF) as u8;
        }
    }
    bytes
}

fn random_bytes(len: usize) -> Vec<u8> {
    let mut random = Random::named("bytes");
    (0..len).map(|_| random.next() as u8).collect()
}

fn names(contestants: &[Contestant], first: &str, last: &[&str]) -> Vec<String> {
    let names = contestants.iter().map(|contestant| contestant.name.clone());
    [first.to_owned()].into_iter().chain(names).chain(last.iter().map(|&name| name.to_owned())).collect()
}

fn lossy(data: &mut Data, targets: &mut Targets) {
    data.heading(2, "Lossy text");
    data.note(&format!(
        "`from_utf8_lossy` on {} KiB, in GB/s of input. `simdutf8 loop` is the loop that a program writes around \
         `simdutf8::compat`. The time includes freeing the text. The last two columns divide trust8's speed by that \
         of std, and by that of the faster one of std and bstr.",
        text_len() >> 10
    ));
    let contestants = lossy_contestants();
    let kernels = contestants.len() - 3;
    let gb_per_s =
        |len: usize, nanos: &[f64]| nanos.iter().map(|nanos| len as f64 / nanos).collect::<Vec<_>>();
    let row = |table: &mut Table, name: &str, bytes: &[u8]| {
        let placed = Placed::new(bytes, 0);
        let speeds = gb_per_s(bytes.len(), &race(&contestants, &[placed.bytes()]));
        let [std, bstr, _, ours, ..] = speeds[..] else { unreachable!("four contestants and more") };
        let cells = speeds.iter().copied().chain([ours / std, ours / std.max(bstr)]).map(digits);
        table.row([name.to_owned()].into_iter().chain(cells));
        speeds
    };

    data.heading(3, "Valid text");
    let mut table = Table::new(names(&contestants, "text", &["/ std", "/ best"]));
    let (mut dense, mut others) = (Lowest::default(), Lowest::default());
    for name in TEXTS {
        let text = generated(name, text_len());
        let speeds = row(&mut table, name, text.text.as_bytes());
        let worst = if text.density() > 0.5 { &mut dense } else { &mut others };
        worst.add(name, speeds[3] / speeds[0]);
    }
    data.table(&table);
    targets.at_least("lossy, valid text, over half not ASCII, against std", 15.0, dense.0);
    targets.at_least("lossy, valid text, at least half ASCII, against std", 1.0, others.0);

    for rate in RATES {
        data.heading(3, &format!("One byte in {rate} spoiled"));
        let mut table = Table::new(names(&contestants, "text", &["/ std", "/ best"]));
        let mut worst = vec![Lowest::default(); kernels];
        for name in TEXTS {
            let speeds = row(&mut table, name, &spoiled(&generated(name, text_len()).text, rate));
            for (worst, ours) in worst.iter_mut().zip(&speeds[3..]) {
                worst.add(name, ours / speeds[0].max(speeds[1]));
            }
        }
        data.table(&table);
        for (worst, contestant) in worst.into_iter().zip(&contestants[3..]) {
            let what = format!("{}, one in {rate} spoiled, against std and bstr", contestant.name);
            targets.at_least(&what, 1.0, worst.0);
        }
    }

    data.heading(3, "Bytes that are no text");
    let mut table = Table::new(names(&contestants, "bytes", &["/ std", "/ best"]));
    let inputs: [(&str, Vec<u8>); 4] = [
        ("random", random_bytes(text_len())),
        ("FF", vec![0xFF; text_len()]),
        ("80", vec![0x80; text_len()]),
        ("E2 82 41", b"\xE2\x82A".repeat(text_len() / 3)),
    ];
    let mut worst = vec![Lowest::default(); kernels];
    for (name, bytes) in &inputs {
        let speeds = row(&mut table, name, bytes);
        for (worst, ours) in worst.iter_mut().zip(&speeds[3..]) {
            worst.add(name, ours / speeds[0].max(speeds[1]));
        }
    }
    data.table(&table);
    for (worst, contestant) in worst.into_iter().zip(&contestants[3..]) {
        targets.at_least(
            &format!("{}, bytes that are no text, against std and bstr", contestant.name),
            1.0,
            worst.0,
        );
    }
}

fn short(data: &mut Data, targets: &mut Targets) {
    data.heading(2, "Short strings");
    data.note("`from_utf8_lossy`, ns a call. Lengths and contents vary from call to call.");
    let contestants = lossy_contestants();
    let mut table = Table::new(names(&contestants, "strings", &["/ std", "/ best"]));
    let (mut valid, mut half) = (Lowest::default(), Lowest::default());
    for lengths in [Lengths::Below(16), Lengths::Below(64), Lengths::Below(256)] {
        for contents in Contents::ALL {
            for spoiling in [false, true] {
                let packed = random_strings(lengths, contents, 1024);
                let mut random = Random::named("short");
                let strings: Vec<Vec<u8>> = packed
                    .strings()
                    .iter()
                    .map(|bytes| {
                        let mut bytes = bytes.to_vec();
                        if spoiling && !bytes.is_empty() && random.once_in(2) {
                            let at = random.below(bytes.len());
                            bytes[at] = random.between(0x80, 0xFF) as u8;
                        }
                        bytes
                    })
                    .collect();
                let strings: Vec<&[u8]> = strings.iter().map(Vec::as_slice).collect();
                let nanos = race(&contestants, &strings);
                let calls: Vec<f64> = nanos.iter().map(|nanos| nanos / strings.len() as f64).collect();
                let [std, bstr, _, ours, ..] = calls[..] else { unreachable!("four contestants and more") };
                let state = if spoiling { ", half of them spoiled" } else { "" };
                let name = format!("{}, {}{state}", contents.name(), lengths.name());
                let worst = if spoiling { &mut half } else { &mut valid };
                worst.add(&name, std.min(bstr) / ours);
                let cells = calls.iter().copied().chain([std / ours, std.min(bstr) / ours]).map(digits);
                table.row([name].into_iter().chain(cells));
            }
        }
    }
    data.table(&table);
    targets.at_least("trust8, short valid strings, against std and bstr", 1.0, valid.0);
    targets.at_least("trust8, short strings, half of them spoiled, against std and bstr", 1.0, half.0);
}

fn chunks(data: &mut Data, targets: &mut Targets) {
    data.heading(2, "Chunks and errors");
    data.note(
        "GB/s of `utf8_chunks` and `errors`, whose lengths are added up, and of the chunks of `core` and bstr. The column \
         `chunks` divides the speed of trust8's chunks by that of the faster one of `core` and bstr. The column `errors` \
         divides the speed of trust8's errors, each of which has its kind, by that of `core`'s chunks, which have none.",
    );
    let contestants = [
        Contestant::new("core chunks", |bytes| {
            bytes.utf8_chunks().map(|chunk| chunk.valid().len() + 3 * chunk.invalid().len()).sum()
        }),
        Contestant::new("bstr chunks", |bytes| {
            ByteSlice::utf8_chunks(bytes).map(|chunk| chunk.valid().len() + 3 * chunk.invalid().len()).sum()
        }),
        Contestant::new("trust8 chunks", |bytes| {
            trust8::utf8_chunks(bytes).map(|chunk| chunk.valid().len() + 3 * chunk.invalid().len()).sum()
        }),
        Contestant::new("trust8 errors", |bytes| {
            let invalid: usize = trust8::errors(bytes)
                .map(|error| error.error_len().unwrap_or(bytes.len() - error.valid_up_to()))
                .sum();
            bytes.len() + 2 * invalid
        }),
    ];
    let mut table = Table::new(names(&contestants, "text", &["chunks", "errors"]));
    let mut worst = Lowest::default();
    let mut row = |name: &str, bytes: &[u8]| {
        let nanos = race(&contestants, &[Placed::new(bytes, 0).bytes()]);
        let [core, bstr, chunks, errors] = nanos[..] else { unreachable!("four contestants") };
        let ratio = core.min(bstr) / chunks;
        worst.add(name, ratio);
        let speeds = nanos.iter().map(|nanos| bytes.len() as f64 / nanos);
        let cells = speeds.chain([ratio, core / errors]).map(digits);
        table.row([name.to_owned()].into_iter().chain(cells));
    };
    for name in ["ASCII", "Russian", "Chinese"] {
        let text = generated(name, text_len());
        row(name, text.text.as_bytes());
        for rate in RATES {
            row(&format!("{name}, one in {rate}"), &spoiled(&text.text, rate));
        }
    }
    row("random bytes", &random_bytes(text_len()));
    data.table(&table);
    targets.at_least("chunks against those of core and bstr", 1.0, worst.0);
}

/// Reads every byte once, eight words at a time. No validator in one pass can be much faster.
fn read_loop(bytes: &[u8]) -> u64 {
    let (lines, _) = bytes.as_chunks::<64>();
    let mut seen = [0; 8];
    for line in lines {
        let (words, _) = line.as_chunks::<8>();
        for (seen, word) in seen.iter_mut().zip(words) {
            *seen |= u64::from_ne_bytes(*word);
        }
    }
    seen.iter().fold(0, |all, word| all | word)
}

fn parallel(data: &mut Data, targets: &mut Targets) {
    let len = if measuring() && !quick() { 256 << 20 } else { 4 << 20 };
    data.heading(2, "On two threads");
    if memory_available().is_some_and(|free| free < 3 * len) {
        data.note("Not measured: there is not enough memory for it.");
        return;
    }
    data.note(&format!(
        "GB/s of `par_from_utf8` on {} MiB, with pools of one and two threads, which are not pinned, and of a loop that \
         only reads, with the same pools. Where two threads validate nearly as fast as they read, memory is the limit.",
        len >> 20
    ));
    let mut table = Table::new([
        "text",
        "from_utf8",
        "one",
        "two",
        "two / one",
        "reading, one",
        "reading, two",
        "two / reading",
    ]);
    let pool = |threads| {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool of one or two threads")
    };
    let (one, two) = (pool(1), pool(2));
    let (mut gain, mut limit) = (Lowest::default(), Lowest::default());
    for name in ["ASCII", "Russian", "Chinese"] {
        let placed = Placed::filled(&generated(name, 1 << 20).text, len);
        let bytes = placed.bytes();
        let (first, second) = bytes.split_at(len / 2);
        let runs: [&dyn Fn(); 5] = [
            &|| assert!(trust8::from_utf8(black_box(bytes)).is_ok()),
            &|| one.install(|| assert!(trust8_counts::par_from_utf8(black_box(bytes)).is_ok())),
            &|| two.install(|| assert!(trust8_counts::par_from_utf8(black_box(bytes)).is_ok())),
            &|| assert_ne!(read_loop(black_box(bytes)), 0),
            &|| {
                let (a, b) = two
                    .install(|| rayon::join(|| read_loop(black_box(first)), || read_loop(black_box(second))));
                assert_ne!(a | b, 0);
            },
        ];
        let mut best = [f64::MAX; 5];
        for _ in 0..if measuring() { 15 } else { 1 } {
            for (run, best) in runs.iter().zip(&mut best) {
                let start = Instant::now();
                run();
                *best = best.min(start.elapsed().as_nanos() as f64);
            }
        }
        let [alone, one, two, reading, reading2] = best.map(|nanos| len as f64 / nanos);
        gain.add(name, two / one);
        limit.add(name, two / reading2);
        let cells = [alone, one, two, two / one, reading, reading2, two / reading2].map(digits);
        table.row([name.to_owned()].into_iter().chain(cells));
    }
    data.table(&table);
    targets.at_least("two threads against one, 256 MiB", 1.8, gain.0);
    targets.at_least("two threads against two that only read, 256 MiB", 0.9, limit.0);
}

type Section = fn(&mut Data, &mut Targets);

const SECTIONS: [(&str, Section); 4] =
    [("parallel", parallel), ("lossy", lossy), ("short", short), ("chunks", chunks)];

fn main() -> io::Result<()> {
    let chosen: Vec<String> = env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let mut targets = Targets::default();
    let mut body = Data::default();
    for (name, section) in SECTIONS {
        if name == "lossy" {
            // This thread is pinned only now: threads that it started before may run on every core.
            pin()?;
        }
        if chosen.is_empty() || chosen.iter().any(|chosen| chosen == name) {
            section(&mut body, &mut targets);
        }
    }
    let mut data = Data::default();
    targets.report(&mut data);
    data.append(&body);
    let full = measuring() && !quick() && chosen.is_empty();
    data.publish(full, "lossy", &[("peers", &Machine::ask().peers)])
}
