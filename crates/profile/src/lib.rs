//! Finds valid but harmful text during validation.
//!
//! A [`Profile`] is a set of [classes](Class) of forbidden characters: NUL, controls,
//! noncharacters, bidirectional controls, invisible characters. Some presets follow other
//! specifications, such as [`Profile::XML_1_0`]. Others are for places where text does harm, such
//! as [`Profile::TERMINAL`].
//!
//! ```
//! use trust8_profile::{Class, Profile};
//!
//! assert_eq!(Profile::POSTGRES.from_utf8(b"caf\xC3\xA9"), Ok("café"));
//! assert!(Profile::POSTGRES.from_utf8(b"caf\0").is_err());
//!
//! const LINE: Profile = Profile::TERMINAL.forbid(Class::LineFeed).forbid(Class::CarriageReturn);
//! let error = LINE.from_utf8(b"user=\x1B[2J").unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "forbidden character at byte 5: U+001B is a control that terminals may take for a command"
//! );
//! ```
//!
//! Most classes are fixed lists of code points. Others judge invisible characters by the text around
//! them: joiners in Persian, the flag of Wales and the selectors of emoji pass, and data that is
//! hidden in the same characters does not. No verdict changes with a version of Unicode. Profiles do
//! not cover lookalike characters, normal forms or unassigned code points.
//! `docs/profiles.md` in the repository lists all classes and presets.
//!
//! Text is validated and searched while it is in the cache.

#![cfg_attr(not(test), no_std)]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod census;
mod class;
mod context;
mod error;
mod errors;
mod lanes;
mod names;
mod part;
mod patterns;
mod plain;
#[cfg(feature = "alloc")]
mod repair;
mod rows;
#[cfg(feature = "serde")]
mod serialize;
mod sieve;
mod table;
mod tail;
mod validator;
#[cfg(feature = "std")]
mod writer;

use core::fmt;

pub use census::Census;
pub use class::Class;
pub use error::{Forbidden, ProfileError, ProfileStreamError};
pub use errors::{ProfileErrors, ProfileRuns, Run};
pub use part::{ProfilePart, ProfilePartError};
#[cfg(feature = "alloc")]
pub use repair::{ProfilePolicy, Repairer};
pub use rows::{RefusedRows, refused_rows};
pub use validator::ProfileValidator;
#[cfg(feature = "std")]
pub use writer::ProfileWriter;

use context::{Around, NONE, Near, Neighbour};
use lanes::Sieve;
use sieve::Suspects;
use trust8::engine::{AsKernel, Sequence};
use trust8::{Kernel, Utf8Error};

/// The functions of this crate with an explicit kernel: for tests, measurements, and programs that
/// let their user choose.
///
/// ```
/// use trust8_profile::{KernelProfiles, Profile};
///
/// for kernel in trust8::Kernel::available() {
///     assert!(kernel.profile(&Profile::POSTGRES).from_utf8(b"a\0").is_err());
/// }
/// ```
pub trait KernelProfiles: AsKernel {
    /// Returns a profile whose functions use this kernel.
    #[inline]
    #[must_use]
    fn profile<'a>(&'static self, profile: &'a Profile) -> ProfileWith<'a> {
        ProfileWith(self.kernel(), profile)
    }

    /// Does the same as [`ProfileValidator::push`], with this kernel.
    ///
    /// # Errors
    ///
    /// Returns the errors of that function.
    fn push_profile(
        &'static self,
        validator: &mut ProfileValidator,
        piece: &[u8],
    ) -> Result<(), ProfileStreamError> {
        validator.decode_with(self.kernel(), piece).1
    }
}

impl KernelProfiles for Kernel {}

/// A profile whose functions use a kernel: see [`KernelProfiles::profile`].
#[derive(Clone, Copy, Debug)]
pub struct ProfileWith<'a>(&'static Kernel, &'a Profile);

