//! Finding directives in a chapter's source.
//!
//! One pass over the source, before Markdown, keeping byte offsets. Code (fenced,
//! indented, spans), HTML comments and the front matter are passed over; where
//! they are is asked of the Markdown parser, which knows lists and quotes. `<<`
//! opens a directive only before a keyword: anything else is prose (guillemets,
//! shifts, heredocs), but a word one slip away from a keyword is diagnosed.

mod cursor;
mod passages;

use super::citations::{self, Cite};
use crate::diagnostics::{Diagnostic, Diagnostics, Source, code, nearest};
use cursor::{Cursor, Quoted, recover};
use passages::{literal_ranges, uncitable_ranges};
use std::ops::Range;

/// The directives of the language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keyword {
    /// Prints a value.
    Valor,
    /// Places a table.
    Tabla,
    /// Places a figure.
    Figura,
    /// Links to a table or figure.
    Ref,
    /// States what must be true.
    Afirma,
    /// Opens a condition.
    Si,
    /// Its alternative.
    SiNo,
    /// Closes a condition.
    Fin,
    /// Prints one of two texts.
    Elige,
    /// Shows a declaration.
    Codigo,
}

/// What each directive is called, whether it takes a text, and its options.
const GRAMMAR: &[(Keyword, &str, bool, &[&str])] = &[
    (
        Keyword::Valor,
        "valor",
        true,
        &[
            "decimales",
            "significativas",
            "formato",
            "prefijo",
            "sufijo",
            "singular",
            "plural",
            "vacio",
        ],
    ),
    (Keyword::Tabla, "tabla", true, &[]),
    (Keyword::Figura, "figura", true, &[]),
    (Keyword::Ref, "ref", true, &["formato"]),
    (Keyword::Afirma, "afirma", true, &["mensaje"]),
    (Keyword::Si, "si", true, &[]),
    (Keyword::SiNo, "si_no", false, &[]),
    (Keyword::Fin, "fin", false, &[]),
    (Keyword::Elige, "elige", true, &["si", "no"]),
    (Keyword::Codigo, "codigo", true, &[]),
];

impl Keyword {
    fn grammar(self) -> &'static (Keyword, &'static str, bool, &'static [&'static str]) {
        GRAMMAR.iter().find(|entry| entry.0 == self).expect("every keyword has its grammar")
    }

    /// The word that opens the directive.
    pub fn word(self) -> &'static str {
        self.grammar().1
    }
}

/// A piece of text and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    /// The text, escapes resolved.
    pub text: String,
    /// Its bytes in the source, without the quotes.
    pub range: Range<usize>,
}

/// One directive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directive {
    /// Which one.
    pub keyword: Keyword,
    /// From `<<` to `>>`, in bytes.
    pub range: Range<usize>,
    /// The quoted text after the keyword; empty where none is taken.
    pub argument: Argument,
    /// Options in order: name and value.
    pub options: Vec<(Argument, Argument)>,
}

impl Directive {
    /// An option's value.
    pub fn option(&self, name: &str) -> Option<&Argument> {
        self.options.iter().find(|(key, _)| key.text == name).map(|(_, value)| value)
    }
}

/// A stretch of the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Copied as it is.
    Text(Range<usize>),
    /// A directive.
    Directive(Directive),
    /// A citation.
    Citation(Cite),
}

impl Piece {
    /// Its bytes in the source.
    pub fn range(&self) -> Range<usize> {
        match self {
            Self::Text(range) => range.clone(),
            Self::Directive(directive) => directive.range.clone(),
            Self::Citation(cite) => cite.range.clone(),
        }
    }

    /// The citation, if it is one.
    pub fn cite(&self) -> Option<&Cite> {
        match self {
            Self::Citation(cite) => Some(cite),
            _ => None,
        }
    }
}

/// Splits a chapter's body into text, directives and citations. Whatever is badly
/// formed is reported.
pub fn scan_chapter(source: &Source, body: Range<usize>) -> (Vec<Piece>, Diagnostics) {
    let (pieces, mut found) = scan(source, body.clone());
    let text = &source.text()[body.clone()];
    if !text.contains('@') {
        return (pieces, found);
    }
    let shift = |range: Range<usize>| range.start + body.start..range.end + body.start;
    let literal: Vec<_> = uncitable_ranges(text).into_iter().map(shift).collect();
    let (pieces, faults) = citations::split(source, pieces, &literal);
    found.extend(faults);
    (pieces, found)
}

