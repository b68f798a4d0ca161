//! A chapter's Markdown as the body of its page, in two passes: [`Parsed::new`]
//! names every heading, so that the links of all pages can be checked against
//! the ids of all others; [`Parsed::render`] then writes the HTML.

mod marks;
mod render;

use super::markup;
use super::search::{self, Part};
use super::slug::Ids;
use super::words::SPANISH;
use crate::diagnostics::{Diagnostic, Diagnostics, Place, code};
use crate::report::document::{Document, Fragment};
use pulldown_cmark::{
    CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, TextMergeWithOffset,
};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

pub use marks::{place, plain_text};
pub use render::Body;

/// An event and the bytes of the Markdown that gave it.
type Located<'a> = (Event<'a>, Range<usize>);

/// A section's title, for the table of contents.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Heading {
    /// 2 for a section, 3 for a subsection, and so on.
    pub nivel: usize,
    /// Id of its element.
    pub id: String,
    /// Plain text.
    pub texto: String,
}

/// A chapter after the first pass.
#[derive(Debug)]
pub struct Parsed<'a> {
    document: &'a Document,
    body: Vec<Located<'a>>,
    /// Footnotes by name: where each is defined, and its content.
    notes: BTreeMap<String, (Range<usize>, Vec<Located<'a>>)>,
    /// The chapter's title when it opens with one, and where that ends.
    title: Option<(String, usize)>,
    /// Its sections.
    pub headings: Vec<Heading>,
    /// Every id that its page will have and a link may name.
    pub ids: BTreeSet<String>,
}

impl<'a> Parsed<'a> {
    /// First pass: reads a chapter and names its headings.
    pub fn new(document: &'a Document, smart_punctuation: bool, found: &mut Diagnostics) -> Self {
        marks::check(document, found);
        let mut options = Options::ENABLE_TABLES
            | Options::ENABLE_FOOTNOTES
            | Options::ENABLE_STRIKETHROUGH
            | Options::ENABLE_TASKLISTS
            | Options::ENABLE_HEADING_ATTRIBUTES
            | Options::ENABLE_DEFINITION_LIST
            | Options::ENABLE_GFM;
        options.set(Options::ENABLE_SMART_PUNCTUATION, smart_punctuation);
        let parser = Parser::new_ext(&document.markdown, options).into_offset_iter();
        // `<<hola>>` is a quotation, not the tag `<hola>` between two signs.
        let quoted = |(event, range): Located<'a>| match event {
            Event::InlineHtml(html) if document.markdown[..range.start].ends_with('<') => {
                (Event::Text(html), range)
            }
            other => (other, range),
        };
        let events = TextMergeWithOffset::new(parser.map(quoted)).collect();
        let (body, notes) = take_notes(events);
        let (title, body) = take_title(document, body);
        let (headings, ids) = (vec![], BTreeSet::new());
        let mut parsed = Self { document, body, notes, title, headings, ids };
        parsed.name_headings(found);
        parsed
    }

    /// Gives every heading an id: its own `{#id}`, or its text's slug.
    fn name_headings(&mut self, found: &mut Diagnostics) {
        let mut ids = Ids::default();
        for (id, place) in self.given_ids() {
            if !ids.claim(&id) {
                let message = format!("el identificador «{id}» aparece dos veces en la página");
                found.push(Diagnostic::new(code::DUPLICATE_NAME, place, message));
            }
        }
        for at in 0..self.body.len() {
            let Event::Start(Tag::Heading { level, .. }) = &self.body[at].0 else { continue };
            let nivel = *level as usize;
            let texto = self.heading_text(at + 1);
            if let Event::Start(Tag::Heading { id, .. }) = &mut self.body[at].0 {
                let id = id.get_or_insert_with(|| ids.unique(&texto).into()).to_string();
                self.headings.push(Heading { nivel, id, texto });
            }
        }
        self.ids = ids.into_set();
    }

    /// The ids that are not ours to choose: of tables and figures, of raw HTML
    /// and of headings that state theirs.
    fn given_ids(&self) -> Vec<(String, Place)> {
        let document = self.document;
        let of_fragments =
            crate::report::document::marks(&document.markdown).filter_map(|(at, n)| {
                let id = match document.fragments.get(n)? {
                    Fragment::Table(table) => table.anchor(),
                    Fragment::Figure(figure) => figure.anchor(),
                    _ => return None,
                };
                Some((id, document.place(at)))
            });
        let all = self.body.iter().chain(self.notes.values().flat_map(|(_, events)| events));
        let of_events = all.flat_map(|(event, range)| {
            let ids: Vec<String> = match event {
                Event::Start(Tag::Heading { id: Some(id), .. }) => vec![id.to_string()],
                Event::Html(html) | Event::InlineHtml(html) => markup::ids(html).collect(),
                _ => vec![],
            };
            ids.into_iter().map(|id| (id, document.place(range.clone())))
        });
        of_fragments.chain(of_events).collect()
    }

    /// The chapter's title when it opens with one.
    pub fn title(&self) -> Option<&str> {
        self.title.as_ref().map(|(title, _)| title.as_str())
    }

    /// The text under each heading, for the search index; what stands before the
    /// first is under `title`, and footnotes are a section of their own.
    pub fn sections(&self, title: &str) -> Vec<Part> {
        let description = self.document.meta.description.clone().unwrap_or_default();
        let mut parts = vec![];
        let (mut id, mut heading) = (String::new(), title.to_owned());
        let mut text = description + " ";
        let mut headings = self.headings.iter();
        let mut in_heading = false;
        for (event, _) in &self.body {
            match event {
                Event::Start(Tag::Heading { .. }) => {
                    parts.push(Part::new(&id, &heading, &text));
                    text.clear();
                    in_heading = true;
                    let next = headings.next();
                    (id, heading) =
                        next.map(|one| (one.id.clone(), one.texto.clone())).unwrap_or_default();
                }
                Event::End(TagEnd::Heading(_)) => in_heading = false,
                event if !in_heading => self.add_text(event, &mut text),
                _ => {}
            }
        }
        parts.push(Part::new(&id, &heading, &text));
        let notes = self.notes.values().flat_map(|(_, events)| events);
        let mut text = String::new();
        notes.for_each(|(event, _)| self.add_text(event, &mut text));
        if !text.trim().is_empty() {
            parts.push(Part::new("pagina:notas", SPANISH.notas, &text));
        }
        parts
    }

    fn add_text(&self, event: &Event<'a>, text: &mut String) {
        match event {
            Event::Text(part) | Event::Code(part) => {
                *text += &marks::substitute(part, |index| {
                    self.document.fragments.get(index).map(search::text_of).unwrap_or_default()
                });
            }
            Event::SoftBreak
            | Event::HardBreak
            | Event::End(
                TagEnd::Paragraph
                | TagEnd::Item
                | TagEnd::TableCell
                | TagEnd::CodeBlock
                | TagEnd::DefinitionListTitle
                | TagEnd::DefinitionListDefinition,
            ) => text.push(' '),
            _ => {}
        }
    }

    fn heading_text(&self, start: usize) -> String {
        let inner = self.body[start..].iter().map(|(event, _)| event);
        plain_of(
            self.document,
            inner.take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_)))),
        )
    }
}

