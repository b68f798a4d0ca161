//! Response curves at the quadrature nodes.

use rayon::prelude::*;

use super::ItemParameters;

/// Items per parallel piece; fixed, so that sums are the same on any machine.
const ITEM_CHUNK: usize = 64;

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
