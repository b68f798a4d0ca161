//! `escritura revisar`: everything that `construir` would find, nothing written.

use super::book::{BookArguments, unreadable};
use super::{Failed, output};
use crate::diagnostics::{Diagnostics, Verdict, to_json};

/// Revisa el libro sin escribir nada
#[derive(Debug, clap::Args)]
#[command(visible_alias = "check", help_template = super::usage::TEMPLATE)]
pub struct Arguments {
    #[command(flatten)]
    book: BookArguments,

    /// Los avisos también cuentan como errores
    #[arg(long = "estricto", alias = "strict", help_heading = "Opciones")]
    strict: bool,

    /// Escribe los diagnósticos como JSON en la salida estándar
    #[arg(long, help_heading = "Opciones")]
    json: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failed> {
    let mut found = Diagnostics::new();
    let book = arguments.book.open(&mut found);
    let strict = match &book {
        Some(book) => {
            book.destination(None, &mut found);
            book.build(&mut found);
            book.strict(arguments.strict)
        }
        None => arguments.strict,
    };
    if arguments.json {
        output::print_json(&to_json(&found))?;
        return if found.verdict(strict) == Verdict::Good { Ok(()) } else { Err(Failed) };
    }
    if book.is_none() {
        return Err(unreadable(&found));
    }
    output::report(&found, strict)?;
    output::say("El libro está bien.");
    Ok(())
}
