//! Mantel and Haenszel's statistics of a stack of 2 x 2 tables.

use serde::{Deserialize, Serialize};

use statrs::function::factorial::ln_binomial;

use crate::psychometrics::stats;

/// From the natural logarithm of an odds ratio to ETS's delta scale.
const DELTA: f64 = -2.35;
/// Class A below this absolute delta.
const SMALL: f64 = 1.0;
/// Class C from this absolute delta.
const LARGE: f64 = 1.5;
/// Level of both tests of the classification.
const LEVEL: f64 = 0.05;

/// Answers to an item in a stratum of the matching score.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stratum {
    /// Wrong and right answers of the reference group.
    pub reference: [u32; 2],
    /// Wrong and right answers of the focal group.
    pub focal: [u32; 2],
}

/// Why an item has no statistic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum NoDif {
    /// The reference or the focal group is empty.
    EmptyGroup,
    /// The item does not vary.
    ConstantItem,
    /// In no stratum do both groups meet and answers differ.
    NoInformativeStratum,
    /// No informative stratum has a wrong answer of one group together with a right
    /// one of the other: the common odds ratio is zero or infinite.
    UnboundedOddsRatio,
}

impl std::fmt::Display for NoDif {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::EmptyGroup => "a group is empty",
            Self::ConstantItem => "the item does not vary",
            Self::NoInformativeStratum => "the groups share no stratum where answers differ",
            Self::UnboundedOddsRatio => "the odds ratio is zero or infinite",
        })
    }
}

impl std::error::Error for NoDif {}

/// Size of the effect by ETS's rules (Dorans and Holland, 1993; Zwick, 2012).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum EtsClass {
    /// Delta below 1 in absolute value, or not different from 0 at .05.
    A,
    /// Neither A nor C.
    B,
    /// Delta of 1.5 or more, and beyond 1 at .05 (one-sided).
    C,
}

/// The common odds ratio of the reference group over the focal one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CommonOdds {
    /// Its natural logarithm.
    pub log: f64,
    /// Standard error of the logarithm (Robins, Breslow and Greenland, 1986).
    pub log_error: f64,
}

impl CommonOdds {
    /// ETS's delta, -2.35 ln(odds ratio): negative when the item is harder for the
    /// focal group.
    pub fn delta(&self) -> f64 {
        DELTA * self.log
    }

    /// Standard error of delta.
    pub fn delta_error(&self) -> f64 {
        DELTA.abs() * self.log_error
    }
}

/// Differential functioning of an item.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ItemDif {
    /// Strata where both groups meet and answers differ: those that inform.
    pub n_strata: usize,
    /// Examinees of the reference group in strata with both groups.
    pub n_reference: u32,
    /// Examinees of the focal group in strata with both groups.
    pub n_focal: u32,
    /// Mantel and Haenszel's (1959) chi-square with 1 degree of freedom, corrected
    /// for continuity (by at most the deviation itself).
    pub chi_square: f64,
    /// Its upper tail.
    pub p: f64,
    /// Right answers of the reference group beyond those expected if both groups were
    /// treated alike: positive when the item is harder for the focal group.
    pub excess: f64,
    /// The common odds ratio.
    pub odds: Result<CommonOdds, NoDif>,
    /// Whether delta is beyond 1 in absolute value at .05, one-sided: by its standard
    /// error or, without a finite odds ratio, by Mantel and Haenszel's own test
    /// against the odds ratio whose delta is 1.
    pub beyond_small: bool,
    /// Dorans and Kulick's (1986) standardised difference: mean over strata of the
    /// proportion right of the focal group minus that of the reference group,
    /// weighted by the focal group.
    pub standardised_difference: f64,
}

impl ItemDif {
    /// ETS's class. An odds ratio of zero or infinity counts as a delta beyond any.
    pub fn class(&self) -> EtsClass {
        let size = self.odds.map_or(f64::INFINITY, |odds| odds.delta().abs());
        match () {
            _ if size < SMALL || self.p >= LEVEL => EtsClass::A,
            _ if size >= LARGE && self.beyond_small => EtsClass::C,
            _ => EtsClass::B,
        }
    }
}

/// The statistics of a stack of strata.
pub fn mantel_haenszel(strata: &[Stratum]) -> Result<ItemDif, NoDif> {
    let mut sums = Sums::default();
    strata.iter().for_each(|stratum| sums.add(stratum));
    if sums.n_strata == 0 {
        return Err(NoDif::NoInformativeStratum);
    }
    let deviation = sums.deviation.abs();
    let chi_square = (deviation - 0.5).max(0.0).powi(2) / sums.variance;
    let odds = sums.odds();
    let z = odds.map_or_else(
        |_| deviation_from_odds(strata, sums.deviation.signum()),
        |odds| (odds.delta().abs() - SMALL) / odds.delta_error(),
    );
    Ok(ItemDif {
        n_strata: sums.n_strata,
        n_reference: sums.n_reference,
        n_focal: sums.n_focal,
        chi_square,
        p: 2.0 * stats::normal_cdf(-chi_square.sqrt()),
        excess: sums.deviation,
        odds,
        beyond_small: z > stats::normal_quantile(1.0 - LEVEL),
        standardised_difference: sums.standardised / f64::from(sums.n_focal),
    })
}

