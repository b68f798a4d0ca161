//! As much HTML as the site needs to read: the tags and attributes of raw HTML
//! in chapters and of finished pages. It never fails; what is no tag is text.

use std::borrow::Cow;
use std::ops::Range;

/// Escapes text for an element's content or a quoted attribute. Control
/// characters, which XML does not allow, are dropped.
pub fn escape(text: &str) -> Cow<'_, str> {
    let control = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    if !text.contains(|c| matches!(c, '&' | '<' | '>' | '"' | '\'') || control(c)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            c if control(c) => {}
            other => out.push(other),
        }
    }
    Cow::Owned(out)
}

/// Escapes text for an attribute that the author left without quotes.
pub fn escape_unquoted(text: &str) -> String {
    let mut out = escape(text).into_owned();
    for (from, to) in [(' ', "&#32;"), ('\n', "&#10;"), ('=', "&#61;"), ('`', "&#96;")] {
        out = out.replace(from, to);
    }
    out
}

/// Undoes [`escape`].
pub fn unescape(text: &str) -> String {
    let pairs = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
    pairs.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// A stretch of HTML.
#[derive(Debug, PartialEq)]
pub enum Piece {
    /// Text between tags.
    Text(Range<usize>),
    /// A start, end or empty tag.
    Tag(Tag),
    /// What the browser does not show as text: comments, declarations and the
    /// content of `<script>` and `<style>`.
    Opaque(Range<usize>),
}

/// A tag.
#[derive(Debug, PartialEq)]
pub struct Tag {
    /// From `<` to `>`.
    pub range: Range<usize>,
    /// Its name, as written; an end tag's begins with `/`.
    pub name: Range<usize>,
    /// Its attributes.
    pub attributes: Vec<Attribute>,
}

/// An attribute.
#[derive(Debug, PartialEq)]
pub struct Attribute {
    /// Its name, as written.
    pub name: Range<usize>,
    /// Its value, without quotes and still escaped.
    pub value: Range<usize>,
    /// Whether the value stands between quotes.
    pub quoted: bool,
}

/// Splits HTML into pieces that cover it from end to end.
pub fn pieces(html: &str) -> Vec<Piece> {
    let mut all = vec![];
    let (mut at, mut text) = (0, 0);
    while let Some(open) = html[at..].find('<').map(|found| found + at) {
        let Some((piece, end)) = markup_at(html, open) else {
            at = open + 1;
            continue;
        };
        if text < open {
            all.push(Piece::Text(text..open));
        }
        at = end;
        if let Piece::Tag(tag) = &piece
            && let Some(close) = raw_text_end(html, &html[tag.name.clone()], end)
        {
            all.push(piece);
            all.push(Piece::Opaque(end..close));
            at = close;
        } else {
            all.push(piece);
        }
        text = at;
    }
    if text < html.len() {
        all.push(Piece::Text(text..html.len()));
    }
    all
}

/// The piece that a `<` opens and where it ends.
fn markup_at(html: &str, open: usize) -> Option<(Piece, usize)> {
    let rest = &html[open..];
    let opaque = |close: &str| {
        let end = rest.find(close).map_or(html.len(), |at| open + at + close.len());
        Some((Piece::Opaque(open..end), end))
    };
    if rest.starts_with("<!--") {
        return opaque("-->");
    }
    if rest.starts_with("<!") || rest.starts_with("<?") {
        return opaque(">");
    }
    let name = open + 1..open + 1 + name_length(&rest[1..])?;
    let (attributes, end) = attributes(html, name.end);
    Some((Piece::Tag(Tag { range: open..end, name, attributes }), end))
}

fn name_length(text: &str) -> Option<usize> {
    let slash = usize::from(text.starts_with('/'));
    let name = &text[slash..];
    name.starts_with(|c: char| c.is_ascii_alphabetic()).then(|| {
        let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != ':');
        slash + end.unwrap_or(name.len())
    })
}

