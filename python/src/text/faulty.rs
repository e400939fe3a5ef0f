//! Decodes faulty text in one pass, for the error handlers that need no call into Python.
//!
//! ```text
//! a block of ASCII:                          copy it
//! a block where no lead has a continuation:  each byte above 7F is a fault by itself; no branch for a fault
//! far after the last fault:                  the library's conversion
//! where faults are near:                     the library's lossy conversion, and then each U+FFFD becomes what the handler says
//! otherwise, and at the end:                 one character or fault at a time
//! ```

#![forbid(unsafe_code)]

use std::mem::MaybeUninit;

use super::Instead;
use trust8::boundary::floor;
use trust8::engine::windows_1252;
use trust8_transcode::{BufferError, Encoding, Progress, Utf16, Utf32, convert_as_fits, convert_into_lossy};

/// A character of a string of some width.
pub(crate) trait Unit: Copy + Into<u32> {
    /// A unit that the library's lossy conversion can write.
    type Lossy: Copy + Into<u32>;

    fn of(code_point: u32) -> Self;

    /// Returns the character with these bytes, as far as it has room for them.
    fn of_bytes(low: u8, high: u8) -> Self;

    /// Converts the bytes into UTF-32 or UTF-16, with each ill-formed sequence replaced by U+FFFD.
    fn lossy<'b>(bytes: &[u8], buffer: &'b mut [MaybeUninit<Self::Lossy>]) -> Option<&'b [Self::Lossy]>;

    /// Returns the bits of all characters except U+FFFD, combined, and whether there is half of a
    /// pair.
    fn seen(units: &[Self::Lossy]) -> (u32, bool);

    /// Converts the well-formed start of the bytes, or a part of it.
    fn well_formed(bytes: &[u8], room: &mut [MaybeUninit<Self>]) -> Progress;
}

impl Unit for u8 {
    type Lossy = u16;

    fn seen(units: &[u16]) -> (u32, bool) {
        seen_in_utf16(units)
    }

    fn lossy<'b>(bytes: &[u8], buffer: &'b mut [MaybeUninit<u16>]) -> Option<&'b [u16]> {
        convert_into_lossy(Encoding::Utf8, Utf16, bytes, buffer).ok().map(|units| &*units)
    }

    fn of(code_point: u32) -> Self {
        code_point as Self
    }

    fn of_bytes(low: u8, _: u8) -> Self {
        low
    }

    fn well_formed(bytes: &[u8], room: &mut [MaybeUninit<Self>]) -> Progress {
        done(convert_as_fits(Encoding::Utf8, Encoding::Latin1, bytes, room))
    }
}

impl Unit for u16 {
    type Lossy = u16;

    fn seen(units: &[u16]) -> (u32, bool) {
        seen_in_utf16(units)
    }

    fn lossy<'b>(bytes: &[u8], buffer: &'b mut [MaybeUninit<u16>]) -> Option<&'b [u16]> {
        convert_into_lossy(Encoding::Utf8, Utf16, bytes, buffer).ok().map(|units| &*units)
    }

    fn of(code_point: u32) -> Self {
        code_point as Self
    }

    fn of_bytes(low: u8, high: u8) -> Self {
        Self::from_le_bytes([low, high])
    }

    fn well_formed(bytes: &[u8], room: &mut [MaybeUninit<Self>]) -> Progress {
        let progress = done(convert_as_fits(Encoding::Utf8, Utf16, bytes, room));
        // A character of four bytes became two units.
        let largest = bytes[..progress.read].iter().fold(0, |largest, byte| largest.max(*byte));
        if largest < 0xF0 { progress } else { Progress { read: 0, written: 0 } }
    }
}

impl Unit for u32 {
    type Lossy = u32;

    fn seen(units: &[u32]) -> (u32, bool) {
        // The combined bits may be greater than the largest character.
        let seen = units.iter().fold(0, |seen, unit| seen | if *unit == 0xFFFD { 0 } else { *unit });
        (seen.min(0x10_FFFF), false)
    }

    fn lossy<'b>(bytes: &[u8], buffer: &'b mut [MaybeUninit<u32>]) -> Option<&'b [u32]> {
        convert_into_lossy(Encoding::Utf8, Utf32, bytes, buffer).ok().map(|units| &*units)
    }

    fn of(code_point: u32) -> Self {
        code_point
    }

    fn of_bytes(low: u8, high: u8) -> Self {
        u16::from_le_bytes([low, high]).into()
    }

    fn well_formed(bytes: &[u8], room: &mut [MaybeUninit<Self>]) -> Progress {
        done(convert_as_fits(Encoding::Utf8, Utf32, bytes, room))
    }
}

