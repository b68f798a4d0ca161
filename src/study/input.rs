//! The data of a study: the matrix, who answered it, and further frames.

use super::catalogue;
use super::options::DataOptions;
use crate::data::{
    Cell, Frame, FrameOptions, FrameTable, Names, ReadOptions, Recode, ResponseTable, Responses,
    align, read_frame, read_responses,
};
use crate::diagnostics::{Diagnostic, Diagnostics, Place, Source, code, did_you_mean, system};
use crate::yaml::Located;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// Column of identifiers when the file has none.
const EXAMINEE: &str = "examinado";
/// Column that tells the examinees of the matrix when no other is declared.
const INCLUDED: &str = "incluido";
/// Column of item names.
pub const ITEM: &str = "reactivo";

/// Everything that a study computes from.
#[derive(Debug, Clone)]
pub struct StudyData {
    /// The answers.
    pub responses: Responses,
    /// Item names, in the order of the matrix.
    pub items: Names,
    /// Name of the column that identifies the examinees.
    pub id_name: String,
    /// What is known of each examinee of the matrix, identifier first. A column with
    /// the name of one that is computed stays in `folders` only: what a name means
    /// may not depend on what else is computed.
    pub examinees: Frame,
    /// All the rows of the examinees' table, included or not.
    pub folders: Option<Frame>,
    /// The rows of the examinees' table that are not included.
    pub excluded: Option<Frame>,
    /// Further frames; for an optional one whose file is not there, the name of that
    /// file.
    pub frames: BTreeMap<String, Result<Arc<Frame>, String>>,
    /// The files read: name, SHA-256, rows and columns.
    pub files: Vec<FileRead>,
    /// What the readers had to decide, in Spanish.
    pub notices: Vec<String>,
}

/// A file that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct FileRead {
    /// File name, relative to the data folder.
    pub name: String,
    /// SHA-256 of its bytes, hexadecimal.
    pub sha256: String,
    /// Rows of data.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
}

impl StudyData {
    /// A matrix alone.
    ///
    /// # Errors
    /// Its identifiers have the name of something that is computed.
    pub fn bare(table: ResponseTable) -> Result<Self, Diagnostic> {
        let name = table.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let id_name = table.id_name.unwrap_or_else(|| EXAMINEE.to_owned());
        if let Some(computed) = catalogue::column("examinados", &id_name) {
            let message = format!("la columna de identificadores se llama «{id_name}»");
            return Err(Diagnostic::new(code::DUPLICATE_NAME, &*table.path, message)
                .note(format!("así se llama lo que se calcula: {}", computed.meaning))
                .hint(Some("llámela «id»".to_owned())));
        }
        let examinees = Frame::new(table.examinees.len()).with(&id_name, table.examinees.iter());
        let file = FileRead {
            name,
            sha256: table.sha256,
            rows: table.examinees.len(),
            columns: table.items.len() + 1,
        };
        Ok(Self {
            responses: table.responses,
            items: table.items,
            id_name,
            examinees,
            folders: None,
            excluded: None,
            frames: BTreeMap::new(),
            files: vec![file],
            notices: table.notices,
        })
    }

    /// Reads the files that a chapter names, from `folder`. `chapter` is where
    /// faults in the options themselves are shown.
    pub fn load(
        folder: &Path,
        options: &DataOptions,
        chapter: &Source,
    ) -> Result<Self, Diagnostics> {
        let mut found = Diagnostics::new();
        let matrix = found.check_all(read_matrix(folder, options, chapter));
        let metadata = options.examinados.as_ref().and_then(|file| {
            let described = file.describe();
            let mut text: BTreeSet<String> = described.texto.iter().cloned().collect();
            text.extend(matrix.as_ref().and_then(|matrix| matrix.id_name.clone()));
            let read = read_table(folder, &described.archivo, text, file, chapter);
            let table = found.check_all(read)?;
            let declared = Declared { file, chapter, frame: &table.frame };
            found.extend(declared.unknown("incluido", described.incluido.as_slice()));
            found.extend(declared.unknown("texto", &described.texto));
            Some(table)
        });
        let mut frames = BTreeMap::new();
        let mut further = vec![];
        for (name, file) in options.marcos.iter() {
            if catalogue::is_reserved(name) {
                let message = format!("«{}» ya es el nombre de un marco o de un grupo", name.value);
                let fault = Diagnostic::new(code::DUPLICATE_NAME, name.place(chapter), message);
                found.push(fault.hint(Some("elija otro nombre".to_owned())));
                continue;
            }
            let described = file.describe();
            let file_name = described.archivo;
            if described.opcional && !system::is_there(&folder.join(&file_name)) {
                frames.insert(name.value.clone(), Err(file_name));
                continue;
            }
            let text = described.texto.iter().cloned().collect();
            let read = read_table(folder, &file_name, text, file, chapter);
            if let Some(table) = found.check_all(read) {
                let declared = Declared { file, chapter, frame: &table.frame };
                found.extend(declared.unknown("texto", &described.texto));
                further.push(file_read(&file_name, &table));
                frames.insert(name.value.clone(), Ok(Arc::new(table.frame)));
            }
        }
        let (Some(matrix), false) = (matrix, found.has_errors()) else { return Err(found) };
        let mut study = Self::bare(matrix.clone())?;
        if let (Some(metadata), Some(file)) = (metadata, &options.examinados) {
            study.files.push(file_read(&file.describe().archivo, &metadata));
            let included = file.describe().incluido;
            study.join(&matrix, metadata, included.as_deref().unwrap_or(INCLUDED))?;
        }
        study.files.extend(further);
        study.frames = frames;
        Ok(study)
    }

