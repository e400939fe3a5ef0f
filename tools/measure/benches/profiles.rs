//! Measures profiles: each preset against `is_utf8` on the same text, with the same kernel.
//!
//! ```text
//! cargo bench -p trust8-measure --bench profiles                     everything, written to docs/data/
//! cargo bench -p trust8-measure --bench profiles -- --quick [text]   fewer rounds, printed; only texts with such a name
//! ```
//!
//! *Learned*: one text again and again. *New*: other excerpts in every round. The contestants of a row take turns, and the fastest
//! round of each counts. In `cargo test` everything runs once, to check the answers.

use std::hint::black_box;
use std::time::Instant;
use std::{env, io};

use trust8::Kernel;
use trust8::boundary::floor;
use trust8_measure::measure::{Placed, measuring, pin, quick};
use trust8_measure::random::Random;
use trust8_measure::report::{Data, Table, digits};
use trust8_measure::texts::generated;
use trust8_profile::{KernelProfiles, Profile};

const LONG: usize = 64 << 10;
const LENGTHS: [usize; 11] = [4, 8, 16, 31, 64, 100, 256, 1000, 4000, 16_000, LONG];
/// The texts that are measured at all lengths.
const BY_LENGTH: [&str; 4] = ["ASCII", "JSON logs", "Russian", "Chinese"];
const GENERATED: [&str; 10] = [
    "ASCII",
    "JSON logs",
    "tweets",
    "German",
    "Latin",
    "HTML, Chinese",
    "Russian",
    "Arabic",
    "Chinese",
    "emoji",
];

/// Returns the texts, each a few times as long as the longest excerpt.
fn texts() -> Vec<(String, String)> {
    let len = if measuring() { 6 * LONG } else { 2 * LONG };
    let mut texts: Vec<(String, String)> =
        GENERATED.iter().map(|&name| (name.to_owned(), generated(name, len).text)).collect();
    let mut random = Random::named("suspects");
    let mut made = |name: &str, piece: &mut dyn FnMut(&mut Random, &mut String)| {
        let mut text = String::new();
        while text.len() < len {
            piece(&mut random, &mut text);
        }
        texts.push((name.to_owned(), text));
    };
    made("CR LF, tabs", &mut |random, text| {
        text.push_str("\tfield");
        text.push_str(if random.once_in(4) { "\r\n" } else { " of a table" });
    });
    made("quotes, dashes", &mut |random, text| {
        text.push_str(random.pick::<&str>(&[
            "“quoted” ",
            "it’s ",
            "words – dashes ",
            "an ordinary word, ",
            "more… ",
        ]));
    });
    made("Persian, ZWNJ", &mut |random, text| {
        text.push_str(random.pick::<&str>(&["می‌خواهم ", "خانه‌ها ", "کتاب ", "نمی‌دانم، ", "است "]));
    });
    made("families", &mut |random, text| {
        text.push_str(random.pick::<&str>(&["👩‍👩‍👧", "👨‍💻", "❤️", "🏳️‍🌈", "ok "]));
    });
    texts
}

/// What is timed: validation alone, or with a profile.
#[derive(Clone, Copy)]
struct Contestant {
    kernel: &'static Kernel,
    profile: Option<&'static Profile>,
}

impl Contestant {
    fn answer(self, bytes: &[u8]) -> bool {
        match self.profile {
            None => self.kernel.is_utf8(bytes),
            Some(profile) => self.kernel.profile(profile).from_utf8(bytes).is_ok(),
        }
    }
}

type Regime = fn(&[Contestant], &str, usize) -> Vec<f64>;

fn rounds() -> usize {
    match (measuring(), quick()) {
        (false, _) => 1,
        (true, true) => 12,
        (true, false) => 60,
    }
}

/// Returns the last place up to `at` that is beside no joiner and no selector. At the edge of a text they are strays.
fn cut(text: &str, at: usize) -> usize {
    let is_part =
        |c: Option<char>| matches!(c, Some('\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{FE00}'..='\u{FE0F}'));
    let mut at = floor(text.as_bytes(), at);
    while is_part(text[..at].chars().next_back()) || is_part(text[at..].chars().next()) {
        at = floor(text.as_bytes(), at - 1);
    }
    at
}

/// Returns the speed of each contestant as a ratio to the first one's, on one text again and again.
fn learned(all: &[Contestant], text: &str, len: usize) -> Vec<f64> {
    let mut best = vec![f64::MAX; all.len()];
    for offset in [1, 24] {
        let text = Placed::new(&text.as_bytes()[..cut(text, len)], offset);
        let calls = if measuring() { (200_000 / len).clamp(2, 2000) } else { 1 };
        for _ in 0..rounds() {
            for (contestant, best) in all.iter().zip(&mut best) {
                let start = Instant::now();
                for _ in 0..calls {
                    assert!(contestant.answer(black_box(&text)));
                }
                *best = best.min(start.elapsed().as_nanos() as f64 / calls as f64);
            }
        }
    }
    best.iter().map(|time| best[0] / time).collect()
}

