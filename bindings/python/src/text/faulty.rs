//! Decodes faulty text, for the error handlers that need no call into Python.
//!
//! ```text
//! a few bytes, and the end of short text:     one character or fault at a time
//! where no lead precedes a continuation:     each byte above 7F is a fault by itself; no branch for a fault
//! `ignore`, `replace`, `surrogateescape`:    the library's conversion, unless a character has one byte
//! a fault, and much ASCII:                   convert the text up to the next fault
//! otherwise, piece by piece:                 convert the piece if it is valid; else copy the text between the faults, with
//!                                            what the handler says between, and convert the copy
//! ```
//!
//! UTF-8 has no surrogates, so a copy has U+FFFF for each. They replace it after the conversion.

#![forbid(unsafe_code)]

use std::mem::{self, MaybeUninit};

use super::{Instead, SHORT_BYTES};
use trust8::Kernel;
use trust8::boundary::floor;
use trust8::engine::survey::{BLOCK_BYTES, OWN_BYTES};
use trust8::engine::{FaultSearch, Output, windows_1252};
use trust8_counts::is_ascii;
use trust8_transcode::handlers::{Handler, into_ascii, into_utf16, into_utf32};
use trust8_transcode::{
    BufferError, Encoding, Form, Progress, Str, Utf16, Utf32, convert_as_fits, convert_into,
};

/// A character of a string of some width.
pub(crate) trait Unit: Copy + Into<u32> + Send + Sync {
    type Form: Form<Unit = Self, Text = [Self]>;

    /// The form of text with these units.
    const FORM: Self::Form;

    /// The largest character that fits.
    const LARGEST: u32;

    fn of(code_point: u32) -> Self;

    /// Returns the characters of eight bytes of ASCII, the first being the lowest of the word.
    #[inline(always)]
    fn of_ascii(word: u64) -> [MaybeUninit<Self>; 8] {
        word.to_le_bytes().map(|byte| MaybeUninit::new(Self::of(byte.into())))
    }

    /// Returns the character with these bytes, as far as it has room for them.
    fn of_bytes(low: u8, high: u8) -> Self;

    /// Converts the start of the bytes as [`into_utf16`] does.
    fn convert_handled(bytes: &[u8], room: &mut [MaybeUninit<Self>], handler: Handler) -> Progress;

    /// Returns the memory, if a unit is a byte.
    fn as_bytes(room: &mut [MaybeUninit<Self>]) -> Option<&mut [MaybeUninit<u8>]>;
}

impl Unit for u8 {
    type Form = Encoding;
    const FORM: Encoding = Encoding::Latin1;
    const LARGEST: u32 = 0xFF;

    fn of(code_point: u32) -> Self {
        code_point as Self
    }

    fn of_bytes(low: u8, _: u8) -> Self {
        low
    }

    fn convert_handled(_: &[u8], _: &mut [MaybeUninit<Self>], _: Handler) -> Progress {
        Progress { read: 0, written: 0 }
    }

    fn as_bytes(room: &mut [MaybeUninit<Self>]) -> Option<&mut [MaybeUninit<u8>]> {
        Some(room)
    }
}

impl Unit for u16 {
    type Form = Utf16;
    const FORM: Utf16 = Utf16;
    const LARGEST: u32 = 0xFFFF;

    fn of(code_point: u32) -> Self {
        code_point as Self
    }

    #[inline(always)]
    fn of_ascii(word: u64) -> [MaybeUninit<Self>; 8] {
        // The compiler would extract each byte of an array.
        let spread = |half: u64| {
            let pairs = (half | half << 16) & 0x0000_FFFF_0000_FFFF;
            (pairs | pairs << 8) & 0x00FF_00FF_00FF_00FF
        };
        let halves = [spread(word & 0xFFFF_FFFF), spread(word >> 32)];
        std::array::from_fn(|i| MaybeUninit::new((halves[i / 4] >> (16 * (i % 4))) as Self))
    }

    fn of_bytes(low: u8, high: u8) -> Self {
        Self::from_le_bytes([low, high])
    }

    fn convert_handled(bytes: &[u8], room: &mut [MaybeUninit<Self>], handler: Handler) -> Progress {
        into_utf16(Kernel::best(), bytes, room, handler)
    }

    fn as_bytes(_: &mut [MaybeUninit<Self>]) -> Option<&mut [MaybeUninit<u8>]> {
        None
    }
}

impl Unit for u32 {
    type Form = Utf32;
    const FORM: Utf32 = Utf32;
    const LARGEST: u32 = 0x10_FFFF;

    fn of(code_point: u32) -> Self {
        code_point
    }

    fn of_bytes(low: u8, high: u8) -> Self {
        u16::from_le_bytes([low, high]).into()
    }

    fn convert_handled(bytes: &[u8], room: &mut [MaybeUninit<Self>], handler: Handler) -> Progress {
        into_utf32(Kernel::best(), bytes, room, handler)
    }

    fn as_bytes(_: &mut [MaybeUninit<Self>]) -> Option<&mut [MaybeUninit<u8>]> {
        None
    }
}

