//! The errors of columns.

#![forbid(unsafe_code)]

use core::fmt;

use trust8::Utf8Error;
use trust8::engine::Bytes;

/// The first wrong row of a column, and its error.
///
/// ```
/// use trust8_columns::{ColumnErrorKind, validate_slices};
///
/// let error = validate_slices([b"one", b"tw\xF6"]).unwrap_err();
/// assert_eq!(error.row(), 1);
/// let ColumnErrorKind::NotUtf8(in_row) = error.kind() else { panic!() };
/// assert_eq!(in_row.valid_up_to(), 2);
/// assert!(error.to_string().starts_with("row 1: invalid UTF-8 at byte 2: F6 "));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ColumnError {
    pub(super) row: usize,
    pub(super) kind: ColumnErrorKind,
}

impl ColumnError {
    /// Returns the number of the row, from 0.
    ///
    /// ```
    /// let error = trust8_columns::validate_slices(["ok".as_bytes(), b"\x80"]).unwrap_err();
    /// assert_eq!(error.row(), 1);
    /// ```
    #[inline]
    #[must_use]
    pub const fn row(&self) -> usize {
        self.row
    }

    /// Returns the error of the row.
    ///
    /// ```
    /// use trust8_columns::{ColumnErrorKind, validate_offsets};
    /// let error = validate_offsets(b"abc", &[0, 2, 4]).unwrap_err();
    /// assert_eq!(error.kind(), ColumnErrorKind::OffsetOutOfRange { offset: 4, values_len: 3 });
    /// ```
    #[inline]
    #[must_use]
    pub const fn kind(&self) -> ColumnErrorKind {
        self.kind
    }
}

/// What can be wrong with a row.
///
/// Offset n ends row n - 1 and begins row n. An offset that is wrong is reported for the row that
/// it ends. If the first offset is wrong, the error names row 0, even if the column has no rows.
///
/// ```
/// use trust8_columns::{ColumnErrorKind, validate_offsets};
///
/// let kind = |offsets: &[i64]| validate_offsets(b"abcd", offsets).unwrap_err().kind();
/// assert_eq!(kind(&[-1, 2]), ColumnErrorKind::NegativeOffset { offset: -1 });
/// assert_eq!(kind(&[0, 3, 2]), ColumnErrorKind::DecreasingOffset { from: 3, to: 2 });
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ColumnErrorKind {
    /// The row's bytes are not UTF-8. The error is that of [`from_utf8`](trust8::from_utf8) for the
    /// row alone, so its [`valid_up_to`](Utf8Error::valid_up_to) counts from the start of the row.
    NotUtf8(Utf8Error),
    /// An offset is negative.
    NegativeOffset {
        /// The offset.
        offset: i64,
    },
    /// A row ends before it begins.
    DecreasingOffset {
        /// The offset at which it begins.
        from: i64,
        /// The offset at which it ends.
        to: i64,
    },
    /// An offset is beyond the end of the values.
    OffsetOutOfRange {
        /// The offset.
        offset: i64,
        /// The length of the values.
        values_len: usize,
    },
    /// The rows of a column of fixed width end beyond the end of the values. The error names the
    /// first row that does.
    ShortValues {
        /// The length of each row.
        width: usize,
        /// The length of the values.
        values_len: usize,
    },
    /// A view holds its string of up to 12 bytes itself, and a byte after the string is not zero.
    NonZeroPadding {
        /// The string's length.
        len: u32,
    },
    /// A view names a buffer that does not exist.
    NoSuchBuffer {
        /// The buffer's number.
        buffer: u32,
        /// How many buffers there are.
        buffers: usize,
    },
    /// A view reaches beyond the end of its buffer.
    ViewOutOfRange {
        /// The buffer's number.
        buffer: u32,
        /// Where the string begins in the buffer.
        offset: u32,
        /// The string's length.
        len: u32,
        /// The buffer's length.
        buffer_len: usize,
    },
    /// A view repeats the first four bytes of its string, and they differ from those of the string.
    WrongPrefix {
        /// The four bytes in the view.
        prefix: [u8; 4],
        /// The first four bytes of the string.
        actual: [u8; 4],
    },
    /// The validity bitmap has no bit for a row. The error names the first such row.
    ShortValidity {
        /// How many rows there are.
        rows: usize,
    },
    /// The output of [`repair`](super::repair) up to the end of this row is too long for the
    /// column's offsets. If views overlap, the bad rows themselves may be.
    TooLong {
        /// The greatest length that fits.
        limit: usize,
    },
}

