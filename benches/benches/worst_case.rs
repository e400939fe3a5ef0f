//! What an input can cost: a search for the text that slows each kernel down most, and a look at whether anything grows
//! faster than the input.
//!
//! ```text
//! cargo bench -p trust8-benches --bench worst_case               writes docs/worst-case.md
//! cargo bench -p trust8-benches --bench worst_case -- --quick    a look, written into the target folder
//! ```
//!
//! In `cargo test` all of it runs once, for the answers' sake; how long anything takes is not tested there.

use std::fmt::Write as _;
use std::hint::black_box;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use std::{env, io};

use trust8::{Kernel, Validator};
use trust8_benches::machine::Machine;
use trust8_benches::measure::{Placed, pin};
use trust8_benches::random::Random;
use trust8_benches::report::{Page, Table, digits, size};
use trust8_benches::texts::generated;

/// In the second-level cache of everything current.
const TEXT: usize = 64 << 10;

/// How much is done.
#[derive(Clone, Copy)]
struct Effort {
    /// Texts that the search begins with, and changes that it tries on the worst of them.
    texts: usize,
    changes: usize,
    /// Rounds, of which the fastest counts: for a text in the search, and for what is written down.
    search: usize,
    report: usize,
    /// The largest input of the section on growth.
    largest: usize,
}

const FULL: Effort = Effort { texts: 3000, changes: 600, search: 7, report: 400, largest: 16 << 20 };
const QUICK: Effort = Effort { texts: 150, changes: 50, search: 5, report: 40, largest: 2 << 20 };
const SMOKE: Effort = Effort { texts: 4, changes: 2, search: 1, report: 1, largest: 1 << 17 };

fn main() -> io::Result<()> {
    let says = |flag: &str| env::args().any(|argument| argument == flag);
    let (effort, docs) = match (says("--bench"), says("--quick")) {
        (false, _) => (SMOKE, false),
        (true, true) => (QUICK, false),
        (true, false) => (FULL, true),
    };
    pin()?;
    let machine = Machine::ask();
    let mut page = Page::default();
    page.heading(1, "What an input can cost");
    page.block(
        "`cargo bench -p trust8-benches --bench worst_case` writes this page. Whoever sends the bytes may choose \
         the text that takes longest. So a search tries texts that repeat up to four sequences of ASCII or of \
         characters of two, three and four bytes. Their lengths are near those at which kernels change their \
         ways. The search keeps the slowest text, and changes it as long as it gets slower.",
    );
    let mut facts = String::new();
    let _ = writeln!(facts, "- CPU: {}", machine.cpu);
    let _ = writeln!(facts, "- Compiler: {} for {}", machine.rustc, machine.target);
    let _ = write!(
        facts,
        "- Search: {} texts and {} changes for each kernel, {} each",
        effort.texts,
        effort.changes,
        size(TEXT)
    );
    page.block(&facts);

    let worst = kernels(&mut page, effort);
    errors(&mut page, effort);
    calls(&mut page, effort);
    growth(&mut page, effort, &worst);

    let folder = match docs {
        true => PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs")),
        false => PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("worst-case"),
    };
    page.write(&folder, "worst-case.md")?;
    eprintln!("{}", folder.canonicalize()?.join("worst-case.md").display());
    Ok(())
}

/// The fastest of so many rounds.
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

