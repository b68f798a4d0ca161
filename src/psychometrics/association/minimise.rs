//! Minimisation in one variable, step by step as R's `optimize` does it.

/// The result of [`brent`]: R's `optimize` returns the same point.
///
/// Source: Brent (1973), Algorithms for Minimization without Derivatives, chapter
/// 5 (`localmin`), with R's way of stopping. Values that are not finite count as
/// the largest double, as in R.
pub(super) fn brent(
    lower: f64,
    upper: f64,
    tolerance: f64,
    mut objective: impl FnMut(f64) -> f64,
) -> f64 {
    let mut value = |x: f64| {
        let v = objective(x);
        if v.is_finite() { v } else { f64::MAX }
    };
    let golden = (3.0 - 5.0_f64.sqrt()) * 0.5;
    let root_epsilon = f64::EPSILON.sqrt();
    let (mut a, mut b) = (lower, upper);
    // `x` is the best point so far, `w` the second best, `v` the previous `w`.
    let mut x = a + golden * (b - a);
    let (mut v, mut w) = (x, x);
    let mut fx = value(x);
    let (mut fv, mut fw) = (fx, fx);
    // The last step and the one before.
    let (mut step, mut before) = (0.0_f64, 0.0_f64);
    loop {
        let middle = (a + b) * 0.5;
        let least = root_epsilon * x.abs() + tolerance / 3.0;
        let twice = 2.0 * least;
        if (x - middle).abs() <= twice - (b - a) * 0.5 {
            return x;
        }
        // Numerator, denominator and bound of the parabolic step.
        let (mut p, mut q, mut bound) = (0.0, 0.0, 0.0);
        if before.abs() > least {
            let r = (x - w) * (fx - fv);
            q = (x - v) * (fx - fw);
            p = (x - v) * q - (x - w) * r;
            q = (q - r) * 2.0;
            if q > 0.0 {
                p = -p;
            } else {
                q = -q;
            }
            bound = before;
            before = step;
        }
        let is_golden = p.abs() >= (q * 0.5 * bound).abs() || p <= q * (a - x) || p >= q * (b - x);
        if is_golden {
            before = if x < middle { b - x } else { a - x };
            step = golden * before;
        } else {
            step = p / q;
            let u = x + step;
            if u - a < twice || b - u < twice {
                step = if x >= middle { -least } else { least };
            }
        }
        let u = if step.abs() >= least {
            x + step
        } else if step > 0.0 {
            x + least
        } else {
            x - least
        };
        let fu = value(u);
        if fu <= fx {
            if u < x {
                b = x;
            } else {
                a = x;
            }
            (v, w, x) = (w, x, u);
            (fv, fw, fx) = (fw, fx, fu);
        } else {
            if u < x {
                a = u;
            } else {
                b = u;
            }
            if fu <= fw || w == x {
                (v, fv) = (w, fw);
                (w, fw) = (u, fu);
            } else if fu <= fv || v == x || v == w {
                (v, fv) = (u, fu);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_minimum_that_r_documents() {
        // ?optimize: f(x) = (x - 1/3)^2 on (0, 1), tol = 0.0001.
        let found = brent(0.0, 1.0, 1e-4, |x| (x - 1.0 / 3.0).powi(2));
        assert!((found - 1.0 / 3.0).abs() < 1e-7);
    }

    #[test]
    fn undefined_values_push_the_search_away() {
        let found = brent(-1.0, 1.0, 1e-8, |x| if x < 0.2 { f64::NAN } else { x });
        assert!((found - 0.2).abs() < 1e-7);
        assert!(brent(-1.0, 1.0, 1e-4, |_| f64::NAN).is_finite());
    }
}
