//! Escritura: literate psychometric reports.

pub mod chart;
pub mod cli;
pub mod data;
pub mod diagnostics;
pub mod ingest;
pub mod psychometrics;
pub mod report;
pub mod simulate;
pub mod site;
pub mod study;
pub mod yaml;
