//! Classical test theory of binary items.
//!
//! Everything is a count: right answers, sums of totals over those who answered
//! right. Counts come from `popcount`s on bit planes and stay whole numbers until
//! the last division, so the results are exact to rounding, linear in cells, and
//! the same on any number of threads.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Undefined, stats};
use crate::data::{BitPlanes, Responses};

/// Item and test statistics.
///
/// A missing answer counts in nothing: totals are over the answered items, and an
/// item's statistics over those who answered it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Classical {
    /// One entry per item given, constant ones included.
    pub items: Vec<ItemStatistics>,
    /// Indices of the items with variance; the rest of the statistics use only them.
    pub varying: Vec<usize>,
    /// Number of items with variance.
    pub k: usize,
    /// Number of examinees given.
    pub n_examinees: usize,
    /// Examinees who answered at least one varying item: those that count in the
    /// variance and the quartiles of the total.
    pub n_scored: usize,
    /// Kuder and Richardson's formula 20 (1937): `k/(k-1) (1 - sum p(1-p) / var(t))`,
    /// with `p` over those who answered the item and the variance of the total with
    /// divisor `n - 1`.
    pub kr20: Result<f64, Undefined>,
    /// Median of the defined corrected item-total correlations.
    pub median_r: Result<f64, Undefined>,
    /// Right answers of each examinee, over all items.
    pub totals: Vec<u32>,
    /// Right answers of each examinee, over the varying items.
    pub totals_varying: Vec<u32>,
    /// First and third quartile (type 7) of the total over the varying items.
    pub quartiles: Result<[f64; 2], Undefined>,
}

/// Statistics of one item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ItemStatistics {
    /// Answers given.
    pub n: usize,
    /// Right answers.
    pub n_correct: usize,
    /// Proportion of right answers.
    pub p: Result<f64, Undefined>,
    /// Whether it was answered both right and wrong.
    pub varies: bool,
    /// Pearson's correlation of the item with the total of the other varying items;
    /// undefined when the whole total is constant.
    pub r_it: Result<f64, Undefined>,
    /// Proportion right among examinees with a total up to the first quartile.
    pub p_low: Result<f64, Undefined>,
    /// Proportion right among examinees with a total from the third quartile on.
    pub p_high: Result<f64, Undefined>,
}

/// Classical analysis of a response matrix. Linear in its cells.
pub fn analyse(responses: &Responses) -> Classical {
    let varying = responses.varying_items();
    let total = Total::new(responses, &varying);
    let items: Vec<ItemStatistics> = (0..responses.n_items())
        .into_par_iter()
        .map(|j| item_statistics(responses, j, &total))
        .collect();
    let defined: Vec<f64> = items.iter().filter_map(|item| item.r_it.ok()).collect();
    Classical {
        kr20: kr20(&items, &varying, &total),
        median_r: stats::median(&defined),
        k: varying.len(),
        n_examinees: responses.n_examinees(),
        n_scored: total.scored.len(),
        totals: responses.totals(),
        quartiles: total.quartiles,
        totals_varying: total.values,
        items,
        varying,
    }
}

/// The total over the varying items, in the forms that the statistics need.
struct Total {
    /// Of every examinee.
    values: Vec<u32>,
    /// Of the examinees who answered any varying item.
    scored: Vec<f64>,
    planes: BitPlanes,
    squares: BitPlanes,
    quartiles: Result<[f64; 2], Undefined>,
    /// Bit sets of the two extreme groups.
    groups: Result<[Vec<u64>; 2], Undefined>,
}

impl Total {
    fn new(responses: &Responses, varying: &[usize]) -> Self {
        let planes = responses.count_correct(varying);
        let values = planes.values(responses.n_examinees());
        let squares: Vec<u64> = values.iter().map(|&t| u64::from(t).pow(2)).collect();
        let answered = responses.count_observed(varying).non_zero();
        let is_scored = |i: usize| answered[i / 64] >> (i % 64) & 1 == 1;
        let scored: Vec<f64> =
            (0..values.len()).filter(|&i| is_scored(i)).map(|i| f64::from(values[i])).collect();
        let quartiles = quartiles(&scored);
        let groups = quartiles.and_then(|[q1, q3]| {
            if scored.iter().all(|&t| t == scored[0]) {
                return Err(Undefined::ZeroVariance);
            }
            if q1 == q3 {
                return Err(Undefined::EqualQuartiles);
            }
            let group = |belongs: &dyn Fn(f64) -> bool| {
                let mut set = vec![0u64; responses.words()];
                for (i, &t) in values.iter().enumerate() {
                    set[i / 64] |= u64::from(is_scored(i) && belongs(f64::from(t))) << (i % 64);
                }
                set
            };
            Ok([group(&|t| t <= q1), group(&|t| t >= q3)])
        });
        let squares = BitPlanes::from_values(&squares);
        Self { values, scored, planes, squares, quartiles, groups }
    }
}

