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
//!    replaced or changed the old file just before, or if that can't be found out, they change their
//!    names back.
//!
//! `place.rs` has the system calls. All of them name the folder by an open handle, so it does not
//! matter if another program renames folders or puts symbolic links in their place. It does matter
//! what it puts into the folder: nothing that another user could have put there is followed,
//! removed or restored.

mod attributes;
mod place;

use std::error::Error;
use std::ffi::OsString;
use std::fmt;
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
    /// When the status changed, where the system has that. Unlike `modified`, no program can set it.
    /// It also changes with the names of the file.
    changed: Option<(i64, i64)>,
}

impl Version {
    fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        let changed = {
            use std::os::unix::fs::MetadataExt;
            Some((metadata.ctime(), metadata.ctime_nsec()))
        };
        #[cfg(not(unix))]
        let changed = None;
        Self {
            identity: identity(metadata),
            len: metadata.len(),
            modified: metadata.modified().ok(),
            changed,
        }
    }

    /// Whether `metadata` is of the same version, except that the names of the file may have changed.
    fn is_of(&self, metadata: &Metadata) -> bool {
        Self { changed: self.changed, ..Self::of(metadata) } == *self
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

/// Whether the file belongs to the user who runs this program.
#[cfg(unix)]
fn is_mine(metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    metadata.uid() == rustix::process::geteuid().as_raw()
}

/// Whether a run of this program, on the file at `place`, can have created the file.
fn may_be_leftover(place: &Place, metadata: &Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        // A new file gets the owner of the old one.
        let owner = || Some(place.metadata().ok()??.uid());
        metadata.is_file() && (is_mine(metadata) || owner() == Some(metadata.uid()))
    }
    #[cfg(not(unix))]
    {
        let _ = place;
        metadata.is_file()
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

    /// Call this after a name of the file was added or removed.
    fn names_have_changed(&mut self) -> io::Result<()> {
        let now = self.file.metadata()?;
        if self.version.is_of(&now) {
            self.version = Version::of(&now);
        }
        Ok(())
    }
}

/// A new file that is being written. Until `commit`, nothing has changed at its target.
pub(crate) struct NewFile {
    /// The file to replace, if there is one.
    original: Option<Original>,
    file: BufWriter<File>,
    /// The name that the new file has until it is in its place.
    temporary: TemporaryName,
    /// What to tell the user.
    notes: Vec<String>,
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
/// `folder` is where the file was found, if links are not followed.
pub(crate) fn remove_leftover(path: &Path, folder: Option<&File>) -> io::Result<()> {
    free_temporary_name(&Place::find(path, folder)?, None).map(drop)
}

/// Removes what a run that was killed has left. Returns whether the temporary name is free then.
fn free_temporary_name(place: &Place, original: Option<&mut Original>) -> io::Result<bool> {
    if let Some(backup) = place.unfinished_backup_metadata()? {
        if !may_be_leftover(place, &backup) {
            return Ok(false);
        }
        place.remove_unfinished_backup();
        if let Some(original) = original.filter(|original| original.version.identity == identity(&backup)) {
            original.names_have_changed()?;
        }
    }
    let Some(metadata) = place.temporary_metadata()? else { return Ok(true) };
    if !may_be_leftover(place, &metadata) {
        return Ok(false);
    }
    if let Ok(Some(leftover)) = place.open_temporary()
        && is_locked(&leftover)
        && leftover.try_lock_shared().is_err()
    {
        // Another run still writes the file.
        return Err(busy("another program has locked it"));
    }
    Ok(place.remove_temporary().is_ok())
}

/// Restores the backup with this suffix to `path`. Returns false if there is none. `folder` is where
/// the file was found, if links are not followed.
///
/// If the file may have been written to since it was backed up, or if the backup may be somebody
/// else's, that is an error.
pub(crate) fn restore(path: &Path, folder: Option<&File>, suffix: &str) -> io::Result<bool> {
    let place = Place::find(path, folder)?;
    let Some(backup) = place.backup_metadata(suffix)?.filter(Metadata::is_file) else { return Ok(false) };
    let current = place.open()?;
    if let Some(current) = &current {
        lock(current)?;
    }
    let metadata = current.as_ref().map(File::metadata).transpose()?;
    let is_same = |current: &Metadata| identity(current).is_some() && identity(current) == identity(&backup);
    if metadata.as_ref().is_some_and(is_same) {
        return Err(busy("its backup is the same file, because the repair was interrupted"));
    }
    let why = match place.distrusts(&backup, metadata.as_ref())? {
        None => metadata.as_ref().and_then(|current| keeps_from_undo(current, &backup)),
        why => why,
    };
    if let Some(why) = why {
        return Err(busy(why));
    }
    place.restore(suffix)?;
    let _ = place.sync_folder();
    Ok(true)
}

/// Returns why the file may have been written to after the other one became its backup.
///
/// The backup's status changes when the repaired file gets its name, and that is soon after that was
/// written. It also changes with `chmod`, or if the backup is copied. From then on, its time says
/// nothing about the repair.
fn keeps_from_undo(file: &Metadata, backup: &Metadata) -> Option<&'static str> {
    const WRITTEN: &str = "it has been written to since it was repaired";
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        /// The longest time, in seconds, that syncing the repaired file may take.
        const SYNC: i64 = 60;
        if backup.ctime().saturating_sub(file.mtime()) > SYNC {
            return Some(
                "its backup was changed or copied later, so it may have been written to since it was repaired",
            );
        }
        // `mv` and `cp -p` put a file there whose content is older than the repair.
        let is_later = (file.ctime(), file.ctime_nsec()) > (backup.ctime(), backup.ctime_nsec());
        is_later.then_some(WRITTEN)
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
    if !is_locked(file) {
        return Ok(());
    }
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => Err(busy("another program has locked it")),
        _ => Err(busy("another program has locked it against changes (with a shared lock)")),
    }
}

