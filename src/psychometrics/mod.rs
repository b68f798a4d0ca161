//! The numeric core: pure functions from responses and vectors to structs.
//!
//! Nothing here reads files, knows column names or speaks Spanish. Every random
//! procedure takes its seed as an argument, and every result is the same on any
//! number of threads.

pub mod association;
pub mod classical;
pub mod comparison;
pub mod cutoffs;
pub mod dependence;
pub mod dif;
pub mod dimensionality;
pub mod fit;
pub mod irt;
pub mod precision;
pub mod r_random;
mod random;
pub mod resampling;
pub mod sensitivity;
pub mod short_form;
pub mod smoothing;
pub mod spectral;
pub mod stats;
mod undefined;

pub use undefined::Undefined;
