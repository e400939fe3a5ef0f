//! Sets the cfgs under which the files of the library compile that are included here, and copies the automaton and the loops, with a
//! mistake in each copy.

use std::path::Path;
use std::{env, fs};

include!("../../src/simd/sets.rs");

/// Lists the cfgs of the instruction sets.
macro_rules! cfgs {
    ($($set:ident: $token:ident, $name:literal, $cfg:ident, $features:tt, $target:tt, $about:literal;)+) => {
        const CFGS: &[&str] = &[$(stringify!($cfg)),+];
    };
}
instruction_sets!(cfgs);

/// What is replaced, and by what.
type Replacement = (&'static str, &'static str);

/// The functions and constants of the automaton, as the proofs call them.
const PARTS: &str = "super::Parts {
    start: START, fault: FAULT, states: &STATES, step, is, read, first_fault, judge, is_tiny_text,
    validate: |bytes| Automaton.validate(bytes),
    piece_continues: |before, piece| Automaton.piece_continues(before, piece),
}";

const ERROR: Replacement = ("use crate::error::Utf8Error;", "use super::Utf8Error;");

/// The trait of the counts, with sums that are no numbers.
const COUNTING: &str = "use super::Counts; trait Counting: Sized {
    fn count(self, text: &[u8]) -> Counts;
    fn count_chars(self, text: &[u8]) -> Number;
    fn utf16_len(self, text: &[u8]) -> Number;
}";

/// Code that is compiled again, as it is and with mistakes.
struct Source {
    /// The name of the copies, and of the list of them.
    name: &'static str,
    path: &'static str,
    /// How often the file asks for a length or an address. The cases of a proof depend on what it does with them.
    lengths: usize,
    /// What in `path` gets another instruction set, or tells the proof what it does.
    hooks: &'static [Replacement],
    /// The type of the program, and the program: an expression inside the copy.
    program: (&'static str, &'static str),
    mistakes: &'static [Replacement],
}

