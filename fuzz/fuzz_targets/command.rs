//! The command `trust8`, from the words of its command line to the bytes of its output. The input comes in pieces.
//!
//! The target tests `check` with each format, `fix` with each remedy and from each encoding, labels of encodings,
//! arguments, and text made visible. It compares them with the grammars, with `core`, with `encoding_rs` on the whole
//! input, and with plain loops.

#![no_main]

use std::collections::HashMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{self, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use encoding_rs::{DecoderResult, Encoding, UTF_16BE, UTF_16LE};
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};
use trust8::{ErrorKind, Kernel};
use trust8_cli::probes::{self, Line};
use trust8_dialect::Dialect;
use trust8_fuzz::dialects::decode as decode_dialect;
use trust8_fuzz::input;
use trust8_fuzz::oracle::{Fault, fault as first_fault};
use trust8_fuzz::source::Source;

// The data are: what `input` builds the input from; sizes of pieces; a byte of choices; and a last byte, which has the number
// of sizes (`% 16`) and what to test (`/ 16 % 4`).
fuzz_target!(|data: &[u8]| {
    let Some((rest, &[choice, last])) = data.split_last_chunk() else { return };
    let sizes = usize::from(last % 16).min(rest.len());
    let (data, sizes) = rest.split_at(rest.len() - sizes);
    let Some(input) = input::build(data) else { return };
    match last / 16 % 4 {
        0 => checked(&input, sizes, choice),
        1 => {
            repaired(&input, sizes, choice);
            read_in_chunks(&input, sizes, choice);
        }
        2 => converted(&input, sizes, choice),
        _ => {
            assert_shows(&probes::visible(&input), &input);
            labelled(&input, sizes, choice);
            asked(&input, sizes, choice);
        }
    }
});

/// Returns the command line with these words. Each is parsed once.
fn line(words: &str) -> &'static Line {
    static LINES: Mutex<Option<HashMap<String, &'static Line>>> = Mutex::new(None);
    let mut lines = LINES.lock().unwrap_or_else(PoisonError::into_inner);
    lines.get_or_insert_default().entry(words.to_owned()).or_insert_with(|| {
        Box::leak(Box::new(parse(words.split(' ').map(OsString::from).collect()).expect("it makes sense")))
    })
}

fn parse(words: Vec<OsString>) -> Result<Line, String> {
    Line::parse([OsString::from("trust8")].into_iter().chain(words))
}

fn kernel(choice: u8) -> &'static str {
    let kernels = Kernel::available();
    kernels[usize::from(choice) % kernels.len()].name()
}

/// An error, counted as people do.
struct Finding {
    offset: usize,
    len: usize,
    kind: ErrorKind,
    line: usize,
    column: usize,
}

impl Finding {
    fn all_in(input: &[u8]) -> Vec<Self> {
        let mut findings = Vec::new();
        let (mut line, mut column, mut counted, mut at) = (1, 1, 0, 0);
        while let Some(fault) = first_fault(&input[at..]) {
            let offset = at + fault.valid_up_to;
            for c in String::from_utf8_lossy(&input[counted..offset]).chars() {
                (line, column) = if c == '\n' { (line + 1, 1) } else { (line, column + 1) };
            }
            let len = culprit(&fault, &input[offset..]);
            findings.push(Self { offset, len, kind: fault.kind, line, column });
            (counted, at) = (offset, offset + len);
        }
        findings
    }

