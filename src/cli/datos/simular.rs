//! `escritura datos simular`: the demonstration, or a plain matrix.

use super::super::{Failed, output};
use super::shown;
use crate::simulate::{MatrixOptions, SEED, write_demonstration, write_matrix};
use std::path::PathBuf;

/// Hace los datos de demostración, o una matriz de cualquier tamaño
#[derive(Debug, clap::Args)]
#[command(visible_alias = "simulate", help_template = super::super::usage::TEMPLATE, next_help_heading = "Opciones")]
pub struct Arguments {
    /// Carpeta de la demostración, o archivo CSV de la matriz
    #[arg(long = "destino", alias = "output", value_name = "RUTA")]
    destination: PathBuf,

    /// Semilla
    #[arg(long = "semilla", alias = "seed", value_name = "N", allow_negative_numbers = true, default_value_t = SEED, hide_default_value = true)]
    seed: u64,

    /// Matriz sola: número de examinados
    #[arg(
        long = "examinados",
        alias = "examinees",
        value_name = "N",
        allow_negative_numbers = true,
        requires = "items"
    )]
    examinees: Option<usize>,

    /// Matriz sola: número de reactivos
    #[arg(
        long = "reactivos",
        alias = "items",
        value_name = "K",
        allow_negative_numbers = true,
        requires = "examinees"
    )]
    items: Option<usize>,

    /// Matriz sola: proporción de celdas sin respuesta
    #[arg(
        long = "faltantes",
        alias = "missing",
        value_name = "P",
        allow_negative_numbers = true,
        default_value_t = 0.0,
        hide_default_value = true,
        requires = "examinees"
    )]
    missing: f64,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failed> {
    let path = &arguments.destination;
    let (Some(examinees), Some(items)) = (arguments.examinees, arguments.items) else {
        let summary = shown(write_demonstration(arguments.seed, path))?;
        output::print(&format!(
            "{}: {} envíos incluidos, {} excluidos, {} reactivos, semilla {}\n",
            path.display(),
            summary.n_included,
            summary.n_excluded,
            summary.n_items,
            summary.seed
        ))?;
        return Ok(());
    };
    let options =
        MatrixOptions { seed: arguments.seed, examinees, items, missing: arguments.missing };
    let path = if path.is_dir() { path.join("respuestas.csv") } else { path.clone() };
    shown(write_matrix(&options, &path))?;
    let seed = arguments.seed;
    output::print(&format!("{}: {examinees} × {items}, semilla {seed}\n", path.display()))?;
    Ok(())
}
