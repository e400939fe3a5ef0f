//! The sections of the comparison, each a function that measures and reports.

use std::io;

use trust8_benches::contestants::Role;
use trust8_benches::machine::memory_available;
use trust8_benches::measure::{Measured, Placed};
use trust8_benches::report::{Axis, Page, Scale, Series, Table, digits, size};
use trust8_benches::strings::{Contents, Lengths, pieces, set};
use trust8_benches::targets::Targets;
use trust8_benches::texts::{Kind, Text, generated};

use crate::race::{Care, Grid, Race, Results, TEXT, lowest, mean};

const TRUST8: &str = "trust8";
const FROM_UTF8: &str = "trust8 from_utf8";
const READ: &str = "read loop";

/// One text of each kind whose cost depends on something else: nothing, two-byte blocks, all else.
const THREE: [&str; 3] = ["ASCII", "Russian", "Chinese"];

fn gb_per_s(measured: &Measured) -> String {
    digits(measured.gb_per_s())
}

fn ns(measured: &Measured) -> String {
    digits(measured.ns_per_call())
}

/// A name's form in the name of a file.
fn slug(name: &str) -> String {
    name.to_lowercase().replace(|char: char| !char.is_ascii_alphanumeric(), "-")
}

/// The lowest ratio over the texts of some kind.
fn lowest_of(
    races: &[(Text, Results)],
    wanted: impl Fn(&Text) -> bool,
    ratio: impl Fn(&Results) -> Option<f64>,
) -> Option<(String, f64)> {
    let races = races.iter().filter(|race| wanted(&race.0));
    lowest(races.filter_map(|(text, results)| Some((text.name.clone(), ratio(results)?))))
}

/// The geometric mean of a ratio over the texts of some kind.
fn mean_of(
    races: &[(Text, Results)],
    wanted: impl Fn(&Text) -> bool,
    ratio: impl Fn(&Results) -> Option<f64>,
) -> Option<(String, f64)> {
    let races = races.iter().filter(|race| wanted(&race.0));
    Some(("mean".to_owned(), mean(races.filter_map(|race| ratio(&race.1)))?))
}

fn grid(races: &[(Text, Results)]) -> Grid {
    Grid(races.iter().map(|(text, results)| (text.name.clone(), results.clone())).collect())
}

fn each_text(race: &mut Race, who: &[usize]) -> Vec<(Text, Results)> {
    let texts = race.texts.clone();
    let run = |text: Text| {
        let results = race.run_text(who, text.text.as_bytes(), 0, Care::Number);
        (text, results)
    };
    texts.into_iter().map(run).collect()
}

