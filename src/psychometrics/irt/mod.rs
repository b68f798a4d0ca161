//! Item response theory: Rasch, 1PL and 2PL by marginal maximum likelihood,
//! 2PL with a prior on the slopes, scores and information.
//!
//! Slopes are on the logistic metric: P(theta) = 1 / (1 + exp(-(a theta + d))),
//! difficulty b = -d / a. The latent trait is N(0, variance); the Rasch model
//! fixes the slope at 1 and frees the variance, the others fix it at 1.
//!
//! [`fit`] ends at the fixed point of the EM algorithm on the given grid, by a
//! faster road. Everything else takes item
//! parameters as given, so that published ones can be used as well.

mod acceleration;
mod curves;
mod estimation;
pub mod information;
mod likelihood;
mod marginal;
mod preparation;
mod quadrature;
mod sample;
pub mod scoring;
mod simulation;
mod standard_errors;

use serde::{Deserialize, Serialize};

pub use estimation::{fit, fit_on_adequate_grid};
pub use marginal::LEAST_VARIANCE;
pub use preparation::{DropReason, DroppedItem};
pub use quadrature::{Grid, GridAdequacy};
pub use simulation::simulate;
pub use standard_errors::{StandardErrorMethod, StandardErrors, standard_errors};

/// Slope and intercept of an item.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ItemParameters {
    /// Discrimination a, logistic metric.
    pub slope: f64,
    /// Intercept d: the logit of a right answer at theta = 0.
    pub intercept: f64,
}

impl ItemParameters {
    /// Difficulty b = -d / a: where a right answer has probability 1/2; `None`
    /// for a slope of zero, when there is no such place.
    pub fn difficulty(&self) -> Option<f64> {
        let b = -self.intercept / self.slope;
        b.is_finite().then_some(b)
    }

    /// a theta + d.
    pub fn logit(&self, theta: f64) -> f64 {
        self.slope * theta + self.intercept
    }

    /// Probability of a right answer and of a wrong one, both accurate when tiny.
    pub fn probabilities(&self, theta: f64) -> (f64, f64) {
        let z = self.logit(theta);
        let e = (-z.abs()).exp();
        let (more, less) = (1.0 / (1.0 + e), e / (1.0 + e));
        if z >= 0.0 { (more, less) } else { (less, more) }
    }
}

/// A lognormal prior: ln(a) is normal.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LogNormal {
    /// Mean of the logarithm.
    pub mean_log: f64,
    /// Standard deviation of the logarithm.
    pub sd_log: f64,
}

impl LogNormal {
    /// Log density at `x` > 0.
    pub fn log_density(&self, x: f64) -> f64 {
        let z = (x.ln() - self.mean_log) / self.sd_log;
        -x.ln() - self.sd_log.ln() - 0.5 * (std::f64::consts::TAU.ln() + z * z)
    }
}

/// The models that [`fit`] estimates.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Model {
    /// Slope 1, free latent variance: k + 1 parameters.
    Rasch,
    /// One common slope, latent variance 1: k + 1 parameters.
    OneParameter,
    /// A slope for each item, of either sign: 2k parameters.
    TwoParameter,
    /// A slope for each item, positive, with a prior (maximum a posteriori): 2k.
    TwoParameterPrior(LogNormal),
}

impl Model {
    /// Free parameters with `k` items.
    pub fn n_parameters(&self, k: usize) -> usize {
        match self {
            Self::Rasch | Self::OneParameter => k + 1,
            Self::TwoParameter | Self::TwoParameterPrior(_) => 2 * k,
        }
    }
}

/// How to fit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FitOptions {
    /// Quadrature nodes.
    pub grid: Grid,
    /// The fit has converged when neither a step of the accelerated algorithm
    /// nor one of EM would move any parameter by more than this.
    pub tolerance: f64,
    /// Most cycles (each is at least one pass over the data).
    pub max_cycles: usize,
}

impl Default for FitOptions {
    /// Exact convergence on the reference grid.
    fn default() -> Self {
        Self { grid: Grid::reference(), tolerance: 1e-9, max_cycles: 2000 }
    }
}

/// What ended the iterations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stop {
    /// No parameter moves by more than the tolerance.
    Tolerance,
    /// The latent variance went to its lower bound: nothing in common is
    /// measured. The other parameters converged.
    VarianceAtBound,
    /// Some slopes grow without end while the likelihood no longer changes;
    /// the other parameters converged.
    SlopesDiverge,
    /// The cycles ran out.
    Cycles,
    /// No step improves the likelihood although the tolerance is not met.
    NoProgress,
}

