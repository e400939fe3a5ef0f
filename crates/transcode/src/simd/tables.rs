//! Shuffles of 16 bytes that move the kept bytes to the front, indexed by the mask of kept bytes.
//!
//! A table has 4 KiB. The one for 32-bit units has 256 bytes, and the one for bytes has 8 KiB. The
//! result of a shuffle is unspecified after the kept bytes.

#![forbid(unsafe_code)]

pub(super) type Table = [[u8; 16]; 256];

/// What a table's index means.
#[derive(Clone, Copy)]
enum Kept {
    /// A bit for each of the first eight bytes, or the last eight: keeps the bytes whose bits are
    /// set.
    FirstBytes,
    LastBytes,
    /// A bit for each of eight 16-bit units, or four 32-bit units: keeps the units whose bits are
    /// set.
    Units16,
    Units32,
    /// A bit for each of eight pairs of bytes: keeps the first byte of each pair, and the second if
    /// its bit is set.
    StartsOfTwo,
    /// Two bits for each of four quadruples of bytes: keeps the first and the second byte of each
    /// if their bits are set, and the third.
    EndsOfThree,
    /// Two bits for each of four quadruples of bytes: keeps the last byte of each, and the three,
    /// two, no or one before it for 0, 1, 2 or 3.
    EndsOfFour,
}

impl Kept {
    /// Returns whether a shuffle with this index keeps a byte.
    const fn keeps(self, index: usize, byte: usize) -> bool {
        match self {
            Self::FirstBytes => byte < 8 && index >> byte & 1 == 1,
            Self::LastBytes => byte >= 8 && index >> (byte - 8) & 1 == 1,
            Self::Units16 => index >> (byte / 2) & 1 == 1,
            Self::Units32 => index >> (byte / 4) & 1 == 1,
            Self::StartsOfTwo => byte & 1 == 0 || index >> (byte / 2) & 1 == 1,
            Self::EndsOfThree => byte % 4 == 2 || byte % 4 < 2 && index >> (byte / 4 * 2 + byte % 4) & 1 == 1,
            Self::EndsOfFour => byte % 4 + [3, 2, 0, 1][index >> (byte / 4 * 2) & 3] >= 3,
        }
    }

    const fn table<const N: usize>(self) -> [[u8; 16]; N] {
        let mut table = [[0; 16]; N];
        let mut index = 0;
        while index < N {
            let (mut byte, mut to) = (0, 0);
            while byte < 16 {
                if self.keeps(index, byte) {
                    table[index][to] = byte as u8;
                    to += 1;
                }
                byte += 1;
            }
            index += 1;
        }
        table
    }
}

pub(super) static KEPT_BYTES: [Table; 2] = [Kept::FirstBytes.table(), Kept::LastBytes.table()];
pub(super) static KEPT_U16: Table = Kept::Units16.table();
pub(super) static STARTS_OF_TWO: Table = Kept::StartsOfTwo.table();
pub(super) static ENDS_OF_THREE: Table = Kept::EndsOfThree.table();
pub(super) static ENDS_OF_FOUR: Table = Kept::EndsOfFour.table();
static KEPT_U32: [[u8; 16]; 16] = Kept::Units32.table();

/// Returns the shuffle with this index. Bits above the eighth do not count.
#[inline(always)]
pub(super) fn shuffle(table: &'static Table, index: u64) -> &'static [u8; 16] {
    &table[(index & 0xFF) as usize]
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
