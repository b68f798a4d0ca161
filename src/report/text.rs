//! Evaluating what a directive prints.

use super::chapter::{fault_at, relocated, text_pieces};
use super::directives::{Directive, Keyword, Piece};
use super::document::{Inline, PrintedValue, ValueInput};
use super::format::{Format, Kind, MOST_DIGITS, NO_BREAK_SPACE, NumberStyle};
use crate::diagnostics::{Diagnostic, Diagnostics, Source, code, did_you_mean};
use crate::study::expression::{Fault, FaultKind, Scope};
use crate::study::{Computed, Study, mentions};
use crate::yaml::Located;
use minijinja::Value;
use minijinja::value::ValueKind;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// What the directives of a chapter are evaluated against.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// The study: expressions, meanings, categories.
    pub study: &'a Study,
    /// Its results.
    pub computed: &'a Computed,
    /// The book's numbers.
    pub style: &'a NumberStyle,
    /// Expressions that the plan has reported.
    pub faulty: &'a BTreeSet<String>,
}

impl<'a> Context<'a> {
    /// The names that expressions use.
    pub fn scope(&self) -> &'a Arc<Scope> {
        &self.computed.assembled.scope
    }

    /// Reports why the expression `text` gives nothing, unless that is a consequence
    /// of what has been reported: by the plan, or of a declaration that it uses.
    pub fn report(
        &self,
        fault: &Fault,
        text: &str,
        source: &Source,
        range: Range<usize>,
        found: &mut Diagnostics,
    ) {
        let undefined = fault.kind == FaultKind::Undefined;
        let broken = &self.computed.assembled.broken;
        let known = (!undefined && self.faulty.contains(text))
            || mentions(self.study.engine(), text, broken);
        if known {
            return;
        }
        // The evaluation knows only the columns that somebody has asked for.
        let hint = fault.column.as_ref();
        let hint = hint.and_then(|column| self.study.plan().nearest_column(text, column));
        let fault = Fault { hint: hint.or(fault.hint.clone()), ..fault.clone() };
        found.push(fault_at(&fault, source, range));
    }

    /// The printed form of `valor` or `elige`; `None` when it was reported.
    pub fn print(
        &self,
        directive: &Directive,
        source: &Source,
        found: &mut Diagnostics,
    ) -> Option<PrintedValue> {
        match directive.keyword {
            Keyword::Elige => self.choose(directive, source, found),
            _ => self.value(directive, source, found),
        }
    }

    fn value(
        &self,
        directive: &Directive,
        source: &Source,
        found: &mut Diagnostics,
    ) -> Option<PrintedValue> {
        let argument = &directive.argument;
        let format = read_format(directive, source, found);
        let printed = |text: String, machine: String| PrintedValue {
            text,
            machine,
            expression: argument.text.clone(),
            inputs: self.inputs(&argument.text),
        };
        let empty = directive.option("vacio");
        let value = match self.study.engine().eval(&argument.text, self.scope()) {
            Ok(value) if !value.is_none() => value,
            result => {
                let mut fault = result.err().unwrap_or_else(Fault::no_datum);
                if let (FaultKind::Undefined, Some(text)) = (fault.kind, empty) {
                    return Some(printed(text.text.clone(), String::new()));
                }
                if fault.kind == FaultKind::Undefined {
                    fault.hint = Some("para imprimir otra cosa en su lugar: vacio=\"—\"".into());
                }
                self.report(&fault, &argument.text, source, argument.range.clone(), found);
                return None;
            }
        };
        match self.style.write(&value, &format?) {
            Ok(text) => Some(printed(text, machine(&value))),
            Err(why) => {
                let place = source.place(argument.range.clone());
                found.push(Diagnostic::new(code::EXPRESSION, place, why.0));
                None
            }
        }
    }

    fn choose(
        &self,
        directive: &Directive,
        source: &Source,
        found: &mut Diagnostics,
    ) -> Option<PrintedValue> {
        let argument = &directive.argument;
        let (Some(yes), Some(no)) = (directive.option("si"), directive.option("no")) else {
            let place = source.place(directive.range.clone());
            let message = "«<< elige» pide las dos opciones: si=\"…\" no=\"…\"";
            found.push(Diagnostic::new(code::DIRECTIVE, place, message));
            return None;
        };
        match self.study.engine().holds(&argument.text, self.scope()) {
            Ok(holds) => {
                let text = if holds { &yes.text } else { &no.text };
                Some(PrintedValue {
                    text: text.clone(),
                    machine: text.clone(),
                    expression: argument.text.clone(),
                    inputs: self.inputs(&argument.text),
                })
            }
            Err(fault) => {
                self.report(&fault, &argument.text, source, argument.range.clone(), found);
                None
            }
        }
    }

    /// The computed values that an expression names.
    pub fn inputs(&self, expression: &str) -> Vec<ValueInput> {
        let names = self.study.engine().names(expression).unwrap_or_default();
        let describe = |path: &String| {
            let (meaning, method) = self.study.describe(path)?;
            let (function, reference) = method.map(|m| (m.function, m.reference)).unzip();
            Some(ValueInput {
                name: path.clone(),
                meaning,
                function: function.map(str::to_owned),
                reference: reference.flatten().map(str::to_owned),
            })
        };
        names.paths.iter().filter_map(describe).collect()
    }

    /// A text of a YAML file with its directives resolved to plain text.
    pub fn plain(
        &self,
        text: &Located<String>,
        source: &Source,
        found: &mut Diagnostics,
    ) -> String {
        self.pieces(text, source, found).into_iter().map(|(text, _)| text).collect()
    }

    /// The same, with the author's `*x*` as italics; what directives print is text.
    pub fn emphasised(
        &self,
        text: &Located<String>,
        source: &Source,
        found: &mut Diagnostics,
    ) -> Vec<Inline> {
        let pieces = self.pieces(text, source, found).into_iter();
        let inlines = pieces.map(|(text, written)| match written {
            true => Inline::emphasised(&text),
            false => vec![text.as_str().into()],
        });
        inlines.flatten().collect()
    }

    /// The stretches of a text, and whether the author wrote each as it is.
    fn pieces(
        &self,
        text: &Located<String>,
        source: &Source,
        found: &mut Diagnostics,
    ) -> Vec<(String, bool)> {
        let (pieces, _) = text_pieces(text, source);
        let mut out = vec![];
        for (copied, piece) in pieces {
            let directive = match piece {
                Piece::Directive(directive) => directive,
                Piece::Text(_) => {
                    out.push((copied, true));
                    continue;
                }
                // Reported when the text was planned.
                Piece::Citation(_) => continue,
            };
            if !matches!(directive.keyword, Keyword::Valor | Keyword::Elige) {
                let word = directive.keyword.word();
                let message = format!("«<< {word}» no se puede usar aquí, solo valor y elige");
                found.push(Diagnostic::new(code::DIRECTIVE, text.place(source), message));
                continue;
            }
            // Faults inside are shown at the text, whose bytes YAML may have changed.
            let inner = Source::new(source.path(), text.value.clone());
            let mut faults = Diagnostics::new();
            if let Some(printed) = self.print(&directive, &inner, &mut faults) {
                out.push((printed.text, false));
            }
            found.extend(faults.into_iter().map(|fault| relocated(fault, text, source)));
        }
        out
    }
}

