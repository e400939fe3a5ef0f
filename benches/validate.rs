//! Compares trust8 with the standard library and simdutf8, and ends with a table: `cargo bench`.
//!
//! ```text
//! cargo bench                                          in two minutes
//! cargo bench -p trust8-benches --features simdutf     with the C++ library, which needs a C++ compiler
//! cargo bench -p trust8-benches -- 'new/.*/German'     some of it
//! ```
//!
//! - *short*: strings of random lengths below 64 bytes.
//! - *new*: excerpts of about 1,000 and 10,000 bytes, other ones each time, as a program reads them.
//! - *learned*: one text of such a length again and again, whose branches the CPU predicts.
//!
//! The table has the speed in the fastest third of all passes, so other programs disturb it less than criterion's means. All answers are
//! checked while they are timed. The texts are those of tools/measure, which compares more.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput};
use trust8_benches::random::Random;
use trust8_benches::texts;

/// Returns whether a text is valid.
type Validate = fn(&[u8]) -> bool;

/// The validators and their names.
const CONTESTANTS: &[(&str, Validate)] = &[
    ("std", |bytes| str::from_utf8(bytes).is_ok()),
    ("simdutf8", |bytes| simdutf8::basic::from_utf8(bytes).is_ok()),
    #[cfg(feature = "simdutf")]
    ("simdutf", |bytes| simdutf::validate_utf8(bytes)),
    ("trust8", |bytes| trust8::from_utf8(bytes).is_ok()),
];
const TEXTS: [&str; 5] = ["ASCII", "JSON logs", "German", "Russian", "Chinese"];
const BYTES: [usize; 2] = [1_000, 10_000];

/// The nanoseconds a byte of each pass of each contestant, for each group and case.
type Times = BTreeMap<(&'static str, String), [Vec<f64>; CONTESTANTS.len()]>;

/// Measures all contestants on strings, which `next` yields for each pass.
fn measure<'a>(
    criterion: &mut Criterion,
    times: &mut Times,
    (group, case): (&'static str, &str),
    mut next: impl FnMut() -> Vec<&'a [u8]>,
) {
    let mut benchmarks = criterion.benchmark_group(group);
    let bytes: usize = next().iter().map(|string| string.len()).sum();
    benchmarks.throughput(Throughput::Bytes(bytes as u64));
    for (i, &(name, is_valid)) in CONTESTANTS.iter().enumerate() {
        benchmarks.bench_function(BenchmarkId::new(name, case), |bencher| {
            bencher.iter_custom(|passes| {
                let mut total = Duration::ZERO;
                for _ in 0..passes {
                    let strings = next();
                    let start = Instant::now();
                    let valid = black_box(&strings).iter().filter(|string| is_valid(string)).count();
                    let time = start.elapsed();
                    assert_eq!(valid, strings.len(), "{name}");
                    let bytes: usize = strings.iter().map(|string| string.len()).sum();
                    let all = times.entry((group, case.to_owned())).or_default();
                    all[i].push(time.as_nanos() as f64 / bytes as f64);
                    total += time;
                }
                total
            });
        });
    }
}

/// Returns excerpts of random places and lengths, `mean` bytes long on average.
fn excerpts<'a>(text: &'a str, mean: usize, random: &mut Random) -> Vec<&'a [u8]> {
    let place = |at| trust8::boundary::floor(text.as_bytes(), at);
    (0..(60_000 / mean))
        .map(|_| {
            let from = place(random.below(text.len() - 2 * mean));
            &text.as_bytes()[from..place(from + random.between(mean / 2, mean * 3 / 2))]
        })
        .collect()
}

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(700))
        .sample_size(20)
        .without_plots()
        .configure_from_args();
    let mut times = Times::new();
    let mut random = Random::named("excerpts");
    for name in ["ASCII", "German", "random"] {
        let text = texts::generated(name, 200_000).text;
        let mut at = 0;
        let mut strings = Vec::new();
        while at < text.len() - 64 {
            let end = trust8::boundary::floor(text.as_bytes(), at + random.below(64));
            strings.push(&text.as_bytes()[at..end]);
            at = end.max(at);
        }
        random.shuffle(&mut strings);
        measure(&mut criterion, &mut times, ("short", name), || strings.clone());
    }
    for name in TEXTS {
        let text = texts::generated(name, 4 << 20).text;
        for bytes in BYTES {
            let case = format!("{name}, {bytes} bytes");
            measure(&mut criterion, &mut times, ("new", &case), || excerpts(&text, bytes, &mut random));
            let same = &excerpts(&text, bytes, &mut Random::named(&case))[..1];
            measure(&mut criterion, &mut times, ("learned", &case), || same.repeat(60_000 / bytes));
        }
    }
    criterion.final_summary();
    println!("\nGB/s, and how many times as fast trust8 is ({})", trust8::Kernel::best().name());
    for ((group, case), times) in &mut times {
        let third = times.each_mut().map(|times| {
            times.sort_unstable_by(f64::total_cmp);
            times.get(times.len() / 3).copied().unwrap_or(f64::NAN)
        });
        print!("{:<30}", format!("{group}, {case}"));
        for ((name, _), time) in CONTESTANTS.iter().zip(third) {
            let ratio = time / third[CONTESTANTS.len() - 1];
            print!("  {name} {:6.2} ({ratio:5.2})", 1.0 / time);
        }
        println!();
    }
}
