//! The forms of text in memory, as types.
//!
//! The algorithms read and write bytes at any address and don't use these types. Only this file
//! turns slices of units into slices of bytes and back.

use core::mem::MaybeUninit;
use core::slice;

#[cfg(feature = "alloc")]
use alloc::{string::String, vec::Vec};

use super::encodings::{Encoding, Family, Layout};

/// A form of text in memory.
///
/// [`Str`], [`Utf16`], [`Utf32`] and [`Chars`] are for text in units of the machine's byte order.
/// [`Encoding`] is for text in bytes. The trait is sealed, so there are no others.
pub trait Form: sealed::Sealed {}

mod sealed {
    use super::*;

    /// What this crate needs to know about a form. The long method names can't clash with those of
    /// a user's trait.
    pub trait Sealed: Copy {
        /// Borrowed text: `str`, or a slice.
        type Text: ?Sized;
        /// The elements of a buffer.
        type Unit: PlainNumber;
        /// Owned text: `String`, or a `Vec`.
        #[cfg(feature = "alloc")]
        type Owned: Default;

        /// Returns the layout of such text.
        fn form_layout(self) -> Layout;

        /// Returns the bytes of a text.
        fn form_bytes(text: &Self::Text) -> &[u8];

        /// Returns the bytes of a buffer.
        #[inline]
        fn form_room(buffer: &mut [MaybeUninit<Self::Unit>]) -> &mut [MaybeUninit<u8>] {
            // SAFETY: memory and borrow are the same. A `MaybeUninit` may hold any bytes, or none, so
            // whatever is written through either type is allowed for the other.
            unsafe { slice::from_raw_parts_mut(buffer.as_mut_ptr().cast(), size_of_val(buffer)) }
        }

        /// Returns the text that has been written to a buffer.
        ///
        /// # Safety
        ///
        /// - `bytes` are the start of what [`form_room`](Self::form_room) returned, and are text in
        ///   this form.
        unsafe fn form_text(bytes: &mut [u8]) -> &mut Self::Text;

        /// Returns the units of owned text, to append to.
        ///
        /// # Safety
        ///
        /// - What is appended is text in this form.
        #[cfg(feature = "alloc")]
        unsafe fn form_units(owned: &mut Self::Owned) -> &mut Vec<Self::Unit>;
    }

    /// Units that are plain numbers in memory.
    ///
    /// # Safety
    ///
    /// - The type has no padding.
    pub unsafe trait PlainNumber: Copy {}
    // SAFETY: integers have no padding.
    unsafe impl PlainNumber for u8 {}
    // SAFETY: integers have no padding.
    unsafe impl PlainNumber for u16 {}
    // SAFETY: integers have no padding.
    unsafe impl PlainNumber for u32 {}
    // SAFETY: a `char` is four bytes, all of them its number.
    unsafe impl PlainNumber for char {}
}
use sealed::PlainNumber;
pub(super) use sealed::Sealed;

/// UTF-8 that is known to be valid: `&str`, `String`.
///
/// ```
/// use trust8_transcode::{Str, Utf16, convert};
/// assert_eq!(convert(Str, Utf16, "né"), Ok(vec![0x6E, 0xE9]));
/// assert_eq!(convert(Utf16, Str, &[0x6E, 0xE9]), Ok("né".to_owned()));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Str;

/// UTF-16 in units of the machine's byte order: `&[u16]`, `Vec<u16>`.
///
/// ```
/// use trust8_transcode::{Str, Utf16, convert};
/// assert_eq!(convert(Str, Utf16, "𝄞"), Ok(vec![0xD834, 0xDD1E]));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Utf16;

/// UTF-32 in units of the machine's byte order: `&[u32]`, `Vec<u32>`.
///
/// ```
/// use trust8_transcode::{Str, Utf32, convert};
/// assert_eq!(convert(Str, Utf32, "a𝄞"), Ok(vec![0x61, 0x1D11E]));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Utf32;

