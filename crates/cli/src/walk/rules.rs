//! Ignore files: `.ignore`, `.gitignore` and `.git/info/exclude`.
//!
//! Whoever can write to a folder chooses what these files are. A pipe would be read for ever, and a
//! sparse file would take all memory. So they are read only if they are regular and not too long.

use std::fs::File;
use std::path::{Path, PathBuf};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder, gitconfig_excludes_path};

use super::skips::{Skips, Why};
use crate::config::{is_strangers, literal_braces};
use crate::source::read_short;

/// Which of the names that matter a folder has.
#[derive(Clone, Copy, Default)]
pub(super) struct Names {
    pub(super) ignore: bool,
    pub(super) git_ignore: bool,
    pub(super) git: bool,
    pub(super) jj: bool,
}

impl Names {
    pub(super) const ALL: Self = Self { ignore: true, git_ignore: true, git: true, jj: true };

    pub(super) fn add(&mut self, name: &[u8]) {
        match name {
            b".ignore" => self.ignore = true,
            b".gitignore" => self.git_ignore = true,
            b".git" => self.git = true,
            b".jj" => self.jj = true,
            _ => {}
        }
    }
}

/// The rules of one folder.
pub(super) struct Rules {
    ignore: Gitignore,
    git_ignore: Gitignore,
    git_exclude: Gitignore,
    /// Whether a repository begins here.
    pub(super) has_git: bool,
    /// The length of the folder's path, in the paths that are matched.
    folder: usize,
}

impl Rules {
    /// Reads the rules of the folder at `path`. `handle` is the open folder, if there is one, and
    /// `names` are the names in it. `below` is the folder that is searched, if this one is above it.
    /// Returns `None` if it has no rules.
    pub(super) fn read(
        path: &Path,
        handle: Option<&File>,
        names: Names,
        below: Option<&Path>,
        skips: &mut Skips,
    ) -> Option<Self> {
        let read = |exists: bool, name: &Path| {
            if !exists {
                return Gitignore::empty();
            }
            match read_short(handle, path, name) {
                // Another user could hide findings with it, in a folder like /tmp.
                Ok(Some(_)) if below.is_some_and(|below| is_strangers(&path.join(name), below)) => {
                    skips.warn(&path.join(name), "it belongs to another user");
                    Gitignore::empty()
                }
                Ok(text) => text.map_or_else(Gitignore::empty, |text| rules_in(&path.join(name), &text)),
                Err(why) => {
                    skips.warn(&path.join(name), &why);
                    Gitignore::empty()
                }
            }
        };
        let exists = |exists: bool, name: &str| exists && path.join(name).metadata().is_ok();
        let has_git = exists(names.git, ".git") || exists(names.jj, ".jj");
        let rules = Self {
            ignore: read(names.ignore, Path::new(".ignore")),
            git_ignore: read(names.git_ignore, Path::new(".gitignore")),
            git_exclude: read(names.git && has_git, &git_folder(handle, path).join("info/exclude")),
            has_git,
            folder: path.as_os_str().len(),
        };
        let is_empty = rules.ignore.is_empty() && rules.git_ignore.is_empty() && rules.git_exclude.is_empty();
        (!is_empty || has_git).then_some(rules)
    }

    /// Returns `path`, which is in this folder, as it is seen from there.
    fn relative<'p>(&self, path: &'p Path) -> &'p Path {
        #[cfg(unix)]
        {
            use std::ffi::OsStr;
            use std::os::unix::ffi::OsStrExt;
            let bytes = path.as_os_str().as_bytes();
            let rest = bytes.get(self.folder..).unwrap_or(bytes);
            Path::new(OsStr::from_bytes(rest.strip_prefix(b"/").unwrap_or(rest)))
        }
        #[cfg(not(unix))]
        {
            let text = path.to_str().and_then(|text| text.get(self.folder..));
            text.map_or(path, |rest| Path::new(rest.trim_start_matches(std::path::is_separator)))
        }
    }
}

/// Matches `path` with `rules`, those of inner folders first, and with the user's `global` ones.
pub(super) fn matched<'r>(
    rules: impl Iterator<Item = &'r Rules> + Clone,
    global: &'r Gitignore,
    path: &Path,
    is_folder: bool,
) -> Match<Why> {
    let repository = rules.clone().find(|rules| rules.has_git);
    let (mut ignore, mut git_ignore, mut git_exclude) = (Match::None, Match::None, Match::None);
    let mut in_repository = repository.is_some();
    for rules in rules {
        let path = rules.relative(path);
        let add = |found: &mut Match<_>, matcher: &'r Gitignore| {
            if found.is_none() {
                *found = matcher.matched(path, is_folder);
            }
        };
        add(&mut ignore, &rules.ignore);
        if in_repository {
            add(&mut git_ignore, &rules.git_ignore);
            add(&mut git_exclude, &rules.git_exclude);
        }
        in_repository &= !rules.has_git;
    }
    let global =
        repository.map_or(Match::None, |repository| global.matched(repository.relative(path), is_folder));
    let found = ignore.or(git_ignore).or(git_exclude).or(global);
    found.map(|glob| Why::Ignored {
        file: glob.from().map(Path::to_owned).unwrap_or_default(),
        // As it stands in the file, before `literal_braces`.
        pattern: glob.original().replace("\\{", "{").replace("\\}", "}"),
    })
}

/// Returns the rules of the user's ignore file for all repositories.
pub(super) fn global() -> Gitignore {
    let read = || {
        let path = gitconfig_excludes_path()?;
        let text = read_short(None, path.parent()?, Path::new(path.file_name()?)).ok()??;
        Some(rules_in(&path, &text))
    };
    read().unwrap_or_else(Gitignore::empty)
}

/// Returns the rules in `text`, the content of the file at `path`. Lines that are not UTF-8, or no
/// patterns, are passed over.
fn rules_in(path: &Path, text: &[u8]) -> Gitignore {
    // Paths are matched as they are seen from the folder, or for the user's file, from the repository.
    let mut builder = GitignoreBuilder::new(".");
    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    for line in text.split(|&byte| byte == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if let Ok(line) = trust8::from_utf8(line) {
            let _ = builder.add_line(Some(path.to_owned()), &literal_braces(line));
        }
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// Returns the folder with Git's data on the repository at `path`. In another worktree, `.git` is a
/// file that names it.
fn git_folder(handle: Option<&File>, path: &Path) -> PathBuf {
    let named = |text: Vec<u8>, prefix: &str| {
        let line = text.split(|&byte| byte == b'\n').next()?;
        let line = trust8::from_utf8(line).ok()?.strip_prefix(prefix)?.trim_end_matches('\r');
        Some(PathBuf::from(line))
    };
    let git = PathBuf::from(".git");
    let Ok(Some(text)) = read_short(handle, path, &git) else { return git };
    let Some(folder) = named(text, "gitdir: ") else { return git };
    let folder = path.join(folder);
    match read_short(None, &folder, Path::new("commondir")) {
        Ok(Some(text)) => named(text, "").map_or_else(|| folder.clone(), |common| folder.join(common)),
        _ => folder,
    }
}
