//! # Conversions
//!
//! Text is converted between any two encodings from 1 to 8, and between UTF-8 and its relatives. It
//! is validated on the way. A conversion writes as many whole characters as fit, so a text can be
//! converted part by part through a small buffer:
//!
//!     do {
//!         done = trust8_convert(TRUST8_UTF8, TRUST8_UTF16, 0, in, len, out, sizeof out, &result);
//!         use(out, result.written);
//!         in += result.read, len -= result.read;
//!     } while (!done && result.kind == TRUST8_TOO_SMALL);
//!
//! From an encoding into itself, TRUST8_LOSSY makes malformed text well-formed.

use core::ffi::c_void;
use core::mem::MaybeUninit;

use trust8::boundary::floor;
use trust8_dialect::Dialect;
use trust8_transcode::{
    BufferError, ConversionErrorKind as ErrorKind, Encoding, Form, Progress, Str, Transcoder,
    TranscoderError, convert_as_fits, convert_as_fits_lossy,
};

use crate::encodings::Number;
use crate::errors::{
    TRUST8_INCOMPLETE, TRUST8_LONE_HIGH_SURROGATE, TRUST8_LONE_LOW_SURROGATE, TRUST8_MISUSE, TRUST8_NO_ERROR,
    TRUST8_NONE, TRUST8_SURROGATE, TRUST8_TOO_LARGE, TRUST8_TOO_SMALL, TRUST8_TRUNCATED,
    TRUST8_UNEXPECTED_CONTINUATION, TRUST8_UNMAPPABLE,
};
use crate::memory;

/// A flag: replace what can't be converted, by U+FFFD, or by '?' if the target lacks that.
pub const TRUST8_LOSSY: u32 = 1;

/// A flag for text that is known to be well-formed, such as text that was validated: UTF-8 is not
/// validated again. If it is not UTF-8, the behaviour is undefined. A function may ignore this
/// flag. A trust8_converter does not have it.
pub const TRUST8_VALID: u32 = 2;

/// How far a conversion has come, and why it stopped there.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct trust8_conversion {
    /// The number of bytes of the input that were converted. If the input is wrong, this is the
    /// position of the error.
    pub read: u64,
    /// The number of bytes that were written to the start of the output. They are whole characters.
    pub written: u64,
    /// The wrong unit, number or character, if the kind has one; otherwise 0.
    pub value: u32,
    /// Why the conversion stopped: TRUST8_NO_ERROR at the end of the input, TRUST8_TOO_SMALL if the
    /// next character does not fit, or another kind.
    pub kind: u8,
    /// Zeros.
    pub reserved: [u8; 3],
}

impl trust8_conversion {
    fn new(read: usize, written: usize, Stop { kind, value }: Stop) -> Self {
        Self { read: read as u64, written: written as u64, value, kind, reserved: [0; 3] }
    }

    const MISUSE: Self = Self { read: 0, written: 0, value: 0, kind: TRUST8_MISUSE, reserved: [0; 3] };
}

/// Why a conversion stopped.
#[derive(Clone, Copy)]
struct Stop {
    kind: u8,
    value: u32,
}

impl Stop {
    const END: Self = Self { kind: TRUST8_NO_ERROR, value: 0 };
    const FULL: Self = Self { kind: TRUST8_TOO_SMALL, value: 0 };

    fn invalid(kind: ErrorKind) -> Self {
        let value = match kind {
            ErrorKind::LoneHigh(unit) | ErrorKind::LoneLow(unit) => unit.into(),
            ErrorKind::Surrogate(unit) | ErrorKind::TooLarge(unit) => unit,
            ErrorKind::Unmappable(character) => character.into(),
            _ => 0,
        };
        Self { kind: kind.code(), value }
    }
}

/// A supported conversion from one encoding to another.
#[derive(Clone, Copy)]
enum Way {
    Encodings(Encoding, Encoding),
    FromDialect(Dialect),
    ToDialect(Dialect),
}

