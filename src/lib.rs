//! Escritura: literate psychometric reports.
pub mod data;
pub mod psychometrics;