    /// Checks what JSON says about the error, except for its context and the words of its message.
    fn assert_told(&self, input: &[u8], told: &Value) {
        let Self { offset, len, kind, line, column } = *self;
        let culprit = &input[offset..offset + len];
        let (keyword, section) = match kind {
            ErrorKind::UnexpectedContinuation => ("unexpected-continuation", 4),
            // Either a complete sequence of RFC 2279, or a byte that no sequence has.
            ErrorKind::InvalidByte if len > 1 && len == culprit[0].leading_ones() as usize => {
                ("invalid-byte", 3)
            }
            ErrorKind::InvalidByte => ("invalid-byte", 1),
            ErrorKind::Overlong => ("overlong", 3),
            ErrorKind::Surrogate => ("surrogate", 3),
            ErrorKind::TooLarge => ("too-large", 3),
            ErrorKind::Truncated => ("truncated", 4),
            ErrorKind::Incomplete => ("incomplete", 4),
            other => panic!("a new kind, {other:?}"),
        };
        assert_eq!(told["offset"], offset);
        assert_eq!((&told["line"], &told["column"]), (&json!(line), &json!(column)), "byte {offset}");
        assert_eq!(told["length"], len, "byte {offset}");
        let count = culprit.utf8_chunks().count();
        assert_eq!(told.get("count"), (count > 1).then(|| json!(count)).as_ref(), "byte {offset}");
        assert_eq!(told["kind"], keyword);
        assert_eq!(told["hex"], hex(culprit));
        assert_eq!(told["rfc3629_section"], section);
        let message = text(&told["message"]);
        assert!(message.contains(&hex(culprit)) && message.contains(&format!("RFC 3629 section {section} ")));
        assert!(!message.contains(is_dangerous), "{message:?}");
    }

    /// Checks the context: some bytes on either side, and no parts of characters.
    fn assert_surrounded(&self, input: &[u8], is_inside: &[bool], context: &Value) {
        let (offset, stop) = (self.offset, self.offset + self.len);
        let start = context["offset"].as_u64().expect("an offset") as usize;
        let bytes = (text(&context["hex"]).len() + 1) / 3;
        let end = start + bytes;
        assert_eq!(context["hex"], hex(&input[start..end]));
        assert_shows(text(&context["text"]), &input[start..end]);
        // Up to 32 bytes. A character that does not fit takes up to 3 of them away.
        assert!((offset.min(29)..=32).contains(&(offset - start)), "{start} before {offset}");
        assert!(((input.len() - stop).min(29)..=32).contains(&(end - stop)), "{end} after {stop}");
        assert!(!is_inside[start] && !is_inside[end], "{start} to {end} around {offset}");
    }
}

/// Returns the length of the error at the start of `rest`. If its first byte announces a sequence of RFC 2279, that is as much
/// of the sequence as there is.
fn culprit(fault: &Fault, rest: &[u8]) -> usize {
    match fault.kind {
        ErrorKind::Overlong | ErrorKind::Surrogate | ErrorKind::TooLarge | ErrorKind::InvalidByte => {
            let pair = rest.get(..6).map(|six| decode_dialect(Dialect::Cesu8, six));
            if matches!(pair.as_deref(), Some([Ok((0, 0x1_0000..))])) {
                return 6;
            }
            let wanted = match rest[0].leading_ones() as usize {
                wanted @ 2..=6 => wanted,
                _ => 1,
            };
            let tail = rest[1..].iter().take(wanted - 1);
            1 + tail.take_while(|byte| matches!(byte, 0x80..=0xBF)).count()
        }
        _ => fault.error_len.unwrap_or(rest.len()),
    }
}

