//! `escritura analizar`: a bare matrix in, every applicable number out.

use super::progress::Progress;
use super::{Failed, output};
use crate::data::{Cache, ReadOptions, Recode, read_responses};
use crate::diagnostics::{Diagnostic, Diagnostics, code, system};
use crate::psychometrics::irt::LEAST_VARIANCE;
use crate::study::catalogue::{self, COLUMNS, VALUES};
use crate::study::declarations::Declarations;
use crate::study::graph::Node;
use crate::study::input::StudyData;
use crate::study::options::{AnalysisOptions, Quadrature};
use crate::study::publish::Datum;
use crate::study::{Computed, Plan, Sources, Study};
use clap::ValueEnum;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// Analiza una matriz de respuestas, sin libro
#[derive(Debug, clap::Args)]
#[command(visible_alias = "analyze", help_template = super::usage::TEMPLATE, next_help_heading = "Opciones")]
pub struct Arguments {
    /// CSV: una fila por examinado, una columna por reactivo, celdas 0, 1 o vacías
    #[arg(value_name = "RESPUESTAS.csv", help_heading = "Argumentos")]
    responses: PathBuf,

    /// Solo el análisis clásico y estos modelos
    #[arg(
        long = "modelos",
        value_name = "MODELO",
        value_delimiter = ',',
        conflicts_with = "all",
        hide_possible_values = true
    )]
    models: Option<Vec<ModelName>>,

    /// Todo lo que se calcula sin remuestrear ni simular (así es también sin --modelos)
    #[arg(long = "todo", alias = "all")]
    all: bool,

    /// Escribe JSON en la salida estándar
    #[arg(long)]
    json: bool,

    /// Escribe los marcos (reactivos.csv, examinados.csv, ...) en esta carpeta
    #[arg(long = "marcos", alias = "frames", value_name = "CARPETA")]
    frames: Option<PathBuf>,

    /// Códigos de la matriz y lo que significan: 1:0,2:1
    #[arg(long = "recodificar", alias = "recode", value_name = "CÓDIGOS")]
    recode: Option<Recode>,

    /// Columna con el número de examinados de cada patrón de respuestas
    #[arg(long = "conteo", alias = "count", value_name = "COLUMNA")]
    count: Option<String>,

    /// Textos que significan «sin respuesta»
    #[arg(long = "faltantes", alias = "missing", value_name = "TEXTO", value_delimiter = ',')]
    missing: Option<Vec<String>>,

    /// Elige la cuadratura según los datos, en lugar de 61 puntos entre -6 y 6
    #[arg(long = "cuadratura-adecuada", alias = "adequate-grid")]
    adequate_grid: bool,

    /// Semilla de los procedimientos aleatorios
    #[arg(long = "semilla", alias = "seed", value_name = "N", allow_negative_numbers = true)]
    seed: Option<u32>,
}

/// A model of the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ModelName {
    /// Rasch.
    #[value(name = "rasch")]
    Rasch,
    /// Two parameters by maximum likelihood.
    #[value(name = "dos_pl", alias = "2pl")]
    TwoPl,
    /// Two parameters with a prior.
    #[value(name = "dos_pl_previa", alias = "2pl-previa")]
    TwoPlPrior,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failed> {
    let failed = |found: Diagnostics| output::report(&found, false).err().unwrap_or(Failed);
    let table = read_responses(&arguments.responses, &reading(arguments)).map_err(failed)?;
    table.notices.iter().for_each(|notice| output::say(format_args!("nota: {notice}")));
    let data = StudyData::bare(table).map_err(|fault| failed(fault.into()))?;
    let mut options = AnalysisOptions::default();
    if let Some(seed) = arguments.seed {
        options.semilla = seed;
    }
    if arguments.adequate_grid {
        options.cuadratura = Quadrature::adequate();
    }
    let study =
        Study::new(data, options, Declarations::default(), Sources::default(), Cache::none());
    let mut plan = study.plan();
    let wanted = |node: Node| wants(arguments, node);
    plan.nodes.extend(VALUES.iter().map(|entry| entry.node).filter(|&node| wanted(node)));
    if arguments.frames.is_some() {
        plan.nodes.extend(
            COLUMNS.iter().map(|c| c.node).filter(|&node| wanted_in_frames(arguments, node)),
        );
    }
    let progress = Progress::new("calculando");
    let (computed, found) = study.compute(&plan, &|node| progress.done(node));
    drop(progress);
    output::report(&found, false)?;
    notices(study.data(), &computed)
        .iter()
        .for_each(|notice| output::say(format_args!("nota: {notice}")));
    if let Some(folder) = &arguments.frames {
        write_frames(folder, &arguments.responses, &computed, &plan)?;
    }
    if arguments.json {
        output::print_json(&values_json(&computed))?;
    } else {
        output::print(&values_text(&computed))?;
    }
    Ok(())
}

/// Items named in a notice; the others are counted.
const NAMED: usize = 5;

