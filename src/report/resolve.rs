//! From chapters and results to documents.
//!
//! Two passes: the first decides which branches of the conditions stand and
//! numbers tables and figures; the second, when every chapter's labels are known,
//! prints values, draws, and links.

use super::chapter::{Chapter, fault_at, text_pieces};
use super::citations::{self, Cite, Formatted};
use super::directives::{Directive, Keyword, Piece};
use super::document::{
    BibliographyEntry, Code, DataNotice, Document, Download, Fragment, Meta, Origin, Reference,
    mark,
};
use super::text::Context;
use super::{figures, tables};
use crate::diagnostics::{Diagnostic, Diagnostics, Source, code, did_you_mean};
use crate::yaml::Located;
use std::collections::BTreeMap;
use std::ops::Range;

/// A table or figure that a chapter places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// `tabla:items_anomalos`.
    pub name: String,
    /// Its number in the chapter.
    pub number: usize,
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

/// The standing pieces of a chapter, with its labels.
#[derive(Debug)]
pub struct Placed<'a> {
    chapter: &'a Chapter,
    pieces: Vec<&'a Piece>,
    /// Tables and figures placed, in order.
    pub labels: Vec<Label>,
}

/// Labels of every chapter: slug, title and labels.
pub type Labels = BTreeMap<String, (String, Vec<Label>)>;

