//! What the studies add to the customary analysis: precision, differential
//! functioning, resampling, nulls, a short form, sensitivity. Each file has a topic
//! from what its nodes compute to the names they publish.

pub(super) mod dif;
pub(super) mod estimates;
pub(super) mod nulls;
pub(super) mod precision;
pub(super) mod resampled;
pub(super) mod sensitivity;
pub(super) mod short_form;

use crate::data::Cell;

/// A column of a frame: its name, and its cell for each thing that has a row.
type Column<'a, T> = (&'a str, &'a dyn Fn(&T) -> Cell);

/// Level of tests and complement of the coverage of intervals.
const LEVEL: f64 = 0.05;
