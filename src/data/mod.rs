//! What a study reads: response matrices, frames of typed columns, and where
//! they come from.

pub mod planes;
pub mod responses;

pub use planes::BitPlanes;
pub use responses::{Bits, Responses, ResponsesBuilder};