/// The standardised deviation, in the direction of `sign`, of the reference group's
/// right answers from those expected under the common odds ratio whose delta is 1 in
/// that direction, corrected for continuity.
fn deviation_from_odds(strata: &[Stratum], sign: f64) -> f64 {
    let log_odds = sign * SMALL / DELTA.abs();
    let (mut deviation, mut variance) = (0.0, 0.0);
    for stratum in strata {
        let (mean, spread) = noncentral_moments(stratum, log_odds);
        deviation += f64::from(stratum.reference[1]) - mean;
        variance += spread;
    }
    (sign * deviation - 0.5) / variance.sqrt()
}

/// Mean and variance of the reference group's right answers given all margins, under
/// an odds ratio: Fisher's noncentral hypergeometric distribution.
fn noncentral_moments(&Stratum { reference, focal }: &Stratum, log_odds: f64) -> (f64, f64) {
    let [n_reference, n_focal] = [reference, focal].map(|[wrong, right]| wrong + right);
    let right = reference[1] + focal[1];
    let log_choose = |n: u32, k: u32| ln_binomial(n.into(), k.into());
    let (low, high) = (right.saturating_sub(n_focal), right.min(n_reference));
    let log_weight = |a: u32| {
        log_choose(n_reference, a) + log_choose(n_focal, right - a) + f64::from(a) * log_odds
    };
    let largest = (low..=high).map(log_weight).fold(f64::NEG_INFINITY, f64::max);
    let (mut total, mut first, mut second) = (0.0, 0.0, 0.0);
    for a in low..=high {
        let (x, weight) = (f64::from(a - low), (log_weight(a) - largest).exp());
        total += weight;
        first += weight * x;
        second += weight * x * x;
    }
    let mean = first / total;
    (mean + f64::from(low), (second / total - mean * mean).max(0.0))
}

/// Sums over strata. With a, b the reference group's right and wrong answers and c,
/// d the focal group's, of n: R = a d / n, S = b c / n, P = (a + d) / n,
/// Q = (b + c) / n.
#[derive(Debug, Default)]
struct Sums {
    n_strata: usize,
    n_reference: u32,
    n_focal: u32,
    /// a minus its expectation.
    deviation: f64,
    variance: f64,
    r: f64,
    s: f64,
    pr: f64,
    ps_qr: f64,
    qs: f64,
    standardised: f64,
}

impl Sums {
    fn add(&mut self, &Stratum { reference, focal }: &Stratum) {
        let [n_reference, n_focal] = [reference, focal].map(|[wrong, right]| wrong + right);
        if n_reference == 0 || n_focal == 0 {
            return;
        }
        self.n_reference += n_reference;
        self.n_focal += n_focal;
        let [b, a] = reference.map(f64::from);
        let [d, c] = focal.map(f64::from);
        self.standardised += c - f64::from(n_focal) * a / (a + b);
        let (right, wrong, n) = (a + c, b + d, a + b + c + d);
        if right == 0.0 || wrong == 0.0 {
            return;
        }
        self.n_strata += 1;
        self.deviation += a - (a + b) * right / n;
        self.variance += (a + b) * (c + d) * right * wrong / (n * n * (n - 1.0));
        let (r, s, p, q) = (a * d / n, b * c / n, (a + d) / n, (b + c) / n);
        self.r += r;
        self.s += s;
        self.pr += p * r;
        self.ps_qr += p * s + q * r;
        self.qs += q * s;
    }

