//! Searches for the input that takes each kernel and each public function the longest, and measures whether any time grows faster
//! than the input. In `cargo test` everything runs once, to check the answers. No time is tested there.

use std::hint::black_box;
use std::io::{self, BufRead, Read, Write};
use std::mem::MaybeUninit;
use std::time::Instant;

use trust8::boundary::floor;
use trust8::{Kernel, Validator};
use trust8_columns as columns;
use trust8_dialect::Dialect;
use trust8_measure::measure::{Bench, Placed, entry};
use trust8_measure::random::Random;
use trust8_measure::report::size;
use trust8_measure::texts::generated;
use trust8_transcode::{Encoding, Transcoder, convert, convert_into_lossy, convert_lossy};

/// The length of each text for a kernel, which fits into the L2 cache of any current CPU.
const TEXT: usize = 64 << 10;
/// The length of each input for a function.
const INPUT: usize = 16 << 10;

fn main() -> io::Result<()> {
    let mut bench = Bench::start("worst_case")?;
    for (name, section) in
        [("kernels", kernels as fn(&mut Bench)), ("errors", errors), ("ends", ends_of_memory)]
    {
        if bench.wants(name) {
            section(&mut bench);
        }
    }
    functions(&mut bench);
    bench.finish()
}

/// Returns the nanoseconds of the fastest of some rounds.
fn fastest(rounds: usize, mut work: impl FnMut()) -> f64 {
    let round = |_| {
        let start = Instant::now();
        work();
        start.elapsed().as_nanos().max(1) as f64
    };
    (0..rounds).map(round).fold(f64::INFINITY, f64::min)
}

// --- The search ---------------------------------------------------------------------------------------

/// A part of a pattern: a symbol, and how often it is repeated.
type Part = (Vec<u8>, usize);

/// Lengths in bytes at which some kernel changes its method: those of vectors, blocks, superblocks and runs, and of
/// the pieces of a stream.
const LENGTHS: [usize; 13] = [1, 2, 4, 16, 32, 64, 128, 256, 448, 488, 512, 1024, 4096];

fn random_part(random: &mut Random, symbols: &[Vec<u8>]) -> Part {
    let symbol = random.pick(symbols).clone();
    let near = *random.pick(&LENGTHS);
    let count = match random.below(4) {
        // What interrupts others.
        0 => 1,
        1 => near.div_ceil(symbol.len()),
        2 => (near + random.below(5)).div_ceil(symbol.len()),
        _ => (near + random.below(near + 1)).saturating_sub(random.below(4)).max(1).div_ceil(symbol.len()),
    };
    (symbol, count)
}

/// Returns whole repetitions of the pattern, about `len` bytes, at the beginning of a page.
fn input(pattern: &[Part], len: usize) -> Placed {
    let unit: Vec<u8> = pattern.iter().flat_map(|(symbol, count)| symbol.repeat(*count)).collect();
    Placed::new(&unit.repeat(len.div_ceil(unit.len())), 0)
}

/// Returns the name of a pattern: how often which bytes are repeated.
fn name_of(pattern: &[Part]) -> String {
    let parts = pattern.iter().map(|(symbol, count)| {
        let bytes: Vec<_> = symbol.iter().map(|byte| format!("{byte:02X}")).collect();
        format!("{count} × {}", bytes.join(" "))
    });
    parts.collect::<Vec<_>>().join(", ")
}

/// Returns the nanoseconds a byte.
fn cost(work: &dyn Fn(&[u8]), bytes: &[u8], rounds: usize) -> f64 {
    fastest(rounds, || work(black_box(bytes))) / bytes.len() as f64
}

