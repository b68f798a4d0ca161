//! Whether a data folder is what it says: hashes, shape, domain, agreement.

use super::prepare::TOLERANCE;
use crate::data::provenance::{self, Kind, Provenance};
use crate::data::{
    Cell, FrameOptions, FrameTable, ReadOptions, ResponseTable, align, read_frame, read_responses,
};
use crate::diagnostics::{Diagnostic, Diagnostics, Place, code};
use jiff::civil::Date;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Columns that hold 0, 1 or nothing.
const FLAGS: [&str; 6] = [
    "mini_swe_agent",
    "incluido",
    "pylint7277_f2p_ok",
    "pylint7277_resuelto",
    "httpbin_5xx",
    "menos_2_cpu",
];
/// Columns that hold `1`, `2+` or nothing.
const AMOUNTS: [&str; 2] = ["intentos", "pylint7277_nucleos"];

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Examinees or rows.
    pub rows: usize,
    /// Items or columns.
    pub columns: usize,
    /// Whether it is a response matrix.
    pub is_matrix: bool,
}

/// Checks a folder: everything wrong goes to `found`. The shapes are those of the
/// files that could be read, by name.
pub fn check_folder(folder: &Path, found: &mut Diagnostics) -> BTreeMap<String, Shape> {
    provenance::verify(folder, found);
    check_data(folder, found)
}

fn check_data(folder: &Path, found: &mut Diagnostics) -> BTreeMap<String, Shape> {
    let names = match provenance::digests(folder) {
        Ok(digests) => digests.into_keys(),
        Err(fault) => {
            found.push(fault);
            return BTreeMap::new();
        }
    };
    let (mut matrices, mut frames) = (BTreeMap::new(), BTreeMap::new());
    for name in names {
        let path = folder.join(&name);
        if name.starts_with("respuestas") {
            let read = read_responses(&path, &ReadOptions::default());
            matrices.extend(found.check_all(read).map(|table| (name, table)));
        } else {
            frames.extend(found.check_all(read_frame(&path, &texts())).map(|table| (name, table)));
        }
    }
    if matrices.is_empty() && frames.is_empty() && !found.has_errors() {
        found.push(Diagnostic::new(code::FILE, folder, "la carpeta no tiene archivos CSV"));
    }
    frames.values().for_each(|table| domain(table, found));
    for (name, matrix) in &matrices {
        let of = |kind: &str| frames.get(&name.replacen("respuestas", kind, 1));
        if let Some(metadata) = of("envios") {
            agreement(matrix, metadata, found);
        }
        if let (Some(metadata), Some(environment)) = (of("envios"), of("entorno")) {
            known_submissions(environment, metadata, found);
        }
    }
    let matrix = |(name, t): (String, ResponseTable)| {
        let (rows, columns) = (t.examinees.len(), t.items.len());
        (name, Shape { rows, columns, is_matrix: true })
    };
    let frame = |(name, t): (String, FrameTable)| {
        let (rows, columns) = (t.frame.n_rows(), t.frame.columns().len());
        (name, Shape { rows, columns, is_matrix: false })
    };
    matrices.into_iter().map(matrix).chain(frames.into_iter().map(frame)).collect()
}

fn texts() -> FrameOptions {
    let mut text: BTreeSet<String> = AMOUNTS.map(String::from).into();
    text.insert("envio".into());
    FrameOptions { text, ..FrameOptions::default() }
}

/// A fault of a row of a frame.
fn fault(table: &FrameTable, row: usize, message: String) -> Diagnostic {
    let excerpt = table.frame.columns().first().map(|c| c.cells[row].to_string());
    let place = Place::Line {
        path: table.path.clone(),
        line: table.lines[row],
        column: 1,
        excerpt: excerpt.unwrap_or_default(),
    };
    Diagnostic::new(code::MISMATCH, place, message)
}

