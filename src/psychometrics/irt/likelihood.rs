//! The marginal likelihood and its expected counts.
//!
//! Slopes are on the logistic metric, so the log-likelihood of an examinee at a
//! node is linear in the answers: with x the answers, a the slopes, d the
//! intercepts,
//!
//! ```text
//! log L(theta) = theta * sum(a x) + sum(d x) + sum(log(1 - P(theta)))
//! ```
//!
//! The data enter through the weighted score `sum(a x)` and through which items
//! were answered, never cell by cell. An evaluation costs one pass over the
//! packed answers, one exponential per distinct pattern and node, and one per
//! item and node; with a common slope only the distinct (answered items, total)
//! pairs count, whatever the number of examinees (Andersen, 1977: the total
//! is sufficient). The same linearity gives the expected counts that the
//! M-step needs: `sum(x E(theta))` and the mass at each node.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::ItemParameters;
use crate::data::Responses;

/// Items per parallel piece; fixed, so that sums are the same on any machine.
const ITEM_CHUNK: usize = 64;
/// Fewest distinct patterns per parallel piece.
const UNIT_CHUNK: usize = 256;
/// Most parallel pieces (each holds its own sums).
const MOST_CHUNKS: usize = 32;

/// Nodes this far below the best one (in log-likelihood) get no mass: 4e-44 of
/// an examinee changes no sum in double precision, and most nodes are there.
const NEGLIGIBLE: f64 = -100.0;

/// Examinees that share everything the likelihood looks at.
#[derive(Debug, Clone, Copy)]
struct Unit {
    /// Index in [`Sample::masks`].
    mask: usize,
    /// How many examinees.
    weight: f64,
    /// Right answers.
    total: f64,
}

/// A set of answered items, held as the shorter of two lists.
#[derive(Debug, Clone)]
enum Mask {
    /// Everything answered but these.
    AllBut(Vec<usize>),
    /// Only these answered.
    Only(Vec<usize>),
}

/// Responses reduced to what the likelihood needs.
#[derive(Debug, Clone)]
pub(super) struct Sample {
    n_items: usize,
    n_examinees: f64,
    item_correct: Vec<f64>,
    masks: Vec<Mask>,
    /// Ordered by mask.
    units: Vec<Unit>,
    /// Answers of each unit, one bit per item, `row_bytes` bytes per unit; empty
    /// when only totals matter.
    rows: Vec<u8>,
    row_bytes: usize,
}

/// Values at every node of every item, item-major.
#[derive(Debug, Clone)]
pub(super) struct Curves {
    /// Probability of a right answer.
    pub p: Vec<f64>,
    /// P (1 - P), accurate in the tails.
    pub variance: Vec<f64>,
    /// log(1 - P); only when some answer is missing.
    log_wrong: Vec<f64>,
    /// Sum over items of log(1 - P) at each node.
    pub log_wrong_sum: Vec<f64>,
}

/// Posterior summaries of the whole sample (the E-step).
#[derive(Debug, Clone)]
pub(super) struct Expected {
    /// Sum over examinees of log sum(weight * likelihood).
    pub log_likelihood: f64,
    /// Expected number of examinees at each node.
    pub mass: Vec<f64>,
    /// Expected number of examinees at each node who answered each item,
    /// item-major; `None` when every one answered everything.
    pub mass_by_item: Option<Vec<f64>>,
    /// sum(x E(theta)) for each item; empty when only totals matter.
    pub correct_by_theta: Vec<f64>,
    /// Sum over examinees of total * E(theta).
    pub total_by_theta: f64,
    /// Smallest posterior standard deviation.
    pub smallest_sd: f64,
}

