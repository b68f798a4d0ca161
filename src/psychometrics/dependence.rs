//! Local dependence: Yen's (1984) Q3, the correlation of two items' residuals
//! once the trait is taken out.

use faer::{Mat, MatRef};
use serde::{Deserialize, Serialize};

use super::fit::Predictions;
use super::{Undefined, stats};

/// Fewest examinees in common for a correlation to be given.
const LEAST_PAIRS: f64 = 3.0;
/// A variance below this share of the sum of squares is rounding.
const NO_VARIANCE: f64 = 1e-12;

/// Correlations of the residuals of every pair of items.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Q3 {
    n_items: usize,
    /// Row by row above the diagonal.
    upper: Vec<Option<f64>>,
}

/// Two items and their correlation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Q3Pair {
    /// The lower index.
    pub first: usize,
    /// The higher index.
    pub second: usize,
    /// Their Q3.
    pub q3: f64,
}

/// Means of Q3 by declared groups of items.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroupMeans {
    /// Mean over pairs of the same group; `None` without such pairs.
    pub within: Option<f64>,
    /// Mean over pairs of different groups.
    pub between: Option<f64>,
    /// Mean over the pairs of each group, by label; `None` with fewer than two
    /// items.
    pub by_group: Vec<Option<f64>>,
}

impl Q3 {
    /// Q3 over the examinees who answered both items and have a score. Pairs with
    /// fewer than three of them, or without variance, have no value.
    pub fn new(predictions: &Predictions) -> Self {
        let products = Products::new(predictions);
        let n_items = predictions.responses().n_items();
        let pairs = (0..n_items).flat_map(|i| (i + 1..n_items).map(move |j| (i, j)));
        Self { n_items, upper: pairs.map(|(i, j)| products.correlation(i, j)).collect() }
    }

    /// Number of items.
    pub fn n_items(&self) -> usize {
        self.n_items
    }

    /// Q3 of two items: 1 on the diagonal, `None` where it is not defined.
    pub fn get(&self, i: usize, j: usize) -> Option<f64> {
        let (low, high) = (i.min(j), i.max(j));
        if low == high {
            return Some(1.0);
        }
        // Rows before `low` hold n - 1, n - 2, ... pairs.
        let before = low * (2 * self.n_items - low - 1) / 2;
        self.upper[before + high - low - 1]
    }

    /// All defined pairs, by first and then second index.
    pub fn pairs(&self) -> impl Iterator<Item = Q3Pair> {
        let k = self.n_items;
        let indices = (0..k).flat_map(move |i| (i + 1..k).map(move |j| (i, j)));
        indices
            .zip(&self.upper)
            .filter_map(|((first, second), q3)| Some(Q3Pair { first, second, q3: (*q3)? }))
    }

    /// Pairs without a value.
    pub fn n_undefined(&self) -> usize {
        self.upper.iter().filter(|q3| q3.is_none()).count()
    }

    /// Mean over all pairs; near -1 / (k - 1) when items are locally independent.
    pub fn mean(&self) -> Option<f64> {
        self.mean_where(|_| true)
    }

    /// Mean over some pairs.
    pub fn mean_where(&self, keep: impl Fn(&Q3Pair) -> bool) -> Option<f64> {
        mean(self.pairs().filter(keep).map(|p| p.q3))
    }

    /// Share of the pairs whose absolute Q3 exceeds `cut`.
    pub fn share_above(&self, cut: f64) -> Option<f64> {
        mean(self.pairs().map(|p| f64::from(u8::from(p.q3.abs() > cut))))
    }

    /// Quantile `p` of the absolute values.
    pub fn size_quantile(&self, p: f64) -> Result<f64, Undefined> {
        stats::quantile7(&self.pairs().map(|pair| pair.q3.abs()).collect::<Vec<_>>(), p)
    }

    /// The largest value.
    pub fn maximum(&self) -> Option<f64> {
        self.pairs().map(|p| p.q3).reduce(f64::max)
    }

    /// The `n` pairs with the largest values, largest first.
    pub fn largest(&self, n: usize) -> Vec<Q3Pair> {
        let mut pairs: Vec<Q3Pair> = self.pairs().collect();
        pairs.sort_by(|a, b| b.q3.total_cmp(&a.q3));
        pairs.truncate(n);
        pairs
    }

    /// Means within and between groups; `labels` has the group of each item,
    /// counted from zero.
    ///
    /// Panics unless there is one label per item.
    pub fn group_means(&self, labels: &[usize]) -> GroupMeans {
        assert_eq!(labels.len(), self.n_items, "one label per item");
        let same = |p: &Q3Pair| labels[p.first] == labels[p.second];
        let n_groups = labels.iter().max().map_or(0, |top| top + 1);
        let mut sums = vec![(0.0, 0.0); n_groups];
        for pair in self.pairs().filter(same) {
            let (sum, n) = &mut sums[labels[pair.first]];
            *sum += pair.q3;
            *n += 1.0;
        }
        GroupMeans {
            within: self.mean_where(same),
            between: self.mean_where(|p| !same(p)),
            by_group: sums.iter().map(|(sum, n)| (*n > 0.0).then(|| sum / n)).collect(),
        }
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, n) = values.fold((0.0, 0.0), |(sum, n), v| (sum + v, n + 1.0));
    (n > 0.0).then(|| sum / n)
}

