//! `escritura analizar` on the reference matrices: the numbers of its JSON and of
//! its frames, against what the reference programs give at full precision.

use super::{Run, escritura};
use crate::oracle::{assert_close, json, number, numbers};
use crate::support::shared;
use std::collections::HashMap;
use std::path::Path;

const REAL: &str = "datos/respuestas_swebench_verified.csv";

fn analyse(file: &str, more: &[&str]) -> Option<Run> {
    let path = shared(file)?;
    let mut arguments = vec!["analizar", path.to_str().unwrap(), "--json"];
    arguments.extend(more);
    Some(escritura(Path::new("."), &arguments).good())
}

type Rows = Vec<HashMap<String, String>>;

fn frame(folder: &Path, name: &str) -> Rows {
    let mut reader = csv::Reader::from_path(folder.join(format!("{name}.csv"))).unwrap();
    reader.deserialize().map(Result::unwrap).collect()
}

/// A column as numbers; the rows without a datum are left out.
fn column(rows: &Rows, name: &str) -> Vec<f64> {
    rows.iter()
        .map(|row| &row[name])
        .filter(|t| !t.is_empty())
        .map(|t| t.parse().unwrap())
        .collect()
}

#[test]
fn the_real_matrix_gives_the_reference_numbers() {
    let Some(run) = analyse(REAL, &["--modelos", "rasch"]) else { return };
    let all = run.json();
    let whole = |path: &str| all.pointer(path).unwrap().as_i64().unwrap();
    assert_eq!(whole("/datos/n_examinados"), 158);
    assert_eq!(whole("/datos/n_reactivos"), 500);
    assert_eq!(whole("/datos/k"), 469);
    assert_eq!(whole("/tct/n_r_negativa"), 9);
    let real = |path: &str| number(all.pointer(path).unwrap());
    // Nine decimals are what the statement of the task gives.
    assert_close(real("/tct/kr20"), 0.993958775, 5e-10);
    assert_close(real("/tct/r_mediana"), 0.555134972, 5e-10);
    // The reference's own EM stopped at a change of 1e-11 in the parameters.
    assert_close(real("/rasch/log_l"), -24882.4146206, 1e-5);
    assert_close(real("/rasch/varianza"), 3.7700484, 1e-5);
    assert_eq!(all.pointer("/rasch/convergio").unwrap(), true);
}

#[test]
fn the_frames_of_the_real_matrix_equal_the_reference_to_the_sixth_decimal() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().to_str().unwrap();
    let Some(_) = analyse(REAL, &["--modelos", "rasch", "--marcos", to]) else { return };
    let exact = &json("oraculo/real_exact.json").unwrap();
    let rasch = &exact["rasch"];
    let items = frame(folder.path(), "reactivos");
    let names: Vec<&str> =
        exact["items"].as_array().unwrap().iter().map(|v| v.as_str().unwrap()).collect();
    let analysed: Rows = items.iter().filter(|row| !row["b_rasch"].is_empty()).cloned().collect();
    assert_eq!(analysed.iter().map(|row| &*row["reactivo"]).collect::<Vec<_>>(), names);
    let negated = |values: Vec<f64>| values.into_iter().map(|d| -d).collect();
    let near = |ours: Vec<f64>, reference: Vec<f64>, what: &str| {
        assert_eq!(ours.len(), reference.len(), "{what}");
        for (at, (a, b)) in ours.iter().zip(&reference).enumerate() {
            assert!((a - b).abs() <= 1e-6, "{what}, row {at}: {a} against {b}");
        }
    };
    near(column(&items, "b_rasch"), negated(numbers(&rasch["d"])), "b");
    near(column(&items, "infit"), numbers(&rasch["item_infit"]), "infit");
    near(column(&items, "outfit"), numbers(&rasch["item_outfit"]), "outfit");
    let persons = frame(folder.path(), "examinados");
    near(column(&persons, "theta"), numbers(&rasch["eap"]), "theta");
    near(column(&persons, "ee"), numbers(&rasch["se"]), "standard error");
    near(column(&persons, "infit"), numbers(&rasch["person_infit"]), "person infit");
    near(column(&persons, "outfit"), numbers(&rasch["person_outfit"]), "person outfit");
    near(column(&persons, "zh"), numbers(&rasch["Zh"]), "Zh");
}

#[test]
fn the_classical_columns_of_the_real_matrix_equal_the_reference() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().to_str().unwrap();
    let Some(_) = analyse(REAL, &["--modelos", "rasch", "--marcos", to]) else { return };
    let reference = crate::oracle::csv("oraculo/real_items.csv").unwrap();
    let ours: HashMap<String, _> =
        frame(folder.path(), "reactivos").into_iter().map(|r| (r["reactivo"].clone(), r)).collect();
    for row in &reference {
        let own = &ours[&row["item"]];
        // Closed formulas on both sides: rounding only.
        for (a, b) in [("p", "p"), ("r_it", "r_itc"), ("p_bajo", "p_bajo"), ("p_alto", "p_alto")] {
            assert_close(own[a].parse().unwrap(), row[b].parse().unwrap(), 1e-12);
        }
    }
}

#[test]
fn lsat7_gives_the_reference_numbers_and_frames() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().to_str().unwrap();
    let Some(run) = analyse("oraculo/LSAT7.csv", &["--modelos", "rasch", "--marcos", to]) else {
        return;
    };
    assert!(run.err.contains("«Item.1»"), "a file without ids says how it was read: {}", run.err);
    let reference = json("oraculo/LSAT7.json").unwrap();
    let exact = &reference["rasch"]["exact"];
    let all = run.json();
    let real = |path: &str| number(all.pointer(path).unwrap());
    assert_close(real("/tct/kr20"), number(&reference["ctt"]["kr20"]), 1e-12);
    assert_close(real("/rasch/log_l"), number(&exact["logLik"]), 1e-5);
    assert_close(real("/rasch/varianza"), number(&exact["cov"]), 1e-5);
    let items = frame(folder.path(), "reactivos");
    for (b, d) in column(&items, "b_rasch").iter().zip(numbers(&exact["d"])) {
        assert_close(*b, -d, 1e-6);
    }
    for (r, expected) in column(&items, "r_it").iter().zip(numbers(&reference["ctt"]["r_it"])) {
        assert_close(*r, expected, 1e-12);
    }
    // The oracle's scores stand beside a tight fit, not the exact one: its
    // variance is 7e-8 and its intercepts up to 1e-7 away.
    let tight = &reference["rasch"]["tight"]["down"];
    for (theta, expected) in
        column(&frame(folder.path(), "examinados"), "theta").iter().zip(numbers(&tight["eap"]))
    {
        assert_close(*theta, expected, 1e-6);
    }
}

#[test]
fn the_full_analysis_prints_the_same_bytes_on_one_thread_and_on_two() {
    let Some(path) = shared(REAL) else { return };
    let arguments = ["analizar", path.to_str().unwrap(), "--todo", "--json"];
    let one = super::escritura_with_threads(Path::new("."), &arguments, 1).good();
    let two = super::escritura_with_threads(Path::new("."), &arguments, 2).good();
    assert_eq!(one.out, two.out);
}
