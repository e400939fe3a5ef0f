//! The loops of the lookups, for texts of all lengths, by induction over their steps. `steps.rs` says how.
//!
//! The loops are compiled here once more, with vectors that are only places in a text, and with a check instead of `check.rs` that computes no
//! faults. What a check, a list or a test for ASCII says of the text is proved with formulas; here it is a fact (`known.rs`). All answers are
//! tried, so all paths are, whatever the text is.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::marker::PhantomData;
use std::ops::Range;

use super::check::BLOCK_BYTES;
use crate::boundary::{CONTEXT, LARGEST_AT_END};
use crate::kernel::known::{Cut, Fact, Known};
use crate::kernel::verdict::Verdict;
use crate::simd::Simd;
use crate::simd::asked::Asked;
use crate::steps::{choose, explore, missed, stop};

/// A loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Head {
    /// `CheckLong` skips ASCII. The number is the step.
    Start,
    /// `CheckEach`.
    Each,
    /// `CheckListed`. The number is that of the choice of blocks.
    Listed,
}

/// The state of a loop: its place, and a number that the loop has besides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State {
    head: Head,
    at: usize,
    number: usize,
}

/// The number of `BlockChoice::NotAscii`, of `TwoByte`, and of `Dense`.
const NOT_ASCII: usize = 0;
const TWO_BYTE: usize = 2;
const DENSE: usize = 3;

/// A path through the loops.
#[derive(Clone, Default)]
struct Run {
    address: usize,
    text: Vec<u8>,
    /// The states to begin with: the loop whose step it is comes last, after those that it is inside of.
    plan: Vec<State>,
    /// How many of them are reached.
    reached: usize,
    known: Known,
    /// Whether a fault was found.
    is_faulty: bool,
    /// Whether more text follows. Then a character that the end cuts off is no fault.
    goes_on: bool,
    /// The only answer on the way to the state.
    way: Option<usize>,
    lists: Vec<u64>,
    /// How often the step has asked for ASCII to skip, and for rows of two-byte text.
    skips: usize,
    rows: usize,
}

impl Run {
    fn has_begun(&self) -> bool {
        self.reached == self.plan.len()
    }
}

thread_local! {
    static RUN: RefCell<Run> = RefCell::default();
}

/// Returns one of several answers. Before the step begins, it is the first one, which says nothing of the text.
pub(crate) fn ask(answers: usize) -> usize {
    let (has_begun, way) = RUN.with_borrow(|run| (run.has_begun(), run.way));
    if has_begun { way.unwrap_or_else(|| choose(answers)) } else { 0 }
}

/// All answers are this one; with `None`, each is tried.
pub(crate) fn answer_with(way: Option<usize>) {
    RUN.with_borrow_mut(|run| run.way = way);
}

fn learn(facts: &[Fact]) {
    known(|known| known.learn(facts));
}

/// Begins a path outside of the lookups, with what is known of the text.
pub(crate) fn begin(text: &[u8], known: Known, is_faulty: bool) {
    RUN.set(Run { address: text.as_ptr().addr(), text: text.to_vec(), known, is_faulty, ..Run::default() });
}

/// Calls `work` with what is known of the text.
pub(crate) fn known<R>(work: impl FnOnce(&mut Known) -> R) -> R {
    RUN.with_borrow_mut(|run| work(&mut run.known))
}

/// Returns whether a check has found a fault. If not, the facts hold.
pub(crate) fn any_fault(facts: &[Fact]) -> bool {
    let any = ask(2) == 1;
    RUN.with_borrow_mut(|run| {
        if any {
            let counts_end = facts.iter().any(|fact| matches!(fact, Fact::Ended(_)));
            assert!(!run.goes_on || !counts_end, "the end is no fault: {run:?}");
            run.is_faulty = true;
        } else {
            run.known.learn(facts);
        }
    });
    any
}

/// A fault was found.
pub(crate) fn found_fault() {
    RUN.with_borrow_mut(|run| run.is_faulty = true);
}

/// The search for a fault from `at` on is right if there is one, and all before `at` is sound.
pub(crate) fn search_from(at: usize) {
    RUN.with_borrow(|run| {
        assert!(run.is_faulty, "there is no fault: {run:?}");
        assert!((at == 0 || at >= 4) && at <= run.text.len(), "the search begins at {at}");
        assert!(at == 0 || run.known.extent() >= at, "it is not known what is before {at}: {run:?}");
    });
}

