//! `manifiesto.json`: what went into the site and what came out, each file with
//! its SHA-256, so that anyone can tell whether two sites are the same.

use super::{Book, SiteFiles};
use crate::data::digest;
use crate::diagnostics::Source;
use crate::report::document::{Document, InputFile};
use serde::Serialize;

#[derive(Serialize)]
struct Manifest<'a> {
    titulo: &'a str,
    motor: Engine,
    entradas: Vec<InputFile>,
    datos: Vec<Data<'a>>,
    archivos: Vec<Output<'a>>,
}

#[derive(Serialize)]
struct Engine {
    nombre: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct Data<'a> {
    capitulo: &'a str,
    archivo: &'a str,
    sha256: &'a str,
    filas: usize,
    columnas: usize,
    simulados: bool,
}

#[derive(Serialize)]
struct Output<'a> {
    ruta: &'a str,
    sha256: String,
    bytes: usize,
}

/// The manifest of a site whose other files are all there. Text inputs are hashed
/// without byte-order mark and with `\n`, as the builds read them.
pub fn write(
    book: &Book,
    templates: &[InputFile],
    documents: &[&Document],
    files: &SiteFiles,
) -> Vec<u8> {
    let config = &book.config;
    let summary = config.book.src.join(super::summary::FILE);
    let summary = Source::read(&config.root.join(&summary), summary).ok();
    let order = summary.iter().map(InputFile::of);
    let chapters = documents.iter().flat_map(|document| document.inputs.iter().cloned());
    let own = InputFile { archivo: super::config::FILE.into(), ..InputFile::of(&config.source) };
    let mut entradas = vec![own];
    entradas.extend(order.chain(templates.iter().cloned()).chain(chapters));
    entradas.sort();
    entradas.dedup();
    let mut datos = vec![];
    for document in documents {
        for notice in &document.data {
            datos.extend(notice.files.iter().map(|file| Data {
                capitulo: &document.slug,
                archivo: &file.name,
                sha256: &file.sha256,
                filas: file.rows,
                columnas: file.columns,
                simulados: notice.simulated,
            }));
        }
    }
    let outputs = files.iter().map(|(path, bytes)| Output {
        ruta: path,
        sha256: digest::of_bytes(bytes),
        bytes: bytes.len(),
    });
    let manifest = Manifest {
        titulo: &config.book.title,
        motor: Engine { nombre: "Escritura", version: env!("CARGO_PKG_VERSION") },
        entradas,
        datos,
        archivos: outputs.collect(),
    };
    let mut json = serde_json::to_vec_pretty(&manifest).unwrap_or_default();
    json.push(b'\n');
    json
}