impl Way {
    fn new(from: u32, to: u32, flags: u32) -> Option<(Self, bool)> {
        let way = match (Number::new(from)?, Number::new(to)?) {
            (Number::Encoding(from), Number::Encoding(to)) => Self::Encodings(from, to),
            (Number::Dialect(from), Number::Encoding(Encoding::Utf8)) => Self::FromDialect(from),
            (Number::Encoding(Encoding::Utf8), Number::Dialect(to)) => Self::ToDialect(to),
            _ => return None,
        };
        (flags & !(TRUST8_LOSSY | TRUST8_VALID) == 0).then_some((way, flags & TRUST8_LOSSY != 0))
    }

    /// Like `new`, for text that arrives in pieces.
    fn in_pieces(from: u32, to: u32, flags: u32) -> Option<(Encoding, Encoding, bool)> {
        match Self::new(from, to, flags)? {
            (Self::Encodings(from, to), lossy) if flags & TRUST8_VALID == 0 => Some((from, to, lossy)),
            _ => None,
        }
    }

    /// Converts as much of the whole text as fits. Returns the numbers of bytes read and written,
    /// and why it stopped.
    fn run(self, lossy: bool, text: &[u8], room: &mut [MaybeUninit<u8>]) -> (usize, usize, Stop) {
        match self {
            Self::Encodings(from, to) => between_encodings(from, to, lossy, text, text.len(), room),
            Self::FromDialect(dialect) => from_dialect(dialect, lossy, text, room),
            Self::ToDialect(dialect) => to_dialect(dialect, lossy, text, room),
        }
    }
}

#[inline(always)]
fn between_encodings<F: Form>(
    from: F,
    to: Encoding,
    lossy: bool,
    text: &F::Text,
    len: usize,
    room: &mut [MaybeUninit<u8>],
) -> (usize, usize, Stop) {
    let progress = if lossy {
        Ok(convert_as_fits_lossy(from, to, text, room))
    } else {
        convert_as_fits(from, to, text, room)
    };
    match progress {
        Ok(Progress { read, written }) if read == len => (read, written, Stop::END),
        Ok(Progress { read, written }) => (read, written, Stop::FULL),
        Err(BufferError::Invalid { error, written }) => {
            (error.valid_up_to(), written, Stop::invalid(error.kind()))
        }
        // A buffer is never too small for the start of a text.
        Err(_) => (0, 0, Stop::FULL),
    }
}

/// Returns the memory after the first `written` bytes.
fn rest(room: &mut [MaybeUninit<u8>], written: usize) -> &mut [MaybeUninit<u8>] {
    room.get_mut(written..).unwrap_or_default()
}

fn transcoder(from: Encoding, to: Encoding, lossy: bool) -> Transcoder<Encoding, Encoding> {
    if lossy { Transcoder::lossy(from, to) } else { Transcoder::new(from, to) }
}

/// Pushes as much of a piece as fits. Returns the numbers of bytes read and written, and why it
/// stopped.
fn push(
    transcoder: &mut Transcoder<Encoding, Encoding>,
    piece: &[u8],
    room: &mut [MaybeUninit<u8>],
) -> (usize, usize, Stop) {
    let (mut read, mut written) = (0, 0);
    let stop = loop {
        let Some(left) = piece.get(read..) else { break Stop::END };
        match transcoder.push_into(left, rest(room, written)) {
            Ok(progress) => {
                read += progress.read;
                written += progress.written;
                if read == piece.len() {
                    break Stop::END;
                }
                if progress.read == 0 && progress.written == 0 {
                    break Stop::FULL;
                }
            }
            Err(error) => break Stop::invalid(error.kind()),
        }
    };
    (read, written, stop)
}