/// The program has ended. 'Valid' must follow, and anything else must come from a fault.
pub(crate) fn ends_right(verdict: Verdict) {
    RUN.with_borrow(|run| {
        assert!(run.has_begun(), "the loop is not reached");
        if verdict.is_valid() {
            let n = run.text.len();
            assert_eq!(run.known.extent(), n, "something is left out: {run:?}");
            assert_eq!(run.known.cut(n), Cut::Nothing, "the end is left out: {run:?}");
        } else {
            assert!(run.is_faulty, "there is no fault: {run:?}");
        }
    });
}

/// Returns where in the text `bytes` are, if they are text.
pub(crate) fn try_place(bytes: &[u8]) -> Option<Range<usize>> {
    RUN.with_borrow(|run| {
        let at = bytes.as_ptr().addr().wrapping_sub(run.address);
        (at <= run.text.len() && at + bytes.len() <= run.text.len()).then(|| at..at + bytes.len())
    })
}

/// Returns where in the text `bytes` are.
pub(crate) fn place(bytes: &[u8]) -> Range<usize> {
    try_place(bytes).expect("it is text")
}

/// Returns whether these bytes are ASCII.
pub(crate) fn ascii_if(place: Range<usize>) -> bool {
    let is_ascii = ask(2) == 1;
    if is_ascii {
        learn(&[Fact::Ascii(place.start, place.end)]);
    }
    is_ascii
}

/// Returns whether a byte is ASCII. A step knows it of the byte before its start.
fn is_ascii_byte(at: usize) -> bool {
    let known = RUN.with_borrow(|run| {
        let is_before = run.plan.last().is_some_and(|state| state.at == at + 1);
        if is_before { Some(run.text[at].is_ascii()) } else { run.known.is_ascii(at).then_some(true) }
    });
    known.unwrap_or_else(|| ascii_if(at..at + 1))
}

/// A loop begins a step. `bytes` are what it reads.
fn arrive(head: Head, bytes: &[u8], at: &mut usize, number: &mut usize) {
    let end = place(bytes).end;
    let is_over = RUN.with_borrow_mut(|run| {
        if run.has_begun() {
            return true;
        }
        let state = run.plan[run.reached];
        if state.head == head {
            // The state at the start of a text is the program's own.
            if state.at > 0 {
                (*at, *number) = (state.at, state.number);
            }
            run.reached += 1;
            let is_whole = head == Head::Start || run.text[state.at - 1].is_ascii();
            run.known = Known::sound(
                state.at,
                match state.number {
                    _ if is_whole => Cut::Nothing,
                    TWO_BYTE if head == Head::Listed => Cut::TwoByte,
                    _ => Cut::Anything,
                },
            );
        }
        false
    });
    if is_over {
        finish(head, *at, *number, end);
    }
}

/// Ends a step where a loop begins another one, at `at`. What the loop relies on must be known.
fn finish(head: Head, at: usize, number: usize, end: usize) -> ! {
    RUN.with_borrow(|run| {
        for state in run.plan.iter().filter(|state| state.head == head) {
            // The choice of blocks may change once without a step forward.
            let changes = head == Head::Listed && state.number == NOT_ASCII && number != NOT_ASCII;
            assert!(at > state.at || at == state.at && changes, "no step forward: {run:?}");
        }
        assert!(at <= end && run.known.extent() >= at, "something is left out before {at}: {run:?}");
        assert!(at >= CONTEXT || head == Head::Start, "there is no context");
        let cut = run.known.cut(at);
        let holds = match head {
            Head::Start => cut == Cut::Nothing && number == 4 * BLOCK_BYTES,
            Head::Listed => number != TWO_BYTE || cut <= Cut::TwoByte,
            // Inside dense text, whole blocks are left.
            Head::Each => end == run.text.len() || (end - at).is_multiple_of(BLOCK_BYTES),
        };
        assert!(holds, "{head:?} at {at}, {number}: {run:?}");
    });
    stop()
}

/// The loop that skips ASCII in `CheckListed` begins a step. After one step it is, like `CheckListed`, at a new place after ASCII.
fn skips(bytes: &[u8], at: usize) {
    let end = place(bytes).end;
    let skips = RUN.with_borrow_mut(|run| {
        run.skips += 1;
        run.skips
    });
    if skips == 3 {
        assert!(RUN.with_borrow(|run| run.known.cut(at)) == Cut::Nothing);
        finish(Head::Listed, at, NOT_ASCII, end);
    }
}

