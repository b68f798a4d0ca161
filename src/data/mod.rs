//! What a study reads: response matrices, frames of typed columns, and where
//! they come from.

pub mod frame;
pub mod responses;

pub use frame::{Cell, Column, Frame};
pub use responses::{Bits, Responses, ResponsesBuilder};
