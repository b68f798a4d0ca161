//! Maximisation by limited-memory BFGS with the complete-data information of EM
//! as its metric.
//!
//! One step of the metric alone is one step of EM (its M-step taken as a single
//! Newton step: Lange, 1995a), which is safe and slow: the error shrinks by the
//! fraction of missing information, and with many items that fraction is close
//! to one along a few directions only (a shift or a stretch of the latent
//! scale). Limited-memory BFGS (Nocedal, 1980) learns those few directions and
//! reaches the same optimum in tens of steps (Lange, 1995b, A quasi-Newton
//! acceleration of the EM algorithm).
//!
//! Coordinates come in blocks: pairs (slope, intercept) first, single
//! coordinates after them.

use std::collections::VecDeque;

/// Steps remembered.
const MEMORY: usize = 20;
/// Share of the predicted gain that a step must deliver (Armijo).
const SUFFICIENT_GAIN: f64 = 1e-4;
/// Shortenings of a step before giving up, and how short one may be.
const MOST_SHORTENINGS: usize = 40;
const SHORTEST: f64 = 0.1;
const LONGEST: f64 = 0.5;
/// Rounding error of the objective, relative to its size: a sum over
/// examinees of sums over items.
const ROUNDING: f64 = 1e-13;
/// A whole step may exceed the limits of single blocks this many times.
const OVERSHOOT: f64 = 4.0;

/// Complete-data information of one block.
#[derive(Debug, Clone, Copy)]
pub(super) enum Block {
    /// Slope and intercept, orthogonalised: the information about the intercept
    /// is `base`, about the slope once the intercept adapts `spread`, and the
    /// intercept moves by -`mean` per unit of slope.
    Pair { mean: f64, spread: f64, base: f64 },
    /// One coordinate.
    Single(f64),
}

impl Block {
    fn width(&self) -> usize {
        match self {
            Self::Pair { .. } => 2,
            Self::Single(_) => 1,
        }
    }

    /// Inverse information times `v`, in place.
    pub fn solve(&self, v: &mut [f64]) {
        match *self {
            Self::Pair { mean, spread, base } => {
                let slope = (v[0] - mean * v[1]) / spread.max(f64::MIN_POSITIVE);
                v[1] = v[1] / base.max(f64::MIN_POSITIVE) - mean * slope;
                v[0] = slope;
            }
            Self::Single(information) => v[0] /= information.max(f64::MIN_POSITIVE),
        }
    }
}

/// The objective at a point.
#[derive(Debug, Clone)]
pub(super) struct Evaluation {
    pub value: f64,
    pub gradient: Vec<f64>,
    pub blocks: Vec<Block>,
}

/// A function to maximise.
pub(super) trait Problem {
    /// Value, gradient and complete-data information.
    fn evaluate(&self, x: &[f64]) -> Evaluation;

    /// Largest change of each coordinate in a single step from `x`.
    fn step_limit(&self, x: &[f64], coordinate: usize) -> f64;

    /// Puts `x` back inside its bounds.
    fn project(&self, x: &mut [f64]);

    /// Whether a block should stay where it is: at a bound, or on its way to
    /// infinity without any more gain. `at` is its first coordinate.
    fn rests(&self, x: &[f64], at: usize, block: &Block, gradient: &[f64]) -> bool;
}

/// Where and why the maximisation ended.
#[derive(Debug, Clone)]
pub(super) struct Outcome {
    pub x: Vec<f64>,
    pub evaluation: Evaluation,
    pub ending: Ending,
    pub cycles: usize,
    pub evaluations: usize,
    pub last_change: f64,
    /// The step that would have come next.
    pub next_step: Vec<f64>,
    /// First coordinate of each block at rest.
    pub resting: Vec<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Tolerance,
    Cycles,
    /// The objective no longer changes but the coordinates still do.
    Flat,
    NoProgress,
}

impl Outcome {
    /// Largest absolute derivative among the blocks that are free.
    pub fn gradient_norm(&self) -> f64 {
        let mut gradient = self.evaluation.gradient.clone();
        silence(&self.evaluation.blocks, &self.resting, &mut gradient);
        largest(&gradient)
    }
}

/// When to stop.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stopping {
    /// No step moves a coordinate by more than this.
    pub tolerance: f64,
    pub max_cycles: usize,
    /// The top is flat after `patience` cycles without a gain of `least_gain`
    /// (relative to the objective).
    pub least_gain: f64,
    pub patience: usize,
}

impl Stopping {
    /// At a maximum, to `tolerance`. Ordinary convergence takes about six cycles
    /// from where gains drown in rounding to the tolerance.
    pub fn exact(tolerance: f64, max_cycles: usize) -> Self {
        Self { tolerance, max_cycles, least_gain: ROUNDING, patience: 30 }
    }

