//! Replaces each forbidden character in a text.

#![forbid(unsafe_code)]

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;

use trust8::Kernel;

use super::Profile;
use super::error::Forbidden;

/// What [`Profile::repair`] does with a forbidden character.
///
/// If the replacement itself has a forbidden character, such as `\u{0}` if the profile forbids
/// backslashes, it becomes U+FFFD.
///
/// ```
/// use trust8_profile::{Policy, Profile};
///
/// let repair = |policy| Profile::TERMINAL.repair("a\x1B\u{202E}", policy);
/// assert_eq!(repair(Policy::Replace), "a\u{FFFD}\u{FFFD}");
/// assert_eq!(repair(Policy::Drop), "a");
/// assert_eq!(repair(Policy::Escape), "a\\u{1B}\\u{202E}");
/// assert_eq!(repair(Policy::Caret), "a^[\\u{202E}");
/// assert_eq!(repair(Policy::CharacterReference), "a\u{FFFD}&#x202E;");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Policy {
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
    /// Bytes that may not be UTF-8 go through [`from_utf8_lossy`](trust8::from_utf8_lossy) first.
    ///
    /// ```
    /// use std::borrow::Cow;
    /// use trust8_profile::{Policy, Profile};
    ///
    /// assert!(matches!(Profile::XML_1_0.repair("fine", Policy::Drop), Cow::Borrowed("fine")));
    /// let text = trust8::from_utf8_lossy(b"\xFF\0");
    /// assert_eq!(Profile::POSTGRES.repair(&text, Policy::Drop), "\u{FFFD}");
    /// ```
    #[must_use]
    pub fn repair<'a>(&self, text: &'a str, policy: Policy) -> Cow<'a, str> {
        let (mut repaired, mut done) = (String::new(), 0);
        self.find::<()>(Kernel::best(), text.as_bytes(), true, |found| {
            let at = found.offset() as usize;
            repaired.push_str(&text[done..at]);
            self.put(found, policy, &mut repaired);
            done = at + found.character().len_utf8();
            None
        });
        if done == 0 {
            return Cow::Borrowed(text);
        }
        repaired.push_str(&text[done..]);
        Cow::Owned(repaired)
    }

    /// Appends the replacement of a forbidden character.
    fn put(&self, found: Forbidden, policy: Policy, to: &mut String) {
        let (character, number) = (found.character(), found.character() as u32);
        let form = match policy {
            Policy::Drop => return,
            Policy::Replace => None,
            Policy::Caret if character.is_ascii_control() => {
                Some(format!("^{}", char::from(number as u8 ^ 0x40)))
            }
            Policy::Escape | Policy::Caret => Some(format!("\\u{{{number:X}}}")),
            Policy::CharacterReference => Profile::XML_1_0
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
