//! The place of a file: the folder, as an open handle, and the name in it.

use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::Path;

pub(super) use system::Place;

/// Returns the folder of `path`, and its name in it.
fn split(path: &Path) -> io::Result<(&Path, &OsStr)> {
    let name = path.file_name().ok_or_else(|| io::Error::other("is not the name of a file"))?;
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    Ok((folder, name))
}

/// Returns the temporary name for the file `name`, which is always the same: the next run on the
/// file recognises what a run that was killed has left.
fn temporary_name(name: &OsStr) -> OsString {
    // FNV-1a. The name itself could be too long with something appended.
    let hash = name.as_encoded_bytes().iter().fold(0xCBF2_9CE4_8422_2325_u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    });
    format!(".trust8-{hash:016x}.tmp").into()
}

/// Returns a temporary name that nobody can foresee, for when the other one is taken.
fn other_temporary_name() -> OsString {
    format!(".trust8-{:016x}.tmp", RandomState::new().hash_one(())).into()
}

/// Returns the name with `suffix` appended.
fn with_suffix(name: &OsStr, suffix: &str) -> OsString {
    let mut name = name.to_owned();
    name.push(suffix);
    name
}

/// Returns the message for a backup that would replace another file.
fn backup_exists(name: &OsStr, suffix: &str) -> String {
    format!(
        "there is a file {}{suffix} already: move it away, or choose another --backup=SUFFIX",
        name.display()
    )
}

#[cfg(unix)]
mod system {
    use std::ffi::{OsStr, OsString};
    use std::fs::{File, Metadata};
    use std::io::{self, ErrorKind};
    use std::os::fd::AsFd;
    use std::os::unix::fs::MetadataExt;
    use std::path::Path;

    use rustix::fs::{AtFlags, Mode, OFlags, linkat, openat, renameat, unlinkat};

    use super::super::{attributes, identity, is_mine};
    use super::{other_temporary_name, split, temporary_name, with_suffix};
    use crate::source::FileFrom;

    pub(in crate::replace) struct Place {
        folder: File,
        name: OsString,
        /// The file that was created here because a symbolic link led to nothing.
        created: Option<(u64, u64)>,
        temporary: OsString,
        /// The name of a copy or link of the old file, until it is the backup.
        backup: OsString,
    }

