//! Byte order marks, and the names of UTF-8: what stands before a text and around it.

#![forbid(unsafe_code)]

/// A byte order mark: U+FEFF at the start of a text, as a signature that tells the encoding.
///
/// # To strip or not to strip
///
/// At the start of UTF-8, `EF BB BF` is either a signature or a character of the text, a zero-width no-break
/// space, and nothing in the bytes says which. RFC 3629 section 6 leaves it to the protocol:
///
/// - A protocol whose text is always UTF-8 should forbid the signature, and so should one that names
///   the encoding in another way that can be relied on. Where it is forbidden, U+FEFF is text **and must
///   not be stripped**.
/// - Where the encoding can't be told otherwise, as with files that anything may have written, a
///   signature is allowed; software should be prepared to find one and may strip it.
/// - Anywhere but at the start it is text, always. So a part of a text, or what is put behind
///   another text, has no signature to be stripped.
///
/// Bytes are not the same with and without it: digital signatures, lengths and comparisons, even of empty text,
/// change. That is why nothing in this crate strips it unless it is told to.
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
    /// The mark that bytes begin with, and its length.
    ///
    /// `FF FE 00 00` is taken for that of UTF-32LE. It could be UTF-16LE as well, and U+0000 behind its
    /// mark; hardly any text begins with U+0000, while hardly any file is UTF-32. Whoever knows the text
    /// to be UTF-16 should not ask, or compare with [`Bom::Utf16Le`]'s [`bytes`](Self::bytes).
    ///
    /// Only the beginning is looked at, four bytes at most. Of a stream, fewer than four bytes may say too
    /// little: `FF FE` may be half of `FF FE 00 00`.
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
        // Longer ones first.
        [Self::Utf32Le, Self::Utf32Be, Self::Utf8, Self::Utf16Le, Self::Utf16Be]
            .into_iter()
            .find(|bom| bytes.starts_with(bom.bytes()))
            .map(|bom| (bom, bom.bytes().len()))
    }

    /// The mark itself: U+FEFF in the encoding.
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

    /// The encoding's name.
    ///
    /// ```
    /// assert_eq!(trust8::Bom::Utf16Le.encoding(), "UTF-16LE");
    /// ```
    #[must_use]
    pub const fn encoding(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Utf16Le => "UTF-16LE",
            Self::Utf16Be => "UTF-16BE",
            Self::Utf32Le => "UTF-32LE",
            Self::Utf32Be => "UTF-32BE",
        }
    }
}

/// The bytes without the signature of UTF-8, if they begin with it; one, if there are several.
///
/// [`Bom`] says when that is right and when it must not be done. For a `&str`, `strip_prefix('\u{FEFF}')`
/// does it; for readers, [`io::Utf8Reader::strip_bom`](crate::io::Utf8Reader::strip_bom).
///
/// ```
/// assert_eq!(trust8::strip_bom(b"\xEF\xBB\xBFname;size"), b"name;size");
/// assert_eq!(trust8::strip_bom(b"name;size"), b"name;size");
/// ```
#[must_use]
pub fn strip_bom(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(Bom::Utf8.bytes()).unwrap_or(bytes)
}

/// The name of an encoding in a protocol (a MIME charset), if it is one of UTF-8's.
///
/// ```
/// use trust8::Label;
///
/// assert_eq!(Label::parse("utf-8"), Some(Label::Utf8));
/// assert_eq!(Label::parse("UNICODE-1-1-UTF-8"), Some(Label::Unicode11Utf8));
/// assert_eq!(Label::parse("UTF-16"), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Label {
    /// `UTF-8`: RFC 3629 section 8, RFC 2279 section 5.
    Utf8,
    /// `UNICODE-1-1-UTF-8`: text of Unicode 1.1, whose Hangul syllables were elsewhere (U+3400 to U+4DFF) than
    /// they have been since Unicode 2.0.
    ///
    /// RFC 2279 section 5 keeps the name for data with such Hangul, should it ever need to be told apart.
    /// It is UTF-8 as a form, so it validates; but its Korean text means something else now.
    Unicode11Utf8,
}

impl Label {
    /// What the name says. Whether letters are large or small does not matter.
    ///
    /// The name must be exact otherwise. `UTF8`, which is no registered name though browsers take it for
    /// one, is none here, nor is one with spaces or quotation marks around it.
    ///
    /// ```
    /// use trust8::Label;
    /// assert_eq!(Label::parse("Utf-8"), Some(Label::Utf8));
    /// assert_eq!(Label::parse("utf8"), None);
    /// ```
    #[must_use]
    pub fn parse(label: &str) -> Option<Self> {
        [Self::Utf8, Self::Unicode11Utf8].into_iter().find(|known| label.eq_ignore_ascii_case(known.as_str()))
    }

    /// The name as the RFCs write it.
    ///
    /// ```
    /// assert_eq!(trust8::Label::Utf8.as_str(), "UTF-8");
    /// ```
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Unicode11Utf8 => "UNICODE-1-1-UTF-8",
        }
    }
}

/// Whether a charset label says UTF-8: it is `UTF-8`, in whatever case.
///
/// `UNICODE-1-1-UTF-8` is not: see [`Label`], which tells them apart.
///
/// ```
/// assert!(trust8::is_utf8_label("UTF-8"));
/// assert!(trust8::is_utf8_label("utf-8"));
/// assert!(!trust8::is_utf8_label("UNICODE-1-1-UTF-8"));
/// assert!(!trust8::is_utf8_label("ISO-8859-1"));
/// ```
#[must_use]
pub fn is_utf8_label(label: &str) -> bool {
    Label::parse(label) == Some(Label::Utf8)
}
