//! Measures `inspect`, counts, and columns of strings against what other crates have for them.
//!
//! ```text
//! cargo bench -p trust8-measure --bench columns_and_counts              everything, written to docs/data/
//! cargo bench -p trust8-measure --bench columns_and_counts -- counts    one section (inspect, counts, columns),
//!                                                                       printed
//! cargo bench -p trust8-measure --bench columns_and_counts -- --quick   a quick look at everything, printed
//! ```
//!
//! It takes a minute, and needs a quiet machine. The contestants of a row take turns in many rounds, and the
//! fastest round of each counts. Every answer is checked while it is timed. In `cargo test` everything runs once,
//! on less text, to check the answers.

use std::hint::black_box;
use std::time::{Duration, Instant};
use std::{env, io};

use arrow_array::StringArray;
use arrow_array::builder::StringViewBuilder;
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use trust8::Kernel;
use trust8_columns as columns;
use trust8_counts::KernelCounts;
use trust8_measure::machine::peers;
use trust8_measure::measure::{Placed, measuring, pin, quick};
use trust8_measure::random::Random;
use trust8_measure::report::{Data, Table, digits};
use trust8_measure::texts::{generated, texts};

/// The length of each text, which fits into the L2 cache of any current CPU.
const TEXT: usize = 64 << 10;

/// Returns the number of rows in a column.
fn rows() -> usize {
    match (measuring(), quick()) {
        (true, false) => 1_000_000,
        (true, true) => 200_000,
        (false, _) => 3_000,
    }
}

/// A contestant: its name, its work, and the number that `work` must return each time.
struct Contestant<'a> {
    name: String,
    work: Box<dyn Fn() -> usize + 'a>,
    answer: usize,
}

impl<'a> Contestant<'a> {
    fn new(name: impl Into<String>, answer: usize, work: impl Fn() -> usize + 'a) -> Self {
        Self { name: name.into(), work: Box::new(work), answer }
    }
}

/// Returns the nanoseconds of each contestant's fastest round.
fn race(contestants: &[Contestant<'_>], time: Duration) -> Vec<f64> {
    let sample = |contestant: &Contestant<'_>, times: usize| {
        let mut right = true;
        let start = Instant::now();
        for _ in 0..times {
            right &= (contestant.work)() == contestant.answer;
        }
        let elapsed = start.elapsed();
        assert!(right, "{} is wrong", contestant.name);
        elapsed.as_nanos() as f64 / times as f64
    };
    // A sample takes at least 20 microseconds, because the clock is coarse.
    let times = contestants.iter().map(|contestant| {
        let once = sample(contestant, 1).min(sample(contestant, 1));
        (20_000.0 / once.max(1.0)).ceil() as usize
    });
    let times: Vec<_> = times.collect();
    let time = if quick() { time / 20 } else { time };
    let mut best = vec![f64::INFINITY; contestants.len()];
    let start = Instant::now();
    let mut round = 0;
    while round == 0 || measuring() && (round < 7 || start.elapsed() < time) {
        for turn in 0..contestants.len() {
            let i = (turn + round) % contestants.len();
            best[i] = best[i].min(sample(&contestants[i], times[i]));
        }
        round += 1;
    }
    best
}

