//! Bit planes: superblocks of 488 bytes, at the same cost for every text.
//!
//! A bit plane has one bit of each byte of the text: all bits 0, or all bits 1, and so on. Over the
//! eight planes, the rules of UTF-8 are Boolean formulas that decide about hundreds of positions at
//! once. DESIGN.md explains them. This is the outline:
//!
//! ```text
//! load eight vectors of 64 bytes; each begins with the last 3 bytes of the one before it (61 new bytes)
//! transpose 8x8 bits in each lane of each vector       -> each byte is one plane of eight neighbours
//! transpose 8x8 bytes across the vectors, lane by lane -> each vector is one plane, places out of order
//! formulas that look at one place only
//! reorder the six planes that are still needed         -> lane r is vector r, the bit of its first byte on top
//! formulas that look at neighbours: shifts by 1, 2, 3 inside the lanes
//! ```
//!
//! 1. **The vectors overlap by the three bytes that a check looks back to.** So lanes and
//!    superblocks are independent, and a shift is one instruction. The price is 5%. Carrying three
//!    bits from lane to lane would cost a shuffle for each shift, and half a dozen registers
//!    between superblocks.
//! 2. **The second transposition uses no shuffle.** See `Avx512::regroup_8`: one of its two results
//!    is a funnel shift, and the other a blend. The funnel shift exchanges the halves of one
//!    operand. `PICK` undoes this: it selects the planes in another order in each vector.
//! 3. **Only planes that are compared with neighbours are reordered**: six, not eight.
//!
//! UTF-8 on bit planes is Robert Cameron's ('A Case Study in SIMD Text Processing with Parallel Bit
//! Streams: UTF-8 to UTF-16 Transcoding', PPoPP 2008). He makes the planes with shifts and packs,
//! and his shifts carry bits from each vector to the next. Here a bit-matrix instruction (GFNI)
//! makes the planes, and nothing is carried (1).

#![forbid(unsafe_code)]

use core::hint::black_box;

use crate::boundary::CONTEXT;
use crate::simd::{Avx512, Vectors, x86::avx512::Vector};

/// The new bytes of a vector. Its first three bytes are the last three of the vector before it, or
/// come before the superblock.
const OWN_BYTES: usize = 64 - CONTEXT;
/// The bytes that a superblock checks.
pub(crate) const SUPERBLOCK_BYTES: usize = 8 * OWN_BYTES;

/// Returns the planes that vector `r` selects: byte `j` has a one for plane `j ^ r`.
///
/// It is not plane `j`, because each regrouping of two vectors exchanges the halves of one of them:
/// the one whose number has a one in the bit that differs.
const fn pick(r: u8) -> u64 {
    let mut bytes = [0; 8];
    let mut j = 0;
    while j < 8 {
        bytes[j as usize] = 1 << (j ^ r);
        j += 1;
    }
    u64::from_le_bytes(bytes)
}
const PICK: &[u64; 8] = &[pick(0), pick(1), pick(2), pick(3), pick(4), pick(5), pick(6), pick(7)];

/// The indices that put a plane in the order of the text: byte `7 - q` of lane `r` comes from byte
/// `7 - r` of lane `q`. After this, the first byte of a vector is the most significant bit of its
/// lane, and a shift right moves bits to later positions.
const ORDER: &[u8; 64] = &{
    let mut indices = [0; 64];
    let mut r = 0;
    while r < 8 {
        let mut q = 0;
        while q < 8 {
            indices[r * 8 + 7 - q] = (q * 8 + 7 - r) as u8;
            q += 1;
        }
        r += 1;
    }
    indices
};

/// The positions of a lane without its first three, `000111...111`. The vector before has checked
/// the first three.
const NOT_CONTEXT: u64 = !0 >> CONTEXT;
/// The positions of a lane whose next position is in the same lane, `00111...1110`: not the first
/// two, because the vector before has checked their next positions, and not the last, because its
/// next position is in the next vector.
const SECOND_FOLLOWS: u64 = !0 << 1 & !0 >> (CONTEXT - 1);

