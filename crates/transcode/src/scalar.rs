//! Conversion one character at a time, for any pair of encodings.
//!
//! This continues where a faster conversion has stopped, and finds out why. It is also the only
//! conversion for pairs that `pairs.rs` does not list.

#![forbid(unsafe_code)]

use core::mem::MaybeUninit;

use super::codec::{Next, Refusal};
use super::encodings::Layout;
use super::error::Fault;
use trust8::engine::Output;

/// Why a conversion has stopped.
#[derive(Clone, Copy)]
pub(super) enum End {
    /// The whole text is converted.
    All,
    /// The next character does not fit.
    Full,
    /// The next bytes can't be converted.
    Malformed(Fault),
    /// The end of the text cuts off the character that the rest, at most three bytes, begins.
    Cut(Fault),
}

/// The number of bytes that [`convert_some`] converts: enough to include what stopped a faster
/// conversion, and not much more.
const SOME_BYTES: usize = 256;

/// The number of bytes that it converts after a replacement, since more faults may be near.
const AFTER_FAULT_BYTES: usize = 32;

/// Converts the start of a text. If `lossy`, replaces what can't be converted. Returns the number
/// of bytes converted, and why it stopped, unless that was enough.
#[inline(always)]
pub(super) fn convert_some(
    from: Layout,
    to: Layout,
    lossy: bool,
    text: &[u8],
    out: &mut Output<'_>,
) -> (usize, Option<End>) {
    let (mut at, mut enough) = (0, SOME_BYTES);
    while at < enough {
        let rest = &text[at..];
        if rest.is_empty() {
            return (at, Some(End::All));
        }
        let (fault, len) = match from.next(rest) {
            Next::Char(char, len) => match to.put(char, out) {
                Ok(()) => {
                    at += len;
                    continue;
                }
                Err(Refusal::Full) => return (at, Some(End::Full)),
                Err(Refusal::Unmappable) => (Fault::Unmappable(char, to.family.name(), len as u8), len),
            },
            Next::Malformed(fault, len) => (fault, len),
            Next::Cut(fault) => return (at, Some(End::Cut(fault))),
        };
        if !lossy {
            return (at, Some(End::Malformed(fault)));
        }
        if !put_replacement(to, out) {
            return (at, Some(End::Full));
        }
        at += len;
        enough = at + AFTER_FAULT_BYTES;
    }
    (at, None)
}

/// Like [`convert_some`], not lossy, and as a separate function: the other is inlined where a fault is
/// replaced.
#[inline(never)]
pub(super) fn convert_few(
    from: Layout,
    to: Layout,
    text: &[u8],
    out: &mut Output<'_>,
) -> (usize, Option<End>) {
    convert_some(from, to, false, text, out)
}

/// Appends the replacement for something that can't be converted. Returns whether it fits.
pub(super) fn put_replacement(to: Layout, out: &mut Output<'_>) -> bool {
    to.put(to.family.replacement(), out).is_ok()
}

/// Returns the number of units that a text becomes. What can't be converted counts as its
/// replacement.
pub(super) fn length(from: Layout, to: Layout, text: &[u8]) -> usize {
    let (mut at, mut bytes) = (0, 0);
    while at < text.len() {
        let mut character = [MaybeUninit::uninit(); 4];
        let mut out = Output::new(&mut character);
        let (is_converted, len) = match from.next(&text[at..]) {
            Next::Char(char, len) => (to.put(char, &mut out).is_ok(), len),
            Next::Malformed(_, len) => (false, len),
            Next::Cut(_) => (false, text.len() - at),
        };
        if !is_converted {
            put_replacement(to, &mut out);
        }
        bytes += out.len();
        at += len;
    }
    bytes / to.family.unit()
}
