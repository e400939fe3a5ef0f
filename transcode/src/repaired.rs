//! Lossy conversion of faulty text. A kernel stops at a fault. Restarting it after each fault would
//! slow down texts with many faults many times over.
//!
//! Into UTF-16 and UTF-32, a special conversion replaces the faults of UTF-8 in the blocks that it
//! converts; see `vector/from_faulty_utf8.rs`. For all other pairs, the faults of a chunk are
//! replaced in a copy, and that well-formed copy is converted.
//!
//! ```text
//! UTF-8             replacer            UTF-8, valid              one conversion
//! UTF-16, UTF-32    a loop on units     the same, well-formed     one conversion
//! ```
//!
//! Both copies stay in the L1 cache. After a few thousand bytes without a fault, the kernel takes
//! over again.
//!
//! Into Latin-1, one character replaces both faults and characters that Latin-1 lacks. From UTF-16
//! and UTF-32, the conversion does both, and no copy is needed. UTF-8 becomes UTF-16 first.

#![forbid(unsafe_code)]

use core::mem::MaybeUninit;

use super::encodings::{Family, Layout};
use super::pairs;
use super::route::Route;
use super::swapped::{CHUNK_BYTES, swapped};
use crate::conversion::Swap;
use trust8::boundary::whole_len;
use trust8::engine::Output;
use trust8::engine::{Replacer, start_before};

/// The length of the copy of UTF-8. The copy may be longer than the original.
const COPY: usize = 2 * CHUNK_BYTES;

/// After this many bytes without a fault, the kernel takes over again.
const CLEAN: usize = 2 * CHUNK_BYTES;

/// The number of bytes of UTF-16 or UTF-32 repaired at a time: blocks of 128 bytes, the unit before
/// the first one, and the unit after the last one.
const REPAIRED_CHUNK_BYTES: usize = CHUNK_BYTES - 128 + 4;

impl Route {
    /// Converts a text with faults and replaces each of them. Returns the number of bytes
    /// converted.
    ///
    /// It stops when no fault is near, when the output is nearly full, and before a character that
    /// the end of the text may cut off.
    pub(super) fn by_copies(&self, text: &[u8], out: &mut Output<'_>) -> usize {
        match self.from.family {
            Family::Utf8 if self.copies() => self.replace_in_utf8(text, out),
            Family::Utf8 if !self.from.known_valid => self.by_copies_of_utf8(text, out),
            Family::Utf16 | Family::Utf32 if self.to.family != Family::Latin1 => {
                self.by_copies_of_units(text, out)
            }
            _ => 0,
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

    /// Converts UTF-8 into another family.
    fn by_copies_of_utf8(&self, text: &[u8], out: &mut Output<'_>) -> usize {
        let text = &text[..start_before(text, text.len())];
        if let Some(convert) = pairs::conversion_of_faulty(self.from, self.to) {
            let read = convert(self.kernel, text, out);
            if read > 0 {
                return read;
            }
        } else if self.to.swapped
            && let Some(convert) = pairs::conversion_of_faulty(self.from, self.to.unswapped())
        {
            let before = out.len();
            let read = convert(self.kernel, text, out);
            self.kernel.run(Swap, &[], (self.to.family.unit(), out.written_mut(before)));
            if read > 0 {
                return read;
            }
        }
        if self.replaces_with_bytes() {
            let read = self.by_utf16(text, out);
            if read > 0 {
                return read;
            }
        }
        self.by_valid_copies(text, out)
    }

    /// Converts UTF-8 into Latin-1 via UTF-16: both steps replace faults with vectors.
    fn by_utf16(&self, text: &[u8], out: &mut Output<'_>) -> usize {
        let utf16 = Family::Utf16.native();
        let Some(convert) = pairs::conversion_of_faulty(self.from, utf16) else { return 0 };
        let to_latin1 = Self { from: utf16, ..*self };
        let mut memory = [MaybeUninit::uninit(); 2 * CHUNK_BYTES];
        let mut at = 0;
        loop {
            // Each unit becomes at most one byte, so all of them fit.
            let room = out.left().min(CHUNK_BYTES);
            let mut units = Output::new(&mut memory[..2 * room]);
            let read = convert(self.kernel, &text[at..], &mut units);
            let units = units.finish();
            let done = to_latin1.by_kernel(units, out);
            let (rest, _) = to_latin1.run(&units[done..], out);
            debug_assert_eq!(done + rest, units.len());
            at += read;
            // No fault is near any more, or the buffer is nearly full.
            if read == 0 || units.len() < room {
                return at;
            }
        }
    }

    /// Converts UTF-8 that does not end inside a character, through repaired copies.
    fn by_valid_copies(&self, text: &[u8], out: &mut Output<'_>) -> usize {
        let mut replacer = Replacer::new(self.kernel, text);
        let valid = Self { from: Layout { known_valid: true, ..self.from }, ..*self };
        let mut memory = [MaybeUninit::uninit(); COPY];
        // The bytes at the end of the last copy that begin a character.
        let (mut cut, mut cut_len) = ([0; 4], 0);
        let (mut at, mut clean) = (0, 0);
        loop {
            // Each byte becomes at most one unit, so the whole copy fits.
            let room = (out.left() / self.to.family.unit()).min(COPY);
            let mut copy = Output::new(&mut memory[..room]);
            if !copy.put(&cut[..cut_len]) {
                return at;
            }
            let done = replacer.write(&mut copy);
            let copy = copy.finish();
            let (whole, rest) = copy.split_at(whole_len(copy));
            let (read, _) = valid.run(whole, out);
            debug_assert_eq!(read, whole.len());
            let before = at;
            at = done - rest.len();
            clean = if *whole == text[before..at] { clean + whole.len() } else { 0 };
            if whole.is_empty() || done == text.len() || clean >= CLEAN {
                return at;
            }
            cut_len = rest.len();
            cut[..cut_len].copy_from_slice(rest);
        }
    }

    /// Converts UTF-16 or UTF-32.
    fn by_copies_of_units(&self, text: &[u8], out: &mut Output<'_>) -> usize {
        let Some(repair) = pairs::repair(self.from.family) else { return 0 };
        let unit = self.from.family.unit();
        let well_formed = Self { from: self.from.unswapped(), lossy: false, ..*self };
        let (mut at, mut clean) = (0, 0);
        loop {
            // The output has no space for more units than it has bytes left.
            let len = (text.len() - at).min(REPAIRED_CHUNK_BYTES).min(out.left().saturating_mul(unit));
            let chunk = &text[at..at + len / unit * unit];
            let mut buffer = [MaybeUninit::uninit(); CHUNK_BYTES];
            let chunk =
                if self.from.swapped { swapped(self.kernel, self.from, chunk, &mut buffer) } else { chunk };
            let mut memory = [MaybeUninit::uninit(); CHUNK_BYTES];
            let mut copy = Output::new(&mut memory);
            repair(self.kernel, chunk, &mut copy);
            let copy = copy.finish();
            let (read, _) = well_formed.run(copy, out);
            at += read;
            clean = if *copy == chunk[..copy.len()] { clean + read } else { 0 };
            if read == 0 || read < copy.len() || clean >= CLEAN {
                return at;
            }
        }
    }
}
