//! Cut-offs for fit and dependence from the fitted model itself (parametric
//! bootstrap with refit), to stand beside the customary ones.
//!
//! Mean squares at EAP scores do not have mean 1, and the largest of a hundred
//! thousand Q3 is far from zero when nothing is wrong. What values to expect is
//! found by drawing answers from the fitted model, fitting the same model to them
//! and computing the same statistics.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::dependence::Q3;
use super::fit::{Fit, Predictions, VarianceFloor, item_fit, person_fit};
use super::irt::scoring::eap;
use super::irt::{self, FitOptions, IrtFit};
use super::{Undefined, stats};
use crate::data::Responses;

/// The customary cut of the absolute Q3.
pub const Q3_CUT: f64 = 0.20;
/// Quantile of the absolute Q3 kept of each replication.
const HIGH: f64 = 0.99;

/// How to simulate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SimulationOptions {
    /// Number of simulated matrices.
    pub replications: usize,
    /// Seed; each replication has its own stream of it.
    pub seed: u64,
    /// Tolerance and cycles of the refits (the grid is that of the fit).
    pub tolerance: f64,
    /// Variance floor of the mean squares.
    pub floor: VarianceFloor,
}

impl Default for SimulationOptions {
    /// A hundred replications. Refits stop at 1e-4: their error is a thousandth
    /// of what varies between replications.
    fn default() -> Self {
        Self { replications: 100, seed: 1, tolerance: 1e-4, floor: VarianceFloor::Reference }
    }
}

/// The statistics of one simulated matrix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Replicate {
    /// Fit of each item of the original fit; `None` where the simulated answers
    /// had no variance.
    pub items: Vec<Option<Fit>>,
    /// Fit of each examinee.
    pub persons: Vec<Fit>,
    /// Largest Q3. With items that a single examinee solves it says little: two
    /// such items have residuals that are all but equal, and a Q3 near 1.
    pub q3_maximum: Option<f64>,
    /// 99th percentile of the absolute Q3 of all pairs.
    pub q3_high: Result<f64, Undefined>,
    /// Share of the pairs with an absolute Q3 above the customary cut.
    pub q3_share_above: Option<f64>,
}

/// All replications of a simulation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Simulation {
    /// The replications whose model could be fitted, in order of their number.
    pub replicates: Vec<Replicate>,
    /// How many could not (too few items with variance).
    pub n_failed: usize,
}

/// Simulates from `fit` matrices like `responses` (the matrix that was fitted,
/// with all its items), each refitted from scratch.
pub fn simulate(responses: &Responses, fit: &IrtFit, options: &SimulationOptions) -> Simulation {
    let like = responses.select_items(&fit.used);
    let replicates: Vec<Option<Replicate>> = (0..options.replications as u64)
        .into_par_iter()
        .map(|number| replicate(&like, fit, options, number))
        .collect();
    let n_failed = replicates.iter().filter(|r| r.is_none()).count();
    Simulation { replicates: replicates.into_iter().flatten().collect(), n_failed }
}

fn replicate(
    like: &Responses,
    fit: &IrtFit,
    options: &SimulationOptions,
    number: u64,
) -> Option<Replicate> {
    let simulated = irt::simulate(like, &fit.items, fit.variance, options.seed, number);
    let fit_options =
        FitOptions { grid: fit.grid, tolerance: options.tolerance, ..FitOptions::default() };
    let refit = irt::fit(&simulated, fit.model, &fit_options).ok()?;
    let data = simulated.select_items(&refit.used);
    let scores = eap(&data, &refit.items, refit.variance, &refit.grid.scoring());
    let thetas: Vec<Option<f64>> = scores.iter().map(|s| s.map(|s| s.theta)).collect();
    let predictions = Predictions::new(&data, &refit.items, &thetas).ok()?;
    let mut items = vec![None; like.n_items()];
    let found = item_fit(&predictions, options.floor).fits;
    refit.used.iter().zip(found).for_each(|(&j, fit)| items[j] = Some(fit));
    let q3 = Q3::new(&predictions);
    Some(Replicate {
        items,
        persons: person_fit(&predictions, options.floor).fits,
        q3_maximum: q3.maximum(),
        q3_high: q3.size_quantile(HIGH),
        q3_share_above: q3.share_above(Q3_CUT),
    })
}

impl Simulation {
    /// Quantile `p` of a statistic over all items of all replications.
    pub fn item_cutoff(
        &self,
        statistic: impl Fn(&Fit) -> Option<f64>,
        p: f64,
    ) -> Result<f64, Undefined> {
        let fits = self.replicates.iter().flat_map(|r| r.items.iter().flatten());
        stats::quantile7(&fits.filter_map(statistic).collect::<Vec<_>>(), p)
    }

