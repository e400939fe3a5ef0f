//! The three tables, and every bit in them.
//!
//! Three nibbles judge a pair of neighbouring bytes: the upper and the lower four bits of the first byte, and the upper four bits of the
//! second byte. Each nibble selects an entry of a table. A bit that is set in all three entries shows what is wrong with the pair.
//!
//! The method is published: John Keiser and Daniel Lemire, 'Validating UTF-8 In Less Than One Instruction Per Byte',
//! 2020 (arXiv 2010.03090). The tables differ in one thing, and `mod.rs` lists the differences of the algorithm:
//!
//! - The paper has one bit for a continuation after ASCII and another for two continuations in a row. Here they are one bit,
//!   [`LATER_CONTINUATION`]: in both cases there is no lead before the continuation. So the tables need seven bits, not eight.

#![forbid(unsafe_code)]

/// `11...... 0.......` or `11...... 11......`: no continuation follows a lead.
pub(super) const NO_CONTINUATION: u8 = 1 << 0;
/// `1100000. 10......`: C0 or C1 begins two bytes for a character that is ASCII.
const OVERLONG_2: u8 = 1 << 1;
/// `11100000 100.....`: E0 with 80..9F, three bytes for a character below U+0800.
const OVERLONG_3: u8 = 1 << 2;
/// `11101101 101.....`: ED with A0..BF, one of U+D800 to U+DFFF.
const SURROGATE: u8 = 1 << 3;
/// `11110100 1001....` or `11110100 101.....`: F4 with 90..BF, above U+10FFFF. The same for F5..FF with 90..BF.
const TOO_LARGE: u8 = 1 << 4;
/// `11110000 1000....`: F0 with 80..8F, four bytes for a character below U+10000. The same for F5..FF with 80..8F.
const OVERLONG_4: u8 = 1 << 5;
/// `0....... 10......` or `10...... 10......`: a continuation without a lead directly before it.
///
/// This bit alone is no error yet: the third and fourth bytes of a character have it too. Where such a byte is due, the checker inverts
/// all bits of [`SECOND_HIGH`] above the lowest one, so this may not be the lowest bit of an entry.
const LATER_CONTINUATION: u8 = 1 << 7;

/// The entries for the upper four bits of the first byte.
pub(super) const FIRST_HIGH: [u8; 16] = {
    let mut t = [LATER_CONTINUATION; 16]; // ASCII (0x0 to 0x7) and continuations (0x8 to 0xB)
    t[0xC] = NO_CONTINUATION | OVERLONG_2;
    t[0xD] = NO_CONTINUATION;
    t[0xE] = NO_CONTINUATION | OVERLONG_3 | SURROGATE;
    t[0xF] = NO_CONTINUATION | TOO_LARGE | OVERLONG_4;
    t
};

/// The entries for the lower four bits of the first byte.
pub(super) const FIRST_LOW: [u8; 16] = {
    let mut t = [LATER_CONTINUATION | NO_CONTINUATION; 16]; // both depend on the upper four bits alone
    t[0x0] |= OVERLONG_2 | OVERLONG_3 | OVERLONG_4; // C0 E0 F0
    t[0x1] |= OVERLONG_2; // C1
    t[0x4] |= TOO_LARGE; // F4
    t[0xD] |= SURROGATE; // ED
    let mut nibble = 0x5;
    while nibble <= 0xF {
        t[nibble] |= TOO_LARGE | OVERLONG_4; // F5..FF are wrong with every continuation
        nibble += 1;
    }
    t
};

/// The entries for the upper four bits of the second byte.
pub(super) const SECOND_HIGH: [u8; 16] = {
    let mut t = [NO_CONTINUATION; 16]; // ASCII (0x0 to 0x7) and leads (0xC to 0xF)
    t[0x8] = LATER_CONTINUATION | OVERLONG_2 | OVERLONG_3 | OVERLONG_4;
    t[0x9] = LATER_CONTINUATION | OVERLONG_2 | OVERLONG_3 | TOO_LARGE;
    t[0xA] = LATER_CONTINUATION | OVERLONG_2 | SURROGATE | TOO_LARGE;
    t[0xB] = t[0xA];
    t
};
