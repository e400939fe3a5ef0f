//! UTF-8 as RFC 3629 writes it down, for the kernels to be compared with.
//!
//! Nothing here is taken from the crate. The grammar in section 4, which is kept as data and matched naively, says what is
//! well-formed. Section 3 says why something is not: the bits of an octet sequence, decoded by the table there, leave a range
//! of character numbers, and the range says what is wrong.

#[path = "grammar.rs"]
mod grammar;

use grammar::UTF8_CHAR;
use trust8::ErrorKind;

/// The first place at which bytes are not UTF-8.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    pub valid_up_to: usize,
    pub error_len: Option<usize>,
    pub kind: ErrorKind,
}

/// Returns the first place that does not match `UTF8-octets = *( UTF8-char )`.
pub fn fault(bytes: &[u8]) -> Option<Fault> {
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        match longest_match(rest) {
            Match::Character(len) => at += len,
            Match::Begun(len) => {
                let ends = len == rest.len();
                return Some(Fault {
                    valid_up_to: at,
                    // If nothing matches, the first octet is the fault.
                    error_len: if ends { None } else { Some(len.max(1)) },
                    kind: why(rest),
                });
            }
        }
    }
    None
}

enum Match {
    /// A whole character, with its number of octets.
    Character(usize),
    /// The number of octets that begin a character. The next octet does not continue it, or is missing.
    Begun(usize),
}

/// Matches the beginning of `rest`, which is not empty, with the grammar.
fn longest_match(rest: &[u8]) -> Match {
    let mut longest = 0;
    for alternative in UTF8_CHAR {
        let matching =
            alternative.iter().zip(rest).take_while(|(octets, octet)| octets.contains(octet)).count();
        if matching == alternative.len() {
            return Match::Character(matching);
        }
        longest = longest.max(matching);
    }
    Match::Begun(longest)
}

/// Returns section 3's reason why `rest` does not begin with a character.
fn why(rest: &[u8]) -> ErrorKind {
    // The table of section 3: the number of octets, the bits of the first one, the smallest character number.
    let (octets, bits, smallest) = match rest[0] {
        0b0000_0000..=0b0111_1111 => unreachable!("an ASCII octet is a character"),
        0b1000_0000..=0b1011_1111 => return ErrorKind::UnexpectedContinuation,
        first @ 0b1100_0000..=0b1101_1111 => (2, first & 0b1_1111, 0x80),
        first @ 0b1110_0000..=0b1110_1111 => (3, first & 0b1111, 0x800),
        first @ 0b1111_0000..=0b1111_0111 => (4, first & 0b111, 0x1_0000),
        0b1111_1000..=0b1111_1111 => return ErrorKind::InvalidByte,
    };
    // The character numbers that are still possible, octet by octet.
    let mut first = u32::from(bits);
    let mut known = 1;
    loop {
        let unknown_bits = 6 * (octets - known);
        let lowest = first << unknown_bits;
        let highest = lowest + (1 << unknown_bits) - 1;
        if highest < smallest {
            return ErrorKind::Overlong;
        }
        if lowest > 0x10_FFFF {
            return ErrorKind::TooLarge;
        }
        if 0xD800 <= lowest && highest <= 0xDFFF {
            return ErrorKind::Surrogate;
        }
        match rest.get(known) {
            None => return ErrorKind::Incomplete,
            Some(octet @ 0b1000_0000..=0b1011_1111) => {
                first = first << 6 | u32::from(octet & 0b11_1111);
                known += 1;
                assert!(known <= octets, "{rest:02X?} begins with a character");
            }
            Some(_) => return ErrorKind::Truncated,
        }
    }
}
