//! Searches for the input that takes each public function over bytes the longest, against clean text.

use std::hint::black_box;
use std::io::{BufRead, Read, Write};
use std::mem::MaybeUninit;
use std::time::Duration;

use trust8::Validator;
use trust8::boundary::floor;
use trust8_columns as columns;
use trust8_dialect::Dialect;
use trust8_measure::random::Random;
use trust8_measure::report::{Data, Table, digits, size};
use trust8_measure::texts::generated;
use trust8_transcode::{Encoding, Transcoder, convert, convert_into_lossy, convert_lossy};

use super::{Effort, LENGTHS, fastest};

/// The length of each input of the search.
const INPUT: usize = 16 << 10;
/// How much worse than clean text an input may be. For a function that is worse, the table has to say why.
const LIMIT: f64 = 12.0;

/// Calls a function with an input.
type Work = Box<dyn Fn(&[u8])>;

/// A function, and what it can be given.
struct Function {
    name: String,
    work: Work,
    symbols: Symbols,
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
        let encoded = |encoding, texts: &[&str]| -> Vec<Vec<u8>> {
            texts.iter().map(|text| convert_lossy(Encoding::Utf8, encoding, text.as_bytes())).collect()
        };
        match self {
            Self::Valid(Encoding::Latin1) | Self::Any(Encoding::Latin1) => {
                encoded(Encoding::Latin1, &IN_LATIN1)
            }
            Self::Valid(encoding) => encoded(encoding, &VALID),
            Self::Any(encoding) => {
                let mut all = encoded(encoding, &VALID);
                let units = |units: &[u32], wide: bool| -> Vec<Vec<u8>> {
                    let is_big = matches!(encoding, Encoding::Utf16Be | Encoding::Utf32Be);
                    let bytes = units.iter().map(|unit| {
                        let mut bytes =
                            if wide { unit.to_le_bytes().to_vec() } else { unit.to_le_bytes()[..2].to_vec() };
                        if is_big {
                            bytes.reverse();
                        }
                        bytes
                    });
                    bytes.collect()
                };
                match encoding {
                    Encoding::Utf8 => all.extend(MALFORMED.map(<[u8]>::to_vec)),
                    Encoding::Utf16Le | Encoding::Utf16Be => all.extend(units(&[0xD83D, 0xDE00], false)),
                    _ => all.extend(units(&[0xD800, 0x11_0000, 0xFFFF_FFFF], true)),
                }
                all
            }
            Self::Dialect(dialect) => {
                let mut all: Vec<Vec<u8>> =
                    VALID.iter().map(|text| dialect.from_utf8(text).into_owned()).collect();
                all.extend(
                    MALFORMED.map(<[u8]>::to_vec).into_iter().filter(|bytes| dialect.validate(bytes).is_ok()),
                );
                all
            }
        }
    }

    /// Returns clean text, and ASCII: what such a function usually gets.
    fn clean(self, to_latin1: bool) -> [Vec<u8>; 2] {
        let is_latin1 =
            to_latin1 || matches!(self, Self::Valid(Encoding::Latin1) | Self::Any(Encoding::Latin1));
        let language = if is_latin1 { "Latin" } else { "Chinese" };
        [language, "ASCII"].map(|name| {
            let text = generated(name, INPUT).text;
            let text: String =
                if is_latin1 { text.chars().filter(|&char| char < '\u{100}').collect() } else { text };
            match self {
                Self::Valid(encoding) | Self::Any(encoding) => {
                    convert_lossy(Encoding::Utf8, encoding, text.as_bytes())
                }
                Self::Dialect(dialect) => dialect.from_utf8(&text).into_owned(),
            }
        })
    }
}

/// Takes what a function returns. It is not optimised away.
fn done<T>(result: T) {
    let _ = black_box(result);
}

