//! All integration tests, one binary, one module per area.

mod data;
mod simulate;
mod support;
