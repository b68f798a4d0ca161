//! Local regression as R's `loess` computes it by default.
//!
//! Cleveland, Devlin & Grosse (1988); Cleveland & Grosse (1991): local quadratics
//! with tricube weights are fitted only at the vertices of a k-d tree, and values
//! and slopes there are blended by cubic Hermite interpolation. The interpolated
//! curve differs visibly from fitting at every point, and is not `lowess`.

mod influence;
mod local;

use faer::Mat;
use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, StudentsT};

use super::Undefined;
use influence::{Blend, Influence};
use local::LocalFit;

/// Share of the neighbourhood that a cell may hold before it is cut.
const CELL: f64 = 0.2;

/// A fitted curve of one predictor: `loess(y ~ x, span = span)`.
#[derive(Debug, Clone, PartialEq)]
pub struct Loess {
    /// Share of the points in each neighbourhood.
    pub span: f64,
    /// Number of points.
    pub n: usize,
    /// Where local fits were made, ascending, with their value and slope. The first
    /// and the last lie just outside the data.
    pub vertices: Vec<Vertex>,
    /// Quantities of inference.
    pub inference: Inference,
    range: [f64; 2],
    /// Products between the rows of the operator that takes `y` to the values and
    /// slopes at the vertices (value and slope of the first vertex, of the second...).
    operator_gram: Mat<f64>,
}

/// A local fit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Vertex {
    /// Position on the predictor.
    pub x: f64,
    /// Fitted value.
    pub value: f64,
    /// Fitted slope.
    pub slope: f64,
}

/// What the operator L, with fitted values L y, says of the precision of the curve.
///
/// R approximates `delta1` and `delta2` by interpolation in a table (its
/// `statistics = "approximate"`); here they are exact, as under its `statistics =
/// "exact"`, because in one dimension they cost no more than the fit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Inference {
    /// tr L: R's `trace.hat`.
    pub trace: f64,
    /// tr L'L: the equivalent number of parameters, R's `enp`.
    pub enp: f64,
    /// tr (I - L)(I - L)'.
    pub delta1: f64,
    /// tr ((I - L)(I - L)')^2.
    pub delta2: f64,
    /// Residual standard error, R's `s`; undefined when the curve passes through
    /// every point.
    pub residual_scale: Result<f64, Undefined>,
}

/// The curve at a point, with a pointwise confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Band {
    /// Fitted value.
    pub fit: f64,
    /// Its standard error.
    pub se: f64,
    /// Lower end of the interval.
    pub lower: f64,
    /// Upper end of the interval.
    pub upper: f64,
}

impl Loess {
    /// Fits the curve of `y` on `x` with local quadratics, each over a share `span`
    /// of the points (R's default is 0.75).
    ///
    /// Fails when lengths differ, a value is not finite, a neighbourhood would hold
    /// fewer than three points, or more points than it holds share one `x`.
    pub fn fit(x: &[f64], y: &[f64], span: f64) -> Result<Self, Undefined> {
        if x.len() != y.len() {
            return Err(Undefined::LengthMismatch { left: x.len(), right: y.len() });
        }
        if !x.iter().chain(y).chain([&span]).all(|v| v.is_finite()) {
            return Err(Undefined::NotFinite);
        }
        let n = x.len();
        // The margin undoes the rounding of n times span, as in R.
        let q = n.min((n as f64 * span + 1e-5).floor() as usize);
        if q < local::COEFFICIENTS {
            return Err(Undefined::TooFew { needed: local::COEFFICIENTS, found: q });
        }
        let (range, positions) = vertex_positions(x, (n as f64 * (span * CELL)).floor() as usize);
        let fits: Vec<LocalFit> =
            positions.iter().map(|&at| local::fit(x, at, q, span)).collect::<Result<_, _>>()?;
        let vertex = |(&x, fit): (&f64, &LocalFit)| {
            let [value, slope] = fit.apply(y);
            Vertex { x, value, slope }
        };
        let vertices: Vec<Vertex> = positions.iter().zip(&fits).map(vertex).collect();
        let blends: Vec<Blend> = x.iter().map(|&at| Blend::new(&vertices, at)).collect();
        let influence = Influence::new(&fits, &blends);
        let squares = blends.iter().zip(y).map(|(b, y)| (y - b.value(&vertices)).powi(2)).sum();
        let inference = influence.inference(n, squares);
        let operator_gram = influence.operator_gram;
        Ok(Self { span, n, vertices, inference, range, operator_gram })
    }

