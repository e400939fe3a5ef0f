//! Serialization with the crate `serde`, for reports: errors are serialized, and encodings are
//! serialized as their names.

#![forbid(unsafe_code)]

use serde_core::{Serialize, Serializer};

use crate::{BufferError, ConversionError, ConversionErrorKind, Encoding, TranscoderError};
use trust8::engine::{Message, serialized_by_name, serialized_fields};

serialized_by_name!(Encoding);

serialized_fields! {
    ConversionError, |error| {
        valid_up_to: error.valid_up_to(), error_len: error.error_len(), kind: error.kind().name(), message: Message(error)
    };
    TranscoderError, |error| {
        valid_up_to: error.valid_up_to(), error_len: error.error_len(), kind: error.kind().name(), message: Message(error)
    };
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
