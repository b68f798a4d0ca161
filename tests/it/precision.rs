//! Precision on the matrices of the reference.

use escritura::psychometrics::precision::{compare_all, score_errors};
use escritura::psychometrics::{classical, stats};

use crate::oracle::{assert_close, oracle_matrix, real_matrix};

#[test]
fn keats_errors_average_to_the_classical_error_variance() {
    for data in ["LSAT7", "swe60"].map(oracle_matrix).into_iter().chain([real_matrix()]) {
        let Some((responses, _)) = data else { return };
        let classical = classical::analyse(&responses);
        let errors = score_errors(&responses, &classical);
        let squares: Vec<f64> = errors.fixed_items.iter().map(|e| e.unwrap().powi(2)).collect();
        let totals: Vec<f64> = classical.totals.iter().map(|&t| f64::from(t)).collect();
        let variance = stats::variance(&totals).unwrap();
        // Over every item: those without variance only count in the number of items.
        let (k, all) = (classical.k as f64, responses.n_items() as f64);
        let kr20 = classical.kr20.unwrap() * ((k - 1.0) / k) * (all / (all - 1.0));
        let expected = variance * (1.0 - kr20);
        // Variances of divisor n - 1 against mean squares of divisor n: a share of
        // 1 / n of the variance over the spread between items, below 1 %.
        assert_close(stats::mean(&squares).unwrap() / expected, 1.0, 0.01);
    }
}

#[test]
fn ranks_of_the_real_matrix_are_open_at_the_top() {
    let Some((responses, _)) = real_matrix() else { return };
    let found = compare_all(&responses, 0.05).unwrap();
    let totals = responses.totals();
    let n = responses.n_examinees();
    assert_eq!(found.n_pairs, n * (n - 1) / 2);
    assert!(found.could_be_first() > 1);
    // The place by total always lies within the interval.
    for a in 0..n {
        let (better, equal) = totals.iter().fold((0, 0), |(better, equal), &t| {
            (better + usize::from(t > totals[a]), equal + usize::from(t == totals[a]))
        });
        let interval = found.interval(a);
        assert!(interval.best <= better + equal && better < interval.worst, "{a}: {interval:?}");
    }
}