    /// Opens a file only to look at it. Linux needs no permission for that, and waits for nothing.
    #[cfg(target_os = "linux")]
    const LOOK: OFlags = OFlags::PATH;
    #[cfg(not(target_os = "linux"))]
    const LOOK: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK);

    /// Returns `None` for the error that means that there is no such file.
    fn found<T>(result: io::Result<T>) -> io::Result<Option<T>> {
        match result {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            result => result.map(Some),
        }
    }

    impl Place {
        /// Returns the place of the file `path`, which need not exist. `folder` is where it was
        /// found, if links are not followed.
        ///
        /// A symbolic link is followed by the system, which refuses those that a stranger has put
        /// into a folder like /tmp, if it is configured so. This refuses them always.
        pub(in crate::replace) fn find(path: &Path, folder: Option<&File>) -> io::Result<Self> {
            let (parent, name) = split(path)?;
            if let Some(folder) = folder {
                return Ok(Self::new(folder.try_clone()?, name, None));
            }
            let place = Self::new(File::open(parent)?, name, None);
            match place.metadata()?.filter(Metadata::is_symlink) {
                None => Ok(place),
                Some(link) => {
                    place.check_owner(&link, "is another user's link")?;
                    let target = openat(&place.folder, name, LOOK | OFlags::CLOEXEC, Mode::empty())?;
                    Self::of_file(&target.into(), path, false)
                }
            }
        }

        /// Does the same for the output of a program: the file may be created, and is not to be a
        /// stranger's.
        pub(in crate::replace) fn for_output(path: &Path) -> io::Result<Self> {
            let place = match Self::find(path, None) {
                // A link that leads to nothing. The system creates what it leads to.
                Err(error) if error.kind() == ErrorKind::NotFound && path.is_symlink() => {
                    let target = File::options().append(true).create(true).open(path)?;
                    Self::of_file(&target, path, true)?
                }
                found => found?,
            };
            if let Some(old) = place.metadata()? {
                place.check_owner(&old, "belongs to another user")?;
            }
            Ok(place)
        }

        /// Returns the place of the open `file`, which `path` led to.
        fn of_file(file: &File, path: &Path, created: bool) -> io::Result<Self> {
            let path = std::fs::read_link(path_of(file)).or_else(|_| path.canonicalize())?;
            let found = identity(&file.metadata()?);
            let (parent, name) = split(&path)?;
            let place = Self::new(File::open(parent)?, name, found.filter(|_| created));
            match place.metadata()? {
                Some(metadata) if identity(&metadata) == found => Ok(place),
                _ => Err(super::super::busy(super::super::CHANGED)),
            }
        }

        fn new(folder: File, name: &OsStr, created: Option<(u64, u64)>) -> Self {
            let temporary = temporary_name(name);
            let backup = with_suffix(&temporary, "~");
            Self { folder, name: name.to_owned(), created, temporary, backup }
        }

        /// Returns the same place with another temporary name.
        pub(in crate::replace) fn with_other_temporary_name(&self) -> io::Result<Self> {
            let temporary = other_temporary_name();
            let backup = with_suffix(&temporary, "~");
            let folder = self.folder.try_clone()?;
            Ok(Self { folder, name: self.name.clone(), created: self.created, temporary, backup })
        }

        /// Returns the temporary name.
        pub(in crate::replace) fn temporary_name(&self) -> &OsStr {
            &self.temporary
        }

        /// Fails if `entry` belongs to a stranger, in a folder where all may create files but not
        /// remove those of others, such as /tmp. (Linux has the same rule, if it is configured so.)
        fn check_owner(&self, entry: &Metadata, what: &str) -> io::Result<()> {
            let folder = self.folder.metadata()?;
            let is_shared = folder.mode() & 0o1000 != 0 && folder.mode() & 0o022 != 0;
            if is_shared && !is_mine(entry) && entry.uid() != folder.uid() {
                let why = format!("{} {what}, in a folder that many users write to", self.name.display());
                return Err(io::Error::new(ErrorKind::PermissionDenied, why));
            }
            Ok(())
        }

        fn open_at(&self, name: &OsStr, flags: OFlags, mode: u32) -> io::Result<File> {
            let flags = flags | OFlags::CLOEXEC | OFlags::NOFOLLOW;
            Ok(openat(&self.folder, name, flags, Mode::from_raw_mode(mode as _))?.into())
        }

        fn metadata_at(&self, name: &OsStr) -> io::Result<Option<Metadata>> {
            found(self.open_at(name, LOOK, 0).and_then(|file| file.metadata()))
        }

        /// Returns the metadata of what is there.
        pub(in crate::replace) fn metadata(&self) -> io::Result<Option<Metadata>> {
            self.metadata_at(&self.name)
        }

        /// Opens what is there.
        pub(in crate::replace) fn open(&self) -> io::Result<Option<File>> {
            found(self.open_at(&self.name, OFlags::RDONLY | OFlags::NONBLOCK, 0))
        }

        /// Returns the metadata of what has the temporary name.
        pub(in crate::replace) fn temporary_metadata(&self) -> io::Result<Option<Metadata>> {
            self.metadata_at(&self.temporary)
        }

        /// Returns the metadata of what has the name that the old file has until it is the backup.
        pub(in crate::replace) fn unfinished_backup_metadata(&self) -> io::Result<Option<Metadata>> {
            self.metadata_at(&self.backup)
        }

        /// Opens what has the temporary name.
        pub(in crate::replace) fn open_temporary(&self) -> io::Result<Option<File>> {
            found(self.open_at(&self.temporary, OFlags::RDONLY | OFlags::NONBLOCK, 0))
        }

        /// Removes the file that was created because a symbolic link led to nothing, if it is still
        /// there.
        pub(in crate::replace) fn remove_created(&self) {
            let Some(created) = self.created else { return };
            if self.metadata().ok().flatten().as_ref().and_then(identity) == Some(created) {
                let _ = unlinkat(&self.folder, &self.name, AtFlags::empty());
            }
        }

        /// Gives the temporary file a name under which a user finds it, and returns that.
        pub(in crate::replace) fn keep_temporary(&self) -> io::Result<OsString> {
            let name = with_suffix(&self.name, ".by-another-program");
            self.rename_to_new(&self.temporary, &name)?;
            Ok(name)
        }

        /// Returns why `backup` may not be what this user's repair of the file has left: another
        /// user can put a file with the name of a backup into a folder like /tmp.
        pub(in crate::replace) fn distrusts(
            &self,
            backup: &Metadata,
            current: Option<&Metadata>,
        ) -> io::Result<Option<&'static str>> {
            let me = rustix::process::geteuid().as_raw();
            let owner = current.map_or(me, MetadataExt::uid);
            let is_shared = self.folder.metadata()?.mode() & 0o022 != 0;
            Ok(if backup.uid() != owner || me != 0 && backup.uid() != me {
                Some("its backup belongs to another user")
            } else if is_shared && backup.nlink() > 1 {
                Some("its backup has other names, in a folder that many users write to")
            } else {
                None
            })
        }

        /// Creates a file without a name, or returns `None` if the file system has none.
        pub(in crate::replace) fn create_without_name(&self, mode: u32) -> io::Result<Option<File>> {
            #[cfg(target_os = "linux")]
            {
                let flags = OFlags::RDWR | OFlags::TMPFILE;
                let file = match self.open_at(".".as_ref(), flags, mode) {
                    Ok(file) => file,
                    Err(error) if is_unsupported(&error) => return Ok(None),
                    Err(error) => return Err(error),
                };
                // Without this folder, the file could never get a name.
                Ok(Path::new(&path_of(&file)).exists().then_some(file))
            }
            #[cfg(not(target_os = "linux"))]
            {
                let _ = mode;
                Ok(None)
            }
        }

        /// Creates a file with the temporary name.
        pub(in crate::replace) fn create_temporary(&self, mode: u32) -> io::Result<File> {
            self.open_at(&self.temporary, OFlags::RDWR | OFlags::CREATE | OFlags::EXCL, mode)
        }

        fn link(&self, file: &File, name: &OsStr) -> io::Result<()> {
            Ok(linkat(rustix::fs::CWD, path_of(file), &self.folder, name, AtFlags::SYMLINK_FOLLOW)?)
        }

        /// Gives `file`, which has no name, the temporary name.
        pub(in crate::replace) fn link_temporary(&self, file: &File) -> io::Result<()> {
            self.link(file, &self.temporary)
        }

        /// Gives `file`, which has no name, the name of the place, unless something else has it.
        pub(in crate::replace) fn link_new(&self, file: &File) -> io::Result<()> {
            self.link(file, &self.name)
        }

        pub(in crate::replace) fn remove_temporary(&self) -> io::Result<()> {
            Ok(unlinkat(&self.folder, &self.temporary, AtFlags::empty())?)
        }

        /// Exchanges the file that is there and the temporary one. Returns whether the system can.
        pub(in crate::replace) fn exchange(&self) -> io::Result<bool> {
            #[cfg(any(target_os = "linux", target_vendor = "apple"))]
            {
                use rustix::fs::{RenameFlags, renameat_with};
                let (from, to) = (&self.temporary, &self.name);
                let exchanged = renameat_with(&self.folder, from, &self.folder, to, RenameFlags::EXCHANGE);
                match exchanged.map_err(io::Error::from) {
                    Ok(()) => Ok(true),
                    Err(error) if is_unsupported(&error) => Ok(false),
                    Err(error) => Err(error),
                }
            }
            #[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
            Ok(false)
        }

        /// Puts the temporary file in the place, whatever is there.
        pub(in crate::replace) fn rename_temporary(&self) -> io::Result<()> {
            Ok(renameat(&self.folder, &self.temporary, &self.folder, &self.name)?)
        }

        /// Puts the temporary file in the place, where there must be nothing.
        pub(in crate::replace) fn rename_temporary_to_new(&self) -> io::Result<()> {
            self.rename_to_new(&self.temporary, &self.name)
        }

        /// Gives the file `from` the name `to`, which must not exist. It may keep its old name as
        /// well.
        fn rename_to_new(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
            match linkat(&self.folder, from, &self.folder, to, AtFlags::empty()).map_err(io::Error::from) {
                // File systems without second names take a rename.
                Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                    if self.metadata_at(to)?.is_some() {
                        return Err(ErrorKind::AlreadyExists.into());
                    }
                    Ok(renameat(&self.folder, from, &self.folder, to)?)
                }
                result => result,
            }
        }

        /// Gives the old file a second name, in one step: with a hard link, or if there can be
        /// none, with a copy, which is returned.
        pub(in crate::replace) fn back_up(&self, suffix: &str, old: &File) -> io::Result<Option<File>> {
            self.remove_unfinished_backup();
            let result = self.link_or_copy(suffix, old);
            self.remove_unfinished_backup();
            result
        }

        fn link_or_copy(&self, suffix: &str, old: &File) -> io::Result<Option<File>> {
            let copy = match linkat(&self.folder, &self.name, &self.folder, &self.backup, AtFlags::empty()) {
                Ok(()) => {
                    let linked = self.metadata_at(&self.backup)?;
                    if linked.as_ref().and_then(identity) != identity(&old.metadata()?) {
                        return Err(super::super::busy(super::super::CHANGED));
                    }
                    None
                }
                Err(_) => {
                    let mut copy =
                        self.open_at(&self.backup, OFlags::RDWR | OFlags::CREATE | OFlags::EXCL, 0o600)?;
                    io::copy(&mut FileFrom { file: old, at: 0 }, &mut copy)?;
                    attributes::keep(old, &copy)?;
                    copy.sync_all()?;
                    Some(copy)
                }
            };
            let named = self.rename_to_new(&self.backup, &with_suffix(&self.name, suffix));
            named.map(|()| copy).map_err(|error| match error.kind() {
                ErrorKind::AlreadyExists => io::Error::other(super::backup_exists(&self.name, suffix)),
                _ => error,
            })
        }

        /// Removes the name that the old file has until it is the backup, if it has it.
        pub(in crate::replace) fn remove_unfinished_backup(&self) {
            let _ = unlinkat(&self.folder, &self.backup, AtFlags::empty());
        }

        /// Returns the metadata of the backup.
        pub(in crate::replace) fn backup_metadata(&self, suffix: &str) -> io::Result<Option<Metadata>> {
            self.metadata_at(&with_suffix(&self.name, suffix))
        }

        /// Puts the backup in the place, whatever is there.
        pub(in crate::replace) fn restore(&self, suffix: &str) -> io::Result<()> {
            Ok(renameat(&self.folder, with_suffix(&self.name, suffix), &self.folder, &self.name)?)
        }

        pub(in crate::replace) fn sync_folder(&self) -> io::Result<()> {
            self.folder.sync_all()
        }
    }

    /// Returns the path by which the process itself finds an open file.
    fn path_of(file: &File) -> String {
        use std::os::fd::AsRawFd;
        format!("/proc/self/fd/{}", file.as_fd().as_raw_fd())
    }

    /// Whether `error` means that the file system does not know the operation.
    fn is_unsupported(error: &io::Error) -> bool {
        matches!(error.kind(), ErrorKind::Unsupported | ErrorKind::InvalidInput | ErrorKind::IsADirectory)
    }
}

