//! Readers and writers that pass only UTF-8, or make UTF-8 of what they read.
//!
//! - [`Utf8Reader`] wraps a [`Read`](std::io::Read), [`Utf8Writer`] a [`Write`](std::io::Write).
//! - [`LossyReader`] replaces what is not UTF-8. [`TextLines`] continues after a bad line.
//! - [`read_to_string`](read_to_string()) reads to the end of a reader.
//! - [`fs::read_to_string`](fs::read_to_string()) reads a file.
//! - The crate `trust8-tokio` has the same for asynchronous I/O.
//!
//! The inner reader or writer is never trusted. Validated text stays in memory that it cannot
//! reach, or is validated again.

pub mod fs;
mod held;
mod intake;
mod lines;
mod lossy;
mod read_to_string;
mod reader;
mod writer;

use std::io;

use crate::error::{CopyError, TooSmall, Utf8Error};
use crate::names::UnknownName;
use crate::stream::StreamError;
use crate::text::string::FromUtf8Error;

pub use lines::{LineError, OnBadLine, TextLines};
pub use lossy::LossyReader;
pub use read_to_string::read_to_string;
pub use reader::Utf8Reader;
pub use writer::Utf8Writer;

/// Converts errors into errors of a reader or writer.
#[doc(hidden)]
#[macro_export]
macro_rules! into_io_errors {
    ($($kind:ident: $($error:ty),+;)+) => {$($(
        #[doc = concat!("Converts the error into an [`", stringify!($kind), "`](std::io::ErrorKind::", stringify!($kind), ")")]
        /// error that carries it.
        ///
        /// ```
        /// use std::io;
        /// use trust8::stream::{StreamError, Validator};
        ///
        /// fn field(bytes: &[u8]) -> io::Result<&str> {
        ///     Ok(trust8::from_utf8(bytes)?)
        /// }
        /// assert_eq!(field(b"ab\xFF").unwrap_err().kind(), io::ErrorKind::InvalidData);
        ///
        /// let error = io::Error::from(Validator::new().push(b"ab\xFF").unwrap_err());
        /// assert_eq!(error.downcast::<StreamError>().unwrap().valid_up_to(), 2);
        /// ```
        impl From<$error> for std::io::Error {
            fn from(error: $error) -> Self {
                Self::new(std::io::ErrorKind::$kind, error)
            }
        }
    )+)+};
}
pub use into_io_errors;
into_io_errors! {
    InvalidData: Utf8Error, StreamError, FromUtf8Error;
    InvalidInput: TooSmall, UnknownName;
}

/// Converts the error as [`TooSmall`] and [`Utf8Error`] are converted.
///
/// ```
/// use std::io;
/// use std::mem::MaybeUninit;
///
/// fn copy<'d>(text: &[u8], to: &'d mut [MaybeUninit<u8>]) -> io::Result<&'d mut str> {
///     Ok(trust8::copy_utf8(text, to)?)
/// }
/// let mut buffer = [MaybeUninit::uninit(); 3];
/// assert_eq!(copy(b"ab\xFF", &mut buffer).unwrap_err().kind(), io::ErrorKind::InvalidData);
/// assert_eq!(copy(b"four", &mut buffer).unwrap_err().kind(), io::ErrorKind::InvalidInput);
/// ```
impl From<CopyError> for io::Error {
    fn from(error: CopyError) -> Self {
        match error {
            CopyError::TooSmall(error) => error.into(),
            CopyError::Invalid(error) => error.into(),
        }
    }
}