/// The attributes from `at` to the end of the tag, and where that is.
fn attributes(html: &str, mut at: usize) -> (Vec<Attribute>, usize) {
    let mut all = vec![];
    loop {
        at = skip(html, at, |c| c.is_whitespace() || c == '/');
        match html[at..].chars().next() {
            None => return (all, at),
            Some('>') => return (all, at + 1),
            _ => {}
        }
        let first = html[at..].chars().next().map_or(0, char::len_utf8);
        let end = skip(html, at + first, |c| !c.is_whitespace() && !matches!(c, '=' | '>' | '/'));
        let name = at..end;
        let equals = skip(html, end, char::is_whitespace);
        if !html[equals..].starts_with('=') {
            all.push(Attribute { name, value: end..end, quoted: true });
            at = end;
            continue;
        }
        let start = skip(html, equals + 1, char::is_whitespace);
        let quote = html[start..].chars().next().filter(|c| matches!(c, '"' | '\''));
        let (value, next) = match quote {
            Some(quote) => {
                let close = html[start + 1..].find(quote).map_or(html.len(), |n| start + 1 + n);
                (start + 1..close, (close + 1).min(html.len()))
            }
            None => {
                let close = skip(html, start, |c| !c.is_whitespace() && c != '>');
                (start..close, close)
            }
        };
        all.push(Attribute { name, value, quoted: quote.is_some() });
        at = next;
    }
}

fn skip(html: &str, at: usize, still: impl Fn(char) -> bool) -> usize {
    html[at..].find(|c| !still(c)).map_or(html.len(), |found| at + found)
}

/// Where the content of a `<script>` or `<style>` ends.
fn raw_text_end(html: &str, name: &str, start: usize) -> Option<usize> {
    let close = match name.to_ascii_lowercase().as_str() {
        "script" => "</script",
        "style" => "</style",
        _ => return None,
    };
    let rest = html[start..].to_ascii_lowercase();
    Some(rest.find(close).map_or(html.len(), |at| start + at))
}

/// The attributes of every tag: lower-case tag name, lower-case attribute name
/// and value, unescaped.
pub fn attributes_of(html: &str) -> impl Iterator<Item = (String, String, String)> + '_ {
    let tags = pieces(html).into_iter().filter_map(|piece| match piece {
        Piece::Tag(tag) => Some(tag),
        _ => None,
    });
    tags.flat_map(move |tag| {
        let name = html[tag.name].to_ascii_lowercase();
        tag.attributes.into_iter().map(move |one| {
            let attribute = html[one.name].to_ascii_lowercase();
            (name.clone(), attribute, unescape(&html[one.value]))
        })
    })
}

/// Every `id` of some HTML, in order.
pub fn ids(html: &str) -> impl Iterator<Item = String> + '_ {
    attributes_of(html).filter(|(_, name, _)| name == "id").map(|(.., value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn attributes_are_found_with_any_quotes() {
        let html = r#"<a href="x.md" title='a > b' id=uno hidden>t</a><br/>"#;
        let found: Vec<_> = attributes_of(html).map(|(_, name, value)| (name, value)).collect();
        let expected = [("href", "x.md"), ("title", "a > b"), ("id", "uno"), ("hidden", "")];
        let expected: Vec<_> =
            expected.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn comments_and_scripts_are_opaque() {
        let html = "a<!-- <b id=x> --><script>if (a<b) { id = 1 }</script>z < 3";
        assert_eq!(ids(html).count(), 0);
        assert!(matches!(pieces(html).last(), Some(Piece::Text(_))));
    }

    proptest! {
        #[test]
        fn pieces_cover_any_text(html in "[<>a-z=\"'/! ñ-]{0,60}") {
            let mut at = 0;
            for piece in pieces(&html) {
                let range = match piece {
                    Piece::Text(range) | Piece::Opaque(range) => range,
                    Piece::Tag(tag) => tag.range,
                };
                prop_assert_eq!(range.start, at);
                at = range.end;
            }
            prop_assert_eq!(at, html.len());
        }
    }
}
