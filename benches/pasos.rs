//! Each step of the analysis by itself, on the demonstration matrix, and how the
//! cost of fitting grows with the data.

use divan::{Bencher, black_box};
use escritura::data::{ReadOptions, Responses, read_responses};
use escritura::psychometrics::association::{smooth_to_positive_definite, tetrachoric_matrix};
use escritura::psychometrics::dimensionality::{ParallelAnalysis, parallel_analysis, phi_spectrum};
use escritura::psychometrics::irt::{FitOptions, LogNormal, Model, fit};
use escritura::psychometrics::{classical, stats};
use std::path::Path;
use std::sync::LazyLock;

const PRIOR: Model = Model::TwoParameterPrior(LogNormal { mean_log: 0.5, sd_log: 0.5 });

static MATRIX: LazyLock<Responses> = LazyLock::new(|| {
    let file = "content/swebench/datos/respuestas_swebench_verified.csv";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    read_responses(&path, &ReadOptions::default()).expect("the demonstration data").responses
});

fn main() {
    LazyLock::force(&MATRIX);
    divan::main();
}

#[divan::bench]
fn classical_analysis() {
    black_box(classical::analyse(&MATRIX));
}

#[divan::bench]
fn hamming_pairs() {
    black_box(stats::hamming_pairs(&MATRIX, 10));
}

#[divan::bench]
fn tetrachoric() {
    black_box(tetrachoric_matrix(&MATRIX));
}

#[divan::bench]
fn smoothing(bencher: Bencher) {
    let raw = tetrachoric_matrix(&MATRIX).rho;
    bencher.bench(|| smooth_to_positive_definite(&raw));
}

#[divan::bench]
fn phi_eigenvalues() {
    black_box(phi_spectrum(&MATRIX).ok());
}

#[divan::bench]
fn fifty_permutations() {
    let options = ParallelAnalysis { n_permutations: 50, seed: 20_261_025, n_positions: 10 };
    black_box(parallel_analysis(&MATRIX, options).ok());
}

#[divan::bench(args = [Model::Rasch, PRIOR, Model::TwoParameter], sample_count = 10)]
fn model(model: Model) {
    black_box(fit(&MATRIX, model, &FitOptions::default()).ok());
}

/// A matrix of the Rasch family without a random generator: a hash of the cell
/// against a logistic curve.
fn synthetic(n: usize, k: usize) -> Responses {
    let uniform = |i: usize, j: usize| {
        let mut x = (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ (j as u64 + 1).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 31)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (x >> 11) as f64 / (1u64 << 53) as f64
    };
    Responses::from_fn(n, k, |i, j| {
        let theta = 3.0 * (uniform(i, usize::MAX) - 0.5) * 2.0;
        let b = 3.0 * (uniform(usize::MAX, j) - 0.5) * 2.0;
        Some(uniform(i, j) < 1.0 / (1.0 + (b - theta).exp()))
    })
}

/// The cost of a fit should grow with N times k.
#[divan::bench(args = [(1_000, 100), (1_000, 500), (1_000, 2_000), (10_000, 100), (10_000, 500), (100_000, 100)], sample_count = 3)]
fn prior_model_by_size(bencher: Bencher, (n, k): (usize, usize)) {
    let matrix = synthetic(n, k);
    bencher.bench(|| fit(&matrix, PRIOR, &FitOptions::default()).ok());
}

/// Rasch uses the total scores: its cost hardly depends on N.
#[divan::bench(args = [1_000, 10_000, 100_000], sample_count = 3)]
fn rasch_by_examinees(bencher: Bencher, n: usize) {
    let matrix = synthetic(n, 500);
    bencher.bench(|| fit(&matrix, Model::Rasch, &FitOptions::default()).ok());
}
