//! Pages: what a template receives.

use super::cite::Citation;
use super::fragments::Origin;
use super::markdown::{Body, Heading};
use crate::report::document::{DataNotice, Document};
use crate::report::format::long_date;
use jiff::civil::Date;
use minijinja::value::Value;
use serde::Serialize;

/// A day, for machines and for readers.
#[derive(Debug, Clone, Serialize)]
pub struct Day {
    /// `2023-08-09`.
    pub iso: String,
    /// `9 de agosto de 2023`.
    pub texto: String,
}

impl From<Date> for Day {
    fn from(date: Date) -> Self {
        Self { iso: date.to_string(), texto: long_date(date) }
    }
}

/// The site, as every template sees it.
#[derive(Debug, Clone, Serialize)]
pub struct SiteContext {
    /// Title of the book.
    pub titulo: String,
    /// Name of the section: title of the index page.
    pub seccion: String,
    /// One line about the book.
    pub descripcion: Option<String>,
    /// Authors of the book.
    pub autores: Vec<String>,
    /// Language tag.
    pub idioma: String,
    /// `ltr`, `rtl` or nothing.
    pub direccion_texto: Option<String>,
    /// Whole address of the site's root, with a final `/`, when it is known.
    pub base: Option<String>,
    /// Path of the site's root on its server, for the page of lost addresses.
    pub prefijo: String,
    /// Where the sources are published.
    pub repositorio: Option<String>,
    /// `claro`, `oscuro` or nothing: as the reader's system.
    pub tema: Option<&'static str>,
    /// Licence of text and data.
    pub licencia: Option<String>,
    /// Whether there is an Atom feed.
    pub canal: bool,
    /// Whether pages offer a search box.
    pub busqueda: bool,
    /// Style sheets, from the root.
    pub estilos: Vec<String>,
    /// Scripts, from the root.
    pub guiones: Vec<String>,
    /// Version of this program.
    pub version: &'static str,
}

/// A chapter as lists show it: the index, the feed, the links to its neighbours.
#[derive(Debug, Clone, Serialize)]
pub struct Listed {
    /// `chapter`, `part` or `separator` decide what the index shows.
    pub tipo: &'static str,
    /// Title.
    pub titulo: String,
    /// "2.1", or nothing.
    pub numero: String,
    /// Depth in the summary, from 0.
    pub nivel: usize,
    /// Address of its page from the root; nothing for a chapter to come.
    pub ruta: Option<String>,
    /// Date of publication.
    pub fecha: Option<Day>,
    /// Summary.
    pub descripcion: Option<String>,
    /// Authors.
    pub autores: Vec<String>,
    /// Whether it is a draft.
    pub borrador: bool,
    /// Path of its first figure, from the root.
    pub figura: Option<String>,
    /// Whether its data are simulated.
    pub simulados: bool,
}

/// A link to a neighbour.
#[derive(Debug, Clone, Serialize)]
pub struct Neighbour {
    /// Title of the chapter.
    pub titulo: String,
    /// Address from this page.
    pub url: String,
}

/// A chapter's page.
#[derive(Debug, Serialize)]
pub struct PageContext {
    /// Title, plain text.
    pub titulo: String,
    /// "2.1", or nothing.
    pub numero: String,
    /// Authors, given names first.
    pub autores: Vec<String>,
    /// How to cite it.
    pub cita: Option<Citation>,
    /// Date of publication.
    pub fecha: Option<Day>,
    /// Summary.
    pub descripcion: Option<String>,
    /// Whether it is a draft.
    pub borrador: bool,
    /// Whole address, when the site's is known.
    pub url: Option<String>,
    /// Address of its Markdown.
    pub markdown: &'static str,
    /// Path of its card, from the root.
    pub tarjeta: Option<String>,
    /// Address where the chapter can be edited.
    pub editar: Option<String>,
    /// The text.
    pub cuerpo: Value,
    /// Its footnotes: items of a list.
    pub notas: Option<Value>,
    /// Sections.
    pub secciones: Vec<Heading>,
    /// Printed values.
    pub valores: Vec<Origin>,
    /// Address of the file with every value.
    pub valores_json: Option<String>,
    /// Data.
    pub datos: Vec<DataContext>,
    /// Whether any of them are simulated.
    pub simulados: bool,
    /// The chapter before.
    pub anterior: Option<Neighbour>,
    /// The chapter after.
    pub siguiente: Option<Neighbour>,
}

/// Data that a chapter reads.
#[derive(Debug, Serialize)]
pub struct DataContext {
    simulados: bool,
    origen: Option<String>,
    fecha: Option<Day>,
    commit: Option<String>,
    examinados: usize,
    reactivos: usize,
    archivos: Vec<FileContext>,
}

#[derive(Debug, Serialize)]
struct FileContext {
    nombre: String,
    huella: String,
    filas: usize,
    columnas: usize,
}

impl From<&DataNotice> for DataContext {
    fn from(data: &DataNotice) -> Self {
        let files = data.files.iter().map(|file| FileContext {
            nombre: file.name.clone(),
            huella: file.sha256.clone(),
            filas: file.rows,
            columnas: file.columns,
        });
        Self {
            simulados: data.simulated,
            origen: data.origin.clone(),
            fecha: data.date.map(Day::from),
            commit: data.commit.clone(),
            examinados: data.examinees,
            reactivos: data.items,
            archivos: files.collect(),
        }
    }
}

impl PageContext {
    /// What of a page comes from its chapter alone.
    pub fn new(document: &Document, title: &str, body: Body) -> Self {
        let json = document.downloads.iter().find(|one| one.path == "valores.json");
        Self {
            titulo: title.to_owned(),
            numero: String::new(),
            autores: vec![],
            cita: None,
            fecha: document.meta.date.map(Day::from),
            descripcion: document.meta.description.clone(),
            borrador: document.meta.draft,
            url: None,
            markdown: "index.md",
            tarjeta: None,
            editar: None,
            cuerpo: Value::from_safe_string(body.html),
            notas: body.notes.map(Value::from_safe_string),
            secciones: vec![],
            valores: vec![],
            valores_json: json.map(|one| one.path.clone()),
            datos: document.data.iter().map(DataContext::from).collect(),
            simulados: document.is_simulated(),
            anterior: None,
            siguiente: None,
        }
    }
}
