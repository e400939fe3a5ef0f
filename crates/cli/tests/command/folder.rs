//! Runs the built command, in folders that are removed when a test ends.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin;
use tempfile::TempDir;

/// Returns the built command, without environment variables that change its output.
pub(crate) fn trust8() -> Command {
    let mut command = Command::new(cargo_bin!("trust8"));
    command.env_remove("NO_COLOR").env_remove("CLICOLOR").env_remove("CLICOLOR_FORCE");
    command
}

/// Says why a test is skipped. If `TRUST8_REQUIRE_ROOT` is set, as in CI, all must run, and this
/// fails.
#[cfg(unix)]
pub(crate) fn skip(why: &str) {
    assert!(std::env::var_os("TRUST8_REQUIRE_ROOT").is_none(), "TRUST8_REQUIRE_ROOT is set, but {why}");
    eprintln!("skipped: {why}");
}

/// A temporary folder.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    pub(crate) fn inside(parent: &Path) -> Self {
        Self(TempDir::new_in(parent).unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// Creates a file and the folders above it, and returns its path.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.at(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// Returns the command with this folder as its working directory.
    pub(crate) fn trust8(&self) -> Command {
        let mut command = trust8();
        command.current_dir(self.path());
        command
    }

    /// Returns the names of all files, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(self.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

/// Returns what the command printed on standard output.
pub(crate) fn stdout(assert: &assert_cmd::assert::Assert) -> String {
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

/// Returns what the command printed on standard error.
pub(crate) fn stderr(assert: &assert_cmd::assert::Assert) -> String {
    String::from_utf8(assert.get_output().stderr.clone()).unwrap()
}
