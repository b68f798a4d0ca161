//! Verifying a data folder, and describing it.

use super::{messages, put, read};
use crate::support::shared;
use escritura::data::provenance::Kind;
use escritura::diagnostics::{Diagnostics, Severity};
use escritura::ingest::{Description, check_folder, describe};
use escritura::simulate::{SEED, write_demonstration};
use std::path::Path;
use tempfile::TempDir;

const MATRIX: &str = "respuestas_sim.csv";
const METADATA: &str = "envios_sim.csv";

/// A folder in which everything agrees, without provenance.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    put(
        folder.path(),
        &[
            (MATRIX, "envio,a,b\nx,1,0\ny,1,1\n"),
            (
                METADATA,
                "envio,fecha,intentos,pct_declarado,total,n_sin_parche,incluido,motivo_exclusion\n\
                 x,2024-01-02,1,50.0,1,1,1,\ny,2024-01-03,2+,100,2,0,1,\nz,,,,,,0,sin datos\n",
            ),
            ("entorno_sim.csv", "envio,httpbin_5xx\nx,1\n"),
        ],
    );
    folder
}

fn described() -> TempDir {
    let folder = folder();
    let said = Description {
        kind: Some(Kind::Real),
        origin: Some("sim".into()),
        commit: Some("0123".into()),
        ..Description::default()
    };
    assert_eq!(describe(folder.path(), &said), Ok(false));
    folder
}

fn check(folder: &Path) -> Diagnostics {
    let mut found = Diagnostics::new();
    check_folder(folder, &mut found);
    found
}

#[test]
fn a_described_folder_verifies_and_tells_its_shapes() {
    let folder = described();
    let mut found = Diagnostics::new();
    let shapes = check_folder(folder.path(), &mut found);
    assert!(found.is_empty(), "{found:#?}");
    assert_eq!((shapes[MATRIX].rows, shapes[MATRIX].columns, shapes.len()), (2, 2, 3));
    assert!(read(folder.path().join("procedencia.yaml")).contains("2024-01-03"), "the last day");
}

#[test]
fn simulated_and_reference_data_verify() {
    let folder = tempfile::tempdir().unwrap();
    write_demonstration(SEED, folder.path()).unwrap();
    assert!(check(folder.path()).is_empty());
    let Some(file) = shared("datos/procedencia.yaml") else { return };
    let found = check(file.parent().unwrap());
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn each_disagreement_names_its_line() {
    for (file, from, to, line, says) in [
        (MATRIX, "x,1,0", "x,2,0", 2, "«2»"),
        (MATRIX, "y,1,1", "w,1,1", 3, "«w»"),
        (METADATA, "50.0,1,1", "60,1,1", 2, "50.0% por ítem frente a 60.0% declarado"),
        (METADATA, "50.0,1,1", "50,2,0", 2, "total dice 2 y la matriz tiene 1"),
        (METADATA, "50.0,1,1", "50,1,2", 2, "suman más de 2"),
        (METADATA, "50.0,1,1", "150,1,1", 2, "un porcentaje entre 0 y 100"),
        (METADATA, "2024-01-02", "ayer", 2, "AAAA-MM-DD"),
        (METADATA, "2+", "3", 3, "1, 2+ o nada"),
        (METADATA, "2,0,1,", "2,0,1,porque sí", 3, "tiene motivo de exclusión"),
        (METADATA, "0,sin datos", "0,", 4, "excluido sin motivo"),
        (METADATA, "z,", "y,", 4, "aparece dos veces"),
        ("entorno_sim.csv", "x,1", "x,7", 2, "0, 1 o nada"),
        ("entorno_sim.csv", "x,1", "w,1", 2, "«w» no está en los metadatos"),
    ] {
        let folder = folder();
        let text = read(folder.path().join(file)).replacen(from, to, 1);
        put(folder.path(), &[(file, &text)]);
        let found = check(folder.path());
        let named = found
            .iter()
            .filter(|one| one.severity == Severity::Error && one.place.order().1 == line)
            .any(|one| super::text(one).contains(says));
        assert!(named, "{says}: {found:#?}");
        assert!(describe(folder.path(), &Description::default()).is_err(), "nothing is described");
    }
}

#[test]
fn a_first_description_asks_for_what_cannot_be_known() {
    let folder = folder();
    let found = describe(folder.path(), &Description::default()).unwrap_err();
    assert!(messages(&found)[0].contains("--tipo"));
    assert!(!folder.path().join("procedencia.yaml").exists());
}

#[test]
fn renewing_keeps_the_story_only_while_the_files_are_the_same() {
    let folder = described();
    put(folder.path(), &[("otro.csv", "a\n1\n")]);
    assert_eq!(describe(folder.path(), &Description::default()), Ok(false));
    assert!(read(folder.path().join("procedencia.yaml")).contains("0123"));
    put(folder.path(), &[("entorno_sim.csv", "envio,httpbin_5xx\nx,0\n")]);
    assert!(check(folder.path()).has_errors());
    assert_eq!(describe(folder.path(), &Description::default()), Ok(true));
    assert!(!read(folder.path().join("procedencia.yaml")).contains("0123"), "not that commit's");
    assert!(check(folder.path()).is_empty());
}

#[test]
fn a_broken_description_is_replaced_only_by_a_whole_one() {
    let folder = folder();
    put(folder.path(), &[("procedencia.yaml", "tipo: [\n")]);
    let kind = Description { kind: Some(Kind::Simulado), ..Description::default() };
    assert!(describe(folder.path(), &kind).is_err());
    let whole = Description { origin: Some("sim".into()), ..kind };
    assert_eq!(describe(folder.path(), &whole), Ok(false));
    assert!(check(folder.path()).is_empty());
}

#[test]
fn a_folder_without_data_is_an_error() {
    let empty = tempfile::tempdir().unwrap();
    assert!(check(empty.path()).has_errors());
    assert!(check(&empty.path().join("no")).has_errors());
}
