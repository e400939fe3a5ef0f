//! Whether the loops of the lookups look at every byte.
//!
//! The loops are compiled here once more, with a check instead of `check.rs` that computes no faults: it notes which bytes it was
//! given. That a check of these bytes finds their faults is proved elsewhere. The loops run on well-formed texts. After each run,
//! a byte must have been given to a check with its context, unless it is ASCII and follows ASCII. A loop that skips what it has
//! not looked at is found out by a text that has another character there.

use std::cell::{Cell, RefCell};
use std::ops::Range;

use super::check::BLOCK_BYTES;
use crate::boundary::{CONTEXT, LARGEST_AT_END, allows_two_byte, array_at};
use crate::kernel::verdict::Verdict;
use crate::simd::Job;
use crate::simd::traced::Traced;

/// What is known of a text during a run.
pub(crate) struct Coverage {
    pub(crate) address: usize,
    pub(crate) text: Vec<u8>,
    /// Bytes that were checked with their context.
    pub(crate) checked: Vec<bool>,
    /// Bytes of blocks that were found to be well-formed text of one and two bytes, if no longer character reaches in.
    pub(crate) two_byte: Vec<bool>,
    /// Places before which no character may be cut off.
    pub(crate) ended: Vec<bool>,
    /// Places before which no character of more than two bytes may be cut off.
    ended_longer: Vec<bool>,
    /// Sixteen bytes from each of these addresses may be found to be text of one and two bytes.
    pub(crate) candidates: Vec<usize>,
    /// The bytes of the last load.
    last_load: Range<usize>,
    /// How many loads there have been.
    loads: usize,
    /// How many checks are to come before one that is left out.
    until_left_out: usize,
}

thread_local! {
    static COVERAGE: RefCell<Option<Coverage>> = const { RefCell::new(None) };
}

/// Calls `note` with what is known.
pub(crate) fn with_coverage(note: impl FnOnce(&mut Coverage)) {
    COVERAGE.with_borrow_mut(|coverage| note(coverage.as_mut().expect("a loop runs")));
}

/// Calls `note` with what is known, if the loops run, and with the place of `bytes` in the text.
fn with_place(bytes: &[u8], note: impl FnOnce(&mut Coverage, Range<usize>)) {
    COVERAGE.with_borrow_mut(|coverage| {
        let Some(coverage) = coverage else { return };
        let at = bytes.as_ptr().addr().wrapping_sub(coverage.address);
        // A table is no text.
        if at.checked_add(bytes.len()).is_some_and(|end| end <= coverage.checked.len()) {
            note(coverage, at..at + bytes.len());
        }
    });
}

/// Notes a load.
pub(crate) fn load(bytes: &[u8]) {
    with_place(bytes, |coverage, place| {
        coverage.last_load = place;
        coverage.loads += 1;
        assert!(coverage.loads <= coverage.checked.len() + 100, "the loop does not end");
    });
}

fn last_load() -> Range<usize> {
    COVERAGE.with_borrow(|coverage| coverage.as_ref().expect("a loop runs").last_load.clone())
}

mod check {
    use std::marker::PhantomData;
    use std::ops::Range;

    pub(super) use super::super::check::BLOCK_BYTES;
    use super::{CONTEXT, COVERAGE, LARGEST_AT_END, last_load, with_place};
    use crate::simd::Simd;

    pub(super) struct Checker<S: Simd> {
        pub(super) s: S,
    }

    impl<S: Simd> Clone for Checker<S> {
        fn clone(&self) -> Self {
            *self
        }
    }
    impl<S: Simd> Copy for Checker<S> {}

    /// What was checked since the last test for faults.
    pub(super) struct FaultBits<S: Simd> {
        checked: Vec<Range<usize>>,
        ended: Vec<(usize, bool)>,
        of: PhantomData<S>,
    }

    impl<S: Simd> FaultBits<S> {
        pub(super) fn first_lanes(self, _: S, _: usize) -> Self {
            unreachable!("nothing is shown of streams")
        }
    }

