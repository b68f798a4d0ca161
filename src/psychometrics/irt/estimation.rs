//! Marginal maximum likelihood (Bock & Aitkin, 1981) and maximum a posteriori.
//!
//! The optimum sought is the fixed point of EM on the grid. For the Rasch model
//! that is the maximum of the likelihood whose weights are the normal density
//! *not* normalised on the grid: its M-step is the closed form
//! `variance = sum(mass * theta^2) / N`, as in the reference program. The
//! log-likelihood reported has normalised weights.

use rayon::prelude::*;

use super::acceleration::{self, Block, Ending, Evaluation, Outcome, Problem, Stopping};
use super::likelihood::{Curves, Expected, Sample, UnitView};
use super::preparation::{admit, split_items};
use super::quadrature::log_sum_exp;
use super::{
    Convergence, FitOptions, Grid, GridAdequacy, IrtError, IrtFit, ItemParameters, LogNormal,
    Model, Stop,
};
use crate::data::Responses;

/// Smallest latent variance, and square of the smallest common slope (mirt's
/// bound).
const LEAST_VARIANCE: f64 = 1e-4;
/// A slope about which each examinee informs less than this is not identified:
/// every answer is already as good as certain, one way or the other, and steeper
/// curves change the log-likelihood by less than its rounding error. (An
/// ordinary item informs by 0.05 or more.)
const NO_INFORMATION: f64 = 1e-14;
/// When the iterations end, a slope with less information than this is reported
/// as not identified: a standard error above 100.
const TOO_LITTLE_INFORMATION: f64 = 1e-4;
/// When the likelihood is flat, a slope that would still move by this share of
/// itself is running away.
const STILL_MOVING: f64 = 1e-6;
/// Slopes above this are not called negative: rounding around zero.
const NEGATIVE: f64 = -1e-8;
/// Starting slope of the 2PL without a prior (mirt's: 1.702 / 2).
const START_SLOPE: f64 = 0.851;
/// Another, tried when two starts end at different optima.
const STEEP_SLOPE: f64 = 2.0;
/// The prior whose optimum is the second start of the 2PL without one.
const GENTLE_PRIOR: LogNormal = LogNormal { mean_log: 0.5, sd_log: 0.5 };
/// Log-likelihoods closer than this (relative) are the same optimum.
const SAME_OPTIMUM: f64 = 1e-6;

/// Fits `model` to all the items of `responses` that vary.
///
/// Missing answers do not enter the likelihood (missing at random); examinees
/// without answers are left out. The result is the same, to the bit, on any
/// number of threads.
pub fn fit(responses: &Responses, model: Model, options: &FitOptions) -> Result<IrtFit, IrtError> {
    check(model, options)?;
    let (used, dropped) = split_items(responses);
    let data = admit(responses, model, &used, &dropped)?;
    let problem = Marginal::new(&data, model, options.grid);
    let (outcome, optima) = problem.climb(options);
    Ok(problem.report(outcome, optima, used, dropped))
}

/// Fits on the grid of `options`, then on wider and finer ones until the grid is
/// adequate for the fit made on it (see [`GridAdequacy`]).
pub fn fit_on_adequate_grid(
    responses: &Responses,
    model: Model,
    options: &FitOptions,
) -> Result<IrtFit, IrtError> {
    let mut fitted = fit(responses, model, options)?;
    // The variance grows when the grid does; it settles in one or two rounds.
    for _ in 0..4 {
        if fitted.grid_adequacy.adequate {
            break;
        }
        let sd = fitted.grid_adequacy.smallest_posterior_sd;
        let grid = Grid::adequate_for(fitted.variance, sd);
        fitted = fit(responses, model, &FitOptions { grid, ..*options })?;
    }
    Ok(fitted)
}

fn check(model: Model, options: &FitOptions) -> Result<(), IrtError> {
    if let Model::TwoParameterPrior(prior) = model
        && !(prior.sd_log > 0.0 && prior.sd_log.is_finite() && prior.mean_log.is_finite())
    {
        return Err(IrtError::InvalidPrior);
    }
    let positive = options.tolerance > 0.0 && options.tolerance.is_finite();
    if !positive || options.max_cycles == 0 {
        return Err(IrtError::InvalidOptions);
    }
    Ok(())
}

