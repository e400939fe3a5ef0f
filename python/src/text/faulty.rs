//! Decodes faulty text, for the error handlers that need no call into Python.
//!
//! ```text
//! the end of short text:                     one character or fault at a time
//! where no lead precedes a continuation:     each byte above 7F is a fault by itself; no branch for a fault
//! `ignore`, `replace`, `surrogateescape`:    the library's conversion, unless a character has one byte
//! otherwise, piece by piece:                 copy the text between the faults, with what the handler says between,
//!                                            and then convert the copy
//! ```
//!
//! UTF-8 has no surrogates, so a copy has U+FFFF for each. They replace it after the conversion.

#![forbid(unsafe_code)]

use std::mem::MaybeUninit;

use super::Instead;
use trust8::Kernel;
use trust8::boundary::floor;
use trust8::engine::survey::WITH_CONTEXT;
use trust8::engine::{FaultSearch, Output, windows_1252};
use trust8_transcode::handlers::{Handler, into_ascii, into_utf16, into_utf32};
use trust8_transcode::{BufferError, Encoding, Progress, Utf16, Utf32, convert_into};

/// A character of a string of some width.
pub(crate) trait Unit: Copy + Into<u32> {
    fn of(code_point: u32) -> Self;

    /// Returns the character with these bytes, as far as it has room for them.
    fn of_bytes(low: u8, high: u8) -> Self;

    /// Converts UTF-8 whose characters fit.
    fn convert<'b>(text: &[u8], room: &'b mut [MaybeUninit<Self>]) -> Result<&'b mut [Self], BufferError>;

    /// Converts the start of the bytes as [`into_utf16`] does.
    fn convert_handled(bytes: &[u8], room: &mut [MaybeUninit<Self>], handler: Handler) -> Progress;

    /// Returns the memory, if a unit is a byte.
    fn as_bytes(room: &mut [MaybeUninit<Self>]) -> Option<&mut [MaybeUninit<u8>]>;
}

impl Unit for u8 {
    fn of(code_point: u32) -> Self {
        code_point as Self
    }

    fn of_bytes(low: u8, _: u8) -> Self {
        low
    }

    fn convert<'b>(text: &[u8], room: &'b mut [MaybeUninit<Self>]) -> Result<&'b mut [Self], BufferError> {
        convert_into(Encoding::Utf8, Encoding::Latin1, text, room)
    }

    fn convert_handled(_: &[u8], _: &mut [MaybeUninit<Self>], _: Handler) -> Progress {
        Progress { read: 0, written: 0 }
    }

    fn as_bytes(room: &mut [MaybeUninit<Self>]) -> Option<&mut [MaybeUninit<u8>]> {
        Some(room)
    }
}

impl Unit for u16 {
    fn of(code_point: u32) -> Self {
        code_point as Self
    }

    fn of_bytes(low: u8, high: u8) -> Self {
        Self::from_le_bytes([low, high])
    }

    fn convert<'b>(text: &[u8], room: &'b mut [MaybeUninit<Self>]) -> Result<&'b mut [Self], BufferError> {
        convert_into(Encoding::Utf8, Utf16, text, room)
    }

    fn convert_handled(bytes: &[u8], room: &mut [MaybeUninit<Self>], handler: Handler) -> Progress {
        into_utf16(Kernel::best(), bytes, room, handler)
    }

    fn as_bytes(_: &mut [MaybeUninit<Self>]) -> Option<&mut [MaybeUninit<u8>]> {
        None
    }
}

impl Unit for u32 {
    fn of(code_point: u32) -> Self {
        code_point
    }

    fn of_bytes(low: u8, high: u8) -> Self {
        u16::from_le_bytes([low, high]).into()
    }

    fn convert<'b>(text: &[u8], room: &'b mut [MaybeUninit<Self>]) -> Result<&'b mut [Self], BufferError> {
        convert_into(Encoding::Utf8, Utf32, text, room)
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
    pub(crate) stop: Stop,
}

/// The length of short text, which is decoded into memory on the stack: the string then gets the
/// right width and length at once.
pub(super) const SHORT: usize = 1024;

/// Room for the characters of short text, and for stores of whole blocks.
pub(super) const ROOM: usize = SHORT + 128;

/// The shortest text for which calling the library costs less than decoding it here.
const LIBRARY: usize = 96;

/// The number of bytes to search for lone faults at a time. The compiler would unroll loops over fewer bytes,
/// and then not vectorise them.
const BLOCK: usize = 64;

/// The number of bytes to copy and convert at a time.
const PIECE: usize = 4096;

