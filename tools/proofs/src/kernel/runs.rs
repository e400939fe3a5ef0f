//! Whether the loops of the AVX-512 kernel look at every byte. `coverage.rs` explains how.
//!
//! Here vectors know where their bytes come from. The loop by blocks at the end of a text counts as
//! one check of the rest.

use crate::boundary::{CONTEXT, LARGEST_AT_END};
use crate::kernel::coverage::{Coverage, Loops, load, long_text, with_coverage};
use crate::kernel::verdict::Verdict;
use crate::simd::{Job, Sealed, Token};
use crate::steps::missed;

pub(super) use super::BLOCK_BYTES;
pub(super) const GROUP_BYTES: usize = 8 * BLOCK_BYTES;

#[derive(Clone, Copy)]
pub(super) struct Avx512;

impl Sealed for Avx512 {}

impl Token for Avx512 {
    #[inline(never)]
    fn apart<J: Job<Self, M, O>, M, O>(self, _: J, bytes: &[u8], more: M) -> O {
        J::run(self, bytes, more)
    }
}

/// A vector, and the address of each of its quarters if they were loaded.
#[derive(Clone, Copy)]
pub(super) struct Vector([u8; 64], Option<[usize; 4]>);

impl Vector {
    fn of(lane: impl Fn(usize) -> u8) -> Self {
        Self(std::array::from_fn(lane), None)
    }
}

/// What the loops use of the instruction set.
impl Avx512 {
    #[inline(never)]
    fn load(self, bytes: &[u8], at: usize) -> Vector {
        self.load_by_sixteen(bytes, [at, at + 16, at + 32, at + 48])
    }

    #[inline(never)]
    fn load_by_sixteen(self, bytes: &[u8], places: [usize; 4]) -> Vector {
        let quarters = places.map(|at| &bytes[at..at + 16]);
        quarters.iter().for_each(|quarter| load(quarter));
        let lanes = std::array::from_fn(|lane| quarters[lane / 16][lane % 16]);
        Vector(lanes, Some(quarters.map(|quarter| quarter.as_ptr().addr())))
    }

    fn prefetch(self, _: &[u8], _: usize) {}

    fn zero(self) -> Vector {
        self.splat(0)
    }

    fn splat(self, byte: u8) -> Vector {
        Vector::of(|_| byte)
    }

    fn splat64(self, lanes: u64) -> Vector {
        Vector::of(|lane| lanes.to_le_bytes()[lane % 8])
    }

    #[inline(never)]
    fn ternary<const TABLE: i32>(self, a: Vector, b: Vector, c: Vector) -> Vector {
        Vector::of(|lane| {
            let bit = |byte: u8, k: u32| i32::from(byte >> k & 1);
            (0..8).fold(0, |all, k| {
                let row = bit(a.0[lane], k) << 2 | bit(b.0[lane], k) << 1 | bit(c.0[lane], k);
                all | u8::from(TABLE >> row & 1 == 1) << k
            })
        })
    }

    fn or(self, a: Vector, b: Vector) -> Vector {
        Vector::of(|lane| a.0[lane] | b.0[lane])
    }

    fn and(self, a: Vector, b: Vector) -> Vector {
        Vector::of(|lane| a.0[lane] & b.0[lane])
    }

    fn max(self, a: Vector, b: Vector) -> Vector {
        Vector::of(|lane| a.0[lane].max(b.0[lane]))
    }

    fn min(self, a: Vector, b: Vector) -> Vector {
        Vector::of(|lane| a.0[lane].min(b.0[lane]))
    }

    fn plus(self, a: Vector, b: Vector) -> Vector {
        Vector::of(|lane| a.0[lane].wrapping_add(b.0[lane]))
    }

    fn minus_saturating(self, a: Vector, b: Vector) -> Vector {
        Vector::of(|lane| a.0[lane].saturating_sub(b.0[lane]))
    }

    /// Only the check of two-byte text adds so. What it is given counts if all of eight blocks is of this kind.
    fn plus_signed_saturating(self, a: Vector, b: Vector) -> Vector {
        with_coverage(|coverage| coverage.candidates.extend(a.1.expect("text is loaded")));
        Vector::of(|lane| a.0[lane].cast_signed().saturating_add(b.0[lane].cast_signed()).cast_unsigned())
    }

    fn high_bits(self, v: Vector) -> u64 {
        v.0.iter().rev().fold(0, |mask, byte| mask << 1 | u64::from(byte >> 7))
    }

    fn not_zero(self, v: Vector) -> u64 {
        v.0.iter().rev().fold(0, |mask, &byte| mask << 1 | u64::from(byte != 0))
    }

    fn any_high_bit(self, v: Vector) -> bool {
        let any = !v.0.is_ascii();
        with_coverage(|coverage| {
            let candidates = std::mem::take(&mut coverage.candidates);
            for from in candidates.into_iter().filter(|_| !any) {
                let at = from - coverage.address;
                coverage.two_byte[at..at + 16].fill(true);
            }
        });
        any
    }

    fn any(self, _: Vector) -> bool {
        // The text is valid.
        false
    }

