//! What the public functions and types promise besides the verdict.

use std::collections::HashSet;
use std::error::Error;
use std::fmt::Debug;
use std::hash::Hash;
use std::ptr::NonNull;

use super::support::kernels::{check, fault_of, ways};
use super::support::malformed::MALFORMED;
use super::support::oracle;
use super::support::scale::Thin;
use super::support::text::Filler;
use trust8::{ErrorKind, Kernel, Utf8Error, from_utf8, from_utf8_mut, is_utf8};

/// Returns the error of bytes that are not valid. (`unwrap_err` prints the value if there is no error. If a kernel let
/// invalid bytes through, printing the `str` would be undefined behaviour, so this drops the `str` first.)
#[track_caller]
fn error(bytes: &[u8]) -> Utf8Error {
    from_utf8(bytes).map(str::as_bytes).unwrap_err()
}

#[test]
fn the_entry_points_answer_as_the_reference_does() {
    for malformed in &MALFORMED {
        for filler in Filler::all() {
            for offset in [0, 1, 2, 3, 15, 31, 63, 64, 65, 130, 300, 700, 1100, 3000] {
                let text = filler.before(offset).concat();
                assert!(is_utf8(&text));
                assert_eq!(from_utf8(&text).map(str::as_bytes), Ok(&text[..]));

                let mut bytes = [&text, malformed.bytes].concat();
                let expected = malformed.fault_at_end(offset);
                assert!(!is_utf8(&bytes));
                let error = error(&bytes);
                assert_eq!(fault_of(&error), expected);
                assert_eq!(from_utf8_mut(&mut bytes).map(|text| text.len()), Err(error));
                assert_eq!(Kernel::best().from_utf8(&bytes).map(str::len), Err(error));
            }
        }
    }
}

#[test]
fn text_is_where_the_bytes_are() {
    for len in [0, 1, 63, 64, 65, 257, 1023, 1024, 5000] {
        let mut bytes = vec![b'a'; len];
        let (at, is_at) = (bytes.as_ptr(), from_utf8(&bytes).unwrap().as_ptr());
        assert_eq!(at, is_at);
        assert_eq!(from_utf8_mut(&mut bytes).unwrap().as_mut_ptr().cast_const(), at);
        assert_eq!(from_utf8_mut(&mut bytes).unwrap().len(), len);
    }
}

#[test]
fn mutable_text_can_be_changed() {
    let mut bytes = "grün, 緑".to_owned().into_bytes();
    from_utf8_mut(&mut bytes).unwrap().make_ascii_uppercase();
    assert_eq!(bytes, "GRüN, 緑".as_bytes());
}

#[test]
fn mutable_bytes_that_are_not_valid_stay_as_they_are() {
    let mut bytes = *b"ab\xE2\x82c";
    let error = from_utf8_mut(&mut bytes).map(|text| text.len()).unwrap_err();
    assert_eq!((error.valid_up_to(), error.error_len(), error.kind()), (2, Some(2), ErrorKind::Truncated));
    assert_eq!(&bytes, b"ab\xE2\x82c");
}

#[test]
fn empty_input() {
    check(&[]);
    check(&b"abc"[3..]);
    check(&b"\xFFabc"[..0]);
    check(&Vec::new());
    assert_eq!(from_utf8(&[]), Ok(""));
    assert_eq!(from_utf8_mut(&mut []).unwrap(), "");
    // The byte before is a lead, and the byte after a continuation.
    check(&b"\xF1\x80"[1..1]);
}

/// The pointer of an empty slice need not point to memory: any address but null will do.
#[test]
fn empty_input_whose_pointer_dangles() {
    for address in [1, 2, 63, 64, 4095, 4096, usize::MAX >> 1, usize::MAX - 63, usize::MAX] {
        let nowhere = NonNull::new(std::ptr::without_provenance_mut(address)).unwrap();
        // SAFETY: a slice of no bytes may have any address but null.
        let empty = unsafe { std::slice::from_raw_parts(nowhere.as_ptr(), 0) };
        check(empty);
        assert!(is_utf8(empty));
    }
}

