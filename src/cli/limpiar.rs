//! `escritura limpiar`: removes the site, if it is ours, and the results kept.

use super::book::{BookFolder, Destination, shown};
use super::{Failed, output};
use crate::data::cache;
use crate::site::{self, Config};

/// Borra el sitio construido y los resultados guardados
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
    let root = &arguments.book.root;
    let config = Config::load(root).map_err(failed)?;
    let destination = arguments.destination.destination.clone();
    let destination = destination.unwrap_or_else(|| config.output_dir());
    let site = site::output::clean(&destination, &config).map_err(failed)?;
    let kept = cache::remove(root).map_err(|fault| failed(fault.into()))?;
    if site {
        output::say(format_args!("Se borró {}", shown(&destination)));
    }
    if kept {
        output::say("Se borraron los resultados guardados");
    }
    if !site && !kept {
        output::say(format_args!("No hay nada que borrar en {}", shown(&destination)));
    }
    Ok(())
}
