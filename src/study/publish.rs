//! Typed results under their public names: values and columns.

pub use super::datum::Datum;
use super::graph::Node;
use super::input::{ITEM, StudyData};
use super::options::AnalysisOptions;
use super::reasons::{drop_reason, no_test_reason, stop_reason};
use super::results::{Groups, Inputs, Outcome, POSITIONS, Results, done};
use crate::data::{Cell, Frame, Names};
use crate::psychometrics::fit::FitReport;
use crate::psychometrics::irt::scoring::{Score, empirical_reliability};
use crate::psychometrics::irt::{self, IrtFit, information};
use crate::psychometrics::stats;
use std::collections::BTreeMap;

/// Everything that the nodes computed, by name.
#[derive(Debug, Default)]
pub struct Published {
    /// Values by full name.
    pub values: BTreeMap<&'static str, Datum>,
    /// Computed frames and the computed columns of `reactivos` and `examinados`.
    pub frames: BTreeMap<&'static str, Frame>,
}

/// What one node publishes, from `results`.
pub fn publish(node: Node, results: &Results, inputs: &Inputs) -> Published {
    let Inputs { data, options, groups } = *inputs;
    let mut publisher = Publisher { results, data, options, groups, out: Published::default() };
    publisher.node(node);
    publisher.out
}

impl Published {
    /// Before any node: the frames of examinees and items, as the data bring them.
    pub fn of_data(data: &StudyData) -> Self {
        let items = Frame::new(data.items.len()).with(ITEM, data.items.iter());
        let frames = [("reactivos", items), ("examinados", data.examinees.clone())];
        Self { values: BTreeMap::new(), frames: frames.into() }
    }

    /// Adds what another node published: further columns of its frames, or further
    /// rows where the columns are the same.
    pub fn join(&mut self, other: Self) {
        self.values.extend(other.values);
        for (name, frame) in other.frames {
            match self.frames.get_mut(name) {
                None => drop(self.frames.insert(name, frame)),
                Some(known) if known.names().eq(frame.names()) => known.append(&frame),
                Some(known) => frame.columns().iter().for_each(|column| {
                    known.set(&column.name, column.cells.iter().cloned());
                }),
            }
        }
    }
}

/// Collects names and columns.
pub(super) struct Publisher<'a> {
    pub(super) results: &'a Results,
    pub(super) data: &'a StudyData,
    options: &'a AnalysisOptions,
    pub(super) groups: &'a Groups,
    out: Published,
}

