//! Parts of a text that are judged separately, and joined.

#![forbid(unsafe_code)]

mod error;
mod judgement;
mod tally;

use core::fmt;

use trust8::Kernel;
use trust8::engine::Hex;

pub use error::PartError;
pub(crate) use judgement::Judgement;
use judgement::{End, HEAD_BYTES};
pub use tally::Tally;

/// The judgement on a part of a text: whether it is UTF-8, its counts, and its first error.
///
/// A text may be cut anywhere, even inside a character. Parts are judged separately, in any order
/// and on any machine, and the judgements are joined in the order of the text. Wherever it was cut,
/// the result is that of one pass over the whole. Joining takes a few nanoseconds, and does not
/// need the bytes. A judgement has [64 bytes](Self::to_bytes).
///
/// ```
/// use trust8_counts::Part;
///
/// let text = "Grüße,\n世界".as_bytes();
/// let (left, right) = text.split_at(3); // inside the ü
/// let tally = Part::of(left).then(&Part::of(right)).finish().unwrap();
/// assert_eq!((tally.bytes(), tally.chars(), tally.newlines()), (15, 9, 1));
///
/// let whole = Part::of(b"one\ntw").then(&Part::of(b"o\xC3")).then(&Part::of(b"!"));
/// let error = whole.finish().unwrap_err();
/// assert_eq!((error.valid_up_to(), error.line(), error.column()), (7, 2, 4));
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Part(pub(crate) Judgement);

impl Part {
    /// The length of [`to_bytes`](Self::to_bytes).
    pub const LEN: usize = 64;