/// The targets: for each its name, the ratio that trust8 should reach, the lowest ratio measured, and the place of that
/// ratio.
#[derive(Default)]
struct Targets(Vec<(&'static str, f64, f64, String)>);

impl Targets {
    fn at_least(&mut self, what: &'static str, wanted: f64, measured: f64, place: &str) {
        match self.0.iter_mut().find(|target| target.0 == what) {
            Some(target) if target.2 <= measured => {}
            Some(target) => (target.2, target.3) = (measured, place.to_owned()),
            None => self.0.push((what, wanted, measured, place.to_owned())),
        }
    }

    fn report(&self, data: &mut Data) {
        data.heading(2, "Targets");
        data.note("a ratio of speeds in the same run: the lowest of those that it covers, and where that is");
        let mut table = Table::new(["target", "wanted", "measured", "met", "where"]);
        for (what, wanted, measured, place) in &self.0 {
            let met = if measured >= wanted { "yes" } else { "no" };
            table.row([*what, &format!("≥ {}", digits(*wanted)), &format!("{measured:.3}"), met, place]);
        }
        data.table(&table);
    }
}

fn inspect(data: &mut Data, targets: &mut Targets) {
    data.heading(2, "inspect");
    data.note(&format!(
        "GB/s of `inspect` on {} KiB of text. `/ is_utf8` is that speed divided by the speed of `is_utf8` with the \
         same kernel. `std, passes` is `from_utf8`, `chars().count()`, `encode_utf16().count()` and memchr's count of \
         newlines, one after the other. `simdutf, passes` is simdutf's three functions for the same, and memchr's count.",
        TEXT >> 10
    ));
    let kernels = Kernel::available();
    let mut heads = vec!["text".to_owned()];
    for kernel in kernels {
        heads.extend([format!("trust8 {}", kernel.name()), format!("trust8 {} / is_utf8", kernel.name())]);
    }
    heads.extend(["simdutf, passes".to_owned(), "std, passes".to_owned()]);
    let mut table = Table::new(heads);
    for text in texts(TEXT).expect("the texts") {
        let placed = Placed::new(text.text.as_bytes(), 0);
        let bytes = placed.bytes();
        let newlines = count_newlines(bytes);
        // Returns one number that depends on every count.
        let mix = |chars: usize, utf16: usize, newlines: usize| chars + 3 * utf16 + 5 * newlines;
        let answer = mix(text.text.chars().count(), text.text.encode_utf16().count(), newlines);
        let mut contestants = Vec::new();
        for kernel in kernels {
            contestants.push(Contestant::new("is_utf8", 1, || usize::from(kernel.is_utf8(black_box(bytes)))));
            contestants.push(Contestant::new(kernel.name(), answer, move || {
                let summary = kernel.inspect(black_box(bytes));
                assert!(summary.is_valid());
                mix(summary.chars(), summary.utf16_len(), summary.newlines())
            }));
        }
        contestants.push(Contestant::new("simdutf", answer, || {
            let bytes = black_box(bytes);
            assert!(simdutf::validate_utf8(bytes));
            mix(simdutf::count_utf8(bytes), simdutf::utf16_length_from_utf8(bytes), count_newlines(bytes))
        }));
        contestants.push(Contestant::new("std", answer, || {
            let text = std::str::from_utf8(black_box(bytes)).expect("valid text");
            mix(text.chars().count(), text.encode_utf16().count(), count_newlines(bytes))
        }));
        let nanos = race(&contestants, Duration::from_millis(400));
        let speed = |i: usize| bytes.len() as f64 / nanos[i];
        let mut cells = vec![text.name.clone()];
        for i in 0..kernels.len() {
            let ratio = nanos[2 * i] / nanos[2 * i + 1];
            cells.extend([digits(speed(2 * i + 1)), digits(ratio)]);
        }
        cells.extend([digits(speed(2 * kernels.len())), digits(speed(2 * kernels.len() + 1))]);
        table.row(cells);
        let target = match text.name.as_str() {
            "ASCII" => "inspect / is_utf8, ASCII",
            "JSON logs" => "inspect / is_utf8, JSON logs",
            _ => continue,
        };
        targets.at_least(target, 0.85, nanos[0] / nanos[1], &text.name);
    }
    data.table(&table);
}

/// Counts newlines with memchr, the fastest crate for it.
fn count_newlines(bytes: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', bytes).count()
}

fn counts(data: &mut Data, targets: &mut Targets) {
    data.heading(2, "Counts of valid text");
    data.note(&format!("GB/s on {} KiB of text.", TEXT >> 10));
    let kernels = Kernel::available();
    for (function, target) in
        [("count_chars", "count_chars / simdutf's count_utf8"), ("utf16_len", "utf16_len / simdutf's")]
    {
        let chars = function == "count_chars";
        let mut heads = vec![function.to_owned()];
        heads.extend(kernels.iter().map(|kernel| format!("trust8 {}", kernel.name())));
        heads.extend(["simdutf".to_owned(), "std".to_owned(), "trust8 / simdutf".to_owned()]);
        let mut table = Table::new(heads);
        for text in texts(TEXT).expect("the texts") {
            let placed = Placed::new(text.text.as_bytes(), 0);
            let bytes = placed.bytes();
            let valid = std::str::from_utf8(bytes).expect("valid text");
            let answer = if chars { valid.chars().count() } else { valid.encode_utf16().count() };
            let mut contestants = Vec::new();
            for kernel in kernels {
                contestants.push(Contestant::new(kernel.name(), answer, move || {
                    let text = black_box(valid);
                    if chars { kernel.count_chars(text) } else { kernel.utf16_len(text) }
                }));
            }
            contestants.push(Contestant::new("simdutf", answer, || {
                let bytes = black_box(bytes);
                if chars { simdutf::count_utf8(bytes) } else { simdutf::utf16_length_from_utf8(bytes) }
            }));
            contestants.push(Contestant::new("std", answer, || {
                let text = black_box(valid);
                if chars { text.chars().count() } else { text.encode_utf16().count() }
            }));
            let nanos = race(&contestants, Duration::from_millis(200));
            let mut cells = vec![text.name.clone()];
            cells.extend(nanos.iter().map(|nanos| digits(bytes.len() as f64 / nanos)));
            let ratio = nanos[kernels.len()] / nanos[0];
            cells.push(format!("{ratio:.2}"));
            table.row(cells);
            // `utf16_len` has no target.
            if chars {
                targets.at_least(target, 1.0, ratio, &text.name);
            }
        }
        data.table(&table);
    }
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
            let mut from = random.below(source.len() - 3 * mean);
            while !source.is_char_boundary(from) {
                from += 1;
            }
            let mut to = from + random.between(0, 2 * mean);
            while !source.is_char_boundary(to) {
                to -= 1;
            }
            source[from..to].to_owned()
        })
        .collect()
}

