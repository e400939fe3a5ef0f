//! An instruction set with vectors of `N` bytes that are only places in a text. Each question about them is answered in every way.

use crate::kernel::lookup::loops::{ascii_if, place};
use crate::simd::{Job, Plain, Sealed, Simd, Token, Vectors};

#[derive(Clone, Copy)]
pub(crate) struct Asked<const N: usize, const RELOADS: bool>;

/// Bytes of a text.
#[derive(Clone, Copy)]
pub(crate) struct Span {
    start: usize,
    end: usize,
    /// Other bytes after these, with a gap between them; 0 and 0 if there are none.
    later: [usize; 2],
}

impl Span {
    /// Returns where the bytes are, if there is no gap.
    pub(crate) fn whole(self) -> std::ops::Range<usize> {
        assert_eq!(self.later, [0, 0], "bytes are left out");
        self.start..self.end
    }
}

// SAFETY: four numbers of the same type have no padding, and may have any values.
unsafe impl Plain for Span {}

impl<const N: usize, const R: bool> Sealed for Asked<N, R> {}

impl<const N: usize, const R: bool> Token for Asked<N, R> {
    fn apart<J: Job<Self, M, O>, M, O>(self, _: J, bytes: &[u8], more: M) -> O {
        J::run(self, bytes, more)
    }
}

fn load(bytes: &[u8]) -> Span {
    let place = place(bytes);
    Span { start: place.start, end: place.end, later: [0, 0] }
}

fn no<T>() -> T {
    unreachable!("a loop does not compute")
}

impl<const N: usize, const R: bool> Vectors for Asked<N, R> {
    type Vector = Span;

    const LANES: usize = N;

    fn load(self, bytes: &[u8], at: usize) -> Span {
        load(&bytes[at..at + N])
    }

    fn load_short(self, bytes: &[u8]) -> Span {
        assert!(bytes.len() < N);
        load(bytes)
    }

    /// The bytes of both.
    fn or(self, a: Span, b: Span) -> Span {
        let mut all = [[a.start, a.end], a.later, [b.start, b.end], b.later];
        all.sort_unstable();
        let mut spans: Vec<[usize; 2]> = Vec::new();
        for [start, end] in all.into_iter().filter(|span| *span != [0, 0]) {
            match spans.last_mut() {
                Some(last) if start <= last[1] => last[1] = last[1].max(end),
                _ => spans.push([start, end]),
            }
        }
        assert!(spans.len() <= 2, "bytes are left out");
        Span { start: spans[0][0], end: spans[0][1], later: spans.get(1).copied().unwrap_or_default() }
    }

    fn any_high_bit(self, v: Span) -> bool {
        !ascii_if(v.whole())
    }

    fn high_bits(self, v: Span) -> u64 {
        u64::from(!ascii_if(v.whole()))
    }

    fn splat(self, _: u8) -> Span {
        no()
    }

    fn and(self, _: Span, _: Span) -> Span {
        no()
    }

    fn max(self, _: Span, _: Span) -> Span {
        no()
    }

    fn min(self, _: Span, _: Span) -> Span {
        no()
    }

    fn minus_saturating(self, _: Span, _: Span) -> Span {
        no()
    }

    fn plus_signed_saturating(self, _: Span, _: Span) -> Span {
        no()
    }

    fn any(self, _: Span) -> bool {
        no()
    }
}

impl<const N: usize, const R: bool> Simd for Asked<N, R> {
    const RELOADS: bool = R;

    fn load_second(self, bytes: &[u8]) -> Span {
        assert!((N..=2 * N).contains(&bytes.len()));
        load(&bytes[N..])
    }

    /// Not a sum here, but the place of the bytes, for functions that know no more of a vector than the traits.
    fn sum(self, v: Span) -> usize {
        let place = v.whole();
        place.start << 32 | place.end
    }

    fn ending_in(self, _: [u8; 4]) -> Span {
        no()
    }

    fn table(self, _: &[u8; 16]) -> Span {
        no()
    }

    fn lookup(self, _: Span, _: Span) -> Span {
        no()
    }

    fn earlier<const M: usize>(self, _: Span, _: Span) -> Span {
        no()
    }

    fn nibbles_at<const BIT: i32>(self, _: Span) -> Span {
        no()
    }

    fn xor(self, _: Span, _: Span) -> Span {
        no()
    }

    fn minus_wrapping(self, _: Span, _: Span) -> Span {
        no()
    }

    fn mean(self, _: Span, _: Span) -> Span {
        no()
    }

    fn equal(self, _: Span, _: Span) -> Span {
        no()
    }

    fn below_signed(self, _: Span, _: Span) -> Span {
        no()
    }

    fn halve(self, _: Span, _: Span) -> Span {
        no()
    }
}
