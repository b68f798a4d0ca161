//! The typed results of the nodes, and how each is computed from the core.

use super::further::{dif, estimates, nulls, precision, resampled, sensitivity, short_form};
use super::graph::Node;
use super::input::StudyData;
use super::options::AnalysisOptions;
use super::reasons::{irt_reason, reason};
use crate::data::{Names, Responses};
use crate::psychometrics::Undefined;
use crate::psychometrics::association::{self, Smoothed, Tetrachoric};
use crate::psychometrics::classical::{self, Classical};
use crate::psychometrics::comparison::{self, Comparison};
use crate::psychometrics::dependence::{GroupMeans, Q3};
use crate::psychometrics::dif::{FlagCounts, Group};
use crate::psychometrics::dimensionality::{self, Horseshoe, Null, ParallelAnalysis, PhiSpectrum};
use crate::psychometrics::fit::{self, FitReport, Predictions, SX2, VarianceFloor};
use crate::psychometrics::irt::information::{self, Peak};
use crate::psychometrics::irt::scoring::{self, Score};
use crate::psychometrics::irt::{self, FitOptions, Grid, IrtFit, LogNormal, Model, StandardErrors};
use crate::psychometrics::resampling::{Resampled, Scheme};
use crate::psychometrics::stats::{self, Pair};
use std::sync::OnceLock;

/// A node's result, or why there is none, in Spanish.
pub type Outcome<T> = Result<T, String>;

/// How many leading eigenvalues are kept.
pub const POSITIONS: usize = 10;
/// Examinees beyond which comparing all pairs is refused.
const MOST_FOR_ALL_PAIRS: usize = 20_000;
/// Pairs listed with the largest Q3.
const LARGEST_PAIRS: usize = 20;

/// Groups declared for a study, resolved to positions.
#[derive(Debug, Clone, Default)]
pub struct Groups {
    /// Examinees outside the base group, or why there are none; `None` when no base
    /// group is declared.
    pub without_base: Option<Outcome<Vec<usize>>>,
    /// Blocks of items: their names, and the block of each item.
    pub blocks: Option<(Vec<String>, Vec<usize>)>,
    /// Group of each examinee for differential functioning; `None` when no focal
    /// group is declared.
    pub dif: Option<Vec<Option<Group>>>,
    /// Doubtful items, that a sensitivity analysis leaves out; `None` when none are
    /// declared.
    pub doubtful: Option<Vec<usize>>,
}

/// One cell per node: filled once, by the graph.
#[derive(Debug, Default)]
pub struct Results {
    pub(super) near: OnceLock<Outcome<NearDuplicatesFound>>,
    pub(super) classical: OnceLock<Classical>,
    pub(super) frontier: OnceLock<Outcome<Frontier>>,
    pub(super) tetrachoric: OnceLock<Outcome<(Tetrachoric, Smoothed)>>,
    pub(super) phi: OnceLock<PhiResult>,
    pub(super) parallel: OnceLock<Outcome<Null>>,
    pub(super) without_base: OnceLock<Outcome<PhiSpectrum>>,
    pub(super) rasch: OnceLock<Outcome<IrtFit>>,
    pub(super) one_pl: OnceLock<Outcome<IrtFit>>,
    pub(super) two_pl: OnceLock<Outcome<IrtFit>>,
    pub(super) rasch_errors: OnceLock<Outcome<StandardErrors>>,
    pub(super) two_pl_prior_errors: OnceLock<Outcome<StandardErrors>>,
    pub(super) other_scores: OnceLock<Outcome<estimates::OtherScores>>,
    pub(super) grouped_fit: OnceLock<Outcome<Vec<Option<SX2>>>>,
    pub(super) two_pl_prior: OnceLock<Outcome<IrtFit>>,
    pub(super) comparison: OnceLock<Outcome<Comparison>>,
    pub(super) rasch_scores: OnceLock<Outcome<Vec<Option<Score>>>>,
    pub(super) two_pl_prior_scores: OnceLock<Outcome<Vec<Option<Score>>>>,
    pub(super) information: OnceLock<Outcome<Information>>,
    pub(super) fit: OnceLock<Outcome<(FitReport, FitReport)>>,
    pub(super) flags: OnceLock<Vec<Option<usize>>>,
    pub(super) dependence: OnceLock<Outcome<Dependence>>,
    pub(super) precision: OnceLock<precision::Precision>,
    pub(super) claims: OnceLock<Outcome<precision::Claims>>,
    pub(super) block_errors: OnceLock<Outcome<Vec<Result<f64, Undefined>>>>,
    pub(super) dif: OnceLock<Outcome<dif::Found>>,
    pub(super) dif_null: OnceLock<Outcome<Vec<FlagCounts>>>,
    pub(super) bootstrap: OnceLock<Resampled>,
    pub(super) shuffle: OnceLock<Resampled>,
    pub(super) model_nulls: OnceLock<nulls::ModelNulls>,
    pub(super) cuts: OnceLock<Outcome<nulls::Cuts>>,
    pub(super) short_form: OnceLock<short_form::Forms>,
    pub(super) sensitivity: OnceLock<sensitivity::Variants>,
}

