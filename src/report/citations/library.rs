//! A chapter's bibliography: `referencias.bib` (BibTeX, BibLaTeX) or
//! `referencias.yaml` (Hayagriva).

use super::depth;
use crate::diagnostics::{Diagnostic, Diagnostics, Source, code};
use crate::yaml::{self, Entries};
use biblatex::{ParseErrorKind, Token, TypeErrorKind};
use hayagriva::io::BibLaTeXError;
use hayagriva::{Entry, Library};
use std::ops::Range;
use std::path::Path;

/// The works that a chapter may cite.
#[derive(Debug, Clone)]
pub struct Bibliography {
    /// The file.
    pub source: Source,
    /// Keys in the order of the file, and where each stands.
    pub(super) places: Vec<(String, Range<usize>)>,
    library: Library,
}

impl Bibliography {
    /// Reads the bibliography of the chapter in `folder`, which messages call
    /// `shown`; a chapter may have none.
    ///
    /// # Errors
    /// There are two, or the one there is cannot be read.
    pub fn read(folder: &Path, shown: &Path) -> Result<Option<Self>, Diagnostics> {
        let (bib, yaml) = ("referencias.bib", "referencias.yaml");
        match (folder.join(bib).exists(), folder.join(yaml).exists()) {
            (false, false) => Ok(None),
            (true, true) => {
                let message = "el capítulo tiene dos bibliografías";
                let fault = Diagnostic::new(code::FILE, shown.join(yaml), message);
                Err(fault.hint(Some(format!("deje una: {bib} o {yaml}"))).into())
            }
            (true, false) => {
                Self::from_bibtex(Source::read(&folder.join(bib), shown.join(bib))?).map(Some)
            }
            (false, true) => {
                Self::from_yaml(Source::read(&folder.join(yaml), shown.join(yaml))?).map(Some)
            }
        }
    }

    /// Reads BibTeX or BibLaTeX.
    ///
    /// # Errors
    /// The file is malformed, each fault where it stands.
    pub fn from_bibtex(source: Source) -> Result<Self, Diagnostics> {
        let fault = |range: Range<usize>, message: String| {
            Diagnostic::new(code::BIBLIOGRAPHY, source.place(within(&source, range)), message)
        };
        let raw = depth::read(source.text()).map_err(|(range, message)| fault(range, message))?;
        let entries = raw.entries.iter();
        let places = entries.map(|one| (one.v.key.v.to_owned(), one.v.key.span.clone())).collect();
        let library = hayagriva::io::from_biblatex_str(source.text()).map_err(|errors| {
            let located = errors.iter().map(|error| match error {
                BibLaTeXError::Parse(error) => {
                    fault(error.span.clone(), parse_message(&error.kind))
                }
                BibLaTeXError::Type(error) => fault(error.span.clone(), type_message(&error.kind)),
            });
            located.collect::<Diagnostics>()
        })?;
        // A date that is none would vanish from the reference without a word.
        let undated = |key: &str| library.get(key).is_some_and(|entry| entry.date().is_none());
        let mistaken = raw.entries.iter().flat_map(|entry| {
            let fields = entry.v.fields.iter();
            fields.filter(|field| ["date", "year"].contains(&field.key.v) && undated(entry.v.key.v))
        });
        let faults: Diagnostics = mistaken
            .map(|field| fault(field.value.span.clone(), "la fecha no se entiende".into()))
            .collect();
        if faults.has_errors() {
            return Err(faults);
        }
        Ok(Self { source, places, library })
    }

    /// Reads Hayagriva's YAML.
    ///
    /// # Errors
    /// The file is not YAML or an entry is malformed.
    pub fn from_yaml(source: Source) -> Result<Self, Diagnostics> {
        let entries: Entries<serde::de::IgnoredAny> = yaml::parse(&source)?;
        let places =
            entries.iter().map(|(key, _)| (key.value.clone(), key.range.clone())).collect();
        let library = hayagriva::io::from_yaml_str(source.text()).map_err(|error| {
            let at = error.location().map_or(0, |location| location.index());
            let place = source.place(within(&source, at..at + 1));
            let message = "una entrada no tiene la forma de Hayagriva";
            // The list of everything that would be right fills a screen.
            let text = error.to_string();
            let what = text.split(", expected one of").next().unwrap_or_default();
            Diagnostic::new(code::BIBLIOGRAPHY, place, message).note(what)
        })?;
        Ok(Self { source, places, library })
    }

    /// Whether a key is in it.
    pub fn has(&self, key: &str) -> bool {
        self.entry(key).is_some()
    }

    /// Its keys, in order.
    pub fn keys(&self) -> impl Iterator<Item = &str> + Clone {
        self.places.iter().map(|(key, _)| key.as_str())
    }

    /// A work.
    pub(super) fn entry(&self, key: &str) -> Option<&Entry> {
        self.library.get(key)
    }
}

