//! `escritura construir`: a book becomes a site.

use super::book::{BookArguments, Destination, shown, unreadable};
use super::{Failed, output};
use crate::diagnostics::Diagnostics;
use crate::site;

/// Construye el sitio del libro
#[derive(Debug, clap::Args)]
#[command(visible_alias = "build", help_template = super::usage::TEMPLATE)]
pub struct Arguments {
    #[command(flatten)]
    book: BookArguments,

    #[command(flatten)]
    destination: Destination,

    /// Los avisos también impiden publicar
    #[arg(long = "estricto", alias = "strict", help_heading = "Opciones")]
    strict: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failed> {
    let mut found = Diagnostics::new();
    let Some(book) = arguments.book.open(&mut found) else { return Err(unreadable(&found)) };
    let destination = book.destination(arguments.destination.destination.as_deref(), &mut found);
    let (documents, files) = book.build(&mut found);
    output::report(&found, book.strict(arguments.strict))?;
    match site::output::write(&files, &destination, &book.book.config) {
        Ok(warnings) | Err(warnings) => output::report(&warnings, false)?,
    }
    for chapter in &book.chapters.read {
        if let Some(study) = &chapter.study {
            let data = study.data();
            let hash = data.files.first().map_or("", |file| &file.sha256[..12]);
            output::say(format_args!(
                "{}: {} examinados × {} reactivos (datos {hash})",
                chapter.chapter.slug,
                data.responses.n_examinees(),
                data.responses.n_items(),
            ));
        }
    }
    let n = documents.len();
    let chapters = if n == 1 { "1 capítulo" } else { &format!("{n} capítulos") };
    output::say(format_args!("{chapters} en {}", shown(&destination.join("index.html"))));
    Ok(())
}
