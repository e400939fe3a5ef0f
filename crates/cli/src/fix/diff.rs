//! What `fix --diff` shows: the difference between a file and its repaired text.

use std::io::{self, Write};
use std::ops::Range;

use anstyle::Style;
use imara_diff::sources::byte_lines;
use imara_diff::{Algorithm, Diff, Hunk, InternedInput, Token};
use trust8::boundary::floor;

use crate::colors::Colors;
use crate::guess::evidence::skip_continuations;
use crate::visible::{push_visible, write_name};

/// Longer files are not compared, because that takes memory and time.
pub(super) const LONGEST_BYTES: u64 = 64 << 20;

/// How many lines are shown around a change.
const CONTEXT_LINES: u32 = 3;

/// The bytes of a longer line that a terminal shows before its first difference, and after it.
const BEFORE_BYTES: usize = 40;
const AFTER_BYTES: usize = 120;

/// Writes a unified diff of `old` and `new`.
///
/// On a terminal, everything invisible is escaped, and long lines are cut around their first
/// difference. For programs such as `patch`, the lines are written as they are.
pub(super) fn write(
    out: &mut dyn Write,
    name: &[u8],
    old: &[u8],
    new: &[u8],
    colors: &Colors,
    terminal: bool,
) -> io::Result<()> {
    let mut text = Vec::new();
    // Git refuses `a/./name`.
    let name = name.strip_prefix(b"./").unwrap_or(name);
    for (sign, folder) in [("---", &b"a/"[..]), ("+++", b"b/")] {
        text.extend(format!("{sign} ").as_bytes());
        push_name(&mut text, &[folder, name].concat(), terminal);
        // `patch` takes a space for the end of the name, unless a tab follows.
        text.extend(if !terminal && name.contains(&b' ') { "\t\n" } else { "\n" }.as_bytes());
    }
    let lines = InternedInput::new(byte_lines(old), byte_lines(new));
    let changes = hunks(&lines);
    // Changes with no more than the context of both between them are shown together.
    for group in changes.chunk_by(|one, next| next.before.start - one.before.end <= 2 * CONTEXT_LINES) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let before = CONTEXT_LINES.min(first.before.start);
        let after = CONTEXT_LINES.min(lines.before.len() as u32 - last.before.end);
        let range = |start: u32, end: u32| match end - start {
            0 => format!("{start},0"),
            1 => format!("{}", start + 1),
            len => format!("{},{len}", start + 1),
        };
        let old = range(first.before.start - before, last.before.end + after);
        let new = range(first.after.start - before, last.after.end + after);
        writeln!(text, "{}@@ -{old} +{new} @@{:#}", colors.hint, colors.hint)?;
        let lines_of = |tokens: &[Token], some: Range<u32>| -> Vec<&[u8]> {
            let some = &tokens[some.start as usize..some.end as usize];
            some.iter().map(|&line| lines.interner[line]).collect()
        };
        let mut put = |sign, style, lines: &[&[u8]], others: &[&[u8]]| -> io::Result<()> {
            for (i, line) in lines.iter().enumerate() {
                let other = others.get(i).copied().unwrap_or_default();
                let difference = line.iter().zip(other).take_while(|(a, b)| a == b).count();
                put_line(&mut text, sign, style, line, terminal.then_some(difference))?;
            }
            Ok(())
        };
        let plain = Style::new();
        let mut next = first.before.start - before;
        for change in group {
            let [old, new] = [
                lines_of(&lines.before, change.before.clone()),
                lines_of(&lines.after, change.after.clone()),
            ];
            put(' ', plain, &lines_of(&lines.before, next..change.before.start), &[])?;
            put('-', colors.bad, &old, &new)?;
            put('+', colors.good, &new, &old)?;
            next = change.before.end;
        }
        put(' ', plain, &lines_of(&lines.before, next..next + after), &[])?;
    }
    out.write_all(&text)
}

/// Appends `name`. For programs, one that would end early or do harm is quoted as Git does.
fn push_name(text: &mut Vec<u8>, name: &[u8], terminal: bool) {
    let start = text.len();
    write_name(text, name, terminal);
    let is_unsafe = |byte: &u8| matches!(byte, b'\t' | b'"' | b'\\');
    if terminal || &text[start..] == name && !name.iter().any(is_unsafe) && !name.ends_with(b" ") {
        return;
    }
    text.truncate(start);
    text.push(b'"');
    for &byte in name {
        match byte {
            b'"' | b'\\' => text.extend([b'\\', byte]),
            b' '..=b'~' => text.push(byte),
            _ => text.extend(format!("\\{byte:03o}").as_bytes()),
        }
    }
    text.push(b'"');
}

