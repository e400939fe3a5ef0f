//! What is proved of the automaton.
//!
//! Its table is compared with the grammar for each state and byte. Its loops are run a step at a time (`steps.rs`), with `read` and
//! `step` replaced by functions that note what they are given, and return any state. A byte of the text that the loops see is its place, modulo
//! 128, so a place that is read twice, or not at all, is found.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use super::{Engine, Verdict};
use crate::boundary::start_before;
use crate::rfc;
use crate::steps::{choose, explore, missed, stop};

/// Instead of the library's error: where it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Utf8Error(usize);

impl Utf8Error {
    fn at(_: &[u8], start: usize) -> Self {
        Self(start)
    }
}

/// The private functions and constants of a copy of `automaton.rs`.
#[derive(Clone, Copy)]
pub(crate) struct Parts {
    start: u32,
    fault: u32,
    states: &'static [u32],
    step: fn(u32, u8) -> u32,
    is: fn(u32, u32) -> bool,
    read: fn(u32, &[u8]) -> u32,
    first_fault: fn(&[u8], usize) -> Option<usize>,
    judge: fn(&[u8], usize) -> Result<(), Utf8Error>,
    validate: fn(&[u8]) -> Verdict,
    piece_continues: fn([u8; 4], &[u8]) -> bool,
    is_tiny_text: fn(&[u8]) -> bool,
}

// `automaton.rs` as `automaton_0`, and copies with one mistake each, listed in `AUTOMATON`; then the same with other functions for `read` and
// `step`, as `scan_0` and in `SCAN`. build.rs makes them.
include!(concat!(env!("OUT_DIR"), "/automaton.rs"));
include!(concat!(env!("OUT_DIR"), "/scan.rs"));

pub(crate) use automaton_0::is_tiny_text;

/// Returns a byte of each class: bytes that no range of the grammar tells apart.
fn classes() -> Vec<u8> {
    rfc::edges()
}

/// For each state of the table that a text can lead to, and each byte, the next state is the grammar's. So for texts of any length, the state
/// is the grammar's, by induction. What leads to no text is the state `FAULT`, and only the start of a character is `START`.
fn table_is_grammar(parts: Parts) -> bool {
    // The upper bits of a state do not matter.
    let low = |state: u32| state & 31;
    let mut of_grammar = BTreeMap::from([(low(parts.start), rfc::rests(&rfc::start()))]);
    let (mut open, mut seen) = (vec![(parts.start, rfc::start())], BTreeSet::new());
    while let Some((state, expected)) = open.pop() {
        if !seen.insert(state) {
            continue;
        }
        for byte in 0..=255 {
            let (after, expected) = ((parts.step)(state, byte), rfc::next(&expected, byte));
            let rests = rfc::rests(&expected);
            let is_one = *of_grammar.entry(low(after)).or_insert_with(|| rests.clone()) == rests;
            let is = |state| (parts.is)(after, state);
            if !is_one
                || is(parts.fault) != expected.is_empty()
                || is(parts.start) != (expected == rfc::start())
                || parts.states.iter().any(|&other| is(other) != (other == low(after)))
            {
                return false;
            }
            open.push((after, expected));
        }
    }
    // Different states are different in the grammar, too, and all are reached.
    let states: BTreeSet<_> = of_grammar.values().collect();
    of_grammar.len() == parts.states.len() && states.len() == of_grammar.len()
}

/// The step of `read`: a word of eight bytes. From each state, for bytes of classes in all orders, the state is the same as byte by byte. The
/// code reads byte by byte or leaves the state; which of both depends only on whether the state is `START` and which bytes are ASCII. The
/// rest of up to seven bytes is read byte by byte.
fn read_is_steps(parts: Parts) -> bool {
    const BYTES: [u8; 4] = [0x00, 0x7F, 0x80, 0xC3];
    let agrees = |state: u32, bytes: &[u8]| {
        let expected = bytes.iter().fold(state, |state, &byte| (parts.step)(state, byte));
        let found = (parts.read)(state, bytes);
        parts.states.iter().all(|&other| (parts.is)(found, other) == (parts.is)(expected, other))
    };
    let words_agree = (0..4_usize.pow(8)).all(|number| {
        let word: [u8; 8] = std::array::from_fn(|at| BYTES[number >> (2 * at) & 3]);
        parts.states.iter().all(|&state| agrees(state, &word))
    });
    // Each byte is seen at each place, in words and in a rest of each length.
    let mut places = (0..31).flat_map(|len| (0..len).map(move |at| (len, at)));
    words_agree
        && places.all(|(len, at)| {
            (0..=255).all(|byte| {
                let mut text = vec![b'a'; len];
                text[at] = byte;
                agrees(parts.start, &text)
            })
        })
}

/// Whether texts of up to three bytes are UTF-8, for all of them.
fn tiny_texts(parts: Parts) -> bool {
    let table = rfc::table();
    let holds = |text: &[u8]| {
        let state = text.iter().fold(0, |state, &byte| table[state][usize::from(byte)]);
        (parts.is_tiny_text)(text) == (state == 0)
    };
    (0..=3).all(|len| (0..1_u32 << (8 * len)).all(|number| holds(&number.to_le_bytes()[..len as usize])))
}