    /// Quantile `p` of a statistic of each item over the replications.
    pub fn cutoff_by_item(
        &self,
        statistic: impl Fn(&Fit) -> Option<f64>,
        p: f64,
    ) -> Vec<Result<f64, Undefined>> {
        let n_items = self.replicates.first().map_or(0, |r| r.items.len());
        let values = |j: usize| -> Vec<f64> {
            self.replicates.iter().filter_map(|r| statistic(r.items[j].as_ref()?)).collect()
        };
        (0..n_items).map(|j| stats::quantile7(&values(j), p)).collect()
    }

    /// Quantile `p` of a statistic over all examinees of all replications.
    pub fn person_cutoff(
        &self,
        statistic: impl Fn(&Fit) -> Option<f64>,
        p: f64,
    ) -> Result<f64, Undefined> {
        let fits = self.replicates.iter().flat_map(|r| &r.persons);
        stats::quantile7(&fits.filter_map(statistic).collect::<Vec<_>>(), p)
    }

    /// Quantile `p` of the largest Q3 of a matrix (0.99 for the customary test).
    pub fn q3_maximum_cutoff(&self, p: f64) -> Result<f64, Undefined> {
        let maxima: Vec<f64> = self.replicates.iter().filter_map(|r| r.q3_maximum).collect();
        stats::quantile7(&maxima, p)
    }

    /// Cut for the absolute Q3 of a pair: the median over the replications of their
    /// 99th percentiles.
    pub fn q3_cutoff(&self) -> Result<f64, Undefined> {
        let high = self.replicates.iter().filter_map(|r| r.q3_high.ok());
        stats::median(&high.collect::<Vec<_>>())
    }

    /// Mean share of the pairs beyond the customary cut when nothing is wrong.
    pub fn expected_q3_share(&self) -> Result<f64, Undefined> {
        let shares = self.replicates.iter().filter_map(|r| r.q3_share_above);
        stats::mean(&shares.collect::<Vec<_>>())
    }

    /// Mean number of items per replication whose statistic exceeds `cut`: how
    /// many flags a customary cut raises when nothing is wrong.
    pub fn expected_items_above(
        &self,
        statistic: impl Fn(&Fit) -> Option<f64>,
        cut: f64,
    ) -> Result<f64, Undefined> {
        let above = |r: &Replicate| {
            let values = r.items.iter().flatten().filter_map(&statistic);
            values.filter(|v| *v > cut).count() as f64
        };
        stats::mean(&self.replicates.iter().map(above).collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::psychometrics::irt::{ItemParameters, Model};

    fn fitted() -> (Responses, IrtFit) {
        let like = Responses::from_fn(120, 8, |_, _| Some(true));
        let item = |j| ItemParameters { slope: 1.0, intercept: 1.5 - 0.4 * j as f64 };
        let data = irt::simulate(&like, &(0..8).map(item).collect::<Vec<_>>(), 1.3, 11, 0);
        let fit = irt::fit(&data, Model::Rasch, &FitOptions::default()).unwrap();
        (data, fit)
    }

    #[test]
    fn the_same_seed_gives_the_same_cutoffs() {
        let (data, fit) = fitted();
        let options = SimulationOptions { replications: 6, ..SimulationOptions::default() };
        let first = simulate(&data, &fit, &options);
        assert_eq!(first, simulate(&data, &fit, &options));
        let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert_eq!(first, one_thread.install(|| simulate(&data, &fit, &options)));
    }

    #[test]
    fn cutoffs_surround_what_the_model_expects() {
        let (data, fit) = fitted();
        let options = SimulationOptions { replications: 20, ..SimulationOptions::default() };
        let simulation = simulate(&data, &fit, &options);
        let infit = |p| simulation.item_cutoff(|f| f.infit, p).unwrap();
        assert!(infit(0.01) < infit(0.5) && infit(0.5) < infit(0.99));
        assert!(infit(0.99) < 1.3, "the customary cut is loose: {}", infit(0.99));
        let q3 = simulation.q3_cutoff().unwrap();
        assert!(0.0 < q3 && simulation.expected_q3_share().unwrap() < 0.5);
        assert!(simulation.q3_maximum_cutoff(0.99).unwrap() > 0.0);
        assert_eq!(simulation.cutoff_by_item(|f| f.infit, 0.5).len(), 8);
        assert!(simulation.person_cutoff(|f| f.zh, 0.05).unwrap() < 0.0);
        assert!(simulation.expected_items_above(|f| f.infit, 1.3).unwrap() < 0.5);
    }
}
