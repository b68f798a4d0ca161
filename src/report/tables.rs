//! From a declared table to its cells.

use super::chapter::Chapter;
use super::declared::{ColumnDeclaration, CrossDeclaration, TableDeclaration};
use super::document::{Code, Download, Table, TableCell, TableColumn};
use super::format::{Format, MOST_DIGITS};
use super::text::{Context, kind_named, machine};
use crate::data::{Cell, Frame};
use crate::diagnostics::{Diagnostic, Diagnostics, Severity, Source, code};
use crate::study::expression::{Fault, value_to_cell};
use crate::yaml::Located;
use minijinja::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Columns of a cross-tabulation beyond which nobody reads it.
const MOST_CROSS_COLUMNS: usize = 40;
/// Stands for every level in the counts of a cross-tabulation; no cell has it.
const ALL: &str = "\0";

/// Resolves the table `name`; `None` when something of it was reported.
pub fn resolve(
    name: &str,
    number: usize,
    chapter: &Chapter,
    context: &Context,
    found: &mut Diagnostics,
) -> Option<(Table, Download)> {
    let declared = chapter.tables.entries.get(name)?;
    let source = chapter.tables.source.as_ref()?;
    let before = found.count(Severity::Error);
    let frame = rows(declared, source, context, found)?;
    let (columns, rows) = match &declared.cruce {
        Some(cross) => cross_table(declared, cross, &frame, source, context, found)?,
        None => plain_table(declared, &frame, source, context, found)?,
    };
    let csv = format!("tabla-{name}.csv");
    let table = Table {
        name: name.to_owned(),
        number,
        title: context.plain(&declared.titulo, source, found),
        note: declared
            .nota
            .as_ref()
            .map_or_else(Vec::new, |note| context.emphasised(note, source, found)),
        code: Code {
            title: format!("Código de la Tabla {number}"),
            file: "tablas.yaml".into(),
            text: chapter.tables.verbatim(name),
        },
        csv: csv.clone(),
        columns,
        rows,
    };
    let download = Download { path: csv, bytes: csv_of(&table).into_bytes() };
    (found.count(Severity::Error) == before).then_some((table, download))
}

/// The rows that the table shows, filtered, ordered and cut.
fn rows(
    declared: &TableDeclaration,
    source: &Source,
    context: &Context,
    found: &mut Diagnostics,
) -> Option<Arc<Frame>> {
    let mut frame = frame_named(&declared.marco, source, context, found)?;
    let engine = context.study.engine();
    if let Some(condition) = &declared.filtro {
        let kept = engine.matching(condition, &frame, context.scope());
        frame = Arc::new(frame.select(&located(kept, condition, source, context, found)?));
    }
    let keys: Vec<String> = declared.orden.iter().map(|key| key.value.clone()).collect();
    if let Some(first) = declared.orden.first() {
        let order = engine.order(&keys, &frame, context.scope());
        frame = Arc::new(frame.select(&located(order, first, source, context, found)?));
    }
    if let Some(limit) = declared.limite {
        let kept: Vec<usize> = (0..frame.n_rows().min(limit)).collect();
        frame = Arc::new(frame.select(&kept));
    }
    Some(frame)
}

/// A frame by name, or the report of why it is not there.
pub fn frame_named(
    name: &Located<String>,
    source: &Source,
    context: &Context,
    found: &mut Diagnostics,
) -> Option<Arc<Frame>> {
    let frame = context.computed.assembled.frames.get(&name.value).cloned();
    let reported = context.faulty.contains(&name.value)
        || context.computed.assembled.broken.contains(&name.value);
    if frame.is_none() && !reported {
        let message = format!("el marco «{}» no está disponible con estos datos", name.value);
        let hint =
            format!("muéstrelo solo si está: << si \"{}.disponible\" >> … << fin >>", name.value);
        found.push(
            Diagnostic::new(code::UNDEFINED_VALUE, name.place(source), message).hint(Some(hint)),
        );
    }
    frame
}

/// Keeps a result, or reports its fault where the expression stands.
pub fn located<T>(
    result: Result<T, Fault>,
    text: &Located<String>,
    source: &Source,
    context: &Context,
    found: &mut Diagnostics,
) -> Option<T> {
    let report = |fault| context.report(&fault, text, source, text.range.clone(), found);
    result.map_err(report).ok()
}

type Cells = (Vec<TableColumn>, Vec<Vec<TableCell>>);

fn plain_table(
    declared: &TableDeclaration,
    frame: &Arc<Frame>,
    source: &Source,
    context: &Context,
    found: &mut Diagnostics,
) -> Option<Cells> {
    if declared.columnas.is_empty() {
        let message = "la tabla no tiene «columnas» ni «cruce»";
        found.push(Diagnostic::new(code::YAML, declared.titulo.place(source), message));
        return None;
    }
    let mut columns = vec![];
    let mut rows: Vec<Vec<TableCell>> = vec![vec![]; frame.n_rows()];
    for column in &declared.columnas {
        let engine = context.study.engine();
        let values = engine.eval_rows(&column.valor, frame, context.scope());
        let values = located(values, &column.valor, source, context, found)?;
        let format = column_format(column, source, found)?;
        if column.opcional && values.iter().all(Option::is_none) {
            continue;
        }
        let numeric = values.iter().flatten().all(Value::is_number)
            && values.iter().any(Option::is_some)
            && !column.codigo;
        for (row, value) in rows.iter_mut().zip(&values) {
            row.push(cell(value.as_ref(), &format, column, source, context, found)?);
        }
        let header = context.emphasised(&column.titulo, source, found);
        columns.push(TableColumn { header, numeric, code: column.codigo });
    }
    Some((columns, rows))
}

