//! Tetrachoric correlations by two-step maximum likelihood.
//!
//! Divgi's two steps as in R's psych 2.2.9: thresholds from each item's own
//! answers, then the correlation that maximises the likelihood of the pair's table
//! with thresholds held fixed. psych leaves the maximum to R's `optimize` with a
//! tolerance of eps^(1/4); its results differ from the true maximum by some 2e-5,
//! and ours follow the same steps, so that they carry the same error and agree with
//! psych to rounding. A smaller tolerance gives the true maximum.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::bivariate::Threshold;
use super::minimise::brent;
use super::{CorrelationMatrix, PairTable, lower_pairs};
use crate::data::Responses;
use crate::psychometrics::Undefined;
use crate::psychometrics::stats::normal_quantile;

/// The tolerance of R's `optimize` by default: eps^(1/4).
pub const PSYCH_TOLERANCE: f64 = 1.220_703_125e-4;

/// What stands in for an empty cell.
const EMPTY_CELL: f64 = 0.5;

/// Tetrachoric correlations of the items with variance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tetrachoric {
    /// The items with variance, as indices into the matrix given: rows and columns
    /// of `rho`, in order.
    pub items: Vec<usize>,
    /// Normal quantile of each item's share of wrong answers.
    pub thresholds: Vec<f64>,
    /// The raw correlations. Those of a pair that fewer than three examinees
    /// answered have no value.
    pub rho: CorrelationMatrix,
    /// Pairs whose table has an empty cell, replaced by one half.
    pub n_corrected_pairs: usize,
}

/// One tetrachoric correlation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TetrachoricPair {
    /// The correlation, inside (-1, 1).
    pub rho: f64,
    /// Whether an empty cell was replaced.
    pub corrected: bool,
}

/// Tetrachoric correlation of a table whose items have thresholds `first` and
/// `second`, to the given tolerance ([`PSYCH_TOLERANCE`] for psych's result).
pub fn tetrachoric_pair(
    table: PairTable,
    first: f64,
    second: f64,
    tolerance: f64,
) -> Result<TetrachoricPair, Undefined> {
    let n = table.n() as usize;
    if n < 3 {
        return Err(Undefined::TooFew { needed: 3, found: n });
    }
    if !first.is_finite() || !second.is_finite() {
        return Err(Undefined::ZeroVariance);
    }
    let cells = table.cells();
    let [n00, n01, n10, n11] =
        cells.map(|cell| if cell == 0 { EMPTY_CELL } else { f64::from(cell) });
    let thresholds = Threshold::pair(first, second);
    let rho = brent(-1.0, 1.0, tolerance, |rho| {
        let p00 = thresholds.cdf(rho);
        let p01 = thresholds.below_h - p00;
        let p10 = thresholds.below_k - p00;
        let p11 = 1.0 - thresholds.below_h - p10;
        -(n00 * p00.ln() + n01 * p01.ln() + n10 * p10.ln() + n11 * p11.ln())
    });
    Ok(TetrachoricPair { rho, corrected: cells.contains(&0) })
}

/// Tetrachoric correlations of all pairs of items with variance, as psych gives
/// them before smoothing. Constant items are left out.
pub fn tetrachoric_matrix(responses: &Responses) -> Tetrachoric {
    let items = responses.varying_items();
    let thresholds: Vec<f64> = items
        .iter()
        .map(|&j| {
            let item = responses.item(j);
            let wrong = item.n_observed() - item.n_correct();
            normal_quantile(wrong as f64 / item.n_observed() as f64)
        })
        .collect();
    let pairs = lower_pairs(items.len());
    let mut entries = Vec::with_capacity(pairs.len());
    let mut n_corrected_pairs = 0;
    for block in pairs.chunks(PAIRS_PER_BLOCK) {
        for pair in block_correlations(responses, &items, &thresholds, block) {
            n_corrected_pairs += usize::from(pair.is_ok_and(|pair| pair.corrected));
            entries.push(pair.map(|pair| pair.rho));
        }
    }
    let rho = CorrelationMatrix::from_lower(items.len(), entries);
    Tetrachoric { items, thresholds, rho, n_corrected_pairs }
}

/// Pairs held in memory at once.
const PAIRS_PER_BLOCK: usize = 1 << 18;

/// A table with its thresholds in a canonical order: equal problems compare equal,
/// whichever item comes first.
#[derive(Clone, Copy, PartialEq)]
struct Problem {
    first: f64,
    second: f64,
    table: PairTable,
}

impl Problem {
    fn new(table: PairTable, first: f64, second: f64) -> Self {
        let one = Self { first, second, table };
        let other = Self { first: second, second: first, table: table.transposed() };
        if one.cmp(&other).is_le() { one } else { other }
    }

    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.first
            .total_cmp(&other.first)
            .then(self.second.total_cmp(&other.second))
            .then(self.table.cmp(&other.table))
    }
}

