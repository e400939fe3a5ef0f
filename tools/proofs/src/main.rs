//! Proves that the checks of the kernels are the grammar of RFC 3629, for all bytes.
//!
//! ```text
//! cargo run --release --manifest-path tools/proofs/Cargo.toml
//! ```
//!
//! The files of the library that check text are compiled here a second time, as they are. In the
//! place of an instruction set they get one whose bytes are not numbers but formulas (`byte.rs`):
//! bit 7 of the first byte of a text is a variable, bit 6 another one, and so on. When the code has
//! run, its faults are formulas of these variables. The grammar (`rfc.rs`) is a formula too, made
//! from the RFC's table. Formulas are decision diagrams (`formula.rs`), one for each function: two
//! are the same for all bytes if and only if they are the same diagram.
//!
//! Where a branch depends on the text, the code runs both ways (`path.rs`). The loops are run a step at a time (`steps.rs`).
//! README.md says what is proved, and what is not.

// The files of trust8-profile name the library.
extern crate self as trust8;

use std::process::ExitCode;
use std::time::Instant;

mod byte;
mod counts;
mod engine;
mod formula;
mod inspect;
mod kernel;
mod mutation;
mod operations;
mod path;
mod profile;
mod rfc;
mod search;
mod simd;
mod steps;
mod vector;

#[path = "../../../src/boundary/context.rs"]
mod boundary;

use byte::Byte;
use formula::{Formula, alone};
use kernel::lookup::loops;
use kernel::{automaton, bitplanes, lookup};
use simd::symbolic::{NEON, WEB, X86};

/// Returns bytes with any values.
fn any_bytes(n: usize) -> Vec<Byte> {
    (0..n).map(Byte::any).collect()
}

/// Returns a text of `n` bytes, and those of its bytes that may have any value: `M` bytes from `at` on. All others are ASCII.
fn among_ascii<const M: usize>(n: usize, at: usize) -> (Vec<Byte>, [Byte; M]) {
    let any = std::array::from_fn(Byte::any);
    let mut text = vec![Byte::constant(b'a'); n];
    text[at..at + M].copy_from_slice(&any);
    (text, any)
}

/// Returns the formula of three bytes that `answer` is, by asking it for all 2^24.
fn of_three_bytes(answer: impl Fn([u8; 3]) -> bool) -> Formula {
    /// The bits from `known` on are open. Those before are `bits`.
    fn with(known: u32, bits: u32, answer: &impl Fn(u32) -> bool) -> Formula {
        if known == 24 {
            return Formula::constant(answer(bits));
        }
        let [if_0, if_1] = [0, 1].map(|bit| with(known + 1, bits << 1 | bit, answer));
        if if_0 == if_1 { if_0 } else { Formula::variable(known).choose(if_1, if_0) }
    }
    with(0, 0, &|bits| {
        let [_, first, second, third] = bits.to_be_bytes();
        answer([first, second, third])
    })
}