/// The search for a fault begins a step. The text is sound up to its place, and `before` is the vector that ends there.
fn search_step<S: Simd>(bytes: &[u8], at: &mut usize, before: &mut check::Before<S>) {
    let begin = RUN.with_borrow_mut(|run| {
        let begin = (!run.has_begun()).then(|| run.plan[0].at);
        run.reached = 1;
        begin
    });
    match begin {
        Some(begin) if begin == *at => {}
        Some(begin) => {
            (*at, *before) = (begin, check::Before::End(begin, PhantomData));
            known(|known| *known = Known::sound(begin, Cut::Anything));
        }
        None => {
            before.assert_ends_at(*at);
            RUN.with_borrow(|run| {
                assert!(*at > run.plan[0].at && *at <= bytes.len(), "no step forward: {run:?}");
                assert!(run.known.extent() >= *at, "something is left out before {at}: {run:?}");
            });
            stop()
        }
    }
}

/// The search has ended: with a fault of its last vector, or where less than a vector is left.
fn search_ends_right(at: usize, lanes: usize) {
    RUN.with_borrow(|run| {
        assert!(run.has_begun(), "the loop is not reached");
        assert!(run.known.extent() >= at, "something is left out before {at}: {run:?}");
        assert!(run.is_faulty || at + lanes > run.text.len(), "the rest is left out: {run:?}");
    });
}

/// Returns whether a byte never appears in UTF-8.
fn never_appears(byte: u8) -> bool {
    matches!(byte, 0xC0 | 0xC1 | 0xF5..)
}

/// A piece has ended. It continues the text if and only if all of it is sound, and its last byte appears in UTF-8.
fn piece_ends_right(continues: bool) {
    RUN.with_borrow(|run| {
        let n = run.text.len();
        if continues {
            assert_eq!(run.known.extent(), n, "something is left out: {run:?}");
            let appears = run.known.cut(n) == Cut::Nothing || !never_appears(run.text[n - 1]);
            assert!(appears, "the last byte is left out: {run:?}");
        } else {
            assert!(run.is_faulty || never_appears(run.text[n - 1]), "there is no fault: {run:?}");
        }
    });
}

impl std::fmt::Debug for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} bytes, {:?}, {:?}", self.text.len(), self.plan, self.known)
    }
}

mod check {
    use std::cell::Cell;
    use std::marker::PhantomData;

    pub(super) use super::super::check::BLOCK_BYTES;
    use super::{CONTEXT, Fact, LARGEST_AT_END, RUN, Verdict, any_fault, place};
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

    /// What is known if there are no faults, and whether one was found.
    pub(super) struct FaultBits<S: Simd>(Vec<Fact>, Cell<bool>, PhantomData<S>);

    impl<S: Simd> FaultBits<S> {
        /// What is known of the last vector. Faults of others are lost, and those of zeros after the text do not count, if they are in later lanes.
        pub(super) fn first_lanes(self, _: S, n: usize) -> Self {
            let last = self.0.iter().rev().find_map(|&fact| match fact {
                Fact::Checked(start, end) => Some((start, end)),
                _ => None,
            });
            let (start, end) = last.expect("a vector was checked");
            let mut facts = vec![Fact::Checked(start, end.min(start + n))];
            if n > end - start {
                facts.push(Fact::Ended(end));
            }
            Self(facts, Cell::new(false), PhantomData)
        }
    }

    /// The text before a vector: where it ends, or its last bytes.
    #[derive(Clone, Copy)]
    pub(super) enum Before<S: Simd> {
        End(usize, PhantomData<S>),
        Bytes([u8; 4]),
    }

    impl<S: Simd> Before<S> {
        /// Asserts that this is the text before `at`.
        pub(super) fn assert_ends_at(self, at: usize) {
            RUN.with_borrow(|run| match self {
                Self::End(end, _) => assert_eq!(end, at, "the vector before is another one"),
                Self::Bytes(bytes) if at == 0 => assert_eq!(bytes, [0; 4]),
                Self::Bytes(bytes) => {
                    let before = at.checked_sub(4).map(|from| &run.text[from..at]);
                    assert_eq!(before, Some(&bytes[..]), "the bytes before are others");
                }
            });
        }
    }

