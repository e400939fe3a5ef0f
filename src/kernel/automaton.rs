//! The automaton: the kernel of last resort, and the judge of the others.
//!
//! It reads RFC 3629's grammar one byte at a time. The vector kernels only say in which block a
//! fault shows; [`judge`] starts here at most three bytes before that block and finds the byte.
//!
//! # The automaton in one shift a byte
//!
//! ```text
//! for each byte: state = ROWS[byte] >> state
//! ```
//!
//! A state is the place, in bits, of its five-bit field in a row, and the field holds the next state:
//! following the automaton is one shift, and finding the row does not wait for it. The bits that the
//! shift leaves above the field need no masking, because the next shift looks at the low five bits of
//! its distance only. (The form is Per Vognsen's 'shift-based DFA', 2021.)
//!
//! Nine states of five bits do not fit into 32, unless fields overlap. They may, where all rows want
//! the same of the bits that they share: see the states below. So the table is 1 KiB, not 2.
//!
//! # What the kernel does besides
//!
//! It skips ASCII, and text of two-byte characters and ASCII passes a test of a whole block, written
//! byte by byte but without a branch, so that the compiler makes vectors of it wherever the target
//! has some. What fails that test is read by the automaton, right or wrong.

#![forbid(unsafe_code)]

#[cfg(feature = "transcode")]
use super::Conversion;
use super::counts::{self, Counts};
#[cfg(feature = "alloc")]
use super::survey::Replaced;
use super::survey::{self, Classes, Found, LINE, Surveyor, WITH_CONTEXT};
use super::verdict::Verdict;
use super::{Engine, Validates};
use crate::boundary::start_before;
use crate::error::Utf8Error;
#[cfg(any(feature = "alloc", feature = "transcode"))]
use crate::output::Output;

/// The scalar kernel's token. Every CPU has what it needs.
#[derive(Clone, Copy)]
pub(super) struct Automaton;

impl Validates for Automaton {
    #[inline(always)]
    fn validate(self, bytes: &[u8]) -> Verdict {
        validate(bytes)
    }
}

impl Engine for Automaton {
    #[inline(always)]
    fn continues_short(self, before: [u8; 4], piece: &[u8]) -> bool {
        continues(before, piece)
    }

    #[inline(always)]
    fn seek(self, bytes: &[u8], from: usize) -> Found {
        survey::seek(Words, bytes, from)
    }

    #[cfg(feature = "alloc")]
    #[inline(always)]
    fn replace(self, bytes: &[u8], at: usize, done: usize, out: &mut Output<'_>) -> Replaced {
        survey::replace(Words, bytes, at, done, out)
    }

    #[inline(always)]
    fn inspect(self, bytes: &[u8]) -> (Verdict, Counts) {
        counts::in_chunks(bytes, counts::ascii, validate, counts::count)
    }

    #[inline(always)]
    fn count_chars(self, text: &[u8]) -> usize {
        counts::count_chars(text)
    }

    #[inline(always)]
    fn utf16_len(self, text: &[u8]) -> usize {
        counts::utf16_len(text)
    }

    #[cfg(feature = "transcode")]
    #[inline(always)]
    fn convert_short<C: Conversion>(self, _text: &[u8], _out: &mut Output<'_>) -> usize {
        0
    }

    #[cfg(feature = "transcode")]
    #[inline(always)]
    fn convert_long<C: Conversion>(self, text: &[u8], out: &mut Output<'_>) -> usize {
        C::portable(text, out)
    }
}

/// Bits of one field.
const FIELD: u32 = 5;

/// The states: what the grammar allows next.
///
/// Each is its field's place in a row. The numbers are the first that a search through all of them
/// found for which no row asks two things of one bit; `row` checks that when the crate is compiled.
/// `FAULT` leads to itself, and most else leads there, so its being zero makes most bits zero.
const FAULT: u32 = 0;
const START: u32 = 6;
/// One, two or three continuations follow, of any value.
const TAIL1: u32 = 16;
const TAIL2: u32 = 1;
const TAIL3: u32 = 11;
/// The second byte of a character that begins with this one follows.
const AFTER_E0: u32 = 19;
const AFTER_ED: u32 = 25;
const AFTER_F0: u32 = 24;
const AFTER_F4: u32 = 30;
const STATES: [u32; 9] = [FAULT, START, TAIL1, TAIL2, TAIL3, AFTER_E0, AFTER_ED, AFTER_F0, AFTER_F4];

/// RFC 3629 section 4 as a function.
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