/// Throughput by text, and by where the text begins.
pub(crate) fn texts(race: &mut Race, page: &mut Page, targets: &mut Targets) -> io::Result<()> {
    let who = race.which(|contestant| {
        let kernel = contestant.role == Role::Kernel
            && contestant.name != format!("trust8 {}", trust8::Kernel::best().name());
        kernel || matches!(contestant.role, Role::Peer | Role::Trust8)
    });
    let races = each_text(race, &who);
    let grid_of_all = grid(&races);

    page.heading(2, "By text");
    page.block("GB/s on 64 KiB of text, which is in the L2 cache, aligned to 64 bytes.");
    page.table(&grid_of_all.turned("text", gb_per_s));
    let main = race.main();
    let names: Vec<_> = main.iter().map(|&i| race.contestants[i].name.clone()).collect();
    let mut series = grid_of_all.series(|row, measured| (measured.gb_per_s(), row as f64));
    series.retain(|series| names.contains(&series.name));
    let rows = races.iter().map(|(text, _)| text.name.clone()).collect();
    let axis = Axis::new("GB/s, logarithmic", Scale::Log);
    page.plot("by-text.svg", &race.rows("Throughput by text, 64 KiB", axis, rows, series));

    let mut table = Table::new(["text", "not ASCII", "best peer", "its GB/s", "trust8", "ratio"]);
    for (text, results) in &races {
        let (name, best) = results.best_peer();
        table.row([
            text.name.clone(),
            format!("{:.1} %", text.density() * 100.0),
            name.to_owned(),
            gb_per_s(best),
            results.of(TRUST8).map_or_else(String::new, gb_per_s),
            results.lead(TRUST8).map_or_else(String::new, digits),
        ]);
    }
    page.block(
        "This table compares trust8 with the best peer on each text. The second column is the share of \
         the bytes that are not ASCII.",
    );
    page.table(&table);

    let other = |text: &Text| text.kind() != Kind::Ascii;
    // Below this share validators skip most of the text as ASCII, and the speed is that of ASCII.
    let dense_enough = |text: &Text| text.density() >= 0.02;
    targets.at_least(
        "trust8, not ASCII, against the best peer",
        2.0,
        lowest_of(&races, other, |results| results.lead(TRUST8)),
    );
    targets.at_least(
        "the same, texts with 2 % or more outside ASCII",
        2.0,
        lowest_of(&races, dense_enough, |results| results.lead(TRUST8)),
    );
    targets.at_least(
        "the same, aimed at",
        2.4,
        mean_of(&races, dense_enough, |results| results.lead(TRUST8)),
    );
    let ascii = |text: &Text| text.kind() == Kind::Ascii;
    targets.at_least(
        "trust8, ASCII, against the best peer",
        1.2,
        lowest_of(&races, ascii, |results| results.lead(TRUST8)),
    );
    targets.at_least(
        "from_utf8 against is_utf8, 64 KiB",
        0.98,
        lowest_of(&races, |_| true, |results| results.ratio(FROM_UTF8, TRUST8)),
    );

    // A byte, a vector of SSE and one of AVX2 beyond the boundary.
    let offsets = [0, 1, 16, 32];
    page.heading(3, "By alignment");
    page.block("GB/s on 64 KiB of text. The offset is the distance of its first byte from a multiple of 64.");
    let mut ratios = Vec::new();
    for name in THREE {
        let text = generated(name, TEXT);
        let mut races = Grid::default();
        for offset in offsets {
            let results = race.run_text(&who, text.text.as_bytes(), offset, Care::Number);
            if name == "ASCII" && (offset == 1 || offset == 16) {
                ratios.extend(results.lead(TRUST8).map(|ratio| (format!("offset {offset}"), ratio)));
            }
            races.0.push((format!("{offset}"), results));
        }
        page.table(&races.table(&format!("{name}, offset"), gb_per_s));
    }
    targets.at_least("trust8, ASCII at offsets 1 and 16, against the best peer", 1.3, lowest(ratios));
    Ok(())
}