/// Returns the slowest pattern of some random ones, and of some changes of the slowest. It is empty if none is allowed.
fn search(
    name: &str,
    len: usize,
    symbols: &[Vec<u8>],
    (texts, changes): (usize, usize),
    is_allowed: impl Fn(&[u8]) -> bool,
    work: &dyn Fn(&[u8]),
) -> Vec<Part> {
    let mut random = Random::named(name);
    let (mut slowest, mut worst) = (0.0, Vec::new());
    for round in 0..texts + changes {
        let mut pattern: Vec<Part> = worst.clone();
        if round < texts || pattern.is_empty() {
            pattern = (0..random.between(1, 4)).map(|_| random_part(&mut random, symbols)).collect();
        } else {
            let which = random.below(pattern.len());
            match random.below(4) {
                0 => pattern[which] = random_part(&mut random, symbols),
                1 => pattern[which].1 = (pattern[which].1 + random.below(5)).saturating_sub(2).max(1),
                2 if pattern.len() < 6 => pattern.insert(which, random_part(&mut random, symbols)),
                _ if pattern.len() > 1 => drop(pattern.remove(which)),
                _ => pattern[which].1 *= 2,
            }
        }
        let bytes = input(&pattern, len);
        // What a disturbance made slow is measured again.
        if is_allowed(&bytes) && cost(work, &bytes, 4) > slowest {
            let again = cost(work, &bytes, 20);
            if again > slowest {
                (slowest, worst) = (again, pattern);
            }
        }
    }
    worst
}

fn kernels(bench: &mut Bench) {
    bench.data.heading(2, "The worst text for each kernel");
    bench.data.note(&format!("{} of each, GB/s.", size(TEXT)));
    let symbols = ["a", "é", "日", "😀"].map(|character| character.as_bytes().to_vec());
    for kernel in Kernel::available() {
        let work = |bytes: &[u8]| assert!(kernel.is_utf8(bytes));
        let effort = bench.by((4, 2), (150, 50), (3000, 600));
        let pattern = search(kernel.name(), TEXT, &symbols, effort, |_| true, &work);
        let names = ["ASCII", "Russian", "Chinese", "worst found"];
        let texts = names.map(|name| match name {
            "worst found" => input(&pattern, TEXT),
            "ASCII" => Placed::filled("The quick brown fox. ", TEXT),
            _ => Placed::filled(&generated(name, TEXT).text, TEXT),
        });
        let entries = names
            .iter()
            .zip(&texts)
            .map(|(name, text)| entry(*name, || usize::from(kernel.is_utf8(black_box(text)))));
        let times = bench.race(1, entries.collect());
        let best = times.of("worst found") / times.fastest(|_| true);
        let ratios = [("best / worst", best), ("Chinese / worst", times.ratio("Chinese", "worst found"))];
        bench.data.row("kernel", kernel.name(), times.gb_per_s(TEXT));
        bench.data.row("kernel", kernel.name(), ratios);
        bench.data.text("kernel", kernel.name(), "text: times × bytes", &name_of(&pattern));
    }
}

/// Adds the section about errors. After a kernel has seen an error, the automaton reads the text near it again to find
/// the exact error. This section measures the most that this costs, wherever the error is.
fn errors(bench: &mut Bench) {
    bench.data.heading(2, "Errors, wherever they are");
    bench.data.note(
        "`worst extra` is the time until the error is returned, less that to validate the text before it.",
    );
    let valid = Placed::filled("日本語文字", TEXT);
    let (rounds, step) = (bench.by(1, 4, 40), bench.by(9973, 331, 331));
    for kernel in Kernel::available() {
        let mut worst = (0.0, 0);
        for place in (3..TEXT - 3).step_by(step).chain([64, 448, 512, 513, 4096, 65_000]) {
            let place = place / 3 * 3;
            let mut text = valid.clone();
            text[place] = 0xFF;
            let (mut time, mut before) = (f64::INFINITY, f64::INFINITY);
            for _ in 0..rounds {
                time = time.min(fastest(1, || {
                    let error = kernel.from_utf8(black_box(&text)).unwrap_err();
                    assert_eq!(error.valid_up_to(), place);
                }));
                let is_valid = || assert!(kernel.from_utf8(black_box(&text[..place])).is_ok());
                before = before.min(fastest(1, is_valid));
            }
            if time - before > worst.0 {
                worst = (time - before, place);
            }
        }
        let cells = [("worst extra, ns", worst.0), ("at byte", worst.1 as f64)];
        bench.data.row("kernel", kernel.name(), cells);
    }
}

