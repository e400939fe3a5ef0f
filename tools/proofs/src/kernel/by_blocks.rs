//! The loop by blocks of the AVX-512 kernel, for texts of all lengths, by induction over its steps. `steps.rs` says how.

use std::cell::Cell;

use super::BLOCK_BYTES;
use super::items::{Avx2, Avx512, Checker, FaultBits, Item, Leads, Vector, ends, find, forget, leads, sound};
use crate::kernel::known::{Cut, Fact};
use crate::kernel::lookup::loops::{begin, ends_right, known, search_from};
use crate::kernel::verdict::Verdict;
use crate::steps::{explore, missed, stop};

thread_local! {
    /// Where to begin; `None` if the path has begun.
    static STATE: Cell<Option<State>> = const { Cell::new(None) };
    /// Where the path began.
    static BEGAN: Cell<usize> = const { Cell::new(0) };
}

/// The state of the loop. The text is sound up to `tested`. If there are no faults, the bytes from there to `checked` are checked, then there is
/// ASCII up to `ascii`, and then blocks are checked up to `at`, with nothing before them.
#[derive(Clone, Copy, Debug)]
struct State {
    tested: usize,
    checked: usize,
    ascii: usize,
    at: usize,
}

/// The loop of `CheckBlocks` begins a step.
fn step<'a>(
    bytes: &'a [u8],
    left: &mut &'a [u8],
    before: &mut Leads,
    untested: &mut usize,
    cut_off: &mut Leads,
    faults: &mut FaultBits,
) {
    let n = bytes.len();
    if let Some(State { tested, checked, ascii, at }) = STATE.take() {
        (*left, *untested) = (&bytes[at..], n - tested);
        *faults = FaultBits(Vec::new());
        if checked > tested {
            faults.0.push(Fact::Checked(tested, checked));
        }
        let mut now = sound(tested);
        if ascii > checked {
            now.learn(&[Fact::Ascii(checked, ascii)]);
            *cut_off = leads(checked);
            if at > ascii {
                faults.0.push(Fact::CheckedAlone(ascii, at));
            }
        } else {
            *cut_off = leads(0);
        }
        *before = leads(if ascii > checked && at == ascii { 0 } else { at });
        known(|known| *known = now);
        BEGAN.set(at);
        return;
    }
    let at = n - left.len();
    assert!(at > BEGAN.get() || BEGAN.get() == usize::MAX, "no step forward");
    let mut unfaulted = known(|known| known.clone());
    assert!(unfaulted.extent() >= n - *untested, "it is not known what was tested: {unfaulted:?}");
    unfaulted.learn(&faults.0);
    unfaulted.learn(&ends(*cut_off));
    assert!(unfaulted.extent() >= at, "something is left out before {at}: {unfaulted:?}");
    match before.0.items()[..] {
        [] => assert_eq!(unfaulted.cut(at), Cut::Nothing, "{unfaulted:?}"),
        [Item::Leads(before)] => assert_eq!(before, at),
        _ => unreachable!("it is no block"),
    }
    stop()
}

/// The loop of `FirstFaultyBlock` begins a step. The text is sound up to its place.
fn search_step<'a>(bytes: &'a [u8], left: &mut &'a [u8], before: &mut Leads) {
    if let Some(State { at, .. }) = STATE.take() {
        (*left, *before) = (&bytes[at..], leads(at));
        known(|known| *known = sound(at));
        BEGAN.set(at);
        return;
    }
    let at = bytes.len() - left.len();
    assert!(at > BEGAN.get() || BEGAN.get() == usize::MAX, "no step forward");
    assert_eq!(before.0.items(), leads(at).0.items());
    search_from(at);
    stop()
}

/// The loop of `piece_in_blocks_continues` begins a step. If there are no faults, the text is sound up to its place; without leads, the block
/// before is ASCII.
fn piece_step<'a>(
    bytes: &'a [u8],
    left: &mut &'a [u8],
    before: &mut Leads,
    earlier: &mut Vector,
    faults: &mut FaultBits,
) {
    if let Some(State { at, ascii, .. }) = STATE.take() {
        *left = &bytes[at - BLOCK_BYTES..];
        *earlier = Vector::of(vec![Item::Text(at - BLOCK_BYTES, at)]);
        *faults = FaultBits(vec![Fact::Checked(BLOCK_BYTES, at)]);
        *before = leads(if ascii == at { 0 } else { at });
        let mut now = sound(BLOCK_BYTES);
        if ascii == at {
            now.learn(&[Fact::Ascii(at - BLOCK_BYTES, at)]);
        }
        known(|known| *known = now);
        BEGAN.set(at);
        return;
    }
    let at = BLOCK_BYTES + bytes.len() - left.len();
    assert!(at > BEGAN.get() || BEGAN.get() == usize::MAX, "no step forward");
    let mut unfaulted = known(|known| known.clone());
    unfaulted.learn(&faults.0);
    assert!(unfaulted.extent() >= at, "something is left out before {at}: {unfaulted:?}");
    assert!(
        matches!(earlier.items()[..], [Item::Text(_, end)] if end == at),
        "these are not the bytes before"
    );
    if before.0.items().is_empty() {
        assert_eq!(unfaulted.cut(at), Cut::Nothing, "{unfaulted:?}");
    } else {
        assert_eq!(before.0.items(), [Item::Leads(at)]);
    }
    stop()
}

