//! Text and what is none, in turn: `core`'s `Utf8Chunks`, faster, and with the reason why; and every error.
//!
//! `faults.rs` finds the ill-formed sequences. What lies between two of them is text.

use core::fmt::{self, Write};
use core::iter::FusedIterator;

use super::faults::Faults;
use crate::error::{ErrorKind, Utf8Error};
use crate::kernel::Kernel;
use crate::kernel::survey::Found;

/// The bytes as chunks of text, each with the ill-formed sequence behind it.
///
/// What [`slice::utf8_chunks`](https://doc.rust-lang.org/std/primitive.slice.html#method.utf8_chunks) does, with the same
/// chunks for every input, and each says where it is and what is wrong behind it.
/// It allocates nothing.
///
/// ```
/// use trust8::{ErrorKind, utf8_chunks};
///
/// let mut lines = Vec::new();
/// for chunk in utf8_chunks(b"caf\xC3\xA9 \xC0\xAFetc") {
///     lines.push((chunk.offset(), chunk.valid(), chunk.invalid(), chunk.kind()));
/// }
/// assert_eq!(
///     lines,
///     [
///         (0, "café ", &b"\xC0"[..], Some(ErrorKind::Overlong)),
///         (7, "", b"\xAF", Some(ErrorKind::UnexpectedContinuation)),
///         (8, "etc", b"", None),
///     ]
/// );
/// ```
pub fn utf8_chunks(bytes: &[u8]) -> Utf8Chunks<'_> {
    utf8_chunks_with(Kernel::best(), bytes)
}

/// [`utf8_chunks`] with this kernel: for tests and measurements.
pub(crate) fn utf8_chunks_with<'a>(kernel: &'static Kernel, bytes: &'a [u8]) -> Utf8Chunks<'a> {
    Utf8Chunks { sequences: Sequences::new(kernel, bytes) }
}

/// Every error in the bytes, in their order.
///
/// Behind an error the search goes on where lossy decoding would: behind the bytes that one U+FFFD
/// replaces. All positions are positions in the whole of `bytes`:
/// [`valid_up_to`](Utf8Error::valid_up_to) is where the ill-formed sequence begins, also if it is not the first.
/// It allocates nothing.
///
/// ```
/// use trust8::{ErrorKind, errors};
///
/// let bytes = b"one\xFF two\xED\xA0\x80 three\xE2\x82";
/// let found: Vec<_> = errors(bytes).map(|error| (error.valid_up_to(), error.kind())).collect();
/// assert_eq!(
///     found,
///     [
///         (3, ErrorKind::InvalidByte),
///         (8, ErrorKind::Surrogate),
///         (9, ErrorKind::UnexpectedContinuation),
///         (10, ErrorKind::UnexpectedContinuation),
///         (17, ErrorKind::Incomplete),
///     ]
/// );
/// assert_eq!(errors(bytes).next(), trust8::from_utf8(bytes).err());
/// assert_eq!(errors("none".as_bytes()).next(), None);
/// ```
pub fn errors(bytes: &[u8]) -> Errors<'_> {
    errors_with(Kernel::best(), bytes)
}

/// [`errors`] with this kernel: for tests and measurements.
pub(crate) fn errors_with<'a>(kernel: &'static Kernel, bytes: &'a [u8]) -> Errors<'a> {
    Errors { sequences: Sequences::new(kernel, bytes) }
}

/// The ill-formed sequences, one by one.
#[derive(Clone)]
struct Sequences<'a> {
    faults: Faults<'a>,
    /// What is left of the block that was found last.
    block: Found,
    /// The end of the last one: all from here to the next one is well-formed.
    end: usize,
}

impl<'a> Sequences<'a> {
    fn new(kernel: &'static Kernel, bytes: &'a [u8]) -> Self {
        Self { faults: Faults::new(kernel, bytes), block: Found::NONE, end: 0 }
    }

    fn bytes(&self) -> &'a [u8] {
        self.faults.bytes()
    }

    /// Where the next one begins and ends.
    #[inline]
    fn next(&mut self) -> Option<(usize, usize)> {
        loop {
            if let Some((at, len)) = self.block.pop() {
                let start = self.block.start + at;
                self.end = start + len;
                return Some((start, self.end));
            }
            self.block = self.faults.advance()?;
        }
    }
}

