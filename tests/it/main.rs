//! All integration tests, one binary, one module per area.

mod association;
mod book;
mod chart;
mod citations;
mod classical;
mod cli;
mod comparison;
mod data;
mod dif;
mod dimensionality;
mod fit;
mod further;
mod ingest;
mod irt;
mod irt_properties;
mod lint;
mod oracle;
mod parameters;
mod plain_em;
mod precision;
mod simulate;
mod site;
mod smoothing;
mod study;
mod support;
