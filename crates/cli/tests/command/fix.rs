//! Tests `trust8 fix`.

use std::fs;

use crate::folder::{Folder, stderr, stdout, trust8};
use predicates::prelude::*;
use predicates::str::{contains, is_empty};

const BROKEN: &[u8] = b"na\xC3\xAFve \xC0\xAF \xE2\x82 caf\xE9";

#[test]
fn invalid_sequences_are_replaced_left_out_or_escaped() {
    let folder = Folder::new();
    folder.file("f", BROKEN);
    for (option, expected) in [
        (Some("--replace"), "naïve \u{FFFD}\u{FFFD} \u{FFFD} caf\u{FFFD}"),
        (Some("--drop"), "naïve   caf"),
        // Other programs have these names for it.
        (Some("--skip"), "naïve   caf"),
        (Some("--ignore"), "naïve   caf"),
        (Some("--escape"), "naïve \\xC0\\xAF \\xE2\\x82 caf\\xE9"),
    ] {
        let fix = || {
            let mut command = folder.trust8();
            command.arg("fix").args(option);
            command
        };
        fix().arg("f").assert().code(0).stdout(expected).stderr(is_empty());
        // A stream is repaired in the same way.
        fix().write_stdin(BROKEN).assert().code(0).stdout(expected);
    }
    assert_eq!(fs::read(folder.at("f")).unwrap(), BROKEN);
}

/// The input is longer than what is read at once.
#[test]
fn replacement_agrees_with_lossy_decoding_of_the_standard_library() {
    let mut content = "aé日😀".repeat(60_000).into_bytes();
    let mut at = 0;
    for (i, byte) in [0xFF, 0xC0, 0xED, 0x80, 0xF4, 0xE2].into_iter().cycle().take(400).enumerate() {
        at += i * i % 2311 + 1;
        content[at] = byte;
    }
    let expected = String::from_utf8_lossy(&content).into_owned();
    assert!(expected.len() > 600_000);
    for kernel in trust8::Kernel::available() {
        trust8()
            .args(["fix", "--replace", "--kernel", kernel.name()])
            .write_stdin(content.clone())
            .assert()
            .code(0)
            .stdout(expected.clone());
    }
}

#[test]
fn encodings_of_the_web_and_dialects_of_utf8_are_converted() {
    let folder = Folder::new();
    for (label, bytes, expected) in [
        ("windows-1252", &b"\x80uro caf\xE9"[..], "€uro café"),
        ("latin1", b"caf\xE9", "café"),
        ("shift_jis", b"\x93\xFA\x96{", "日本"),
        ("euc-kr", b"\xC7\xD1", "한"),
        ("koi8-r", b"\xF4\xC5\xD3\xD4", "Тест"),
        ("utf-16le", b"\xFF\xFEa\0\xE9\0", "aé"),
        ("cesu-8", b"x\xED\xA0\xBD\xED\xB8\x80", "x😀"),
        ("mutf-8", b"x\xC0\x80\xED\xA0\xBD\xED\xB8\x80", "x\0😀"),
        ("auto", b"x\xED\xA0\xBD\xED\xB8\x80", "x😀"),
        ("auto", b"\xFE\xFF\0a\0\xE9", "aé"),
        ("auto", b"\xFF\xFE\0\0a\0\0\0\xE9\0\0\0", "aé"),
        ("utf-32be", b"\0\0\0a\0\0\0\xE9", "aé"),
        ("auto", b"Gr\xFC\xDFe aus M\xFCnchen und sch\xF6nes Wetter", "Grüße aus München und schönes Wetter"),
    ] {
        folder.file("f", bytes);
        let fix = || {
            let mut command = folder.trust8();
            command.args(["fix", "--from", label]);
            command
        };
        fix().arg("f").assert().code(0).stdout(expected);
        fix().write_stdin(bytes).assert().code(0).stdout(expected);
    }
}

