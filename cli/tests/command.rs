//! The built command, end to end: what it prints, where, and its exit code.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin;
use predicates::prelude::*;
use predicates::str::{contains, is_empty, starts_with};
use tempfile::TempDir;
use trust8::Kernel;

fn trust8() -> Command {
    Command::new(cargo_bin!("trust8"))
}

/// A folder with files in it that goes when the test ends.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn file(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.path().join(name);
        fs::write(&path, content).unwrap();
        path
    }
}

/// The line for a file, its name in full.
fn line(path: &Path, rest: &str) -> String {
    format!("{}:{rest}\n", path.display())
}

#[test]
fn valid_files_give_no_output() {
    let folder = Folder::new();
    let ascii = folder.file("ascii", b"plain\n");
    let mixed = folder.file("mixed", "aé日😀\n".repeat(10_000).as_bytes());
    trust8().arg(ascii).arg(mixed).assert().code(0).stdout(is_empty()).stderr(is_empty());
}

#[test]
fn an_empty_file_is_valid() {
    let folder = Folder::new();
    trust8().arg(folder.file("empty", b"")).assert().code(0).stdout(is_empty()).stderr(is_empty());
}

#[test]
fn a_finding_has_path_line_column_kind_bytes_offset_and_message() {
    let folder = Folder::new();
    let path = folder.file("bad", b"abc\n\xE6\x97\xA5x\xC0\xAF\n");
    trust8().arg(&path).assert().code(1).stderr(is_empty()).stdout(line(
        &path,
        "2:3: overlong [C0]: invalid UTF-8 at byte 8: C0 begins an overlong form of an ASCII character; \
         expected a first byte (00 to 7F, C2 to F4)",
    ));
}

#[test]
fn every_kind_has_its_words_and_its_bytes() {
    for (bytes, words) in [
        (&b"\x80"[..], "unexpected continuation [80]: "),
        (b"\xFF", "invalid byte [FF]: "),
        (b"\xC0\x80", "overlong [C0]: "),
        (b"\xE0\x80\x80", "overlong [E0]: "),
        (b"\xED\xA0\x80", "surrogate [ED]: "),
        (b"\xF4\x90\x80\x80", "too large [F4]: "),
        (b"\xE2\x82!", "truncated [E2 82]: "),
        (b"\xF0\x9F\x98!", "truncated [F0 9F 98]: "),
        (b"\xF0\x9F\x98", "incomplete [F0 9F 98]: "),
    ] {
        let start = format!("<stdin>:1:1: {words}invalid UTF-8 at byte 0: ");
        trust8().write_stdin(bytes).assert().code(1).stdout(starts_with(start).and(contains('\n').count(1)));
    }
}

#[test]
fn the_last_byte_can_be_the_wrong_one() {
    let folder = Folder::new();
    for (last, what) in [(0xFF, "invalid byte [FF]"), (0xE6, "incomplete [E6]")] {
        for lines in [0, 1, 100, 20_000] {
            let mut content = "日本語\n".repeat(lines).into_bytes();
            content.push(last);
            let path = folder.file("bad", &content);
            let start =
                format!("{}:{}:1: {what}: invalid UTF-8 at byte {}: ", path.display(), lines + 1, 10 * lines);
            trust8().arg(path).assert().code(1).stdout(starts_with(start));
        }
    }
}

#[test]
fn only_invalid_files_are_named_and_in_the_order_given() {
    let folder = Folder::new();
    let first = folder.file("z", b"\xFF");
    let fine = folder.file("m", b"fine");
    let last = folder.file("a", b"a\x80");
    let out = trust8().args([&first, &fine, &last]).assert().code(1).stderr(is_empty());
    let out = String::from_utf8(out.get_output().stdout.clone()).unwrap();
    let lines: Vec<_> = out.lines().collect();
    assert_eq!(lines.len(), 2, "{out}");
    assert!(lines[0].starts_with(&format!("{}:1:1: invalid byte [FF]", first.display())), "{out}");
    assert!(lines[1].starts_with(&format!("{}:1:2: unexpected continuation [80]", last.display())), "{out}");
}

#[test]
fn a_missing_file_is_2_and_the_others_are_checked() {
    let folder = Folder::new();
    let missing = folder.path().join("missing");
    let bad = folder.file("bad", b"\xFF");
    let fine = folder.file("fine", b"fine");
    let complaint = format!("trust8: {}: ", missing.display());
    // 2 wins over 1, in whatever order.
    for paths in [[&missing, &bad], [&bad, &missing]] {
        trust8()
            .args(paths)
            .assert()
            .code(2)
            .stderr(starts_with(complaint.as_str()))
            .stdout(contains("invalid byte [FF]"));
    }
    trust8().args([&missing, &fine]).assert().code(2).stdout(is_empty());
}

