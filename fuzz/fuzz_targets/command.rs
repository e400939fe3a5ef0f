//! The command `trust8`, from the words of its command line to the bytes of its output. The input comes in pieces.
//!
//! The target tests properties: no character of the input is lost, none is invented, a repair of what is repaired changes nothing,
//! and what is counted, told and returned agrees. The grammar of RFC 3629, `core` and `encoding_rs` say what is valid; the target
//! `dialects` tests the dialects.

#![no_main]

use std::collections::HashMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use encoding_rs::Encoding;
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};
use trust8::{ErrorKind, Kernel};
use trust8_cli::probes::{self, Line};
use trust8_dialect::Dialect;
use trust8_fuzz::input;
use trust8_fuzz::oracle::fault;
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
        1 => repaired(&input, sizes, choice),
        2 => converted(&input, sizes, choice),
        _ => {
            assert_shows(&probes::visible(&input), &input);
            labelled(&input, sizes, choice);
            asked(&input, sizes, choice);
        }
    }
});

/// Returns the command line with these words, which is parsed once.
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

/// Tests `check`: each error that is told is one, none is left out, and all formats tell the same.
fn checked(input: &[u8], sizes: &[u8], choice: u8) {
    let name = PathBuf::from(OsString::from_vec(sizes.to_vec()));
    let (limited, limit) =
        [("-a", usize::MAX), ("-m 1", 1), ("-m 2", 2), ("-m 9", 9)][usize::from(choice / 64)];
    let check = |form: &str| {
        let line = line(&format!("check --kernel {} {limited} --format {form}", kernel(choice)));
        line.check(name.clone(), |skip| Source::new(&input[skip as usize..], sizes)).expect("all of it")
    };
    let document: Value = serde_json::from_slice(&check("json --stats")).expect("JSON");
    let file = document["files"].as_array().expect("an array").first();
    let errors = file.map_or(&[][..], |file| file["errors"].as_array().expect("an array"));
    assert_eq!(file.is_none(), str::from_utf8(input).is_ok());
    let number = |value: &Value| value.as_u64().expect("a number") as usize;
    // What is before, between and after the errors is valid, and what they say is there.
    let mut at = 0;
    for error in errors {
        let fault = fault(&input[at..]).expect("an error");
        let (offset, len) = (number(&error["offset"]), number(&error["length"]));
        assert_eq!((offset, &error["kind"]), (at + fault.valid_up_to, &json!(fault.kind.name())));
        at = offset + len;
        assert_eq!(error["hex"], hex(&input[offset..at]));
        // The sections are the grammar, and what it excludes although the lengths are right.
        let section = match fault.kind {
            ErrorKind::InvalidByte if len == 1 || len != input[offset].leading_ones() as usize => 1,
            ErrorKind::UnexpectedContinuation | ErrorKind::Truncated | ErrorKind::Incomplete => 4,
            _ => 3,
        };
        assert_eq!(error["rfc3629_section"], section);
        let message = text(&error["message"]);
        assert!(message.contains(text(&error["hex"])), "{message}");
        assert!(message.contains(&format!("RFC 3629 section {section} ")), "{message}");
        let count = input[offset..at].utf8_chunks().count();
        assert_eq!(error.get("count"), (count > 1).then(|| json!(count)).as_ref());
        let before = String::from_utf8_lossy(&input[..offset]);
        assert_eq!(number(&error["line"]), 1 + before.matches('\n').count(), "byte {offset}");
        let column = before.rsplit('\n').next().map_or(0, |text| text.chars().count()) + 1;
        assert_eq!(number(&error["column"]), column, "byte {offset}");
        // Up to 32 bytes on either side. A character that does not fit takes up to 3 of them away.
        let context = &error["context"];
        let start = number(&context["offset"]);
        let end = start + (text(&context["hex"]).len() + 1) / 3;
        assert!((offset.min(29)..=32).contains(&(offset - start)), "{start} before {offset}");
        assert!(((input.len() - at).min(29)..=32).contains(&(end - at)), "{end} after {at}");
        assert_eq!(context["hex"], hex(&input[start..end]));
        assert_shows(text(&context["text"]), &input[start..end]);
    }
    assert!(errors.len() == limit || errors.len() < limit && str::from_utf8(&input[at..]).is_ok());
    if let Some(file) = file {
        let fits = file["dialects"].as_array().expect("an array");
        for (name, dialect) in DIALECTS {
            let told = fits.iter().find(|fit| fit["name"] == name).map(|fit| &fit["convertible"]);
            let convertible = dialect.validate(input).ok().map(|_| json!(dialect.to_utf8(input).is_ok()));
            assert_eq!(told, convertible.as_ref(), "{name}");
        }
        assert_eq!(file.get("path_hex"), str::from_utf8(sizes).err().map(|_| json!(hex(sizes))).as_ref());
    }
    let chars = input.utf8_chunks().map(|chunk| chunk.valid().chars().count()).sum::<usize>();
    let faults = input.utf8_chunks().filter(|chunk| !chunk.invalid().is_empty()).count();
    let newlines = input.iter().filter(|&&byte| byte == b'\n').count();
    for (key, count) in
        [("bytes", input.len()), ("characters", chars), ("errors", faults), ("newlines", newlines)]
    {
        assert_eq!(document["summary"][key], count, "{key}");
    }

    let lines = check("jsonl --stats");
    let lines = lines.strip_suffix(b"\n").expect("the end of a line").split(|&byte| byte == b'\n');
    let lines: Vec<Value> = lines.map(|line| serde_json::from_slice(line).expect("JSON")).collect();
    let mut told = lines.iter().filter(|line| line["type"] == "error");
    for error in errors {
        let told = told.next().expect("an error");
        assert!(error.as_object().expect("an object").iter().all(|(key, value)| told[key] == *value));
    }
    assert!(told.next().is_none());
    let short = String::from_utf8_lossy(&check("short")).into_owned();
    let mut notes = &*short;
    for error in errors {
        let [line, column, offset] = ["line", "column", "offset"].map(|key| &error[key]);
        let words = format!(":{line}:{column}: byte {offset}: {}\n", text(&error["message"]));
        notes = notes.split_once(&words).expect("the error").1;
    }
    assert!(notes.is_empty() || notes.contains(":1:1: note: "));
    // Below the line of the short form: the text, marks, bytes and marks. Nothing from the input can do anything to a terminal.
    let people = String::from_utf8_lossy(&check("human --color never")).into_owned();
    assert_eq!(people.is_empty(), errors.is_empty());
    let hexes: Vec<_> = people.lines().filter_map(|line| line.strip_prefix("    hex   ")).collect();
    assert_eq!(hexes.len(), errors.len());
    assert!(hexes.iter().zip(errors).all(|(line, error)| line.contains(text(&error["hex"]))));
    assert!(!sizes.is_ascii() || !people.replace('\n', "").contains(is_dangerous));
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a string")
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(" ")
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
                let short = if c == '\0' { "\\0".to_owned() } else { c.escape_default().to_string() };
                rest.strip_prefix(&short).unwrap_or_else(|| panic!("{c:?} is not in {rest:?}"))
            };
        }
        for byte in chunk.invalid() {
            rest = rest.strip_prefix(&format!("\\x{byte:02X}")).expect("a byte");
        }
    }
    assert_eq!(rest, "");
}

