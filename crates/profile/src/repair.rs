//! Replaces each forbidden character in a text.

#![forbid(unsafe_code)]

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;

use trust8::Kernel;

use super::context::{Near, UNKNOWN, WINDOW_BYTES};
use super::errors::Row;
use super::lanes::Sieve;
use super::sieve::Suspects;
use super::{Class, Edges, Forbidden, Profile};

/// What [`Profile::repair`] does with a forbidden character.
///
/// If the replacement itself has a forbidden character, such as `\u{0}` if the profile forbids
/// backslashes, it becomes U+FFFD.
///
/// ```
/// use trust8_profile::{ProfilePolicy, Profile};
///
/// let repair = |policy| Profile::TERMINAL.repair("a\x1B\u{202E}", policy);
/// assert_eq!(repair(ProfilePolicy::Replace), "a\u{FFFD}\u{FFFD}");
/// assert_eq!(repair(ProfilePolicy::Drop), "a");
/// assert_eq!(repair(ProfilePolicy::Escape), "a\\u{1B}\\u{202E}");
/// assert_eq!(repair(ProfilePolicy::Caret), "a^[\\u{202E}");
/// assert_eq!(repair(ProfilePolicy::CharacterReference), "a\u{FFFD}&#x202E;");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ProfilePolicy {
    /// U+FFFD.
    Replace,
    /// Nothing.
    Drop,
    /// `\u{202E}`, as in Rust and JavaScript.
    Escape,
    /// `^[` for a C0 control and `^?` for DEL, as in terminals; others as `Escape`.
    Caret,
    /// `&#x202E;`, as in XML and HTML. XML 1.0 allows no reference to a character that it forbids,
    /// so such a character becomes U+FFFD.
    CharacterReference,
}

impl Profile {
    /// Returns `text` with each forbidden character replaced. The profile allows the result.
    ///
    /// A character that depends on its context is judged in that of the result: of several joiners in
    /// a row between letters of Persian, `Drop` leaves one.
    ///
    /// Bytes that may not be UTF-8 go through [`from_utf8_lossy`](trust8::from_utf8_lossy) first.
    ///
    /// ```
    /// use std::borrow::Cow;
    /// use trust8_profile::{ProfilePolicy, Profile};
    ///
    /// assert!(matches!(Profile::XML_1_0.repair("fine", ProfilePolicy::Drop), Cow::Borrowed("fine")));
    /// let text = trust8::from_utf8_lossy(b"\xFF\0");
    /// assert_eq!(Profile::POSTGRES.repair(&text, ProfilePolicy::Drop), "\u{FFFD}");
    /// ```
    #[must_use]
    pub fn repair<'a>(&self, text: &'a str, policy: ProfilePolicy) -> Cow<'a, str> {
        if self.check(text).is_ok() {
            return Cow::Borrowed(text);
        }
        let mut repaired = String::new();
        self.append(text, text.len(), true, policy, &mut repaired);
        Cow::Owned(repaired)
    }

    /// Appends the first `end` bytes of `text` to `repaired`, with each forbidden character replaced.
    /// Returns how many there were. A character is judged after what is repaired, so that the profile
    /// allows the result.
    fn append(
        &self,
        text: &str,
        end: usize,
        is_start: bool,
        policy: ProfilePolicy,
        repaired: &mut String,
    ) -> u64 {
        let (bytes, mut done, mut count) = (text.as_bytes(), 0, 0);
        // What is common in the text may be a stray in what is repaired.
        let sieve = Sieve { knows_common: false, ..self.sieve };
        let mut suspects = Suspects::new(0, 0);
        // The first character may be suspect only after the last one of `repaired`.
        let (mut first, mut next, mut other) = (Some(0), 0, 0);
        // What replaces each of a row is the same.
        let mut row = Row::NONE;
        // What is judged and left may be counted. What is written is not.
        let mut near = UNKNOWN;
        let older = |near: Near, bytes: usize| near.checked_shr(bytes as u32).unwrap_or(0);
        while let Some(at) = first.take().or_else(|| suspects.next(Kernel::best(), bytes, &sieve)) {
            if at < next {
                continue;
            }
            let Some(character) = text.get(at..).and_then(|rest| rest.chars().next()) else { continue };
            if at >= end {
                break;
            }
            let after = at + character.len_utf8();
            next = after;
            repaired.push_str(&text[done..at]);
            near = older(near, at - done);
            done = after;
            let edges = Edges { is_start: is_start && at == 0, is_end: true };
            let mut class = match row.same(bytes, at) {
                Some(found) => Some(found.class()),
                None => self
                    .class_after(repaired, character, &text[after..], edges, near)
                    .or_else(|| self.stray_pair(&text[at..], repaired)),
            };
            if let Some(class) = class {
                row.add(Forbidden::new(at as u64, character, class));
            }
            let rest = &text[after..];
            // CR may be dropped, and so may a row of blanks.
            let is_cr = |next| next == '\r' && self.rules().may_forbid(0x0D);
            let is_row = |next| is_cr(next) || next == BLANK && character == BLANK;
            if class.is_none() && rest.starts_with(is_row) {
                if other < after {
                    other = text.len() - rest.trim_start_matches(is_row).len();
                }
                let mut judged = |next| self.class_after(repaired, character, next, edges, near);
                class = match other - at >= HELD_BYTES && self.rules().may_forbid(character.into()) {
                    true => Some(Class::StrayFiller),
                    false => judged(rest.trim_start_matches(is_cr)).or_else(|| judged(&text[other..])),
                };
            }
            let leads = repaired.is_empty() && character == '\u{FEFF}' && self.forbids(Class::LeadingMark);
            if class.is_some() || leads {
                let before = repaired.len();
                self.put(character, policy, repaired);
                near = older(near, repaired.len() - before);
                count += 1;
                // The next one may be a mark after another one now. All others are suspects by themselves.
                first = Some(after).filter(|&next| matches!(bytes.get(next), Some(0xCC..=0xCD)));
            } else {
                repaired.push(character);
                near = older(near, after - at) | u64::from(!character.is_ascii()) << (64 - (after - at));
            }
        }
        repaired.push_str(&text[done..end]);
        count
    }

    /// Returns the class for which a character is forbidden between what is repaired and a text. Of that, the first character matters.
    fn class_after(
        &self,
        repaired: &mut String,
        character: char,
        text: &str,
        edges: Edges,
        near: Near,
    ) -> Option<Class> {
        let at = repaired.len();
        repaired.push(character);
        repaired.extend(text.chars().next());
        let found = self.rules().look(repaired.as_bytes(), at, edges, near);
        repaired.truncate(at);
        found.map(|(_, class)| class)
    }

    /// Returns the class of the first character of a text that begins with one of [`PAIRS`] if the second one is a stray after it.
    fn stray_pair(&self, text: &str, repaired: &mut String) -> Option<Class> {
        PAIRS.iter().find(|pair| text.starts_with(*pair))?;
        let mut rest = text.chars();
        let (first, second) = (rest.next()?, rest.next()?);
        repaired.push(first);
        let edges = Edges { is_start: false, is_end: true };
        let class = self.class_after(repaired, second, rest.as_str(), edges, UNKNOWN);
        repaired.pop();
        class
    }

    /// Appends the replacement of a forbidden character.
    fn put(&self, character: char, policy: ProfilePolicy, to: &mut String) {
        let number = u32::from(character);
        let form = match policy {
            ProfilePolicy::Drop => return,
            ProfilePolicy::Replace => None,
            ProfilePolicy::Caret if character.is_ascii_control() => {
                Some(format!("^{}", char::from(number as u8 ^ 0x40)))
            }
            ProfilePolicy::Escape | ProfilePolicy::Caret => Some(format!("\\u{{{number:X}}}")),
            ProfilePolicy::CharacterReference => Profile::XML_1_0
                .check(character.encode_utf8(&mut [0; 4]))
                .ok()
                .map(|()| format!("&#x{number:X};")),
        };
        match form {
            Some(form) if self.check(&form).is_ok() => to.push_str(&form),
            _ => to.push('\u{FFFD}'),
        }
    }
}

