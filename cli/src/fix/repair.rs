//! Invalid sequences replaced, left out or escaped; all else as it is.

use std::io::{Read, Write};

use trust8::Kernel;

use super::Trouble;
use crate::args::Remedy;
use crate::progress::Progress;
use crate::read::CHUNK;
use crate::window::{View, Window};

/// Writes what is read, repaired. Says how many sequences were invalid, counted as browsers count them.
pub(super) fn repair(
    kernel: &'static Kernel,
    reader: impl Read,
    remedy: Remedy,
    progress: &Progress,
    out: &mut dyn Write,
) -> Result<u64, Trouble> {
    let mut window = Window::new(kernel, reader);
    let mut remedied = 0;
    while let Some(view) = window.look().map_err(Trouble::Reading)? {
        match view {
            View::Text(text) => {
                out.write_all(text).map_err(Trouble::Writing)?;
                progress.add(text.len() as u64);
            }
            View::Invalid { error, rest, .. } => {
                let len = error.error_len().unwrap_or(rest.len());
                apply(remedy, &rest[..len], out)?;
                remedied += 1;
                window.skip(len);
            }
        }
    }
    Ok(remedied)
}

/// Writes what stands for one invalid sequence.
pub(super) fn apply(remedy: Remedy, sequence: &[u8], out: &mut dyn Write) -> Result<(), Trouble> {
    match remedy {
        Remedy::Replace => out.write_all("\u{FFFD}".as_bytes()),
        Remedy::Skip => Ok(()),
        Remedy::Escape => sequence.iter().try_for_each(|byte| write!(out, "\\x{byte:02X}")),
    }
    .map_err(Trouble::Writing)
}

/// Writes what is read as it is.
pub(super) fn copy(mut reader: impl Read, out: &mut dyn Write) -> Result<(), Trouble> {
    let mut bytes = vec![0; CHUNK];
    loop {
        match reader.read(&mut bytes).map_err(Trouble::Reading)? {
            0 => return Ok(()),
            n => out.write_all(&bytes[..n]).map_err(Trouble::Writing)?,
        }
    }
}
