//! The interpreter's strings.
//!
//! A `str` has one, two or four bytes for each of its characters, the smallest width for its widest
//! character. `direct.rs` creates the object with the right width and converts the text into its
//! memory. `faulty.rs` decodes invalid text. `stable.rs` does the same with the functions that are
//! stable across versions of Python; those take UTF-8 and decode it again.

#[cfg(not(feature = "abi3"))]
mod direct;
#[cfg(not(feature = "abi3"))]
mod faulty;
#[cfg(feature = "abi3")]
mod stable;

#[cfg(not(feature = "abi3"))]
use direct as made;
use pyo3::prelude::*;
use pyo3::types::PyString;
#[cfg(feature = "abi3")]
use stable as made;
use trust8::boundary::floor;
use trust8_counts::inspect;

use crate::input::{LONG_BYTES, PIECE_BYTES, unlocked_if_long};
pub(crate) use made::{
    Builder, ascii, ascii_in_pieces, ascii_without_faults, encoded, faulty, of_valid, quick_bytes, short,
};

/// The length of short text, which is decoded into memory on the stack: the string then gets the
/// right width and length at once.
pub(crate) const SHORT_BYTES: usize = 1024;

/// The replacement of an ill-formed sequence, for the error handlers that need no call into Python.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Instead {
    /// The sequence is refused.
    Strict,
    Replace,
    Ignore,
    SurrogateEscape,
    SurrogatePass,
    BackslashReplace,
    Windows1252,
}

impl Instead {
    #[inline]
    pub(crate) fn by_name(name: &str) -> Option<Self> {
        Some(match name {
            "replace" => Self::Replace,
            "ignore" => Self::Ignore,
            "surrogateescape" => Self::SurrogateEscape,
            "surrogatepass" => Self::SurrogatePass,
            "backslashreplace" => Self::BackslashReplace,
            "trust8.windows-1252" => Self::Windows1252,
            _ => return None,
        })
    }

    /// Returns whether the interpreter looks the handler up, instead of having it built in. It does not
    /// have `trust8.windows-1252`.
    #[inline]
    pub(crate) fn is_looked_up(self) -> bool {
        !matches!(self, Self::Replace | Self::Ignore | Self::SurrogateEscape)
    }

    #[cfg(feature = "abi3")]
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Replace => "replace",
            Self::Ignore => "ignore",
            Self::SurrogateEscape => "surrogateescape",
            Self::SurrogatePass => "surrogatepass",
            Self::BackslashReplace => "backslashreplace",
            Self::Windows1252 => "trust8.windows-1252",
        }
    }
}

/// The result of decoding bytes.
pub(crate) enum Decoded<'py> {
    Text(Bound<'py, PyString>),
    /// The handler refuses the sequence that begins here.
    #[cfg_attr(feature = "abi3", expect(dead_code, reason = "the interpreter raises the exception"))]
    Refused(usize),
}

/// The counts of some bytes up to their first error, as for `inspect`. Only `of` creates it.
pub(crate) struct Counts<'a> {
    all: &'a [u8],
    /// The number of bytes before the first error.
    valid: usize,
    is_valid: bool,
    chars: usize,
    chars_by_len: [usize; 4],
}

impl<'a> Counts<'a> {
    /// Validates and counts. Signals are handled.
    #[inline]
    pub(crate) fn of(py: Python<'_>, bytes: &'a [u8]) -> PyResult<Self> {
        if bytes.len() < LONG_BYTES {
            let summary = inspect(bytes);
            let (valid, is_valid, chars) = (summary.bytes(), summary.is_valid(), summary.chars());
            return Ok(Self { all: bytes, valid, is_valid, chars, chars_by_len: summary.chars_by_len() });
        }
        Self::of_long(py, bytes)
    }

    fn of_long(py: Python<'_>, bytes: &'a [u8]) -> PyResult<Self> {
        let mut all = Self { all: bytes, valid: 0, is_valid: true, chars: 0, chars_by_len: [0; 4] };
        loop {
            let rest = &bytes[all.valid..];
            let piece = if rest.len() > PIECE_BYTES { &rest[..floor(rest, PIECE_BYTES)] } else { rest };
            let summary = unlocked_if_long(py, piece.len(), || inspect(piece));
            all.valid += summary.bytes();
            all.chars += summary.chars();
            all.chars_by_len.iter_mut().zip(summary.chars_by_len()).for_each(|(all, more)| *all += more);
            all.is_valid = summary.is_valid();
            if !all.is_valid || all.valid == bytes.len() {
                return Ok(all);
            }
            py.check_signals()?;
        }
    }

    #[inline]
    pub(crate) fn is_valid(&self) -> bool {
        self.is_valid
    }

    /// Returns the number of bytes before the first error.
    pub(crate) fn valid(&self) -> usize {
        self.valid
    }
}