    /// Near a maximum: close enough to tell it from others.
    pub fn near(max_cycles: usize) -> Self {
        Self { tolerance: 1e-3, max_cycles, least_gain: 1e-8, patience: 5 }
    }
}

/// Maximises from `x`.
pub(super) fn maximise(problem: &impl Problem, x: Vec<f64>, stopping: &Stopping) -> Outcome {
    let evaluation = problem.evaluate(&x);
    let mut climb = Climb {
        problem,
        x,
        evaluation,
        memory: VecDeque::new(),
        resting: vec![],
        evaluations: 1,
        last_change: f64::INFINITY,
    };
    let mut cycles = 0;
    let mut landmark = (0, climb.evaluation.value);
    let (ending, next_step) = loop {
        if climb.update_resting() {
            climb.memory.clear();
        }
        let (direction, gain) = climb.direction();
        climb.last_change = largest(&direction).max(largest(&climb.em_step()));
        if climb.last_change <= stopping.tolerance {
            break (Ending::Tolerance, direction);
        }
        if cycles == stopping.max_cycles {
            break (Ending::Cycles, direction);
        }
        let value = climb.evaluation.value;
        if value > landmark.1 + stopping.least_gain * value.abs() {
            landmark = (cycles, value);
        } else if cycles - landmark.0 > stopping.patience {
            break (Ending::Flat, direction);
        }
        cycles += 1;
        if !climb.step(&direction, gain) {
            if climb.memory.is_empty() {
                break (Ending::NoProgress, direction);
            }
            climb.memory.clear();
        }
    };
    let Climb { x, evaluation, evaluations, last_change, resting, .. } = climb;
    Outcome { x, evaluation, ending, cycles, evaluations, last_change, next_step, resting }
}

/// A step taken and the change of the gradient along it.
struct Pair {
    step: Vec<f64>,
    /// Gradient before minus gradient after.
    drop: Vec<f64>,
    inverse_curvature: f64,
}

struct Climb<'a, P> {
    problem: &'a P,
    x: Vec<f64>,
    evaluation: Evaluation,
    memory: VecDeque<Pair>,
    resting: Vec<usize>,
    evaluations: usize,
    last_change: f64,
}

impl<P: Problem> Climb<'_, P> {
    /// The step that EM would take, with blocks at rest left out.
    fn em_step(&self) -> Vec<f64> {
        let mut step = self.free_gradient();
        for_each_block(&self.evaluation.blocks, |at, block| {
            block.solve(&mut step[at..at + block.width()]);
        });
        step
    }

    fn free_gradient(&self) -> Vec<f64> {
        let mut gradient = self.evaluation.gradient.clone();
        silence(&self.evaluation.blocks, &self.resting, &mut gradient);
        gradient
    }

    /// Decides anew which blocks rest; says whether that changed.
    fn update_resting(&mut self) -> bool {
        let mut resting = vec![];
        for_each_block(&self.evaluation.blocks, |at, block| {
            let gradient = &self.evaluation.gradient[at..at + block.width()];
            if self.problem.rests(&self.x, at, block, gradient) {
                resting.push(at);
            }
        });
        let changed = resting != self.resting;
        self.resting = resting;
        changed
    }

    /// The quasi-Newton direction (two-loop recursion) and the gain it promises
    /// per unit of step.
    fn direction(&mut self) -> (Vec<f64>, f64) {
        let gradient = self.free_gradient();
        let damping = self.damping();
        let mut v = gradient.clone();
        let mut weights = vec![];
        for pair in self.memory.iter().rev() {
            let weight = pair.inverse_curvature * dot(&pair.step, &v);
            add(&mut v, -weight, &pair.drop);
            weights.push(weight);
        }
        for_each_block(&self.evaluation.blocks, |at, block| {
            let part = &mut v[at..at + block.width()];
            block.solve(part);
            part.iter_mut().for_each(|c| *c *= damping[at]);
        });
        for (pair, weight) in self.memory.iter().zip(weights.into_iter().rev()) {
            let correction = pair.inverse_curvature * dot(&pair.drop, &v);
            add(&mut v, weight - correction, &pair.step);
        }
        let gain = dot(&v, &gradient);
        if gain > 0.0 || self.memory.is_empty() {
            return (v, gain);
        }
        self.memory.clear();
        self.direction()
    }

    /// How much the metric of each block is shortened so that its own EM step
    /// stays within the limits.
    fn damping(&self) -> Vec<f64> {
        let step = self.em_step();
        let mut damping = vec![1.0; step.len()];
        for_each_block(&self.evaluation.blocks, |at, block| {
            let range = at..at + block.width();
            let ratio = self.overshoot(&step, range.clone());
            damping[range].fill(1.0 / ratio.max(1.0));
        });
        damping
    }

    /// Largest ratio of a step to its limit.
    fn overshoot(&self, step: &[f64], coordinates: std::ops::Range<usize>) -> f64 {
        coordinates.map(|c| step[c].abs() / self.problem.step_limit(&self.x, c)).fold(0.0, f64::max)
    }

    /// Moves along `direction` as far as the objective allows; false when no
    /// length gives a gain.
    fn step(&mut self, direction: &[f64], gain: f64) -> bool {
        let overshoot = self.overshoot(direction, 0..direction.len()) / OVERSHOOT;
        let mut length = 1.0 / overshoot.max(1.0);
        for _ in 0..MOST_SHORTENINGS {
            let mut x = self.x.clone();
            add(&mut x, length, direction);
            self.problem.project(&mut x);
            let evaluation = self.problem.evaluate(&x);
            self.evaluations += 1;
            let needed = SUFFICIENT_GAIN * length * gain - ROUNDING * self.evaluation.value.abs();
            let gained = evaluation.value - self.evaluation.value;
            if gained >= needed {
                self.accept(x, evaluation);
                return true;
            }
            // Where the parabola through what is known has its top.
            let top = 0.5 * gain * length / (gain * length - gained);
            length *= if top.is_finite() { top.clamp(SHORTEST, LONGEST) } else { LONGEST };
        }
        false
    }

    fn accept(&mut self, x: Vec<f64>, evaluation: Evaluation) {
        let difference = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect();
        let mut step: Vec<f64> = difference(&x, &self.x);
        let mut drop: Vec<f64> = difference(&self.evaluation.gradient, &evaluation.gradient);
        silence(&self.evaluation.blocks, &self.resting, &mut step);
        silence(&self.evaluation.blocks, &self.resting, &mut drop);
        self.x = x;
        self.evaluation = evaluation;
        let curvature = dot(&step, &drop);
        // Only a concave stretch teaches something about the maximum.
        if curvature > 1e-12 * (dot(&step, &step) * dot(&drop, &drop)).sqrt() {
            if self.memory.len() == MEMORY {
                self.memory.pop_front();
            }
            self.memory.push_back(Pair { step, drop, inverse_curvature: 1.0 / curvature });
        }
    }
}

