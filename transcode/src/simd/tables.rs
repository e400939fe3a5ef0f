//! Shuffles of 16 bytes that move the kept bytes to the front, looked up by the bits of what is kept.
//!
//! A table has 4 KiB, except that of 32-bit units, which has 256 bytes, and that of bytes, which has 8 KiB. What a shuffle leaves
//! after the kept bytes has no meaning.

#![forbid(unsafe_code)]

type Table = [[u8; 16]; 256];

/// Half a part, and then by a bit for each of its eight bytes: the bytes whose bits are set.
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

/// By a bit for each of eight units of 16 bits: the units whose bits are set.
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

/// By a bit for each of eight pairs of bytes: the first byte of each pair, and the second where the bit is set.
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

/// By two bits for each of four quadruples of bytes: the first and the second byte of each where their bits are set, and the
/// third.
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

/// By a number of two bits for each of four quadruples of bytes: that many of the last bytes of each, and one more.
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

/// By a bit for each of four units of 32 bits: the units whose bits are set.
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

/// Returns the shuffle for the first eight bytes (`half` is 0) or the last eight (1), of which the lowest bits of `keep` have
/// one each.
#[inline(always)]
pub(super) fn kept_bytes(keep: u64, half: usize) -> &'static [u8; 16] {
    &KEPT_BYTES[half][(keep & 0xFF) as usize]
}

/// Returns the shuffle for eight units of 16 bits, of which the lowest bits of `keep` have one each.
#[inline(always)]
pub(super) fn kept_u16(keep: u64) -> &'static [u8; 16] {
    &KEPT_U16[(keep & 0xFF) as usize]
}

/// Returns the shuffle for four units of 32 bits, of which the lowest bits of `keep` have one each.
#[inline(always)]
pub(super) fn kept_u32(keep: u64) -> &'static [u8; 16] {
    &KEPT_U32[(keep & 0xF) as usize]
}

/// Returns the shuffle for four units of 32 bits, of which `keep` has two bits each: both are set, or none.
#[inline(always)]
pub(super) fn kept_u32_by_two_bits(keep: u64) -> &'static [u8; 16] {
    // Bring one bit of each two together.
    let bits = keep & 0x55;
    let bits = (bits | bits >> 1) & 0x33;
    kept_u32(bits | bits >> 2)
}

/// Returns the shuffle for eight pairs of bytes: all first bytes, and the second bytes for which `seconds` has a bit.
#[inline(always)]
pub(super) fn firsts_and_some_seconds(seconds: u64) -> &'static [u8; 16] {
    &STARTS_OF_TWO[(seconds & 0xFF) as usize]
}

/// Returns the shuffle for the ends of the first three of each four bytes. `keep` has a bit for each of the first two bytes.
#[inline(always)]
pub(super) fn ends_of_three(keep: u64) -> &'static [u8; 16] {
    &ENDS_OF_THREE[(keep & 0xFF) as usize]
}

/// Returns the shuffle for the ends of each four bytes. `more` has two bits for each: how many bytes belong to it besides the
/// last one.
#[inline(always)]
pub(super) fn ends_of_four(more: u64) -> &'static [u8; 16] {
    &ENDS_OF_FOUR[(more & 0xFF) as usize]
}

/// Brings the first bit of each two together: those of 16 bits in the lower half of the 16.
#[inline(always)]
pub(super) fn first_of_each_two(bits: u64) -> u64 {
    let bits = bits & 0x5555_5555_5555_5555;
    let bits = (bits | bits >> 1) & 0x3333_3333_3333_3333;
    let bits = (bits | bits >> 2) & 0x0F0F_0F0F_0F0F_0F0F;
    bits | bits >> 4
}

/// Brings the first two bits of each four together: those of 16 bits in the lower half of the 16.
#[inline(always)]
pub(super) fn first_two_of_each_four(bits: u64) -> u64 {
    let bits = bits & 0x3333_3333_3333_3333;
    let bits = (bits | bits >> 2) & 0x0F0F_0F0F_0F0F_0F0F;
    bits | bits >> 4
}

/// Returns how many of each four bits are ones, less one, in the lowest two of the four. The ones are at the upper end, and
/// there is at least one.
#[inline(always)]
pub(super) fn ones_at_end_of_four(bits: u64) -> u64 {
    // The other bits are 000, 100, 110 or 111, from the highest one down: 0 to 3. The middle bit is the upper bit of that number,
    // and the parity of all three is its lower one.
    (bits ^ bits >> 1 ^ bits >> 2) & 0x1111_1111_1111_1111 | bits & 0x2222_2222_2222_2222
}
