//! All integration tests, one binary, one module per area.

mod association;
mod classical;
mod data;
mod dimensionality;
mod oracle;
mod smoothing;
mod support;
