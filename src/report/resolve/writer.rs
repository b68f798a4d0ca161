//! The second pass: from the pieces that stand to the text of a document and its
//! fragments.

use super::conditions::{is_condition, no_data};
use super::{Evaluation, Label, Labels, Placed, kind_of};
use crate::diagnostics::{Diagnostic, Diagnostics, Source, code, did_you_mean};
use crate::report::chapter::Chapter;
use crate::report::directives::{Directive, Keyword};
use crate::report::document::{
    BibliographyEntry, Claim, Code, Download, Fragment, Origin, Reference, mark,
};
use crate::report::text::{Context, machine};
use std::collections::BTreeSet;
use std::ops::Range;

/// Byte ranges of the lines that hold nothing but directives that print nothing:
/// they leave the text with their line break, so that no paragraph is cut in two.
pub(super) fn silent_lines(chapter: &Chapter) -> Vec<Range<usize>> {
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

/// A document being written.
pub(super) struct Writer<'a> {
    pub(super) placed: &'a Placed<'a>,
    pub(super) chapter: &'a Chapter,
    pub(super) labels: &'a Labels,
    pub(super) markdown: String,
    pub(super) origin: Origin,
    pub(super) fragments: Vec<Fragment>,
    pub(super) claims: Vec<Claim>,
    pub(super) downloads: Vec<Download>,
}

impl Writer<'_> {
    /// Copies a range of the source, without its silent lines.
    pub(super) fn copy(&mut self, range: Range<usize>, silent: &[Range<usize>]) {
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
    pub(super) fn fragment(&mut self, at: usize, fragment: Fragment) {
        self.origin.push(self.markdown.len(), at);
        self.markdown += &mark(self.fragments.len());
        self.fragments.push(fragment);
    }

    /// Ends the chapter with its list of references, under a heading of that name
    /// unless the chapter's last line is one.
    pub(super) fn references(&mut self, entries: Vec<BibliographyEntry>) {
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

    pub(super) fn directive(&mut self, directive: &Directive, found: &mut Diagnostics) {
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
            let shown = machine(&value);
            let shown: String = shown.chars().take(120).collect();
            diagnostic = diagnostic.note(format!("encontrado: {path} = {shown}"));
        }
    }
    diagnostic
}

/// The last sentence before an offset, in its paragraph or the one before it.
fn sentence_before(text: &str, offset: usize) -> Option<String> {
    let before = text[..offset].trim_end();
    // The front matter is no sentence, and ends as a rule does.
    let before = before.rsplit_once("\n---\n").map_or(before, |(_, after)| after);
    let paragraph = &before[before.rfind("\n\n").map_or(0, |at| at + 2)..];
    let words: Vec<&str> = paragraph.split_whitespace().collect();
    let joined = words.join(" ");
    let body = joined.trim_end_matches(['.', '?', '!']);
    let start = body.rfind(". ").map_or(0, |at| at + 2);
    let sentence = joined[start..].trim();
    let shown: String = sentence.chars().take(240).collect();
    (!shown.is_empty() && !shown.starts_with("<<")).then_some(shown)
}