/// Turns vectors into planes: [`PICK`] for each of the eight vectors.
#[derive(Clone, Copy)]
pub(crate) struct Picks([Vector; 8]);

impl Picks {
    #[inline(always)]
    pub(crate) fn new(s: Avx512) -> Self {
        // `black_box` keeps LLVM from storing whole vectors of them in the program, for each
        // function with planes.
        let (lanes, mut picks, mut r) = (black_box(PICK), [s.zero(); 8], 0);
        while r < 8 {
            picks[r] = s.splat64(lanes[r]);
            r += 1;
        }
        Self(picks)
    }
}

/// Returns the planes of a superblock, from bit 0 to bit 7, with positions out of order. `text`
/// begins with the context.
#[inline(always)]
pub(crate) fn planes(s: Avx512, picks: Picks, text: &[u8; CONTEXT + SUPERBLOCK_BYTES]) -> [Vector; 8] {
    let (a, b) = (s.load(text, 0), s.load(text, OWN_BYTES));
    let (c, d) = (s.load(text, 2 * OWN_BYTES), s.load(text, 3 * OWN_BYTES));
    let (e, f) = (s.load(text, 4 * OWN_BYTES), s.load(text, 5 * OWN_BYTES));
    planes_of(s, picks, [a, b, c, d, e, f, s.load(text, 6 * OWN_BYTES), s.load(text, 7 * OWN_BYTES)])
}

/// Returns the planes of the vectors of a superblock.
#[cfg_attr(trust8_optimised, inline(always))]
fn planes_of(s: Avx512, picks: Picks, vectors: [Vector; 8]) -> [Vector; 8] {
    // First each eight neighbours are turned into planes.
    let ([a, b, c, d, e, f, g, h], p) = (vectors, picks.0);
    let (a, b, c, d) =
        (s.pick_planes(p[0], a), s.pick_planes(p[1], b), s.pick_planes(p[2], c), s.pick_planes(p[3], d));
    let (e, f, g, h) =
        (s.pick_planes(p[4], e), s.pick_planes(p[5], f), s.pick_planes(p[6], g), s.pick_planes(p[7], h));
    let ((a0, a1), (b0, b1)) = (s.regroup_8(a, b), s.regroup_8(c, d));
    let ((c0, c1), (d0, d1)) = (s.regroup_8(e, f), s.regroup_8(g, h));
    let (ab0, ab2) = s.regroup_16(a0, b0);
    let (ab1, ab3) = s.regroup_16(a1, b1);
    let (cd0, cd2) = s.regroup_16(c0, d0);
    let (cd1, cd3) = s.regroup_16(c1, d1);
    let (p0, p4) = s.regroup_32(ab0, cd0);
    let (p1, p5) = s.regroup_32(ab1, cd1);
    let (p2, p6) = s.regroup_32(ab2, cd2);
    let (p3, p7) = s.regroup_32(ab3, cd3);
    [p0, p1, p2, p3, p4, p5, p6, p7]
}

