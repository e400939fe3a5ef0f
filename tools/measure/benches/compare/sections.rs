//! The sections of the comparison. Each is a function that measures something and adds it to the data.

use std::io;

use trust8_measure::contestants::Role;
use trust8_measure::machine::memory_available;
use trust8_measure::measure::{Measured, Placed};
use trust8_measure::report::{Data, Table, digits, size};
use trust8_measure::short_strings::{Contents, Lengths, consecutive_strings, cut_at_random, random_strings};
use trust8_measure::targets::Targets;
use trust8_measure::texts::{Text, TextKind, fill_with_ordinary, generated, ordinary as ordinary_text};

use crate::race::{Care, Grid, Race, Results, TEXT, lowest, mean};

const TRUST8: &str = "trust8";
const FROM_UTF8: &str = "trust8 from_utf8";
const READ: &str = "read loop";

/// A text for each of the three costs that kernels have: of ASCII, of characters of up to two bytes, and of all others.
const THREE: [&str; 3] = ["ASCII", "Russian", "Chinese"];

fn gb_per_s(measured: &Measured) -> String {
    digits(measured.gb_per_s())
}

fn ns(measured: &Measured) -> String {
    digits(measured.ns_per_call())
}

/// Returns the lowest ratio of the texts for which `wanted` is true, with the name of its text.
fn lowest_of(
    races: &[(Text, Results)],
    wanted: impl Fn(&Text) -> bool,
    ratio: impl Fn(&Results) -> Option<f64>,
) -> Option<(String, f64)> {
    let races = races.iter().filter(|race| wanted(&race.0));
    lowest(races.filter_map(|(text, results)| Some((text.name.clone(), ratio(results)?))))
}

/// Returns the geometric mean of the ratios of the texts for which `wanted` is true.
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

/// trust8 and its kernels, each with the peer of its instruction set. trust8's is the best of all.
const PEERS_OF_KERNELS: [(&str, Option<&str>); 3] =
    [("trust8", None), ("trust8 avx2", Some("simdutf8 avx2")), ("trust8 sse4.2", Some("simdutf8 sse4.2"))];

/// Returns how many times as fast as its peer a contestant is.
fn against(results: &Results, name: &str, peer: Option<&str>) -> Option<f64> {
    match peer {
        None => results.lead(name),
        Some(peer) => results.ratio(name, peer),
    }
}

/// Returns the kernels with vectors, and the peers that they are compared with.
fn of_instruction_sets(race: &Race) -> Vec<usize> {
    let peers = ["std", "encoding_rs", "simdutf C++", "simdutf8 avx2", "simdutf8 sse4.2"];
    race.which(|contestant| {
        let kernel = contestant.role == Role::Kernel && contestant.name != "trust8 scalar";
        kernel || contestant.name == TRUST8 || peers.contains(&contestant.name.as_str())
    })
}

/// Returns text in which a CPU can predict nothing.
fn unpredictable(race: &Race) -> String {
    race.texts.iter().find(|text| text.name == "random").map_or("", |text| &text.text).repeat(4)
}

/// The distances between characters that are not ASCII, in bytes.
const DISTANCES: [usize; 9] = [16, 32, 64, 100, 200, 400, 800, 1600, 6400];

