//! The automaton: the kernel of last resort, and the judge of the others.
//!
//! It reads RFC 3629's grammar one byte at a time. The vector kernels only say in which block a
//! fault shows; [`judge`] starts here at most three bytes before that block and finds the byte.
//!
//! # The automaton in one shift a byte
//!
//! ```text
//! for each byte: row = NEXT[CLASS[byte]]; state = row >> state
//! ```
//!
//! Twelve classes of byte, nine states. A state is the distance, in bits, of its six-bit field in
//! a row, and the field holds the next state: following the automaton is one shift, and finding
//! the row does not wait for it. The bits that the shift leaves above the field need no masking,
//! because the next shift looks at the low six bits of its distance only. (The form is Per
//! Vognsen's 'shift-based DFA', 2021; his has a row a byte, 2 KiB, where this one has a row a
//! class, 352 bytes, which costs a load and no time.)

use crate::Utf8Error;
use crate::verdict::Verdict;

/// Bits of one field.
const FIELD: u8 = 6;

/// The states: what the grammar allows next. The order is arbitrary.
const START: u8 = 0;
const FAULT: u8 = FIELD;
/// One, two or three continuations follow, of any value.
const TAIL1: u8 = 2 * FIELD;
const TAIL2: u8 = 3 * FIELD;
const TAIL3: u8 = 4 * FIELD;
/// The second byte of a character that begins with this one follows.
const AFTER_E0: u8 = 5 * FIELD;
const AFTER_ED: u8 = 6 * FIELD;
const AFTER_F0: u8 = 7 * FIELD;
const AFTER_F4: u8 = 8 * FIELD;
const STATES: [u8; 9] = [START, FAULT, TAIL1, TAIL2, TAIL3, AFTER_E0, AFTER_ED, AFTER_F0, AFTER_F4];

/// A byte of each class stands for all of its class.
const CLASSES: [u8; 12] = [0x00, 0x80, 0x90, 0xA0, 0xC0, 0xC2, 0xE0, 0xE1, 0xED, 0xF0, 0xF1, 0xF4];

/// The index in [`CLASSES`] of a byte's class.
const fn class(byte: u8) -> u8 {
    match byte {
        0x00..=0x7F => 0,
        0x80..=0x8F => 1,
        0x90..=0x9F => 2,
        0xA0..=0xBF => 3,
        0xC0..=0xC1 | 0xF5..=0xFF => 4,
        0xC2..=0xDF => 5,
        0xE0 => 6,
        0xE1..=0xEC | 0xEE..=0xEF => 7,
        0xED => 8,
        0xF0 => 9,
        0xF1..=0xF3 => 10,
        0xF4 => 11,
    }
}

/// RFC 3629 section 4 as a function.
const fn next(state: u8, byte: u8) -> u8 {
    match (state, byte) {
        (START, 0x00..=0x7F) => START,
        (START, 0xC2..=0xDF) => TAIL1,
        (START, 0xE0) => AFTER_E0,
        (START, 0xED) => AFTER_ED,
        (START, 0xE1..=0xEF) => TAIL2,
        (START, 0xF0) => AFTER_F0,
        (START, 0xF1..=0xF3) => TAIL3,
        (START, 0xF4) => AFTER_F4,
        (AFTER_E0, 0xA0..=0xBF) | (AFTER_ED, 0x80..=0x9F) => TAIL1,
        (AFTER_F0, 0x90..=0xBF) | (AFTER_F4, 0x80..=0x8F) => TAIL2,
        (TAIL1, 0x80..=0xBF) => START,
        (TAIL2, 0x80..=0xBF) => TAIL1,
        (TAIL3, 0x80..=0xBF) => TAIL2,
        _ => FAULT,
    }
}

static CLASS: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = class(byte as u8);
        byte += 1;
    }
    table
};

/// For each class, the next state of every state. Sixteen rows where twelve would do: an index of
/// four bits then needs no bounds check.
static NEXT: [u64; 16] = {
    let mut rows = [0; 16];
    let mut class = 0;
    while class < CLASSES.len() {
        let mut i = 0;
        while i < STATES.len() {
            rows[class] |= (next(STATES[i], CLASSES[class]) as u64) << STATES[i];
            i += 1;
        }
        class += 1;
    }
    rows
};

/// One step; only the low six bits of a state count, before and after.
#[inline(always)]
fn step(state: u64, byte: u8) -> u64 {
    NEXT[(CLASS[byte as usize] & 15) as usize].wrapping_shr(state as u32)
}

/// The low six bits.
#[inline(always)]
fn is(state: u64, which: u8) -> bool {
    state as u8 & (1 << FIELD) - 1 == which
}

/// The scalar kernel. Its verdict names the exact first byte of the ill-formed sequence.
pub(crate) fn validate(bytes: &[u8]) -> Verdict {
    match fault(bytes, 0) {
        None => Verdict::VALID,
        Some(start) => Verdict::suspect(start),
    }
}

/// Where the first ill-formed sequence begins, if there is one. `from` is where a character begins.
fn fault(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    let mut state = START as u64;
    // Where the character begins that `at` lies in.
    let mut start = at;
    while let Some(&byte) = bytes.get(at) {
        if is(state, START) {
            start = at;
        }
        state = step(state, byte);
        if is(state, FAULT) {
            return Some(start);
        }
        at += 1;
    }
    (!is(state, START)).then_some(start)
}

/// Decides on a kernel's suspicion: the text, or the exact error.
///
/// `bytes[..suspect]` holds no fault but perhaps a character that it cuts off. Should a kernel have
/// said so wrongly, all of `bytes` is read before they pass for text: a mistake there can cost time
/// and a message, never soundness.
#[cold]
#[inline(never)]
pub(crate) fn judge(bytes: &[u8], suspect: usize) -> Result<(), Utf8Error> {
    match fault(bytes, character_start(bytes, suspect)).or_else(|| fault(bytes, 0)) {
        None => Ok(()),
        Some(start) => Err(Utf8Error::at(bytes, start)),
    }
}

/// The last place at or before `at` where a character begins, if `bytes[..at]` has no fault but a
/// character that it cuts off.
fn character_start(bytes: &[u8], at: usize) -> usize {
    let at = at.min(bytes.len());
    for back in 1..=at.min(3) {
        match bytes[at - back] {
            0x00..=0x7F => break,
            0x80..=0xBF => {}
            // A lead byte: of a complete character or a cut one, a character begins here.
            0xC0..=0xFF => return at - back,
        }
    }
    at
}
