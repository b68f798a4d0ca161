//! From the chapters' files to documents: reads, plans, computes, resolves.

use super::chapter::Chapter;
use super::document::{DataFile, DataNotice, Document, Download};
use super::format::NumberStyle;
use super::lint;
use super::resolve::{Evaluation, Labels, Placed, place};
use super::text::Context;
use super::values::{self, ChapterValues};
use crate::data::Cache;
use crate::data::provenance::{self, Kind, Provenance};
use crate::diagnostics::{Diagnostic, Diagnostics, code, did_you_mean};
use crate::study::graph::Node;
use crate::study::input::StudyData;
use crate::study::options::DataOptions;
use crate::study::{Computed, Sources, Study};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// What the book says of numbers and data.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Folder of the book: messages name files relative to it.
    pub root: PathBuf,
    /// How numbers are written.
    pub style: NumberStyle,
    /// A data folder that takes the place of the chapters' own, where it holds
    /// the files that they name.
    pub data: Option<PathBuf>,
    /// Where results are kept from one run to the next.
    pub cache: Cache,
}

/// A chapter with its data, before anything is computed.
#[derive(Debug)]
pub struct Opened {
    /// The chapter.
    pub chapter: Chapter,
    /// Its study, which other chapters may share; `None` when it reads no data or
    /// they could not be read.
    pub study: Option<Arc<Study>>,
    notice: Option<DataNotice>,
    /// Whether its front matter, its declarations or its data could not be read.
    failed: bool,
}

/// The chapters of a book.
#[derive(Debug, Default)]
pub struct Chapters {
    /// Those that could be read, in order.
    pub read: Vec<Opened>,
    /// Whether all of them could.
    pub complete: bool,
}

/// Reads the chapters (slug and file) and their data. What is no file has been
/// reported where it is listed.
pub fn open(
    files: impl IntoIterator<Item = (String, PathBuf)>,
    settings: &Settings,
    found: &mut Diagnostics,
) -> Chapters {
    let mut chapters = Chapters { read: vec![], complete: true };
    for (slug, path) in files {
        let exists = path.is_file();
        match exists.then(|| Chapter::read(&settings.root, &slug, &path, found)).flatten() {
            Some(chapter) => chapters.read.push(open_chapter(chapter, settings, found)),
            None => chapters.complete = false,
        }
    }
    for at in 0..chapters.read.len() {
        share_study(at, &mut chapters, found);
    }
    if let Some(folder) = &settings.data {
        check_override(folder, &chapters.read, settings, found);
    }
    chapters
}

/// Gives a chapter that says `estudio: otro` the study of that other chapter.
fn share_study(at: usize, chapters: &mut Chapters, found: &mut Diagnostics) {
    let one = &chapters.read[at];
    let Some(name) = &one.chapter.front.estudio else { return };
    let reads_data = |one: &&Opened| one.chapter.front.datos.is_some();
    let owner = chapters.read.iter().filter(reads_data).find(|o| o.chapter.slug == name.value);
    // One that could not be read was reported, and may be the one meant.
    let fault = match study_fault(&one.chapter) {
        None if owner.is_none() && chapters.complete => {
            let owners = chapters.read.iter().filter(reads_data);
            let slugs: Vec<&str> = owners.map(|one| one.chapter.slug.as_str()).collect();
            let message = format!("ningún capítulo «{}» lee datos", name.value);
            let place = name.place(&one.chapter.source);
            let hint = did_you_mean(name, slugs);
            Some(Diagnostic::new(code::UNKNOWN_LABEL, place, message).hint(hint))
        }
        fault => fault,
    };
    let owner = owner.filter(|_| fault.is_none());
    let failed = one.failed || owner.is_none_or(|owner| owner.failed);
    let (study, notice) =
        owner.map(|owner| (owner.study.clone(), owner.notice.clone())).unwrap_or_default();
    found.extend(fault);
    let one = &mut chapters.read[at];
    (one.study, one.notice, one.failed) = (study, notice, failed);
}

