//! Names that must not meet those of a user, or of the library.

use trust8_transcode::Form;

/// A user's trait, whose methods have the short names.
trait Described: Copy {
    fn bytes(self) -> usize {
        1
    }

    fn layout(self) -> usize {
        2
    }
}

impl<F: Form> Described for F {}

fn describe<F: Form>(form: F) -> usize {
    form.bytes() + form.layout()
}

/// `bytes` and `layout` were also methods of a hidden supertrait, so these calls were ambiguous.
#[test]
fn hidden_methods_hide_no_others() {
    assert_eq!(describe(trust8_transcode::Utf16), 3);
}

/// A name that both globs bring can't be used. These were such names.
#[test]
fn globs_do_not_clash() {
    use trust8::*;
    use trust8_counts::*;
    use trust8_transcode::*;

    let (bytes, units) = (b"a\xFF", [0x61, 0xDC00]);
    assert_eq!((lossy_len(bytes), len_lossy(Utf16, Str, &units)), (4, 4));
    assert_eq!((errors(bytes).count(), errors_in(Utf16, &units).count()), (1, 1));
    assert_eq!((ascii_up_to(bytes), ascii_up_to_in(Utf16, &units)), (1, 1));
    assert!(!is_ascii(bytes) && !is_ascii_in(Utf16, &units));
    assert_ne!(ErrorKind::Overlong.name(), ConversionErrorKind::LoneLow(0xDC00).name());
    let (_, _): (Option<Errors<'_>>, Option<ErrorsIn<'_>>) = (None, None);
}

#[cfg(feature = "serde")]
#[test]
fn reports_are_serialised() {
    use serde_json::{from_str, json, to_value};
    use trust8_transcode::{BufferError, Encoding, Utf16, validate};

    let error = validate(Utf16, &[0x61, 0xDC00]).unwrap_err();
    let expected = json!({
        "valid_up_to": 1, "error_len": 1, "kind": "lone-low-surrogate", "message": error.to_string(),
    });
    assert_eq!(to_value(error).unwrap(), expected);
    assert_eq!(to_value(BufferError::Invalid { error, written: 1 }).unwrap(), to_value(error).unwrap());
    assert_eq!(to_value(error.kind()).unwrap(), json!("lone-low-surrogate"));
    assert_eq!(format!("{:>20}", error.kind()), "  lone-low-surrogate");
    for encoding in Encoding::ALL {
        assert_eq!(from_str::<Encoding>(&to_value(encoding).unwrap().to_string()).unwrap(), *encoding);
    }
}