/// Systems without handles of folders.
#[cfg(not(unix))]
mod system {
    use std::ffi::{OsStr, OsString};
    use std::fs::{self, File, Metadata};
    use std::io::{self, ErrorKind};
    use std::path::{Path, PathBuf};

    use super::{other_temporary_name, split, temporary_name, with_suffix};
    use crate::source::FileFrom;

    /// How many symbolic links may lead from one to the next. Linux has the same limit.
    const MAX_LINKS: u32 = 40;

    /// Follows symbolic links, and returns the folder and the name of the file that `path` leads to. It
    /// need not exist.
    fn follow(path: &Path) -> io::Result<(PathBuf, OsString)> {
        let mut path = path.to_owned();
        for _ in 0..MAX_LINKS {
            let (folder, name) = split(&path)?;
            match path.read_link() {
                Ok(target) => path = folder.join(target),
                // It is no symbolic link, or there is nothing.
                Err(_) => return Ok((folder.to_owned(), name.to_owned())),
            }
        }
        Err(io::Error::other("too many symbolic links"))
    }

    pub(in crate::replace) struct Place {
        folder: PathBuf,
        name: OsString,
        temporary: OsString,
    }

    fn found<T>(result: io::Result<T>) -> io::Result<Option<T>> {
        match result {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            result => result.map(Some),
        }
    }