    /// Returns where the text in a vector is: a model's sum is that.
    fn span<S: Simd>(s: S, v: S::Vector) -> (usize, usize) {
        let span = s.sum(v);
        (span >> 32, span & 0xFFFF_FFFF)
    }

    impl<S: Simd> Checker<S> {
        pub(super) fn new(s: S) -> Self {
            Self { s }
        }

        pub(super) fn no_faults(&self) -> FaultBits<S> {
            FaultBits(Vec::new(), Cell::new(false), PhantomData)
        }

        pub(super) fn ending_in(&self, before: [u8; 4]) -> Before<S> {
            Before::Bytes(before)
        }

        pub(super) fn any(&self, faults: &FaultBits<S>) -> bool {
            // A fault stays.
            if !faults.1.get() {
                faults.1.set(any_fault(&faults.0));
            }
            faults.1.get()
        }

        /// The place of a fault in one vector is proved with formulas.
        pub(super) fn suspicion(&self, faults: &FaultBits<S>, at: usize) -> Option<Verdict> {
            assert_eq!(
                faults.0,
                [Fact::Checked(at, at + S::LANES)],
                "these are not the faults of the vector"
            );
            self.any(faults).then(|| Verdict::suspect(at))
        }

        pub(super) fn check_after(
            &self,
            faults: &mut FaultBits<S>,
            now: S::Vector,
            before: Before<S>,
        ) -> Before<S> {
            let (start, end) = span(self.s, now);
            before.assert_ends_at(start);
            faults.0.push(Fact::Checked(start, end));
            // Zeros follow a text that does not fill a vector.
            if end - start < S::LANES {
                RUN.with_borrow(|run| assert_eq!(end, run.text.len()));
                faults.0.push(Fact::Ended(end));
            }
            Before::End(end, PhantomData)
        }

        pub(super) fn check_at_without_panic(&self, faults: &mut FaultBits<S>, bytes: &[u8], at: usize) {
            // The context, too, must be inside.
            let start = place(&bytes[at - CONTEXT..at + S::LANES]).start + CONTEXT;
            faults.0.push(Fact::Checked(start, start + S::LANES));
        }

        pub(super) fn check_block(&self, faults: &mut FaultBits<S>, block: &[u8; CONTEXT + BLOCK_BYTES]) {
            let place = place(block);
            faults.0.push(Fact::Checked(place.start + CONTEXT, place.end));
        }

        pub(super) fn check_all_after(
            &self,
            faults: &mut FaultBits<S>,
            text: &[u8; CONTEXT + BLOCK_BYTES],
            before: &mut Before<S>,
        ) {
            let place = place(text);
            before.assert_ends_at(place.start + CONTEXT);
            self.check_block(faults, text);
            *before = Before::End(place.end, PhantomData);
        }

        pub(super) fn check_end(
            &self,
            faults: &mut FaultBits<S>,
            last: S::Vector,
            ends: &[u8; 64],
            may_continue: bool,
        ) {
            let end = span(self.s, last).1;
            if !may_continue {
                faults.0.push(if ends == LARGEST_AT_END { Fact::Ended(end) } else { Fact::EndedLonger(end) });
            }
        }
    }
}

mod fault {
    use super::search_from;
    use crate::kernel::verdict::Verdict;