    /// Judges `bytes`, which may begin and end inside a character.
    ///
    /// ```
    /// use trust8_counts::Part;
    ///
    /// // The last two bytes of a character of three: a part, but no text.
    /// let part = Part::of(b"\x82\xAC");
    /// assert!(part.finish().is_err());
    /// assert!(Part::of(b"5 \xE2").then(&part).finish().is_ok());
    /// ```
    #[inline]
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Judgement::of(Kernel::best(), bytes))
    }

    /// Returns the judgement on this part and the one after it, as one part.
    ///
    /// The operation is associative, and the empty part is its identity.
    ///
    /// ```
    /// use trust8_counts::Part;
    ///
    /// let [a, b, c] = [&b"\xF0\x9F"[..], b"\x98", b"\x80!"].map(Part::of);
    /// assert_eq!(a.then(&b).then(&c), a.then(&b.then(&c)));
    /// assert_eq!(a.then(&b).then(&c), Part::of("😀!".as_bytes()));
    /// assert_eq!(a.then(&Part::default()), a);
    /// ```
    #[inline]
    #[must_use]
    pub fn then(&self, next: &Self) -> Self {
        Self(self.0.then(&next.0))
    }

    /// Returns the counts of the text, if this part is the whole text and is UTF-8.
    ///
    /// # Errors
    ///
    /// Returns the first place at which the text is not UTF-8. A character that its start or end
    /// cuts off is an error here.
    ///
    /// ```
    /// use trust8::ErrorKind;
    /// use trust8_counts::Part;
    ///
    /// assert_eq!(Part::of("naïve".as_bytes()).finish().unwrap().chars(), 5);
    /// assert_eq!(Part::of(b"na\xC3").finish().unwrap_err().kind(), ErrorKind::Incomplete);
    /// ```
    pub fn finish(&self) -> Result<Tally, PartError> {
        match self.0.error() {
            None => Ok(self.0.body),
            Some((before, sequence)) => Err(PartError { before, sequence }),
        }
    }

    /// Returns the number of bytes.
    ///
    /// ```
    /// assert_eq!(trust8_counts::Part::of(b"any \xFF bytes").len(), 11);
    /// ```
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.0.len
    }

    /// Returns whether this is the empty part.
    ///
    /// ```
    /// assert!(trust8_counts::Part::default().is_empty());
    /// ```
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.len == 0
    }

    /// Returns whether the part has an error, whatever comes before and after it. Later parts need
    /// not be judged.
    ///
    /// ```
    /// use trust8_counts::Part;
    ///
    /// assert!(Part::of(b"a\xFF").has_failed());
    /// assert!(!Part::of(b"\x80a\xE2\x82").has_failed());
    /// ```
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.0.has_failed()
    }

    /// Returns the first bytes of the part, at most three: for trust8-profile.
    #[doc(hidden)]
    #[must_use]
    pub fn first_bytes(&self) -> &[u8] {
        &self.0.first[..self.0.known()]
    }

    /// Returns the judgement as bytes, to send or store. They are the same on all machines.
    ///
    /// ```
    /// use trust8_counts::Part;
    ///
    /// let part = Part::of(b"sent to another machine \xE2");
    /// assert_eq!(Part::from_bytes(&part.to_bytes()), Some(part));
    /// ```
    #[must_use]
    pub fn to_bytes(&self) -> [u8; Self::LEN] {
        let Judgement { len, first, head, body, end } = &self.0;
        let Tally { bytes: body, continuations, from_e0, from_f0, newlines, line_chars } = *body;
        let (mut last, last_len) = ([0; 4], end.bytes().len());
        last[..last_len].copy_from_slice(end.bytes());
        let mut bytes = [0; Self::LEN];
        let numbers = [*len, body, continuations, from_e0, from_f0, newlines, line_chars];
        for (to, number) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(numbers) {
            *to = number.to_le_bytes();
        }
        bytes[56..59].copy_from_slice(first);
        bytes[59..63].copy_from_slice(&last);
        bytes[63] = head | (last_len as u8) << 2 | u8::from(self.0.has_failed()) << 5;
        bytes
    }

    /// Returns the judgement with these [`bytes`](Self::to_bytes), or `None` if no part has such a
    /// judgement.
    ///
    /// The text is not checked again: trust the judgement as much as its sender.
    ///
    /// ```
    /// use trust8_counts::Part;
    ///
    /// assert_eq!(Part::from_bytes(&[0; 64]), Some(Part::default()));
    /// assert_eq!(Part::from_bytes(&[0xFF; 64]), None);
    /// ```
    #[must_use]
    pub fn from_bytes(bytes: &[u8; Self::LEN]) -> Option<Self> {
        let mut numbers = [0; 7];
        for (number, from) in numbers.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *number = u64::from_le_bytes(*from);
        }
        let [len, body, continuations, from_e0, from_f0, newlines, line_chars] = numbers;
        let first = [bytes[56], bytes[57], bytes[58]];
        let (last, last_len) = (&bytes[59..63], usize::from(bytes[63] >> 2 & 7));
        let head = bytes[63] & 3;
        let end = match last.get(..last_len)? {
            [] => End::CLEAN,
            &[0x00..=0x7F, ..] => return None,
            seen if core::str::from_utf8(seen).is_ok() => return None,
            seen => End::of(seen),
        };
        let body = Tally { bytes: body, continuations, from_e0, from_f0, newlines, line_chars };
        let part = Self(Judgement { len, first, head, body, end });
        (part.0.is_possible() && part.to_bytes() == *bytes).then_some(part)
    }
}

/// The empty part.
impl Default for Part {
    fn default() -> Self {
        Self(Judgement { len: 0, first: [0; HEAD_BYTES], head: 0, body: Tally::default(), end: End::CLEAN })
    }
}

impl fmt::Debug for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields = f.debug_struct("Part");
        fields.field("len", &self.len()).field("head", &self.0.head).field("body", &self.0.body);
        match &self.0.end {
            End::Unfinished { .. } => {
                fields.field("tail", &format_args!("{}", Hex(self.0.end.bytes()))).finish()
            }
            End::Failed(sequence) => sequence.debug(&mut fields),
        }
    }
}
