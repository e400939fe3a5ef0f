//! Replaces a file in one step: whoever opens it finds either all of the old file or all of the new
//! one, whatever happens in between.
//!
//! 1. The new file is written in the folder of the old one, because a rename is one step only
//!    inside one file system. Where the system can, the new file has no name until it is complete,
//!    so nothing is left of it if the program is killed.
//! 2. It gets the owner, permissions, access control list and extended attributes of the old file
//!    (`attributes.rs`).
//! 3. It is synced, so that the name never leads to an incomplete file after a power failure.
//! 4. If the old file is no longer the one that was read, or has changed since, it is left alone.
//! 5. The two files exchange their names, and the old one is removed. If another program has
//!    replaced or changed the old file just before, they change their names back.
//!
//! `place.rs` has the system calls. All of them name the folder by an open handle, so it does not
//! matter if another program renames folders or puts symbolic links in their place.

mod attributes;
mod place;

use std::fs::{File, Metadata, TryLockError};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use place::Place;

/// Identifies one version of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Version {
    /// The device and the inode, where the system has them.
    identity: Option<(u64, u64)>,
    len: u64,
    modified: Option<SystemTime>,
}

impl Version {
    fn of(metadata: &Metadata) -> Self {
        Self { identity: identity(metadata), len: metadata.len(), modified: metadata.modified().ok() }
    }
}

/// Returns what identifies the file on this system: the device and the inode.
pub(crate) fn identity(metadata: &Metadata) -> Option<(u64, u64)> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        Some((metadata.dev(), metadata.ino()))
    }
    #[cfg(not(unix))]
    {
        let _ = metadata;
        None
    }
}

/// An open file, and its version before any of it was read.
pub(crate) struct Original {
    file: File,
    version: Version,
}

impl Original {
    /// Call this before the first read.
    pub(crate) fn new(file: &File) -> io::Result<Self> {
        Ok(Self { file: file.try_clone()?, version: Version::of(&file.metadata()?) })
    }

    /// Whether the open file has changed.
    fn has_changed(&self) -> io::Result<bool> {
        Ok(Version::of(&self.file.metadata()?) != self.version)
    }
}

/// A new file that is being written. Until `commit`, nothing has changed at its target.
pub(crate) struct NewFile {
    place: Arc<Place>,
    /// The file to replace, if there is one.
    original: Option<Original>,
    file: BufWriter<File>,
    /// The name that the new file has until it is in its place.
    temporary: TemporaryName,
}

/// The places in which temporary names exist now.
static UNFINISHED: Mutex<Vec<Arc<Place>>> = Mutex::new(Vec::new());

/// Removes all temporary files. Call this if a signal ends the program.
pub(crate) fn remove_unfinished() {
    for place in UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
        let _ = place.remove_temporary();
        place.remove_unfinished_backup();
    }
}

/// Removes the temporary files that a run on the file at `path` has left, because it was killed.
pub(crate) fn remove_leftover(path: &Path) -> io::Result<()> {
    remove_leftover_in(&Place::find(path)?)
}

fn remove_leftover_in(place: &Place) -> io::Result<()> {
    if let Some(leftover) = place.open_temporary()? {
        // A program that still writes the file holds a lock.
        lock(&leftover)?;
        place.remove_temporary()?;
    }
    place.remove_unfinished_backup();
    Ok(())
}

/// Restores the backup with this suffix to `path`. Returns false if there is none.
///
/// If the file may have been written to since it was backed up, that is an error.
pub(crate) fn restore(path: &Path, suffix: &str) -> io::Result<bool> {
    let place = Place::find(path)?;
    let Some(backup) = place.backup_metadata(suffix)?.filter(Metadata::is_file) else { return Ok(false) };
    let current = place.open()?;
    if let Some(current) = &current {
        lock(current)?;
        if let Some(why) = keeps_from_undo(&current.metadata()?, &backup) {
            return Err(busy(why));
        }
    }
    place.restore(suffix)?;
    let _ = place.sync_folder();
    Ok(true)
}

/// Returns why the file may have been written to after the other one became its backup.
///
/// The backup's status changes when it gets its name, and that is soon after the repaired file was
/// written. It also changes with `chmod`, or if the backup is copied. From then on, its time says
/// nothing about the repair.
fn keeps_from_undo(file: &Metadata, backup: &Metadata) -> Option<&'static str> {
    const WRITTEN: &str = "it has been written to since it was repaired";
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        /// The longest time, in seconds, that syncing the repaired file may take.
        const SYNC: i64 = 60;
        if (file.mtime(), file.mtime_nsec()) > (backup.ctime(), backup.ctime_nsec()) {
            return Some(WRITTEN);
        }
        (backup.ctime().saturating_sub(file.mtime()) > SYNC).then_some(
            "its backup was changed or copied later, so it may have been written to since it was repaired",
        )
    }
    #[cfg(not(unix))]
    {
        // The backup is a copy that was written after the new file.
        let is_later =
            matches!((file.modified(), backup.modified()), (Ok(file), Ok(backup)) if file > backup);
        is_later.then_some(WRITTEN)
    }
}

/// Locks `file` against other runs of this command. File systems without locks have none.
fn lock(file: &File) -> io::Result<()> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(busy("another program has locked it")),
        _ => Ok(()),
    }
}

/// Returns the error for a file that another program is using.
fn busy(why: &str) -> io::Error {
    io::Error::new(ErrorKind::ResourceBusy, why)
}

const CHANGED: &str = "another program has changed or replaced it since it was read";