/// The copy of a piece: at most four bytes for each byte, and the excess of the last store.
const COPY: usize = 4 * PIECE + WITH_CONTEXT;

/// The number of units to search for faults at a time.
const GROUP: usize = 16;

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
    let mut to = Decoder { room, len: 0, largest };
    let mut at = 0;
    let done = if bytes.len() <= SHORT {
        to.short(bytes, &mut at, instead)
    } else {
        to.pieces(bytes, &mut at, instead)
    };
    Pass { read: at, written: to.len, stop: done.err().unwrap_or(Stop::End) }
}

/// Replaces the placeholders by surrogates. Returns false if there are others: the text has this
/// character.
fn put_in<U: Unit>(surrogates: &[u16], units: &mut [U]) -> bool {
    let mut surrogates = surrogates.iter();
    let is_placeholder = |unit: U| unit.into() == u32::from(PLACEHOLDER);
    for group in units.chunks_mut(GROUP) {
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
    let mut at = 0;
    let mut fits = true;
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
                Instead::Nothing => return Err((start, Stop::Refused)),
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
    if fits { Ok(()) } else { Err((0, Stop::Full(COPY))) }
}

/// Appends `piece[from..to]`, which is not longer than a block.
#[inline(always)]
fn put_run(piece: &[u8], from: usize, to: usize, out: &mut Output<'_>) -> bool {
    match piece[from..].first_chunk::<WITH_CONTEXT>() {
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
        if bytes.len() - *at >= LIBRARY {
            *at += self.handled(&bytes[*at..], instead)?;
        }
        self.scalar(bytes, at, bytes.len(), instead)
    }

    /// Decodes characters and faults one by one, from `start` to `end` or slightly beyond.
    fn scalar(&mut self, bytes: &[u8], start: &mut usize, end: usize, instead: Instead) -> Result<(), Stop> {
        // Local variables stay in registers.
        let (mut at, mut len, largest) = (*start, self.len, self.largest);
        let stop = loop {
            if at >= end {
                break Ok(());
            }
            let (code_point, read) = match next(&bytes[at..]) {
                Ok((code_point, read)) => {
                    if code_point < 0x80 {
                        // The ASCII before the next other character, without a branch on its
                        // length.
                        let start = at;
                        while at < end
                            && let Some(eight) = bytes[at..].first_chunk::<8>()
                            && let Some(units) = self.room[len..].first_chunk_mut::<8>()
                        {
                            units
                                .iter_mut()
                                .zip(eight)
                                .for_each(|(unit, byte)| *unit = MaybeUninit::new(U::of((*byte).into())));
                            let others = u64::from_le_bytes(*eight) & 0x8080_8080_8080_8080;
                            // 8 if there is no other.
                            let ascii = (others.trailing_zeros() / 8) as usize;
                            at += ascii;
                            len += ascii;
                            if others != 0 {
                                break;
                            }
                        }
                        if at > start {
                            continue;
                        }
                    }
                    (code_point, read)
                }
                Err(read) => match instead {
                    Instead::Ignore => {
                        at += read;
                        continue;
                    }
                    // The next iteration starts after the first byte, and finds that the other
                    // bytes are faults too.
                    Instead::SurrogateEscape => (0xDC00 | u32::from(bytes[at]), 1),
                    _ => {
                        self.len = len;
                        let read = self.fault(&bytes[at..], read, instead);
                        len = self.len;
                        match read {
                            Ok(read) => at += read,
                            Err(stop) => break Err(stop),
                        }
                        continue;
                    }
                },
            };
            if code_point > largest {
                break Err(Stop::Wide(code_point));
            }
            let Some(unit) = self.room.get_mut(len) else { break Err(Stop::Full(1)) };
            unit.write(U::of(code_point));
            len += 1;
            at += read;
        };
        (*start, self.len) = (at, len);
        stop
    }

    /// Decodes piece by piece.
    fn pieces(&mut self, bytes: &[u8], at: &mut usize, instead: Instead) -> Result<(), Stop> {
        let mut surrogates = Vec::new();
        while *at < bytes.len() {
            let rest = &bytes[*at..];
            let mut read = self.lone_faults(rest, instead);
            if read == 0 {
                read = self.handled(rest, instead)?;
            }
            *at += read;
            if read == 0 {
                let end = if rest.len() > PIECE { *at + floor(rest, PIECE) } else { bytes.len() };
                surrogates.clear();
                self.piece(bytes, at, end, &mut surrogates, instead)?;
            }
        }
        Ok(())
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
        let read = &bytes[..progress.read];
        // A character of four bytes becomes two units of UTF-16.
        if self.largest == 0xFFFF && read.iter().fold(false, |any, byte| any | is_lead_of_four(*byte)) {
            let mut starts = (0..read.len()).filter(|start| is_lead_of_four(read[*start]));
            if starts.any(|start| matches!(next(&bytes[start..]), Ok((_, 4)))) {
                return Err(Stop::Wide(0x1_0000));
            }
        }
        self.len += progress.written;
        Ok(progress.read)
    }

    /// Decodes the bytes from `at` to `end` through a copy.
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
        let mut buffer = [MaybeUninit::uninit(); COPY];
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
            let text = copied(piece, &mut buffer, surrogates, instead).map_err(&mut refused)?;
            let widest = widest(text);
            if widest > self.largest {
                return Err(Stop::Wide(widest));
            }
            let units = match U::convert(text, &mut self.room[self.len..]) {
                Ok(units) => units,
                Err(BufferError::TooSmall(error)) => return Err(Stop::Full(error.needed)),
                Err(_) => return self.scalar(bytes, at, end, instead),
            };
            if !put_in(surrogates, units) {
                return self.scalar(bytes, at, end, instead);
            }
            self.len += units.len();
        }
        *at = end;
        Ok(())
    }

    #[inline(always)]
    fn put(&mut self, code_point: u32) -> Result<(), Stop> {
        if code_point > self.largest {
            return Err(Stop::Wide(code_point));
        }
        let unit = self.room.get_mut(self.len).ok_or(Stop::Full(1))?;
        unit.write(U::of(code_point));
        self.len += 1;
        Ok(())
    }

    /// Finishes what `lone_faults` has begun, by a block that overlaps the last one. So far, each byte
    /// is a unit.
    #[inline]
    fn last_lone_faults(&mut self, bytes: &[u8], at: &mut usize, instead: Instead) {
        let (done, from) = (*at, bytes.len().saturating_sub(BLOCK));
        if done < BLOCK || done < from || done == bytes.len() || self.len != done {
            return;
        }
        // 00 continues nothing.
        let mut last = [0; BLOCK + 1];
        last[..BLOCK].copy_from_slice(&bytes[from..]);
        self.len = from;
        match self.lone_faults(&last, instead) {
            BLOCK => *at = bytes.len(),
            _ => self.len = done,
        }
    }

    /// Writes text in which each byte above 7F is a fault by itself. Returns the number of bytes
    /// read, or 0 if this does not pay.
    fn lone_faults(&mut self, bytes: &[u8], instead: Instead) -> usize {
        // More faults are likely nearby.
        const NEARBY: usize = 1024;
        let room = &mut self.room[self.len..];
        if instead == Instead::Ignore {
            let Some(room) = U::as_bytes(room) else { return 0 };
            let Progress { read, written } = into_ascii(Kernel::best(), bytes, room);
            self.len += written;
            return read;
        }
        let bytes = &bytes[..bytes.len().min(NEARBY)];
        let (fault, largest) = match instead {
            Instead::SurrogateEscape => (Fault { own: 0xFF, low: 0, high: 0xDC }, 0xDCFF),
            Instead::Replace => (Fault::REPLACED, REPLACEMENT.into()),
            Instead::Windows1252 if !bytes.iter().any(|byte| (0x80..0xA0).contains(byte)) => {
                (Fault { own: 0xFF, low: 0, high: 0 }, 0xFF)
            }
            _ => return 0,
        };
        if largest > self.largest {
            return 0;
        }
        let read = lone_faults(bytes, room, fault);
        self.len += read;
        read
    }

    /// Writes the replacement of an ill-formed sequence, and returns how many bytes of `rest` it
    /// replaces.
    #[inline]
    fn fault(&mut self, rest: &[u8], len: usize, instead: Instead) -> Result<usize, Stop> {
        match instead {
            Instead::Ignore => Ok(len),
            Instead::Nothing => Err(Stop::Refused),
            Instead::Replace => self.put(REPLACEMENT.into()).map(|()| len),
            Instead::SurrogatePass => match surrogate(rest) {
                Some(surrogate) => self.put(surrogate.into()).map(|()| 3),
                None => Err(Stop::Refused),
            },
            Instead::SurrogateEscape => self.put(0xDC00 | u32::from(rest[0])).map(|()| 1),
            Instead::Windows1252 => self.put(windows_1252(rest[0]).into()).map(|()| 1),
            Instead::BackslashReplace => {
                if self.room.len() - self.len < 4 {
                    return Err(Stop::Full(4));
                }
                backslashed(rest[0]).into_iter().try_for_each(|byte| self.put(byte.into()))?;
                Ok(1)
            }
        }
    }
}

