//! Turns the paths of the command line into files.
//!
//! The order is always the same: that of the command line, and inside a folder that of the names.
//! `tree.rs` searches a folder, `rules.rs` reads ignore files, and `skips.rs` counts what is
//! skipped. `unmatched.rs` finds patterns that match nothing.

mod rules;
mod skips;
mod tree;
mod unmatched;

use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use ignore::gitignore::Gitignore;
use ignore::overrides::{Override, OverrideBuilder};
use ignore::types::{Types, TypesBuilder};

use crate::args::{BACKUP_SUFFIX, Selection};
use crate::config::Config;
use crate::git;
use crate::progress::Progress;
use crate::source::{Opened, Source, path_of};
use crate::statistics::grouped;
use skips::{Skips, Why};
use tree::Tree;
use unmatched::Unmatched;

/// An input to work on.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) source: Source,
    /// Whether the path was given on the command line. If not, the file was found in a folder. A
    /// path that was given is read whatever it is; in folders, only regular files are.
    pub(crate) named: bool,
    /// The folder in which the file was found, if symbolic links are not followed.
    pub(crate) folder: Option<Arc<File>>,
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
    filter: Filter,
    paths: std::slice::Iter<'a, PathBuf>,
    tree: Option<Tree>,
    /// Git's files, if these are to be checked.
    listed: std::vec::IntoIter<Source>,
    /// The folder of the last one of them.
    last_folder: Option<(PathBuf, Option<Arc<File>>)>,
    skips: Skips,
    unmatched: Unmatched,
}

/// Which entries of a folder to visit.
struct Filter {
    globs: Override,
    /// What to skip even if it is named.
    forced: Override,
    types: Types,
    hidden: bool,
    /// Whether ignore files are obeyed.
    obeys: bool,
    follow: bool,
    max_depth: Option<usize>,
    max_filesize: Option<u64>,
    one_file_system: bool,
    /// The suffix of the names of backups.
    backup: String,
    /// The file that the output goes to.
    #[cfg(unix)]
    output: Option<(u64, u64)>,
    #[cfg(not(unix))]
    output: Option<same_file::Handle>,
    global: OnceLock<Gitignore>,
    config: Option<Arc<Config>>,
    /// The folder that the names of the selection are relative to.
    base: PathBuf,
}

impl Filter {
    /// Returns the user's ignore file for all repositories.
    fn global(&self) -> &Gitignore {
        self.global.get_or_init(rules::global)
    }

    /// Whether the globs and the types include the file at `path`, and the folders above it that are
    /// below `root`.
    fn selects(&self, path: &Path, root: &Path) -> bool {
        let excludes = |config: &Arc<Config>| config.excludes_file(&self.base.join(path));
        !self.types.matched(path, false).is_ignore()
            && !is_excluded(&self.globs, path, root)
            && !self.config.as_ref().is_some_and(excludes)
    }
}

/// Whether `globs` exclude the file at `path`, or a folder above it that is below `root`.
fn is_excluded(globs: &Override, path: &Path, root: &Path) -> bool {
    let folders = path.ancestors().skip(1).take_while(|&folder| folder != root);
    let mut folders = folders.filter(|folder| !folder.as_os_str().is_empty());
    globs.matched(path, false).is_ignore() || folders.any(|folder| globs.matched(folder, true).is_ignore())
}

/// Returns what identifies the file that the output goes to, if it is one.
#[cfg(unix)]
fn output() -> Option<(u64, u64)> {
    let metadata = crate::streams::StandardOutput::new().metadata()?;
    metadata.is_file().then(|| crate::replace::identity(&metadata))?
}

#[cfg(not(unix))]
fn output() -> Option<same_file::Handle> {
    same_file::Handle::stdout().ok()
}

/// A path that could not be visited, and why.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Unreachable {
    pub(crate) path: PathBuf,
    pub(crate) why: String,
}

impl<'a> Walk<'a> {
    /// Iterates over the files that the selection names, or over Git's.
    pub(crate) fn of(selection: &'a Selection, staged: bool) -> Result<Self, String> {
        match (staged, selection.tracked) {
            (true, _) => Self::staged(selection),
            (_, true) => Self::tracked(selection),
            _ => Self::new(selection),
        }
    }

