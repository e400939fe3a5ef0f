//! The automaton: the scalar kernel, which also finds the exact error for the others.
//!
//! It reads the grammar of RFC 3629 byte by byte. The vector kernels return a position near the
//! first fault. [`judge`] starts at the character before this position, and finds the ill-formed
//! sequence.
//!
//! # One shift for each byte
//!
//! ```text
//! for each byte: state = ROWS[byte] >> state
//! ```
//!
//! A row has a field of five bits for each state. A state is the bit position of its field, and the
//! field holds the next state. So a transition is one shift, and the load of a row does not wait
//! for the previous transition. The shift leaves bits above the field. They need no mask, because
//! the next shift uses only the low five bits of its distance.
//!
//! This form is Per Vognsen's 'shift-based DFA' (2021), with these differences:
//!
//! - A row has 32 bits, not 64, so the table is 1 KiB. Nine fields of five bits need 45 bits,
//!   unless fields overlap. They may overlap if, in every row, both fields agree on the bits that
//!   they share. (Others found such positions with a solver. Here an exhaustive search was enough;
//!   see the states below.)
//! - The kernel skips ASCII, and reads other text in blocks, each up to the end of a character.

#![forbid(unsafe_code)]

use super::{Engine, Verdict};
use crate::boundary::{array_at, start_before};
use crate::error::Utf8Error;
use crate::simd::{Job, Sealed, Token};

/// The scalar kernel's token. It runs on every CPU.
#[derive(Clone, Copy)]
pub struct Automaton;

impl Sealed for Automaton {}

impl Automaton {
    /// Runs a job, as the tokens of the instruction sets do.
    pub(super) fn enter<J: Job<Self, M, O>, M, O>(bytes: &[u8], more: M) -> O {
        J::run(Self, bytes, more)
    }
}

impl Token for Automaton {
    #[inline(never)]
    fn apart<J: Job<Self, M, O>, M, O>(self, _: J, bytes: &[u8], more: M) -> O {
        Self::enter::<J, M, O>(bytes, more)
    }
}

/// The bits of one field.
const FIELD_BITS: u32 = 5;

// The states: what the grammar allows next. Each is the position of its field in a row. An
// exhaustive search found these first, such that no row needs two values of one bit. `row` checks
// this at compile time.

/// There has been a fault. This state leads to itself, and most others lead here. It is zero, so
/// most bits of a row are zero.
const FAULT: u32 = 0;
/// A character begins.
const START: u32 = 6;
/// One continuation follows, of any value.
const TAIL1: u32 = 16;
/// Two continuations follow, of any value.
const TAIL2: u32 = 1;
/// Three continuations follow, of any value.
const TAIL3: u32 = 11;
/// The second byte of a character that begins with E0 follows; the next states are the same for ED,
/// F0 and F4.
const AFTER_E0: u32 = 19;
const AFTER_ED: u32 = 25;
const AFTER_F0: u32 = 24;
const AFTER_F4: u32 = 30;
const STATES: [u32; 9] = [FAULT, START, TAIL1, TAIL2, TAIL3, AFTER_E0, AFTER_ED, AFTER_F0, AFTER_F4];

/// Returns the state after `byte`: section 4 of RFC 3629 as a function.
const fn next(state: u32, byte: u8) -> u32 {
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

/// Returns the row of a byte: the next state of each state.
const fn row(byte: u8) -> u32 {
    // A field may reach beyond bit 31. A shift brings in zeros from there, so it must have zeros
    // there.
    let mask = (1u64 << FIELD_BITS) - 1;
    let (mut row, mut taken) = (0, 0);
    let mut i = 0;
    while i < STATES.len() {
        let (place, field) = (STATES[i], next(STATES[i], byte) as u64);
        assert!(row >> place & mask == field & taken >> place, "an overlapping field wants other bits");
        row |= field << place;
        taken |= mask << place;
        i += 1;
    }
    assert!(row <= u32::MAX as u64, "a field reaches beyond the row");
    row as u32
}

static ROWS: [u32; 256] = {
    let mut rows = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        rows[byte] = row(byte as u8);
        byte += 1;
    }
    rows
};

/// Returns the state after `byte`. Only the low five bits of a state matter.
#[inline(always)]
fn step(state: u32, byte: u8) -> u32 {
    ROWS[byte as usize].wrapping_shr(state)
}

/// Returns whether `state` is `expected`, in the low five bits.
#[inline(always)]
fn is(state: u32, expected: u32) -> bool {
    state & ((1 << FIELD_BITS) - 1) == expected
}

/// The number of bytes that are skipped at once if all are ASCII, and read otherwise.
const BLOCK_BYTES: usize = 64;

impl Engine for Automaton {
    // The automaton treats all lengths alike.
    const LONG_FROM_BYTES: usize = usize::MAX;

