//! Differential item functioning between the declared groups.

use super::Column;
use crate::psychometrics::dif::{self, EtsClass, FlagCounts, Group, ItemDif, Matching, NoDif};
use crate::psychometrics::stats;
use crate::study::publish::{Publisher, outcome};
use crate::study::results::{Inputs, Outcome, done};

/// The statistics of every item.
pub type Found = Vec<Result<ItemDif, NoDif>>;

/// Computes the statistics of every item.
pub fn compute(inputs: &Inputs) -> Outcome<Found> {
    let (groups, matching) = groups(inputs)?;
    Ok(dif::item_dif(&inputs.data.responses, groups, matching))
}

/// How many items are flagged when the groups are permuted.
pub fn null(inputs: &Inputs) -> Outcome<Vec<FlagCounts>> {
    let (groups, matching) = groups(inputs)?;
    let (n, seed) = (inputs.options.remuestreos, inputs.options.semilla.into());
    if n == 0 {
        return Err("el capítulo pide 0 remuestreos".into());
    }
    Ok(dif::flag_null(&inputs.data.responses, groups, matching, n, seed))
}

fn groups<'a>(inputs: &'a Inputs) -> Outcome<(&'a [Option<Group>], Matching)> {
    let Some(groups) = &inputs.groups.dif else {
        return Err("no se declara un grupo focal en «analisis: grupos»".into());
    };
    for (group, name) in [(Group::Focal, "focal"), (Group::Reference, "de referencia")] {
        if !groups.contains(&Some(group)) {
            return Err(format!("el grupo {name} no tiene examinados"));
        }
    }
    Ok((groups, Matching::Quantiles(inputs.options.estratos)))
}

/// The name of a class in tables.
fn class_name(class: EtsClass) -> &'static str {
    match class {
        EtsClass::A => "A",
        EtsClass::B => "B",
        EtsClass::C => "C",
    }
}

impl Publisher<'_> {
    /// Publishes the statistics of every item.
    pub(in crate::study) fn dif(&mut self) {
        let found = done(&self.results.dif);
        let members =
            |group| self.groups.dif.iter().flatten().filter(|g| **g == Some(group)).count();
        let [focal, reference] = [Group::Focal, Group::Reference].map(members);
        self.value("dif.n_focal", outcome(found, |_| focal.into()));
        self.value("dif.n_referencia", outcome(found, |_| reference.into()));
        let count = |holds: fn(&ItemDif) -> bool| {
            outcome(found, |f| f.iter().flatten().filter(|d| holds(d)).count().into())
        };
        self.value("dif.n_a", count(|d| d.class() == EtsClass::A));
        self.value("dif.n_b", count(|d| d.class() == EtsClass::B));
        self.value("dif.n_c", count(|d| d.class() == EtsClass::C));
        let against = count(|d| d.class() == EtsClass::C && d.excess > 0.0);
        self.value("dif.n_c_contra_focal", against);
        self.value("dif.n_sin_delta", count(|d| d.odds.is_err()));
        let strata = |f: &Found| f.iter().flatten().map(|d| d.n_strata).max().into();
        self.value("dif.n_estratos", outcome(found, strata));
        let without = |f: &Found| f.iter().filter(|d| d.is_err()).count().into();
        self.value("dif.n_sin_estadistico", outcome(found, without));
        self.dif_columns(found);
    }

    fn dif_columns(&mut self, found: &Outcome<Found>) {
        let columns: [Column<ItemDif>; 8] = [
            ("dif_delta", &|d| d.odds.ok().map(|odds| odds.delta()).into()),
            ("dif_ee", &|d| d.odds.ok().map(|odds| odds.delta_error()).into()),
            ("dif_chi2", &|d| d.chi_square.into()),
            ("dif_p", &|d| d.p.into()),
            ("dif_clase", &|d| class_name(d.class()).into()),
            ("dif_estandarizada", &|d| d.standardised_difference.into()),
            ("dif_exceso", &|d| d.excess.into()),
            ("dif_estratos", &|d| d.n_strata.into()),
        ];
        for (name, cell) in columns {
            let item = |j: usize| found.as_ref().ok().and_then(|f| f[j].as_ref().ok());
            let cells = (0..self.data.items.len()).map(|j| item(j).map(cell));
            self.column("reactivos", name, cells.collect::<Vec<_>>());
        }
    }

    /// Publishes how many items of class C chance makes.
    pub(in crate::study) fn dif_null(&mut self) {
        let null = done(&self.results.dif_null);
        let counts = |n: &Vec<FlagCounts>| n.iter().map(|f| f.c as f64).collect::<Vec<f64>>();
        self.value("dif.azar_n_c", outcome(null, |n| stats::mean(&counts(n)).into()));
        let p95 = outcome(null, |n| stats::quantile7(&counts(n), 0.95).into());
        self.value("dif.azar_n_c_p95", p95);
        let observed = done(&self.results.dif)
            .as_ref()
            .map_or(0, |found| found.iter().flatten().filter(|d| d.class() == EtsClass::C).count());
        let p = |n: &Vec<FlagCounts>| {
            let as_many = n.iter().filter(|flags| flags.c >= observed).count();
            ((1 + as_many) as f64 / (1 + n.len()) as f64).into()
        };
        self.value("dif.azar_p", outcome(null, p));
    }
}
