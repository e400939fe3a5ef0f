//! The counts of characters, UTF-16 units and lines, for texts of all lengths: each byte counts once, as what it is, and no lane overflows.
//!
//! A count is a sum over the bytes of a text, so a number here is such a sum ([`Number`]): for parts of the text, what a byte of each value counts
//! for. Vectors are what each operation makes of each value of a byte. So two counts are equal if and only if each byte counts the same in both,
//! for all texts. A sum in the lanes of a vector may be 255 at most, whatever the bytes are.
//!
//! `steps.rs` says how loops are run. The invariant of each is that its counts are those of the text before its place, and nothing else.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Range, Sub};

use crate::kernel::lookup::loops::Memory;
use crate::steps::{choose, explore, missed, stop};

/// What a byte of each value counts for, or becomes.
type Table = [u8; 256];

/// The kinds of bytes that are counted, and characters and units, which are counted with them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Kind {
    Continuations,
    FromE0,
    FromF0,
    Newlines,
    Chars,
    Units,
}

impl Kind {
    /// Returns what RFC 3629 and UTF-16 say.
    fn weight(self, byte: u8) -> u8 {
        match self {
            Self::Continuations => u8::from((0x80..=0xBF).contains(&byte)),
            Self::FromE0 => u8::from(byte >= 0xE0),
            Self::FromF0 => u8::from(byte >= 0xF0),
            Self::Newlines => u8::from(byte == b'\n'),
            Self::Chars => u8::from(!(0x80..=0xBF).contains(&byte)),
            Self::Units => Self::Chars.weight(byte) + Self::FromF0.weight(byte),
        }
    }
}

/// How a table came about. The same operation has the same number, and so the same table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Source {
    Bytes,
    Kind(Kind),
    Of(&'static str, Operand, Operand),
    Lookup([u8; 64], usize),
}

/// A byte in each lane, or a table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Operand {
    Each(u8),
    Table(usize),
}

/// Bytes of the text, and the number of a table for them. Zeros follow in a vector that they do not fill.
#[derive(Clone, Copy, Debug)]
struct Part {
    start: usize,
    end: usize,
    table: usize,
}

/// A vector, or what a comparison of AVX-512 has found, with 0 and 1.
#[derive(Clone, Debug)]
enum Value {
    Each(u8),
    Constants([u8; 64]),
    Text(Part),
    /// The upper four bits of each byte. The bits above them may be anything.
    UpperBits(Part),
    Largest(Vec<Part>),
    Either(Vec<Part>),
    Sum(Vec<Part>),
    /// Sums in lanes of 64 bits, which are shorter than any text.
    Wide(Number),
}

/// A sum over the bytes of the text: a constant, and what the bytes of each part count for, times a factor.
#[derive(Clone, Default, Debug)]
struct Terms {
    constant: i64,
    parts: Vec<(Part, i64)>,
}

/// The number of a sum. The first is zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub(crate) struct Number(usize);

/// The number of a value.
#[derive(Clone, Copy)]
pub(crate) struct Vector(usize);

#[derive(Default)]
struct Run {
    address: usize,
    len: usize,
    /// Where the step begins, and how often the loop has begun one.
    at: usize,
    arrivals: usize,
    /// How many numbers the loop counts.
    numbers: usize,
    sums: Vec<Terms>,
    values: Vec<Value>,
    /// Bytes of the text whose value, by a table, has no bit 7.
    facts: Vec<Part>,
}

thread_local! {
    static RUN: RefCell<Run> = RefCell::default();
    static TABLES: RefCell<(Vec<Table>, HashMap<Source, usize>)> = RefCell::default();
    /// More operations than any text needs: then the loop does not end.
    static OPERATIONS: Cell<usize> = const { Cell::new(0) };
}

