//! Measures conversion, validation and decoding of UTF-8's dialects against the crates that each know one of them.

use std::borrow::Cow;
use std::hint::black_box;
use std::io;

use trust8_dialect::Dialect;
use trust8_measure::measure::{Bench, entry};
use trust8_measure::random::Random;
use trust8_measure::texts::generated;

/// The length of each text. The text and its conversion fit into the L2 cache of any current CPU.
const TEXT: usize = 256 << 10;
/// The texts, from short characters to long ones.
const TEXTS: [&str; 4] = ["ASCII", "German", "Russian", "Chinese"];
/// On average, one character in this number is written in the dialect's own way.
const RARITIES: [usize; 4] = [1000, 100, 10, 1];

fn main() -> io::Result<()> {
    let mut bench = Bench::start("dialects")?;
    bench
        .data
        .note("GB/s of input. `own` is n where one character in n is written in the dialect's own way.");
    PEERS.into_iter().for_each(|peer| conversions(&mut bench, peer));
    wtf8_conversions(&mut bench);
    bench.finish()
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
}

const PEERS: [Peer; 2] = [
    Peer {
        title: "CESU-8",
        dialect: Dialect::Cesu8,
        own: supplementary,
        cesu8: (|bytes| cesu8::from_cesu8(bytes).ok(), |text| cesu8::to_cesu8(text)),
        simd_cesu8: (|bytes| simd_cesu8::decode_strict(bytes).ok(), |text| simd_cesu8::encode(text)),
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
    },
];

/// Returns the pairs of a text and a number `own`.
fn cases() -> impl Iterator<Item = (&'static str, usize)> {
    let all = RARITIES.into_iter().flat_map(|own| TEXTS.map(|name| (name, own)));
    all.filter(|case| case.1 > 1 || case.0 == "ASCII")
}

/// Returns the sum of the code points. Faults count nothing.
fn decoded(dialect: Dialect, bytes: &[u8]) -> usize {
    dialect.decode(black_box(bytes)).map(|item| item.map_or(0, |(_, value)| value as usize)).sum()
}

fn conversions(bench: &mut Bench, Peer { title, dialect, own, cesu8, simd_cesu8 }: Peer) {
    bench.data.heading(2, &format!("{title}, GB/s"));
    for (name, rarity) in cases() {
        let text = mixed(name, rarity, own);
        let bytes = dialect.from_utf8(&text).into_owned();
        // Only lengths are compared while it is timed; the whole answer is compared once, here.
        assert_eq!(dialect.to_utf8(&bytes).as_deref(), Ok(text.as_str()));
        for (to, from) in [cesu8, simd_cesu8] {
            assert_eq!(to(&bytes).as_deref(), Some(text.as_str()));
            assert_eq!(*from(&text), *bytes);
        }
        let sum = text.chars().map(|char| char as usize).sum();
        let decode = bench.race(sum, vec![entry("decode", || decoded(dialect, &bytes))]);
        let to = bench.race(
            text.len(),
            vec![
                entry("validate", || {
                    dialect.validate(black_box(&bytes)).map_or(0, |_| black_box(&text).len())
                }),
                entry("to_utf8", || dialect.to_utf8(black_box(&bytes)).map_or(0, |text| text.len())),
                entry("to_utf8 by cesu8", || cesu8.0(black_box(&bytes)).map_or(0, |text| text.len())),
                entry("to_utf8 by simd_cesu8", || {
                    simd_cesu8.0(black_box(&bytes)).map_or(0, |text| text.len())
                }),
            ],
        );
        let from = bench.race(
            bytes.len(),
            vec![
                entry("from_utf8", || dialect.from_utf8(black_box(&text)).len()),
                entry("from_utf8 by cesu8", || cesu8.1(black_box(&text)).len()),
                entry("from_utf8 by simd_cesu8", || simd_cesu8.1(black_box(&text)).len()),
            ],
        );
        let row = format!("{name}, {rarity}");
        bench.data.row("text, own", &row, decode.gb_per_s(bytes.len()));
        for (times, function, len) in [(to, "to_utf8", bytes.len()), (from, "from_utf8", text.len())] {
            bench.data.row("text, own", &row, times.gb_per_s(len));
            let ratio = |peer| {
                (format!("{function} / {peer}"), times.ratio(function, &format!("{function} by {peer}")))
            };
            bench.data.row("text, own", &row, ["cesu8", "simd_cesu8"].map(ratio));
        }
    }
}

/// Adds the section about WTF-8. wtf8 takes no bytes: its strings are made of code points, and are known to be WTF-8
/// from then on. So it converts without validating, and trust8 also validates.
fn wtf8_conversions(bench: &mut Bench) {
    bench.data.heading(2, "WTF-8, GB/s");
    bench.data.note("wtf8 makes its strings itself and trusts them. trust8 validates them, too.");
    for (name, rarity) in cases() {
        let text = mixed(name, rarity, supplementary);
        for what in ["supplementary", "lone surrogates"] {
            let (mut own, mut bytes) = (wtf8::Wtf8Buf::new(), Vec::new());
            for character in text.chars() {
                let value = match u32::from(character) {
                    value @ 0x1_0000.. if what == "lone surrogates" => 0xD800 + (value & 0x3FF),
                    value => value,
                };
                own.push(wtf8::CodePoint::from_u32(value).expect("a code point"));
                bytes.extend(Dialect::Wtf8.encode(value, &mut [0; 6]).expect("a code point"));
            }
            assert_eq!(own.to_string_lossy(), Dialect::Wtf8.to_utf8_lossy(&bytes));
            let sum = own.code_points().map(|point| point.to_u32() as usize).sum();
            let (own, len, row) = (&own, bytes.len(), format!("{name}, {rarity}, {what}"));
            let decode = bench.race(
                sum,
                vec![
                    entry("decode", || decoded(Dialect::Wtf8, &bytes)),
                    entry("decode by wtf8", || {
                        black_box(own).code_points().map(|point| point.to_u32() as usize).sum()
                    }),
                ],
            );
            let to = bench.race(
                len,
                vec![
                    entry("validate", || {
                        Dialect::Wtf8.validate(black_box(&bytes)).map_or(0, |_| black_box(&bytes).len())
                    }),
                    entry("to_utf8", || Dialect::Wtf8.to_utf8_lossy(black_box(&bytes)).len()),
                    entry("to_utf8 by wtf8", || black_box(own).to_string_lossy().len()),
                ],
            );
            for (times, function) in [(decode, "decode"), (to, "to_utf8")] {
                bench.data.row("text, own, what", &row, times.gb_per_s(len));
                let ratio = times.ratio(function, &format!("{function} by wtf8"));
                bench.data.row("text, own, what", &row, [(format!("{function} / wtf8"), ratio)]);
            }
        }
    }
}
