//! `escritura comparar`: what changed between two editions of the report.

use super::book::{BookFolder, OpenBook, number_style};
use super::progress::Progress;
use super::{Failed, output};
use crate::diagnostics::{Diagnostic, Diagnostics, Place, code, did_you_mean, system};
use crate::git::Repository;
use crate::report::book;
use crate::report::comparison::{self, Both, Edition, compare, value_files};
use crate::report::format::NumberStyle;
use crate::site::Config;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Dice qué cambia en el informe entre A y B
#[derive(Debug, clap::Args)]
#[command(visible_alias = "diff", help_template = super::usage::TEMPLATE, after_help = AFTER)]
pub struct Arguments {
    /// Lo de antes
    #[arg(value_name = "A", help_heading = "Argumentos")]
    a: String,

    /// Lo de ahora
    #[arg(value_name = "B", help_heading = "Argumentos")]
    b: String,

    #[command(flatten)]
    book: BookFolder,

    /// Escribe JSON en la salida estándar
    #[arg(long, conflicts_with = "format", help_heading = "Opciones")]
    json: bool,

    /// Escribe Markdown, para el comentario de un cambio: markdown
    #[arg(
        long = "formato",
        alias = "format",
        value_name = "FORMATO",
        help_heading = "Opciones",
        hide_possible_values = true
    )]
    format: Option<Format>,

    /// Termina con 1 si algo cambia
    #[arg(long = "fallar-si-cambia", alias = "fail-on-change", help_heading = "Opciones")]
    fail: bool,
}

const AFTER: &str = "A y B son dos cosas de la misma clase:
  dos carpetas de datos (con CSV): el libro se calcula con cada una, sin escribir el sitio
  dos valores.json, o dos carpetas de sitios construidos
  dos revisiones de git (commit, rama o etiqueta) del libro";

/// A further format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Markdown, with tables.
    Markdown,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failed> {
    let failed = |found: Diagnostics| output::report(&found, false).err().unwrap_or(Failed);
    let sides = sides(arguments).map_err(failed)?;
    let mut found = Diagnostics::new();
    let a = found.check_all(sides.a.read("A", arguments));
    let b = found.check_all(sides.b.read("B", arguments));
    let (Some(a), Some(b)) = (a, b) else { return Err(failed(found)) };
    if let (Thing::Values(_), [one], [other]) =
        (&sides.a.thing, &*a.edition.chapters, &*b.edition.chapters)
        && one.slug() != other.slug()
    {
        let (one, other) = (one.slug(), other.slug());
        let message = format!("A y B son de capítulos distintos: «{one}» y «{other}»");
        return Err(failed(Diagnostic::new(code::FILE, Place::Nowhere, message).into()));
    }
    let comparison = compare(&a.edition, &b.edition);
    let labels = Both { a: sides.a.label(), b: sides.b.label() };
    if arguments.json {
        output::print_json(&json!({
            "a": { "clase": sides.a.thing.kind(), "nombre": labels.a },
            "b": { "clase": sides.b.thing.kind(), "nombre": labels.b },
            "cambia": !comparison.is_empty(),
            "cambios": comparison,
        }))?;
    } else {
        let told = match arguments.format {
            Some(Format::Markdown) => comparison::markdown(&comparison, &labels, &b.style),
            None => comparison::text(&comparison, &labels, &b.style),
        };
        output::print(&told)?;
    }
    if arguments.fail && !comparison.is_empty() { Err(Failed) } else { Ok(()) }
}

/// One of the two things compared, as it was written, and what it was taken for.
struct Side {
    written: String,
    thing: Thing,
}

/// What an argument names.
enum Thing {
    Data(PathBuf),
    Values(PathBuf),
    Site(PathBuf),
    Revision(Repository, String),
}

impl Thing {
    fn kind(&self) -> &'static str {
        match self {
            Self::Data(_) => "carpeta de datos",
            Self::Values(_) => "valores.json",
            Self::Site(_) => "sitio construido",
            Self::Revision(..) => "revisión de git",
        }
    }
}

/// An edition, and how its book writes numbers.
struct Read {
    edition: Edition,
    style: NumberStyle,
}

/// Both arguments, which must be of the same kind.
fn sides(arguments: &Arguments) -> Result<Both<Side>, Diagnostics> {
    let mut found = Diagnostics::new();
    let mut side = |written: &String| {
        let thing = found.check(thing(written, &arguments.book.root))?;
        Some(Side { written: written.clone(), thing })
    };
    let (a, b) = (side(&arguments.a), side(&arguments.b));
    let (Some(a), Some(b)) = (a, b) else { return Err(found) };
    if a.thing.kind() == b.thing.kind() {
        return Ok(Both { a, b });
    }
    let taken = |side: &Side| format!("«{}» se tomó por: {}", side.written, side.thing.kind());
    let message = "A y B no son de la misma clase y no se pueden comparar";
    let mixed = Diagnostic::new(code::FILE, Place::Nowhere, message);
    Err(mixed.note(taken(&a)).note(taken(&b)).into())
}

