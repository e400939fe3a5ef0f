//! The loop by blocks of the AVX-512 kernel, for texts of all lengths, by induction over its steps. `steps.rs` says how.

use std::cell::{Cell, RefCell};

use super::BLOCK_BYTES;
use crate::kernel::known::{Cut, Fact, Known};
use crate::kernel::lookup::loops::{any_fault, ascii_if, begin, ends_right, known, place, search_from};
use crate::kernel::verdict::Verdict;
use crate::simd::{Job, Sealed, Token};
use crate::steps::{explore, missed, stop};

/// What a vector is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Item {
    Text(usize, usize),
    /// The leads of a block, and where it ends.
    Leads(usize),
}

/// A vector: the number of a list of items. The first list is empty, and that of zeros.
#[derive(Clone, Copy)]
struct Vector(usize);

thread_local! {
    static LISTS: RefCell<Vec<Vec<Item>>> = const { RefCell::new(Vec::new()) };
    /// Where to begin; `None` if the path has begun.
    static STATE: Cell<Option<State>> = const { Cell::new(None) };
    /// Where the path began.
    static BEGAN: Cell<usize> = const { Cell::new(0) };
}

impl Vector {
    fn of(items: Vec<Item>) -> Self {
        LISTS.with_borrow_mut(|lists| {
            lists.push(items);
            Self(lists.len() - 1)
        })
    }

    fn items(self) -> Vec<Item> {
        LISTS.with_borrow(|lists| lists[self.0].clone())
    }

    fn load(bytes: &[u8]) -> Self {
        let place = place(bytes);
        Self::of(vec![Item::Text(place.start, place.end)])
    }

    fn or(self, other: Self) -> Self {
        Self::of([self.items(), other.items()].concat())
    }

    fn any_high_bit(self) -> bool {
        let items = self.items();
        let Some((&Item::Text(start, end), others)) = items.split_first() else {
            unreachable!("it is no text")
        };
        let is_ascii = ascii_if(start..end);
        for &item in others.iter().filter(|_| is_ascii) {
            let Item::Text(start, end) = item else { unreachable!("it is no text") };
            known(|known| known.learn(&[Fact::Ascii(start, end)]));
        }
        !is_ascii
    }
}

#[derive(Clone, Copy)]
struct Avx512;

#[derive(Clone, Copy)]
struct Avx2;

impl Sealed for Avx512 {}

impl Token for Avx512 {
    fn apart<J: Job<Self, M, O>, M, O>(self, _: J, bytes: &[u8], more: M) -> O {
        J::run(self, bytes, more)
    }
}

impl Avx2 {
    fn on(_: Avx512) -> Self {
        Self
    }

    fn load(self, bytes: &[u8], at: usize) -> Vector {
        Vector::load(&bytes[at..at + BLOCK_BYTES / 2])
    }

    fn or(self, a: Vector, b: Vector) -> Vector {
        a.or(b)
    }

    fn any_high_bit(self, v: Vector) -> bool {
        v.any_high_bit()
    }
}

/// What the loop itself does, and the names of what the check does.
impl Avx512 {
    fn load(self, bytes: &[u8], at: usize) -> Vector {
        Vector::load(&bytes[at..at + BLOCK_BYTES])
    }

    fn load_short(self, bytes: &[u8]) -> Vector {
        assert!(bytes.len() < BLOCK_BYTES);
        Vector::load(bytes)
    }

    fn zero(self) -> Vector {
        Vector(0)
    }

    fn or(self, a: Vector, b: Vector) -> Vector {
        a.or(b)
    }

    fn any_high_bit(self, v: Vector) -> bool {
        v.any_high_bit()
    }
}

/// Declares operations that no loop has.
macro_rules! operations_of_checks {
    ($($name:ident($($of:ty),*) -> $result:ty;)+) => {
        impl Avx512 {
            $(fn $name(self $(, _: $of)*) -> $result {
                unreachable!("a loop does not compute")
            })+

            fn ternary<const TABLE: i32>(self, _: Vector, _: Vector, _: Vector) -> Vector {
                unreachable!("a loop does not compute")
            }

            fn shift_right<const N: u32>(self, _: Vector) -> Vector {
                unreachable!("a loop does not compute")
            }
        }
    };
}
operations_of_checks! {
    splat(u8) -> Vector;
    splat128(u128) -> Vector;
    and(Vector, Vector) -> Vector;
    any(Vector) -> bool;
    lookup(Vector, Vector) -> Vector;
    lookup_from(Vector, Vector, Vector) -> Vector;
    shift_right_4_in_16(Vector) -> Vector;
    earlier_and_up(Vector, Vector) -> [Vector; 3];
    disjoint(Vector, Vector) -> u64;
    without(Vector, Vector) -> Vector;
    first_bytes(Vector, usize) -> Vector;
    not_zero(Vector) -> u64;
    ending_in([u8; 4]) -> Vector;
}