const fn is_free_to_share<T: Copy + Eq + Hash + Debug + Send + Sync + Unpin + 'static>() {}
const fn is_an_error<T: Error + Send + Sync + 'static>() {}

#[test]
fn the_types_have_the_traits() {
    is_free_to_share::<Utf8Error>();
    is_free_to_share::<ErrorKind>();
    is_an_error::<Utf8Error>();
    // `Option<usize>` and two words; a `Result<&str, _>` is copied about.
    assert!(size_of::<Utf8Error>() <= 2 * size_of::<u64>());
    assert_eq!(size_of::<ErrorKind>(), 1);
}

const fn evaluated_by_the_compiler(error: &Utf8Error) -> (usize, Option<usize>, ErrorKind) {
    (error.valid_up_to(), error.error_len(), error.kind())
}

#[test]
fn the_getters_are_const() {
    let error = error(b"ab\xED\xA0\x80");
    assert_eq!(evaluated_by_the_compiler(&error), (2, Some(1), ErrorKind::Surrogate));
}

#[test]
fn errors_compare_and_hash_by_what_they_say() {
    let copy = error(b"a\xFF");
    assert_eq!(copy, error(b"a\xFF"));
    assert_ne!(copy, error(b"\xFF"), "place");
    assert_ne!(copy, error(b"a\xC0"), "kind");
    assert_ne!(error(b"\xE2\x82"), error(b"\xE2\x82!"), "incomplete or truncated");
    // Bytes before the error, and far after it, are not part of it.
    assert_eq!(error(b"a\xC3( and so on"), error(b"b\xC3( or not"));

    let distinct: HashSet<Utf8Error> = MALFORMED.iter().map(|malformed| error(malformed.bytes)).collect();
    for malformed in &MALFORMED {
        assert!(distinct.contains(&error(malformed.bytes)));
    }
    assert!(!distinct.contains(&error(b"something else\xFF")));
}

#[test]
fn kinds_compare_hash_and_print() {
    use ErrorKind::*;
    let kinds = [UnexpectedContinuation, InvalidByte, Overlong, Surrogate, TooLarge, Truncated, Incomplete];
    assert_eq!(HashSet::from(kinds).len(), 7);
    assert_eq!(
        kinds.map(|kind| format!("{kind:?}")),
        [
            "UnexpectedContinuation",
            "InvalidByte",
            "Overlong",
            "Surrogate",
            "TooLarge",
            "Truncated",
            "Incomplete"
        ]
    );
}

/// One example of each form of message.
#[test]
fn messages() {
    const A_CHARACTER: &str = "expected a first byte (00 to 7F, C2 to F4)";
    let messages: [(&[u8], &str); 17] = [
        (b"abc\x9F", &format!("3: 9F is a continuation byte where a character must begin; {A_CHARACTER}")),
        (b"\xF8\x88\x80\x80\x80", &format!("0: F8 never appears in UTF-8; {A_CHARACTER}")),
        (b"\xC0\x80", &format!("0: C0 begins an overlong form of an ASCII character; {A_CHARACTER}")),
        (b"/\xC1\xAF", &format!("1: C1 begins an overlong form of an ASCII character; {A_CHARACTER}")),
        (b"\xE0\x80\xAF", "0: E0 80 begins an overlong form; expected A0 to BF after E0"),
        (b"\xF0\x8F\xBF\xBF", "0: F0 8F begins an overlong form; expected 90 to BF after F0"),
        (b"\xED\xA0\x80", "0: ED A0 begins a surrogate (U+D800 to U+DFFF); expected 80 to 9F after ED"),
        (b"\xF4\x90\x80\x80", "0: F4 90 begins a character above U+10FFFF; expected 80 to 8F after F4"),
        (b"\xF7\xBF\xBF\xBF", &format!("0: F7 begins a character above U+10FFFF; {A_CHARACTER}")),
        (
            b"a\xC3(",
            "1: C3 begins a character of 2 bytes, and 28 follows; expected a continuation byte (80 to BF)",
        ),
        (
            b"\xE0\x0A",
            "0: E0 begins a character of 3 bytes, and 0A follows; expected a continuation byte (A0 to BF)",
        ),
        (
            b"\xED\xED",
            "0: ED begins a character of 3 bytes, and ED follows; expected a continuation byte (80 to 9F)",
        ),
        (
            b"\xF0\xF0",
            "0: F0 begins a character of 4 bytes, and F0 follows; expected a continuation byte (90 to BF)",
        ),
        (
            b"\xF4\x00",
            "0: F4 begins a character of 4 bytes, and 00 follows; expected a continuation byte (80 to 8F)",
        ),
        (
            b"\xF0\x9F\x98 :-)",
            "0: F0 9F 98 begins a character of 4 bytes, and 20 follows; expected a continuation byte (80 to BF)",
        ),
        (
            b"ok \xE2\x82",
            "3: E2 82 begins a character of 3 bytes, and the input ends; expected a continuation byte (80 to BF)",
        ),
        (
            b"\xF4",
            "0: F4 begins a character of 4 bytes, and the input ends; expected a continuation byte (80 to 8F)",
        ),
    ];
    for (bytes, message) in messages {
        let error = error(bytes);
        assert_eq!(error.to_string(), format!("invalid UTF-8 at byte {message}"));
    }
}

