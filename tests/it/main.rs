//! All integration tests, one binary, one module per area.

mod classical;
mod comparison;
mod fit;
mod irt;
mod irt_properties;
mod oracle;
mod parameters;
mod support;
