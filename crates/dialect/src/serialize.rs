//! Serialization with the crate `serde`, for reports: errors are serialized, and dialects are
//! serialized as their names.

#![forbid(unsafe_code)]

use serde_core::{Serialize, Serializer};

use crate::{Dialect, DialectError, DialectErrorKind};
use trust8::engine::{Message, serialized_by_name, serialized_fields};

serialized_by_name!(Dialect);

serialized_fields! {
    DialectError, |error| {
        valid_up_to: error.valid_up_to(), error_len: error.error_len(), kind: error.kind().name(), message: Message(error)
    };
}

/// Writes the [name](DialectErrorKind::name).
impl Serialize for DialectErrorKind {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}
