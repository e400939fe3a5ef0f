//! The texts that are validated: generated, the same in every run, from no file.
//!
//! A validator sees of a text how many bytes its characters take and how they alternate. So the texts
//! have the word lengths, the punctuation and the share of ASCII that each language has, from random
//! sequences of real words, and mean nothing. With the environment variable [`CORPUS`] set to a folder,
//! its `*.txt` files are taken instead.

use std::fmt::Write;
use std::ops::RangeInclusive;
use std::path::Path;
use std::{env, fs, io};

use crate::random::Random;
use crate::words;

/// The environment variable that names a folder of texts to measure instead of the generated ones.
pub const CORPUS: &str = "TRUST8_CORPUS";

/// A text with its name.
#[derive(Clone, Debug)]
pub struct Text {
    /// For tables and plots.
    pub name: String,
    /// The text.
    pub text: String,
}

/// What kind of text it is, for those targets that speak of one kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Nothing but ASCII.
    Ascii,
    /// Mostly two-byte characters, with ASCII between: Cyrillic, Arabic, Greek, Hebrew.
    TwoByte,
    /// Hardly anything but three- and four-byte characters: Chinese, Japanese, emoji.
    Dense,
    /// All others.
    Mixed,
}

impl Text {
    /// The kind, judged by the text and not by its name, so that it holds for any corpus.
    #[must_use]
    pub fn kind(&self) -> Kind {
        let bytes = self.text.len().max(1) as f64;
        let share = |width: RangeInclusive<usize>| {
            let chars = self.text.chars().map(char::len_utf8);
            chars.filter(|taken| width.contains(taken)).sum::<usize>() as f64 / bytes
        };
        if self.text.is_ascii() {
            Kind::Ascii
        } else if share(3..=4) > 0.95 {
            Kind::Dense
        } else if share(2..=2) > 0.7 && share(3..=4) < 0.01 {
            Kind::TwoByte
        } else {
            Kind::Mixed
        }
    }

    /// The share of bytes that are not ASCII.
    #[must_use]
    pub fn density(&self) -> f64 {
        let others = self.text.bytes().filter(|byte| !byte.is_ascii()).count();
        others as f64 / self.text.len().max(1) as f64
    }
}

/// How a text is made.
#[derive(Debug)]
pub struct Recipe {
    /// The text's name.
    pub name: &'static str,
    /// What the text stands for.
    pub about: &'static str,
    /// Bounds of the share of bytes that are not ASCII, held by a test.
    pub density: RangeInclusive<f64>,
    /// Appends a piece: a sentence, a paragraph, a line.
    piece: fn(&mut Random, &mut String),
}

/// The generated texts, from the one with the fewest bytes outside ASCII to the ones with the most.
pub const RECIPES: &[Recipe] = &[
    Recipe { name: "ASCII", about: "English prose", density: 0.0..=0.0, piece: english },
    Recipe {
        name: "JSON logs",
        about: "lines of a service's log; a name in twenty is not ASCII",
        density: 0.001..=0.01,
        piece: json_log,
    },
    Recipe {
        name: "German",
        about: "umlauts, and rarely a pair of quotation marks",
        density: 0.02..=0.05,
        piece: german,
    },
    Recipe { name: "Latin", about: "French and Portuguese: accents", density: 0.04..=0.08, piece: latin },
    Recipe {
        name: "HTML, Russian",
        about: "tags and attributes in ASCII, the text between in Russian",
        density: 0.3..=0.6,
        piece: html_russian,
    },
    Recipe {
        name: "HTML, Chinese",
        about: "tags and attributes in ASCII, the text between in Chinese",
        density: 0.3..=0.6,
        piece: html_chinese,
    },
    Recipe {
        name: "Russian",
        about: "Cyrillic words and ASCII spaces",
        density: 0.86..=0.92,
        piece: russian,
    },
    Recipe { name: "Arabic", about: "Arabic words and ASCII spaces", density: 0.86..=0.92, piece: arabic },
    Recipe { name: "Korean", about: "Hangul words and ASCII spaces", density: 0.86..=0.93, piece: korean },
    Recipe { name: "Hindi", about: "Devanagari words and ASCII spaces", density: 0.91..=0.96, piece: hindi },
    Recipe {
        name: "Japanese",
        about: "kanji and kana, some numbers in ASCII",
        density: 0.96..=0.99,
        piece: japanese,
    },
    Recipe { name: "Chinese", about: "hanzi and their punctuation", density: 0.985..=1.0, piece: chinese },
    Recipe {
        name: "emoji",
        about: "four-byte emoji, with joiners and variation selectors",
        density: 0.99..=1.0,
        piece: emoji,
    },
    Recipe {
        name: "random",
        about: "one to four bytes with equal chance, all planes: no language, the worst for a branch predictor",
        density: 0.85..=0.95,
        piece: random_planes,
    },
];

