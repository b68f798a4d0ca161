//! A short form for the frontier: the fewest items that keep most of the information
//! about the highest scorers, chosen on one half of the examinees and tried on the
//! other.

use rand::seq::SliceRandom;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::irt::scoring::eap;
use super::irt::{self, FitOptions, IrtError, IrtFit, Model, information};
use super::random::stream;
use super::{Undefined, stats};
use crate::data::Responses;

/// How to choose and how to try.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ShortFormOptions {
    /// Share of the information of all items to keep, in (0, 1].
    pub share: f64,
    /// Highest scorers of all the examinees that make the frontier; a half has half.
    pub frontier: usize,
    /// Random forms of the same length to compare with.
    pub random_forms: usize,
    /// Seed of the split and of the random forms.
    pub seed: u64,
    /// Model whose information counts.
    pub model: Model,
    /// How it is fitted.
    pub fit: FitOptions,
}

/// How a form ranks examinees: Spearman's correlation of their score on it with
/// their score on the whole test (which contains it).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Ranking {
    /// Over all of them.
    pub all: Result<f64, Undefined>,
    /// Over their frontier.
    pub frontier: Result<f64, Undefined>,
}

/// A short form and how it did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShortForm {
    /// Its items, as positions in the matrix given, most informative first.
    pub items: Vec<usize>,
    /// Items that it was chosen from.
    pub n_candidates: usize,
    /// Share of the information that it keeps on the half that chose it.
    pub share: f64,
    /// Examinees of the half that chose it.
    pub n_choosing: usize,
    /// Examinees of the half that tried it.
    pub n_trying: usize,
    /// How it ranks the half that did not choose it.
    pub ranking: Ranking,
    /// How random forms of the same length rank the same half.
    pub random: Vec<Ranking>,
}

impl ShortForm {
    /// Probability of a random form at least as good: `(1 + as good) / (1 + forms)`.
    pub fn p_value(&self, pick: impl Fn(&Ranking) -> Result<f64, Undefined>) -> Option<f64> {
        let own = pick(&self.ranking).ok().filter(|_| !self.random.is_empty())?;
        let as_good = self.random.iter().filter(|r| pick(r).is_ok_and(|r| r >= own)).count();
        Some((1 + as_good) as f64 / (1 + self.random.len()) as f64)
    }

    /// Quantile `p` of the random forms.
    pub fn random_quantile(
        &self,
        pick: impl Fn(&Ranking) -> Result<f64, Undefined>,
        p: f64,
    ) -> Result<f64, Undefined> {
        let values: Vec<f64> = self.random.iter().filter_map(|r| pick(r).ok()).collect();
        stats::quantile7(&values, p)
    }
}

/// Chooses the form on one half, tries it on the other. Information adds up over
/// items, so that taking the most informative first is the best choice of any length.
pub fn short_form(
    responses: &Responses,
    options: &ShortFormOptions,
) -> Result<ShortForm, IrtError> {
    let mut order: Vec<usize> = (0..responses.n_examinees()).collect();
    order.shuffle(&mut stream(options.seed, 0));
    let (choosing, trying) = order.split_at(order.len() / 2);
    let [choosing, trying] = [choosing, trying].map(|half| {
        // Their order in the matrix breaks ties, not the order of the draw.
        let mut half = half.to_vec();
        half.sort_unstable();
        responses.select_examinees(&half)
    });
    let fit = irt::fit(&choosing, options.model, &options.fit)?;
    let (items, share) = choose(&choosing, &fit, options);
    let trial = Trial::new(&trying, options.frontier.div_ceil(2));
    Ok(ShortForm {
        n_candidates: fit.used.len(),
        share,
        n_choosing: choosing.n_examinees(),
        n_trying: trying.n_examinees(),
        ranking: trial.rank(&items),
        random: trial.random(&fit.used, items.len(), options),
        items,
    })
}

/// The most informative items on average over the frontier, until they keep the
/// share asked for; and the share they keep.
fn choose(choosing: &Responses, fit: &IrtFit, options: &ShortFormOptions) -> (Vec<usize>, f64) {
    let top = highest(&choosing.totals(), options.frontier.div_ceil(2));
    let answers = choosing.select_items(&fit.used).select_examinees(&top);
    let scores = eap(&answers, &fit.items, fit.variance, &fit.grid.scoring());
    let thetas: Vec<f64> = scores.iter().flatten().map(|score| score.theta).collect();
    let mut informed: Vec<(usize, f64)> = fit
        .used
        .iter()
        .zip(&fit.items)
        .map(|(&j, item)| {
            (j, thetas.iter().map(|&theta| information::item_information(item, theta)).sum())
        })
        .collect();
    informed.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let total: f64 = informed.iter().map(|(_, information)| information).sum();
    let (mut kept, mut items) = (0.0, vec![]);
    for (item, information) in informed {
        if kept >= options.share * total {
            break;
        }
        kept += information;
        items.push(item);
    }
    (items, if total > 0.0 { kept / total } else { 0.0 })
}

