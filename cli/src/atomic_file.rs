//! Replaces a file in one step: whoever opens it finds either all of the old file or all of the new one, whatever happens
//! in between.
//!
//! The new file is written beside the old one, because a rename is one step only inside one file system. It is synced
//! before the rename, so that after a power failure the name never stands for an incomplete file. The folder is synced
//! after the rename.

use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tempfile::{Builder, NamedTempFile};

/// A new file that is being written. Until `commit`, nothing has changed at its target.
pub(crate) struct AtomicFile {
    target: PathBuf,
    /// The metadata of the old file, if there is one.
    old: Option<Metadata>,
    file: BufWriter<NamedTempFile>,
}

/// The temporary files that exist now.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes all temporary files. Call this if a signal ends the program.
pub(crate) fn remove_unfinished() {
    for path in UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
        let _ = fs::remove_file(path);
    }
}

/// Whether there is something other than a regular file at `path`, which must not be replaced by a file.
pub(crate) fn is_special(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| !metadata.is_file())
}

impl AtomicFile {
    /// Begins a new file that is to replace the one at `path`.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        // If `path` is a symbolic link, the file that it leads to is replaced, and the link stays.
        let target = match path.canonicalize() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_owned(),
            target => target?,
        };
        let old = match target.metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            metadata => Some(metadata?),
        };
        let file = Builder::new().prefix(".trust8-").suffix(".tmp").tempfile_in(folder(&target))?;
        UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).push(file.path().to_owned());
        Ok(Self { target, old, file: BufWriter::new(file) })
    }

    /// Replaces the old file. With `backup`, the old file stays, with that suffix appended to its name.
    pub(crate) fn commit(mut self, backup: Option<&str>) -> io::Result<()> {
        self.file.flush()?;
        let file = self.file.get_ref().as_file();
        match &self.old {
            Some(old) => keep_owner_and_permissions(file, old)?,
            None => permit_as_for_new_files(file)?,
        }
        file.sync_all()?;
        if let (Some(suffix), Some(_)) = (backup, &self.old) {
            back_up(&self.target, suffix)?;
        }
        fs::rename(self.file.get_ref().path(), &self.target)?;
        // The file is in its place. If the folder can't be synced, that is still true, so it is no error.
        #[cfg(unix)]
        let _ = File::open(folder(&self.target)).and_then(|folder| folder.sync_all());
        Ok(())
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        // `NamedTempFile` removes the file if it was not renamed.
        let path = self.file.get_ref().path();
        UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).retain(|unfinished| unfinished != path);
    }
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

fn keep_owner_and_permissions(file: &File, old: &Metadata) -> io::Result<()> {
    // Only root can give a file to another user, and root should: the file of a user must not become root's. For anybody
    // else the new file becomes their own, as with every editor. Changing the owner clears set-user-ID, so the
    // permissions are set after it.
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        let _ = fchown(file, Some(old.uid()), Some(old.gid()));
    }
    file.set_permissions(old.permissions())
}

/// Gives `file` the permissions of a new file, which the umask decides. Only their owner can read temporary files.
fn permit_as_for_new_files(file: &File) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::fs::Permissions;
        use std::os::unix::fs::PermissionsExt;

        // The umask can't be read without changing it for a moment, so another file is made to see what is left.
        let everybody = Permissions::from_mode(0o666);
        let probe = Builder::new().permissions(everybody).tempfile()?;
        file.set_permissions(probe.as_file().metadata()?.permissions())?;
    }
    Ok(())
}

/// Gives the old file a second name, also in one step: with a hard link, or if there can be none, with a copy.
fn back_up(target: &Path, suffix: &str) -> io::Result<()> {
    let mut name = target.as_os_str().to_owned();
    name.push(suffix);
    let backup = PathBuf::from(name);
    let temporary = Builder::new().prefix(".trust8-").suffix(".tmp").make_in(folder(target), |path| {
        fs::hard_link(target, path).or_else(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => Err(error),
            _ => fs::copy(target, path).map(drop),
        })
    })?;
    temporary.persist(backup)?;
    Ok(())
}
