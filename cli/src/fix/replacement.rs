//! A new file in the place of an old one, in one step: who opens the name finds either all of the old or all
//! of the new, whatever happens in between.
//!
//! The new one is written beside the old one, because only inside one file system a rename is one step. It is
//! synced before, so that after a power failure the name is not found with nothing behind it; and the
//! folder is synced after.

use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tempfile::{Builder, NamedTempFile};

/// The new file, while it is being written. If it is dropped, nothing has happened.
pub(crate) struct Replacement {
    target: PathBuf,
    /// Of the old file, if there is one.
    old: Option<Metadata>,
    file: BufWriter<NamedTempFile>,
}

/// What would be left behind if a signal ended the program now.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes it.
pub(crate) fn remove_all() {
    for path in UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
        let _ = fs::remove_file(path);
    }
}

/// Whether there is something at a path that is no file, so that no file belongs in its place.
pub(crate) fn is_no_file(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| !metadata.is_file())
}

impl Replacement {
    /// Begins one.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        // The file itself is replaced and not a link to it. If there is none yet, there is no link.
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

    /// Puts it in its place; the old one is kept under its name with `backup` behind it.
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
        // It is there. That the folder may not be on the disk yet is no reason to say it is not.
        #[cfg(unix)]
        let _ = File::open(folder(&self.target)).and_then(|folder| folder.sync_all());
        Ok(())
    }
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        // The file removes itself, if it still has its first name.
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
    // Only root can give a file away, and then it should: a file of somebody's must not become root's. For who
    // can't, it becomes theirs, as with every editor. The owner comes first: a change of it clears set-user-ID.
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        let _ = fchown(file, Some(old.uid()), Some(old.gid()));
    }
    file.set_permissions(old.permissions())
}

/// Temporary files are for their owner's eyes only; new files are what the umask leaves.
fn permit_as_for_new_files(file: &File) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::fs::Permissions;
        use std::os::unix::fs::PermissionsExt;

        // There is no way to ask for the umask but to make a file, or to change it for a moment.
        let everybody = Permissions::from_mode(0o666);
        let probe = Builder::new().permissions(everybody).tempfile()?;
        file.set_permissions(probe.as_file().metadata()?.permissions())?;
    }
    Ok(())
}

/// The old file under another name as well, in one step too: a link, or where there are none, a copy.
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