/// Splits `body` (a byte range of the source, without its front matter) into text
/// and directives. Badly formed directives are reported and left out.
pub fn scan(source: &Source, body: Range<usize>) -> (Vec<Piece>, Diagnostics) {
    let text = &source.text()[body.clone()];
    let passed_over = literal_ranges(text);
    let mut scanner =
        Scanner { source, text, base: body.start, pieces: vec![], found: Diagnostics::new() };
    scanner.run(&passed_over);
    (scanner.pieces, scanner.found)
}

struct Scanner<'a> {
    source: &'a Source,
    text: &'a str,
    base: usize,
    pieces: Vec<Piece>,
    found: Diagnostics,
}

impl Scanner<'_> {
    fn run(&mut self, passed_over: &[Range<usize>]) {
        let mut copied = 0;
        let mut at = 0;
        while let Some(open) = self.text[at..].find("<<").map(|open| at + open) {
            at = open + 2;
            if let Some(literal) = passed_over.iter().find(|range| range.contains(&open)) {
                at = literal.end.max(at);
                continue;
            }
            // `\<<` prints `<<`: the backslash goes, once.
            if self.text[..open].ends_with('\\') {
                self.copy(copied..open - 1);
                copied = open;
                continue;
            }
            match self.directive(open) {
                Found::Directive(directive) => {
                    let range = directive.range.start - self.base..directive.range.end - self.base;
                    self.copy(copied..range.start);
                    self.pieces.push(Piece::Directive(directive));
                    (copied, at) = (range.end, range.end);
                }
                Found::Malformed(end) => {
                    self.copy(copied..open);
                    (copied, at) = (end, end);
                }
                Found::Prose => {}
            }
        }
        self.copy(copied..self.text.len());
    }

    fn copy(&mut self, range: Range<usize>) {
        if !range.is_empty() {
            self.pieces.push(Piece::Text(range.start + self.base..range.end + self.base));
        }
    }

    fn report(&mut self, range: Range<usize>, message: String, hint: impl Into<Option<String>>) {
        let place = self.source.place(range.start + self.base..range.end + self.base);
        self.found.push(Diagnostic::new(code::DIRECTIVE, place, message).hint(hint));
    }

    /// Reads what `<<` at `open` begins.
    fn directive(&mut self, open: usize) -> Found {
        let mut cursor = Cursor { text: self.text, at: open + 2 };
        cursor.skip_space();
        let word = cursor.word();
        let Some(entry) = GRAMMAR.iter().find(|entry| entry.1 == &self.text[word.clone()]) else {
            return self.not_a_keyword(open, word);
        };
        let &(keyword, name, takes_text, known) = entry;
        // `<< si >>` in running prose is possible; `<< si` before a quote is not.
        let stop = recover(self.text, cursor.at);
        let whole = open..stop.end;
        cursor.skip_space();
        let mut argument =
            Argument { text: String::new(), range: self.shift(cursor.at..cursor.at) };
        if takes_text {
            match cursor.quoted() {
                Quoted::Closed(inner) => argument = self.argument(inner),
                Quoted::Unclosed => {
                    let message = format!("falta cerrar las comillas de «<< {name} »");
                    let hint = format!("escriba << {name} \"…\" >>");
                    self.report(cursor.at..stop.end.max(cursor.at), message, hint);
                    return Found::Malformed(stop.end);
                }
                Quoted::None => {
                    let message = format!("«<< {name}» espera un texto entre comillas");
                    let bare = cursor.clone().word();
                    let meant = if bare.is_empty() { "…" } else { &self.text[bare] };
                    let hint = format!("escriba << {name} \"{meant}\" >>");
                    self.report(cursor.at..stop.end.max(cursor.at), message, hint);
                    return Found::Malformed(stop.end);
                }
            }
        }
        let mut options: Vec<(Argument, Argument)> = vec![];
        loop {
            cursor.skip_space();
            if cursor.eat(">>") {
                let range = self.shift(open..cursor.at);
                return Found::Directive(Directive { keyword, range, argument, options });
            }
            let key = cursor.word();
            if key.is_empty() || !cursor.eat("=") {
                // Quotes that close in the next directive were never closed here.
                if argument.text.contains(">>") && stop.closed {
                    let message = format!("falta cerrar las comillas de «<< {name}»");
                    let hint = format!("escriba << {name} \"…\" >>");
                    self.report(whole, message, hint);
                    return Found::Malformed(stop.end);
                }
                if key.is_empty() && self.text[key.start..].trim_start_matches(' ').is_empty()
                    || self.text[key.start..].starts_with('\n')
                {
                    let message = format!("falta «>>» para cerrar «<< {name}»");
                    let hint = "una directiva no sigue después de una línea en blanco".to_owned();
                    self.report(whole, message, hint);
                    return Found::Malformed(stop.end);
                }
                let stop = recover(self.text, cursor.at);
                let message = format!("se esperaba «>>» u «opción=valor» en «<< {name}»");
                let hint = (!known.is_empty()).then(|| format!("opciones: {}", known.join(", ")));
                let end = if stop.closed { stop.end } else { cursor.at };
                self.report(key.start..end.max(key.end), message, hint);
                return Found::Malformed(stop.end);
            }
            let value = match cursor.quoted() {
                Quoted::Closed(inner) => self.argument(inner),
                Quoted::Unclosed => {
                    let stop = recover(self.text, cursor.at);
                    let message = "falta cerrar las comillas de la opción".to_owned();
                    self.report(cursor.at..stop.end, message, None);
                    return Found::Malformed(stop.end);
                }
                Quoted::None => {
                    let bare = cursor.bare();
                    self.argument(bare)
                }
            };
            self.check_option(name, known, &options, &key);
            options.push((self.argument(key), value));
        }
    }

    fn check_option(
        &mut self,
        name: &str,
        known: &[&str],
        given: &[(Argument, Argument)],
        key: &Range<usize>,
    ) {
        let word = &self.text[key.clone()];
        if !known.contains(&word) {
            let hint = crate::diagnostics::did_you_mean(word, known.iter().copied());
            self.report(key.clone(), format!("«<< {name}» no tiene la opción «{word}»"), hint);
        } else if given.iter().any(|(one, _)| one.text == word) {
            self.report(key.clone(), format!("la opción «{word}» está repetida"), None);
        }
    }

    /// Prose, unless the word is a slip of a keyword and what follows looks like a
    /// directive.
    fn not_a_keyword(&mut self, open: usize, word: Range<usize>) -> Found {
        let name = &self.text[word.clone()];
        let mut after = Cursor { text: self.text, at: word.end };
        after.skip_space();
        let looks_like_one = after.rest().starts_with('"') || after.rest().starts_with(">>");
        let near = nearest(name, GRAMMAR.iter().map(|entry| entry.1));
        let (Some(near), true) = (near, looks_like_one && name.chars().count() > 1) else {
            return Found::Prose;
        };
        let place = self.source.place(self.shift(word));
        let message = format!("no existe la directiva «{name}»");
        let hint = Some(format!("¿quiso decir «{near}»? Para escribir << en el texto: \\<<"));
        self.found.push(Diagnostic::new(code::UNKNOWN_DIRECTIVE, place, message).hint(hint));
        Found::Malformed(recover(self.text, open + 2).end)
    }

    fn shift(&self, range: Range<usize>) -> Range<usize> {
        range.start + self.base..range.end + self.base
    }

    fn argument(&self, range: Range<usize>) -> Argument {
        let raw = &self.text[range.clone()];
        // A line break inside a directive is a space: paragraphs get wrapped.
        let text = raw.replace("\\\"", "\"").replace('\n', " ");
        Argument { text, range: self.shift(range) }
    }
}

