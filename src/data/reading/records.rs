//! Cutting bytes into records, and records into fields (RFC 4180).
//!
//! The `csv` crate, which the tests take as the reference, neither tells where in
//! a line a field stands nor lets a file be cut for several threads; both are
//! needed here.

use crate::diagnostics::Place;
use std::borrow::Cow;
use std::path::Path;

/// One record, without its line end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Record<'a> {
    /// The line where it starts, from 1.
    pub line: usize,
    /// Its bytes.
    pub bytes: &'a [u8],
    /// Whether the file ends inside its quotes.
    pub unclosed: bool,
}

/// One field of a record.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Field<'a> {
    /// Where it starts in the record, in bytes.
    pub start: usize,
    /// Its content, unquoted and without surrounding spaces.
    pub bytes: Cow<'a, [u8]>,
}

impl Field<'_> {
    /// The content as text, however broken: for messages.
    pub fn lossy(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }
}

/// Finds the records of a text that arrives in pieces.
#[derive(Debug, Clone)]
pub(super) struct Splitter {
    pub delimiter: u8,
    /// `\n`, or `\r` for files that only have that.
    pub terminator: u8,
    /// Line of the next record, from 1.
    pub line: usize,
}

impl Splitter {
    /// The record that starts `bytes` and how many bytes it takes, line end
    /// included; `None` when it is not whole yet. Blank lines come as empty records.
    pub fn next<'a>(&mut self, bytes: &'a [u8], last: bool) -> Option<(Record<'a>, usize)> {
        let plain_end = memchr::memchr(self.terminator, bytes);
        let until = plain_end.unwrap_or(bytes.len());
        let quoted = memchr::memchr(b'"', &bytes[..until]).is_some();
        let (end, unclosed) = if quoted { self.quoted_end(bytes) } else { (plain_end, false) };
        if end.is_none() && (!last || bytes.is_empty()) {
            return None;
        }
        let end_or_all = end.unwrap_or(bytes.len());
        let body = &bytes[..end_or_all];
        let record =
            Record { line: self.line, bytes: body.strip_suffix(b"\r").unwrap_or(body), unclosed };
        self.line += 1;
        if quoted {
            self.line += memchr::memchr_iter(self.terminator, body).count();
        }
        Some((record, end_or_all + usize::from(end.is_some())))
    }

    /// The first line end outside quotes, and whether quotes are open at the end.
    fn quoted_end(&self, bytes: &[u8]) -> (Option<usize>, bool) {
        let mut at = 0;
        while let Some(found) = memchr::memchr2(b'"', self.terminator, &bytes[at..]) {
            let here = at + found;
            if bytes[here] == self.terminator {
                return (Some(here), false);
            }
            at = here + 1;
            if self.opens_field(&bytes[..here]) {
                match closing_quote(&bytes[at..]) {
                    Some(close) => at += close + 1,
                    None => return (None, true),
                }
            }
        }
        (None, false)
    }

    /// Whether a quote after these bytes of a record begins its field.
    fn opens_field(&self, before: &[u8]) -> bool {
        let content = before.iter().rfind(|&&b| !is_space(b, self.delimiter));
        content.is_none_or(|&b| b == self.delimiter)
    }
}

/// Where the field that starts `bytes` ends: at a separator or with the bytes.
/// Quotes count only when they open the field.
fn field_end(bytes: &[u8], delimiter: u8) -> usize {
    let opening = bytes.iter().position(|&b| !is_space(b, delimiter));
    let mut at = 0;
    if let Some(open) = opening.filter(|&open| bytes[open] == b'"') {
        match closing_quote(&bytes[open + 1..]) {
            Some(close) => at = open + 1 + close + 1,
            None => return bytes.len(),
        }
    }
    memchr::memchr(delimiter, &bytes[at..]).map_or(bytes.len(), |end| at + end)
}

/// The end of a field of a few bytes that are neither spaces nor quotes, which
/// most fields of a response matrix are.
fn short_end(bytes: &[u8], delimiter: u8) -> Option<usize> {
    for (i, &byte) in bytes.iter().take(8).enumerate() {
        if byte == delimiter {
            return Some(i);
        }
        if byte == b'"' || byte.is_ascii_whitespace() {
            return None;
        }
    }
    (bytes.len() <= 8).then_some(bytes.len())
}

/// The quote that closes a field whose opening quote was just passed.
fn closing_quote(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr::memchr(b'"', &bytes[at..])?;
        if bytes.get(at + 1) != Some(&b'"') {
            return Some(at);
        }
        at += 2;
    }
}

fn is_space(byte: u8, delimiter: u8) -> bool {
    byte == b' ' || (byte == b'\t' && delimiter != b'\t')
}

/// The fields of a record; a record always has one at least.
pub(super) fn fields(record: &[u8], delimiter: u8) -> impl Iterator<Item = Field<'_>> {
    let mut next = Some(0);
    std::iter::from_fn(move || {
        let start = next?;
        let rest = &record[start..];
        let (length, field) = match short_end(rest, delimiter) {
            Some(length) => (length, Field { start, bytes: Cow::Borrowed(&rest[..length]) }),
            None => {
                let length = field_end(rest, delimiter);
                (length, long_field(&rest[..length], start))
            }
        };
        next = (length < rest.len()).then_some(start + length + 1);
        Some(field)
    })
}

fn long_field(raw: &[u8], start: usize) -> Field<'_> {
    let lead = raw.len() - raw.trim_ascii_start().len();
    Field { start: start + lead, bytes: unquote(trim(raw)) }
}