#[test]
fn a_directory_is_2_and_says_so() {
    let folder = Folder::new();
    let bad = folder.file("bad", b"\xFF");
    trust8()
        .args([folder.path(), &bad])
        .assert()
        .code(2)
        .stderr(format!("trust8: {}: is a directory, not a file\n", folder.path().display()))
        .stdout(contains("invalid byte [FF]"));
}

#[cfg(unix)]
#[test]
fn a_file_without_permission_is_2() {
    use std::os::unix::fs::PermissionsExt;

    let folder = Folder::new();
    let path = folder.file("secret", b"\xFF");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::File::open(&path).is_ok() {
        eprintln!("skipped: this user (root, most likely) may read every file");
        return;
    }
    let complaint = format!("trust8: {}: Permission denied", path.display());
    trust8().arg(path).assert().code(2).stdout(is_empty()).stderr(starts_with(complaint));
}

/// A name is not text, and comes out as it is.
#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_not_utf8_comes_out_byte_for_byte() {
    use std::os::unix::ffi::OsStrExt;

    let folder = Folder::new();
    let path = folder.path().join(std::ffi::OsStr::from_bytes(b"caf\xE9"));
    fs::write(&path, b"\xFF").unwrap();
    let out = trust8().arg(&path).assert().code(1);
    assert!(out.get_output().stdout.starts_with(path.as_os_str().as_bytes()));

    fs::remove_file(&path).unwrap();
    trust8().arg(&path).assert().code(2).stderr(contains("caf\u{FFFD}: "));
}

#[test]
fn standard_input_is_read_for_a_dash_and_for_no_path() {
    for args in [&[][..], &["-"]] {
        trust8().args(args).write_stdin("日本語").assert().code(0).stdout(is_empty());
        trust8().args(args).write_stdin(b"a\nb\xFF".to_vec()).assert().code(1).stdout(starts_with(
            "<stdin>:2:2: invalid byte [FF]: invalid UTF-8 at byte 3: FF never appears in UTF-8",
        ));
        trust8().args(args).write_stdin("").assert().code(0).stdout(is_empty());
    }
}

#[test]
fn standard_input_and_files_go_together() {
    let folder = Folder::new();
    let bad = folder.file("bad", b"\xC3");
    trust8().arg(bad).arg("-").write_stdin("\u{80}").assert().code(1).stdout(contains("incomplete [C3]"));
}

#[test]
fn a_file_named_like_an_option_is_reached_behind_two_dashes() {
    let folder = Folder::new();
    folder.file("--kernel", b"\xFF");
    trust8()
        .current_dir(folder.path())
        .args(["--", "--kernel"])
        .assert()
        .code(1)
        .stdout(starts_with("--kernel:1:1: "));
}

#[test]
fn every_kernel_gives_the_same_findings() {
    let folder = Folder::new();
    let mut content = "aé日😀\n".repeat(1_000).into_bytes();
    content.extend(b"ab\xED\xA0\x80 and more");
    let bad = folder.file("bad", &content);
    let fine = folder.file("fine", "aé日😀\n".repeat(1_000).as_bytes());
    let expected = trust8().args([&bad, &fine]).assert().code(1).get_output().stdout.clone();
    assert!(!expected.is_empty());
    for kernel in Kernel::available() {
        trust8()
            .args(["--kernel", kernel.name()])
            .args([&bad, &fine])
            .assert()
            .code(1)
            .stdout(expected.clone());
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
fn help_and_version_go_to_standard_output() {
    trust8().arg("--help").assert().code(0).stdout(contains("--kernel").and(contains("Exit status")));
    let version = concat!("trust8 ", env!("CARGO_PKG_VERSION"), "\n");
    trust8().arg("--version").assert().code(0).stdout(version);
}

/// `trust8 FILES... | head -1` must not end in a panic.
#[test]
fn a_broken_pipe_ends_it_quietly() {
    use std::process::{Command, Stdio};

    let folder = Folder::new();
    let bad = folder.file("bad", b"\xFF");
    // More than fits into the command's buffer and the pipe, whose reader is gone.
    let mut child = Command::new(cargo_bin!("trust8"))
        .args(std::iter::repeat_n(&bad, 5_000))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(1));
}

#[cfg(target_os = "linux")]
#[test]
fn findings_that_cannot_be_written_are_2() {
    let folder = Folder::new();
    let bad = folder.file("bad", b"\xFF");
    let output = std::process::Command::new(cargo_bin!("trust8"))
        .arg(bad)
        .stdout(fs::OpenOptions::new().write(true).open("/dev/full").unwrap())
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("trust8: standard output: "));
    assert_eq!(output.status.code(), Some(2));
}

/// Standard error may be closed as well; the exit code is left.
#[test]
fn complaints_that_nobody_reads_are_no_panic() {
    use std::process::{Command, Stdio};

    let folder = Folder::new();
    let mut child = Command::new(cargo_bin!("trust8"))
        .arg("-")
        .arg(folder.path().join("missing"))
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stderr.take());
    // It waits for its standard input, so its complaint comes after nobody listens.
    child.stdin.take().unwrap().write_all(b"fine").unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(2));
}
