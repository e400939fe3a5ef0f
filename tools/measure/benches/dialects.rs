//! Measures conversion, validation and decoding of UTF-8's dialects against the crates that each know one of them.
//!
//! ```text
//! cargo bench -p trust8-measure --bench dialects                 everything, written to docs/data/
//! cargo bench -p trust8-measure --bench dialects -- --quick      a quick look, printed
//! ```
//!
//! The contestants of a row take turns in many rounds, and the fastest round of each counts. Every answer is
//! checked. In `cargo test` everything runs once, to check the answers.

use std::borrow::Cow;
use std::hint::black_box;
use std::time::{Duration, Instant};
use std::{env, io};

use trust8::Kernel;
use trust8_dialect::Dialect;
use trust8_dialect::KernelDialects;
use trust8_measure::machine::peers;
use trust8_measure::measure::pin;
use trust8_measure::random::Random;
use trust8_measure::report::{Data, Table, digits};
use trust8_measure::texts::generated;

/// The length of each text. The text and its conversion fit into the L2 cache of any current CPU.
const TEXT: usize = 256 << 10;
/// The texts, from short characters to long ones.
const TEXTS: [&str; 4] = ["ASCII", "German", "Russian", "Chinese"];
/// For the targets, one character in this number is on average written in the dialect's own way.
const RARE: usize = 1000;
/// The other numbers that are measured, to show what a dialect's own sequences cost.
const OTHERS: [usize; 3] = [100, 10, 1];
/// The ratio to the speed of cesu8 and wtf8 that trust8 should reach.
const WANTED: f64 = 8.0;

/// How thorough the measurement is.
#[derive(Clone, Copy, PartialEq)]
enum Run {
    /// `cargo test`: everything runs once.
    Test,
    Quick,
    Full,
}

fn main() -> io::Result<()> {
    let has = |argument| env::args().any(|given| given == argument);
    let run = match (has("--bench"), has("--quick")) {
        (false, _) => Run::Test,
        (true, true) => Run::Quick,
        (true, false) => Run::Full,
    };
    pin()?;
    let mut tables = Data::default();
    let mut targets = Targets::default();
    conversions(run, &mut tables, &mut targets);
    wtf8_conversions(run, &mut tables, &mut targets);
    kernels(run, &mut tables);

    let mut data = Data::default();
    data.note(&format!(
        "GB/s of {} KiB of input. `own` is n where, on average, one character in n is written in the dialect's own way. cesu8 and \
         simd_cesu8 have no function that only validates.",
        TEXT >> 10
    ));
    targets.report(&mut data);
    data.append(&tables);
    if run == Run::Test {
        return Ok(());
    }
    data.publish(run == Run::Full, "dialects", &[("peers", &peers(&["cesu8", "simd_cesu8", "wtf8"]))])
}

