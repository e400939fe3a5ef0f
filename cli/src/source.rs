//! Where bytes come from.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

/// Something to read to its end.
pub(crate) enum Source<'a> {
    /// What `-` stands for.
    StandardInput,
    /// A file, or whatever else can be opened by a path and read.
    Path(&'a Path),
}

impl<'a> Source<'a> {
    /// What a name on the command line means.
    pub(crate) fn named(path: &'a Path) -> Self {
        if path.as_os_str() == "-" { Self::StandardInput } else { Self::Path(path) }
    }

    /// Puts all bytes of the source in place of those in `bytes`.
    pub(crate) fn read(&self, bytes: &mut Vec<u8>) -> io::Result<()> {
        bytes.clear();
        match self {
            Self::StandardInput => io::stdin().lock().read_to_end(bytes)?,
            Self::Path(path) => {
                let mut file = File::open(path)?;
                // Reading one fails with different words, or none, on different systems.
                if file.metadata()?.is_dir() {
                    return Err(io::Error::other("is a directory, not a file"));
                }
                file.read_to_end(bytes)?
            }
        };
        Ok(())
    }

    /// The name for people: what is not text in it is replaced.
    pub(crate) fn display(&self) -> impl std::fmt::Display {
        match self {
            Self::StandardInput => Path::new(Self::STANDARD_INPUT),
            Self::Path(path) => path,
        }
        .display()
    }

    /// The name, for a file name byte by byte, so that a program that reads it finds the file.
    pub(crate) fn write_name(&self, out: &mut impl Write) -> io::Result<()> {
        match self {
            #[cfg(unix)]
            Self::Path(path) => out.write_all(std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str())),
            _ => write!(out, "{}", self.display()),
        }
    }

    const STANDARD_INPUT: &'static str = "<stdin>";
}
