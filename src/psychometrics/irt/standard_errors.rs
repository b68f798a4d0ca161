//! Standard errors of the parameters, from the observed information.
//!
//! Louis (1982): the observed information is the expected complete-data
//! information minus the posterior covariance of the complete-data score, summed
//! over examinees. The score of an item at a node is (x - P) (theta, 1); the
//! nodes that hold posterior mass are few, so that the covariance of all the
//! parameters is a product of tall matrices. Where even that is too much work,
//! each item is taken alone, as if the others were known.

use faer::linalg::solvers::DenseSolveCore;
use faer::{Mat, MatRef, Side};
use serde::{Deserialize, Serialize};

use super::likelihood::UnitView;
use super::marginal::{Marginal, State};
use super::{IrtFit, ItemParameters, Model, Stop};
use crate::data::Responses;

/// Posterior mass below which a node is left out of a covariance: its share of
/// the information is of the same order.
const NEGLIGIBLE_MASS: f64 = 1e-12;
/// Most multiplications for the information of all parameters together (about
/// one second).
const MOST_WORK: f64 = 1e10;
/// Rows gathered before they are multiplied.
const BATCH: usize = 2048;

/// How the errors were obtained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum StandardErrorMethod {
    /// From the observed information of all parameters together.
    Joint,
    /// Item by item, as if everything else were known: too small, mostly for the
    /// difficulties.
    ItemBlocks,
}

/// Standard errors in the order of [`IrtFit::items`]. Parameters that are fixed,
/// not identified or at a bound have none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StandardErrors {
    /// How they were obtained.
    pub method: StandardErrorMethod,
    /// Slopes; `None` where fixed at 1. The common slope of the 1PL is repeated.
    pub slope: Vec<Option<f64>>,
    /// Intercepts.
    pub intercept: Vec<Option<f64>>,
    /// Difficulties (delta method).
    pub difficulty: Vec<Option<f64>>,
    /// Latent variance, where free.
    pub variance: Option<f64>,
}

/// Standard errors of `fit`, made from `responses` (with all its items).
pub fn standard_errors(responses: &Responses, fit: &IrtFit) -> StandardErrors {
    let marginal = Marginal::new(&responses.select_items(&fit.used), fit.model, fit.grid);
    let state = marginal.state(&fit.items, fit.variance);
    let layout = Layout::new(fit);
    let joint = layout.joint(fit, &state);
    let covariances = joint.unwrap_or_else(|| layout.item_blocks(fit, &state));
    covariances.errors(fit)
}

/// Covariances of the estimates that standard errors need.
struct Covariances {
    method: StandardErrorMethod,
    /// Variance of the slope, covariance, variance of the intercept.
    items: Vec<Option<[f64; 3]>>,
    /// Variance of the latent variance's estimate.
    variance: Option<f64>,
}

impl Covariances {
    fn errors(&self, fit: &IrtFit) -> StandardErrors {
        let error = |variance: f64| (variance > 0.0).then(|| variance.sqrt());
        let each = |f: fn(&[f64; 3], &ItemParameters) -> f64| -> Vec<Option<f64>> {
            let pairs = self.items.iter().zip(&fit.items);
            pairs.map(|(c, item)| c.as_ref().and_then(|c| error(f(c, item)))).collect()
        };
        StandardErrors {
            method: self.method,
            slope: each(|c, _| c[0]),
            intercept: each(|c, _| c[2]),
            difficulty: each(|[aa, ad, dd], item| {
                // b = -d / a: db/da = d / a^2, db/dd = -1 / a.
                let (by_slope, by_intercept) =
                    (item.intercept / item.slope.powi(2), -1.0 / item.slope);
                by_slope * by_slope * aa
                    + 2.0 * by_slope * by_intercept * ad
                    + by_intercept * by_intercept * dd
            }),
            variance: self.variance.and_then(error),
        }
    }
}

/// Which column of the information each free parameter has.
struct Layout {
    /// Slope and intercept of each item.
    items: Vec<(Option<usize>, Option<usize>)>,
    /// Common slope or latent variance.
    common: Option<usize>,
    n_columns: usize,
}

impl Layout {
    fn new(fit: &IrtFit) -> Self {
        let mut n_columns = 0;
        let mut column = |free: bool| {
            n_columns += usize::from(free);
            free.then(|| n_columns - 1)
        };
        let own_slopes = matches!(fit.model, Model::TwoParameter | Model::TwoParameterPrior(_));
        let items = (0..fit.items.len())
            .map(|j| {
                let free = fit.convergence.unidentified.binary_search(&j).is_err();
                (column(free && own_slopes), column(free))
            })
            .collect();
        let at_bound = fit.convergence.stop == Stop::VarianceAtBound;
        let common = column(!own_slopes && !at_bound && fit.convergence.unidentified.is_empty());
        Self { items, common, n_columns }
    }

