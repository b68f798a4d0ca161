//! Item response theory against the reference programs and the awkward cases.

use escritura::data::Responses;
use escritura::psychometrics::irt::scoring::{eap, marginal_reliability};
use escritura::psychometrics::irt::{
    self, DropReason, FitOptions, Grid, IrtError, IrtFit, ItemParameters, Model, Stop,
};
use serde_json::Value;

use crate::oracle::{assert_close, json, number, oracle_matrix, real_matrix};
use crate::parameters::{MAP, case, fit, items};
use crate::plain_em::{Estimates, PlainEm};

/// Both sides stop when no parameter moves by 1e-9 or less.
const PARAMETERS: f64 = 1e-7;
/// Relative.
const LOG_LIKELIHOOD: f64 = 1e-8;
/// The awkward cases print six decimals.
const SIX_DECIMALS: f64 = 6e-7;

fn worst_parameter(ours: &[ItemParameters], theirs: &[ItemParameters]) -> f64 {
    assert_eq!(ours.len(), theirs.len());
    let gap = |(a, b): (&ItemParameters, &ItemParameters)| {
        (a.slope - b.slope).abs().max((a.intercept - b.intercept).abs())
    };
    ours.iter().zip(theirs).map(gap).fold(0.0, f64::max)
}

fn assert_fit(label: &str, ours: &IrtFit, theirs: &Value, parameters: f64, log_likelihood: f64) {
    assert!(ours.convergence.converged, "{label}: {:?}", ours.convergence);
    let gap = worst_parameter(&ours.items, &items(theirs));
    assert!(gap <= parameters, "{label}: parameters differ by {gap:e}");
    let reference = number(&theirs["logLik"]);
    let gap = ((ours.log_likelihood - reference) / reference).abs();
    assert!(gap <= log_likelihood, "{label}: log L differs by {gap:e}");
    if let Some(variance) = theirs["cov"].as_f64() {
        assert_close(ours.variance, variance, parameters);
    }
    if let Some(log_prior) = theirs["logPrior"].as_f64() {
        // A sum over up to 469 slopes.
        assert_close(ours.log_prior, log_prior, 100.0 * parameters);
    }
}

#[test]
fn estimates_agree_with_exact_em() {
    for name in ["LSAT7", "LSAT7_na", "swe60"] {
        let Some((data, _)) = oracle_matrix(name) else { return };
        let oracle = json(&format!("oraculo/{name}.json")).unwrap();
        let exact = |model: &str, ours: &IrtFit| {
            let label = format!("{name} {model}");
            assert_fit(&label, ours, &oracle[model]["exact"], PARAMETERS, LOG_LIKELIHOOD);
        };
        exact("rasch", &fit(&data, Model::Rasch));
        exact("map", &fit(&data, MAP));
        if name != "swe60" {
            exact("twopl", &fit(&data, Model::TwoParameter));
        }
    }
}

#[test]
fn estimates_agree_with_the_reference_defaults_to_their_early_stop() {
    for name in ["LSAT7", "LSAT7_na", "swe60"] {
        let Some((data, _)) = oracle_matrix(name) else { return };
        let oracle = json(&format!("oraculo/{name}.json")).unwrap();
        let default = |model: &str, ours: &IrtFit| {
            let theirs = &oracle[model]["default"];
            assert_fit(&format!("{name} {model}"), ours, theirs, 5e-3, 1e-6);
            assert_close(ours.aic(), number(&theirs["AIC"]), 1e-2);
            assert_close(ours.bic(), number(&theirs["BIC"]), 1e-2);
            assert_close(ours.sabic(), number(&theirs["SABIC"]), 1e-2);
        };
        default("rasch", &fit(&data, Model::Rasch));
        default("map", &fit(&data, MAP));
        if name != "swe60" {
            default("twopl", &fit(&data, Model::TwoParameter));
        }
    }
}

/// The file's fits of the real matrix end when a cycle changes no parameter by
/// 1e-9 (Rasch) or 1e-8 (MAP), short of the fixed point by more than 1e-7: EM
/// creeps there. So plain EM takes up the file's own values and goes on; where it
/// ends is the exact optimum that the file stands for, and ours has to be there.
#[test]
fn the_real_matrix_agrees_with_exact_em() {
    let Some((data, _)) = real_matrix() else { return };
    let oracle = json("oraculo/real_exact.json").unwrap();
    for (name, model) in [("rasch", Model::Rasch), ("map", MAP)] {
        let (theirs, ours) = (&oracle[name], fit(&data, model));
        let prior = if let Model::TwoParameterPrior(prior) = model { Some(prior) } else { None };
        let em = PlainEm::new(&data, &ours.used, prior);
        let variance = theirs["cov"].as_f64().unwrap_or(1.0);
        let file = Estimates { items: items(theirs), variance };
        let (end, cycles, rate) = em.run(&file, 1e-11);
        let left = 1e-11 * rate / (1.0 - rate);
        let here = Estimates { items: ours.items.clone(), variance: ours.variance };
        eprintln!(
            "{name}: {cycles} cycles at rate {rate:.4}, {left:e} left; the file was {:e} off, ours {:e}",
            file.distance(&end),
            here.distance(&end),
        );
        assert!(left < 0.1 * PARAMETERS, "{name}: plain EM is not there yet");
        assert!(here.distance(&end) <= PARAMETERS, "{name}");
        let reference = number(&theirs["logLik"]);
        assert!(((ours.log_likelihood - reference) / reference).abs() <= LOG_LIKELIHOOD, "{name}");
        assert!(ours.convergence.converged, "{name}: {:?}", ours.convergence);
    }
}

