//! Text in pieces, cut where the fuzzer says, against `core::str` on the whole. `Validator`, `Utf8Reader`,
//! `Utf8Writer` and `copy_utf8` have the same outcome on every kernel, with the piece that makes it certain. Each policy's `Decoder`,
//! `LossyReader` and `TextLines` have the same text wherever the input is cut.

#![no_main]

use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::mem::MaybeUninit;

use libfuzzer_sys::fuzz_target;
use trust8::io::{LineError, LossyReader, OnBadLine, TextLines, Utf8Reader, Utf8Writer, read_to_string};
use trust8::stream::{Decoder, StreamError};
use trust8::{CopyError, Kernel, Policy, Validator};
use trust8_fuzz::kernels::{self, Way, ways};
use trust8_fuzz::oracle::{self, Fault};
use trust8_fuzz::source::{Sizes, Source, cut};
use trust8_fuzz::{input, repaired};

// The data are those that `input` makes an input of, then sizes of pieces, and then a byte that gives the number of these
// sizes (`% 16`) and the capacity of readers and lines (`/ 16`).
fuzz_target!(|data: &[u8]| {
    let Some((&last, rest)) = data.split_last() else { return };
    let sizes = usize::from(last % 16).min(rest.len());
    let (data, sizes) = rest.split_at(rest.len() - sizes);
    let Some(input) = input::build(data) else { return };
    let expected = Expected::of(&input);
    let pieces = cut(&input, sizes);
    for way in ways() {
        pushed(way, &input, &pieces, &expected);
        copied(way.kernel, &input, &expected);
    }
    read(&input, sizes, usize::from(last / 16), &expected);
    written(&input, &pieces, sizes, &expected);
    Policy::ALL.iter().for_each(|&policy| decoded(&input, &pieces, sizes, policy));
    for on_bad_line in [OnBadLine::Refuse, OnBadLine::Skip, OnBadLine::Repair(Policy::Escape)] {
        lines(&input, sizes, usize::from(last / 16), on_bad_line);
    }
});

/// The right answers about the whole and about its beginnings.
struct Expected {
    fault: Option<Fault>,
    /// How many bytes are well-formed.
    sound: usize,
    /// How many bytes one must have seen to be certain that there is a fault. `None` if only the end makes it certain, or
    /// if there is no fault.
    certain: Option<usize>,
}

impl Expected {
    fn of(input: &[u8]) -> Self {
        let std = core::str::from_utf8(input).err();
        let fault = oracle::fault(input);
        assert_eq!(
            fault.map(|fault| (fault.valid_up_to, fault.error_len)),
            std.map(|error| (error.valid_up_to(), error.error_len())),
            "the grammar and core::str"
        );
        let sound = fault.map_or(input.len(), |fault| fault.valid_up_to);
        // `core::str` gives an error a length once no further byte can make the sequence valid.
        let certain = (sound + 1..=input.len()).take(4).find(|&end| {
            core::str::from_utf8(&input[sound..end]).is_err_and(|error| error.error_len().is_some())
        });
        Self { fault, sound, certain }
    }

    /// Returns the right answer after the first `seen` bytes: where the last whole character ends, or the fault.
    fn of_beginning(&self, input: &[u8], seen: usize) -> Result<usize, Fault> {
        match (self.certain, self.fault) {
            (Some(certain), Some(fault)) if certain <= seen => Err(fault),
            _ if seen >= self.sound => Ok(self.sound),
            _ => Ok((0..=seen).rev().find(|&at| input[at] & 0xC0 != 0x80).unwrap_or(0)),
        }
    }
}

fn fault_of(error: StreamError) -> Fault {
    Fault { valid_up_to: error.valid_up_to() as usize, error_len: error.error_len(), kind: error.kind() }
}

fn pushed(way: &Way, input: &[u8], pieces: &[&[u8]], expected: &Expected) {
    let (name, way) = (&way.name, way.kernel);
    let (mut validator, mut decoder) = (Validator::new(), Validator::new());
    let mut text = String::new();
    let mut seen = 0;
    for &piece in pieces {
        seen += piece.len();
        let said = way.push(&mut validator, piece);
        let piece = way.decode_piece(&mut decoder, piece);
        match expected.of_beginning(input, seen) {
            Ok(whole) => {
                assert_eq!(said, Ok(()), "{name}");
                assert_eq!(validator.valid_up_to(), whole as u64, "{name}");
                assert_eq!(validator.pending(), &input[whole..seen], "{name}");
                let piece = piece.expect("what the validator accepts");
                text += piece.completed();
                text += piece.rest();
                assert_eq!(text.as_bytes(), &input[..whole], "{name}");
            }
            Err(fault) => {
                assert_eq!(said.map_err(fault_of), Err(fault), "{name}");
                assert_eq!(piece.map_err(fault_of).map(|piece| piece.len()), Err(fault), "{name}");
                assert_eq!(way.push(&mut validator, b"a").map_err(fault_of), Err(fault), "it stays");
                break;
            }
        }
    }
    assert_eq!(validator.finish().err().map(fault_of), expected.fault, "{name}");
    assert_eq!(decoder.finish().err().map(fault_of), expected.fault, "{name}");
}