impl Expected {
    /// Expected number of examinees at each node among those who answered item `j`.
    pub fn mass_of(&self, j: usize) -> &[f64] {
        let n_nodes = self.mass.len();
        match &self.mass_by_item {
            Some(all) => &all[j * n_nodes..(j + 1) * n_nodes],
            None => &self.mass,
        }
    }
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
        Self {
            n_items,
            n_examinees: units.iter().map(|u| u.weight).sum(),
            item_correct: (0..n_items).map(|j| responses.item(j).n_correct() as f64).collect(),
            masks,
            units,
            rows,
            row_bytes: n_items.div_ceil(8),
        }
    }

    /// Number of items.
    pub fn n_items(&self) -> usize {
        self.n_items
    }

    /// Examinees with at least one answer.
    pub fn n_examinees(&self) -> f64 {
        self.n_examinees
    }

    /// Right answers of each item.
    pub fn item_correct(&self) -> &[f64] {
        &self.item_correct
    }

    fn is_complete(&self) -> bool {
        self.masks.iter().all(|m| matches!(m, Mask::AllBut(list) if list.is_empty()))
    }

    /// Response curves of the items at the nodes.
    pub fn curves(&self, items: &[ItemParameters], nodes: &[f64]) -> Curves {
        Curves::new(items, nodes, !self.is_complete())
    }

    /// The E-step: likelihood and posterior summaries.
    ///
    /// `log_weights` need not be normalised; the log-likelihood is relative to
    /// them.
    pub fn expect(
        &self,
        items: &[ItemParameters],
        curves: &Curves,
        nodes: &[f64],
        log_weights: &[f64],
    ) -> Expected {
        let scores = WeightedScores::new(self, items);
        let chunk = UNIT_CHUNK.max(self.units.len().div_ceil(MOST_CHUNKS));
        let n_chunks = self.units.len().div_ceil(chunk);
        let pieces: Vec<Piece> = (0..n_chunks)
            .into_par_iter()
            .map(|c| {
                let range = c * chunk..((c + 1) * chunk).min(self.units.len());
                Piece::new(self).run(range, &scores, curves, nodes, log_weights)
            })
            .collect();
        let constant: f64 =
            items.iter().zip(&self.item_correct).map(|(item, n)| item.intercept * n).sum();
        Piece::merge(self, pieces, nodes.len(), constant)
    }
}

/// One unit as the standard errors look at it.
pub(super) struct UnitView<'a> {
    /// How many examinees.
    pub weight: f64,
    /// Posterior of the nodes.
    pub posterior: &'a [f64],
    /// Right answers.
    pub total: f64,
    mask: &'a Mask,
    /// Empty when only totals matter.
    row: &'a [u8],
}

impl UnitView<'_> {
    /// Whether item `j` was answered.
    pub fn answered(&self, j: usize) -> bool {
        match self.mask {
            Mask::AllBut(missing) => missing.binary_search(&j).is_err(),
            Mask::Only(answered) => answered.binary_search(&j).is_ok(),
        }
    }

    /// Whether item `j` was answered right; false when only totals are known.
    pub fn correct(&self, j: usize) -> bool {
        self.row.get(j / 8).is_some_and(|byte| byte >> (j % 8) & 1 == 1)
    }
}

