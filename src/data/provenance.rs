//! Where data come from, and whether they are still those: `procedencia.yaml`.

use super::digest;
use super::reading::unreadable;
use super::storage;
use crate::diagnostics::{Diagnostic, Diagnostics, Source, code, system};
use crate::yaml::{self, Located};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Component, Path};

/// The file's name in each data folder.
pub const FILE_NAME: &str = "procedencia.yaml";

/// Whether somebody really answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Made by a generating model.
    Simulado,
    /// Observed.
    Real,
}

/// Where the files of a folder come from.
#[derive(Debug, Clone, PartialEq)]
pub struct Provenance {
    /// Simulated or real.
    pub kind: Kind,
    /// The source, for readers.
    pub origin: String,
    /// Commit of the source's repository.
    pub commit: Option<String>,
    /// The day of the data.
    pub date: Date,
    /// What made the files, with its version.
    pub tool: Option<String>,
    /// The seed of a simulation.
    pub seed: Option<u64>,
    /// Anything else a reader should know.
    pub note: Option<String>,
    /// Counts that the tool reports (folders, exclusions), by name.
    pub counts: BTreeMap<String, u64>,
    /// SHA-256 of each file's bytes, in hexadecimal, by name.
    pub files: BTreeMap<String, String>,
}

/// The file as it is written; the one place that knows its keys.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "T: Deserialize<'de>"))]
struct Declared<T> {
    tipo: Kind,
    fuente: String,
    #[serde(default)]
    commit: Option<String>,
    fecha: T,
    #[serde(default)]
    herramienta: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    semilla: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    nota: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    conteos: BTreeMap<String, u64>,
    archivos: BTreeMap<String, DeclaredFile<T>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "T: Deserialize<'de>"))]
struct DeclaredFile<T> {
    sha256: T,
}

/// Refuses to write simulated data where there are others: a folder whose provenance
/// does not say that it is simulated.
///
/// # Errors
/// It says that the data are real, or cannot be read.
pub fn refuse_over_real(folder: &Path) -> Result<(), Diagnostic> {
    let path = folder.join(FILE_NAME);
    let known = || verify(folder, &mut Diagnostics::new());
    if !system::is_there(&path) || known().is_some_and(|known| known.kind == Kind::Simulado) {
        return Ok(());
    }
    let message = "la carpeta tiene datos que no son simulados y se perderían";
    Err(Diagnostic::new(code::OUTPUT, path, message).hint(Some("elija otro destino".into())))
}

/// Reads the folder's provenance and checks every file it names.
///
/// Without the file there is a warning; with faults in it, or files that are not
/// those it describes, located errors: everything goes to `found`. The provenance
/// is returned whenever it could be read.
pub fn verify(folder: &Path, found: &mut Diagnostics) -> Option<Provenance> {
    let path = folder.join(FILE_NAME);
    let bytes = match system::read_file(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && folder.is_dir() => {
            found.push(
                Diagnostic::new(code::NO_PROVENANCE, folder, "los datos no dicen de dónde vienen")
                    .hint(Some(format!(
                        "descríbalos con: escritura datos verificar {} --escribir --tipo real",
                        folder.display()
                    ))),
            );
            return None;
        }
        Err(error) => {
            found.push(unreadable(&path, &error));
            return None;
        }
    };
    let Ok(text) = String::from_utf8(bytes) else {
        found.push(Diagnostic::new(code::FILE, path, "el archivo no es texto UTF-8"));
        return None;
    };
    let source = Source::new(path, text);
    let declared: Declared<Located<String>> = found.check(yaml::parse(&source))?;
    let date = found.check(parse_date(&source, &declared.fecha))?;
    for (name, file) in &declared.archivos {
        if let Err(fault) = check_file(folder, name, &file.sha256, &source) {
            found.push(fault);
        }
    }
    unlisted(folder, &declared.archivos.keys().map(String::as_str).collect::<Vec<_>>(), found);
    let files = declared.archivos.into_iter().map(|(name, file)| (name, file.sha256.value));
    Some(Provenance {
        kind: declared.tipo,
        origin: declared.fuente,
        commit: declared.commit,
        date,
        tool: declared.herramienta,
        seed: declared.semilla,
        note: declared.nota,
        counts: declared.conteos,
        files: files.collect(),
    })
}

