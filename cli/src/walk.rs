//! From the paths of the command line to the files that they stand for, in an order that is always the
//! same: that of the command line, and inside a folder that of the names.

use std::io;
use std::path::{Path, PathBuf};

use ignore::overrides::{Override, OverrideBuilder};
use ignore::{DirEntry, WalkBuilder};

use crate::args::Selection;
use crate::source::Source;

/// Something to look at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    pub(crate) source: Source,
    /// On the command line, as opposed to found in a folder. What was named is looked at whatever it is.
    pub(crate) named: bool,
}

/// All that the paths stand for: files one by one, and in between what kept others from being found.
pub(crate) struct Walk<'a> {
    selection: &'a Selection,
    globs: Override,
    paths: std::slice::Iter<'a, PathBuf>,
    folder: Option<ignore::Walk>,
    /// Standard input, if there are no paths.
    nothing_named: bool,
}

/// Something that could not be looked at, as a sentence with the path in it.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Unreachable {
    pub(crate) path: PathBuf,
    pub(crate) why: String,
}

impl<'a> Walk<'a> {
    /// Fails if a glob is not one.
    pub(crate) fn new(selection: &'a Selection) -> Result<Self, String> {
        let mut globs = OverrideBuilder::new(".");
        for glob in &selection.glob {
            globs.add(glob).map_err(|error| error.to_string())?;
        }
        Ok(Self {
            selection,
            globs: globs.build().map_err(|error| error.to_string())?,
            paths: selection.paths.iter(),
            folder: None,
            nothing_named: selection.paths.is_empty(),
        })
    }

    /// Whether this can be more than one file.
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
        if std::mem::take(&mut self.nothing_named) {
            return Some(Ok(Entry { source: Source::StandardInput, named: true }));
        }
        loop {
            while let Some(folder) = &mut self.folder {
                match folder.next() {
                    None => self.folder = None,
                    Some(Ok(entry)) => {
                        if let Some(path) = file(entry) {
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

/// The path of what was found in a folder, if it is a file; pipes and devices there are left alone.
fn file(entry: DirEntry) -> Option<PathBuf> {
    entry.file_type().is_some_and(|kind| kind.is_file()).then(|| entry.into_path())
}

/// What the crate's error says, without what it has nested it in. `None` where nothing was missed.
fn unreachable(mut error: &ignore::Error) -> Option<Unreachable> {
    let mut at = PathBuf::new();
    loop {
        match error {
            ignore::Error::WithPath { path, err } => {
                at.clone_from(path);
                error = err;
            }
            ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => error = err,
            // A link back to a folder that it is in. All that lies there is looked at where it really is.
            ignore::Error::Loop { .. } => return None,
            other => {
                let why = match other.io_error() {
                    Some(error) => strip_path(error),
                    None => other.to_string(),
                };
                return Some(Unreachable { path: at, why });
            }
        }
    }
}

/// The system's words for an error, where the crate has put the path in front of them.
fn strip_path(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code).to_string(),
        None => error.get_ref().map_or_else(
            || error.to_string(),
            |inner| inner.source().map_or_else(|| inner.to_string(), ToString::to_string),
        ),
    }
}
