//! The searches of trust8-counts, for texts of all lengths, by induction over their steps. `steps.rs` says how.
//!
//! What is sought is unknown here. All answers are tried that [`Sought`](../../../crates/counts/src/search/mod.rs) allows: whether a group is
//! suspected, where a vector has the first sought unit, and whether it leaves a sequence pending. The invariant: no unit before the loop's place is
//! sought, and `pending` is what the vector before it has left. A search ends right if its result is the first sought unit, or the end of the text.

use std::cell::RefCell;

use crate::kernel::known::{Cut, Known};
use crate::kernel::lookup::loops::{Memory, begin};
use crate::simd::asked::{Asked, Span};
use crate::simd::{Job, Token, Vectors};
use crate::steps::{choose, explore, missed, stop};

/// The library's traits of these names, as far as the loops need them.
pub(crate) trait SearchOps: Vectors<Vector = Span> {}
impl<const N: usize> SearchOps for Asked<N, true> {}

pub(crate) trait Engine: Token {}
impl<const N: usize> Engine for Asked<N, true> {}

/// What a path knows.
#[derive(Default)]
struct Run {
    len: usize,
    unit_bytes: usize,
    /// The state to begin with: the place, and what is pending there.
    begin: Option<(usize, u64)>,
    /// Where the step began.
    began: Option<usize>,
    /// No unit before it is sought, and this is pending there.
    extent: usize,
    pending: u64,
    /// From here to `extent`, nothing is pending at any place.
    calm_from: usize,
    /// How often something was left pending. The code passes it on without a look, so once is enough.
    left_pending: usize,
    /// The first sought unit, or the end of the text.
    found: Option<usize>,
    /// Whether the place was corrected for what is pending.
    is_placed: bool,
}

thread_local! {
    static RUN: RefCell<Run> = RefCell::default();
}

/// Returns whether some vectors may have a sought unit. If nothing is pending, and they have none, none of their bytes is part of a sequence.
fn is_suspected(vectors: &[Span]) -> bool {
    let whole = vectors.iter().map(|v| v.whole()).reduce(|all, next| {
        assert_eq!(all.end, next.start, "bytes are left out");
        all.start..next.end
    });
    let group = whole.expect("there are vectors");
    if choose(2) == 0 {
        return true;
    }
    RUN.with_borrow_mut(|run| {
        assert_eq!(group.start % run.unit_bytes, 0, "units are cut");
        assert!(group.start <= run.extent, "something is left out before {}", group.start);
        assert_eq!(run.pending, 0, "something is pending");
        if group.end > run.extent {
            (run.calm_from, run.extent) = (run.extent, group.end);
        }
    });
    false
}

/// Returns ones for the sought units of a vector of `lanes` bytes: none, or one byte of the first one and all after it.
fn places(now: Span, lanes: usize, pending: &mut u64) -> u64 {
    let now = now.whole();
    RUN.with_borrow_mut(|run| {
        let unit = run.unit_bytes;
        assert_eq!(run.found, None, "it was found before");
        assert_eq!(now.start % unit, 0, "units are cut");
        assert!(now.start <= run.extent, "something is left out before {}", now.start);
        let is_calm = run.calm_from <= now.start && now.start <= run.extent;
        let before = if is_calm && now.start < run.extent { 0 } else { run.pending };
        assert!(now.start == run.extent || is_calm, "it was searched before");
        assert_eq!(*pending, before, "something else is pending");
        // The zeros after the text are no part of it, and complete no sequence.
        let first = run.extent.max(now.start).min(now.start + lanes);
        let last = now.start + lanes - unit;
        let must_end = before != 0 && now.is_empty();
        let can_be_pending = now.len() == lanes && run.left_pending == 0 && now.end > run.extent;
        let candidates: Vec<usize> = if must_end { vec![now.end] } else { vec![first, last] };
        let candidates: Vec<usize> = candidates.into_iter().filter(|&at| first <= at && at <= last).collect();
        let others = if must_end { 0 } else { 1 + usize::from(can_be_pending) };
        let answer = choose(others + 2 * candidates.len());
        if answer < others {
            if now.end > run.extent {
                // What is pending is another word each time.
                let left = if answer == 1 { now.end as u64 * 2 + 1 } else { 0 };
                run.left_pending += answer;
                (run.extent, run.pending, run.calm_from) = (now.end, left, now.end);
                *pending = left;
            }
            return 0;
        }
        let (at, byte) = (candidates[(answer - others) / 2], [0, unit - 1][(answer - others) % 2]);
        run.found = Some(at.min(run.len));
        run.extent = run.extent.max(at.min(run.len));
        u64::MAX << (at - now.start + byte)
    })
}