/// UTF-32 that is known to be valid: `&[char]`, `Vec<char>`.
///
/// ```
/// use trust8_transcode::{Chars, Str, convert};
/// assert_eq!(convert(Str, Chars, "日本"), Ok(vec!['日', '本']));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Chars;

/// Returns the bytes of units.
fn bytes_of<U: PlainNumber>(units: &[U]) -> &[u8] {
    // SAFETY: memory and borrow are the same. There is no padding, so every byte is initialised,
    // and bytes need no alignment.
    unsafe { slice::from_raw_parts(units.as_ptr().cast(), size_of_val(units)) }
}

/// Returns the bytes of UTF-16 units, mutably.
pub(super) fn bytes_of_utf16_mut(units: &mut [u16]) -> &mut [u8] {
    // SAFETY: memory and borrow are the same, bytes need no alignment, and any two bytes are a
    // `u16`.
    unsafe { slice::from_raw_parts_mut(units.as_mut_ptr().cast(), size_of_val(units)) }
}

/// Returns bytes as units.
///
/// # Safety
///
/// - `bytes` is aligned for `U`, each `size_of::<U>()` bytes of it are a valid `U`, and the memory
///   is that of a buffer of `U`s, to which any `U` may be written.
unsafe fn units_of<U: PlainNumber>(bytes: &mut [u8]) -> &mut [U] {
    // SAFETY: the caller vouches for alignment and values. The length is rounded down, and the
    // borrow is the same.
    unsafe { slice::from_raw_parts_mut(bytes.as_mut_ptr().cast(), bytes.len() / size_of::<U>()) }
}

impl Form for Str {}
impl Sealed for Str {
    type Text = str;
    type Unit = u8;
    #[cfg(feature = "alloc")]
    type Owned = String;

    #[inline]
    fn form_layout(self) -> Layout {
        Layout { known_valid: true, ..Family::Utf8.native() }
    }

    #[inline]
    fn form_bytes(text: &str) -> &[u8] {
        text.as_bytes()
    }

    /// # Safety
    ///
    /// - `bytes` is UTF-8.
    #[inline]
    unsafe fn form_text(bytes: &mut [u8]) -> &mut str {
        // SAFETY: the caller vouches for it.
        unsafe { core::str::from_utf8_unchecked_mut(bytes) }
    }

    /// # Safety
    ///
    /// - What is appended is UTF-8.
    #[cfg(feature = "alloc")]
    #[inline]
    unsafe fn form_units(owned: &mut String) -> &mut Vec<u8> {
        // SAFETY: the caller appends only UTF-8.
        unsafe { owned.as_mut_vec() }
    }
}

/// The list of forms that are slices.
macro_rules! slices {
    ($($form:ty, $unit:ty, |$self:ident| $layout:expr;)*) => {$(
        impl Form for $form {}
        impl Sealed for $form {
            type Text = [$unit];
            type Unit = $unit;
            #[cfg(feature = "alloc")]
            type Owned = Vec<$unit>;

            #[inline]
            fn form_layout($self) -> Layout {
                $layout
            }

            #[inline]
            fn form_bytes(text: &[$unit]) -> &[u8] {
                bytes_of(text)
            }

            /// # Safety
            ///
            /// - `bytes` are the start of what `form_room` returned, and are valid units.
            #[inline]
            unsafe fn form_text(bytes: &mut [u8]) -> &mut [$unit] {
                // SAFETY: the bytes come from a buffer of such units, and the caller vouches for
                // their values.
                unsafe { units_of(bytes) }
            }

            /// # Safety
            ///
            /// - None: any unit may be appended.
            #[cfg(feature = "alloc")]
            #[inline]
            unsafe fn form_units(owned: &mut Vec<$unit>) -> &mut Vec<$unit> {
                owned
            }
        }
    )*};
}

slices! {
    Utf16, u16, |self| Family::Utf16.native();
    Utf32, u32, |self| Family::Utf32.native();
    Chars, char, |self| Layout { known_valid: true, ..Family::Utf32.native() };
    Encoding, u8, |self| self.layout();
}
