//! Text in pieces, cut where the fuzzer says, against `core::str` on the whole. `Validator`, `Utf8Reader`,
//! `Utf8Writer` and `copy_utf8` have the same outcome on every kernel, with the piece that makes it certain.

#![no_main]

use std::io::{self, BufRead, ErrorKind, Write};
use std::iter;
use std::mem::MaybeUninit;

use libfuzzer_sys::fuzz_target;
use trust8::io::{Utf8Reader, Utf8Writer, read_to_string};
use trust8::stream::StreamError;
use trust8::{CopyError, Kernel, Validator};
use trust8_fuzz::input;
use trust8_fuzz::kernels::{self, Way, ways};
use trust8_fuzz::oracle::{self, Fault};
use trust8_fuzz::source::{Source, cut, size};

// The data are those that `input` makes an input of, then sizes of pieces, and then a byte that gives the number of these
// sizes (`% 16`) and the capacity of readers (`/ 16`).
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
struct Sink<'a> {
    written: Vec<u8>,
    sizes: iter::Cycle<std::slice::Iter<'a, u8>>,
    patience: u32,
}

impl Write for Sink<'_> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let n = match self.sizes.next() {
            Some(&byte) if self.patience > 0 => size(byte / 3),
            _ => usize::MAX,
        };
        self.patience = self.patience.saturating_sub(1);
        if n == 0 {
            return Err(ErrorKind::Interrupted.into());
        }
        let n = n.min(buf.len());
        self.written.extend(&buf[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn written(input: &[u8], pieces: &[&[u8]], sizes: &[u8], expected: &Expected) {
    let mut writer =
        Utf8Writer::new(Sink { written: Vec::new(), sizes: sizes.iter().cycle(), patience: 1000 });
    let fault = pieces
        .iter()
        .try_for_each(|piece| writer.write_all(piece))
        .and_then(|()| {
            loop {
                match writer.finish() {
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    result => break result,
                }
            }
        })
        .err()
        .map(stream_fault);
    assert_eq!(fault, expected.fault);
    while writer.flush().is_err() {}
    assert_eq!(writer.get_ref().written, &input[..expected.sound]);
}
