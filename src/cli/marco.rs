//! `escritura marco`: a frame of a chapter as CSV.

use super::book::{BookArguments, unreadable};
use super::progress::Progress;
use super::{Failed, output};
use crate::diagnostics::{Diagnostic, Diagnostics, Place, code, did_you_mean};

/// Escribe un marco de un capítulo como CSV
#[derive(Debug, clap::Args)]
#[command(visible_alias = "frame", help_template = super::usage::TEMPLATE)]
pub struct Arguments {
    /// Carpeta del capítulo dentro de la de los capítulos
    #[arg(value_name = "CAPÍTULO", help_heading = "Argumentos")]
    chapter: String,

    /// Nombre del marco: reactivos, examinados, modelos, ...
    #[arg(value_name = "NOMBRE", help_heading = "Argumentos")]
    name: String,

    #[command(flatten)]
    book: BookArguments,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failed> {
    let mut found = Diagnostics::new();
    let Some(book) = arguments.book.open(&mut found) else { return Err(unreadable(&found)) };
    let Some(opened) = found.check(book.chapter(&arguments.chapter)) else {
        return Err(unreadable(&found));
    };
    let Some(study) = &opened.study else {
        output::report(&found, false)?;
        output::say("El capítulo no lee datos: no tiene marcos.");
        return Err(Failed);
    };
    let mut plan = study.plan();
    let unknown = || {
        let names = study.plan().frame_names();
        let message = format!("no hay un marco «{}»", arguments.name);
        Diagnostic::new(code::UNKNOWN_VALUE, Place::Nowhere, message)
            .hint(did_you_mean(&arguments.name, names.iter().map(String::as_str)))
    };
    if !plan.knows_frame(&arguments.name) {
        found.push(unknown());
        return Err(unreadable(&found));
    }
    if let Err(fault) = plan.whole_frame(&arguments.name) {
        found.push(crate::study::fault_diagnostic(&fault, Place::Nowhere));
    }
    let progress = Progress::new("calculando");
    let (computed, faults) = study.compute(&plan, &|node| progress.done(node));
    drop(progress);
    found.extend(faults);
    let Some(frame) = computed.assembled.frames.get(&arguments.name) else {
        let message = format!("el marco «{}» no está disponible con estos datos", arguments.name);
        found.push(Diagnostic::new(code::UNDEFINED_VALUE, Place::Nowhere, message));
        return Err(unreadable(&found));
    };
    output::report(&found, false)?;
    output::print(&frame.to_csv())?;
    Ok(())
}
