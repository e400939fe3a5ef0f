//! What the tests of streams share: the ways to validate, inputs, and an oracle that reads one byte
//! at a time and shares nothing with the crate.

use std::cell::RefCell;

use super::support::scale::Thin;
use trust8::stream::{Decoder, Piece, StreamError};
use trust8::testing;
use trust8::{ErrorKind, Kernel, Validator};

/// A way to push: as users do, or with one kernel (or one of its paths).
#[derive(Clone, Copy)]
pub(crate) struct Way {
    pub(crate) kernel: &'static str,
    pub(crate) path: &'static str,
    with: Option<&'static Kernel>,
}

impl Way {
    pub(crate) fn push(self, validator: &mut Validator, chunk: &[u8]) -> Result<(), StreamError> {
        match self.with {
            None => validator.push(chunk),
            Some(kernel) => testing::stream::push(kernel, validator, chunk),
        }
    }

    pub(crate) fn decode<'a>(self, decoder: &mut Decoder, chunk: &'a [u8]) -> Result<Piece<'a>, StreamError> {
        match self.with {
            None => decoder.decode(chunk),
            Some(kernel) => testing::stream::decode(kernel, decoder, chunk),
        }
    }
}

impl std::fmt::Debug for Way {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.kernel, self.path)
    }
}

/// Every way on this machine.
pub(crate) fn ways() -> Vec<Way> {
    let mut ways = vec![Way { kernel: "dispatched", path: "", with: None }];
    for kernel in Kernel::available() {
        ways.push(Way { kernel: kernel.name(), path: "", with: Some(kernel) });
        for path in testing::paths(kernel) {
            ways.push(Way { kernel: kernel.name(), path: path.name(), with: Some(path) });
        }
    }
    ways
}

/// What is wrong, and which byte (by its index) made it certain; no such byte if the input ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Fault {
    pub(crate) valid_up_to: u64,
    pub(crate) error_len: Option<usize>,
    pub(crate) kind: ErrorKind,
    pub(crate) certain_at: Option<u64>,
}

/// Reads one byte at a time: how many continuations are still due, and between which bounds the
/// next one must be.
#[derive(Clone, Copy, Default)]
pub(crate) struct Oracle {
    read: u64,
    /// Of the character that has begun.
    bytes: [u8; 4],
    len: usize,
    due: usize,
    fault: Option<Fault>,
}

impl Oracle {
    pub(crate) fn read(&mut self, byte: u8) {
        if self.fault.is_some() {
            return;
        }
        let at = self.read;
        self.read += 1;
        let mut fault = |valid_up_to, len, kind| {
            self.fault = Some(Fault { valid_up_to, error_len: Some(len), kind, certain_at: Some(at) });
        };
        if self.due == 0 {
            match byte {
                0x00..=0x7F => return,
                0x80..=0xBF => return fault(at, 1, ErrorKind::UnexpectedContinuation),
                0xC0..=0xC1 => return fault(at, 1, ErrorKind::Overlong),
                0xC2..=0xDF => self.due = 1,
                0xE0..=0xEF => self.due = 2,
                0xF0..=0xF4 => self.due = 3,
                0xF5..=0xF7 => return fault(at, 1, ErrorKind::TooLarge),
                0xF8..=0xFF => return fault(at, 1, ErrorKind::InvalidByte),
            }
            self.bytes[0] = byte;
            self.len = 1;
            return;
        }
        let start = at - self.len as u64;
        if byte & 0xC0 != 0x80 {
            return fault(start, self.len, ErrorKind::Truncated);
        }
        if self.len == 1 {
            match self.bytes[0] {
                0xE0 if byte < 0xA0 => return fault(start, 1, ErrorKind::Overlong),
                0xED if byte > 0x9F => return fault(start, 1, ErrorKind::Surrogate),
                0xF0 if byte < 0x90 => return fault(start, 1, ErrorKind::Overlong),
                0xF4 if byte > 0x8F => return fault(start, 1, ErrorKind::TooLarge),
                _ => {}
            }
        }
        self.bytes[self.len] = byte;
        self.len += 1;
        self.due -= 1;
        if self.due == 0 {
            self.len = 0;
        }
    }

    pub(crate) fn read_all(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.read(byte);
        }
    }

    /// The error so far.
    pub(crate) fn fault(&self) -> Option<Fault> {
        self.fault
    }

    pub(crate) fn valid_up_to(&self) -> u64 {
        self.fault.map_or(self.read - self.len as u64, |fault| fault.valid_up_to)
    }

    pub(crate) fn pending(&self) -> &[u8] {
        if self.fault.is_some() { &[] } else { &self.bytes[..self.len] }
    }

    /// The error if the input ends here.
    pub(crate) fn end(&self) -> Option<Fault> {
        self.fault.or_else(|| {
            (self.len > 0).then(|| Fault {
                valid_up_to: self.valid_up_to(),
                error_len: None,
                kind: ErrorKind::Incomplete,
                certain_at: None,
            })
        })
    }
}

#[track_caller]
pub(crate) fn assert_same(
    error: Result<(), StreamError>,
    fault: Option<Fault>,
    context: impl Fn() -> String,
) {
    let error = error.err().map(|error| (error.valid_up_to(), error.error_len(), error.kind()));
    let fault = fault.map(|fault| (fault.valid_up_to, fault.error_len, fault.kind));
    assert_eq!(error, fault, "{}", context());
}