    /// From the information of everything together; `None` when that is too much
    /// work or not positive definite.
    fn joint(&self, fit: &IrtFit, state: &State) -> Option<Covariances> {
        if self.n_columns == 0 {
            return None;
        }
        let mut n_rows = 0.0;
        state.for_each_unit(|unit| n_rows += heavy_nodes(&unit).count() as f64);
        if n_rows * (self.n_columns as f64).powi(2) > MOST_WORK {
            return None;
        }
        let mut information = self.complete_information(fit, state);
        let mut rows: Vec<f64> = vec![];
        let subtract = |information: &mut Mat<f64>, rows: &mut Vec<f64>| {
            let tall =
                MatRef::from_row_major_slice(rows, rows.len() / self.n_columns, self.n_columns);
            *information -= tall.transpose() * tall;
            rows.clear();
        };
        state.for_each_unit(|unit| {
            self.push_centred_scores(fit, state, &unit, &mut rows);
            if rows.len() > BATCH * self.n_columns {
                subtract(&mut information, &mut rows);
            }
        });
        subtract(&mut information, &mut rows);
        let inverse = information.llt(Side::Lower).ok()?.inverse();
        let entry = |a: Option<usize>, b: Option<usize>| match (a, b) {
            (Some(a), Some(b)) => inverse[(a, b)],
            _ => 0.0,
        };
        let item = |&(own, intercept): &(Option<usize>, Option<usize>)| {
            let slope = if fit.model == Model::OneParameter { self.common } else { own };
            intercept?;
            Some([entry(slope, slope), entry(slope, intercept), entry(intercept, intercept)])
        };
        let variance = self.common.filter(|_| fit.model == Model::Rasch);
        Some(Covariances {
            method: StandardErrorMethod::Joint,
            items: self.items.iter().map(item).collect(),
            variance: variance.map(|c| inverse[(c, c)]),
        })
    }

    /// Item by item.
    fn item_blocks(&self, fit: &IrtFit, state: &State) -> Covariances {
        let mut blocks: Vec<[f64; 3]> =
            (0..self.items.len()).map(|j| self.complete_block(fit, state, j)).collect();
        state.for_each_unit(|unit| {
            for (j, block) in blocks.iter_mut().enumerate() {
                if unit.answered(j) {
                    let lost = score_covariance(state, &unit, j);
                    block.iter_mut().zip(lost).for_each(|(b, l)| *b -= l);
                }
            }
        });
        let invert = |(columns, [aa, ad, dd]): (&(Option<usize>, Option<usize>), &[f64; 3])| {
            columns.1?;
            if columns.0.is_none() {
                return Some([0.0, 0.0, 1.0 / dd]);
            }
            let determinant = aa * dd - ad * ad;
            (determinant > 0.0).then(|| [dd / determinant, -ad / determinant, aa / determinant])
        };
        Covariances {
            method: StandardErrorMethod::ItemBlocks,
            items: self.items.iter().zip(&blocks).map(invert).collect(),
            variance: None,
        }
    }

    /// Information of an item if the trait were seen, with its prior.
    fn complete_block(&self, fit: &IrtFit, state: &State, j: usize) -> [f64; 3] {
        let [mut aa, ad, dd] = state.complete_information(j);
        if let Model::TwoParameterPrior(prior) = fit.model {
            let (a, precision) = (fit.items[j].slope, prior.sd_log.powi(-2));
            aa += (precision - 1.0 - (a.ln() - prior.mean_log) * precision) / (a * a);
        }
        [aa, ad, dd]
    }

    fn complete_information(&self, fit: &IrtFit, state: &State) -> Mat<f64> {
        let mut information = Mat::zeros(self.n_columns, self.n_columns);
        let mut add = |a: Option<usize>, b: Option<usize>, value: f64| {
            if let (Some(a), Some(b)) = (a, b) {
                information[(a, b)] += value;
                if a != b {
                    information[(b, a)] += value;
                }
            }
        };
        for (j, &(own, intercept)) in self.items.iter().enumerate() {
            let [aa, ad, dd] = self.complete_block(fit, state, j);
            let slope = if fit.model == Model::OneParameter { self.common } else { own };
            add(slope, slope, aa);
            add(slope, intercept, ad);
            add(intercept, intercept, dd);
        }
        if fit.model == Model::Rasch {
            let n = fit.n_examinees_used as f64;
            add(self.common, self.common, 0.5 * n / fit.variance.powi(2));
        }
        information
    }