fn copied(way: &Kernel, input: &[u8], expected: &Expected) {
    let mut room = vec![MaybeUninit::new(0xAA); input.len()];
    match (way.copy_utf8(input, &mut room), expected.fault) {
        (Ok(text), None) => assert_eq!(text.as_bytes(), input),
        (Err(CopyError::Invalid(error)), Some(fault)) => {
            assert_eq!(kernels::fault_of(&error), fault);
            let copied = room[..fault.valid_up_to].iter().zip(input);
            for (copy, byte) in copied {
                // SAFETY: every byte was initialised above, and only initialised ones are written.
                assert_eq!(unsafe { copy.assume_init() }, *byte);
            }
        }
        (got, fault) => panic!("copy_utf8 says {got:?}, not {fault:?}"),
    }
}

fn stream_fault(error: io::Error) -> Fault {
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    fault_of(error.downcast().expect("a StreamError"))
}

fn read(input: &[u8], sizes: &[u8], capacity: usize, expected: &Expected) {
    // To the end, in one call.
    let mut string = String::from("b\u{E9}fore ");
    let result = read_to_string(Source::new(input, sizes), &mut string);
    match expected.fault {
        None => assert_eq!(&string.as_bytes()["b\u{E9}fore ".len()..], input),
        Some(_) => assert_eq!(string, "b\u{E9}fore "),
    }
    assert_eq!(result.err().map(stream_fault), expected.fault);

    // Piece by piece, each consumed in two parts.
    let mut reader = Utf8Reader::with_capacity(capacity * capacity, Source::new(input, sizes));
    let mut text = String::new();
    let fault = loop {
        match reader.fill_str() {
            Ok("") => break None,
            Ok(piece) => {
                let end = piece.char_indices().nth(piece.len() / 7 + 1).map_or(piece.len(), |(at, _)| at);
                text += &piece[..end];
                reader.consume(end);
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => break Some(stream_fault(error)),
        }
    };
    assert_eq!(fault, expected.fault);
    // All that is sound comes before the fault does.
    assert_eq!(text.as_bytes(), &input[..expected.sound]);
}

/// A writer that takes as many bytes as its sizes say, and is interrupted where one is zero.
struct Sink<'a>(Vec<u8>, Sizes<'a>);

impl Write for Sink<'_> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let n = self.1.next(buf.len())?;
        self.0.extend(&buf[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn written(input: &[u8], pieces: &[&[u8]], sizes: &[u8], expected: &Expected) {
    let mut writer = Utf8Writer::new(Sink(Vec::new(), Sizes::new(sizes)));
    let mut result =
        pieces.iter().try_for_each(|piece| writer.write_all(piece)).and_then(|()| writer.finish());
    while result.as_ref().is_err_and(|error| error.kind() == ErrorKind::Interrupted) {
        result = writer.finish();
    }
    let fault = result.err().map(stream_fault);
    assert_eq!(fault, expected.fault);
    while writer.flush().is_err() {}
    assert_eq!(writer.get_ref().0, &input[..expected.sound]);
}

/// Compares lossy text in pieces with the policy's answer for the whole text.
fn decoded(input: &[u8], pieces: &[&[u8]], sizes: &[u8], policy: Policy) {
    let faults = input.utf8_chunks().filter(|chunk| !chunk.invalid().is_empty()).count() as u64;
    let Some(new) = Decoder::with_policy(policy) else { return };
    let expected = match policy {
        Policy::Replace => String::from_utf8_lossy(input).into_owned(),
        _ => repaired(policy, input),
    };
    for way in ways() {
        let (mut decoder, mut text) = (new, String::new());
        for piece in pieces {
            text.extend(way.kernel.push_lossy(&mut decoder, piece));
        }
        text.extend(decoder.finish());
        assert!(text == expected, "{}, {policy}", way.name);
        assert_eq!(decoder.replaced(), faults, "{}, {policy}", way.name);
    }
    let mut reader = LossyReader::with_decoder(new, Source::new(input, sizes));
    let mut text = String::new();
    assert_eq!(reader.read_to_string(&mut text).unwrap(), expected.len());
    assert!(text == expected, "LossyReader, {policy}");
    assert_eq!(reader.decoder().replaced(), faults, "LossyReader, {policy}");
}

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
