//! Orlando and Thissen's (2000) S-X2: observed against expected proportions
//! right, item by item, in groups of equal total score.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use statrs::distribution::{ChiSquared, ContinuousCDF};

use crate::data::Responses;
use crate::psychometrics::irt::{Grid, ItemParameters};

/// Neighbouring groups are joined until each expects this many right and this
/// many wrong answers.
const LEAST_EXPECTED: f64 = 1.0;

/// The statistic of one item.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SX2 {
    /// Sum over groups of N (O - E)^2 / (E (1 - E)).
    pub statistic: f64,
    /// Groups (after joining) minus the item's parameters; not positive when
    /// there are too few groups.
    pub degrees_of_freedom: i64,
    /// Upper tail; `None` without degrees of freedom.
    pub p: Option<f64>,
}

/// S-X2 of each item under N(0, `variance`), over the examinees who answered
/// everything; `item_parameters` is how many parameters of each item were
/// estimated (1 Rasch, 2 2PL). Items without any group are `None`.
pub fn s_x2(
    responses: &Responses,
    items: &[ItemParameters],
    variance: f64,
    grid: &Grid,
    item_parameters: usize,
) -> Vec<Option<SX2>> {
    assert_eq!(responses.n_items(), items.len(), "one pair of parameters per item");
    let k = items.len();
    let answered = responses.n_answered();
    let complete: Vec<usize> =
        (0..responses.n_examinees()).filter(|&i| answered[i] as usize == k).collect();
    if complete.is_empty() || k < 2 {
        return vec![None; k];
    }
    let data = responses.select_examinees(&complete);
    let expected = Expected::new(items, variance, grid);
    let totals = data.totals();
    let one = |j: usize| {
        let mut groups = vec![Group::default(); k + 1];
        for (i, &total) in totals.iter().enumerate() {
            groups[total as usize].n += 1.0;
            groups[total as usize].right += f64::from(u8::from(data.get(i, j) == Some(true)));
        }
        for (group, share) in groups.iter_mut().zip(expected.shares(j)) {
            group.expected = group.n * share;
        }
        // Totals 0 and k say nothing about the item.
        summarise(&join(&groups[1..k]), item_parameters)
    };
    (0..k).into_par_iter().map(one).collect()
}

/// Examinees of one total (or of several joined).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Group {
    n: f64,
    right: f64,
    /// Right answers expected.
    expected: f64,
}

impl Group {
    fn is_enough(&self) -> bool {
        self.expected.min(self.n - self.expected) >= LEAST_EXPECTED
    }

    fn absorb(&mut self, other: &Self) {
        self.n += other.n;
        self.right += other.right;
        self.expected += other.expected;
    }
}

/// Joins neighbours, from the lowest total up, until each group is enough; what
/// is left over at the top goes to the last group.
fn join(groups: &[Group]) -> Vec<Group> {
    let mut joined: Vec<Group> = vec![];
    let mut open = Group::default();
    for group in groups {
        open.absorb(group);
        if open.is_enough() {
            joined.push(std::mem::take(&mut open));
        }
    }
    if let Some(last) = joined.last_mut() {
        last.absorb(&open);
    }
    joined
}

fn summarise(groups: &[Group], item_parameters: usize) -> Option<SX2> {
    if groups.is_empty() {
        return None;
    }
    let term = |g: &Group| {
        let (observed, expected) = (g.right / g.n, g.expected / g.n);
        g.n * (observed - expected).powi(2) / (expected * (1.0 - expected))
    };
    let statistic = groups.iter().map(term).sum();
    let degrees_of_freedom = groups.len() as i64 - item_parameters as i64;
    let chi_squared = ChiSquared::new(degrees_of_freedom as f64);
    let p = chi_squared.ok().filter(|_| degrees_of_freedom > 0).map(|d| d.sf(statistic));
    Some(SX2 { statistic, degrees_of_freedom, p })
}

/// Distributions of the total at each node.
struct Expected {
    weights: Vec<f64>,
    /// Probability of a right answer, node by node.
    p: Vec<Vec<f64>>,
    /// Probability of each total with all the items, node by node.
    totals: Vec<Vec<f64>>,
}

impl Expected {
    fn new(items: &[ItemParameters], variance: f64, grid: &Grid) -> Self {
        let nodes = grid.nodes();
        let at = |theta: &f64| -> Vec<f64> {
            items.iter().map(|item| item.probabilities(*theta).0).collect()
        };
        let p: Vec<Vec<f64>> = nodes.iter().map(at).collect();
        let totals = p.iter().map(|p| distribution(p)).collect();
        Self { weights: grid.log_weights(variance).into_iter().map(f64::exp).collect(), p, totals }
    }

    /// Expected share of right answers to item `j` among those of each total:
    /// P(right, rest = total - 1) / P(total).
    fn shares(&self, j: usize) -> Vec<f64> {
        let k = self.p[0].len();
        let (mut joint, mut marginal) = (vec![0.0; k + 1], vec![0.0; k + 1]);
        for ((w, p), totals) in self.weights.iter().zip(&self.p).zip(&self.totals) {
            let rest = without(totals, p[j]);
            for s in 0..k {
                joint[s + 1] += w * p[j] * rest[s];
            }
            marginal.iter_mut().zip(totals).for_each(|(m, t)| *m += w * t);
        }
        joint
            .iter()
            .zip(&marginal)
            .map(|(j, m)| if *m > 0.0 { (j / m).clamp(0.0, 1.0) } else { 0.5 })
            .collect()
    }
}

/// Probability of each number of successes (Lord & Wingersky, 1984).
fn distribution(p: &[f64]) -> Vec<f64> {
    let mut totals = vec![1.0];
    for &p in p {
        let mut next = vec![0.0; totals.len() + 1];
        for (s, mass) in totals.iter().enumerate() {
            next[s] += mass * (1.0 - p);
            next[s + 1] += mass * p;
        }
        totals = next;
    }
    totals
}

/// Takes one trial of probability `p` out of a distribution of successes,
/// starting from the end at which errors shrink.
fn without(totals: &[f64], p: f64) -> Vec<f64> {
    let k = totals.len() - 1;
    let mut rest = vec![0.0; k];
    if p <= 0.5 {
        for s in 0..k {
            let below = if s == 0 { 0.0 } else { rest[s - 1] };
            rest[s] = (totals[s] - p * below) / (1.0 - p);
        }
    } else {
        for s in (0..k).rev() {
            let above = if s + 1 == k { 0.0 } else { rest[s + 1] };
            rest[s] = (totals[s + 1] - (1.0 - p) * above) / p;
        }
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taking_a_trial_out_undoes_putting_it_in() {
        let p = [0.1, 0.5, 0.9, 0.9999, 1e-5];
        let all = distribution(&p);
        for j in 0..p.len() {
            let others: Vec<f64> =
                p.iter().enumerate().filter(|(i, _)| *i != j).map(|(_, p)| *p).collect();
            for (found, direct) in without(&all, p[j]).iter().zip(distribution(&others)) {
                assert!((found - direct).abs() < 1e-15, "no error is amplified");
            }
        }
    }

    #[test]
    fn thin_groups_are_joined_and_nobody_is_lost() {
        let group = |n: f64, expected| Group { n, right: 0.0, expected };
        let joined = join(&[group(3.0, 0.1), group(10.0, 2.0), group(9.0, 6.0), group(2.0, 1.9)]);
        assert_eq!(joined.len(), 2);
        assert_eq!(joined.iter().map(|g| g.n).sum::<f64>(), 24.0);
        assert_eq!(summarise(&[], 1), None);
    }
}
