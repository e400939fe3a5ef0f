//! Searches one folder.
//!
//! On Unix, each folder is opened from the handle of the one above it, so another program that
//! replaces folders by symbolic links leads nowhere.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::rules::{self, Names, Rules};
use super::skips::{Skips, Why};
use super::{Filter, Unreachable};

/// Folders that are nested deeper than this are opened again when they are needed. A process may
/// have only some hundred open files.
#[cfg(unix)]
const OPEN_FOLDERS: usize = 64;

/// A search of one folder.
pub(super) struct Tree {
    root: PathBuf,
    /// The folders from the root to the one that is read.
    levels: Vec<Level>,
    /// The rules of the folders above the root, outermost first.
    above: Vec<Rules>,
    is_begun: bool,
    /// The device of the root, where the system has that.
    device: Option<u64>,
}

/// A folder that is being searched.
struct Level {
    path: PathBuf,
    /// The path that ignore files are matched with: absolute, without links.
    real: PathBuf,
    handle: Option<Arc<File>>,
    entries: std::vec::IntoIter<Entry>,
    /// The names of all files, in their order, if one of them looks like a backup.
    names: Vec<OsString>,
    rules: Option<Rules>,
}

/// An entry of a folder.
struct Entry {
    name: OsString,
    kind: Kind,
    #[cfg(unix)]
    inode: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    Folder,
    Link,
    Other,
}

/// A file that was found, and its folder if links are not followed.
pub(super) type Found = (PathBuf, Option<Arc<File>>);

