//! The command line: one file per command.
//!
//! Data go to standard output, everything else to standard error. Exit status: 0
//! good, 1 diagnostics, 2 usage.

mod analizar;
mod book;
mod comparar;
mod construir;
mod datos;
mod limpiar;
mod marco;
mod output;
mod progress;
mod revisar;
mod usage;
mod valores;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// The whole command line.
#[derive(Debug, Parser)]
#[command(
    name = "escritura",
    version,
    about = "Informes psicométricos reproducibles: capítulos en Markdown y ningún número escrito a mano",
    disable_help_subcommand = true,
    disable_help_flag = true,
    disable_version_flag = true,
    subcommand_value_name = "ORDEN",
    subcommand_help_heading = "Órdenes",
    help_template = usage::TEMPLATE
)]
struct Cli {
    #[command(subcommand)]
    command: Command,

    /// Muestra esta ayuda
    #[arg(short = 'h', long = "ayuda", alias = "help", global = true, action = clap::ArgAction::Help, help_heading = "Opciones")]
    help: Option<bool>,

    /// Muestra la versión
    #[arg(short = 'V', long = "version", action = clap::ArgAction::Version, help_heading = "Opciones")]
    version: Option<bool>,
}

#[derive(Debug, Subcommand)]
enum Command {
    Construir(construir::Arguments),
    Revisar(revisar::Arguments),
    Valores(valores::Arguments),
    Marco(marco::Arguments),
    Comparar(comparar::Arguments),
    Analizar(analizar::Arguments),
    Limpiar(limpiar::Arguments),
    Datos(datos::Arguments),
}

/// Why a command did not succeed. What it found has been shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failed;

/// Runs the program.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage::explain(&error),
    };
    let result = match cli.command {
        Command::Construir(arguments) => construir::run(&arguments),
        Command::Revisar(arguments) => revisar::run(&arguments),
        Command::Valores(arguments) => valores::run(&arguments),
        Command::Marco(arguments) => marco::run(&arguments),
        Command::Comparar(arguments) => comparar::run(&arguments),
        Command::Analizar(arguments) => analizar::run(&arguments),
        Command::Limpiar(arguments) => limpiar::run(&arguments),
        Command::Datos(arguments) => datos::run(&arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failed) => ExitCode::from(1),
    }
}
