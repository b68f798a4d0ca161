//! What goes with the estimates of the models: standard errors, other scores than
//! EAP, S-X2.

use crate::data::Cell;
use crate::psychometrics::fit::{SX2, s_x2};
use crate::psychometrics::irt::scoring::{
    NoScore, Score, maximum_a_posteriori, maximum_likelihood, weighted_likelihood,
};
use crate::psychometrics::irt::{self, IrtFit, StandardErrorMethod, StandardErrors};
use crate::study::publish::{Publisher, outcome};
use crate::study::results::{Inputs, Outcome, done};

/// Scores by other criteria than the posterior mean.
#[derive(Debug)]
pub struct OtherScores {
    /// Posterior mode.
    posterior_mode: Vec<Result<Score, NoScore>>,
    /// Maximum likelihood: infinite for perfect and zero patterns.
    likelihood: Vec<Result<Score, NoScore>>,
    /// Warm's weighted likelihood.
    weighted: Vec<Result<Score, NoScore>>,
}

/// Standard errors of a model.
pub fn errors(inputs: &Inputs, fit: &Outcome<IrtFit>) -> Outcome<StandardErrors> {
    let fit = fit.as_ref().map_err(String::clone)?;
    Ok(irt::standard_errors(&inputs.data.responses, fit))
}

/// Other scores of the Rasch model.
pub fn scores(inputs: &Inputs, fit: &Outcome<IrtFit>) -> Outcome<OtherScores> {
    let fit = fit.as_ref().map_err(String::clone)?;
    let used = inputs.data.responses.select_items(&fit.used);
    Ok(OtherScores {
        posterior_mode: maximum_a_posteriori(&used, &fit.items, fit.variance),
        likelihood: maximum_likelihood(&used, &fit.items),
        weighted: weighted_likelihood(&used, &fit.items),
    })
}

/// Orlando and Thissen's statistic of each item of the Rasch model.
pub fn grouped_fit(inputs: &Inputs, fit: &Outcome<IrtFit>) -> Outcome<Vec<Option<SX2>>> {
    let fit = fit.as_ref().map_err(String::clone)?;
    let used = inputs.data.responses.select_items(&fit.used);
    Ok(s_x2(&used, &fit.items, fit.variance, &fit.grid, 1))
}

impl Publisher<'_> {
    /// Publishes standard errors.
    pub(in crate::study) fn standard_errors(&mut self) {
        let results = self.results;
        let rasch = done(&results.rasch_errors);
        let prior = done(&results.two_pl_prior_errors);
        self.value("rasch.varianza_ee", outcome(rasch, |e| e.variance.into()));
        let joint = |e: &StandardErrors| (e.method == StandardErrorMethod::Joint).into();
        self.value("rasch.ee_conjuntos", outcome(rasch, joint));
        self.value("dos_pl_previa.ee_conjuntos", outcome(prior, joint));
        let empty = vec![];
        let of = |errors: &'_ Outcome<StandardErrors>,
                  pick: fn(&StandardErrors) -> &Vec<Option<f64>>| {
            errors.as_ref().map_or(&empty, pick).clone()
        };
        let (used, _) = parameters(done(&results.rasch));
        self.item_column("ee_b_rasch", used, of(rasch, |e| &e.difficulty));
        let (used, _) = parameters(done(&results.two_pl_prior));
        self.item_column("ee_a_2pl", used, of(prior, |e| &e.slope));
        self.item_column("ee_b_2pl", used, of(prior, |e| &e.difficulty));
    }

    /// Publishes the other scores.
    pub(in crate::study) fn other_scores(&mut self) {
        let scores = done(&self.results.other_scores);
        let infinite = |s: &OtherScores| {
            let beyond = |score: &&Result<Score, NoScore>| {
                matches!(score, Err(NoScore::PlusInfinity | NoScore::MinusInfinity))
            };
            s.likelihood.iter().filter(beyond).count().into()
        };
        self.value("rasch.n_sin_ml", outcome(scores, infinite));
        let n = self.data.responses.n_examinees();
        type Pick = fn(&OtherScores) -> &Vec<Result<Score, NoScore>>;
        let columns: [(&str, &str, Pick); 3] = [
            ("theta_map", "ee_map", |s| &s.posterior_mode),
            ("theta_ml", "ee_ml", |s| &s.likelihood),
            ("theta_wle", "ee_wle", |s| &s.weighted),
        ];
        for (theta, error, pick) in columns {
            let cell = |i: usize, part: fn(&Score) -> f64| -> Cell {
                scores.as_ref().ok().and_then(|s| pick(s)[i].as_ref().ok().map(part)).into()
            };
            self.column("examinados", theta, (0..n).map(|i| cell(i, |s| s.theta)));
            self.column("examinados", error, (0..n).map(|i| cell(i, |s| s.standard_error)));
        }
    }

    /// Publishes S-X2.
    pub(in crate::study) fn grouped_fit(&mut self) {
        let found = done(&self.results.grouped_fit);
        let low = |all: &Vec<Option<SX2>>| {
            all.iter()
                .flatten()
                .filter(|one| one.p.is_some_and(|p| p < super::LEVEL))
                .count()
                .into()
        };
        self.value("ajuste.n_sx2", outcome(found, low));
        let (used, _) = parameters(done(&self.results.rasch));
        let of = |pick: fn(&SX2) -> Option<f64>| -> Vec<Option<f64>> {
            let all = found.as_ref().map(|all| all.as_slice()).unwrap_or_default();
            all.iter().map(|one| one.as_ref().and_then(pick)).collect()
        };
        self.item_column("sx2", used, of(|s| Some(s.statistic)));
        self.item_column("sx2_gl", used, of(|s| Some(s.degrees_of_freedom as f64)));
        self.item_column("sx2_p", used, of(|s| s.p));
    }
}

fn parameters(fit: &Outcome<IrtFit>) -> (&[usize], usize) {
    fit.as_ref().map_or((&[], 0), |fit| (&fit.used, fit.items.len()))
}
