//! What is proved of the lookups, and of the lists of blocks.

#[path = "../../../../src/kernel/lookup/ascii.rs"]
mod ascii;
#[path = "../../../../src/kernel/lookup/check.rs"]
#[expect(dead_code, reason = "nothing is proved of the search for all faults")]
mod check;
#[path = "../../../../src/kernel/lookup/fault.rs"]
mod fault;
#[path = "../../../../src/kernel/lookup/filter.rs"]
mod filter;
#[path = "loops.rs"]
pub(crate) mod loops;
#[path = "../../../../src/kernel/lookup/short.rs"]
#[expect(dead_code, reason = "pieces of streams are proved in copies of it")]
mod short;
#[path = "../../../../src/kernel/lookup/tables.rs"]
mod tables;

use check::{BLOCK_BYTES, Checker};

use crate::boundary::{CONTEXT, LARGEST_AT_END, LARGEST_BEFORE_TWO_BYTE, allows_two_byte};
use crate::byte::{Byte, with_text};
use crate::formula::{FALSE, TRUE};
use crate::kernel::{Verdict, are_right};
use crate::path::{accepted, explore};
use crate::rfc::{End, Start, is_text};
use crate::simd::Vectors;
use crate::simd::symbolic::{Symbolic, X86};
use crate::simd::traced::Traced;
use crate::vector::Vector;
use crate::{among_ascii, any_bytes, of_three_bytes};

/// Four bytes of any values end at each place of a vector, and all other bytes are ASCII. The check shows a fault up to that place
/// if and only if the four bytes are not UTF-8 so far. (Of those before the vector it is known that they are.)
pub(crate) fn each_place<const N: usize, const SET: u8>() -> bool {
    (0..N).all(|place| {
        let (text, four) = among_ascii::<4>(CONTEXT + N, place);
        let before = &four[..CONTEXT.saturating_sub(place)];
        let context = is_text(Start::Character, before, End::AnywhereOrNever);
        let unfaulted = with_text(&text, 0, |memory| {
            accepted(|| {
                let checker = Checker::new(Symbolic::<N, SET>);
                let mut faults = checker.no_faults();
                checker.check_at(&mut faults, memory, CONTEXT);
                !checker.any(&faults.first_lanes(Symbolic::<N, SET>, place + 1))
            })
        });
        context.and(unfaulted).is(context.and(is_text(Start::Character, &four, End::AnywhereOrNever)))
    })
}

/// A vector of any bytes follows three bytes that are part of some UTF-8 text. The check shows a fault in its first `n` bytes if
/// and only if the text up to there is not; and with the check of the end, if and only if the text does not end there.
pub(crate) fn a_vector_in_context<const N: usize, const SET: u8>() -> bool {
    let text = any_bytes(CONTEXT + N);
    let context = is_text(Start::Anywhere, &text[..CONTEXT], End::AnywhereOrNever);
    with_text(&text, 0, |memory| {
        let checked = |lanes: usize, ends: bool| {
            accepted(|| {
                let s = Symbolic::<N, SET>;
                let checker = Checker::new(s);
                let mut faults = checker.no_faults();
                checker.check_at(&mut faults, memory, CONTEXT);
                checker.check_end(&mut faults, s.load(memory, CONTEXT), LARGEST_AT_END, !ends);
                !checker.any(&faults.first_lanes(s, lanes))
            })
        };
        let parts = (1..=N).all(|lanes| {
            let expected = is_text(Start::Anywhere, &text[..CONTEXT + lanes], End::AnywhereOrNever);
            context.and(checked(lanes, false)).is(context.and(expected))
        });
        let whole = is_text(Start::Anywhere, &text, End::Character);
        parts && context.and(checked(N, true)).is(context.and(whole))
    })
}

/// A vector of any bytes follows four bytes that are part of some UTF-8 text. There is a suspicion if and only if the vector is not, and the text before
/// the suspicion is.
pub(crate) fn a_fault_in_a_vector<const N: usize, const SET: u8>() -> bool {
    let text = any_bytes(4 + N);
    let is_part = |bytes: &[Byte]| is_text(Start::Anywhere, bytes, End::AnywhereOrNever);
    let found = with_text(&text, 0, |memory| {
        explore(is_part(&text[..4]), || {
            let s = Symbolic::<N, SET>;
            let checker = Checker::new(s);
            let before = Vector(std::array::from_fn(|lane| {
                text[..4].get(lane.wrapping_sub(N - 4)).copied().unwrap_or(Byte::ZERO)
            }));
            let before = checker.check_after(&mut checker.no_faults(), before, checker.ending_in([0; 4]));
            let mut faults = checker.no_faults();
            checker.check_after(&mut faults, s.load(memory, 4), before);
            checker.suspicion(&faults, 4)
        })
    });
    found.into_iter().all(|(condition, suspicion)| match suspicion.and_then(Verdict::suspicion) {
        None => condition.and(is_part(&text).not()).is(FALSE),
        Some(at) => condition.and(is_part(&text).or(is_part(&text[..at]).not())).is(FALSE),
    })
}

