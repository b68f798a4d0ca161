//! Errors of the scores, comparisons of examinees, ranks, and the smallest
//! difference worth claiming.

use super::{Column, LEVEL};
use crate::psychometrics::precision::{
    self, Claim, Comparisons, PairedComparison, Scale, ScoreErrors,
};
use crate::psychometrics::{Undefined, stats};
use crate::study::publish::{Datum, Publisher, outcome};
use crate::study::reasons::reason;
use crate::study::results::{Inputs, Outcome, Results, done};

/// Power for which the detectable difference is given.
const POWER: f64 = 0.80;

/// Errors of the totals and comparisons of the examinees.
#[derive(Debug, Clone)]
pub struct Precision {
    /// Standard errors of the totals.
    errors: ScoreErrors,
    /// All pairs of examinees.
    comparisons: Outcome<Comparisons>,
    /// The pairs of the frontier, highest first.
    frontier: Vec<FrontierPair>,
}

/// Two examinees of the frontier.
#[derive(Debug, Clone)]
struct FrontierPair {
    first: usize,
    second: usize,
    pair: PairedComparison,
    p: f64,
    /// Holm's over the pairs of the frontier.
    adjusted: f64,
}

/// Computes errors and comparisons.
pub fn compute(results: &Results, inputs: &Inputs) -> Precision {
    let responses = &inputs.data.responses;
    let comparisons = precision::compare_all(responses, LEVEL).map_err(|why| reason(&why));
    let frontier = done(&results.frontier).as_ref().map_or(&[][..], |f| &f.examinees);
    let rows = responses.select_examinees(frontier).transposed();
    let mut pairs = vec![];
    for a in 0..frontier.len() {
        for b in a + 1..frontier.len() {
            if let Ok(pair) = precision::compare_rows(rows.item(a), rows.item(b)) {
                let (first, second, p) = (frontier[a], frontier[b], pair.p_value());
                pairs.push(FrontierPair { first, second, pair, p, adjusted: p });
            }
        }
    }
    let p: Vec<f64> = pairs.iter().map(|pair| pair.p).collect();
    pairs.iter_mut().zip(precision::holm(&p)).for_each(|(pair, p)| pair.adjusted = p);
    let errors = precision::score_errors(responses, done(&results.classical));
    Precision { errors, comparisons, frontier: pairs }
}

/// What may be claimed along the scale and at the highest examinee.
#[derive(Debug, Clone)]
pub struct Claims {
    along: Vec<Claim>,
    top: Option<Claim>,
}

/// Computes the claims of the Rasch model.
pub fn claims(results: &Results, inputs: &Inputs) -> Outcome<Claims> {
    let rasch = done(&results.rasch).as_ref().map_err(String::clone)?;
    let top = done(&results.information).as_ref().map_err(String::clone)?.top.0;
    let items = &done(&results.classical).items;
    let n_always_right = items.iter().filter(|i| i.n > 0 && i.n_correct == i.n).count();
    let scale =
        Scale { items: &rasch.items, n_items: inputs.data.responses.n_items(), n_always_right };
    Ok(Claims { along: precision::claims_by_percent(scale), top: precision::claim_at(scale, top) })
}

/// Errors of the totals by a bootstrap of the declared blocks of items.
pub fn block_errors(inputs: &Inputs) -> Outcome<Vec<Result<f64, Undefined>>> {
    let Some((_, blocks)) = &inputs.groups.blocks else {
        return Err("no se declaran bloques de reactivos".into());
    };
    let (n, seed) = (inputs.options.remuestreos, inputs.options.semilla.into());
    precision::block_errors(&inputs.data.responses, blocks, n, seed).map_err(|why| reason(&why))
}

fn defined(values: &[Result<f64, Undefined>]) -> Vec<f64> {
    values.iter().filter_map(|value| value.ok()).collect()
}

