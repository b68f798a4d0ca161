//! Awkward matrices through `analizar`: every number that exists is finite, every
//! one that does not is null with its reason, and nothing panics. The reference
//! values are those of the exact EM on the fixed grid of 61 points.

use super::{Run, escritura};
use crate::support::shared;
use serde_json::Value;
use std::path::Path;

/// `analizar --json` of a text.
fn analyse_text(csv: &str, more: &[&str]) -> Run {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("datos.csv"), csv).unwrap();
    let arguments = [&["analizar", "datos.csv", "--json"], more].concat();
    escritura(folder.path(), &arguments)
}

/// A case of the reference data, as text.
fn case(name: &str) -> Option<String> {
    let bytes = std::fs::read(shared(&format!("oraculo/casos/{name}.csv"))?).unwrap();
    Some(String::from_utf8(bytes).unwrap())
}

fn analyse_case(name: &str, more: &[&str]) -> Option<Run> {
    Some(analyse_text(&case(name)?, more))
}

/// A null without a reason, or a list with a hole, is a number lost in silence.
#[track_caller]
fn sound(run: &Run) -> Value {
    let all = run.json();
    let reasons = all["razones"].as_object().unwrap();
    assert!(reasons.values().all(|reason| reason.as_str().is_some_and(|text| !text.is_empty())));
    for (group, values) in all.as_object().unwrap().iter().filter(|(name, _)| *name != "razones") {
        for (name, value) in values.as_object().unwrap() {
            let full = format!("{group}.{name}");
            assert_eq!(value.is_null(), reasons.contains_key(&full), "{full}: {value}");
            let holes = value.as_array().is_some_and(|list| list.iter().any(Value::is_null));
            assert!(!holes, "{full} has a value that is none: {value}");
        }
    }
    all
}

#[track_caller]
fn good(csv: &str) -> Value {
    sound(&analyse_text(csv, &[]).good())
}

#[track_caller]
fn close(all: &Value, path: &str, expected: f64, tolerance: f64) {
    let found = all.pointer(&format!("/{}", path.replace('.', "/"))).unwrap();
    let found = found.as_f64().unwrap_or_else(|| panic!("{path} is {found}"));
    assert!((found - expected).abs() <= tolerance, "{path}: {found} against {expected}");
}

/// The results that a file of the same answers must share.
fn results(all: &Value) -> Vec<Value> {
    let groups =
        ["tct", "rasch", "dos_pl", "dos_pl_previa", "dim", "info", "comparacion", "ajuste", "q3"];
    // Items without variance count, or are named, here and only here.
    let counts = ["n_p0", "n_p1", "n_raros", "n_faciles", "descartados"];
    groups
        .iter()
        .map(|name| {
            let mut group = all[*name].clone();
            if let Some(map) = group.as_object_mut() {
                counts.iter().for_each(|count| drop(map.remove(*count)));
            }
            group
        })
        .collect()
}

#[test]
fn every_case_of_the_reference_is_analysed_or_refused_with_its_place() {
    let Some(folder) = shared("oraculo/casos") else { return };
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned();
        let run = analyse_case(&name, &[]).unwrap();
        match run.code {
            0 => drop(sound(&run)),
            1 => {
                assert!(run.out.is_empty() && run.err.contains("datos.csv:"), "{name}: {}", run.err)
            }
            other => panic!("{name}: exit status {other}"),
        }
        seen += 1;
    }
    assert!(seen > 0);
}

#[test]
fn the_base_case_gives_the_reference_numbers() {
    let Some(run) = analyse_case("00_base", &[]) else { return };
    let all = sound(&run.good());
    // The reference gives six decimals of each.
    close(&all, "rasch.log_l", -77.964130, 1e-6);
    close(&all, "rasch.varianza", 3.073049, 1e-6);
    close(&all, "dos_pl_previa.log_l", -76.528773, 1e-6);
    close(&all, "dos_pl.log_l", -73.33133862, 1e-6);
    assert_eq!(all["dos_pl"]["no_identificadas"], serde_json::json!(["t1", "t6"]));
    assert_eq!(all["dos_pl"]["convergio"], false);
    close(&all, "dim.tetracorica_minimo", -0.013645, 1e-4);
    let first = all["dim"]["tetracorica"][0].as_f64().unwrap();
    // psych's own optimiser stops at 1e-4 in the correlations.
    assert!((first - 3.3983829).abs() < 1e-3 * 3.4, "{first}");
}

