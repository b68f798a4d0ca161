//! What a study reads: response matrices, frames of typed columns, and where
//! they come from.

pub mod frame;
pub mod planes;
pub mod responses;

pub use frame::{Cell, Column, Frame};
pub use planes::BitPlanes;
pub use responses::{Bits, Responses, ResponsesBuilder};
