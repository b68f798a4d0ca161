//! Fit of items and examinees, given item parameters and scores.
//!
//! Mean squares are those of Wright & Masters (1982) with the customary cube
//! root standardisation, Zh is Drasgow, Levine & Williams' (1985). The reference
//! program (mirt) evaluates them at the EAP scores of all the examinees, extreme
//! ones included, and so do we when given those; other programs use other
//! scores and print other numbers.

mod s_x2;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::irt::ItemParameters;
use crate::data::{Bits, Responses};

pub use s_x2::{SX2, s_x2};

/// Squared variances below this are raised to it by the reference program.
const SQUARED_VARIANCE_FLOOR: f64 = 1e-5;
/// Largest standard deviation of a mean square.
#[allow(clippy::approx_constant, reason = "mirt caps at these four decimals, not at sqrt(2)")]
const LARGEST_DEVIATION: f64 = 1.4142;

/// Responses with the parameters and scores that predict them.
#[derive(Debug, Clone, Copy)]
pub struct Predictions<'a> {
    responses: &'a Responses,
    items: &'a [ItemParameters],
    thetas: &'a [Option<f64>],
}

/// Parameters or scores that do not match the matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mismatch {
    /// Items of the matrix, and parameters given.
    Items {
        /// Items of the matrix.
        matrix: usize,
        /// Parameters given.
        given: usize,
    },
    /// Examinees of the matrix, and scores given.
    Examinees {
        /// Examinees of the matrix.
        matrix: usize,
        /// Scores given.
        given: usize,
    },
}

impl std::fmt::Display for Mismatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Items { matrix, given } => write!(f, "{given} parameters for {matrix} items"),
            Self::Examinees { matrix, given } => write!(f, "{given} scores for {matrix} examinees"),
        }
    }
}

impl std::error::Error for Mismatch {}

impl<'a> Predictions<'a> {
    /// Checks that the lengths agree. An examinee without a (finite) score takes
    /// no part in anything.
    pub fn new(
        responses: &'a Responses,
        items: &'a [ItemParameters],
        thetas: &'a [Option<f64>],
    ) -> Result<Self, Mismatch> {
        let (matrix, given) = (responses.n_items(), items.len());
        if matrix != given {
            return Err(Mismatch::Items { matrix, given });
        }
        let (matrix, given) = (responses.n_examinees(), thetas.len());
        if matrix != given {
            return Err(Mismatch::Examinees { matrix, given });
        }
        Ok(Self { responses, items, thetas })
    }

    /// The matrix.
    pub fn responses(&self) -> &'a Responses {
        self.responses
    }

    /// Residual x - P of examinee `i` on item `j`; `None` when there is no
    /// answer or no score.
    pub fn residual(&self, i: usize, j: usize) -> Option<f64> {
        let right = self.responses.get(i, j)?;
        let (p, q) = self.items[j].probabilities(self.theta(i)?);
        Some(if right { q } else { -p })
    }

    fn theta(&self, i: usize) -> Option<f64> {
        self.thetas[i].filter(|theta| theta.is_finite())
    }

    /// Examinees of equal score, so that what is expected of them is computed
    /// once: with a Rasch model there are as many groups as totals.
    fn groups(&self) -> Vec<Group> {
        let mut order: Vec<(f64, usize)> =
            (0..self.thetas.len()).filter_map(|i| Some((self.theta(i)?, i))).collect();
        order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let same = |a: &(f64, usize), b: &(f64, usize)| a.0 == b.0;
        let group = |run: &[(f64, usize)]| Group {
            theta: run[0].0,
            members: run.iter().map(|(_, i)| *i).collect(),
        };
        order.chunk_by(same).map(group).collect()
    }
}

/// Examinees that share a score.
struct Group {
    theta: f64,
    members: Vec<usize>,
}

/// What to do with variances P Q too small to divide by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum VarianceFloor {
    /// As mirt: where (P Q)^2 < 1e-5, P Q counts as sqrt(1e-5).
    Reference,
    /// As the formulas say. Cells whose variance underflows to zero are skipped.
    None,
}