impl<'a> ProfileWith<'a> {
    /// Does the same as [`Profile::from_utf8`], with this kernel.
    ///
    /// # Errors
    ///
    /// Returns the errors of that function.
    #[inline(always)]
    pub fn from_utf8(self, bytes: &[u8]) -> Result<&str, ProfileError> {
        let Self(kernel, profile) = self;
        // A program with a constant profile of other classes gets none of the code for contexts.
        match profile.rules().depend_on_context() {
            true => sieve::plain_text::<true>(kernel, bytes, &profile.sieve)
                .or_else(|plain_to| self.walk_in_context(bytes, plain_to)),
            false => sieve::plain_text::<false>(kernel, bytes, &profile.sieve)
                .or_else(|plain_to| self.walk_anywhere(bytes, plain_to)),
        }
    }

    /// Calls [`sieve::walk`]. What only functions that are not generic call is not exported, and so is called without a table of
    /// addresses.
    #[inline(never)]
    fn walk_in_context(self, bytes: &[u8], plain_to: usize) -> Result<&str, ProfileError> {
        sieve::walk::<true>(self.0, bytes, self.1, plain_to)
    }

    /// The same, for profiles that do not depend on the context.
    #[inline(never)]
    fn walk_anywhere(self, bytes: &[u8], plain_to: usize) -> Result<&str, ProfileError> {
        sieve::walk::<false>(self.0, bytes, self.1, plain_to)
    }

    /// Does the same as [`Profile::check`], with this kernel.
    ///
    /// # Errors
    ///
    /// Returns the errors of that function.
    pub fn check(self, text: &str) -> Result<(), Forbidden> {
        self.1.find(self.0, text.as_bytes(), Edges::WHOLE, Some).map_or(Ok(()), Err)
    }

    /// Does the same as [`Profile::errors`], with this kernel.
    #[must_use]
    pub fn errors(self, bytes: &'a [u8]) -> ProfileErrors<'a> {
        ProfileErrors::new(self.1, self.0, bytes)
    }

    /// Does the same as [`ProfilePart::of`], with this kernel.
    #[must_use]
    pub fn part(self, bytes: &[u8]) -> ProfilePart {
        ProfilePart::judge(self.0, self.1, bytes)
    }
}

/// A set of classes of forbidden characters.
///
/// A profile includes the tables for the kernels. So make it once, preferably as a constant.
///
/// ```
/// use trust8_profile::{Class, Profile};
///
/// const PROFILE: Profile = Profile::new().forbid(Class::Nul).forbid(Class::BidiControl);
/// assert!(PROFILE.is_valid(b"text\n"));
/// assert!(!PROFILE.is_valid("te\u{202E}xt".as_bytes()));
/// ```
#[derive(Clone, Copy)]
pub struct Profile {
    bits: u64,
    sieve: Sieve,
}

/// Returns the bits of these classes.
const fn bits(classes: &[Class]) -> u64 {
    let (mut bits, mut i) = (0, 0);
    while i < classes.len() {
        bits |= 1 << classes[i] as u32;
        i += 1;
    }
    bits
}

/// C0 controls except tab, line feed and carriage return.
const LEGACY_C0: u64 = bits(&[Class::Nul, Class::FormFeed, Class::C0Control]);
/// DEL and C1 controls.
const DELETE_AND_C1: u64 = bits(&[Class::Delete, Class::NextLine, Class::C1Control]);
const NONCHARACTERS: u64 = bits(&[Class::FffeFfff, Class::Noncharacter]);
/// Characters that reorder text, and those that some programs see and others do not.
const REORDERING: u64 = bits(&[Class::BidiControl, Class::Separator]);
/// Invisible characters and marks that have no business where they are.
const STRAYS: u64 = bits(&[
    Class::StrayJoiner,
    Class::StraySelector,
    Class::StrayTag,
    Class::StrayMark,
    Class::StraySpace,
    Class::StrayFiller,
    Class::StackedMarks,
]);
/// Those, and what reorders text.
const HIDING: u64 =
    REORDERING | STRAYS | bits(&[Class::ByteOrderMark, Class::PrivateUseRun, Class::BareCarriageReturn]);

impl Profile {
    /// All Unicode scalar values: UTF-8 itself, and the first subset of RFC 9839.
    pub const SCALARS: Self = Self::from_bits(0);
    /// The characters of XML 1.0, which are the second subset of RFC 9839.
    pub const XML_1_0: Self = Self::from_bits(LEGACY_C0 | bits(&[Class::FffeFfff]));
    /// The third subset of RFC 9839: no legacy controls and no noncharacters.
    pub const ASSIGNABLES: Self = Self::from_bits(LEGACY_C0 | DELETE_AND_C1 | NONCHARACTERS);
    /// The strings of I-JSON (RFC 7493): no noncharacters.
    pub const I_JSON: Self = Self::from_bits(NONCHARACTERS);
    /// The text of PostgreSQL: no NUL.
    pub const POSTGRES: Self = Self::from_bits(bits(&[Class::Nul]));
    /// Text that is shown in a terminal: no control except tab and line ends, no bidirectional
    /// control, and nothing invisible without a purpose.
    pub const TERMINAL: Self = Self::from_bits(
        LEGACY_C0
            | DELETE_AND_C1
            | REORDERING
            | STRAYS
            | bits(&[Class::ByteOrderMark, Class::BareCarriageReturn]),
    );
    /// Source code: nothing that hides code from a reader (CVE-2021-42574). Form feeds
    /// may begin lines.
    pub const SOURCE_CODE: Self =
        Self::from_bits(bits(&[Class::Nul, Class::C0Control]) | DELETE_AND_C1 | NONCHARACTERS | HIDING);
    /// Text for a language model: nothing that hides text from a reader.
    pub const PROMPT: Self = Self::from_bits(LEGACY_C0 | DELETE_AND_C1 | NONCHARACTERS | HIDING);
    /// A single file name: forbids what `PROMPT` forbids, a byte order mark, tabs, line ends and
    /// slashes.
    pub const FILE_NAME: Self = Self::from_bits(
        Self::PROMPT.bits
            | bits(&[Class::Tab, Class::LineFeed, Class::FormFeed, Class::CarriageReturn, Class::Slash])
            | bits(&[Class::LeadingMark]),
    );

