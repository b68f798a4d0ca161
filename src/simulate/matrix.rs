//! Plain matrices of any size, made and written in pieces.

use super::random::{Random, logistic};
use crate::data::provenance;
use crate::data::storage::Draft;
use crate::diagnostics::{Diagnostic, code};
use rayon::prelude::*;
use std::path::Path;

/// Examinees made at a time by one thread.
const CHUNK: usize = 1024;

/// Abilities are rounded to this step, so that the probabilities of every item
/// are computed once per step instead of once per cell.
const STEP: f64 = 1.0 / 32.0;
const STEPS: usize = 257;

/// Far more than any test has; the memory grows with the items.
const MOST_EXAMINEES: usize = 10_000_000;
const MOST_ITEMS: usize = 100_000;

/// A matrix of 0/1 under the two-parameter logistic model: abilities N(0, 1.5)
/// within ±4, difficulties N(0, 1.5), slopes lognormal(0, 0.3).
#[derive(Debug, Clone, PartialEq)]
pub struct MatrixOptions {
    /// The seed.
    pub seed: u64,
    /// Number of rows.
    pub examinees: usize,
    /// Number of columns.
    pub items: usize,
    /// Probability that a cell is missing.
    pub missing: f64,
}

/// Writes the matrix as CSV: `id`, then one column per item. Memory does not
/// depend on the number of rows, nor do the bytes on the number of threads.
///
/// # Errors
/// No rows or columns, or too many, a probability outside 0 to 1, or a file that
/// cannot be written.
pub fn write_matrix(options: &MatrixOptions, path: &Path) -> Result<(), Diagnostic> {
    check(options, path)?;
    if path.is_file() {
        provenance::refuse_over_real(path.parent().unwrap_or(Path::new("")))?;
    }
    let thresholds = thresholds(options);
    let mut draft = Draft::new(path)?;
    draft.write(header(options.items).as_bytes())?;
    let n_chunks = options.examinees.div_ceil(CHUNK);
    let batch = rayon::current_num_threads() * 2;
    for first in (0..n_chunks).step_by(batch) {
        let chunks: Vec<Vec<u8>> = (first..n_chunks.min(first + batch))
            .into_par_iter()
            .map(|chunk| rows(options, &thresholds, chunk))
            .collect();
        chunks.iter().try_for_each(|bytes| draft.write(bytes))?;
    }
    draft.publish()
}

fn check(options: &MatrixOptions, path: &Path) -> Result<(), Diagnostic> {
    let message = if options.examinees == 0 || options.items == 0 {
        "hacen falta al menos un examinado y un reactivo"
    } else if options.examinees > MOST_EXAMINEES || options.items > MOST_ITEMS {
        "una matriz simulada no pasa de 10 000 000 de examinados ni de 100 000 reactivos"
    } else if !(0.0..=1.0).contains(&options.missing) {
        "la proporción de faltantes debe estar entre 0 y 1"
    } else {
        return Ok(());
    };
    Err(Diagnostic::new(code::CONFIG, path, message))
}

fn header(items: usize) -> String {
    let digits = items.to_string().len();
    let names = (1..=items).map(|j| format!(",r{j:0digits$}"));
    "id".to_owned() + &names.collect::<String>() + "\n"
}

/// For each step of ability, the draw below which each item is solved.
fn thresholds(options: &MatrixOptions) -> Vec<Vec<u32>> {
    let mut random = Random::new(options.seed, 0);
    let items: Vec<(f64, f64)> = (0..options.items)
        .map(|_| (libm::exp(random.normal(0.0, 0.3)), random.normal(0.0, 1.5)))
        .collect();
    let ability = |step: usize| (step as f64 - (STEPS / 2) as f64) * STEP;
    let threshold = |ability: f64, &(slope, difficulty): &(f64, f64)| {
        (logistic(slope * (ability - difficulty)) * f64::from(u32::MAX)) as u32
    };
    (0..STEPS)
        .into_par_iter()
        .map(|step| items.iter().map(|item| threshold(ability(step), item)).collect())
        .collect()
}

fn rows(options: &MatrixOptions, thresholds: &[Vec<u32>], chunk: usize) -> Vec<u8> {
    let mut random = Random::new(options.seed, chunk as u64 + 1);
    let digits = options.examinees.to_string().len();
    let mut bytes = Vec::with_capacity(CHUNK * (2 * options.items + digits + 2));
    for i in chunk * CHUNK..options.examinees.min((chunk + 1) * CHUNK) {
        bytes.extend_from_slice(format!("e{:0digits$}", i + 1).as_bytes());
        let step = (random.normal(0.0, 1.5) / STEP).round() + (STEPS / 2) as f64;
        let step = step.clamp(0.0, (STEPS - 1) as f64) as usize;
        for &threshold in &thresholds[step] {
            bytes.push(b',');
            if options.missing == 0.0 || !random.chance(options.missing) {
                bytes.push(b'0' + u8::from(random.bits() < threshold));
            }
        }
        bytes.push(b'\n');
    }
    bytes
}
