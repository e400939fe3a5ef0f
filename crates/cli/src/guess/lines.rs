//! Files that are UTF-8 in some lines, and another encoding in others; and files in UTF-8 with damage.
//!
//! A line that has characters of UTF-8 outside ASCII is UTF-8, and what is invalid in it is damage,
//! which stays. The other lines are in one other encoding if that makes a far likelier text of them
//! than any other does, and than damage would be.

use super::evidence::Evidence;
use super::{Coding, Ranking, cost, cost_of_text, decode, rank};
use crate::charset::Charset;

/// How many bits the likeliest encoding has to be ahead of the others. One bit more means that a
/// wrong guess is half as likely.
pub(super) const ENOUGH: f64 = 8.0;
/// The same for bytes that mean nothing.
const ENOUGH_MEANING: f64 = 2.0;
/// What a damaged sequence costs in bits: how rare one is in a text.
const DAMAGE: f64 = 16.0;
/// The same, if other lines show that the text has lines in another encoding.
const DAMAGE_BESIDE_OTHERS: f64 = 20.0;
/// What each byte of a damaged sequence costs after the first.
const BYTE: f64 = 8.0;
/// The same for lines of a mixed file, which may be few: what was wrong in 3,500 files was ahead by 10 bits
/// at most in encodings of Latin letters, and by 19.4 in others.
const LIKELY: f64 = 12.0;
const LIKELY_IN_OTHER_SCRIPTS: f64 = 20.0;
/// The same to be certain, so that lines are decoded if no option says so.
const CERTAIN: f64 = 24.0;

const IMPLAUSIBLE: &str = "no encoding makes plausible text of it: name the encoding with --from";
const AMBIGUOUS: &str = "more than one encoding makes plausible text of it: name the encoding with --from";

/// Returns the encoding that makes the likeliest text, if all others are much less likely.
pub(super) fn choose(ranking: &Ranking) -> Result<Coding, &'static str> {
    let Some(first) = ranking.codings.first() else { return Err(IMPLAUSIBLE) };
    if ranking.noise - first.cost < ENOUGH_MEANING {
        return Err(IMPLAUSIBLE);
    }
    let is_ahead = ranking.codings.get(1).is_none_or(|second| second.cost - first.cost >= ENOUGH);
    if is_ahead { Ok(first.coding) } else { Err(AMBIGUOUS) }
}

/// The encoding of lines that are not UTF-8.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Others {
    pub(crate) charset: Charset,
    /// Whether it is so far ahead of the other encodings that no option has to name it.
    pub(crate) is_certain: bool,
    /// The first bytes, from C0 on, of the characters in the lines that are UTF-8.
    leads: u64,
}

/// The lines of a sample that have bytes outside ASCII.
pub(super) struct Sorted<'a> {
    /// Those that are UTF-8, or damaged UTF-8.
    utf8: Vec<&'a [u8]>,
    /// Those that are not.
    others: Vec<&'a [u8]>,
}

impl<'a> Sorted<'a> {
    pub(super) fn of(evidence: &'a Evidence) -> Self {
        let lines = evidence.pieces().flat_map(|piece| piece.split(|byte| *byte == b'\n'));
        let lines = lines.filter(|line| !line.is_ascii());
        let (utf8, others) = lines.partition(|line| is_utf8(line));
        Self { utf8, others }
    }

    /// Whether the lines that may be UTF-8 are, and the whole is not in the encoding that `ranking` has first. Lines
    /// without damage decide, if there are some: a damaged one may be in another encoding.
    pub(super) fn is_utf8(&self, ranking: &Ranking) -> bool {
        let whole: Vec<_> = self.utf8.iter().filter(|line| trust8::is_utf8(line)).copied().collect();
        let lines = if whole.is_empty() { &self.utf8 } else { &whole };
        if lines.is_empty() {
            return false;
        }
        let Some(first) = ranking.codings.first() else { return true };
        let as_utf8: f64 = lines.iter().map(|line| damage(line, DAMAGE)).sum();
        let ranking = rank(lines, true);
        let as_other = ranking.codings.iter().find(|it| it.coding == first.coding).map(|it| it.cost - it.few);
        // Most files are in one encoding. The fewer lines are UTF-8, the more surprising it is that just these are.
        let (n, others) = (lines.len() as f64, self.others.len() as f64);
        let mixed = if others == 0.0 { 0.0 } else { ENOUGH + n * ((n + others) / n).log2() };
        as_other.is_none_or(|cost| as_utf8 + mixed < cost)
    }

