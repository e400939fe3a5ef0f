//! The forms that text can have in memory, as types; inside, all of them are bytes.
//!
//! The algorithms read and write bytes: with no type parameters, at any alignment, in the machine's byte order.
//! Here, and nowhere else, slices of units become slices of bytes and back.

use core::mem::MaybeUninit;
use core::slice;

#[cfg(feature = "alloc")]
use alloc::{string::String, vec::Vec};

/// A form in which text can be converted, or into which.
///
/// The types: [`Str`], [`Utf16`], [`Utf32`], [`Chars`] for text in units of the machine's byte order, and
/// [`Encoding`] for text in bytes. There are no others: the trait is sealed.
pub trait Form: sealed::Sealed {}

mod sealed {
    use super::*;

    /// What the functions of this module need of a form.
    pub trait Sealed: Copy {
        /// Text that is borrowed: `str`, or a slice.
        type Text: ?Sized;
        /// What a buffer consists of.
        type Unit: Copy;
        /// Text that is owned: `String`, or a `Vec`.
        #[cfg(feature = "alloc")]
        type Owned: Default;

        fn layout(self) -> Layout;

        fn bytes(text: &Self::Text) -> &[u8];

        fn room(buffer: &mut [MaybeUninit<Self::Unit>]) -> &mut [MaybeUninit<u8>];

        /// What has been written to a buffer.
        ///
        /// # Safety
        ///
        /// - `bytes` are the start of what [`room`](Self::room) returned, and text in this form.
        unsafe fn text(bytes: &mut [u8]) -> &mut Self::Text;

        /// The units of owned text, to append to.
        ///
        /// # Safety
        ///
        /// - What is appended is text in this form.
        #[cfg(feature = "alloc")]
        unsafe fn units(owned: &mut Self::Owned) -> &mut Vec<Self::Unit>;
    }
}
pub(super) use sealed::Sealed;

/// What the bytes of a text mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    pub(super) family: Family,
    /// Whether units have the other byte order than the machine.
    pub(super) swapped: bool,
    /// Whether the type of the text says that it is well-formed.
    pub(super) trusted: bool,
}

/// How characters become units.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Family {
    Utf8,
    Utf16,
    Utf32,
    Latin1,
}

impl Family {
    /// Bytes in a unit.
    pub(super) const fn unit(self) -> usize {
        match self {
            Self::Utf8 | Self::Latin1 => 1,
            Self::Utf16 => 2,
            Self::Utf32 => 4,
        }
    }

    /// In units of the machine's byte order, and not known to be well-formed.
    const fn native(self) -> Layout {
        Layout { family: self, swapped: false, trusted: false }
    }
}

impl Layout {
    pub(super) const UTF16: Self = Family::Utf16.native();

    /// The same in the machine's byte order.
    pub(super) const fn unswapped(self) -> Self {
        Self { swapped: false, ..self }
    }
}

/// UTF-8 that is known to be valid: `&str`, `String`.
///
/// ```
/// use trust8::transcode::{Str, Utf16, convert};
/// assert_eq!(convert(Str, Utf16, "né"), Ok(vec![0x6E, 0xE9]));
/// assert_eq!(convert(Utf16, Str, &[0x6E, 0xE9]), Ok("né".to_owned()));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Str;

/// UTF-16 in units: `&[u16]`, `Vec<u16>`.
///
/// ```
/// use trust8::transcode::{Str, Utf16, convert};
/// assert_eq!(convert(Str, Utf16, "𝄞"), Ok(vec![0xD834, 0xDD1E]));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Utf16;

/// UTF-32 in units: `&[u32]`, `Vec<u32>`.
///
/// ```
/// use trust8::transcode::{Str, Utf32, convert};
/// assert_eq!(convert(Str, Utf32, "a𝄞"), Ok(vec![0x61, 0x1D11E]));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Utf32;

