//! Who is included, and the CSV files.

use super::clone::Clone as Repository;
use super::items::{Answers, Catalogue, Items};
use super::matrix;
use super::submission::{BASH_ONLY, Submission};
use crate::data::provenance::{self, Kind, Provenance};
use crate::data::{Cell, Frame, Names, Responses, digest, storage};
use crate::diagnostics::{Diagnostic, Diagnostics, code};
use crate::psychometrics::stats::hamming_pairs;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Percentage points that the declared result may be away from the item count.
pub(super) const TOLERANCE: f64 = 1.0;
/// Folders read between two notes of progress.
const BATCH: usize = 256;
/// Reason of a folder without results by item.
const NO_DATA: &str = "sin datos por ítem";
/// Unknown items that a reason names.
const SHOWN: usize = 3;

/// A split of the benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Split {
    /// 500 items checked by persons.
    #[default]
    Verified,
    /// The short form.
    Lite,
    /// All the items.
    Test,
    /// Items with images.
    Multimodal,
}

impl Split {
    const ALL: [Self; 4] = [Self::Verified, Self::Lite, Self::Test, Self::Multimodal];

    /// Its name in the repository.
    pub fn name(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::Lite => "lite",
            Self::Test => "test",
            Self::Multimodal => "multimodal",
        }
    }

    /// How many items it must have, where that is settled.
    fn n_items(self) -> Option<usize> {
        (self == Self::Verified).then_some(500)
    }

    /// The folders of the repository that hold its submissions.
    pub(super) fn trees(self) -> Vec<String> {
        let mut trees = vec![format!("evaluation/{}", self.name())];
        trees.extend((self == Self::Verified).then(|| BASH_ONLY.to_owned()));
        trees
    }

    /// The file of a kind: `respuestas`, `envios`, `entorno`.
    pub(super) fn file(self, kind: &str) -> String {
        format!("{kind}_swebench_{}.csv", self.name())
    }
}

impl std::str::FromStr for Split {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        let valid = || Self::ALL.map(Self::name).join(", ");
        let found = Self::ALL.into_iter().find(|split| split.name() == name);
        found.ok_or_else(|| format!("las particiones son: {}", valid()))
    }
}

/// What to prepare, and where.
#[derive(Debug, Clone)]
pub struct PrepareOptions {
    /// The clone of the repository.
    pub clone: PathBuf,
    /// The folder of the CSV files.
    pub destination: PathBuf,
    /// The split.
    pub split: Split,
    /// How many items there must be; without it, what the split says.
    pub n_items: Option<usize>,
    /// Largest Hamming distance of the pairs that are listed.
    pub near: u32,
}

/// What was prepared.
#[derive(Debug, Clone, PartialEq)]
pub struct Prepared {
    /// Folders of submissions.
    pub n_folders: usize,
    /// Submissions in the matrix.
    pub n_included: usize,
    /// Items.
    pub n_items: usize,
    /// Folders without results by item.
    pub n_without_data: usize,
    /// Folders whose results by item are not those declared.
    pub n_inconsistent: usize,
    /// Folders left out and why, by identifier.
    pub excluded: Vec<(String, String)>,
    /// Pairs of submissions with nearly the same results.
    pub near: Vec<NearPair>,
    /// Versions of mini-SWE-agent, by submission.
    pub mini_versions: BTreeMap<String, String>,
    /// The commit of the clone.
    pub commit: Option<String>,
    /// SHA-256 of each file written, by name.
    pub files: BTreeMap<String, String>,
}

/// Two submissions that differ on few items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearPair {
    /// The submissions.
    pub ids: [String; 2],
    /// Items on which they differ.
    pub distance: u32,
    /// Items that each solved.
    pub totals: [u32; 2],
}

/// A folder and what was decided on it.
struct Examinee {
    submission: Submission,
    answers: Option<Answers>,
    total: Option<usize>,
    exclusion: Option<Exclusion>,
}

/// Why a folder is left out.
#[derive(Debug, Clone, PartialEq)]
enum Exclusion {
    NoData,
    Inconsistent(String),
    Faulty(String),
}

impl Exclusion {
    fn reason(&self) -> &str {
        match self {
            Self::NoData => NO_DATA,
            Self::Inconsistent(reason) | Self::Faulty(reason) => reason,
        }
    }
}

