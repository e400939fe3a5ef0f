//! Tests what happens if other programs change the files that are being replaced, and what a run
//! that was killed leaves.
//!
//! A named pipe holds the command up in the middle of its work: the output of the first file goes
//! there.

use std::fs;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::folder::{Folder, stderr};
use assert_cmd::cargo::cargo_bin;
use predicates::str::{contains, is_empty};

/// Starts the command, and returns when it has read `f` to the end, but not yet replaced it: the
/// file is large enough that this takes a while, and the test has the time in between.
fn while_it_works(folder: &Folder, args: &[&str], meddle: impl FnOnce()) -> (i32, String) {
    // Each line has an error, so there is a lot to do, without any memory for it.
    folder.file("f", b"text \xFF and more text\n".repeat(1_500_000));
    let child = Command::new(cargo_bin!("trust8"))
        .args(args)
        .current_dir(folder.path())
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    wait_until_it_writes(&child);
    meddle();
    let output = child.wait_with_output().unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

/// Waits until `child` has written something, to a file without a name.
fn wait_until_it_writes(child: &Child) {
    let start = Instant::now();
    let written = || {
        let status = fs::read_to_string(format!("/proc/{}/io", child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("wchar: ")).unwrap_or("0").to_owned();
        line.parse::<u64>().unwrap_or(0)
    };
    while written() < 100_000 {
        assert!(start.elapsed() < Duration::from_secs(30), "it writes nothing");
        std::thread::sleep(Duration::from_millis(1));
    }
}

const LEFT_ALONE: &str =
    "trust8: f: left alone: another program has changed or replaced it since it was read\n";

#[test]
fn the_lines_of_an_appender_are_not_lost() {
    let folder = Folder::new();
    let (code, error) = while_it_works(&folder, &["fix", "-iq", "--replace", "--backup", "f"], || {
        let mut file = fs::OpenOptions::new().append(true).open(folder.at("f")).unwrap();
        file.write_all(b"appended\n").unwrap();
    });
    assert_eq!((code, &*error), (2, LEFT_ALONE));
    assert!(fs::read(folder.at("f")).unwrap().ends_with(b"more text\nappended\n"));
    assert_eq!(folder.names(), ["f"]);
}

/// The copy of a valid file had invalid bytes that another program had appended meanwhile, or ended inside a character,
/// and the exit code was 0.
#[test]
fn a_valid_file_that_changes_while_it_is_copied_is_not_copied_unchecked() {
    let folder = Folder::new();
    let valid = "é\n".repeat(100_000);
    let file = || fs::OpenOptions::new().append(true).open(folder.at("f")).unwrap();
    for options in
        [&[][..], &["--strip-bom"], &["--unmojibake"], &["--from", "auto"], &["--profile", "source"]]
    {
        for is_cut in [false, true] {
            folder.file("f", &valid);
            let mut run = Command::new(cargo_bin!("trust8"));
            run.args(["fix", "f"]).args(options).current_dir(folder.path());
            let mut run = run.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            let mut out = run.stdout.take().unwrap();
            // The pipe is full when the rest is still to be copied.
            let mut text = vec![0];
            out.read_exact(&mut text).unwrap();
            if is_cut { file().set_len(280_000) } else { file().write_all(b"\xFF") }.unwrap();
            out.read_to_end(&mut text).unwrap();
            let end = run.wait_with_output().unwrap();
            let said = String::from_utf8(end.stderr).unwrap();
            if is_cut {
                assert_eq!(end.status.code(), Some(2), "{options:?}");
                assert_eq!(said, "trust8: f: another program has shortened it while it was copied\n");
            } else {
                assert_eq!((end.status.code(), &*said), (Some(0), ""), "{options:?}");
                assert!(text == valid.as_bytes(), "{options:?}");
            }
        }
    }
}

/// The command followed the link at the end, and overwrote a file that nobody had named.
#[test]
fn a_file_that_becomes_a_link_is_not_followed() {
    let folder = Folder::new();
    folder.file("outside/victim", "untouched");
    let (code, error) = while_it_works(&folder, &["fix", "-iq", "--replace", "f"], || {
        fs::remove_file(folder.at("f")).unwrap();
        std::os::unix::fs::symlink("outside/victim", folder.at("f")).unwrap();
    });
    assert_eq!((code, &*error), (2, LEFT_ALONE));
    assert_eq!(fs::read_to_string(folder.at("outside/victim")).unwrap(), "untouched");
    assert!(folder.at("f").is_symlink());
    assert_eq!(folder.names(), ["f", "outside"]);
}

#[test]
fn a_file_that_is_replaced_in_the_meantime_stays() {
    let folder = Folder::new();
    for args in [
        &["fix", "-iq", "--replace", "f"][..],
        &["convert", "-i", "--from", "latin1-exact", "--to", "utf-8", "f"],
    ] {
        let (code, error) = while_it_works(&folder, args, || {
            folder.file("new", "by another program");
            fs::rename(folder.at("new"), folder.at("f")).unwrap();
        });
        assert_eq!((code, &*error), (2, LEFT_ALONE));
        assert_eq!(fs::read_to_string(folder.at("f")).unwrap(), "by another program");
        assert_eq!(folder.names(), ["f"]);
    }
}

/// The second of two runs backed up the file that the first one had written, over the backup of the
/// original.
#[test]
fn two_runs_at_once_keep_the_original() {
    let folder = Folder::new();
    let original = b"text \xFF\n".repeat(20_000);
    for _ in 0..30 {
        folder.file("f", &original);
        let _ = fs::remove_file(folder.at("f~"));
        let run = || {
            let mut command = Command::new(cargo_bin!("trust8"));
            command
                .args(["fix", "-iq", "--replace", "--backup", "f"])
                .current_dir(folder.path())
                .stderr(Stdio::null());
            command.spawn().unwrap()
        };
        let children = [run(), run(), run()];
        let codes = children.map(|mut child| child.wait().unwrap().code());
        // Those that come too late find a file that is locked, has changed, or is valid.
        assert!(
            codes.contains(&Some(0)) && codes.iter().all(|code| matches!(code, Some(0 | 2))),
            "{codes:?}"
        );
        assert!(fs::read(folder.at("f~")).unwrap() == original);
        assert!(fs::read_to_string(folder.at("f")).unwrap().starts_with("text \u{FFFD}\n"));
        assert_eq!(folder.names(), ["f", "f~"]);
    }
}

#[test]
fn a_locked_file_is_left_alone() {
    let folder = Folder::new();
    let path = folder.file("f", b"\xFF");
    let file = fs::File::open(&path).unwrap();
    file.lock().unwrap();
    let fix = || folder.trust8().args(["fix", "-iq", "--replace", "f"]).assert();
    fix().code(2).stderr("trust8: f: left alone: another program has locked it\n");
    drop(file);
    fix().code(0).stderr(is_empty());
    folder.file("g", b"\xFF");
    folder.trust8().args(["fix", "-iq", "--replace", "--backup", "g"]).assert().code(0);
    let file = fs::File::open(folder.at("g")).unwrap();
    file.lock().unwrap();
    let undo = folder.trust8().args(["fix", "--undo", "g"]).assert().code(2);
    assert!(stderr(&undo).starts_with("trust8: g: left alone: another program has locked it\n"));
    assert_eq!(folder.names(), ["f", "g", "g~"]);
}

/// Kills runs at random times. Afterwards the file is whole, and the next run removes the
/// leftovers.
#[test]
fn what_a_killed_run_leaves_is_removed_by_the_next_one() {
    let folder = Folder::new();
    let original = b"text \xFF\n".repeat(50_000);
    let fixed = "text \u{FFFD}\n".repeat(50_000);
    for i in 0..40 {
        folder.file("f", &original);
        let mut child = Command::new(cargo_bin!("trust8"))
            .args(["fix", "-iq", "--replace", "f"])
            .current_dir(folder.path())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_micros(500 * i));
        child.kill().unwrap();
        child.wait().unwrap();
        let now = fs::read(folder.at("f")).unwrap();
        assert!(now == original || now == fixed.as_bytes());
        folder.trust8().args(["fix", "-iq", "--replace", "f"]).assert().code(0);
        assert_eq!(folder.names(), ["f"]);
    }
    // A run was killed just before it could rename its file.
    folder.file("f", &original);
    let leftover = ".trust8-af63db4c8601ead9.tmp";
    for content in [&original[..], fixed.as_bytes()] {
        folder.file("f", content);
        folder.file(leftover, "part");
        folder.trust8().args(["fix", "-iq", "--replace", "f"]).assert().code(0);
        assert_eq!(folder.names(), ["f"]);
    }
    // Another run is still writing.
    folder.file("f", &original);
    folder.file(leftover, "part");
    let file = fs::File::open(folder.at(leftover)).unwrap();
    file.lock().unwrap();
    let assert = folder.trust8().args(["fix", "-iq", "--replace", "f"]).assert().code(2);
    assert!(stderr(&assert).contains("left alone: another program has locked it"));
    assert_eq!(folder.names(), [leftover, "f"]);
}

/// What was written came back as input, and the file grew until the disk was full.
#[test]
fn output_that_is_the_input_is_an_error() {
    let folder = Folder::new();
    let content = b"text \xFF\n".repeat(100_000);
    for command in [
        "fix f ",
        "fix --from latin1 f ",
        "fix f -o /dev/stdout ",
        "fix f -o /dev/fd/9 9",
        "fix < f ",
        "convert --from latin1 --to utf-8 f ",
        "check --all f ",
    ] {
        folder.file("f", &content);
        let script = format!("ulimit -f 100000; exec {} {command}>> f", cargo_bin!("trust8").display());
        let output = Command::new("sh").args(["-c", &script]).current_dir(folder.path()).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{command}: {error}");
        assert!(error.contains("input file is output file"), "{command}: {error}");
        assert!(fs::read(folder.at("f")).unwrap() == content, "{command}");
    }
    // A report inside the folder that is searched is not searched.
    folder.file("d/bad", b"\xFF");
    let script = format!("exec {} d > d/report", cargo_bin!("trust8").display());
    Command::new("sh").args(["-c", &script]).current_dir(folder.path()).status().unwrap();
    assert!(!fs::read_to_string(folder.at("d/report")).unwrap().contains("report"));
}

/// Only a part of what never ends is stored.
#[test]
fn inspect_reads_only_the_beginning_of_an_endless_device() {
    let folder = Folder::new();
    let assert = folder.trust8().args(["inspect", "/dev/zero"]).timeout(Duration::from_secs(120)).assert();
    assert.code(0).stdout(contains("bytes         1 073 741 824; the rest of the stream was not read"));
}

#[test]
fn output_needs_no_folder_for_temporary_files() {
    let folder = Folder::new();
    folder.file("f", b"caf\xE9");
    folder
        .trust8()
        .env("TMPDIR", "/nonexistent")
        .args(["fix", "--replace", "f", "-o", "out"])
        .assert()
        .code(0)
        .stderr(is_empty());
    assert_eq!(fs::read_to_string(folder.at("out")).unwrap(), "caf\u{FFFD}");
    // What has to be stored says where.
    folder
        .trust8()
        .env("TMPDIR", "/nonexistent")
        .args(["fix", "--from", "latin1"])
        .write_stdin(b"caf\xE9".to_vec())
        .assert()
        .code(2)
        .stderr(contains("<stdin>: it could not be stored in /nonexistent: "));
}

#[test]
fn errors_of_writing_name_the_target() {
    let folder = Folder::new();
    folder.file("f", b"caf\xE9");
    for command in [&["fix"][..], &["convert", "--from", "latin1", "--to", "utf-8"]] {
        for target in ["no/such/folder", "/dev/full"] {
            let assert = folder.trust8().args(command).args(["f", "-o", target]).assert().code(2);
            let expected = format!("trust8: {target}: could not be written: ");
            assert!(stderr(&assert).starts_with(&expected), "{}", stderr(&assert));
        }
    }
}

#[test]
fn links_that_lead_nowhere_lead_to_the_new_file() {
    let folder = Folder::new();
    folder.file("d/other", "");
    std::os::unix::fs::symlink("d/new", folder.at("link")).unwrap();
    std::os::unix::fs::symlink("link", folder.at("link2")).unwrap();
    folder.trust8().args(["fix", "-o", "link2"]).write_stdin("text").assert().code(0);
    assert!(folder.at("link").is_symlink() && folder.at("link2").is_symlink());
    assert_eq!(fs::read_to_string(folder.at("d/new")).unwrap(), "text");
}

/// `/dev/stdout` may be a file that other programs write to as well.
#[test]
fn output_to_dev_stdout_keeps_what_is_in_the_file() {
    let folder = Folder::new();
    folder.file("f", b"caf\xE9");
    for (target, redirection) in
        [("/dev/stdout", ">> log"), ("/dev/fd/1", ">> log"), ("-", ">> log"), ("/dev/fd/3", "3>> log")]
    {
        folder.file("log", "log\n");
        let script =
            format!("exec {} fix --replace f -o {target} {redirection}", cargo_bin!("trust8").display());
        assert!(
            Command::new("sh").args(["-c", &script]).current_dir(folder.path()).status().unwrap().success()
        );
        assert_eq!(fs::read_to_string(folder.at("log")).unwrap(), "log\ncaf\u{FFFD}", "{target}");
    }
}
