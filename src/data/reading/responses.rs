//! Reading a response matrix.

use super::codes::Codes;
use super::header::Layout;
use super::problems::Problems;
use super::records::{Record, Splitter, place, trim};
use super::rows::{Group, Reader};
use super::scan::{LONGEST, scan};
use super::{ReadOptions, dialect};
use crate::data::{Names, Responses, ResponsesBuilder};
use crate::diagnostics::{Diagnostic, Diagnostics, Place, code};
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// Examinees that patterns with counts may expand to: more is a slip in the
/// counts, and would be told by the memory first.
const MOST_EXAMINEES: u64 = 10_000_000;

/// A response matrix with the names of its rows and columns.
#[derive(Debug, Clone, PartialEq)]
pub struct ResponseTable {
    /// The file it was read from.
    pub path: PathBuf,
    /// Name of the column of identifiers; `None` when the examinees are numbered.
    pub id_name: Option<String>,
    /// Identifier of each examinee, all different.
    pub examinees: Names,
    /// Name of each item, all different.
    pub items: Names,
    /// The answers.
    pub responses: Responses,
    /// Line of the file, from 1, where each examinee stands.
    pub lines: Vec<usize>,
    /// SHA-256 of the file's bytes, in hexadecimal.
    pub sha256: String,
    /// What the reader had to decide, in Spanish, for the user to check.
    pub notices: Vec<String>,
}

/// Reads a CSV of responses: one row per examinee, or per response pattern with
/// a count column.
///
/// The first column (the count apart) identifies the examinees. When it has not
/// a name that says so (`id`, `envio`, ...), every value in it is an answer or a
/// missing cell, and values repeat, it cannot identify anybody: it is an item
/// too, and the examinees are numbered from 1. Patterns expand to examinees named
/// `pattern·replica`, where the pattern is its identifier or, without one, its
/// number. Both decisions are told in [`ResponseTable::notices`].
///
/// The file is never held whole: it is read, hashed and packed in blocks, on all
/// the cores, and the result does not depend on how many there are.
///
/// # Errors
/// Everything wrong with the file, each at its line and column, the first twenty
/// one by one: unreadable or not UTF-8, no known separator, no rows, no items,
/// rows of another length, names or identifiers empty or repeated, cells that are
/// not 0, 1 or missing.
pub fn read_responses(path: &Path, options: &ReadOptions) -> Result<ResponseTable, Diagnostics> {
    let mut assembly = Assembly::new(path, options);
    let sha256 = scan(path, |bytes, last| assembly.consume(bytes, last))?;
    assembly.finish(sha256)
}

struct Assembly<'a> {
    path: &'a Path,
    options: &'a ReadOptions,
    codes: Codes,
    body: Option<Body>,
    problems: Problems,
}

/// What exists once the header is known.
struct Body {
    layout: Layout,
    splitter: Splitter,
    builder: ResponsesBuilder,
    keys: Names,
    counts: Vec<u64>,
    lines: Vec<usize>,
}

impl<'a> Assembly<'a> {
    fn new(path: &'a Path, options: &'a ReadOptions) -> Self {
        let codes = Codes::new(options);
        Self { path, options, codes, body: None, problems: Problems::default() }
    }

    /// Takes the whole records that `bytes` hold; says how many bytes those are.
    fn consume(&mut self, bytes: &[u8], last: bool) -> Result<usize, Diagnostics> {
        let mut at = 0;
        if self.body.is_none() {
            at = self.header(bytes, last)?;
        }
        let Some(body) = &mut self.body else { return Ok(at) };
        let (records, taken) = body.records(&bytes[at..], last);
        if taken == 0 && bytes.len() > LONGEST {
            return Err(too_long(self.path, body.splitter.line).into());
        }
        let reader = Reader { path: self.path, layout: &body.layout, codes: &self.codes };
        let groups: Vec<Group> = records.par_chunks(64).map(|some| reader.group(some)).collect();
        for group in groups {
            body.builder.push_block(&group.correct, &group.observed, group.lines.len());
            body.keys.append(&group.keys);
            body.counts.extend(group.counts);
            body.lines.extend(group.lines);
            self.problems.append(group.problems);
        }
        Ok(at + taken)
    }

    /// Reads the header when it is there whole; returns the bytes it takes.
    fn header(&mut self, bytes: &[u8], last: bool) -> Result<usize, Diagnostics> {
        let dialect = dialect::sniff(self.path, bytes)?;
        let mut splitter = dialect.splitter;
        let mut at = dialect.start;
        while let Some((record, used)) = splitter.next(&bytes[at..], last) {
            at += used;
            if trim(record.bytes).is_empty() {
                continue;
            }
            let (options, problems) = (self.options, &mut self.problems);
            let layout = Layout::of(self.path, &record, splitter.delimiter, options, problems)?;
            self.body = Some(Body {
                builder: ResponsesBuilder::new(layout.items.len()),
                layout,
                splitter,
                keys: Names::new(),
                counts: vec![],
                lines: vec![],
            });
            return Ok(at);
        }
        if bytes.len() > LONGEST {
            return Err(too_long(self.path, splitter.line).into());
        }
        if last {
            return Err(Diagnostic::new(code::CSV, self.path, "el archivo está vacío").into());
        }
        Ok(0)
    }