/// A piece has ended. If it continues the text, all of it is sound, and its last byte appears in UTF-8.
fn piece_ends(text: &[u8], continues: bool) -> ! {
    if continues {
        known(|known| {
            let n = text.len();
            assert_eq!(known.extent(), n, "something is left out: {known:?}");
            assert!(
                n == BLOCK_BYTES || known.has(Fact::MayAppear(n)) || known.cut(n) == Cut::Nothing,
                "the last byte is left out: {known:?}"
            );
        });
    }
    stop()
}

// `blocks.rs` as `by_blocks_0`, and copies with one mistake each. build.rs makes them, and the list `BY_BLOCKS`.
include!(concat!(env!("OUT_DIR"), "/by_blocks.rs"));

/// The verdict by blocks, from a place in the text on; the search for the first faulty block; and a piece of a stream after a block.
type Programs = [fn(&[u8], usize) -> Verdict; 4];

/// Tries all paths from a state, or from the start of a program. If it is the search, there is a fault.
fn try_paths(
    program: fn(&[u8], usize) -> Verdict,
    is_search: bool,
    n: usize,
    from: usize,
    state: Option<State>,
) {
    let text = vec![b'a'; n];
    explore(|| {
        // If less than a block is before, all is read again.
        begin(&text, sound(if from < BLOCK_BYTES { 0 } else { from }), is_search);
        forget();
        BEGAN.set(usize::MAX);
        STATE.set(state);
        let verdict = program(&text, from);
        assert!(STATE.take().is_none(), "the loop is not reached");
        if is_search {
            search_from(verdict.suspicion().expect("there is a fault"));
        }
        ends_right(verdict);
    });
}

/// All texts of up to 700 bytes from start to loop, or to end; and a step of the loop from each state with each rest of up to 330 bytes: a step takes
/// 256, and the end has fewer.
fn all_texts([whole, from, search, piece]: Programs, is_thorough: bool) -> bool {
    let by = if is_thorough { 1 } else { 7 };
    (1..=700).step_by(by).for_each(|n| try_paths(whole, false, n, 0, None));
    for begins in [0, 63, 64, 133] {
        (200..=700).step_by(by).for_each(|n| try_paths(from, false, n, begins, None));
        (64..=200).step_by(by).for_each(|n| try_paths(search, true, n, begins.min(n), None));
    }
    for rest in (0..=330).step_by(by) {
        try_paths(piece, false, BLOCK_BYTES + rest, BLOCK_BYTES, None);
        for at in [1, 5, 17].map(|blocks| blocks * BLOCK_BYTES) {
            for ascii in [0, at] {
                let state = State { tested: 0, checked: 0, ascii, at };
                try_paths(piece, false, at + rest, BLOCK_BYTES, Some(state));
            }
        }
    }
    for tested in [0, 64, 133] {
        let state = |at| State { tested: at, checked: at, ascii: at, at };
        (0..=200).step_by(by).for_each(|rest| try_paths(search, true, tested + rest, 0, Some(state(tested))));
        for (checked, ascii, more) in [0, 256, 512, 768]
            .into_iter()
            .flat_map(|c| [0, 256, 4096].map(|a| [0, 256, 512].map(|m| (c, a, m))))
            .flatten()
        {
            let checked = tested + checked;
            // Blocks after ASCII have nothing before them; others are counted as checked.
            let (ascii, at) = (checked + ascii, checked + ascii + if ascii > 0 { more } else { 0 });
            for rest in (0..=330).step_by(by) {
                let state = State { tested, checked, ascii, at };
                if at + rest >= 2 * BLOCK_BYTES {
                    try_paths(from, false, at + rest, 0, Some(state));
                }
            }
        }
    }
    true
}

pub(crate) fn by_blocks() -> bool {
    all_texts(BY_BLOCKS[0].1, true)
}

/// Returns the mistakes that no step shows, and how many there are.
pub(crate) fn unnoticed() -> (Vec<&'static str>, usize) {
    (missed(BY_BLOCKS, |programs| all_texts(programs, false)), BY_BLOCKS.len() - 1)
}