/// A stretch: so many characters, and which.
type Stretch = (&'static str, usize);

const CHARACTERS: [&str; 4] = ["a", "é", "日", "😀"];

/// Lengths in bytes at which some kernel changes what it does: vectors, pieces, blocks, rows, superblocks, runs.
const LENGTHS: [usize; 13] = [1, 2, 4, 16, 32, 64, 128, 256, 448, 488, 512, 1024, 4096];

fn a_length(random: &mut Random) -> usize {
    let near = *random.pick(&LENGTHS);
    match random.below(3) {
        0 => near,
        1 => near + random.below(5),
        _ => (near + random.below(near + 1)).saturating_sub(random.below(4)).max(1),
    }
}

fn a_stretch(random: &mut Random) -> Stretch {
    let character = *random.pick(&CHARACTERS);
    (character, a_length(random).div_ceil(character.len()))
}

/// The text that a recipe repeats, `TEXT` bytes of it.
fn text_of(recipe: &[Stretch]) -> Placed {
    let unit: String = recipe.iter().map(|&(character, count)| character.repeat(count)).collect();
    Placed::filled(&unit, TEXT)
}

/// A recipe as it is written down: characters' lengths and how many of each.
fn name_of(recipe: &[Stretch]) -> String {
    let stretches: Vec<_> =
        recipe.iter().map(|&(character, count)| format!("{count} × {}", character.len())).collect();
    stretches.join(", ")
}

fn cost(kernel: &Kernel, text: &Placed, rounds: usize) -> Duration {
    fastest(rounds, || assert!(kernel.is_utf8(black_box(text.bytes()))))
}

fn search(kernel: &Kernel, effort: Effort) -> Vec<Stretch> {
    let mut random = Random::named(kernel.name());
    let mut found: Vec<(Duration, Vec<Stretch>)> = Vec::new();
    for _ in 0..effort.texts {
        let recipe: Vec<_> = (0..random.between(1, 4)).map(|_| a_stretch(&mut random)).collect();
        found.push((cost(kernel, &text_of(&recipe), effort.search), recipe));
    }
    // A disturbance makes a text look slow that is not: the slowest ones once more, with more patience.
    found.sort_by_key(|(cost, _)| std::cmp::Reverse(*cost));
    found.truncate(12);
    for (duration, recipe) in &mut found {
        *duration = cost(kernel, &text_of(recipe), 10 * effort.search);
    }
    found.sort_by_key(|(cost, _)| std::cmp::Reverse(*cost));
    let (mut slowest, mut worst) = found.swap_remove(0);
    for _ in 0..effort.changes {
        let mut recipe = worst.clone();
        let which = random.below(recipe.len());
        match random.below(4) {
            0 => recipe[which] = a_stretch(&mut random),
            1 => recipe[which].1 = (recipe[which].1 + random.below(5)).saturating_sub(2).max(1),
            2 if recipe.len() < 6 => recipe.insert(which, a_stretch(&mut random)),
            _ if recipe.len() > 1 => drop(recipe.remove(which)),
            _ => recipe[which].1 *= 2,
        }
        let text = text_of(&recipe);
        if cost(kernel, &text, effort.search) > slowest {
            let duration = cost(kernel, &text, 10 * effort.search);
            if duration > slowest {
                (slowest, worst) = (duration, recipe);
            }
        }
    }
    worst
}

/// The worst text for each kernel, beside others. Returns the best kernel's.
fn kernels(page: &mut Page, effort: Effort) -> Placed {
    page.heading(2, "The worst text for each kernel");
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
        let recipe = search(kernel, effort);
        let worst = text_of(&recipe);
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
            name_of(&recipe),
        ]);
        eprintln!("{}: {} GB/s on {}", kernel.name(), digits(slowest), name_of(&recipe));
        let [_, _, _, worst] = texts;
        of_best.get_or_insert(worst);
    }
    page.block(&format!("{} of each, GB/s.", size(TEXT)));
    page.table(&table);
    of_best.expect("there is always a kernel")
}

// --- Errors -------------------------------------------------------------------------------------------

