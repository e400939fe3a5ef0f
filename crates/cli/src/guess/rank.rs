//! Ranks the encodings that bytes may be in.
//!
//! Each encoding makes a text of the bytes. How surprising the text is, in bits, depends on the language, so the most
//! favourable one counts: see `languages.rs`. Case, symbols inside words and the mixing of scripts cost extra. An
//! encoding that few people use costs more. The difference of two texts in bits is how much likelier one is than the
//! other, so a guess is certain if all other texts cost much more, and so do bytes that mean nothing.

use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

use super::languages::{ALL, FOREIGN, Language, NO_LETTER, Script};
use super::pages::{Page, johab};
use encoding_rs::*;

/// An encoding that extends ASCII.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Coding {
    Web(&'static Encoding),
    Page(Page),
    Johab,
}

/// An encoding, and how surprising the text would be in it.
#[derive(Clone, Copy, Debug)]
pub struct Ranked {
    pub coding: Coding,
    /// In bits.
    pub cost: f64,
    /// The part of it that is there because a character or two can be anything.
    pub few: f64,
}

/// What the bytes are in the likely encodings.
pub struct Ranking {
    /// The likeliest first, each with another text than the ones before it.
    pub codings: Vec<Ranked>,
    /// What the bytes would cost if those outside ASCII meant nothing.
    pub noise: f64,
}

/// Single-byte encodings, with what they cost because few people use them, and the groups of languages that they are for.
#[rustfmt::skip]
const SINGLE: [(&str, f64, &str); 54] = [
    ("windows-1252", 0.0, "west sout balt"), ("windows-1250", 0.5, "mid"), ("windows-1251", 0.5, "cyr"), ("windows-1253", 0.5, "grek"),
    ("windows-1254", 0.5, "turk"), ("windows-1255", 0.5, "heb"), ("windows-1256", 0.5, "arab"), ("windows-1257", 0.5, "balt"),
    ("windows-1258", 0.5, "viet"), ("windows-874", 0.5, "thai"),
    ("iso-8859-2", 1.0, "mid"), ("iso-8859-3", 2.0, "sout"), ("iso-8859-4", 3.0, "balt"), ("iso-8859-5", 2.0, "cyr"),
    ("iso-8859-6", 2.0, "arab"), ("iso-8859-7", 1.0, "grek"), ("iso-8859-8", 1.5, "heb"), ("iso-8859-10", 5.0, "balt"),
    ("iso-8859-13", 2.0, "balt"), ("iso-8859-14", 2.0, "celt"), ("iso-8859-15", 1.0, "west balt"), ("iso-8859-16", 12.0, "mid"),
    ("koi8-u", 1.0, "cyr"), ("koi8-r", 1.0, "cyr"), ("ibm866", 1.5, "cyr"), ("macintosh", 2.0, "west"), ("x-mac-cyrillic", 2.0, "cyr"),
    ("ibm437", 2.0, "west"), ("ibm720", 3.0, "arab"), ("ibm737", 3.0, "grek"), ("ibm775", 3.0, "balt"), ("ibm850", 2.0, "west"),
    ("ibm852", 2.0, "mid"), ("ibm855", 3.0, "cyr"), ("ibm857", 3.0, "turk"), ("ibm858", 5.0, "west"), ("ibm860", 4.0, "west"),
    ("ibm861", 4.0, "west"), ("ibm862", 3.0, "heb"), ("ibm863", 4.0, "west"), ("ibm865", 4.0, "west"), ("ibm869", 4.0, "grek"),
    ("ibm1125", 4.0, "cyr"), ("x-mac-greek", 3.0, "grek"), ("x-mac-turkish", 3.0, "turk"), ("x-mac-ce", 3.0, "mid balt"),
    ("x-mac-croatian", 4.0, "mid"), ("x-mac-romanian", 4.0, "mid"), ("x-mac-icelandic", 5.0, "west"), ("koi8-t", 6.0, "cyr"),
    ("kz-1048", 4.0, "cyr"), ("pt154", 6.0, "cyr"), ("viscii", 3.0, "viet"), ("tcvn", 3.0, "viet"),
];

/// What a language costs in an encoding that is not for it.
const ELSEWHERE: f64 = 6.0;

/// What each byte from 80 on costs that means nothing.
const NOISE: f64 = 8.5;