/// The next state of every state, for one byte.
const fn row(byte: u8) -> u32 {
    // A shift by up to 31 leaves zeros above bit 31, which is what a field that reaches beyond has there.
    let mask = (1u64 << FIELD) - 1;
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

/// One step; only the low five bits of a state count, before and after.
#[inline(always)]
fn step(state: u32, byte: u8) -> u32 {
    ROWS[byte as usize].wrapping_shr(state)
}

/// Compares the low five bits.
#[inline(always)]
fn is(state: u32, which: u32) -> bool {
    state & ((1 << FIELD) - 1) == which
}

/// Bytes that are tested together.
const BLOCK: usize = 64;
/// ASCII is skipped in larger steps.
const ASCII_STEP: usize = 128;
/// In blocks; see `validate`.
const LONGEST_RUN: usize = 8;

/// The scalar kernel. Where a fault is, its verdict names a place where a character begins, at most
/// [`LONGEST_RUN`] blocks before it.
fn validate(bytes: &[u8]) -> Verdict {
    let mut at = 0;
    // Blocks that the automaton reads before a block is tested again: the longer it had to, the more.
    let mut run = 1;
    // A character begins at `at`, and all before it is well-formed.
    loop {
        while let Some(step) = bytes[at..].first_chunk::<ASCII_STEP>() {
            if !step.is_ascii() {
                break;
            }
            at += ASCII_STEP;
        }
        let rest = &bytes[at..];
        if rest.len() < ASCII_STEP && is_ascii(rest) {
            return Verdict::VALID;
        }
        if at > 0 && has_no_long_character(&bytes[at - 1..]) {
            // A lead byte at the end of the block belongs to the next one.
            at += BLOCK - usize::from(rest[BLOCK - 1] >= 0xC0);
            run = 1;
            continue;
        }
        let end = rest.len().min(run * BLOCK);
        run = (2 * run).min(LONGEST_RUN);
        let mut state = START;
        let (words, tail) = rest[..end].as_chunks::<8>();
        for word in words {
            // A word that is ASCII between characters changes nothing.
            if u64::from_ne_bytes(*word) & 0x8080_8080_8080_8080 == 0 && is(state, START) {
                continue;
            }
            for &byte in word {
                state = step(state, byte);
            }
        }
        for &byte in tail {
            state = step(state, byte);
        }
        let mut after = at + end;
        // To the end of the character: at most three bytes more.
        while !is(state, START) {
            match bytes.get(after) {
                Some(&byte) if !is(state, FAULT) => state = step(state, byte),
                _ => return Verdict::suspect(at),
            }
            after += 1;
        }
        at = after;
    }
}

/// Whether all bytes are ASCII, by words, the last of which overlaps the one before it.
fn is_ascii(bytes: &[u8]) -> bool {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut all = words.iter().fold(0, |all, word| all | u64::from_ne_bytes(*word));
    match bytes.last_chunk::<8>() {
        Some(last) => all |= u64::from_ne_bytes(*last),
        None => rest.iter().for_each(|&byte| all |= u64::from(byte)),
    }
    all & 0x8080_8080_8080_8080 == 0
}

/// Whether a block is well-formed, ASCII and two-byte characters alone, so far as it can be seen: its
/// last byte may be a lead. `text` begins with the byte before the block, which is no lead.
///
/// The operations are those of `TwoByte` in `lookup/check.rs`, which says what they mean.
#[inline(always)]
fn has_no_long_character(text: &[u8]) -> bool {
    let Some(text) = text.first_chunk::<{ 1 + BLOCK }>() else { return false };
    let mut faults = 0;
    for i in 0..BLOCK {
        let (before, now) = (text[i], text[i + 1]);
        let moved = now.cast_signed().saturating_add(0x40).cast_unsigned();
        let due = before.saturating_sub(0x40);
        // C0 and C1 have become 0 and 1; E0 and above leave something.
        faults |= (moved ^ due) & 0x80 | 2u8.saturating_sub(moved) | now.saturating_sub(0xDF);
    }
    faults == 0
}

/// Returns whether `bytes` continues a text whose last four bytes are `before`; see [`Engine::continues`].
fn continues(before: [u8; 4], bytes: &[u8]) -> bool {
    // What it begins with may be the end of a character.
    let mut state = before.into_iter().skip_while(|byte| byte & 0xC0 == 0x80).fold(START, step);
    let (words, tail) = bytes.as_chunks::<8>();
    for word in words {
        if u64::from_ne_bytes(*word) & 0x8080_8080_8080_8080 == 0 && is(state, START) {
            continue;
        }
        state = word.iter().fold(state, |state, &byte| step(state, byte));
    }
    state = tail.iter().fold(state, |state, &byte| step(state, byte));
    !is(state, FAULT)
}

/// Whether up to three bytes are text, without a branch on what they are: so few are not worth a vector.
#[inline(always)]
pub(crate) fn is_tiny_text(bytes: &[u8]) -> bool {
    let n = bytes.len();
    let (Some(&first), Some(&middle), Some(&last)) = (bytes.first(), bytes.get(n / 2), bytes.last()) else {
        return true;
    };
    // For what is not there, zeros, which are ASCII.
    let (second, third) = (middle & ones_if(n >= 2), last & ones_if(n == 3));
    is(step(step(step(START, first), second), third), START)
}

#[inline(always)]
fn ones_if(condition: bool) -> u8 {
    u8::from(condition).wrapping_neg()
}

/// Where the first ill-formed sequence begins, if there is one. `from` is where a character begins.
fn fault(bytes: &[u8], from: usize) -> Option<usize> {
    let mut state = START;
    let mut start = from;
    for (at, &byte) in bytes.iter().enumerate().skip(from) {
        if is(state, START) {
            start = at;
        }
        state = step(state, byte);
        if is(state, FAULT) {
            return Some(start);
        }
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
    match fault(bytes, start_before(bytes, suspect)).or_else(|| fault(bytes, 0)) {
        None => Ok(()),
        Some(start) => Err(Utf8Error::at(bytes, start)),
    }
}

/// Words of eight bytes, and loops over bytes that the compiler makes vectors of wherever the target has some.
#[derive(Clone, Copy)]
struct Words;

impl Surveyor for Words {
    #[inline(always)]
    fn high(self, bytes: &[u8; WITH_CONTEXT]) -> u64 {
        let (words, _) = bytes.as_chunks::<8>();
        words
            .iter()
            .enumerate()
            .fold(0, |all, (i, word)| all | high_bits(u64::from_le_bytes(*word)) << (8 * i))
    }

    #[inline(always)]
    fn classes(self, bytes: &[u8; WITH_CONTEXT]) -> Classes {
        // Bit 7: whether the byte may stand behind the one before it. Bytes, not Booleans, are what vectors are made of.
        let mut allowed = [0u8; WITH_CONTEXT];
        for i in 1..WITH_CONTEXT {
            let (first, second) = (bytes[i - 1], bytes[i]);
            // The first and the last continuation that may follow, as far as they differ from 80 and BF.
            let least = (u8::from(first == 0xE0) * 0xA0) | (u8::from(first == 0xF0) * 0x90);
            let above = (u8::from(first == 0xED) * (0xFF - 0x9F)) | (u8::from(first == 0xF4) * (0xFF - 0x8F));
            let forbidden = least.saturating_sub(second)
                | second.saturating_sub(0xFF - above)
                | first.saturating_sub(0xF4)
                | 0xC2u8.saturating_sub(first);
            allowed[i] = u8::from(forbidden == 0) << 7;
        }
        let mut classes = Classes { high: 0, lead: 0, lead3: 0, lead4: 0, allowed: 0 };
        let (words, _) = bytes.as_chunks::<8>();
        let (allowed, _) = allowed.as_chunks::<8>();
        for (i, (word, allowed)) in words.iter().zip(allowed).enumerate() {
            // In bit 7 of each byte: bit 7; bits 7 and 6; and so on.
            let high = u64::from_le_bytes(*word);
            let lead = high & high << 1;
            let lead3 = lead & high << 2;
            let lead4 = lead3 & high << 3;
            classes.high |= high_bits(high) << (8 * i);
            classes.lead |= high_bits(lead) << (8 * i);
            classes.lead3 |= high_bits(lead3) << (8 * i);
            classes.lead4 |= high_bits(lead4) << (8 * i);
            classes.allowed |= high_bits(u64::from_le_bytes(*allowed)) << (8 * i);
        }
        classes
    }

    #[inline(always)]
    fn is_ascii(self, bytes: &[u8; 256]) -> bool {
        bytes.is_ascii()
    }

    #[cfg(feature = "alloc")]
    #[inline(always)]
    fn put_and_ask(self, bytes: &[u8; 256], out: &mut Output<'_>) -> Option<bool> {
        out.put_first(bytes, 256).then(|| self.is_ascii(bytes))
    }

    #[inline(always)]
    fn ascii_lines(self, bytes: &[u8; 256]) -> usize {
        let (lines, _) = bytes.as_chunks::<LINE>();
        lines.iter().take_while(|line| line.is_ascii()).count()
    }
}

/// Bit 7 of each byte, the lowest byte's as the lowest bit: the product has, in its upper byte, each of
/// these bits at another place, and none is carried into another.
#[inline(always)]
fn high_bits(word: u64) -> u64 {
    (word & 0x8080_8080_8080_8080).wrapping_mul(0x0002_0408_1020_4081) >> 56
}
