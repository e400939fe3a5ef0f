//! Tests folders into which other users, or programs that run at the same time, have put what is to
//! mislead the command.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::os::unix::net::UnixListener;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::folder::{Folder, skip, stderr};
use assert_cmd::cargo::cargo_bin;
use predicates::str::{contains, is_empty};

const BROKEN: &[u8] = "naïve café \u{B7}".as_bytes();

/// Text in UTF-8 with an error.
fn broken() -> Vec<u8> {
    [BROKEN, b"\xFF\n"].concat()
}

/// A folder like /tmp, where all may create files, and `stranger` is a user who did.
fn like_tmp() -> Folder {
    let folder = Folder::new();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    fs::create_dir(folder.at("tmp")).unwrap();
    fs::set_permissions(folder.at("tmp"), fs::Permissions::from_mode(0o1777)).unwrap();
    folder
}

const STRANGER: u32 = 65534;

/// Gives `name` to the stranger. Returns false if only root could.
fn give(folder: &Folder, name: &str) -> bool {
    let given = std::os::unix::fs::lchown(folder.at(name), Some(STRANGER), Some(STRANGER)).is_ok();
    if !given {
        skip("only root can give files away");
    }
    given
}

/// Starts the command under strace, which injects what `injections` say.
fn under_strace(folder: &Folder, injections: &[&str], args: &[&str]) -> Option<std::process::Child> {
    let child = Command::new("strace")
        .args(["-f", "-qq", "-o", "/dev/null"])
        .args(injections.iter().map(|injection| format!("--inject={injection}")))
        .arg(cargo_bin!("trust8"))
        .args(args)
        .current_dir(folder.path())
        .stderr(Stdio::piped())
        .spawn();
    child.inspect_err(|error| skip(&format!("strace: {error}"))).ok()
}

/// Just before the two files exchange their names, another program puts something in the place that
/// can't be opened. It disappeared, and a message said that the file was unchanged.
#[test]
fn what_another_program_puts_in_the_place_stays_there_whatever_it_is() {
    for what in ["link", "socket", "folder", "file"] {
        let folder = Folder::new();
        folder.file("f", broken());
        folder.file("other", "by another program");
        let args = ["fix", "-iq", "--replace", "f"];
        let Some(child) = under_strace(&folder, &["renameat2:delay_enter=900000"], &args) else { return };
        std::thread::sleep(Duration::from_millis(500));
        fs::remove_file(folder.at("f")).unwrap();
        match what {
            "link" => symlink("other", folder.at("f")).unwrap(),
            "socket" => drop(UnixListener::bind(folder.at("f")).unwrap()),
            "folder" => fs::create_dir(folder.at("f")).unwrap(),
            _ => fs::rename(folder.at("other"), folder.at("f")).unwrap(),
        }
        let inode = folder.at("f").symlink_metadata().unwrap().ino();
        let output = child.wait_with_output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{what}: {error}");
        let expected =
            "trust8: f: left alone: another program has changed or replaced it since it was read\n";
        assert_eq!(error, expected, "{what}");
        assert_eq!(folder.at("f").symlink_metadata().unwrap().ino(), inode, "{what}");
        assert!(folder.names().iter().all(|name| name == "f" || name == "other"), "{:?}", folder.names());
    }
}

/// If the files can't be exchanged back, both are kept, and the message does not say that the file
/// is unchanged.
#[test]
fn a_file_that_cannot_be_put_back_is_kept_under_another_name() {
    let folder = Folder::new();
    folder.file("f", broken());
    folder.file("other", "by another program");
    // The backup gets its name late, and the second exchange fails.
    let injections = ["linkat:delay_enter=900000:when=3", "renameat2:error=EIO:when=2"];
    let args = ["fix", "-iq", "--replace", "--backup", "f"];
    let Some(child) = under_strace(&folder, &injections, &args) else { return };
    std::thread::sleep(Duration::from_millis(500));
    fs::rename(folder.at("other"), folder.at("f")).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = "trust8: f: another program has replaced it at the same time, and its file is now f.by-another-program\n";
    assert_eq!(String::from_utf8(output.stderr).unwrap(), said);
    assert_eq!(fs::read_to_string(folder.at("f.by-another-program")).unwrap(), "by another program");
    assert_eq!(fs::read(folder.at("f~")).unwrap(), broken());
    assert_eq!(folder.names(), ["f", "f.by-another-program", "f~"]);
}

