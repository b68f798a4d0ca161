//! Pandoc's citation syntax: `[@chalmers2012; @yen1984, p. 127]`, `@clave` in
//! running text, `[-@clave]` without the author.
//!
//! A key follows an `@` that no letter or digit precedes, so that addresses of
//! electronic mail are not citations; nor is anything in code, in a comment, in
//! raw HTML or in a link. `\@` writes the sign itself.

use crate::diagnostics::{Diagnostic, Diagnostics, Source, code};
use crate::report::directives::{Argument, Piece};
use hayagriva::citationberg::taxonomy::Locator;
use std::ops::Range;

/// One citation, of one or several works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cite {
    /// Its bytes in the source.
    pub range: Range<usize>,
    /// How it stands in the sentence.
    pub form: Form,
    /// What it cites; at least one.
    pub works: Vec<CitedWork>,
}

/// How a citation stands in the sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// "(Chalmers, 2012)".
    Bracketed,
    /// "Chalmers (2012)".
    Narrative,
}

/// One of the works of a citation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CitedWork {
    /// Its key, without `@`.
    pub key: Argument,
    /// What stands before it: "véase".
    pub prefix: String,
    /// The part of it that is meant: "p. 127".
    pub locator: Option<(Locator, String)>,
    /// What stands after it.
    pub suffix: String,
    /// `-@clave`: the sentence has already named the author.
    pub without_author: bool,
}

/// What may stand before a number to say what it counts; the forms of Spanish
/// and, as in pandoc, those of English.
const LABELS: &[(Locator, &[&str])] = &[
    (
        Locator::Page,
        &["p.", "pp.", "pág.", "págs.", "página", "páginas", "pag.", "pags.", "page", "pages"],
    ),
    (Locator::Chapter, &["cap.", "caps.", "capítulo", "capítulos", "chap.", "chapter"]),
    (Locator::Section, &["sec.", "secs.", "sección", "secciones", "section", "§", "§§"]),
    (Locator::Paragraph, &["párr.", "párrs.", "párrafo", "párrafos", "para.", "¶", "¶¶"]),
    (Locator::Figure, &["fig.", "figs.", "figura", "figuras", "figure"]),
    (Locator::Table, &["tabla", "tablas", "table"]),
    (Locator::Equation, &["ec.", "ecs.", "ecuación", "ecuaciones", "eq."]),
    (Locator::Volume, &["vol.", "vols.", "volumen", "volúmenes", "volume"]),
    (Locator::Part, &["parte", "partes", "pt.", "part"]),
    (Locator::Appendix, &["apéndice", "apéndices", "anexo", "anexos", "appendix"]),
    (Locator::Note, &["nota", "notas", "n.", "note"]),
    (Locator::Line, &["línea", "líneas", "l.", "ll.", "line"]),
];

/// Splits the texts among `pieces` at their citations. `literal` holds the byte
/// ranges of the source where there is none.
pub fn split(
    source: &Source,
    pieces: Vec<Piece>,
    literal: &[Range<usize>],
) -> (Vec<Piece>, Diagnostics) {
    let mut found = Diagnostics::new();
    let mut out = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let Piece::Text(range) = piece else {
            out.push(piece);
            continue;
        };
        let mut reader = Reader { text: source.text(), end: range.end };
        let mut copied = range.start;
        let mut at = range.start;
        while let Some(open) = reader.next_open(at, literal) {
            let (end, cite) = reader.read(open);
            at = end;
            match cite {
                Ok(Some(cite)) => {
                    if copied < cite.range.start {
                        out.push(Piece::Text(copied..cite.range.start));
                    }
                    copied = cite.range.end;
                    out.push(Piece::Citation(cite));
                }
                Ok(None) => {}
                Err(fault) => {
                    let place = source.place(fault.range);
                    let hint = "cada obra lleva su clave: [@una; @otra, p. 12]".to_owned();
                    found.push(
                        Diagnostic::new(code::CITATION, place, fault.message).hint(Some(hint)),
                    );
                }
            }
        }
        if copied < range.end {
            out.push(Piece::Text(copied..range.end));
        }
    }
    (out, found)
}

/// Why something that looks like a citation is none.
struct Malformed {
    range: Range<usize>,
    message: String,
}

/// Reads citations in the source up to `end`.
struct Reader<'a> {
    text: &'a str,
    end: usize,
}