impl Publisher<'_> {
    fn node(&mut self, node: Node) {
        let results = self.results;
        match node {
            Node::Data => self.shape(),
            Node::Scores => self.scores(),
            Node::NearDuplicates => self.near_duplicates(),
            Node::Classical => self.classical(),
            Node::Frontier => self.frontier(),
            Node::Tetrachoric => self.tetrachoric(),
            Node::Phi => self.phi(),
            Node::Parallel => self.parallel(),
            Node::WithoutBase => {
                let first = |s: &crate::psychometrics::dimensionality::PhiSpectrum| {
                    Datum::List(s.values.iter().take(3).copied().collect())
                };
                self.value("dim.phi_sin_base", outcome(done(&results.without_base), first));
            }
            Node::Rasch => self.rasch(),
            Node::OnePl => {
                self.model("un_pl", done(&results.one_pl));
                let slope = |f: &IrtFit| f.items.first().map(|item| item.slope).into();
                self.value("un_pl.a", outcome(done(&results.one_pl), slope));
            }
            Node::StandardErrors => self.standard_errors(),
            Node::OtherScores => self.other_scores(),
            Node::GroupedFit => self.grouped_fit(),
            Node::TwoPl => self.two_pl("dos_pl", "a_ml", "b_ml", done(&results.two_pl)),
            Node::TwoPlPrior => {
                let fit = done(&results.two_pl_prior);
                self.two_pl("dos_pl_previa", "a_2pl", "b_2pl", fit);
                self.value("dos_pl_previa.log_previa", outcome(fit, |f| f.log_prior.into()));
            }
            Node::Comparison => self.comparison(),
            Node::RaschScores => self.rasch_scores(),
            Node::TwoPlPriorScores => {
                let scores = done(&results.two_pl_prior_scores);
                self.examinee_column("theta_2pl", scores, |score| score.theta);
            }
            Node::Information => self.information(),
            Node::Fit => self.fit(),
            Node::Flags => self.flags(),
            Node::Dependence => self.dependence(),
            Node::Precision => self.precision(),
            Node::Claims => self.claims(),
            Node::BlockErrors => self.block_errors(),
            Node::Dif => self.dif(),
            Node::DifNull => self.dif_null(),
            Node::Bootstrap => self.bootstrap(),
            Node::Shuffle => self.shuffle(),
            Node::ModelNull => self.model_nulls(),
            Node::SimulatedCuts => self.cuts(),
            Node::ShortForm => self.short_form(),
            Node::Sensitivity => self.sensitivity(),
        }
    }

    pub(super) fn value(&mut self, name: &'static str, value: impl Into<Datum>) {
        self.out.values.insert(name, value.into());
    }

    pub(super) fn column<C: Into<Cell>>(
        &mut self,
        frame: &'static str,
        name: &str,
        cells: impl IntoIterator<Item = C>,
    ) {
        let cells: Vec<Cell> = cells.into_iter().map(Into::into).collect();
        let rows = cells.len();
        self.out.frames.entry(frame).or_insert_with(|| Frame::new(rows)).set(name, cells);
    }

    /// A column of `reactivos` from a result over the items `used`.
    pub(super) fn item_column(
        &mut self,
        name: &str,
        used: &[usize],
        values: impl IntoIterator<Item = Option<f64>>,
    ) {
        let mut cells = vec![Cell::Missing; self.data.items.len()];
        used.iter().zip(values).for_each(|(&j, value)| cells[j] = value.into());
        self.column("reactivos", name, cells);
    }

    fn examinee_column(
        &mut self,
        name: &str,
        scores: &Outcome<Vec<Option<Score>>>,
        pick: impl Fn(&Score) -> f64,
    ) {
        let n = self.data.responses.n_examinees();
        let cells: Vec<Cell> = match scores {
            Ok(scores) => scores.iter().map(|score| score.as_ref().map(&pick).into()).collect(),
            Err(_) => vec![Cell::Missing; n],
        };
        self.column("examinados", name, cells);
    }

    fn shape(&mut self) {
        self.value("datos.n_examinados", self.data.responses.n_examinees());
        self.value("datos.n_reactivos", self.data.responses.n_items());
        self.value("datos.n_faltantes", self.data.responses.n_missing());
        let absent = || Datum::Undefined("no hay tabla de examinados".into());
        let rows = |frame: &Option<Frame>| frame.as_ref().map(|f| f.n_rows().into());
        self.value("datos.n_carpetas", rows(&self.data.folders).unwrap_or_else(absent));
        let excluded = rows(&self.data.excluded)
            .or_else(|| self.data.folders.as_ref().map(|_| Datum::Integer(0)));
        self.value("datos.n_excluidos", excluded.unwrap_or_else(absent));
        self.value("analisis.semilla", self.options.semilla);
        self.value("analisis.permutaciones", self.options.permutaciones);
        self.value("analisis.remuestreos", self.options.remuestreos);
        self.value("analisis.simulaciones", self.options.simulaciones);
        let [mean, deviation] = self.options.previa_pendientes.lognormal;
        self.value("analisis.previa_media", mean);
        self.value("analisis.previa_desviacion", deviation);
    }

    fn scores(&mut self) {
        // Who answered nothing has no total.
        let answered = self.data.responses.n_answered();
        let totals = self.data.responses.totals().into_iter().zip(answered);
        let totals: Vec<Option<u32>> = totals.map(|(t, n)| (n > 0).then_some(t)).collect();
        let real: Vec<f64> = totals.iter().flatten().copied().map(f64::from).collect();
        let whole = |p| stats::quantile7(&real, p).map(|x| x as usize);
        self.value("puntajes.mediana", stats::median(&real));
        self.value("puntajes.media", stats::mean(&real));
        self.value("puntajes.desviacion", stats::variance(&real).map(f64::sqrt));
        self.value("puntajes.min", whole(0.0));
        self.value("puntajes.max", whole(1.0));
        self.value("puntajes.q1", stats::quantile7(&real, 0.25));
        self.value("puntajes.q3", stats::quantile7(&real, 0.75));
        self.column("examinados", "total", totals.iter().map(|t| t.map(|t| t as usize)));
    }

    fn near_duplicates(&mut self) {
        let found = done(&self.results.near);
        let totals = self.data.responses.totals();
        let largest = |pairs: &[stats::Pair]| {
            pairs.iter().map(|pair| totals[pair.a].max(totals[pair.b])).max()
        };
        self.value("hamming.n_pares", outcome(found, |f| f.pairs.len().into()));
        self.value("hamming.max_total", outcome(found, |f| largest(&f.pairs).into()));
        self.value("hamming.min_50", outcome(found, |f| f.closest.into()));
        let pairs = found.as_ref().map(|f| f.pairs.clone()).unwrap_or_default();
        let id = self.data.examinees.column(&self.data.id_name).unwrap_or_default().to_vec();
        self.column("casi_duplicados", "examinado_a", pairs.iter().map(|p| id[p.a].clone()));
        self.column("casi_duplicados", "examinado_b", pairs.iter().map(|p| id[p.b].clone()));
        let distances = pairs.iter().map(|p| p.distance as usize);
        self.column("casi_duplicados", "distancia", distances);
    }

    fn classical(&mut self) {
        let classical = done(&self.results.classical);
        self.value("datos.k", classical.k);
        self.value("tct.kr20", classical.kr20);
        self.value("tct.r_mediana", classical.median_r);
        let r = || classical.items.iter().filter_map(|item| item.r_it.ok());
        let p = || classical.items.iter().filter_map(|item| item.p.ok());
        self.value("tct.n_r_bajo", r().filter(|&r| r < 0.20).count());
        self.value("tct.n_r_negativa", r().filter(|&r| r < 0.0).count());
        self.value("tct.n_p0", p().filter(|&p| p == 0.0).count());
        self.value("tct.n_p1", p().filter(|&p| p == 1.0).count());
        self.value("tct.n_raros", p().filter(|&p| p > 0.0 && p <= 0.02).count());
        self.value("tct.n_faciles", p().filter(|&p| p >= 0.90).count());
        let items = &classical.items;
        self.column("reactivos", "p", items.iter().map(|item| item.p.ok()));
        self.column("reactivos", "r_it", items.iter().map(|item| item.r_it.ok()));
        self.column("reactivos", "p_bajo", items.iter().map(|item| item.p_low.ok()));
        self.column("reactivos", "p_alto", items.iter().map(|item| item.p_high.ok()));
    }

    fn frontier(&mut self) {
        let found = done(&self.results.frontier);
        self.value("frontera.n", outcome(found, |f| f.examinees.len().into()));
        self.value("frontera.min", outcome(found, |f| f.range.0.into()));
        self.value("frontera.max", outcome(found, |f| f.range.1.into()));
        self.value("frontera.n_todos", outcome(found, |f| f.items.0.into()));
        self.value("frontera.n_ninguno", outcome(found, |f| f.items.1.into()));
        self.value("frontera.n_varian", outcome(found, |f| f.items.2.into()));
    }

    fn tetrachoric(&mut self) {
        let found = done(&self.results.tetrachoric);
        self.value("dim.tetracorica", outcome(found, |(_, s)| leading(&s.eigenvalues).into()));
        self.value("dim.traza", outcome(found, |(raw, _)| raw.items.len().into()));
        let smallest = outcome(found, |(_, s)| s.smallest_raw_eigenvalue().into());
        self.value("dim.tetracorica_minimo", smallest);
        self.value("dim.n_corregidos", outcome(found, |(raw, _)| raw.n_corrected_pairs.into()));
        let values = found.as_ref().map(|(_, s)| leading(&s.eigenvalues)).unwrap_or_default();
        self.eigenvalues("tetracorica", &values);
    }

    fn phi(&mut self) {
        let phi = done(&self.results.phi);
        self.value("dim.phi", outcome(&phi.spectrum, |s| leading(&s.values).into()));
        self.value("dim.r2_lineal", outcome(&phi.horseshoe, |h| h.r2_linear.into()));
        self.value("dim.r2_cuadratico", outcome(&phi.horseshoe, |h| h.r2_quadratic.into()));
        let values = phi.spectrum.as_ref().map(|s| leading(&s.values)).unwrap_or_default();
        self.eigenvalues("phi", &values);
    }

    fn parallel(&mut self) {
        let null = done(&self.results.parallel);
        self.value("dim.p95", outcome(null, |n| leading(&n.thresholds).into()));
        let observed = done(&self.results.phi).spectrum.as_ref();
        let retained = match (null, observed) {
            (Ok(null), Ok(spectrum)) => null.retained(&spectrum.values).into(),
            (Err(why), _) | (_, Err(why)) => Datum::Undefined(why.clone()),
        };
        self.value("dim.n_retenidos", retained);
        let values = null.as_ref().map(|n| leading(&n.thresholds)).unwrap_or_default();
        self.eigenvalues("p95", &values);
    }

    pub(super) fn eigenvalues(&mut self, name: &str, values: &[f64]) {
        self.column("autovalores", "posicion", 1..=POSITIONS);
        self.column("autovalores", name, (0..POSITIONS).map(|at| values.get(at).copied()));
    }

    fn rasch(&mut self) {
        let fit = done(&self.results.rasch);
        self.model("rasch", fit);
        self.value("rasch.varianza", outcome(fit, |f| f.variance.into()));
        self.value("rasch.desviacion", outcome(fit, |f| f.variance.sqrt().into()));
        self.value("rasch.rejilla_adecuada", outcome(fit, |f| f.grid_adequacy.adequate.into()));
        let b =
            |f: &IrtFit| f.items.iter().filter_map(|item| item.difficulty()).collect::<Vec<_>>();
        self.value("rasch.b_min", outcome(fit, |f| stats::quantile7(&b(f), 0.0).into()));
        self.value("rasch.b_max", outcome(fit, |f| stats::quantile7(&b(f), 1.0).into()));
        let (used, items) = parameters(fit);
        self.item_column("b_rasch", used, items.iter().map(|item| item.difficulty()));
    }

    fn two_pl(
        &mut self,
        namespace: &'static str,
        slope: &str,
        difficulty: &str,
        fit: &Outcome<IrtFit>,
    ) {
        self.model(namespace, fit);
        let slopes = |f: &IrtFit| f.items.iter().map(|item| item.slope).collect::<Vec<_>>();
        let count = |f: &IrtFit, holds: fn(f64) -> bool| {
            f.items.iter().filter(|item| holds(item.slope)).count()
        };
        let names = |f: &IrtFit| {
            let unidentified = &f.convergence.unidentified;
            let name = |&at: &usize| self.data.items.get(f.used[at]).unwrap_or_default().to_owned();
            Datum::Names(unidentified.iter().map(name).collect())
        };
        let published = [
            ("a_max", outcome(fit, |f| stats::quantile7(&slopes(f), 1.0).into())),
            ("a_min", outcome(fit, |f| stats::quantile7(&slopes(f), 0.0).into())),
            ("a_mediana", outcome(fit, |f| stats::median(&slopes(f)).into())),
            ("n_a_mayor_4", outcome(fit, |f| count(f, |a| a > 4.0).into())),
            ("n_a_negativa", outcome(fit, |f| count(f, |a| a < 0.0).into())),
            ("n_a_menor_05", outcome(fit, |f| count(f, |a| a < 0.5).into())),
            ("no_identificadas", outcome(fit, names)),
        ];
        for (name, datum) in published {
            self.value(full_name(namespace, name), datum);
        }
        let (used, items) = parameters(fit);
        self.item_column(slope, used, items.iter().map(|item| Some(item.slope)));
        self.item_column(difficulty, used, items.iter().map(|item| item.difficulty()));
    }

    /// What every fitted model publishes, and its row in `modelos`.
    fn model(&mut self, namespace: &'static str, fit: &Outcome<IrtFit>) {
        let published = [
            ("log_l", outcome(fit, |f| f.log_likelihood.into())),
            ("n_parametros", outcome(fit, |f| f.n_parameters.into())),
            ("aic", outcome(fit, |f| f.aic().into())),
            ("bic", outcome(fit, |f| f.bic().into())),
            ("sabic", outcome(fit, |f| f.sabic().into())),
            ("gradiente", outcome(fit, |f| f.convergence.gradient_norm.into())),
            ("parada", outcome(fit, |f| Datum::Text(stop_reason(f.convergence.stop)))),
            ("n_examinados", outcome(fit, |f| f.n_examinees_used.into())),
            ("descartados", outcome(fit, |f| self.dropped(f))),
            ("convergio", outcome(fit, |f| f.convergence.converged.into())),
            ("ciclos", outcome(fit, |f| f.convergence.cycles.into())),
            ("cambio_final", outcome(fit, |f| f.convergence.last_change.into())),
        ];
        for (name, datum) in published {
            self.value(full_name(namespace, name), datum);
        }
        self.out.frames.insert("modelos", model_row(namespace, fit));
    }

    /// The items that a fit left out, each with its reason.
    fn dropped(&self, fit: &IrtFit) -> Datum {
        let one = |dropped: &irt::DroppedItem| {
            let name = self.data.items.get(dropped.index).unwrap_or_default();
            format!("{name} ({})", drop_reason(dropped.reason))
        };
        Datum::Names(fit.dropped.iter().map(one).collect())
    }

    fn comparison(&mut self) {
        let found = done(&self.results.comparison);
        // Positive differences favour the larger model.
        self.value("comparacion.delta_aic", outcome(found, |c| (-c.delta_aic).into()));
        self.value("comparacion.delta_bic", outcome(found, |c| (-c.delta_bic).into()));
        let test = found.as_ref().map_err(String::clone);
        let test = test.and_then(|c| c.likelihood_ratio.map_err(|why| no_test_reason(&why)));
        self.value("comparacion.chi2", outcome(&test, |t| t.statistic.into()));
        self.value("comparacion.gl", outcome(&test, |t| t.degrees_of_freedom.into()));
        self.value("comparacion.p", outcome(&test, |t| t.p.into()));
        self.value("comparacion.es_cota", outcome(&test, |t| t.is_bound.into()));
    }

    fn rasch_scores(&mut self) {
        let scores = done(&self.results.rasch_scores);
        let theta = |s: &Vec<Option<Score>>| -> Vec<f64> {
            s.iter().flatten().map(|score| score.theta).collect()
        };
        self.value("rasch.theta_min", outcome(scores, |s| stats::quantile7(&theta(s), 0.0).into()));
        self.value("rasch.theta_max", outcome(scores, |s| stats::quantile7(&theta(s), 1.0).into()));
        self.value("rasch.theta_mediana", outcome(scores, |s| stats::median(&theta(s)).into()));
        let marginal =
            |f: &IrtFit| irt::scoring::marginal_reliability(&f.items, f.variance, &f.grid).into();
        self.value("rasch.fiabilidad_marginal", outcome(done(&self.results.rasch), marginal));
        self.value("rasch.fiabilidad", outcome(scores, |s| empirical_reliability(s).into()));
        self.examinee_column("theta", scores, |score| score.theta);
        self.examinee_column("ee", scores, |score| score.standard_error);
    }

    fn information(&mut self) {
        let found = done(&self.results.information);
        self.value("info.theta_max", outcome(found, |i| i.peak.theta.into()));
        self.value("info.maximo", outcome(found, |i| i.peak.information.into()));
        self.value("info.theta_superior", outcome(found, |i| i.top.0.into()));
        self.value("info.en_superior", outcome(found, |i| i.top.1.into()));
        self.value("info.ee_superior", outcome(found, |i| i.top.1.sqrt().recip().into()));
        self.value("info.n_b_mayor", outcome(found, |i| i.n_above.into()));
        let (_, items) = parameters(done(&self.results.rasch));
        let theta: Vec<f64> = information::display_grid().collect();
        let curve: Vec<f64> =
            theta.iter().map(|&t| information::test_information(items, t)).collect();
        let errors = theta.iter().map(|&t| information::standard_error(items, t));
        let errors: Vec<Option<f64>> = errors.collect();
        self.column("informacion", "theta", theta);
        self.column("informacion", "informacion", curve);
        self.column("informacion", "ee", errors);
    }

    fn fit(&mut self) {
        let found = done(&self.results.fit);
        let above =
            |report: &FitReport, pick: fn(&crate::psychometrics::fit::Fit) -> Option<f64>, cut| {
                report.fits.iter().filter(|fit| pick(fit).is_some_and(|x| x > cut)).count()
            };
        self.value("ajuste.n_infit", outcome(found, |f| above(&f.0, |x| x.infit, 1.3).into()));
        self.value("ajuste.n_outfit", outcome(found, |f| above(&f.0, |x| x.outfit, 2.0).into()));
        self.value("ajuste.n_celdas_piso", outcome(found, |f| f.0.n_floored.into()));
        let (used, _) = parameters(done(&self.results.rasch));
        let (items, persons) = match found {
            Ok((items, persons)) => (&items.fits[..], &persons.fits[..]),
            Err(_) => (&[][..], &[][..]),
        };
        self.item_column("infit", used, items.iter().map(|fit| fit.infit));
        self.item_column("outfit", used, items.iter().map(|fit| fit.outfit));
        self.item_column("z_infit", used, items.iter().map(|fit| fit.z_infit));
        self.item_column("z_outfit", used, items.iter().map(|fit| fit.z_outfit));
        self.item_column("zh", used, items.iter().map(|fit| fit.zh));
        let n = self.data.responses.n_examinees();
        let person = |i: usize| persons.get(i);
        self.column("examinados", "infit", (0..n).map(|i| person(i).and_then(|f| f.infit)));
        self.column("examinados", "outfit", (0..n).map(|i| person(i).and_then(|f| f.outfit)));
        self.column("examinados", "z_infit", (0..n).map(|i| person(i).and_then(|f| f.z_infit)));
        self.column("examinados", "z_outfit", (0..n).map(|i| person(i).and_then(|f| f.z_outfit)));
        self.column("examinados", "zh", (0..n).map(|i| person(i).and_then(|f| f.zh)));
    }

    fn flags(&mut self) {
        let flags = done(&self.results.flags);
        let many = flags.iter().flatten().filter(|&&n| n >= 2).count();
        self.value("ajuste.n_banderas", many);
        self.column("reactivos", "n_banderas", flags.iter().copied());
    }

    fn dependence(&mut self) {
        let found = done(&self.results.dependence);
        let no_blocks = || Datum::Undefined("no se declaran bloques de reactivos".into());
        let mean_of = |pick: fn(&crate::psychometrics::dependence::GroupMeans) -> Option<f64>| {
            outcome(found, |d| d.groups.as_ref().map_or_else(no_blocks, |g| pick(g).into()))
        };
        self.value("q3.dentro", mean_of(|groups| groups.within));
        self.value("q3.entre", mean_of(|groups| groups.between));
        self.value("q3.media", outcome(found, |d| d.mean.into()));
        self.value("q3.maximo", outcome(found, |d| d.maximum.into()));
        self.value("q3.pct_alto", outcome(found, |d| d.share_above.map(|s| 100.0 * s).into()));
        let expected = |k: usize| (k > 1).then(|| -1.0 / (k as f64 - 1.0));
        self.value("q3.dudosos", outcome(found, |d| d.doubtful.into()));
        self.value("q3.esperada", outcome(found, |d| expected(d.k).into()));
        let blocks: Names = self.groups.blocks.iter().flat_map(|(names, _)| names).collect();
        let means = found.as_ref().ok().and_then(|d| d.groups.as_ref());
        let mean = |at: usize| means.and_then(|groups| groups.by_group.get(at).copied().flatten());
        self.column("bloques", "bloque", blocks.iter());
        self.column("bloques", "q3", (0..blocks.len()).map(mean));
        let pairs = found.as_ref().map(|d| d.largest.clone()).unwrap_or_default();
        let items = self.data.items.clone();
        let name = |j: usize| items.get(j).unwrap_or_default().to_owned();
        self.column("pares_q3", "reactivo_a", pairs.iter().map(|p| Cell::from(&*name(p.0))));
        self.column("pares_q3", "reactivo_b", pairs.iter().map(|p| Cell::from(&*name(p.1))));
        self.column("pares_q3", "q3", pairs.iter().map(|p| p.2));
    }
}

