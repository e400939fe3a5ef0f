//! The encoding that a text says it is in: XML, HTML, CSS, the comments of Python, Emacs and Vim, and
//! the headers of mail and of gettext have a place for it.
//!
//! A name counts only where its format has it, because `fix --declaration` rewrites it there. The same words
//! elsewhere are text.

use std::ops::Range;

use memchr::memmem;

use crate::charset::Charset;

/// How many bytes of the start are looked at.
pub(crate) const START_BYTES: usize = 4 << 10;
/// How many bytes of the end are looked at, where Vim has modelines.
pub(crate) const END_BYTES: usize = 1 << 10;
/// How many lines, at the start and at the end, may be modelines of Vim.
const MODELINES: usize = 5;

/// Returns the encoding other than UTF-8 that the start of a file declares.
pub(super) fn charset(start: &[u8]) -> Option<Charset> {
    let start = &start[..start.len().min(START_BYTES)];
    let name = find(start, true, false).into_iter().next()?;
    known(&start[name]).map(|(charset, _)| charset)
}

/// Returns the encoding with this name, and how many of its bytes are the name. Emacs appends the kind
/// of line ends.
fn known(name: &[u8]) -> Option<(Charset, usize)> {
    let name = std::str::from_utf8(name).ok()?;
    let bare = ["-unix", "-dos", "-mac"].iter().find_map(|suffix| name.strip_suffix(suffix)).unwrap_or(name);
    let charset = bare.parse().ok()?;
    (charset != Charset::Auto).then_some((charset, bare.len()))
}

/// Returns where names of encodings other than UTF-8 are in `text`, which is the start of a file, its
/// end, or all of it.
pub(crate) fn find(text: &[u8], is_start: bool, is_end: bool) -> Vec<Range<usize>> {
    let lower = text.to_ascii_lowercase();
    let lines: Vec<_> = lines(&lower).collect();
    let mut found = Vec::new();
    if is_start {
        let mark = if lower.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        let first = lower[mark..].iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(0) + mark;
        if lower[first..].starts_with(b"<?xml") {
            let end = memmem::find(&lower, b"?>").unwrap_or(lower.len());
            found.extend(named(&lower, first..end, b"encoding", b"="));
        }
        if lower[first..].starts_with(b"<") {
            for at in memmem::find_iter(&lower, b"<meta") {
                let end =
                    lower[at..].iter().position(|byte| *byte == b'>').map_or(lower.len(), |len| at + len);
                found.extend(named(&lower, at..end, b"charset", b"="));
            }
        }
        if lower[mark..].starts_with(b"@charset \"") {
            found.extend(named(&lower, mark..lower.len(), b"@charset", b" "));
        }
        for line in lines.iter().take(2) {
            let text = &lower[line.clone()];
            if text.trim_ascii_start().starts_with(b"#") || memmem::find(text, b"-*-").is_some() {
                found.extend(named(&lower, line.clone(), b"coding", b":="));
            }
        }
        found.extend(header(&lower, &lines).and_then(|it| named(&lower, it, b"charset", b"=")));
        if let Some(entry) = memmem::find(&lower, b"msgid \"\"") {
            let is_type = |line: &&Range<usize>| lower[line.start..].starts_with(b"\"content-type:");
            let line = lines.iter().filter(|line| line.start > entry).find(is_type);
            found.extend(line.and_then(|line| named(&lower, line.clone(), b"charset", b"=")));
        }
    }
    let first = if is_start { MODELINES } else { 0 };
    let last = if is_end { lines.len().saturating_sub(MODELINES) } else { lines.len() };
    for (number, line) in lines.iter().enumerate() {
        // The first line of an end may be cut.
        let is_near = number < first || number >= last && (is_start || number > 0);
        if let Some(settings) = is_near.then(|| modeline(&lower, line.clone())).flatten() {
            for option in [&b"fileencoding"[..], b"fenc"] {
                found.extend(named(&lower, settings.clone(), option, b"="));
            }
        }
    }
    let mut others: Vec<_> = found
        .into_iter()
        .filter_map(|name| {
            let (charset, len) = known(&text[name.clone()])?;
            (charset != Charset::Utf8).then_some(name.start..name.start + len)
        })
        .collect();
    others.sort_by_key(|name| name.start);
    others.dedup();
    others
}

/// Returns where each line is, without its line feed.
fn lines(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    text.split_inclusive(|byte| *byte == b'\n').map(move |line| {
        let all = start..start + line.len();
        start = all.end;
        all.start..all.end - usize::from(line.ends_with(b"\n"))
    })
}

/// Returns where the name after `word` and one of `signs` is.
fn named(lower: &[u8], within: Range<usize>, word: &[u8], signs: &[u8]) -> Option<Range<usize>> {
    let text = lower.get(within.clone())?;
    memmem::find_iter(text, word).find_map(|at| {
        let skip = |at: usize, skipped: &[u8]| {
            at + text[at..].iter().take_while(|byte| skipped.contains(byte)).count()
        };
        let word_end = at + word.len();
        let sign = if signs == b" " { word_end } else { skip(word_end, b" \t") };
        text.get(sign).filter(|sign| signs.contains(sign))?;
        let start = skip(sign + 1, b" \t\"'");
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        let end = start + text[start..].iter().take_while(|byte| is_name(byte)).count();
        // `ISO_8859-1:1987` is the long form of a name.
        let is_cut = text[end..].starts_with(b":") && text.get(end + 1).is_some_and(u8::is_ascii_digit);
        (end > start && !is_cut).then(|| within.start + start..within.start + end)
    })
}

/// Returns the settings of a line that is a modeline of Vim.
fn modeline(lower: &[u8], line: Range<usize>) -> Option<Range<usize>> {
    let text = &lower[line.clone()];
    [&b"vim:"[..], b"vi:", b"ex:"].iter().find_map(|word| {
        let at = memmem::find_iter(text, word).find(|at| *at == 0 || text[at - 1].is_ascii_whitespace())?;
        Some(line.start + at + word.len()..line.end)
    })
}

/// Returns where the header `Content-Type` of mail is, with the lines that continue it. Only headers
/// come before it, and an empty line ends them. None of them says that the text after them is written
/// in ASCII, whose meaning no conversion of the file changes.
fn header(lower: &[u8], lines: &[Range<usize>]) -> Option<Range<usize>> {
    let mut found: Option<Range<usize>> = None;
    let mut is_last = false;
    for (number, line) in lines.iter().enumerate() {
        let text = lower[line.clone()].trim_ascii_end();
        let name = text.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-').count();
        match text {
            [] => return found,
            [b' ' | b'\t', ..] if number > 0 => {
                if let Some(found) = found.as_mut().filter(|_| is_last) {
                    found.end = line.end;
                }
            }
            _ if number == 0 && text.starts_with(b"from ") => {}
            _ if name > 0 && text[name..].starts_with(b":") => {
                if let Some(transfer) = text.strip_prefix(b"content-transfer-encoding:")
                    && ![&b"7bit"[..], b"8bit", b"binary"].contains(&transfer.trim_ascii())
                {
                    return None;
                }
                is_last = text.starts_with(b"content-type:") && found.is_none();
                if is_last {
                    found = Some(line.clone());
                }
            }
            _ => return None,
        }
    }
    None
}
