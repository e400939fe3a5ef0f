//! Whole texts: every kernel, each way that it chooses among, and the functions around them, against `core` and the RFC's grammar. Verdicts,
//! errors, characters, lossy text, counts and places are the same, and so are the bytes and the allocation of what is returned.

#![no_main]

use std::borrow::Cow;

use libfuzzer_sys::fuzz_target;
use trust8::{basic, compat};
use trust8_counts::{KernelCounts, Summary};
use trust8_fuzz::input;
use trust8_fuzz::kernels::{check, fault_of, ways};
use trust8_fuzz::oracle::{self, Fault};
use trust8_fuzz::places::locations;

fuzz_target!(|data: &[u8]| {
    let Some(mut input) = input::build(data) else { return };
    check(&input);
    checked(&input);
    string(&input);
    drop_in(&input);
    decoded(&input);
    counted(&input);
    places(&input[..input.len().min(200)]);
    mutable(&mut input);
});

/// The text is the bytes themselves. An error is the grammar's, is std's when it is converted, and has a message.
fn checked(bytes: &[u8]) {
    let expected = oracle::fault(bytes);
    assert_eq!(trust8::is_utf8(bytes), expected.is_none());
    match trust8::from_utf8(bytes) {
        Ok(text) => {
            assert_eq!(expected, None);
            assert!(std::ptr::eq(text.as_bytes(), bytes), "other bytes than it was given");
        }
        Err(error) => {
            assert_eq!(Some(fault_of(&error)), expected);
            assert_eq!(Err(error.to_std(bytes)), core::str::from_utf8(bytes));
            let message = error.to_string();
            let at = error.valid_up_to();
            assert!(
                message.starts_with(&format!("invalid UTF-8 at byte {at}: {:02X} ", bytes[at])),
                "{message}"
            );
            assert!(message.contains("; expected "), "{message}");
        }
    }
}

fn string(bytes: &[u8]) {
    let vec = bytes.to_vec();
    let allocation = vec.as_ptr();
    match (trust8::string_from_utf8(vec), core::str::from_utf8(bytes)) {
        (Ok(string), Ok(text)) => {
            assert_eq!(string, text);
            assert_eq!(string.as_ptr(), allocation);
        }
        (Err(error), Err(std)) => {
            assert_eq!(error.utf8_error().valid_up_to(), std.valid_up_to());
            assert_eq!(error.utf8_error().error_len(), std.error_len());
            assert_eq!(Err(error.utf8_error()), trust8::from_utf8(bytes));
            assert_eq!(error.as_bytes(), bytes);
            let vec = error.into_bytes();
            assert_eq!(vec, bytes);
            assert_eq!(vec.as_ptr(), allocation);
        }
        (got, std) => panic!("string_from_utf8 says {got:?}, std {std:?}"),
    }
}

fn drop_in(bytes: &[u8]) {
    let std = core::str::from_utf8(bytes);
    assert_eq!(basic::from_utf8(bytes), std.map_err(|_| basic::Utf8Error));
    match (compat::from_utf8(bytes), std) {
        (Ok(text), Ok(std)) => assert_eq!(text, std),
        (Err(error), Err(std)) => {
            assert_eq!((error.valid_up_to(), error.error_len()), (std.valid_up_to(), std.error_len()));
            assert_eq!(error.to_string(), std.to_string());
        }
        (got, std) => panic!("compat::from_utf8 says {got:?}, std {std:?}"),
    }
}

