//! The loops of the AVX-512 kernel over long text, for all lengths, by induction over their steps. `steps.rs` says how, and `items.rs` what vectors
//! are here.
//!
//! Before each loop, the text is sound up to its place. The loop that skips ASCII has nothing cut off there. A sparse run has also listed words
//! after its place: those are not yet checked, and the others are ASCII. Runs of superblocks and of two-byte text are at most sixteen long, and
//! tried whole.

use std::cell::{Cell, RefCell};

use super::items::{Avx512, Item, Vector, find, forget, sound};
use crate::boundary::CONTEXT;
use crate::kernel::known::{Cut, Fact, Known};
use crate::kernel::lookup::loops::{
    Memory, answer_with, any_fault, ask, begin, ends_right, found_fault, known, place,
};
use crate::kernel::verdict::Verdict;
use crate::simd::Job;
use crate::steps::{explore, missed, stop};

pub(super) use super::BLOCK_BYTES;
pub(super) const GROUP_BYTES: usize = 8 * BLOCK_BYTES;
const CHUNK_BYTES: usize = 4 * GROUP_BYTES;
/// A word in context is checked with five bytes after it.
const AFTER_WORD_BYTES: usize = 5;

/// Some texts here are longer, and some are not.
const PREFETCH_FROM_BYTES: usize = 4000;
const AHEAD_BYTES: usize = 1000;

/// Where to begin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// The start of a text.
    Start,
    /// The loop that skips ASCII.
    Skip(usize),
    /// The loop over runs. The numbers are its place, that of the last dense kind, and the length of its run.
    Runs(usize, usize, usize, bool),
    /// The loop of a sparse run, at the start of the chunk that is listed. A character may be cut off if the first word is listed, or nothing was read.
    Sparse { start: usize, groups: usize, listed: usize, is_last: bool },
    /// The same, before the first chunk is listed. A character may be cut off there if no ASCII follows.
    FirstSparse(usize, bool),
}

/// Words of a chunk, in the order of the text.
type Words = Vec<usize>;