/// The kernels side by side, each with the ways among which it chooses.
pub(crate) fn kernels(race: &mut Race, page: &mut Page, targets: &mut Targets) -> io::Result<()> {
    let modules = ["std", "simdutf8 avx2", "simdutf8 sse4.2"];
    let who = race.which(|contestant| {
        matches!(contestant.role, Role::Kernel | Role::Path) || modules.contains(&contestant.name.as_str())
    });
    let races = each_text(race, &who);
    let grid_of_all = grid(&races);

    page.heading(2, "Kernels");
    page.block(
        "GB/s on 64 KiB of text, aligned to 64 bytes. A column with a comma is one of the ways that a kernel \
         chooses from by length and content, taken wherever it can be taken. A column without a comma is the \
         kernel, which chooses.",
    );
    page.table(&grid_of_all.turned("text", gb_per_s));
    let paths = race.which(|contestant| contestant.role == Role::Path);
    let paths: Vec<_> = paths.iter().map(|&i| &race.contestants[i].name).collect();
    let mut series = grid_of_all.series(|row, measured| (measured.gb_per_s(), row as f64));
    series.retain(|series| !paths.contains(&&series.name));
    let rows = races.iter().map(|(text, _)| text.name.clone()).collect();
    let axis = Axis::new("GB/s, logarithmic", Scale::Log);
    page.plot("kernels.svg", &race.rows("Kernels by text, 64 KiB", axis, rows, series));

    let dense = |text: &Text| text.kind() == Kind::Dense;
    let ascii = |text: &Text| text.kind() == Kind::Ascii;
    let avx2 = |results: &Results| results.ratio("trust8 avx2", "simdutf8 avx2");
    targets.at_least("avx2 against simdutf8's AVX2, dense text", 1.15, lowest_of(&races, dense, avx2));
    targets.at_least(
        "avx2 against simdutf8's AVX2, two-byte text",
        2.0,
        lowest_of(&races, |text: &Text| text.kind() == Kind::TwoByte, avx2),
    );
    targets.at_least("avx2 against simdutf8's AVX2, all texts", 1.35, mean_of(&races, |_| true, avx2));
    let sse42 = |results: &Results| results.ratio("trust8 sse4.2", "simdutf8 sse4.2");
    targets.at_least("sse4.2 against simdutf8's SSE4.2, dense text", 1.15, lowest_of(&races, dense, sse42));
    targets.at_least("sse4.2 against simdutf8's SSE4.2, all texts", 1.4, mean_of(&races, |_| true, sse42));
    targets.at_least("sse4.2 against simdutf8's SSE4.2, ASCII", 1.0, lowest_of(&races, ascii, sse42));
    let scalar = |results: &Results| results.ratio("trust8 scalar", "std");
    targets.at_least("scalar against std, every text", 1.2, lowest_of(&races, |_| true, scalar));
    Ok(())
}

/// Short strings: random lengths, and every length from 0 to 256.
pub(crate) fn short(race: &mut Race, page: &mut Page, targets: &mut Targets) -> io::Result<()> {
    random_lengths(race, page, targets);
    fixed_lengths(race, page, targets);
    Ok(())
}

fn random_lengths(race: &mut Race, page: &mut Page, targets: &mut Targets) {
    let who = race.which(|contestant| contestant.role != Role::Path && contestant.name != READ);
    page.heading(2, "Short strings");
    page.heading(3, "Of random lengths");
    page.block(
        "The time in ns a call, on thousands of different strings (256 KiB of them, at most 8192). They lie one \
         after the other and are visited in random order, so branches mispredict as they do in programs. `below \
         64` has every length from 0 to 63 with equal chance. `JSON keys` are 2 to 24 bytes long, most of them 4 \
         to 12. `cells` are like the text columns of a database: empty strings, codes, numbers, dates, names, \
         addresses, and now and then a paragraph. Nothing is subtracted, so every time includes that of `call \
         alone`.",
    );
    // Results by contents and by lengths.
    let mut races: Vec<(Contents, Lengths, Results)> = Vec::new();
    for contents in Contents::ALL {
        let mut grid = Grid::default();
        for lengths in Lengths::RANDOM {
            // 256 KiB: in L2, and with enough strings that no predictor learns them by heart.
            let mean_length = match lengths {
                Lengths::Below(end) => end / 2,
                _ => 24,
            };
            let count = race.by(50, 2048, ((256 << 10) / mean_length).clamp(2048, 8192));
            let strings = set(lengths, contents, count);
            let results = race.run(&who, &strings.strings(), Care::Number);
            races.push((contents, lengths, results.clone()));
            grid.0.push((lengths.name(), results));
        }
        page.table(&grid.table(&format!("ns a call, {}", contents.name()), ns));
    }

    let over = |contents: &[Contents], longest: usize, name: &str, other: &str| {
        let wanted = races.iter().filter(|race| {
            let short = match race.1 {
                Lengths::Below(end) => end <= longest,
                _ => longest > 256,
            };
            short && contents.contains(&race.0)
        });
        let ratios = wanted.filter_map(|(contents, lengths, results)| {
            Some((format!("{}, {}", contents.name(), lengths.name()), results.ratio(name, other)?))
        });
        lowest(ratios)
    };
    let only = |contents, end, name, other| {
        let wanted = races.iter().filter(|race| race.0 == contents && race.1 == Lengths::Below(end));
        lowest(wanted.filter_map(|race| Some((race.1.name(), race.2.ratio(name, other)?))))
    };
    let (ascii, mixed) = (Contents::Ascii, Contents::Mixed);
    let (simdutf, simdutf8) = ("simdutf C++", "simdutf8 basic");
    targets.at_least(
        "trust8 against simdutf C++, random lengths",
        0.95,
        over(&Contents::ALL, usize::MAX, TRUST8, simdutf),
    );
    targets.at_least(
        "trust8 against simdutf C++, mixed, below 64 and shorter",
        1.5,
        over(&[mixed], 64, TRUST8, simdutf),
    );
    targets.at_least("trust8 against simdutf8, mixed, below 64", 10.0, only(mixed, 64, TRUST8, simdutf8));
    targets.at_least("avx2 against simdutf8, ASCII, below 64", 3.0, only(ascii, 64, "trust8 avx2", simdutf8));
    targets.at_least(
        "avx2 against simdutf8, mixed, below 64",
        12.0,
        only(mixed, 64, "trust8 avx2", simdutf8),
    );
    targets.at_least(
        "sse4.2 against simdutf8, ASCII, below 64",
        2.5,
        only(ascii, 64, "trust8 sse4.2", simdutf8),
    );
    targets.at_least(
        "sse4.2 against simdutf8, mixed, below 64",
        10.0,
        only(mixed, 64, "trust8 sse4.2", simdutf8),
    );
    targets.at_least("scalar against std, mixed, below 64", 1.3, only(mixed, 64, "trust8 scalar", "std"));
    targets.at_least(
        "from_utf8 against is_utf8, random lengths",
        0.98,
        over(&Contents::ALL, usize::MAX, FROM_UTF8, TRUST8),
    );
}

