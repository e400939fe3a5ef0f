//! Searches for the first unit of a text with some property: not ASCII, not in Latin-1, not
//! well-formed, or the start of a dialect's special sequence.
//!
//! ```text
//! up to 256 bytes: vector by vector
//! more: skip groups of 256 bytes in which a quick test rules the unit out; look at the others vector by vector
//! ```
//!
//! 1. **A quick test may be wrong in one direction.** It takes one or two operations a vector and
//!    one branch a group, and may raise a false alarm. The exact test decides.
//! 2. **Bytes are compared, not units.** With a constant that never matches the unit's other bytes,
//!    this compares units. So vectors need no operations for 16 bits, and a byte order is just
//!    another constant. The exception is UTF-32: three operations for 32 bits test for characters,
//!    exactly.
//! 3. **The rest of a text is loaded with zeros after it.** A search that finds such a zero has
//!    found the end.
//!
//! | file | contents |
//! |---|---|
//! | `mod.rs` | the loops, and [`Sought`], the property to search for |
//! | `vectors.rs` | the operations on vectors, of every engine |

#![forbid(unsafe_code)]

mod vectors;

use core::marker::PhantomData;

use trust8::engine::{Engine, Job};

pub use vectors::SearchOps;

/// The search for the first `Q`. It returns its position in bytes, or the length of the text, which
/// is in whole units.
pub struct Search<Q>(PhantomData<Q>);

impl<Q> Search<Q> {
    /// The job.
    pub const JOB: Self = Self(PhantomData);
}

impl<Q: Sought<E>, E: Engine + SearchOps> Job<E, (), usize> for Search<Q> {
    #[inline(always)]
    fn run(engine: E, text: &[u8], (): ()) -> usize {
        if text.len() < LONG_BYTES {
            rest::<Q, _>(engine, text, 0, 0)
        } else {
            engine.apart(SearchLong::<Q>(PhantomData), text, ())
        }
    }
}

/// [`Search`] in a long text: a separate function, so that short texts need not save registers for
/// it.
struct SearchLong<Q>(PhantomData<Q>);

impl<Q: Sought<E>, E: Engine + SearchOps> Job<E, (), usize> for SearchLong<Q> {
    #[inline(always)]
    fn run(engine: E, text: &[u8], (): ()) -> usize {
        let (mut at, mut pending) = (0, 0);
        // From the second step on, vectors begin at aligned addresses, if units do. So no load crosses into another cache line.
        let mut step = LONG_BYTES - text.as_ptr().addr() % E::LANES / Q::UNIT_BYTES * Q::UNIT_BYTES;
        while let Some(group) = text[at..].first_chunk() {
            if pending == 0 && !is_group_suspected::<Q, _>(engine, group) {
                at += step;
                step = LONG_BYTES;
            } else if let Some(found) = look::<Q, _>(engine, group, &mut 0, &mut pending) {
                return Q::place(text, at + found);
            } else {
                at += LONG_BYTES;
            }
        }
        // The last group overlaps the one before it.
        if pending == 0
            && let Some(last) = text.last_chunk()
            && !is_group_suspected::<Q, _>(engine, last)
        {
            return text.len();
        }
        rest::<Q, _>(engine, text, at, pending)
    }
}

/// Returns [`Sought::places`] of the first [`BLOCK_BYTES`] bytes of a text, as one word.
pub struct Places<Q>(PhantomData<Q>);

impl<Q> Places<Q> {
    /// The job.
    pub const JOB: Self = Self(PhantomData);
}

impl<Q: Sought<E>, E: Engine + SearchOps> Job<E, (), u64> for Places<Q> {
    #[inline(always)]
    fn run(engine: E, text: &[u8], (): ()) -> u64 {
        let (mut ones, mut at, mut pending) = (0, 0, 0);
        while at < BLOCK_BYTES && text.len() - at >= E::LANES {
            ones |= Q::places(engine, engine.load(text, at), &mut pending) << at;
            at += E::LANES;
        }
        if at == BLOCK_BYTES || at == text.len() {
            return ones;
        }
        // The zeros after the text do not count.
        let within = (1 << (text.len() - at)) - 1;
        ones | (Q::places(engine, engine.load_short(&text[at..]), &mut pending) & within) << at
    }
}

