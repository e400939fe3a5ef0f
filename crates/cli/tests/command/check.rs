//! Tests `trust8 check`.

use std::fs;

use crate::folder::{Folder, stderr, stdout, trust8};
use predicates::prelude::*;
use predicates::str::{contains, is_empty, starts_with};
use serde_json::Value;
use snapbox::{IntoData, assert_data_eq, str};
use trust8::Kernel;

#[test]
fn valid_files_give_no_output() {
    let folder = Folder::new();
    let ascii = folder.file("ascii", b"plain\n");
    let mixed = folder.file("mixed", "aé日😀\n".repeat(10_000));
    trust8().arg(ascii).arg(mixed).assert().code(0).stdout(is_empty()).stderr(is_empty());
}

#[test]
fn an_empty_file_is_valid() {
    let folder = Folder::new();
    trust8().arg(folder.file("empty", b"")).assert().code(0).stdout(is_empty()).stderr(is_empty());
}

#[test]
fn people_see_where_what_and_why_with_the_bytes_around_it() {
    let folder = Folder::new();
    folder.file("bad", b"abc\n\xE6\x97\xA5x\xC0\xAF and\tmore\nnext");
    let assert = folder.trust8().arg("bad").assert().code(1).stderr(is_empty());
    assert_data_eq!(
        stdout(&assert),
        str![[r#"
bad:2:3: byte 8: overlong encoding of '/' (U+002F), 2 bytes: C0 AF; RFC 3629 section 3 forbids it
    text  日x\xC0\xAF and\tmore
             ^^^^^^^^
    hex   61 62 63 0A E6 97 A5 78 C0 AF 20 61 6E 64 09 6D 6F 72
                                  ^^^^^

"#]]
        .raw()
    );
}

#[test]
fn all_shows_every_error() {
    let folder = Folder::new();
    folder.file(
        "bad",
        b"\xED\xA0\x80\xFF\n\xE2\x82!\xBF\xF4\x90\x80\x80 \xFD\xBF\xBF\xBF\xBF\xBF\n\n\xF0\x9F\x98",
    );
    folder.file("worse", [b"caf\xE9 ".repeat(3), b"end".to_vec()].concat());
    let run = |args: &[&str]| stdout(&folder.trust8().args(args).args(["bad", "worse"]).assert().code(1));
    let short = run(&["--format", "short", "--all"]);
    assert_data_eq!(
        short.as_str(),
        str![[r#"
bad:1:1: byte 0: surrogate U+D800, 3 bytes: ED A0 80; RFC 3629 section 3 forbids it
bad:1:4: byte 3: byte that never appears in UTF-8: FF; RFC 3629 section 1 forbids it
bad:2:1: byte 5: 3-byte character cut short after 2 bytes: E2 82; RFC 3629 section 4 requires a continuation byte next
bad:2:3: byte 8: continuation byte without a first byte: BF; RFC 3629 section 4 forbids it
bad:2:4: byte 9: code point 110000, above U+10FFFF, 4 bytes: F4 90 80 80; RFC 3629 section 3 forbids it
bad:2:9: byte 14: 6-byte sequence of RFC 2279 for 7FFFFFFF: FD BF BF BF BF BF; RFC 3629 section 3 forbids it
bad:4:1: byte 22: input ends after 3 bytes of a 4-byte character: F0 9F 98; RFC 3629 section 4 requires a continuation byte next
worse:1:4: byte 3: 3-byte character cut short after 1 byte: E9; RFC 3629 section 4 requires a continuation byte next
worse:1:9: byte 8: 3-byte character cut short after 1 byte: E9; RFC 3629 section 4 requires a continuation byte next
worse:1:14: byte 13: 3-byte character cut short after 1 byte: E9; RFC 3629 section 4 requires a continuation byte next

"#]]
        .raw()
    );
    let lines: Vec<_> = short.lines().collect();
    assert_eq!(run(&["-f", "short"]).lines().collect::<Vec<_>>(), [lines[0], lines[7]]);
    assert_eq!(
        run(&["-f", "short", "-m", "2"]).lines().collect::<Vec<_>>(),
        [lines[0], lines[1], lines[7], lines[8]]
    );
    // The format for people has the same lines, with context below each.
    assert!(lines.iter().all(|line| run(&["-a"]).contains(line)));
}

#[test]
fn an_error_in_the_last_byte_is_found() {
    let folder = Folder::new();
    for (last, what) in
        [(0xFF, "byte that never appears"), (0xE6, "input ends after 1 byte of a 3-byte character")]
    {
        for lines in [0, 1, 100, 30_000] {
            let mut content = "日本語\n".repeat(lines).into_bytes();
            content.push(last);
            let path = folder.file("bad", &content);
            let start = format!("{}:{}:1: byte {}: {what}", path.display(), lines + 1, 10 * lines);
            trust8().arg(path).assert().code(1).stdout(starts_with(start));
        }
    }
}

#[test]
fn only_invalid_files_are_named_in_the_order_of_the_arguments() {
    let folder = Folder::new();
    folder.file("z", b"\xFF");
    folder.file("m", b"fine");
    folder.file("a", b"a\x80");
    let assert = folder.trust8().args(["-f", "short", "z", "m", "a"]).assert().code(1).stderr(is_empty());
    let out = stdout(&assert);
    let lines: Vec<_> = out.lines().collect();
    assert_eq!(lines.len(), 2, "{out}");
    assert!(lines[0].starts_with("z:1:1: ") && lines[1].starts_with("a:1:2: "), "{out}");
}

/// Whichever thread is done first, the output is in the order of the files. Some files have enough
/// errors to make threads wait for their turn.
#[test]
fn the_order_is_the_same_with_any_number_of_threads() {
    let folder = Folder::new();
    for i in 0..40 {
        let errors = if i % 7 == 3 { 3000 } else { i % 3 };
        folder.file(&format!("d{}/f{i}", i % 5), [b"text ".to_vec(), b"\xFF ".repeat(errors)].concat());
    }
    let run = |threads: &str| {
        let assert = folder
            .trust8()
            .args(["-af", "short", "-j", threads, ".", "d3", "missing", "d1"])
            .assert()
            .code(2);
        assert_eq!(stderr(&assert).lines().count(), 1);
        stdout(&assert)
    };
    let expected = run("1");
    assert!(expected.lines().count() > 18_000, "{}", expected.lines().count());
    for _ in 0..5 {
        for threads in ["2", "3", "16"] {
            assert!(run(threads) == expected, "{threads} threads");
        }
    }
}

#[test]
fn standard_input_is_read_for_a_dash_and_for_no_path() {
    for args in [&[][..], &["-"], &["check"], &["check", "-"]] {
        trust8().args(args).write_stdin("日本語").assert().code(0).stdout(is_empty());
        trust8()
            .args(args)
            .write_stdin(b"a\nb\xFF".to_vec())
            .assert()
            .code(1)
            .stdout(starts_with("<stdin>:2:2: byte 3: byte that never appears in UTF-8: FF; "));
        trust8().args(args).write_stdin("").assert().code(0).stdout(is_empty());
    }
}

/// If standard input is a file whose beginning another program has read, only the rest is checked.
#[cfg(unix)]
#[test]
fn standard_input_can_be_the_rest_of_a_file() {
    use std::io::{Seek, SeekFrom};

    let folder = Folder::new();
    let path = folder.file("f", b"\xFFone\ntwo\xFE");
    for (skip, expected) in [(0, "<stdin>:1:1: byte 0: "), (1, "<stdin>:2:4: byte 7: ")] {
        let mut file = fs::File::open(&path).unwrap();
        file.seek(SeekFrom::Start(skip)).unwrap();
        let output =
            std::process::Command::new(assert_cmd::cargo::cargo_bin!("trust8")).stdin(file).output().unwrap();
        assert!(String::from_utf8_lossy(&output.stdout).starts_with(expected));
    }
}

#[test]
fn standard_input_and_files_can_be_mixed() {
    let folder = Folder::new();
    let bad = folder.file("bad", b"\xC3");
    trust8()
        .args(["-f", "short"])
        .arg(bad)
        .arg("-")
        .write_stdin(b"\x80".to_vec())
        .assert()
        .code(1)
        .stdout(contains("bad:1:1: ").and(contains("\n<stdin>:1:1: ")));
}

#[test]
fn folders_are_searched_without_hidden_ignored_and_binary_files() {
    let folder = Folder::new();
    for name in ["b/deep/er", "b/a", "a", ".hidden", ".dir/f", "c.ignored", "no-link"] {
        folder.file(name, b"\xFF");
    }
    folder.file(".ignore", "*.ignored\n");
    folder.file("binary", b"\x7FELF\0\xFF");
    folder.file("utf16", b"\xFF\xFEa\0");
    let list = |args: &[&str]| stdout(&folder.trust8().arg("--list").args(args).assert().code(1));
    assert_eq!(list(&["."]), "./a\n./b/a\n./b/deep/er\n./no-link\n./utf16\n");
    assert_eq!(list(&["b", "a"]), "b/a\nb/deep/er\na\n");
    assert_eq!(
        list(&["--hidden", "."]),
        "./.dir/f\n./.hidden\n./a\n./b/a\n./b/deep/er\n./no-link\n./utf16\n"
    );
    assert!(list(&["--no-ignore", "."]).contains("c.ignored"));
    assert!(list(&["--binary", "."]).contains("binary"));
    assert_eq!(list(&["-g", "!b", "-g", "!utf16", "."]), "./a\n./no-link\n");
    // Files on the command line are checked whatever they are.
    assert_eq!(list(&["binary", ".hidden", "c.ignored"]), "binary\n.hidden\nc.ignored\n");
}

#[cfg(unix)]
#[test]
fn null_ends_each_name_with_a_nul() {
    let folder = Folder::new();
    folder.file("one", b"\xFF");
    folder.file("line\nfeed", b"\xFF");
    let assert = folder.trust8().args(["-l0", "."]).assert().code(1);
    assert_eq!(stdout(&assert), "./line\nfeed\0./one\0");
}

#[test]
fn quiet_prints_nothing_but_the_exit_code_tells() {
    let folder = Folder::new();
    folder.file("bad", b"\xFF");
    folder.file("fine", b"fine");
    folder.trust8().args(["-q", "fine"]).assert().code(0).stdout(is_empty()).stderr(is_empty());
    folder.trust8().args(["-q", "bad", "fine"]).assert().code(1).stdout(is_empty()).stderr(is_empty());
    folder
        .trust8()
        .args(["-q", "bad", "none"])
        .assert()
        .code(2)
        .stdout(is_empty())
        .stderr(contains("none: "));
    folder.trust8().arg("-q").write_stdin(b"\xFF".to_vec()).assert().code(1).stdout(is_empty());
}

#[test]
fn statistics_count_everything_and_go_to_standard_error() {
    let folder = Folder::new();
    folder.file("d/one", "aé日😀\n".repeat(100_000));
    folder.file("d/two", "aé\n");
    folder.file("d/bad", b"\xFFab\xFE\n");
    folder.file("d/binary", b"\0");
    let assert = folder.trust8().args(["--stats", "d", "none"]).assert().code(2);
    let printed = stderr(&assert);
    for line in [
        "files       3: 2 valid, 1 invalid; also 1 binary skipped, 1 not read\n",
        "errors      2 in the invalid files\n",
        "bytes       1 100 009 in ",
        "characters  500 006: 200 005 of 1 byte, 100 001 of 2, 100 000 of 3, 100 000 of 4\n",
        "lines       100 002\n",
    ] {
        assert!(printed.contains(line), "{line}{printed}");
    }
    // Only one error was shown.
    assert_eq!(stdout(&assert).matches("byte that never appears").count(), 1);
}

#[test]
fn json_is_one_document_with_everything() {
    let folder = Folder::new();
    folder.file("d/bad", b"abc\n\xE6\x97\xA5x\xC0\xAF and \xFF\n");
    folder.file("d/cesu", b"\xED\xA0\xBD\xED\xB8\x80");
    folder.file("d/fine", "é");
    folder.file("d/utf16", b"\xFF\xFEa\0");
    let json = |args: &[&str], code| -> Value {
        serde_json::from_str(&stdout(&folder.trust8().args(["-f", "json"]).args(args).assert().code(code)))
            .unwrap()
    };
    let all = json(&["--all", "d", "none"], 2);
    assert_eq!(all["version"], 1);
    let files = all["files"].as_array().unwrap();
    assert_eq!(files.len(), 4);
    let first = &files[0];
    assert_eq!((&first["path"], &first["status"]), (&"d/bad".into(), &"invalid".into()));
    let expected: Value = serde_json::from_str(
        r#"{"line":2,"column":3,"offset":8,"length":2,"count":2,"kind":"overlong","rfc3629_section":3,
            "message":"overlong encoding of '/' (U+002F), 2 bytes: C0 AF; RFC 3629 section 3 forbids it",
            "hex":"C0 AF",
            "context":{"offset":0,"hex":"61 62 63 0A E6 97 A5 78 C0 AF 20 61 6E 64 20 FF 0A",
                       "text":"abc\\n日x\\xC0\\xAF and \\xFF\\n"}}"#,
    )
    .unwrap();
    assert_eq!(first["errors"][0], expected);
    assert_eq!(first["errors"].as_array().unwrap().len(), 2);
    assert_eq!(first["errors"][1]["column"], 10);
    assert_eq!((&first["byte_order_mark"], &first["dialects"]), (&Value::Null, &Value::Array(vec![])));
    assert_eq!(files[1]["dialects"][0], serde_json::json!({"name": "cesu-8", "convertible": true}));
    assert_eq!(files[2]["byte_order_mark"], "utf-16le");
    assert_eq!((&files[3]["path"], &files[3]["status"]), (&"none".into(), &"unread".into()));
    assert!(files[3]["message"].as_str().unwrap().contains("No such file"));
    let summary = &all["summary"];
    assert_eq!(
        *summary,
        serde_json::json!({"files": 4, "valid": 1, "invalid": 3, "unread": 1, "binary_skipped": 0, "binary_like_utf16": 0, "errors": 11})
    );
    // Without errors there is still a document.
    assert_eq!(json(&["d/fine"], 0)["files"], Value::Array(vec![]));
    let stats = json(&["--stats", "d/fine"], 0);
    assert_eq!(stats["summary"]["characters_by_length"], serde_json::json!([0, 1, 0, 0]));
    assert_eq!(stats["summary"]["bytes"], 2);
}

#[test]
fn json_lines_have_the_same_content_line_by_line() {
    let folder = Folder::new();
    folder.file("d/a", b"a\xFFb\xFE");
    folder.file("d/b", b"\xC0\x80");
    let assert = folder.trust8().args(["-af", "jsonl", "d", "none"]).assert().code(2);
    let lines: Vec<Value> = stdout(&assert).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let types_and_paths: Vec<_> =
        lines.iter().map(|line| (line["type"].as_str().unwrap(), line["path"].as_str())).collect();
    assert_eq!(
        types_and_paths,
        [
            ("error", Some("d/a")),
            ("error", Some("d/a")),
            ("file", Some("d/a")),
            ("error", Some("d/b")),
            ("file", Some("d/b")),
            ("file", Some("none")),
            ("summary", None)
        ]
    );
    assert_eq!((&lines[1]["offset"], &lines[1]["kind"]), (&3.into(), &"invalid-byte".into()));
    assert_eq!(lines[4]["dialects"][0]["name"], "mutf-8");
    assert_eq!(lines[5]["status"], "unread");
}

#[test]
fn dialects_of_utf8_are_named_with_the_command_that_converts_them() {
    let folder = Folder::new();
    for (content, note) in [
        (&b"x\xED\xA0\xBD\xED\xB8\x80"[..], "all of it is valid CESU-8: trust8 fix --from cesu-8 f"),
        (b"x\xC0\x80", "all of it is valid Modified UTF-8: trust8 fix --from mutf-8 f"),
        (b"x\xED\xA0\x80", "all of it is valid WTF-8, but UTF-8 cannot encode some of it"),
        (b"\xF8\x88\x80\x80\x80", "all of it is valid RFC 2279, but UTF-8 cannot encode some of it"),
        (b"\xFF\xFEx\0", "it seems to be utf-16le: trust8 fix --from utf-16le f"),
        (b"\0\0\xFE\xFF\0\0\0x", "it seems to be utf-32be: trust8 fix --from utf-32be f"),
    ] {
        folder.file("f", content);
        let assert = folder.trust8().arg("f").assert().code(1);
        assert!(stdout(&assert).ends_with(&format!("    note  {note}\n")), "{}", stdout(&assert));
    }
    // There is no note if no dialect accepts all of the file.
    folder.file("f", b"x\xED\xA0\xBD\xED\xB8\x80 caf\xE9");
    folder.trust8().arg("f").assert().code(1).stdout(contains("note").not());
}

#[test]
fn a_pipe_gets_colours_only_if_asked_for() {
    let folder = Folder::new();
    folder.file("bad", b"a\xFF");
    let run = |args: &[&str]| stdout(&folder.trust8().args(args).arg("bad").assert().code(1));
    let plain = run(&[]);
    assert!(!plain.contains('\x1B'));
    assert_eq!(run(&["--color", "never"]), plain);
    let colored = run(&["--color", "always"]);
    assert!(colored.contains("\x1B[31m\\xFF\x1B[0m"), "{colored:?}");
    assert_eq!(anstream::adapter::strip_str(&colored).to_string(), plain);
}

#[test]
fn a_file_can_have_the_name_of_an_option_or_a_command() {
    let folder = Folder::new();
    for name in ["--kernel", "check", "fix"] {
        folder.file(name, b"\xFF");
    }
    folder.trust8().args(["--", "--kernel"]).assert().code(1).stdout(starts_with("--kernel:1:1: "));
    folder.trust8().args(["--", "check"]).assert().code(1).stdout(starts_with("check:1:1: "));
    folder.trust8().arg("./fix").assert().code(1).stdout(starts_with("./fix:1:1: "));
    folder.trust8().args(["check", "fix"]).assert().code(1).stdout(starts_with("fix:1:1: "));
}

#[test]
fn every_kernel_gives_the_same_findings() {
    let folder = Folder::new();
    let mut content = "aé日😀\n".repeat(50_000).into_bytes();
    content.extend(b"ab\xED\xA0\x80 and more\xFF\n");
    content.extend("日本語".repeat(300_000).into_bytes());
    content.push(0xE0);
    let bad = folder.file("bad", &content);
    let fine = folder.file("fine", "aé日😀\n".repeat(1_000));
    let run = |args: &[&str]| {
        stdout(&trust8().args(args).args(["-af", "jsonl"]).args([&bad, &fine]).assert().code(1))
    };
    let expected = run(&[]);
    assert_eq!(expected.matches("\"type\":\"error\"").count(), 3);
    for kernel in Kernel::available() {
        assert_eq!(run(&["--kernel", kernel.name()]), expected, "{}", kernel.name());
    }
}

#[test]
fn an_unknown_kernel_is_a_usage_error_that_names_the_known_ones() {
    let mut assert = trust8().args(["--kernel", "abacus"]).assert().code(2).stdout(is_empty());
    for kernel in Kernel::available() {
        assert = assert.stderr(contains(kernel.name()));
    }
}

#[test]
fn senseless_arguments_are_a_usage_error() {
    for line in [
        "--all --max-errors 3",
        "--quiet --list",
        "--list --format json",
        "-0",
        "--max-errors 0",
        "--threads 0",
        "--all check x",
        "--format xml",
        "-g [",
        // With these, files would have been checked that they leave out.
        "--tracked --max-filesize 1K",
        "--staged --max-filesize 1K",
        "--tracked --one-file-system",
    ] {
        trust8().args(line.split(' ')).write_stdin("").assert().code(2).stdout(is_empty());
    }
}

/// Who repairs a mixed file wants to know which lines to look at.
#[test]
fn a_note_says_which_lines_of_a_mixed_file_are_in_what() {
    let folder = Folder::new();
    let utf8 = "Съешь же ещё этих мягких французских булок\n".as_bytes();
    let (legacy, ..) = encoding_rs::WINDOWS_1251.encode("Да выпей же чаю, сказала хозяйка дома\n");
    let lines = |numbers: &[usize]| -> Vec<u8> {
        (1..=12).flat_map(|n| if numbers.contains(&n) { legacy.to_vec() } else { utf8.to_vec() }).collect()
    };
    for (numbers, said) in [
        (&[3][..], "line 3 seems to be windows-1251"),
        (&[1, 2], "lines 1, 2 seem to be windows-1251"),
        (&[1, 3, 4, 5, 9], "lines 1, 3 to 5 and 9 seem to be windows-1251"),
        (&[2, 4, 6, 8, 10, 12], "lines 2, 4, 6, 8, 10 and 12 seem to be windows-1251"),
    ] {
        folder.file("f", lines(numbers));
        let note = format!("{said}, the others UTF-8: trust8 fix --from auto f");
        let check = |format: &str| {
            let check = folder.trust8().args(["--format", format, "f"]).assert().code(1);
            String::from_utf8(check.get_output().stdout.clone()).unwrap()
        };
        assert!(check("human").ends_with(&format!("    note  {note}\n")), "{}", check("human"));
        assert!(check("github").contains(&format!("::notice file=f,line={},endLine=", numbers[0])));
        assert!(check("github").contains(&note), "{}", check("github"));
        assert!(check("sarif").contains(&note), "{}", check("sarif"));
        let json: serde_json::Value = serde_json::from_str(&check("json")).unwrap();
        let mixed = &json["files"][0]["mixed"];
        assert_eq!(mixed["encoding"], "windows-1251");
        let runs: Vec<(usize, usize)> = serde_json::from_value(mixed["lines"].clone()).unwrap();
        assert_eq!(runs.iter().flat_map(|(first, last)| *first..=*last).collect::<Vec<_>>(), numbers);
        assert!(mixed["invalid_sequences"].as_u64().unwrap() > 0);
        assert_eq!(mixed["other_invalid_sequences"], 0);
    }
    // Damage is in no other encoding, and a long list is cut.
    folder.file("f", [utf8, b"log \xFF\n", utf8].concat());
    folder.trust8().arg("f").assert().code(1).stdout(predicates::str::contains("note").not());
    let many = [utf8, &legacy].concat().repeat(2000);
    folder.file("f", &many);
    let check = folder.trust8().arg("f").assert().code(1);
    let said = stdout(&check);
    assert!(said.contains("lines 2, 4, 6, 8, 10, 12, 14, 16 and others seem"), "{said}");
}
