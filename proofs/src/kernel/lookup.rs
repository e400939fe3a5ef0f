//! What is proved of the lookups and of the two-byte path.

#[path = "../../../src/kernel/lookup/ascii.rs"]
#[expect(dead_code, reason = "nothing is proved of masks that are numbers")]
mod ascii;
#[path = "../../../src/kernel/lookup/check.rs"]
#[expect(dead_code, reason = "nothing is proved of streams, nor of what chooses a path")]
mod check;
#[path = "../../../src/kernel/lookup/fault.rs"]
#[expect(dead_code, reason = "nothing is proved of runs")]
mod fault;
#[path = "../../../src/kernel/lookup/short.rs"]
#[expect(dead_code, reason = "nothing is proved of streams")]
mod short;
#[path = "../../../src/kernel/lookup/tables.rs"]
mod tables;

use ascii::GROUP;
use check::{BLOCK, Check, Checker, TwoByteChecker};

use crate::boundary::{CONTEXT, allows_two_byte};
use crate::byte::{Byte, with_text};
use crate::formula::{Formula, TRUE};
use crate::kernel::are_right;
use crate::path::{accepted, explore};
use crate::rfc::{End, Start, is_text};
use crate::simd::Simd;
use crate::simd::symbolic::Symbolic;
use crate::{among_ascii, any_bytes, of_three_bytes};

/// The bytes of which a run asks whether they are ASCII.
const UNIT: usize = GROUP / 16;

/// Four bytes of any values end at each place of a vector, and all other bytes are ASCII. The check shows a fault up to that place
/// if and only if the four bytes are not UTF-8 so far. (Of those before the vector it is known that they are.)
pub(crate) fn each_place<const N: usize>() -> bool {
    (0..N).all(|place| {
        let (text, four) = among_ascii::<4>(CONTEXT + N, place);
        let before = &four[..CONTEXT.saturating_sub(place)];
        let context = is_text(Start::Character, before, End::AnywhereOrNever);
        let unfaulted = with_text(&text, 0, |memory| {
            accepted(|| {
                let checker = Checker::new(Symbolic::<N>);
                let mut faults = checker.no_faults();
                checker.check_at(&mut faults, memory, CONTEXT);
                !checker.any(&faults.first_lanes(Symbolic::<N>, place + 1))
            })
        });
        context.and(unfaulted).is(context.and(is_text(Start::Character, &four, End::AnywhereOrNever)))
    })
}

