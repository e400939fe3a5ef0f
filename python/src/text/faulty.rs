//! Decoding of faulty text in one pass, for the handlers of errors that need no call into Python.
//!
//! ```text
//! a block of ASCII:                          copy it
//! a block where no lead has a continuation:  each byte above 7F is a fault by itself; no branch for a fault
//! long after the last fault:                 the library's conversion
//! otherwise:                                 one character or fault at a time
//! ```

#![forbid(unsafe_code)]

use std::mem::MaybeUninit;

use super::Instead;
use trust8::transcode::{BufferError, Encoding, Progress, Utf16, Utf32, convert_as_fits};

/// A character of a string of some width.
pub(crate) trait Unit: Copy {
    fn of(code_point: u32) -> Self;

    /// Converts the well-formed start of the bytes, or a part of it.
    fn well_formed(bytes: &[u8], room: &mut [MaybeUninit<Self>]) -> Progress;
}

impl Unit for u8 {
    fn of(code_point: u32) -> Self {
        code_point as Self
    }

    fn well_formed(bytes: &[u8], room: &mut [MaybeUninit<Self>]) -> Progress {
        done(convert_as_fits(Encoding::Utf8, Encoding::Latin1, bytes, room))
    }
}

impl Unit for u16 {
    fn of(code_point: u32) -> Self {
        code_point as Self
    }

    fn well_formed(bytes: &[u8], room: &mut [MaybeUninit<Self>]) -> Progress {
        let progress = done(convert_as_fits(Encoding::Utf8, Utf16, bytes, room));
        // A character of four bytes became two units.
        let largest = bytes[..progress.read].iter().fold(0, |largest, byte| largest.max(*byte));
        if largest < 0xF0 { progress } else { Progress { read: 0, written: 0 } }
    }
}

impl Unit for u32 {
    fn of(code_point: u32) -> Self {
        code_point
    }

    fn well_formed(bytes: &[u8], room: &mut [MaybeUninit<Self>]) -> Progress {
        done(convert_as_fits(Encoding::Utf8, Utf32, bytes, room))
    }
}

/// Returns how far a conversion came.
fn done(result: Result<Progress, BufferError>) -> Progress {
    match result {
        Ok(progress) => progress,
        Err(BufferError::Invalid { error, written }) => Progress { read: error.valid_up_to(), written },
        Err(_) => Progress { read: 0, written: 0 },
    }
}

/// Why a pass has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stop {
    /// All bytes are decoded.
    End,
    /// This character is larger than the largest that was allowed.
    Wide(u32),
    /// So many more characters are needed.
    Full(usize),
    /// The handler refuses the sequence.
    Refused,
}

/// What a pass has done.
pub(crate) struct Pass {
    pub(crate) read: usize,
    pub(crate) written: usize,
    /// A number with all bits of the characters that were written, unless the library wrote them.
    pub(crate) seen: u32,
    pub(crate) stop: Stop,
}

const BLOCK: usize = 32;

/// So far after the last fault the library's conversion begins, with at least as many bytes before the end.
const FAR: usize = 256;

/// How many bytes the library converts at once.
const CHUNK: usize = 4096;