/// Solves each distinct problem once: many items share their difficulty, and many
/// pairs their whole table.
fn block_correlations(
    responses: &Responses,
    items: &[usize],
    thresholds: &[f64],
    pairs: &[(usize, usize)],
) -> Vec<Result<TetrachoricPair, Undefined>> {
    let problems: Vec<Problem> = pairs
        .par_iter()
        .map(|&(i, j)| {
            let table = PairTable::count(responses, items[i], items[j]);
            Problem::new(table, thresholds[i], thresholds[j])
        })
        .collect();
    let mut distinct = problems.clone();
    distinct.par_sort_unstable_by(Problem::cmp);
    distinct.dedup();
    let solutions: Vec<_> = distinct
        .par_iter()
        .map(|p| tetrachoric_pair(p.table, p.first, p.second, PSYCH_TOLERANCE))
        .collect();
    let solution = |problem: &Problem| {
        let at = distinct.binary_search_by(|other| other.cmp(problem));
        solutions[at.expect("every problem is among the distinct ones")]
    };
    problems.par_iter().map(solution).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn table(n00: u32, n01: u32, n10: u32, n11: u32) -> PairTable {
        PairTable { n00, n01, n10, n11 }
    }

    /// Thresholds from the table's own margins.
    fn solve(table: PairTable, tolerance: f64) -> TetrachoricPair {
        let n = f64::from(table.n());
        let first = normal_quantile(f64::from(table.n00 + table.n01) / n);
        let second = normal_quantile(f64::from(table.n00 + table.n10) / n);
        tetrachoric_pair(table, first, second, tolerance).unwrap()
    }

    #[test]
    fn a_median_split_has_the_closed_form() {
        // Both thresholds 0: P11 = 1/4 + asin(rho) / 2 pi.
        let exact = (std::f64::consts::TAU * (0.4 - 0.25)).sin();
        let found = solve(table(40, 10, 10, 40), 1e-9);
        // The likelihood is flat to rounding within the root of epsilon.
        assert!((found.rho - exact).abs() < 1e-7);
        assert!((solve(table(40, 10, 10, 40), PSYCH_TOLERANCE).rho - exact).abs() < 1e-4);
    }

    #[test]
    fn independence_is_zero_and_reflection_changes_the_sign() {
        assert!(solve(table(36, 12, 24, 8), 1e-9).rho.abs() < 1e-7);
        let plus = solve(table(30, 9, 14, 47), 1e-9).rho;
        let minus = solve(table(9, 30, 47, 14), 1e-9).rho;
        assert!((plus + minus).abs() < 1e-7);
    }

    #[test]
    fn an_empty_cell_is_corrected_and_counted() {
        assert!(solve(table(20, 0, 10, 20), PSYCH_TOLERANCE).corrected);
        assert!(!solve(table(20, 1, 10, 20), PSYCH_TOLERANCE).corrected);
    }

    #[test]
    fn few_examinees_or_constant_items_have_a_reason() {
        let few = tetrachoric_pair(table(1, 0, 0, 1), 0.0, 0.0, 1e-4);
        assert_eq!(few, Err(Undefined::TooFew { needed: 3, found: 2 }));
        let constant = tetrachoric_pair(table(0, 0, 4, 4), f64::NEG_INFINITY, 0.0, 1e-4);
        assert_eq!(constant, Err(Undefined::ZeroVariance));
    }

    #[test]
    fn equal_items_correlate_almost_perfectly_and_constant_ones_leave() {
        let m = Responses::from_fn(40, 4, |i, j| Some(if j == 2 { true } else { i % 3 == 0 }));
        let result = tetrachoric_matrix(&m);
        assert_eq!(result.items, [0, 1, 3]);
        assert_eq!(result.n_corrected_pairs, 3);
        assert!(result.rho.defined().all(|rho| rho > 0.98 && rho < 1.0));
        let empty = tetrachoric_matrix(&Responses::from_fn(0, 0, |_, _| None));
        assert_eq!(empty.rho.order(), 0);
    }

    proptest! {
        #[test]
        fn the_order_of_items_and_examinees_does_not_change_a_bit(
            n in 6usize..80, k in 2usize..7, cells in prop::collection::vec(0u8..9, 80 * 7),
        ) {
            let m = Responses::from_fn(n, k, |i, j| match cells[i * k + j] {
                8 => None,
                c => Some(c % 2 == 1),
            });
            let (rows, columns): (Vec<usize>, Vec<usize>) =
                ((0..n).rev().collect(), (0..k).rev().collect());
            let one = tetrachoric_matrix(&m);
            let two = tetrachoric_matrix(&m.select_examinees(&rows).select_items(&columns));
            let last = one.items.len().saturating_sub(1);
            prop_assert_eq!(one.n_corrected_pairs, two.n_corrected_pairs);
            for i in 0..one.items.len() {
                for j in 0..i {
                    prop_assert_eq!(one.rho.get(i, j), two.rho.get(last - i, last - j));
                }
            }
        }
    }

    #[test]
    fn the_number_of_threads_changes_nothing() {
        let m = Responses::from_fn(70, 40, |i, j| Some((i * 31 + j * j * 7 + i * j) % 10 < 4));
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| tetrachoric_matrix(&m))
        };
        assert_eq!(with(1), with(3));
    }
}
