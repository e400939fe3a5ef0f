//! Lossy conversion of faulty text. A kernel stops at a fault. Restarting it after each fault would
//! slow down texts with many faults many times over.
//!
//! The faults of UTF-8 are replaced while it is copied, or converted into UTF-16 or UTF-32; see
//! `vector/from_faulty_utf8.rs`. The faults of UTF-16 and UTF-32 are replaced in a copy of a chunk,
//! and that well-formed copy is converted. After a chunk without a fault, the kernel takes over
//! again.
//!
//! Into Latin-1, one `?` replaces both faults and characters that Latin-1 lacks. The text becomes
//! well-formed UTF-16 first, whose units are then narrowed.

#![forbid(unsafe_code)]

use core::mem::MaybeUninit;

use super::encodings::Family;
use super::pairs;
use super::route::Route;
use super::swapped::{CHUNK_BYTES, native_copy};
use crate::conversion::Swap;
use crate::search::Mend;
use trust8::boundary::whole_len;
use trust8::engine::{Job, Output, Replacer, start_before};

impl Route {
    /// Converts a text with faults and replaces each of them. Returns the number of bytes
    /// converted.
    ///
    /// It stops when no fault is near, when the output is nearly full, and before a character that
    /// the end of the text may cut off.
    pub(super) fn by_copies(&self, text: &[u8], out: &mut Output<'_>) -> usize {
        match self.from.family {
            Family::Utf8 | Family::Utf16 | Family::Utf32 if self.to.family == Family::Latin1 => {
                self.by_utf16(text, out)
            }
            _ if self.from.known_valid || !cfg!(feature = "faulty") => 0,
            Family::Utf8 if self.copies() => self.replace_in_utf8(text, out),
            Family::Utf8 => {
                let Some(convert) = pairs::conversion_of_faulty(self.to.family) else { return 0 };
                let before = out.len();
                let read = convert(self.kernel, &text[..start_before(text, text.len())], out);
                if self.to.swapped {
                    self.kernel.run(Swap, &[], (self.to.family.unit(), out.written_mut(before)));
                }
                read
            }
            Family::Utf16 | Family::Utf32 => self.by_copies_of_units(text, out),
            // The scalar code replaces the faults.
            _ => 0,
        }
    }

    /// Converts into Latin-1, through UTF-16.
    fn by_utf16(&self, text: &[u8], out: &mut Output<'_>) -> usize {
        let to_utf16 = Self { to: Family::Utf16.native(), ..*self };
        let mut memory = [MaybeUninit::uninit(); 2 * CHUNK_BYTES];
        let mut at = 0;
        loop {
            // No byte becomes more than one unit, and no unit more than one byte, so all of them fit.
            let chunk = self.up_to(&text[at..], out.left().min(CHUNK_BYTES) / 4 * 4);
            let mut units = Output::new(&mut memory);
            let (read, _) = to_utf16.run(chunk, &mut units);
            let is_lossy = self.kernel.run(Narrowed, units.finish(), &mut *out);
            at += read;
            if read == 0 || !is_lossy {
                return at;
            }
        }
    }

    /// Copies UTF-8 and replaces its faults.
    fn replace_in_utf8(&self, text: &[u8], out: &mut Output<'_>) -> usize {
        let text = &text[..start_before(text, text.len())];
        let before = out.len();
        let done = Replacer::new(self.kernel, text).write(out);
        let written = out.written_mut(before);
        let cut = written.len() - whole_len(written);
        out.retract(cut);
        done - cut
    }

    /// Converts UTF-16 or UTF-32.
    fn by_copies_of_units(&self, text: &[u8], out: &mut Output<'_>) -> usize {
        let unit = self.from.family.unit();
        let well_formed = Self { from: self.from.unswapped(), lossy: false, ..*self };
        let mut at = 0;
        loop {
            // The output has no space for more units than it has bytes left.
            let len = (text.len() - at).min(CHUNK_BYTES).min(out.left().saturating_mul(unit));
            let chunk = self.from.whole(&text[at..at + len]);
            let mut buffer = [MaybeUninit::uninit(); CHUNK_BYTES];
            let copy = native_copy(self.kernel, self.from, chunk, &mut buffer);
            let is_mended = self.kernel.run(Mend, &[], (unit, &mut *copy));
            let (read, _) = well_formed.run(copy, out);
            at += read;
            if !is_mended || read < copy.len() {
                return at;
            }
        }
    }
}

/// The units that are narrowed at a time.
const NARROWED_UNITS: usize = 64;

/// Narrows well-formed UTF-16 in native order to Latin-1. A character that Latin-1 lacks becomes
/// `?`. Returns whether there is one. The compiler vectorises the loop for text without surrogates.
struct Narrowed;

impl<E> Job<E, &mut Output<'_>, bool> for Narrowed {
    #[inline(always)]
    fn run(_: E, text: &[u8], out: &mut Output<'_>) -> bool {
        let narrow = |unit: u16| if unit > 0xFF { b'?' } else { unit as u8 };
        let mut is_lossy = false;
        for units in text.as_chunks::<2>().0.chunks(NARROWED_UNITS) {
            let mut bytes = [0; NARROWED_UNITS];
            let (mut largest, mut surrogates) = (0, false);
            for (byte, unit) in bytes.iter_mut().zip(units) {
                let unit = u16::from_ne_bytes(*unit);
                *byte = narrow(unit);
                largest = largest.max(unit);
                surrogates |= unit & 0xF800 == 0xD800;
            }
            let mut len = units.len();
            if surrogates {
                // Of a pair, only the first unit counts: the next byte takes the place of the second.
                len = 0;
                for unit in units {
                    let unit = u16::from_ne_bytes(*unit);
                    bytes[len] = narrow(unit);
                    len += usize::from(unit & 0xFC00 != 0xDC00);
                }
            }
            is_lossy |= largest > 0xFF;
            out.put(&bytes[..len]);
        }
        is_lossy
    }
}
