//! An instruction set of 64 bytes whose vectors say only where their bytes come from, and a check that notes what is known if it finds no fault.

use std::cell::RefCell;

use super::BLOCK_BYTES;
use crate::boundary::CONTEXT;
use crate::kernel::known::{Cut, Fact, Known};
use crate::kernel::lookup::loops::{any_fault, ask, known, place, search_from, try_place};
use crate::kernel::verdict::Verdict;
use crate::simd::{Job, Sealed, Token};

/// What a vector is about: bytes of the text, from the first number to the second, or what was computed of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Item {
    Text(usize, usize),
    /// The leads of a block, and where it ends.
    Leads(usize),
    /// The next lane of a table or of a list.
    Number(u8),
    /// All lanes.
    Each(u8),
    /// The faults of a superblock.
    Faults(usize, usize),
    /// Whether bytes are above DF.
    AboveDf(usize, usize),
    /// Two-byte text: bytes plus 40, twice the bytes, wrong lengths, and C0 or C1.
    Moved(usize, usize),
    Doubled(usize, usize),
    WrongLengths(usize, usize),
    Overlong(usize, usize),
}

/// A vector: the number of a list of items. The first list is empty, and that of zeros.
#[derive(Clone, Copy)]
pub(super) struct Vector(usize);

thread_local! {
    static LISTS: RefCell<Vec<Vec<Item>>> = const { RefCell::new(Vec::new()) };
}

/// Forgets all vectors.
pub(super) fn forget() {
    LISTS.set(vec![Vec::new()]);
}

impl Vector {
    pub(super) fn of(items: Vec<Item>) -> Self {
        LISTS.with_borrow_mut(|lists| {
            lists.push(items);
            Self(lists.len() - 1)
        })
    }

    pub(super) fn items(self) -> Vec<Item> {
        LISTS.with_borrow(|lists| lists[self.0].clone())
    }

    fn load(bytes: &[u8]) -> Self {
        Self::of(match try_place(bytes) {
            Some(place) => vec![Item::Text(place.start, place.end)],
            None => bytes.iter().map(|byte| Item::Number(*byte)).collect(),
        })
    }

    fn with(self, other: Self) -> Self {
        Self::of([self.items(), other.items()].concat())
    }

    fn map(self, item: impl Fn(Item) -> Item) -> Self {
        Self::of(self.items().into_iter().map(item).collect())
    }

    fn any_high_bit(self) -> bool {
        let items = self.items();
        let facts: Vec<_> = items
            .iter()
            .map(|item| match *item {
                Item::Text(start, end) => Fact::Ascii(start, end),
                Item::AboveDf(start, end) => Fact::BelowE0(start, end),
                _ => unreachable!("it is no text"),
            })
            .collect();
        // The same question has the same answer.
        let is_known = known(|known| facts.iter().all(|fact| known.has(*fact)));
        let any = !is_known && ask(2) == 0;
        if !any {
            known(|known| known.learn(&facts));
        }
        any
    }
}

#[derive(Clone, Copy)]
pub(super) struct Avx512;

#[derive(Clone, Copy)]
pub(super) struct Avx2;

impl Sealed for Avx512 {}

impl Token for Avx512 {
    fn apart<J: Job<Self, M, O>, M, O>(self, _: J, bytes: &[u8], more: M) -> O {
        J::run(self, bytes, more)
    }
}

impl Avx2 {
    pub(super) fn on(_: Avx512) -> Self {
        Self
    }

    pub(super) fn load(self, bytes: &[u8], at: usize) -> Vector {
        Vector::load(&bytes[at..at + BLOCK_BYTES / 2])
    }

    pub(super) fn or(self, a: Vector, b: Vector) -> Vector {
        a.with(b)
    }

    pub(super) fn any_high_bit(self, v: Vector) -> bool {
        v.any_high_bit()
    }
}

/// What the loops themselves do.
impl Avx512 {
    pub(super) fn load(self, bytes: &[u8], at: usize) -> Vector {
        Vector::load(&bytes[at..at + BLOCK_BYTES])
    }

    pub(super) fn load_short(self, bytes: &[u8]) -> Vector {
        assert!(bytes.len() < BLOCK_BYTES);
        Vector::load(bytes)
    }

    /// The bytes before a piece.
    pub(super) fn ending_in(self, _: [u8; 4]) -> Vector {
        Vector::of(vec![Item::Text(BLOCK_BYTES - 4, BLOCK_BYTES)])
    }

    pub(super) fn load_by_sixteen(self, bytes: &[u8], places: [usize; 4]) -> Vector {
        let text = |at: usize| place(&bytes[at..at + BLOCK_BYTES / 4]);
        Vector::of(places.map(text).map(|place| Item::Text(place.start, place.end)).to_vec())
    }