#[test]
fn a_guess_is_reported_and_with_verbose_everything_is() {
    let folder = Folder::new();
    let auto = |bytes: &[u8]| {
        folder.file("f", bytes);
        stderr(&folder.trust8().args(["fix", "--from", "auto", "f"]).assert().code(0))
    };
    assert_eq!(auto(b"x\xED\xA0\xBD\xED\xB8\x80"), "trust8: f: converted from cesu-8 (a guess)\n");
    assert_eq!(auto(b"\xFF\xFEa\0"), "trust8: f: converted from utf-16le (a guess)\n");
    assert_eq!(auto("schön".as_bytes()), "");
    folder.file("f", BROKEN);
    for (args, expected) in [
        (&["--replace"][..], "repaired, 4 invalid sequences replaced by U+FFFD"),
        (&["--drop"], "repaired, 4 invalid sequences dropped"),
        (&["--from", "latin1"], "converted from windows-1252"),
        (&["--from", "cesu-8", "--escape"], "converted from cesu-8, 4 invalid sequences escaped"),
    ] {
        let assert = folder.trust8().args(["fix", "-v", "f"]).args(args).assert().code(0);
        assert!(stderr(&assert).starts_with(&format!("trust8: f: {expected}")), "{}", stderr(&assert));
    }
}

#[test]
fn files_that_cannot_be_converted_stay_unchanged_and_the_exit_code_is_1() {
    let folder = Folder::new();
    for (label, bytes, why) in [
        ("shift_jis", &b"ok \x81 "[..], "byte 3: 81 is not valid Shift_JIS"),
        ("cesu-8", b"ok \xF0\x9F\x98\x80\xED\xA0\xBD\xED\xB8\x80", "byte 3: F0 9F 98 80 is not valid CESU-8"),
        ("wtf-8", b"ok \xED\xA0\x80!", "byte 3: ED A0 80 is U+D800 in WTF-8, which UTF-8 cannot encode"),
        (
            "rfc2279",
            b"\xF8\x88\x80\x80\x80",
            "byte 0: F8 88 80 80 80 is U+200000 in RFC 2279, which UTF-8 cannot encode",
        ),
        ("auto", b"\xFF\xFE\0\0\0\0\x11\0", "byte 4: 00 00 11 00 is not valid utf-32le"),
    ] {
        folder.file("f", bytes);
        folder
            .trust8()
            .args(["fix", "--in-place", "--from", label, "f"])
            .assert()
            .code(1)
            .stdout(is_empty())
            .stderr(contains(format!("trust8: f: {why}")));
        assert_eq!(fs::read(folder.at("f")).unwrap(), bytes);
        assert_eq!(folder.names(), ["f"]);
    }
    // With a remedy, the exit code is 0.
    folder.file("f", b"ok \xED\xA0\x80!");
    folder.trust8().args(["fix", "-i", "--from", "wtf-8", "--replace", "f"]).assert().code(0);
    assert_eq!(fs::read_to_string(folder.at("f")).unwrap(), "ok \u{FFFD}!");
}

#[test]
fn a_valid_file_is_never_changed() {
    let folder = Folder::new();
    let path = folder.file("f", "schön\n");
    let before = path.metadata().unwrap();
    for args in [&[][..], &["--from", "latin1"], &["--from", "auto"], &["--from", "cesu-8"], &["--backup"]] {
        folder
            .trust8()
            .args(["fix", "-iq", "f"])
            .args(args)
            .assert()
            .code(0)
            .stdout(is_empty())
            .stderr(is_empty());
        let after = path.metadata().unwrap();
        assert_eq!(after.modified().unwrap(), before.modified().unwrap());
        #[cfg(unix)]
        assert_eq!(std::os::unix::fs::MetadataExt::ino(&after), std::os::unix::fs::MetadataExt::ino(&before));
        assert_eq!(folder.names(), ["f"]);
    }
    folder.trust8().args(["fix", "f", "--from", "latin1"]).assert().code(0).stdout("schön\n");
    folder.trust8().args(["fix", "--from", "latin1"]).write_stdin("schön").assert().code(0).stdout("schön");
    // With --force it is converted. This file is ASCII as well as ISO-2022-JP.
    folder.file("f", b"\x1B$BF|\x1B(B");
    folder.trust8().args(["fix", "f", "--from", "iso-2022-jp", "--force"]).assert().code(0).stdout("日");
}