/// Returns the number of a table, which `value` makes if there is none.
fn table(source: Source, value: impl Fn(u8) -> u8) -> usize {
    if let Some(known) = TABLES.with_borrow(|(_, numbers)| numbers.get(&source).copied()) {
        return known;
    }
    let made: Table = std::array::from_fn(|byte| value(byte as u8));
    TABLES.with_borrow_mut(|(tables, numbers)| {
        tables.push(made);
        numbers.insert(source, tables.len() - 1);
        tables.len() - 1
    })
}

fn entry(table: usize, byte: u8) -> u8 {
    TABLES.with_borrow(|(tables, _)| tables[table][usize::from(byte)])
}

fn of_kind(kind: Kind) -> usize {
    table(Source::Kind(kind), |byte| kind.weight(byte))
}

/// Returns where in the text `bytes` are, if they are text.
fn place(bytes: &[u8]) -> Option<Range<usize>> {
    RUN.with_borrow(|run| {
        let at = bytes.as_ptr().addr().wrapping_sub(run.address);
        (at <= run.len && at + bytes.len() <= run.len).then(|| at..at + bytes.len())
    })
}

impl Number {
    pub(crate) const ZERO: Self = Self(0);

    fn of(terms: Terms) -> Self {
        RUN.with_borrow_mut(|run| {
            run.sums.push(terms);
            Self(run.sums.len() - 1)
        })
    }

    fn terms(self) -> Terms {
        RUN.with_borrow(|run| run.sums.get(self.0).cloned().unwrap_or_default())
    }

    fn plus(self, other: Terms, factor: i64) -> Self {
        let mut sum = self.terms();
        sum.constant += factor * other.constant;
        for (part, times) in other.parts {
            match sum.parts.last_mut() {
                Some((last, before))
                    if last.end == part.start && last.table == part.table && *before == factor * times =>
                {
                    last.end = part.end;
                }
                _ => sum.parts.push((part, factor * times)),
            }
        }
        Self::of(sum)
    }

    /// Returns the count of the lanes of vectors with `lanes` bytes.
    fn of_lanes(parts: &[Part], lanes: usize) -> Self {
        let terms = parts.iter().map(|&part| Terms {
            constant: (lanes - (part.end - part.start)) as i64 * i64::from(entry(part.table, 0)),
            parts: vec![(part, 1)],
        });
        terms.fold(Self::ZERO, |sum, terms| sum.plus(terms, 1))
    }

    fn counted(kind: Kind, start: usize, end: usize) -> Self {
        Self::of(Terms { constant: 0, parts: vec![(Part { start, end, table: of_kind(kind) }, 1)] })
    }

    /// Asserts that this is the count of `start..end`, for all bytes that the text may have.
    fn assert_counts(self, kind: Kind, start: usize, end: usize) {
        let terms = (self - Self::counted(kind, start, end)).terms();
        let facts = RUN.with_borrow(|run| run.facts.clone());
        let parts = || terms.parts.iter().map(|(part, _)| part).chain(&facts);
        let mut borders: Vec<usize> = parts().flat_map(|part| [part.start, part.end]).collect();
        borders.sort_unstable();
        borders.dedup();
        let mut changes: Vec<(usize, i64, usize)> = terms
            .parts
            .iter()
            .flat_map(|&(part, by)| [(part.start, by, part.table), (part.end, -by, part.table)])
            .collect();
        changes.sort_unstable();
        let (mut changes, mut constant, mut weights) =
            (changes.into_iter().peekable(), terms.constant, [0; 256]);
        for (at, to) in borders.iter().zip(borders.iter().skip(1)) {
            while let Some((_, by, table)) = changes.next_if(|change| change.0 == *at) {
                TABLES.with_borrow(|(tables, _)| {
                    weights
                        .iter_mut()
                        .zip(tables[table])
                        .for_each(|(sum, weight)| *sum += by * i64::from(weight));
                });
            }
            let of_here: Vec<_> = facts.iter().filter(|fact| fact.start <= *at && *to <= fact.end).collect();
            let may_be = |&byte: &usize| of_here.iter().all(|fact| entry(fact.table, byte as u8) < 0x80);
            let mut possible = (0..256).filter(may_be).map(|byte| weights[byte]);
            let first = possible.next().expect("a byte has some value");
            assert!(possible.all(|weight| weight == first), "bytes {at} to {to} are not counted as {kind:?}");
            constant += first * (to - at) as i64;
        }
        assert_eq!(constant, 0, "{kind:?} is another number");
    }
}

