//! How much a score may be trusted: standard errors, comparisons of two examinees
//! on the same items, ranks with their uncertainty, and the smallest difference
//! worth claiming.
//!
//! A score has several standard errors because there are several things that could
//! have been otherwise. [`score_errors`] holds two classical ones, with the items a
//! sample of a domain or fixed; [`block_errors`] resamples whole blocks of items;
//! [`claim_at`] rests on a fitted model.

mod blocks;
mod errors;
mod paired;
mod ranks;
mod scale;

pub use blocks::block_errors;
pub use errors::{ScoreErrors, score_errors};
pub use paired::{PairedComparison, compare, compare_rows};
pub use ranks::{Comparisons, MOST_EXAMINEES, RankInterval, compare_all, holm};
pub use scale::{Claim, Scale, claim_at, claims_by_percent};
