//! Serialization with the crate `serde`, for reports: errors are serialized, and dialects are
//! serialized as their names.

#![forbid(unsafe_code)]

use serde_core::{Serialize, Serializer};

use crate::{Dialect, DialectError};
use trust8::engine::{error, serialized_by_name};

serialized_by_name!(Dialect);

impl Serialize for DialectError {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        error(to, "DialectError", (self.valid_up_to() as u64, self.error_len()), self.kind().name(), self)
    }
}
