//! For users of simdutf8: the same source gives the same answers.
//!
//! The checks are those of simdutf8 0.1.5's own integration tests, in other words. Each is written once and runs with
//! simdutf8 itself and with trust8 in its place. The tests of simdutf8's unsafe `imp` modules are not ported, because these
//! are not part of its stable interface.

use super::support::malformed::MALFORMED;
use super::support::scale::Thin;
use super::support::text::Filler;

/// A program that uses all of simdutf8's stable interface, unchanged in both modules.
macro_rules! program {
    () => {
        use std::error::Error;
        use std::fmt::{Debug, Display};

        use simdutf8::basic::{self, Utf8Error as BasicError};
        use simdutf8::compat::{self, Utf8Error as CompatError};

        // The functions have exactly these types.
        const _: fn(&[u8]) -> Result<&str, BasicError> = basic::from_utf8;
        const _: fn(&mut [u8]) -> Result<&mut str, BasicError> = basic::from_utf8_mut;
        const _: fn(&[u8]) -> Result<&str, CompatError> = compat::from_utf8;
        const _: fn(&mut [u8]) -> Result<&mut str, CompatError> = compat::from_utf8_mut;
        const _: fn(&CompatError) -> usize = CompatError::valid_up_to;
        const _: fn(&CompatError) -> Option<usize> = CompatError::error_len;
        const fn has_the_traits<T: Copy + Eq + Debug + Display + Error + Send + Sync + 'static>() {}
        const _: () = has_the_traits::<BasicError>();
        const _: () = has_the_traits::<CompatError>();
        // Anybody may make a basic error, and it takes no space.
        const _: BasicError = BasicError;
        const _: () = assert!(size_of::<BasicError>() == 0);

        /// Asks for the exact error only if the fast answer is no, as programs do.
        fn parse(input: &[u8]) -> Result<&str, Box<dyn Error>> {
            match simdutf8::basic::from_utf8(input) {
                Ok(text) => Ok(text),
                Err(simdutf8::basic::Utf8Error) => Ok(simdutf8::compat::from_utf8(input)?),
            }
        }

        /// Everything that can be learned of an input: whether it is valid, the error, and the messages.
        pub(crate) type Answers = (bool, Option<(usize, Option<usize>)>, Vec<String>);

        pub(crate) fn answers(input: &[u8]) -> Answers {
            let basic = simdutf8::basic::from_utf8(input);
            let compat = simdutf8::compat::from_utf8(input);
            // They are compared as bytes: printing a `str` that is not valid would be undefined.
            let bytes = basic.ok().map(str::as_bytes);
            assert_eq!(compat.ok().map(str::as_bytes), bytes);
            assert_eq!(parse(input).ok().map(str::as_bytes), bytes);

            let mut copy = input.to_vec();
            assert!(simdutf8::basic::from_utf8_mut(&mut copy).map(|text| &*text) == basic);
            assert!(simdutf8::compat::from_utf8_mut(&mut copy).map(|text| &*text) == compat);
            assert_eq!(copy, input);

            let mut messages = Vec::new();
            if let Err(error) = basic {
                messages.extend([error.to_string(), format!("{error:?}")]);
            }
            if let Err(error) = compat {
                let same = error;
                assert!(same == error);
                messages.extend([
                    error.to_string(),
                    format!("{error:?}"),
                    parse(input).map(str::len).unwrap_err().to_string(),
                ]);
            }
            let fault = compat.err().map(|error| (error.valid_up_to(), error.error_len()));
            (basic.is_ok(), fault, messages)
        }
    };
}

mod with_simdutf8 {
    program!();
}

mod with_trust8 {
    // What `simdutf8 = { package = "trust8", .. }` in Cargo.toml does for a whole crate.
    use trust8 as simdutf8;
    program!();
}

/// Asserts that both give the standard library's answers, and returns them.
#[track_caller]
fn same(input: &[u8]) -> with_trust8::Answers {
    let ours = with_trust8::answers(input);
    assert_eq!(ours, with_simdutf8::answers(input));
    let std = core::str::from_utf8(input).err().map(|error| (error.valid_up_to(), error.error_len()));
    assert_eq!((ours.0, ours.1), (std.is_none(), std));
    ours
}

#[track_caller]
fn valid(input: &[u8]) {
    assert_eq!(same(input), (true, None, Vec::new()));
}

