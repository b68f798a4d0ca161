//! What the eigenvalues would be under a null: independence, or one dimension.
//!
//! Permuting each item's answers leaves its difficulty and no association (Horn,
//! 1965; Buja & Eyuboglu, 1992). That null cannot tell a second dimension from the
//! artefact that differing difficulties make of a single one; answers simulated
//! from the fitted one-dimensional model can.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal, StandardUniform};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::phi::leading_eigenvalues;
use super::{answering, retained};
use crate::data::Responses;
use crate::psychometrics::r_random::RRandom;
use crate::psychometrics::{Undefined, stats};

/// The probability at which a position's null eigenvalues give its threshold.
const LEVEL: f64 = 0.95;

/// Null distribution of the leading eigenvalues of the phi matrix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Null {
    /// Number of replications.
    pub n_replications: usize,
    /// 95th percentile (type 7) of each position.
    pub thresholds: Vec<f64>,
    /// Mean of each position.
    pub means: Vec<f64>,
    /// The eigenvalues of each replication, largest first.
    pub replications: Vec<Vec<f64>>,
}

impl Null {
    fn new(replications: Vec<Vec<f64>>) -> Result<Self, Undefined> {
        // A simulated item may lack variance: positions that every replication has.
        let positions = replications.iter().map(Vec::len).min().unwrap_or(0);
        let column = |at: usize| replications.iter().map(|r| r[at]).collect::<Vec<f64>>();
        let thresholds: Result<_, _> =
            (0..positions).map(|at| stats::quantile7(&column(at), LEVEL)).collect();
        let means: Result<_, _> = (0..positions).map(|at| stats::mean(&column(at))).collect();
        Ok(Self {
            n_replications: replications.len(),
            thresholds: thresholds?,
            means: means?,
            replications,
        })
    }

    /// How many leading observed eigenvalues exceed their threshold, without a gap.
    pub fn retained(&self, observed: &[f64]) -> usize {
        retained(observed, &self.thresholds)
    }

    /// For each position, the probability under the null of an eigenvalue at least
    /// the observed one: `(1 + exceeding) / (1 + replications)`.
    pub fn p_values(&self, observed: &[f64]) -> Vec<f64> {
        let p_value = |(at, &value): (usize, &f64)| {
            let exceeding = self.replications.iter().filter(|r| r[at] >= value).count();
            (1 + exceeding) as f64 / (1 + self.n_replications) as f64
        };
        observed.iter().take(self.thresholds.len()).enumerate().map(p_value).collect()
    }
}

/// How to permute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParallelAnalysis {
    /// Number of permutations.
    pub n_permutations: usize,
    /// Seed of R's generator.
    pub seed: u32,
    /// How many leading eigenvalues to keep.
    pub n_positions: usize,
}

/// Parallel analysis by permutation, with R's own permutations: after
/// `set.seed(seed)`, each replication permutes the items with variance from left to
/// right, `sample` by `sample`. Missing answers move with the rest.
///
/// Drawing is sequential by nature; while a batch is being drawn, the eigenvalues
/// of the previous one are computed.
pub fn parallel_analysis(
    responses: &Responses,
    options: ParallelAnalysis,
) -> Result<Null, Undefined> {
    let items = responses.varying_items();
    let selected = answering(responses, &items).select_items(&items);
    let mut permuted = Permutations::new(selected, options.seed);
    let mut left = options.n_permutations;
    let mut draw = || {
        let size = left.min(BATCH);
        left -= size;
        (0..size).map(|_| permuted.next()).collect::<Vec<Responses>>()
    };
    let mut replications = Vec::with_capacity(options.n_permutations);
    let mut batch = draw();
    while !batch.is_empty() {
        let compute = || -> Result<Vec<_>, Undefined> {
            let all: Vec<usize> = (0..batch[0].n_items()).collect();
            batch.par_iter().map(|m| leading_eigenvalues(m, &all, options.n_positions)).collect()
        };
        let (done, next) = rayon::join(compute, &mut draw);
        replications.extend(done?);
        batch = next;
    }
    Null::new(replications)
}

/// Replications drawn together.
const BATCH: usize = 8;

/// The stream of permuted matrices.
struct Permutations {
    matrix: Responses,
    columns: Vec<Vec<Option<bool>>>,
    random: RRandom,
}

impl Permutations {
    fn new(matrix: Responses, seed: u32) -> Self {
        let column = |j: usize| (0..matrix.n_examinees()).map(|i| matrix.get(i, j)).collect();
        let columns = (0..matrix.n_items()).map(column).collect();
        Self { matrix, columns, random: RRandom::new(seed) }
    }

    fn next(&mut self) -> Responses {
        let mut out = self.matrix.clone();
        let mut shuffled = vec![None; out.n_examinees()];
        for (j, column) in self.columns.iter().enumerate() {
            shuffled.copy_from_slice(column);
            self.random.permute(&mut shuffled);
            out.set_item(j, &shuffled);
        }
        out
    }
}

/// The null of a simulation: the leading eigenvalues of `n_replications` matrices
/// that `simulate` makes, each from its number alone. Items that come out without
/// variance are left out.
pub fn simulated_null(
    n_replications: usize,
    n_positions: usize,
    simulate: impl Fn(usize) -> Responses + Sync,
) -> Result<Null, Undefined> {
    let replications: Result<Vec<_>, _> = (0..n_replications)
        .into_par_iter()
        .map(|replication| {
            let matrix = simulate(replication);
            leading_eigenvalues(&matrix, &matrix.varying_items(), n_positions)
        })
        .collect();
    Null::new(replications?)
}