/// The encodings with characters of two bytes, with the languages that they are for.
const DOUBLE: [(Coding, &[&[u8; 4]], f64); 6] = [
    (Coding::Web(SHIFT_JIS), &[b"ja  "], 0.5),
    (Coding::Web(EUC_JP), &[b"ja  "], 0.5),
    (Coding::Web(GBK), &[b"zh  ", b"zt  "], 0.5),
    (Coding::Web(BIG5), &[b"zt  ", b"zh  "], 0.5),
    (Coding::Web(EUC_KR), &[b"ko  "], 0.5),
    (Coding::Johab, &[b"ko  "], 3.0),
];

/// Returns what `pieces` of a text mean in the likely encodings. `is_whole` is whether none of them begins or ends inside
/// a character.
pub fn rank(pieces: &[&[u8]], is_whole: bool) -> Ranking {
    let (languages, _) = &*ALL;
    let pairs = Pairs::of(pieces, languages);
    let mut codings: Vec<(Ranked, [char; 128])> = Vec::new();
    for single in &*SINGLES {
        let Single { coding, rarity, table, .. } = *single;
        let Some(cost) = pairs.cost(single, languages).map(|cost| cost + rarity) else { continue };
        // Two encodings that make the same text are one answer.
        let is_same = |other: &[char; 128]| {
            pairs.high.iter().all(|byte| table[usize::from(byte - 0x80)] == other[usize::from(byte - 0x80)])
        };
        match codings.iter_mut().find(|(_, other)| is_same(other)) {
            Some((ranked, _)) => ranked.cost = ranked.cost.min(cost),
            None => codings.push((Ranked { coding, cost, few: 0.0 }, table)),
        }
    }
    let mut codings: Vec<_> = codings.into_iter().map(|(ranked, _)| ranked).collect();
    for (coding, scripts, rarity) in DOUBLE {
        codings.extend(double(coding, scripts, pieces, is_whole).map(|(cost, few)| Ranked {
            coding,
            cost: cost + few + rarity,
            few,
        }));
    }
    codings.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    let text =
        |it: &Ranked| pieces.iter().map(|piece| decode(it.coding, piece, is_whole)).collect::<Vec<_>>();
    while let [first, second, ..] = &codings[..]
        && second.cost - first.cost < 8.0
        && text(first) == text(second)
    {
        codings.remove(1);
    }
    Ranking { codings, noise: pairs.noise(languages) }
}

/// Returns what `bytes`, a whole text, cost in an encoding. Returns `None` if they are not valid in it.
pub fn cost(coding: Coding, bytes: &[u8]) -> Option<f64> {
    if let Some((_, scripts, _)) = DOUBLE.iter().find(|(it, ..)| *it == coding) {
        return double(coding, scripts, &[bytes], true).map(|(cost, few)| cost + few);
    }
    let (languages, _) = &*ALL;
    let single = SINGLES.iter().find(|it| it.coding == coding)?;
    Pairs::of(&[bytes], languages).cost(single, languages)
}

/// Returns what a text costs in its language.
pub fn cost_of_text(text: &str) -> f64 {
    let (_, scripts) = &*ALL;
    let mut characters = Characters::default();
    characters.add(text);
    characters.cost(scripts.iter(), Coding::Web(UTF_8))
}

/// How often the characters of a text are there.
#[derive(Default)]
struct Characters {
    /// Pairs with a letter outside ASCII.
    pairs: HashMap<(char, char), f64>,
    /// Characters that are no letters of an alphabet.
    far: HashMap<char, f64>,
    /// What it costs that characters of East Asia are beside letters of ASCII.
    borders: f64,
}

impl Characters {
    fn add(&mut self, text: &str) {
        let (mut before, mut before_far) = (' ', false);
        for c in text.chars().chain([' ']) {
            let is_far = !c.is_ascii() && Letter::of(c).symbol > 10.0;
            if is_far {
                *self.far.entry(c).or_default() += 1.0;
            }
            if is_far != before_far {
                let other = if is_far { before } else { c };
                self.borders += match other {
                    'a'..='z' => 8.0,
                    'A'..='Z' => 5.0,
                    _ => 2.0,
                };
            }
            let c = if is_far || c.is_ascii() && !c.is_ascii_alphabetic() { ' ' } else { c };
            if !c.is_ascii() || !before.is_ascii() {
                *self.pairs.entry((before, c)).or_default() += 1.0;
            }
            (before, before_far) = (c, is_far);
        }
    }

