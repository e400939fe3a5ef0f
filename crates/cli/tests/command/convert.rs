//! Tests `trust8 convert`.

use std::fs;

use crate::folder::{Folder, trust8};
use predicates::prelude::*;
use predicates::str::{contains, is_empty, starts_with};

const TEXT: &str = "Grüße, 日本 😀\n";

fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(bytes).collect()
}

fn utf32(text: &str, bytes: fn(u32) -> [u8; 4]) -> Vec<u8> {
    text.chars().map(u32::from).flat_map(bytes).collect()
}

fn encoded(text: &str) -> [(&'static str, Vec<u8>); 5] {
    [
        ("utf-8", text.as_bytes().to_vec()),
        ("utf-16le", utf16(text, u16::to_le_bytes)),
        ("utf-16be", utf16(text, u16::to_be_bytes)),
        ("utf-32le", utf32(text, u32::to_le_bytes)),
        ("utf-32be", utf32(text, u32::to_be_bytes)),
    ]
}

/// Converts from and to every encoding, from a file and from a stream, with every kernel. The text
/// is longer than what is read at once, so characters lie across the ends of chunks.
#[test]
fn every_pair_of_encodings() {
    let folder = Folder::new();
    let long = TEXT.repeat(20_000);
    for (from, source) in &encoded(&long) {
        folder.file("f", source);
        for (to, expected) in &encoded(&long) {
            let convert = |kernel: &str| {
                let mut command = folder.trust8();
                command.args(["convert", "--from", from, "--to", to, "--kernel", kernel]);
                command
            };
            for kernel in trust8::Kernel::available() {
                let assert = convert(kernel.name()).arg("f").assert().code(0).stderr(is_empty());
                assert!(assert.get_output().stdout == *expected, "{from} to {to}, {}", kernel.name());
            }
            let assert = convert("scalar").write_stdin(source.clone()).assert().code(0);
            assert!(assert.get_output().stdout == *expected, "{from} to {to}");
        }
    }
    let convert = |from, to| {
        let mut command = trust8();
        command.args(["convert", "--from", from, "--to", to]);
        command
    };
    convert("latin1", "utf-8").write_stdin(b"na\xEFve").assert().code(0).stdout("naïve");
    for latin1 in ["latin1", "latin1-exact"] {
        convert("utf-16be", latin1).write_stdin(b"\0n\0\xEF").assert().code(0).stdout(&b"n\xEF"[..]);
    }
}

/// These go through UTF-8. What is wrong, and where, is that of the source.
#[test]
fn errors_between_encodings_that_are_not_utf8() {
    let before = TEXT.repeat(20_000);
    let mut broken = utf16(&before, u16::to_be_bytes);
    let at = broken.len();
    broken.extend(b"\xD8\0\0a");
    let convert = |to: &str, options: &[&str], input: &[u8]| {
        let mut command = trust8();
        command.args(["convert", "--from", "utf-16be", "--to", to]).args(options);
        command.write_stdin(input).assert()
    };
    let strict = convert("utf-32le", &[], &broken).code(1).stderr(contains(format!("at byte {at}: ")));
    assert!(strict.get_output().stdout == utf32(&before, u32::to_le_bytes));
    let lossy = convert("utf-32le", &["--replace"], &broken).code(0);
    assert!(lossy.get_output().stdout == utf32(&format!("{before}\u{FFFD}a"), u32::to_le_bytes));
    let latin1: Vec<u8> = before.chars().map(|c| u8::try_from(c).unwrap_or(b'?')).collect();
    let lossy = convert("latin1-exact", &["--replace"], &broken).code(0);
    assert!(lossy.get_output().stdout == [&latin1[..], b"?a"].concat());
    // What Latin-1 lacks comes before what is malformed; the end cuts off a unit.
    let why = "line 1, column 8, byte 14: U+65E5 is not in latin1-exact (";
    convert("latin1-exact", &[], &broken).code(1).stderr(contains(why));
    convert("utf-16le", &[], b"\0a\0").code(1).stdout("a\0").stderr(contains("byte 2"));
    convert("utf-16le", &["--replace"], b"\0a\0").code(0).stdout(&b"a\0\xFD\xFF"[..]);
}

/// To some targets, the mark was dropped, or turned the bytes around.
#[test]
fn a_mark_is_a_character_unless_the_name_reads_it() {
    let convert = |from: &str, to: &str, input: &[u8]| {
        let mut command = trust8();
        command.args(["convert", "--from", from, "--to", to]).write_stdin(input).assert()
    };
    for to in ["windows-1252", "ascii", "koi8-r", "ibm437", "johab", "latin1-exact"] {
        for (from, input, c) in [
            ("utf-8", &b"\xEF\xBB\xBFa"[..], "FEFF"),
            ("utf-16le", b"\xFF\xFEa\0", "FEFF"),
            ("utf-16be", b"\xFE\xFF\0a", "FEFF"),
            ("utf-16le", b"\xFE\xFF\0a", "FFFE"),
            ("utf-16be", b"\xFF\xFEa\0", "FFFE"),
            ("utf-32le", b"\xFF\xFE\0\0a\0\0\0", "FEFF"),
            ("utf-32be", b"\0\0\xFE\xFF\0\0\0a", "FEFF"),
        ] {
            let why = format!("line 1, column 1, byte 0: U+{c} is not in ");
            convert(from, to, input).code(1).stderr(contains(why));
        }
        convert("utf-16", to, b"\xFE\xFF\0a").code(0).stdout("a");
    }
    for to in ["cesu-8", "gb18030"] {
        let expected = if to == "cesu-8" { &b"\xEF\xBB\xBFa"[..] } else { b"\x84\x31\x95\x33a" };
        convert("utf-16le", to, b"\xFF\xFEa\0").code(0).stdout(expected);
    }
}

#[test]
fn the_default_source_is_utf8() {
    let assert = trust8().args(["convert", "--to", "utf-16le"]).write_stdin("é").assert().code(0);
    assert_eq!(assert.get_output().stdout, b"\xE9\0");
    trust8().arg("convert").write_stdin("é").assert().code(2).stderr(contains("--to"));
    let unknown = ["convert", "--to", "ebcdic"];
    trust8()
        .args(unknown)
        .assert()
        .code(2)
        .stderr(contains("utf-8, utf-16le, utf-16be, utf-32le, utf-32be, latin1-exact"));
}

#[test]
fn errors_have_offsets_and_replace_continues() {
    let folder = Folder::new();
    folder.file("utf16", b"a\0\x3D\xD8b\0");
    let convert = |options: &[&str]| {
        let mut command = folder.trust8();
        command.arg("convert").args(options);
        command
    };
    let from_utf16 = ["--from", "utf-16le", "--to", "utf-8", "utf16"];
    convert(&from_utf16).assert().code(1).stdout("a").stderr(
        "trust8: utf16: invalid UTF-16 at byte 2: D83D is the first half of a surrogate pair; expected the second \
         (DC00 to DFFF) after it (to continue, use --replace)\n",
    );
    convert(&[&from_utf16[..], &["--replace"]].concat())
        .assert()
        .code(0)
        .stdout("a\u{FFFD}b")
        .stderr(is_empty());
    let to_latin1 = ["--to", "latin1-exact"];
    convert(&to_latin1)
        .write_stdin("5 €")
        .assert()
        .code(1)
        .stderr(starts_with("trust8: <stdin>: line 1, column 3, byte 2: U+20AC is not in latin1-exact"));
    convert(&["--to", "latin1-exact", "--replace"]).write_stdin("5 €").assert().code(0).stdout("5 ?");
    // An error at the end of the input.
    convert(&to_latin1)
        .write_stdin(b"ab\xC3")
        .assert()
        .code(1)
        .stdout("ab")
        .stderr(contains("at byte 2: C3"));
    // After an error, the other files are still converted.
    folder.file("good", b"!\0");
    convert(&[&from_utf16[..], &["good", "none", "."]].concat())
        .assert()
        .code(2)
        .stdout("a!")
        .stderr(contains("none: ").and(contains("is a directory")));
}

/// `utf-16` is little-endian with a byte order mark as a target. As a source, it reads the mark of
/// either order.
#[test]
fn utf16_has_a_mark() {
    let convert = |from: &str, to: &str, text: &[u8]| {
        let assert =
            trust8().args(["convert", "--from", from, "--to", to]).write_stdin(text).assert().code(0);
        assert.get_output().stdout.clone()
    };
    let little = [b"\xFF\xFE", &*utf16(TEXT, u16::to_le_bytes)].concat();
    let big = [b"\xFE\xFF", &*utf16(TEXT, u16::to_be_bytes)].concat();
    assert_eq!(convert("utf-8", "utf-16", TEXT.as_bytes()), little);
    // There are never two.
    assert_eq!(convert("utf-8", "utf-16", format!("\u{FEFF}{TEXT}").as_bytes()), little);
    for marked in [&little, &big, &little[2..].to_vec()] {
        assert_eq!(convert("utf-16", "utf-8", marked), TEXT.as_bytes());
        assert_eq!(convert("utf16", "UTF-16", marked), little);
        let fixed =
            trust8().args(["fix", "--force", "--from", "utf-16"]).write_stdin(marked.clone()).assert();
        fixed.code(0).stdout(TEXT);
    }
    // Where the order is named, the mark is a character.
    assert_eq!(convert("utf-16le", "utf-8", &little), format!("\u{FEFF}{TEXT}").as_bytes());
    assert_eq!(convert("utf-8", "utf-16", b""), b"");
}

/// The mark of the second file was read back as a character of the text.
#[test]
fn several_files_make_one_text_with_one_mark() {
    let folder = Folder::new();
    folder.file("empty", "");
    folder.file("a", "a");
    folder.file("b", "b");
    for (to, expected) in [("utf-16", &b"\xFF\xFEa\0b\0"[..]), ("utf-32", b"\xFF\xFE\0\0a\0\0\0b\0\0\0")] {
        let convert = |options: &[&str]| {
            let mut command = folder.trust8();
            command.args(["convert", "--to", to]).args(options).args(["empty", "a", "b"]);
            command.assert().code(0).get_output().stdout.clone()
        };
        assert_eq!(convert(&[]), expected);
    }
    folder.trust8().args(["convert", "-i", "--to", "utf-16", "a", "b"]).assert().code(0);
    assert_eq!(fs::read(folder.at("b")).unwrap(), b"\xFF\xFEb\0");
    // A mark that tells the encoding is no part of the text.
    let auto = ["convert", "--from", "auto", "--to", "koi8-r", "a", "b"];
    folder
        .trust8()
        .args(auto)
        .assert()
        .code(0)
        .stdout("ab")
        .stderr(contains("b: converted from utf-16 (a guess)"));
    // What fails was not converted.
    folder.file("b", b"\xFF\xFE\x34\x12");
    let fails = folder.trust8().args(auto).assert().code(1).stderr(contains("U+1234 is not in koi8-r"));
    fails.stderr(contains("b: converted").not());
}

/// The place in the input is right, whatever that is encoded in.
/// The encoder of ISO-2022-JP names U+FFFD instead of these control characters.
#[test]
fn control_characters_that_iso_2022_jp_lacks() {
    let convert = |text: &str| {
        let mut command = trust8();
        command.args(["convert", "--to", "iso-2022-jp"]).write_stdin(text.to_owned());
        command
    };
    for (text, place, code_point) in [
        ("\u{1B}", "line 1, column 1, byte 0", "U+001B"),
        ("日\u{E}", "line 1, column 2, byte 3", "U+000E"),
        ("ab\nc\u{F}d", "line 2, column 2, byte 4", "U+000F"),
    ] {
        let why = crate::folder::stderr(&convert(text).assert().code(1));
        assert!(why.contains(&format!("{place}: {code_point} is not in")), "{why}");
        convert(text).arg("--replace").assert().code(0);
    }
}

#[test]
fn a_character_that_the_target_lacks_has_a_place() {
    let text = format!("{}\r\nZoë: \u{2212}1", "äöü\n".repeat(70_000));
    let why = |from: &str, to: &str, input: Vec<u8>| {
        let run = trust8().args(["convert", "--from", from, "--to", to]).write_stdin(input).assert().code(1);
        crate::folder::stderr(&run)
    };
    let encode = |to: &str| {
        let run = trust8().args(["convert", "--to", to]).write_stdin(text.clone()).assert().code(0);
        run.get_output().stdout.clone()
    };
    for (from, size) in [
        ("utf-8", 0),
        ("utf-16le", 2),
        ("utf-16", 2),
        ("utf-32be", 4),
        ("x-mac-cyrillic", 1),
        ("cesu-8", 0),
        ("euc-kr", 0),
    ] {
        // These have no `ë` or `ö`, but other letters.
        let text = match from {
            "x-mac-cyrillic" => text.replace(['ä', 'ö', 'ü', 'ë', '\u{2212}'], "я"),
            "euc-kr" => text.replace(['ä', 'ö', 'ü', 'ë', '\u{2212}'], "한"),
            _ => text.clone(),
        };
        let run = trust8().args(["convert", "--to", from]).write_stdin(text.clone()).assert().code(0);
        let input = run.get_output().stdout.clone();
        for to in ["ascii", "latin1-exact", "windows-1252", "iso-8859-2"] {
            let is_lacking = |c: char| match to {
                "ascii" => !c.is_ascii(),
                _ => c > '\u{FF}',
            };
            let at = text.find(is_lacking).unwrap();
            let (before, rest) = text.split_at(at);
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().unwrap().chars().count() + 1;
            let offset = match (from, size) {
                ("euc-kr", _) => before.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum(),
                (_, 0) => at,
                _ => before.chars().count() * size + if from == "utf-16" { 2 } else { 0 },
            };
            let c = u32::from(rest.chars().next().unwrap());
            let expected = format!(
                "trust8: <stdin>: line {line}, column {column}, byte {offset}: U+{c:04X} is not in {to} ("
            );
            let got = why(from, to, input.clone());
            assert!(got.starts_with(&expected), "{from}: {got}{expected}");
        }
    }
    assert!(encode("utf-16").len() > 500_000);
    // In ISO-2022-JP, the offset is not known.
    let run = trust8().args(["convert", "--to", "iso-2022-jp"]).write_stdin("a\n日本").assert().code(0);
    let message = why("iso-2022-jp", "ascii", run.get_output().stdout.clone());
    assert!(message.starts_with("trust8: <stdin>: line 2, column 1: U+65E5 is not in ascii"), "{message}");
}

#[test]
fn in_place_is_all_or_nothing() {
    let folder = Folder::new();
    let [_, (_, utf16le), ..] = encoded(TEXT);
    folder.file("good", &utf16le);
    folder.file("bad", b"a\0\0\xDC");
    let convert = |options: &[&str]| {
        let mut command = folder.trust8();
        command.args(["convert", "--from", "utf-16le", "--to", "utf-8", "--in-place"]).args(options);
        command
    };
    convert(&["--backup=.old", "bad", "good"])
        .assert()
        .code(1)
        .stdout(is_empty())
        .stderr(contains("bad: invalid UTF-16 at byte 2"));
    assert_eq!(fs::read(folder.at("good")).unwrap(), TEXT.as_bytes());
    assert_eq!(fs::read(folder.at("good.old")).unwrap(), utf16le);
    assert_eq!(fs::read(folder.at("bad")).unwrap(), b"a\0\0\xDC");
    // There is no other file, so no temporary one is left.
    assert_eq!(folder.names(), ["bad", "good", "good.old"]);
    convert(&["bad", "--replace"]).assert().code(0);
    assert_eq!(fs::read(folder.at("bad")).unwrap(), "a\u{FFFD}".as_bytes());
    convert(&["-"]).assert().code(2).stderr(contains("standard input cannot be replaced"));
}

#[test]
fn output_names_one_file() {
    let folder = Folder::new();
    folder.file("f", "é");
    let convert = |options: &[&str]| {
        let mut command = folder.trust8();
        command.args(["convert", "--to", "utf-16be", "--output", "out"]).args(options);
        command
    };
    convert(&["f"]).assert().code(0).stdout(is_empty());
    assert_eq!(fs::read(folder.at("out")).unwrap(), b"\0\xE9");
    convert(&["f", "f"]).assert().code(2).stderr(contains("only one file can be given"));
    convert(&["none"]).assert().code(2);
    assert_eq!(fs::read(folder.at("out")).unwrap(), b"\0\xE9");
    convert(&["f", "--in-place"]).assert().code(2).stderr(contains("cannot be used with"));
}