/// Why a pass ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stop {
    /// All bytes are decoded.
    End,
    /// This character exceeds the limit.
    Wide(u32),
    /// The memory needs space for this number of further characters.
    Full(usize),
    /// The handler refuses the sequence.
    Refused,
}

/// The result of a pass.
pub(crate) struct Pass {
    pub(crate) read: usize,
    pub(crate) written: usize,
    /// The bits of all characters above 7F, or `UNKNOWN`.
    pub(crate) bits: u32,
    pub(crate) stop: Stop,
}

/// The bits of characters if some were not looked at.
pub(super) const UNKNOWN: u32 = u32::MAX;

/// Room for the characters of short text, and for stores of whole blocks.
pub(super) const BUFFER_UNITS: usize = SHORT_BYTES + 128;

/// In fewer bytes, a test that may save a pass costs as much as the pass.
const FEW_BYTES: usize = 32;

/// After this number of faults, more are near. Then the library costs less from `FEW_BYTES` on.
const RARE_FAULTS: usize = 3;

/// The number of bytes to search for lone faults at a time. The compiler would unroll loops over fewer bytes,
/// and then not vectorise them.
pub(super) const SEARCHED_BYTES: usize = 64;

/// The number of bytes to copy and convert at a time.
const PIECE_BYTES: usize = 4096;

/// The copy of a piece: at most four bytes for each byte, and the excess of the last store.
const COPY_BYTES: usize = 4 * PIECE_BYTES + BLOCK_BYTES;

/// After a fault and ASCII up to here, the next fault is not expected soon.
const FAR_BYTES: usize = 1024;

/// The number of units to search for faults at a time.
const GROUP_UNITS: usize = 16;

/// Bit 7 of each byte.
const HIGH: u64 = 0x80 * ONES;

/// Bit 0 of each byte.
const ONES: u64 = 0x0101_0101_0101_0101;

/// The characters of windows-1252. The largest is `™`.
static WINDOWS_1252: [u16; 256] = {
    let (mut characters, mut byte) = ([0; 256], 0);
    while byte < 256 {
        characters[byte] = windows_1252(byte as u8) as u16;
        byte += 1;
    }
    characters
};

const REPLACEMENT: char = '\u{FFFD}';

/// The placeholder of a surrogate in UTF-8.
const PLACEHOLDER: char = '\u{FFFF}';

/// Decodes bytes into `room`. No character may be larger than `largest`.
pub(crate) fn pass<U: Unit>(
    bytes: &[u8],
    room: &mut [MaybeUninit<U>],
    largest: u32,
    instead: Instead,
) -> Pass {
    let mut to = Decoder { room, len: 0, bits: 0, largest };
    let mut at = 0;
    let done = if bytes.len() <= SHORT_BYTES {
        to.short(bytes, &mut at, instead)
    } else {
        to.pieces(bytes, &mut at, instead)
    };
    Pass { read: at, written: to.len, bits: to.bits, stop: done.err().unwrap_or(Stop::End) }
}

/// Replaces the placeholders by surrogates. Returns false if there are others: the text has this
/// character.
fn put_in<U: Unit>(surrogates: &[u16], units: &mut [U]) -> bool {
    let mut surrogates = surrogates.iter();
    let is_placeholder = |unit: U| unit.into() == u32::from(PLACEHOLDER);
    for group in units.chunks_mut(GROUP_UNITS) {
        if !group.iter().fold(false, |any, unit| any | is_placeholder(*unit)) {
            continue;
        }
        for unit in group.iter_mut().filter(|unit| is_placeholder(**unit)) {
            let Some(surrogate) = surrogates.next() else { return false };
            *unit = U::of((*surrogate).into());
        }
    }
    true
}

/// Copies a piece of text with the handler's text in place of each ill-formed sequence, and returns
/// the copy. An error is at a position in the piece.
#[inline(never)]
fn copied<'b>(
    piece: &[u8],
    buffer: &'b mut [MaybeUninit<u8>],
    surrogates: &mut Vec<u16>,
    instead: Instead,
) -> Result<&'b [u8], (usize, Stop)> {
    let mut out = Output::new(buffer);
    let mut fork = out.fork();
    copy(piece, fork.output(), surrogates, instead)?;
    fork.join();
    Ok(out.finish())
}

