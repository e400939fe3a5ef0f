//! Serialization of counts and errors with the crate `serde`, for reports.

#![forbid(unsafe_code)]

use serde_core::ser::SerializeStruct;
use serde_core::{Serialize, Serializer};
use trust8::engine::Message;

use crate::{PartError, Summary, Tally};

/// Writes these fields.
macro_rules! fields {
    ($($type:ident, |$self:ident| { $($field:ident: $value:expr),* };)*) => {$(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                let $self = self;
                let mut fields = to.serialize_struct(stringify!($type), [$(stringify!($field)),*].len())?;
                $(fields.serialize_field(stringify!($field), &$value)?;)*
                fields.end()
            }
        }
    )*};
}

fields! {
    Summary, |counts| {
        error: counts.error(),
        bytes: counts.bytes(),
        chars: counts.chars(),
        utf16_len: counts.utf16_len(),
        newlines: counts.newlines(),
        chars_by_len: counts.chars_by_len()
    };
    Tally, |counts| {
        bytes: counts.bytes(),
        chars: counts.chars(),
        utf16_len: counts.utf16_len(),
        newlines: counts.newlines(),
        chars_by_len: counts.chars_by_len()
    };
    PartError, |error| {
        valid_up_to: error.valid_up_to(),
        error_len: error.error_len(),
        kind: error.kind().name(),
        message: Message(error),
        line: error.line(),
        column: error.column()
    };
}
