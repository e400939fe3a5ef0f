//! Serialization with the crate `serde`, for reports: errors are serialized, and encodings are
//! serialized as their names.

#![forbid(unsafe_code)]

use serde_core::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Encoding, Error, TranscoderError};
use trust8::engine::{by_name, error};

impl Serialize for Encoding {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Encoding {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        by_name(from)
    }
}

impl Serialize for Error {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        error(to, "Error", (self.valid_up_to() as u64, self.error_len()), self.kind().name(), self)
    }
}

impl Serialize for TranscoderError {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        error(to, "TranscoderError", (self.valid_up_to(), self.error_len()), self.kind().name(), self)
    }
}
