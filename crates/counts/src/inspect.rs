//! Validating and counting in one pass: how many characters, UTF-16 units and lines a text has.

#![forbid(unsafe_code)]

use trust8::boundary::floor;
use trust8::engine::survey::Found;
use trust8::engine::{count_lossy, judge};
use trust8::{Kernel, Utf8Error};

use crate::counts::{Count, CountChars, Counts, Utf16Len};

/// What [`inspect`] found out about some bytes.
///
/// If the bytes are not UTF-8, all counts are those of the valid text before the
/// [error](Self::error), `bytes[..error.valid_up_to()]`.
///
/// ```
/// let summary = trust8_counts::inspect("Grüße,\n世界 🌍\n".as_bytes());
/// assert_eq!(summary.error(), None);
/// assert_eq!((summary.bytes(), summary.chars(), summary.utf16_len()), (21, 12, 13));
/// assert_eq!(summary.newlines(), 2);
/// assert_eq!(summary.chars_by_len(), [7, 2, 2, 1]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Summary {
    pub(crate) error: Option<Utf8Error>,
    /// The length of the valid text.
    pub(crate) bytes: usize,
    pub(crate) counts: Counts,
}

/// Validates `bytes`, and counts its characters, UTF-16 units and newlines in the same pass.
///
/// ```
/// let summary = trust8_counts::inspect(b"caf\xC3\xA9\nau lait\xFF\n");
/// assert_eq!(summary.error().unwrap().valid_up_to(), 13);
/// // The counts are those of the thirteen valid bytes.
/// assert_eq!((summary.chars(), summary.newlines()), (12, 1));
/// ```
#[inline]
#[must_use]
pub fn inspect(bytes: &[u8]) -> Summary {
    by(Kernel::best(), bytes)
}

/// Returns the number of characters (Unicode scalar values) of `text`: what `text.chars().count()`
/// returns.
///
/// ```
/// assert_eq!(trust8_counts::count_chars("naïve 🐈"), 7);
/// ```
#[inline]
#[must_use]
pub fn count_chars(text: &str) -> usize {
    Kernel::best().run(CountChars, text.as_bytes(), ())
}

/// Returns the number of characters of `bytes`, where each ill-formed sequence counts as one.
///
/// That is what `from_utf8_lossy(bytes).chars().count()` returns, and what bstr's
/// `bytes.chars().count()` returns.
///
/// ```
/// assert_eq!(trust8_counts::count_chars_lossy("naïve".as_bytes()), 5);
/// assert_eq!(trust8_counts::count_chars_lossy(b"na\xEFve \xE2\x82"), 7);
/// ```
#[inline]
#[must_use]
pub fn count_chars_lossy(bytes: &[u8]) -> usize {
    count_sequences(Kernel::best(), bytes)
}

/// Returns the number of bytes that are not continuations (80 to BF).
///
/// In valid text, a character begins at each of these, so it is the number of characters. In other
/// bytes it is an estimate: an ill-formed sequence counts as one, or as none if it is a
/// continuation. This is what simdutf's `count_utf8` returns. It takes as long as [`count_chars`];
/// [`count_chars_lossy`] also validates.
///
/// ```
/// assert_eq!(trust8_counts::count_starts("naïve".as_bytes()), 5);
/// assert_eq!(trust8_counts::count_starts(b"ab\xE2\x82\x80\x80"), 3);
/// ```
#[inline]
#[must_use]
pub fn count_starts(bytes: &[u8]) -> usize {
    Kernel::best().run(CountChars, bytes, ())
}

/// Returns the number of 16-bit units of `text` in UTF-16, as `text.encode_utf16().count()` does.
///
/// ```
/// assert_eq!(trust8_counts::utf16_len("naïve 🐈"), 8);
/// ```
#[inline]
#[must_use]
pub fn utf16_len(text: &str) -> usize {
    Kernel::best().run(Utf16Len, text.as_bytes(), ())
}

impl Summary {
    /// Returns the first place at which the bytes are not UTF-8, if there is one.
    ///
    /// ```
    /// let error = trust8_counts::inspect(b"ab\xC0").error();
    /// assert_eq!(error, trust8::from_utf8(b"ab\xC0").err());
    /// ```
    #[inline]
    #[must_use]
    pub const fn error(&self) -> Option<Utf8Error> {
        self.error
    }

    /// Returns whether all bytes are UTF-8, so that there is no error.
    ///
    /// ```
    /// assert!(trust8_counts::inspect(b"").is_valid());
    /// ```
    #[inline]
    #[must_use]
    pub const fn is_valid(&self) -> bool {
        self.error.is_none()
    }