/// Locks `file`. Returns whether another program has locked it.
fn is_locked(file: &File) -> bool {
    matches!(file.try_lock(), Err(TryLockError::WouldBlock))
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

/// The new file is in its place, but has taken the place of another program's file, which has this
/// name now.
#[derive(Debug)]
struct Displaced(OsString);

impl fmt::Display for Displaced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.0.display();
        write!(f, "another program has replaced it at the same time, and its file is now {name}")
    }
}

impl Error for Displaced {}

/// Whether `error` means that the file is not what it was.
pub(crate) fn has_displaced(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|error| error.is::<Displaced>())
}

impl NewFile {
    /// Begins a new file that is to replace the one at `path`, which was read as `original`. `folder`
    /// is where it was found, if links are not followed.
    pub(crate) fn in_place_of(path: &Path, folder: Option<&File>, original: Original) -> io::Result<Self> {
        let place = Place::find(path, folder)?;
        if !is_in_place(&place, &original)? {
            return Err(busy(CHANGED));
        }
        Self::new(place, Some(original))
    }

    /// Begins a new file for `path`, whether or not there is a file. If that is `read`, it is
    /// replaced only if it has not changed since.
    pub(crate) fn at(path: &Path, read: Option<Original>) -> io::Result<Self> {
        let place = Place::for_output(path)?;
        let Some(old) = place.open()? else { return Self::new(place, None) };
        let found = Original::new(&old)?;
        let original = match read {
            Some(read) if read.version.identity.is_some_and(|id| Some(id) == found.version.identity) => read,
            _ => found,
        };
        Self::new(place, Some(original))
    }

    fn new(mut place: Place, mut original: Option<Original>) -> io::Result<Self> {
        let mut notes = Vec::new();
        if let Some(original) = &original {
            lock(&original.file)?;
        }
        if !free_temporary_name(&place, original.as_mut())? {
            let taken = place.temporary_name().display();
            notes.push(format!("the name {taken} is taken by what is not trust8's, so another one was used"));
            place = place.with_other_temporary_name()?;
        }
        // Only the user may read the new file before it has the permissions of the old one.
        let mode = if original.is_some() { 0o600 } else { 0o666 };
        let place = Arc::new(place);
        let (file, temporary) = match place.create_without_name(mode)? {
            Some(file) => (file, TemporaryName::none(place)),
            None => (place.create_temporary(mode)?, TemporaryName::new(place)),
        };
        lock(&file)?;
        Ok(Self { original, file: BufWriter::new(file), temporary, notes })
    }

