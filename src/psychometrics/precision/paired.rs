//! Two examinees on the same items.

use serde::{Deserialize, Serialize};
use statrs::distribution::{Binomial, DiscreteCDF};

use crate::data::{Bits, Responses};
use crate::psychometrics::{Undefined, stats};

/// Two examinees on the items that both answered: all that matters is on which of
/// them only one was right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairedComparison {
    /// Items answered by both.
    pub n: usize,
    /// Items that only the first solved.
    pub only_first: usize,
    /// Items that only the second solved.
    pub only_second: usize,
}

/// Compares examinees `a` and `b`; not defined when they share no item.
///
/// Panics when an index is out of range.
pub fn compare(responses: &Responses, a: usize, b: usize) -> Result<PairedComparison, Undefined> {
    let pair = responses.select_examinees(&[a, b]).transposed();
    compare_rows(pair.item(0), pair.item(1))
}

/// The same on two rows of a transposed matrix.
pub fn compare_rows(a: Bits, b: Bits) -> Result<PairedComparison, Undefined> {
    let (mut n, mut only_first, mut only_second) = (0, 0, 0);
    for w in 0..a.observed.len() {
        let both = a.observed[w] & b.observed[w];
        n += both.count_ones() as usize;
        only_first += (a.correct[w] & !b.correct[w] & both).count_ones() as usize;
        only_second += (b.correct[w] & !a.correct[w] & both).count_ones() as usize;
    }
    if n == 0 {
        return Err(Undefined::NoObservations);
    }
    Ok(PairedComparison { n, only_first, only_second })
}

impl PairedComparison {
    /// Items on which they differ.
    pub fn discordant(&self) -> usize {
        self.only_first + self.only_second
    }

    /// Difference of the proportions right, first minus second.
    pub fn difference(&self) -> f64 {
        (self.only_first as f64 - self.only_second as f64) / self.n as f64
    }

    /// Standard error of the difference of two paired proportions,
    /// `sqrt((b + c) - (b - c)^2 / n) / n` (McNemar, 1947; Agresti, 2013, eq. 11.2).
    pub fn standard_error(&self) -> f64 {
        let n = self.n as f64;
        let gap = self.only_first as f64 - self.only_second as f64;
        (self.discordant() as f64 - gap * gap / n).max(0.0).sqrt() / n
    }

    /// Exact two-sided probability of McNemar's test: twice the smaller tail of the
    /// binomial of the discordant items with 1/2, at most 1. Without discordant
    /// items there is nothing against equality: 1.
    pub fn p_value(&self) -> f64 {
        let discordant = self.discordant();
        let smaller = self.only_first.min(self.only_second);
        match Binomial::new(0.5, discordant as u64) {
            Ok(tails) if discordant > 0 => (2.0 * tails.cdf(smaller as u64)).min(1.0),
            _ => 1.0,
        }
    }

    /// The smallest difference of proportions that a test of two-sided `level` would
    /// detect with probability `power`, for the proportion of discordant items
    /// `s` observed: the `d` of `d sqrt(n) = z sqrt(s) + z' sqrt(s - d^2)`, with z
    /// the normal quantile of `1 - level / 2` and z' that of `power` (Miettinen,
    /// 1968; Connor, 1987). `None` when not even a difference of `s`, with all
    /// discordant items on one side, would do.
    pub fn minimum_detectable(&self, level: f64, power: f64) -> Option<f64> {
        let (n, share) = (self.n as f64, self.discordant() as f64 / self.n as f64);
        let z = stats::normal_quantile(1.0 - level / 2.0);
        let z_power = stats::normal_quantile(power);
        // The larger root of the squared equation, which is quadratic in d.
        let inside = share * z_power * z_power * (n - z * z + z_power * z_power);
        let d = ((n * share).sqrt() * z + inside.sqrt()) / (n + z_power * z_power);
        (d.is_finite() && d > 0.0 && d <= share).then_some(d)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(n: usize, only_first: usize, only_second: usize) -> PairedComparison {
        PairedComparison { n, only_first, only_second }
    }

    #[test]
    fn only_items_that_both_answered_count() {
        let rows = ["1101.0", "1.10.1"];
        let m = Responses::from_fn(2, 6, |i, j| match rows[i].as_bytes()[j] {
            b'.' => None,
            digit => Some(digit == b'1'),
        });
        assert_eq!(compare(&m, 0, 1), Ok(pair(4, 1, 2)));
        assert_eq!(compare(&m, 1, 0), Ok(pair(4, 2, 1)));
        let apart = Responses::from_fn(2, 2, |i, j| (i == j).then_some(true));
        assert_eq!(compare(&apart, 0, 1), Err(Undefined::NoObservations));
    }

    #[test]
    fn the_exact_test_adds_up_binomial_tails() {
        let choose =
            |n: u64, k: u64| (0..k).fold(1u128, |c, i| c * u128::from(n - i) / u128::from(i + 1));
        for (b, c) in [(0, 0), (1, 0), (5, 5), (8, 2), (30, 12), (3, 40), (0, 60)] {
            let n = b + c;
            let tail: u128 = (0..=b.min(c)).map(|k| choose(n, k)).sum();
            let exact = (2.0 * tail as f64 / 2f64.powi(n as i32)).min(1.0);
            let ours = pair(100, b as usize, c as usize).p_value();
            // The library's incomplete beta function keeps 12 digits.
            assert!((ours / exact - 1.0).abs() < 1e-12, "{b} {c}: {ours} {exact}");
        }
    }

    #[test]
    fn the_standard_error_is_that_of_the_mean_of_the_item_differences() {
        let p = pair(50, 9, 4);
        let differences: Vec<f64> = [vec![1.0; 9], vec![-1.0; 4], vec![0.0; 37]].concat();
        let variance = stats::variance(&differences).unwrap() * 49.0 / 50.0;
        assert!((p.standard_error() - (variance / 50.0).sqrt()).abs() < 1e-15, "rounding");
        assert_eq!(p.difference(), 0.1);
        assert_eq!(pair(50, 0, 0).standard_error(), 0.0);
        assert_eq!(pair(7, 7, 0).standard_error(), 0.0);
    }

    #[test]
    fn the_detectable_difference_solves_its_equation() {
        let p = pair(500, 30, 20);
        let d = p.minimum_detectable(0.05, 0.8).unwrap();
        let (z, z_power) = (1.959_963_984_540_054, 0.841_621_233_572_914);
        let right = z * 0.1f64.sqrt() + z_power * (0.1 - d * d).sqrt();
        assert!((d * 500f64.sqrt() - right).abs() < 1e-12, "{d}");
        assert!(p.minimum_detectable(0.05, 0.9).unwrap() > d);
        assert_eq!(pair(500, 0, 0).minimum_detectable(0.05, 0.8), None);
        assert_eq!(pair(500, 1, 1).minimum_detectable(0.05, 0.8), None, "2 items cannot do it");
        assert_eq!(pair(2, 1, 1).minimum_detectable(0.05, 0.8), None);
    }
}
