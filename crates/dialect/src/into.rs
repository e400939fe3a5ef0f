//! Conversions to UTF-8 and back into the caller's memory, without allocation.
//!
//! A conversion stops before the first character that does not fit, and the caller passes the rest
//! in the next call. There is no state between calls: a conversion stops only between code points.

#![forbid(unsafe_code)]

use core::mem::MaybeUninit;

use super::rewriting::{Copied, CopyEnd, FromUtf8, ToUtf8, copy_rewritten};
use super::segments::{Segment, Segments};
use super::{Dialect, DialectError, DialectWith, form};
use trust8::engine::{Output, Progress};
use trust8::{Kernel, boundary};

impl DialectWith {
    /// Like [`Dialect::to_utf8_into`], with this kernel.
    ///
    /// # Errors
    ///
    /// Returns the errors of that function.
    pub fn to_utf8_into(
        self,
        bytes: &[u8],
        buffer: &mut [MaybeUninit<u8>],
    ) -> Result<Progress, DialectError> {
        let Self(kernel, dialect) = self;
        let (progress, stopped) = dialect.fill(kernel, bytes, buffer, false);
        match stopped {
            Some(error) if progress.read == 0 => Err(error),
            _ => Ok(progress),
        }
    }
}

impl Dialect {
    /// Converts as much of `bytes` from this dialect to UTF-8 as fits into a buffer.
    ///
    /// It writes only whole characters. Convert the rest of `bytes` next. A buffer of four bytes
    /// guarantees progress.
    ///
    /// # Errors
    ///
    /// Returns an error if `bytes` begin with something that is not in this dialect or that UTF-8
    /// can't express. Everything before such a place is converted first, and the conversion of the
    /// rest returns the error.
    ///
    /// ```
    /// use core::mem::MaybeUninit;
    /// use trust8_dialect::{Dialect, Progress};
    ///
    /// let mut buffer = [MaybeUninit::uninit(); 4];
    /// let bytes = b"a\xED\xA0\xBD\xED\xB8\x80!";
    /// assert_eq!(Dialect::Cesu8.to_utf8_into(bytes, &mut buffer).unwrap(), Progress { read: 1, written: 1 });
    /// assert_eq!(Dialect::Cesu8.to_utf8_into(&bytes[1..], &mut buffer).unwrap(), Progress { read: 6, written: 4 });
    /// ```
    pub fn to_utf8_into(
        self,
        bytes: &[u8],
        buffer: &mut [MaybeUninit<u8>],
    ) -> Result<Progress, DialectError> {
        DialectWith(Kernel::best(), self).to_utf8_into(bytes, buffer)
    }

    /// Converts as much of `bytes` from this dialect to UTF-8 as fits into a buffer. U+FFFD
    /// replaces each sequence that is not in this dialect or that UTF-8 can't express.
    ///
    /// It writes only whole characters. Convert the rest of `bytes` next.
    ///
    /// ```
    /// use core::mem::MaybeUninit;
    /// use trust8_dialect::{Dialect, Progress};
    ///
    /// let mut buffer = [MaybeUninit::uninit(); 8];
    /// let progress = Dialect::Wtf8.to_utf8_lossy_into(b"a\xED\xA0\x80b", &mut buffer);
    /// assert_eq!(progress, Progress { read: 5, written: 5 });
    /// ```
    pub fn to_utf8_lossy_into(self, bytes: &[u8], buffer: &mut [MaybeUninit<u8>]) -> Progress {
        self.fill(Kernel::best(), bytes, buffer, true).0
    }