/// Returns whether a continuation follows a lead anywhere in the bytes. If not, each byte above 7F
/// is ill-formed by itself.
#[inline(always)]
fn is_continued(bytes: &[u8], next: &[u8]) -> bool {
    // A lead has bits 7 and 6 set, and a continuation only bit 7.
    let pairs = bytes.iter().zip(next);
    pairs.fold(0, |any, (byte, next)| any | byte & byte << 1 & next & !(next << 1)) > 0x7F
}

/// Returns whether the first bytes are ASCII and faults of one byte each.
#[inline]
pub(super) fn starts_with_lone_faults(bytes: &[u8]) -> bool {
    bytes.first_chunk::<{ BLOCK + 1 }>().is_some_and(|start| !is_continued(&start[..BLOCK], &start[1..]))
}

/// Returns a limit that `pass` is likely to need for these bytes: of ASCII, of UTF-16 without
/// surrogates, or of all characters. For a few bytes, trying costs less than looking.
pub(super) fn largest_at_least(bytes: &[u8]) -> u32 {
    let next = bytes.get(1..).unwrap_or_default();
    if bytes.len() < LIBRARY || !is_continued(bytes, next) {
        return 0x7F;
    }
    let pairs = bytes.iter().zip(next);
    let is_four = pairs.fold(false, |any, (byte, next)| any | is_lead_of_four(*byte) & (next >> 6 == 2));
    if is_four { 0x10_FFFF } else { 0xFFFF }
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
}

