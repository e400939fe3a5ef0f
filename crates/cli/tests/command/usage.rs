//! Tests what people reach for: options that other tools have, closed streams, dry runs, and names
//! that could do harm.

use std::fs;
use std::process::{Command, Stdio};

use crate::folder::{Folder, stderr, stdout, trust8};
use assert_cmd::cargo::cargo_bin;
use predicates::prelude::*;
use predicates::str::{contains, is_empty};
use serde_json::Value;

#[test]
fn paths_are_read_from_a_list() {
    let folder = Folder::new();
    for name in ["a b", "c", "d/e"] {
        folder.file(name, b"\xFF");
    }
    folder.file("list", "a b\nd\n");
    folder.file("list0", "a b\0c\0");
    let list =
        |args: &[&str]| stdout(&folder.trust8().args(["-l", "--files-from"]).args(args).assert().code(1));
    assert_eq!(list(&["list"]), "a b\nd/e\n");
    assert_eq!(list(&["list", "c"]), "c\na b\nd/e\n");
    assert_eq!(list(&["list0"]), "a b\nc\n");
    folder.trust8().args(["-l", "--files-from", "-"]).write_stdin("c\n").assert().code(1).stdout("c\n");
    folder.trust8().args(["-l", "--files-from", "-"]).write_stdin("").assert().code(0).stdout(is_empty());
    folder.trust8().args(["--files-from", "none"]).assert().code(2).stderr(contains("none: No such file"));
    folder.trust8().args(["fix", "-i", "--replace", "--files-from", "list"]).assert().code(0);
    assert_eq!(fs::read_to_string(folder.at("d/e")).unwrap(), "\u{FFFD}");
}

#[test]
fn files_are_selected_by_type_and_depth() {
    let folder = Folder::new();
    for name in ["a.rs", "b.py", "d/c.rs", "d/e/f.rs"] {
        folder.file(name, b"\xFF");
    }
    let list = |args: &[&str]| stdout(&folder.trust8().arg("-l").args(args).arg(".").assert().code(1));
    assert_eq!(list(&["--type", "rust"]), "./a.rs\n./d/c.rs\n./d/e/f.rs\n");
    assert_eq!(list(&["-T", "rust"]), "./b.py\n");
    assert_eq!(list(&["--max-depth", "1"]), "./a.rs\n./b.py\n");
    assert_eq!(list(&["-d", "2", "-t", "rust"]), "./a.rs\n./d/c.rs\n");
    folder.trust8().args(["-t", "rustt", "."]).assert().code(2).stderr(contains("did you mean rust?"));
}

#[test]
fn a_byte_order_mark_is_removed_if_asked_for() {
    let folder = Folder::new();
    folder.file("f", "\u{FEFF}text");
    folder.trust8().args(["fix", "-i", "f"]).assert().code(0);
    assert!(fs::read(folder.at("f")).unwrap().starts_with(b"\xEF\xBB\xBF"));
    let assert = folder.trust8().args(["fix", "-iv", "--strip-bom", "f"]).assert().code(0);
    assert!(stderr(&assert).starts_with("trust8: f: repaired, byte order mark removed\n"));
    assert_eq!(fs::read_to_string(folder.at("f")).unwrap(), "text");
    let fix = |input: &[u8]| trust8().args(["fix", "--strip-bom"]).write_stdin(input.to_vec()).assert();
    fix(b"\xEF\xBB\xBFa\xFF").code(1).stdout(&b"a\xFF"[..]);
    // A stream that is no UTF-8 is left alone, as such a file is. It lost its mark.
    let lines = "é GrÃ¶ÃŸe\n".repeat(30_000);
    let left = [b"\xEF\xBB\xBF", lines.as_bytes(), b"\xED\xA0\xBD\xED\xB8\x80\n"].concat();
    fix(&left).code(1).stderr(contains("left alone: looks like cesu-8")).stdout(left.clone());
    let mut undo = trust8();
    undo.args(["fix", "--unmojibake"]).write_stdin(left.clone()).assert().code(1).stdout(left);
    fix(b"\xEF\xBB\xBFa").code(0).stdout("a");
    fix(b"a\xEF\xBB\xBF").code(0).stdout("a\u{FEFF}");
}