/// What an argument names: something that exists, or else a revision.
fn thing(written: &str, root: &Path) -> Result<Thing, Diagnostic> {
    let path = Path::new(written);
    let unreadable = |error: std::io::Error| {
        Diagnostic::new(code::FILE, path, "no se puede leer la carpeta").note(system::cause(&error))
    };
    if path.is_file() && path.extension().is_some_and(|extension| extension == "json") {
        return Ok(Thing::Values(path.into()));
    }
    if path.is_dir() {
        let values = value_files(path).map_err(unreadable)?;
        if values.iter().any(|one| one.parent() == Some(path)) {
            return Ok(Thing::Site(path.into()));
        }
        if has_csv(path).map_err(unreadable)? {
            return Ok(Thing::Data(path.into()));
        }
        if !values.is_empty() {
            return Ok(Thing::Site(path.into()));
        }
    }
    let repository = Repository::of(root);
    let commit = repository.as_ref().and_then(|repository| repository.commit(written));
    match (repository, commit) {
        (Some(repository), Some(commit)) => Ok(Thing::Revision(repository, commit)),
        (repository, _) => Err(nothing(written, path, repository)),
    }
}

fn has_csv(folder: &Path) -> std::io::Result<bool> {
    let mut entries = std::fs::read_dir(folder)?;
    Ok(entries.any(|entry| {
        entry.is_ok_and(|entry| {
            Path::new(&entry.file_name()).extension().is_some_and(|e| e == "csv")
        })
    }))
}

/// Why an argument names nothing that can be compared.
fn nothing(written: &str, path: &Path, repository: Option<Repository>) -> Diagnostic {
    let message = format!("«{written}» no es nada que se pueda comparar");
    let exists = match path {
        path if path.is_dir() => "es una carpeta sin CSV y sin ningún valores.json",
        path if path.exists() => "es un archivo y no un valores.json",
        _ => "no existe un archivo ni una carpeta de ese nombre",
    };
    let found = Diagnostic::new(code::FILE, Place::Nowhere, message).note(exists);
    match repository {
        None => {
            found.note("tampoco puede ser una revisión: el libro no está en un repositorio de git")
        }
        Some(repository) => {
            let names = repository.names();
            found
                .note("tampoco es una revisión del repositorio del libro")
                .hint(did_you_mean(written, names.iter().map(String::as_str)))
        }
    }
}

impl Side {
    fn label(&self) -> String {
        match &self.thing {
            Thing::Revision(_, commit) if !commit.starts_with(&self.written) => {
                format!("{} ({})", self.written, &commit[..commit.len().min(10)])
            }
            _ => self.written.clone(),
        }
    }

    /// Reads or computes the edition; what is wrong says of which side it is.
    fn read(&self, name: &'static str, arguments: &Arguments) -> Result<Read, Diagnostics> {
        // What is published tells of no book; if one is at hand, it is its own.
        let style = || {
            Config::load(&arguments.book.root)
                .map_or_else(|_| NumberStyle::default(), |config| number_style(&config))
        };
        let published = |edition| Read { edition, style: style() };
        let read = match &self.thing {
            Thing::Values(path) => Edition::of_file(path).map(published),
            Thing::Site(folder) => Edition::of_site(folder).map(published),
            Thing::Data(folder) => resolved(&arguments.book.root, Some(folder.clone()), name),
            Thing::Revision(repository, commit) => at_commit(repository, commit, name),
        };
        let of_side = |one: Diagnostic| one.note(format!("al leer {name}: {}", self.label()));
        read.map_err(|found| found.into_iter().map(of_side).collect())
    }
}

/// The book of a folder, computed.
fn resolved(root: &Path, data: Option<PathBuf>, side: &'static str) -> Result<Read, Diagnostics> {
    let mut found = Diagnostics::new();
    let Some(open) = OpenBook::open(root, data, &mut found) else { return Err(found) };
    let progress = Progress::new(if side == "A" { "calculando A" } else { "calculando B" });
    let documents =
        book::resolve(&open.chapters, &open.settings, &|node| progress.done(node), &mut found);
    drop(progress);
    found.relative_to(root);
    found.sort();
    found.apply(&open.book.config.report.rules);
    let edition = Edition::of_book(&documents, &open.chapters, found)?;
    Ok(Read { edition, style: open.settings.style })
}

/// The book as it was at a commit, in a folder that is removed afterwards.
fn at_commit(
    repository: &Repository,
    commit: &str,
    side: &'static str,
) -> Result<Read, Diagnostics> {
    let fault = |why: String| {
        let message = format!("no se pueden sacar del repositorio los archivos de {commit}");
        Diagnostics::from(Diagnostic::new(code::FILE, Place::Nowhere, message).note(why))
    };
    let folder = tempfile::Builder::new().prefix("escritura-comparar-").tempdir();
    let folder = folder.map_err(|error| fault(error.to_string()))?;
    let root = repository.export(commit, folder.path()).map_err(fault)?;
    resolved(&root, None, side)
}