/// The generated text of this name, `len` bytes long.
///
/// # Panics
///
/// If there is no recipe of this name.
#[must_use]
pub fn generated(name: &str, len: usize) -> Text {
    let recipe = RECIPES.iter().find(|recipe| recipe.name == name).expect("a text that has a recipe");
    let mut random = Random::named(name);
    let mut text = String::with_capacity(len + 4096);
    while text.len() < len {
        (recipe.piece)(&mut random, &mut text);
    }
    Text { name: name.to_owned(), text: cut(text, len) }
}

/// The texts to measure, each `len` bytes long: the generated ones, or the files of [`CORPUS`].
///
/// # Errors
///
/// If the folder or one of its files cannot be read, or a file is not UTF-8.
pub fn texts(len: usize) -> io::Result<Vec<Text>> {
    match env::var_os(CORPUS) {
        Some(folder) => corpus(Path::new(&folder), len),
        None => Ok(RECIPES.iter().map(|recipe| generated(recipe.name, len)).collect()),
    }
}

/// The `*.txt` files of a folder in the order of their names, each trimmed to `len` bytes at a character
/// boundary. A shorter file is repeated first.
///
/// # Errors
///
/// If the folder or one of its files cannot be read, a file is empty or not UTF-8, or there is none.
pub fn corpus(folder: &Path, len: usize) -> io::Result<Vec<Text>> {
    let about = |path: &Path, error: &dyn std::fmt::Display| {
        io::Error::other(format!("{CORPUS}: {}: {error}", path.display()))
    };
    let entries = fs::read_dir(folder).map_err(|error| about(folder, &error))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
    paths.sort();
    if paths.is_empty() {
        return Err(about(folder, &"no file named *.txt"));
    }
    let read = |path: &Path| {
        let text = fs::read_to_string(path).map_err(|error| about(path, &error))?;
        if text.is_empty() {
            return Err(about(path, &"the file is empty"));
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let name = name.strip_suffix(".utf8").unwrap_or(&name).to_owned();
        Ok(Text { name, text: cut(text.repeat(len.div_ceil(text.len())), len) })
    };
    paths.iter().map(|path| read(path)).collect()
}

/// The text's beginning, `len` bytes long: where a character crosses the end, dots take its place.
fn cut(mut text: String, len: usize) -> String {
    let mut end = len;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text.extend((end..len).map(|_| '.'));
    text
}

/// Fills the room with the text, over and over: for lengths of which no text is made.
pub fn fill(room: &mut [u8], text: &str) {
    let mut pieces = room.chunks_exact_mut(text.len());
    for piece in pieces.by_ref() {
        piece.copy_from_slice(text.as_bytes());
    }
    let rest = pieces.into_remainder();
    rest.copy_from_slice(cut(text.to_owned(), rest.len()).as_bytes());
}

/// How sentences of a language look.
struct Prose {
    words: &'static [&'static str],
    /// The most words in a sentence; the fewest are four.
    longest: usize,
    comma: &'static str,
    stop: &'static str,
    /// Quotation marks, and one in how many words they enclose.
    quotes: Option<([&'static str; 2], usize)>,
}

/// Appends a sentence of words, and now and then a number or the end of the paragraph.
fn sentence(random: &mut Random, text: &mut String, prose: &Prose) {
    for i in 0..random.between(4, prose.longest) {
        if i > 0 {
            text.push_str(if random.once_in(9) { prose.comma } else { "" });
            text.push(' ');
        }
        let word = pick(random, prose.words);
        match prose.quotes {
            Some((quotes, times)) if random.once_in(times) => {
                text.push_str(quotes[0]);
                text.push_str(word);
                text.push_str(quotes[1]);
            }
            _ if random.once_in(60) => {
                let _ = write!(text, "{}", random.below(2100));
            }
            _ if i == 0 => {
                let mut chars = word.chars();
                text.extend(chars.next().into_iter().flat_map(char::to_uppercase));
                text.push_str(chars.as_str());
            }
            _ => text.push_str(word),
        }
    }
    text.push_str(prose.stop);
    text.push_str(if random.once_in(5) { "\n\n" } else { " " });
}

/// One of the words of a list.
fn pick(random: &mut Random, list: &'static [&'static str]) -> &'static str {
    list[random.below(list.len())]
}