#[test]
fn a_dry_run_changes_nothing_and_says_what_would_change() {
    let folder = Folder::new();
    folder.file("d/bad", b"one\ncaf\xE9\nthree\n");
    folder.file("d/fine", "fine");
    let check = |args: &[&str]| folder.trust8().args(["fix", "--check"]).args(args).assert();
    check(&["--replace", "d"])
        .code(1)
        .stderr("trust8: d/bad: would be repaired, 1 invalid sequence replaced by U+FFFD\n");
    check(&["d/fine"]).code(0).stdout(is_empty()).stderr(is_empty());
    check(&["--from", "auto", "d"])
        .code(1)
        .stderr(contains("would be converted from windows-1252 (a guess)"));
    trust8().args(["fix", "--check", "-"]).write_stdin(b"\xFF".to_vec()).assert().code(1).stdout(is_empty());
    // Git does not apply a patch of `a/./d/bad`.
    for path in ["d", "./d"] {
        let diff = folder.trust8().args(["fix", "--diff", "--from", "latin1", path]).assert().code(1);
        let shown = diff.get_output().stdout.clone();
        let expected: &[u8] =
            b"--- a/d/bad\n+++ b/d/bad\n@@ -1,3 +1,3 @@\n one\n-caf\xE9\n+caf\xC3\xA9\n three\n";
        assert_eq!(shown, expected, "{}", String::from_utf8_lossy(&shown));
    }
    assert_eq!(fs::read(folder.at("d/bad")).unwrap(), b"one\ncaf\xE9\nthree\n");
    folder.trust8().args(["fix", "--diff", "d/fine"]).assert().code(0).stdout(is_empty());
}

#[test]
fn fix_reports_how_many_files_were_changed() {
    let folder = Folder::new();
    folder.file("d/bad", b"caf\xE9");
    folder.file("d/fine", "fine");
    folder.file("d/worse", b"\x81");
    let run = |args: &[&str]| {
        folder.trust8().args(["fix", "-i", "--from", "shift_jis", "d"]).args(args).assert().code(1)
    };
    let lines = |text: String| {
        text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()).collect::<Vec<_>>()
    };
    let json = lines(stdout(&run(&["--json"])));
    let statuses: Vec<_> = json.iter().map(|line| (line["path"].as_str(), line["status"].as_str())).collect();
    assert_eq!(
        statuses,
        [
            (Some("d/bad"), Some("unconvertible")),
            (Some("d/fine"), Some("unchanged")),
            (Some("d/worse"), Some("unconvertible")),
            (None, None)
        ]
    );
    assert!(json[0]["message"].as_str().unwrap().starts_with("byte 3: E9 is not valid Shift_JIS"));
    assert_eq!(json[3]["type"], "summary");
    assert_eq!((&json[3]["changed"], &json[3]["unconvertible"]), (&0.into(), &2.into()));
    let assert = folder.trust8().args(["fix", "-i", "--replace", "d"]).assert().code(0);
    assert!(
        stderr(&assert)
            .ends_with("trust8: 2 changed, 1 unchanged, 0 left alone, 0 not convertible, 0 failed\n")
    );
    // If the text goes to standard output, the report goes to standard error.
    folder.file("f", b"\xE9");
    let assert =
        folder.trust8().args(["fix", "--json", "--from", "latin1", "f"]).assert().code(0).stdout("é");
    let json = lines(stderr(&assert));
    assert_eq!((&json[0]["status"], &json[0]["from"]), (&"changed".into(), &"windows-1252".into()));
}

#[test]
fn inspect_takes_several_files_and_writes_json() {
    let folder = Folder::new();
    folder.file("a", "é\r\n\rb");
    folder.file("b", b"Gr\xFC\xDFe aus M\xFCnchen\n");
    let assert =
        folder.trust8().args(["inspect", "a", "none", "b"]).assert().code(2).stderr(contains("none: "));
    let text = stdout(&assert);
    assert!(text.starts_with("a\n  UTF-8") && text.contains("\n\nb\n  UTF-8"), "{text}");
    let assert = folder.trust8().args(["inspect", "--json", "a", "b"]).assert().code(1);
    let lines: Vec<Value> = stdout(&assert).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        (&lines[0]["path"], &lines[0]["valid"], &lines[0]["lines"]),
        (&"a".into(), &true.into(), &2.into())
    );
    assert_eq!(lines[0]["line_endings"], serde_json::json!({"lf": 0, "crlf": 1, "cr": 1}));
    assert_eq!((&lines[1]["valid"], &lines[1]["likely_from"]), (&false.into(), &"windows-1252".into()));
    let check: Value =
        serde_json::from_str(&stdout(&folder.trust8().args(["--json", "b"]).assert().code(1))).unwrap();
    assert_eq!(check["files"][0]["path"], "b");
}

