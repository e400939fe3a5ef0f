//! The way from one form to another.
//!
//! ```text
//! UTF-8 ----validate, unless known----\              /----> UTF-8
//! UTF-16 ---swap bytes if foreign------\            /-----> UTF-16, swap bytes if foreign
//! UTF-32 ---swap bytes if foreign------- one routine -----> UTF-32, swap bytes if foreign
//! Latin-1 ----------------------------/              \----> Latin-1, which validates UTF-8 itself
//! ```
//!
//! Each of the pairs is a routine of the kernel, but for copies. One routine alone is known to the compiler wherever the
//! forms are, so that a short text costs one call. Where there are two steps they are taken piece by piece, with what lies
//! between in a buffer that stays in the L1 cache. Where a routine stops, `scalar.rs` goes on, and
//! either comes to know what stopped it or hands the rest back.

#![forbid(unsafe_code)]

use core::mem::MaybeUninit;

use super::error::Fault;
use super::form::{Family, Layout};
use super::scalar::{self, Stop};
use super::{length, routines};
use crate::boundary::{floor, whole_len};
use crate::kernel::{Kernel, entries};
use crate::output::Output;

/// Bytes that are taken through two routines, one after the other.
const PIECE: usize = 2048;

/// Of UTF-8 that is copied, so many bytes are validated, and then copied from the L1 cache.
const COPIED: usize = 4096;

/// From one form to another, with a kernel.
#[derive(Clone, Copy)]
pub(super) struct Route {
    pub(super) kernel: &'static Kernel,
    pub(super) from: Layout,
    pub(super) to: Layout,
    /// Whether a replacement stands in for what can't be converted.
    pub(super) lossy: bool,
}

