//! Tests how files are found that Git knows.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::folder::{Folder, stderr, stdout};
use predicates::prelude::*;
use predicates::str::{contains, is_empty};

/// Runs Git in a folder.
fn git(folder: &Folder, args: &[&str]) {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"])
        .args(args);
    assert!(git.current_dir(folder.path()).status().unwrap().success(), "{args:?}");
}

/// A repository with files that a search leaves out: a workflow that hides code from its readers, a
/// tracked file that is ignored, and files that Git does not know.
fn repository() -> Folder {
    let folder = Folder::new();
    git(&folder, &["init", "--quiet"]);
    folder.file(".github/workflows/ci.yml", "run: echo \u{202E}hidden\n");
    folder.file("build/generated.txt", b"a\xFF");
    folder.file("src/main.rs", "fn main() {}\n");
    git(&folder, &["add", "."]);
    folder.file(".gitignore", "build\n*.log\n");
    git(&folder, &["add", ".gitignore"]);
    folder.file("debug.log", b"\xFF");
    folder.file("untracked.rs", "");
    folder
}

/// `trust8 --profile source .` was green, and said nothing.
#[test]
fn a_search_says_how_many_tracked_files_it_leaves_out() {
    let folder = repository();
    // The workflow, what is generated, and `.gitignore`.
    let said = "trust8: 3 files that Git tracks were left out as hidden or ignored; --tracked includes all\n";
    for args in
        [&["--profile", "source", "."][..], &["--profile", "source", "--json", "."], &["fix", "-n", "."]]
    {
        let run = folder.trust8().args(args).assert().code(0);
        assert_eq!(stderr(&run), said, "{args:?}");
    }
    folder
        .trust8()
        .args(["-H", "."])
        .assert()
        .code(0)
        .stderr(contains("trust8: 1 file that Git tracks was left out"));
    // What the command line does not select is not missed.
    for args in [&["-t", "rust", "."][..], &["src"], &["--max-depth", "1", "-I", "src"], &["-HI", "src"]] {
        folder.trust8().args(args).assert().code(0).stderr(is_empty());
    }
    folder
        .trust8()
        .args(["-t", "yaml", ".", "--profile", "source"])
        .assert()
        .stderr(contains("1 file that Git tracks"));
    // Outside of a repository, Git has no list.
    let elsewhere = Folder::new();
    elsewhere.file(".hidden", "");
    elsewhere.file("f", "");
    elsewhere.trust8().arg(".").assert().code(0).stderr(is_empty());
}

