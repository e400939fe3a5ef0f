//! Measures lossy text, chunks and errors against std and bstr, and validation on two threads.
//!
//! Before a text is timed, all answers are compared byte by byte; while it is timed, their lengths are.

use std::borrow::Cow;
use std::hint::black_box;
use std::io;
use std::time::{Duration, Instant};

use bstr::ByteSlice;
use trust8::Kernel;
use trust8_measure::machine::memory_available;
use trust8_measure::measure::{Bench, Placed, Times, entry};
use trust8_measure::random::Random;
use trust8_measure::read_loop::fastest;
use trust8_measure::short_strings::{Contents, Lengths, random_strings};
use trust8_measure::texts::generated;
use trust8_measure::{WRONG, spoil};

/// How much text is spoiled: one byte in each of these numbers, on average.
const RATES: [usize; 5] = [100_000, 1000, 100, 10, 3];

/// The texts: one of each kind that validators treat differently. `benches/src/texts.rs` describes them.
const TEXTS: [&str; 8] =
    ["ASCII", "Latin", "HTML, Chinese", "Russian", "Korean", "Chinese", "emoji", "random"];

fn main() -> io::Result<()> {
    // Threads that this one starts before it is pinned may run on every core.
    let pools = [1, 2].map(|threads| {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool of one or two threads")
    });
    let mut bench = Bench::start("lossy")?;
    if bench.wants("parallel") {
        parallel(&mut bench, &pools);
    }
    // The text and its lossy copy fit into the L2 cache of any current CPU.
    let len = bench.by(16 << 10, 256 << 10, 256 << 10);
    for (name, section) in [("lossy", lossy as fn(&mut Bench, usize)), ("short", short), ("chunks", chunks)] {
        if bench.wants(name) {
            section(&mut bench, len);
        }
    }
    bench.finish()
}

/// Runs 512-bit code. A core that has not used its widest registers for half a millisecond, because a contestant was slow, first
/// has to power them up. Until then it runs such code at a quarter of the speed.
fn warm_up() {
    let start = Instant::now();
    let other = "wärmer ".repeat(512);
    while start.elapsed() < Duration::from_micros(200) {
        black_box(trust8::from_utf8_lossy(black_box(other.as_bytes())));
    }
}

/// A function that makes lossy text.
type Make = Box<dyn Fn(&[u8]) -> Cow<'_, str>>;

fn makers() -> Vec<(String, Make)> {
    let mut all: Vec<(String, Make)> = vec![
        ("std".to_owned(), Box::new(String::from_utf8_lossy)),
        ("bstr".to_owned(), Box::new(|bytes| bytes.to_str_lossy())),
        ("trust8".to_owned(), Box::new(trust8::from_utf8_lossy)),
    ];
    for kernel in &Kernel::available()[1..] {
        let name = format!("trust8 {}", kernel.name());
        all.push((name, Box::new(|bytes| kernel.from_utf8_lossy(bytes))));
    }
    all
}

/// Races all functions that make lossy text. Long input runs once a turn, or branch predictors would learn where its errors are.
fn race(bench: &Bench, strings: &[&[u8]]) -> Times {
    let makers = makers();
    let mut len = 0;
    for bytes in strings {
        let expected = String::from_utf8_lossy(bytes);
        len += expected.len();
        assert!(makers.iter().all(|(_, make)| make(bytes) == expected));
    }
    let entries = makers.iter().map(|(name, make)| {
        entry(name, || strings.iter().map(|bytes| black_box(make(black_box(bytes))).len()).sum())
    });
    bench.race_after(&warm_up, len, entries.collect())
}

/// Returns how many times as fast trust8 is as std, and as the faster of std and bstr.
fn ratios(times: &Times) -> [(&'static str, f64); 2] {
    let best = times.of("std").min(times.of("bstr"));
    [("/ std", times.ratio("trust8", "std")), ("/ best", best / times.of("trust8"))]
}

/// Returns a copy of `text` in which one byte in `rate` on average, and at least one, is wrong.
fn spoiled(text: &str, rate: usize) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    spoil(&mut bytes, &WRONG, rate);
    bytes
}

fn random_bytes(len: usize) -> Vec<u8> {
    let mut random = Random::named("bytes");
    (0..len).map(|_| random.next() as u8).collect()
}

fn lossy(bench: &mut Bench, len: usize) {
    bench.data.heading(2, "Lossy text");
    bench.data.note("GB/s of input; the time includes freeing the text. `/ best`: of std and bstr.");
    let row = |bench: &mut Bench, table: &str, name: &str, bytes: &[u8]| {
        let placed = Placed::new(bytes, 0);
        let times = race(bench, &[&placed]);
        bench.data.row(table, name, times.gb_per_s(bytes.len()));
        bench.data.row(table, name, ratios(&times));
    };
    let texts = TEXTS.map(|name| generated(name, len));
    bench.data.heading(3, "Valid text");
    texts.iter().for_each(|text| row(bench, "text", &text.name, text.text.as_bytes()));
    for rate in RATES {
        bench.data.heading(3, &format!("One byte in {rate} spoiled"));
        texts.iter().for_each(|text| row(bench, "text", &text.name, &spoiled(&text.text, rate)));
    }
    bench.data.heading(3, "Bytes that are no text");
    row(bench, "bytes", "random", &random_bytes(len));
    row(bench, "bytes", "FF", &vec![0xFF; len]);
    row(bench, "bytes", "80", &vec![0x80; len]);
    row(bench, "bytes", "E2 82 41", &b"\xE2\x82A".repeat(len / 3));
}

