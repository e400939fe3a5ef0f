//! Turns the paths of the command line into files.
//!
//! The order is always the same: that of the command line, and inside a folder that of the names.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ignore::overrides::{Override, OverrideBuilder};
use ignore::types::{Types, TypesBuilder};
use ignore::{DirEntry, WalkBuilder};

use crate::args::{BACKUP_SUFFIX, Selection};
use crate::source::{Opened, Source, path_of};
use crate::staged;

/// An input to work on.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) source: Source,
    /// Whether the path was given on the command line. If not, the file was found in a folder. A
    /// path that was given is read whatever it is; in folders, only regular files are.
    pub(crate) named: bool,
    /// The folder in which the file was found, if symbolic links are not followed.
    folder: Option<Arc<File>>,
}

impl Entry {
    /// An input that was named on the command line.
    pub(crate) fn named(source: Source) -> Self {
        Self { source, named: true, folder: None }
    }

    /// Opens the input for reading.
    pub(crate) fn open(&self) -> io::Result<Opened> {
        if self.named { self.source.open() } else { self.open_regular() }
    }

    /// Opens the input if it is a regular file. Does not wait, as opening a pipe would.
    ///
    /// If the file was found in a folder, and another program has replaced it, or a folder above
    /// it, by a symbolic link since, the link is not followed.
    pub(crate) fn open_regular(&self) -> io::Result<Opened> {
        self.source.open_regular(self.folder.as_deref())
    }
}

/// Iterates over the files that the paths lead to, and over the errors that kept it from finding
/// others.
pub(crate) struct Walk<'a> {
    selection: &'a Selection,
    globs: Override,
    types: Types,
    paths: std::slice::Iter<'a, PathBuf>,
    folder: Option<(PathBuf, ignore::Walk)>,
    /// The folder of the last file that was found, as it is seen from `folder`.
    parent: Option<(PathBuf, Arc<File>)>,
    /// What is staged, if that is to be checked.
    staged: std::vec::IntoIter<Source>,
    /// Counts the entries of folders that are left out, if the user wants to know.
    left_out: Option<Arc<AtomicU64>>,
}

/// A path that could not be visited, and why.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Unreachable {
    pub(crate) path: PathBuf,
    pub(crate) why: String,
}

impl<'a> Walk<'a> {
    /// Fails if a glob of the selection is malformed, or a type is not known.
    pub(crate) fn new(selection: &'a Selection) -> Result<Self, String> {
        let mut globs = OverrideBuilder::new(".");
        for glob in &selection.glob {
            globs.add(glob).map_err(|error| error.to_string())?;
        }
        let mut types = TypesBuilder::new();
        if !(selection.types.is_empty() && selection.type_not.is_empty()) {
            types.add_defaults();
        }
        for name in &selection.types {
            types.select(name);
        }
        for name in &selection.type_not {
            types.negate(name);
        }
        for glob in &selection.exclude {
            globs.add(&format!("!{glob}")).map_err(|error| error.to_string())?;
        }
        Ok(Self {
            selection,
            globs: globs.build().map_err(|error| error.to_string())?,
            types: types.build().map_err(|error| error.to_string())?,
            paths: selection.paths.iter(),
            folder: None,
            parent: None,
            staged: Vec::new().into_iter(),
            left_out: None,
        })
    }

    /// Iterates over the files of Git's index that the next commit changes, and that the selection
    /// has.
    pub(crate) fn staged(selection: &'a Selection) -> Result<Self, String> {
        let files = staged::files(&selection.paths)?;
        let files: Vec<_> =
            files.into_iter().map(|(name, object)| Source::Staged(path_of(&name), object)).collect();
        Ok(Self { paths: [].iter(), staged: files.into_iter(), ..Self::new(selection)? })
    }

    /// Adds to `left_out` how many entries of folders are left out.
    pub(crate) fn counting(self, left_out: &Arc<AtomicU64>) -> Self {
        Self { left_out: Some(Arc::clone(left_out)), ..self }
    }

    /// Whether there may be more than one file. Call this before the first `next`.
    pub(crate) fn may_be_many(&self) -> bool {
        match self.paths.as_slice() {
            [] => self.staged.len() > 1,
            [path] => path.is_dir(),
            _ => true,
        }
    }

    fn folder(&self, path: &Path) -> ignore::Walk {
        let filtered = !self.selection.no_ignore;
        WalkBuilder::new(path)
            .overrides(self.globs.clone())
            .types(self.types.clone())
            .max_depth(self.selection.max_depth)
            // A file that the output goes to would never end.
            .skip_stdout(true)
            .hidden(!self.selection.hidden)
            .follow_links(self.selection.follow)
            .parents(filtered)
            .ignore(filtered)
            .git_ignore(filtered)
            .git_global(filtered)
            .git_exclude(filtered)
            .sort_by_file_name(Ord::cmp)
            .build()
    }
}