    /// After a fault, the suspect position is the start of a character, at most a block before the
    /// fault.
    ///
    /// Three functions call it. It is not inlined, so that a program contains it once.
    #[inline(never)]
    fn validate(self, bytes: &[u8]) -> Verdict {
        let mut at = 0;
        // A character begins at `at`, and everything before it is well-formed.
        while at < bytes.len() {
            let mut end = bytes.len().min(at + BLOCK_BYTES);
            let block = &bytes[at..end];
            if block.is_ascii() {
                at = end;
                continue;
            }
            let mut state = read(START, block);
            // Continue to the end of the character, at most three more bytes.
            while !is(state, START) {
                match bytes.get(end) {
                    Some(&byte) if !is(state, FAULT) => state = step(state, byte),
                    _ => return Verdict::suspect(at),
                }
                end += 1;
            }
            at = end;
        }
        Verdict::VALID
    }

    fn piece_continues(self, before: [u8; 4], piece: &[u8]) -> bool {
        // Continuations at the start of `before` may belong to an earlier character.
        let state = before.into_iter().skip_while(|byte| byte & 0xC0 == 0x80).fold(START, step);
        !is(read(state, piece), FAULT)
    }
}

/// Returns the state after `bytes`. ASCII between characters does not change it, so eight such
/// bytes are skipped at once.
fn read(mut state: u32, bytes: &[u8]) -> u32 {
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        if u64::from_ne_bytes(*word) & 0x8080_8080_8080_8080 != 0 || !is(state, START) {
            state = word.iter().fold(state, |state, &byte| step(state, byte));
        }
    }
    rest.iter().fold(state, |state, &byte| step(state, byte))
}

/// Returns whether up to three bytes are UTF-8, without a branch on their content. A vector would
/// not pay for so few bytes.
#[cfg(trust8_simd)]
#[inline(always)]
pub(crate) fn is_tiny_text(bytes: &[u8]) -> bool {
    let n = bytes.len();
    let (Some(&first), Some(&middle), Some(&last)) = (bytes.first(), bytes.get(n / 2), bytes.last()) else {
        return true;
    };
    // A missing byte is zero, which is ASCII.
    let (second, third) = (middle & ones_if(n >= 2), last & ones_if(n == 3));
    is(step(step(step(START, first), second), third), START)
}

#[cfg(trust8_simd)]
#[inline(always)]
fn ones_if(condition: bool) -> u8 {
    u8::from(condition).wrapping_neg()
}

/// Returns where the first ill-formed sequence begins, if there is one. A character begins at
/// `from`.
// Not inlined: `judge` would have it twice.
#[inline(never)]
fn first_fault(bytes: &[u8], from: usize) -> Option<usize> {
    let (mut state, mut start, mut at) = (START, from, from);
    while let Some(&byte) = bytes.get(at) {
        if is(state, START) {
            start = at;
            if array_at::<8>(bytes, at).is_some_and(|word| word.is_ascii()) {
                at += 8;
                continue;
            }
        }
        state = step(state, byte);
        if is(state, FAULT) {
            return Some(start);
        }
        at += 1;
    }
    (!is(state, START)).then_some(start)
}

/// Checks a kernel's suspicion: returns the exact error, or none if `bytes` is UTF-8 after all.
///
/// According to the kernel, `bytes[..suspect]` has no fault, except perhaps at its end: a character
/// that is cut off, or a byte that never appears. `judge` does not rely on this: it accepts `bytes`
/// only after it has read all of them. With a wrong position it takes more time, and may report a
/// later fault than the first, but it accepts no ill-formed text.
#[cold]
#[inline(never)]
pub fn judge(bytes: &[u8], suspect: usize) -> Result<(), Utf8Error> {
    match first_fault(bytes, start_before(bytes, suspect)).or_else(|| first_fault(bytes, 0)) {
        None => Ok(()),
        Some(start) => Err(Utf8Error::at(bytes, start)),
    }
}

/// Returns bit 7 of each byte. The lowest byte's is the lowest bit of the result.
///
/// The multiplication moves each of these bits to a different position in the upper byte of the
/// product, and no bit carries.
#[inline(always)]
pub(crate) fn high_bits_of_8(word: u64) -> u64 {
    (word & 0x8080_8080_8080_8080).wrapping_mul(0x0002_0408_1020_4081) >> 56
}

#[cfg(test)]
mod tests {
    use super::judge;

    /// A kernel that suspects a later place than the first fault costs nothing but the exact place.
    #[test]
    fn a_wrong_suspicion_accepts_nothing() {
        let mut bytes = [b'a'; 300];
        for fault in 0..300 {
            bytes[fault] = 0xFF;
            for suspect in 0..=300 {
                assert_eq!(
                    judge(&bytes, suspect).map_err(|error| error.valid_up_to()),
                    Err(fault),
                    "{suspect}"
                );
            }
            bytes[fault] = b'a';
            assert_eq!(judge(&bytes, fault), Ok(()));
        }
    }
}
