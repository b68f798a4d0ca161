//! What the report layer hands to the site: a chapter in which every directive
//! has been resolved, but which is still Markdown.
//!
//! In [`Document::markdown`] each directive that prints something stands as a
//! [`mark`]: its fragment's index between two private-use characters. They pass
//! through Markdown as ordinary letters wherever they stand (an HTML comment
//! would open an HTML block at the start of a line and vanish from attributes),
//! and the site replaces each of them exactly once.

use crate::data::digest;
use crate::diagnostics::{Place, Source};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Opens a [`mark`].
pub const MARK_START: char = '\u{f0000}';
/// Closes a [`mark`].
pub const MARK_END: char = '\u{f0001}';

/// The text that stands for fragment `index` in [`Document::markdown`].
pub fn mark(index: usize) -> String {
    format!("{MARK_START}{index}{MARK_END}")
}

/// The marks of a text: the byte range of each and the fragment it stands for.
pub fn marks(text: &str) -> impl Iterator<Item = (Range<usize>, usize)> + '_ {
    text.match_indices(MARK_START).filter_map(|(start, _)| {
        let inner = start + MARK_START.len_utf8();
        let end = inner + text[inner..].find(MARK_END)?;
        let index = text[inner..end].parse().ok()?;
        Some((start..end + MARK_END.len_utf8(), index))
    })
}

/// A resolved chapter.
#[derive(Debug, Clone)]
pub struct Document {
    /// Folder of the chapter under the book's source folder, with `/`: `swebench`.
    /// Its page is `<slug>/index.html`.
    pub slug: String,
    /// The chapter's file, for diagnostics.
    pub source: Source,
    /// Title, authors and the rest of the front matter, resolved to plain text.
    pub meta: Meta,
    /// Markdown with marks.
    pub markdown: String,
    /// Where each part of `markdown` comes from.
    pub origin: Origin,
    /// What the marks stand for.
    pub fragments: Vec<Fragment>,
    /// The files that the chapter is written in, for the manifest.
    pub inputs: Vec<InputFile>,
    /// What the text asserts, in order.
    pub claims: Vec<Claim>,
    /// The data that the chapter reads, for the provenance notice.
    pub data: Vec<DataNotice>,
    /// Files to write beside the page: relative path with `/`, and content.
    pub downloads: Vec<Download>,
}

/// What a chapter says of itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Meta {
    /// Title, plain text.
    pub title: String,
    /// Authors, in order.
    pub authors: Vec<String>,
    /// Date of publication.
    pub date: Option<Date>,
    /// Summary, plain text.
    pub description: Option<String>,
    /// Whether the chapter is kept out of feeds and marked as a draft.
    pub draft: bool,
}

/// A data folder as the page shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct DataNotice {
    /// Whether the data are simulated: the page then carries a banner.
    pub simulated: bool,
    /// Where they come from, as the provenance says.
    pub origin: Option<String>,
    /// Date of the data.
    pub date: Option<Date>,
    /// Commit of the source repository.
    pub commit: Option<String>,
    /// Examinees of the matrix that is analysed.
    pub examinees: usize,
    /// Its items.
    pub items: usize,
    /// The files read: name, SHA-256 in hexadecimal, rows and columns.
    pub files: Vec<DataFile>,
}

/// One file of data.
#[derive(Debug, Clone, PartialEq)]
pub struct DataFile {
    /// File name.
    pub name: String,
    /// SHA-256 of its normalised bytes, hexadecimal.
    pub sha256: String,
    /// Rows read.
    pub rows: usize,
    /// Columns read.
    pub columns: usize,
}

/// A text file that takes part in the build.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct InputFile {
    /// Path from the root of the book, with `/`.
    pub archivo: String,
    /// SHA-256 of its normalised text, hexadecimal.
    pub sha256: String,
}

impl InputFile {
    /// A file that has been read.
    pub fn of(source: &Source) -> Self {
        Self {
            archivo: source.path().to_string_lossy().replace('\\', "/"),
            sha256: digest::of_bytes(source.text().as_bytes()),
        }
    }
}

/// A file to publish beside the page.
#[derive(Debug, Clone, PartialEq)]
pub struct Download {
    /// Path relative to the page's folder, with `/`.
    pub path: String,
    /// Content.
    pub bytes: Vec<u8>,
}

/// What a mark stands for.
#[derive(Debug, Clone, PartialEq)]
pub enum Fragment {
    /// A number or text printed inline.
    Value(PrintedValue),
    /// A link to a numbered table or figure.
    Reference(Reference),
    /// A numbered table (block).
    Table(Table),
    /// A numbered figure (block).
    Figure(Figure),
    /// A declaration, folded under "Ver código" (block).
    Code(Code),
    /// A citation inline.
    Citation(Vec<Inline>),
    /// The list of references (block).
    Bibliography(Vec<BibliographyEntry>),
}

