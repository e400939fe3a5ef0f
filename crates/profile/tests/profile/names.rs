//! Names: those of the library must not meet them, and reports have them.

/// A name that both globs bring can't be used. `Validator` and `Errors` were such names.
#[test]
fn globs_do_not_clash() {
    use trust8::*;
    use trust8_profile::*;

    let bytes = b"a\0\xFF";
    let profile_errors: ProfileErrors<'_> = Profile::POSTGRES.errors(bytes);
    let all: Errors<'_> = errors(bytes);
    assert_eq!((profile_errors.count(), all.count()), (2, 1));
    assert!(Validator::new().push(b"a\0").is_ok());
    assert!(ProfileValidator::new(Profile::POSTGRES).push(b"a\0").is_err());
}

/// Each error goes into that of a reader, and comes out of it unchanged.
#[cfg(feature = "std")]
#[test]
fn errors_are_carried_by_those_of_readers() {
    use std::io;
    use trust8_profile::{Forbidden, Profile, ProfileError, ProfilePart, ProfilePartError};

    let error = ProfilePart::of(&Profile::POSTGRES, b"a\0").finish().unwrap_err();
    let carrier = io::Error::from(error);
    assert_eq!((carrier.kind(), carrier.to_string()), (io::ErrorKind::InvalidData, error.to_string()));
    assert_eq!(carrier.downcast::<ProfilePartError>().unwrap(), error);
    let Err(ProfileError::Forbidden(found)) = Profile::POSTGRES.from_utf8(b"a\0") else { panic!() };
    assert_eq!(io::Error::from(found).downcast::<Forbidden>().unwrap(), found);
}

#[cfg(feature = "serde")]
#[test]
fn reports_are_serialised() {
    use serde_json::{from_str, json, to_value};
    use trust8_profile::{Class, Profile, ProfilePart, ProfileValidator};

    let error = Profile::POSTGRES.from_utf8(b"a\0").unwrap_err();
    let expected = json!({ "valid_up_to": 1, "error_len": 1, "kind": "nul", "message": error.to_string() });
    assert_eq!(to_value(error).unwrap(), expected);
    let error = ProfileValidator::new(Profile::POSTGRES).push(b"a\0").unwrap_err();
    assert_eq!(to_value(error).unwrap(), expected);
    let error = Profile::POSTGRES.from_utf8(b"a\xFF").unwrap_err();
    assert_eq!(to_value(error).unwrap()["kind"], "invalid-byte");
    for bytes in [&b"a\n\x1B"[..], b"a\n\xFF"] {
        let error = ProfilePart::of(&Profile::TERMINAL, bytes).finish().unwrap_err();
        let kind = if bytes[2] == 0xFF { "invalid-byte" } else { "c0-control" };
        let expected = json!({
            "valid_up_to": 2, "error_len": 1, "kind": kind, "message": error.to_string(), "line": 2, "column": 1,
        });
        assert_eq!(to_value(error).unwrap(), expected);
    }
    let census = Profile::TERMINAL.census("\0\u{202E}\0");
    assert_eq!(to_value(census).unwrap(), json!({ "nul": 2, "bidi-control": 1 }));
    for &class in Class::ALL {
        assert_eq!(from_str::<Class>(&to_value(class).unwrap().to_string()).unwrap(), class);
    }
}

#[cfg(feature = "serde")]
#[test]
fn profiles_are_serialised() {
    use trust8_profile::{Class, Profile};

    let own = Profile::POSTGRES.forbid(Class::Tab).forbid(Class::StrayTag);
    assert_eq!(serde_json::to_value(own).unwrap(), "nul, tab, stray-tag");
    assert_eq!(serde_json::to_value(Profile::SOURCE_CODE).unwrap(), "source");
    let singles = Class::ALL.iter().map(|class| Profile::new().forbid(*class));
    for profile in Profile::PRESETS.iter().map(|preset| preset.1).chain(singles).chain([own]) {
        let name = serde_json::to_value(profile).unwrap();
        assert_eq!(serde_json::from_value::<Profile>(name).unwrap(), profile);
        assert_eq!(profile.to_string().parse(), Ok(profile));
    }
    for wrong in ["", "nul,", "json", "nul; tab", "nul, json"] {
        assert!(serde_json::from_value::<Profile>(wrong.into()).is_err(), "{wrong}");
    }
    let profiles = std::collections::HashSet::from([own, Profile::POSTGRES, own.allow(Class::Tab)]);
    assert!(profiles.contains(&own) && profiles.len() == 3);
}

#[cfg(all(feature = "serde", feature = "alloc"))]
#[test]
fn policies_are_serialised() {
    use trust8_profile::ProfilePolicy;

    for &policy in ProfilePolicy::ALL {
        let name = serde_json::to_value(policy).unwrap();
        assert_eq!(serde_json::from_value::<ProfilePolicy>(name).unwrap(), policy);
    }
}