    #[inline(never)]
    fn pick_planes(self, planes: Vector, text: Vector) -> Vector {
        Vector::of(|at| {
            (0..8).fold(0, |all, k| {
                let picked = text.0[at / 8 * 8 + 7 - k] & planes.0[at];
                all | u8::from(picked.count_ones() % 2 == 1) << k
            })
        })
    }

    #[inline(never)]
    fn compress(self, v: Vector, mask: u64) -> Vector {
        let mut lanes = [0; 64];
        let kept = (0..64).filter(|lane| mask >> lane & 1 == 1).map(|lane| v.0[lane]);
        lanes.iter_mut().zip(kept).for_each(|(lane, byte)| *lane = byte);
        Vector(lanes, None)
    }

    fn append(self, v: Vector, len: usize, more: Vector) -> Vector {
        Vector::of(|lane| lane.checked_sub(len).map_or(v.0[lane], |lane| more.0[lane]))
    }

    fn split_four(self, v: Vector) -> ([u8; 4], Vector) {
        ([v.0[0], v.0[1], v.0[2], v.0[3]], Vector::of(|lane| v.0[(lane + 4) % 64]))
    }
}

/// Notes that a run asks whether a character is cut off before its first byte.
fn is_unfinished(first: &[u8; CONTEXT + 1]) -> bool {
    with_coverage(|coverage| coverage.ended[first.as_ptr().addr() + CONTEXT - coverage.address] = true);
    (0..CONTEXT).any(|i| first[i] > LARGEST_AT_END[29 + i])
}

mod blocks {
    use super::{Avx512, CONTEXT, Coverage, Job, Vector, Verdict, with_coverage};

    pub(super) struct BlockChecker;

    /// The quarters that were checked: their addresses, and whether the text before was known to the check.
    pub(super) struct FaultBits(Vec<(usize, bool)>, bool);

    /// Where the block before ends, or 0 if nothing is before.
    #[derive(Clone, Copy)]
    pub(super) struct Leads(usize);

    impl BlockChecker {
        pub(super) fn new(_: Avx512) -> Self {
            Self
        }

        pub(super) fn no_faults(&self) -> FaultBits {
            FaultBits(Vec::new(), false)
        }

        pub(super) fn no_leads(&self) -> Leads {
            Leads(0)
        }

        pub(super) fn check(&self, faults: &mut FaultBits, now: Vector, before: Leads) -> Leads {
            let mut before = before.0;
            for from in now.1.expect("text is loaded") {
                faults.0.push((from, from == before));
                before = from + 16;
            }
            Leads(before)
        }

        pub(super) fn of_words(&self, faults: FaultBits) -> FaultBits {
            FaultBits(faults.0, true)
        }

        /// The text is valid. Only from this look on does a check count.
        pub(super) fn any(&self, faults: &FaultBits) -> bool {
            with_coverage(|coverage| {
                for &(from, knows_before) in &faults.0 {
                    let at = from - coverage.address;
                    if faults.1 {
                        coverage.checked[at + CONTEXT..at + 16].fill(true);
                    } else {
                        note(coverage, at, at + 16, knows_before);
                    }
                }
            });
            false
        }
    }

    /// Notes a check. One that does not know the text before does not find out that ASCII cuts a character off.
    fn note(coverage: &mut Coverage, at: usize, end: usize, knows_before: bool) {
        let finds_all =
            knows_before || at == 0 || coverage.text[at - 1].is_ascii() || !coverage.text[at].is_ascii();
        coverage.checked[if finds_all { at } else { at + 1 }..end].fill(true);
    }

    pub(super) fn first_faulty_block(_: Avx512, _: &[u8], at: usize) -> Verdict {
        Verdict::suspect(at)
    }

    /// The loop by blocks looks at the leads before its place.
    pub(super) struct CheckBlocks;

    impl Job<Avx512, usize, Verdict> for CheckBlocks {
        fn run(_: Avx512, bytes: &[u8], from: usize) -> Verdict {
            with_coverage(|coverage| {
                coverage.checked[from..].fill(true);
                coverage.ended[bytes.len()] = true;
            });
            Verdict::VALID
        }
    }
}

mod planes {
    pub(super) use super::super::planes::SUPERBLOCK_BYTES;
    use super::{Avx512, CONTEXT, Vector, with_coverage};

    #[derive(Clone, Copy)]
    pub(super) struct Picks;

    impl Picks {
        pub(super) fn new(_: Avx512) -> Self {
            Self
        }
    }

    pub(super) fn planes(_: Avx512, _: Picks, text: &[u8; CONTEXT + SUPERBLOCK_BYTES]) -> usize {
        text.as_ptr().addr() + CONTEXT
    }

    pub(super) fn check_planes(_: Avx512, faults: Vector, from: usize) -> Vector {
        with_coverage(|coverage| {
            let at = from - coverage.address;
            coverage.checked[at..at + SUPERBLOCK_BYTES].fill(true);
        });
        faults
    }
}

// The loops as `runs_0`, and copies with one mistake each, listed in `RUNS`. build.rs makes them.
include!(concat!(env!("OUT_DIR"), "/runs.rs"));

pub(crate) fn long_text_by_runs() -> bool {
    long_text(RUNS[0].1, 1)
}

pub(crate) fn unnoticed() -> (Vec<&'static str>, usize) {
    (missed(RUNS, |validate| long_text(validate, 7)), RUNS.len() - 1)
}