/// Converts blocks while no lead in them precedes a continuation. Such a block has no sequence of
/// two or more bytes, so each byte above 7F is ill-formed by itself. The bytes begin at the start
/// of a sequence. Returns the number of bytes, which is also the number of units. A sequence begins
/// after them as well.
#[inline(never)]
fn lone_faults<U: Unit>(bytes: &[u8], room: &mut [MaybeUninit<U>], fault: Fault) -> usize {
    let mut at = 0;
    // A block and the next byte, which may continue the block's last byte.
    while let Some(with_next) = bytes[at..].first_chunk::<{ BLOCK + 1 }>()
        && let Some(units) = room[at..].first_chunk_mut::<BLOCK>()
        && !is_continued(&with_next[..BLOCK], &with_next[1..])
    {
        // They compute bytes, because a vector has more of them.
        let (mut lows, mut highs) = ([0; BLOCK], [0; BLOCK]);
        for ((to_low, to_high), byte) in lows.iter_mut().zip(&mut highs).zip(with_next) {
            let is_fault = if *byte > 0x7F { 0xFF } else { 0 };
            *to_low = byte & (!is_fault | fault.own) | fault.low & is_fault;
            *to_high = fault.high & is_fault;
        }
        for (unit, (low, high)) in units.iter_mut().zip(lows.iter().zip(&highs)) {
            unit.write(U::of_bytes(*low, *high));
        }
        at += BLOCK;
    }
    at
}

/// Returns the first character and its length, or the length of an ill-formed sequence.
#[inline(always)]
fn next(rest: &[u8]) -> Result<(u32, usize), usize> {
    let four = first_four(rest);
    // The first byte is the lowest of the word.
    let word = u32::from_le_bytes(four);
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
    Err(fault_len(four))
}

/// Returns the first bytes, padded with 00, which continues nothing.
#[inline(always)]
fn first_four(rest: &[u8]) -> [u8; 4] {
    rest.first_chunk::<4>().copied().unwrap_or_else(|| {
        let mut four = [0; 4];
        four[..rest.len()].copy_from_slice(rest);
        four
    })
}

/// Returns the length of an ill-formed sequence.
#[inline(always)]
fn fault_len(four: [u8; 4]) -> usize {
    match four {
        [0xE0, 0xA0..=0xBF, ..] | [0xE1..=0xEC | 0xEE | 0xEF, 0x80..=0xBF, ..] | [0xED, 0x80..=0x9F, ..] => 2,
        [0xF0, 0x90..=0xBF, third, _]
        | [0xF1..=0xF3, 0x80..=0xBF, third, _]
        | [0xF4, 0x80..=0x8F, third, _] => {
            if third & 0xC0 == 0x80 {
                3
            } else {
                2
            }
        }
        _ => 1,
    }
}