/// Each message names the place and the first bad byte. It is a single line without a full stop, so that programs can
/// put it into messages of their own.
#[test]
fn every_message_names_the_place_and_the_bytes() {
    for malformed in &MALFORMED {
        for offset in [0, 7, 1000] {
            let bytes = [&vec![b'a'; offset], malformed.bytes].concat();
            let fault = malformed.fault_at_end(offset);
            let message = error(&bytes).to_string();
            let begin =
                format!("invalid UTF-8 at byte {}: {:02X}", fault.valid_up_to, bytes[fault.valid_up_to]);
            assert!(message.starts_with(&begin), "{message}");
            assert!(message.contains("; expected "), "{message}");
            assert!(!message.contains('\n') && !message.ends_with('.'), "{message}");
        }
    }
}

#[test]
fn debug_output_shows_the_fields() {
    let error = error(b"a\xE2\x82!");
    assert_eq!(
        format!("{error:?}"),
        "Utf8Error { valid_up_to: 1, error_len: Some(2), kind: Truncated, bytes: E2 82 21 }"
    );
}

#[test]
fn errors_become_the_standard_librarys() {
    for malformed in &MALFORMED {
        for offset in [0, 1, 63, 64, 1000] {
            for after in ["", "a", "é"] {
                let bytes = [&vec![b'a'; offset], malformed.bytes, after.as_bytes()].concat();
                let expected = core::str::from_utf8(&bytes).unwrap_err();
                for way in ways() {
                    assert_eq!(
                        way.kernel.from_utf8(&bytes).map(str::len).unwrap_err().to_std(&bytes),
                        expected,
                        "{}",
                        way.name
                    );
                }
            }
        }
    }
}

/// `to_std` promises not to panic, whatever bytes it is given.
#[test]
fn errors_become_the_standard_librarys_for_the_wrong_bytes() {
    for malformed in &MALFORMED {
        let error = error(malformed.bytes);
        assert_eq!(error.to_std(b"valid").valid_up_to(), 0);
        assert_eq!(error.to_std(b"").valid_up_to(), 0);
        assert_eq!(error.to_std(b"ab\xFF").valid_up_to(), 2);
    }
}

/// An error as a `dyn Error`, as most programs pass it on.
#[test]
fn errors_travel_as_dyn_errors() {
    fn parse(bytes: &[u8]) -> Result<&str, Box<dyn Error + Send + Sync>> {
        Ok(from_utf8(bytes)?)
    }
    assert_eq!(parse(b"abc").unwrap(), "abc");
    let error = parse(b"abc\xFF").map(str::len).unwrap_err();
    assert!(error.source().is_none());
    assert_eq!(error.downcast_ref::<Utf8Error>().map(Utf8Error::kind), Some(ErrorKind::InvalidByte));
}

