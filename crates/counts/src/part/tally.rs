//! The counts of a part of a text.

#![forbid(unsafe_code)]

use trust8::Kernel;
use trust8::engine::last_line;

use crate::counts::{CountChars, Counts};
use crate::inspect;

/// The counts of a valid text. All numbers have 64 bits.
///
/// ```
/// let tally = trust8_counts::Part::of("één\n".as_bytes()).finish().unwrap();
/// assert_eq!((tally.bytes(), tally.chars(), tally.newlines()), (6, 4, 1));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Tally {
    pub(super) bytes: u64,
    pub(super) continuations: u64,
    pub(super) from_e0: u64,
    pub(super) from_f0: u64,
    pub(super) newlines: u64,
    /// The number of characters after the last newline, or of all if there is none.
    pub(super) line_chars: u64,
}

impl Tally {
    /// Returns the number of bytes.
    ///
    /// ```
    /// assert_eq!(trust8_counts::Part::of("日本".as_bytes()).finish().unwrap().bytes(), 6);
    /// ```
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the number of characters (Unicode scalar values).
    ///
    /// ```
    /// assert_eq!(trust8_counts::Part::of("日本".as_bytes()).finish().unwrap().chars(), 2);
    /// ```
    #[must_use]
    pub const fn chars(&self) -> u64 {
        self.bytes.saturating_sub(self.continuations)
    }

    /// Returns the number of 16-bit units of the text in UTF-16.
    ///
    /// ```
    /// assert_eq!(trust8_counts::Part::of("日🌍".as_bytes()).finish().unwrap().utf16_len(), 3);
    /// ```
    #[must_use]
    pub const fn utf16_len(&self) -> u64 {
        self.chars().saturating_add(self.from_f0)
    }

    /// Returns the number of line feeds (`0A`).
    ///
    /// ```
    /// assert_eq!(trust8_counts::Part::of(b"one\r\ntwo").finish().unwrap().newlines(), 1);
    /// ```
    #[must_use]
    pub const fn newlines(&self) -> u64 {
        self.newlines
    }

    /// Returns the number of characters after the last line feed: for trust8-profile.
    #[doc(hidden)]
    #[must_use]
    pub const fn line_chars(&self) -> u64 {
        self.line_chars
    }

    /// Returns how many characters have one, two, three and four bytes in UTF-8.
    ///
    /// ```
    /// let tally = trust8_counts::Part::of("aé日日🌍".as_bytes()).finish().unwrap();
    /// assert_eq!(tally.chars_by_len(), [1, 1, 2, 1]);
    /// ```
    #[must_use]
    pub const fn chars_by_len(&self) -> [u64; 4] {
        // Each lead has one continuation, a second one if it is E0 or above, and a third one if it
        // is F0 or above.
        let Self { continuations, from_e0, from_f0, .. } = *self;
        let leads = continuations.saturating_sub(from_e0).saturating_sub(from_f0);
        let one = self.chars().saturating_sub(leads);
        [one, leads.saturating_sub(from_e0), from_e0.saturating_sub(from_f0), from_f0]
    }

    /// Returns whether some text can have these counts.
    pub(super) fn is_possible(&self) -> bool {
        let Self { bytes, continuations, from_e0, from_f0, newlines, line_chars } = *self;
        let sum = from_e0.checked_add(from_f0);
        let Some(leads) = sum.and_then(|sum| continuations.checked_sub(sum)) else { return false };
        let Some(chars) = bytes.checked_sub(continuations) else { return false };
        let Some(ascii) = chars.checked_sub(leads) else { return false };
        from_f0 <= from_e0
            && from_e0 <= leads
            && newlines <= ascii
            && line_chars <= chars - newlines
            && (newlines > 0 || line_chars == chars)
    }

    #[cfg(feature = "rayon")]
    pub(super) fn counts(&self) -> Counts {
        // The length of a part in memory fits into a `usize`. Other parts have no summary.
        let [continuations, from_e0, from_f0, newlines] =
            [self.continuations, self.from_e0, self.from_f0, self.newlines].map(|count| count as usize);
        Counts { continuations, from_e0, from_f0, newlines }
    }

    /// Validates `text`, and counts up to the first error.
    #[inline]
    pub(super) fn of(kernel: &Kernel, text: &[u8]) -> Self {
        let summary = inspect::by(kernel, text);
        let Counts { continuations, from_e0, from_f0, newlines } = summary.counts;
        let line_chars = match newlines {
            0 => summary.chars(),
            _ => kernel.run(CountChars, last_line(&text[..summary.bytes()]), ()),
        };
        let [bytes, continuations, from_e0, from_f0, newlines, line_chars] =
            [summary.bytes(), continuations, from_e0, from_f0, newlines, line_chars].map(|n| n as u64);
        Self { bytes, continuations, from_e0, from_f0, newlines, line_chars }
    }

    /// Returns the counts of the one character with these bytes.
    pub(super) fn of_character(bytes: &[u8]) -> Self {
        let count = |is: bool| u64::from(is);
        Self {
            bytes: bytes.len() as u64,
            continuations: bytes.len() as u64 - 1,
            from_e0: count(bytes[0] >= 0xE0),
            from_f0: count(bytes[0] >= 0xF0),
            newlines: count(bytes[0] == b'\n'),
            line_chars: count(bytes[0] != b'\n'),
        }
    }

    /// Returns the counts of this text and the next one together. No text is long enough for these
    /// sums to overflow, but the input of `Part::from_bytes` may be forged.
    pub(super) fn and(self, next: Self) -> Self {
        let before = if next.newlines == 0 { self.line_chars } else { 0 };
        Self {
            bytes: self.bytes.saturating_add(next.bytes),
            continuations: self.continuations.saturating_add(next.continuations),
            from_e0: self.from_e0.saturating_add(next.from_e0),
            from_f0: self.from_f0.saturating_add(next.from_f0),
            newlines: self.newlines.saturating_add(next.newlines),
            line_chars: before.saturating_add(next.line_chars),
        }
    }
}
