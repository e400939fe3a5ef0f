//! Policies for bytes that are not UTF-8: one type for rows, streams and lines.

#![forbid(unsafe_code)]

use core::fmt;
use core::str::FromStr;

use crate::names::{UnknownName, is_same_name, names_of};

/// What happens to bytes that are not UTF-8: in a row of a column, and in a stream.
///
/// ```
/// # #[cfg(feature = "alloc")] {
/// use trust8::Policy;
///
/// // A surrogate, as CESU-8 has it, and a byte of windows-1252.
/// let bytes = b"a\xED\xA0\x80\x80";
/// assert_eq!(Policy::Replace.repair(bytes).unwrap(), "a\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}");
/// assert_eq!(Policy::Java.repair(bytes).unwrap(), "a\u{FFFD}\u{FFFD}");
/// assert_eq!(Policy::Drop.repair(bytes).unwrap(), "a");
/// assert_eq!(Policy::Null.repair(bytes), None);
/// assert_eq!(Policy::Escape.repair(bytes).unwrap(), r"a\xED\xA0\x80\x80");
/// assert_eq!(Policy::Windows1252.repair(bytes).unwrap(), "aí\u{A0}€€");
/// # }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Policy {
    /// Each ill-formed sequence becomes one U+FFFD, as in the WHATWG encoding standard and in
    /// `std`: a sequence is the longest beginning of a character, or else one byte.
    Replace,
    /// The same as `new String(bytes, UTF_8)` in Java 17. It differs from
    /// [`Replace`](Self::Replace) for surrogates: `ED`, a byte `A0..BF` and a continuation after it
    /// become one U+FFFD, not one for each byte.
    Java,
    /// Ill-formed sequences are left out.
    Drop,
    /// The row becomes null, without bytes.
    Null,
    /// Each byte of an ill-formed sequence becomes `\xNN`, with its value in two upper-case
    /// hexadecimal digits. Other backslashes are unchanged.
    Escape,
    /// Each byte of an ill-formed sequence becomes its windows-1252 character. In the WHATWG
    /// encoding standard, all bytes have one.
    Windows1252,
}

impl Policy {
    /// All policies.
    ///
    /// ```
    /// use trust8::Policy;
    /// assert!(Policy::ALL.contains(&Policy::Replace));
    /// ```
    pub const ALL: &'static [Self] =
        &[Self::Replace, Self::Java, Self::Drop, Self::Null, Self::Escape, Self::Windows1252];

    /// Returns the policy's name, in lower case.
    ///
    /// ```
    /// use trust8::Policy;
    /// let names: Vec<_> = Policy::ALL.iter().map(|policy| policy.name()).collect();
    /// assert_eq!(names, ["replace", "java", "drop", "null", "escape", "windows-1252"]);
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Replace => "replace",
            Self::Java => "java",
            Self::Drop => "drop",
            Self::Null => "null",
            Self::Escape => "escape",
            Self::Windows1252 => "windows-1252",
        }
    }

    /// Returns the policy of this [name](Self::name). Upper and lower case, hyphens, underscores
    /// and spaces make no difference.
    ///
    /// ```
    /// use trust8::Policy;
    /// assert_eq!(Policy::by_name("Windows 1252"), Some(Policy::Windows1252));
    /// assert_eq!(Policy::by_name("ignore"), None);
    /// ```
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|policy| is_same_name(policy.name(), name))
    }
}

/// Writes the [name](Policy::name).
impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Does the same as [`by_name`](Policy::by_name).
///
/// ```
/// use trust8::Policy;
/// assert_eq!("Windows1252".parse(), Ok(Policy::Windows1252));
/// ```
impl FromStr for Policy {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        Self::by_name(name).ok_or(UnknownName::of("policy", names_of!(Policy::ALL, |policy| policy.name())))
    }
}

/// Returns the character of a byte in windows-1252, as the WHATWG encoding standard defines it.
#[inline]
#[must_use]
pub const fn windows_1252(byte: u8) -> char {
    // All other bytes are those of ISO-8859-1.
    const FROM_80: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8D}', 'Ž',
        '\u{8F}', //
        '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9D}', 'ž', 'Ÿ',
    ];
    match byte {
        0x80..=0x9F => FROM_80[byte as usize - 0x80],
        _ => byte as char,
    }
}
