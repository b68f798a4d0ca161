//! Simulated data: what the chapter needs is in them, and nothing is by chance.

use escritura::data::provenance::{Kind, verify};
use escritura::data::{
    Cell, Frame, FrameOptions, ReadOptions, ResponseTable, align, digest, read_frame,
    read_responses,
};
use escritura::diagnostics::Diagnostics;
use escritura::simulate::{
    ENVIRONMENT_ITEMS, MatrixOptions, REPOSITORIES, SEED, write_demonstration, write_matrix,
};
use std::path::Path;

const DEMONSTRATION: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/content/swebench/datos");

fn matrix() -> ResponseTable {
    let path = Path::new(DEMONSTRATION).join("respuestas_swebench_verified.csv");
    read_responses(&path, &ReadOptions::default()).unwrap()
}

fn frame(name: &str) -> Frame {
    let options = FrameOptions {
        text: ["intentos".into(), "pylint7277_nucleos".into()].into(),
        ..Default::default()
    };
    read_frame(&Path::new(DEMONSTRATION).join(name), &options).unwrap().frame
}

fn count(frame: &Frame, column: &str, value: &str) -> usize {
    frame.column(column).unwrap().iter().filter(|cell| cell.to_string() == value).count()
}

#[test]
fn the_committed_demonstration_is_what_its_seed_gives() {
    let folder = tempfile::tempdir().unwrap();
    let summary = write_demonstration(SEED, folder.path()).unwrap();
    let names = summary.files.keys().map(String::as_str).chain(["procedencia.yaml"]);
    for name in names {
        let again = std::fs::read(folder.path().join(name)).unwrap();
        let committed = std::fs::read(Path::new(DEMONSTRATION).join(name)).unwrap();
        assert!(again == committed, "{name} differs: renew it with `escritura datos simular`");
    }
    assert_eq!((summary.n_included, summary.n_excluded, summary.n_items), (173, 7, 500));
}

#[test]
fn another_seed_gives_other_data() {
    let folder = tempfile::tempdir().unwrap();
    let one = write_demonstration(1, folder.path()).unwrap();
    let two = write_demonstration(2, folder.path()).unwrap();
    assert!(one.files.iter().all(|(name, sha256)| two.files[name] != *sha256));
}

#[test]
fn the_demonstration_says_that_it_is_simulated() {
    let mut found = Diagnostics::new();
    let provenance = verify(Path::new(DEMONSTRATION), &mut found).unwrap();
    assert!(found.is_empty(), "{found:#?}");
    assert_eq!((provenance.kind, provenance.seed), (Kind::Simulado, Some(SEED)));
    assert!(matrix().examinees.iter().all(|id| id.contains("_sim_")));
    assert!(matrix().items.iter().all(|id| id.contains("-sim")));
}

#[test]
fn the_demonstration_has_the_shape_of_the_real_data() {
    let matrix = matrix();
    assert_eq!((matrix.examinees.len(), matrix.items.len()), (173, 500));
    assert!(matrix.responses.is_complete() && matrix.notices.is_empty());
    for (prefix, n) in REPOSITORIES {
        let same = |item: &&str| item.starts_with(&format!("{prefix}-"));
        assert_eq!(matrix.items.iter().filter(same).count(), n, "{prefix}");
    }
    for item in ENVIRONMENT_ITEMS {
        assert!(matrix.items.iter().any(|name| name == item), "{item}");
    }
    let envios = frame("envios_swebench_verified.csv");
    let names = "envio nombre fecha agente mini_swe_agent modelos organizaciones intentos \
                 pct_declarado total n_sin_parche fuente incluido motivo_exclusion";
    assert_eq!(envios.names().collect::<Vec<_>>(), names.split(' ').collect::<Vec<_>>());
    let entorno = frame("entorno_swebench_verified.csv");
    let names = "envio mini_swe_agent pylint7277_f2p_ok pylint7277_resuelto pylint7277_nucleos \
                 httpbin_5xx menos_2_cpu";
    assert_eq!(entorno.names().collect::<Vec<_>>(), names.split(' ').collect::<Vec<_>>());
}

#[test]
fn the_metadata_agree_with_the_matrix() {
    let matrix = matrix();
    let path = Path::new(DEMONSTRATION).join("envios_swebench_verified.csv");
    let envios = read_frame(&path, &FrameOptions::default()).unwrap();
    let frame = align(&matrix, &envios, "envio", Some(("incluido", "1"))).unwrap();
    let totals = matrix.responses.totals();
    for (i, &total) in totals.iter().enumerate() {
        assert_eq!(frame.cell(i, "total"), Some(&Cell::Integer(total.into())));
        let declared = frame.cell(i, "pct_declarado").unwrap().as_f64().unwrap();
        // One decimal is declared; the rule of inclusion allows one point.
        assert!((declared - f64::from(total) / 5.0).abs() <= 0.05);
    }
}

