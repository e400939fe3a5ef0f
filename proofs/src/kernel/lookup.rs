//! What is proved of the lookups and of the two-byte path.

#[path = "../../../src/kernel/lookup/ascii.rs"]
mod ascii;
#[path = "../../../src/kernel/lookup/check.rs"]
#[expect(dead_code, reason = "nothing is proved of streams, nor of what chooses a path")]
mod check;
#[path = "../../../src/kernel/lookup/short.rs"]
#[expect(dead_code, reason = "nothing is proved of streams")]
mod short;
#[path = "../../../src/kernel/lookup/tables.rs"]
mod tables;

use check::{BLOCK, Check, Checker, TwoByteChecker};

use crate::boundary::{CONTEXT, allows_two_byte};
use crate::byte::{Byte, with_text};
use crate::formula::{Formula, TRUE};
use crate::path::accepted;
use crate::rfc::{End, Start, is_text};
use crate::simd::Simd;
use crate::simd::symbolic::Symbolic;
use crate::{among_ascii, any_bytes, of_three_bytes};

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
                if ends {
                    checker.check_end(&mut faults, s.load(memory, CONTEXT));
                }
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

/// Returns the largest byte in each lane of a block, as the algorithm for long input does.
fn largest_of<S: Simd>(s: S, memory: &[u8]) -> S::Vector {
    let vectors = (CONTEXT..CONTEXT + BLOCK).step_by(S::LANES).map(|at| s.load(memory, at));
    vectors.reduce(|a, b| s.max(a, b)).expect("a block has vectors")
}

/// A block of any bytes in context, which may be checked in the way `C` under `condition`. The check shows a fault if and only if
/// the text is not UTF-8 so far.
fn a_block<const N: usize, C: Check<Symbolic<N>>>(
    text: &[Byte],
    condition: Formula,
    ends: bool,
    check: impl Fn(&C, &mut C::Faults, &check::BlockInContext),
) -> bool {
    let s = Symbolic::<N>;
    with_text(text, 0, |memory| {
        let condition = condition.and(accepted(|| C::new(s).applies(largest_of(s, memory))));
        let unfaulted = accepted(|| {
            let checker = C::new(s);
            let mut faults = checker.no_faults();
            check(&checker, &mut faults, memory.first_chunk().expect("a block and its context"));
            if ends {
                checker.check_end(&mut faults, s.load(memory, CONTEXT + BLOCK - N));
            }
            !checker.any(&faults)
        });
        let end = if ends { End::Character } else { End::AnywhereOrNever };
        condition.and(unfaulted).is(condition.and(is_text(Start::Anywhere, text, end)))
    })
}

/// A block that is checked with the lookups.
pub(crate) fn a_block_of_any_text<const N: usize>() -> bool {
    let text = any_bytes(CONTEXT + BLOCK);
    let context = is_text(Start::Anywhere, &text[..CONTEXT], End::AnywhereOrNever);
    [false, true].into_iter().all(|ends| {
        a_block::<N, Checker<_>>(&text, context, ends, |checker, faults, block| {
            checker.check_all(faults, block)
        })
    })
}

/// A block without a byte from E0 on, after a context that allows the two-byte path.
pub(crate) fn a_block_of_two_byte_text<const N: usize>() -> bool {
    let text = any_bytes(CONTEXT + BLOCK);
    let s = Symbolic::<N>;
    let below_e0 = text[CONTEXT..].iter().fold(TRUE, |all, byte| all.and(byte.is_in(&(0..=0xDF))));
    let applies =
        with_text(&text, 0, |memory| accepted(|| TwoByteChecker::new(s).applies(largest_of(s, memory))));
    let context = is_text(Start::Anywhere, &text[..CONTEXT], End::AnywhereOrNever);
    let allowed = of_three_bytes(|bytes| allows_two_byte(&bytes)).and(context);
    // A byte that never appears is a fault of its own place here.
    let last = text[CONTEXT + BLOCK - 1];
    let allowed = allowed.and(last.is_in(&(0xC0..=0xC1)).not());
    applies.is(below_e0)
        && [false, true].into_iter().all(|ends| {
            a_block::<N, TwoByteChecker<_>>(&text, allowed, ends, |checker, faults, block| {
                checker.check_all(faults, block);
            })
        })
}

/// A text of `n` bytes, by the algorithm for short input. It is accepted if and only if it is UTF-8.
pub(crate) fn a_short_text<const N: usize>(n: usize) -> bool {
    let text = any_bytes(n);
    let valid = with_text(&text, 0, |memory| accepted(|| short::validate(Symbolic::<N>, memory).is_valid()));
    valid.is(is_text(Start::Character, &text, End::Character))
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
            checker.check_end(&mut faults, s.load(memory, CONTEXT));
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
    let suits =
        with_text(&text, 0, |memory| accepted(|| TwoByteChecker::new(s).suits(largest_of(s, memory))));
    let is_ascii = eight.iter().fold(TRUE, |all, byte| all.and(byte.is_in(&(0..=0x7F))));
    applies.is(below_e0)
        && suits.is(below_e0.and(is_ascii.not()))
        && a_block::<16, TwoByteChecker<_>>(&text, TRUE, true, |checker, faults, block| {
            checker.check_all(faults, block);
        })
}
