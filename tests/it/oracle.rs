//! Reading the reference matrices and results, and comparing with them.

use std::collections::HashMap;

use escritura::data::Responses;
use serde_json::Value;

use crate::support::shared;

/// A CSV of the reference data as response matrix, with the item names; the first
/// column may be an identifier.
pub fn matrix(file: &str, with_id: bool) -> Option<(Responses, Vec<String>)> {
    let mut reader = csv::Reader::from_path(shared(file)?).unwrap();
    let skip = usize::from(with_id);
    let names: Vec<String> =
        reader.headers().unwrap().iter().skip(skip).map(String::from).collect();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let cell = |i: usize, j: usize| match &rows[i][j + skip] {
        "0" => Some(false),
        "1" => Some(true),
        "" | "NA" => None,
        other => panic!("unexpected answer {other}"),
    };
    Some((Responses::from_fn(rows.len(), names.len(), cell), names))
}

/// One of the oracle's own matrices (`LSAT7`, `LSAT7_na`, `swe60`).
pub fn oracle_matrix(name: &str) -> Option<(Responses, Vec<String>)> {
    matrix(&format!("oraculo/{name}.csv"), false)
}

/// The matrix of the flagship chapter.
pub fn real_matrix() -> Option<(Responses, Vec<String>)> {
    matrix("datos/respuestas_swebench_verified.csv", true)
}

/// The rows of a CSV, by column name.
pub fn csv(file: &str) -> Option<Vec<HashMap<String, String>>> {
    let mut reader = csv::Reader::from_path(shared(file)?).unwrap();
    Some(reader.deserialize().map(Result::unwrap).collect())
}

/// A JSON file of the reference data.
pub fn json(file: &str) -> Option<Value> {
    let text = std::fs::read_to_string(shared(file)?).unwrap();
    Some(serde_json::from_str(&text).unwrap())
}

pub fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

pub fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(number).collect()
}

#[track_caller]
pub fn assert_close(ours: f64, reference: f64, tolerance: f64) {
    let difference = (ours - reference).abs();
    assert!(difference <= tolerance, "{ours} against {reference}: off by {difference:e}");
}

#[track_caller]
pub fn assert_all_close(ours: &[f64], reference: &[f64], tolerance: f64) {
    assert_eq!(ours.len(), reference.len());
    for (i, (a, b)) in ours.iter().zip(reference).enumerate() {
        let difference = (a - b).abs();
        assert!(difference <= tolerance, "at {i}: {a} against {b}, off by {difference:e}");
    }
}
