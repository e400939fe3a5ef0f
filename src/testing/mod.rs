//! Functions for tests and measurements: each public function with a kernel that the caller chooses, and [`paths`], the ways
//! among which a kernel chooses by length and content.
//!
//! A function has the name and the module of the public one, and takes the kernel as its first argument. Nothing here is part of
//! the public API: it may change in any release.

#![forbid(unsafe_code)]

pub use crate::kernel::ways::paths;
use crate::{Decode, Errors, Kernel, Location, Summary, Utf8Chunks};
use crate::{kernel, repair, text};

/// Does what `trust8::inspect` does, with this kernel.
#[must_use]
pub fn inspect(kernel: &Kernel, bytes: &[u8]) -> Summary {
    kernel.inspect(bytes)
}

/// Does what `trust8::ascii_up_to` does, with this kernel.
#[must_use]
pub fn ascii_up_to(kernel: &Kernel, bytes: &[u8]) -> usize {
    text::ascii::kernel.ascii_up_to(bytes)
}

/// Does what `trust8::count_chars_lossy` does, with this kernel.
#[must_use]
pub fn count_chars_lossy(kernel: &'static Kernel, bytes: &[u8]) -> usize {
    repair::faults::count_sequences(kernel, bytes)
}

/// Does what `trust8::count_starts` does, with this kernel.
#[must_use]
pub fn count_starts(kernel: &Kernel, bytes: &[u8]) -> usize {
    kernel::entries::count_chars(kernel, bytes)
}

/// Does what `trust8::locate` does, with this kernel.
#[must_use]
pub fn locate(kernel: &'static Kernel, bytes: &[u8], offset: usize) -> Location {
    text::locate::kernel.locate(bytes, offset)
}

/// Does what `trust8::decode` does, with this kernel.
#[must_use]
pub fn decode<'a>(kernel: &'static Kernel, bytes: &'a [u8]) -> Decode<'a> {
    text::characters::kernel.decode(bytes)
}

/// Does what `trust8::errors` does, with this kernel.
pub fn errors<'a>(kernel: &'static Kernel, bytes: &'a [u8]) -> Errors<'a> {
    kernel.errors(bytes)
}

/// Does what `trust8::utf8_chunks` does, with this kernel.
pub fn utf8_chunks<'a>(kernel: &'static Kernel, bytes: &'a [u8]) -> Utf8Chunks<'a> {
    kernel.utf8_chunks(bytes)
}

/// Does what `trust8::copy_utf8` does, with this kernel.
///
/// # Errors
///
/// Returns the errors of the public function.
pub fn copy_utf8<'d>(
    kernel: &Kernel,
    src: &[u8],
    dst: &'d mut [core::mem::MaybeUninit<u8>],
) -> Result<&'d mut str, crate::CopyError> {
    text::copy::kernel.copy_utf8(src, dst)
}

/// Does what `trust8::lossy_len` does, with this kernel.
#[must_use]
pub fn lossy_len(kernel: &'static Kernel, bytes: &[u8]) -> usize {
    repair::copy::kernel.lossy_len(bytes)
}

/// Does what `trust8::copy_utf8_lossy` does, with this kernel.
///
/// # Errors
///
/// Returns the errors of the public function.
pub fn copy_utf8_lossy<'d>(
    kernel: &'static Kernel,
    src: &[u8],
    dst: &'d mut [core::mem::MaybeUninit<u8>],
) -> Result<&'d mut str, crate::TooSmall> {
    repair::copy::kernel.copy_utf8_lossy(src, dst)
}

/// Does what `trust8::from_utf8_lossy` does, with this kernel.
#[cfg(feature = "alloc")]
#[must_use]
pub fn from_utf8_lossy<'a>(kernel: &'static Kernel, bytes: &'a [u8]) -> alloc::borrow::Cow<'a, str> {
    repair::lossy::kernel.from_utf8_lossy(bytes)
}

/// Does what `trust8::lossy_into` does, with this kernel.
#[cfg(feature = "alloc")]
pub fn lossy_into(kernel: &'static Kernel, bytes: &[u8], text: &mut alloc::string::String) {
    repair::lossy::kernel.lossy_into(bytes, text);
}

/// Does what `trust8::par_from_utf8` does, with this kernel, in chunks of `chunk_len` bytes.
///
/// # Errors
///
/// Returns the errors of the public function.
#[cfg(feature = "rayon")]
pub fn par_from_utf8<'a>(
    kernel: &'static Kernel,
    chunk_len: usize,
    bytes: &'a [u8],
) -> Result<&'a str, crate::Utf8Error> {
    text::parallel::par_from_utf8_with(kernel, chunk_len, bytes)
}