    fn cost<'a>(&self, scripts: impl Iterator<Item = &'a Script>, coding: Coding) -> f64 {
        let (languages, _) = &*ALL;
        let pairs: Vec<_> =
            self.pairs.iter().map(|((a, b), n)| (Letter::of(*a), Letter::of(*b), *n)).collect();
        let near = languages.iter().map(|language| {
            let costs = pairs.iter().map(|(before, now, n)| {
                let class = now.class(language);
                let foreign = match class {
                    FOREIGN if now.is_ascii => 5.0,
                    FOREIGN => 10.0,
                    _ => 0.0,
                };
                n * (f64::from(language.cost(before.class(language), class)) / 8.0
                    + foreign
                    + before.extra(now))
            });
            costs.sum::<f64>()
        });
        let far = scripts.enumerate().map(|(i, script)| {
            self.far.iter().map(|(c, n)| n * far_cost(*c, script, coding)).sum::<f64>() + 4.0 * i as f64
        });
        near.fold(f64::INFINITY, f64::min) + far.fold(f64::INFINITY, f64::min) + self.borders
    }
}

/// A single-byte encoding.
struct Single {
    coding: Coding,
    rarity: f64,
    /// The groups of languages that it is for.
    groups: &'static str,
    table: [char; 128],
    /// What the bytes are, and the class of each in each language.
    letters: OnceLock<(Vec<Letter>, Vec<Vec<u8>>)>,
}

static SINGLES: LazyLock<Vec<Single>> = LazyLock::new(|| {
    let singles = SINGLE.iter().filter_map(|&(name, rarity, groups)| {
        let page = Page::all().find(|page| page.name() == name).map(Coding::Page);
        let coding = page.or_else(|| Encoding::for_label(name.as_bytes()).map(Coding::Web))?;
        Some(Single { coding, rarity, groups, table: table(coding), letters: OnceLock::new() })
    });
    singles.collect()
});

impl Single {
    fn letters(&self, languages: &[Language]) -> &(Vec<Letter>, Vec<Vec<u8>>) {
        self.letters.get_or_init(|| {
            let letters: Vec<_> = (0..0x80).map(char::from).chain(self.table).map(Letter::of).collect();
            let class = |language| letters.iter().map(|it| it.class(language)).collect();
            let classes = languages.iter().map(class).collect();
            (letters, classes)
        })
    }
}

/// The class of each byte in each language, if those from 80 on are no letters.
static ASCII: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let class = |byte, language| Letter::of(char::from(byte)).class(language);
    let classes = |language| {
        (0..=255).map(|byte| if byte < 0x80 { class(byte, language) } else { NO_LETTER }).collect()
    };
    ALL.0.iter().map(classes).collect()
});

/// Returns the characters of the bytes from 80 on. U+FFFD is none.
fn table(coding: Coding) -> [char; 128] {
    let mut table = [char::REPLACEMENT_CHARACTER; 128];
    for (byte, c) in (0x80..=0xFF).zip(&mut table) {
        let found = match coding {
            Coding::Web(web) => web.decode_without_bom_handling(&[byte]).0.chars().next(),
            Coding::Page(page) => page.character(byte),
            Coding::Johab => None,
        };
        *c = found.unwrap_or(*c);
    }
    table
}

/// How often each two bytes follow each other.
struct Pairs {
    /// Those with a byte from 80 on.
    counts: Vec<(u8, u8, f64)>,
    /// The bytes from 80 on that are there.
    high: Vec<u8>,
    /// How often each byte from 80 on is between two letters.
    inside: [f64; 128],
    /// What each language costs because other pairs of ASCII are more frequent in it.
    penalties: Vec<f64>,
}

/// What a byte is for the pairs: what no encoding makes a letter is the same.
fn plain(byte: u8) -> u8 {
    if byte.is_ascii_alphabetic() || byte >= 0x80 { byte } else { b' ' }
}

