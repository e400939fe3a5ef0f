//! Errors of rows.

#![forbid(unsafe_code)]

use std::{fmt, io};

use trust8::Utf8Error;
use trust8_columns::{ColumnError, ColumnErrorKind, Policy};
use trust8_profile::{self as profile, Forbidden, ProfileError};

/// A row that is not UTF-8, or whose offsets, views or children violate Arrow's layout.
///
/// ```
/// use arrow_array::BinaryArray;
/// use trust8_arrow::as_utf8;
///
/// let error = as_utf8(&BinaryArray::from_vec(vec![b"ok", b"caf\xE9"])).unwrap_err();
/// assert_eq!((error.row(), error.path()), (1, ""));
/// assert!(error.to_string().starts_with("row 1: invalid UTF-8 at byte 3: E9 "));
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct RowError {
    pub(crate) row: usize,
    pub(crate) path: String,
    pub(crate) reason: Reason,
    /// The number of the batch, if the layout of a later one is wrong than the first.
    batch: Option<usize>,
}

/// The error of a row.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Reason {
    /// The bytes are not UTF-8.
    NotUtf8(Utf8Error),
    /// A profile forbids a character.
    Forbidden(Forbidden),
    /// An offset or a view is wrong, or the repaired rows are too long for their offsets.
    Layout(ColumnErrorKind),
    /// The array does not have the shape of its type.
    Shape(&'static str),
}

impl RowError {
    /// Returns the number of the row, from 0.
    ///
    /// If the bytes are not UTF-8, it is a row of the whole array. Otherwise it is a row of the
    /// inner array that the [path](Self::path) names.
    #[must_use]
    pub fn row(&self) -> usize {
        self.row
    }

    /// Returns the path to the value inside the row: `.name` for a field of a struct, `[]` for an
    /// item of a list, `.key` and `.value` for those of a map. It is empty if the row is the value.
    /// In a record batch, it begins with the name of the column.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns where in the value the ill-formed sequence or the forbidden character begins, or `None`
    /// if the layout is wrong.
    #[must_use]
    pub fn offset(&self) -> Option<usize> {
        match self.reason {
            Reason::NotUtf8(error) => Some(error.valid_up_to()),
            Reason::Forbidden(found) => usize::try_from(found.offset()).ok(),
            Reason::Layout(_) | Reason::Shape(_) => None,
        }
    }

    /// Returns the name of the kind of error: see [`Reason::name`].
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.reason.name()
    }

    /// Returns the error.
    #[must_use]
    pub fn reason(&self) -> Reason {
        self.reason
    }

    pub(crate) fn new(row: usize, path: &str, reason: Reason) -> Self {
        Self { row, path: path.to_owned(), reason, batch: None }
    }

    pub(crate) fn shape(row: usize, path: &str, what: &'static str) -> Self {
        Self::new(row, path, Reason::Shape(what))
    }

    /// Returns the error for an array that comes after this many rows.
    pub(crate) fn after_rows(self, rows: usize) -> Self {
        Self { row: self.row.saturating_add(rows), ..self }
    }

    /// Returns the error for a batch of a reader.
    pub(crate) fn in_batch(self, batch: usize) -> Self {
        Self { batch: Some(batch), ..self }
    }

    pub(crate) fn column(path: &str, error: ColumnError) -> Self {
        let reason = match error.kind() {
            ColumnErrorKind::NotUtf8(error) => Reason::NotUtf8(error),
            kind => Reason::Layout(kind),
        };
        Self::new(error.row(), path, reason)
    }
}

/// Converts the error into an [`InvalidData`](io::ErrorKind::InvalidData) error that carries it.
///
/// ```
/// use arrow_array::BinaryArray;
/// use trust8_arrow::{RowError, as_utf8};
///
/// let error = as_utf8(&BinaryArray::from_vec(vec![b"caf\xE9"])).unwrap_err();
/// let error = std::io::Error::from(error);
/// assert_eq!(error.kind(), std::io::ErrorKind::InvalidData);
/// assert_eq!(error.downcast::<RowError>().unwrap().offset(), Some(3));
/// ```
impl From<RowError> for io::Error {
    fn from(error: RowError) -> Self {
        Self::new(io::ErrorKind::InvalidData, error)
    }
}

#[cfg(feature = "serde")]
trust8::engine::serialized_fields! {
    RowError, |error| {
        row: error.row,
        path: &*error.path,
        offset: error.offset(),
        kind: error.kind(),
        message: trust8::engine::Message(&error.reason)
    };
}

impl Reason {
    /// Returns the name of the kind of error: that of [`trust8::ErrorKind::name`] or
    /// [`trust8_profile::Class::name`], or `layout`, or `shape`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::NotUtf8(error) => error.kind().name(),
            Self::Forbidden(found) => found.class().name(),
            Self::Layout(_) => "layout",
            Self::Shape(_) => "shape",
        }
    }
}

impl From<ProfileError> for Reason {
    fn from(error: ProfileError) -> Self {
        match error {
            ProfileError::NotUtf8(error) => Self::NotUtf8(error),
            ProfileError::Forbidden(found) => Self::Forbidden(found),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotUtf8(error) => error.fmt(f),
            Self::Forbidden(found) => found.fmt(f),
            Self::Layout(kind) => kind.fmt(f),
            Self::Shape(what) => f.write_str(what),
        }
    }
}

impl fmt::Display for RowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(batch) = self.batch {
            write!(f, "batch {batch}, ")?;
        }
        write!(f, "row {}", self.row)?;
        if !self.path.is_empty() {
            write!(f, ", {}", self.path)?;
        }
        write!(f, ": {}", self.reason)
    }
}

// The message includes the reason. With that as the source, a report of all sources would repeat
// it.
impl std::error::Error for RowError {}

/// Returns the replacement of a forbidden character under `policy`. A policy that makes rows null
/// has none.
#[doc(hidden)]
#[must_use]
pub fn policy_for_forbidden(policy: Policy) -> Option<profile::ProfilePolicy> {
    match policy {
        Policy::Null => None,
        Policy::Drop => Some(profile::ProfilePolicy::Drop),
        Policy::Escape => Some(profile::ProfilePolicy::Escape),
        _ => Some(profile::ProfilePolicy::Replace),
    }
}