/// A report of an error and all its sources has each message once.
#[test]
fn no_source_repeats_an_error() {
    let bytes = b"abc\xFF";
    let copied = trust8::copy_utf8(bytes, &mut [std::mem::MaybeUninit::uninit(); 4]).map(|_| ()).unwrap_err();
    assert!(copied.to_string().contains(&from_utf8(bytes).map(str::as_bytes).unwrap_err().to_string()));
    assert!(copied.source().is_none());
}

/// The reason borrowed the error, which often is a temporary value.
#[test]
fn reasons_outlive_the_error() {
    let reason = error(b"\xFF").reason();
    assert!(reason.to_string().starts_with("FF never"));
    let reason = trust8::Validator::new().push(b"\xFF").unwrap_err().reason();
    assert!(reason.to_string().starts_with("FF never"));
}

#[test]
fn kinds_are_found_by_name() {
    for &kind in ErrorKind::ALL {
        assert_eq!(kind.name().to_uppercase().replace('-', " ").parse(), Ok(kind));
        assert_eq!(format!("{kind:>25}"), format!("{:>25}", kind.name()));
    }
    assert_eq!("huge".parse::<ErrorKind>().unwrap_err().names().len(), ErrorKind::ALL.len());
}

/// Iterators showed their innards.
#[test]
fn iterators_show_what_is_left() {
    let mut characters = trust8::decode(b"ab\xFF");
    characters.next();
    let rest: Vec<_> = characters.clone().collect();
    assert_eq!(format!("{characters:?}"), format!("{rest:?}"));
    let mut locator = trust8::Locator::new(b"a\nb");
    locator.locate(3);
    assert_eq!(format!("{locator:?}"), "Locator { at: 3, line: 2, column: 2 }");
}

#[cfg(feature = "serde")]
#[test]
fn reports_are_serialised() {
    use serde_json::{from_str, json, to_value};
    use trust8::Policy;

    let bytes = b"ab\ncaf\xE9!";
    let expected = json!({
        "valid_up_to": 6, "error_len": 1, "kind": "truncated",
        "message": error(bytes).to_string(),
    });
    assert_eq!(to_value(error(bytes)).unwrap(), expected);
    assert_eq!(to_value(trust8::Validator::new().push(bytes).unwrap_err()).unwrap(), expected);
    let place = json!({ "line": 2, "column": 4, "byte_column": 4 });
    assert_eq!(to_value(trust8::locate(bytes, 6)).unwrap(), place);
    assert_eq!(from_str::<ErrorKind>("\"Too Large\"").unwrap(), ErrorKind::TooLarge);
    let owned = trust8::string_from_utf8(bytes.to_vec()).unwrap_err();
    assert_eq!(to_value(owned).unwrap(), to_value(error(bytes)).unwrap());
    let mut buffer = [std::mem::MaybeUninit::uninit(); 8];
    let copied = trust8::copy_utf8(bytes, &mut buffer).unwrap_err();
    assert_eq!(to_value(copied).unwrap(), to_value(error(bytes)).unwrap());
    let too_small = trust8::copy_utf8(bytes, &mut buffer[..2]).unwrap_err();
    let message = too_small.to_string();
    assert_eq!(to_value(too_small).unwrap(), json!({ "needed": 8, "len": 2, "message": message }));
    let name = "mend".parse::<Policy>().unwrap_err();
    assert_eq!(to_value(name).unwrap()["names"], json!(name.names()));
    for &policy in Policy::ALL {
        assert_eq!(from_str::<Policy>(&to_value(policy).unwrap().to_string()).unwrap(), policy);
    }
    assert!(from_str::<Policy>("\"mend\"").unwrap_err().to_string().contains("the names are replace"));
}