/// Returns the contestants that validate each row by itself in a loop.
fn loops<'a, R: Iterator<Item = &'a [u8]>>(
    rows: impl Fn() -> R + Copy + 'a,
    count: usize,
) -> [Contestant<'a>; 4] {
    [
        Contestant::new("loop, trust8", count, move || {
            rows().filter(|row| trust8::from_utf8(black_box(row)).is_ok()).count()
        }),
        Contestant::new("loop, simdutf8", count, move || {
            rows().filter(|row| simdutf8::compat::from_utf8(black_box(row)).is_ok()).count()
        }),
        Contestant::new("loop, bstr", count, move || {
            rows().filter(|row| bstr::ByteSlice::to_str(black_box(*row)).is_ok()).count()
        }),
        Contestant::new("loop, std", count, move || {
            rows().filter(|row| std::str::from_utf8(black_box(row)).is_ok()).count()
        }),
    ]
}

/// Races the contestants that validate the column as a whole, and the loops. Returns the nanoseconds of each.
fn race_column<'a>(whole: impl IntoIterator<Item = Contestant<'a>>, loops: [Contestant<'a>; 4]) -> Vec<f64> {
    let contestants: Vec<_> = whole.into_iter().chain(loops).collect();
    race(&contestants, Duration::from_secs(3))
}

