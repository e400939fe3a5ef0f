//! Lossy conversion of faulty text. A kernel stops at a fault. Restarting it after each fault would
//! slow down texts with many faults many times over.
//!
//! The faults of UTF-8 are replaced while it is copied, or converted into UTF-16 or UTF-32; see
//! `vector/from_faulty_utf8.rs`. The faults of UTF-16 and UTF-32 are replaced in a copy of a chunk,
//! and that well-formed copy is converted. After a chunk without a fault, the kernel takes over
//! again. Conversions into Latin-1 have nothing of this kind.

#![forbid(unsafe_code)]

use core::mem::MaybeUninit;

use super::encodings::Family;
use super::pairs;
use super::route::Route;
use super::swapped::{CHUNK_BYTES, native_copy};
use crate::search::Mend;
use trust8::boundary::whole_len;
use trust8::engine::Output;
use trust8::engine::{Replacer, start_before};

impl Route {
    /// Converts a text with faults and replaces each of them. Returns the number of bytes
    /// converted.
    ///
    /// It stops when no fault is near, when the output is nearly full, and before a character that
    /// the end of the text may cut off.
    pub(super) fn by_copies(&self, text: &[u8], out: &mut Output<'_>) -> usize {
        match self.from.family {
            _ if self.from.known_valid || self.to.family == Family::Latin1 => 0,
            Family::Utf8 if self.copies() => self.replace_in_utf8(text, out),
            Family::Utf8 => match pairs::conversion_of_faulty(self.to) {
                Some(convert) => convert(self.kernel, &text[..start_before(text, text.len())], out),
                None => 0,
            },
            Family::Utf16 | Family::Utf32 => self.by_copies_of_units(text, out),
            Family::Latin1 => 0,
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
