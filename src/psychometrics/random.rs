//! Independent streams of a seed: one per replication, so that neither the order
//! nor the number of threads changes what is drawn.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Stream `number` of `seed`.
pub(super) fn stream(seed: u64, number: u64) -> ChaCha8Rng {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(number);
    random
}

/// `n` draws with replacement from 0..n.
pub(super) fn with_replacement(random: &mut ChaCha8Rng, n: usize) -> Vec<usize> {
    // 64 bits whatever the machine's word.
    (0..n).map(|_| random.random_range(0..n as u64) as usize).collect()
}
