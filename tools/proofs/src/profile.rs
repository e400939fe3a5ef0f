//! What is proved of the search for the characters that a profile forbids: it misses none.

#[path = "../../../crates/profile/src/class.rs"]
#[expect(dead_code, reason = "no proof needs a class's name")]
mod class;
#[path = "../../../crates/profile/src/lanes.rs"]
#[expect(dead_code, reason = "the search without vectors")]
mod lanes;
#[path = "../../../crates/profile/src/patterns.rs"]
#[expect(dead_code, reason = "the proofs use the list of all classes")]
mod patterns;
#[path = "../../../crates/profile/src/plain.rs"]
#[expect(dead_code, reason = "the search without vectors")]
mod plain;
#[path = "../../../crates/profile/src/table.rs"]
mod table;

use class::Class;
use plain::not_plain;

use crate::byte::Byte;
use crate::formula::{FALSE, Formula, TRUE};
use crate::simd::symbolic::{Symbolic, X86};
#[cfg(trust8_avx512)]
use crate::simd::x86::avx512::Avx512;
use crate::vector::Vector;

/// Returns the formulas of characters of a class of one, two and more bytes, by the first three.
fn characters(class: Class, bytes: [Byte; 3]) -> [Formula; 3] {
    let (mut formulas, mut last) = ([FALSE; 3], [0; 4]);
    for character in ('\0'..=char::MAX).filter(|&character| may_be(class, character)) {
        let mut encoded = [0; 4];
        let len = character.encode_utf8(&mut encoded).len().min(3);
        encoded[3] = 0;
        if encoded != last || len == 1 {
            let ranges = encoded[..len].iter().map(|&byte| byte..=byte);
            let all = ranges.zip(&bytes).fold(TRUE, |all, (range, byte)| all.and(byte.is_in(&range)));
            formulas[len - 1] = formulas[len - 1].or(all);
        }
        last = encoded;
    }
    formulas
}

/// The same of what the second test shows. Of marks of two bytes it shows the first of two.
fn characters_in_context(class: Class, bytes: [Byte; 3]) -> [Formula; 3] {
    let mut formulas = characters(class, bytes);
    if class == Class::StackedMarks {
        // U+0483 to U+0489 are shown by themselves.
        let alone = bytes[0].is_in(&(0xD2..=0xD2)).and(bytes[1].is_in(&(0x83..=0x89)));
        let [before, continuation, first] = [0xCC..=0xCD, 0x80..=0xBF, 0xCC..=0xCD];
        // U+0370 is no mark.
        let is_mark = bytes[0].is_in(&(0xCC..=0xCC)).or(bytes[1].is_in(&(0x80..=0xAF)));
        let marks = bytes[0].is_in(&before).and(bytes[1].is_in(&continuation)).and(bytes[2].is_in(&first));
        formulas[1] = alone.or(marks.and(is_mark));
    }
    formulas
}

/// Returns whether both tests show each character of a class at its first byte.
fn are_all_shown(class: Class, any: [Byte; 3], first: Formula, second: Formula) -> bool {
    let shown = |forbidden: &Formula, shown: Formula| forbidden.and(shown.not()).is(FALSE);
    characters(class, any).iter().all(|forbidden| shown(forbidden, first))
        && characters_in_context(class, any).iter().all(|forbidden| shown(forbidden, second))
}

/// Returns whether a class forbids a character, in some context or in any.
fn may_be(class: Class, character: char) -> bool {
    Class::listed(character.into()).is_some_and(|classes| classes.contains(&class))
}

/// Returns whether a byte is ASCII of a class.
fn is_of(class: Class, byte: u8) -> bool {
    byte.is_ascii() && may_be(class, byte.into())
}

/// Each class forbidden by itself. All three tests show each of its characters. And the tables of two classes have all that the tables
/// of either have.
pub(crate) fn no_character_is_missed() -> bool {
    Class::ALL.iter().all(|&class| is_shown(class) && is_shown_by_512(class) && joins_others(class))
}

/// Classes whose proofs together need every table. AVX-512's have 2,700 bits, which would take six minutes.
pub(crate) fn for_mistakes() -> bool {
    [Class::C0Control, Class::NextLine, Class::BidiControl].into_iter().all(is_shown)
}

fn is_shown(class: Class) -> bool {
    let s = Symbolic::<16, X86>;
    let any = [0, 1, 2].map(Byte::any);
    let group: [Byte; 4] = std::array::from_fn(Byte::any);
    let vector = |bytes: &[Byte], at: usize| {
        let mut lanes = [Byte::constant(b'a'); 16];
        lanes[at..at + bytes.len()].copy_from_slice(bytes);
        Vector(lanes)
    };
    let sieve = patterns::sieve(1_u64 << class as u32);
    let three = any.map(|byte| vector(&[byte], 0));
    // The middle test shows no other lanes than the first one.
    let first = lanes::first_test(s, [three[0], three[1]], &sieve);
    let first = lanes::middle_test(s, first, three, &sieve).0[0].any_bit();
    let second = lanes::second_test(s, three, &sieve).0[0].any_bit();
    // Four bytes in the same lane. One of them is not ASCII, or is forbidden.
    let found = not_plain(s, group.map(|byte| vector(&[byte], 0)), &sieve.plain).any();
    let by_plain = (0..group.len()).all(|i| {
        let bad = (0..=0xFF_u8).filter(|&byte| !byte.is_ascii() || is_of(class, byte));
        let bad = bad.fold(FALSE, |any, byte| any.or(group[i].is_in(&(byte..=byte))));
        bad.and(found.not()).is(FALSE)
    });
    are_all_shown(class, any, first, second) && by_plain
}

