//! The list of encodings. It defines [`Encoding`] and all properties of an encoding.
//!
//! An encoding belongs to a family, whose members differ only in byte order. The family's [`Codec`]
//! reads and writes one character, which is enough to implement every function. `pairs.rs` lists
//! the pairs of families with a faster conversion.
//!
//! To add an encoding, write its family's codec in a new file and add its lines to `families!`
//! below.

#![forbid(unsafe_code)]

pub(crate) mod latin1;
pub(crate) mod utf16;
pub(crate) mod utf32;
pub(crate) mod utf8;

use core::str::FromStr;

use crate::codec::{Codec, Next, Refusal, Set};
use latin1::Latin1Codec;
use trust8::engine::{Output, is_same_name, names_of};
use trust8::{Kernel, UnknownName};
use utf8::Utf8Codec;
use utf16::Utf16Codec;
use utf32::Utf32Codec;

/// The list. Each family has a codec. An encoding has a name, optional aliases, and a
/// byte order. The first token is for the macro in the macro.
macro_rules! families {
    ($dollar:tt $(
        $family:ident: $codec:ident {
            $(
                $(#[$doc:meta])*
                $encoding:ident = $name:literal $(| $alias:literal)*, $order:ident;
            )+
        }
    )+) => {
        /// The encoding of text in bytes: `&[u8]`, `Vec<u8>`.
        ///
        /// A byte order mark is an ordinary character, U+FEFF. It is converted like any other, and
        /// none is added.
        ///
        /// ```
        /// use trust8_transcode::{Encoding, convert};
        /// use trust8_transcode::Encoding::{Latin1, Utf16Be, Utf16Le, Utf8};
        ///
        /// assert_eq!(convert(Latin1, Utf8, b"\xE9"), Ok(vec![0xC3, 0xA9]));
        /// assert_eq!(convert(Utf8, Utf16Be, b"\xC3\xA9"), Ok(vec![0x00, 0xE9]));
        /// assert_eq!(convert(Utf16Be, Utf16Le, b"\x00\xE9"), Ok(vec![0xE9, 0x00]));
        ///
        /// // It is a value, so it can come from anywhere.
        /// fn decode(label: &str, bytes: &[u8]) -> Option<String> {
        ///     let from = Encoding::by_name(label)?;
        ///     convert(from, trust8_transcode::Str, bytes).ok()
        /// }
        /// assert_eq!(decode("utf-16le", b"h\0i\0").as_deref(), Some("hi"));
        /// ```
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[non_exhaustive]
        pub enum Encoding {
            $($(
                $(#[$doc])*
                $encoding,
            )+)+
        }

        impl Encoding {
            /// All encodings.
            pub const ALL: &'static [Self] = &[$($(Self::$encoding),+),+];

            /// Returns the encoding's names. The first is the canonical one.
            const fn names(self) -> &'static [&'static str] {
                match self {
                    $($(Self::$encoding => &[$name $(, $alias)*],)+)+
                }
            }

            /// Returns what the encoding's bytes mean.
            #[inline]
            pub(super) const fn layout(self) -> Layout {
                match self {
                    $($(Self::$encoding => Layout { swapped: $order, ..Family::$family.native() },)+)+
                }
            }
        }

        /// How characters become units.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub(super) enum Family {
            $($family,)+
        }

        impl Family {
            const ALL: [Self; [$(Self::$family),+].len()] = [$(Self::$family),+];

            /// Returns the name of the first encoding of the family.
            pub(super) const fn name(self) -> &'static str {
                match self {
                    $(Self::$family => [$($name),+][0],)+
                }
            }
        }

        $(impl $codec {
            pub(super) const FAMILY: Family = Family::$family;
        })+

        /// Evaluates an expression with the codec of a family.
        macro_rules! with_codec {
            ($dollar of:expr, $dollar codec:ident => $dollar result:expr) => {
                match $dollar of {
                    $(Family::$family => {
                        type $dollar codec = $codec;
                        $dollar result
                    })+
                }
            };
        }
    };
}

families! { $
    Utf8: Utf8Codec {
        /// UTF-8, which is validated.
        Utf8 = "utf-8", ONE_BYTE;
    }
    Utf16: Utf16Codec {
        /// UTF-16 with the low byte of each unit first.
        Utf16Le = "utf-16le", LITTLE_ENDIAN;
        /// UTF-16 with the high byte of each unit first.
        Utf16Be = "utf-16be", BIG_ENDIAN;
    }
    Utf32: Utf32Codec {
        /// UTF-32 with the lowest byte of each unit first.
        Utf32Le = "utf-32le", LITTLE_ENDIAN;
        /// UTF-32 with the highest byte of each unit first.
        Utf32Be = "utf-32be", BIG_ENDIAN;
    }
    Latin1: Latin1Codec {
        /// ISO-8859-1, or Latin-1: each byte is the character with its number, U+0000 to U+00FF.
        /// Web pages that say `latin1` or `iso-8859-1` mean another encoding, windows-1252.
        Latin1 = "iso-8859-1" | "latin1", ONE_BYTE;
    }
}

impl Family {
    /// Returns the number of bytes in a unit.
    #[inline]
    pub(super) const fn unit(self) -> usize {
        with_codec!(self, C => C::UNIT_BYTES)
    }