    /// Where the vector before ends.
    pub(super) struct Before<S: Simd>(usize, PhantomData<S>);

    impl<S: Simd> Checker<S> {
        pub(super) fn new(s: S) -> Self {
            Self { s }
        }

        pub(super) fn no_faults(&self) -> FaultBits<S> {
            FaultBits { checked: Vec::new(), ended: Vec::new(), of: PhantomData }
        }

        /// The place is not known, unless it is the start of a text.
        pub(super) fn ending_in(&self, before: [u8; 4]) -> Before<S> {
            Before(if before == [0; 4] { 0 } else { usize::MAX }, PhantomData)
        }

        /// The text is valid. Only from this look on does a check count.
        pub(super) fn any(&self, faults: &FaultBits<S>) -> bool {
            COVERAGE.with_borrow_mut(|coverage| {
                let coverage = coverage.as_mut().expect("a loop runs");
                for range in &faults.checked {
                    coverage.until_left_out = coverage.until_left_out.wrapping_sub(1);
                    if coverage.until_left_out != usize::MAX {
                        coverage.checked[range.clone()].fill(true);
                    }
                }
                for &(at, is_whole) in &faults.ended {
                    coverage.ended_longer[at] = true;
                    coverage.ended[at] |= is_whole;
                }
            });
            false
        }

        pub(super) fn check_after(
            &self,
            faults: &mut FaultBits<S>,
            _: S::Vector,
            before: Before<S>,
        ) -> Before<S> {
            let place = last_load();
            assert_eq!(place.start, before.0, "the vector before is another one");
            let end = place.end;
            // Zeros follow a text that does not fill a vector.
            if place.len() < S::LANES {
                faults.ended.push((end, true));
            }
            faults.checked.push(place);
            Before(end, PhantomData)
        }

        pub(super) fn check_at_without_panic(&self, faults: &mut FaultBits<S>, bytes: &[u8], at: usize) {
            assert!(at >= CONTEXT, "there is no context");
            with_place(&bytes[at..at + S::LANES], |_, place| faults.checked.push(place));
        }

        pub(super) fn check_block(&self, faults: &mut FaultBits<S>, block: &[u8; CONTEXT + BLOCK_BYTES]) {
            self.check_all_after(faults, block, &mut self.ending_in([1; 4]));
        }

        pub(super) fn check_all_after(
            &self,
            faults: &mut FaultBits<S>,
            text: &[u8; CONTEXT + BLOCK_BYTES],
            before: &mut Before<S>,
        ) {
            with_place(text, |_, place| {
                let from = place.start + CONTEXT;
                assert!([usize::MAX, from].contains(&before.0), "the vector before is another one");
                *before = Before(place.end, PhantomData);
                faults.checked.push(from..place.end);
            });
        }

        pub(super) fn check_end(
            &self,
            faults: &mut FaultBits<S>,
            _: S::Vector,
            ends: &[u8; 64],
            may_continue: bool,
        ) {
            if !may_continue {
                faults.ended.push((last_load().end, ends == LARGEST_AT_END));
            }
        }
    }
}

mod fault {
    use crate::kernel::verdict::Verdict;

    pub(super) fn find_fault<S>(_: S, _: &[u8], at: usize) -> Verdict {
        Verdict::suspect(at)
    }
}

mod ascii {
    pub(super) use super::super::ascii::{is_all_ascii, is_ascii_at, or_of, or_of_all};
}

mod short {
    pub(super) use super::super::short::TEST_VECTORS_EVERY_BYTES;
}

mod filter {
    use super::super::filter;
    pub(super) use super::super::filter::{ROW_BYTES, is_block_below_e0, not_ascii};
    use super::{BLOCK_BYTES, CONTEXT, with_place};
    use crate::simd::Simd;

    /// Notes a row of text of one and two bytes.
    pub(super) fn is_two_byte<S: Simd>(s: S, row: &[u8; CONTEXT + ROW_BYTES], ahead: usize) -> bool {
        let is_two_byte = filter::is_two_byte(s, row, ahead);
        if is_two_byte {
            with_place(&row[CONTEXT..], |coverage, place| coverage.two_byte[place].fill(true));
        }
        is_two_byte
    }

