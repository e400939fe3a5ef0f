//! Shuffles of 16 bytes that move the kept bytes to the front, indexed by the mask of kept bytes.
//!
//! A table has 4 KiB. The one for 32-bit units has 256 bytes, and the one for bytes has 8 KiB. The
//! result of a shuffle is unspecified after the kept bytes.

#![forbid(unsafe_code)]

type Table = [[u8; 16]; 256];

/// Indexed by the half of a part, and then by a bit for each of its eight bytes: keeps the bytes
/// whose bits are set.
static KEPT_BYTES: [Table; 2] = {
    let mut tables = [[[0; 16]; 256]; 2];
    let mut index = 0;
    while index < 256 {
        let (mut byte, mut to) = (0, 0);
        while byte < 8 {
            if index >> byte & 1 == 1 {
                tables[0][index][to] = byte;
                tables[1][index][to] = byte + 8;
                to += 1;
            }
            byte += 1;
        }
        index += 1;
    }
    tables
};

/// Indexed by a bit for each of eight 16-bit units: keeps the units whose bits are set.
static KEPT_U16: Table = {
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

/// Indexed by a bit for each of eight pairs of bytes: keeps the first byte of each pair, and the
/// second if its bit is set.
static STARTS_OF_TWO: Table = {
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

/// Indexed by two bits for each of four quadruples of bytes: keeps the first and the second byte of
/// each if their bits are set, and the third.
static ENDS_OF_THREE: Table = {
    let mut table = [[0; 16]; 256];
    let mut index = 0;
    while index < 256 {
        let (mut byte, mut to) = (0, 0);
        while byte < 16 {
            let (quadruple, place) = (byte / 4, byte % 4);
            if place == 2 || place < 2 && index >> (2 * quadruple + place) & 1 == 1 {
                table[index][to] = byte as u8;
                to += 1;
            }
            byte += 1;
        }
        index += 1;
    }
    table
};

/// Indexed by a two-bit number for each of four quadruples of bytes: keeps that many of the last
/// bytes of each, plus one.
static ENDS_OF_FOUR: Table = {
    let mut table = [[0; 16]; 256];
    let mut index = 0;
    while index < 256 {
        let (mut byte, mut to) = (0, 0);
        while byte < 16 {
            let (quadruple, place) = (byte / 4, byte % 4);
            if 3 - place <= index >> (2 * quadruple) & 3 {
                table[index][to] = byte as u8;
                to += 1;
            }
            byte += 1;
        }
        index += 1;
    }
    table
};

/// Indexed by a bit for each of four 32-bit units: keeps the units whose bits are set.
static KEPT_U32: [[u8; 16]; 16] = {
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

/// Returns the shuffle for the first eight bytes (`half` is 0) or the last eight (1). The lowest
/// bits of `keep` have one bit for each.
#[inline(always)]
pub(super) fn kept_bytes(keep: u64, half: usize) -> &'static [u8; 16] {
    &KEPT_BYTES[half][(keep & 0xFF) as usize]
}

/// Returns the shuffle for eight 16-bit units. The lowest bits of `keep` have one bit for each.
#[inline(always)]
pub(super) fn kept_u16(keep: u64) -> &'static [u8; 16] {
    &KEPT_U16[(keep & 0xFF) as usize]
}

/// Returns the shuffle for four 32-bit units. The lowest bits of `keep` have one bit for each.
#[inline(always)]
pub(super) fn kept_u32(keep: u64) -> &'static [u8; 16] {
    &KEPT_U32[(keep & 0xF) as usize]
}

/// Returns the shuffle for four 32-bit units. `keep` has two equal bits for each.
#[inline(always)]
pub(super) fn kept_u32_by_two_bits(keep: u64) -> &'static [u8; 16] {
    // Gather one bit of each two.
    let bits = keep & 0x55;
    let bits = (bits | bits >> 1) & 0x33;
    kept_u32(bits | bits >> 2)
}

/// Returns the shuffle for eight pairs of bytes: all first bytes, and the second bytes for which
/// `seconds` has a bit.
#[inline(always)]
pub(super) fn firsts_and_some_seconds(seconds: u64) -> &'static [u8; 16] {
    &STARTS_OF_TWO[(seconds & 0xFF) as usize]
}

/// Returns the shuffle that keeps the ends of the first three of each four bytes. `keep` has a bit
/// for each of the first two bytes.
#[inline(always)]
pub(super) fn ends_of_three(keep: u64) -> &'static [u8; 16] {
    &ENDS_OF_THREE[(keep & 0xFF) as usize]
}

/// Returns the shuffle that keeps the ends of each four bytes. For each, `more` has a two-bit
/// number: how many bytes to keep besides the last one.
#[inline(always)]
pub(super) fn ends_of_four(more: u64) -> &'static [u8; 16] {
    &ENDS_OF_FOUR[(more & 0xFF) as usize]
}

/// Gathers the first bit of each two: those of 16 bits go to the lower half of the 16.
#[inline(always)]
pub(super) fn first_of_each_two(bits: u64) -> u64 {
    let bits = bits & 0x5555_5555_5555_5555;
    let bits = (bits | bits >> 1) & 0x3333_3333_3333_3333;
    let bits = (bits | bits >> 2) & 0x0F0F_0F0F_0F0F_0F0F;
    bits | bits >> 4
}

/// Gathers the first two bits of each four: those of 16 bits go to the lower half of the 16.
#[inline(always)]
pub(super) fn first_two_of_each_four(bits: u64) -> u64 {
    let bits = bits & 0x3333_3333_3333_3333;
    let bits = (bits | bits >> 2) & 0x0F0F_0F0F_0F0F_0F0F;
    bits | bits >> 4
}

/// Returns the number of ones among each four bits, less one, in the lowest two of the four. The
/// ones are at the upper end, and there is at least one.
#[inline(always)]
pub(super) fn ones_at_end_of_four(bits: u64) -> u64 {
    // From the highest one down, the other bits are 000, 100, 110 or 111, for 0 to 3. The upper bit
    // of that number is the middle bit. Its lower bit is the parity of all three.
    (bits ^ bits >> 1 ^ bits >> 2) & 0x1111_1111_1111_1111 | bits & 0x2222_2222_2222_2222
}
