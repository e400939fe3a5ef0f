//! What a search leaves out, and why.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::{Path, PathBuf};

use crate::outcome::print_error;
use crate::progress::Progress;

/// Why an entry of a folder is left out.
pub(crate) enum Why {
    Hidden,
    /// A pattern in an ignore file matches it.
    Ignored {
        file: PathBuf,
        pattern: String,
    },
    Git,
    Glob,
    Type,
    Config,
    Link,
    Special,
    Backup,
    TooDeep,
    TooLong,
    OtherFileSystem,
    Kernel,
    Above,
    Output,
}

impl Why {
    /// Whether no option of the command line excludes it.
    fn is_unasked(&self) -> bool {
        matches!(self, Self::Hidden | Self::Ignored { .. })
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ignored { file, pattern } => {
                return write!(f, "ignored by `{pattern}` in {}", file.display());
            }
            Self::Hidden => "hidden",
            Self::Git => "Git's own files",
            Self::Glob => "not selected by --glob or --exclude",
            Self::Type => "not selected by --type or --type-not",
            Self::Config => "excluded by trust8.toml",
            Self::Link => "a symbolic link",
            Self::Special => "not a regular file",
            Self::Backup => "a backup",
            Self::TooDeep => "deeper than --max-depth",
            Self::TooLong => "longer than --max-filesize",
            Self::OtherFileSystem => "on another file system",
            Self::Kernel => "no files, but what the kernel shows of itself",
            Self::Above => "a link to a folder that is above it",
            Self::Output => "the output",
        })
    }
}

/// Counts what is skipped, and reports it with `--verbose`.
pub(crate) struct Skips {
    /// How many entries of folders.
    pub(crate) count: u64,
    /// How many of the files that Git tracks are hidden or ignored.
    pub(crate) tracked: u64,
    /// Why that could not be found out.
    pub(super) not_asked: Option<String>,
    /// Whether to report each.
    pub(super) verbose: bool,
    pub(super) progress: Progress,
    /// Hashes of the paths in the folder that is searched that are hidden or ignored, if that is a
    /// repository.
    unasked: HashSet<u64>,
    hashes: RandomState,
}

impl Skips {
    pub(super) fn new() -> Self {
        Self {
            count: 0,
            tracked: 0,
            not_asked: None,
            verbose: false,
            progress: Progress::none(),
            unasked: HashSet::new(),
            hashes: RandomState::new(),
        }
    }

    /// Counts the entry at `path` as left out. `relative` is its path in the folder that is
    /// searched.
    pub(super) fn add(&mut self, path: &Path, relative: &Path, in_git: bool, why: &Why) {
        self.count += 1;
        if in_git && why.is_unasked() {
            let hash = self.prefixes(relative.iter().map(OsStr::as_encoded_bytes)).last();
            self.unasked.extend(hash);
        }
        if self.verbose {
            self.print(&format!("{}: skipped: {why}", path.display()));
        }
    }

    /// Says that the ignore file at `path` is not obeyed.
    pub(super) fn warn(&self, path: &Path, why: &str) {
        self.print(&format!("{}: not obeyed: {why}", path.display()));
    }

    fn print(&self, message: &str) {
        self.progress.suspend(|| print_error(message));
    }

    /// Whether something in the folder that is searched may be tracked by Git, and is left out.
    pub(super) fn may_be_tracked(&self) -> bool {
        !self.unasked.is_empty()
    }

    /// Forgets what was left out of the last folder, and counts those of its `tracked` files.
    pub(super) fn count_tracked<'p>(&mut self, tracked: impl Iterator<Item = &'p [u8]>) {
        let unasked = std::mem::take(&mut self.unasked);
        let is_left_out = |path: &&[u8]| {
            self.prefixes(path.split(|&byte| byte == b'/')).any(|hash| unasked.contains(&hash))
        };
        self.tracked += tracked.filter(is_left_out).count() as u64;
    }

    /// Returns the hashes of a path's folders, and its own.
    fn prefixes<'p>(&self, parts: impl Iterator<Item = &'p [u8]>) -> impl Iterator<Item = u64> {
        let mut hasher = self.hashes.build_hasher();
        parts.map(move |part| {
            hasher.write(part);
            hasher.write_u8(b'/');
            hasher.finish()
        })
    }
}
