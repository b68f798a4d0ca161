//! Escritura: literate psychometric reports.
pub mod chart;
pub mod data;
pub mod diagnostics;
pub mod psychometrics;
pub mod report;
pub mod yaml;
