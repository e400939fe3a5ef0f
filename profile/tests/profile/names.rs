//! Names that must not meet those of the library.

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
