//! Policies for bytes that are not UTF-8: one type for rows, streams and lines.

#![forbid(unsafe_code)]

use core::str::FromStr;

use crate::names::{UnknownName, displayed_by_name, is_same_name, names_of};

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
    /// [`Replace`](Self::Replace) for surrogates: `ED`, a byte `A0..BF` and the continuation after
    /// it, if there is one, become one U+FFFD, not one for each byte.
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

    /// Returns the UTF-8 of what one byte of an ill-formed sequence becomes, and its length. U+FFFD
    /// is for a whole sequence, so it is not among them.
    pub(crate) const fn instead_of(self, byte: u8) -> ([u8; 4], usize) {
        const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
        let mut bytes = [0; 4];
        match self {
            Self::Replace | Self::Java | Self::Drop | Self::Null => (bytes, 0),
            Self::Escape => {
                let (high, low) = (DIGITS[(byte >> 4) as usize], DIGITS[(byte & 0xF) as usize]);
                ([b'\\', b'x', high, low], 4)
            }
            Self::Windows1252 => {
                let len = windows_1252(byte).encode_utf8(&mut bytes).len();
                (bytes, len)
            }
        }
    }

    /// Returns what one byte of an ill-formed sequence becomes, as text.
    #[inline]
    pub(crate) fn text_instead_of(self, byte: u8) -> &'static str {
        static ESCAPES: &str = texts(const { &all(Policy::Escape) });
        static CHARACTERS: &str = texts(const { &all(Policy::Windows1252) });

        let all = match self {
            Self::Escape => ESCAPES,
            _ => CHARACTERS,
        };
        let at = 4 * usize::from(byte & 0x7F);
        &all[at..at + self.instead_of(byte).1]
    }
}

/// Returns what the bytes 80 to FF become, with zeros after fewer than four bytes.
const fn all(policy: Policy) -> [[u8; 4]; 128] {
    let (mut all, mut i) = ([[0; 4]; 128], 0);
    while i < 128 {
        (all[i], _) = policy.instead_of(0x80 | i as u8);
        i += 1;
    }
    all
}

const fn texts(all: &[[u8; 4]; 128]) -> &str {
    match core::str::from_utf8(all.as_flattened()) {
        Ok(text) => text,
        Err(_) => panic!("each is text"),
    }
}

displayed_by_name!(Policy);

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