/// An iterator over chunks of text, each with what is none behind it; see [`utf8_chunks`].
///
/// Its `Display` writes the text that lossy decoding would make, without allocating it; its `Debug` shows
/// what is none as `\xFF`. Both are of what is still to come.
///
/// ```
/// let chunks = trust8::utf8_chunks(b"na\xEFve");
/// assert_eq!(chunks.to_string(), "na\u{FFFD}ve");
/// assert_eq!(format!("{chunks:?}"), r#"Utf8Chunks { source: "na\xEFve" }"#);
/// ```
#[derive(Clone)]
#[must_use = "iterators do nothing unless they are used"]
pub struct Utf8Chunks<'a> {
    sequences: Sequences<'a>,
}

impl<'a> Iterator for Utf8Chunks<'a> {
    type Item = Utf8Chunk<'a>;

    #[inline]
    fn next(&mut self) -> Option<Utf8Chunk<'a>> {
        let bytes = self.sequences.bytes();
        let offset = self.sequences.end;
        let (start, end) = match self.sequences.next() {
            Some(sequence) => sequence,
            None if offset == bytes.len() => return None,
            None => {
                self.sequences.end = bytes.len();
                (bytes.len(), bytes.len())
            }
        };
        // SAFETY: no ill-formed sequence is between the end of the last one and the start of this one: a kernel found
        // those bytes valid, or the map of their block has none, and one of both was made of each.
        let valid = unsafe { core::str::from_utf8_unchecked(&bytes[offset..start]) };
        Some(Utf8Chunk { bytes, offset, valid, end })
    }
}

impl FusedIterator for Utf8Chunks<'_> {}

/// Text, and the ill-formed sequence behind it; see [`utf8_chunks`].
///
/// ```
/// let chunk = trust8::utf8_chunks(b"ab\xE2\x82c").next().unwrap();
/// assert_eq!((chunk.valid(), chunk.invalid()), ("ab", &b"\xE2\x82"[..]));
/// ```
#[derive(Clone, Copy)]
pub struct Utf8Chunk<'a> {
    /// All of the input, for the error.
    bytes: &'a [u8],
    offset: usize,
    valid: &'a str,
    /// Of the chunk, in the input.
    end: usize,
}

impl<'a> Utf8Chunk<'a> {
    /// The text. It may be empty: at the start, and where one ill-formed sequence follows another.
    ///
    /// ```
    /// let texts: Vec<_> = trust8::utf8_chunks(b"\xFFa\xFF").map(|chunk| chunk.valid()).collect();
    /// assert_eq!(texts, ["", "a"]);
    /// ```
    #[inline]
    #[must_use]
    pub const fn valid(&self) -> &'a str {
        self.valid
    }

    /// The ill-formed sequence: one to three bytes, or none if the chunk is the last one.
    ///
    /// One U+FFFD is to replace it.
    ///
    /// ```
    /// let chunk = trust8::utf8_chunks(b"\xF0\x9F\x98").next().unwrap();
    /// assert_eq!(chunk.invalid(), b"\xF0\x9F\x98");
    /// ```
    #[inline]
    #[must_use]
    pub fn invalid(&self) -> &'a [u8] {
        &self.bytes[self.invalid_offset()..self.end]
    }

    /// Where in the input the chunk, and so its text, begins.
    ///
    /// ```
    /// let offsets: Vec<_> = trust8::utf8_chunks(b"ab\xFFcd").map(|chunk| chunk.offset()).collect();
    /// assert_eq!(offsets, [0, 3]);
    /// ```
    #[inline]
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// Where in the input the text ends and the ill-formed sequence begins.
    ///
    /// ```
    /// let chunk = trust8::utf8_chunks(b"ab\xFFcd").nth(1).unwrap();
    /// assert_eq!((chunk.offset(), chunk.invalid_offset()), (3, 5));
    /// ```
    #[inline]
    #[must_use]
    pub const fn invalid_offset(&self) -> usize {
        self.offset + self.valid.len()
    }

    /// What is wrong with the ill-formed sequence, if there is one.
    ///
    /// [`valid_up_to`](Utf8Error::valid_up_to) is its place in the whole input.
    ///
    /// ```
    /// let error = trust8::utf8_chunks(b"\xFFab\xE0\x80").nth(1).unwrap().error().unwrap();
    /// assert_eq!(error.valid_up_to(), 3);
    /// assert_eq!(error.to_string(), "invalid UTF-8 at byte 3: E0 80 begins an overlong form; expected A0 to BF after E0");
    /// ```
    #[must_use]
    pub fn error(&self) -> Option<Utf8Error> {
        let start = self.invalid_offset();
        (start < self.end).then(|| Utf8Error::at(self.bytes, start))
    }

    /// Which rule of RFC 3629 it breaks.
    ///
    /// ```
    /// let kinds: Vec<_> = trust8::utf8_chunks(b"a\xFFb").map(|chunk| chunk.kind()).collect();
    /// assert_eq!(kinds, [Some(trust8::ErrorKind::InvalidByte), None]);
    /// ```
    #[must_use]
    pub fn kind(&self) -> Option<ErrorKind> {
        self.error().map(|error| error.kind())
    }
}

