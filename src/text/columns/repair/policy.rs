//! What becomes of a row that is not UTF-8.

#![forbid(unsafe_code)]

use alloc::vec::Vec;

use crate::boundary::is_continuation;
use crate::kernel::Kernel;
use crate::repair::lossy::{SPARE_ROOM, append_in_place};

/// What [`repair`](super::repair) makes of a row that is not UTF-8.
///
/// ```
/// use trust8::columns::{Offsets, Policy, Repaired, repair};
///
/// let row = |bytes: &[u8], policy| {
///     let offsets = [0, bytes.len() as i32];
///     match repair(Offsets::new(bytes, &offsets, None).unwrap(), policy).unwrap() {
///         Repaired::Borrowed(_) => unreachable!("the row is not UTF-8"),
///         Repaired::Owned(rows) => String::from_utf8(rows.values).unwrap(),
///     }
/// };
/// // A surrogate, as CESU-8 has it, and a byte of windows-1252.
/// let bytes = b"a\xED\xA0\x80\x80";
/// assert_eq!(row(bytes, Policy::Replace), "a\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}");
/// assert_eq!(row(bytes, Policy::Java), "a\u{FFFD}\u{FFFD}");
/// assert_eq!(row(bytes, Policy::Drop), "a");
/// assert_eq!(row(bytes, Policy::Null), "");
/// assert_eq!(row(bytes, Policy::Escape), r"a\xED\xA0\x80\x80");
/// assert_eq!(row(bytes, Policy::Windows1252), "aí\u{A0}€€");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Policy {
    /// Each ill-formed sequence becomes one U+FFFD, as in the WHATWG encoding standard and in `std`: a sequence is the longest
    /// beginning of a character, or else one byte.
    Replace,
    /// The same as `new String(bytes, UTF_8)` in Java 17. It differs from [`Replace`](Self::Replace) in surrogates: `ED` before
    /// `A0..BF` becomes one U+FFFD together with that byte and one continuation after it, and not one for each byte.
    Java,
    /// Ill-formed sequences are left out.
    Drop,
    /// The row becomes null. It has no bytes then.
    Null,
    /// Each byte of an ill-formed sequence becomes `\xNN`, with its value in two upper-case hexadecimal digits. Backslashes
    /// elsewhere stay as they are.
    Escape,
    /// Each byte of an ill-formed sequence becomes the character that it is in windows-1252, as the WHATWG encoding standard
    /// has it: all bytes have one.
    Windows1252,
}

/// The characters of windows-1252 for the bytes 80 to 9F. For all other bytes they are those of ISO-8859-1.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8D}', 'Ž', '\u{8F}', //
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9D}', 'ž', 'Ÿ',
];

/// For shorter rows, the loop of `core` takes less time.
const SHORT: usize = 64;

impl Policy {
    /// All policies.
    ///
    /// ```
    /// use trust8::columns::Policy;
    /// assert!(Policy::ALL.contains(&Policy::Replace));
    /// ```
    pub const ALL: &'static [Self] =
        &[Self::Replace, Self::Java, Self::Drop, Self::Null, Self::Escape, Self::Windows1252];

    /// Returns the policy's name, in lower case.
    ///
    /// ```
    /// use trust8::columns::Policy;
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

    /// Returns the policy of this [name](Self::name). Upper and lower case make no difference.
    ///
    /// ```
    /// use trust8::columns::Policy;
    /// assert_eq!(Policy::by_name("Windows-1252"), Some(Policy::Windows1252));
    /// assert_eq!(Policy::by_name("ignore"), None);
    /// ```
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|policy| policy.name().eq_ignore_ascii_case(name))
    }

    /// Returns how much capacity is enough for rows of `len` bytes together, of which at most `ill_formed` are in ill-formed
    /// sequences.
    pub(super) fn capacity(self, len: usize, ill_formed: usize) -> usize {
        let more = match self {
            Self::Drop | Self::Null => 0,
            // One byte becomes three: U+FFFD, or the euro sign.
            Self::Replace | Self::Java | Self::Windows1252 => 2,
            Self::Escape => 3,
        };
        let spare = if self == Self::Replace { SPARE_ROOM } else { 0 };
        len.saturating_add(ill_formed.saturating_mul(more)).saturating_add(spare)
    }

    /// Appends a row that is not UTF-8. What it appends is UTF-8.
    pub(super) fn append(self, kernel: &'static Kernel, row: &[u8], text: &mut Vec<u8>) {
        match self {
            Self::Null => {}
            Self::Replace => append_in_place(kernel, row, text),
            _ if row.len() < SHORT => {
                let chunks = row.utf8_chunks().map(|chunk| (chunk.valid().as_bytes(), chunk.invalid()));
                self.append_chunks(row, chunks, text);
            }
            _ => {
                let chunks = kernel.utf8_chunks(row);
                self.append_chunks(
                    row,
                    chunks.map(|chunk| (chunk.valid().as_bytes(), chunk.invalid())),
                    text,
                );
            }
        }
    }

    /// Appends `row`, of which `chunks` are the valid texts and the ill-formed sequences after them.
    fn append_chunks<'a>(
        self,
        row: &[u8],
        chunks: impl Iterator<Item = (&'a [u8], &'a [u8])>,
        text: &mut Vec<u8>,
    ) {
        let mut at = 0;
        // Java replaces a surrogate as a whole, up to here.
        let mut replaced = 0;
        for (valid, invalid) in chunks {
            text.extend_from_slice(valid);
            at += valid.len();
            match self {
                Self::Java if !invalid.is_empty() && at >= replaced => {
                    replaced = at + surrogate_len(&row[at..]);
                    push(text, char::REPLACEMENT_CHARACTER);
                }
                Self::Escape => {
                    for byte in invalid {
                        let [high, low] =
                            [byte >> 4, byte & 0xF].map(|digit| b"0123456789ABCDEF"[usize::from(digit)]);
                        text.extend_from_slice(&[b'\\', b'x', high, low]);
                    }
                }
                Self::Windows1252 => {
                    for &byte in invalid {
                        push(
                            text,
                            WINDOWS_1252.get(usize::from(byte - 0x80)).copied().unwrap_or(char::from(byte)),
                        );
                    }
                }
                _ => {}
            }
            at += invalid.len();
        }
    }
}

/// Returns the length of the surrogate at the start of `bytes`, or 0. Its end may be missing.
fn surrogate_len(bytes: &[u8]) -> usize {
    match bytes {
        [0xED, 0xA0..=0xBF, last, ..] if is_continuation(*last) => 3,
        [0xED, 0xA0..=0xBF, ..] => 2,
        _ => 0,
    }
}

fn push(text: &mut Vec<u8>, character: char) {
    text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
}