impl VarianceFloor {
    fn apply(self, variance: f64) -> (f64, bool) {
        let low = self == Self::Reference && variance * variance < SQUARED_VARIANCE_FLOOR;
        if low { (SQUARED_VARIANCE_FLOOR.sqrt(), true) } else { (variance, false) }
    }
}

/// Fit of an item or of an examinee. Statistics without a value (a variance of
/// zero, a negative one by rounding) are `None`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Fit {
    /// Answers it rests on.
    pub n: usize,
    /// Information-weighted mean square, expected value about 1.
    pub infit: Option<f64>,
    /// Unweighted mean square, expected value about 1.
    pub outfit: Option<f64>,
    /// Infit, standardised.
    pub z_infit: Option<f64>,
    /// Outfit, standardised.
    pub z_outfit: Option<f64>,
    /// Standardised log-likelihood; negative when the answers are unlikely.
    pub zh: Option<f64>,
}

/// Fit of all items or of all examinees.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FitReport {
    /// One per item or examinee; examinees without score or answers have n = 0.
    pub fits: Vec<Fit>,
    /// Cells whose variance was raised to the floor.
    pub n_floored: usize,
    /// Cells in all.
    pub n_cells: usize,
}

/// Fit of each item over the examinees.
///
/// Where answers are missing mirt's standardised outfit divides by recycled
/// counts; ours divides by the item's own.
pub fn item_fit(predictions: &Predictions, floor: VarianceFloor) -> FitReport {
    let groups = predictions.groups();
    let mut group_of = vec![None; predictions.responses.n_examinees()];
    for (g, group) in groups.iter().enumerate() {
        group.members.iter().for_each(|&i| group_of[i] = Some(g));
    }
    let sums = |j: usize| {
        let bits = predictions.responses.item(j);
        let mut counts = vec![[0u32; 2]; groups.len()];
        for (i, group) in group_of.iter().enumerate() {
            if let (Some(g), Some(right)) = (group, bits.get(i)) {
                counts[*g][usize::from(right)] += 1;
            }
        }
        let mut sums = Sums::default();
        for (group, [wrong, right]) in groups.iter().zip(counts) {
            let cell = Cell::new(&predictions.items[j], group.theta, floor);
            let (wrong, right) = (f64::from(wrong), f64::from(right));
            sums.expect(&cell, wrong + right);
            sums.observe(&cell, false, wrong);
            sums.observe(&cell, true, right);
        }
        sums
    };
    let all: Vec<Sums> = (0..predictions.items.len()).into_par_iter().map(sums).collect();
    report(&all, |sums| sums.outfit_variance(sums.n))
}

/// Fit of each examinee over the items.
///
/// As in mirt, the standardised outfit divides the fourth moments by the square
/// of the number of items in the test, answered or not, and takes the absolute
/// value of the variance.
pub fn person_fit(predictions: &Predictions, floor: VarianceFloor) -> FitReport {
    let by_examinee = predictions.responses.transposed();
    let sums = |group: &Group| -> Vec<(usize, Sums)> {
        let cell = |item| Cell::new(item, group.theta, floor);
        let cells: Vec<Cell> = predictions.items.iter().map(cell).collect();
        let mut whole = Sums::default();
        cells.iter().for_each(|cell| whole.expect(cell, 1.0));
        let member = |&i: &usize| (i, Sums::over(&cells, &whole, by_examinee.item(i)));
        group.members.iter().map(member).collect()
    };
    let groups = predictions.groups();
    let found: Vec<Vec<(usize, Sums)>> = groups.par_iter().map(sums).collect();
    let mut all: Vec<Sums> = (0..by_examinee.n_items()).map(|_| Sums::default()).collect();
    found.into_iter().flatten().for_each(|(i, sums)| all[i] = sums);
    let k = predictions.items.len() as f64;
    report(&all, |sums| sums.outfit_variance(k).abs())
}

fn report(all: &[Sums], outfit_variance: impl Fn(&Sums) -> f64) -> FitReport {
    FitReport {
        fits: all.iter().map(|sums| sums.fit(outfit_variance(sums))).collect(),
        n_floored: all.iter().map(|sums| sums.n_floored).sum(),
        n_cells: all.iter().map(|sums| sums.n as usize).sum(),
    }
}