/// Two vectors that are checked in registers, at the start of a text.
pub(crate) fn vectors_in_registers<const N: usize, const SET: u8>() -> bool {
    let text = any_bytes(2 * N);
    let unfaulted = with_text(&text, 0, |memory| {
        accepted(|| {
            let s = Symbolic::<N, SET>;
            let checker = Checker::new(s);
            let mut faults = checker.no_faults();
            let before = checker.check_after(&mut faults, s.load(memory, 0), checker.ending_in([0; 4]));
            checker.check_after(&mut faults, s.load(memory, N), before);
            !checker.any(&faults)
        })
    });
    unfaulted.is(is_text(Start::Character, &text, End::AnywhereOrNever))
}

/// A block of any bytes in context. The check shows a fault if and only if the text is not UTF-8 so far, or, where it ends or ASCII
/// follows, not UTF-8.
pub(crate) fn a_block<const N: usize, const SET: u8>() -> bool {
    let text = any_bytes(CONTEXT + BLOCK_BYTES);
    let context = is_text(Start::Anywhere, &text[..CONTEXT], End::AnywhereOrNever);
    [false, true].into_iter().all(|ends| {
        let unfaulted =
            with_text(&text, 0, |memory| accepted(|| is_unfaulted::<N, SET>(memory, LARGEST_AT_END, !ends)));
        let end = if ends { End::Character } else { End::AnywhereOrNever };
        context.and(unfaulted).is(context.and(is_text(Start::Anywhere, &text, end)))
    })
}

/// A vector of any bytes, and a block after it, as dense text is checked. The check shows a fault if and only if the text is not UTF-8 so
/// far. It continues after the block as after a vector.
pub(crate) fn a_block_after_a_vector<const SET: u8>() -> bool {
    let text = any_bytes(16 + BLOCK_BYTES + 16);
    let unfaulted = with_text(&text, 0, |memory| {
        accepted(|| {
            let s = Symbolic::<16, SET>;
            let checker = Checker::new(s);
            let mut faults = checker.no_faults();
            let mut before = checker.check_after(&mut faults, s.load(memory, 0), checker.ending_in([0; 4]));
            checker.check_all_after(&mut faults, &memory[16 - CONTEXT..16 + BLOCK_BYTES], &mut before);
            checker.check_after(&mut faults, s.load(memory, 16 + BLOCK_BYTES), before);
            !checker.any(&faults)
        })
    });
    unfaulted.is(is_text(Start::Character, &text, End::AnywhereOrNever))
}

/// Returns whether the check of a block in context shows no fault. `ends` and `goes_on` are for the check of its end.
fn is_unfaulted<const N: usize, const SET: u8>(memory: &[u8], ends: &[u8; 64], goes_on: bool) -> bool {
    let s = Symbolic::<N, SET>;
    let checker = Checker::new(s);
    let mut faults = checker.no_faults();
    checker.check_block(&mut faults, memory.first_chunk().expect("it is a block"));
    checker.check_end(&mut faults, s.load(memory, CONTEXT + BLOCK_BYTES - N), ends, goes_on);
    !checker.any(&faults)
}

/// A block of any bytes in context. Where the context allows it, the block is not listed and has no C0 or C1 if and only if it is text of
/// characters of one and two bytes. And a block in which a longer character continues is listed, or no text.
pub(crate) fn not_two_byte<const N: usize>() -> bool {
    let text = any_bytes(CONTEXT + BLOCK_BYTES);
    let below_e0 = text[CONTEXT..].iter().fold(TRUE, |all, byte| all.and(byte.is_in(&(0..=0xDF))));
    let context = is_text(Start::Anywhere, &text[..CONTEXT], End::AnywhereOrNever);
    let allowed = of_three_bytes(|bytes| allows_two_byte(&bytes));
    with_text(&text, 0, |memory| {
        let s = Symbolic::<N, X86>;
        let is_listed =
            accepted(|| s.any_high_bit(filter::others::<_, BLOCK_BYTES>(s, &mut s.splat(0xFF), memory)));
        let is_known = accepted(|| {
            let mut smallest = s.splat(0xFF);
            !s.any_high_bit(filter::others::<_, BLOCK_BYTES>(s, &mut smallest, memory))
                && !s.any_high_bit(filter::overlong(s, smallest))
        });
        let expected = below_e0.and(is_text(Start::Anywhere, &text, End::Anywhere));
        let condition = context.and(allowed);
        let goes_on = context.and(allowed.not()).and(is_text(Start::Anywhere, &text, End::AnywhereOrNever));
        condition.and(is_known).is(condition.and(expected)) && goes_on.and(is_listed).is(goes_on)
    })
}