impl ColumnErrorKind {
    /// Returns the kind's name, which no version of this crate changes.
    ///
    /// ```
    /// use trust8_columns::ColumnErrorKind;
    /// assert_eq!(ColumnErrorKind::NegativeOffset { offset: -1 }.name(), "negative-offset");
    /// ```
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name_and_code().0
    }

    /// Returns the kind's number, which no version of this crate changes. If the row is not UTF-8,
    /// it is the number of the [`ErrorKind`](trust8::ErrorKind::code).
    ///
    /// ```
    /// use trust8_columns::validate_slices;
    ///
    /// let error = validate_slices([b"\xFF"]).unwrap_err();
    /// assert_eq!(error.kind().code(), trust8::ErrorKind::InvalidByte.code());
    /// ```
    #[must_use]
    pub const fn code(&self) -> u8 {
        self.name_and_code().1
    }

    const fn name_and_code(&self) -> (&'static str, u8) {
        match self {
            Self::NotUtf8(error) => (error.kind().name(), error.kind().code()),
            Self::NegativeOffset { .. } => ("negative-offset", 32),
            Self::DecreasingOffset { .. } => ("decreasing-offset", 33),
            Self::OffsetOutOfRange { .. } => ("offset-out-of-range", 34),
            Self::NonZeroPadding { .. } => ("non-zero-padding", 35),
            Self::NoSuchBuffer { .. } => ("no-such-buffer", 36),
            Self::ViewOutOfRange { .. } => ("view-out-of-range", 37),
            Self::WrongPrefix { .. } => ("wrong-prefix", 38),
            Self::ShortValidity { .. } => ("short-validity", 39),
            Self::TooLong { .. } => ("too-long", 40),
            Self::ShortValues { .. } => ("short-values", 41),
        }
    }
}

impl fmt::Display for ColumnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "row {}: {}", self.row, self.kind)
    }
}

impl fmt::Display for ColumnErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotUtf8(error) => error.fmt(f),
            Self::NegativeOffset { offset } => {
                write!(f, "offsets must not be negative: this one is {offset}")
            }
            Self::DecreasingOffset { from, to } => {
                write!(f, "offsets must not decrease: {from} is followed by {to}")
            }
            Self::OffsetOutOfRange { offset, values_len } => {
                let values = Bytes(*values_len);
                write!(f, "the offset {offset} is beyond the end of the values, which have {values}")
            }
            Self::ShortValues { width, values_len } => {
                let (row, values) = (Bytes(*width), Bytes(*values_len));
                write!(f, "a row of {row} ends beyond the end of the values, which have {values}")
            }
            Self::NonZeroPadding { len } => {
                write!(f, "the view must have zeros after its string of {}", Bytes(*len as usize))
            }
            Self::NoSuchBuffer { buffer, buffers } => {
                write!(f, "the view names buffer {buffer}, and the number of buffers is {buffers}")
            }
            Self::ViewOutOfRange { buffer, offset, len, buffer_len } => {
                let has = Bytes(*buffer_len);
                write!(f, "the view names {len} bytes from byte {offset} on, and buffer {buffer} has {has}")
            }
            Self::WrongPrefix { prefix, actual } => {
                write!(f, "the view has the prefix {prefix:02X?}, and its string begins with {actual:02X?}")
            }
            Self::ShortValidity { rows } => {
                write!(f, "the validity bitmap has no bit for this row, and the number of rows is {rows}")
            }
            Self::TooLong { limit } => {
                write!(f, "the repaired rows up to this one have more than {}", Bytes(*limit))
            }
        }
    }
}

impl core::error::Error for ColumnError {}

#[cfg(feature = "std")]
trust8::engine::into_io_errors!(InvalidData: ColumnError;);
