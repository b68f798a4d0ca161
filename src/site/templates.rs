//! Templates: ours, embedded in the program, and the book's own in their place.

use super::markup::escape;
use super::words;
use crate::diagnostics::{Diagnostic, Diagnostics, Place, Source, code};
use crate::report::document::InputFile;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, Value};
use minijinja::{Environment, Error, Output, State, UndefinedBehavior, context};
use serde::Serialize;
use std::path::Path;

/// Name and text of each template.
const EMBEDDED: [(&str, &str); 14] = [
    ("404.html", include_str!("../../templates/404.html")),
    ("atom.xml", include_str!("../../templates/atom.xml")),
    ("base.html", include_str!("../../templates/base.html")),
    ("codigo.html", include_str!("../../templates/codigo.html")),
    ("cola.html", include_str!("../../templates/cola.html")),
    ("desvio.html", include_str!("../../templates/desvio.html")),
    ("figura.html", include_str!("../../templates/figura.html")),
    ("indice.html", include_str!("../../templates/indice.html")),
    ("pagina.html", include_str!("../../templates/pagina.html")),
    ("referencias.html", include_str!("../../templates/referencias.html")),
    ("sitemap.xml", include_str!("../../templates/sitemap.xml")),
    ("tabla.html", include_str!("../../templates/tabla.html")),
    ("tarjeta.html", include_str!("../../templates/tarjeta.html")),
    ("valor.html", include_str!("../../templates/valor.html")),
];

/// The templates of a book.
#[derive(Debug)]
pub struct Templates {
    environment: Environment<'static>,
    /// The book's own, for the manifest.
    pub inputs: Vec<InputFile>,
}

impl Templates {
    /// Ours, and those of a folder in place of the ones with the same name. Any
    /// other file of the folder can be included or extended.
    pub fn load(folder: &Path, found: &mut Diagnostics) -> Self {
        let mut environment = Environment::new();
        let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
        environment.set_syntax(syntax.unwrap_or_default());
        environment.set_undefined_behavior(UndefinedBehavior::SemiStrict);
        environment.set_formatter(write_value);
        environment.add_global("palabras", Value::from(Serde(words::SPANISH)));
        environment.add_filter("persona", person);
        environment.add_filter("partible", breakable);
        for (name, text) in EMBEDDED {
            let added = environment.add_template(name, text);
            found.extend(added.err().map(|error| explain(Path::new(name), &error)));
        }
        let mut own: Vec<_> = std::fs::read_dir(folder).into_iter().flatten().flatten().collect();
        own.sort_by_key(std::fs::DirEntry::file_name);
        let mut inputs = vec![];
        for entry in own.into_iter().filter(|entry| entry.path().is_file()) {
            let path = entry.path();
            let Ok(name) = entry.file_name().into_string() else { continue };
            match std::fs::read_to_string(&path) {
                Ok(text) => {
                    let shown = Path::new(folder.file_name().unwrap_or_default()).join(&name);
                    let source = Source::new(shown, text);
                    inputs.push(InputFile::of(&source));
                    let added = environment.add_template_owned(name, source.text().to_owned());
                    found.extend(added.err().map(|error| explain(&path, &error)));
                }
                Err(error) => found.push(
                    Diagnostic::new(code::FILE, path, "no se puede leer la plantilla")
                        .note(error.to_string()),
                ),
            }
        }
        Self { environment, inputs }
    }

    /// Renders a template; a fault is reported and gives nothing.
    pub fn render(&self, name: &str, context: impl Serialize, found: &mut Diagnostics) -> String {
        let template = self.environment.get_template(name);
        let text = template.and_then(|template| template.render(Value::from(Serde(context))));
        text.unwrap_or_else(|error| {
            found.push(explain(Path::new(error.name().unwrap_or(name)), &error));
            String::new()
        })
    }
}

/// A name as JSON-LD wants it.
fn person(name: &Value) -> Value {
    context! { name, ..Value::from_pairs([("@type", "Person")]) }
}

/// Letters of an identifier that the first column of a table can hold on a phone.
const FIRST_COLUMN: usize = 22;

/// An identifier that a narrow column may break after an underscore, where breaking it
/// after its hyphens is not enough.
fn breakable(name: &Value) -> Value {
    let name = escape(&name.to_string()).into_owned();
    let is_long = name.split('-').any(|part| part.chars().count() > FIRST_COLUMN);
    Value::from_safe_string(match is_long {
        true => name.replace('_', "_<wbr>").replace("_<wbr>_", "__"),
        false => name,
    })
}

/// Escapes for HTML and XML alike; minijinja's own way also escapes `/`, which
/// only makes addresses hard to read.
fn write_value(out: &mut Output<'_>, _: &mut State<'_, '_>, value: &Value) -> Result<(), Error> {
    let text = match value {
        value if value.is_undefined() || value.is_none() => return Ok(()),
        value if value.is_safe() => value.to_string(),
        value => escape(&value.to_string()).into_owned(),
    };
    out.write_str(&text).map_err(Error::from)
}

fn explain(path: &Path, error: &Error) -> Diagnostic {
    let place = Place::Line {
        path: path.to_path_buf(),
        line: error.line().unwrap_or(1),
        column: 1,
        excerpt: String::new(),
    };
    Diagnostic::new(code::CONFIG, place, "la plantilla no se puede aplicar").note(error.to_string())
}
