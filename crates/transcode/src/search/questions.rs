//! The search targets.

#![forbid(unsafe_code)]

use trust8_counts::search::{SearchOps, Sought, all_bits};

/// Repeats the lowest `unit` bytes of a number, in the machine's order, or in the other one if
/// `swapped`.
const fn bytes(unit: usize, number: u32, swapped: bool) -> [u8; 64] {
    let mut bytes = [0; 64];
    let mut at = 0;
    while at < 64 {
        let place = if cfg!(target_endian = "big") == swapped { at % unit } else { unit - 1 - at % unit };
        bytes[at] = (number >> (8 * place)) as u8;
        at += 1;
    }
    bytes
}

/// A unit of `UNIT_BYTES` bytes with any bit outside `INSIDE`: not ASCII, if `INSIDE` is 7F.
/// Throughout this file, `SWAPPED` means that units are in the non-native byte order.
pub(crate) struct Outside<const UNIT_BYTES: usize, const INSIDE: u32, const SWAPPED: bool>;

impl<const UNIT_BYTES: usize, const INSIDE: u32, const SWAPPED: bool> Outside<UNIT_BYTES, INSIDE, SWAPPED> {
    const OTHERS: &[u8; 64] = &bytes(UNIT_BYTES, !INSIDE, SWAPPED);
}

impl<V: SearchOps, const UNIT_BYTES: usize, const INSIDE: u32, const SWAPPED: bool> Sought<V>
    for Outside<UNIT_BYTES, INSIDE, SWAPPED>
{
    const UNIT_BYTES: usize = UNIT_BYTES;

    #[inline(always)]
    fn is_suspected<const N: usize>(v: V, vectors: [V::Vector; N]) -> bool {
        v.any(v.and(all_bits(v, vectors), v.load(Self::OTHERS, 0)))
    }

    #[inline(always)]
    fn places(v: V, now: V::Vector, _: &mut u64) -> u64 {
        let inside = v.bits(v.equal(v.and(now, v.load(Self::OTHERS, 0)), v.splat(0)));
        !inside & (u64::MAX >> (64 - V::LANES))
    }
}

/// A character above U+00FF in valid UTF-8. Its first byte is at least C4.
pub(crate) struct AboveLatin1;

impl<V: SearchOps> Sought<V> for AboveLatin1 {
    const UNIT_BYTES: usize = 1;

    #[inline(always)]
    fn is_suspected<const N: usize>(v: V, vectors: [V::Vector; N]) -> bool {
        let (mut largest, mut i) = (vectors[0], 1);
        while i < N {
            largest = v.max(largest, vectors[i]);
            i += 1;
        }
        v.any_high_bit(v.minus_saturating(largest, v.splat(0xC4 - 0x80)))
    }

    #[inline(always)]
    fn places(v: V, now: V::Vector, _: &mut u64) -> u64 {
        v.high_bits(v.minus_saturating(now, v.splat(0xC4 - 0x80)))
    }
}

/// An unpaired surrogate: the first half of a pair without the second, or the second without the
/// first.
pub(crate) struct NotUtf16<const SWAPPED: bool>;

/// In the comparison constants, the low byte of a unit is FF. A mask clears it in the text, so it
/// never matches.
impl<const SWAPPED: bool> NotUtf16<SWAPPED> {
    const KIND: &[u8; 64] = &bytes(2, 0xF800, SWAPPED);
    const HIGH: &[u8; 64] = &bytes(2, 0xD8FF, SWAPPED);
    const HALF: &[u8; 64] = &bytes(2, 0xFC00, SWAPPED);
    const LOW: &[u8; 64] = &bytes(2, 0xDCFF, SWAPPED);
}

impl<V: SearchOps, const SWAPPED: bool> Sought<V> for NotUtf16<SWAPPED> {
    const UNIT_BYTES: usize = 2;