#[test]
fn items_that_nobody_solves_are_left_out_of_the_real_fit_with_their_reason() {
    let Some((data, _)) = real_matrix() else { return };
    let rasch = fit(&data, Model::Rasch);
    assert_eq!((rasch.used.len(), rasch.dropped.len()), (469, 31));
    assert!(rasch.dropped.iter().all(|d| d.reason == DropReason::AllWrong));
    assert!(!rasch.grid_adequacy.adequate);
}

#[test]
fn lowering_the_tolerance_hardly_moves_the_real_estimates() {
    let Some((data, _)) = real_matrix() else { return };
    for model in [Model::Rasch, MAP] {
        let options = FitOptions { tolerance: 1e-12, ..FitOptions::default() };
        let tighter = irt::fit(&data, model, &options).unwrap();
        assert!(tighter.convergence.converged, "{:?}", tighter.convergence);
        let gap = worst_parameter(&fit(&data, model).items, &tighter.items);
        // A last step of 1e-9 leaves a handful of such steps.
        assert!(gap < 1e-8, "{gap:e}");
    }
}

#[test]
fn an_adequate_grid_finds_the_whole_variance_of_the_real_matrix() {
    let Some((data, _)) = real_matrix() else { return };
    let wide = irt::fit_on_adequate_grid(&data, Model::Rasch, &FitOptions::default()).unwrap();
    assert!(wide.grid_adequacy.adequate, "{:?}", wide.grid_adequacy);
    let theirs = &json("oraculo/real_exact.json").unwrap()["rasch_wide"];
    assert_close(wide.variance, 3.86935, 1e-4);
    assert_close(wide.log_likelihood, number(&theirs["logLik"]), 1e-4);
    let gap = worst_parameter(&wide.items, &items(theirs));
    assert!(gap < 1e-4, "its grid ends at 10, ours at 12: {gap:e}");
}

#[test]
fn a_wide_grid_agrees_with_the_reference_on_a_wide_grid() {
    for name in ["LSAT7", "swe60"] {
        let Some((data, _)) = oracle_matrix(name) else { return };
        let theirs = &json(&format!("oraculo/{name}.json")).unwrap()["rasch"]["wide_grid"];
        let grid = Grid::uniform(401, -20.0, 20.0).unwrap();
        let options = FitOptions { grid, ..FitOptions::default() };
        let ours = irt::fit(&data, Model::Rasch, &options).unwrap();
        assert_fit(name, &ours, theirs, PARAMETERS, LOG_LIKELIHOOD);
    }
}

#[test]
fn slopes_without_a_maximum_are_named_and_never_called_converged() {
    let Some((data, _)) = oracle_matrix("swe60") else { return };
    let reference = &json("oraculo/swe60.json").unwrap()["twopl"];
    let ours = fit(&data, Model::TwoParameter);
    assert_eq!(ours.convergence.stop, Stop::SlopesDiverge);
    assert!(!ours.convergence.converged);
    assert_eq!(ours.convergence.unidentified.len(), 1, "one slope diverges");
    assert!(ours.log_likelihood >= number(&reference["exact"]["logLik"]) - 1e-9);
    assert!(ours.log_likelihood >= number(&reference["default"]["logLik"]));
    assert_eq!(ours.convergence.negative_slopes, [2, 15]);
}

#[test]
fn the_two_parameter_likelihood_of_the_real_matrix_is_not_below_the_reference() {
    let Some((data, _)) = real_matrix() else { return };
    let theirs = &json("oraculo/real.json").unwrap()["modelos"]["ml"];
    let ours = fit(&data, Model::TwoParameter);
    assert!(ours.log_likelihood >= number(&theirs["logLik"]), "{}", ours.log_likelihood);
    assert_eq!(ours.n_parameters, 938);
    assert_eq!(ours.convergence.stop, Stop::SlopesDiverge);
    assert_eq!(ours.convergence.negative_slopes.len(), 9);
    let steep = ours.items.iter().filter(|item| item.slope > 4.0).count();
    assert_eq!(steep as u64, theirs["n_a4"].as_u64().unwrap());
    assert!(ours.convergence.optima.iter().all(|v| (v - ours.log_likelihood).abs() < 1e-3));
}

