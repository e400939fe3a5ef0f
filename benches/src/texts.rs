//! The texts that are validated. They are generated, and the same in every run.
//!
//! A validator sees only how many bytes the characters take and how they alternate. So a text is a random
//! sequence of real words, with the word lengths, the punctuation and the share of ASCII of its language,
//! and has no meaning. If the environment variable [`CORPUS`] names a folder, its `*.txt` files are used
//! instead.

use std::fmt::Write;
use std::ops::RangeInclusive;
use std::path::Path;
use std::{env, fs, io};

use crate::random::Random;
use crate::vocabulary::{self, Words};

/// The environment variable that names a folder of texts to measure instead of the generated ones.
pub const CORPUS: &str = "TRUST8_CORPUS";

/// A text with its name.
#[derive(Clone, Debug)]
pub struct Text {
    /// The name in tables and plots.
    pub name: String,
    /// The text.
    pub text: String,
}

impl Text {
    /// Returns the share of bytes that are not ASCII.
    pub fn density(&self) -> f64 {
        let others = self.text.bytes().filter(|byte| !byte.is_ascii()).count();
        others as f64 / self.text.len().max(1) as f64
    }
}

/// The recipe for a text.
#[derive(Debug)]
pub struct Recipe {
    /// The text's name.
    pub name: &'static str,
    /// The bounds of the share of bytes that are not ASCII. A test checks them.
    pub density: RangeInclusive<f64>,
    append: Append,
}

