//! What changes when a decision of the analysis changes: the grid, who is in, which
//! items are in.

use serde::{Deserialize, Serialize};

use super::irt::scoring::{Score, eap};
use super::irt::{self, FitOptions, IrtError, IrtFit, Model};
use super::resampling::TestStatistics;
use super::{Undefined, stats};
use crate::data::Responses;

/// Part of a matrix and how its Rasch model is fitted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decisions {
    /// Examinees that stay, as positions in the whole matrix, ascending.
    pub examinees: Vec<usize>,
    /// Items that stay, as positions in the whole matrix, ascending.
    pub items: Vec<usize>,
    /// How to fit; with `adequate_grid`, its grid is only where to begin.
    pub fit: FitOptions,
    /// Whether to widen the grid until it suits the fit.
    pub adequate_grid: bool,
}

/// The results under some decisions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Variant {
    /// The decisions.
    pub decisions: Decisions,
    /// Classical statistics and eigenvalues.
    pub statistics: TestStatistics,
    /// Items with variance.
    pub k: usize,
    /// The Rasch model and its EAP scores.
    pub model: Result<(IrtFit, Vec<Option<Score>>), IrtError>,
    totals: Vec<u32>,
}

/// The results under `decisions`.
pub fn analyse(responses: &Responses, decisions: Decisions) -> Variant {
    let part = responses.select_items(&decisions.items).select_examinees(&decisions.examinees);
    let fit = if decisions.adequate_grid { irt::fit_on_adequate_grid } else { irt::fit };
    let model = fit(&part, Model::Rasch, &decisions.fit).map(|fit| {
        let used = part.select_items(&fit.used);
        let scores = eap(&used, &fit.items, fit.variance, &fit.grid.scoring());
        (fit, scores)
    });
    Variant {
        statistics: TestStatistics::of(&part),
        k: part.varying_items().len(),
        model,
        totals: part.totals(),
        decisions,
    }
}

/// How a variant differs from another over what both have in common.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// Correlation of the EAP scores.
    pub theta_r: Result<f64, Undefined>,
    /// Mean of the difficulties less those of the other, in logits: a change of
    /// origin when examinees differ, as the mean trait is fixed at zero.
    pub difficulty_shift: Result<f64, Undefined>,
    /// Largest absolute difference of a difficulty.
    pub difficulty_largest: Result<f64, Undefined>,
    /// Correlation of the difficulties.
    pub difficulty_r: Result<f64, Undefined>,
    /// Spearman's correlation of the totals.
    pub total_spearman: Result<f64, Undefined>,
}

impl Variant {
    /// The change from `reference` to this variant.
    pub fn change_from(&self, reference: &Self) -> Change {
        let totals = |v: &Self| paired(&v.decisions.examinees, &v.totals, |&t| Some(f64::from(t)));
        let (theirs, ours) = common(&totals(reference), &totals(self));
        let (their_theta, theta) = common(&reference.thetas(), &self.thetas());
        let (their_b, b) = common(&reference.difficulties(), &self.difficulties());
        let shifts: Vec<f64> = b.iter().zip(&their_b).map(|(b, theirs)| b - theirs).collect();
        let sizes: Vec<f64> = shifts.iter().map(|shift| shift.abs()).collect();
        Change {
            theta_r: stats::pearson(&their_theta, &theta),
            difficulty_shift: stats::mean(&shifts),
            difficulty_largest: stats::quantile7(&sizes, 1.0),
            difficulty_r: stats::pearson(&their_b, &b),
            total_spearman: stats::spearman(&theirs, &ours),
        }
    }

    fn thetas(&self) -> Vec<(usize, f64)> {
        let scores = self.model.as_ref().map_or(&[][..], |(_, scores)| scores);
        paired(&self.decisions.examinees, scores, |score| score.map(|score| score.theta))
    }

    fn difficulties(&self) -> Vec<(usize, f64)> {
        let Ok((fit, _)) = &self.model else { return vec![] };
        let used: Vec<usize> = fit.used.iter().map(|&j| self.decisions.items[j]).collect();
        paired(&used, &fit.items, irt::ItemParameters::difficulty)
    }
}

/// Values with the position in the whole matrix of what they belong to.
fn paired<T>(
    positions: &[usize],
    values: &[T],
    value: impl Fn(&T) -> Option<f64>,
) -> Vec<(usize, f64)> {
    positions.iter().zip(values).filter_map(|(&at, v)| Some((at, value(v)?))).collect()
}

/// The values of the positions that both have; both ascending.
fn common(a: &[(usize, f64)], b: &[(usize, f64)]) -> (Vec<f64>, Vec<f64>) {
    let find = |&(at, value): &(usize, f64)| {
        let other = b.binary_search_by_key(&at, |&(at, _)| at).ok()?;
        Some((value, b[other].1))
    };
    a.iter().filter_map(find).unzip()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Responses {
        let like = Responses::from_fn(200, 15, |_, _| Some(true));
        let item = |j: usize| irt::ItemParameters { slope: 1.0, intercept: 1.5 - 0.2 * j as f64 };
        irt::simulate(&like, &(0..15).map(item).collect::<Vec<_>>(), 6.0, 3, 0)
    }

    fn all() -> Decisions {
        Decisions {
            examinees: (0..200).collect(),
            items: (0..15).collect(),
            fit: FitOptions::default(),
            adequate_grid: false,
        }
    }

    #[test]
    fn nothing_changes_from_a_variant_to_itself() {
        let whole = analyse(&example(), all());
        let change = whole.change_from(&whole);
        assert_eq!(change.difficulty_shift, Ok(0.0));
        assert_eq!(change.difficulty_largest, Ok(0.0));
        for r in [change.theta_r, change.difficulty_r, change.total_spearman] {
            assert!((r.unwrap() - 1.0).abs() < 1e-14, "one product rounded");
        }
    }

    #[test]
    fn a_wider_grid_changes_the_variance_when_the_first_was_too_narrow() {
        let m = example();
        let narrow = analyse(&m, all());
        let wide = analyse(&m, Decisions { adequate_grid: true, ..all() });
        let variance = |v: &Variant| v.model.as_ref().unwrap().0.variance;
        assert!(!narrow.model.as_ref().unwrap().0.grid_adequacy.adequate);
        assert!(variance(&wide) > variance(&narrow));
        assert!(wide.change_from(&narrow).theta_r.unwrap() > 0.99);
    }

    #[test]
    fn parts_are_compared_over_what_they_share() {
        let m = example();
        let whole = analyse(&m, all());
        let part = Decisions {
            examinees: (50..200).collect(),
            items: (0..15).filter(|j| j % 5 != 2).collect(),
            ..all()
        };
        let part = analyse(&m, part);
        assert_eq!(part.k, 12);
        let change = part.change_from(&whole);
        assert!(change.total_spearman.unwrap() > 0.9 && change.difficulty_r.unwrap() > 0.9);
        assert_eq!(common(&[(1, 0.1), (3, 0.3)], &[(0, 9.0), (3, 7.0)]), (vec![0.3], vec![7.0]));
    }

    #[test]
    fn without_a_model_the_rest_still_has_values() {
        let nobody = analyse(&example(), Decisions { examinees: vec![4], ..all() });
        assert_eq!(nobody.model, Err(IrtError::OneExaminee));
        let change = nobody.change_from(&analyse(&example(), all()));
        assert!(change.theta_r.is_err() && change.difficulty_largest.is_err());
    }
}