impl Sample {
    /// Calls `f` with each unit, in order.
    pub fn for_each_unit(
        &self,
        items: &[ItemParameters],
        curves: &Curves,
        nodes: &[f64],
        log_weights: &[f64],
        mut f: impl FnMut(UnitView),
    ) {
        let scores = WeightedScores::new(self, items);
        let mut base = vec![0.0; nodes.len()];
        let mut posterior = base.clone();
        let mut previous = None;
        for (u, unit) in self.units.iter().enumerate() {
            let mask = &self.masks[unit.mask];
            if previous != Some(unit.mask) {
                mask.log_wrong(curves, log_weights, &mut base);
                previous = Some(unit.mask);
            }
            Moments::of_posterior(&base, scores.of(u), nodes, &mut posterior);
            let row = if self.rows.is_empty() { &[][..] } else { self.row(u) };
            f(UnitView {
                weight: unit.weight,
                posterior: &posterior,
                total: unit.total,
                mask,
                row,
            });
        }
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
    fn log_wrong(&self, curves: &Curves, base: &[f64], out: &mut [f64]) {
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
}

impl Curves {
    /// log(1 - P) of item `j`; only when they were asked for.
    pub fn log_wrong_of(&self, j: usize, n_nodes: usize) -> &[f64] {
        &self.log_wrong[j * n_nodes..(j + 1) * n_nodes]
    }

    /// Curves of `items` at `nodes`; the item-wise log(1 - P) only if asked for.
    pub fn new(items: &[ItemParameters], nodes: &[f64], with_log_wrong: bool) -> Self {
        let n_nodes = nodes.len();
        let width = ITEM_CHUNK * n_nodes;
        let mut p = vec![0.0; items.len() * n_nodes];
        let mut variance = p.clone();
        let mut log_wrong = if with_log_wrong { p.clone() } else { vec![] };
        let sums: Vec<Vec<f64>> = items
            .par_chunks(ITEM_CHUNK)
            .zip(p.par_chunks_mut(width).zip(variance.par_chunks_mut(width)))
            .map(|(items, (p, variance))| sum_of_logs(items, nodes, p, variance))
            .collect();
        if with_log_wrong {
            log_wrong.par_chunks_mut(n_nodes).zip(items).for_each(|(row, item)| {
                row.iter_mut().zip(nodes).for_each(|(l, &t)| *l = -softplus(item.logit(t)));
            });
        }
        let mut log_wrong_sum = vec![0.0; n_nodes];
        for sum in &sums {
            log_wrong_sum.iter_mut().zip(sum).for_each(|(total, s)| *total += s);
        }
        Self { p, variance, log_wrong, log_wrong_sum }
    }
}

/// Fills P and P (1 - P) of some items; returns their summed log(1 - P).
///
/// log(1 - P) = -max(z, 0) - log(1 + exp(-|z|)). The second terms are summed as
/// the logarithm of a product: at most [`ITEM_CHUNK`] factors in [1, 2], which
/// cannot overflow, and one logarithm instead of one per item.
fn sum_of_logs(
    items: &[ItemParameters],
    nodes: &[f64],
    p: &mut [f64],
    variance: &mut [f64],
) -> Vec<f64> {
    let n_nodes = nodes.len();
    let mut linear = vec![0.0; n_nodes];
    let mut product = vec![1.0; n_nodes];
    for (j, item) in items.iter().enumerate() {
        for (q, &theta) in nodes.iter().enumerate() {
            let z = item.logit(theta);
            let e = (-z.abs()).exp();
            let more_likely = 1.0 / (1.0 + e);
            let less_likely = e * more_likely;
            p[j * n_nodes + q] = if z >= 0.0 { more_likely } else { less_likely };
            variance[j * n_nodes + q] = more_likely * less_likely;
            linear[q] += z.max(0.0);
            product[q] *= 1.0 + e;
        }
    }
    linear.iter().zip(&product).map(|(l, f): (&f64, &f64)| -l - f.ln()).collect()
}

/// log(1 + exp(z)) without overflow.
fn softplus(z: f64) -> f64 {
    z.max(0.0) + (-z.abs()).exp().ln_1p()
}

/// Weighted scores sum(a x) of the units.
struct WeightedScores<'a> {
    sample: &'a Sample,
    common_slope: f64,
    /// For each byte of a row, the sums of the slopes picked by its 256 values.
    tables: Vec<[f64; 256]>,
}

impl<'a> WeightedScores<'a> {
    fn new(sample: &'a Sample, items: &[ItemParameters]) -> Self {
        let by_pattern = !sample.rows.is_empty();
        let tables = if by_pattern { items.chunks(8).map(subset_sums).collect() } else { vec![] };
        Self { sample, common_slope: items.first().map_or(1.0, |item| item.slope), tables }
    }

