//! The textbook EM of Bock and Aitkin (1981), written for the tests alone: no
//! sufficient statistics, no acceleration, nothing shared with the library but
//! the type of its parameters. It shows where a fit, ours or the reference's,
//! would end if it were left to run.

use escritura::data::Responses;
use escritura::psychometrics::irt::{ItemParameters, LogNormal};

/// A complete matrix on the reference grid: 61 nodes on [-6, 6].
pub struct PlainEm {
    answers: Vec<Vec<bool>>,
    nodes: Vec<f64>,
    /// The prior of the slopes; without it they are 1 and the variance is free.
    prior: Option<LogNormal>,
}

#[derive(Clone)]
pub struct Estimates {
    pub items: Vec<ItemParameters>,
    pub variance: f64,
}

impl Estimates {
    /// The largest difference in any parameter.
    pub fn distance(&self, other: &Self) -> f64 {
        let item = |(a, b): (&ItemParameters, &ItemParameters)| {
            (a.slope - b.slope).abs().max((a.intercept - b.intercept).abs())
        };
        let variance = (self.variance - other.variance).abs();
        self.items.iter().zip(&other.items).map(item).fold(variance, f64::max)
    }
}

impl PlainEm {
    pub fn new(data: &Responses, items: &[usize], prior: Option<LogNormal>) -> Self {
        let answer = |i: usize, j: usize| data.get(i, j).expect("a complete matrix");
        let of_item = |j: &usize| (0..data.n_examinees()).map(|i| answer(i, *j)).collect();
        let nodes = (0..61).map(|q| -6.0 + 0.2 * f64::from(q)).collect();
        Self { answers: items.iter().map(of_item).collect(), nodes, prior }
    }

    /// Cycles until none changes a parameter by more than `change`; also how many
    /// and how much the last two differ by (the rate of convergence).
    pub fn run(&self, start: &Estimates, change: f64) -> (Estimates, usize, f64) {
        let (mut at, mut cycles, mut last) = (start.clone(), 0, f64::INFINITY);
        loop {
            let next = self.cycle(&at);
            let moved = next.distance(&at);
            (at, cycles) = (next, cycles + 1);
            if moved <= change {
                return (at, cycles, moved / last);
            }
            assert!(cycles < 20_000, "plain EM goes on for ever: still {moved:e}");
            last = moved;
        }
    }

    /// One E-step and one M-step.
    fn cycle(&self, at: &Estimates) -> Estimates {
        let (mass, correct) = self.expected(at);
        let n = self.answers[0].len() as f64;
        let squares: f64 = mass.iter().zip(&self.nodes).map(|(m, t)| m * t * t).sum();
        let item =
            |(item, correct): (&ItemParameters, &Vec<f64>)| self.newton(*item, &mass, correct);
        Estimates {
            items: at.items.iter().zip(&correct).map(item).collect(),
            variance: if self.prior.is_some() { 1.0 } else { squares / n },
        }
    }

    /// Expected examinees at each node, and of them those who solve each item.
    fn expected(&self, at: &Estimates) -> (Vec<f64>, Vec<Vec<f64>>) {
        let prior = self.nodes.iter().map(|t| -t * t / (2.0 * at.variance));
        let prior: Vec<f64> = prior.collect();
        let mut joint = vec![prior; self.answers[0].len()];
        for (item, answers) in at.items.iter().zip(&self.answers) {
            let log_p = |sign: f64| -> Vec<f64> {
                let z = |t: &f64| sign * (item.slope * t + item.intercept);
                self.nodes.iter().map(|t| -(-z(t)).exp().ln_1p()).collect()
            };
            let (right, wrong) = (log_p(1.0), log_p(-1.0));
            for (joint, correct) in joint.iter_mut().zip(answers) {
                let log_p = if *correct { &right } else { &wrong };
                joint.iter_mut().zip(log_p).for_each(|(joint, log_p)| *joint += log_p);
            }
        }
        joint.iter_mut().for_each(|row| normalise(row));
        let sum = |of: &dyn Fn(usize) -> bool| {
            let mut sums = vec![0.0; self.nodes.len()];
            for (_, row) in joint.iter().enumerate().filter(|(i, _)| of(*i)) {
                sums.iter_mut().zip(row).for_each(|(sum, p)| *sum += p);
            }
            sums
        };
        let correct = self.answers.iter().map(|answers| sum(&|i| answers[i])).collect();
        (sum(&|_| true), correct)
    }

    /// The maximum of an item's expected log-likelihood (plus log prior).
    fn newton(&self, mut item: ItemParameters, mass: &[f64], correct: &[f64]) -> ItemParameters {
        for _ in 0..50 {
            let (mut g, mut h) = ([0.0; 2], [0.0; 3]);
            for ((t, n), r) in self.nodes.iter().zip(mass).zip(correct) {
                let p = 1.0 / (1.0 + (-item.slope * t - item.intercept).exp());
                let (residual, weight) = (r - n * p, n * p * (1.0 - p));
                g = [g[0] + residual * t, g[1] + residual];
                h = [h[0] + weight * t * t, h[1] + weight * t, h[2] + weight];
            }
            let step = match self.prior {
                None => [0.0, g[1] / h[2]],
                Some(prior) => {
                    let (a, s2) = (item.slope, prior.sd_log.powi(2));
                    let z = (a.ln() - prior.mean_log) / s2;
                    g[0] -= (1.0 + z) / a;
                    h[0] -= (1.0 + z - 1.0 / s2) / (a * a);
                    let det = h[0] * h[2] - h[1] * h[1];
                    [(h[2] * g[0] - h[1] * g[1]) / det, (h[0] * g[1] - h[1] * g[0]) / det]
                }
            };
            item.slope += step[0];
            item.intercept += step[1];
            if step[0].abs().max(step[1].abs()) < 1e-14 {
                break;
            }
        }
        item
    }
}

fn normalise(log_weights: &mut [f64]) {
    let top = log_weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    log_weights.iter_mut().for_each(|w| *w = (*w - top).exp());
    let total: f64 = log_weights.iter().sum();
    log_weights.iter_mut().for_each(|w| *w /= total);
}
