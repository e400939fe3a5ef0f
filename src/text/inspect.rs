//! Counts in the same pass: what a text is made of, beyond whether it is one.

#![forbid(unsafe_code)]

use crate::error::Utf8Error;
use crate::kernel::counts::{self, Counts};
use crate::kernel::verdict::Verdict;
use crate::kernel::{Kernel, automaton, entries};

/// What [`inspect`] found out about bytes.
///
/// Where they are not UTF-8, all counts describe the valid text before the [error](Self::error),
/// `bytes[..error.valid_up_to()]`, and no more.
///
/// ```
/// let summary = trust8::inspect("Grüße,\n世界 🌍\n".as_bytes());
/// assert_eq!(summary.error(), None);
/// assert_eq!((summary.bytes(), summary.chars(), summary.utf16_len()), (21, 12, 13));
/// assert_eq!(summary.newlines(), 2);
/// assert_eq!(summary.chars_by_len(), [7, 2, 2, 1]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Summary {
    error: Option<Utf8Error>,
    /// Of the valid text.
    bytes: usize,
    counts: Counts,
}

/// Validates, and counts characters, UTF-16 units and newlines on the way.
///
/// ```
/// let summary = trust8::inspect(b"caf\xC3\xA9\nau lait\xFF\n");
/// assert_eq!(summary.error().unwrap().valid_up_to(), 13);
/// // Of the thirteen bytes that are valid:
/// assert_eq!((summary.chars(), summary.newlines()), (12, 1));
/// ```
#[must_use]
pub fn inspect(bytes: &[u8]) -> Summary {
    Kernel::best().inspect(bytes)
}

/// How many characters, Unicode scalar values, a text has: `text.chars().count()`.
///
/// ```
/// assert_eq!(trust8::count_chars("naïve 🐈"), 7);
/// ```
#[must_use]
pub fn count_chars(text: &str) -> usize {
    Kernel::best().count_chars(text)
}

/// How many 16-bit units a text has in UTF-16: `text.encode_utf16().count()`.
///
/// ```
/// assert_eq!(trust8::utf16_len("naïve 🐈"), 8);
/// ```
#[must_use]
pub fn utf16_len(text: &str) -> usize {
    Kernel::best().utf16_len(text)
}

impl Summary {
    /// Of valid text, or of what is valid before the error.
    pub(crate) fn new(error: Option<Utf8Error>, bytes: usize, counts: Counts) -> Self {
        Self { error, bytes, counts }
    }

    /// The first place at which the bytes are not UTF-8, if there is one.
    ///
    /// ```
    /// let error = trust8::inspect(b"ab\xC0").error();
    /// assert_eq!(error, trust8::from_utf8(b"ab\xC0").err());
    /// ```
    #[inline]
    #[must_use]
    pub const fn error(&self) -> Option<Utf8Error> {
        self.error
    }

    /// Whether all bytes are UTF-8: whether there is no error.
    ///
    /// ```
    /// assert!(trust8::inspect(b"").is_valid());
    /// ```
    #[inline]
    #[must_use]
    pub const fn is_valid(&self) -> bool {
        self.error.is_none()
    }

    /// Whether all bytes are ASCII; also that there is no error.
    ///
    /// ```
    /// assert!(trust8::inspect(b"plain").is_ascii());
    /// assert!(!trust8::inspect("ﬁne".as_bytes()).is_ascii());
    /// assert!(!trust8::inspect(b"plain\xFF").is_ascii());
    /// ```
    #[inline]
    #[must_use]
    pub const fn is_ascii(&self) -> bool {
        // Characters of two and more bytes, and nothing else, have continuations.
        self.is_valid() && self.counts.continuations == 0
    }

    /// How many bytes were counted: all, or those before the error.
    ///
    /// ```
    /// assert_eq!(trust8::inspect("日本".as_bytes()).bytes(), 6);
    /// assert_eq!(trust8::inspect(b"ab\x80c").bytes(), 2);
    /// ```
    #[inline]
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// How many characters (Unicode scalar values) there are.
    ///
    /// ```
    /// assert_eq!(trust8::inspect("日本".as_bytes()).chars(), 2);
    /// ```
    #[inline]
    #[must_use]
    pub const fn chars(&self) -> usize {
        self.bytes - self.counts.continuations
    }

