//! Tests how encodings are guessed and named, and what is done with a guess.

use std::fs;

use crate::folder::{Folder, stderr, stdout, trust8};
use predicates::prelude::*;
use predicates::str::{contains, is_empty};

/// A file that was UTF-8 except for one byte was decoded as windows-1252, all of it, and "Größe:
/// 日本語" became mojibake. Later, only the byte was decoded, which may be a damaged character.
#[test]
fn mostly_utf8_is_not_converted() {
    let folder = Folder::new();
    let text = |bad: &[u8]| ["Größe: 日本語\n“naïve” caf".as_bytes(), bad, " œuvre\n".as_bytes()].concat();
    folder.file("f", text(b"\xE9"));
    let assert = folder.trust8().args(["fix", "--from", "auto", "f"]).assert().code(1);
    assert!(assert.get_output().stdout == text(b"\xE9"));
    let left = "trust8: f: left alone: 1 invalid sequence; --invalid-as ENCODING decodes them, --replace replaces 1\n";
    assert_eq!(stderr(&assert), left);
    let inspected = folder.trust8().args(["inspect", "f"]).assert().code(1);
    assert!(stdout(&inspected).contains("UTF-8 with damage\n"), "{}", stdout(&inspected));
    folder
        .trust8()
        .args(["fix", "-iq", "--invalid-as", "windows-1252", "f"])
        .assert()
        .code(0)
        .stderr(is_empty());
    assert_eq!(fs::read(folder.at("f")).unwrap(), text("é".as_bytes()));
}

/// What several programs have written to, line by line.
const LINES: [(&str, &[&str]); 6] = [
    (
        "windows-1252",
        &[
            "Wir müssen über die Brücke gehen, weil der Weg gesperrt ist.",
            "Die schönen Mädchen hören größere Geräusche.",
        ],
    ),
    (
        "windows-1251",
        &[
            "Съешь же ещё этих мягких французских булок, да выпей чаю.",
            "Широкая электрификация южных губерний.",
        ],
    ),
    (
        "koi8-u",
        &[
            "Съешь же ещё этих мягких французских булок, да выпей чаю.",
            "Широкая электрификация южных губерний.",
        ],
    ),
    ("iso-8859-2", &["Zażółć gęślą jaźń, powiedział stary człowiek.", "Dzieci cieszą się, że spadł śnieg."]),
    ("ibm852", &["Zażółć gęślą jaźń, powiedział stary człowiek.", "Dzieci cieszą się, że spadł śnieg."]),
    (
        "gbk",
        &["这是一个中文文本。我们在检查字符编码，看看结果如何。", "今天的天气很好，我们一起去公园散步吧。"],
    ),
];

#[test]
fn lines_in_one_other_encoding_are_decoded_and_nothing_else() {
    let folder = Folder::new();
    for (encoding, texts) in LINES {
        let charset = ["convert", "--to", encoding];
        let encoded: Vec<_> = texts
            .iter()
            .map(|text| {
                trust8()
                    .args(charset)
                    .write_stdin(format!("{text}\n"))
                    .assert()
                    .code(0)
                    .get_output()
                    .stdout
                    .clone()
            })
            .collect();
        let utf8: Vec<_> = texts.iter().map(|text| format!("{text}\n").into_bytes()).collect();
        let letter = utf8[0].iter().position(|byte| *byte >= 0x80).unwrap();
        let damaged = [&utf8[0][..=letter], b"\n"].concat();
        // The lines at these indices are in the other encoding.
        for others in [&[0, 7][..], &[3, 4], &[0, 2, 4, 6, 8], &[1, 2, 3, 4, 5, 6, 7, 8, 9]] {
            let line = |i: usize| (if others.contains(&i) { &encoded } else { &utf8 })[i % 2].clone();
            let mixed: Vec<_> = (0..10).map(line).collect();
            let all: Vec<_> = (0..10).map(|i| utf8[i % 2].clone()).collect();
            folder.file("f", mixed.concat());
            let fix = folder.trust8().args(["fix", "--from", "auto", "f"]).assert().code(0);
            assert!(fix.get_output().stdout == all.concat(), "{encoding} {others:?}: {}", stdout(&fix));
            assert!(
                stderr(&fix).contains(&format!(" lines decoded as {encoding} (a guess)")),
                "{}",
                stderr(&fix)
            );
            // Without an option, either the same or nothing happens.
            let plain = folder.trust8().args(["fix", "f"]).assert();
            let expected =
                if plain.get_output().status.code() == Some(0) { all.concat() } else { mixed.concat() };
            assert!(plain.get_output().stdout == expected, "{encoding} {others:?}: {}", stderr(&plain));
            // A damaged line stays.
            folder.file("f", [mixed.concat(), damaged.clone()].concat());
            let fix = folder.trust8().args(["fix", "-i", "--from", "auto", "f"]).assert().code(1);
            assert!(stderr(&fix).contains("left alone: 1 invalid sequence; "), "{}", stderr(&fix));
            assert!(
                fs::read(folder.at("f")).unwrap() == [all.concat(), damaged.clone()].concat(),
                "{encoding}"
            );
        }
    }
}