/// Honest account of the end of the iterations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Convergence {
    /// What ended them.
    pub stop: Stop,
    /// Whether the estimates are a (local) maximum. Never with diverging slopes.
    pub converged: bool,
    /// Cycles done.
    pub cycles: usize,
    /// Passes over the data, line searches included.
    pub evaluations: usize,
    /// Largest change that the next step would make in a parameter.
    pub last_change: f64,
    /// Largest absolute derivative of the objective among free parameters.
    pub gradient_norm: f64,
    /// The objective (log-likelihood plus log prior) that each start reached; the
    /// fit is the best. Several different values mean several local maxima.
    pub optima: Vec<f64>,
    /// Items (as positions in [`IrtFit::items`]) whose slope is not identified:
    /// it grows without end, and the value reported is where it was left.
    pub unidentified: Vec<usize>,
    /// Items (as positions in [`IrtFit::items`]) with a negative slope.
    pub negative_slopes: Vec<usize>,
}

/// A fitted model.
///
/// `items` follows `used`, the items of the matrix that could be estimated:
/// constant items and items without answers carry no information about the
/// trait and are left out with their reason in `dropped`. Everything downstream
/// takes `responses.select_items(&fit.used)`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IrtFit {
    /// The model.
    pub model: Model,
    /// The grid it was fitted on.
    pub grid: Grid,
    /// Indices of the items estimated, in the matrix given.
    pub used: Vec<usize>,
    /// The others, and why.
    pub dropped: Vec<DroppedItem>,
    /// Estimates, one per entry of `used`.
    pub items: Vec<ItemParameters>,
    /// Latent variance (1 unless the model frees it).
    pub variance: f64,
    /// Marginal log-likelihood, weights normalised on the grid, prior excluded.
    /// When slopes diverge it is a lower bound of the supremum.
    pub log_likelihood: f64,
    /// Log density of the priors at the estimates (0 without priors).
    pub log_prior: f64,
    /// Free parameters.
    pub n_parameters: usize,
    /// Examinees with at least one answer to the items used.
    pub n_examinees_used: usize,
    /// How the iterations ended.
    pub convergence: Convergence,
    /// Whether the grid suits the fit.
    pub grid_adequacy: GridAdequacy,
}

impl IrtFit {
    /// Akaike's criterion, -2 log L + 2 p.
    pub fn aic(&self) -> f64 {
        -2.0 * self.log_likelihood + 2.0 * self.n_parameters as f64
    }

    /// Schwarz's criterion, -2 log L + p ln N.
    pub fn bic(&self) -> f64 {
        self.penalised((self.n_examinees_used as f64).ln())
    }

    /// Schwarz's criterion adjusted for sample size (Sclove, 1987):
    /// -2 log L + p ln((N + 2) / 24).
    pub fn sabic(&self) -> f64 {
        self.penalised(((self.n_examinees_used as f64 + 2.0) / 24.0).ln())
    }

    fn penalised(&self, per_parameter: f64) -> f64 {
        -2.0 * self.log_likelihood + per_parameter * self.n_parameters as f64
    }
}

/// Why a model cannot be fitted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum IrtError {
    /// No examinee has any answer.
    NoExaminees,
    /// A single examinee: nothing varies.
    OneExaminee,
    /// Fewer different patterns than parameters need: 2^k - 1 must exceed the
    /// number of free parameters (mirt's rule; two items never suffice).
    TooFewItems {
        /// Items that vary.
        k: usize,
        /// Free parameters of the model.
        n_parameters: usize,
        /// The items left out, and why.
        dropped: Vec<DroppedItem>,
    },
    /// A prior without a positive, finite standard deviation or finite mean.
    InvalidPrior,
    /// A tolerance or a number of cycles that is not positive.
    InvalidOptions,
}

impl std::fmt::Display for IrtError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoExaminees => write!(f, "no examinee has any answer"),
            Self::OneExaminee => write!(f, "a single examinee: nothing varies"),
            Self::TooFewItems { k, n_parameters, .. } => {
                write!(f, "{k} items that vary are too few for {n_parameters} parameters")
            }
            Self::InvalidPrior => write!(f, "the prior on the slopes is not a lognormal density"),
            Self::InvalidOptions => write!(f, "tolerance and cycles must be positive"),
        }
    }
}

impl std::error::Error for IrtError {}