/// Pushes the chunks and compares every answer with the oracle's, and the end with `core`'s. A
/// scaled-down run does it with some of them.
#[track_caller]
pub(crate) fn check<'a>(way: Way, chunks: impl Iterator<Item = &'a [u8]> + Clone) {
    thread_local!(static THIN: RefCell<Thin> = const { RefCell::new(Thin::new()) });
    if !THIN.with_borrow_mut(Thin::keep) {
        return;
    }
    let context = || {
        format!(
            "{way:?}: {:02X?}",
            chunks.clone().map(|chunk| &chunk[..chunk.len().min(400)]).collect::<Vec<_>>()
        )
    };
    let mut oracle = Oracle::default();
    let mut validator = Validator::new();
    let mut decoder = Decoder::new();
    let mut whole = Vec::new();
    let mut text = String::new();
    for chunk in chunks.clone() {
        whole.extend_from_slice(chunk);
        oracle.read_all(chunk);
        // The error comes with the chunk that has the byte that makes it certain, and it stays.
        assert_same(way.push(&mut validator, chunk), oracle.fault(), context);
        assert_eq!(validator.valid_up_to(), oracle.valid_up_to(), "{}", context());
        assert_eq!(validator.pending(), oracle.pending(), "{}", context());
        let piece = way.decode(&mut decoder, chunk);
        assert_same(piece.map(|_| ()), oracle.fault(), context);
        if let Ok(piece) = piece {
            assert_eq!(piece.len(), piece.completed().len() + piece.rest().len());
            text.extend(&piece);
            assert_eq!(text.len() as u64, oracle.valid_up_to(), "{}", context());
        }
        assert_eq!((decoder.valid_up_to(), decoder.pending()), (oracle.valid_up_to(), oracle.pending()));
    }
    assert_same(validator.finish(), oracle.end(), context);
    assert_same(decoder.finish(), oracle.end(), context);
    assert!(whole.starts_with(text.as_bytes()), "{}", context());

    let core = std::str::from_utf8(&whole).map_err(|error| (error.valid_up_to() as u64, error.error_len()));
    let ours = validator.finish().map_err(|error| (error.valid_up_to(), error.error_len()));
    assert_eq!(ours, core.map(|_| ()), "{}", context());
    // An error is the same, to the last letter, however the stream was cut.
    if let Err(error) = validator.finish() {
        let message = trust8::from_utf8(&whole).map_err(|error| error.to_string());
        assert_eq!(Err(error.to_string()), message, "{}", context());
        let mut at_once = Validator::new();
        let at_once = way.push(&mut at_once, &whole).and_then(|()| at_once.finish());
        assert_eq!(at_once, Err(error), "{}", context());
    }
    let kind = trust8::from_utf8(&whole).map_err(|error| error.kind());
    assert_eq!(validator.finish().map_err(|error| error.kind()), kind.map(|_| ()), "{}", context());
}

/// RFC 3629's examples, and one character of each length.
pub(crate) const VALID: &[&[u8]] = &[
    b"",
    b"A",
    b"\x41\xE2\x89\xA2\xCE\x91\x2E",
    b"\xED\x95\x9C\xEA\xB5\xAD\xEC\x96\xB4",
    b"\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E",
    b"\xEF\xBB\xBF\xF0\xA3\x8E\xB4",
    b"\x00\x7F\xC2\x80\xDF\xBF\xE0\xA0\x80\xEF\xBF\xBF\xF0\x90\x80\x80\xF4\x8F\xBF\xBF",
    b"\xED\x9F\xBF\xEE\x80\x80",
];

/// Each way to be wrong, with the bytes at either side of every limit.
pub(crate) const MALFORMED: &[&[u8]] = &[
    b"\x80",
    b"\xBF",
    b"\x80\x80\x80\x80",
    b"\xC0",
    b"\xC0\x80",
    b"\xC1\xBF",
    b"\xC2",
    b"\xC2\x41",
    b"\xC2\xC2\x80",
    b"\xDF\xC0",
    b"\xE0",
    b"\xE0\x80",
    b"\xE0\x9F\xBF",
    b"\xE0\xA0",
    b"\xE0\xA0\x41",
    b"\xE1\x80",
    b"\xE1\x80\xC3\xA9",
    b"\xE1\x80\x80\x80",
    b"\xEC\x80\xC0",
    b"\xED\xA0\x80",
    b"\xED\xA1\x8C\xED\xBE\xB4",
    b"\xED\xBF\xBF",
    b"\xEF\xBF",
    b"\xF0",
    b"\xF0\x80",
    b"\xF0\x8F\xBF\xBF",
    b"\xF0\x90",
    b"\xF0\x90\x80",
    b"\xF0\x90\x80\x41",
    b"\xF0\x9F\x98",
    b"\xF1\x41",
    b"\xF1\x80\x41",
    b"\xF3\x80\x80\xC2\x80",
    b"\xF3\xBF\xBF\xBF\xBF",
    b"\xF4\x8F\xBF",
    b"\xF4\x90\x80\x80",
    b"\xF4\xBF",
    b"\xF5\x80\x80\x80",
    b"\xF7\xBF\xBF\xBF",
    b"\xF8\x88\x80\x80\x80",
    b"\xFC\x84\x80\x80\x80\x80",
    b"\xFE",
    b"\xFF",
    b"\xFF\xFF",
    b"\x2F\xC0\xAE\x2E\x2F",
];
