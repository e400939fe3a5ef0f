//! All errors of a text, in order.

#![forbid(unsafe_code)]

use core::fmt;
use core::iter::{FusedIterator, Peekable};

use trust8::{Kernel, Utf8Chunks, Utf8Error};

use super::class::Class;
use super::context::WINDOW_BYTES;
use super::error::{Forbidden, ProfileError};
use super::sieve::Suspects;
use super::{Edges, Profile, Rules, first_number};

/// Iterates over the ill-formed sequences and forbidden characters of a text. See
/// [`Profile::errors`].
#[derive(Clone, Debug)]
pub struct ProfileErrors<'a> {
    profile: &'a Profile,
    kernel: &'static Kernel,
    chunks: Utf8Chunks<'a>,
    /// The valid part of a chunk, its offset, and the search in it.
    text: &'a [u8],
    offset: usize,
    suspects: Suspects,
    row: Row,
    /// The ill-formed sequence after the valid part.
    next: Option<Utf8Error>,
    /// The length of the whole text.
    len: usize,
}

impl<'a> ProfileErrors<'a> {
    pub(super) fn new(profile: &'a Profile, kernel: &'static Kernel, bytes: &'a [u8]) -> Self {
        let chunks = kernel.utf8_chunks(bytes);
        Self { chunks, len: bytes.len(), ..Self::of_text(profile, kernel, "") }
    }

    pub(super) fn of_text(profile: &'a Profile, kernel: &'static Kernel, text: &'a str) -> Self {
        let (chunks, suspects, text) = (kernel.utf8_chunks(&[]), Suspects::new(0, 0), text.as_bytes());
        Self {
            profile,
            kernel,
            chunks,
            text,
            offset: 0,
            suspects,
            row: Row::NONE,
            next: None,
            len: text.len(),
        }
    }

    /// Returns the errors with each run of forbidden characters as one: 400 variation selectors in a
    /// row are one finding.
    ///
    /// ```
    /// use trust8_profile::Profile;
    ///
    /// let text = "x\u{E0101}\u{E0102}\u{E0103}y\0".as_bytes();
    /// let runs: Vec<_> = Profile::SOURCE_CODE.errors(text).runs().collect();
    /// assert_eq!(runs.len(), 2);
    /// assert_eq!((runs[0].range(), runs[0].characters()), (1..13, 3));
    /// ```
    #[must_use]
    pub fn runs(self) -> ProfileRuns<'a> {
        ProfileRuns { len: self.len, errors: self.peekable() }
    }

    /// Returns the next forbidden character of the valid part.
    #[inline(always)]
    pub(super) fn forbidden(&mut self) -> Option<Forbidden> {
        // What is not UTF-8 ends the context.
        let edges = Edges { is_start: self.offset == 0, is_end: true };
        while let Some(at) = self.suspects.next(self.kernel, self.text, &self.profile.sieve) {
            if let Some(found) = self.look(at, edges) {
                self.row.add(found);
                return Some(found.after(self.offset as u64));
            }
        }
        None
    }

    /// Returns the character at byte `at` of the valid part, if the profile forbids it.
    #[inline(always)]
    fn look(&self, at: usize, edges: Edges) -> Option<Forbidden> {
        if self.row.end == at as u64 {
            let same = self.row.same(self.text, at);
            let found = same.or_else(|| self.row.alike(self.text, at, self.profile.rules()));
            if found.is_some() {
                return found;
            }
        }
        self.profile.look(self.text, at, edges, self.suspects.near(at))
    }
}

impl Iterator for ProfileErrors<'_> {
    type Item = ProfileError;

    fn next(&mut self) -> Option<ProfileError> {
        loop {
            if let Some(found) = self.forbidden() {
                return Some(found.into());
            }
            if let Some(error) = self.next.take() {
                return Some(error.into());
            }
            let chunk = self.chunks.next()?;
            (self.text, self.offset) = (chunk.valid().as_bytes(), chunk.offset());
            (self.suspects, self.row) = (Suspects::new(0, 0), Row::NONE);
            self.next = chunk.error();
        }
    }
}

impl FusedIterator for ProfileErrors<'_> {}

/// The forbidden characters directly before another one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    last: Forbidden,
    /// Where it ends.
    end: u64,
    /// How many are directly before one another, of this class and the same.
    alike: usize,
    same: usize,
}

impl Row {
    pub(super) const NONE: Self =
        Self { last: Forbidden::new(0, '\0', Class::Nul), end: 0, alike: 0, same: 0 };

