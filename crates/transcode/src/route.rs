//! The route from one form into another.
//!
//! ```text
//! UTF-8                                 \                / UTF-8
//! UTF-16 --swap bytes if foreign---------\              /--- UTF-16, swap bytes if foreign
//! UTF-32 --swap bytes if foreign--------- one conversion --- UTF-32, swap bytes if foreign
//! one byte each                          /              \ one byte each
//! ```
//!
//! A pair of families that `pairs.rs` lists has a conversion for each kernel. When it stops,
//! `scalar.rs` continues. If it stopped only because it could not decide, the kernel then takes
//! over again. In lossy conversions, `repaired.rs` converts the text near a fault.
//!
//! Without a byte swap, a route only calls the conversion. The compiler selects it wherever it
//! knows the forms, so a short text costs one call. Most pairs with UTF-16 in the foreign order
//! also have a conversion that swaps the bytes. The other pairs take two steps, chunk by chunk; see
//! `swapped.rs`.

#![forbid(unsafe_code)]

use core::mem::MaybeUninit;

use super::encodings::{Family, Layout};
use super::error::Fault;
use super::scalar;
pub(super) use super::scalar::End;
use super::swapped::{CHUNK_BYTES, in_chunks, native_copy};
use super::{lengths, pairs};
use trust8::Kernel;
use trust8::boundary::floor;

use crate::conversion::{NEARLY_FULL_BYTES, Swap};
use trust8::engine::Output;
use trust8_counts::{CountChars, Utf16Len};

/// The number of bytes of UTF-8 that are validated at a time and then copied from the L1 cache.
const COPIED_CHUNK_BYTES: usize = 4096;

/// Texts shorter than this are converted character by character.
const FEW_BYTES: usize = 8;

/// The route from one form into another, with a kernel.
#[derive(Clone, Copy)]
pub(super) struct Route {
    pub(super) kernel: &'static Kernel,
    pub(super) from: Layout,
    pub(super) to: Layout,
    /// Whether to replace what can't be converted.
    pub(super) lossy: bool,
}

impl Route {
    /// Converts as much of the text as it can. Returns the number of bytes converted, and what
    /// follows.
    #[inline(always)]
    pub(super) fn run(&self, text: &[u8], out: &mut Output<'_>) -> (usize, End) {
        let read = self.begin(text, out);
        if read == text.len() { (read, End::All) } else { self.resume(text, read, out) }
    }

    /// Like `run`, for a text that ends here: a character that its end cuts off is malformed, or
    /// replaced.
    #[inline(always)]
    pub(super) fn run_to_end(&self, text: &[u8], out: &mut Output<'_>) -> (usize, End) {
        let read = self.begin(text, out);
        if read == text.len() { (read, End::All) } else { self.resume_to_end(text, read, out) }
    }

    /// Like `run_to_end`, for an output that is likely to be too small for the whole text.
    #[inline(always)]
    pub(super) fn run_as_fits(&self, text: &[u8], out: &mut Output<'_>) -> (usize, End) {
        let read = self.begin(text, out);
        if read == text.len() {
            return (read, End::All);
        }
        if self.from.first_exceeds(&text[read..], self.to, out.left()) {
            return (read, End::Full);
        }
        self.resume_to_end(text, read, out)
    }

    /// Converts what one call of a kernel converts, which is nearly always the whole text. Returns
    /// the number of bytes converted.
    #[inline(always)]
    fn begin(&self, text: &[u8], out: &mut Output<'_>) -> usize {
        match pairs::direct(self.from, self.to) {
            Some(convert) => convert(self.kernel, self.fitting(text, out.left()), out),
            None => self.by_kernel(text, out),
        }
    }

    /// Like `run`, starting at `at`, where the kernel has stopped.
    #[inline(never)]
    fn resume(self, text: &[u8], mut at: usize, out: &mut Output<'_>) -> (usize, End) {
        loop {
            if out.left() >= FEW_BYTES {
                if self.lossy {
                    at += self.by_copies(&text[at..], out);
                }
                // If more is left, the kernel has stopped for another reason.
                if out.left() <= NEARLY_FULL_BYTES {
                    at += self.fill(&text[at..], out);
                }
            }
            let (read, stop) = scalar::convert_some(self.from, self.to, self.lossy, &text[at..], out);
            at += read;
            if let Some(end) = stop {
                return (at, end);
            }
            at += self.by_kernel(&text[at..], out);
        }
    }

