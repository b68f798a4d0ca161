//! The first line of a response matrix: which column is what.

use super::ReadOptions;
use super::codes::Codes;
use super::problems::Problems;
use super::records::{Field, Record, fields, place};
use crate::data::Names;
use crate::diagnostics::{Diagnostic, Diagnostics, code, did_you_mean};
use std::path::Path;

/// Names that a count column often has.
const COUNT_NAMES: [&str; 3] = ["n", "frecuencia", "conteo"];

/// Names that only a column of identifiers has, whatever it holds.
const ID_NAMES: [&str; 12] = [
    "",
    "id",
    "envio",
    "envío",
    "examinado",
    "persona",
    "sujeto",
    "caso",
    "patron",
    "patrón",
    "subject_id",
    "examinee",
];

/// Which field of each record is what.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    pub delimiter: u8,
    /// Number of fields.
    pub width: usize,
    /// The field that identifies the examinee, or the first item.
    pub key: usize,
    /// Its name.
    pub key_name: String,
    /// The field that counts examinees.
    pub count: Option<usize>,
    /// The other fields: items.
    pub items: Names,
}

impl Layout {
    /// Reads the header. What does not prevent reading on goes to `problems`.
    pub fn of(
        path: &Path,
        header: &Record,
        delimiter: u8,
        options: &ReadOptions,
        problems: &mut Problems,
    ) -> Result<Self, Diagnostics> {
        let (columns, names) = header_names(path, header, delimiter)?;
        let count = options.count_column.as_deref();
        let count = count.map(|name| count_column(path, header, &names, name)).transpose()?;
        let key = usize::from(count == Some(0));
        let Some(key_name) = names.get(key) else {
            let message = format!("solo hay una columna, «{}», y es de conteos", &names[0]);
            return Err(Diagnostic::new(code::CSV, place(path, header, 0), message).into());
        };
        let is_item = |&i: &usize| i != key && Some(i) != count;
        let positions: Vec<usize> = (0..names.len()).filter(is_item).collect();
        let layout = Self {
            delimiter,
            width: names.len(),
            key,
            key_name: key_name.into(),
            count,
            items: names.select(&positions),
        };
        if layout.holds_answers(&names, options) {
            let message = "la primera línea contiene respuestas en lugar de nombres";
            return Err(Diagnostic::new(code::CSV, place(path, header, 0), message)
                .hint(Some("agregue una primera línea con el nombre de cada columna".into()))
                .into());
        }
        check_names(path, header, &columns, &names, problems);
        Ok(layout)
    }

    /// Whether the name of the key column says that it identifies examinees.
    pub fn key_is_named_as_id(&self) -> bool {
        ID_NAMES.contains(&self.key_name.to_lowercase().as_str())
    }

    /// A header of zeros and ones with repetitions is a row of data.
    fn holds_answers(&self, names: &Names, options: &ReadOptions) -> bool {
        let codes = Codes::new(options);
        let answers = |name: &str| matches!(codes.read(name), Some(Some(_)));
        !self.items.is_empty()
            && self.items.iter().all(answers)
            && names.repeated().next().is_some()
    }
}

/// The fields of the header and their texts, which must be UTF-8.
pub(super) fn header_names<'a>(
    path: &Path,
    header: &Record<'a>,
    delimiter: u8,
) -> Result<(Vec<Field<'a>>, Names), Diagnostic> {
    if header.unclosed {
        return Err(unclosed(path, header));
    }
    let columns: Vec<Field> = fields(header.bytes, delimiter).collect();
    let text = |field| utf8(path, header, field);
    let names = columns.iter().map(text).collect::<Result<Vec<_>, _>>()?;
    Ok((columns.clone(), names.into_iter().collect()))
}

/// The text of a field, or where its bytes stop being UTF-8.
pub(super) fn utf8<'f>(
    path: &Path,
    record: &Record,
    field: &'f Field,
) -> Result<&'f str, Diagnostic> {
    std::str::from_utf8(&field.bytes).map_err(|error| {
        let at = place(path, record, field.start + error.valid_up_to());
        Diagnostic::new(code::FILE, at, "el archivo no es texto UTF-8")
            .hint(Some("guárdelo como UTF-8; parece estar en Latin-1 o Windows-1252".into()))
    })
}

/// Quotes that never close.
pub(super) fn unclosed(path: &Path, record: &Record) -> Diagnostic {
    let message = "se abren comillas que no se cierran";
    Diagnostic::new(code::CSV, place(path, record, 0), message)
}

fn count_column(
    path: &Path,
    header: &Record,
    names: &Names,
    wanted: &str,
) -> Result<usize, Diagnostic> {
    names.iter().position(|name| name == wanted).ok_or_else(|| {
        let message = format!("no existe la columna de conteos «{wanted}»");
        Diagnostic::new(code::CSV, place(path, header, 0), message)
            .hint(did_you_mean(wanted, names.iter()))
    })
}

/// Whether a column has the name of one that counts.
pub(super) fn is_named_as_count(name: &str) -> bool {
    COUNT_NAMES.contains(&name.to_lowercase().as_str())
}

/// Every column but the first must have a name, and no two the same.
pub(super) fn check_names(
    path: &Path,
    header: &Record,
    columns: &[Field],
    names: &Names,
    problems: &mut Problems,
) {
    for (i, name) in names.iter().enumerate().skip(1) {
        if name.is_empty() {
            problems.add(|| {
                let message = format!("la columna {} no tiene nombre", i + 1);
                let hint = "¿sobra un separador al final de las líneas?";
                Diagnostic::new(code::CSV, place(path, header, columns[i].start), message)
                    .hint((i + 1 == names.len()).then(|| hint.into()))
            });
        }
    }
    for (first, again) in names.repeated().filter(|&(first, _)| !names[first].is_empty()) {
        problems.add(|| {
            let at = place(path, header, columns[again].start);
            let name = &names[again];
            let message = format!("la columna «{name}» aparece dos veces");
            Diagnostic::new(code::DUPLICATE_NAME, at, message).note(format!(
                "está en las columnas {} y {}",
                first + 1,
                again + 1
            ))
        });
    }
}
