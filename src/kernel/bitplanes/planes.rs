//! Bit planes: 488 bytes at a time, every text at the same cost.
//!
//! Turn the text into eight streams of bits, one for each bit of a byte, and UTF-8's rules become
//! Boolean formulas over hundreds of places at once. DESIGN.md explains it with a worked example; here
//! is the outline.
//!
//! ```text
//! load eight rows of 64 bytes; a row begins with the last 3 bytes of the one before it (61 new bytes)
//! transpose 8x8 bits in each lane of each row      -> each byte is one plane of eight neighbours
//! transpose 8x8 bytes across the rows, lane by lane -> one register a plane, places out of order
//! formulas that look at one place only
//! reorder the six planes that are left to look at  -> lane r = row r, its first byte's bit on top
//! formulas that look at neighbours: shifts by 1, 2, 3 inside the lanes
//! ```
//!
//! 1. **Rows overlap by the three bytes that a check must see back.** So no lane needs anything from
//!    another lane, no superblock anything from another superblock, and a shift is one instruction.
//!    The price is 5%; carrying three bits from lane to lane instead costs a shuffle a shift, and
//!    from superblock to superblock half a dozen registers.
//! 2. **The transposition uses no shuffle.** See `Avx512::regroup_8`: of the two results of a step,
//!    one is a funnel shift and the other a blend. The funnel shift exchanges the halves of one
//!    operand; `PICK` undoes this by asking for the planes in another order in each row.
//! 3. **Nothing but the planes that neighbours are compared by is reordered**: six, not eight.

#![forbid(unsafe_code)]

use crate::boundary::CONTEXT;
use crate::simd::x86::avx512::{Avx512, Vector};

/// Bytes of a row that are its own. The others, its first, are the last of an earlier row, or stand before
/// the superblock.
const OWN: usize = 64 - CONTEXT;
/// Bytes that a superblock checks.
pub(super) const SUPERBLOCK: usize = 8 * OWN;

/// For row r: in byte j, a one for plane j ^ r. Why not j: regrouping a pair of rows exchanges the
/// halves of the row that has a one in the respective bit of its number.
const fn pick(row: u8) -> u64 {
    let mut bytes = [0; 8];
    let mut j = 0;
    while j < 8 {
        bytes[j as usize] = 1 << (j ^ row);
        j += 1;
    }
    u64::from_le_bytes(bytes)
}
const PICK: [u64; 8] = [pick(0), pick(1), pick(2), pick(3), pick(4), pick(5), pick(6), pick(7)];

