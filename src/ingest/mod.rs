//! From the public repository SWE-bench/experiments to the book's data.
//!
//! This module and [`crate::simulate`] are the only ones that know anything of
//! SWE-bench. The path of a submission:
//!
//! - `clone` opens files of the clone, and nothing outside it;
//! - `metadata` and `results` read what stands in them, in every shape that the
//!   repository has had;
//! - `submission` puts both together for one folder;
//! - `items` settles which items there are;
//! - `prepare` decides who is included and writes the CSV files.
//!
//! `environment` reads evaluation logs (`logs` streams them) and tells which
//! machine ran each submission. `download` fetches the clone, `check` judges a
//! data folder, `convert` reads responses from other sources.
//!
//! Faults of a folder are a [`Fault`]: they exclude the folder, with their reason,
//! and never stop the rest.

mod check;
mod clone;
mod convert;
mod download;
mod environment;
mod items;
mod json;
mod logs;
mod matrix;
mod metadata;
mod prepare;
mod results;
mod submission;

pub use check::{Description, Shape, check_folder, describe};
pub use convert::{ConvertOptions, ConvertSummary, Format, convert};
pub use download::{DownloadOptions, REPOSITORY, download};
pub use environment::{EnvironmentSummary, environment};
pub use prepare::{NearPair, PrepareOptions, Prepared, Split, prepare};

/// Why a folder cannot be used: the reason that the CSV carries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault(pub String);

impl Fault {
    /// A fault of a field of a file.
    fn new(file: &str, field: &str, what: impl std::fmt::Display) -> Self {
        let field = if field.is_empty() { String::new() } else { format!(", {field}") };
        Self(format!("{file}{field}: {what}"))
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
