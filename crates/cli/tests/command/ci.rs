//! Tests what CI systems and hooks use: their formats, Git's index, and the summary of a run on
//! folders.

use std::process::Command;

use crate::folder::{Folder, stderr, stdout};
use assert_cmd::cargo::cargo_bin;
use predicates::str::is_empty;
use serde_json::Value;

/// A file that is named like markup, a file that is missing, and one that is fine.
fn bad_files() -> Folder {
    let folder = Folder::new();
    folder.file("a <b>&\"é.txt", b"x\ny\xC0\xAF \xFF");
    folder.file("fine", "fine");
    folder
}

#[test]
fn sarif_is_one_document() {
    let folder = bad_files();
    let run = folder.trust8().args(["-af", "sarif", "a <b>&\"é.txt", "none", "fine"]).assert().code(2);
    let sarif: Value = serde_json::from_str(&stdout(&run)).unwrap();
    assert_eq!(sarif["version"], "2.1.0");
    let run = &sarif["runs"][0];
    assert_eq!(
        (&run["tool"]["driver"]["name"], &run["columnKind"]),
        (&"trust8".into(), &"unicodeCodePoints".into())
    );
    let results = run["results"].as_array().unwrap();
    let rules: Vec<_> = results.iter().map(|result| result["ruleId"].as_str().unwrap()).collect();
    assert_eq!(rules, ["overlong", "invalid-byte", "unread"]);
    let place = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "a%20%3Cb%3E%26%22%C3%A9.txt");
    let region = serde_json::json!({"startLine": 2, "startColumn": 2, "byteOffset": 3, "byteLength": 2});
    assert_eq!(place["region"], region);
    assert!(results[0]["message"]["text"].as_str().unwrap().contains("overlong encoding of '/'"));
    let run = folder.trust8().args(["-f", "sarif", "fine"]).assert().code(0);
    let sarif: Value = serde_json::from_str(&stdout(&run)).unwrap();
    assert_eq!(sarif["runs"][0]["results"], serde_json::json!([]));
}

#[test]
fn junit_has_a_test_for_each_bad_file() {
    let folder = bad_files();
    let run = folder.trust8().args(["-af", "junit", "a <b>&\"é.txt", "none", "fine"]).assert().code(2);
    let expected = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<testsuites>
<testsuite name=\"trust8\">
<testcase classname=\"trust8\" name=\"a &lt;b&gt;&amp;&quot;é.txt\">
<failure type=\"overlong\" message=\"overlong encoding of '/' (U+002F), 2 bytes: C0 AF; RFC 3629 section 3 forbids it\">\
a &lt;b&gt;&amp;&quot;é.txt:2:2: byte 3: overlong encoding of '/' (U+002F), 2 bytes: C0 AF; RFC 3629 section 3 forbids it</failure>
<failure type=\"invalid-byte\" message=\"byte that never appears in UTF-8: FF; RFC 3629 section 1 forbids it\">\
a &lt;b&gt;&amp;&quot;é.txt:2:5: byte 6: byte that never appears in UTF-8: FF; RFC 3629 section 1 forbids it</failure>
</testcase>
<testcase classname=\"trust8\" name=\"none\">
<error message=\"No such file or directory (os error 2)\"/>
</testcase>
<testcase classname=\"trust8\" name=\"all other files\"/>
</testsuite>
</testsuites>
";
    assert_eq!(stdout(&run), expected);
}

