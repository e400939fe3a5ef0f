//! What `fix --diff` shows: the difference between a file and what would become of it.

use std::io::{self, Write};

use similar::{ChangeTag, TextDiff};
use trust8::boundary::floor;

use crate::colors::Colors;
use crate::scan::skip_continuations;
use crate::visible::{push_visible, write_name};

/// Longer files are not compared, because that takes memory and time.
pub(super) const LONGEST: u64 = 64 << 20;

/// How many lines are shown around a change.
const CONTEXT: usize = 3;

/// Of a line that is longer, a terminal shows so many bytes before the first difference, and after it.
const BEFORE: usize = 40;
const AFTER: usize = 120;

/// Writes a unified diff of `old` and `new`.
///
/// On a terminal, everything invisible is escaped, and long lines are cut around their first difference. For programs such as
/// `patch`, the lines are written as they are.
pub(super) fn write(
    out: &mut dyn Write,
    name: &[u8],
    old: &[u8],
    new: &[u8],
    colors: &Colors,
    terminal: bool,
) -> io::Result<()> {
    let mut text = Vec::new();
    for (sign, folder) in [("---", "a/"), ("+++", "b/")] {
        text.extend(format!("{sign} {folder}").as_bytes());
        write_name(&mut text, name, terminal);
        text.push(b'\n');
    }
    let diff = TextDiff::configure().diff_lines(old, new);
    for group in diff.grouped_ops(CONTEXT) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let range = |start: usize, end: usize| match end - start {
            0 => format!("{start},0"),
            1 => format!("{}", start + 1),
            len => format!("{},{len}", start + 1),
        };
        let old = range(first.old_range().start, last.old_range().end);
        let new = range(first.new_range().start, last.new_range().end);
        writeln!(text, "{}@@ -{old} +{new} @@{:#}", colors.hint, colors.hint)?;
        for op in &group {
            let changes: Vec<_> = diff.iter_changes(op).collect();
            let lines = |tag| changes.iter().filter(move |it| it.tag() == tag).map(|it| it.value());
            let pairs: Vec<_> = lines(ChangeTag::Delete).zip(lines(ChangeTag::Insert)).collect();
            let mut numbers = [0; 2];
            for change in &changes {
                let (sign, style, number) = match change.tag() {
                    ChangeTag::Equal => (' ', anstyle::Style::new(), None),
                    ChangeTag::Delete => ('-', colors.bad, Some(&mut numbers[0])),
                    ChangeTag::Insert => ('+', colors.good, Some(&mut numbers[1])),
                };
                let pair = number.and_then(|number| pairs.get(std::mem::replace(number, *number + 1)));
                let difference =
                    pair.map_or(0, |(old, new)| old.iter().zip(*new).take_while(|(a, b)| a == b).count());
                let line: &[u8] = change.value();
                let (line, end) = match line.strip_suffix(b"\n") {
                    Some(line) => (line, "\n"),
                    None => (line, "\n\\ No newline at end of file\n"),
                };
                write!(text, "{style}{sign}")?;
                if terminal {
                    push_shown(&mut text, line, difference);
                } else {
                    text.extend_from_slice(line);
                }
                write!(text, "{style:#}{end}")?;
            }
        }
    }
    out.write_all(&text)
}

/// Appends `line` as a terminal shows it: what is around the offset `difference`, if all of it is too long.
fn push_shown(text: &mut Vec<u8>, line: &[u8], difference: usize) {
    let start = match line.len().checked_sub(BEFORE + AFTER) {
        Some(last) => difference.saturating_sub(BEFORE).min(last),
        None => 0,
    };
    let rest = if start > 0 { skip_continuations(&line[start..]) } else { line };
    let shown = &rest[..floor(rest, BEFORE + AFTER)];
    if start > 0 {
        text.extend("…".as_bytes());
    }
    for (i, part) in shown.split(|&byte| byte == b'\t').enumerate() {
        if i > 0 {
            text.push(b'\t');
        }
        push_visible(text, part);
    }
    if shown.len() < rest.len() {
        text.extend("…".as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::ColorWhen;

    fn diff(old: &[u8], new: &[u8], terminal: bool) -> String {
        let mut out = Vec::new();
        write(&mut out, b"f", old, new, &Colors::new(ColorWhen::Never), terminal).unwrap();
        String::from_utf8(out).unwrap().split_once(" @@\n").unwrap().1.to_owned()
    }

    #[test]
    fn a_terminal_shows_what_is_around_the_difference() {
        let long = "é".repeat(5_000_000);
        let line = |middle: &str| format!("{long}{middle}{long}\n");
        let (old, new) = (line("\t\u{1B}x"), line("\t\u{1B}y"));
        let [before, after] = ["é".repeat(19), "é".repeat(59)];
        let around = |c: char| format!("…{before}\t\\u{{1b}}{c}{after}…\n");
        // The first of three lines that change is short, and the last one has no difference nearby.
        let [other, cut] = [format!("{long}\n"), format!("{}…\n", "é".repeat(80))];
        let old = format!("a\n{old}{other}");
        let new = format!("b\n{new}{other}");
        let expected = format!("-a\n-{}+b\n+{} {cut}", around('x'), around('y'));
        let shown = diff(old.as_bytes(), new.as_bytes(), true);
        assert!(shown == expected, "{shown}{expected}");
        // The end of a line.
        let shown = diff(format!("{long}a").as_bytes(), format!("{long}b").as_bytes(), true);
        assert!(shown.lines().all(|line| line.len() < 200) && shown.contains("éa\n"), "{shown}");
        // A program gets all of it.
        assert!(diff(old.as_bytes(), new.as_bytes(), false).len() > 50_000_000);
    }
}
