//! Tetrachoric correlations and their smoothing against psych 2.2.9.

use escritura::psychometrics::association::{
    self, CorrelationMatrix, PSYCH_TOLERANCE, PairTable, Smoothed, Tetrachoric,
};
use serde_json::Value;

use crate::oracle::{self, assert_all_close, assert_close};

/// psych's search stops within 1.2e-4 of the maximum, and where exactly it stops
/// depends on the last bits of the likelihood: same steps, agreement to this.
const SAME_STEPS: f64 = 1e-10;

fn assert_matrix_close(ours: &CorrelationMatrix, reference: &Value, tolerance: f64) {
    for (i, row) in reference.as_array().unwrap().iter().enumerate() {
        let ours: Vec<f64> = (0..ours.order()).map(|j| ours.get(i, j).unwrap()).collect();
        assert_all_close(&ours, &oracle::numbers(row), tolerance);
    }
}

fn smoothed(responses: &escritura::data::Responses) -> (Tetrachoric, Smoothed) {
    let raw = association::tetrachoric_matrix(responses);
    let smoothed = association::smooth_to_positive_definite(&raw.rho).unwrap();
    (raw, smoothed)
}

#[test]
fn small_matrices_equal_psych() {
    for name in ["LSAT7", "LSAT7_na", "swe60"] {
        let Some((responses, _)) = oracle::oracle_matrix(name) else { return };
        let Some(expected) = oracle::json(&format!("oraculo/{name}.json")) else { return };
        let expected = &expected["tetra"];
        let (raw, smooth) = smoothed(&responses);
        // Quantiles of the same proportions: rounding.
        assert_all_close(&raw.thresholds, &oracle::numbers(&expected["tau"]), 2e-14);
        assert_matrix_close(&raw.rho, &expected["rho_raw"], SAME_STEPS);
        assert_eq!(raw.n_corrected_pairs as u64, expected["zero_cell_pairs"].as_u64().unwrap());
        assert_eq!(smooth.changed, expected["smoothed"].as_bool().unwrap());
        assert_matrix_close(&smooth.matrix, &expected["rho"], SAME_STEPS);
        // An eigenvalue moves by at most the sum of a row's differences.
        let tolerance = SAME_STEPS * raw.rho.order() as f64;
        assert_all_close(
            &smooth.raw_eigenvalues,
            &oracle::numbers(&expected["eig_raw"]),
            tolerance,
        );
        assert_all_close(&smooth.eigenvalues, &oracle::numbers(&expected["eig"]), tolerance);
    }
}

#[test]
fn the_real_matrix_equals_psych() {
    let Some((responses, names)) = oracle::real_matrix() else { return };
    let Some(expected) = oracle::json("oraculo/real_tight.json") else { return };
    let (raw, smooth) = smoothed(&responses);
    let sample: Vec<usize> = expected["rho_muestra"]["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| raw.items.iter().position(|&j| names[j] == item.as_str().unwrap()).unwrap())
        .collect();
    for (&i, row) in sample.iter().zip(expected["rho_muestra"]["rho"].as_array().unwrap()) {
        let ours: Vec<f64> = sample.iter().map(|&j| raw.rho.get(i, j).unwrap()).collect();
        assert_all_close(&ours, &oracle::numbers(row), SAME_STEPS);
    }
    let tolerance = SAME_STEPS * raw.rho.order() as f64;
    let listed = |key: &str| oracle::numbers(&expected[key]);
    assert_all_close(&smooth.raw_eigenvalues[..10], &listed("ev_tet_crudo"), tolerance);
    assert_all_close(&smooth.eigenvalues[..10], &listed("ev_tet"), tolerance);
    let smallest = oracle::number(&expected["ev_tet_min_crudo"]);
    assert_close(smooth.smallest_raw_eigenvalue().unwrap(), smallest, tolerance);
    assert_close(smooth.eigenvalues.iter().sum(), raw.items.len() as f64, 1e-9);
}

/// On which side the error of psych's search lies: its correlations, and ours with
/// its tolerance, are off the true maximum by up to some 1e-4; with a finer
/// tolerance ours reach it.
#[test]
fn the_error_of_the_search_is_psychs() {
    let Some((responses, _)) = oracle::oracle_matrix("LSAT7") else { return };
    let raw = association::tetrachoric_matrix(&responses);
    let mut largest = 0.0_f64;
    for i in 0..5 {
        for j in 0..i {
            let table = PairTable::count(&responses, i, j);
            let at = |tolerance| {
                let (a, b) = (raw.thresholds[i], raw.thresholds[j]);
                association::tetrachoric_pair(table, a, b, tolerance).unwrap().rho
            };
            let (exact, finer) = (at(1e-9), at(1e-8));
            // A minimum is located to about the root of the machine's epsilon.
            assert_close(finer, exact, 1e-7);
            largest = largest.max((at(PSYCH_TOLERANCE) - exact).abs());
        }
    }
    assert!(largest > 1e-7 && largest < PSYCH_TOLERANCE, "{largest:e}");
}

#[test]
fn the_base_case_is_indefinite_and_square_data_are_data() {
    let case = |name: &str| oracle::matrix(&format!("oraculo/casos/{name}.csv"), true);
    let Some((base, _)) = case("00_base") else { return };
    let (_, smooth) = smoothed(&base);
    // As printed in the cases: 5 and 8 significant digits.
    assert_close(smooth.smallest_raw_eigenvalue().unwrap(), -0.013645, 5e-7);
    assert_close(smooth.eigenvalues[0], 3.3983829, 5e-8);
    let (square, _) = case("23_square_N_equals_k").unwrap();
    assert_eq!(square.n_examinees(), square.n_items());
    assert_eq!(association::tetrachoric_matrix(&square).rho.n_undefined(), 0);
    for (name, k) in [("20_one_item", 1), ("21_two_items", 2), ("32_one_person", 0)] {
        let (raw, smooth) = smoothed(&case(name).unwrap().0);
        assert_eq!((raw.items.len(), smooth.eigenvalues.len()), (k, k));
    }
}
