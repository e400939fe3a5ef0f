//! The conversions with vectors, written once with [`ConvertOps`] for every instruction set.
//!
//! | file | from | into |
//! |---|---|---|
//! | `from_utf8.rs` | UTF-8 | UTF-16, UTF-32 |
//! | `from_faulty_utf8.rs` | UTF-8 in which each fault is replaced | UTF-16, UTF-32 |
//! | `from_utf16.rs` | UTF-16 | UTF-8, UTF-32 |
//! | `from_utf32.rs` | UTF-32 | UTF-8, UTF-16 |
//! | `utf16_order.rs` | UTF-16 | UTF-16 |
//! | `latin1.rs` | UTF-8, UTF-16; Latin-1 | Latin-1; UTF-8, UTF-16, UTF-32 |
//!
//! A function returns how many bytes of the text it has converted. It stops no later than where the
//! text is malformed or the output is full. It may stop a block earlier, and then `scalar.rs`
//! continues. It always stops between characters.
//!
//! # Short texts
//!
//! A text shorter than a vector is one block, padded with zeros and converted in straight-line
//! code. It loads no constants for a loop and spills no registers, which would be most of the cost
//! of a call. Functions for such texts begin with `short`. They return whether they have converted all of the
//! text; otherwise their output does not count. UTF-16 that is all ASCII may have two vectors, since
//! both become one. With 64-byte vectors, so may most other text, and UTF-16 four.
//!
//! # A full output
//!
//! A function for long texts stops before the first block that does not fit. Near the end of the
//! output, `route.rs` converts the last blocks elsewhere and copies the characters that fit.
//!
//! # ASCII
//!
//! ASCII is detected block by block and widened or narrowed. A long run that becomes longer units
//! is written in whole cache lines; see [`put_in_lines`].

#![forbid(unsafe_code)]

pub(super) mod from_faulty_utf8;
pub(super) mod from_utf16;
pub(super) mod from_utf32;
pub(super) mod from_utf8;
pub(super) mod latin1;
pub(super) mod utf16_order;

use crate::encodings::utf16::{order, unit_of};
use crate::simd::ConvertOps;
use trust8::engine::Output;

/// From this text length on, it pays to write ASCII between other text in whole cache lines, and to
/// copy UTF-16 with auto-vectorised loops.
const LINES_PAY_FROM_BYTES: usize = 512;

/// A text of bytes shorter than this and its wider output stay in the first-level cache of any CPU.
/// There, writing whole cache lines does not pay.
const CACHED_BYTES: usize = 10 << 10;

/// The number of bytes of ASCII at the start of a longer text that are widened vector by vector.
/// The loops for other text or for whole cache lines are prepared after that.
const PLAIN_BYTES: usize = 2048;

/// The target of ASCII or Latin-1.
pub(super) trait Narrow {
    /// The number of bytes in a unit.
    const UNIT_BYTES: usize;

    /// Appends the first `n` bytes of `narrow`, one unit each: ASCII, or Latin-1 if units have more
    /// than one byte.
    fn put_narrow<S: ConvertOps>(s: S, narrow: S::Vector, n: usize, out: &mut Output<'_>) -> bool;
}

/// Into bytes, unchanged.
struct IntoBytes;

impl Narrow for IntoBytes {
    const UNIT_BYTES: usize = 1;

    #[inline(always)]
    fn put_narrow<S: ConvertOps>(s: S, narrow: S::Vector, n: usize, out: &mut Output<'_>) -> bool {
        s.put_first(narrow, n, out)
    }
}

/// Into UTF-16. `SWAPPED` means that units are in the non-native byte order.
pub(super) struct IntoUtf16<const SWAPPED: bool>;

impl<const SWAPPED: bool> Narrow for IntoUtf16<SWAPPED> {
    const UNIT_BYTES: usize = 2;

    #[inline(always)]
    fn put_narrow<S: ConvertOps>(s: S, narrow: S::Vector, n: usize, out: &mut Output<'_>) -> bool {
        if !SWAPPED {
            return s.put_as_u16(narrow, n, out);
        }
        let [first, second] = s.widened8(narrow);
        s.put_first_of_two([s.left16::<8>(first), s.left16::<8>(second)], 2 * n, out)
    }
}

/// Into UTF-32.
pub(super) struct IntoUtf32;

impl Narrow for IntoUtf32 {
    const UNIT_BYTES: usize = 4;