#[test]
fn in_place_keeps_permissions_and_a_backup() {
    let folder = Folder::new();
    folder.file("f", BROKEN);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(folder.at("f"), fs::Permissions::from_mode(0o640)).unwrap();
    }
    folder.trust8().args(["fix", "-iq", "--drop", "--backup=.old", "f"]).assert().code(0).stdout(is_empty());
    assert_eq!(fs::read_to_string(folder.at("f")).unwrap(), "naïve   caf");
    assert_eq!(fs::read(folder.at("f.old")).unwrap(), BROKEN);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        for name in ["f", "f.old"] {
            assert_eq!(folder.at(name).metadata().unwrap().permissions().mode() & 0o7777, 0o640);
        }
    }
    folder.file("g", BROKEN);
    folder.trust8().args(["fix", "-i", "--replace", "--backup", "g"]).assert().code(0);
    assert_eq!(fs::read(folder.at("g~")).unwrap(), BROKEN);
    assert_eq!(folder.names(), ["f", "f.old", "g", "g~"]);
}

/// Root can give files away, so if root repairs a file, its owner stays.
#[cfg(unix)]
#[test]
fn in_place_keeps_the_owner_if_it_can() {
    use std::os::unix::fs::{MetadataExt, chown};

    let folder = Folder::new();
    let path = folder.file("f", BROKEN);
    if chown(&path, Some(1234), Some(4321)).is_err() {
        return crate::folder::skip("only root can give files away");
    }
    folder.trust8().args(["fix", "-iq", "--replace", "f"]).assert().code(0);
    let metadata = path.metadata().unwrap();
    assert_eq!((metadata.uid(), metadata.gid()), (1234, 4321));
}

#[cfg(unix)]
#[test]
fn links_stay_links() {
    let folder = Folder::new();
    folder.file("d/f", BROKEN);
    std::os::unix::fs::symlink("d/f", folder.at("link")).unwrap();
    folder.trust8().args(["fix", "-i", "--drop", "link"]).assert().code(0);
    assert!(folder.at("link").is_symlink());
    assert_eq!(fs::read_to_string(folder.at("d/f")).unwrap(), "naïve   caf");
    folder.trust8().args(["fix", "-o", "link", "--drop"]).write_stdin("new").assert().code(0);
    assert!(folder.at("link").is_symlink());
    assert_eq!(fs::read_to_string(folder.at("d/f")).unwrap(), "new");
}

#[test]
fn folders_are_repaired_in_place() {
    let folder = Folder::new();
    for name in ["d/a", "d/e/b", "d/.hidden"] {
        folder.file(name, BROKEN);
    }
    folder.file("d/binary", b"\0\xFF");
    folder.file("d/fine", "fine");
    folder.trust8().args(["fix", "-iq", "--replace", "d"]).assert().code(0).stderr(is_empty());
    folder.trust8().args(["--list", "d"]).assert().code(0).stdout(is_empty());
    assert_eq!(fs::read(folder.at("d/.hidden")).unwrap(), BROKEN);
    assert_eq!(fs::read(folder.at("d/binary")).unwrap(), b"\0\xFF");
    folder.trust8().args(["fix", "d"]).assert().code(2).stderr(contains("only be fixed with --in-place"));
}