    /// Returns the character at byte `at` of valid text if it continues a row, the two after it also do, and the row is longer than what rules
    /// look at. Then its context is as that of the one before, and the verdict is, too.
    #[inline(always)]
    pub(super) fn same(&self, text: &[u8], at: usize) -> Option<Forbidden> {
        /// More bytes than rules look at.
        const ENOUGH: usize = WINDOW_BYTES + 8;
        if self.same < ENOUGH || self.end != at as u64 {
            return None;
        }
        let len = self.last.character().len_utf8();
        let is_same = text.get(at - len..at + 2 * len)? == text.get(at..at + 3 * len)?;
        is_same.then_some(Forbidden::new(at as u64, self.last.character(), self.last.class()))
    }

    /// Returns the character at byte `at` of valid text, directly after the last one of that text, if the class of both says that it is
    /// forbidden: no joiner, selector, tag or mark of direction is at home after a stray of its class, nor a private-use character after
    /// four, and a mark after a ninth one is a tenth: the search shows U+0300 to U+036F only after one another.
    #[inline(always)]
    fn alike(&self, text: &[u8], at: usize, rules: Rules) -> Option<Forbidden> {
        use Class::{PrivateUseRun, StackedMarks, StrayJoiner, StrayMark, StraySelector, StrayTag};
        let class = self.last.class();
        let enough = match class {
            StackedMarks | StrayJoiner | StrayMark | StraySelector | StrayTag => 1,
            PrivateUseRun => 4,
            _ => return None,
        };
        let character = char::from_u32(first_number(text.get(at..)?).0)?;
        let [anywhere, by_context] = Class::looked_up(character.into())?;
        let is_alike = self.alike >= enough && by_context == class;
        (is_alike && !rules.forbid_anywhere(anywhere, false))
            .then_some(Forbidden::new(at as u64, character, class))
    }

    /// Adds a forbidden character.
    #[inline(always)]
    pub(super) fn add(&mut self, found: Forbidden) {
        let is_alike = self.end == found.offset() && self.last.class() == found.class();
        let is_same = is_alike && self.last.character() == found.character();
        self.alike = if is_alike { self.alike + 1 } else { 1 };
        self.same = if is_same { self.same + 1 } else { 1 };
        (self.last, self.end) = (found, found.end());
    }
}

/// An error of a text: an ill-formed sequence, or a run of forbidden characters. See
/// [`ProfileErrors::runs`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Run {
    first: ProfileError,
    end: usize,
    characters: usize,
}

impl Run {
    /// Returns the ill-formed sequence, or the first character of the run.
    #[must_use]
    pub const fn first(&self) -> ProfileError {
        self.first
    }

    /// Returns where the run is in the text.
    #[must_use]
    pub const fn range(&self) -> core::ops::Range<usize> {
        self.first.valid_up_to()..self.end
    }

    /// Returns how many forbidden characters the run has, or 1 for an ill-formed sequence.
    #[must_use]
    pub const fn characters(&self) -> usize {
        self.characters
    }
}

/// Writes the message of the first error, and how many characters follow it in the run.
impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.first.fmt(f)?;
        match self.characters {
            1 => Ok(()),
            _ => write!(f, ", the first of {} up to byte {}", self.characters, self.end),
        }
    }
}

/// Iterates over the errors of a text, with each run of forbidden characters as one. See
/// [`ProfileErrors::runs`].
#[derive(Clone, Debug)]
pub struct ProfileRuns<'a> {
    errors: Peekable<ProfileErrors<'a>>,
    len: usize,
}

impl Iterator for ProfileRuns<'_> {
    type Item = Run;

    fn next(&mut self) -> Option<Run> {
        let first = self.errors.next()?;
        let mut last = match first {
            ProfileError::Forbidden(found) => found,
            ProfileError::NotUtf8(error) => {
                let end = error.error_len().map_or(self.len, |len| error.valid_up_to() + len);
                return Some(Run { first, end, characters: 1 });
            }
        };
        let mut characters = 1;
        let joins = |last: &Forbidden, next: &ProfileError| matches!(next, ProfileError::Forbidden(next) if last.end() == next.offset() && last.class().joins(next.class()));
        while let Some(ProfileError::Forbidden(next)) = self.errors.next_if(|next| joins(&last, next)) {
            last = next;
            characters += 1;
        }
        Some(Run { first, end: last.end() as usize, characters })
    }
}

impl FusedIterator for ProfileRuns<'_> {}
