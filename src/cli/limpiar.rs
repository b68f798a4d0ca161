//! `escritura limpiar`: removes the site, if it is ours, and the results kept.

use super::book::shown;
use super::{Failed, output};
use crate::data::cache;
use crate::site::{self, Config};
use std::path::PathBuf;

/// Borra el sitio construido y los resultados guardados
#[derive(Debug, clap::Args)]
#[command(visible_alias = "clean", help_template = super::usage::TEMPLATE)]
pub struct Arguments {
    /// Carpeta del libro, la que tiene book.toml
    #[arg(
        short = 'r',
        long = "raiz",
        alias = "root",
        value_name = "CARPETA",
        default_value = ".",
        hide_default_value = true,
        help_heading = "Opciones"
    )]
    root: PathBuf,

    /// Carpeta del sitio, en lugar de la de book.toml
    #[arg(
        short = 'd',
        long = "destino",
        alias = "dest-dir",
        value_name = "CARPETA",
        help_heading = "Opciones"
    )]
    destination: Option<PathBuf>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failed> {
    let failed = |found| output::report(&found, false).err().unwrap_or(Failed);
    let config = Config::load(&arguments.root).map_err(failed)?;
    let destination = arguments.destination.clone().unwrap_or_else(|| config.output_dir());
    let site = site::output::clean(&destination, &config).map_err(failed)?;
    let kept = cache::remove(&arguments.root).map_err(|fault| failed(fault.into()))?;
    if site {
        eprintln!("Se borró {}", shown(&destination));
    }
    if kept {
        eprintln!("Se borraron los resultados guardados");
    }
    if !site && !kept {
        eprintln!("No hay nada que borrar en {}", shown(&destination));
    }
    Ok(())
}