/// Returns all functions over bytes, with the best kernel.
fn all() -> Vec<Function> {
    let mut all = Vec::new();
    let mut add = |name: &str, symbols, work: Work| {
        all.push(Function { name: name.to_owned(), work, symbols });
    };
    let (valid, any) = (Symbols::Valid(Encoding::Utf8), Symbols::Any(Encoding::Utf8));

    add("`from_utf8`", valid, Box::new(|bytes| assert!(trust8::from_utf8(bytes).is_ok())));
    add("`string_from_utf8`", valid, Box::new(|bytes| done(trust8::string_from_utf8(bytes.to_vec()))));
    add("`inspect`", valid, Box::new(|bytes| assert!(trust8_counts::inspect(bytes).is_valid())));
    add(
        "`count_chars`",
        valid,
        Box::new(|bytes| {
            done(trust8_counts::count_chars(std::str::from_utf8(bytes).expect("valid text")));
        }),
    );
    add("`locate`", any, Box::new(|bytes| done(trust8::locate(bytes, bytes.len()))));
    add(
        "`copy_utf8`",
        valid,
        Box::new(|bytes| {
            let mut copy = vec![MaybeUninit::uninit(); bytes.len()];
            assert!(trust8::copy_utf8(bytes, &mut copy).is_ok());
        }),
    );
    add("`decode`", any, Box::new(|bytes| done(trust8::decode(bytes).count())));
    add("`errors`", any, Box::new(|bytes| trust8::errors(bytes).for_each(done)));
    add("`errors`, counted", any, Box::new(|bytes| done(trust8::errors(bytes).count())));
    add("`utf8_chunks`", any, Box::new(|bytes| done(trust8::utf8_chunks(bytes).count())));
    add("`from_utf8_lossy`", any, Box::new(|bytes| done(trust8::from_utf8_lossy(bytes))));
    add("`utf8_chunks`, to a `String`", any, Box::new(|bytes| done(trust8::utf8_chunks(bytes).to_string())));
    add(
        "`Locator`, for each of `errors`",
        any,
        Box::new(|bytes| {
            let mut locator = trust8::Locator::new(bytes);
            trust8::errors(bytes).for_each(|error| done(locator.locate(error.valid_up_to())));
        }),
    );
    for &policy in columns::Policy::ALL.iter().filter(|&&policy| policy != columns::Policy::Null) {
        add(
            &format!("`Policy::repair`, {}", policy.name()),
            any,
            Box::new(move |bytes| done(policy.repair(bytes))),
        );
    }
    add("`lossy_len`", any, Box::new(|bytes| done(trust8::lossy_len(bytes))));
    add(
        "`copy_utf8_lossy`",
        any,
        Box::new(|bytes| {
            let mut copy = vec![MaybeUninit::uninit(); 3 * bytes.len()];
            assert!(trust8::copy_utf8_lossy(bytes, &mut copy).is_ok());
        }),
    );
    add("`par_from_utf8`", valid, Box::new(|bytes| assert!(trust8_counts::par_from_utf8(bytes).is_ok())));
    add(
        "`validate_slices`, 10 bytes",
        Symbols::Valid(Encoding::Utf8),
        Box::new(|bytes| {
            // Rows that cut characters are errors, so each row is cut where one begins.
            let text = std::str::from_utf8(bytes).expect("valid text");
            let rows = (0..text.len()).step_by(10).map(|at| &text[floor(bytes, at)..floor(bytes, at + 10)]);
            assert!(columns::validate_slices(rows).is_ok());
        }),
    );
    add(
        "`validate_offsets`, 10 bytes",
        Symbols::Valid(Encoding::Utf8),
        Box::new(|bytes| {
            let offsets: Vec<i32> = (0..=bytes.len()).step_by(10).map(|at| floor(bytes, at) as i32).collect();
            assert!(columns::validate_offsets(bytes, &offsets).is_ok());
        }),
    );
    for len in [1, 7, 63, 600, 4000] {
        add(
            &format!("`Validator`, pieces of {len}"),
            valid,
            Box::new(move |bytes| {
                let mut validator = Validator::new();
                assert!(bytes.chunks(len).all(|piece| validator.push(black_box(piece)).is_ok()));
            }),
        );
        add(
            &format!("`Validator::decode`, pieces of {len}"),
            valid,
            Box::new(move |bytes| {
                let mut decoder = Validator::new();
                assert!(bytes.chunks(len).all(|piece| decoder.decode(black_box(piece)).is_ok()));
            }),
        );
        add(
            &format!("`Utf8Reader`, capacity {}", len.max(4)),
            valid,
            Box::new(move |bytes| {
                let mut reader = trust8::io::Utf8Reader::with_capacity(len, bytes);
                let mut buffer = [0; 100];
                while reader.read(&mut buffer).expect("valid text") > 0 {}
            }),
        );
        add(
            &format!("`Utf8Writer`, pieces of {len}"),
            valid,
            Box::new(move |bytes| {
                let mut writer = trust8::io::Utf8Writer::new(std::io::sink());
                assert!(bytes.chunks(len).all(|piece| writer.write_all(black_box(piece)).is_ok()));
            }),
        );
    }
    add(
        "`Utf8Reader`, lines",
        valid,
        Box::new(|bytes| {
            assert!(trust8::io::Utf8Reader::new(bytes).lines().all(|line| line.is_ok()));
        }),
    );

    for &dialect in Dialect::ALL {
        let symbols = Symbols::Dialect(dialect);
        let name = dialect.name();
        add(
            &format!("{name}: `validate`"),
            symbols,
            Box::new(move |bytes| assert!(dialect.validate(bytes).is_ok())),
        );
        add(&format!("{name}: `decode`"), any, Box::new(move |bytes| done(dialect.decode(bytes).count())));
        add(&format!("{name}: `to_utf8`"), symbols, Box::new(move |bytes| done(dialect.to_utf8(bytes))));
        add(
            &format!("{name}: `to_utf8_lossy`"),
            any,
            Box::new(move |bytes| done(dialect.to_utf8_lossy(bytes))),
        );
        add(
            &format!("{name}: `from_utf8`"),
            valid,
            Box::new(move |bytes| {
                done(dialect.from_utf8(std::str::from_utf8(bytes).expect("valid text")));
            }),
        );
    }
    add("`diagnose`", any, Box::new(|bytes| done(trust8_dialect::diagnose(bytes))));

    for &from in Encoding::ALL {
        for &to in Encoding::ALL {
            let pair = format!("{} to {}", from.name(), to.name());
            let valid = if to == Encoding::Latin1 { None } else { Some(Symbols::Valid(from)) };
            if let Some(valid) = valid {
                add(
                    &format!("`convert`, {pair}"),
                    valid,
                    Box::new(move |bytes| done(convert(from, to, bytes))),
                );
            }
            add(
                &format!("`convert_lossy`, {pair}"),
                Symbols::Any(from),
                Box::new(move |bytes| {
                    done(convert_lossy(from, to, bytes));
                }),
            );
            add(
                &format!("`len_lossy`, {pair}"),
                Symbols::Any(from),
                Box::new(move |bytes| done(trust8_transcode::len_lossy(from, to, bytes))),
            );
            if from == to || from == Encoding::Utf8 || to == Encoding::Utf8 {
                for room in [256, 4000] {
                    add(
                        &format!("`push_into`, {pair}, {room} bytes"),
                        Symbols::Any(from),
                        Box::new(move |bytes| {
                            let mut transcoder = Transcoder::lossy(from, to);
                            let mut buffer = vec![MaybeUninit::uninit(); room];
                            let mut rest = bytes;
                            while !rest.is_empty() {
                                let progress =
                                    transcoder.push_into(rest, &mut buffer).expect("nothing is refused");
                                rest = &rest[progress.read..];
                            }
                        }),
                    );
                    add(
                        &format!("`convert_into_lossy`, {pair}, once into {room} bytes"),
                        Symbols::Any(from),
                        Box::new(move |bytes| {
                            let mut buffer = vec![MaybeUninit::uninit(); room];
                            done(convert_into_lossy(from, to, bytes, &mut buffer).map(|text| text.len()));
                        }),
                    );
                }
            }
        }
    }
    all
}