/// Puts a plane in the order of the text: lane r, byte 7 - q from lane q, byte 7 - r. The first byte of
/// the text is then the most significant bit of a lane, and `later` a shift to the right.
static ORDER: [u8; 64] = {
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

/// All places of a row but the first three: continuations are due there because of what the row
/// before has checked.
const NOT_CONTEXT: u64 = !0 >> CONTEXT;
/// All places of a row but the last, whose second byte only the next row has, and the first two, whose
/// second bytes the row before has: as many as a row has of its own, one earlier.
const SECOND_FOLLOWS: u64 = !0 << 1 & !0 >> (CONTEXT - 1);

/// The planes of a superblock, from bit 0 to bit 7, places out of order. `text` begins with the context.
#[inline(always)]
pub(super) fn planes(s: Avx512, text: &[u8; CONTEXT + SUPERBLOCK]) -> [Vector; 8] {
    let (a0, a1) = s.regroup_8(row(s, text, 0), row(s, text, 1));
    let (b0, b1) = s.regroup_8(row(s, text, 2), row(s, text, 3));
    let (c0, c1) = s.regroup_8(row(s, text, 4), row(s, text, 5));
    let (d0, d1) = s.regroup_8(row(s, text, 6), row(s, text, 7));
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

/// Row `r`, each eight neighbours turned into planes.
#[inline(always)]
fn row(s: Avx512, text: &[u8; CONTEXT + SUPERBLOCK], r: usize) -> Vector {
    s.pick_planes(s.splat64(PICK[r]), s.load(text, r * OWN))
}

/// A bit for each byte of a kind, in no useful order. What is not looked at is not computed.
///
/// All are of as many places as a superblock has of its own, but not of the same: those that the check has
/// masked anyway. Of superblocks in a row each place is there once. Where they begin and end, see
/// [`LEADS_LATE`] and [`FROM_F0_LATE`].
pub(super) struct Places {
    pub(super) continuations: Vector,
    pub(super) leads: Vector,
    pub(super) from_f0: Vector,
    pub(super) newlines: Vector,
}

/// By how many places the leads of a superblock are those of text before it.
pub(super) const LEADS_LATE: usize = 1;
/// By how many places the bytes from F0 on are those of text before it.
pub(super) const FROM_F0_LATE: usize = 3;

/// All places but the first three of each row, in the order that planes come in: those are the upper bits
/// of the bytes of the first lane.
static OWN_PLACES: [u8; 64] = {
    let mut places = [0xFF; 64];
    let mut i = 0;
    while i < 8 {
        places[i] = 0xFF >> CONTEXT;
        i += 1;
    }
    places
};

/// Checks a superblock, given its planes, and adds its faults to `faults`: a bit for each, in no useful order.
/// And where its bytes of each kind are.
#[inline(always)]
pub(super) fn check(s: Avx512, faults: Vector, planes: [Vector; 8]) -> (Vector, Places) {
    let [b0, b1, b2, b3, b4, b5, b6, b7] = planes;

    // Places by themselves, in whatever order. An octet that never appears is a lead (11......) and
    // either 110000.. with b1 clear, or 1111 and above 4 in its lower half.
    let low_is_0_or_1 = s.ternary::<{ truth!(|b3, b2, b1| !(b3 | b2 | b1)) }>(b3, b2, b1);
    let is_5_to_7 = s.ternary::<{ truth!(|b2, b1, b0| b2 & (b1 | b0)) }>(b2, b1, b0);
    let low_is_5_or_more = s.or(b3, is_5_to_7);
    // 1100 asks the first question, 1111 the second; 1101 and 1110 ask none.
    let answer = s.ternary::<{ truth!(|b5, high, low| if b5 { high } else { low }) }>(
        b5,
        low_is_5_or_more,
        low_is_0_or_1,
    );
    let answer = s.ternary::<{ truth!(|answer, b5, b4| answer & (b5 == b4)) }>(answer, b5, b4);
    let never = s.ternary::<{ truth!(|answer, b7, b6| answer & b7 & b6) }>(answer, b7, b6);

    // E0, ED, F0, F4 restrict their second byte. Of a lead with b5 set (E0..FF) it is one of them
    // if its lower half is 0; or, in 1110, 1101; or, in 1111, .1.. (of which all but F4 are wrong anyway).
    let low_is_0 = s.without(low_is_0_or_1, b0);
    let low_is_9_or_d = s.ternary::<{ truth!(|b3, b1, b0| b3 & !b1 & b0) }>(b3, b1, b0);
    let low_is_d_or_4 =
        s.ternary::<{ truth!(|b4, b2, low_is_9_or_d| b2 & (b4 | low_is_9_or_d)) }>(b4, b2, low_is_9_or_d);
    let restricts = s.ternary::<{ truth!(|low_is_0, low_is_d_or_4, b5| (low_is_0 | low_is_d_or_4) & b5) }>(
        low_is_0,
        low_is_d_or_4,
        b5,
    );

    // What is worth counting.
    let own = s.load(&OWN_PLACES, 0);
    let low_is_a_or_b = s.ternary::<{ truth!(|b3, b2, b1| b3 & !b2 & b1) }>(b3, b2, b1);
    let is_0a_or_more = s.ternary::<{ truth!(|low, b4, b0| low & !b4 & !b0) }>(low_is_a_or_b, b4, b0);
    let is_0a_or_8a = s.ternary::<{ truth!(|all, b6, b5| all & !b6 & !b5) }>(is_0a_or_more, b6, b5);
    let newlines = s.ternary::<{ truth!(|all, b7, own| all & !b7 & own) }>(is_0a_or_8a, b7, own);

    // Neighbours, in the order of the text.
    let order = s.load(&ORDER, 0);
    let (b7, b6) = (s.lookup(b7, order), s.lookup(b6, order));
    let (b5, b4) = (s.lookup(b5, order), s.lookup(b4, order));
    let (b2, restricts) = (s.lookup(b2, order), s.lookup(restricts, order));
    let lead = s.ternary::<{ truth!(|b7, b6, mask| b7 & b6 & mask) }>(b7, b6, s.splat64(SECOND_FOLLOWS));
    let lead3 = s.ternary::<{ truth!(|b7, b6, b5| b7 & b6 & b5) }>(b7, b6, b5);
    let lead4 = s.and(lead3, b4);

    // Continuations are where they are due, and nowhere else.
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

    // What a second byte must be, seen from its lead: E0 wants b5 set (A0..BF), ED wants it clear; F0 wants
    // b5 or b4 set (90..BF), F4 wants both clear. b4 tells E from F, and b2 what is wanted clear.
    let (next_b5, next_b4) = (s.shift_left::<1>(b5), s.shift_left::<1>(b4));
    let set = s.ternary::<{ truth!(|next_b5, b4, next_b4| next_b5 | (b4 & next_b4)) }>(next_b5, b4, next_b4);
    let wrong = s.ternary::<{ truth!(|restricts, set, b2| restricts & (set == b2)) }>(restricts, set, b2);

    let faults = s.ternary::<{ truth!(|all, never, lengths| all | never | lengths) }>(faults, never, lengths);
    let faults = s.ternary::<{ truth!(|all, wrong, lead| all | (wrong & lead)) }>(faults, wrong, lead);
    (faults, Places { continuations, leads: lead, from_f0: fourth, newlines })
}
