//! # Encodings
//!
//! A number names an encoding. Text is bytes in every encoding, and all lengths and positions are
//! numbers of bytes.

use core::ffi::{CStr, c_char};

use trust8::engine::is_same_name;
use trust8_dialect::Dialect;
use trust8_transcode::Encoding;

use crate::names;

/// UTF-8, as RFC 3629 defines it.
pub const TRUST8_UTF8: u32 = 1;
/// UTF-16, the low byte of each unit first.
pub const TRUST8_UTF16LE: u32 = 2;
/// UTF-16, the high byte of each unit first.
pub const TRUST8_UTF16BE: u32 = 3;
/// UTF-32, the lowest byte of each unit first.
pub const TRUST8_UTF32LE: u32 = 4;
/// UTF-32, the highest byte of each unit first.
pub const TRUST8_UTF32BE: u32 = 5;
/// ISO-8859-1: each byte is the character with its number.
pub const TRUST8_LATIN1: u32 = 6;
/// UTF-16 in the machine's byte order: char16_t.
pub const TRUST8_UTF16: u32 = 7;
/// UTF-32 in the machine's byte order: char32_t.
pub const TRUST8_UTF32: u32 = 8;
/// A relative of UTF-8: as RFC 2279 defined it, in up to six bytes and with surrogates.
pub const TRUST8_RFC2279: u32 = 16;
/// A relative of UTF-8: CESU-8, with surrogate pairs in place of four bytes.
pub const TRUST8_CESU8: u32 = 17;
/// A relative of UTF-8: Java's Modified UTF-8, which is CESU-8 with C0 80 in place of 00.
pub const TRUST8_MUTF8: u32 = 18;
/// A relative of UTF-8: WTF-8, with lone surrogates, for file names on Windows.
pub const TRUST8_WTF8: u32 = 19;

/// The meaning of a number.
#[derive(Clone, Copy)]
pub(crate) enum Number {
    Encoding(Encoding),
    Dialect(Dialect),
}

impl Number {
    /// The numbers from 1 to this are those of encodings.
    pub(crate) const ENCODINGS: usize = TRUST8_UTF32 as usize;

    /// Returns the encoding with this number, at compile time.
    pub(crate) const fn encoding(number: u32) -> Encoding {
        match Self::new(number) {
            Some(Self::Encoding(encoding)) => encoding,
            _ => panic!("the number is not one of an encoding"),
        }
    }

    pub(crate) const fn new(number: u32) -> Option<Self> {
        const BIG: bool = cfg!(target_endian = "big");
        Some(match number {
            TRUST8_UTF8 => Self::Encoding(Encoding::Utf8),
            TRUST8_UTF16LE => Self::Encoding(Encoding::Utf16Le),
            TRUST8_UTF16BE => Self::Encoding(Encoding::Utf16Be),
            TRUST8_UTF32LE => Self::Encoding(Encoding::Utf32Le),
            TRUST8_UTF32BE => Self::Encoding(Encoding::Utf32Be),
            TRUST8_LATIN1 => Self::Encoding(Encoding::Latin1),
            TRUST8_UTF16 => Self::Encoding(if BIG { Encoding::Utf16Be } else { Encoding::Utf16Le }),
            TRUST8_UTF32 => Self::Encoding(if BIG { Encoding::Utf32Be } else { Encoding::Utf32Le }),
            TRUST8_RFC2279 => Self::Dialect(Dialect::Rfc2279),
            TRUST8_CESU8 => Self::Dialect(Dialect::Cesu8),
            TRUST8_MUTF8 => Self::Dialect(Dialect::ModifiedUtf8),
            TRUST8_WTF8 => Self::Dialect(Dialect::Wtf8),
            _ => return None,
        })
    }

    fn name(self) -> &'static CStr {
        match self {
            Self::Encoding(Encoding::Utf8) => c"utf-8",
            Self::Encoding(Encoding::Utf16Le) => c"utf-16le",
            Self::Encoding(Encoding::Utf16Be) => c"utf-16be",
            Self::Encoding(Encoding::Utf32Le) => c"utf-32le",
            Self::Encoding(Encoding::Utf32Be) => c"utf-32be",
            Self::Encoding(Encoding::Latin1) => c"iso-8859-1",
            Self::Dialect(Dialect::Rfc2279) => c"utf-8-rfc2279",
            Self::Dialect(Dialect::Cesu8) => c"cesu-8",
            Self::Dialect(Dialect::ModifiedUtf8) => c"mutf-8",
            Self::Dialect(Dialect::Wtf8) => c"wtf-8",
            _ => c"unknown",
        }
    }
}

/// The numbers of all encodings. Those in the machine's byte order share their names with others,
/// so they come last.
const ALL: [u32; 12] = [
    TRUST8_UTF8,
    TRUST8_UTF16LE,
    TRUST8_UTF16BE,
    TRUST8_UTF32LE,
    TRUST8_UTF32BE,
    TRUST8_LATIN1,
    TRUST8_RFC2279,
    TRUST8_CESU8,
    TRUST8_MUTF8,
    TRUST8_WTF8,
    TRUST8_UTF16,
    TRUST8_UTF32,
];

/// Returns the name of the encoding with this number, such as "utf-16le", or NULL if there is none.
#[unsafe(no_mangle)]
pub extern "C" fn trust8_encoding_name(encoding: u32) -> *const c_char {
    Number::new(encoding).map_or(core::ptr::null(), |number| number.name().as_ptr())
}

/// Returns the number of the encoding with this name, or 0 if there is none. The names are those
/// returned by trust8_encoding_name, and "latin1". Case, hyphens, underscores and spaces make no
/// difference in any name that a function takes: "UTF_16LE" is "utf-16le".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_encoding_by_name(name: *const c_char) -> u32 {
    // SAFETY: the caller vouches for the string.
    unsafe { names::given(name) }.and_then(by_name).unwrap_or(0)
}

fn by_name(name: &str) -> Option<u32> {
    let named = |number: &u32| {
        Number::new(*number)
            .and_then(|known| known.name().to_str().ok())
            .is_some_and(|known| is_same_name(known, name))
    };
    ALL.into_iter().find(named).or_else(|| is_same_name("latin1", name).then_some(TRUST8_LATIN1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_have_the_names_of_the_library() {
        for number in ALL {
            let number_of = Number::new(number).unwrap();
            let name = match number_of {
                Number::Encoding(encoding) => encoding.name(),
                Number::Dialect(dialect) => dialect.name(),
            };
            assert_eq!(number_of.name().to_str(), Ok(name));
            let same = by_name(&name.to_ascii_uppercase()).and_then(Number::new).unwrap();
            assert_eq!(same.name(), number_of.name());
        }
        assert_eq!(by_name("latin1"), Some(TRUST8_LATIN1));
        assert_eq!((by_name("UTF_16LE"), by_name("Cesu 8")), (Some(TRUST8_UTF16LE), Some(TRUST8_CESU8)));
        assert_eq!((by_name(""), by_name("unknown")), (None, None));
        for encoding in Encoding::ALL {
            assert!(by_name(encoding.name()).is_some(), "{encoding:?}");
        }
        for dialect in Dialect::ALL {
            assert!(by_name(dialect.name()).is_some(), "{dialect}");
        }
    }
}