    pub(super) fn find_fault<S>(_: S, _: &[u8], at: usize) -> Verdict {
        search_from(at);
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
    pub(super) use super::super::filter::ROW_BYTES;
    use super::{BLOCK_BYTES, CONTEXT, Fact, Head, RUN, TWO_BYTE, ask, finish, is_ascii_byte, learn, place};
    use crate::simd::Simd;

    /// Returns where a chunk begins after its context, and how many blocks it has.
    fn blocks(chunk: &[u8]) -> (usize, usize) {
        let (place, len) = (place(chunk), chunk.len() - CONTEXT);
        assert!(
            len.is_multiple_of(BLOCK_BYTES) && (1..=64).contains(&(len / BLOCK_BYTES)),
            "no whole blocks"
        );
        (place.start + CONTEXT, len / BLOCK_BYTES)
    }

    /// Returns some list of these blocks.
    fn any_list(blocks: usize) -> u64 {
        let lists = RUN.with_borrow(|run| run.lists.len());
        let list = ask(lists);
        RUN.with_borrow(|run| run.lists[list]) & u64::MAX >> (64 - blocks)
    }

    fn unlisted(list: u64, (at, blocks): (usize, usize)) -> impl Iterator<Item = (usize, usize)> {
        let unlisted = (0..blocks).filter(move |i| list >> i & 1 == 0);
        unlisted.map(move |i| (at + i * BLOCK_BYTES, at + (i + 1) * BLOCK_BYTES))
    }

    pub(super) fn not_ascii<S: Simd>(_: S, chunk: &[u8], _: usize) -> u64 {
        let blocks = blocks(chunk);
        let list = any_list(blocks.1) | u64::from(!is_ascii_byte(blocks.0 - 1));
        unlisted(list, blocks).for_each(|(from, to)| learn(&[Fact::Ascii(from, to)]));
        list
    }

    pub(super) fn not_two_byte<S: Simd>(_: S, chunk: &[u8], _: usize) -> (u64, bool) {
        let blocks = blocks(chunk);
        let is_reached = ask(2) == 0;
        if !is_reached {
            learn(&[Fact::AllowsTwoByte(blocks.0)]);
        }
        if ask(2) == 1 {
            // C0 or C1 is a fault.
            RUN.with_borrow_mut(|run| run.is_faulty = true);
            return (any_list(blocks.1), true);
        }
        let list = any_list(blocks.1) | u64::from(is_reached);
        learn(&[Fact::NoOverlong(blocks.0, blocks.0 + blocks.1 * BLOCK_BYTES)]);
        unlisted(list, blocks).for_each(|(from, to)| learn(&[Fact::TwoByte(from, to)]));
        (list, false)
    }

    pub(super) fn is_two_byte<S: Simd>(_: S, row: &[u8; CONTEXT + ROW_BYTES], _: usize) -> bool {
        let place = place(row);
        let (rows, end) = RUN.with_borrow_mut(|run| {
            run.rows += 1;
            (run.rows, run.text.len())
        });
        // After one row, the loop is at a new place after two-byte text, like `CheckListed`.
        if rows == 3 {
            finish(Head::Listed, place.start + CONTEXT, TWO_BYTE, end);
        }
        let is_two_byte = ask(2) == 1;
        if is_two_byte {
            learn(&[Fact::TwoByte(place.start + CONTEXT, place.end)]);
        }
        is_two_byte
    }

    /// It is only a guess.
    pub(super) fn is_block_below_e0<S: Simd>(_: S, chunk: &[u8], at: usize) -> bool {
        at + BLOCK_BYTES <= chunk.len() && ask(2) == 1
    }
}

// The loops, as `short_0` and `long_0`, and copies with one mistake each. build.rs makes them, and the lists `SHORT` and `LONG`.
include!(concat!(env!("OUT_DIR"), "/short.rs"));
include!(concat!(env!("OUT_DIR"), "/piece.rs"));
include!(concat!(env!("OUT_DIR"), "/fault.rs"));
include!(concat!(env!("OUT_DIR"), "/long.rs"));

/// The length of a vector, whether it is WebAssembly's, and a loop with such vectors.
type Loops = &'static [(usize, bool, fn(&[u8]) -> Verdict)];

/// The length of a vector, and the search for a fault from a place on.
type Searches = &'static [(usize, fn(&[u8], usize) -> Verdict)];

/// The same, and whether a piece continues a text that ends with four bytes.
type Pieces = &'static [(usize, fn([u8; 4], &[u8]) -> bool)];

/// How many states to try: all, or enough for mistakes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effort {
    All,
    Few,
}

/// Lists of blocks: each block and its neighbour with all values, among blocks that are all listed, or all not; and as many blocks as there
/// are.
fn lists(blocks: usize) -> Vec<u64> {
    let mut lists: BTreeSet<u64> = few_lists().into_iter().collect();
    for i in 0..blocks {
        for (two, others) in (0..4_u64).flat_map(|two| [(two, 0), (two, u64::MAX)]) {
            lists.insert(others & !(3_u64 << i) | two << i);
        }
        lists.insert((1_u64 << i) - 1);
    }
    let mask = u64::MAX >> (64 - blocks);
    lists.into_iter().map(|list| list & mask).collect::<BTreeSet<_>>().into_iter().collect()
}

fn few_lists() -> Vec<u64> {
    vec![0, u64::MAX, 0x5555_5555_5555_5555, 0xCCCC_CCCC_CCCC_CCCC, 1]
}