/// Measures texts after which there is no memory.
fn ends_of_memory(bench: &mut Bench) {
    const PAGE: usize = 4096;
    const CALLS: usize = 1000;
    bench.data.heading(2, "Where memory ends");
    bench.data.note(
        "ns a call on ASCII, inside of a page, and where the system has not yet provided the next one.",
    );
    for kernel in Kernel::available() {
        for len in [20, 1000] {
            // So much memory comes from the system, which provides a page when it is first written to.
            let mut memory = Placed::room(1 << 20);
            memory[..PAGE].fill(b'a');
            let [inside, at_end] = [PAGE / 2, PAGE].map(|end| {
                let text = &memory[end - len..end];
                let all = || assert!((0..CALLS).all(|_| kernel.is_utf8(black_box(text))));
                fastest(bench.by(1, 40, 400), all) / CALLS as f64
            });
            let row = format!("{}, {len}", kernel.name());
            let cells = [("inside", inside), ("at the end", at_end), ("end / inside", at_end / inside)];
            bench.data.row("kernel, bytes", &row, cells);
        }
    }
}

// --- Every function -----------------------------------------------------------------------------------

/// Calls a function with an input.
type Work = Box<dyn Fn(&[u8])>;

/// A function over bytes, what it can be given, and its name.
struct Function {
    name: String,
    symbols: Symbols,
    work: Work,
}

/// What inputs are made of.
#[derive(Clone, Copy, PartialEq)]
enum Symbols {
    /// Valid text in an encoding, for functions that stop at the first error.
    Valid(Encoding),
    /// Anything in an encoding.
    Any(Encoding),
    /// Valid text in a dialect.
    Dialect(Dialect),
}

/// Characters of each length, and those that some function treats differently.
const VALID: [&str; 10] = ["a", "\0", "\n", "\r\n", "é", "ß", "日", "\u{FEFF}", "😀", "\u{10FFFF}"];
/// Characters that ISO-8859-1 has.
const IN_LATIN1: [&str; 4] = ["a", "\n", "é", "\u{80}"];
/// What is not UTF-8, and what other decoders take for it.
const MALFORMED: [&[u8]; 15] = [
    b"\xFF",
    b"\x80",
    b"\xC0\x80",
    b"\xC3",
    b"\xE2\x82",
    b"\xF0\x9F\x98",
    b"\xF0",
    b"\xE0\x80\xED",
    b"\xF0\x80",
    b"\xF5",
    b"\xED\xA0\x80",
    b"\xED\xA0\xBD\xED\xB8\x80",
    b"\xED\xB8\x80",
    b"\xF8\x88\x80\x80\x80",
    b"\xFC\x84\x80\x80\x80\x80",
];

impl Symbols {
    fn all(self) -> Vec<Vec<u8>> {
        let encoded = |encoding, text: &&str| convert_lossy(Encoding::Utf8, encoding, text.as_bytes());
        let malformed = MALFORMED.iter().map(|bytes| bytes.to_vec());
        let (encoding, is_any) = match self {
            Self::Dialect(dialect) => {
                let valid = VALID.iter().map(|text| dialect.from_utf8(text).into_owned());
                return valid.chain(malformed.filter(|bytes| dialect.validate(bytes).is_ok())).collect();
            }
            Self::Any(encoding) => (encoding, true),
            Self::Valid(encoding) => (encoding, false),
        };
        let characters = if encoding == Encoding::Latin1 { &IN_LATIN1[..] } else { &VALID };
        let mut all: Vec<Vec<u8>> = characters.iter().map(|text| encoded(encoding, text)).collect();
        // Lone surrogates, and numbers that are no code points.
        all.extend(match encoding {
            _ if !is_any => vec![],
            Encoding::Utf8 => malformed.collect(),
            Encoding::Utf16Le => [0xD83D_u16, 0xDE00].map(|unit| unit.to_le_bytes().to_vec()).to_vec(),
            Encoding::Utf16Be => [0xD83D_u16, 0xDE00].map(|unit| unit.to_be_bytes().to_vec()).to_vec(),
            Encoding::Utf32Le => [0xD800, 0x11_0000, !0_u32].map(|unit| unit.to_le_bytes().to_vec()).to_vec(),
            Encoding::Utf32Be => [0xD800, 0x11_0000, !0_u32].map(|unit| unit.to_be_bytes().to_vec()).to_vec(),
            _ => vec![],
        });
        all
    }

