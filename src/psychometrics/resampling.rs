//! What the statistics of a test would be with other examinees, and with items that
//! have nothing in common.

use rand::seq::SliceRandom;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::random::{stream, with_replacement};
use super::{Undefined, classical, dimensionality, stats};
use crate::data::Responses;

/// How a replicate is made from the matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scheme {
    /// As many examinees, drawn with replacement (Efron, 1979): the uncertainty that
    /// comes from who was examined.
    Bootstrap,
    /// The answers to each item permuted among the examinees: difficulties stay,
    /// associations go. What is left is what the procedure makes of nothing.
    Shuffle,
}

/// The statistics that are resampled.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TestStatistics {
    /// KR-20.
    pub kr20: Result<f64, Undefined>,
    /// Median corrected item-total correlation.
    pub median_r: Result<f64, Undefined>,
    /// First eigenvalue of the phi matrix.
    pub first_eigenvalue: Result<f64, Undefined>,
    /// First over second eigenvalue of the phi matrix.
    pub eigenvalue_ratio: Result<f64, Undefined>,
}

impl TestStatistics {
    /// The statistics of a matrix.
    pub fn of(responses: &Responses) -> Self {
        let classical = classical::analyse(responses);
        let spectrum = dimensionality::phi_spectrum(responses);
        let first = |values: &[f64]| values.first().copied().ok_or(Undefined::NoObservations);
        Self {
            kr20: classical.kr20,
            median_r: classical.median_r,
            first_eigenvalue: spectrum.as_ref().map_err(|&why| why).and_then(|s| first(&s.values)),
            eigenvalue_ratio: spectrum.and_then(|s| s.ratio()),
        }
    }
}

/// The statistics of the replicates, in the order of their number.
///
/// Each replicate has its own stream of the seed: the same bytes on any number of
/// threads, and the first hundred of two hundred are those of a hundred.
pub fn resample(
    responses: &Responses,
    scheme: Scheme,
    replications: usize,
    seed: u64,
) -> Resampled {
    let replicate = |number| TestStatistics::of(&draw(responses, scheme, seed, number));
    Resampled { replicates: (0..replications as u64).into_par_iter().map(replicate).collect() }
}

fn draw(responses: &Responses, scheme: Scheme, seed: u64, number: u64) -> Responses {
    let mut random = stream(seed, number);
    let n = responses.n_examinees();
    if scheme == Scheme::Bootstrap {
        return responses.select_examinees(&with_replacement(&mut random, n));
    }
    let mut shuffled = responses.clone();
    for j in 0..responses.n_items() {
        let mut answers: Vec<Option<bool>> = (0..n).map(|i| responses.item(j).get(i)).collect();
        answers.shuffle(&mut random);
        shuffled.set_item(j, &answers);
    }
    shuffled
}

/// The replicates of a resampling.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Resampled {
    /// Their statistics.
    pub replicates: Vec<TestStatistics>,
}

/// Summary of a statistic over replicates.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Lower end of the percentile interval (quantiles of type 7).
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Mean of the replicates.
    pub mean: f64,
    /// Their standard deviation: the bootstrap's standard error.
    pub standard_error: f64,
    /// Replicates where the statistic is defined.
    pub n_defined: usize,
}

impl Resampled {
    /// The interval with `coverage` of the replicates of a statistic in its middle.
    pub fn interval(
        &self,
        statistic: impl Fn(&TestStatistics) -> Result<f64, Undefined>,
        coverage: f64,
    ) -> Result<Interval, Undefined> {
        let values: Vec<f64> =
            self.replicates.iter().filter_map(|replicate| statistic(replicate).ok()).collect();
        let tail = (1.0 - coverage) / 2.0;
        Ok(Interval {
            low: stats::quantile7(&values, tail)?,
            high: stats::quantile7(&values, 1.0 - tail)?,
            mean: stats::mean(&values)?,
            standard_error: stats::variance(&values)?.sqrt(),
            n_defined: values.len(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::psychometrics::irt::{ItemParameters, simulate};

    fn example() -> Responses {
        let like = Responses::from_fn(150, 20, |_, _| Some(true));
        let item = |j: usize| ItemParameters { slope: 1.4, intercept: 1.0 - 0.1 * j as f64 };
        simulate(&like, &(0..20).map(item).collect::<Vec<_>>(), 1.0, 3, 0)
    }

    #[test]
    fn replicates_depend_on_the_seed_and_their_number_only() {
        let m = example();
        let run = |n, seed| resample(&m, Scheme::Bootstrap, n, seed).replicates;
        let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let eight = run(8, 1);
        assert_eq!(eight, one_thread.install(|| run(8, 1)));
        assert_eq!(eight[..4], run(4, 1)[..]);
        assert_ne!(eight, run(8, 2));
    }

    #[test]
    fn the_interval_surrounds_the_observed_statistic() {
        let m = example();
        let observed = TestStatistics::of(&m);
        let resampled = resample(&m, Scheme::Bootstrap, 60, 1);
        let interval = resampled.interval(|s| s.kr20, 0.95).unwrap();
        let kr20 = observed.kr20.unwrap();
        assert!(interval.low < kr20 && kr20 < interval.high, "{interval:?} {kr20}");
        assert!(interval.standard_error > 0.0 && interval.n_defined == 60);
        let narrow = resampled.interval(|s| s.kr20, 0.5).unwrap();
        assert!(interval.low < narrow.low && narrow.high < interval.high);
    }

    #[test]
    fn shuffled_items_have_their_difficulty_and_nothing_in_common() {
        let m = example();
        let shuffled = draw(&m, Scheme::Shuffle, 1, 0);
        for j in 0..m.n_items() {
            assert_eq!(shuffled.item(j).n_correct(), m.item(j).n_correct());
        }
        let null = resample(&m, Scheme::Shuffle, 40, 1);
        let interval = null.interval(|s| s.kr20, 0.95).unwrap();
        assert!(interval.low < 0.0 && interval.mean.abs() < 0.1, "{interval:?}");
        assert!(interval.high < TestStatistics::of(&m).kr20.unwrap());
    }

    #[test]
    fn what_is_undefined_in_every_replicate_has_a_reason() {
        let constant = Responses::from_fn(5, 3, |_, _| Some(true));
        let resampled = resample(&constant, Scheme::Bootstrap, 4, 1);
        assert!(resampled.interval(|s| s.kr20, 0.95).is_err());
        let empty = Responses::from_fn(0, 3, |_, _| None);
        assert!(resample(&empty, Scheme::Bootstrap, 2, 1).interval(|s| s.median_r, 0.9).is_err());
    }
}
