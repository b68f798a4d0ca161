//! Marginal maximum likelihood (Bock & Aitkin, 1981) and maximum a posteriori.
//!
//! The optimum sought is the fixed point of EM on the grid. For the Rasch model
//! that is the maximum of the likelihood whose weights are the normal density
//! *not* normalised on the grid: its M-step is the closed form
//! `variance = sum(mass * theta^2) / N`, as in the reference program. The
//! log-likelihood reported has normalised weights.

use rayon::prelude::*;

use super::acceleration::{Block, Evaluation, Problem};
use super::curves::Curves;
use super::likelihood::{Expected, UnitView};
use super::sample::Sample;
use super::{Grid, ItemParameters, LogNormal, Model};
use crate::data::Responses;

/// Smallest latent variance, and square of the smallest common slope (mirt's
/// bound).
pub const LEAST_VARIANCE: f64 = 1e-4;
/// A slope about which each examinee informs less than this is not identified:
/// every answer is already as good as certain, one way or the other, and steeper
/// curves change the log-likelihood by less than its rounding error. (An
/// ordinary item informs by 0.05 or more.)
const NO_INFORMATION: f64 = 1e-14;
/// Starting slope of the 2PL without a prior (mirt's: 1.702 / 2).
const START_SLOPE: f64 = 0.851;

/// The marginal likelihood of a model as a function of its free coordinates.
///
/// Rasch: intercepts, then ln(variance). 1PL: easiness (intercept over slope) of
/// each item, then ln(slope), so that items stay in place when the slope grows.
/// 2PL: (slope, intercept) of each item; with a prior, (ln(slope), intercept).
#[derive(Clone)]
pub(super) struct Marginal {
    pub sample: Sample,
    pub model: Model,
    pub grid: Grid,
    nodes: Vec<f64>,
}

/// What an item contributes at the current expected counts.
struct ItemSums {
    /// Derivatives by slope and intercept.
    slope: f64,
    intercept: f64,
    /// Complete-data information: about the intercept, its mean place on the
    /// trait, and the spread about that place.
    base: f64,
    mean: f64,
    spread: f64,
}

impl Marginal {
    pub fn new(data: &Responses, model: Model, grid: Grid) -> Self {
        let sample = match model {
            Model::Rasch | Model::OneParameter => Sample::by_total(data),
            Model::TwoParameter | Model::TwoParameterPrior(_) => Sample::by_pattern(data),
        };
        Self { sample, model, grid, nodes: grid.nodes() }
    }

    /// Starting values: intercepts from the share of right answers.
    pub fn start(&self) -> Vec<f64> {
        let n = self.sample.n_examinees;
        let intercepts = self.sample.item_correct.iter().map(|correct| {
            // The logit of the share, stretched as if the slope were 1.
            ((correct + 0.5) / (n - correct + 0.5)).ln() / 0.75f64.sqrt()
        });
        match self.model {
            Model::Rasch | Model::OneParameter => intercepts.chain([0.0]).collect(),
            Model::TwoParameter => intercepts.flat_map(|d| [START_SLOPE, d]).collect(),
            Model::TwoParameterPrior(prior) => {
                intercepts.flat_map(|d| [prior.mean_log, d]).collect()
            }
        }
    }

    /// Item parameters and latent variance at `x`.
    pub fn unpack(&self, x: &[f64]) -> (Vec<ItemParameters>, f64) {
        let k = self.sample.n_items;
        let common = |slope: f64| {
            x[..k].iter().map(|x| ItemParameters { slope, intercept: slope * x }).collect()
        };
        let own = |slope: fn(f64) -> f64| {
            let item = |pair: &[f64]| ItemParameters { slope: slope(pair[0]), intercept: pair[1] };
            x.chunks(2).map(item).collect()
        };
        match self.model {
            Model::Rasch => (common(1.0), x[k].exp()),
            Model::OneParameter => (common(x[k].exp()), 1.0),
            Model::TwoParameter => (own(|a| a), 1.0),
            Model::TwoParameterPrior(_) => (own(f64::exp), 1.0),
        }
    }

    /// Log weights of the nodes in the objective (see the module's notes).
    fn log_weights(&self, variance: f64) -> Vec<f64> {
        if self.model != Model::Rasch {
            return self.grid.log_weights(variance);
        }
        let constant = -0.5 * variance.ln();
        self.grid.log_kernel(variance).into_iter().map(|w| w + constant).collect()
    }