fn quartiles(totals: &[f64]) -> Result<[f64; 2], Undefined> {
    Ok([stats::quantile7(totals, 0.25)?, stats::quantile7(totals, 0.75)?])
}

fn item_statistics(responses: &Responses, j: usize, total: &Total) -> ItemStatistics {
    let item = responses.item(j);
    let (n, n_correct) = (item.n_observed(), item.n_correct());
    let in_group = |which: usize| {
        let group = &total.groups.as_ref().map_err(|&reason| reason)?[which];
        proportion(shared(item.correct, group), shared(item.observed, group))
    };
    ItemStatistics {
        n,
        n_correct,
        p: proportion(n_correct, n),
        varies: 0 < n_correct && n_correct < n,
        r_it: corrected_correlation(responses, j, total),
        p_low: in_group(0),
        p_high: in_group(1),
    }
}

fn shared(a: &[u64], b: &[u64]) -> usize {
    a.iter().zip(b).map(|(x, y)| (x & y).count_ones() as usize).sum()
}

fn proportion(part: usize, whole: usize) -> Result<f64, Undefined> {
    if whole == 0 { Err(Undefined::NoObservations) } else { Ok(part as f64 / whole as f64) }
}

/// Pearson's correlation of item `j` with the total of the others, from whole
/// sums: with `x` the item and `r = t - x` the rest, `x^2 = x` gives every moment
/// of `r` from those of `t`.
fn corrected_correlation(responses: &Responses, j: usize, total: &Total) -> Result<f64, Undefined> {
    let item = responses.item(j);
    let n = item.n_observed() as i128;
    if n == 0 {
        return Err(Undefined::NoObservations);
    }
    let x = item.n_correct() as i128;
    let xt = i128::from(total.planes.sum_over(item.correct));
    let t = i128::from(total.planes.sum_over(item.observed));
    let tt = i128::from(total.squares.sum_over(item.observed));
    let (r, rr, xr) = (t - x, tt - 2 * xt + x, xt - x);
    let (var_x, var_t, var_r) = (n * x - x * x, n * tt - t * t, n * rr - r * r);
    // Under a constant total the rest only mirrors the item: -1 by construction.
    if var_x == 0 || var_t == 0 || var_r == 0 {
        return Err(Undefined::ZeroVariance);
    }
    let covariance = (n * xr - x * r) as f64;
    Ok((covariance / ((var_x as f64).sqrt() * (var_r as f64).sqrt())).clamp(-1.0, 1.0))
}

