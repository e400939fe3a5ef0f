//! Serialization of counts and errors with the crate `serde`, for reports.

#![forbid(unsafe_code)]

use trust8::engine::{Message, serialized_fields};

use crate::{PartError, Summary, Tally};

serialized_fields! {
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
