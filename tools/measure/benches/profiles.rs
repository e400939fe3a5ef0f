//! Measures profiles: each preset against `is_utf8` on the same text, with the same kernel.
//!
//! ```text
//! cargo bench -p trust8-measure --bench profiles                     everything, written to docs/data/
//! cargo bench -p trust8-measure --bench profiles -- --quick [text]   fewer rounds, printed; only texts with such a name
//! ```
//!
//! *Learned*: one text again and again. *New*: other excerpts in every round.

use std::hint::black_box;
use std::io;
use std::time::Instant;

use trust8::Kernel;
use trust8::boundary::floor;
use trust8_measure::measure::{Bench, Placed, entry};
use trust8_measure::random::Random;
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

/// The texts that are made of these pieces, in random order.
const SUSPECTS: [(&str, &[&str]); 4] = [
    ("CR LF, tabs", &["\tfield\r\n", "\tfield of a table", "\tfield of a table", "\tfield of a table"]),
    ("quotes, dashes", &["“quoted” ", "it’s ", "words – dashes ", "an ordinary word, ", "more… "]),
    ("Persian, ZWNJ", &["می‌خواهم ", "خانه‌ها ", "کتاب ", "نمی‌دانم، ", "است "]),
    ("families", &["👩‍👩‍👧", "👨‍💻", "❤️", "🏳️‍🌈", "ok "]),
];

/// Returns the texts, each a few times as long as the longest excerpt.
fn texts(bench: &Bench) -> Vec<(&'static str, String)> {
    let len = bench.by(2 * LONG, 6 * LONG, 6 * LONG);
    let mut texts: Vec<_> = GENERATED.iter().map(|&name| (name, generated(name, len).text)).collect();
    // Emoji in random order are styled and joined as in no text.
    let emoji = texts.iter_mut().filter(|(name, _)| *name == "emoji");
    emoji.for_each(|(_, text)| text.retain(|c| !['\u{200D}', '\u{FE0F}'].contains(&c)));
    let mut random = Random::named("suspects");
    for (name, pieces) in SUSPECTS {
        let mut text = String::new();
        while text.len() < len {
            text.push_str(random.pick::<&str>(pieces));
        }
        texts.push((name, text));
    }
    texts.retain(|(name, _)| bench.wants(name));
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

type Regime = fn(&Bench, &[Contestant], &str, usize) -> Vec<f64>;

/// Returns the last place up to `at` that is beside no joiner, selector or carriage return. At the edge of a text they are strays.
fn cut(text: &str, at: usize) -> usize {
    let is_part = |c: Option<char>| {
        matches!(c, Some('\r' | '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{FE00}'..='\u{FE0F}'))
    };
    let mut at = floor(text.as_bytes(), at);
    while is_part(text[..at].chars().next_back()) || is_part(text[at..].chars().next()) {
        at = floor(text.as_bytes(), at - 1);
    }
    at
}

/// Returns the speed of each contestant as a ratio to the first one's, on one text again and again.
fn learned(bench: &Bench, all: &[Contestant], text: &str, len: usize) -> Vec<f64> {
    let mut best = vec![f64::MAX; all.len()];
    for offset in [1, 24] {
        let text = Placed::new(&text.as_bytes()[..cut(text, len)], offset);
        let calls = (bench.by(0, 200_000, 200_000) / len).clamp(bench.by(1, 2, 2), 2000);
        for _ in 0..bench.by(1, 12, 60) {
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
fn new(bench: &Bench, all: &[Contestant], text: &str, len: usize) -> Vec<f64> {
    let mut random = Random::named("excerpts");
    let mut times = vec![Vec::new(); all.len()];
    let total = bench.by(len, 128 << 10, 128 << 10);
    for round in 0..bench.by(1, 12, 60) {
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
fn others(bench: &mut Bench, texts: &[(&str, String)]) {
    bench.data.heading(2, "Other ways");
    bench.data.note(
        "GB/s on 64 KiB with `assignables`: the crate rfc9839 on bytes; std's `from_utf8` and then that crate on the text, or then \
         a search for NUL alone. The last column is the GB/s of `census` on the same text with a forbidden character \
         every 100 bytes.",
    );
    for (name, text) in texts {
        let bytes = &text.as_bytes()[..floor(text.as_bytes(), LONG)];
        let mut poisoned = String::new();
        for c in text[..bytes.len()].chars() {
            poisoned.push(c);
            if poisoned.len() % 100 < c.len_utf8() {
                poisoned.push('\0');
            }
        }
        let valid = || std::str::from_utf8(black_box(bytes)).expect("text");
        let is_assignable = rfc9839::str::is_unicode_assignable;
        let times = bench.race(
            1,
            vec![
                entry("trust8", || usize::from(Profile::ASSIGNABLES.is_valid(black_box(bytes)))),
                entry("rfc9839", || usize::from(rfc9839::bytes::is_unicode_assignable(black_box(bytes)))),
                entry("std, rfc9839", || usize::from(is_assignable(valid()))),
                // The cheapest scan: it finds NUL alone.
                entry("std, NUL", || usize::from(!valid().as_bytes().contains(&0))),
            ],
        );
        let forbidden = poisoned.bytes().filter(|&byte| byte == 0).count();
        let census = || Profile::ASSIGNABLES.census(black_box(&poisoned)).total() as usize;
        let of_census = bench.race(forbidden, vec![entry("1 in 100 forbidden", census)]);
        bench.data.row("text", name, times.gb_per_s(bytes.len()));
        bench.data.row("text", name, of_census.gb_per_s(poisoned.len()));
    }
}

fn main() -> io::Result<()> {
    let mut bench = Bench::start("profiles")?;
    let texts = texts(&bench);
    // File names have no tabs and no line ends, so its column would measure errors.
    let presets: Vec<_> =
        Profile::PRESETS.iter().filter(|(name, _)| !["scalars", "file-name"].contains(name)).collect();
    bench.data.note(
        "speed of Profile::from_utf8 as a ratio to is_utf8 of the same kernel on the same text: 1 means that the profile costs nothing. \
         Learned: one text again and again. New: other excerpts in every round.",
    );
    for kernel in Kernel::available().iter().filter(|kernel| kernel.name() != "scalar") {
        let of = |profile| Contestant { kernel, profile };
        let all: Vec<Contestant> =
            [of(None)].into_iter().chain(presets.iter().map(|preset| of(Some(&preset.1)))).collect();
        let source = Profile::PRESETS.iter().find(|preset| preset.0 == "source").expect("it is a preset");
        let pair = [of(None), of(Some(&source.1))];
        for (regime, name) in [(learned as Regime, "learned"), (new, "new")] {
            bench.data.heading(2, &format!("{}, {name}: texts of 64 KiB", kernel.name()));
            for (text_name, text) in &texts {
                let ratios = regime(&bench, &all, text, LONG);
                let names = presets.iter().map(|preset| preset.0);
                bench.data.row("text", text_name, names.zip(ratios[1..].iter().copied()));
            }
            bench.data.heading(2, &format!("{}, {name}: `source`, by length", kernel.name()));
            for (text_name, text) in texts.iter().filter(|text| BY_LENGTH.contains(&text.0)) {
                for len in LENGTHS {
                    let ratio = regime(&bench, &pair, text, len)[1];
                    bench.data.row("text", text_name, [(len.to_string(), ratio)]);
                }
            }
        }
    }
    others(&mut bench, &texts);
    bench.finish()
}