impl Walk<'_> {
    /// Whether the globs and the types of the selection include `source`.
    fn selects(&self, source: &Source) -> bool {
        let Source::Staged(path, _) = source else { return true };
        !self.globs.matched(path, false).is_ignore() && !self.types.matched(path, false).is_ignore()
    }

    /// Whether the file at `path` is a backup of another file that is there.
    fn is_backup(&self, path: &Path) -> bool {
        let suffix = self.selection.backup.as_deref().unwrap_or(BACKUP_SUFFIX);
        let name = path.file_name().and_then(|name| name.to_str());
        let original = name.and_then(|name| name.strip_suffix(suffix)).filter(|name| !name.is_empty());
        original.is_some_and(|original| path.with_file_name(original).symlink_metadata().is_ok())
    }

    /// If `entry` is a folder that is searched, counts all that is in it as left out. `found` takes
    /// back what is not.
    fn note_left_out(&self, entry: &DirEntry) {
        let Some(left_out) = &self.left_out else { return };
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        if is_folder && self.selection.max_depth.is_none_or(|depth| entry.depth() < depth) {
            let inside = std::fs::read_dir(entry.path()).map_or(0, |entries| entries.flatten().count());
            let itself = u64::from(entry.depth() > 0);
            left_out.fetch_add(inside as u64, Ordering::Relaxed);
            left_out.fetch_sub(itself, Ordering::Relaxed);
        }
    }

    /// Returns the entry for a file that was found in a folder.
    fn found(&mut self, path: PathBuf) -> Result<Entry, Unreachable> {
        if let Some(left_out) = &self.left_out {
            left_out.fetch_sub(1, Ordering::Relaxed);
        }
        let folder = match self.folder_of(&path) {
            Ok(folder) => folder,
            Err(error) => return Err(Unreachable { path, why: error.to_string() }),
        };
        let shown = path.strip_prefix(".").ok().filter(|_| self.selection.is_implied).map(Path::to_owned);
        Ok(Entry { source: Source::Path(shown.unwrap_or(path)), named: false, folder })
    }

    /// Opens the folder of the file at `path`, without following symbolic links that other programs
    /// have put there since.
    fn folder_of(&mut self, path: &Path) -> io::Result<Option<Arc<File>>> {
        let (Some((root, _)), Some(parent), false) = (&self.folder, path.parent(), self.selection.follow)
        else {
            return Ok(None);
        };
        match &self.parent {
            Some((last, folder)) if last == parent => Ok(Some(Arc::clone(folder))),
            _ => {
                let Some(folder) = open_folder(root, parent)?.map(Arc::new) else { return Ok(None) };
                self.parent = Some((parent.to_owned(), Arc::clone(&folder)));
                Ok(Some(folder))
            }
        }
    }
}

/// Opens `path`, a folder inside `root`, without following symbolic links below `root`. Returns
/// `None` on systems that have no handles of folders.
#[cfg(unix)]
fn open_folder(root: &Path, path: &Path) -> io::Result<Option<File>> {
    use rustix::fs::{Mode, OFlags, openat};

    let mut folder = File::open(root)?;
    for part in path.strip_prefix(root).unwrap_or(path) {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        folder = openat(&folder, part, flags, Mode::empty())?.into();
    }
    Ok(Some(folder))
}

#[cfg(not(unix))]
fn open_folder(_root: &Path, _path: &Path) -> io::Result<Option<File>> {
    Ok(None)
}

impl Iterator for Walk<'_> {
    type Item = Result<Entry, Unreachable>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            while let Some(next) = self.folder.as_mut().map(|(_, folder)| folder.next()) {
                match next {
                    None => (self.folder, self.parent) = (None, None),
                    Some(Ok(entry)) => {
                        self.note_left_out(&entry);
                        if let Some(path) = regular_file(entry).filter(|path| !self.is_backup(path)) {
                            return Some(self.found(path));
                        }
                    }
                    Some(Err(error)) => {
                        if let Some(unreachable) = unreachable(&error) {
                            return Some(Err(unreachable));
                        }
                    }
                }
            }
            if let Some(source) = self.staged.next() {
                if self.selects(&source) {
                    return Some(Ok(Entry { source, named: false, folder: None }));
                }
                continue;
            }
            let path = self.paths.next()?;
            let source = Source::named(path);
            if source != Source::StandardInput && path.is_dir() {
                self.folder = Some((path.clone(), self.folder(path)));
            } else {
                return Some(Ok(Entry::named(source)));
            }
        }
    }
}

/// Returns the path of `entry` if it is a regular file. Pipes and devices in folders are left
/// alone.
fn regular_file(entry: DirEntry) -> Option<PathBuf> {
    entry.file_type().is_some_and(|kind| kind.is_file()).then(|| entry.into_path())
}

/// Unwraps an error of the crate `ignore`. Returns `None` if no file was missed because of it.
fn unreachable(mut error: &ignore::Error) -> Option<Unreachable> {
    let mut at = PathBuf::new();
    loop {
        match error {
            ignore::Error::WithPath { path, err } => {
                at.clone_from(path);
                error = err;
            }
            ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => error = err,
            // A symbolic link to a folder that contains it. The files of that folder are visited
            // there.
            ignore::Error::Loop { .. } => return None,
            other => {
                let why = match other.io_error() {
                    Some(error) => without_path(error),
                    None => other.to_string(),
                };
                return Some(Unreachable { path: at, why });
            }
        }
    }
}

/// Returns the message of `error` without the path that the crate `ignore` has put before it.
fn without_path(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code).to_string(),
        None => error.get_ref().map_or_else(
            || error.to_string(),
            |inner| inner.source().map_or_else(|| inner.to_string(), ToString::to_string),
        ),
    }
}
