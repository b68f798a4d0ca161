//! The YAML between `---` at the top of a chapter.

use crate::diagnostics::{Diagnostic, Source, code};
use crate::study::options::{AnalysisOptions, DataOptions};
use crate::yaml::{self, Located};
use jiff::civil::Date;
use serde::Deserialize;
use std::ops::Range;

/// What a chapter declares of itself.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrontMatter {
    /// Title; may hold directives.
    pub titulo: Located<String>,
    /// Authors; the book's when there are none.
    #[serde(default)]
    pub autores: Vec<String>,
    /// Date of publication.
    #[serde(default)]
    pub fecha: Option<Located<String>>,
    /// Summary; may hold directives.
    #[serde(default)]
    pub descripcion: Option<Located<String>>,
    /// Whether it is kept out of the feed.
    #[serde(default)]
    pub borrador: bool,
    /// The data it reads; without them the chapter has no values.
    #[serde(default)]
    pub datos: Option<DataOptions>,
    /// The chapter whose data, analysis and values this one uses as its own.
    #[serde(default)]
    pub estudio: Option<Located<String>>,
    /// How they are analysed.
    #[serde(default)]
    pub analisis: Located<AnalysisOptions>,
}

impl FrontMatter {
    /// The date of publication, or why it is none.
    pub fn date(&self, source: &Source) -> Result<Option<Date>, Diagnostic> {
        let Some(text) = &self.fecha else { return Ok(None) };
        text.parse().map(Some).map_err(|_| {
            let message = format!("«{}» no es una fecha", text.value);
            Diagnostic::new(code::YAML, text.place(source), message)
                .hint(Some("escriba año-mes-día: 2026-10-25".to_owned()))
        })
    }
}

/// Splits a chapter into its front matter, which may be faulty, and the byte range
/// of its body.
///
/// # Errors
/// There is no front matter, or no end of it: the body is not known.
pub fn split(
    source: &Source,
) -> Result<(Result<FrontMatter, Diagnostic>, Range<usize>), Diagnostic> {
    let text = source.text();
    let missing = || {
        Diagnostic::new(code::YAML, source.place(0..0), "el capítulo no tiene encabezado")
            .hint(Some("empiece con ---, titulo: …, ---".to_owned()))
    };
    if !text.starts_with("---\n") {
        return Err(missing());
    }
    let end = text[4..].lines().scan(4, |at, line| {
        let start = *at;
        *at += line.len() + 1;
        Some((start, line))
    });
    let Some((close, line)) = end.into_iter().find(|(_, line)| line.trim_end() == "---") else {
        return Err(Diagnostic::new(code::YAML, source.place(0..3), "el encabezado no se cierra")
            .hint(Some("falta una línea con ---".to_owned())));
    };
    // Locations are relative to the part parsed: padding with the opening line
    // would need a copy, so the whole prefix is parsed from the file's start.
    let front = yaml::parse_within(source, 0..close);
    Ok((front, (close + line.len() + 1).min(text.len())..text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source {
        Source::new("cap/index.md", text)
    }

    #[test]
    fn front_matter_and_body_are_told_apart() {
        let text =
            "---\ntitulo: Uno\nfecha: 2026-10-25\ndatos:\n  respuestas: r.csv\n---\n\n# Hola\n";
        let source = source(text);
        let (front, body) = split(&source).unwrap();
        let front = front.unwrap();
        assert_eq!(front.titulo.value, "Uno");
        assert_eq!(&text[front.titulo.range.clone()], "Uno");
        assert_eq!(front.date(&source).unwrap().unwrap().to_string(), "2026-10-25");
        assert_eq!(front.analisis.permutaciones, 50);
        assert_eq!(&text[body], "\n# Hola\n");
    }

    #[test]
    fn a_bom_and_crlf_change_nothing() {
        let source = source("\u{feff}---\r\ntitulo: Uno\r\n---\r\ntexto\r\n");
        let (front, body) = split(&source).unwrap();
        let front = front.unwrap();
        assert_eq!((&*front.titulo.value, &source.text()[body]), ("Uno", "texto\n"));
    }

    #[test]
    fn a_missing_or_open_front_matter_is_an_error() {
        assert!(split(&source("# Hola\n")).unwrap_err().message.contains("encabezado"));
        assert!(split(&source("---\ntitulo: a\n")).unwrap_err().message.contains("no se cierra"));
        assert!(split(&source("---\n---")).unwrap().0.is_err());
    }

    #[test]
    fn an_unknown_key_deep_inside_is_located() {
        let text = "---\ntitulo: a\nanalisis:\n  permutacion: 3\n---\n";
        let found = split(&source(text)).unwrap().0.unwrap_err();
        assert_eq!(found.place.order().1, 4);
        assert_eq!(found.hint.as_deref(), Some("¿quiso decir «permutaciones»?"));
    }

    #[test]
    fn an_impossible_date_is_located() {
        let source = source("---\ntitulo: a\nfecha: 2026-13-01\n---\n");
        let front = split(&source).unwrap().0.unwrap();
        assert_eq!(front.date(&source).unwrap_err().place.order().1, 3);
    }
}
