//! Fit, scores, information and local dependence against the reference program,
//! at its own parameters.

use escritura::data::Responses;
use escritura::psychometrics::dependence::Q3;
use escritura::psychometrics::fit::{
    Fit, FitReport, Predictions, VarianceFloor, item_fit, person_fit,
};
use escritura::psychometrics::irt::information::{peak, standard_error, test_information};
use escritura::psychometrics::irt::scoring::{Score, eap, empirical_reliability};
use escritura::psychometrics::irt::{Grid, IrtFit, ItemParameters, Model};
use serde_json::Value;

use crate::oracle::{assert_close, csv, json, number, oracle_matrix, real_matrix};
use crate::parameters::{fit, items, largest_gap, number_rows, numbers_or_nan};

/// Sums of the same terms in another order.
const GIVEN: f64 = 1e-10;

fn assert_agree(label: &str, ours: &[Option<f64>], theirs: &[f64], tolerance: f64) {
    let gap = largest_gap(ours, theirs);
    assert!(gap <= tolerance, "{label}: off by {gap:e}");
}

fn assert_fit_agrees(label: &str, report: &FitReport, theirs: &Value, complete: bool) {
    let column = |f: fn(&Fit) -> Option<f64>| report.fits.iter().map(f).collect::<Vec<_>>();
    let check = |name: &str, ours: Vec<Option<f64>>| {
        // Where answers are missing mirt gives no Zh for items.
        if theirs[name].is_array() {
            let theirs = numbers_or_nan(&theirs[name]);
            assert_agree(&format!("{label} {name}"), &ours, &theirs, GIVEN);
        }
    };
    check("outfit", column(|f| f.outfit));
    check("infit", column(|f| f.infit));
    check("z_infit", column(|f| f.z_infit));
    check("Zh", column(|f| f.zh));
    if complete {
        check("z_outfit", column(|f| f.z_outfit));
    }
}

/// The reference subtracts a rounded P from 1; ours keeps both tails. Where a
/// runaway slope leaves residuals of 1e-7, that rounding is what differs.
fn q3_rounding(predictions: &Predictions, j: usize) -> f64 {
    let n = predictions.responses().n_examinees();
    let squares: Vec<f64> =
        (0..n).filter_map(|i| predictions.residual(i, j)).map(|r| r * r).collect();
    f64::EPSILON / (squares.iter().sum::<f64>() / squares.len() as f64).sqrt()
}

fn assert_downstream_agrees(label: &str, data: &Responses, theirs: &Value) {
    let (items, variance) = (items(theirs), number(&theirs["cov"]));
    let down = &theirs["down"];
    let grid = Grid::reference().scoring();
    let scores = eap(data, &items, variance, &grid);
    let thetas: Vec<Option<f64>> = scores.iter().map(|s| s.map(|s| s.theta)).collect();
    let errors: Vec<Option<f64>> = scores.iter().map(|s| s.map(|s| s.standard_error)).collect();
    assert_agree(&format!("{label} EAP"), &thetas, &numbers_or_nan(&down["eap"]), GIVEN);
    assert_agree(&format!("{label} SE"), &errors, &numbers_or_nan(&down["se"]), GIVEN);
    let reliability = empirical_reliability(&scores).unwrap();
    assert!((reliability - number(&down["empirical_rxx"])).abs() < GIVEN, "{label}");

    let curve = numbers_or_nan(&down["testinfo"]["theta"]);
    let ours: Vec<_> = curve.iter().map(|&t| Some(test_information(&items, t))).collect();
    assert_agree(label, &ours, &numbers_or_nan(&down["testinfo"]["info"]), GIVEN);

    let predictions = Predictions::new(data, &items, &thetas).unwrap();
    let complete = data.is_complete();
    let report = item_fit(&predictions, VarianceFloor::Reference);
    assert_fit_agrees(&format!("{label} items"), &report, &down["itemfit"], complete);
    let report = person_fit(&predictions, VarianceFloor::Reference);
    assert_fit_agrees(&format!("{label} persons"), &report, &down["personfit"], true);

    let q3 = Q3::new(&predictions);
    let rounding: Vec<f64> = (0..items.len()).map(|j| q3_rounding(&predictions, j)).collect();
    for (i, row) in number_rows(&down["q3"]).iter().enumerate() {
        for (j, theirs) in row.iter().enumerate() {
            let tolerance = GIVEN.max(rounding[i]).max(rounding[j]);
            let label = format!("{label} Q3 {i} {j}");
            assert_agree(&label, &[q3.get(i, j)], &[*theirs], tolerance);
        }
    }
}

#[test]
fn everything_downstream_agrees_at_the_reference_parameters() {
    for name in ["LSAT7", "LSAT7_na", "swe60"] {
        let Some((data, _)) = oracle_matrix(name) else { return };
        let oracle = json(&format!("oraculo/{name}.json")).unwrap();
        for model in ["rasch", "twopl", "map"] {
            for stage in ["default", "tight"] {
                let theirs = &oracle[model][stage];
                if theirs["down"].is_object() {
                    assert_downstream_agrees(&format!("{name} {model} {stage}"), &data, theirs);
                }
            }
        }
    }
}

/// Scores of a fitted Rasch model, as the flagship chapter computes them.
fn real_scores(data: &Responses, rasch: &IrtFit) -> Vec<Option<Score>> {
    eap(data, &rasch.items, rasch.variance, &rasch.grid.scoring())
}