/// An item of the logistic model P(right) = 1 / (1 + exp(-(slope theta + intercept))).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SimulatedItem {
    /// Slope on theta.
    pub slope: f64,
    /// Logit of a right answer at theta 0.
    pub intercept: f64,
}

/// The one-dimensional null: answers of as many examinees as in `like`, with theta
/// normal of the given variance, to one simulated item per item of `like`; cells
/// missing in `like` are missing.
///
/// Panics when the number of items differs from that of `like`.
pub fn parametric_null(
    like: &Responses,
    items: &[SimulatedItem],
    variance: f64,
    n_replications: usize,
    n_positions: usize,
    seed: u64,
) -> Result<Null, Undefined> {
    assert_eq!(items.len(), like.n_items(), "one simulated item per item");
    if !(variance >= 0.0 && variance.is_finite()) {
        return Err(Undefined::NotFinite);
    }
    let all: Vec<usize> = (0..like.n_items()).collect();
    let (like, deviation) = (answering(like, &all), variance.sqrt());
    simulated_null(n_replications, n_positions, |replication| {
        // One stream per replication: the order of computing does not matter.
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(replication as u64);
        let theta: Vec<f64> = (0..like.n_examinees())
            .map(|_| {
                let standard: f64 = StandardNormal.sample(&mut random);
                deviation * standard
            })
            .collect();
        Responses::from_fn(like.n_examinees(), like.n_items(), |i, j| {
            let uniform: f64 = StandardUniform.sample(&mut random);
            let logit = items[j].slope * theta[i] + items[j].intercept;
            like.get(i, j).map(|_| uniform < 1.0 / (1.0 + (-logit).exp()))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::psychometrics::dimensionality::phi_spectrum;

    const OPTIONS: ParallelAnalysis =
        ParallelAnalysis { n_permutations: 20, seed: 1, n_positions: 5 };

    fn one_factor(n: usize, k: usize) -> Responses {
        Responses::from_fn(n, k, |i, j| Some((i * 13 + i * j * 7) % n < (i + j) % n))
    }

    #[test]
    fn permuting_keeps_every_margin() {
        let m = one_factor(50, 9);
        let items = m.varying_items();
        let mut stream = Permutations::new(m.select_items(&items), 1);
        let permuted = stream.next();
        for (at, &j) in items.iter().enumerate() {
            assert_eq!(permuted.item(at).n_correct(), m.item(j).n_correct());
        }
        assert_ne!(stream.next(), permuted);
    }

    #[test]
    fn the_number_of_threads_changes_nothing() {
        let m = one_factor(30, 40);
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| parallel_analysis(&m, OPTIONS).unwrap())
        };
        assert_eq!(with(1), with(3));
    }

    #[test]
    fn nothing_to_permute_gives_no_thresholds() {
        let constant = Responses::from_fn(5, 3, |_, _| Some(true));
        let null = parallel_analysis(&constant, OPTIONS).unwrap();
        assert!(null.thresholds.is_empty());
        assert_eq!(null.retained(&[]), 0);
        let none = ParallelAnalysis { n_permutations: 0, ..OPTIONS };
        assert!(parallel_analysis(&one_factor(9, 4), none).unwrap().thresholds.is_empty());
    }

    #[test]
    fn one_strong_dimension_stands_out_of_noise_but_not_of_its_own_model() {
        let item = |j: usize| SimulatedItem { slope: 1.5, intercept: j as f64 / 8.0 - 1.0 };
        let items: Vec<SimulatedItem> = (0..16).map(item).collect();
        let shape = Responses::from_fn(300, 16, |_, _| Some(true));
        let null = parametric_null(&shape, &items, 1.0, 40, 5, 7).unwrap();
        assert_eq!(null, parametric_null(&shape, &items, 1.0, 40, 5, 7).unwrap());
        let observed = &null.replications[0];
        let like = Responses::from_fn(300, 16, |i, j| Some((i * 7 + j * 11 + i * j) % 3 == 0));
        let noise = parallel_analysis(&like, OPTIONS).unwrap();
        assert!(observed[0] > noise.thresholds[0]);
        assert!(null.p_values(observed)[0] > 1.0 / 41.0);
        assert!(null.p_values(&[16.0])[0] < 0.03);
    }

    #[test]
    fn missing_answers_move_and_are_kept() {
        let holes = Responses::from_fn(60, 6, |i, j| {
            ((i + j) % 7 != 0).then_some((i * 5 + j * 3 + i * j) % 4 < 2)
        });
        assert!(parallel_analysis(&holes, OPTIONS).unwrap().thresholds[0] > 1.0);
        let flat = vec![SimulatedItem { slope: 0.0, intercept: 0.0 }; 6];
        assert!(parametric_null(&holes, &flat, 1.0, 5, 3, 1).unwrap().thresholds[0] > 1.0);
        assert!(phi_spectrum(&holes).is_ok());
        assert!(parametric_null(&holes, &flat, f64::NAN, 5, 3, 1).is_err());
    }
}