/// Like `Unit::seen`, for UTF-16.
fn seen_in_utf16(units: &[u16]) -> (u32, bool) {
    // The compiler vectorises these loops.
    let seen = units.iter().fold(0, |seen, unit| seen | if *unit == 0xFFFD { 0 } else { *unit });
    let is_pair = units.iter().fold(false, |any, unit| any | (unit & 0xF800 == 0xD800));
    (seen.into(), is_pair)
}

/// Returns the progress of a conversion.
fn done(result: Result<Progress, BufferError>) -> Progress {
    match result {
        Ok(progress) => progress,
        Err(BufferError::Invalid { error, written }) => Progress { read: error.valid_up_to(), written },
        Err(_) => Progress { read: 0, written: 0 },
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
    /// The combined bits of the characters that were written, unless the library wrote them.
    pub(crate) seen: u32,
    pub(crate) stop: Stop,
}

/// The length of short text.
pub(super) const SHORT: usize = 256;

const BLOCK: usize = 32;

/// The number of bytes to decode one by one before the next check of a block.
const STRETCH: usize = 128;

/// The library's conversion starts at this distance after the last fault, and at least this
/// distance before the end.
const FAR: usize = 128;

/// The number of bytes to convert at a time while faults are near.
const LOSSY: usize = 4096;

/// Fewer bytes are decoded one by one.
const FEW: usize = 256;

/// The number of units to write at a time if no fault is among them.
const GROUP: usize = 8;

const REPLACEMENT: u32 = 0xFFFD;

/// The number of bytes that the library converts at a time.
const CHUNK: usize = 4096;

/// Decodes bytes into `room`. No character may be larger than `largest`.
pub(crate) fn pass<U: Unit>(
    bytes: &[u8],
    room: &mut [MaybeUninit<U>],
    largest: u32,
    instead: Instead,
) -> Pass {
    let mut to = Output { room, len: 0, seen: 0, largest };
    let (mut at, mut clean_from, mut was_ascii) = (0, 0, false);
    // Whether there was a fault in the last stretch or piece.
    let mut faulty = false;
    let stop = loop {
        let rest = &bytes[at..];
        let Some(with_next) = rest.first_chunk::<{ BLOCK + 1 }>().filter(|_| bytes.len() > FAR) else {
            break to
                .scalar(bytes, &mut at, bytes.len(), &mut clean_from, instead)
                .err()
                .unwrap_or(Stop::End);
        };
        let block = &with_next[..BLOCK];
        let any = block.iter().fold(0, |any, byte| any | byte);
        if any < 0x80 {
            let copied = if was_ascii { to.ascii(&rest[..rest.len().min(CHUNK)]) } else { to.copy(block) };
            was_ascii = !was_ascii;
            at += copied;
            if copied > 0 {
                continue;
            }
        } else if let read @ 1.. = to.lone_faults(rest, instead) {
            at += read;
            clean_from = at;
            continue;
        } else if at - clean_from >= FAR && rest.len() >= FAR && largest > 0x7F {
            let progress = U::well_formed(&rest[..rest.len().min(CHUNK)], &mut to.room[to.len..]);
            at += progress.read;
            to.len += progress.written;
            if progress.read > 0 {
                continue;
            }
            clean_from = at;
        }
        if faulty
            && rest.len() >= FEW
            && let Some(any) = to.lossy(bytes, &mut at, instead)
        {
            faulty = any;
            continue;
        }
        let (start, end) = (at, bytes.len().min(at + STRETCH));
        if let Err(stop) = to.scalar(bytes, &mut at, end, &mut clean_from, instead) {
            break stop;
        }
        faulty = clean_from > start;
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
    /// Decodes characters and faults one by one, from `start` to `end` or slightly beyond.
    fn scalar(
        &mut self,
        bytes: &[u8],
        start: &mut usize,
        end: usize,
        clean_from: &mut usize,
        instead: Instead,
    ) -> Result<(), Stop> {
        // Local variables stay in registers.
        let (mut at, mut len, mut seen, mut clean, largest) =
            (*start, self.len, self.seen, *clean_from, self.largest);
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
                        seen |= 0x7F;
                        if at > start {
                            continue;
                        }
                    }
                    (code_point, read)
                }
                Err(read) => {
                    clean = at + read;
                    match instead {
                        Instead::Ignore => {
                            at = clean;
                            continue;
                        }
                        // The next iteration starts after the first byte, and finds that the other
                        // bytes are faults too.
                        Instead::SurrogateEscape => (0xDC00 | u32::from(bytes[at]), 1),
                        _ => {
                            (self.len, self.seen) = (len, seen);
                            let read = self.fault(&bytes[at..], read, instead);
                            (len, seen) = (self.len, self.seen);
                            match read {
                                Ok(read) => at += read,
                                Err(stop) => break Err(stop),
                            }
                            clean = at;
                            continue;
                        }
                    }
                }
            };
            if code_point > largest {
                break Err(Stop::Wide(code_point));
            }
            let Some(unit) = self.room.get_mut(len) else { break Err(Stop::Full(1)) };
            unit.write(U::of(code_point));
            seen |= code_point;
            len += 1;
            at += read;
        };
        (*start, self.len, self.seen, *clean_from) = (at, len, seen, clean);
        stop
    }

    /// Decodes a piece by the library's lossy conversion, in which each fault is U+FFFD. Returns
    /// whether there were faults, or `None` if the piece must be decoded one by one.
    fn lossy(&mut self, bytes: &[u8], at: &mut usize, instead: Instead) -> Option<bool> {
        if !matches!(instead, Instead::Ignore | Instead::SurrogateEscape) {
            return None;
        }
        let end = if bytes.len() - *at > LOSSY { floor(bytes, *at + LOSSY) } else { bytes.len() };
        let piece = &bytes[*at..end];
        let mut buffer = [MaybeUninit::uninit(); LOSSY];
        let units = U::lossy(piece, &mut buffer)?;
        let (seen, is_pair) = U::seen(units);
        if is_pair || seen > self.largest || has_replacement(piece) {
            return None;
        }
        // Each unit comes from at least one byte.
        let room = self.room[self.len..].get_mut(..piece.len())?;
        let len = match instead {
            Instead::Ignore => without_faults(units, room),
            _ => with_escapes(piece, units, room),
        };
        self.len += len;
        self.seen |= seen;
        *at = end;
        // A fault is left out, or is the only surrogate.
        Some(
            len < units.len()
                || instead == Instead::SurrogateEscape && units.iter().any(|unit| is_fault(*unit)),
        )
    }

    /// Copies ASCII from the start of the bytes, and returns its length.
    fn ascii(&mut self, bytes: &[u8]) -> usize {
        // The compiler would not vectorise one loop that looks and copies.
        let len = trust8::ascii_up_to(bytes).min(self.room.len() - self.len);
        let units = &mut self.room[self.len..][..len];
        units.iter_mut().zip(bytes).for_each(|(unit, byte)| *unit = MaybeUninit::new(U::of((*byte).into())));
        self.len += len;
        self.seen |= 0x7F;
        len
    }

    /// Copies a block of ASCII. Returns its length, or 0 if it does not fit.
    #[inline]
    fn copy(&mut self, block: &[u8]) -> usize {
        let Some(units) = self.block() else { return 0 };
        for (unit, byte) in units.iter_mut().zip(block) {
            unit.write(U::of((*byte).into()));
        }
        self.len += BLOCK;
        self.seen |= 0x7F;
        BLOCK
    }

    #[inline(always)]
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

    /// Returns the space for a block, if there is enough.
    fn block(&mut self) -> Option<&mut [MaybeUninit<U>; BLOCK]> {
        self.room[self.len..].first_chunk_mut()
    }

    /// Writes blocks in which each byte above 7F is a fault by itself. Returns the number of bytes
    /// read, or 0 if the bytes must be decoded one by one.
    fn lone_faults(&mut self, bytes: &[u8], instead: Instead) -> usize {
        // More faults are likely nearby.
        const NEARBY: usize = 1024;
        let bytes = &bytes[..bytes.len().min(NEARBY)];
        let room = &mut self.room[self.len..];
        let (fault, largest) = match instead {
            Instead::Ignore => {
                let (read, written) = ignored(bytes, room);
                self.len += written;
                self.seen |= 0x7F;
                return read;
            }
            Instead::SurrogateEscape => (Fault { own: 0xFF, low: 0, high: 0xDC }, 0xDCFF),
            Instead::Replace => (Fault::REPLACED, REPLACEMENT),
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
        if read > 0 {
            self.seen |= largest;
        }
        read
    }

    /// Writes the replacement of an ill-formed sequence, and returns how many bytes of `rest` it
    /// replaces.
    #[inline]
    fn fault(&mut self, rest: &[u8], len: usize, instead: Instead) -> Result<usize, Stop> {
        match instead {
            Instead::Ignore => Ok(len),
            Instead::Nothing => Err(Stop::Refused),
            Instead::Replace => self.put(0xFFFD).map(|()| len),
            Instead::SurrogatePass => match *rest {
                [0xED, second @ 0xA0..=0xBF, third @ 0x80..=0xBF, ..] => {
                    self.put(0xD000 | u32::from(second & 0x3F) << 6 | u32::from(third & 0x3F)).map(|()| 3)
                }
                _ => Err(Stop::Refused),
            },
            Instead::SurrogateEscape => self.put(0xDC00 | u32::from(rest[0])).map(|()| 1),
            Instead::Windows1252 => self.put(windows_1252(rest[0]).into()).map(|()| 1),
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

/// Returns whether a continuation follows a lead anywhere in the bytes. If not, each byte above 7F
/// is ill-formed by itself.
#[inline(always)]
fn is_continued(bytes: &[u8], next: &[u8]) -> bool {
    // A lead has bits 7 and 6 set, and a continuation only bit 7.
    let pairs = bytes.iter().zip(next);
    pairs.fold(0, |any, (byte, next)| any | byte & byte << 1 & next & !(next << 1)) > 0x7F
}

/// Does what `pass` does with short text that is ASCII with lone faults, which are left out. Returns
/// `None` for other text, and for text that is too short for this to pay.
pub(super) fn without_lone_faults<U: Unit>(bytes: &[u8], room: &mut [MaybeUninit<U>]) -> Option<Pass> {
    const BLOCK: usize = 64;
    let first = bytes.first_chunk::<{ BLOCK + 1 }>()?;
    if is_continued(&first[..BLOCK], &first[1..]) {
        return None;
    }
    let mut padded = [0; SHORT + 2 * BLOCK];
    padded.get_mut(..bytes.len())?.copy_from_slice(bytes);
    let end = bytes.len().next_multiple_of(BLOCK);
    let (mut at, mut written) = (0, 0);
    while at < end {
        let (read, units) = ignored(&padded[at..end + BLOCK], &mut room[written..]);
        if read == 0 {
            return None;
        }
        (at, written) = (at + read, written + units);
    }
    let written = written - (end - bytes.len());
    Some(Pass { read: bytes.len(), written, seen: 0x7F, stop: Stop::End })
}

/// What a fault of one byte becomes: its own bits, other bits, and the byte above.
#[derive(Clone, Copy)]
pub(super) struct Fault {
    own: u8,
    low: u8,
    high: u8,
}

impl Fault {
    pub(super) const REPLACED: Self = Self { own: 0, low: 0xFD, high: 0xFF };
}

/// Converts blocks while no lead in them precedes a continuation. Such a block has no sequence of
/// two or more bytes, so each byte above 7F is ill-formed by itself. The bytes begin at the start
/// of a sequence. Returns the number of bytes, which is also the number of units. A sequence begins
/// after them as well.
#[inline(never)]
pub(super) fn lone_faults<U: Unit>(bytes: &[u8], room: &mut [MaybeUninit<U>], fault: Fault) -> usize {
    // The compiler would unroll loops over fewer bytes, and then not vectorise them.
    const BLOCK: usize = 64;
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

/// Like `lone_faults`, but leaves faults out, and stops after a block without any. Returns the
/// numbers of bytes read and of units written.
#[inline(never)]
fn ignored<U: Unit>(bytes: &[u8], room: &mut [MaybeUninit<U>]) -> (usize, usize) {
    const BLOCK: usize = 64;
    let (mut at, mut written) = (0, 0);
    while let Some(with_next) = bytes[at..].first_chunk::<{ 2 * BLOCK }>()
        && room.len() - written >= 2 * BLOCK
        && !is_continued(&with_next[..BLOCK], &with_next[1..=BLOCK])
    {
        let mut faults = 0;
        for (i, word) in with_next[..BLOCK].as_chunks::<8>().0.iter().enumerate() {
            // The product has the highest bit of each byte in its highest byte.
            let bits = u64::from_le_bytes(*word) >> 7 & 0x0101_0101_0101_0101;
            faults |= bits.wrapping_mul(0x0102_0408_1020_4080) >> 56 << (8 * i);
        }
        let (any, mut from) = (faults > 0, 0);
        loop {
            let fault = faults.trailing_zeros() as usize;
            // Always a block. The next bytes overwrite the fault and what is after it.
            let run = with_next[from..][..BLOCK].iter();
            room[written..][..BLOCK].iter_mut().zip(run).for_each(|(unit, byte)| {
                unit.write(U::of_bytes(*byte, 0));
            });
            written += fault - from;
            if fault == BLOCK {
                break;
            }
            from = fault + 1;
            faults &= faults - 1;
        }
        at += BLOCK;
        if !any {
            break;
        }
    }
    (at, written)
}

/// Returns whether U+FFFD is among the characters, besides the faults.
fn has_replacement(bytes: &[u8]) -> bool {
    let (second, third) = (bytes.get(1..).unwrap_or_default(), bytes.get(2..).unwrap_or_default());
    // The compiler vectorises this loop. U+FFFD is EF BF BD.
    let threes = bytes.iter().zip(second).zip(third);
    threes.fold(false, |any, ((first, second), third)| {
        any | (*first == 0xEF) & (*second == 0xBF) & (*third == 0xBD)
    })
}

/// Returns whether a unit of lossy text replaces a fault.
fn is_fault(unit: impl Into<u32>) -> bool {
    unit.into() == REPLACEMENT
}

/// Writes the units that are not faults, and returns their number.
fn without_faults<U: Unit>(units: &[U::Lossy], room: &mut [MaybeUninit<U>]) -> usize {
    let mut len = 0;
    for group in units.chunks(GROUP) {
        if !group.iter().fold(false, |any, unit| any | is_fault(*unit))
            && let Some(to) = room[len..].first_chunk_mut::<GROUP>()
            && let Some(group) = group.first_chunk::<GROUP>()
        {
            to.iter_mut().zip(group).for_each(|(to, unit)| *to = MaybeUninit::new(U::of((*unit).into())));
            len += GROUP;
            continue;
        }
        for &unit in group {
            // A character overwrites the previous ones that do not count.
            room[len] = MaybeUninit::new(U::of(unit.into()));
            len += usize::from(!is_fault(unit));
        }
    }
    len
}

/// Writes the units, with the bytes of `piece` in place of each fault, and returns their number.
fn with_escapes<U: Unit>(piece: &[u8], units: &[U::Lossy], room: &mut [MaybeUninit<U>]) -> usize {
    // `from` counts bytes up to the last group with a fault. Each place of a group adds up the characters since then.
    let (mut len, mut from, mut lens) = (0, 0, [0_u16; GROUP]);
    for group in units.chunks(GROUP) {
        if !group.iter().fold(false, |any, unit| any | is_fault(*unit))
            && let Some(to) = room[len..].first_chunk_mut::<GROUP>()
            && let Some(group) = group.first_chunk::<GROUP>()
        {
            to.iter_mut().zip(group).for_each(|(to, unit)| *to = MaybeUninit::new(U::of((*unit).into())));
            lens.iter_mut().zip(group).for_each(|(len, unit)| *len += utf8_len((*unit).into()) as u16);
            len += GROUP;
            continue;
        }
        from += lens.iter().map(|len| usize::from(*len)).sum::<usize>();
        lens = [0; GROUP];
        for &unit in group {
            if !is_fault(unit) {
                let unit = unit.into();
                room[len] = MaybeUninit::new(U::of(unit));
                len += 1;
                from += utf8_len(unit);
                continue;
            }
            let four = first_four(&piece[from..]);
            let fault = fault_len(four);
            let escaped = |byte: u8| MaybeUninit::new(U::of(0xDC00 | u32::from(byte)));
            match room[len..].first_chunk_mut::<3>() {
                // The maximum for a fault. The next characters overwrite the excess.
                Some(to) => *to = [escaped(four[0]), escaped(four[1]), escaped(four[2])],
                None => {
                    room[len..].iter_mut().zip(&four[..fault]).for_each(|(to, byte)| *to = escaped(*byte))
                }
            }
            len += fault;
            from += fault;
        }
    }
    len
}

/// Returns the length of a character in UTF-8.
fn utf8_len(code_point: u32) -> usize {
    1 + usize::from(code_point > 0x7F) + usize::from(code_point > 0x7FF) + usize::from(code_point > 0xFFFF)
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
