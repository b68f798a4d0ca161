//! `valores.json`: what a chapter computes, prints and asserts, for machines and
//! for comparing two builds. Written and read back here, so that it has one shape.

use super::document::{Document, Fragment, marks};
use super::text::{Context, machine};
use crate::diagnostics::{Diagnostic, Source, code};
use crate::study::publish::Datum;
use crate::study::{Computed, Study};
use minijinja::value::ValueKind;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The file's name beside each chapter's page.
pub const FILE_NAME: &str = "valores.json";

/// The content of the file. What is optional was not written by older versions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ChapterValues {
    /// Slug of the chapter.
    pub capitulo: String,
    /// Its title, plain text.
    pub titulo: String,
    /// Its file, relative to the book.
    #[serde(default)]
    pub archivo: String,
    /// The data files read, by name.
    pub datos: BTreeMap<String, Hash>,
    /// Computed and declared values by full name; null for those not defined.
    pub valores: BTreeMap<String, Value>,
    /// Why those are not defined.
    #[serde(default)]
    pub razones: BTreeMap<String, String>,
    /// What the text prints, in order.
    pub impresos: Vec<Printed>,
    /// What the text asserts, in order.
    #[serde(default)]
    pub afirmaciones: Vec<Asserted>,
}

/// A data file's SHA-256, hexadecimal.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hash {
    /// The digest.
    pub sha256: String,
}

/// A printed value.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Printed {
    /// The expression as written.
    pub expresion: String,
    /// As the reader sees it.
    pub texto: String,
    /// As a machine reads it; empty when there is nothing.
    pub valor: String,
    /// Line of the chapter's file.
    #[serde(default)]
    pub linea: usize,
    /// The values that the expression names.
    #[serde(default)]
    pub usa: Vec<String>,
}

/// An assertion.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asserted {
    /// The expression as written.
    pub expresion: String,
    /// What the text says with it.
    pub mensaje: Option<String>,
    /// Whether it holds; `None` when that cannot be said.
    pub cierta: Option<bool>,
    /// Line of the chapter's file.
    pub linea: usize,
    /// The values that the expression names.
    pub usa: Vec<String>,
}

impl ChapterValues {
    /// What a resolved chapter publishes.
    pub fn of(document: &Document, context: &Context) -> Self {
        let line = |offset| document.source.line_column(offset).0;
        let printed = marks(&document.markdown).filter_map(|(range, index)| {
            let Fragment::Value(value) = document.fragments.get(index)? else { return None };
            Some(Printed {
                expresion: value.expression.clone(),
                texto: value.text.clone(),
                valor: value.machine.clone(),
                linea: line(document.origin.offset(range.start)),
                usa: value.inputs.iter().map(|input| input.name.clone()).collect(),
            })
        });
        let asserted = document.claims.iter().map(|claim| Asserted {
            expresion: claim.expression.clone(),
            mensaje: claim.message.clone(),
            cierta: claim.holds,
            linea: line(claim.offset),
            usa: claim.inputs.clone(),
        });
        let files = document.data.iter().flat_map(|notice| &notice.files);
        Self {
            capitulo: document.slug.clone(),
            titulo: document.meta.title.clone(),
            archivo: document.source.path().to_string_lossy().replace('\\', "/"),
            datos: files
                .map(|file| (file.name.clone(), Hash { sha256: file.sha256.clone() }))
                .collect(),
            valores: all_values(context.computed),
            razones: reasons(context.study, context.computed),
            impresos: printed.collect(),
            afirmaciones: asserted.collect(),
        }
    }

    /// The file's bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        format!("{:#}\n", json!(self)).into_bytes()
    }

    /// Reads the text of a file.
    pub fn parse(source: &Source) -> Result<Self, Diagnostic> {
        serde_json::from_str(source.text()).map_err(|error| {
            use serde_json::error::Category;
            let said = error.to_string();
            let missing =
                said.strip_prefix("missing field `").and_then(|rest| rest.split('`').next());
            let message = match (error.classify(), missing) {
                (Category::Eof, _) => "el JSON está incompleto".to_owned(),
                (Category::Data, Some(key)) => format!("al valores.json le falta «{key}»"),
                (Category::Data, None) => "el JSON no tiene la forma de un valores.json".to_owned(),
                (Category::Syntax | Category::Io, _) => "el JSON está mal formado".to_owned(),
            };
            let offset = source.offset(error.line(), error.column());
            Diagnostic::new(code::FILE, source.place(offset..offset), message)
                .hint(Some("el archivo lo escribe «escritura construir»".into()))
        })
    }
}

/// Computed and declared values by full name; null for those not defined.
pub fn all_values(computed: &Computed) -> BTreeMap<String, Value> {
    let mut all: BTreeMap<String, Value> =
        computed.values.iter().map(|(name, value)| ((*name).to_owned(), value.to_json())).collect();
    for (name, value) in &computed.assembled.values {
        let shown = match value.kind() {
            // It raises its reason when used.
            ValueKind::Invalid => Value::Null,
            _ => serde_json::to_value(value).unwrap_or_else(|_| json!(machine(value))),
        };
        all.insert(name.clone(), shown);
    }
    all
}

/// Why each value that is not defined is not.
fn reasons(study: &Study, computed: &Computed) -> BTreeMap<String, String> {
    let published = computed.values.iter().filter_map(|(name, datum)| match datum {
        Datum::Undefined(reason) => Some(((*name).to_owned(), reason.clone())),
        _ => None,
    });
    let declared = computed.assembled.values.iter().filter_map(|(name, value)| {
        let undefined = value.kind() == ValueKind::Invalid;
        let reason = || study.engine().eval(name, &computed.assembled.scope).err();
        Some((name.clone(), undefined.then(reason)??.message))
    });
    published.chain(declared).collect()
}