/// Checks a superblock, given its planes. Returns `faults` with the superblock's faults added, a
/// bit for each in no useful order.
#[cfg_attr(trust8_optimised, inline(always))]
pub(crate) fn check_planes(s: Avx512, faults: Vector, planes: [Vector; 8]) -> Vector {
    let [b0, b1, b2, b3, b4, b5, b6, b7] = planes;

    // First each position on its own, out of order. A byte that never appears is 1100000. (C0 and
    // C1), or 1111.... with more than 0100 in its lower half (F5 to FF).
    let low_is_0_or_1 = s.ternary::<{ truth!(|b3, b2, b1| !(b3 | b2 | b1)) }>(b3, b2, b1);
    let is_5_to_7 = s.ternary::<{ truth!(|b2, b1, b0| b2 & (b1 | b0)) }>(b2, b1, b0);
    let low_is_5_or_more = s.or(b3, is_5_to_7);
    // The first answer matters for 1100...., the second for 1111...., and neither for 1101.... and 1110.....
    let answer = s.ternary::<{ truth!(|b5, high, low| if b5 { high } else { low }) }>(
        b5,
        low_is_5_or_more,
        low_is_0_or_1,
    );
    let answer = s.ternary::<{ truth!(|answer, b5, b4| answer & (b5 == b4)) }>(answer, b5, b4);
    let never = s.ternary::<{ truth!(|answer, b7, b6| answer & b7 & b6) }>(answer, b7, b6);

    // E0, ED, F0 and F4 restrict their second byte. A lead from E0 on (b5 is set) is one of them if its lower half is
    // 0000; or if it is 11101101; or if it is 1111.1.., where all but F4 never appear anyway.
    let low_is_0 = s.without(low_is_0_or_1, b0);
    let low_is_9_or_d = s.ternary::<{ truth!(|b3, b1, b0| b3 & !b1 & b0) }>(b3, b1, b0);
    let low_is_d_or_4 =
        s.ternary::<{ truth!(|b4, b2, low_is_9_or_d| b2 & (b4 | low_is_9_or_d)) }>(b4, b2, low_is_9_or_d);
    let restricts = s.ternary::<{ truth!(|low_is_0, low_is_d_or_4, b5| (low_is_0 | low_is_d_or_4) & b5) }>(
        low_is_0,
        low_is_d_or_4,
        b5,
    );

    // Then neighbours, in the order of the text.
    let order = s.load(ORDER, 0);
    let (b7, b6) = (s.lookup(b7, order), s.lookup(b6, order));
    let (b5, b4) = (s.lookup(b5, order), s.lookup(b4, order));
    let (b2, restricts) = (s.lookup(b2, order), s.lookup(restricts, order));
    let lead = s.ternary::<{ truth!(|b7, b6, mask| b7 & b6 & mask) }>(b7, b6, s.splat64(SECOND_FOLLOWS));
    let lead3 = s.ternary::<{ truth!(|b7, b6, b5| b7 & b6 & b5) }>(b7, b6, b5);
    let lead4 = s.and(lead3, b4);

    // Continuations must be exactly where they are due.
    let fourth = s.shift_right::<3>(lead4);
    let due = s.ternary::<{ truth!(|a, b, c| a | b | c) }>(
        s.shift_right::<1>(lead),
        s.shift_right::<2>(lead3),
        fourth,
    );
    let not_context = s.splat64(NOT_CONTEXT);
    let continuations =
        s.ternary::<{ truth!(|b7, b6, not_context| b7 & !b6 & not_context) }>(b7, b6, not_context);
    let lengths = s.ternary::<{ truth!(|due, not_context, found| (due & not_context) ^ found) }>(
        due,
        not_context,
        continuations,
    );

    // What the second byte of a lead must be:
    //
    //     E0  11100000  A0..BF  b5 set               ED  11101101  80..9F  b5 clear
    //     F0  11110000  90..BF  b5 or b4 set         F4  11110100  80..8F  b5 and b4 clear
    //
    // In the lead, b4 tells the second line from the first, and b2 the right side from the left.
    let (next_b5, next_b4) = (s.shift_left::<1>(b5), s.shift_left::<1>(b4));
    let set = s.ternary::<{ truth!(|next_b5, b4, next_b4| next_b5 | (b4 & next_b4)) }>(next_b5, b4, next_b4);
    let wrong = s.ternary::<{ truth!(|restricts, set, b2| restricts & (set == b2)) }>(restricts, set, b2);

    let faults = s.ternary::<{ truth!(|all, never, lengths| all | never | lengths) }>(faults, never, lengths);
    s.ternary::<{ truth!(|all, wrong, lead| all | (wrong & lead)) }>(faults, wrong, lead)
}
