//! Escritura: literate psychometric reports.
pub mod cli;
pub mod chart;
pub mod data;
pub mod diagnostics;
pub mod psychometrics;
pub mod report;
pub mod study;
pub mod simulate;
pub mod site;
pub mod yaml;