    /// The presets and their names, which are stable across versions of this crate.
    ///
    /// ```
    /// use trust8_profile::Profile;
    /// assert!(Profile::PRESETS.contains(&("xml", Profile::XML_1_0)));
    /// ```
    pub const PRESETS: &'static [(&'static str, Self)] = &[
        ("scalars", Self::SCALARS),
        ("xml", Self::XML_1_0),
        ("assignables", Self::ASSIGNABLES),
        ("i-json", Self::I_JSON),
        ("postgres", Self::POSTGRES),
        ("terminal", Self::TERMINAL),
        ("source", Self::SOURCE_CODE),
        ("prompt", Self::PROMPT),
        ("file-name", Self::FILE_NAME),
    ];

    /// Returns a profile that forbids nothing.
    ///
    /// ```
    /// use trust8_profile::Profile;
    /// assert_eq!(Profile::new(), Profile::SCALARS);
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self::SCALARS
    }

    /// Returns the profile that forbids the classes with these [numbers](Class::code). Other bits
    /// are ignored.
    ///
    /// ```
    /// use trust8_profile::Profile;
    /// assert_eq!(Profile::from_bits(1), Profile::POSTGRES);
    /// ```
    #[must_use]
    pub const fn from_bits(bits: u64) -> Self {
        let bits = bits & (u64::MAX >> (64 - Class::ALL.len()));
        let mut sieve = patterns::sieve(bits);
        const ALWAYS: u64 = crate::bits(&[Class::Joiner, Class::ZeroWidth, Class::EmojiSelector]);
        sieve.knows_common = (Rules { bits }).see_all() && bits & ALWAYS == 0;
        Self { bits, sieve }
    }

    /// Returns the forbidden classes, with a bit for each.
    ///
    /// ```
    /// assert_eq!(trust8_profile::Profile::POSTGRES.bits(), 1);
    /// ```
    #[must_use]
    pub const fn bits(&self) -> u64 {
        self.bits
    }

    /// Returns a profile that also forbids a class.
    ///
    /// ```
    /// use trust8_profile::{Class, Profile};
    /// assert!(!Profile::XML_1_0.forbid(Class::Delete).is_valid(b"\x7F"));
    /// ```
    #[must_use]
    pub const fn forbid(self, class: Class) -> Self {
        Self::from_bits(self.bits | 1 << class as u32)
    }

    /// Returns a profile that allows a class.
    ///
    /// ```
    /// use trust8_profile::{Class, Profile};
    /// assert!(Profile::TERMINAL.allow(Class::C0Control).is_valid(b"\x1B[1mbold\x1B[m"));
    /// ```
    #[must_use]
    pub const fn allow(self, class: Class) -> Self {
        Self::from_bits(self.bits & !(1 << class as u32))
    }

    /// Returns whether the profile forbids a class.
    ///
    /// ```
    /// use trust8_profile::{Class, Profile};
    /// assert!(Profile::XML_1_0.forbids(Class::Nul));
    /// assert!(!Profile::XML_1_0.forbids(Class::Delete));
    /// ```
    #[must_use]
    pub const fn forbids(&self, class: Class) -> bool {
        self.bits >> class as u32 & 1 == 1
    }

    /// Returns `bytes` as text if it is UTF-8 without a forbidden character.
    ///
    /// # Errors
    ///
    /// Returns the first ill-formed sequence or forbidden character, whichever comes first.
    ///
    /// ```
    /// use trust8_profile::Profile;
    ///
    /// assert_eq!(Profile::XML_1_0.from_utf8("naïve\n".as_bytes()), Ok("naïve\n"));
    /// assert_eq!(Profile::XML_1_0.from_utf8(b"na\x00ve").unwrap_err().valid_up_to(), 2);
    /// ```
    #[inline(always)]
    pub fn from_utf8<'a>(&self, bytes: &'a [u8]) -> Result<&'a str, ProfileError> {
        ProfileWith(Kernel::best(), self).from_utf8(bytes)
    }

    /// Returns whether `bytes` is UTF-8 without a forbidden character.
    ///
    /// ```
    /// use trust8_profile::Profile;
    /// assert!(!Profile::SOURCE_CODE.is_valid("x = 1;\u{2028}y = 2;".as_bytes()));
    /// ```
    #[inline]
    #[must_use]
    pub fn is_valid(&self, bytes: &[u8]) -> bool {
        self.from_utf8(bytes).is_ok()
    }

    /// Checks text that is known to be UTF-8.
    ///
    /// # Errors
    ///
    /// Returns the first forbidden character.
    ///
    /// ```
    /// use trust8_profile::Profile;
    /// assert!(Profile::FILE_NAME.check("report.txt").is_ok());
    /// assert_eq!(Profile::FILE_NAME.check("../etc/passwd").unwrap_err().offset(), 2);
    /// ```
    pub fn check(&self, text: &str) -> Result<(), Forbidden> {
        ProfileWith(Kernel::best(), self).check(text)
    }

    /// Returns all ill-formed sequences and forbidden characters, in order.
    ///
    /// ```
    /// use trust8_profile::Profile;
    ///
    /// let errors = Profile::POSTGRES.errors(b"a\0b\xFFc\0");
    /// assert!(errors.map(|error| error.valid_up_to()).eq([1, 3, 5]));
    /// ```
    #[must_use]
    pub fn errors<'a>(&'a self, bytes: &'a [u8]) -> ProfileErrors<'a> {
        ProfileWith(Kernel::best(), self).errors(bytes)
    }

    /// Counts the forbidden characters of each class.
    ///
    /// ```
    /// use trust8_profile::{Class, Profile};
    ///
    /// let census = Profile::TERMINAL.census("\x1B[1mbold\x1B[m\u{85}");
    /// assert_eq!((census.count(Class::C0Control), census.count(Class::NextLine)), (2, 1));
    /// assert_eq!(census.total(), 3);
    /// ```
    #[must_use]
    pub fn census(&self, text: &str) -> Census {
        let mut census = Census::new();
        let mut errors = ProfileErrors::of_text(self, Kernel::best(), text);
        while let Some(found) = errors.forbidden() {
            census.add(found.class());
        }
        census
    }

    /// Returns the first error from byte `from` of `bytes` on, where a character or an ill-formed
    /// sequence begins. The bytes before it are its context: at most 64 of them count. A suspect at
    /// the end is an error, unless the text `is_whole` up to there.
    #[doc(hidden)]
    #[must_use]
    pub fn error_from(
        &self,
        kernel: &Kernel,
        bytes: &[u8],
        from: usize,
        is_whole: [bool; 2],
    ) -> Option<ProfileError> {
        let [is_start, is_end] = is_whole;
        // What is not UTF-8 ends the context.
        let far = from.saturating_sub(context::WINDOW_BYTES);
        let start = match trust8::utf8_chunks(&bytes[far..from]).last() {
            Some(last) if last.error().is_some() => from,
            Some(last) => far + last.offset(),
            None => from,
        };
        let edges = Edges { is_start: is_start && start == 0, is_end };
        let text = &bytes[start..];
        let look = |text: &[u8], at, suspects: &Suspects| {
            let found = self.look(text, at, edges, suspects.near(at));
            found.filter(|found| found.offset() as usize >= from - start)
        };
        let found =
            sieve::search::<true>(kernel, text, &self.sieve, (from - start, Suspects::new(0, 0)), look);
        Some(match found.err()? {
            ProfileError::NotUtf8(error) => {
                let at = start + error.valid_up_to();
                Utf8Error::new(at, Sequence::at_start_of(&bytes[at..])).into()
            }
            ProfileError::Forbidden(found) => found.after(start as u64).into(),
        })
    }

    /// Calls `each` with the forbidden characters of valid text until it returns something.
    #[inline(always)]
    fn find<T>(
        &self,
        kernel: &Kernel,
        text: &[u8],
        edges: Edges,
        mut each: impl FnMut(Forbidden) -> Option<T>,
    ) -> Option<T> {
        let mut suspects = Suspects::new(0, 0);
        while let Some(at) = suspects.next(kernel, text, &self.sieve) {
            if let Some(answer) = self.look(text, at, edges, suspects.near(at)).and_then(&mut each) {
                return Some(answer);
            }
        }
        None
    }

    /// Returns the character at byte `at` of valid text, if the profile forbids it. `near` are the suspects before it.
    #[inline(always)]
    fn look(&self, text: &[u8], at: usize, edges: Edges, near: Near) -> Option<Forbidden> {
        let (character, class) = self.rules().look(text, at, edges, near)?;
        Some(Forbidden::new(at as u64, character, class))
    }

    /// Does the same as `look` if no class depends on the context.
    fn look_anywhere(&self, text: &[u8], at: usize, edges: Edges) -> Option<Forbidden> {
        let character = char::from_u32(first_number(text.get(at..)?).0)?;
        let leads = edges.is_start && at == 0;
        let [class, _] = Class::looked_up(character.into())?;
        let is_forbidden = self.rules().forbid_anywhere(class, leads);
        is_forbidden.then_some(Forbidden::new(at as u64, character, class))
    }

    #[inline(always)]
    const fn rules(&self) -> Rules {
        Rules { bits: self.bits }
    }
}

