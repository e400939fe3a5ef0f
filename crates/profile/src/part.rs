//! Parts of a text that are judged separately, with a profile, and joined.
//!
//! ```text
//! the judgement on a part:   that of the library: whether it is UTF-8, and its counts
//!                            the first forbidden character, and the judgement on what is before it
//! ```
//!
//! A character that a cut divides is in neither part, and one near a cut may depend on the other
//! part: on at most 64 bytes before it, and on the next character. So a judgement keeps the first
//! and the last bytes of its part, and judges what is near the ends when parts are joined, or when the
//! text ends. What the part alone decides is *settled*.

#![forbid(unsafe_code)]

use core::fmt;

use trust8::Kernel;
use trust8::engine::is_inside;
use trust8_counts::{KernelCounts, Part, PartError, Tally};

use super::class::Class;
use super::context::WINDOW_BYTES;
use super::error::Forbidden;
use super::{Edges, Profile, ProfileWith, Rules};

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
    /// The judgement on all but the last [`CUT_BYTES`] bytes.
    core: Part,
    /// The bits of the profile.
    bits: u64,
    first: Bytes,
    last: Bytes,
    /// The first settled character that is forbidden. A byte order mark at the start does not count.
    found: Option<Found>,
}

/// How many bytes a character and the start of the next one have, at most.
const CUT_BYTES: usize = 8;

/// How many bytes at the start or the end of a part decide about characters near it.
const NEAR_BYTES: usize = WINDOW_BYTES + CUT_BYTES;

/// Bytes at an end of a part: at most [`NEAR_BYTES`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Bytes {
    bytes: [u8; NEAR_BYTES],
    len: u8,
}

impl Bytes {
    const NONE: Self = Self { bytes: [0; NEAR_BYTES], len: 0 };

    fn all(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or_default()
    }

    fn first_of(bytes: &[u8]) -> Self {
        let mut first = Self::NONE;
        let len = bytes.len().min(NEAR_BYTES);
        first.bytes[..len].copy_from_slice(&bytes[..len]);
        first.len = len as u8;
        first
    }

    fn last_of(bytes: &[u8]) -> Self {
        Self::first_of(&bytes[bytes.len().saturating_sub(NEAR_BYTES)..])
    }

    /// Returns the bytes after the core.
    fn after_core(&self) -> &[u8] {
        let all = self.all();
        &all[all.len().saturating_sub(CUT_BYTES)..]
    }
}

/// The last bytes of a part, and the first ones of the next.
struct Border {
    bytes: [u8; 2 * NEAR_BYTES],
    cut: usize,
    len: usize,
}

impl Border {
    fn new(last: &Bytes, first: &Bytes) -> Self {
        let (last, first) = (last.all(), first.all());
        let (mut bytes, cut, len) = ([0; 2 * NEAR_BYTES], last.len(), last.len() + first.len());
        bytes[..cut].copy_from_slice(last);
        bytes[cut..len].copy_from_slice(first);
        Self { bytes, cut, len }
    }

    fn all(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

/// Returns the bytes up to the first ill-formed or unfinished sequence.
fn valid_start(bytes: &[u8]) -> &[u8] {
    bytes.utf8_chunks().next().map_or(&[], |chunk| chunk.valid().as_bytes())
}

/// A forbidden character of a part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Found {
    /// The judgement on what comes before it in the part, which has not failed and has no tail.
    before: Part,
    character: char,
    class: Class,
}

/// A forbidden character, and where it is in some bytes.
type Place = (usize, char, Class);

/// Returns the first forbidden character of bytes that the bytes alone settle. `find` returns the first
/// one of valid text that its last argument wants.
fn settled(
    kernel: &Kernel,
    bytes: &[u8],
    find: impl Fn(&[u8], Edges, &dyn Fn(&Forbidden) -> bool) -> Option<Forbidden>,
) -> Option<Place> {
    let head = (0..bytes.len().min(3)).take_while(|&at| is_inside(bytes, at)).count();
    let text = &bytes[head..];
    let (valid, is_end) = match kernel.from_utf8(text) {
        Ok(_) => (text.len(), false),
        // An unfinished character may be what comes next.
        Err(error) => (error.valid_up_to(), error.error_len().is_some()),
    };
    let found = find(&text[..valid], Edges { is_start: head == 0, is_end }, &|found| {
        let has_context = head + found.offset() as usize >= WINDOW_BYTES;
        let has_next = is_end || (found.end() as usize) < valid;
        !found.class().is_contextual() || has_context && has_next && found.class().needs_next()
    })?;
    Some((head + found.offset() as usize, found.character(), found.class()))
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
    pub const LEN: usize = 2 * Part::LEN + 2 * (NEAR_BYTES + 1) + 12;

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
        let core = kernel.part(&bytes[..bytes.len().saturating_sub(CUT_BYTES)]);
        let find = |text: &[u8], edges, keep: &dyn Fn(&Forbidden) -> bool| {
            profile.find(kernel, text, edges, |found| keep(&found).then_some(found))
        };
        let found = settled(kernel, bytes, find).map(|(at, character, class)| Found {
            before: kernel.part(&bytes[..at]),
            character,
            class,
        });
        let (first, last) = (Bytes::first_of(bytes), Bytes::last_of(bytes));
        Self { core, bits: profile.bits(), first, last, found }
    }

