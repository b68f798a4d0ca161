//! Bivariate normal probabilities.
//!
//! After Genz (2004), "Numerical computation of rectangular bivariate and
//! trivariate normal and t probabilities", Statistics and Computing 14, 251-260:
//! Drezner and Wesolowsky's integral by Gauss-Legendre quadrature, with a
//! transformed integrand when the correlation is strong. Absolute error about
//! 1e-15.

use std::f64::consts::TAU;

use crate::psychometrics::stats::normal_cdf;

/// Positive Gauss-Legendre nodes and their weights, for 6, 12 and 20 points.
const GAUSS_6: [(f64, f64); 3] = [
    (0.932_469_514_203_152_2, 0.171_324_492_379_170_5),
    (0.661_209_386_466_264_7, 0.360_761_573_048_138_4),
    (0.238_619_186_083_197, 0.467_913_934_572_690_4),
];
const GAUSS_12: [(f64, f64); 6] = [
    (0.981_560_634_246_719_1, 0.047_175_336_386_511_77),
    (0.904_117_256_370_475, 0.106_939_325_995_318_3),
    (0.769_902_674_194_305, 0.160_078_328_543_346_4),
    (0.587_317_954_286_617_1, 0.203_167_426_723_065_9),
    (0.367_831_498_998_180_2, 0.233_492_536_538_354_7),
    (0.125_233_408_511_469_2, 0.249_147_045_813_402_9),
];
const GAUSS_20: [(f64, f64); 10] = [
    (0.993_128_599_185_094_9, 0.017_614_007_139_152_12),
    (0.963_971_927_277_913_8, 0.040_601_429_800_386_94),
    (0.912_234_428_251_326, 0.062_672_048_334_109_06),
    (0.839_116_971_822_218_8, 0.083_276_741_576_704_75),
    (0.746_331_906_460_150_8, 0.101_930_119_817_240_4),
    (0.636_053_680_726_515, 0.118_194_531_961_518_4),
    (0.510_867_001_950_827_1, 0.131_688_638_449_176_6),
    (0.373_706_088_715_419_6, 0.142_096_109_318_382_1),
    (0.227_785_851_141_645_1, 0.149_172_986_472_603_7),
    (0.076_526_521_133_497_33, 0.152_753_387_130_725_9),
];

/// P(X <= h, Y <= k) of standard normal variables with correlation `rho`.
///
/// `h` and `k` finite, `-1 <= rho <= 1`.
pub fn bivariate_normal_cdf(h: f64, k: f64, rho: f64) -> f64 {
    Threshold::pair(h, k).cdf(rho)
}

/// A pair of thresholds, with what does not depend on the correlation: an
/// optimiser evaluates many correlations at the same thresholds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Threshold {
    h: f64,
    k: f64,
    /// Marginal probabilities below `h` and below `k`.
    pub(super) below_h: f64,
    pub(super) below_k: f64,
}

impl Threshold {
    pub(super) fn pair(h: f64, k: f64) -> Self {
        Self { h, k, below_h: normal_cdf(h), below_k: normal_cdf(k) }
    }

    /// P(X <= h, Y <= k) under correlation `rho`.
    pub(super) fn cdf(&self, rho: f64) -> f64 {
        let size = rho.abs();
        let probability = if size < 0.3 {
            self.moderate(rho, &GAUSS_6)
        } else if size < 0.75 {
            self.moderate(rho, &GAUSS_12)
        } else if size < 0.925 {
            self.moderate(rho, &GAUSS_20)
        } else {
            self.strong(rho)
        };
        probability.clamp(0.0, 1.0)
    }

    /// The independent product plus the integral of the density over the
    /// correlation from 0 to `rho`, in the variable asin.
    fn moderate(&self, rho: f64, gauss: &[(f64, f64)]) -> f64 {
        let product = self.h * self.k;
        let half_squares = (self.h * self.h + self.k * self.k) / 2.0;
        let half_angle = rho.asin() / 2.0;
        let density = |sine: f64| ((sine * product - half_squares) / (1.0 - sine * sine)).exp();
        let mut sum = 0.0;
        for &(node, weight) in gauss {
            let low = (half_angle * (1.0 - node)).sin();
            let high = (half_angle * (1.0 + node)).sin();
            sum += weight * (density(low) + density(high));
        }
        self.below_h * self.below_k + sum * half_angle / TAU
    }