/// The marginal likelihood of a model as a function of its free coordinates.
///
/// Rasch: intercepts, then ln(variance). 1PL: easiness (intercept over slope) of
/// each item, then ln(slope), so that items stay in place when the slope grows.
/// 2PL: (slope, intercept) of each item; with a prior, (ln(slope), intercept).
#[derive(Clone)]
pub(super) struct Marginal {
    sample: Sample,
    model: Model,
    grid: Grid,
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

    /// The best optimum found, and the objective near each of those reached.
    ///
    /// The likelihood of the 2PL without a prior may have several maxima (steep
    /// items that change place between the same two nodes). Two starts that end
    /// together are taken as proof enough; otherwise more are tried. Only the
    /// best is pursued to the end.
    fn climb(&self, options: &FitOptions) -> (Outcome, Vec<f64>) {
        let exact = Stopping::exact(options.tolerance, options.max_cycles);
        if self.model != Model::TwoParameter {
            let outcome = acceleration::maximise(self, self.start(), &exact);
            let value = outcome.evaluation.value;
            return (outcome, vec![value]);
        }
        let near = Stopping::near(options.max_cycles);
        let from = |start: Vec<f64>| acceleration::maximise(self, start, &near);
        let (first, second) = rayon::join(|| from(self.start()), || from(self.gentle_start(&near)));
        let gap = (first.evaluation.value - second.evaluation.value).abs();
        let mut reached = vec![first, second];
        if gap > SAME_OPTIMUM * reached[0].evaluation.value.abs() {
            reached.push(from(self.start_with_slope(STEEP_SLOPE)));
        }
        let optima = reached.iter().map(|o| o.evaluation.value).collect();
        let best = reached
            .into_iter()
            .reduce(|best, o| if o.evaluation.value > best.evaluation.value { o } else { best })
            .expect("two starts at least");
        let mut outcome = acceleration::maximise(self, best.x, &exact);
        outcome.cycles += best.cycles;
        outcome.evaluations += best.evaluations;
        (outcome, optima)
    }

    /// Starting values of the 2PL: near the optimum under a prior that keeps the
    /// slopes moderate.
    fn gentle_start(&self, stopping: &Stopping) -> Vec<f64> {
        let model = Model::TwoParameterPrior(GENTLE_PRIOR);
        let moderate = Self { model, ..self.clone() };
        let near = acceleration::maximise(&moderate, moderate.start(), stopping);
        let (items, _) = moderate.unpack(&near.x);
        items.iter().flat_map(|item| [item.slope, item.intercept]).collect()
    }

    fn start_with_slope(&self, slope: f64) -> Vec<f64> {
        self.start().chunks(2).flat_map(|pair| [slope, pair[1]]).collect()
    }