fn thetas(scores: &[Option<Score>]) -> Vec<Option<f64>> {
    scores.iter().map(|s| s.map(|s| s.theta)).collect()
}

#[test]
fn the_real_matrix_downstream_of_its_exact_estimates() {
    let Some((all, _)) = real_matrix() else { return };
    let theirs = &json("oraculo/real_exact.json").unwrap()["rasch"];
    let data = all.select_items(&all.varying_items());
    let (items, variance) = (items(theirs), number(&theirs["cov"]));
    let scores = eap(&data, &items, variance, &Grid::reference().scoring());
    let errors: Vec<_> = scores.iter().map(|s| s.map(|s| s.standard_error)).collect();
    let thetas = thetas(&scores);
    assert_agree("EAP", &thetas, &numbers_or_nan(&theirs["eap"]), GIVEN);
    assert_agree("SE", &errors, &numbers_or_nan(&theirs["se"]), GIVEN);
    let predictions = Predictions::new(&data, &items, &thetas).unwrap();
    let report = item_fit(&predictions, VarianceFloor::Reference);
    let column =
        |r: &FitReport, f: fn(&Fit) -> Option<f64>| r.fits.iter().map(f).collect::<Vec<_>>();
    let check = |label: &str, ours: Vec<Option<f64>>, name: &str| {
        assert_agree(label, &ours, &numbers_or_nan(&theirs[name]), GIVEN);
    };
    check("item infit", column(&report, |f| f.infit), "item_infit");
    check("item outfit", column(&report, |f| f.outfit), "item_outfit");
    let report = person_fit(&predictions, VarianceFloor::Reference);
    check("person infit", column(&report, |f| f.infit), "person_infit");
    check("person outfit", column(&report, |f| f.outfit), "person_outfit");
    check("Zh", column(&report, |f| f.zh), "Zh");
}

#[test]
fn the_counts_that_the_flagship_chapter_prints() {
    let Some((all, _)) = real_matrix() else { return };
    let theirs = json("oraculo/real.json").unwrap();
    let rasch = fit(&all, Model::Rasch);
    let data = all.select_items(&rasch.used);
    let scores = real_scores(&data, &rasch);
    let thetas = thetas(&scores);
    let predictions = Predictions::new(&data, &rasch.items, &thetas).unwrap();
    let report = item_fit(&predictions, VarianceFloor::Reference);
    let above = |f: fn(&Fit) -> Option<f64>, cut: f64| {
        report.fits.iter().filter(|fit| f(fit).is_some_and(|v| v > cut)).count()
    };
    assert_eq!(above(|f| f.infit, 1.3), 42);
    assert_eq!(above(|f| f.outfit, 2.0), 53);
    assert!(report.n_floored > 0 && report.n_cells == 158 * 469);

    let q3 = Q3::new(&predictions);
    let share = q3.share_above(0.2).unwrap();
    // One pair in 109,746 is 9e-6: none changes side.
    assert_close(share, number(&theirs["q3"]["alto"]), 4e-6);

    // Theirs stopped 0.0115 logits away: a step of the grid.
    let best = peak(&rasch.items).unwrap();
    assert_close(best.theta, number(&theirs["tri"]["th_max"]), 0.011);
    assert_close(best.information, number(&theirs["tri"]["info_max"]), 5e-3);
    let item = |b: f64| ItemParameters { slope: 1.0, intercept: -b };
    let rows = csv("oraculo/real_items.csv").unwrap();
    let at_theirs: Vec<_> =
        rows.iter().filter_map(|r| r["b_rasch"].parse().ok()).map(item).collect();
    let best = peak(&at_theirs).unwrap();
    assert_eq!(best.theta, number(&theirs["tri"]["th_max"]));
    assert_close(best.information, number(&theirs["tri"]["info_max"]), 1e-9);
    let top = thetas.iter().flatten().copied().fold(f64::NEG_INFINITY, f64::max);
    assert_close(top, number(&theirs["tri"]["th_top"]), 2e-2);
    let error = standard_error(&rasch.items, top).unwrap();
    assert_close(error, number(&theirs["tri"]["se_top"]), 1e-3);
}

#[test]
fn means_of_q3_by_repository() {
    let Some((all, names)) = real_matrix() else { return };
    let theirs = &json("oraculo/real.json").unwrap()["q3"];
    let rasch = fit(&all, Model::Rasch);
    let data = all.select_items(&rasch.used);
    let thetas = thetas(&real_scores(&data, &rasch));
    let q3 = Q3::new(&Predictions::new(&data, &rasch.items, &thetas).unwrap());
    let repository = |j: &usize| names[*j].split("__").next().unwrap().to_string();
    let of_item: Vec<String> = rasch.used.iter().map(repository).collect();
    let mut distinct = of_item.clone();
    distinct.sort();
    distinct.dedup();
    let label = |name: &String| distinct.binary_search(name).unwrap();
    let means = q3.group_means(&of_item.iter().map(label).collect::<Vec<_>>());
    // Theirs come from a fit that stopped at 1e-4.
    assert_close(means.within.unwrap(), number(&theirs["dentro"]), 1e-5);
    assert_close(means.between.unwrap(), number(&theirs["entre"]), 1e-5);
    for (name, mean) in distinct.iter().zip(&means.by_group) {
        match theirs["repo"][name].as_f64() {
            Some(reference) => assert_close(mean.unwrap(), reference, 2e-3),
            None => assert_eq!(*mean, None, "{name}"),
        }
    }
}