#[test]
fn kernels_are_found_by_name() {
    for kernel in Kernel::available() {
        let found = Kernel::by_name(kernel.name()).expect("an available kernel");
        assert!(std::ptr::eq(found, kernel));
        let shouted = Kernel::by_name(&kernel.name().to_uppercase()).expect("in upper case as well");
        assert!(std::ptr::eq(shouted, kernel));
        assert!(std::ptr::eq(kernel.name().to_uppercase().parse::<&Kernel>().unwrap(), kernel));
        assert_eq!(format!("{kernel:?}"), format!("Kernel({:?})", kernel.name()));
    }
    for name in ["", "sse42", "mmx", "short"] {
        assert!(Kernel::by_name(name).is_none(), "{name}");
        let names: Vec<_> = Kernel::available().iter().map(Kernel::name).collect();
        assert_eq!(name.parse::<&Kernel>().unwrap_err().names(), names);
    }
    assert!(std::ptr::eq(Kernel::best(), &Kernel::available()[0]));
    assert!(Kernel::available().len() <= 4);
}

#[test]
fn kernels_are_shared_between_threads() {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<Kernel>();
}

#[cfg(not(target_family = "wasm"))]
#[test]
fn the_first_call_may_come_from_many_threads() {
    let barrier = std::sync::Barrier::new(8);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                barrier.wait();
                assert!(is_utf8("日本語".as_bytes()));
                assert!(!is_utf8(b"\xED\xA0\x80"));
            });
        }
    });
}

/// Of several faults the first is reported, however far apart they are: in the same vector, in the same block, or further.
#[test]
fn the_first_of_several_faults_is_reported() {
    let mut thin = Thin::new();
    for filler in Filler::all() {
        for first in [0, 1, 30, 63, 64, 100, 127, 500, 1000, 1900] {
            for distance in [0, 1, 2, 5, 15, 31, 60, 64, 128, 300, 512, 1024, 3000] {
                for (turn, malformed) in MALFORMED.iter().enumerate() {
                    if !thin.keep() {
                        continue;
                    }
                    let second = &MALFORMED[(turn * 7 + first + distance) % MALFORMED.len()];
                    let mut bytes = filler.before(first).concat();
                    bytes.extend_from_slice(malformed.bytes);
                    bytes.extend(filler.after(distance).concat());
                    bytes.extend_from_slice(second.bytes);
                    check(&bytes);
                    if distance > 0 {
                        assert_eq!(oracle::fault(&bytes), Some(malformed.fault_between(first)));
                    }
                }
            }
        }
    }
}

/// The answer for a long input with an early fault does not depend on what follows, be it valid text or a fault in every
/// byte. (`guard_pages.rs` tests that the answer also comes early.)
#[test]
fn early_faults_do_not_depend_on_what_follows() {
    const LEN: usize = 1 << 20;
    let after = [
        vec![b'a'; LEN],
        "日".repeat(LEN / 3).into_bytes(),
        vec![0x80; LEN],
        vec![0xFF; LEN],
        vec![0xF4; LEN],
    ];
    let mut thin = Thin::where_slow();
    for malformed in MALFORMED.iter().step_by(5) {
        for after in &after {
            for offset in [0, 100, 1000] {
                if offset > 0 && !thin.keep() {
                    continue;
                }
                let bytes = [&vec![b'a'; offset], malformed.bytes, b"...", after].concat();
                let expected = malformed.fault_between(offset);
                for way in ways() {
                    way.check(&bytes, Some(expected));
                }
            }
        }
    }
}

/// Reports and bindings rely on them: neither a name nor a number may ever change.
#[test]
fn kinds_keep_their_names_and_numbers() {
    use ErrorKind::*;
    let kinds: [(ErrorKind, &str, u8); 7] = [
        (UnexpectedContinuation, "unexpected-continuation", 1),
        (InvalidByte, "invalid-byte", 2),
        (Overlong, "overlong", 3),
        (Surrogate, "surrogate", 4),
        (TooLarge, "too-large", 5),
        (Truncated, "truncated", 6),
        (Incomplete, "incomplete", 7),
    ];
    assert!(ErrorKind::ALL.iter().copied().eq(kinds.map(|(kind, ..)| kind)));
    for (kind, name, code) in kinds {
        assert_eq!((kind.name(), kind.code(), kind as u8), (name, code, code));
    }
    assert_eq!((size_of::<ErrorKind>(), size_of::<Option<ErrorKind>>()), (1, 1));
    for malformed in &MALFORMED {
        assert!(ErrorKind::ALL.contains(&error(malformed.bytes).kind()));
    }
}
