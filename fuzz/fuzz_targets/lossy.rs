//! Lossy text, chunks and errors of every kernel and way, against std's lossy text, `core`'s chunks and the grammar.

#![no_main]

use std::borrow::Cow;

use libfuzzer_sys::fuzz_target;
use trust8::testing;
use trust8::{
    Kernel, from_utf8_lossy, from_utf8_lossy_owned, utf8_chunks, };
use trust8_fuzz::input;
use trust8_fuzz::reference::{Fault, first_fault};

fuzz_target!(|data: &[u8]| {
    let Some(input) = input::build(data) else { return };
    let bytes = &*input;

    let expected = String::from_utf8_lossy(bytes);
    let mut faults = Vec::new();
    let mut at = 0;
    for chunk in bytes.utf8_chunks() {
        at += chunk.valid().len();
        if let Some(fault) = first_fault(&bytes[at..]).filter(|_| !chunk.invalid().is_empty()) {
            assert_eq!(fault.valid_up_to, 0, "the grammar and core's chunks");
            faults.push(Fault { valid_up_to: at, ..fault });
        }
        at += chunk.invalid().len();
    }

    for kernel in Kernel::available() {
        for way in std::iter::once(kernel).chain(testing::paths(kernel)) {
            let text = testing::from_utf8_lossy(way, bytes);
            assert!(text == expected, "{}/{}", kernel.name(), way.name());
            assert_eq!(
                matches!(text, Cow::Borrowed(_)),
                matches!(expected, Cow::Borrowed(_)),
                "copied or not"
            );

            let mut appended = "é".to_owned();
            testing::lossy_into(way, bytes, &mut appended);
            assert_eq!(appended.strip_prefix('é'), Some(&*expected), "{}/{}", kernel.name(), way.name());

            let ours = testing::utf8_chunks(way, bytes).map(|chunk| (chunk.valid(), chunk.invalid()));
            let core = bytes.utf8_chunks().map(|chunk| (chunk.valid(), chunk.invalid()));
            assert!(ours.eq(core), "{}/{}: chunks", kernel.name(), way.name());

            let found = testing::errors(way, bytes).map(|error| {
                let (valid_up_to, error_len) = (error.valid_up_to(), error.error_len());
                Fault { valid_up_to, error_len, kind: error.kind() }
            });
            assert!(found.eq(faults.iter().copied()), "{}/{}: errors", kernel.name(), way.name());
        }
    }
    assert!(from_utf8_lossy(bytes) == expected);
    assert!(from_utf8_lossy_owned(bytes.to_vec()) == expected);
    assert!(utf8_chunks(bytes).to_string() == expected);
});