/// Checks `fix` with these options, and that `--replace` makes `replaced` of the input.
fn assert_fixed(options: &str, input: &[u8], sizes: &[u8], replaced: &str) {
    let fix = |options: &str, input: &[u8]| {
        line(&format!("fix {options}")).fix(|skip| Source::new(&input[skip as usize..], sizes))
    };
    let all = ["--replace", "--drop", "--escape"]
        .map(|remedy| fix(&format!("{options} {remedy}"), input).expect("whatever it is, there is a remedy"));
    let [(with_marks, count), (dropped, _), (escaped, _)] = &all;
    assert!(*with_marks == replaced.as_bytes(), "{options}");
    for (out, remedied) in &all {
        assert_eq!(remedied, count, "{options}");
        // What is repaired is UTF-8, and stays as it is.
        assert!(fix("--kernel scalar", out) == Ok((out.clone(), 0)), "{options}");
    }
    // The three differ only where something was remedied: a mark, nothing, or its bytes.
    assert_eq!(with_marks.len(), dropped.len() + 3 * *count as usize, "{options}");
    let [dropped, escaped] = [dropped, escaped].map(|out| str::from_utf8(out).expect("UTF-8"));
    assert!(dropped.replace('\u{FFFD}', "") == replaced.replace('\u{FFFD}', ""), "{options}");
    let mut rest = escaped.chars();
    assert!(dropped.chars().all(|wanted| rest.any(|c| c == wanted)), "{options}");
    let more = escaped.len() - dropped.len();
    assert!(
        more % 4 == 0 && more >= 4 * *count as usize && escaped.matches("\\x").count() >= more / 4,
        "{options}"
    );
    // Without a remedy, there is an error where the first remedy would be. UTF-8 may have lines in other encodings.
    match fix(options, input) {
        _ if !options.contains("--from") => {}
        Ok(untouched) => assert!(untouched == (with_marks.clone(), 0) && *count == 0, "{options}"),
        Err(why) => {
            let offset = why.strip_prefix("byte ").and_then(|why| why.split(':').next()?.parse().ok());
            let before: &[u8] = &input[..offset.expect("an offset")];
            let (before, none) = fix(options, before).expect("what is before the first error");
            assert!(
                none == 0 && *count > 0 && with_marks[before.len()..].starts_with("\u{FFFD}".as_bytes()),
                "{options}: {why}"
            );
            assert!(with_marks.starts_with(&before), "{options}: {why}");
        }
    }
}

