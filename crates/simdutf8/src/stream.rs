//! The traits of validators for streams, and what all of their implementations share.

use crate::basic::Utf8Error;

/// Validates UTF-8 that arrives in pieces of any length.
///
/// ```
/// # #[cfg(any(target_arch = "x86", target_arch = "x86_64"))] {
/// use simdutf8::basic::imp::{Utf8Validator, x86::avx2::Utf8ValidatorImp};
///
/// let is_text = |pieces: &[&[u8]]| unsafe {
///     let mut validator = Utf8ValidatorImp::new();
///     for piece in pieces {
///         validator.update(piece);
///     }
///     validator.finalize().is_ok()
/// };
/// assert!(is_text(&[b"Stra\xC3", b"\x9Fe"]));
/// assert!(!is_text(&[b"Stra\xC3", b"e"]));
/// # }
/// ```
pub trait Utf8Validator {
    /// Returns a validator at the start of the input.
    ///
    /// # Safety
    ///
    /// The CPU has the instruction set that the module is named after. (The implementations of this crate do not need this.)
    #[must_use]
    unsafe fn new() -> Self
    where
        Self: Sized;

    /// Validates the next bytes of the input.
    ///
    /// # Safety
    ///
    /// See [`new`](Self::new).
    unsafe fn update(&mut self, input: &[u8]);

    /// Ends the input.
    ///
    /// # Errors
    ///
    /// Returns an error if the input is not UTF-8.
    ///
    /// # Safety
    ///
    /// See [`new`](Self::new).
    unsafe fn finalize(self) -> Result<(), Utf8Error>;
}

/// Validates UTF-8 that arrives in pieces whose length is a multiple of 64. The last piece may have any length.
///
/// ```
/// # #[cfg(any(target_arch = "x86", target_arch = "x86_64"))] {
/// use simdutf8::basic::imp::{ChunkedUtf8Validator, x86::avx2::ChunkedUtf8ValidatorImp};
///
/// let text = "naïve ".repeat(30);
/// let (pieces, rest) = text.as_bytes().split_at(128);
/// let result = unsafe {
///     let mut validator = ChunkedUtf8ValidatorImp::new();
///     validator.update_from_chunks(pieces);
///     validator.finalize(Some(rest))
/// };
/// assert_eq!(result, Ok(()));
/// # }
/// ```
pub trait ChunkedUtf8Validator {
    /// Returns a validator at the start of the input.
    ///
    /// # Safety
    ///
    /// The CPU has the instruction set that the module is named after. (The implementations of this crate do not need this.)
    #[must_use]
    unsafe fn new() -> Self
    where
        Self: Sized;

    /// Validates the next bytes of the input.
    ///
    /// # Panics
    ///
    /// Panics if the length of `input` is not a multiple of 64.
    ///
    /// # Safety
    ///
    /// See [`new`](Self::new).
    unsafe fn update_from_chunks(&mut self, input: &[u8]);

    /// Validates `remaining_input`, if there is any, and ends the input.
    ///
    /// # Errors
    ///
    /// Returns an error if the input is not UTF-8.
    ///
    /// # Safety
    ///
    /// See [`new`](Self::new).
    unsafe fn finalize(self, remaining_input: Option<&[u8]>) -> Result<(), Utf8Error>;
}

/// A validator that reports an error at the end of the input.
pub(crate) struct Stream(trust8::Validator);

impl Stream {
    #[inline]
    pub(crate) const fn new() -> Self {
        Self(trust8::Validator::new())
    }

    #[inline]
    pub(crate) fn push(&mut self, piece: &[u8]) {
        // The validator remembers its error, and `finish` returns it.
        let _ = self.0.push(piece);
    }

    #[inline]
    pub(crate) fn finish(self) -> Result<(), Utf8Error> {
        self.0.finish().map_err(|_| Utf8Error)
    }
}

/// The length that pieces of a [`ChunkedStream`] are a multiple of.
const CHUNK_BYTES: usize = 64;

/// How many bytes a [`ChunkedStream`] collects before it validates them.
const HELD_BYTES: usize = 512;

/// A [`Stream`] for parsers, which push 64 bytes at a time. It collects these, because a call of the kernel for each costs more
/// than a copy, and leaves out what is ASCII after ASCII, because that changes nothing.
pub(crate) struct ChunkedStream {
    stream: Stream,
    /// The first `len` bytes have not been validated.
    held: [u8; HELD_BYTES],
    /// A multiple of [`CHUNK_BYTES`], and less than [`HELD_BYTES`].
    len: usize,
    /// Whether the last byte of the input so far is ASCII, or there is none.
    after_ascii: bool,
}

impl ChunkedStream {
    #[inline]
    pub(crate) const fn new() -> Self {
        Self { stream: Stream::new(), held: [0; HELD_BYTES], len: 0, after_ascii: true }
    }

    #[inline]
    pub(crate) fn push(&mut self, piece: &[u8]) {
        assert!(piece.len().is_multiple_of(CHUNK_BYTES), "Input size must be a multiple of 64.");
        if piece.len() >= HELD_BYTES {
            self.push_long(piece);
            return;
        }
        for chunk in piece.as_chunks::<CHUNK_BYTES>().0 {
            if !(self.after_ascii && is_ascii(chunk)) {
                self.hold(chunk);
            }
        }
    }

    #[inline]
    pub(crate) fn finish(mut self, rest: &[u8]) -> Result<(), Utf8Error> {
        self.validate_held();
        self.stream.push(rest);
        self.stream.finish()
    }

    #[inline]
    fn hold(&mut self, chunk: &[u8; CHUNK_BYTES]) {
        if let Some(free) = self.held[self.len..].first_chunk_mut() {
            *free = *chunk;
            self.len += CHUNK_BYTES;
        }
        self.after_ascii = chunk[CHUNK_BYTES - 1].is_ascii();
        if self.len == HELD_BYTES {
            self.validate_held();
        }
    }

    #[inline(never)]
    fn push_long(&mut self, piece: &[u8]) {
        self.validate_held();
        self.stream.push(piece);
        self.after_ascii = piece.last().is_some_and(u8::is_ascii);
    }

    #[inline(never)]
    fn validate_held(&mut self) {
        self.stream.push(&self.held[..self.len]);
        self.len = 0;
    }
}

/// Returns whether `chunk` is ASCII. Without a branch for each word, the compiler makes vectors of the loop.
#[inline]
fn is_ascii(chunk: &[u8; CHUNK_BYTES]) -> bool {
    chunk.iter().fold(0, |all, byte| all | byte).is_ascii()
}
