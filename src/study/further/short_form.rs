//! The short form for the frontier, by the Rasch model and by the two-parameter
//! model with a prior.

use super::Column;
use crate::data::Cell;
use crate::psychometrics::Undefined;
use crate::psychometrics::irt::Model;
use crate::psychometrics::short_form::{Ranking, ShortForm, ShortFormOptions, short_form};
use crate::study::publish::{Publisher, outcome};
use crate::study::reasons::irt_reason;
use crate::study::results::{Inputs, Outcome, done, fit_options, prior_model};

/// Share of the information of all the items to keep.
const SHARE: f64 = 0.90;

/// A form for each model: Rasch, two parameters with prior.
pub type Forms = [Outcome<ShortForm>; 2];

/// Chooses and tries both forms.
pub fn compute(inputs: &Inputs) -> Forms {
    [Model::Rasch, prior_model(inputs)].map(|model| {
        let options = ShortFormOptions {
            share: SHARE,
            frontier: inputs.options.frontera,
            random_forms: inputs.options.remuestreos,
            seed: inputs.options.semilla.into(),
            model,
            fit: fit_options(inputs)?,
        };
        short_form(&inputs.data.responses, &options).map_err(|error| irt_reason(&error))
    })
}

fn all(ranking: &Ranking) -> Result<f64, Undefined> {
    ranking.all
}

fn frontier(ranking: &Ranking) -> Result<f64, Undefined> {
    ranking.frontier
}

impl Publisher<'_> {
    /// Publishes the forms: the values are those of the Rasch model.
    pub(in crate::study) fn short_form(&mut self) {
        let forms = done(&self.results.short_form);
        let [rasch, prior] = forms;
        self.value("forma_corta.n_reactivos", outcome(rasch, |f| f.items.len().into()));
        self.value("forma_corta.n_reactivos_2pl", outcome(prior, |f| f.items.len().into()));
        self.value("forma_corta.n_candidatos", outcome(rasch, |f| f.n_candidates.into()));
        self.value("forma_corta.informacion", outcome(rasch, |f| f.share.into()));
        self.value("forma_corta.spearman", outcome(rasch, |f| f.ranking.all.into()));
        self.value("forma_corta.spearman_frontera", outcome(rasch, |f| f.ranking.frontier.into()));
        let random = |f: &ShortForm, pick: fn(&Ranking) -> Result<f64, Undefined>| {
            f.random_quantile(pick, 0.5).into()
        };
        self.value("forma_corta.azar_spearman", outcome(rasch, |f| random(f, all)));
        self.value("forma_corta.azar_frontera", outcome(rasch, |f| random(f, frontier)));
        self.value("forma_corta.p_azar", outcome(rasch, |f| f.p_value(all).into()));
        self.value("forma_corta.p_azar_frontera", outcome(rasch, |f| f.p_value(frontier).into()));
        let mut place = vec![Cell::Missing; self.data.items.len()];
        if let Ok(form) = rasch {
            form.items.iter().enumerate().for_each(|(at, &j)| place[j] = (at + 1).into());
        }
        self.column("reactivos", "lugar_forma_corta", place);
        self.short_forms_frame(forms);
    }

    fn short_forms_frame(&mut self, forms: &Forms) {
        let columns: [Column<ShortForm>; 9] = [
            ("n_reactivos", &|f| f.items.len().into()),
            ("n_candidatos", &|f| f.n_candidates.into()),
            ("informacion", &|f| f.share.into()),
            ("spearman", &|f| f.ranking.all.ok().into()),
            ("azar_spearman", &|f| f.random_quantile(all, 0.5).ok().into()),
            ("p_azar", &|f| f.p_value(all).into()),
            ("spearman_frontera", &|f| f.ranking.frontier.ok().into()),
            ("azar_frontera", &|f| f.random_quantile(frontier, 0.5).ok().into()),
            ("p_azar_frontera", &|f| f.p_value(frontier).into()),
        ];
        self.column("formas_cortas", "modelo", ["rasch", "dos_pl_previa"]);
        for (name, cell) in columns {
            let cells = forms.iter().map(|form| form.as_ref().ok().map(cell));
            self.column("formas_cortas", name, cells.collect::<Vec<_>>());
        }
    }
}
