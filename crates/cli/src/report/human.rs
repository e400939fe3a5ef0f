//! Output for people: the line of the short format, and below it the bytes around the error, as
//! text and in hexadecimal, with the invalid ones marked.

use std::io::Write;

use anstream::ColorChoice;
use anstyle::Style;
use memchr::{memchr, memrchr};
use trust8::boundary::floor;

use super::{Conclusion, Report, on_terminal};
use crate::colors::Colors;
use crate::guess::evidence::skip_continuations;
use crate::hex::digits;
use crate::scan::Finding;
use crate::visible::{push_visible, write_name};

/// How many bytes of text to show on either side, if there is room. With a culprit of average
/// length, the line has 80 columns.
const TEXT_BYTES: usize = 28;
/// How many bytes to show on either side in hexadecimal, if there is room.
const HEX_BYTES: usize = 8;
/// How many bytes of a run to show.
const RUN: usize = 16;
/// The title of a line, and a culprit of average length.
const TITLE_AND_CULPRIT: usize = 10 + 12;

pub(crate) struct Human {
    colors: Colors,
    painted: Painted,
    terminal: bool,
    /// How many bytes to show on either side, so that no line of a narrow terminal is broken: as
    /// text, and in hexadecimal.
    text: usize,
    hex: usize,
}

impl Report for Human {
    fn separator(&self) -> &'static [u8] {
        b"\n"
    }

    fn finding(&self, out: &mut Vec<u8>, name: &[u8], finding: &Finding<'_>, earlier: u64) {
        if earlier > 0 {
            out.push(b'\n');
        }
        let Finding { location, offset, culprit, before, after } = finding;
        let Painted { name: style, number, message, off, .. } = &self.painted;
        out.extend_from_slice(style);
        write_name(out, name, self.terminal);
        out.extend_from_slice(off);
        out.push(b':');
        out.extend_from_slice(number);
        push_decimal(out, location.line);
        out.push(b':');
        push_decimal(out, location.column);
        out.extend_from_slice(off);
        out.extend_from_slice(b": byte ");
        push_decimal(out, *offset);
        out.extend_from_slice(b": ");
        out.extend_from_slice(message);
        // Writing to a vector never fails.
        let _ = write!(out, "{culprit}");
        out.extend_from_slice(off);
        out.push(b'\n');
        // A run of forbidden characters can be long.
        let (shown, dots): (_, &[u8]) = match culprit.forbidden() {
            Some(_) if culprit.bytes.len() > RUN => (&culprit.bytes[..floor(culprit.bytes, RUN)], b".."),
            _ => (culprit.bytes, b""),
        };
        let (text_before, text_after) = same_line(before, after, self.text);
        self.write_marked(out, b"text", |out, part| match part {
            Part::Before => push_visible(out, text_before),
            Part::Culprit => {
                let columns = push_visible(out, shown);
                out.extend_from_slice(dots);
                columns + dots.len()
            }
            Part::After => push_visible(out, text_after),
        });
        let hex_before = &before[before.len().saturating_sub(self.hex)..];
        let hex_after = &after[..after.len().min(self.hex)];
        self.write_marked(out, b"hex ", |out, part| {
            let start = out.len();
            match part {
                Part::Before => {
                    push_hex(out, hex_before);
                    if !hex_before.is_empty() {
                        out.push(b' ');
                    }
                }
                Part::Culprit => {
                    push_hex(out, shown);
                    out.extend_from_slice(dots);
                }
                Part::After => {
                    if !hex_after.is_empty() {
                        out.push(b' ');
                    }
                    push_hex(out, hex_after);
                }
            }
            out.len() - start
        });
    }

    fn shows_conclusions(&self) -> bool {
        true
    }

    fn conclusion(&self, out: &mut Vec<u8>, name: &[u8], conclusion: &Conclusion) {
        if let Some(what) = conclusion.note(name) {
            let Colors { hint, .. } = self.colors;
            // Writing to a vector never fails.
            let _ = writeln!(out, "    {hint}note{hint:#}  {what}");
        }
    }
}

