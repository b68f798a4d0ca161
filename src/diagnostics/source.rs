//! Texts that diagnostics point into.

use super::{Diagnostic, code, system};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A text file as it was read: its name for people and its text.
///
/// Cheap to clone. The text has no BOM and LF line ends, whatever the file has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source(Arc<Inner>);

#[derive(Debug, PartialEq, Eq)]
struct Inner {
    path: PathBuf,
    text: String,
}

/// Where the planes for private use begin; the marks of a chapter are of them.
const PRIVATE_PLANES: char = '\u{f0000}';

impl Source {
    /// A text with a name. BOM and CR are removed.
    pub fn new(path: impl Into<PathBuf>, text: impl Into<String>) -> Self {
        let mut text: String = text.into();
        if text.starts_with('\u{feff}') {
            text.remove(0);
        }
        if text.contains('\r') {
            text = text.replace("\r\n", "\n").replace('\r', "\n");
        }
        Self(Arc::new(Inner { path: path.into(), text }))
    }

    /// Reads a text file, which messages will call `shown`.
    ///
    /// # Errors
    /// The file is not there, cannot be read or is not UTF-8.
    pub fn read(path: &Path, shown: impl Into<PathBuf>) -> Result<Self, Diagnostic> {
        let shown = shown.into();
        let fault = |message: String| Diagnostic::new(code::FILE, shown.clone(), message);
        let bytes = system::read_file(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => fault("el archivo no existe".into()),
            _ => fault(format!("el archivo no se puede leer: {}", system::cause(&error))),
        })?;
        match String::from_utf8(bytes) {
            Ok(text) => Self::new(shown, text).of_text_alone(),
            Err(error) => {
                let (bytes, at) = (error.as_bytes(), error.utf8_error().valid_up_to());
                Err(Diagnostic::new(
                    code::FILE,
                    bad_line(shown, bytes, at),
                    "hay un carácter que no es UTF-8",
                )
                .hint(Some("guarde el archivo con la codificación UTF-8".to_owned())))
            }
        }
    }

    /// Like [`read`](Self::read), for a file that may not be there at all.
    ///
    /// # Errors
    /// Something of that name is there and cannot be read or is not UTF-8.
    pub fn read_if_any(path: &Path, shown: impl Into<PathBuf>) -> Result<Option<Self>, Diagnostic> {
        system::is_there(path).then(|| Self::read(path, shown)).transpose()
    }

    /// Refuses characters that no text has: a page with them is not valid HTML.
    fn of_text_alone(self) -> Result<Self, Diagnostic> {
        let odd = |c: char| match c {
            '\t' | '\n' | '\r' | '\u{c}' => false,
            c => c.is_control() || ('\u{fffe}'..='\u{ffff}').contains(&c) || c >= PRIVATE_PLANES,
        };
        let Some((at, c)) = self.text().char_indices().find(|(_, c)| odd(*c)) else {
            return Ok(self);
        };
        let message = format!("hay un carácter que no es de texto: U+{:04X}", u32::from(c));
        Err(Diagnostic::new(code::FILE, self.place(at..at + c.len_utf8()), message))
    }

    /// The name that messages show.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// The place of a byte range.
    pub fn place(&self, range: Range<usize>) -> Place {
        Place::Text { source: self.clone(), range }
    }

    /// The byte offset of a line, from 1, and a byte in it, from 1: the place that
    /// parsers tell.
    pub fn offset(&self, line: usize, column: usize) -> usize {
        let before = self.text().split_inclusive('\n').take(line.saturating_sub(1));
        let start: usize = before.map(str::len).sum();
        (start + column.saturating_sub(1)).min(self.text().len())
    }

    /// Line and column, both from 1, of a byte offset; columns count characters.
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        let mut offset = offset.min(self.text().len());
        while !self.text().is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &self.text()[..offset];
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        (before.matches('\n').count() + 1, before[start..].chars().count() + 1)
    }
}

/// The place of the byte of a file that is no text.
fn bad_line(path: PathBuf, bytes: &[u8], at: usize) -> Place {
    let start = bytes[..at].iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let end =
        bytes[at..].iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |end| at + end);
    Place::Line {
        path,
        line: bytes[..at].iter().filter(|&&byte| byte == b'\n').count() + 1,
        column: String::from_utf8_lossy(&bytes[start..at]).chars().count() + 1,
        excerpt: String::from_utf8_lossy(&bytes[start..end]).trim_end().chars().take(80).collect(),
    }
}

/// Where a diagnostic is.
#[derive(Debug, Clone, PartialEq)]
pub enum Place {
    /// A byte range of a text that is at hand.
    Text {
        /// The text.
        source: Source,
        /// Byte range in it.
        range: Range<usize>,
    },
    /// A line of a file too large to keep, with the piece of it that matters.
    Line {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Column, from 1, in characters.
        column: usize,
        /// The piece of the line that the column points to.
        excerpt: String,
    },
    /// A file or folder as a whole.
    File(PathBuf),
    /// No file: the command line or the data as a whole.
    Nowhere,
}

impl Place {
    /// Sort key: file, line, column.
    pub fn order(&self) -> (PathBuf, usize, usize) {
        match self {
            Self::Text { source, range } => {
                let (line, column) = source.line_column(range.start);
                (source.path().to_path_buf(), line, column)
            }
            Self::Line { path, line, column, .. } => (path.clone(), *line, *column),
            Self::File(path) => (path.clone(), 0, 0),
            Self::Nowhere => Default::default(),
        }
    }
}

impl Place {
    /// The same place, named relative to a folder that holds it.
    pub fn relative_to(self, folder: &Path) -> Self {
        let strip = |path: &Path| match path.strip_prefix(folder) {
            Ok(rest) if !rest.as_os_str().is_empty() => rest.to_path_buf(),
            _ => path.to_path_buf(),
        };
        match self {
            Self::Text { source, range } => {
                let path = strip(source.path());
                let source = match path == source.path() {
                    true => source,
                    false => Source::new(path, source.text()),
                };
                Self::Text { source, range }
            }
            Self::Line { path, line, column, excerpt } => {
                Self::Line { path: strip(&path), line, column, excerpt }
            }
            Self::File(path) => Self::File(strip(&path)),
            Self::Nowhere => Self::Nowhere,
        }
    }
}

impl From<&Path> for Place {
    fn from(path: &Path) -> Self {
        Self::File(path.to_path_buf())
    }
}

impl From<PathBuf> for Place {
    fn from(path: PathBuf) -> Self {
        Self::File(path)
    }
}

impl From<&Source> for Place {
    fn from(source: &Source) -> Self {
        Self::File(source.path().to_path_buf())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_crlf_is_one_line_end() {
        let source = Source::new("a.md", "\u{feff}uno\r\ncañón x\r\n");
        assert_eq!(source.text(), "uno\ncañón x\n");
        let at = source.text().find('x').unwrap();
        assert_eq!(source.line_column(at), (2, 7));
        assert_eq!(source.line_column(usize::MAX), (3, 1));
    }
}
