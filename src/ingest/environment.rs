//! The machines behind the results, as the evaluation logs tell.
//!
//! Two items of pylint have tests that are skipped on fewer than two cores, and
//! the harness counts what is skipped as failed; four items of requests call an
//! external service (httpbin). Logs stand in
//! `<submission>/<instance>/{report.json,test_output.txt}`, perhaps with a folder
//! `logs` in between.

use super::clone::Clone as Logs;
use super::json;
use super::logs::{self, Cores};
use crate::data::provenance::{self, Provenance};
use crate::data::{Cell, Frame, FrameOptions, digest, read_frame, storage};
use crate::diagnostics::system::cause;
use crate::diagnostics::{Diagnostic, Diagnostics, code};
use rayon::prelude::*;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The item that the environment file follows.
const FOLLOWED: &str = "pylint-dev__pylint-7277";
/// Items with tests that are skipped on fewer than two cores.
const TWO_CORES: [&str; 2] = [FOLLOWED, "pylint-dev__pylint-6528"];
/// Items that call the external service.
const SERVICE: [&str; 4] =
    ["psf__requests-1724", "psf__requests-1766", "psf__requests-1921", "psf__requests-2317"];
const REPORT: &str = "report.json";
const OUTPUT: &str = "test_output.txt";

/// What the logs of a submission tell; `None` where they do not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Machine {
    /// Whether the tests of the issue itself passed.
    own_tests_pass: Option<bool>,
    /// Whether the item was solved.
    solved: Option<bool>,
    /// Cores, by the log of that item.
    cores: Option<Cores>,
    /// Whether the service answered with an error to any item that calls it.
    service_fails: Option<bool>,
    /// Cores, by any log that tells.
    any_cores: Option<Cores>,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvironmentSummary {
    /// The file.
    pub path: PathBuf,
    /// Its rows.
    pub n_submissions: usize,
    /// Rows of which some log could be read.
    pub n_with_logs: usize,
}

/// Reads the logs under `root` and writes `entorno_swebench_verified.csv` into the
/// folder. Rows are the included submissions of the folder's own data; without
/// those, the submissions that have logs.
///
/// A log that is broken goes to `found` as a warning; one that is missing or cut
/// short leaves its cell empty.
///
/// # Errors
/// There are no logs at all or none that tells anything, the folder's data cannot be
/// read, or the file cannot be written.
pub fn environment(
    root: &Path,
    destination: &Path,
    found: &mut Diagnostics,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<EnvironmentSummary, Diagnostics> {
    let logs = Logs::open(root)?;
    let folders = logs.folders(Path::new(""))?.unwrap_or_default();
    if folders.is_empty() {
        let message = "no hay registros: se esperaba <envío>/<reactivo>/test_output.txt";
        return Err(Diagnostic::new(code::FILE, root, message).into());
    }
    let done = std::sync::atomic::AtomicUsize::new(0);
    let read = folders.par_iter().map(|folder| {
        let machine = machine(&logs, folder);
        progress(1 + done.fetch_add(1, std::sync::atomic::Ordering::Relaxed), folders.len());
        (folder.file_name().unwrap_or_default().to_string_lossy().into_owned(), machine)
    });
    let mut machines = BTreeMap::new();
    for (id, (machine, faults)) in read.collect::<Vec<_>>() {
        found.extend(faults.into_iter().map(|fault| {
            Diagnostic::new(code::INGEST_DOUBT, root.join(&id), format!("«{id}»: {fault}"))
        }));
        machines.insert(id, machine);
    }
    let rows = rows(destination, &machines)?;
    let has_logs = |(_, _, machine): &&Row| *machine != Machine::default();
    let n_with_logs = rows.iter().filter(has_logs).count();
    if n_with_logs == 0 {
        let message = "ningún registro dice nada de los envíos: no se escribe el archivo";
        return Err(Diagnostic::new(code::FILE, root, message).into());
    }
    let path = destination.join("entorno_swebench_verified.csv");
    write(&path, &frame(&rows))?;
    Ok(EnvironmentSummary { path, n_submissions: rows.len(), n_with_logs })
}

/// Identifier, whether the scaffold is mini-SWE-agent, and its machine.
type Row = (String, bool, Machine);

fn rows(destination: &Path, machines: &BTreeMap<String, Machine>) -> Result<Vec<Row>, Diagnostics> {
    let path = destination.join("envios_swebench_verified.csv");
    if !path.is_file() {
        let row = |(id, machine): (&String, &Machine)| {
            (id.clone(), id.contains("_mini-v"), machine.clone())
        };
        return Ok(machines.iter().map(row).collect());
    }
    let options = FrameOptions { text: ["envio".into()].into(), ..FrameOptions::default() };
    let frame = read_frame(&path, &options)?.frame;
    let is = |row: usize, name: &str| frame.cell(row, name) == Some(&Cell::Integer(1));
    let Some(ids) = frame.column("envio") else {
        let message = "falta la columna «envio»";
        return Err(Diagnostic::new(code::CSV, path, message).into());
    };
    let included = (0..frame.n_rows()).filter(|&row| is(row, "incluido"));
    let rows = included.map(|row| {
        let id = ids[row].to_string();
        let machine = machines.get(&id).cloned().unwrap_or_default();
        (id, is(row, "mini_swe_agent"), machine)
    });
    Ok(rows.collect())
}

fn frame(rows: &[Row]) -> Frame {
    let of = |cell: fn(&Machine) -> Cell| rows.iter().map(|(_, _, m)| cell(m)).collect::<Vec<_>>();
    Frame::new(rows.len())
        .with("envio", rows.iter().map(|(id, _, _)| &**id))
        .with("mini_swe_agent", rows.iter().map(|(_, mini, _)| i64::from(*mini)))
        .with("pylint7277_f2p_ok", of(|m| flag(m.own_tests_pass)))
        .with("pylint7277_resuelto", of(|m| flag(m.solved)))
        .with("pylint7277_nucleos", of(|m| m.cores.map(Cores::text).into()))
        .with("httpbin_5xx", of(|m| flag(m.service_fails)))
        .with("menos_2_cpu", of(|m| flag(m.any_cores.map(|cores| cores == Cores::One))))
}

fn flag(value: Option<bool>) -> Cell {
    value.map(i64::from).into()
}

/// Writes the file, and its digest into the folder's provenance when it has one.
fn write(path: &Path, frame: &Frame) -> Result<(), Diagnostics> {
    let text = frame.to_csv();
    storage::replace(&[(path, text.as_bytes())])?;
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return Ok(()) };
    if let Some(mut provenance) = known(folder) {
        let name = name.to_string_lossy().into_owned();
        provenance.files.insert(name, digest::of_bytes(text.as_bytes()));
        provenance.write(folder)?;
    }
    Ok(())
}