#[track_caller]
fn invalid(input: &[u8], valid_up_to: usize, error_len: Option<usize>) {
    assert_eq!(same(input).1, Some((valid_up_to, error_len)));
}

#[test]
fn simple_text() {
    valid(b"");
    valid(b"\0");
    valid(&[b'a'; 64]);
    valid(&[b'a'; 128]);
    valid(b"Pack my box with five dozen liquor jugs");
    valid("äöüÄÖÜß".as_bytes());
    valid("☂️🌧🐌😴🥱☕️✔️👣🪨".as_bytes());
    valid("天地玄黃宇宙洪荒日月盈昃辰宿列張寒來暑往秋收冬藏閏餘成歲律呂調陽".repeat(5).as_bytes());
    valid("いろはにほへとチリヌルヲ123わかよたれそ、ツネナラム。有為の奥山今日越えて".repeat(5).as_bytes());
    valid("다람쥐 헌 쳇바퀴에 타고파, 키스의 고유조건은 입술끼리 만나야 하고 1984".repeat(5).as_bytes());
}

/// The prefixes and the numbers of repetitions that simdutf8 tests with.
#[test]
fn simple_faults_behind_prefixes() {
    let prefixes = ["a", "ö", "😊", &"a".repeat(64), &("a".repeat(64) + &"ö".repeat(32))];
    // The sequence, its length at the end of the input, and its length if something follows.
    let faults: [(&[u8], Option<usize>, usize); 5] = [
        (b"\xFF", Some(1), 1),
        (b"\xC3", None, 1),
        (b"\xF0", None, 1),
        (b"\xF0\x9F", None, 2),
        (b"\xF0\x9F\x98", None, 3),
    ];
    for prefix in prefixes {
        for repeat in [0, 1, 2, 7, 8, 9, 15, 16, 31, 32, 33, 63, 64, 65, 127, 128, 129] {
            let text = prefix.repeat(repeat);
            for (fault, at_the_end, inside) in faults {
                invalid(&[text.as_bytes(), fault].concat(), text.len(), at_the_end);
                if repeat > 0 {
                    invalid(&[text.as_bytes(), fault, text.as_bytes()].concat(), text.len(), Some(inside));
                }
            }
        }
    }
}

#[test]
fn incomplete_on_the_last_byte_of_a_vector_or_a_block() {
    for len in [16, 32, 64, 128] {
        let mut bytes = vec![b'a'; len - 1];
        bytes.push(0xF0);
        invalid(&bytes, len - 1, None);
        bytes.push(b'a');
        invalid(&bytes, len - 1, Some(1));
    }
}

#[test]
fn messages() {
    let messages = |input: &[u8]| same(input).2;
    assert_eq!(
        messages(b"\xF0"),
        [
            "invalid utf-8 sequence",
            "Utf8Error",
            "incomplete utf-8 byte sequence from index 0",
            "Utf8Error { valid_up_to: 0, error_len: None }",
            "incomplete utf-8 byte sequence from index 0",
        ]
    );
    for (input, len) in [(&b"a\xF0a"[..], 1), (b"a\xF0\x9Fa", 2), (b"a\xF0\x9F\x98a", 3)] {
        let message = format!("invalid utf-8 sequence of {len} bytes from index 1");
        let debug = format!("Utf8Error {{ valid_up_to: 1, error_len: Some({len}) }}");
        assert_eq!(messages(input), ["invalid utf-8 sequence", "Utf8Error", &message, &debug, &message]);
    }
}

/// This goes further than simdutf8's own tests: every malformed sequence, in every script, around the ends of both crates'
/// blocks.
#[test]
fn all_malformed_sequences() {
    let mut thin = Thin::new();
    for filler in Filler::all() {
        for offset in (0..70).chain([127, 128, 129, 255, 256, 257, 511, 512, 513, 1000]) {
            let [pad, before] = filler.before(offset);
            valid(&[pad, before].concat());
            for malformed in &MALFORMED {
                if !thin.keep() {
                    continue;
                }
                invalid(&[pad, before, malformed.bytes].concat(), offset + malformed.at, malformed.error_len);
                let fault = malformed.fault_between(offset);
                invalid(&[pad, before, malformed.bytes, b"..."].concat(), fault.valid_up_to, fault.error_len);
            }
        }
    }
}