/// Cells of known columns hold what they may.
fn domain(table: &FrameTable, found: &mut Diagnostics) {
    for column in table.frame.columns() {
        let name = &*column.name;
        let (fits, expected): (fn(&Cell) -> bool, &str) = match name {
            _ if FLAGS.contains(&name) => {
                (|cell| matches!(cell, Cell::Integer(0 | 1)), "0, 1 o nada")
            }
            _ if AMOUNTS.contains(&name) => {
                (|cell| matches!(&*cell.to_string(), "1" | "2+"), "1, 2+ o nada")
            }
            "fecha" => (|cell| matches!(cell, Cell::Date(_)), "una fecha AAAA-MM-DD"),
            "pct_declarado" => {
                let is_percentage =
                    |cell: &Cell| cell.as_f64().is_some_and(|value| (0.0..=100.0).contains(&value));
                (is_percentage, "un porcentaje entre 0 y 100")
            }
            "total" | "n_sin_parche" => {
                (|cell| matches!(cell, Cell::Integer(0..)), "un número de reactivos")
            }
            _ => continue,
        };
        for (row, cell) in column.cells.iter().enumerate() {
            if !cell.is_missing() && !fits(cell) {
                let message = format!("«{cell}» no es lo que admite «{name}»: {expected}");
                found.push(fault(table, row, message));
            }
        }
    }
    repeated(table, found);
}

fn repeated(table: &FrameTable, found: &mut Diagnostics) {
    let Some(ids) = table.frame.column("envio") else { return };
    let mut seen = BTreeSet::new();
    for (row, id) in ids.iter().enumerate() {
        if id.is_missing() {
            found.push(fault(table, row, "la fila no dice de qué envío es".into()));
        } else if !seen.insert(id.to_string()) {
            let mut twice = fault(table, row, format!("el envío «{id}» aparece dos veces"));
            (twice.code, twice.severity) = (code::DUPLICATE_NAME, code::DUPLICATE_NAME.severity);
            found.push(twice);
        }
    }
}

/// The matrix holds the included submissions, and their results are those told.
fn agreement(matrix: &ResponseTable, metadata: &FrameTable, found: &mut Diagnostics) {
    let frame = &metadata.frame;
    let aligned = align(matrix, metadata, "envio", Some(("incluido", "1")));
    if found.check_all(aligned).is_none() {
        return;
    }
    let has = |row: usize, name: &str| frame.cell(row, name).filter(|cell| !cell.is_missing());
    let totals = matrix.responses.totals();
    let mut position = 0;
    for row in 0..frame.n_rows() {
        let included = frame.cell(row, "incluido").is_none_or(|cell| *cell == Cell::Integer(1));
        let reason = has(row, "motivo_exclusion");
        if included {
            let total = totals[position] as usize;
            result(metadata, row, total, matrix.items.len(), found);
            position += 1;
        }
        if included && let Some(reason) = reason {
            let message = format!("está incluido y tiene motivo de exclusión: {reason}");
            found.push(fault(metadata, row, message));
        }
        if !included && reason.is_none() && frame.column("motivo_exclusion").is_some() {
            found.push(fault(metadata, row, "está excluido sin motivo".into()));
        }
    }
}

/// Total, percentage and items without patch of an included submission.
fn result(
    metadata: &FrameTable,
    row: usize,
    total: usize,
    n_items: usize,
    found: &mut Diagnostics,
) {
    let number = |name: &str| metadata.frame.cell(row, name).and_then(Cell::as_f64);
    if let Some(told) = number("total")
        && told != total as f64
    {
        let message = format!("total dice {told} y la matriz tiene {total}");
        found.push(fault(metadata, row, message));
    }
    let counted = 100.0 * total as f64 / n_items as f64;
    if let Some(declared) = number("pct_declarado")
        && (declared - counted).abs() > TOLERANCE
    {
        let message = format!("{counted:.1}% por ítem frente a {declared:.1}% declarado");
        found.push(fault(metadata, row, message));
    }
    if let Some(without) = number("n_sin_parche")
        && without + total as f64 > n_items as f64
    {
        let message =
            format!("{without} reactivos sin parche y {total} resueltos suman más de {n_items}");
        found.push(fault(metadata, row, message));
    }
}

