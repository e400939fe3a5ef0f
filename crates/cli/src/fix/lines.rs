//! Files that are UTF-8 in some lines, and another encoding in others; and files in UTF-8 with damage.
//!
//! A line that has characters of UTF-8 outside ASCII is UTF-8, and what is invalid in it is damage,
//! which stays. The other lines are in one other encoding if that makes a far likelier text of them
//! than any other does, and than damage would be.

use std::io::{self, BufRead, BufReader, Read, Write};

use memchr::memrchr;
use trust8::Kernel;
use trust8::boundary::whole_len;

use super::FileError;
use super::decode::decode;
use super::evidence::Evidence;
use super::repair::{Sequences, Treatment, repair};
use crate::args::Remedy;
use crate::charset::Charset;
use crate::guess::{self, Coding, Ranking, cost_of_text, rank};
use crate::progress::Progress;
use crate::source::{self, CHUNK};

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

    /// Whether the lines that may be UTF-8 are, and the whole is not in the encoding that `ranking` has first.
    pub(super) fn is_utf8(&self, ranking: &Ranking) -> bool {
        if self.utf8.is_empty() {
            return false;
        }
        let Some(first) = ranking.codings.first() else { return true };
        let as_utf8: f64 = self.utf8.iter().map(|line| damage(line, DAMAGE)).sum();
        let whole = rank(&self.utf8, true);
        let as_other = whole.codings.iter().find(|it| it.coding == first.coding).map(|it| it.cost);
        as_other.is_none_or(|cost| as_utf8 < cost)
    }

    /// Returns the encoding of the lines that are not UTF-8, if it is likely.
    pub(super) fn others(&self, has_mark: bool) -> Option<Others> {
        let leads =
            self.utf8.iter().flat_map(|line| line.utf8_chunks()).flat_map(|chunk| chunk.valid().bytes());
        let leads = leads.filter(|byte| *byte >= 0xC0).fold(0, |leads, byte| leads | 1 << (byte - 0xC0));
        let others: Vec<_> = self.others.iter().filter(|line| !may_be_cut(line, leads)).copied().collect();
        let first = rank(&others, true).codings.first()?.coding;
        // Other lines may be damaged.
        let is_other =
            |line: &&&[u8]| guess::cost(first, line).is_some_and(|cost| cost < damage(line, DAMAGE));
        let lines: Vec<_> = others.iter().filter(is_other).copied().collect();
        let ranking = rank(&lines, true);
        let charset = Charset::from(choose(&ranking).ok()?);
        let damaged: f64 = lines.iter().map(|line| damage(line, DAMAGE)).sum();
        let first = ranking.codings.first()?.cost;
        let second = ranking.codings.get(1).map_or(f64::INFINITY, |it| it.cost);
        let margin = second.min(damaged) - first;
        // Who writes the mark of UTF-8 hardly appends lines in another encoding.
        let is_certain = margin >= CERTAIN && ranking.noise - first >= ENOUGH && !has_mark;
        (margin >= ENOUGH).then_some(Others { charset, is_certain, leads })
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
    pub(super) fn text(&self, line: &[u8]) -> Option<Vec<u8>> {
        if line.is_ascii() || is_utf8(line) || trust8::is_utf8(line) {
            return None;
        }
        if may_be_cut(line, self.leads) {
            return None;
        }
        let cost = guess::cost(self.charset.coding()?, line)?;
        if cost >= damage(line, DAMAGE_BESIDE_OTHERS) {
            return None;
        }
        let mut text = Vec::new();
        decode(self.charset, &mut &*line, None, &Progress::none(), &mut text).ok()?;
        // One letter of another script, as in `log я`, is rather a damaged byte in a line of ASCII.
        let has_words =
            || String::from_utf8_lossy(&text).split(|c| !is_foreign(c)).any(|word| word.chars().count() > 1);
        (has_words() || !is_foreign_alphabet(self.charset)).then_some(text)
    }
}

/// The lines of a file that are in another encoding than UTF-8.
pub(crate) struct Mixed {
    pub(crate) charset: Charset,
    /// The first and the last number of each run of such lines.
    pub(crate) runs: Vec<(u64, u64)>,
    /// How many sequences are invalid in them.
    pub(crate) sequences: u64,
    /// How many sequences are invalid in the other lines: damage.
    pub(crate) others: u64,
    /// Whether there may be more after the last one, which were not looked for.
    pub(crate) is_cut: bool,
}

/// How many runs are looked for.
const MOST_RUNS: usize = 1000;