#[inline(always)]
fn copy(
    piece: &[u8],
    out: &mut Output<'_>,
    surrogates: &mut Vec<u16>,
    instead: Instead,
) -> Result<(), (usize, Stop)> {
    let mut search = FaultSearch::new(Kernel::best(), piece);
    let (mut at, mut fits) = (0, true);
    while let Some(mut block) = search.advance() {
        if block.start > at {
            fits &= out.put(&piece[at..block.start]);
            at = block.start;
        }
        while let Some((fault, len)) = block.pop() {
            let start = block.start + fault;
            // A handler may have replaced several sequences at once.
            if start < at {
                continue;
            }
            fits &= put_run(piece, at, start, out);
            at = start + len;
            let bytes = &piece[start..at];
            fits &= match instead {
                Instead::Ignore => true,
                Instead::Strict => return Err((start, Stop::Refused)),
                Instead::Replace => put(out, REPLACEMENT),
                Instead::SurrogateEscape => bytes.iter().fold(true, |fits, byte| {
                    surrogates.push(0xDC00 | u16::from(*byte));
                    fits & put(out, PLACEHOLDER)
                }),
                Instead::SurrogatePass => {
                    let Some(surrogate) = surrogate(&piece[start..]) else {
                        return Err((start, Stop::Refused));
                    };
                    surrogates.push(surrogate);
                    at = start + 3;
                    put(out, PLACEHOLDER)
                }
                Instead::Windows1252 => {
                    bytes.iter().fold(true, |fits, byte| fits & put(out, windows_1252(*byte)))
                }
                Instead::BackslashReplace => {
                    bytes.iter().fold(true, |fits, byte| fits & out.put(&backslashed(*byte)))
                }
            };
        }
        if block.end > at {
            fits &= put_run(piece, at, block.end, out);
            at = block.end;
        }
    }
    if fits { Ok(()) } else { Err((0, Stop::Full(COPY_BYTES))) }
}

/// Appends `piece[from..to]`, which is not longer than a block.
#[inline(always)]
fn put_run(piece: &[u8], from: usize, to: usize, out: &mut Output<'_>) -> bool {
    match piece[from..].first_chunk::<BLOCK_BYTES>() {
        Some(run) if out.put_first(run, to - from) => true,
        _ => out.put(&piece[from..to]),
    }
}

/// Appends a character if four bytes fit.
#[inline(always)]
fn put(out: &mut Output<'_>, character: char) -> bool {
    let bytes = &mut [0; 4];
    let len = character.encode_utf8(bytes).len();
    out.put_first(bytes, len)
}

/// Returns the surrogate at the start of the bytes.
#[inline]
fn surrogate(bytes: &[u8]) -> Option<u16> {
    match *bytes {
        [0xED, second @ 0xA0..=0xBF, third @ 0x80..=0xBF, ..] => {
            Some(0xD000 | u16::from(second & 0x3F) << 6 | u16::from(third & 0x3F))
        }
        _ => None,
    }
}

#[inline(always)]
fn is_lead_of_four(byte: u8) -> bool {
    byte.wrapping_sub(0xF0) < 5
}

#[inline]
fn has_lead_of_four(bytes: &[u8]) -> bool {
    bytes.iter().fold(false, |any, byte| any | is_lead_of_four(*byte))
}

/// Returns the smallest character whose string is wide enough for the text.
#[inline]
fn widest(text: &[u8]) -> u32 {
    match text.iter().fold(0, |largest, byte| largest.max(*byte)) {
        0..0x80 => 0,
        0x80..0xC4 => 0x80,
        0xC4..0xF0 => 0x100,
        _ => 0x1_0000,
    }
}

/// Returns `\xNN`.
#[inline]
fn backslashed(byte: u8) -> [u8; 4] {
    let digit = |nibble: u8| b"0123456789abcdef"[usize::from(nibble)];
    [b'\\', b'x', digit(byte >> 4), digit(byte & 0xF)]
}

struct Decoder<'a, U> {
    room: &'a mut [MaybeUninit<U>],
    len: usize,
    /// The bits of all characters above 7F, or `UNKNOWN`.
    bits: u32,
    largest: u32,
}