#[test]
fn an_item_that_nobody_or_everybody_solves_changes_nothing_and_is_named() {
    let Some(base) = analyse_case("00_base", &[]) else { return };
    let base = results(&sound(&base));
    for name in ["01_item_all_zero", "02_item_all_one"] {
        let run = analyse_case(name, &[]).unwrap().good();
        assert_eq!(results(&sound(&run)), base, "{name}");
        assert!(run.err.contains("sin varianza"), "{name}: {}", run.err);
    }
}

#[test]
fn bom_quotes_and_crlf_change_nothing() {
    let Some(base) = analyse_case("00_base", &[]) else { return };
    for name in ["15_bom", "16_quoted", "17_crlf"] {
        assert_eq!(analyse_case(name, &[]).unwrap().good().out, base.out, "{name}");
    }
}

#[test]
fn other_separators_change_nothing() {
    let Some(text) = case("00_base") else { return };
    let base = analyse_text(&text, &[]).good();
    for separator in [";", "\t"] {
        assert_eq!(analyse_text(&text.replace(',', separator), &[]).good().out, base.out);
    }
}

#[test]
fn missing_answers_are_missing_and_not_failed() {
    let Some(text) = case("05_three_missing") else { return };
    let all = good(&text);
    close(&all, "rasch.log_l", -76.782422, 1e-6);
    close(&all, "rasch.varianza", 3.117187, 1e-6);
    close(&all, "dos_pl_previa.log_l", -75.144396, 1e-6);
    assert_eq!(all["datos"]["n_faltantes"], 3);
}

#[test]
fn every_way_of_writing_a_missing_answer_is_the_same() {
    let Some(text) = case("05_three_missing") else { return };
    let base = analyse_text(&text, &[]).good().out;
    let cell = |cell: &str, token: &str| {
        if matches!(cell, "" | "NA" | "NaN" | ".") { token.to_owned() } else { cell.to_owned() }
    };
    let rows_with = |token: &str| -> String {
        let row = |line: &str| {
            line.split(',').map(|one| cell(one, token)).collect::<Vec<_>>().join(",") + "\n"
        };
        text.lines().map(row).collect()
    };
    for token in ["", "NA", "NaN", "."] {
        assert_eq!(analyse_text(&rows_with(token), &[]).good().out, base, "{token}");
    }
    let starred = rows_with("*");
    assert_eq!(analyse_text(&starred, &["--faltantes", "*"]).good().out, base);
    assert_eq!(analyse_text(&starred, &[]).code, 1, "a star means nothing by itself");
}

#[test]
fn codes_that_are_no_answers_are_refused_with_row_and_column() {
    for (name, place, item) in [
        ("08_stray_2", "datos.csv:2:5", "t1"),
        ("10_codes_1_2", "datos.csv:2:7", "t2"),
        ("12_partial_credit", "datos.csv:7:7", "t2"),
    ] {
        let Some(run) = analyse_case(name, &[]) else { return };
        assert_eq!((run.code, &*run.out), (1, ""), "{name}");
        assert!(run.err.contains(place) && run.err.contains(&format!("«{item}»")), "{}", run.err);
    }
    assert!(analyse_case("12_partial_credit", &[]).unwrap().err.contains("puntaje parcial"));
}

#[test]
fn a_declared_recoding_gives_the_base_results() {
    let Some(base) = analyse_case("00_base", &[]) else { return };
    let run = analyse_case("10_codes_1_2", &["--recodificar", "1:0,2:1"]).unwrap().good();
    assert_eq!(run.out, base.out);
    let mixed = analyse_text("id,a,b\nu,0,2\nd,1,1\n", &["--recodificar", "1:0,2:1"]);
    assert_eq!(mixed.code, 1, "a code outside the recoding is no answer: {}", mixed.out);
}

#[test]
fn a_square_matrix_is_data_and_not_a_table() {
    let Some(text) = case("23_square_N_equals_k") else { return };
    let all = good(&text);
    close(&all, "rasch.log_l", -21.136097, 1e-6);
    close(&all, "rasch.varianza", 1.875136, 1e-6);
}

#[test]
fn guttman_data_name_every_slope_as_not_identified() {
    let Some(text) = case("25_guttman") else { return };
    let all = good(&text);
    close(&all, "rasch.log_l", -46.019633, 1e-6);
    close(&all, "rasch.varianza", 9.410773, 1e-6);
    assert_eq!(all["dos_pl"]["convergio"], false);
    assert_eq!(all["dos_pl"]["no_identificadas"].as_array().unwrap().len(), 6);
}

