//! The demonstration data: three CSV files and their provenance.

use super::items::{ENVIRONMENT_ITEMS, Item, Needs, REPOSITORIES, items};
use super::random::Random;
use super::submissions::{Exclusion, Family, Submission, submissions};
use crate::data::provenance::{self, Kind, Provenance};
use crate::data::{Cell, Frame, digest, storage};
use crate::diagnostics::Diagnostic;
use std::collections::BTreeMap;
use std::path::Path;

/// Names of the files: those of the real data, so that one chapter reads both.
const RESPONSES: &str = "respuestas_swebench_verified.csv";
const SUBMISSIONS: &str = "envios_swebench_verified.csv";
const ENVIRONMENT: &str = "entorno_swebench_verified.csv";

/// SD of what each submission has of its own in each repository.
const REPOSITORY_SD: f64 = 0.25;
/// Probability that an item fails when the service that it calls does.
const SERVICE_FAILURE: f64 = 0.85;
/// Probability that a failed item has no patch, losses apart.
const NO_PATCH: f64 = 0.03;
/// Items that change when a run is submitted twice.
const REPEAT_FLIPS: usize = 6;

/// What was written.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// The seed.
    pub seed: u64,
    /// Submissions with results by item.
    pub n_included: usize,
    /// Folders left out.
    pub n_excluded: usize,
    /// Items.
    pub n_items: usize,
    /// The items whose result depends on the machine.
    pub environment_items: [&'static str; 6],
    /// SHA-256 of each file, by name.
    pub files: BTreeMap<String, String>,
}

/// A submission and what it got.
struct Run {
    submission: Submission,
    /// Whether each item was solved.
    solved: Vec<bool>,
    /// Items without patch.
    without_patch: usize,
    /// Whether the patch of the item that the environment file follows was good,
    /// whatever the machine made of it.
    good_patch: bool,
}

/// Writes the demonstration data into a folder: responses, submissions,
/// environment and `procedencia.yaml`. Files of those names are replaced.
///
/// # Errors
/// The folder cannot be made or written.
pub fn write_demonstration(seed: u64, folder: &Path) -> Result<Summary, Diagnostic> {
    provenance::refuse_over_real(folder)?;
    let items = items(&mut Random::new(seed, 1));
    let runs = run_all(seed, &items);
    let texts = [
        (RESPONSES, responses(&items, &runs)),
        (SUBMISSIONS, metadata(&runs).to_csv()),
        (ENVIRONMENT, environment(&items, &runs).to_csv()),
    ];
    let digests =
        texts.iter().map(|(name, text)| ((*name).to_owned(), digest::of_bytes(text.as_bytes())));
    let included = runs.iter().filter(|run| run.submission.exclusion.is_none()).count();
    let summary = Summary {
        seed,
        n_included: included,
        n_excluded: runs.len() - included,
        n_items: items.len(),
        environment_items: ENVIRONMENT_ITEMS,
        files: digests.collect(),
    };
    let provenance = provenance_of(&summary, &runs).to_yaml()?;
    let mut paths: Vec<_> = texts.iter().map(|(name, text)| (folder.join(name), text)).collect();
    paths.push((folder.join(provenance::FILE_NAME), &provenance));
    let files: Vec<_> = paths.iter().map(|(p, text)| (p.as_path(), text.as_bytes())).collect();
    storage::replace(&files)?;
    Ok(summary)
}

fn provenance_of(summary: &Summary, runs: &[Run]) -> Provenance {
    let last = runs.iter().map(|run| run.submission.date).max().unwrap_or_default();
    let count = |name: &str, n: usize| (name.to_owned(), n as u64);
    Provenance {
        kind: Kind::Simulado,
        origin: "respuestas de un modelo logístico de dos parámetros; nadie las dio".into(),
        commit: None,
        date: last,
        // The version of the generating model, not of the program: it changes the bytes.
        tool: Some("escritura datos simular, modelo 1".into()),
        seed: Some(summary.seed),
        note: Some(format!(
            "reactivos que dependen de la máquina: {}",
            summary.environment_items.join(", ")
        )),
        counts: BTreeMap::from([
            count("incluidos", summary.n_included),
            count("excluidos", summary.n_excluded),
            count("reactivos", summary.n_items),
        ]),
        files: summary.files.clone(),
    }
}

fn run_all(seed: u64, items: &[Item]) -> Vec<Run> {
    let mut random = Random::new(seed, 3);
    let mut runs: Vec<Run> = vec![];
    for submission in submissions(&mut Random::new(seed, 2)) {
        let repeated = runs.last().filter(|_| submission.repeats).map(|run| run.solved.clone());
        let mut run = run(submission, items, &mut random);
        if let Some(mut solved) = repeated {
            // Only what was solved may fail now: impossible items stay unsolved.
            let candidates: Vec<usize> = (0..items.len())
                .filter(|&j| solved[j] && items[j].needs == Needs::Nothing)
                .collect();
            for &pick in random.order(candidates.len()).iter().take(REPEAT_FLIPS) {
                solved[candidates[pick]] = false;
            }
            run.solved = solved;
        }
        runs.push(run);
    }
    runs
}