/// How to append some text: a sentence, a paragraph or a line.
#[derive(Debug)]
enum Append {
    Prose(&'static Prose),
    Other(fn(&mut Random, &mut String)),
}

/// The generated texts, roughly from the one with the fewest non-ASCII bytes to those with the most.
pub static RECIPES: &[Recipe] = &[
    Recipe { name: "ASCII", density: 0.0..=0.0, append: Append::Prose(&ENGLISH) },
    Recipe { name: "JSON logs", density: 0.001..=0.01, append: Append::Other(json_log) },
    Recipe { name: "tweets", density: 0.1..=0.4, append: Append::Other(tweet) },
    Recipe { name: "German", density: 0.02..=0.05, append: Append::Prose(&GERMAN) },
    Recipe { name: "Latin", density: 0.04..=0.08, append: Append::Prose(&LATIN) },
    Recipe { name: "HTML, Russian", density: 0.3..=0.6, append: Append::Other(html_russian) },
    Recipe { name: "HTML, Chinese", density: 0.3..=0.6, append: Append::Other(html_chinese) },
    Recipe { name: "Russian", density: 0.86..=0.92, append: Append::Prose(&RUSSIAN) },
    Recipe { name: "Arabic", density: 0.86..=0.92, append: Append::Prose(&ARABIC) },
    Recipe { name: "Korean", density: 0.86..=0.93, append: Append::Prose(&KOREAN) },
    Recipe { name: "Hindi", density: 0.91..=0.96, append: Append::Prose(&HINDI) },
    Recipe { name: "Japanese", density: 0.96..=0.99, append: Append::Other(japanese) },
    Recipe { name: "Chinese", density: 0.985..=1.0, append: Append::Other(chinese) },
    Recipe { name: "emoji", density: 0.99..=1.0, append: Append::Other(emoji) },
    Recipe { name: "random", density: 0.85..=0.95, append: Append::Other(random_planes) },
];

/// Generates `len` bytes of the text of this name.
pub fn generated(name: &str, len: usize) -> Text {
    let recipe = RECIPES.iter().find(|recipe| recipe.name == name).expect("the text has a recipe");
    let mut random = Random::named(name);
    let mut text = String::with_capacity(len + 4096);
    while text.len() < len {
        match &recipe.append {
            Append::Prose(prose) => sentence(&mut random, &mut text, prose),
            Append::Other(append) => append(&mut random, &mut text),
        }
    }
    Text { name: name.to_owned(), text: cut(text, len) }
}

/// Returns the texts to measure, each of `len` bytes: the generated ones, or the files of [`CORPUS`].
pub fn texts(len: usize) -> io::Result<Vec<Text>> {
    match env::var_os(CORPUS) {
        Some(folder) => corpus(Path::new(&folder), len),
        None => Ok(RECIPES.iter().map(|recipe| generated(recipe.name, len)).collect()),
    }
}

/// Reads the `*.txt` files of a folder, in the order of their names. A file shorter than `len` bytes is repeated. Each
/// text is then cut to `len` bytes at a character boundary.
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

/// Cuts `text` to `len` bytes. If a character crosses the end, dots replace it.
fn cut(mut text: String, len: usize) -> String {
    let mut end = len;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text.extend((end..len).map(|_| '.'));
    text
}

/// Fills `buffer` with repetitions of `text`, for lengths at which no text is generated.
pub fn fill(buffer: &mut [u8], text: &str) {
    let mut repetitions = buffer.chunks_exact_mut(text.len());
    for repetition in repetitions.by_ref() {
        repetition.copy_from_slice(text.as_bytes());
    }
    let rest = repetitions.into_remainder();
    rest.copy_from_slice(cut(text.to_owned(), rest.len()).as_bytes());
}

/// The form of the sentences of a language.
#[derive(Debug)]
struct Prose {
    words: &'static Words,
    /// The highest number of words in a sentence. The lowest is four.
    longest: usize,
    comma: &'static str,
    stop: &'static str,
    /// The pair of quotation marks, and the `n` where one word in `n` is quoted.
    quotes: Option<([&'static str; 2], usize)>,
}

const fn prose(
    words: &'static Words,
    longest: usize,
    [comma, stop]: [&'static str; 2],
    quotes: Option<([&'static str; 2], usize)>,
) -> Prose {
    Prose { words, longest, comma, stop, quotes }
}

static ENGLISH: Prose = prose(&vocabulary::ENGLISH, 24, [",", "."], Some((["\"", "\""], 80)));
static LATIN: Prose = prose(&vocabulary::LATIN, 26, [",", "."], Some((["« ", " »"], 150)));
static GERMAN: Prose = prose(&vocabulary::GERMAN, 22, [",", "."], Some((["„", "“"], 60)));
static RUSSIAN: Prose = prose(&vocabulary::RUSSIAN, 18, [",", "."], Some((["«", "»"], 80)));
static ARABIC: Prose = prose(&vocabulary::ARABIC, 24, ["،", "."], None);
static HINDI: Prose = prose(&vocabulary::HINDI, 18, [",", "।"], None);
static KOREAN: Prose = prose(&vocabulary::KOREAN, 14, [",", "."], None);

/// Appends a sentence. Some words are numbers, and some sentences end a paragraph.
fn sentence(random: &mut Random, text: &mut String, prose: &Prose) {
    for i in 0..random.between(4, prose.longest) {
        if i > 0 {
            text.push_str(if random.once_in(9) { prose.comma } else { "" });
            text.push(' ');
        }
        let word = random.pick::<&str>(prose.words);
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

/// Appends `count` characters of a list. The first characters of the list are the most frequent.
fn characters(random: &mut Random, text: &mut String, list: &str, count: usize) {
    let end = list.len() / 3;
    for _ in 0..count {
        // The smaller of two random numbers: half of them are in the first three tenths of the list. Every
        // character of these lists has three bytes.
        let at = 3 * random.below(end).min(random.below(end));
        text.push_str(&list[at..at + 3]);
    }
}

fn chinese(random: &mut Random, text: &mut String) {
    for i in 0..random.between(1, 4) {
        text.push_str(if i > 0 { "，" } else { "" });
        let count = random.between(4, 14);
        characters(random, text, vocabulary::HANZI, count);
    }
    text.push('。');
    text.push_str(if random.once_in(8) { "\n\n" } else { "" });
}

fn japanese(random: &mut Random, text: &mut String) {
    for i in 0..random.between(1, 4) {
        text.push_str(if i > 0 { "、" } else { "" });
        for _ in 0..random.between(2, 6) {
            let kanji = random.between(0, 3);
            characters(random, text, vocabulary::HANZI, kanji);
            let kana = random.between(1, 5);
            characters(random, text, vocabulary::KANA, kana);
            if random.once_in(10) {
                let _ = write!(text, "{}", random.below(100));
            }
        }
    }
    text.push('。');
    text.push_str(if random.once_in(8) { "\n\n" } else { "" });
}

fn emoji(random: &mut Random, text: &mut String) {
    // The Unicode blocks of pictographs, emoticons, transport symbols and supplemental symbols.
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
    // A joiner is between emoji.
    if text.ends_with('\u{200D}') {
        text.pop();
    }
    text.push_str(if random.once_in(4) { "\n" } else { "" });
}

/// Returns a random character of `width` bytes. All characters of that width are equally likely.
pub fn random_char(random: &mut Random, width: usize) -> char {
    let (low, high) = match width {
        1 => (0x20, 0x7E),
        2 => (0x80, 0x7FF),
        3 => (0x800, 0xFFFF),
        _ => (0x1_0000, 0x10_FFFF),
    };
    loop {
        // A surrogate is no character, so another number is drawn.
        if let Some(char) = char::from_u32(low + random.below((high - low + 1) as usize) as u32) {
            return char;
        }
    }
}

fn random_planes(random: &mut Random, text: &mut String) {
    for _ in 0..64 {
        let width = random.between(1, 4);
        text.push(random_char(random, width));
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
    static SHORT: Prose = prose(&vocabulary::RUSSIAN, 7, [",", "."], None);
    html(random, text, |random, text| sentence(random, text, &SHORT));
}

fn html_chinese(random: &mut Random, text: &mut String) {
    html(random, text, |random, text| {
        let count = random.between(4, 24);
        characters(random, text, vocabulary::HANZI, count);
        text.push('。');
    });
}

fn tweet(random: &mut Random, text: &mut String) {
    let _ = write!(
        text,
        "{{\"created_at\":\"2025-{:02}-{:02}\",\"id\":{},\"text\":\"",
        random.between(1, 12),
        random.between(1, 28),
        random.next()
    );
    let mut words = String::new();
    japanese(random, &mut words);
    text.push_str(words.trim_end());
    let _ = write!(
        text,
        "\",\"source\":\"<a href=\\\"https://example.com/download\\\" rel=\\\"nofollow\\\">phone</a>\",\"truncated\":false,\"user\":{{\"id\":{},\"screen_name\":\"{}{}\",\"name\":\"",
        random.next() >> 32,
        random.pick::<&str>(&vocabulary::ENGLISH),
        random.below(1000),
    );
    characters(random, text, vocabulary::KANA, 4);
    let _ = writeln!(
        text,
        "\",\"location\":null,\"followers_count\":{},\"profile_image_url\":\"https://example.com/images/{:016x}.jpeg\",\"following\":false}},\"retweet_count\":{},\"favorited\":false,\"lang\":\"ja\"}}",
        random.below(5000),
        random.next(),
        random.below(100),
    );
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
        text.push_str(random.pick::<&str>(&vocabulary::ENGLISH));
    }
    let user = if random.once_in(12) {
        random.pick::<&str>(vocabulary::NAMES)
    } else {
        random.pick::<&str>(&vocabulary::ENGLISH)
    };
    let _ = writeln!(
        text,
        "\",\"user\":\"{user}\",\"status\":{},\"ms\":{}}}",
        random.pick(&[200, 200, 200, 204, 302, 404, 500]),
        random.below(3000),
    );
}

/// Generates `len` bytes of ordinary text: lines of a log in ASCII, with a character of `width` bytes at random places, on
/// average after `distance` bytes of ASCII. `number` tells texts of the same kind apart.
///
/// A log has no pattern that repeats every few bytes, and the distances vary as they do in prose: from each byte to the
/// next, the chance that a character comes is the same.
pub fn ordinary(width: usize, distance: usize, len: usize, number: usize) -> Text {
    let name = format!("{width}-byte characters, {distance} bytes apart");
    let mut random = Random::named(&format!("{name}, text {number}"));
    let mut log = Random::named(&format!("{name}, log {number}"));
    let mut text = String::with_capacity(len + 4096);
    let mut line = String::new();
    while text.len() < len {
        line.clear();
        json_log(&mut log, &mut line);
        for byte in line.chars().filter(char::is_ascii) {
            text.push(byte);
            if random.once_in(distance) {
                text.push(random_char(&mut random, width));
            }
        }
    }
    Text { name, text: cut(text, len) }
}