/// Vim and Emacs parse `short` with their own patterns. Each installed editor lists the places that
/// it found.
#[cfg(unix)]
#[test]
fn editors_read_short() {
    const VIM: &str =
        "call writefile(map(getqflist(), 'bufname(v:val.bufnr).\":\".v:val.lnum.\":\".v:val.col'), 'vim')";
    const EMACS: &str = r#"
        (require 'compile)
        (with-current-buffer (find-file-noselect "short")
          (compilation-mode)
          (compilation--ensure-parse (point-max))
          (goto-char (point-min))
          (while (not (eobp))
            (let ((message (get-text-property (point) 'compilation-message)))
              (when message
                (let ((place (compilation--message->loc message)))
                  (princ (format "%s:%s:%s\n" (caar (compilation--loc->file-struct place))
                                 (compilation--loc->line place) (compilation--loc->col place))))))
            (forward-line)))"#;
    let folder = Folder::new();
    folder.file("a b.txt", b"ok\nab\xFF\n");
    folder.file("d/é", "日本x\n".bytes().chain(*b"\xC0\xAF: 1:2: \xFF").collect::<Vec<_>>());
    folder.file("utf-16", b"\xFF\xFEa\0");
    folder.file("emacs.el", EMACS);
    let run = folder.trust8().args(["-af", "short", "a b.txt", "d/é", "utf-16"]).assert().code(1);
    folder.file("short", stdout(&run));
    let expected = "a b.txt:2:3\nd/é:2:1\nd/é:2:10\nutf-16:1:1\nutf-16:1:2\nutf-16:1:1\n";
    let output = |program: &str, args: &[&str]| {
        let mut command = Command::new(program);
        command.current_dir(folder.path()).env("LC_ALL", "C.UTF-8").args(args);
        let output = command.output().ok();
        if output.is_none() {
            crate::folder::skip(&format!("there is no {program}"));
        }
        output
    };
    if output("vim", &["-es", "-u", "NONE", "-N", "-c", "cgetfile short", "-c", VIM, "-c", "qa!"]).is_some() {
        assert_eq!(std::fs::read_to_string(folder.at("vim")).unwrap(), expected);
    }
    if let Some(output) = output("emacs", &["--batch", "-Q", "-l", "emacs.el"]) {
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    }
}

/// The mark of UTF-16 or UTF-32 says what the file is. That was only said to people and in JSON.
#[test]
fn every_format_names_the_byte_order_mark() {
    let folder = Folder::new();
    let what = "it seems to be";
    for (encoding, bytes) in [
        ("utf-16le", &b"\xFF\xFEa\0"[..]),
        ("utf-16be", b"\xFE\xFF\0a"),
        ("utf-32le", b"\xFF\xFE\0\0a\0\0\0"),
        ("utf-32be", b"\0\0\xFE\xFF\0\0\0a"),
    ] {
        folder.file("f", bytes);
        for (format, expected) in [
            ("human", format!("    note  {what} {encoding}: trust8 fix --from {encoding} f\n")),
            ("short", format!("f:1:1: note: {what} {encoding}: trust8 fix --from {encoding} f\n")),
            (
                "github",
                format!("::notice file=f,line=1,col=1::{what} {encoding}: trust8 fix --from {encoding} f\n"),
            ),
            (
                "junit",
                format!("<system-out>{what} {encoding}: trust8 fix --from {encoding} f</system-out>\n"),
            ),
            ("json", format!("\"byte_order_mark\":\"{encoding}\"")),
            ("jsonl", format!("\"byte_order_mark\":\"{encoding}\"")),
        ] {
            let run = folder.trust8().args(["-f", format, "f"]).assert().code(1);
            assert!(stdout(&run).contains(&expected), "{}", stdout(&run));
            // In a pipe as well.
            let run = folder.trust8().args(["-f", format]).write_stdin(bytes).assert().code(1);
            let expected = expected.replace(" f\n", " -\n").replace(" f<", " -<").replace("f:", "<stdin>:");
            assert!(stdout(&run).contains(&expected.replace("=f,", "=<stdin>,")), "{}", stdout(&run));
        }
        let run = folder.trust8().args(["-af", "sarif", "f"]).assert().code(1);
        let sarif: Value = serde_json::from_str(&stdout(&run)).unwrap();
        let last = sarif["runs"][0]["results"].as_array().unwrap().last().unwrap();
        assert_eq!((&last["ruleId"], &last["level"]), (&"other-encoding".into(), &"note".into()));
        assert_eq!(last["message"]["text"], format!("{what} {encoding}: trust8 fix --from {encoding} f"));
    }
    // Bytes FF FE elsewhere are no mark.
    folder.file("f", b"a\xFF\xFEa\0");
    folder
        .trust8()
        .args(["-f", "short", "f"])
        .assert()
        .code(1)
        .stdout(predicates::str::contains(what).count(0));
}

/// The index has what the next commit gets. What is on disk may be better or worse.
#[cfg(unix)]
#[test]
fn staged_is_what_the_index_has() {
    let folder = Folder::new();
    let git = |args: &[&str]| {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@example.org"]).args(args);
        assert!(git.current_dir(folder.path()).status().unwrap().success());
    };
    let list = |args: &[&str]| {
        let run = folder.trust8().args(["check", "-l", "--staged"]).args(args).assert();
        (run.get_output().status.code().unwrap(), stdout(&run))
    };
    let bad = |names: &str| (1, names.to_owned());
    git(&["init", "--quiet"]);
    folder.file("committed", b"\xFF");
    folder.file("removed", b"\xFF");
    assert_eq!(list(&[]), (0, String::new()));
    git(&["add", "."]);
    assert_eq!(list(&[]), bad("committed\nremoved\n"));
    git(&["commit", "--quiet", "-m", "first"]);
    assert_eq!(list(&[]), (0, String::new()));
    folder.file("d/bad in the index", b"a\xFF");
    folder.file("fine in the index.md", b"fine");
    folder.file("binary", b"\xFF\0");
    std::os::unix::fs::symlink("committed", folder.at("link")).unwrap();
    git(&["rm", "--quiet", "removed"]);
    git(&["add", "."]);
    folder.file("d/bad in the index", "fine now");
    folder.file("fine in the index.md", b"\xFF");
    assert_eq!(list(&[]), bad("d/bad in the index\n"));
    assert_eq!(list(&["--binary"]), bad("binary\nd/bad in the index\n"));
    assert_eq!(list(&["fine in the index.md"]), (0, String::new()));
    assert_eq!(list(&["--exclude", "d/**"]), (0, String::new()));
    assert_eq!(list(&["--type", "md"]), (0, String::new()));
    let run = folder.trust8().args(["--staged", "-f", "short"]).assert().code(1);
    assert!(stdout(&run).starts_with("d/bad in the index:1:2: byte 1: "));
    // In a folder, files outside it count too, whatever Git's configuration says.
    git(&["config", "diff.relative", "true"]);
    folder.file("e/fine", "fine");
    let mut run = folder.trust8();
    let run = run.current_dir(folder.at("e")).args(["-l", "--staged"]).assert().code(1);
    assert_eq!(stdout(&run), "d/bad in the index\n");
    let elsewhere = Folder::new();
    let mut run = elsewhere.trust8();
    run.env("GIT_CEILING_DIRECTORIES", elsewhere.path().parent().unwrap()).arg("--staged");
    run.assert().code(2).stdout(is_empty());
}

/// Runs the last step of the action.
#[cfg(unix)]
#[test]
fn the_action_shows_errors_next_to_their_lines() {
    let action = include_str!("../../../../action.yml");
    let steps: Vec<_> = action.lines().filter_map(|line| line.trim().strip_prefix("- run: ")).collect();
    assert_eq!(steps.len(), 2, "{action}");
    let folder = Folder::new();
    folder.file("d/bad", b"a\xFF");
    folder.file("fine", "fine");
    let script = steps[1].replace("trust8 check", &format!("{} check", cargo_bin!("trust8").display()));
    let run = |paths: &str, tracked: &str| {
        let mut shell = Command::new("sh");
        shell
            .args(["-c", &script])
            .env("ARGS", "--all --no-progress")
            .env("PATHS", paths)
            .env("TRACKED", tracked);
        let output = shell.current_dir(folder.path()).output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
    };
    let (code, text) = run("fine d", "");
    assert!(code == 1 && text.starts_with("::error file=d/bad,line=1,col=2::"), "{text}");
    assert_eq!(run("fine", ""), (0, String::new()));
    // Names are no patterns for the shell, and the list of Git has what is hidden.
    assert_eq!(run("d/*", "").0, 2);
    assert!(
        Command::new("git").args(["init", "--quiet"]).current_dir(folder.path()).status().unwrap().success()
    );
    folder.file(".github/bad", b"a\xFF");
    assert!(Command::new("git").args(["add", "."]).current_dir(folder.path()).status().unwrap().success());
    assert!(run(".", "yes").1.contains("::error file=.github/bad,line=1,col=2::"));
}

/// The action compiled the command each time. Here, programs stand in for curl and cargo.
#[cfg(target_os = "linux")]
#[test]
fn the_action_takes_the_binary_of_a_release() {
    use std::os::unix::fs::PermissionsExt;

    let folder = Folder::new();
    let script = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/install-action.sh");
    for (name, text) in [
        (
            "bin/curl",
            "for last; do :; done; cp \"$OLDPWD/release/${last##*/}\" \"${last##*/}\" && echo \"$last\" >>\"$OLDPWD/urls\"",
        ),
        ("bin/cargo", "echo \"$@\" >>\"$OLDPWD/cargo\""),
    ] {
        let path = folder.file(name, format!("#!/bin/sh\n{text}\n"));
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let install = |reference: &str| {
        let mut shell = Command::new("sh");
        shell.arg(&script).current_dir(folder.path());
        shell.env("PATH", format!("{}:{}", folder.at("bin").display(), std::env::var("PATH").unwrap()));
        shell.env("RUNNER_TEMP", folder.at("temp")).env("GITHUB_PATH", folder.at("path"));
        shell.env("GITHUB_ACTION_PATH", "/action").env("GITHUB_ACTION_REPOSITORY", "owner/name");
        shell.env("GITHUB_ACTION_REF", reference).output().unwrap().status.success()
    };
    let compiled = || std::fs::remove_file(folder.at("cargo")).is_ok();
    // Neither a branch nor a version without files is a release.
    assert!(install("main") && compiled() && install("v1.2.3") && compiled());
    let release = "cd release && echo binary >trust8 && name=trust8-$(uname -s)-$(uname -m).tar.gz && tar -czf $name trust8 && sha256sum $name >SHA256SUMS";
    std::fs::create_dir(folder.at("release")).unwrap();
    assert!(Command::new("sh").args(["-c", release]).current_dir(folder.path()).status().unwrap().success());
    assert!(install("v1.2.3") && !compiled());
    assert_eq!(std::fs::read_to_string(folder.at("temp/trust8/trust8")).unwrap(), "binary\n");
    assert_eq!(
        std::fs::read_to_string(folder.at("path")).unwrap().trim(),
        folder.at("temp/trust8").display().to_string()
    );
    let urls = std::fs::read_to_string(folder.at("urls")).unwrap();
    assert!(
        urls.starts_with("https://github.com/owner/name/releases/download/v1.2.3/trust8-Linux-"),
        "{urls}"
    );
    // What was changed on the way is refused.
    folder.file(
        "release/SHA256SUMS",
        format!("{}  trust8-Linux-{}.tar.gz\n", "0".repeat(64), std::env::consts::ARCH),
    );
    assert!(!install("v1.2.3") && !compiled());
}

/// pre-commit runs the words of `entry` with the names of files after them.
#[test]
fn the_hooks_for_pre_commit_run() {
    let hooks = include_str!("../../../../.pre-commit-hooks.yaml");
    let entries: Vec<_> =
        hooks.lines().filter_map(|line| line.trim().strip_prefix("entry: trust8 ")).collect();
    assert_eq!(entries, ["check", "fix --in-place", "check --profile source"]);
    let folder = Folder::new();
    folder.file("fine", "fine");
    for entry in entries {
        let bad = ["naïve élève, été ".as_bytes(), b"\xFF\n"].concat();
        folder.file("bad", &bad);
        // No hook replaces a byte that it cannot decode.
        folder.trust8().args(entry.split(' ')).args(["fine", "bad"]).assert().code(1);
        assert_eq!(std::fs::read(folder.at("bad")).unwrap(), bad);
        folder.trust8().args(entry.split(' ')).arg("fine").assert().code(0);
    }
}

/// A run that looked at nothing must not look like one that found nothing.
#[test]
fn a_run_on_folders_says_what_it_left_out() {
    let folder = Folder::new();
    for name in ["bad", "sub/bad", ".hidden/a", ".hidden/b", "ignored", "old~"] {
        folder.file(name, b"a\xFF");
    }
    folder.file("old", "fine");
    folder.file(".ignore", "ignored\n");
    folder.file("binary", b"\x7FELF\0\xFF");
    let utf16: Vec<u8> = "plain text\r\n".repeat(20).encode_utf16().flat_map(u16::to_le_bytes).collect();
    folder.file("utf16", &utf16);
    let last = |args: &[&str]| {
        let run = folder.trust8().args(args).assert();
        stderr(&run).lines().last().map(str::to_owned)
    };
    // `.hidden`, `.ignore`, `ignored` and the backup.
    let line = "2 of 3 text files invalid; 2 skipped as binary, of which 1 look like UTF-16; 4 hidden, ignored or not selected";
    assert_eq!(last(&["-l", "--stats", "."]).as_deref(), Some(line));
    assert_eq!(last(&["-l", "--stats", "--profile", "source", "."]).as_deref(), Some(line));
    assert_eq!(last(&["-lHI", "--stats", "sub"]).as_deref(), Some("1 of 1 text files invalid"));
    let line = "1 of 2 text files invalid; 2 skipped as binary, of which 1 look like UTF-16; 5 hidden, ignored or not selected";
    assert_eq!(last(&["-l", "--stats", "--max-depth", "1", "."]).as_deref(), Some(line));
    let line = "trust8: ./utf16 was skipped as binary, but looks like UTF-16; --binary checks it";
    assert_eq!(last(&["-l", "."]).as_deref(), Some(line));
    assert_eq!(last(&["-l", "sub"]), None);
    assert!(last(&["-l", "--stats", "bad"]).unwrap().starts_with("lines"));
    let json: Value = serde_json::from_str(&stdout(&folder.trust8().args(["--json", "."]).assert())).unwrap();
    assert_eq!(json["summary"]["binary_like_utf16"], 1);
}
