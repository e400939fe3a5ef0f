//! Shuffles that leave gaps out, for 16 bytes at a time: what moves to the front, by what is to be kept.
//!
//! Each table has 4 KiB. Behind what is kept a shuffle moves whatever it likes.

#![forbid(unsafe_code)]

type Table = [[u8; 16]; 256];

/// By bits for eight words: those words.
pub(super) static WORDS: Table = {
    let mut table = [[0; 16]; 256];
    let mut index = 0;
    while index < 256 {
        let (mut word, mut to) = (0, 0);
        while word < 8 {
            if index >> word & 1 == 1 {
                table[index][to] = 2 * word;
                table[index][to + 1] = 2 * word + 1;
                to += 2;
            }
            word += 1;
        }
        index += 1;
    }
    table
};

/// By bits for eight pairs of bytes: the first byte of each, and the second where the bit is set.
pub(super) static PAIRS: Table = {
    let mut table = [[0; 16]; 256];
    let mut index = 0;
    while index < 256 {
        let (mut pair, mut to) = (0, 0);
        while pair < 8 {
            table[index][to] = 2 * pair;
            to += 1;
            if index >> pair & 1 == 1 {
                table[index][to] = 2 * pair + 1;
                to += 1;
            }
            pair += 1;
        }
        index += 1;
    }
    table
};

/// By two bits for each of four times four bytes, for the first and the second byte: those where they are set,
/// and the third.
pub(super) static QUADS: Table = {
    let mut table = [[0; 16]; 256];
    let mut index = 0;
    while index < 256 {
        let (mut byte, mut to) = (0, 0);
        while byte < 16 {
            let (quad, place) = (byte / 4, byte % 4);
            if place == 2 || place < 2 && index >> (2 * quad + place) & 1 == 1 {
                table[index][to] = byte as u8;
                to += 1;
            }
            byte += 1;
        }
        index += 1;
    }
    table
};

/// The shuffle for words of which `keep` has one bit each.
#[inline(always)]
pub(super) fn words(keep: u64) -> &'static [u8; 16] {
    &WORDS[(keep & 0xFF) as usize]
}

/// The shuffle for pairs, of whose bytes `keep` has a bit each.
#[inline(always)]
pub(super) fn pairs(keep: u64) -> &'static [u8; 16] {
    // The second bytes' bits, brought together.
    let bits = keep >> 1 & 0x5555;
    let bits = (bits | bits >> 1) & 0x3333;
    let bits = (bits | bits >> 2) & 0x0F0F;
    &PAIRS[((bits | bits >> 4) & 0xFF) as usize]
}

/// The shuffle for fours of bytes, of each of which `keep` has a bit.
#[inline(always)]
pub(super) fn quads(keep: u64) -> &'static [u8; 16] {
    // The bits of the first two bytes, brought together.
    let bits = keep & 0x3333;
    let bits = (bits | bits >> 2) & 0x0F0F;
    &QUADS[((bits | bits >> 4) & 0xFF) as usize]
}