/// UTF-32 that is known to be valid: `&[char]`, `Vec<char>`.
///
/// ```
/// use trust8::transcode::{Chars, Str, convert};
/// assert_eq!(convert(Str, Chars, "日本"), Ok(vec!['日', '本']));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Chars;

/// What bytes can be: `&[u8]`, `Vec<u8>`.
///
/// None of them has to do with a byte order mark: where there is one in the input it is a character like
/// any other, U+FEFF, and none is added.
///
/// ```
/// use trust8::transcode::{Encoding, convert};
/// use trust8::transcode::Encoding::{Latin1, Utf16Be, Utf16Le, Utf8};
///
/// assert_eq!(convert(Latin1, Utf8, b"\xE9"), Ok(vec![0xC3, 0xA9]));
/// assert_eq!(convert(Utf8, Utf16Be, b"\xC3\xA9"), Ok(vec![0x00, 0xE9]));
/// assert_eq!(convert(Utf16Be, Utf16Le, b"\x00\xE9"), Ok(vec![0xE9, 0x00]));
///
/// // It is a value, so it can come from anywhere.
/// fn decode(label: &str, bytes: &[u8]) -> Option<String> {
///     let from = Encoding::by_name(label)?;
///     convert(from, trust8::transcode::Str, bytes).ok()
/// }
/// assert_eq!(decode("utf-16le", b"h\0i\0").as_deref(), Some("hi"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Encoding {
    /// UTF-8, to be validated.
    Utf8,
    /// UTF-16, the low byte of each unit first.
    Utf16Le,
    /// UTF-16, the high byte of each unit first.
    Utf16Be,
    /// UTF-32, the lowest byte of each unit first.
    Utf32Le,
    /// UTF-32, the highest byte of each unit first.
    Utf32Be,
    /// ISO-8859-1: a byte is the character with its number, U+0000 to U+00FF. (What web pages call
    /// Latin-1 is windows-1252, which is another encoding.)
    Latin1,
}

impl Encoding {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Utf8, Self::Utf16Le, Self::Utf16Be, Self::Utf32Le, Self::Utf32Be, Self::Latin1];

    /// The name: `utf-8`, `utf-16le`, `utf-16be`, `utf-32le`, `utf-32be` or `latin1`.
    ///
    /// ```
    /// assert_eq!(trust8::transcode::Encoding::Utf16Le.name(), "utf-16le");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16Le => "utf-16le",
            Self::Utf16Be => "utf-16be",
            Self::Utf32Le => "utf-32le",
            Self::Utf32Be => "utf-32be",
            Self::Latin1 => "latin1",
        }
    }

    /// The encoding of this [`name`](Self::name), in upper or lower case.
    ///
    /// ```
    /// use trust8::transcode::Encoding;
    /// assert_eq!(Encoding::by_name("UTF-8"), Some(Encoding::Utf8));
    /// assert_eq!(Encoding::by_name("ebcdic"), None);
    /// ```
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|encoding| encoding.name().eq_ignore_ascii_case(name))
    }
}

/// Units that are plain numbers in memory.
///
/// # Safety
///
/// - The type has no padding.
unsafe trait Plain: Copy {}
// SAFETY: integers have no padding.
unsafe impl Plain for u8 {}
// SAFETY: integers have no padding.
unsafe impl Plain for u16 {}
// SAFETY: integers have no padding.
unsafe impl Plain for u32 {}
// SAFETY: a `char` is four bytes, all of them its number.
unsafe impl Plain for char {}

fn bytes_of<U: Plain>(units: &[U]) -> &[u8] {
    // SAFETY: the same memory and borrow; there is no padding, so every byte is initialised, and bytes need no
    // alignment.
    unsafe { slice::from_raw_parts(units.as_ptr().cast(), size_of_val(units)) }
}

fn room_of<U: Plain>(buffer: &mut [MaybeUninit<U>]) -> &mut [MaybeUninit<u8>] {
    // SAFETY: the same memory and borrow; a `MaybeUninit` may hold any bytes, or none, so nothing that is
    // written through either type is wrong for the other one.
    unsafe { slice::from_raw_parts_mut(buffer.as_mut_ptr().cast(), size_of_val(buffer)) }
}