/// Returns the place of what was found at `at`.
fn found(at: usize) -> usize {
    RUN.with_borrow_mut(|run| {
        assert_eq!(run.found, Some(at), "another unit was found");
        run.is_placed = true;
    });
    at
}

/// The loop over groups begins a step.
fn step(at: &mut usize, pending: &mut u64) {
    RUN.with_borrow_mut(|run| {
        if let Some(began) = run.began {
            assert!(*at > began && *at <= run.extent, "something is left out before {at}");
            let is_calm = run.calm_from <= *at && *at < run.extent;
            assert_eq!(*pending, if is_calm { 0 } else { run.pending }, "something else is pending");
            assert!(is_calm || *at == run.extent, "it was searched before");
            assert_eq!((*at % run.unit_bytes, run.found), (0, None));
            stop();
        }
        if let Some(begin) = run.begin {
            (*at, *pending) = begin;
            (run.extent, run.pending, run.calm_from) = (begin.0, begin.1, begin.0);
        }
        run.began = Some(*at);
    });
}

fn ends_right(result: usize) {
    RUN.with_borrow(|run| {
        assert!(run.begin.is_none() || run.began.is_some(), "the loop is not reached");
        match run.found {
            Some(at) => assert!(result == at && run.is_placed, "{at} was found"),
            None => {
                assert!(result == run.len && run.extent == run.len && run.pending == 0, "the end is left out")
            }
        }
    });
}

// `search/mod.rs`, and copies with one mistake each. build.rs makes them, and a list of them.
include!(concat!(env!("OUT_DIR"), "/search.rs"));

/// The length of a vector and of a unit; a search; and ones for the places of one byte in 64, given that byte.
type Searches = &'static [(usize, usize, fn(&[u8]) -> usize, fn(&[u8]) -> u64)];

/// Returns ones for the byte that is sought, whose place is the number of the state to begin with.
fn marked(now: Span, lanes: usize, pending: &mut u64) -> u64 {
    let start = now.whole().start;
    RUN.with_borrow(|run| {
        assert_eq!(*pending, start as u64, "something else is pending");
        *pending += lanes as u64;
        let sought = run.begin.expect("there is one").0;
        if (start..start + lanes).contains(&sought) { 1 << (sought - start) } else { 0 }
    })
}

/// Tries all paths from a state, or from the start of a text of `n` bytes.
fn try_paths(
    unit_bytes: usize,
    n: usize,
    misaligned: usize,
    state: Option<(usize, u64)>,
    work: impl Fn(&[u8]),
) {
    thread_local! {
        static MEMORY: RefCell<Memory> = const { RefCell::new(Memory(Vec::new())) };
    }
    MEMORY.with_borrow_mut(|memory| {
        let text = &*memory.text(n, misaligned);
        begin(text, Known::sound(0, Cut::Nothing), false);
        explore(|| {
            RUN.set(Run { len: n, unit_bytes, begin: state, ..Run::default() });
            work(text);
        });
    });
}

/// Texts of up to 300 bytes from start to end; longer ones at other addresses up to the loop; and a step of the loop with each rest of up to two
/// groups, near a multiple of vectors.
fn all_texts(searches: Searches) -> bool {
    for &(lanes, unit, search, places) in searches {
        let search = |text: &[u8]| ends_right(search(text));
        (0..=300).step_by(unit).for_each(|n| try_paths(unit, n, 0, None, search));
        for misaligned in [1, 2, 4, lanes - 1] {
            [256, 400, 512, 600].into_iter().for_each(|n| try_paths(unit, n, misaligned, None, search));
        }
        let rests = (0..=512).step_by(lanes).flat_map(|rest| [rest, rest + unit, rest + lanes - unit]);
        for (at, rest) in [256, 4092].into_iter().flat_map(|at| rests.clone().map(move |rest| (at, rest))) {
            [0, 1].into_iter().for_each(|pending| try_paths(unit, at + rest, 0, Some((at, pending)), search));
        }
        for (n, sought) in (0..=130).flat_map(|n| (0..=n + 16).map(move |sought| (n, sought))) {
            try_paths(unit, n, 0, Some((sought, 0)), |text| {
                let expected = if sought < n.min(64) { 1 << sought } else { 0 };
                assert_eq!(places(text), expected, "{sought} of {n}");
            });
        }
    }
    true
}

pub(crate) fn searches() -> bool {
    all_texts(SEARCH[0].1)
}

/// Returns the mistakes that no step shows, and how many there are.
pub(crate) fn unnoticed() -> (Vec<&'static str>, usize) {
    (missed(SEARCH, all_texts), SEARCH.len() - 1)
}