    /// Converts as much of `text` to this dialect as fits into a buffer.
    ///
    /// It writes only whole characters. Convert the rest of `text` next. A buffer of six bytes
    /// guarantees progress.
    ///
    /// ```
    /// use core::mem::MaybeUninit;
    /// use trust8_dialect::{Dialect, Progress};
    ///
    /// let mut buffer = [MaybeUninit::uninit(); 8];
    /// assert_eq!(Dialect::Cesu8.from_utf8_into("a😀bc", &mut buffer), Progress { read: 6, written: 8 });
    /// ```
    pub fn from_utf8_into(self, text: &str, buffer: &mut [MaybeUninit<u8>]) -> Progress {
        let exceptions = if self.writes_pairs() { self } else { Self::Utf8 };
        let kernel = Kernel::best();
        let mut out = Output::new(buffer);
        // Every form is at least as long as the character in UTF-8.
        let chunk = 0..boundary::floor(text.as_bytes(), out.left());
        let copied = copy_rewritten(exceptions, kernel, text.as_bytes(), chunk, &mut out, &FromUtf8(self));
        // Some of the rest may fit.
        let mut rest = &text[copied.end..];
        while !rest.is_empty() {
            let chunk = &rest[..boundary::floor(rest.as_bytes(), out.left())];
            let plain = self.find_excluded(kernel, chunk.as_bytes()).unwrap_or(chunk.len());
            rest = &rest[put_prefix(&chunk[..plain], &mut out)..];
            let mut characters = rest.chars();
            let Some(character) = characters.next() else { break };
            // Every dialect can express every character.
            if !out.put(form::write(self, character.into(), &mut [0; 6]).unwrap_or_default()) {
                break;
            }
            rest = characters.as_str();
        }
        Progress { read: text.len() - rest.len(), written: out.len() }
    }

    /// Converts as much of `bytes` to UTF-8 as fits. If `lossy`, U+FFFD replaces each error.
    /// Otherwise the first one ends the conversion and is returned.
    pub(crate) fn fill(
        self,
        kernel: &'static Kernel,
        bytes: &[u8],
        buffer: &mut [MaybeUninit<u8>],
        lossy: bool,
    ) -> (Progress, Option<DialectError>) {
        let mut out = Output::new(buffer);
        let mut stopped = None;
        let mut read = self.fill_rewritten(kernel, bytes, &mut out, lossy);
        // The rest begins with an error, or some of it may fit.
        let mut segments = Segments::new(self, bytes, kernel).limited(out.left().max(1));
        if read > 0 {
            segments = segments.starting_at(read);
        }
        while let Some((at, segment)) = segments.next() {
            let (value, error) = match segment {
                Segment::Text(text) => {
                    let copied = put_prefix(text, &mut out);
                    read += copied;
                    if copied < text.len() {
                        break;
                    }
                    continue;
                }
                Segment::Own(value) => (char::from_u32(value), segments.inexpressible(at)),
                Segment::Error(malformed) => (None, segments.error(at, &malformed)),
            };
            let Some(character) = value.or(lossy.then_some(char::REPLACEMENT_CHARACTER)) else {
                stopped = Some(error);
                break;
            };
            if !out.put(character.encode_utf8(&mut [0; 4]).as_bytes()) {
                break;
            }
            read = segments.at();
        }
        (Progress { read, written: out.len() }, stopped)
    }

    /// Converts a prefix of `bytes` as a whole: rewrites what is not UTF-8, and then validates the
    /// result. Returns the length of the prefix, or 0 if the result is not UTF-8.
    fn fill_rewritten(self, kernel: &Kernel, bytes: &[u8], out: &mut Output<'_>, lossy: bool) -> usize {
        let to_utf8 = ToUtf8 { dialect: self, inexpressible: lossy, malformed: lossy };
        let (mut end, mut stop) = (0, CopyEnd::Done);
        while stop == CopyEnd::Done {
            // Most text has the same length in UTF-8. Reading much further would cost time in each
            // call.
            let chunk = end..boundary::floor(bytes, end + out.left());
            if chunk.is_empty() {
                break;
            }
            Copied { end, stop, .. } = copy_rewritten(self, kernel, bytes, chunk, out, &to_utf8);
        }
        if kernel.is_utf8(out.written_mut(0)) {
            return end;
        }
        out.retract(out.len());
        0
    }
}

/// Appends as many whole characters of `text` as fit. Returns their length in bytes.
fn put_prefix(text: &str, out: &mut Output<'_>) -> usize {
    let fits = boundary::floor(text.as_bytes(), text.len().min(out.left()));
    if out.put(&text.as_bytes()[..fits]) { fits } else { 0 }
}