/// Tests `check` with each format.
fn checked(input: &[u8], sizes: &[u8], choice: u8) {
    let kernel = kernel(choice);
    let (limited, limit) =
        [("-a", usize::MAX), ("-m 1", 1), ("-m 2", 2), ("-m 9", 9)][usize::from(choice / 64)];
    let check = |form: &str| {
        let line = line(&format!("check --kernel {kernel} {limited} --format {form}"));
        line.check(name_of(sizes), |skip| Source::new(&input[skip as usize..], sizes)).expect("all of it")
    };
    let findings = Finding::all_in(input);
    let told = &findings[..limit.min(findings.len())];

    let document: Value = serde_json::from_slice(&check("json --stats")).expect("JSON");
    assert_eq!(document["version"], 1);
    assert_summary(input, &document["summary"]);
    let files = document["files"].as_array().expect("an array");
    assert_eq!(files.len(), usize::from(!findings.is_empty()));
    let empty = Vec::new();
    let errors = files.first().map_or(&empty, |file| file["errors"].as_array().expect("an array"));
    assert_eq!(errors.len(), told.len());
    let is_inside = insides(input);
    for (finding, error) in told.iter().zip(errors) {
        finding.assert_told(input, error);
        finding.assert_surrounded(input, &is_inside, &error["context"]);
    }
    if let [file] = &files[..] {
        assert_file(input, sizes, dialect(choice), file);
    }
    assert_lines(&check("jsonl --stats"), &document);

    let name = sizes;
    let headline = |error: &Value| {
        let [line, column, offset] = ["line", "column", "offset"].map(|key| &error[key]);
        let words = format!(":{line}:{column}: byte {offset}: {}\n", text(&error["message"]));
        [&shown_name(name), words.as_bytes()].concat()
    };
    let headlines: Vec<_> = errors.iter().map(headline).collect();
    // A note about the mark of another encoding may follow.
    let (short, mark) = (check("short"), [&shown_name(name), &b":1:1: note: "[..]].concat());
    let note = short.strip_prefix(&headlines.concat()[..]).expect("the errors");
    let is_marked = ["utf-16le", "utf-16be", "utf-32le", "utf-32be"]
        .iter()
        .any(|mark| files.first().is_some_and(|file| file["byte_order_mark"] == *mark));
    assert_eq!(note.strip_prefix(&mark[..]).is_some_and(|note| note.ends_with(b"\n")), is_marked);
    assert_eq!(note.is_empty(), !is_marked);
    assert_for_people(&check("human --color never"), input, told, &headlines);
}

/// Returns the name of a file as formats for programs show it: control characters are escaped, and what reorders text.
fn shown_name(name: &[u8]) -> Vec<u8> {
    let mut shown = Vec::new();
    for chunk in name.utf8_chunks() {
        for c in chunk.valid().chars() {
            if c.is_control() || matches!(c, '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}') {
                shown.extend(c.escape_default().to_string().bytes());
            } else {
                shown.extend(c.to_string().bytes());
            }
        }
        shown.extend(chunk.invalid());
    }
    shown
}

fn name_of(bytes: &[u8]) -> PathBuf {
    OsString::from_vec(bytes.to_vec()).into()
}

fn assert_summary(input: &[u8], summary: &Value) {
    // One for each U+FFFD that would replace what is invalid.
    let errors = input.utf8_chunks().filter(|chunk| !chunk.invalid().is_empty()).count();
    let mut by_len = [0; 4];
    let mut newlines = 0;
    for c in input.utf8_chunks().flat_map(|chunk| chunk.valid().chars()) {
        by_len[c.len_utf8() - 1] += 1;
        newlines += usize::from(c == '\n');
    }
    let invalid = usize::from(errors > 0);
    let lines = newlines + usize::from(!input.is_empty() && !input.ends_with(b"\n"));
    let expected = json!({
        "files": 1, "valid": 1 - invalid, "invalid": invalid, "unread": 0, "binary_skipped": 0, "binary_like_utf16": 0, "errors": errors,
        "bytes": input.len(), "characters": by_len.iter().sum::<usize>(), "characters_by_length": by_len,
        "newlines": newlines, "lines": lines, "seconds": summary["seconds"],
    });
    assert_eq!(*summary, expected);
}

/// Checks what JSON says about an invalid file as a whole.
fn assert_file(input: &[u8], name: &[u8], (label, dialect): (&str, Dialect), file: &Value) {
    assert_eq!(file["status"], "invalid");
    assert_eq!(file["path"], *String::from_utf8_lossy(name));
    let path_hex = str::from_utf8(name).err().map(|_| Value::from(hex(name)));
    assert_eq!(file.get("path_hex"), path_hex.as_ref());
    let mark = match *input {
        [0xFF, 0xFE, 0, 0, ..] => json!("utf-32le"),
        [0, 0, 0xFE, 0xFF, ..] => json!("utf-32be"),
        [0xFF, 0xFE, ..] => json!("utf-16le"),
        [0xFE, 0xFF, ..] => json!("utf-16be"),
        [0xEF, 0xBB, 0xBF, ..] => json!("utf-8"),
        _ => Value::Null,
    };
    assert_eq!(file["byte_order_mark"], mark);
    let fits: HashMap<_, _> = file["dialects"]
        .as_array()
        .expect("an array")
        .iter()
        .map(|fit| (text(&fit["name"]), fit["convertible"].as_bool().expect("a truth value")))
        .collect();
    let numbers: Result<Vec<_>, _> = decode_dialect(dialect, input).into_iter().collect();
    let convertible = numbers.ok().map(|all| all.iter().all(|&(_, number)| char::from_u32(number).is_some()));
    assert_eq!(fits.get(label).copied(), convertible, "{label}");
}

