//! A correlation matrix in which some entries may have no value.

use faer::Mat;
use serde::{Deserialize, Serialize};

use crate::psychometrics::Undefined;

/// A symmetric matrix with ones on the diagonal; entries may be undefined.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CorrelationMatrix {
    order: usize,
    /// Below the diagonal, row by row; 0 where undefined.
    lower: Vec<f64>,
    /// Positions in `lower` without value, ascending.
    undefined: Vec<usize>,
}

impl CorrelationMatrix {
    /// From the entries below the diagonal, row by row.
    ///
    /// Panics when their number is not `order (order - 1) / 2`.
    pub fn from_lower(order: usize, entries: Vec<Result<f64, Undefined>>) -> Self {
        assert_eq!(entries.len(), order * order.saturating_sub(1) / 2);
        let undefined = (0..entries.len()).filter(|&at| entries[at].is_err()).collect();
        let lower = entries.into_iter().map(|entry| entry.unwrap_or(0.0)).collect();
        Self { order, lower, undefined }
    }

    /// Number of rows.
    pub fn order(&self) -> usize {
        self.order
    }

    /// The entry of row `i` and column `j`; `None` when it has no value.
    pub fn get(&self, i: usize, j: usize) -> Option<f64> {
        assert!(i < self.order && j < self.order);
        if i == j {
            return Some(1.0);
        }
        let (row, column) = (i.max(j), i.min(j));
        let at = row * (row - 1) / 2 + column;
        self.undefined.binary_search(&at).is_err().then(|| self.lower[at])
    }

    /// The defined entries below the diagonal, row by row.
    pub fn defined(&self) -> impl Iterator<Item = f64> {
        (0..self.order).flat_map(move |i| (0..i).filter_map(move |j| self.get(i, j)))
    }

    /// Number of pairs without value.
    pub fn n_undefined(&self) -> usize {
        self.undefined.len()
    }

    /// The whole matrix, when every entry has a value.
    pub fn to_dense(&self) -> Result<Mat<f64>, Undefined> {
        if self.n_undefined() > 0 {
            return Err(Undefined::UndefinedEntries { count: self.n_undefined() });
        }
        let entry = |i: usize, j: usize| self.lower[i * (i - 1) / 2 + j];
        Ok(Mat::from_fn(self.order, self.order, |i, j| match i.cmp(&j) {
            std::cmp::Ordering::Equal => 1.0,
            std::cmp::Ordering::Greater => entry(i, j),
            std::cmp::Ordering::Less => entry(j, i),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_without_value_is_none_and_bars_the_dense_form() {
        let entries = vec![Ok(0.5), Err(Undefined::ZeroVariance), Ok(-0.25)];
        let matrix = CorrelationMatrix::from_lower(3, entries);
        assert_eq!((matrix.get(0, 2), matrix.get(2, 1)), (None, Some(-0.25)));
        assert_eq!((matrix.get(1, 0), matrix.get(1, 1)), (Some(0.5), Some(1.0)));
        assert_eq!(matrix.defined().collect::<Vec<_>>(), [0.5, -0.25]);
        let reason = Undefined::UndefinedEntries { count: 1 };
        assert_eq!(matrix.to_dense().unwrap_err(), reason);
    }
}
