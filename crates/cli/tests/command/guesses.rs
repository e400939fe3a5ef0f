//! Tests how encodings are guessed and named, and what is done with a guess.

use std::fs;

use crate::folder::{Folder, stderr, stdout, trust8};
use predicates::prelude::*;
use predicates::str::{contains, is_empty};

/// A file that was UTF-8 except for one byte was decoded as windows-1252, all of it, and "Größe:
/// 日本語" became mojibake.
#[test]
fn mostly_utf8_is_repaired_and_not_converted() {
    let folder = Folder::new();
    let text = |bad: &[u8]| ["Größe: 日本語\n“naïve” caf".as_bytes(), bad, " œuvre\n".as_bytes()].concat();
    folder.file("f", text(b"\xE9"));
    let assert = folder.trust8().args(["fix", "--from", "auto", "f"]).assert().code(0);
    assert_eq!(stdout(&assert).as_bytes(), text("é".as_bytes()));
    let report = "trust8: f: repaired, 1 invalid sequence decoded as windows-1252 (a guess)\n";
    assert_eq!(stderr(&assert), report);
    // `inspect` recommends the same.
    let inspected = folder.trust8().args(["inspect", "f"]).assert().code(1);
    let likely = "UTF-8 with some bytes in windows-1252 (a guess); trust8 fix --invalid-as windows-1252\n";
    assert!(stdout(&inspected).contains(likely), "{}", stdout(&inspected));
    folder
        .trust8()
        .args(["fix", "-iq", "--invalid-as", "windows-1252", "f"])
        .assert()
        .code(0)
        .stderr(is_empty());
    assert_eq!(fs::read(folder.at("f")).unwrap(), text("é".as_bytes()));
}

/// The bad byte may be anywhere in a large file.
#[test]
fn a_sample_of_a_large_file_is_enough() {
    let folder = Folder::new();
    let text = "Größe: 日本語, 5 €\n".repeat(200_000);
    for place in [0, text.len() / 3, text.len()] {
        let place = text.floor_char_boundary(place);
        let bytes = [&text.as_bytes()[..place], b"\x80", &text.as_bytes()[place..]].concat();
        folder.file("f", &bytes);
        let assert = folder.trust8().args(["fix", "--from", "auto", "f"]).assert().code(0);
        assert!(stdout(&assert) == [&text[..place], "€", &text[place..]].concat(), "{place}");
    }
}

#[test]
fn invalid_bytes_are_decoded_in_the_encoding_that_is_named() {
    let fix = |args: &[&str], input: &[u8]| {
        trust8().args(["fix", "--invalid-as"]).args(args).write_stdin(input.to_vec()).assert()
    };
    fix(&["windows-1251"], "да \u{FFFD}".as_bytes()).code(0).stdout("да \u{FFFD}");
    fix(&["windows-1251"], b"\xD0\xB4\xD0\xB0 \xE4\xE0\xFF").code(0).stdout("да дая");
    fix(&["1252"], b"\xE2\x82 \xE2\x82\xAC").code(0).stdout("â‚ €");
    // A byte that is no character in the encoding.
    fix(&["windows-1253"], b"a\xD2").code(1).stderr(contains("byte 1: D2 is no character in the encoding"));
    fix(&["windows-1253", "--escape"], b"a\xD2\xE1").code(0).stdout("a\\xD2α");
    fix(&["shift_jis"], b"").code(2).stderr(contains("in shift_jis not every byte is a character"));
    fix(&["utf-8", "--from", "latin1"], b"").code(2);
}

#[test]
fn utf16_without_a_byte_order_mark_is_recognised_or_refused() {
    let folder = Folder::new();
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
    let fix = |from: &str| folder.trust8().args(["fix", "--from", from, "f"]).assert();
    for text in ["Größe: 12 €\r\n", "日本語のテキスト。文字コード\n"] {
        folder.file("f", utf16(text));
        let assert = fix("auto").code(0).stdout(text.to_owned());
        assert_eq!(stderr(&assert), "trust8: f: converted from utf-16le (a guess)\n");
    }
    // These are UTF-8 as well, with NULs, so nothing changes without the user's word.
    for text in ["plain text\n", "Съешь ещё этих мягких булок\n"] {
        folder.file("f", utf16(text));
        fix("auto").code(1).stdout(is_empty()).stderr(contains("--from utf-16le converts it"));
        fix("utf-16le").code(0).stdout(text);
    }
    // So few bytes could be anything.
    folder.file("f", b"Th\xE9s");
    fix("auto").code(1).stdout(is_empty()).stderr(contains("it may be utf-16 as well as windows-125"));
    fix("windows-1252").code(0).stdout("Thés");
    folder.file("f", b"\x7FXYZ\xFF\0\0\0\x01\x02");
    fix("auto").code(1).stderr(contains("it has NULs"));
}

