//! Runs the same contestants in criterion, to look closer at one of them or to compare two states of the
//! code: `cargo bench -p trust8-benches --bench criterion -- 'text/trust8/Russian'`.

use std::time::{Duration, Instant};

use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput, measurement::WallTime};
use trust8_benches::contestants::{Contestant, Role, contestants};
use trust8_benches::measure::{Packed, Placed, pin};
use trust8_benches::short_strings::{Contents, Lengths, consecutive_strings, random_strings};
use trust8_benches::texts::{generated, texts};

/// Measures all strings together, and checks the number of valid ones each time.
fn bench(
    group: &mut BenchmarkGroup<'_, WallTime>,
    contestant: &Contestant,
    parameter: &str,
    strings: &[&[u8]],
) {
    let bytes: usize = strings.iter().map(|string| string.len()).sum();
    group.throughput(Throughput::Bytes(bytes as u64));
    group.bench_function(BenchmarkId::new(&contestant.name, parameter), |bencher| {
        bencher.iter_custom(|times| {
            let times = usize::try_from(times).unwrap_or(usize::MAX);
            let start = Instant::now();
            let valid = contestant.sweep(strings, times);
            let elapsed = start.elapsed();
            assert!(valid == strings.len() * times || !contestant.validates(), "{}", contestant.name);
            elapsed
        });
    });
}

fn by_text(criterion: &mut Criterion, contestants: &[Contestant]) {
    let mut group = criterion.benchmark_group("text");
    for text in texts(64 << 10).unwrap_or_else(|error| panic!("{error}")) {
        let placed = Placed::new(text.text.as_bytes(), 0);
        for contestant in contestants {
            bench(&mut group, contestant, &text.name, &[placed.bytes()]);
        }
    }
}

fn by_length(criterion: &mut Criterion, contestants: &[Contestant]) {
    for name in ["ASCII", "Russian", "Chinese"] {
        let mut group = criterion.benchmark_group(format!("length, {name}"));
        let text = generated(name, 1 << 20);
        for len in [16, 64, 256, 1 << 10, 4 << 10, 64 << 10, 1 << 20] {
            let strings: Packed = consecutive_strings(&text.text, len, 64.min((64 << 10) / len).max(1));
            for contestant in contestants {
                bench(&mut group, contestant, &len.to_string(), &strings.strings());
            }
        }
    }
}

fn short(criterion: &mut Criterion, contestants: &[Contestant]) {
    for contents in Contents::ALL {
        let mut group = criterion.benchmark_group(format!("short, {}", contents.name()));
        for lengths in Lengths::RANDOM {
            let strings = random_strings(lengths, contents, 2048);
            for contestant in contestants {
                bench(&mut group, contestant, &lengths.name(), &strings.strings());
            }
        }
    }
}

fn main() {
    let _ = pin().unwrap_or_else(|error| panic!("{error}"));
    // There are hundreds of benchmarks, so half a second for each adds up to minutes.
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(400))
        .sample_size(20)
        .configure_from_args();
    let contestants: Vec<_> =
        contestants().into_iter().filter(|contestant| contestant.role != Role::Way).collect();
    by_text(&mut criterion, &contestants);
    by_length(&mut criterion, &contestants);
    short(&mut criterion, &contestants);
    criterion.final_summary();
}
