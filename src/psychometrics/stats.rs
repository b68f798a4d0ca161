//! Elementary statistics on slices.
//!
//! Sums run left to right, so that the same input gives the same bits.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::Undefined;
use crate::data::Responses;

/// Arithmetic mean.
pub fn mean(x: &[f64]) -> Result<f64, Undefined> {
    let n = at_least(1, x)?;
    Ok(x.iter().sum::<f64>() / n)
}

/// Sample variance (divisor n - 1), in two passes.
pub fn variance(x: &[f64]) -> Result<f64, Undefined> {
    let n = at_least(2, x)?;
    let m = mean(x)?;
    Ok(x.iter().map(|v| (v - m).powi(2)).sum::<f64>() / (n - 1.0))
}

/// Quantile of R's type 7, `0 <= p <= 1`: linear interpolation between the order
/// statistics around position `(n - 1) p` (Hyndman & Fan, 1996, definition 7).
/// A `p` outside the range counts as the nearest end.
pub fn quantile7(x: &[f64], p: f64) -> Result<f64, Undefined> {
    at_least(1, x)?;
    let position = (x.len() - 1) as f64 * p.clamp(0.0, 1.0);
    let mut values = x.to_vec();
    let (_, &mut below, rest) =
        values.select_nth_unstable_by(position.floor() as usize, f64::total_cmp);
    let above = rest.iter().copied().min_by(f64::total_cmp).unwrap_or(below);
    Ok(below + position.fract() * (above - below))
}

/// Median (the 0.5 quantile).
pub fn median(x: &[f64]) -> Result<f64, Undefined> {
    quantile7(x, 0.5)
}

/// Ranks from 1, ties sharing the mean of their positions.
pub fn mid_ranks(x: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..x.len()).collect();
    order.sort_by(|&a, &b| x[a].total_cmp(&x[b]));
    let mut ranks = vec![0.0; x.len()];
    let mut before = 0;
    for tie in order.chunk_by(|&a, &b| x[a] == x[b]) {
        for &i in tie {
            ranks[i] = before as f64 + (tie.len() as f64 + 1.0) / 2.0;
        }
        before += tie.len();
    }
    ranks
}

/// Pearson's correlation.
pub fn pearson(x: &[f64], y: &[f64]) -> Result<f64, Undefined> {
    if x.len() != y.len() {
        return Err(Undefined::LengthMismatch { left: x.len(), right: y.len() });
    }
    at_least(2, x)?;
    at_least(2, y)?;
    let (mx, my) = (mean(x)?, mean(y)?);
    let (mut sxx, mut syy, mut sxy) = (0.0, 0.0, 0.0);
    for (a, b) in x.iter().zip(y) {
        let (dx, dy) = (a - mx, b - my);
        sxx += dx * dx;
        syy += dy * dy;
        sxy += dx * dy;
    }
    if is_constant(x) || is_constant(y) || sxx == 0.0 || syy == 0.0 {
        return Err(Undefined::ZeroVariance);
    }
    Ok((sxy / (sxx.sqrt() * syy.sqrt())).clamp(-1.0, 1.0))
}

/// Spearman's correlation: Pearson's on [`mid_ranks`].
pub fn spearman(x: &[f64], y: &[f64]) -> Result<f64, Undefined> {
    at_least(2, x)?;
    at_least(2, y)?;
    pearson(&mid_ranks(x), &mid_ranks(y))
}

/// R2 of the least squares line of `y` on `x`.
pub fn r_squared_linear(x: &[f64], y: &[f64]) -> Result<f64, Undefined> {
    Ok(pearson(x, y)?.powi(2))
}

/// R2 of the least squares parabola of `y` on `x` (three distinct `x` at least).
pub fn r_squared_quadratic(x: &[f64], y: &[f64]) -> Result<f64, Undefined> {
    let linear = r_squared_linear(x, y)?;
    // The square, freed of what the line already explains, adds its own share:
    // the two regressors are orthogonal, so their R2 add up.
    let mx = mean(x)?;
    let centred: Vec<f64> = x.iter().map(|v| v - mx).collect();
    let square: Vec<f64> = centred.iter().map(|v| v * v).collect();
    let curve = residuals(&centred, &square)?;
    let scale = square.iter().map(|v| v * v).sum::<f64>().sqrt();
    let left = curve.iter().map(|v| v * v).sum::<f64>().sqrt();
    if left <= 1e-12 * scale {
        let mut distinct = x.to_vec();
        distinct.sort_by(f64::total_cmp);
        distinct.dedup();
        return Err(Undefined::TooFew { needed: 3, found: distinct.len().min(2) });
    }
    Ok((linear + pearson(&curve, y)?.powi(2)).min(1.0))
}

