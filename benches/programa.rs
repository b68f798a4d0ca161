//! The program as a whole process: a cold build of the demonstration book, and a
//! matrix of a million examinees.

use divan::Bencher;
use escritura::simulate::{MatrixOptions, write_matrix};
use std::path::Path;
use std::process::{Command, Stdio};

fn main() {
    divan::main();
}

fn escritura() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_escritura"));
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

#[divan::bench(sample_count = 10)]
fn construir_demostracion(bencher: Bencher) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let site = folder.path().join("sitio");
    bencher.bench_local(|| {
        let mut command = escritura();
        command.args(["construir", "--raiz", env!("CARGO_MANIFEST_DIR"), "--destino"]).arg(&site);
        assert!(command.status().expect("the program runs").success());
    });
}

/// Reads one gigabyte: set `ESCRITURA_MILLON=1` to include it.
#[divan::bench(sample_count = 3)]
fn analizar_un_millon(bencher: Bencher) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("respuestas.csv");
    let examinees = if std::env::var_os("ESCRITURA_MILLON").is_some() { 1_000_000 } else { 20_000 };
    matrix(examinees, &path);
    bencher.bench_local(|| {
        let mut command = escritura();
        command.arg("analizar").arg(&path).args(["--modelos", "rasch", "--json"]);
        assert!(command.status().expect("the program runs").success());
    });
}

fn matrix(examinees: usize, path: &Path) {
    let options = MatrixOptions { seed: 1, examinees, items: 500, missing: 0.0 };
    assert!(write_matrix(&options, path).is_ok(), "the matrix can be written");
}