impl Tree {
    pub(super) fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), levels: Vec::new(), above: Vec::new(), is_begun: false, device: None }
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the next file.
    pub(super) fn next(&mut self, filter: &Filter, skips: &mut Skips) -> Option<Result<Found, Unreachable>> {
        if !self.is_begun {
            self.is_begun = true;
            if let Err(unreachable) = self.begin(filter, skips) {
                return Some(Err(unreachable));
            }
        }
        loop {
            let level = self.levels.last_mut()?;
            let Some(entry) = level.entries.next() else {
                self.levels.pop();
                continue;
            };
            match self.visit(entry, filter, skips) {
                Ok(None) => {}
                Ok(Some(found)) => return Some(Ok(found)),
                Err(unreachable) => return Some(Err(unreachable)),
            }
        }
    }

    /// Opens the root, and reads the rules of the folders above it.
    fn begin(&mut self, filter: &Filter, skips: &mut Skips) -> Result<(), Unreachable> {
        if filter.max_depth == Some(0) {
            return Ok(());
        }
        let is_needed = filter.obeys || filter.config.is_some();
        let real = if is_needed { self.root.canonicalize().ok() } else { None };
        let above = real
            .as_deref()
            .filter(|_| filter.obeys)
            .and_then(Path::parent)
            .into_iter()
            .flat_map(Path::ancestors);
        for folder in above.collect::<Vec<_>>().into_iter().rev() {
            self.above.extend(Rules::read(folder, None, Names::ALL, real.as_deref(), skips));
        }
        let unreachable = |why: &dyn ToString| Unreachable { path: self.root.clone(), why: why.to_string() };
        let handle = open_root(&self.root).map_err(|error| unreachable(&error))?;
        if shows_the_kernel(handle.as_ref()) {
            return Err(unreachable(&format!("is not searched: it has {}", Why::Kernel)));
        }
        self.device = device(handle.as_ref());
        let real = real.unwrap_or_else(|| self.root.clone());
        self.enter(self.root.clone(), real, handle, filter, skips)
    }

    /// Lists a folder, and reads its rules.
    fn enter(
        &mut self,
        path: PathBuf,
        real: PathBuf,
        handle: Option<Arc<File>>,
        filter: &Filter,
        skips: &mut Skips,
    ) -> Result<(), Unreachable> {
        let mut entries = match list(&path, handle.as_deref()) {
            Ok(entries) => entries,
            Err(error) => return Err(Unreachable { path, why: error.to_string() }),
        };
        entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        let mut found = Names::default();
        let mut has_backups = false;
        for entry in &entries {
            let name = entry.name.as_encoded_bytes();
            found.add(name);
            has_backups |= name.ends_with(filter.backup.as_bytes());
        }
        let files = entries.iter().filter(|entry| has_backups && entry.kind != Kind::Folder);
        let names = files.map(|entry| entry.name.clone()).collect();
        let rules =
            if filter.obeys { Rules::read(&real, handle.as_deref(), found, None, skips) } else { None };
        self.levels.push(Level { path, real, handle, entries: entries.into_iter(), names, rules });
        Ok(())
    }

    /// Returns the entry if it is a file that is selected. Enters it if it is a folder.
    fn visit(
        &mut self,
        entry: Entry,
        filter: &Filter,
        skips: &mut Skips,
    ) -> Result<Option<Found>, Unreachable> {
        let depth = self.levels.len();
        let Some(level) = self.levels.last() else { return Ok(None) };
        let path = level.path.join(&entry.name);
        let mut kind = entry.kind;
        let mut error = None;
        if kind == Kind::Link && filter.follow {
            match path.metadata() {
                Ok(metadata) => kind = Kind::of(metadata.file_type()),
                Err(why) => error = Some(why),
            }
        }
        let is_folder = kind == Kind::Folder;
        let why = self.why_not(&entry, &path, kind, filter).or_else(|| match kind {
            _ if error.is_some() => None,
            Kind::Link => Some(Why::Link),
            Kind::Other => Some(Why::Special),
            Kind::Folder if filter.max_depth.is_some_and(|most| depth >= most) => Some(Why::TooDeep),
            Kind::Folder if entry.kind == Kind::Link && self.is_above(&path) => Some(Why::Above),
            Kind::File if filter.max_filesize.is_some_and(|most| is_longer(&path, most)) => {
                Some(Why::TooLong)
            }
            _ => None,
        });
        if let Some(why) = why {
            let relative = path.strip_prefix(&self.root).unwrap_or(&path);
            let in_git = self.all_rules().any(|rules| rules.has_git);
            skips.add(&path, relative, in_git, &why);
            return Ok(None);
        }
        if let Some(error) = error {
            return Err(Unreachable { path, why: error.to_string() });
        }
        let unreachable = |error: io::Error| Unreachable { path: path.clone(), why: error.to_string() };
        let above = self.handle().map_err(unreachable)?;
        if !is_folder {
            return Ok(Some((path, above.filter(|_| !filter.follow))));
        }
        let handle = open_below(above.as_deref(), &entry.name, filter.follow).map_err(unreachable)?;
        let why = if shows_the_kernel(handle.as_ref()) {
            Some(Why::Kernel)
        } else if filter.one_file_system && device(handle.as_ref()) != self.device {
            Some(Why::OtherFileSystem)
        } else {
            None
        };
        if let Some(why) = why {
            skips.add(&path, &path, false, &why);
            return Ok(None);
        }
        let real = self.levels.last().map_or_else(PathBuf::new, |level| level.real.join(&entry.name));
        self.close_deep();
        self.enter(path, real, handle, filter, skips)?;
        Ok(None)
    }

    /// Returns why an entry is not selected, if the selection or an ignore file says so.
    fn why_not(&self, entry: &Entry, path: &Path, kind: Kind, filter: &Filter) -> Option<Why> {
        let level = self.levels.last()?;
        let is_folder = kind == Kind::Folder;
        let shown = path.strip_prefix(".").unwrap_or(path);
        if filter.obeys && entry.name == ".git" {
            return Some(Why::Git);
        }
        if filter
            .config
            .as_ref()
            .is_some_and(|config| config.excludes(&level.real.join(&entry.name), is_folder))
        {
            return Some(Why::Config);
        }
        let mut is_wanted = false;
        if !filter.globs.is_empty() {
            match filter.globs.matched(shown, is_folder) {
                ignore::Match::Ignore(_) => return Some(Why::Glob),
                ignore::Match::Whitelist(_) => is_wanted = true,
                ignore::Match::None => {}
            }
        }
        if !is_wanted {
            if filter.obeys && self.all_rules().next().is_some() {
                let real = level.real.join(&entry.name);
                match rules::matched(self.all_rules(), filter.global(), &real, is_folder) {
                    ignore::Match::Ignore(why) => return Some(why),
                    ignore::Match::Whitelist(_) => is_wanted = true,
                    ignore::Match::None => {}
                }
            }
            match filter.types.matched(shown, is_folder) {
                ignore::Match::Ignore(_) => return Some(Why::Type),
                ignore::Match::Whitelist(_) => is_wanted = true,
                ignore::Match::None => {}
            }
            if !is_wanted && !filter.hidden && is_hidden(&entry.name, path) {
                return Some(Why::Hidden);
            }
        }
        if kind == Kind::File {
            if is_output(entry, path, level.handle.as_deref(), filter) {
                return Some(Why::Output);
            }
            if is_backup(entry, &level.names, &filter.backup) {
                return Some(Why::Backup);
            }
        }
        None
    }

    /// Returns the rules of all folders, innermost first.
    fn all_rules(&self) -> impl Iterator<Item = &Rules> + Clone {
        let inner = self.levels.iter().rev().filter_map(|level| level.rules.as_ref());
        inner.chain(self.above.iter().rev())
    }

    /// Whether the link at `path` leads to a folder that is being searched.
    fn is_above(&self, path: &Path) -> bool {
        let Ok(target) = path.canonicalize() else { return false };
        self.levels.iter().any(|level| level.path.canonicalize().is_ok_and(|path| path == target))
    }

    /// Returns the handle of the folder that is read.
    #[cfg(unix)]
    fn handle(&mut self) -> io::Result<Option<Arc<File>>> {
        let last = self.levels.len() - 1;
        if self.levels[last].handle.is_none() {
            let open = self.levels.iter().rposition(|level| level.handle.is_some()).unwrap_or(0);
            let mut handle = self.levels[open].handle.clone();
            for level in &self.levels[open + 1..] {
                let name = level.path.file_name().unwrap_or_default();
                handle = open_below(handle.as_deref(), name, false)?;
            }
            self.levels[last].handle = handle;
        }
        Ok(self.levels[last].handle.clone())
    }

    #[cfg(not(unix))]
    fn handle(&mut self) -> io::Result<Option<Arc<File>>> {
        Ok(None)
    }

    /// Closes the folder that is read, if too many are open.
    fn close_deep(&mut self) {
        #[cfg(unix)]
        if self.levels.len() > OPEN_FOLDERS
            && let Some(level) = self.levels.last_mut()
        {
            level.handle = None;
        }
    }
}