#[test]
fn an_item_separated_by_the_rest_is_named_and_the_prior_holds_it() {
    let Some(text) = case("26_step_item") else { return };
    let all = good(&text);
    assert_eq!(all["dos_pl"]["convergio"], false);
    let names = all["dos_pl"]["no_identificadas"].as_array().unwrap();
    assert!(names.contains(&"step".into()), "{names:?}");
    close(&all, "dos_pl_previa.log_l", -83.259878, 1e-6);
    // Four decimals in the reference.
    close(&all, "dos_pl_previa.a_max", 2.5518, 1e-3);
}

#[test]
fn perfect_and_zero_scorers_have_finite_scores() {
    let Some(path) = shared("oraculo/casos/28_perfect_and_zero_rows.csv") else { return };
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().to_str().unwrap();
    let run =
        escritura(Path::new("."), &["analizar", path.to_str().unwrap(), "--json", "--marcos", to]);
    let all = sound(&run.good());
    close(&all, "rasch.log_l", -82.514733, 1e-6);
    close(&all, "rasch.varianza", 4.063895, 1e-6);
    let mut reader = csv::Reader::from_path(folder.path().join("examinados.csv")).unwrap();
    let rows: Vec<std::collections::HashMap<String, String>> =
        reader.deserialize().map(Result::unwrap).collect();
    let score = |total: &str, column: &str| -> f64 {
        rows.iter().find(|row| row["total"] == total).unwrap()[column].parse().unwrap()
    };
    // The reference prints four decimals, from a fit to 1e-4.
    for (total, theta, error) in [("6", 2.8546, 1.1789), ("0", -2.9318, 1.1360)] {
        assert!((score(total, "theta") - theta).abs() < 2e-3, "{}", score(total, "theta"));
        assert!((score(total, "ee") - error).abs() < 2e-3, "{}", score(total, "ee"));
    }
}

#[test]
fn equal_totals_leave_no_common_factor_and_say_so() {
    let Some(run) = analyse_case("29_all_same_total", &[]) else { return };
    let run = run.good();
    let all = sound(&run);
    close(&all, "rasch.log_l", -99.8132, 1e-4);
    assert!(all["rasch"]["varianza"].as_f64().unwrap() <= 1e-4 + 1e-12);
    assert!(run.err.contains("factor común"), "{}", run.err);
    for name in ["kr20", "r_mediana"] {
        assert!(all["tct"][name].is_null(), "{name}");
    }
    assert_eq!(all["razones"]["tct.kr20"], "varianza 0");
}

#[test]
fn a_ragged_row_is_refused_with_its_line() {
    let Some(run) = analyse_case("31_ragged_row", &[]) else { return };
    assert_eq!(run.code, 1);
    assert!(run.err.contains("datos.csv:7:1"), "{}", run.err);
}

#[test]
fn one_person_has_a_score_and_no_model() {
    let Some(text) = case("32_one_person") else { return };
    let all = good(&text);
    assert!(all["puntajes"]["mediana"].is_number());
    for model in ["rasch", "dos_pl", "dos_pl_previa"] {
        assert!(all[model]["log_l"].is_null(), "{model}");
    }
}

#[test]
fn two_items_are_described_and_no_model_is_fitted() {
    for name in ["20_one_item", "21_two_items"] {
        let Some(text) = case(name) else { return };
        let all = good(&text);
        assert!(all["rasch"]["log_l"].is_null(), "{name}");
        assert!(all["datos"]["k"].is_number());
    }
    close(&good(&case("21_two_items").unwrap()), "tct.kr20", 0.4840301974448329, 1e-12);
}

#[test]
fn rows_and_columns_without_answers_change_nothing() {
    let Some(text) = case("00_base") else { return };
    let base = good(&text);
    let empty_row = format!("{}\nnadie,NA,NA,NA,NA,NA,NA\n", text.trim_end());
    let with_row = good(&empty_row);
    for path in ["rasch.log_l", "rasch.varianza", "dos_pl_previa.log_l", "tct.kr20"] {
        let expected = base.pointer(&format!("/{}", path.replace('.', "/"))).unwrap();
        // One more row may change the order of a sum, nothing else.
        close(&with_row, path, expected.as_f64().unwrap(), 1e-9);
    }
    let empty_column: String = text
        .lines()
        .enumerate()
        .map(|(at, line)| format!("{line},{}\n", if at == 0 { "vacía" } else { "" }))
        .collect();
    let with_column = good(&empty_column);
    close(&with_column, "rasch.log_l", base["rasch"]["log_l"].as_f64().unwrap(), 1e-9);
}

