//! Serialization with the crate `serde`, for reports: errors are serialized, and dialects are
//! serialized as their names.

#![forbid(unsafe_code)]

use serde_core::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Dialect, DialectError};
use trust8::engine::{by_name, error};

impl Serialize for Dialect {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Dialect {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        by_name(from)
    }
}

impl Serialize for DialectError {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        error(to, "DialectError", (self.valid_up_to() as u64, self.error_len()), self.kind().name(), self)
    }
}