    impl Place {
        pub(in crate::replace) fn find(path: &Path, _folder: Option<&File>) -> io::Result<Self> {
            let (folder, name) = follow(path)?;
            let temporary = temporary_name(&name);
            Ok(Self { folder, name, temporary })
        }

        pub(in crate::replace) fn for_output(path: &Path) -> io::Result<Self> {
            Self::find(path, None)
        }

        pub(in crate::replace) fn with_other_temporary_name(&self) -> io::Result<Self> {
            let temporary = other_temporary_name();
            Ok(Self { folder: self.folder.clone(), name: self.name.clone(), temporary })
        }

        pub(in crate::replace) fn temporary_name(&self) -> &OsStr {
            &self.temporary
        }

        fn path(&self, name: &OsStr) -> PathBuf {
            self.folder.join(name)
        }

        pub(in crate::replace) fn metadata(&self) -> io::Result<Option<Metadata>> {
            found(fs::symlink_metadata(self.path(&self.name)))
        }

        pub(in crate::replace) fn open(&self) -> io::Result<Option<File>> {
            found(File::open(self.path(&self.name)))
        }

        pub(in crate::replace) fn temporary_metadata(&self) -> io::Result<Option<Metadata>> {
            found(fs::symlink_metadata(self.path(&self.temporary)))
        }