/// The dialects of UTF-8, by their names.
const DIALECTS: [(&str, Dialect); 4] = [
    ("cesu-8", Dialect::Cesu8),
    ("mutf-8", Dialect::ModifiedUtf8),
    ("wtf-8", Dialect::Wtf8),
    ("utf-8-rfc2279", Dialect::Rfc2279),
];

/// Returns one of them. All of them would take long, because the grammars are slow.
fn dialect(choice: u8) -> (&'static str, Dialect) {
    DIALECTS[usize::from(choice / 16 % 4)]
}

/// Checks that the lines of `jsonl` have the content of the document of `json`.
fn assert_lines(out: &[u8], document: &Value) {
    let with = |value: &Value, more: &[(&str, &Value)]| {
        let mut value = value.clone();
        for &(key, more) in more {
            value[key] = more.clone();
        }
        value
    };
    let mut expected = Vec::new();
    for file in document["files"].as_array().expect("an array") {
        let mut rest = with(file, &[("type", &"file".into())]);
        let errors = rest.as_object_mut().and_then(|rest| rest.remove("errors")).expect("errors");
        for error in errors.as_array().expect("an array") {
            let mut line = with(error, &[("type", &"error".into()), ("path", &file["path"])]);
            if let Some(path_hex) = file.get("path_hex") {
                line["path_hex"] = path_hex.clone();
            }
            expected.push(line);
        }
        expected.push(rest);
    }
    let lines = out.strip_suffix(b"\n").expect("the end of a line").split(|&byte| byte == b'\n');
    let mut lines: Vec<Value> = lines.map(|line| serde_json::from_slice(line).expect("JSON")).collect();
    let summary = lines.pop().expect("a summary");
    assert_eq!(lines, expected);
    let seconds = &summary["seconds"];
    assert_eq!(summary, with(&document["summary"], &[("type", &"summary".into()), ("seconds", seconds)]));
}

/// Checks the format for people: four lines for each error, with marks below the culprit's hexadecimal digits. Nothing from the
/// input can do anything to a terminal. At the end there may be a note.
fn assert_for_people(out: &[u8], input: &[u8], told: &[Finding], headlines: &[Vec<u8>]) {
    let mut rest = out;
    let next_line = |rest: &mut &[u8]| {
        let end = rest.iter().position(|&byte| byte == b'\n').expect("a line");
        let (line, after) = rest.split_at(end);
        *rest = &after[1..];
        let line = str::from_utf8(line).expect("text").to_owned();
        assert!(!line.contains(is_dangerous), "{line:?}");
        line
    };
    for (i, (finding, headline)) in told.iter().zip(headlines).enumerate() {
        if i > 0 {
            rest = rest.strip_prefix(b"\n").expect("an empty line between");
        }
        rest = rest.strip_prefix(&headline[..]).expect("the line that the short form has");
        let (start, stop) = (finding.offset, finding.offset + finding.len);
        assert!(next_line(&mut rest).contains(&probes::visible(&input[start..stop])));
        assert_eq!(next_line(&mut rest).trim_start(), "^".repeat(4 * finding.len));
        let before = start.min(8);
        let around = &input[start - before..(stop + 8).min(input.len())];
        assert_eq!(next_line(&mut rest), format!("    hex   {}", hex(around)));
        let marks = "^".repeat(3 * finding.len - 1);
        assert_eq!(next_line(&mut rest), format!("{}{marks}", " ".repeat(10 + 3 * before)));
    }
    if !rest.is_empty() {
        assert!(next_line(&mut rest).starts_with("    note  ") && !told.is_empty());
    }
    assert!(rest.is_empty());
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a string")
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(" ")
}

