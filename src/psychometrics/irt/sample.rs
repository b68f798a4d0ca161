//! Responses reduced to what the likelihood needs.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::ItemParameters;
use super::curves::Curves;
use crate::data::Responses;

/// Examinees that share everything the likelihood looks at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unit {
    /// Index in [`Sample::masks`].
    pub mask: usize,
    /// How many examinees.
    pub weight: f64,
    /// Right answers.
    pub total: f64,
}

/// A set of answered items, held as the shorter of two lists.
#[derive(Debug, Clone)]
pub(super) enum Mask {
    /// Everything answered but these.
    AllBut(Vec<usize>),
    /// Only these answered.
    Only(Vec<usize>),
}

/// The examinees, grouped by what the likelihood looks at.
#[derive(Debug, Clone)]
pub(super) struct Sample {
    /// Number of items.
    pub n_items: usize,
    /// Examinees with at least one answer.
    pub n_examinees: f64,
    /// Right answers of each item.
    pub item_correct: Vec<f64>,
    /// Distinct sets of answered items.
    pub masks: Vec<Mask>,
    /// Ordered by mask.
    pub units: Vec<Unit>,
    /// Answers of each unit, one bit per item, `row_bytes` bytes per unit; empty
    /// when only totals matter.
    pub rows: Vec<u8>,
    pub row_bytes: usize,
    /// Every examinee answered every item.
    pub is_complete: bool,
}

impl Sample {
    /// Groups the examinees by answered items and total: enough for models whose
    /// items share one slope.
    pub fn by_total(responses: &Responses) -> Self {
        if responses.is_complete() {
            let mut counts = BTreeMap::<u32, f64>::new();
            for total in responses.totals() {
                *counts.entry(total).or_default() += 1.0;
            }
            let unit = |(total, weight)| Unit { mask: 0, weight, total: f64::from(total) };
            let units = counts.into_iter().map(unit).collect();
            return Self::assemble(responses, vec![Mask::AllBut(vec![])], units, vec![]);
        }
        Self::group(responses, false)
    }

    /// Groups the examinees by their whole pattern of answers.
    pub fn by_pattern(responses: &Responses) -> Self {
        Self::group(responses, true)
    }

    fn group(responses: &Responses, patterns: bool) -> Self {
        let by_examinee = responses.transposed();
        let totals = responses.totals();
        let key = |i: usize| {
            let bits = by_examinee.item(i);
            let pattern = if patterns { bits.correct } else { &[] };
            (bits.observed, totals[i], pattern)
        };
        let answered = responses.n_answered();
        let mut order: Vec<usize> =
            (0..responses.n_examinees()).filter(|&i| answered[i] > 0).collect();
        order.par_sort_unstable_by(|&a, &b| key(a).cmp(&key(b)));

        let row_bytes = responses.n_items().div_ceil(8);
        let (mut masks, mut units, mut rows) = (vec![], Vec::<Unit>::new(), vec![]);
        let mut previous = None;
        for &i in &order {
            let this = key(i);
            if previous == Some(this) {
                units.last_mut().expect("a unit was pushed with `previous`").weight += 1.0;
                continue;
            }
            if previous.is_none_or(|(observed, ..)| observed != this.0) {
                masks.push(Mask::of(&by_examinee, i));
            }
            let total = f64::from(totals[i]);
            units.push(Unit { mask: masks.len() - 1, weight: 1.0, total });
            if patterns {
                let bytes = this.2.iter().flat_map(|word| word.to_le_bytes());
                rows.extend(bytes.take(row_bytes));
            }
            previous = Some(this);
        }
        Self::assemble(responses, masks, units, rows)
    }

    fn assemble(responses: &Responses, masks: Vec<Mask>, units: Vec<Unit>, rows: Vec<u8>) -> Self {
        let n_items = responses.n_items();
        let is_complete = masks.iter().all(|m| matches!(m, Mask::AllBut(list) if list.is_empty()));
        Self {
            n_items,
            n_examinees: units.iter().map(|u| u.weight).sum(),
            item_correct: (0..n_items).map(|j| responses.item(j).n_correct() as f64).collect(),
            masks,
            units,
            rows,
            row_bytes: n_items.div_ceil(8),
            is_complete,
        }
    }

    /// Response curves of the items at the nodes.
    pub fn curves(&self, items: &[ItemParameters], nodes: &[f64]) -> Curves {
        Curves::new(items, nodes, !self.is_complete)
    }

    /// Packed answers of a unit; only for samples kept by pattern.
    pub fn row(&self, unit: usize) -> &[u8] {
        &self.rows[unit * self.row_bytes..(unit + 1) * self.row_bytes]
    }
}

impl Mask {
    fn of(by_examinee: &Responses, i: usize) -> Self {
        let bits = by_examinee.item(i);
        let n_items = by_examinee.n_examinees();
        let pick = |wanted| (0..n_items).filter(|&j| bits.get(j).is_some() == wanted).collect();
        if 2 * bits.n_observed() >= n_items {
            Self::AllBut(pick(false))
        } else {
            Self::Only(pick(true))
        }
    }

    /// sum of log(1 - P) over the answered items, at each node, on top of `base`.
    pub fn log_wrong(&self, curves: &Curves, base: &[f64], out: &mut [f64]) {
        let n_nodes = base.len();
        let row = |j: usize| curves.log_wrong_of(j, n_nodes);
        out.copy_from_slice(base);
        match self {
            Self::AllBut(missing) => {
                out.iter_mut().zip(&curves.log_wrong_sum).for_each(|(o, s)| *o += s);
                for &j in missing {
                    out.iter_mut().zip(row(j)).for_each(|(o, l)| *o -= l);
                }
            }
            Self::Only(answered) => {
                for &j in answered {
                    out.iter_mut().zip(row(j)).for_each(|(o, l)| *o += l);
                }
            }
        }
    }

    /// Whether item `j` was answered.
    pub fn answered(&self, j: usize) -> bool {
        match self {
            Self::AllBut(missing) => missing.binary_search(&j).is_err(),
            Self::Only(answered) => answered.binary_search(&j).is_ok(),
        }
    }
}