/// What a reader of the numbers should know and no number says.
fn notices(data: &StudyData, computed: &Computed) -> Vec<String> {
    let varying = data.responses.varying_items();
    let constant: Vec<&str> = (0..data.items.len())
        .filter(|j| varying.binary_search(j).is_err())
        .map(|j| &data.items[j])
        .collect();
    let mut notices = vec![];
    if !constant.is_empty() {
        let mut names = constant
            .iter()
            .take(NAMED)
            .map(|name| format!("«{name}»"))
            .collect::<Vec<_>>()
            .join(", ");
        if constant.len() > NAMED {
            names += &format!(" y {} más", constant.len() - NAMED);
        }
        notices.push(format!(
            "reactivos sin varianza, fuera de los análisis que la necesitan: {names}"
        ));
    }
    if let Some(Datum::Number(variance)) = computed.values.get("rasch.varianza")
        // Exact up to the rounding of a square root and its square.
        && *variance <= LEAST_VARIANCE * (1.0 + 1e-12)
    {
        notices.push(
            "la varianza latente es la menor posible: los datos no tienen un factor común".into(),
        );
    }
    notices
}

fn reading(arguments: &Arguments) -> ReadOptions {
    let mut reading = ReadOptions {
        recode: arguments.recode.clone(),
        count_column: arguments.count.clone(),
        ..ReadOptions::default()
    };
    if let Some(missing) = &arguments.missing {
        reading.missing.clone_from(missing);
    }
    reading
}

/// Without `--modelos`, everything that does not resample or simulate; with it, what
/// is linear in the data: the classical analysis and what the models named give by
/// themselves.
fn wants(arguments: &Arguments, node: Node) -> bool {
    use Node::{
        Classical, Comparison, Data, Frontier, Information, Rasch, RaschScores, Scores, TwoPl,
        TwoPlPrior, TwoPlPriorScores,
    };
    let Some(models) = &arguments.models else { return !node.is_slow() };
    let has = |model| models.contains(&model);
    match node {
        Data | Scores | Classical | Frontier => true,
        Rasch | RaschScores | Information => has(ModelName::Rasch),
        TwoPl => has(ModelName::TwoPl),
        TwoPlPrior | TwoPlPriorScores => has(ModelName::TwoPlPrior),
        Comparison => has(ModelName::Rasch) && has(ModelName::TwoPl),
        _ => false,
    }
}

/// Frames also hold the fit of items and persons.
fn wanted_in_frames(arguments: &Arguments, node: Node) -> bool {
    let rasch = arguments.models.as_ref().is_none_or(|m| m.contains(&ModelName::Rasch));
    wants(arguments, node) || (node == Node::Fit && rasch)
}

/// Whether two paths lead to one file, which exists.
fn is_same_file(a: &Path, b: &Path) -> bool {
    a.canonicalize().is_ok_and(|a| b.canonicalize().is_ok_and(|b| a == b))
}

fn write_frames(
    folder: &Path,
    input: &Path,
    computed: &Computed,
    plan: &Plan,
) -> Result<(), Failed> {
    let fail = |path: &Path, error: std::io::Error| {
        let message = format!("no se puede escribir: {}", system::cause(&error));
        let found = Diagnostic::new(code::FILE, path, message).into();
        output::report(&found, false).err().unwrap_or(Failed)
    };
    std::fs::create_dir_all(folder).map_err(|error| fail(folder, error))?;
    for name in catalogue::frames() {
        let asked = COLUMNS.iter().any(|c| c.frame == name && plan.nodes.contains(&c.node));
        if let (true, Some(frame)) = (asked, computed.assembled.frames.get(name)) {
            let path = folder.join(format!("{name}.csv"));
            if is_same_file(&path, input) {
                let message = "el marco borraría el archivo que se analiza";
                let fault = Diagnostic::new(code::OUTPUT, path, message);
                let hint = "elija otra carpeta para --marcos".to_owned();
                return output::report(&fault.hint(Some(hint)).into(), false);
            }
            std::fs::write(&path, frame.to_csv()).map_err(|error| fail(&path, error))?;
        }
    }
    Ok(())
}

/// The values as one object nested by the dots; what is not defined is null, with
/// its reason under `razones`.
pub fn values_json(computed: &Computed) -> Value {
    let mut object = Map::new();
    let mut reasons = Map::new();
    for entry in VALUES {
        let Some(datum) = computed.values.get(entry.name) else { continue };
        let (namespace, name) = entry.name.split_once('.').unwrap_or((entry.name, ""));
        let group = object.entry(namespace).or_insert_with(|| json!({}));
        if let Some(group) = group.as_object_mut() {
            group.insert(name.to_owned(), datum.to_json());
        }
        if let Datum::Undefined(reason) = datum {
            reasons.insert(entry.name.to_owned(), json!(reason));
        }
    }
    object.insert("razones".into(), Value::Object(reasons));
    Value::Object(object)
}

fn values_text(computed: &Computed) -> String {
    let shown = |datum: &Datum| match datum {
        Datum::Integer(value) => value.to_string(),
        Datum::Number(value) => value.to_string(),
        Datum::Text(text) => text.clone(),
        Datum::Truth(value) => if *value { "sí" } else { "no" }.to_owned(),
        Datum::List(values) => {
            values.iter().map(|x| format!("{x:.4}")).collect::<Vec<_>>().join(" ")
        }
        Datum::Names(names) if names.is_empty() => "ninguno".to_owned(),
        Datum::Names(names) => names.join(" "),
        Datum::Undefined(reason) => format!("— ({reason})"),
    };
    let lines = VALUES.iter().filter_map(|entry| {
        let datum = computed.values.get(entry.name)?;
        Some(format!("{:<28} {}\n", entry.name, shown(datum)))
    });
    lines.collect()
}