/// Measures ASCII with other characters here and there, which most of the world's text is.
pub(crate) fn ordinary(race: &mut Race, data: &mut Data, targets: &mut Targets) -> io::Result<()> {
    let who = of_instruction_sets(race);
    let distances: Vec<usize> = race.by(vec![16, 200], vec![16, 64, 200, 800], DISTANCES.to_vec());
    // As much as the L2 cache holds together with everything else.
    let others = race.by(2, 4, 8);

    data.heading(2, "Ordinary text");
    data.note(
        "Most text is ASCII with other characters here and there: JSON with names, English with curly quotes, a page in German, a \
         log. Here the ASCII is lines of a log, and characters of two, three or four bytes stand in it at random places. The \
         first column is their mean distance in bytes. GB/s on 64 KiB of text.",
    );
    data.heading(3, "One text, again and again");
    data.note(
        "As in the other sections, all rounds have the same text. A CPU learns the branches of a text that it has seen many times, \
         so these figures are what benchmarks show, and more than a program sees.",
    );
    let mut ratios = Vec::new();
    for width in [2, 3, 4] {
        let mut grid = Grid::default();
        for &distance in &distances {
            let text = ordinary_text(width, distance, TEXT, 0);
            grid.0.push((format!("{distance}"), race.run_text(&who, text.text.as_bytes(), 0, Care::Number)));
        }
        data.table(&grid.row_for_each_race(&format!("{width}-byte, every"), gb_per_s));
        ratios.extend(
            grid.0.into_iter().map(|(distance, results)| (format!("{width}-byte, {distance}"), results)),
        );
    }

    data.heading(3, "Text that the CPU has not learned");
    data.note(&format!(
        "A program reads most text once. So here {others} texts of this kind are read once each, and before that std reads text in which \
         nothing can be predicted, so that the CPU forgets the branches of these.",
    ));
    let between = unpredictable(race);
    let mut new_ratios = Vec::new();
    for width in [2, 3] {
        let mut grid = Grid::default();
        for &distance in &distances {
            let texts: Vec<_> =
                (0..others).map(|number| ordinary_text(width, distance, TEXT, number)).collect();
            let placed: Vec<_> = texts.iter().map(|text| Placed::new(text.text.as_bytes(), 0)).collect();
            let strings: Vec<_> = placed.iter().map(Placed::bytes).collect();
            grid.0.push((format!("{distance}"), race.run_on_new_text(&who, &strings, &between)));
        }
        data.table(&grid.row_for_each_race(&format!("{width}-byte, every"), gb_per_s));
        new_ratios.extend(
            grid.0.into_iter().map(|(distance, results)| (format!("{width}-byte, {distance}"), results)),
        );
    }

    for ((name, peer), wanted) in PEERS_OF_KERNELS.into_iter().zip([1.7, 1.4, 1.4]) {
        let ratio = |results: &Results| against(results, name, peer);
        let against = peer.unwrap_or("the best peer");
        for (ratios, what) in [(&ratios, "ordinary text"), (&new_ratios, "ordinary text, not learned")] {
            let all: Vec<_> =
                ratios.iter().filter_map(|(place, results)| Some((place.clone(), ratio(results)?))).collect();
            let mean = mean(all.iter().map(|all| all.1)).map(|mean| ("mean".to_owned(), mean));
            targets.at_least(&format!("{name} against {against}, {what}"), 1.0, lowest(all));
            targets.at_least(&format!("{name} against {against}, {what}, mean"), wanted, mean);
        }
    }
    Ok(())
}

/// Measures throughput by text and by the alignment of its beginning.
pub(crate) fn texts(race: &mut Race, data: &mut Data, targets: &mut Targets) -> io::Result<()> {
    let who = race.which(|contestant| {
        let kernel = contestant.role == Role::Kernel
            && contestant.name != format!("trust8 {}", trust8::Kernel::best().name());
        kernel || matches!(contestant.role, Role::Peer | Role::Trust8)
    });
    let races = each_text(race, &who);
    let grid_of_all = grid(&races);

    data.heading(2, "By text");
    data.note("GB/s on 64 KiB of text, which is aligned to 64 bytes and in the L2 cache.");
    data.table(&grid_of_all.row_for_each_race("text", gb_per_s));

    data.heading(3, "Against the best peer");
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
    data.note("trust8 against the best peer on each text. `not ASCII` is the share of non-ASCII bytes.");
    data.table(&table);

    let other = |text: &Text| text.kind() != TextKind::Ascii;
    // Below this share, validators skip most of the text as ASCII, and their speed is that on ASCII.
    let dense_enough = |text: &Text| text.density() >= 0.02;
    targets.at_least(
        "trust8, not ASCII, against the best peer",
        2.0,
        lowest_of(&races, other, |results| results.lead(TRUST8)),
    );
    targets.at_least(
        "trust8, at least 2 % not ASCII, against the best peer",
        2.0,
        lowest_of(&races, dense_enough, |results| results.lead(TRUST8)),
    );
    targets.at_least(
        "trust8, at least 2 % not ASCII, against the best peer, mean",
        2.4,
        mean_of(&races, dense_enough, |results| results.lead(TRUST8)),
    );
    let ascii = |text: &Text| text.kind() == TextKind::Ascii;
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

    // After the boundary: nothing, one byte, a vector of SSE, and a vector of AVX2.
    let offsets = [0, 1, 16, 32];
    data.heading(3, "By alignment");
    data.note(
        "GB/s on 64 KiB of text. The offset is the number of bytes from a multiple of 64 to the beginning.",
    );
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
        data.table(&races.row_for_each_contestant(&format!("{name}, offset"), gb_per_s));
    }
    targets.at_least("trust8, ASCII at offsets 1 and 16, against the best peer", 1.3, lowest(ratios));
    Ok(())
}

