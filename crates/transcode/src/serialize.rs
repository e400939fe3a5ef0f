//! Serialization with the crate `serde`, for reports: errors are serialized, and encodings are
//! serialized as their names.

#![forbid(unsafe_code)]

use serde_core::{Serialize, Serializer};

use crate::{BufferError, ConversionErrorKind, Encoding, Error, TranscoderError};
use trust8::engine::{error, serialized_by_name};

serialized_by_name!(Encoding);

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

impl Serialize for BufferError {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::TooSmall(error) => error.serialize(to),
            Self::Invalid { error, .. } => error.serialize(to),
        }
    }
}

/// Writes the [name](ConversionErrorKind::name).
impl Serialize for ConversionErrorKind {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}
