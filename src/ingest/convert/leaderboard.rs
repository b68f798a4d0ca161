//! A leaderboard's JSON: somewhere in it, objects with `per_instance_details`.

use super::cells::{Cells, too_large};
use super::lines::answer;
use super::{ConvertOptions, Converted};
use crate::data::reading::unreadable;
use crate::diagnostics::{Diagnostic, Diagnostics, code, did_you_mean};
use crate::ingest::json::{explain, kind};
use serde_json::{Map, Value};
use std::io::Read;
use std::path::Path;

/// The longest file.
const LONGEST: u64 = 1 << 30;
const DETAILS: &str = "per_instance_details";
/// What names an examinee, the most particular first.
const IDS: [&str; 4] = ["folder", "submission", "id", "name"];

/// An object with details, and the leaderboard it stands in.
struct Entry<'a> {
    board: Option<&'a str>,
    object: &'a Map<String, Value>,
}

/// Reads the file.
pub(super) fn read(path: &Path, options: &ConvertOptions) -> Result<Converted, Diagnostics> {
    let fault = |kind, message: String| Diagnostics::from(Diagnostic::new(kind, path, message));
    let mut bytes = vec![];
    let file = std::fs::File::open(path).map_err(|error| unreadable(path, &error))?;
    file.take(LONGEST + 1).read_to_end(&mut bytes).map_err(|error| unreadable(path, &error))?;
    if bytes.len() as u64 > LONGEST {
        return Err(fault(code::FILE, format!("el archivo supera {} MiB", LONGEST >> 20)));
    }
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let whole: Value =
        serde_json::from_slice(text).map_err(|error| fault(code::FILE, explain(&error)))?;
    let mut entries = vec![];
    collect(&whole, None, &mut entries);
    let entries = chosen(path, entries, options)?;
    let mut cells = Cells::default();
    for entry in &entries {
        add(&mut cells, entry).map_err(|message| fault(code::RESPONSE, message))?;
    }
    cells
        .finish(options.absent_is_wrong.then_some(false))
        .map_err(|shape| fault(code::CSV, too_large(shape)))
}

/// serde_json limits the depth of what it reads, and with it this recursion.
fn collect<'a>(value: &'a Value, board: Option<&'a str>, entries: &mut Vec<Entry<'a>>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| collect(value, board, entries)),
        Value::Object(object) if object.get(DETAILS).is_some_and(Value::is_object) => {
            entries.push(Entry { board, object });
        }
        Value::Object(object) => {
            let board = object.get("name").and_then(Value::as_str).or(board);
            object.values().for_each(|value| collect(value, board, entries));
        }
        _ => {}
    }
}

fn chosen<'a>(
    path: &Path,
    entries: Vec<Entry<'a>>,
    options: &ConvertOptions,
) -> Result<Vec<Entry<'a>>, Diagnostic> {
    if entries.is_empty() {
        let message = format!("ningún objeto del archivo tiene {DETAILS}");
        return Err(Diagnostic::new(code::CSV, path, message));
    }
    let mut boards: Vec<&str> = entries.iter().filter_map(|entry| entry.board).collect();
    boards.dedup();
    match &options.board {
        Some(wanted) if boards.contains(&&**wanted) => {
            Ok(entries.into_iter().filter(|entry| entry.board == Some(wanted)).collect())
        }
        Some(wanted) => {
            let message = format!("no existe el tablero «{wanted}» con resultados por reactivo");
            Err(Diagnostic::new(code::CSV, path, message).hint(did_you_mean(wanted, boards)))
        }
        None if boards.len() > 1 => {
            let message = format!("el archivo tiene {} tableros", boards.len());
            let hint = format!("elija uno con --tablero: {}", boards.join(", "));
            Err(Diagnostic::new(code::CSV, path, message).hint(Some(hint)))
        }
        None => Ok(entries),
    }
}

fn add(cells: &mut Cells, entry: &Entry) -> Result<(), String> {
    let id = IDS.iter().find_map(|key| entry.object.get(*key)?.as_str()).map(str::trim);
    let id = id.filter(|id| !id.is_empty()).ok_or_else(|| {
        format!("un objeto con {DETAILS} no dice de quién es ({})", IDS.join(", "))
    })?;
    if !cells.add_examinee(id) {
        return Err(format!("«{id}» aparece dos veces"));
    }
    let details = entry.object.get(DETAILS).and_then(Value::as_object);
    for (item, detail) in details.into_iter().flatten() {
        let value = detail.get("resolved").unwrap_or(detail);
        let answer = answer(value)
            .ok_or_else(|| format!("«{id}», {item}: se esperaba 0 o 1 y es {}", kind(value)))?;
        cells.add(id, item.trim(), answer);
    }
    Ok(())
}
