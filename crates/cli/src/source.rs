//! Inputs: their names, how they are opened, and how they are read.

use std::borrow::Borrow;
use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read, Seek};
use std::path::{Path, PathBuf};

use crate::git;
use crate::replace::identity;
use crate::streams::{StandardOutput, standard_input};

/// How many bytes are read at once. A buffer of this size leaves room in the second-level cache of
/// every current CPU, and the cost of the system call no longer shows.
pub(crate) const CHUNK_BYTES: usize = 256 << 10;

/// The size of a page, on nearly all computers.
const PAGE_BYTES: usize = 4096;

/// Returns a buffer, and the index in it from which `CHUNK_BYTES` bytes can be read into. There are at
/// least `room` bytes before it, for what the previous read did not complete.
///
/// That index is the beginning of a page, because CPUs copy more slowly to addresses that are not
/// aligned. Checking 1 GiB took 151 ms in place of 190 (AMD EPYC 9004 (Zen 4), November 2026).
pub(crate) fn aligned_buffer(room: usize) -> (Box<[u8]>, usize) {
    let bytes = vec![0; room + PAGE_BYTES + CHUNK_BYTES].into_boxed_slice();
    // If the offset is not known, 0 works too, only slower.
    let start = room + bytes[room..].as_ptr().align_offset(PAGE_BYTES).min(PAGE_BYTES);
    (bytes, start)
}

/// An input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    /// Standard input, which `-` means.
    StandardInput,
    /// A file, or anything else that has a path and can be read.
    Path(PathBuf),
    /// A staged file: its path, and the name of its object in Git.
    Staged(PathBuf, String),
}

impl Source {
    /// Returns the source that `path` means on the command line.
    pub(crate) fn named(path: &Path) -> Self {
        if path.as_os_str() == "-" { Self::StandardInput } else { Self::Path(path.to_owned()) }
    }

    /// Returns the name. For a file these are the bytes of its path, so that a program that reads
    /// them finds the file.
    pub(crate) fn name(&self) -> &[u8] {
        match self {
            Self::StandardInput => b"<stdin>",
            Self::Path(path) | Self::Staged(path, _) => path.as_os_str().as_encoded_bytes(),
        }
    }

    /// Returns the name for people, with each invalid sequence replaced by U+FFFD.
    pub(crate) fn display(&self) -> impl std::fmt::Display {
        String::from_utf8_lossy(self.name())
    }

    /// Returns the number of bytes, if this is a regular file.
    pub(crate) fn len(&self) -> Option<u64> {
        match self {
            Self::StandardInput => {
                let mut file = standard_input().ok()?;
                let metadata = file.metadata().ok()?;
                let start = file.stream_position().ok()?;
                metadata.is_file().then(|| metadata.len().saturating_sub(start))
            }
            Self::Path(path) => {
                let metadata = path.metadata().ok()?;
                metadata.is_file().then_some(metadata.len())
            }
            Self::Staged(..) => None,
        }
    }

    /// Opens the input for reading.
    pub(crate) fn open(&self) -> io::Result<Opened> {
        match self {
            Self::StandardInput => {
                let mut file = standard_input()?;
                let is_file = file.metadata().is_ok_and(|metadata| metadata.is_file());
                // Another process may have read the beginning already.
                Ok(match file.stream_position() {
                    Ok(start) if is_file => Opened::Seekable { file, start },
                    _ => Opened::Stream(file),
                })
            }
            Self::Path(path) => {
                let file = File::open(path)?;
                let metadata = file.metadata()?;
                // The error of reading a directory differs between systems, and some have none.
                if metadata.is_dir() {
                    return Err(io::Error::other("is a directory, not a file"));
                }
                Ok(if metadata.is_file() {
                    Opened::Seekable { file, start: 0 }
                } else {
                    Opened::Stream(file)
                })
            }
            Self::Staged(_, object) => Ok(Opened::Seekable { file: git::open(object)?, start: 0 }),
        }
    }

    /// Opens the input if it is a regular file, or standard input. Does not wait, as opening a pipe
    /// would.
    ///
    /// If `folder` is given, the file is looked for there, and not opened if it is a symbolic link.
    pub(crate) fn open_regular(&self, folder: Option<&File>) -> io::Result<Opened> {
        let Self::Path(path) = self else { return self.open() };
        #[cfg(unix)]
        let file: File = {
            use rustix::fs::{CWD, Mode, OFlags, openat};
            let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
            match (folder, path.file_name()) {
                (Some(folder), Some(name)) => openat(folder, name, flags | OFlags::NOFOLLOW, Mode::empty())?,
                _ => openat(CWD, path, flags, Mode::empty())?,
            }
            .into()
        };
        #[cfg(not(unix))]
        let file = {
            let _ = folder;
            File::open(path)?
        };
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("is not a regular file"));
        }
        Ok(Opened::Seekable { file, start: 0 })
    }
}

/// An open input.
pub(crate) enum Opened {
    /// A regular file, which can be read from any offset and more than once.
    Seekable {
        file: File,
        /// The offset at which the input begins.
        start: u64,
    },
    /// A pipe, a terminal or a device, which can be read only once.
    Stream(File),
}

