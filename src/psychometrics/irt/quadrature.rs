//! Quadrature over the latent trait: equally spaced nodes and normal weights.
//!
//! The nodes never move with the latent variance, as in the reference program
//! (mirt): published numbers can be rebuilt, at the price of cutting the tails
//! off when the latent standard deviation is large. [`GridAdequacy`] says when
//! that happens and [`Grid::adequate_for`] chooses a grid where it does not.

use serde::{Deserialize, Serialize};

/// Equally spaced nodes on a closed interval of the latent trait (in logits).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Grid {
    points: usize,
    from: f64,
    to: f64,
}

/// An adequate grid reaches at least this many latent standard deviations.
const REACH_NEEDED: f64 = 5.0;
/// Nodes this far below the best one (in log-likelihood) get no mass: 4e-44 of
/// an examinee changes no sum in double precision, and most nodes are there.
const NEGLIGIBLE: f64 = -100.0;
/// The step of an adequate grid, in units of the smallest posterior deviation.
const STEP_ALLOWED: f64 = 0.5;
/// Reach of the grid that we choose: one deviation of margin over what is
/// needed, so that the variance found on it still finds the grid adequate.
const REACH_CHOSEN: f64 = 6.0;
/// Largest grid that [`Grid::adequate_for`] proposes.
const MOST_POINTS: usize = 2001;

impl Grid {
    /// `points` nodes from `from` to `to`; `None` unless there are at least
    /// three and the interval is finite and not empty.
    pub fn uniform(points: usize, from: f64, to: f64) -> Option<Self> {
        let valid = points >= 3 && from.is_finite() && to.is_finite() && from < to;
        valid.then_some(Self { points, from, to })
    }

    /// The grid on which the reference program estimates: 61 nodes on [-6, 6].
    pub fn reference() -> Self {
        Self { points: 61, from: -6.0, to: 6.0 }
    }

    /// The grid for scores that belongs to this estimation grid: the same range
    /// with half the step (121 nodes for the reference grid, as mirt scores).
    pub fn scoring(&self) -> Self {
        Self { points: 2 * self.points - 1, ..*self }
    }

    /// A symmetric grid wide and fine enough for a latent variance and for the
    /// smallest posterior standard deviation among the examinees.
    pub fn adequate_for(variance: f64, smallest_posterior_sd: f64) -> Self {
        let reach = (REACH_CHOSEN * variance.max(0.0).sqrt()).ceil().max(6.0);
        // A third of margin below the allowed step: on the new grid the smallest
        // deviation will not be exactly the same.
        let step = (STEP_ALLOWED * smallest_posterior_sd / 1.5).clamp(1e-3, 0.2);
        let half = (reach / step).ceil().min((MOST_POINTS / 2) as f64) as usize;
        Self { points: 2 * half + 1, from: -reach, to: reach }
    }

    /// Number of nodes.
    pub fn points(&self) -> usize {
        self.points
    }

    /// First and last node.
    pub fn range(&self) -> (f64, f64) {
        (self.from, self.to)
    }

    /// Distance between neighbouring nodes.
    pub fn step(&self) -> f64 {
        (self.to - self.from) / (self.points - 1) as f64
    }

    /// The nodes, ascending.
    pub fn nodes(&self) -> Vec<f64> {
        (0..self.points).map(|q| self.from + q as f64 * self.step()).collect()
    }

    /// Logarithms of the weights of N(0, `variance`), normalised to sum one on
    /// the grid.
    pub fn log_weights(&self, variance: f64) -> Vec<f64> {
        let mut log_weights = self.log_kernel(variance);
        let total = log_sum_exp(&log_weights);
        log_weights.iter_mut().for_each(|w| *w -= total);
        log_weights
    }

    /// Logarithm of exp(-theta^2 / (2 variance)) at each node: the normal
    /// density without its constant.
    pub(super) fn log_kernel(&self, variance: f64) -> Vec<f64> {
        self.nodes().iter().map(|t| -t * t / (2.0 * variance)).collect()
    }
}