/// What an item makes expect of a score, and what each answer would add to the
/// statistics. W is the variance P Q (floored), C the fourth central moment
/// P^4 Q + Q^4 P.
struct Cell {
    w: f64,
    floored: bool,
    /// C / W^2.
    kurtosis: f64,
    /// C - W^2.
    variance_of_square: f64,
    /// Variance of the log-likelihood: P Q times the squared logit.
    surprise_variance: f64,
    /// R^2 and R times the logit of a wrong and of a right answer.
    answers: [(f64, f64); 2],
}

impl Cell {
    fn new(item: &ItemParameters, theta: f64, floor: VarianceFloor) -> Self {
        let (p, q) = item.probabilities(theta);
        let logit = item.logit(theta);
        let (w, floored) = floor.apply(p * q);
        let fourth = p.powi(4) * q + q.powi(4) * p;
        Self {
            w,
            floored,
            kurtosis: fourth / (w * w),
            variance_of_square: fourth - w * w,
            surprise_variance: p * q * logit * logit,
            answers: [(p * p, -p * logit), (q * q, q * logit)],
        }
    }
}

/// Sums over the cells of an item or of an examinee.
#[derive(Debug, Clone, Default)]
struct Sums {
    n: f64,
    n_floored: usize,
    /// R^2 / W.
    squared_z: f64,
    /// R^2.
    squared: f64,
    /// W.
    variance: f64,
    /// C / W^2.
    kurtosis: f64,
    /// C - W^2.
    variance_of_square: f64,
    /// Log-likelihood minus its expectation: R times the logit.
    surprise: f64,
    /// Its variance.
    surprise_variance: f64,
}

impl Sums {
    /// Sums over the answers of an examinee; `whole` is what all the items make
    /// expect.
    fn over(cells: &[Cell], whole: &Self, answers: Bits) -> Self {
        let complete = answers.n_observed() == cells.len();
        let mut sums = if complete { whole.clone() } else { Self::default() };
        for (j, cell) in cells.iter().enumerate() {
            if let Some(right) = answers.get(j) {
                if !complete {
                    sums.expect(cell, 1.0);
                }
                sums.observe(cell, right, 1.0);
            }
        }
        sums
    }

    /// Adds what `times` answers make expect.
    fn expect(&mut self, cell: &Cell, times: f64) {
        if cell.w == 0.0 {
            return;
        }
        self.n += times;
        self.n_floored += if cell.floored { times as usize } else { 0 };
        self.variance += times * cell.w;
        self.kurtosis += times * cell.kurtosis;
        self.variance_of_square += times * cell.variance_of_square;
        self.surprise_variance += times * cell.surprise_variance;
    }

    /// Adds what `times` equal answers show.
    fn observe(&mut self, cell: &Cell, right: bool, times: f64) {
        if cell.w == 0.0 {
            return;
        }
        let (squared, surprise) = cell.answers[usize::from(right)];
        self.squared_z += times * squared / cell.w;
        self.squared += times * squared;
        self.surprise += times * surprise;
    }

    /// Variance of outfit, its fourth moments divided by `n` squared.
    fn outfit_variance(&self, n: f64) -> f64 {
        self.kurtosis / (n * n) - 1.0 / self.n
    }

    fn fit(&self, outfit_variance: f64) -> Fit {
        let outfit = finite(self.squared_z / self.n);
        let infit = finite(self.squared / self.variance);
        let infit_variance = self.variance_of_square / (self.variance * self.variance);
        Fit {
            n: self.n as usize,
            infit,
            outfit,
            z_infit: infit.and_then(|ms| standardise(ms, infit_variance)),
            z_outfit: outfit.and_then(|ms| standardise(ms, outfit_variance)),
            zh: finite(self.surprise / self.surprise_variance.sqrt()),
        }
    }
}

fn finite(x: f64) -> Option<f64> {
    x.is_finite().then_some(x)
}

