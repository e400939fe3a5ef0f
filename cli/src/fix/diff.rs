//! What `fix --diff` shows: the difference between a file and what would become of it.

use std::borrow::Cow;
use std::io::{self, Write};

use similar::{ChangeTag, TextDiff};

use crate::colors::Colors;
use crate::visible::{push_visible, write_name};

/// Longer files are not compared, because that takes memory and time.
pub(super) const LONGEST: u64 = 64 << 20;

/// How many lines are shown around a change.
const CONTEXT: usize = 3;

/// Writes a unified diff of `old` and `new`.
///
/// On a terminal, everything invisible is escaped. For programs such as `patch`, the lines are written as they are.
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
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let (sign, style) = match change.tag() {
                ChangeTag::Equal => (' ', anstyle::Style::new()),
                ChangeTag::Delete => ('-', colors.bad),
                ChangeTag::Insert => ('+', colors.good),
            };
            let line: &[u8] = change.value();
            let (line, end) = match line.strip_suffix(b"\n") {
                Some(line) => (line, "\n"),
                None => (line, "\n\\ No newline at end of file\n"),
            };
            write!(text, "{style}{sign}")?;
            text.extend_from_slice(&shown(line, terminal));
            write!(text, "{style:#}{end}")?;
        }
    }
    out.write_all(&text)
}

/// Returns `line` as it is shown.
fn shown(line: &[u8], terminal: bool) -> Cow<'_, [u8]> {
    if !terminal {
        return Cow::Borrowed(line);
    }
    let mut text = Vec::new();
    for (i, part) in line.split(|&byte| byte == b'\t').enumerate() {
        if i > 0 {
            text.push(b'\t');
        }
        push_visible(&mut text, part);
    }
    Cow::Owned(text)
}
