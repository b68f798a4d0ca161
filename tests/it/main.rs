//! All integration tests, one binary, one module per area.

mod association;
mod classical;
mod dimensionality;
mod oracle;
mod smoothing;
mod support;
