//! Frames: named, typed columns of equal length.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// One cell of a frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Cell {
    /// No datum.
    Missing,
    /// A count or code.
    Integer(i64),
    /// A finite real number.
    Number(f64),
    /// A calendar day.
    Date(Date),
    /// Any other text.
    Text(Arc<str>),
}

impl Cell {
    /// A number, or `Missing` for one that is not finite: no NaN enters a frame.
    pub fn number(value: f64) -> Self {
        if value.is_finite() { Self::Number(value) } else { Self::Missing }
    }

    /// A text, or a date where it is one written `2025-10-26` and nothing else: a
    /// code of eight digits or a moment of the day stays the text it is.
    pub fn text_or_date(text: &str) -> Self {
        let is_iso_day =
            text.len() == 10 && text.as_bytes()[4] == b'-' && text.as_bytes()[7] == b'-';
        let date = is_iso_day.then(|| text.parse().ok()).flatten();
        date.map_or_else(|| Self::from(text), Self::Date)
    }

    /// The numeric value of an integer or number.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Integer(value) => Some(*value as f64),
            Self::Number(value) => Some(*value),
            _ => None,
        }
    }

    /// Whether there is no datum.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Missing)
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Missing, Into::into)
    }
}

impl From<f64> for Cell {
    fn from(value: f64) -> Self {
        Self::number(value)
    }
}

impl From<i64> for Cell {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<usize> for Cell {
    fn from(value: usize) -> Self {
        Self::Integer(value as i64)
    }
}

impl From<&str> for Cell {
    fn from(value: &str) -> Self {
        Self::Text(value.into())
    }
}

impl From<Date> for Cell {
    fn from(value: Date) -> Self {
        Self::Date(value)
    }
}

/// A table of named columns, all of the same length, in a fixed order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Frame {
    n_rows: usize,
    columns: Vec<Column>,
}

/// A named column.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Its name, unique in the frame.
    pub name: String,
    /// Its cells, from the first row to the last.
    pub cells: Vec<Cell>,
}

impl Frame {
    /// A frame of `n_rows` rows and no columns.
    pub fn new(n_rows: usize) -> Self {
        Self { n_rows, columns: vec![] }
    }

    /// Adds a column, or replaces the one of that name.
    ///
    /// Panics when its length is not the frame's: that is a fault of the program.
    pub fn set<C: Into<Cell>>(&mut self, name: &str, cells: impl IntoIterator<Item = C>) {
        let cells: Vec<Cell> = cells.into_iter().map(Into::into).collect();
        assert_eq!(cells.len(), self.n_rows, "column {name} has the wrong length");
        match self.columns.iter_mut().find(|column| column.name == name) {
            Some(column) => column.cells = cells,
            None => self.columns.push(Column { name: name.into(), cells }),
        }
    }

    /// The same frame with a column added.
    pub fn with<C: Into<Cell>>(mut self, name: &str, cells: impl IntoIterator<Item = C>) -> Self {
        self.set(name, cells);
        self
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// The columns, in order.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The column names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.columns.iter().map(|column| column.name.as_str())
    }

    /// The cells of a column.
    pub fn column(&self, name: &str) -> Option<&[Cell]> {
        self.columns.iter().find(|column| column.name == name).map(|c| c.cells.as_slice())
    }

    /// One cell; `None` when there is no such column.
    pub fn cell(&self, row: usize, name: &str) -> Option<&Cell> {
        self.column(name).map(|cells| &cells[row])
    }

    /// The same frame without the columns of those names.
    pub fn without(mut self, gone: impl Fn(&str) -> bool) -> Self {
        self.columns.retain(|column| !gone(&column.name));
        self
    }

    /// The given rows, in the given order.
    pub fn select(&self, rows: &[usize]) -> Self {
        let pick = |column: &Column| Column {
            name: column.name.clone(),
            cells: rows.iter().map(|&row| column.cells[row].clone()).collect(),
        };
        Self { n_rows: rows.len(), columns: self.columns.iter().map(pick).collect() }
    }

    /// Adds the rows of a frame with the same columns.
    ///
    /// Panics when they are not the same: that is a fault of the program.
    pub fn append(&mut self, other: &Self) {
        assert!(self.names().eq(other.names()), "rows of other columns");
        self.n_rows += other.n_rows;
        for (column, more) in self.columns.iter_mut().zip(&other.columns) {
            column.cells.extend(more.cells.iter().cloned());
        }
    }

    /// The frame as CSV with `,` and `.`, missing cells empty.
    pub fn to_csv(&self) -> String {
        let mut writer = csv::Writer::from_writer(vec![]);
        let write = |writer: &mut csv::Writer<Vec<u8>>, record: Vec<String>| {
            writer.write_record(record).expect("writing to memory does not fail");
        };
        write(&mut writer, self.names().map(String::from).collect());
        for row in 0..self.n_rows {
            write(&mut writer, self.columns.iter().map(|c| c.cells[row].to_string()).collect());
        }
        let bytes = writer.into_inner().expect("flushing to memory does not fail");
        String::from_utf8(bytes).expect("every cell is UTF-8")
    }
}

/// The machine form: `.` as decimal mark, ISO dates, nothing when missing.
impl std::fmt::Display for Cell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Missing => Ok(()),
            Self::Integer(value) => value.fmt(f),
            Self::Number(value) => value.fmt(f),
            Self::Date(value) => value.fmt(f),
            Self::Text(value) => value.fmt(f),
        }
    }
}

/// Orders cells of a column: numbers, dates and text by value, missing last.
impl Cell {
    /// Total order within a column.
    pub fn order(&self, other: &Self) -> std::cmp::Ordering {
        use std::cmp::Ordering;
        match (self, other) {
            (Self::Missing, Self::Missing) => Ordering::Equal,
            (Self::Missing, _) => Ordering::Greater,
            (_, Self::Missing) => Ordering::Less,
            (Self::Date(a), Self::Date(b)) => a.cmp(b),
            (a, b) => match (a.as_f64(), b.as_f64()) {
                (Some(a), Some(b)) => a.total_cmp(&b),
                _ => a.to_string().cmp(&b.to_string()),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_keeps_points_and_leaves_missing_cells_empty() {
        let frame = Frame::new(2)
            .with("reactivo", ["a,b", "c"])
            .with("p", [Some(0.5), None])
            .with("n", [3usize, 4]);
        assert_eq!(frame.to_csv(), "reactivo,p,n\n\"a,b\",0.5,3\nc,,4\n");
    }

    #[test]
    fn no_nan_enters_a_frame() {
        assert!(Cell::from(f64::NAN).is_missing());
        assert!(Cell::from(f64::INFINITY).is_missing());
    }

    #[test]
    fn missing_cells_sort_last() {
        let mut cells = [Cell::Missing, Cell::from(2.0), Cell::from(1usize)];
        cells.sort_by(Cell::order);
        assert_eq!(cells, [Cell::from(1usize), Cell::from(2.0), Cell::Missing]);
    }
}