#[test]
fn output_goes_to_the_file_that_is_named() {
    let folder = Folder::new();
    folder.file("f", BROKEN);
    let fix = |args: &[&str]| folder.trust8().args(["fix", "--drop"]).args(args).write_stdin(BROKEN).assert();
    fix(&["f", "-o", "out"]).code(0).stdout(is_empty());
    assert_eq!(fs::read_to_string(folder.at("out")).unwrap(), "naïve   caf");
    // The output can be the input.
    fix(&["f", "-o", "f"]).code(0);
    assert_eq!(fs::read_to_string(folder.at("f")).unwrap(), "naïve   caf");
    // A valid file is copied.
    fix(&["f", "-o", "copy"]).code(0);
    assert_eq!(fs::read_to_string(folder.at("copy")).unwrap(), "naïve   caf");
    fix(&["-o", "out2"]).code(0);
    assert_eq!(fs::read_to_string(folder.at("out2")).unwrap(), "naïve   caf");
    assert_eq!(folder.names(), ["copy", "f", "out", "out2"]);
    fix(&["f", "-o", "no/such/folder"]).code(2).stderr(contains("could not be written"));
    fix(&["f", "out", "-o", "x"]).code(2).stderr(contains("only one file can be given"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |name: &str| folder.at(name).metadata().unwrap().permissions().mode();
        fs::write(folder.at("plain"), "").unwrap();
        assert_eq!(mode("out"), mode("plain"));
        // A device is written to and not replaced.
        fix(&["f", "-o", "/dev/null"]).code(0);
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        fix(&["-o", "/dev/stdout"]).code(0).stdout("naïve   caf");
    }
}

#[test]
fn several_files_go_to_standard_output_one_after_the_other() {
    let folder = Folder::new();
    folder.file("a", "ä\n");
    folder.file("b", b"\xFFb\n");
    folder
        .trust8()
        .args(["fix", "--replace", "a", "none", "b"])
        .assert()
        .code(2)
        .stdout("ä\n\u{FFFD}b\n")
        .stderr(contains("none: "));
    let both = folder.trust8().args(["fix", "--replace", "b", "-", "a"]).write_stdin("-").assert().code(0);
    assert_eq!(stdout(&both), "\u{FFFD}b\n-ä\n");
}

/// The fuzz target `command` found this: `--from utf-8` was refused, because repairing UTF-8 takes
/// no `--from`. But the standard's other labels for UTF-8 were accepted, and files that could have
/// been repaired were reported as not convertible.
#[test]
fn every_label_for_utf8_is_refused() {
    let folder = Folder::new();
    folder.file("f", BROKEN);
    let labels = [
        "utf8",
        "UTF-8",
        "unicode-1-1-utf-8",
        "unicode11utf8",
        "unicode20utf8",
        "x-unicode20utf8",
        "\tutf-8\n",
    ];
    for label in labels {
        let fix = folder.trust8().args(["fix", "f", "--from", label]).assert();
        fix.code(2).stdout(is_empty()).stderr(contains("UTF-8 needs no conversion"));
    }
}

#[test]
fn senseless_arguments_are_a_usage_error() {
    for (line, why) in [
        ("fix --in-place", "standard input cannot be replaced"),
        ("fix --in-place -", "standard input cannot be replaced"),
        ("fix --from abacus", "not a label of the WHATWG"),
        ("fix --from utf-8", "UTF-8 needs no conversion"),
        ("fix --replace --drop", "cannot be used with"),
        ("fix --backup", "--in-place"),
        ("fix -i --backup= x", "name the file itself"),
        ("fix -i --backup=/x x", "contain a path separator"),
        ("fix --force", "--from"),
    ] {
        trust8()
            .args(line.split(' '))
            .write_stdin("")
            .assert()
            .code(2)
            .stdout(is_empty())
            .stderr(contains(why));
    }
}

#[test]
fn a_broken_pipe_is_no_error() {
    use std::process::{Command, Stdio};

    let folder = Folder::new();
    let path = folder.file("f", b"text \xFF".repeat(100_000));
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("trust8"))
        .args(["fix".as_ref(), "--replace".as_ref(), path.as_os_str()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(predicates::str::is_empty().eval(&String::from_utf8_lossy(&output.stderr)));
    assert_eq!(output.status.code(), Some(0));
}

/// With `--json`, the files after that stayed as they were, and the exit code said that all were repaired.
#[test]
fn a_broken_pipe_keeps_no_file_from_being_repaired() {
    use std::process::{Command, Stdio};

    let folder = Folder::new();
    let paths: Vec<_> = (0..200).map(|i| folder.file(&format!("{}{i}", "f".repeat(200)), b"\xFF")).collect();
    let mut fix = Command::new(assert_cmd::cargo::cargo_bin!("trust8"));
    fix.args(["fix", "-i", "--replace", "--json"]).arg(folder.path());
    let mut child = fix.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), &*String::from_utf8_lossy(&output.stderr)), (Some(0), ""));
    assert!(paths.iter().all(|path| fs::read(path).unwrap() == "\u{FFFD}".as_bytes()));
}