    fn finish(self, sha256: String) -> Result<ResponseTable, Diagnostics> {
        let Self { path, options, codes, body, mut problems } = self;
        let Some(body) = body else {
            return Err(Diagnostic::new(code::CSV, path, "el archivo está vacío").into());
        };
        if body.keys.is_empty() {
            problems
                .add(|| Diagnostic::new(code::CSV, path, "el archivo solo tiene el encabezado"));
        }
        problems.into_result(path)?;
        let mut table = ResponseTable {
            path: path.into(),
            id_name: Some(body.layout.key_name.clone()),
            examinees: body.keys,
            items: body.layout.items.clone(),
            responses: body.builder.finish(),
            lines: body.lines,
            sha256,
            notices: vec![],
        };
        if body.layout.key_is_named_as_id() || !holds_answers(&table.examinees, &codes) {
            check_ids(&table, options)?;
        } else {
            table = key_as_item(table, &codes);
        }
        if table.items.is_empty() {
            let message = "no hay reactivos: la única columna identifica a los examinados";
            return Err(Diagnostic::new(code::CSV, path, message).into());
        }
        match body.layout.count {
            Some(_) => expand(table, &body.counts),
            None => Ok(table),
        }
    }
}

impl Body {
    /// The next records, and the bytes they take. Except at the end of the file
    /// their number is a multiple of 64; the others wait for the next block.
    fn records<'b>(&mut self, bytes: &'b [u8], last: bool) -> (Vec<Record<'b>>, usize) {
        let (mut records, mut starts, mut at) = (vec![], vec![], 0);
        while let Some((record, used)) = self.splitter.next(&bytes[at..], last) {
            if !trim(record.bytes).is_empty() {
                records.push(record);
                starts.push(at);
            }
            at += used;
        }
        let whole = records.len() / 64 * 64;
        if !last && whole < records.len() {
            at = starts[whole];
            self.splitter.line = records[whole].line;
            records.truncate(whole);
        }
        (records, at)
    }
}

fn too_long(path: &Path, line: usize) -> Diagnostic {
    let place = Place::Line { path: path.into(), line, column: 1, excerpt: String::new() };
    Diagnostic::new(code::CSV, place, format!("la línea supera {} MiB", LONGEST >> 20))
        .hint(Some("¿es un CSV, y cierra todas sus comillas?".into()))
}

/// Whether the first column can only be an item: answers, and repeated ones.
fn holds_answers(keys: &Names, codes: &Codes) -> bool {
    keys.iter().all(|key| codes.read(key).is_some()) && keys.repeated().next().is_some()
}

fn key_as_item(table: ResponseTable, codes: &Codes) -> ResponseTable {
    let name = table.id_name.unwrap_or_default();
    let n = table.examinees.len();
    let answers = table.examinees.iter().map(|key| codes.read(key).flatten());
    let mut items: Names = [&name].into_iter().collect();
    items.append(&table.items);
    let notice = format!(
        "la primera columna, «{name}», contiene respuestas: se leyó como un reactivo y los \
         examinados se numeraron de 1 a {n}"
    );
    ResponseTable {
        responses: table.responses.with_first_item(answers),
        id_name: None,
        examinees: Names::numbered(n),
        items,
        notices: vec![notice],
        ..table
    }
}

/// Every examinee must have an identifier, and no two the same.
fn check_ids(table: &ResponseTable, options: &ReadOptions) -> Result<(), Diagnostics> {
    let mut problems = Problems::default();
    let at = |row: usize| {
        let id = &table.examinees[row];
        let record = Record { line: table.lines[row], bytes: id.as_bytes(), unclosed: false };
        place(&table.path, &record, 0)
    };
    for row in (0..table.examinees.len()).filter(|&row| table.examinees[row].is_empty()) {
        let message = "la fila no tiene identificador";
        problems.add(|| Diagnostic::new(code::CSV, at(row), message));
    }
    let named = |&(first, _): &(usize, usize)| !table.examinees[first].is_empty();
    for (first, again) in table.examinees.repeated().filter(named) {
        problems.add(|| {
            let id = &table.examinees[again];
            let message = format!("el examinado «{id}» aparece dos veces");
            let lines =
                format!("está en las líneas {} y {}", table.lines[first], table.lines[again]);
            Diagnostic::new(code::DUPLICATE_NAME, at(again), message)
                .note(lines)
                .hint(not_an_item(table, options))
        });
    }
    problems.into_result(&table.path)
}

/// When the identifiers look like answers, what would make them an item.
fn not_an_item(table: &ResponseTable, options: &ReadOptions) -> Option<String> {
    let codes = Codes::new(options);
    let answers = table.examinees.iter().filter(|key| codes.read(key).is_some()).count();
    let name = table.id_name.as_deref()?;
    (answers * 2 > table.examinees.len()).then(|| {
        format!(
            "para leer la columna «{name}» como un reactivo, todos sus valores deben ser 0, 1 o \
             faltantes y su nombre no puede ser el de un identificador"
        )
    })
}

/// One examinee for each time that a pattern was counted.
fn expand(table: ResponseTable, counts: &[u64]) -> Result<ResponseTable, Diagnostics> {
    let total: u64 = counts.iter().fold(0, |sum, &count| sum.saturating_add(count));
    if total == 0 || total > MOST_EXAMINEES {
        let message = match total {
            0 => "todos los conteos son 0".into(),
            _ => format!("los conteos suman más de {MOST_EXAMINEES} examinados"),
        };
        return Err(Diagnostic::new(code::CSV, &*table.path, message).into());
    }
    let mut examinees = Names::new();
    let mut rows = vec![];
    for (row, &count) in counts.iter().enumerate() {
        for replica in 1..=count {
            examinees.push(&format!("{}·{replica}", &table.examinees[row]));
            rows.push(row);
        }
    }
    let patterns = counts.len();
    let notice =
        format!("las filas son patrones con conteo: {patterns} patrones, {total} examinados");
    let mut notices = table.notices;
    notices.push(notice);
    Ok(ResponseTable {
        examinees,
        responses: table.responses.select_examinees(&rows),
        lines: rows.iter().map(|&row| table.lines[row]).collect(),
        notices,
        ..table
    })
}