impl Publisher<'_> {
    /// Publishes errors, ranks and the comparisons of the frontier.
    pub(in crate::study) fn precision(&mut self) {
        let found = done(&self.results.precision);
        let sampled = &found.errors.sampled_items;
        self.value("precision.ee_mediana", stats::median(&defined(sampled)));
        let top = self.highest_examinee().map(|i| sampled[i]);
        self.value("precision.ee_superior", top.unwrap_or(Err(Undefined::NoObservations)));
        self.value("precision.factor_keats", found.errors.keats_factor);
        self.column("examinados", "ee_puntaje", sampled.iter().map(|e| e.ok()));
        let fixed = found.errors.fixed_items.iter().map(|e| e.ok());
        self.column("examinados", "ee_puntaje_fijo", fixed);
        self.ranks(&found.comparisons);
        self.frontier_pairs(&found.frontier);
    }

    fn ranks(&mut self, comparisons: &Outcome<Comparisons>) {
        let n = self.data.responses.n_examinees();
        let apart = |c: &Comparisons| -> Vec<f64> {
            (0..n).map(|i| c.interval(i).n_indistinguishable() as f64).collect()
        };
        self.value("precision.n_pares", outcome(comparisons, |c| c.n_pairs.into()));
        let distinguished = outcome(comparisons, |c| c.n_distinguished.into());
        self.value("precision.n_pares_distintos", distinguished);
        self.value("precision.n_primeros", outcome(comparisons, |c| c.could_be_first().into()));
        let median = outcome(comparisons, |c| stats::median(&apart(c)).into());
        self.value("precision.indistinguibles_mediana", median);
        let frontier = done(&self.results.frontier).as_ref().map_or(&[][..], |f| &f.examinees);
        let alike_in_frontier = |c: &Comparisons, i: usize| {
            frontier.iter().filter(|&&other| other != i && !c.distinguished(i, other)).count()
        };
        let known = comparisons.as_ref().ok();
        let interval = |i: usize| known.map(|c| c.interval(i));
        let columns: [Column<usize>; 4] = [
            ("rango_min", &|&i| interval(i).map(|r| r.best).into()),
            ("rango_max", &|&i| interval(i).map(|r| r.worst).into()),
            ("n_indistinguibles", &|&i| interval(i).map(|r| r.n_indistinguishable()).into()),
            ("n_indistinguibles_frontera", &|&i| known.map(|c| alike_in_frontier(c, i)).into()),
        ];
        for (name, cell) in columns {
            self.column("examinados", name, (0..n).map(|i| cell(&i)));
        }
    }

    fn frontier_pairs(&mut self, pairs: &[FrontierPair]) {
        let percent = |x: f64| 100.0 * x;
        let detectable = |p: &FrontierPair| p.pair.minimum_detectable(LEVEL, POWER).map(percent);
        let count =
            |holds: &dyn Fn(&FrontierPair) -> bool| pairs.iter().filter(|p| holds(p)).count();
        self.value("precision.n_pares_frontera", pairs.len());
        self.value("precision.n_frontera_distintos", count(&|p| p.adjusted <= LEVEL));
        self.value("precision.n_frontera_sin_corregir", count(&|p| p.p <= LEVEL));
        let all: Vec<f64> = pairs.iter().filter_map(detectable).collect();
        self.value("precision.detectable_frontera", stats::median(&all));
        let id = self.data.examinees.column(&self.data.id_name).unwrap_or_default().to_vec();
        let columns: [Column<FrontierPair>; 10] = [
            ("examinado_a", &|p| id[p.first].clone()),
            ("examinado_b", &|p| id[p.second].clone()),
            ("n", &|p| p.pair.n.into()),
            ("solo_a", &|p| p.pair.only_first.into()),
            ("solo_b", &|p| p.pair.only_second.into()),
            ("diferencia_pp", &|p| percent(p.pair.difference()).into()),
            ("ee_pp", &|p| percent(p.pair.standard_error()).into()),
            ("p", &|p| p.p.into()),
            ("p_holm", &|p| p.adjusted.into()),
            ("detectable_pp", &|p| detectable(p).into()),
        ];
        for (name, cell) in columns {
            self.column("comparaciones", name, pairs.iter().map(cell));
        }
    }

    /// The first of the frontier.
    fn highest_examinee(&self) -> Option<usize> {
        done(&self.results.frontier).as_ref().ok()?.examinees.first().copied()
    }

    /// Publishes the smallest differences worth claiming.
    pub(in crate::study) fn claims(&mut self) {
        let found = done(&self.results.claims);
        let top = |pick: fn(&Claim) -> f64| outcome(found, |c| c.top.as_ref().map(pick).into());
        self.value("precision.diferencia_superior", top(|c| c.percent_difference));
        self.value("precision.diferencia_theta_superior", top(|c| c.theta_difference));
        let largest = |c: &Claims| {
            c.along.iter().map(|claim| claim.percent_difference).reduce(f64::max).into()
        };
        self.value("precision.diferencia_max", outcome(found, largest));
        let along = found.as_ref().map_or(&[][..], |claims| &claims.along);
        let columns: [Column<Claim>; 6] = [
            ("porcentaje", &|c| c.percent.round().into()),
            ("theta", &|c| c.theta.into()),
            ("ee_theta", &|c| c.theta_error.into()),
            ("ee_pp", &|c| c.percent_error.into()),
            ("diferencia_theta", &|c| c.theta_difference.into()),
            ("diferencia_pp", &|c| c.percent_difference.into()),
        ];
        for (name, pick) in columns {
            self.column("diferencia_minima", name, along.iter().map(pick));
        }
    }

    /// Publishes the errors by blocks.
    pub(in crate::study) fn block_errors(&mut self) {
        let found = done(&self.results.block_errors);
        let n = self.data.responses.n_examinees();
        let median = |errors: &Vec<Result<f64, Undefined>>| stats::median(&defined(errors)).into();
        self.value("precision.ee_bloques_mediana", outcome(found, median));
        let top = |errors: &Vec<Result<f64, Undefined>>| {
            self.highest_examinee().map_or_else(|| Datum::from(None::<f64>), |i| errors[i].into())
        };
        self.value("precision.ee_bloques_superior", outcome(found, top));
        let cells = (0..n).map(|i| found.as_ref().ok().and_then(|errors| errors[i].ok()));
        self.column("examinados", "ee_bloques", cells);
    }
}
