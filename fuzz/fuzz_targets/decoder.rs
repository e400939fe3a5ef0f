//! Lossy text in pieces, cut where the fuzzer says, against each policy's answer for the whole text. `Decoder`,
//! `LossyReader` and `TextLines` have the same text wherever the input is cut.

#![no_main]

use std::io::{BufReader, Read};

use libfuzzer_sys::fuzz_target;
use trust8::Policy;
use trust8::io::{LineError, LossyReader, OnBadLine, TextLines};
use trust8::stream::Decoder;
use trust8_fuzz::kernels::ways;
use trust8_fuzz::source::{Source, cut};
use trust8_fuzz::{input, repaired};

// The data are those that `input` makes an input of, then sizes of pieces, and then a byte that gives the number of these
// sizes (`% 16`) and the capacity of readers and lines (`/ 16`).
fuzz_target!(|data: &[u8]| {
    let Some((&last, rest)) = data.split_last() else { return };
    let sizes = usize::from(last % 16).min(rest.len());
    let (data, sizes) = rest.split_at(rest.len() - sizes);
    let Some(input) = input::build(data) else { return };
    let pieces = cut(&input, sizes);
    let faults = input.utf8_chunks().filter(|chunk| !chunk.invalid().is_empty()).count() as u64;
    for &policy in Policy::ALL {
        let Some(new) = Decoder::with_policy(policy) else { continue };
        let expected = match policy {
            Policy::Replace => String::from_utf8_lossy(&input).into_owned(),
            _ => repaired(policy, &input),
        };
        for way in ways() {
            let (mut decoder, mut text) = (new, String::new());
            for piece in &pieces {
                text.extend(way.kernel.push_lossy(&mut decoder, piece));
            }
            text.extend(decoder.finish());
            assert!(text == expected, "{}, {policy}", way.name);
            assert_eq!(decoder.replaced(), faults, "{}, {policy}", way.name);
        }
        let mut reader = LossyReader::with_decoder(new, Source::new(&input, sizes));
        let mut text = String::new();
        assert_eq!(reader.read_to_string(&mut text).unwrap(), expected.len());
        assert!(text == expected, "LossyReader, {policy}");
        assert_eq!(reader.decoder().replaced(), faults, "LossyReader, {policy}");
    }
    for on_bad_line in [OnBadLine::Refuse, OnBadLine::Skip, OnBadLine::Repair(Policy::Escape)] {
        lines(&input, sizes, usize::from(last / 16), on_bad_line);
    }
});

fn lines(input: &[u8], sizes: &[u8], capacity: usize, on_bad_line: OnBadLine) {
    let max_length = if capacity.is_multiple_of(2) { usize::MAX } else { 3 * capacity };
    let reader = BufReader::with_capacity(1 + capacity * capacity, Source::new(input, sizes));
    let mut lines = TextLines::new(reader).on_bad_line(on_bad_line).max_length(max_length);
    let mut offset = 0;
    for whole in input.split_inclusive(|&byte| byte == b'\n') {
        let line = whole.strip_suffix(b"\n").map_or(whole, |line| line.strip_suffix(b"\r").unwrap_or(line));
        let error = std::str::from_utf8(line).err();
        if line.len() > max_length {
            let line = lines.next();
            assert!(matches!(line, Some(Err(LineError::TooLong { offset: at, .. })) if at == offset));
        } else if let Some(error) = error.filter(|_| on_bad_line == OnBadLine::Refuse) {
            let Some(Err(LineError::NotUtf8 { error: ours, line: bytes })) = lines.next() else {
                panic!("the line at {offset} is not UTF-8");
            };
            assert_eq!(ours.valid_up_to(), offset + error.valid_up_to() as u64);
            assert_eq!((ours.error_len(), &bytes[..]), (error.error_len(), line));
        } else if error.is_none() || on_bad_line != OnBadLine::Skip {
            assert!(lines.next().unwrap().unwrap() == repaired(Policy::Escape, line));
        }
        offset += whole.len() as u64;
    }
    assert!(lines.next().is_none());
    assert_eq!(lines.offset(), offset);
}