/// Nearly equal response vectors.
#[derive(Debug, Clone)]
pub struct NearDuplicatesFound {
    /// Pairs up to the declared distance.
    pub pairs: Vec<Pair>,
    /// Smallest distance among those with enough right answers.
    pub closest: Option<u32>,
}

/// Eigenvalues of the phi matrix and what its second component is.
#[derive(Debug, Clone)]
pub struct PhiResult {
    /// Eigenvalues.
    pub spectrum: Outcome<PhiSpectrum>,
    /// Horseshoe check.
    pub horseshoe: Outcome<Horseshoe>,
}

/// The highest scorers and the items they differ on.
#[derive(Debug, Clone)]
pub struct Frontier {
    /// Their positions, highest first.
    pub examinees: Vec<usize>,
    /// Lowest and highest total among them.
    pub range: (u32, u32),
    /// Items that all of them solve, that none solves, and the rest.
    pub items: (usize, usize, usize),
}

/// Test information of the Rasch model.
#[derive(Debug, Clone)]
pub struct Information {
    /// Where it is largest.
    pub peak: Peak,
    /// The highest examinee: theta and information there.
    pub top: (f64, f64),
    /// Items more difficult than the highest examinee is able.
    pub n_above: usize,
}

/// Local dependence.
#[derive(Debug, Clone)]
pub struct Dependence {
    /// Mean over all pairs.
    pub mean: Option<f64>,
    /// Share of the pairs beyond the customary cut.
    pub share_above: Option<f64>,
    /// Largest value.
    pub maximum: Option<f64>,
    /// Items in the analysis.
    pub k: usize,
    /// Means by declared block.
    pub groups: Option<GroupMeans>,
    /// Mean over the pairs of doubtful items of the same block.
    pub doubtful: Option<f64>,
    /// The pairs with the largest values, as positions in the matrix.
    pub largest: Vec<(usize, usize, f64)>,
}

/// What the nodes compute from.
#[derive(Clone, Copy)]
pub struct Inputs<'a> {
    /// The data.
    pub data: &'a StudyData,
    /// The options.
    pub options: &'a AnalysisOptions,
    /// The declared groups.
    pub groups: &'a Groups,
}

fn missing() -> ! {
    unreachable!("the graph computes what a node needs before the node")
}

