//! Searches for the text that takes each kernel the longest, and measures whether any time grows faster than the input.
//!
//! ```text
//! cargo bench -p trust8-measure --bench worst_case               writes to docs/data/
//! cargo bench -p trust8-measure --bench worst_case -- --quick    a quick look, printed
//! cargo bench -p trust8-measure --bench worst_case -- --quick --only convert_lossy
//!                                                                the functions with this in their names, printed
//! ```
//!
//! In `cargo test` everything runs once, to check the answers. No time is tested there.

mod functions;

use std::hint::black_box;
use std::time::{Duration, Instant};
use std::{env, io};

use trust8::{Kernel, Validator};
use trust8_measure::measure::{Placed, pin};
use trust8_measure::random::Random;
use trust8_measure::report::{Data, Table, digits, size};
use trust8_measure::texts::generated;

/// The length of each text, which fits into the L2 cache of any current CPU.
const TEXT: usize = 64 << 10;

/// How thorough the measurement is.
#[derive(Clone, Copy)]
struct Effort {
    /// The number of texts that the search begins with.
    texts: usize,
    /// The number of changes that the search tries on the slowest of them.
    changes: usize,
    /// The rounds for each text of the search. The fastest counts.
    search: usize,
    /// The rounds for each number of the report. The fastest counts.
    report: usize,
    /// The largest input of the section about growth.
    largest: usize,
    /// The number of texts, and of changes, that the search tries for each function.
    functions: (usize, usize),
}

const FULL: Effort =
    Effort { texts: 3000, changes: 600, search: 7, report: 400, largest: 16 << 20, functions: (200, 60) };
const QUICK: Effort =
    Effort { texts: 150, changes: 50, search: 5, report: 40, largest: 2 << 20, functions: (60, 20) };
const SMOKE: Effort =
    Effort { texts: 4, changes: 2, search: 1, report: 1, largest: 1 << 17, functions: (1, 1) };

fn main() -> io::Result<()> {
    let says = |flag: &str| env::args().any(|argument| argument == flag);
    let (effort, docs) = match (says("--bench"), says("--quick")) {
        (false, _) => (SMOKE, false),
        (true, true) => (QUICK, false),
        (true, false) => (FULL, true),
    };
    pin()?;
    if let Some(only) = env::args().skip_while(|argument| argument != "--only").nth(1) {
        let mut data = Data::default();
        functions::functions(&mut data, effort, &only);
        print!("{}", data.rows());
        return Ok(());
    }
    let mut data = Data::default();
    let worst = kernels(&mut data, effort);
    errors(&mut data, effort);
    calls(&mut data, effort);
    ends_of_memory(&mut data, effort);
    growth(&mut data, effort, &worst);
    functions::functions(&mut data, effort, "");

    let searched =
        format!("{} texts and {} changes for each kernel, {} each", effort.texts, effort.changes, size(TEXT));
    data.publish(docs, "worst_case", &[("search", &searched)])
}

/// Runs `work` in `rounds` rounds and returns the time of the fastest.
fn fastest(rounds: usize, mut work: impl FnMut()) -> Duration {
    let mut best = Duration::MAX;
    for _ in 0..rounds {
        let start = Instant::now();
        work();
        best = best.min(start.elapsed());
    }
    best
}

fn gb_per_s(bytes: usize, time: Duration) -> f64 {
    bytes as f64 / time.as_nanos().max(1) as f64
}

// --- The search ---------------------------------------------------------------------------------------

