//! All pairs of examinees, and the ranks that the comparisons leave open.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::paired::compare_rows;
use crate::data::Responses;
use crate::psychometrics::Undefined;

/// Examinees beyond which comparing all pairs is refused: two million pairs.
pub const MOST_EXAMINEES: usize = 2000;

/// Holm's (1979) adjusted probabilities, in the order given.
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]).then(a.cmp(&b)));
    let mut adjusted = vec![0.0; p.len()];
    let mut largest = 0.0f64;
    for (done, &at) in order.iter().enumerate() {
        largest = largest.max((p[at] * (p.len() - done) as f64).min(1.0));
        adjusted[at] = largest;
    }
    adjusted
}

/// The ranks that an examinee may have, 1 the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankInterval {
    /// Best: one more than those shown to be better.
    pub best: usize,
    /// Worst: the number of examinees less those shown to be worse.
    pub worst: usize,
}

impl RankInterval {
    /// Examinees that this one cannot be told apart from.
    pub fn n_indistinguishable(&self) -> usize {
        self.worst - self.best
    }
}

/// Every pair of examinees compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparisons {
    n: usize,
    /// Row by row: 1 when the first of the pair is better, -1 worse, 0 not told
    /// apart.
    verdicts: Vec<i8>,
    /// Pairs with items in common.
    pub n_pairs: usize,
    /// Pairs told apart.
    pub n_distinguished: usize,
}

/// Compares all pairs by McNemar's exact test, with Holm's correction over all of
/// them: with probability `1 - level` no pair at all is wrongly told apart, so that
/// the rank intervals hold simultaneously (Mogstad, Romano, Shaikh and Wilhelm,
/// 2024). Pairs without an item in common are not told apart.
pub fn compare_all(responses: &Responses, level: f64) -> Result<Comparisons, Undefined> {
    let n = responses.n_examinees();
    if n > MOST_EXAMINEES {
        return Err(Undefined::TooMany { most: MOST_EXAMINEES, found: n });
    }
    let rows = responses.transposed();
    let of_row = |a: usize| {
        let compare = |b| Some((a, b, compare_rows(rows.item(a), rows.item(b)).ok()?));
        (a + 1..n).filter_map(compare).collect::<Vec<_>>()
    };
    let pairs: Vec<_> = (0..n).into_par_iter().flat_map_iter(of_row).collect();
    let p: Vec<f64> = pairs.par_iter().map(|(_, _, pair)| pair.p_value()).collect();
    let mut verdicts = vec![0i8; n * n];
    let mut n_distinguished = 0;
    for ((a, b, pair), adjusted) in pairs.iter().zip(holm(&p)) {
        if adjusted <= level && pair.only_first != pair.only_second {
            let verdict = if pair.only_first > pair.only_second { 1 } else { -1 };
            (verdicts[a * n + b], verdicts[b * n + a]) = (verdict, -verdict);
            n_distinguished += 1;
        }
    }
    Ok(Comparisons { n, verdicts, n_pairs: pairs.len(), n_distinguished })
}

impl Comparisons {
    /// Whether two examinees are told apart.
    pub fn distinguished(&self, a: usize, b: usize) -> bool {
        self.verdicts[a * self.n + b] != 0
    }

    /// The ranks that examinee `a` may have.
    pub fn interval(&self, a: usize) -> RankInterval {
        let row = &self.verdicts[a * self.n..(a + 1) * self.n];
        let count = |verdict| row.iter().filter(|&&v| v == verdict).count();
        RankInterval { best: 1 + count(-1), worst: self.n - count(1) }
    }

    /// Examinees that nobody is shown to be better than.
    pub fn could_be_first(&self) -> usize {
        (0..self.n).filter(|&a| self.interval(a).best == 1).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holm_multiplies_step_by_step_and_never_decreases() {
        // R: p.adjust(c(.01, .04, .03, .005, .6), "holm").
        let ours = holm(&[0.01, 0.04, 0.03, 0.005, 0.6]);
        for (a, b) in ours.iter().zip([0.04, 0.09, 0.09, 0.025, 0.6]) {
            assert!((a - b).abs() < 1e-15, "one product rounded");
        }
        assert!(holm(&[]).is_empty());
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
    }

    /// Examinee `i` solves the first `totals[i]` of 40 items.
    fn staircase(totals: &[usize]) -> Responses {
        Responses::from_fn(totals.len(), 40, |i, j| Some(j < totals[i]))
    }

    #[test]
    fn rank_intervals_count_who_is_shown_better_and_worse() {
        let found = compare_all(&staircase(&[40, 39, 20, 0]), 0.05).unwrap();
        let interval = |i| (found.interval(i).best, found.interval(i).worst);
        assert_eq!([0, 1, 2, 3].map(interval), [(1, 2), (1, 2), (3, 3), (4, 4)]);
        assert_eq!((found.n_pairs, found.n_distinguished, found.could_be_first()), (6, 5, 2));
        assert!(!found.distinguished(0, 1) && found.distinguished(2, 0));
        assert_eq!(found.interval(1).n_indistinguishable(), 1);
    }

    #[test]
    fn equal_examinees_can_all_be_first() {
        let found = compare_all(&staircase(&[7; 5]), 0.05).unwrap();
        assert_eq!((found.could_be_first(), found.n_distinguished), (5, 0));
        assert_eq!(compare_all(&staircase(&[]), 0.05).unwrap().could_be_first(), 0);
    }

    #[test]
    fn too_many_pairs_are_refused_and_strangers_are_not_compared() {
        let many = Responses::from_fn(MOST_EXAMINEES + 1, 1, |_, _| Some(true));
        assert!(compare_all(&many, 0.05).is_err());
        let strangers = Responses::from_fn(2, 2, |i, j| (i == j).then_some(true));
        assert_eq!(compare_all(&strangers, 0.05).unwrap().n_pairs, 0);
    }
}
