//! All integration tests, one binary, one module per area.

mod classical;
mod oracle;
mod support;