/// Ends the text. Returns the number of bytes written, and whether there is no error.
fn finish(transcoder: &mut Transcoder<Encoding, Encoding>, room: &mut [MaybeUninit<u8>]) -> (usize, Stop) {
    match transcoder.finish_into(room) {
        Ok(Some(written)) => (written, Stop::END),
        Ok(None) => (0, Stop::FULL),
        Err(error) => (0, Stop::invalid(TranscoderError::kind(&error))),
    }
}

fn from_dialect(
    dialect: Dialect,
    lossy: bool,
    text: &[u8],
    room: &mut [MaybeUninit<u8>],
) -> (usize, usize, Stop) {
    let (mut read, mut written) = (0, 0);
    let stop = loop {
        let left = text.get(read..).unwrap_or_default();
        if left.is_empty() {
            break Stop::END;
        }
        let progress = if lossy {
            Ok(dialect.to_utf8_lossy_into(left, rest(room, written)))
        } else {
            dialect.to_utf8_into(left, rest(room, written))
        };
        match progress {
            Ok(progress) if progress.read == 0 => break Stop::FULL,
            Ok(progress) => {
                read += progress.read;
                written += progress.written;
            }
            Err(error) => {
                break Stop { kind: error.kind().code(), value: error.code_point().unwrap_or(0) };
            }
        }
    };
    (read, written, stop)
}

fn to_dialect(
    dialect: Dialect,
    lossy: bool,
    text: &[u8],
    room: &mut [MaybeUninit<u8>],
) -> (usize, usize, Stop) {
    // No byte becomes fewer than one. With eight more, a sequence that begins where the output ends is whole.
    let near = text.get(..floor(text, room.len().saturating_add(8))).unwrap_or_default();
    let (mut read, mut written) = (0, 0);
    for chunk in trust8::utf8_chunks(near) {
        let valid = chunk.valid();
        let progress = dialect.from_utf8_into(valid, rest(room, written));
        read += progress.read;
        written += progress.written;
        if progress.read < valid.len() {
            return (read, written, Stop::FULL);
        }
        match chunk.kind() {
            None => {}
            Some(kind) if !lossy => return (read, written, Stop { kind: kind.code(), value: 0 }),
            Some(_) => {
                let progress = dialect.from_utf8_into("\u{FFFD}", rest(room, written));
                if progress.read == 0 {
                    return (read, written, Stop::FULL);
                }
                read += chunk.invalid().len();
                written += progress.written;
            }
        }
    }
    (read, written, Stop::END)
}

/// Converts text. Returns true if all of it was converted. Otherwise `result` has the position and
/// the reason. If the output was too small, call the function again with the rest of the input and
/// the output.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_convert(
    from: u32,
    to: u32,
    flags: u32,
    text: *const c_void,
    len: usize,
    out: *mut c_void,
    cap: usize,
    result: *mut trust8_conversion,
) -> bool {
    let is_apart = memory::is_apart(result, (text, len)) && memory::is_apart(result, (out, cap));
    // SAFETY: the caller vouches for the memory, and that the two do not overlap, or this is seen.
    let memory = if is_apart { unsafe { memory::both(text, len, out, cap) } } else { None };
    let Some((text, room)) = memory else {
        // SAFETY: the caller vouches for the memory.
        return unsafe { misuse(result) };
    };
    if flags == 0
        && let Some(run) = strict(from, to)
    {
        // SAFETY: the caller vouches for the memory.
        return unsafe { run(text, room, result) };
    }
    let Some((way, lossy)) = Way::new(from, to, flags) else {
        // SAFETY: the caller vouches for the memory.
        return unsafe { misuse(result) };
    };
    let (read, written, stop) = match way {
        Way::Encodings(Encoding::Utf8, to) if flags & TRUST8_VALID != 0 => {
            // SAFETY: with this flag, the caller vouches for the text.
            let text = unsafe { memory::text(text) };
            between_encodings(Str, to, lossy, text, text.len(), room)
        }
        _ => way.run(lossy, text, room),
    };
    // SAFETY: the caller vouches for the memory.
    unsafe { report(result, read, written, stop) }
}

