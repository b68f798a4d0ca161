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

use rayon::prelude::*;

use super::ItemParameters;
use super::curves::Curves;
use super::quadrature::Moments;
use super::sample::{Mask, Sample, Unit};

/// Fewest distinct patterns per parallel piece.
const UNIT_CHUNK: usize = 256;
/// Most parallel pieces (each holds its own sums).
const MOST_CHUNKS: usize = 32;

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
        self.mask.answered(j)
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
        if !sample.is_complete {
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
        let mass_by_item = (!sample.is_complete).then(|| {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Responses;
    use crate::psychometrics::irt::Grid;

    /// Forty examinees and nine items; a third of the examinees answered little.
    fn data() -> Responses {
        Responses::from_fn(40, 9, |i, j| {
            let answered = if i % 3 == 0 { (i + j) % 4 == 0 } else { (i * j) % 5 != 1 };
            answered.then_some((i * 17 + j * 5 + i * j) % 7 < 4)
        })
    }

    fn items(slope: impl Fn(usize) -> f64) -> Vec<ItemParameters> {
        (0..9)
            .map(|j| ItemParameters { slope: slope(j), intercept: 0.3 * j as f64 - 1.0 })
            .collect()
    }

    /// The same, cell by cell.
    struct ByHand {
        log_likelihood: f64,
        mass_by_item: Vec<f64>,
        correct_by_theta: Vec<f64>,
    }

    fn by_hand(data: &Responses, items: &[ItemParameters], grid: &Grid) -> ByHand {
        let (nodes, log_weights) = (grid.nodes(), grid.log_weights(1.3));
        let mut out = ByHand {
            log_likelihood: 0.0,
            mass_by_item: vec![0.0; items.len() * nodes.len()],
            correct_by_theta: vec![0.0; items.len()],
        };
        for i in 0..data.n_examinees() {
            let joint = |(theta, w): (&f64, &f64)| {
                let term = |(j, item): (usize, &ItemParameters)| match data.get(i, j) {
                    Some(true) => item.probabilities(*theta).0.ln(),
                    Some(false) => item.probabilities(*theta).1.ln(),
                    None => 0.0,
                };
                (w + items.iter().enumerate().map(term).sum::<f64>()).exp()
            };
            let joint: Vec<f64> = nodes.iter().zip(&log_weights).map(joint).collect();
            let total: f64 = joint.iter().sum();
            out.log_likelihood += total.ln();
            let mean: f64 = joint.iter().zip(&nodes).map(|(p, t)| p * t / total).sum();
            for j in (0..items.len()).filter(|&j| data.get(i, j).is_some()) {
                let row = &mut out.mass_by_item[j * nodes.len()..(j + 1) * nodes.len()];
                row.iter_mut().zip(&joint).for_each(|(m, p)| *m += p / total);
                out.correct_by_theta[j] += if data.get(i, j) == Some(true) { mean } else { 0.0 };
            }
        }
        out
    }

    fn expect(sample: &Sample, items: &[ItemParameters], grid: &Grid) -> Expected {
        let nodes = grid.nodes();
        let curves = sample.curves(items, &nodes);
        sample.expect(items, &curves, &nodes, &grid.log_weights(1.3))
    }

    #[test]
    fn the_sufficient_form_equals_the_product_over_cells() {
        let (data, grid) = (data(), Grid::reference());
        let common = items(|_| 1.1);
        let own = items(|j| 0.4 + 0.2 * j as f64);
        let cases = [(Sample::by_total(&data), common), (Sample::by_pattern(&data), own)];
        for (sample, items) in cases {
            let (ours, direct) = (expect(&sample, &items, &grid), by_hand(&data, &items, &grid));
            assert!((ours.log_likelihood - direct.log_likelihood).abs() < 1e-11);
            let masses = ours.mass_by_item.as_ref().unwrap().iter().zip(&direct.mass_by_item);
            // Forty posteriors added in another order.
            assert!(masses.fold(0.0, |gap: f64, (a, b)| gap.max((a - b).abs())) < 1e-13);
            for (a, b) in ours.correct_by_theta.iter().zip(&direct.correct_by_theta) {
                assert!((a - b).abs() < 1e-12, "{a} {b}");
            }
            let total: f64 = direct.correct_by_theta.iter().sum();
            assert!((ours.total_by_theta - total).abs() < 1e-12, "sum over items of the same");
        }
    }
}