fn unquote(field: &[u8]) -> Cow<'_, [u8]> {
    let Some(inner) = field.strip_prefix(b"\"") else { return Cow::Borrowed(field) };
    let Some(close) = closing_quote(inner) else { return Cow::Borrowed(trim(inner)) };
    let (quoted, after) = (&inner[..close], &inner[close + 1..]);
    if after.is_empty() && memchr::memchr(b'"', quoted).is_none() {
        return Cow::Borrowed(trim(quoted));
    }
    let mut content = Vec::with_capacity(field.len());
    let mut rest = quoted;
    while let Some(at) = memchr::memchr(b'"', rest) {
        content.extend_from_slice(&rest[..=at]);
        rest = &rest[at + 2..];
    }
    content.extend_from_slice(rest);
    content.extend_from_slice(after);
    Cow::Owned(trim(&content).to_vec())
}

/// Without the spaces, tabs and line ends around.
pub(super) fn trim(bytes: &[u8]) -> &[u8] {
    bytes.trim_ascii()
}

/// The place of a byte of a record, with a piece of the text around it.
pub(super) fn place(path: &Path, record: &Record, offset: usize) -> Place {
    let offset = offset.min(record.bytes.len());
    let before = &record.bytes[..offset];
    let line_start = memchr::memrchr2(b'\n', b'\r', before).map_or(0, |at| at + 1);
    let line = record.line + memchr::memchr_iter(b'\n', before).count();
    let column = String::from_utf8_lossy(&before[line_start..]).chars().count() + 1;
    Place::Line { path: path.into(), line, column, excerpt: excerpt(record.bytes, offset) }
}

/// Some sixty characters of the record, from shortly before the offset.
fn excerpt(record: &[u8], offset: usize) -> String {
    let (from, to) = (offset.saturating_sub(20), record.len().min(offset + 40));
    let piece = String::from_utf8_lossy(&record[from..to]);
    let clean: String = piece
        .trim_matches(char::REPLACEMENT_CHARACTER)
        .chars()
        .map(|c| if c.is_control() && c != '\t' { '·' } else { c })
        .collect();
    let (before, after) =
        (if from > 0 { "…" } else { "" }, if to < record.len() { "…" } else { "" });
    format!("{before}{clean}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn split(text: &[u8], delimiter: u8) -> Vec<Vec<String>> {
        let mut splitter = Splitter { delimiter, terminator: b'\n', line: 1 };
        let (mut at, mut all) = (0, vec![]);
        while let Some((record, used)) = splitter.next(&text[at..], true) {
            at += used;
            if !trim(record.bytes).is_empty() {
                let texts = fields(record.bytes, delimiter).map(|f| f.lossy().into_owned());
                all.push(texts.collect());
            }
        }
        all
    }

    #[test]
    fn quotes_spaces_and_line_ends_are_not_content() {
        let text = b"a, \"b,c\" ,\"d\"\"e\"\r\n\"x\ny\",,5\" disk\n\nlast,";
        let expected: [&[&str]; 3] =
            [&["a", "b,c", "d\"e"], &["x\ny", "", "5\" disk"], &["last", ""]];
        assert_eq!(split(text, b','), expected);
    }

    #[test]
    fn lines_are_counted_through_quoted_line_ends() {
        let mut splitter = Splitter { delimiter: b',', terminator: b'\n', line: 1 };
        let text = b"\"a\nb\",1\n\nc,1";
        let (mut at, mut lines) = (0, vec![]);
        while let Some((record, used)) = splitter.next(&text[at..], true) {
            lines.push(record.line);
            at += used;
        }
        assert_eq!(lines, [1, 3, 4]);
    }

    #[test]
    fn an_unfinished_record_waits_for_more_and_open_quotes_are_told() {
        let mut splitter = Splitter { delimiter: b',', terminator: b'\n', line: 1 };
        assert_eq!(splitter.next(b"a,1", false), None);
        assert_eq!(splitter.next(b"\"a\n,1", false), None);
        let (record, used) = splitter.next(b"\"a\n,1", true).unwrap();
        assert!(record.unclosed && used == 5);
    }

    #[test]
    fn a_place_counts_characters_within_its_own_line() {
        let record = Record { line: 7, bytes: "\"año\nñu\",x".as_bytes(), unclosed: false };
        let offset = record.bytes.len() - 1;
        let Place::Line { line, column, .. } = place(Path::new("a.csv"), &record, offset) else {
            panic!("a line is expected");
        };
        assert_eq!((line, column), (8, 5));
    }

    proptest! {
        // The reference for what a well-formed file says is the csv crate.
        #[test]
        fn fields_are_those_of_the_csv_crate(
            rows in prop::collection::vec(prop::collection::vec("[a-zñ\",;\n ]{0,6}", 3), 1..6)
        ) {
            let trimmed: Vec<Vec<String>> = rows
                .iter()
                .map(|row| row.iter().map(|f| f.trim().to_owned()).collect())
                .collect();
            let mut writer = csv::Writer::from_writer(vec![]);
            for row in &rows {
                writer.write_record(row).unwrap();
            }
            let bytes = writer.into_inner().unwrap();
            prop_assert_eq!(split(&bytes, b','), trimmed);
        }

        #[test]
        fn any_bytes_are_cut_whole(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut splitter = Splitter { delimiter: b',', terminator: b'\n', line: 1 };
            let mut at = 0;
            while let Some((record, used)) = splitter.next(&bytes[at..], true) {
                prop_assert!(used > 0);
                prop_assert!(fields(record.bytes, b',').count() > 0);
                at += used;
            }
            prop_assert_eq!(at, bytes.len());
        }
    }
}