/// Residuals of the least squares line of `y` on `x`.
fn residuals(x: &[f64], y: &[f64]) -> Result<Vec<f64>, Undefined> {
    let (mx, my) = (mean(x)?, mean(y)?);
    let sxx: f64 = x.iter().map(|a| (a - mx).powi(2)).sum();
    let sxy: f64 = x.iter().zip(y).map(|(a, b)| (a - mx) * (b - my)).sum();
    if sxx == 0.0 {
        return Err(Undefined::ZeroVariance);
    }
    let slope = sxy / sxx;
    Ok(x.iter().zip(y).map(|(a, b)| (b - my) - slope * (a - mx)).collect())
}

/// The number of values as a float, when there are at least `needed` and all are
/// finite.
fn at_least(needed: usize, x: &[f64]) -> Result<f64, Undefined> {
    if x.len() < needed {
        return Err(match x.len() {
            0 => Undefined::NoObservations,
            found => Undefined::TooFew { needed, found },
        });
    }
    if x.iter().any(|v| !v.is_finite()) {
        return Err(Undefined::NotFinite);
    }
    Ok(x.len() as f64)
}

fn is_constant(x: &[f64]) -> bool {
    x.iter().all(|v| *v == x[0])
}

/// Standard normal density.
pub fn normal_density(x: f64) -> f64 {
    const INV_SQRT_TAU: f64 = 0.398_942_280_401_432_7;
    INV_SQRT_TAU * (-0.5 * x * x).exp()
}

/// Standard normal distribution function, accurate in both tails.
pub fn normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2)
}

/// Standard normal quantile: `-inf` at 0 and `inf` at 1.
///
/// `p` outside [0, 1] counts as the nearest end.
pub fn normal_quantile(p: f64) -> f64 {
    if p <= 0.0 {
        return f64::NEG_INFINITY;
    }
    if p >= 1.0 {
        return f64::INFINITY;
    }
    let start = -std::f64::consts::SQRT_2 * statrs::function::erf::erfc_inv(2.0 * p);
    // One step of Halley's method takes the library's approximation to the last bits.
    let error = (normal_cdf(start) - p) / normal_density(start);
    start - error / (1.0 + start * error / 2.0)
}

/// Two examinees and the number of items on which their answers differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pair {
    /// First examinee (the smaller index).
    pub a: usize,
    /// Second examinee.
    pub b: usize,
    /// Items answered by both with different result.
    pub distance: u32,
}

/// Pairs of examinees whose answers differ on at most `max_distance` items,
/// in order of their indices.
///
/// Only items that both answered count; examinees without any item in common are
/// not a pair.
pub fn hamming_pairs(responses: &Responses, max_distance: u32) -> Vec<Pair> {
    let examinees = responses.transposed();
    (0..responses.n_examinees())
        .into_par_iter()
        .flat_map_iter(|a| {
            let examinees = &examinees;
            (a + 1..responses.n_examinees()).filter_map(move |b| {
                let distance = distance(examinees, a, b)?;
                (distance <= max_distance).then_some(Pair { a, b, distance })
            })
        })
        .collect()
}

/// The closest two among the given examinees (the first such pair), or `None`
/// when no two of them have an item in common.
pub fn closest_pair(responses: &Responses, among: &[usize]) -> Option<Pair> {
    let chosen = responses.select_examinees(among).transposed();
    let pairs = (0..among.len()).into_par_iter().filter_map(|i| {
        let (i, distance) = (i + 1..among.len())
            .filter_map(|j| Some((j, distance(&chosen, i, j)?)))
            .min_by_key(|&(j, d)| (d, j))
            .map(|(j, d)| ((i, j), d))?;
        Some((distance, i))
    });
    let (distance, (i, j)) = pairs.min()?;
    Some(Pair { a: among[i].min(among[j]), b: among[i].max(among[j]), distance })
}