/// Memory in which a text begins `misaligned` bytes after a multiple of 64.
pub(crate) struct Memory(pub(crate) Vec<u8>);

impl Memory {
    pub(crate) fn text(&mut self, n: usize, misaligned: usize) -> &mut [u8] {
        self.0.resize(self.0.len().max(n + 128), 0);
        let skip = self.0.as_ptr().addr().wrapping_neg() % 64 + misaligned;
        &mut self.0[skip..skip + n]
    }
}

/// Tries all paths of a step that begins in the last state of `plan`, in a text of `n` bytes; without a state, from the start of the program.
///
/// The loops may look at the byte before a step itself, so it is ASCII or not. The others show the opposite as well as the same, and their place.
fn try_paths(validate: fn(&[u8]) -> Verdict, n: usize, misaligned: usize, plan: &[State], lists: &[u64]) {
    thread_local! {
        static MEMORY: RefCell<Memory> = const { RefCell::new(Memory(Vec::new())) };
    }
    let at = plan.last().map_or(0, |state| state.at);
    for (before, others) in [(0, 0), (0, 0x80), (0x80, 0), (0x80, 0x80)] {
        if at == 0 && (before, others) != (0, 0) {
            continue;
        }
        MEMORY.with_borrow_mut(|memory| {
            let text = memory.text(n, misaligned);
            for (place, byte) in text.iter_mut().enumerate() {
                let high = if place + 1 == at { before } else { others };
                *byte = (place % 127 + 1) as u8 | high;
            }
            RUN.set(Run {
                address: text.as_ptr().addr(),
                text: text.to_vec(),
                plan: plan.to_vec(),
                lists: lists.to_vec(),
                ..Run::default()
            });
            let text = &*text;
            explore(|| {
                RUN.with_borrow_mut(|run| {
                    (run.reached, run.is_faulty, run.skips, run.rows) = (0, false, 0, 0);
                    run.known = Known::sound(0, Cut::Nothing);
                });
                ends_right(validate(text));
            });
            RUN.set(Run::default());
        });
    }
}

/// The search for a fault from each of some places: its first step, and one later, with each rest of up to four vectors.
fn searches(searches: Searches) -> bool {
    for &(lanes, search) in searches {
        for from in [0, 4, 5, 67, 1000] {
            for at in [0, 1, 9].map(|vectors| from + vectors * lanes) {
                for n in at..=at + 4 * lanes {
                    let text: Vec<u8> = (0..n).map(|place| (place % 251 + 1) as u8).collect();
                    explore(|| {
                        begin(
                            &text,
                            Known::sound(from, if from == 0 { Cut::Nothing } else { Cut::Anything }),
                            false,
                        );
                        RUN.with_borrow_mut(|run| run.plan = vec![State { head: Head::Each, at, number: 0 }]);
                        search_ends_right(search(&text, from).suspicion().expect("it is a suspicion"), lanes);
                    });
                }
            }
        }
    }
    RUN.set(Run::default());
    true
}

/// Pieces of one byte to 512 bytes, from start to end, after a character that is cut off, or none. The code looks at the last byte itself.
fn pieces(pieces: Pieces) -> bool {
    for &(_, piece_continues) in pieces {
        for n in 1..=512 {
            for (last_before, last) in [b'b', 0xC3].into_iter().flat_map(|before| {
                [b'a', 0x80, 0xC0, 0xC1, 0xC3, 0xF4, 0xF5, 0xFF].map(|last| (before, last))
            }) {
                let mut text = vec![b'a'; 4 + n];
                (text[3], text[3 + n]) = (last_before, last);
                let before = if last_before.is_ascii() { Cut::Nothing } else { Cut::Anything };
                explore(|| {
                    begin(&text, Known::sound(4, before), false);
                    RUN.with_borrow_mut(|run| run.goes_on = true);
                    piece_ends_right(piece_continues([b'a', b'a', b'a', last_before], &text[4..]));
                });
            }
        }
    }
    RUN.set(Run::default());
    true
}

/// Texts of 4 to 300 bytes, from start to end: `check_short` gets no longer ones than 255.
fn short_text(loops: Loops, effort: Effort) -> bool {
    let step = if effort == Effort::All { 1 } else { 3 };
    for n in (4..=300).step_by(step) {
        loops.iter().for_each(|&(_, _, validate)| try_paths(validate, n, 0, &[], &few_lists()));
    }
    true
}