fn known_submissions(environment: &FrameTable, metadata: &FrameTable, found: &mut Diagnostics) {
    let ids = |table: &FrameTable| -> Vec<String> {
        table.frame.column("envio").unwrap_or_default().iter().map(Cell::to_string).collect()
    };
    let known: BTreeSet<String> = ids(metadata).into_iter().collect();
    for (row, id) in ids(environment).iter().enumerate() {
        if !known.contains(id) {
            found.push(fault(
                environment,
                row,
                format!("el envío «{id}» no está en los metadatos"),
            ));
        }
    }
}

/// What a person says of a folder; what is not said stays as it was.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Description {
    /// Simulated or real.
    pub kind: Option<Kind>,
    /// The source, for readers.
    pub origin: Option<String>,
    /// The day of the data; without it, the last one in a column `fecha`.
    pub date: Option<Date>,
    /// Commit of the source.
    pub commit: Option<String>,
    /// Anything else.
    pub note: Option<String>,
}

/// Makes or renews `procedencia.yaml`. When a file that it named has changed, what
/// it said of its making (tool, seed, commit, counts) is no longer true and goes,
/// unless said again. Returns whether that happened.
///
/// # Errors
/// The data have faults, or the kind, the source or the date of a new description
/// are not said: nothing is written then.
pub fn describe(folder: &Path, said: &Description) -> Result<bool, Diagnostics> {
    let mut found = Diagnostics::new();
    check_data(folder, &mut found);
    if found.has_errors() {
        return Err(found);
    }
    let files = provenance::digests(folder)?;
    let exists = folder.join(provenance::FILE_NAME).is_file();
    let old = exists.then(|| provenance::verify(folder, &mut found)).flatten();
    let changed = old
        .as_ref()
        .is_some_and(|old| old.files.iter().any(|(name, digest)| files.get(name) != Some(digest)));
    let kept = old.clone().filter(|_| !changed);
    let missing = |what: &str, option: &str| {
        let message = format!("{} no dice {what}", provenance::FILE_NAME);
        let hint = format!("dígalo con {option}");
        let fault = Diagnostic::new(code::PROVENANCE, folder, message).hint(Some(hint));
        // Why the old description could not be read, when there was one.
        found.iter().cloned().chain([fault]).collect::<Diagnostics>()
    };
    let date = said.date.or_else(|| last_date(folder)).or(old.as_ref().map(|old| old.date));
    let new = Provenance {
        kind: said
            .kind
            .or(old.as_ref().map(|old| old.kind))
            .ok_or_else(|| missing("si los datos son reales", "--tipo real o --tipo simulado"))?,
        origin: said
            .origin
            .clone()
            .or(old.as_ref().map(|old| old.origin.clone()))
            .ok_or_else(|| missing("de dónde vienen", "--fuente TEXTO"))?,
        date: date.ok_or_else(|| missing("la fecha", "--fecha AAAA-MM-DD"))?,
        commit: said.commit.clone().or(kept.as_ref().and_then(|old| old.commit.clone())),
        tool: kept.as_ref().and_then(|old| old.tool.clone()),
        seed: kept.as_ref().and_then(|old| old.seed),
        note: said.note.clone().or(old.and_then(|old| old.note)),
        counts: kept.map(|old| old.counts).unwrap_or_default(),
        files,
    };
    new.write(folder)?;
    Ok(changed)
}

/// The last day in the folder's columns `fecha`.
fn last_date(folder: &Path) -> Option<Date> {
    let names = provenance::digests(folder).ok()?.into_keys();
    let frames = names
        .filter(|name| !name.starts_with("respuestas"))
        .filter_map(|name| Some(read_frame(&folder.join(name), &texts()).ok()?.frame));
    let last = |frame: crate::data::Frame| {
        let dates = frame.column("fecha")?.iter().filter_map(|cell| match cell {
            Cell::Date(date) => Some(*date),
            _ => None,
        });
        dates.max()
    };
    frames.filter_map(last).max()
}