/// Returns for each offset whether it is inside a character.
fn insides(input: &[u8]) -> Vec<bool> {
    let mut is_inside = Vec::new();
    for chunk in input.utf8_chunks() {
        is_inside.extend((0..chunk.valid().len()).map(|at| !chunk.valid().is_char_boundary(at)));
        is_inside.extend(chunk.invalid().iter().map(|_| false));
    }
    is_inside.push(false);
    is_inside
}

/// Whether `c` must not reach a terminal: control characters, and what reorders text or is invisible.
fn is_dangerous(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}')
}

/// Checks that `text` shows each character of `bytes`, as it is or escaped, and escapes each invalid byte.
fn assert_shows(text: &str, bytes: &[u8]) {
    let mut rest = text;
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            rest = if let Some(after) = rest.strip_prefix(c) {
                assert!(!is_dangerous(c), "{c:?}");
                after
            } else {
                assert!(!matches!(c, ' '..='~'), "{c} needs no escaping");
                let number = format!("\\u{{{:x}}}", u32::from(c));
                let short = match c {
                    '\0' => "\\0",
                    '\t' => "\\t",
                    '\n' => "\\n",
                    '\r' => "\\r",
                    _ => &number,
                };
                rest.strip_prefix(short).unwrap_or_else(|| panic!("{c:?} is not in {rest:?}"))
            };
        }
        for byte in chunk.invalid() {
            rest = rest.strip_prefix(&format!("\\x{byte:02X}")).expect("a byte");
        }
    }
    assert_eq!(rest, "");
}

/// What can be done with invalid sequences.
const REMEDIES: [&str; 3] = ["--replace", "--drop", "--escape"];

/// Returns what `remedy` writes instead of an invalid sequence.
fn stand_in(remedy: &str, sequence: &[u8]) -> String {
    match remedy {
        "--replace" => "\u{FFFD}".to_owned(),
        "--drop" => String::new(),
        _ => sequence.iter().map(|byte| format!("\\x{byte:02X}")).collect(),
    }
}

/// Valid text, or an invalid sequence with its offset.
type Piece<'a> = Result<String, (usize, &'a [u8])>;