impl Kind {
    fn of(kind: std::fs::FileType) -> Self {
        if kind.is_file() {
            Self::File
        } else if kind.is_dir() {
            Self::Folder
        } else if kind.is_symlink() {
            Self::Link
        } else {
            Self::Other
        }
    }
}

/// Whether the file is a backup of another one of `names`.
fn is_backup(entry: &Entry, names: &[OsString], suffix: &str) -> bool {
    let name = entry.name.as_encoded_bytes().strip_suffix(suffix.as_bytes()).filter(|name| !name.is_empty());
    name.is_some_and(|name| names.binary_search_by(|other| other.as_encoded_bytes().cmp(name)).is_ok())
}

#[cfg(unix)]
fn is_hidden(name: &std::ffi::OsStr, _: &Path) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

/// On Windows, an attribute hides a file as well.
#[cfg(not(unix))]
fn is_hidden(name: &std::ffi::OsStr, path: &Path) -> bool {
    #[cfg(windows)]
    {
        use std::os::windows::fs::MetadataExt;
        const HIDDEN: u32 = 2;
        if path.symlink_metadata().is_ok_and(|metadata| metadata.file_attributes() & HIDDEN != 0) {
            return true;
        }
    }
    let _ = path;
    name.as_encoded_bytes().starts_with(b".")
}

/// Whether the file is what the output goes to. It would never end.
#[cfg(unix)]
fn is_output(entry: &Entry, path: &Path, folder: Option<&File>, filter: &Filter) -> bool {
    let Some((device, inode)) = filter.output else { return false };
    let _ = folder;
    entry.inode == inode && {
        use std::os::unix::fs::MetadataExt;
        path.metadata().is_ok_and(|metadata| metadata.dev() == device)
    }
}