/// Reports a misuse.
///
/// # Safety
///
/// - The same as for [`memory::put`].
#[cold]
#[inline(never)]
unsafe fn misuse(result: *mut trust8_conversion) -> bool {
    // SAFETY: the caller vouches for the memory.
    unsafe { memory::put(result, trust8_conversion::MISUSE) };
    false
}

/// A strict conversion between two encodings known at compile time.
///
/// # Safety
///
/// - The same as for [`memory::put`].
type Strict = unsafe fn(&[u8], &mut [MaybeUninit<u8>], *mut trust8_conversion) -> bool;

/// Returns the conversion between the encodings with these numbers. The call overhead of a short
/// conversion is as high as its work, and half of the overhead is the selection of the encodings.
/// So each pair is compiled separately.
#[inline(always)]
fn strict(from: u32, to: u32) -> Option<Strict> {
    static ALL: [[Strict; Number::ENCODINGS]; Number::ENCODINGS] =
        [row::<1>(), row::<2>(), row::<3>(), row::<4>(), row::<5>(), row::<6>(), row::<7>(), row::<8>()];
    // 0 is not the number of an encoding, and becomes a large index.
    Some(*ALL.get((from as usize).wrapping_sub(1))?.get((to as usize).wrapping_sub(1))?)
}

const fn row<const FROM: u32>() -> [Strict; Number::ENCODINGS] {
    [
        between::<FROM, 1>,
        between::<FROM, 2>,
        between::<FROM, 3>,
        between::<FROM, 4>,
        between::<FROM, 5>,
        between::<FROM, 6>,
        between::<FROM, 7>,
        between::<FROM, 8>,
    ]
}

/// Converts between the encodings with these numbers.
///
/// # Safety
///
/// - The same as for [`memory::put`].
unsafe fn between<const FROM: u32, const TO: u32>(
    text: &[u8],
    room: &mut [MaybeUninit<u8>],
    result: *mut trust8_conversion,
) -> bool {
    let (from, to) = const { (Number::encoding(FROM), Number::encoding(TO)) };
    let (read, written, stop) = between_encodings(from, to, false, text, text.len(), room);
    // SAFETY: the caller vouches for the memory.
    unsafe { report(result, read, written, stop) }
}

/// Reports the progress of a conversion, and returns whether everything is converted.
///
/// # Safety
///
/// - The same as for [`memory::put`].
#[inline(always)]
unsafe fn report(result: *mut trust8_conversion, read: usize, written: usize, stop: Stop) -> bool {
    // SAFETY: the caller vouches for the memory.
    unsafe { memory::put(result, trust8_conversion::new(read, written, stop)) };
    stop.kind == TRUST8_NO_ERROR
}

/// Returns the length of the converted text, or TRUST8_NONE for a misuse. If the text is wrong and
/// the flag TRUST8_LOSSY is not set, the length is at least that of the text before the error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_convert_len(
    from: u32,
    to: u32,
    flags: u32,
    text: *const c_void,
    len: usize,
) -> usize {
    // SAFETY: the caller vouches for the memory.
    let text = unsafe { memory::bytes(text, len) };
    match (text, Way::new(from, to, flags)) {
        (Some(text), Some((Way::Encodings(from, to), false))) => trust8_transcode::len(from, to, text),
        (Some(text), Some((way, lossy))) => tried(way, lossy, text).1,
        _ => TRUST8_NONE,
    }
}

/// Converts text part by part. Returns the numbers of bytes read and written, and the kind of what
/// stopped it.
fn tried(way: Way, lossy: bool, text: &[u8]) -> (usize, usize, u8) {
    let mut scratch = [MaybeUninit::uninit(); 2048];
    let (mut at, mut len) = (0, 0_usize);
    loop {
        let (read, written, stop) = way.run(lossy, text.get(at..).unwrap_or_default(), &mut scratch);
        at += read;
        len = len.saturating_add(written);
        if stop.kind != TRUST8_TOO_SMALL {
            return (at, len, stop.kind);
        }
    }
}

