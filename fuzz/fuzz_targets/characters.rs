//! Characters one by one against `core`: the same characters at the same places, and errors in between where
//! lossy conversion has U+FFFD. And numbers as characters.

#![no_main]

use libfuzzer_sys::fuzz_target;
use trust8::testing;
use trust8::Kernel;
use trust8_fuzz::input;
use trust8_fuzz::reference::first_fault;

/// A character, or how many bytes are in its place.
type Item = Result<(usize, char), (usize, usize)>;

fuzz_target!(|data: &[u8]| {
    if let Some(number) = data.first_chunk() {
        encoded(u32::from_le_bytes(*number));
    }
    let Some(input) = input::build(data) else { return };
    let bytes = &*input;
    let expected = std_says(bytes);
    let ways = Kernel::available().iter().flat_map(|kernel| std::iter::once(kernel).chain(testing::paths(kernel)));
    // All of them for what is short; for what is long, which takes its time, another one each time.
    let chosen = bytes.len() % ways.clone().count();
    for (_, way) in ways.enumerate().filter(|(i, _)| bytes.len() < 1000 || *i == chosen) {
        let decode = testing::decode(way, bytes);
        let items: Vec<Item> = decode
            .map(|item| {
                item.map_err(|error| {
                    let at = error.valid_up_to();
                    let rest = &bytes[at..];
                    let fault = first_fault(rest).expect("no character begins there");
                    assert_eq!(
                        (fault.valid_up_to, fault.error_len, fault.kind),
                        (0, error.error_len(), error.kind())
                    );
                    (at, error.error_len().unwrap_or(rest.len()))
                })
            })
            .collect();
        assert_eq!(items, expected, "{}", way.name());
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

fn encoded(value: u32) {
    let mut buffer = [0; 4];
    match (trust8::encode_scalar(value, &mut buffer), char::from_u32(value)) {
        (Ok(text), Some(character)) => assert_eq!(text, character.encode_utf8(&mut [0; 4])),
        (Err(error), None) => assert_eq!(error.value(), value),
        (got, std) => panic!("encode_scalar says {got:?}, std {std:?}"),
    }
}