/// What is made wrong, the number of places of its source that no mistake makes wrong, and the proof that must fail elsewhere.
type Mistakes = (&'static str, usize, fn() -> bool);

const MISTAKES: &[Mistakes] = &[
    ("lookup", 0, lookup::for_mistakes),
    // A minimum may begin with any value from 2 on, and a maximum with any below E0.
    ("lists", 2, lookup::for_mistakes_of_two_byte_text),
    ("planes", 0, bitplanes::for_mistakes),
    // At the end of a text, bits may be shifted by two places as well as by one.
    ("blocks", 1, bitplanes::for_mistakes_of_blocks),
    // A minimum may begin with any value from 2 on.
    ("runs", 1, bitplanes::for_mistakes_of_runs),
    // A minimum and a maximum may begin with any value: it is an alarm more.
    ("profiles", 2, profile::for_mistakes),
];

/// A statement, and whether it holds.
type Theorem = (&'static str, fn() -> bool);

const THEOREMS: &[Theorem] = &[
    ("a text of any length is UTF-8 if and only if each four neighbouring bytes may be", || {
        rfc::a_text_is_its_windows() > 0
    }),
    ("automaton: each state and byte", automaton::table),
    ("automaton: words, pieces, and where characters begin", automaton::words_and_pieces),
    ("automaton: texts of 0 to 3 bytes", automaton::tiny),
    ("automaton: a step of each loop, from each state", automaton::steps),
    ("lookup, 16 bytes: each place, for all four bytes", lookup::each_place::<16, X86>),
    ("lookup, NEON: each place, for all four bytes", lookup::each_place::<16, NEON>),
    ("lookup, WebAssembly: each place, for all four bytes", lookup::each_place::<16, WEB>),
    ("lookup, 32 bytes: each place, for all four bytes", lookup::each_place::<32, X86>),
    ("lookup, 16 bytes: a vector in context, and its end", lookup::a_vector_in_context::<16, X86>),
    ("lookup, NEON: a vector in context, and its end", lookup::a_vector_in_context::<16, NEON>),
    ("lookup, WebAssembly: a vector in context, and its end", lookup::a_vector_in_context::<16, WEB>),
    ("lookup, 32 bytes: a vector in context, and its end", lookup::a_vector_in_context::<32, X86>),
    ("lookup, 16 bytes: vectors in registers", lookup::vectors_in_registers::<16, X86>),
    ("lookup, NEON: vectors in registers", lookup::vectors_in_registers::<16, NEON>),
    ("lookup, WebAssembly: vectors in registers", lookup::vectors_in_registers::<16, WEB>),
    ("lookup, 32 bytes: vectors in registers", lookup::vectors_in_registers::<32, X86>),
    ("lookup, 16 bytes: the place of a fault in a vector", lookup::a_fault_in_a_vector::<16, X86>),
    ("lookup, NEON: the place of a fault in a vector", lookup::a_fault_in_a_vector::<16, NEON>),
    ("lookup, WebAssembly: the place of a fault in a vector", lookup::a_fault_in_a_vector::<16, WEB>),
    ("lookup, 32 bytes: the place of a fault in a vector", lookup::a_fault_in_a_vector::<32, X86>),
    ("lookup, 16 bytes: a block in context, and its end", lookup::a_block::<16, X86>),
    ("lookup, NEON: a block in context, and its end", lookup::a_block::<16, NEON>),
    ("lookup, WebAssembly: a block in context, and its end", lookup::a_block::<16, WEB>),
    ("lookup, 32 bytes: a block in context, and its end", lookup::a_block::<32, X86>),
    ("lookup, 16 bytes: a block after a vector", lookup::a_block_after_a_vector::<X86>),
    ("lookup, NEON: a block after a vector", lookup::a_block_after_a_vector::<NEON>),
    ("lookup, WebAssembly: a block after a vector", lookup::a_block_after_a_vector::<WEB>),
    ("lists, 16 bytes: which blocks are not two-byte text", lookup::not_two_byte::<16>),
    ("lists, 32 bytes: which blocks are not two-byte text", lookup::not_two_byte::<32>),
    ("lists, 32 bytes: whether two blocks are two-byte text", lookup::two_byte_blocks::<32>),
    ("lists, 16 bytes: a listed block before two-byte text", lookup::before_two_byte::<16, X86>),
    ("lists, NEON: a listed block before two-byte text", lookup::before_two_byte::<16, NEON>),
    ("lists, WebAssembly: a listed block before two-byte text", lookup::before_two_byte::<16, WEB>),
    ("lists, 32 bytes: a listed block before two-byte text", lookup::before_two_byte::<32, X86>),
    ("lists, 16 bytes: which of sixteen blocks are not ASCII", lookup::not_ascii::<16>),
    ("lists, 32 bytes: which of sixteen blocks are not ASCII", lookup::not_ascii::<32>),
    ("lookup, 16 bytes: texts of 4 to 70 bytes", || {
        (4..=70).all(|n| alone(|| lookup::a_short_text::<16, X86>(n)))
    }),
    ("lookup, NEON and WebAssembly: texts of 4 to 70 bytes", || {
        (4..=70).all(|n| alone(|| lookup::a_short_text::<16, NEON>(n)))
    }),
    ("lookup, 32 bytes: texts of 4 to 70 bytes", || {
        (4..=70).all(|n| alone(|| lookup::a_short_text::<32, X86>(n)))
    }),
    ("lookup, 16 bytes: whether blocks are ASCII", lookup::ascii::<16>),
    ("lookup, 32 bytes: whether blocks are ASCII", lookup::ascii::<32>),
    ("lists, 16 bytes: each block of a chunk has its bit", lookup::lists_of_chunks::<16>),
    ("lists, 32 bytes: each block of a chunk has its bit", lookup::lists_of_chunks::<32>),
    ("lists, 32 bytes: each byte of a row counts", lookup::a_row),
    ("loops, 16 and 32 bytes: texts of 4 to 300 bytes, on all paths", loops::short),
    ("loops, 16 and 32 bytes: a step of each loop, on all paths", loops::long),
    ("loops, 16 and 32 bytes: a step of the search for a fault, on all paths", loops::faults),
    ("loops, 16 and 32 bytes: pieces of streams, on all paths", loops::streams),
    ("loops, 64 bytes: a step of the loop by blocks, on all paths", bitplanes::by_blocks::by_blocks),
    ("loops, 64 bytes: a step of each loop over long text, on all paths", bitplanes::runs::long_text_by_runs),
    ("planes: each place, for all four bytes", bitplanes::each_place),
    ("planes: a superblock in context", bitplanes::a_superblock),
    ("blocks: two blocks in registers, and their end", bitplanes::two_blocks_in_registers),
    ("blocks: four words in context", bitplanes::words),
    ("blocks: pieces of streams", bitplanes::pieces),
    ("runs: which words are not ASCII", bitplanes::words_that_are_not_ascii),
    ("runs: whether two blocks are two-byte text", bitplanes::two_byte_run),
    ("runs: whether a character is finished", bitplanes::finished),
    ("counts, 16 and 32 bytes: each byte counts once, and no lane overflows", counts::vectors),
    ("counts, 64 bytes: each byte counts once, and no lane overflows", counts::avx512),
    ("counts, without vectors: each byte counts once, and no lane overflows", counts::scalar),
    ("searches: a step of the loop, on all paths", search::searches),
    ("counts: each step of validating and counting", inspect::steps),
    ("profiles: no forbidden character is missed, by class", profile::no_character_is_missed),
    ("profiles: no forbidden ASCII is missed, by set of classes", profile::no_ascii_is_missed),
    ("blocks: texts of 0 to 130 bytes", || (0..=130).all(|n| alone(|| bitplanes::a_text_by_blocks(n)))),
];

/// Returns the bytes in which these bits are 1, up to the last byte that is not zero.
fn bytes_of(ones: &[u32]) -> Vec<u8> {
    let len = ones.last().map_or(0, |last| last / 8 + 1);
    let mut bytes = vec![0; len as usize];
    ones.iter().for_each(|bit| bytes[*bit as usize / 8] |= 0x80 >> (bit % 8));
    bytes
}

fn main() -> ExitCode {
    // Formulas of thousands of variables recurse as deeply.
    let all = || std::thread::Builder::new().stack_size(1 << 30).spawn(prove).expect("a thread").join();
    match all() {
        Ok(true) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

fn prove() -> bool {
    let start = Instant::now();
    let mut all_hold = true;
    let mut report = |statement: &str, holds: bool, start: Instant| {
        let outcome = if holds { "holds" } else { "DOES NOT HOLD" };
        println!("{:7.2} s  {outcome}: {statement}", start.elapsed().as_secs_f64());
        if let Some(ones) = formula::difference().filter(|_| !holds) {
            println!("           it fails for the bytes {:02X?}", bytes_of(&ones));
        }
        all_hold &= holds;
    };
    // An argument is a word of the statements to prove.
    let word = std::env::args().nth(1).unwrap_or_default();
    for &(statement, theorem) in THEOREMS.iter().filter(|(statement, _)| statement.contains(&word)) {
        let start = Instant::now();
        let holds = alone(theorem);
        report(statement, holds, start);
    }
    let right = Instant::now();
    report("the operations on formulas do what the instructions do", operations::are_right(), right);
    for &(what, harmless, proof) in MISTAKES.iter().filter(|(what, ..)| what.contains(&word)) {
        let start = Instant::now();
        let findings = mutation::findings(|| alone(proof));
        let without: Vec<_> = findings.iter().filter(|at| !at.is_found).collect();
        for at in &without {
            let (file, line, column) = at.place;
            println!("           none of {} mistakes at {file}:{line}:{column} is found", at.variants);
        }
        let (places, all) = (findings.len() - without.len(), findings.len());
        let statement = format!("{what}: mistakes are found at {places} of {all} places");
        report(&statement, places > 0 && without.len() == harmless, start);
    }
    for unnoticed in [
        automaton::unnoticed,
        loops::unnoticed,
        bitplanes::by_blocks::unnoticed,
        bitplanes::runs::unnoticed,
        counts::unnoticed,
        search::unnoticed,
        inspect::unnoticed,
    ] {
        let start = Instant::now();
        let (missed, all) = unnoticed();
        missed.iter().for_each(|what| println!("           not noticed: {what}"));
        report(&format!("loops: {all} mistakes are noticed"), missed.is_empty(), start);
    }
    println!("{:7.2} s  in all", start.elapsed().as_secs_f64());
    all_hold
}
