//! Tests that a run which has checked nothing, or less than it seems, says so.

use crate::folder::{Folder, stderr, stdout};
use predicates::str::{contains, is_empty};

/// Text in UTF-16 without a byte order mark.
fn utf16() -> Vec<u8> {
    "plain text\r\n".repeat(20).encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// All these were green, without a word.
#[test]
fn a_run_that_checks_nothing_says_so() {
    let folder = Folder::new();
    folder.file("d/f.rs", b"\xFF");
    folder.file("ignored/.ignore", "*\n");
    folder.file("ignored/f", b"\xFF");
    folder.file("binary/f", b"\0\xFF");
    folder.file("binary/g", b"\0\xFF");
    folder.file("list", "");
    std::fs::create_dir(folder.at("empty")).unwrap();
    let left_out = "hidden, ignored or not selected (--files says why)";
    for (args, why) in [
        (&["-g", "*.rss", "d"][..], format!("1 {left_out}")),
        (&["-t", "py", "d"], format!("1 {left_out}")),
        (&["-d", "0", "d"], "there is no file".to_owned()),
        (&["ignored"], format!("2 {left_out}")),
        (&["--max-filesize", "0", "d"], format!("1 {left_out}")),
        (&["binary"], "2 skipped as binary".to_owned()),
        (&["--skip-binary", "binary/f"], "1 skipped as binary".to_owned()),
        (&["--files-from", "list"], "there is no file".to_owned()),
        (&["empty"], "there is no file".to_owned()),
    ] {
        for more in [&[][..], &["-q"], &["--json"], &["-f", "sarif"]] {
            let run = folder.trust8().args(args).args(more).assert().code(0);
            let said = stderr(&run);
            assert_eq!(
                said.lines().last(),
                Some(&*format!("trust8: nothing was checked: {why}")),
                "{args:?}"
            );
        }
        folder.trust8().args(args).args(["-q", "--require-files"]).assert().code(2);
    }
    folder.trust8().args(["--require-files", "list"]).assert().code(0).stderr(is_empty());
    folder.trust8().args(["--require-files", "-l", "d"]).assert().code(1).stderr(is_empty());
    folder
        .trust8()
        .args(["fix", "-i", "-t", "py", "d"])
        .assert()
        .code(0)
        .stderr(contains("--type py matches no file"));
    folder.trust8().args(["fix", "-n", "empty"]).assert().code(0).stderr(contains("no file was found"));
    folder.trust8().args(["fix", "-n", "empty", "--require-files"]).assert().code(2);
}

/// One of two patterns is mistyped.
#[test]
fn a_pattern_that_matches_nothing_is_named() {
    let folder = Folder::new();
    folder.file("d/f.rs", "");
    folder.file("d/g.MD", "");
    let said = |args: &[&str]| {
        let run = folder.trust8().args(args).arg("d").assert().code(0);
        folder.trust8().args(args).args(["d", "--require-files"]).assert().code(2);
        stderr(&run)
    };
    assert_eq!(said(&["-g", "*.rs", "-g", "*.tx"]), "trust8: --glob '*.tx' matches no file\n");
    assert_eq!(said(&["-t", "rust", "-t", "py"]), "trust8: --type py matches no file\n");
    assert_eq!(said(&["-g", "*.rs", "-g", "*.md"]), "trust8: --glob '*.md' matches no file\n");
    // What excludes may have nothing to exclude.
    for args in [&["-g", "!*.tx"][..], &["--exclude", "fixtures"], &["-T", "py"], &["--iglob", "*.md"]] {
        folder.trust8().args(args).args(["d", "--require-files"]).assert().code(0).stderr(is_empty());
    }
    let run = folder.trust8().args(["--files", "--iglob", "*.md", "d"]).assert().code(0);
    assert_eq!(stdout(&run), "d/g.MD\n");
}

/// Text in UTF-16 without a mark was skipped as binary, and only a terminal was told.
#[test]
fn text_in_utf16_that_is_skipped_is_named() {
    let folder = Folder::new();
    folder.file("d/a.txt", utf16());
    folder.file("d/fine", "");
    folder.file("d/binary", b"\x7FELF\0\xFF");
    let check = |args: &[&str]| folder.trust8().args(args).arg("d").assert();
    let said = "trust8: d/a.txt was skipped as binary, but looks like UTF-16; --binary checks it\n";
    for args in [&[][..], &["-l"], &["--json"], &["--profile", "source"]] {
        check(args).code(0).stderr(said);
    }
    check(&["-q"]).code(0).stderr(is_empty());
    check(&["-q", "--require-files"]).code(2);
    folder.file("d/b.txt", utf16());
    let said = "trust8: 2 files such as d/a.txt were skipped as binary, but look like UTF-16; --binary checks them\n";
    check(&[]).code(0).stderr(said);
}

/// `--files` lists what would be checked, and both it and `-v` say why the rest would not.
#[test]
fn what_is_skipped_is_said_and_why() {
    let folder = Folder::new();
    for name in ["a", "d/b", ".hidden/c", "old", "old~", "x.log", "d/deep/e", "y.rs", "d/long"] {
        folder.file(name, b"a\xFF");
    }
    folder.file(".ignore", "*.log\n");
    folder.file("binary", b"\0");
    folder.file("utf16", utf16());
    folder.file("d/long", "a".repeat(5000));
    let args = ["--exclude", "*.rs", "--max-depth", "2", "--max-filesize", "4K", "."];
    let run = folder.trust8().arg("--files").args(args).assert().code(0);
    assert_eq!(stdout(&run), "./a\n./d/b\n./old\n");
    let said = stderr(&run);
    let ignored = said.lines().find(|line| line.contains("x.log")).unwrap();
    assert!(
        ignored.starts_with("trust8: ./x.log: skipped: ignored by `*.log` in /")
            && ignored.ends_with("/.ignore")
    );
    for line in [
        "trust8: ./.hidden: skipped: hidden",
        "trust8: ./.ignore: skipped: hidden",
        "trust8: ./old~: skipped: a backup",
        "trust8: ./d/deep: skipped: deeper than --max-depth",
        "trust8: ./d/long: skipped: longer than --max-filesize",
        "trust8: ./y.rs: skipped: not selected by --glob or --exclude",
        "trust8: ./binary: skipped: binary",
        "trust8: ./utf16: skipped: binary; it looks like UTF-16",
    ] {
        assert!(said.lines().any(|other| other == line), "{line}\n{said}");
    }
    let run = folder.trust8().args(["-lv", "-j1"]).args(args).assert().code(1);
    assert_eq!(stdout(&run), "./a\n./d/b\n./old\n");
    assert_eq!(stderr(&run), said);
    folder.trust8().args(["--files", "-0", "d"]).assert().code(0).stdout("d/b\0d/deep/e\0d/long\0");
    folder.trust8().args(["--files", "none"]).assert().code(2).stderr(contains("none: No such file"));
}

/// pre-commit names every file, also those that are excluded.
#[test]
fn a_named_file_can_be_excluded() {
    let folder = Folder::new();
    for name in ["a.txt", "fixtures/deep/b.txt", "c.bin"] {
        folder.file(name, b"\xFF");
    }
    let names = ["./a.txt", "fixtures/deep/b.txt", "c.bin"];
    let exclude = ["-l", "--exclude", "fixtures", "--exclude", "*.bin"];
    folder
        .trust8()
        .args(exclude)
        .args(names)
        .assert()
        .code(1)
        .stdout("./a.txt\nfixtures/deep/b.txt\nc.bin\n");
    folder.trust8().args(exclude).arg("--force-exclude").args(names).assert().code(1).stdout("./a.txt\n");
    let run = folder.trust8().args(exclude).args(["--force-exclude", "fixtures", "c.bin"]).assert().code(0);
    assert_eq!(
        stderr(&run),
        "trust8: nothing was checked: 2 hidden, ignored or not selected (--files says why)\n"
    );
}

/// The options that others have as well.
#[test]
fn unrestricted_includes_more_each_time() {
    let folder = Folder::new();
    folder.file(".ignore", "ignored\n");
    for name in ["ignored", ".hidden"] {
        folder.file(name, b"\xFF");
    }
    folder.file("binary", b"\0\xFF");
    for (option, names) in [
        ("-l", ""),
        ("-lu", "./ignored\n"),
        ("-luu", "./.hidden\n./ignored\n"),
        ("-luuu", "./.hidden\n./binary\n./ignored\n"),
    ] {
        folder.trust8().args([option, "."]).assert().stdout(names);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn other_file_systems_are_left_out_if_asked_for() {
    let memory = std::path::Path::new("/dev/shm");
    if !memory.is_dir() {
        return crate::folder::skip("there is no /dev/shm");
    }
    let folder = Folder::inside(memory);
    folder.file("f", b"\xFF");
    let run = folder.trust8().args(["--files", "-H", "--one-file-system", "/dev"]).assert();
    assert!(
        !stdout(&run).contains("/dev/shm")
            && stderr(&run).contains("/dev/shm: skipped: on another file system")
    );
    let path = folder.at("f").display().to_string();
    folder.trust8().args(["--files", "-H", "/dev"]).assert().stdout(contains(path));
}
