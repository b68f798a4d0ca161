//! Second pass: events to HTML, with fragments, links and footnotes in place.

use super::super::markup::escape;
use super::super::resolve::Targets;
use super::super::words::SPANISH;
use super::marks::{self, Part, Uses};
use super::{Located, Parsed, plain_text};
use crate::diagnostics::{Diagnostic, Diagnostics, code};
use crate::report::document::{Document, Fragment};
use pulldown_cmark::{Alignment, CodeBlockKind, CowStr, Event, Tag, TagEnd};
use std::collections::BTreeSet;
use std::ops::Range;

/// The body of a page.
#[derive(Debug, Default, PartialEq)]
pub struct Body {
    /// The text.
    pub html: String,
    /// Its footnotes, or nothing.
    pub notes: Option<String>,
}

impl Body {
    /// The printed values that have an element of their own, by number. A page has
    /// hundreds of them and thousands of other elements: only their ids are read.
    pub fn values(&self) -> BTreeSet<usize> {
        let texts = [&*self.html, self.notes.as_deref().unwrap_or_default()];
        texts.into_iter().flat_map(value_ids).collect()
    }
}

fn value_ids(html: &str) -> impl Iterator<Item = usize> {
    memchr::memmem::find_iter(html.as_bytes(), "id=").filter_map(|at| {
        let id = html[at + 3..].trim_start_matches(['"', '\'']).strip_prefix("valor:")?;
        let end = id.find(|c: char| !c.is_ascii_digit()).unwrap_or(id.len());
        id[..end].parse().ok()
    })
}

impl Parsed<'_> {
    /// Second pass: `fragments` holds the HTML of each fragment, `chapter` is the
    /// chapter's file; the files that the text shows are added to `assets`.
    pub fn render(
        &self,
        chapter: &str,
        targets: &Targets,
        fragments: &[String],
        assets: &mut BTreeSet<String>,
        found: &mut Diagnostics,
    ) -> Body {
        let document = self.document;
        let mut writer = Writer {
            document,
            chapter,
            targets,
            fragments,
            assets,
            found,
            uses: Uses::new(document),
            called: vec![],
            calls: vec![],
            alignments: vec![],
            column: 0,
            in_head: false,
            in_code: false,
            open: vec![],
            out: vec![],
        };
        // The title that opens the chapter is printed by the page.
        if let Some((_, end)) = self.title {
            let lead = &document.markdown[..end];
            crate::report::document::marks(lead).for_each(|(_, index)| writer.uses.text(index));
        }
        let html = writer.html(&self.body);
        let notes = writer.notes(self);
        writer.uses.check(document, writer.found);
        Body { html, notes }
    }
}

struct Writer<'w, 'a> {
    document: &'a Document,
    chapter: &'w str,
    targets: &'w Targets,
    fragments: &'w [String],
    assets: &'w mut BTreeSet<String>,
    found: &'w mut Diagnostics,
    uses: Uses,
    /// Footnotes in order of first call.
    called: Vec<String>,
    /// How often each of them was called.
    calls: Vec<usize>,
    alignments: Vec<Alignment>,
    column: usize,
    in_head: bool,
    in_code: bool,
    /// The open inline elements and headings.
    open: Vec<TagEnd>,
    out: Vec<Event<'a>>,
}