    /// Puts the new file in its place. With `backup`, the old file stays, with that suffix appended
    /// to its name.
    ///
    /// Returns what could not be kept of the old file.
    pub(crate) fn commit(self, backup: Option<&str>) -> io::Result<Vec<String>> {
        let Self { original, file, mut temporary, mut notes } = self;
        let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        if let Some(original) = &original {
            notes.extend(attributes::keep(&original.file, &file)?);
        }
        file.sync_all()?;
        // The locks of both files last until the temporary name is gone.
        let locked = match original {
            Some(original) => {
                temporary.give(&file)?;
                let place = Arc::clone(&temporary.place);
                if original.has_changed()? || !is_in_place(&place, &original)? {
                    return Err(busy(CHANGED));
                }
                let copy = match backup {
                    Some(suffix) => place.back_up(suffix, &original.file)?,
                    None => None,
                };
                let replaced = match temporary.replace(&original) {
                    // Not every Windows renames to the name of a file that is open. So both are
                    // closed.
                    Err(error) if cfg!(windows) && error.kind() == ErrorKind::PermissionDenied => {
                        drop((original, file));
                        place.rename_temporary()?;
                        None
                    }
                    replaced => replaced.map(|()| Some((Some(original), file)))?,
                };
                // A link changes its status when the temporary name is removed; see `keeps_from_undo`.
                if let Some(copy) = copy {
                    let _ = copy.metadata().and_then(|it| copy.set_permissions(it.permissions()));
                }
                replaced
            }
            None => {
                temporary.make_permanent(&file)?;
                Some((None, file))
            }
        };
        let place = Arc::clone(&temporary.place);
        drop(temporary);
        drop(locked);
        // The file is in its place. If the folder can't be synced, that is still true, so it is no
        // error.
        let _ = place.sync_folder();
        Ok(notes)
    }
}

fn is_in_place(place: &Place, original: &Original) -> io::Result<bool> {
    Ok(place.metadata()?.is_some_and(|metadata| Version::of(&metadata) == original.version))
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
    fn none(place: Arc<Place>) -> Self {
        Self { place, exists: false }
    }

    fn new(place: Arc<Place>) -> Self {
        let mut name = Self::none(place);
        name.is_given();
        name
    }

    /// Call this when the file has the name.
    fn is_given(&mut self) {
        UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&self.place));
        self.exists = true;
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
            if !free_temporary_name(&self.place, None)? {
                self.place = Arc::new(self.place.with_other_temporary_name()?);
            }
            self.place.link_temporary(file)?;
        }
        self.is_given();
        Ok(())
    }

    /// Replaces `original` with the temporary file. Afterwards the temporary name is to be removed,
    /// if it still exists.
    fn replace(&mut self, original: &Original) -> io::Result<()> {
        let place = &self.place;
        // While the temporary name may be that of another program's file, no signal removes it.
        let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
        if !place.exchange()? {
            return place.rename_temporary();
        }
        let old = place.temporary_metadata();
        if matches!(&old, Ok(Some(old)) if original.version.is_of(old)) {
            return Ok(());
        }
        // Another program was faster. What it has written goes back to its place. If the new file
        // has been removed from there already, it is a rename.
        if matches!(place.exchange(), Ok(true)) || place.rename_temporary_to_new().is_ok() {
            return Err(old.err().unwrap_or_else(|| busy(CHANGED)));
        }
        let name = place.keep_temporary().unwrap_or_else(|_| {
            self.exists = false;
            unfinished.retain(|other| !Arc::ptr_eq(other, place));
            place.temporary_name().to_owned()
        });
        Err(io::Error::other(Displaced(name)))
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
        self.place.remove_created();
        if self.exists {
            let _ = self.place.remove_temporary();
            UNFINISHED
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .retain(|place| !Arc::ptr_eq(place, &self.place));
        }
    }
}
