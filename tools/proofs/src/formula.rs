//! Boolean formulas of many variables, as decision diagrams.
//!
//! A formula is a number. Two formulas are equal for all values of their variables if and only if their numbers are equal. So a
//! proof that two formulas are the same is one comparison.
//!
//! The form is R. E. Bryant's ('Graph-Based Algorithms for Boolean Function Manipulation', 1986). A node asks for one variable,
//! and has the formula for 0 and the formula for 1. Variables are asked for in the order of their numbers; no node has the same
//! formula for both values; and no two nodes are equal. A formula and its opposite share a node, whose formula for 0 is not an
//! opposite (K. S. Brace, R. L. Rudell and R. E. Bryant, 'Efficient Implementation of a BDD Package', 1990). Under these rules
//! there is one diagram for each function.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher};

/// A Boolean function of the variables: the number of a node, doubled, and one more for the opposite of the node's formula.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Formula(u32);

pub(crate) const FALSE: Formula = Formula(0);
pub(crate) const TRUE: Formula = Formula(1);

/// The places for results that there are at first: a power of two.
const FEW: usize = 1 << 12;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Node {
    variable: u32,
    if_0: Formula,
    if_1: Formula,
}

struct Store {
    nodes: Vec<Node>,
    /// The numbers of the nodes.
    numbers: HashMap<Node, u32, BuildHasherDefault<Numbers>>,
    /// Results of [`Store::choose`]: three arguments and the result. A new result overwrites an old one with the same place. There
    /// is room for as many results as nodes, and their number is a power of two.
    results: Vec<[u32; 4]>,
}

/// A hash of small numbers. With the standard library's, proofs take a tenth longer.
#[derive(Default)]
struct Numbers(u64);

impl Hasher for Numbers {
    fn write_u32(&mut self, number: u32) {
        self.0 = (self.0.rotate_left(23) ^ u64::from(number)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("nodes have numbers")
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 29
    }
}

impl Store {
    fn new() -> Self {
        Self {
            // The constants come after all variables.
            nodes: vec![Node { variable: u32::MAX, if_0: FALSE, if_1: FALSE }],
            numbers: HashMap::default(),
            results: vec![[u32::MAX; 4]; FEW],
        }
    }

    fn node(&mut self, variable: u32, if_0: Formula, if_1: Formula) -> Formula {
        if if_0 == if_1 {
            return if_0;
        }
        let opposite = if_0.0 % 2;
        let [if_0, if_1] = [if_0, if_1].map(|formula| Formula(formula.0 ^ opposite));
        let node = Node { variable, if_0, if_1 };
        let number = *self.numbers.entry(node).or_insert_with(|| {
            self.nodes.push(node);
            u32::try_from(self.nodes.len() - 1).expect("there are fewer than 2^31 nodes")
        });
        Formula((2 * number) ^ opposite)
    }

    /// Returns the node of a formula, or of its opposite.
    fn at(&self, f: Formula) -> &Node {
        &self.nodes[f.0 as usize / 2]
    }

    /// Returns `f` with `variable` set, if `f` begins with that variable.
    fn with(&self, f: Formula, variable: u32, value: bool) -> Formula {
        let node = self.at(f);
        match (node.variable == variable, value) {
            (false, _) => f,
            (true, false) => Formula(node.if_0.0 ^ (f.0 % 2)),
            (true, true) => Formula(node.if_1.0 ^ (f.0 % 2)),
        }
    }

