//! R's random numbers, so that a published seed reproduces a published
//! permutation: the Mersenne Twister with R's seeding, and the rejection sampling
//! that `sample` uses since R 3.6.
//!
//! Sources: Matsumoto & Nishimura (1998) for MT19937; R NEWS 3.6.0 for
//! `sample.kind = "Rejection"`.

const N: usize = 624;
const M: usize = 397;

/// A stream equal to R's after `set.seed(seed)`.
#[derive(Debug, Clone)]
pub struct RRandom {
    state: [u32; N],
    position: usize,
}

impl RRandom {
    /// `set.seed(seed)`: the seed goes through a congruential generator, 50 steps
    /// to mix, one word that R discards, and 624 words of state.
    pub fn new(seed: u32) -> Self {
        let mut word = seed;
        let mut next = || {
            word = word.wrapping_mul(69069).wrapping_add(1);
            word
        };
        for _ in 0..=50 {
            next();
        }
        Self { state: std::array::from_fn(|_| next()), position: N }
    }

    /// `runif(1)`: uniform on the open interval (0, 1).
    pub fn unif(&mut self) -> f64 {
        const TWO_POW_MINUS_32: f64 = 2.328_306_436_538_696_3e-10;
        // R keeps the ends off with half of 1 / (2^32 - 1).
        const MARGIN: f64 = 0.5 * 2.328_306_437_080_797e-10;
        (f64::from(self.word()) * TWO_POW_MINUS_32).clamp(MARGIN, 1.0 - MARGIN)
    }

    /// An index in `0..n`, as `sample` draws it (0 when `n` is 0 or 1; one word is
    /// consumed even then, unless `n` is 0).
    ///
    /// The bits needed come in chunks of 16, and a draw not below `n` is rejected.
    pub fn index(&mut self, n: usize) -> usize {
        if n == 0 {
            return 0;
        }
        let bits = n.next_power_of_two().trailing_zeros();
        let mask = (1u64 << bits) - 1;
        loop {
            let mut value = 0u64;
            // R's loop includes `bits`: at 16 bits it already draws two words.
            for _ in 0..=bits / 16 {
                // floor(65536 u) of the uniform number is the word's upper half.
                value = value << 16 | u64::from(self.word() >> 16);
            }
            let candidate = (value & mask) as usize;
            if candidate < n {
                return candidate;
            }
        }
    }

    /// `sample(n)`, counted from 0.
    pub fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        self.permute(&mut order);
        order
    }

    /// `x <- sample(x)`.
    pub fn permute<T: Copy>(&mut self, x: &mut [T]) {
        let mut pool = x.to_vec();
        for slot in x {
            *slot = pool.swap_remove(self.index(pool.len()));
        }
    }

    /// `sample(0:1, n, TRUE)`.
    pub fn sample_binary(&mut self, n: usize) -> Vec<bool> {
        self.sample_with_replacement(2, n).into_iter().map(|i| i == 1).collect()
    }

    /// `sample(n, size, TRUE)`, counted from 0; empty when `n` is 0.
    pub fn sample_with_replacement(&mut self, n: usize, size: usize) -> Vec<usize> {
        let size = if n == 0 { 0 } else { size };
        (0..size).map(|_| self.index(n)).collect()
    }

    /// The next tempered word of MT19937.
    fn word(&mut self) -> u32 {
        if self.position == N {
            self.twist();
        }
        let mut y = self.state[self.position];
        self.position += 1;
        y ^= y >> 11;
        y ^= y << 7 & 0x9d2c_5680;
        y ^= y << 15 & 0xefc6_0000;
        y ^ y >> 18
    }

    fn twist(&mut self) {
        for i in 0..N {
            let y = self.state[i] & 0x8000_0000 | self.state[(i + 1) % N] & 0x7fff_ffff;
            let odd = if y & 1 == 1 { 0x9908_b0df } else { 0 };
            self.state[i] = self.state[(i + M) % N] ^ y >> 1 ^ odd;
        }
        self.position = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEED: u32 = 20_261_025;

    fn one_based(values: &[usize]) -> Vec<usize> {
        values.iter().map(|v| v + 1).collect()
    }

    #[test]
    fn uniforms_equal_r() {
        let mut r = RRandom::new(SEED);
        // R prints seven digits.
        for expected in [0.271_635_3, 0.025_031_56, 0.506_711_9, 0.956_886_7, 0.281_592_8] {
            assert!((r.unif() - expected).abs() < 5e-8);
        }
    }

    #[test]
    fn permutations_equal_r() {
        let sample = |n| one_based(&RRandom::new(SEED).permutation(n));
        assert_eq!(sample(10), [10, 9, 8, 7, 1, 2, 6, 5, 4, 3]);
        assert_eq!(sample(173)[..8], [138, 105, 23, 129, 58, 45, 27, 40]);
    }

    #[test]
    fn draws_continue_the_same_stream() {
        let mut r = RRandom::new(SEED);
        let binary: Vec<u8> = r.sample_binary(10).into_iter().map(u8::from).collect();
        assert_eq!(binary, [1, 0, 1, 0, 0, 0, 1, 0, 1, 0]);
        assert_eq!(one_based(&r.permutation(500))[..6], [207, 209, 184, 40, 479, 412]);
    }

    #[test]
    fn permuting_values_equals_r() {
        let mut r = RRandom::new(SEED);
        let mut x = [0, 1, 1, 0, 1, 0, 0];
        r.permute(&mut x);
        assert_eq!(x, [1, 0, 0, 0, 1, 0, 1]);
        let mut x = [0, 1, 1, 0, 1, 0, 0];
        r.permute(&mut x);
        assert_eq!(x, [0, 0, 0, 1, 1, 0, 1]);
    }

    /// `R_unif_index` as R writes it, on floating point numbers.
    fn index_by_definition(r: &mut RRandom, n: f64) -> f64 {
        let bits = n.log2().ceil() as u32;
        loop {
            let mut value = 0i64;
            let mut offset = 0;
            while offset <= bits {
                value = 65536 * value + (r.unif() * 65536.0).floor() as i64;
                offset += 16;
            }
            let candidate = (value & ((1 << bits) - 1)) as f64;
            if candidate < n {
                return candidate;
            }
        }
    }

    #[test]
    fn wide_ranges_draw_two_words() {
        for n in [1usize, 2, 3, 255, 256, 257, 65_535, 65_536, 65_537, 70_000, 1 << 31] {
            let (mut ours, mut theirs) = (RRandom::new(SEED), RRandom::new(SEED));
            for _ in 0..200 {
                assert_eq!(ours.index(n) as f64, index_by_definition(&mut theirs, n as f64), "{n}");
            }
        }
        for n in [65_536, 70_000] {
            let mut sorted = RRandom::new(SEED).permutation(n);
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..n));
        }
    }

    #[test]
    fn nothing_to_draw_is_not_an_error() {
        let mut r = RRandom::new(1);
        assert!(r.permutation(0).is_empty());
        assert_eq!(r.permutation(1), [0]);
        assert!(r.sample_with_replacement(0, 5).is_empty());
        r.permute::<bool>(&mut []);
    }
}