impl<U: Unit> Decoder<'_, U> {
    /// Decodes short text.
    fn short(&mut self, bytes: &[u8], at: &mut usize, instead: Instead) -> Result<(), Stop> {
        loop {
            let read = self.lone_faults(&bytes[*at..], instead);
            if read == 0 {
                break;
            }
            *at += read;
        }
        self.last_lone_faults(bytes, at, instead);
        let rest = &bytes[*at..];
        let pays = rest.len() >= library_pays(96, 300) || starts_with_close_faults(rest);
        let mut faults = if pays { 0 } else { RARE_FAULTS };
        while *at < bytes.len() {
            if faults == 0 {
                let mut rest = bytes.len() - *at;
                // A few bytes more cost the library as much as a block.
                if rest % OWN_BYTES < OWN_BYTES / 4 {
                    rest -= rest % OWN_BYTES;
                }
                *at += self.handled(&bytes[*at..][..rest], instead)?;
                faults = usize::MAX;
            }
            self.scalar(bytes, at, bytes.len(), instead, faults)?;
            faults = 0;
        }
        Ok(())
    }

    /// Decodes characters and faults one by one, from `start` to `end` or slightly beyond, or to the fault
    /// after this number of faults.
    #[inline(always)]
    fn scalar(
        &mut self,
        bytes: &[u8],
        start: &mut usize,
        end: usize,
        instead: Instead,
        mut faults: usize,
    ) -> Result<(), Stop> {
        // Local variables stay in registers.
        let (mut at, mut bits) = (*start, self.bits);
        let mut room = &mut self.room[self.len..];
        let space = room.len();
        // A constant, unless the string may be ASCII or not.
        let largest = if U::LARGEST == 0xFF { self.largest } else { U::LARGEST };
        let stop = loop {
            if at >= end {
                break Ok(());
            }
            let rest = &bytes[at..];
            let word = match rest.first_chunk::<8>() {
                Some(eight) => {
                    let word = u64::from_le_bytes(*eight);
                    if word & 0x80 == 0
                        && let Some(units) = room.first_chunk_mut::<8>()
                    {
                        // The ASCII before the next other character.
                        *units = U::of_ascii(word);
                        // The next iteration need not wait for this length.
                        if word & HIGH == 0 {
                            at += 8;
                            room = &mut mem::take(&mut room)[8..];
                            continue;
                        }
                        // A shorter one is found without branches.
                        let ascii = leading_ascii(word);
                        at += ascii;
                        room = &mut mem::take(&mut room)[ascii..];
                        continue;
                    }
                    // 110xxxxx 10xxxxxx, twice
                    if word & 0xC0E0_C0E0 == 0x80C0_80C0
                        && word & 0x1E != 0
                        && word & 0x1E_0000 != 0
                        && largest >= 0x7FF
                        && let Some(units) = room.first_chunk_mut::<2>()
                    {
                        let pair = (word as u32 & 0x1F_001F) << 6 | word as u32 >> 8 & 0x3F_003F;
                        *units =
                            [pair & 0xFFFF, pair >> 16].map(|code_point| MaybeUninit::new(U::of(code_point)));
                        bits |= (pair | pair >> 16) & 0xFFFF;
                        at += 4;
                        room = &mut mem::take(&mut room)[2..];
                        continue;
                    }
                    // 1110xxxx 10xxxxxx 10xxxxxx, twice
                    if word & 0xC0C0_F0C0_C0F0 == 0x8080_E080_80E0
                        && U::LARGEST > 0xFF
                        && let Some(units) = room.first_chunk_mut::<2>()
                    {
                        let [first, second] = [word, word >> 24].map(|three| {
                            let three = three as u32;
                            (three & 0xF) << 12 | three >> 2 & 0xFC0 | three >> 16 & 0x3F
                        });
                        let is_character = |code_point: u32| code_point >= 0x800 && code_point >> 11 != 0x1B;
                        if is_character(first) && is_character(second) {
                            *units = [first, second].map(|code_point| MaybeUninit::new(U::of(code_point)));
                            bits |= 0x800;
                            at += 6;
                            room = &mut mem::take(&mut room)[2..];
                            continue;
                        }
                    }
                    word as u32
                }
                None => {
                    let word = last_bytes(bytes, at);
                    if word & 0x80 == 0
                        && let Some(units) = room.first_chunk_mut::<8>()
                    {
                        put_word(word, units);
                        let ascii = leading_ascii(word).min(rest.len());
                        at += ascii;
                        room = &mut mem::take(&mut room)[ascii..];
                        continue;
                    }
                    word as u32
                }
            };
            let next = next(word);
            if next.is_err() {
                // The closer the faults were, the more are in the rest.
                let narrower = (2 * at).clamp(2 * FEW_BYTES, 6 * FEW_BYTES);
                if faults == 0 && rest.len() >= library_pays(FEW_BYTES, narrower) {
                    break Ok(());
                }
                faults = faults.saturating_sub(1);
            }
            let (code_point, read) = match next {
                Ok(character) => character,
                Err(read) => match instead {
                    Instead::Ignore => {
                        at += read;
                        continue;
                    }
                    Instead::Replace => (REPLACEMENT.into(), read),
                    // Of a sequence of three bytes, the next iteration finds that the last is a fault too.
                    Instead::SurrogateEscape if read > 1 && U::LARGEST > 0xFF => {
                        let Some(units) = room.first_chunk_mut::<2>() else { break Err(Stop::Full(2)) };
                        *units = [word, word >> 8].map(|byte| MaybeUninit::new(U::of(0xDC00 | byte & 0xFF)));
                        bits |= 0xDC00;
                        room = &mut mem::take(&mut room)[2..];
                        at += 2;
                        continue;
                    }
                    Instead::SurrogateEscape => (0xDC00 | word & 0xFF, 1),
                    Instead::BackslashReplace => {
                        let Some(four) = room.first_chunk_mut::<4>() else { break Err(Stop::Full(4)) };
                        *four = backslashed(word as u8).map(|byte| MaybeUninit::new(U::of(byte.into())));
                        room = &mut mem::take(&mut room)[4..];
                        at += 1;
                        continue;
                    }
                    Instead::Windows1252 => (windows_1252(word as u8).into(), 1),
                    Instead::SurrogatePass => match surrogate(rest) {
                        Some(surrogate) => (surrogate.into(), 3),
                        None => break Err(Stop::Refused),
                    },
                    Instead::Strict => break Err(Stop::Refused),
                },
            };
            if code_point > largest {
                break Err(Stop::Wide(code_point));
            }
            let Some(unit) = room.first_mut() else { break Err(Stop::Full(1)) };
            unit.write(U::of(code_point));
            bits |= code_point;
            room = &mut mem::take(&mut room)[1..];
            at += read;
        };
        self.len += space - room.len();
        (*start, self.bits) = (at, bits);
        stop
    }

    /// Decodes piece by piece. In one function, the compiler would make both loops over characters
    /// slower.
    #[inline(never)]
    fn pieces(&mut self, bytes: &[u8], at: &mut usize, instead: Instead) -> Result<(), Stop> {
        let mut surrogates = Vec::new();
        while *at < bytes.len() {
            let rest = &bytes[*at..];
            let is_far = rest.get(8..FAR_BYTES).is_some_and(is_ascii);
            let mut read = if is_far { 0 } else { self.lone_faults(rest, instead) };
            if read == 0 {
                read = self.handled(rest, instead)?;
            }
            *at += read;
            if read == 0 && is_far {
                self.scalar(bytes, at, *at + 8, instead, usize::MAX)?;
                self.text(bytes, at)?;
            } else if read == 0 {
                let end = if rest.len() > PIECE_BYTES { *at + floor(rest, PIECE_BYTES) } else { bytes.len() };
                surrogates.clear();
                self.piece(bytes, at, end, &mut surrogates, instead)?;
            }
        }
        Ok(())
    }

    /// Converts the text before the next fault. Each piece is validated first: the package does not compile conversions of
    /// UTF-8 that may be faulty, except those with handlers.
    fn text(&mut self, bytes: &[u8], at: &mut usize) -> Result<(), Stop> {
        loop {
            let piece = &bytes[*at..floor(bytes, *at + PIECE_BYTES)];
            let valid = trust8::from_utf8(piece)
                .or_else(|error| trust8::from_utf8(&piece[..error.valid_up_to()]))
                .unwrap_or_default();
            let room = &mut self.room[self.len..];
            let progress = match convert_as_fits(Str, U::FORM, valid, room) {
                Ok(progress) => progress,
                Err(BufferError::Invalid { error, written }) => {
                    Progress { read: error.valid_up_to(), written }
                }
                Err(_) => Progress { read: 0, written: 0 },
            };
            let read = self.accept(piece, progress)?;
            *at += read;
            if read < piece.len() || *at == bytes.len() {
                return Ok(());
            }
        }
    }

    /// Keeps what was converted, if it fits into the string.
    fn accept(&mut self, bytes: &[u8], progress: Progress) -> Result<usize, Stop> {
        let read = &bytes[..progress.read];
        if self.largest == 0x7F && progress.written < read.len() {
            return Err(Stop::Wide(0x80));
        }
        // A character of four bytes becomes two units of UTF-16.
        if self.largest == 0xFFFF && has_lead_of_four(read) {
            let mut starts = (0..read.len()).filter(|start| is_lead_of_four(read[*start]));
            if starts.any(|start| matches!(next(first_four(&bytes[start..])), Ok((_, 4)))) {
                return Err(Stop::Wide(0x1_0000));
            }
        }
        self.len += progress.written;
        if progress.read > 0 {
            self.bits = UNKNOWN;
        }
        Ok(progress.read)
    }

    /// Decodes the start of the bytes by the library, and returns how many.
    fn handled(&mut self, bytes: &[u8], instead: Instead) -> Result<usize, Stop> {
        let handler = match instead {
            Instead::Ignore => Handler::Ignore,
            Instead::Replace => Handler::Replace,
            Instead::SurrogateEscape => Handler::SurrogateEscape,
            _ => return Ok(0),
        };
        let progress = U::convert_handled(bytes, &mut self.room[self.len..], handler);
        self.accept(bytes, progress)
    }

    /// Decodes the bytes from `at` to `end`, through a copy unless they are valid.
    #[inline(never)]
    fn piece(
        &mut self,
        bytes: &[u8],
        at: &mut usize,
        end: usize,
        surrogates: &mut Vec<u16>,
        instead: Instead,
    ) -> Result<(), Stop> {
        let piece = &bytes[*at..end];
        let mut buffer = [MaybeUninit::uninit(); COPY_BYTES];
        let mut refused = |(refused, stop)| {
            *at += refused;
            stop
        };
        if self.largest == 0x7F
            && let Some(room) = U::as_bytes(&mut self.room[self.len..])
        {
            // The copy is the string.
            let text = copied(piece, room, surrogates, instead).map_err(&mut refused)?;
            let (len, widest) = (text.len(), widest(text));
            if widest > 0x7F {
                return Err(Stop::Wide(widest));
            }
            self.len += len;
        } else {
            let valid = trust8::from_utf8(piece);
            let text = match valid {
                Ok(text) => text,
                Err(_) => {
                    let copy = copied(piece, &mut buffer, surrogates, instead).map_err(&mut refused)?;
                    let Ok(text) = trust8::from_utf8(copy) else {
                        return self.scalar(bytes, at, end, instead, usize::MAX);
                    };
                    text
                }
            };
            let widest = widest(text.as_bytes());
            if widest > self.largest {
                return Err(Stop::Wide(widest));
            }
            let units = match convert_into(Str, U::FORM, text, &mut self.room[self.len..]) {
                Ok(units) => units,
                Err(BufferError::TooSmall(error)) => return Err(Stop::Full(error.needed)),
                Err(_) => return self.scalar(bytes, at, end, instead, usize::MAX),
            };
            if valid.is_err() && !put_in(surrogates, units) {
                return self.scalar(bytes, at, end, instead, usize::MAX);
            }
            self.len += units.len();
        }
        *at = end;
        Ok(())
    }

    /// Finishes what `lone_faults` has begun, by a block that overlaps the last one. So far, each byte
    /// is a unit.
    #[inline(never)]
    fn last_lone_faults(&mut self, bytes: &[u8], at: &mut usize, instead: Instead) {
        let (done, from) = (*at, bytes.len().saturating_sub(SEARCHED_BYTES));
        // `ignore` may stop after it has written, and then the units before would be others.
        if instead == Instead::Ignore
            || done < SEARCHED_BYTES
            || done < from
            || done == bytes.len()
            || self.len != done
        {
            return;
        }
        // 00 continues nothing.
        let mut last = [0; SEARCHED_BYTES + 1];
        last[..SEARCHED_BYTES].copy_from_slice(&bytes[from..]);
        self.len = from;
        match self.lone_faults(&last, instead) {
            SEARCHED_BYTES => *at = bytes.len(),
            _ => self.len = done,
        }
    }

    /// Writes text in which each byte above 7F is a fault by itself. Returns the number of bytes
    /// read, or 0 if this does not pay.
    fn lone_faults(&mut self, bytes: &[u8], instead: Instead) -> usize {
        // More faults are likely nearby.
        const NEARBY_BYTES: usize = 1024;
        let room = &mut self.room[self.len..];
        if instead == Instead::Ignore {
            let Some(room) = U::as_bytes(room) else { return 0 };
            let Progress { read, written } = into_ascii(Kernel::best(), bytes, room);
            self.len += written;
            return read;
        }
        let bytes = &bytes[..bytes.len().min(NEARBY_BYTES)];
        let (fault, largest) = match instead {
            Instead::SurrogateEscape => (Some(Fault::ESCAPED), 0xDCFF),
            Instead::Replace => (Some(Fault::REPLACED), REPLACEMENT.into()),
            Instead::Windows1252 if !bytes.iter().any(|byte| (0x80..0xA0).contains(byte)) => {
                (Some(Fault { own: 0xFF, low: 0, high: 0 }), 0xFF)
            }
            Instead::Windows1252 => (None, '™'.into()),
            _ => return 0,
        };
        if largest > self.largest {
            return 0;
        }
        let read = lone_faults(bytes, room, fault);
        if read > 0 {
            self.bits = UNKNOWN;
        }
        self.len += read;
        read
    }
}