        pub(in crate::replace) fn unfinished_backup_metadata(&self) -> io::Result<Option<Metadata>> {
            Ok(None)
        }

        pub(in crate::replace) fn remove_created(&self) {}

        pub(in crate::replace) fn keep_temporary(&self) -> io::Result<OsString> {
            let name = with_suffix(&self.name, ".by-another-program");
            fs::rename(self.path(&self.temporary), self.path(&name))?;
            Ok(name)
        }

        pub(in crate::replace) fn distrusts(
            &self,
            _backup: &Metadata,
            _current: Option<&Metadata>,
        ) -> io::Result<Option<&'static str>> {
            Ok(None)
        }

        pub(in crate::replace) fn open_temporary(&self) -> io::Result<Option<File>> {
            found(File::open(self.path(&self.temporary)))
        }

        pub(in crate::replace) fn create_without_name(&self, _mode: u32) -> io::Result<Option<File>> {
            Ok(None)
        }

        pub(in crate::replace) fn create_temporary(&self, _mode: u32) -> io::Result<File> {
            File::create_new(self.path(&self.temporary))
        }

        pub(in crate::replace) fn link_temporary(&self, _file: &File) -> io::Result<()> {
            Err(ErrorKind::Unsupported.into())
        }

        pub(in crate::replace) fn link_new(&self, _file: &File) -> io::Result<()> {
            Err(ErrorKind::Unsupported.into())
        }

        pub(in crate::replace) fn remove_temporary(&self) -> io::Result<()> {
            fs::remove_file(self.path(&self.temporary))
        }

        pub(in crate::replace) fn exchange(&self) -> io::Result<bool> {
            Ok(false)
        }

        pub(in crate::replace) fn rename_temporary(&self) -> io::Result<()> {
            fs::rename(self.path(&self.temporary), self.path(&self.name))
        }

        pub(in crate::replace) fn rename_temporary_to_new(&self) -> io::Result<()> {
            match fs::hard_link(self.path(&self.temporary), self.path(&self.name)) {
                Err(error) if error.kind() != ErrorKind::AlreadyExists => self.rename_temporary(),
                result => result,
            }
        }

        /// Copies the old file. On Windows a lock keeps all others from reading a file, so it is
        /// read through the handle that is open.
        pub(in crate::replace) fn back_up(&self, suffix: &str, old: &File) -> io::Result<Option<File>> {
            let backup = self.path(&with_suffix(&self.name, suffix));
            let mut copy = File::create_new(&backup).map_err(|error| match error.kind() {
                ErrorKind::AlreadyExists => io::Error::other(super::backup_exists(&self.name, suffix)),
                _ => error,
            })?;
            let copied = io::copy(&mut FileFrom { file: old, at: 0 }, &mut copy)
                .and_then(|_| copy.set_permissions(old.metadata()?.permissions()))
                .and_then(|()| copy.sync_all());
            copied.map(|()| None).inspect_err(|_| {
                drop(copy);
                let _ = fs::remove_file(backup);
            })
        }

        pub(in crate::replace) fn remove_unfinished_backup(&self) {}

        pub(in crate::replace) fn backup_metadata(&self, suffix: &str) -> io::Result<Option<Metadata>> {
            found(fs::symlink_metadata(self.path(&with_suffix(&self.name, suffix))))
        }

        pub(in crate::replace) fn restore(&self, suffix: &str) -> io::Result<()> {
            fs::rename(self.path(&with_suffix(&self.name, suffix)), self.path(&self.name))
        }

        pub(in crate::replace) fn sync_folder(&self) -> io::Result<()> {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temporary_names_are_hidden_and_depend_only_on_the_name() {
        let name = |name: &str| temporary_name(name.as_ref());
        assert_eq!(name(""), ".trust8-cbf29ce484222325.tmp");
        assert_eq!(name("f"), name("f"));
        assert_ne!(name("f"), name("g"));
        assert!(name(&"x".repeat(255)).len() < 40);
    }
}