fn columns(data: &mut Data, targets: &mut Targets) {
    let count = rows();
    data.heading(2, "Columns");
    data.note(&format!(
        "ns a row for {count} strings of mixed scripts. Offsets have 32 bits. `arrow` is `StringArray::try_new`, \
         and for views `validate_string_view`. arrow validates with std, and no feature of it changes that. So \
         `arrow's way, simdutf8` does the same as arrow with simdutf8: it validates all values at once, and then \
         checks each offset.",
    ));
    let mut table = Table::keyed(
        2,
        [
            "mean length",
            "layout",
            "trust8",
            "arrow",
            "arrow's way, simdutf8",
            "loop, trust8",
            "loop, simdutf8 compat",
            "loop, bstr",
            "loop, std",
        ],
    );
    let mut table_of_long = Table::new(["mean length", "trust8", "arrow's way, simdutf8"]);
    for mean in [1, 4, 8, 16, 32, 64] {
        let strings = strings(count, mean);
        let values = strings.concat().into_bytes();
        let mut offsets = vec![0_i32];
        for string in &strings {
            offsets.push(offsets[offsets.len() - 1] + string.len() as i32);
        }
        let mean_len = format!("{:.1}", values.len() as f64 / count as f64);
        // Adds a row. `left_out` is how many of the two columns after `trust8` the layout has no contestant for.
        let mut row = |layout: &str, nanos: &[f64], left_out: usize| {
            let mut cells = vec![mean_len.clone(), layout.to_owned()];
            cells.extend(nanos.iter().map(|nanos| format!("{:.2}", nanos / count as f64)));
            let before_the_loops = cells.len() - 4;
            cells.splice(before_the_loops..before_the_loops, vec![String::new(); left_out]);
            table.row(cells);
        };

        let rows = || offsets.windows(2).map(|pair| &values[pair[0] as usize..pair[1] as usize]);
        let arrow_values = Buffer::from(values.clone());
        let arrow_offsets = OffsetBuffer::new(ScalarBuffer::from(offsets.clone()));
        let whole = [
            Contestant::new("trust8", 1, || {
                usize::from(columns::validate_offsets(black_box(&values), black_box(&offsets)).is_ok())
            }),
            Contestant::new("arrow", count, || {
                let array = StringArray::try_new(arrow_offsets.clone(), arrow_values.clone(), None);
                arrow_array::Array::len(&array.expect("valid text"))
            }),
            Contestant::new("arrow's way, simdutf8", 1, || {
                let text = simdutf8::compat::from_utf8(black_box(&values)).expect("valid text");
                usize::from(black_box(&offsets).iter().all(|&offset| text.is_char_boundary(offset as usize)))
            }),
        ];
        let nanos = race_column(whole, loops(rows, count));
        row("offsets", &nanos, 0);
        let long_offsets: Vec<i64> = offsets.iter().map(|&offset| offset.into()).collect();
        let long = [
            Contestant::new("trust8", 1, || {
                usize::from(columns::validate_offsets(black_box(&values), black_box(&long_offsets)).is_ok())
            }),
            Contestant::new("arrow's way, simdutf8", 1, || {
                let text = simdutf8::compat::from_utf8(black_box(&values)).expect("valid text");
                let mut offsets = black_box(&long_offsets).iter();
                usize::from(offsets.all(|&offset| text.is_char_boundary(offset as usize)))
            }),
        ];
        let long = race(&long, Duration::from_secs(1));
        table_of_long.row([
            mean_len.clone(),
            format!("{:.2}", long[0] / count as f64),
            format!("{:.2}", long[1] / count as f64),
        ]);
        let place = format!("mean length {mean_len}");
        targets.at_least(
            "a column of any length / arrow's way with simdutf8",
            1.0,
            nanos[2] / nanos[0],
            &place,
        );
        targets.at_least("the same with offsets of 64 bits", 1.0, long[1] / long[0], &place);
        if mean == 16 {
            let place = format!("{count} strings");
            targets.at_least("a column / a loop of std's from_utf8", 8.0, nanos[6] / nanos[0], &place);
            targets.at_least("a column / arrow's validation", 2.0, nanos[1] / nanos[0], &place);
            targets.at_least("a column / arrow's way with simdutf8", 2.0, nanos[2] / nanos[0], &place);
        }

        let mut builder = StringViewBuilder::new();
        for string in &strings {
            builder.append_value(string);
        }
        let array = builder.finish();
        let (views, buffers) = (array.views(), array.data_buffers());
        let rows = || views.iter().map(|view| viewed(view, buffers));
        let whole = [
            Contestant::new("trust8", 1, || {
                usize::from(columns::validate_views(black_box(views), buffers).is_ok())
            }),
            Contestant::new("arrow", 1, || {
                usize::from(arrow_data::validate_string_view(black_box(views), buffers).is_ok())
            }),
        ];
        row("views", &race_column(whole, loops(rows, count)), 1);

        let slices: Vec<&[u8]> = strings.iter().map(String::as_bytes).collect();
        let rows = || slices.iter().copied();
        let whole = [Contestant::new("trust8", 1, || {
            usize::from(columns::validate_slices(black_box(&slices)).is_ok())
        })];
        row("slices", &race_column(whole, loops(rows, count)), 2);
    }
    data.table(&table);
    data.heading(3, "Offsets of 64 bits");
    data.table(&table_of_long);
}

/// Returns the string of a view, which the view itself holds if it is short.
fn viewed<'a>(view: &'a u128, buffers: &'a [Buffer]) -> &'a [u8] {
    match *view as u32 as usize {
        len @ 0..=12 => &view_bytes(view)[4..4 + len],
        len => &buffers[(*view >> 64) as u32 as usize][(*view >> 96) as usize..][..len],
    }
}

/// Returns the bytes of a view in memory. On little-endian machines they are those of the number, in order.
fn view_bytes(view: &u128) -> &[u8; 16] {
    // SAFETY: a `u128` has 16 bytes and no padding, and an array of bytes needs no alignment.
    unsafe { &*std::ptr::from_ref(view).cast() }
}

type Section = fn(&mut Data, &mut Targets);

const SECTIONS: [(&str, Section); 3] = [("inspect", inspect), ("counts", counts), ("columns", columns)];

fn main() -> io::Result<()> {
    pin()?;
    let chosen: Vec<_> = env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let (mut body, mut targets) = (Data::default(), Targets::default());
    for (name, section) in SECTIONS {
        if chosen.is_empty() || chosen.iter().any(|chosen| chosen == name) {
            section(&mut body, &mut targets);
        }
    }
    let mut data = Data::default();
    targets.report(&mut data);
    data.append(&body);
    let full = measuring() && !quick() && chosen.is_empty();
    let peers = peers(&["simdutf8", "simdutf", "bstr", "arrow-array", "memchr"]);
    data.publish(full, "columns_and_counts", &[("peers", &peers)])
}
