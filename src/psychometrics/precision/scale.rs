//! The smallest difference worth claiming, along the scale of a fitted model.

use serde::{Deserialize, Serialize};

use crate::psychometrics::irt::ItemParameters;
use crate::psychometrics::irt::information::test_information;

/// Two standard errors of a difference between two scores with the same error.
const TWO_ERRORS_OF_A_DIFFERENCE: f64 = 2.0 * std::f64::consts::SQRT_2;
/// Where levels of the scale are looked for, in logits.
const REACH: f64 = 20.0;

/// A test whose score is a percentage of all its items, those that nobody or
/// everybody solves included.
#[derive(Debug, Clone, Copy)]
pub struct Scale<'a> {
    /// Parameters of the items with variance.
    pub items: &'a [ItemParameters],
    /// Items in all.
    pub n_items: usize,
    /// Items that everybody solves.
    pub n_always_right: usize,
}

/// What may be claimed at a level of the trait.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// The level, in logits.
    pub theta: f64,
    /// Expected percentage right.
    pub percent: f64,
    /// Standard error of theta, 1 / sqrt(information).
    pub theta_error: f64,
    /// Standard error of the percentage given theta: sqrt(sum(P Q)) over the items.
    pub percent_error: f64,
    /// Two standard errors of a difference of theta, `2 sqrt(2) SE`.
    pub theta_difference: f64,
    /// Two standard errors of a difference of percentages, in points.
    pub percent_difference: f64,
}

/// The claim at `theta`; `None` where the test says nothing.
pub fn claim_at(scale: Scale, theta: f64) -> Option<Claim> {
    let error = test_information(scale.items, theta).sqrt().recip();
    let variance = |item: &ItemParameters| {
        let (p, q) = item.probabilities(theta);
        p * q
    };
    let spread = scale.items.iter().map(variance).sum::<f64>().sqrt();
    let percent_error = 100.0 * spread / scale.n_items as f64;
    (error.is_finite() && percent_error.is_finite()).then(|| Claim {
        theta,
        percent: expected_percent(scale, theta),
        theta_error: error,
        percent_error,
        theta_difference: TWO_ERRORS_OF_A_DIFFERENCE * error,
        percent_difference: TWO_ERRORS_OF_A_DIFFERENCE * percent_error,
    })
}

fn expected_percent(scale: Scale, theta: f64) -> f64 {
    let right: f64 = scale.items.iter().map(|item| item.probabilities(theta).0).sum();
    100.0 * (right + scale.n_always_right as f64) / scale.n_items as f64
}

/// The claims at each whole percentage that the test expects of someone, from 1 to
/// 99. The expected percentage must grow with theta: positive slopes.
pub fn claims_by_percent(scale: Scale) -> Vec<Claim> {
    (1..100).filter_map(|percent| claim_at(scale, level_of(scale, f64::from(percent))?)).collect()
}

/// The theta of whom `percent` is expected, to the last bit; `None` when nobody
/// within reach is.
fn level_of(scale: Scale, percent: f64) -> Option<f64> {
    let (mut low, mut high) = (-REACH, REACH);
    let within = expected_percent(scale, low) < percent && percent < expected_percent(scale, high);
    if !within || scale.items.iter().any(|item| item.slope <= 0.0) {
        return None;
    }
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return Some(middle);
        }
        if expected_percent(scale, middle) < percent { low = middle } else { high = middle }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items() -> Vec<ItemParameters> {
        (0..8).map(|j| ItemParameters { slope: 1.0, intercept: 1.5 - 0.4 * f64::from(j) }).collect()
    }

    #[test]
    fn in_the_rasch_model_both_differences_are_the_same_claim() {
        // Where all slopes are 1 the expected score changes by I(theta) per logit.
        let items = items();
        let scale = Scale { items: &items, n_items: 10, n_always_right: 1 };
        let claim = claim_at(scale, 0.7).unwrap();
        let information = claim.theta_error.powi(-2);
        let in_items = claim.percent_difference * 10.0 / 100.0;
        assert!((in_items - claim.theta_difference * information).abs() < 1e-13, "rounding");
    }

    #[test]
    fn levels_expect_their_percentage_and_stop_where_nobody_reaches() {
        let items = items();
        let scale = Scale { items: &items, n_items: 10, n_always_right: 1 };
        let claims = claims_by_percent(scale);
        // One item of ten that everybody solves and one that nobody does.
        let ends = [claims.first(), claims.last()].map(|c| c.unwrap().percent.round());
        assert_eq!(ends, [11.0, 89.0]);
        for claim in &claims {
            assert!((claim.percent - claim.percent.round()).abs() < 1e-12, "bisected");
        }
    }

    #[test]
    fn no_items_no_claims() {
        let scale = Scale { items: &[], n_items: 0, n_always_right: 0 };
        assert_eq!(claim_at(scale, 0.0), None);
        assert!(claims_by_percent(scale).is_empty());
    }
}