/// Returns whether a continuation follows a lead anywhere in the bytes. If not, each byte above 7F
/// is ill-formed by itself.
#[inline(always)]
fn is_continued(bytes: &[u8], next: &[u8]) -> bool {
    // Bit 7 of the difference says whether a byte is C2 or more. A continuation has bit 7 set, and not bit 6.
    let pairs = bytes.iter().zip(next);
    pairs.fold(0, |any, (byte, next)| any | byte.saturating_sub(0x42) & next & !(next << 1)) > 0x7F
}

/// Returns whether the first bytes are ASCII and faults of one byte each.
#[inline]
pub(super) fn starts_with_lone_faults(bytes: &[u8]) -> bool {
    bytes
        .first_chunk::<{ SEARCHED_BYTES + 1 }>()
        .is_some_and(|start| !is_continued(&start[..SEARCHED_BYTES], &start[1..]))
}

/// Returns whether the first bytes have several leads that no continuation follows, or continuations after ASCII. The library is faster
/// then, because its time does not depend on the number of faults.
#[inline]
fn starts_with_close_faults(bytes: &[u8]) -> bool {
    let Some(start) = bytes.first_chunk::<{ FEW_BYTES + 1 }>() else { return false };
    let words = start.as_chunks::<8>().0.iter().zip(start[1..].as_chunks::<8>().0);
    // A count for each byte of a word, and then their sum.
    let faults = words.fold(0, |faults, (word, next)| {
        let (word, next) = (u64::from_le_bytes(*word), u64::from_le_bytes(*next));
        let is_continued = next & !(next << 1);
        faults + ((is_continued & !word | word & word << 1 & !is_continued) >> 7 & ONES)
    });
    faults.wrapping_mul(ONES) >> 56 > 1
}