    /// Returns the judgement on whether it is UTF-8.
    fn part(&self) -> Part {
        self.core.then(&Part::of(self.last.after_core()))
    }

    /// Returns the judgement on this part and the one after it, as one part.
    ///
    /// With one profile, the operation is associative, and the empty part is its identity. If the
    /// parts were judged with different profiles, characters near the cut are checked with both.
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
        if self.is_empty() || next.is_empty() {
            return if self.is_empty() { *next } else { *self };
        }
        let (part, border) = (self.part(), Border::new(&self.last, &next.first));
        let bits = self.bits | next.bits;
        let mut found = self.found;
        if found.is_none() {
            let find = |text: &[u8], edges, keep: &dyn Fn(&Forbidden) -> bool| {
                Rules { bits }.find(text, edges, keep)
            };
            found = settled(Kernel::best(), border.all(), find)
                .and_then(|place| self.at_border(next, &border, place));
            let later = next.found.and_then(|found| found.after(&part));
            found = match (found, later) {
                (Some(one), Some(other)) if other.before.len() < one.before.len() => later,
                (None, _) => later,
                _ => found,
            };
        }
        // The last bytes of both, if the next part has fewer.
        let core = if next.len() >= CUT_BYTES as u64 {
            part.then(&next.core)
        } else {
            let rest = self.last.after_core().len() + next.last.all().len();
            let rest = &border.all()[border.len - rest..];
            self.core.then(&Part::of(&rest[..rest.len().saturating_sub(CUT_BYTES)]))
        };
        let joined = |short: &Bytes, long: &Bytes| usize::from(short.len) < NEAR_BYTES && long.len > 0;
        let first = if joined(&self.first, &next.first) { Bytes::first_of(border.all()) } else { self.first };
        let last = if joined(&next.last, &self.last) {
            Bytes::last_of(Border::new(&self.last, &next.last).all())
        } else {
            next.last
        };
        Self { core, bits, first, last, found }
    }

    /// Returns a forbidden character of the border with the next part, unless that part has settled
    /// it, or there is an error before it.
    fn at_border(&self, next: &Self, border: &Border, (at, character, class): Place) -> Option<Found> {
        let before = if at < border.cut {
            let core = border.cut - self.last.after_core().len();
            self.core.then(&Part::of(border.all().get(core..at)?))
        } else if at < border.cut + WINDOW_BYTES {
            self.part().then(&Part::of(next.first.all().get(..at - border.cut)?))
        } else {
            return None;
        };
        Found { before: Part::default(), character, class }.after(&before)
    }

    /// Returns the first forbidden character, if this part is the whole text.
    fn first_forbidden(&self) -> Option<Found> {
        let rules = Rules { bits: self.bits };
        let is_short = usize::from(self.first.len) < NEAR_BYTES;
        let sooner = |one: Option<Found>, other: Option<Found>| match (one, other) {
            (Some(one), Some(other)) if other.before.len() < one.before.len() => Some(other),
            (one, other) => one.or(other),
        };
        // What the start of the text decides. Another character is after these, or what is not UTF-8.
        let first = valid_start(self.first.all());
        let early = rules.find(first, Edges::WHOLE, |found| is_short || found.offset() < WINDOW_BYTES as u64);
        let early = early.map(|found| Found {
            before: Part::of(&first[..found.offset() as usize]),
            character: found.character(),
            class: found.class(),
        });
        // The last character, which no other one follows.
        let last = self.last.all();
        let core = last.len() - self.last.after_core().len();
        let head = (0..last.len().min(3)).take_while(|&at| is_inside(last, at)).count();
        let text = valid_start(&last[head..]);
        let edges = Edges { is_start: is_short && head == 0, is_end: true };
        let late = rules.find(text, edges, |found| found.end() as usize == text.len());
        let late = late.and_then(|found| {
            let before = self.core.then(&Part::of(last.get(core..head + found.offset() as usize)?));
            Found { before: Part::default(), character: found.character(), class: found.class() }
                .after(&before)
        });
        sooner(sooner(early, self.found), late)
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
        let Some(Found { before, character, class }) = self.first_forbidden() else {
            return Ok(self.part().finish()?);
        };
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
        let after_core =
            if self.last.len as usize > CUT_BYTES { CUT_BYTES as u64 } else { self.last.len as u64 };
        self.core.len() + after_core
    }

    /// Returns whether this is the empty part.
    ///
    /// ```
    /// assert!(trust8_profile::ProfilePart::default().is_empty());
    /// ```
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
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
        self.found.is_some() || self.part().has_failed()
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
            Some(found) => (found.before, u32::from(found.character) | u32::from(found.class.code()) << 24),
            None => (Part::default(), Self::NONE),
        };
        let mut bytes = [0; Self::LEN];
        let mut rest = &mut bytes[..];
        for part in [
            &self.bits.to_le_bytes()[..],
            &number.to_le_bytes(),
            &self.core.to_bytes(),
            &before.to_bytes(),
            &self.first.bytes,
            &[self.first.len],
            &self.last.bytes,
            &[self.last.len],
        ] {
            let (to, after) = rest.split_at_mut(part.len());
            to.copy_from_slice(part);
            rest = after;
        }
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
        let (core, rest) = rest.split_first_chunk()?;
        let (before, rest) = rest.split_first_chunk()?;
        let (&first, rest) = rest.split_first_chunk()?;
        let (&[first_len], rest) = rest.split_first_chunk()?;
        let (&last, rest) = rest.split_first_chunk()?;
        let first = Bytes { bytes: first, len: first_len };
        let last = Bytes { bytes: last, len: *rest.first()? };
        let (bits, before) = (u64::from_le_bytes(bits), Part::from_bytes(before)?);
        let found = match u32::from_le_bytes(number) {
            Self::NONE => None,
            number => {
                let class = *Class::ALL.get((number >> 24) as usize)?;
                Some(Found { before, character: char::from_u32(number & 0xFF_FFFF)?, class })
            }
        };
        let part = Self { core: Part::from_bytes(core)?, bits, first, last, found };
        (part.is_possible() && part.to_bytes() == *bytes).then_some(part)
    }

    /// Returns whether the lengths, the first bytes and the classes agree.
    fn is_possible(&self) -> bool {
        let is_whole = |bytes: &Bytes| {
            usize::from(bytes.len) <= NEAR_BYTES
                && bytes.bytes[usize::from(bytes.len)..].iter().all(|&byte| byte == 0)
        };
        if !is_whole(&self.first) || !is_whole(&self.last) || self.core.len() > u64::MAX - CUT_BYTES as u64 {
            return false;
        }
        let len = self.len();
        let near = len.min(NEAR_BYTES as u64);
        if (u64::from(self.first.len), u64::from(self.last.len)) != (near, near)
            || len <= NEAR_BYTES as u64 && self.first != self.last
        {
            return false;
        }
        let part = self.part();
        let is_found = |found: &Found| {
            let up_to_end = found.up_to_end();
            Class::looked_up(found.character.into()).is_some_and(|classes| classes.contains(&found.class))
                && Rules { bits: self.bits }.forbids(found.class)
                && (found.class.needs_next() || !found.class.is_contextual())
                && !up_to_end.has_failed()
                && up_to_end.len() <= len
                && part.first_bytes().starts_with(up_to_end.first_bytes())
        };
        self.bits >> Class::ALL.len() == 0
            && self.first.all().starts_with(part.first_bytes())
            && self.found.as_ref().is_none_or(is_found)
    }
}

/// The empty part.
impl Default for ProfilePart {
    fn default() -> Self {
        Self { core: Part::default(), bits: 0, first: Bytes::NONE, last: Bytes::NONE, found: None }
    }
}

/// The first place at which a text that was judged in parts is not UTF-8 or has a forbidden
/// character, with its line and its column. There will be no other variants or fields.
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

#[cfg(feature = "std")]
trust8::engine::into_io_errors!(InvalidData: ProfilePartError;);

impl From<PartError> for ProfilePartError {
    fn from(error: PartError) -> Self {
        Self::NotUtf8(error)
    }
}
