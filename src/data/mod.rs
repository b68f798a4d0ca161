//! What a study reads: response matrices, frames of typed columns, and where
//! they come from.

pub mod cache;
pub mod digest;
pub mod frame;
pub mod names;
pub mod planes;
pub mod provenance;
pub mod reading;
pub mod responses;
pub mod storage;

pub use cache::Cache;
pub use frame::{Cell, Column, Frame};
pub use names::Names;
pub use planes::BitPlanes;
pub use provenance::Provenance;
pub use reading::{
    FrameOptions, FrameTable, ReadOptions, Recode, ResponseTable, align, read_frame, read_responses,
};
pub use responses::{Bits, Responses, ResponsesBuilder};
