//! Answers drawn from a fitted model.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal, StandardUniform};

use super::ItemParameters;
use crate::data::{Responses, ResponsesBuilder};

/// A matrix of the shape of `like`, missing where it is missing, of examinees
/// drawn from N(0, `variance`). Replication `number` of `seed` is the same
/// whatever else is drawn: each has its own stream.
///
/// Panics unless there are as many parameters as `like` has items.
pub fn simulate(
    like: &Responses,
    items: &[ItemParameters],
    variance: f64,
    seed: u64,
    number: u64,
) -> Responses {
    assert_eq!(like.n_items(), items.len(), "one pair of parameters per item");
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(number);
    let deviation = variance.sqrt();
    let mut matrix = ResponsesBuilder::new(items.len());
    for i in 0..like.n_examinees() {
        let standard: f64 = StandardNormal.sample(&mut random);
        let theta = deviation * standard;
        matrix.push(items.iter().enumerate().map(|(j, item)| {
            let uniform: f64 = StandardUniform.sample(&mut random);
            like.get(i, j).map(|_| uniform < item.probabilities(theta).0)
        }));
    }
    matrix.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replication_depends_on_its_seed_and_number_only() {
        let like = Responses::from_fn(50, 8, |i, j| ((i + j) % 4 != 0).then_some(true));
        let items = [ItemParameters { slope: 1.0, intercept: 0.2 }; 8];
        let draw = |seed, number| simulate(&like, &items, 1.0, seed, number);
        assert_eq!(draw(7, 3), draw(7, 3));
        assert_ne!(draw(7, 3), draw(7, 4));
        assert_ne!(draw(7, 3), draw(8, 3));
        assert_eq!(draw(7, 3).n_missing(), like.n_missing());
    }
}