/// A symbolic link of a stranger led `--output` to a file of root, and to a new file wherever the
/// stranger wanted.
#[test]
fn output_does_not_follow_a_strangers_link() {
    let folder = like_tmp();
    folder.file("conf", "conf");
    folder.file("bad", b"caf\xE9");
    for (target, name) in [("../conf", "tmp/out"), ("../new", "tmp/dangling")] {
        symlink(target, folder.at(name)).unwrap();
        if !give(&folder, name) {
            return;
        }
        for args in [
            &["fix", "--replace", "bad", "-o"][..],
            &["convert", "--from", "latin1", "--to", "utf-8", "bad", "-o"],
        ] {
            let run = folder.trust8().args(args).arg(name).assert().code(2);
            let said = stderr(&run);
            assert!(said.starts_with(&format!("trust8: {name}: could not be written: ")), "{said}");
            assert!(said.contains("is another user's link, in a folder that many users write to"), "{said}");
        }
    }
    assert_eq!(fs::read_to_string(folder.at("conf")).unwrap(), "conf");
    assert!(!folder.at("new").exists());
    // One's own link is followed there, and a stranger's elsewhere.
    symlink("../conf", folder.at("tmp/mine")).unwrap();
    folder.trust8().args(["fix", "--replace", "bad", "-o", "tmp/mine"]).assert().code(0).stderr(is_empty());
    assert_eq!(fs::read_to_string(folder.at("conf")).unwrap(), "caf\u{FFFD}");
    symlink("conf", folder.at("theirs")).unwrap();
    give(&folder, "theirs");
    folder.trust8().args(["fix", "--drop", "bad", "-o", "theirs"]).assert().code(0).stderr(is_empty());
    assert_eq!(fs::read_to_string(folder.at("conf")).unwrap(), "caf");
    assert!(folder.at("tmp/mine").is_symlink() && folder.at("theirs").is_symlink());
}

/// A secret ended in a file that a stranger had put there, readable for all.
#[test]
fn output_does_not_go_to_a_strangers_file_in_a_shared_folder() {
    let folder = like_tmp();
    folder.file("secret", b"caf\xE9");
    folder.file("tmp/out", "");
    fs::set_permissions(folder.at("tmp/out"), fs::Permissions::from_mode(0o666)).unwrap();
    if !give(&folder, "tmp/out") {
        return;
    }
    let fix = || folder.trust8().args(["fix", "--replace", "secret", "-o", "tmp/out"]).assert();
    fix().code(2).stderr(contains("out belongs to another user, in a folder that many users write to"));
    assert_eq!(fs::read(folder.at("tmp/out")).unwrap(), b"");
    chown(folder.at("tmp/out"), Some(0), Some(0)).unwrap();
    fix().code(0);
    assert_eq!(fs::read_to_string(folder.at("tmp/out")).unwrap(), "caf\u{FFFD}");
}

/// A stranger's file with the name of a backup became root's file.
#[test]
fn undo_takes_no_backup_of_another_user() {
    let folder = like_tmp();
    folder.file("tmp/report", broken());
    folder.file("tmp/report~", "planted");
    if !give(&folder, "tmp/report~") {
        return;
    }
    let undo = || folder.trust8().args(["fix", "--undo", "tmp/report"]).assert();
    undo().code(2).stderr(contains("tmp/report: left alone: its backup belongs to another user\n"));
    assert_eq!(fs::read(folder.at("tmp/report")).unwrap(), broken());
    // Neither does it become a file that is not there.
    fs::remove_file(folder.at("tmp/report")).unwrap();
    undo().code(2).stderr(contains("its backup belongs to another user"));
    assert!(!folder.at("tmp/report").exists());
    // A second name for a file of root.
    folder.file("tmp/report", broken());
    fs::remove_file(folder.at("tmp/report~")).unwrap();
    folder.file("shadow", "secret");
    fs::hard_link(folder.at("shadow"), folder.at("tmp/report~")).unwrap();
    undo().code(2).stderr(contains("its backup has other names"));
    assert_eq!(fs::read(folder.at("tmp/report")).unwrap(), broken());
    // What root repaired for somebody comes back, to its owner.
    fs::remove_file(folder.at("tmp/report~")).unwrap();
    give(&folder, "tmp/report");
    folder.trust8().args(["fix", "-iq", "--replace", "--backup", "tmp/report"]).assert().code(0);
    undo().code(0);
    assert_eq!(fs::read(folder.at("tmp/report")).unwrap(), broken());
    assert_eq!(folder.at("tmp/report").metadata().unwrap().uid(), STRANGER);
}