    pub(super) fn prefetch(self, _: &[u8], _: usize) {}

    pub(super) fn zero(self) -> Vector {
        Vector(0)
    }

    pub(super) fn splat(self, byte: u8) -> Vector {
        Vector::of(vec![Item::Each(byte)])
    }

    pub(super) fn splat64(self, _: u64) -> Vector {
        Vector(0)
    }

    pub(super) fn or(self, a: Vector, b: Vector) -> Vector {
        a.with(b)
    }

    pub(super) fn max(self, a: Vector, b: Vector) -> Vector {
        a.with(b)
    }

    pub(super) fn min(self, a: Vector, b: Vector) -> Vector {
        a.with(b)
    }

    pub(super) fn and(self, v: Vector, _: Vector) -> Vector {
        v
    }

    pub(super) fn any_high_bit(self, v: Vector) -> bool {
        v.any_high_bit()
    }

    /// It is only a guess.
    pub(super) fn high_bits(self, _: Vector) -> u64 {
        if ask(2) == 0 { u64::MAX } else { 0 }
    }

    pub(super) fn any(self, v: Vector) -> bool {
        let (items, mut facts) = (v.items(), Vec::new());
        for &item in &items {
            match item {
                Item::Faults(start, end) => facts.push(Fact::Checked(start, end)),
                Item::WrongLengths(start, end)
                    if items.contains(&Item::Overlong(start, end))
                        && known(|known| known.has(Fact::BelowE0(start, end))) =>
                {
                    match facts.last_mut() {
                        Some(Fact::TwoByte(_, last)) if *last == start => *last = end,
                        _ => facts.push(Fact::TwoByte(start, end)),
                    }
                }
                _ => {}
            }
        }
        any_fault(&facts)
    }

    pub(super) fn plus(self, a: Vector, b: Vector) -> Vector {
        match (a.items()[..].first(), &b.items()[..]) {
            (_, [Item::Each(more)]) => a.map(|item| match item {
                Item::Number(number) => Item::Number(number.wrapping_add(*more)),
                _ => unreachable!("it is no number"),
            }),
            (Some(&Item::Text(start, end)), [text]) if *text == Item::Text(start, end) => {
                Vector::of(vec![Item::Doubled(start, end)])
            }
            _ => unreachable!("a loop does not compute"),
        }
    }

    pub(super) fn plus_signed_saturating(self, a: Vector, _: Vector) -> Vector {
        a.map(|item| match item {
            Item::Text(start, end) => Item::Moved(start, end),
            _ => unreachable!("it is no text"),
        })
    }

    pub(super) fn minus_saturating(self, a: Vector, b: Vector) -> Vector {
        if let [Item::Each(_)] = a.items()[..] {
            let moved = b.items().into_iter().filter_map(|item| match item {
                Item::Moved(start, end) => Some(Item::Overlong(start, end)),
                _ => None,
            });
            return Vector::of(moved.collect());
        }
        a.map(|item| match item {
            Item::Text(start, end) => Item::AboveDf(start, end),
            _ => unreachable!("it is no text"),
        })
    }

    pub(super) fn ternary<const TABLE: i32>(self, a: Vector, b: Vector, c: Vector) -> Vector {
        let [Item::Moved(start, end)] = c.items()[..] else { return a.with(b).with(c) };
        assert_eq!(a.items(), [Item::Text(start - 1, end - 1)], "these are not the bytes before");
        assert_eq!(b.items(), [Item::Doubled(start - 1, end - 1)], "these are not the bytes before");
        Vector::of(vec![Item::WrongLengths(start, end)])
    }

    pub(super) fn compress(self, v: Vector, mask: u64) -> Vector {
        let items = v.items();
        Vector::of((0..items.len()).filter(|i| mask >> i & 1 == 1).map(|i| items[i]).collect())
    }

    pub(super) fn append(self, v: Vector, len: usize, more: Vector) -> Vector {
        let mut items = v.items();
        items.resize(len, Item::Number(0));
        items.extend(more.items());
        items.truncate(BLOCK_BYTES);
        Vector::of(items)
    }

    pub(super) fn split_four(self, v: Vector) -> ([u8; 4], Vector) {
        let items = v.items();
        let number = |i: usize| match items.get(i) {
            None => 0,
            Some(Item::Number(number)) => *number,
            Some(_) => unreachable!("it is no number"),
        };
        (std::array::from_fn(number), Vector::of(items.iter().skip(4).copied().collect()))
    }
}