#[test]
fn duplicated_rows_double_the_likelihood_and_leave_the_parameters() {
    let Some(text) = case("00_base") else { return };
    let base = good(&text);
    let rows = text.lines().skip(1).map(|line| format!("otra-{line}\n"));
    let twice = good(&(text.trim_end().to_owned() + "\n" + &rows.collect::<String>()));
    let value = |path: &str| base.pointer(path).unwrap().as_f64().unwrap();
    // The fit stops at a change of 1e-9 in the parameters.
    close(&twice, "rasch.log_l", 2.0 * value("/rasch/log_l"), 1e-6);
    close(&twice, "rasch.varianza", value("/rasch/varianza"), 1e-6);
    assert!(twice["hamming"]["n_pares"].is_number());
}

#[test]
fn matrices_of_every_small_shape_are_described_without_a_lost_number() {
    let rectangle = |n: usize, k: usize, cell: &dyn Fn(usize, usize) -> &'static str| {
        let header: String = (0..k).map(|j| format!(",i{j}")).collect();
        let row = |i: usize| (0..k).fold(format!("e{i}"), |row, j| row + "," + cell(i, j)) + "\n";
        format!("id{header}\n{}", (0..n).map(row).collect::<String>())
    };
    let bit = |value: bool| if value { "1" } else { "0" };
    let shapes: [(&str, String); 9] = [
        ("one cell", rectangle(1, 1, &|_, _| "1")),
        ("all right", rectangle(5, 4, &|_, _| "1")),
        ("all wrong", rectangle(5, 4, &|_, _| "0")),
        ("all missing", rectangle(5, 4, &|_, _| "")),
        ("two persons", rectangle(2, 4, &|i, j| bit((i + j) % 2 == 0))),
        ("identical rows", rectangle(6, 4, &|_, j| bit(j % 2 == 0))),
        ("identical columns", rectangle(6, 4, &|i, _| bit(i % 2 == 0))),
        ("opposed columns", rectangle(8, 4, &|i, j| bit((i % 2 == 0) == (j % 2 == 0)))),
        ("a missing diagonal", rectangle(6, 6, &|i, j| if i == j { "" } else { bit(i > j) })),
    ];
    for (name, csv) in shapes {
        let run = analyse_text(&csv, &[]);
        assert_eq!(run.code, 0, "{name}: {}", run.err);
        sound(&run);
    }
}

#[test]
fn a_file_without_items_or_rows_is_refused() {
    for csv in ["", "\n", "id\n", "id\na\nb\n", "id,t1\n", "\u{feff}"] {
        let run = analyse_text(csv, &[]);
        assert_eq!((run.code, &*run.out), (1, ""), "{csv:?}: {}", run.err);
        assert!(run.err.contains("error[") && run.err.contains("datos.csv"), "{}", run.err);
    }
}

#[test]
fn five_thousand_items_and_odd_names_are_no_trouble() {
    let k = 5000;
    let header: String = (0..k).map(|j| format!(",ítem «{j}» ⚡")).collect();
    let long = "é".repeat(2000);
    let row = |i: usize| {
        let cells: String =
            (0..k).map(|j| if (i * 7 + j * 13) % 11 < 5 { ",1" } else { ",0" }).collect();
        format!("{long}{i}{cells}\n")
    };
    let csv = format!("id{header}\n{}", (0..6).map(row).collect::<String>());
    let run = analyse_text(&csv, &["--modelos", "rasch"]).good();
    assert_eq!(sound(&run)["datos"]["n_reactivos"], k);
}

#[test]
fn the_order_of_rows_and_columns_does_not_matter() {
    let Some(text) = case("00_base") else { return };
    let base = good(&text);
    let mut lines: Vec<&str> = text.lines().collect();
    lines[1..].reverse();
    let rows = good(&lines.join("\n"));
    let columns: String = text
        .lines()
        .map(|line| {
            let mut cells: Vec<&str> = line.split(',').collect();
            cells[1..].reverse();
            cells.join(",") + "\n"
        })
        .collect();
    let columns = good(&columns);
    for path in
        ["tct.kr20", "tct.r_mediana", "rasch.log_l", "rasch.varianza", "dos_pl_previa.log_l"]
    {
        let expected = base.pointer(&format!("/{}", path.replace('.', "/"))).unwrap();
        // Sums in another order: rounding, and where the fit stops.
        close(&rows, path, expected.as_f64().unwrap(), 1e-8);
        close(&columns, path, expected.as_f64().unwrap(), 1e-8);
    }
}