    /// Returns whether all bytes are ASCII. If they are, there is no error either.
    ///
    /// ```
    /// assert!(trust8_counts::inspect(b"plain").is_ascii());
    /// assert!(!trust8_counts::inspect("ﬁne".as_bytes()).is_ascii());
    /// assert!(!trust8_counts::inspect(b"plain\xFF").is_ascii());
    /// ```
    #[inline]
    #[must_use]
    pub const fn is_ascii(&self) -> bool {
        // A valid text without continuations has only characters of one byte.
        self.is_valid() && self.counts.continuations == 0
    }

    /// Returns the number of bytes that were counted: all, or those before the error.
    ///
    /// ```
    /// assert_eq!(trust8_counts::inspect("日本".as_bytes()).bytes(), 6);
    /// assert_eq!(trust8_counts::inspect(b"ab\x80c").bytes(), 2);
    /// ```
    #[inline]
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the number of characters (Unicode scalar values).
    ///
    /// ```
    /// assert_eq!(trust8_counts::inspect("日本".as_bytes()).chars(), 2);
    /// ```
    #[inline]
    #[must_use]
    pub const fn chars(&self) -> usize {
        self.bytes - self.counts.continuations
    }

    /// Returns the number of 16-bit units of the text in UTF-16: two for each character of four
    /// bytes, one for each other.
    ///
    /// ```
    /// assert_eq!(trust8_counts::inspect("日🌍".as_bytes()).utf16_len(), 3);
    /// ```
    #[inline]
    #[must_use]
    pub const fn utf16_len(&self) -> usize {
        self.chars() + self.counts.from_f0
    }

    /// Returns the number of line feeds (`0A`).
    ///
    /// ```
    /// assert_eq!(trust8_counts::inspect(b"one\r\ntwo\nthree").newlines(), 2);
    /// ```
    #[inline]
    #[must_use]
    pub const fn newlines(&self) -> usize {
        self.counts.newlines
    }

    /// Returns how many characters have one, two, three and four bytes in UTF-8.
    ///
    /// ```
    /// let [one, two, three, four] = trust8_counts::inspect("aé日日🌍".as_bytes()).chars_by_len();
    /// assert_eq!((one, two, three, four), (1, 1, 2, 1));
    /// ```
    #[inline]
    #[must_use]
    pub const fn chars_by_len(&self) -> [usize; 4] {
        let Counts { continuations, from_e0, from_f0, .. } = self.counts;
        // Each lead has one continuation, a second one if it is E0 or above, and a third one if it
        // is F0 or above.
        let leads = continuations - from_e0 - from_f0;
        [self.chars() - leads, leads - from_e0, from_e0 - from_f0, from_f0]
    }
}

/// The text that is validated and then counted, while it is in the first-level cache.
const CHUNK_BYTES: usize = 8 << 10;

/// Does the same as [`inspect`], with a kernel.
///
/// Each chunk is validated by the kernel, and nothing else decides whether it is UTF-8.
pub(crate) fn by(kernel: &Kernel, bytes: &[u8]) -> Summary {
    let (mut counts, mut left) = (Counts::default(), bytes);
    loop {
        let (chunk, after) = left.split_at(floor(left, CHUNK_BYTES));
        let before = bytes.len() - left.len();
        if let Err(rejected) = kernel.check(chunk) {
            // The end of the chunk is not the end of the text, so the error is that of all the text
            // from here on. (The result would also be right after a false alarm.)
            let error = judge(left, rejected.suspect()).err();
            let valid = error.map_or(left, |error| &left[..error.valid_up_to()]);
            counts += kernel.run(Count, valid, ());
            let error = error.map(|error| error.after(before));
            return Summary { error, bytes: before + valid.len(), counts };
        }
        counts += kernel.run(Count, chunk, ());
        if after.is_empty() {
            return Summary { error: None, bytes: bytes.len(), counts };
        }
        left = after;
    }
}

/// Returns how many characters and ill-formed sequences begin in `bytes`.
///
/// In a block with faults, these are the bytes that continue no sequence; elsewhere, the bytes that
/// are no continuations. (An ill-formed sequence may extend beyond its block, but only with
/// continuations.)
pub(crate) fn count_sequences(kernel: &Kernel, bytes: &[u8]) -> usize {
    count_lossy(kernel, bytes, |text| kernel.run(CountChars, text, ()), Found::sequences)
}