/// What a search looks for.
pub trait Sought<V: SearchOps> {
    /// The number of bytes in a unit.
    const UNIT_BYTES: usize;

    /// Returns whether any of these vectors may have a sought unit. If it returns false, none has, and none ends inside one.
    fn is_suspected<const N: usize>(v: V, vectors: [V::Vector; N]) -> bool;

    /// Returns ones for bytes of sought units: at least one for each. No unit before the lowest one
    /// is sought.
    ///
    /// `pending` has ones where units at the start of this vector must complete a sequence from the
    /// vector before, and is zero at the start of a text. It is updated for the next vector.
    fn places(v: V, now: V::Vector, pending: &mut u64) -> u64;

    /// Returns the position of the sought unit, if [`places`](Self::places) has a one for the unit
    /// at `at`.
    #[inline(always)]
    fn place(_text: &[u8], at: usize) -> usize {
        at
    }
}

/// The length of a group, and the least at which groups are tested quickly first.
const LONG_BYTES: usize = 256;

/// Searches `text` from `at` on.
#[inline(always)]
fn rest<Q: Sought<V>, V: SearchOps>(v: V, text: &[u8], mut at: usize, mut pending: u64) -> usize {
    if let Some(found) = look::<Q, V>(v, text, &mut at, &mut pending) {
        return Q::place(text, found);
    }
    let places = Q::places(v, v.load_short(&text[at..]), &mut pending);
    let at = text.len().min(at + unit_at::<Q, V>(places));
    // Most searches do the same in both cases, so there is no branch. The zero after a text does
    // not complete a pending sequence.
    if places == 0 { at } else { Q::place(text, at) }
}

/// The length of a block whose positions are all returned: one bit of a word for each byte.
pub const BLOCK_BYTES: usize = 64;

/// Searches each whole vector from `at` on, and moves `at` to the rest. Returns the position of the
/// first sought unit, if any.
#[inline(always)]
fn look<Q: Sought<V>, V: SearchOps>(v: V, text: &[u8], at: &mut usize, pending: &mut u64) -> Option<usize> {
    while text.len() - *at >= V::LANES {
        let places = Q::places(v, v.load(text, *at), pending);
        if places != 0 {
            return Some(*at + unit_at::<Q, V>(places));
        }
        *at += V::LANES;
    }
    None
}

/// Returns the start of the first unit with a one, or 64 or more if none has one.
#[inline(always)]
pub fn unit_at<Q: Sought<V>, V: SearchOps>(places: u64) -> usize {
    places.trailing_zeros() as usize / Q::UNIT_BYTES * Q::UNIT_BYTES
}

/// Returns whether a group may have a sought unit.
#[inline(always)]
fn is_group_suspected<Q: Sought<V>, V: SearchOps>(v: V, group: &[u8; LONG_BYTES]) -> bool {
    match V::LANES {
        16 => Q::is_suspected::<16>(v, vectors(v, group)),
        32 => Q::is_suspected::<8>(v, vectors(v, group)),
        _ => Q::is_suspected::<4>(v, vectors(v, group)),
    }
}

/// Returns the first `N` vectors of a group.
// Where code is optimised for size, a closure around a load would be a separate function.
#[inline(always)]
fn vectors<V: SearchOps, const N: usize>(v: V, group: &[u8; LONG_BYTES]) -> [V::Vector; N] {
    let (mut vectors, mut i) = ([v.load(group, 0); N], 1);
    while i < N {
        vectors[i] = v.load(group, V::LANES * i);
        i += 1;
    }
    vectors
}

/// Returns the bits that are set in any of the vectors.
// When optimising for size, LLVM would not inline a closure around an operation.
#[inline(always)]
pub fn all_bits<V: SearchOps, const N: usize>(v: V, vectors: [V::Vector; N]) -> V::Vector {
    let (mut all, mut i) = (vectors[0], 1);
    while i < N {
        all = v.or(all, vectors[i]);
        i += 1;
    }
    all
}
