//! Random draws that do not depend on the machine: ChaCha and `libm`, whose
//! elementary functions are the same everywhere.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A source of draws.
#[derive(Debug, Clone)]
pub(super) struct Random(ChaCha8Rng);

impl Random {
    /// One of many independent streams of a seed.
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(stream);
        Self(rng)
    }

    /// 32 random bits.
    pub fn bits(&mut self) -> u32 {
        self.0.random()
    }

    /// Uniform on [0, 1).
    pub fn uniform(&mut self) -> f64 {
        self.0.random()
    }

    /// Uniform on [from, to).
    pub fn between(&mut self, from: f64, to: f64) -> f64 {
        from + (to - from) * self.uniform()
    }

    /// Uniform on 0..n.
    pub fn below(&mut self, n: usize) -> usize {
        self.0.random_range(0..n as u64) as usize
    }

    /// True with the given probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.uniform() < probability
    }

    /// Normal (Box and Muller, 1958).
    pub fn normal(&mut self, mean: f64, sd: f64) -> f64 {
        let radius = libm::sqrt(-2.0 * libm::log(1.0 - self.uniform()));
        mean + sd * radius * libm::cos(std::f64::consts::TAU * self.uniform())
    }

    /// A random order of 0..n (Fisher and Yates).
    pub fn order(&mut self, n: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            all.swap(i, self.below(i + 1));
        }
        all
    }
}

/// The logistic function.
pub(super) fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_draws_have_their_mean_and_sd() {
        let mut random = Random::new(1, 0);
        let draws: Vec<f64> = (0..40_000).map(|_| random.normal(2.0, 3.0)).collect();
        let mean = draws.iter().sum::<f64>() / 4e4;
        let sd = (draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 4e4).sqrt();
        // Four standard errors: 3 / 200 for the mean, 3 / 283 for the SD.
        assert!((mean - 2.0).abs() < 0.06 && (sd - 3.0).abs() < 0.043, "{mean} {sd}");
    }

    #[test]
    fn streams_differ_and_repeat() {
        let draw = |stream| Random::new(7, stream).bits();
        assert_eq!(draw(3), draw(3));
        assert_ne!(draw(3), draw(4));
    }

    #[test]
    fn an_order_holds_everyone_once() {
        let mut order = Random::new(1, 0).order(50);
        assert_ne!(order, (0..50).collect::<Vec<_>>());
        order.sort_unstable();
        assert_eq!(order, (0..50).collect::<Vec<_>>());
    }
}
