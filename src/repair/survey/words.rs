//! The classes of bytes without vectors.

#![forbid(unsafe_code)]

use super::{Classes, LINE, Surveyor, Surveys, WITH_CONTEXT};
use crate::kernel::Automaton;
use crate::kernel::automaton::high_bits;
use crate::output::Output;

impl Surveys for Automaton {
    #[inline(always)]
    fn surveyor(self) -> impl Surveyor {
        Words
    }
}

/// The surveyor without vectors: words of eight bytes, and loops over bytes that the compiler makes vectors of
/// wherever the target has some.
#[derive(Clone, Copy)]
pub(super) struct Words;

impl Surveyor for Words {
    // Not inlined, as `classes`.
    #[inline(never)]
    fn high(self, bytes: &[u8; WITH_CONTEXT]) -> u64 {
        let (words, _) = bytes.as_chunks::<8>();
        words
            .iter()
            .enumerate()
            .fold(0, |all, (i, word)| all | high_bits(u64::from_le_bytes(*word)) << (8 * i))
    }

    // Not inlined: `seek` and `replace` would consist of this twice, and programs that call one usually call the other.
    #[inline(never)]
    fn classes(self, bytes: &[u8; WITH_CONTEXT]) -> Classes {
        // Bit 7 says whether the byte may stand after the one before it. The compiler makes vectors of bytes, not of
        // Booleans.
        let mut allowed = [0u8; WITH_CONTEXT];
        for i in 1..WITH_CONTEXT {
            let (first, second) = (bytes[i - 1], bytes[i]);
            // The least second byte, for leads that do not allow 80, and the distance of the largest from FF, for
            // leads that do not allow BF.
            let least = (u8::from(first == 0xE0) * 0xA0) | (u8::from(first == 0xF0) * 0x90);
            let above = (u8::from(first == 0xED) * (0xFF - 0x9F)) | (u8::from(first == 0xF4) * (0xFF - 0x8F));
            let forbidden = least.saturating_sub(second)
                | second.saturating_sub(0xFF - above)
                | first.saturating_sub(0xF4)
                | 0xC2u8.saturating_sub(first);
            allowed[i] = u8::from(forbidden == 0) << 7;
        }
        let mut classes = Classes { high: 0, lead: 0, lead3: 0, lead4: 0, allowed: 0 };
        let (words, _) = bytes.as_chunks::<8>();
        let (allowed, _) = allowed.as_chunks::<8>();
        for (i, (word, allowed)) in words.iter().zip(allowed).enumerate() {
            // Bit 7 of each byte: bit 7; bits 7 and 6; bits 7, 6 and 5; bits 7, 6, 5 and 4.
            let high = u64::from_le_bytes(*word);
            let lead = high & high << 1;
            let lead3 = lead & high << 2;
            let lead4 = lead3 & high << 3;
            classes.high |= high_bits(high) << (8 * i);
            classes.lead |= high_bits(lead) << (8 * i);
            classes.lead3 |= high_bits(lead3) << (8 * i);
            classes.lead4 |= high_bits(lead4) << (8 * i);
            classes.allowed |= high_bits(u64::from_le_bytes(*allowed)) << (8 * i);
        }
        classes
    }

    #[inline(always)]
    fn is_ascii(self, bytes: &[u8; 256]) -> bool {
        bytes.is_ascii()
    }

    #[inline(always)]
    fn put_and_test_ascii(self, bytes: &[u8; 256], out: &mut Output<'_>) -> Option<bool> {
        out.put_first(bytes, 256).then(|| self.is_ascii(bytes))
    }

    #[inline(always)]
    fn ascii_lines(self, bytes: &[u8; 256]) -> usize {
        let (lines, _) = bytes.as_chunks::<LINE>();
        lines.iter().take_while(|line| line.is_ascii()).count()
    }
}
