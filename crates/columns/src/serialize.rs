//! Serialization of errors with the crate `serde`, for reports.

#![forbid(unsafe_code)]

use serde_core::ser::SerializeStruct;
use serde_core::{Serialize, Serializer};
use trust8::engine::Message;

use crate::{ColumnError, ColumnErrorKind};

/// The offset counts the bytes of the row before the ill-formed sequence. Other errors have none.
impl Serialize for ColumnError {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut fields = to.serialize_struct("ColumnError", 4)?;
        fields.serialize_field("row", &self.row())?;
        let offset = match self.kind() {
            ColumnErrorKind::NotUtf8(error) => Some(error.valid_up_to()),
            _ => None,
        };
        fields.serialize_field("offset", &offset)?;
        fields.serialize_field("kind", self.kind().name())?;
        fields.serialize_field("message", &Message(&self.kind()))?;
        fields.end()
    }
}