/// Does what `trust8::par_inspect` does, with this kernel, in chunks of `chunk_len` bytes.
#[cfg(feature = "rayon")]
#[must_use]
pub fn par_inspect(kernel: &'static Kernel, chunk_len: usize, bytes: &[u8]) -> crate::Summary {
    text::parallel::par_inspect_with(kernel, chunk_len, bytes)
}

/// The functions of `trust8::stream` with a kernel that the caller chooses.
pub mod stream {
    use crate::Kernel;
    use crate::stream::{Decoder, Piece, StreamError, Validator};

    /// Does what `Validator::push` does, with this kernel.
    ///
    /// # Errors
    ///
    /// Returns the errors of the public function.
    #[inline(always)]
    pub fn push(kernel: &Kernel, validator: &mut Validator, piece: &[u8]) -> Result<(), StreamError> {
        validator.push_with(kernel, piece)
    }

    /// Does what `Decoder::decode` does, with this kernel.
    ///
    /// # Errors
    ///
    /// Returns the errors of the public function.
    #[inline]
    pub fn decode<'a>(
        kernel: &Kernel,
        decoder: &mut Decoder,
        piece: &'a [u8],
    ) -> Result<Piece<'a>, StreamError> {
        decoder.decode_with(kernel, piece)
    }
}

/// The functions of `trust8::profile` with a kernel that the caller chooses.
pub mod profile {
    use crate::Kernel;
    use crate::profile::{Error, Errors, Forbidden, Profile, StreamError, Validator};

    /// Does what `Profile::from_utf8` does, with this kernel.
    ///
    /// # Errors
    ///
    /// Returns the errors of the public function.
    pub fn from_utf8<'a>(kernel: &Kernel, profile: &Profile, bytes: &'a [u8]) -> Result<&'a str, Error> {
        profile.validated_with(kernel, bytes)
    }

    /// Does what `Profile::check` does, with this kernel.
    ///
    /// # Errors
    ///
    /// Returns the errors of the public function.
    pub fn check(kernel: &Kernel, profile: &Profile, text: &str) -> Result<(), Forbidden> {
        profile.check_with(kernel, text)
    }

    /// Does what `Profile::errors` does, with this kernel.
    #[must_use]
    pub fn errors<'a>(kernel: &'static Kernel, profile: &'a Profile, bytes: &'a [u8]) -> Errors<'a> {
        profile.errors_with(kernel, bytes)
    }

    /// Does what `Validator::push` does, with this kernel for the search.
    ///
    /// # Errors
    ///
    /// Returns the errors of the public function.
    pub fn push(kernel: &Kernel, validator: &mut Validator, piece: &[u8]) -> Result<(), StreamError> {
        validator.push_with(kernel, piece)
    }
}

/// The functions of `trust8::columns` with a kernel that the caller chooses.
pub mod columns {
    use crate::Kernel;
    use crate::columns::{Column, ColumnError, InvalidRows, Offset};
    #[cfg(feature = "alloc")]
    use crate::columns::{Policy, Repair, Repaired};
    use crate::text::columns;

    /// Does what `columns::validate_offsets` does, with this kernel.
    ///
    /// # Errors
    ///
    /// Returns the errors of the public function.
    pub fn validate_offsets<O: Offset>(
        kernel: &Kernel,
        values: &[u8],
        offsets: &[O],
    ) -> Result<(), ColumnError> {
        columns::kernel.validate_offsets(values, offsets)
    }

    /// Does what `columns::validate_views` does, with this kernel.
    ///
    /// # Errors
    ///
    /// Returns the errors of the public function.
    pub fn validate_views(
        kernel: &Kernel,
        views: &[u128],
        buffers: &[impl AsRef<[u8]>],
    ) -> Result<(), ColumnError> {
        columns::kernel.validate_views(views, buffers)
    }

    /// Does what `columns::invalid_rows` does, with this kernel.
    pub fn invalid_rows<C: Column>(kernel: &'static Kernel, column: C) -> InvalidRows<C> {
        columns::kernel.invalid_rows(column)
    }

