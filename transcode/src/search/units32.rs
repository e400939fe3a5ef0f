//! Operations on 32-bit units, which a search in UTF-32 needs besides [`SearchOps`].

#![forbid(unsafe_code)]

use trust8::engine::Automaton;
use trust8::engine::search::SearchOps;

/// Vectors of 32-bit units. All numbers are unsigned.
pub(crate) trait Units32: SearchOps {
    /// Returns `a - b`, modulo 2^32.
    fn minus32(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns the larger numbers.
    fn max32(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Reverses the bytes of each unit.
    fn reversed32(self, v: Self::Vector) -> Self::Vector;

    /// Returns `(v ^ bits) - number`, modulo 2^32.
    #[inline(always)]
    fn xor_minus32(self, v: Self::Vector, bits: Self::Vector, number: Self::Vector) -> Self::Vector {
        self.minus32(self.and_xor(v, self.splat(0xFF), bits), number)
    }
}

impl Units32 for Automaton {
    #[inline(always)]
    fn minus32(self, a: [u8; 16], b: [u8; 16]) -> [u8; 16] {
        let (a, b) = (units32(a), units32(b));
        bytes32(core::array::from_fn(|i| a[i].wrapping_sub(b[i])))
    }

    #[inline(always)]
    fn max32(self, a: [u8; 16], b: [u8; 16]) -> [u8; 16] {
        let (a, b) = (units32(a), units32(b));
        bytes32(core::array::from_fn(|i| a[i].max(b[i])))
    }

    #[inline(always)]
    fn reversed32(self, v: [u8; 16]) -> [u8; 16] {
        bytes32(units32(v).map(u32::swap_bytes))
    }
}

/// Returns the positions from which [`Units32::reversed32`] takes bytes, for lookups in tables of
/// `TABLE` bytes.
#[cfg(trust8_simd)]
pub(crate) const fn reversed_places<const TABLE: usize>() -> [u8; 64] {
    let mut places = [0; 64];
    let mut at = 0;
    while at < 64 {
        places[at] = ((at % TABLE) ^ 3) as u8;
        at += 1;
    }
    places
}

/// Returns four numbers.
#[inline(always)]
fn units32(bytes: [u8; 16]) -> [u32; 4] {
    core::array::from_fn(|i| u32::from_ne_bytes(core::array::from_fn(|j| bytes[4 * i + j])))
}

/// Returns the bytes of four numbers.
#[inline(always)]
fn bytes32(units: [u32; 4]) -> [u8; 16] {
    core::array::from_fn(|i| units[i / 4].to_ne_bytes()[i % 4])
}

#[cfg(test)]
mod tests {
    use trust8::engine::Job;

    use super::*;

    /// Compares the operations with a model on arrays, with numbers whose differences borrow from
    /// each byte.
    struct Model;

    impl<E: Units32> Job<E, (), ()> for Model {
        fn run(v: E, _: &[u8], (): ()) {
            const EDGES: [u32; 12] =
                [0, 1, 0x7F, 0x80, 0xFF, 0x100, 0xD800, 0xFFFF, 0x10000, 0x10_FFFF, 0x7FFF_FFFF, u32::MAX];
            let bytes = |numbers: [u32; 16]| -> [u8; 64] {
                core::array::from_fn(|i| numbers[i / 4].to_ne_bytes()[i % 4])
            };
            // Compares each lane with a vector of the expected bytes.
            let same = |found: E::Vector, expected: [u32; 16], what: &str| {
                let ones = v.bits(v.equal(found, v.load(&bytes(expected), 0)));
                let all = u64::MAX >> (64 - E::LANES);
                assert_eq!(ones & all, all, "{what}: {expected:08X?}");
            };
            for first in 0..EDGES.len() {
                for second in 0..EDGES.len() {
                    let a = core::array::from_fn(|i| EDGES[(first + i) % EDGES.len()]);
                    let b = core::array::from_fn(|i| EDGES[(second + 5 * i) % EDGES.len()]);
                    let of = |operation: fn(u32, u32) -> u32| core::array::from_fn(|i| operation(a[i], b[i]));
                    let (x, y) = (v.load(&bytes(a), 0), v.load(&bytes(b), 0));
                    same(v.minus32(x, y), of(u32::wrapping_sub), "minus32");
                    same(v.max32(x, y), of(u32::max), "max32");
                    same(v.reversed32(x), a.map(u32::swap_bytes), "reversed32");
                    same(
                        v.xor_minus32(x, y, x),
                        core::array::from_fn(|i| (a[i] ^ b[i]).wrapping_sub(a[i])),
                        "xor_minus32",
                    );
                }
            }
        }
    }

    #[test]
    fn all_operations_of_all_instruction_sets() {
        for kernel in trust8::Kernel::available() {
            kernel.run(Model, &[], ());
        }
    }
}
