//! Compares trust8 with the other validators.

use std::io;

use trust8_measure::contestants::{Contestant, Role, contestants};
use trust8_measure::machine::memory_available;
use trust8_measure::measure::{Bench, Entry, Placed};
use trust8_measure::report::size;
use trust8_measure::short_strings::{Contents, Lengths, consecutive_strings, random_strings};
use trust8_measure::texts::{generated, ordinary as ordinary_text};

/// The length of a text, which fits into the L2 cache and not into the L1 cache.
const TEXT: usize = 64 << 10;

/// A text for each of the three costs that kernels have: of ASCII, of characters of up to two bytes, and of all others.
const THREE: [&str; 3] = ["ASCII", "Russian", "Chinese"];

fn main() -> io::Result<()> {
    let mut bench = Bench::start("compare")?;
    bench.data.note("`simdutf8 avx2` is a module. `read loop` only reads, and `call alone` only calls.");
    bench.run(&[("ordinary", ordinary), ("short", short), ("lengths", lengths), ("errors", errors)])
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
fn ordinary(bench: &mut Bench) -> io::Result<()> {
    let all = &contestants();
    let distances: &[usize] =
        bench.by(&[16, 200], &[16, 64, 200, 800], &[16, 32, 64, 100, 200, 400, 800, 1600, 6400]);
    bench.data.heading(2, "Ordinary text");
    bench
        .data
        .note("GB/s on 64 KiB of a log in ASCII, with characters at random places; rows are mean distances.");
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

/// Measures short strings of random lengths.
fn short(bench: &mut Bench) -> io::Result<()> {
    let all = &contestants();
    bench.data.heading(2, "Short strings");
    // 256 KiB fit into the L2 cache, and are more strings than a branch predictor learns.
    let random = Lengths::RANDOM.map(|lengths| match lengths {
        Lengths::Below(end) => (lengths, ((512 << 10) / end).clamp(2048, 8192)),
        _ => (lengths, 8192),
    });
    bench.data.heading(3, "Of random lengths");
    bench
        .data
        .note("ns a call on thousands of different strings in random order; `below 64` is 0 to 63 bytes.");
    for contents in Contents::ALL {
        for (lengths, count) in random {
            let count = bench.by(50, count.min(2048), count);
            let packed = random_strings(lengths, contents, count);
            let strings = packed.strings();
            let times = bench.race(count, entries(all, &strings, |one| one.name != "read loop"));
            for (name, nanos) in times.a_call(count) {
                let table = format!("ns a call, {}", contents.name());
                bench.data.row(&table, &name, [(lengths.name(), nanos)]);
            }
        }
    }
    Ok(())
}

/// Measures lengths from 1 byte to 1 GiB.
fn lengths(bench: &mut Bench) -> io::Result<()> {
    let all = &contestants();
    let room = memory_available().unwrap_or(0);
    let most: usize = bench.by(4 << 10, 16 << 20, if room >= 2 << 30 { 1 << 30 } else { 256 << 20 });
    bench.data.heading(2, "By length");
    bench.data.note("GB/s. Below 64 KiB, several strings of the length take turns.");
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
    Ok(())
}

/// Measures invalid text.
fn errors(bench: &mut Bench) -> io::Result<()> {
    let all = &contestants();
    let long = bench.by(8 << 10, 1 << 20, 1 << 20);
    bench.data.heading(2, "Errors");
    bench
        .data
        .note("ns for text that is valid, or has a byte FF. `trust8`, `basic` and simdutf do not say where.");
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
