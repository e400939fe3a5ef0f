//! Tests bad conditions: files that are missing, unreadable, changing or endless, and disks that
//! are full.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::folder::{Folder, stdout, trust8};
use assert_cmd::cargo::cargo_bin;
use predicates::prelude::*;
use predicates::str::{contains, is_empty, starts_with};

#[test]
fn after_a_missing_file_the_others_are_checked_and_the_exit_code_is_2() {
    let folder = Folder::new();
    folder.file("bad", b"\xFF");
    folder.file("fine", b"fine");
    // The exit code is 2 rather than 1, in either order.
    for paths in [["missing", "bad"], ["bad", "missing"]] {
        folder
            .trust8()
            .args(paths)
            .assert()
            .code(2)
            .stderr(starts_with("trust8: missing: No such file"))
            .stdout(contains("never appears in UTF-8: FF"));
    }
    folder.trust8().args(["missing", "fine"]).assert().code(2).stdout(is_empty());
    folder.trust8().args(["fix", "missing", "fine"]).assert().code(2).stdout("fine");
}

#[cfg(unix)]
#[test]
fn without_permission_for_a_file_or_folder_the_exit_code_is_2() {
    use std::os::unix::fs::PermissionsExt;

    let folder = Folder::new();
    let secret = folder.file("d/secret", b"\xFF");
    folder.file("d/closed/f", b"\xFF");
    folder.file("d/zbad", b"\xFF");
    let close = |mode: u32| {
        for (path, mode) in [(secret.clone(), mode), (folder.at("d/closed"), mode)] {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    close(0o000);
    if fs::File::open(&secret).is_ok() {
        // Root may read everything. So the command runs as another user, if root can become one.
        use std::os::unix::process::CommandExt;

        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let nobody = 65534;
        let output = Command::new(cargo_bin!("trust8"))
            .args(["-f", "short", "d"])
            .current_dir(folder.path())
            .uid(nobody)
            .gid(nobody)
            .output();
        match output {
            Ok(output) => assert_unreadable(&output),
            Err(error) => {
                crate::folder::skip(&format!("root may read everything, and can't become nobody: {error}"))
            }
        }
    } else {
        assert_unreadable(folder.trust8().args(["-f", "short", "d"]).assert().get_output());
    }
    close(0o700);
}

fn assert_unreadable(output: &std::process::Output) {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert!(err.contains("trust8: d/closed: Permission denied"), "{err}");
    assert!(err.contains("trust8: d/secret: Permission denied"), "{err}");
    assert_eq!(err.lines().count(), 2, "{err}");
    // The other files are still checked.
    assert!(out.starts_with("d/zbad:1:1: ") && out.lines().count() == 1, "{out}");
}

/// The name of a file can be any bytes.
#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_not_utf8_comes_out_byte_for_byte() {
    use std::os::unix::ffi::OsStrExt;

    let folder = Folder::new();
    let name = std::ffi::OsStr::from_bytes(b"caf\xE9");
    let path = folder.path().join(name);
    fs::write(&path, b"\xFF").unwrap();
    for format in ["human", "short"] {
        let assert = folder.trust8().args(["-f", format]).arg(name).assert().code(1);
        assert!(assert.get_output().stdout.starts_with(b"caf\xE9:1:1: "));
    }
    let assert = folder.trust8().arg("--list").arg(".").assert().code(1);
    assert_eq!(assert.get_output().stdout, b"./caf\xE9\n");
    for format in ["json", "jsonl"] {
        let json = stdout(&folder.trust8().args(["-f", format]).arg(name).assert().code(1));
        assert!(json.contains(r#""path":"caf�","path_hex":"63 61 66 E9""#), "{json}");
    }
    folder.trust8().args(["fix", "-i", "--replace"]).arg(name).assert().code(0);
    assert_eq!(fs::read_to_string(&path).unwrap(), "\u{FFFD}");
    fs::remove_file(&path).unwrap();
    folder.trust8().arg(name).assert().code(2).stderr(contains("caf\u{FFFD}: "));
}

#[cfg(unix)]
#[test]
fn loops_of_symbolic_links_end() {
    use std::os::unix::fs::symlink;

    let folder = Folder::new();
    folder.file("d/bad", b"\xFF");
    symlink("..", folder.at("d/up")).unwrap();
    symlink("itself", folder.at("itself")).unwrap();
    // Links are followed only if asked for. Even then, the folders above are checked only once.
    folder.trust8().args(["-l", "."]).assert().code(1).stdout("./d/bad\n").stderr(is_empty());
    folder
        .trust8()
        .args(["-lL", "d"])
        .assert()
        .code(2)
        .stdout("d/bad\nd/up/d/bad\n")
        .stderr(contains("itself"));
    fs::remove_file(folder.at("itself")).unwrap();
    folder.trust8().args(["-lL", "."]).assert().code(1).stdout("./d/bad\n").stderr(is_empty());
    // A link that leads nowhere can't be read.
    symlink("itself", folder.at("itself")).unwrap();
    folder.trust8().arg("itself").assert().code(2).stderr(contains("itself: "));
}

#[cfg(unix)]
fn fifo(folder: &Folder) -> std::path::PathBuf {
    let path = folder.at("fifo");
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    path
}

#[cfg(unix)]
#[test]
fn a_named_pipe_is_read_on_the_command_line_and_skipped_in_a_folder() {
    let folder = Folder::new();
    let path = fifo(&folder);
    // Reading the pipe would block for ever, because nobody writes to it.
    folder.trust8().arg(".").timeout(Duration::from_secs(20)).assert().code(0);
    let writer = std::thread::spawn({
        let path = path.clone();
        move || {
            let mut pipe = fs::OpenOptions::new().write(true).open(path).unwrap();
            for _ in 0..1000 {
                pipe.write_all("日本語\n".as_bytes()).unwrap();
            }
            pipe.write_all(b"abc\xFF").unwrap();
        }
    });
    folder
        .trust8()
        .args(["-f", "short", "fifo"])
        .timeout(Duration::from_secs(20))
        .assert()
        .code(1)
        .stdout(starts_with("fifo:1001:4: byte 10003: "));
    writer.join().unwrap();
    // A pipe can't be replaced by a file.
    let writer = std::thread::spawn(move || fs::OpenOptions::new().write(true).open(path).map(drop));
    folder.trust8().args(["fix", "-i", "fifo"]).timeout(Duration::from_secs(20)).assert().code(2);
    writer.join().unwrap().unwrap();
}

/// Errors are printed while the pipe is still open.
#[test]
fn errors_in_a_pipe_are_printed_at_once() {
    let mut child = Command::new(cargo_bin!("trust8"))
        .args(["--all", "-f", "short"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(b"one\n\xFF two").unwrap();
    // The command shows no more bytes after an error than these.
    pipe.write_all(&[b'.'; 100]).unwrap();
    let mut line = String::new();
    let mut out = std::io::BufReader::new(child.stdout.take().unwrap());
    std::io::BufRead::read_line(&mut out, &mut line).unwrap();
    assert!(line.starts_with("<stdin>:2:1: byte 4: "), "{line}");
    drop(pipe);
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

/// Sends a signal to `child`.
#[cfg(unix)]
fn signal(child: &std::process::Child, name: &str) {
    assert!(Command::new("kill").args(["-s", name, &child.id().to_string()]).status().unwrap().success());
}

/// Waits until `child`, which may begin as a shell or as `env`, is the command and catches signals.
#[cfg(target_os = "linux")]
fn wait_until_ready(child: &mut std::process::Child) {
    let deadline = Instant::now() + Duration::from_secs(60);
    let process = std::path::PathBuf::from(format!("/proc/{}", child.id()));
    loop {
        assert!(child.try_wait().unwrap().is_none(), "the command has ended");
        assert!(Instant::now() < deadline, "the command has not started");
        // The set of caught signals is a hexadecimal number: its lowest bit is signal 1, and
        // SIGTERM is 15. A shell may ignore the others.
        let status = fs::read_to_string(process.join("status")).unwrap();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
        let catches_term = u64::from_str_radix(caught.trim(), 16).unwrap() >> 14 & 1 == 1;
        if catches_term && fs::read_to_string(process.join("comm")).unwrap() == "trust8\n" {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The command dies of the signal itself. So a shell knows that Ctrl-C ended it, and ends a loop
/// around it too.
#[cfg(target_os = "linux")]
#[test]
fn endless_input_ends_with_an_interrupt() {
    use std::os::unix::process::ExitStatusExt;

    let folder = Folder::new();
    let path = fifo(&folder);
    // Nobody ever writes to the pipe, and the device never ends.
    for input in [path.as_path(), "/dev/zero".as_ref()] {
        for command in [&["check"][..], &["fix"], &["fix", "--from", "latin1"], &["inspect"]] {
            if input.starts_with("/dev") && command != ["check"] && command != ["fix"] {
                // These commands read their input twice, so they would copy it until the disk is
                // full.
                continue;
            }
            // If a shell runs the tests in the background, they ignore the signal, and the command
            // would inherit that.
            let mut child = Command::new("env")
                .arg("--default-signal=INT")
                .arg(cargo_bin!("trust8"))
                .args(command)
                .arg(input)
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            wait_until_ready(&mut child);
            let start = Instant::now();
            signal(&child, "INT");
            // If the command does not end, the test still has to.
            while child.try_wait().unwrap().is_none() && start.elapsed() < Duration::from_secs(10) {
                std::thread::sleep(Duration::from_millis(5));
            }
            if child.try_wait().unwrap().is_none() {
                child.kill().unwrap();
            }
            let output = child.wait_with_output().unwrap();
            assert_eq!(output.status.signal(), Some(2), "{command:?} {input:?}");
            assert!(output.stderr.is_empty());
        }
    }
}

/// `nohup` starts a program with a signal ignored, and so does a script that runs it in the
/// background.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_that_was_ignored_at_the_start_stays_ignored() {
    let script = format!("trap '' INT HUP; exec {} /dev/zero", cargo_bin!("trust8").display());
    let mut child = Command::new("sh").args(["-c", &script]).spawn().unwrap();
    wait_until_ready(&mut child);
    signal(&child, "INT");
    signal(&child, "HUP");
    std::thread::sleep(Duration::from_millis(150));
    assert!(child.try_wait().unwrap().is_none());
    signal(&child, "TERM");
    assert!(!child.wait().unwrap().success());
}

/// A signal removes the file that was being written.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_leaves_no_temporary_file() {
    use std::os::unix::process::ExitStatusExt;

    let folder = Folder::new();
    let mut child = Command::new(cargo_bin!("trust8"))
        .args(["fix", "-o", "out"])
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    // Waiting for a child closes its input if this is dropped, and then the command might end
    // before the signal comes.
    let mut input = child.stdin.take().unwrap();
    input.write_all(&b"text \xFF".repeat(1000)).unwrap();
    // Where the system can, the new file has no name before it is complete. Elsewhere it may exist
    // already, but not yet be in the list of files to remove.
    wait_until_ready(&mut child);
    std::thread::sleep(Duration::from_millis(300));
    signal(&child, "TERM");
    assert_eq!(child.wait().unwrap().signal(), Some(15));
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}

/// While a thread shortens, rewrites and removes a file, the command reads it without crashing.
#[cfg(unix)]
#[test]
fn a_file_that_changes_while_it_is_read_causes_no_crash() {
    use std::sync::atomic::{AtomicBool, Ordering};

    let folder = Folder::new();
    let path = folder.at("f");
    let content = "日本語 text\n".repeat(2_000_000);
    // Large enough to be validated in pieces.
    assert!(content.len() > 16 << 20);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut len = content.len();
            while !stop.load(Ordering::Relaxed) {
                // The command may have the file open while it gets shorter, disappears and comes
                // back.
                let file =
                    fs::OpenOptions::new().create(true).truncate(false).write(true).open(&path).unwrap();
                if len < 4096 {
                    fs::remove_file(&path).unwrap();
                    len = content.len();
                    continue;
                }
                if file.metadata().unwrap().len() == 0 {
                    (&file).write_all(content.as_bytes()).unwrap();
                }
                file.set_len(len as u64).unwrap();
                len = len / 3 + 1;
                std::thread::sleep(Duration::from_millis(3));
            }
        });
        let mut codes = std::collections::BTreeSet::new();
        for i in 0..60 {
            let threads = ["1", "2", "4"][i % 3];
            let output =
                Command::new(cargo_bin!("trust8")).args(["-sj", threads]).arg(&path).output().unwrap();
            let code = output.status.code();
            assert!(
                matches!(code, Some(0..=2)),
                "{:?} {}",
                output.status,
                String::from_utf8_lossy(&output.stderr)
            );
            assert!(!String::from_utf8_lossy(&output.stderr).contains("panic"));
            codes.insert(code);
        }
        stop.store(true, Ordering::Relaxed);
        eprintln!("exit codes: {codes:?}");
    });
}

/// The content of a file is what can be read from it, whatever its length says.
#[cfg(unix)]
#[test]
fn a_file_is_read_to_its_end_whatever_its_length_says() {
    // The length of files in `/proc` is 0, but there is something to read.
    if cfg!(target_os = "linux") {
        trust8().arg("/proc/cpuinfo").assert().code(0);
        trust8().args(["-s", "/proc/cpuinfo"]).assert().code(0).stderr(contains("bytes       0 in").not());
    }
}

/// Offsets, lines and columns can be beyond 4 GiB, and the memory does not grow with the file.
#[cfg(target_os = "linux")]
#[test]
fn a_file_of_more_than_4_gib_is_read_to_its_end() {
    use std::os::unix::fs::FileExt;

    // Reading a hole leaves no pages in memory here, which is much faster.
    let memory = std::path::Path::new("/dev/shm");
    let folder = if memory.is_dir() { Folder::inside(memory) } else { Folder::new() };
    let path = folder.at("sparse");
    let file = fs::File::create(&path).unwrap();
    let len: u64 = (4 << 30) + (4 << 20);
    if file.set_len(len).is_err() {
        return crate::folder::skip("no file of 4 GiB fits here, not even an empty one");
    }
    // There are holes before, between and after these bytes.
    file.write_all_at("\né".as_bytes(), len - (1 << 20)).unwrap();
    // One process at a time, because the other tests need the CPU too.
    let limited = |args: &str| {
        let script =
            format!("ulimit -v 1000000; exec {} {args} {}", cargo_bin!("trust8").display(), path.display());
        Command::new("sh").args(["-c", &script]).output().unwrap()
    };
    let output = limited("-q");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    file.write_all_at(b"\xFF", len - 1).unwrap();
    let output = limited("-f short");
    let expected = format!("{}:2:{}: byte {}: ", path.display(), (1 << 20) - 2, len - 1);
    assert!(
        String::from_utf8_lossy(&output.stdout).starts_with(&expected),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
}

/// `trust8 FILES... | head -1` must not panic.
#[test]
fn a_broken_pipe_ends_the_command_quietly() {
    let folder = Folder::new();
    let bad = folder.file("bad", b"\xFF\n".repeat(50_000));
    for format in ["human", "short", "json", "jsonl"] {
        for threads in ["1", "2"] {
            // The output is longer than the command's buffer and the pipe, whose reader is gone.
            let mut child = Command::new(cargo_bin!("trust8"))
                .args(["--all", "-f", format, "-j", threads])
                .args(std::iter::repeat_n(&bad, 20))
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            drop(child.stdout.take());
            let output = child.wait_with_output().unwrap();
            assert_eq!(String::from_utf8_lossy(&output.stderr), "");
            assert_eq!(output.status.code(), Some(1));
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn if_the_output_cannot_be_written_the_exit_code_is_2() {
    let folder = Folder::new();
    let bad = folder.file("bad", b"\xFF");
    for command in [&["check"][..], &["fix"], &["inspect"], &["kernels"], &["--generate", "man"]] {
        let mut program = Command::new(cargo_bin!("trust8"));
        program.args(command);
        if command.len() == 1 && command[0] != "kernels" {
            program.arg(&bad);
        }
        let output =
            program.stdout(fs::OpenOptions::new().write(true).open("/dev/full").unwrap()).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        let last = error.lines().last().unwrap();
        assert!(last.starts_with("trust8: standard output: No space left"), "{command:?} {error}");
        assert_eq!(output.status.code(), Some(2));
    }
}

/// If standard error is closed too, the exit code still reports the error.
#[test]
fn a_closed_standard_error_is_no_panic() {
    let folder = Folder::new();
    let mut child = Command::new(cargo_bin!("trust8"))
        .arg("-")
        .arg(folder.at("missing"))
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stderr.take());
    // The command still waits for its standard input, so it reports the error after standard error
    // was closed.
    child.stdin.take().unwrap().write_all(b"fine").unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(2));
}

/// With a limit on the size of files, writing fails as on a full disk. The old file stays, and no
/// other is left.
#[cfg(target_os = "linux")]
#[test]
fn if_the_new_file_grows_too_large_the_old_file_stays() {
    let folder = Folder::new();
    let content = b"text \xFF".repeat(200_000);
    folder.file("f", &content);
    // The limit is 100 blocks of 512 bytes. The command inherits the trap, so it ignores the signal
    // that would end it.
    let script = format!(
        "trap '' XFSZ; ulimit -f 100; exec {} fix -iq --replace --backup f",
        cargo_bin!("trust8").display()
    );
    let output = Command::new("sh").args(["-c", &script]).current_dir(folder.path()).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.starts_with("trust8: f: could not be written, and is unchanged: "), "{error}");
    assert_eq!(output.status.code(), Some(2));
    assert!(fs::read(folder.at("f")).unwrap() == content);
    assert_eq!(folder.names(), ["f"]);
}

/// The same on a disk that is really full. Only root can mount one.
#[cfg(target_os = "linux")]
#[test]
fn if_the_disk_is_full_the_old_file_stays() {
    let folder = Folder::new();
    let disk = folder.at("disk");
    fs::create_dir(&disk).unwrap();
    let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=1m", "tmpfs"]).arg(&disk).output();
    if !mounted.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: no disk can be mounted here");
        return;
    }
    let content = b"text \xFF".repeat(100_000);
    let run = || -> std::io::Result<()> {
        fs::write(disk.join("f"), &content)?;
        let output = trust8().args(["fix", "-i", "--replace"]).arg(disk.join("f")).output()?;
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains("No space left"));
        assert!(fs::read(disk.join("f"))? == content);
        assert_eq!(fs::read_dir(&disk)?.count(), 1);
        Ok(())
    };
    let result = std::panic::catch_unwind(run);
    assert!(Command::new("umount").arg(&disk).status().unwrap().success());
    result.unwrap().unwrap();
}