/// Pairs of characters: the first one may be at home only because the second one is. Fillers of Hangul, and U+200B before a word.
const PAIRS: [&str; 2] = ["\u{115F}\u{1160}", "\u{200B}\u{200B}"];

/// At the start of a line, it is at home before others and not before a word.
const BLANK: char = '\u{2800}';

/// Those, and what may be before the line feed after them.
const BLANKS: [char; 2] = [BLANK, '\r'];

/// If this many bytes are between a character and the next one that is neither a blank nor CR, the first one is a stray, whatever the
/// next one is: so a stream never holds more of a text.
const HELD_BYTES: usize = 4096;

/// Repairs a text that arrives in pieces, as [`Profile::repair`] does: for the command.
#[doc(hidden)]
#[derive(Debug)]
pub struct Repairer<'a> {
    profile: &'a Profile,
    policy: ProfilePolicy,
    /// The end of the result so far: the context of what comes next.
    context: String,
    /// The last characters so far, if they depend on the next one.
    held: String,
    is_start: bool,
}

impl<'a> Repairer<'a> {
    #[must_use]
    pub const fn new(profile: &'a Profile, policy: ProfilePolicy) -> Self {
        Self { profile, policy, context: String::new(), held: String::new(), is_start: true }
    }

    /// Appends to `out` what is known of the result after the next piece. Returns how many characters
    /// were replaced.
    pub fn push(&mut self, piece: &str, out: &mut String) -> u64 {
        let mut text = core::mem::take(&mut self.held);
        text.push_str(piece);
        let known = text.trim_end_matches('\r');
        let last = known.chars().next_back().filter(|&last| self.profile.rules().may_forbid(last.into()));
        let mut end = known.len() - last.map_or(0, char::len_utf8);
        if let Some(pair) = PAIRS.iter().find(|pair| text.ends_with(*pair)) {
            end = text.len() - pair.len();
        }
        let mut far = text.len().saturating_sub(HELD_BYTES - 1);
        while !text.is_char_boundary(far) {
            far += 1;
        }
        let blanks = text.trim_end_matches(BLANKS).len().max(far);
        end = end.max(far).min(text[blanks..].find(BLANK).map_or(text.len(), |at| blanks + at));
        let count = self.pass(&text, end, out);
        text.drain(..end);
        self.held = text;
        count
    }

    /// Appends the end of the result. What is pushed next, after bytes that are not UTF-8, has no context.
    pub fn finish(&mut self, out: &mut String) -> u64 {
        let text = core::mem::take(&mut self.held);
        let count = self.pass(&text, text.len(), out);
        self.context.clear();
        self.is_start = false;
        count
    }

    fn pass(&mut self, text: &str, end: usize, out: &mut String) -> u64 {
        let before = self.context.len();
        let count = self.profile.append(text, end, self.is_start, self.policy, &mut self.context);
        self.is_start &= end == 0;
        out.push_str(&self.context[before..]);
        let mut kept = self.context.len().saturating_sub(WINDOW_BYTES);
        while !self.context.is_char_boundary(kept) {
            kept += 1;
        }
        self.context.drain(..kept);
        count
    }
}