/// A listed block of any bytes in context, and a block after it that is not listed, without C0 or C1 in either. The check of the first, and
/// of its end, shows a fault if and only if both together are not text.
pub(crate) fn before_two_byte<const N: usize, const SET: u8>() -> bool {
    let text = any_bytes(CONTEXT + 2 * BLOCK_BYTES);
    let context = is_text(Start::Anywhere, &text[..CONTEXT], End::AnywhereOrNever);
    with_text(&text, 0, |memory| {
        let s = Symbolic::<N, SET>;
        let is_not_listed = accepted(|| {
            let mut smallest = s.splat(0xFF);
            filter::others::<_, BLOCK_BYTES>(s, &mut smallest, memory);
            !s.any_high_bit(filter::others::<_, BLOCK_BYTES>(s, &mut smallest, &memory[BLOCK_BYTES..]))
                && !s.any_high_bit(filter::overlong(s, smallest))
        });
        let unfaulted = accepted(|| is_unfaulted::<N, SET>(memory, LARGEST_BEFORE_TWO_BYTE, false));
        let condition = context.and(is_not_listed);
        condition.and(unfaulted).is(condition.and(is_text(Start::Anywhere, &text, End::Anywhere)))
    })
}

/// Two blocks of any bytes, tested as one, after a context that allows two-byte text: the test passes if and only if they are such text.
/// (A row has eight blocks, which would take minutes.)
pub(crate) fn two_byte_blocks<const N: usize>() -> bool {
    const BYTES: usize = 2 * BLOCK_BYTES;
    let text = any_bytes(CONTEXT + BYTES);
    let below_e0 = text[CONTEXT..].iter().fold(TRUE, |all, byte| all.and(byte.is_in(&(0..=0xDF))));
    let context = is_text(Start::Anywhere, &text[..CONTEXT], End::AnywhereOrNever)
        .and(of_three_bytes(|bytes| allows_two_byte(&bytes)));
    with_text(&text, 0, |memory| {
        let s = Symbolic::<N, X86>;
        let is_two_byte = accepted(|| {
            let mut smallest = s.splat(0xFF);
            let others = filter::others::<_, BYTES>(s, &mut smallest, memory);
            !s.any_high_bit(s.or(others, filter::overlong(s, smallest)))
        });
        let expected = below_e0.and(is_text(Start::Anywhere, &text, End::Anywhere));
        context.and(is_two_byte).is(context.and(expected))
    })
}

/// In sixteen blocks of any bytes, the lanes of a block are zero if and only if all of it is ASCII.
pub(crate) fn not_ascii<const N: usize>() -> bool {
    let text = any_bytes(filter::GROUP_BYTES);
    with_text(&text, 0, |memory| {
        let lanes = filter::squeezed(Symbolic::<N, X86>, memory.first_chunk().expect("it is a group")).0;
        text.chunks(BLOCK_BYTES).enumerate().all(|(block, bytes)| {
            let is_ascii = bytes.iter().fold(TRUE, |all, byte| all.and(byte.is_in(&(0..=0x7F))));
            let of_block = lanes.iter().skip(block).step_by(filter::GROUP_BLOCKS);
            of_block.fold(TRUE, |all, lane| all.and(lane.equals(Byte::ZERO))).is(is_ascii)
        })
    })
}

/// A text of `n` bytes, by the algorithm for short input. It is accepted if and only if it is UTF-8. Where it is not, all before the
/// suspicion is UTF-8, except for a character that the suspicion cuts off, or a byte directly before it that never appears.
pub(crate) fn a_short_text<const N: usize, const SET: u8>(n: usize) -> bool {
    let text = any_bytes(n);
    let verdicts =
        with_text(&text, 0, |memory| explore(TRUE, || short::check_short(Symbolic::<N, SET>, memory)));
    are_right(&verdicts, &text)
}

