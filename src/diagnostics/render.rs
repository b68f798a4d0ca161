//! Diagnostics as people and machines read them.

use super::{Diagnostic, Diagnostics, Place, Severity};
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use serde_json::{Value, json};

/// How diagnostics are written to a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Plain text, for files and pipes.
    Plain,
    /// With colours.
    Coloured,
}

impl Diagnostics {
    /// All findings as text, one after another, with a closing count.
    pub fn render(&self, style: Style) -> String {
        let mut out: String = self.iter().map(|one| one.render(style) + "\n\n").collect();
        let (errors, warnings) = (self.count(Severity::Error), self.count(Severity::Warning));
        if errors + warnings > 0 {
            let plural = |n, one: &str| format!("{n} {one}{}", if n == 1 { "" } else { "s" });
            let errors = if errors == 1 { "1 error".into() } else { format!("{errors} errores") };
            out += &format!("{errors}, {}\n", plural(warnings, "aviso"));
        }
        out
    }
}

impl Diagnostic {
    /// `error[code]: message`, `file:line:column`, the excerpt, notes and hint.
    pub fn render(&self, style: Style) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            _ => Level::WARNING.with_name("aviso"),
        };
        let mut group = Group::with_title(level.primary_title(&*self.message).id(self.code.name));
        group = locate(group, &self.place);
        for note in &self.notes {
            group = group.element(Level::NOTE.with_name("nota").message(&**note));
        }
        if let Some(hint) = &self.hint {
            group = group.element(Level::HELP.with_name("ayuda").message(&**hint));
        }
        let renderer = match style {
            Style::Plain => Renderer::plain(),
            Style::Coloured => Renderer::styled(),
        };
        renderer.render(&[group])
    }
}

fn locate<'a>(group: Group<'a>, place: &'a Place) -> Group<'a> {
    match place {
        Place::Text { source, range } => {
            let text = source.text();
            let (mut start, mut end) = (range.start.min(text.len()), range.end.min(text.len()));
            while !text.is_char_boundary(start) {
                start -= 1;
            }
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            let span = start..end.max(start);
            let snippet = Snippet::source(text).path(source.path().to_string_lossy());
            group.element(snippet.annotation(AnnotationKind::Primary.span(span)))
        }
        Place::Line { path, line, column, excerpt } => {
            let path = format!("{}:{line}:{column}", path.display());
            let origin = group.element(Origin::path(path));
            if excerpt.is_empty() {
                return origin;
            }
            origin.element(Level::NOTE.with_name("texto").message(&**excerpt))
        }
        Place::File(path) => group.element(Origin::path(path.to_string_lossy())),
        Place::Nowhere => group,
    }
}

/// The findings for machines: an array of objects.
pub fn to_json(diagnostics: &Diagnostics) -> Value {
    diagnostics.iter().map(one_to_json).collect()
}

fn one_to_json(one: &Diagnostic) -> Value {
    let (path, line, column) = one.place.order();
    json!({
        "codigo": one.code.name,
        "severidad": if one.severity == Severity::Error { "error" } else { "aviso" },
        "archivo": path.to_string_lossy(),
        "linea": line,
        "columna": column,
        "mensaje": one.message,
        "notas": one.notes,
        "ayuda": one.hint,
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Source, code};
    use super::*;

    #[test]
    fn a_finding_shows_place_excerpt_note_and_hint() {
        let source = Source::new("cap/index.md", "Uno.\nEs << valor \"tct.kr21\" >> hoy.\n");
        let at = source.text().find("tct.kr21").unwrap();
        let one = Diagnostic::new(
            code::UNKNOWN_VALUE,
            source.place(at..at + 8),
            "el valor «tct.kr21» no existe",
        )
        .note("expresión: tct.kr21")
        .hint(Some("¿quiso decir «tct.kr20»?".into()));
        insta::assert_snapshot!(one.render(Style::Plain));
    }

    #[test]
    fn an_empty_range_at_the_end_of_the_text_is_shown_too() {
        let source = Source::new("a.md", "<< si \"x\" >>");
        let end = source.text().len();
        let one = Diagnostic::new(code::DIRECTIVE, source.place(end..end), "falta << fin >>");
        assert!(one.render(Style::Plain).contains("a.md:1:13"));
    }
}
