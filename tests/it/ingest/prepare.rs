//! A clone becomes CSV files.

use super::{copy, messages, put, read};
use crate::support::shared;
use escritura::data::provenance::{Kind, verify};
use escritura::diagnostics::{Diagnostic, Diagnostics, Severity};
use escritura::ingest::{PrepareOptions, Prepared, Split, check_folder, prepare};
use std::path::Path;
use tempfile::TempDir;

const FIXTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/clon");
const EXPECTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/clon_esperado");
const FILES: [&str; 3] =
    ["respuestas_swebench_verified.csv", "envios_swebench_verified.csv", "procedencia.yaml"];

fn options(clone: &Path, destination: &Path, n_items: Option<usize>) -> PrepareOptions {
    PrepareOptions {
        clone: clone.into(),
        destination: destination.into(),
        split: Split::Verified,
        n_items,
        near: 10,
    }
}

fn run(
    clone: &Path,
    destination: &Path,
    n: Option<usize>,
) -> (Result<Prepared, Diagnostic>, Diagnostics) {
    let mut found = Diagnostics::new();
    let result = prepare(&options(clone, destination, n), &mut found, &|_, _| {});
    (result, found)
}

/// A small clone: three items, four folders, and what a test adds.
fn small(files: &[(&str, &str)]) -> TempDir {
    let clone = tempfile::tempdir().unwrap();
    let all = r#"{"resolved": ["s__r-1", "s__r-2"], "no_generation": ["s__r-3"]}"#;
    put(
        clone.path(),
        &[
            ("evaluation/verified/20240101_sim_a/results/results.json", all),
            ("evaluation/verified/20240101_sim_a/metadata.yaml", "name: a\n"),
            ("evaluation/verified/20240102_sim_b/results/results.json", all),
            ("evaluation/verified/20240102_sim_b/metadata.yaml", "name: b\n"),
        ],
    );
    put(clone.path(), files);
    clone
}

/// What is said of the folder `x` of a small clone, which otherwise is prepared.
fn said_of_x(files: &[(&str, &str)], spoil: impl Fn(&Path)) -> String {
    let clone = small(files);
    let x = clone.path().join("evaluation/verified/20240103_sim_x");
    std::fs::create_dir_all(&x).unwrap();
    spoil(&x);
    let out = tempfile::tempdir().unwrap();
    let (prepared, found) = run(clone.path(), out.path(), Some(3));
    let prepared = prepared.unwrap();
    assert_eq!((prepared.n_included, prepared.n_folders), (2, 3), "{found:#?}");
    let (id, reason) = &prepared.excluded[0];
    assert_eq!(id, "20240103_sim_x");
    assert!(read(out.path().join(FILES[1])).contains(&**id));
    assert!(found.iter().all(|one| one.severity == Severity::Warning));
    reason.clone()
}