/// The text of inline events, marks replaced by what they print.
fn plain_of<'e, 'a: 'e>(
    document: &Document,
    events: impl Iterator<Item = &'e Event<'a>>,
) -> String {
    let mut text = String::new();
    for event in events {
        match event {
            Event::Text(part) | Event::Code(part) => text += &plain_text(document, part),
            Event::SoftBreak | Event::HardBreak => text.push(' '),
            _ => {}
        }
    }
    text.trim().to_owned()
}

/// Footnotes by name: where each is defined and its content.
type Notes<'a> = BTreeMap<String, (Range<usize>, Vec<Located<'a>>)>;

/// Separates the footnotes from the body. HTML blocks, which arrive line by
/// line, become one event each.
fn take_notes(events: Vec<Located<'_>>) -> (Vec<Located<'_>>, Notes<'_>) {
    let mut body = vec![];
    let mut notes = Notes::new();
    let mut note: Option<(CowStr<'_>, Range<usize>, Vec<Located<'_>>)> = None;
    let mut block: Option<(String, Range<usize>)> = None;
    for (event, range) in events {
        let event = match event {
            Event::Start(Tag::FootnoteDefinition(name)) => {
                note = Some((name, range, vec![]));
                continue;
            }
            Event::End(TagEnd::FootnoteDefinition) => {
                if let Some((name, range, content)) = note.take() {
                    notes.entry(name.to_string()).or_insert((range, content));
                }
                continue;
            }
            Event::Start(Tag::HtmlBlock) => {
                block = Some((String::new(), range));
                continue;
            }
            Event::Html(line) if block.is_some() => {
                block.iter_mut().for_each(|(html, _)| html.push_str(&line));
                continue;
            }
            Event::End(TagEnd::HtmlBlock) => Event::Html(block.take().unwrap_or_default().0.into()),
            other => other,
        };
        match &mut note {
            Some((.., content)) => content.push((event, range)),
            None => body.push((event, range)),
        }
    }
    (body, notes)
}

/// Takes a title that opens the chapter: the page prints it above everything.
fn take_title<'a>(
    document: &Document,
    mut body: Vec<Located<'a>>,
) -> (Option<(String, usize)>, Vec<Located<'a>>) {
    let opens = matches!(
        body.first(),
        Some((Event::Start(Tag::Heading { level: HeadingLevel::H1, .. }), _))
    );
    let end = body.iter().position(|(event, _)| matches!(event, Event::End(TagEnd::Heading(_))));
    match end.filter(|_| opens) {
        Some(end) => {
            let rest = body.split_off(end + 1);
            let title = plain_of(document, body.iter().map(|(event, _)| event));
            (Some((title, body[0].1.end)), rest)
        }
        None => (None, body),
    }
}

#[cfg(test)]
mod tests;
