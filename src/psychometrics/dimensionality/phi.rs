//! The phi matrix seen through its eigenvalues and components.

use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, Mat, MatRef, Par};
use serde::{Deserialize, Serialize};

use super::{answering, eigen, eigenvalues};
use crate::data::Responses;
use crate::psychometrics::Undefined;
use crate::psychometrics::association::phi_matrix;

/// Eigenvalues of the phi matrix of the items with variance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PhiSpectrum {
    /// The items with variance, as indices into the matrix given.
    pub items: Vec<usize>,
    /// As many eigenvalues as items, largest first; they add up to their number.
    pub values: Vec<f64>,
}

impl PhiSpectrum {
    /// First over second eigenvalue.
    pub fn ratio(&self) -> Result<f64, Undefined> {
        match self.values[..] {
            [_, second, ..] if second <= 0.0 => Err(Undefined::ZeroVariance),
            [first, second, ..] => Ok(first / second),
            _ => Err(Undefined::TooFew { needed: 2, found: self.values.len() }),
        }
    }
}

/// Eigenvalues of the phi matrix. Items without variance are left out.
///
/// With missing answers each phi is over the examinees who answered both items;
/// the matrix may then be indefinite, and when some phi has no value neither have
/// the eigenvalues.
///
/// Complete answers of fewer examinees than items go by way of the smaller matrix
/// of products between examinees, whose eigenvalues are the same but for zeros.
pub fn phi_spectrum(responses: &Responses) -> Result<PhiSpectrum, Undefined> {
    let items = responses.varying_items();
    let responses = answering(responses, &items);
    let values = leading_eigenvalues(&responses, &items, items.len())?;
    Ok(PhiSpectrum { items, values })
}

/// The `n` largest eigenvalues of the phi matrix of `items`, all with variance;
/// fewer when there are fewer items.
pub(super) fn leading_eigenvalues(
    responses: &Responses,
    items: &[usize],
    n: usize,
) -> Result<Vec<f64>, Undefined> {
    let n = n.min(items.len());
    if !by_examinees(responses, items) {
        let mut values = eigenvalues(phi_matrix(responses, items).to_dense()?.as_ref())?;
        values.truncate(n);
        return Ok(values);
    }
    let standardised = standardised(responses, items);
    let gram = gram(standardised.as_ref());
    let mut values = eigenvalues(gram.as_ref())?;
    // A matrix of products has no negative eigenvalue: below zero is rounding.
    values.iter_mut().for_each(|value| *value = value.max(0.0));
    values.resize(n, 0.0);
    Ok(values)
}

/// Scores of the examinees on component `index` (0 is the first) of the phi
/// matrix: standardised answers times the unit eigenvector. Their variance (divisor
/// n - 1) is the eigenvalue when no answer is missing; a missing answer counts as
/// the item's mean. The sign is such that the largest score is positive. A component
/// without variance has no scores.
pub fn component_scores(responses: &Responses, index: usize) -> Result<Vec<f64>, Undefined> {
    let items = responses.varying_items();
    let needed = index + 1;
    if items.len() < needed {
        return Err(Undefined::TooFew { needed, found: items.len() });
    }
    let standardised = standardised(responses, &items);
    let n = responses.n_examinees();
    let mut scores: Vec<f64> = if by_examinees(responses, &items) {
        if n <= needed {
            return Err(Undefined::TooFew { needed: needed + 1, found: n });
        }
        let (values, vectors) = eigen(gram(standardised.as_ref()).as_ref())?;
        let length = ((n - 1) as f64 * component_variance(&values, index)?).sqrt();
        (0..n).map(|i| length * vectors[(i, index)]).collect()
    } else {
        let (values, vectors) = eigen(phi_matrix(responses, &items).to_dense()?.as_ref())?;
        component_variance(&values, index)?;
        // From unit variance with divisor n to divisor n - 1, as R's `scale`.
        let shrink = ((n - 1) as f64 / n as f64).sqrt();
        let scores = &standardised * vectors.col(index);
        (0..n).map(|i| shrink * scores[i]).collect()
    };
    let largest = scores.iter().copied().max_by(|a, b| a.abs().total_cmp(&b.abs()));
    if largest.is_some_and(|score| score < 0.0) {
        scores.iter_mut().for_each(|score| *score = -*score);
    }
    Ok(scores)
}

/// The eigenvalue of a component, when it is more than rounding.
fn component_variance(values: &[f64], index: usize) -> Result<f64, Undefined> {
    let value = values[index];
    if value <= 1e-10 * values[0] { Err(Undefined::ZeroVariance) } else { Ok(value) }
}

fn by_examinees(responses: &Responses, items: &[usize]) -> bool {
    responses.n_examinees() < items.len() && responses.is_complete()
}

