//! Eigenvalues of symmetric matrices, in the order and form used here.
//!
//! One thread per matrix: the same bytes whatever the number of threads.

use faer::{Mat, MatRef, Side};

use super::Undefined;

/// Eigenvalues, largest first. Only the lower triangle is read.
pub fn eigenvalues(matrix: MatRef<'_, f64>) -> Result<Vec<f64>, Undefined> {
    check(matrix)?;
    let mut values =
        matrix.self_adjoint_eigenvalues(Side::Lower).map_err(|_| Undefined::NoConvergence)?;
    values.reverse();
    Ok(values)
}

/// Eigenvalues, largest first, and the matrix of unit eigenvectors, one per column
/// in the same order. Only the lower triangle is read.
pub fn eigen(matrix: MatRef<'_, f64>) -> Result<(Vec<f64>, Mat<f64>), Undefined> {
    check(matrix)?;
    if matrix.nrows() == 0 {
        // The library's workspace is sized for an order of one at least.
        return Ok((vec![], Mat::new()));
    }
    let eigen = matrix.self_adjoint_eigen(Side::Lower).map_err(|_| Undefined::NoConvergence)?;
    let n = matrix.nrows();
    let values = (0..n).rev().map(|i| eigen.S()[i]).collect();
    Ok((values, eigen.U().reverse_cols().to_owned()))
}

fn check(matrix: MatRef<'_, f64>) -> Result<(), Undefined> {
    if matrix.is_all_finite() { Ok(()) } else { Err(Undefined::NotFinite) }
}