#[cfg(not(trust8_avx512))]
fn is_shown_by_512(_: Class) -> bool {
    true
}

/// The same of the tests with AVX-512. Of ASCII, [`no_ascii_is_missed`] says more.
#[cfg(trust8_avx512)]
fn is_shown_by_512(class: Class) -> bool {
    let sieve = patterns::sieve(1_u64 << class as u32);
    let any = [0, 1, 2].map(Byte::any);
    let three = any.map(|byte| {
        let mut lanes = [Byte::constant(b'a'); 64];
        lanes[0] = byte;
        Vector(lanes)
    });
    let tables = lanes::Tables::new(Avx512, &sieve.sixes);
    let first = lanes::first_test_512(Avx512, [three[0], three[1]], &tables).0[0].any_bit();
    let (ascii, longer) = lanes::second_test_512(Avx512, three, &tables);
    are_all_shown(class, any, first, ascii.0[0].0[7].or(longer.0[0].any_bit()))
}

/// Returns whether a class joined with any other has the tables of both.
fn joins_others(class: Class) -> bool {
    let has = |all: &[u8], some: &[u8]| all.iter().zip(some).all(|(all, some)| all & some == *some);
    Class::ALL.iter().all(|&other| {
        let tables = |bits| {
            let sieve = patterns::sieve(bits);
            let lanes::Sieve { one, after, two: [a, b], three: [c, d, e], .. } = sieve;
            let mut tables =
                [one, a, b, c, d, e].map(|nibbles| [nibbles.high, nibbles.low].concat()).to_vec();
            tables.push(after.to_vec());
            #[cfg(trust8_avx512)]
            tables.extend([
                sieve.sixes.one.to_vec(),
                sieve.sixes.after.to_vec(),
                sieve.sixes.two.concat(),
                sieve.sixes.three.concat(),
            ]);
            tables
        };
        let both = tables(1_u64 << class as u32 | 1 << other as u32);
        both.iter().zip(&tables(1 << class as u32)).all(|(all, some)| has(all, some))
    })
}

/// The same of ASCII alone, for all sets of its classes: the test of a group has tables that are not joined.
pub(crate) fn no_ascii_is_missed() -> bool {
    let s = Symbolic::<16, X86>;
    let [byte, next] = [0, 1].map(Byte::any);
    // The test of NUL alone is exact.
    let bad = byte.is_in(&(0..=0)).or(byte.is_in(&(0x80..=0xFF)));
    if !plain::not_ascii_or_nul(s, Vector([byte; 16])).0[0].0[7].xor(bad).is(FALSE) {
        return false;
    }
    let classes: Vec<_> =
        Class::ALL.iter().filter(|class| (0..0x80_u8).any(|byte| is_of(**class, byte))).collect();
    (0..1_u32 << classes.len()).all(|set| {
        let chosen =
            || classes.iter().enumerate().filter(move |(i, _)| set >> i & 1 == 1).map(|(_, class)| **class);
        let sieve = patterns::sieve(chosen().fold(0, |bits, class| bits | 1_u64 << class as u32));
        let bad = (0..=0xFF_u8).filter(|&byte| !byte.is_ascii() || chosen().any(|class| is_of(class, byte)));
        let bad = bad.fold(FALSE, |any, value| any.or(byte.is_in(&(value..=value))));
        let mut lanes = [Byte::constant(b'a'); 16];
        lanes[0] = byte;
        let found = not_plain(s, [Vector(lanes)], &sieve.plain).any();
        // CR before LF may be no suspect.
        let is_line_end = byte.is_in(&(b'\r'..=b'\r')).and(next.is_in(&(b'\n'..=b'\n')));
        let ends_lines = !chosen().any(|class| matches!(class, Class::LineFeed | Class::CarriageReturn));
        let is_allowed = if ends_lines { is_line_end } else { FALSE };
        let by_lines = plain::not_lines(s, Vector(lanes), Vector([next; 16]), &sieve.plain).0[0].any_bit();
        bad.and(found.not()).is(FALSE)
            && bad.and(is_allowed.or(by_lines).not()).is(FALSE)
            && is_no_ascii_missed_by_512(&sieve, [byte, next], bad, is_allowed)
    })
}

#[cfg(not(trust8_avx512))]
fn is_no_ascii_missed_by_512(_: &lanes::Sieve, _: [Byte; 2], _: Formula, _: Formula) -> bool {
    true
}

/// Both tests with AVX-512 that have this table: in each of several vectors, and by the second test where the byte is ASCII.
#[cfg(trust8_avx512)]
fn is_no_ascii_missed_by_512(
    sieve: &lanes::Sieve,
    bytes: [Byte; 2],
    bad: Formula,
    is_allowed: Formula,
) -> bool {
    let plain = Vector([Byte::constant(b'a'); 64]);
    let [byte, next] = bytes.map(|byte| Vector([byte; 64]));
    let by_lines = plain::not_lines_512(Avx512, byte, next, &sieve.sixes.ascii).0[0].0[7];
    let by_plain = [[byte, plain], [plain, byte]].iter().all(|&vectors| {
        let found = plain::not_plain_512(Avx512, vectors, &sieve.sixes.ascii);
        bad.and(found.0[0].0[7].not()).is(FALSE)
    });
    let (ascii, _) =
        lanes::second_test_512(Avx512, [byte, plain, plain], &lanes::Tables::new(Avx512, &sieve.sixes));
    let is_ascii = byte.0[0].0[7].not();
    by_plain
        && bad.and(is_allowed.or(by_lines).not()).is(FALSE)
        && bad.and(is_ascii).and(ascii.0[0].0[7].not()).is(FALSE)
}