impl Human {
    pub(crate) fn new(color: ColorChoice) -> Self {
        let colors = Colors::new(color);
        let start = |style: Style| style.to_string().into_bytes();
        let painted = Painted {
            name: start(colors.name),
            number: start(colors.location),
            message: start(colors.message),
            dim: start(colors.dim),
            bad: start(colors.bad),
            off: format!("{:#}", colors.bad).into_bytes(),
        };
        let terminal = on_terminal();
        let width = terminal_size::terminal_size().filter(|_| terminal).map_or(80, |(width, _)| width.0);
        let room = usize::from(width).saturating_sub(TITLE_AND_CULPRIT);
        Self { colors, painted, terminal, text: TEXT_BYTES.min(room / 2), hex: HEX_BYTES.min(room / 6) }
    }

    /// Writes two lines: the culprit between what comes before and after it, and a mark below the
    /// culprit. `push` appends each part, and returns how many columns it takes.
    fn write_marked(&self, out: &mut Vec<u8>, title: &[u8], push: impl Fn(&mut Vec<u8>, Part) -> usize) {
        let Painted { dim, bad, off, .. } = &self.painted;
        out.extend_from_slice(b"    ");
        out.extend_from_slice(dim);
        out.extend_from_slice(title);
        out.extend_from_slice(off);
        out.extend_from_slice(b"  ");
        let before = push(out, Part::Before);
        out.extend_from_slice(bad);
        let culprit = push(out, Part::Culprit);
        out.extend_from_slice(off);
        push(out, Part::After);
        out.push(b'\n');
        out.resize(out.len() + "    text  ".len() + before, b' ');
        out.extend_from_slice(bad);
        out.resize(out.len() + culprit, b'^');
        out.extend_from_slice(off);
        out.push(b'\n');
    }
}

/// What a line shows of the bytes.
#[derive(Clone, Copy)]
enum Part {
    Before,
    Culprit,
    After,
}

/// Appends `number` to `out` in decimal.
pub(crate) fn push_decimal(out: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0; 20];
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[start..]);
}

/// The escape sequences of some styles, and of their end. (A file can have millions of errors, and
/// formatting is slower.)
struct Painted {
    name: Vec<u8>,
    number: Vec<u8>,
    message: Vec<u8>,
    dim: Vec<u8>,
    bad: Vec<u8>,
    off: Vec<u8>,
}

/// Returns the end of `before` and the beginning of `after` that are on the same line as the error
/// between them: at most `most` bytes each, and only whole characters.
fn same_line<'a>(before: &'a [u8], after: &'a [u8], most: usize) -> (&'a [u8], &'a [u8]) {
    let line = memrchr(b'\n', before).map_or(0, |at| at + 1);
    let start = line.max(before.len().saturating_sub(most));
    // No character reaches across a line feed, so continuation bytes just after one are shown.
    let is_whole_line = start == line && line > 0;
    let before = if is_whole_line { &before[start..] } else { skip_continuations(&before[start..]) };
    let line = &after[..memchr(b'\n', after).unwrap_or(after.len())];
    (before, &line[..floor(line, most)])
}

/// Appends bytes in hexadecimal, with a space between two.
pub(super) fn push_hex(out: &mut Vec<u8>, bytes: &[u8]) {
    let start = out.len();
    out.resize(start + 3 * bytes.len(), b' ');
    for (place, &byte) in out[start..].as_chunks_mut::<3>().0.iter_mut().zip(bytes) {
        let [high, low] = digits(byte);
        *place = [high, low, b' '];
    }
    if !bytes.is_empty() {
        out.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_whole_characters_of_the_same_line() {
        let around = |before: &'static str, after: &'static str| {
            let (a, b) = same_line(before.as_bytes(), after.as_bytes(), TEXT_BYTES);
            (std::str::from_utf8(a).unwrap(), std::str::from_utf8(b).unwrap())
        };
        assert_eq!(around("", ""), ("", ""));
        assert_eq!(around("one\ntwo", "three\nfour"), ("two", "three"));
        assert_eq!(around("one\n", "\nfour"), ("", ""));
        assert_eq!(
            around("日本語日本語日本語日本", "日本語日本語日本語日本"),
            ("語日本語日本語日本", "日本語日本語日本語")
        );
    }
}