const FILES: &[Source] = &[
    Source {
        name: "automaton",
        path: "automaton.rs",
        lengths: 4,
        hooks: &[ERROR],
        program: ("Parts", PARTS),
        mistakes: &[
            ("(START, 0xC2..=0xDF) => TAIL1", "(START, 0xC1..=0xDF) => TAIL1"),
            ("(START, 0xED) => AFTER_ED,", ""),
            ("(AFTER_F4, 0x80..=0x8F)", "(AFTER_F4, 0x80..=0x9F)"),
            ("(TAIL3, 0x80..=0xBF) => TAIL2", "(TAIL3, 0x80..=0xBF) => TAIL1"),
            ("0x00..=0x7F) => START", "0x00..=0x7E) => START"),
            ("(1 << FIELD_BITS) - 1) == expected", "(1 << FIELD_BITS) - 2) == expected"),
            ("| !is(state, START)", "| false"),
            ("0x8080_8080_8080_8080 != 0", "0x8080_8080_8080_8000 != 0"),
            ("rest.iter().fold(state", "rest.iter().skip(1).fold(state"),
            ("byte & 0xC0 == 0x80", "byte & 0x80 == 0x80"),
            ("!is(read(state, piece), FAULT)", "is(read(state, piece), START)"),
            ("ones_if(n == 3)", "ones_if(n >= 2)"),
            (".or_else(|| first_fault(bytes, 0))", ""),
        ],
    },
    Source {
        name: "scan",
        path: "automaton.rs",
        lengths: 4,
        hooks: &[
            ERROR,
            (
                "byte: u8) -> u32 {\n    ROWS[byte as usize].wrapping_shr(state)",
                "byte: u8) -> u32 {\n    super::any_step(state, byte)",
            ),
            (
                "fn read(mut state: u32, bytes: &[u8]) -> u32 {",
                "fn read(state: u32, bytes: &[u8]) -> u32 { super::any_read(state, bytes) } fn other(mut state: u32, bytes: &[u8]) -> u32 {",
            ),
            (
                "while at < bytes.len() {",
                "while { super::validates(bytes, &mut at); at < bytes.len() } {",
            ),
            (
                "Some(&byte) = bytes.get(at) {",
                "Some(&byte) = { super::searches(bytes, &mut state, &mut start, &mut at); bytes.get(at) } {",
            ),
        ],
        program: ("Parts", PARTS),
        mistakes: &[
            ("let block = &bytes[at..end];", "let block = &bytes[at..end - 1];"),
            ("if !is(state, FAULT) => state", "=> state"),
            ("while !is(state, START)", "if !is(state, START)"),
            ("while !is(state, START)", "while is(state, FAULT)"),
            ("end += 1;", "end += 2;"),
            ("Verdict::suspect(at)", "Verdict::suspect(end)"),
            ("            at = end;\n        }", "            at = end + 1;\n        }"),
            ("_ => return Verdict::suspect(at)", "_ => break"),
            ("start = at;", ""),
            ("array_at::<8>(bytes, at)", "array_at::<7>(bytes, at)"),
            ("array_at::<8>(bytes, at)", "array_at::<8>(bytes, at + 1)"),
            ("if is(state, START) {\n            start", "{\n            start"),
            ("return Some(start);", "return Some(at);"),
            ("(!is(state, START)).then_some(start)", "None"),
        ],
    },
    Source {
        name: "short",
        path: "lookup/short.rs",
        lengths: 4,
        hooks: &[],
        program: ("Loops", "&[
    (16, false, |text| check_short(super::Asked::<16, true>, text)),
    (32, false, |text| check_short(super::Asked::<32, true>, text)),
    (16, true, |text| check_short(super::Asked::<16, false>, text)),
]"),
        mistakes: &[
            ("at += 2 * S::LANES;", "at += 3 * S::LANES;"),
            ("(n - 2 * S::LANES).max(CONTEXT)", "(n - 3 * S::LANES).max(CONTEXT)"),
            ("(n - 2 * S::LANES).max(CONTEXT)", "n - S::LANES"),
            ("s.load_second(bytes)", "s.load(bytes, n - S::LANES)"),
            ("checker.check_end(&mut faults, s.load(bytes, n - S::LANES), LARGEST_AT_END, false);", ""),
        ],
    },
    Source {
        name: "piece",
        path: "lookup/short.rs",
        lengths: 4,
        hooks: &[],
        program: ("Pieces", "&[
    (16, |before, piece| short_piece_continues(super::Asked::<16, true>, before, piece)),
    (32, |before, piece| short_piece_continues(super::Asked::<32, true>, before, piece)),
]"),
        mistakes: &[
            ("last_before[3].is_ascii() &&", ""),
            ("Some(0xC0 | 0xC1 | 0xF5..)", "Some(0xC0 | 0xC1 | 0xF6..)"),
            ("let before = checker.ending_in(last_before);", "let before = checker.ending_in(START);"),
            ("checker.ending_in(before.to_ne_bytes())", "checker.ending_in(START)"),
            ("faults = faults.first_lanes(s, n);", ""),
            ("faults = faults.first_lanes(s, n);", "faults = faults.first_lanes(s, n - 1);"),
            ("first_lanes(s, n - S::LANES)", "first_lanes(s, n)"),
            ("let before = checker.check_after(&mut faults, s.load(bytes, 0), before);", ""),
            ("if checker.any(&faults) {\n            return false;\n        }\n", ""),
            ("(u32::from_ne_bytes(last_before), true)", "(u32::from_ne_bytes(last_before), false)"),
            ("at += 2 * S::LANES;", "at += 3 * S::LANES;"),
            ("while at + 2 * S::LANES < n", "while at + 4 * S::LANES < n"),
            ("(n - 2 * S::LANES).max(CONTEXT)", "n - S::LANES"),
        ],
    },
    Source {
        name: "fault",
        path: "lookup/fault.rs",
        lengths: 1,
        hooks: &[(
            "while at + S::LANES <= bytes.len() {",
            "while { super::search_step(bytes, &mut at, &mut before); at + S::LANES <= bytes.len() } {",
        )],
        program: ("Searches", "&[
    (16, |text, from| FirstFault::run(super::Asked::<16, true>, text, from)),
    (32, |text, from| FirstFault::run(super::Asked::<32, true>, text, from)),
]"),
        mistakes: &[
            ("at.wrapping_sub(4)", "at.wrapping_sub(3)"),
            ("array_at(bytes, at.wrapping_sub(4)).copied().unwrap_or_default()", "[0; 4]"),
            ("before = checker.check_after", "checker.check_after"),
            ("at += S::LANES;", "at += 2 * S::LANES;"),
            ("at += S::LANES;", "at += S::LANES - 1;"),
            ("at + S::LANES <= bytes.len()", "at + 2 * S::LANES <= bytes.len()"),
            ("at + S::LANES <= bytes.len()", "at + S::LANES < bytes.len()"),
            ("suspicion(&faults, at)", "suspicion(&faults, at + S::LANES)"),
            ("return suspicion;", "return Verdict::suspect(at + S::LANES);"),
            ("return suspicion;", ""),
            ("        Verdict::suspect(at)\n", "        Verdict::suspect(bytes.len())\n"),
        ],
    },
    Source {
        name: "long",
        path: "lookup/long.rs",
        lengths: 7,
        hooks: &[
            (
                "while is_ascii_at::<S, SKIPPED_BYTES>(s, bytes, at.min",
                "while { super::arrive(super::Head::Start, bytes, &mut at, &mut step); true } && is_ascii_at::<S, SKIPPED_BYTES>(s, bytes, at.min",
            ),
            (
                "while let Some(block) = with_context::<{ CONTEXT + BLOCK_BYTES }>(bytes, at) {",
                "while let Some(block) = { super::arrive(super::Head::Each, bytes, &mut at, &mut 0); with_context::<{ CONTEXT + BLOCK_BYTES }>(bytes, at) } {",
            ),
            (
                "loop {\n            if search != BlockChoice::Dense",
                "loop {
            let mut number = search as usize;
            super::arrive(super::Head::Listed, bytes, &mut at, &mut number);
            search = [BlockChoice::NotAscii, BlockChoice::NotTwoByte, BlockChoice::TwoByte, BlockChoice::Dense][number];
            if search != BlockChoice::Dense",
            ),
            (
                "while is_ascii_at::<S, SKIPPED_BYTES>(s, bytes, at) {",
                "while { super::skips(bytes, at); is_ascii_at::<S, SKIPPED_BYTES>(s, bytes, at) } {",
            ),
        ],
        program: ("Loops", "&[
    (16, false, |text| CheckLong::run(super::Asked::<16, true>, text, ())),
    (32, false, |text| CheckLong::run(super::Asked::<32, true>, text, ())),
    (16, true, |text| CheckLong::run(super::Asked::<16, false>, text, ())),
]"),
        mistakes: &[
            ("SKIPPED_BYTES - misaligned", "SKIPPED_BYTES + misaligned"),
            ("HEAD_BYTES - misaligned", "HEAD_BYTES + BLOCK_BYTES - misaligned"),
            ("left = &left[S::LANES..];", "left = &left[2 * S::LANES..];"),
            ("at.min(n - SKIPPED_BYTES)", "at.min(n - SKIPPED_BYTES - 1)"),
            ("at >= n - SKIPPED_BYTES", "at >= n - 2 * SKIPPED_BYTES"),
            ("at += BLOCK_BYTES;", "at += 2 * BLOCK_BYTES;"),
            ("at += BLOCK_BYTES;", "at += BLOCK_BYTES + 1;"),
            ("at += TEST_VECTORS_EVERY_BYTES;", "at += TEST_VECTORS_EVERY_BYTES + BLOCK_BYTES;"),
            ("(0..row).step_by(BLOCK_BYTES)", "(0..row).step_by(2 * BLOCK_BYTES)"),
            ("| u64::from(before >> 7) != 0", "!= 0"),
            ("at += SKIPPED_BYTES;", "at += SKIPPED_BYTES + BLOCK_BYTES;"),
            ("at + blocks * BLOCK_BYTES", "at + blocks * BLOCK_BYTES + BLOCK_BYTES"),
            ("at - CONTEXT..after", "at - CONTEXT..after - BLOCK_BYTES"),
            ("at - CONTEXT..after", "at..after"),
            ("chunk, i * BLOCK_BYTES)", "chunk, i * BLOCK_BYTES / 2)"),
            ("left &= left - 1;", "left &= left - 1; left &= left.wrapping_sub(1);"),
            ("let mut left = list;", "let mut left = list >> 1 << 1;"),
            ("let next = list >> 1 |", "let next = list |"),
            ("at = after;", "at = after + BLOCK_BYTES;"),
            ("bytes.get(..after)", "bytes.get(..after - BLOCK_BYTES)"),
            ("checker.check_end(&mut faults, last, LARGEST_AT_END, false);", ""),
            ("checker.check_end(&mut faults, last, ends, next >> i & 1 != 0);", ""),
            ("at += filter::ROW_BYTES;", "at += filter::ROW_BYTES + BLOCK_BYTES;"),
            ("checker.check_block(&mut faults, block);", ""),
            ("checker.check_block(&mut faults, end);", ""),
            // Where text is prefetched.
            ("checker.check_all_after(", "(if ahead == 0 { checker } else { return Ok(()) }).check_all_after("),
            ("s.prefetch(block, ahead);\n                checker.check_block(", "(if ahead == 0 { checker } else { continue }).check_block("),
            // What is promised.
            ("(list, LARGEST_AT_END)", "(list, LARGEST_BEFORE_TWO_BYTE)"),
            ("0 if S::LANES > 16", "0..=1 if S::LANES > 16"),
            ("search == BlockChoice::TwoByte\n", "search != BlockChoice::Dense\n"),
            ("if has_overlong {", "if false {"),
            ("(at, search) = (skipped, BlockChoice::NotAscii);", "at = skipped + BLOCK_BYTES;"),
            ("| 1 << (chunk.len() / BLOCK_BYTES - 1)", "| 1 << (chunk.len() / BLOCK_BYTES - 2)"),
            ("1 << (chunk.len() / BLOCK_BYTES - 1)", "!0"),
            ("Some(dense) = bytes.get(..after)", "Some(dense) = bytes.get(..after - 1)"),
            ("find_fault(s, bytes, n - BLOCK_BYTES)", "find_fault(s, bytes, n)"),
            ("return faulty(at);", "return faulty(at + BLOCK_BYTES);"),
        ],
    },
    Source {
        name: "by_blocks",
        path: "bitplanes/blocks.rs",
        lengths: 18,
        hooks: &[
            (
                "use crate::simd::{Avx2, Avx512, Job, Token, Vectors, x86::avx512::Vector};",
                "use super::{Avx2, Avx512, Vector}; use crate::simd::{Job, Token};",
            ),
            ("BlockChecker::new(s)", "super::Checker::new(s)"),
            ("checker: &BlockChecker,", "checker: &super::Checker,"),
            ("&'a [u8], Leads)", "&'a [u8], super::Leads)"),
            ("Leads(s.or(cut_off.0, before.0))", "super::Leads(s.or(cut_off.0, before.0))"),
            ("    s.apart(FirstFaultyBlock, bytes, at)", "    super::find(at)"),
            (
                "    while let Some((blocks, after)) = left.split_first_chunk::<{ 4 * BLOCK_BYTES }>() {\n        let [a",
                "    while let Some((blocks, after)) = {
            super::piece_step(bytes, &mut left, &mut before, &mut earlier, &mut faults);
            left.split_first_chunk::<{ 4 * BLOCK_BYTES }>()
        } {\n        let [a",
            ),
            (
                "        while let Some((block, after)) = left.split_first_chunk::<BLOCK_BYTES>() {\n            let mut faults",
                "        while let Some((block, after)) = {
            super::search_step(bytes, &mut left, &mut before);
            left.split_first_chunk::<BLOCK_BYTES>()
        } {\n            let mut faults",
            ),
            (
                "        while let Some((blocks, after)) = left.split_first_chunk::<{ 4 * BLOCK_BYTES }>() {\n            let [a",
                "        while let Some((blocks, after)) = {
            super::step(bytes, &mut left, &mut before, &mut untested, &mut cut_off, &mut faults);
            left.split_first_chunk::<{ 4 * BLOCK_BYTES }>()
        } {\n            let [a",
            ),
        ],
        program: (
            "Programs",
            "[
    |text, _| if text.len() < BLOCK_BYTES { check_one_block(Avx512, text) } else { check_by_blocks(Avx512, text) },
    |text, from| CheckBlocks::run(Avx512, text, from),
    |text, from| FirstFaultyBlock::run(Avx512, text, from),
    |text, from| super::piece_ends(text, piece_in_blocks_continues(Avx512, [0; 4], &text[from..])),
]",
        ),
        mistakes: &[
            ("checker.check_end(&mut faults, cut_off);\n                    if", "if"),
            ("checker.check_end(&mut faults, cut_off);\n        // The end", "// The end"),
            ("cut_off = Leads(s.or(cut_off.0, before.0));", "cut_off = before;"),
            ("before = checker.no_leads();\n            }\n            left", "}\n            left"),
            ("untested = left.len();\n                }", "untested = after.len();\n                }"),
            ("bytes.len() - untested)", "bytes.len() - left.len())"),
            ("is_ascii_end(s, bytes, left.len())", "is_ascii_end(s, bytes, 0)"),
            ("                before = checker.check(&mut faults, c, before);\n                before", "                before"),
            ("            checker.check_end(&mut faults, before);", ""),
            ("let now = s.load_short(left);\n            checker.check(&mut faults, now, before);", ""),
            ("before = checker.check(&mut faults, now, before);\n                left = after;", "left = after;"),
            ("s.load_short(&bytes[BLOCK_BYTES..])", "last"),
            ("for k in 2..6 {", "for k in 3..6 {"),
            ("for k in 1..4 {", "for k in 2..4 {"),
            ("for k in 0..3 {", "for k in 0..2 {"),
            ("    if bytes.len() <= 2 * TWO_BLOCKS {", "    if bytes.len() <= 3 * TWO_BLOCKS {"),
            ("before = checker.check(&mut faults, s.load(block, 0), before);\n            if", "checker.check(&mut faults, s.load(block, 0), before);\n            if"),
            ("Verdict::suspect(bytes.len() - left.len())", "Verdict::suspect(bytes.len())"),
            ("before = checker.no_leads();\n        }\n        earlier", "}\n        earlier"),
            ("earlier = d;", ""),
            ("s.or(s.or(c, d), earlier)", "s.or(c, d)"),
            ("if after.is_empty() {", "if !after.is_empty() {"),
            ("faults = checker.or_first_bytes(faults, last, left.len());", ""),
            ("faults = checker.or_first_bytes(faults, last, left.len());", "faults = last;"),
            ("checker.check_last(&mut faults, before);", ""),
        ],
    },
    Source {
        name: "rules",
        path: "bitplanes/long.rs",
        lengths: 10,
        hooks: &[
            ("others(&self, s: Avx512, blocks: [Vector; 8]) -> u64", "others(&self, s: Avx512, blocks: [Vector; 8]) -> Vector"),
            ("s.not_zero(or_of_three(s, abc, def, gh))", "or_of_three(s, abc, def, gh)"),
            ("word_search.others(s, load_eight(s, eight))", "0_u64"),
        ],
        program: ("Rules", "(two_byte_run, |blocks| WordSearch::new(Avx512).others(Avx512, blocks))"),
        mistakes: &[],
    },
    Source {
        name: "runs",
        path: "bitplanes/long.rs",
        lengths: 10,
        hooks: &[
            (
                "use crate::simd::{Avx512, Job, Token, Vectors, x86::avx512::Vector};",
                "use super::{Avx512, Vector}; use crate::simd::{Job, Token};",
            ),
            (
                "use crate::kernel::{AHEAD_BYTES, PREFETCH_FROM_BYTES, faulty};",
                "use super::{AHEAD_BYTES, PREFETCH_FROM_BYTES}; use crate::kernel::faulty;",
            ),
            (" is_unfinished(first)", " super::is_unfinished(first)"),
            ("first[CONTEXT].is_ascii()", "super::is_fault(first)"),
            ("&& allows_two_byte(eight)", "&& super::allows_two_byte(eight)"),
            ("word_search.others(s, load_eight(s, eight))", "super::others(eight)"),
            (
                "while let Some(four) = array_at::<{ 4 * BLOCK_BYTES }>(bytes, at)",
                "while let Some(four) = { super::skip_step(&mut at); array_at::<{ 4 * BLOCK_BYTES }>(bytes, at) }",
            ),
            (
                "while let Some(eight) = with_context(bytes, at) {\n            // After",
                "while let Some(eight) = {
            let mut number = dense as usize;
            super::runs_step(bytes, &mut at, &mut number, &mut run, &mut was_sparse);
            dense = [TextKind::Sparse, TextKind::TwoByte, TextKind::Any][number];
            with_context(bytes, at)
        } {\n            // After",
            ),
            (
                "loop {\n            let next_start = at;",
                "loop {
            super::sparse_step(bytes, &mut at, &mut start, &mut words.numbers, &mut words.count, &mut is_last);
            let next_start = at;",
            ),
        ],
        program: (
            "Programs",
            "[
    |text, _| Superblocks::run(Avx512, text, ()),
    |text, at| match SparseRun::run(Avx512, text, at) {
        Ok(at) => super::sparse_ends(at),
        Err(at) => super::find(at),
    },
]",
        ),
        mistakes: &[
            (" is_unfinished(first)", " false"),
            ("after += SUPERBLOCK_BYTES;", "after += SUPERBLOCK_BYTES + 1;"),
            (
                "at = aligned_down(bytes, at + GROUP_BYTES);",
                "at = aligned_down(bytes, at + GROUP_BYTES) + BLOCK_BYTES;",
            ),
            ("left = &left[GROUP_BYTES..];", "left = &left[(GROUP_BYTES + BLOCK_BYTES).min(left.len())..];"),
            ("usize::from(b) * 8", "usize::from(a) * 8"),
            ("i += 4;", "i += 8;"),
            ("numbers = s.plus(numbers, s.splat(WORDS as u8));", ""),
            ("listed.count += count;", "listed.count = count;"),
            ("let mut at = 2 * BLOCK_BYTES -", "let mut at = 3 * BLOCK_BYTES -"),
            ("bytes.get(start - CONTEXT..)", "bytes.get(start..)"),
            ("(start, words) = (next_start, next);", "(start, words) = (at, next);"),
            ("at += 4 * BLOCK_BYTES;", "at += 5 * BLOCK_BYTES;"),
            ("blocks::CheckBlocks, bytes, at);", "blocks::CheckBlocks, bytes, at + BLOCK_BYTES);"),
            ("checker.check(&mut faults, second, leads);\n            if", "if"),
            ("leads = checker.check(&mut faults, s.load(block", "checker.check(&mut faults, s.load(block"),
            ("if s.any(faults) {", "if false {"),
            ("faulty(at) }", "faulty(after) }"),
            ("s.any(s.or(overlong, lengths))", "s.any(lengths)"),
            ("s.any(s.or(overlong, lengths))", "s.any(overlong)"),
            ("faulty(sound) }", "faulty(at) }"),
            ("if !are_below_e0(s, largest) {", "if false {"),
            ("&& allows_two_byte(eight)", ""),
            ("(lengths, smallest) = (next_lengths, next_smallest);", "lengths = next_lengths;"),
            ("k in 0..GROUP_BYTES", "k in 1..GROUP_BYTES"),
            ("next_smallest = s.min(next_smallest, moved);", "next_smallest = moved;"),
            ("s.load(eight, at - 1)", "s.load(eight, at - 2)"),
            ("(2 * run).clamp(1, LONGEST_RUN_GROUPS)", "2 * run"),
            ("is_last = at - next_start < CHUNK_BYTES", "is_last = false"),
            ("|| listed.count + count > MOST_LISTED_WORDS", ""),
            ("(s.load(NUMBERS, 0), WORDS)", "(s.load(NUMBERS, 0), MANY_WORDS)"),
            ("(i % 8 * 8 + i / 8) as u8", "i as u8"),
            ("return faulty(start);", "return faulty(at);"),
            ("first_chunk::<{ GROUP_BYTES + AFTER_WORD_BYTES }>", "first_chunk::<GROUP_BYTES>"),
        ],
    },
    Source {
        name: "scalar",
        path: "../../crates/counts/src/counts/mod.rs",
        lengths: 1,
        hooks: &[
            ("#[cfg(trust8_avx512)]\nmod avx512;\n#[cfg(trust8_simd)]\nmod lanes;\n", ""),
            ("use trust8::boundary::is_continuation;\nuse trust8::engine::{Automaton, Engine, Job, count_equal};\n", ""),
            ("pub trait Counting: Engine {", "#[cfg(any())]\npub trait Counting: Engine {"),
            ("impl Counting for Automaton {", "#[cfg(any())]\nimpl Counting for Automaton {"),
            ("jobs! {\n", "#[cfg(any())]\njobs! {\n"),
            (": usize,\n", ": super::Number,\n"),
            ("count: impl Fn(u8) -> u8) -> usize {\n    let mut sum = 0;", "count: impl Fn(&u8) -> super::Lane) -> super::Number {\n    let mut sum = super::Number::ZERO;"),
            (") {\n        let mut sums", ") {\n        if !super::begins_chunk(bytes, 0, blocks.as_flattened(), &mut sum, super::Kind::Units) {\n            continue;\n        }\n        let mut sums"),
            ("[0u8; 64]", "[super::Lane::ZERO; 64]"),
            ("(sum, &byte)", "(sum, byte)"),
            ("|&byte|", "|byte|"),
            ("usize::from(", "super::Number::from("),
            ("sum::<usize>()", "sum::<super::Number>()"),
        ],
        program: ("Scalar", "|bytes, count| sum(bytes, count)"),
        mistakes: &[
            (".chunks(127)", ".chunks(128)"),
            ("        sum += sums", "        sum = sums"),
            (" + rest.iter()", "; sum + rest.iter().skip(1)"),
            ("bytes.as_chunks::<64>()", "bytes[..bytes.len() / 2].as_chunks::<64>()"),
        ],
    },
    Source {
        name: "lanes",
        path: "../../crates/counts/src/counts/lanes.rs",
        lengths: 5,
        hooks: &[
            ("use trust8::engine::Simd;", "use super::{Lanes16, Lanes32, Number, Simd, Vector};"),
            ("use super::{Counting, Counts};", COUNTING),
            ("use crate::SimdSet;", "trait SimdSet: Simd {}\nimpl SimdSet for Lanes16 {}\nimpl SimdSet for Lanes32 {}"),
            ("-> usize", "-> Number"),
            ("let mut sum = 0;", "let mut sum = Number::ZERO;"),
            ("s.sum(more) } else { 0 }", "s.sum(more) } else { Number::ZERO }"),
            (
                "for chunk in chunks {",
                "for chunk in chunks {
        let at = super::place(chunk).expect(\"it is text\").start;
        if !super::begins(bytes, 0, at, &mut super::four(&mut counts)) {
            continue;
        }",
            ),
            (
                "while left.len() >= CHUNK_VECTORS * S::LANES {",
                "while {
        super::begins_with(bytes, &mut left, &mut [(&mut sum, super::continuations_or_units(UTF16))]);
        left.len() >= CHUNK_VECTORS * S::LANES
    } {",
            ),
        ],
        program: ("Counters", "&[
    (|text| Lanes16.count(text), |text| Lanes16.count_chars(text), |text| Lanes16.utf16_len(text)),
    (|text| Lanes32.count(text), |text| Lanes32.count_chars(text), |text| Lanes32.utf16_len(text)),
]"),
        mistakes: &[
            ("const CHUNK_VECTORS: usize = 16;", "const CHUNK_VECTORS: usize = 256;"),
            ("counts.newlines += black_box", "counts.newlines = black_box"),
            ("            counts += in_bytes", "            counts = in_bytes"),
            ("counts.continuations += sum", "counts.continuations = sum"),
            ("        sum += sum_of_two", "        sum = sum_of_two"),
            // A sum that a chunk leaves to the next one.
            (
                "for chunk in chunks {\n        let (largest, newlines) = largest_and_newlines(s, chunk);",
                "let mut newlines = s.splat(0);\n    for chunk in chunks {\n        let (largest, _) = largest_and_newlines(s, chunk);
            for k in 0..CHUNK_VECTORS { newlines = s.minus_wrapping(newlines, s.equal(s.load(chunk, k * S::LANES), s.splat(b'\\n'))); }",
            ),
            (
                "    let mut left = bytes;\n    while left.len() >= CHUNK_VECTORS * S::LANES {\n        let (chunk, after) = left.split_at(CHUNK_VECTORS * S::LANES);\n        let mut counts = [s.splat(0); 2];",
                "    let mut left = bytes;\n    let mut counts = [s.splat(0); 2];\n    while left.len() >= CHUNK_VECTORS * S::LANES {\n        let (chunk, after) = left.split_at(CHUNK_VECTORS * S::LANES);",
            ),
            ("for k in 0..CHUNK_VECTORS {\n        let now", "for k in 1..CHUNK_VECTORS {\n        let now"),
            ("for k in 0..CHUNK_VECTORS {\n                in_bytes", "for k in 1..CHUNK_VECTORS {\n                in_bytes"),
            ("for k in 0..CHUNK_VECTORS {\n            counts", "for k in 1..CHUNK_VECTORS {\n            counts"),
            ("largest = s.max(largest, now);", "largest = s.max(now, now);"),
            ("s.splat(0xE0 - 0x80))) {", "s.splat(0xE1 - 0x80))) {"),
            ("else if s.any_high_bit(largest)", "else if false"),
            ("s.splat(0xBF), now)", "s.splat(0xC0), now)"),
            ("s.splat(0x90))", "s.splat(0x91))"),
            ("from_e0 - s.sum(self.e0_to_ef)", "s.sum(self.e0_to_ef)"),
            ("{ S::LANES - left.len() }", "{ left.len() }"),
            ("text.len() - sum::<Self, false>(self, text)", "sum::<Self, false>(self, text)"),
            ("[s.minus_wrapping(counts, s.below", "[s.minus_wrapping(s.splat(0), s.below"),
            ("    while left.len() >= S::LANES {\n        let now", "    if left.len() >= S::LANES {\n        let now"),
            ("    while left.len() >= S::LANES {\n        counts", "    while left.len() > S::LANES {\n        counts"),
            ("    counts = add::<S, UTF16>(s, counts, s.load_short(left));", ""),
            ("    in_bytes.add(s, now);\n    newlines", "    newlines"),
            ("s.equal(now, s.splat(b'\\n')));\n    counts", "s.equal(now, s.splat(0)));\n    counts"),
            ("    counts.newlines += s.sum(newlines);", ""),
        ],
    },
    Source {
        name: "wide",
        path: "../../crates/counts/src/counts/avx512.rs",
        lengths: 4,
        hooks: &[
            ("use trust8::engine::avx512::Vector;\nuse trust8::engine::{Avx512, Vectors};\n", "use super::{Avx512, Number, Vector};\n"),
            ("use super::{Counting, Counts};", COUNTING),
            ("-> usize", "-> Number"),
            (".count_ones() as usize", ".count_ones()"),
            ("places: u64", "places: super::Places"),
            (" as usize - zeros", " - zeros"),
            (
                "while let Some((four, after)) = left.split_first_chunk::<256>() {",
                "while let Some((four, after)) = { super::begins_with(bytes, &mut left, &mut super::four(&mut counts)); left.split_first_chunk::<256>() } {",
            ),
            (
                "for chunk in chunks {",
                "for chunk in chunks {
            if !super::begins_chunk(bytes, head.len(), chunk, &mut sum, super::characters_or_units(UTF16)) {
                continue;
            }",
            ),
        ],
        program: ("Counters", "&[(|text| Avx512.count(text), |text| Avx512.count_chars(text), |text| Avx512.utf16_len(text))]"),
        mistakes: &[
            ("const CHUNK_BYTES: usize = 512;", "const CHUNK_BYTES: usize = 8192;"),
            (
                "for chunk in chunks {\n            let mut in_chunk = s.zero();",
                "let mut in_chunk = s.zero();\n        for chunk in chunks {",
            ),
            ("sum = s.plus64(sum, s.sums_of_bytes(in_chunk));", "sum = s.sums_of_bytes(in_chunk);"),
            ("for k in 0..CHUNK_BYTES", "for k in 1..CHUNK_BYTES"),
            ("s.plus64(sum, s.sums_of_bytes(counts))", "s.sums_of_bytes(counts)"),
            ("counts = counter.add(counts, s.load_short(head));", ""),
            ("zeros += 64 - head.len();", ""),
            ("zeros += 64 - left.len();", "zeros += left.len();"),
            ("left = tail;", "left = aligned;"),
            ("0x8..=0xB => 0", "0x8..=0xC => 0"),
            ("0xF => 2", "0xE..=0xF => 2"),
            ("match i & 15", "match i / 4"),
            ("s.splat(0xBF), now)", "s.splat(0xC0), now)"),
            ("s.or(s.or(a, b), s.or(c, d))", "s.or(s.or(a, b), s.or(c, a))"),
            ("for block in [a, b, c, d] {\n                counts +=", "for block in [a, b, d] {\n                counts +="),
            ("for block in [a, b, c, d] {\n                counts.newlines", "for block in [a, b, c, c] {\n                counts.newlines"),
            ("counts += in_block(s, s.load_short(left));", ""),
            ("        counts += in_block(s, s.load(block, 0));", "        counts = in_block(s, s.load(block, 0));"),
            ("s.splat(0xF0))),", "s.splat(0xF1))),"),
        ],
    },
    Source {
        name: "search",
        path: "../../crates/counts/src/search/mod.rs",
        lengths: 8,
        hooks: &[
            ("mod vectors;\n\n", ""),
            ("use trust8::engine::{Engine, Job};", "use super::{Engine, Job};"),
            ("pub use vectors::SearchOps;", "use super::SearchOps;"),
            (
                "while let Some(group) = text[at..].first_chunk() {",
                "while let Some(group) = { super::step(&mut at, &mut pending); text[at..].first_chunk() } {",
            ),
        ],
        program: ("Searches", "{
    struct Unit<const B: usize>;
    impl<V: SearchOps, const B: usize> Sought<V> for Unit<B> {
        const UNIT_BYTES: usize = B;
        fn is_suspected<const N: usize>(_: V, vectors: [V::Vector; N]) -> bool { super::is_suspected(&vectors) }
        fn places(_: V, now: V::Vector, pending: &mut u64) -> u64 { super::places(now, V::LANES, pending) }
        fn place(_: &[u8], at: usize) -> usize { super::found(at) }
    }
    struct Marked;
    impl<V: SearchOps> Sought<V> for Marked {
        const UNIT_BYTES: usize = 1;
        fn is_suspected<const N: usize>(_: V, _: [V::Vector; N]) -> bool { true }
        fn places(_: V, now: V::Vector, pending: &mut u64) -> u64 { super::marked(now, V::LANES, pending) }
    }
    &[
        (16, 1, |text| Search::<Unit<1>>::run(super::Asked::<16, true>, text, ()), |text| Places::<Marked>::run(super::Asked::<16, true>, text, ())),
        (16, 2, |text| Search::<Unit<2>>::run(super::Asked::<16, true>, text, ()), |text| Places::<Marked>::run(super::Asked::<16, true>, text, ())),
        (32, 1, |text| Search::<Unit<1>>::run(super::Asked::<32, true>, text, ()), |text| Places::<Marked>::run(super::Asked::<32, true>, text, ())),
        (32, 2, |text| Search::<Unit<2>>::run(super::Asked::<32, true>, text, ()), |text| Places::<Marked>::run(super::Asked::<32, true>, text, ())),
        (32, 4, |text| Search::<Unit<4>>::run(super::Asked::<32, true>, text, ()), |text| Places::<Marked>::run(super::Asked::<32, true>, text, ())),
        (64, 1, |text| Search::<Unit<1>>::run(super::Asked::<64, true>, text, ()), |text| Places::<Marked>::run(super::Asked::<64, true>, text, ())),
        (64, 4, |text| Search::<Unit<4>>::run(super::Asked::<64, true>, text, ()), |text| Places::<Marked>::run(super::Asked::<64, true>, text, ())),
    ]
}"),
        mistakes: &[
            ("if pending == 0 && !is_group", "if !is_group"),
            ("if pending == 0\n            && let", "if let"),
            ("at += step;", "at += 2 * step;"),
            ("at += LONG_BYTES;", "at += 2 * LONG_BYTES;"),
            ("&mut 0, &mut pending", "&mut 0, &mut 0"),
            ("Q::place(text, at + found)", "Q::place(text, found)"),
            ("rest::<Q, _>(engine, text, at, pending)", "rest::<Q, _>(engine, text, at, 0)"),
            ("rest::<Q, _>(engine, text, at, pending)", "rest::<Q, _>(engine, text, at + E::LANES, pending)"),
            ("LONG_BYTES - text.as_ptr()", "LONG_BYTES + text.as_ptr()"),
            ("% E::LANES / Q::UNIT_BYTES * Q::UNIT_BYTES", "% E::LANES"),
            ("return text.len();", "return at;"),
            ("text.last_chunk()", "text.first_chunk()"),
            ("*at += V::LANES;", "*at += 2 * V::LANES;"),
            ("text.len() - *at >= V::LANES", "text.len() - *at > V::LANES"),
            ("return Some(*at + unit_at::<Q, V>(places));", "return Some(*at + places.trailing_zeros() as usize);"),
            ("/ Q::UNIT_BYTES * Q::UNIT_BYTES\n}", "\n}"),
            ("if places == 0 { at }", "if places != 0 { at }"),
            ("text.len().min(at + unit_at", "(at + unit_at"),
            ("V::LANES * i)", "V::LANES * (i - 1))"),
            ("32 => Q::is_suspected::<8>", "32 => Q::is_suspected::<7>"),
            ("_ => Q::is_suspected::<4>", "_ => Q::is_suspected::<3>"),
            ("ones |= Q::places(engine, engine.load(text, at), &mut pending) << at;", "ones |= Q::places(engine, engine.load(text, at), &mut pending);"),
            ("at < BLOCK_BYTES &&", "at <= BLOCK_BYTES &&"),
            ("& within) << at", ") << at"),
            ("(1 << (text.len() - at)) - 1", "(1 << (text.len() - at)) - 2"),
        ],
    },
    Source {
        name: "inspect",
        path: "../../crates/counts/src/inspect.rs",
        lengths: 4,
        hooks: &[
            (
                "use trust8::boundary::floor;\nuse trust8::engine::survey::Found;\nuse trust8::engine::{count_lossy, judge};\nuse trust8::{Kernel, Utf8Error};\n\nuse crate::counts::",
                "use super::{Found, Kernel, Utf8Error, count_lossy, floor, judge};\n\nuse super::",
            ),
            (
                "        let (chunk, after) =",
                "        super::step(bytes, &mut left, &mut counts);\n        let (chunk, after) =",
            ),
        ],
        program: ("Inspect", "|bytes| {
    let summary = by(Kernel::best(), bytes);
    (summary.error, summary.bytes, summary.counts)
}"),
        mistakes: &[
            ("counts += kernel.run(Count, chunk, ());", ""),
            ("counts += kernel.run(Count, chunk, ());", "counts = kernel.run(Count, chunk, ());"),
            ("counts += kernel.run(Count, valid, ());", "counts = kernel.run(Count, valid, ());"),
            ("kernel.check(chunk)", "kernel.check(&chunk[..chunk.len() / 2])"),
            ("left = after;", "left = &after[1..];"),
            ("judge(left, rejected", "judge(chunk, rejected"),
            ("error.after(before)", "error.after(0)"),
            ("map_or(left, |error|", "map_or(chunk, |error|"),
            ("bytes: before + valid.len()", "bytes: valid.len()"),
            ("if after.is_empty() {", "if after.len() < 4 {"),
            ("error: None, bytes: bytes.len(), counts", "error: None, bytes: before, counts"),
        ],
    },
];

/// Writes each file as a module with the number 0, a copy for each mistake, and a list of their programs.
fn write_copies() {
    let out = env::var("OUT_DIR").expect("cargo sets it");
    for Source { name, path, lengths, hooks, program: (kind, program), mistakes } in FILES {
        let path = format!("../../src/kernel/{path}");
        println!("cargo::rerun-if-changed={path}");
        let source = fs::read_to_string(&path).expect("the code is there");
        let outer = |line: &&str| !line.starts_with("//!") && !line.starts_with("#![");
        let source = source.lines().filter(outer).fold(String::new(), |all, line| all + line + "\n");
        let found = source.matches(".len()").count() + source.matches(".addr()").count();
        assert_eq!(found, *lengths, "{path} asks for other lengths: are the cases still enough?");
        let (mut modules, mut list) = (String::new(), String::new());
        for (i, (right, wrong)) in [("", "")].iter().chain(*mistakes).enumerate() {
            assert!(source.contains(right), "{path} no longer has {right:?}");
            let mut copy = if right.is_empty() { source.clone() } else { source.replace(right, wrong) };
            for (code, hook) in *hooks {
                assert!(i > 0 || copy.contains(code), "{path} no longer has {code:?}");
                copy = copy.replace(code, hook);
            }
            // One width shows a mistake, and three take three times as long to compile. Rows of two-byte text need vectors of 32 bytes.
            let is_kept = |line: &&str| i == 0 || !line.contains("Asked::<16");
            let program = program.lines().filter(is_kept).fold(String::new(), |all, line| all + line + "\n");
            // Clippy's lints are off in copies, so it need not compile those with a mistake.
            let cfg = if i == 0 { "" } else { "#[cfg(not(clippy))]" };
            modules += &format!(
                "{cfg} #[allow(warnings, clippy::all, reason = \"a copy of code that is checked in its place; a mistake leaves some of it unused\")] mod {name}_{i} {{ {copy} pub(super) const PROGRAM: super::{kind} = {program}; }}\n"
            );
            list += &format!("{cfg} ({:?}, {name}_{i}::PROGRAM),\n", format!("{right} -> {wrong}"));
        }
        let list = format!("const {}: &[(&str, {kind})] = &[\n{list}];\n", name.to_uppercase());
        fs::write(Path::new(&out).join(format!("{name}.rs")), modules + &list).expect("a file in OUT_DIR");
    }
}

fn main() {
    write_copies();
    println!("cargo::rerun-if-changed=build.rs");
    for name in CFGS.iter().chain(&["trust8_simd", "trust8_optimised"]) {
        println!("cargo::rustc-check-cfg=cfg({name})");
    }
    println!("cargo::rustc-cfg=trust8_simd");
    if env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "x86_64") {
        println!("cargo::rustc-cfg=trust8_avx512");
    }
}
