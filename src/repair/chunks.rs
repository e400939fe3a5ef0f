//! Chunks of valid text, each with the ill-formed sequence after it, as in `core`'s `Utf8Chunks`;
//! and all errors.

#![forbid(unsafe_code)]

use core::fmt::{self, Write};
use core::iter::FusedIterator;
use core::mem::MaybeUninit;

use super::faults::FaultSearch;
use super::replacer::Replacer;
use super::sequences::Sequences;
use super::survey::{BLOCK_OUTPUT_BYTES, Found};
use crate::boundary::whole_len;
use crate::error::{ErrorKind, Utf8Error};
use crate::kernel::Kernel;
use crate::output::Output;

/// Returns an iterator over chunks of valid text, each with the ill-formed sequence after it.
///
/// The chunks are those of
/// [`slice::utf8_chunks`](https://doc.rust-lang.org/std/primitive.slice.html#method.utf8_chunks)
/// for every input. Each also has its position, and the error of its ill-formed sequence. Nothing
/// is allocated.
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
#[inline]
pub fn utf8_chunks(bytes: &[u8]) -> Utf8Chunks<'_> {
    Kernel::best().utf8_chunks(bytes)
}

/// Returns an iterator over all errors in `bytes`, in their order.
///
/// After an error the search continues as lossy decoding would: after the bytes that one U+FFFD
/// replaces. For every error, [`valid_up_to`](Utf8Error::valid_up_to) is the offset of the
/// ill-formed sequence in the whole of `bytes`. Nothing is allocated.
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
#[inline]
pub fn errors(bytes: &[u8]) -> Errors<'_> {
    Kernel::best().errors(bytes)
}

impl Kernel {
    /// Does the same as [`utf8_chunks`](crate::utf8_chunks), with this kernel.
    #[inline]
    pub fn utf8_chunks<'a>(&'static self, bytes: &'a [u8]) -> Utf8Chunks<'a> {
        Utf8Chunks { sequences: Sequences::new(self, bytes) }
    }

    /// Does the same as [`errors`](crate::errors), with this kernel.
    #[inline]
    pub fn errors<'a>(&'static self, bytes: &'a [u8]) -> Errors<'a> {
        Errors { sequences: Sequences::new(self, bytes) }
    }
}

/// An iterator over chunks of valid text, each with the ill-formed sequence after it: see
/// [`utf8_chunks`].
///
/// `Display` writes the text with each ill-formed sequence replaced by U+FFFD, without allocating.
/// `Debug` writes the bytes of ill-formed sequences as `\xFF`. Both write the chunks that the
/// iterator has not returned yet.
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
        let (offset, valid, end) = self.sequences.next_chunk()?;
        Some(Utf8Chunk { bytes: self.sequences.bytes(), offset, valid, end })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.sequences.bytes().len() - self.sequences.end();
        (left.min(1), Some(left))
    }
}

impl FusedIterator for Utf8Chunks<'_> {}

/// Valid text, and the ill-formed sequence after it: see [`utf8_chunks`].
///
/// ```
/// let chunk = trust8::utf8_chunks(b"ab\xE2\x82c").next().unwrap();
/// assert_eq!((chunk.valid(), chunk.invalid()), ("ab", &b"\xE2\x82"[..]));
/// ```
#[derive(Clone, Copy)]
pub struct Utf8Chunk<'a> {
    /// The whole input, from which the error is read.
    bytes: &'a [u8],
    offset: usize,
    valid: &'a str,
    /// Where the chunk ends in the input.
    end: usize,
}

impl<'a> Utf8Chunk<'a> {
    /// Returns the valid text. It is empty if the input begins with an ill-formed sequence, and
    /// between two adjacent ones.
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

    /// Returns the ill-formed sequence: one to three bytes, or none at the end of the input.
    ///
    /// Lossy decoding replaces it with one U+FFFD.
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

    /// Returns where in the input the chunk and its text begin.
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

    /// Returns where in the input the text ends and the ill-formed sequence begins.
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

    /// Returns the error of the ill-formed sequence, if there is one.
    ///
    /// [`valid_up_to`](Utf8Error::valid_up_to) is its offset in the whole input.
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

    /// Returns which rule of RFC 3629 the ill-formed sequence breaks, if there is one.
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

/// Writes the text with each ill-formed sequence replaced by U+FFFD. Width, fill and alignment
/// count in characters, as for `str`.
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
        if let Some(first) = self.clone().next() {
            f.write_str(first.valid())?;
            let kernel = self.sequences.kernel();
            write_lossy(kernel, &first.bytes[first.invalid_offset()..], f)?;
        }
        (before..padding).try_for_each(|_| f.write_char(fill))
    }
}

/// Writes the rest of the input as the standard library's iterator does.
impl fmt::Debug for Utf8Chunks<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rest = &self.sequences.bytes()[self.sequences.end()..];
        fmt::Debug::fmt(&rest.utf8_chunks(), f)
    }
}

/// An iterator over all errors: see [`errors`].
///
/// ```
/// let errors = trust8::errors(b"\xFFab\x80");
/// assert_eq!(errors.map(|error| error.valid_up_to()).collect::<Vec<_>>(), [0, 3]);
/// ```
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

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.sequences.bytes().len() - self.sequences.end()))
    }

    /// Counts the errors of a block at once.
    fn count(self) -> usize {
        let (search, block) = self.sequences.into_search();
        block.ill_formed().0 + count_ill_formed(search).0
    }
}

impl FusedIterator for Errors<'_> {}

/// Lists the errors that the iterator has not returned yet.
impl fmt::Debug for Errors<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

/// Writes all of `bytes`, with each ill-formed sequence replaced by U+FFFD, by way of a buffer.
fn write_lossy(kernel: &Kernel, bytes: &[u8], to: &mut impl Write) -> fmt::Result {
    let mut replacer = Replacer::new(kernel, bytes);
    let mut memory = [MaybeUninit::uninit(); 4 * BLOCK_OUTPUT_BYTES];
    // The bytes at the end of the last buffer that begin a character.
    let (mut cut, mut cut_len) = ([0; 4], 0);
    loop {
        let mut out = Output::new(&mut memory);
        out.put(&cut[..cut_len]);
        let is_all = replacer.write(&mut out) == bytes.len();
        let written = out.finish();
        let (whole, rest) = written.split_at(whole_len(written));
        to.write_str(kernel.from_utf8(whole).map_err(|_| fmt::Error)?)?;
        if is_all {
            return Ok(());
        }
        cut_len = rest.len();
        cut[..cut_len].copy_from_slice(rest);
    }
}

/// Returns the number of ill-formed sequences in `bytes`, and of their bytes.
pub(crate) fn count_ill_formed(mut search: FaultSearch<'_>) -> (usize, usize) {
    let (mut count, mut len) = (0, 0);
    while let Some(block) = search.advance() {
        let (more, their_len) = block.ill_formed();
        count += more;
        len += their_len;
    }
    (count, len)
}

/// Counts something in text with ill-formed sequences: `in_text` counts it in each text between two
/// blocks of the search, and `in_block` in such a block.
pub fn count_lossy(
    kernel: &Kernel,
    bytes: &[u8],
    in_text: impl Fn(&[u8]) -> usize,
    in_block: impl Fn(&Found) -> usize,
) -> usize {
    let mut search = FaultSearch::new(kernel, bytes);
    let (mut count, mut at) = (0, 0);
    while let Some(block) = search.advance() {
        count += in_text(&bytes[at..block.start]) + in_block(&block);
        at = block.end;
    }
    count
}