impl Pairs {
    fn of(pieces: &[&[u8]], languages: &[Language]) -> Self {
        let mut all = Vec::new();
        let mut inside = [0.0; 128];
        for piece in pieces {
            let (mut second, mut before) = (b' ', b' ');
            for byte in piece.iter().copied().chain([b' ']) {
                let byte = plain(byte);
                if before >= 0x80 && second != b' ' && byte != b' ' {
                    inside[usize::from(before - 0x80)] += 1.0;
                }
                second = before;
                all.push([before, byte]);
                before = byte;
            }
        }
        all.sort_unstable();
        let counts = all.chunk_by(|a, b| a == b).map(|same| (same[0][0], same[0][1], same.len() as f64));
        let (ascii, counts): (Vec<_>, Vec<_>) =
            counts.partition(|(before, now, _)| *before < 0x80 && *now < 0x80);
        let mut high: Vec<_> = counts.iter().map(|(_, byte, _)| *byte).filter(|byte| *byte >= 0x80).collect();
        high.sort_unstable();
        high.dedup();
        let costs = languages.iter().zip(&*ASCII).map(|(language, classes)| sum(&ascii, classes, language));
        let costs: Vec<_> = costs.collect();
        let least = costs.iter().copied().fold(f64::INFINITY, f64::min);
        // A text may have another language in ASCII than outside it, or a program may be around it.
        let penalties = costs.iter().map(|cost| ((cost - least) * 0.25).min(20.0)).collect();
        Self { counts, high, inside, penalties }
    }

    /// Returns what the text costs in its language. Returns `None` if a byte is no character.
    fn cost(&self, single: &Single, languages: &[Language]) -> Option<f64> {
        if self.high.iter().any(|byte| single.table[usize::from(byte - 0x80)] == char::REPLACEMENT_CHARACTER)
        {
            return None;
        }
        let (letters, classes) = single.letters(languages);
        let extra: f64 = self
            .counts
            .iter()
            .map(|(before, now, n)| n * letters[usize::from(*before)].extra(&letters[usize::from(*now)]))
            .sum();
        let inside: f64 = self.inside.iter().zip(&letters[0x80..]).map(|(n, letter)| n * letter.inside).sum();
        let costs =
            languages.iter().zip(&self.penalties).zip(classes).map(|((language, penalty), classes)| {
                let group = language.group.trim_ascii_end();
                let is_at_home = single.groups.split(' ').any(|it| it.as_bytes() == group);
                sum(&self.counts, classes, language) + penalty + if is_at_home { 0.0 } else { ELSEWHERE }
            });
        Some(costs.fold(f64::INFINITY, f64::min) + extra + inside)
    }

    /// Returns what the bytes cost if those from 80 on mean nothing.
    fn noise(&self, languages: &[Language]) -> f64 {
        let costs = languages
            .iter()
            .zip(&self.penalties)
            .zip(&*ASCII)
            .map(|((language, penalty), classes)| sum(&self.counts, classes, language) + penalty);
        let high: f64 = self.counts.iter().filter(|(_, now, _)| *now >= 0x80).map(|(.., n)| n).sum();
        costs.fold(f64::INFINITY, f64::min) + high * NOISE
    }
}