/// Returns the position at which text in an encoding stops being well-formed, and the kind of the
/// error. It converts the text, so that the library needs no other code for this.
pub(crate) fn validate(encoding: Encoding, text: &[u8]) -> (usize, u8) {
    let (read, _, kind) = tried(Way::Encodings(encoding, encoding), false, text);
    (read, kind)
}

/// The state of a conversion of text that arrives in pieces. It lives in the caller's memory, and
/// needs no clean-up.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct trust8_converter {
    /// The number of bytes of the text that have been converted so far.
    pub position: u64,
    /// The encoding of the text.
    pub from: u32,
    /// The encoding of the output.
    pub to: u32,
    /// The flags.
    pub flags: u32,
    /// The wrong unit, number or character, after an error.
    pub value: u32,
    /// The kind of the error, or 0.
    pub kind: u8,
    /// The number of bytes in `pending`.
    pub pending_len: u8,
    /// Zeros.
    pub reserved: [u8; 2],
    /// The first bytes of a character whose other bytes have not arrived yet.
    pub pending: [u8; 4],
}

impl trust8_converter {
    /// Returns the transcoder, or `None` if no function of this library has written the state.
    fn resume(&self) -> Option<Transcoder<Encoding, Encoding>> {
        let (from, to, lossy) = Way::in_pieces(self.from, self.to, self.flags)?;
        let (pending, unused) = self.pending.split_at_checked(self.pending_len.into())?;
        let is_clean = self.reserved == [0; 2] && unused.iter().all(|byte| *byte == 0);
        if !is_clean || !self.has_possible_error() {
            return None;
        }
        transcoder(from, to, lossy).resume(self.position, pending)
    }

    /// Returns whether a conversion can have stopped with this kind and this value.
    fn has_possible_error(&self) -> bool {
        let is_utf8 = matches!(Number::new(self.from), Some(Number::Encoding(Encoding::Utf8)));
        match self.kind {
            TRUST8_NO_ERROR | TRUST8_INCOMPLETE => self.value == 0,
            TRUST8_LONE_HIGH_SURROGATE => matches!(self.value, 0xD800..=0xDBFF),
            TRUST8_LONE_LOW_SURROGATE => matches!(self.value, 0xDC00..=0xDFFF),
            TRUST8_UNMAPPABLE => self.value > 0xFF && char::from_u32(self.value).is_some(),
            TRUST8_UNEXPECTED_CONTINUATION..=TRUST8_TRUNCATED if is_utf8 => self.value == 0,
            TRUST8_SURROGATE => matches!(self.value, 0xD800..=0xDFFF),
            TRUST8_TOO_LARGE => self.value > 0x0010_FFFF,
            _ => false,
        }
    }

    /// Stores the state of the transcoder. An error stays.
    fn keep(&mut self, transcoder: &Transcoder<Encoding, Encoding>, stop: Stop) {
        self.position = transcoder.position();
        let pending = transcoder.pending();
        // At most three bytes.
        self.pending_len = pending.len() as u8;
        self.pending = [0; 4];
        for (kept, byte) in self.pending.iter_mut().zip(pending) {
            *kept = *byte;
        }
        if stop.kind != TRUST8_TOO_SMALL {
            (self.kind, self.value) = (stop.kind, stop.value);
        }
    }
}

/// Begins a conversion in pieces, between two encodings from 1 to 8. Returns false for a misuse.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_converter_init(
    converter: *mut trust8_converter,
    from: u32,
    to: u32,
    flags: u32,
) -> bool {
    let exists = Way::in_pieces(from, to, flags).is_some();
    let kind = if exists { TRUST8_NO_ERROR } else { TRUST8_MISUSE };
    let state = trust8_converter {
        position: 0,
        from,
        to,
        flags,
        value: 0,
        kind,
        pending_len: 0,
        reserved: [0; 2],
        pending: [0; 4],
    };
    // SAFETY: the caller vouches for the memory.
    unsafe { memory::put(converter, state) };
    exists && !converter.is_null()
}