thread_local! {
    static STATE: Cell<State> = const { Cell::new(State::Start) };
    /// Whether the state is reached.
    static HAS_BEGUN: Cell<bool> = const { Cell::new(false) };
    /// What may be listed.
    static LISTS: RefCell<Vec<Words>> = const { RefCell::new(Vec::new()) };
    /// The words that are listed of this chunk, and where it begins.
    static CHUNK: Cell<Option<(usize, usize)>> = const { Cell::new(None) };
    /// Here is a byte that is not ASCII.
    static NOT_ASCII: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Returns the state that is to begin now, if it has not begun and is one of this loop.
fn begins(is_here: impl Fn(State) -> bool) -> Option<State> {
    let begins = !HAS_BEGUN.get() && is_here(STATE.get());
    if begins {
        HAS_BEGUN.set(true);
        answer_with(None);
    }
    begins.then(|| STATE.get())
}

/// Returns the first aligned place after a block.
fn first_place(bytes: &[u8]) -> usize {
    2 * BLOCK_BYTES - bytes.as_ptr().addr() % BLOCK_BYTES
}

/// Ends a path before a loop. The text must be sound up to its place, and this must be after the place where the path began, if that was in the
/// same loop.
fn arrive(at: usize, began: Option<usize>) -> Known {
    assert!(HAS_BEGUN.get(), "the loop is not reached");
    assert!(began.is_none_or(|began| at > began), "no step forward: {:?} to {at}", STATE.get());
    let now = known(|known| known.clone());
    assert!(at >= BLOCK_BYTES && now.extent() >= at, "something is left out before {at}: {now:?}");
    now
}

/// The loop that skips ASCII begins a step.
fn skip_step(at: &mut usize) {
    if let Some(State::Skip(from)) = begins(|state| matches!(state, State::Skip(_))) {
        *at = from;
        return known(|known| *known = Known::sound(from, Cut::Nothing));
    }
    let began = if let State::Skip(from) = STATE.get() { Some(from) } else { None };
    let now = arrive(*at, began);
    assert_eq!(now.cut(*at), Cut::Nothing, "{now:?}");
    stop()
}

/// The loop over runs begins a step.
fn runs_step(bytes: &[u8], at: &mut usize, dense: &mut usize, run: &mut usize, was_sparse: &mut bool) {
    if let Some(State::Runs(from, kind, len, sparse)) = begins(|state| matches!(state, State::Runs(..))) {
        (*at, *dense, *run, *was_sparse) = (from, kind, len, sparse);
        return known(|known| *known = sound(from));
    }
    let began = if let State::Runs(from, ..) = STATE.get() { Some(from) } else { None };
    arrive(*at, began);
    // What is aligned down from there has a block before it.
    assert!(*at >= first_place(bytes), "there is no block before the first aligned address");
    assert!(*run <= 16, "a run is tried up to this length");
    stop()
}

/// The loop of a sparse run begins a step.
fn sparse_step(
    bytes: &[u8],
    at: &mut usize,
    start: &mut usize,
    numbers: &mut Vector,
    count: &mut usize,
    is_last: &mut bool,
) {
    CHUNK.set(None);
    let is_here = |state| matches!(state, State::Sparse { .. } | State::FirstSparse(..));
    match begins(is_here) {
        Some(State::FirstSparse(from, cuts)) => {
            (*start, *at) = (from, from);
            NOT_ASCII.set(cuts.then_some(from));
            let cut = if cuts { Cut::Anything } else { Cut::Nothing };
            return known(|known| *known = Known::sound(from, cut));
        }
        Some(State::Sparse { start: from, groups, listed, is_last: last }) => {
            let words: Words = LISTS.with_borrow(|lists| lists[listed].clone());
            let end = from + groups * GROUP_BYTES;
            let may_cut = groups == 0 || words.first() == Some(&0);
            let cut = if may_cut { Cut::Anything } else { Cut::Nothing };
            let mut now = Known::sound(from, cut);
            now.learn(&ascii(from, groups * GROUP_BYTES / 8, &words));
            known(|known| *known = now);
            (*start, *at, *count, *is_last) = (from, end, words.len(), last);
            *numbers = Vector::of(words.iter().map(|word| Item::Number(*word as u8)).collect());
            return;
        }
        _ => {}
    }
    // Each chunk is after the one before it, and the first has eight blocks at least, for the loop over runs begins up to 63 bytes after the start.
    let began = match STATE.get() {
        State::Sparse { start, .. } => Some(start),
        State::FirstSparse(start, _) => {
            assert!(*at >= start + BLOCK_BYTES, "no step forward");
            None
        }
        _ => None,
    };
    let mut now = arrive(*start, began);
    let items = numbers.items();
    let words: Vec<_> = (0..*count)
        .map(|i| match items.get(i) {
            Some(Item::Number(number)) => usize::from(*number),
            _ => unreachable!("a word is not in the list"),
        })
        .collect();
    let (first, is_empty) = (words.contains(&0), at == start);
    let ends = now.cut(*start) == Cut::Nothing;
    assert!(
        first || ends || is_empty && (*is_last || NOT_ASCII.get() == Some(*start)),
        "a character may be cut off at {start}: {now:?}"
    );
    for word in words {
        let from = *start + 8 * word;
        assert!(from + 8 + AFTER_WORD_BYTES <= bytes.len(), "a word is not whole");
        now.learn(&[Fact::Checked(from, from + 8 + AFTER_WORD_BYTES)]);
    }
    assert!(now.extent() >= *at, "something is left out before {at}: {now:?}");
    assert!(is_empty || *is_last || *at - *start == CHUNK_BYTES, "a chunk is not whole");
    stop()
}

/// The sparse run has ended.
fn sparse_ends(at: usize) -> ! {
    let began = if let State::Sparse { start, .. } = STATE.get() { start } else { 0 };
    arrive(at, None);
    assert!(at >= began);
    stop()
}

/// Returns that words of `words` after `start` that are not listed are ASCII.
fn ascii(start: usize, words: usize, listed: &[usize]) -> Vec<Fact> {
    let mut facts = Vec::new();
    let mut from = 0;
    for word in listed.iter().copied().filter(|word| *word < words).chain([words]) {
        if word > from {
            facts.push(Fact::Ascii(start + 8 * from, start + 8 * word));
        }
        from = word + 1;
    }
    facts
}

/// Lists words of eight blocks, as `WordSearch::others` does.
fn others(eight: &[u8]) -> u64 {
    let at = place(eight).start;
    let (start, list) = CHUNK.get().unwrap_or_else(|| {
        let chunk = (at, ask(LISTS.with_borrow(Vec::len)));
        CHUNK.set(Some(chunk));
        chunk
    });
    let first = (at - start) / 8;
    let mut words: Words = LISTS.with_borrow(|lists| {
        lists[list].iter().filter_map(|word| word.checked_sub(first)).filter(|word| *word < 64).collect()
    });
    if let Some(place) =
        NOT_ASCII.get().and_then(|place| place.checked_sub(at)).filter(|place| *place < GROUP_BYTES)
    {
        words.push(place / 8);
        words.sort_unstable();
        words.dedup();
    }
    known(|known| known.learn(&ascii(at, 64, &words)));
    // Bit 8q + k is word q of block k.
    words.iter().fold(0, |all, word| all | 1 << (word % 8 * 8 + word / 8))
}

/// Returns whether a character is cut off before the last byte.
fn is_unfinished(first: &[u8]) -> bool {
    let (is_unfinished, at) = (ask(2) == 1, place(first).start + CONTEXT);
    if !is_unfinished {
        known(|known| known.learn(&[Fact::Ended(at)]));
    }
    is_unfinished
}

/// Returns whether the byte after an unfinished character is ASCII, which is a fault.
fn is_fault(first: &[u8]) -> bool {
    let is_fault = ask(2) == 1;
    if is_fault {
        found_fault();
    } else {
        NOT_ASCII.set(Some(place(first).start + CONTEXT));
    }
    is_fault
}

/// Returns whether the rules of two-byte text are enough.
fn allows_two_byte(eight: &[u8]) -> bool {
    let (allows, at) = (ask(2) == 1, place(eight).start + CONTEXT);
    if allows {
        known(|known| known.learn(&[Fact::AllowsTwoByte(at)]));
    }
    allows
}

mod blocks {
    use super::{Avx512, BLOCK_BYTES, Fact, Job, Verdict, any_fault, find, known};

    pub(super) use super::super::items::{Checker as BlockChecker, FaultBits};

    pub(super) fn first_faulty_block(_: Avx512, _: &[u8], at: usize) -> Verdict {
        find(at)
    }

    /// `by_blocks.rs` proves it. If less than a block is before its place, it reads all again.
    pub(super) struct CheckBlocks;

    impl Job<Avx512, usize, Verdict> for CheckBlocks {
        fn run(_: Avx512, bytes: &[u8], from: usize) -> Verdict {
            let from = if from < BLOCK_BYTES { 0 } else { from };
            known(|known| assert!(known.extent() >= from, "something is left out before {from}: {known:?}"));
            let any = any_fault(&[Fact::Checked(from, bytes.len()), Fact::Ended(bytes.len())]);
            if any { Verdict::suspect(from) } else { Verdict::VALID }
        }
    }
}

mod planes {
    pub(super) use super::super::planes::SUPERBLOCK_BYTES;
    use super::{Avx512, CONTEXT, Item, Vector, place};

    #[derive(Clone, Copy)]
    pub(super) struct Picks;

    impl Picks {
        pub(super) fn new(_: Avx512) -> Self {
            Self
        }
    }

    pub(super) fn planes(_: Avx512, _: Picks, text: &[u8; CONTEXT + SUPERBLOCK_BYTES]) -> usize {
        place(text).start + CONTEXT
    }

    pub(super) fn check_planes(_: Avx512, faults: Vector, from: usize) -> Vector {
        Vector::of([faults.items(), vec![Item::Faults(from, from + SUPERBLOCK_BYTES)]].concat())
    }
}

// `long.rs` as `runs_0`, and copies with one mistake each. build.rs makes them, and the list `RUNS`.
include!(concat!(env!("OUT_DIR"), "/runs.rs"));

/// The verdict on a text, and a sparse run from a place in it.
type Programs = [fn(&[u8], usize) -> Verdict; 2];

/// Tries all paths from a state, in a text of `n` bytes that begins `misaligned` bytes after a multiple of 64.
fn try_paths([whole, sparse]: Programs, n: usize, misaligned: usize, state: State, lists: &[Words]) {
    let mut memory = Memory(Vec::new());
    let text = &*memory.text(n, misaligned);
    LISTS.set(lists.to_vec());
    explore(|| {
        begin(text, sound(0), false);
        forget();
        STATE.set(state);
        HAS_BEGUN.set(state == State::Start);
        NOT_ASCII.set(None);
        // The loop that skips ASCII comes after blocks of ASCII, and the others after other text.
        answer_with(match state {
            State::Start => None,
            State::Skip(_) => Some(1),
            _ => Some(0),
        });
        let verdict = match state {
            State::Sparse { start: at, .. } | State::FirstSparse(at, _) => sparse(text, at),
            _ => whole(text, 0),
        };
        assert!(HAS_BEGUN.get(), "the loop is not reached");
        ends_right(verdict);
    });
}

/// Lists of words: none, the first, the last, those around a border of eight blocks, all that are accepted, and too many.
fn few_lists() -> Vec<Words> {
    let every = |by: usize, from: usize, to: usize| (from..to).step_by(by).collect();
    let ends = [vec![], vec![0], vec![255], vec![0, 63, 64, 127, 128, 191, 192, 255]];
    let all = [every(1, 0, 64), every(4, 3, 256), every(3, 0, 256), every(1, 0, 65), every(1, 0, 128)];
    let too_many = [every(1, 64, 85), every(1, 128, 149), every(2, 200, 256), every(1, 192, 212)];
    ends.into_iter().chain(all).chain(too_many).collect()
}

/// Each word, and each with the next one.
fn lists() -> Vec<Words> {
    let pairs = (0..255).flat_map(|word| [vec![word], vec![word, word + 1]]);
    few_lists().into_iter().chain(pairs).collect()
}

/// Returns whether a chunk may have this list. A list has at most 64 words, and 20 of eight blocks after the first.
fn may_be_listed(words: &[usize], groups: usize) -> bool {
    let of = |group: usize| words.iter().filter(|word| *word / 64 == group).count();
    words.len() <= 64 && (1..4).all(|group| of(group) <= 20) && words.iter().all(|word| *word < 64 * groups)
}

/// How many bytes are left at the loop over runs: all up to those of a few blocks, and around each number of superblocks and groups that a run may have.
fn rests(is_thorough: bool) -> Vec<usize> {
    if !is_thorough {
        return vec![0, 64, 300, 487, 488, 520, 1023, 1024, 1541, 2047, 2048, 2100, 2600, 4700, 8300];
    }
    let near =
        |k: usize| [488 * k - 1, 488 * k, 488 * k + 5, 512 * k - 1, 512 * k, 512 * k + 5, 512 * k + 69];
    (0..=80).chain(480..=600).chain((1..=18).flat_map(near)).collect()
}

fn all_texts(programs: Programs, is_thorough: bool) -> bool {
    let (few, by) = (few_lists(), if is_thorough { 1 } else { 37 });
    for misaligned in [0, 13] {
        (1..=700).step_by(by).for_each(|n| try_paths(programs, n, misaligned, State::Start, &few));
        let first = 2 * BLOCK_BYTES - misaligned;
        for at in [first, first + 4 * BLOCK_BYTES] {
            let rests = (0..=520).step_by(by).chain([2047, 2048, 2049, 3000]);
            rests
                .map(|rest| (at + rest).max(2 * BLOCK_BYTES))
                .for_each(|n| try_paths(programs, n, misaligned, State::Skip(at), &few));
        }
        let places = if is_thorough { vec![0, 1, 37, 63] } else { vec![0, 37] };
        for at in places.into_iter().map(|more| first + more) {
            for rest in rests(is_thorough) {
                for (run, was_sparse) in [(0, false), (1, true), (3, true), (8, false), (16, true)] {
                    // A long run needs a long text.
                    if run > 0 && rest < 900 {
                        continue;
                    }
                    for dense in [1, 2] {
                        let n = (at + rest).max(2 * BLOCK_BYTES);
                        let state = State::Runs(at, dense, run, was_sparse);
                        try_paths(programs, n, misaligned, state, &few);
                    }
                }
            }
        }
    }
    sparse_runs(programs, is_thorough)
}

/// The loop of a sparse run: with few lists of each chunk in texts of many lengths; with each list of the chunk before, or of the next.
fn sparse_runs(programs: Programs, is_thorough: bool) -> bool {
    let (few, start) = (few_lists(), 192);
    let near = |k: usize| [0, 4, 5, 6, 63].map(|more| k * GROUP_BYTES + more);
    for rest in (0..=4).flat_map(near).chain([3000, 6000]) {
        for cuts in [false, true] {
            let state = State::FirstSparse(start, cuts);
            try_paths(programs, start + CHUNK_BYTES + rest, 0, state, &few);
        }
        for groups in 0..=4 {
            for listed in (0..few.len()).filter(|list| may_be_listed(&few[*list], groups)) {
                for is_last in [false, true] {
                    if !is_last && groups < 4 {
                        continue;
                    }
                    let state = State::Sparse { start, groups, listed, is_last };
                    let n = start + groups * GROUP_BYTES + AFTER_WORD_BYTES + rest;
                    try_paths(programs, n, 0, state, &few);
                }
            }
        }
    }
    if is_thorough {
        let (all, n) = (lists(), start + 2 * CHUNK_BYTES + AFTER_WORD_BYTES);
        for listed in (0..all.len()).filter(|list| may_be_listed(&all[*list], 4)) {
            let lists = [few.clone(), vec![all[listed].clone()]].concat();
            let state = State::Sparse { start, groups: 4, listed: few.len(), is_last: false };
            try_paths(programs, n, 0, state, &lists);
        }
        for listed in 0..4 {
            let state = State::Sparse { start, groups: 4, listed, is_last: false };
            try_paths(programs, n, 0, state, &all);
        }
    }
    true
}

pub(crate) fn long_text_by_runs() -> bool {
    all_texts(RUNS[0].1, true)
}

/// Returns the mistakes that no step shows, and how many there are.
pub(crate) fn unnoticed() -> (Vec<&'static str>, usize) {
    (missed(RUNS, |programs| all_texts(programs, false)), RUNS.len() - 1)
}
