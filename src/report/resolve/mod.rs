//! From chapters and results to documents.
//!
//! Two passes: the first decides which branches of the conditions stand and
//! numbers tables and figures; the second, when every chapter's labels are known,
//! prints values, draws, and links.

mod conditions;
mod writer;

use conditions::standing;
use writer::{Writer, silent_lines};

use super::chapter::{Chapter, text_pieces};
use super::citations::{self, Cite, Formatted};
use super::directives::{Directive, Keyword, Piece};
use super::document::{DataNotice, Document, Download, Fragment, InputFile, Meta, Origin};
use super::text::Context;
use super::{figures, tables};
use crate::data::Cache;
use crate::diagnostics::{Diagnostic, Diagnostics, Source, code};
use crate::yaml::Located;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// A table or figure that a chapter places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// `tabla:items_anomalos`.
    pub name: String,
    /// Its number in the chapter.
    pub number: usize,
    /// Whether it could be made: what could not has been reported, and what refers
    /// to it is not to be reported as well.
    pub made: bool,
}

impl Label {
    fn anchor(&self) -> String {
        self.name.replacen(':', "-", 1)
    }

    fn heading(&self) -> String {
        let kind = if self.name.starts_with("tabla:") { "Tabla" } else { "Figura" };
        format!("{kind} {}", self.number)
    }
}

/// What a chapter is evaluated against.
#[derive(Debug, Clone, Copy)]
pub enum Evaluation<'a> {
    /// The results of its data.
    Over(Context<'a>),
    /// It declares no data.
    WithoutData,
    /// It, or its data, could not be read, which has been reported: only what can
    /// be said without them is.
    Impossible,
}

impl<'a> Evaluation<'a> {
    /// The results, if there are any.
    pub fn context(&self) -> Option<&Context<'a>> {
        match self {
            Self::Over(context) => Some(context),
            Self::WithoutData | Self::Impossible => None,
        }
    }
}

/// The standing pieces of a chapter, with its labels.
#[derive(Debug)]
pub struct Placed<'a> {
    chapter: &'a Chapter,
    evaluation: Evaluation<'a>,
    pieces: Vec<&'a Piece>,
    /// Tables and figures placed, in order.
    pub labels: Vec<Label>,
    /// Those that could be made, by label.
    made: BTreeMap<String, (Fragment, Vec<Download>)>,
    /// The citations that stand, written, and what they cite.
    formatted: Formatted,
}

/// Labels of every chapter.
#[derive(Debug, Default)]
pub struct Labels {
    /// Slug, title and labels.
    pub chapters: BTreeMap<String, (String, Vec<Label>)>,
    /// Whether every chapter could be read: a label that is not here may be in one
    /// that could not.
    pub complete: bool,
}

/// First pass: which pieces stand, the numbers of tables and figures, and these.
pub fn place<'a>(
    chapter: &'a Chapter,
    evaluation: Evaluation<'a>,
    cache: &Cache,
    found: &mut Diagnostics,
) -> Placed<'a> {
    let mut placed = standing(chapter, evaluation, found);
    placed.make(cache, found);
    placed
}