impl Add for Number {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.plus(other.terms(), 1)
    }
}

impl AddAssign for Number {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Number {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self.plus(other.terms(), -1)
    }
}

impl Sub<usize> for Number {
    type Output = Self;
    fn sub(self, n: usize) -> Self {
        self.plus(Terms { constant: n as i64, parts: Vec::new() }, -1)
    }
}

impl Sub<Number> for usize {
    type Output = Number;
    fn sub(self, other: Number) -> Number {
        Number::of(Terms { constant: self as i64, parts: Vec::new() }) - other
    }
}

impl Sum for Number {
    fn sum<I: Iterator<Item = Self>>(numbers: I) -> Self {
        numbers.fold(Self::ZERO, Self::add)
    }
}

impl Vector {
    fn of(value: Value) -> Self {
        OPERATIONS.set(OPERATIONS.get() + 1);
        assert!(OPERATIONS.get() < 100_000, "the loop does not end");
        RUN.with_borrow_mut(|run| {
            run.values.push(value);
            Self(run.values.len() - 1)
        })
    }

    fn value(self) -> Value {
        RUN.with_borrow(|run| run.values[self.0].clone())
    }

    /// Returns a table or constants, or the bytes of the text.
    fn load(bytes: &[u8]) -> Self {
        Self::of(match place(bytes) {
            Some(place) => Value::Text(Part {
                start: place.start,
                end: place.end,
                table: table(Source::Bytes, |byte| byte),
            }),
            None => Value::Constants(bytes.try_into().expect("a table has 64 bytes")),
        })
    }

    /// Returns the result of an operation on two bytes.
    fn zip(self, name: &'static str, other: Self, operation: impl Fn(u8, u8) -> u8) -> Self {
        let operand = |value: &Value| match *value {
            Value::Each(byte) => (Operand::Each(byte), None),
            Value::Text(part) => (Operand::Table(part.table), Some(part)),
            _ => unreachable!("{name} has other operands"),
        };
        let value = |operand, byte| match operand {
            Operand::Each(byte) => byte,
            Operand::Table(table) => entry(table, byte),
        };
        let ((a, first), (b, second)) = (operand(&self.value()), operand(&other.value()));
        let part = first.or(second).expect("one of them is text");
        assert!(second.is_none_or(|second| (second.start, second.end) == (part.start, part.end)));
        let made = table(Source::Of(name, a, b), |byte| operation(value(a, byte), value(b, byte)));
        Self::of(Value::Text(Part { table: made, ..part }))
    }

    /// Adds bytes to a sum in bytes.
    fn plus(self, part: Part) -> Self {
        let mut parts = match self.value() {
            Value::Each(0) => Vec::new(),
            Value::Sum(parts) => parts,
            _ => unreachable!("it is no sum"),
        };
        parts.push(part);
        let largest = |part: &Part| {
            TABLES
                .with_borrow(|(tables, _)| tables[part.table].iter().copied().max())
                .expect("a table has entries")
        };
        let sum: usize = parts.iter().map(|part| usize::from(largest(part))).sum();
        assert!(sum <= 255, "a sum may overflow: {sum}");
        Self::of(Value::Sum(parts))
    }

    fn merge(self, other: Self, merged: impl Fn(Vec<Part>) -> Value) -> Self {
        let parts = |value| match value {
            Value::Each(0) => Vec::new(),
            Value::Text(part) => vec![part],
            Value::Largest(parts) | Value::Either(parts) => parts,
            _ => unreachable!("it is no text"),
        };
        Self::of(merged([parts(self.value()), parts(other.value())].concat()))
    }

