//! Fragments as HTML, through the templates `valor`, `tabla`, `figura` and
//! `codigo`.

use super::SiteFiles;
use super::links::{encode_percent, folder, normalise};
use super::markup::escape;
use super::resolve::{Dead, Targets, page_path};
use super::summary::slug_of;
use super::templates::Templates;
use crate::diagnostics::{Diagnostic, Diagnostics, code};
use crate::report::document::{
    BibliographyEntry, Code, Document, Figure, Fragment, Inline, PrintedValue, Reference, Table,
    TableCell, TableColumn, Target, entry_anchor,
};
use minijinja::value::{Serde, Value};
use serde::Serialize;
use std::collections::BTreeSet;

/// One printed number as the list at the end of the page shows it, with every
/// place of the text where it stands.
#[derive(Debug, Serialize)]
pub struct Origin {
    /// From 1; the element's id is `origen:N`.
    numero: usize,
    expresion: String,
    texto: String,
    maquina: String,
    entradas: Vec<Input>,
    /// Numbers of the `valor:N` elements.
    lugares: Vec<usize>,
}

impl Origin {
    /// Forgets the places that the page has not: a value in an attribute or in
    /// the title has no element to go back to.
    pub fn keep_places(&mut self, places: &BTreeSet<usize>) {
        self.lugares.retain(|number| places.contains(number));
    }
}

#[derive(Debug, Serialize)]
struct Input {
    nombre: String,
    descripcion: String,
    funcion: Option<String>,
    fuente: Option<String>,
}

#[derive(Serialize)]
struct ValueContext<'a> {
    numero: usize,
    origen: usize,
    texto: &'a str,
    maquina: &'a str,
    expresion: &'a str,
}

#[derive(Serialize)]
struct CodeContext<'a> {
    titulo: &'a str,
    archivo: &'a str,
    texto: &'a str,
}

#[derive(Serialize)]
struct TableContext<'a> {
    id: String,
    rotulo: String,
    titulo: &'a str,
    columnas: Vec<ColumnContext>,
    filas: Vec<Vec<CellContext<'a>>>,
    nota: Option<Value>,
    codigo: CodeContext<'a>,
    csv: &'a str,
    simulados: bool,
}

#[derive(Serialize)]
struct ColumnContext {
    texto: Value,
    numerica: bool,
    codigo: bool,
}

#[derive(Serialize)]
struct CellContext<'a> {
    texto: &'a str,
    /// For sorting; nothing when it says the same as the text.
    maquina: Option<&'a str>,
    numerica: bool,
    codigo: bool,
    /// What the cell lacks on its right so that the column's marks align.
    falta: Option<String>,
}

#[derive(Serialize)]
struct EntryContext {
    id: String,
    texto: Value,
}

#[derive(Serialize)]
struct FigureContext<'a> {
    id: String,
    rotulo: String,
    titulo: &'a str,
    descripcion: &'a str,
    nota: Option<Value>,
    svg: Value,
    /// Whether the drawing names itself to assistive technology.
    svg_accesible: bool,
    codigo: CodeContext<'a>,
    csv: &'a str,
    archivo: &'a str,
    png: Option<String>,
    datos: FigureDataContext<'a>,
    simulados: bool,
}

/// The data of a figure, folded under it.
#[derive(Serialize)]
struct FigureDataContext<'a> {
    columnas: Vec<ColumnContext>,
    filas: Vec<Vec<CellContext<'a>>>,
    /// One row stands for how many of the CSV.
    cada: usize,
}

/// The HTML of a chapter's fragments, and the list of its values.
pub struct Rendered {
    /// One for each fragment.
    pub html: Vec<String>,
    /// Distinct values, in order of appearance.
    pub origins: Vec<Origin>,
}

/// What the fragments of a chapter need to become HTML.
pub struct Renderer<'a> {
    /// The chapter.
    pub document: &'a Document,
    /// Its file.
    pub chapter: &'a str,
    /// What references may point to.
    pub targets: &'a Targets,
    /// The book's templates.
    pub templates: &'a Templates,
    /// The files of the site so far: a link to one that is not there is not made.
    pub published: &'a SiteFiles,
    /// The decimal mark of the book.
    pub decimal: &'a str,
}