/// The `n` highest totals, ties by position.
fn highest(totals: &[u32], n: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..totals.len()).collect();
    order.sort_by_key(|&i| (std::cmp::Reverse(totals[i]), i));
    order.truncate(n);
    order
}

/// The half that tries forms.
struct Trial<'a> {
    responses: &'a Responses,
    totals: Vec<f64>,
    frontier: Vec<usize>,
}

impl<'a> Trial<'a> {
    fn new(responses: &'a Responses, frontier: usize) -> Self {
        let totals = responses.totals();
        let frontier = highest(&totals, frontier);
        Self { responses, totals: totals.into_iter().map(f64::from).collect(), frontier }
    }

    fn rank(&self, items: &[usize]) -> Ranking {
        let form = self.responses.count_correct(items).values(self.responses.n_examinees());
        let form: Vec<f64> = form.into_iter().map(f64::from).collect();
        let of = |values: &[f64]| self.frontier.iter().map(|&i| values[i]).collect::<Vec<_>>();
        Ranking {
            all: stats::spearman(&form, &self.totals),
            frontier: stats::spearman(&of(&form), &of(&self.totals)),
        }
    }

    /// Forms drawn without replacement from the same candidates.
    fn random(
        &self,
        candidates: &[usize],
        length: usize,
        options: &ShortFormOptions,
    ) -> Vec<Ranking> {
        let one = |number: u64| {
            let mut drawn = candidates.to_vec();
            // Stream 0 split the examinees.
            drawn.shuffle(&mut stream(options.seed, number + 1));
            self.rank(&drawn[..length])
        };
        (0..options.random_forms as u64).into_par_iter().map(one).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::psychometrics::irt::{ItemParameters, simulate};

    fn options(share: f64) -> ShortFormOptions {
        ShortFormOptions {
            share,
            frontier: 40,
            random_forms: 50,
            seed: 7,
            model: Model::Rasch,
            fit: FitOptions::default(),
        }
    }

    /// Ten items as hard as the frontier is able, and forty that it finds trivial.
    fn example() -> Responses {
        let like = Responses::from_fn(400, 50, |_, _| Some(true));
        let item = |j| ItemParameters { slope: 1.0, intercept: if j < 10 { -1.5 } else { 3.5 } };
        simulate(&like, &(0..50).map(item).collect::<Vec<_>>(), 1.0, 3, 0)
    }

    #[test]
    fn the_form_holds_the_items_that_inform_about_the_frontier() {
        let form = short_form(&example(), &options(0.9)).unwrap();
        let mut first: Vec<usize> = form.items[..10].to_vec();
        first.sort_unstable();
        assert_eq!(first, (0..10).collect::<Vec<_>>());
        assert!(form.share >= 0.9 && form.items.len() < form.n_candidates);
        assert_eq!((form.n_choosing, form.n_trying), (200, 200));
    }

    #[test]
    fn it_ranks_the_other_frontier_better_than_random_forms_do() {
        let options = options(0.6);
        let form = short_form(&example(), &options).unwrap();
        let median = form.random_quantile(|r| r.frontier, 0.5).unwrap();
        assert!(form.ranking.frontier.unwrap() > median);
        assert!(form.p_value(|r| r.frontier).unwrap() < 0.2);
        assert_eq!(short_form(&example(), &options), Ok(form));
    }

    #[test]
    fn the_whole_test_ranks_like_itself() {
        let form = short_form(&example(), &options(1.0)).unwrap();
        assert_eq!(form.items.len(), form.n_candidates);
        assert!((form.ranking.all.unwrap() - 1.0).abs() < 1e-14, "one product rounded");
    }

    #[test]
    fn too_few_examinees_to_fit_half_have_a_reason() {
        let one = Responses::from_fn(2, 8, |i, j| Some((i + j) % 2 == 0));
        assert_eq!(short_form(&one, &options(0.9)), Err(IrtError::OneExaminee));
        let none = Responses::from_fn(0, 8, |_, _| None);
        assert_eq!(short_form(&none, &options(0.9)), Err(IrtError::NoExaminees));
    }
}
