//! Marks: every one of them is in the Markdown once, and reaches the page once.

use super::super::markup::{self, Piece, escape, escape_unquoted};
use crate::diagnostics::{Diagnostic, Diagnostics, Place, code};
use crate::report::document::{Document, MARK_END, MARK_START, marks};
use std::ops::Range;

/// A text with every mark replaced by its fragment's plain text.
pub fn plain_text(document: &Document, text: &str) -> String {
    substitute(text, |index| {
        document.fragments.get(index).map(|one| one.plain_text()).unwrap_or_default()
    })
}

/// Where a fragment's directive stands.
pub fn place(document: &Document, index: usize) -> Place {
    let at = marks(&document.markdown).find(|(_, mark)| *mark == index);
    at.map_or_else(|| (&document.source).into(), |(range, _)| document.place(range))
}

/// A text with every mark replaced by what `with` gives for its index.
pub(super) fn substitute(text: &str, mut with: impl FnMut(usize) -> String) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (range, index) in marks(text) {
        out += &text[at..range.start];
        out += &with(index);
        at = range.end;
    }
    out + &text[at..]
}

/// How often the page received each fragment.
#[derive(Debug)]
pub(super) struct Uses {
    /// As an element of the page.
    elements: Vec<usize>,
    /// As text of an attribute, which a link's definition may repeat.
    texts: Vec<usize>,
}

impl Uses {
    pub fn new(document: &Document) -> Self {
        let none = vec![0; document.fragments.len()];
        Self { elements: none.clone(), texts: none }
    }

    pub fn element(&mut self, index: usize) {
        self.elements.get_mut(index).into_iter().for_each(|count| *count += 1);
    }

    pub fn text(&mut self, index: usize) {
        self.texts.get_mut(index).into_iter().for_each(|count| *count += 1);
    }

    /// Reports the fragments that the page did not receive, or received twice.
    pub fn check(&self, document: &Document, found: &mut Diagnostics) {
        for (range, index) in marks(&document.markdown) {
            let message = match (self.elements.get(index), self.texts.get(index)) {
                (Some(0), Some(0)) => "esta directiva no llegó a la página",
                (Some(0 | 1), _) | (None, _) => continue,
                _ => "esta directiva llegó más de una vez a la página",
            };
            let finding = Diagnostic::new(code::PLACEHOLDER, document.place(range), message);
            found.push(finding.hint(Some(
                "está en un comentario, en un script, en código o en una nota sin llamada".into(),
            )));
        }
    }
}

/// Checks that marks and fragments correspond one to one.
pub(super) fn check(document: &Document, found: &mut Diagnostics) {
    let mut count = vec![0usize; document.fragments.len()];
    let mut whole = 0;
    for (range, index) in marks(&document.markdown) {
        whole += 1;
        match count.get_mut(index) {
            Some(times) if *times == 0 => *times = 1,
            other => {
                let what = if other.is_some() { "repetido" } else { "sin contenido" };
                let message = format!("marcador interno {what}");
                found.push(Diagnostic::new(code::PLACEHOLDER, document.place(range), message));
            }
        }
    }
    let broken = document.markdown.matches([MARK_START, MARK_END]).count() != 2 * whole;
    if broken || count.contains(&0) {
        let message = "los marcadores internos del capítulo no corresponden a sus directivas";
        found.push(Diagnostic::new(code::PLACEHOLDER, &document.source, message));
    }
}

/// A stretch of a text: itself, or a fragment.
pub(super) enum Part<'t> {
    Text(&'t str),
    Mark(usize),
}

/// Splits a text at its marks.
pub(super) fn split(text: &str) -> Vec<Part<'_>> {
    let mut parts = vec![];
    let mut at = 0;
    for (range, index) in marks(text) {
        if at < range.start {
            parts.push(Part::Text(&text[at..range.start]));
        }
        parts.push(Part::Mark(index));
        at = range.end;
    }
    if at < text.len() {
        parts.push(Part::Text(&text[at..]));
    }
    parts
}

/// A change to a stretch of raw HTML.
type Edit = (Range<usize>, String);

/// Raw HTML with its marks replaced: by elements in text, by escaped plain text
/// in tags; and its links, resolved by `link` (which gets plain text).
pub(super) fn in_html(
    html: &str,
    mut element: impl FnMut(usize) -> String,
    mut plain: impl FnMut(usize) -> String,
    mut link: impl FnMut(&str) -> String,
) -> String {
    let mut edits: Vec<Edit> = vec![];
    for piece in markup::pieces(html) {
        match piece {
            Piece::Text(range) => {
                let (start, text) = (range.start, &html[range]);
                edits.extend(
                    marks(text).map(|(at, n)| (at.start + start..at.end + start, element(n))),
                );
            }
            Piece::Tag(tag) => edit_tag(html, &tag, &mut plain, &mut link, &mut edits),
            Piece::Opaque(_) => {}
        }
    }
    apply(html, edits)
}

fn edit_tag(
    html: &str,
    tag: &markup::Tag,
    plain: &mut impl FnMut(usize) -> String,
    link: &mut impl FnMut(&str) -> String,
    edits: &mut Vec<Edit>,
) {
    for attribute in &tag.attributes {
        let name = html[attribute.name.clone()].to_ascii_lowercase();
        let value = &html[attribute.value.clone()];
        let escape_value = |text: &str| match attribute.quoted {
            true => escape(text).into_owned(),
            false => escape_unquoted(text),
        };
        let is_link = matches!(name.as_str(), "href" | "src" | "poster");
        if is_link && !value.is_empty() {
            let text = markup::unescape(&substitute(value, &mut *plain));
            edits.push((attribute.value.clone(), escape_value(&link(&text))));
        } else if value.contains(MARK_START) {
            let text = substitute(value, |index| escape_value(&plain(index)));
            edits.push((attribute.value.clone(), text));
        }
    }
}

fn apply(text: &str, edits: Vec<Edit>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (range, new) in edits {
        out += &text[at..range.start];
        out += &new;
        at = range.end;
    }
    out + &text[at..]
}