/// A piece continues a text if and only if both together are the beginning of a text, for all last four bytes of texts, by class.
fn pieces(parts: Parts) -> bool {
    let bytes = classes();
    let (mut seen, mut open) = (BTreeSet::new(), vec![(rfc::start(), [0; 4])]);
    while let Some((state, last)) = open.pop() {
        if !seen.insert((state.clone(), last)) {
            continue;
        }
        for &byte in &bytes {
            let after = rfc::next(&state, byte);
            if (parts.piece_continues)(last, &[byte]) == after.is_empty() {
                return false;
            }
            if !after.is_empty() {
                open.push((after, [last[1], last[2], last[3], byte]));
            }
        }
    }
    true
}

/// Before a place in a text, at most three bytes are read to find where a character begins: for all bytes of classes, if the text before is
/// UTF-8 except for a character that is cut off.
fn starts() -> bool {
    let bytes = classes();
    let (mut seen, mut open) = (BTreeSet::new(), vec![(rfc::start(), Vec::new(), 0)]);
    while let Some((state, text, start)) = open.pop() {
        let at = text.len();
        // A whole character before the place may be found as well.
        let expected = if state == rfc::start() { [start, at] } else { [start, start] };
        if !expected.contains(&start_before(&text, at)) {
            return false;
        }
        for &byte in &bytes {
            let after = rfc::next(&state, byte);
            let start = if state == rfc::start() { at } else { start };
            let text: Vec<u8> = text.iter().copied().chain([byte]).collect();
            if !after.is_empty() && text.len() <= 5 && seen.insert(text.clone()) {
                open.push((after, text, start));
            }
        }
    }
    true
}

/// What a path knows of a text.
#[derive(Clone, Copy, Default)]
struct Read {
    /// Up to here, `read` and `step` have been given all bytes, once and in order.
    at: usize,
    /// The state there.
    state: u32,
    /// Where the state was `START` most recently.
    start: usize,
}

/// Where a path begins: the loop, and its state.
#[derive(Clone, Copy)]
enum Begin {
    Validate { at: usize },
    FirstFault(Read),
    Done,
}

thread_local! {
    static READ: Cell<Read> = Cell::default();
    /// Where the step begins.
    static BEFORE: Cell<usize> = const { Cell::new(0) };
    static BEGIN: Cell<Begin> = const { Cell::new(Begin::Done) };
    /// The address of the text, and its length.
    static TEXT: Cell<(usize, usize)> = Cell::default();
}

const FAULT: u32 = scan_0::PROGRAM.states[0];
const START: u32 = scan_0::PROGRAM.states[1];
const TAIL1: u32 = scan_0::PROGRAM.states[2];
const TAIL2: u32 = scan_0::PROGRAM.states[3];

/// How many bytes of a character are due in each of the states, in the order of `automaton.rs`.
const DUE: [usize; 9] = [0, 0, 1, 2, 3, 2, 2, 3, 3];

/// Instead of `step`: notes a byte, and returns any state that the grammar allows after `state`: a character ends after as many bytes as it
/// needs, or begins, or is wrong. The upper bits of a state are anything.
fn any_step(state: u32, byte: u8) -> u32 {
    let mut read = READ.get();
    let state = state & 31;
    assert_eq!(byte & 0x7F, (read.at % 128) as u8, "another byte is read");
    assert!(state == read.state && state != FAULT, "the state is another one");
    if state == START {
        read.start = read.at;
    }
    let states = scan_0::PROGRAM.states;
    let due = DUE[states.iter().position(|&other| other == state).expect("a state")];
    let after: &[u32] = match due {
        0 => states,
        1 => &[START, FAULT],
        2 => &[TAIL1, FAULT],
        _ => &[TAIL2, FAULT],
    };
    read.at += 1;
    read.state = after[choose(after.len())];
    READ.set(read);
    read.state | 0x5555_5540
}

/// Instead of `read`: the same for several bytes. A character that they cut off begins in their last three bytes.
fn any_read(state: u32, bytes: &[u8]) -> u32 {
    let mut read = READ.get();
    let (address, len) = TEXT.get();
    assert_eq!(bytes.as_ptr().addr(), address + read.at, "other bytes are read");
    assert!(state == START && read.state == state && read.at + bytes.len() <= len);
    read.at += bytes.len();
    read.state = scan_0::PROGRAM.states[choose(9)];
    READ.set(read);
    read.state | 0x5555_5540
}

/// The loop of `validate` begins a step.
fn validates(bytes: &[u8], at: &mut usize) {
    match BEGIN.replace(Begin::Done) {
        Begin::Validate { at: other } => {
            *at = other;
            READ.set(Read { at: other, state: START, start: other });
            BEFORE.set(other);
        }
        _ => {
            assert!(*at > BEFORE.get() && *at <= bytes.len(), "no step forward");
            assert!(is_known_up_to(bytes, *at), "something is left out");
            if *at < bytes.len() {
                stop();
            }
        }
    }
}