    fn odds(&self) -> Result<CommonOdds, NoDif> {
        let (r, s) = (self.r, self.s);
        if r == 0.0 || s == 0.0 {
            return Err(NoDif::UnboundedOddsRatio);
        }
        let variance =
            self.pr / (2.0 * r * r) + self.ps_qr / (2.0 * r * s) + self.qs / (2.0 * s * s);
        Ok(CommonOdds { log: (r / s).ln(), log_error: variance.sqrt() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Admissions at Berkeley by department: men as reference, women as focal group
    /// (Bickel, Hammel and O'Connell, 1975).
    fn berkeley() -> Vec<Stratum> {
        let departments = [
            ([313, 512], [19, 89]),
            ([207, 353], [8, 17]),
            ([205, 120], [391, 202]),
            ([279, 138], [244, 131]),
            ([138, 53], [299, 94]),
            ([351, 22], [317, 24]),
        ];
        departments.map(|(reference, focal)| Stratum { reference, focal }).to_vec()
    }

    #[test]
    fn admissions_at_berkeley_give_the_printed_values() {
        let found = mantel_haenszel(&berkeley()).unwrap();
        // R's mantelhaen.test(UCBAdmissions), to the digits that it prints.
        assert!((found.chi_square - 1.4269).abs() < 5e-5, "{}", found.chi_square);
        assert!((found.p - 0.2323).abs() < 5e-5, "{}", found.p);
        let odds = found.odds.unwrap();
        assert!((odds.log.exp() - 0.904_696_8).abs() < 5e-8, "{}", odds.log.exp());
        let end = |z: f64| (odds.log + z * odds.log_error).exp();
        assert!((end(-1.959_964) - 0.771_907_4).abs() < 5e-7, "{}", end(-1.959_964));
        assert!((end(1.959_964) - 1.060_329_8).abs() < 5e-7, "{}", end(1.959_964));
        assert_eq!((found.n_strata, found.class()), (6, EtsClass::A));
    }

    #[test]
    fn exchanging_the_groups_changes_every_sign() {
        let flip = |s: &Stratum| Stratum { reference: s.focal, focal: s.reference };
        let flipped: Vec<Stratum> = berkeley().iter().map(flip).collect();
        let (a, b) = (mantel_haenszel(&berkeley()).unwrap(), mantel_haenszel(&flipped).unwrap());
        assert!((a.chi_square - b.chi_square).abs() < 1e-12, "sums rounded");
        let (a, b) = (a.odds.unwrap(), b.odds.unwrap());
        assert!((a.delta() + b.delta()).abs() < 1e-13 && (a.log_error - b.log_error).abs() < 1e-13);
    }

    #[test]
    fn the_standardised_difference_weighs_by_the_focal_group() {
        let strata = [
            Stratum { reference: [5, 5], focal: [1, 3] },
            Stratum { reference: [1, 9], focal: [3, 3] },
            Stratum { reference: [4, 4], focal: [0, 0] },
        ];
        let found = mantel_haenszel(&strata).unwrap();
        let expected = (4.0 * (0.75 - 0.5) + 6.0 * (0.5 - 0.9)) / 10.0;
        assert!((found.standardised_difference - expected).abs() < 1e-15, "rounding");
        assert_eq!((found.n_reference, found.n_focal, found.n_strata), (20, 10, 2));
    }

    #[test]
    fn the_class_needs_size_and_certainty() {
        let class = |scale: u32, reference: [u32; 2], focal: [u32; 2]| {
            let times = |counts: [u32; 2]| counts.map(|n| n * scale);
            let stratum = Stratum { reference: times(reference), focal: times(focal) };
            mantel_haenszel(&[stratum]).unwrap().class()
        };
        // Deltas of -2.58, twice, and -1.07.
        assert_eq!(class(1, [2, 4], [3, 2]), EtsClass::A);
        assert_eq!(class(100, [2, 4], [3, 2]), EtsClass::C);
        assert_eq!(class(100, [10, 10], [12, 8]), EtsClass::A);
        assert_eq!(class(100, [10, 10], [122, 76]), EtsClass::B);
    }

    #[test]
    fn what_does_not_inform_has_a_reason() {
        let apart = [Stratum { reference: [3, 4], focal: [0, 0] }];
        assert_eq!(mantel_haenszel(&apart), Err(NoDif::NoInformativeStratum));
        assert_eq!(mantel_haenszel(&[]), Err(NoDif::NoInformativeStratum));
    }

    #[test]
    fn an_item_that_separates_the_groups_without_exception_is_of_class_c() {
        let separated = [Stratum { reference: [0, 9], focal: [9, 0] }];
        let found = mantel_haenszel(&separated).unwrap();
        assert_eq!(found.odds, Err(NoDif::UnboundedOddsRatio));
        assert!(found.p < 0.001 && found.standardised_difference == -1.0 && found.excess > 0.0);
        assert_eq!(found.class(), EtsClass::C);
        let by_chance = [Stratum { reference: [0, 2], focal: [1, 1] }];
        assert_eq!(mantel_haenszel(&by_chance).unwrap().class(), EtsClass::A);
    }

    #[test]
    fn with_equal_odds_the_noncentral_moments_are_the_central_ones() {
        let stratum = Stratum { reference: [3, 5], focal: [4, 2] };
        let (mean, variance) = noncentral_moments(&stratum, 0.0);
        assert!((mean - 8.0 * 7.0 / 14.0).abs() < 1e-13, "sums of six terms");
        assert!((variance - 8.0 * 6.0 * 7.0 * 7.0 / (14.0 * 14.0 * 13.0)).abs() < 1e-13);
        assert!(noncentral_moments(&stratum, 1.0).0 > mean);
        assert_eq!(noncentral_moments(&Stratum::default(), 1.0), (0.0, 0.0));
    }
}