impl Placed<'_> {
    /// Numbers the table or figure that a directive places; `false` when it has
    /// been placed before.
    fn label(&mut self, directive: &Directive, found: &mut Diagnostics) -> bool {
        let Some(kind) = kind_of(directive) else { return true };
        let name = format!("{kind}:{}", directive.argument.text);
        if self.labels.iter().any(|label| label.name == name) {
            let place = self.chapter.source.place(directive.argument.range.clone());
            let message = format!("«{name}» ya está en el capítulo: solo puede aparecer una vez");
            let hint = format!("para volver a nombrarla: << ref \"{name}\" >>");
            found.push(Diagnostic::new(code::DUPLICATE_NAME, place, message).hint(Some(hint)));
            return false;
        }
        let prefix = format!("{kind}:");
        let number = self.labels.iter().filter(|l| l.name.starts_with(&prefix)).count() + 1;
        self.labels.push(Label { name, number, made: false });
        true
    }

    /// Makes the tables and figures placed, and writes the citations beside them.
    fn make(&mut self, cache: &Cache, found: &mut Diagnostics) {
        let chapter = self.chapter;
        let context = self.evaluation.context();
        let cites: Vec<&Cite> = self.pieces.iter().filter_map(|piece| piece.cite()).collect();
        let make = |label: &Label, found: &mut Diagnostics| {
            context.and_then(|context| make_one(label, chapter, context, found))
        };
        let (all, formatted) = rayon::join(
            || found.in_parallel(self.labels.par_iter(), make),
            || citations::format(&cites, chapter.bibliography.as_ref(), cache),
        );
        self.formatted = formatted;
        for (label, made) in self.labels.iter_mut().zip(all) {
            label.made = made.is_some();
            self.made.extend(made.map(|made| (label.name.clone(), made)));
        }
    }

    /// What the chapter is evaluated against.
    pub fn evaluation(&self) -> &Evaluation<'_> {
        &self.evaluation
    }

    /// The title of the chapter, for references from other chapters.
    pub fn title(&self, found: &mut Diagnostics) -> String {
        let titulo = &self.chapter.front.titulo;
        match self.evaluation.context() {
            Some(context) => context.plain(titulo, &self.chapter.source, found),
            None => text_without_data(titulo, &self.chapter.source, found),
        }
    }

    /// Second pass: the chapter as a document; `None` when it cannot be evaluated
    /// and was only checked.
    pub fn document(
        &self,
        labels: &Labels,
        data: Vec<DataNotice>,
        found: &mut Diagnostics,
    ) -> Option<Document> {
        let mut writer = Writer {
            placed: self,
            chapter: self.chapter,
            labels,
            markdown: String::new(),
            origin: Origin::default(),
            fragments: vec![],
            claims: vec![],
            downloads: vec![],
        };
        let silent = silent_lines(self.chapter);
        let mut citations = self.formatted.citations.iter().cloned();
        for piece in &self.pieces {
            match piece {
                Piece::Text(range) => writer.copy(range.clone(), &silent),
                Piece::Directive(directive) => writer.directive(directive, found),
                Piece::Citation(cite) => {
                    let written = citations.next().unwrap_or_default();
                    writer.fragment(cite.range.start, Fragment::Citation(written));
                }
            }
        }
        writer.references(self.formatted.entries.clone());
        if matches!(self.evaluation, Evaluation::Impossible) {
            return None;
        }
        let (markdown, origin) = (writer.markdown, writer.origin);
        let (fragments, claims, downloads) = (writer.fragments, writer.claims, writer.downloads);
        Some(Document {
            slug: self.chapter.slug.clone(),
            source: self.chapter.source.clone(),
            meta: self.meta(found),
            markdown,
            origin,
            fragments,
            inputs: self.chapter.sources().map(InputFile::of).collect(),
            claims,
            data,
            downloads,
        })
    }

    fn meta(&self, found: &mut Diagnostics) -> Meta {
        let front = &self.chapter.front;
        let source = &self.chapter.source;
        let description = front.descripcion.as_ref().map(|text| match self.evaluation.context() {
            Some(context) => context.plain(text, source, found),
            None => text_without_data(text, source, found),
        });
        Meta {
            title: self.title(found),
            authors: front.autores.clone(),
            date: found.check(front.date(source)).flatten(),
            description,
            draft: front.borrador,
        }
    }
}

/// The table or figure of a label, with its files.
fn make_one(
    label: &Label,
    chapter: &Chapter,
    context: &Context,
    found: &mut Diagnostics,
) -> Option<(Fragment, Vec<Download>)> {
    match label.name.split_once(':')? {
        ("tabla", name) => {
            let (table, csv) = tables::resolve(name, label.number, chapter, context, found)?;
            Some((Fragment::Table(table), vec![csv]))
        }
        (_, name) => {
            let (figure, files) = figures::resolve(name, label.number, chapter, context, found)?;
            Some((Fragment::Figure(figure), files))
        }
    }
}

/// A text of the front matter of a chapter that reads no data.
fn text_without_data(text: &Located<String>, source: &Source, found: &mut Diagnostics) -> String {
    let (pieces, faults) = text_pieces(text, source);
    found.extend(faults);
    if pieces.iter().any(|(_, piece)| matches!(piece, Piece::Directive(_))) {
        let message = "las directivas necesitan datos y el capítulo no los declara";
        found.push(Diagnostic::new(code::DIRECTIVE, text.place(source), message));
    }
    pieces.into_iter().map(|(copied, _)| copied).collect()
}

/// `tabla` or `figura`, for the directives that place one.
fn kind_of(directive: &Directive) -> Option<&'static str> {
    match directive.keyword {
        Keyword::Tabla => Some("tabla"),
        Keyword::Figura => Some("figura"),
        _ => None,
    }
}