/// First pass: which pieces stand, and the numbers of tables and figures.
pub fn place<'a>(
    chapter: &'a Chapter,
    context: Option<&Context>,
    found: &mut Diagnostics,
) -> Placed<'a> {
    let mut open: Vec<Condition> = vec![];
    let mut placed = Placed { chapter, pieces: vec![], labels: vec![] };
    for piece in &chapter.pieces {
        let stands = open.iter().all(|condition| condition.stands);
        match piece {
            Piece::Directive(directive) if is_condition(directive.keyword) => {
                update(&mut open, directive, stands, chapter, context, found);
                // Kept, so that its line goes with it.
                placed.pieces.push(piece);
            }
            Piece::Directive(directive) if stands => {
                placed.label(directive, found);
                placed.pieces.push(piece);
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
    context: Option<&Context>,
    found: &mut Diagnostics,
) {
    let mut misplaced = |message: &str| {
        let place = chapter.source.place(directive.range.clone());
        found.push(Diagnostic::new(code::DIRECTIVE, place, message));
    };
    match directive.keyword {
        Keyword::Si => {
            // Inside a branch that does not stand nothing is evaluated.
            let holds =
                if stands { holds(directive, chapter, context, found) } else { Some(false) };
            open.push(Condition {
                stands: holds == Some(true),
                turned: false,
                failed: holds.is_none(),
                range: directive.range.clone(),
            });
        }
        Keyword::SiNo => match open.last_mut() {
            Some(condition) if condition.turned => {
                misplaced("esta condición ya tiene «<< si_no >>»")
            }
            Some(condition) => {
                condition.turned = true;
                condition.stands = !condition.stands && !condition.failed;
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
    found.check(result.map_err(|fault| fault_at(&fault, &chapter.source, argument.range.clone())))
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
    fn label(&mut self, directive: &Directive, found: &mut Diagnostics) {
        let kind = match directive.keyword {
            Keyword::Tabla => "tabla",
            Keyword::Figura => "figura",
            _ => return,
        };
        let name = format!("{kind}:{}", directive.argument.text);
        if self.labels.iter().any(|label| label.name == name) {
            let place = self.chapter.source.place(directive.argument.range.clone());
            let message = format!("«{name}» ya está en el capítulo: solo puede aparecer una vez");
            let hint = format!("para volver a nombrarla: << ref \"{name}\" >>");
            found.push(Diagnostic::new(code::DUPLICATE_NAME, place, message).hint(Some(hint)));
            return;
        }
        let prefix = format!("{kind}:");
        let number = self.labels.iter().filter(|l| l.name.starts_with(&prefix)).count() + 1;
        self.labels.push(Label { name, number });
    }

    /// The title of the chapter, for references from other chapters.
    pub fn title(&self, context: Option<&Context>, found: &mut Diagnostics) -> String {
        let titulo = &self.chapter.front.titulo;
        match context {
            Some(context) => context.plain(titulo, &self.chapter.source, found),
            None => text_without_data(titulo, &self.chapter.source, found),
        }
    }

    /// Second pass: the chapter as a document.
    pub fn document(
        &self,
        context: Option<&Context>,
        labels: &Labels,
        data: Vec<DataNotice>,
        found: &mut Diagnostics,
    ) -> Document {
        let mut writer = Writer {
            chapter: self.chapter,
            context,
            labels,
            own: &self.labels,
            markdown: String::new(),
            origin: Origin::default(),
            fragments: vec![],
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
        let meta = self.meta(context, found);
        Document {
            slug: self.chapter.slug.clone(),
            source: self.chapter.source.clone(),
            meta,
            markdown: writer.markdown,
            origin: writer.origin,
            fragments: writer.fragments,
            data,
            downloads: writer.downloads,
        }
    }

    /// The citations that stand, written, and what they cite.
    fn citations(&self) -> Formatted {
        let cites: Vec<&Cite> = self.pieces.iter().filter_map(|piece| piece.cite()).collect();
        citations::format(&cites, self.chapter.bibliography.as_ref())
    }

    fn meta(&self, context: Option<&Context>, found: &mut Diagnostics) -> Meta {
        let front = &self.chapter.front;
        let source = &self.chapter.source;
        let description = front.descripcion.as_ref().map(|text| match context {
            Some(context) => context.plain(text, source, found),
            None => text_without_data(text, source, found),
        });
        Meta {
            title: self.title(context, found),
            authors: front.autores.clone(),
            date: found.check(front.date(source)).flatten(),
            description,
            draft: front.borrador,
        }
    }
}

/// A text of the front matter of a chapter that reads no data.
fn text_without_data(text: &Located<String>, source: &Source, found: &mut Diagnostics) -> String {
    let (pieces, _) = text_pieces(text, source);
    if pieces.iter().any(|(_, piece)| matches!(piece, Piece::Directive(_))) {
        let message = "las directivas necesitan datos y el capítulo no los declara";
        found.push(Diagnostic::new(code::DIRECTIVE, text.place(source), message));
    }
    pieces.into_iter().map(|(copied, _)| copied).collect()
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
    chapter: &'a Chapter,
    context: Option<&'a Context<'a>>,
    labels: &'a Labels,
    own: &'a [Label],
    markdown: String,
    origin: Origin,
    fragments: Vec<Fragment>,
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
        match (directive.keyword, self.context) {
            (Keyword::Si | Keyword::SiNo | Keyword::Fin, _) => {}
            (Keyword::Ref, _) => self.reference(directive, found),
            (Keyword::Codigo, _) => self.code(directive, found),
            (_, None) => found.push(no_data(self.chapter, directive)),
            (Keyword::Valor | Keyword::Elige, Some(context)) => {
                if let Some(printed) = context.print(directive, source, found) {
                    self.fragment(directive.range.start, Fragment::Value(printed));
                }
            }
            (Keyword::Afirma, Some(context)) => self.assert(directive, context, found),
            (Keyword::Tabla, Some(context)) => {
                let name = &directive.argument.text;
                let number = self.number("tabla", name);
                if let Some((table, csv)) =
                    tables::resolve(name, number, self.chapter, context, found)
                {
                    self.downloads.push(csv);
                    self.fragment(directive.range.start, Fragment::Table(table));
                }
            }
            (Keyword::Figura, Some(context)) => {
                let name = &directive.argument.text;
                let number = self.number("figura", name);
                let resolved = figures::resolve(name, number, self.chapter, context, found);
                if let Some((figure, files)) = resolved {
                    self.downloads.extend(files);
                    self.fragment(directive.range.start, Fragment::Figure(figure));
                }
            }
        }
    }

    fn number(&self, kind: &str, name: &str) -> usize {
        let full = format!("{kind}:{name}");
        self.own.iter().find(|label| label.name == full).map_or(0, |label| label.number)
    }

    fn assert(&self, directive: &Directive, context: &Context, found: &mut Diagnostics) {
        let argument = &directive.argument;
        let source = &self.chapter.source;
        match context.study.engine().holds(&argument.text, context.scope()) {
            Ok(true) => {}
            Ok(false) => found.push(broken_claim(directive, source, context)),
            Err(fault) => found.push(fault_at(&fault, source, argument.range.clone())),
        }
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
        if let Some(label) = self.own.iter().find(|label| own && label.name == name) {
            let reference =
                Reference { text: label.heading(), chapter: None, anchor: label.anchor() };
            self.fragment(directive.range.start, Fragment::Reference(reference));
            return;
        }
        let elsewhere = |(slug, (_, labels)): &(&String, &(String, Vec<Label>))| {
            **slug != self.chapter.slug
                && only.is_none_or(|only| only == slug.as_str())
                && labels.iter().any(|label| label.name == name)
        };
        let matches: Vec<_> = self.labels.iter().filter(elsewhere).collect();
        let place = self.chapter.source.place(directive.argument.range.clone());
        match matches[..] {
            [(slug, (title, labels))] => {
                let Some(label) = labels.iter().find(|label| label.name == name) else { return };
                let reference = Reference {
                    text: format!("{} de «{title}»", label.heading()),
                    chapter: Some(slug.clone()),
                    anchor: label.anchor(),
                };
                self.fragment(directive.range.start, Fragment::Reference(reference));
            }
            [] => {
                let message = format!("«{wanted}» no está en ningún capítulo");
                let names: Vec<&str> = self.all_labels();
                let hint = did_you_mean(wanted, names);
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

    fn all_labels(&self) -> Vec<&str> {
        let others = self.labels.values().flat_map(|(_, labels)| labels);
        self.own.iter().chain(others).map(|label| label.name.as_str()).collect()
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
        let label = self.own.iter().find(|label| label.name == *wanted);
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
