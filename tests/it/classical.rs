//! Classical statistics against R.

use escritura::psychometrics::{classical, stats};

use crate::oracle::{self, assert_all_close, assert_close};

/// Sums of at most a few hundred terms in R and here: rounding only.
const ROUNDING: f64 = 1e-13;

#[test]
fn small_matrices_equal_r() {
    for name in ["LSAT7", "swe60"] {
        let Some((responses, _)) = oracle::oracle_matrix(name) else { return };
        let Some(expected) = oracle::json(&format!("oraculo/{name}.json")) else { return };
        let expected = &expected["ctt"];
        let result = classical::analyse(&responses);
        assert_close(result.kr20.unwrap(), oracle::number(&expected["kr20"]), ROUNDING);
        let column = |value: fn(&classical::ItemStatistics) -> f64| {
            result.items.iter().map(value).collect::<Vec<f64>>()
        };
        let listed = |key| oracle::numbers(&expected[key]);
        assert_all_close(&column(|item| item.p.unwrap()), &listed("p"), ROUNDING);
        assert_all_close(&column(|item| item.r_it.unwrap()), &listed("r_it"), ROUNDING);
        assert_all_close(&column(|item| item.p_low.unwrap()), &listed("p_low"), ROUNDING);
        assert_all_close(&column(|item| item.p_high.unwrap()), &listed("p_high"), ROUNDING);
        let quartiles = ["q25", "q75"].map(|key| oracle::number(&expected[key]));
        assert_eq!(result.quartiles.unwrap(), quartiles);
    }
}

#[test]
fn the_real_matrix_equals_r() {
    let Some((responses, names)) = oracle::real_matrix() else { return };
    let Some(real) = oracle::json("oraculo/real.json") else { return };
    let result = classical::analyse(&responses);
    let (tct, dist) = (&real["tct"], &real["dist"]);
    assert_eq!(result.k as u64, tct["k"].as_u64().unwrap());
    assert_close(result.kr20.unwrap(), oracle::number(&tct["kr20"]), ROUNDING);
    assert_close(result.median_r.unwrap(), oracle::number(&tct["r_mediana"]), ROUNDING);
    let r: Vec<f64> = result.items.iter().filter_map(|item| item.r_it.ok()).collect();
    let count = |cut: f64| r.iter().filter(|&&r| r < cut).count() as f64;
    assert_eq!(count(0.2), oracle::number(&tct["n_r20"]));
    assert_eq!(count(0.0), oracle::number(&tct["n_rneg"]));
    let totals: Vec<f64> = result.totals.iter().map(|&t| f64::from(t)).collect();
    assert_eq!(stats::median(&totals).unwrap(), oracle::number(&dist["mediana"]));
    let quartiles = oracle::numbers(&dist["q"]);
    assert_eq!(result.quartiles.unwrap()[..], quartiles[..]);

    let Some(table) = oracle::csv("oraculo/real_items.csv") else { return };
    for row in &table {
        let item = &result.items[names.iter().position(|name| *name == row["item"]).unwrap()];
        let value = |key: &str| row[key].parse::<f64>().unwrap();
        assert_close(item.p.unwrap(), value("p"), ROUNDING);
        assert_close(item.r_it.unwrap(), value("r_itc"), ROUNDING);
        assert_close(item.p_low.unwrap(), value("p_bajo"), ROUNDING);
        assert_close(item.p_high.unwrap(), value("p_alto"), ROUNDING);
    }
    assert_eq!(table.len(), result.k);
}

#[test]
fn near_duplicates_of_the_real_matrix_are_found() {
    let Some((responses, _)) = oracle::real_matrix() else { return };
    let Some(real) = oracle::json("oraculo/real.json") else { return };
    let hamming = &real["hamming"];
    let totals = responses.totals();
    let pairs = stats::hamming_pairs(&responses, 10);
    assert_eq!(pairs.len() as u64, hamming["n_pares"].as_u64().unwrap());
    let largest = pairs.iter().map(|pair| totals[pair.a].max(totals[pair.b])).max();
    assert_eq!(u64::from(largest.unwrap()), hamming["max_tot"].as_u64().unwrap());
    let able: Vec<usize> = (0..totals.len()).filter(|&i| totals[i] >= 50).collect();
    let closest = stats::closest_pair(&responses, &able).unwrap();
    assert_eq!(u64::from(closest.distance), hamming["d_min50"].as_u64().unwrap());
}

#[test]
fn constant_items_leave_the_base_case_unchanged() {
    let case = |name: &str| oracle::matrix(&format!("oraculo/casos/{name}.csv"), true);
    let Some((base, _)) = case("00_base") else { return };
    let base = classical::analyse(&base);
    for name in ["01_item_all_zero", "02_item_all_one"] {
        let with = classical::analyse(&case(name).unwrap().0);
        assert_eq!((with.kr20, with.quartiles), (base.kr20, base.quartiles));
        let varying: Vec<_> = with.varying.iter().map(|&j| with.items[j].clone()).collect();
        assert_eq!(varying, base.items);
    }
    let same_totals = classical::analyse(&case("29_all_same_total").unwrap().0);
    assert!(same_totals.kr20.is_err() && same_totals.median_r.is_err());
    assert!(same_totals.items.iter().all(|item| item.p_low.is_err() && item.p.is_ok()));
}