    fn of(&self, unit: usize) -> f64 {
        if self.tables.is_empty() {
            return self.common_slope * self.sample.units[unit].total;
        }
        let bytes = self.sample.row(unit);
        self.tables.iter().zip(bytes).map(|(table, &byte)| table[byte as usize]).sum()
    }
}

/// Sums of the slopes of every subset of up to eight items.
fn subset_sums(items: &[ItemParameters]) -> [f64; 256] {
    let mut table = [0.0; 256];
    for (bit, item) in items.iter().enumerate() {
        let (known, new) = table.split_at_mut(1 << bit);
        new.iter_mut().zip(known).for_each(|(n, k)| *n = *k + item.slope);
    }
    table
}

impl Sample {
    fn row(&self, unit: usize) -> &[u8] {
        &self.rows[unit * self.row_bytes..(unit + 1) * self.row_bytes]
    }
}

/// Sums over a run of units.
struct Piece {
    log_likelihood: f64,
    /// Mass of the units whose mask is `AllBut`.
    mass_all_but: Vec<f64>,
    mass: Vec<f64>,
    /// Mass to take from (`AllBut`) or give to (`Only`) single items.
    adjustment: Vec<f64>,
    /// sum of E(theta) by byte of the row and its value.
    theta_by_byte: Vec<[f64; 256]>,
    total_by_theta: f64,
    smallest_variance: f64,
}

impl Piece {
    fn new(sample: &Sample) -> Self {
        let bytes = if sample.rows.is_empty() { 0 } else { sample.row_bytes };
        Self {
            log_likelihood: 0.0,
            mass_all_but: vec![],
            mass: vec![],
            adjustment: vec![],
            theta_by_byte: vec![[0.0; 256]; bytes],
            total_by_theta: 0.0,
            smallest_variance: f64::INFINITY,
        }
    }

    fn run(
        mut self,
        units: std::ops::Range<usize>,
        scores: &WeightedScores,
        curves: &Curves,
        nodes: &[f64],
        log_weights: &[f64],
    ) -> Self {
        let sample = scores.sample;
        let n_nodes = nodes.len();
        self.mass = vec![0.0; n_nodes];
        self.mass_all_but = vec![0.0; n_nodes];
        if !sample.is_complete() {
            self.adjustment = vec![0.0; sample.n_items * n_nodes];
        }
        let mut base = vec![0.0; n_nodes];
        let mut posterior = vec![0.0; n_nodes];
        let mut mask_mass = vec![0.0; n_nodes];
        let mut start = units.start;
        while start < units.end {
            let mask = sample.units[start].mask;
            let same = |u: &Unit| u.mask == mask;
            let length = sample.units[start..units.end].iter().take_while(|u| same(u)).count();
            sample.masks[mask].log_wrong(curves, log_weights, &mut base);
            mask_mass.fill(0.0);
            for unit in start..start + length {
                self.add_unit(unit, scores, &base, nodes, &mut posterior, &mut mask_mass);
            }
            self.add_mask(&sample.masks[mask], &mask_mass);
            start += length;
        }
        self
    }

    fn add_unit(
        &mut self,
        unit: usize,
        scores: &WeightedScores,
        base: &[f64],
        nodes: &[f64],
        posterior: &mut [f64],
        mask_mass: &mut [f64],
    ) {
        let Unit { weight, total, .. } = scores.sample.units[unit];
        let score = scores.of(unit);
        let moments = Moments::of_posterior(base, score, nodes, posterior);
        mask_mass.iter_mut().zip(&*posterior).for_each(|(m, p)| *m += weight * p);
        self.log_likelihood += weight * moments.log_sum;
        self.total_by_theta += weight * total * moments.mean;
        self.smallest_variance = self.smallest_variance.min(moments.variance);
        if !self.theta_by_byte.is_empty() {
            for (sums, &byte) in self.theta_by_byte.iter_mut().zip(scores.sample.row(unit)) {
                sums[byte as usize] += weight * moments.mean;
            }
        }
    }

