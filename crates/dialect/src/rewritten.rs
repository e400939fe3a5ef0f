//! Conversion to UTF-8: rewrites the dialect's own sequences, copies the rest, and validates the
//! result as a whole.
//!
//! ```text
//! copy the bytes; rewrite each sequence that the dialect reads in another way than UTF-8 (`rewriting.rs`)
//! in the end: one kernel validates the result, or replaces the ill-formed sequences that are left
//! ```
//!
//! The rewritten sequences are whole characters. So the result is UTF-8 exactly if the bytes
//! between them are, and an ill-formed sequence between them stays the same in the result. A kernel
//! call for each run would take longer. The cost of an error does not depend on the number of
//! errors.

#![forbid(unsafe_code)]

use alloc::borrow::Cow;
use alloc::vec::Vec;

use super::diagnosis::Finding;
use super::rewriting::{CopyEnd, Rewriting, SPARE_BYTES, ToUtf8, copy_rewritten};
use super::segments::{Segment, Segments};
use super::{Dialect, DialectError, DialectWith};
use trust8::Kernel;
use trust8::engine::append;

impl DialectWith {
    /// Like [`Dialect::to_utf8`], with this kernel.
    ///
    /// # Errors
    ///
    /// Returns the errors of that function.
    pub fn to_utf8(self, bytes: &[u8]) -> Result<Cow<'_, str>, DialectError> {
        let Self(kernel, dialect) = self;
        match Segments::new(dialect, bytes, kernel).next() {
            None => return Ok(Cow::Borrowed("")),
            Some((_, Segment::Text(text))) if text.len() == bytes.len() => return Ok(Cow::Borrowed(text)),
            _ => {}
        }
        if dialect != Dialect::Utf8
            && let Some(rewritten) = dialect.rewrite(kernel, bytes, false)
            && let Ok(text) = kernel.string_from_utf8(rewritten)
        {
            return Ok(Cow::Owned(text));
        }
        let Finding { refused, inexpressible } = Finding::of(Segments::new(dialect, bytes, kernel));
        // There is an error, unless a kernel was wrong.
        inexpressible.or(refused).map_or_else(|| Ok(self.to_utf8_lossy(bytes)), Err)
    }

    /// Like [`Dialect::to_utf8_lossy`], with this kernel.
    #[must_use]
    pub fn to_utf8_lossy(self, bytes: &[u8]) -> Cow<'_, str> {
        let Self(kernel, dialect) = self;
        if bytes.is_empty() || dialect == Dialect::Utf8 {
            return kernel.from_utf8_lossy(bytes);
        }
        if let Some((_, Segment::Text(text))) = Segments::new(dialect, bytes, kernel).next()
            && text.len() == bytes.len()
        {
            return Cow::Borrowed(text);
        }
        let rewritten = dialect.rewrite(kernel, bytes, true).unwrap_or_default();
        Cow::Owned(kernel.from_utf8_lossy_owned(rewritten))
    }
}

impl Dialect {
    /// Copies `bytes` and rewrites each sequence that differs between the dialect and UTF-8. If
    /// `lossy`, U+FFFD replaces the sequences that the dialect does not accept or that UTF-8 can't
    /// express. Otherwise such a sequence makes it return `None`.
    fn rewrite(self, kernel: &Kernel, bytes: &[u8], lossy: bool) -> Option<Vec<u8>> {
        let to_utf8 = ToUtf8 { dialect: self, inexpressible: lossy, malformed: lossy };
        collect(self, kernel, bytes, 0, &to_utf8)
    }
}

/// Returns the output of [`copy_rewritten`], or `None` if it is refused.
#[inline(always)]
pub(super) fn collect(
    dialect: Dialect,
    kernel: &Kernel,
    bytes: &[u8],
    spare: usize,
    rewriting: &impl Rewriting,
) -> Option<Vec<u8>> {
    let mut copy = Vec::with_capacity(bytes.len() + spare + SPARE_BYTES);
    let mut at = 0;
    loop {
        let copied =
            append(&mut copy, |out| copy_rewritten(dialect, kernel, bytes, at..bytes.len(), out, rewriting));
        at = copied.end;
        match copied.stop {
            CopyEnd::Done => return Some(copy),
            CopyEnd::Refused => return None,
            CopyEnd::Room => copy.reserve(bytes.len() - at + SPARE_BYTES),
        }
    }
}
