//! Long CSV: one row per answer.

use super::cells::{Cells, too_large};
use super::{ConvertOptions, Converted};
use crate::data::{Cell, FrameOptions, FrameTable, read_frame};
use crate::diagnostics::{Diagnostic, Diagnostics, Place, code};
use std::path::Path;

/// Names of the three columns that need no declaration.
const NAMES: [&[&str]; 3] = [
    &[
        "examinee",
        "examinado",
        "persona",
        "person",
        "subject",
        "subject_id",
        "sujeto",
        "envio",
        "user_id",
        "student",
    ],
    &["item", "reactivo", "ítem", "item_id", "instance_id", "task", "question_id"],
    &["response", "respuesta", "resp", "correct", "resolved", "score", "acierto"],
];
/// Faults that are told one by one.
const LIMIT: usize = 20;

/// Whether a first line names the three columns.
pub(super) fn is_header(line: &str) -> bool {
    let names: Vec<String> = line
        .split([',', ';', '\t'])
        .map(|name| name.trim().trim_matches('"').to_lowercase())
        .collect();
    NAMES.iter().all(|known| names.iter().any(|name| known.contains(&&**name)))
}

/// Reads the file.
pub(super) fn read(path: &Path, options: &ConvertOptions) -> Result<Converted, Diagnostics> {
    let known = NAMES.iter().flat_map(|known| known.iter().map(ToString::to_string));
    let text = known.chain(options.columns.iter().flatten().cloned()).collect();
    let table = read_frame(path, &FrameOptions { text, ..FrameOptions::default() })?;
    let columns = columns(&table, options)?;
    let (mut cells, mut faults, mut n_faults) = (Cells::default(), Diagnostics::new(), 0);
    for row in 0..table.frame.n_rows() {
        if let Err(fault) = add(&mut cells, &table, columns, row) {
            n_faults += 1;
            if n_faults <= LIMIT {
                faults.push(fault);
            }
        }
    }
    if n_faults > LIMIT {
        let message = format!("y {} errores más en este archivo", n_faults - LIMIT);
        faults.push(Diagnostic::new(code::CSV, path, message));
    }
    if n_faults > 0 {
        return Err(faults);
    }
    let absent = options.absent_is_wrong.then_some(false);
    cells.finish(absent).map_err(|shape| Diagnostic::new(code::CSV, path, too_large(shape)).into())
}

/// The cells of the three columns.
fn columns<'a>(
    table: &'a FrameTable,
    options: &ConvertOptions,
) -> Result<[&'a [Cell]; 3], Diagnostic> {
    let frame = &table.frame;
    let find = |i: usize| {
        let wanted = |name: &&str| match &options.columns {
            Some(columns) => columns[i] == *name,
            None => NAMES[i].contains(&&*name.to_lowercase()),
        };
        let what = ["del examinado", "del reactivo", "de la respuesta"][i];
        frame.names().find(wanted).and_then(|name| frame.column(name)).ok_or_else(|| {
            let existing = frame.names().collect::<Vec<_>>().join(", ");
            let hint = format!(
                "existen: {existing}; nómbrelas con --columnas EXAMINADO,REACTIVO,RESPUESTA"
            );
            let message = format!("no se encuentra la columna {what}");
            Diagnostic::new(code::CSV, &*table.path, message).hint(Some(hint))
        })
    };
    Ok([find(0)?, find(1)?, find(2)?])
}

fn add(
    cells: &mut Cells,
    table: &FrameTable,
    columns: [&[Cell]; 3],
    row: usize,
) -> Result<(), Diagnostic> {
    let [examinee, item, response] = columns.map(|column| column[row].to_string());
    let fault = |kind, message: String| {
        let excerpt = format!("{examinee},{item},{response}");
        let place =
            Place::Line { path: table.path.clone(), line: table.lines[row], column: 1, excerpt };
        Diagnostic::new(kind, place, message)
    };
    if examinee.is_empty() || item.is_empty() {
        return Err(fault(code::CSV, "falta el examinado o el reactivo".into()));
    }
    let answer = match &*response {
        "" => None,
        "0" => Some(false),
        "1" => Some(true),
        _ => {
            let message = format!("la respuesta «{response}» no es 0, 1 ni dato faltante");
            return Err(fault(code::RESPONSE, message));
        }
    };
    if !cells.add(&examinee, &item, answer) {
        let message = format!("«{examinee}» responde dos veces a «{item}»");
        return Err(fault(code::DUPLICATE_NAME, message));
    }
    Ok(())
}