    /// How many 16-bit units the text has in UTF-16: one a character, two for those of four bytes.
    ///
    /// ```
    /// assert_eq!(trust8::inspect("日🌍".as_bytes()).utf16_len(), 3);
    /// ```
    #[inline]
    #[must_use]
    pub const fn utf16_len(&self) -> usize {
        self.chars() + self.counts.from_f0
    }

    /// How many line feeds (0A) there are.
    ///
    /// ```
    /// assert_eq!(trust8::inspect(b"one\r\ntwo\nthree").newlines(), 2);
    /// ```
    #[inline]
    #[must_use]
    pub const fn newlines(&self) -> usize {
        self.counts.newlines
    }

    /// How many characters take one, two, three and four bytes.
    ///
    /// ```
    /// let [one, two, three, four] = trust8::inspect("aé日日🌍".as_bytes()).chars_by_len();
    /// assert_eq!((one, two, three, four), (1, 1, 2, 1));
    /// ```
    #[inline]
    #[must_use]
    pub const fn chars_by_len(&self) -> [usize; 4] {
        let Counts { continuations, from_e0, from_f0, .. } = self.counts;
        // A lead has a continuation, from E0 on another one, and from F0 on yet another one.
        let leads = continuations - from_e0 - from_f0;
        [self.chars() - leads, leads - from_e0, from_e0 - from_f0, from_f0]
    }

    /// Adds what was found in the bytes that follow.
    ///
    /// The result is the summary of both together, if the seam is not inside a character. Behind an error
    /// nothing counts, as everywhere.
    ///
    /// ```
    /// let text = "première ligne\nseconde\n".as_bytes();
    /// let (first, second) = text.split_at(16);
    /// let mut summary = trust8::inspect(first);
    /// summary.append(&trust8::inspect(second));
    /// assert_eq!(summary, trust8::inspect(text));
    /// ```
    pub fn append(&mut self, next: &Self) {
        if self.error.is_none() {
            self.error = next.error.map(|error| error.behind(self.bytes));
            self.bytes += next.bytes;
            self.counts += next.counts;
        }
    }
}

impl Kernel {
    /// Does what [`trust8::inspect`](crate::inspect()) does, with this kernel.
    ///
    /// ```
    /// assert_eq!(trust8::Kernel::best().inspect("één".as_bytes()).chars(), 3);
    /// ```
    #[must_use]
    pub fn inspect(&self, bytes: &[u8]) -> Summary {
        self.inspect_by(bytes, entries::inspect)
    }

    /// The same by this function, which need not be the kernel's.
    pub(crate) fn inspect_by(
        &self,
        bytes: &[u8],
        inspect: impl Fn(&Self, &[u8]) -> (Verdict, Counts),
    ) -> Summary {
        let (verdict, counts) = inspect(self, bytes);
        let Some(suspect) = verdict.suspicion() else { return Summary::new(None, bytes.len(), counts) };
        // What is valid is counted again. A suspicion is an error; should one be wrong, this is right all the same.
        let error = automaton::judge(bytes, suspect).err();
        let valid = &bytes[..error.map_or(bytes.len(), |error| error.valid_up_to())];
        let (verdict, counts) = inspect(self, valid);
        let counts = if verdict.is_valid() { counts } else { counts::count(valid) };
        Summary::new(error, valid.len(), counts)
    }

    /// Does what [`trust8::count_chars`](crate::count_chars) does, with this kernel.
    ///
    /// ```
    /// assert_eq!(trust8::Kernel::best().count_chars("één"), 3);
    /// ```
    #[must_use]
    pub fn count_chars(&self, text: &str) -> usize {
        entries::count_chars(self, text.as_bytes())
    }

    /// Does what [`trust8::utf16_len`](crate::utf16_len) does, with this kernel.
    ///
    /// ```
    /// assert_eq!(trust8::Kernel::best().utf16_len("één"), 3);
    /// ```
    #[must_use]
    pub fn utf16_len(&self, text: &str) -> usize {
        entries::utf16_len(self, text.as_bytes())
    }
}
