//! What a chapter's front matter says of its data and its analysis.

use crate::yaml::{self, Entries, Located};
use serde::Deserialize;

/// The files of a chapter, named relative to its data folder.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataOptions {
    /// Folder of the data, relative to the chapter's; `datos` unless said.
    #[serde(default)]
    pub carpeta: Option<Located<String>>,
    /// The response matrix.
    pub respuestas: Located<ResponsesFile>,
    /// What is known of each examinee.
    #[serde(default)]
    pub examinados: Option<Located<ExamineesFile>>,
    /// Further tables, by the name that expressions use.
    #[serde(default)]
    pub marcos: Entries<Located<FrameFile>>,
}

/// The response matrix: a file name, or a file name and how to read it.
#[derive(Debug, Clone, PartialEq)]
pub enum ResponsesFile {
    /// Read with the usual conventions.
    Name(String),
    /// With conventions of its own.
    Described(ResponsesDescription),
}

/// How to read a response matrix.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResponsesDescription {
    /// File name.
    pub archivo: String,
    /// Column with the number of examinees of each pattern.
    #[serde(default)]
    pub conteo: Option<String>,
    /// Texts that mean "no answer".
    #[serde(default)]
    pub faltantes: Option<Vec<String>>,
    /// Explicit recoding, `1:0,2:1`.
    #[serde(default)]
    pub recodificar: Option<String>,
}

impl<'de> Deserialize<'de> for ResponsesFile {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        yaml::short_or_long(deserializer, Self::Name, Self::Described)
    }
}

impl ResponsesFile {
    /// The full form.
    pub fn describe(&self) -> ResponsesDescription {
        match self {
            Self::Described(described) => described.clone(),
            Self::Name(archivo) => ResponsesDescription {
                archivo: archivo.clone(),
                conteo: None,
                faltantes: None,
                recodificar: None,
            },
        }
    }
}

/// The examinees' table: a file name, or also which column tells who is included.
#[derive(Debug, Clone, PartialEq)]
pub enum ExamineesFile {
    /// The rows are the examinees of the matrix; where there is a column
    /// `incluido`, those that have 1 in it.
    Name(String),
    /// With another column of inclusion.
    Described(ExamineesDescription),
}

/// How to read the examinees' table.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExamineesDescription {
    /// File name.
    pub archivo: String,
    /// Column that has 1 for the examinees of the matrix; `incluido`, where there is
    /// one, unless said.
    #[serde(default)]
    pub incluido: Option<String>,
    /// Columns that are text even when all of it looks like numbers.
    #[serde(default)]
    pub texto: Vec<String>,
}

impl<'de> Deserialize<'de> for ExamineesFile {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        yaml::short_or_long(deserializer, Self::Name, Self::Described)
    }
}

impl ExamineesFile {
    /// The full form.
    pub fn describe(&self) -> ExamineesDescription {
        match self {
            Self::Described(described) => described.clone(),
            Self::Name(archivo) => {
                ExamineesDescription { archivo: archivo.clone(), incluido: None, texto: vec![] }
            }
        }
    }
}

/// A further table.
#[derive(Debug, Clone, PartialEq)]
pub enum FrameFile {
    /// Must exist.
    Name(String),
    /// May be absent.
    Described(FrameDescription),
}

/// A further table that may be absent.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrameDescription {
    /// File name.
    pub archivo: String,
    /// Whether the chapter also reads without it.
    #[serde(default)]
    pub opcional: bool,
    /// Columns that are text even when all of it looks like numbers.
    #[serde(default)]
    pub texto: Vec<String>,
}

impl<'de> Deserialize<'de> for FrameFile {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        yaml::short_or_long(deserializer, Self::Name, Self::Described)
    }
}

impl FrameFile {
    /// The full form.
    pub fn describe(&self) -> FrameDescription {
        match self {
            Self::Described(described) => described.clone(),
            Self::Name(archivo) => {
                FrameDescription { archivo: archivo.clone(), opcional: false, texto: vec![] }
            }
        }
    }
}