#[test]
fn the_list_of_git_has_hidden_and_ignored_files() {
    let folder = repository();
    let list = |args: &[&str]| {
        let run = folder.trust8().args(["-l", "--profile", "source", "--tracked"]).args(args).assert();
        (run.get_output().status.code().unwrap(), stdout(&run), stderr(&run))
    };
    let both = ".github/workflows/ci.yml\nbuild/generated.txt\n".to_owned();
    assert_eq!(list(&[]), (1, both.clone(), String::new()));
    assert_eq!(list(&["."]), (1, both, String::new()));
    assert_eq!(list(&["--exclude", "build"]), (1, ".github/workflows/ci.yml\n".to_owned(), String::new()));
    assert_eq!(list(&["src"]), (0, String::new(), String::new()));
    assert_eq!(list(&["build", "src"]), (1, "build/generated.txt\n".to_owned(), String::new()));
    // An unknown name, one that Git does not track, and one that Git would take for a pattern.
    for name in ["none", "debug.log", ":", ":(top)src", "*.rs"] {
        let (code, out, said) = list(&[name]);
        assert_eq!((code, &*out), (2, ""));
        assert_eq!(said, format!("trust8: git: pathspec '{name}' did not match any file(s) known to git\n"));
    }
    // What was removed is not there to be checked.
    fs::remove_file(folder.at("build/generated.txt")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", folder.at("build/generated.txt")).unwrap();
    assert_eq!(list(&["."]).1, ".github/workflows/ci.yml\n");
    // Names are relative to the current folder.
    let mut run = folder.trust8();
    run.current_dir(folder.at(".github")).args(["-l", "--profile", "source", "--tracked"]);
    run.assert().code(1).stdout("workflows/ci.yml\n");
    let mut run = folder.trust8();
    run.current_dir(folder.at("src")).args(["-l", "--profile", "source", "--tracked", "../.github"]);
    run.assert().code(1).stdout("../.github/workflows/ci.yml\n");
    // `fix` takes it too.
    folder.file("build/generated.txt", "a\u{FEFF}\n".as_bytes());
    folder
        .trust8()
        .args(["fix", "--tracked", "-i", "-q", "--profile", "source", "--policy", "drop"])
        .assert()
        .code(0);
    assert_eq!(list(&[]), (0, String::new(), String::new()));
}

/// `--hidden` includes hidden folders, except Git's own.
#[test]
fn hidden_files_do_not_include_those_of_git() {
    let folder = repository();
    fs::write(folder.at(".git/objects/bad"), b"\xFF").unwrap();
    folder.file(".hidden", b"\xFF");
    folder.trust8().args(["-lH", "."]).assert().code(1).stdout("./.hidden\n");
    let run = folder.trust8().args(["-lHI", "."]).assert().code(1);
    assert!(stdout(&run).contains("./.git/objects/bad\n"), "{}", stdout(&run));
}

/// Git printed all its options, on one line.
#[test]
fn outside_a_repository_there_is_one_line() {
    let folder = Folder::new();
    for args in [["--staged"], ["--tracked"]] {
        let mut run = folder.trust8();
        run.env("GIT_CEILING_DIRECTORIES", folder.path().parent().unwrap()).args(args);
        run.assert().code(2).stdout(is_empty()).stderr("trust8: not in a Git repository\n");
    }
    git(&folder, &["init", "--quiet"]);
    if std::os::unix::fs::chown(folder.path(), Some(65534), None).is_ok() {
        let mut run = folder.trust8();
        let run = run.env("SUDO_UID", "").arg("--staged").assert().code(2);
        let said = stderr(&run);
        assert!(said.starts_with("trust8: git: detected dubious ownership in repository at "), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
}

/// `--staged :colon` was a pattern for Git, and an unknown name was green.
#[test]
fn names_of_staged_files_are_taken_literally() {
    let folder = Folder::new();
    git(&folder, &["init", "--quiet"]);
    for name in [":colon", "*", "-f", "removed"] {
        folder.file(name, b"a\xFF");
    }
    folder.file("fine", "");
    git(&folder, &["add", "."]);
    for name in [":colon", "*", "removed"] {
        folder.trust8().args(["-l", "--staged", name]).assert().code(1).stdout(format!("{name}\n"));
    }
    folder.trust8().args(["-l", "--staged", "--", "-f"]).assert().code(1).stdout("-f\n");
    for name in ["nosuch", ":", ":(top)fine", "f*"] {
        let run = folder.trust8().args(["-l", "--staged", "fine", name]).assert().code(2).stdout(is_empty());
        assert_eq!(
            stderr(&run),
            format!("trust8: git: pathspec '{name}' did not match any file(s) known to git\n")
        );
    }
    // A file that the next commit removes has a name that Git knows.
    git(&folder, &["commit", "--quiet", "-m", "first"]);
    git(&folder, &["rm", "--quiet", "removed"]);
    folder
        .trust8()
        .args(["-l", "--staged", "removed"])
        .assert()
        .code(0)
        .stderr(contains("nothing was checked"));
}

/// One process of Git was started for each file, which took ten seconds.
#[test]
fn many_staged_files_take_no_time() {
    let folder = Folder::new();
    git(&folder, &["init", "--quiet"]);
    for i in 0..3000 {
        fs::write(folder.at(&format!("f{i}")), format!("text {i}\n")).unwrap();
    }
    folder.file("f2999", b"a\xFF");
    folder.file("empty", "");
    git(&folder, &["add", "."]);
    let start = Instant::now();
    folder.trust8().args(["-l", "--staged"]).assert().code(1).stdout("f2999\n");
    assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
    let run = folder.trust8().args(["--json", "--staged"]).assert().code(1);
    assert!(stdout(&run).contains("\"files\":3001,"), "{}", stdout(&run));
}

/// A repository can name a program that Git runs to find out what has changed.
#[test]
fn a_repository_runs_nothing() {
    let folder = repository();
    let elsewhere = Folder::new();
    let script = elsewhere.file("monitor", "#!/bin/sh\ntouch \"$0.ran\"\n");
    fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    git(&folder, &["config", "core.fsmonitor", script.to_str().unwrap()]);
    for args in [&["--staged"][..], &["--tracked"], &["."], &["--staged", "src"]] {
        folder.trust8().args(args).output().unwrap();
        assert!(!script.with_extension("ran").exists(), "{args:?}");
    }
    git(&folder, &["status", "--short"]);
    assert!(script.with_extension("ran").exists(), "Git runs it itself");
}

/// Git checks out no file outside of the worktree, but lists those that an index has. `fix -i` repaired them.
#[test]
fn an_index_leads_to_no_file_outside_of_the_worktree() {
    let parent = Folder::new();
    let outside = parent.file("f", b"precious \xFF");
    let absolute = outside.to_str().unwrap();
    let repository = |name: &str| {
        let folder = Folder::inside(parent.path());
        let stand_in = "x".repeat(name.len());
        folder.file(&stand_in, b"a\xFF");
        git(&folder, &["init", "--quiet"]);
        // Without a hash, the index can be changed.
        git(&folder, &["-c", "index.skipHash=true", "add", "."]);
        let index = fs::read(folder.at(".git/index")).unwrap();
        let at = memchr::memmem::find(&index, stand_in.as_bytes()).unwrap();
        let index = [&index[..at], name.as_bytes(), &index[at + name.len()..]].concat();
        fs::write(folder.at(".git/index"), index).unwrap();
        fs::create_dir_all(folder.at("sub/sub")).unwrap();
        folder
    };
    for name in ["../f", "sub/../../f", "sub/sub/../../../f", "./../f", absolute] {
        let folder = repository(name);
        for (place, paths) in [(".", &[][..]), ("sub", &[]), ("sub/sub", &["../.."]), ("sub", &[".."])] {
            let mut fix = folder.trust8();
            fix.current_dir(folder.at(place)).args(["fix", "-i", "--replace", "--tracked"]).args(paths);
            fix.output().unwrap();
            assert_eq!(fs::read(&outside).unwrap(), b"precious \xFF", "{name} {place}");
        }
        let run = folder.trust8().args(["-l", "--tracked"]).assert().code(2).stdout(is_empty());
        assert_eq!(stderr(&run), format!("trust8: git: {name} is outside of the worktree\n"));
    }
    // A folder above is in the worktree.
    let folder = repository("sub/f");
    folder.file("sub/f", b"a\xFF");
    let mut check = folder.trust8();
    check
        .current_dir(folder.at("sub/sub"))
        .args(["-l", "--tracked", "../.."])
        .assert()
        .code(1)
        .stdout("../f\n");
}

/// Git can show another object in place of a staged one. The commit has that one nevertheless.
#[test]
fn a_replaced_object_is_not_what_is_staged() {
    let folder = repository();
    git(&folder, &["commit", "--quiet", "-m", "."]);
    folder.file("src/main.rs", b"fn main() {} // \xFF\n");
    git(&folder, &["add", "src"]);
    git(&folder, &["replace", ":src/main.rs", "HEAD:src/main.rs"]);
    folder.trust8().args(["-l", "--staged"]).assert().code(1).stdout("src/main.rs\n");
}

/// A link that replaces a folder leads to files that Git does not track. `fix -i` repaired them.
#[test]
fn a_link_in_place_of_a_tracked_folder_is_not_followed() {
    let folder = repository();
    let elsewhere = Folder::new();
    let file = elsewhere.file("generated.txt", b"precious \xFF");
    fs::remove_dir_all(folder.at("build")).unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), folder.at("build")).unwrap();
    folder.trust8().args(["fix", "-i", "--replace", "--tracked"]).assert().code(0);
    assert_eq!(fs::read(file).unwrap(), b"precious \xFF");
    folder.trust8().args(["-l", "--tracked"]).assert().code(0).stdout(is_empty());
}

/// A repository can name a program that Git runs to fetch the objects that are missing. A search ran it, for the folder of a
/// sparse index, and `--staged` for a file.
#[test]
fn a_repository_fetches_nothing() {
    let folder = repository();
    git(&folder, &["commit", "--quiet", "-m", "."]);
    git(&folder, &["sparse-checkout", "set", "--cone", "--sparse-index", "src"]);
    folder.file("src/main.rs", "fn main() { }\n");
    git(&folder, &["add", "src"]);
    let object = |name: &str| {
        let mut git = Command::new("git");
        let object = git.current_dir(folder.path()).args(["rev-parse", name]).output().unwrap().stdout;
        let object = String::from_utf8(object).unwrap();
        folder.at(".git/objects").join(&object[..2]).join(object[2..].trim())
    };
    for object in [object("HEAD:build"), object(":src/main.rs")] {
        fs::remove_file(object).unwrap();
    }
    for (name, value) in [
        ("core.repositoryformatversion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.url", "ssh://localhost/x"),
        ("core.sshCommand", "touch ran; false"),
    ] {
        git(&folder, &["config", name, value]);
    }
    let ran = folder.at("ran");
    for args in [&["--staged"][..], &["--tracked"], &["."]] {
        folder.trust8().args(args).output().unwrap();
        assert!(!ran.exists(), "{args:?}");
    }
    Command::new("git").current_dir(folder.path()).args(["cat-file", "-p", ":src/main.rs"]).output().unwrap();
    assert!(ran.exists(), "Git runs it itself");
}

/// The hook for pre-commit passes the names of files after its options.
#[test]
fn a_file_that_is_named_like_an_option_is_a_file() {
    let hooks = include_str!("../../../../.pre-commit-hooks.yaml");
    assert_eq!(hooks.matches("  args: [\"--\"]\n").count(), hooks.matches("  entry: ").count());
    let folder = Folder::new();
    folder.file("--replace", "");
    folder.file("bad", b"un caf\xE9, une gar\xE7on");
    let entries = hooks.lines().filter_map(|line| line.trim().strip_prefix("entry: trust8 "));
    for entry in entries {
        folder
            .trust8()
            .args(entry.split(' '))
            .args(["--", "--replace", "bad"])
            .assert()
            .code(predicate::ne(2));
        assert!(!fs::read_to_string(folder.at("bad")).is_ok_and(|text| text.contains('\u{FFFD}')), "{entry}");
    }
}

/// A file with a conflict has up to three versions in the index, and one in the folder.
#[test]
fn a_file_with_a_conflict_is_checked_once() {
    let folder = repository();
    for (branch, text) in [("a", "a\n"), ("b", "b\n")] {
        git(&folder, &["checkout", "--quiet", "--orphan", branch]);
        folder.file("src/main.rs", text);
        git(&folder, &["add", "src"]);
        git(&folder, &["commit", "--quiet", "-m", "."]);
    }
    let mut merge = Command::new("git");
    merge.args(["merge", "--quiet", "--allow-unrelated-histories", "a"]).current_dir(folder.path());
    assert!(!merge.output().unwrap().status.success());
    folder.file("src/main.rs", b"\xFF");
    folder.trust8().args(["-l", "--tracked", "src"]).assert().code(1).stdout("src/main.rs\n");
}

/// Git does not apply the patterns of a repository to another one inside of it.
#[test]
fn a_repository_inside_of_another_one_has_its_own_patterns() {
    let folder = repository();
    for name in ["build/x", "inner/build/x"] {
        folder.file(name, b"\xFF");
    }
    fs::create_dir(folder.at("inner/.git")).unwrap();
    folder.trust8().args(["-l", "."]).assert().code(1).stdout("./inner/build/x\n");
}
