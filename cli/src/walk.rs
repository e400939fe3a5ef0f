//! Turns the paths of the command line into files.
//!
//! The order is always the same: that of the command line, and inside a folder that of the names.

use std::io;
use std::path::{Path, PathBuf};

use ignore::overrides::{Override, OverrideBuilder};
use ignore::types::{Types, TypesBuilder};
use ignore::{DirEntry, WalkBuilder};

use crate::args::Selection;
use crate::source::Source;

/// An input to work on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    pub(crate) source: Source,
    /// Whether the path was given on the command line. If not, the file was found in a folder. A path that was given is
    /// read whatever it is; in folders, only regular files are.
    pub(crate) named: bool,
}

/// Iterates over the files that the paths stand for, and over the errors that kept it from finding others.
pub(crate) struct Walk<'a> {
    selection: &'a Selection,
    globs: Override,
    types: Types,
    paths: std::slice::Iter<'a, PathBuf>,
    folder: Option<ignore::Walk>,
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
        Ok(Self {
            selection,
            globs: globs.build().map_err(|error| error.to_string())?,
            types: types.build().map_err(|error| error.to_string())?,
            paths: selection.paths.iter(),
            folder: None,
        })
    }

    /// Whether there may be more than one file. Call this before the first `next`.
    pub(crate) fn may_be_many(&self) -> bool {
        match self.paths.as_slice() {
            [] => false,
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

impl Iterator for Walk<'_> {
    type Item = Result<Entry, Unreachable>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            while let Some(folder) = &mut self.folder {
                match folder.next() {
                    None => self.folder = None,
                    Some(Ok(entry)) => {
                        if let Some(mut path) = regular_file(entry) {
                            if self.selection.is_implied
                                && let Ok(inner) = path.strip_prefix(".")
                            {
                                path = inner.to_owned();
                            }
                            return Some(Ok(Entry { source: Source::Path(path), named: false }));
                        }
                    }
                    Some(Err(error)) => {
                        if let Some(unreachable) = unreachable(&error) {
                            return Some(Err(unreachable));
                        }
                    }
                }
            }
            let path = self.paths.next()?;
            let source = Source::named(path);
            if source != Source::StandardInput && path.is_dir() {
                self.folder = Some(self.folder(path));
            } else {
                return Some(Ok(Entry { source, named: true }));
            }
        }
    }
}

/// Returns the path of `entry` if it is a regular file. Pipes and devices in folders are left alone.
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
            // A symbolic link to a folder that contains it. The files of that folder are visited there.
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