/// Returns the same for excerpts of half to one and a half times the length, which are new in every round.
fn new(all: &[Contestant], text: &str, len: usize) -> Vec<f64> {
    let mut random = Random::named("excerpts");
    let mut times = vec![Vec::new(); all.len()];
    let total = if measuring() { 128 << 10 } else { len };
    for round in 0..rounds() {
        let (mut excerpts, mut sum) = (Vec::new(), 0);
        while sum < total {
            let end = text.len() - len - len / 2;
            let from = cut(text, random.below(end));
            let to = cut(text, from + random.between(len / 2, len + len / 2));
            excerpts.push(&text.as_bytes()[from..to]);
            sum += to - from;
        }
        for turn in 0..all.len() {
            let i = (turn + round) % all.len();
            let start = Instant::now();
            assert!(excerpts.iter().all(|excerpt| all[i].answer(black_box(excerpt))));
            times[i].push(start.elapsed().as_nanos() as f64 / sum as f64);
        }
    }
    let third = |times: &mut Vec<f64>| {
        times.sort_unstable_by(f64::total_cmp);
        times[times.len() / 3]
    };
    let times: Vec<f64> = times.iter_mut().map(third).collect();
    times.iter().map(|time| times[0] / time).collect()
}

/// Adds what other ways take, and what forbidden characters cost.
fn others(texts: &[(String, String)], data: &mut Data) {
    type Way = fn(&[u8]) -> bool;
    let ways: [(&str, Way); 4] = [
        ("trust8", |bytes| Profile::ASSIGNABLES.is_valid(bytes)),
        ("rfc9839", rfc9839::bytes::is_unicode_assignable),
        ("std, rfc9839", |bytes| std::str::from_utf8(bytes).is_ok_and(rfc9839::str::is_unicode_assignable)),
        // The cheapest scan: it finds NUL alone.
        ("std, NUL", |bytes| std::str::from_utf8(bytes).is_ok() && !bytes.contains(&0)),
    ];
    data.heading(2, "Other ways");
    data.note(
        "GB/s on 64 KiB with `assignables`: the crate rfc9839 on bytes; std's `from_utf8` and then that crate on the text, or then \
         a search for NUL alone. The last column is the GB/s of `census` on the same text with a forbidden character \
         every 100 bytes.",
    );
    let mut table =
        Table::new(["text"].into_iter().chain(ways.iter().map(|way| way.0)).chain(["1 in 100 forbidden"]));
    for (name, text) in texts {
        let bytes = &text.as_bytes()[..floor(text.as_bytes(), LONG)];
        let mut poisoned = String::new();
        for c in text[..bytes.len()].chars() {
            poisoned.push(c);
            if poisoned.len() % 100 < c.len_utf8() {
                poisoned.push('\0');
            }
        }
        let gb_per_s = |len: usize, run: &mut dyn FnMut()| {
            let mut best = f64::MAX;
            for _ in 0..rounds() {
                let start = Instant::now();
                run();
                best = best.min(start.elapsed().as_nanos() as f64);
            }
            digits(len as f64 / best)
        };
        let speeds =
            ways.map(|(name, way)| gb_per_s(bytes.len(), &mut || assert!(way(black_box(bytes)), "{name}")));
        let forbidden = poisoned.bytes().filter(|&byte| byte == 0).count() as u64;
        let census = gb_per_s(poisoned.len(), &mut || {
            assert_eq!(Profile::ASSIGNABLES.census(black_box(&poisoned)).total(), forbidden);
        });
        table.row([name.clone()].into_iter().chain(speeds).chain([census]));
    }
    data.table(&table);
}

fn main() -> io::Result<()> {
    pin()?;
    let chosen: Vec<String> = env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let mut texts = texts();
    if !chosen.is_empty() {
        texts.retain(|(name, _)| chosen.iter().any(|part| name.contains(part)));
    }
    // File names have no tabs and no line ends, so its column would measure errors.
    let presets: Vec<_> =
        Profile::PRESETS.iter().filter(|(name, _)| !["scalars", "file-name"].contains(name)).collect();
    let mut data = Data::default();
    data.note(
        "speed of Profile::from_utf8 as a ratio to is_utf8 of the same kernel on the same text: 1 means that the profile costs nothing. \
         Learned: one text again and again. New: other excerpts in every round.",
    );
    for kernel in Kernel::available().iter().filter(|kernel| kernel.name() != "scalar") {
        let of = |profile| Contestant { kernel, profile };
        let all: Vec<Contestant> =
            [of(None)].into_iter().chain(presets.iter().map(|preset| of(Some(&preset.1)))).collect();
        let source = Profile::PRESETS.iter().find(|preset| preset.0 == "source").expect("it is a preset");
        let pair = [of(None), of(Some(&source.1))];
        let regimes: [(Regime, &str); 2] = [(learned, "learned"), (new, "new")];
        for (regime, name) in regimes {
            data.heading(2, &format!("{}, {name}: texts of 64 KiB", kernel.name()));
            let mut table = Table::new(["text"].into_iter().chain(presets.iter().map(|preset| preset.0)));
            for (name, text) in &texts {
                let ratios = regime(&all, text, LONG);
                table.row([name.clone()].into_iter().chain(ratios[1..].iter().copied().map(digits)));
            }
            data.table(&table);
            data.heading(2, &format!("{}, {name}: `source`, by length", kernel.name()));
            let mut table =
                Table::new(["text".to_owned()].into_iter().chain(LENGTHS.iter().map(usize::to_string)));
            for (name, text) in texts.iter().filter(|text| BY_LENGTH.contains(&text.0.as_str())) {
                let ratios = LENGTHS.iter().map(|&len| digits(regime(&pair, text, len)[1]));
                table.row([name.clone()].into_iter().chain(ratios));
            }
            data.table(&table);
        }
    }
    others(&texts, &mut data);
    data.publish(measuring() && !quick() && chosen.is_empty(), "profiles", &[])
}