#[cfg(not(unix))]
fn is_output(_: &Entry, path: &Path, _: Option<&File>, filter: &Filter) -> bool {
    filter
        .output
        .as_ref()
        .is_some_and(|output| same_file::Handle::from_path(path).is_ok_and(|handle| handle == *output))
}

/// Opens the folder at `path`, below the current one, without following links.
pub(super) fn open_folder(path: &Path) -> io::Result<Option<Arc<File>>> {
    let mut folder = open_root(Path::new("."))?;
    for name in path {
        folder = open_below(folder.as_deref(), name, false)?;
    }
    Ok(folder)
}

#[cfg(unix)]
fn open_root(path: &Path) -> io::Result<Option<Arc<File>>> {
    use rustix::fs::{CWD, Mode, OFlags, openat};
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(Some(Arc::new(openat(CWD, path, flags, Mode::empty())?.into())))
}

/// Opens the folder `name` in another one.
#[cfg(unix)]
fn open_below(above: Option<&File>, name: &std::ffi::OsStr, follow: bool) -> io::Result<Option<Arc<File>>> {
    use rustix::fs::{Mode, OFlags, openat};
    let Some(above) = above else { return Ok(None) };
    let link = if follow { OFlags::empty() } else { OFlags::NOFOLLOW };
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | link;
    Ok(Some(Arc::new(openat(above, name, flags, Mode::empty())?.into())))
}

/// Returns the entries of a folder.
#[cfg(unix)]
fn list(_: &Path, folder: Option<&File>) -> io::Result<Vec<Entry>> {
    use std::os::unix::ffi::OsStringExt;

    use rustix::fs::{AtFlags, Dir, FileType, statat};

    let Some(folder) = folder else { return Ok(Vec::new()) };
    let mut entries = Vec::new();
    for entry in Dir::new(folder.try_clone()?)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if name == b"." || name == b".." {
            continue;
        }
        let mut kind = entry.file_type();
        if kind == FileType::Unknown {
            // Not all file systems tell it.
            kind = match statat(folder, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => FileType::from_raw_mode(stat.st_mode),
                Err(_) => continue,
            };
        }
        let kind = match kind {
            FileType::RegularFile => Kind::File,
            FileType::Directory => Kind::Folder,
            FileType::Symlink => Kind::Link,
            _ => Kind::Other,
        };
        entries.push(Entry { name: OsString::from_vec(name.to_owned()), kind, inode: entry.ino() });
    }
    Ok(entries)
}

#[cfg(not(unix))]
fn open_root(_: &Path) -> io::Result<Option<Arc<File>>> {
    Ok(None)
}

#[cfg(not(unix))]
fn open_below(_: Option<&File>, _: &std::ffi::OsStr, _: bool) -> io::Result<Option<Arc<File>>> {
    Ok(None)
}

#[cfg(not(unix))]
fn list(path: &Path, _: Option<&File>) -> io::Result<Vec<Entry>> {
    path.read_dir()?
        .map(|entry| {
            let entry = entry?;
            Ok(Entry { name: entry.file_name(), kind: Kind::of(entry.file_type()?) })
        })
        .collect()
}

/// Whether the file at `path` has more than `most` bytes.
fn is_longer(path: &Path, most: u64) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.len() > most)
}

/// Returns the device of a folder.
fn device(folder: Option<&Arc<File>>) -> Option<u64> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        Some(folder?.metadata().ok()?.dev())
    }
    #[cfg(not(unix))]
    {
        let _ = folder;
        None
    }
}

/// Whether the folder is of a file system that shows the kernel's state, as /proc and /sys do. Some
/// of its files never end, and to read others has effects.
fn shows_the_kernel(folder: Option<&Arc<File>>) -> bool {
    #[cfg(target_os = "linux")]
    {
        const MAGIC: [u64; 6] = [
            0x9FA0,      // proc
            0x6265_6572, // sysfs
            0x6462_6720, // debugfs
            0x7472_6163, // tracefs
            0x0027_E0EB, // cgroup
            0x6367_7270, // cgroup2
        ];
        folder.is_some_and(|folder| {
            rustix::fs::fstatfs(folder).is_ok_and(|system| MAGIC.contains(&(system.f_type as u64)))
        })
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = folder;
        false
    }
}
