//! The text of one piece of a stream.

#![forbid(unsafe_code)]

use core::fmt;

use super::cut::Completed;

/// The text of one piece of a stream: first the character that the piece completes, if any, then
/// the rest.
///
/// ```
/// let mut validator = trust8::Validator::new();
/// validator.decode(b"\xF0\x9F").unwrap();
/// let piece = validator.decode(b"\x98\x80, hello \xC3").unwrap();
/// assert_eq!(piece.completed(), "😀");
/// assert_eq!(piece.rest(), ", hello ");
/// assert_eq!(piece.into_iter().collect::<String>(), "😀, hello ");
/// assert_eq!(piece.to_string(), "😀, hello ");
/// ```
#[derive(Clone, Copy)]
pub struct Piece<'a> {
    pub(super) completed: Completed,
    pub(super) rest: &'a str,
}

impl<'a> Piece<'a> {
    #[doc(hidden)]
    pub const EMPTY: Self = Self { completed: Completed::NONE, rest: "" };

    /// Returns the first `len` bytes of the text, which are whole characters.
    #[doc(hidden)]
    #[must_use]
    pub fn up_to(self, len: usize) -> Self {
        match len.checked_sub(self.completed.len()) {
            Some(len) => Self { rest: &self.rest[..len], ..self },
            None => Self::EMPTY,
        }
    }

    /// Returns the character that began in an earlier piece and ends in this one, or an empty
    /// string if there is none.
    ///
    /// ```
    /// let mut validator = trust8::Validator::new();
    /// assert_eq!(validator.decode(b"a\xC2").unwrap().completed(), "");
    /// assert_eq!(validator.decode(b"\xB5b").unwrap().completed(), "µ");
    /// ```
    #[must_use]
    pub fn completed(&self) -> &str {
        self.completed.as_str()
    }

    /// Returns the bytes of the piece itself as text. The bytes that complete an earlier character
    /// are not part of it, and neither is an unfinished character at the end.
    ///
    /// ```
    /// let mut validator = trust8::Validator::new();
    /// assert_eq!(validator.decode(b"a\xC2").unwrap().rest(), "a");
    /// assert_eq!(validator.decode(b"\xB5b").unwrap().rest(), "b");
    /// ```
    #[inline]
    #[must_use]
    pub const fn rest(&self) -> &'a str {
        self.rest
    }

    /// Returns the length of both parts together, in bytes.
    ///
    /// ```
    /// let mut validator = trust8::Validator::new();
    /// validator.decode(b"\xC2").unwrap();
    /// assert_eq!(validator.decode(b"\xB5b").unwrap().len(), 3);
    /// ```
    #[must_use]
    pub const fn len(&self) -> usize {
        self.completed.len() + self.rest.len()
    }

    /// Returns whether there is no text, because the piece had no bytes, or only some bytes of a
    /// character.
    ///
    /// ```
    /// assert!(trust8::Validator::new().decode(b"\xE2\x82").unwrap().is_empty());
    /// ```
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Iterates over the parts that are not empty: none, one or two.
impl<'p> IntoIterator for &'p Piece<'_> {
    type Item = &'p str;
    type IntoIter = core::iter::Filter<core::array::IntoIter<&'p str, 2>, fn(&&'p str) -> bool>;

    fn into_iter(self) -> Self::IntoIter {
        [self.completed(), self.rest].into_iter().filter(|text| !text.is_empty())
    }
}

impl fmt::Display for Piece<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.completed())?;
        f.write_str(self.rest)
    }
}

impl fmt::Debug for Piece<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Piece").field("completed", &self.completed()).field("rest", &self.rest).finish()
    }
}
