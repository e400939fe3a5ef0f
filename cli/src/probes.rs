//! What the fuzz target `command` calls: the command without its files, threads and terminal, from the words of the
//! command line to the bytes of the output.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use crate::args::{Cli, Command};
use crate::check::Check;
use crate::fix::charset::Charset;
use crate::fix::{Trouble, remedied, settled};
use crate::progress::Progress;
use crate::relatives::Chunks;
use crate::source::Source;
use crate::walk::Entry;

/// A command line that makes sense.
pub struct Line(Cli);

impl Line {
    /// Of words, the first of which is the program's name, or what is said of them.
    pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Self, String> {
        Cli::of(words).map(Self).map_err(|error| error.to_string())
    }

    /// The paths that are to be looked at, or fixed.
    pub fn paths(&self) -> &[PathBuf] {
        match &self.0.command {
            None => &self.0.check.selection.paths,
            Some(Command::Check(check)) => &check.selection.paths,
            Some(Command::Fix(fix)) => &fix.selection.paths,
            Some(_) => &[],
        }
    }

    /// How many errors of one file are told of.
    pub fn limit(&self) -> u64 {
        match &self.0.command {
            Some(Command::Check(check)) => check.limit(),
            _ => self.0.check.limit(),
        }
    }

    /// How many threads there are to be.
    pub fn threads(&self) -> usize {
        self.0.common.threads()
    }

    /// What is behind the old name of a file that is fixed.
    pub fn backup(&self) -> Option<&str> {
        match &self.0.command {
            Some(Command::Fix(fix)) => fix.backup.as_deref(),
            _ => None,
        }
    }

    /// What `check` writes of an input. `from` reads it from any place on.
    pub fn check<R: Read>(&self, name: PathBuf, from: impl Fn(u64) -> R) -> io::Result<Vec<u8>> {
        let Cli { command, check, common } = &self.0;
        let args = if let Some(Command::Check(args)) = command { args } else { check };
        let report = crate::report::of(args, common);
        let out = Out::default();
        let check = Check::new(args, common, &*report, &Progress::none(), Box::new(out.clone()));
        check.only(&Entry { source: Source::Path(name), named: true }, from)?;
        Ok(std::mem::take(&mut *out.0.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// What `fix` writes of an input that is not UTF-8, and how many sequences it replaced, left out or escaped; or
    /// why it can't be converted. Of another command, nothing.
    pub fn fix<R: Read>(&self, from: impl Fn(u64) -> R) -> Result<(Vec<u8>, u64), String> {
        let Some(Command::Fix(args)) = &self.0.command else { return Ok((Vec::new(), 0)) };
        let kernel = self.0.common.kernel();
        let mut out = Vec::new();
        let result = settled(kernel, args.from, &from).and_then(|charset| {
            remedied(kernel, charset, from(0), args.remedy(), &Progress::none(), &mut out)
        });
        match result {
            Ok(remedied) => Ok((out, remedied)),
            Err(Trouble::Unconvertible(why)) => Err(why),
            Err(Trouble::Reading(error) | Trouble::Writing(error)) => Err(error.to_string()),
        }
    }
}

/// Where an output goes that is looked at afterwards.
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

/// The name of the charset that a label stands for, or why it stands for none.
pub fn charset(label: &str) -> Result<String, String> {
    label.parse::<Charset>().map(|charset| charset.label())
}

/// Bytes as a terminal may have them.
pub fn visible(bytes: &[u8]) -> String {
    crate::visible::visible(bytes)
}

/// The chunks of at most `size` bytes, 9 or more, in which UTF-8's relatives are read.
pub fn chunks(reader: impl Read, size: usize) -> io::Result<Vec<Vec<u8>>> {
    let mut chunks = Chunks::of_size(reader, size);
    let mut all = Vec::new();
    while let Some(chunk) = chunks.next()? {
        all.push(chunk.to_vec());
    }
    Ok(all)
}