/// The lowest ratio of each target, and the text of that ratio.
#[derive(Default)]
struct Targets(Vec<(&'static str, f64, String)>);

impl Targets {
    fn add(&mut self, what: &'static str, ratio: f64, place: &str) {
        match self.0.iter_mut().find(|target| target.0 == what) {
            Some(target) if target.1 <= ratio => {}
            Some(target) => (target.1, target.2) = (ratio, place.to_owned()),
            None => self.0.push((what, ratio, place.to_owned())),
        }
    }

    fn report(&self, data: &mut Data) {
        data.heading(2, "Targets");
        data.note(&format!(
            "Each number is a ratio of speeds in the same run, where one character in {RARE} is written in the \
             dialect's own way. It is the lowest ratio of all texts."
        ));
        let mut table = Table::new(["target", "wanted", "measured", "met", "where"]);
        for (what, ratio, place) in &self.0 {
            let met = if *ratio >= WANTED { "yes" } else { "no" };
            let wanted = format!("≥ {}", digits(WANTED));
            table.row([(*what).to_owned(), wanted, digits(*ratio), met.to_owned(), place.clone()]);
        }
        data.table(&table);
    }
}

/// Returns the GB/s of each contestant's fastest round.
fn race<const N: usize>(run: Run, bytes: usize, contestants: [&mut dyn FnMut(); N]) -> [f64; N] {
    let time = match run {
        Run::Test => Duration::ZERO,
        Run::Quick => Duration::from_millis(60),
        Run::Full => Duration::from_millis(600),
    };
    let mut best = [Duration::MAX; N];
    let begin = Instant::now();
    let mut rounds = 0;
    while rounds == 0 || begin.elapsed() < time {
        for turn in 0..N {
            let i = (turn + rounds) % N;
            let start = Instant::now();
            contestants[i]();
            best[i] = start.elapsed().min(best[i]);
        }
        rounds += 1;
    }
    best.map(|time| bytes as f64 / time.as_secs_f64() / 1e9)
}

/// Returns a text in which on average one character in `own` is replaced by what `instead` returns, at irregular distances.
fn mixed(name: &str, own: usize, instead: impl Fn(&mut Random) -> char) -> String {
    let plain = generated(name, TEXT).text;
    let mut random = Random::named(name);
    let mut next = random.between(1, 2 * own - 1);
    let mut text = String::with_capacity(2 * TEXT);
    for character in plain.chars().filter(|&character| u32::from(character) < 0x1_0000) {
        next -= 1;
        if next == 0 {
            text.push(instead(&mut random));
            next = random.between(1, 2 * own - 1);
        } else {
            text.push(character);
        }
        if text.len() >= TEXT {
            break;
        }
    }
    text
}

/// Returns a supplementary character.
fn supplementary(random: &mut Random) -> char {
    char::from_u32(0x1F300 + random.below(0x300) as u32).expect("no surrogate")
}

/// Returns U+0000 once in four times, which Modified UTF-8 writes in its own way, and else a supplementary character.
fn supplementary_or_nul(random: &mut Random) -> char {
    if random.once_in(4) { '\0' } else { supplementary(random) }
}

/// A conversion by another crate from the dialect to UTF-8. It returns `None` for invalid input.
type ToUtf8 = for<'a> fn(&'a [u8]) -> Option<Cow<'a, str>>;
/// A conversion by another crate from UTF-8 to the dialect.
type FromUtf8 = for<'a> fn(&'a str) -> Cow<'a, [u8]>;