    /// Starting values: intercepts from the share of right answers.
    fn start(&self) -> Vec<f64> {
        let n = self.sample.n_examinees();
        let intercepts = self.sample.item_correct().iter().map(|correct| {
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
    fn unpack(&self, x: &[f64]) -> (Vec<ItemParameters>, f64) {
        let k = self.sample.n_items();
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
                intercept: self.sample.item_correct()[j] - right,
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
        let n = self.sample.n_examinees();
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

    fn report(
        &self,
        outcome: Outcome,
        optima: Vec<f64>,
        used: Vec<usize>,
        dropped: Vec<super::DroppedItem>,
    ) -> IrtFit {
        let (items, variance) = self.unpack(&outcome.x);
        let State { expected, log_weights, .. } = self.state(&items, variance);
        let n = self.sample.n_examinees();
        let mass = n * log_sum_exp(&log_weights);
        let optima = optima.into_iter().map(|value| value - mass).collect();
        IrtFit {
            model: self.model,
            grid: self.grid,
            used,
            dropped,
            log_likelihood: expected.log_likelihood - mass,
            log_prior: self.log_prior(&items),
            n_parameters: self.model.n_parameters(items.len()),
            n_examinees_used: n as usize,
            convergence: self.convergence(&outcome, optima, &items),
            grid_adequacy: GridAdequacy::judge(&self.grid, variance, expected.smallest_sd),
            items,
            variance,
        }
    }

    fn log_prior(&self, items: &[ItemParameters]) -> f64 {
        match self.model {
            Model::TwoParameterPrior(prior) => {
                items.iter().map(|item| prior.log_density(item.slope)).sum()
            }
            _ => 0.0,
        }
    }

    fn convergence(
        &self,
        outcome: &Outcome,
        optima: Vec<f64>,
        items: &[ItemParameters],
    ) -> Convergence {
        let unidentified = self.unidentified(outcome);
        let at_bound = self.common().is_some_and(|c| outcome.x[c] <= self.lower_bound());
        let stop = match outcome.ending {
            Ending::Cycles => Stop::Cycles,
            Ending::Tolerance | Ending::Flat if !unidentified.is_empty() => Stop::SlopesDiverge,
            Ending::Tolerance if at_bound => Stop::VarianceAtBound,
            Ending::Tolerance => Stop::Tolerance,
            Ending::Flat | Ending::NoProgress => Stop::NoProgress,
        };
        Convergence {
            stop,
            converged: matches!(stop, Stop::Tolerance | Stop::VarianceAtBound),
            cycles: outcome.cycles,
            evaluations: outcome.evaluations,
            last_change: outcome.last_change,
            gradient_norm: outcome.gradient_norm(),
            optima,
            unidentified,
            negative_slopes: (0..items.len()).filter(|&j| items[j].slope < NEGATIVE).collect(),
        }
    }

    /// Items about whose slope the data say nothing at the end.
    fn unidentified(&self, outcome: &Outcome) -> Vec<usize> {
        let k = self.sample.n_items();
        let little = |block: &Block, scale: f64| match block {
            Block::Pair { spread, .. } => *spread < TOO_LITTLE_INFORMATION,
            Block::Single(information) => *information < TOO_LITTLE_INFORMATION * scale,
        };
        let moves = |c: usize, unit: f64| {
            outcome.ending == Ending::Flat && outcome.next_step[c].abs() > STILL_MOVING * unit
        };
        let blocks = &outcome.evaluation.blocks;
        match self.model {
            Model::Rasch | Model::TwoParameterPrior(_) => vec![],
            Model::TwoParameter => {
                let unit = |j: usize| outcome.x[2 * j].abs().max(1.0);
                (0..k).filter(|&j| little(&blocks[j], 1.0) || moves(2 * j, unit(j))).collect()
            }
            Model::OneParameter => {
                let vanishes = little(&blocks[k], self.scale(&outcome.x));
                let runs_away = vanishes && outcome.x[k] > self.lower_bound();
                if runs_away || moves(k, 1.0) { (0..k).collect() } else { vec![] }
            }
        }
    }

    /// Lower bound of the last coordinate of the models with a common slope.
    fn lower_bound(&self) -> f64 {
        match self.model {
            Model::OneParameter => 0.5 * LEAST_VARIANCE.ln(),
            _ => LEAST_VARIANCE.ln(),
        }
    }

    /// Information about the coordinate that all items share, per unit of
    /// information about the slope itself: the 1PL has the logarithm.
    fn scale(&self, x: &[f64]) -> f64 {
        match self.model {
            Model::OneParameter => (2.0 * x[self.sample.n_items()]).exp(),
            _ => 1.0,
        }
    }

    /// Index of the coordinate that all items share, if the model has one.
    fn common(&self) -> Option<usize> {
        match self.model {
            Model::Rasch | Model::OneParameter => Some(self.sample.n_items()),
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
    log_weights: Vec<f64>,
    expected: Expected,
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
        let vanishes = |information: f64| information < NO_INFORMATION * self.sample.n_examinees();
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