fn run(submission: Submission, items: &[Item], random: &mut Random) -> Run {
    let own: Vec<f64> = REPOSITORIES.iter().map(|_| random.normal(0.0, REPOSITORY_SD)).collect();
    let (mut solved, mut without_patch, mut good_patch) = (vec![], 0, false);
    for item in items {
        let ability = submission.ability + own[item.repository];
        let good = random.chance(item.probability(ability));
        let lost = random.chance(submission.loss);
        let served = !submission.machine.service_fails || !random.chance(SERVICE_FAILURE);
        let empty = random.chance(NO_PATCH);
        let runs = match item.needs {
            Needs::Nothing => true,
            Needs::TwoCores => submission.machine.two_cores,
            Needs::Service => served,
        };
        if item.name == ENVIRONMENT_ITEMS[0] {
            good_patch = good && !lost;
        }
        without_patch += usize::from(lost || (!good && empty));
        solved.push(good && !lost && runs);
    }
    Run { submission, solved, without_patch, good_patch }
}

impl Run {
    fn included(&self) -> bool {
        self.submission.exclusion.is_none()
    }

    fn total(&self) -> usize {
        self.solved.iter().filter(|&&solved| solved).count()
    }

    /// Percentage solved, with one decimal.
    fn percentage(&self) -> f64 {
        one_decimal(100.0 * self.total() as f64 / self.solved.len() as f64)
    }

    /// What the folder itself declares: the item count, unless most of it was lost.
    fn declared(&self) -> f64 {
        let apart =
            if self.submission.exclusion == Some(Exclusion::Inconsistent) { 42.6 } else { 0.0 };
        one_decimal(self.percentage() + apart)
    }

    fn reason(&self) -> Option<String> {
        Some(match self.submission.exclusion? {
            Exclusion::NoItemData => "sin datos por ítem".into(),
            Exclusion::Inconsistent => format!(
                "inconsistente: {:.1}% por ítem vs {:.1}% declarado",
                self.percentage(),
                self.declared()
            ),
        })
    }
}

fn one_decimal(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

fn responses(items: &[Item], runs: &[Run]) -> String {
    let mut text = String::from("envio");
    for item in items {
        text.push(',');
        text += &item.name;
    }
    text.push('\n');
    for run in runs.iter().filter(|run| run.included()) {
        text += &run.submission.id;
        run.solved.iter().for_each(|&solved| text += if solved { ",1" } else { ",0" });
        text.push('\n');
    }
    text
}

fn metadata(runs: &[Run]) -> Frame {
    let of = |cell: fn(&Run) -> Cell| runs.iter().map(cell).collect::<Vec<_>>();
    let has_data = |run: &Run| run.submission.exclusion != Some(Exclusion::NoItemData);
    let when_data = |cell: fn(&Run) -> Cell| {
        runs.iter()
            .map(|run| if has_data(run) { cell(run) } else { Cell::Missing })
            .collect::<Vec<_>>()
    };
    Frame::new(runs.len())
        .with("envio", of(|run| Cell::from(&*run.submission.id)))
        .with("nombre", of(|run| Cell::from(&*run.submission.name)))
        .with("fecha", of(|run| Cell::from(run.submission.date)))
        .with("agente", of(|run| Cell::from(&*run.submission.agent)))
        .with("mini_swe_agent", of(|run| flag(run.submission.family == Family::Mini)))
        .with("modelos", of(|run| Cell::from(&*run.submission.model)))
        .with("organizaciones", of(|run| Cell::from(&*run.submission.organisation)))
        .with("intentos", of(|run| Cell::from(run.submission.attempts)))
        .with("pct_declarado", of(|run| Cell::from(run.declared())))
        .with("total", when_data(|run| Cell::from(run.total())))
        .with("n_sin_parche", when_data(|run| Cell::from(run.without_patch)))
        .with("fuente", when_data(|run| Cell::from(source(run))))
        .with("incluido", of(|run| flag(run.included())))
        .with("motivo_exclusion", of(|run| run.reason().as_deref().map(Cell::from).into()))
}

fn source(run: &Run) -> &'static str {
    if run.submission.family == Family::Mini { "per_instance_details" } else { "results" }
}

/// The machines of the included submissions, as their logs tell.
fn environment(items: &[Item], runs: &[Run]) -> Frame {
    let followed = items.iter().position(|item| item.name == ENVIRONMENT_ITEMS[0]).unwrap_or(0);
    let runs: Vec<&Run> = runs.iter().filter(|run| run.included()).collect();
    let of = |cell: &dyn Fn(&Run) -> Cell| runs.iter().map(|run| cell(run)).collect::<Vec<_>>();
    let logged = |cell: fn(&Run) -> Cell| {
        of(&|run| if run.submission.machine.logs { cell(run) } else { Cell::Missing })
    };
    Frame::new(runs.len())
        .with("envio", of(&|run| Cell::from(&*run.submission.id)))
        .with("mini_swe_agent", of(&|run| flag(run.submission.family == Family::Mini)))
        .with("pylint7277_f2p_ok", of(&|run| flag(run.good_patch)))
        .with("pylint7277_resuelto", of(&|run| flag(run.solved[followed])))
        .with(
            "pylint7277_nucleos",
            logged(|run| Cell::from(if run.submission.machine.two_cores { "2+" } else { "1" })),
        )
        .with("httpbin_5xx", logged(|run| flag(run.submission.machine.service_fails)))
        .with("menos_2_cpu", logged(|run| flag(!run.submission.machine.two_cores)))
}

fn flag(value: bool) -> Cell {
    Cell::Integer(i64::from(value))
}
