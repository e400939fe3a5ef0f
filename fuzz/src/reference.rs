//! RFC 3629, read literally: the oracle for the kind of an error.
//!
//! Where the first error is and how long it is follows from the grammar of section 4. Why it is one
//! follows from the numbers: the octets, decoded by the more generous table of RFC 2279, leave only
//! values that section 3 forbids. Nothing here is taken from the crate, and nothing is fast.

use trust8::ErrorKind;
use trust8::dialect::Dialect;

/// The grammars of the dialects, which the tests have as well.
#[path = "../../tests/support/dialects.rs"]
mod dialects;

/// A code point of a dialect with its offset, or a fault with its offset and length.
pub type Item = Result<(usize, u32), (usize, Option<usize>)>;

/// All of the bytes, as the dialect's grammar has them.
pub fn decode_dialect(dialect: Dialect, bytes: &[u8]) -> Vec<Item> {
    dialects::decode(dialect, bytes)
}

/// A rule of the grammar: which octets may stand at each place.
type Rule = &'static [(u8, u8)];

/// `UTF8-tail = %x80-BF`
const TAIL: (u8, u8) = (0x80, 0xBF);

/// Section 4: `UTF8-1`, `UTF8-2`, the four forms of `UTF8-3` and the three of `UTF8-4`.
const UTF8_CHAR: [Rule; 9] = [
    &[(0x00, 0x7F)],
    &[(0xC2, 0xDF), TAIL],
    &[(0xE0, 0xE0), (0xA0, 0xBF), TAIL],
    &[(0xE1, 0xEC), TAIL, TAIL],
    &[(0xED, 0xED), (0x80, 0x9F), TAIL],
    &[(0xEE, 0xEF), TAIL, TAIL],
    &[(0xF0, 0xF0), (0x90, 0xBF), TAIL, TAIL],
    &[(0xF1, 0xF3), TAIL, TAIL, TAIL],
    &[(0xF4, 0xF4), (0x80, 0x8F), TAIL, TAIL],
];

/// What is known of an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    pub valid_up_to: usize,
    pub error_len: Option<usize>,
    pub kind: ErrorKind,
}

/// The first error, if there is one.
pub fn first_fault(bytes: &[u8]) -> Option<Fault> {
    let mut at = 0;
    while at < bytes.len() {
        match character(&bytes[at..]) {
            Ok(len) => at += len,
            Err((error_len, kind)) => return Some(Fault { valid_up_to: at, error_len, kind }),
        }
    }
    None
}

/// The length of the character at the start of `rest`, or the length and the kind of the fault.
fn character(rest: &[u8]) -> Result<usize, (Option<usize>, ErrorKind)> {
    // The first octet tells the rules apart.
    let rule = UTF8_CHAR.into_iter().find(|rule| matches(rule[0], rest[0])).unwrap_or(&[]);
    let len = rule.iter().zip(rest).take_while(|&(&range, &octet)| matches(range, octet)).count();
    if len > 0 && len == rule.len() {
        Ok(len)
    } else if len > 0 && len == rest.len() {
        Err((None, ErrorKind::Incomplete))
    } else {
        Err((Some(len.max(1)), why(rest)))
    }
}

fn matches((first, last): (u8, u8), octet: u8) -> bool {
    first <= octet && octet <= last
}

/// Which rule the octets break that no character begins with.
fn why(rest: &[u8]) -> ErrorKind {
    // RFC 2279: how many octets the first one announces, its own bits of the value, and the
    // smallest value that needs so many.
    let (octets, bits, smallest) = match rest[0].leading_ones() {
        0 => unreachable!("an ASCII octet is a character"),
        1 => return ErrorKind::UnexpectedContinuation,
        2 => (2, rest[0] & 0x1F, 0x80),
        3 => (3, rest[0] & 0x0F, 0x800),
        4 => (4, rest[0] & 0x07, 0x1_0000),
        _ => return ErrorKind::InvalidByte,
    };
    // What the value can be after each octet; at the first point where nothing allowed is left, it
    // is clear why.
    let mut value = u32::from(bits);
    for seen in 1..=octets {
        let open = 6 * (octets - seen);
        let (least, most) = (value << open, ((value + 1) << open) - 1);
        if most < smallest {
            return ErrorKind::Overlong;
        } else if least > 0x10_FFFF {
            return ErrorKind::TooLarge;
        } else if least >= 0xD800 && most <= 0xDFFF {
            return ErrorKind::Surrogate;
        }
        match rest.get(seen) {
            Some(&octet) if matches(TAIL, octet) => value = value << 6 | u32::from(octet & 0x3F),
            _ => break,
        }
    }
    ErrorKind::Truncated
}
