//! Serialization with the crate `serde`, for reports: errors are serialized, and dialects are
//! serialized as their names.

#![forbid(unsafe_code)]

use serde_core::ser::SerializeStruct;
use serde_core::{Serialize, Serializer};

use crate::{Dialect, DialectEncodeError, DialectError, DialectErrorKind};
use trust8::engine::{error, serialized_by_name};

serialized_by_name!(Dialect);

impl Serialize for DialectError {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        error(to, "DialectError", (self.valid_up_to() as u64, self.error_len()), self.kind().name(), self)
    }
}

/// Writes the number and the message.
impl Serialize for DialectEncodeError {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut fields = to.serialize_struct("DialectEncodeError", 2)?;
        fields.serialize_field("value", &self.value())?;
        fields.serialize_field("message", &format_args!("{self}"))?;
        fields.end()
    }
}

/// Writes the [name](DialectErrorKind::name).
impl Serialize for DialectErrorKind {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}
