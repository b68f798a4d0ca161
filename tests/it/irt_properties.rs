//! What must hold on any matrix, without a reference.

use escritura::data::Responses;
use escritura::psychometrics::fit::{Predictions, VarianceFloor, item_fit, person_fit, s_x2};
use escritura::psychometrics::irt::scoring::eap;
use escritura::psychometrics::irt::{self, FitOptions, Grid, IrtFit, ItemParameters, Model};
use proptest::prelude::*;

use crate::parameters::MAP;

const MODELS: [Model; 4] = [Model::Rasch, Model::OneParameter, Model::TwoParameter, MAP];

/// A matrix drawn from a 2PL, a tenth of it missing when `missing`.
fn drawn(n: usize, k: usize, seed: u64, missing: bool) -> Responses {
    let gap = |i: usize, j: usize| missing && (i * 7 + j * 3 + seed as usize).is_multiple_of(10);
    let like = Responses::from_fn(n, k, |i, j| (!gap(i, j)).then_some(true));
    let item = |j: usize| ItemParameters {
        slope: 0.7 + 0.1 * ((j * 5) % 7) as f64,
        intercept: 1.5 - 3.0 * j as f64 / k as f64,
    };
    irt::simulate(&like, &(0..k).map(item).collect::<Vec<_>>(), 1.4, seed, 0)
}

fn fit(data: &Responses, model: Model) -> IrtFit {
    irt::fit(data, model, &FitOptions::default()).unwrap()
}

