//! `escritura datos entorno`: evaluation logs tell the machine of each submission.

use super::super::progress::Progress;
use super::super::{Failed, output};
use crate::diagnostics::Diagnostics;
use crate::ingest::environment;
use std::path::PathBuf;
use std::sync::Mutex;

/// Deduce de los registros de evaluación en qué máquina corrió cada envío
#[derive(Debug, clap::Args)]
#[command(visible_alias = "environment", help_template = super::super::usage::TEMPLATE, next_help_heading = "Opciones")]
pub struct Arguments {
    /// Registros: <envío>/<reactivo>/{report.json,test_output.txt}
    #[arg(long = "registros", alias = "logs", value_name = "CARPETA")]
    logs: PathBuf,

    /// Carpeta de datos; si ya tiene los envíos, el archivo sigue su orden
    #[arg(long = "destino", alias = "output", value_name = "CARPETA")]
    destination: PathBuf,

    /// Falla si algún registro no se puede leer
    #[arg(long = "estricto", alias = "strict")]
    strict: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failed> {
    let mut found = Diagnostics::new();
    let progress = Mutex::new(Progress::new("leyendo registros"));
    let result = environment(&arguments.logs, &arguments.destination, &mut found, &|done, all| {
        if let Ok(progress) = progress.try_lock() {
            progress.note(&format!("{done} de {all} envíos"));
        }
    });
    drop(progress);
    let verdict = output::report(&found, arguments.strict);
    let summary = result.map_err(|found| output::report(&found, false).err().unwrap_or(Failed))?;
    output::print(&format!(
        "{}: {} envíos, {} con registros\n",
        summary.path.display(),
        summary.n_submissions,
        summary.n_with_logs
    ))?;
    verdict
}
