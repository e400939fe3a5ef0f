//! Parts of a text that are judged separately, with a profile, and joined.
//!
//! ```text
//! the judgement on a part:   that of the library: whether it is UTF-8, and its counts
//!                            the first forbidden character, and the judgement on what is before it
//! ```
//!
//! Two characters depend on the part before. One that a cut divides is in neither part: its bytes
//! are the tail of the first judgement and the first bytes of the second. And a byte order mark at
//! the start of a part is forbidden if anything comes before it: the first bytes show it.

#![forbid(unsafe_code)]

use core::fmt;

use trust8::Kernel;
use trust8::engine::is_inside;
use trust8_counts::{KernelCounts, Part, PartError, Tally};

use super::class::Class;
use super::error::Forbidden;
use super::{Profile, ProfileWith, forbidden_class};

/// The judgement on a part of a text: whether it is UTF-8 without a forbidden character, its
/// counts, and its first error. It is a [`Part`] with a profile.
///
/// A text may be cut anywhere, even inside a character. Parts are judged separately, in any order
/// and on any machine, and the judgements are joined in the order of the text. Wherever it was cut,
/// the result is that of one pass over the whole. All parts need the same profile.
///
/// ```
/// use std::thread;
/// use trust8_profile::{Profile, ProfilePart, ProfilePartError};
///
/// let text = "let x = 1;\n// caf\u{E9}\u{202E}\n".as_bytes();
/// let (left, right) = text.split_at(text.len() - 2); // inside U+202E
/// let whole = thread::scope(|scope| {
///     let left = scope.spawn(|| ProfilePart::of(&Profile::SOURCE_CODE, left));
///     let right = ProfilePart::of(&Profile::SOURCE_CODE, right);
///     left.join().unwrap().then(&right)
/// });
/// assert_eq!(whole, ProfilePart::of(&Profile::SOURCE_CODE, text));
///
/// let error = whole.finish().unwrap_err();
/// assert!(matches!(error, ProfilePartError::Forbidden { .. }));
/// assert_eq!((error.valid_up_to(), error.line(), error.column()), (19, 2, 8));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProfilePart {
    part: Part,
    /// The bits of the profile.
    bits: u32,
    /// The first forbidden character. A byte order mark at the start does not count.
    found: Option<Found>,
}

/// A forbidden character of a part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Found {
    /// The judgement on what comes before it in the part, which has not failed and has no tail.
    before: Part,
    character: char,
    class: Class,
}

impl Found {
    /// Returns the judgement on the part up to the end of the character.
    fn up_to_end(&self) -> Part {
        self.before.then(&Part::of(self.character.encode_utf8(&mut [0; 4]).as_bytes()))
    }

    /// Returns the character for a part to which `first` was added at the start, if there is no
    /// error before it.
    fn after(mut self, first: &Part) -> Option<Self> {
        self.before = first.then(&self.before);
        (!self.up_to_end().has_failed()).then_some(self)
    }
}

impl ProfilePart {
    /// The length of [`to_bytes`](Self::to_bytes).
    pub const LEN: usize = 2 * Part::LEN + 8;

    /// The number for no character in [`to_bytes`](Self::to_bytes).
    const NONE: u32 = u32::MAX;

    /// Judges `bytes`, which may begin and end inside a character.
    ///
    /// ```
    /// use trust8_profile::{Profile, ProfilePart};
    ///
    /// // The last two bytes of a character of three: a part, but no text.
    /// let part = ProfilePart::of(&Profile::XML_1_0, b"\xBF\xBF");
    /// assert!(ProfilePart::of(&Profile::XML_1_0, b"\xEE").then(&part).finish().is_ok());
    /// assert!(ProfilePart::of(&Profile::XML_1_0, b"\xEF").then(&part).finish().is_err());
    /// ```
    #[must_use]
    pub fn of(profile: &Profile, bytes: &[u8]) -> Self {
        ProfileWith(Kernel::best(), profile).part(bytes)
    }

    pub(super) fn judge(kernel: &Kernel, profile: &Profile, bytes: &[u8]) -> Self {
        let head = (0..bytes.len().min(3)).take_while(|&at| is_inside(bytes, at)).count();
        let (head, text) = bytes.split_at(head);
        let (first, rest) = (kernel.part(head), kernel.part(text));
        let valid = rest.finish().unwrap_or_else(|error| error.before()).bytes() as usize;
        let found = profile.first(kernel, &text[..valid], head.is_empty()).map(|found| {
            let before = kernel.part(&text[..found.offset() as usize]);
            Found { before: first.then(&before), character: found.character(), class: found.class() }
        });
        Self { part: first.then(&rest), bits: profile.bits(), found }
    }

