//! Where data come from, and whether they are still those.

use super::text;
use crate::support::shared;
use escritura::data::digest;
use escritura::data::provenance::{FILE_NAME, Kind, Provenance, digests, verify};
use escritura::diagnostics::{Diagnostic, Diagnostics, Severity};
use std::path::Path;
use tempfile::TempDir;

const DATA: &[u8] = b"id,a\nx,1\n";

fn folder(yaml: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.csv"), DATA).unwrap();
    std::fs::write(folder.path().join(FILE_NAME), yaml).unwrap();
    folder
}

fn yaml(sha256: &str) -> String {
    format!("tipo: real\nfuente: x\nfecha: 2024-05-06\narchivos:\n  a.csv:\n    sha256: {sha256}\n")
}

fn check(folder: &Path) -> (Option<Provenance>, Vec<Diagnostic>) {
    let mut found = Diagnostics::new();
    let provenance = verify(folder, &mut found);
    (provenance, found.into_iter().collect())
}

fn fault(yaml: &str) -> (usize, String) {
    let (_, found) = check(folder(yaml).path());
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0].severity, Severity::Error);
    (found[0].place.order().1, text(&found[0]))
}

#[test]
fn data_that_are_those_described_pass() {
    let (provenance, found) = check(folder(&yaml(&digest::of_bytes(DATA))).path());
    assert!(found.is_empty(), "{found:#?}");
    assert_eq!(provenance.unwrap().kind, Kind::Real);
}

#[test]
fn a_changed_file_is_named_with_both_digests() {
    let other = "0".repeat(64);
    let (line, said) = fault(&yaml(&other));
    assert_eq!(line, 6);
    for part in ["«a.csv»", &other, &digest::of_bytes(DATA)] {
        assert!(said.contains(part), "{said}");
    }
}

#[test]
fn changed_line_ends_are_told_apart_from_changed_data() {
    let folder = folder(&yaml(&digest::of_bytes(DATA)));
    std::fs::write(folder.path().join("a.csv"), b"id,a\r\nx,1\r\n").unwrap();
    let (_, found) = check(folder.path());
    assert!(text(&found[0]).contains("finales de línea"));
}

#[test]
fn a_folder_without_provenance_is_a_warning_and_no_folder_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let (provenance, found) = check(folder.path());
    assert_eq!((provenance, found[0].severity), (None, Severity::Warning));
    let (_, found) = check(&folder.path().join("no"));
    assert_eq!(found[0].severity, Severity::Error);
}

#[test]
fn a_file_that_the_provenance_does_not_name_is_a_warning() {
    let folder = folder(&yaml(&digest::of_bytes(DATA)));
    std::fs::write(folder.path().join("b.csv"), DATA).unwrap();
    let (_, found) = check(folder.path());
    assert_eq!((found.len(), found[0].severity), (1, Severity::Warning));
    assert!(found[0].message.contains("«b.csv»"));
}

#[test]
fn faults_of_the_description_are_located() {
    let good = yaml(&digest::of_bytes(DATA));
    for (yaml, line, says) in [
        (good.replace("tipo: real", "tipo: inventado"), 1, "«inventado»"),
        (good.replace("fuente", "fuentes"), 2, "«fuente»"),
        (good.replace("2024-05-06", "ayer"), 3, "«ayer»"),
        (good.replace("2024-05-06", "2024-02-30"), 3, "AAAA-MM-DD"),
        (yaml("abc"), 6, "64 cifras"),
        (good.replace("  a.csv", "  ../a.csv"), 6, "de esta carpeta"),
        (good.replace("  a.csv", "  /etc/passwd"), 6, "de esta carpeta"),
    ] {
        let (_, found) = check(folder(&yaml).path());
        let first = found.iter().find(|one| one.severity == Severity::Error).expect(says);
        assert_eq!(first.place.order().1, line, "{says}: {found:#?}");
        assert!(text(first).contains(says), "{}", text(first));
    }
    let (_, found) = check(folder(&good.replace("a.csv", "falta.csv")).path());
    assert!(found[0].message.contains("no existe"), "{found:#?}");
}

#[test]
fn what_is_written_is_what_is_read() {
    let folder = folder("");
    let written = Provenance {
        kind: Kind::Simulado,
        origin: "modelo: «2PL» # no es comentario\nsegunda línea".into(),
        commit: Some("0123456".into()),
        date: "2026-10-25".parse().unwrap(),
        tool: Some("null".into()),
        seed: Some(20261025),
        note: Some("sí: 'todo' \"esto\"".into()),
        counts: [("carpetas".into(), 165)].into(),
        files: digests(folder.path()).unwrap(),
    };
    written.write(folder.path()).unwrap();
    let (read, found) = check(folder.path());
    assert!(found.is_empty(), "{found:#?}");
    assert_eq!(read.unwrap(), written);
}

#[test]
fn the_reference_data_are_those_described() {
    let Some(file) = shared("datos/procedencia.yaml") else { return };
    let (provenance, found) = check(file.parent().unwrap());
    assert!(found.is_empty(), "{found:#?}");
    let provenance = provenance.unwrap();
    assert_eq!((provenance.kind, provenance.files.len()), (Kind::Real, 2));
    assert_eq!((provenance.commit, provenance.tool), (None, None));
}