impl Results {
    /// Computes one node; those it depends on have been computed.
    pub fn compute(&self, node: Node, inputs: &Inputs) {
        let responses = &inputs.data.responses;
        match node {
            Node::Data | Node::Scores => {}
            Node::NearDuplicates => set(&self.near, near_duplicates(inputs)),
            Node::Classical => set(&self.classical, classical::analyse(responses)),
            Node::Frontier => set(&self.frontier, frontier(inputs)),
            Node::Tetrachoric => set(&self.tetrachoric, tetrachoric(responses)),
            Node::Phi => set(&self.phi, phi(responses)),
            Node::Parallel => set(&self.parallel, parallel(inputs)),
            Node::WithoutBase => set(&self.without_base, without_base(inputs)),
            Node::Rasch => set(&self.rasch, fit_model(inputs, Model::Rasch)),
            Node::OnePl => set(&self.one_pl, fit_model(inputs, Model::OneParameter)),
            Node::StandardErrors => {
                let errors = |fit| estimates::errors(inputs, done(fit));
                set(&self.rasch_errors, errors(&self.rasch));
                set(&self.two_pl_prior_errors, errors(&self.two_pl_prior));
            }
            Node::OtherScores => {
                set(&self.other_scores, estimates::scores(inputs, done(&self.rasch)));
            }
            Node::GroupedFit => {
                set(&self.grouped_fit, estimates::grouped_fit(inputs, done(&self.rasch)));
            }
            Node::TwoPl => set(&self.two_pl, fit_model(inputs, Model::TwoParameter)),
            Node::TwoPlPrior => set(&self.two_pl_prior, fit_model(inputs, prior_model(inputs))),
            Node::Comparison => set(&self.comparison, self.compare()),
            Node::RaschScores => set(&self.rasch_scores, scores(inputs, done(&self.rasch))),
            Node::TwoPlPriorScores => {
                set(&self.two_pl_prior_scores, scores(inputs, done(&self.two_pl_prior)));
            }
            Node::Information => set(&self.information, self.information()),
            Node::Fit => set(&self.fit, self.fit(inputs)),
            Node::Flags => set(&self.flags, self.flags(responses.n_items())),
            Node::Dependence => set(&self.dependence, self.dependence(inputs)),
            Node::Precision => set(&self.precision, precision::compute(self, inputs)),
            Node::Claims => set(&self.claims, precision::claims(self, inputs)),
            Node::BlockErrors => set(&self.block_errors, precision::block_errors(inputs)),
            Node::Dif => set(&self.dif, dif::compute(inputs)),
            Node::DifNull => set(&self.dif_null, dif::null(inputs)),
            Node::Bootstrap => {
                set(&self.bootstrap, resampled::compute(inputs, Scheme::Bootstrap));
            }
            Node::Shuffle => set(&self.shuffle, resampled::compute(inputs, Scheme::Shuffle)),
            Node::ModelNull => set(&self.model_nulls, nulls::model_nulls(self, inputs)),
            Node::SimulatedCuts => set(&self.cuts, nulls::cuts(self, inputs)),
            Node::ShortForm => set(&self.short_form, short_form::compute(inputs)),
            Node::Sensitivity => set(&self.sensitivity, sensitivity::compute(inputs)),
        }
    }

    fn compare(&self) -> Outcome<Comparison> {
        let (rasch, two_pl) = (
            done(&self.rasch).as_ref().map_err(String::clone)?,
            done(&self.two_pl).as_ref().map_err(String::clone)?,
        );
        Ok(comparison::compare(rasch, two_pl))
    }

    fn information(&self) -> Outcome<Information> {
        let rasch = done(&self.rasch).as_ref().map_err(String::clone)?;
        let scores = done(&self.rasch_scores).as_ref().map_err(String::clone)?;
        let top = scores.iter().flatten().map(|score| score.theta).reduce(f64::max);
        let (Some(peak), Some(top)) = (information::peak(&rasch.items), top) else {
            return Err("no hay reactivos o puntajes".into());
        };
        let above = |item: &&irt::ItemParameters| item.difficulty().is_some_and(|b| b > top);
        Ok(Information {
            peak,
            top: (top, information::test_information(&rasch.items, top)),
            n_above: rasch.items.iter().filter(above).count(),
        })
    }

    fn fit(&self, inputs: &Inputs) -> Outcome<(FitReport, FitReport)> {
        let responses = &inputs.data.responses;
        let rasch = done(&self.rasch).as_ref().map_err(String::clone)?;
        let (used, thetas) = self.predictors(responses)?;
        let predictions = Predictions::new(&used, &rasch.items, &thetas)
            .map_err(|mismatch| mismatch.to_string())?;
        let floor = match inputs.options.piso_varianza {
            true => VarianceFloor::Reference,
            false => VarianceFloor::None,
        };
        Ok((fit::item_fit(&predictions, floor), fit::person_fit(&predictions, floor)))
    }

