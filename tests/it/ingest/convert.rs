//! Responses from other sources.

use super::{messages, put, read};
use escritura::ingest::{ConvertOptions, ConvertSummary, Format, convert};
use proptest::prelude::*;

fn run(
    name: &str,
    text: &str,
    options: &ConvertOptions,
) -> Result<(String, ConvertSummary), String> {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), &[(name, text)]);
    let out = folder.path().join("salida.csv");
    let summary = convert(&folder.path().join(name), &out, options);
    let summary = summary.map_err(|found| {
        assert!(!out.exists(), "nothing is written");
        let line = found.iter().next().map_or(0, |one| one.place.order().1);
        format!("{line}: {}", messages(&found).join(" | "))
    })?;
    Ok((read(out), summary))
}

fn converted(name: &str, text: &str) -> String {
    run(name, text, &ConvertOptions::default()).unwrap().0
}

fn fault(name: &str, text: &str) -> String {
    run(name, text, &ConvertOptions::default()).unwrap_err()
}

/// The same answers in all sources.
const MATRIX: &str = "id,b,a\ny,1,0\nx,,1\n";

#[test]
fn the_four_sources_give_the_same_matrix() {
    let long = "\u{feff}examinee;item;response\r\ny;b;1\r\ny;a;0\r\nx;b;NA\r\nx;a;1\r\n";
    let lines = "{\"subject_id\": \"y\", \"responses\": {\"b\": 1, \"a\": 0}}\n\n\
                 {\"subject_id\": \"x\", \"responses\": {\"b\": null, \"a\": true}}\n";
    let transposed = "item,y,x\nb,1,\na,0,1\n";
    let board = r#"{"leaderboards": [{"name": "Sim", "results": [
        {"name": "y", "per_instance_details": {"b": {"resolved": true}, "a": {"resolved": false}}},
        {"name": "sin detalles"},
        {"name": "x", "per_instance_details": {"a": {"resolved": true, "cost": 1}}}]}]}"#;
    for (name, text, format) in [
        ("a.csv", long, Format::Long),
        ("a.jsonl", lines, Format::Lines),
        ("a.csv", transposed, Format::Transposed),
        ("a.json", board, Format::Leaderboard),
    ] {
        let (text, summary) = run(name, text, &ConvertOptions::default()).unwrap();
        assert_eq!(text, MATRIX, "{format:?}");
        let shape = (summary.format, summary.n_examinees, summary.n_items, summary.n_missing);
        assert_eq!(shape, (format, 2, 2, 1));
    }
}

#[test]
fn what_is_not_mentioned_is_missing_unless_told() {
    let text = "persona,reactivo,acierto,otra\n01,a,1,z\n02,b,0,z\n";
    assert_eq!(converted("a.csv", text), "id,a,b\n01,1,\n02,,0\n");
    let wrong = ConvertOptions { absent_is_wrong: true, ..ConvertOptions::default() };
    assert_eq!(run("a.csv", text, &wrong).unwrap().0, "id,a,b\n01,1,0\n02,0,0\n");
}

#[test]
fn columns_and_boards_can_be_named() {
    let options = ConvertOptions {
        format: Some(Format::Long),
        columns: Some(["quién", "qué", "n"].map(String::from)),
        ..ConvertOptions::default()
    };
    assert_eq!(run("a.txt", "n,quién,qué\n1,x,a\n", &options).unwrap().0, "id,a\nx,1\n");
    let entry = r#"[{"folder": "x", "per_instance_details": {"a": 1}}]"#;
    let boards = format!(r#"[{{"name": "A", "r": {entry}}}, {{"name": "B", "r": {entry}}}]"#);
    assert!(fault("a.json", &boards).contains("elija uno con --tablero: A, B"));
    let board = |name: &str| ConvertOptions { board: Some(name.into()), ..Default::default() };
    assert_eq!(run("a.json", &boards, &board("B")).unwrap().0, "id,a\nx,1\n");
    assert!(run("a.json", &boards, &board("C")).unwrap_err().contains("no existe el tablero «C»"));
}

#[test]
fn faults_name_their_line() {
    let header = "examinee,item,response\nx,a,1\n";
    for (rest, says) in [
        ("x,b,2\n", "3: la respuesta «2»"),
        ("x,b,0.5\n", "3: la respuesta «0.5»"),
        ("x,a,1\n", "3: «x» responde dos veces a «a»"),
        (",a,1\n", "3: falta el examinado"),
        ("x,b\n", "3: "),
    ] {
        let fault = fault("a.csv", &format!("{header}{rest}"));
        assert!(fault.starts_with(says), "{fault}");
    }
    let first = "{\"subject_id\": \"x\", \"responses\": {\"a\": 1}}\n";
    for (rest, says) in [
        ("{\"subject_id\": \"x\", \"responses\": {}}", "2: «x» aparece dos veces"),
        ("{\"subject_id\": \"y\", \"responses\": {\"a\": 2}}", "2: la respuesta a «a» es 2"),
        ("{\"subject_id\": \"y\", \"responses\": {\"a\": 1, \"a\": 0}}", "2: «y» responde dos"),
        ("{\"subject_id\": [], \"responses\": {}}", "2: subject_id es una lista"),
        ("{\"subject_id\": \"y\"}", "2: el JSON no tiene la forma"),
        ("{\"subject", "2: el JSON está incompleto"),
    ] {
        let fault = fault("a.jsonl", &format!("{first}{rest}"));
        assert!(fault.starts_with(says), "{fault}");
    }
    for (text, says) in [
        ("{}", "ningún objeto"),
        ("[", "incompleto"),
        (r#"[{"per_instance_details": {"a": 1}}]"#, "no dice de quién es"),
        (r#"[{"id": "x", "per_instance_details": {"a": "sí"}}]"#, "«x», a: se esperaba 0 o 1"),
        (r#"[{"id": "x", "per_instance_details": {}}]"#, "no hay ninguna respuesta"),
    ] {
        assert!(fault("a.json", text).contains(says), "{text}");
    }
    assert!(fault("a.csv", "").contains("vacío"));
    assert!(fault("a.jsonl", "").contains("no hay ninguna respuesta"));
}

#[test]
fn deep_json_is_refused_instead_of_overflowing() {
    assert!(fault("a.json", &"[".repeat(100_000)).contains("JSON"));
}

proptest! {
    #[test]
    fn no_bytes_make_the_converters_panic(
        name in prop::sample::select(vec!["a.csv", "a.json", "a.jsonl"]),
        pieces in prop::collection::vec(prop_oneof![
            Just("examinee,item,response\n".to_owned()), Just("x,a,1\n".to_owned()),
            Just("{\"subject_id\":".to_owned()), Just("\"responses\":{".to_owned()),
            Just("\"per_instance_details\":{".to_owned()), Just("\"a\":1".to_owned()),
            Just("}".to_owned()), Just("[".to_owned()), Just("]".to_owned()), Just(",".to_owned()),
            Just("\n".to_owned()), ".{0,4}",
        ], 0..20)
    ) {
        let _ = run(name, &pieces.concat(), &ConvertOptions::default());
    }
}