/// Returns what pairs of bytes cost in a language.
fn sum(counts: &[(u8, u8, f64)], classes: &[u8], language: &Language) -> f64 {
    let costs = counts.iter().map(|&(before, now, n)| {
        let foreign = match classes[usize::from(now)] {
            FOREIGN if now < 0x80 => 5.0,
            FOREIGN => 10.0,
            _ => 0.0,
        };
        let (before, now) = (classes[usize::from(before)], classes[usize::from(now)]);
        n * (f64::from(language.cost(before, now)) / 8.0 + foreign)
    });
    costs.sum()
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Alphabet {
    Latin,
    Greek,
    Cyrillic,
    Hebrew,
    Arabic,
    Thai,
}

/// What is known of a character without its language.
struct Letter {
    c: char,
    /// In lower case, if it is a letter.
    lower: Option<char>,
    is_upper: bool,
    is_lower: bool,
    script: Option<Alphabet>,
    /// What a symbol costs.
    symbol: f64,
    /// What a symbol costs between two letters.
    inside: f64,
    /// Whether the symbol may be before or after a letter.
    opens: bool,
    closes: bool,
    is_box: bool,
    is_ascii: bool,
}

impl Letter {
    fn of(c: char) -> Self {
        let script = script(c);
        let lower = script.map(|_| match c.to_lowercase().next().unwrap_or(c) {
            // Romanian has cedillas where its encodings lack commas.
            'ș' => 'ş',
            'ț' => 'ţ',
            lower => lower,
        });
        let is_box = matches!(c, '\u{2500}'..='\u{259F}');
        let symbol = match c {
            _ if script.is_some() => 0.0,
            '\0'..='\x7F' => 0.0,
            '“' | '”' | '„' | '‘' | '’' | '«' | '»' | '–' | '—' | '…' | '\u{A0}' | '،' | '؟' | '°' => {
                6.0
            }
            '‚' | '§' | '©' | '®' | '€' | '£' | '•' | '№' | '±' | '²' | '³' | '½' | '×' | 'º' | 'ª' | '¿'
            | '¡' | '‹' | '›' | '™' | '·' | '¼' | '¾' | '÷' | '\u{AD}' | '؛' | '¹' | '‐' | '−' | 'µ' => {
                9.0
            }
            '\u{200C}'..='\u{200F}' => 9.0,
            _ if is_box => 12.0,
            '\u{80}'..='\u{9F}' | '\u{E000}'..='\u{F8FF}' | '\u{FFFD}' => 30.0,
            _ => 14.0,
        };
        // What may be on either side of a letter.
        let is_beside = c.is_ascii()
            || matches!(
                c,
                '\u{200C}'
                    ..='\u{200F}'
                        | '\u{A0}'
                        | '\u{AD}'
                        | '«'
                        | '·'
                        | '»'
                        | '‐'
                        | '–'
                        | '—'
                        | '‘'
                        | '’'
                        | '“'
                        | '”'
                        | '‹'
                        | '›'
            );
        Self {
            c,
            lower,
            is_upper: c.is_uppercase() && script.is_some(),
            is_lower: c.is_lowercase() && script.is_some(),
            script,
            symbol,
            inside: match c {
                _ if script.is_some() => 0.0,
                '\0'..='\x7F' | '’' | '·' | '\u{AD}' | '‐' | '\u{200C}'..='\u{200F}' => 0.0,
                '–' | '—' | '\u{A0}' => 3.0,
                _ => 8.0,
            },
            opens: is_beside || matches!(c, '¡' | '§' | '©' | '¿' | '‚' | '„' | '•'),
            closes: is_beside
                || matches!(c, 'ª' | '®' | '°' | '²' | '³' | '¹' | 'º' | '،' | '؛' | '؟' | '…' | '™'),
            is_box,
            is_ascii: c.is_ascii(),
        }
    }

    fn class(&self, language: &Language) -> u8 {
        match self.lower {
            None => NO_LETTER,
            // The languages of other scripts have one class for the letters of ASCII.
            Some(_) if self.is_ascii && !language.is_latin => FOREIGN,
            Some(lower) => language.class(lower),
        }
    }

    /// Returns what `next` costs after this character, in addition to the letters.
    fn extra(&self, next: &Self) -> f64 {
        let mut cost = next.symbol;
        // Lines are drawn with the same character again and again.
        if next.is_box && self.is_box {
            cost = if self.c == next.c { 1.0 } else { 7.0 };
        }
        if self.script.is_some() && next.script.is_some() {
            if self.script != next.script {
                cost += 10.0;
            }
            if !(self.is_ascii && next.is_ascii) {
                if self.is_lower && next.is_upper {
                    cost += 8.0;
                } else if self.is_upper && next.is_upper {
                    cost += 1.5;
                }
            }
        } else if next.script.is_some() {
            if next.is_upper && !next.is_ascii {
                cost += 2.0;
            }
            if !self.opens {
                cost += 5.0;
            }
        } else if self.script.is_some() && !next.closes {
            cost += 5.0;
        }
        cost
    }
}

/// Returns the script of a letter or of a mark on one.
fn script(c: char) -> Option<Alphabet> {
    Some(match c {
        'a'..='z' | 'A'..='Z' | 'À'..='Ö' | 'Ø'..='ö' | 'ø'..='ɏ' | '\u{300}'..='\u{36F}' | 'Ḁ'..='ỿ' => {
            Alphabet::Latin
        }
        '\u{370}'..='\u{37D}' | '\u{37F}'..='\u{3FF}' if !matches!(c, '\u{384}' | '\u{385}' | '\u{387}') => {
            Alphabet::Greek
        }
        '\u{400}'..='\u{52F}' => Alphabet::Cyrillic,
        '\u{5D0}'..='\u{5F4}' | '\u{591}'..='\u{5C7}' => Alphabet::Hebrew,
        '\u{620}'..='\u{65F}' | '\u{66E}'..='\u{6D3}' | '\u{6D5}'..='\u{6ED}' => Alphabet::Arabic,
        '\u{E01}'..='\u{E3A}' | '\u{E40}'..='\u{E4E}' => Alphabet::Thai,
        _ => return None,
    })
}

/// Returns what `pieces` cost in an encoding with characters of two bytes, and what it costs besides that there are few.
fn double(coding: Coding, names: &[&[u8; 4]], pieces: &[&[u8]], is_whole: bool) -> Option<(f64, f64)> {
    let (_, scripts) = &*ALL;
    let mut characters = Characters::default();
    for piece in pieces {
        characters.add(&decode(coding, piece, is_whole)?);
    }
    let scripts = names.iter().filter_map(|name| scripts.iter().find(|script| script.name == *name));
    let few = if characters.far.len() + characters.pairs.len() < 4 { 20.0 } else { 0.0 };
    Some((characters.cost(scripts, coding), few))
}

/// Returns what a character costs in a language of East Asia.
fn far_cost(c: char, script: &Script, coding: Coding) -> f64 {
    if let Some(cost) = script.cost(c) {
        return f64::from(cost) / 8.0;
    }
    match c {
        '\u{3000}'..='\u{30FF}' | '\u{FF01}'..='\u{FF5E}' => 14.0,
        '\u{AC00}'..='\u{D7A3}' => {
            if script.name == b"ko  " && (coding != Coding::Web(EUC_KR) || is_common(c, coding)) {
                16.0
            } else {
                24.0
            }
        }
        '\u{FF61}'..='\u{FF9F}' => 12.0,
        '\u{4E00}'..='\u{9FFF}' if is_common(c, coding) => 15.0,
        '\u{4E00}'..='\u{9FFF}' => 24.0,
        '\u{E000}'..='\u{F8FF}' | '\u{80}'..='\u{9F}' | '\u{FFFD}' => 40.0,
        _ => 18.0,
    }
}

/// Whether the encoding has `c` among its common characters.
fn is_common(c: char, coding: Coding) -> bool {
    let Coding::Web(web) = coding else { return true };
    let mut text = [0; 4];
    let (bytes, ..) = web.encode(c.encode_utf8(&mut text));
    let [first, second] = *bytes else { return false };
    match web {
        it if it == GBK => second >= 0xA1 && matches!(first, 0xB0..=0xD7),
        it if it == BIG5 => matches!(first, 0xA4..=0xC6),
        it if it == SHIFT_JIS => matches!(first, 0x88..=0x98),
        it if it == EUC_JP => matches!(first, 0xB0..=0xCF),
        it if it == EUC_KR => second >= 0xA1 && first >= 0xA1,
        _ => true,
    }
}

/// Returns `bytes` as text, unless they are not valid in the encoding. If they are a part of a text, they may begin and
/// end inside a character.
pub(super) fn decode(coding: Coding, bytes: &[u8], is_whole: bool) -> Option<String> {
    let starts = if is_whole { 0..1 } else { 0..4 };
    starts.filter_map(|start| decode_from(coding, bytes.get(start..)?, is_whole)).next()
}

fn decode_from(coding: Coding, bytes: &[u8], is_whole: bool) -> Option<String> {
    let mut text = String::with_capacity(bytes.len() * 2);
    match coding {
        Coding::Web(web) => {
            let mut decoder = web.new_decoder_without_bom_handling();
            text.reserve(decoder.max_utf8_buffer_length_without_replacement(bytes.len())?);
            let (result, _) = decoder.decode_to_string_without_replacement(bytes, &mut text, is_whole);
            (result == DecoderResult::InputEmpty).then_some(text)
        }
        Coding::Page(page) => bytes.iter().map(|byte| page.character(*byte)).collect(),
        Coding::Johab => {
            let mut rest = bytes;
            while !rest.is_empty() {
                match johab(rest) {
                    Some((c, len)) => {
                        text.push(c);
                        rest = &rest[len..];
                    }
                    None if rest.len() == 1 && !is_whole => break,
                    None => return None,
                }
            }
            Some(text)
        }
    }
}