    /// Fails if a glob of the selection is malformed, or a type is not known.
    fn new(selection: &'a Selection) -> Result<Self, String> {
        let mut globs = OverrideBuilder::new(".");
        for glob in &selection.glob {
            globs.add(glob).map_err(|error| error.to_string())?;
        }
        if !selection.iglob.is_empty() {
            globs.case_insensitive(true).map_err(|error| error.to_string())?;
            for glob in &selection.iglob {
                globs.add(glob).map_err(|error| error.to_string())?;
            }
            globs.case_insensitive(false).map_err(|error| error.to_string())?;
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
        let mut forced = OverrideBuilder::new(".");
        for glob in &selection.exclude {
            let glob = format!("!{glob}");
            globs.add(&glob).map_err(|error| error.to_string())?;
            if selection.force_exclude {
                forced.add(&glob).map_err(|error| error.to_string())?;
            }
        }
        let filter = Filter {
            globs: globs.build().map_err(|error| error.to_string())?,
            forced: forced.build().map_err(|error| error.to_string())?,
            types: types.build().map_err(|error| error.to_string())?,
            hidden: selection.hidden,
            obeys: !selection.no_ignore,
            follow: selection.follow,
            max_depth: selection.max_depth,
            max_filesize: selection.max_filesize,
            one_file_system: selection.one_file_system,
            backup: selection.backup.clone().unwrap_or_else(|| BACKUP_SUFFIX.to_owned()),
            output: output(),
            global: OnceLock::new(),
            config: None,
            base: std::env::current_dir().unwrap_or_default(),
        };
        Ok(Self {
            selection,
            filter,
            paths: selection.paths.iter(),
            tree: None,
            listed: Vec::new().into_iter(),
            last_folder: None,
            skips: Skips::new(),
            unmatched: Unmatched::new(selection),
        })
    }

    /// Iterates over the files of Git's index that the next commit changes, and that the selection
    /// has.
    fn staged(selection: &'a Selection) -> Result<Self, String> {
        let (top, files) = git::staged(&selection.paths)?;
        let files = files.into_iter().map(|(name, object)| Source::Staged(path_of(&name), object));
        let mut walk =
            Self { paths: [].iter(), listed: files.collect::<Vec<_>>().into_iter(), ..Self::new(selection)? };
        walk.filter.base = path_of(&top);
        Ok(walk)
    }

    /// Iterates over the files in the folders of the selection that Git tracks.
    fn tracked(selection: &'a Selection) -> Result<Self, String> {
        let files = git::tracked(None, &selection.paths)?;
        let files = files.into_iter().map(|name| Source::Path(path_of(&name)));
        Ok(Self { paths: [].iter(), listed: files.collect::<Vec<_>>().into_iter(), ..Self::new(selection)? })
    }

    /// Skips what `config` excludes.
    pub(crate) fn with_config(mut self, config: Option<&Arc<Config>>) -> Self {
        self.filter.config = config.cloned();
        self
    }

    /// Returns the folder that the names of the files are relative to.
    pub(crate) fn base(&self) -> &Path {
        &self.filter.base
    }

    /// Reports what is skipped. `progress` is hidden meanwhile.
    pub(crate) fn reporting(mut self, verbose: bool, progress: &Progress) -> Self {
        self.skips.verbose = verbose;
        self.skips.progress = progress.clone();
        self
    }

    /// Returns how many entries of folders were left out.
    pub(crate) fn left_out(&self) -> u64 {
        self.skips.count
    }

    /// Returns what a user should know who believes that everything was searched.
    pub(crate) fn notes(&self) -> Vec<String> {
        let mut notes = self.unmatched.notes();
        if self.skips.tracked > 0 {
            let (files, were) = match self.skips.tracked {
                1 => ("file", "was"),
                _ => ("files", "were"),
            };
            notes.push(format!(
                "{} {files} that Git tracks {were} left out as hidden or ignored; --tracked includes all",
                grouped(self.skips.tracked)
            ));
        }
        notes.extend(self.skips.not_asked.iter().map(|why| format!("what Git tracks is not known: {why}")));
        notes
    }

    /// Whether there may be more than one file. Call this before the first `next`.
    pub(crate) fn may_be_many(&self) -> bool {
        match self.paths.as_slice() {
            [] => self.listed.len() > 1,
            [path] => path.is_dir(),
            _ => true,
        }
    }
}

impl Walk<'_> {
    /// Returns the entry for a file that was found in a folder.
    fn in_folder(&mut self, (path, folder): tree::Found) -> Entry {
        self.unmatched.found(&path);
        let shown = path.strip_prefix(".").ok().filter(|_| self.selection.is_implied).map(Path::to_owned);
        Entry { source: Source::Path(shown.unwrap_or(path)), named: false, folder }
    }