/// The folder's provenance, right or outdated: `datos verificar` judges it.
fn known(folder: &Path) -> Option<Provenance> {
    let has_one = folder.join(provenance::FILE_NAME).is_file();
    has_one.then(|| provenance::verify(folder, &mut Diagnostics::new())).flatten()
}

/// What the logs of one submission tell, and what is wrong with them.
fn machine(logs: &Logs, folder: &Path) -> (Machine, Vec<String>) {
    let mut faults = vec![];
    let between = folder.join("logs");
    let base = if logs.contains(&between) { between } else { folder.to_path_buf() };
    let mut machine = Machine::default();
    match report(logs, &base) {
        Ok(Some(report)) => {
            (machine.solved, machine.own_tests_pass) = (report.solved, report.own_tests_pass);
        }
        Ok(None) => {}
        Err(fault) => faults.push(fault),
    }
    for item in TWO_CORES {
        let cores = scan(logs, &base, item, &mut faults, logs::cores).flatten();
        if item == FOLLOWED {
            machine.cores = cores;
        }
        // One core anywhere is telling: what ran elsewhere says less.
        machine.any_cores = machine.any_cores.into_iter().chain(cores).min();
    }
    for item in SERVICE {
        if let Some(fails) = scan(logs, &base, item, &mut faults, logs::service_fails) {
            machine.service_fails = Some(fails || machine.service_fails == Some(true));
        }
    }
    (machine, faults)
}

/// Streams the test output of an item; `None` when it cannot be read.
fn scan<T>(
    logs: &Logs,
    base: &Path,
    item: &str,
    faults: &mut Vec<String>,
    read: fn(&mut dyn std::io::Read) -> std::io::Result<Option<T>>,
) -> Option<T> {
    let name = format!("{item}/{OUTPUT}");
    let opened = logs.open_file(&base.join(&name), &name);
    let read = opened.map_err(|fault| fault.0).and_then(|file| match file {
        None => Ok(None),
        Some(mut file) => {
            read(&mut file).map_err(|error| format!("{name}: no se puede leer: {}", cause(&error)))
        }
    });
    read.unwrap_or_else(|fault| {
        faults.push(fault);
        None
    })
}

#[derive(Debug, PartialEq, Eq)]
struct Report {
    solved: Option<bool>,
    own_tests_pass: Option<bool>,
}

fn report(logs: &Logs, base: &Path) -> Result<Option<Report>, String> {
    let name = format!("{FOLLOWED}/{REPORT}");
    let text = logs.text(&base.join(&name), &name).map_err(|fault| fault.0)?;
    text.map(|text| parse_report(&text).map_err(|fault| format!("{name}: {fault}"))).transpose()
}

/// The report of the harness: `{item: {resolved, tests_status: {FAIL_TO_PASS:
/// {success, failure}}}}`, or the inner object alone.
fn parse_report(text: &str) -> Result<Report, String> {
    let whole: Value = serde_json::from_str(text).map_err(|error| json::explain(&error))?;
    let report = whole.get(FOLLOWED).unwrap_or(&whole);
    let own = report.pointer("/tests_status/FAIL_TO_PASS");
    let n = |key: &str| own?.get(key)?.as_array().map(Vec::len);
    let own_tests_pass = match (n("success"), n("failure")) {
        (Some(success), Some(failure)) if success + failure > 0 => Some(failure == 0),
        _ => None,
    };
    Ok(Report { solved: report.get("resolved").and_then(Value::as_bool), own_tests_pass })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_tells_the_issues_own_test_apart_from_the_result() {
        let text = format!(
            r#"{{"{FOLLOWED}": {{"resolved": false, "tests_status": {{"FAIL_TO_PASS":
               {{"success": ["a"], "failure": []}}}}}}}}"#
        );
        let report = parse_report(&text).unwrap();
        assert_eq!(report, Report { solved: Some(false), own_tests_pass: Some(true) });
        for text in ["{}", "[]", r#"{"resolved": 3}"#, r#"{"tests_status": []}"#] {
            let report = parse_report(text).unwrap();
            assert_eq!(report, Report { solved: None, own_tests_pass: None }, "{text}");
        }
        assert!(parse_report("{\"resol").is_err());
    }
}