    fn item_sums(
        &self,
        items: &[ItemParameters],
        curves: &Curves,
        expected: &Expected,
    ) -> Vec<ItemSums> {
        let n_nodes = self.nodes.len();
        let one = |j: usize| {
            let range = j * n_nodes..(j + 1) * n_nodes;
            let (p, variance) = (&curves.p[range.clone()], &curves.variance[range]);
            let (mut right, mut right_theta, mut base, mut first) = (0.0, 0.0, 0.0, 0.0);
            let mass = expected.mass_of(j);
            for (((m, p), v), t) in mass.iter().zip(p).zip(variance).zip(&self.nodes) {
                right += m * p;
                right_theta += m * p * t;
                base += m * v;
                first += m * v * t;
            }
            let mean = if base > 0.0 { first / base } else { 0.0 };
            let spread = mass.iter().zip(variance).zip(&self.nodes);
            ItemSums {
                slope: expected.correct_by_theta.get(j).unwrap_or(&0.0) - right_theta,
                intercept: self.sample.item_correct[j] - right,
                base,
                mean,
                spread: spread.map(|((m, v), t)| m * v * (t - mean).powi(2)).sum(),
            }
        };
        (0..items.len()).into_par_iter().with_min_len(64).map(one).collect()
    }

    /// Gradient and information of the last coordinate of the models with a
    /// common slope.
    fn common_coordinate(
        &self,
        items: &[ItemParameters],
        variance: f64,
        expected: &Expected,
        sums: &[ItemSums],
    ) -> (f64, f64) {
        let n = self.sample.n_examinees;
        if self.model == Model::Rasch {
            let squares: f64 = expected.mass.iter().zip(&self.nodes).map(|(m, t)| m * t * t).sum();
            return (0.5 * (squares / variance - n), 0.5 * n);
        }
        // d(a theta + a e) / d ln(a) = a (theta + e), with e the easiness.
        let slope = items[0].slope;
        let (mut gradient, mut information) = (slope * expected.total_by_theta, 0.0);
        for (s, item) in sums.iter().zip(items) {
            gradient += slope * s.slope + item.intercept * s.intercept;
            let place = slope * s.mean + item.intercept;
            information += slope * slope * s.spread + s.base * place * place;
        }
        (gradient, information)
    }

    pub fn log_prior(&self, items: &[ItemParameters]) -> f64 {
        match self.model {
            Model::TwoParameterPrior(prior) => {
                items.iter().map(|item| prior.log_density(item.slope)).sum()
            }
            _ => 0.0,
        }
    }

    /// Lower bound of the last coordinate of the models with a common slope.
    pub fn lower_bound(&self) -> f64 {
        match self.model {
            Model::OneParameter => 0.5 * LEAST_VARIANCE.ln(),
            _ => LEAST_VARIANCE.ln(),
        }
    }

    /// Information about the coordinate that all items share, per unit of
    /// information about the slope itself: the 1PL has the logarithm.
    pub fn scale(&self, x: &[f64]) -> f64 {
        match self.model {
            Model::OneParameter => (2.0 * x[self.sample.n_items]).exp(),
            _ => 1.0,
        }
    }

    /// Index of the coordinate that all items share, if the model has one.
    pub fn common(&self) -> Option<usize> {
        match self.model {
            Model::Rasch | Model::OneParameter => Some(self.sample.n_items),
            Model::TwoParameter | Model::TwoParameterPrior(_) => None,
        }
    }
}

/// Everything known at given parameters.
pub(super) struct State<'a> {
    marginal: &'a Marginal,
    /// The nodes of the grid.
    pub nodes: &'a [f64],
    items: Vec<ItemParameters>,
    curves: Curves,
    pub log_weights: Vec<f64>,
    pub expected: Expected,
    sums: Vec<ItemSums>,
}

impl Marginal {
    /// The E-step at given parameters.
    pub fn state(&self, items: &[ItemParameters], variance: f64) -> State<'_> {
        let curves = self.sample.curves(items, &self.nodes);
        let log_weights = self.log_weights(variance);
        let expected = self.sample.expect(items, &curves, &self.nodes, &log_weights);
        let sums = self.item_sums(items, &curves, &expected);
        let (nodes, items) = (&self.nodes[..], items.to_vec());
        State { marginal: self, nodes, items, curves, log_weights, expected, sums }
    }
}