    /// Returns the judgement on this part and the one after it, as one part.
    ///
    /// With one profile, the operation is associative, and the empty part is its identity. If the
    /// parts were judged with different profiles, a character that the cut divides is checked with
    /// both, and so is a byte order mark after the cut.
    ///
    /// ```
    /// use trust8_profile::{Profile, ProfilePart};
    ///
    /// let of = |bytes| ProfilePart::of(&Profile::PROMPT, bytes);
    /// let [a, b, c] = [&b"\xF3\xA0"[..], b"\x81", b"\x81!"].map(of);
    /// assert_eq!(a.then(&b).then(&c), a.then(&b.then(&c)));
    /// assert_eq!(a.then(&b).then(&c), of("\u{E0041}!".as_bytes()));
    /// assert_eq!(a.then(&ProfilePart::default()), a);
    /// ```
    #[must_use]
    pub fn then(&self, next: &Self) -> Self {
        let bits = self.bits | next.bits;
        let found = self
            .found
            .or_else(|| self.at_cut(next, bits))
            .or_else(|| next.found.and_then(|found| found.after(&self.part)));
        Self { part: self.part.then(&next.part), bits, found }
    }

    /// Returns the character that the cut divides, or the byte order mark after it, if it is
    /// forbidden.
    fn at_cut(&self, next: &Self, bits: u32) -> Option<Found> {
        let (before, tail) = self.part.split_tail();
        let first = next.part.first_bytes();
        let (mut border, len) = ([0; 6], tail.len() + first.len());
        border[..tail.len()].copy_from_slice(tail);
        border[tail.len()..len].copy_from_slice(first);
        let character = border[..len].utf8_chunks().next()?.valid().chars().next()?;
        // All other characters that begin after the cut are found in their part.
        if tail.is_empty() && character != '\u{FEFF}' {
            return None;
        }
        let class = forbidden_class(bits, character, before.is_empty())?;
        Found { before: Part::default(), character, class }.after(&before)
    }

    /// Returns the counts of the text, if this part is the whole text, and is UTF-8 without a
    /// forbidden character.
    ///
    /// # Errors
    ///
    /// Returns the first ill-formed sequence or forbidden character, whichever comes first. A
    /// character that the start or the end of the text cuts off is an error here.
    ///
    /// ```
    /// use trust8_profile::{Profile, ProfilePart};
    ///
    /// let part = ProfilePart::of(&Profile::POSTGRES, "naïve".as_bytes());
    /// assert_eq!(part.finish().unwrap().chars(), 5);
    /// let error = ProfilePart::of(&Profile::POSTGRES, b"na\0").finish().unwrap_err();
    /// assert_eq!(error.valid_up_to(), 2);
    /// ```
    pub fn finish(&self) -> Result<Tally, ProfilePartError> {
        let Some(Found { before, character, class }) = self.found else { return Ok(self.part.finish()?) };
        let before = before.finish()?;
        Err(ProfilePartError::Forbidden { found: Forbidden::new(before.bytes(), character, class), before })
    }

    /// Returns the number of bytes.
    ///
    /// ```
    /// use trust8_profile::{Profile, ProfilePart};
    /// assert_eq!(ProfilePart::of(&Profile::TERMINAL, b"any \xFF bytes").len(), 11);
    /// ```
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.part.len()
    }

    /// Returns whether this is the empty part.
    ///
    /// ```
    /// assert!(trust8_profile::ProfilePart::default().is_empty());
    /// ```
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.part.is_empty()
    }

    /// Returns whether the part has an error, whatever comes before and after it. Later parts need
    /// not be judged.
    ///
    /// ```
    /// use trust8_profile::{Profile, ProfilePart};
    ///
    /// assert!(ProfilePart::of(&Profile::TERMINAL, b"a\x1B[m").has_failed());
    /// assert!(!ProfilePart::of(&Profile::TERMINAL, b"\x9Ba\xC2").has_failed());
    /// ```
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.found.is_some() || self.part.has_failed()
    }

    /// Returns the judgement as bytes, to send or store. They are the same on all machines.
    ///
    /// ```
    /// use trust8_profile::{Profile, ProfilePart};
    ///
    /// let part = ProfilePart::of(&Profile::TERMINAL, b"sent to another machine\0 \xE2");
    /// assert_eq!(ProfilePart::from_bytes(&part.to_bytes()), Some(part));
    /// ```
    #[must_use]
    pub fn to_bytes(&self) -> [u8; Self::LEN] {
        let (before, number) = match self.found {
            Some(found) => (found.before, u32::from(found.character)),
            None => (Part::default(), Self::NONE),
        };
        let mut bytes = [0; Self::LEN];
        let (numbers, parts) = bytes.split_at_mut(8);
        numbers[..4].copy_from_slice(&self.bits.to_le_bytes());
        numbers[4..].copy_from_slice(&number.to_le_bytes());
        parts[..Part::LEN].copy_from_slice(&self.part.to_bytes());
        parts[Part::LEN..].copy_from_slice(&before.to_bytes());
        bytes
    }

    /// Returns the judgement with these [`bytes`](Self::to_bytes), or `None` if they are malformed.
    ///
    /// The text is not checked again: trust the judgement as much as its sender.
    ///
    /// ```
    /// use trust8_profile::ProfilePart;
    ///
    /// let empty = ProfilePart::default();
    /// assert_eq!(ProfilePart::from_bytes(&empty.to_bytes()), Some(empty));
    /// assert_eq!(ProfilePart::from_bytes(&[0xFF; ProfilePart::LEN]), None);
    /// ```
    #[must_use]
    pub fn from_bytes(bytes: &[u8; Self::LEN]) -> Option<Self> {
        let (&bits, rest) = bytes.split_first_chunk()?;
        let (&number, rest) = rest.split_first_chunk()?;
        let (part, rest) = rest.split_first_chunk()?;
        let (bits, part) = (u32::from_le_bytes(bits), Part::from_bytes(part)?);
        let before = Part::from_bytes(rest.first_chunk()?)?;
        let found = match u32::from_le_bytes(number) {
            Self::NONE => None,
            number => {
                let character = char::from_u32(number)?;
                let class = forbidden_class(bits, character, before.is_empty())?;
                Some(Found { before, character, class })
            }
        };
        let part = Self { part, bits, found };
        (part.is_possible() && part.to_bytes() == *bytes).then_some(part)
    }

    /// Returns whether the lengths and the first bytes agree.
    fn is_possible(&self) -> bool {
        let is_found = |found: &Found| {
            let up_to_end = found.up_to_end();
            !up_to_end.has_failed()
                && up_to_end.len() <= self.len()
                && self.part.first_bytes().starts_with(up_to_end.first_bytes())
        };
        Profile::from_bits(self.bits).bits() == self.bits && self.found.as_ref().is_none_or(is_found)
    }
}

