//! `escritura datos verificar`: is a data folder what it says?

use super::super::{Failed, output};
use crate::data::provenance::Kind;
use crate::diagnostics::Diagnostics;
use crate::ingest::{Description, Shape, check_folder, describe};
use jiff::civil::Date;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Comprueba una carpeta de datos: huellas, forma, valores y concordancia
#[derive(Debug, clap::Args)]
#[command(visible_alias = "verify", help_template = super::super::usage::TEMPLATE, next_help_heading = "Opciones")]
pub struct Arguments {
    /// Carpeta de datos
    #[arg(value_name = "CARPETA", help_heading = "Argumentos")]
    folder: PathBuf,

    /// Los avisos también hacen fallar
    #[arg(long = "estricto", alias = "strict")]
    strict: bool,

    /// Escribe la forma de cada archivo como JSON en la salida estándar
    #[arg(long)]
    json: bool,

    /// Hace o renueva procedencia.yaml
    #[arg(long = "escribir", alias = "write")]
    write: bool,

    /// Con --escribir: real o simulado
    #[arg(long = "tipo", alias = "kind", value_name = "TIPO", requires = "write", value_parser = kind)]
    kind: Option<Kind>,

    /// Con --escribir: de dónde vienen los datos
    #[arg(long = "fuente", alias = "origin", value_name = "TEXTO", requires = "write")]
    origin: Option<String>,

    /// Con --escribir: el día de los datos
    #[arg(long = "fecha", alias = "date", value_name = "AAAA-MM-DD", requires = "write", value_parser = date)]
    date: Option<Date>,

    /// Con --escribir: el commit de la fuente
    #[arg(long = "commit", value_name = "HASH", requires = "write")]
    commit: Option<String>,

    /// Con --escribir: una nota
    #[arg(long = "nota", alias = "note", value_name = "TEXTO", requires = "write")]
    note: Option<String>,
}

fn kind(text: &str) -> Result<Kind, String> {
    match text {
        "real" => Ok(Kind::Real),
        "simulado" | "simulated" => Ok(Kind::Simulado),
        _ => Err("los tipos son: real, simulado".into()),
    }
}

fn date(text: &str) -> Result<Date, String> {
    text.parse().map_err(|_| "se espera AAAA-MM-DD".into())
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failed> {
    if arguments.write {
        let changed = describe(&arguments.folder, &description(arguments));
        if changed.map_err(|found| output::report(&found, false).err().unwrap_or(Failed))? {
            output::say(
                "nota: los archivos no eran los descritos; se quitó lo que decía cómo se hicieron",
            );
        }
    }
    let mut found = Diagnostics::new();
    let shapes = check_folder(&arguments.folder, &mut found);
    output::report(&found, arguments.strict)?;
    if arguments.json {
        output::print_json(&shapes_json(&shapes))?;
    } else {
        output::print(&shapes_text(&shapes))?;
    }
    Ok(())
}

fn description(arguments: &Arguments) -> Description {
    Description {
        kind: arguments.kind,
        origin: arguments.origin.clone(),
        date: arguments.date,
        commit: arguments.commit.clone(),
        note: arguments.note.clone(),
    }
}

fn shapes_json(shapes: &BTreeMap<String, Shape>) -> Value {
    let entry = |(name, shape): (&String, &Shape)| {
        let kind = if shape.is_matrix { "respuestas" } else { "marco" };
        (name.clone(), json!({"tipo": kind, "filas": shape.rows, "columnas": shape.columns}))
    };
    Value::Object(shapes.iter().map(entry).collect::<Map<_, _>>())
}

fn shapes_text(shapes: &BTreeMap<String, Shape>) -> String {
    let line = |(name, shape): (&String, &Shape)| {
        let Shape { rows, columns, is_matrix } = shape;
        let (row, column) =
            if *is_matrix { ("examinados", "reactivos") } else { ("filas", "columnas") };
        format!("{name}: {rows} {row}, {columns} {column}\n")
    };
    shapes.iter().map(line).collect()
}