/// Lists of whole chunks, on given texts: for numbers of blocks around those of groups, each block alone is not ASCII, or not two-byte text, and each alone is. Which
/// blocks are so is proved with formulas for a group and for a block; here it is shown that each has its bit.
pub(crate) fn lists_of_chunks<const N: usize>() -> bool {
    let s = Traced::<N>;
    let lists_are = |chunk: &[u8], list: u64| {
        filter::not_ascii(s, chunk, 0) == list && filter::not_two_byte(s, chunk, 0) == (list, false)
    };
    [1, 2, 15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64].into_iter().all(|blocks| {
        let all = u64::MAX >> (64 - blocks);
        (0..blocks).all(|i| {
            let place = |block: usize| CONTEXT + block * BLOCK_BYTES + (block + 5 * i) % (BLOCK_BYTES - 2);
            let mut alone = vec![b'a'; CONTEXT + blocks * BLOCK_BYTES];
            let mut others = alone.clone();
            (0..blocks).for_each(|block| {
                let text = if block == i { &mut alone } else { &mut others };
                text[place(block)..][..3].copy_from_slice("\u{20AC}".as_bytes());
            });
            let mut overlong = alone.clone();
            overlong[place(i)..][..3].copy_from_slice(b"\xC1\x80a");
            lists_are(&alone, 1 << i)
                && lists_are(&others, all & !(1 << i))
                && filter::not_two_byte(s, &overlong, 0).1
                && !filter::is_block_below_e0(s, &alone, CONTEXT + i * BLOCK_BYTES)
        })
    })
}

/// A row is two-byte text if and only if all of its bytes are: each byte alone is not.
pub(crate) fn a_row() -> bool {
    let row = [b'a'; CONTEXT + filter::ROW_BYTES];
    let is_two_byte = |row: &[u8; CONTEXT + filter::ROW_BYTES]| filter::is_two_byte(Traced::<32>, row, 0);
    is_two_byte(&row)
        && (CONTEXT..row.len()).all(|at| {
            [0x80, 0xC1, 0xE0].into_iter().all(|byte| {
                let mut row = row;
                row[at] = byte;
                !is_two_byte(&row)
            })
        })
}

/// Whether blocks and steps of a text are ASCII, for all bytes.
pub(crate) fn ascii<const N: usize>() -> bool {
    fn is_right<const N: usize, const LEN: usize>() -> bool {
        let text = any_bytes(LEN);
        let found = with_text(&text, 0, |memory| {
            accepted(|| ascii::is_ascii_at::<_, LEN>(Symbolic::<N, X86>, memory, 0))
        });
        found.is(text.iter().fold(TRUE, |all, byte| all.and(byte.is_in(&(0..=0x7F)))))
    }
    is_right::<N, BLOCK_BYTES>() && is_right::<N, { 4 * BLOCK_BYTES }>()
}

/// Eight bytes of any values among ASCII, for mistakes: the check of any text, and the end.
pub(crate) fn for_mistakes() -> bool {
    let s = Symbolic::<16, X86>;
    let (text, eight) = among_ascii::<8>(CONTEXT + 16, CONTEXT + 8);
    let unfaulted = with_text(&text, 0, |memory| {
        accepted(|| {
            let checker = Checker::new(s);
            let mut faults = checker.no_faults();
            checker.check_at(&mut faults, memory, CONTEXT);
            checker.check_end(&mut faults, s.load(memory, CONTEXT), LARGEST_AT_END, false);
            !checker.any(&faults)
        })
    });
    unfaulted.is(is_text(Start::Character, &eight, End::Character))
}

/// The same for the list of what is not two-byte text.
pub(crate) fn for_mistakes_of_two_byte_text() -> bool {
    let s = Symbolic::<16, X86>;
    let (text, eight) = among_ascii::<8>(CONTEXT + BLOCK_BYTES, CONTEXT + BLOCK_BYTES - 8);
    let below_e0 = eight.iter().fold(TRUE, |all, byte| all.and(byte.is_in(&(0..=0xDF))));
    let is_known = with_text(&text, 0, |memory| {
        accepted(|| {
            let mut smallest = s.splat(0xFF);
            !s.any_high_bit(filter::others::<_, BLOCK_BYTES>(s, &mut smallest, memory))
                && !s.any_high_bit(filter::overlong(s, smallest))
        })
    });
    is_known.is(below_e0.and(is_text(Start::Character, &eight, End::Anywhere)))
}