impl Renderer<'_> {
    /// Renders every fragment.
    pub fn render(&self, found: &mut Diagnostics) -> Rendered {
        let mut origins = vec![];
        let mut values = 0;
        let fragments = self.document.fragments.iter().enumerate();
        let html = fragments.map(|(index, fragment)| match fragment {
            Fragment::Value(value) => {
                values += 1;
                self.value(value, values, &mut origins, found)
            }
            Fragment::Reference(reference) => self.reference(reference, index, found),
            Fragment::Table(table) => self.table(table, found),
            Fragment::Figure(figure) => self.figure(figure, found),
            Fragment::Code(code) => self.templates.render(
                "codigo.html",
                minijinja::context! { codigo => Value::from(Serde(code_context(code))) },
                found,
            ),
            Fragment::Citation(parts) => {
                format!("<span class=\"cita\">{}</span>", inlines(parts))
            }
            Fragment::Bibliography(entries) => self.bibliography(entries, found),
        });
        let html = html.map(|one| one.trim_end().to_owned()).collect();
        Rendered { html, origins }
    }

    fn value(
        &self,
        value: &PrintedValue,
        number: usize,
        origins: &mut Vec<Origin>,
        found: &mut Diagnostics,
    ) -> String {
        let same = |one: &Origin| {
            one.expresion == value.expression
                && one.texto == value.text
                && one.maquina == value.machine
        };
        let at = origins.iter().position(same).unwrap_or_else(|| {
            origins.push(origin(value, origins.len() + 1));
            origins.len() - 1
        });
        origins[at].lugares.push(number);
        let context = ValueContext {
            numero: number,
            origen: at + 1,
            texto: &value.text,
            maquina: &value.machine,
            expresion: &value.expression,
        };
        self.templates.render("valor.html", context, found)
    }

    fn reference(&self, reference: &Reference, index: usize, found: &mut Diagnostics) -> String {
        match self.reference_address(reference) {
            Ok(address) => format!(
                "<a class=\"ref\" href=\"{}\">{}</a>",
                escape(&address),
                escape(&reference.text)
            ),
            Err(dead) => {
                let place = super::markdown::place(self.document, index);
                let finding = Diagnostic::new(code::DEAD_LINK, place, dead.message);
                found.push(finding.hint(dead.hint));
                escape(&reference.text).into_owned()
            }
        }
    }

    fn reference_address(&self, reference: &Reference) -> Result<String, Dead> {
        let anchor = Some(reference.anchor.clone());
        let Some(slug) = &reference.chapter else {
            return self.targets.with_anchor(self.chapter, String::new(), anchor);
        };
        let mut files = self.targets.chapters.keys();
        let Some(file) = files.find(|file| slug_of(file) == *slug) else {
            return Err(Dead { message: format!("el capítulo «{slug}» no existe"), hint: None });
        };
        let here = page_path(&slug_of(self.chapter));
        let page = super::links::relative(&here, &page_path(slug));
        self.targets.with_anchor(file, page, anchor)
    }

    fn bibliography(&self, entries: &[BibliographyEntry], found: &mut Diagnostics) -> String {
        let entries = entries.iter().map(|entry| EntryContext {
            id: entry.anchor(),
            texto: Value::from_safe_string(inlines(&entry.parts)),
        });
        let entries: Vec<_> = entries.collect();
        let context = minijinja::context! { referencias => Value::from(Serde(entries)) };
        self.templates.render("referencias.html", context, found)
    }

    fn table(&self, table: &Table, found: &mut Diagnostics) -> String {
        let context = TableContext {
            id: table.anchor(),
            rotulo: table.heading(),
            titulo: &table.title,
            columnas: columns(&table.columns),
            filas: rows(&table.columns, &table.rows, self.decimal),
            nota: note(&table.note),
            codigo: code_context(&table.code),
            csv: &table.csv,
            simulados: self.document.is_simulated(),
        };
        self.templates.render("tabla.html", context, found)
    }

    /// Whether something stands beside the page.
    fn has(&self, name: &str) -> bool {
        let page = page_path(&slug_of(self.chapter));
        normalise(folder(&page), name).is_some_and(|path| self.published.contains_key(&path))
    }

    fn figure(&self, figure: &Figure, found: &mut Diagnostics) -> String {
        let context = FigureContext {
            id: figure.anchor(),
            rotulo: figure.heading(),
            titulo: &figure.title,
            descripcion: &figure.description,
            nota: note(&figure.note),
            svg: Value::from_safe_string(figure.svg.clone()),
            svg_accesible: figure.svg.contains("role=\"img\""),
            codigo: code_context(&figure.code),
            csv: &figure.csv,
            archivo: &figure.file,
            datos: FigureDataContext {
                columnas: columns(&figure.data.columns),
                filas: rows(&figure.data.columns, &figure.data.rows, self.decimal),
                cada: figure.data.every,
            },
            png: Some(figure.png()).filter(|png| self.has(png)),
            simulados: self.document.is_simulated(),
        };
        self.templates.render("figura.html", context, found)
    }
}