/// Reads a clone and writes responses, submissions and provenance. `progress` gets
/// how many folders are read, of how many.
///
/// What keeps a folder out goes to `found` as a warning, and the rest goes on.
///
/// # Errors
/// There is no such split in the clone, its items are not those of the split, no
/// folder can be included, or the files cannot be written: nothing is then.
pub fn prepare(
    options: &PrepareOptions,
    found: &mut Diagnostics,
    progress: &dyn Fn(usize, usize),
) -> Result<Prepared, Diagnostic> {
    let clone = Repository::open(&options.clone)?;
    let folders = folders(&clone, options)?;
    let (mut all, catalogue) = read(&clone, &folders, progress);
    let items = settle(&catalogue, options)?;
    all.iter_mut().for_each(|one| one.decide(&items, &catalogue));
    all.sort_by(|a, b| a.submission.id.cmp(&b.submission.id));
    drop_repeated(&mut all);
    found.extend(all.iter().flat_map(|one| one.diagnostics(&options.clone)));
    if lists_are_blank(&all) {
        let message =
            "ninguna carpeta dice tener reactivos sin parche: quizá este clon no los cuenta";
        found.push(Diagnostic::new(code::INGEST_DOUBT, &*options.clone, message));
    }
    if all.iter().all(|one| one.exclusion.is_some()) {
        let message = "ninguna carpeta de resultados se puede incluir";
        return Err(Diagnostic::new(code::FILE, &*options.clone, message));
    }
    write(options, &clone, &items, &all)
}

fn folders(clone: &Repository, options: &PrepareOptions) -> Result<Vec<PathBuf>, Diagnostic> {
    let mut all = vec![];
    for tree in options.split.trees() {
        all.extend(clone.folders(Path::new(&tree))?.into_iter().flatten());
    }
    if all.is_empty() {
        let tree = format!("evaluation/{}", options.split.name());
        let message = format!("no es un clon de SWE-bench/experiments: no hay envíos en {tree}");
        return Err(Diagnostic::new(code::FILE, &*options.clone, message));
    }
    Ok(all)
}

fn read(
    clone: &Repository,
    folders: &[PathBuf],
    progress: &dyn Fn(usize, usize),
) -> (Vec<Examinee>, Catalogue) {
    let (mut all, mut catalogue) = (Vec::with_capacity(folders.len()), Catalogue::default());
    for batch in folders.chunks(BATCH) {
        let read: Vec<Submission> =
            batch.par_iter().map(|folder| Submission::read(clone, folder)).collect();
        for mut submission in read {
            let answers = submission.results.take().map(|results| catalogue.add(results));
            all.push(Examinee { submission, answers, total: None, exclusion: None });
        }
        progress(all.len(), folders.len());
    }
    (all, catalogue)
}

fn settle(catalogue: &Catalogue, options: &PrepareOptions) -> Result<Items, Diagnostic> {
    let expected = options.n_items.or(options.split.n_items());
    catalogue.settle(expected).map_err(|n| {
        let expected = expected.unwrap_or_default();
        let message = format!("los resultados nombran {n} reactivos y debían ser {expected}");
        Diagnostic::new(code::MISMATCH, &*options.clone, message)
            .hint(Some("diga cuántos reactivos son con: --n-reactivos N".into()))
    })
}

impl Examinee {
    fn decide(&mut self, items: &Items, catalogue: &Catalogue) {
        let known = |&&number: &&u32| items.columns[number as usize].is_some();
        self.total = self.answers.as_ref().map(|a| a.solved.iter().filter(known).count());
        self.exclusion = self.exclusion(items, catalogue);
    }

    fn exclusion(&self, items: &Items, catalogue: &Catalogue) -> Option<Exclusion> {
        if let Some(fault) = &self.submission.fault {
            return Some(Exclusion::Faulty(fault.to_string()));
        }
        let (Some(answers), Some(total)) = (&self.answers, self.total) else {
            return Some(Exclusion::NoData);
        };
        let is_unknown = |&&number: &&u32| items.columns[number as usize].is_none();
        let unknown: Vec<u32> = answers.named.iter().filter(is_unknown).copied().collect();
        if !unknown.is_empty() {
            let shown = unknown.iter().take(SHOWN).map(|&number| catalogue.name(number));
            let more = if unknown.len() > SHOWN { ", …" } else { "" };
            let names = shown.collect::<Vec<_>>().join(", ");
            return Some(Exclusion::Faulty(format!("reactivos desconocidos: {names}{more}")));
        }
        let declared = self.submission.metadata.declared?;
        let counted = 100.0 * total as f64 / items.names.len() as f64;
        ((counted - declared).abs() > TOLERANCE).then(|| {
            let reason =
                format!("inconsistente: {counted:.1}% por ítem vs {declared:.1}% declarado");
            Exclusion::Inconsistent(reason)
        })
    }

