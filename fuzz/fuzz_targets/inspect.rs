//! The counts of every kernel and way, and the places of bytes, against what `core` counts.

#![no_main]

use libfuzzer_sys::fuzz_target;
use trust8_counts::{KernelCounts, Summary};
use trust8_fuzz::input;
use trust8_fuzz::kernels::ways;

fuzz_target!(|data: &[u8]| {
    let Some(input) = input::build(data) else { return };
    let bytes = &*input;

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

    // In two parts, cut where a character begins.
    let mut cut = text.len() / 2;
    while !text.is_char_boundary(cut) {
        cut += 1;
    }
    let mut sum = trust8_counts::inspect(&bytes[..cut]);
    sum.append(&trust8_counts::inspect(&bytes[cut..]));
    assert!(right(&sum), "in parts: {sum:?}");

    places(&bytes[..bytes.len().min(200)]);
});

/// Compares the place of each byte with a count over std's lossy chunks.
fn places(bytes: &[u8]) {
    let (mut offset, mut line, mut column, mut byte_column) = (0, 1, 1, 1);
    let mut sequence = |len: usize, is_newline: bool| {
        for _ in 0..len {
            let place = trust8::locate(bytes, offset);
            assert_eq!(
                (place.line, place.column, place.byte_column),
                (line, column, byte_column),
                "{offset}"
            );
            offset += 1;
            byte_column += 1;
        }
        column += 1;
        if is_newline {
            (line, column, byte_column) = (line + 1, 1, 1);
        }
    };
    for chunk in bytes.utf8_chunks() {
        chunk.valid().chars().for_each(|char| sequence(char.len_utf8(), char == '\n'));
        if !chunk.invalid().is_empty() {
            sequence(chunk.invalid().len(), false);
        }
    }
    sequence(1, false);
}