/// Returns what the standard library takes for the same input, in nanoseconds a byte, where it has such a function.
fn cost_of_std(name: &str, bytes: &[u8], rounds: usize) -> Option<f64> {
    let work: fn(&[u8]) = match name {
        "`from_utf8_lossy`"
        | "`copy_utf8_lossy`"
        | "utf-8: `to_utf8_lossy`"
        | "`convert_lossy`, utf-8 to utf-8"
        | "`convert_into_lossy`, utf-8 to utf-8, once into 4000 bytes" => |bytes| {
            done(String::from_utf8_lossy(bytes));
        },
        "`convert_lossy`, utf-8 to utf-16le" => |bytes| {
            let text = String::from_utf8_lossy(bytes);
            done(text.encode_utf16().collect::<Vec<_>>());
        },
        "`errors`" | "`utf8_chunks`" => |bytes| done(bytes.utf8_chunks().map(done).count()),
        "`decode`" | "utf-8: `decode`" => |bytes| {
            done(bytes.utf8_chunks().map(|chunk| chunk.valid().chars().count()).sum::<usize>());
        },
        "`Utf8Reader`, lines" => {
            |bytes| assert!(std::io::BufReader::new(bytes).lines().all(|line| line.is_ok()))
        }
        _ => return None,
    };
    Some(fastest(rounds, || work(black_box(bytes))).as_nanos() as f64 / bytes.len() as f64)
}

