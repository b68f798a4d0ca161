//! What the fitted model itself expects: eigenvalues, fit and dependence of answers
//! simulated from it.

use super::Column;
use crate::data::Responses;
use crate::psychometrics::cutoffs::{self, Simulation, SimulationOptions};
use crate::psychometrics::dependence::Q3;
use crate::psychometrics::dimensionality::{self, Null, SimulatedItem};
use crate::psychometrics::fit::{Fit, Predictions};
use crate::psychometrics::irt::{IrtFit, ItemParameters};
use crate::psychometrics::{Undefined, stats};
use crate::study::publish::{Datum, Publisher, leading, outcome};
use crate::study::reasons::reason;
use crate::study::results::{Inputs, Outcome, Results, done};

/// Customary cuts: infit and outfit above, Zh below, absolute Q3 above.
const CUSTOMARY: [f64; 4] = [1.3, 2.0, -2.0, cutoffs::Q3_CUT];
/// Probability that the simulated cuts leave outside.
const OUTSIDE: f64 = 0.01;

/// Eigenvalues of answers simulated from each one-dimensional model: Rasch, two
/// parameters with prior.
pub type ModelNulls = [Outcome<Null>; 2];

/// Simulates eigenvalues from both models.
pub fn model_nulls(results: &Results, inputs: &Inputs) -> ModelNulls {
    [done(&results.rasch), done(&results.two_pl_prior)].map(|fit| model_null(fit, inputs))
}

fn model_null(fit: &Outcome<IrtFit>, inputs: &Inputs) -> Outcome<Null> {
    let fit = fit.as_ref().map_err(String::clone)?;
    let like = inputs.data.responses.select_items(&fit.used);
    let item = |i: &ItemParameters| SimulatedItem { slope: i.slope, intercept: i.intercept };
    let items: Vec<SimulatedItem> = fit.items.iter().map(item).collect();
    let (n, seed) = (simulations(inputs)?, inputs.options.semilla.into());
    dimensionality::parametric_null(&like, &items, fit.variance, n, usize::MAX, seed)
        .map_err(|why| reason(&why))
}

/// How many matrices to simulate.
fn simulations(inputs: &Inputs) -> Outcome<usize> {
    let asked = Some(inputs.options.simulaciones).filter(|n| *n > 0);
    asked.ok_or_else(|| "el capítulo pide 0 simulaciones".into())
}

/// Simulated cuts beside the customary ones.
#[derive(Debug, Clone)]
pub struct Cuts {
    simulation: Simulation,
    /// Infit, outfit, Zh and Q3, in the order of [`CUSTOMARY`].
    cuts: [Result<f64, Undefined>; 4],
    /// Items, examinees or pairs beyond the simulated cuts.
    beyond: [usize; 4],
    /// The same beyond the customary cuts.
    beyond_customary: [usize; 4],
    /// How many of them the model expects beyond the customary cuts.
    expected: [Result<f64, Undefined>; 4],
}

/// Simulates from the Rasch model, refitting it each time.
pub fn cuts(results: &Results, inputs: &Inputs) -> Outcome<Cuts> {
    let rasch = done(&results.rasch).as_ref().map_err(String::clone)?;
    let options = SimulationOptions {
        replications: simulations(inputs)?,
        seed: inputs.options.semilla.into(),
        ..SimulationOptions::default()
    };
    let simulation = cutoffs::simulate(&inputs.data.responses, rasch, &options);
    let cuts = [
        simulation.item_cutoff(|f| f.infit, 1.0 - OUTSIDE),
        simulation.item_cutoff(|f| f.outfit, 1.0 - OUTSIDE),
        simulation.person_cutoff(|f| f.zh, OUTSIDE),
        simulation.q3_cutoff(),
    ];
    let [infit, outfit, zh, _] = CUSTOMARY;
    let low = |r: &cutoffs::Replicate| {
        r.persons.iter().filter(|f| f.zh.is_some_and(|x| x < zh)).count() as f64
    };
    let low: Vec<f64> = simulation.replicates.iter().map(low).collect();
    let (used, thetas) = results.predictors(&inputs.data.responses)?;
    let counter = Counter::new(results, &used, &rasch.items, &thetas)?;
    let n_pairs = counter.q3.pairs().count() as f64;
    let expected = [
        simulation.expected_items_above(|f| f.infit, infit),
        simulation.expected_items_above(|f| f.outfit, outfit),
        stats::mean(&low),
        simulation.expected_q3_share().map(|share| share * n_pairs),
    ];
    let beyond = counter.beyond(cuts.map(Result::ok));
    let beyond_customary = counter.beyond(CUSTOMARY.map(Some));
    Ok(Cuts { simulation, cuts, beyond, beyond_customary, expected })
}

/// The observed statistics that cuts are applied to.
struct Counter<'a> {
    items: &'a [Fit],
    persons: &'a [Fit],
    q3: Q3,
}

impl<'a> Counter<'a> {
    fn new(
        results: &'a Results,
        used: &Responses,
        items: &[ItemParameters],
        thetas: &[Option<f64>],
    ) -> Outcome<Self> {
        let (item_fit, person_fit) = done(&results.fit).as_ref().map_err(String::clone)?;
        let predictions =
            Predictions::new(used, items, thetas).map_err(|mismatch| mismatch.to_string())?;
        let q3 = Q3::new(&predictions);
        Ok(Self { items: &item_fit.fits, persons: &person_fit.fits, q3 })
    }