#[test]
fn every_shape_of_the_repository_gives_its_row() {
    let out = tempfile::tempdir().unwrap();
    let (prepared, found) = run(Path::new(FIXTURE), out.path(), Some(6));
    let prepared = prepared.unwrap();
    for name in FILES {
        let expected = read(Path::new(EXPECTED).join(name));
        assert_eq!(read(out.path().join(name)), expected, "{name}");
    }
    assert_eq!((prepared.n_folders, prepared.n_items), (24, 6));
    assert_eq!((prepared.n_without_data, prepared.n_inconsistent), (1, 1));
    assert_eq!(prepared.n_included + prepared.excluded.len(), prepared.n_folders);
    assert_eq!(prepared.mini_versions["20250101_sim_mini-v1.0.0_uno"], "1.0.0");
    let said = messages(&found);
    for doubt in ["no tiene metadata.yaml", "no dicen lo mismo", "dicen la fecha"] {
        assert!(said.iter().any(|text| text.contains(doubt)), "{doubt}: {said:#?}");
    }
    let mut found = Diagnostics::new();
    check_folder(out.path(), &mut found);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn threads_do_not_change_the_bytes() {
    let files = |threads| {
        let out = tempfile::tempdir().unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let (_, found) = pool.install(|| run(Path::new(FIXTURE), out.path(), Some(6)));
        (FILES.map(|name| read(out.path().join(name))), messages(&found))
    };
    assert_eq!(files(1), files(3));
}

#[test]
fn an_empty_folder_has_no_data() {
    assert_eq!(said_of_x(&[], |_| {}), "sin datos por ítem");
}

#[cfg(unix)]
#[test]
fn links_that_leave_the_clone_are_not_followed() {
    use std::os::unix::fs::symlink;
    let outside = tempfile::tempdir().unwrap();
    put(
        outside.path(),
        &[("r.json", r#"{"resolved": ["s__r-1"]}"#), ("d/metadata.yaml", "name: z")],
    );
    let details =
        |x: &Path| symlink(outside.path().join("r.json"), x.join("per_instance_details.json"));
    let reason = said_of_x(&[], |x| details(x).unwrap());
    assert_eq!(reason, "per_instance_details.json: el enlace sale del clon");
    let whole = |x: &Path| {
        std::fs::remove_dir(x).unwrap();
        symlink(outside.path().join("d"), x)
    };
    assert_eq!(said_of_x(&[], |x| whole(x).unwrap()), "la carpeta es un enlace que sale del clon");
    let dead = |x: &Path| symlink("nada", x.join("metadata.yaml"));
    assert!(said_of_x(&[], |x| dead(x).unwrap()).contains("no lleva a ningún archivo"));
}

#[test]
fn files_that_are_not_text_are_named() {
    let huge = |x: &Path| {
        let file = std::fs::File::create(x.join("metadata.yaml")).unwrap();
        // A hole: nothing is written to the disk.
        file.set_len(3 << 30).unwrap();
    };
    assert_eq!(said_of_x(&[], huge), "metadata.yaml: supera 64 MiB");
    let folder = |x: &Path| std::fs::create_dir_all(x.join("results/results.json")).unwrap();
    assert_eq!(said_of_x(&[], folder), "results/results.json: no es un archivo");
    let latin = |x: &Path| std::fs::write(x.join("metadata.yaml"), b"name: a\xf1o").unwrap();
    assert_eq!(said_of_x(&[], latin), "metadata.yaml: no es texto UTF-8");
}

#[test]
fn a_number_of_items_that_is_not_the_splits_writes_nothing() {
    let clone = small(&[]);
    let out = tempfile::tempdir().unwrap();
    put(out.path(), &[(FILES[0], "de antes")]);
    for (n_items, expected) in [(None, 500), (Some(4), 4), (Some(2), 2)] {
        let fault = run(clone.path(), out.path(), n_items).0.unwrap_err();
        let says = format!("3 reactivos y debían ser {expected}");
        assert!(fault.message.contains(&says), "{}", fault.message);
    }
    assert_eq!(read(out.path().join(FILES[0])), "de antes");
    let lite = clone.path().join("evaluation/lite");
    std::fs::rename(clone.path().join("evaluation/verified"), lite).unwrap();
    let options = PrepareOptions { split: Split::Lite, ..options(clone.path(), out.path(), None) };
    let prepared = prepare(&options, &mut Diagnostics::new(), &|_, _| {}).unwrap();
    assert_eq!(prepared.n_items, 3, "other splits have any number of items");
    assert!(out.path().join("respuestas_swebench_lite.csv").is_file());
}

#[test]
fn a_folder_that_is_no_clone_is_told() {
    let empty = tempfile::tempdir().unwrap();
    let (result, _) = run(empty.path(), empty.path(), None);
    assert!(result.unwrap_err().message.contains("no es un clon"));
    let (result, _) = run(&empty.path().join("no"), empty.path(), None);
    assert!(result.unwrap_err().message.contains("no existe"));
}

#[test]
fn the_environment_file_stays_in_the_provenance() {
    let out = tempfile::tempdir().unwrap();
    let clone = small(&[]);
    put(out.path(), &[("entorno_swebench_verified.csv", "envio\n20240101_sim_a\n")]);
    run(clone.path(), out.path(), Some(3)).0.unwrap();
    let mut found = Diagnostics::new();
    let provenance = verify(out.path(), &mut found).unwrap();
    assert!(found.is_empty(), "{found:#?}");
    assert_eq!((provenance.files.len(), provenance.kind), (3, Kind::Real));
}

#[test]
fn the_public_results_give_the_reference_matrix() {
    let Some(clone) = shared("datos/experiments") else { return };
    let Some(reference) = shared("datos/respuestas_swebench_verified.csv") else { return };
    let out = tempfile::tempdir().unwrap();
    let (prepared, _) = run(&clone, out.path(), None);
    let prepared = prepared.unwrap();
    assert!(std::fs::read(out.path().join(FILES[0])).unwrap() == std::fs::read(reference).unwrap());
    assert_eq!((prepared.n_folders, prepared.n_included, prepared.n_items), (165, 158, 500));
    assert_eq!((prepared.n_without_data, prepared.n_inconsistent), (6, 1));
    let reasons: Vec<_> = prepared.excluded.iter().map(|(_, reason)| &**reason).collect();
    assert!(reasons.contains(&"inconsistente: 10.2% por ítem vs 52.8% declarado"));
    let mut found = Diagnostics::new();
    check_folder(out.path(), &mut found);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn a_copied_clone_gives_the_same_bytes() {
    let (clone, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    copy(Path::new(FIXTURE), clone.path());
    run(clone.path(), out.path(), Some(6)).0.unwrap();
    assert_eq!(read(out.path().join(FILES[0])), read(Path::new(EXPECTED).join(FILES[0])));
}