/// How many bytes are left at a step. What a step does depends on the number of whole blocks, up to a chunk, on whether there are 256 or 512
/// bytes, and on whether there are 16 KiB. All numbers up to five blocks are tried, around a chunk, and those near each number of blocks.
fn rests(effort: Effort) -> Vec<usize> {
    let far = [8191, 8192, 16_383, 16_384, 16_385, 32_768 + 77, 4 << 20];
    if effort == Effort::Few {
        return [0, 1, 63, 64, 65, 128, 255, 256, 300, 511, 512, 640, 1027, 4095, 4096, 4165, 16_400]
            .to_vec();
    }
    let near_blocks = (1..=66).flat_map(|blocks| [0, 1, 63].map(|more| blocks * BLOCK_BYTES + more));
    let all = (0..=330).chain(4030..=4170).chain(near_blocks).chain(far);
    all.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Texts from 256 bytes on, a step at a time.
fn long_text(loops: Loops, effort: Effort) -> bool {
    const STEP: usize = 4 * BLOCK_BYTES;
    let (all, few) = (effort == Effort::All, few_lists());
    let state = |head, at, number| State { head, at, number };
    for &(lanes, is_web, validate) in loops {
        // The start, and the skipped ASCII.
        for misaligned in [0, 1, 7, lanes - 1] {
            for n in (STEP..=1100).step_by(if all { 1 } else { 61 }) {
                try_paths(validate, n, misaligned, &[state(Head::Start, 0, STEP - misaligned)], &few);
            }
            for rest in (0..=600).step_by(if all { 1 } else { 17 }) {
                for at in [1, 3].map(|steps| steps * STEP - misaligned) {
                    if at + rest >= STEP {
                        try_paths(validate, at + rest, misaligned, &[state(Head::Start, at, STEP)], &few);
                    }
                }
            }
        }
        // A branch for each block, to the end of a text of fewer than 1,024 bytes.
        for (at, rest) in [300, 813].into_iter().flat_map(|at| (0..=200).map(move |rest| (at, rest))) {
            try_paths(validate, at + rest, 0, &[state(Head::Each, at, 0)], &few);
        }
        // Chunks, and the end.
        for rest in rests(effort) {
            for at in [97, 1029, (1 << 20) + 13] {
                let is_one_of_many = at == 97 && rest % BLOCK_BYTES < 2 || at > 2000 && rest % 997 < 5;
                if at + rest < 1024 || at != 1029 && !is_one_of_many {
                    continue;
                }
                for choice in NOT_ASCII..=DENSE {
                    try_paths(validate, at + rest, 0, &[state(Head::Listed, at, choice)], &few);
                }
            }
        }
        for blocks in (1..=65).step_by(if all { 1 } else { 7 }) {
            let (n, lists) = (1029 + blocks * BLOCK_BYTES, lists(blocks.min(64)));
            for choice in [NOT_ASCII, NOT_ASCII + 1] {
                try_paths(validate, n, 0, &[state(Head::Listed, 1029, choice)], &lists);
            }
            // Dense text without rows, in a chunk.
            let dense =
                |k: usize| [state(Head::Listed, 1029, DENSE), state(Head::Each, 1029 + k * BLOCK_BYTES, 0)];
            if is_web {
                (0..=blocks.min(64)).for_each(|k| try_paths(validate, n, 0, &dense(k), &few));
                try_paths(validate, n + 20_000, 0, &dense(blocks.min(64) - 1), &few);
            }
        }
    }
    true
}

pub(crate) fn short() -> bool {
    short_text(SHORT[0].1, Effort::All)
}

pub(crate) fn long() -> bool {
    long_text(LONG[0].1, Effort::All)
}

pub(crate) fn faults() -> bool {
    searches(FAULT[0].1)
}

pub(crate) fn streams() -> bool {
    pieces(PIECE[0].1)
}

/// Returns the mistakes that no step shows, and how many there are.
pub(crate) fn unnoticed() -> (Vec<&'static str>, usize) {
    let short = missed(SHORT, |loops| short_text(loops, Effort::Few));
    let long = missed(LONG, |loops| long_text(loops, Effort::Few));
    let (fault, piece) = (missed(FAULT, searches), missed(PIECE, pieces));
    ([short, long, fault, piece].concat(), SHORT.len() + LONG.len() + FAULT.len() + PIECE.len() - 4)
}
