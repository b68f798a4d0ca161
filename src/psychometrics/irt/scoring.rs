//! Scores on the latent scale, given item parameters.
//!
//! [`eap`] always exists when something was answered; [`maximum_likelihood`] is
//! infinite for perfect and zero patterns and says so; [`weighted_likelihood`]
//! (Warm, 1989) and [`maximum_a_posteriori`] are finite. All functions take as
//! many item parameters as the matrix has items, and panic otherwise.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::curves::Curves;
use super::quadrature::Moments;
use super::{Grid, ItemParameters};
use crate::data::{Bits, Responses};

/// A score and its standard error, in logits.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// Estimate of the trait.
    pub theta: f64,
    /// Posterior standard deviation (EAP) or 1 / sqrt(information) (the others;
    /// MAP adds the prior's).
    pub standard_error: f64,
}

/// Why an examinee has no finite score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum NoScore {
    /// Nothing was answered, or nothing that depends on the trait.
    NoAnswers,
    /// The likelihood grows for ever upwards (a perfect pattern).
    PlusInfinity,
    /// The likelihood grows for ever downwards (a zero pattern).
    MinusInfinity,
}

/// Expected a posteriori scores (Bock & Mislevy, 1982) with an N(0, `variance`)
/// prior: posterior mean and standard deviation on `grid` (the reference
/// program scores on [`Grid::scoring`] of its estimation grid). `None` for
/// examinees without answers.
pub fn eap(
    responses: &Responses,
    items: &[ItemParameters],
    variance: f64,
    grid: &Grid,
) -> Vec<Option<Score>> {
    check_lengths(responses, items);
    let posterior = Posterior::new(responses, items, variance, grid);
    if responses.is_complete() && items.windows(2).all(|w| w[0].slope == w[1].slope) {
        return posterior.by_total(responses, items);
    }
    let by_examinee = responses.transposed();
    let score = |i| posterior.score(by_examinee.item(i), items);
    (0..responses.n_examinees()).into_par_iter().map(score).collect()
}

fn check_lengths(responses: &Responses, items: &[ItemParameters]) {
    assert_eq!(responses.n_items(), items.len(), "one pair of parameters per item");
}

struct Posterior {
    nodes: Vec<f64>,
    log_weights: Vec<f64>,
    /// Log weights plus the sum of log(1 - P) over all items.
    base: Vec<f64>,
    curves: Curves,
}

impl Posterior {
    fn new(responses: &Responses, items: &[ItemParameters], variance: f64, grid: &Grid) -> Self {
        let nodes = grid.nodes();
        let log_weights = grid.log_weights(variance);
        let curves = Curves::new(items, &nodes, !responses.is_complete());
        let base = log_weights.iter().zip(&curves.log_wrong_sum).map(|(w, l)| w + l).collect();
        Self { nodes, log_weights, base, curves }
    }

    /// Complete answers and a common slope: one score per total.
    fn by_total(&self, responses: &Responses, items: &[ItemParameters]) -> Vec<Option<Score>> {
        let Some(slope) = items.first().map(|item| item.slope) else {
            return vec![None; responses.n_examinees()];
        };
        let scores: Vec<Score> = (0..=items.len())
            .into_par_iter()
            .map(|total| self.moments(&self.base, slope * total as f64))
            .collect();
        responses.totals().iter().map(|&total| Some(scores[total as usize])).collect()
    }

    fn score(&self, bits: Bits, items: &[ItemParameters]) -> Option<Score> {
        let n_answered = bits.n_observed();
        if n_answered == 0 {
            return None;
        }
        let score = sum_over(bits.correct, |j| items[j].slope);
        if n_answered == items.len() {
            return Some(self.moments(&self.base, score));
        }
        let mut base = self.log_weights.clone();
        for j in ones(bits.observed) {
            let row = self.curves.log_wrong_of(j, self.nodes.len());
            base.iter_mut().zip(row).for_each(|(b, l)| *b += l);
        }
        Some(self.moments(&base, score))
    }