fn english(random: &mut Random, text: &mut String) {
    let quotes = Some((["\"", "\""], 80));
    sentence(random, text, &Prose { words: words::ENGLISH, longest: 24, comma: ",", stop: ".", quotes });
}

fn latin(random: &mut Random, text: &mut String) {
    let quotes = Some((["« ", " »"], 150));
    sentence(random, text, &Prose { words: words::LATIN, longest: 26, comma: ",", stop: ".", quotes });
}

fn german(random: &mut Random, text: &mut String) {
    let quotes = Some((["„", "“"], 60));
    sentence(random, text, &Prose { words: words::GERMAN, longest: 22, comma: ",", stop: ".", quotes });
}

fn russian(random: &mut Random, text: &mut String) {
    let quotes = Some((["«", "»"], 80));
    sentence(random, text, &Prose { words: words::RUSSIAN, longest: 18, comma: ",", stop: ".", quotes });
}

fn arabic(random: &mut Random, text: &mut String) {
    let prose = Prose { words: words::ARABIC, longest: 24, comma: "،", stop: ".", quotes: None };
    sentence(random, text, &prose);
}

fn hindi(random: &mut Random, text: &mut String) {
    let prose = Prose { words: words::HINDI, longest: 18, comma: ",", stop: "।", quotes: None };
    sentence(random, text, &prose);
}

fn korean(random: &mut Random, text: &mut String) {
    let prose = Prose { words: words::KOREAN, longest: 14, comma: ",", stop: ".", quotes: None };
    sentence(random, text, &prose);
}

/// Appends some characters of a list: the earlier they stand, the more often they come.
fn signs(random: &mut Random, text: &mut String, list: &str, count: usize) {
    let end = list.len() / 3;
    for _ in 0..count {
        // The smaller of two draws: half of all draws are from the first three tenths. Every
        // character of these lists takes three bytes.
        let at = 3 * random.below(end).min(random.below(end));
        text.push_str(&list[at..at + 3]);
    }
}

fn chinese(random: &mut Random, text: &mut String) {
    for i in 0..random.between(1, 4) {
        text.push_str(if i > 0 { "，" } else { "" });
        let count = random.between(4, 14);
        signs(random, text, words::HANZI, count);
    }
    text.push('。');
    text.push_str(if random.once_in(8) { "\n\n" } else { "" });
}

fn japanese(random: &mut Random, text: &mut String) {
    for i in 0..random.between(1, 4) {
        text.push_str(if i > 0 { "、" } else { "" });
        for _ in 0..random.between(2, 6) {
            let kanji = random.between(0, 3);
            signs(random, text, words::HANZI, kanji);
            let kana = random.between(1, 5);
            signs(random, text, words::KANA, kana);
            if random.once_in(10) {
                let _ = write!(text, "{}", random.below(100));
            }
        }
    }
    text.push('。');
    text.push_str(if random.once_in(8) { "\n\n" } else { "" });
}

fn emoji(random: &mut Random, text: &mut String) {
    // Pictographs, emoticons, transport, supplemental symbols.
    const BLOCKS: [(u32, u32); 4] =
        [(0x1F300, 0x1F5FF), (0x1F600, 0x1F64F), (0x1F680, 0x1F6C5), (0x1F900, 0x1F9FF)];
    for _ in 0..random.between(20, 60) {
        let &(low, high) = random.pick(&BLOCKS);
        text.extend(char::from_u32(low + random.below((high - low + 1) as usize) as u32));
        match random.below(24) {
            0 => text.push('\u{FE0F}'),
            1 => text.extend(char::from_u32(0x1F3FB + random.below(5) as u32)),
            2 => text.push('\u{200D}'),
            _ => {}
        }
    }
    text.push_str(if random.once_in(4) { "\n" } else { "" });
}

/// One to four bytes with equal chance; within a length every code point is equally likely.
pub(crate) fn any_char(random: &mut Random, width: usize) -> char {
    let (low, high) = match width {
        1 => (0x20, 0x7E),
        2 => (0x80, 0x7FF),
        3 => (0x800, 0xFFFF),
        _ => (0x1_0000, 0x10_FFFF),
    };
    loop {
        // A surrogate is no character: draw again.
        if let Some(char) = char::from_u32(low + random.below((high - low + 1) as usize) as u32) {
            return char;
        }
    }
}