/// The eigenvalues that are published; the others only count.
pub(super) fn leading(values: &[f64]) -> Vec<f64> {
    values.iter().take(POSITIONS).copied().collect()
}

pub(super) fn outcome<T>(found: &Outcome<T>, publish: impl FnOnce(&T) -> Datum) -> Datum {
    found.as_ref().map_or_else(|why| Datum::Undefined(why.clone()), publish)
}

fn parameters(fit: &Outcome<IrtFit>) -> (&[usize], &[irt::ItemParameters]) {
    fit.as_ref().map_or((&[], &[]), |fit| (&fit.used, &fit.items))
}

/// The catalogue's own spelling of `namespace.name`.
fn full_name(namespace: &str, name: &str) -> &'static str {
    let matches = |full: &str| full.split_once('.') == Some((namespace, name));
    let entry = super::catalogue::VALUES.iter().find(|entry| matches(entry.name));
    entry
        .map(|entry| entry.name)
        .unwrap_or_else(|| unreachable!("{namespace}.{name} is catalogued"))
}

/// The models' frame with one more row.
fn model_row(namespace: &str, fit: &Outcome<IrtFit>) -> Frame {
    let fit = fit.as_ref().ok();
    let cells: [(&str, Cell); 7] = [
        ("modelo", namespace.into()),
        ("n_parametros", fit.map(|f| f.n_parameters).into()),
        ("log_l", fit.map(|f| f.log_likelihood).into()),
        ("aic", fit.map(irt::IrtFit::aic).into()),
        ("bic", fit.map(irt::IrtFit::bic).into()),
        ("convergio", fit.map(|f| i64::from(f.convergence.converged)).into()),
        ("ciclos", fit.map(|f| f.convergence.cycles).into()),
    ];
    cells.into_iter().fold(Frame::new(1), |row, (name, cell)| row.with(name, [cell]))
}
