//! Simulated data: a demonstration that has everything the flagship chapter
//! reads, and plain matrices of any size.
//!
//! Identifiers are visibly synthetic (`sim`), `procedencia.yaml` says
//! `simulado`, and the same seed gives the same bytes on any machine and any
//! number of threads.

mod demonstration;
mod items;
mod matrix;
mod random;
mod submissions;

pub use demonstration::{Summary, write_demonstration};
pub use items::{ENVIRONMENT_ITEMS, REPOSITORIES};
pub use matrix::{MatrixOptions, write_matrix};

/// The seed of the demonstration that the repository carries.
pub const SEED: u64 = 20261025;