    /// Adds a row for each node that holds mass: the scores of all parameters,
    /// centred at their posterior means, times the root of the mass.
    fn push_centred_scores(
        &self,
        fit: &IrtFit,
        state: &State,
        unit: &UnitView,
        rows: &mut Vec<f64>,
    ) {
        let start = rows.len();
        let mut mean = vec![0.0; self.n_columns];
        for q in heavy_nodes(unit) {
            let at = rows.len();
            rows.resize(at + self.n_columns, 0.0);
            self.scores(fit, state, unit, q, &mut rows[at..]);
            let mass = unit.posterior[q];
            mean.iter_mut().zip(&rows[at..]).for_each(|(m, s)| *m += mass * s);
        }
        for (row, q) in rows[start..].chunks_mut(self.n_columns).zip(heavy_nodes(unit)) {
            let root = (unit.weight * unit.posterior[q]).sqrt();
            row.iter_mut().zip(&mean).for_each(|(s, m)| *s = root * (*s - m));
        }
    }

    /// Complete-data scores of a unit at node `q`.
    fn scores(&self, fit: &IrtFit, state: &State, unit: &UnitView, q: usize, row: &mut [f64]) {
        let theta = state.nodes[q];
        let mut common = 0.0;
        for (j, &(slope, intercept)) in self.items.iter().enumerate() {
            if !unit.answered(j) {
                continue;
            }
            let residual = state.residual(unit, j, q);
            if let Some(c) = intercept {
                row[c] = residual;
            }
            if let Some(c) = slope {
                row[c] = theta * residual;
            }
            common += theta * residual;
        }
        if let Some(c) = self.common {
            row[c] = match fit.model {
                Model::Rasch => 0.5 * (theta / fit.variance).powi(2),
                // The residuals of a unit known by its total lack its answers.
                _ => common + theta * unit.total,
            };
        }
    }
}

fn heavy_nodes(unit: &UnitView) -> impl Iterator<Item = usize> {
    let posterior = unit.posterior;
    (0..posterior.len()).filter(move |&q| posterior[q] > NEGLIGIBLE_MASS)
}