impl Provenance {
    /// The text of `procedencia.yaml`.
    pub fn to_yaml(&self) -> Result<String, Diagnostic> {
        let file = |(name, sha256): (&String, &String)| {
            (name.clone(), DeclaredFile { sha256: sha256.clone() })
        };
        let declared = Declared {
            tipo: self.kind,
            fuente: self.origin.clone(),
            commit: self.commit.clone(),
            fecha: self.date.to_string(),
            herramienta: self.tool.clone(),
            semilla: self.seed,
            nota: self.note.clone(),
            conteos: self.counts.clone(),
            archivos: self.files.iter().map(file).collect(),
        };
        let failed = |error| Diagnostic::new(code::PROVENANCE, Path::new(FILE_NAME), error);
        yaml::to_string(&declared).map_err(failed)
    }

    /// Writes `procedencia.yaml` into the folder, replacing the one that stands there.
    pub fn write(&self, folder: &Path) -> Result<(), Diagnostic> {
        storage::replace(&[(&folder.join(FILE_NAME), self.to_yaml()?.as_bytes())])
    }
}

/// The CSV files of a folder and the SHA-256 of each: what `files` should hold.
pub fn digests(folder: &Path) -> Result<BTreeMap<String, String>, Diagnostic> {
    let unreadable = |error| unreadable(folder, &error);
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let name = path.file_name().and_then(|name| name.to_str()).map(String::from);
        if let Some(name) = name.filter(|name| name.ends_with(".csv")) {
            files.insert(name, digest::of_file(&path)?);
        }
    }
    Ok(files)
}

fn parse_date(source: &Source, date: &Located<String>) -> Result<Date, Diagnostic> {
    date.value.parse().map_err(|_| {
        let message = format!("«{}» no es una fecha AAAA-MM-DD", date.value);
        Diagnostic::new(code::PROVENANCE, date.place(source), message)
    })
}

fn check_file(
    folder: &Path,
    name: &str,
    sha256: &Located<String>,
    source: &Source,
) -> Result<(), Diagnostic> {
    let fault = |message: String| Diagnostic::new(code::PROVENANCE, sha256.place(source), message);
    let inside = |part: Component| matches!(part, Component::Normal(_));
    if name.is_empty() || !Path::new(name).components().all(inside) {
        return Err(fault(format!("«{name}» no es un archivo de esta carpeta")));
    }
    let expected = sha256.value.to_ascii_lowercase();
    if expected.len() != 64 || !expected.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err(fault(format!("el SHA-256 de «{name}» no son 64 cifras hexadecimales")));
    }
    let path = folder.join(name);
    let found = digest::of_file(&path)?;
    if found == expected {
        return Ok(());
    }
    let same_content = std::fs::read(&path).is_ok_and(|b| digest::of_content(&b) == expected);
    let hint = if same_content {
        "solo cambiaron los finales de línea o la marca BOM: restaure el archivo original"
    } else {
        "restaure el archivo, o renueve la procedencia con: escritura datos verificar --escribir"
    };
    Err(fault(format!("«{name}» no es el archivo que describe la procedencia"))
        .note(format!("esperado: {expected}"))
        .note(format!("encontrado: {found}"))
        .hint(Some(hint.into())))
}

/// A CSV that the provenance does not name is data of unknown origin.
fn unlisted(folder: &Path, listed: &[&str], found: &mut Diagnostics) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".csv") && !listed.contains(&name.as_str()))
        .collect();
    names.sort_unstable();
    for name in names {
        let message = format!("{FILE_NAME} no dice de dónde viene «{name}»");
        found.push(Diagnostic::new(code::NO_PROVENANCE, folder.join(name), message));
    }
}
