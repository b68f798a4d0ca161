//! Rules about a chapter that a reader would not see broken, but its author should.

use super::chapter::Chapter;
use super::directives::{Keyword, Piece};
use super::document::{Document, Fragment};
use super::hand_typed;
use super::resolve::Placed;
use super::text::Context;
use crate::diagnostics::{Diagnostic, Diagnostics, Place, code};
use crate::study::publish::Datum;

/// Reports what is declared and unused, placed and never mentioned, typed by hand,
/// simulated.
pub fn check(
    chapter: &Chapter,
    placed: &Placed,
    document: &Document,
    context: Option<&Context>,
    found: &mut Diagnostics,
) {
    unreferenced(chapter, placed, found);
    mixed_precision(chapter, document, found);
    if let Some(context) = context {
        unused(chapter, context, found);
        hand_typed::check(chapter, document, context, found);
        unconverged(chapter, context, found);
    }
    if document.data.iter().any(|notice| notice.simulated) {
        let message = "el capítulo usa datos simulados";
        let place = chapter.front.datos.as_ref().map_or_else(
            || Place::from(&chapter.source),
            |data| data.respuestas.place(&chapter.source),
        );
        found.push(Diagnostic::new(code::SIMULATED, place, message));
    }
}

/// A model that did not converge, in a chapter that never asks whether it did. Of
/// a study that several chapters share answers the one that declares it.
fn unconverged(chapter: &Chapter, context: &Context, found: &mut Diagnostics) {
    if chapter.front.estudio.is_some() {
        return;
    }
    let sources = [&chapter.tables.source, &chapter.figures.source, &chapter.declarations_source];
    let texts = sources.into_iter().flatten().chain([&chapter.source]);
    if texts.into_iter().any(|source| source.text().contains("convergio")) {
        return;
    }
    for (name, value) in &context.computed.values {
        if name.ends_with(".convergio") && *value == Datum::Truth(false) {
            let model = name.trim_end_matches(".convergio");
            let message = format!("el modelo «{model}» no convergió y el capítulo no lo dice");
            let hint =
                format!("dígalo según «{name}»: << si \"{name}\" >> … << si_no >> … << fin >>");
            found.push(
                Diagnostic::new(code::NOT_CONVERGED, &chapter.source, message).hint(Some(hint)),
            );
        }
    }
}

/// Tables and figures that the text never refers to.
fn unreferenced(chapter: &Chapter, placed: &Placed, found: &mut Diagnostics) {
    let references: Vec<&str> = chapter
        .directives()
        .filter(|directive| directive.keyword == Keyword::Ref)
        .map(|directive| directive.argument.text.as_str())
        .collect();
    for piece in &chapter.pieces {
        let Piece::Directive(directive) = piece else { continue };
        let kind = match directive.keyword {
            Keyword::Tabla => "tabla",
            Keyword::Figura => "figura",
            _ => continue,
        };
        let name = format!("{kind}:{}", directive.argument.text);
        // What could not be made has been reported; that is enough of it.
        let is_placed = placed.labels.iter().any(|label| label.name == name && label.made);
        if is_placed && !references.contains(&name.as_str()) {
            let place = chapter.source.place(directive.argument.range.clone());
            let message = format!("el texto no menciona la {kind} «{}»", directive.argument.text);
            let hint = format!("menciónela antes de mostrarla: << ref \"{name}\" >>");
            found.push(Diagnostic::new(code::UNREFERENCED, place, message).hint(Some(hint)));
        }
    }
}

/// The same expression printed with different numbers of decimals.
fn mixed_precision(chapter: &Chapter, document: &Document, found: &mut Diagnostics) {
    let decimals = |text: &str| {
        let fraction = text.rsplit(['.', ',']).next().filter(|_| text.contains(['.', ',']));
        fraction.map_or(0, |rest| rest.chars().take_while(char::is_ascii_digit).count())
    };
    let mut seen: Vec<(&str, usize)> = vec![];
    for fragment in &document.fragments {
        let Fragment::Value(value) = fragment else { continue };
        if value.machine.parse::<f64>().is_err() {
            continue;
        }
        let own = decimals(&value.text);
        match seen.iter().find(|(expression, _)| *expression == value.expression) {
            Some(&(_, first)) if first != own => {
                let place = place_of(chapter, &value.expression);
                let message =
                    format!("«{}» se imprime con {first} decimales y con {own}", value.expression);
                found.push(Diagnostic::new(code::MIXED_PRECISION, place, message));
            }
            Some(_) => {}
            None => seen.push((&value.expression, own)),
        }
    }
}

/// The last directive of that expression.
fn place_of(chapter: &Chapter, expression: &str) -> Place {
    let last = chapter.directives().filter(|d| d.argument.text == expression).last();
    last.map_or_else(
        || Place::from(&chapter.source),
        |directive| chapter.source.place(directive.argument.range.clone()),
    )
}

/// Declared values that nothing uses.
fn unused(chapter: &Chapter, context: &Context, found: &mut Diagnostics) {
    let Some(source) = &chapter.declarations_source else { return };
    for (name, value) in chapter.declarations.valores.iter() {
        if !context.computed.assembled.values.contains_key(&name.value) {
            let message = format!("nadie usa el valor «{}»", name.value);
            let place = source.place(value.expression_range(source.text()));
            found.push(Diagnostic::new(code::UNUSED_VALUE, place, message));
        }
    }
}
