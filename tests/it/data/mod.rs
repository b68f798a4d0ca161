//! Reading data: what is accepted, and how each fault is told.

mod any_bytes;
mod frames;
mod literature;
mod matrices;
mod provenance;

use escritura::data::{
    FrameOptions, FrameTable, Names, ReadOptions, ResponseTable, read_frame, read_responses,
};
use escritura::diagnostics::{Diagnostic, Diagnostics};
use std::path::PathBuf;

struct Temporary {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

fn file(bytes: impl AsRef<[u8]>) -> Temporary {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("datos.csv");
    std::fs::write(&path, bytes).unwrap();
    Temporary { _folder: folder, path }
}

fn read(bytes: impl AsRef<[u8]>) -> Result<ResponseTable, Diagnostics> {
    read_responses(&file(bytes).path, &ReadOptions::default())
}

fn frame(bytes: impl AsRef<[u8]>) -> Result<FrameTable, Diagnostics> {
    read_frame(&file(bytes).path, &FrameOptions::default())
}

fn faults(bytes: impl AsRef<[u8]>) -> Vec<Diagnostic> {
    read(bytes).unwrap_err().into_iter().collect()
}

/// The only fault: its code, line, column, and everything it says.
fn fault(bytes: impl AsRef<[u8]>) -> (&'static str, usize, usize, String) {
    let all = faults(bytes);
    assert_eq!(all.len(), 1, "{all:#?}");
    let (_, line, column) = all[0].place.order();
    (all[0].code.name, line, column, text(&all[0]))
}

fn text(one: &Diagnostic) -> String {
    format!("{} {} {}", one.message, one.notes.join(" "), one.hint.as_deref().unwrap_or_default())
}

/// Names and cells: what must not depend on how the file is written.
fn content(table: &ResponseTable) -> (Vec<String>, Vec<String>, Vec<Vec<Option<bool>>>) {
    let texts = |names: &Names| names.iter().map(String::from).collect();
    let row = |i| (0..table.items.len()).map(|j| table.responses.get(i, j)).collect();
    let rows = (0..table.examinees.len()).map(row).collect();
    (texts(&table.examinees), texts(&table.items), rows)
}
