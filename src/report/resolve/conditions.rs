//! `si`, `si_no`, `fin`: which branches of a chapter stand.

use super::{Evaluation, Placed};
use crate::diagnostics::{Diagnostic, Diagnostics, code};
use crate::report::chapter::Chapter;
use crate::report::citations::Formatted;
use crate::report::directives::{Directive, Keyword, Piece};
use crate::report::text::Context;
use std::collections::BTreeMap;
use std::ops::Range;

/// The pieces of a chapter that stand, with the numbers of what they place.
pub(super) fn standing<'a>(
    chapter: &'a Chapter,
    evaluation: Evaluation<'a>,
    found: &mut Diagnostics,
) -> Placed<'a> {
    let mut open: Vec<Condition> = vec![];
    let (made, formatted) = (BTreeMap::new(), Formatted::default());
    let mut placed =
        Placed { chapter, evaluation, pieces: vec![], labels: vec![], made, formatted };
    for piece in &chapter.pieces {
        let stands = open.iter().all(|condition| condition.stands);
        match piece {
            Piece::Directive(directive) if is_condition(directive.keyword) => {
                update(&mut open, directive, stands, chapter, &evaluation, found);
                // Kept, so that its line goes with it.
                placed.pieces.push(piece);
            }
            Piece::Directive(directive) if stands => {
                let is_first = placed.label(directive, found);
                placed.pieces.extend(is_first.then_some(piece));
            }
            Piece::Text(_) | Piece::Citation(_) if stands => placed.pieces.push(piece),
            _ => {}
        }
    }
    for condition in open {
        let place = chapter.source.place(condition.range);
        let message = "falta «<< fin >>» para cerrar esta condición";
        found.push(Diagnostic::new(code::DIRECTIVE, place, message));
    }
    placed
}

/// An open `si`.
struct Condition {
    stands: bool,
    /// Whether `si_no` has been seen.
    turned: bool,
    /// Whether neither branch may stand, because the condition failed.
    failed: bool,
    /// Whether both stand, because nothing can be evaluated and both are checked.
    both: bool,
    range: Range<usize>,
}

/// Whether a directive opens, turns or closes a condition.
pub(super) fn is_condition(keyword: Keyword) -> bool {
    matches!(keyword, Keyword::Si | Keyword::SiNo | Keyword::Fin)
}

fn update(
    open: &mut Vec<Condition>,
    directive: &Directive,
    stands: bool,
    chapter: &Chapter,
    evaluation: &Evaluation,
    found: &mut Diagnostics,
) {
    let mut misplaced = |message: &str| {
        let place = chapter.source.place(directive.range.clone());
        found.push(Diagnostic::new(code::DIRECTIVE, place, message));
    };
    match directive.keyword {
        Keyword::Si => {
            // Inside a branch that does not stand nothing is evaluated.
            let both = matches!(evaluation, Evaluation::Impossible);
            let holds = match stands && !both {
                true => holds(directive, chapter, evaluation.context(), found),
                false => Some(both),
            };
            open.push(Condition {
                stands: holds == Some(true),
                turned: false,
                failed: holds.is_none(),
                both,
                range: directive.range.clone(),
            });
        }
        Keyword::SiNo => match open.last_mut() {
            Some(condition) if condition.turned => {
                misplaced("esta condición ya tiene «<< si_no >>»")
            }
            Some(condition) => {
                condition.turned = true;
                condition.stands = condition.both || !condition.stands && !condition.failed;
            }
            None => misplaced("«<< si_no >>» sin «<< si »"),
        },
        _ => {
            if open.pop().is_none() {
                misplaced("«<< fin >>» sin «<< si »");
            }
        }
    }
}

fn holds(
    directive: &Directive,
    chapter: &Chapter,
    context: Option<&Context>,
    found: &mut Diagnostics,
) -> Option<bool> {
    let argument = &directive.argument;
    let Some(context) = context else {
        found.push(no_data(chapter, directive));
        return None;
    };
    let result = context.study.engine().holds(&argument.text, context.scope());
    let range = argument.range.clone();
    let report = |fault| context.report(&fault, &argument.text, &chapter.source, range, found);
    result.map_err(report).ok()
}

/// A directive that needs data, in a chapter without.
pub(super) fn no_data(chapter: &Chapter, directive: &Directive) -> Diagnostic {
    let place = chapter.source.place(directive.range.clone());
    let word = directive.keyword.word();
    Diagnostic::new(
        code::DIRECTIVE,
        place,
        format!("«<< {word}» necesita datos y el capítulo no los declara"),
    )
    .hint(Some("añada «datos: respuestas: …» al encabezado".to_owned()))
}
