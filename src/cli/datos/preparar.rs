//! `escritura datos preparar`: a clone of SWE-bench/experiments becomes data.

use super::super::progress::Progress;
use super::super::{Failed, output};
use super::shown;
use crate::diagnostics::Diagnostics;
use crate::ingest::{
    DownloadOptions, NearPair, PrepareOptions, Prepared, REPOSITORY, Split, download, prepare,
};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Pairs that the summary names.
const SHOWN: usize = 10;

/// Convierte un clon de SWE-bench/experiments en los datos del libro
#[derive(Debug, clap::Args)]
#[command(visible_alias = "prepare", help_template = super::super::usage::TEMPLATE, next_help_heading = "Opciones")]
pub struct Arguments {
    /// El clon, en este equipo
    #[arg(
        long = "clon",
        alias = "clone",
        value_name = "CARPETA",
        required_unless_present = "download",
        conflicts_with = "download"
    )]
    clone: Option<PathBuf>,

    /// Descarga con git lo necesario del repositorio, o sigue una descarga interrumpida
    #[arg(long = "descargar", alias = "download")]
    download: bool,

    /// Con --descargar: otro repositorio
    #[arg(
        long = "repositorio",
        alias = "repository",
        value_name = "URL",
        default_value = REPOSITORY,
        hide_default_value = true,
        requires = "download",
        conflicts_with = "clone"
    )]
    repository: String,

    /// Con --descargar: un commit (completo), una rama o una etiqueta
    #[arg(long = "commit", value_name = "HASH", requires = "download", conflicts_with = "clone")]
    commit: Option<String>,

    /// Con --descargar: carpeta de la descarga
    #[arg(
        long = "cache",
        value_name = "CARPETA",
        default_value = ".escritura/experiments",
        requires = "download",
        conflicts_with = "clone"
    )]
    cache: PathBuf,

    /// Carpeta donde quedan los CSV y procedencia.yaml
    #[arg(long = "destino", alias = "output", value_name = "CARPETA")]
    destination: PathBuf,

    /// Partición: verified, lite, test o multimodal
    #[arg(
        long = "particion",
        alias = "split",
        value_name = "NOMBRE",
        default_value = "verified",
        hide_default_value = true
    )]
    split: Split,

    /// Cuántos reactivos debe haber (verified: 500)
    #[arg(long = "n-reactivos", alias = "n-items", value_name = "N")]
    n_items: Option<usize>,

    /// Distancia de Hamming hasta la que dos envíos se listan como casi iguales
    #[arg(
        long = "distancia",
        alias = "distance",
        value_name = "N",
        default_value_t = 10,
        hide_default_value = true
    )]
    near: u32,

    /// Falla si alguna carpeta se excluye o merece atención
    #[arg(long = "estricto", alias = "strict")]
    strict: bool,

    /// Escribe el resumen como JSON en la salida estándar
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failed> {
    if arguments.download {
        fetch(arguments)?;
    }
    let options = PrepareOptions {
        clone: arguments.clone.clone().unwrap_or_else(|| arguments.cache.clone()),
        destination: arguments.destination.clone(),
        split: arguments.split,
        n_items: arguments.n_items,
        near: arguments.near,
    };
    let mut found = Diagnostics::new();
    let progress = Progress::new("leyendo");
    let prepared = prepare(&options, &mut found, &|done, all| {
        progress.note(&format!("{done} de {all} carpetas"));
    });
    drop(progress);
    let verdict = output::report(&found, arguments.strict);
    let prepared = shown(prepared)?;
    if arguments.json {
        output::print_json(&summary_json(&prepared))?;
    } else {
        output::print(&summary_text(&prepared, arguments.near))?;
    }
    verdict
}

fn fetch(arguments: &Arguments) -> Result<(), Failed> {
    let options = DownloadOptions {
        repository: arguments.repository.clone(),
        commit: arguments.commit.clone(),
        split: arguments.split,
        cache: arguments.cache.clone(),
        git: "git".into(),
    };
    let progress = Progress::new("descargando");
    shown(download(&options, &|said| progress.note(said)))
}

fn summary_json(prepared: &Prepared) -> Value {
    let excluded = prepared.excluded.iter().map(|(id, why)| json!({"envio": id, "motivo": why}));
    let near = |pair: &NearPair| json!({"envios": pair.ids, "distancia": pair.distance, "totales": pair.totals});
    json!({
        "carpetas": prepared.n_folders,
        "incluidos": prepared.n_included,
        "sin_datos": prepared.n_without_data,
        "inconsistentes": prepared.n_inconsistent,
        "reactivos": prepared.n_items,
        "excluidos": excluded.collect::<Vec<_>>(),
        "casi_iguales": prepared.near.iter().map(near).collect::<Vec<_>>(),
        "versiones_mini_swe_agent": prepared.mini_versions,
        "commit": prepared.commit,
        "archivos": prepared.files,
    })
}

fn summary_text(prepared: &Prepared, distance: u32) -> String {
    let mut lines = vec![
        format!("carpetas           {}", prepared.n_folders),
        format!("incluidas          {}", prepared.n_included),
        format!("sin datos          {}", prepared.n_without_data),
        format!("inconsistentes     {}", prepared.n_inconsistent),
        format!("excluidas en total {}", prepared.excluded.len()),
        format!("reactivos          {}", prepared.n_items),
        format!("commit             {}", prepared.commit.as_deref().unwrap_or("—")),
        format!("casi iguales       {} pares a distancia {distance} o menos", prepared.near.len()),
    ];
    for pair in prepared.near.iter().take(SHOWN) {
        let [a, b] = &pair.ids;
        lines.push(format!(
            "  {:>2}  {a} ({}), {b} ({})",
            pair.distance, pair.totals[0], pair.totals[1]
        ));
    }
    if prepared.near.len() > SHOWN {
        lines.push(format!("  y {} más (todos con --json)", prepared.near.len() - SHOWN));
    }
    lines.join("\n") + "\n"
}