/// A line ends with a line feed, or with the end of the file. A carriage return alone ends no line.
#[test]
fn check_and_inspect_count_the_same_lines() {
    let folder = Folder::new();
    for (content, lines) in [
        (&b""[..], 0),
        (b"a", 1),
        (b"a\n", 1),
        (b"a\r\nb", 2),
        (b"a\rb\rc", 1),
        (b"a\r", 1),
        (b"\r\n\r\n", 2),
        (b"a\n\xFF", 2),
        (b"\xFF\n", 1),
    ] {
        folder.file("f", content);
        let text = |args: &[&str]| folder.trust8().args(args).arg("f").assert().get_output().clone();
        let checked = String::from_utf8(text(&["check", "--stats"]).stderr).unwrap();
        assert!(checked.contains(&format!("\nlines       {lines}\n")), "{content:?} {checked}");
        let inspected = String::from_utf8(text(&["inspect"]).stdout).unwrap();
        let line = inspected.lines().find(|line| line.starts_with("  lines ")).unwrap();
        assert!(line.starts_with(&format!("  lines         {lines}")), "{content:?} {line}");
        let has_lone_cr =
            content.windows(2).any(|two| two[0] == b'\r' && two[1] != b'\n') || content.ends_with(b"\r");
        assert_eq!(line.ends_with("a CR alone ends no line"), has_lone_cr, "{content:?} {line}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn closed_streams_are_errors() {
    let folder = Folder::new();
    folder.file("bad", b"\xFF");
    folder.file("fine", "fine");
    let shell = |command: &str| {
        let script = format!("{} {command}", cargo_bin!("trust8").display());
        let mut shell = Command::new("sh");
        shell.args(["-c", &script]).current_dir(folder.path()).stdin(Stdio::null()).stdout(Stdio::null());
        let output = shell.stderr(Stdio::piped()).output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    for command in ["check", "fix", "inspect", "convert --to utf-16le"] {
        let (code, error) = shell(&format!("{command} <&-"));
        assert_eq!((code, &*error), (2, "trust8: <stdin>: standard input is closed\n"), "{command}");
        assert_eq!(shell(&format!("{command} - < /dev/null")).0, 0);
    }
    for command in [
        "check bad",
        "fix fine",
        "inspect fine",
        "convert --to utf-16le fine",
        "kernels",
        "encodings",
        "--help",
        "--version",
    ] {
        let (code, error) = shell(&format!("{command} >&-"));
        assert_eq!((code, &*error), (2, "trust8: standard output: it is closed\n"), "{command}");
        let (code, error) = shell(&format!("{command} > /dev/full"));
        assert_eq!(code, 2, "{command}");
        assert!(error.starts_with("trust8: standard output: No space left"), "{command}: {error}");
    }
    // Where nothing is printed, nothing is lost.
    assert_eq!(shell("check fine >&-"), (0, String::new()));
    assert_eq!(shell("fix -iq fine >&-"), (0, String::new()));
}

/// A name with a line feed could forge a line of the report, and one with an escape sequence could
/// change the terminal.
#[cfg(unix)]
#[test]
fn names_do_no_harm_in_any_output() {
    let folder = Folder::new();
    let name = "evil\nother:1:1: fake\x1B[2J\u{9B}\u{202E}";
    folder.file(&format!("d/{name}"), b"\xFF");
    let is_harmless = |bytes: &[u8]| {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        let bad = |c: char| c.is_control() && c != '\n' || c == '\u{202E}';
        assert!(!text.contains(bad) && !text.contains("\nother"), "{text:?}");
    };
    let path = format!("d/{name}");
    for args in [
        &["d"][..],
        &["-f", "short", "d"],
        &["-l", "d"],
        &["inspect", &path],
        &["fix", "--from", "auto", "-v", &path],
        &["fix", "--check", "d"],
        &["fix", "--from", "shift_jis", &path],
        &["convert", "--to", "utf-16le", &path, "-o", "/dev/null"],
        &["none\n\x1B[2J"],
        &["inspect", "none\n\x1B[2J"],
        &["--kernel", "\x1B[2J"],
        &["fix", "--from", "\x1B[2J"],
    ] {
        let assert = folder.trust8().args(args).assert();
        is_harmless(&assert.get_output().stdout);
        is_harmless(&assert.get_output().stderr);
    }
    // With NULs, names are as they are. In JSON they are escaped.
    folder.trust8().args(["-l0", "d"]).assert().code(1).stdout(format!("{path}\0"));
    let json = stdout(&folder.trust8().args(["--json", "d"]).assert().code(1));
    is_harmless(json.as_bytes());
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["files"][0]["path"], path);
    // A name in a command that is suggested means nothing else to a shell.
    folder.file("x; touch harm", b"\xC0\x80");
    let assert = folder.trust8().arg("x; touch harm").assert().code(1);
    assert!(stdout(&assert).contains("trust8 fix --from mutf-8 'x; touch harm'\n"));
}

#[test]
fn a_command_that_is_misspelt_is_named() {
    let folder = Folder::new();
    let hint = "trust8: inspct: No such file or directory (os error 2); did you mean the command inspect?\n";
    folder.trust8().args(["inspct", "f"]).assert().code(2).stderr(contains(hint));
    folder.trust8().arg("notes.txt").assert().code(2).stderr(contains("did you mean").not());
}

/// On a terminal, `check` searches the folder, as `rg` does. The other commands ask for a file.
#[cfg(target_os = "linux")]
#[test]
fn without_a_path_a_terminal_is_not_read() {
    let folder = Folder::new();
    folder.file("bad", b"\xFF");
    let on_terminal = |command: &str| {
        let command = format!("{} {command}", cargo_bin!("trust8").display());
        let mut script = Command::new("script");
        script.args(["--quiet", "--return", "--command", &command, "/dev/null"]).current_dir(folder.path());
        let output = script.stdin(Stdio::null()).output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
    };
    assert_eq!(on_terminal("-l"), (1, "bad\r\n1 of 1 text files invalid\r\n".to_owned()));
    for command in ["fix", "inspect", "convert --to utf-8"] {
        let (code, text) = on_terminal(command);
        assert_eq!(code, 2, "{text}");
        assert!(text.contains("no file is named, and standard input is a terminal"), "{text}");
    }
}

#[test]
fn the_recipe_in_the_help_works_on_a_clean_tree() {
    let folder = Folder::new();
    folder.file("fine", "fine");
    let help = stdout(&trust8().arg("--help").assert().code(0));
    let recipe = help.lines().find(|line| line.contains("xargs")).unwrap().trim().to_owned();
    let recipe = recipe.replace("trust8", &cargo_bin!("trust8").display().to_string());
    let run = || Command::new("sh").args(["-c", &recipe]).current_dir(folder.path()).status().unwrap();
    assert!(run().success(), "{recipe}");
    folder.file("a b", b"Gr\xFC\xDFe aus M\xFCnchen und sch\xF6nes Wetter");
    assert!(run().success());
    assert_eq!(fs::read_to_string(folder.at("a b")).unwrap(), "Grüße aus München und schönes Wetter");
}

/// Every error was written separately if the input was a pipe.
#[cfg(target_os = "linux")]
#[test]
fn errors_in_a_pipe_are_written_in_blocks() {
    let folder = Folder::new();
    let writes = count_writes(&folder);
    assert!(writes < 2000, "{writes} writes");
}

/// Returns how many times the command calls `write` for 100 000 errors that come through a pipe.
#[cfg(target_os = "linux")]
fn count_writes(folder: &Folder) -> u64 {
    use std::io::Write;

    let mut child = Command::new(cargo_bin!("trust8"))
        .args(["-af", "short"])
        .stdin(Stdio::piped())
        .stdout(fs::File::create(folder.at("out")).unwrap())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(&b"\xFF\n".repeat(100_000)).unwrap();
    input.write_all(&[b'.'; 100]).unwrap();
    // All errors are written before the command waits for more input.
    let start = std::time::Instant::now();
    while fs::read_to_string(folder.at("out")).unwrap().lines().count() < 100_000 {
        assert!(start.elapsed() < std::time::Duration::from_secs(30));
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let counts = fs::read_to_string(format!("/proc/{}/io", child.id())).unwrap();
    drop(input);
    child.wait().unwrap();
    counts.lines().find_map(|line| line.strip_prefix("syscw: ")).unwrap().parse().unwrap()
}