    /// The high byte of a surrogate becomes zero. The smallest byte of each lane is then zero if any
    /// of the vectors has one there.
    #[inline(always)]
    fn is_suspected<const N: usize>(v: V, vectors: [V::Vector; N]) -> bool {
        let (kind, high) = (v.load(Self::KIND, 0), v.load(Self::HIGH, 0));
        let (mut least, mut i) = (v.and_xor(vectors[0], kind, high), 1);
        while i < N {
            least = v.min(least, v.and_xor(vectors[i], kind, high));
            i += 1;
        }
        v.is_any(v.equal(least, v.splat(0)))
    }

    /// A unit must be a low surrogate exactly if the previous unit is a high one. The ones mark
    /// units that break this rule, in either direction.
    #[inline(always)]
    fn places(v: V, now: V::Vector, pending: &mut u64) -> u64 {
        let half = v.and(now, v.load(Self::HALF, 0));
        let high = v.bits(v.equal(half, v.load(Self::HIGH, 0)));
        let low = v.bits(v.equal(half, v.load(Self::LOW, 0)));
        let expected = high << 2 | *pending;
        *pending = high >> (V::LANES - 2);
        (expected ^ low) & (u64::MAX >> (64 - V::LANES))
    }

    #[inline(always)]
    fn place(text: &[u8], at: usize) -> usize {
        let upper = at + usize::from(cfg!(target_endian = "little") != SWAPPED);
        let is_low = text.get(upper).is_some_and(|byte| byte & 0xFC == 0xDC);
        // If it is not a low surrogate, the previous unit is a high one.
        if is_low { at } else { at - 2 }
    }
}

/// A number that is not a character: a surrogate, or above 10FFFF.
pub(crate) struct NotUtf32<const SWAPPED: bool>;

/// `FLIPPED` makes the second byte of a surrogate less than 8, and leaves the upper two bytes as they
/// are: zero.
impl<const SWAPPED: bool> NotUtf32<SWAPPED> {
    const FLIPPED: &[u8; 64] = &bytes(4, 0xD800, SWAPPED);
    const SECOND: &[u8; 64] = &bytes(4, 0x0800, SWAPPED);
    const SURROGATE: &[u8; 64] = &bytes(4, 0x07FF, SWAPPED);
    const LARGEST: &[u8; 64] = &bytes(4, 0x10_FFFF, SWAPPED);
}

impl<V: SearchOps, const SWAPPED: bool> Sought<V> for NotUtf32<SWAPPED> {
    const UNIT_BYTES: usize = 4;

    /// Few characters above U+FFFF have the second byte of a surrogate.
    #[inline(always)]
    fn is_suspected<const N: usize>(v: V, vectors: [V::Vector; N]) -> bool {
        let (mut most, mut least, mut i) = (v.splat(0), v.splat(0xFF), 0);
        while i < N {
            let flipped = v.and_xor(vectors[i], v.splat(0xFF), v.load(Self::FLIPPED, 0));
            (most, least, i) = (v.max(most, flipped), v.min(least, flipped), i + 1);
        }
        let above = v.minus_saturating(most, v.load(Self::LARGEST, 0));
        v.any(v.or(above, v.minus_saturating(v.load(Self::SECOND, 0), least)))
    }

    /// No byte of a surrogate is above that of `SURROGATE`.
    #[inline(always)]
    fn places(v: V, now: V::Vector, _: &mut u64) -> u64 {
        if !Self::is_suspected(v, [now]) {
            return 0;
        }
        let flipped = v.and_xor(now, v.splat(0xFF), v.load(Self::FLIPPED, 0));
        let others = v.not_zero(v.minus_saturating(flipped, v.load(Self::SURROGATE, 0)));
        let any = others | others >> 1;
        let surrogates = !(any | any >> 2) & 0x1111_1111_1111_1111 & (u64::MAX >> (64 - V::LANES));
        v.not_zero(v.minus_saturating(now, v.load(Self::LARGEST, 0))) | surrogates
    }
}
