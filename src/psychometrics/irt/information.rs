//! Fisher information about the trait.

use serde::{Deserialize, Serialize};

use super::ItemParameters;

/// Information of an item at `theta`: a^2 P (1 - P) (Birnbaum, 1968).
pub fn item_information(item: &ItemParameters, theta: f64) -> f64 {
    let (right, wrong) = item.probabilities(theta);
    item.slope * item.slope * right * wrong
}

/// Information of a test at `theta`: the sum over its items, without the prior.
pub fn test_information(items: &[ItemParameters], theta: f64) -> f64 {
    items.iter().map(|item| item_information(item, theta)).sum()
}

/// Conditional standard error 1 / sqrt(information); `None` where the test says
/// nothing.
pub fn standard_error(items: &[ItemParameters], theta: f64) -> Option<f64> {
    let error = test_information(items, theta).sqrt().recip();
    error.is_finite().then_some(error)
}

/// Where a test informs most.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Peak {
    /// The maximiser.
    pub theta: f64,
    /// The information there.
    pub information: f64,
}

/// The hundredths of a logit between -7 and 7, where [`peak`] looks and curves
/// are drawn.
pub fn display_grid() -> impl Iterator<Item = f64> {
    (-700..=700).map(|hundredths| f64::from(hundredths) / 100.0)
}

/// Maximum of the information on [`display_grid`] (the first, in a tie); `None`
/// without items.
pub fn peak(items: &[ItemParameters]) -> Option<Peak> {
    let at = |theta| Peak { theta, information: test_information(items, theta) };
    let best = display_grid()
        .map(at)
        .reduce(|best, next| if next.information > best.information { next } else { best });
    best.filter(|_| !items.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ITEMS: [ItemParameters; 2] = [
        ItemParameters { slope: 1.5, intercept: -1.5 },
        ItemParameters { slope: -0.8, intercept: 0.8 },
    ];

    #[test]
    fn an_item_informs_most_at_its_difficulty() {
        assert_eq!(ITEMS[0].difficulty(), Some(1.0));
        assert!((item_information(&ITEMS[0], 1.0) - 1.5 * 1.5 / 4.0).abs() < 1e-15);
        assert_eq!(peak(&ITEMS).map(|p| p.theta), Some(1.0));
    }

    #[test]
    fn far_away_nothing_is_known_and_nothing_breaks() {
        assert_eq!(standard_error(&ITEMS, 1e6), None);
        assert_eq!(peak(&[]), None);
        assert_eq!(ItemParameters { slope: 0.0, intercept: 1.0 }.difficulty(), None);
    }
}
