//! Logs become the environment file.

use super::{messages, put, read};
use escritura::diagnostics::Diagnostics;
use escritura::ingest::environment;
use std::io::Write;
use std::path::Path;

const FILE: &str = "entorno_swebench_verified.csv";
const HEADER: &str = "envio,mini_swe_agent,pylint7277_f2p_ok,pylint7277_resuelto,\
                      pylint7277_nucleos,httpbin_5xx,menos_2_cpu\n";
const REPORT: &str = r#"{"pylint-dev__pylint-7277": {"resolved": false, "tests_status":
    {"FAIL_TO_PASS": {"success": ["sim"], "failure": []}}}}"#;
const SKIPPED: &str = "SKIPPED [1] sim.py: Need 2 or more cores for test to be meaningful\n";
const RAN: &str = "PASSED tests/test_self.py::Sim::test_parallel_execution\n";

fn run(logs: &Path, destination: &Path) -> (String, Vec<String>) {
    let mut found = Diagnostics::new();
    environment(logs, destination, &mut found, &|_, _| {}).unwrap();
    (read(destination.join(FILE)), messages(&found))
}

#[test]
fn each_submission_gets_what_its_logs_tell() {
    let (logs, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    put(
        logs.path(),
        &[
            ("a_sim_mini-v1/pylint-dev__pylint-7277/report.json", REPORT),
            ("a_sim_mini-v1/pylint-dev__pylint-7277/test_output.txt", SKIPPED),
            ("a_sim_mini-v1/psf__requests-1724/test_output.txt", "E   assert 503 == 200\n"),
            ("a_sim_mini-v1/psf__requests-1766/test_output.txt", "PASSED sim\n"),
            ("b_sim/logs/pylint-dev__pylint-7277/test_output.txt", RAN),
            ("b_sim/logs/psf__requests-2317/test_output.txt", "PASSED sim\n"),
            ("c_sim/pylint-dev__pylint-6528/test_output.txt", SKIPPED),
            ("c_sim/pylint-dev__pylint-7277/report.json", "{\"pylint-dev"),
            (
                "d_sim/pylint-dev__pylint-7277/test_output.txt",
                "PASSED tests/test_self.py::Sim::test_par",
            ),
        ],
    );
    let (text, said) = run(logs.path(), out.path());
    let rows = "a_sim_mini-v1,1,1,0,1,1,1\nb_sim,0,,,2+,0,0\nc_sim,0,,,,,1\nd_sim,0,,,,,\n";
    assert_eq!(text, format!("{HEADER}{rows}"));
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].contains("«c_sim»: pylint-dev__pylint-7277/report.json: el JSON está incompleto")
    );
}

#[test]
fn rows_follow_the_included_submissions_when_the_folder_has_them() {
    let (logs, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    put(logs.path(), &[("b_sim/pylint-dev__pylint-7277/test_output.txt", RAN)]);
    let metadata = "envio,mini_swe_agent,incluido\na_sim,0,1\nb_sim,1,1\nc_sim,0,0\n";
    put(out.path(), &[("envios_swebench_verified.csv", metadata)]);
    let (text, _) = run(logs.path(), out.path());
    assert_eq!(text, format!("{HEADER}a_sim,0,,,,,\nb_sim,1,,,2+,,0\n"));
}

#[test]
fn a_huge_log_without_line_ends_is_streamed() {
    let (logs, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let folder = logs.path().join("a_sim/pylint-dev__pylint-7277");
    std::fs::create_dir_all(&folder).unwrap();
    let mut file = std::fs::File::create(folder.join("test_output.txt")).unwrap();
    // A hole of 256 MiB: one line, not on the disk.
    file.set_len(256 << 20).unwrap();
    use std::io::Seek;
    file.seek(std::io::SeekFrom::End(0)).unwrap();
    file.write_all(format!("\n{SKIPPED}").as_bytes()).unwrap();
    assert!(run(logs.path(), out.path()).0.ends_with("a_sim,0,,,1,,1\n"));
}

#[test]
fn a_folder_without_logs_is_an_error() {
    let empty = tempfile::tempdir().unwrap();
    let mut found = Diagnostics::new();
    assert!(environment(empty.path(), empty.path(), &mut found, &|_, _| {}).is_err());
    assert!(environment(&empty.path().join("no"), empty.path(), &mut found, &|_, _| {}).is_err());
}

#[test]
fn logs_that_tell_nothing_leave_the_file_as_it_was() {
    let (logs, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    put(logs.path(), &[("otro/pylint-dev__pylint-7277/test_output.txt", RAN)]);
    let before = format!("{HEADER}a_sim,0,1,1,1,0,1\n");
    let metadata = "envio,mini_swe_agent,incluido\na_sim,0,1\n";
    put(out.path(), &[("envios_swebench_verified.csv", metadata), (FILE, &before)]);
    let found = environment(logs.path(), out.path(), &mut Diagnostics::new(), &|_, _| {});
    let said = messages(&found.unwrap_err());
    assert!(said[0].contains("no se escribe"), "{said:?}");
    assert_eq!(read(out.path().join(FILE)), before);
}
