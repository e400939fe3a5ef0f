//! Measures validation in two regimes: *learned*, one text again and again, and *new*, other excerpts in every round.
//!
//! A CPU learns the branches of a text that it sees again and again, which is what most benchmarks show. Most programs see new text. Each
//! kernel runs against the best peer of its instruction set, or of all for AVX-512. Every answer is checked while it is timed. In `cargo
//! test` everything runs once.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;
use std::{env, io};

use trust8::Kernel;
use trust8::boundary::floor;
use trust8_measure::contestants::{Contestant, contestants};
use trust8_measure::measure::{Bench, Placed, entry};
use trust8_measure::random::Random;
use trust8_measure::texts::{CORPUS, Text, corpus, generated};

/// Texts with clusters of characters that are not ASCII, and dense ones. `src/texts.rs` describes them.
const TEXTS: [&str; 9] = [
    "tweets",
    "ASCII",
    "JSON logs",
    "German",
    "Latin",
    "HTML, Russian",
    "HTML, Chinese",
    "Russian",
    "Chinese",
];
/// No powers of two: at multiples of 64, some peers have no rest to treat.
const LEARNED_BYTES: [usize; 12] = [100, 150, 200, 300, 500, 700, 1000, 1500, 3000, 5000, 10_000, 30_000];
/// The mean length of excerpts, which have half to one and a half times as much.
const NEW_BYTES: [usize; 8] = [150, 256, 512, 1024, 2048, 4096, 10_000, 30_000];
/// Where texts begin after a multiple of 64.
const OFFSETS: [usize; 3] = [1, 24, 33];

/// Returns the nanoseconds a byte of each contestant on one text.
fn learned(bench: &Bench, all: &[&Contestant], text: &str, len: usize) -> Vec<f64> {
    let mut best = vec![f64::MAX; all.len()];
    for offset in OFFSETS {
        let text = Placed::new(&text.as_bytes()[..floor(text.as_bytes(), len)], offset);
        let (strings, calls) =
            ([&*text], (bench.by(0, 300_000, 300_000) / len).clamp(bench.by(1, 20, 20), 3000));
        let entries = all.iter().map(|one| entry(&*one.name, || one.sweep(&strings, calls)));
        for ((_, nanos), best) in bench.race(calls, entries.collect()).0.iter().zip(&mut best) {
            *best = best.min(nanos / (calls * text.len()) as f64);
        }
    }
    best
}

/// Returns the same for excerpts that are new in every round: the first third of all rounds.
fn new(bench: &Bench, all: &[&Contestant], text: &str, len: usize) -> Vec<f64> {
    let mut random = Random::named("excerpts");
    let mut times = vec![Vec::new(); all.len()];
    let total = bench.by(0, 192 << 10, 192 << 10).max(2 * len);
    let mut memory = Placed::room(2 * total + 2 * len);
    for round in 0..3 * bench.by(1, 9, 30) {
        let (mut ranges, mut sum, mut at) = (Vec::new(), 0, 0);
        while sum < total {
            let from = floor(text.as_bytes(), random.below(text.len() - 2 * len));
            let excerpt = &text[from..floor(text.as_bytes(), from + random.between(len / 2, len * 3 / 2))];
            at += random.below(64);
            memory[at..at + excerpt.len()].copy_from_slice(excerpt.as_bytes());
            ranges.push(at..at + excerpt.len());
            at += excerpt.len();
            sum += excerpt.len();
        }
        let strings: Vec<&[u8]> = ranges.iter().map(|range| &memory[range.clone()]).collect();
        for turn in 0..all.len() {
            let i = (turn + round) % all.len();
            let start = Instant::now();
            assert_eq!(all[i].sweep(black_box(&strings), 1), strings.len(), "{}", all[i].name);
            times[i].push(start.elapsed().as_nanos() as f64 / sum as f64);
        }
    }
    let third = |mut times: Vec<f64>| {
        times.sort_unstable_by(f64::total_cmp);
        times[times.len() / 3]
    };
    times.into_iter().map(third).collect()
}

type Regime = fn(&Bench, &[&Contestant], &str, usize) -> Vec<f64>;

fn main() -> io::Result<()> {
    let mut bench = Bench::start("regimes")?;
    let all = contestants();
    let text_len = bench.by(65_000, 400_000, 400_000);
    let texts: Vec<Text> = match env::var_os(CORPUS) {
        Some(folder) => corpus(Path::new(&folder), text_len)?,
        None => TEXTS.iter().map(|name| generated(name, text_len)).collect(),
    };
    bench.data.note("The speed of each kernel as a ratio to the best peer for its instruction set.");
    for kernel in Kernel::available() {
        let own = format!("trust8 {}", kernel.name());
        let peers: &[&str] = match kernel.name() {
            "avx512" => &["simdutf8 avx2", "ps-simdutf8", "simdutf C++"],
            "avx2" => &["simdutf8 avx2"],
            "sse4.2" => &["simdutf8 sse4.2"],
            "scalar" => &["std"],
            _ => &["simdutf8 basic"],
        };
        let is_chosen = |one: &&Contestant| one.name == own || peers.contains(&&*one.name);
        let chosen: Vec<&Contestant> = all.iter().filter(is_chosen).collect();
        let own_at = chosen.iter().position(|one| one.name == own).expect("each kernel is a contestant");
        let regimes: [(&str, &str, &[usize], Regime); 2] =
            [("learned", "", &LEARNED_BYTES, learned), ("new", "~", &NEW_BYTES, new)];
        for (name, about, lengths, regime) in regimes {
            bench.data.heading(2, &format!("{}, {name}", kernel.name()));
            for text in &texts {
                let mut product = 1.0;
                for &len in lengths {
                    let times = regime(&bench, &chosen, &text.text, len);
                    let peers = times.iter().enumerate().filter(|&(i, _)| i != own_at);
                    let ratio = peers.map(|(_, &time)| time).fold(f64::MAX, f64::min) / times[own_at];
                    bench.data.row("bytes", &text.name, [(format!("{about}{len}"), ratio)]);
                    product *= ratio;
                }
                bench.data.row("bytes", &text.name, [("mean", product.powf(1.0 / lengths.len() as f64))]);
            }
        }
    }
    bench.finish()
}
