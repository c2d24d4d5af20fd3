//! Reproducible random numbers: splitmix64.

/// A generator of random numbers.
pub struct Random(u64);

impl Random {
    /// The same seed and row give the same numbers.
    pub fn new(seed: u64, row: u64) -> Self {
        let mut random = Self(seed ^ row.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        random.number();
        random
    }

    /// Any number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From 0 to `end`, exclusive.
    pub fn below(&mut self, end: usize) -> usize {
        (self.number() % end as u64) as usize
    }

    /// From 0 to 1, exclusive.
    pub fn share(&mut self) -> f64 {
        (self.number() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// From `start` to `end`, exclusive.
    pub fn between(&mut self, start: f32, end: f32) -> f32 {
        start + (end - start) * self.share() as f32
    }
}
