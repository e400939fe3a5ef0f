//! Characters one by one against `core`: the same characters at the same places, and an error where lossy conversion has
//! U+FFFD.

#![no_main]

use libfuzzer_sys::fuzz_target;
use trust8_fuzz::input;
use trust8_fuzz::kernels::{fault_of, ways};
use trust8_fuzz::oracle::{self, Fault};

/// A character with its place, or an invalid sequence with its place and its length.
type Item = Result<(usize, char), (usize, usize)>;

fuzz_target!(|data: &[u8]| {
    let Some(input) = input::build(data) else { return };
    let bytes = &*input;
    let expected = std_says(bytes);
    // All ways for a short input; for a long one, which takes its time, another way each time.
    let chosen = bytes.len() % ways().len();
    for (_, way) in ways().iter().enumerate().filter(|(i, _)| bytes.len() < 1000 || *i == chosen) {
        let decode = way.kernel.decode(bytes);
        let items: Vec<Item> = decode
            .map(|item| {
                item.map_err(|error| {
                    let at = error.valid_up_to();
                    let rest = &bytes[at..];
                    let fault = oracle::fault(rest)
                        .map(|fault| Fault { valid_up_to: at + fault.valid_up_to, ..fault });
                    assert_eq!(fault, Some(fault_of(&error)));
                    (at, error.error_len().unwrap_or(rest.len()))
                })
            })
            .collect();
        assert_eq!(items, expected, "{}", way.name);
    }
});

fn std_says(bytes: &[u8]) -> Vec<Item> {
    let mut items = Vec::new();
    let mut at = 0;
    for chunk in bytes.utf8_chunks() {
        items.extend(chunk.valid().char_indices().map(|(index, character)| Ok((at + index, character))));
        at += chunk.valid().len();
        if !chunk.invalid().is_empty() {
            items.push(Err((at, chunk.invalid().len())));
        }
        at += chunk.invalid().len();
    }
    items
}