    /// Does what `columns::repair` does, with this kernel, and with offsets that reach to `limit` at most.
    ///
    /// # Errors
    ///
    /// Returns the errors of the public function.
    #[cfg(feature = "alloc")]
    pub fn repair<C: Column + Repair>(
        kernel: &'static Kernel,
        column: C,
        policy: Policy,
        limit: usize,
    ) -> Result<Repaired<C, C::Owned>, ColumnError> {
        columns::repair_with(kernel, column, policy, limit)
    }

    /// Does what `columns::validate_slices` does, with this kernel.
    ///
    /// # Errors
    ///
    /// Returns the errors of the public function.
    pub fn validate_slices<I>(kernel: &Kernel, slices: I) -> Result<(), ColumnError>
    where
        I: IntoIterator,
        I::Item: AsRef<[u8]>,
    {
        columns::kernel.validate_slices(slices)
    }
}

/// The functions of `trust8::dialect` with a kernel that the caller chooses.
#[cfg(feature = "dialect")]
pub mod dialect {
    use core::mem::MaybeUninit;

    use crate::Kernel;
    use crate::dialect::{CodePoints, Diagnosis, Dialect, DialectError, Progress};

    /// Does what `Dialect::to_utf8_into` does, with this kernel.
    ///
    /// # Errors
    ///
    /// Returns the errors of the public function.
    pub fn to_utf8_into(
        kernel: &'static Kernel,
        dialect: Dialect,
        bytes: &[u8],
        buffer: &mut [MaybeUninit<u8>],
    ) -> Result<Progress, DialectError> {
        dialect.to_utf8_into_with(Some(kernel), bytes, buffer)
    }

    /// Does what `Dialect::to_utf8_lossy_into` does, with this kernel.
    pub fn to_utf8_lossy_into(
        kernel: &'static Kernel,
        dialect: Dialect,
        bytes: &[u8],
        buffer: &mut [MaybeUninit<u8>],
    ) -> Progress {
        dialect.fill(Some(kernel), bytes, buffer, Some(char::REPLACEMENT_CHARACTER)).0
    }

    /// Does what `dialect::diagnose` does, with this kernel.
    #[must_use]
    pub fn diagnose(kernel: &'static Kernel, bytes: &[u8]) -> Diagnosis {
        crate::dialect::diagnose_with(kernel, bytes)
    }

    /// Does what `Dialect::validate` does, with this kernel.
    ///
    /// # Errors
    ///
    /// Returns the errors of the public function.
    pub fn validate(kernel: &'static Kernel, dialect: Dialect, bytes: &[u8]) -> Result<(), DialectError> {
        dialect.validate_with(kernel, bytes)
    }

    /// Does what `Dialect::decode` does, with this kernel.
    #[must_use]
    pub fn decode<'a>(kernel: &'static Kernel, dialect: Dialect, bytes: &'a [u8]) -> CodePoints<'a> {
        dialect.decode_with(kernel, bytes)
    }

    /// Does what `Dialect::to_utf8` does, with this kernel.
    ///
    /// # Errors
    ///
    /// Returns the errors of the public function.
    #[cfg(feature = "alloc")]
    pub fn to_utf8<'a>(
        kernel: &'static Kernel,
        dialect: Dialect,
        bytes: &'a [u8],
    ) -> Result<alloc::borrow::Cow<'a, str>, DialectError> {
        dialect.to_utf8_with(kernel, bytes)
    }

    /// Does what `Dialect::to_utf8_lossy` does, with this kernel.
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn to_utf8_lossy<'a>(
        kernel: &'static Kernel,
        dialect: Dialect,
        bytes: &'a [u8],
    ) -> alloc::borrow::Cow<'a, str> {
        dialect.to_utf8_lossy_with(kernel, bytes)
    }
}

/// The functions of `trust8::transcode` with a kernel that the caller chooses.
#[cfg(feature = "transcode")]
pub mod transcode {
    use core::mem::MaybeUninit;

    use crate::Kernel;
    use crate::transcode as with;
    #[cfg(feature = "alloc")]
    use crate::transcode::Error;
    use crate::transcode::{BufferError, Form, Progress};

    /// Does what `transcode::convert` does, with this kernel.
    ///
    /// # Errors
    ///
    /// Returns the errors of the public function.
    #[cfg(feature = "alloc")]
    #[inline]
    pub fn convert<F: Form, T: Form>(
        kernel: &'static Kernel,
        from: F,
        to: T,
        text: &F::Text,
    ) -> Result<T::Owned, Error> {
        with::convert_with(kernel, from, to, text)
    }