/// The empty part.
impl Default for ProfilePart {
    fn default() -> Self {
        Self { part: Part::default(), bits: 0, found: None }
    }
}

/// The first place at which a text that was judged in parts is not UTF-8 or has a forbidden
/// character, with its line and its column.
///
/// ```
/// use trust8_profile::{Profile, ProfilePart, ProfilePartError};
///
/// let error = ProfilePart::of(&Profile::TERMINAL, b"ok\n\x1B[2J").finish().unwrap_err();
/// assert!(matches!(error, ProfilePartError::Forbidden { found, .. } if found.offset() == 3));
/// assert!(error.to_string().starts_with("forbidden character at byte 3: U+001B is"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ProfilePartError {
    /// The text is not UTF-8.
    NotUtf8(PartError),
    /// The profile forbids a character.
    Forbidden {
        /// The character.
        found: Forbidden,
        /// The counts of the text before it.
        before: Tally,
    },
}

impl ProfilePartError {
    /// Returns how many bytes before the error are text that the profile allows.
    ///
    /// ```
    /// use trust8_profile::{Profile, ProfilePart};
    /// let error = ProfilePart::of(&Profile::POSTGRES, b"ab\0").finish().unwrap_err();
    /// assert_eq!(error.valid_up_to(), 2);
    /// ```
    #[must_use]
    pub const fn valid_up_to(&self) -> u64 {
        self.before().bytes()
    }

    /// Returns the length of the ill-formed sequence or of the character, or `None` if the text
    /// ends inside a character.
    ///
    /// ```
    /// use trust8_profile::{Profile, ProfilePart};
    /// let error = ProfilePart::of(&Profile::TERMINAL, b"\xC2\x9B").finish().unwrap_err();
    /// assert_eq!(error.error_len(), Some(2));
    /// ```
    #[must_use]
    pub const fn error_len(&self) -> Option<usize> {
        match self {
            Self::NotUtf8(error) => error.error_len(),
            Self::Forbidden { found, .. } => Some(found.character().len_utf8()),
        }
    }

    /// Returns the line of the error: how many newlines come before it, plus one.
    ///
    /// ```
    /// use trust8_profile::{Profile, ProfilePart};
    /// assert_eq!(ProfilePart::of(&Profile::POSTGRES, b"\n\n\0").finish().unwrap_err().line(), 3);
    /// ```
    #[must_use]
    pub const fn line(&self) -> u64 {
        self.before().newlines().saturating_add(1)
    }

    /// Returns the column of the error: how many characters of the line come before it, plus one.
    ///
    /// ```
    /// use trust8_profile::{Profile, ProfilePart};
    /// let part = ProfilePart::of(&Profile::POSTGRES, b"\n\xC3\xA9\0");
    /// assert_eq!(part.finish().unwrap_err().column(), 2);
    /// ```
    #[must_use]
    pub const fn column(&self) -> u64 {
        self.before().line_chars().saturating_add(1)
    }

    /// Returns the counts of the text before the error.
    ///
    /// ```
    /// use trust8_profile::{Profile, ProfilePart};
    /// let part = ProfilePart::of(&Profile::POSTGRES, b"n\xC3\xA9e\0");
    /// assert_eq!(part.finish().unwrap_err().before().chars(), 3);
    /// ```
    #[must_use]
    pub const fn before(&self) -> Tally {
        match self {
            Self::NotUtf8(error) => error.before(),
            Self::Forbidden { before, .. } => *before,
        }
    }
}

impl fmt::Display for ProfilePartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotUtf8(error) => error.fmt(f),
            Self::Forbidden { found, .. } => found.fmt(f),
        }
    }
}

impl core::error::Error for ProfilePartError {}

impl From<PartError> for ProfilePartError {
    fn from(error: PartError) -> Self {
        Self::NotUtf8(error)
    }
}
