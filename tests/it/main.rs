//! All integration tests, one binary, one module per area.

mod data;
mod support;