/// A dialect that cesu8 and simd_cesu8 know, with their functions for it.
struct Peer {
    title: &'static str,
    dialect: Dialect,
    own: fn(&mut Random) -> char,
    cesu8: (ToUtf8, FromUtf8),
    simd_cesu8: (ToUtf8, FromUtf8),
    targets: [&'static str; 2],
}

const PEERS: [Peer; 2] = [
    Peer {
        title: "CESU-8",
        dialect: Dialect::Cesu8,
        own: supplementary,
        cesu8: (|bytes| cesu8::from_cesu8(bytes).ok(), |text| cesu8::to_cesu8(text)),
        simd_cesu8: (|bytes| simd_cesu8::decode_strict(bytes).ok(), |text| simd_cesu8::encode(text)),
        targets: ["CESU-8 to UTF-8, against cesu8", "UTF-8 to CESU-8, against cesu8"],
    },
    Peer {
        title: "Modified UTF-8",
        dialect: Dialect::ModifiedUtf8,
        own: supplementary_or_nul,
        cesu8: (|bytes| cesu8::from_java_cesu8(bytes).ok(), |text| cesu8::to_java_cesu8(text)),
        simd_cesu8: (
            |bytes| simd_cesu8::mutf8::decode_strict(bytes).ok(),
            |text| simd_cesu8::mutf8::encode(text),
        ),
        targets: ["Modified UTF-8 to UTF-8, against cesu8", "UTF-8 to Modified UTF-8, against cesu8"],
    },
];

/// Returns the pairs of a text and a number `own`. Those with `RARE` come first.
fn cases() -> impl Iterator<Item = (&'static str, usize)> {
    let others = OTHERS.into_iter().flat_map(|own| TEXTS.map(|name| (name, own)));
    TEXTS.map(|name| (name, RARE)).into_iter().chain(others.filter(|case| case.1 > 1 || case.0 == "ASCII"))
}

fn conversions(run: Run, data: &mut Data, targets: &mut Targets) {
    for Peer { title, dialect, own, cesu8, simd_cesu8, targets: [to_target, from_target] } in PEERS {
        data.heading(2, &format!("{title}, GB/s"));
        let mut table = Table::keyed(
            2,
            [
                "text",
                "own",
                "validate",
                "decode",
                "to_utf8",
                "to_utf8 by cesu8",
                "to_utf8 by simd_cesu8",
                "to_utf8 / cesu8",
                "to_utf8 / simd_cesu8",
                "from_utf8",
                "from_utf8 by cesu8",
                "from_utf8 by simd_cesu8",
                "from_utf8 / cesu8",
                "from_utf8 / simd_cesu8",
            ],
        );
        for (name, rarity) in cases() {
            let text = mixed(name, rarity, own);
            let bytes = dialect.from_utf8(&text).into_owned();
            // Only lengths are compared while it is timed; the whole answer is compared once, below.
            let is_text = |answer: Option<Cow<'_, str>>| {
                assert!(answer.is_some_and(|answer| answer.len() == text.len()));
            };
            let is_dialect = |answer: Cow<'_, [u8]>| assert!(answer.len() == bytes.len());
            assert_eq!(dialect.to_utf8(&bytes).as_deref(), Ok(text.as_str()));
            for to in [cesu8.0, simd_cesu8.0] {
                assert_eq!(to(&bytes).as_deref(), Some(text.as_str()));
            }
            for from in [cesu8.1, simd_cesu8.1] {
                assert_eq!(*from(&text), *bytes);
            }
            let sum = text.chars().map(u64::from).sum::<u64>();
            let [validate, decode, to, to_cesu8, to_simd] = race(
                run,
                bytes.len(),
                [
                    &mut || assert!(dialect.validate(black_box(&bytes)).is_ok()),
                    &mut || {
                        let code_points = dialect.decode(black_box(&bytes));
                        assert_eq!(
                            code_points.map(|item| item.map_or(0, |(_, value)| value.into())).sum::<u64>(),
                            sum
                        );
                    },
                    &mut || is_text(dialect.to_utf8(black_box(&bytes)).ok()),
                    &mut || is_text(cesu8.0(black_box(&bytes))),
                    &mut || is_text(simd_cesu8.0(black_box(&bytes))),
                ],
            );
            let [from, from_cesu8, from_simd] = race(
                run,
                text.len(),
                [
                    &mut || is_dialect(dialect.from_utf8(black_box(&text))),
                    &mut || is_dialect(cesu8.1(black_box(&text))),
                    &mut || is_dialect(simd_cesu8.1(black_box(&text))),
                ],
            );
            if rarity == RARE {
                targets.add(to_target, to / to_cesu8, name);
                targets.add(from_target, from / from_cesu8, name);
            }
            let mut row = vec![name.to_owned(), rarity.to_string()];
            let numbers = [
                validate,
                decode,
                to,
                to_cesu8,
                to_simd,
                to / to_cesu8,
                to / to_simd,
                from,
                from_cesu8,
                from_simd,
                from / from_cesu8,
                from / from_simd,
            ];
            row.extend(numbers.map(digits));
            table.row(row);
        }
        data.table(&table);
    }
}