fn fixed_lengths(race: &mut Race, page: &mut Page, targets: &mut Targets) {
    let main = race.main();
    let kernels: Vec<_> =
        trust8::Kernel::available().iter().map(|kernel| format!("trust8 {}", kernel.name())).collect();
    // The best kernel by its own name as well, for the last target; the plots leave it out.
    let who = race.which(|contestant| {
        let name = &contestant.name;
        kernels.contains(name) || main.iter().any(|&i| race.contestants[i].name == *name)
    });
    page.heading(3, "Of each length from 0 to 256");
    page.block(
        "The time in ns a call, on 256 different strings of one length. Branches on the length are predicted \
         here, and some branches on the content. A program that reads fields of one length sees these times; one \
         with fields of all lengths sees the times of the tables above.",
    );
    let lengths: Vec<usize> =
        race.by((0..=256).step_by(32).collect(), (0..=256).step_by(4).collect(), (0..=256).collect());
    let count = race.by(8, 64, 256);
    let mut against_simdutf = Vec::new();
    for contents in Contents::ALL {
        let grid = race.run_lengths(&who, &lengths, |len| set(Lengths::Fixed(len), contents, count));
        against_simdutf.extend(grid.0.iter().filter_map(|(len, results)| {
            Some((format!("{}, {len} bytes", contents.name()), results.ratio(TRUST8, "simdutf C++")?))
        }));

        let mut shown = Grid(grid.0.clone());
        shown.0.retain(|(len, _)| {
            ["0", "4", "8", "16", "32", "64", "96", "128", "192", "256"].contains(&len.as_str())
        });
        page.table(&shown.table(&format!("ns a call, {}", contents.name()), ns));
        let mut series = grid.series(|i, measured| (lengths[i] as f64, measured.ns_per_call()));
        series.retain(|series| main.iter().any(|&i| race.contestants[i].name == series.name));
        let plot = race.lines(
            format!("Short strings: {}", contents.name()),
            Axis::new("bytes in the string", Scale::Linear),
            Axis::new("ns a call", Scale::Log),
            series,
        );
        page.plot(&format!("short-{}.svg", contents.slug()), &plot);

        if contents == Contents::Ascii {
            for kernel in kernels.iter().filter(|kernel| *kernel != "trust8 scalar") {
                let slower = grid.0.iter().filter_map(|(len, results)| {
                    let (ours, std) = (results.of(kernel)?, results.of("std")?);
                    Some((format!("{len} bytes"), ours.ns_per_call() - std.ns_per_call()))
                });
                let worst = slower.max_by(|a, b| a.1.total_cmp(&b.1));
                let name = kernel.trim_start_matches("trust8 ");
                targets.at_most(
                    &format!("{name} slower than std, ASCII, any length to 256"),
                    0.5,
                    " ns",
                    worst,
                );
            }
        }
    }
    targets.at_least("trust8 against simdutf C++, any length to 256", 0.95, lowest(against_simdutf));
}

