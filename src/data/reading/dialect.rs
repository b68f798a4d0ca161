//! Which separator and line end a file uses, found in its first lines.

use super::records::{Record, Splitter, fields, place, trim};
use crate::diagnostics::{Diagnostic, code};
use std::path::Path;

const DELIMITERS: [u8; 3] = [b',', b';', b'\t'];

/// Records that are compared with the header when it leaves a doubt.
const SAMPLE: usize = 20;

/// The shape of a file, and where its text begins.
#[derive(Debug, Clone)]
pub(super) struct Dialect {
    pub splitter: Splitter,
    /// Bytes of the byte order mark and of the line that tells Excel the separator.
    pub start: usize,
}

/// Finds the dialect. `bytes` begin the file; they need not end at a record.
///
/// The separator is the one that the header has. When it has several, it is the
/// one that cuts every sampled record as it cuts the header; when that does not
/// decide either, the more frequent in the header. A tie is an error: guessing
/// would turn names into numbers.
pub(super) fn sniff(path: &Path, bytes: &[u8]) -> Result<Dialect, Diagnostic> {
    let bom = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let told = excel_line(&bytes[bom..]);
    let start = bom + told;
    let text = &bytes[start..];
    is_text(path, bytes)?;
    let has_lf = memchr::memchr(b'\n', text).is_some();
    let terminator = if !has_lf && text.contains(&b'\r') { b'\r' } else { b'\n' };
    let splitter = |delimiter| Splitter { delimiter, terminator, line: 1 + usize::from(told > 0) };

    let mut candidates: Vec<Candidate> = DELIMITERS
        .iter()
        .map(|&delimiter| Candidate::of(text, splitter(delimiter)))
        .filter(|candidate| candidate.width > 1)
        .collect();
    if candidates.iter().any(|candidate| candidate.consistent) {
        candidates.retain(|candidate| candidate.consistent);
    }
    candidates.sort_by_key(|candidate| std::cmp::Reverse(candidate.width));
    match candidates[..] {
        [first, second, ..] if first.width == second.width => {
            Err(undecided(path, text, splitter(b',')))
        }
        [first, ..] => Ok(Dialect { splitter: splitter(first.delimiter), start }),
        [] => single_column(path, text, splitter(b',')).map(|splitter| Dialect { splitter, start }),
    }
}

/// Bytes of a first line `sep=;`, which Excel writes and reads and is no data.
fn excel_line(text: &[u8]) -> usize {
    let end = text.iter().position(|byte| matches!(byte, b'\r' | b'\n')).unwrap_or(text.len());
    let is_one = trim(&text[..end]).strip_prefix(b"sep=").is_some_and(|rest| rest.len() == 1);
    match text[end..] {
        _ if !is_one => 0,
        [b'\r', b'\n', ..] => end + 2,
        [_, ..] => end + 1,
        [] => end,
    }
}

#[derive(Debug, Clone, Copy)]
struct Candidate {
    delimiter: u8,
    /// Fields of the header.
    width: usize,
    /// Whether the sampled records have as many.
    consistent: bool,
}

impl Candidate {
    fn of(text: &[u8], mut splitter: Splitter) -> Self {
        let delimiter = splitter.delimiter;
        let mut widths = vec![];
        let mut at = 0;
        while widths.len() < SAMPLE {
            // The last record of the piece may be cut; only a lone header is taken as it is.
            let Some((record, used)) = splitter.next(&text[at..], widths.is_empty()) else { break };
            at += used;
            if !trim(record.bytes).is_empty() {
                widths.push(fields(record.bytes, delimiter).count());
            }
        }
        let width = widths.first().copied().unwrap_or(0);
        Self { delimiter, width, consistent: widths.iter().all(|&w| w == width) }
    }
}

fn undecided(path: &Path, text: &[u8], splitter: Splitter) -> Diagnostic {
    let header = header(text, splitter);
    let at = header.bytes.iter().position(|b| DELIMITERS.contains(b)).unwrap_or(0);
    Diagnostic::new(
        code::CSV,
        place(path, &header, at),
        "no se puede decidir qué separa las columnas: hay varios separadores igual de frecuentes",
    )
    .hint(Some("use uno solo de estos: coma, punto y coma o tabulador".into()))
}

