//! Help and usage errors in Spanish.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::num::{IntErrorKind, ParseFloatError, ParseIntError};
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
            super::output::say(in_spanish(&error.to_string()).trim_end_matches('\n'));
            ExitCode::from(2)
        }
        _ => {
            super::output::say(format_args!("error: {}", message(error)));
            if let Some(near) = suggestion(error) {
                super::output::say(format_args!("ayuda: ¿quiso decir «{near}»?"));
            }
            super::output::say("\nPara ver las opciones: escritura [ORDEN] --ayuda");
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
            let why = std::error::Error::source(error);
            let why = why.map(|why| format!(": {}", refusal(why, &value))).unwrap_or_default();
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

/// Why a value was refused; ours are in Spanish already.
fn refusal(why: &(dyn std::error::Error + 'static), value: &str) -> String {
    let text = why.to_string();
    if let Some((_, range)) = text.split_once(" is not in ") {
        let (least, most) = range.split_once("..").unwrap_or((range, ""));
        return format!("va de {least} a {}", most.trim_start_matches('='));
    }
    match why.downcast_ref::<ParseIntError>().map(ParseIntError::kind) {
        Some(IntErrorKind::PosOverflow) => "es demasiado grande".into(),
        Some(_) if value.starts_with('-') => "se esperaba un número entero no negativo".into(),
        Some(_) => "se esperaba un número entero".into(),
        None if why.is::<ParseFloatError>() => {
            "se esperaba un número con punto decimal, como 0.5".into()
        }
        None => text,
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