/// Differences between two rows over the items that both answered.
fn distance(examinees: &Responses, a: usize, b: usize) -> Option<u32> {
    let (a, b) = (examinees.item(a), examinees.item(b));
    let (mut shared, mut different) = (0, 0);
    for w in 0..a.observed.len() {
        let both = a.observed[w] & b.observed[w];
        shared += both.count_ones();
        different += ((a.correct[w] ^ b.correct[w]) & both).count_ones();
    }
    (shared > 0).then_some(different)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn quantiles_follow_type_7() {
        let x = [1.0, 2.0, 4.0, 8.0];
        assert_eq!(quantile7(&x, 0.25), Ok(1.75));
        assert!((quantile7(&x, 0.05).unwrap() - 1.15).abs() < 1e-15);
        assert!((quantile7(&x, 0.95).unwrap() - 7.4).abs() < 1e-14);
        assert_eq!((quantile7(&x, 0.0), quantile7(&x, 1.0)), (Ok(1.0), Ok(8.0)));
        assert_eq!(median(&[3.0]), Ok(3.0));
        assert_eq!(median(&[]), Err(Undefined::NoObservations));
    }

    #[test]
    fn ties_share_their_mean_rank() {
        assert_eq!(mid_ranks(&[10.0, 20.0, 10.0, 5.0, 20.0, 20.0]), [2.5, 5.0, 2.5, 1.0, 5.0, 5.0]);
        assert!(mid_ranks(&[]).is_empty());
    }

    #[test]
    fn correlations_without_variance_have_a_reason() {
        // A mean of equal values need not equal them: the test is on the values.
        let flat = [0.1; 7];
        let x: Vec<f64> = (0..7).map(f64::from).collect();
        assert_eq!(pearson(&flat, &x), Err(Undefined::ZeroVariance));
        assert_eq!(spearman(&flat, &x), Err(Undefined::ZeroVariance));
        assert_eq!(pearson(&x, &x[1..]), Err(Undefined::LengthMismatch { left: 7, right: 6 }));
        assert_eq!(pearson(&[1.0, f64::NAN], &[1.0, 2.0]), Err(Undefined::NotFinite));
        assert_eq!(pearson(&[1.0], &[1.0]), Err(Undefined::TooFew { needed: 2, found: 1 }));
    }

    #[test]
    fn spearman_sees_only_the_order() {
        let x = [1.0, 2.0, 3.0, 4.0];
        // The two square roots of the denominator are rounded: one unit at most.
        assert!((spearman(&x, &[1.0, 10.0, 100.0, 1e9]).unwrap() - 1.0).abs() < 3e-16);
        assert!((spearman(&x, &[4.0, 3.0, 2.0, 1.0]).unwrap() + 1.0).abs() < 3e-16);
    }

    #[test]
    fn a_parabola_explains_a_parabola() {
        let x: Vec<f64> = (0..9).map(f64::from).collect();
        let y: Vec<f64> = x.iter().map(|v| (v - 4.0).powi(2)).collect();
        assert!(r_squared_linear(&x, &y).unwrap() < 1e-30);
        assert!((r_squared_quadratic(&x, &y).unwrap() - 1.0).abs() < 1e-14);
        let two = [0.0, 1.0, 0.0, 1.0];
        let reason = Undefined::TooFew { needed: 3, found: 2 };
        assert_eq!(r_squared_quadratic(&two, &[1.0, 2.0, 3.0, 5.0]), Err(reason));
    }

    #[test]
    fn normal_quantile_inverts_the_distribution() {
        // Values of R's qnorm; equal up to a few units in the last place.
        let table = [(0.975, 1.959_963_984_540_054), (1e-10, -6.361_340_902_404_056)];
        for (p, z) in table {
            assert!((normal_quantile(p) - z).abs() < 4e-15 * z.abs(), "{p}");
        }
        assert_eq!(normal_quantile(0.5), 0.0);
        assert_eq!(normal_quantile(0.0), f64::NEG_INFINITY);
        assert!((normal_cdf(-30.0) / 4.906_713_927_148_187e-198 - 1.0).abs() < 1e-13);
    }

    #[test]
    fn distances_count_jointly_answered_items() {
        let cell = |i: usize, j: usize| match (i, j) {
            (2, 0) => None,
            (3, _) => None,
            _ => Some((i * j) % 2 == 1),
        };
        let matrix = Responses::from_fn(4, 5, cell);
        let pairs = hamming_pairs(&matrix, 5);
        let expected = [(0, 1, 2), (0, 2, 0), (1, 2, 2)];
        assert_eq!(pairs.iter().map(|p| (p.a, p.b, p.distance)).collect::<Vec<_>>(), expected);
        assert_eq!(hamming_pairs(&matrix, 0).len(), 1);
        assert_eq!(closest_pair(&matrix, &[2, 1]), Some(Pair { a: 1, b: 2, distance: 2 }));
        assert_eq!(closest_pair(&matrix, &[0, 3]), None);
    }

    proptest! {
        #[test]
        fn quantiles_never_decrease(
            x in prop::collection::vec(-1e6f64..1e6, 1..40), p in 0.0f64..1.0, q in 0.0f64..1.0,
        ) {
            let (low, high) = (p.min(q), p.max(q));
            prop_assert!(quantile7(&x, low).unwrap() <= quantile7(&x, high).unwrap());
        }

        #[test]
        fn normal_quantile_is_odd_and_inverse(p in 1e-300f64..0.5) {
            let z = normal_quantile(p);
            // The relative error of the tail is the error of z times z.
            prop_assert!((normal_cdf(z) / p - 1.0).abs() < 1e-14 * (1.0 + z * z));
        }
    }
}