/// The dialects of UTF-8, by their names.
const DIALECTS: [(&str, Dialect); 4] = [
    ("cesu-8", Dialect::Cesu8),
    ("mutf-8", Dialect::ModifiedUtf8),
    ("wtf-8", Dialect::Wtf8),
    ("utf-8-rfc2279", Dialect::Rfc2279),
];

/// Tests `fix` of UTF-8 and of its dialects.
fn repaired(input: &[u8], sizes: &[u8], choice: u8) {
    let kernel = kernel(choice);
    assert_fixed(&format!("--kernel {kernel}"), input, sizes, &String::from_utf8_lossy(input));
    let escape = |chunk: std::str::Utf8Chunk<'_>| {
        let escaped = chunk.invalid().iter().map(|byte| format!("\\x{byte:02X}"));
        chunk.valid().to_owned() + &escaped.collect::<String>()
    };
    let escaped =
        line("fix --escape").fix(|skip| Source::new(&input[skip as usize..], sizes)).expect("a remedy");
    assert!(escaped.0 == input.utf8_chunks().map(escape).collect::<String>().into_bytes());
    let (label, dialect) = DIALECTS[usize::from(choice / 16 % 4)];
    let options = format!("--from {label} --kernel {kernel}");
    assert_fixed(&options, input, sizes, &dialect.to_utf8_lossy(input));

    // The chunks in which dialects are read cut no sequence.
    for size in 9..13 + usize::from(choice % 4) {
        let chunks = probes::chunks(Source::new(input, sizes), size).expect("all of it");
        assert!(chunks.concat() == input);
        let in_chunks: String = chunks.iter().map(|chunk| dialect.to_utf8_lossy(chunk)).collect();
        assert!(in_chunks == dialect.to_utf8_lossy(input), "{label}");
    }
    // A guess does not depend on the pieces. It takes long.
    if choice / 64 == 0 {
        let auto = line(&format!("fix --from auto --escape --kernel {kernel}"));
        let whole = auto.fix(|skip| &input[skip as usize..]);
        assert!(auto.fix(|skip| Source::new(&input[skip as usize..], sizes)) == whole);
    }
}

/// The encodings of the WHATWG standard except UTF-8 and `replacement`, by their names, which are labels.
const ENCODINGS: &str = "ibm866 iso-8859-2 iso-8859-3 iso-8859-4 iso-8859-5 iso-8859-6 iso-8859-7 iso-8859-8 iso-8859-8-i iso-8859-10 \
    iso-8859-13 iso-8859-14 iso-8859-15 iso-8859-16 koi8-r koi8-u macintosh windows-874 windows-1250 windows-1251 windows-1252 \
    windows-1253 windows-1254 windows-1255 windows-1256 windows-1257 windows-1258 x-mac-cyrillic gbk gb18030 big5 euc-jp iso-2022-jp \
    shift_jis euc-kr utf-16be utf-16le x-user-defined";