    /// The curve at `x`; `None` outside the range of the data, as in R.
    pub fn predict(&self, x: f64) -> Option<f64> {
        Some(self.blend(x)?.value(&self.vertices))
    }

    /// The curve at `x` with its standard error and the confidence interval of the
    /// given level (say 0.95), from Student's t with `delta1^2 / delta2` degrees of
    /// freedom; `None` where [`predict`](Self::predict) is, when the residual scale
    /// is undefined, or for a level outside (0, 1).
    pub fn band(&self, x: f64, level: f64) -> Option<Band> {
        let blend = self.blend(x)?;
        let Inference { delta1, delta2, residual_scale, .. } = self.inference;
        if !(level > 0.0 && level < 1.0) {
            return None;
        }
        let fit = blend.value(&self.vertices);
        let se = residual_scale.ok()? * blend.norm(&self.operator_gram);
        let student = StudentsT::new(0.0, 1.0, delta1 * delta1 / delta2).ok()?;
        let reach = student.inverse_cdf(0.5 + level / 2.0) * se;
        Some(Band { fit, se, lower: fit - reach, upper: fit + reach })
    }

    fn blend(&self, x: f64) -> Option<Blend> {
        let [low, high] = self.range;
        (low <= x && x <= high).then(|| Blend::new(&self.vertices, x))
    }
}

/// The range of the data, and the vertices of the k-d tree: the ends of a box half
/// a percent wider than the data on each side, and the cuts between.
fn vertex_positions(x: &[f64], cell_size: usize) -> ([f64; 2], Vec<f64>) {
    let mut sorted = x.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (low, high) = (sorted[0], sorted[sorted.len() - 1]);
    let margin = 0.005 * (high - low).max(1e-10 * low.abs().max(high.abs()) + 1e-30);
    let mut positions = vec![low - margin, high + margin];
    let mut cells = vec![(0, sorted.len(), low - margin, high + margin)];
    while let Some((start, end, left, right)) = cells.pop() {
        if end - start <= cell_size || right <= left {
            continue;
        }
        let (last_below, cut) = cut_point(&sorted, start, end);
        if cut != left && cut != right {
            positions.push(cut);
            cells.push((start, last_below + 1, left, cut));
            cells.push((last_below + 1, end, cut, right));
        }
    }
    positions.sort_by(f64::total_cmp);
    positions.dedup();
    ([low, high], positions)
}

