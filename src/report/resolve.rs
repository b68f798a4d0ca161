//! From chapters and results to documents.
//!
//! Two passes: the first decides which branches of the conditions stand and
//! numbers tables and figures; the second, when every chapter's labels are known,
//! prints values, draws, and links.

use super::chapter::{Chapter, text_pieces};
use super::citations::{self, Cite, Formatted};
use super::directives::{Directive, Keyword, Piece};
use super::document::{
    BibliographyEntry, Claim, Code, DataNotice, Document, Download, Fragment, InputFile, Meta,
    Origin, Reference, mark,
};
use super::text::Context;
use super::{figures, tables};
use crate::diagnostics::{Diagnostic, Diagnostics, Source, code, did_you_mean};
use crate::yaml::Located;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

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
    found: &mut Diagnostics,
) -> Placed<'a> {
    let mut placed = standing(chapter, evaluation, found);
    placed.make(found);
    placed
}

fn standing<'a>(
    chapter: &'a Chapter,
    evaluation: Evaluation<'a>,
    found: &mut Diagnostics,
) -> Placed<'a> {
    let mut open: Vec<Condition> = vec![];
    let made = BTreeMap::new();
    let mut placed = Placed { chapter, evaluation, pieces: vec![], labels: vec![], made };
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

fn is_condition(keyword: Keyword) -> bool {
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

fn no_data(chapter: &Chapter, directive: &Directive) -> Diagnostic {
    let place = chapter.source.place(directive.range.clone());
    let word = directive.keyword.word();
    Diagnostic::new(
        code::DIRECTIVE,
        place,
        format!("«<< {word}» necesita datos y el capítulo no los declara"),
    )
    .hint(Some("añada «datos: respuestas: …» al encabezado".to_owned()))
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

    /// Makes the tables and figures placed.
    fn make(&mut self, found: &mut Diagnostics) {
        let Evaluation::Over(context) = &self.evaluation else { return };
        for label in &mut self.labels {
            let made = match label.name.split_once(':') {
                Some(("tabla", name)) => {
                    let table = tables::resolve(name, label.number, self.chapter, context, found);
                    table.map(|(table, csv)| (Fragment::Table(table), vec![csv]))
                }
                Some((_, name)) => {
                    let figure = figures::resolve(name, label.number, self.chapter, context, found);
                    figure.map(|(figure, files)| (Fragment::Figure(figure), files))
                }
                None => None,
            };
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
        let Formatted { citations, entries } = self.citations();
        let mut citations = citations.into_iter();
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
        writer.references(entries);
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

    /// The citations that stand, written, and what they cite.
    fn citations(&self) -> Formatted {
        let cites: Vec<&Cite> = self.pieces.iter().filter_map(|piece| piece.cite()).collect();
        citations::format(&cites, self.chapter.bibliography.as_ref())
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

/// Byte ranges of the lines that hold nothing but directives that print nothing:
/// they leave the text with their line break, so that no paragraph is cut in two.
fn silent_lines(chapter: &Chapter) -> Vec<Range<usize>> {
    let text = chapter.source.text();
    let prints_nothing = |keyword| is_condition(keyword) || keyword == Keyword::Afirma;
    let ranges: Vec<Range<usize>> = chapter
        .directives()
        .filter(|directive| prints_nothing(directive.keyword))
        .map(|directive| directive.range.clone())
        .collect();
    let mut lines: Vec<Range<usize>> = vec![];
    for range in &ranges {
        let start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
        let end = text[range.end..].find('\n').map_or(text.len(), |at| range.end + at + 1);
        let mut rest = start..end;
        let mut blank = true;
        for inner in ranges.iter().filter(|inner| inner.start >= start && inner.end <= end) {
            blank &= text[rest.start..inner.start].trim().is_empty();
            rest.start = inner.end;
        }
        if blank && text[rest].trim().is_empty() {
            lines.push(start..end);
        }
    }
    lines
}

struct Writer<'a> {
    placed: &'a Placed<'a>,
    chapter: &'a Chapter,
    labels: &'a Labels,
    markdown: String,
    origin: Origin,
    fragments: Vec<Fragment>,
    claims: Vec<Claim>,
    downloads: Vec<Download>,
}

impl Writer<'_> {
    /// Copies a range of the source, without its silent lines.
    fn copy(&mut self, range: Range<usize>, silent: &[Range<usize>]) {
        let mut at = range.start;
        while at < range.end {
            if let Some(line) = silent.iter().find(|line| line.contains(&at)) {
                at = line.end;
                continue;
            }
            let next = silent.iter().map(|line| line.start).filter(|&start| start > at).min();
            let end = next.unwrap_or(range.end).min(range.end);
            self.origin.push(self.markdown.len(), at);
            self.markdown += &self.chapter.source.text()[at..end];
            at = end;
        }
    }

    /// Puts a fragment where the source has what it comes from.
    fn fragment(&mut self, at: usize, fragment: Fragment) {
        self.origin.push(self.markdown.len(), at);
        self.markdown += &mark(self.fragments.len());
        self.fragments.push(fragment);
    }

    /// Ends the chapter with its list of references, under a heading of that name
    /// unless the chapter's last line is one.
    fn references(&mut self, entries: Vec<BibliographyEntry>) {
        if entries.is_empty() {
            return;
        }
        let end = self.chapter.source.text().len();
        let heading = "## Referencias";
        let last = self.markdown.trim_end().lines().last().unwrap_or_default();
        self.origin.push(self.markdown.len(), end);
        if last.trim() != heading {
            self.markdown += &format!("\n\n{heading}");
        }
        self.markdown += "\n\n";
        self.fragment(end, Fragment::Bibliography(entries));
        self.markdown.push('\n');
    }

    fn directive(&mut self, directive: &Directive, found: &mut Diagnostics) {
        let source = &self.chapter.source;
        match (directive.keyword, &self.placed.evaluation) {
            (Keyword::Si | Keyword::SiNo | Keyword::Fin, _) => {}
            (Keyword::Ref, _) => self.reference(directive, found),
            (Keyword::Codigo, _) => self.code(directive, found),
            (Keyword::Tabla, Evaluation::Impossible) => {
                self.chapter.table(&directive.argument, found);
            }
            (Keyword::Figura, Evaluation::Impossible) => {
                self.chapter.figure(&directive.argument, found);
            }
            (_, Evaluation::Impossible) => {}
            (_, Evaluation::WithoutData) => found.push(no_data(self.chapter, directive)),
            (Keyword::Valor | Keyword::Elige, Evaluation::Over(context)) => {
                if let Some(printed) = context.print(directive, source, found) {
                    self.fragment(directive.range.start, Fragment::Value(printed));
                }
            }
            (Keyword::Afirma, Evaluation::Over(context)) => self.assert(directive, context, found),
            (Keyword::Tabla | Keyword::Figura, Evaluation::Over(_)) => {
                let kind = kind_of(directive).unwrap_or_default();
                let made = self.placed.made.get(&format!("{kind}:{}", directive.argument.text));
                if let Some((fragment, files)) = made {
                    self.downloads.extend(files.iter().cloned());
                    self.fragment(directive.range.start, fragment.clone());
                }
            }
        }
    }

    fn assert(&mut self, directive: &Directive, context: &Context, found: &mut Diagnostics) {
        let argument = &directive.argument;
        let source = &self.chapter.source;
        let holds = context.study.engine().holds(&argument.text, context.scope());
        self.claims.push(Claim {
            expression: argument.text.clone(),
            message: directive.option("mensaje").map(|message| message.text.clone()),
            holds: holds.as_ref().ok().copied(),
            inputs: context.inputs(&argument.text).into_iter().map(|input| input.name).collect(),
            offset: directive.range.start,
        });
        match holds {
            Ok(true) => {}
            Ok(false) => found.push(broken_claim(directive, source, context)),
            Err(fault) => {
                context.report(&fault, &argument.text, source, argument.range.clone(), found);
            }
        }
    }

    /// Whether a reference leaves out the title of the other chapter.
    fn is_short(&self, directive: &Directive, found: &mut Diagnostics) -> bool {
        let Some(format) = directive.option("formato") else { return false };
        if format.text != "corto" {
            let place = self.chapter.source.place(format.range.clone());
            let message = format!("no existe el formato «{}» para una referencia", format.text);
            let hint = "el único es «corto»: sin el título del otro capítulo".to_owned();
            found.push(Diagnostic::new(code::DIRECTIVE, place, message).hint(Some(hint)));
        }
        true
    }

    fn reference(&mut self, directive: &Directive, found: &mut Diagnostics) {
        let wanted = &directive.argument.text;
        // A slug may have slashes, and a label's name comes after its colon.
        let kind = wanted.find(':').unwrap_or(wanted.len());
        let (only, name) = match wanted[..kind].rfind('/') {
            Some(at) => (Some(&wanted[..at]), &wanted[at + 1..]),
            None => (None, wanted.as_str()),
        };
        let own = only.is_none_or(|only| only == self.chapter.slug);
        let mut labels = self.placed.labels.iter();
        if let Some(label) = labels.find(|label| own && label.name == name) {
            self.link(directive, label, label.heading(), None);
            return;
        }
        let elsewhere = |(slug, (_, labels)): &(&String, &(String, Vec<Label>))| {
            **slug != self.chapter.slug
                && only.is_none_or(|only| only == slug.as_str())
                && labels.iter().any(|label| label.name == name)
        };
        let matches: Vec<_> = self.labels.chapters.iter().filter(elsewhere).collect();
        let place = self.chapter.source.place(directive.argument.range.clone());
        match matches[..] {
            [(slug, (title, labels))] => {
                let Some(label) = labels.iter().find(|label| label.name == name) else { return };
                let text = match self.is_short(directive, found) {
                    true => label.heading(),
                    false => format!("{} de «{title}»", label.heading()),
                };
                self.link(directive, label, text, Some(slug));
            }
            [] if !self.labels.complete => {}
            [] => {
                let message = format!("«{wanted}» no está en ningún capítulo");
                let hint = self.nearest_label(wanted);
                found.push(Diagnostic::new(code::UNKNOWN_LABEL, place, message).hint(hint));
            }
            _ => {
                let slugs: Vec<_> =
                    matches.iter().map(|(slug, _)| format!("{slug}/{name}")).collect();
                let message = format!("«{wanted}» está en varios capítulos");
                let hint = format!("diga cuál: {}", slugs.join(", "));
                found.push(Diagnostic::new(code::AMBIGUOUS_LABEL, place, message).hint(Some(hint)));
            }
        }
    }

    /// A link to a table or figure, or only its words when it could not be made.
    fn link(&mut self, directive: &Directive, label: &Label, text: String, chapter: Option<&str>) {
        if !label.made {
            self.markdown += &text;
            return;
        }
        let chapter = chapter.map(str::to_owned);
        let reference = Reference { text, chapter, anchor: label.anchor() };
        self.fragment(directive.range.start, Fragment::Reference(reference));
    }

    /// The label meant, `tabla:` and `figura:` being easily forgotten.
    fn nearest_label(&self, wanted: &str) -> Option<String> {
        let others = self.labels.chapters.values().flat_map(|(_, labels)| labels);
        let all: BTreeSet<&str> =
            self.placed.labels.iter().chain(others).map(|label| label.name.as_str()).collect();
        let without_kind = all.iter().find(|name| name.split(':').nth(1) == Some(wanted));
        match without_kind {
            Some(name) => Some(format!("¿quiso decir «{name}»?")),
            None => did_you_mean(wanted, all.iter().copied()),
        }
    }

    fn code(&mut self, directive: &Directive, found: &mut Diagnostics) {
        let wanted = &directive.argument.text;
        let tables = &self.chapter.tables;
        let figures = &self.chapter.figures;
        let (text, file) = match wanted.split_once(':') {
            Some(("tabla", name)) => (tables.verbatim(name), "tablas.yaml"),
            Some(("figura", name)) => (figures.verbatim(name), "figuras.yaml"),
            _ => (String::new(), ""),
        };
        if text.is_empty() {
            let names: Vec<String> = tables
                .entries
                .keys()
                .map(|name| format!("tabla:{name}"))
                .chain(figures.entries.keys().map(|name| format!("figura:{name}")))
                .collect();
            let place = self.chapter.source.place(directive.argument.range.clone());
            let message = format!("«{wanted}» no está declarada en el capítulo");
            let hint = did_you_mean(wanted, names.iter().map(String::as_str));
            found.push(Diagnostic::new(code::UNKNOWN_LABEL, place, message).hint(hint));
            return;
        }
        let label = self.placed.labels.iter().find(|label| label.name == *wanted);
        let title = match label {
            Some(label) => format!("Código de la {}", label.heading()),
            None => format!("Código de «{wanted}»"),
        };
        self.fragment(
            directive.range.start,
            Fragment::Code(Code { title, file: file.into(), text }),
        );
    }
}

/// A claim that stopped being true: the sentence, what was expected, what is.
fn broken_claim(directive: &Directive, source: &Source, context: &Context) -> Diagnostic {
    let argument = &directive.argument;
    let message = match directive.option("mensaje") {
        Some(text) => format!("la afirmación dejó de ser cierta: {}", text.text),
        None => "la afirmación dejó de ser cierta".to_owned(),
    };
    let place = source.place(argument.range.clone());
    let mut diagnostic = Diagnostic::new(code::ASSERTION, place, message);
    if let Some(sentence) = sentence_before(source.text(), directive.range.start) {
        diagnostic = diagnostic.note(format!("frase: «{sentence}»"));
    }
    diagnostic = diagnostic.note(format!("esperado: {}", argument.text));
    let names = context.study.engine().names(&argument.text).unwrap_or_default();
    for path in &names.paths {
        if let Ok(value) = context.study.engine().eval(path, context.scope()) {
            let shown = super::text::machine(&value);
            let shown: String = shown.chars().take(120).collect();
            diagnostic = diagnostic.note(format!("encontrado: {path} = {shown}"));
        }
    }
    diagnostic
}

/// The last sentence before an offset, in its paragraph or the one before it.
fn sentence_before(text: &str, offset: usize) -> Option<String> {
    let before = text[..offset].trim_end();
    let paragraph = &before[before.rfind("\n\n").map_or(0, |at| at + 2)..];
    let words: Vec<&str> = paragraph.split_whitespace().collect();
    let joined = words.join(" ");
    let body = joined.trim_end_matches(['.', '?', '!']);
    let start = body.rfind(". ").map_or(0, |at| at + 2);
    let sentence = joined[start..].trim();
    let shown: String = sentence.chars().take(240).collect();
    (!shown.is_empty() && !shown.starts_with("<<")).then_some(shown)
}
