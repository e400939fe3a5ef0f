//! What `fix --diff` shows: the difference between a file and what would become of it.

use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::Range;

use anstyle::Style;
use imara_diff::sources::byte_lines;
use imara_diff::{Algorithm, Diff, Hunk, InternedInput, Token};

use crate::colors::Colors;
use crate::visible::{push_visible, write_name};

/// Longer files are not compared, because that takes memory and time.
pub(super) const LONGEST: u64 = 64 << 20;

/// How many lines are shown around a change.
const CONTEXT: u32 = 3;

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
    let lines = InternedInput::new(byte_lines(old), byte_lines(new));
    let mut diff = Diff::compute(Algorithm::Histogram, &lines);
    diff.postprocess_lines(&lines);
    let changes: Vec<Hunk> = diff.hunks().collect();
    // Changes with no more than the context of both between them are shown together.
    for group in changes.chunk_by(|one, next| next.before.start - one.before.end <= 2 * CONTEXT) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let before = CONTEXT.min(first.before.start);
        let after = CONTEXT.min(lines.before.len() as u32 - last.before.end);
        let range = |start: u32, end: u32| match end - start {
            0 => format!("{start},0"),
            1 => format!("{}", start + 1),
            len => format!("{},{len}", start + 1),
        };
        let old = range(first.before.start - before, last.before.end + after);
        let new = range(first.after.start - before, last.after.end + after);
        writeln!(text, "{}@@ -{old} +{new} @@{:#}", colors.hint, colors.hint)?;
        let mut put = |sign, style, of: &[Token], lines_in: Range<u32>| {
            let some = of[lines_in.start as usize..lines_in.end as usize].iter();
            put_lines(&mut text, sign, style, some.map(|&line| lines.interner[line]), terminal)
        };
        let plain = Style::new();
        let mut next = first.before.start - before;
        for change in group {
            put(' ', plain, &lines.before, next..change.before.start)?;
            put('-', colors.bad, &lines.before, change.before.clone())?;
            put('+', colors.good, &lines.after, change.after.clone())?;
            next = change.before.end;
        }
        put(' ', plain, &lines.before, next..next + after)?;
    }
    out.write_all(&text)
}

/// Appends lines that begin with `sign`.
fn put_lines<'a>(
    text: &mut Vec<u8>,
    sign: char,
    style: Style,
    lines: impl Iterator<Item = &'a [u8]>,
    terminal: bool,
) -> io::Result<()> {
    for line in lines {
        let (line, end) = match line.strip_suffix(b"\n") {
            Some(line) => (line, "\n"),
            None => (line, "\n\\ No newline at end of file\n"),
        };
        write!(text, "{style}{sign}")?;
        text.extend_from_slice(&shown(line, terminal));
        write!(text, "{style:#}{end}")?;
    }
    Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::ColorWhen;

    /// Makes the new text from the old one and a diff, or returns `None` if the diff does not fit.
    fn apply(old: &[u8], diff: &[u8]) -> Option<Vec<u8>> {
        let old: Vec<&[u8]> = old.split_inclusive(|&byte| byte == b'\n').collect();
        let (mut new, mut next) = (Vec::new(), 0);
        let mut lines = diff.split_inclusive(|&byte| byte == b'\n').skip(2).peekable();
        while let Some(line) = lines.next() {
            let (&sign, text) = line.split_first()?;
            let text = match lines.peek() {
                Some(next) if next.starts_with(b"\\") => text.strip_suffix(b"\n")?,
                _ => text,
            };
            match sign {
                b'@' => {
                    let range = str::from_utf8(text).ok()?.split(['-', ' ']).nth(2)?;
                    let (start, len) = range.split_once(',').unwrap_or((range, "1"));
                    let first = start.parse::<usize>().ok()? - usize::from(len != "0");
                    new.extend(old.get(next..first)?.concat());
                    next = first;
                }
                b'+' => new.extend(text),
                b'-' | b' ' => {
                    if *old.get(next)? != text {
                        return None;
                    }
                    next += 1;
                    new.extend(if sign == b' ' { text } else { b"" });
                }
                b'\\' => {}
                _ => return None,
            }
        }
        new.extend(old.get(next..)?.concat());
        Some(new)
    }

    #[test]
    fn a_diff_makes_the_new_text_from_the_old_one() {
        let mut random = 1_u64;
        let mut below = |limit: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) % limit
        };
        for _ in 0..3000 {
            let lines: Vec<String> = (0..below(30)).map(|_| format!("{}\n", below(20))).collect();
            let mut changed = lines.clone();
            for _ in 0..below(4) {
                let at = below(changed.len() as u64 + 1) as usize;
                match below(3) {
                    0 => changed.insert(at, String::from("new\n")),
                    _ if at == changed.len() => {}
                    1 => changed[at] = String::from("other\n"),
                    _ => drop(changed.remove(at)),
                }
            }
            let [mut old, mut new] = [lines.concat(), changed.concat()];
            if below(3) == 0 {
                old.pop();
            }
            if below(3) == 0 {
                new.pop();
            }
            let mut diff = Vec::new();
            write(&mut diff, b"f", old.as_bytes(), new.as_bytes(), &Colors::new(ColorWhen::Never), false)
                .unwrap();
            let text = String::from_utf8_lossy(&diff);
            assert_eq!(apply(old.as_bytes(), &diff).as_deref(), Some(new.as_bytes()), "{old:?}\n{text}");
        }
    }
}
