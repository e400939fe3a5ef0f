//! Serialization of errors with the crate `serde`, for reports.

#![forbid(unsafe_code)]

use trust8::engine::{Message, serialized_fields};

use crate::{ColumnError, ColumnErrorKind};

// The offset counts the bytes of the row before the ill-formed sequence. Other errors have none.
serialized_fields! {
    ColumnError, |error| {
        row: error.row(),
        offset: match error.kind() {
            ColumnErrorKind::NotUtf8(error) => Some(error.valid_up_to()),
            _ => None,
        },
        kind: error.kind().name(),
        message: Message(&error.kind())
    };
}
