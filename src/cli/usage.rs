//! Help and usage errors in Spanish.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::num::ParseIntError;
use std::process::ExitCode;

/// Layout of every help page.
pub const TEMPLATE: &str = "{about}\n\nUso: {usage}\n\n{all-args}{after-help}\n";

/// Prints help and version to standard output, usage errors to standard error.
pub fn explain(error: &clap::Error) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            match super::output::print(&in_spanish(&error.to_string())) {
                Ok(()) => ExitCode::SUCCESS,
                Err(super::Failed) => ExitCode::from(1),
            }
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            eprint!("{}", in_spanish(&error.to_string()));
            ExitCode::from(2)
        }
        _ => {
            eprintln!("error: {}", message(error));
            if let Some(near) = suggestion(error) {
                eprintln!("ayuda: ¿quiso decir «{near}»?");
            }
            eprintln!("\nPara ver las opciones: escritura [ORDEN] --ayuda");
            ExitCode::from(2)
        }
    }
}

/// The words that clap writes by itself in a help page.
fn in_spanish(help: &str) -> String {
    let words = [
        ("[OPTIONS]", "[OPCIONES]"),
        ("[alias: ", "[en inglés: "),
        ("[aliases: ", "[en inglés: "),
        ("[default: ", "[si no se dice: "),
        ("[possible values: ", "[valores: "),
    ];
    words.iter().fold(help.to_owned(), |text, (from, to)| text.replace(from, to))
}

fn message(error: &clap::Error) -> String {
    let argument = text(error, ContextKind::InvalidArg).unwrap_or_default();
    let value = text(error, ContextKind::InvalidValue).unwrap_or_default();
    match error.kind() {
        ErrorKind::UnknownArgument => format!("no existe la opción o el argumento «{argument}»"),
        ErrorKind::InvalidSubcommand => {
            let name = text(error, ContextKind::InvalidSubcommand).unwrap_or_default();
            format!("no existe la orden «{name}»")
        }
        ErrorKind::MissingSubcommand => "falta la orden".into(),
        ErrorKind::MissingRequiredArgument => format!("falta {argument}"),
        ErrorKind::InvalidValue if value.is_empty() => format!("«{argument}» pide un valor"),
        ErrorKind::InvalidValue => {
            let valid = text(error, ContextKind::ValidValue).unwrap_or_default();
            format!("«{value}» no es un valor de «{argument}» (valores: {valid})")
        }
        ErrorKind::ValueValidation => {
            let why = std::error::Error::source(error).map(|why| {
                let is_number = why.is::<ParseIntError>();
                if is_number { "se esperaba un número entero".into() } else { why.to_string() }
            });
            let why = why.map(|why| format!(": {why}")).unwrap_or_default();
            format!("«{value}» no es un valor de «{argument}»{why}")
        }
        ErrorKind::ArgumentConflict => {
            let other = text(error, ContextKind::PriorArg).unwrap_or_default();
            if other.is_empty() || other == argument {
                format!("«{argument}» está repetido")
            } else {
                format!("«{argument}» no se puede usar con «{other}»")
            }
        }
        ErrorKind::NoEquals => format!("«{argument}» pide un signo ="),
        ErrorKind::TooManyValues => format!("«{argument}» recibe demasiados valores"),
        ErrorKind::TooFewValues | ErrorKind::WrongNumberOfValues => {
            format!("«{argument}» recibe otro número de valores")
        }
        ErrorKind::InvalidUtf8 => "un argumento no es texto UTF-8".into(),
        _ => error.to_string(),
    }
}

fn suggestion(error: &clap::Error) -> Option<String> {
    let kinds =
        [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand, ContextKind::SuggestedValue];
    kinds.into_iter().find_map(|kind| text(error, kind)).filter(|text| !text.is_empty())
}

fn text(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        ContextValue::Strings(texts) => Some(texts.join(", ")),
        ContextValue::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