/// What a chapter that uses another's study declares besides and cannot.
fn study_fault(chapter: &Chapter) -> Option<Diagnostic> {
    let name = chapter.front.estudio.as_ref()?;
    let fault = |message: &str, hint: String| {
        let place = name.place(&chapter.source);
        Some(Diagnostic::new(code::YAML, place, message).hint(Some(hint)))
    };
    if chapter.front.datos.is_some() || !chapter.front.analisis.range.is_empty() {
        let message = "«estudio» toma los datos y el análisis de otro capítulo";
        return fault(message, "quite «datos» y «analisis», o quite «estudio»".to_owned());
    }
    if chapter.declarations_source.is_some() {
        let message = "un capítulo con «estudio» no tiene valores.yaml propio";
        return fault(message, format!("declare los valores en {}/valores.yaml", name.value));
    }
    None
}

fn open_chapter(chapter: Chapter, settings: &Settings, found: &mut Diagnostics) -> Opened {
    let failed = !chapter.is_whole;
    let Some(options) = chapter.front.datos.clone() else {
        return Opened { chapter, study: None, notice: None, failed };
    };
    if let Some(fault) = outside(&chapter, &options) {
        found.push(fault);
        return Opened { chapter, study: None, notice: None, failed: true };
    }
    let folder = data_folder(&chapter, &options, settings);
    let shown = folder.strip_prefix(&settings.root).unwrap_or(&folder).to_path_buf();
    let provenance = if folder.is_dir() { provenance::verify(&folder, found) } else { None };
    let Some(data) = found.check_all(StudyData::load(&folder, &options, &chapter.source)) else {
        return Opened { chapter, study: None, notice: None, failed: true };
    };
    let notice = notice(&data, provenance.as_ref(), &shown);
    let study = Study::new(
        data,
        chapter.front.analisis.value.clone(),
        chapter.declarations.clone(),
        Sources {
            options: Some(chapter.source.clone()),
            declarations: chapter.declarations_source.clone(),
        },
        settings.cache.clone(),
    );
    Opened { chapter, study: Some(Arc::new(study)), notice: Some(notice), failed }
}

/// A data folder that leaves the folder of the chapters.
fn outside(chapter: &Chapter, options: &DataOptions) -> Option<Diagnostic> {
    let folder = options.carpeta.as_ref()?;
    // `uno/dos/index.md` stands two folders deep; `uno.md` in none, though its slug
    // has a part.
    let parts = Path::new(&chapter.slug).components().count();
    let own = chapter.folder.file_name() == Path::new(&chapter.slug).file_name();
    let depth = if own { parts } else { parts.saturating_sub(1) };
    let depth = Path::new(&folder.value).components().try_fold(depth, |depth, part| match part {
        Component::Normal(_) => Some(depth + 1),
        Component::CurDir => Some(depth),
        Component::ParentDir => depth.checked_sub(1),
        Component::RootDir | Component::Prefix(_) => None,
    });
    let message = "la carpeta de datos está fuera de la de los capítulos";
    let hint = "para usar los datos de otro capítulo: estudio: su-carpeta";
    let fault = || Diagnostic::new(code::FILE, folder.place(&chapter.source), message);
    depth.is_none().then(|| fault().hint(Some(hint.to_owned())))
}

/// The folder of a chapter's data: the one given for the whole book if it has the
/// chapter's matrix, its own otherwise.
fn data_folder(chapter: &Chapter, options: &DataOptions, settings: &Settings) -> PathBuf {
    let matrix = options.respuestas.describe().archivo;
    match &settings.data {
        Some(folder) if folder.join(&matrix).is_file() => folder.clone(),
        _ => {
            let own = options.carpeta.as_ref().map_or("datos", |folder| folder.value.as_str());
            chapter.folder.join(own)
        }
    }
}

/// A data folder that no chapter reads from is a slip.
fn check_override(folder: &Path, opened: &[Opened], settings: &Settings, found: &mut Diagnostics) {
    let uses = |one: &Opened| {
        let options = one.chapter.front.datos.as_ref();
        options.is_some_and(|o| data_folder(&one.chapter, o, settings) == folder)
    };
    if !opened.iter().any(uses) {
        let names: Vec<String> = opened
            .iter()
            .filter_map(|one| Some(one.chapter.front.datos.as_ref()?.respuestas.describe().archivo))
            .collect();
        let message = "ningún capítulo encuentra sus datos en esta carpeta";
        found.push(
            Diagnostic::new(code::FILE, folder, message)
                .note(format!("los capítulos leen: {}", names.join(", "))),
        );
    }
}

