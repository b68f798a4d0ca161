//! Responses from other sources become a matrix.
//!
//! - long CSV: one row per answer (`examinee,item,response`);
//! - JSON lines: `{"subject_id": ..., "responses": {item: 0|1}}`;
//! - wide CSV transposed: one row per item;
//! - leaderboard JSON: objects with `per_instance_details`.
//!
//! Examinees and items keep the order in which they appear.

mod cells;
mod leaderboard;
mod lines;
mod long;

use super::matrix;
use crate::data::{Names, ReadOptions, Responses, read_responses, storage};
use crate::diagnostics::{Diagnostic, Diagnostics, Place, code};
use std::io::Read;
use std::path::Path;

/// How the source is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// One row per answer.
    Long,
    /// One JSON object per examinee and line.
    Lines,
    /// One row per item.
    Transposed,
    /// A leaderboard's JSON.
    Leaderboard,
}

impl Format {
    const ALL: [(&'static str, Self); 4] = [
        ("largo", Self::Long),
        ("jsonl", Self::Lines),
        ("transpuesto", Self::Transposed),
        ("tablero", Self::Leaderboard),
    ];
}

impl std::str::FromStr for Format {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, format)| *format);
        found.ok_or_else(|| {
            format!("los formatos son: {}", Self::ALL.map(|(known, _)| known).join(", "))
        })
    }
}

/// How to convert.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConvertOptions {
    /// The source's format; without it, what its name and its start suggest.
    pub format: Option<Format>,
    /// Columns of a long CSV: examinee, item, response.
    pub columns: Option<[String; 3]>,
    /// Which of several leaderboards.
    pub board: Option<String>,
    /// Whether items that an examinee does not mention were failed, rather than
    /// not answered.
    pub absent_is_wrong: bool,
}

/// A matrix that came from elsewhere.
#[derive(Debug, Clone, PartialEq)]
struct Converted {
    examinees: Names,
    items: Names,
    responses: Responses,
}

/// What was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConvertSummary {
    /// The format that was read.
    pub format: Format,
    /// Rows.
    pub n_examinees: usize,
    /// Columns.
    pub n_items: usize,
    /// Cells without answer.
    pub n_missing: usize,
}

/// Reads the source and writes the matrix as CSV: `id`, then one column per item.
///
/// # Errors
/// Everything wrong with the source, each at its line; nothing is written then.
pub fn convert(
    source: &Path,
    destination: &Path,
    options: &ConvertOptions,
) -> Result<ConvertSummary, Diagnostics> {
    let place = |path: &Path| std::fs::canonicalize(path).ok();
    if place(destination).is_some_and(|path| place(source) == Some(path)) {
        let message = "el destino es el archivo de entrada, que se perdería";
        return Err(Diagnostic::new(code::OUTPUT, destination, message).into());
    }
    let format = match options.format {
        Some(format) if options.columns.is_some() && format != Format::Long => {
            let message = "«--columnas» solo vale con «--formato largo»";
            return Err(Diagnostic::new(code::CONFIG, Place::Nowhere, message).into());
        }
        Some(format) => format,
        None if options.columns.is_some() => Format::Long,
        None => guess(source)?,
    };
    let converted = match format {
        Format::Long => long::read(source, options)?,
        Format::Lines => lines::read(source, options)?,
        Format::Transposed => transposed(source)?,
        Format::Leaderboard => leaderboard::read(source, options)?,
    };
    let Converted { examinees, items, responses } = converted;
    if responses.n_examinees() == 0 || responses.n_items() == 0 {
        return Err(Diagnostic::new(code::CSV, source, "no hay ninguna respuesta").into());
    }
    let text = matrix::to_csv("id", &examinees, &items, &responses);
    storage::replace(&[(destination, text.as_bytes())])?;
    Ok(ConvertSummary {
        format,
        n_examinees: responses.n_examinees(),
        n_items: responses.n_items(),
        n_missing: responses.n_missing(),
    })
}

/// The format that the file's name and first line suggest.
fn guess(source: &Path) -> Result<Format, Diagnostic> {
    let extension = source.extension().and_then(|e| e.to_str()).unwrap_or_default().to_lowercase();
    match &*extension {
        "jsonl" | "ndjson" => return Ok(Format::Lines),
        "json" => return Ok(Format::Leaderboard),
        _ => {}
    }
    let mut start = vec![];
    let unreadable = |error| crate::data::reading::unreadable(source, &error);
    let file = std::fs::File::open(source).map_err(unreadable)?;
    file.take(1 << 16).read_to_end(&mut start).map_err(unreadable)?;
    let header = String::from_utf8_lossy(&start);
    let header = header.trim_start_matches('\u{feff}').lines().next().unwrap_or_default();
    Ok(if long::is_header(header) { Format::Long } else { Format::Transposed })
}

/// One row per item becomes one per examinee.
fn transposed(source: &Path) -> Result<Converted, Diagnostics> {
    let table = read_responses(source, &ReadOptions::default())?;
    Ok(Converted {
        examinees: table.items,
        items: table.examinees,
        responses: table.responses.transposed(),
    })
}
