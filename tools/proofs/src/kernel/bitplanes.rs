//! What is proved of the bit planes, and of the blocks of 64 bytes.

#[path = "../../../../src/kernel/bitplanes/truth.rs"]
#[macro_use]
mod truth;
#[path = "../../../../src/kernel/bitplanes/blocks.rs"]
#[expect(dead_code, reason = "nothing is proved of the search for all faults")]
mod blocks;
#[path = "by_blocks.rs"]
pub(crate) mod by_blocks;
#[path = "items.rs"]
mod items;
#[path = "../../../../src/kernel/bitplanes/planes.rs"]
mod planes;
#[path = "runs.rs"]
pub(crate) mod runs;

mod rules {
    //! `long.rs` with formulas. Two-byte text is checked two blocks at a time, not eight: that would take minutes.

    use super::{Avx512, BLOCK_BYTES, Vector, blocks, planes};

    const GROUP_BYTES: usize = 2 * BLOCK_BYTES;

    /// A run of two-byte text, and the words of eight blocks that are not ASCII.
    type Rules = (fn(Avx512, &[u8], usize, usize, bool) -> Result<usize, usize>, fn([Vector; 8]) -> Vector);

    // build.rs makes `RULES`.
    include!(concat!(env!("OUT_DIR"), "/rules.rs"));

    pub(super) const TWO_BYTE_RUN: fn(&[u8]) -> bool =
        |text| RULES[0].1.0(Avx512, text, super::CONTEXT, 1, false).is_ok_and(|after| after > super::CONTEXT);
    pub(super) const OTHERS: fn([Vector; 8]) -> Vector = RULES[0].1.1;
}

use planes::SUPERBLOCK_BYTES;

use crate::boundary::{CONTEXT, allows_two_byte, is_unfinished};
use crate::byte::{Byte, with_text};
use crate::formula::{Formula, TRUE, alone};
use crate::kernel::are_right;
use crate::kernel::verdict::Verdict;
use crate::path::{accepted, explore};
use crate::rfc::{End, Start, is_text};
use crate::simd::Vectors;
use crate::simd::x86::avx512::{Avx512, Vector};
use crate::{among_ascii, any_bytes, of_three_bytes};

const BLOCK_BYTES: usize = 64;

/// Returns the faults of a superblock.
fn superblock(text: &[Byte]) -> Vector {
    with_text(text, 0, |memory| {
        let planes = planes::planes(
            Avx512,
            planes::Picks::new(Avx512),
            memory.first_chunk().expect("a superblock and its context"),
        );
        planes::check_planes(Avx512, Avx512.zero(), planes)
    })
}

/// Four bytes of any values end at a place of a superblock, and all other bytes are ASCII. The planes show a fault if and only if
/// the four bytes are not UTF-8; at the last place, if they are not the beginning of it. (Of those before the superblock it is
/// known that they are.)
pub(crate) fn a_place(place: usize) -> bool {
    let (text, four) = among_ascii::<4>(CONTEXT + SUPERBLOCK_BYTES, place);
    let end = if place + 1 == SUPERBLOCK_BYTES { End::Anywhere } else { End::Character };
    let context = is_text(Start::Character, &four[..CONTEXT.saturating_sub(place)], End::Anywhere);
    let unfaulted = superblock(&text).any().not();
    context.and(unfaulted).is(context.and(is_text(Start::Character, &four, end)))
}

pub(crate) fn each_place() -> bool {
    (0..SUPERBLOCK_BYTES).all(a_place)
}

/// A superblock of any bytes follows three bytes that are part of some UTF-8 text. The planes show a fault if and only if all
/// bytes together are not.
pub(crate) fn a_superblock() -> bool {
    let text = any_bytes(CONTEXT + SUPERBLOCK_BYTES);
    let context = is_text(Start::Anywhere, &text[..CONTEXT], End::Anywhere);
    let unfaulted = superblock(&text).any().not();
    context.and(unfaulted).is(context.and(is_text(Start::Anywhere, &text, End::Anywhere)))
}