impl Fragment {
    /// What remains of it in a title, an attribute, a slug or a search index.
    pub fn plain_text(&self) -> String {
        match self {
            Self::Value(value) => value.text.clone(),
            Self::Reference(reference) => reference.text.clone(),
            Self::Table(table) => table.heading(),
            Self::Figure(figure) => figure.heading(),
            Self::Code(code) => code.title.clone(),
            Self::Citation(parts) => parts.iter().map(|part| part.text.as_str()).collect(),
            Self::Bibliography(_) => "Referencias".to_owned(),
        }
    }

    /// Whether it must stand alone in its paragraph.
    pub fn is_block(&self) -> bool {
        !matches!(self, Self::Value(_) | Self::Reference(_) | Self::Citation(_))
    }
}

/// A printed value and where it comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct PrintedValue {
    /// As the reader sees it, with the book's number format.
    pub text: String,
    /// As a machine reads it: full precision, point, no unit.
    pub machine: String,
    /// The expression as written in the chapter.
    pub expression: String,
    /// The computed values in the expression.
    pub inputs: Vec<ValueInput>,
}

/// A computed value that an expression names.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ValueInput {
    /// Its full name.
    pub name: String,
    /// What it is.
    pub meaning: String,
    /// The function that computes it.
    pub function: Option<String>,
    /// The work that defines it: author and year.
    pub reference: Option<String>,
}

/// An assertion of the text, which prints nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// The expression as written in the chapter.
    pub expression: String,
    /// What the text says with it.
    pub message: Option<String>,
    /// Whether it holds; `None` when that cannot be said.
    pub holds: Option<bool>,
    /// The computed values that the expression names.
    pub inputs: Vec<String>,
    /// Where it stands in the chapter's file, in bytes.
    pub offset: usize,
}

/// A link to a table or figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Reference {
    /// "Tabla 5", or "Tabla 5 de «Ficha de validez»".
    pub text: String,
    /// Slug of the chapter that holds the target; `None` for the same page.
    pub chapter: Option<String>,
    /// Element id of the target.
    pub anchor: String,
}

/// A stretch of text of a citation or of a reference.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inline {
    /// The text.
    pub text: String,
    /// Whether it is in italics.
    pub italic: bool,
    /// Where it leads.
    pub target: Option<Target>,
}

impl From<&str> for Inline {
    fn from(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }
}

impl Inline {
    /// The text of several stretches, without what sets them apart.
    pub fn plain(parts: &[Self]) -> String {
        parts.iter().map(|part| part.text.as_str()).collect()
    }

    /// Text in which `*x*` is in italics, as in Markdown; `\*` is an asterisk. One
    /// that opens nothing is an asterisk too.
    pub fn emphasised(text: &str) -> Vec<Self> {
        let mut parts: Vec<Self> = vec![];
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['*', '\\']) {
            plain += &rest[..at];
            let after = &rest[at + 1..];
            let inner = after.split_once('*').map_or("", |(inner, _)| inner);
            let is_mark = rest[at..].starts_with('*') && inner.trim() == inner && !inner.is_empty();
            if is_mark {
                parts.extend(
                    Some(std::mem::take(&mut plain))
                        .filter(|p| !p.is_empty())
                        .map(|p| p.as_str().into()),
                );
                parts.push(Self { italic: true, ..inner.into() });
                rest = &after[inner.len() + 1..];
            } else {
                let escaped = after.starts_with('*') && rest[at..].starts_with('\\');
                plain.push_str(if escaped { "*" } else { &rest[at..=at] });
                rest = if escaped { &after[1..] } else { after };
            }
        }
        plain += rest;
        parts.extend(Some(plain).filter(|p| !p.is_empty()).map(|p| p.as_str().into()));
        parts
    }
}

/// Where a stretch of text leads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Target {
    /// To the entry of that key in the list of references.
    Entry(String),
    /// To an address outside.
    Address(String),
}

/// An entry of the list of references.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BibliographyEntry {
    /// Its key.
    pub key: String,
    /// The reference.
    pub parts: Vec<Inline>,
}

impl BibliographyEntry {
    /// Id of its element on the page.
    pub fn anchor(&self) -> String {
        entry_anchor(&self.key)
    }
}

/// Id of the element of the entry of that key.
pub fn entry_anchor(key: &str) -> String {
    format!("referencia:{key}")
}

/// A resolved table.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Name in `tablas.yaml`.
    pub name: String,
    /// Number within the chapter.
    pub number: usize,
    /// Title, plain text.
    pub title: String,
    /// Columns, left to right. The first one names the row.
    pub columns: Vec<TableColumn>,
    /// Rows: one text per column, as the reader sees it.
    pub rows: Vec<Vec<TableCell>>,
    /// Note under the table; empty where there is none.
    pub note: Vec<Inline>,
    /// The declaration that made it.
    pub code: Code,
    /// Relative path of its CSV.
    pub csv: String,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct TableColumn {
    /// Header; statistical symbols are in italics.
    pub header: Vec<Inline>,
    /// Whether its cells are numbers, aligned on the decimal mark.
    pub numeric: bool,
    /// Whether its cells are identifiers, set in a monospaced face.
    pub code: bool,
}

impl TableColumn {
    /// The header as plain text.
    pub fn name(&self) -> String {
        Inline::plain(&self.header)
    }
}