/// Whether `error` means that another program uses or has changed the file, so that it was left
/// alone.
pub(crate) fn is_busy(error: &io::Error) -> bool {
    error.kind() == ErrorKind::ResourceBusy
}

impl NewFile {
    /// Begins a new file that is to replace the one at `path`, which was read as `original`.
    pub(crate) fn in_place_of(path: &Path, original: Original) -> io::Result<Self> {
        let place = Place::find(path)?;
        let current = place.metadata()?;
        if current.is_none_or(|current| Version::of(&current) != original.version) {
            return Err(busy(CHANGED));
        }
        Self::new(place, Some(original))
    }

    /// Begins a new file for `path`, whether or not there is a file. If that is `read`, it is
    /// replaced only if it has not changed since.
    pub(crate) fn at(path: &Path, read: Option<Original>) -> io::Result<Self> {
        let place = Place::find(path)?;
        let Some(old) = place.open()? else { return Self::new(place, None) };
        let found = Original::new(&old)?;
        let original = match read {
            Some(read) if read.version.identity.is_some_and(|id| Some(id) == found.version.identity) => read,
            _ => found,
        };
        Self::new(place, Some(original))
    }

    fn new(place: Place, original: Option<Original>) -> io::Result<Self> {
        if let Some(original) = &original {
            lock(&original.file)?;
        }
        remove_leftover_in(&place)?;
        // Only the user may read the new file before it has the permissions of the old one.
        let mode = if original.is_some() { 0o600 } else { 0o666 };
        let place = Arc::new(place);
        let (file, temporary) = match place.create_without_name(mode)? {
            Some(file) => (file, TemporaryName::none(&place)),
            None => (place.create_temporary(mode)?, TemporaryName::new(&place)),
        };
        lock(&file)?;
        Ok(Self { place, original, file: BufWriter::new(file), temporary })
    }

    /// Puts the new file in its place. With `backup`, the old file stays, with that suffix appended
    /// to its name.
    ///
    /// Returns what could not be kept of the old file.
    pub(crate) fn commit(self, backup: Option<&str>) -> io::Result<Vec<String>> {
        let Self { place, original, file, mut temporary } = self;
        let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        let lost = match &original {
            Some(original) => attributes::keep(&original.file, &file)?,
            None => Vec::new(),
        };
        file.sync_all()?;
        // The locks of both files last until the temporary name is gone.
        let locked = match original {
            Some(original) => {
                temporary.give(&file)?;
                if original.has_changed()? || !is_in_place(&place, &original)? {
                    return Err(busy(CHANGED));
                }
                if let Some(suffix) = backup {
                    place.back_up(suffix, &original.file)?;
                }
                match replace(&place, &original) {
                    // Not every Windows renames to the name of a file that is open. So both are
                    // closed.
                    Err(error) if cfg!(windows) && error.kind() == ErrorKind::PermissionDenied => {
                        drop((original, file));
                        place.rename_temporary()?;
                        None
                    }
                    replaced => replaced.map(|()| Some((Some(original), file)))?,
                }
            }
            None => {
                temporary.make_permanent(&file)?;
                Some((None, file))
            }
        };
        drop(temporary);
        drop(locked);
        // The file is in its place. If the folder can't be synced, that is still true, so it is no
        // error.
        let _ = place.sync_folder();
        Ok(lost)
    }
}

fn is_in_place(place: &Place, original: &Original) -> io::Result<bool> {
    Ok(place.metadata()?.is_some_and(|metadata| Version::of(&metadata) == original.version))
}

/// Replaces `original` with the temporary file. Afterwards the temporary name is to be removed, if
/// it still exists.
fn replace(place: &Place, original: &Original) -> io::Result<()> {
    if !place.exchange()? {
        return place.rename_temporary();
    }
    let old = place.open_temporary()?;
    let is_original = match old {
        Some(old) => Version::of(&old.metadata()?) == original.version,
        None => false,
    };
    if is_original {
        return Ok(());
    }
    // Another program was faster. What it has written goes back to its place.
    place.exchange()?;
    Err(busy(CHANGED))
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// The temporary name of a new file. It is removed when this is dropped.
struct TemporaryName {
    place: Arc<Place>,
    exists: bool,
}

impl TemporaryName {
    fn none(place: &Arc<Place>) -> Self {
        Self { place: Arc::clone(place), exists: false }
    }

    fn new(place: &Arc<Place>) -> Self {
        UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(place));
        Self { place: Arc::clone(place), exists: true }
    }

    /// Gives `file` the temporary name, unless it has it.
    fn give(&mut self, file: &File) -> io::Result<()> {
        if self.exists {
            return Ok(());
        }
        if let Err(error) = self.place.link_temporary(file) {
            if error.kind() != ErrorKind::AlreadyExists {
                return Err(error);
            }
            remove_leftover_in(&self.place)?;
            self.place.link_temporary(file)?;
        }
        *self = Self::new(&self.place);
        Ok(())
    }

    /// Gives `file` the name of the place, where there must be no file.
    fn make_permanent(&mut self, file: &File) -> io::Result<()> {
        let result =
            if self.exists { self.place.rename_temporary_to_new() } else { self.place.link_new(file) };
        result.map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => busy("another program has created it in the meantime"),
            _ => error,
        })
    }
}

impl Drop for TemporaryName {
    fn drop(&mut self) {
        if self.exists {
            let _ = self.place.remove_temporary();
            UNFINISHED
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .retain(|place| !Arc::ptr_eq(place, &self.place));
        }
    }
}