/// Answers with mean 0 and unit variance (divisor n) per item, examinees in rows;
/// 0 where missing.
fn standardised(responses: &Responses, items: &[usize]) -> Mat<f64> {
    let mut out = Mat::<f64>::zeros(responses.n_examinees(), items.len());
    for (column, &j) in items.iter().enumerate() {
        let item = responses.item(j);
        let p = item.n_correct() as f64 / item.n_observed() as f64;
        let deviation = (p * (1.0 - p)).sqrt();
        let (wrong, right) = (-p / deviation, (1.0 - p) / deviation);
        for i in 0..responses.n_examinees() {
            out[(i, column)] = match item.get(i) {
                Some(true) => right,
                Some(false) => wrong,
                None => 0.0,
            };
        }
    }
    out
}

/// `Z Z' / n`, lower triangle only.
fn gram(z: MatRef<'_, f64>) -> Mat<f64> {
    let n = z.nrows();
    let mut gram = Mat::<f64>::zeros(n, n);
    let (lower, full) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
    let scale = 1.0 / n as f64;
    let (replace, transpose) = (Accum::Replace, z.transpose());
    triangular::matmul(gram.as_mut(), lower, replace, z, full, transpose, full, scale, Par::Seq);
    gram
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::psychometrics::stats;

    fn noise(n: usize, k: usize) -> Responses {
        Responses::from_fn(n, k, |i, j| Some((i * i * 7 + j * j * 5 + i * j * 3) % 11 < 5 + j % 3))
    }

    #[test]
    fn both_roads_give_the_same_eigenvalues() {
        let m = noise(30, 50);
        let items = m.varying_items();
        assert!(by_examinees(&m, &items));
        let short = phi_spectrum(&m).unwrap().values;
        let long = eigenvalues(phi_matrix(&m, &items).to_dense().unwrap().as_ref()).unwrap();
        // Rounding of eigenvalues that add up to 50.
        assert!(short.iter().zip(&long).all(|(a, b)| (a - b).abs() < 1e-12));
    }

    #[test]
    fn as_many_examinees_as_items_is_not_special() {
        let m = noise(40, 40);
        let values = phi_spectrum(&m).unwrap().values;
        assert!((values.iter().sum::<f64>() - values.len() as f64).abs() < 1e-12);
    }

    #[test]
    fn scores_have_the_eigenvalue_as_variance_on_both_roads() {
        for (n, k) in [(30, 50), (60, 20)] {
            let m = noise(n, k);
            let values = phi_spectrum(&m).unwrap().values;
            for (index, value) in values.iter().enumerate().take(3) {
                let scores = component_scores(&m, index).unwrap();
                assert!((stats::variance(&scores).unwrap() - value).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_duplicated_item_adds_nothing_but_weight() {
        let m = noise(60, 8);
        let twice: Vec<usize> = (0..8).chain(0..8).collect();
        let (one, two) =
            (phi_spectrum(&m).unwrap(), phi_spectrum(&m.select_items(&twice)).unwrap());
        for (a, b) in one.values.iter().zip(&two.values) {
            assert!((2.0 * a - b).abs() < 1e-12);
        }
        assert!(two.values[8..].iter().all(|v| v.abs() < 1e-12));
        assert_eq!(component_scores(&m.select_items(&[0, 0]), 1), Err(Undefined::ZeroVariance));
    }

    #[test]
    fn pairs_never_seen_together_leave_no_spectrum() {
        let m = Responses::from_fn(8, 2, |i, j| (i % 2 == j).then_some(i < 4));
        let reason = Undefined::UndefinedEntries { count: 1 };
        assert_eq!(phi_spectrum(&m), Err(reason));
        assert_eq!(component_scores(&m, 0), Err(reason));
    }

    proptest! {
        #[test]
        fn eigenvalues_add_up_and_ignore_the_order(
            (n, k) in (2usize..40, 2usize..25), seed in 0u64..1000,
        ) {
            let cell = |i: usize, j: usize| {
                let hash = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
                    ^ (j as u64 + 1).wrapping_mul(0xbf58_476d_1ce4_e5b9)
                    ^ seed.wrapping_mul(0x94d0_49bb_1331_11eb);
                Some((hash ^ hash >> 31).wrapping_mul(0x94d0_49bb_1331_11eb) >> 63 == 1)
            };
            let m = Responses::from_fn(n, k, cell);
            let spectrum = phi_spectrum(&m).unwrap();
            let kept = spectrum.items.len() as f64;
            prop_assert!((spectrum.values.iter().sum::<f64>() - kept).abs() < 1e-11);
            let (rows, columns): (Vec<usize>, Vec<usize>) =
                ((0..n).rev().collect(), (0..k).rev().collect());
            let turned = m.select_examinees(&rows).select_items(&columns);
            for (a, b) in spectrum.values.iter().zip(&phi_spectrum(&turned).unwrap().values) {
                prop_assert!((a - b).abs() < 1e-11);
            }
        }
    }
}