impl Opened {
    /// Returns the file, to be read from its cursor on.
    pub(crate) fn into_file(self) -> File {
        match self {
            Self::Seekable { file, .. } | Self::Stream(file) => file,
        }
    }
}

/// What standard output leads to, to find out whether an input is the output as well.
pub(crate) struct OutputFile(Option<Metadata>);

impl OutputFile {
    pub(crate) fn new() -> Self {
        Self(StandardOutput::new().metadata())
    }

    /// Whether `metadata` is that of the same file, pipe or device.
    pub(crate) fn is(&self, metadata: &Metadata) -> bool {
        self.0.as_ref().and_then(identity).is_some_and(|output| Some(output) == identity(metadata))
    }

    /// Fails if `file` is the output as well, and has something to read from the offset `start` on.
    /// The output would be read as input, without an end.
    pub(crate) fn check_input(&self, file: &File, start: u64) -> io::Result<()> {
        let metadata = file.metadata()?;
        if metadata.is_file() && start < metadata.len() && self.is(&metadata) {
            return Err(io::Error::other("input file is output file"));
        }
        Ok(())
    }
}

/// Reads a file, `F` is `File` or `&File`, from the offset `at` on, whatever its cursor.
pub(crate) struct FileFrom<F> {
    pub(crate) file: F,
    pub(crate) at: u64,
}

impl<F: Borrow<File>> Read for FileFrom<F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = read_at(self.file.borrow(), buffer, self.at)?;
        self.at += n as u64;
        Ok(n)
    }
}

/// Returns a function from an offset to a reader of `file` that begins there. The input begins at
/// `start`.
///
/// All callers share its type, so that the compiler makes one copy of what they pass it to.
pub(crate) fn readers<'a>(file: &'a File, start: u64) -> impl Fn(u64) -> FileFrom<&'a File> + Copy {
    move |skip| FileFrom { file, at: start + skip }
}

/// Reads from the offset `at` of `file`, whatever its cursor. Reads again if a signal interrupts
/// it.
pub(crate) fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    retry_interrupted(|| {
        #[cfg(unix)]
        let read = std::os::unix::fs::FileExt::read_at(file, buffer, at);
        #[cfg(windows)]
        let read = std::os::windows::fs::FileExt::seek_read(file, buffer, at);
        read
    })
}

/// Reads from `reader`. Reads again if a signal interrupts it.
pub(crate) fn read(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    retry_interrupted(|| reader.read(buffer))
}

fn retry_interrupted(mut read: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
    loop {
        match read() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// Returns the path with the name `bytes`.
pub(crate) fn path_of(bytes: &[u8]) -> PathBuf {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        Path::new(std::ffi::OsStr::from_bytes(bytes)).to_owned()
    }
    #[cfg(not(unix))]
    {
        Path::new(&*String::from_utf8_lossy(bytes)).to_owned()
    }
}

/// A file with settings that is longer is not read.
const LONGEST_SETTINGS_BYTES: u64 = 1 << 20;

/// Returns the content of the file `name` in the folder at `path`, or `None` if there is none. Fails
/// if it is not regular or too long.
pub(crate) fn read_short(handle: Option<&File>, path: &Path, name: &Path) -> Result<Option<Vec<u8>>, String> {
    let not_read = |error: io::Error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Ok(None),
        _ => Err(error.to_string()),
    };
    let file = match open_if_regular(handle, path, name) {
        Ok(Some(file)) => file,
        Ok(None) => return Err("it is not a regular file".to_owned()),
        Err(error) => return not_read(error),
    };
    let mut text = Vec::new();
    match file.take(LONGEST_SETTINGS_BYTES + 1).read_to_end(&mut text) {
        Ok(_) if text.len() as u64 > LONGEST_SETTINGS_BYTES => Err("it is longer than 1 MiB".to_owned()),
        Ok(_) => Ok(Some(text)),
        Err(error) => not_read(error),
    }
}

/// Opens a file, or returns `None` if it is not regular. What is not is not opened: that can wait for
/// ever, and some devices do something.
#[cfg(unix)]
fn open_if_regular(handle: Option<&File>, path: &Path, name: &Path) -> io::Result<Option<File>> {
    use std::os::fd::AsFd;

    use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, fstat, openat, statat};

    let (folder, name) = match handle {
        Some(handle) => (handle.as_fd(), name.to_owned()),
        None => (CWD, path.join(name)),
    };
    let is_regular = |mode| FileType::from_raw_mode(mode) == FileType::RegularFile;
    if !is_regular(statat(folder, &name, AtFlags::empty())?.st_mode) {
        return Ok(None);
    }
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = openat(folder, &name, flags, Mode::empty())?;
    Ok(is_regular(fstat(&file)?.st_mode).then(|| file.into()))
}

#[cfg(not(unix))]
fn open_if_regular(_: Option<&File>, path: &Path, name: &Path) -> io::Result<Option<File>> {
    let path = path.join(name);
    if !path.metadata()?.is_file() {
        return Ok(None);
    }
    File::open(path).map(Some)
}
