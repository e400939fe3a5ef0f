//! What the fuzz target `command` calls: the command from the words of its command line to the
//! bytes of its output, without files, threads and the terminal.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use crate::args::{Cli, Command};
use crate::charset::from_fix;
use crate::check::Check;
use crate::dialects::DialectChunks;
use crate::fix::{FileError, fixed};
use crate::progress::Progress;
use crate::source::Source;
use crate::walk::Entry;

/// A valid command line.
pub struct Line(Cli);

impl Line {
    /// Parses `words`, which begin with the name of the program. Returns clap's message if they are
    /// wrong.
    pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Self, String> {
        Cli::parse_words(words).map(Self).map_err(|error| error.to_string())
    }

    /// Returns the paths to check or to fix.
    pub fn paths(&self) -> &[PathBuf] {
        match &self.0.command {
            None => &self.0.check.selection.paths,
            Some(Command::Check(check)) => &check.selection.paths,
            Some(Command::Fix(fix)) => &fix.selection.paths,
            Some(_) => &[],
        }
    }

    /// Returns how many errors of one file `check` reports.
    pub fn limit(&self) -> u64 {
        match &self.0.command {
            Some(Command::Check(check)) => check.error_limit(),
            _ => self.0.check.error_limit(),
        }
    }

    /// Returns how many threads to use.
    pub fn threads(&self) -> usize {
        self.0.common.threads()
    }

    /// Returns what `check` writes for an input called `name`. `from` returns a reader that begins
    /// at an offset.
    pub fn check<R: Read>(&self, name: PathBuf, from: impl Fn(u64) -> R) -> io::Result<Vec<u8>> {
        let Cli { command, check, common } = &self.0;
        let args = if let Some(Command::Check(args)) = command { args } else { check };
        let report = crate::report::select(args, common);
        let out = Out::default();
        let check = Check::new(args, common, &*report, &Progress::none(), Box::new(out.clone()));
        check.check_input(&Entry::named(Source::Path(name)), from)?;
        Ok(std::mem::take(&mut *out.0.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Returns what `fix` writes for an input that is not UTF-8, and how many sequences it
    /// replaced, left out or escaped; or why the input can't be converted. For another command,
    /// returns nothing.
    pub fn fix<R: Read>(&self, from: impl Fn(u64) -> R) -> Result<(Vec<u8>, u64), String> {
        let Some(Command::Fix(args)) = &self.0.command else { return Ok((Vec::new(), 0)) };
        fixed(args, self.0.common.kernel(), from).map_err(|error| match error {
            FileError::Unconvertible(why) | FileError::Guarded(why) => why,
            FileError::Read(error) | FileError::Write(error) | FileError::Target(_, error) => {
                error.to_string()
            }
        })
    }
}

/// An output that can be read afterwards.
#[derive(Clone, Default)]
struct Out(Arc<Mutex<Vec<u8>>>);

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the name of the charset that `label` means, or why it means none.
pub fn charset(label: &str) -> Result<String, String> {
    from_fix(label).map(|charset| charset.label())
}

/// Returns `bytes` as text that is safe to write to a terminal.
pub fn visible(bytes: &[u8]) -> String {
    crate::visible::visible(bytes)
}

/// Returns the chunks of at most `size` bytes in which dialects of UTF-8 are read. `size` is at
/// least 9.
pub fn chunks(reader: impl Read, size: usize) -> io::Result<Vec<Vec<u8>>> {
    let mut chunks = DialectChunks::of_size(reader, size);
    let mut all = Vec::new();
    while let Some(chunk) = chunks.next()? {
        all.push(chunk.to_vec());
    }
    Ok(all)
}
