//! Tables of two editions, cell by cell.

use super::edition::{Chapter, Grid};
use super::{Membership, magnitude, relative_change};
use serde::Serialize;
use std::collections::BTreeMap;

/// A table that changed.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct TableChange {
    /// Chapter.
    #[serde(rename = "capitulo")]
    pub chapter: String,
    /// Its name.
    #[serde(rename = "nombre")]
    pub name: String,
    /// Rows that it had; `None` when it was not there.
    #[serde(rename = "filas_antes")]
    pub rows_before: Option<usize>,
    /// Rows that it has; `None` when it is not there.
    #[serde(rename = "filas_ahora")]
    pub rows_after: Option<usize>,
    /// Rows by the text of their first cell.
    #[serde(rename = "filas")]
    pub rows: Membership,
    /// Columns by their header.
    #[serde(rename = "columnas")]
    pub columns: Membership,
    /// Cells of the rows and columns that both have.
    #[serde(rename = "celdas_comunes")]
    pub common: usize,
    /// Those that differ, the largest change first.
    #[serde(rename = "celdas")]
    pub cells: Vec<CellChange>,
}

/// A cell that changed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CellChange {
    /// First cell of its row.
    #[serde(rename = "fila")]
    pub row: String,
    /// Header of its column.
    #[serde(rename = "columna")]
    pub column: String,
    /// What it was.
    #[serde(rename = "antes")]
    pub before: String,
    /// What it is.
    #[serde(rename = "ahora")]
    pub after: String,
    /// Of numbers, the change over what it was.
    #[serde(rename = "relativa")]
    pub relative: Option<f64>,
}

/// The tables that changed, by name.
pub fn compare(a: &Chapter, b: &Chapter) -> Vec<TableChange> {
    let (Some(before), Some(after)) = (&a.tables, &b.tables) else { return vec![] };
    let mut names: Vec<&String> = before.keys().chain(after.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let changed = names.into_iter().filter(|name| before.get(*name) != after.get(*name));
    changed
        .map(|name| TableChange {
            chapter: b.slug().to_owned(),
            name: name.clone(),
            ..table(before.get(name), after.get(name))
        })
        .collect()
}

fn table(before: Option<&Grid>, after: Option<&Grid>) -> TableChange {
    let rows = |grid: Option<&Grid>| grid.map(|grid| grid.len().saturating_sub(1));
    let mut change = TableChange {
        rows_before: rows(before),
        rows_after: rows(after),
        ..TableChange::default()
    };
    let (Some(before), Some(after)) = (before, after) else { return change };
    let (before, after) = (Indexed::of(before), Indexed::of(after));
    change.rows = Membership::of(
        before.order.iter().map(|(name, _)| *name),
        after.order.iter().map(|(name, _)| *name),
    );
    change.columns = Membership::of(before.header(), after.header());
    for key in &after.order {
        let Some(old) = before.rows.get(key) else { continue };
        let new = &after.rows[key];
        for (at, column) in after.header().enumerate().skip(1) {
            let Some(was) = before.header().position(|name| name == column) else { continue };
            change.common += 1;
            let cell = |row: &[String], at: usize| row.get(at).cloned().unwrap_or_default();
            let (before, after) = (cell(old, was), cell(new, at));
            if before != after {
                let number = |text: &str| text.parse::<f64>().ok();
                let pair = number(&before).zip(number(&after));
                let relative = pair.and_then(|(before, after)| relative_change(before, after));
                let (row, column) = (key.0.to_owned(), column.to_owned());
                change.cells.push(CellChange { row, column, before, after, relative });
            }
        }
    }
    let size = |cell: &CellChange| magnitude(cell.relative, cell.relative);
    change.cells.sort_by(|one, other| size(other).total_cmp(&size(one)));
    change
}

/// A table by the names of its rows. Rows of the same name are told apart by their
/// order.
struct Indexed<'a> {
    columns: &'a [String],
    order: Vec<(&'a str, usize)>,
    rows: BTreeMap<(&'a str, usize), &'a [String]>,
}

impl<'a> Indexed<'a> {
    fn of(grid: &'a Grid) -> Self {
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        let (mut order, mut rows) = (vec![], BTreeMap::new());
        for row in grid.iter().skip(1) {
            let name = row.first().map_or("", String::as_str);
            let repeated = seen.entry(name).and_modify(|n| *n += 1).or_default();
            order.push((name, *repeated));
            rows.insert((name, *repeated), row.as_slice());
        }
        Self { columns: grid.first().map_or(&[], Vec::as_slice), order, rows }
    }

    fn header(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.columns.iter().map(String::as_str)
    }
}