/// Returns why the worst input may take more than [`LIMIT`] times the time of clean text.
fn reason(name: &str) -> &'static str {
    const REASONS: [(&str, &str); 13] = [
        (
            "`Policy::repair`",
            "clean text is only validated and borrowed; what replaces a fault is written by itself",
        ),
        ("`locate`", "near faults each block has a map; clean text is only counted"),
        ("Locator", "each fault has a place; clean text is only validated"),
        ("to a `String`", "clean text is one call of a formatter; faults are replaced in a buffer first"),
        ("into", "near faults each buffer begins with a new search, and each U+FFFD is written by itself"),
        ("lines", "each line is a `String` with an allocation of its own; clean text has few lines"),
        (
            "lossy",
            "clean text is only validated, or copied; each fault is a U+FFFD that is written by itself",
        ),
        ("`errors`", "each fault is an item with its place, its kind and its bytes; clean text has no items"),
        ("`utf8_chunks`", "each fault ends a chunk, which is an item; clean text is one item"),
        ("decode", "each fault is an error with its place, its kind and its bytes; a character is a number"),
        (
            "validate",
            "each sequence of the dialect's own is read by itself; all other text is validated by a kernel",
        ),
        ("to_utf8", "each sequence of the dialect's own is rewritten by itself; clean text is borrowed"),
        ("diagnose", "the same, for each dialect that accepts the sequences"),
    ];
    REASONS.iter().find(|(part, _)| name.contains(part)).map_or("", |(_, reason)| *reason)
}

/// A symbol, and how often it is repeated.
type Part = (Vec<u8>, usize);

fn random_part(random: &mut Random, symbols: &[Vec<u8>]) -> Part {
    let symbol = random.pick(symbols).clone();
    let near = *random.pick(&LENGTHS) + random.below(5);
    // Half of the parts are a single symbol: what interrupts others.
    let count = if random.once_in(2) { 1 } else { near.div_ceil(symbol.len()) };
    (symbol, count)
}

/// Returns whole repetitions of the pattern, about `len` bytes.
fn input(pattern: &[Part], len: usize) -> Vec<u8> {
    let unit: Vec<u8> = pattern.iter().flat_map(|(symbol, count)| symbol.repeat(*count)).collect();
    unit.repeat(len.div_ceil(unit.len()))
}

fn name_of(pattern: &[Part]) -> String {
    let parts = pattern.iter().map(|(symbol, count)| {
        let bytes: Vec<_> = symbol.iter().map(|byte| format!("{byte:02X}")).collect();
        format!("{count} × {}", bytes.join(" "))
    });
    parts.collect::<Vec<_>>().join(", ")
}

/// Returns the nanoseconds a byte.
fn cost(function: &Function, bytes: &[u8], rounds: usize) -> f64 {
    let time = fastest(rounds, || (function.work)(black_box(bytes)));
    time.max(Duration::from_nanos(1)).as_nanos() as f64 / bytes.len() as f64
}

/// Returns whether the function takes these bytes: joined symbols need not be valid where they meet.
fn is_allowed(function: &Function, bytes: &[u8]) -> bool {
    match function.symbols {
        Symbols::Valid(Encoding::Utf8) => std::str::from_utf8(bytes).is_ok(),
        Symbols::Dialect(dialect) => dialect.validate(bytes).is_ok(),
        _ => true,
    }
}