/// The loop of `first_fault` begins a step.
fn searches(bytes: &[u8], state: &mut u32, start: &mut usize, at: &mut usize) {
    match BEGIN.replace(Begin::Done) {
        Begin::FirstFault(read) => {
            (*state, *start, *at) = (read.state | 0x2AAA_AAA0, read.start, read.at);
            READ.set(read);
            BEFORE.set(read.at);
        }
        _ => {
            let read = READ.get();
            assert!(*at > BEFORE.get() && *at <= bytes.len(), "no step forward");
            assert!(*state & 31 == read.state && read.state != FAULT, "the state is another one");
            let is_ascii = *state & 31 == START && bytes[BEFORE.get()..*at].is_ascii();
            assert!(read.at == *at || is_ascii && read.at == BEFORE.get(), "something is left out");
            assert!(read.state == START || *start == read.start, "the character begins elsewhere");
            if *at < bytes.len() {
                stop();
            }
        }
    }
}

/// Whether it is known that the text up to `at` is UTF-8: it was read up to a whole character, or the block from the step's start is ASCII.
fn is_known_up_to(bytes: &[u8], at: usize) -> bool {
    let read = READ.get();
    read.at == at && read.state == START || read.at == BEFORE.get() && bytes[read.at..at].is_ascii()
}

/// One step of each loop, from each state, with each rest of up to 200 bytes (a step reads fewer than 70), at two places. What the loops see of a
/// text is its length, and whether blocks and words are ASCII. The path ends at the next step, or with the right answer.
fn a_step(parts: Parts) -> bool {
    let texts = [3, 900].into_iter().flat_map(|before| (0..=200).map(move |rest| (before, rest)));
    for (before, rest) in texts {
        for ascii in
            [0, 1, 7, 8, 9, 16, 63, 64, 65, 200].into_iter().filter(|&ascii| ascii <= rest || ascii == 200)
        {
            for skip in [0, 1] {
                let is_ascii = |at| (before + skip..before + skip + ascii).contains(&at);
                let text: Vec<u8> = (0..before + rest)
                    .map(|at| (at % 128) as u8 | if is_ascii(at) { 0 } else { 0x80 })
                    .collect();
                a_step_of(parts, &text, before);
            }
        }
    }
    true
}

fn a_step_of(parts: Parts, text: &[u8], at: usize) {
    let n = text.len();
    TEXT.set((text.as_ptr().addr(), n));
    // Where a fault was read, or the text cuts a character off, the answer is where the step, or the character, begins.
    let is_wrong = |read: Read| read.state == FAULT || read.at == n && read.state != START;
    explore(|| {
        BEGIN.set(Begin::Validate { at });
        match (parts.validate)(text).suspicion() {
            None => assert!(is_known_up_to(text, n), "the end is left out"),
            Some(suspect) => assert!(suspect == at && is_wrong(READ.get())),
        }
    });
    for (&state, due) in parts.states.iter().zip(DUE).skip(1) {
        // Where a character begins, the code does not yet know it.
        for back in if due == 0 { 3..4 } else { 1..5 - due } {
            explore(|| {
                BEGIN.set(Begin::FirstFault(Read { at, state, start: at - back }));
                match (parts.first_fault)(text, 0) {
                    None => assert!(is_known_up_to(text, n), "the end is left out"),
                    Some(start) => assert!(start == READ.get().start && is_wrong(READ.get())),
                }
            });
        }
    }
}

/// The judge accepts what it has read as a whole, and nothing else, wherever the suspicion is.
fn judges(parts: Parts) -> bool {
    let bytes = [b'a', 0xC3, 0xA9, 0x80, 0xF0];
    (0..5_usize.pow(4)).all(|number| {
        let text: [u8; 4] = std::array::from_fn(|at| bytes[number / 5_usize.pow(at as u32) % 5]);
        let first = (parts.first_fault)(&text, 0);
        let state = text.iter().fold(parts.start, |state, &byte| (parts.step)(state, byte));
        first.is_none() == (parts.is)(state, parts.start)
            && (0..=5).all(|suspect| {
                let judged = (parts.judge)(&text, suspect);
                judged.is_ok() == first.is_none()
                    && (suspect > 0 || judged.err().map(|error| error.0) == first)
            })
    })
}

fn holds(parts: Parts) -> bool {
    table_is_grammar(parts) && read_is_steps(parts) && pieces(parts) && judges(parts)
}

pub(crate) fn table() -> bool {
    table_is_grammar(AUTOMATON[0].1)
}

pub(crate) fn words_and_pieces() -> bool {
    holds(AUTOMATON[0].1) && starts()
}

pub(crate) fn tiny() -> bool {
    tiny_texts(AUTOMATON[0].1)
}

pub(crate) fn steps() -> bool {
    a_step(SCAN[0].1)
}

/// Returns the mistakes that no proof shows, and how many there are.
pub(crate) fn unnoticed() -> (Vec<&'static str>, usize) {
    let missed =
        [missed(AUTOMATON, |parts| holds(parts) && tiny_texts(parts)), missed(SCAN, a_step)].concat();
    (missed, AUTOMATON.len() + SCAN.len() - 2)
}
