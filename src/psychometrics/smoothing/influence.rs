//! The fitted values as a linear operator on the responses, L = H O: O takes the
//! responses to values and slopes at the vertices, H blends these at each point.
//!
//! Every trace that inference needs is one of products of matrices as small as the
//! vertices are few, so L itself is never formed.

use faer::Mat;

use super::local::LocalFit;
use super::{Inference, Vertex};
use crate::psychometrics::Undefined;

/// The cubic Hermite blend of a cell's two ends at one point.
#[derive(Debug, Clone, Copy)]
pub(super) struct Blend {
    /// The vertex on the left; the next one is on the right.
    left: usize,
    /// Weights of value and slope on the left, value and slope on the right.
    weights: [f64; 4],
}

impl Blend {
    /// At `x`, between the first and the last vertex.
    pub fn new(vertices: &[Vertex], x: f64) -> Self {
        let right = vertices.partition_point(|v| v.x < x).clamp(1, vertices.len() - 1);
        let left = right - 1;
        let width = vertices[right].x - vertices[left].x;
        let h = (x - vertices[left].x) / width;
        let g = 1.0 - h;
        let weights = [
            g * g * (1.0 + 2.0 * h),
            h * g * g * width,
            h * h * (3.0 - 2.0 * h),
            -h * h * g * width,
        ];
        Self { left, weights }
    }

    /// The curve.
    pub fn value(&self, vertices: &[Vertex]) -> f64 {
        let (a, b) = (vertices[self.left], vertices[self.left + 1]);
        let [wa, da, wb, db] = self.weights;
        wa * a.value + wb * b.value + (da * a.slope + db * b.slope)
    }

    /// Length of the row of L at this point, from the products between rows of O.
    pub fn norm(&self, operator_gram: &Mat<f64>) -> f64 {
        let start = 2 * self.left;
        let mut sum = 0.0;
        for (i, a) in self.weights.iter().enumerate() {
            for (j, b) in self.weights.iter().enumerate() {
                sum += a * b * operator_gram[(start + i, start + j)];
            }
        }
        sum.max(0.0).sqrt()
    }
}

/// The small matrices behind L.
pub(super) struct Influence {
    /// O O'.
    pub operator_gram: Mat<f64>,
    /// H' H.
    blend_gram: Mat<f64>,
    /// O H.
    product: Mat<f64>,
}

impl Influence {
    /// `blends[i]` is the blend at the point of response `i`.
    pub fn new(fits: &[LocalFit], blends: &[Blend]) -> Self {
        let order = 2 * fits.len();
        let mut operator = Mat::<f64>::zeros(blends.len(), order);
        let mut product = Mat::<f64>::zeros(order, order);
        for (vertex, fit) in fits.iter().enumerate() {
            for (&i, weights) in fit.points.iter().zip(&fit.weights) {
                let blend = &blends[i];
                for (which, weight) in weights.iter().enumerate() {
                    let row = 2 * vertex + which;
                    operator[(i, row)] = *weight;
                    for (j, b) in blend.weights.iter().enumerate() {
                        product[(row, 2 * blend.left + j)] += weight * b;
                    }
                }
            }
        }
        let mut blend_gram = Mat::<f64>::zeros(order, order);
        for blend in blends {
            for (i, a) in blend.weights.iter().enumerate() {
                for (j, b) in blend.weights.iter().enumerate() {
                    blend_gram[(2 * blend.left + i, 2 * blend.left + j)] += a * b;
                }
            }
        }
        Self { operator_gram: operator.transpose() * &operator, blend_gram, product }
    }

    /// Traces of L and of (I - L)(I - L)', with A = H'H, B = OO', C = OH:
    /// tr L = tr C, tr LL' = tr AB, tr L^2 = tr C^2, tr (LL')^2 = tr (AB)^2 and
    /// tr L L L' = tr ACB.
    pub fn inference(&self, n: usize, residual_squares: f64) -> Inference {
        let n = n as f64;
        let (a, b, c) = (&self.blend_gram, &self.operator_gram, &self.product);
        let ab = a * b;
        let (trace, enp) = (trace(c), trace(&ab));
        let delta1 = n - 2.0 * trace + enp;
        let delta2 = n - 4.0 * trace + 2.0 * trace_of_product(c, c) + 4.0 * enp
            - 4.0 * trace_of_product(&(a * c), b)
            + trace_of_product(&ab, &ab);
        // Through every point, what is left of the n terms is rounding.
        let residual_scale = if delta1 > 1e-9 * n && delta2 > 0.0 {
            Ok((residual_squares / delta1).sqrt())
        } else {
            Err(Undefined::ZeroVariance)
        };
        Inference { trace, enp, delta1, delta2, residual_scale }
    }
}

fn trace(m: &Mat<f64>) -> f64 {
    (0..m.nrows()).map(|i| m[(i, i)]).sum()
}

fn trace_of_product(m: &Mat<f64>, other: &Mat<f64>) -> f64 {
    trace(&(m * other))
}

#[cfg(test)]
mod tests {
    use crate::psychometrics::smoothing::Loess;

    #[test]
    fn traces_equal_those_of_the_operator_formed_column_by_column() {
        let x: Vec<f64> = (0..40).map(|i| f64::from(i * i % 37) / 3.0).collect();
        let n = x.len();
        let fitted = |y: &[f64]| -> Vec<f64> {
            let curve = Loess::fit(&x, y, 0.6).unwrap();
            x.iter().map(|&at| curve.predict(at).unwrap()).collect()
        };
        let columns: Vec<Vec<f64>> = (0..n)
            .map(|j| fitted(&(0..n).map(|i| f64::from(u8::from(i == j))).collect::<Vec<_>>()))
            .collect();
        let rest = faer::Mat::from_fn(n, n, |i, j| f64::from(u8::from(i == j)) - columns[j][i]);
        let square = &rest * rest.transpose();
        let inference = Loess::fit(&x, &x, 0.6).unwrap().inference;
        let enp: f64 = columns.iter().flatten().map(|v| v * v).sum();
        // Sums of up to n^2 terms of size one at most.
        assert!((inference.trace - (0..n).map(|i| columns[i][i]).sum::<f64>()).abs() < 1e-10);
        assert!((inference.enp - enp).abs() < 1e-10);
        assert!((inference.delta1 - super::trace(&square)).abs() < 1e-10);
        assert!((inference.delta2 - super::trace_of_product(&square, &square)).abs() < 1e-10);
    }
}
