//! Citations: pandoc's syntax in the chapter, a BibTeX or Hayagriva file beside
//! it, APA 7 in Spanish on the page.
//!
//! `syntax` finds citations among a chapter's texts, `library` reads the
//! bibliography, `format` lets hayagriva write both the citations and the list
//! of references. Every chapter has its own bibliography: `referencias.bib` or
//! `referencias.yaml`, in its folder.

mod depth;
mod format;
mod library;
mod syntax;

pub use format::{Formatted, format};
pub use library::Bibliography;
pub use syntax::{Cite, CitedWork, Form, split};

use super::directives::Piece;
use crate::diagnostics::{Diagnostic, Diagnostics, Source, code, did_you_mean};

/// Checks every citation of a chapter against its bibliography, in whatever
/// branch of a condition it stands, and gives back the pieces; without a
/// bibliography an `@name` in running text is no citation.
pub fn check(
    pieces: Vec<Piece>,
    source: &Source,
    bibliography: Option<&Bibliography>,
    found: &mut Diagnostics,
) -> Vec<Piece> {
    let Some(bibliography) = bibliography else {
        return pieces
            .into_iter()
            .map(|piece| without_bibliography(piece, source, found))
            .collect();
    };
    for work in works(&pieces) {
        if !bibliography.has(&work.key.text) {
            let message = format!(
                "«{}» no está en {}",
                work.key.text,
                bibliography.source.path().file_name().unwrap_or_default().to_string_lossy()
            );
            let hint = did_you_mean(&work.key.text, bibliography.keys())
                .unwrap_or_else(|| "para escribir una arroba en el texto: \\@".to_owned());
            let place = source.place(work.key.range.clone());
            found.push(Diagnostic::new(code::CITATION, place, message).hint(Some(hint)));
        }
    }
    pieces
}

/// Reports the entries that no citation of the chapter names.
pub fn check_use(pieces: &[Piece], bibliography: Option<&Bibliography>, found: &mut Diagnostics) {
    let Some(bibliography) = bibliography else { return };
    for (key, range) in &bibliography.places {
        if !works(pieces).any(|work| work.key.text == *key) {
            let message = format!("el capítulo no cita «{key}»");
            let place = bibliography.source.place(range.clone());
            found.push(Diagnostic::new(code::UNUSED_REFERENCE, place, message));
        }
    }
}

fn works(pieces: &[Piece]) -> impl Iterator<Item = &CitedWork> {
    pieces.iter().filter_map(Piece::cite).flat_map(|cite| &cite.works)
}

fn without_bibliography(piece: Piece, source: &Source, found: &mut Diagnostics) -> Piece {
    match piece {
        Piece::Citation(cite) if cite.form == Form::Narrative => Piece::Text(cite.range),
        Piece::Citation(cite) => {
            let place = source.place(cite.range.clone());
            let message = "el capítulo cita y no tiene bibliografía";
            let hint = "añada referencias.bib a la carpeta del capítulo; para escribir una arroba \
                        en el texto: \\@";
            found.push(Diagnostic::new(code::CITATION, place, message).hint(Some(hint.to_owned())));
            Piece::Citation(cite)
        }
        other => other,
    }
}