/// How the analysis is done. Every option has the value that the reference
/// programs use.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AnalysisOptions {
    /// Seed of every random procedure.
    pub semilla: u32,
    /// Replications of the parallel analysis.
    pub permutaciones: usize,
    /// Quadrature of the marginal likelihood.
    pub cuadratura: Quadrature,
    /// Whether fit statistics raise tiny variances as mirt does.
    pub piso_varianza: bool,
    /// Prior of the slopes in `dos_pl_previa`.
    pub previa_pendientes: SlopePrior,
    /// Column of the examinees that groups them.
    pub grupos: Option<ExamineeGroups>,
    /// Column of the items that groups them (repository, testlet).
    pub bloques: Option<Located<String>>,
    /// How many of the highest scorers make the frontier.
    pub frontera: usize,
    /// Nearly equal response vectors.
    pub casi_duplicados: NearDuplicates,
    /// Replications of bootstraps, permutations of groups, random short forms.
    pub remuestreos: usize,
    /// Matrices simulated from the fitted model.
    pub simulaciones: usize,
    /// Most strata of the rest score in differential functioning.
    pub estratos: usize,
    /// Items that a sensitivity analysis leaves out.
    pub reactivos_dudosos: Option<Located<DoubtfulItems>>,
}

impl Default for AnalysisOptions {
    fn default() -> Self {
        Self {
            semilla: 20_261_025,
            permutaciones: 50,
            cuadratura: Quadrature::default(),
            piso_varianza: true,
            previa_pendientes: SlopePrior::default(),
            grupos: None,
            bloques: None,
            frontera: 20,
            casi_duplicados: NearDuplicates::default(),
            remuestreos: 200,
            simulaciones: 100,
            estratos: 10,
            reactivos_dudosos: None,
        }
    }
}

impl AnalysisOptions {
    /// What makes no sense or would take for ever, in Spanish; nothing when all is well.
    pub fn faults(&self) -> Vec<String> {
        let mut faults = vec![];
        let mut check = |holds: bool, fault: &str| {
            if !holds {
                faults.push(fault.to_owned());
            }
        };
        let Quadrature { puntos, desde, hasta, .. } = self.cuadratura;
        check((3..=10_001).contains(&puntos), "«cuadratura: puntos» va de 3 a 10001");
        let ordered = desde < hasta && desde.is_finite() && hasta.is_finite();
        check(ordered, "«cuadratura: desde» debe ser menor que «hasta»");
        check(self.permutaciones <= 100_000, "«permutaciones» no pasa de 100000");
        check(self.remuestreos <= 100_000, "«remuestreos» no pasa de 100000");
        check(self.simulaciones <= 100_000, "«simulaciones» no pasa de 100000");
        check((1..=1000).contains(&self.estratos), "«estratos» va de 1 a 1000");
        let [mean, deviation] = self.previa_pendientes.lognormal;
        let proper = mean.is_finite() && deviation.is_finite() && deviation > 0.0;
        check(proper, "«previa_pendientes: lognormal» pide una media y una desviación positiva");
        check(self.frontera > 0, "«frontera» pide al menos un examinado");
        faults
    }
}

/// Equally spaced nodes, given or chosen.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Quadrature {
    /// Number of nodes.
    pub puntos: usize,
    /// First node.
    pub desde: f64,
    /// Last node.
    pub hasta: f64,
    /// Whether to widen and refine the grid until it suits the data.
    pub adecuada: bool,
}

impl Default for Quadrature {
    /// mirt's grid.
    fn default() -> Self {
        Self { puntos: 61, desde: -6.0, hasta: 6.0, adecuada: false }
    }
}

impl Quadrature {
    /// The grid that suits the data.
    pub fn adequate() -> Self {
        Self { adecuada: true, ..Self::default() }
    }
}

/// Prior of the slopes.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlopePrior {
    /// Mean and standard deviation of the logarithm.
    pub lognormal: [f64; 2],
}

impl Default for SlopePrior {
    fn default() -> Self {
        Self { lognormal: [0.5, 0.5] }
    }
}

/// A grouping of the examinees.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExamineeGroups {
    /// Column, of the table or derived.
    pub variable: Located<String>,
    /// The group that sensitivity analyses leave out.
    #[serde(default)]
    pub base: Option<Located<String>>,
    /// The focal group of differential functioning, against all the others.
    #[serde(default)]
    pub focal: Option<Located<String>>,
}

/// Doubtful items.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged, expecting = "se esperaba una condición, o una lista de reactivos")]
pub enum DoubtfulItems {
    /// By name.
    Names(Vec<String>),
    /// Those that fulfil a condition over `reactivo` and the variables derived from
    /// it.
    Condition(String),
}

/// What counts as nearly the same response vector.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NearDuplicates {
    /// Largest Hamming distance of a pair that is listed.
    pub distancia: u32,
    /// Right answers from which the smallest distance is looked for.
    pub desde: u32,
}

impl Default for NearDuplicates {
    fn default() -> Self {
        Self { distancia: 10, desde: 50 }
    }
}
