//! Tests what a measurement relies on: all contestants give the same answers, on the texts that are measured and on
//! spoiled ones, and made-up numbers are written completely.

use trust8_measure::contestants::{Contestant, Role, contestants};
use trust8_measure::random::Random;
use trust8_measure::report::Data;
use trust8_measure::short_strings::{Contents, Lengths, random_strings};
use trust8_measure::texts::{RECIPES, generated};

/// Sequences that are invalid UTF-8, whatever comes before and after them.
const INVALID: [&[u8]; 12] = [
    b"\x80",
    b"\xC0\xAF",
    b"\xC1\x81",
    b"\xC3",
    b"\xE0\x9F\xBF",
    b"\xE6\x97",
    b"\xED\xA0\x80",
    b"\xF0\x8F\xBF\xBF",
    b"\xF0\x9F\x98",
    b"\xF4\x90\x80\x80",
    b"\xF5\x80\x80\x80",
    b"\xFF",
];

fn validators() -> Vec<Contestant> {
    contestants().into_iter().filter(Contestant::validates).collect()
}

fn assert_all_answer(validators: &[Contestant], bytes: &[u8], about: &str) {
    let valid = std::str::from_utf8(bytes).is_ok();
    for validator in validators {
        assert_eq!(validator.answer(bytes), valid, "{}: {about}", validator.name);
    }
}

#[test]
fn all_contestants_take_part() {
    let names: Vec<_> = validators().into_iter().map(|validator| validator.name).collect();
    for name in ["std", "encoding_rs", "bstr", "simdutf8 basic", "simdutf8 compat", "simdutf C++", "trust8"] {
        assert!(names.iter().any(|other| other == name), "{name} of {names:?}");
    }
    for kernel in trust8::Kernel::available() {
        assert!(names.contains(&format!("trust8 {}", kernel.name())), "{} of {names:?}", kernel.name());
    }
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        assert!(names.contains(&"simdutf8 avx2".to_owned()) && names.contains(&"simdutf8 sse4.2".to_owned()));
    }
    let mut unique = names.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), names.len(), "{names:?}");
}

#[test]
fn all_agree_on_the_texts() {
    let validators = validators();
    for recipe in RECIPES {
        for len in [0, 1, 2, 3, 5, 64, 100, 257, 1000, 5000, 10_000, 65_536] {
            let text = generated(recipe.name, len).text;
            assert!(validators.iter().all(|validator| validator.answer(text.as_bytes())), "{}", recipe.name);
            assert_all_answer(&validators, text.as_bytes(), recipe.name);
        }
    }
}

#[test]
fn all_agree_on_spoiled_texts() {
    let validators = validators();
    let mut random = Random::named("spoiled");
    for recipe in RECIPES {
        let text = generated(recipe.name, 8192).text;
        for invalid in INVALID {
            for _ in 0..24 {
                // The beginning of the text, in which the invalid sequence replaces some bytes.
                let longest = *random.pick(&[40, 300, 2000, 8192]);
                let len = random.between(invalid.len(), longest);
                let at = random.between(0, len - invalid.len());
                let mut bytes = text.as_bytes()[..len].to_vec();
                bytes[at..at + invalid.len()].copy_from_slice(invalid);
                assert_all_answer(
                    &validators,
                    &bytes,
                    &format!("{}: {invalid:X?} at {at} of {len}", recipe.name),
                );
                // The text before the invalid sequence, which may end inside a character.
                bytes.truncate(at);
                assert_all_answer(&validators, &bytes, &format!("{}: {at} bytes", recipe.name));
            }
        }
    }
}

#[test]
fn all_find_a_spoiled_ascii_text_invalid() {
    let validators = validators();
    for invalid in INVALID {
        for at in (0..600).chain((600..8000).step_by(97)) {
            let mut bytes = generated("ASCII", 8192).text.into_bytes();
            bytes[at..at + invalid.len()].copy_from_slice(invalid);
            for validator in &validators {
                assert!(!validator.answer(&bytes), "{}: {invalid:X?} at {at}", validator.name);
            }
        }
    }
}

#[test]
fn sweeps_count_valid_strings() {
    let strings: [&[u8]; 5] = [b"abc", b"\xFF", b"", "é".as_bytes(), b"\xC3"];
    for validator in validators() {
        assert_eq!(validator.sweep(&strings, 7), 21, "{}", validator.name);
        assert_eq!(validator.sweep(&strings, 0), 0, "{}", validator.name);
    }
    for contents in Contents::ALL {
        for lengths in Lengths::RANDOM {
            let set = random_strings(lengths, contents, 300);
            for validator in validators() {
                assert_eq!(validator.sweep(&set.strings(), 1), 300, "{}", validator.name);
            }
        }
    }
}

#[test]
fn references_are_not_validators() {
    let names: Vec<_> =
        contestants().into_iter().filter(|one| one.role == Role::Reference).map(|one| one.name).collect();
    assert_eq!(names, ["call alone", "read loop"]);
}

#[test]
fn data_are_csv() {
    let mut data = Data::default();
    data.heading(2, "Made \"up\"");
    data.note("some words");
    data.row("text, bytes", "`ASCII`, 16", [("std", 57.64), ("trust8", 116.0), ("bstr", f64::NAN)]);
    data.heading(3, "Part");
    data.text("text", "a, b", "place", "c");
    let want = "\
\"Made \"\"up\"\"\",\"text, bytes\",\"ASCII, 16\",std,57.6
\"Made \"\"up\"\"\",\"text, bytes\",\"ASCII, 16\",trust8,116
\"Made \"\"up\"\" / Part\",text,\"a, b\",place,c
";
    assert_eq!(data.rows, want);
    let csv = data.csv("cargo bench", &[("fact", "none")]);
    assert!(csv.starts_with("# command: cargo bench"), "{csv}");
    let (head, rows) = csv.split_once("section,table,row,column,value\n").unwrap();
    assert!(head.lines().all(|line| line.starts_with("# ")), "{head}");
    assert!(head.contains("\n# fact: none\n# Made \"up\": some words\n"), "{head}");
    assert_eq!(rows, want);
}