/// A run that is killed between the backup and the repair leaves two names for one file. `--undo`
/// said that it had restored it.
#[test]
fn undo_says_that_nothing_was_repaired() {
    let folder = Folder::new();
    folder.file("f", broken());
    fs::hard_link(folder.at("f"), folder.at("f~")).unwrap();
    let run = folder.trust8().args(["fix", "--undo", "f"]).assert().code(2);
    let said = stderr(&run);
    assert!(
        said.contains("f: left alone: its backup is the same file, because the repair was interrupted"),
        "{said}"
    );
    assert_eq!(folder.names(), ["f", "f~"]);
}

/// Whoever may write to the folder could keep a file from being repaired, with anything that had
/// the name of the temporary file.
#[test]
fn a_planted_temporary_name_does_not_prevent_a_repair() {
    let temporary = ".trust8-af63db4c8601ead9.tmp";
    for what in ["link", "folder", "locked by a stranger", "backup"] {
        let folder = Folder::new();
        folder.file("f", broken());
        let name = if what == "backup" { format!("{temporary}~") } else { temporary.to_owned() };
        let mut locked = None;
        match what {
            "link" => symlink("f", folder.at(&name)).unwrap(),
            "folder" | "backup" => fs::create_dir(folder.at(&name)).unwrap(),
            _ => {
                let path = folder.file(&name, "planted");
                if !give(&folder, &name) {
                    continue;
                }
                let file = fs::File::open(path).unwrap();
                file.lock().unwrap();
                locked = Some(file);
            }
        }
        let run = folder.trust8().args(["fix", "-iq", "--replace", "--backup", "f"]).assert().code(0);
        let said = format!(
            "trust8: f: the name {temporary} is taken by what is not trust8's, so another one was used\n"
        );
        assert_eq!(stderr(&run), said, "{what}");
        assert_eq!(fs::read(folder.at("f")).unwrap(), [BROKEN, "\u{FFFD}\n".as_bytes()].concat());
        assert_eq!(folder.names(), [&name, "f", "f~"], "{what}");
        drop(locked);
    }
}

/// Any reader can hold a shared lock. The message says what kind of lock it is.
#[test]
fn a_shared_lock_is_named() {
    let folder = Folder::new();
    let file = fs::File::open(folder.file("f", broken())).unwrap();
    file.lock_shared().unwrap();
    let run = folder.trust8().args(["fix", "-iq", "--replace", "f"]).assert().code(2);
    let said = "trust8: f: left alone: another program has locked it against changes (with a shared lock)\n";
    assert_eq!(stderr(&run), said);
    assert_eq!(fs::read(folder.at("f")).unwrap(), broken());
}

/// A program wrote as many bytes as there were, and set the time back. What it had written was
/// lost.
#[test]
fn a_write_that_hides_its_time_is_noticed() {
    let folder = Folder::new();
    let path = folder.file("f", broken());
    let args = ["fix", "-iq", "--replace", "--backup", "f"];
    let Some(child) = under_strace(&folder, &["fsync:delay_enter=900000"], &args) else { return };
    std::thread::sleep(Duration::from_millis(500));
    let mut file = fs::File::options().write(true).open(&path).unwrap();
    let time = file.metadata().unwrap().modified().unwrap();
    file.write_all(b"NEW").unwrap();
    file.set_modified(time).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("another program has changed or replaced it"), "{error}");
    assert!(fs::read(&path).unwrap().starts_with(b"NEW"));
    assert_eq!(folder.names(), ["f"]);
}