    /// Returns the formula that is `g` where `f` is true, and `h` where it is false.
    fn choose(&mut self, f: Formula, g: Formula, h: Formula) -> Formula {
        match (f, g, h) {
            (TRUE, _, _) => return g,
            (FALSE, _, _) => return h,
            (_, TRUE, FALSE) => return f,
            (_, FALSE, TRUE) => return f.not(),
            _ if g == h => return g,
            // One form of each question: `f` and `g` are the formulas of nodes, not their opposites.
            _ if f.0 % 2 == 1 => return self.choose(f.not(), h, g),
            _ if g.0 % 2 == 1 => return self.choose(f, g.not(), h.not()).not(),
            _ => {}
        }
        let hash = self.numbers.hasher().hash_one((f, g, h)) as usize;
        let place = hash & (self.results.len() - 1);
        if let [a, b, c, result] = self.results[place]
            && [a, b, c] == [f.0, g.0, h.0]
        {
            return Formula(result);
        }
        let variable = [f, g, h].map(|f| self.at(f).variable).into_iter().min().expect("there are three");
        let [if_0, if_1] = [false, true].map(|value| {
            let [f, g, h] = [f, g, h].map(|formula| self.with(formula, variable, value));
            self.choose(f, g, h)
        });
        let result = self.node(variable, if_0, if_1);
        if self.nodes.len() > self.results.len() {
            self.results = vec![[u32::MAX; 4]; 4 * self.results.len()];
        }
        let place = hash & (self.results.len() - 1);
        self.results[place] = [f.0, g.0, h.0, result.0];
        result
    }
}

thread_local! {
    static STORE: RefCell<Store> = RefCell::new(Store::new());
    static DIFFERENCE: RefCell<Option<Vec<u32>>> = const { RefCell::new(None) };
}

/// Returns values of the variables for which the last two formulas differed that were not the same: the variables that are 1.
pub(crate) fn difference() -> Option<Vec<u32>> {
    DIFFERENCE.take()
}

/// Runs `work` with no formulas, and drops all formulas that it makes.
pub(crate) fn alone<R>(work: impl FnOnce() -> R) -> R {
    let outer = STORE.replace(Store::new());
    let result = work();
    STORE.set(outer);
    result
}

impl Formula {
    pub(crate) fn variable(number: u32) -> Self {
        STORE.with_borrow_mut(|store| store.node(number, FALSE, TRUE))
    }

    pub(crate) fn constant(value: bool) -> Self {
        if value { TRUE } else { FALSE }
    }

    /// Returns the formula that is `g` where `self` is true, and `h` where it is false.
    pub(crate) fn choose(self, g: Self, h: Self) -> Self {
        STORE.with_borrow_mut(|store| store.choose(self, g, h))
    }

    pub(crate) fn not(self) -> Self {
        Self(self.0 ^ 1)
    }

    pub(crate) fn and(self, other: Self) -> Self {
        self.choose(other, FALSE)
    }

    pub(crate) fn or(self, other: Self) -> Self {
        self.choose(TRUE, other)
    }

    pub(crate) fn xor(self, other: Self) -> Self {
        self.choose(other.not(), other)
    }

    /// Returns whether two formulas are the same for all values of the variables. If not, [`difference`] returns values for which
    /// they differ.
    pub(crate) fn is(self, other: Self) -> bool {
        if self != other {
            DIFFERENCE.set(self.xor(other).example());
        }
        self == other
    }

    /// Returns whether the formula is one of the constants, and which.
    pub(crate) fn value(self) -> Option<bool> {
        match self {
            FALSE => Some(false),
            TRUE => Some(true),
            _ => None,
        }
    }

    /// Returns the value of the formula where `values` are the values of the variables.
    pub(crate) fn under(self, values: impl Fn(u32) -> bool) -> bool {
        STORE.with_borrow(|store| {
            let mut at = self;
            while at.value().is_none() {
                let variable = store.at(at).variable;
                at = store.with(at, variable, values(variable));
            }
            at == TRUE
        })
    }

    /// Returns values for which the formula is true, as the variables that have the value 1.
    fn example(self) -> Option<Vec<u32>> {
        if self == FALSE {
            return None;
        }
        STORE.with_borrow(|store| {
            let (mut at, mut ones) = (self, Vec::new());
            while at != TRUE {
                let variable = store.at(at).variable;
                let [if_0, if_1] = [false, true].map(|value| store.with(at, variable, value));
                // Every formula but `FALSE` is true for some values.
                at = if if_0 == FALSE { if_1 } else { if_0 };
                if if_0 == FALSE {
                    ones.push(variable);
                }
            }
            Some(ones)
        })
    }
}