/// Two fits that agree as far as they converged: an item whose slope runs away
/// is left at an arbitrary place.
fn assert_same(a: &IrtFit, b: &IrtFit) -> Result<(), TestCaseError> {
    let scale = a.log_likelihood.abs();
    prop_assert!((a.log_likelihood - b.log_likelihood).abs() < 1e-9 * scale, "{:?}", a.model);
    prop_assert_eq!(a.convergence.converged, b.convergence.converged);
    if a.convergence.converged {
        prop_assert!((a.variance - b.variance).abs() < 1e-6);
        for (x, y) in a.items.iter().zip(&b.items) {
            prop_assert!((x.slope - y.slope).abs() < 1e-6, "{:?} {:?}", x, y);
            prop_assert!((x.intercept - y.intercept).abs() < 1e-6, "{:?} {:?}", x, y);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn order_of_items_and_examinees_does_not_matter(
        seed in 0u64..1000, n in 60usize..150, k in 4usize..12, missing: bool,
    ) {
        let data = drawn(n, k, seed, missing);
        // Multiplication by a number coprime with the length permutes.
        let rows: Vec<usize> = (0..n).map(|i| (i * 151 + 7) % n).collect();
        let columns: Vec<usize> = (0..k).map(|j| (j * 13 + 3) % k).collect();
        prop_assume!(n % 151 != 0 && k % 13 != 0);
        let shuffled = data.select_examinees(&rows).select_items(&columns);
        for model in [Model::Rasch, MAP] {
            let (a, mut b) = (fit(&data, model), fit(&shuffled, model));
            prop_assert_eq!(a.used.len(), k);
            let mut back = b.items.clone();
            columns.iter().zip(&b.items).for_each(|(&j, item)| back[j] = *item);
            b.items = back;
            assert_same(&a, &b)?;
        }
    }

    #[test]
    fn duplicating_every_examinee_doubles_the_log_likelihood(
        seed in 0u64..1000, n in 60usize..150, missing: bool,
    ) {
        let data = drawn(n, 7, seed, missing);
        let twice: Vec<usize> = (0..n).chain(0..n).collect();
        let doubled = data.select_examinees(&twice);
        for model in [Model::Rasch, Model::OneParameter] {
            let (a, mut b) = (fit(&data, model), fit(&doubled, model));
            b.log_likelihood /= 2.0;
            assert_same(&a, &b)?;
        }
    }

    #[test]
    fn empty_examinees_and_constant_items_change_nothing(
        seed in 0u64..1000, n in 60usize..150, missing: bool,
    ) {
        let data = drawn(n, 6, seed, missing);
        let padded = Responses::from_fn(n + 2, 8, |i, j| match (i, j) {
            (i, _) if i >= n => None,
            (_, 6) => Some(true),
            (_, 7) => Some(false),
            _ => data.get(i, j),
        });
        for model in MODELS {
            let (a, b) = (fit(&data, model), fit(&padded, model));
            prop_assert_eq!(&b.used, &(0..6).collect::<Vec<_>>());
            prop_assert_eq!(a.n_examinees_used, b.n_examinees_used);
            assert_same(&a, &b)?;
        }
    }

    #[test]
    fn recoding_right_as_wrong_turns_the_rasch_scale_around(
        seed in 0u64..1000, n in 60usize..150, missing: bool,
    ) {
        let data = drawn(n, 7, seed, missing);
        let flipped = Responses::from_fn(n, 7, |i, j| data.get(i, j).map(|right| !right));
        let (a, mut b) = (fit(&data, Model::Rasch), fit(&flipped, Model::Rasch));
        b.items.iter_mut().for_each(|item| item.intercept = -item.intercept);
        assert_same(&a, &b)?;
    }

    #[test]
    fn the_larger_model_never_has_the_smaller_likelihood(
        seed in 0u64..1000, n in 40usize..150, k in 4usize..12, missing: bool,
    ) {
        let data = drawn(n, k, seed, missing);
        let (one, two) = (fit(&data, Model::OneParameter), fit(&data, Model::TwoParameter));
        prop_assert!(two.log_likelihood >= one.log_likelihood - 1e-9);
        let map = fit(&data, MAP);
        prop_assert!(two.log_likelihood >= map.log_likelihood - 1e-9);
    }

    #[test]
    fn rasch_scores_grow_with_the_total(seed in 0u64..1000, n in 60usize..150) {
        let data = drawn(n, 9, seed, false);
        let rasch = fit(&data, Model::Rasch);
        let scores = eap(&data, &rasch.items, rasch.variance, &Grid::reference().scoring());
        let mut pairs: Vec<(u32, f64)> =
            data.totals().into_iter().zip(scores.iter().map(|s| s.unwrap().theta)).collect();
        pairs.sort_by(|a, b| a.partial_cmp(b).unwrap());
        prop_assert!(pairs.windows(2).all(|w| (w[0].0 < w[1].0) == (w[0].1 < w[1].1)));
    }

    /// Anything goes in: tiny, empty, constant, separated. Numbers or reasons
    /// come out, never a panic or a NaN.
    #[test]
    fn no_matrix_breaks_anything(
        cells in prop::collection::vec(prop::option::weighted(0.8, any::<bool>()), 0..120),
        k in 1usize..7,
    ) {
        let data = Responses::from_fn(cells.len() / k, k, |i, j| cells[i * k + j]);
        for model in MODELS {
            let Ok(fit) = irt::fit(&data, model, &FitOptions::default()) else { continue };
            prop_assert!(fit.log_likelihood.is_finite() && fit.variance > 0.0);
            prop_assert!(fit.items.iter().all(|i| i.slope.is_finite() && i.intercept.is_finite()));
            prop_assert!(fit.convergence.last_change.is_finite());
            prop_assert!(!fit.convergence.converged || fit.convergence.unidentified.is_empty());
            let used = data.select_items(&fit.used);
            let scores = eap(&used, &fit.items, fit.variance, &fit.grid.scoring());
            prop_assert!(scores.iter().flatten().all(|s| s.theta.is_finite()));
            let thetas: Vec<_> = scores.iter().map(|s| s.map(|s| s.theta)).collect();
            let predictions = Predictions::new(&used, &fit.items, &thetas).unwrap();
            for floor in [VarianceFloor::Reference, VarianceFloor::None] {
                for report in [item_fit(&predictions, floor), person_fit(&predictions, floor)] {
                    let values = report.fits.iter().flat_map(|f| {
                        [f.infit, f.outfit, f.z_infit, f.z_outfit, f.zh]
                    });
                    prop_assert!(values.flatten().all(f64::is_finite));
                }
            }
            let groups = s_x2(&used, &fit.items, fit.variance, &fit.grid, 1);
            prop_assert!(groups.iter().flatten().all(|s| s.statistic.is_finite()));
            let errors = irt::standard_errors(&data, &fit);
            let all = errors.slope.iter().chain(&errors.intercept).chain(&errors.difficulty);
            prop_assert!(all.flatten().all(|e| e.is_finite()));
        }
    }
}

#[test]
fn one_thread_and_two_give_the_same_bits() {
    let data = drawn(3000, 20, 3, true);
    let pool = |n| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
    for model in MODELS {
        let run = |n| pool(n).install(|| fit(&data, model));
        assert_eq!(run(1), run(2));
        assert_eq!(run(1), run(3));
    }
}

#[test]
fn thousands_of_items_do_not_underflow() {
    let data = drawn(60, 1500, 9, false);
    for model in [Model::Rasch, MAP] {
        let fit = fit(&data, model);
        assert!(fit.convergence.converged, "{:?}", fit.convergence);
        let used = data.select_items(&fit.used);
        let scores = eap(&used, &fit.items, fit.variance, &fit.grid.scoring());
        assert!(scores.iter().all(|s| s.is_some_and(|s| s.theta.is_finite())));
    }
}

#[test]
fn s_x2_rejects_about_as_often_as_it_says_when_the_model_holds() {
    let data = drawn(2000, 20, 5, false);
    let two = fit(&data, Model::TwoParameter);
    let found = s_x2(&data, &two.items, 1.0, &Grid::reference(), 2);
    let p: Vec<f64> = found.iter().map(|s| s.unwrap().p.unwrap()).collect();
    let small = p.iter().filter(|p| **p < 0.05).count();
    // Twenty items at 5 %: five or more happen once in four hundred.
    assert!(small < 5, "{p:?}");
    // A lack of fit that it must see: a common slope.
    let one = fit(&data, Model::OneParameter);
    let found = s_x2(&data, &one.items, 1.0, &Grid::reference(), 1);
    assert!(found.iter().flatten().filter(|s| s.p.unwrap() < 0.01).count() >= 3);
}

#[test]
fn an_adequate_grid_stays_adequate_on_wide_data() {
    let like = Responses::from_fn(300, 40, |_, _| Some(true));
    let item = |j| ItemParameters { slope: 1.0, intercept: 6.0 - 0.3 * j as f64 };
    let data = irt::simulate(&like, &(0..40).map(item).collect::<Vec<_>>(), 9.0, 1, 0);
    let wide = irt::fit_on_adequate_grid(&data, Model::Rasch, &FitOptions::default()).unwrap();
    assert!(wide.grid_adequacy.adequate && wide.convergence.converged);
    let narrow = fit(&data, Model::Rasch);
    assert!(!narrow.grid_adequacy.adequate && narrow.variance < wide.variance);
}
