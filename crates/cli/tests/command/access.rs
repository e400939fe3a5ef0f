//! Tests that a file which is replaced keeps who may do what with it: owner, permissions, access
//! control list and attributes. Most of them need root, or programs that are not installed
//! everywhere. If the environment variable `TRUST8_REQUIRE_ROOT` is set, as in CI, a test that
//! can't run fails.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output};

use crate::folder::{Folder, skip, stderr};
use assert_cmd::cargo::cargo_bin;

const BROKEN: &[u8] = b"caf\xE9\n";

/// Runs a program. Returns what it printed, or `None` if it can't run or fails.
fn run(program: &str, args: &[&str], path: &Path) -> Option<String> {
    let output = Command::new(program).args(args).arg(path).output().ok()?;
    output.status.success().then(|| String::from_utf8(output.stdout).unwrap())
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().mode() & 0o7777
}

/// Returns the access control list as `getfacl` shows it, with numbers for users and groups.
fn acl(path: &Path) -> String {
    run("getfacl", &["--omit-header", "--numeric", "--absolute-names"], path)
        .expect("getfacl, of the package acl")
}

/// Runs the command as another user, in `folder`.
fn as_nobody(folder: &Folder, args: &[&str]) -> Output {
    let nobody = 65534;
    Command::new(cargo_bin!("trust8"))
        .args(args)
        .current_dir(folder.path())
        .uid(nobody)
        .gid(nobody)
        .output()
        .unwrap()
}

/// A file of mode 600 with an access control list became writable for its group, because the mode
/// of a file with a list has the mask of the list where the permissions of the group are.
#[test]
fn in_place_keeps_the_access_control_list() {
    let folder = Folder::new();
    let path = folder.file("f", BROKEN);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    if run("setfacl", &["--modify", "user:1234:rw"], &path).is_none() {
        return skip(
            "setfacl, of the package acl, is missing, or the file system has no access control lists",
        );
    }
    let before = (acl(&path), mode(&path));
    assert!(before.0.contains("user:1234:rw-") && before.0.contains("group::---"), "{}", before.0);
    for args in [
        &["fix", "-iq", "--replace", "f"][..],
        &["convert", "-i", "--to", "utf-16le", "f"],
        &["fix", "f", "-o", "f", "--drop"],
    ] {
        fs::write(&path, b"a\xE9".repeat(1 + usize::from(args[0] == "fix"))).unwrap();
        if args[0] == "convert" {
            fs::write(&path, "é").unwrap();
        }
        folder.trust8().args(args).assert().code(0);
        assert_eq!((acl(&path), mode(&path)), before, "{args:?}");
    }
}

/// The new file is created in the folder, and so it is born with the entries of the folder's
/// default list.
#[test]
fn the_default_access_control_list_of_the_folder_adds_nobody() {
    let folder = Folder::new();
    let path = folder.file("f", BROKEN);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o660)).unwrap();
    if run("setfacl", &["--default", "--modify", "user:1234:rw"], folder.path()).is_none() {
        return skip(
            "setfacl, of the package acl, is missing, or the file system has no access control lists",
        );
    }
    folder.trust8().args(["fix", "-iq", "--replace", "--backup", "f"]).assert().code(0);
    for name in ["f", "f~"] {
        assert!(!acl(&folder.at(name)).contains("1234"), "{}", acl(&folder.at(name)));
        assert_eq!(mode(&folder.at(name)), 0o660);
    }
    // A file that did not exist has what every new file in this folder has.
    folder.trust8().args(["fix", "-o", "new"]).write_stdin("text").assert().code(0);
    fs::write(folder.at("plain"), "").unwrap();
    assert_eq!(acl(&folder.at("new")), acl(&folder.at("plain")));
}

#[test]
fn in_place_keeps_extended_attributes() {
    let folder = Folder::new();
    let path = folder.file("f", BROKEN);
    if run("setfattr", &["--name", "user.origin", "--value", "scanner 7"], &path).is_none() {
        return skip(
            "setfattr, of the package attr, is missing, or the file system has no extended attributes",
        );
    }
    folder.trust8().args(["fix", "-iq", "--replace", "--backup", "f"]).assert().code(0);
    for name in ["f", "f~"] {
        let value = run("getfattr", &["--only-values", "--name", "user.origin"], &folder.at(name));
        assert_eq!(value.as_deref(), Some("scanner 7"), "{name}");
    }
}

#[test]
fn root_keeps_the_owner_and_the_set_id_bits() {
    let folder = Folder::new();
    let path = folder.file("f", BROKEN);
    if chown(&path, Some(1234), Some(4321)).is_err() {
        return skip("only root can give files away");
    }
    fs::set_permissions(&path, fs::Permissions::from_mode(0o6755)).unwrap();
    let assert = folder.trust8().args(["fix", "-iq", "--replace", "f"]).assert().code(0);
    assert_eq!(stderr(&assert), "");
    let metadata = path.metadata().unwrap();
    assert_eq!((metadata.uid(), metadata.gid(), mode(&path)), (1234, 4321, 0o6755));
}

/// If another user repairs a file, it becomes that user's. A set-user-ID program would then run as
/// that user, and the permissions of the old group would go to another group.
#[test]
fn another_user_gets_no_set_id_bits_and_widens_no_access() {
    let folder = Folder::new();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let path = folder.file("f", BROKEN);
    if chown(&path, Some(1234), Some(4321)).is_err() {
        return skip("only root can become another user");
    }
    for (before, after) in [(0o4755, 0o755), (0o2774, 0o744), (0o664, 0o644), (0o604, 0o604)] {
        fs::write(&path, BROKEN).unwrap();
        chown(&path, Some(1234), Some(4321)).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(before)).unwrap();
        let output = as_nobody(&folder, &["fix", "-iq", "--replace", "f"]);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "caf\u{FFFD}\n");
        assert_eq!(mode(&path), after, "{before:o}");
        assert!(error.starts_with("trust8: f: its owner and group could not be kept"), "{error}");
        assert_eq!(error.contains("set-ID bits are cleared"), before & 0o6000 != 0, "{error}");
    }
    // The same for the entry of the group in an access control list.
    fs::write(&path, BROKEN).unwrap();
    chown(&path, Some(1234), Some(4321)).unwrap();
    if run("setfacl", &["--set", "user::rw,user:7:rw,group::rw,mask::rw,other::r"], &path).is_none() {
        return skip("setfacl, of the package acl, is missing");
    }
    assert_eq!(as_nobody(&folder, &["fix", "-iq", "--replace", "f"]).status.code(), Some(0));
    let acl = acl(&path);
    assert!(acl.contains("user:7:rw-") && acl.contains("group::r--") && acl.contains("mask::rw-"), "{acl}");
}