#[test]
fn every_case_that_the_chapter_words_differently_occurs() {
    let envios = frame("envios_swebench_verified.csv");
    assert_eq!(count(&envios, "agente", "RAG baseline"), 6);
    assert!(count(&envios, "mini_swe_agent", "1") > 20);
    for attempts in ["1", "2+", ""] {
        assert!(count(&envios, "intentos", attempts) > 5, "{attempts}");
    }
    assert_eq!(count(&envios, "motivo_exclusion", "sin datos por ítem"), 5);
    let reasons = envios.column("motivo_exclusion").unwrap().iter().map(Cell::to_string);
    let inconsistent: Vec<_> = reasons.filter(|text| text.starts_with("inconsistente: ")).collect();
    assert_eq!(inconsistent.len(), 2);
    assert!(inconsistent.iter().all(|text| text.ends_with("% declarado")), "{inconsistent:?}");
    let entorno = frame("entorno_swebench_verified.csv");
    for cores in ["1", "2+", ""] {
        assert!(count(&entorno, "pylint7277_nucleos", cores) > 5, "{cores}");
    }
    let solved = entorno.column("pylint7277_resuelto").unwrap();
    let cores = entorno.column("pylint7277_nucleos").unwrap();
    let one_core = cores.iter().zip(solved).filter(|(cores, _)| cores.to_string() == "1");
    assert!(one_core.into_iter().all(|(_, solved)| *solved == Cell::Integer(0)));
}

#[test]
fn items_and_submissions_have_the_oddities_that_the_analysis_looks_for() {
    let matrix = matrix();
    let correct: Vec<usize> = (0..500).map(|j| matrix.responses.item(j).n_correct()).collect();
    assert!(correct.iter().filter(|&&n| n == 0).count() >= 20, "items nobody solves");
    assert!(correct.iter().all(|&n| n < 173), "and none that everybody does");
    let totals = matrix.responses.totals();
    let negative = (0..500).filter(|&j| slope(&matrix, &totals, j) < 0.0).count();
    assert!((3..=20).contains(&negative), "{negative} items of negative discrimination");
    let rows = matrix.responses.transposed();
    let distance = |a: usize, b: usize| -> u32 {
        let (a, b) = (rows.item(a).correct, rows.item(b).correct);
        a.iter().zip(b).map(|(x, y)| (x ^ y).count_ones()).sum()
    };
    let near =
        (0..173).flat_map(|a| (0..a).map(move |b| (a, b))).filter(|&(a, b)| distance(a, b) <= 10);
    assert!(near.into_iter().any(|(a, _)| totals[a] > 50), "a run submitted twice");
}

/// Sign of an item's relation with the rest score.
fn slope(matrix: &ResponseTable, totals: &[u32], j: usize) -> f64 {
    let answers: Vec<bool> = (0..173).map(|i| matrix.responses.get(i, j) == Some(true)).collect();
    let rest = |i: usize| f64::from(totals[i]) - f64::from(u8::from(answers[i]));
    let mean = (0..173).map(rest).sum::<f64>() / 173.0;
    (0..173).filter(|&i| answers[i]).map(|i| rest(i) - mean).sum()
}

#[test]
fn a_plain_matrix_is_read_back_and_threads_do_not_change_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("matriz.csv");
    let options = MatrixOptions { seed: 3, examinees: 5000, items: 40, missing: 0.1 };
    let digest_with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| write_matrix(&options, &path)).unwrap();
        digest::of_file(&path).unwrap()
    };
    assert_eq!(digest_with(1), digest_with(3));
    let table = read_responses(&path, &ReadOptions::default()).unwrap();
    assert_eq!((table.examinees.len(), table.items.len()), (5000, 40));
    let missing = table.responses.n_missing() as f64 / 200_000.0;
    // Four standard errors of a proportion: sqrt(.1 * .9 / 200000) = .00067.
    assert!((missing - 0.1).abs() < 0.0027, "{missing}");
    let totals = table.responses.totals();
    assert!(totals.iter().max() > Some(&30) && totals.iter().min() < Some(&8));
}

#[test]
fn an_impossible_matrix_is_refused() {
    let path = Path::new("nada.csv");
    let options = MatrixOptions { seed: 1, examinees: 10, items: 3, missing: 0.0 };
    assert!(write_matrix(&MatrixOptions { examinees: 0, ..options.clone() }, path).is_err());
    assert!(write_matrix(&MatrixOptions { items: 0, ..options.clone() }, path).is_err());
    assert!(write_matrix(&MatrixOptions { missing: f64::NAN, ..options }, path).is_err());
    assert!(!path.exists());
}
