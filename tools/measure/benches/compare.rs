//! Compares trust8 with the other validators.
//!
//! ```text
//! cargo bench -p trust8-measure --bench compare                     everything, written to docs/data/
//! cargo bench -p trust8-measure --bench compare -- texts short      these sections only, printed
//! cargo bench -p trust8-measure --bench compare -- --quick          a quick look, not a measurement, printed
//! ```
//!
//! In `cargo test` every section runs with hardly any repetition, to show that it works.

use std::io;
use std::time::Instant;

use trust8::boundary::floor;
use trust8_measure::contestants::{Contestant, Role, contestants};
use trust8_measure::machine::memory_available;
use trust8_measure::measure::{Bench, Entry, Placed};
use trust8_measure::report::size;
use trust8_measure::short_strings::{Contents, Lengths, consecutive_strings, random_strings};
use trust8_measure::texts::{generated, ordinary as ordinary_text, texts as all_texts};

/// The length of a text, which fits into the L2 cache and not into the L1 cache.
const TEXT: usize = 64 << 10;

/// A text for each of the three costs that kernels have: of ASCII, of characters of up to two bytes, and of all others.
const THREE: [&str; 3] = ["ASCII", "Russian", "Chinese"];

/// A section: it measures some of the contestants, and adds the results to the data.
type Section = fn(&mut Bench, &[Contestant]) -> io::Result<()>;

const SECTIONS: [(&str, Section); 5] =
    [("ordinary", ordinary), ("texts", texts), ("short", short), ("lengths", lengths), ("errors", errors)];

fn main() -> io::Result<()> {
    let mut bench = Bench::start("compare")?;
    bench.data.note(
        "`trust8` is is_utf8, and `trust8 avx2` and the like are its kernels. `simdutf8 basic` and `compat` choose an instruction set; \
         `simdutf8 avx2` and `sse4.2` are its modules for one. `read loop` only reads the bytes, and `call alone` only looks at their \
         length.",
    );
    let all = contestants();
    for (name, section) in SECTIONS.iter().filter(|section| bench.wants(section.0)).collect::<Vec<_>>() {
        let begun = Instant::now();
        section(&mut bench, &all)?;
        eprintln!("{name}: {:.1} s", begun.elapsed().as_secs_f64());
    }
    bench.finish()
}

fn entries<'a>(
    all: &'a [Contestant],
    strings: &'a [&[u8]],
    who: impl Fn(&Contestant) -> bool,
) -> Vec<Entry<'a>> {
    all.iter().filter(|one| who(one)).map(|one| one.on(strings)).collect()
}

/// Returns whether it is a kernel with vectors, `trust8`, which is the best of them, or a peer of one of them.
fn is_of_an_instruction_set(one: &Contestant) -> bool {
    let peers = ["std", "encoding_rs", "simdutf C++", "simdutf8 avx2", "simdutf8 sse4.2"];
    one.role == Role::Kernel && one.name != "trust8 scalar"
        || one.name == "trust8"
        || peers.contains(&&*one.name)
}

/// Measures ASCII with other characters here and there, which most of the world's text is.
fn ordinary(bench: &mut Bench, all: &[Contestant]) -> io::Result<()> {
    let distances: &[usize] =
        bench.by(&[16, 200], &[16, 64, 200, 800], &[16, 32, 64, 100, 200, 400, 800, 1600, 6400]);
    bench.data.heading(2, "Ordinary text");
    bench.data.note(
        "Most text is ASCII with other characters here and there: JSON with names, English with curly quotes, a page in German, a \
         log. Here the ASCII is lines of a log, and characters of two, three or four bytes stand in it at random places. The \
         first column is their mean distance in bytes. GB/s on 64 KiB of text.",
    );
    // The new texts are as many as the L2 cache holds together with everything else.
    let regimes =
        [("One text, again and again", 1), ("Text that the CPU has not learned", bench.by(2, 4, 8))];
    for (regime, count) in regimes {
        bench.data.heading(3, regime);
        for (width, &distance) in
            [2, 3, 4].iter().flat_map(|width| distances.iter().map(move |to| (width, to)))
        {
            let texts: Vec<_> = (0..count)
                .map(|number| Placed::new(ordinary_text(*width, distance, TEXT, number).text.as_bytes(), 0))
                .collect();
            let strings: Vec<&[u8]> = texts.iter().map(|text| &**text).collect();
            let entries = entries(all, &strings, is_of_an_instruction_set);
            let times = match count {
                1 => bench.race(1, entries),
                _ => bench.race_on_new_text(count, entries),
            };
            let table = format!("{width}-byte, every");
            bench.data.row(&table, &distance.to_string(), times.gb_per_s(count * TEXT));
        }
    }
    Ok(())
}