/// Whether a grid is wide and fine enough for the fit made on it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct GridAdequacy {
    /// Distance from 0 to the nearer end, in latent standard deviations.
    pub reach_in_sd: f64,
    /// Distance between nodes, in units of the smallest posterior standard
    /// deviation.
    pub step_in_posterior_sd: f64,
    /// Smallest posterior standard deviation among the examinees (logits).
    pub smallest_posterior_sd: f64,
    /// The grid reaches at least 5 latent standard deviations and its step is
    /// at most half the smallest posterior one.
    pub adequate: bool,
}

impl GridAdequacy {
    /// Judges `grid` for a latent variance and the smallest posterior deviation.
    pub fn judge(grid: &Grid, variance: f64, smallest_posterior_sd: f64) -> Self {
        let reach_in_sd = grid.to.min(-grid.from) / variance.sqrt().max(f64::MIN_POSITIVE);
        let step_in_posterior_sd = grid.step() / smallest_posterior_sd.max(1e-12);
        Self {
            reach_in_sd,
            step_in_posterior_sd,
            smallest_posterior_sd,
            adequate: reach_in_sd >= REACH_NEEDED && step_in_posterior_sd <= STEP_ALLOWED,
        }
    }
}

/// ln(sum(exp(x))) without overflow; minus infinity for an empty slice.
pub(super) fn log_sum_exp(x: &[f64]) -> f64 {
    let top = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if top == f64::NEG_INFINITY {
        return top;
    }
    top + x.iter().map(|v| (v - top).exp()).sum::<f64>().ln()
}

/// What a posterior over the nodes says of the trait.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moments {
    /// log of the sum of weight times likelihood.
    pub log_sum: f64,
    /// Posterior mean.
    pub mean: f64,
    /// Posterior variance.
    pub variance: f64,
}

impl Moments {
    /// Fills `posterior` (proportional to exp(base + node * score), sum one) and
    /// returns its moments.
    pub fn of_posterior(base: &[f64], score: f64, nodes: &[f64], posterior: &mut [f64]) -> Self {
        let mut top = f64::NEG_INFINITY;
        for ((p, b), t) in posterior.iter_mut().zip(base).zip(nodes) {
            *p = b + t * score;
            top = top.max(*p);
        }
        let mut sum = 0.0;
        for p in posterior.iter_mut() {
            *p = if *p - top < NEGLIGIBLE { 0.0 } else { (*p - top).exp() };
            sum += *p;
        }
        posterior.iter_mut().for_each(|p| *p /= sum);
        let mean: f64 = posterior.iter().zip(nodes).map(|(p, t)| p * t).sum();
        let variance = posterior.iter().zip(nodes).map(|(p, t)| p * (t - mean).powi(2)).sum();
        Self { log_sum: top + sum.ln(), mean, variance }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reference_grid_has_a_node_every_fifth_of_a_logit() {
        let nodes = Grid::reference().nodes();
        assert_eq!((nodes.len(), nodes[0], nodes[60]), (61, -6.0, 6.0));
        assert!((nodes[31] - 0.2).abs() < 1e-14, "one rounding of 31 x 0.2");
        assert_eq!(Grid::reference().scoring().points(), 121);
    }

    #[test]
    fn weights_sum_to_one_even_when_they_underflow() {
        for variance in [1e-4, 1.0, 9.0] {
            let total: f64 = Grid::reference().log_weights(variance).iter().map(|w| w.exp()).sum();
            assert!((total - 1.0).abs() < 1e-13, "sum of 61 rounded terms: {total}");
        }
    }

    #[test]
    fn nonsense_grids_are_refused() {
        assert!(Grid::uniform(2, -1.0, 1.0).is_none());
        assert!(Grid::uniform(61, 6.0, -6.0).is_none());
        assert!(Grid::uniform(61, f64::NAN, 6.0).is_none());
    }

    #[test]
    fn the_grid_chosen_for_a_fit_is_adequate_for_it() {
        for (variance, sd) in [(1.0, 0.4), (3.87, 0.15), (9.0, 0.05)] {
            let grid = Grid::adequate_for(variance, sd);
            assert!(GridAdequacy::judge(&grid, variance, sd).adequate, "{grid:?}");
        }
        assert!(!GridAdequacy::judge(&Grid::reference(), 3.77, 0.2).adequate);
    }
}
