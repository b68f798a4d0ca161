//! Reading a frame: any CSV as typed columns.

use super::MISSING;
use super::dialect;
use super::header::{header_names, unclosed, utf8};
use super::problems::Problems;
use super::records::{Record, fields, place, trim};
use super::rows::ragged;
use super::scan::{LONGEST, scan};
use crate::data::{Cell, Frame, Names};
use crate::diagnostics::{Diagnostic, Diagnostics, code};
use jiff::civil::Date;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// How a frame is to be read.
#[derive(Debug, Clone, PartialEq)]
pub struct FrameOptions {
    /// Cells without a datum.
    pub missing: Vec<String>,
    /// Columns that are text whatever they look like: identifiers, codes such as
    /// "1" and "2+".
    pub text: BTreeSet<String>,
}

impl Default for FrameOptions {
    fn default() -> Self {
        Self { missing: MISSING.map(String::from).to_vec(), text: BTreeSet::new() }
    }
}

/// A frame and where it came from.
#[derive(Debug, Clone, PartialEq)]
pub struct FrameTable {
    /// The file it was read from.
    pub path: PathBuf,
    /// The data.
    pub frame: Frame,
    /// Line of the file, from 1, where each row starts.
    pub lines: Vec<usize>,
    /// SHA-256 of the file's bytes, in hexadecimal.
    pub sha256: String,
}

/// Reads a CSV with a header as a frame.
///
/// The type of a column is the narrowest that all its cells have: integer,
/// number (decimal point), ISO date, text. Numbers with leading zeros and
/// integers beyond 64 bits are identifiers: text. A file without rows is an empty
/// frame.
///
/// # Errors
/// Everything wrong with the file, each at its line and column: unreadable or not
/// UTF-8, no known separator, rows of another length, names empty or repeated.
pub fn read_frame(path: &Path, options: &FrameOptions) -> Result<FrameTable, Diagnostics> {
    let mut text = vec![];
    let sha256 = scan(path, |bytes, _| {
        if text.len() + bytes.len() > LONGEST {
            let message = format!("el archivo supera {} MiB", LONGEST >> 20);
            return Err(Diagnostic::new(code::CSV, path, message));
        }
        text.extend_from_slice(bytes);
        Ok(bytes.len())
    })?;
    let raw = raw_table(path, &text)?;
    let mut frame = Frame::new(raw.lines.len());
    for (name, texts) in raw.names.iter().zip(&raw.columns) {
        let kind = if options.text.contains(name) { Kind::Text } else { kind(texts, options) };
        frame.set(name, texts.iter().map(|text| cell(text, kind, options)));
    }
    Ok(FrameTable { path: path.into(), frame, lines: raw.lines, sha256 })
}

struct RawTable {
    names: Names,
    columns: Vec<Names>,
    lines: Vec<usize>,
}

fn raw_table(path: &Path, bytes: &[u8]) -> Result<RawTable, Diagnostics> {
    let dialect = dialect::sniff(path, bytes)?;
    let (mut splitter, mut at) = (dialect.splitter, dialect.start);
    let mut records = vec![];
    while let Some((record, used)) = splitter.next(&bytes[at..], true) {
        if !trim(record.bytes).is_empty() {
            records.push(record);
        }
        at += used;
    }
    let Some((header, rows)) = records.split_first() else {
        return Err(Diagnostic::new(code::CSV, path, "el archivo está vacío").into());
    };
    let names = column_names(path, header, splitter.delimiter)?;
    let mut columns = vec![Names::new(); names.len()];
    let mut problems = Problems::default();
    for record in rows {
        add_row(path, record, splitter.delimiter, &mut columns, &mut problems);
    }
    problems.into_result(path)?;
    Ok(RawTable { names, columns, lines: rows.iter().map(|record| record.line).collect() })
}

fn column_names(path: &Path, header: &Record, delimiter: u8) -> Result<Names, Diagnostics> {
    let (columns, names) = header_names(path, header, delimiter)?;
    let mut problems = Problems::default();
    super::header::check_names(path, header, &columns, &names, &mut problems);
    if names[0].is_empty() {
        let message = "la columna 1 no tiene nombre";
        problems.add(|| Diagnostic::new(code::CSV, place(path, header, 0), message));
    }
    problems.into_result(path)?;
    Ok(names)
}

fn add_row(
    path: &Path,
    record: &Record,
    delimiter: u8,
    columns: &mut [Names],
    problems: &mut Problems,
) {
    if record.unclosed {
        return problems.add(|| unclosed(path, record));
    }
    let width = fields(record.bytes, delimiter).count();
    if width != columns.len() {
        return problems.add(|| ragged(path, record, columns.len(), width));
    }
    for (column, field) in columns.iter_mut().zip(fields(record.bytes, delimiter)) {
        match utf8(path, record, &field) {
            Ok(text) => column.push(text),
            Err(fault) => problems.add(|| fault),
        }
    }
}

/// Types of column, from the narrowest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Integer,
    Number,
    Date,
    Text,
}

fn kind(texts: &Names, options: &FrameOptions) -> Kind {
    let all =
        |fits: fn(&str) -> bool| texts.iter().all(|text| is_missing(text, options) || fits(text));
    if all(|text| integer(text).is_some()) {
        Kind::Integer
    } else if all(|text| number(text).is_some()) {
        Kind::Number
    } else if all(|text| date(text).is_some()) {
        Kind::Date
    } else {
        Kind::Text
    }
}

fn cell(text: &str, kind: Kind, options: &FrameOptions) -> Cell {
    if is_missing(text, options) {
        return Cell::Missing;
    }
    match kind {
        Kind::Integer => integer(text).map(Cell::Integer).into(),
        Kind::Number => number(text).map(Cell::Number).into(),
        Kind::Date => date(text).map(Cell::Date).into(),
        Kind::Text => Cell::from(text),
    }
}

fn is_missing(text: &str, options: &FrameOptions) -> bool {
    options.missing.iter().any(|token| token == text)
}

/// A leading zero marks a code, not a quantity.
fn has_leading_zero(text: &str) -> bool {
    let digits = text.trim_start_matches(['-', '+']);
    digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.")
}

fn integer(text: &str) -> Option<i64> {
    if has_leading_zero(text) { None } else { text.parse().ok() }
}

fn number(text: &str) -> Option<f64> {
    let plain = text.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b));
    // An integer that does not fit is an identifier: as a number it would change.
    let too_long = text.bytes().all(|b| b.is_ascii_digit()) && integer(text).is_none();
    if !plain || too_long || has_leading_zero(text) {
        return None;
    }
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

fn date(text: &str) -> Option<Date> {
    let shape = |(i, b): (usize, u8)| if i == 4 || i == 7 { b == b'-' } else { b.is_ascii_digit() };
    let iso = text.len() == 10 && text.bytes().enumerate().all(shape);
    if iso { text.parse().ok() } else { None }
}