    fn add_mask(&mut self, mask: &Mask, mask_mass: &[f64]) {
        let n_nodes = mask_mass.len();
        let (list, sign) = match mask {
            Mask::AllBut(list) => (list, -1.0),
            Mask::Only(list) => (list, 1.0),
        };
        self.mass.iter_mut().zip(mask_mass).for_each(|(m, x)| *m += x);
        if matches!(mask, Mask::AllBut(_)) {
            self.mass_all_but.iter_mut().zip(mask_mass).for_each(|(m, x)| *m += x);
        }
        for &j in list {
            let row = &mut self.adjustment[j * n_nodes..(j + 1) * n_nodes];
            row.iter_mut().zip(mask_mass).for_each(|(a, x)| *a += sign * x);
        }
    }

    fn merge(sample: &Sample, pieces: Vec<Self>, n_nodes: usize, constant: f64) -> Expected {
        let sum = |part: fn(&Self) -> &Vec<f64>, length: usize| {
            let mut total = vec![0.0; length];
            for piece in &pieces {
                total.iter_mut().zip(part(piece)).for_each(|(t, x)| *t += x);
            }
            total
        };
        let mass_by_item = (!sample.is_complete()).then(|| {
            let common = sum(|p| &p.mass_all_but, n_nodes);
            let mut all = sum(|p| &p.adjustment, sample.n_items * n_nodes);
            for row in all.chunks_mut(n_nodes) {
                // Rounding may leave a node of no mass a hair below zero.
                row.iter_mut().zip(&common).for_each(|(a, c)| *a = (*a + c).max(0.0));
            }
            all
        });
        Expected {
            log_likelihood: constant + pieces.iter().map(|p| p.log_likelihood).sum::<f64>(),
            mass: sum(|p| &p.mass, n_nodes),
            mass_by_item,
            correct_by_theta: Self::merge_bytes(sample, &pieces),
            total_by_theta: pieces.iter().map(|p| p.total_by_theta).sum(),
            smallest_sd: pieces
                .iter()
                .map(|p| p.smallest_variance)
                .fold(f64::INFINITY, f64::min)
                .max(0.0)
                .sqrt(),
        }
    }

    /// Distributes the sums kept by byte over the items of each byte.
    fn merge_bytes(sample: &Sample, pieces: &[Self]) -> Vec<f64> {
        if sample.rows.is_empty() {
            return vec![];
        }
        let mut by_item = vec![0.0; sample.n_items];
        for piece in pieces {
            for (items, sums) in by_item.chunks_mut(8).zip(&piece.theta_by_byte) {
                for (bit, out) in items.iter_mut().enumerate() {
                    let picked = (0..256).filter(|byte| byte >> bit & 1 == 1);
                    *out += picked.map(|byte| sums[byte]).sum::<f64>();
                }
            }
        }
        by_item
    }
}

/// What a posterior over the nodes says of the trait.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moments {
    /// log of the sum of weight times likelihood.
    pub log_sum: f64,
    /// Posterior mean.
    pub mean: f64,
    /// Posterior variance.
    pub variance: f64,
}

impl Moments {
    /// Fills `posterior` (proportional to exp(base + node * score), sum one) and
    /// returns its moments.
    pub fn of_posterior(base: &[f64], score: f64, nodes: &[f64], posterior: &mut [f64]) -> Self {
        let mut top = f64::NEG_INFINITY;
        for ((p, b), t) in posterior.iter_mut().zip(base).zip(nodes) {
            *p = b + t * score;
            top = top.max(*p);
        }
        let mut sum = 0.0;
        for p in posterior.iter_mut() {
            *p = if *p - top < NEGLIGIBLE { 0.0 } else { (*p - top).exp() };
            sum += *p;
        }
        posterior.iter_mut().for_each(|p| *p /= sum);
        let mean: f64 = posterior.iter().zip(nodes).map(|(p, t)| p * t).sum();
        let variance = posterior.iter().zip(nodes).map(|(p, t)| p * (t - mean).powi(2)).sum();
        Self { log_sum: top + sum.ln(), mean, variance }
    }
}
