//! The names of presets, classes and policies, matched as in the library.

#![forbid(unsafe_code)]

use core::fmt;
use core::str::FromStr;

use trust8::UnknownName;
use trust8::engine::{is_same_name, names_of};

#[cfg(feature = "alloc")]
use super::ProfilePolicy;
use super::{Class, Profile};

impl Profile {
    /// Returns the preset with this name. Case, hyphens, underscores and spaces make no difference.
    ///
    /// ```
    /// use trust8_profile::Profile;
    /// assert_eq!(Profile::by_name("i-json"), Some(Profile::I_JSON));
    /// assert_eq!(Profile::by_name("File Name"), Some(Profile::FILE_NAME));
    /// assert_eq!(Profile::by_name("json"), None);
    /// ```
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::PRESETS.iter().find(|preset| is_same_name(preset.0, name)).map(|preset| preset.1)
    }
}

impl Class {
    /// Returns the class with this name. Case, hyphens, underscores and spaces make no difference.
    ///
    /// ```
    /// use trust8_profile::Class;
    /// assert_eq!(Class::by_name("C0 control"), Some(Class::C0Control));
    /// assert_eq!(Class::by_name("tags"), None);
    /// ```
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|class| is_same_name(class.name(), name))
    }
}

/// Like [`by_name`](Profile::by_name), and the names of classes, with commas between.
///
/// ```
/// use trust8_profile::{Class, Profile};
/// assert_eq!("xml".parse(), Ok(Profile::XML_1_0));
/// assert_eq!("nul, tab".parse(), Ok(Profile::POSTGRES.forbid(Class::Tab)));
/// ```
impl FromStr for Profile {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        let classes = || {
            name.split(',').try_fold(Self::new(), |profile, name| Some(profile.forbid(Class::by_name(name)?)))
        };
        Self::by_name(name)
            .or_else(classes)
            .ok_or(UnknownName::of("profile", names_of!(Profile::PRESETS, |preset| preset.0)))
    }
}

/// Like [`by_name`](Class::by_name).
///
/// ```
/// use trust8_profile::Class;
/// assert_eq!("bidi-control".parse(), Ok(Class::BidiControl));
/// ```
impl FromStr for Class {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        Self::by_name(name)
            .ok_or(UnknownName::of("class of characters", names_of!(Class::ALL, |class| class.name())))
    }
}

/// Writes the [name](Class::name).
impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Writes the name of the preset or, for another profile, the names of the classes that it forbids.
///
/// ```
/// use trust8_profile::{Class, Profile};
/// assert_eq!(Profile::I_JSON.to_string(), "i-json");
/// assert_eq!(Profile::POSTGRES.forbid(Class::Tab).to_string(), "nul, tab");
/// ```
impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((name, _)) = Self::PRESETS.iter().find(|preset| preset.1 == *self) {
            return f.pad(name);
        }
        let mut comma = "";
        for class in Class::ALL.iter().filter(|&&class| self.forbids(class)) {
            write!(f, "{comma}{class}")?;
            comma = ", ";
        }
        Ok(())
    }
}

#[cfg(feature = "alloc")]
impl ProfilePolicy {
    /// All policies.
    pub const ALL: &'static [Self] =
        &[Self::Replace, Self::Drop, Self::Escape, Self::Caret, Self::CharacterReference];

    /// Returns the policy's name, in lower case.
    ///
    /// ```
    /// use trust8_profile::ProfilePolicy;
    /// let names: Vec<_> = ProfilePolicy::ALL.iter().map(|policy| policy.name()).collect();
    /// assert_eq!(names, ["replace", "drop", "escape", "caret", "character-reference"]);
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Replace => "replace",
            Self::Drop => "drop",
            Self::Escape => "escape",
            Self::Caret => "caret",
            Self::CharacterReference => "character-reference",
        }
    }

    /// Returns the policy with this name. Case, hyphens, underscores and spaces make no difference.
    ///
    /// ```
    /// use trust8_profile::ProfilePolicy;
    /// assert_eq!(ProfilePolicy::by_name("Character Reference"), Some(ProfilePolicy::CharacterReference));
    /// assert_eq!(ProfilePolicy::by_name("java"), None);
    /// ```
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|policy| is_same_name(policy.name(), name))
    }
}

/// ```
/// use trust8_profile::ProfilePolicy;
/// assert_eq!("Escape".parse(), Ok(ProfilePolicy::Escape));
/// assert!("java".parse::<ProfilePolicy>().unwrap_err().to_string().ends_with("caret, character-reference"));
/// ```
#[cfg(feature = "alloc")]
impl FromStr for ProfilePolicy {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        Self::by_name(name)
            .ok_or(UnknownName::of("policy", names_of!(ProfilePolicy::ALL, |policy| policy.name())))
    }
}

/// Writes the [name](ProfilePolicy::name).
#[cfg(feature = "alloc")]
impl fmt::Display for ProfilePolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