/// A block of any bytes, after a block of any bytes. The check shows a fault if and only if both are not UTF-8 so far; and with
/// the check of the end, if and only if they do not end with a character.
pub(crate) fn two_blocks_in_registers() -> bool {
    let text = any_bytes(2 * BLOCK_BYTES);
    with_text(&text, 0, |memory| {
        let checked = |ends: bool| {
            accepted(|| {
                let checker = blocks::BlockChecker::new(Avx512);
                let mut faults = checker.no_faults();
                let leads = checker.check(&mut faults, Avx512.load(memory, 0), checker.no_leads());
                let leads = checker.check(&mut faults, Avx512.load(memory, BLOCK_BYTES), leads);
                if ends {
                    checker.check_end(&mut faults, leads);
                }
                !checker.any(&faults)
            })
        };
        checked(false).is(is_text(Start::Character, &text, End::AnywhereOrNever))
            && checked(true).is(is_text(Start::Character, &text, End::Character))
    })
}

/// Words in context, as a sparse run checks them: four times 16 bytes of any values, each after a character. The check shows a fault if
/// and only if one of them is not the beginning of UTF-8. (What is a fault of the first three bytes is another word's, so they are
/// the beginning of UTF-8 here.)
pub(crate) fn words() -> bool {
    let text = any_bytes(BLOCK_BYTES);
    let four = || text.chunks(BLOCK_BYTES / 4);
    with_text(&text, 0, |memory| {
        let unfaulted = accepted(|| {
            let checker = blocks::BlockChecker::new(Avx512);
            let mut faults = checker.no_faults();
            checker.check(&mut faults, Avx512.load(memory, 0), checker.no_leads());
            !checker.any(&checker.of_words(faults))
        });
        let all = |len| {
            four()
                .map(|word| is_text(Start::Anywhere, &word[..len], End::AnywhereOrNever))
                .fold(TRUE, Formula::and)
        };
        let context = all(CONTEXT);
        context.and(unfaulted).is(context.and(all(BLOCK_BYTES / 4)))
    })
}

/// In eight blocks of any bytes, lane 8q + k is zero if and only if word q of block k is ASCII.
pub(crate) fn words_that_are_not_ascii() -> bool {
    let text = any_bytes(8 * BLOCK_BYTES);
    with_text(&text, 0, |memory| {
        let others = rules::OTHERS(std::array::from_fn(|k| Avx512.load(memory, k * BLOCK_BYTES)));
        text.chunks(8).enumerate().all(|(word, bytes)| {
            let is_ascii = bytes.iter().fold(TRUE, |all, byte| all.and(byte.is_in(&(0..=0x7F))));
            others.0[word % 8 * 8 + word / 8].equals(Byte::ZERO).is(is_ascii)
        })
    })
}

/// Two blocks of any bytes, after a context that allows two-byte text: a run accepts them if and only if they are such text.
pub(crate) fn two_byte_run() -> bool {
    let text = any_bytes(CONTEXT + 2 * BLOCK_BYTES);
    let context = is_text(Start::Anywhere, &text[..CONTEXT], End::AnywhereOrNever)
        .and(of_three_bytes(|bytes| allows_two_byte(&bytes)));
    let below_e0 = text[CONTEXT..].iter().fold(TRUE, |all, byte| all.and(byte.is_in(&(0..=0xDF))));
    let expected = below_e0.and(is_text(Start::Anywhere, &text, End::Anywhere));
    let is_two_byte = with_text(&text, 0, |memory| accepted(|| rules::TWO_BYTE_RUN(memory)));
    context.and(is_two_byte).is(context.and(expected))
}

/// Three bytes that are part of a text are finished if and only if they end with a character.
pub(crate) fn finished() -> bool {
    let three = any_bytes(CONTEXT);
    let context = is_text(Start::Anywhere, &three, End::AnywhereOrNever);
    let is_finished = of_three_bytes(|bytes| !is_unfinished(&bytes));
    context.and(is_finished).is(context.and(is_text(Start::Anywhere, &three, End::Character)))
}