    /// Returns the encoding of the lines that are not UTF-8, if it is likely.
    pub(super) fn others(&self, has_mark: bool) -> Option<Others> {
        let leads =
            self.utf8.iter().flat_map(|line| line.utf8_chunks()).flat_map(|chunk| chunk.valid().bytes());
        let leads = leads.filter(|byte| *byte >= 0xC0).fold(0, |leads, byte| leads | 1 << (byte - 0xC0));
        let others: Vec<_> = self.others.iter().filter(|line| !may_be_cut(line, leads)).copied().collect();
        let first = rank(&others, true).codings.first()?.coding;
        // Other lines may be damaged.
        let is_other = |line: &&&[u8]| cost(first, line).is_some_and(|cost| cost < damage(line, DAMAGE));
        let lines: Vec<_> = others.iter().filter(is_other).copied().collect();
        let ranking = rank(&lines, true);
        let charset = Charset::from(choose(&ranking).ok()?);
        let damaged: f64 = lines.iter().map(|line| damage(line, DAMAGE)).sum();
        let first = ranking.codings.first()?.cost;
        let second = ranking.codings[1..].iter().map(|it| it.cost - it.few).fold(f64::INFINITY, f64::min);
        let margin = second.min(damaged) - first;
        let is_meant = ranking.noise - first >= ENOUGH;
        // Who writes the mark of UTF-8 hardly appends lines in another encoding.
        let is_certain = margin >= CERTAIN && is_meant && !has_mark;
        let is_latin = charset.is_single_byte() && !is_foreign_alphabet(charset);
        let is_likely =
            if is_latin { margin >= LIKELY } else { margin >= LIKELY_IN_OTHER_SCRIPTS && is_meant };
        is_likely.then_some(Others { charset, is_certain, leads })
    }
}

/// Whether a line that has bytes outside ASCII is UTF-8 rather than text in another encoding, in which
/// some bytes may be characters of UTF-8 by chance.
fn is_utf8(line: &[u8]) -> bool {
    let (mut valid, mut invalid) = (0, 0);
    for chunk in line.utf8_chunks() {
        valid += chunk.valid().chars().filter(|c| !c.is_ascii()).map(char::len_utf8).sum::<usize>();
        invalid += chunk.invalid().len();
    }
    valid > invalid
}

/// Whether the only invalid sequence of a line may be a part of a character that begins with one of
/// `leads`, as the UTF-8 lines have.
fn may_be_cut(line: &[u8], leads: u64) -> bool {
    let mut sequences = line.utf8_chunks().map(|chunk| chunk.invalid()).filter(|it| !it.is_empty());
    match (sequences.next(), sequences.next()) {
        (Some([first, ..]), None) => *first < 0xC0 || leads >> (first - 0xC0) & 1 == 1,
        _ => false,
    }
}

/// Returns what a line costs as UTF-8, in which each invalid sequence is damage.
fn damage(line: &[u8], each: f64) -> f64 {
    let (mut text, mut cost) = (String::new(), 0.0);
    for chunk in line.utf8_chunks() {
        text.push_str(chunk.valid());
        if let [_, after @ ..] = chunk.invalid() {
            cost += each + BYTE * after.len() as f64;
            text.push(' ');
        }
    }
    cost + cost_of_text(&text)
}

impl Others {
    /// Returns the text of a line, if it is in this encoding and not UTF-8.
    pub(crate) fn text(&self, line: &[u8]) -> Option<String> {
        if line.is_ascii() || is_utf8(line) || trust8::is_utf8(line) {
            return None;
        }
        if may_be_cut(line, self.leads) {
            return None;
        }
        let coding = self.charset.coding()?;
        if cost(coding, line)? >= damage(line, DAMAGE_BESIDE_OTHERS) {
            return None;
        }
        let text = decode(coding, line, true)?;
        // One letter of another script, as in `log я`, is rather a damaged byte in a line of ASCII.
        let has_words = || text.split(|c| !is_foreign(c)).any(|word| word.chars().count() > 1);
        (has_words() || !is_foreign_alphabet(self.charset)).then_some(text)
    }
}

/// Whether `c` is a letter of a script other than Latin.
fn is_foreign(c: char) -> bool {
    c.is_alphabetic() && !matches!(c, '\0'..'\u{250}' | '\u{1E00}'..'\u{1F00}')
}

/// Whether most letters of an encoding of single bytes are of another script than Latin.
fn is_foreign_alphabet(charset: Charset) -> bool {
    let foreign = (0x80..=0xFF).filter_map(|byte| charset.character(byte)).filter(|c| is_foreign(*c));
    charset.is_single_byte() && foreign.count() > 20
}