/// A stand-in for `BlockChecker`, which notes what is known if it finds no fault.
struct Checker {
    s: Avx512,
}

struct FaultBits(Vec<Fact>);

#[derive(Clone, Copy)]
struct Leads(Vector);

impl Checker {
    fn new(s: Avx512) -> Self {
        Self { s }
    }

    fn no_faults(&self) -> FaultBits {
        FaultBits(Vec::new())
    }

    fn no_leads(&self) -> Leads {
        Leads(Vector(0))
    }

    fn leads(&self, text: Vector) -> Leads {
        let [Item::Text(_, end)] = text.items()[..] else { unreachable!("it is no text") };
        Leads(Vector::of(vec![Item::Leads(end)]))
    }

    fn check(&self, faults: &mut FaultBits, now: Vector, before: Leads) -> Leads {
        let [Item::Text(start, end)] = now.items()[..] else { unreachable!("it is no text") };
        let knows_before = match before.0.items()[..] {
            [] => start == 0,
            [Item::Leads(before)] => {
                assert_eq!(before, start, "the block before is another one");
                true
            }
            _ => unreachable!("it is no block"),
        };
        faults.0.push(if knows_before { Fact::Checked(start, end) } else { Fact::CheckedAlone(start, end) });
        // Zeros follow a text that does not fill a block. They are no continuation of what the check knows.
        if end - start < BLOCK_BYTES && (knows_before || end > start) {
            faults.0.push(Fact::Ended(end));
        }
        self.leads(now)
    }

    fn check_end(&self, faults: &mut FaultBits, last: Leads) {
        faults.0.extend(ends(last));
    }

    fn is_faulty(&self, only: Vector) -> bool {
        let mut faults = self.no_faults();
        self.check(&mut faults, only, self.no_leads());
        self.any(&faults)
    }

    fn any(&self, faults: &FaultBits) -> bool {
        any_fault(&faults.0)
    }

    fn check_last(&self, _: &mut FaultBits, _: Leads) {
        unreachable!("nothing is shown of streams")
    }

    fn or_first_bytes(&self, _: FaultBits, _: FaultBits, _: usize) -> FaultBits {
        unreachable!("nothing is shown of streams")
    }

    /// The place of a fault in one block is proved with formulas.
    fn suspicion(&self, faults: &FaultBits, at: usize) -> Option<Verdict> {
        assert_eq!(faults.0, [Fact::Checked(at, at + BLOCK_BYTES)], "these are not the faults of the block");
        search_from(at);
        any_fault(&faults.0).then(|| Verdict::suspect(at))
    }
}

/// Returns that the blocks with these leads cut no character off.
fn ends(leads: Leads) -> Vec<Fact> {
    let end = |item| match item {
        Item::Leads(end) => Fact::Ended(end),
        Item::Text(..) => unreachable!("these are leads"),
    };
    leads.0.items().into_iter().map(end).collect()
}

/// Returns the leads of the block that ends at `end`. Before the text, there are none.
fn leads(end: usize) -> Leads {
    Leads(Vector::of(if end == 0 { Vec::new() } else { vec![Item::Leads(end)] }))
}

/// Returns that the text before `at` is UTF-8, except for a character that is cut off.
fn sound(at: usize) -> Known {
    Known::sound(at, if at == 0 { Cut::Nothing } else { Cut::Anything })
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

/// The search for a fault begins here.
fn find(_: &[u8], at: usize) -> Verdict {
    search_from(at);
    Verdict::suspect(at)
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

// `blocks.rs` as `by_blocks_0`, and copies with one mistake each. build.rs makes them, and the list `BY_BLOCKS`.
include!(concat!(env!("OUT_DIR"), "/by_blocks.rs"));

/// The verdict by blocks, from a place in the text on, and the search for the first faulty block.
type Programs = [fn(&[u8], usize) -> Verdict; 3];

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
        LISTS.set(vec![Vec::new()]);
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
fn all_texts([whole, from, search]: Programs, is_thorough: bool) -> bool {
    let by = if is_thorough { 1 } else { 7 };
    (1..=700).step_by(by).for_each(|n| try_paths(whole, false, n, 0, None));
    for begins in [0, 63, 64, 133] {
        (200..=700).step_by(by).for_each(|n| try_paths(from, false, n, begins, None));
        (64..=200).step_by(by).for_each(|n| try_paths(search, true, n, begins.min(n), None));
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
