//! Shared by the tests of streams: the functions that take pieces, sequences to cut, and the oracle.

use std::cell::RefCell;
use std::fmt;

use super::support::kernels::{Way, ways};
use super::support::malformed;
use super::support::oracle;
use super::support::scale::Thin;
use trust8::stream::{Piece, StreamError};
use trust8::{ErrorKind, Validator};

/// The functions that take pieces: the public methods, or those of a kernel or of one of its ways.
#[derive(Clone, Copy)]
pub(crate) struct Entry(Option<&'static Way>);

impl Entry {
    pub(crate) fn push(self, validator: &mut Validator, piece: &[u8]) -> Result<(), StreamError> {
        match self.0 {
            None => validator.push(piece),
            Some(way) => way.kernel.push(validator, piece),
        }
    }

    pub(crate) fn decode<'a>(
        self,
        decoder: &mut Validator,
        piece: &'a [u8],
    ) -> Result<Piece<'a>, StreamError> {
        match self.0 {
            None => decoder.decode(piece),
            Some(way) => way.kernel.decode_piece(decoder, piece),
        }
    }

    /// Whether this is not one of the ways that a kernel chooses among.
    pub(crate) fn is_whole(self) -> bool {
        self.0.is_none_or(|way| way.is_kernel)
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.map_or("the public method", |way| &way.name))
    }
}

/// All of them on this machine.
pub(crate) fn entries() -> impl Iterator<Item = Entry> {
    [Entry(None)].into_iter().chain(ways().iter().map(|way| Entry(Some(way))))
}

/// The error of a stream, at an offset from its start.
pub(crate) type Fault = (u64, Option<usize>, ErrorKind);

/// Returns what is known about a stream after each piece, from the grammar of everything since the
/// last whole character.
#[derive(Clone, Default)]
pub(crate) struct Oracle {
    valid_up_to: u64,
    /// The bytes after that: the beginning of a character, or nothing.
    pending: Vec<u8>,
    fault: Option<Fault>,
}

impl Oracle {
    pub(crate) fn read(&mut self, piece: &[u8]) {
        if self.fault.is_some() {
            return;
        }
        self.pending.extend_from_slice(piece);
        let fault = oracle::fault(&self.pending);
        let valid = fault.map_or(self.pending.len(), |fault| fault.valid_up_to);
        self.valid_up_to += valid as u64;
        match fault {
            // Nothing that follows can make it valid.
            Some(oracle::Fault { error_len: Some(len), kind, .. }) => {
                self.fault = Some((self.valid_up_to, Some(len), kind));
                self.pending.clear();
            }
            _ => drop(self.pending.drain(..valid)),
        }
    }

    /// The error so far.
    pub(crate) fn fault(&self) -> Option<Fault> {
        self.fault
    }

    pub(crate) fn valid_up_to(&self) -> u64 {
        self.valid_up_to
    }

    pub(crate) fn pending(&self) -> &[u8] {
        &self.pending
    }

    /// The error if the input ends here.
    pub(crate) fn end(&self) -> Option<Fault> {
        let unfinished = Some((self.valid_up_to, None, ErrorKind::Incomplete));
        self.fault.or(unfinished.filter(|_| !self.pending.is_empty()))
    }
}

#[track_caller]
pub(crate) fn assert_same(
    error: Result<(), StreamError>,
    fault: Option<Fault>,
    context: impl Fn() -> String,
) {
    let error = error.err().map(|error| (error.valid_up_to(), error.error_len(), error.kind()));
    assert_eq!(error, fault, "{}", context());
}

/// Pushes the pieces and compares every answer with the oracle's, and the last one with `core`'s. A scaled-down run
/// does this for some of the calls.
#[track_caller]
pub(crate) fn check<'a>(entry: Entry, pieces: impl Iterator<Item = &'a [u8]> + Clone) {
    thread_local!(static THIN: RefCell<Thin> = RefCell::new(Thin::new()));
    if !THIN.with_borrow_mut(Thin::keep) {
        return;
    }
    let context = || {
        format!(
            "{entry:?}: {:02X?}",
            pieces.clone().map(|piece| &piece[..piece.len().min(400)]).collect::<Vec<_>>()
        )
    };
    let mut oracle = Oracle::default();
    let mut validator = Validator::new();
    let mut decoder = Validator::new();
    let mut whole = Vec::new();
    let mut text = String::new();
    for piece in pieces.clone() {
        whole.extend_from_slice(piece);
        oracle.read(piece);
        // The error comes with the piece that has the byte that makes it certain, and it stays.
        assert_same(entry.push(&mut validator, piece), oracle.fault(), context);
        assert_eq!(validator.valid_up_to(), oracle.valid_up_to(), "{}", context());
        assert_eq!(validator.pending(), oracle.pending(), "{}", context());
        if oracle.fault().is_none() {
            validator = Validator::resume(validator.valid_up_to(), validator.pending()).unwrap();
        }
        let decoded = entry.decode(&mut decoder, piece);
        assert_same(decoded.map(|_| ()), oracle.fault(), context);
        if let Ok(decoded) = decoded {
            assert_eq!(decoded.len(), decoded.completed().len() + decoded.rest().len());
            text.extend(&decoded);
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
        let at_once = entry.push(&mut at_once, &whole).and_then(|()| at_once.finish());
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

/// Each way to be wrong: the tests' common list, and more with the bytes on either side of every limit.
pub(crate) fn malformed() -> impl Iterator<Item = &'static [u8]> {
    malformed::MALFORMED.iter().map(|malformed| malformed.bytes).chain(MORE)
}

const MORE: [&[u8]; 22] = [
    b"\xBF",
    b"\x80\x80\x80\x80",
    b"\xC2",
    b"\xC2\x41",
    b"\xC2\xC2\x80",
    b"\xDF\xC0",
    b"\xE0\xA0\x41",
    b"\xE1\x80",
    b"\xE1\x80\xC3\xA9",
    b"\xE1\x80\x80\x80",
    b"\xEC\x80\xC0",
    b"\xF0\x80",
    b"\xF0\x90\x80",
    b"\xF0\x90\x80\x41",
    b"\xF0\x9F\x98",
    b"\xF1\x41",
    b"\xF1\x80\x41",
    b"\xF3\x80\x80\xC2\x80",
    b"\xF3\xBF\xBF\xBF\xBF",
    b"\xF4\xBF",
    b"\xFF\xFF",
    b"\x2F\xC0\xAE\x2E\x2F",
];
