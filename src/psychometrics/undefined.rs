//! Why a statistic has no value.

use serde::{Deserialize, Serialize};

/// The reason why a statistic is not defined for the data given.
///
/// A statistic that may be undefined is a `Result<f64, Undefined>`, never a
/// `NaN`: the reason travels with the value to whoever prints it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Undefined {
    /// A variable that should vary takes one value only.
    ZeroVariance,
    /// Fewer observations (or items, or points) than the statistic needs.
    TooFew {
        /// The least number that would do.
        needed: usize,
        /// The number there is.
        found: usize,
    },
    /// More observations than a procedure can treat.
    TooMany {
        /// The greatest number that is treated.
        most: usize,
        /// The number there is.
        found: usize,
    },
    /// Nothing was observed.
    NoObservations,
    /// A matrix has entries without value, so that what is computed from the
    /// whole matrix has none either.
    UndefinedEntries {
        /// Number of pairs without value.
        count: usize,
    },
    /// Vectors that should pair up have different lengths.
    LengthMismatch {
        /// Length of the first.
        left: usize,
        /// Length of the second.
        right: usize,
    },
    /// An input is infinite or not a number.
    NotFinite,
    /// The first and third quartile of the total coincide: no extreme groups.
    EqualQuartiles,
    /// A decomposition did not converge.
    NoConvergence,
}

impl std::fmt::Display for Undefined {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::ZeroVariance => write!(f, "zero variance"),
            Self::TooFew { needed, found } => write!(f, "needs at least {needed}, found {found}"),
            Self::TooMany { most, found } => write!(f, "treats at most {most}, found {found}"),
            Self::NoObservations => write!(f, "no observations"),
            Self::UndefinedEntries { count } => write!(f, "{count} pairs without a value"),
            Self::LengthMismatch { left, right } => write!(f, "lengths {left} and {right} differ"),
            Self::NotFinite => write!(f, "an input is not a finite number"),
            Self::EqualQuartiles => write!(f, "the first and third quartile coincide"),
            Self::NoConvergence => write!(f, "the decomposition did not converge"),
        }
    }
}

impl std::error::Error for Undefined {}
