//! Classifies bytes without vectors.

#![forbid(unsafe_code)]

use super::{ASCII_GROUP_BYTES, BLOCK_BYTES, Classes, LINE_BYTES, Surveyor, Surveys};
use crate::kernel::Automaton;
use crate::kernel::automaton::high_bits_of_8;
use crate::output::Output;

impl Surveys for Automaton {
    #[inline(always)]
    fn surveyor(self) -> impl Surveyor {
        self
    }
}

/// Words of eight bytes, and loops over bytes that the compiler vectorises if the target has vectors.
impl Surveyor for Automaton {
    type Set = Automaton;

    #[inline(always)]
    fn set(self) -> Automaton {
        self
    }

    // Not inlined, as `classes`.
    #[inline(never)]
    fn high(self, bytes: &[u8; BLOCK_BYTES]) -> u64 {
        let (words, _) = bytes.as_chunks::<8>();
        words
            .iter()
            .enumerate()
            .fold(0, |all, (i, word)| all | high_bits_of_8(u64::from_le_bytes(*word)) << (8 * i))
    }

    // Not inlined: `Seek` and `Replace` would each contain it twice, and programs that call one
    // usually call the other.
    #[inline(never)]
    fn classes(self, bytes: &[u8; BLOCK_BYTES]) -> Classes {
        let mut classes = Classes { high: 0, lead: 0, lead3: 0, lead4: 0, allowed: 0 };
        let mut before = 0;
        for (i, word) in bytes.as_chunks::<8>().0.iter().enumerate() {
            let bits = |word: u64| high_bits_of_8(word) << (8 * i);
            // Bit 7 of each byte: bit 7; bits 7 and 6; bits 7, 6 and 5; bits 7, 6, 5 and 4.
            let high = u64::from_le_bytes(*word);
            let lead = high & high << 1;
            let lead3 = lead & high << 2;
            classes.high |= bits(high);
            classes.lead |= bits(lead);
            classes.lead3 |= bits(lead3);
            classes.lead4 |= bits(lead3 & high << 3);
            classes.allowed |= bits(allowed(high << 8 | before, high));
            before = high >> 56;
        }
        classes
    }

    #[inline(always)]
    fn is_ascii(self, bytes: &[u8; ASCII_GROUP_BYTES]) -> bool {
        bytes.is_ascii()
    }

    #[inline(always)]
    fn ascii_lines(self, bytes: &[u8; ASCII_GROUP_BYTES]) -> usize {
        let (lines, _) = bytes.as_chunks::<LINE_BYTES>();
        lines.iter().take_while(|line| line.is_ascii()).count()
    }

    #[inline(always)]
    fn put_and_test_ascii(self, bytes: &[u8; ASCII_GROUP_BYTES], out: &mut Output<'_>) -> Option<bool> {
        out.put_first(bytes, ASCII_GROUP_BYTES).then(|| bytes.is_ascii())
    }
}

/// Sets bit 7 of each byte of `second` that may follow that byte of `first`, if it is a
/// continuation and the other one a lead.
// Not inlined: the compiler would unroll the loop around it.
#[inline(never)]
fn allowed(first: u64, second: u64) -> u64 {
    let (first, second) = (first.to_le_bytes(), second.to_le_bytes());
    let mut allowed = [0; 8];
    for i in 0..8 {
        let (first, second) = (first[i], second[i]);
        // The smallest second byte, for leads that forbid 80, and the distance of the largest from
        // FF, for leads that forbid BF.
        let least = (u8::from(first == 0xE0) * 0xA0) | (u8::from(first == 0xF0) * 0x90);
        let above = (u8::from(first == 0xED) * (0xFF - 0x9F)) | (u8::from(first == 0xF4) * (0xFF - 0x8F));
        let forbidden = least.saturating_sub(second)
            | second.saturating_sub(0xFF - above)
            | first.saturating_sub(0xF4)
            | 0xC2u8.saturating_sub(first);
        allowed[i] = u8::from(forbidden == 0) << 7;
    }
    u64::from_le_bytes(allowed)
}
