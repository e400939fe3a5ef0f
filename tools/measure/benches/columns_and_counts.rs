//! Measures `inspect`, counts, and columns of strings against what other crates have for them.

use std::hint::black_box;
use std::io;

use arrow_array::StringArray;
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use trust8::Kernel;
use trust8::boundary::floor;
use trust8_columns as columns;
use trust8_counts::KernelCounts;
use trust8_measure::measure::{Bench, Placed, Section, entry};
use trust8_measure::random::Random;
use trust8_measure::texts::{generated, texts};

/// The length of each text, which fits into the L2 cache of any current CPU.
const TEXT: usize = 64 << 10;

fn main() -> io::Result<()> {
    let sections = [("inspect", inspect as Section), ("counts", counts), ("columns", columns_of_strings)];
    Bench::start("columns_and_counts")?.run(&sections)
}

/// Counts newlines with memchr, the fastest crate for it.
fn count_newlines(bytes: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', bytes).count()
}

fn inspect(bench: &mut Bench) -> io::Result<()> {
    bench.data.heading(2, "inspect");
    bench
        .data
        .note("GB/s. `passes` are the peers' validation and counts and memchr's count of newlines, in turn.");
    for text in texts(TEXT)? {
        let placed = Placed::new(text.text.as_bytes(), 0);
        let bytes = &*placed;
        // Returns one number that depends on every count.
        let mix = |chars: usize, utf16: usize| chars + 3 * utf16 + 5 * count_newlines(black_box(bytes));
        let answer = mix(text.text.chars().count(), text.text.encode_utf16().count());
        let newlines = count_newlines(bytes);
        let mut entries = vec![entry("simdutf, passes", || {
            let bytes = black_box(bytes);
            assert!(simdutf::validate_utf8(bytes));
            mix(simdutf::count_utf8(bytes), simdutf::utf16_length_from_utf8(bytes))
        })];
        for kernel in Kernel::available() {
            entries.push(entry(format!("{} is_utf8", kernel.name()), move || {
                usize::from(kernel.is_utf8(black_box(bytes))) * answer
            }));
            entries.push(entry(format!("trust8 {}", kernel.name()), move || {
                let summary = kernel.inspect(black_box(bytes));
                assert!(summary.is_valid() && summary.newlines() == newlines);
                summary.chars() + 3 * summary.utf16_len() + 5 * summary.newlines()
            }));
        }
        let times = bench.race(answer, entries);
        bench.data.row("text", &text.name, times.gb_per_s(TEXT));
        for kernel in Kernel::available() {
            let name = format!("trust8 {}", kernel.name());
            let ratio = times.ratio(&name, &format!("{} is_utf8", kernel.name()));
            bench.data.row("text", &text.name, [(format!("{name} / is_utf8"), ratio)]);
        }
    }
    Ok(())
}

/// A count of a kernel, of simdutf, and of std.
type Counts = (&'static str, fn(&Kernel, &str) -> usize, fn(&[u8]) -> usize, fn(&str) -> usize);

fn counts(bench: &mut Bench) -> io::Result<()> {
    const COUNTS: [Counts; 2] = [
        (
            "count_chars",
            |kernel, text| kernel.count_chars(text),
            simdutf::count_utf8,
            |text| text.chars().count(),
        ),
        (
            "utf16_len",
            |kernel, text| kernel.utf16_len(text),
            simdutf::utf16_length_from_utf8,
            |text| text.encode_utf16().count(),
        ),
    ];
    bench.data.heading(2, "Counts of valid text");
    bench.data.note("GB/s.");
    for (function, of_kernel, of_simdutf, of_std) in COUNTS {
        for text in texts(TEXT)? {
            let placed = Placed::new(text.text.as_bytes(), 0);
            let valid = std::str::from_utf8(&placed).expect("valid text");
            let mut entries = vec![entry("simdutf", || of_simdutf(black_box(valid.as_bytes())))];
            for kernel in Kernel::available() {
                let name = format!("trust8 {}", kernel.name());
                entries.push(entry(name, move || of_kernel(kernel, black_box(valid))));
            }
            let times = bench.race(of_std(valid), entries);
            let best = format!("trust8 {}", Kernel::available()[0].name());
            bench.data.row(function, &text.name, times.gb_per_s(TEXT));
            bench.data.row(function, &text.name, [("trust8 / simdutf", times.ratio(&best, "simdutf"))]);
        }
    }
    Ok(())
}

/// Returns `count` strings of many scripts, which have `mean` bytes on average and at most twice as many.
fn strings(count: usize, mean: usize) -> Vec<String> {
    let sources =
        ["ASCII", "ASCII", "German", "Latin", "Russian", "Arabic", "Hindi", "Chinese", "emoji", "random"]
            .map(|name| generated(name, 8 << 10).text);
    let mut random = Random::named("columns");
    (0..count)
        .map(|_| {
            let source = random.pick(&sources);
            let from = floor(source.as_bytes(), random.below(source.len() - 3 * mean));
            source[from..floor(source.as_bytes(), from + random.between(0, 2 * mean))].to_owned()
        })
        .collect()
}

fn columns_of_strings(bench: &mut Bench) -> io::Result<()> {
    let count = bench.by(3_000, 200_000, 1_000_000);
    bench.data.heading(2, "Columns");
    bench.data.note(&format!("ns a row of {count}. `arrow's way, simdutf8` has simdutf8 for std."));
    for mean in [1, 4, 8, 16, 32, 64] {
        let strings = strings(count, mean);
        let values = strings.concat().into_bytes();
        let ends = strings.iter().scan(0, |end, string| {
            *end += string.len() as i32;
            Some(*end)
        });
        let offsets: Vec<i32> = [0].into_iter().chain(ends).collect();
        let arrow_values = Buffer::from(values.clone());
        let arrow_offsets = OffsetBuffer::new(ScalarBuffer::from(offsets.clone()));
        let times = bench.race(
            count,
            vec![
                entry("trust8", || {
                    columns::validate_offsets(black_box(&values), black_box(&offsets)).map_or(0, |_| count)
                }),
                entry("arrow", || {
                    let array = StringArray::try_new(arrow_offsets.clone(), arrow_values.clone(), None);
                    arrow_array::Array::len(&array.expect("valid text"))
                }),
                entry("arrow's way, simdutf8", || {
                    let text = simdutf8::compat::from_utf8(black_box(&values)).expect("valid text");
                    let ends = black_box(&offsets).iter();
                    ends.filter(|&&offset| text.is_char_boundary(offset as usize)).count() - 1
                }),
            ],
        );
        let mean_len = format!("{:.1}", values.len() as f64 / count as f64);
        bench.data.row("mean length, layout", &format!("{mean_len}, offsets"), times.a_call(count));
    }
    Ok(())
}