/// Cube root (Wilson-Hilferty) standardisation of a mean square.
fn standardise(mean_square: f64, variance: f64) -> Option<f64> {
    if variance <= 0.0 || variance.is_nan() {
        return None;
    }
    let deviation = variance.sqrt().min(LARGEST_DEVIATION);
    finite((mean_square.cbrt() - 1.0) * 3.0 / deviation + deviation / 3.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data() -> (Responses, Vec<ItemParameters>, Vec<Option<f64>>) {
        let responses = Responses::from_fn(40, 6, |i, j| {
            ((i + 2 * j) % 9 != 0).then_some((i * 7 + j * j * 3) % 5 < 3)
        });
        let item = |j| ItemParameters { slope: 1.0, intercept: 1.0 - 0.4 * j as f64 };
        let thetas = (0..40).map(|i| (i != 4).then_some(0.1 * i as f64 - 2.0)).collect();
        (responses, (0..6).map(item).collect(), thetas)
    }

    #[test]
    fn lengths_are_checked() {
        let (responses, items, thetas) = data();
        let short = Predictions::new(&responses, &items, &thetas[1..]).unwrap_err();
        assert_eq!(short, Mismatch::Examinees { matrix: 40, given: 39 });
        let few = Predictions::new(&responses, &items[1..], &thetas).unwrap_err();
        assert_eq!(few, Mismatch::Items { matrix: 6, given: 5 });
    }

    #[test]
    fn infits_weighted_by_their_variances_recover_all_squared_residuals() {
        let (responses, items, thetas) = data();
        let predictions = Predictions::new(&responses, &items, &thetas).unwrap();
        let report = item_fit(&predictions, VarianceFloor::None);
        let (mut left, mut right) = (0.0, 0.0);
        for (j, item) in items.iter().enumerate() {
            let present = |i: &usize| predictions.residual(*i, j).is_some();
            let (squared, variance) = (0..40).filter(present).fold((0.0, 0.0), |(s, v), i| {
                let (p, q) = item.probabilities(thetas[i].unwrap());
                (s + predictions.residual(i, j).unwrap().powi(2), v + p * q)
            });
            left += report.fits[j].infit.unwrap() * variance;
            right += squared;
        }
        assert!((left - right).abs() < 1e-12 * right, "rounding of 200 terms");
    }

    #[test]
    fn an_examinee_without_score_has_no_fit_and_counts_for_no_item() {
        let (responses, items, mut thetas) = data();
        let with_none = Predictions::new(&responses, &items, &thetas).unwrap();
        let persons = person_fit(&with_none, VarianceFloor::Reference);
        assert_eq!(persons.fits[4].n, 0);
        assert_eq!(persons.fits[4].infit, None);
        let before = item_fit(&with_none, VarianceFloor::Reference);
        thetas[4] = Some(f64::INFINITY);
        let infinite = Predictions::new(&responses, &items, &thetas).unwrap();
        assert_eq!(item_fit(&infinite, VarianceFloor::Reference), before);
    }

    #[test]
    fn the_floor_touches_only_cells_that_are_almost_certain() {
        let item = [ItemParameters { slope: 1.0, intercept: 0.0 }];
        let responses = Responses::from_fn(2, 1, |_, _| Some(true));
        let thetas = [Some(0.0), Some(9.0)];
        let predictions = Predictions::new(&responses, &item, &thetas).unwrap();
        assert_eq!(item_fit(&predictions, VarianceFloor::Reference).n_floored, 1);
        assert_eq!(item_fit(&predictions, VarianceFloor::None).n_floored, 0);
    }

    #[test]
    fn without_variance_the_standardised_values_are_absent() {
        // theta = b everywhere: P = 1/2, C = W^2, no variance of the squares.
        let item = [ItemParameters { slope: 1.0, intercept: 0.0 }];
        let responses = Responses::from_fn(3, 1, |i, _| Some(i != 1));
        let thetas = [Some(0.0); 3];
        let predictions = Predictions::new(&responses, &item, &thetas).unwrap();
        let fit = item_fit(&predictions, VarianceFloor::Reference).fits[0];
        assert_eq!((fit.infit, fit.outfit), (Some(1.0), Some(1.0)));
        assert_eq!((fit.z_infit, fit.z_outfit, fit.zh), (None, None, None));
    }
}