/// `--from utf-16le` did nothing with a file that was UTF-8 by its bytes, and reported success.
#[test]
fn an_encoding_that_is_named_is_used_or_refused() {
    let folder = Folder::new();
    let fix = |args: &[&str]| folder.trust8().args(["fix", "-iq", "f", "--from"]).args(args).assert();
    folder.file("f", "a\0b\0");
    fix(&["utf-16le"]).code(0);
    assert_eq!(fs::read(folder.at("f")).unwrap(), b"ab");
    // Once more, it is hardly UTF-16.
    fix(&["utf-16le"]).code(1).stderr(contains("it is valid UTF-8, and hardly utf-16le"));
    assert_eq!(fs::read(folder.at("f")).unwrap(), b"ab");
    fix(&["utf-16le", "--force"]).code(0);
    assert_eq!(fs::read_to_string(folder.at("f")).unwrap(), "扡");
    folder.file("f", b"\x1B$BF|\x1B(B");
    fix(&["iso-2022-jp"]).code(0);
    assert_eq!(fs::read_to_string(folder.at("f")).unwrap(), "日");
    folder.file("f", "");
    fix(&["utf-16le"]).code(0).stderr(is_empty());
}

#[test]
fn one_vocabulary_for_all_options() {
    let list = stdout(&trust8().arg("encodings").assert().code(0));
    let names: Vec<_> =
        list.lines().map_while(|line| line.split(' ').next().filter(|name| !name.is_empty())).collect();
    assert!(
        names.len() > 40
            && names.contains(&"auto")
            && names.contains(&"utf-32le")
            && names.contains(&"cesu-8")
    );
    let text = "A";
    for name in names.iter().filter(|name| !["auto", "utf-8"].contains(name)) {
        let encoded = trust8().args(["convert", "--to", name]).write_stdin(text).assert().code(0);
        let bytes = encoded.get_output().stdout.clone();
        for command in [&["fix", "--force"][..], &["convert", "--to", "utf-8"]] {
            let decoded = trust8().args(command).args(["--from", name]).write_stdin(bytes.clone()).assert();
            decoded.code(0).stdout(text);
        }
    }
    for (typed, output) in [
        ("1252", "é"),
        ("macroman", "È"),
        ("MacRoman", "È"),
        ("latin1", "é"),
        ("koi8r", "И"),
        ("cp1251", "й"),
    ] {
        for command in [&["fix"][..], &["convert", "--to", "utf8"]] {
            trust8()
                .args(command)
                .args(["--from", typed])
                .write_stdin(b"\xE9".to_vec())
                .assert()
                .code(0)
                .stdout(output);
        }
    }
    for (typed, hint) in [
        ("cp437", "iconv -f CP437"),
        ("windows-1259", "did you mean windows-125"),
        ("sihft_jis", "did you mean shift_jis"),
    ] {
        for command in [&["fix"][..], &["convert", "--to", "utf-8"]] {
            trust8().args(command).args(["--from", typed]).assert().code(2).stderr(contains(hint));
        }
    }
    // What is read as `latin1` can be written as `latin1`.
    for name in ["latin1", "iso-8859-1", "l1", "ISO8859_1"] {
        trust8()
            .args(["convert", "--from", name, "--to", "utf-8"])
            .write_stdin(b"\x80\xE9".to_vec())
            .assert()
            .stdout("€é");
        trust8().args(["fix", "--from", name]).write_stdin(b"\x80\xE9".to_vec()).assert().stdout("€é");
        trust8().args(["convert", "--to", name]).write_stdin("€é").assert().code(0).stdout(&b"\x80\xE9"[..]);
    }
}

