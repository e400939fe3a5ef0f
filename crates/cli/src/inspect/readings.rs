//! How a file that is not UTF-8 reads in other encodings.

use unicode_width::UnicodeWidthStr;

use crate::args::Remedy;
use crate::fix::decode::decode;
use crate::guess::evidence::Evidence;
use crate::guess::{Guess, likely};
use crate::progress::Progress;
use crate::visible::visible;

/// A file that is not UTF-8, as text in an encoding.
pub(super) struct Reading {
    /// The encoding of all of it, or of its invalid sequences.
    pub(super) guess: Guess,
    /// What is around the first character outside ASCII, on the same line.
    pub(super) excerpt: String,
}

/// Returns how the sample reads according to `guess`, and in the other encodings that make
/// likely text of it, the likeliest first. At most `most` are returned. Each reads differently.
pub(super) fn readings(guess: &Guess, evidence: &Evidence, most: usize, width: usize) -> Vec<Reading> {
    if let Guess::Lines(Some(others)) = guess {
        let mut text = Vec::new();
        let pieces = evidence.pieces().flat_map(|piece| piece.split_inclusive(|byte| *byte == b'\n'));
        pieces.for_each(|line| {
            text.extend(others.text(line).map_or_else(|| line.to_owned(), String::into_bytes))
        });
        let excerpt = excerpt(&String::from_utf8_lossy(&text), width);
        return vec![Reading { guess: guess.clone(), excerpt }];
    }
    let mut readings: Vec<Reading> = Vec::new();
    for charset in likely(guess, evidence) {
        let mut text = Vec::new();
        let replace = Some(Remedy::Replace);
        // Nothing fails here: invalid sequences are replaced, and the text goes to a vector.
        let _ = decode(charset, &mut evidence.first_piece(), replace, &Progress::none(), &mut text);
        let excerpt = excerpt(&String::from_utf8_lossy(&text), width);
        if readings.len() < most && !readings.iter().any(|other| other.excerpt == excerpt) {
            readings.push(Reading { guess: Guess::From(charset), excerpt });
        }
    }
    readings
}

/// Returns what is around the first character outside ASCII that is no mark, on the same line, in
/// at most `width` columns.
fn excerpt(text: &str, width: usize) -> String {
    let text = text.trim_start_matches('\u{FEFF}');
    let at = text.find(|c: char| !c.is_ascii()).unwrap_or(0);
    let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let line = text[line..].lines().next().unwrap_or_default();
    let before = text[..at].rsplit('\n').next().unwrap_or_default().chars().count();
    let mut excerpt = String::new();
    let mut columns = 0;
    for c in line.chars().skip(before.saturating_sub(width / 3)) {
        let shown = visible(c.encode_utf8(&mut [0; 4]).as_bytes());
        columns += shown.width();
        if columns > width {
            break;
        }
        excerpt.push_str(&shown);
    }
    excerpt
}