/// Declares operations that no loop has.
macro_rules! operations_of_checks {
    ($($name:ident($($of:ty),*) -> $result:ty;)+) => {
        impl Avx512 {
            $(pub(super) fn $name(self $(, _: $of)*) -> $result {
                unreachable!("a loop does not compute")
            })+

            pub(super) fn shift_right<const N: u32>(self, _: Vector) -> Vector {
                unreachable!("a loop does not compute")
            }
        }
    };
}
operations_of_checks! {
    splat128(u128) -> Vector;
    lookup(Vector, Vector) -> Vector;
    lookup_from(Vector, Vector, Vector) -> Vector;
    shift_right_4_in_16(Vector) -> Vector;
    earlier_and_up(Vector, Vector) -> [Vector; 3];
    disjoint(Vector, Vector) -> u64;
    without(Vector, Vector) -> Vector;
    first_bytes(Vector, usize) -> Vector;
    not_zero(Vector) -> u64;
    pick_planes(Vector, Vector) -> Vector;
}

/// A stand-in for `BlockChecker`, which notes what is known if it finds no fault.
pub(super) struct Checker {
    pub(super) s: Avx512,
}

pub(super) struct FaultBits(pub(super) Vec<Fact>);

#[derive(Clone, Copy)]
pub(super) struct Leads(pub(super) Vector);

impl Checker {
    pub(super) fn new(s: Avx512) -> Self {
        Self { s }
    }

    pub(super) fn no_faults(&self) -> FaultBits {
        FaultBits(Vec::new())
    }

    pub(super) fn no_leads(&self) -> Leads {
        Leads(Vector(0))
    }

    pub(super) fn leads(&self, text: Vector) -> Leads {
        let [Item::Text(_, end)] = text.items()[..] else { unreachable!("it is no text") };
        Leads(Vector::of(vec![Item::Leads(end)]))
    }

    pub(super) fn check(&self, faults: &mut FaultBits, now: Vector, before: Leads) -> Leads {
        let items = now.items();
        let [Item::Text(start, end)] = items[..] else {
            faults.0.extend(items.iter().map(|item| match *item {
                Item::Text(start, end) => Fact::CheckedAlone(start, end),
                _ => unreachable!("it is no text"),
            }));
            return self.no_leads();
        };
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

    pub(super) fn check_end(&self, faults: &mut FaultBits, last: Leads) {
        faults.0.extend(ends(last));
    }

    pub(super) fn is_faulty(&self, only: Vector) -> bool {
        let mut faults = self.no_faults();
        self.check(&mut faults, only, self.no_leads());
        self.any(&faults)
    }

    pub(super) fn any(&self, faults: &FaultBits) -> bool {
        any_fault(&faults.0)
    }

    /// Each 16 bytes begin with their context.
    pub(super) fn of_words(&self, faults: FaultBits) -> FaultBits {
        FaultBits(
            faults
                .0
                .iter()
                .map(|fact| match *fact {
                    Fact::CheckedAlone(start, end) => Fact::Checked(start + CONTEXT, end),
                    _ => unreachable!("these are no words"),
                })
                .collect(),
        )
    }

    pub(super) fn check_last(&self, faults: &mut FaultBits, last: Leads) {
        faults.0.extend(last.0.items().into_iter().map(|item| match item {
            Item::Leads(end) => Fact::MayAppear(end),
            _ => unreachable!("these are leads"),
        }));
    }

    /// What the zeros after the text show does not count.
    pub(super) fn or_first_bytes(&self, faults: FaultBits, others: FaultBits, n: usize) -> FaultBits {
        let checked = others.0.into_iter().filter(
            |fact| matches!(*fact, Fact::Checked(from, to) | Fact::CheckedAlone(from, to) if to - from == n),
        );
        FaultBits(faults.0.into_iter().chain(checked).collect())
    }

    /// The place of a fault in one block is proved with formulas.
    pub(super) fn suspicion(&self, faults: &FaultBits, at: usize) -> Option<Verdict> {
        assert_eq!(faults.0, [Fact::Checked(at, at + BLOCK_BYTES)], "these are not the faults of the block");
        search_from(at);
        any_fault(&faults.0).then(|| Verdict::suspect(at))
    }
}

/// Returns that the blocks with these leads cut no character off.
pub(super) fn ends(leads: Leads) -> Vec<Fact> {
    let end = |item| match item {
        Item::Leads(end) => Fact::Ended(end),
        _ => unreachable!("these are leads"),
    };
    leads.0.items().into_iter().map(end).collect()
}

/// Returns the leads of the block that ends at `end`. Before the text, there are none.
pub(super) fn leads(end: usize) -> Leads {
    Leads(Vector::of(if end == 0 { Vec::new() } else { vec![Item::Leads(end)] }))
}

/// Returns that the text before `at` is UTF-8, except for a character that is cut off.
pub(super) fn sound(at: usize) -> Known {
    Known::sound(at, if at == 0 { Cut::Nothing } else { Cut::Anything })
}

/// The search for a fault begins here.
pub(super) fn find(at: usize) -> Verdict {
    search_from(at);
    Verdict::suspect(at)
}
