//! How many dimensions the answers need: eigenvalues of the phi matrix, what to
//! compare them with, and the horseshoe check.
//!
//! Everything here drops the items without variance itself, so that a group of
//! examinees may be left out (`Responses::select_examinees`) and the same function
//! called again. Examinees who answered none of the remaining items do not count.

mod null;
mod phi;

pub use null::{
    Null, ParallelAnalysis, SimulatedItem, parallel_analysis, parametric_null, simulated_null,
};
pub use phi::{PhiSpectrum, component_scores, phi_spectrum};

pub use super::spectral::{eigen, eigenvalues};

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{Undefined, stats};
use crate::data::Responses;

/// How much of the second component is only the total, bent.
///
/// Items that differ in difficulty give Guttman-like answers, whose second
/// component is a quadratic function of the first (Guttman, 1950; McDonald, 1965;
/// Davis-Stober, 2015): a large `r2_quadratic` beside a small `r2_linear` is that
/// artefact, not a second attribute.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Horseshoe {
    /// R2 of the scores on the total.
    pub r2_linear: f64,
    /// R2 of the scores on the total and its square.
    pub r2_quadratic: f64,
}

/// Regresses the scores on the second phi component on the total over the items
/// with variance.
pub fn horseshoe(responses: &Responses) -> Result<Horseshoe, Undefined> {
    let items = responses.varying_items();
    let responses = answering(responses, &items);
    let totals = responses.count_correct(&items);
    let total: Vec<f64> =
        totals.values(responses.n_examinees()).into_iter().map(f64::from).collect();
    let scores = component_scores(&responses, 1)?;
    Ok(Horseshoe {
        r2_linear: stats::r_squared_linear(&total, &scores)?,
        r2_quadratic: stats::r_squared_quadratic(&total, &scores)?,
    })
}

/// The answers of those who answered any of the given items.
fn answering<'a>(responses: &'a Responses, items: &[usize]) -> Cow<'a, Responses> {
    let answered = responses.count_observed(items).values(responses.n_examinees());
    let kept: Vec<usize> = (0..answered.len()).filter(|&i| answered[i] > 0).collect();
    if kept.len() == answered.len() {
        Cow::Borrowed(responses)
    } else {
        Cow::Owned(responses.select_examinees(&kept))
    }
}

/// How many leading eigenvalues exceed their threshold, without a gap.
pub fn retained(observed: &[f64], thresholds: &[f64]) -> usize {
    observed.iter().zip(thresholds).take_while(|(value, threshold)| value > threshold).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Guttman's perfect scale: examinee `i` solves the first `i` items.
    fn guttman(n: usize, k: usize) -> Responses {
        Responses::from_fn(n, k, |i, j| Some(i * k > j * n))
    }

    #[test]
    fn a_perfect_scale_bends_into_a_horseshoe() {
        for (n, k) in [(41, 20), (20, 41)] {
            let bent = horseshoe(&guttman(n, k)).unwrap();
            assert!(bent.r2_linear < 0.01 && bent.r2_quadratic > 0.8, "{bent:?}");
        }
    }

    #[test]
    fn an_examinee_without_answers_changes_nothing() {
        let base = Responses::from_fn(12, 20, |i, j| Some((i * 5 + j * 7 + i * j) % 9 < 4));
        let more = Responses::from_fn(13, 20, |i, j| (i < 12).then(|| base.get(i, j)).flatten());
        let options = ParallelAnalysis { n_permutations: 5, seed: 1, n_positions: 3 };
        assert_eq!(phi_spectrum(&more), phi_spectrum(&base));
        assert_eq!(horseshoe(&more), horseshoe(&base));
        assert_eq!(parallel_analysis(&more, options), parallel_analysis(&base, options));
        let items = [SimulatedItem { slope: 1.0, intercept: 0.0 }; 20];
        let null = |m| parametric_null(m, &items, 1.0, 5, 3, 1);
        assert_eq!(null(&more), null(&base));
    }

    #[test]
    fn retaining_stops_at_the_first_failure() {
        assert_eq!(retained(&[5.0, 3.0, 1.0, 2.0], &[2.0, 2.0, 2.0, 1.0]), 2);
        assert_eq!(retained(&[1.0], &[2.0]), 0);
        assert_eq!(retained(&[], &[]), 0);
    }

    #[test]
    fn shapes_too_small_for_a_second_component_have_a_reason() {
        let constant = Responses::from_fn(5, 3, |_, _| Some(true));
        assert_eq!(horseshoe(&constant), Err(Undefined::TooFew { needed: 2, found: 0 }));
        let one_item = Responses::from_fn(5, 1, |i, _| Some(i > 2));
        assert_eq!(horseshoe(&one_item), Err(Undefined::TooFew { needed: 2, found: 1 }));
        // Two examinees have a single dimension between them.
        let two = Responses::from_fn(2, 4, |i, j| Some((i + j) % 2 == 0));
        assert!(horseshoe(&two).is_err());
    }
}
