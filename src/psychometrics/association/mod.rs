//! Association between binary items: 2 x 2 tables, phi, tetrachoric correlations.

pub mod bivariate;
mod matrix;
mod minimise;
mod smooth;
mod tetrachoric;

pub use bivariate::bivariate_normal_cdf;
pub use matrix::CorrelationMatrix;
pub use smooth::{Smoothed, smooth_to_positive_definite};
pub use tetrachoric::{
    PSYCH_TOLERANCE, Tetrachoric, TetrachoricPair, tetrachoric_matrix, tetrachoric_pair,
};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::Undefined;
use crate::data::Responses;

/// How two items were answered together, among the examinees who answered both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PairTable {
    /// Both wrong.
    pub n00: u32,
    /// First wrong, second right.
    pub n01: u32,
    /// First right, second wrong.
    pub n10: u32,
    /// Both right.
    pub n11: u32,
}

impl PairTable {
    /// Counts the table of items `a` and `b`.
    pub fn count(responses: &Responses, a: usize, b: usize) -> Self {
        let (a, b) = (responses.item(a), responses.item(b));
        let (mut n, mut na, mut nb, mut n11) = (0, 0, 0, 0);
        for w in 0..a.observed.len() {
            n += (a.observed[w] & b.observed[w]).count_ones();
            na += (a.correct[w] & b.observed[w]).count_ones();
            nb += (a.observed[w] & b.correct[w]).count_ones();
            n11 += (a.correct[w] & b.correct[w]).count_ones();
        }
        Self { n00: n + n11 - na - nb, n01: nb - n11, n10: na - n11, n11 }
    }

    /// Examinees who answered both.
    pub fn n(&self) -> u32 {
        self.n00 + self.n01 + self.n10 + self.n11
    }

    /// The table of the same items in the other order.
    pub fn transposed(self) -> Self {
        Self { n01: self.n10, n10: self.n01, ..self }
    }

    /// The four cells, as `[n00, n01, n10, n11]`.
    pub fn cells(&self) -> [u32; 4] {
        [self.n00, self.n01, self.n10, self.n11]
    }

    /// Phi: Pearson's correlation of the two items.
    pub fn phi(&self) -> Result<f64, Undefined> {
        let [n00, n01, n10, n11] = self.cells().map(i64::from);
        let (row0, row1, column0, column1) = (n00 + n01, n10 + n11, n00 + n10, n01 + n11);
        if self.n() < 2 {
            return Err(Undefined::TooFew { needed: 2, found: self.n() as usize });
        }
        if row0 == 0 || row1 == 0 || column0 == 0 || column1 == 0 {
            return Err(Undefined::ZeroVariance);
        }
        let rows = (row0 as f64 * row1 as f64).sqrt();
        let columns = (column0 as f64 * column1 as f64).sqrt();
        Ok(((n00 * n11 - n01 * n10) as f64 / (rows * columns)).clamp(-1.0, 1.0))
    }
}

/// Phi of all pairs of the given items, over the examinees who answered both.
pub fn phi_matrix(responses: &Responses, items: &[usize]) -> CorrelationMatrix {
    let pairs = lower_pairs(items.len());
    let values = pairs
        .into_par_iter()
        .map(|(i, j)| PairTable::count(responses, items[i], items[j]).phi())
        .collect();
    CorrelationMatrix::from_lower(items.len(), values)
}

/// The pairs `(row, column)` below the diagonal, row by row.
fn lower_pairs(order: usize) -> Vec<(usize, usize)> {
    (0..order).flat_map(|i| (0..i).map(move |j| (i, j))).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::psychometrics::stats;

    #[test]
    fn phi_of_constant_or_unseen_items_has_a_reason() {
        let table = |n00, n01, n10, n11| PairTable { n00, n01, n10, n11 };
        assert_eq!(table(3, 0, 4, 0).phi(), Err(Undefined::ZeroVariance));
        assert_eq!(table(0, 0, 0, 0).phi(), Err(Undefined::TooFew { needed: 2, found: 0 }));
        assert_eq!(table(4, 0, 0, 6).phi(), Ok(1.0));
        assert_eq!(table(0, 4, 6, 0).phi(), Ok(-1.0));
    }

    proptest! {
        #[test]
        fn phi_is_the_correlation_of_the_jointly_answered(
            cells in prop::collection::vec((0u8..5, 0u8..5), 2..150),
        ) {
            let answer = |c: u8| (c != 4).then_some(c % 2 == 1);
            let m = Responses::from_fn(cells.len(), 2, |i, j| {
                answer(if j == 0 { cells[i].0 } else { cells[i].1 })
            });
            let both = cells.iter().filter_map(|&(a, b)| Some((answer(a)?, answer(b)?)));
            let (x, y): (Vec<f64>, Vec<f64>) =
                both.map(|(a, b)| (f64::from(u8::from(a)), f64::from(u8::from(b)))).unzip();
            let table = PairTable::count(&m, 0, 1);
            prop_assert_eq!(table.n() as usize, x.len());
            match (table.phi(), stats::pearson(&x, &y)) {
                (Ok(a), Ok(b)) => prop_assert!((a - b).abs() < 1e-14),
                (a, b) => prop_assert_eq!(a.is_err(), b.is_err()),
            }
        }
    }
}