    /// The items of the Rasch model and the scores of the examinees.
    pub(super) fn predictors(
        &self,
        responses: &Responses,
    ) -> Outcome<(Responses, Vec<Option<f64>>)> {
        let rasch = done(&self.rasch).as_ref().map_err(String::clone)?;
        let scores = done(&self.rasch_scores).as_ref().map_err(String::clone)?;
        let thetas = scores.iter().map(|score| score.map(|score| score.theta)).collect();
        Ok((responses.select_items(&rasch.used), thetas))
    }

    /// Flags of each item: r < .10, slope with prior < .50, infit > 1.30; `None`
    /// for items without any of the three.
    fn flags(&self, n_items: usize) -> Vec<Option<usize>> {
        let mut flags = vec![None; n_items];
        let mut raise = |item: usize, raised: bool| {
            *flags[item].get_or_insert(0) += usize::from(raised);
        };
        let classical = self.classical.get().unwrap_or_else(|| missing());
        for (j, item) in classical.items.iter().enumerate() {
            if let Ok(r) = item.r_it {
                raise(j, r < 0.10);
            }
        }
        if let Ok(prior) = done(&self.two_pl_prior) {
            prior.used.iter().zip(&prior.items).for_each(|(&j, item)| raise(j, item.slope < 0.50));
        }
        if let (Ok(rasch), Ok((items, _))) = (done(&self.rasch), done(&self.fit)) {
            for (&j, fit) in rasch.used.iter().zip(&items.fits) {
                raise(j, fit.infit.is_some_and(|infit| infit > 1.30));
            }
        }
        flags
    }

    fn dependence(&self, inputs: &Inputs) -> Outcome<Dependence> {
        let rasch = done(&self.rasch).as_ref().map_err(String::clone)?;
        let (used, thetas) = self.predictors(&inputs.data.responses)?;
        let predictions = Predictions::new(&used, &rasch.items, &thetas)
            .map_err(|mismatch| mismatch.to_string())?;
        let q3 = Q3::new(&predictions);
        let labels = inputs
            .groups
            .blocks
            .as_ref()
            .map(|(_, labels)| rasch.used.iter().map(|&j| labels[j]).collect::<Vec<usize>>());
        let doubtful =
            |at: usize| inputs.groups.doubtful.iter().flatten().any(|&item| item == rasch.used[at]);
        let doubtful = labels.as_ref().and_then(|labels| {
            q3.mean_where(|pair| {
                labels[pair.first] == labels[pair.second]
                    && doubtful(pair.first)
                    && doubtful(pair.second)
            })
        });
        let position = |pair: &crate::psychometrics::dependence::Q3Pair| {
            (rasch.used[pair.first], rasch.used[pair.second], pair.q3)
        };
        Ok(Dependence {
            mean: q3.mean(),
            share_above: q3.share_above(0.20),
            maximum: q3.maximum(),
            k: rasch.used.len(),
            groups: labels.map(|labels| q3.group_means(&labels)),
            doubtful,
            largest: q3.largest(LARGEST_PAIRS).iter().map(position).collect(),
        })
    }
}

fn set<T>(cell: &OnceLock<T>, value: T) {
    if cell.set(value).is_err() {
        unreachable!("the graph computes each node once");
    }
}

pub(super) fn done<T>(cell: &OnceLock<T>) -> &T {
    cell.get().unwrap_or_else(|| missing())
}

fn near_duplicates(inputs: &Inputs) -> Outcome<NearDuplicatesFound> {
    let responses = &inputs.data.responses;
    let n = responses.n_examinees();
    if n > MOST_FOR_ALL_PAIRS {
        return Err(format!("{n} examinados son demasiados para compararlos de dos en dos"));
    }
    let options = inputs.options.casi_duplicados;
    let totals = responses.totals();
    let able: Vec<usize> = (0..n).filter(|&i| totals[i] >= options.desde).collect();
    Ok(NearDuplicatesFound {
        pairs: stats::hamming_pairs(responses, options.distancia),
        closest: stats::closest_pair(responses, &able).map(|pair| pair.distance),
    })
}