/// Lengths from 1 byte to 1 GiB, and a search for lengths at which a kernel stumbles.
pub(crate) fn lengths(race: &mut Race, page: &mut Page, _: &mut Targets) -> io::Result<()> {
    let most = race.by(4 << 10, 16 << 20, largest());
    page.heading(2, "By length");
    page.block(&format!(
        "GB/s on text whose length is a power of two from 1 byte to {}. Below 64 KiB, several different strings \
         of the length take turns (at most 64 strings, and at most 64 KiB). Above 16 MiB, only some contestants \
         run.",
        size(most)
    ));
    let everybody: Vec<_> = {
        let read = race.which(|contestant| contestant.name == READ);
        race.main().into_iter().chain(read).collect()
    };
    for name in THREE {
        let text = generated(name, 1 << 20);
        let lengths = (0..).map(|power| 1usize << power).take_while(|len| *len <= most);
        let mut all: Vec<(usize, Results)> = Vec::new();
        for len in lengths {
            let results = if len <= TEXT {
                let strings = pieces(&text.text, len, (TEXT / len).min(64));
                race.run(&everybody, &strings.strings(), Care::Point)
            } else {
                let few: Vec<_> = everybody
                    .iter()
                    .copied()
                    .filter(|&i| {
                        let name = race.contestants[i].name.as_str();
                        len <= 16 << 20 || [TRUST8, "simdutf8 basic", "simdutf C++", READ].contains(&name)
                    })
                    .collect();
                let placed = Placed::filled(&text.text, len);
                race.run(&few, &[placed.bytes()], Care::Large)
            };
            all.push((len, results));
        }

        let names: Vec<_> = everybody.iter().map(|&i| race.contestants[i].name.clone()).collect();
        let mut table = Table::new([format!("{name}, bytes")].into_iter().chain(names.iter().cloned()));
        for (len, results) in &all {
            let cells = names.iter().map(|name| results.of(name).map_or_else(String::new, gb_per_s));
            table.row([size(*len)].into_iter().chain(cells));
        }
        page.table(&table);
        let series = names.into_iter().map(|name| {
            let point =
                |(len, results): &(usize, Results)| Some((*len as f64, results.of(&name)?.gb_per_s()));
            Series { points: all.iter().filter_map(point).collect(), name }
        });
        let plot = race.lines(
            format!("Throughput by length: {name}"),
            Axis::new("bytes in the text", Scale::Lengths),
            Axis::new("GB/s", Scale::Log),
            series.collect(),
        );
        page.plot(&format!("length-{}.svg", slug(name)), &plot);
    }
    cliffs(race, page);
    Ok(())
}

/// How long the longest text can be: 1 GiB where there is room for it and as much again.
fn largest() -> usize {
    let room = memory_available().unwrap_or(0);
    if room >= 2 << 30 { 1 << 30 } else { 256 << 20 }
}