enum Found {
    Directive(Directive),
    /// Reported; the text goes on at this offset.
    Malformed(usize),
    Prose,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan_text(text: &str) -> (Source, Vec<Directive>, Diagnostics) {
        let source = Source::new("a.md", text);
        let (pieces, found) = scan(&source, 0..source.text().len());
        let directives = pieces.into_iter().filter_map(|piece| match piece {
            Piece::Directive(directive) => Some(directive),
            _ => None,
        });
        let directives = directives.collect();
        (source, directives, found)
    }

    fn copied(text: &str) -> String {
        let source = Source::new("a.md", text);
        let (pieces, _) = scan(&source, 0..source.text().len());
        let piece = |piece: &Piece| match piece {
            Piece::Text(range) => source.text()[range.clone()].to_owned(),
            _ => "@".into(),
        };
        pieces.iter().map(piece).collect()
    }

    #[test]
    fn a_directive_has_a_keyword_a_text_and_options() {
        let (_, all, found) =
            scan_text("Es << valor \"100 * x > 3\" decimales=1 sufijo=\" %\" >> hoy");
        assert!(found.is_empty());
        assert_eq!(all[0].keyword, Keyword::Valor);
        assert_eq!(all[0].argument.text, "100 * x > 3");
        assert_eq!(all[0].option("decimales").unwrap().text, "1");
        assert_eq!(all[0].option("sufijo").unwrap().text, " %");
        assert_eq!(all[0].range, 3..52);
    }

