//! Tests the configuration file `trust8.toml`.

use crate::folder::{Folder, stderr, stdout};
use predicates::str::{contains, is_empty, starts_with};

const CONFIG: &str = r#"
profile = "source"
exclude = ["vendor", "*.min.js"]

[[exception]]
path = "tests/**"
class = ["bidi-control", "not-utf8"]
reason = "Input of tests"
"#;

fn project() -> Folder {
    let folder = Folder::new();
    folder.file("trust8.toml", CONFIG);
    folder.file("src/hidden.rs", "a \u{202E} b");
    folder.file("src/fine.rs", "");
    folder.file("src/x.min.js", b"\xFF");
    folder.file("vendor/deep/bad", b"\xFF");
    folder.file("tests/input", "\u{202E} ".as_bytes());
    folder.file("tests/d/latin1", b"caf\xE9");
    folder
}

#[test]
fn a_project_says_what_to_check_and_what_is_expected() {
    let folder = project();
    for args in [&["-l", "."][..], &["-l", "src", "tests"], &["-l", "--stats", "."]] {
        let run = folder.trust8().args(args).assert().code(1);
        assert!(
            stdout(&run).ends_with("src/hidden.rs\n") && stdout(&run).lines().count() == 1,
            "{}",
            stdout(&run)
        );
    }
    // It is found from a folder below.
    let mut run = folder.trust8();
    run.current_dir(folder.at("src")).args(["-l", "."]).assert().code(1).stdout("./hidden.rs\n");
    let mut run = folder.trust8();
    run.current_dir(folder.at("tests")).args(["-l", ".", "../tests/d"]).assert().code(0).stdout(is_empty());
    // Other findings in the same file are not expected, and each format obeys.
    folder.file("tests/input", "\u{202E} \u{200B}x\n");
    for format in ["human", "short", "json", "jsonl", "sarif", "github", "junit"] {
        let run = folder.trust8().args(["-a", "-f", format, "tests"]).assert();
        let text = stdout(&run);
        assert!(!text.contains("202E") || format == "human", "{text}");
        assert!(!text.contains("latin1"), "{text}");
    }
    // A run is expected only if each of its characters is.
    folder.file("tests/input", "a\u{202E}\u{200B}b\n");
    folder.trust8().args(["-l", "tests"]).assert().code(1).stdout("tests/input\n");
    // The command line comes first.
    folder.trust8().args(["-l", "--no-config", "src"]).assert().code(1).stdout("src/x.min.js\n");
    folder.trust8().args(["-l", "--profile", "postgres", "src"]).assert().code(0);
    // What is named is checked, unless exclusions are forced.
    folder.trust8().args(["-l", "vendor/deep/bad"]).assert().code(1);
    folder.trust8().args(["-l", "--force-exclude", "vendor/deep/bad"]).assert().code(0);
    // `fix` leaves alone what is excluded.
    folder.trust8().args(["fix", "-iq", "--replace", "src", "vendor"]).output().unwrap();
    assert_eq!(std::fs::read(folder.at("src/x.min.js")).unwrap(), b"\xFF");
}

/// A repair of the folder wrote U+FFFD into the input of tests.
#[test]
fn what_is_expected_is_not_repaired() {
    let folder = project();
    let latin1 = || std::fs::read(folder.at("tests/d/latin1")).unwrap();
    for options in [&["--replace"][..], &["--from", "latin1"], &["--from", "auto"], &[]] {
        for path in ["tests", "tests/d/latin1"] {
            let mut run = folder.trust8();
            run.args(["fix", "-i", path]).args(options).assert().code(0).stderr(contains("0 changed"));
            folder.trust8().args(["fix", "-n", path]).args(options).assert().code(0).stderr(is_empty());
            assert_eq!(latin1(), b"caf\xE9");
        }
    }
    let itself = ["fix", "--replace", "-o", "tests/d/latin1", "tests/d/latin1"];
    folder.trust8().args(itself).assert().code(0);
    assert_eq!(latin1(), b"caf\xE9");
    // A copy is repaired, and so is what is not expected.
    folder.trust8().args(["fix", "--replace", "tests/d/latin1"]).assert().code(0).stdout("caf\u{FFFD}");
    folder.file("tests/input", b"\xFF\xE2\x80\xAE");
    folder.trust8().args(["fix", "-iq", "--profile", "source", "src/hidden.rs"]).assert().code(0);
    assert_eq!(std::fs::read(folder.at("src/hidden.rs")).unwrap(), "a \u{FFFD} b".as_bytes());
    // A part of it is.
    folder.file("tests/d/latin1", b"caf\xE9 \xE2\x80\x8B");
    let mixed = ["fix", "-iq", "--replace", "--profile", "source", "tests"];
    folder
        .trust8()
        .args(mixed)
        .assert()
        .code(1)
        .stderr(contains("d/latin1: left alone: trust8.toml expects some"));
    assert_eq!(latin1(), b"caf\xE9 \xE2\x80\x8B");
    folder.trust8().args(mixed).arg("--no-config").assert().code(0);
    assert_eq!(latin1(), "caf\u{FFFD} \u{FFFD}".as_bytes());
}