fn frontier(inputs: &Inputs) -> Outcome<Frontier> {
    let responses = &inputs.data.responses;
    let totals = responses.totals();
    let ids: Names = inputs
        .data
        .examinees
        .column(&inputs.data.id_name)
        .unwrap_or_default()
        .iter()
        .map(ToString::to_string)
        .collect();
    let mut order: Vec<usize> = (0..totals.len()).collect();
    // Ties: the identifier that comes first.
    order.sort_by(|&a, &b| totals[b].cmp(&totals[a]).then_with(|| ids.get(a).cmp(&ids.get(b))));
    order.truncate(inputs.options.frontera);
    let (Some(&first), Some(&last)) = (order.first(), order.last()) else {
        return Err("no hay examinados".into());
    };
    let top =
        Responses::from_fn(order.len(), responses.n_items(), |i, j| responses.get(order[i], j));
    let mut items = (0, 0, 0);
    for j in 0..top.n_items() {
        let (right, answered) = (top.item(j).n_correct(), top.item(j).n_observed());
        match right {
            _ if right == answered && answered > 0 => items.0 += 1,
            0 => items.1 += 1,
            _ => items.2 += 1,
        }
    }
    Ok(Frontier { range: (totals[last], totals[first]), examinees: order, items })
}

fn tetrachoric(responses: &Responses) -> Outcome<(Tetrachoric, Smoothed)> {
    let raw = association::tetrachoric_matrix(responses);
    let smoothed =
        association::smooth_to_positive_definite(&raw.rho).map_err(|why| reason(&why))?;
    Ok((raw, smoothed))
}

fn phi(responses: &Responses) -> PhiResult {
    PhiResult {
        spectrum: dimensionality::phi_spectrum(responses).map_err(|why| reason(&why)),
        horseshoe: dimensionality::horseshoe(responses).map_err(|why| reason(&why)),
    }
}

fn parallel(inputs: &Inputs) -> Outcome<Null> {
    let options = ParallelAnalysis {
        n_permutations: inputs.options.permutaciones,
        seed: inputs.options.semilla,
        n_positions: usize::MAX,
    };
    dimensionality::parallel_analysis(&inputs.data.responses, options).map_err(|why| reason(&why))
}

fn without_base(inputs: &Inputs) -> Outcome<PhiSpectrum> {
    let Some(rest) = &inputs.groups.without_base else {
        return Err("no se declara un grupo base en «analisis: grupos»".into());
    };
    let rest = inputs.data.responses.select_examinees(rest.as_ref().map_err(String::clone)?);
    dimensionality::phi_spectrum(&rest).map_err(|why| reason(&why))
}

pub(super) fn prior_model(inputs: &Inputs) -> Model {
    let [mean_log, sd_log] = inputs.options.previa_pendientes.lognormal;
    Model::TwoParameterPrior(LogNormal { mean_log, sd_log })
}

fn fit_model(inputs: &Inputs, model: Model) -> Outcome<IrtFit> {
    let estimate =
        if inputs.options.cuadratura.adecuada { irt::fit_on_adequate_grid } else { irt::fit };
    estimate(&inputs.data.responses, model, &fit_options(inputs)?)
        .map_err(|error| irt_reason(&error))
}

pub(super) fn fit_options(inputs: &Inputs) -> Outcome<FitOptions> {
    let quadrature = inputs.options.cuadratura;
    let Some(grid) = Grid::uniform(quadrature.puntos, quadrature.desde, quadrature.hasta) else {
        return Err("la cuadratura pide al menos tres puntos, de menor a mayor".into());
    };
    Ok(FitOptions { grid, ..FitOptions::default() })
}

fn scores(inputs: &Inputs, fit: &Outcome<IrtFit>) -> Outcome<Vec<Option<Score>>> {
    let fit = fit.as_ref().map_err(String::clone)?;
    let used = inputs.data.responses.select_items(&fit.used);
    Ok(scoring::eap(&used, &fit.items, fit.variance, &fit.grid.scoring()))
}