/// A part of a pattern: a character, and how often it is repeated.
type Part = (&'static str, usize);

const CHARACTERS: [&str; 4] = ["a", "é", "日", "😀"];

/// Lengths in bytes at which some kernel changes its method: those of vectors, blocks, superblocks and runs, and of
/// the pieces of a stream.
const LENGTHS: [usize; 13] = [1, 2, 4, 16, 32, 64, 128, 256, 448, 488, 512, 1024, 4096];

fn random_length(random: &mut Random) -> usize {
    let near = *random.pick(&LENGTHS);
    match random.below(3) {
        0 => near,
        1 => near + random.below(5),
        _ => (near + random.below(near + 1)).saturating_sub(random.below(4)).max(1),
    }
}

fn random_part(random: &mut Random) -> Part {
    let character = *random.pick(&CHARACTERS);
    (character, random_length(random).div_ceil(character.len()))
}

/// Returns `TEXT` bytes of text that repeat `pattern`.
fn text_of(pattern: &[Part]) -> Placed {
    let unit: String = pattern.iter().map(|&(character, count)| character.repeat(count)).collect();
    Placed::filled(&unit, TEXT)
}

/// Returns the name of a pattern for the report: for each part, the number of characters and the bytes of one.
fn name_of(pattern: &[Part]) -> String {
    let parts: Vec<_> =
        pattern.iter().map(|&(character, count)| format!("{count} × {}", character.len())).collect();
    parts.join(", ")
}

fn cost(kernel: &Kernel, text: &Placed, rounds: usize) -> Duration {
    fastest(rounds, || assert!(kernel.is_utf8(black_box(text.bytes()))))
}

fn search(kernel: &Kernel, effort: Effort) -> Vec<Part> {
    let mut random = Random::named(kernel.name());
    let mut found: Vec<(Duration, Vec<Part>)> = Vec::new();
    for _ in 0..effort.texts {
        let pattern: Vec<_> = (0..random.between(1, 4)).map(|_| random_part(&mut random)).collect();
        found.push((cost(kernel, &text_of(&pattern), effort.search), pattern));
    }
    // A disturbance can make a fast text look slow, so the slowest texts are measured again in more rounds.
    found.sort_by_key(|(cost, _)| std::cmp::Reverse(*cost));
    found.truncate(12);
    for (duration, pattern) in &mut found {
        *duration = cost(kernel, &text_of(pattern), 10 * effort.search);
    }
    found.sort_by_key(|(cost, _)| std::cmp::Reverse(*cost));
    let (mut slowest, mut worst) = found.swap_remove(0);
    for _ in 0..effort.changes {
        let mut pattern = worst.clone();
        let which = random.below(pattern.len());
        match random.below(4) {
            0 => pattern[which] = random_part(&mut random),
            1 => pattern[which].1 = (pattern[which].1 + random.below(5)).saturating_sub(2).max(1),
            2 if pattern.len() < 6 => pattern.insert(which, random_part(&mut random)),
            _ if pattern.len() > 1 => drop(pattern.remove(which)),
            _ => pattern[which].1 *= 2,
        }
        let text = text_of(&pattern);
        if cost(kernel, &text, effort.search) > slowest {
            let duration = cost(kernel, &text, 10 * effort.search);
            if duration > slowest {
                (slowest, worst) = (duration, pattern);
            }
        }
    }
    worst
}

/// Adds the section about the worst text for each kernel. Returns the worst text of the best kernel.
fn kernels(data: &mut Data, effort: Effort) -> Placed {
    data.heading(2, "The worst text for each kernel");
    let mut table = Table::new([
        "kernel",
        "ASCII",
        "Russian",
        "Chinese",
        "worst found",
        "best / worst",
        "Chinese / worst",
        "text: characters × their bytes",
    ]);
    let mut of_best = None;
    for kernel in Kernel::available() {
        let pattern = search(kernel, effort);
        let worst = text_of(&pattern);
        let texts = [
            Placed::filled("The quick brown fox. ", TEXT),
            Placed::filled(&generated("Russian", TEXT).text, TEXT),
            Placed::filled(&generated("Chinese", TEXT).text, TEXT),
            worst,
        ];
        let mut best = [Duration::MAX; 4];
        for _ in 0..effort.report {
            for (best, text) in best.iter_mut().zip(&texts) {
                *best = cost(kernel, text, 1).min(*best);
            }
        }
        let [ascii, russian, chinese, slowest] = best.map(|time| gb_per_s(TEXT, time));
        table.row([
            kernel.name().to_owned(),
            digits(ascii),
            digits(russian),
            digits(chinese),
            digits(slowest),
            digits(ascii.max(russian).max(chinese) / slowest),
            digits(chinese / slowest),
            name_of(&pattern),
        ]);
        eprintln!("{}: {} GB/s on {}", kernel.name(), digits(slowest), name_of(&pattern));
        let [_, _, _, worst] = texts;
        of_best.get_or_insert(worst);
    }
    data.note(&format!("{} of each, GB/s.", size(TEXT)));
    data.table(&table);
    of_best.expect("there is always a kernel")
}

// --- Errors -------------------------------------------------------------------------------------------

/// Adds the section about errors. After a kernel has seen an error, the automaton reads the text near it again to find
/// the exact error. This section measures the most that this costs, wherever the error is.
fn errors(data: &mut Data, effort: Effort) {
    data.heading(2, "Errors, wherever they are");
    data.note(
        "`from_utf8` on 64 KiB of Chinese text in which one byte is replaced by FF, at each of many places. `worst \
         extra` is the time until the error is returned, less the time to validate the text before it. It is what \
         the exact error costs: the highest value of all places is given, with the place.",
    );
    let mut table = Table::new(["kernel", "all valid, ns", "worst extra, ns", "at byte"]);
    let valid = Placed::filled("日本語文字", TEXT);
    let rounds = (effort.report / 10).max(1);
    for kernel in Kernel::available() {
        let whole = fastest(rounds, || assert!(kernel.from_utf8(black_box(valid.bytes())).is_ok()));
        let mut worst = (0.0, 0);
        let step = if effort.report == 1 { 9973 } else { 331 };
        for place in (3..TEXT - 3).step_by(step).chain([64, 448, 512, 513, 4096, 65_000]) {
            let place = place / 3 * 3;
            let mut text = valid.clone();
            text.bytes_mut()[place] = 0xFF;
            let (mut time, mut before) = (Duration::MAX, Duration::MAX);
            for _ in 0..rounds {
                time = time.min(fastest(1, || {
                    let error = kernel.from_utf8(black_box(text.bytes())).unwrap_err();
                    assert_eq!(error.valid_up_to(), place);
                }));
                before = before.min(fastest(1, || {
                    assert!(kernel.from_utf8(black_box(&text.bytes()[..place])).is_ok());
                }));
            }
            let extra = time.as_nanos() as f64 - before.as_nanos() as f64;
            if extra > worst.0 {
                worst = (extra, place);
            }
        }
        table.row([
            kernel.name().to_owned(),
            whole.as_nanos().to_string(),
            digits(worst.0),
            worst.1.to_string(),
        ]);
    }
    data.table(&table);
}

// --- Many short calls ---------------------------------------------------------------------------------

/// Adds the section about short strings whose length and contents change from call to call.
fn calls(data: &mut Data, effort: Effort) {
    data.heading(2, "Many short calls");
    data.note(
        "ns a call on strings of random lengths. In the column `any kind`, each string repeats a character of one, two, \
         three or four bytes, chosen at random, so that no branch on length or contents is predicted. In the column `ASCII`, the same \
         lengths are all ASCII. Longer strings take more time in both columns, so the ratio is what counts.",
    );
    let mut table = Table::keyed(2, ["kernel", "length", "ASCII", "any kind", "any / ASCII"]);
    let mut random = Random::named("calls");
    let texts = CHARACTERS.map(|character| character.repeat(300));
    for kernel in Kernel::available() {
        for longest in [16, 64, 256] {
            let mut strings = [Vec::new(), Vec::new()];
            for _ in 0..4000 {
                let len = random.below(longest + 1);
                let text = random.pick(&texts);
                let cut = (0..=len).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
                strings[0].push(texts[0].as_bytes()[..len].to_vec());
                strings[1].push([&text.as_bytes()[..cut], &texts[0].as_bytes()[..len - cut]].concat());
            }
            let mut best = [Duration::MAX; 2];
            for _ in 0..(effort.report / 4).max(1) {
                for (best, strings) in best.iter_mut().zip(&strings) {
                    *best = fastest(1, || {
                        assert!(strings.iter().all(|string| kernel.is_utf8(black_box(string))));
                    })
                    .min(*best);
                }
            }
            let [ascii, any] = best.map(|time| time.as_nanos() as f64 / 4000.0);
            table.row([
                kernel.name().to_owned(),
                format!("0 to {longest}"),
                digits(ascii),
                digits(any),
                digits(any / ascii),
            ]);
        }
    }
    data.table(&table);
}

/// Measures texts after which there is no memory.
fn ends_of_memory(data: &mut Data, effort: Effort) {
    const PAGE: usize = 4096;
    const CALLS: usize = 1000;
    data.heading(2, "Where memory ends");
    data.note(
        "ns a call on ASCII, with other text after it, and where it ends with a page of 4096 bytes and the system has not yet provided the \
         next one. (A page that is not there at all takes as long.) With AVX-512, one load takes what is less than a vector, and a mask says \
         how much that is. The CPU may not look at what the mask excludes, but its fast way does. When it finds that there is no memory, it \
         takes a slow way, which is what the last line of a file in memory pays. simdutf's AVX-512 kernel loads in the same way. A \
         question about the address before each such load would cost all short strings 4 to 10 %, so there is none.",
    );
    let mut table = Table::keyed(2, ["kernel", "bytes", "inside", "at the end", "end / inside"]);
    for kernel in Kernel::available() {
        for len in [20, 1000] {
            // So much memory comes from the system, which provides a page when it is first written to.
            let mut memory = Placed::room(1 << 20);
            memory[..PAGE].fill(b'a');
            let best = [1, 0].map(|from_end| {
                let end = PAGE - from_end * PAGE / 2;
                let text = &memory[end - len..end];
                fastest(effort.report, || {
                    assert!((0..CALLS).all(|_| kernel.is_utf8(black_box(text))));
                })
            });
            let [inside, at_end] = best.map(|time| time.as_nanos() as f64 / CALLS as f64);
            table.row([
                kernel.name().to_owned(),
                len.to_string(),
                digits(inside),
                digits(at_end),
                digits(at_end / inside),
            ]);
        }
    }
    data.table(&table);
}

// --- Growth -------------------------------------------------------------------------------------------

/// The name of some work, the text that its input repeats, and the work.
type Work<'a> = (&'static str, &'a [u8], fn(&[u8]));

/// Returns a copy of `bytes` whose last byte is FF.
fn with_error_at_the_end(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes.splice(bytes.len() - 1.., [0xFF]);
    bytes
}

/// Adds the section that compares an input with one four times, and one sixteen times as long.
fn growth(data: &mut Data, effort: Effort, worst: &Placed) {
    data.heading(2, "Four times the input, four times the time");
    data.note(
        "Nanoseconds a byte for inputs of n, 4n and 16n bytes. If the time grew faster than the input, these numbers would \
         grow. (They rise once where the input no longer fits into the caches.)",
    );
    let cut: &[u8] = &[0xF0, 0x9F, 0x98];
    // The valid text between two errors is just so long that the search changes to larger blocks, and then to pieces
    // that double in size, and never gains by it.
    let rare = ["日本語".repeat(112).as_bytes(), b"\xF0\x9F\x98"].concat();
    let works: [Work<'_>; 9] = [
        ("`from_utf8`, the worst text", worst.bytes(), |bytes| assert!(trust8::from_utf8(bytes).is_ok())),
        (AT_THE_END, worst.bytes(), |bytes| {
            let error = trust8::from_utf8(bytes).unwrap_err();
            assert!(error.valid_up_to() + 4 >= bytes.len());
        }),
        ("`Validator`, pieces of 1 byte", worst.bytes(), |bytes| {
            let mut validator = Validator::new();
            assert!(bytes.chunks(1).all(|piece| validator.push(black_box(piece)).is_ok()));
        }),
        ("`Validator`, pieces of 63 bytes", worst.bytes(), |bytes| {
            let mut validator = Validator::new();
            assert!(bytes.chunks(63).all(|piece| validator.push(black_box(piece)).is_ok()));
        }),
        ("`from_utf8` again after each error, only errors", cut, |bytes| {
            let (mut rest, mut errors) = (bytes, 0);
            while let Err(error) = trust8::from_utf8(rest) {
                errors += 1;
                let Some(len) = error.error_len() else { break };
                rest = &rest[error.valid_up_to() + len..];
            }
            assert_eq!(errors, bytes.len() / 3);
        }),
        ("`from_utf8_lossy`, only errors", cut, |bytes| {
            assert_eq!(trust8::from_utf8_lossy(bytes).len(), bytes.len());
        }),
        ("`from_utf8_lossy`, an error every kilobyte", &rare, |bytes| {
            assert_eq!(trust8::from_utf8_lossy(bytes).len(), bytes.len());
        }),
        ("`errors`, only errors", cut, |bytes| {
            assert_eq!(trust8::errors(bytes).count(), bytes.len() / 3);
        }),
        ("`errors`, an error every kilobyte", &rare, |bytes| {
            assert_eq!(trust8::errors(bytes).count(), bytes.len() / 1011);
        }),
    ];
    let mut table = Table::new(["what", "n", "at n", "at 4n", "at 16n", "16n / n"]);
    for (what, unit, work) in works {
        let least = (effort.largest / 16).max(3 * 1024);
        let inputs = [1, 4, 16].map(|times| {
            let whole = unit.len() * (least * times / unit.len()).max(1);
            let input: Vec<u8> = unit.iter().copied().cycle().take(whole).collect();
            if what == AT_THE_END { with_error_at_the_end(&input) } else { input }
        });
        let mut best = [Duration::MAX; 3];
        for _ in 0..(effort.report / 20).max(1) {
            for (best, input) in best.iter_mut().zip(&inputs) {
                *best = fastest(1, || work(black_box(input))).min(*best);
            }
        }
        let nanos: Vec<_> = best
            .iter()
            .zip(&inputs)
            .map(|(time, input)| time.as_nanos() as f64 / input.len() as f64)
            .collect();
        table.row([
            what.to_owned(),
            size(least),
            format!("{:.3}", nanos[0]),
            format!("{:.3}", nanos[1]),
            format!("{:.3}", nanos[2]),
            digits(nanos[2] / nanos[0]),
        ]);
    }
    data.table(&table);
}

/// The work whose input ends with an error.
const AT_THE_END: &str = "`from_utf8`, an error at the very end";