/// Adds the section about WTF-8. wtf8 takes no bytes: its strings are made of code points, and are known to be WTF-8
/// from then on. So it converts without validating, and trust8 also validates.
fn wtf8_conversions(run: Run, data: &mut Data, targets: &mut Targets) {
    data.heading(2, "WTF-8, GB/s");
    data.note(
        "wtf8 takes no bytes: it makes its strings itself and trusts them. So `to_utf8` validates and converts where wtf8 \
         only converts. WTF-8 writes supplementary characters as UTF-8 does, so both crates borrow text that has no lone \
         surrogates. In text with lone surrogates, both replace each of them by U+FFFD.",
    );
    let mut table = Table::keyed(
        3,
        [
            "text",
            "own",
            "what",
            "validate",
            "to_utf8",
            "to_utf8 by wtf8",
            "to_utf8 / wtf8",
            "decode",
            "decode by wtf8",
            "decode / wtf8",
        ],
    );
    for (name, rarity) in cases() {
        let text = mixed(name, rarity, supplementary);
        let mut own = wtf8::Wtf8Buf::from_str(&text);
        let mut bytes = text.clone().into_bytes();
        for (what, target) in [
            ("supplementary", "WTF-8 to UTF-8, against wtf8"),
            ("lone surrogates", "WTF-8 to UTF-8 with surrogates, against wtf8"),
        ] {
            let lone = what == "lone surrogates";
            if lone {
                // A lone surrogate for each supplementary character.
                own = wtf8::Wtf8Buf::new();
                bytes.clear();
                for character in text.chars() {
                    match u32::from(character) {
                        value @ 0x1_0000.. => {
                            let surrogate = 0xD800 + (value & 0x3FF);
                            let code_point = wtf8::CodePoint::from_u32(surrogate).expect("a code point");
                            own.push(code_point);
                            bytes.extend(Dialect::Wtf8.encode(surrogate, &mut [0; 6]).expect("a code point"));
                        }
                        _ => {
                            own.push_char(character);
                            bytes.extend(character.encode_utf8(&mut [0; 4]).bytes());
                        }
                    }
                }
            }
            assert_eq!(own.to_string_lossy(), Dialect::Wtf8.to_utf8_lossy(&bytes));
            let sum = own.code_points().map(|code_point| u64::from(code_point.to_u32())).sum::<u64>();
            let len = bytes.len();
            let [validate, to, to_wtf8, decode, decode_wtf8] = race(
                run,
                len,
                [
                    &mut || assert!(Dialect::Wtf8.validate(black_box(&bytes)).is_ok()),
                    &mut || assert_eq!(Dialect::Wtf8.to_utf8_lossy(black_box(&bytes)).len(), len),
                    &mut || assert_eq!(black_box(&own).to_string_lossy().len(), len),
                    &mut || {
                        let code_points = Dialect::Wtf8.decode(black_box(&bytes));
                        assert_eq!(
                            code_points.map(|item| item.map_or(0, |(_, value)| value.into())).sum::<u64>(),
                            sum
                        );
                    },
                    &mut || {
                        let code_points = black_box(&own).code_points();
                        assert_eq!(
                            code_points.map(|code_point| u64::from(code_point.to_u32())).sum::<u64>(),
                            sum
                        );
                    },
                ],
            );
            if rarity == RARE {
                targets.add(target, to / to_wtf8, name);
            }
            let mut row = vec![name.to_owned(), rarity.to_string(), what.to_owned()];
            row.extend(
                [validate, to, to_wtf8, to / to_wtf8, decode, decode_wtf8, decode / decode_wtf8].map(digits),
            );
            table.row(row);
        }
    }
    data.table(&table);
}

/// Adds the section that compares the kernels on the texts of the targets.
fn kernels(run: Run, data: &mut Data) {
    data.heading(2, "Kernels: CESU-8 to UTF-8, GB/s");
    data.note(&format!("One character in {RARE} is supplementary."));
    let kernels = Kernel::available();
    let mut heads = vec!["text"];
    heads.extend(kernels.iter().map(Kernel::name));
    let mut table = Table::new(heads);
    for name in TEXTS {
        let text = mixed(name, RARE, supplementary);
        let bytes = Dialect::Cesu8.from_utf8(&text).into_owned();
        let mut row = vec![name.to_owned()];
        for kernel in kernels {
            let [speed] = race(
                run,
                bytes.len(),
                [&mut || {
                    let converted = kernel.dialect(Dialect::Cesu8).to_utf8(black_box(&bytes));
                    assert!(converted.is_ok_and(|converted| converted.len() == text.len()));
                }],
            );
            row.push(digits(speed));
        }
        table.row(row);
    }
    data.table(&table);
}
