//! Sixty-four records at a time, from text to bits: the inner loop of reading.

use super::codes::{Codes, number};
use super::header::{Layout, is_named_as_count, unclosed, utf8};
use super::problems::Problems;
use super::records::{Field, Record, fields, place};
use crate::data::Names;
use crate::diagnostics::{Diagnostic, code};
use std::borrow::Cow;
use std::path::Path;

/// What stays fixed while a file is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reader<'a> {
    pub path: &'a Path,
    pub layout: &'a Layout,
    pub codes: &'a Codes,
}

/// Up to 64 examinees: bit `i` of each word belongs to the `i`-th.
#[derive(Debug)]
pub(super) struct Group {
    pub correct: Vec<u64>,
    pub observed: Vec<u64>,
    pub keys: Names,
    pub counts: Vec<u64>,
    pub lines: Vec<usize>,
    pub problems: Problems,
}

impl Reader<'_> {
    /// Reads up to 64 records.
    pub fn group(&self, records: &[Record]) -> Group {
        let n_items = self.layout.items.len();
        let mut group = Group {
            correct: vec![0; n_items],
            observed: vec![0; n_items],
            keys: Names::new(),
            counts: vec![],
            lines: records.iter().map(|record| record.line).collect(),
            problems: Problems::default(),
        };
        let plain = self.codes.zero_and_one() && self.layout.count.is_none();
        // Plain records go to 16 examinees per word first: short words, few bytes to move.
        let mut quarters = vec![0u16; 4 * n_items];
        let mut complete = 0;
        for (bit, record) in records.iter().enumerate() {
            let fast = if plain && !record.unclosed { self.plain(record) } else { None };
            match fast {
                Some((key, cells)) => {
                    group.keys.push(key);
                    let quarter = &mut quarters[bit / 16 * n_items..][..n_items];
                    for (word, &pair) in quarter.iter_mut().zip(cells.as_chunks().0) {
                        *word |= (u16::from_le_bytes(pair) >> 8 & 1) << (bit % 16);
                    }
                    complete |= 1 << bit;
                }
                None if plain && self.bare(record, bit, &mut group) => {}
                None => self.any(record, bit, &mut group),
            }
        }
        group.observed.iter_mut().for_each(|word| *word |= complete);
        for (j, word) in group.correct.iter_mut().enumerate() {
            let quarter = |q: usize| u64::from(quarters[q * n_items + j]) << (16 * q);
            *word |= (0..4).map(quarter).sum::<u64>();
        }
        group
    }

    /// The key and the cells of a record whose every cell is one bare `0` or `1`:
    /// nearly all records of nearly all files.
    fn plain<'r>(&self, record: &Record<'r>) -> Option<(&'r str, &'r [u8])> {
        let from = record.bytes.len().checked_sub(2 * self.layout.items.len())?;
        let (key, cells) = record.bytes.split_at(from);
        let delimiter = self.layout.delimiter;
        // A pair is good when it differs from (separator, `0`) at most in the last bit.
        let zero = u16::from_le_bytes([delimiter, b'0']);
        let wrong = |pair: &[u8; 2]| (u16::from_le_bytes(*pair) ^ zero) & !0x100;
        if cells.as_chunks().0.iter().fold(0, |all, pair| all | wrong(pair)) != 0 {
            return None;
        }
        let mut key = fields(key, delimiter);
        match (key.next()?.bytes, key.next()) {
            (Cow::Borrowed(key), None) => Some((std::str::from_utf8(key).ok()?, cells)),
            _ => None,
        }
    }

    /// Reads a record without quotes whose cells are bare answers or missing
    /// tokens; says whether it was one, and otherwise leaves no trace.
    fn bare(&self, record: &Record, bit: usize, group: &mut Group) -> bool {
        let key_end = memchr::memchr(self.layout.delimiter, record.bytes);
        let key = key_end.and_then(|end| std::str::from_utf8(&record.bytes[..end]).ok());
        let Some(key) = key.filter(|key| !key.contains('"')) else { return false };
        if self.bare_cells(&record.bytes[key.len()..], bit, group).is_none() {
            let words = group.correct.iter_mut().chain(&mut group.observed);
            words.for_each(|word| *word &= !(1 << bit));
            return false;
        }
        group.keys.push(key.trim_ascii());
        true
    }

    fn bare_cells(&self, mut rest: &[u8], bit: usize, group: &mut Group) -> Option<()> {
        let delimiter = self.layout.delimiter;
        for (correct, observed) in group.correct.iter_mut().zip(&mut group.observed) {
            rest = rest.strip_prefix(&[delimiter])?;
            let first = rest.first().copied().unwrap_or(delimiter);
            if first & !1 == b'0' {
                // That the cell ends here is seen at the next separator.
                *correct |= u64::from(first & 1) << bit;
                *observed |= 1 << bit;
                rest = &rest[1..];
            } else {
                let end = rest.iter().position(|&b| b == delimiter).unwrap_or(rest.len());
                if self.codes.read_bytes(&rest[..end])?.is_some() {
                    return None;
                }
                rest = &rest[end..];
            }
        }
        rest.is_empty().then_some(())
    }

    /// Any record: quoted, with spaces, missing cells, counts or faults.
    fn any(&self, record: &Record, bit: usize, group: &mut Group) {
        if record.unclosed {
            group.problems.add(|| unclosed(self.path, record));
            group.keys.push("");
            return;
        }
        let width = fields(record.bytes, self.layout.delimiter).count();
        if width != self.layout.width {
            group.problems.add(|| ragged(self.path, record, self.layout.width, width));
            group.keys.push("");
            return;
        }
        let mut item = 0;
        for (column, field) in fields(record.bytes, self.layout.delimiter).enumerate() {
            if column == self.layout.key {
                let text = utf8(self.path, record, &field);
                group.keys.push(text.as_deref().unwrap_or_default());
                text.map(drop).unwrap_or_else(|fault| group.problems.add(|| fault));
            } else if Some(column) == self.layout.count {
                match count(&field.lossy()) {
                    Some(count) => group.counts.push(count),
                    None => group.problems.add(|| self.bad_count(record, &field)),
                }
            } else {
                match self.codes.read_bytes(&field.bytes) {
                    Some(answer) => {
                        group.correct[item] |= u64::from(answer == Some(true)) << bit;
                        group.observed[item] |= u64::from(answer.is_some()) << bit;
                    }
                    None => group.problems.add(|| self.bad_cell(record, &field, column, item)),
                }
                item += 1;
            }
        }
    }

    fn bad_cell(&self, record: &Record, field: &Field, column: usize, item: usize) -> Diagnostic {
        if let Err(fault) = utf8(self.path, record, field) {
            return fault;
        }
        let text = shown(field);
        let key = fields(record.bytes, self.layout.delimiter).nth(self.layout.key);
        let key = key.map(|field| shown(&field)).unwrap_or_default();
        let place = place(self.path, record, field.start);
        let answers = self.codes.answers();
        let message = format!("la respuesta «{text}» no es {answers} ni dato faltante");
        let is_fraction = number(&text).is_some_and(|value| value.fract() != 0.0);
        let name = &self.layout.items[item];
        let hint = if self.layout.count.is_none() && is_named_as_count(name) {
            &format!(
                "si «{name}» cuenta examinados, declárelo: en un libro, respuestas: {{archivo: …, conteo: {name}}}; en analizar, --conteo {name}"
            )
        } else if self.codes.has_recode() {
            "al recodificar hay que decir qué significa cada código: 0:0,1:1"
        } else if is_fraction {
            "un puntaje parcial no es una respuesta: decida antes qué cuenta como acierto"
        } else {
            "si los códigos son otros, declárelos: en un libro, respuestas: {archivo: …, recodificar: \"1:0,2:1\"}; en analizar, --recodificar 1:0,2:1"
        };
        Diagnostic::new(code::RESPONSE, place, message)
            .note(format!("reactivo «{name}» (columna {}), fila de «{key}»", column + 1))
            .hint(Some(hint.to_owned()))
    }

    fn bad_count(&self, record: &Record, field: &Field) -> Diagnostic {
        let message = format!("el conteo «{}» no es un número entero", shown(field));
        Diagnostic::new(code::CSV, place(self.path, record, field.start), message)
    }
}

/// A whole number, not negative; `12.0` is one.
fn count(text: &str) -> Option<u64> {
    let value = number(text)?;
    (value.fract() == 0.0 && (0.0..1e15).contains(&value)).then_some(value as u64)
}

/// A record with more or fewer fields than the header.
pub(super) fn ragged(path: &Path, record: &Record, expected: usize, found: usize) -> Diagnostic {
    let columns = |n| if n == 1 { "1 columna".into() } else { format!("{n} columnas") };
    let message = format!("la fila tiene {} y se esperaban {}", columns(found), expected);
    let hint = "si todas las filas tienen una de más, falta el nombre de la primera columna";
    Diagnostic::new(code::CSV, place(path, record, 0), message)
        .hint((found == expected + 1).then(|| hint.into()))
}

/// The content of a field, short enough for a message.
fn shown(field: &Field) -> String {
    let text = field.lossy();
    let mut short: String = text.chars().take(40).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
