//! Serialization with the crate `serde`: errors and counts are serialized for reports, and profiles,
//! classes and policies as their names.

#![forbid(unsafe_code)]

use serde_core::ser::SerializeMap;
use serde_core::{Serialize, Serializer};

use crate::{Census, Class, Forbidden, Profile, ProfileError, ProfilePartError, ProfileStreamError};
use serde_core::{Deserialize, Deserializer};
use trust8::engine::{Message, by_name, serialized_by_name, serialized_fields};

serialized_by_name!(Class);
#[cfg(feature = "alloc")]
serialized_by_name!(crate::ProfilePolicy);

/// As `Display` writes it.
impl Serialize for Profile {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Profile {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        by_name(from)
    }
}

serialized_fields! {
    Forbidden, |found| {
        valid_up_to: found.offset(),
        error_len: Some(found.character().len_utf8()),
        kind: found.class().name(),
        message: Message(found)
    };
    ProfilePartError, |error| {
        valid_up_to: error.valid_up_to(),
        error_len: error.error_len(),
        kind: match error {
            ProfilePartError::NotUtf8(error) => error.kind().name(),
            ProfilePartError::Forbidden { found, .. } => found.class().name(),
        },
        message: Message(error),
        line: error.line(),
        column: error.column()
    };
}

impl Serialize for ProfileError {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::NotUtf8(error) => error.serialize(to),
            Self::Forbidden(found) => found.serialize(to),
        }
    }
}

impl Serialize for ProfileStreamError {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::NotUtf8(error) => error.serialize(to),
            Self::Forbidden(found) => found.serialize(to),
        }
    }
}

/// Writes the classes that occur, each with its number.
impl Serialize for Census {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut counts = to.serialize_map(None)?;
        for class in Class::ALL.iter().filter(|&&class| self.count(class) > 0) {
            counts.serialize_entry(class.name(), &self.count(*class))?;
        }
        counts.end()
    }
}