/// Measures the kernels and the ways among which each chooses.
pub(crate) fn kernels(race: &mut Race, data: &mut Data, targets: &mut Targets) -> io::Result<()> {
    let modules = ["std", "simdutf8 avx2", "simdutf8 sse4.2"];
    let who = race.which(|contestant| {
        matches!(contestant.role, Role::Kernel | Role::Way) || modules.contains(&contestant.name.as_str())
    });
    let races = each_text(race, &who);
    let grid_of_all = grid(&races);

    data.heading(2, "Kernels");
    data.note(
        "GB/s on 64 KiB of text, aligned to 64 bytes. A kernel chooses among several ways, by length and content. A \
         column with a comma is one of these ways, used wherever it can be. A column without a comma is the \
         kernel, which chooses.",
    );
    data.table(&grid_of_all.row_for_each_race("text", gb_per_s));

    let dense = |text: &Text| text.kind() == TextKind::Dense;
    let ascii = |text: &Text| text.kind() == TextKind::Ascii;
    let avx2 = |results: &Results| results.ratio("trust8 avx2", "simdutf8 avx2");
    targets.at_least("avx2 against simdutf8's AVX2, dense text", 1.15, lowest_of(&races, dense, avx2));
    targets.at_least(
        "avx2 against simdutf8's AVX2, two-byte text",
        2.0,
        lowest_of(&races, |text: &Text| text.kind() == TextKind::TwoByte, avx2),
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

/// Measures short strings, of random lengths and of every length from 0 to 256, and strings of medium length.
pub(crate) fn short(race: &mut Race, data: &mut Data, targets: &mut Targets) -> io::Result<()> {
    random_lengths(race, data, targets);
    medium_lengths(race, data, targets);
    one_text(race, data, targets);
    fixed_lengths(race, data, targets);
    Ok(())
}

fn random_lengths(race: &mut Race, data: &mut Data, targets: &mut Targets) {
    let who = race.which(|contestant| contestant.role != Role::Way && contestant.name != READ);
    data.heading(2, "Short strings");
    data.heading(3, "Of random lengths");
    data.note(
        "ns a call on thousands of different strings (256 KiB, at most 8192 strings). They are packed one after the \
         other and visited in random order, so that branches mispredict as they do in programs. `below 64` \
         is every length from 0 to 63 with equal chance. `JSON keys` have 2 to 24 bytes, most of them 4 to 12. \
         `cells` are like the cells of a text column in a database: empty strings and codes, numbers and dates, \
         names and addresses, and a few paragraphs. Nothing is subtracted: every number includes the time of \
         `call alone`.",
    );
    // The results by contents and lengths.
    let mut races: Vec<(Contents, Lengths, Results)> = Vec::new();
    for contents in Contents::ALL {
        let mut grid = Grid::default();
        for lengths in Lengths::RANDOM {
            // 256 KiB fit into the L2 cache, and are more strings than a branch predictor learns.
            let mean_length = match lengths {
                Lengths::Below(end) => end / 2,
                _ => 24,
            };
            let count = race.by(50, 2048, ((256 << 10) / mean_length).clamp(2048, 8192));
            let strings = random_strings(lengths, contents, count);
            let results = race.run(&who, &strings.strings(), Care::Number);
            races.push((contents, lengths, results.clone()));
            grid.0.push((lengths.name(), results));
        }
        data.table(&grid.row_for_each_contestant(&format!("ns a call, {}", contents.name()), ns));
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

/// Measures strings of 256 bytes to 16 KiB, which documents and messages have.
fn medium_lengths(race: &mut Race, data: &mut Data, targets: &mut Targets) {
    let who = of_instruction_sets(race);
    let total = race.by(1 << 15, 1 << 18, 1 << 18);
    let lengths = [256, 512, 1024, 2048, 4096, 16384];
    let mut texts = vec![ordinary_text(3, 200, total, 0), ordinary_text(2, 200, total, 0)];
    texts.extend(["ASCII", "German", "Russian", "Chinese"].map(|name| generated(name, total)));
    data.heading(3, "Medium lengths");
    data.note(&format!(
        "ns a call on {} of text that is cut into strings of random lengths. In the first table all rounds have the same strings, and \
         the CPU learns some of their branches; in the second, std reads text in which nothing can be predicted before each round.",
        size(total)
    ));
    let between = unpredictable(race);
    for (is_new, what) in [(false, "medium lengths"), (true, "medium lengths, not learned")] {
        let mut grid = Grid::default();
        for text in &texts {
            for range in lengths.windows(2) {
                let strings = cut_at_random(&text.text, range[0], range[1]);
                let results = if is_new {
                    race.run_on_new_text(&who, &strings.strings(), &between)
                } else {
                    race.run(&who, &strings.strings(), Care::Number)
                };
                grid.0.push((format!("{}, {} to {}", text.name, range[0], range[1]), results));
            }
        }
        data.table(&grid.row_for_each_race(what, ns));
        each_kernel_wins(targets, &grid, what);
    }
}

/// Adds the targets that no kernel is slower than its peer in any race. `what` says which races these are.
fn each_kernel_wins(targets: &mut Targets, grid: &Grid, what: &str) {
    for (name, peer) in PEERS_OF_KERNELS {
        let all = grid.0.iter().filter_map(|(place, all)| Some((place.clone(), against(all, name, peer)?)));
        let peer = peer.unwrap_or("the best peer");
        targets.at_least(&format!("{name} against {peer}, {what}"), 1.0, lowest(all));
    }
}

/// Measures single texts of medium length, as a benchmark of one document does.
fn one_text(race: &mut Race, data: &mut Data, targets: &mut Targets) {
    let who = of_instruction_sets(race);
    let lengths = [256, 512, 1024, 2048, 4096, 8192];
    let mut texts = vec![ordinary_text(3, 200, 8192, 0)];
    texts.extend(["JSON logs", "German", "Russian", "Chinese", "ASCII"].map(|name| generated(name, 8192)));
    data.heading(3, "One text of medium length");
    data.note(
        "ns a call on the beginning of a text, which is the same in all calls. The CPU has learned every branch then. A program that \
         reads different texts never sees these numbers, but a benchmark of one document does.",
    );
    let mut grid = Grid::default();
    for text in &texts {
        for len in lengths {
            let end = (0..=len).rev().find(|&end| text.text.is_char_boundary(end)).unwrap_or(0);
            let results = race.run(&who, &[&text.text.as_bytes()[..end]], Care::Number);
            grid.0.push((format!("{}, {len}", text.name), results));
        }
    }
    data.table(&grid.row_for_each_race("one text, bytes", ns));
    each_kernel_wins(targets, &grid, "one text of medium length");
}

fn fixed_lengths(race: &mut Race, data: &mut Data, targets: &mut Targets) {
    let main = race.main();
    let kernels: Vec<_> =
        trust8::Kernel::available().iter().map(|kernel| format!("trust8 {}", kernel.name())).collect();
    // The last target needs the best kernel by its own name, which the main contestants leave out.
    let who = race.which(|contestant| {
        let name = &contestant.name;
        kernels.contains(name) || main.iter().any(|&i| race.contestants[i].name == *name)
    });
    data.heading(3, "Of each length from 0 to 256");
    data.note(
        "ns a call on 256 different strings of the same length. Here the branches on the length are predicted, and \
         some of those on the content. A program whose fields have one length sees these numbers, and a program \
         whose fields have all lengths sees those of the tables above.",
    );
    let lengths: Vec<usize> =
        race.by((0..=256).step_by(32).collect(), (0..=256).step_by(4).collect(), (0..=256).collect());
    let count = race.by(8, 64, 256);
    let mut against_simdutf = Vec::new();
    for contents in Contents::ALL {
        let grid =
            race.run_lengths(&who, &lengths, |len| random_strings(Lengths::Fixed(len), contents, count));
        against_simdutf.extend(grid.0.iter().filter_map(|(len, results)| {
            Some((format!("{}, {len} bytes", contents.name()), results.ratio(TRUST8, "simdutf C++")?))
        }));

        let mut shown = Grid(grid.0.clone());
        shown.0.retain(|(len, _)| {
            ["0", "4", "8", "16", "32", "64", "96", "128", "192", "256"].contains(&len.as_str())
        });
        data.table(&shown.row_for_each_contestant(&format!("ns a call, {}", contents.name()), ns));

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

/// Measures lengths from 1 byte to 1 GiB, and searches for lengths at which the time of a kernel jumps.
pub(crate) fn lengths(race: &mut Race, data: &mut Data, _: &mut Targets) -> io::Result<()> {
    let most = race.by(4 << 10, 16 << 20, largest());
    data.heading(2, "By length");
    data.note(&format!(
        "GB/s on lengths that are powers of two, from 1 byte to {}. Below 64 KiB, several different strings of \
         the length take turns (at most 64, and at most 64 KiB). Above 16 MiB, only some contestants run.",
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
                let strings = consecutive_strings(&text.text, len, (TEXT / len).min(64));
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
        data.table(&table);
    }
    cliffs(race, data);
    Ok(())
}

/// Returns the length of the longest text: 1 GiB if twice as much memory is free, and 256 MiB otherwise.
fn largest() -> usize {
    let room = memory_available().unwrap_or(0);
    if room >= 2 << 30 { 1 << 30 } else { 256 << 20 }
}

/// Returns the lengths at which to look for cliffs: every length to 2048, and from there each 1 % above the last.
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

fn cliffs(race: &mut Race, data: &mut Data) {
    let kernels = race.which(|contestant| contestant.role == Role::Kernel);
    let lengths = dense_lengths(race);
    data.heading(3, "Cliffs");
    data.note(
        "Where a kernel changes from one way to another, the time must not jump. It is measured at every length to \
         2048, and from there to 100 000 at lengths that are each 1 % above the last (at most 32 strings of a length \
         take turns). `longer but cheaper` is the highest ratio of the time of a shorter text to that of a longer \
         one: 1.00 means that no longer text takes less time. `largest step` is the highest ratio of the times of two \
         neighbouring lengths of at least 64 bytes.",
    );
    let mut table = Table::new([
        "kernel and text",
        "longer but cheaper",
        "from",
        "to",
        "largest step",
        "from of the step",
        "to of the step",
    ]);
    for name in THREE {
        let text = generated(name, 128 << 10);
        let strings = |len: usize| consecutive_strings(&text.text, len, (TEXT / len).clamp(1, 32));
        let grid = race.run_lengths(&kernels, &lengths, strings);
        let series = grid.series(|i, measured| (lengths[i] as f64, measured.ns_per_call()));
        for (kernel, points) in &series {
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
    }
    data.table(&table);
}

/// Returns the highest ratio of a shorter text's time to a longer one's, and both lengths.
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

/// Measures these contestants on a text that has a byte FF at one place.
fn race_spoiled(race: &mut Race, who: &[usize], text: &Text, at: usize) -> Results {
    let mut spoiled = Placed::new(text.text.as_bytes(), 0);
    spoiled.bytes_mut()[at] = 0xFF;
    race.run(who, &[spoiled.bytes()], Care::Number)
}

/// Measures invalid text, and what `from_utf8` costs over `is_utf8` on valid text.
pub(crate) fn errors(race: &mut Race, data: &mut Data, targets: &mut Targets) -> io::Result<()> {
    let len = race.by(8 << 10, 1 << 20, 1 << 20);
    let places = [
        ("byte 100", 100),
        ("byte 300", 300),
        ("byte 1000", 1000),
        ("the middle", len / 2),
        ("100 before the end", len - 100),
    ];
    let who = race.which(|contestant| matches!(contestant.role, Role::Peer | Role::Trust8 | Role::Kernel));
    data.heading(2, "Errors");
    data.note(&format!(
        "ns for {} of text that is valid, or has a byte FF at one place. Some contestants only say whether there is an \
         error (`trust8`, `simdutf8 basic`, `simdutf C++`); the others say where it is. `trust8 from_utf8`, `std`, \
         `bstr` and `simdutf8 compat` also say how long it is.",
        size(len)
    ));
    let (mut early, mut late) = (Vec::new(), Vec::new());
    for name in ["ASCII", "Russian"] {
        let text = generated(name, len);
        let mut grid = Grid::default();
        grid.0.push(("valid".to_owned(), race.run_text(&who, text.text.as_bytes(), 0, Care::Number)));
        for (place, at) in places {
            grid.0.push((place.to_owned(), race_spoiled(race, &who, &text, at)));
        }
        data.table(&grid.row_for_each_contestant(&format!("{name}, error at"), ns));

        let text = generated(name, 1000);
        let short = [20, 100, 300, 700].map(|at| (format!("byte {at}"), race_spoiled(race, &who, &text, at)));
        let short = Grid(short.into());
        data.table(&short.row_for_each_contestant(&format!("{name}, 1000 bytes, error at"), ns));

        let time = |race: usize, contestant| grid.0[race].1.of(contestant).map(Measured::ns_per_call);
        for contestant in [TRUST8, FROM_UTF8] {
            let place = format!("{contestant}, {name}");
            early.extend(time(1, contestant).map(|nanos| (place.clone(), nanos)));
            late.extend(
                time(places.len(), contestant)
                    .zip(time(0, contestant))
                    .map(|(late, valid)| (place, late / valid)),
            );
        }
    }
    let highest = |all: Vec<(String, f64)>| all.into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
    targets.at_most(&format!("an error at byte 100 of {}", size(len)), 100.0, " ns", highest(early));
    targets.at_most("time for a late error / time for the valid text", 1.05, "", highest(late));

    data.heading(3, "The exact error against the verdict alone");
    data.note("GB/s on valid text of `from_utf8`, which can say where an error is and of what kind, and of `is_utf8`.");
    let pair = race.which(|contestant| contestant.role == Role::Trust8);
    let mut table = Table::new(["text", "is_utf8", "from_utf8", "ratio"]);
    for name in THREE {
        for len in [64, 1 << 10, 16 << 10, TEXT] {
            let text = generated(name, TEXT);
            let strings = consecutive_strings(&text.text, len, 64);
            let results = race.run(&pair, &strings.strings(), Care::Number);
            let show = |name| results.of(name).map_or_else(String::new, gb_per_s);
            let ratio = results.ratio(FROM_UTF8, TRUST8).map_or_else(String::new, digits);
            table.row([format!("{name}, {}", size(len)), show(TRUST8), show(FROM_UTF8), ratio]);
        }
    }
    data.table(&table);
    Ok(())
}

/// The least length of a text that fits into no cache: twice the third-level cache of most CPUs.
const NO_CACHE: usize = 64 << 20;

/// Measures texts that fit into no cache, against the peers and a loop that only reads.
pub(crate) fn memory(race: &mut Race, data: &mut Data, targets: &mut Targets) -> io::Result<()> {
    let sizes = race.by(vec![1 << 16], vec![16 << 20], vec![16 << 20, NO_CACHE, largest()]);
    let who = race.which(|contestant| {
        let best = format!("trust8 {}", trust8::Kernel::best().name());
        let name = contestant.name.as_str();
        [READ, "encoding_rs", "simdutf8 avx2", "simdutf8 basic", "simdutf C++", TRUST8].contains(&name)
            || (contestant.role == Role::Kernel && !name.ends_with("scalar") && *name != best)
    });
    data.heading(2, "Out of cache");
    data.note(
        "GB/s, with a loop that only reads as a contestant. 16 MiB may still be in the third-level cache. The first two \
         texts are ordinary text, ASCII with a character now and then, and nothing in them repeats. The others repeat 4 MiB.",
    );
    let (mut to_read, mut to_peers, mut to_avx2) = (Vec::new(), Vec::new(), Vec::new());
    for len in sizes {
        let mut grid = Grid::default();
        let ordinary = [(3, 200), (2, 1600)]
            .map(|(width, every)| (format!("{width}-byte, {every}"), Some((width, every))));
        for (name, characters) in ordinary.into_iter().chain(THREE.map(|name| (name.to_owned(), None))) {
            let placed = match characters {
                Some((width, distance)) => {
                    let mut placed = Placed::room(len);
                    fill_with_ordinary(&mut placed, width, distance);
                    placed
                }
                None => Placed::filled(&generated(&name, 4 << 20).text, len),
            };
            let results = race.run(&who, &[placed.bytes()], Care::Large);
            if len >= NO_CACHE {
                let row = format!("{}, {name}", size(len));
                to_read.extend(results.ratio(TRUST8, READ).map(|ratio| (row.clone(), ratio)));
                to_peers.extend(results.lead(TRUST8).map(|ratio| (row.clone(), ratio)));
                to_avx2.extend(results.ratio("trust8 avx2", "simdutf8 avx2").map(|ratio| (row, ratio)));
            }
            grid.0.push((name, results));
        }
        data.table(&grid.row_for_each_contestant(&size(len), gb_per_s));
    }
    targets.at_least("trust8 out of cache, against the read loop", 0.9, lowest(to_read));
    targets.at_least("trust8 out of cache, against the best peer", 1.0, lowest(to_peers));
    targets.at_least("trust8 avx2 out of cache, against simdutf8 avx2", 1.0, lowest(to_avx2));
    Ok(())
}