#[test]
fn text_is_encoded_in_encodings_of_the_web() {
    let convert =
        |args: &[&str], input: &[u8]| trust8().arg("convert").args(args).write_stdin(input.to_vec()).assert();
    convert(&["--to", "koi8-r"], "Тест".as_bytes()).code(0).stdout(&b"\xF4\xC5\xD3\xD4"[..]);
    convert(&["--to", "koi8-r"], "a\n日".as_bytes()).code(1).stdout("a\n").stderr(contains(
        "<stdin>: line 2, column 1, byte 2: U+65E5 is not in koi8-r (to continue, use --replace)",
    ));
    convert(&["--to", "koi8-r", "--replace"], "a日".as_bytes()).code(0).stdout("a?");
    convert(&["--to", "iso-2022-jp"], "日".as_bytes()).code(0).stdout("\x1B$BF|\x1B(B");
    convert(&["--to", "cesu-8"], "😀".as_bytes()).code(0).stdout(&b"\xED\xA0\xBD\xED\xB8\x80"[..]);
    convert(&["--from", "shift_jis", "--to", "utf-16be"], b"\x93\xFA").code(0).stdout(&b"\x65\xE5"[..]);
    convert(&["--from", "shift_jis", "--to", "utf-16be"], b"\x93\xFA\xFF")
        .code(1)
        .stderr(contains("byte 2: FF is not valid Shift_JIS (to continue, use --replace)"));
    convert(&["--from", "auto", "--to", "utf-8"], b"\xFF\xFEa\0").code(0).stdout("\u{FEFF}a");
    convert(&["--from", "auto", "--to", "koi8-r"], "Тест".as_bytes())
        .code(0)
        .stdout(&b"\xF4\xC5\xD3\xD4"[..]);
}

#[test]
fn mojibake_is_named_and_undone() {
    let folder = Folder::new();
    folder.file("f", "good: Größe\nGrÃ¶ÃŸe, itâ€™s 12 Â°C\nÉ… SPASS»\n");
    let inspected = stdout(&folder.trust8().args(["inspect", "f"]).assert().code(0));
    let named = "mojibake      in 1 line of a sample: UTF-8 that was decoded as windows-1252; trust8 fix --unmojibake\n";
    assert!(inspected.contains(named), "{inspected}");
    let assert = folder.trust8().args(["fix", "-iv", "--unmojibake", "f"]).assert().code(0);
    assert!(stderr(&assert).starts_with("trust8: f: repaired, mojibake undone in 1 line\n"));
    let text = "good: Größe\nGröße, it’s 12 °C\nÉ… SPASS»\n";
    assert_eq!(fs::read_to_string(folder.at("f")).unwrap(), text);
    // Good text stays, and is not even written.
    let before = folder.at("f").metadata().unwrap().modified().unwrap();
    folder.trust8().args(["fix", "-iq", "--unmojibake", "f"]).assert().code(0).stderr(is_empty());
    assert_eq!(folder.at("f").metadata().unwrap().modified().unwrap(), before);
    folder.trust8().args(["inspect", "f"]).assert().code(0).stdout(contains("mojibake").not());
}