    /// Returns clean text, and ASCII: what such a function usually gets.
    fn clean(self, to_latin1: bool) -> [Vec<u8>; 2] {
        let is_latin1 =
            to_latin1 || matches!(self, Self::Valid(Encoding::Latin1) | Self::Any(Encoding::Latin1));
        [if is_latin1 { "Latin" } else { "Chinese" }, "ASCII"].map(|name| {
            let mut text = generated(name, INPUT).text;
            text.retain(|char| !is_latin1 || char < '\u{100}');
            match self {
                Self::Valid(encoding) | Self::Any(encoding) => {
                    convert_lossy(Encoding::Utf8, encoding, text.as_bytes())
                }
                Self::Dialect(dialect) => dialect.from_utf8(&text).into_owned(),
            }
        })
    }

    /// Returns whether a function takes these bytes: joined symbols need not be valid where they meet.
    fn allow(self, bytes: &[u8]) -> bool {
        match self {
            Self::Valid(Encoding::Utf8) => str::from_utf8(bytes).is_ok(),
            Self::Dialect(dialect) => dialect.validate(bytes).is_ok(),
            _ => true,
        }
    }
}

/// Takes what a function returns. It is not optimised away.
fn done<T>(result: T) {
    let _ = black_box(result);
}

fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).expect("valid text")
}

/// The functions that are searched.
#[derive(Default)]
struct All(Vec<Function>);

impl All {
    fn add(&mut self, name: impl Into<String>, symbols: Symbols, work: impl Fn(&[u8]) + 'static) {
        self.0.push(Function { name: name.into(), symbols, work: Box::new(work) });
    }

    fn add_whole(&mut self) {
        let (valid, any) = (Symbols::Valid(Encoding::Utf8), Symbols::Any(Encoding::Utf8));
        self.add("`from_utf8`", valid, |bytes| assert!(trust8::from_utf8(bytes).is_ok()));
        self.add("`string_from_utf8`", valid, |bytes| done(trust8::string_from_utf8(bytes.to_vec())));
        self.add("`inspect`", valid, |bytes| assert!(trust8_counts::inspect(bytes).is_valid()));
        self.add("`count_chars`", valid, |bytes| done(trust8_counts::count_chars(text(bytes))));
        self.add("`par_from_utf8`", valid, |bytes| assert!(trust8_counts::par_from_utf8(bytes).is_ok()));
        self.add("`copy_utf8`", valid, |bytes| {
            let mut copy = vec![MaybeUninit::uninit(); bytes.len()];
            assert!(trust8::copy_utf8(bytes, &mut copy).is_ok());
        });
        self.add("`validate_slices`, 10 bytes", valid, |bytes| {
            // Rows that cut characters are errors, so each row is cut where one begins.
            let rows = (0..bytes.len()).step_by(10).map(|at| &bytes[floor(bytes, at)..floor(bytes, at + 10)]);
            assert!(columns::validate_slices(rows).is_ok());
        });
        self.add("`validate_offsets`, 10 bytes", valid, |bytes| {
            let offsets: Vec<i32> = (0..=bytes.len()).step_by(10).map(|at| floor(bytes, at) as i32).collect();
            assert!(columns::validate_offsets(bytes, &offsets).is_ok());
        });
        self.add("`locate`", any, |bytes| done(trust8::locate(bytes, bytes.len())));
        self.add("`decode`", any, |bytes| done(trust8::decode(bytes).count()));
        self.add("`from_utf8` again after each error", any, |mut bytes| {
            while let Err(error) = trust8::from_utf8(bytes) {
                let Some(len) = error.error_len() else { break };
                bytes = &bytes[error.valid_up_to() + len..];
            }
        });
        self.add("`errors`", any, |bytes| trust8::errors(bytes).for_each(done));
        self.add("`errors`, counted", any, |bytes| done(trust8::errors(bytes).count()));
        self.add("`utf8_chunks`", any, |bytes| done(trust8::utf8_chunks(bytes).count()));
        self.add("`utf8_chunks`, to a `String`", any, |bytes| done(trust8::utf8_chunks(bytes).to_string()));
        self.add("`from_utf8_lossy`", any, |bytes| done(trust8::from_utf8_lossy(bytes)));
        self.add("`lossy_len`", any, |bytes| done(trust8::lossy_len(bytes)));
        self.add("`copy_utf8_lossy`", any, |bytes| {
            let mut copy = vec![MaybeUninit::uninit(); 3 * bytes.len()];
            assert!(trust8::copy_utf8_lossy(bytes, &mut copy).is_ok());
        });
        self.add("`Locator`, for each of `errors`", any, |bytes| {
            let mut locator = trust8::Locator::new(bytes);
            trust8::errors(bytes).for_each(|error| done(locator.locate(error.valid_up_to())));
        });
        for &policy in columns::Policy::ALL.iter().filter(|&&policy| policy != columns::Policy::Null) {
            let name = format!("`Policy::repair`, {}", policy.name());
            self.add(name, any, move |bytes| done(policy.repair(bytes)));
        }
    }