fn notice(data: &StudyData, provenance: Option<&Provenance>, folder: &Path) -> DataNotice {
    let file = |file: &crate::study::input::FileRead| DataFile {
        name: file.name.clone(),
        sha256: file.sha256.clone(),
        rows: file.rows,
        columns: file.columns,
    };
    DataNotice {
        simulated: provenance.is_some_and(|p| p.kind == Kind::Simulado),
        origin: provenance
            .map(|p| p.origin.clone())
            .or_else(|| Some(folder.to_string_lossy().into_owned())),
        date: provenance.map(|p| p.date),
        commit: provenance.and_then(|p| p.commit.clone()),
        examinees: data.responses.n_examinees(),
        items: data.responses.n_items(),
        files: data.files.iter().map(file).collect(),
    }
}

/// Plans, computes and resolves every chapter that could be opened whole.
pub fn resolve(
    chapters: &Chapters,
    settings: &Settings,
    progress: &(dyn Fn(Node) + Sync),
    found: &mut Diagnostics,
) -> Vec<Document> {
    let opened = &chapters.read;
    let planned = compute(opened, progress, found);
    let placed = found.in_parallel(opened.par_iter().enumerate(), |(at, one), found| {
        let evaluation = evaluation(at, one, &planned, &settings.style);
        place(&one.chapter, evaluation, &settings.cache, found)
    });
    // Faults in titles are reported with the document.
    let labels = opened.iter().zip(&placed).map(|(one, placed)| {
        let title = placed.title(&mut Diagnostics::new());
        (one.chapter.slug.clone(), (title, placed.labels.clone()))
    });
    let labels = Labels { chapters: labels.collect(), complete: chapters.complete };
    let documents = found.in_parallel(opened.par_iter().zip(&placed), |(one, placed), found| {
        write(one, placed, &labels, found)
    });
    documents.into_iter().flatten().collect()
}

/// The document of a chapter, with the file of its values.
fn write(
    one: &Opened,
    placed: &Placed,
    labels: &Labels,
    found: &mut Diagnostics,
) -> Option<Document> {
    let data = one.notice.iter().cloned().collect();
    let mut document = placed.document(labels, data, found)?;
    let context = placed.evaluation().context();
    lint::check(&one.chapter, placed, &document, context, found);
    if let Some(context) = context {
        let bytes = ChapterValues::of(&document, context).to_bytes();
        document.downloads.push(Download { path: values::FILE_NAME.into(), bytes });
    }
    Some(document)
}

/// The results of every study, and what each chapter's plan found faulty.
struct Planned {
    studies: Vec<(Arc<Study>, Computed)>,
    /// For each chapter, the expressions reported while planning.
    faulty: Vec<BTreeSet<String>>,
}

fn evaluation<'a>(
    at: usize,
    one: &'a Opened,
    planned: &'a Planned,
    style: &'a NumberStyle,
) -> Evaluation<'a> {
    if one.failed {
        return Evaluation::Impossible;
    }
    let Some(study) = &one.study else { return Evaluation::WithoutData };
    match planned.studies.iter().find(|(other, _)| Arc::ptr_eq(other, study)) {
        Some((_, computed)) => {
            Evaluation::Over(Context { study, computed, style, faulty: &planned.faulty[at] })
        }
        None => Evaluation::WithoutData,
    }
}

/// Plans every study with all the chapters that share it, and computes it once.
fn compute(
    opened: &[Opened],
    progress: &(dyn Fn(Node) + Sync),
    found: &mut Diagnostics,
) -> Planned {
    let mut planned = Planned { studies: vec![], faulty: vec![BTreeSet::new(); opened.len()] };
    let whole = |one: &Opened| one.study.clone().filter(|_| !one.failed);
    for study in opened.iter().filter_map(whole) {
        if planned.studies.iter().any(|(other, _)| Arc::ptr_eq(other, &study)) {
            continue;
        }
        let mut plan = study.plan();
        for (one, faulty) in opened.iter().zip(&mut planned.faulty) {
            if whole(one).is_some_and(|own| Arc::ptr_eq(&own, &study)) {
                *faulty = one.chapter.plan(&mut plan, found);
            }
        }
        let (computed, faults) = study.compute(&plan, progress);
        found.extend(faults);
        drop(plan);
        planned.studies.push((study, computed));
    }
    planned
}
