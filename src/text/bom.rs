//! Byte order marks.

#![forbid(unsafe_code)]

/// A byte order mark: U+FEFF at the start of a text, which shows the encoding of the text.
///
/// # To strip or not to strip
///
/// At the start of UTF-8, `EF BB BF` is either a signature or a character of the text, a zero-width
/// no-break space. Nothing in the bytes says which. RFC 3629, section 6, leaves the decision to the
/// protocol:
///
/// - A protocol whose text is always UTF-8 should forbid the signature. So should a protocol that
///   reliably names the encoding in another way. Where the signature is forbidden, U+FEFF is text
///   **and must not be stripped**.
/// - If nothing else shows the encoding, as in files from unknown programs, the signature is
///   allowed. Software should be prepared to find one, and may strip it.
/// - After the start, U+FEFF is always text. So a part of a text has no signature to strip, and
///   neither has a text that is appended to another one.
///
/// Stripping changes digital signatures, lengths and comparisons, even those of an empty text.
/// Therefore this crate only strips a mark when it is told to.
///
/// ```
/// use trust8::{Bom, strip_bom};
///
/// // RFC 3629 section 7: U+233B4 after a signature.
/// let bytes = b"\xEF\xBB\xBF\xF0\xA3\x8E\xB4";
/// assert_eq!(Bom::detect(bytes), Some((Bom::Utf8, 3)));
/// assert_eq!(strip_bom(bytes), "\u{233B4}".as_bytes());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Bom {
    /// `EF BB BF`
    Utf8,
    /// `FF FE`
    Utf16Le,
    /// `FE FF`
    Utf16Be,
    /// `FF FE 00 00`
    Utf32Le,
    /// `00 00 FE FF`
    Utf32Be,
}

impl Bom {
    /// Returns the mark at the start of `bytes`, and its length.
    ///
    /// `FF FE 00 00` counts as the mark of UTF-32LE. It could also be the mark of UTF-16LE with
    /// U+0000 after it, but a text that begins with U+0000 is even rarer than UTF-32. If you know
    /// that the text is UTF-16, compare its start with the [`bytes`](Self::bytes) of the two marks
    /// of UTF-16 instead.
    ///
    /// At most four bytes are read. In a stream, wait for four bytes: `FF FE` may be the first half
    /// of `FF FE 00 00`.
    ///
    /// ```
    /// use trust8::Bom;
    ///
    /// assert_eq!(Bom::detect(b"\xFF\xFEa\x00"), Some((Bom::Utf16Le, 2)));
    /// assert_eq!(Bom::detect(b"\xFF\xFE\x00\x00a\x00\x00\x00"), Some((Bom::Utf32Le, 4)));
    /// assert_eq!(Bom::detect(b"a\xEF\xBB\xBF"), None);
    /// assert_eq!(Bom::detect(b"\xEF\xBB"), None);
    /// ```
    #[must_use]
    pub fn detect(bytes: &[u8]) -> Option<(Self, usize)> {
        // Longer marks first, as one begins like a shorter one.
        [Self::Utf32Le, Self::Utf32Be, Self::Utf8, Self::Utf16Le, Self::Utf16Be]
            .into_iter()
            .find(|bom| bytes.starts_with(bom.bytes()))
            .map(|bom| (bom, bom.bytes().len()))
    }

    /// Returns the bytes of the mark: U+FEFF in the encoding.
    ///
    /// ```
    /// assert_eq!(trust8::Bom::Utf8.bytes(), "\u{FEFF}".as_bytes());
    /// ```
    #[must_use]
    pub const fn bytes(self) -> &'static [u8] {
        match self {
            Self::Utf8 => b"\xEF\xBB\xBF",
            Self::Utf16Le => b"\xFF\xFE",
            Self::Utf16Be => b"\xFE\xFF",
            Self::Utf32Le => b"\xFF\xFE\x00\x00",
            Self::Utf32Be => b"\x00\x00\xFE\xFF",
        }
    }

    /// Returns the name of the encoding, spelled as everywhere in this crate: in lower case.
    ///
    /// ```
    /// assert_eq!(trust8::Bom::Utf16Le.encoding(), "utf-16le");
    /// ```
    #[must_use]
    pub const fn encoding(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16Le => "utf-16le",
            Self::Utf16Be => "utf-16be",
            Self::Utf32Le => "utf-32le",
            Self::Utf32Be => "utf-32be",
        }
    }
}

/// Returns `bytes` without the byte order mark of UTF-8, if they begin with it. If there are
/// several, it removes one.
///
/// See [`Bom`] for when stripping is right and when it is forbidden. For a `&str`, use
/// `strip_prefix('\u{FEFF}')`; for a reader,
/// [`io::Utf8Reader::strip_bom`](crate::io::Utf8Reader::strip_bom).
///
/// ```
/// assert_eq!(trust8::strip_bom(b"\xEF\xBB\xBFname;size"), b"name;size");
/// assert_eq!(trust8::strip_bom(b"name;size"), b"name;size");
/// ```
#[must_use]
pub fn strip_bom(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(Bom::Utf8.bytes()).unwrap_or(bytes)
}