    /// Genz's form for |rho| >= 0.925: the case |rho| = 1, less the integral from
    /// |rho| to 1 whose leading terms are known in closed form.
    fn strong(&self, rho: f64) -> f64 {
        // His formula is for the upper tail: P(X > -h, Y > -k).
        let (h, k) = (-self.h, if rho < 0.0 { self.k } else { -self.k });
        let product = h * k;
        let mut correction = 0.0;
        if rho.abs() < 1.0 {
            let variance = (1.0 - rho) * (1.0 + rho);
            correction = strong_correction(h, k, product, variance);
        }
        if rho > 0.0 {
            return self.below_h.min(self.below_k) + correction;
        }
        // By reflection; here `k` is the lower threshold of -Y.
        let opposite = if h >= k {
            0.0
        } else if h < 0.0 {
            normal_cdf(k) - normal_cdf(h)
        } else {
            normal_cdf(-h) - normal_cdf(-k)
        };
        opposite - correction
    }
}

/// Minus the integral from |rho| to 1, over 2 pi; `variance` is 1 - rho^2.
fn strong_correction(h: f64, k: f64, product: f64, variance: f64) -> f64 {
    let spread = variance.sqrt();
    let gap = (h - k) * (h - k);
    let c = (4.0 - product) / 8.0;
    let d = (12.0 - product) / 16.0;
    let mut sum = 0.0;
    let exponent = -(gap / variance + product) / 2.0;
    if exponent > -100.0 {
        let series = 1.0 - c * (gap - variance) * (1.0 - d * gap / 5.0) / 3.0
            + c * d * variance * variance / 5.0;
        sum = spread * exponent.exp() * series;
    }
    if product > -100.0 {
        let distance = gap.sqrt();
        let tail = TAU.sqrt() * normal_cdf(-distance / spread) * distance;
        sum -= (-product / 2.0).exp() * tail * (1.0 - c * gap * (1.0 - d * gap / 5.0) / 3.0);
    }
    let half = spread / 2.0;
    for (node, weight) in GAUSS_20.iter().flat_map(|&(x, w)| [(-x, w), (x, w)]) {
        let x = half * (node + 1.0);
        let xx = x * x;
        let root = (1.0 - xx).sqrt();
        let exponent = -(gap / xx + product) / 2.0;
        if exponent > -100.0 {
            let exact = (-product * (1.0 - root) / (2.0 * (1.0 + root))).exp() / root;
            sum += half * weight * exponent.exp() * (exact - (1.0 + c * xx * (1.0 + d * xx)));
        }
    }
    -sum / TAU
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn gauss_rules_integrate_the_polynomials_they_must() {
        for (rule, points) in [(&GAUSS_6[..], 6), (&GAUSS_12[..], 12), (&GAUSS_20[..], 20)] {
            for power in (0..2 * points).step_by(2) {
                let sum: f64 = rule.iter().map(|(x, w)| 2.0 * w * x.powi(power)).sum();
                // Printed to 16 digits.
                assert!((sum - 2.0 / f64::from(power + 1)).abs() < 4e-15, "{points} {power}");
            }
        }
    }

    #[test]
    fn at_the_medians_the_closed_form_holds() {
        for step in -100..=100 {
            let rho = f64::from(step) / 100.0;
            let exact = 0.25 + rho.asin() / (2.0 * PI);
            assert!((bivariate_normal_cdf(0.0, 0.0, rho) - exact).abs() < 1e-15, "{rho}");
        }
    }

    /// An independent way: Gauss-Legendre in many panels over the conditional
    /// distribution of one variable given the other.
    fn by_conditioning(h: f64, k: f64, rho: f64) -> f64 {
        let spread = (1.0 - rho * rho).sqrt();
        let (start, panels) = (-9.0_f64.max(-h.abs() - 9.0), 400);
        let width = (h - start) / f64::from(panels);
        let inside =
            |x: f64| (-0.5 * x * x).exp() / TAU.sqrt() * normal_cdf((k - rho * x) / spread);
        let panel = |p: i32| {
            let middle = start + width * (f64::from(p) + 0.5);
            let nodes = GAUSS_20.iter().flat_map(|&(x, w)| [(-x, w), (x, w)]);
            nodes.map(|(x, w)| w * inside(middle + x * width / 2.0)).sum::<f64>() * width / 2.0
        };
        (0..panels).map(panel).sum()
    }

    proptest! {
        #[test]
        fn agrees_with_integration_of_the_conditional(
            h in -3.5f64..3.5, k in -3.5f64..3.5, rho in -0.999f64..0.999,
        ) {
            // 8000 terms of rounding in the check; the method itself is good to 1e-15.
            let difference = bivariate_normal_cdf(h, k, rho) - by_conditioning(h, k, rho);
            prop_assert!(difference.abs() < 2e-14, "{difference:e}");
        }

        #[test]
        fn grows_with_the_correlation_and_is_symmetric(
            h in -4f64..4.0, k in -4f64..4.0, rho in -1f64..0.99,
        ) {
            let at = |rho| bivariate_normal_cdf(h, k, rho);
            prop_assert!(at(rho + 0.01) >= at(rho) - 1e-15);
            prop_assert!((at(rho) - bivariate_normal_cdf(k, h, rho)).abs() < 1e-15);
        }
    }
}