    fn moments(&self, base: &[f64], score: f64) -> Score {
        let mut posterior = vec![0.0; self.nodes.len()];
        let moments = Moments::of_posterior(base, score, &self.nodes, &mut posterior);
        Score { theta: moments.mean, standard_error: moments.variance.sqrt() }
    }
}

/// Positions of the ones of a bit set.
fn ones(words: &[u64]) -> impl Iterator<Item = usize> {
    words.iter().enumerate().flat_map(|(w, &word)| {
        let rests = std::iter::successors(Some(word), |rest| Some(rest & rest.wrapping_sub(1)));
        rests.take_while(|rest| *rest != 0).map(move |rest| w * 64 + rest.trailing_zeros() as usize)
    })
}

fn sum_over(words: &[u64], value: impl Fn(usize) -> f64) -> f64 {
    ones(words).map(value).sum()
}

/// Maximum likelihood scores; infinite ones are named.
pub fn maximum_likelihood(
    responses: &Responses,
    items: &[ItemParameters],
) -> Vec<Result<Score, NoScore>> {
    each_examinee(responses, items, |pattern| {
        if let Some(reason) = pattern.infinite() {
            return Err(reason);
        }
        let theta = decreasing_root(|theta| pattern.slope_of_log_likelihood(theta));
        pattern.with_error(theta, pattern.information(theta))
    })
}

/// Maximum a posteriori scores with an N(0, `variance`) prior.
pub fn maximum_a_posteriori(
    responses: &Responses,
    items: &[ItemParameters],
    variance: f64,
) -> Vec<Result<Score, NoScore>> {
    each_examinee(responses, items, |pattern| {
        let slope = |theta| pattern.slope_of_log_likelihood(theta) - theta / variance;
        let theta = decreasing_root(slope);
        pattern.with_error(theta, pattern.information(theta) + 1.0 / variance)
    })
}

/// Warm's (1989) weighted likelihood scores: the maximum of the likelihood times
/// the square root of the information, which for logistic items solves
/// `l' + J / (2 I) = 0` with `J = sum(a^3 P Q (1 - 2 P))` (his equation 8).
pub fn weighted_likelihood(
    responses: &Responses,
    items: &[ItemParameters],
) -> Vec<Result<Score, NoScore>> {
    each_examinee(responses, items, |pattern| {
        if pattern.answers.is_empty() {
            return Err(NoScore::NoAnswers);
        }
        let theta = pattern.weighted_maximum();
        pattern.with_error(theta, pattern.information(theta))
    })
}

fn each_examinee(
    responses: &Responses,
    items: &[ItemParameters],
    score: impl Fn(&Pattern) -> Result<Score, NoScore> + Sync,
) -> Vec<Result<Score, NoScore>> {
    check_lengths(responses, items);
    let by_examinee = responses.transposed();
    let one = |i: usize| {
        let bits = by_examinee.item(i);
        let informative = |j: &usize| items[*j].slope != 0.0;
        let answer = |j: usize| (items[j], bits.get(j) == Some(true));
        let answers = ones(bits.observed).filter(informative).map(answer).collect();
        let pattern = Pattern { answers };
        if bits.n_observed() == 0 { Err(NoScore::NoAnswers) } else { score(&pattern) }
    };
    (0..responses.n_examinees()).into_par_iter().map(one).collect()
}

/// The answers of one examinee to items whose slope is not zero.
struct Pattern {
    answers: Vec<(ItemParameters, bool)>,
}

impl Pattern {
    /// Whether the likelihood has its maximum at infinity.
    fn infinite(&self) -> Option<NoScore> {
        let pulls_up = |&(item, right): &(ItemParameters, bool)| (item.slope > 0.0) == right;
        match self.answers.iter().filter(|answer| pulls_up(answer)).count() {
            _ if self.answers.is_empty() => Some(NoScore::NoAnswers),
            0 => Some(NoScore::MinusInfinity),
            n if n == self.answers.len() => Some(NoScore::PlusInfinity),
            _ => None,
        }
    }

