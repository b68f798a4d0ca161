//! What changes with the grid, without the base group and without doubtful items.

use super::Column;
use crate::psychometrics::Undefined;
use crate::psychometrics::irt::IrtFit;
use crate::psychometrics::sensitivity::{Change, Decisions, Variant, analyse};
use crate::study::publish::{Datum, Publisher};
use crate::study::reasons::irt_reason;
use crate::study::results::{Inputs, Outcome, done, fit_options};

/// The decisions compared, as rows of the frame.
const NAMES: [&str; 4] =
    ["referencia", "rejilla adecuada", "sin el grupo base", "sin los reactivos dudosos"];

/// The variants, in the order of [`NAMES`], the first being what the others are
/// compared with.
pub type Variants = [Outcome<Variant>; 4];

/// Analyses every variant.
pub fn compute(inputs: &Inputs) -> Variants {
    let responses = &inputs.data.responses;
    let every = || -> Outcome<Decisions> {
        Ok(Decisions {
            examinees: (0..responses.n_examinees()).collect(),
            items: (0..responses.n_items()).collect(),
            fit: fit_options(inputs)?,
            adequate_grid: false,
        })
    };
    let wide = every().map(|all| Decisions { adequate_grid: true, ..all });
    let without_base = match &inputs.groups.without_base {
        None => Err("no se declara un grupo base en «analisis: grupos»".into()),
        Some(rest) => {
            rest.clone().and_then(|examinees| every().map(|all| Decisions { examinees, ..all }))
        }
    };
    let without_doubtful = match &inputs.groups.doubtful {
        None => Err("no se declaran «reactivos_dudosos» en «analisis»".into()),
        Some(doubtful) => every().map(|all| {
            let items = all.items.into_iter().filter(|j| !doubtful.contains(j)).collect();
            Decisions { items, ..all }
        }),
    };
    [every(), wide, without_base, without_doubtful]
        .map(|decisions| Ok(analyse(responses, decisions?)))
}

/// A variant and how it differs from the reference.
type Row<'a> = (&'static str, &'a Variant, Change);

impl Publisher<'_> {
    /// Publishes the variants.
    pub(in crate::study) fn sensitivity(&mut self) {
        let variants = done(&self.results.sensitivity);
        let reference = &variants[0];
        let change = |at: usize, pick: fn(&Change) -> Result<f64, Undefined>| {
            both(reference, &variants[at], |r, v| datum(pick(&v.change_from(r))))
        };
        let model = |at: usize, pick: fn(&IrtFit) -> f64| {
            both(reference, &variants[at], |_, v| fitted(v, pick))
        };
        let statistic = |at: usize, pick: fn(&Variant) -> Result<f64, Undefined>| {
            both(reference, &variants[at], |_, v| datum(pick(v)))
        };
        let doubtful = self.groups.doubtful.as_ref().map(Vec::len).ok_or_else(|| {
            Datum::Undefined("no se declaran «reactivos_dudosos» en «analisis»".into())
        });
        let published = [
            ("sensibilidad.varianza_rejilla", model(1, |f| f.variance)),
            ("sensibilidad.rejilla_puntos", model(1, |f| f.grid.points() as f64)),
            ("sensibilidad.rejilla_limite", model(1, |f| f.grid.range().1)),
            ("sensibilidad.log_l_rejilla", model(1, |f| f.log_likelihood)),
            ("sensibilidad.desplazamiento_b", change(1, |c| c.difficulty_shift)),
            ("sensibilidad.desplazamiento_b_max", change(1, |c| c.difficulty_largest)),
            ("sensibilidad.r_theta_rejilla", change(1, |c| c.theta_r)),
            ("sensibilidad.varianza_sin_base", model(2, |f| f.variance)),
            ("sensibilidad.kr20_sin_base", statistic(2, |v| v.statistics.kr20)),
            ("sensibilidad.razon_phi_sin_base", statistic(2, |v| v.statistics.eigenvalue_ratio)),
            ("sensibilidad.r_theta_sin_base", change(2, |c| c.theta_r)),
            ("sensibilidad.n_dudosos", doubtful.map_or_else(|why| why, Datum::from)),
            ("sensibilidad.kr20_sin_dudosos", statistic(3, |v| v.statistics.kr20)),
            ("sensibilidad.spearman_sin_dudosos", change(3, |c| c.total_spearman)),
            ("sensibilidad.r_theta_sin_dudosos", change(3, |c| c.theta_r)),
        ];
        published.into_iter().for_each(|(name, datum)| self.value(name, datum));
        self.variants_frame(variants);
    }

    fn variants_frame(&mut self, variants: &Variants) {
        let mut rows: Vec<Row> = vec![];
        if let Ok(reference) = &variants[0] {
            for (name, variant) in NAMES.into_iter().zip(variants) {
                rows.extend(variant.iter().map(|v| (name, v, v.change_from(reference))));
            }
        }
        let fitted =
            |v: &Variant, pick: fn(&IrtFit) -> f64| v.model.as_ref().ok().map(|(f, _)| pick(f));
        let columns: [Column<Row>; 14] = [
            ("variante", &|row| row.0.into()),
            ("n_examinados", &|row| row.1.decisions.examinees.len().into()),
            ("k", &|row| row.1.k.into()),
            ("kr20", &|row| row.1.statistics.kr20.ok().into()),
            ("r_mediana", &|row| row.1.statistics.median_r.ok().into()),
            ("phi_1", &|row| row.1.statistics.first_eigenvalue.ok().into()),
            ("razon_phi", &|row| row.1.statistics.eigenvalue_ratio.ok().into()),
            ("varianza", &|row| fitted(row.1, |f| f.variance).into()),
            ("log_l", &|row| fitted(row.1, |f| f.log_likelihood).into()),
            ("desplazamiento_b", &|row| row.2.difficulty_shift.ok().into()),
            ("desplazamiento_b_max", &|row| row.2.difficulty_largest.ok().into()),
            ("r_b", &|row| row.2.difficulty_r.ok().into()),
            ("r_theta", &|row| row.2.theta_r.ok().into()),
            ("spearman_total", &|row| row.2.total_spearman.ok().into()),
        ];
        for (name, cell) in columns {
            self.column("variantes", name, rows.iter().map(cell));
        }
    }
}

fn datum(value: Result<f64, Undefined>) -> Datum {
    value.into()
}

fn fitted(variant: &Variant, pick: fn(&IrtFit) -> f64) -> Datum {
    match &variant.model {
        Ok((fit, _)) => pick(fit).into(),
        Err(error) => Datum::Undefined(irt_reason(error)),
    }
}

fn both(
    reference: &Outcome<Variant>,
    variant: &Outcome<Variant>,
    value: impl FnOnce(&Variant, &Variant) -> Datum,
) -> Datum {
    match (reference, variant) {
        (Ok(reference), Ok(variant)) => value(reference, variant),
        (_, Err(why)) | (Err(why), _) => Datum::Undefined(why.clone()),
    }
}