/// IBM866, Thai and UTF-16 were taken for UTF-8 with some other bytes, and DOS's code pages for
/// windows-1252.
#[test]
fn every_language_is_guessed_right_or_refused() {
    let folder = Folder::new();
    let mut wrong = Vec::new();
    let (mut right, mut all) = (0, 0);
    for block in include_str!("samples/languages.txt").split("# ").skip(1) {
        let (title, text) = block.split_once('\n').unwrap();
        let (language, encodings) = title.split_once(": ").unwrap();
        for name in encodings.split('/').next().unwrap().split_whitespace() {
            let encoded = trust8().args(["convert", "--to", name]).write_stdin(text).assert();
            // Simplified characters are not in Big5, and so on.
            if encoded.get_output().status.code() != Some(0) {
                continue;
            }
            all += 1;
            folder.file("f", &encoded.get_output().stdout);
            let assert = folder.trust8().args(["fix", "--from", "auto", "f"]).assert();
            match assert.get_output().status.code() {
                Some(0) if assert.get_output().stdout == text.as_bytes() => right += 1,
                Some(0) => wrong.push(format!("{language} in {name}: {}", stderr(&assert))),
                _ => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(all > 40 && right * 10 >= all * 9, "{right} of {all}");
}

#[test]
fn what_is_not_plausible_text_is_refused() {
    let folder = Folder::new();
    for bytes in [
        // CP437: "Die Bäckerei öffnet, die Brötchen sind heiß".
        &b"Die B\x84ckerei \x94ffnet, die Br\x94tchen sind hei\xE1."[..],
        // CP852: "Dzieci cieszą się, że spadł śnieg".
        b"Dzieci ciesz\xA5 si\xA9, \xBEe spad\x88 \x98nieg.",
        // Keys, in which all bytes from 80 to FF are as frequent.
        b"\xE3\x9A\xB1\x8D\xFE\x80\xC9\xF2\xA6\xD8\x93\xEF\xBB\x85\xDC\xA0\xF9\x9E\xC2\xD1\x88\xE5",
    ] {
        folder.file("f", bytes);
        let assert = folder.trust8().args(["fix", "-i", "--from", "auto", "f"]).assert().code(1);
        assert!(stderr(&assert).contains("no encoding makes plausible text of it"), "{}", stderr(&assert));
        assert_eq!(fs::read(folder.at("f")).unwrap(), bytes);
        folder
            .trust8()
            .args(["inspect", "f"])
            .assert()
            .code(1)
            .stdout(contains("no encoding makes plausible"));
    }
}

/// These have no NUL, and were converted from windows-1252 and other encodings.
#[test]
fn binary_files_are_refused_however_they_are_named() {
    let folder = Folder::new();
    let data: Vec<u8> = (0..4000_u32).map(|i| (i * i % 223 + 32) as u8).collect();
    for (magic, what) in [
        (&b"%PDF-1.4\n%\xE2\xE3\xCF\xD3\n"[..], "a PDF document"),
        (b"%!PS-Adobe-3.0\n", "a PostScript document"),
        (b"fLaC", "a FLAC file"),
        (b"Cr24", "a browser extension"),
        (b"P6\n20 20\n255\n", "a PPM image"),
        (b"\xCA\xFE\xBA\xBE", "a Java class"),
        (b"\x1F\x8B\x08", "a gzip archive"),
    ] {
        let content = [magic, &data].concat();
        folder.file("f", &content);
        for args in [
            &["fix", "-i", "f"][..],
            &["fix", "-i", "--from", "auto", "f"],
            &["fix", "--from", "auto", "f"],
            &["convert", "--from", "auto", "--to", "utf-16le", "f"],
        ] {
            let assert = folder.trust8().args(args).assert().code(1).stdout(is_empty());
            assert!(stderr(&assert).contains(&format!("looks like {what}")), "{args:?} {}", stderr(&assert));
            assert!(fs::read(folder.at("f")).unwrap() == content);
        }
        let inspected = stdout(&folder.trust8().args(["inspect", "f"]).assert().code(1));
        assert!(inspected.contains(&format!("looks like {what}")), "{inspected}");
    }
    // The NUL is far from the places that a guess looks at.
    let mut late = b"sch\xF6ne Gr\xFC\xDFe aus M\xFCnchen\n".repeat(100_000);
    late[1_234_567] = 0;
    folder.file("f", &late);
    let assert = folder.trust8().args(["fix", "-i", "--binary", "--from", "auto", "f"]).assert().code(1);
    assert!(
        stderr(&assert).contains("it has control characters, so it may be binary"),
        "{}",
        stderr(&assert)
    );
    assert!(fs::read(folder.at("f")).unwrap() == late);
}

/// One line has few letters, and they can be letters of another encoding.
#[test]
fn thin_evidence_is_refused() {
    let folder = Folder::new();
    for (bytes, what) in [
        // "Mañana", "jamón" in MacRoman, which are dashes in windows-1252.
        (&b"Ma\x96ana iremos al mercado a comprar pan, queso y jam\x97n.\n"[..], "more than one encoding"),
        // "müssen", "über" in MacRoman: `ź` in windows-1250.
        (
            b"Wir m\x9Fssen \x9Fber die Br\x9Fcke gehen, weil der Weg am Fluss gesperrt ist.\n",
            "more than one encoding",
        ),
        // "Você já leu a história" and "três irmãs" in windows-1252: `ę` and `ă` in windows-1250,
        // which no language has both.
        (b"Voc\xEA j\xE1 leu a hist\xF3ria do pescador e das tr\xEAs irm\xE3s?\n", "more than one encoding"),
        // "małym" in CP852: two bytes of Big5.
        (b"Moja siostra mieszka w ma\x88ym domu nad brzegiem rzeki.\n", "more than one encoding"),
        // "Где" in Apple's Cyrillic: `ѓ` in windows-1251.
        (
            b"\x83\xE4\xE5 \xF2\xFB \xEE\xF1\xF2\xE0\xE2\xE8\xEB \xEA\xEB\xFE\xF7\xE8\n",
            "more than one encoding",
        ),
        // Quotation marks of Spain, in ISO 8859-1: `Ť` and `ť` in ISO 8859-2.
        (b"Estrategias v\xE1lidas son \xABwal_log\xBB y \xABfile_copy\xBB.\n", "more than one encoding"),
        // "Gültige Werte" in CP850.
        (b"G\x81ltige Werte sind \xAF[]\xAE und \xAF()\xAE.\n", "no encoding makes plausible text"),
    ] {
        folder.file("f", bytes);
        let assert = folder.trust8().args(["fix", "-i", "--from", "auto", "f"]).assert().code(1);
        assert!(stderr(&assert).contains(what), "{}: {}", bytes.escape_ascii(), stderr(&assert));
        assert_eq!(fs::read(folder.at("f")).unwrap(), bytes);
    }
    // English has dashes in words, and quotation marks.
    folder.file("f", b"\x93Never\x97not once\x94, she said.\n");
    folder
        .trust8()
        .args(["fix", "--from", "auto", "f"])
        .assert()
        .code(0)
        .stdout("“Never—not once”, she said.\n");
}

/// ISO-2022-JP is ASCII with escape sequences, so it passed as valid.
#[test]
fn iso_2022_jp_is_noticed() {
    let folder = Folder::new();
    folder.file("f", b"\x1B$BF|K\\\x1B(B\n");
    let why = "it is valid UTF-8, but seems to be iso-2022-jp; --from iso-2022-jp converts it";
    folder
        .trust8()
        .args(["fix", "--from", "auto", "f"])
        .assert()
        .code(1)
        .stdout(is_empty())
        .stderr(contains(why));
    folder
        .trust8()
        .args(["convert", "--from", "auto", "--to", "utf-8", "f"])
        .assert()
        .code(1)
        .stderr(contains(why));
    folder.trust8().args(["inspect", "f"]).assert().code(0).stdout(contains("trust8 fix --from iso-2022-jp"));
    // Colours of a terminal are no Japanese.
    folder.file("f", b"\x1B[31mred\x1B[0m\n");
    folder
        .trust8()
        .args(["fix", "--from", "auto", "f"])
        .assert()
        .code(0)
        .stdout(&b"\x1B[31mred\x1B[0m\n"[..]);
}

/// `é` became the byte E9, which is not ASCII.
#[test]
fn ascii_as_a_target_is_ascii() {
    let convert = |args: &[&str], text: &str| {
        trust8().args(["convert", "--to", "ascii"]).args(args).write_stdin(text.to_owned()).assert()
    };
    convert(&[], "a\n").code(0).stdout("a\n");
    convert(&[], "a\né")
        .code(1)
        .stdout("a\n")
        .stderr(contains("line 2, column 1, byte 2: U+00E9 is not in ascii"));
    convert(&["--replace"], "a日é\n").code(0).stdout("a??\n");
}

/// `¥` became a backslash in Shift_JIS, with exit code 0.
#[test]
fn characters_that_would_become_others_are_not_converted() {
    for (encoding, text) in
        [("shift_jis", "a\n¥"), ("shift_jis", "a\n‾"), ("euc-jp", "a\n−"), ("euc-jp", "a\n¥")]
    {
        let convert = |args: &[&str]| {
            trust8().args(["convert", "--to", encoding]).args(args).write_stdin(text).assert()
        };
        convert(&[])
            .code(1)
            .stdout("a\n")
            .stderr(contains("line 2, column 1, byte 2: U+").and(contains("would be another character")));
        convert(&["--replace"]).code(0).stdout("a\n?");
    }
}

/// `F6` in German text was only said to begin a code point above U+10FFFF.
#[test]
fn check_says_what_a_file_probably_is() {
    let folder = Folder::new();
    folder.file("old", b"sch\xF6ne Gr\xFC\xDFe aus M\xFCnchen\n");
    let run = folder.trust8().arg("old").assert().code(1);
    let note = "    note  it is probably windows-1252: trust8 fix --from windows-1252 old\n";
    assert!(stdout(&run).ends_with(note), "{}", stdout(&run));
    let run = folder.trust8().args(["--json", "old"]).assert().code(1);
    assert!(stdout(&run).contains(r#""likely_from":"windows-1252""#));
    // An attack is no text, although these are characters of EUC-JP.
    folder.file("attack", b"GET /\xC0\xAE\xC0\xAE/etc/passwd 404\n");
    assert!(!stdout(&folder.trust8().arg("attack").assert().code(1)).contains("probably"));
    // In text that is mostly UTF-8, an error is an error.
    folder.file("mixed", ["naïve, größer, élève. ".repeat(20).as_bytes(), b"\xF6\n"].concat());
    assert!(!stdout(&folder.trust8().arg("mixed").assert().code(1)).contains("probably"));
}
