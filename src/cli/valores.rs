//! `escritura valores`: every value of a chapter.

use super::book::{BookArguments, unreadable};
use super::progress::Progress;
use super::{Failed, analizar, output};
use crate::diagnostics::Diagnostics;
use crate::report::values::all_values;
use crate::study::catalogue::VALUES;
use serde_json::{Map, Value, json};

/// Muestra los valores de un capítulo
#[derive(Debug, clap::Args)]
#[command(visible_alias = "values", help_template = super::usage::TEMPLATE)]
pub struct Arguments {
    /// Carpeta del capítulo dentro de la de los capítulos
    #[arg(value_name = "CAPÍTULO", help_heading = "Argumentos")]
    chapter: String,

    #[command(flatten)]
    book: BookArguments,

    /// Escribe JSON en la salida estándar
    #[arg(long, help_heading = "Opciones")]
    json: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failed> {
    let mut found = Diagnostics::new();
    let Some(book) = arguments.book.open(&mut found) else { return Err(unreadable(&found)) };
    let Some(opened) = found.check(book.chapter(&arguments.chapter)) else {
        return Err(unreadable(&found));
    };
    let Some(study) = &opened.study else {
        output::report(&found, false)?;
        output::say("El capítulo no lee datos: no tiene valores.");
        return Err(Failed);
    };
    let mut plan = study.plan();
    let quick = VALUES.iter().map(|entry| entry.node).filter(|node| !node.is_slow());
    plan.nodes.extend(quick);
    for (name, _) in study.declarations().valores.iter() {
        // A declaration with faults is reported when it is evaluated.
        let _ = plan.expression(name);
    }
    let progress = Progress::new("calculando");
    let (computed, faults) = study.compute(&plan, &|node| progress.done(node));
    drop(progress);
    found.extend(faults);
    output::report(&found, false)?;
    if !arguments.json {
        for (name, value) in all_values(&computed) {
            output::print(&format!("{name:<28} {value}\n"))?;
        }
        return Ok(());
    }
    let mut object = analizar::values_json(&computed);
    for (name, value) in &computed.assembled.values {
        let value = serde_json::to_value(value).unwrap_or(Value::Null);
        insert(&mut object, name, value);
    }
    output::print_json(&object)?;
    Ok(())
}

/// Puts a declared value where its dots say.
fn insert(object: &mut Value, name: &str, value: Value) {
    let mut at = object;
    let mut parts = name.split('.').peekable();
    while let Some(part) = parts.next() {
        if !at.is_object() {
            *at = Value::Object(Map::new());
        }
        let Some(map) = at.as_object_mut() else { return };
        if parts.peek().is_none() {
            map.insert(part.to_owned(), value);
            return;
        }
        at = map.entry(part).or_insert_with(|| json!({}));
    }
}
