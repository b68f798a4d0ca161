//! One local quadratic, as a linear operator on the responses.

use faer::Mat;

use crate::psychometrics::Undefined;

/// Coefficients of a quadratic.
pub(super) const COEFFICIENTS: usize = 3;

/// Value and slope at a point as weighted sums of the responses: `weights[i]` are
/// those of response `points[i]`.
#[derive(Debug)]
pub(super) struct LocalFit {
    pub points: Vec<usize>,
    pub weights: Vec<[f64; 2]>,
}

impl LocalFit {
    /// Value and slope for the responses `y`.
    pub fn apply(&self, y: &[f64]) -> [f64; 2] {
        let mut sums = [0.0; 2];
        for (&i, weights) in self.points.iter().zip(&self.weights) {
            sums[0] += weights[0] * y[i];
            sums[1] += weights[1] * y[i];
        }
        sums
    }
}

/// The quadratic at `at` over the `q` nearest points with tricube weights.
///
/// Singular designs (fewer than three distinct neighbours) take the solution of
/// least norm, as R does.
pub(super) fn fit(x: &[f64], at: f64, q: usize, span: f64) -> Result<LocalFit, Undefined> {
    let mut distances: Vec<f64> = x.iter().map(|v| (v - at).abs()).collect();
    let (_, &mut nearest, _) = distances.select_nth_unstable_by(q - 1, f64::total_cmp);
    // A span over 1 widens the neighbourhood beyond all points: in R the factor
    // multiplies the squared distance.
    let bandwidth = nearest * span.max(1.0).sqrt();
    if bandwidth <= 0.0 {
        return Err(Undefined::ZeroVariance);
    }
    let (points, roots): (Vec<usize>, Vec<f64>) = x
        .iter()
        .enumerate()
        .map(|(i, v)| (i, tricube((v - at).abs() / bandwidth).sqrt()))
        .filter(|&(_, root)| root > 0.0)
        .unzip();
    if points.is_empty() {
        return Err(Undefined::ZeroVariance);
    }
    let design = Mat::from_fn(points.len(), COEFFICIENTS, |i, power| {
        roots[i] * (x[points[i]] - at).powi(power as i32)
    });
    let weights = solve(design, &roots)?;
    Ok(LocalFit { points, weights })
}

/// The weight of a point at a distance relative to the bandwidth.
fn tricube(distance: f64) -> f64 {
    if distance < 1.0 { (1.0 - distance.powi(3)).powi(3) } else { 0.0 }
}

/// The rows of the pseudo-inverse of the weighted design that give value and slope,
/// times the roots of the weights.
fn solve(mut design: Mat<f64>, roots: &[f64]) -> Result<Vec<[f64; 2]>, Undefined> {
    // Columns of unit length, so that the tolerance means the same for all.
    let norms: [f64; COEFFICIENTS] = std::array::from_fn(|j| match design.col(j).norm_l2() {
        0.0 => 1.0,
        norm => norm,
    });
    for (j, norm) in norms.iter().enumerate() {
        design.col_mut(j).iter_mut().for_each(|v| *v /= norm);
    }
    let svd = design.thin_svd().map_err(|_| Undefined::NoConvergence)?;
    let (u, s, v) = (svd.U(), svd.S(), svd.V());
    let tolerance = s[0] * 100.0 * f64::EPSILON;
    let rank = (0..s.dim()).filter(|&j| s[j] > tolerance).count();
    let row = |i: usize, coefficient: usize| {
        let sum: f64 = (0..rank).map(|j| v[(coefficient, j)] * u[(i, j)] / s[j]).sum();
        sum * roots[i] / norms[coefficient]
    };
    Ok((0..roots.len()).map(|i| [row(i, 0), row(i, 1)]).collect())
}
