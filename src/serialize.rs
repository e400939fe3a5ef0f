//! What goes into reports, for the crate `serde`: errors, places and counts are written; kinds and
//! policies are their names.

#![forbid(unsafe_code)]

use core::fmt;
use core::marker::PhantomData;
use core::str::FromStr;

use serde_core::de::{Deserializer, Error, Visitor};
use serde_core::ser::{Serialize, Serializer};

#[cfg(feature = "std")]
use crate::io::LineError;
use crate::names::UnknownName;
use crate::stream::StreamError;
use crate::{CopyError, ErrorKind, Location, TooSmall, Utf8Error};

/// Reads a value by its name.
///
/// # Errors
///
/// Returns an error that lists the names if nothing has this one.
pub fn by_name<'de, T: FromStr<Err = UnknownName>, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    struct Name<T>(PhantomData<T>);

    impl<T: FromStr<Err = UnknownName>> Visitor<'_> for Name<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a name")
        }

        fn visit_str<E: Error>(self, name: &str) -> Result<T, E> {
            name.parse().map_err(E::custom)
        }
    }

    from.deserialize_str(Name(PhantomData))
}

/// A message, written as text.
pub struct Message<'a>(pub &'a dyn fmt::Display);

impl Serialize for Message<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self.0)
    }
}

/// Reads and writes a type by its name.
#[doc(hidden)]
#[macro_export]
macro_rules! serialized_by_name {
    ($type:ty) => {
        impl serde_core::Serialize for $type {
            fn serialize<S: serde_core::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(self.name())
            }
        }

        impl<'de> serde_core::Deserialize<'de> for $type {
            fn deserialize<D: serde_core::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                $crate::engine::by_name(from)
            }
        }
    };
}
pub use serialized_by_name;

serialized_by_name!(ErrorKind);
serialized_by_name!(crate::Policy);

/// Writes types field by field.
#[doc(hidden)]
#[macro_export]
macro_rules! serialized_fields {
    ($($type:ident, |$self:ident| { $($field:ident: $value:expr),* };)*) => {$(
        impl serde_core::Serialize for $type {
            fn serialize<S: serde_core::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                use serde_core::ser::SerializeStruct as _;

                let $self = self;
                let mut fields = to.serialize_struct(stringify!($type), [$(stringify!($field)),*].len())?;
                $(fields.serialize_field(stringify!($field), &$value)?;)*
                fields.end()
            }
        }
    )*};
}
pub use serialized_fields;

serialized_fields! {
    Utf8Error, |error| {
        valid_up_to: error.valid_up_to(), error_len: error.error_len(), kind: error.kind().name(), message: Message(error)
    };
    StreamError, |error| {
        valid_up_to: error.valid_up_to(), error_len: error.error_len(), kind: error.kind().name(), message: Message(error)
    };
    TooSmall, |error| { needed: error.needed, len: error.len, message: Message(error) };
    UnknownName, |error| { names: error.names(), message: Message(error) };
    Location, |place| { line: place.line, column: place.column, byte_column: place.byte_column };
}

// The bytes of the line are not written.
#[cfg(feature = "std")]
serialized_fields! {
    LineError, |error| {
        valid_up_to: match error { LineError::NotUtf8 { error, .. } => Some(error.valid_up_to()), _ => None }, message: Message(error)
    };
}

/// Writes what the error consists of.
impl Serialize for CopyError {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::TooSmall(error) => error.serialize(to),
            Self::Invalid(error) => error.serialize(to),
        }
    }
}

/// Writes the error without the bytes.
#[cfg(feature = "alloc")]
impl Serialize for crate::FromUtf8Error {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.utf8_error().serialize(to)
    }
}