/// Returns the length from which on the library is faster than a character at a time, given this length
/// for AVX-512 and for narrower vectors, with which it has more to do for each block. The scalar kernel
/// goes over characters too.
#[inline]
pub(super) fn library_pays(avx512: usize, narrower: usize) -> usize {
    match Kernel::best().name() {
        "avx512" => avx512,
        "scalar" => usize::MAX,
        _ => narrower,
    }
}

/// Returns whether no character seems to have four bytes. In a few bytes, trying costs less than
/// looking.
pub(super) fn may_be_narrow(bytes: &[u8]) -> bool {
    let pairs = bytes.iter().zip(bytes.get(1..).unwrap_or_default());
    let is_four = |(byte, next): (&u8, &u8)| is_lead_of_four(*byte) & (next >> 6 == 2);
    // Leads alone are found with fewer instructions than pairs.
    bytes.len() < FEW_BYTES || !has_lead_of_four(bytes) || !pairs.fold(false, |any, pair| any | is_four(pair))
}

/// What a fault of one byte becomes: its own bits, other bits, and the byte above.
#[derive(Clone, Copy)]
struct Fault {
    own: u8,
    low: u8,
    high: u8,
}

impl Fault {
    const REPLACED: Self = Self { own: 0, low: 0xFD, high: 0xFF };
    const ESCAPED: Self = Self { own: 0xFF, low: 0, high: 0xDC };