/// The last bytes became "шк", and a cut Russian text windows-1252.
#[test]
fn damage_is_damage() {
    let folder = Folder::new();
    for bytes in [
        "Größe 日本\u{8a9e}".as_bytes().split_last().unwrap().1.to_vec(),
        "Съешь же ещё".as_bytes()[..21].to_vec(),
        ["log\n".repeat(50).as_bytes(), b"log \xFF\n", "log\n".repeat(50).as_bytes()].concat(),
        ["日本語のテキスト。\n".as_bytes(), b"\xE8\xAA\n", "日本語のテキスト。\n".as_bytes()].concat(),
        b"plain\ncut \xD0\n".to_vec(),
    ] {
        folder.file("f", &bytes);
        for args in [&["-i", "--from", "auto", "f"][..], &["-i", "f"], &["--from", "auto", "f"], &["f"]] {
            folder
                .trust8()
                .arg("fix")
                .args(args)
                .assert()
                .code(1)
                .stderr(contains("left alone: ").or(contains("--from")));
            assert!(fs::read(folder.at("f")).unwrap() == bytes);
        }
        let mut cat = trust8();
        assert!(
            cat.args(["fix", "-"]).write_stdin(bytes.clone()).assert().code(1).get_output().stdout == bytes
        );
    }
}

