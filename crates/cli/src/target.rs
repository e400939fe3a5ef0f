//! Where the result of `fix` and `convert` goes: standard output, a file that is replaced in one
//! step, or a device.

use std::fs::{File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::fix::FileError;
use crate::progress::Progress;
use crate::replace::{NewFile, Original, identity};
use crate::source::{OutputFile, Source};
use crate::streams::StandardOutput;

/// Where the result of one file goes.
pub(crate) enum Target {
    StandardOutput,
    /// The file that is read, and the folder in which it was found, if links are not followed.
    InPlace(PathBuf, Option<Arc<File>>),
    /// Another file, which may exist already.
    File(PathBuf),
    /// A device, a pipe, or an open file of this process. It can be written to, but not replaced.
    Special(PathBuf),
}

impl Target {
    /// Returns where the result of `source` goes, if the command line says `output` or `in_place`.
    /// `folder` is where the source was found, if links are not followed.
    pub(crate) fn of(
        source: &Source,
        folder: Option<&Arc<File>>,
        output: Option<&Path>,
        in_place: bool,
    ) -> Self {
        match (output, source) {
            (None, Source::Path(path)) if in_place => Self::InPlace(path.clone(), folder.cloned()),
            (None, _) => Self::StandardOutput,
            (Some(path), _) if path.as_os_str() == "-" => Self::StandardOutput,
            (Some(path), _) => match path.metadata() {
                Ok(metadata) if is_standard_output(path, &metadata) => Self::StandardOutput,
                Ok(metadata) if !metadata.is_file() || is_open_file(path) => Self::Special(path.to_owned()),
                _ => Self::File(path.to_owned()),
            },
        }
    }

    /// Fails if `file`, which is read from the offset `start` on, is what is written to, so that it
    /// would grow without end.
    pub(crate) fn check_input(&self, file: &File, start: u64) -> io::Result<()> {
        match self {
            Self::StandardOutput => OutputFile::new().check_input(file, start),
            Self::Special(path) => {
                let (read, written) = (file.metadata()?, path.metadata().ok());
                if read.is_file() && written.as_ref().and_then(identity) == identity(&read) {
                    return Err(io::Error::other("input file is output file"));
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Calls `write` with what the result goes to: `out`, if that is standard output. A file is
    /// replaced only if `write` succeeds. Then returns what could not be kept of the old file as
    /// well.
    pub(crate) fn write<T>(
        self,
        original: Option<Original>,
        backup: Option<&str>,
        progress: &Progress,
        out: &mut dyn Write,
        write: impl FnOnce(&mut dyn Write) -> Result<T, FileError>,
    ) -> Result<(T, Vec<String>), FileError> {
        let (path, file) = match (self, original) {
            (Self::StandardOutput, _) => return Ok((write(out)?, Vec::new())),
            (Self::Special(path), _) => {
                let failed = |error| FileError::Target(path.clone(), error);
                // Linux refuses a stranger's pipe in a folder like /tmp only if it may be created.
                let mut options = File::options();
                options.append(is_open_file(&path)).write(true).create(true);
                let mut file = options.open(&path).map_err(failed)?;
                let result = write(&mut file).map_err(|error| error.at(&path))?;
                return Ok((result, Vec::new()));
            }
            (Self::InPlace(path, folder), Some(original)) => {
                let file = NewFile::in_place_of(&path, folder.as_deref(), original);
                (path, file)
            }
            (Self::InPlace(path, _) | Self::File(path), original) => {
                let file = NewFile::at(&path, original);
                (path, file)
            }
        };
        let failed = |error| FileError::Target(path.clone(), error);
        let mut file = file.map_err(failed)?;
        let result = write(&mut file).map_err(|error| error.at(&path))?;
        progress.phase("syncing");
        let lost = file.commit(backup).map_err(failed)?;
        Ok((result, lost))
    }
}

/// Whether `path` is another name of standard output: /dev/stdout, or that of the device or pipe.
fn is_standard_output(path: &Path, metadata: &Metadata) -> bool {
    let is_same = StandardOutput::new().metadata().as_ref().and_then(identity) == identity(metadata);
    is_same && identity(metadata).is_some() && (!metadata.is_file() || is_open_file(path))
}

/// Whether `path` is a name that the system has for the open files of this process. It may lead to
/// a regular file, such as a log that other programs write to as well.
fn is_open_file(path: &Path) -> bool {
    let mut parts = path.iter();
    path.is_absolute()
        && (path == Path::new("/dev/stdout")
            || path == Path::new("/dev/stderr")
            || path.starts_with("/dev/fd")
            || path.starts_with("/proc") && parts.any(|part| part == "fd"))
}