/// Returns the changes.
///
/// A repair keeps nearly all line ends, so lines usually correspond by their numbers. If lines
/// often repeat, a search for common lines would take quadratic time.
fn hunks(lines: &InternedInput<&[u8]>) -> Vec<Hunk> {
    if lines.before.len() != lines.after.len() {
        let mut diff = Diff::compute(Algorithm::Histogram, lines);
        diff.postprocess_lines(lines);
        return diff.hunks().collect();
    }
    let mut hunks: Vec<Hunk> = Vec::new();
    for ((old, new), number) in lines.before.iter().zip(&lines.after).zip(0..) {
        match hunks.last_mut() {
            _ if old == new => {}
            Some(last) if last.before.end == number => {
                (last.before.end, last.after.end) = (number + 1, number + 1);
            }
            _ => hunks.push(Hunk { before: number..number + 1, after: number..number + 1 }),
        }
    }
    hunks
}

/// Appends a line that begins with `sign`. On a terminal, it is shown around its first difference.
fn put_line(
    text: &mut Vec<u8>,
    sign: char,
    style: Style,
    line: &[u8],
    difference: Option<usize>,
) -> io::Result<()> {
    let (line, end) = match line.strip_suffix(b"\n") {
        Some(line) => (line, "\n"),
        None => (line, "\n\\ No newline at end of file\n"),
    };
    write!(text, "{style}{sign}")?;
    match difference {
        Some(difference) => push_shown(text, line, difference),
        None => text.extend_from_slice(line),
    }
    write!(text, "{style:#}{end}")
}

/// Appends `line` for a terminal. If it is too long, only the part around the offset `difference`
/// is shown.
fn push_shown(text: &mut Vec<u8>, line: &[u8], difference: usize) {
    let start = match line.len().checked_sub(BEFORE_BYTES + AFTER_BYTES) {
        Some(last) => difference.saturating_sub(BEFORE_BYTES).min(last),
        None => 0,
    };
    let rest = if start > 0 { skip_continuations(&line[start..]) } else { line };
    let shown = &rest[..floor(rest, BEFORE_BYTES + AFTER_BYTES)];
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

    /// `git apply` took a tab for the end of the name.
    #[test]
    fn a_name_that_would_end_early_is_quoted() {
        let name = |name: &[u8], terminal| {
            let mut text = Vec::new();
            push_name(&mut text, name, terminal);
            String::from_utf8(text).unwrap()
        };
        assert_eq!(name("a/ä b".as_bytes(), false), "a/ä b");
        assert_eq!(name(b"a/\t\"\\\n\xFF", false), r#""a/\011\"\\\012\377""#);
        assert_eq!(name("a/\u{202E}".as_bytes(), false), r#""a/\342\200\256""#);
        assert!(!name(b"a/\tb", true).starts_with('"'));
    }
    use anstream::ColorChoice;

    fn diff(old: &[u8], new: &[u8], terminal: bool) -> String {
        let mut out = Vec::new();
        write(&mut out, b"f", old, new, &Colors::new(ColorChoice::Never), terminal).unwrap();
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
        // Programs get the whole line.
        assert!(diff(old.as_bytes(), new.as_bytes(), false).len() > 50_000_000);
    }

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

    /// A file of 150 KB took a minute.
    #[test]
    fn lines_that_repeat_take_no_longer() {
        let lines = (0..200_000_u32).map(|i| i.wrapping_mul(2_654_435_761) >> 30);
        let old: Vec<u8> = lines.flat_map(|kind| [b"ab\xFE\xFF"[kind as usize], b'\n']).collect();
        let new = trust8::from_utf8_lossy(&old);
        let (mut diff, start) = (Vec::new(), std::time::Instant::now());
        write(&mut diff, b"f", &old, new.as_bytes(), &Colors::new(ColorChoice::Never), false).unwrap();
        assert!(start.elapsed() < std::time::Duration::from_secs(20), "{:?}", start.elapsed());
        assert!(apply(&old, &diff).as_deref() == Some(new.as_bytes()));
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
            write(&mut diff, b"f", old.as_bytes(), new.as_bytes(), &Colors::new(ColorChoice::Never), false)
                .unwrap();
            let text = String::from_utf8_lossy(&diff);
            assert_eq!(apply(old.as_bytes(), &diff).as_deref(), Some(new.as_bytes()), "{old:?}\n{text}");
        }
    }
}