/// Calls `f` with the first coordinate of each block and the block.
fn for_each_block(blocks: &[Block], mut f: impl FnMut(usize, &Block)) {
    let mut at = 0;
    for block in blocks {
        f(at, block);
        at += block.width();
    }
}

/// Zeroes the coordinates of the blocks at rest.
fn silence(blocks: &[Block], resting: &[usize], v: &mut [f64]) {
    for_each_block(blocks, |at, block| {
        if resting.binary_search(&at).is_ok() {
            v[at..at + block.width()].fill(0.0);
        }
    });
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add(to: &mut [f64], factor: f64, v: &[f64]) {
    to.iter_mut().zip(v).for_each(|(t, v)| *t += factor * v);
}

fn largest(v: &[f64]) -> f64 {
    v.iter().fold(0.0, |top, x| x.abs().max(top))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A concave bowl whose metric misses the coupling between coordinates.
    struct Bowl;

    impl Problem for Bowl {
        fn evaluate(&self, x: &[f64]) -> Evaluation {
            let (a, b) = (x[0] - 3.0, x[1] + 1.0);
            Evaluation {
                value: -a * a - 5.0 * b * b - 4.2 * a * b,
                gradient: vec![-2.0 * a - 4.2 * b, -10.0 * b - 4.2 * a],
                blocks: vec![Block::Single(4.0), Block::Single(20.0)],
            }
        }

        fn step_limit(&self, _: &[f64], _: usize) -> f64 {
            1.0
        }

        fn project(&self, _: &mut [f64]) {}

        fn rests(&self, _: &[f64], _: usize, _: &Block, _: &[f64]) -> bool {
            false
        }
    }

    #[test]
    fn finds_the_top_of_a_correlated_bowl_in_few_cycles() {
        let outcome = maximise(&Bowl, vec![-20.0, 40.0], &Stopping::exact(1e-10, 200));
        assert_eq!(outcome.ending, Ending::Tolerance);
        assert!(outcome.cycles < 40, "{} cycles", outcome.cycles);
        assert!((outcome.x[0] - 3.0).abs() < 1e-9 && (outcome.x[1] + 1.0).abs() < 1e-9);
    }

    #[test]
    fn solving_a_pair_inverts_its_information() {
        // Information [[7, 3], [3, 2]]: base 2, mean 3/2, spread 7 - 9/2.
        let block = Block::Pair { mean: 1.5, spread: 2.5, base: 2.0 };
        let mut v = [7.0 * 0.3 + 3.0 * -1.1, 3.0 * 0.3 + 2.0 * -1.1];
        block.solve(&mut v);
        assert!((v[0] - 0.3).abs() < 1e-14 && (v[1] + 1.1).abs() < 1e-14, "{v:?}");
    }
}
