//! Where bytes come from: a name, and what is behind it once it is open.

use std::fs::File;
use std::io::{self, Seek};
use std::path::{Path, PathBuf};

/// Something to read to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    /// What `-` stands for.
    StandardInput,
    /// A file, or whatever else can be opened by a path and read.
    Path(PathBuf),
}

impl Source {
    /// What a name on the command line means.
    pub(crate) fn named(path: &Path) -> Self {
        if path.as_os_str() == "-" { Self::StandardInput } else { Self::Path(path.to_owned()) }
    }

    /// The name, for a file name byte by byte, so that a program that reads it finds the file.
    pub(crate) fn name(&self) -> &[u8] {
        match self {
            Self::StandardInput => b"<stdin>",
            Self::Path(path) => path.as_os_str().as_encoded_bytes(),
        }
    }

    /// The name for people: what is not text in it is replaced.
    pub(crate) fn display(&self) -> impl std::fmt::Display {
        String::from_utf8_lossy(self.name())
    }

    /// How many bytes it has, if it is a file.
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
        }
    }

    /// Opens it for reading.
    pub(crate) fn open(&self) -> io::Result<Opened> {
        match self {
            Self::StandardInput => {
                let mut file = standard_input()?;
                let is_file = file.metadata().is_ok_and(|metadata| metadata.is_file());
                // Whoever read from it before us may have left it in the middle.
                Ok(match file.stream_position() {
                    Ok(start) if is_file => Opened::Seekable { file, start },
                    _ => Opened::Stream(file),
                })
            }
            Self::Path(path) => {
                let file = File::open(path)?;
                let metadata = file.metadata()?;
                // Reading one fails with different words, or none, on different systems.
                if metadata.is_dir() {
                    return Err(io::Error::other("is a directory, not a file"));
                }
                Ok(if metadata.is_file() {
                    Opened::Seekable { file, start: 0 }
                } else {
                    Opened::Stream(file)
                })
            }
        }
    }

    /// Opens it; it was found in a folder, and was a file there a moment ago.
    pub(crate) fn open_file(&self) -> io::Result<Opened> {
        match self {
            Self::StandardInput => self.open(),
            Self::Path(path) => Ok(Opened::Seekable { file: File::open(path)?, start: 0 }),
        }
    }
}

/// An open source.
pub(crate) enum Opened {
    /// A file, which can be read from any place, and more than once.
    Seekable {
        file: File,
        /// Where it begins for us.
        start: u64,
    },
    /// A pipe, a terminal, a device: what was read is gone.
    Stream(File),
}

/// Standard input without the buffer that the standard library puts before it.
fn standard_input() -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        Ok(File::from(io::stdin().as_fd().try_clone_to_owned()?))
    }
    #[cfg(windows)]
    {
        use std::os::windows::io::AsHandle;
        Ok(File::from(io::stdin().as_handle().try_clone_to_owned()?))
    }
}