    /// Notes the blocks that the list leaves out. They are text of one and two bytes.
    pub(super) fn not_two_byte<S: Simd>(s: S, chunk: &[u8], ahead: usize) -> (u64, bool) {
        let (list, has_overlong) = filter::not_two_byte(s, chunk, ahead);
        let blocks = chunk[CONTEXT..].chunks_exact(BLOCK_BYTES).enumerate();
        blocks.filter(|(i, _)| list >> i & 1 == 0).for_each(|(_, block)| {
            with_place(block, |coverage, place| coverage.two_byte[place].fill(true));
        });
        (list, has_overlong)
    }
}

// The loops, as `short_0` and `long_0`, and copies with one mistake each. build.rs makes them, and the lists `SHORT` and `LONG`.
include!(concat!(env!("OUT_DIR"), "/short.rs"));
include!(concat!(env!("OUT_DIR"), "/long.rs"));

pub(crate) type Loops = fn(&[u8]) -> Verdict;

/// Returns what a run has not looked at: a place, or the length for the end. `left_out` is the number of a check that is not counted.
fn overlooked(validate: Loops, text: &[u8], left_out: usize) -> Option<usize> {
    let n = text.len();
    COVERAGE.set(Some(Coverage {
        address: text.as_ptr().addr(),
        text: text.to_vec(),
        candidates: Vec::new(),
        checked: vec![false; n],
        two_byte: vec![false; n],
        ended: vec![false; n + 1],
        ended_longer: vec![false; n + 1],
        last_load: 0..0,
        loads: 0,
        until_left_out: left_out,
    }));
    let verdict = validate(text);
    let coverage = COVERAGE.take()?;
    let is_whole = std::str::from_utf8(text).is_ok();
    if !verdict.is_valid() {
        // Only the end may be wrong.
        return is_whole.then_some(n);
    }
    if !is_whole && !coverage.ended[n] {
        return Some(n);
    }
    (0..n).find(|&at| {
        let follows_ascii = at == 0 || text[at - 1].is_ascii();
        let is_two_byte = || {
            coverage.two_byte[at]
                && (at < CONTEXT
                    || coverage.ended_longer[at - (CONTEXT - 1)..=at].contains(&true)
                    || array_at::<CONTEXT>(text, at - CONTEXT).is_some_and(allows_two_byte))
        };
        let is_looked_at = coverage.checked[at]
            || text[at].is_ascii() && (follows_ascii || coverage.ended[at])
            || is_two_byte();
        !is_looked_at
    })
}

const KINDS: [&str; 4] = ["a", "\u{E9}", "\u{20AC}", "\u{1F600}"];

/// Memory for texts.
struct Memory(Vec<u8>);

impl Memory {
    fn new(len: usize) -> Self {
        Self(vec![0; len + 192])
    }

    /// Returns text of `n` bytes at an address that is `misaligned` bytes after a multiple of 64. `kind` says what kind of character comes
    /// at a place. The end may cut off the last one.
    fn text(&mut self, n: usize, misaligned: usize, kind: impl Fn(usize) -> usize) -> &[u8] {
        let skip = self.0.as_ptr().addr().wrapping_neg() % 64 + misaligned;
        let memory = &mut self.0[skip..];
        let mut at = 0;
        while at < n {
            let character = KINDS[kind(at)].as_bytes();
            memory[at..][..character.len()].copy_from_slice(character);
            at += character.len();
        }
        &memory[..n]
    }
}