    /// Counts the files in the folder `root`, which was searched, that Git tracks and that were
    /// hidden or ignored.
    fn count_tracked(&mut self, root: &Path) {
        if self.skips.may_be_tracked() {
            let tracked = git::tracked(Some(root), &[]).unwrap_or_else(|why| {
                if why != git::NO_REPOSITORY {
                    self.skips.not_asked.get_or_insert(why);
                }
                Vec::new()
            });
            let filter = &self.filter;
            let is_selected = |path: &&[u8]| {
                let depth = 1 + path.iter().filter(|&&byte| byte == b'/').count();
                filter.max_depth.is_none_or(|most| depth <= most)
                    && filter.selects(&root.join(path_of(path)), root)
            };
            self.skips.count_tracked(tracked.iter().map(|path| &path[..]).filter(is_selected));
        }
    }

    /// Returns the entry for a file that Git has listed, if it is there and selected.
    fn listed(&mut self, source: Source) -> io::Result<Option<Entry>> {
        let path = path_of(source.name());
        if !self.filter.selects(&path, Path::new("")) {
            return Ok(None);
        }
        let mut folder = None;
        if matches!(source, Source::Path(_)) {
            // A file that was removed has nothing to check. If a link has replaced its folder, Git calls it removed, too.
            match self.folder_of(&path) {
                Ok(found) => folder = found,
                Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                    return Ok(None);
                }
                Err(error) => return Err(error),
            }
            if !path.symlink_metadata().is_ok_and(|metadata| metadata.is_file()) {
                return Ok(None);
            }
        }
        self.unmatched.found(&path);
        Ok(Some(Entry { source, named: false, folder }))
    }

    /// Opens the folder of the file at `path`, without following links.
    fn folder_of(&mut self, path: &Path) -> io::Result<Option<Arc<File>>> {
        let parent = path.parent().unwrap_or(Path::new(""));
        match &self.last_folder {
            Some((last, folder)) if last == parent => Ok(folder.clone()),
            _ => {
                let folder = tree::open_folder(parent)?;
                self.last_folder = Some((parent.to_owned(), folder.clone()));
                Ok(folder)
            }
        }
    }
}

impl Iterator for Walk<'_> {
    type Item = Result<Entry, Unreachable>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(mut tree) = self.tree.take() {
                if let Some(next) = tree.next(&self.filter, &mut self.skips) {
                    self.tree = Some(tree);
                    return Some(next.map(|found| self.in_folder(found)));
                }
                self.count_tracked(tree.root());
            }
            if let Some(source) = self.listed.next() {
                let path = path_of(source.name());
                match self.listed(source) {
                    Ok(Some(entry)) => return Some(Ok(entry)),
                    Ok(None) => self.skips.count += 1,
                    Err(error) => return Some(Err(Unreachable { path, why: error.to_string() })),
                }
                continue;
            }
            let path = self.paths.next()?;
            let source = Source::named(path);
            let shown = path.strip_prefix(".").unwrap_or(path);
            let excludes = |config: &Arc<Config>| config.excludes_file(&self.filter.base.join(shown));
            let why =
                if !self.filter.forced.is_empty() && is_excluded(&self.filter.forced, shown, Path::new("")) {
                    Some(Why::Glob)
                } else if self.selection.force_exclude && self.filter.config.as_ref().is_some_and(excludes) {
                    Some(Why::Config)
                } else {
                    None
                };
            if let Some(why) = why {
                self.skips.add(path, path, false, &why);
                continue;
            }
            if source != Source::StandardInput && path.is_dir() {
                self.tree = Some(Tree::new(path));
            } else {
                return Some(Ok(Entry::named(source)));
            }
        }
    }
}