    /// Converts what fits into the last bytes of the output: a kernel converts only whole blocks, so
    /// it writes elsewhere, and the whole characters that fit are copied.
    #[inline(never)]
    fn fill(&self, text: &[u8], out: &mut Output<'_>) -> usize {
        let mut scratch = [MaybeUninit::uninit(); 4 * NEARLY_FULL_BYTES];
        let mut converted = Output::new(&mut scratch);
        self.by_kernel(self.enough(text, out.left()), &mut converted);
        let converted = converted.finish();
        let fitting = self.to.whole(&converted[..converted.len().min(out.left())]);
        let back = Self { kernel: self.kernel, from: self.to, to: self.from, lossy: false };
        if out.put(fitting) { back.length(fitting) * self.from.family.unit() } else { 0 }
    }

    /// Returns a prefix of the text that contains everything that fits, and perhaps more.
    #[inline(always)]
    fn fitting<'t>(&self, text: &'t [u8], left: usize) -> &'t [u8] {
        // No byte becomes more than four.
        if left / 4 >= text.len() {
            return text;
        }
        let fitting = self.exactly_fitting(left);
        if fitting == 0 { self.enough(text, left) } else { &text[..fitting.min(text.len())] }
    }

    /// Returns a prefix of the text. For well-formed text, it contains everything that fits into
    /// `left` bytes. It has whole units, and UTF-8 ends with a whole character.
    ///
    /// For the pairs of families that are not in the `match`, each byte of the text becomes at least
    /// one byte, or [`exactly_fitting`](Self::exactly_fitting) has an exact answer.
    #[inline(always)]
    fn enough<'t>(&self, text: &'t [u8], left: usize) -> &'t [u8] {
        let len = match (self.from.family, self.to.family) {
            // Three bytes for each unit.
            (Family::Utf8, Family::Utf16) => left.saturating_mul(3) / 2,
            (Family::Utf8, Family::Latin1)
            | (Family::Utf16, Family::Utf8)
            | (Family::Utf32, Family::Utf16) => left.saturating_mul(2),
            (Family::Utf32, Family::Utf8) => left.saturating_mul(4),
            _ => left,
        };
        // One more character, since one may be cut off.
        self.up_to(text, (len / 4 * 4).saturating_add(4))
    }

    /// Returns the first `len` bytes of a text, or fewer if that would cut off a character of
    /// UTF-8. `len` is in whole units.
    #[inline(always)]
    pub(super) fn up_to<'t>(&self, text: &'t [u8], len: usize) -> &'t [u8] {
        match self.from.family {
            _ if len >= text.len() => text,
            Family::Utf8 => &text[..floor(text, len)],
            _ => &text[..len],
        }
    }

    /// Returns the number of input bytes, in whole units, that become at most `left` bytes, or 0 if
    /// that depends on the text.
    #[inline(always)]
    fn exactly_fitting(&self, left: usize) -> usize {
        let units = left / self.to.family.unit();
        match (self.from.family, self.to.family) {
            (Family::Utf16, Family::Utf16 | Family::Latin1)
            | (Family::Utf32, Family::Utf32 | Family::Latin1)
            | (Family::Latin1, Family::Latin1 | Family::Utf16 | Family::Utf32) => {
                units.saturating_mul(self.from.family.unit())
            }
            _ => 0,
        }
    }

    /// Like `run_to_end`, starting at `at`, where the kernel has stopped.
    #[inline(never)]
    fn resume_to_end(self, text: &[u8], at: usize, out: &mut Output<'_>) -> (usize, End) {
        match self.resume(text, at, out) {
            (_, End::Cut(_)) if self.lossy && scalar::put_replacement(self.to, out) => (text.len(), End::All),
            (at, End::Cut(_)) if self.lossy => (at, End::Full),
            (at, End::Cut(fault)) => (at, End::Malformed(fault)),
            ended => ended,
        }
    }

    /// Returns the number of bytes that the rest of a text becomes, or its error if it can't be
    /// converted.
    #[cold]
    pub(super) fn needed(self, text: &[u8]) -> Result<usize, (usize, Fault)> {
        let mut scratch = [MaybeUninit::uninit(); 4 * CHUNK_BYTES];
        let (mut at, mut needed) = (0, 0_usize);
        loop {
            // A whole chunk fits: no character becomes more than four times as many bytes. So the
            // kernel converts all of it, except a character that the end cuts off. Text of a known
            // type is converted as if it ended with a whole character, so it is cut between
            // characters.
            let chunk = self.up_to(&text[at..], CHUNK_BYTES);
            let is_last = at + chunk.len() == text.len();
            let mut out = Output::new(&mut scratch);
            let (read, end) =
                if is_last { self.run_to_end(chunk, &mut out) } else { self.run(chunk, &mut out) };
            at += read;
            needed = needed.saturating_add(out.len());
            match end {
                End::All if is_last => return Ok(needed),
                End::Malformed(fault) => return Err((at, fault)),
                End::Cut(fault) if is_last => return Err((at, fault)),
                _ => {}
            }
        }
    }

    /// Returns the number of units of the target in the output, if the text is well-formed.
    pub(super) fn length(&self, text: &[u8]) -> usize {
        match (self.from.family, self.to.family) {
            (Family::Utf8, Family::Utf8) => text.len(),
            (Family::Utf8, Family::Utf16) => self.kernel.run(Utf16Len, text, ()),
            (Family::Utf8, Family::Utf32 | Family::Latin1) => self.kernel.run(CountChars, text, ()),
            _ => lengths::units(self.kernel, self.from, self.to, false, text),
        }
    }

    /// Returns whether the route only validates and copies UTF-8, which is not a listed pair.
    #[inline(always)]
    pub(super) fn copies(&self) -> bool {
        matches!((self.from.family, self.to.family), (Family::Utf8, Family::Utf8))
    }

    /// Converts what the kernel converts: nothing, if the pair is not listed.
    pub(super) fn by_kernel(&self, text: &[u8], out: &mut Output<'_>) -> usize {
        let Self { kernel, from, to, .. } = *self;
        let text = self.fitting(text, out.left());
        if self.copies() {
            return self.copy_utf8(text, out);
        }
        // A chunk of valid text may end inside a character.
        let text = if from.known_valid { from.whole(text) } else { text };
        if let Some(convert) = pairs::direct(from, to) {
            return convert(kernel, text, out);
        }
        if (!from.swapped && !to.swapped) || pairs::direct(from.unswapped(), to.unswapped()).is_none() {
            return 0;
        }
        if from.swapped {
            return in_chunks(text, |chunk| {
                let mut buffer = [MaybeUninit::uninit(); CHUNK_BYTES];
                let chunk = native_copy(kernel, from, chunk, &mut buffer);
                Self { from: from.unswapped(), ..*self }.by_kernel(chunk, out)
            });
        }
        in_chunks(text, |chunk| {
            let before = out.len();
            let read = Self { to: to.unswapped(), ..*self }.by_kernel(chunk, out);
            kernel.run(Swap, &[], (to.family.unit(), out.written_mut(before)));
            read
        })
    }

    /// Copies UTF-8 chunk by chunk, after validating each chunk.
    fn copy_utf8(&self, text: &[u8], out: &mut Output<'_>) -> usize {
        let mut at = 0;
        loop {
            let left = out.left();
            let chunk = &text[at..floor(text, at + COPIED_CHUNK_BYTES.min(left))];
            let valid = self.kernel.from_utf8(chunk);
            let valid = valid.map_or_else(|error| &chunk[..error.valid_up_to()], str::as_bytes);
            if !out.put(valid) {
                return at;
            }
            at += valid.len();
            // A fault, the end of the text, or no space for the next character.
            if valid.len() < chunk.len() || at == text.len() || left <= COPIED_CHUNK_BYTES {
                return at;
            }
        }
    }
}