fn random_planes(random: &mut Random, text: &mut String) {
    for _ in 0..64 {
        let width = random.between(1, 4);
        text.push(any_char(random, width));
    }
}

fn html(random: &mut Random, text: &mut String, inner: fn(&mut Random, &mut String)) {
    match random.below(6) {
        0 => {
            let (id, depth) = (random.below(10_000), random.between(2, 4));
            let _ = write!(text, "<h{depth} id=\"section-{id}\"><a class=\"anchor\" href=\"#section-{id}\">");
            inner(random, text);
            let _ = writeln!(text, "</a></h{depth}>");
        }
        1 => {
            text.push_str("<ul class=\"nav navbar-nav\">\n");
            for _ in 0..random.between(2, 5) {
                let _ = write!(text, "  <li><a href=\"/item/{}.html\" title=\"\">", random.below(100_000));
                inner(random, text);
                text.push_str("</a></li>\n");
            }
            text.push_str("</ul>\n");
        }
        2 => {
            let _ = write!(
                text,
                "<div class=\"row mt-4\"><img src=\"/static/img/{:08x}.jpg\" width=\"{}\" height=\"240\" \
                 loading=\"lazy\" alt=\"\">\n<p class=\"caption text-muted\">",
                random.next() as u32,
                random.between(200, 900)
            );
            inner(random, text);
            text.push_str("</p></div>\n");
        }
        _ => {
            text.push_str("<p class=\"text\">");
            for _ in 0..random.between(1, 3) {
                inner(random, text);
                if random.once_in(2) {
                    let _ = write!(text, "<a href=\"https://www.example.org/{}\">", random.below(100_000));
                    inner(random, text);
                    text.push_str("</a> ");
                }
            }
            text.push_str("</p>\n");
        }
    }
}

fn html_russian(random: &mut Random, text: &mut String) {
    html(random, text, |random, text| {
        let prose = Prose { words: words::RUSSIAN, longest: 7, comma: ",", stop: ".", quotes: None };
        sentence(random, text, &prose);
    });
}

fn html_chinese(random: &mut Random, text: &mut String) {
    html(random, text, |random, text| {
        let count = random.between(4, 24);
        signs(random, text, words::HANZI, count);
        text.push('。');
    });
}

