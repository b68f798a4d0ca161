//! Item parameters and statistics of the reference programs.

use escritura::data::Responses;
use escritura::psychometrics::irt::{self, FitOptions, IrtFit, ItemParameters, LogNormal, Model};
use serde_json::Value;

use crate::oracle;

/// The 2PL with the prior of the flagship chapter.
pub const MAP: Model = Model::TwoParameterPrior(LogNormal { mean_log: 0.5, sd_log: 0.5 });

/// A fit with the default options.
pub fn fit(data: &Responses, model: Model) -> IrtFit {
    irt::fit(data, model, &FitOptions::default()).unwrap()
}

/// The matrix of an awkward case.
pub fn case(name: &str) -> Option<Responses> {
    Some(oracle::matrix(&format!("oraculo/casos/{name}.csv"), true)?.0)
}

/// A list of numbers; `NaN` where R had none.
pub fn numbers_or_nan(value: &Value) -> Vec<f64> {
    let number = |v: &Value| v.as_f64().unwrap_or(f64::NAN);
    value.as_array().expect("a list").iter().map(number).collect()
}

/// A matrix of numbers.
pub fn number_rows(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().expect("a list of lists").iter().map(numbers_or_nan).collect()
}

/// Item parameters from `a1` and `d` (or `a` and `d`; slope 1 without either).
pub fn items(value: &Value) -> Vec<ItemParameters> {
    let intercepts = numbers_or_nan(&value["d"]);
    let slopes = ["a1", "a"].iter().find(|name| value[**name].is_array());
    let slopes = slopes.map_or(vec![1.0; intercepts.len()], |name| numbers_or_nan(&value[*name]));
    let pair = |(slope, intercept)| ItemParameters { slope, intercept };
    slopes.into_iter().zip(intercepts).map(pair).collect()
}

/// Largest difference between two lists; those without value must coincide.
pub fn largest_gap(ours: &[Option<f64>], theirs: &[f64]) -> f64 {
    assert_eq!(ours.len(), theirs.len());
    let gap = |(ours, theirs): (&Option<f64>, &f64)| match ours {
        Some(x) => (x - theirs).abs(),
        None if theirs.is_nan() => 0.0,
        None => f64::INFINITY,
    };
    // A NaN (theirs undefined, ours not) must not vanish in the maximum.
    let gaps = ours.iter().zip(theirs).map(gap).map(|g| if g.is_nan() { f64::INFINITY } else { g });
    gaps.fold(0.0, f64::max)
}
