//! `escritura datos`: making, checking and converting data.

mod convertir;
mod entorno;
mod preparar;
mod simular;
mod verificar;

use super::Failed;
use super::output;
use crate::diagnostics::Diagnostic;

/// Prepara, simula, verifica y convierte datos
#[derive(Debug, clap::Args)]
#[command(
    visible_alias = "data",
    help_template = super::usage::TEMPLATE,
    disable_help_subcommand = true,
    subcommand_value_name = "ORDEN",
    subcommand_help_heading = "Órdenes"
)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Convertir(convertir::Arguments),
    Entorno(entorno::Arguments),
    Preparar(preparar::Arguments),
    Simular(simular::Arguments),
    Verificar(verificar::Arguments),
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failed> {
    match &arguments.command {
        Command::Convertir(arguments) => convertir::run(arguments),
        Command::Entorno(arguments) => entorno::run(arguments),
        Command::Preparar(arguments) => preparar::run(arguments),
        Command::Simular(arguments) => simular::run(arguments),
        Command::Verificar(arguments) => verificar::run(arguments),
    }
}

/// The value, or the failure shown.
fn shown<T>(result: Result<T, Diagnostic>) -> Result<T, Failed> {
    result.map_err(|found| output::report(&found.into(), false).err().unwrap_or(Failed))
}