/// What stands under a table or figure, if anything does.
fn note(parts: &[Inline]) -> Option<Value> {
    (!parts.is_empty()).then(|| Value::from_safe_string(inlines(parts)))
}

/// The stretches of a citation or reference.
fn inlines(parts: &[Inline]) -> String {
    let one = |part: &Inline| {
        let text = escape(&part.text);
        let text = if part.italic { format!("<i>{text}</i>") } else { text.into_owned() };
        match &part.target {
            None => text,
            Some(Target::Address(url)) => format!("<a href=\"{}\">{text}</a>", escape(url)),
            Some(Target::Entry(key)) => {
                let id = entry_anchor(&encode_percent(key));
                format!("<a href=\"#{id}\" role=\"doc-biblioref\">{text}</a>")
            }
        }
    };
    parts.iter().map(one).collect()
}

fn origin(value: &PrintedValue, numero: usize) -> Origin {
    let inputs = value.inputs.iter().cloned().map(|input| Input {
        nombre: input.name,
        descripcion: input.meaning,
        funcion: input.function,
        fuente: input.reference,
    });
    Origin {
        numero,
        expresion: value.expression.clone(),
        texto: value.text.clone(),
        maquina: value.machine.clone(),
        entradas: inputs.collect(),
        lugares: vec![],
    }
}

fn code_context(code: &Code) -> CodeContext<'_> {
    CodeContext { titulo: &code.title, archivo: &code.file, texto: &code.text }
}

fn columns(columns: &[TableColumn]) -> Vec<ColumnContext> {
    let columns = columns.iter().map(|column| ColumnContext {
        texto: Value::from_safe_string(inlines(&column.header)),
        numerica: column.numeric,
        codigo: column.code,
    });
    columns.collect()
}

fn rows<'a>(
    columns: &'a [TableColumn],
    rows: &'a [Vec<TableCell>],
    decimal: &str,
) -> Vec<Vec<CellContext<'a>>> {
    let longest = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        let tails = cells.map(|cell| tail(&cell.text, decimal));
        tails.max_by_key(|tail| tail.chars().count()).unwrap_or_default().to_owned()
    };
    let tails: Vec<String> = (0..columns.len()).map(longest).collect();
    let one = |((cell, column), longest): ((&'a TableCell, &TableColumn), &String)| {
        let own = tail(&cell.text, decimal).chars().count();
        let falta: String = longest.chars().skip(own).collect();
        CellContext {
            texto: &cell.text,
            maquina: (cell.machine != cell.text).then_some(cell.machine.as_str()),
            numerica: column.numeric,
            codigo: column.code,
            falta: (column.numeric && !falta.is_empty()).then_some(falta),
        }
    };
    rows.iter().map(|row| row.iter().zip(columns).zip(&tails).map(one).collect()).collect()
}

/// What a printed number has from its decimal mark on: "50" in "12,50".
fn tail<'t>(text: &'t str, decimal: &str) -> &'t str {
    let fraction = |at: usize| {
        text[at + decimal.len()..].starts_with(|c: char| c.is_ascii_digit()).then_some(&text[at..])
    };
    text.rfind(decimal).and_then(fraction).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_of_a_number_starts_at_its_mark() {
        assert_eq!(tail("−12,50", ","), ",50");
        assert_eq!(tail("1.234", ","), "");
        assert_eq!(tail("—", ","), "");
        assert_eq!(tail("Uno, dos", ","), "");
    }
}
