//! Fits: from a matrix to estimates with an account of how they were reached.

use super::acceleration::{self, Block, Ending, Outcome, Stopping};
use super::marginal::{Marginal, State};
use super::preparation::{DroppedItem, admit, split_items};
use super::quadrature::log_sum_exp;
use super::{
    Convergence, FitOptions, Grid, GridAdequacy, IrtError, IrtFit, ItemParameters, LogNormal,
    Model, Stop,
};
use crate::data::Responses;

/// When the iterations end, a slope with less information than this is reported
/// as not identified: a standard error above 100.
const TOO_LITTLE_INFORMATION: f64 = 1e-4;
/// When the likelihood is flat, a slope that would still move by this share of
/// itself is running away.
const STILL_MOVING: f64 = 1e-6;
/// Slopes above this are not called negative: rounding around zero.
const NEGATIVE: f64 = -1e-8;
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

impl Marginal {
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
        let mut moderate = self.clone();
        moderate.model = model;
        let near = acceleration::maximise(&moderate, moderate.start(), stopping);
        let (items, _) = moderate.unpack(&near.x);
        items.iter().flat_map(|item| [item.slope, item.intercept]).collect()
    }

    fn start_with_slope(&self, slope: f64) -> Vec<f64> {
        self.start().chunks(2).flat_map(|pair| [slope, pair[1]]).collect()
    }

    fn report(
        &self,
        outcome: Outcome,
        optima: Vec<f64>,
        used: Vec<usize>,
        dropped: Vec<DroppedItem>,
    ) -> IrtFit {
        let (items, variance) = self.unpack(&outcome.x);
        let State { expected, log_weights, .. } = self.state(&items, variance);
        let n = self.sample.n_examinees;
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
        let k = self.sample.n_items;
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
}