    fn any_high_bit(self) -> bool {
        let (Value::Largest(parts) | Value::Either(parts)) = self.value() else {
            unreachable!("it is no text")
        };
        if choose(2) == 0 {
            return true;
        }
        RUN.with_borrow_mut(|run| {
            for part in parts {
                match run.facts.last_mut() {
                    Some(last) if last.end == part.start && last.table == part.table => last.end = part.end,
                    _ => run.facts.push(part),
                }
            }
        });
        false
    }

    /// Returns the sum of all lanes.
    fn sum(self, lanes: usize) -> Number {
        match self.value() {
            Value::Each(0) => Number::ZERO,
            Value::Sum(parts) => Number::of_lanes(&parts, lanes),
            _ => unreachable!("it is no sum"),
        }
    }
}

fn minus_saturating(a: u8, b: u8) -> u8 {
    a.saturating_sub(b)
}

fn below_signed(a: u8, b: u8) -> bool {
    a.cast_signed() < b.cast_signed()
}

/// A set's vectors.
pub(crate) trait Register {
    type Vector;
}

/// The library's trait of this name, as far as counts need it, with sums that are no numbers.
pub(crate) trait Simd: Copy + Register<Vector = Vector> {
    const LANES: usize;

    fn splat(self, byte: u8) -> Vector {
        Vector::of(Value::Each(byte))
    }

    fn load(self, bytes: &[u8], at: usize) -> Vector {
        Vector::load(&bytes[at..at + Self::LANES])
    }

    fn load_short(self, bytes: &[u8]) -> Vector {
        assert!(bytes.len() < Self::LANES);
        Vector::load(bytes)
    }

    fn max(self, a: Vector, b: Vector) -> Vector {
        a.merge(b, Value::Largest)
    }

    fn any_high_bit(self, v: Vector) -> bool {
        v.any_high_bit()
    }

    /// Of the largest bytes, it is the largest of the differences.
    fn minus_saturating(self, a: Vector, b: Vector) -> Vector {
        let Value::Largest(parts) = a.value() else { return a.zip("minus_saturating", b, minus_saturating) };
        let differences = parts.into_iter().map(|part| {
            let Value::Text(part) = self.minus_saturating(Vector::of(Value::Text(part)), b).value() else {
                unreachable!()
            };
            part
        });
        Vector::of(Value::Largest(differences.collect()))
    }

    fn equal(self, a: Vector, b: Vector) -> Vector {
        a.zip("equal", b, |a, b| if a == b { 0xFF } else { 0 })
    }

    fn below_signed(self, a: Vector, b: Vector) -> Vector {
        a.zip("below_signed", b, |a, b| if below_signed(a, b) { 0xFF } else { 0 })
    }

    fn minus_wrapping(self, sum: Vector, v: Vector) -> Vector {
        let Value::Text(part) = v.zip("negated", v, |a, _| a.wrapping_neg()).value() else { unreachable!() };
        sum.plus(part)
    }