/// A pipe as an ignore file was read for ever, and a long file took all memory.
#[test]
fn ignore_files_are_obeyed_only_if_they_are_files_and_short() {
    let long = format!("*.skipped\n{}", "# a comment\n".repeat(100_000));
    for (name, is_obeyed) in
        [(".ignore", true), (".gitignore", true), (".git/info/exclude", true), (".git", false)]
    {
        let folder = Folder::new();
        fs::create_dir_all(folder.at("d/.git/info")).unwrap();
        folder.file("d/a.skipped", b"\xFF");
        folder.file("d/bad", b"\xFF");
        let check = || {
            let mut run = folder.trust8();
            run.args(["-l", "d"]).timeout(Duration::from_secs(20)).assert().code(1)
        };
        let path = folder.at("d").join(name);
        if is_obeyed {
            fs::write(&path, "*.skipped\n").unwrap();
            check().stdout("d/bad\n").stderr(is_empty());
        }
        for what in ["pipe", "device", "long", "sparse", "folder"] {
            let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path));
            match what {
                "pipe" => assert!(Command::new("mkfifo").arg(&path).status().unwrap().success()),
                "device" => symlink("/dev/zero", &path).unwrap(),
                "long" => fs::write(&path, &long).unwrap(),
                "sparse" => fs::File::create(&path).unwrap().set_len(5 << 30).unwrap(),
                _ => fs::create_dir(&path).unwrap(),
            }
            let run = check().stdout("d/a.skipped\nd/bad\n");
            let why = if matches!(what, "long" | "sparse") {
                "it is longer than 1 MiB"
            } else {
                "it is not a regular file"
            };
            let said = stderr(&run);
            if is_obeyed {
                assert!(
                    said.starts_with("trust8: /")
                        && said.ends_with(&format!("d/{name}: not obeyed: {why}\n")),
                    "{said}"
                );
            }
        }
    }
}

/// A folder above is nobody's to trust either.
#[test]
fn a_pipe_above_the_folder_is_not_read() {
    let folder = Folder::new();
    folder.file("d/e/bad", b"\xFF");
    assert!(Command::new("mkfifo").arg(folder.at(".ignore")).status().unwrap().success());
    let mut run = folder.trust8();
    let run = run.args(["-l", "d/e"]).timeout(Duration::from_secs(20)).assert().code(1).stdout("d/e/bad\n");
    assert!(stderr(&run).contains(".ignore: not obeyed: it is not a regular file"));
}

/// A search of /proc never ended.
#[test]
fn what_the_kernel_shows_is_not_searched() {
    let folder = Folder::new();
    for path in ["/proc", "/sys", "/proc/self"] {
        let mut run = folder.trust8();
        let run = run.args(["-HI", "--binary", path]).timeout(Duration::from_secs(20)).assert().code(2);
        let said = format!(
            "trust8: {path}: is not searched: it has no files, but what the kernel shows of itself\n"
        );
        assert_eq!(stderr(&run), said);
    }
    // A file there can be named.
    folder.trust8().arg("/proc/version").assert().code(0).stderr(is_empty());
}

/// Folders that are nested more deeply than files can be open, and paths that are longer than the
/// system takes.
#[test]
fn deep_folders_are_searched_to_the_end() {
    let folder = Folder::new();
    let script = "for i in $(seq 1 1500); do mkdir d && cd d || exit 1; printf '\\377' > bad; done";
    assert!(Command::new("sh").args(["-c", script]).current_dir(folder.path()).status().unwrap().success());
    let script = format!("ulimit -n 100; exec {} -l -j1 d | wc -l", cargo_bin!("trust8").display());
    let output = Command::new("sh").args(["-c", &script]).current_dir(folder.path()).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap().trim(), "1500");
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    // The library of the tests can't remove it.
    assert!(Command::new("rm").args(["-rf", "d"]).current_dir(folder.path()).status().unwrap().success());
}

/// Braces in braces took all of the stack, which aborts the command.
#[test]
fn braces_that_are_nested_deeply_abort_nothing() {
    let folder = Folder::new();
    folder.file("f", b"\xFF");
    for start in ["", "[", "[]", "[!", "[[["] {
        let nested = format!("{start}{}f{}", "{".repeat(100_000), "}".repeat(100_000));
        folder.file("trust8.toml", "");
        folder.file(".ignore", format!("{nested}\nother\n"));
        folder.trust8().args(["-l", "."]).assert().code(1).stdout("./f\n");
        folder.file("trust8.toml", format!("exclude = '{nested}'"));
        folder.trust8().args(["-l", "."]).assert().code(1).stdout("./f\n");
    }
}