#[test]
fn awkward_matrices_give_the_exact_figures() {
    let table = [
        ("00_base", -77.964130, Some(3.073049)),
        ("05_three_missing", -76.782422, Some(3.117187)),
        ("23_square_N_equals_k", -21.136097, Some(1.875136)),
        ("25_guttman", -46.019633, Some(9.410773)),
        ("28_perfect_and_zero_rows", -82.514733, Some(4.063895)),
    ];
    for (name, log_likelihood, variance) in table {
        let Some(data) = case(name) else { return };
        let rasch = fit(&data, Model::Rasch);
        assert!(rasch.convergence.converged, "{name}");
        assert_close(rasch.log_likelihood, log_likelihood, SIX_DECIMALS);
        assert_close(rasch.variance, variance.unwrap(), SIX_DECIMALS);
    }
    for (name, log_likelihood) in
        [("00_base", -76.528773), ("05_three_missing", -75.144396), ("26_step_item", -83.259878)]
    {
        assert_close(fit(&case(name).unwrap(), MAP).log_likelihood, log_likelihood, SIX_DECIMALS);
    }
}

#[test]
fn constant_items_change_nothing() {
    let Some(base) = case("00_base") else { return };
    let expected = fit(&base, Model::Rasch);
    for (name, reason) in
        [("01_item_all_zero", DropReason::AllWrong), ("02_item_all_one", DropReason::AllCorrect)]
    {
        let ours = fit(&case(name).unwrap(), Model::Rasch);
        assert_eq!(ours.items, expected.items, "{name}");
        assert_eq!(ours.log_likelihood, expected.log_likelihood, "{name}");
        assert_eq!(ours.used, [0, 1, 2, 3, 4, 5]);
        assert_eq!((ours.dropped[0].index, ours.dropped[0].reason), (6, reason));
    }
}

#[test]
fn separated_data_have_slopes_that_are_not_identified() {
    let expected: [(&str, &[usize]); 3] =
        [("00_base", &[0, 5]), ("25_guttman", &[0, 1, 2, 3, 4, 5]), ("26_step_item", &[0, 5, 6])];
    for (name, unidentified) in expected {
        let Some(data) = case(name) else { return };
        let ours = fit(&data, Model::TwoParameter);
        assert_eq!(ours.convergence.stop, Stop::SlopesDiverge, "{name}");
        assert_eq!(ours.convergence.unidentified, unidentified, "{name}");
    }
    let base = fit(&case("00_base").unwrap(), Model::TwoParameter);
    assert_close(base.log_likelihood, -73.33133862, 6e-9);
    let guttman = fit(&case("25_guttman").unwrap(), Model::OneParameter);
    assert_eq!(guttman.convergence.stop, Stop::SlopesDiverge);
}

#[test]
fn equal_totals_put_the_variance_on_its_bound() {
    let Some(data) = case("29_all_same_total") else { return };
    let rasch = fit(&data, Model::Rasch);
    assert_eq!(rasch.convergence.stop, Stop::VarianceAtBound);
    assert_close(rasch.variance, 1e-4, 1e-15);
    assert_close(rasch.log_likelihood, 144.0 * 0.5f64.ln(), 1e-9);
    let scores = eap(&data, &rasch.items, rasch.variance, &Grid::reference().scoring());
    assert!(scores.iter().all(|s| s.unwrap().standard_error < 1e-10), "nothing is left to learn");
}

#[test]
fn too_little_data_is_refused() {
    let refusal = |name, model| irt::fit(&case(name)?, model, &FitOptions::default()).err();
    if case("00_base").is_none() {
        return;
    }
    for model in [Model::Rasch, Model::TwoParameter, MAP] {
        for name in ["20_one_item", "21_two_items"] {
            assert!(matches!(refusal(name, model), Some(IrtError::TooFewItems { .. })), "{name}");
        }
        assert_eq!(refusal("32_one_person", model), Some(IrtError::OneExaminee));
    }
    let nothing = Responses::from_fn(0, 6, |_, _| None);
    let error = irt::fit(&nothing, Model::Rasch, &FitOptions::default()).unwrap_err();
    assert_eq!(error, IrtError::NoExaminees);
}

#[test]
fn extreme_examinees_have_finite_scores() {
    let Some(data) = case("28_perfect_and_zero_rows") else { return };
    let rasch = fit(&data, Model::Rasch);
    let scores = eap(&data, &rasch.items, rasch.variance, &Grid::reference().scoring());
    let last = |i: usize| scores[24 + i].unwrap();
    for (score, theta, error) in [(last(0), 2.8546, 1.1789), (last(1), -2.9318, 1.1360)] {
        // Printed with four decimals by a program that stops at 1e-4.
        assert_close(score.theta, theta, 2e-4);
        assert_close(score.standard_error, error, 2e-4);
    }
}

#[test]
fn the_marginal_reliability_uses_the_variance_of_the_model() {
    // The reference's own estimates, with which its 0.41553 becomes 0.42503.
    let Some(oracle) = json("oraculo/LSAT7.json") else { return };
    let theirs = &oracle["rasch"]["default"];
    let variance = number(&theirs["cov"]);
    let ours = marginal_reliability(&items(theirs), variance, &Grid::reference());
    assert_close(ours, 0.42503, 5e-6);
}