/// Decodes bytes into `room`, where no character may be larger than `largest`.
pub(crate) fn pass<U: Unit>(
    bytes: &[u8],
    room: &mut [MaybeUninit<U>],
    largest: u32,
    instead: Instead,
) -> Pass {
    let mut to = Output { room, len: 0, seen: 0, largest };
    let (mut at, mut clean_from) = (0, 0);
    let stop = 'stop: loop {
        let block_end = match bytes[at..].first_chunk::<{ BLOCK + 1 }>() {
            Some(with_next) => {
                let (block, _) = with_next.split_first_chunk::<BLOCK>().unwrap_or((&[0; BLOCK], &[]));
                let any = block.iter().fold(0, |any, byte| any | byte);
                if any < 0x80 {
                    if to.copy(block) {
                        at += BLOCK;
                        continue;
                    }
                } else if !is_continued(with_next) {
                    if to.lone_faults(block, instead) {
                        at += BLOCK;
                        clean_from = at;
                        continue;
                    }
                } else if at - clean_from >= FAR && bytes.len() - at >= FAR && largest > 0x7F {
                    let end = bytes.len().min(at + CHUNK);
                    let progress = U::well_formed(&bytes[at..end], &mut to.room[to.len..]);
                    at += progress.read;
                    to.len += progress.written;
                    if progress.read >= BLOCK {
                        continue;
                    }
                    clean_from = at;
                }
                at + BLOCK
            }
            None => bytes.len(),
        };
        while at < block_end {
            let rest = &bytes[at..];
            let stop = match next(rest) {
                Ok((code_point, len)) => match to.put(code_point) {
                    Ok(()) => {
                        at += len;
                        continue;
                    }
                    Err(stop) => stop,
                },
                Err(len) => match to.fault(rest, len, instead) {
                    Ok(read) => {
                        at += read;
                        clean_from = at;
                        continue;
                    }
                    Err(stop) => stop,
                },
            };
            break 'stop stop;
        }
        if at >= bytes.len() {
            break Stop::End;
        }
    };
    Pass { read: at, written: to.len, seen: to.seen, stop }
}

struct Output<'a, U> {
    room: &'a mut [MaybeUninit<U>],
    len: usize,
    seen: u32,
    largest: u32,
}

impl<U: Unit> Output<'_, U> {
    #[inline]
    fn put(&mut self, code_point: u32) -> Result<(), Stop> {
        if code_point > self.largest {
            return Err(Stop::Wide(code_point));
        }
        let unit = self.room.get_mut(self.len).ok_or(Stop::Full(1))?;
        unit.write(U::of(code_point));
        self.len += 1;
        self.seen |= code_point;
        Ok(())
    }

    /// Returns the place for a block, if there is one.
    fn block(&mut self) -> Option<&mut [MaybeUninit<U>; BLOCK]> {
        self.room[self.len..].first_chunk_mut()
    }

    /// Copies ASCII. Returns whether there was room.
    #[inline]
    fn copy(&mut self, block: &[u8; BLOCK]) -> bool {
        let Some(units) = self.block() else { return false };
        for (unit, byte) in units.iter_mut().zip(block) {
            unit.write(U::of((*byte).into()));
        }
        self.len += BLOCK;
        self.seen |= 0x7F;
        true
    }

    /// Writes a block where each byte above 7F is a fault by itself. Returns false if that must be done byte by byte.
    #[inline]
    fn lone_faults(&mut self, block: &[u8; BLOCK], instead: Instead) -> bool {
        let (prefix, largest) = match instead {
            Instead::Ignore => {
                let Some(units) = self.block() else { return false };
                let mut written = 0;
                for byte in block {
                    // The last byte that is kept replaces those that are not.
                    units[written].write(U::of((*byte).into()));
                    written += usize::from(*byte < 0x80);
                }
                self.len += written;
                self.seen |= 0x7F;
                return true;
            }
            Instead::SurrogateEscape => (0xDC00, 0xDCFF),
            Instead::Windows1252 if block.iter().all(|byte| !(0x80..0xA0).contains(byte)) => (0, 0xFF),
            _ => return false,
        };
        if largest > self.largest {
            return false;
        }
        let Some(units) = self.block() else { return false };
        for (unit, byte) in units.iter_mut().zip(block) {
            let byte = u32::from(*byte);
            unit.write(U::of(byte | if byte > 0x7F { prefix } else { 0 }));
        }
        self.len += BLOCK;
        self.seen |= largest;
        true
    }

    /// Writes what an ill-formed sequence becomes, and returns how many bytes of `rest` that is for.
    #[inline]
    fn fault(&mut self, rest: &[u8], len: usize, instead: Instead) -> Result<usize, Stop> {
        match instead {
            Instead::Ignore => Ok(len),
            Instead::Replace => self.put(0xFFFD).map(|()| len),
            Instead::SurrogatePass => match *rest {
                [0xED, second @ 0xA0..=0xBF, third @ 0x80..=0xBF, ..] => {
                    self.put(0xD000 | u32::from(second & 0x3F) << 6 | u32::from(third & 0x3F)).map(|()| 3)
                }
                _ => Err(Stop::Refused),
            },
            // The next call goes on after the first byte, which leaves faults of the other bytes.
            Instead::SurrogateEscape => self.put(0xDC00 | u32::from(rest[0])).map(|()| 1),
            Instead::Windows1252 => self.put(windows_1252(rest[0])).map(|()| 1),
            Instead::BackslashReplace => {
                if self.room.len() - self.len < 4 {
                    return Err(Stop::Full(4));
                }
                let digit = |nibble: u8| u32::from(b"0123456789abcdef"[usize::from(nibble)]);
                for code_point in [0x5C, 0x78, digit(rest[0] >> 4), digit(rest[0] & 0xF)] {
                    self.put(code_point)?;
                }
                Ok(1)
            }
        }
    }
}