/// Checks that `fix` with these options makes of the input what each remedy makes of the pieces.
fn assert_fixed(options: &str, input: &[u8], sizes: &[u8], pieces: &[Piece<'_>]) {
    let bad = pieces.iter().filter(|piece| piece.is_err()).count() as u64;
    for remedy in REMEDIES {
        let fixed =
            line(&format!("fix {options} {remedy}")).fix(|skip| Source::new(&input[skip as usize..], sizes));
        let expected: String = pieces
            .iter()
            .map(|piece| piece.clone().unwrap_or_else(|(_, sequence)| stand_in(remedy, sequence)))
            .collect();
        let (out, remedied) = fixed.expect("whatever it is, there is a remedy");
        assert!(out == expected.as_bytes(), "{options} {remedy}");
        assert_eq!(remedied, bad, "{options} {remedy}");
    }
}

/// Checks that without a remedy the error names the first invalid piece and its offset.
fn assert_told_of(options: &str, input: &[u8], sizes: &[u8], pieces: &[Piece<'_>]) {
    let fixed = line(&format!("fix {options}")).fix(|skip| Source::new(&input[skip as usize..], sizes));
    match pieces.iter().find_map(|piece| piece.as_ref().err()) {
        None => {
            let expected: String = pieces.iter().map(|piece| piece.as_deref().expect("text")).collect();
            assert!(fixed == Ok((expected.into_bytes(), 0)), "{options}");
        }
        Some((offset, sequence)) => {
            let why = fixed.expect_err("it is not what it is said to be");
            assert!(why.starts_with(&format!("byte {offset}: {} is ", hex(sequence))), "{options}: {why}");
        }
    }
}

/// Tests `fix` of UTF-8 and of its dialects.
fn repaired(input: &[u8], sizes: &[u8], choice: u8) {
    let kernel = kernel(choice);
    let mut pieces = Vec::new();
    let mut at = 0;
    for chunk in input.utf8_chunks() {
        pieces.push(Ok(chunk.valid().to_owned()));
        at += chunk.valid().len();
        if !chunk.invalid().is_empty() {
            pieces.push(Err((at, chunk.invalid())));
        }
        at += chunk.invalid().len();
    }
    assert_fixed(&format!("--kernel {kernel}"), input, sizes, &pieces);

    let (label, dialect) = dialect(choice);
    let items = decode_dialect(dialect, input);
    let offset = |item: &Result<(usize, u32), (usize, Option<usize>)>| match *item {
        Ok((offset, _)) | Err((offset, _)) => offset,
    };
    let ends = items.iter().skip(1).map(offset).chain([input.len()]);
    let pieces: Vec<Piece<'_>> = items
        .iter()
        .zip(ends)
        .map(|(item, end)| {
            let number = item.ok().and_then(|(_, number)| char::from_u32(number));
            number.map(String::from).ok_or((offset(item), &input[offset(item)..end]))
        })
        .collect();
    let options = format!("--from {label} --kernel {kernel}");
    assert_fixed(&options, input, sizes, &pieces);
    assert_told_of(&options, input, sizes, &pieces);

    // A guess does not depend on the pieces. It takes long.
    if choice / 64 == 0 {
        let auto = line(&format!("fix --from auto --escape --kernel {kernel}"));
        let whole = auto.fix(|skip| &input[skip as usize..]);
        assert!(auto.fix(|skip| Source::new(&input[skip as usize..], sizes)) == whole);
    }
}

/// Tests that the chunks in which dialects are read cut no sequence of any dialect.
fn read_in_chunks(input: &[u8], sizes: &[u8], choice: u8) {
    let chunks = probes::chunks(Source::new(input, sizes), 9 + usize::from(choice)).expect("all of it");
    assert!(chunks.concat() == input);
    let (label, dialect) = dialect(choice);
    let mut items = Vec::new();
    let mut at = 0;
    for chunk in &chunks {
        for item in decode_dialect(dialect, chunk) {
            items.push(match item {
                Ok((offset, number)) => Ok((at + offset, number)),
                // The sequence at the end of the chunk is not complete, and the next chunk does not complete it.
                Err((offset, None)) if at + chunk.len() < input.len() => {
                    Err((at + offset, Some(chunk.len() - offset)))
                }
                Err((offset, len)) => Err((at + offset, len)),
            });
        }
        at += chunk.len();
    }
    assert!(items == decode_dialect(dialect, input), "{label}");
}

/// The encodings of the WHATWG standard except UTF-8 and `replacement`, by their names, which are labels.
const ENCODINGS: [&str; 38] = [
    "ibm866",
    "iso-8859-2",
    "iso-8859-3",
    "iso-8859-4",
    "iso-8859-5",
    "iso-8859-6",
    "iso-8859-7",
    "iso-8859-8",
    "iso-8859-8-i",
    "iso-8859-10",
    "iso-8859-13",
    "iso-8859-14",
    "iso-8859-15",
    "iso-8859-16",
    "koi8-r",
    "koi8-u",
    "macintosh",
    "windows-874",
    "windows-1250",
    "windows-1251",
    "windows-1252",
    "windows-1253",
    "windows-1254",
    "windows-1255",
    "windows-1256",
    "windows-1257",
    "windows-1258",
    "x-mac-cyrillic",
    "gbk",
    "gb18030",
    "big5",
    "euc-jp",
    "iso-2022-jp",
    "shift_jis",
    "euc-kr",
    "utf-16be",
    "utf-16le",
    "x-user-defined",
];

/// The names of encodings that the standard lacks.
const PAGES: [&str; 28] = [
    "ibm437",
    "ibm720",
    "ibm737",
    "ibm775",
    "ibm850",
    "ibm852",
    "ibm855",
    "ibm857",
    "ibm858",
    "ibm860",
    "ibm861",
    "ibm862",
    "ibm863",
    "ibm865",
    "ibm869",
    "ibm1125",
    "x-mac-greek",
    "x-mac-turkish",
    "x-mac-ce",
    "x-mac-croatian",
    "x-mac-romanian",
    "x-mac-icelandic",
    "koi8-t",
    "kz-1048",
    "pt154",
    "viscii",
    "tcvn",
    "johab",
];

/// Tests `fix --from` of an encoding.
fn converted(input: &[u8], sizes: &[u8], choice: u8) {
    let label = ENCODINGS[usize::from(choice) % ENCODINGS.len()];
    let encoding = Encoding::for_label(label.as_bytes()).expect("a label");
    let is_utf16 = encoding == UTF_16LE || encoding == UTF_16BE;
    // encoding_rs decodes the whole input.
    let mut decoder = if is_utf16 { encoding.new_decoder() } else { encoding.new_decoder_with_bom_removal() };
    let room = decoder.max_utf8_buffer_length_without_replacement(input.len()).expect("not so long");
    let mut text = String::with_capacity(room);
    let mut pieces = Vec::new();
    let mut at = 0;
    loop {
        text.clear();
        let (result, read) = decoder.decode_to_string_without_replacement(&input[at..], &mut text, true);
        at += read;
        pieces.push(Ok(text.clone()));
        match result {
            DecoderResult::InputEmpty => break,
            DecoderResult::OutputFull => unreachable!("there was room"),
            DecoderResult::Malformed(len, read_after) => {
                let stop = at - usize::from(read_after);
                let start = stop - usize::from(len);
                pieces.push(Err((start, &input[start..stop])));
            }
        }
    }
    let replaced: String = pieces.iter().map(|piece| piece.as_deref().unwrap_or("\u{FFFD}")).collect();
    let expected =
        if is_utf16 { encoding.decode(input).0 } else { encoding.decode_with_bom_removal(input).0 };
    assert!(replaced == expected, "encoding_rs and itself");
    let options = format!("--from {label}");
    assert_fixed(&options, input, sizes, &pieces);
    assert_told_of(&options, input, sizes, &pieces);
}

/// Tests labels: known ones, known ones with something changed or added, and others.
fn labelled(input: &[u8], sizes: &[u8], choice: u8) {
    let junk = String::from_utf8_lossy(sizes);
    let known = DIALECTS.map(|(label, _)| label).into_iter().chain(ENCODINGS).chain(PAGES).chain([
        "auto",
        "utf-8",
        "unicode11utf8",
    ]);
    let known: Vec<_> = known.collect();
    let known = known[usize::from(choice) % known.len()];
    let upper = |(i, c): (usize, char)| if choice >> (i % 8) & 1 == 1 { c.to_ascii_uppercase() } else { c };
    assert_label(&known.chars().enumerate().map(upper).collect::<String>());
    assert_label(&format!("{known}{junk}"));
    assert_label(&format!("{junk}{known}"));
    assert_label(&known.replacen('-', &junk, 1));
    assert_label(&junk);
    if let Ok(label) = str::from_utf8(&input[..input.len().min(40)]) {
        assert_label(label);
    }
}

/// Checks the meaning of a label: the encoding of the standard, unless that is UTF-8; a code page, a
/// dialect, or `auto`. Other spellings are accepted too. The name of the meaning is a label for it.
fn assert_label(label: &str) {
    let bare: String =
        label.chars().filter(|c| !matches!(c, '-' | ' ')).collect::<String>().to_ascii_lowercase();
    let dialect = match &*bare {
        "cesu8" => Some("cesu-8"),
        "mutf8" | "modifiedutf8" => Some("mutf-8"),
        "wtf8" => Some("wtf-8"),
        "rfc2279" | "utf8rfc2279" => Some("utf-8-rfc2279"),
        _ => None,
    };
    let encoding = Encoding::for_label_no_replacement(label.as_bytes());
    let charset = probes::charset(label);
    let expected = if label.eq_ignore_ascii_case("auto") {
        Some("auto".to_owned())
    } else if let Some(dialect) = dialect {
        Some(dialect.to_owned())
    } else if let Some(page) = PAGES.iter().find(|page| label.eq_ignore_ascii_case(page)) {
        Some((*page).to_owned())
    } else {
        encoding.filter(|&encoding| encoding != encoding_rs::UTF_8).map(|it| it.name().to_ascii_lowercase())
    };
    if expected.is_some() || encoding.is_some() {
        assert_eq!(charset.as_ref().ok(), expected.as_ref(), "{label:?}");
    }
    if let Ok(charset) = charset {
        assert!(label.is_ascii(), "{label:?}");
        assert_eq!(probes::charset(&charset), Ok(charset));
    }
}

/// Tests arguments: numbers, labels, suffixes and paths are parsed as they were given, or refused.
fn asked(input: &[u8], sizes: &[u8], choice: u8) {
    let os = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
    let with = |option: &str, value: &[u8]| os(&[option.as_bytes(), value].concat());
    // A number, small or large, alone or with a byte after it; or any bytes.
    let mut eight = [0; 8];
    for (byte, &size) in eight.iter_mut().zip(sizes) {
        *byte = size;
    }
    let number = (u64::from_be_bytes(eight) >> (choice % 64)).to_string();
    let value = match choice / 64 {
        0 | 1 => number.as_bytes(),
        2 => &[number.as_bytes(), &sizes[..sizes.len().min(1)]].concat(),
        _ => sizes,
    };
    // No system passes an argument with a NUL.
    let is_argument = |bytes: &[u8]| !bytes.contains(&0);
    let paths: Vec<PathBuf> = input[..input.len().min(60)]
        .split(|&byte| byte == b' ' || byte == 0)
        .map(|bytes| Path::new(&os(bytes)).to_owned())
        .collect();
    let is_path = |paths: &[PathBuf]| paths.iter().all(|path| !path.as_os_str().is_empty());
    if !is_argument(value) {
        return;
    }
    let value_text = str::from_utf8(value).ok();
    let with_paths = |mut words: Vec<OsString>| {
        words.push("--".into());
        words.extend(paths.iter().map(|path| path.as_os_str().to_owned()));
        parse(words)
    };

    let limit = value_text.and_then(|text| text.parse().ok()).filter(|&limit| limit >= 1_u64);
    let said = with_paths(vec!["check".into(), with("--max-errors=", value)]);
    assert_eq!(said.as_ref().ok().map(Line::limit), limit.filter(|_| is_path(&paths)));
    if let Ok(said) = said {
        assert_eq!(said.paths(), paths);
    }

    let threads =
        value_text.and_then(|text| text.parse().ok()).filter(|threads| (1..=1024).contains(threads));
    let said = with_paths(vec![with("-j", value)]);
    // `-j=3` is `-j 3`.
    let threads = match value_text.and_then(|text| text.strip_prefix('=')) {
        Some(text) => text.parse().ok().filter(|threads| (1..=1024).contains(threads)),
        None => threads,
    };
    assert_eq!(
        said.as_ref().ok().map(Line::threads),
        threads.filter(|_| is_path(&paths) && !value.is_empty())
    );
    if let Ok(said) = said {
        assert_eq!(said.paths(), paths);
    }

    let suffix = value_text.filter(|text| !text.is_empty() && !text.contains(path::is_separator));
    let words = vec!["fix".into(), "-i".into(), with("--backup=", value), with("--from=", value)];
    let label = value_text.filter(|text| probes::charset(text).is_ok());
    let said = with_paths(words);
    assert_eq!(said.is_ok(), suffix.is_some() && label.is_some() && is_path(&paths));
    let said = with_paths(vec!["fix".into(), "-i".into(), with("--backup=", value)]);
    assert_eq!(said.as_ref().ok().and_then(Line::backup), suffix.filter(|_| is_path(&paths)));
    if let Ok(said) = said {
        assert_eq!(said.paths(), paths);
    }
}
