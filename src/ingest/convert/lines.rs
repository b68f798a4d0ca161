//! JSON lines: one examinee per line.

use super::cells::{Cells, too_large};
use super::{ConvertOptions, Converted};
use crate::data::reading::unreadable;
use crate::diagnostics::{Diagnostic, Diagnostics, Place, code};
use crate::ingest::json::{Pairs, explain, kind};
use serde::Deserialize;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// The longest line.
const LONGEST: u64 = 256 << 20;

#[derive(Deserialize)]
struct Line {
    #[serde(alias = "examinee", alias = "subject", alias = "id")]
    subject_id: Value,
    responses: Pairs<Value>,
}

/// Reads the file.
pub(super) fn read(path: &Path, options: &ConvertOptions) -> Result<Converted, Diagnostics> {
    let unreadable = |error| unreadable(path, &error);
    let mut reader = BufReader::new(std::fs::File::open(path).map_err(unreadable)?);
    let (mut cells, mut bytes, mut number) = (Cells::default(), vec![], 0);
    loop {
        bytes.clear();
        if reader.by_ref().take(LONGEST).read_until(b'\n', &mut bytes).map_err(unreadable)? == 0 {
            break;
        }
        number += 1;
        let line = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes).trim_ascii();
        if line.is_empty() {
            continue;
        }
        add(&mut cells, line).map_err(|message| {
            let excerpt = String::from_utf8_lossy(&line[..line.len().min(60)]).into_owned();
            let place = Place::Line { path: path.into(), line: number, column: 1, excerpt };
            Diagnostic::new(code::RESPONSE, place, message)
        })?;
    }
    let absent = options.absent_is_wrong.then_some(false);
    cells.finish(absent).map_err(|shape| Diagnostic::new(code::CSV, path, too_large(shape)).into())
}

fn add(cells: &mut Cells, line: &[u8]) -> Result<(), String> {
    let line: Line = serde_json::from_slice(line).map_err(|error| explain(&error))?;
    let examinee = match line.subject_id {
        Value::String(text) if !text.trim().is_empty() => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        other => return Err(format!("subject_id es {}, no un identificador", kind(&other))),
    };
    if !cells.add_examinee(&examinee) {
        return Err(format!("«{examinee}» aparece dos veces"));
    }
    for (item, value) in &line.responses.0 {
        let answer = answer(value)
            .ok_or_else(|| format!("la respuesta a «{item}» es {value}: no es 0, 1 ni null"))?;
        if !cells.add(&examinee, item.trim(), answer) {
            return Err(format!("«{examinee}» responde dos veces a «{item}»"));
        }
    }
    Ok(())
}

/// 0, 1, false, true or null.
pub(super) fn answer(value: &Value) -> Option<Option<bool>> {
    match value {
        Value::Null => Some(None),
        Value::Bool(right) => Some(Some(*right)),
        Value::Number(number) => match number.as_f64() {
            Some(0.0) => Some(Some(false)),
            Some(1.0) => Some(Some(true)),
            _ => None,
        },
        _ => None,
    }
}