impl State<'_> {
    /// Calls `f` with each group of examinees that share a posterior, in order.
    pub fn for_each_unit(&self, f: impl FnMut(UnitView)) {
        let Self { marginal, nodes, items, curves, log_weights, .. } = self;
        marginal.sample.for_each_unit(items, curves, nodes, log_weights, f);
    }

    /// x - P of item `j` at node `q`; -P when only totals are known.
    pub fn residual(&self, unit: &UnitView, j: usize, q: usize) -> f64 {
        f64::from(u8::from(unit.correct(j))) - self.curves.p[j * self.nodes.len() + q]
    }

    /// Expected complete-data information about slope and intercept of item `j`:
    /// slope, both, intercept.
    pub fn complete_information(&self, j: usize) -> [f64; 3] {
        let ItemSums { base, mean, spread, .. } = self.sums[j];
        [spread + base * mean * mean, base * mean, base]
    }
}

impl Problem for Marginal {
    fn evaluate(&self, x: &[f64]) -> Evaluation {
        let (items, variance) = self.unpack(x);
        let State { expected, sums, .. } = self.state(&items, variance);
        let value = expected.log_likelihood + self.log_prior(&items);
        let (mut gradient, mut blocks) = (Vec::with_capacity(x.len()), vec![]);
        for (s, item) in sums.iter().zip(&items) {
            match self.model {
                Model::Rasch | Model::OneParameter => {
                    gradient.push(item.slope * s.intercept);
                    blocks.push(Block::Single(item.slope * item.slope * s.base));
                }
                Model::TwoParameter => {
                    gradient.extend([s.slope, s.intercept]);
                    blocks.push(Block::Pair { mean: s.mean, spread: s.spread, base: s.base });
                }
                Model::TwoParameterPrior(prior) => {
                    let (slope, block) = with_prior(s, item.slope, prior);
                    gradient.extend([slope, s.intercept]);
                    blocks.push(block);
                }
            }
        }
        if self.common().is_some() {
            let (slope, information) = self.common_coordinate(&items, variance, &expected, &sums);
            gradient.push(slope);
            blocks.push(Block::Single(information));
        }
        Evaluation { value, gradient, blocks }
    }

    fn step_limit(&self, x: &[f64], coordinate: usize) -> f64 {
        match self.model {
            // Six times more for the intercept, so that the difficulties on the
            // grid can stay where they are while the slope grows.
            Model::TwoParameter => {
                let slope = x[coordinate - coordinate % 2].abs().max(2.0);
                if coordinate.is_multiple_of(2) { slope } else { 6.0 * slope }
            }
            _ if Some(coordinate) == self.common() => 1.0,
            Model::TwoParameterPrior(_) if coordinate.is_multiple_of(2) => 1.0,
            _ => 3.0,
        }
    }

    fn project(&self, x: &mut [f64]) {
        if let Some(last) = self.common() {
            x[last] = x[last].max(self.lower_bound());
        }
    }

    fn rests(&self, x: &[f64], at: usize, block: &Block, gradient: &[f64]) -> bool {
        let vanishes = |information: f64| information < NO_INFORMATION * self.sample.n_examinees;
        match (self.model, *block) {
            (Model::TwoParameter, Block::Pair { spread, .. }) => vanishes(spread),
            (Model::Rasch | Model::OneParameter, Block::Single(information))
                if Some(at) == self.common() =>
            {
                vanishes(information / self.scale(x))
                    || (x[at] <= self.lower_bound() && gradient[0] < 0.0)
            }
            _ => false,
        }
    }
}

/// Derivative and information of an item in (ln(slope), intercept) with a
/// lognormal prior on the slope.
fn with_prior(s: &ItemSums, slope: f64, prior: LogNormal) -> (f64, Block) {
    let precision = prior.sd_log.powi(-2);
    let derivative = slope * s.slope - 1.0 - (slope.ln() - prior.mean_log) * precision;
    // The curvature of exp(x) where the data pull the slope down.
    let spread = slope * slope * s.spread + precision + (-slope * s.slope).max(0.0);
    (derivative, Block::Pair { mean: slope * s.mean, spread, base: s.base })
}
