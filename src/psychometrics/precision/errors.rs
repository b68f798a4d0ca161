//! Standard errors of total scores from classical test theory.

use serde::{Deserialize, Serialize};

use crate::data::Responses;
use crate::psychometrics::classical::Classical;
use crate::psychometrics::{Undefined, stats};

/// Standard errors of the totals, in items (right answers), one per examinee.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScoreErrors {
    /// The items as a random sample of a domain: Lord's (1955) binomial error
    /// `sqrt(x (n - x) / (n - 1))`, over the `n` items answered. Not defined with
    /// fewer than two answers; zero for a perfect or a zero score.
    pub sampled_items: Vec<Result<f64, Undefined>>,
    /// The items as fixed: Keats's (1957) correction of the same, whose mean square
    /// is the classical error variance of KR-20.
    pub fixed_items: Vec<Result<f64, Undefined>>,
    /// Keats's factor `(1 - KR20) / (1 - KR21)`, on variances, with both coefficients
    /// over every item, as Lord's error is: those without variance count in `k`.
    pub keats_factor: Result<f64, Undefined>,
}

/// Both errors of every total.
pub fn score_errors(responses: &Responses, classical: &Classical) -> ScoreErrors {
    let keats_factor = keats_factor(classical, responses.n_items());
    let answered = responses.n_answered();
    let totals = classical.totals.iter().zip(&answered);
    let variances: Vec<_> = totals.map(|(&x, &n)| binomial_variance(x, n)).collect();
    let fixed = |variance: &Result<f64, Undefined>| Ok(((*variance)? * keats_factor?).sqrt());
    ScoreErrors {
        sampled_items: variances.iter().map(|variance| variance.map(f64::sqrt)).collect(),
        fixed_items: variances.iter().map(fixed).collect(),
        keats_factor,
    }
}

/// Lord's unbiased estimate of the binomial error variance of `x` right of `n`.
fn binomial_variance(x: u32, n: u32) -> Result<f64, Undefined> {
    match n {
        0 => Err(Undefined::NoObservations),
        1 => Err(Undefined::TooFew { needed: 2, found: 1 }),
        _ => {
            let (x, n) = (f64::from(x), f64::from(n));
            Ok(x * (n - x) / (n - 1.0))
        }
    }
}

/// With `KR21 = k / (k - 1) (1 - mean (k - mean) / (k variance))`, Kuder and
/// Richardson's formula 21 (1937), which takes all items as equally difficult.
fn keats_factor(classical: &Classical, n_items: usize) -> Result<f64, Undefined> {
    let totals: Vec<f64> = classical.totals.iter().copied().map(f64::from).collect();
    let (varying, k) = (classical.k as f64, n_items as f64);
    let (mean, variance) = (stats::mean(&totals)?, stats::variance(&totals)?);
    // Items without variance add nothing to KR-20 but their number.
    let kr20 = classical.kr20? * (varying - 1.0) / varying * k / (k - 1.0);
    let kr21 = k / (k - 1.0) * (1.0 - mean * (k - mean) / (k * variance));
    let factor = (1.0 - kr20) / (1.0 - kr21);
    if factor.is_finite() && factor >= 0.0 { Ok(factor) } else { Err(Undefined::NotFinite) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::psychometrics::classical::analyse;

    fn example() -> Responses {
        // The last two items do not vary.
        Responses::from_fn(40, 14, |i, j| match j {
            12 => Some(true),
            13 => Some(false),
            _ => Some((i * 7 + j * 11 + i * j) % 40 < 2 * i.min(12) + j),
        })
    }

    #[test]
    fn errors_with_fixed_items_average_to_the_classical_error_variance() {
        let m = example();
        let classical = analyse(&m);
        let errors = score_errors(&m, &classical);
        let squares: Vec<f64> = errors.fixed_items.iter().map(|e| e.unwrap().powi(2)).collect();
        let totals: Vec<f64> = classical.totals.iter().map(|&t| f64::from(t)).collect();
        // KR21 with the variance of divisor n - 1 and the mean of squares of divisor
        // n: the identity is exact once both speak of the same moments.
        let n = totals.len() as f64;
        let variance = stats::variance(&totals).unwrap();
        let (k, mean) = (m.n_items() as f64, stats::mean(&totals).unwrap());
        let spread = mean * (k - mean) - variance * (n - 1.0) / n;
        let expected = spread / (k - 1.0) * errors.keats_factor.unwrap();
        assert!((stats::mean(&squares).unwrap() - expected).abs() < 1e-12, "40 terms rounded");
        let kr20 = classical.kr20.unwrap() * (11.0 / 12.0) * (14.0 / 13.0);
        let classical_error = variance * (1.0 - kr20);
        // The two divisors differ by 1 in 40, on the variance's share of the spread.
        assert!((expected / classical_error - 1.0).abs() < 0.1, "{expected} {classical_error}");
    }

    #[test]
    fn fixing_the_items_never_makes_the_error_larger() {
        let m = example();
        let errors = score_errors(&m, &analyse(&m));
        assert!(errors.keats_factor.unwrap() <= 1.0);
        for (sampled, fixed) in errors.sampled_items.iter().zip(&errors.fixed_items) {
            assert!(fixed.unwrap() <= sampled.unwrap());
        }
    }

    #[test]
    fn scores_without_answers_or_spread_have_a_reason() {
        let m = Responses::from_fn(3, 2, |i, j| match i {
            0 => None,
            1 => (j == 0).then_some(true),
            _ => Some(true),
        });
        let errors = score_errors(&m, &analyse(&m));
        let too_few = Undefined::TooFew { needed: 2, found: 1 };
        assert_eq!(errors.sampled_items, [Err(Undefined::NoObservations), Err(too_few), Ok(0.0)]);
        assert!(errors.keats_factor.is_err() && errors.fixed_items.iter().all(Result::is_err));
    }
}