/// Converts as much of the next piece of the text as fits. Returns true if the whole piece was
/// read; if a character is cut off at its end, the converter keeps that part. After
/// TRUST8_TOO_SMALL, push the rest of the piece. After any other error, every call returns that
/// error. In `result`, `read` and `written` are those of this call, and an error is at the
/// converter's `position`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_converter_push(
    converter: *mut trust8_converter,
    piece: *const c_void,
    len: usize,
    out: *mut c_void,
    cap: usize,
    result: *mut trust8_conversion,
) -> bool {
    let is_apart = are_apart(converter, result, (piece, len)) && are_apart(converter, result, (out, cap));
    // SAFETY: the caller vouches for the memory, and that the two do not overlap, or this is seen.
    let memory = if is_apart { unsafe { memory::both(piece, len, out, cap) } } else { None };
    // SAFETY: the caller vouches for both structs.
    unsafe { advance(converter, result, memory, |transcoder, (piece, room)| push(transcoder, piece, room)) }
}

/// Ends the text. If it ends inside a character, that is an error of the kind TRUST8_INCOMPLETE or
/// of a lone surrogate. With TRUST8_LOSSY, a replacement is written instead, for which four bytes
/// of output are enough.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_converter_finish(
    converter: *mut trust8_converter,
    out: *mut c_void,
    cap: usize,
    result: *mut trust8_conversion,
) -> bool {
    let is_apart = are_apart(converter, result, (out, cap));
    // SAFETY: the caller vouches for the memory, and that nothing else lies there, or this is seen.
    let room = if is_apart { unsafe { memory::room(out, cap) } } else { None };
    let end = |transcoder: &mut _, room: &mut _| {
        let (written, stop) = finish(transcoder, room);
        (0, written, stop)
    };
    // SAFETY: the caller vouches for both structs.
    unsafe { advance(converter, result, room, |transcoder, room| end(transcoder, room)) }
}

/// Returns whether the state, the answer, and a memory range with its length in bytes have no byte
/// in common.
fn are_apart(
    converter: *const trust8_converter,
    result: *const trust8_conversion,
    place: (*const c_void, usize),
) -> bool {
    memory::is_apart(converter, place)
        && memory::is_apart(result, place)
        && memory::is_apart(result, (converter.cast(), size_of::<trust8_converter>()))
}

/// The common part of both functions: takes the state, calls `run` with the memory, and stores the
/// new state.
///
/// # Safety
///
/// - The same as for [`memory::take`] and [`memory::put`].
unsafe fn advance<M>(
    converter: *mut trust8_converter,
    result: *mut trust8_conversion,
    memory: Option<M>,
    run: impl FnOnce(&mut Transcoder<Encoding, Encoding>, M) -> (usize, usize, Stop),
) -> bool {
    // SAFETY: the caller vouches for the struct.
    let state = unsafe { memory::take(converter) };
    let found = match (state, memory) {
        (Some(mut state), Some(memory)) => match state.resume() {
            Some(_) if state.kind != TRUST8_NO_ERROR => {
                trust8_conversion::new(0, 0, Stop { kind: state.kind, value: state.value })
            }
            Some(mut transcoder) => {
                let (read, written, stop) = run(&mut transcoder, memory);
                state.keep(&transcoder, stop);
                // SAFETY: the caller vouches for the struct.
                unsafe { crate::memory::put(converter, state) };
                trust8_conversion::new(read, written, stop)
            }
            None => trust8_conversion::MISUSE,
        },
        _ => trust8_conversion::MISUSE,
    };
    // SAFETY: the caller vouches for the struct.
    unsafe { crate::memory::put(result, found) };
    found.kind == TRUST8_NO_ERROR
}