/// Where to cut the cell `start..end`: at its middle point, or the nearest one that
/// differs from its successor (looking at offsets 0, 1, -1, 2, -2... until one falls
/// outside the cell). Returns the index of the last point of the left part.
fn cut_point(sorted: &[f64], start: usize, end: usize) -> (usize, f64) {
    let middle = (start + end - 1) / 2;
    for step in 0..=2 * (end - start) {
        let distance = step.div_ceil(2);
        let candidate =
            if step % 2 == 1 { middle.checked_add(distance) } else { middle.checked_sub(distance) };
        match candidate {
            Some(at) if at >= start && at + 1 < end => {
                if sorted[at] != sorted[at + 1] {
                    return (at, sorted[at]);
                }
            }
            _ => break,
        }
    }
    (middle, sorted[middle])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_parabola_is_reproduced_between_vertices_only_up_to_the_cubic() {
        let x: Vec<f64> = (0..60).map(|i| f64::from(i) / 7.0).collect();
        let y: Vec<f64> = x.iter().map(|v| 3.0 - 2.0 * v + 0.5 * v * v).collect();
        let curve = Loess::fit(&x, &y, 0.5).unwrap();
        // A local quadratic is exact, and so is the cubic through its values and slopes.
        for (x, y) in x.iter().zip(&y) {
            assert!((curve.predict(*x).unwrap() - y).abs() < 1e-11);
        }
        assert!(curve.vertices.len() > 4);
        assert!(curve.band(4.0, 0.95).unwrap().se < 1e-10);
    }

    #[test]
    fn outside_the_data_there_is_no_curve() {
        let x: Vec<f64> = (0..20).map(f64::from).collect();
        let curve = Loess::fit(&x, &x, 0.75).unwrap();
        assert!(curve.predict(-0.001).is_none() && curve.predict(19.0).is_some());
        assert!(curve.predict(f64::NAN).is_none());
        assert!(curve.band(3.0, 1.0).is_none());
    }

    #[test]
    fn shapes_that_cannot_be_fitted_have_a_reason() {
        let fit = |x: &[f64], span| Loess::fit(x, &vec![1.0; x.len()], span).unwrap_err();
        let few = |found| Undefined::TooFew { needed: 3, found };
        assert_eq!(fit(&[], 0.75), few(0));
        assert_eq!(fit(&[1.0, 2.0, 3.0], 0.75), few(2));
        assert_eq!(fit(&[1.0; 9], 0.75), Undefined::ZeroVariance);
        assert_eq!(fit(&[1.0; 9], -1.0), few(0));
        assert_eq!(fit(&[1.0, f64::INFINITY, 2.0], 1.0), Undefined::NotFinite);
        assert!(Loess::fit(&[1.0], &[], 0.75).is_err());
    }

    #[test]
    fn a_curve_through_every_point_has_no_residual_scale() {
        let curve = Loess::fit(&[1.0, 2.0, 4.0, 8.0], &[3.0, 1.0, 2.0, 0.0], 1.0).unwrap();
        if let Err(reason) = curve.inference.residual_scale {
            assert_eq!(reason, Undefined::ZeroVariance);
            assert!(curve.band(3.0, 0.95).is_none());
        }
    }

    proptest! {
        #[test]
        fn ties_and_few_points_never_break_it(
            points in prop::collection::vec((0u8..6, -5.0f64..5.0), 0..40), span in 0.05f64..1.3,
        ) {
            let (x, y): (Vec<f64>, Vec<f64>) =
                points.iter().map(|&(x, y)| (f64::from(x), y)).unzip();
            if let Ok(curve) = Loess::fit(&x, &y, span) {
                for at in &x {
                    prop_assert!(curve.predict(*at).unwrap().is_finite());
                    if let Some(band) = curve.band(*at, 0.95) {
                        prop_assert!(band.lower.is_finite() && band.lower <= band.upper);
                    }
                }
            }
        }

        #[test]
        fn the_order_of_the_points_does_not_matter(
            points in prop::collection::vec((0.0f64..10.0, -5.0f64..5.0), 12..40),
        ) {
            let split = |points: Vec<(f64, f64)>| points.into_iter().unzip::<_, _, Vec<_>, Vec<_>>();
            let (x, y) = split(points.clone());
            let (xr, yr) = split(points.into_iter().rev().collect());
            let (a, b) = (Loess::fit(&x, &y, 0.75).unwrap(), Loess::fit(&xr, &yr, 0.75).unwrap());
            for at in &x {
                let (a, b) = (a.predict(*at).unwrap(), b.predict(*at).unwrap());
                // Sums in another order; extrapolating slopes magnify the rounding.
                prop_assert!((a - b).abs() < 1e-8 * (1.0 + a.abs()));
            }
        }
    }
}