    /// Returns the units of eight bytes of ASCII and faults.
    #[inline(always)]
    fn eight(self, word: u64) -> [MaybeUninit<u16>; 8] {
        let each = |byte: u8| u64::from(byte) * ONES;
        let is_fault = (word >> 7 & ONES) * 0xFF;
        let lows = (word & (!is_fault | each(self.own)) | each(self.low) & is_fault).to_le_bytes();
        let highs = (each(self.high) & is_fault).to_le_bytes();
        std::array::from_fn(|i| MaybeUninit::new(u16::from_le_bytes([lows[i], highs[i]])))
    }
}

/// Converts blocks while no lead in them precedes a continuation. Such a block has no sequence of
/// two or more bytes, so each byte above 7F is ill-formed by itself. The bytes begin at the start
/// of a sequence. Returns the number of bytes, which is also the number of units. A sequence begins
/// after them as well. Without `fault`, the bytes are windows-1252.
#[inline(never)]
fn lone_faults<U: Unit>(bytes: &[u8], room: &mut [MaybeUninit<U>], fault: Option<Fault>) -> usize {
    let mut at = 0;
    // A block and the next byte, which may continue the block's last byte.
    while let Some(with_next) = bytes[at..].first_chunk::<{ SEARCHED_BYTES + 1 }>()
        && let Some(units) = room[at..].first_chunk_mut::<SEARCHED_BYTES>()
        && !is_continued(&with_next[..SEARCHED_BYTES], &with_next[1..])
    {
        at += SEARCHED_BYTES;
        let Some(fault) = fault else {
            for (unit, byte) in units.iter_mut().zip(with_next) {
                unit.write(U::of(WINDOWS_1252[usize::from(*byte)].into()));
            }
            continue;
        };
        // They compute bytes, because a vector has more of them.
        let (mut lows, mut highs) = ([0; SEARCHED_BYTES], [0; SEARCHED_BYTES]);
        for ((to_low, to_high), byte) in lows.iter_mut().zip(&mut highs).zip(with_next) {
            let is_fault = if *byte > 0x7F { 0xFF } else { 0 };
            *to_low = byte & (!is_fault | fault.own) | fault.low & is_fault;
            *to_high = fault.high & is_fault;
        }
        for (unit, (low, high)) in units.iter_mut().zip(lows.iter().zip(&highs)) {
            unit.write(U::of_bytes(*low, *high));
        }
    }
    at
}

/// Decodes bytes that `has_only_lone_faults` accepts. Returns whether each has become one unit in `room`,
/// which has their length.
#[inline]
pub(super) fn put_lone_faults(bytes: &[u8], room: &mut [MaybeUninit<u16>], instead: Instead) -> bool {
    let fault = match instead {
        Instead::SurrogateEscape => Fault::ESCAPED,
        Instead::Replace => Fault::REPLACED,
        _ => return false,
    };
    if bytes.len() > SEARCHED_BYTES || room.len() != bytes.len() {
        return pass(bytes, room, 0xFFFF, instead).written == bytes.len();
    }
    let (Some(last), Some(last_units)) = (bytes.last_chunk(), room.last_chunk_mut()) else {
        let units = fault.eight(last_bytes(bytes, 0));
        room.iter_mut().zip(units).for_each(|(to, unit)| *to = unit);
        return true;
    };
    // The last eight overlap those before them.
    *last_units = fault.eight(u64::from_le_bytes(*last));
    for (units, eight) in room.as_chunks_mut().0.iter_mut().zip(bytes.as_chunks().0) {
        *units = fault.eight(u64::from_le_bytes(*eight));
    }
    true
}