/// A vector of any bytes follows three bytes that are part of some UTF-8 text. The check shows a fault in its first `n` bytes if
/// and only if the text up to there is not; and with the check of the end, if and only if the text does not end there.
pub(crate) fn a_vector_in_context<const N: usize>() -> bool {
    let text = any_bytes(CONTEXT + N);
    let context = is_text(Start::Anywhere, &text[..CONTEXT], End::AnywhereOrNever);
    with_text(&text, 0, |memory| {
        let checked = |lanes: usize, ends: bool| {
            accepted(|| {
                let s = Symbolic::<N>;
                let checker = Checker::new(s);
                let mut faults = checker.no_faults();
                checker.check_at(&mut faults, memory, CONTEXT);
                checker.check_end(&mut faults, s.load(memory, CONTEXT), !ends);
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

/// Two vectors that are checked in registers, at the start of a text.
pub(crate) fn vectors_in_registers<const N: usize>() -> bool {
    let text = any_bytes(2 * N);
    let unfaulted = with_text(&text, 0, |memory| {
        accepted(|| {
            let s = Symbolic::<N>;
            let checker = Checker::new(s);
            let mut faults = checker.no_faults();
            let before = checker.check_after(&mut faults, s.load(memory, 0), checker.before_start());
            checker.check_after(&mut faults, s.load(memory, N), before);
            !checker.any(&faults)
        })
    });
    unfaulted.is(is_text(Start::Character, &text, End::AnywhereOrNever))
}

/// Returns the largest byte in each lane of a block or a unit, as the algorithm for long input does.
fn largest_of<S: Simd>(s: S, memory: &[u8]) -> S::Vector {
    let vectors = (CONTEXT..memory.len()).step_by(S::LANES).map(|at| s.load(memory, at));
    vectors.reduce(|a, b| s.max(a, b)).expect("a block has vectors")
}

/// A block or a unit of any bytes in context, which may be checked in the way `C` under `condition`, all at once or vector by
/// vector. The check shows a fault if and only if the text is not UTF-8 so far, or, where it ends or ASCII follows, not UTF-8.
fn checked<const N: usize, C: Check<Symbolic<N>>>(
    text: &[Byte],
    condition: Formula,
    by_vectors: bool,
    ends: bool,
) -> bool {
    let s = Symbolic::<N>;
    with_text(text, 0, |memory| {
        let condition = condition.and(accepted(|| C::new(s).applies(largest_of(s, memory))));
        let unfaulted = accepted(|| {
            let checker = C::new(s);
            let mut faults = checker.no_faults();
            match memory.first_chunk() {
                Some(block) if !by_vectors => checker.check_all(&mut faults, block),
                _ => (CONTEXT..memory.len())
                    .step_by(N)
                    .for_each(|at| checker.check_at(&mut faults, memory, at)),
            }
            checker.check_end(&mut faults, s.load(memory, memory.len() - N), !ends);
            !checker.any(&faults)
        });
        let end = if ends { End::Character } else { End::AnywhereOrNever };
        condition.and(unfaulted).is(condition.and(is_text(Start::Anywhere, text, end)))
    })
}

/// Blocks and units that are checked with the lookups.
pub(crate) fn any_text<const N: usize>() -> bool {
    [(BLOCK, false), (BLOCK, true), (UNIT, true)].into_iter().all(|(len, by_vectors)| {
        let text = any_bytes(CONTEXT + len);
        let context = is_text(Start::Anywhere, &text[..CONTEXT], End::AnywhereOrNever);
        [false, true].into_iter().all(|ends| checked::<N, Checker<_>>(&text, context, by_vectors, ends))
    })
}

/// Blocks and units without a byte from E0 on, after a context that allows the two-byte path.
pub(crate) fn two_byte_text<const N: usize>() -> bool {
    [(BLOCK, false), (UNIT, true)].into_iter().all(|(len, by_vectors)| {
        let text = any_bytes(CONTEXT + len);
        let s = Symbolic::<N>;
        let below_e0 = text[CONTEXT..].iter().fold(TRUE, |all, byte| all.and(byte.is_in(&(0..=0xDF))));
        let applies =
            with_text(&text, 0, |memory| accepted(|| TwoByteChecker::new(s).applies(largest_of(s, memory))));
        let context = is_text(Start::Anywhere, &text[..CONTEXT], End::AnywhereOrNever);
        let allowed = of_three_bytes(|bytes| allows_two_byte(&bytes)).and(context);
        // A byte that never appears is a fault of its own place here.
        let allowed = allowed.and(text[CONTEXT + len - 1].is_in(&(0xC0..=0xC1)).not());
        applies.is(below_e0)
            && [false, true]
                .into_iter()
                .all(|ends| checked::<N, TwoByteChecker<_>>(&text, allowed, by_vectors, ends))
    })
}

/// A block of any bytes in context. Where the context leaves all in it to the rules of two-byte characters, it is not suspect and has no fault if
/// and only if it is text of such characters. And a block in which a longer character goes on is suspect, or no text.
pub(crate) fn suspects<const N: usize>() -> bool {
    let text = any_bytes(CONTEXT + BLOCK);
    let below_e0 = text[CONTEXT..].iter().fold(TRUE, |all, byte| all.and(byte.is_in(&(0..=0xDF))));
    let context = is_text(Start::Anywhere, &text[..CONTEXT], End::AnywhereOrNever);
    let allowed = of_three_bytes(|bytes| allows_two_byte(&bytes));
    with_text(&text, 0, |memory| {
        let two_byte = TwoByteChecker::new(Symbolic::<N>);
        let block = memory.first_chunk().expect("it is a block");
        let is_suspect = accepted(|| two_byte.suspects(&mut two_byte.no_faults(), block));
        let is_known = accepted(|| {
            let mut faults = two_byte.no_faults();
            !two_byte.suspects(&mut faults, block) && !two_byte.any(&faults)
        });
        let expected = below_e0.and(is_text(Start::Anywhere, &text, End::Anywhere));
        let condition = context.and(allowed);
        let goes_on = context.and(allowed.not()).and(is_text(Start::Anywhere, &text, End::AnywhereOrNever));
        condition.and(is_known).is(condition.and(expected)) && goes_on.and(is_suspect).is(goes_on)
    })
}

/// Of sixteen parts of any bytes, the lanes that stand for a part are zero if and only if all of it is ASCII.
pub(crate) fn which_parts_are_ascii<const N: usize, const PART: usize>() -> bool {
    let text = any_bytes(16 * PART);
    with_text(&text, 0, |memory| {
        let lanes = ascii::squeezed::<_, PART>(Symbolic::<N>, memory).0;
        text.chunks(PART).enumerate().all(|(part, bytes)| {
            let is_ascii = bytes.iter().fold(TRUE, |all, byte| all.and(byte.is_in(&(0..=0x7F))));
            let of_part = lanes.iter().skip(part).step_by(16);
            of_part.fold(TRUE, |all, lane| all.and(lane.equals(Byte::ZERO))).is(is_ascii)
        })
    })
}

/// A text of `n` bytes, by the algorithm for short input. It is accepted if and only if it is UTF-8. Where it is not, all before the
/// suspicion is UTF-8, except for a character that the suspicion cuts off, or a byte directly before it that never appears.
pub(crate) fn a_short_text<const N: usize>(n: usize) -> bool {
    let text = any_bytes(n);
    let verdicts = with_text(&text, 0, |memory| explore(TRUE, || short::validate(Symbolic::<N>, memory)));
    are_right(&verdicts, &text)
}

/// Eight bytes of any values among ASCII, for mistakes: the check of any text, and the end.
pub(crate) fn for_mistakes() -> bool {
    let s = Symbolic::<16>;
    let (text, eight) = among_ascii::<8>(CONTEXT + 16, CONTEXT + 8);
    let unfaulted = with_text(&text, 0, |memory| {
        accepted(|| {
            let checker = Checker::new(s);
            let mut faults = checker.no_faults();
            checker.check_at(&mut faults, memory, CONTEXT);
            checker.check_end(&mut faults, s.load(memory, CONTEXT), false);
            !checker.any(&faults)
        })
    });
    unfaulted.is(is_text(Start::Character, &eight, End::Character))
}

/// The same for the two-byte path.
pub(crate) fn for_mistakes_of_two_byte_text() -> bool {
    let s = Symbolic::<16>;
    let (text, eight) = among_ascii::<8>(CONTEXT + BLOCK, CONTEXT + BLOCK - 8);
    let below_e0 = eight.iter().fold(TRUE, |all, byte| all.and(byte.is_in(&(0..=0xDF))));
    let applies =
        with_text(&text, 0, |memory| accepted(|| TwoByteChecker::new(s).applies(largest_of(s, memory))));
    applies.is(below_e0) && checked::<16, TwoByteChecker<_>>(&text, TRUE, true, true)
}