    /// Derivative of the log-likelihood; decreasing in theta.
    fn slope_of_log_likelihood(&self, theta: f64) -> f64 {
        let term = |(item, right): &(ItemParameters, bool)| {
            let (p, q) = item.probabilities(theta);
            item.slope * if *right { q } else { -p }
        };
        self.answers.iter().map(term).sum()
    }

    fn information(&self, theta: f64) -> f64 {
        self.answers.iter().map(|(item, _)| super::information::item_information(item, theta)).sum()
    }

    fn weighted_log_likelihood(&self, theta: f64) -> f64 {
        let term = |(item, right): &(ItemParameters, bool)| {
            let (p, q) = item.probabilities(theta);
            if *right { p } else { q }.max(f64::MIN_POSITIVE).ln()
        };
        let log_likelihood: f64 = self.answers.iter().map(term).sum();
        log_likelihood + 0.5 * self.information(theta).max(f64::MIN_POSITIVE).ln()
    }

    /// J / (2 I) added to the derivative of the log-likelihood.
    fn weighted_slope(&self, theta: f64) -> f64 {
        let term = |(item, _): &(ItemParameters, bool)| {
            let (p, q) = item.probabilities(theta);
            item.slope.powi(3) * p * q * (q - p)
        };
        let j: f64 = self.answers.iter().map(term).sum();
        let correction = j / (2.0 * self.information(theta).max(f64::MIN_POSITIVE));
        self.slope_of_log_likelihood(theta) + correction
    }

    /// The weighted likelihood may have several maxima: find the highest on a
    /// coarse grid that spans all difficulties, then solve around it.
    fn weighted_maximum(&self) -> f64 {
        let places = self.answers.iter().filter_map(|(item, _)| item.difficulty());
        let reach = places.fold(8.0, |reach: f64, b| reach.max(b.abs().min(50.0) + 8.0));
        let step = 0.25;
        let steps = (reach / step).ceil() as i64;
        let nodes = (-steps..=steps).map(|s| s as f64 * step);
        let rate = |theta| (theta, self.weighted_log_likelihood(theta));
        let best = nodes.map(rate).reduce(|a, b| if b.1 > a.1 { b } else { a });
        let centre = best.map_or(0.0, |(theta, _)| theta);
        bisect(|theta| self.weighted_slope(theta), centre - step, centre + step)
    }

    fn with_error(&self, theta: f64, information: f64) -> Result<Score, NoScore> {
        let standard_error = information.sqrt().recip();
        if theta.is_finite() && standard_error.is_finite() {
            return Ok(Score { theta, standard_error });
        }
        Err(if theta < 0.0 { NoScore::MinusInfinity } else { NoScore::PlusInfinity })
    }
}

/// Root of a decreasing function, bracketed by doubling from zero.
fn decreasing_root(f: impl Fn(f64) -> f64) -> f64 {
    let mut reach = 8.0;
    while reach < 1e6 && (f(-reach) < 0.0 || f(reach) > 0.0) {
        reach *= 2.0;
    }
    bisect(f, -reach, reach)
}

