//! Lossy text, chunks and errors of every kernel and way, against std's lossy text, `core`'s chunks and the grammar.

#![no_main]

use std::borrow::Cow;

use libfuzzer_sys::fuzz_target;
use trust8::{from_utf8_lossy, from_utf8_lossy_owned, utf8_chunks};
use trust8_fuzz::input;
use trust8_fuzz::kernels::{fault_of, ways};
use trust8_fuzz::oracle::{self, Fault};

fuzz_target!(|data: &[u8]| {
    let Some(input) = input::build(data) else { return };
    let bytes = &*input;

    let expected = String::from_utf8_lossy(bytes);
    let mut faults = Vec::new();
    let mut at = 0;
    for chunk in bytes.utf8_chunks() {
        at += chunk.valid().len();
        if let Some(fault) = oracle::fault(&bytes[at..]).filter(|_| !chunk.invalid().is_empty()) {
            assert_eq!(fault.valid_up_to, 0, "the grammar and core's chunks");
            faults.push(Fault { valid_up_to: at, ..fault });
        }
        at += chunk.invalid().len();
    }

    for way in ways() {
        let name = &way.name;
        let text = way.kernel.from_utf8_lossy(bytes);
        assert!(text == expected, "{name}");
        assert_eq!(matches!(text, Cow::Borrowed(_)), matches!(expected, Cow::Borrowed(_)), "{name}: copied");

        let mut appended = "é".to_owned();
        way.kernel.lossy_into(bytes, &mut appended);
        assert_eq!(appended.strip_prefix('é'), Some(&*expected), "{name}");

        let ours = way.kernel.utf8_chunks(bytes).map(|chunk| (chunk.valid(), chunk.invalid()));
        let core = bytes.utf8_chunks().map(|chunk| (chunk.valid(), chunk.invalid()));
        assert!(ours.eq(core), "{name}: chunks");

        let found = way.kernel.errors(bytes).map(|error| fault_of(&error));
        assert!(found.eq(faults.iter().copied()), "{name}: errors");
    }
    assert!(from_utf8_lossy(bytes) == expected);
    assert!(from_utf8_lossy_owned(bytes.to_vec()) == expected);
    assert!(utf8_chunks(bytes).to_string() == expected);
});