impl Reader<'_> {
    /// The next `[` or `@` from `at` on that may open a citation.
    fn next_open(&mut self, mut at: usize, literal: &[Range<usize>]) -> Option<usize> {
        loop {
            let open = at + self.text[at..self.end].find(['[', '@'])?;
            match literal.iter().find(|range| range.contains(&open)) {
                Some(range) => at = range.end.min(self.end),
                None if self.text[..open].ends_with('\\') => at = open + 1,
                None => return Some(open),
            }
        }
    }

    /// Reads what opens at `open`: where to go on, and the citation if it is one.
    fn read(&self, open: usize) -> (usize, Result<Option<Cite>, Malformed>) {
        if self.text[open..].starts_with('@') {
            let cite = self.narrative(open);
            return (cite.as_ref().map_or(open + 1, |cite| cite.range.end), Ok(cite));
        }
        let Some(close) = self.closing(open) else { return (open + 1, Ok(None)) };
        let inner = open + 1..close;
        if !self.has_key(inner.clone()) {
            // Another citation may stand inside: `[véase \[@a\]](x)`.
            return (open + 1, Ok(None));
        }
        match self.works(inner) {
            Ok(works) => {
                let cite = Cite { range: open..close + 1, form: Form::Bracketed, works };
                (close + 1, Ok(Some(cite)))
            }
            Err(fault) => (close + 1, Err(fault)),
        }
    }

    /// The `]` that closes the `[` at `open`, within its paragraph.
    fn closing(&self, open: usize) -> Option<usize> {
        let mut depth = 0usize;
        let mut previous = ' ';
        for (offset, c) in self.text[open..self.end].char_indices() {
            match c {
                '\n' if previous == '\n' => return None,
                '[' if previous != '\\' => depth += 1,
                ']' if previous != '\\' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Some(open + offset);
            }
            previous = c;
        }
        None
    }

    fn has_key(&self, range: Range<usize>) -> bool {
        self.find_key(range).is_some()
    }

    /// The first key of a range: where its `@` is, and the key.
    fn find_key(&self, range: Range<usize>) -> Option<(usize, Range<usize>)> {
        let signs = self.text[range.clone()].match_indices('@').map(|(at, _)| range.start + at);
        signs.filter(|&at| at < range.end).find_map(|at| Some((at, self.key(at, range.end)?)))
    }

    /// The key after the `@` at `at`, if it is one.
    fn key(&self, at: usize, end: usize) -> Option<Range<usize>> {
        let before = self.text[..at].chars().next_back();
        let opens = |c: char| c.is_whitespace() || "([{«“‘\"'¿¡—–-;*_".contains(c);
        if !before.is_none_or(opens) {
            return None;
        }
        let rest = &self.text[at + 1..end];
        if let Some(braced) = rest.strip_prefix('{') {
            let length = braced.find('}').filter(|&length| length > 0)?;
            return Some(at + 2..at + 2 + length);
        }
        // Marks inside a key count when something follows them: `a:b`, `a.b`.
        let mut length = 0;
        for (offset, c) in rest.char_indices() {
            if c.is_alphanumeric() || c == '_' {
                length = offset + c.len_utf8();
            } else if offset != length || length == 0 || !":.#$%&-+?<>~/".contains(c) {
                break;
            }
        }
        (length > 0).then(|| at + 1..at + 1 + length)
    }

    /// `@clave`, or `@clave [p. 127]`.
    fn narrative(&self, at: usize) -> Option<Cite> {
        let key = self.key(at, self.end)?;
        let mut end = key.end;
        if self.text[end..self.end].starts_with('}') {
            end += 1;
        }
        let mut work = self.work(at, key, String::new(), "");
        work.without_author = false;
        let rest = &self.text[end..self.end];
        if let Some(bracket) = rest.strip_prefix(" [")
            && let Some(close) = bracket.find(']')
            && let (Some(locator), "") = locator(&bracket[..close])
        {
            work.locator = Some(locator);
            end += 2 + close + 1;
        }
        Some(Cite { range: at..end, form: Form::Narrative, works: vec![work] })
    }

    /// The works between the brackets.
    fn works(&self, inner: Range<usize>) -> Result<Vec<CitedWork>, Malformed> {
        let mut works = vec![];
        let mut start = inner.start;
        for part in self.text[inner].split(';') {
            let range = start..start + part.len();
            start = range.end + 1;
            let Some((at, key)) = self.find_key(range.clone()) else {
                let message = format!("«{}» no nombra ninguna obra", part.trim());
                return Err(Malformed { range, message });
            };
            let before = &self.text[range.start..at];
            let prefix = before.strip_suffix('-').unwrap_or(before).trim().to_owned();
            let mut after = &self.text[key.end..range.end];
            after = after.strip_prefix('}').unwrap_or(after);
            works.push(self.work(at, key, prefix, after));
        }
        Ok(works)
    }

    fn work(&self, at: usize, key: Range<usize>, prefix: String, after: &str) -> CitedWork {
        let (locator, suffix) = locator(after);
        CitedWork {
            key: Argument { text: self.text[key.clone()].to_owned(), range: key },
            prefix: prefix.replace('\n', " "),
            locator,
            suffix: suffix.trim_end().replace('\n', " "),
            without_author: self.text[..at].ends_with('-'),
        }
    }
}

