//! Names of policies, encodings, dialects and kernels: one rule for all.

#![forbid(unsafe_code)]

use core::fmt;

/// Returns whether two names are the same. Upper and lower case, hyphens, underscores and spaces
/// make no difference.
#[must_use]
pub fn is_same_name(one: &str, other: &str) -> bool {
    fn bare(name: &str) -> impl Iterator<Item = u8> {
        name.bytes().filter(|byte| !b"-_ ".contains(byte)).map(|byte| byte.to_ascii_lowercase())
    }
    bare(one).eq(bare(other))
}

/// The names of all items of a constant list, as a constant list.
#[doc(hidden)]
#[macro_export]
macro_rules! names_of {
    ($all:expr, |$item:ident| $name:expr) => {
        const {
            let (mut names, mut i) = ([""; $all.len()], 0);
            while i < names.len() {
                let $item = &$all[i];
                names[i] = $name;
                i += 1;
            }
            &{ names }
        }
    };
}
pub use names_of;

/// Implements `Display` for types with a name.
#[doc(hidden)]
#[macro_export]
macro_rules! displayed_by_name {
    ($type:ty) => {
        /// Writes the name.
        impl core::fmt::Display for $type {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}
pub use displayed_by_name;

/// The error of [`str::parse`] for an unknown name. The message lists the known names.
///
/// ```
/// use trust8::Policy;
///
/// let error = "mend".parse::<Policy>().unwrap_err();
/// assert_eq!(error.to_string(), "no policy has this name; the names are replace, java, drop, null, escape, windows-1252");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct UnknownName {
    what: &'static str,
    names: &'static [&'static str],
}

impl UnknownName {
    /// Writes what has no such name, and the known names.
    #[doc(hidden)]
    #[must_use]
    pub const fn of(what: &'static str, names: &'static [&'static str]) -> Self {
        Self { what, names }
    }

    /// Returns the known names.
    ///
    /// ```
    /// let error = "mend".parse::<trust8::Policy>().unwrap_err();
    /// assert!(error.names().contains(&"escape"));
    /// ```
    #[must_use]
    pub const fn names(&self) -> &'static [&'static str] {
        self.names
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no {} has this name; the names are ", self.what)?;
        for (i, name) in self.names.iter().enumerate() {
            write!(f, "{}{name}", if i > 0 { ", " } else { "" })?;
        }
        Ok(())
    }
}

impl core::error::Error for UnknownName {}
