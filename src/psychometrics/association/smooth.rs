//! Smoothing of an indefinite correlation matrix, as psych's `cor.smooth`.

use faer::Mat;
use faer::linalg::matmul::matmul;
use serde::{Deserialize, Serialize};

use super::CorrelationMatrix;
use crate::psychometrics::{Undefined, spectral};

/// A correlation matrix made positive definite.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Smoothed {
    /// The matrix, as it came when it needed no smoothing.
    pub matrix: CorrelationMatrix,
    /// Whether it was changed.
    pub changed: bool,
    /// Eigenvalues before smoothing, largest first.
    pub raw_eigenvalues: Vec<f64>,
    /// Eigenvalues after smoothing, largest first; they add up to the order.
    pub eigenvalues: Vec<f64>,
}

impl Smoothed {
    /// The smallest eigenvalue of the raw matrix: negative when it was indefinite.
    pub fn smallest_raw_eigenvalue(&self) -> Option<f64> {
        self.raw_eigenvalues.last().copied()
    }
}

/// Eigenvalues under this are raised (psych's `eig.tol`) ...
const SMALL: f64 = 1e-12;
/// ... to this.
const RAISED: f64 = 100.0 * SMALL;

/// psych's smoothing: when the smallest eigenvalue is under 2.2e-16, eigenvalues
/// under 1e-12 become 1e-10, all are rescaled to add up to the order, and the
/// matrix rebuilt from them is standardised.
///
/// This is not the nearest correlation matrix: the rescaling takes from the first
/// eigenvalue what the negative ones lacked.
///
/// Fails when an entry of the matrix has no value.
pub fn smooth_to_positive_definite(matrix: &CorrelationMatrix) -> Result<Smoothed, Undefined> {
    let dense = matrix.to_dense()?;
    let (raw_eigenvalues, vectors) = spectral::eigen(dense.as_ref())?;
    if raw_eigenvalues.last().is_none_or(|&smallest| smallest >= f64::EPSILON) {
        let (matrix, eigenvalues) = (matrix.clone(), raw_eigenvalues.clone());
        return Ok(Smoothed { matrix, changed: false, raw_eigenvalues, eigenvalues });
    }
    let matrix = rebuild(&raw_eigenvalues, &vectors);
    let eigenvalues = spectral::eigenvalues(matrix.to_dense()?.as_ref())?;
    Ok(Smoothed { matrix, changed: true, raw_eigenvalues, eigenvalues })
}

/// `V D V'` with the raised and rescaled eigenvalues, as a correlation matrix.
fn rebuild(values: &[f64], vectors: &Mat<f64>) -> CorrelationMatrix {
    let n = values.len();
    let raised: Vec<f64> = values.iter().map(|&v| if v < SMALL { RAISED } else { v }).collect();
    let scale = n as f64 / raised.iter().sum::<f64>();
    let half = Mat::from_fn(n, n, |i, j| vectors[(i, j)] * (raised[j] * scale).sqrt());
    let mut product = Mat::<f64>::zeros(n, n);
    let replace = faer::Accum::Replace;
    matmul(product.as_mut(), replace, half.as_ref(), half.transpose(), 1.0, faer::Par::Seq);
    let entry = |i: usize, j: usize| {
        let scale = (product[(i, i)] * product[(j, j)]).sqrt();
        (product[(i, j)] / scale).clamp(-1.0, 1.0)
    };
    let lower = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
    CorrelationMatrix::from_lower(n, lower.map(|(i, j)| Ok(entry(i, j))).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_definite_matrix_is_left_alone() {
        let matrix = CorrelationMatrix::from_lower(3, vec![Ok(0.5), Ok(0.2), Ok(0.1)]);
        let smoothed = smooth_to_positive_definite(&matrix).unwrap();
        assert!(!smoothed.changed);
        assert_eq!(smoothed.matrix, matrix);
        let none = CorrelationMatrix::from_lower(0, vec![]);
        assert_eq!(smooth_to_positive_definite(&none).unwrap().smallest_raw_eigenvalue(), None);
    }

    #[test]
    fn an_undefined_entry_forbids_smoothing() {
        let matrix = CorrelationMatrix::from_lower(2, vec![Err(Undefined::ZeroVariance)]);
        let reason = Undefined::UndefinedEntries { count: 1 };
        assert_eq!(smooth_to_positive_definite(&matrix), Err(reason));
    }

    proptest! {
        #[test]
        fn eigenvalues_add_up_to_the_order_before_and_after(
            entries in prop::collection::vec(-1.0f64..1.0, 15),
        ) {
            let matrix = CorrelationMatrix::from_lower(6, entries.into_iter().map(Ok).collect());
            let smoothed = smooth_to_positive_definite(&matrix).unwrap();
            for values in [&smoothed.raw_eigenvalues, &smoothed.eigenvalues] {
                prop_assert!((values.iter().sum::<f64>() - 6.0).abs() < 1e-12);
            }
            prop_assert!(smoothed.eigenvalues.iter().all(|&v| v > 0.0));
            prop_assert!(smoothed.matrix.defined().all(|r| r.abs() <= 1.0));
        }
    }
}