fn search(function: &Function, (texts, changes): (usize, usize)) -> Vec<Part> {
    let mut random = Random::named(&function.name);
    let symbols = function.symbols.all();
    let mut worst = (0.0, Vec::new());
    for round in 0..texts + changes {
        let mut pattern = worst.1.clone();
        if round < texts || pattern.is_empty() {
            pattern = (0..random.between(1, 3)).map(|_| random_part(&mut random, &symbols)).collect();
        } else {
            let which = random.below(pattern.len());
            match random.below(4) {
                0 => pattern[which] = random_part(&mut random, &symbols),
                1 => pattern[which].1 = (pattern[which].1 + random.below(5)).saturating_sub(2).max(1),
                2 if pattern.len() < 5 => pattern.insert(which, random_part(&mut random, &symbols)),
                _ if pattern.len() > 1 => drop(pattern.remove(which)),
                _ => pattern[which].1 *= 2,
            }
        }
        let bytes = input(&pattern, INPUT);
        if !is_allowed(function, &bytes) {
            continue;
        }
        // What a disturbance made slow is measured again.
        if cost(function, &bytes, 2) > worst.0 {
            let again = cost(function, &bytes, 8);
            if again > worst.0 {
                worst = (again, pattern);
            }
        }
    }
    worst.1
}

/// Adds the section about every function whose name contains `only`.
pub(super) fn functions(data: &mut Data, effort: Effort, only: &str) {
    data.heading(2, "Every function over bytes");
    data.note(&format!(
        "The same search for each public function over bytes, with {} texts and {} changes for each. Inputs repeat a \
         pattern of characters, and where the function goes on after an error, of malformed sequences. `clean` is Chinese \
         text, or Latin where one side is ISO-8859-1. Times are nanoseconds a byte of input. `worst / clean` is what an \
         attacker gains; where it is over {LIMIT}, the table after this one says why. `16n / n` compares the time a byte of \
         sixteen times the input ({} and {}). (It is 2 to 3 where a fast conversion fills memory that the system has not given to \
         the program yet.)",
        effort.functions.0,
        effort.functions.1,
        size(4 * INPUT),
        size(64 * INPUT),
    ));
    let mut table = Table::new([
        "function",
        "ASCII",
        "clean",
        "worst",
        "worst / clean",
        "16n / n",
        "input: times × bytes",
    ]);
    let mut rows = Vec::new();
    for function in all().iter().filter(|function| function.name.contains(only)) {
        let pattern = search(function, effort.functions);
        let rounds = effort.report.min(40);
        let [clean, ascii] = function.symbols.clean(function.name.contains("to iso-8859-1"));
        let (clean, ascii) = (cost(function, &clean, rounds), cost(function, &ascii, rounds));
        if pattern.is_empty() {
            continue;
        }
        let worst = cost(function, &input(&pattern, INPUT), rounds);
        let lengths = if effort.report == 1 { [INPUT, 2 * INPUT] } else { [4 * INPUT, 64 * INPUT] };
        let growth = lengths.map(|len| cost(function, &input(&pattern, len), rounds.min(10)));
        let row = [
            function.name.clone(),
            format!("{ascii:.3}"),
            format!("{clean:.3}"),
            format!("{worst:.3}"),
            digits(worst / clean),
            digits(growth[1] / growth[0]),
            name_of(&pattern),
        ];
        eprintln!("{}", row.join(" | "));
        let input = input(&pattern, INPUT);
        // A character, an error, or a sequence of a dialect's own. Where characters have a fixed length, the bytes say enough.
        let items = match function.symbols {
            Symbols::Valid(Encoding::Utf8) | Symbols::Any(Encoding::Utf8) => trust8::decode(&input).count(),
            Symbols::Dialect(dialect) => dialect.decode(&input).count(),
            _ => input.len(),
        };
        let of_std = cost_of_std(&function.name, &input, rounds);
        let over = [
            function.name.clone(),
            digits(worst / clean),
            digits(worst * input.len() as f64 / items as f64),
            of_std.map_or_else(String::new, |of_std| digits(of_std * input.len() as f64 / items as f64)),
            reason(&function.name).to_owned(),
        ];
        rows.push((worst / clean, row, over));
    }
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut why = Table::new(["function", "worst / clean", "ns an item", "std, ns an item", "why"]);
    for (ratio, row, over) in rows {
        table.row(row);
        if ratio > LIMIT {
            why.row(over);
        }
    }
    data.table(&table);
    data.heading(3, "The rows over the limit");
    data.note(&format!(
        "The rows over {LIMIT}. An item is a character, or what one U+FFFD would replace, of the worst input; `ns an item` is \
         what is paid for each. `std` is what the standard library takes for the same input, where it has such a function: \
         `String::from_utf8_lossy`, `utf8_chunks`, `lines`. No kernel starts anew after each fault: unit tests count the bytes \
         that kernels are given.",
    ));
    data.table(&why);
}