/// Git tracked `a` and `b`, and a search left them out.
#[test]
fn braces_in_patterns_are_characters_as_for_git() {
    let folder = Folder::new();
    for name in ["a", "b", "{a,b}", "x{", "c", "}]", "[c"] {
        folder.file(name, b"\xFF");
    }
    for patterns in
        ["/{a,b}\nx[{]\n}]\n[{a,c}\n[[]c\n", "\\{a,b\\}\n[!!-a]{\n[]}][]]\n\\[[!{]\n", "[*\n{a*\n?{\n}*\n"]
    {
        folder.file(".ignore", patterns);
        folder.trust8().args(["-l", "."]).assert().code(1).stdout("./a\n./b\n./c\n");
    }
    // No name is empty, or ends inside an escape.
    folder.file("d/e", b"\xFF");
    for pattern in ["/**//", "!", "! ", "\\/", "d\\/"] {
        folder.file(".ignore", format!("x?\n/}}*\n[[]c\n/{{*\n{pattern}\n"));
        folder.trust8().args(["-l", "."]).assert().code(1).stdout("./a\n./b\n./c\n./d/e\n");
    }
    fs::remove_dir_all(folder.at("d")).unwrap();
    folder.file(".ignore", "[{a,c}\n");
    folder.trust8().args(["-l", "."]).assert().code(1).stdout(contains("./[c\n"));
    fs::remove_file(folder.at("[c")).unwrap();
    folder.file(".ignore", "");
    folder.file("trust8.toml", "exclude = ['{a,b}', 'x{', '[}]]']");
    folder.trust8().args(["-l", "."]).assert().code(1).stdout("./a\n./b\n./c\n");
    // The user's own file is read in the same way, and patterns are shown as they are there.
    let home = Folder::new();
    home.file(".gitconfig", format!("[core]\nexcludesFile = {}\n", home.at("ignore").display()));
    home.file("patterns", "{a,b}\n/x{\n}*\n");
    std::os::unix::fs::symlink("patterns", home.at("ignore")).unwrap();
    fs::remove_file(folder.at("trust8.toml")).unwrap();
    fs::create_dir(folder.at(".git")).unwrap();
    let mut run = folder.trust8();
    let run = run.env("HOME", home.path()).args(["-lv", "."]).assert().code(1);
    run.stdout("./a\n./b\n./c\n").stderr(contains("./{a,b}: skipped: ignored by `{a,b}` in "));
}

/// They were matched from the current folder: a search left out `sub/build`, which Git does not ignore.
#[test]
fn the_users_own_patterns_are_matched_from_the_top_of_the_repository() {
    let (folder, home) = (Folder::new(), Folder::new());
    home.file(
        ".gitconfig",
        format!("[core]\nexcludesFile = {}\n", home.file("ignore", "/build\n").display()),
    );
    for name in ["build/f", "sub/build/f", "sub/.git/HEAD"] {
        folder.file(&format!("r/{name}"), b"\xFF");
    }
    let check = |current: &str, path: &str, found: &str| {
        let mut run = folder.trust8();
        let run = run.env("HOME", home.path()).env_remove("XDG_CONFIG_HOME").current_dir(folder.at(current));
        run.args(["-l", path]).assert().code(i32::from(!found.is_empty())).stdout(found.to_owned());
    };
    check("r", ".", "./build/f\n");
    fs::remove_dir_all(folder.at("r/sub/.git")).unwrap();
    fs::create_dir(folder.at("r/.git")).unwrap();
    check("r", ".", "./sub/build/f\n");
    check("r/sub", ".", "./build/f\n");
    check(".", "r", "r/sub/build/f\n");
}

/// A stranger's `.ignore` in a folder that everybody shares hid files in the folders below.
#[test]
fn a_strangers_ignore_file_above_the_folder_is_not_obeyed() {
    let folder = like_tmp();
    folder.file("tmp/mine/f", b"\xFF");
    folder.file("tmp/.ignore", "f\n");
    let check = || folder.trust8().args(["-l", "tmp/mine"]).assert();
    check().code(0);
    if give(&folder, "tmp/.ignore") {
        let why = "/.ignore: not obeyed: it belongs to another user\n";
        check().code(1).stdout("tmp/mine/f\n").stderr(contains(why));
        // Linux itself refuses a stranger's link only in a folder like /tmp.
        fs::set_permissions(folder.at("tmp"), fs::Permissions::from_mode(0o777)).unwrap();
        fs::remove_file(folder.at("tmp/.ignore")).unwrap();
        symlink(folder.file("patterns", "f\n"), folder.at("tmp/.ignore")).unwrap();
        assert!(give(&folder, "tmp/.ignore"));
        check().code(1).stdout("tmp/mine/f\n").stderr(contains(why));
        // The owner of the folder may say what is ignored in it.
        assert!(give(&folder, "tmp/mine"));
        check().code(0);
    }
}