impl PartialEq for Utf8Chunk<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.offset == other.offset
            && self.valid == other.valid
            && self.invalid() == other.invalid()
            && self.kind() == other.kind()
    }
}

impl Eq for Utf8Chunk<'_> {}

impl fmt::Debug for Utf8Chunk<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Utf8Chunk")
            .field("valid", &self.valid)
            .field("invalid", &self.invalid())
            .field("offset", &self.offset)
            .field("kind", &self.kind())
            .finish()
    }
}

/// The text with U+FFFD for what is none. Width, fill and alignment count in characters, as `str` has it.
impl fmt::Display for Utf8Chunks<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut padding = 0;
        if let Some(width) = f.width() {
            let characters: usize = self
                .clone()
                .map(|chunk| chunk.valid().chars().count() + usize::from(!chunk.invalid().is_empty()))
                .sum();
            padding = width.saturating_sub(characters);
        }
        let before = match f.align() {
            None | Some(fmt::Alignment::Left) => 0,
            Some(fmt::Alignment::Center) => padding / 2,
            Some(fmt::Alignment::Right) => padding,
        };
        let fill = f.fill();
        (0..before).try_for_each(|_| f.write_char(fill))?;
        for chunk in self.clone() {
            f.write_str(chunk.valid())?;
            if !chunk.invalid().is_empty() {
                f.write_char(char::REPLACEMENT_CHARACTER)?;
            }
        }
        (before..padding).try_for_each(|_| f.write_char(fill))
    }
}

impl fmt::Debug for Utf8Chunks<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Utf8Chunks").field("source", &Source(self)).finish()
    }
}

/// What is still to come, as a literal would have it.
struct Source<'a>(&'a Utf8Chunks<'a>);

impl fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for chunk in self.0.clone() {
            // Character by character: `str::escape_debug` escapes an accent only where it stands first.
            for character in chunk.valid().chars() {
                match character {
                    '\'' => f.write_char(character)?,
                    _ => write!(f, "{}", character.escape_debug())?,
                }
            }
            for byte in chunk.invalid() {
                write!(f, "\\x{byte:02X}")?;
            }
        }
        f.write_char('"')
    }
}

/// An iterator over every error; see [`errors`].
#[derive(Clone)]
#[must_use = "iterators do nothing unless they are used"]
pub struct Errors<'a> {
    sequences: Sequences<'a>,
}

impl Iterator for Errors<'_> {
    type Item = Utf8Error;

    #[inline]
    fn next(&mut self) -> Option<Utf8Error> {
        let (start, _) = self.sequences.next()?;
        Some(Utf8Error::at(self.sequences.bytes(), start))
    }
}

impl FusedIterator for Errors<'_> {}

/// The errors that are still to come.
impl fmt::Debug for Errors<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}
