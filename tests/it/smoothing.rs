//! Local regression against R's `loess`.

use escritura::psychometrics::smoothing::Loess;

use crate::oracle::{self, assert_all_close, assert_close};

#[test]
fn the_curve_of_cars_equals_r() {
    let Some(expected) = oracle::json("oraculo/loess_cars.json") else { return };
    let listed = |key: &str| oracle::numbers(&expected[key]);
    let (x, y) = (listed("x"), listed("y"));
    let curve = Loess::fit(&x, &y, 0.75).unwrap();
    let fitted: Vec<f64> = x.iter().map(|&at| curve.predict(at).unwrap()).collect();
    // Two ways of solving the same least squares problems: rounding.
    assert_all_close(&fitted, &listed("fitted"), 1e-10);
    let ends = [curve.vertices[0].x, curve.vertices[curve.vertices.len() - 1].x];
    assert_all_close(&ends, &listed("kd_vert"), 1e-13);
    assert_close(curve.inference.trace, oracle::number(&expected["trace"]), 1e-10);

    // R interpolates delta1 in a table; ours is exact. Apart from that the residual
    // scale is the same: both rest on the same sum of squares.
    let (trace, enp) = (oracle::number(&expected["trace"]), oracle::number(&expected["enp"]));
    let delta1_of_r = enp - 2.0 * trace + x.len() as f64;
    let squares_of_r = oracle::number(&expected["s"]).powi(2) * delta1_of_r;
    let ours = curve.inference;
    let squares = ours.residual_scale.unwrap().powi(2) * ours.delta1;
    assert_close(squares / squares_of_r, 1.0, 1e-12);
    assert!((ours.delta1 / delta1_of_r - 1.0).abs() < 0.002, "R's table is good to three digits");
}

#[test]
fn the_trend_of_the_real_matrix_equals_r() {
    let Some(expected) = oracle::json("oraculo/real.json") else { return };
    let Some(submissions) = oracle::csv("datos/envios_swebench_verified.csv") else { return };
    let Some(persons) = oracle::csv("oraculo/real_personas.csv") else { return };
    let theta = |name: &str| {
        persons.iter().find(|row| row["envio"] == name).unwrap()["theta"].parse::<f64>().unwrap()
    };
    let points: Vec<(f64, f64)> = submissions
        .iter()
        .filter(|row| row["incluido"] == "1" && row["agente"] != "RAG baseline")
        .map(|row| {
            let date: jiff::civil::Date = row["fecha"].parse().unwrap();
            let days = date.since(jiff::civil::date(1970, 1, 1)).unwrap().get_days();
            (f64::from(days), theta(&row["envio"]))
        })
        .collect();
    let (x, y): (Vec<f64>, Vec<f64>) = points.into_iter().unzip();
    let curve = Loess::fit(&x, &y, 0.75).unwrap();
    let listed = |key: &str| oracle::numbers(&expected["loess"][key]);
    let fitted: Vec<f64> = listed("x").iter().map(|&at| curve.predict(at).unwrap()).collect();
    assert_all_close(&fitted, &listed("y"), 1e-10);
}
