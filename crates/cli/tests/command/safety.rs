//! Tests that the command destroys nothing by default, that backups are kept and restored, and that
//! it does not report success for what it has not looked at.

use std::fs;
use std::process::{Command, Stdio};

use crate::folder::{Folder, stderr, stdout, trust8};
use assert_cmd::cargo::cargo_bin;
use predicates::prelude::*;
use predicates::str::{contains, is_empty};

const BROKEN: &str = "na\u{ef}ve caf\u{e9} ";

/// Text in UTF-8 with an error.
fn broken() -> Vec<u8> {
    [BROKEN.as_bytes(), b"\xFF\n"].concat()
}

/// All these were rewritten, with exit code 0 and without a word.
#[test]
fn what_is_not_utf8_with_errors_is_left_alone() {
    let folder = Folder::new();
    let japanese = "これは日本語のテキストです。文字コードを調べています。".repeat(15);
    let (shift_jis, ..) = encoding_rs::SHIFT_JIS.encode(&japanese);
    let (koi8, ..) = encoding_rs::KOI8_U.encode("Съешь же ещё этих мягких французских булок, да выпей чаю.");
    let utf16: Vec<u8> =
        [0xFEFF].into_iter().chain("Größe\n".encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let late = [&"é text\n".repeat(100_000).into_bytes()[..], b"\xFF\0"].concat();
    let controls = [BROKEN.as_bytes(), b"\xFF \x01\x02"].concat();
    // The lines in windows-1252 are as clear as can be, but a NUL among them says that this may be binary.
    let (line, ..) = encoding_rs::WINDOWS_1252.encode("Grüße aus München, straße, hören und grüßen\n");
    let records = ["Größe\n".repeat(2000).as_bytes(), &line.repeat(3), b"\0\x03\n", &line].concat();
    for (content, why) in [
        (&*shift_jis, "looks like shift_jis; --from shift_jis converts it, --replace replaces "),
        (&*koi8, "looks like koi8-u; --from koi8-u converts it, --replace replaces "),
        (
            &utf16,
            "begins with the byte order mark of utf-16le; --from utf-16le converts it, --replace replaces ",
        ),
        (b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR\xFF", "looks like a PNG image; --replace replaces 2 sequences"),
        (b"\x85\x01\x0C\x03\x99\xAA\xBB", "looks like an OpenPGP message; "),
        (b"BZh91AY&SY\xC6\xC0", "looks like a bzip2 archive; "),
        (b"%PDF-1.4\n%\xE2\xE3\xCF\xD3\n", "looks like a PDF document; "),
        (b"P4\n8 2\n\xFF\x81", "looks like a PBM image; "),
        (&late, "1 invalid sequence; "),
        (&controls, "1 invalid sequence; "),
        (&records, "28 invalid sequences; --invalid-as windows-1252 decodes 28"),
    ] {
        let folder = &folder;
        folder.file("d/f", content);
        folder.file("list", "d/f\n");
        let fix = |args: &[&str]| folder.trust8().args(["fix"]).args(args).assert();
        for args in
            [&["-i", "d/f"][..], &["-i", "--files-from", "list"], &["--check", "d/f"], &["d/f", "-o", "d/f"]]
        {
            fix(args)
                .code(1)
                .stdout(is_empty())
                .stderr(contains(format!("trust8: d/f: left alone: {why}")).or(contains(why)));
            assert!(fs::read(folder.at("d/f")).unwrap() == content, "{why} {args:?}");
        }
        // In a folder, a file is skipped if it is binary for Git.
        fix(&["-i", "d"]);
        assert!(fs::read(folder.at("d/f")).unwrap() == content, "{why}");
        // With a policy, it is rewritten.
        fix(&["-i", "--replace", "d/f"]).code(0);
        assert!(fs::read(folder.at("d/f")).unwrap() != content, "{why}");
    }
    folder.file("f", &shift_jis);
    folder.trust8().args(["fix", "-i", "--from", "shift_jis", "f"]).assert().code(0);
    assert_eq!(fs::read_to_string(folder.at("f")).unwrap(), japanese);
    folder.file("f", b"caf\xE9");
    let json = folder.trust8().args(["fix", "-i", "--json", "f"]).assert().code(1);
    assert!(stdout(&json).contains(r#""status":"left alone""#), "{}", stdout(&json));
}

/// Without an option, letters of a mixed file became U+FFFD, with exit code 0; and to standard
/// output those of every other file did, without a word.
#[test]
fn without_an_option_nothing_is_replaced_or_dropped() {
    let folder = Folder::new();
    let (cyrillic, ..) = encoding_rs::WINDOWS_1251.encode("Съешь же ещё этих мягких французских булок\n");
    let mixed = ["Съешь же ещё этих булок\n".repeat(18).as_bytes(), &cyrillic, &cyrillic].concat();
    let latin1 = b"sch\xF6ne Gr\xFC\xDFe aus M\xFCnchen\n";
    let in_turns = ["schöne Grüße\n".as_bytes(), latin1].concat().repeat(10);
    let cyrillic_text =
        "Съешь же ещё этих булок\n".repeat(18) + &"Съешь же ещё этих мягких французских булок\n".repeat(2);
    let german_text = "schöne Grüße\nschöne Grüße aus München\n".repeat(10);
    let (cyrillic_text, german_text) = (cyrillic_text.into_bytes(), german_text.into_bytes());
    let images = [b"\xFF\xD8\xFF\xE0 JFIF \xFF\xFE", &b"%PDF-1.4\n%\xE2\xE3\xCF\xD3\n"[..]];
    for content in
        [&mixed[..], latin1, &in_turns, b"log \xFF\n", "cut 日本\u{65e5}".as_bytes().split_last().unwrap().1]
            .into_iter()
            .chain(images)
    {
        folder.file("f", content);
        for args in [&["f"][..], &["-"], &["f", "-o", "out"], &["-i", "f"], &["-iq", "--unmojibake", "f"]] {
            let fix = folder.trust8().arg("fix").args(args).write_stdin(content).assert();
            let code = fix.get_output().status.code();
            let result = match args {
                [.., "out"] => fs::read(folder.at("out")).unwrap(),
                ["f" | "-"] => fix.get_output().stdout.clone(),
                _ => fs::read(folder.at("f")).unwrap(),
            };
            let said = stderr(&fix);
            if code == Some(0) {
                // All lines are decoded, and right.
                assert!(content == mixed || content == in_turns, "{args:?} {said}");
                assert!(
                    content == mixed && result == cyrillic_text || result == german_text,
                    "{args:?} {said}"
                );
                folder.file("f", content);
                continue;
            }
            assert!(result == content, "{args:?} {said}");
            assert_eq!(code, Some(1), "{args:?} {said}");
            assert!(said.contains("left alone: ") && said.contains("--replace replaces "), "{args:?} {said}");
        }
    }
}

#[test]
fn in_place_reports_each_file_and_how_many() {
    let folder = Folder::new();
    folder.file("d/bad", broken());
    folder.file("d/fine", "fine");
    folder.file("d/latin1", b"un caf\xE9, une gar\xE7on");
    let fix = |args: &[&str]| folder.trust8().args(["fix", "-i", "d"]).args(args).assert().code(1);
    assert_eq!(
        stderr(&fix(&[])),
        "trust8: d/bad: left alone: 1 invalid sequence; --invalid-as ENCODING decodes them, --replace replaces 1\n\
         trust8: d/latin1: left alone: looks like windows-1252; --from windows-1252 converts it, --replace replaces 2 \
         sequences\n\
         trust8: 0 changed, 1 unchanged, 2 left alone, 0 not convertible, 0 failed\n"
    );
    folder.file("d/bad", broken());
    assert!(stderr(&fix(&["-q"])).lines().all(|line| line.contains(": left alone: ")));
    // A dry run of the same command says the same.
    folder.file("d/bad", broken());
    for option in ["--check", "-n", "--dry-run"] {
        fix(&[option]).stderr(contains("d/bad: left alone").and(contains("d/latin1: left alone")));
    }
    assert_eq!(fs::read(folder.at("d/bad")).unwrap(), broken());
}

#[test]
fn named_binary_files_are_skipped_if_asked_for() {
    let folder = Folder::new();
    folder.file("binary", b"\0\xFF");
    folder.file("bad", b"\xFF");
    let check = |args: &[&str]| folder.trust8().args(["-l", "binary", "bad"]).args(args).assert().code(1);
    check(&[]).stdout("binary\nbad\n");
    check(&["--skip-binary"]).stdout("bad\n");
}

/// The second run repaired the backup of a file whose name is not UTF-8. What has the name of a folder with `~`, no backup, was
/// left out.
#[cfg(target_os = "linux")]
#[test]
fn a_backup_is_known_by_any_name() {
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new();
    let name = |name: &[u8]| folder.path().join(std::ffi::OsStr::from_bytes(name));
    fs::write(name(b"n\xFF"), broken()).unwrap();
    folder.file("d/f", "");
    folder.file("d~", broken());
    for option in ["--backup", "-q"] {
        folder.trust8().args(["fix", "-i", "--replace", option, "."]).assert().code(0);
    }
    assert_eq!(fs::read(name(b"n\xFF~")).unwrap(), broken());
    assert_eq!(fs::read(name(b"d~~")).unwrap(), broken());
}

/// The file of another program that had the name of a backup was replaced, and a second run made
/// backups of backups.
#[test]
fn a_backup_is_never_overwritten_and_not_searched() {
    let folder = Folder::new();
    let fix = |args: &[&str]| folder.trust8().args(["fix", "-i", "--replace", "d"]).args(args).assert();
    for (suffix, option) in [("~", "--backup"), (".orig", "--backup=.orig")] {
        let backup = format!("d/f{suffix}");
        folder.file("d/f", broken());
        folder.file(&backup, "somebody's");
        fix(&[option]).code(2).stderr(contains(format!("there is a file f{suffix} already")));
        assert_eq!(fs::read(folder.at("d/f")).unwrap(), broken());
        assert_eq!(fs::read_to_string(folder.at(&backup)).unwrap(), "somebody's");
        assert_eq!(fs::read_dir(folder.at("d")).unwrap().count(), 2, "nothing is left");
        fs::remove_file(folder.at(&backup)).unwrap();
        for _ in 0..2 {
            fix(&[option]).code(0);
            assert_eq!(fs::read(folder.at(&backup)).unwrap(), broken());
            assert_eq!(fs::read_dir(folder.at("d")).unwrap().count(), 2);
        }
        if suffix == "~" {
            folder.trust8().args(["-l", "d"]).assert().code(0).stdout(is_empty());
        }
        fs::remove_file(folder.at(&backup)).unwrap();
    }
    // Without the file, it is no backup.
    folder.file("e/g~", b"\xFF");
    folder.trust8().args(["-l", "e"]).assert().code(1).stdout("e/g~\n");
}

#[test]
fn undo_restores_what_was_repaired() {
    let folder = Folder::new();
    for name in ["d/a", "d/e/b", "f"] {
        folder.file(name, broken());
    }
    folder.file("d/fine", "fine");
    let undo = |args: &[&str]| folder.trust8().args(["fix", "--undo"]).args(args).assert();
    folder.trust8().args(["fix", "-i", "--replace", "--backup", "d"]).assert().code(0);
    folder.trust8().args(["fix", "-i", "--replace", "--backup=.orig", "f"]).assert().code(0);
    let assert = undo(&["d"]).code(0).stdout(is_empty());
    let said = "trust8: d/a: restored from d/a~\ntrust8: d/e/b: restored from d/e/b~\ntrust8: 2 restored, 0 failed\n";
    assert_eq!(stderr(&assert), said);
    for name in ["d/a", "d/e/b"] {
        assert_eq!(fs::read(folder.at(name)).unwrap(), broken());
    }
    assert_eq!(fs::read_dir(folder.at("d")).unwrap().count(), 3);
    undo(&["f"]).code(2).stderr(contains("f: there is no backup f~\n"));
    undo(&["--backup=.orig", "-q", "f"]).code(0).stderr(is_empty());
    assert_eq!(fs::read(folder.at("f")).unwrap(), broken());
    // What was written after the repair is not thrown away.
    folder.trust8().args(["fix", "-i", "--replace", "--backup", "f"]).assert().code(0);
    std::thread::sleep(std::time::Duration::from_millis(50));
    fs::write(folder.at("f"), "edited").unwrap();
    undo(&["f"]).code(2).stderr(contains("f: left alone: it has been written to since it was repaired\n"));
    assert_eq!(fs::read_to_string(folder.at("f")).unwrap(), "edited");
}

/// The content of what `mv` and `cp -p` put there is older than the repair. Undoing threw it away.
#[cfg(unix)]
#[test]
fn undo_leaves_what_has_taken_the_place_of_a_repaired_file() {
    let folder = Folder::new();
    folder.file("f", broken());
    folder.file("other", "precious");
    std::thread::sleep(std::time::Duration::from_millis(50));
    folder.trust8().args(["fix", "-i", "--replace", "--backup", "f"]).assert().code(0);
    std::thread::sleep(std::time::Duration::from_millis(50));
    fs::rename(folder.at("other"), folder.at("f")).unwrap();
    let undo = folder.trust8().args(["fix", "--undo", "f"]).assert();
    undo.code(2).stderr(contains("f: left alone: it has been written to since it was repaired\n"));
    assert_eq!(fs::read_to_string(folder.at("f")).unwrap(), "precious");
}

/// `cp -a` and `chmod` give a backup a later time than the last change of the file. Undoing then
/// threw that change away.
#[cfg(unix)]
#[test]
fn undo_leaves_files_alone_whose_backups_have_a_later_time() {
    let folder = Folder::new();
    folder.file("f", broken());
    folder.trust8().args(["fix", "-i", "--replace", "--backup", "f"]).assert().code(0);
    fs::write(folder.at("f"), "edited").unwrap();
    let before = std::time::SystemTime::now() - std::time::Duration::from_secs(120);
    fs::File::options().write(true).open(folder.at("f")).unwrap().set_modified(before).unwrap();
    let undo = folder.trust8().args(["fix", "--undo", "f"]).assert();
    undo.code(2).stderr(contains("f: left alone: its backup was changed or copied later"));
    assert_eq!(fs::read_to_string(folder.at("f")).unwrap(), "edited");
    assert_eq!(fs::read(folder.at("f~")).unwrap(), broken());
}

/// A hard link to the old file stayed for ever if the backup could not get its name, or the program
/// was killed.
#[cfg(target_os = "linux")]
#[test]
fn the_link_for_a_backup_is_removed() {
    let folder = Folder::new();
    let unfinished = ".trust8-af63db4c8601ead9.tmp~";
    folder.file("f", broken());
    fs::create_dir(folder.at("f~")).unwrap();
    folder.trust8().args(["fix", "-i", "--replace", "--backup", "f"]).assert().code(2);
    assert_eq!(folder.names(), ["f", "f~"]);
    for content in [&broken()[..], b"fine"] {
        folder.file("f", content);
        fs::hard_link(folder.at("f"), folder.at(unfinished)).unwrap();
        folder.trust8().args(["fix", "-i", "--replace", "f"]).assert().code(0);
        assert_eq!(folder.names(), ["f", "f~"]);
    }
}

/// Where there can be no hard link, a backup is a copy. A part of it stayed if the disk was full:
/// here, if a file may have 1 KiB. The name of the new file is a link, too.
#[cfg(target_os = "linux")]
#[test]
fn a_backup_that_does_not_fit_is_removed() {
    let folder = Folder::new();
    let old = [vec![b'a'; 500], vec![0xFF; 2000]].concat();
    folder.file("f", &old);
    let script = format!(
        "trap '' XFSZ; ulimit -f 2; exec strace -qq -o /dev/null -e inject=linkat:error=EPERM:when=2+ {} fix -i \
         --drop --backup f",
        cargo_bin!("trust8").display()
    );
    if Command::new("strace").arg("-V").output().is_err() {
        return crate::folder::skip("there is no strace");
    }
    let output = Command::new("sh").args(["-c", &script]).current_dir(folder.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stderr).contains("File too large"), "{output:?}");
    assert_eq!(folder.names(), ["f"]);
    assert_eq!(fs::read(folder.at("f")).unwrap(), old);
}

/// Between the search of a folder and the opening of a file, another program replaces the file or a
/// folder above it. strace delays the opening. The command followed the link, and rewrote a file
/// outside of the folder.
#[cfg(target_os = "linux")]
#[test]
fn a_link_that_appears_during_the_search_is_not_followed() {
    for (what, link) in [("tree/e/f", "../../outside/f"), ("tree/e", "../outside")] {
        let folder = Folder::new();
        folder.file("tree/e/f", broken());
        let victim = folder.file("outside/f", broken());
        let mut child = match Command::new("strace")
            .args(["-f", "-qq", "-o", "trace", "-e", "trace=openat", "-P"])
            .args([what, "-P", "f", "-P", "e"])
            .args(["--inject=openat:delay_enter=700000"])
            .arg(cargo_bin!("trust8"))
            .args(["-j1", "fix", "-i", "--replace", "tree"])
            .current_dir(folder.path())
            .stderr(Stdio::null())
            .spawn()
        {
            Ok(child) => child,
            Err(error) => return crate::folder::skip(&format!("strace: {error}")),
        };
        std::thread::sleep(std::time::Duration::from_millis(500));
        fs::rename(folder.at(what), folder.at("away")).unwrap();
        std::os::unix::fs::symlink(link, folder.at(what)).unwrap();
        child.wait().unwrap();
        assert_eq!(fs::read(&victim).unwrap(), broken(), "{what}");
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_is_refused_at_once_in_place() {
    let folder = Folder::new();
    assert!(Command::new("mkfifo").arg(folder.at("fifo")).status().unwrap().success());
    for args in [&["fix", "-i", "fifo"][..], &["convert", "-i", "--to", "utf-16le", "fifo"]] {
        let assert = folder.trust8().args(args).timeout(std::time::Duration::from_secs(20)).assert();
        assert.code(2).stderr(contains("fifo: is not a regular file"));
    }
}

/// A large file is read by several threads. The program panicked where they could not be started:
/// here, for lack of memory for their stacks. Later, threads took all memory, and it was aborted.
#[cfg(target_os = "linux")]
#[test]
fn without_threads_a_large_file_is_checked_by_one() {
    let folder = Folder::new();
    folder.file("f", vec![b'a'; 17 << 20]);
    for limit in [150_000, 400_000, 600_000, 800_000] {
        let script = format!("ulimit -v {limit}; exec {} -j1024 f .", cargo_bin!("trust8").display());
        let output = Command::new("sh").args(["-c", &script]).current_dir(folder.path()).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{limit} {}", String::from_utf8_lossy(&output.stderr));
    }
}

/// The messages of the parser of the command line repeat what is wrong in it.
#[test]
fn words_of_the_command_line_do_no_harm() {
    let harm = "\u{1B}]0;title\u{7}\u{9B}31m\u{202E}\u{2066}";
    let help = stdout(&trust8().args(["fix", "--help"]).assert().code(0))
        + &stdout(&trust8().args(["check", "--help"]).assert().code(0))
        + &stdout(&trust8().args(["convert", "--help"]).assert().code(0));
    let options = help.split_whitespace().filter(|word| word.starts_with("--"));
    let options: std::collections::BTreeSet<_> = options
        .map(|word| word.trim_end_matches(|c: char| !c.is_alphanumeric()))
        .map(str::to_owned)
        .collect();
    assert!(options.len() > 30, "{options:?}");
    let lines = options.iter().flat_map(|option| {
        let option = option.split(['=', '[']).next().unwrap();
        ["check", "fix", "convert"]
            .map(|command| vec![command.to_owned(), format!("{option}={harm}"), "none".to_owned()])
    });
    let others = [format!("--{harm}"), format!("-{harm}"), format!("-m={harm}"), format!("--threads={harm}")];
    for line in lines.chain(others.map(|word| vec![word])) {
        for color in ["never", "always"] {
            let assert = trust8()
                .env("CLICOLOR_FORCE", "1")
                .args(&line)
                .args(["--color", color])
                .write_stdin("")
                .assert();
            for bytes in [&assert.get_output().stdout, &assert.get_output().stderr] {
                let text = String::from_utf8_lossy(bytes).into_owned();
                let is_harmful = |c: char| matches!(c, '\u{7}' | '\u{9B}' | '\u{202E}' | '\u{2066}');
                assert!(!text.contains(is_harmful) && !text.contains("\u{1B}]"), "{line:?} {text:?}");
            }
        }
    }
}

/// Jobs of cron and of CI have the null device as standard input. Nothing was checked there, and
/// all was well.
#[cfg(unix)]
#[test]
fn without_a_path_the_null_device_is_not_read() {
    let folder = Folder::new();
    folder.file("bad", b"\xFF");
    let run = |args: &[&str]| {
        let mut command = Command::new(cargo_bin!("trust8"));
        let output = command.args(args).current_dir(folder.path()).stdin(Stdio::null()).output().unwrap();
        (output.status.code().unwrap(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
    };
    assert_eq!(run(&["-l"]), (1, "bad\n".to_owned()));
    assert_eq!(run(&["-l", "-"]), (0, String::new()));
    for args in [&["fix"][..], &["fix", "--check"], &["inspect"], &["convert", "--to", "utf-8"]] {
        let (code, text) = run(args);
        assert_eq!(code, 2, "{text}");
        assert!(text.contains("no file is named, and standard input is the null device"), "{text}");
    }
}

#[test]
fn a_dash_in_a_list_is_a_file() {
    let folder = Folder::new();
    folder.file("-", b"\xFF");
    folder.file("list", "-\r\n");
    folder.trust8().args(["-l", "--files-from", "list"]).write_stdin("").assert().code(1).stdout("./-\n");
}

/// The recipe in the README finds, shows, repairs and restores.
#[cfg(unix)]
#[test]
fn the_recipe_for_a_tree_works() {
    let readme = include_str!("../../README.md");
    let (_, section) = readme.split_once("### A tree of many files\n\n```sh\n").unwrap();
    let lines: Vec<_> = section.split_once("```").unwrap().0.lines().collect();
    let folder = Folder::new();
    let old = b"sch\xF6ne Gr\xFC\xDFe aus M\xFCnchen\n";
    // One in twenty of 3,000 files is old.
    let olds = 15;
    for i in 0..10 {
        fs::create_dir(folder.at(&i.to_string())).unwrap();
        for j in 0..olds {
            fs::write(folder.at(&format!("{i}/old-{j}")), old).unwrap();
        }
        for j in 0..19 * olds {
            fs::write(folder.at(&format!("{i}/new-{j}")), "schöne Grüße\n").unwrap();
        }
    }
    folder.file("keys", b"\x89\x01\xFF\x02\xC0\x07\xFE\x03\x90\n");
    let run = |line: &str| {
        let trust8 = cargo_bin!("trust8").display().to_string();
        let line = line.replace("trust8", &trust8).replace("| less", "| cat");
        let mut shell = Command::new("sh");
        let output = shell.args(["-c", &line]).current_dir(folder.path()).stdin(Stdio::null()).output();
        String::from_utf8_lossy(&output.unwrap().stdout).into_owned()
    };
    let [count, look, diff, repair, rest, undo] = lines[..] else { panic!("{lines:?}") };
    assert_eq!(run(count).trim(), format!("{}", 10 * olds + 1));
    assert_eq!(run(look).lines().count(), 10);
    assert_eq!(run(diff).matches("+schöne Grüße aus München").count(), 10 * olds);
    run(repair);
    assert_eq!(fs::read_to_string(folder.at("0/old-0")).unwrap(), "schöne Grüße aus München\n");
    assert!(folder.at("0/old-0~").exists());
    let rest = run(rest);
    assert!(rest.starts_with("./keys:1:1: ") && !rest.contains("old-"), "{rest}");
    run(undo);
    assert_eq!(fs::read(folder.at("0/old-0")).unwrap(), old);
    assert_eq!(run(count).trim(), format!("{}", 10 * olds + 1));
}