/// Returns whether there are bytes above 7F and each is a fault by itself.
#[inline]
pub(super) fn has_only_lone_faults(bytes: &[u8]) -> bool {
    if bytes.len() > SEARCHED_BYTES {
        return starts_with_lone_faults(bytes) && !is_continued(bytes, &bytes[1..]) && !bytes.is_ascii();
    }
    // As the function `is_continued`, for eight pairs of bytes.
    let is_lead = |word: u64| word & ((word | HIGH) - 0x42 * ONES);
    let is_continued = |word: u64, next: u64| is_lead(word) & next & !(next << 1) & HIGH != 0;
    let pair = |bytes: &[u8; 9]| {
        let [word @ .., _] = *bytes;
        let [_, next @ ..] = *bytes;
        (u64::from_le_bytes(word), u64::from_le_bytes(next))
    };
    let Some(last) = bytes.last_chunk() else {
        let word = match bytes.first_chunk() {
            Some(eight) => u64::from_le_bytes(*eight),
            None => last_bytes(bytes, 0),
        };
        return word & HIGH != 0 && !is_continued(word, word >> 8);
    };
    let (word, next) = pair(last);
    if is_continued(word, next) {
        return false;
    }
    let mut high = word | next;
    let mut rest = bytes;
    while let Some(first) = rest.first_chunk() {
        let (word, next) = pair(first);
        high |= word;
        if is_continued(word, next) {
            return false;
        }
        rest = &rest[8..];
    }
    high & HIGH != 0
}

/// Returns the first character and its length, or the length of an ill-formed sequence. The first byte
/// is the lowest of the word.
#[inline(always)]
fn next(word: u32) -> Result<(u32, usize), usize> {
    if word & 0x80 == 0 {
        return Ok((word & 0x7F, 1));
    }
    // 110xxxxx 10xxxxxx
    if word & 0xC0E0 == 0x80C0 {
        let code_point = (word & 0x1F) << 6 | word >> 8 & 0x3F;
        if code_point >= 0x80 {
            return Ok((code_point, 2));
        }
    // 1110xxxx 10xxxxxx 10xxxxxx
    } else if word & 0x00C0_C0F0 == 0x0080_80E0 {
        let code_point = (word & 0xF) << 12 | word >> 2 & 0xFC0 | word >> 16 & 0x3F;
        if code_point >= 0x800 && code_point >> 11 != 0x1B {
            return Ok((code_point, 3));
        }
    // 11110xxx 10xxxxxx 10xxxxxx 10xxxxxx
    } else if word & 0xC0C0_C0F8 == 0x8080_80F0 {
        let code_point = (word & 7) << 18 | word << 4 & 0x3F000 | word >> 10 & 0xFC0 | word >> 24 & 0x3F;
        if (0x1_0000..=0x10_FFFF).contains(&code_point) {
            return Ok((code_point, 4));
        }
    }
    Err(fault_len(word))
}

/// Returns the first bytes as a word with the first as its lowest, padded with 00.
#[inline]
fn first_four(bytes: &[u8]) -> u32 {
    bytes.iter().take(4).rfold(0, |word, byte| word << 8 | u32::from(*byte))
}

/// Returns fewer than eight bytes from `at` on as a word with the first as its lowest, padded with 00,
/// which continues nothing.
#[inline]
fn last_bytes(bytes: &[u8], at: usize) -> u64 {
    let shift = |bytes: usize| (8 * bytes) & 63;
    if let Some(last) = bytes.last_chunk() {
        return u64::from_le_bytes(*last) >> shift(at + 8 - bytes.len());
    }
    let word = match (bytes.first_chunk(), bytes.last_chunk()) {
        (Some(first), Some(last)) => {
            let last = u64::from(u32::from_le_bytes(*last)) << shift(bytes.len() - 4);
            u64::from(u32::from_le_bytes(*first)) | last
        }
        _ => bytes.iter().rfold(0, |word, byte| word << 8 | u64::from(*byte)),
    };
    word >> shift(at)
}

/// Returns the number of ASCII characters that a word begins with.
#[inline(always)]
fn leading_ascii(word: u64) -> usize {
    ((word & HIGH).trailing_zeros() / 8) as usize
}

/// Writes the bytes of a word as characters. The compiler would merge this with the code for bytes in
/// memory, and then vectorise neither.
#[inline(never)]
fn put_word<U: Unit>(word: u64, units: &mut [MaybeUninit<U>; 8]) {
    *units = word.to_le_bytes().map(|byte| MaybeUninit::new(U::of(byte.into())));
}

/// Returns the length of an ill-formed sequence. The first byte is the lowest of the word.
///
/// There are no branches on the bytes, because faults are hard to predict.
#[inline(always)]
fn fault_len(word: u32) -> usize {
    let [first, second, third, _] = word.to_le_bytes();
    let lowest = match first {
        0xE0 => 0xA0,
        0xF0 => 0x90,
        _ => 0x80,
    };
    let highest = match first {
        0xED => 0x9F,
        0xF4 => 0x8F,
        _ => 0xBF,
    };
    let two = (0xE0..=0xF4).contains(&first) & (lowest <= second) & (second <= highest);
    let three = two & (first >= 0xF0) & (third & 0xC0 == 0x80);
    1 + usize::from(two) + usize::from(three)
}
