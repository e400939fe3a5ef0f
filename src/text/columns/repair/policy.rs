//! Policies for rows that are not UTF-8.

#![forbid(unsafe_code)]

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use crate::boundary::is_continuation;
use crate::kernel::Kernel;
use crate::names::{UnknownName, is_same_name, names_of};
use crate::repair::faults::each_fault;
use crate::repair::lossy::{SPARE_ROOM, append_in_place, owned};
use crate::repair::survey::REPLACEMENT;
use crate::text::characters::windows_1252;

/// How [`repair`](super::repair) treats a row that is not UTF-8.
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

    /// Returns the policy of this [name](Self::name). Upper and lower case, hyphens, underscores
    /// and spaces make no difference.
    ///
    /// ```
    /// use trust8::columns::Policy;
    /// assert_eq!(Policy::by_name("Windows 1252"), Some(Policy::Windows1252));
    /// assert_eq!(Policy::by_name("ignore"), None);
    /// ```
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|policy| is_same_name(policy.name(), name))
    }

    /// Repairs `bytes` as if they were a row: returns them if they are UTF-8, or else the repaired
    /// bytes, or `None` for [`Null`](Self::Null).
    ///
    /// ```
    /// use trust8::columns::Policy;
    ///
    /// assert_eq!(Policy::Windows1252.repair(b"caf\xE9").as_deref(), Some("café"));
    /// assert_eq!(Policy::Escape.repair(b"caf\xE9").as_deref(), Some(r"caf\xE9"));
    /// assert_eq!(Policy::Null.repair(b"caf\xE9"), None);
    /// assert_eq!(Policy::Null.repair(b"cafe").as_deref(), Some("cafe"));
    /// ```
    #[inline]
    #[must_use]
    pub fn repair(self, bytes: &[u8]) -> Option<Cow<'_, str>> {
        Kernel::best().repair_one(bytes, self)
    }

    /// Returns a sufficient capacity for rows of `len` bytes in total, at most `ill_formed` of them
    /// in ill-formed sequences.
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

    /// Appends the repaired text of a row that is not UTF-8.
    pub(super) fn append(self, kernel: &'static Kernel, row: &[u8], text: &mut Vec<u8>) {
        if self == Self::Null {
            return;
        }
        if self == Self::Replace {
            return append_in_place(kernel, row, text);
        }
        let mut done = 0;
        let replace = |at: usize, len| {
            // Java replaces a whole surrogate, which is several ill-formed sequences.
            if at >= done {
                push_first::<16>(text, &row[done..], at - done);
                done = at + self.put(&row[at..], len, text);
            }
        };
        if row.len() < SHORT_BYTES {
            each_fault_of_short(row, replace)
        } else {
            each_fault(kernel, row, replace)
        }
        text.extend_from_slice(&row[done..]);
    }

    /// Appends the replacement of the ill-formed sequence of `len` bytes at the start of `rest`.
    /// Returns how many bytes it replaces.
    #[inline(always)]
    fn put(self, rest: &[u8], len: usize, text: &mut Vec<u8>) -> usize {
        let table = match self {
            Self::Drop | Self::Null => return len,
            Self::Replace | Self::Java => {
                push_first::<4>(text, &REPLACEMENT, 3);
                return if self == Self::Java { len.max(surrogate_len(rest)) } else { len };
            }
            Self::Escape => &ESCAPES,
            Self::Windows1252 => &WINDOWS_1252_UTF8,
        };
        for &byte in &rest[..len] {
            // No byte of an ill-formed sequence is ASCII.
            let (bytes, len) = &table[usize::from(byte & 0x7F)];
            push_first::<4>(text, bytes, usize::from(*len));
        }
        len
    }
}

/// Appends the first `len` of `bytes`. A copy of a fixed length takes less time, so `N` bytes are
/// copied if that is enough and `bytes` has them.
#[inline(always)]
fn push_first<const N: usize>(text: &mut Vec<u8>, bytes: &[u8], len: usize) {
    match bytes.first_chunk::<N>() {
        Some(chunk) if len <= N && text.capacity() - text.len() >= N => {
            let end = text.len() + len;
            text.extend_from_slice(chunk);
            text.truncate(end);
        }
        _ => text.extend_from_slice(&bytes[..len]),
    }
}

/// Does the same as [`each_fault`], byte by byte.
fn each_fault_of_short(row: &[u8], mut use_fault: impl FnMut(usize, usize)) {
    let mut at = 0;
    for chunk in row.utf8_chunks() {
        at += chunk.valid().len();
        if !chunk.invalid().is_empty() {
            use_fault(at, chunk.invalid().len());
        }
        at += chunk.invalid().len();
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
/// use trust8::columns::Policy;
/// assert_eq!("Windows1252".parse(), Ok(Policy::Windows1252));
/// ```
impl FromStr for Policy {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        Self::by_name(name).ok_or(UnknownName::of("policy", names_of!(Policy::ALL, |policy| policy.name())))
    }
}

impl Kernel {
    /// Does the same as [`Policy::repair`], with this kernel.
    #[must_use]
    pub fn repair_one<'a>(&'static self, bytes: &'a [u8], policy: Policy) -> Option<Cow<'a, str>> {
        match (self.check(bytes), policy) {
            (Ok(text), _) => Some(Cow::Borrowed(text)),
            (Err(_), Policy::Null) => None,
            (Err(_), Policy::Replace) => Some(Cow::Owned(owned(self, bytes))),
            (Err(_), _) => {
                let mut text = Vec::with_capacity(bytes.len() + bytes.len() / 8 + SHORT_BYTES);
                policy.append(self, bytes, &mut text);
                // It is UTF-8. Checking it keeps this file out of the trusted base.
                Some(Cow::Owned(self.from_utf8_lossy_owned(text)))
            }
        }
    }
}

/// For shorter rows, `core`'s loop takes less time.
const SHORT_BYTES: usize = 64;

/// The replacement of each byte from 80 on, and its length.
type Table = [([u8; 4], u8); 128];

/// `\xNN`.
const ESCAPES: Table = {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let (mut table, mut byte) = ([([0; 4], 4); 128], 0x80);
    while byte <= 0xFF {
        table[byte - 0x80].0 = [b'\\', b'x', DIGITS[byte >> 4], DIGITS[byte & 0xF]];
        byte += 1;
    }
    table
};

/// The characters of windows-1252.
const WINDOWS_1252_UTF8: Table = {
    let (mut table, mut i) = ([([0; 4], 0); 128], 0);
    while i < 128 {
        let (bytes, len) = &mut table[i];
        *len = windows_1252(0x80 + i as u8).encode_utf8(bytes).len() as u8;
        i += 1;
    }
    table
};

/// Returns the length of the surrogate at the start of `bytes`, or 0. Its end may be missing.
fn surrogate_len(bytes: &[u8]) -> usize {
    match bytes {
        [0xED, 0xA0..=0xBF, last, ..] if is_continuation(*last) => 3,
        [0xED, 0xA0..=0xBF, ..] => 2,
        _ => 0,
    }
}