    fn join(
        &mut self,
        matrix: &ResponseTable,
        metadata: FrameTable,
        included: &str,
    ) -> Result<(), Diagnostics> {
        let examinees = align(matrix, &metadata, &self.id_name, Some((included, "1")))?;
        let is_computed = |name: &str| catalogue::column("examinados", name).is_some();
        self.examinees = examinees.without(is_computed);
        if let Some(column) = metadata.frame.column(included) {
            let outside = |row: &usize| column[*row] != Cell::Integer(1);
            let rows: Vec<usize> = (0..metadata.frame.n_rows()).filter(outside).collect();
            self.excluded = Some(metadata.frame.select(&rows));
        }
        self.folders = Some(metadata.frame);
        Ok(())
    }
}

fn read_matrix(
    folder: &Path,
    options: &DataOptions,
    chapter: &Source,
) -> Result<ResponseTable, Diagnostics> {
    let described = options.respuestas.describe();
    let path = inside(folder, &described.archivo, &options.respuestas, chapter)?;
    let mut reading = ReadOptions { count_column: described.conteo, ..ReadOptions::default() };
    if let Some(missing) = described.faltantes {
        reading.missing = missing;
    }
    if let Some(text) = described.recodificar {
        let recode = text.parse::<Recode>().map_err(|reason| {
            let place = options.respuestas.place(chapter);
            Diagnostic::new(code::CONFIG, place, format!("«recodificar» no se entiende: {reason}"))
        })?;
        reading.recode = Some(recode);
    }
    read_responses(&path, &reading)
}

/// A table that was read, and where the chapter declares it.
struct Declared<'a, T> {
    file: &'a Located<T>,
    chapter: &'a Source,
    frame: &'a Frame,
}

impl<T> Declared<'_, T> {
    /// Columns that its option `key` names and the file does not have.
    fn unknown(&self, key: &str, names: &[String]) -> Vec<Diagnostic> {
        let is_unknown = |name: &&String| self.frame.column(name).is_none();
        let report = |name: &String| {
            let message = format!("«{key}» nombra la columna «{name}», que el archivo no tiene");
            Diagnostic::new(code::UNKNOWN_VALUE, self.place(key, name), message)
                .hint(did_you_mean(name, self.frame.names()))
        };
        names.iter().filter(is_unknown).map(report).collect()
    }

    /// Where the option has the name: YAML tells where the mapping starts, no more.
    fn place(&self, key: &str, name: &str) -> Place {
        let after = |start: usize, wanted: &str| {
            let rest = self.chapter.text().get(start..)?;
            rest.find(wanted).map(|at| start + at)
        };
        let key = after(self.file.range.start, &format!("{key}:"));
        match key.and_then(|at| after(at + 1, name)) {
            Some(at) => self.chapter.place(at..at + name.len()),
            None => self.file.place(self.chapter),
        }
    }
}

fn read_table<T>(
    folder: &Path,
    name: &str,
    text: BTreeSet<String>,
    declared: &Located<T>,
    chapter: &Source,
) -> Result<FrameTable, Diagnostics> {
    let options = FrameOptions { text, ..FrameOptions::default() };
    read_frame(&inside(folder, name, declared, chapter)?, &options)
}

/// The path of a data file, which must exist inside the data folder.
fn inside<T>(
    folder: &Path,
    name: &str,
    declared: &Located<T>,
    chapter: &Source,
) -> Result<std::path::PathBuf, Diagnostics> {
    let relative = Path::new(name);
    let plain = |part| matches!(part, std::path::Component::Normal(_));
    if !relative.components().all(plain) {
        let message = format!("«{name}» sale de la carpeta de datos");
        return Err(Diagnostic::new(code::FILE, declared.place(chapter), message).into());
    }
    let path = folder.join(relative);
    let Err(error) = system::check_file(&path) else { return Ok(path) };
    if error.kind() != std::io::ErrorKind::NotFound {
        let message = format!("«{name}» no se puede leer: {}", system::cause(&error));
        return Err(Diagnostic::new(code::FILE, declared.place(chapter), message).into());
    }
    let message = format!("no existe el archivo «{name}» en la carpeta de datos");
    let siblings = siblings(folder);
    let hint = did_you_mean(name, siblings.iter().map(String::as_str));
    Err(Diagnostic::new(code::FILE, declared.place(chapter), message).hint(hint).into())
}

fn siblings(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn file_read(name: &str, table: &FrameTable) -> FileRead {
    FileRead {
        name: name.to_owned(),
        sha256: table.sha256.clone(),
        rows: table.frame.n_rows(),
        columns: table.frame.columns().len(),
    }
}