/// A range that the text surely has.
fn within(source: &Source, range: Range<usize>) -> Range<usize> {
    let text = source.text();
    let floor = |mut at: usize| {
        at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = floor(range.start);
    start..floor(range.end).max(start)
}

pub(super) fn parse_message(kind: &ParseErrorKind) -> String {
    match kind {
        ParseErrorKind::UnexpectedEof => "el archivo termina antes de cerrar una entrada".into(),
        ParseErrorKind::Unexpected(token) => format!("aquí sobra {}", token_name(token)),
        ParseErrorKind::Expected(token) => format!("aquí se esperaba {}", token_name(token)),
        ParseErrorKind::UnknownAbbreviation(name) => {
            format!("la abreviatura «{name}» no está definida con @string")
        }
        ParseErrorKind::MalformedCommand => "una orden de TeX está mal escrita".into(),
        ParseErrorKind::DuplicateKey(key) => format!("la clave «{key}» está repetida"),
        ParseErrorKind::ResolutionError(kind) => type_message(kind),
        other => format!("la bibliografía no se puede leer: {other}"),
    }
}

fn token_name(token: &Token) -> &'static str {
    match token {
        Token::Identifier => "un nombre",
        Token::OpeningBrace => "una llave «{»",
        Token::ClosingBrace => "una llave «}»",
        Token::Comma => "una coma",
        Token::QuotationMark => "unas comillas",
        Token::Equals => "un signo «=»",
        Token::DecimalPoint => "un punto decimal",
    }
}

fn type_message(kind: &TypeErrorKind) -> String {
    match kind {
        TypeErrorKind::DayOutOfRange => "el día no existe".into(),
        TypeErrorKind::MonthOutOfRange => "el mes no existe".into(),
        TypeErrorKind::InvalidNumber | TypeErrorKind::MissingNumber => {
            "aquí se esperaba un número".into()
        }
        TypeErrorKind::UnknownLangId => "no se conoce esta lengua".into(),
        other => format!("el campo no tiene la forma de su tipo: {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bibtex(text: &str) -> Result<Bibliography, Diagnostics> {
        Bibliography::from_bibtex(Source::new("referencias.bib", text))
    }

    /// Line and message of the only fault.
    fn fault(found: Diagnostics) -> (usize, String) {
        assert_eq!(found.iter().count(), 1, "{found:?}");
        let one = found.into_iter().next().unwrap();
        (one.place.order().1, one.message)
    }

    #[test]
    fn keys_are_known_where_they_stand() {
        let read = bibtex("@book{a, title={A}}\n@book{b,title={B}}\n").unwrap();
        assert_eq!(read.keys().collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(&read.source.text()[read.places[1].1.clone()], "b");
        assert!(read.has("a") && !read.has("c"));
    }

    #[test]
    fn a_malformed_entry_is_located() {
        let (line, message) =
            fault(bibtex("@book{a, title={A}}\n@book{b title={B}}\n").unwrap_err());
        assert_eq!((line, message.as_str()), (2, "aquí se esperaba una coma"));
        assert_eq!(fault(bibtex("@book{a, title={A}").unwrap_err()).0, 1);
        let (line, message) = fault(bibtex("@book{a,}\n\n@book{a,}\n").unwrap_err());
        assert_eq!((line, message.as_str()), (3, "la clave «a» está repetida"));
        let (line, message) = fault(bibtex("@book{a,\n  date = {2012-13}\n}").unwrap_err());
        assert_eq!((line, message.as_str()), (2, "la fecha no se entiende"));
    }

    #[test]
    fn what_leads_in_a_circle_is_a_fault_and_not_a_crash() {
        for circle in [
            "@string{s = s}",
            "@string{s = t}@string{t = s}@book{a, title=s}",
            "@book{a, crossref={a}}",
            "@book{a, crossref={b}}@book{b, xdata={c, a}}@book{c, title={C}}",
            "@book{a, ids={z}, crossref={z}}",
        ] {
            let (line, message) = fault(bibtex(circle).unwrap_err());
            assert!(line == 1 && message.contains("círculo"), "{circle}: {message}");
        }
        let nested = format!("@book{{a, title={{{}x{}}}}}", "{".repeat(20_000), "}".repeat(20_000));
        assert!(fault(bibtex(&nested).unwrap_err()).1.contains("llaves"));
        // Twelve floors of three doors each: no circle, and half a million ways.
        let floor = |n: usize| format!("@book{{k{n}, xdata={{k{0}, k{0}, k{0}}}}}", n + 1);
        let doors: String = (0..12).map(floor).collect();
        let (_, message) = fault(bibtex(&(doors + "@book{k12, title={K}}")).unwrap_err());
        assert!(message.contains("demasiadas"), "{message}");
        let chain = "@book{a, crossref={b}}@book{b, crossref={c}}@book{c, title={C}}";
        assert!(bibtex(chain).is_ok());
    }

    #[test]
    fn yaml_is_read_too() {
        let source =
            Source::new("referencias.yaml", "a:\n  type: Book\n  title: A\nb:\n  type: Libro\n");
        assert!(fault(Bibliography::from_yaml(source).unwrap_err()).1.contains("Hayagriva"));
        let source = Source::new("referencias.yaml", "a:\n  type: Book\n  title: A\n");
        let read = Bibliography::from_yaml(source).unwrap();
        assert_eq!(read.keys().collect::<Vec<_>>(), ["a"]);
    }
}