/// Measures all contestants, and the ways among which each kernel chooses.
fn texts(bench: &mut Bench, all: &[Contestant]) -> io::Result<()> {
    bench.data.heading(2, "By text");
    bench.data.note(
        "GB/s on 64 KiB of text, which begins with a page and is in the L2 cache. A kernel chooses among several ways, by length and \
         content. A column with a comma is one of these ways, used wherever it can be.",
    );
    for text in all_texts(TEXT)? {
        let placed = Placed::new(text.text.as_bytes(), 0);
        let strings = [&*placed];
        let times = bench.race(1, entries(all, &strings, Contestant::validates));
        bench.data.row("text", &text.name, times.gb_per_s(TEXT));
    }
    Ok(())
}

/// Measures short strings, of random lengths and of one length, and one text of medium length.
fn short(bench: &mut Bench, all: &[Contestant]) -> io::Result<()> {
    bench.data.heading(2, "Short strings");
    // 256 KiB fit into the L2 cache, and are more strings than a branch predictor learns.
    let random = Lengths::RANDOM.map(|lengths| match lengths {
        Lengths::Below(end) => (lengths, ((512 << 10) / end).clamp(2048, 8192)),
        _ => (lengths, 8192),
    });
    let fixed = [0, 4, 8, 16, 32, 64, 96, 128, 192, 256].map(|len| (Lengths::Fixed(len), 256));
    for (part, lengths, about) in [
        (
            "Of random lengths",
            &random[..],
            "ns a call on thousands of different strings, packed one after the other and visited in random order, so that branches \
             mispredict as they do in programs. `below 64` is every length from 0 to 63 with equal chance. `JSON keys` have 2 to 24 \
             bytes, most of them 4 to 12. `cells` are like the cells of a text column in a database. Nothing is subtracted: every number \
             includes the time of `call alone`.",
        ),
        (
            "Of each length from 0 to 256",
            &fixed[..],
            "ns a call on 256 different strings of the same length. Here the branches on the length are predicted, and some of those \
             on the content.",
        ),
    ] {
        bench.data.heading(3, part);
        bench.data.note(about);
        for contents in Contents::ALL {
            for &(lengths, count) in lengths {
                let count = bench.by(50, count.min(2048), count);
                let packed = random_strings(lengths, contents, count);
                let strings = packed.strings();
                let who = |one: &Contestant| one.role != Role::Way && one.name != "read loop";
                let times = bench.race(count, entries(all, &strings, who));
                for (name, nanos) in times.a_call(count) {
                    bench.data.row(
                        &format!("ns a call, {}", contents.name()),
                        &name,
                        [(lengths.name(), nanos)],
                    );
                }
            }
        }
    }

    bench.data.heading(3, "One text of medium length");
    bench.data.note(
        "ns a call on the beginning of a text, which is the same in all calls. The CPU has learned every branch then. A program that \
         reads different texts never sees these numbers, but a benchmark of one document does.",
    );
    let mut texts = vec![ordinary_text(3, 200, 8192, 0)];
    texts.extend(["JSON logs", "German", "Russian", "Chinese", "ASCII"].map(|name| generated(name, 8192)));
    for text in &texts {
        for len in [256, 512, 1024, 2048, 4096, 8192] {
            let strings = [&text.text.as_bytes()[..floor(text.text.as_bytes(), len)]; 32];
            let times = bench.race(32, entries(all, &strings, is_of_an_instruction_set));
            bench.data.row("one text, bytes", &format!("{}, {len}", text.name), times.a_call(32));
        }
    }
    Ok(())
}

