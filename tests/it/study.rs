//! The study as a whole: names, laziness, declarations.

use escritura::data::{Cache, ReadOptions, read_responses};
use escritura::diagnostics::Source;
use escritura::study::catalogue::{COLUMNS, VALUES};
use escritura::study::declarations::Declarations;
use escritura::study::graph::Node;
use escritura::study::input::StudyData;
use escritura::study::options::AnalysisOptions;
use escritura::study::{Computed, Sources, Study};
use escritura::yaml;
use std::collections::BTreeSet;
use std::path::Path;

fn lsat7() -> StudyData {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("content/lsat7/datos/patrones_lsat7.csv");
    let options = ReadOptions { count_column: Some("n".into()), ..Default::default() };
    StudyData::bare(read_responses(&path, &options).unwrap()).unwrap()
}

fn study(declarations: &str) -> Study {
    let source = Source::new("valores.yaml", declarations);
    let parsed: Declarations = yaml::parse(&source).unwrap();
    let sources = Sources { declarations: Some(source), ..Sources::default() };
    Study::new(lsat7(), AnalysisOptions::default(), parsed, sources, Cache::none())
}

fn compute(study: &Study, expressions: &[&str]) -> (Computed, Vec<String>) {
    let mut plan = study.plan();
    expressions.iter().for_each(|text| plan.expression(text).unwrap());
    let (computed, found) = study.compute(&plan, &|_| {});
    (computed, found.iter().map(|one| one.message.clone()).collect())
}

fn number(study: &Study, computed: &Computed, text: &str) -> f64 {
    let value = study.engine().eval(text, &computed.assembled.scope).unwrap();
    f64::try_from(value).unwrap()
}

#[test]
fn what_is_published_is_what_the_catalogue_lists() {
    let study = study("");
    let mut plan = study.plan();
    plan.nodes.extend(VALUES.iter().map(|entry| entry.node));
    plan.nodes.extend(COLUMNS.iter().map(|entry| entry.node));
    let (computed, found) = study.compute(&plan, &|_| {});
    assert!(found.is_empty());
    let published: BTreeSet<&str> = computed.values.keys().copied().collect();
    let listed: BTreeSet<&str> = VALUES.iter().map(|entry| entry.name).collect();
    assert_eq!(published, listed);
    for entry in COLUMNS {
        let frame = computed.assembled.frames.get(entry.frame);
        let column = frame.and_then(|frame| frame.column(entry.column));
        assert!(column.is_some(), "{}.{}", entry.frame, entry.column);
    }
}

#[test]
fn a_chapter_that_prints_only_kr20_fits_no_model() {
    let study = study("");
    let mut plan = study.plan();
    plan.expression("tct.kr20 > 0.4").unwrap();
    plan.expression("cuenta(reactivos, 'r_it < 0.2')").unwrap();
    assert_eq!(plan.nodes, BTreeSet::from([Node::Classical]));
}

#[test]
fn a_column_named_inside_a_text_is_computed() {
    let study = study("");
    let mut plan = study.plan();
    plan.expression("cuenta(reactivos, 'infit > 1.3')").unwrap();
    assert!(plan.nodes.contains(&Node::Fit));
}

#[test]
fn declarations_are_evaluated_in_the_order_of_their_needs() {
    let text = "
variables:
  reactivos:
    dificil: p < umbral
marcos:
  dificiles: {desde: reactivos, filtro: dificil == 1, orden: [p]}
  clases: {desde: reactivos, agrupar: dificil, columnas: {n: grupo.n_filas, media: media(grupo.p)}}
valores:
  doble: 2 * n_dificiles
  n_dificiles: dificiles.n_filas
  umbral: '0.7'
";
    let study = study(text);
    let (computed, found) = compute(&study, &["doble", "clases.media", "clases.n"]);
    assert!(found.is_empty(), "{found:?}");
    // Proportions of the five items: .828 .658 .772 .606 .843.
    assert_eq!(number(&study, &computed, "n_dificiles"), 2.0);
    assert_eq!(number(&study, &computed, "doble"), 4.0);
    assert_eq!(number(&study, &computed, "suma(clases.n)"), 5.0);
    assert_eq!(number(&study, &computed, "maximo(clases.media)"), (0.828 + 0.772 + 0.843) / 3.0);
}

#[test]
fn a_declared_value_may_join_a_computed_namespace() {
    let study = study("valores:\n  tct.doble: 2 * tct.kr20\n");
    let (computed, found) = compute(&study, &["tct.doble"]);
    assert!(found.is_empty(), "{found:?}");
    let twice = 2.0 * number(&study, &computed, "tct.kr20");
    assert_eq!(number(&study, &computed, "tct.doble"), twice);
}

#[test]
fn a_circle_of_declarations_is_an_error_not_a_loop() {
    let study = study("valores:\n  a: b + 1\n  b: a + 1\n");
    let (_, found) = compute(&study, &["a"]);
    assert!(found.iter().any(|message| message.contains("se necesita a sí misma")), "{found:?}");
}

#[test]
fn an_unknown_name_is_refused_when_planning_with_the_nearest() {
    let study = study("valores:\n  propio: '1'\n");
    for (text, near) in [
        ("tct.kr21", "tct.kr20"),
        ("propo", "propio"),
        ("reactivos.ouftit", "outfit"),
        ("reactvos.p", "reactivos"),
    ] {
        let fault = study.plan().expression(text).unwrap_err();
        assert!(fault.hint.as_ref().is_some_and(|hint| hint.contains(near)), "{text}: {fault:?}");
        assert!(fault.range.is_some(), "{text}");
    }
}

#[test]
fn a_value_without_meaning_for_the_data_carries_its_reason() {
    let study = study("");
    let (computed, _) = compute(&study, &["q3.dentro", "dim.phi_sin_base"]);
    for text in ["q3.dentro", "dim.phi_sin_base"] {
        let fault = study.engine().eval(text, &computed.assembled.scope).unwrap_err();
        assert!(fault.message.contains("no se declara"), "{text}: {}", fault.message);
    }
}