    fn add_streams(&mut self) {
        let valid = Symbols::Valid(Encoding::Utf8);
        for len in [1, 7, 63, 600, 4000] {
            self.add(format!("`Validator`, pieces of {len}"), valid, move |bytes| {
                let mut validator = Validator::new();
                assert!(bytes.chunks(len).all(|piece| validator.push(black_box(piece)).is_ok()));
            });
            self.add(format!("`Validator::decode`, pieces of {len}"), valid, move |bytes| {
                let mut decoder = Validator::new();
                assert!(bytes.chunks(len).all(|piece| decoder.decode(black_box(piece)).is_ok()));
            });
            self.add(format!("`Utf8Reader`, capacity {}", len.max(4)), valid, move |bytes| {
                let mut reader = trust8::io::Utf8Reader::with_capacity(len, bytes);
                let mut buffer = [0; 100];
                while reader.read(&mut buffer).expect("valid text") > 0 {}
            });
            self.add(format!("`Utf8Writer`, pieces of {len}"), valid, move |bytes| {
                let mut writer = trust8::io::Utf8Writer::new(io::sink());
                assert!(bytes.chunks(len).all(|piece| writer.write_all(black_box(piece)).is_ok()));
            });
        }
        self.add("`Utf8Reader`, lines", valid, |bytes| {
            assert!(trust8::io::Utf8Reader::new(bytes).lines().all(|line| line.is_ok()));
        });
    }

    fn add_dialects(&mut self) {
        let (valid, any) = (Symbols::Valid(Encoding::Utf8), Symbols::Any(Encoding::Utf8));
        for &dialect in Dialect::ALL {
            let (own, name) = (Symbols::Dialect(dialect), dialect.name());
            let is_valid = move |bytes: &[u8]| assert!(dialect.validate(bytes).is_ok());
            self.add(format!("{name}: `validate`"), own, is_valid);
            self.add(format!("{name}: `decode`"), any, move |bytes| done(dialect.decode(bytes).count()));
            self.add(format!("{name}: `to_utf8`"), own, move |bytes| done(dialect.to_utf8(bytes)));
            let to_lossy = move |bytes: &[u8]| done(dialect.to_utf8_lossy(bytes));
            self.add(format!("{name}: `to_utf8_lossy`"), any, to_lossy);
            self.add(format!("{name}: `from_utf8`"), valid, move |bytes| {
                done(dialect.from_utf8(text(bytes)))
            });
        }
        self.add("`diagnose`", any, |bytes| done(trust8_dialect::diagnose(bytes)));
    }