fn short(bench: &mut Bench, _: usize) {
    bench.data.heading(2, "Short strings");
    bench.data.note("`from_utf8_lossy`, ns a call. Lengths and contents vary from call to call.");
    for lengths in [Lengths::Below(16), Lengths::Below(64), Lengths::Below(256)] {
        for contents in Contents::ALL {
            for state in ["", ", half of them spoiled"] {
                let mut random = Random::named("short");
                let packed = random_strings(lengths, contents, 1024);
                let mut strings: Vec<_> = packed.strings().iter().map(|bytes| bytes.to_vec()).collect();
                for bytes in strings.iter_mut().filter(|bytes| !state.is_empty() && !bytes.is_empty()) {
                    if random.once_in(2) {
                        let at = random.below(bytes.len());
                        bytes[at] = random.between(0x80, 0xFF) as u8;
                    }
                }
                let strings: Vec<&[u8]> = strings.iter().map(Vec::as_slice).collect();
                let times = race(bench, &strings);
                let row = format!("{}, {}{state}", contents.name(), lengths.name());
                bench.data.row("strings", &row, times.a_call(strings.len()));
                bench.data.row("strings", &row, ratios(&times));
            }
        }
    }
}

fn chunks(bench: &mut Bench, len: usize) {
    bench.data.heading(2, "Chunks and errors");
    bench
        .data
        .note("GB/s. `chunks`: against the faster of `core` and bstr; `errors`: against `core`'s chunks.");
    let mut row = |name: &str, bytes: &[u8]| {
        let placed = Placed::new(bytes, 0);
        let bytes = || black_box(&*placed);
        let of_core =
            || bytes().utf8_chunks().map(|chunk| chunk.valid().len() + 3 * chunk.invalid().len()).sum();
        let of_bstr = || {
            ByteSlice::utf8_chunks(bytes()).map(|chunk| chunk.valid().len() + 3 * chunk.invalid().len()).sum()
        };
        let of_trust8 = || {
            trust8::utf8_chunks(bytes()).map(|chunk| chunk.valid().len() + 3 * chunk.invalid().len()).sum()
        };
        let errors = || {
            let lens = trust8::errors(bytes())
                .map(|error| error.error_len().unwrap_or(bytes().len() - error.valid_up_to()));
            bytes().len() + 2 * lens.sum::<usize>()
        };
        let times = bench.race_after(
            &warm_up,
            of_core(),
            vec![
                entry("core chunks", of_core),
                entry("bstr chunks", of_bstr),
                entry("trust8 chunks", of_trust8),
                entry("trust8 errors", errors),
            ],
        );
        let best = times.of("core chunks").min(times.of("bstr chunks"));
        bench.data.row("text", name, times.gb_per_s(placed.len()));
        let of_errors = times.ratio("trust8 errors", "core chunks");
        bench.data.row("text", name, [("chunks", best / times.of("trust8 chunks")), ("errors", of_errors)]);
    };
    for name in ["ASCII", "Russian", "Chinese"] {
        let text = generated(name, len).text;
        row(name, text.as_bytes());
        RATES.iter().for_each(|&rate| row(&format!("{name}, one in {rate}"), &spoiled(&text, rate)));
    }
    row("random bytes", &random_bytes(len));
}

fn parallel(bench: &mut Bench, [one, two]: &[rayon::ThreadPool; 2]) {
    let len = bench.by(1 << 20, 4 << 20, 256 << 20);
    bench.data.heading(2, "On two threads");
    if memory_available().is_some_and(|free| free < 3 * len) {
        bench.data.note("Not measured: there is not enough memory for it.");
        return;
    }
    bench.data.note(&format!("GB/s on {} MiB. The threads are not pinned.", len >> 20));
    let read_loop = fastest();
    for name in ["ASCII", "Russian", "Chinese"] {
        let placed = Placed::filled(&generated(name, 1 << 20).text, len);
        let bytes = || black_box(&*placed);
        let par_from_utf8 = || trust8_counts::par_from_utf8(bytes()).map_or(0, |_| 1);
        let halves = || {
            let (first, second) = bytes().split_at(len / 2);
            let (first, second) = rayon::join(|| read_loop(first), || read_loop(second));
            usize::from(first | second)
        };
        let times = bench.race(
            1,
            vec![
                entry("from_utf8", || usize::from(trust8::from_utf8(bytes()).is_ok())),
                entry("one", || one.install(par_from_utf8)),
                entry("two", || two.install(par_from_utf8)),
                entry("reading, one", || one.install(|| usize::from(read_loop(bytes())))),
                entry("reading, two", || two.install(halves)),
            ],
        );
        bench.data.row("text", name, times.gb_per_s(len));
        let ratios =
            [("two / one", times.ratio("two", "one")), ("two / reading", times.ratio("two", "reading, two"))];
        bench.data.row("text", name, ratios);
    }
}
