//! Escritura: literate psychometric reports.
pub mod data;
pub mod diagnostics;
pub mod psychometrics;
pub mod report;
pub mod site;
pub mod yaml;