fn json_log(random: &mut Random, text: &mut String) {
    const LEVELS: [&str; 6] = ["debug", "info", "info", "info", "warn", "error"];
    const SERVICES: [&str; 5] = ["checkout", "auth", "search-frontend", "mailer", "billing"];
    let _ = write!(
        text,
        "{{\"ts\":\"2025-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z\",\"level\":\"{}\",\"service\":\"{}\",\"trace\":\"{:016x}\",\"msg\":\"",
        random.between(1, 12),
        random.between(1, 28),
        random.below(24),
        random.below(60),
        random.below(60),
        random.below(1000),
        random.pick(&LEVELS),
        random.pick(&SERVICES),
        random.next(),
    );
    for i in 0..random.between(3, 10) {
        text.push_str(if i > 0 { " " } else { "" });
        text.push_str(pick(random, words::ENGLISH));
    }
    let user = if random.once_in(12) { pick(random, words::NAMES) } else { pick(random, words::ENGLISH) };
    let _ = writeln!(
        text,
        "\",\"user\":\"{user}\",\"status\":{},\"ms\":{}}}",
        random.pick(&[200, 200, 200, 204, 302, 404, 500]),
        random.below(3000),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEN: usize = 65_536;

    #[test]
    fn texts_are_as_long_as_asked() {
        for recipe in RECIPES {
            for len in [0, 1, 2, 3, 100, 4096, LEN] {
                assert_eq!(generated(recipe.name, len).text.len(), len, "{}", recipe.name);
            }
        }
    }

    #[test]
    fn texts_are_the_same_every_time_and_differ_from_each_other() {
        let all = || RECIPES.iter().map(|recipe| generated(recipe.name, LEN).text).collect::<Vec<_>>();
        let texts = all();
        assert_eq!(texts, all());
        for (i, text) in texts.iter().enumerate() {
            assert!(texts[..i].iter().all(|other| other != text));
        }
    }

    #[test]
    fn a_short_text_is_the_beginning_of_a_long_one() {
        for recipe in RECIPES {
            let (short, long) = (generated(recipe.name, 1000).text, generated(recipe.name, LEN).text);
            // The last three bytes may be dots in place of a character that was cut.
            assert!(long.as_bytes().starts_with(&short.as_bytes()[..997]), "{}", recipe.name);
        }
    }

    #[test]
    fn texts_are_as_dense_as_their_recipes_say() {
        let off = RECIPES.iter().filter_map(|recipe| {
            let density = generated(recipe.name, LEN).density();
            let off = !recipe.density.contains(&density);
            off.then(|| format!("{}: {density:.4} of {:?}", recipe.name, recipe.density))
        });
        assert_eq!(off.collect::<Vec<_>>(), [""; 0]);
    }

    #[test]
    fn words_have_the_lengths_of_their_languages() {
        // Characters in a word, spaces not counted: bounds around what prose in these languages has.
        for (name, bounds) in [
            ("ASCII", 3.5..5.5),
            ("German", 4.5..7.0),
            ("Latin", 4.0..6.0),
            ("Russian", 4.5..7.0),
            ("Arabic", 3.5..6.0),
            ("Korean", 2.5..4.5),
            ("Hindi", 3.5..6.5),
        ] {
            let text = generated(name, LEN).text;
            let (chars, words) = text
                .split_whitespace()
                .fold((0, 0), |(chars, words), word| (chars + word.chars().count(), words + 1));
            let mean = chars as f64 / words as f64;
            assert!(bounds.contains(&mean), "{name}: {mean:.2} of {bounds:?}");
        }
    }

    #[test]
    fn kinds_are_told_from_the_text() {
        for (name, kind) in [
            ("ASCII", Kind::Ascii),
            ("Russian", Kind::TwoByte),
            ("Arabic", Kind::TwoByte),
            ("Chinese", Kind::Dense),
            ("Japanese", Kind::Dense),
            ("emoji", Kind::Dense),
            ("German", Kind::Mixed),
            ("HTML, Russian", Kind::Mixed),
            ("random", Kind::Mixed),
        ] {
            assert_eq!(generated(name, LEN).kind(), kind, "{name}");
        }
    }

    #[test]
    fn the_random_text_visits_every_plane_and_length() {
        let text = generated("random", LEN).text;
        for plane in 0..=16 {
            assert!(text.chars().any(|char| char as u32 >> 16 == plane), "plane {plane}");
        }
        for width in 1..=4 {
            let count = text.chars().filter(|char| char.len_utf8() == width).count();
            let share = count as f64 / text.chars().count() as f64;
            assert!((0.23..0.27).contains(&share), "{width} bytes: {share:.3}");
        }
    }

    #[test]
    fn signs_take_three_bytes() {
        for list in [words::HANZI, words::KANA] {
            assert!(list.chars().all(|char| char.len_utf8() == 3));
        }
    }

    #[test]
    fn filling_repeats_and_pads() {
        for (len, want) in [(8, "aéaéa."), (6, "aéaé"), (2, "a."), (0, "")] {
            let mut room = vec![0; len];
            fill(&mut room, "aé");
            assert_eq!(room, want.as_bytes());
        }
    }

    #[test]
    fn a_corpus_is_trimmed_at_a_character_boundary() {
        let folder = env::temp_dir().join(format!("trust8-corpus-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        assert!(corpus(&folder, 10).unwrap_err().to_string().contains("no file named *.txt"));
        fs::write(folder.join("b.txt"), "日本語日本語").unwrap();
        fs::write(folder.join("a.utf8.txt"), "abc").unwrap();
        fs::write(folder.join("c.md"), b"\xFF").unwrap();
        let texts = corpus(&folder, 10).unwrap();
        let texts: Vec<_> = texts.iter().map(|text| (text.name.as_str(), text.text.as_str())).collect();
        assert_eq!(texts, [("a", "abcabcabca"), ("b", "日本語.")]);
        fs::write(folder.join("d.txt"), b"ab\xFF").unwrap();
        assert!(corpus(&folder, 10).unwrap_err().to_string().contains("d.txt"));
        fs::write(folder.join("d.txt"), b"").unwrap();
        assert!(corpus(&folder, 10).unwrap_err().to_string().contains("the file is empty"));
        fs::remove_dir_all(&folder).unwrap();
    }
}