/// Runs the loops on texts of `n` bytes: of each kind, with another kind at each of some places, for 1, 66 and all bytes; and on texts whose
/// blocks are of all kinds. Returns whether all of each is looked at.
fn looks_at_texts(validate: Loops, memory: &mut Memory, n: usize, step: usize) -> bool {
    let misaligned = 13 * n % 64;
    let mut looks_at = |kind: &dyn Fn(usize) -> usize| {
        overlooked(validate, memory.text(n, misaligned, kind), usize::MAX).is_none()
    };
    let two_kinds = (0..16).map(|pair| (pair / 4, pair % 4)).all(|(most, other)| {
        (n % step..n).step_by(step).all(|at| {
            let lengths: &[usize] = if most == other { &[0] } else { &[1, 66, n] };
            lengths
                .iter()
                .all(|len| looks_at(&|place| if (at..at + len).contains(&place) { other } else { most }))
        })
    });
    // A sparse run of the AVX-512 kernel needs the larger distance.
    let mut distances = [83, 211].into_iter().flat_map(|distance| (0..16).map(move |pair| (distance, pair)));
    let now_and_then = distances.all(|(distance, pair)| {
        let next = Cell::new(0);
        looks_at(&|place| {
            let is_other = place >= next.get();
            next.set(if is_other { place + distance } else { next.get() });
            if is_other { pair / 4 } else { pair % 4 }
        })
    });
    // The kinds of blocks are the digits of numbers, so that all short sequences of kinds come.
    two_kinds
        && now_and_then
        && (0..64).all(|number| {
            looks_at(&|place| {
                let block = place / BLOCK_BYTES;
                number * (block + 1) * (block + 3) / 3 % 4
            })
        })
}

/// The loops for short text, at all lengths to 300.
fn short_text(validate: Loops) -> bool {
    let mut memory = Memory::new(300);
    (4..=300).all(|n| looks_at_texts(validate, &mut memory, n, 1))
}

pub(crate) fn short_text_of_16() -> bool {
    short_text(|text| short_0::check_short(Traced::<16>, text))
}

pub(crate) fn short_text_of_32() -> bool {
    short_text(SHORT[0].1)
}

/// The loops for long text: every length from 256 to 1,300, or one in `thin`, and some lengths of more chunks.
pub(crate) fn long_text(validate: Loops, thin: usize) -> bool {
    let mut memory = Memory::new(13_000);
    (256..=1300).step_by(thin).all(|n| looks_at_texts(validate, &mut memory, n, 43))
        && (4100..=4500).step_by(17 * thin).all(|n| looks_at_texts(validate, &mut memory, n, 211))
        && [8300, 8513, 12_550, 12_800].iter().all(|&n| looks_at_texts(validate, &mut memory, n, 401))
}

pub(crate) fn long_text_of_16() -> bool {
    long_text(|text| long_0::CheckLong::run(Traced::<16>, text, ()), 3)
}

pub(crate) fn long_text_of_32() -> bool {
    long_text(LONG[0].1, 1)
}

/// Whether it is noticed if one check of dense text is left out. Each check is the only one of some byte.
pub(crate) fn a_check_that_is_left_out() -> bool {
    // The head has four vectors. Ten or sixteen blocks come after it, and the block that ends with the text.
    [(771, 15), (1155, 21)].iter().all(|&(n, checks)| {
        let mut memory = Memory::new(n);
        let text = memory.text(n, 0, |_| 2);
        (0..checks).all(|left_out| overlooked(LONG[0].1, text, left_out).is_some())
            && overlooked(LONG[0].1, text, checks).is_none()
    })
}

/// Returns the mistakes in a list of loops for which a statement holds all the same.
pub(crate) fn missed(loops: &[(&'static str, Loops)], holds: fn(Loops) -> bool) -> Vec<&'static str> {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    // A mistake may make an index fall out of range.
    let holds = |validate| std::panic::catch_unwind(|| holds(validate)).unwrap_or(false);
    let missed = loops[1..].iter().filter(|(_, validate)| holds(*validate)).map(|&(what, _)| what).collect();
    std::panic::set_hook(hook);
    missed
}

/// Returns the mistakes that no run shows, and how many there are.
pub(crate) fn unnoticed() -> (Vec<&'static str>, usize) {
    let all = [missed(SHORT, short_text), missed(LONG, |validate| long_text(validate, 7))].concat();
    (all, SHORT.len() + LONG.len() - 2)
}