/// Posterior covariance of an item's two scores, times the unit's weight.
fn score_covariance(state: &State, unit: &UnitView, j: usize) -> [f64; 3] {
    let (mut mean, mut raw) = ([0.0; 2], [0.0; 3]);
    for q in heavy_nodes(unit) {
        let residual = state.residual(unit, j, q);
        let (slope, mass) = (state.nodes[q] * residual, unit.posterior[q]);
        mean[0] += mass * slope;
        mean[1] += mass * residual;
        raw[0] += mass * slope * slope;
        raw[1] += mass * slope * residual;
        raw[2] += mass * residual * residual;
    }
    let [a, d] = mean;
    [raw[0] - a * a, raw[1] - a * d, raw[2] - d * d].map(|c| unit.weight * c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::psychometrics::irt::acceleration::Problem;
    use crate::psychometrics::irt::{self, FitOptions, LogNormal};

    fn data(n: usize) -> Responses {
        let like = Responses::from_fn(n, 6, |i, j| ((i + 2 * j) % 11 != 0).then_some(true));
        let item =
            |j| ItemParameters { slope: 0.8 + 0.2 * j as f64, intercept: 1.0 - 0.4 * j as f64 };
        irt::simulate(&like, &(0..6).map(item).collect::<Vec<_>>(), 1.0, 5, 0)
    }

    /// Inverse of minus the derivative of the exact gradient, by central
    /// differences, in the coordinates of the maximisation.
    fn numerical_covariance(data: &Responses, fit: &IrtFit, x: &[f64]) -> Mat<f64> {
        let marginal = Marginal::new(data, fit.model, fit.grid);
        let h = 1e-4;
        let column = |c: usize| {
            let at = |sign: f64| {
                let mut x = x.to_vec();
                x[c] += sign * h;
                marginal.evaluate(&x).gradient
            };
            let (up, down) = (at(1.0), at(-1.0));
            up.iter().zip(down).map(|(u, d)| (d - u) / (2.0 * h)).collect::<Vec<f64>>()
        };
        let columns: Vec<Vec<f64>> = (0..x.len()).map(column).collect();
        let information = Mat::from_fn(x.len(), x.len(), |i, j| columns[j][i]);
        information.partial_piv_lu().inverse()
    }

    fn fitted(data: &Responses, model: Model) -> (IrtFit, StandardErrors) {
        let fit = irt::fit(data, model, &FitOptions::default()).unwrap();
        assert!(fit.convergence.converged);
        let errors = standard_errors(data, &fit);
        assert_eq!(errors.method, StandardErrorMethod::Joint);
        (fit, errors)
    }

    fn assert_close(ours: f64, reference: f64) {
        // The error of a central difference, 1e-8, through the inverse.
        assert!((ours - reference).abs() < 1e-6 * reference, "{ours} against {reference}");
    }

    #[test]
    fn two_parameter_errors_are_the_curvature_of_the_likelihood() {
        let data = data(400);
        let (fit, errors) = fitted(&data, Model::TwoParameter);
        let x: Vec<f64> = fit.items.iter().flat_map(|i| [i.slope, i.intercept]).collect();
        let covariance = numerical_covariance(&data, &fit, &x);
        for j in 0..6 {
            assert_close(errors.slope[j].unwrap(), covariance[(2 * j, 2 * j)].sqrt());
            assert_close(errors.intercept[j].unwrap(), covariance[(2 * j + 1, 2 * j + 1)].sqrt());
        }
    }

    #[test]
    fn with_a_prior_they_are_the_curvature_of_the_posterior() {
        let data = data(300);
        let prior = LogNormal { mean_log: 0.5, sd_log: 0.5 };
        let (fit, errors) = fitted(&data, Model::TwoParameterPrior(prior));
        let x: Vec<f64> = fit.items.iter().flat_map(|i| [i.slope.ln(), i.intercept]).collect();
        let covariance = numerical_covariance(&data, &fit, &x);
        for j in 0..6 {
            // At the maximum the change of coordinates scales the slope only.
            let slope = fit.items[j].slope * covariance[(2 * j, 2 * j)].sqrt();
            assert_close(errors.slope[j].unwrap(), slope);
            assert_close(errors.intercept[j].unwrap(), covariance[(2 * j + 1, 2 * j + 1)].sqrt());
        }
    }

    #[test]
    fn rasch_errors_include_the_uncertainty_of_the_variance() {
        let data = data(300);
        let (fit, errors) = fitted(&data, Model::Rasch);
        let mut x: Vec<f64> = fit.items.iter().map(|i| i.intercept).collect();
        x.push(fit.variance.ln());
        let covariance = numerical_covariance(&data, &fit, &x);
        for j in 0..6 {
            assert_close(errors.intercept[j].unwrap(), covariance[(j, j)].sqrt());
            assert_eq!(errors.difficulty[j], errors.intercept[j], "b = -d");
            assert_eq!(errors.slope[j], None);
        }
        assert_close(errors.variance.unwrap(), fit.variance * covariance[(6, 6)].sqrt());
    }

    #[test]
    fn the_common_slope_has_the_same_error_everywhere() {
        let data = data(300);
        let (fit, errors) = fitted(&data, Model::OneParameter);
        let slope = fit.items[0].slope;
        let mut x: Vec<f64> = fit.items.iter().map(|i| i.intercept / slope).collect();
        x.push(slope.ln());
        let covariance = numerical_covariance(&data, &fit, &x);
        for j in 0..6 {
            assert_close(errors.slope[j].unwrap(), slope * covariance[(6, 6)].sqrt());
            assert_close(errors.difficulty[j].unwrap(), covariance[(j, j)].sqrt());
        }
    }

    #[test]
    fn a_slope_that_runs_away_has_no_error_and_the_others_do() {
        // The last item is right exactly when three of the others are.
        let base = data(60);
        let totals = base.totals();
        let data =
            Responses::from_fn(
                60,
                7,
                |i, j| {
                    if j == 6 { Some(totals[i] >= 3) } else { base.get(i, j) }
                },
            );
        let fit = irt::fit(&data, Model::TwoParameter, &FitOptions::default()).unwrap();
        let errors = standard_errors(&data, &fit);
        assert!(fit.convergence.unidentified.contains(&6), "{:?}", fit.convergence);
        assert_eq!((errors.slope[6], errors.difficulty[6]), (None, None));
        assert!(errors.slope[0].is_some());
    }

    #[test]
    fn when_nothing_is_identified_there_are_no_errors() {
        // Three items that agree to the last examinee.
        let data = Responses::from_fn(12, 3, |i, _| Some(i < 5));
        let fit = irt::fit(&data, Model::TwoParameter, &FitOptions::default()).unwrap();
        assert_eq!(fit.convergence.unidentified, [0, 1, 2]);
        assert_eq!(standard_errors(&data, &fit).slope, [None; 3]);
    }

    #[test]
    fn item_blocks_ignore_the_others_and_come_out_smaller() {
        let data = data(300);
        let (fit, joint) = fitted(&data, Model::TwoParameter);
        let marginal = Marginal::new(&data, fit.model, fit.grid);
        let state = marginal.state(&fit.items, fit.variance);
        let blocks = Layout::new(&fit).item_blocks(&fit, &state).errors(&fit);
        assert_eq!(blocks.method, StandardErrorMethod::ItemBlocks);
        for (alone, together) in blocks.slope.iter().zip(&joint.slope) {
            assert!(alone.unwrap() <= together.unwrap());
        }
    }
}