/// Sums of products of residuals over the examinees that each pair shares.
///
/// With E the residuals (0 where missing), M the indicator of those present and
/// S their squares, everything a pairwise correlation needs is in four products
/// of matrices.
struct Products {
    cross: Mat<f64>,
    /// Entry (i, j): sum of the residuals of i where j is present.
    sums: Mat<f64>,
    squares: Mat<f64>,
    counts: Mat<f64>,
}

impl Products {
    fn new(predictions: &Predictions) -> Self {
        let responses = predictions.responses();
        let (n, k) = (responses.n_examinees(), responses.n_items());
        let cell = |i, j| predictions.residual(i, j);
        let mut residuals = Mat::from_fn(n, k, |i, j| cell(i, j).unwrap_or(f64::NAN));
        let present = Mat::from_fn(n, k, |i, j| f64::from(u8::from(!residuals[(i, j)].is_nan())));
        centre(&mut residuals);
        let squares = Mat::from_fn(n, k, |i, j| residuals[(i, j)].powi(2));
        let product = |a: MatRef<f64>, b: MatRef<f64>| a.transpose() * b;
        Self {
            cross: product(residuals.as_ref(), residuals.as_ref()),
            sums: product(residuals.as_ref(), present.as_ref()),
            squares: product(squares.as_ref(), present.as_ref()),
            counts: product(present.as_ref(), present.as_ref()),
        }
    }

    fn correlation(&self, i: usize, j: usize) -> Option<f64> {
        let n = self.counts[(i, j)];
        if n < LEAST_PAIRS {
            return None;
        }
        let (sum_i, sum_j) = (self.sums[(i, j)], self.sums[(j, i)]);
        let covariance = self.cross[(i, j)] - sum_i * sum_j / n;
        let variance = |squares: f64, sum: f64| {
            let variance = squares - sum * sum / n;
            (variance > NO_VARIANCE * squares).then_some(variance)
        };
        let variance_i = variance(self.squares[(i, j)], sum_i)?;
        let variance_j = variance(self.squares[(j, i)], sum_j)?;
        Some((covariance / (variance_i * variance_j).sqrt()).clamp(-1.0, 1.0))
    }
}

/// Subtracts from each column the mean of what is present and puts zero where
/// nothing is: the products then lose no digits to a common level.
fn centre(residuals: &mut Mat<f64>) {
    for j in 0..residuals.ncols() {
        let present = residuals.col(j).iter().copied().filter(|r| !r.is_nan());
        let level = mean(present).unwrap_or(0.0);
        residuals
            .col_mut(j)
            .iter_mut()
            .for_each(|r| *r = if r.is_nan() { 0.0 } else { *r - level });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Responses;
    use crate::psychometrics::irt::ItemParameters;

    fn example() -> (Responses, Vec<ItemParameters>, Vec<Option<f64>>) {
        let responses = Responses::from_fn(30, 5, |i, j| {
            ((i + 3 * j) % 7 != 0).then_some((i * 11 + j * j * 5 + i * j) % 4 < 2)
        });
        let item = |j| ItemParameters { slope: 0.7 + 0.2 * j as f64, intercept: 0.3 };
        let thetas = (0..30).map(|i| (i != 9).then_some(((i * 13) % 7) as f64 - 3.0)).collect();
        (responses, (0..5).map(item).collect(), thetas)
    }

    #[test]
    fn each_entry_is_the_correlation_over_the_examinees_in_common() {
        let (responses, items, thetas) = example();
        let predictions = Predictions::new(&responses, &items, &thetas).unwrap();
        let q3 = Q3::new(&predictions);
        for i in 0..5 {
            for j in i + 1..5 {
                let both = |e| Some((predictions.residual(e, i)?, predictions.residual(e, j)?));
                let (x, y): (Vec<f64>, Vec<f64>) = (0..30).filter_map(both).unzip();
                let direct = stats::pearson(&x, &y).unwrap();
                assert!((q3.get(i, j).unwrap() - direct).abs() < 1e-13, "30 products rounded");
                assert_eq!(q3.get(i, j), q3.get(j, i));
            }
        }
    }

    #[test]
    fn pairs_without_examinees_or_variance_have_no_value() {
        let responses = Responses::from_fn(6, 3, |i, j| match j {
            0 => Some(i % 2 == 0),
            1 => (i < 2).then_some(true),
            _ => Some(true),
        });
        let items = [ItemParameters { slope: 1.0, intercept: 0.0 }; 3];
        let predictions = Predictions::new(&responses, &items, &[Some(0.5); 6]).unwrap();
        let q3 = Q3::new(&predictions);
        assert_eq!((q3.get(0, 1), q3.get(0, 2), q3.n_undefined()), (None, None, 3));
        assert_eq!((q3.mean(), q3.maximum(), q3.share_above(0.2)), (None, None, None));
    }

    #[test]
    fn means_within_and_between_groups_split_the_pairs() {
        let (responses, items, thetas) = example();
        let q3 = Q3::new(&Predictions::new(&responses, &items, &thetas).unwrap());
        let means = q3.group_means(&[0, 0, 1, 1, 2]);
        assert_eq!(means.by_group, [q3.get(0, 1), q3.get(2, 3), None]);
        let total = 2.0 * means.within.unwrap() + 8.0 * means.between.unwrap();
        assert!((total - 10.0 * q3.mean().unwrap()).abs() < 1e-14);
        assert_eq!(q3.largest(1)[0].q3, q3.maximum().unwrap());
        let median = q3.size_quantile(0.5).unwrap();
        assert!((q3.share_above(median).unwrap() - 0.5).abs() < 1e-15, "10 pairs, 5 above");
    }
}
