//! One edition of a report: what a build publishes of each chapter.

use crate::data::reading::unreadable;
use crate::diagnostics::{Diagnostic, Diagnostics, Place, Severity, Source, code};
use crate::report::book::Chapters;
use crate::report::document::Document;
use crate::report::values::{ChapterValues, FILE_NAME};
use crate::study::Study;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A table as its CSV: the header, then the rows.
pub type Grid = Vec<Vec<String>>;

/// What a report says at one moment.
#[derive(Debug, Default)]
pub struct Edition {
    /// Its chapters that read data, in order.
    pub chapters: Vec<Chapter>,
    /// What it cannot print, because its data do not define it.
    pub broken: Vec<Broken>,
}

/// A chapter of an edition.
#[derive(Debug)]
pub struct Chapter {
    /// Its `valores.json`.
    pub values: ChapterValues,
    /// Its tables by name; `None` when only the values are at hand.
    pub tables: Option<BTreeMap<String, Grid>>,
    /// Its data; `None` when only what was published is at hand.
    pub study: Option<Arc<Study>>,
}

/// Something that a text or a table needs and the data do not define.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Broken {
    /// File.
    #[serde(rename = "archivo")]
    pub file: String,
    /// Line in it.
    #[serde(rename = "linea")]
    pub line: usize,
    /// Why, in Spanish.
    #[serde(rename = "motivo")]
    pub reason: String,
}

impl Chapter {
    /// Its slug.
    pub fn slug(&self) -> &str {
        &self.values.capitulo
    }

    /// Its file, or its slug where the file is not known.
    pub fn file(&self) -> &str {
        let file = &self.values.archivo;
        if file.is_empty() { self.slug() } else { file }
    }
}

impl Edition {
    /// The chapter of that slug.
    pub fn chapter(&self, slug: &str) -> Option<&Chapter> {
        self.chapters.iter().find(|one| one.slug() == slug)
    }

    /// A book that was resolved. A claim that is false, or a value that its data do
    /// not define, is a fact to compare; anything else `found` that impedes
    /// publishing comes back.
    pub fn of_book(
        documents: &[Document],
        chapters: &Chapters,
        found: Diagnostics,
    ) -> Result<Self, Diagnostics> {
        let mut edition = Self::default();
        let mut faults = Diagnostics::new();
        for one in found.into_iter().filter(|one| one.severity == Severity::Error) {
            if one.code == code::UNDEFINED_VALUE {
                edition.broken.push(broken(&one));
            } else if one.code != code::ASSERTION {
                faults.push(one);
            }
        }
        for document in documents {
            let file = |name: &str| document.downloads.iter().find(|one| one.path == name);
            let Some(json) = file(FILE_NAME) else { continue };
            let source = Source::new(FILE_NAME, String::from_utf8_lossy(&json.bytes));
            let Some(values) = faults.check(ChapterValues::parse(&source)) else { continue };
            let files = document.downloads.iter().map(|one| (one.path.clone(), one.bytes.clone()));
            let tables = Some(files.filter_map(table).collect());
            let own = chapters.read.iter().find(|one| one.chapter.slug == document.slug);
            let study = own.and_then(|one| one.study.clone());
            edition.chapters.push(Chapter { values, tables, study });
        }
        if faults.is_empty() { Ok(edition) } else { Err(faults) }
    }

    /// A `valores.json` alone.
    pub fn of_file(path: &Path) -> Result<Self, Diagnostics> {
        let values = ChapterValues::parse(&Source::read(path, path)?)?;
        let chapter = Chapter { values, tables: None, study: None };
        Ok(Self { chapters: vec![chapter], broken: vec![] })
    }

    /// Every `valores.json` under a folder, with the tables beside it.
    pub fn of_site(folder: &Path) -> Result<Self, Diagnostics> {
        let mut edition = Self::default();
        let mut found = Diagnostics::new();
        for path in value_files(folder).map_err(|error| unreadable(folder, &error))? {
            let Some(mut one) = found.check_all(Self::of_file(&path)) else { continue };
            let tables = tables_beside(&path);
            for chapter in &mut one.chapters {
                chapter.tables = found.check(tables.clone());
            }
            edition.chapters.append(&mut one.chapters);
        }
        if found.is_empty() { Ok(edition) } else { Err(found) }
    }
}

/// The `valores.json` of a folder and of those in it, in order. Links are not
/// followed.
pub fn value_files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let (mut files, mut pending) = (vec![], vec![folder.to_path_buf()]);
    while let Some(current) = pending.pop() {
        for entry in std::fs::read_dir(&current)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                pending.push(entry.path());
            } else if entry.file_name() == FILE_NAME {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    Ok(files)
}

fn tables_beside(values: &Path) -> Result<BTreeMap<String, Grid>, Diagnostic> {
    let folder = values.parent().unwrap_or(Path::new("."));
    let mut tables = BTreeMap::new();
    for entry in std::fs::read_dir(folder).map_err(|error| unreadable(folder, &error))? {
        let path = entry.map_err(|error| unreadable(folder, &error))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if is_table(&name).is_some() {
            let bytes = std::fs::read(&path).map_err(|error| unreadable(&path, &error))?;
            tables.extend(table((name, bytes)));
        }
    }
    Ok(tables)
}

/// The name of the table that a file holds.
fn is_table(file: &str) -> Option<&str> {
    file.strip_prefix("tabla-")?.strip_suffix(".csv")
}

fn table((file, bytes): (String, Vec<u8>)) -> Option<(String, Grid)> {
    let name = is_table(&file)?;
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(&bytes[..]);
    let text = |cell: &[u8]| String::from_utf8_lossy(cell).into_owned();
    let rows = reader.byte_records().map_while(Result::ok);
    Some((name.to_owned(), rows.map(|row| row.iter().map(text).collect()).collect()))
}

fn broken(found: &Diagnostic) -> Broken {
    let (file, line, _) = found.place.order();
    let file = match &found.place {
        Place::Nowhere => String::new(),
        _ => file.to_string_lossy().into_owned(),
    };
    Broken { file, line, reason: found.message.clone() }
}