    /// Returns the native layout of text that is not known to be well-formed, unless all text of the
    /// family is.
    #[inline]
    pub(super) const fn native(self) -> Layout {
        Layout { family: self, swapped: false, known_valid: with_codec!(self, C => C::ALL_VALID) }
    }

    /// Returns the number of units of the character that replaces what can't be converted.
    pub(super) fn replacement_units(self) -> usize {
        with_codec!(self, C => C::len(C::REPLACEMENT).map_or(0, |len| len / C::UNIT_BYTES))
    }

    /// Returns the character that replaces what can't be converted.
    pub(super) const fn replacement(self) -> char {
        with_codec!(self, C => C::REPLACEMENT)
    }
}

impl Encoding {
    /// Returns the encoding's name, in lower case.
    ///
    /// ```
    /// use trust8_transcode::Encoding;
    /// assert_eq!(Encoding::Utf16Le.name(), "utf-16le");
    /// assert_eq!(Encoding::Latin1.name(), "iso-8859-1");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.names()[0]
    }

    /// Returns the encoding with this [`name`](Self::name). Case, hyphens, underscores and spaces
    /// make no difference. `latin1` is an alias of `iso-8859-1`.
    ///
    /// ```
    /// use trust8_transcode::Encoding;
    /// assert_eq!(Encoding::by_name("UTF-8"), Some(Encoding::Utf8));
    /// assert_eq!(Encoding::by_name("utf16le"), Some(Encoding::Utf16Le));
    /// assert_eq!(Encoding::by_name("latin1"), Some(Encoding::Latin1));
    /// assert_eq!(Encoding::by_name("ebcdic"), None);
    /// ```
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        let is_it = |encoding: &Self| encoding.names().iter().any(|known| is_same_name(known, name));
        Self::ALL.iter().copied().find(is_it)
    }
}

trust8::engine::displayed_by_name!(Encoding);

/// Like [`by_name`](Encoding::by_name).
///
/// ```
/// use trust8_transcode::Encoding;
///
/// assert_eq!("UTF 16 LE".parse(), Ok(Encoding::Utf16Le));
/// assert!("ebcdic".parse::<Encoding>().unwrap_err().names().contains(&"utf-16le"));
/// ```
impl FromStr for Encoding {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        Self::by_name(name)
            .ok_or(UnknownName::of("encoding", names_of!(Encoding::ALL, |encoding| encoding.name())))
    }
}

/// Whether units are in the non-native byte order. Units of one byte have none.
const ONE_BYTE: bool = false;
const LITTLE_ENDIAN: bool = cfg!(target_endian = "big");
const BIG_ENDIAN: bool = cfg!(target_endian = "little");

/// How the bytes of a text are to be interpreted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    pub(super) family: Family,
    /// Whether units are in the non-native byte order.
    pub(super) swapped: bool,
    /// Whether the type guarantees well-formed text.
    pub(super) known_valid: bool,
}

impl Layout {
    /// Layout numbers are below this.
    pub(super) const COUNT: usize = 4 * Family::ALL.len();

    #[inline(always)]
    pub(super) const fn number(self) -> usize {
        4 * self.family as usize + 2 * self.swapped as usize + self.known_valid as usize
    }

    /// Returns the layout with this number.
    pub(super) const fn numbered(number: usize) -> Self {
        Self { family: Family::ALL[number / 4], swapped: number & 2 != 0, known_valid: number & 1 != 0 }
    }

    /// Returns the same layout in the native byte order.
    pub(super) const fn unswapped(self) -> Self {
        Self { swapped: false, ..self }
    }

    /// Decodes the start of `text`, which is not empty.
    #[inline(always)]
    pub(super) fn next(self, text: &[u8]) -> Next {
        with_codec!(self.family, C => C::next(text, self.swapped))
    }

    /// Returns the whole characters at the start of a well-formed text that may be cut off anywhere.
    #[inline]
    pub(super) fn whole(self, text: &[u8]) -> &[u8] {
        &text[..with_codec!(self.family, C => C::whole_len(text, self.swapped))]
    }

    /// See [`Codec::up_to`]. The text may end inside a unit.
    #[inline(always)]
    pub(super) fn up_to(self, kernel: &'static Kernel, text: &[u8], set: Set) -> usize {
        let whole = &text[..text.len() / self.family.unit() * self.family.unit()];
        with_codec!(self.family, C => C::up_to(kernel, whole, self.swapped, set))
    }

    /// Returns whether the first character of `text`, which is not empty, has more than `left` bytes
    /// in another encoding.
    #[inline(always)]
    pub(super) fn first_exceeds(self, text: &[u8], to: Self, left: usize) -> bool {
        let Next::Char(first, _) = self.next(text) else { return false };
        with_codec!(to.family, C => C::len(first)).is_some_and(|len| len > left)
    }

    /// Appends a character if the encoding has it and it fits.
    #[inline(always)]
    pub(super) fn put(self, char: char, out: &mut Output<'_>) -> Result<(), Refusal> {
        with_codec!(self.family, C => C::put(char, self.swapped, out))
    }
}

#[cfg(test)]
mod tests {
    use super::Encoding;

    #[test]
    fn every_name_belongs_to_one_encoding() {
        for encoding in Encoding::ALL {
            for name in encoding.names() {
                assert_eq!(Encoding::by_name(name), Some(*encoding), "{name}");
                assert_eq!(*name, name.to_ascii_lowercase());
            }
        }
    }
}