    fn add_conversions(&mut self, from: Encoding, to: Encoding) {
        let pair = format!("{} to {}", from.name(), to.name());
        let any = Symbols::Any(from);
        if to != Encoding::Latin1 {
            let work = move |bytes: &[u8]| done(convert(from, to, bytes));
            self.add(format!("`convert`, {pair}"), Symbols::Valid(from), work);
        }
        self.add(format!("`convert_lossy`, {pair}"), any, move |bytes| done(convert_lossy(from, to, bytes)));
        let len_lossy = move |bytes: &[u8]| done(trust8_transcode::len_lossy(from, to, bytes));
        self.add(format!("`len_lossy`, {pair}"), any, len_lossy);
        if from != to && from != Encoding::Utf8 && to != Encoding::Utf8 {
            return;
        }
        for room in [256, 4000] {
            self.add(format!("`push_into`, {pair}, {room} bytes"), any, move |bytes| {
                let mut transcoder = Transcoder::lossy(from, to);
                let mut buffer = vec![MaybeUninit::uninit(); room];
                let mut rest = bytes;
                while !rest.is_empty() {
                    let progress = transcoder.push_into(rest, &mut buffer).expect("nothing is refused");
                    rest = &rest[progress.read..];
                }
            });
            let name = format!("`convert_into_lossy`, {pair}, once into {room} bytes");
            self.add(name, any, move |bytes| {
                let mut buffer = vec![MaybeUninit::uninit(); room];
                done(convert_into_lossy(from, to, bytes, &mut buffer).map(|text| text.len()));
            });
        }
    }
}

/// Returns what the standard library does for the same input, where it has such a function.
fn of_std(name: &str) -> Option<fn(&[u8])> {
    Some(match name {
        "`from_utf8_lossy`" | "`copy_utf8_lossy`" | "`convert_lossy`, utf-8 to utf-8" => {
            |bytes| done(String::from_utf8_lossy(bytes))
        }
        "`errors`" | "`utf8_chunks`" => |bytes| done(bytes.utf8_chunks().map(done).count()),
        "`decode`" => {
            |bytes| done(bytes.utf8_chunks().map(|chunk| chunk.valid().chars().count()).sum::<usize>())
        }
        "`Utf8Reader`, lines" => |bytes| assert!(io::BufReader::new(bytes).lines().all(|line| line.is_ok())),
        _ => return None,
    })
}

/// Adds the section about every function.
fn functions(bench: &mut Bench) {
    let mut all = All::default();
    all.add_whole();
    all.add_streams();
    all.add_dialects();
    for (from, to) in Encoding::ALL.iter().flat_map(|&from| Encoding::ALL.iter().map(move |&to| (from, to))) {
        all.add_conversions(from, to);
    }
    bench.data.heading(2, "Every function over bytes");
    bench.data.note(
        "ns a byte; an item is a character or an error. `16n / n`: the time a byte of 16 times the input.",
    );
    let rounds = bench.by(1, 20, 40);
    all.0.retain(|function| bench.wants(&function.name));
    for Function { name, symbols, work } in &all.0 {
        let effort = bench.by((1, 1), (60, 20), (200, 60));
        let pattern = search(name, INPUT, &symbols.all(), effort, |bytes| symbols.allow(bytes), work);
        let [clean, ascii] = symbols.clean(name.contains("to iso-8859-1"));
        if pattern.is_empty() {
            continue;
        }
        let bytes = input(&pattern, INPUT);
        // A character, an error, or a sequence of a dialect's own. Where characters have a fixed length, the bytes say enough.
        let items = match symbols {
            Symbols::Valid(Encoding::Utf8) | Symbols::Any(Encoding::Utf8) => trust8::decode(&bytes).count(),
            Symbols::Dialect(dialect) => dialect.decode(&bytes).count(),
            _ => bytes.len(),
        };
        let (clean, worst) = (cost(work, &clean, rounds), cost(work, &bytes, rounds));
        let std = of_std(name).map_or(f64::NAN, |of_std| cost(&of_std, &bytes, rounds));
        let [n, n16] = bench
            .by([INPUT, 2 * INPUT], [4 * INPUT, 64 * INPUT], [4 * INPUT, 64 * INPUT])
            .map(|len| cost(work, &input(&pattern, len), rounds.min(10)));
        let an_item = bytes.len() as f64 / items as f64;
        let cells = [
            ("ASCII", cost(work, &ascii, rounds)),
            ("clean", clean),
            ("worst", worst),
            ("worst / clean", worst / clean),
            ("ns an item", worst * an_item),
            ("std, ns an item", std * an_item),
            ("16n / n", n16 / n),
        ];
        bench.data.row("function", name, cells);
        bench.data.text("function", name, "input: times × bytes", &name_of(&pattern));
    }
}