/// Root of a function that goes from positive to negative, to the last bit.
fn bisect(f: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return middle;
        }
        if f(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/// Empirical reliability: var(theta) / (var(theta) + mean(SE^2)), with the N - 1
/// variance; `None` with fewer than two scores or without any variance.
pub fn empirical_reliability(scores: &[Option<Score>]) -> Option<f64> {
    let found: Vec<Score> = scores.iter().flatten().copied().collect();
    let n = found.len() as f64;
    if n < 2.0 {
        return None;
    }
    let mean = found.iter().map(|s| s.theta).sum::<f64>() / n;
    let variance = found.iter().map(|s| (s.theta - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let error = found.iter().map(|s| s.standard_error.powi(2)).sum::<f64>() / n;
    let reliability = variance / (variance + error);
    reliability.is_finite().then_some(reliability)
}

/// Marginal reliability: the mean over N(0, `variance`) of
/// I(theta) / (I(theta) + 1 / variance).
///
/// mirt's own figure takes the prior information as 1 whatever the variance and
/// is wrong for a Rasch model with a free one.
pub fn marginal_reliability(items: &[ItemParameters], variance: f64, grid: &Grid) -> f64 {
    let share = |theta| {
        let information = super::information::test_information(items, theta);
        information / (information + 1.0 / variance)
    };
    let weights = grid.log_weights(variance).into_iter().map(f64::exp);
    weights.zip(grid.nodes()).map(|(w, theta)| w * share(theta)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items() -> Vec<ItemParameters> {
        let item = |(slope, intercept)| ItemParameters { slope, intercept };
        [(1.2, 0.3), (0.7, -1.0), (2.0, 0.5), (1.0, 0.0)].map(item).to_vec()
    }

    fn patterns() -> Responses {
        let rows = ["1111", "0000", "1010", "1.0.", "...."];
        Responses::from_fn(5, 4, |i, j| match rows[i].as_bytes()[j] {
            b'1' => Some(true),
            b'0' => Some(false),
            _ => None,
        })
    }

    #[test]
    fn eap_is_the_mean_of_the_posterior_computed_by_hand() {
        let (items, grid) = (items(), Grid::reference());
        let scores = eap(&patterns(), &items, 1.5, &grid);
        let likelihood = |theta: f64| {
            let (right, _) = items[0].probabilities(theta);
            let (_, wrong) = items[2].probabilities(theta);
            right * wrong * (-theta * theta / 3.0).exp()
        };
        let mass: f64 = grid.nodes().iter().map(|&t| likelihood(t)).sum();
        let mean = grid.nodes().iter().map(|&t| t * likelihood(t)).sum::<f64>() / mass;
        assert!((scores[3].unwrap().theta - mean).abs() < 1e-13, "sums of 61 terms");
        assert_eq!(scores[4], None);
    }

    #[test]
    fn extreme_patterns_have_finite_scores_except_by_maximum_likelihood() {
        let (items, data) = (items(), patterns());
        let ml = maximum_likelihood(&data, &items);
        assert_eq!(ml[0], Err(NoScore::PlusInfinity));
        assert_eq!(ml[1], Err(NoScore::MinusInfinity));
        assert_eq!(ml[4], Err(NoScore::NoAnswers));
        assert!(ml[2].is_ok());
        for scores in [weighted_likelihood(&data, &items), maximum_a_posteriori(&data, &items, 1.0)]
        {
            assert!(scores[0].unwrap().theta > 0.0 && scores[1].unwrap().theta < 0.0);
            assert_eq!(scores[4], Err(NoScore::NoAnswers));
        }
    }

    #[test]
    fn each_score_solves_its_own_equation() {
        let (items, data) = (items(), patterns());
        let row = data.transposed();
        let pattern = Pattern {
            answers: (0..4).map(|j| (items[j], row.item(2).get(j) == Some(true))).collect(),
        };
        let ml = maximum_likelihood(&data, &items)[2].unwrap().theta;
        assert!(pattern.slope_of_log_likelihood(ml).abs() < 1e-13, "bisected to the last bit");
        let map = maximum_a_posteriori(&data, &items, 2.0)[2].unwrap().theta;
        assert!((pattern.slope_of_log_likelihood(map) - map / 2.0).abs() < 1e-13);
        let wle = weighted_likelihood(&data, &items)[2].unwrap().theta;
        assert!(pattern.weighted_slope(wle).abs() < 1e-13);
    }

    #[test]
    fn a_negative_slope_turns_the_perfect_pattern_around() {
        let mut items = items();
        items[3].slope = -1.0;
        let rows = Responses::from_fn(1, 4, |_, j| Some(j != 3));
        assert_eq!(maximum_likelihood(&rows, &items)[0], Err(NoScore::PlusInfinity));
    }
}