/// The forbidden classes, without the tables of a profile.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    bits: u64,
}

impl Rules {
    const fn forbids(self, class: Class) -> bool {
        self.bits >> class as u32 & 1 == 1
    }

    #[inline(always)]
    const fn depend_on_context(self) -> bool {
        self.bits >> Class::StrayJoiner as u32 != 0
    }

    /// Returns whether the search sees all characters that rules count.
    const fn see_all(self) -> bool {
        self.bits & (STRAYS | REORDERING) == STRAYS | REORDERING
    }

    /// Returns whether a class is forbidden in any context, except that a byte order mark may lead the text.
    fn forbid_anywhere(self, class: Class, leads: bool) -> bool {
        self.forbids(class) && !class.is_contextual() && !(leads && class == Class::ByteOrderMark)
    }

    /// Returns the character at byte `at` of valid text, and the class for which it is forbidden. `near` are the suspects before it.
    #[inline(never)]
    fn look(self, text: &[u8], at: usize, edges: Edges, near: Near) -> Option<(char, Class)> {
        let (before, rest) = text.split_at_checked(at)?;
        let (number, len) = first_number(rest);
        let character = char::from_u32(number)?;
        let [class, by_context] = Class::looked_up(number)?;
        let leads = edges.is_start && at == 0;
        if self.forbid_anywhere(class, leads) {
            return Some((character, class));
        }
        let is_forbidden = self.forbids(by_context)
            && match by_context {
                Class::LeadingMark => leads,
                _ => self.is_stray(before, number, by_context, rest.get(len..)?, edges.is_end, near),
            };
        is_forbidden.then_some((character, by_context))
    }