/// A repair of `../tests` changed what is expected there, and a finding in `../other` was one that is expected in `tests`.
#[cfg(unix)]
#[test]
fn patterns_match_paths_that_go_up() {
    let folder = project();
    folder.file("other/latin1", b"\xFF");
    let run = |from: &str, args: &[&str]| {
        let mut run = folder.trust8();
        run.current_dir(folder.at(from)).args(args).assert()
    };
    for path in ["../tests", "../tests/d/latin1", "..//src/.././tests/d"] {
        run("src", &["fix", "-iq", "--replace", path]).code(0);
        assert_eq!(std::fs::read(folder.at("tests/d/latin1")).unwrap(), b"caf\xE9");
        run("src", &["-l", path]).code(0).stdout(is_empty());
    }
    // Editors name files by the path that the user has taken, which may have links.
    let link = Folder::new();
    std::os::unix::fs::symlink(folder.path(), link.at("l")).unwrap();
    let linked = |name: &str| link.at("l").join(name).into_os_string().into_string().unwrap();
    run(".", &["fix", "-iq", "--replace", &linked("tests")]).code(0);
    assert_eq!(std::fs::read(folder.at("tests/d/latin1")).unwrap(), b"caf\xE9");
    run(".", &["-l", &linked("tests/d/latin1")]).code(0);
    run(".", &["-l", "--force-exclude", &linked("vendor/deep/bad")]).code(0);
    run("tests", &["-l", "../other"]).code(1).stdout("../other/latin1\n");
    run("src", &["-l", "--force-exclude", "../vendor/deep/bad"]).code(0);
    run("vendor", &["-l", "--force-exclude", "../other/latin1"]).code(1);
}

/// A file in which nothing is expected was left alone, because mojibake would be; and one with mojibake that is not
/// expected.
#[test]
fn mojibake_is_expected_where_it_is() {
    let folder = Folder::new();
    let fix = |class: &str, text: &[u8]| {
        let exception = format!("[[exception]]\npath = 'f'\nclass = '{class}'\nreason = 'a test'\n");
        folder.file("trust8.toml", exception);
        folder.file("f", text);
        let mut run = folder.trust8();
        let code = run.args(["fix", "-iq", "--unmojibake", "--replace", "f"]).output().unwrap().status.code();
        (code, std::fs::read(folder.at("f")).unwrap())
    };
    let (wrong, both) = ("GrÃ¶ÃŸe\n".as_bytes(), [b"\xFF\n", "GrÃ¶ÃŸe\n".as_bytes()].concat());
    assert_eq!(fix("mojibake", wrong), (Some(0), wrong.to_vec()));
    assert_eq!(fix("mojibake", b"\xFF"), (Some(0), "\u{FFFD}".into()));
    assert_eq!(fix("not-utf8", wrong), (Some(0), "Größe\n".into()));
    for class in ["mojibake", "not-utf8"] {
        assert_eq!(fix(class, &both), (Some(1), both.clone()));
    }
    folder.trust8().args(["-l", "f"]).assert().code(0).stdout(is_empty());
}

#[test]
fn files_shows_the_configuration() {
    let folder = project();
    let run = folder.trust8().args(["--files", "."]).assert().code(0);
    let said = stderr(&run);
    let first = said.lines().next().unwrap();
    assert!(
        first.starts_with("trust8: /")
            && first.ends_with("/trust8.toml: profile source, 2 excluded, 1 exceptions")
    );
    for line in [
        "trust8: trust8.toml: tests/** may have bidi-control, not-utf8: Input of tests",
        "trust8: ./vendor: skipped: excluded by trust8.toml",
        "trust8: ./src/x.min.js: skipped: excluded by trust8.toml",
    ] {
        assert!(said.lines().any(|other| other == line), "{line}\n{said}");
    }
}

