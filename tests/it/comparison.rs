//! Comparison of models against the reference program.

use escritura::psychometrics::comparison::{NoTest, compare};
use escritura::psychometrics::irt::Model;

use crate::oracle::{assert_close, json, numbers, oracle_matrix, real_matrix};
use crate::parameters::{MAP, fit};

#[test]
fn the_likelihood_ratio_of_lsat7_is_the_reference_one() {
    let Some((data, _)) = oracle_matrix("LSAT7") else { return };
    let anova = &json("oraculo/LSAT7.json").unwrap()["anova"];
    let comparison = compare(&fit(&data, Model::Rasch), &fit(&data, Model::TwoParameter));
    let test = comparison.likelihood_ratio.unwrap();
    assert!(comparison.converged && !test.is_bound);
    assert_eq!(test.degrees_of_freedom, 4);
    // Theirs stop at 1e-4; the log-likelihoods differ by 3e-5.
    assert_close(test.statistic, anova["X2"][1].as_f64().unwrap(), 1e-4);
    assert_close(test.p, anova["p"][1].as_f64().unwrap(), 1e-6);
    let aic = numbers(&anova["AIC"]);
    assert_close(comparison.delta_aic, aic[1] - aic[0], 1e-4);
}

#[test]
fn the_real_comparison_is_a_labelled_bound_with_a_finite_log_p() {
    let Some((data, _)) = real_matrix() else { return };
    let (rasch, two) = (fit(&data, Model::Rasch), fit(&data, Model::TwoParameter));
    let comparison = compare(&rasch, &two);
    let test = comparison.likelihood_ratio.unwrap();
    assert_eq!(test.degrees_of_freedom, 468);
    assert!(test.is_bound && !comparison.converged);
    // The reference: 2 (24882.4216 - 23276.1067), from a fit cut short.
    assert!(test.statistic > 2.0 * (24882.4147 - 23276.1068));
    assert!(test.log_p.is_finite() && test.log_p < -500.0, "{test:?}");
    let map = compare(&rasch, &fit(&data, MAP));
    assert_eq!(map.likelihood_ratio, Err(NoTest::Prior));
}