    fn diagnostics(&self, clone: &Path) -> Vec<Diagnostic> {
        let folder = clone.join(&self.submission.folder);
        let id = &self.submission.id;
        let excluded = self.exclusion.iter().map(|exclusion| {
            let message = format!("se excluye «{id}»: {}", exclusion.reason());
            Diagnostic::new(code::INGEST, &*folder, message)
        });
        let doubts = self.submission.doubts.iter().filter(|_| self.exclusion.is_none());
        let doubts = doubts
            .map(|doubt| Diagnostic::new(code::INGEST_DOUBT, &*folder, format!("«{id}» {doubt}")));
        excluded.chain(doubts).collect()
    }
}

/// Whether many folders list items without patch and none has any: hardly true.
fn lists_are_blank(all: &[Examinee]) -> bool {
    let mut listed = all.iter().filter_map(|one| one.answers.as_ref()?.n_listed).peekable();
    listed.peek().is_some() && listed.all(|n| n == 0)
}

/// The same identifier in two trees: the one that can be included stays, or else
/// the first.
fn drop_repeated(all: &mut [Examinee]) {
    let mut kept: BTreeSet<&str> = BTreeSet::new();
    let (mut order, mut repeated): (Vec<usize>, Vec<usize>) = ((0..all.len()).collect(), vec![]);
    order.sort_by_key(|&i| all[i].exclusion.is_some());
    for i in order {
        if !kept.insert(&all[i].submission.id) {
            repeated.push(i);
        }
    }
    for i in repeated {
        let reason = "otra carpeta del mismo nombre está antes".to_owned();
        all[i].exclusion = Some(Exclusion::Faulty(reason));
    }
}

fn write(
    options: &PrepareOptions,
    clone: &Repository,
    items: &Items,
    all: &[Examinee],
) -> Result<Prepared, Diagnostic> {
    let included: Vec<&Examinee> = all.iter().filter(|one| one.exclusion.is_none()).collect();
    let ids: Names = included.iter().map(|one| &*one.submission.id).collect();
    let responses = responses(items, &included);
    let texts = [
        (options.split.file("respuestas"), matrix::to_csv("envio", &ids, &items.names, &responses)),
        (options.split.file("envios"), frame(all, items.names.len()).to_csv()),
    ];
    let digests =
        texts.iter().map(|(name, text)| (name.clone(), digest::of_bytes(text.as_bytes())));
    let count = |is: fn(&Exclusion) -> bool| {
        all.iter().filter(|one| one.exclusion.as_ref().is_some_and(is)).count()
    };
    let reason = |one: &Examinee| {
        Some((one.submission.id.clone(), one.exclusion.as_ref()?.reason().to_owned()))
    };
    let version = |one: &Examinee| {
        Some((one.submission.id.clone(), one.submission.metadata.mini_version.clone()?))
    };
    let prepared = Prepared {
        n_folders: all.len(),
        n_included: included.len(),
        n_items: items.names.len(),
        n_without_data: count(|exclusion| *exclusion == Exclusion::NoData),
        n_inconsistent: count(|exclusion| matches!(exclusion, Exclusion::Inconsistent(_))),
        excluded: all.iter().filter_map(reason).collect(),
        near: near(options, &ids, &responses),
        mini_versions: all.iter().filter_map(version).collect(),
        commit: clone.commit(),
        files: digests.collect(),
    };
    let provenance = provenance_of(&prepared, options, clone, all)?.to_yaml()?;
    let mut paths: Vec<(PathBuf, &str)> =
        texts.iter().map(|(name, text)| (options.destination.join(name), &**text)).collect();
    paths.push((options.destination.join(provenance::FILE_NAME), &provenance));
    let files: Vec<_> = paths.iter().map(|(p, text)| (p.as_path(), text.as_bytes())).collect();
    storage::replace(&files)?;
    Ok(prepared)
}

fn responses(items: &Items, included: &[&Examinee]) -> Responses {
    let mut matrix = Responses::from_fn(included.len(), items.names.len(), |_, _| Some(false));
    for (i, examinee) in included.iter().enumerate() {
        let solved = examinee.answers.iter().flat_map(|answers| &answers.solved);
        for j in solved.filter_map(|&number| items.columns[number as usize]) {
            matrix.set(i, j, Some(true));
        }
    }
    matrix
}