    /// Returns whether a character has no business between valid texts. Its class is one for [`Around::is_stray`].
    #[inline(always)]
    fn is_stray(
        self,
        before: &[u8],
        number: u32,
        class: Class,
        after: &[u8],
        is_end: bool,
        near: Near,
    ) -> bool {
        let near = if self.see_all() { near } else { context::UNKNOWN };
        // What is in memory before the calls needs no registers during them.
        let mut around = Around { text: before, near, next: Neighbour::EDGE };
        around.next = match first_number(after).0 {
            NONE if !is_end => return true,
            NONE => Neighbour::EDGE,
            // In a run, what follows is as suspect.
            next if next == number => Neighbour::REPEATED,
            next => {
                let seen = Neighbour::new(next);
                // A mark after another character is not one of many. Fillers for the first consonant and
                // the vowel of a syllable depend on the final one. CR is as visible as LF.
                let is_known = seen.is_mark_or_letter() || matches!(next, 0x0D | 0x1160);
                let is_suspect = !is_known && self.may_forbid(next);
                if is_suspect { Neighbour::SUSPECT } else { seen }
            }
        };
        around.is_stray(number, class)
    }

    /// Returns whether a character is forbidden in some context.
    #[inline(always)]
    fn may_forbid(self, number: u32) -> bool {
        Class::looked_up(number).is_some_and(|classes| classes.iter().any(|&class| self.forbids(class)))
    }

