//! Shuffles that leave gaps out, for 16 bytes at a time: what moves to the front, by what is to be kept.
//!
//! Each table has 4 KiB, but for that of dwords, which has 256 bytes. Behind what is kept a shuffle moves whatever it likes.

#![forbid(unsafe_code)]

type Table = [[u8; 16]; 256];

/// By bits for eight bytes: those bytes.
pub(super) static BYTES: Table = {
    let mut table = [[0; 16]; 256];
    let mut index = 0;
    while index < 256 {
        let (mut byte, mut to) = (0, 0);
        while byte < 8 {
            if index >> byte & 1 == 1 {
                table[index][to] = byte;
                to += 1;
            }
            byte += 1;
        }
        index += 1;
    }
    table
};

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

/// By two bits for each of four times four bytes: that many of the last ones, and one more.
pub(super) static ENDS: Table = {
    let mut table = [[0; 16]; 256];
    let mut index = 0;
    while index < 256 {
        let (mut byte, mut to) = (0, 0);
        while byte < 16 {
            let (four, place) = (byte / 4, byte % 4);
            if 3 - place <= index >> (2 * four) & 3 {
                table[index][to] = byte as u8;
                to += 1;
            }
            byte += 1;
        }
        index += 1;
    }
    table
};

/// By bits for four dwords: those dwords.
pub(super) static DWORDS: [[u8; 16]; 16] = {
    let mut table = [[0; 16]; 16];
    let mut index = 0;
    while index < 16 {
        let (mut byte, mut to) = (0, 0);
        while byte < 16 {
            if index >> (byte / 4) & 1 == 1 {
                table[index][to] = byte as u8;
                to += 1;
            }
            byte += 1;
        }
        index += 1;
    }
    table
};

/// The shuffle for bytes of which `keep` has one bit each.
#[inline(always)]
pub(super) fn bytes(keep: u64) -> &'static [u8; 16] {
    &BYTES[(keep & 0xFF) as usize]
}

/// The shuffle for words of which `keep` has one bit each.
#[inline(always)]
pub(super) fn words(keep: u64) -> &'static [u8; 16] {
    &WORDS[(keep & 0xFF) as usize]
}

/// The shuffle for pairs, of whose second bytes `two` has a bit each.
#[inline(always)]
pub(super) fn ones_or_twos(two: u64) -> &'static [u8; 16] {
    &PAIRS[(two & 0xFF) as usize]
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

/// The shuffle for dwords of which `keep` has one bit each.
#[inline(always)]
pub(super) fn dwords(keep: u64) -> &'static [u8; 16] {
    &DWORDS[(keep & 0xF) as usize]
}

/// The shuffle for twos of bytes, of which `keep` has both bits or none.
#[inline(always)]
pub(super) fn twos(keep: u64) -> &'static [u8; 16] {
    // One bit of each two, brought together.
    let bits = keep & 0x5555;
    let bits = (bits | bits >> 1) & 0x3333;
    let bits = (bits | bits >> 2) & 0x0F0F;
    words(bits | bits >> 4)
}

/// The shuffle for dwords of which `keep` has two bits each, both of them or none.
#[inline(always)]
pub(super) fn joined(keep: u64) -> &'static [u8; 16] {
    // One bit of each two, brought together.
    let bits = keep & 0x55;
    let bits = (bits | bits >> 1) & 0x33;
    dwords(bits | bits >> 2)
}

/// The shuffle for the ends of fours of bytes, of which `keep` has a bit for each byte.
#[inline(always)]
pub(super) fn ends(keep: u64) -> &'static [u8; 16] {
    // Without the last bit, which is always there, 100, 110 and 111 become the numbers 1, 2 and 3: the middle bit is
    // their upper one, and it is odd whether they are odd.
    let bits = (keep ^ keep >> 1 ^ keep >> 2) & 0x1111 | keep & 0x2222;
    let bits = (bits | bits >> 2) & 0x0F0F;
    &ENDS[((bits | bits >> 4) & 0xFF) as usize]
}