/// The locator that a text begins with, and the rest of the text: `, p. 127` or
/// ` cap. 3`; a number alone counts pages.
fn locator(text: &str) -> (Option<(Locator, String)>, &str) {
    let trimmed = text.trim_start_matches(',').trim_start();
    let word = trimmed.split(|c: char| c.is_whitespace()).next().unwrap_or_default();
    let named = LABELS.iter().find(|(_, names)| names.contains(&word.to_lowercase().as_str()));
    let (kind, rest) = match named {
        Some((kind, _)) => (*kind, trimmed[word.len()..].trim_start()),
        None => (Locator::Page, trimmed),
    };
    let length = numbers(rest);
    if length == 0 {
        return (None, text);
    }
    (Some((kind, rest[..length].replace('\n', " "))), &rest[length..])
}

/// How much of a text is numbers: "127", "12-15, 20", "iv", "3.2".
fn numbers(text: &str) -> usize {
    let mut length = 0;
    let mut at = 0;
    for word in text.split_inclusive([' ', '\n', '\u{a0}']) {
        let bare = word.trim_end().trim_end_matches(',');
        let roman = !bare.is_empty() && bare.chars().all(|c| "ivxlc".contains(c));
        if !(roman || bare.starts_with(|c: char| c.is_ascii_digit())) {
            break;
        }
        length = at + bare.len();
        at += word.len();
        if bare.len() == word.trim_end().len() {
            break;
        }
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::directives::scan_chapter;

    fn cites(text: &str) -> (Vec<Cite>, Diagnostics) {
        let source = Source::new("a.md", text);
        let (pieces, found) = scan_chapter(&source, 0..source.text().len());
        (pieces.into_iter().filter_map(|piece| piece.cite().cloned()).collect(), found)
    }

    /// Key, prefix, locator and suffix of every work.
    fn works(text: &str) -> Vec<String> {
        let (cites, found) = cites(text);
        assert!(found.is_empty(), "{found:?}");
        let works = cites.into_iter().flat_map(|cite| cite.works);
        works
            .map(|work| {
                let locator = work.locator.map(|(kind, text)| format!("{kind:?} {text}"));
                let sign = if work.without_author { "-" } else { "" };
                let parts = [work.prefix, sign.to_owned() + &work.key.text];
                [&parts[0], &parts[1], &locator.unwrap_or_default(), &work.suffix]
                    .map(String::as_str)
                    .join("|")
            })
            .collect()
    }

    #[test]
    fn several_works_with_locators_and_words_around() {
        assert_eq!(
            works("Ya se sabe [véase @chalmers2012; @yen1984, p. 127, y otros; -@a:b, cap. 3]."),
            ["véase|chalmers2012||", "|yen1984|Page 127|, y otros", "|-a:b|Chapter 3|"]
        );
        assert_eq!(works("[@a, 12-15, 20]"), ["|a|Page 12-15, 20|"]);
        assert_eq!(works("[@{con espacio.} páginas iv]"), ["|con espacio.|Page iv|"]);
    }

    #[test]
    fn a_key_in_running_text_ends_before_the_punctuation() {
        assert_eq!(works("Según @yen1984, y @rasch1960."), ["|yen1984||", "|rasch1960||"]);
        assert_eq!(works("Como dice @yen1984 [p. 127]."), ["|yen1984|Page 127|"]);
        let (found, _) = cites("(@yen1984) y *@a*");
        assert!(found.iter().all(|cite| cite.form == Form::Narrative));
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn mail_code_links_and_escapes_are_no_citations() {
        let text = "ana@correo.org `@a [@b]` <!-- [@c] --> [@d](x.md) <https://m.org/@e> \\@f \
                    <a title=\"@g\">x</a> [i](https://x.org/@h) https://x.org/@j\n\n    @k\n\n\
                    ~~~~\n[@l]\n~~~~\n";
        assert_eq!(works(text), Vec::<String>::new());
    }

    #[test]
    fn a_part_without_a_key_is_an_error() {
        let (found, diagnostics) = cites("x [@a; véase b] y");
        assert!(found.is_empty());
        assert_eq!(diagnostics.iter().next().unwrap().place.order().2, 7);
    }

    #[test]
    fn brackets_without_keys_and_open_brackets_are_prose() {
        assert_eq!(works("[nota] [x] [ana@b.org] [@ ] @ [@a"), ["|a||"]);
        assert_eq!(works("[@a\n\n]"), ["|a||"]);
    }

    #[test]
    fn a_citation_may_be_broken_between_lines() {
        assert_eq!(works("[@a;\n@b,\np. 3]"), ["|a||", "|b|Page 3|"]);
    }
}