    /// Does what `transcode::convert_lossy` does, with this kernel.
    #[cfg(feature = "alloc")]
    #[inline]
    #[must_use]
    pub fn convert_lossy<F: Form, T: Form>(
        kernel: &'static Kernel,
        from: F,
        to: T,
        text: &F::Text,
    ) -> T::Owned {
        with::convert_lossy_with(kernel, from, to, text)
    }

    /// Does what `transcode::convert_into` does, with this kernel.
    ///
    /// # Errors
    ///
    /// Returns the errors of the public function.
    #[inline]
    pub fn convert_into<'b, F: Form, T: Form>(
        kernel: &'static Kernel,
        from: F,
        to: T,
        text: &F::Text,
        buffer: &'b mut [MaybeUninit<T::Unit>],
    ) -> Result<&'b mut T::Text, BufferError> {
        with::convert_into_with(kernel, from, to, text, buffer)
    }

    /// Does what `transcode::convert_into_lossy` does, with this kernel.
    ///
    /// # Errors
    ///
    /// Returns the errors of the public function.
    #[inline]
    pub fn convert_into_lossy<'b, F: Form, T: Form>(
        kernel: &'static Kernel,
        from: F,
        to: T,
        text: &F::Text,
        buffer: &'b mut [MaybeUninit<T::Unit>],
    ) -> Result<&'b mut T::Text, BufferError> {
        with::convert_into_lossy_with(kernel, from, to, text, buffer)
    }

    /// Does what `transcode::len` does, with this kernel.
    #[inline]
    #[must_use]
    pub fn len<F: Form, T: Form>(kernel: &'static Kernel, from: F, to: T, text: &F::Text) -> usize {
        with::len_with(kernel, from, to, text)
    }

    /// Does what `transcode::is_latin1` does, with this kernel.
    #[must_use]
    pub fn is_latin1(kernel: &'static Kernel, text: &str) -> bool {
        with::is_latin1_with(kernel, text)
    }

    /// Does what `transcode::lossy_len` does, with this kernel.
    #[inline]
    #[must_use]
    pub fn lossy_len<F: Form, T: Form>(kernel: &'static Kernel, from: F, to: T, text: &F::Text) -> usize {
        with::kernel.lossy_len(from, to, text)
    }

    /// Does what `transcode::make_well_formed` does, with this kernel.
    pub fn make_well_formed(kernel: &Kernel, text: &mut [u16]) {
        with::make_well_formed_with(kernel, text);
    }

    /// Does what `transcode::to_well_formed` does, with this kernel.
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn to_well_formed<'a>(kernel: &'static Kernel, text: &'a [u16]) -> alloc::borrow::Cow<'a, [u16]> {
        with::to_well_formed_with(kernel, text)
    }

    /// Does what `transcode::validate` does, with this kernel.
    ///
    /// # Errors
    ///
    /// Returns the errors of the public function.
    #[inline]
    pub fn validate<F: Form>(kernel: &'static Kernel, form: F, text: &F::Text) -> Result<(), with::Error> {
        with::validate_with(kernel, form, text)
    }

    /// Does what `transcode::ascii_up_to` does, with this kernel.
    #[inline]
    #[must_use]
    pub fn ascii_up_to<F: Form>(kernel: &'static Kernel, form: F, text: &F::Text) -> usize {
        with::kernel.ascii_up_to(form, text)
    }

    /// Does what `transcode::latin1_up_to` does, with this kernel.
    #[inline]
    #[must_use]
    pub fn latin1_up_to<F: Form>(kernel: &'static Kernel, form: F, text: &F::Text) -> usize {
        with::latin1_up_to_with(kernel, form, text)
    }

    /// Does what `transcode::convert_as_fits` does, with this kernel.
    ///
    /// # Errors
    ///
    /// Returns the errors of the public function.
    #[inline]
    pub fn convert_as_fits<F: Form, T: Form>(
        kernel: &'static Kernel,
        from: F,
        to: T,
        text: &F::Text,
        buffer: &mut [MaybeUninit<T::Unit>],
    ) -> Result<Progress, BufferError> {
        with::convert_as_fits_with(kernel, from, to, text, buffer)
    }

    /// Does what `transcode::convert_as_fits_lossy` does, with this kernel.
    #[inline]
    pub fn convert_as_fits_lossy<F: Form, T: Form>(
        kernel: &'static Kernel,
        from: F,
        to: T,
        text: &F::Text,
        buffer: &mut [MaybeUninit<T::Unit>],
    ) -> Progress {
        with::convert_as_fits_lossy_with(kernel, from, to, text, buffer)
    }
}
