//! The contents of the next commit, for `check --staged`: files as they are in Git's index, which
//! can differ from those on disk.

use std::fs::File;
use std::io::{self, Seek};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Returns the names and objects of the files that differ between the index and the last commit, in
/// the order of their names. If there are `paths`, returns only the files in them.
pub(crate) fn files(paths: &[PathBuf]) -> Result<Vec<(Vec<u8>, String)>, String> {
    let mut git = Command::new("git");
    // With this option in the user's configuration, Git leaves out all files outside the current
    // folder.
    git.args(["-c", "diff.relative=false"]);
    git.args(["diff", "--cached", "--raw", "-z", "--no-abbrev", "--no-renames", "--diff-filter=d", "--"]);
    let output = git.args(paths).stdin(Stdio::null()).output().map_err(|error| format!("git: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
    }
    let mut fields = output.stdout.split(|&byte| byte == 0);
    let mut files = Vec::new();
    while let (Some(what), Some(name)) = (fields.next(), fields.next()) {
        let what = String::from_utf8_lossy(what);
        // Two modes, two objects and a letter. Links and submodules have other modes than regular
        // files.
        let [_, mode, _, object, _] = what.split(' ').collect::<Vec<_>>()[..] else {
            return Err(format!("git: cannot read {what}"));
        };
        if mode.starts_with("100") {
            files.push((name.to_owned(), object.to_owned()));
        }
    }
    Ok(files)
}

/// Returns a file with the content of `object`.
pub(crate) fn open(object: &str) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    let mut git = Command::new("git");
    git.args(["cat-file", "blob", object]).stdin(Stdio::null()).stdout(file.try_clone()?);
    let output = git.stderr(Stdio::piped()).spawn()?.wait_with_output()?;
    if !output.status.success() {
        return Err(io::Error::other(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    file.rewind()?;
    Ok(file)
}