impl<'a> Writer<'_, 'a> {
    fn html(&mut self, events: &[Located<'a>]) -> String {
        let outer = std::mem::take(&mut self.out);
        let mut at = 0;
        while let Some((event, range)) = events.get(at) {
            if let Event::Start(Tag::Paragraph) = event {
                let inner = events[at + 1..].iter();
                let length =
                    inner.take_while(|(event, _)| *event != Event::End(TagEnd::Paragraph)).count();
                self.paragraph(&events[at + 1..at + 1 + length]);
                at += length + 2;
            } else {
                self.event(event.clone(), range.clone());
                at += 1;
            }
        }
        let mut html = String::new();
        let events = std::mem::replace(&mut self.out, outer);
        pulldown_cmark::html::push_html(&mut html, events.into_iter());
        html
    }

    /// A paragraph, or several when tables and figures stand between its lines.
    fn paragraph(&mut self, events: &[Located<'a>]) {
        let outer = std::mem::take(&mut self.out);
        for (event, range) in events {
            self.event(event.clone(), range.clone());
        }
        let inner = std::mem::replace(&mut self.out, outer);
        let mut line: Vec<Event<'a>> = vec![];
        for event in inner {
            match event {
                Event::Html(block) => {
                    self.close_paragraph(std::mem::take(&mut line));
                    self.out.push(Event::Html(block));
                }
                other => line.push(other),
            }
        }
        self.close_paragraph(line);
    }

    fn close_paragraph(&mut self, mut line: Vec<Event<'a>>) {
        let blank = |event: &Event<'_>| match event {
            Event::SoftBreak | Event::HardBreak => true,
            Event::Text(text) => text.trim().is_empty(),
            _ => false,
        };
        while line.last().is_some_and(blank) {
            line.pop();
        }
        let start = line.iter().take_while(|event| blank(event)).count();
        if start < line.len() {
            self.out.push(Event::Start(Tag::Paragraph));
            self.out.extend(line.drain(start..));
            self.out.push(Event::End(TagEnd::Paragraph));
        }
    }

    fn event(&mut self, event: Event<'a>, range: Range<usize>) {
        match event {
            Event::Text(text) => self.text(text, range),
            Event::Html(html) => {
                let html = self.raw_html(&html, range);
                self.out.push(Event::Html(html.into()));
            }
            Event::InlineHtml(html) => {
                let html = self.raw_html(&html, range);
                self.out.push(Event::InlineHtml(html.into()));
            }
            Event::FootnoteReference(name) => self.call_note(&name),
            Event::Start(tag) => self.start(tag, range),
            Event::End(TagEnd::Image) => self.close_image(range),
            Event::End(tag) => self.end(tag),
            other => self.out.push(other),
        }
    }

    fn start(&mut self, tag: Tag<'a>, range: Range<usize>) {
        match tag {
            Tag::Table(alignments) => {
                self.alignments = alignments;
                let label = SPANISH.tabla;
                let html = format!(
                    "<div class=\"desliza\" tabindex=\"0\" role=\"group\" aria-label=\"{label}\"><table>"
                );
                self.out.push(Event::Html(html.into()));
            }
            Tag::TableHead => {
                self.in_head = true;
                self.column = 0;
                self.block("<thead><tr>");
            }
            Tag::TableRow => {
                self.column = 0;
                self.block("<tr>");
            }
            Tag::TableCell => self.open_cell(),
            Tag::CodeBlock(kind) => self.open_code(&kind),
            Tag::Link { link_type, dest_url, title, id } => {
                let dest_url = self.address(&dest_url, range).into();
                let title = self.attribute(&title).into();
                self.open.push(TagEnd::Link);
                self.out.push(Event::Start(Tag::Link { link_type, dest_url, title, id }));
            }
            Tag::Image { link_type, dest_url, title, id } => {
                let dest_url = self.address(&dest_url, range).into();
                let title = self.attribute(&title).into();
                self.open.push(TagEnd::Image);
                self.out.push(Event::Start(Tag::Image { link_type, dest_url, title, id }));
            }
            tag => {
                let end = tag.to_end();
                if is_phrasing(end) {
                    self.open.push(end);
                }
                self.out.push(Event::Start(tag));
            }
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Table => self.block("</tbody></table></div>\n"),
            TagEnd::TableHead => {
                self.in_head = false;
                self.block("</tr></thead><tbody>\n");
            }
            TagEnd::TableRow => self.block("</tr>\n"),
            TagEnd::TableCell => {
                self.open.pop();
                self.block(if self.in_head { "</th>" } else { "</td>" });
            }
            TagEnd::CodeBlock => {
                self.in_code = false;
                self.block("</code></pre>\n");
            }
            tag => {
                if is_phrasing(tag) {
                    self.open.pop();
                }
                if let TagEnd::Heading(_) = tag {
                    self.anchor();
                }
                self.out.push(Event::End(tag));
            }
        }
    }

    /// An image says what it shows.
    fn close_image(&mut self, range: Range<usize>) {
        let start =
            self.out.iter().rposition(|event| matches!(event, Event::Start(Tag::Image { .. })));
        let alt = self.out[start.unwrap_or(0)..].iter();
        if !alt.clone().any(|event| matches!(event, Event::Text(_) | Event::Code(_))) {
            let place = self.document.place(range);
            let message = "la imagen no tiene descripción";
            let finding = Diagnostic::new(code::NO_DESCRIPTION, place, message);
            self.found.push(finding.hint(Some("![qué muestra](archivo)".into())));
        }
        self.open.pop();
        self.out.push(Event::End(TagEnd::Image));
    }

    fn block(&mut self, html: &'static str) {
        self.out.push(Event::Html(html.into()));
    }

    /// A cell; every header cell says what it heads.
    fn open_cell(&mut self) {
        let class = match self.alignments.get(self.column) {
            Some(Alignment::Right) => " class=\"derecha\"",
            Some(Alignment::Center) => " class=\"centro\"",
            _ => "",
        };
        let html = match self.in_head {
            true => format!("<th scope=\"col\"{class}>"),
            false => format!("<td{class}>"),
        };
        self.out.push(Event::Html(html.into()));
        self.open.push(TagEnd::TableCell);
        self.column += 1;
    }

    /// Code that is wider than the page scrolls, also with the keyboard.
    fn open_code(&mut self, kind: &CodeBlockKind<'_>) {
        self.in_code = true;
        let language = match kind {
            CodeBlockKind::Fenced(info) => info.split([' ', ',']).next().unwrap_or_default(),
            CodeBlockKind::Indented => "",
        };
        let class = match language {
            "" => String::new(),
            name => format!(" class=\"language-{}\"", escape(name)),
        };
        self.out.push(Event::Html(format!("<pre tabindex=\"0\"><code{class}>").into()));
    }

    /// The link of a section to itself.
    fn anchor(&mut self) {
        let start = self.out.iter().rev().find_map(|event| match event {
            Event::Start(Tag::Heading { id: Some(id), .. }) => Some(id.to_string()),
            _ => None,
        });
        if let Some(id) = start {
            let html = format!(
                " <a class=\"ancla\" href=\"#{}\" aria-label=\"{}\">#</a>",
                escape(&id),
                SPANISH.enlace_seccion
            );
            self.out.push(Event::InlineHtml(html.into()));
        }
    }

    fn text(&mut self, text: CowStr<'a>, range: Range<usize>) {
        if self.in_code {
            return self.out.push(Event::Text(text));
        }
        if let Some(name) = undefined_note(&text) {
            let message = format!("la nota al pie «{name}» no está definida");
            let place = self.document.place(range);
            self.found.push(Diagnostic::new(code::DEAD_LINK, place, message));
        }
        if crate::report::document::marks(&text).next().is_none() {
            return self.out.push(Event::Text(text));
        }
        for part in marks::split(&text) {
            match part {
                Part::Text(text) => self.out.push(Event::Text(text.to_owned().into())),
                Part::Mark(index) => self.mark(index),
            }
        }
    }

    /// A mark in the text: an element where one fits, plain text where not.
    fn mark(&mut self, index: usize) {
        let Some(fragment) = self.document.fragments.get(index) else { return };
        let fits = match fragment {
            Fragment::Value(_) => true,
            Fragment::Reference(_) | Fragment::Citation(_) => {
                !self.within(|tag| matches!(tag, TagEnd::Heading(_) | TagEnd::Link))
            }
            _ => self.open.is_empty(),
        };
        if fits && !self.within(|tag| tag == TagEnd::Image) {
            self.uses.element(index);
            let html = self.fragments.get(index).cloned().unwrap_or_default().into();
            let block = fragment.is_block();
            self.out.push(if block { Event::Html(html) } else { Event::InlineHtml(html) });
            return;
        }
        self.uses.text(index);
        if fragment.is_block() {
            let message = format!("{} no cabe aquí", fragment.plain_text());
            let place = marks::place(self.document, index);
            let finding = Diagnostic::new(code::DIRECTIVE, place, message);
            let hint = "póngala sola, entre dos párrafos: no en un título, enlace, celda o énfasis";
            self.found.push(finding.hint(Some(hint.into())));
        }
        self.out.push(Event::Text(fragment.plain_text().into()));
    }

    fn within(&self, wanted: impl Fn(TagEnd) -> bool) -> bool {
        self.open.iter().any(|&tag| wanted(tag))
    }

    /// The text of an attribute.
    fn attribute(&mut self, text: &str) -> String {
        crate::report::document::marks(text).for_each(|(_, index)| self.uses.text(index));
        plain_text(self.document, text)
    }

    /// The address of a link, resolved; a dead one is reported and left.
    fn address(&mut self, written: &str, range: Range<usize>) -> String {
        let address = self.attribute(written);
        match self.targets.resolve(self.chapter, &address, self.assets) {
            Ok(resolved) => resolved,
            Err(dead) => {
                let place = self.document.place(range);
                let finding = Diagnostic::new(code::DEAD_LINK, place, dead.message);
                self.found.push(finding.hint(dead.hint));
                address
            }
        }
    }

    fn raw_html(&mut self, html: &str, range: Range<usize>) -> String {
        let (document, fragments) = (self.document, self.fragments);
        let mut elements = vec![];
        let mut texts = vec![];
        let mut links = vec![];
        // Three closures cannot share `self`: they note what the pass then counts.
        let first = marks::in_html(
            html,
            |index| {
                elements.push(index);
                fragments.get(index).cloned().unwrap_or_default()
            },
            |index| {
                texts.push(index);
                document.fragments.get(index).map(Fragment::plain_text).unwrap_or_default()
            },
            |address| {
                links.push(address.to_owned());
                match self.targets.resolve(self.chapter, address, self.assets) {
                    Ok(resolved) => resolved,
                    Err(dead) => {
                        let place = document.place(range.clone());
                        let finding = Diagnostic::new(code::DEAD_LINK, place, dead.message);
                        self.found.push(finding.hint(dead.hint));
                        address.to_owned()
                    }
                }
            },
        );
        elements.into_iter().for_each(|index| self.uses.element(index));
        texts.into_iter().for_each(|index| self.uses.text(index));
        first
    }

    fn call_note(&mut self, name: &str) {
        let index = self.called.iter().position(|one| one == name).unwrap_or_else(|| {
            self.called.push(name.to_owned());
            self.calls.push(0);
            self.called.len() - 1
        });
        self.calls[index] += 1;
        let number = index + 1;
        let call = self.calls[index];
        let id = if call == 1 { format!("n:{number}") } else { format!("n:{number}:{call}") };
        let html = format!(
            "<sup><a class=\"llamada\" id=\"{id}\" href=\"#nota:{number}\" role=\"doc-noteref\">{number}</a></sup>"
        );
        self.out.push(Event::InlineHtml(html.into()));
    }

    /// The footnotes, in order of call; a note may call others.
    fn notes(&mut self, parsed: &Parsed<'a>) -> Option<String> {
        let mut items = String::new();
        let mut next = 0;
        while next < self.called.len() {
            let content = parsed.notes.get(&self.called[next]).map(|(_, events)| &events[..]);
            let html = self.html(content.unwrap_or_default());
            let number = next + 1;
            let back = format!(
                " <a class=\"vuelta\" href=\"#n:{number}\" role=\"doc-backlink\" aria-label=\"{}\">↩</a>",
                SPANISH.volver
            );
            let html = match html.trim_end().strip_suffix("</p>") {
                Some(start) => format!("{start}{back}</p>"),
                None => format!("{html}{back}"),
            };
            items += &format!("<li id=\"nota:{number}\">{html}</li>\n");
            next += 1;
        }
        for (name, (range, _)) in &parsed.notes {
            if !self.called.contains(name) {
                let message = format!("la nota al pie «{name}» no tiene llamada en el texto");
                let place = self.document.place(range.clone());
                self.found.push(Diagnostic::new(code::DEAD_LINK, place, message));
            }
        }
        (!items.is_empty()).then_some(items)
    }
}

/// The name in a `[^name]` that Markdown left as text.
fn undefined_note(text: &str) -> Option<&str> {
    let start = text.find("[^")? + 2;
    let name = &text[start..start + text[start..].find(']')?];
    (!name.is_empty() && !name.contains(char::is_whitespace)).then_some(name)
}

/// What holds text but no blocks.
fn is_phrasing(tag: TagEnd) -> bool {
    matches!(
        tag,
        TagEnd::Heading(_)
            | TagEnd::Emphasis
            | TagEnd::Strong
            | TagEnd::Strikethrough
            | TagEnd::Link
            | TagEnd::Image
            | TagEnd::DefinitionListTitle
    )
}