/// The lengths at which to look for cliffs: all of them to 2048, then in steps of a hundredth.
fn dense_lengths(race: &Race) -> Vec<usize> {
    let (step, factor) = race.by((256, 1.5), (16, 1.1), (1, 1.01));
    let mut lengths: Vec<usize> = (1..=2048).step_by(step).collect();
    let mut len = 2048.0;
    let end = race.by(8_000.0, 100_000.0, 100_000.0);
    while len * factor < end {
        len *= factor;
        lengths.push(len as usize);
    }
    lengths
}

fn cliffs(race: &mut Race, page: &mut Page) {
    let kernels = race.which(|contestant| contestant.role == Role::Kernel);
    let lengths = dense_lengths(race);
    page.heading(3, "Cliffs");
    page.block(
        "Where a kernel changes from one way to another, the time must not jump. It was measured at every length \
         to 2048, and then at lengths that grow by a hundredth, to 100 000 (at most 32 strings of a length take \
         turns). `longer but cheaper` is the largest ratio by which some longer text takes less time than a \
         shorter one. It is 1.00 if none does, and large if there is a cliff. `largest step` is the largest rise \
         from one measured length above 64 to the next.",
    );
    let mut table =
        Table::new(["kernel and text", "longer but cheaper", "from", "to", "largest step", "from", "to"]);
    for name in THREE {
        let text = generated(name, 128 << 10);
        let strings = |len: usize| pieces(&text.text, len, (TEXT / len).clamp(1, 32));
        let grid = race.run_lengths(&kernels, &lengths, strings);
        let series = grid.series(|i, measured| (lengths[i] as f64, measured.ns_per_call()));
        for Series { name: kernel, points } in &series {
            let cheaper = longer_but_cheaper(points);
            let steps = points.windows(2).filter(|pair| pair[0].0 >= 64.0);
            let step = steps.max_by(|a, b| (a[1].1 / a[0].1).total_cmp(&(b[1].1 / b[0].1)));
            let mut cells = vec![format!("{kernel}, {name}")];
            let mut ratio = |ratio: f64, from: f64, to: f64| {
                cells.extend([digits(ratio), format!("{from:.0}"), format!("{to:.0}")]);
            };
            ratio(cheaper.0, cheaper.1, cheaper.2);
            match step {
                Some(step) => ratio(step[1].1 / step[0].1, step[0].0, step[1].0),
                None => ratio(1.0, 0.0, 0.0),
            }
            table.row(cells);
        }
        let plot = race.lines(
            format!("Time by length, kernels: {name}"),
            Axis::new("bytes in the text", Scale::Lengths),
            Axis::new("ns a call", Scale::Log),
            series,
        );
        page.plot(&format!("cliffs-{}.svg", slug(name)), &plot);
    }
    page.table(&table);
}

/// The largest ratio of a shorter text's time to a longer one's, with both lengths.
fn longer_but_cheaper(points: &[(f64, f64)]) -> (f64, f64, f64) {
    let mut found = (1.0, 0.0, 0.0);
    let mut cheapest: Option<(f64, f64)> = None;
    for &(len, nanos) in points.iter().rev() {
        match cheapest {
            Some((longer, least)) if nanos >= least => {
                if nanos / least > found.0 {
                    found = (nanos / least, len, longer);
                }
            }
            _ => cheapest = Some((len, nanos)),
        }
    }
    found
}

