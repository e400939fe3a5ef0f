//! The three tables, and every bit in them.
//!
//! A pair of neighbouring bytes is judged by three nibbles: the upper and the lower four bits of the
//! first byte and the upper four of the second. Each nibble selects an entry, and a bit that is set in
//! all three entries says that the pair is wrong in the bit's way. (The method is John Keiser's
//! and Daniel Lemire's, 'Validating UTF-8 in less than one instruction per byte', 2020. Of their bits,
//! the one for a continuation behind ASCII and the one for two continuations in a row are one here,
//! `LATER_CONTINUATION`: both mean that no lead stands before it.)

#![forbid(unsafe_code)]

/// 11...... 0....... or 11...... 11......: the byte after a lead is no continuation.
pub(super) const NO_CONTINUATION: u8 = 1 << 0;
/// 1100000. 10......: C0 or C1, two bytes for ASCII.
const OVERLONG_2: u8 = 1 << 1;
/// 11100000 100.....: E0 with 80..9F, three bytes for less than U+0800.
const OVERLONG_3: u8 = 1 << 2;
/// 11101101 101.....: ED with A0..BF, U+D800 to U+DFFF.
const SURROGATE: u8 = 1 << 3;
/// 11110100 1001.... or 101.....: F4 with 90..BF, above U+10FFFF; and F5..FF with 90..BF.
const TOO_LARGE: u8 = 1 << 4;
/// 11110000 1000....: F0 with 80..8F, four bytes for less than U+10000; and F5..FF with 80..8F.
const OVERLONG_4: u8 = 1 << 5;
/// 0....... 10...... or 10...... 10......: a continuation whose neighbour on the left is no lead.
/// Alone among the bits this is no error yet: the third and fourth bytes of a character have it,
/// so the checker compares it with where those are due.
pub(super) const LATER_CONTINUATION: u8 = 1 << 7;

/// By the upper four bits of the first byte.
pub(super) const FIRST_HIGH: [u8; 16] = {
    let mut t = [LATER_CONTINUATION; 16]; // 0x0 to 0xB: ASCII and continuations
    t[0xC] = NO_CONTINUATION | OVERLONG_2;
    t[0xD] = NO_CONTINUATION;
    t[0xE] = NO_CONTINUATION | OVERLONG_3 | SURROGATE;
    t[0xF] = NO_CONTINUATION | TOO_LARGE | OVERLONG_4;
    t
};

/// By the lower four bits of the first byte.
pub(super) const FIRST_LOW: [u8; 16] = {
    let mut t = [LATER_CONTINUATION | NO_CONTINUATION; 16];
    t[0x0] |= OVERLONG_2 | OVERLONG_3 | OVERLONG_4; // C0 E0 F0
    t[0x1] |= OVERLONG_2; // C1
    t[0x4] |= TOO_LARGE; // F4
    t[0xD] |= SURROGATE; // ED
    let mut nibble = 0x5;
    while nibble <= 0xF {
        t[nibble] |= TOO_LARGE | OVERLONG_4; // F5..FF are wrong whatever follows
        nibble += 1;
    }
    t
};

/// By the upper four bits of the second byte.
pub(super) const SECOND_HIGH: [u8; 16] = {
    let mut t = [NO_CONTINUATION; 16]; // ASCII and leads
    t[0x8] = LATER_CONTINUATION | OVERLONG_2 | OVERLONG_3 | OVERLONG_4;
    t[0x9] = LATER_CONTINUATION | OVERLONG_2 | OVERLONG_3 | TOO_LARGE;
    t[0xA] = LATER_CONTINUATION | OVERLONG_2 | SURROGATE | TOO_LARGE;
    t[0xB] = t[0xA];
    t
};