/// Returns whether a lead is followed by a continuation anywhere in the bytes. If not, each byte above 7F is ill-formed by itself.
#[inline]
fn is_continued(bytes: &[u8; BLOCK + 1]) -> bool {
    // Bit 7 and bit 6 of a lead are set, and of a continuation only bit 7.
    let pairs = bytes[..BLOCK].iter().zip(&bytes[1..]);
    pairs.fold(0, |any, (byte, next)| any | byte & byte << 1 & next & !(next << 1)) > 0x7F
}

/// Returns the first character and its length, or the length of an ill-formed sequence.
#[inline]
fn next(rest: &[u8]) -> Result<(u32, usize), usize> {
    let four = match rest.first_chunk::<4>() {
        Some(four) => *four,
        None => {
            // 00 continues nothing.
            let mut four = [0; 4];
            four[..rest.len()].copy_from_slice(rest);
            four
        }
    };
    let [a, b, c, d] = four.map(u32::from);
    if a < 0x80 {
        return Ok((a, 1));
    }
    // The compiler makes one comparison of each of these masks: 1110xxxx 10xxxxxx 10xxxxxx, and so on.
    let word = u32::from_le_bytes(four);
    if word & 0x00C0_C0F0 == 0x0080_80E0 {
        let code_point = (a & 0xF) << 12 | (b & 0x3F) << 6 | c & 0x3F;
        if code_point >= 0x800 && code_point >> 11 != 0x1B {
            return Ok((code_point, 3));
        }
    } else if word & 0xC0E0 == 0x80C0 {
        let code_point = (a & 0x1F) << 6 | b & 0x3F;
        if code_point >= 0x80 {
            return Ok((code_point, 2));
        }
    } else if word & 0xC0C0_C0F8 == 0x8080_80F0 {
        let code_point = (a & 7) << 18 | (b & 0x3F) << 12 | (c & 0x3F) << 6 | d & 0x3F;
        if (0x1_0000..=0x10_FFFF).contains(&code_point) {
            return Ok((code_point, 4));
        }
    }
    Err(match four {
        [0xE0, 0xA0..=0xBF, ..] | [0xE1..=0xEC | 0xEE | 0xEF, 0x80..=0xBF, ..] | [0xED, 0x80..=0x9F, ..] => 2,
        [0xF0, 0x90..=0xBF, third, _] | [0xF1..=0xF3, 0x80..=0xBF, third, _] | [0xF4, 0x80..=0x8F, third, _] => {
            if third & 0xC0 == 0x80 { 3 } else { 2 }
        }
        _ => 1,
    })
}

/// Returns what a byte above 7F is in windows-1252, as the WHATWG encoding standard has it.
fn windows_1252(byte: u8) -> u32 {
    const FROM_80: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8D}', 'Ž', '\u{8F}', //
        '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9D}', 'ž', 'Ÿ',
    ];
    FROM_80.get(usize::from(byte - 0x80)).map_or(byte.into(), |character| u32::from(*character))
}