    /// Returns the first forbidden character of a short valid text that `keep` wants.
    fn find(self, text: &[u8], edges: Edges, keep: impl Fn(&Forbidden) -> bool) -> Option<Forbidden> {
        let mut at = 0;
        while let Some((_, len @ 1..)) = text.get(at..).map(first_number) {
            let found = self.look(text, at, edges, context::UNKNOWN);
            let found = found.map(|(character, class)| Forbidden::new(at as u64, character, class));
            if let Some(found) = found.filter(&keep) {
                return Some(found);
            }
            at += len;
        }
        None
    }
}

/// What is known of the text at the ends of a part of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edges {
    /// The text begins with the part.
    is_start: bool,
    /// Nothing comes after the part, or what is not UTF-8. Otherwise a character at its end that
    /// depends on the next one counts as forbidden.
    is_end: bool,
}

impl Edges {
    const WHOLE: Self = Self { is_start: true, is_end: true };
}

/// Returns the number of the first character of valid text, or [`NONE`], and its length.
#[inline(never)]
fn first_number(text: &[u8]) -> (u32, usize) {
    let Some(&first) = text.first() else { return (NONE, 0) };
    let (mut number, mut len) = (u32::from(first), 1);
    while let Some(&byte @ 0x80..0xC0) = text.get(len) {
        number = number << 6 | u32::from(byte & 0x3F);
        len += 1;
    }
    // Without the bits for the length.
    (number & !(u32::MAX << (5 * len + 2)), len)
}

impl Default for Profile {
    fn default() -> Self {
        Self::new()
    }
}

impl PartialEq for Profile {
    fn eq(&self, other: &Self) -> bool {
        self.bits == other.bits
    }
}

impl Eq for Profile {}

impl core::hash::Hash for Profile {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        self.bits.hash(state);
    }
}

impl fmt::Debug for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Profile forbidding ")?;
        f.debug_set().entries(Class::ALL.iter().filter(|&&class| self.forbids(class))).finish()
    }
}