    fn sum(self, v: Vector) -> Number {
        v.sum(Self::LANES)
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Lanes16;

#[derive(Clone, Copy)]
pub(crate) struct Lanes32;

impl Register for Lanes16 {
    type Vector = Vector;
}

impl Simd for Lanes16 {
    const LANES: usize = 16;
}

impl Register for Lanes32 {
    type Vector = Vector;
}

impl Simd for Lanes32 {
    const LANES: usize = 32;
}

/// What a comparison has found.
#[derive(Clone, Copy)]
pub(crate) struct Places(Vector);

impl Places {
    pub(crate) fn count_ones(self) -> Number {
        let Value::Text(part) = self.0.value() else { unreachable!("it is no text") };
        Number::of_lanes(&[part], 64)
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Avx512;

/// The operations of AVX-512 that count. Their comments are in the library's file of this name.
impl Avx512 {
    pub(crate) fn load(self, bytes: &[u8], at: usize) -> Vector {
        Vector::load(&bytes[at..at + 64])
    }

    pub(crate) fn load_short(self, bytes: &[u8]) -> Vector {
        assert!(bytes.len() < 64);
        Vector::load(bytes)
    }

    pub(crate) fn splat(self, byte: u8) -> Vector {
        Vector::of(Value::Each(byte))
    }

    pub(crate) fn zero(self) -> Vector {
        self.splat(0)
    }

    pub(crate) fn opaque_ones(self) -> Vector {
        self.splat(1)
    }

    pub(crate) fn or(self, a: Vector, b: Vector) -> Vector {
        a.merge(b, Value::Either)
    }

    pub(crate) fn any_high_bit(self, v: Vector) -> bool {
        v.any_high_bit()
    }

    pub(crate) fn equal(self, a: Vector, b: Vector) -> Places {
        Places(a.zip("is_equal", b, |a, b| u8::from(a == b)))
    }

    pub(crate) fn below_signed(self, a: Vector, b: Vector) -> Places {
        Places(a.zip("is_below_signed", b, |a, b| u8::from(below_signed(a, b))))
    }

    pub(crate) fn at_least(self, a: Vector, b: Vector) -> Places {
        Places(a.zip("is_at_least", b, |a, b| u8::from(a >= b)))
    }

    pub(crate) fn shift_right_4_in_16(self, v: Vector) -> Vector {
        let Value::Text(part) = v.zip("upper", v, |a, _| a >> 4).value() else { unreachable!() };
        Vector::of(Value::UpperBits(part))
    }

    /// Only the lower six bits count. Two of them may be anything.
    pub(crate) fn lookup(self, table: Vector, indices: Vector) -> Vector {
        let (Value::Constants(table), Value::UpperBits(part)) = (table.value(), indices.value()) else {
            unreachable!("it is no lookup of a byte's upper bits")
        };
        assert!(table.as_chunks::<16>().0.iter().all(|copy| *copy == table[..16]), "the copies differ");
        // A table of another value is another operation.
        let looked_up = self::table(Source::Lookup(table, part.table), |byte| {
            table[usize::from(entry(part.table, byte))]
        });
        Vector::of(Value::Text(Part { table: looked_up, ..part }))
    }

    pub(crate) fn plus(self, sum: Vector, v: Vector) -> Vector {
        let Value::Text(part) = v.value() else { unreachable!("it is no text") };
        sum.plus(part)
    }

    pub(crate) fn count_where(self, sum: Vector, found: Places, ones: Vector) -> Vector {
        assert!(matches!(ones.value(), Value::Each(1)));
        self.plus(sum, found.0)
    }

    pub(crate) fn sums_of_bytes(self, v: Vector) -> Vector {
        Vector::of(Value::Wide(v.sum(64)))
    }

    pub(crate) fn plus64(self, a: Vector, b: Vector) -> Vector {
        Vector::of(Value::Wide(self.sum_of_lanes(a) + self.sum_of_lanes(b)))
    }

    pub(crate) fn sum_of_lanes(self, v: Vector) -> Number {
        match v.value() {
            Value::Wide(number) => number,
            _ => v.sum(64),
        }
    }
}

/// A byte that is counted without vectors, in a lane of one byte: how much it is at most, and what it counts.
#[derive(Clone, Copy)]
pub(crate) struct Lane(usize, Number);

impl Lane {
    pub(crate) const ZERO: Self = Self(0, Number::ZERO);

    pub(crate) fn wrapping_add(self, other: Self) -> Self {
        assert!(self.0 + other.0 <= 255, "a sum may overflow");
        Self(self.0 + other.0, self.1 + other.1)
    }
}

impl From<Lane> for Number {
    fn from(lane: Lane) -> Self {
        lane.1
    }
}

/// A count in a loop: a number, or lanes of 64 bits.
trait Count {
    fn set(&mut self, number: Number);
    fn number(&self) -> Number;
}

impl Count for Number {
    fn set(&mut self, number: Number) {
        *self = number;
    }
    fn number(&self) -> Number {
        *self
    }
}

impl Count for Vector {
    fn set(&mut self, number: Number) {
        *self = Self::of(Value::Wide(number));
    }
    fn number(&self) -> Number {
        Avx512.sum_of_lanes(*self)
    }
}

/// A loop over all of the text, which counts from `from` on, begins a step with what it has counted. Returns whether it is a step that is tried: the
/// first one from the place to begin with on, where all before counts as the invariant says, or the one after it.
fn begins(bytes: &[u8], from: usize, at: usize, counts: &mut [(&mut dyn Count, Kind)]) -> bool {
    let (len, begin, arrivals, numbers) = RUN.with_borrow(|run| (run.len, run.at, run.arrivals, run.numbers));
    if bytes.len() < len || arrivals > 0 && numbers != counts.len() {
        // It is a chunk, inside of a step of the loop with all counts.
        return true;
    }
    if arrivals == 0 && at < begin {
        return false;
    }
    RUN.with_borrow_mut(|run| {
        assert!(run.arrivals == 0 || at > run.at, "no step forward");
        (run.at, run.arrivals, run.numbers) = (at, run.arrivals + 1, counts.len());
    });
    for (count, kind) in counts {
        if arrivals == 0 {
            count.set(Number::counted(*kind, from, at));
        } else {
            count.number().assert_counts(*kind, from, at);
        }
    }
    // Two steps show what a step leaves to the next one besides.
    if arrivals == 2 {
        stop();
    }
    true
}

/// A loop begins a step with a chunk of the text.
fn begins_chunk(bytes: &[u8], from: usize, chunk: &[u8], count: &mut impl Count, kind: Kind) -> bool {
    let at = place(chunk).expect("it is text").start;
    begins(bytes, from, at, &mut [(count, kind)])
}

/// A loop begins a step with the rest of the text.
fn begins_with<'a>(bytes: &'a [u8], left: &mut &'a [u8], counts: &mut [(&mut dyn Count, Kind)]) {
    let begin = RUN.with_borrow(|run| if run.arrivals == 0 && bytes.len() == run.len { run.at } else { 0 });
    if begin > 0 {
        *left = &bytes[begin..];
    }
    begins(bytes, 0, bytes.len() - left.len(), counts);
}

/// Returns each of the four counts, with what it counts.
fn four(counts: &mut Counts) -> [(&mut dyn Count, Kind); 4] {
    [
        (&mut counts.continuations, Kind::Continuations),
        (&mut counts.from_e0, Kind::FromE0),
        (&mut counts.from_f0, Kind::FromF0),
        (&mut counts.newlines, Kind::Newlines),
    ]
}

fn characters_or_units(is_utf16: bool) -> Kind {
    if is_utf16 { Kind::Units } else { Kind::Chars }
}

fn continuations_or_units(is_utf16: bool) -> Kind {
    if is_utf16 { Kind::Units } else { Kind::Continuations }
}

use scalar_0::Counts;

// The loops, and copies with one mistake each. build.rs makes them, and lists of them.
include!(concat!(env!("OUT_DIR"), "/scalar.rs"));
include!(concat!(env!("OUT_DIR"), "/lanes.rs"));
include!(concat!(env!("OUT_DIR"), "/wide.rs"));

/// All counts, characters, and units of UTF-16.
type Counters = &'static [(fn(&[u8]) -> Counts, fn(&[u8]) -> Number, fn(&[u8]) -> Number)];

/// The sum of any weights up to two.
type Scalar = fn(&[u8], fn(&u8) -> Lane) -> Number;

/// Tries all paths of two steps that begin at `at`, or at the next place, in a text of `n` bytes; from 0, from the start.
fn try_paths(n: usize, misaligned: usize, at: usize, count: impl Fn(&[u8])) {
    thread_local! {
        static MEMORY: RefCell<Memory> = const { RefCell::new(Memory(Vec::new())) };
    }
    MEMORY.with_borrow_mut(|memory| {
        let text = &*memory.text(n, misaligned);
        explore(|| {
            OPERATIONS.set(0);
            let sums = vec![Terms::default()];
            RUN.set(Run { address: text.as_ptr().addr(), len: n, at, sums, ..Run::default() });
            count(text);
        });
        RUN.set(Run::default());
    });
}

/// Asserts that a function's result is the count of the whole text. A mistake may have the effect that no step begins where it should; then nothing
/// is shown.
fn ends_right(number: Number, kind: Kind) {
    let (n, is_reached) = RUN.with_borrow(|run| (run.len, run.at == 0 || run.arrivals > 0));
    if is_reached {
        number.assert_counts(kind, 0, n);
    }
}

/// All functions of all vectors, on a text of `n` bytes.
fn try_all(counters: Counters, n: usize, misaligned: usize, at: usize) {
    for &(count, chars, units) in counters {
        try_paths(n, misaligned, at, |text| {
            four(&mut count(text)).into_iter().for_each(|(number, kind)| ends_right(number.number(), kind));
        });
        try_paths(n, misaligned, at, |text| ends_right(chars(text), Kind::Chars));
        try_paths(n, misaligned, at, |text| ends_right(units(text), Kind::Units));
    }
}

/// Texts of up to 1,600 bytes from the start, and steps from later places, to the end and to the next step. (A chunk has 512 bytes at most. For mistakes
/// there are longer ones.)
fn all_texts(counters: Counters, is_thorough: bool) -> bool {
    let by = if is_thorough { 1 } else { 97 };
    let near_vectors = (0..=1056).step_by(16).flat_map(|n| [n, n + 1, n + 15]);
    (0..=1600).step_by(by).chain(near_vectors).for_each(|n| try_all(counters, n, 0, 0));
    for at in [1024, 7 * 4096] {
        for rest in [577, 592, 600, 777, 832, 1024, 1536, 2049, 16_384, 20_000] {
            [0, 1, 63].into_iter().for_each(|misaligned| try_all(counters, at + rest, misaligned, at));
        }
    }
    true
}

fn by_scalar(sum: Scalar) -> bool {
    let weight = |byte: &u8| {
        let at = place(std::slice::from_ref(byte)).expect("it is text").start;
        Lane(2, Number::counted(Kind::Units, at, at + 1))
    };
    // Whole groups have 127 blocks of 64 bytes.
    for (at, rests) in [
        (0, &[0, 1, 63, 64, 65, 200, 8127, 8128, 8129, 8400, 16_400][..]),
        (8128, &[8128, 8300, 16_400]),
        (5 * 8128, &[8128, 8192, 8300]),
    ] {
        for rest in rests {
            try_paths(at + rest, 0, at, |text| ends_right(sum(text, weight), Kind::Units));
        }
    }
    true
}

pub(crate) fn vectors() -> bool {
    all_texts(LANES[0].1, true)
}

pub(crate) fn avx512() -> bool {
    all_texts(WIDE[0].1, true)
}

pub(crate) fn scalar() -> bool {
    by_scalar(SCALAR[0].1)
}

/// Returns the mistakes that no step shows, and how many there are.
pub(crate) fn unnoticed() -> (Vec<&'static str>, usize) {
    let missed = [
        missed(LANES, |counters| all_texts(counters, false)),
        missed(WIDE, |counters| all_texts(counters, false)),
        missed(SCALAR, by_scalar),
    ];
    (missed.concat(), LANES.len() + WIDE.len() + SCALAR.len() - 3)
}
