//! All integration tests, one binary, one module per area.

mod site;
#[allow(dead_code, reason = "not every area reads the reference data yet")]
mod support;