/// A fault is looked for again where the kernel saw it. What that costs at most, wherever the fault is.
fn errors(page: &mut Page, effort: Effort) {
    page.heading(2, "Errors, wherever they are");
    page.block(
        "What it costs to locate an error: the time of `from_utf8` on 64 KiB of Chinese text with one spoiled \
         byte, less the time for the same text up to that byte. The byte is tried at many places, around \
         multiples of 64 and elsewhere. The table has the largest difference, and its place.",
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
    page.table(&table);
}

// --- Many short calls ---------------------------------------------------------------------------------

/// Short strings whose length and kind change from call to call.
fn calls(page: &mut Page, effort: Effort) {
    page.heading(2, "Many short calls");
    page.block(
        "The time in ns a call, for strings whose lengths and kinds vary at random, so no branch on either is \
         predicted, and for ASCII of the same lengths. Longer strings are more work, so the ratio is what \
         counts.",
    );
    let mut table = Table::new(["kernel", "length", "ASCII", "any kind", "any / ASCII"]);
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
    page.table(&table);
}

// --- Growth -------------------------------------------------------------------------------------------

/// What is done, the text that is repeated, and what to do with it.
type Work<'a> = (&'static str, &'a [u8], fn(&[u8]));

/// A byte that no text has, instead of the last one.
fn spoiled(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes.splice(bytes.len() - 1.., [0xFF]);
    bytes
}

/// The same input four, and sixteen times as long.
fn growth(page: &mut Page, effort: Effort, worst: &Placed) {
    page.heading(2, "Four times the input, four times the time");
    page.block(
        "The time in ns a byte, for n, 4n and 16n bytes. A cost that grows faster than the input would show as a \
         growing number. (Where the input leaves the caches, a byte costs more once.)",
    );
    let cut: &[u8] = &[0xF0, 0x9F, 0x98];
    // Sound for so long that each change of gait is made in vain: blocks, then pieces that double.
    let rare = ["日本語".repeat(112).as_bytes(), b"\xF0\x9F\x98"].concat();
    let works: [Work<'_>; 9] = [
        ("`from_utf8`, the worst text", worst.bytes(), |bytes| assert!(trust8::from_utf8(bytes).is_ok())),
        (AT_THE_END, worst.bytes(), |bytes| {
            let error = trust8::from_utf8(bytes).unwrap_err();
            assert!(error.valid_up_to() + 4 >= bytes.len());
        }),
        ("`Validator`, a byte a chunk", worst.bytes(), |bytes| {
            let mut validator = Validator::new();
            assert!(bytes.chunks(1).all(|chunk| validator.push(black_box(chunk)).is_ok()));
        }),
        ("`Validator`, 63 bytes a chunk", worst.bytes(), |bytes| {
            let mut validator = Validator::new();
            assert!(bytes.chunks(63).all(|chunk| validator.push(black_box(chunk)).is_ok()));
        }),
        ("`from_utf8` again after each fault, nothing but faults", cut, |bytes| {
            let (mut rest, mut faults) = (bytes, 0);
            while let Err(error) = trust8::from_utf8(rest) {
                faults += 1;
                let Some(len) = error.error_len() else { break };
                rest = &rest[error.valid_up_to() + len..];
            }
            assert_eq!(faults, bytes.len() / 3);
        }),
        ("`from_utf8_lossy`, nothing but faults", cut, |bytes| {
            assert_eq!(trust8::from_utf8_lossy(bytes).len(), bytes.len());
        }),
        ("`from_utf8_lossy`, a fault every kilobyte", &rare, |bytes| {
            assert_eq!(trust8::from_utf8_lossy(bytes).len(), bytes.len());
        }),
        ("`errors`, nothing but faults", cut, |bytes| {
            assert_eq!(trust8::errors(bytes).count(), bytes.len() / 3);
        }),
        ("`errors`, a fault every kilobyte", &rare, |bytes| {
            assert_eq!(trust8::errors(bytes).count(), bytes.len() / 1011);
        }),
    ];
    let mut table = Table::new(["what", "n", "at n", "at 4n", "at 16n", "16n / n"]);
    for (what, unit, work) in works {
        let least = (effort.largest / 16).max(3 * 1024);
        let inputs = [1, 4, 16].map(|times| {
            let whole = unit.len() * (least * times / unit.len()).max(1);
            let input: Vec<u8> = unit.iter().copied().cycle().take(whole).collect();
            if what == AT_THE_END { spoiled(&input) } else { input }
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
    page.table(&table);
}

/// Spoils the last byte.
const AT_THE_END: &str = "`from_utf8`, a fault at the very end";
