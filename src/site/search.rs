//! The search index: what `buscar.json` holds and the page's script looks through.
//!
//! Letters keep their accents here; the script folds them on both sides, so that
//! the excerpt that it shows is the text as written.

use super::links::encode_percent;
use super::markdown::Parsed;
use crate::report::document::{Document, Figure, Fragment, Inline, Table};
use serde::Serialize;
use unicode_normalization::UnicodeNormalization;

/// Letters of a table's row names beyond which they are not looked through.
const MOST_ROW_NAMES: usize = 4000;

/// A chapter that can be found.
#[derive(Debug, Serialize)]
pub struct Indexed {
    titulo: String,
    /// Address of its page from the root, percent-encoded.
    ruta: String,
    partes: Vec<Part>,
}

/// A section, a table or a figure.
#[derive(Debug, PartialEq, Serialize)]
pub struct Part {
    /// Id of its element; empty for what stands before the first heading.
    ancla: String,
    titulo: String,
    texto: String,
}

impl Part {
    /// Text in one line and one Unicode form: a letter with its accent is one
    /// character, so that folding it changes no position.
    pub fn new(ancla: &str, titulo: &str, texto: &str) -> Self {
        let one_line = |text: &str| -> String {
            text.split_whitespace().collect::<Vec<_>>().join(" ").nfc().collect()
        };
        Self { ancla: ancla.to_owned(), titulo: one_line(titulo), texto: one_line(texto) }
    }
}

/// What can be found of a chapter: its summary, its sections, its tables and its
/// figures.
pub fn chapter(title: &str, path: &str, document: &Document, parsed: &Parsed<'_>) -> Indexed {
    let mut partes = parsed.sections(title);
    partes.extend(document.fragments.iter().filter_map(|fragment| match fragment {
        Fragment::Table(table) => Some(of_table(table)),
        Fragment::Figure(figure) => Some(of_figure(figure)),
        _ => None,
    }));
    Indexed { titulo: title.to_owned(), ruta: encode_percent(path), partes }
}

fn of_table(table: &Table) -> Part {
    let headers = table.columns.iter().map(|column| column.name());
    let note = Inline::plain(&table.note);
    let mut text = headers.chain([note]).collect::<Vec<_>>().join(" ");
    for name in table.rows.iter().filter_map(|row| row.first()) {
        if text.len() > MOST_ROW_NAMES {
            break;
        }
        text += " ";
        text += &name.text;
    }
    Part::new(&table.anchor(), &format!("{}. {}", table.heading(), table.title), &text)
}

fn of_figure(figure: &Figure) -> Part {
    let text = format!("{} {}", figure.description, Inline::plain(&figure.note));
    Part::new(&figure.anchor(), &format!("{}. {}", figure.heading(), figure.title), &text)
}

/// What a section's text keeps of a fragment: tables and figures are found on
/// their own, and declarations are not text.
pub fn text_of(fragment: &Fragment) -> String {
    match fragment {
        Fragment::Table(_) | Fragment::Figure(_) | Fragment::Code(_) => " ".into(),
        Fragment::Bibliography(entries) => {
            let parts = entries.iter().flat_map(|entry| &entry.parts);
            parts.map(|part| part.text.as_str()).collect()
        }
        other => other.plain_text(),
    }
}
