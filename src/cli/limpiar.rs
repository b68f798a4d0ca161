//! `escritura limpiar`: removes the site, if it is ours.

use super::book::{BookFolder, Destination, shown};
use super::{Failed, output};
use crate::site::{self, Config};

/// Borra el sitio construido
#[derive(Debug, clap::Args)]
#[command(visible_alias = "clean", help_template = super::usage::TEMPLATE)]
pub struct Arguments {
    #[command(flatten)]
    book: BookFolder,

    #[command(flatten)]
    destination: Destination,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failed> {
    let failed = |found| output::report(&found, false).err().unwrap_or(Failed);
    let config = Config::load(&arguments.book.root).map_err(failed)?;
    let destination = arguments.destination.destination.clone();
    let destination = destination.unwrap_or_else(|| config.output_dir());
    if site::output::clean(&destination, &config).map_err(failed)? {
        eprintln!("Se borró {}", shown(&destination));
    } else {
        eprintln!("No hay nada que borrar en {}", shown(&destination));
    }
    Ok(())
}