impl Mixed {
    /// Finds the lines that are in the encoding of `others`.
    pub(crate) fn find(others: &Others, reader: impl Read) -> io::Result<Self> {
        let charset = others.charset;
        let mut mixed = Self { charset, runs: Vec::new(), sequences: 0, others: 0, is_cut: false };
        let mut reader = BufReader::with_capacity(CHUNK, reader);
        let (mut line, mut number, mut is_rest_of_line) = (Vec::new(), 1, false);
        loop {
            line.clear();
            if (&mut reader).take(LONGEST as u64 + 1).read_until(b'\n', &mut line)? == 0 {
                return Ok(mixed);
            }
            let is_whole = !is_rest_of_line && line.len() <= LONGEST;
            if is_whole && others.text(&line).is_some() {
                let is_full = mixed.runs.len() == MOST_RUNS;
                match mixed.runs.last_mut() {
                    Some((_, last)) if *last + 1 == number => *last = number,
                    _ if is_full => {
                        mixed.is_cut = true;
                        return Ok(mixed);
                    }
                    _ => mixed.runs.push((number, number)),
                }
                mixed.sequences += invalid_in(&line);
            } else {
                mixed.others += invalid_in(&line);
            }
            is_rest_of_line = !line.ends_with(b"\n");
            number += u64::from(!is_rest_of_line);
        }
    }

    /// Says which lines these are: at most `most` runs of them.
    pub(crate) fn describe(&self, most: usize) -> String {
        let mut runs: Vec<_> = self
            .runs
            .iter()
            .take(most)
            .map(|(first, last)| match last - first {
                0 => first.to_string(),
                1 => format!("{first}, {last}"),
                _ => format!("{first} to {last}"),
            })
            .collect();
        let more = self.runs.len() - runs.len();
        if more > 0 || self.is_cut {
            runs.push("others".to_owned());
        }
        let last = runs.pop().unwrap_or_default();
        let is_one = runs.is_empty() && matches!(self.runs[..], [(first, last)] if first == last);
        let (lines, seem) = if is_one { ("line", "seems") } else { ("lines", "seem") };
        let and = if runs.is_empty() { "" } else { " and " };
        let label = self.charset.label();
        format!("{lines} {}{and}{last} {seem} to be {label}", runs.join(", "))
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

/// A line that is longer than this is not decoded.
const LONGEST: usize = 1 << 20;

/// Writes the text of `reader` to `out`, with the lines decoded that are in another encoding. Applies
/// `remedy` to what is still invalid. Without one, it stays.
pub(super) fn fix_lines(
    kernel: &'static Kernel,
    mut reader: &mut dyn Read,
    others: Option<Others>,
    remedy: Option<Remedy>,
    progress: &Progress,
    out: &mut dyn Write,
) -> Result<Sequences, FileError> {
    let mut sequences = Sequences::default();
    let (mut bytes, mut chunk) = (Vec::new(), vec![0; CHUNK]);
    let mut is_rest_of_line = false;
    loop {
        let n = source::read(&mut reader, &mut chunk).map_err(FileError::Read)?;
        progress.add(n as u64);
        bytes.extend(&chunk[..n]);
        let end = match memrchr(b'\n', &bytes) {
            _ if n == 0 => bytes.len(),
            Some(at) => at + 1,
            None if bytes.len() > LONGEST => whole_len(&bytes),
            None => 0,
        };
        let lines = &bytes[..end];
        if trust8::is_utf8(lines) {
            out.write_all(lines).map_err(FileError::Write)?;
        } else {
            for line in lines.split_inclusive(|byte| *byte == b'\n') {
                let is_whole = !std::mem::take(&mut is_rest_of_line) && line.len() <= LONGEST;
                match others.filter(|_| is_whole).and_then(|others| others.text(line)) {
                    Some(text) => {
                        sequences.decoded += invalid_in(line);
                        sequences.lines += 1;
                        out.write_all(&text).map_err(FileError::Write)?;
                    }
                    None => {
                        let treatment = Treatment::remedy(remedy);
                        let found = repair(kernel, &mut &*line, &treatment, &Progress::none(), out)?;
                        sequences.repaired += found.repaired;
                        sequences.left += found.left;
                    }
                }
            }
        }
        is_rest_of_line = end > 0 && bytes[end - 1] != b'\n';
        bytes.drain(..end);
        if n == 0 {
            return Ok(sequences);
        }
    }
}

/// Returns how many sequences are invalid in `line`.
fn invalid_in(line: &[u8]) -> u64 {
    line.utf8_chunks().filter(|chunk| !chunk.invalid().is_empty()).count() as u64
}
