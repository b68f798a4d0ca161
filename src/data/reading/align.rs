//! Matching the metadata with the rows of the matrix.

use super::{FrameTable, ResponseTable};
use crate::data::{Cell, Frame, Names};
use crate::diagnostics::{Diagnostic, Diagnostics, Place, code, did_you_mean};
use std::collections::BTreeSet;

/// Names that a message lists before it says "y N más".
const SHOWN: usize = 5;

/// The metadata of the matrix's examinees: the rows of `metadata` whose `included`
/// column has the given value (all of them when there is no such column), which
/// must be the examinees of the matrix, in the same order.
///
/// # Errors
/// The identifier column does not exist, or the identifiers differ: the first
/// difference with both lines, who is only on one side, or that only the order
/// differs.
pub fn align(
    matrix: &ResponseTable,
    metadata: &FrameTable,
    id_column: &str,
    included: Option<(&str, &str)>,
) -> Result<Frame, Diagnostics> {
    let frame = &metadata.frame;
    let Some(ids) = frame.column(id_column) else {
        let message = format!("los metadatos no tienen la columna «{id_column}»");
        return Err(Diagnostic::new(code::MISMATCH, &*metadata.path, message)
            .hint(did_you_mean(id_column, frame.names()))
            .into());
    };
    let is_included = |row: &usize| match included {
        Some((column, value)) => frame.cell(*row, column).is_none_or(|cell| shows(cell, value)),
        None => true,
    };
    let rows: Vec<usize> = (0..frame.n_rows()).filter(is_included).collect();
    let found: Names = rows.iter().map(|&row| ids[row].to_string()).collect();
    if found == matrix.examinees {
        return Ok(frame.select(&rows));
    }
    let lines: Vec<usize> = rows.iter().map(|&row| metadata.lines[row]).collect();
    let excluded = (0..frame.n_rows()).filter(|row| !is_included(row));
    let excluded: BTreeSet<String> = excluded.map(|row| ids[row].to_string()).collect();
    Err(explain(matrix, metadata, &found, &lines, &excluded).into())
}

fn shows(cell: &Cell, value: &str) -> bool {
    cell.to_string() == value
}

fn explain(
    matrix: &ResponseTable,
    metadata: &FrameTable,
    found: &Names,
    lines: &[usize],
    excluded: &BTreeSet<String>,
) -> Diagnostic {
    let row = (0..).find(|&i| matrix.examinees.get(i) != found.get(i)).unwrap_or(0);
    let (here, there) = (matrix.examinees.get(row), found.get(row));
    let quoted = |id: Option<&str>| id.map_or("nadie más".into(), |id| format!("«{id}»"));
    let message = format!(
        "la matriz y los metadatos difieren desde el examinado {}: {} frente a {}",
        row + 1,
        quoted(here),
        quoted(there)
    );
    let place = match matrix.lines.get(row) {
        Some(&line) => Place::Line {
            path: matrix.path.clone(),
            line,
            column: 1,
            excerpt: here.unwrap_or_default().into(),
        },
        None => Place::File(matrix.path.clone()),
    };
    let in_matrix: BTreeSet<&str> = matrix.examinees.iter().collect();
    let in_metadata: BTreeSet<&str> = found.iter().collect();
    let mut diagnostic = Diagnostic::new(code::MISMATCH, place, message);
    if let Some(line) = lines.get(row) {
        let file = metadata.path.file_name().unwrap_or_default().to_string_lossy();
        diagnostic = diagnostic.note(format!("en {file}:{line}: {}", quoted(there)));
    }
    if let Some((first, again)) = found.repeated().next() {
        diagnostic = diagnostic.note(format!(
            "los metadatos repiten a «{}» en las líneas {} y {}",
            &found[again], lines[first], lines[again]
        ));
    }
    let only = |a: &BTreeSet<&str>, b: &BTreeSet<&str>, place: &str| {
        let names: Vec<&str> = a.difference(b).copied().collect();
        (!names.is_empty()).then(|| format!("solo en {place}: {}", list(&names)))
    };
    let lonely = [
        only(&in_matrix, &in_metadata, "la matriz"),
        only(&in_metadata, &in_matrix, "los metadatos"),
    ];
    let hint = if here.is_some_and(|id| excluded.contains(id)) {
        Some("ese examinado está en los metadatos, pero excluido".into())
    } else if in_matrix == in_metadata && found.len() == matrix.examinees.len() {
        Some("son los mismos examinados en otro orden: ordene ambos archivos igual".into())
    } else {
        None
    };
    lonely.into_iter().flatten().fold(diagnostic, Diagnostic::note).hint(hint)
}

fn list(names: &[&str]) -> String {
    let shown = names.iter().take(SHOWN).map(|name| format!("«{name}»"));
    let mut text = shown.collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        text += &format!(" y {} más", names.len() - SHOWN);
    }
    text
}
