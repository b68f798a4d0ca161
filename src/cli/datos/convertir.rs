//! `escritura datos convertir`: responses from other sources.

use super::super::{Failed, output};
use crate::ingest::{ConvertOptions, Format, convert};
use std::path::PathBuf;

/// Convierte respuestas de otras fuentes en una matriz CSV
#[derive(Debug, clap::Args)]
#[command(visible_alias = "convert", help_template = super::super::usage::TEMPLATE, next_help_heading = "Opciones")]
pub struct Arguments {
    /// CSV largo, JSON por líneas, CSV transpuesto o JSON de un tablero de posiciones
    #[arg(value_name = "ARCHIVO", help_heading = "Argumentos")]
    source: PathBuf,

    /// CSV que se escribe
    #[arg(long = "destino", alias = "output", value_name = "ARCHIVO.csv")]
    destination: PathBuf,

    /// largo, jsonl, transpuesto o tablero; sin él se deduce del archivo
    #[arg(long = "formato", alias = "format", value_name = "FORMATO")]
    format: Option<Format>,

    /// Columnas de un CSV largo
    #[arg(long = "columnas", alias = "columns", value_name = "EXAMINADO,REACTIVO,RESPUESTA", value_parser = columns)]
    columns: Option<Columns>,

    /// Nombre del tablero, si el JSON tiene varios
    #[arg(long = "tablero", alias = "board", value_name = "NOMBRE")]
    board: Option<String>,

    /// Lo que un examinado no menciona cuenta como error, no como dato faltante
    #[arg(long = "ausente-es-0", alias = "absent-is-0")]
    absent_is_wrong: bool,
}

/// The three columns; a list of its own, so that clap takes it as one value.
#[derive(Debug, Clone)]
struct Columns([String; 3]);

fn columns(text: &str) -> Result<Columns, String> {
    let names: Vec<String> = text.split(',').map(|name| name.trim().to_owned()).collect();
    names.try_into().map(Columns).map_err(|_| "son tres nombres separados por comas".into())
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failed> {
    let options = ConvertOptions {
        format: arguments.format,
        columns: arguments.columns.clone().map(|columns| columns.0),
        board: arguments.board.clone(),
        absent_is_wrong: arguments.absent_is_wrong,
    };
    let summary = convert(&arguments.source, &arguments.destination, &options)
        .map_err(|found| output::report(&found, false).err().unwrap_or(Failed))?;
    output::print(&format!(
        "{}: {} examinados, {} reactivos, {} celdas sin respuesta\n",
        arguments.destination.display(),
        summary.n_examinees,
        summary.n_items,
        summary.n_missing
    ))?;
    Ok(())
}
