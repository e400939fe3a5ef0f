//! Which bytes of a given text the loops of the AVX-512 kernel look at.
//!
//! The loops run on well-formed texts, with a check that computes no faults but notes its bytes. After each run, a byte must have been given to a
//! check with its context, unless it is ASCII and follows ASCII, or is of a block that was found to be two-byte text.

use std::cell::{Cell, RefCell};
use std::ops::Range;

use super::verdict::Verdict;
use crate::boundary::{CONTEXT, allows_two_byte, array_at};

const BLOCK_BYTES: usize = 64;

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
    /// Sixteen bytes from each of these addresses may be found to be text of one and two bytes.
    pub(crate) candidates: Vec<usize>,
    /// How many loads there have been.
    loads: usize,
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
    with_place(bytes, |coverage, _| {
        coverage.loads += 1;
        assert!(coverage.loads <= coverage.checked.len() + 100, "the loop does not end");
    });
}

pub(crate) type Loops = fn(&[u8]) -> Verdict;

/// Returns what a run has not looked at: a place, or the length for the end.
fn overlooked(validate: Loops, text: &[u8]) -> Option<usize> {
    let n = text.len();
    COVERAGE.set(Some(Coverage {
        address: text.as_ptr().addr(),
        text: text.to_vec(),
        candidates: Vec::new(),
        checked: vec![false; n],
        two_byte: vec![false; n],
        ended: vec![false; n + 1],
        loads: 0,
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
                && (at < CONTEXT || array_at::<CONTEXT>(text, at - CONTEXT).is_some_and(allows_two_byte))
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
    let mut looks_at =
        |kind: &dyn Fn(usize) -> usize| overlooked(validate, memory.text(n, misaligned, kind)).is_none();
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

/// The loops for long text: every length from 256 to 1,300, or one in `thin`, and some lengths of more chunks.
pub(crate) fn long_text(validate: Loops, thin: usize) -> bool {
    let mut memory = Memory::new(13_000);
    (256..=1300).step_by(thin).all(|n| looks_at_texts(validate, &mut memory, n, 43))
        && (4100..=4500).step_by(17 * thin).all(|n| looks_at_texts(validate, &mut memory, n, 211))
        && [8300, 8513, 12_550, 12_800].iter().all(|&n| looks_at_texts(validate, &mut memory, n, 401))
}