fn kr20(items: &[ItemStatistics], varying: &[usize], total: &Total) -> Result<f64, Undefined> {
    let k = varying.len();
    if k < 2 {
        return Err(Undefined::TooFew { needed: 2, found: k });
    }
    let variance = stats::variance(&total.scored)?;
    if variance == 0.0 {
        return Err(Undefined::ZeroVariance);
    }
    let mut within = 0.0;
    for &j in varying {
        let p = items[j].p?;
        within += p * (1.0 - p);
    }
    let k = k as f64;
    Ok(k / (k - 1.0) * (1.0 - within / variance))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn matrix(rows: &[&str]) -> Responses {
        let cell = |i: usize, j: usize| match rows[i].as_bytes()[j] {
            b'.' => None,
            digit => Some(digit == b'1'),
        };
        Responses::from_fn(rows.len(), rows.first().map_or(0, |row| row.len()), cell)
    }

    /// The definition, on dense vectors.
    fn by_definition(m: &Responses, j: usize) -> Result<f64, Undefined> {
        let varying = m.varying_items();
        let answered: Vec<usize> =
            (0..m.n_examinees()).filter(|&i| m.get(i, j).is_some()).collect();
        let value = |i, j| f64::from(u8::from(m.get(i, j) == Some(true)));
        let x: Vec<f64> = answered.iter().map(|&i| value(i, j)).collect();
        let total: Vec<f64> =
            answered.iter().map(|&i| varying.iter().map(|&l| value(i, l)).sum()).collect();
        stats::pearson(&x, &total)?;
        let rest: Vec<f64> = total.iter().zip(&x).map(|(t, x)| t - x).collect();
        stats::pearson(&x, &rest)
    }

    #[test]
    fn constant_items_stay_in_the_table_and_out_of_the_total() {
        let with = analyse(&matrix(&["1101", "1001", "1011", "1000"]));
        let without = analyse(&matrix(&["101", "001", "011", "000"]));
        assert_eq!(with.varying, [1, 2, 3]);
        assert_eq!(with.items[0].r_it, Err(Undefined::ZeroVariance));
        assert_eq!(with.items[1..], without.items);
        assert_eq!(with.kr20, without.kr20);
        assert_eq!(with.totals, [3, 2, 3, 1]);
        assert_eq!(with.totals_varying, [2, 1, 2, 0]);
    }

    #[test]
    fn identical_totals_leave_nothing_defined_but_p() {
        let result = analyse(&matrix(&["110", "011", "101"]));
        assert_eq!(result.kr20, Err(Undefined::ZeroVariance));
        assert_eq!(result.items[0].r_it, Err(Undefined::ZeroVariance));
        assert_eq!(result.items[0].p_low, Err(Undefined::ZeroVariance));
        assert_eq!(result.items[0].p, Ok(2.0 / 3.0));
    }

    #[test]
    fn equal_quartiles_make_no_groups() {
        let result = analyse(&matrix(&["10", "10", "10", "01", "01", "01", "01", "11"]));
        assert_eq!(result.items[0].p_low, Err(Undefined::EqualQuartiles));
    }

    #[test]
    fn degenerate_shapes_have_reasons() {
        let empty = analyse(&matrix(&[]));
        assert_eq!(empty.kr20, Err(Undefined::TooFew { needed: 2, found: 0 }));
        assert_eq!(empty.quartiles, Err(Undefined::NoObservations));
        let one_examinee = analyse(&matrix(&["0110"]));
        assert_eq!((one_examinee.k, one_examinee.totals[0]), (0, 2));
        assert!(one_examinee.median_r.is_err());
        let one_item = analyse(&matrix(&["0", "1", "1"]));
        assert_eq!(one_item.kr20, Err(Undefined::TooFew { needed: 2, found: 1 }));
        assert_eq!(one_item.items[0].r_it, Err(Undefined::ZeroVariance));
    }

    #[test]
    fn an_examinee_or_item_without_answers_changes_nothing() {
        let base = analyse(&matrix(&["110", "0.1", "100", "111"]));
        let more = analyse(&matrix(&["110.", "0.1.", "100.", "111.", "...."]));
        assert_eq!(more.kr20, base.kr20);
        assert_eq!(more.quartiles, base.quartiles);
        assert_eq!(more.items[..3], base.items);
        assert_eq!(more.items[3].p, Err(Undefined::NoObservations));
        assert_eq!((more.n_examinees, more.n_scored), (5, 4));
    }

    fn cells() -> impl Strategy<Value = (usize, usize, Vec<u8>)> {
        (1usize..90, 1usize..8)
            .prop_flat_map(|(n, k)| (Just(n), Just(k), prop::collection::vec(0u8..5, n * k)))
    }

    fn from_cells(n: usize, k: usize, cells: &[u8]) -> Responses {
        // Two in five right, two in five wrong, one in five missing.
        Responses::from_fn(n, k, |i, j| match cells[i * k + j] {
            4 => None,
            c => Some(c % 2 == 1),
        })
    }

    proptest! {
        #[test]
        fn counts_agree_with_the_definition((n, k, cells) in cells()) {
            let m = from_cells(n, k, &cells);
            let result = analyse(&m);
            for (j, item) in result.items.iter().enumerate() {
                match (item.r_it, by_definition(&m, j)) {
                    // Both are rounded: the definition loses a few units over n terms.
                    (Ok(a), Ok(b)) => prop_assert!((a - b).abs() < 1e-13, "{a} {b}"),
                    (a, b) => prop_assert_eq!(a.is_err(), b.is_err()),
                }
            }
        }

        #[test]
        fn the_order_of_the_examinees_does_not_matter((n, k, cells) in cells()) {
            let m = from_cells(n, k, &cells);
            let backwards: Vec<usize> = (0..n).rev().collect();
            let (a, b) = (analyse(&m), analyse(&m.select_examinees(&backwards)));
            prop_assert_eq!(a.items, b.items);
            prop_assert_eq!(a.quartiles, b.quartiles);
        }

        #[test]
        fn the_order_of_the_items_is_the_order_of_the_results((n, k, cells) in cells()) {
            let m = from_cells(n, k, &cells);
            let backwards: Vec<usize> = (0..k).rev().collect();
            let (a, mut b) = (analyse(&m), analyse(&m.select_items(&backwards)));
            b.items.reverse();
            prop_assert_eq!(a.items, b.items);
        }
    }
}