/// Returns the verdict on a text by blocks.
fn by_blocks(memory: &[u8]) -> Verdict {
    if memory.len() < BLOCK_BYTES {
        blocks::check_one_block(Avx512, memory)
    } else {
        blocks::check_by_blocks(Avx512, memory)
    }
}

/// A text of `n` bytes, by blocks. It is accepted if and only if it is UTF-8. Where it is not, all before the suspicion is UTF-8,
/// except for a character that the suspicion cuts off, or a byte directly before it that never appears.
pub(crate) fn a_text_by_blocks(n: usize) -> bool {
    let text = any_bytes(n);
    let verdicts = with_text(&text, 0, |memory| explore(TRUE, || by_blocks(memory)));
    are_right(&verdicts, &text)
}

/// A piece of any bytes, of some lengths, after four bytes that cut a character off or not. It continues the text if and only if both together are
/// part of one.
pub(crate) fn pieces() -> bool {
    let befores = [*b"aaaa", *b"aaa\xC3", *b"aa\xE2\x82", *b"a\xF0\x9F\x98", *b"aaa\xED", *b"aaa\xF4"];
    befores.into_iter().all(|before| {
        [0, 1, 2, 3, 4, 5, 63, 64, 65, 67].into_iter().all(|n| {
            alone(|| {
                let piece = any_bytes(n);
                let text = [&before.map(Byte::constant)[..], &piece].concat();
                let continues = with_text(&piece, 0, |memory| {
                    accepted(|| blocks::piece_in_blocks_continues(Avx512, before, memory))
                });
                continues.is(is_text(Start::Anywhere, &text, End::Anywhere))
            })
        })
    })
}

/// Nine bytes of any values among ASCII, for mistakes. They lie on both sides of a border of vectors.
pub(crate) fn for_mistakes() -> bool {
    let (text, nine) = among_ascii::<9>(CONTEXT + SUPERBLOCK_BYTES, 61);
    superblock(&text).any().not().is(is_text(Start::Character, &nine, End::Character))
}

/// The same for blocks: the nine bytes lie on both sides of the border of two blocks, or end with the text.
pub(crate) fn for_mistakes_of_blocks() -> bool {
    const LEN: usize = BLOCK_BYTES + 18;
    let is_right = |len: usize, at: usize| {
        let (text, nine) = among_ascii::<9>(len, at);
        let valid = with_text(&text, 0, |memory| accepted(|| by_blocks(memory).is_valid()));
        valid.is(is_text(Start::Character, &nine, End::Character))
    };
    let (text, [third, second, last]) = among_ascii::<3>(BLOCK_BYTES, BLOCK_BYTES - 3);
    let ends = with_text(&text, 0, |memory| {
        accepted(|| {
            let checker = blocks::BlockChecker::new(Avx512);
            let mut faults = checker.no_faults();
            checker.check_end(&mut faults, checker.leads(Avx512.load(memory, 0)));
            !checker.any(&faults)
        })
    });
    let is_below = |byte: Byte, limit: u8| byte.is_in(&(0..=limit - 1));
    is_right(LEN, BLOCK_BYTES - 4)
        && is_right(LEN, LEN - 9)
        && is_right(18, 9)
        && ends.is(is_below(third, 0xF0).and(is_below(second, 0xE0)).and(is_below(last, 0xC0)))
}

/// The same for runs: eight bytes on both sides of the border of two blocks, and the words of eight blocks.
pub(crate) fn for_mistakes_of_runs() -> bool {
    let (text, eight) = among_ascii::<8>(CONTEXT + 2 * BLOCK_BYTES, CONTEXT + BLOCK_BYTES - 4);
    let below_e0 = eight.iter().fold(TRUE, |all, byte| all.and(byte.is_in(&(0..=0xDF))));
    let is_two_byte = with_text(&text, 0, |memory| accepted(|| rules::TWO_BYTE_RUN(memory)));
    is_two_byte.is(below_e0.and(is_text(Start::Character, &eight, End::Character)))
        && words_that_are_not_ascii()
}
