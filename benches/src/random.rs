//! Pseudo-random numbers that are the same in every run.

/// The generator SplitMix64 (Steele, Lea and Flood 2014). A number costs an addition and a mix, and any seed is good.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Returns the generator that belongs to a name. Each text and each group of strings has its own.
    pub fn named(name: &str) -> Self {
        // FNV-1a spreads the names over the seeds.
        Self(name.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
        }))
    }

    /// Returns the next 64 bits.
    #[expect(clippy::should_implement_trait, reason = "nothing here needs an iterator that never ends")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = self.0;
        let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Returns a number below `end`, which must not be zero.
    pub fn below(&mut self, end: usize) -> usize {
        // The high half of `end` times 32 random bits. The probabilities of two numbers differ by at most 1 in 2^32.
        (((self.next() >> 32) * end as u64) >> 32) as usize
    }

    /// Returns a number from `low` to `high`, both included.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// Returns true once in `times` calls, on average.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// Returns one of the things.
    pub fn pick<'a, T>(&mut self, things: &'a [T]) -> &'a T {
        &things[self.below(things.len())]
    }

    /// Shuffles the things (Fisher and Yates).
    pub fn shuffle<T>(&mut self, things: &mut [T]) {
        for end in (1..things.len()).rev() {
            things.swap(end, self.below(end + 1));
        }
    }
}
