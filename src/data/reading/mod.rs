//! Reading CSV: response matrices and frames, with every fault located.
//!
//! The rules, the same for both readers:
//!
//! - UTF-8, with or without BOM; lines end in LF, CRLF or CR; blank lines are
//!   skipped; the first line holds the names.
//! - The separator is `,`, `;` or tab, found in the file itself.
//! - Fields may be quoted (RFC 4180) and may have spaces around them, which are
//!   never data.
//! - Missing cells are empty, `NA`, `NaN` or `.`, unless told otherwise.
//!
//! `records` cuts bytes into records and fields, `scan` feeds them block by
//! block, `rows` reads 64 examinees at a time on every core.

mod align;
mod codes;
mod dialect;
mod frames;
mod header;
mod problems;
mod records;
mod responses;
mod rows;
mod scan;

pub use align::align;
pub use codes::Recode;
pub use frames::{FrameOptions, FrameTable, read_frame};
pub use responses::{ResponseTable, read_responses};
pub(crate) use scan::{scan, unreadable};

/// Tokens that stand for a missing cell unless the reader is told otherwise.
pub const MISSING: [&str; 4] = ["", "NA", "NaN", "."];

/// How a response matrix is to be read.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadOptions {
    /// Cells that mean "no answer".
    pub missing: Vec<String>,
    /// Codes of the file and what they mean, when they are not 0 and 1.
    pub recode: Option<Recode>,
    /// The column that says how many examinees gave each response pattern, when rows
    /// are patterns. It is always declared: an item may have any name.
    pub count_column: Option<String>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { missing: MISSING.map(String::from).to_vec(), recode: None, count_column: None }
    }
}