/// A file without separators is a single column, unless it plainly uses others.
fn single_column(path: &Path, text: &[u8], splitter: Splitter) -> Result<Splitter, Diagnostic> {
    let header = header(text, splitter.clone());
    let foreign = |&b: &u8| b == b'|' || b == b' ' || b == b':';
    let Some(at) = trim(header.bytes).iter().position(foreign) else { return Ok(splitter) };
    let found = char::from(trim(header.bytes)[at]);
    let found = if found == ' ' { "espacio".into() } else { format!("«{found}»") };
    Err(Diagnostic::new(
        code::CSV,
        place(path, &header, at),
        format!("las columnas parecen separadas por {found}, que no es un separador admitido"),
    )
    .hint(Some("use coma, punto y coma o tabulador".into())))
}

fn header(text: &[u8], mut splitter: Splitter) -> Record<'_> {
    let mut at = 0;
    while let Some((record, used)) = splitter.next(&text[at..], true) {
        if !trim(record.bytes).is_empty() {
            return record;
        }
        at += used;
    }
    Record { line: 1, bytes: b"", unclosed: false }
}

/// Refuses, by name, what is often given instead of a UTF-8 text.
fn is_text(path: &Path, bytes: &[u8]) -> Result<(), Diagnostic> {
    let found = if bytes.starts_with(b"PK\x03\x04") {
        "es un libro de Excel u otro archivo comprimido, no un CSV"
    } else if bytes.starts_with(b"\x1f\x8b") {
        "está comprimido con gzip"
    } else if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        "está en UTF-16, no en UTF-8"
    } else if let Some(at) = memchr::memchr(0, bytes) {
        let line = memchr::memchr_iter(b'\n', &bytes[..at]).count();
        let start = memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |lf| lf + 1);
        let record = Record { line: line + 1, bytes: &bytes[start..=at], unclosed: false };
        let message = "el archivo contiene un byte nulo: no es un CSV de texto";
        return Err(Diagnostic::new(code::CSV, place(path, &record, at - start), message));
    } else {
        return Ok(());
    };
    Err(Diagnostic::new(code::CSV, path, format!("el archivo {found}"))
        .hint(Some("guárdelo como CSV en UTF-8".into())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delimiter(text: &str) -> Result<char, Diagnostic> {
        sniff(Path::new("a.csv"), text.as_bytes()).map(|found| found.splitter.delimiter.into())
    }

    #[test]
    fn the_separator_is_the_one_the_header_has() {
        assert_eq!(delimiter("id,a,b\nx,1,0\n").unwrap(), ',');
        assert_eq!(delimiter("id;i1\na;0,5").unwrap(), ';');
        assert_eq!(delimiter("id\ta\nx\t1\n").unwrap(), '\t');
        assert_eq!(delimiter("\"id,uno\";\"a,b\"\nx;1\n").unwrap(), ';');
    }

    #[test]
    fn rows_decide_when_the_header_has_several() {
        assert_eq!(delimiter("nombre, apellido, apodo;x\na;1\nb;2\n").unwrap(), ';');
        assert_eq!(delimiter("a,b;c\n1,2\n").unwrap(), ',');
    }

    #[test]
    fn the_line_that_excel_writes_first_is_no_data() {
        for (text, start) in [("sep=;\na;b\n", 6), ("\u{feff}sep=,\r\na,b\r\n", 10)] {
            let found = sniff(Path::new("a.csv"), text.as_bytes()).unwrap();
            assert_eq!((found.start, found.splitter.line), (start, 2), "{text:?}");
        }
        assert_eq!(sniff(Path::new("a.csv"), b"sep=,b\n1,2\n").unwrap().start, 0);
    }

    #[test]
    fn a_tie_and_foreign_separators_are_refused() {
        assert!(delimiter("a,b;c\n").unwrap_err().message.contains("no se puede decidir"));
        assert!(delimiter("id|a\nx|1\n").unwrap_err().message.contains("«|»"));
        assert!(delimiter("id a b\nx 1 0\n").unwrap_err().message.contains("espacio"));
    }

    #[test]
    fn other_kinds_of_file_are_named() {
        let message = |bytes: &[u8]| sniff(Path::new("a"), bytes).unwrap_err().message;
        assert!(message(b"PK\x03\x04...").contains("Excel"));
        assert!(message(b"\xff\xfei\0d\0").contains("UTF-16"));
        assert!(message(b"id,a\nx,\x001\n").contains("byte nulo"));
    }
}
