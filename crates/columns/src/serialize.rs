//! Serialization of errors with the crate `serde`, for reports.

#![forbid(unsafe_code)]

use serde_core::ser::SerializeStruct;
use serde_core::{Serialize, Serializer};
use trust8::engine::Message;

use crate::ColumnError;

impl Serialize for ColumnError {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut fields = to.serialize_struct("ColumnError", 3)?;
        fields.serialize_field("row", &self.row())?;
        fields.serialize_field("kind", self.kind().name())?;
        fields.serialize_field("message", &Message(&self.kind()))?;
        fields.end()
    }
}
