//! The passages of a chapter where directives and citations are passed over, asked
//! of the Markdown parser, which knows lists and quotes.

use pulldown_cmark::{Event, Options, Parser, Tag};
use std::ops::Range;

/// Byte ranges of code and HTML comments, in order.
pub(super) fn literal_ranges(text: &str) -> Vec<Range<usize>> {
    let mut ranges = vec![];
    for (event, range) in Parser::new_ext(text, markdown()).into_offset_iter() {
        match event {
            Event::Code(_) | Event::Start(Tag::CodeBlock(_)) => ranges.push(range),
            Event::Html(_) | Event::InlineHtml(_) => ranges.extend(comments(text, range)),
            _ => {}
        }
    }
    ranges.sort_by_key(|range| range.start);
    ranges
}

/// The Markdown of chapters, as far as it decides what is code.
fn markdown() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES
}

/// Byte ranges where an `@` is no citation: code, HTML, links, images and the
/// definitions of links.
pub(super) fn uncitable_ranges(text: &str) -> Vec<Range<usize>> {
    let parser = Parser::new_ext(text, markdown());
    let definitions = parser.reference_definitions().iter().map(|(_, one)| one.span.clone());
    let mut ranges: Vec<_> = literal_ranges(text).into_iter().chain(definitions).collect();
    for (event, range) in parser.into_offset_iter() {
        if matches!(
            event,
            Event::Html(_)
                | Event::InlineHtml(_)
                | Event::Start(Tag::Link { .. } | Tag::Image { .. } | Tag::HtmlBlock)
        ) {
            ranges.push(range);
        }
    }
    ranges
}

/// The HTML comments that begin in a range; one may go on beyond it, since an
/// HTML block reaches us line by line.
fn comments(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let mut found = vec![];
    let mut at = range.start;
    while let Some(start) = text[at..range.end].find("<!--").map(|start| at + start) {
        let end = text[start..].find("-->").map_or(text.len(), |end| start + end + 3);
        found.push(start..end);
        if end >= range.end {
            break;
        }
        at = end;
    }
    found
}