/// The bad byte may be anywhere in a large file.
#[test]
fn a_sample_of_a_large_file_is_enough() {
    let folder = Folder::new();
    const LINE: &str = "Größe: 日本語, 5 €\n";
    let text = LINE.repeat(200_000);
    let other = b"Wir m\xFCssen \xFCber die Br\xFCcke gehen\n";
    for place in [0, 70_000 * LINE.len(), text.len()] {
        let bytes = [&text.as_bytes()[..place], other, &text.as_bytes()[place..]].concat();
        folder.file("f", &bytes);
        let assert = folder.trust8().args(["fix", "--from", "auto", "f"]).assert().code(0);
        assert!(
            stdout(&assert)
                == [&text[..place], "Wir müssen über die Brücke gehen\n", &text[place..]].concat()
        );
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

/// The lines that another program had appended became Chinese.
#[test]
fn ascii_after_utf16_is_left_alone() {
    let folder = Folder::new();
    let little = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
    let big = |text: &str| text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<_>>();
    let line = "2026-11-29 23:59:59 INFO the program has ended, with the code 0\n";
    for text in ["\u{FEFF}Größe\r\n", "\u{FEFF}日本語\n"] {
        for before in [little(text), big(text)] {
            folder.file("f", [&before, line.as_bytes()].concat());
            for command in [&["fix", "-i"][..], &["convert", "-i", "--to", "utf-8"]] {
                let mut run = folder.trust8();
                let run = run.args(command).args(["--from", "auto", "f"]).assert().code(1);
                run.stderr(contains("f: it has a line of ASCII, so it may not all be UTF-16: "));
                assert!(std::fs::read(folder.at("f")).unwrap().ends_with(line.as_bytes()));
            }
        }
    }
    // In such text every other byte is in ASCII, or all bytes are.
    let rows =
        ["═".repeat(100), "…•".repeat(50), "いくつかのことをしたいときに".repeat(9), "ਕਮਲਨਪਕ".repeat(20)];
    let rows: String = rows.iter().map(|row| format!("{row}\n{line}")).collect();
    for before in [little(&format!("\u{FEFF}{rows}")), big(&format!("\u{FEFF}{rows}"))] {
        folder.file("f", before);
        folder.trust8().args(["fix", "--from", "auto", "f"]).assert().code(0).stdout(rows.clone());
    }
}

/// It was changed each time.
#[test]
fn what_is_the_same_text_in_the_encoding_does_not_change() {
    let folder = Folder::new();
    folder.file("f", "ASCII\n");
    for encoding in ["auto", "latin1", "shift_jis", "cp437"] {
        let check = ["fix", "-n", "--force", "f", "--from", encoding];
        folder.trust8().args(check).assert().code(0).stderr(is_empty());
        let fix = ["fix", "-i", "--force", "f", "--from", encoding];
        folder.trust8().args(fix).assert().code(0).stderr(contains("0 changed, 1 unchanged"));
    }
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

/// What is as long as a whole file, or has NULs, may be something else than a line of text.
#[test]
fn lines_that_are_hardly_text_are_not_decoded() {
    let folder = Folder::new();
    let latin1 = b"d\xE9j\xE0 \xE9t\xE9 fran\xE7ais ";
    let mixed = [&b"d\xC3\xA9j\xC3\xA0 fran\xC3\xA7ais\n"[..], latin1, b"\n"].concat().repeat(20);
    let fix = |end: &[u8]| {
        folder.file("f", [&mixed[..], end].concat());
        folder.trust8().args(["fix", "--from", "auto", "f"]).assert().code(1)
    };
    fix(b"a\0b\n").stdout(is_empty()).stderr(contains("it may be binary"));
    let long = latin1.repeat(60_000);
    assert!(fix(&long).get_output().stdout.ends_with(&long));
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
        ("cp037", "iconv -f CP037"),
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
    convert(&["--from", "auto", "--to", "utf-8"], b"\xFF\xFEa\0").code(0).stdout("a");
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
        // Keys, in which all bytes from 80 to FF are as frequent.
        &b"\xE3\x9A\xB1\x8D\xFE\x80\xC9\xF2\xA6\xD8\x93\xEF\xBB\x85\xDC\xA0\xF9\x9E\xC2\xD1\x88\xE5"[..],
        b"GET /\xC0\xAE\xC0\xAE/etc/passwd 404\n",
    ] {
        folder.file("f", bytes);
        let assert = folder.trust8().args(["fix", "-i", "--from", "auto", "f"]).assert().code(1);
        assert!(stderr(&assert).contains("name the encoding with --from"), "{}", stderr(&assert));
        assert_eq!(fs::read(folder.at("f")).unwrap(), bytes);
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

/// One line has few letters, and they can be letters of another encoding. It is guessed right, or
/// left alone.
#[test]
fn a_single_line_is_guessed_right_or_refused() {
    let folder = Folder::new();
    let mut right = 0;
    for (encoding, text) in [
        ("ibm437", "Die Bäckerei öffnet, die Brötchen sind heiß."),
        ("ibm852", "Dzieci cieszą się, że spadł śnieg."),
        // The letters are dashes in windows-1252.
        ("macintosh", "Mañana iremos al mercado a comprar pan, queso y jamón."),
        ("macintosh", "Wir müssen über die Brücke gehen, weil der Weg am Fluss gesperrt ist."),
        ("windows-1252", "Você já leu a história do pescador e das três irmãs?"),
        // Two bytes of Big5.
        ("ibm852", "Moja siostra mieszka w małym domu nad brzegiem rzeki."),
        ("x-mac-cyrillic", "Где ты оставил ключ"),
        // Quotation marks of Spain: `Ť` and `ť` in ISO 8859-2.
        ("windows-1252", "Estrategias válidas son «wal_log» y «file_copy»."),
        ("ibm850", "Gültige Werte sind «[]» und «()»."),
        ("ibm855", "Съешь же ещё этих мягких французских булок"),
        ("ibm862", "שלום עולם, מה שלומך היום"),
        ("ibm737", "Καλημέρα κόσμε, τι κάνεις σήμερα"),
        ("ibm857", "Öğrenciler şarkı söylüyor ve ağaçların altında oturuyor"),
        ("ibm775", "Ąžuolas žaliuoja, o vaikai žaidžia kieme"),
        ("ibm720", "مرحبا بالعالم كيف حالك اليوم"),
        ("ibm1125", "Зима, і їжак їсть ґрунтові яблука"),
        ("viscii", "Tất cả mọi người sinh ra đều được tự do và bình đẳng"),
        ("johab", "모든 인간은 태어날 때부터 자유로우며"),
        ("iso-8859-4", "Visi žmonės gimsta laisvi ir lygūs savo orumu ir teisėmis"),
    ] {
        let encoded =
            trust8().args(["convert", "--to", encoding]).write_stdin(format!("{text}\n")).assert().code(0);
        let bytes = encoded.get_output().stdout.clone();
        folder.file("f", &bytes);
        let fix = folder.trust8().args(["fix", "-i", "--from", "auto", "f"]).assert();
        let (code, after) = (fix.get_output().status.code(), fs::read(folder.at("f")).unwrap());
        right += usize::from(code == Some(0));
        let expected = if code == Some(0) { format!("{text}\n").into_bytes() } else { bytes };
        assert!(after == expected, "{encoding} {text}: {}", String::from_utf8_lossy(&after));
        assert!(code == Some(0) || stderr(&fix).contains("--from"), "{}", stderr(&fix));
    }
    assert!(right >= 17, "{right}");
    // English has dashes in words, and quotation marks.
    folder.file("f", b"\x93Never\x97not once\x94, she said.\n");
    folder
        .trust8()
        .args(["fix", "--from", "auto", "f"])
        .assert()
        .code(0)
        .stdout("“Never—not once”, she said.\n");
}

/// After the conversion, other programs read mojibake, because the file said that it was not UTF-8.
#[test]
fn what_a_file_declares_is_evidence_and_named() {
    let folder = Folder::new();
    // One letter, which can be one of many encodings.
    for (start, byte, name) in [
        ("<?xml version=\"1.0\" encoding=\"iso-8859-2\"?>\n<a>wa", b'\xBF', "iso-8859-2"),
        ("# -*- coding: latin-1 -*-\n# caf", b'\xE9', "latin-1"),
        ("@charset \"windows-1252\";\n/* sch", b'\xF6', "windows-1252"),
    ] {
        let content = [start.as_bytes(), &[byte], b"ne Menge</a>\n"].concat();
        folder.file("f", &content);
        let fix = folder.trust8().args(["fix", "-i", "--from", "auto", "f"]).assert();
        let said = stderr(&fix);
        match fix.get_output().status.code() {
            Some(0) => assert!(
                said.contains(&format!(
                    "f: it still declares that it is {name}; --declaration corrects that\n"
                )),
                "{said}"
            ),
            code => assert!(code == Some(1) && fs::read(folder.at("f")).unwrap() == content, "{said}"),
        }
        folder.file("f", &content);
        let fix = folder.trust8().args(["fix", "-i", "--from", name, "f"]).assert().code(0);
        assert!(
            stderr(&fix)
                .contains(&format!("f: it still declares that it is {name}; --declaration corrects that\n")),
            "{}",
            stderr(&fix)
        );
    }
}

/// A byte alone in a line of ASCII was decoded as a letter if other lines were in an encoding that has it.
#[test]
fn damage_beside_lines_in_another_encoding_is_damage() {
    let folder = Folder::new();
    let utf8 = "Съешь же ещё этих мягких французских булок\n".repeat(3).into_bytes();
    let text = "Да выпей же чаю, сказала хозяйка дома\n";
    for encoding in [encoding_rs::WINDOWS_1251, encoding_rs::KOI8_R, encoding_rs::IBM866] {
        let legacy = encoding.encode(text).0;
        let mut decoded = 0;
        for damage in [&b"log \xFF bad \xD0\n"[..], b"log \xFF\n", b"\xE8\n", b"a \xF1: 5 \xC2\n"] {
            let line = |name: &str| [&utf8[..], &legacy, damage, name.as_bytes(), b"\n"].concat();
            let expected = [&utf8[..], text.as_bytes(), damage, b"end\n"].concat();
            for options in [&["fix", "-i"][..], &["fix", "-i", "--from", "auto"]] {
                folder.file("f", line("end"));
                folder.trust8().args(options).arg("f").assert().code(1);
                let after = fs::read(folder.at("f")).unwrap();
                assert!(after == expected || after == line("end"), "{}", String::from_utf8_lossy(&after));
                decoded += usize::from(after == expected);
            }
        }
        assert!(decoded > 0, "{}", encoding.name());
    }
}

/// Text that three programs in a row decoded as windows-1252 took three runs.
#[test]
fn mojibake_of_mojibake_is_undone_in_one_run() {
    let text = "Größe und Maß, sehr schön\n";
    let mut mojibake = text.to_owned();
    for _ in 0..3 {
        mojibake = encoding_rs::WINDOWS_1252.decode_without_bom_handling(mojibake.as_bytes()).0.into_owned();
        trust8().args(["fix", "--unmojibake"]).write_stdin(mojibake.clone()).assert().code(0).stdout(text);
    }
}

/// Each format has its place for it, and other programs believe what it says.
#[test]
fn a_declaration_is_corrected_if_the_option_says_so() {
    let folder = Folder::new();
    let cases = [
        ("a.xml", "latin1", "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<a>Größe</a>\n", "ISO-8859-1"),
        ("b.xml", "utf-16", "\u{FEFF}<?xml version=\"1.0\" encoding=\"UTF-16\"?>\n<a>Größe</a>\n", "UTF-16"),
        ("a.html", "koi8-r", "<html>\n<meta charset=koi8-r>\n<p>Привет, мир\n", "koi8-r"),
        ("a.css", "windows-1250", "@charset \"windows-1250\";\n/* źródło, łąka, świeży */\n", "windows-1250"),
        ("a.py", "latin1", "#!/usr/bin/python3\n# -*- coding: latin-1 -*-\nx = 'Größe'\n", "latin-1"),
        ("a.c", "euc-jp", "/* これは日本語です */\n/* vim: set fileencoding=euc-jp : */\n", "euc-jp"),
        (
            "a.eml",
            "shift_jis",
            "From: a@b\nContent-Type: text/plain;\n charset=\"Shift_JIS\"\n\nこれは日本語です\n",
            "Shift_JIS",
        ),
        (
            "a.po",
            "windows-1251",
            "msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=CP1251\\n\"\n\nmsgid \"a\"\nmsgstr \"Съешь же\"\n",
            "CP1251",
        ),
    ];
    for (name, from, text, declared) in cases {
        let encoded = trust8()
            .args(["convert", "--from", "utf-8", "--to", from])
            .write_stdin(text.trim_start_matches('\u{FEFF}'))
            .assert()
            .code(0);
        let bytes = encoded.get_output().stdout.clone();
        let utf8 = if declared.contains("UTF")
            || declared.contains("ISO")
            || declared.contains('S')
            || declared.contains('P')
        {
            "UTF-8"
        } else {
            "utf-8"
        };
        let expected = text.trim_start_matches('\u{FEFF}').replace(declared, utf8);
        let converts: &[&[&str]] = if name == "a.xml" || name == "a.py" {
            &[&["--from", from]]
        } else {
            &[&["--from", from], &["--from", "auto"]]
        };
        for from in converts {
            folder.file(name, &bytes);
            let fix =
                folder.trust8().args(["fix", "-i", "--declaration"]).args(*from).arg(name).assert().code(0);
            assert_eq!(fs::read_to_string(folder.at(name)).unwrap(), expected, "{name}");
            assert!(
                stderr(&fix).contains(&format!("declaration of {declared} corrected")),
                "{}",
                stderr(&fix)
            );
            // Standard input and output do the same.
            trust8()
                .args(["fix", "--declaration"])
                .args(*from)
                .write_stdin(bytes.clone())
                .assert()
                .code(0)
                .stdout(expected.clone());
        }
        // A file that was converted before says the wrong thing, until the option is given.
        let stale = text.trim_start_matches('\u{FEFF}');
        folder.file(name, stale.as_bytes());
        folder.trust8().args(["fix", "-i", name]).assert().code(0);
        assert_eq!(fs::read_to_string(folder.at(name)).unwrap(), stale);
        folder.trust8().args(["fix", "--check", "--declaration", name]).assert().code(1);
        assert_eq!(fs::read_to_string(folder.at(name)).unwrap(), stale);
        folder.trust8().args(["fix", "-i", "--declaration", name]).assert().code(0);
        assert_eq!(fs::read_to_string(folder.at(name)).unwrap(), expected);
        folder.trust8().args(["fix", "--check", "--declaration", name]).assert().code(0);
    }
    // Nothing tells which encoding text in ASCII is in, and nothing changes in a file that is left alone.
    // Nor in mail whose text is written in ASCII, nor in a file that keeps its damage.
    let damaged = ["# coding: latin-1\n", &"# Größe\n".repeat(20)].concat().into_bytes();
    for content in [
        &b"# coding: latin-1\nx = 'plain'\n"[..],
        b"# coding: latin-1\n# \xE9\xFC\xFF \xD0\n",
        b"Subject: \xC3\xB6\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\nGr=F6=DFe\n",
        &[&damaged[..], b"# x \xFF\n"].concat(),
    ] {
        folder.file("b.py", content);
        let _ = folder.trust8().args(["fix", "-i", "--declaration", "b.py"]).assert();
        assert_eq!(fs::read(folder.at("b.py")).unwrap(), content);
    }
    folder.file("b.py", b"# coding: latin-1\n# Gr\xF6\xDFe\n");
    let fix = folder.trust8().args(["fix", "--json", "-i", "--from", "latin1", "b.py"]).assert().code(0);
    assert!(String::from_utf8_lossy(&fix.get_output().stdout).contains("\"declared\":\"latin-1\""));
    let fix = folder.trust8().args(["fix", "--json", "-i", "--declaration", "b.py"]).assert().code(0);
    assert!(
        String::from_utf8_lossy(&fix.get_output().stdout).contains("\"corrected_declaration\":\"latin-1\"")
    );
    folder.trust8().args(["fix", "--undo", "--declaration", "b.py"]).assert().code(2);
}

#[test]
fn utf32_reads_its_mark() {
    for (bytes, text) in
        [(&b"\xFF\xFE\0\0a\0\0\0"[..], "a"), (b"\0\0\xFE\xFF\0\0\0a", "a"), (b"a\0\0\0", "a")]
    {
        for command in [&["fix", "--force"][..], &["convert", "--to", "utf-8"]] {
            trust8()
                .args(command)
                .args(["--from", "utf-32"])
                .write_stdin(bytes)
                .assert()
                .code(0)
                .stdout(text);
        }
    }
    let marked = trust8().args(["convert", "--to", "utf-32"]).write_stdin("a").assert().code(0);
    assert_eq!(marked.get_output().stdout, b"\xFF\xFE\0\0a\0\0\0");
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