/// A file that is misread could hide a finding.
#[test]
fn a_mistake_in_the_configuration_is_an_error() {
    let folder = project();
    folder.file("trust8.toml", "\u{FEFF}\nprofil = 'source'\n");
    for args in [&["."][..], &["--staged"], &["fix", "-n", "."]] {
        let run = folder.trust8().args(args).assert().code(2).stdout(is_empty());
        assert!(stderr(&run).ends_with("/trust8.toml:2: profil has no meaning here\n"), "{}", stderr(&run));
    }
}

#[cfg(unix)]
#[test]
fn the_configuration_of_a_stranger_is_not_obeyed() {
    let folder = project();
    if std::os::unix::fs::chown(folder.at("trust8.toml"), Some(65534), None).is_err() {
        return crate::folder::skip("only root can give files away");
    }
    folder
        .trust8()
        .arg(".")
        .assert()
        .code(2)
        .stderr(contains("trust8.toml: it belongs to another user; --no-config"));
    folder.trust8().args(["-l", "--no-config", "src"]).assert().code(1);
}

/// `check` found no mojibake, so only a repair could tell.
#[test]
fn mojibake_is_found_in_every_format() {
    let folder = Folder::new();
    folder.file("f", "fine\nGrÃ¶ÃŸe und\ngood: Größe, É…\nagain â€™\n");
    folder.trust8().arg("f").assert().code(0);
    let place = "mojibake: 'Ã¶ÃŸ' was 'öß'; `trust8 fix --unmojibake` undoes it";
    let second = "mojibake: 'â€™' was '’'";
    for (format, start) in [
        ("human", "f:2:3: byte 7: mojibake: "),
        ("short", "f:2:3: byte 7: mojibake: "),
        ("github", "::error file=f,line=2,col=3::"),
        ("json", "{\"version\":1,\"files\":["),
        ("jsonl", "{\"type\":\"error\",\"path\":\"f\",\"line\":2,\"column\":3,\"offset\":7,"),
        ("sarif", "{\"$schema\":"),
        ("junit", "<?xml "),
    ] {
        for stdin in [false, true] {
            let mut run = folder.trust8();
            run.args(["--mojibake", "-af", format]);
            let run =
                if stdin { run.write_stdin(std::fs::read(folder.at("f")).unwrap()) } else { run.arg("f") };
            let run = run.assert().code(1);
            let text = stdout(&run);
            if !stdin {
                assert!(text.starts_with(start), "{text}");
            }
            assert!(text.contains(place) && text.contains(second), "{format} {text}");
        }
    }
    let run = folder.trust8().args(["--mojibake", "--json", "-a", "f"]).assert().code(1);
    let json: serde_json::Value = serde_json::from_str(&stdout(&run)).unwrap();
    assert_eq!(json["files"][0]["errors"][0]["kind"], "mojibake");
    assert_eq!((&json["summary"]["errors"], &json["summary"]["invalid"]), (&2.into(), &1.into()));
    // Errors and mojibake come in their order, and the limit counts both.
    folder.file(
        "f",
        [b"\xFF\n", "GrÃ¶ÃŸe\n".as_bytes(), b"\xFE\nGr\xC3\x83\xC2\xB6\xC3\x83\xC5\xB8e"].concat(),
    );
    let lines = |args: &[&str]| {
        let run = folder.trust8().args(["--mojibake", "-f", "short"]).args(args).arg("f").assert().code(1);
        stdout(&run).lines().map(|line| line.split(':').nth(1).unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(lines(&["-a"]), ["1", "2", "3", "4"]);
    assert_eq!(lines(&["-m2"]), ["1", "2"]);
    assert_eq!(lines(&[]), ["1"]);
    // A long line, and many.
    folder.file("f", "x".repeat(3 << 20) + "Ã¶Ã¼\n" + &"fÃ¼r\n".repeat(100_000));
    let run = folder.trust8().args(["--mojibake", "-m1", "-f", "short", "f"]).assert().code(1);
    run.stdout(starts_with("f:2:2: byte 3145738: mojibake"));
    folder.trust8().args(["--mojibake", "-l", "f"]).assert().code(1).stdout("f\n");
}