/// Measures lengths from 1 byte to 1 GiB, and searches for lengths at which the time of a kernel jumps.
fn lengths(bench: &mut Bench, all: &[Contestant]) -> io::Result<()> {
    let room = memory_available().unwrap_or(0);
    let most: usize = bench.by(4 << 10, 16 << 20, if room >= 2 << 30 { 1 << 30 } else { 256 << 20 });
    bench.data.heading(2, "By length");
    bench.data.note(&format!(
        "GB/s on lengths that are powers of two, from 1 byte to {}. Below 64 KiB, several different strings of \
         the length take turns (at most 64, and at most 64 KiB). Above 16 MiB, only some contestants run.",
        size(most)
    ));
    let few = ["trust8", "simdutf8 basic", "simdutf C++", "read loop"];
    let more = ["std", "encoding_rs", "bstr", "simdutf8 avx2", "ps-simdutf8", "smoothutf8"];
    for name in THREE {
        let text = generated(name, 1 << 20).text;
        for len in (0..).map(|power| 1 << power).take_while(|len| *len <= most) {
            let who = |one: &Contestant| {
                few.contains(&&*one.name)
                    || len <= 16 << 20 && (one.role == Role::Kernel || more.contains(&&*one.name))
            };
            let packed = consecutive_strings(&text, len.min(TEXT), (TEXT / len).clamp(1, 64));
            let placed = Placed::filled(&text, if len > TEXT { len } else { 0 });
            let strings = if len > TEXT { vec![&*placed] } else { packed.strings() };
            let times = bench.race(strings.len(), entries(all, &strings, who));
            bench.data.row(&format!("{name}, bytes"), &size(len), times.gb_per_s(len * strings.len()));
        }
    }

    bench.data.heading(3, "Cliffs");
    bench.data.note(
        "Where a kernel changes from one way to another, the time must not jump. `longer but cheaper` is the highest ratio of the time \
         of a shorter text to that of a longer one, at every 64th length to 2048, and from there to 100,000 at lengths that are \
         each 5 % above the last: 1.00 means that no longer text takes less time.",
    );
    let more = std::iter::successors(Some(2048), |len| Some(len + len / 20));
    let lengths: Vec<usize> = (64..2048).step_by(64).chain(more).take_while(|&len| len < 100_000).collect();
    let step = bench.by(40, 5, 1);
    for name in THREE {
        let text = generated(name, 128 << 10).text;
        let mut found: Vec<(String, Vec<(f64, usize)>)> = Vec::new();
        for &len in lengths.iter().step_by(step) {
            let packed = consecutive_strings(&text, len, (TEXT / len).clamp(1, 32));
            let strings = packed.strings();
            let entries = entries(all, &strings, |one| one.role == Role::Kernel);
            for (i, (kernel, nanos)) in
                bench.race(strings.len(), entries).a_call(strings.len()).into_iter().enumerate()
            {
                if found.len() == i {
                    found.push((kernel, Vec::new()));
                }
                found[i].1.push((nanos, len));
            }
        }
        for (kernel, times) in found {
            let pairs = (0..times.len()).flat_map(|i| times[i..].iter().map(move |longer| (i, longer)));
            let (i, longer) =
                pairs.max_by(|a, b| (times[a.0].0 / a.1.0).total_cmp(&(times[b.0].0 / b.1.0))).expect("some");
            let row = format!("{kernel}, {name}");
            let cells = [("from", times[i].1 as f64), ("to", longer.1 as f64)];
            bench.data.row("kernel and text", &row, [("longer but cheaper", times[i].0 / longer.0)]);
            bench.data.row("kernel and text", &row, cells);
        }
    }
    Ok(())
}

/// Measures invalid text.
fn errors(bench: &mut Bench, all: &[Contestant]) -> io::Result<()> {
    let long = bench.by(8 << 10, 1 << 20, 1 << 20);
    bench.data.heading(2, "Errors");
    bench.data.note(&format!(
        "ns for 1000 bytes and {} of text that is valid, or has a byte FF at one place. Some contestants only say whether there is an \
         error (`trust8`, `simdutf8 basic`, `simdutf C++`); the others say where it is. `trust8 from_utf8`, `std`, \
         `bstr` and `simdutf8 compat` also say how long it is.",
        size(long)
    ));
    for name in ["ASCII", "Russian"] {
        for len in [1000, long] {
            let text = generated(name, len).text;
            for at in [None, Some(20), Some(100), Some(300), Some(700), Some(len / 2), Some(len - 100)] {
                let mut spoiled = Placed::new(text.as_bytes(), 0);
                at.iter().for_each(|&at| spoiled[at] = 0xFF);
                let strings = [&*spoiled];
                let who = |one: &Contestant| matches!(one.role, Role::Peer | Role::Trust8 | Role::Kernel);
                let times = bench.race(usize::from(at.is_none()), entries(all, &strings, who));
                let column = at.map_or("valid".to_owned(), |at| format!("byte {at}"));
                for (contestant, nanos) in times.0 {
                    bench.data.row(
                        &format!("{name}, {} bytes, error at", size(len)),
                        &contestant,
                        [(&column, nanos)],
                    );
                }
            }
        }
    }
    Ok(())
}