/// The names of encodings that the standard lacks.
const PAGES: &str = "ibm437 ibm720 ibm737 ibm775 ibm850 ibm852 ibm855 ibm857 ibm858 ibm860 ibm861 ibm862 ibm863 ibm865 ibm869 ibm1125 \
    x-mac-greek x-mac-turkish x-mac-ce x-mac-croatian x-mac-romanian x-mac-icelandic koi8-t kz-1048 pt154 viscii tcvn johab";

/// Tests `fix --from` of an encoding, which encoding_rs decodes as a whole.
fn converted(input: &[u8], sizes: &[u8], choice: u8) {
    let label = ENCODINGS.split(' ').cycle().nth(choice.into()).expect("a label");
    let encoding = Encoding::for_label(label.as_bytes()).expect("a label");
    let text = match label.starts_with("utf-16") {
        true => encoding.decode(input).0,
        false => encoding.decode_with_bom_removal(input).0,
    };
    assert_fixed(&format!("--from {label}"), input, sizes, &text);
}

/// Tests labels: known ones, known ones with something changed or added, and others.
fn labelled(input: &[u8], sizes: &[u8], choice: u8) {
    let junk = String::from_utf8_lossy(sizes);
    // These are their own names.
    let known =
        ENCODINGS.split(' ').chain(PAGES.split(' ')).chain(DIALECTS.map(|(name, _)| name)).chain(["auto"]);
    let known: Vec<_> = known.collect();
    for name in &known {
        assert_eq!(probes::charset(&name.to_uppercase()).as_deref(), Ok(*name));
    }
    let known = known[usize::from(choice) % known.len()];
    let start = String::from_utf8_lossy(&input[..input.len().min(40)]);
    let [after, before] = [format!("{known}{junk}"), format!("{junk}{known}")];
    for label in [&after, &before, &known.replacen('-', &junk, 1), &*junk, &start, "utf-8", "unicode11utf8"] {
        let charset = probes::charset(label);
        // The encoding of the standard, unless that is UTF-8. Other spellings are accepted too.
        if let Some(encoding) = Encoding::for_label_no_replacement(label.as_bytes()) {
            let name = encoding.name().to_ascii_lowercase();
            assert_eq!(charset.as_ref().ok(), Some(&name).filter(|name| *name != "utf-8"), "{label:?}");
        }
        // The name of the meaning is a label for it.
        if let Ok(charset) = charset {
            assert!(label.is_ascii(), "{label:?}");
            assert_eq!(probes::charset(&charset), Ok(charset));
        }
    }
}

/// Tests arguments: numbers and paths are parsed as they were given, or refused.
fn asked(input: &[u8], sizes: &[u8], choice: u8) {
    let os = |bytes: &[u8]| OsString::from_vec(bytes.iter().copied().filter(|&byte| byte != 0).collect());
    let paths: Vec<PathBuf> =
        input[..input.len().min(60)].split(|&byte| byte == b' ').map(|bytes| os(bytes).into()).collect();
    // A small or large number, or any bytes.
    let number = sizes.iter().fold(0_u64, |number, &size| number << 8 | u64::from(size)) >> (choice % 64);
    let value = if choice < 0x80 { number.to_string().into_bytes() } else { sizes.to_vec() };
    let number: Option<u64> = os(&value).into_string().ok().and_then(|text| text.parse().ok());
    let threads = |line: &Line| line.threads() as u64;
    for (option, get, most) in
        [("--max-errors=", &Line::limit as &dyn Fn(&Line) -> u64, u64::MAX), ("--threads=", &threads, 1024)]
    {
        let words = [OsString::from("check"), os(&[option.as_bytes(), &value].concat()), "--".into()];
        let said = parse(words.into_iter().chain(paths.iter().map(OsString::from)).collect());
        let are_paths = paths.iter().all(|path| !path.as_os_str().is_empty());
        let expected = number.filter(|number| are_paths && (1..=most).contains(number));
        assert_eq!(said.as_ref().ok().map(get), expected, "{option}");
        assert!(said.is_err() || said.is_ok_and(|said| said.paths() == paths));
    }
}