/// A conversion by a kernel: converts the beginning of a text, and returns how much of it.
type Convert = fn(&Kernel, &[u8], &mut Output<'_>) -> usize;

/// How a conversion has ended.
#[derive(Clone, Copy)]
pub(super) enum End {
    /// All of the text is converted.
    All,
    /// The next character does not fit.
    Full,
    /// Here begins something that can't be converted.
    Malformed(Fault),
    /// Here begins a character that the end of the text cuts off.
    Cut(Fault),
}

impl Route {
    /// Converts as much of the text as can be: how many bytes of it, and what comes then.
    #[inline(always)]
    pub(super) fn run(&self, text: &[u8], out: &mut Output<'_>) -> (usize, End) {
        let read = match self.routine() {
            Some(convert) => convert(self.kernel, text, out),
            None => self.fast(text, out),
        };
        if read == text.len() { (read, End::All) } else { self.run_on(text, read, out) }
    }

    /// The same from a place on where a routine has stopped.
    #[inline(never)]
    fn run_on(self, text: &[u8], mut at: usize, out: &mut Output<'_>) -> (usize, End) {
        loop {
            let (read, stop) = scalar::stretch(self.from, self.to, &text[at..], out);
            at += read;
            let end = match stop {
                None => None,
                Some(Stop::End) => Some(End::All),
                Some(Stop::Full) => Some(End::Full),
                Some(Stop::Cut(fault)) => Some(End::Cut(fault)),
                Some(Stop::Malformed(_, len)) if self.lossy => {
                    if scalar::put_replacement(self.to, out) {
                        at += len;
                        None
                    } else {
                        Some(End::Full)
                    }
                }
                Some(Stop::Malformed(fault, _)) => Some(End::Malformed(fault)),
            };
            if let Some(end) = end {
                return (at, end);
            }
            at += self.fast(&text[at..], out);
        }
    }

    /// The same for a text that is at its end there: with a replacement for a character that it cuts off.
    #[inline(always)]
    pub(super) fn run_to_end(&self, text: &[u8], out: &mut Output<'_>) -> (usize, End) {
        match self.run(text, out) {
            (_, End::Cut(_)) if self.lossy && scalar::put_replacement(self.to, out) => (text.len(), End::All),
            (at, End::Cut(_)) if self.lossy => (at, End::Full),
            (at, End::Cut(fault)) => (at, End::Malformed(fault)),
            ended => ended,
        }
    }

    /// How many bytes the rest of a text will be, if nothing is wrong with it.
    #[cold]
    pub(super) fn needed(self, text: &[u8]) -> Result<usize, (usize, Fault)> {
        let mut scratch = [MaybeUninit::uninit(); PIECE];
        let (mut at, mut needed) = (0, 0_usize);
        loop {
            let mut out = Output::new(&mut scratch);
            let (read, end) = self.run_to_end(&text[at..], &mut out);
            at += read;
            needed = needed.saturating_add(out.len());
            match end {
                End::All => return Ok(needed),
                End::Full => {}
                End::Malformed(fault) | End::Cut(fault) => return Err((at, fault)),
            }
        }
    }

    /// How many units of the target the text will be, if it is well-formed.
    pub(super) fn length(&self, text: &[u8]) -> usize {
        use Family::{Latin1, Utf8, Utf16, Utf32};

        let units = text.len() / self.from.family.unit();
        let measure: fn(&Kernel, &[u8]) -> usize = match (self.from.family, self.to.family) {
            (Utf8, Utf16) => entries::measure::<length::Utf16OfUtf8>,
            (Utf8, Utf32 | Latin1) => entries::measure::<length::Utf32OfUtf8>,
            (Utf16, Utf8) => entries::measure::<length::Utf8OfUtf16>,
            (Utf16, Utf32 | Latin1) => entries::measure::<length::Utf32OfUtf16>,
            (Utf32, Utf8) => entries::measure::<length::Utf8OfUtf32>,
            (Utf32, Utf16) => entries::measure::<length::Utf16OfUtf32>,
            (Latin1, Utf8) => entries::measure::<length::Utf8OfLatin1>,
            (Utf8, Utf8) | (Utf16, Utf16) | (Utf32, Utf32 | Latin1) | (Latin1, _) => return units,
        };
        if !self.from.swapped {
            return measure(self.kernel, text);
        }
        let mut length = 0;
        for piece in text.chunks(PIECE) {
            let mut buffer = [MaybeUninit::uninit(); PIECE];
            length += measure(self.kernel, swapped(self.kernel, self.from, piece, &mut buffer));
        }
        length
    }

    /// The routine that does it alone, if there is one.
    #[inline(always)]
    fn routine(&self) -> Option<Convert> {
        use Family::{Latin1, Utf8, Utf16, Utf32};

        if self.from.swapped || self.to.swapped {
            return None;
        }
        let convert: Convert = match (self.from.family, self.to.family) {
            (Utf8, Utf16 | Utf32) if self.from.trusted => return None,
            (Utf8, Utf16) => entries::convert::<routines::Utf8ToUtf16>,
            (Utf8, Utf32) => entries::convert::<routines::Utf8ToUtf32>,
            (Utf8, Latin1) => entries::convert::<routines::Utf8ToLatin1>,
            (Utf16, Utf8) => entries::convert::<routines::Utf16ToUtf8>,
            (Utf16, Utf16) => entries::convert::<routines::Utf16ToUtf16>,
            (Utf16, Utf32) => entries::convert::<routines::Utf16ToUtf32>,
            (Utf16, Latin1) => entries::convert::<routines::Utf16ToLatin1>,
            (Utf32, Utf8) => entries::convert::<routines::Utf32ToUtf8>,
            (Utf32, Utf16) => entries::convert::<routines::Utf32ToUtf16>,
            (Utf32, Utf32) => entries::convert::<routines::Utf32ToUtf32>,
            (Utf32, Latin1) => entries::convert::<routines::Utf32ToLatin1>,
            (Latin1, Utf8) => entries::convert::<routines::Latin1ToUtf8>,
            (Latin1, Utf16) => entries::convert::<routines::Latin1ToUtf16>,
            (Latin1, Utf32) => entries::convert::<routines::Latin1ToUtf32>,
            (Utf8, Utf8) | (Latin1, Latin1) => return None,
        };
        Some(convert)
    }

    /// As much of the text as the kernel's routines convert.
    fn fast(&self, text: &[u8], out: &mut Output<'_>) -> usize {
        let Self { kernel, from, to, .. } = *self;
        if from.swapped {
            return in_pieces(text, PIECE, |piece| {
                let mut buffer = [MaybeUninit::uninit(); PIECE];
                let piece = swapped(kernel, from, piece, &mut buffer);
                Self { from: from.unswapped(), ..*self }.fast(piece, out)
            });
        }
        if to.swapped {
            return in_pieces(text, PIECE, |piece| {
                let before = out.len();
                let read = Self { to: to.unswapped(), ..*self }.fast(piece, out);
                entries::swap(kernel, to.family.unit(), out.written_mut(before));
                read
            });
        }
        if let Some(convert) = self.routine() {
            return convert(kernel, text, out);
        }
        match (from.family, to.family) {
            // Valid, but a piece of it may end inside a character.
            (Family::Utf8, Family::Utf16) => {
                entries::convert::<routines::ValidUtf8ToUtf16>(kernel, &text[..whole_len(text)], out)
            }
            (Family::Utf8, Family::Utf32) => {
                entries::convert::<routines::ValidUtf8ToUtf32>(kernel, &text[..whole_len(text)], out)
            }
            (Family::Utf8, _) => self.utf8_to_utf8(text, out),
            _ => {
                let fitting = text.len().min(out.left());
                if out.put(&text[..fitting]) { fitting } else { 0 }
            }
        }
    }

    /// UTF-8 is validated piece by piece, each before it is copied.
    fn utf8_to_utf8(&self, text: &[u8], out: &mut Output<'_>) -> usize {
        let mut at = 0;
        loop {
            let piece = &text[at..floor(text, at + COPIED)];
            let valid = match self.kernel.from_utf8(piece) {
                Ok(_) => piece,
                Err(error) => &piece[..error.valid_up_to()],
            };
            if !out.put(valid) {
                return at;
            }
            at += valid.len();
            if valid.len() < piece.len() || at == text.len() {
                return at;
            }
        }
    }
}

/// Converts a text in pieces of so many bytes, as long as there is progress.
#[inline(always)]
fn in_pieces(text: &[u8], bytes: usize, mut convert: impl FnMut(&[u8]) -> usize) -> usize {
    let mut at = 0;
    loop {
        let rest = &text[at..];
        let read = convert(&rest[..rest.len().min(bytes)]);
        at += read;
        // A piece may end inside a character, with which the next one then begins.
        if read == 0 || rest.len() <= bytes {
            return at;
        }
    }
}

/// The units in the machine's byte order. A unit that is cut off is left out.
#[inline(always)]
fn swapped<'a>(
    kernel: &Kernel,
    from: Layout,
    text: &[u8],
    buffer: &'a mut [MaybeUninit<u8>; PIECE],
) -> &'a [u8] {
    let unit = from.family.unit();
    let mut out = Output::new(buffer);
    // It fits: callers pass pieces of that length at most.
    let _ = out.put(&text[..text.len() / unit * unit]);
    let bytes = out.finish();
    entries::swap(kernel, unit, bytes);
    bytes
}