    #[inline(always)]
    fn put_narrow<S: ConvertOps>(s: S, narrow: S::Vector, n: usize, out: &mut Output<'_>) -> bool {
        s.put_as_u32(narrow, n, out)
    }
}

/// Returns the first block of a text and its length: a vector, or the whole text padded with zeros.
#[cfg_attr(trust8_optimised, inline(always))]
fn load_block<S: ConvertOps>(s: S, text: &[u8]) -> (S::Vector, usize) {
    match text.len() {
        // An empty slice may point to unmapped memory. A masked load reads nothing from there, but
        // the CPU needs over 20 ns to find that out.
        0 => (s.splat(0), 0),
        len if len < S::LANES => (s.load_short(text), len),
        _ => (s.load(text, 0), S::LANES),
    }
}

/// Converts the ASCII at the start of a text. It stops after [`PLAIN_BYTES`] if units become longer
/// and the text has at least [`CACHED_BYTES`]. If that is the whole text, or fills the output, the
/// loop over blocks needs no preparation. Returns the number of bytes converted.
#[cfg_attr(trust8_optimised, inline(always))]
fn leading_ascii<S: ConvertOps, T: Narrow>(s: S, text: &[u8], out: &mut Output<'_>) -> usize {
    let end = if T::UNIT_BYTES == 1 || text.len() < CACHED_BYTES { text.len() } else { PLAIN_BYTES };
    let mut at = put_by_two::<S, T, true, false>(s, &text[..end], out);
    while at < end
        && let Some(block) = text.get(at..at + S::LANES)
    {
        let now = s.load(block, 0);
        if s.high_bits(now) != 0 {
            return at;
        }
        if !T::put_narrow(s, now, S::LANES, out) {
            return at + put_fitting::<S, T>(s, now, S::LANES, out);
        }
        at += S::LANES;
    }
    let rest = &text[at..];
    if rest.is_empty() || rest.len() >= S::LANES {
        return at;
    }
    let now = s.load_short(rest);
    if s.high_bits(now) == 0 && T::put_narrow(s, now, rest.len(), out) { text.len() } else { at }
}

/// Appends as many of the first `n` bytes of `narrow` as fit, and returns their number.
#[cfg_attr(trust8_optimised, inline(always))]
fn put_fitting<S: ConvertOps, T: Narrow>(s: S, narrow: S::Vector, n: usize, out: &mut Output<'_>) -> usize {
    // A full output is common, and an empty store would take time.
    let fits = n.min(out.left() / T::UNIT_BYTES);
    if fits > 0 && T::put_narrow(s, narrow, fits, out) { fits } else { 0 }
}

/// Appends bytes two vectors at a time, while both are ASCII (if `ONLY_ASCII`) and fit. Returns the
/// number of bytes. `AHEAD` says that enough bytes follow for a prefetch of the output to pay.
#[cfg_attr(trust8_optimised, inline(always))]
fn put_by_two<S: ConvertOps, T: Narrow, const ONLY_ASCII: bool, const AHEAD: bool>(
    s: S,
    text: &[u8],
    out: &mut Output<'_>,
) -> usize {
    let mut at = 0;
    for two in text.chunks_exact(2 * S::LANES) {
        let (a, b) = (s.load(two, 0), s.load(two, S::LANES));
        if ONLY_ASCII && s.high_bits(s.or(a, b)) != 0 {
            break;
        }
        let Some(mut block) = out.fork_next(2 * T::UNIT_BYTES * S::LANES) else { break };
        let next = block.output();
        if AHEAD {
            s.prefetch_output(T::UNIT_BYTES * S::LANES, next);
        }
        T::put_narrow(s, a, S::LANES, next);
        if AHEAD {
            s.prefetch_output(T::UNIT_BYTES * S::LANES, next);
        }
        T::put_narrow(s, b, S::LANES, next);
        block.join();
        at += 2 * S::LANES;
    }
    at
}

/// Returns 16-bit units in the machine's byte order. `SWAPPED` says that they are in the other one.
#[inline(always)]
fn in_order<S: ConvertOps, const SWAPPED: bool>(s: S, units: S::Vector) -> S::Vector {
    if SWAPPED { s.reversed16(units) } else { units }
}

/// Returns whether the text ends with a high surrogate.
#[inline(always)]
fn ends_in_high<const SWAPPED: bool>(text: &[u8]) -> bool {
    text.last_chunk().is_some_and(|bytes| unit_of(*bytes, SWAPPED) & 0xFC00 == 0xD800)
}

/// Appends bytes two vectors at a time in whole cache lines. Stops at the first vectors that are
/// not ASCII (if `ONLY_ASCII`), at the last whole vectors, or when the output is full. Returns the
/// number of bytes.
///
/// `text` begins with a vector of such bytes. If that does not fit, nothing is appended.
#[cfg_attr(trust8_optimised, inline(always))]
fn put_in_lines<S: ConvertOps, T: Narrow, const ONLY_ASCII: bool>(
    s: S,
    text: &[u8],
    out: &mut Output<'_>,
) -> usize {
    let bytes_to_line = out.bytes_to_line();
    if !T::put_narrow(s, s.load(text, 0), S::LANES, out) {
        return 0;
    }
    // Keep only the units that end at the start of a line. The others are written again.
    let at = match bytes_to_line / T::UNIT_BYTES % S::LANES {
        0 => S::LANES,
        units => units,
    };
    out.retract(T::UNIT_BYTES * (S::LANES - at));
    at + put_by_two::<S, T, ONLY_ASCII, true>(s, &text[at..], out)
}

/// Returns a one for each byte that is at least `LEAST`.
#[inline(always)]
fn at_least<S: ConvertOps, const LEAST: u8>(s: S, v: S::Vector) -> u64 {
    // Those are the bytes whose difference to `LEAST` minus 0x80 has bit 7 set.
    s.high_bits(s.minus_saturating(v, s.splat(LEAST - 0x80)))
}

/// Returns `v & mask` in each byte.
#[inline(always)]
fn masked<S: ConvertOps>(s: S, v: S::Vector, mask: u8) -> S::Vector {
    s.and(v, s.splat(mask))
}