/// Invalid text, and what the exact place costs where the text is valid.
pub(crate) fn errors(race: &mut Race, page: &mut Page, targets: &mut Targets) -> io::Result<()> {
    let len = race.by(8 << 10, 1 << 20, 1 << 20);
    let places = [("byte 100", 100), ("the middle", len / 2), ("100 before the end", len - 100)];
    let who = race.which(|contestant| matches!(contestant.role, Role::Peer | Role::Trust8 | Role::Kernel));
    page.heading(2, "Errors");
    page.block(&format!(
        "The time in ns, for {} of text that is valid or has a byte FF in it. Some contestants only say that \
         there is an error (`trust8`, `simdutf8 basic`, `simdutf C++`). The others say where it is, and `trust8 \
         from_utf8`, `std`, `bstr` and `simdutf8 compat` also say how long it is.",
        size(len)
    ));
    let (mut early, mut late) = (Vec::new(), Vec::new());
    for name in ["ASCII", "Russian"] {
        let text = generated(name, len);
        let mut grid = Grid::default();
        grid.0.push(("valid".to_owned(), race.run_text(&who, text.text.as_bytes(), 0, Care::Number)));
        for (place, at) in places {
            let mut spoiled = Placed::new(text.text.as_bytes(), 0);
            spoiled.bytes_mut()[at] = 0xFF;
            grid.0.push((place.to_owned(), race.run(&who, &[spoiled.bytes()], Care::Number)));
        }
        page.table(&grid.table(&format!("{name}, error at"), ns));

        let time = |race: usize, contestant| grid.0[race].1.of(contestant).map(Measured::ns_per_call);
        for contestant in [TRUST8, FROM_UTF8] {
            let place = format!("{contestant}, {name}");
            early.extend(time(1, contestant).map(|nanos| (place.clone(), nanos)));
            late.extend(
                time(3, contestant).zip(time(0, contestant)).map(|(late, valid)| (place, late / valid)),
            );
        }
    }
    let highest = |all: Vec<(String, f64)>| all.into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
    targets.at_most(&format!("an error at byte 100 of {}", size(len)), 100.0, " ns", highest(early));
    targets.at_most("a late error, in passes over the valid text", 1.05, "", highest(late));

    page.heading(3, "The exact error against the verdict alone");
    page.block(
        "GB/s of `from_utf8`, which would say where an error is and why, and of `is_utf8`, on valid text.",
    );
    let pair = race.which(|contestant| contestant.role == Role::Trust8);
    let mut table = Table::new(["text", "is_utf8", "from_utf8", "ratio"]);
    for name in THREE {
        for len in [64, 1 << 10, 16 << 10, TEXT] {
            let text = generated(name, TEXT);
            let strings = pieces(&text.text, len, 64);
            let results = race.run(&pair, &strings.strings(), Care::Number);
            let show = |name| results.of(name).map_or_else(String::new, gb_per_s);
            let ratio = results.ratio(FROM_UTF8, TRUST8).map_or_else(String::new, digits);
            table.row([format!("{name}, {}", size(len)), show(TRUST8), show(FROM_UTF8), ratio]);
        }
    }
    page.table(&table);
    Ok(())
}

/// Out of cache, against a loop that only reads.
pub(crate) fn memory(race: &mut Race, page: &mut Page, targets: &mut Targets) -> io::Result<()> {
    let sizes = race.by(vec![1 << 16], vec![16 << 20], vec![16 << 20, 256 << 20, largest()]);
    let who = race.which(|contestant| {
        let best = format!("trust8 {}", trust8::Kernel::best().name());
        let name = contestant.name.as_str();
        [READ, "simdutf8 basic", "simdutf C++", TRUST8].contains(&name)
            || (contestant.role == Role::Kernel && !name.ends_with("scalar") && *name != best)
    });
    page.heading(2, "Out of cache");
    page.block("GB/s, beside a loop that only reads, in one process. 16 MiB may still be in the L3 cache.");
    let mut ratios = Vec::new();
    let mut done = None;
    for len in sizes {
        // Too little memory for 1 GiB makes the last size the one before it.
        if done.replace(len) == Some(len) {
            continue;
        }
        let mut grid = Grid::default();
        for name in THREE {
            let text = generated(name, 4 << 20);
            let placed = Placed::filled(&text.text, len);
            let results = race.run(&who, &[placed.bytes()], Care::Large);
            ratios.extend(results.ratio(TRUST8, READ).map(|ratio| (format!("{}, {name}", size(len)), ratio)));
            grid.0.push((name.to_owned(), results));
        }
        page.table(&grid.table(&size(len), gb_per_s));
    }
    targets.at_least("trust8 out of cache, against reading", 0.9, lowest(ratios));
    Ok(())
}