/// Lossy text, chunks, errors and characters.
fn decoded(bytes: &[u8]) {
    let expected = String::from_utf8_lossy(bytes);
    let (mut items, mut at) = (Vec::new(), 0);
    for chunk in bytes.utf8_chunks() {
        items.extend(chunk.valid().char_indices().map(|(index, character)| Ok((at + index, character))));
        at += chunk.valid().len();
        if !chunk.invalid().is_empty() {
            let fault = oracle::fault(&bytes[at..]).expect("core has a chunk that is invalid");
            let len = fault.error_len.unwrap_or(bytes.len() - at);
            assert_eq!((fault.valid_up_to, len), (0, chunk.invalid().len()), "the grammar and core's chunks");
            items.push(Err(Fault { valid_up_to: at, ..fault }));
        }
        at += chunk.invalid().len();
    }
    // All ways for a short input; for a long one, which takes its time, characters by another way each time.
    let chosen = bytes.len() % ways().len();
    for (i, way) in ways().iter().enumerate() {
        let (name, way) = (&way.name, way.kernel);
        let text = way.from_utf8_lossy(bytes);
        assert!(text == expected, "{name}");
        assert_eq!(matches!(text, Cow::Borrowed(_)), matches!(expected, Cow::Borrowed(_)), "{name}: copied");

        let mut appended = "é".to_owned();
        way.lossy_into(bytes, &mut appended);
        assert_eq!(appended.strip_prefix('é'), Some(&*expected), "{name}");

        let ours = way.utf8_chunks(bytes).map(|chunk| (chunk.valid(), chunk.invalid()));
        let core = bytes.utf8_chunks().map(|chunk| (chunk.valid(), chunk.invalid()));
        assert!(ours.eq(core), "{name}: chunks");

        let found = way.errors(bytes).map(|error| fault_of(&error));
        assert!(found.eq(items.iter().filter_map(|item| item.err())), "{name}: errors");
        if bytes.len() < 1000 || i == chosen {
            let found = way.decode(bytes).map(|item| item.map_err(|error| fault_of(&error)));
            assert!(found.eq(items.iter().copied()), "{name}: characters");
        }
    }
    assert!(trust8::from_utf8_lossy(bytes) == expected);
    assert!(trust8::from_utf8_lossy_owned(bytes.to_vec()) == expected);
    assert!(trust8::utf8_chunks(bytes).to_string() == expected);
}

/// What is counted.
fn counted(bytes: &[u8]) {
    let error = core::str::from_utf8(bytes).err();
    let valid = &bytes[..error.map_or(bytes.len(), |error| error.valid_up_to())];
    let text = core::str::from_utf8(valid).expect("what is before an error is valid");
    let mut by_len = [0; 4];
    text.chars().for_each(|char| by_len[char.len_utf8() - 1] += 1);
    let chars: usize = by_len.iter().sum();
    let utf16_len = text.chars().map(char::len_utf16).sum();
    let newlines = text.bytes().filter(|&byte| byte == b'\n').count();
    let right = |summary: &Summary| {
        summary.error() == trust8::from_utf8(bytes).err()
            && summary.error().map(|error| error.valid_up_to()) == error.map(|error| error.valid_up_to())
            && summary.is_ascii() == bytes.is_ascii()
            && summary.bytes() == text.len()
            && (summary.chars(), summary.utf16_len(), summary.newlines()) == (chars, utf16_len, newlines)
            && summary.chars_by_len() == by_len
    };
    for way in ways() {
        let summary = way.kernel.inspect(bytes);
        assert!(right(&summary), "{}: {summary:?}", way.name);
        assert_eq!(way.kernel.count_chars(text), chars, "{}", way.name);
        assert_eq!(way.kernel.utf16_len(text), utf16_len, "{}", way.name);
    }
}

/// Compares the place of each byte, and of the end, with a count over std's lossy chunks.
fn places(bytes: &[u8]) {
    for (offset, expected) in locations(bytes).into_iter().enumerate() {
        let place = trust8::locate(bytes, offset);
        assert_eq!((place.line, place.column, place.byte_column), expected, "{offset}");
    }
}

/// Mutable text is the bytes themselves. An error leaves them as they were.
fn mutable(bytes: &mut [u8]) {
    let before = bytes.to_vec();
    let error = trust8::from_utf8(&before).err();
    assert_eq!(basic::from_utf8_mut(bytes).is_err(), error.is_some());
    assert_eq!(compat::from_utf8_mut(bytes).err(), compat::from_utf8(&before).err());
    assert_eq!(trust8::from_utf8_mut(bytes).err(), error);
    assert_eq!(bytes, before);

    if let Ok(text) = trust8::from_utf8_mut(bytes) {
        text.make_ascii_uppercase();
    }
    let expected = if error.is_none() { before.to_ascii_uppercase() } else { before };
    assert_eq!(bytes, expected);
}