fn column_format(
    column: &ColumnDeclaration,
    source: &Source,
    found: &mut Diagnostics,
) -> Option<Format> {
    if column.decimales.max(column.significativas).is_some_and(|digits| digits > MOST_DIGITS) {
        let message = format!("un número no tiene más de {MOST_DIGITS} cifras que mostrar");
        found.push(Diagnostic::new(code::YAML, column.valor.place(source), message));
        return None;
    }
    let kind = match &column.formato {
        Some(name) => found.check(kind_named(name, name.place(source)))?,
        None => Default::default(),
    };
    Some(Format {
        kind,
        decimals: column.decimales,
        significant: column.significativas,
        suffix: column.sufijo.clone(),
        ..Format::default()
    })
}

fn cell(
    value: Option<&Value>,
    format: &Format,
    column: &ColumnDeclaration,
    source: &Source,
    context: &Context,
    found: &mut Diagnostics,
) -> Option<TableCell> {
    let Some(value) = value else {
        return Some(TableCell { text: column.vacio.clone(), machine: String::new() });
    };
    match context.style.write(value, format) {
        Ok(text) => Some(TableCell { text, machine: machine(value) }),
        Err(why) => {
            let place = column.valor.place(source);
            found.push(Diagnostic::new(code::EXPRESSION, place, why.0));
            None
        }
    }
}

/// Counts of two variables.
fn cross_table(
    declared: &TableDeclaration,
    cross: &CrossDeclaration,
    frame: &Arc<Frame>,
    source: &Source,
    context: &Context,
    found: &mut Diagnostics,
) -> Option<Cells> {
    let rows_of = levels(&declared.marco, &cross.filas, cross, frame, source, context, found)?;
    let columns_of =
        levels(&declared.marco, &cross.columnas, cross, frame, source, context, found)?;
    if columns_of.0.len() > MOST_CROSS_COLUMNS {
        let n = columns_of.0.len();
        let message =
            format!("«{}» tiene {n} valores, demasiados para columnas", cross.columnas.value);
        found.push(Diagnostic::new(code::EXPRESSION, cross.columnas.place(source), message));
        return None;
    }
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (row, column) in rows_of.1.iter().zip(&columns_of.1) {
        for row in [row.as_str(), ALL] {
            for column in [column.as_str(), ALL] {
                *counts.entry((row, column)).or_default() += 1;
            }
        }
    }
    let count = |row: Option<&String>, column: Option<&String>| {
        let name = |level: Option<&String>| level.map_or(ALL, |level| level.as_str()).to_owned();
        counts.get(&(name(row).as_str(), name(column).as_str())).copied().unwrap_or(0)
    };
    let number = |name: String| TableColumn {
        header: vec![name.as_str().into()],
        numeric: true,
        code: false,
    };
    let first = context.emphasised(&cross.titulo, source, found);
    let mut columns = vec![TableColumn { header: first, numeric: false, code: false }];
    columns.extend(columns_of.0.iter().cloned().map(number));
    if cross.totales {
        columns.push(number("Total".into()));
    }
    let cell = |n: usize| TableCell {
        text: context.style.number(n as f64, Some(0), None),
        machine: n.to_string(),
    };
    let row = |name: &str, level: Option<&String>| {
        let mut cells = vec![TableCell { text: name.to_owned(), machine: name.to_owned() }];
        cells.extend(columns_of.0.iter().map(|column| cell(count(level, Some(column)))));
        if cross.totales {
            cells.push(cell(count(level, None)));
        }
        cells
    };
    let mut rows: Vec<_> = rows_of.0.iter().map(|level| row(level, Some(level))).collect();
    if cross.totales {
        rows.push(row("Total", None));
    }
    Some((columns, rows))
}

/// The levels of a variable, declared categories first, and its value in each row.
fn levels(
    frame_name: &str,
    variable: &Located<String>,
    cross: &CrossDeclaration,
    frame: &Arc<Frame>,
    source: &Source,
    context: &Context,
    found: &mut Diagnostics,
) -> Option<(Vec<String>, Vec<String>)> {
    let values = context.study.engine().eval_rows(variable, frame, context.scope());
    let values = located(values, variable, source, context, found)?;
    let cells: Vec<Cell> =
        values.iter().map(|value| value.as_ref().map_or(Cell::Missing, value_to_cell)).collect();
    let mut distinct = cells.clone();
    distinct.sort_by(Cell::order);
    distinct.dedup();
    let name = |cell: &Cell| match cell {
        Cell::Missing => cross.ausente.clone(),
        cell => cell.to_string(),
    };
    let present: Vec<String> = distinct.iter().map(name).collect();
    let declared = context.study.categories(frame_name, variable);
    let mut levels: Vec<String> = declared.iter().map(|c| c.valor.clone()).collect();
    levels.extend(present.into_iter().filter(|one| !declared.iter().any(|c| c.valor == *one)));
    Some((levels, cells.iter().map(name).collect()))
}

fn csv_of(table: &Table) -> String {
    let mut frame = Frame::new(table.rows.len());
    for (at, column) in table.columns.iter().enumerate() {
        let cells = table.rows.iter().map(|row| Cell::from(row[at].machine.as_str()));
        // Two columns may share a header; a file needs two names.
        let own = column.name();
        let taken = frame.column(&own).is_some();
        let name = if taken { format!("{own} ({})", at + 1) } else { own };
        frame.set(&name, cells);
    }
    frame.to_csv()
}
