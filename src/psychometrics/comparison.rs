//! Comparing fitted models: information criteria and the likelihood ratio.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ChiSquared, ContinuousCDF};
use statrs::function::gamma::ln_gamma;

use super::irt::{IrtFit, Model};

/// Differences between two fits, the second minus the first; negative favours
/// the second.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Akaike's criterion.
    pub delta_aic: f64,
    /// Schwarz's criterion.
    pub delta_bic: f64,
    /// Schwarz's criterion adjusted for sample size.
    pub delta_sabic: f64,
    /// Both fits converged. Otherwise the log-likelihood of the one that did not
    /// is a lower bound of its supremum, and so is the advantage of the larger
    /// model when it is the larger that did not converge.
    pub converged: bool,
    /// The likelihood ratio test, or why there is none.
    pub likelihood_ratio: Result<LikelihoodRatio, NoTest>,
}

/// Likelihood ratio test of a model nested in another.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LikelihoodRatio {
    /// 2 (log L larger - log L smaller).
    pub statistic: f64,
    /// Difference in free parameters.
    pub degrees_of_freedom: usize,
    /// Upper tail of chi-squared; 0 only below the smallest double.
    pub p: f64,
    /// Natural logarithm of the upper tail, finite even when `p` is 0.
    pub log_p: f64,
    /// The larger model did not converge: the statistic is a lower bound, `p` an
    /// upper one.
    pub is_bound: bool,
}

/// Why a likelihood ratio test has no meaning or no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum NoTest {
    /// One of the fits maximises a posterior, not the likelihood.
    Prior,
    /// The second model does not contain the first.
    NotNested,
    /// The fits rest on different items or examinees.
    DifferentData,
    /// The smaller model did not converge: the statistic could err either way.
    SmallerUnconverged,
    /// The larger model has the smaller likelihood: it has not been maximised,
    /// or the grids differ. Refit; the statistic is never clamped to zero.
    Negative,
}

/// Compares two fits of the same data, the smaller model first.
pub fn compare(smaller: &IrtFit, larger: &IrtFit) -> Comparison {
    Comparison {
        delta_aic: larger.aic() - smaller.aic(),
        delta_bic: larger.bic() - smaller.bic(),
        delta_sabic: larger.sabic() - smaller.sabic(),
        converged: smaller.convergence.converged && larger.convergence.converged,
        likelihood_ratio: likelihood_ratio(smaller, larger),
    }
}

/// Likelihood ratio test of `smaller` against `larger`.
pub fn likelihood_ratio(smaller: &IrtFit, larger: &IrtFit) -> Result<LikelihoodRatio, NoTest> {
    let has_prior = |fit: &IrtFit| matches!(fit.model, Model::TwoParameterPrior(_));
    if has_prior(smaller) || has_prior(larger) {
        return Err(NoTest::Prior);
    }
    if smaller.used != larger.used || smaller.n_examinees_used != larger.n_examinees_used {
        return Err(NoTest::DifferentData);
    }
    let one_slope = matches!(smaller.model, Model::Rasch | Model::OneParameter);
    if !(one_slope && larger.model == Model::TwoParameter) {
        return Err(NoTest::NotNested);
    }
    if !smaller.convergence.converged {
        return Err(NoTest::SmallerUnconverged);
    }
    let statistic = 2.0 * (larger.log_likelihood - smaller.log_likelihood);
    if statistic < 0.0 {
        return Err(NoTest::Negative);
    }
    let degrees_of_freedom = larger.n_parameters - smaller.n_parameters;
    let (p, log_p) = upper_tail(statistic, degrees_of_freedom);
    let is_bound = !larger.convergence.converged;
    Ok(LikelihoodRatio { statistic, degrees_of_freedom, p, log_p, is_bound })
}

/// Upper tail of chi-squared and its logarithm.
fn upper_tail(statistic: f64, degrees_of_freedom: usize) -> (f64, f64) {
    let chi_squared = ChiSquared::new(degrees_of_freedom as f64).expect("one degree at least");
    let p = chi_squared.sf(statistic).clamp(0.0, 1.0);
    if p > 1e-290 {
        (p, p.ln())
    } else {
        (p, log_upper_gamma(degrees_of_freedom as f64 / 2.0, statistic / 2.0))
    }
}

/// log Q(s, x) far out in the upper tail (x > s): Legendre's continued fraction
/// for the incomplete gamma function, by Lentz's method.
fn log_upper_gamma(s: f64, x: f64) -> f64 {
    let tiny = 1e-300;
    let mut b = x + 1.0 - s;
    let mut c = 1.0 / tiny;
    let mut d = 1.0 / b;
    let mut fraction = d;
    for i in 1..10_000 {
        let a = -(i as f64) * (i as f64 - s);
        b += 2.0;
        d = 1.0 / non_zero(a * d + b, tiny);
        c = non_zero(b + a / c, tiny);
        fraction *= c * d;
        if (c * d - 1.0).abs() < 1e-15 {
            break;
        }
    }
    s * x.ln() - x - ln_gamma(s) + fraction.ln()
}

fn non_zero(x: f64, tiny: f64) -> f64 {
    if x.abs() < tiny { tiny } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Responses;
    use crate::psychometrics::irt::{self, FitOptions, LogNormal};

    #[test]
    fn the_upper_tail_does_not_underflow() {
        // With two degrees of freedom the tail is exp(-x / 2) exactly.
        for x in [1.0, 100.0, 1e4, 1e6] {
            let (p, log_p) = upper_tail(x, 2);
            assert!((log_p + x / 2.0).abs() < 1e-11 * x, "{x}: {log_p}");
            assert!(p == 0.0 || (p.ln() - log_p).abs() < 1e-9 * x);
        }
        // Both formulas where both work.
        let direct = upper_tail(900.0, 59).1;
        assert!((log_upper_gamma(29.5, 450.0) - direct).abs() < 1e-9, "{direct}");
    }

    #[test]
    fn the_test_is_refused_where_it_means_nothing() {
        let data = Responses::from_fn(60, 5, |i, j| Some((i * 31 + j * 17) % 60 > 10 * j + i % 7));
        let fit = |model| irt::fit(&data, model, &FitOptions::default()).unwrap();
        let rasch = fit(Model::Rasch);
        let map = fit(Model::TwoParameterPrior(LogNormal { mean_log: 0.5, sd_log: 0.5 }));
        let two = fit(Model::TwoParameter);
        let refusal = |a: &IrtFit, b: &IrtFit| likelihood_ratio(a, b).unwrap_err();
        assert_eq!(refusal(&rasch, &map), NoTest::Prior);
        assert_eq!(refusal(&two, &rasch), NoTest::NotNested);
        let fewer = IrtFit { n_examinees_used: 59, ..two.clone() };
        assert_eq!(refusal(&rasch, &fewer), NoTest::DifferentData);
        let worse = IrtFit { log_likelihood: rasch.log_likelihood - 1.0, ..two.clone() };
        assert_eq!(refusal(&rasch, &worse), NoTest::Negative);
        let mut early = rasch.clone();
        early.convergence.converged = false;
        assert_eq!(refusal(&early, &two), NoTest::SmallerUnconverged);
    }
}