/// The units that the bytes are.
///
/// # Safety
///
/// - `bytes` is aligned for `U`, each `size_of::<U>()` bytes of it are a valid `U`, and the memory is that of a
///   buffer of `U`s, to which any `U` may be written.
unsafe fn units_of<U: Plain>(bytes: &mut [u8]) -> &mut [U] {
    // SAFETY: the caller vouches for alignment and values; the length is rounded down, the borrow is the same.
    unsafe { slice::from_raw_parts_mut(bytes.as_mut_ptr().cast(), bytes.len() / size_of::<U>()) }
}

impl Form for Str {}
impl Sealed for Str {
    type Text = str;
    type Unit = u8;
    #[cfg(feature = "alloc")]
    type Owned = String;

    #[inline]
    fn layout(self) -> Layout {
        Layout { trusted: true, ..Family::Utf8.native() }
    }

    #[inline]
    fn bytes(text: &str) -> &[u8] {
        text.as_bytes()
    }

    #[inline]
    fn room(buffer: &mut [MaybeUninit<u8>]) -> &mut [MaybeUninit<u8>] {
        buffer
    }

    /// # Safety
    ///
    /// - `bytes` is UTF-8.
    #[inline]
    unsafe fn text(bytes: &mut [u8]) -> &mut str {
        // SAFETY: the caller vouches for it.
        unsafe { core::str::from_utf8_unchecked_mut(bytes) }
    }

    /// # Safety
    ///
    /// - What is appended is UTF-8.
    #[cfg(feature = "alloc")]
    #[inline]
    unsafe fn units(owned: &mut String) -> &mut Vec<u8> {
        // SAFETY: the caller appends UTF-8 and nothing else.
        unsafe { owned.as_mut_vec() }
    }
}

/// The forms that are slices.
macro_rules! slices {
    ($($form:ty, $unit:ty, |$self:ident| $layout:expr;)*) => {$(
        impl Form for $form {}
        impl Sealed for $form {
            type Text = [$unit];
            type Unit = $unit;
            #[cfg(feature = "alloc")]
            type Owned = Vec<$unit>;

            #[inline]
            fn layout($self) -> Layout {
                $layout
            }

            #[inline]
            fn bytes(text: &[$unit]) -> &[u8] {
                bytes_of(text)
            }

            #[inline]
            fn room(buffer: &mut [MaybeUninit<$unit>]) -> &mut [MaybeUninit<u8>] {
                room_of(buffer)
            }

            /// # Safety
            ///
            /// - `bytes` are the start of what `room` returned, and valid units.
            #[inline]
            unsafe fn text(bytes: &mut [u8]) -> &mut [$unit] {
                // SAFETY: the bytes come from a buffer of such units, and the caller vouches for their values.
                unsafe { units_of(bytes) }
            }

            /// # Safety
            ///
            /// - None: any unit may be appended.
            #[cfg(feature = "alloc")]
            #[inline]
            unsafe fn units(owned: &mut Vec<$unit>) -> &mut Vec<$unit> {
                owned
            }
        }
    )*};
}

slices! {
    Utf16, u16, |self| Family::Utf16.native();
    Utf32, u32, |self| Family::Utf32.native();
    Chars, char, |self| Layout { trusted: true, ..Family::Utf32.native() };
    Encoding, u8, |self| {
        let (family, big_endian) = match self {
            Self::Utf8 => (Family::Utf8, false),
            Self::Utf16Le => (Family::Utf16, false),
            Self::Utf16Be => (Family::Utf16, true),
            Self::Utf32Le => (Family::Utf32, false),
            Self::Utf32Be => (Family::Utf32, true),
            Self::Latin1 => (Family::Latin1, false),
        };
        // Units of one byte have no order.
        let swapped = family.unit() > 1 && big_endian != cfg!(target_endian = "big");
        Layout { swapped, ..family.native() }
    };
}