/// A cell of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct TableCell {
    /// As the reader sees it.
    pub text: String,
    /// As a machine reads it.
    pub machine: String,
}

/// A resolved figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Name in `figuras.yaml`.
    pub name: String,
    /// Number within the chapter.
    pub number: usize,
    /// Title, plain text.
    pub title: String,
    /// What it shows, for who does not see it.
    pub description: String,
    /// Note under the figure; empty where there is none.
    pub note: Vec<Inline>,
    /// The drawing: one `<svg>` element, ready to be embedded.
    pub svg: String,
    /// The declaration that made it.
    pub code: Code,
    /// What it draws: rows of its CSV.
    pub data: FigureData,
    /// Relative path of its data as CSV.
    pub csv: String,
    /// Relative path of its SVG file.
    pub file: String,
}

/// The data of a figure, as the page shows them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FigureData {
    /// The columns of the CSV.
    pub columns: Vec<TableColumn>,
    /// Its rows, or one in every so many, [`FigureData::MOST_ROWS`] at most.
    pub rows: Vec<Vec<TableCell>>,
    /// One row stands for how many.
    pub every: usize,
}

impl FigureData {
    /// Rows beyond which a page sends the reader to the CSV.
    pub const MOST_ROWS: usize = 200;
}

impl Table {
    /// "Tabla 5".
    pub fn heading(&self) -> String {
        format!("Tabla {}", self.number)
    }

    /// Id of its element on the page.
    pub fn anchor(&self) -> String {
        format!("tabla-{}", self.name)
    }
}

impl Figure {
    /// "Figura 4".
    pub fn heading(&self) -> String {
        format!("Figura {}", self.number)
    }

    /// Id of its element on the page.
    pub fn anchor(&self) -> String {
        format!("figura-{}", self.name)
    }

    /// Relative path of its PNG file.
    pub fn png(&self) -> String {
        format!("{}.png", self.file.strip_suffix(".svg").unwrap_or(&self.file))
    }
}

/// A declaration as it stands in the chapter's folder.
#[derive(Debug, Clone, PartialEq)]
pub struct Code {
    /// What it declares: "Código de la Tabla 5".
    pub title: String,
    /// File that holds it: `tablas.yaml`.
    pub file: String,
    /// The declaration, verbatim.
    pub text: String,
}

/// Maps offsets of the resolved Markdown to offsets of the chapter's file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Origin {
    /// Starts of copied stretches, in order: (resolved offset, file offset).
    stretches: Vec<(usize, usize)>,
}

impl Origin {
    /// Notes that what follows `resolved` was copied from `file` onwards.
    pub fn push(&mut self, resolved: usize, file: usize) {
        self.stretches.push((resolved, file));
    }

    /// The offset in the chapter's file of an offset in the resolved Markdown.
    pub fn offset(&self, resolved: usize) -> usize {
        let next = self.stretches.partition_point(|&(start, _)| start <= resolved);
        match next.checked_sub(1) {
            Some(last) => {
                let (start, file) = self.stretches[last];
                file + (resolved - start)
            }
            None => resolved,
        }
    }
}

impl Document {
    /// Its figures, in order.
    pub fn figures(&self) -> impl Iterator<Item = &Figure> {
        self.fragments.iter().filter_map(|fragment| match fragment {
            Fragment::Figure(figure) => Some(figure),
            _ => None,
        })
    }

    /// Whether any of its data are simulated.
    pub fn is_simulated(&self) -> bool {
        self.data.iter().any(|data| data.simulated)
    }

    /// The place in the chapter's file of a range of the resolved Markdown.
    pub fn place(&self, resolved: Range<usize>) -> Place {
        let start = self.origin.offset(resolved.start);
        let end = self.origin.offset(resolved.end.saturating_sub(1)) + 1;
        self.source.place(start..end.max(start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_found_where_they_stand() {
        let text = format!("a {} b {}", mark(0), mark(12));
        let found: Vec<_> = marks(&text).map(|(_, index)| index).collect();
        assert_eq!(found, [0, 12]);
        let (range, _) = marks(&text).next().unwrap();
        assert_eq!(&text[range], mark(0));
    }

    #[test]
    fn asterisks_around_a_word_are_italics_and_others_are_asterisks() {
        let of = |text: &str| -> String {
            let parts = Inline::emphasised(text);
            parts
                .iter()
                .map(|p| if p.italic { format!("<{}>", p.text) } else { p.text.clone() })
                .collect()
        };
        assert_eq!(of("*p* (cuarto inferior)"), "<p> (cuarto inferior)");
        assert_eq!(of("*r*, *M* y *DE*"), "<r>, <M> y <DE>");
        for same in ["", "p", "2 * 3 * 4", "**", "p*", "a\\b"] {
            assert_eq!(of(same), same);
        }
        assert_eq!(of("p\\*"), "p*");
    }

    #[test]
    fn offsets_map_back_to_the_file() {
        let mut origin = Origin::default();
        origin.push(0, 30);
        origin.push(10, 60);
        assert_eq!(origin.offset(5), 35);
        assert_eq!(origin.offset(12), 62);
    }
}