    #[test]
    fn code_and_comments_are_literal() {
        for text in [
            "`<< tabla \"x\" >>`",
            "```\n<< tabla \"x\" >>\n```\n",
            "~~~md\n```\n<< tabla \"x\" >>\n~~~\n",
            "uno\n\n    << tabla \"x\" >>\n",
            "- lista\n\n      << tabla \"x\" >>\n",
            "<!-- << tabla \"x\" >> -->",
            "<!--\n<< tabla \"x\" >>\n\n<< fin >>\n-->\n",
        ] {
            let (_, all, found) = scan_text(text);
            assert!(all.is_empty() && found.is_empty(), "{text}");
            assert_eq!(copied(text), text);
        }
    }

    #[test]
    fn what_is_no_directive_is_prose() {
        for text in ["cat << EOF", "cout << a >> b", "<<chunk>>=", "<< cita >>", "1 << 3", "x <<"] {
            let (_, all, found) = scan_text(text);
            assert!(all.is_empty() && found.is_empty(), "{text}: {found:?}");
            assert_eq!(copied(text), text);
        }
    }

    #[test]
    fn an_escaped_directive_is_printed_without_its_backslash() {
        assert_eq!(copied("a \\<< valor \"x\" >> b"), "a << valor \"x\" >> b");
    }

    #[test]
    fn a_slip_of_a_keyword_is_diagnosed_with_the_nearest() {
        let (_, all, found) = scan_text("<< tabal \"x\" >> y << valor \"y\" >>");
        assert_eq!(all.len(), 1, "one bad directive does not disable the next");
        let one = found.iter().next().unwrap();
        assert_eq!(one.code, code::UNKNOWN_DIRECTIVE);
        assert!(one.hint.as_ref().unwrap().contains("«tabla»"));
    }

    #[test]
    fn malformed_directives_are_all_reported_where_they_are() {
        let text = "<< tabla \"x >>\n\n<< tabla x>>\n\n<< valor \"a\" decimal=2 >>\n\n<< valor \"a\" 3 >>\n";
        let (source, all, found) = scan_text(text);
        let lines: Vec<usize> = found.iter().map(|one| one.place.order().1).collect();
        assert_eq!(lines, [1, 3, 5, 7], "{}", found.render(crate::diagnostics::Style::Plain));
        assert_eq!(all.len(), 1, "an unknown option is reported but the value is understood");
        assert_eq!(source.text(), text);
    }

    #[test]
    fn a_directive_may_be_wrapped_but_not_broken_by_a_blank_line() {
        let (_, all, found) = scan_text("<< valor \"a +\n b\"\n   decimales=1\n>> fin");
        assert!(found.is_empty(), "{found:?}");
        assert_eq!(all[0].argument.text, "a +  b");
        let (_, all, found) = scan_text("<< valor \"a\"\n\n>> fin");
        assert!(all.is_empty());
        assert_eq!(found.iter().count(), 1);
    }

    #[test]
    fn offsets_are_those_of_the_file() {
        let source = Source::new("a.md", "---\nx: 1\n---\nñ << fin >>");
        let start = source.text().find('ñ').unwrap();
        let (pieces, _) = scan(&source, start..source.text().len());
        let Piece::Directive(one) = &pieces[1] else { panic!("{pieces:?}") };
        assert_eq!(&source.text()[one.range.clone()], "<< fin >>");
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_the_scanner_panic_and_nothing_is_lost(
            parts in proptest::collection::vec(proptest::sample::select(vec![
                "<<", ">>", " ", "valor", "si", "\"", "\\", "\n", "`", "```", "ñ", "<!--", "-->", "=",
                "x", "fin", "tabal", "    ", "- ", "> ",
            ]), 0..40)
        ) {
            let text = parts.concat();
            let source = Source::new("a.md", text);
            let (pieces, _) = scan(&source, 0..source.text().len());
            let mut at = 0;
            for piece in pieces {
                let range = piece.range();
                proptest::prop_assert!(range.start >= at);
                at = range.end;
            }
        }
    }
}