    fn beyond(&self, cuts: [Option<f64>; 4]) -> [usize; 4] {
        let above = |pick: fn(&Fit) -> Option<f64>, cut: f64| {
            self.items.iter().filter(|f| pick(f).is_some_and(|x| x > cut)).count()
        };
        let low = |cut| self.persons.iter().filter(|f| f.zh.is_some_and(|x| x < cut)).count();
        [
            cuts[0].map_or(0, |cut| above(|f| f.infit, cut)),
            cuts[1].map_or(0, |cut| above(|f| f.outfit, cut)),
            cuts[2].map_or(0, low),
            cuts[3].map_or(0, |cut| self.q3.pairs().filter(|pair| pair.q3.abs() > cut).count()),
        ]
    }
}

impl Publisher<'_> {
    /// Publishes the model-based parallel analyses.
    pub(in crate::study) fn model_nulls(&mut self) {
        let names = [
            ["nulos.modelo_p95", "nulos.modelo_n_retenidos", "nulos.modelo_p_segundo"],
            ["nulos.modelo_2pl_p95", "nulos.modelo_2pl_n_retenidos", "nulos.modelo_2pl_p_segundo"],
        ];
        let columns = ["p95_modelo", "p95_modelo_2pl"];
        let spectrum = done(&self.results.phi).spectrum.as_ref();
        let observed = spectrum.map_or(&[][..], |s| &s.values[..]);
        // The model has one dimension: what it cannot explain begins at the second.
        let beyond = |n: &Null| {
            let [observed, thresholds] =
                [observed, &n.thresholds].map(|v| v.get(1..).unwrap_or(&[]));
            1 + dimensionality::retained(observed, thresholds)
        };
        let second = |n: &Null| n.p_values(observed).get(1).copied();
        let nulls = done(&self.results.model_nulls);
        for ((null, [thresholds, retained, p]), column) in nulls.iter().zip(names).zip(columns) {
            self.value(thresholds, outcome(null, |n| leading(&n.thresholds).into()));
            self.value(retained, outcome(null, |n| beyond(n).into()));
            self.value(p, outcome(null, |n| second(n).into()));
            let values = null.as_ref().map(|n| n.thresholds.clone()).unwrap_or_default();
            self.eigenvalues(column, &values);
        }
    }

    /// Publishes the simulated cuts.
    pub(in crate::study) fn cuts(&mut self) {
        let found = done(&self.results.cuts);
        let names = [
            ["nulos.corte_infit", "nulos.n_infit"],
            ["nulos.corte_outfit", "nulos.n_outfit"],
            ["nulos.corte_zh", "nulos.n_zh"],
            ["nulos.corte_q3", "nulos.n_q3"],
        ];
        for (at, [cut, count]) in names.into_iter().enumerate() {
            self.value(cut, outcome(found, |c| c.cuts[at].into()));
            let known = |c: &Cuts| match c.cuts[at] {
                Ok(_) => c.beyond[at].into(),
                Err(why) => Datum::Undefined(reason(&why)),
            };
            self.value(count, outcome(found, known));
        }
        let replicates = outcome(found, |c| c.simulation.replicates.len().into());
        self.value("nulos.n_simulaciones", replicates);
        let maximum = |c: &Cuts| c.simulation.q3_maximum_cutoff(1.0 - OUTSIDE).into();
        self.value("nulos.corte_q3_max", outcome(found, maximum));
        let share = |c: &Cuts| c.simulation.expected_q3_share().map(|share| 100.0 * share).into();
        self.value("nulos.q3_pct_alto", outcome(found, share));
        self.cuts_frame(found);
        let used = done(&self.results.rasch).as_ref().map_or(&[][..], |fit| &fit.used);
        let mut by_item = |name, statistic: fn(&Fit) -> Option<f64>| {
            let cuts = found.as_ref().map(|c| c.simulation.cutoff_by_item(statistic, 0.95));
            self.item_column(name, used, cuts.unwrap_or_default().into_iter().map(Result::ok));
        };
        by_item("infit_p95", |f| f.infit);
        by_item("outfit_p95", |f| f.outfit);
    }

    fn cuts_frame(&mut self, found: &Outcome<Cuts>) {
        let found = found.as_ref().ok();
        let columns: [Column<usize>; 6] = [
            ("estadistico", &|&at| ["infit", "outfit", "Zh", "Q3"][at].into()),
            ("usual", &|&at| CUSTOMARY[at].into()),
            ("n_usual", &|&at| found.map(|c| c.beyond_customary[at]).into()),
            ("esperados_usual", &|&at| found.and_then(|c| c.expected[at].ok()).into()),
            ("simulado", &|&at| found.and_then(|c| c.cuts[at].ok()).into()),
            ("n_simulado", &|&at| {
                found.filter(|c| c.cuts[at].is_ok()).map(|c| c.beyond[at]).into()
            }),
        ];
        for (name, cell) in columns {
            self.column("cortes", name, (0..CUSTOMARY.len()).map(|at| cell(&at)));
        }
    }
}