fn near(options: &PrepareOptions, ids: &Names, responses: &Responses) -> Vec<NearPair> {
    let totals = responses.totals();
    let pairs = hamming_pairs(responses, options.near).into_iter().map(|pair| NearPair {
        ids: [pair.a, pair.b].map(|i| ids[i].to_owned()),
        distance: pair.distance,
        totals: [pair.a, pair.b].map(|i| totals[i]),
    });
    pairs.collect()
}

/// One row per folder, included or not.
fn frame(all: &[Examinee], n_items: usize) -> Frame {
    let of = |cell: &dyn Fn(&Examinee) -> Cell| all.iter().map(cell).collect::<Vec<_>>();
    let said = |cell: &dyn Fn(&Submission) -> Cell| of(&|one| cell(&one.submission));
    let list = |texts: &[String]| {
        let text = texts.join("; ");
        Cell::from((!text.is_empty()).then_some(&*text))
    };
    Frame::new(all.len())
        .with("envio", said(&|one| Cell::from(&*one.id)))
        .with("nombre", said(&|one| Cell::from(one.name())))
        .with("fecha", said(&|one| Cell::from(one.date)))
        .with("agente", said(&|one| Cell::from(&*one.agent().name)))
        .with("mini_swe_agent", said(&|one| flag(one.agent().is_mini)))
        .with("modelos", said(&|one| list(&one.metadata.models)))
        .with("organizaciones", said(&|one| list(&one.metadata.organisations)))
        .with("intentos", said(&|one| Cell::from(one.metadata.attempts.text())))
        .with("pct_declarado", said(&|one| Cell::from(one.metadata.declared)))
        .with("total", of(&|one| Cell::from(one.total)))
        .with(
            "n_sin_parche",
            of(&|one| Cell::from(one.answers.as_ref().and_then(|a| a.n_without_patch(n_items)))),
        )
        .with("fuente", of(&|one| Cell::from(one.answers.as_ref().map(|a| a.format.text()))))
        .with("incluido", of(&|one| flag(one.exclusion.is_none())))
        .with(
            "motivo_exclusion",
            of(&|one| Cell::from(one.exclusion.as_ref().map(Exclusion::reason))),
        )
}

fn provenance_of(
    prepared: &Prepared,
    options: &PrepareOptions,
    clone: &Repository,
    all: &[Examinee],
) -> Result<Provenance, Diagnostic> {
    let dates = all.iter().filter(|one| one.exclusion.is_none()).map(|one| one.submission.date);
    let date = dates.max().flatten().ok_or_else(|| {
        Diagnostic::new(code::PROVENANCE, &*options.clone, "ningún envío dice su fecha")
    })?;
    let origin = clone.origin().map(|url| format!(" ({url})")).unwrap_or_default();
    let count = |name: &str, n: usize| (name.to_owned(), n as u64);
    let faulty = prepared.excluded.len() - prepared.n_without_data - prepared.n_inconsistent;
    Ok(Provenance {
        kind: Kind::Real,
        origin: format!(
            "SWE-bench/experiments{origin}: resultados públicos por envío, partición {}",
            options.split.name()
        ),
        commit: prepared.commit.clone(),
        date,
        tool: Some(concat!("escritura datos preparar ", env!("CARGO_PKG_VERSION")).into()),
        seed: None,
        note: None,
        counts: BTreeMap::from([
            count("carpetas", prepared.n_folders),
            count("incluidos", prepared.n_included),
            count("sin_datos", prepared.n_without_data),
            count("inconsistentes", prepared.n_inconsistent),
            count("defectuosos", faulty),
            count("reactivos", prepared.n_items),
            count("pares_casi_iguales", prepared.near.len()),
        ]),
        files: files_with_environment(prepared, options)?,
    })
}

/// The files written, and the environment file that the folder already had.
fn files_with_environment(
    prepared: &Prepared,
    options: &PrepareOptions,
) -> Result<BTreeMap<String, String>, Diagnostic> {
    let mut files = prepared.files.clone();
    let name = options.split.file("entorno");
    let path = options.destination.join(&name);
    if path.is_file() {
        files.insert(name, digest::of_file(&path)?);
    }
    Ok(files)
}

fn flag(value: bool) -> Cell {
    Cell::Integer(i64::from(value))
}
