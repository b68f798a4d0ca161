//! Eigenvalues of phi, parallel analysis and horseshoe against R.

use escritura::psychometrics::dimensionality::{
    ParallelAnalysis, horseshoe, parallel_analysis, phi_spectrum,
};
use escritura::psychometrics::r_random::RRandom;

use crate::oracle::{self, assert_all_close, assert_close};

const SEED: u32 = 20_261_025;

/// Eigenvalues of two libraries, of a matrix whose trace is at most 469: rounding
/// of some units in the 12th digit, on 15 printed.
const ROUNDING: f64 = 1e-11;

#[test]
fn small_matrices_equal_r() {
    for name in ["LSAT7", "swe60"] {
        let Some((responses, _)) = oracle::oracle_matrix(name) else { return };
        let Some(expected) = oracle::json(&format!("oraculo/{name}.json")) else { return };
        let spectrum = phi_spectrum(&responses).unwrap();
        assert_all_close(&spectrum.values, &oracle::numbers(&expected["phi"]["eig"]), ROUNDING);

        let pa = &expected["pa"];
        let q95 = oracle::numbers(&pa["q95"]);
        let n_permutations = pa["n"].as_u64().unwrap() as usize;
        let options = ParallelAnalysis { n_permutations, seed: SEED, n_positions: q95.len() };
        let null = parallel_analysis(&responses, options).unwrap();
        assert_all_close(&null.thresholds, &q95, ROUNDING);
        assert_all_close(&null.means, &oracle::numbers(&pa["mean"]), ROUNDING);
        assert_all_close(&null.replications[0], &oracle::numbers(&pa["eig1"]), ROUNDING);

        let mut first: Vec<u64> = (0..responses.n_examinees())
            .map(|i| u64::from(responses.get(i, 0) == Some(true)))
            .collect();
        RRandom::new(SEED).permute(&mut first);
        let head = pa["first_perm_item1_head"].as_array().unwrap();
        assert!(head.iter().map(|v| v.as_u64().unwrap()).eq(first[..head.len()].iter().copied()));
    }
}

#[test]
fn the_real_matrix_equals_r() {
    let Some((responses, _)) = oracle::real_matrix() else { return };
    let Some(expected) = oracle::json("oraculo/real.json") else { return };
    let expected = &expected["dim"];
    let spectrum = phi_spectrum(&responses).unwrap();
    assert_all_close(&spectrum.values[..10], &oracle::numbers(&expected["ev_phi"]), ROUNDING);
    assert_close(spectrum.values.iter().sum(), oracle::number(&expected["traza"]), ROUNDING);

    let options = ParallelAnalysis { n_permutations: 50, seed: SEED, n_positions: 10 };
    let null = parallel_analysis(&responses, options).unwrap();
    assert_all_close(&null.thresholds, &oracle::numbers(&expected["umbral_pa"]), ROUNDING);
    let retained = expected["n_fact"].as_u64().unwrap() as usize;
    assert_eq!(null.retained(&spectrum.values), retained);

    let bent = horseshoe(&responses).unwrap();
    assert_close(bent.r2_linear, oracle::number(&expected["r2_lin"]), ROUNDING);
    assert_close(bent.r2_quadratic, oracle::number(&expected["r2_quad"]), ROUNDING);
}

#[test]
fn the_real_matrix_without_its_baselines_equals_r() {
    let Some((responses, _)) = oracle::real_matrix() else { return };
    let Some(submissions) = oracle::csv("datos/envios_swebench_verified.csv") else { return };
    let Some(expected) = oracle::json("oraculo/real.json") else { return };
    let others: Vec<usize> = submissions
        .iter()
        .filter(|row| row["incluido"] == "1")
        .enumerate()
        .filter(|(_, row)| row["agente"] != "RAG baseline")
        .map(|(i, _)| i)
        .collect();
    let spectrum = phi_spectrum(&responses.select_examinees(&others)).unwrap();
    let leading = oracle::numbers(&expected["dim"]["ev_s"]);
    assert_all_close(&spectrum.values[..leading.len()], &leading, ROUNDING);
    assert_close(spectrum.ratio().unwrap(), leading[0] / leading[1], ROUNDING);
}