/// As a machine reads it: full precision, point.
pub fn machine(value: &Value) -> String {
    match value.kind() {
        ValueKind::Number if !value.is_integer() => {
            f64::try_from(value.clone()).map_or_else(|_| value.to_string(), |x| x.to_string())
        }
        ValueKind::Bool => value.is_true().to_string(),
        _ => value.to_string(),
    }
}

/// The format that a directive's options describe; `None` when they are wrong.
fn read_format(directive: &Directive, source: &Source, found: &mut Diagnostics) -> Option<Format> {
    let mut number = |name: &str| -> Option<Option<usize>> {
        let Some(argument) = directive.option(name) else { return Some(None) };
        match argument.text.parse::<usize>() {
            Ok(digits) if digits <= MOST_DIGITS => Some(Some(digits)),
            _ => {
                let message = format!("«{name}» pide un número entero entre 0 y {MOST_DIGITS}");
                let place = source.place(argument.range.clone());
                found.push(Diagnostic::new(code::DIRECTIVE, place, message));
                None
            }
        }
    };
    let (decimals, significant) = (number("decimales"), number("significativas"));
    let text = |name: &str| directive.option(name).map(|a| a.text.clone()).unwrap_or_default();
    let kind = match directive.option("formato") {
        None => Kind::Number,
        Some(argument) => {
            let place = source.place(argument.range.clone());
            found.check(kind_named(&argument.text, place))?
        }
    };
    let noun = match (directive.option("singular"), directive.option("plural")) {
        (Some(one), Some(many)) => Some((one.text.clone(), many.text.clone())),
        (None, None) => None,
        _ => {
            let place = source.place(directive.range.clone());
            let message = "«singular» y «plural» van juntos";
            found.push(Diagnostic::new(code::DIRECTIVE, place, message));
            None
        }
    };
    Some(Format {
        kind,
        decimals: decimals?,
        significant: significant?,
        prefix: text("prefijo"),
        suffix: unbreakable(text("sufijo")),
        noun,
    })
}

/// A unit stays with its number: the space before it does not break.
fn unbreakable(suffix: String) -> String {
    match suffix.strip_prefix(' ') {
        Some(unit) => format!("{NO_BREAK_SPACE}{unit}"),
        None => suffix,
    }
}

/// The kind of quantity of that name.
pub fn kind_named(name: &str, place: crate::diagnostics::Place) -> Result<Kind, Diagnostic> {
    let known = Kind::NAMES.iter().find(|(known, _)| *known == name);
    known.map(|&(_, kind)| kind).ok_or_else(|| {
        Diagnostic::new(code::DIRECTIVE, place, format!("no existe el formato «{name}»"))
            .hint(did_you_mean(name, Kind::NAMES.iter().map(|(known, _)| *known)))
    })
}
