//! Precision, differential functioning, resampling, nulls, short form and
//! sensitivity, as a chapter asks for them.

use crate::oracle::assert_close;
use crate::support::shared;
use escritura::data::{Cache, ReadOptions, read_responses};
use escritura::diagnostics::Source;
use escritura::study::catalogue::{COLUMNS, VALUES};
use escritura::study::declarations::Declarations;
use escritura::study::input::StudyData;
use escritura::study::options::{AnalysisOptions, DataOptions};
use escritura::study::publish::Datum;
use escritura::study::{Computed, Sources, Study};
use escritura::yaml;
use std::path::Path;

fn parsed<T: serde::de::DeserializeOwned>(text: &str) -> T {
    yaml::parse(&Source::new("opciones.yaml", text)).unwrap()
}

fn lsat7(options: &str) -> Study {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("content/lsat7/datos/patrones_lsat7.csv");
    let reading = ReadOptions { count_column: Some("n".into()), ..Default::default() };
    let data = StudyData::bare(read_responses(&path, &reading).unwrap()).unwrap();
    Study::new(
        data,
        parsed::<AnalysisOptions>(options),
        Declarations::default(),
        Sources::default(),
        Cache::none(),
    )
}

fn real(options: &str) -> Option<Study> {
    let folder = shared("datos")?;
    let files = "respuestas: respuestas_swebench_verified.csv\n\
                 examinados: envios_swebench_verified.csv\n";
    let source = Source::new("index.md", files);
    let data = StudyData::load(&folder, &yaml::parse::<DataOptions>(&source).unwrap(), &source);
    let declarations = "
variables:
  examinados:
    familia: >-
      'base' if agente == 'RAG baseline' else ('minima' if mini_swe_agent == 1 else 'otros')
  reactivos:
    repositorio: reactivo|split('__')|first
";
    let declared = Source::new("valores.yaml", declarations);
    let parsed_declarations = yaml::parse(&declared).unwrap();
    Some(Study::new(
        data.unwrap(),
        parsed(options),
        parsed_declarations,
        Sources { declarations: Some(declared), ..Sources::default() },
        Cache::none(),
    ))
}

fn compute(study: &Study, wanted: impl Fn(&str) -> bool) -> (Computed, Vec<String>) {
    let mut plan = study.plan();
    plan.nodes.extend(VALUES.iter().filter(|entry| wanted(entry.name)).map(|entry| entry.node));
    let (computed, found) = study.compute(&plan, &|_| {});
    (computed, found.iter().map(|one| one.message.clone()).collect())
}

fn number(computed: &Computed, name: &str) -> f64 {
    match &computed.values[name] {
        Datum::Number(value) => *value,
        Datum::Integer(value) => *value as f64,
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn what_is_not_declared_is_undefined_with_its_reason() {
    let study = lsat7("{remuestreos: 5, simulaciones: 2}");
    let (computed, found) = compute(&study, |name| {
        ["precision.", "dif.", "sensibilidad."].iter().any(|one| name.starts_with(one))
    });
    assert!(found.is_empty());
    for (name, word) in [
        ("dif.n_c", "grupo focal"),
        ("dif.azar_p", "grupo focal"),
        ("precision.ee_bloques_mediana", "bloques"),
        ("sensibilidad.kr20_sin_base", "grupo base"),
        ("sensibilidad.n_dudosos", "reactivos_dudosos"),
    ] {
        let Datum::Undefined(reason) = &computed.values[name] else { panic!("{name}") };
        assert!(reason.contains(word), "{name}: {reason}");
    }
}

#[test]
fn a_doubtful_item_that_does_not_exist_is_reported_with_the_nearest() {
    let study = lsat7("{reactivos_dudosos: [Item.1, Itm.2]}");
    let (_, found) = compute(&study, |name| name == "tct.kr20");
    assert_eq!(found, ["«reactivos_dudosos» nombra «Itm.2», que no es un reactivo"]);
}

#[test]
fn doubtful_items_can_be_a_condition() {
    let study = lsat7("{reactivos_dudosos: \"reactivo == 'Item.2'\"}");
    let (computed, found) = compute(&study, |name| name == "sensibilidad.n_dudosos");
    assert!(found.is_empty(), "{found:?}");
    assert_eq!(number(&computed, "sensibilidad.n_dudosos"), 1.0);
    let frame = &computed.assembled.frames["variantes"];
    assert_eq!(frame.column("k").unwrap().last().unwrap().to_string(), "4");
    let wrong = lsat7("{reactivos_dudosos: 'p < 0.2'}");
    let (_, found) = compute(&wrong, |name| name == "tct.kr20");
    assert!(found.len() == 1 && found[0].contains("reactivos_dudosos"), "{found:?}");
}

#[test]
fn a_whole_frame_asks_for_nothing_slow_unless_it_is_slow_itself() {
    let study = lsat7("{}");
    let mut plan = study.plan();
    for frame in ["reactivos", "examinados", "autovalores", "comparaciones"] {
        plan.whole_frame(frame).unwrap();
    }
    assert!(plan.nodes.iter().all(|node| !node.is_slow()));
    plan.whole_frame("cortes").unwrap();
    assert!(plan.nodes.iter().any(|node| node.is_slow()));
    let slow = |frame: &str| COLUMNS.iter().any(|c| c.frame == frame && c.node.is_slow());
    assert!(slow("reactivos") && slow("examinados"));
}

#[test]
fn the_real_chapter_gets_what_its_conclusion_asks_for() {
    let options = "
grupos: {variable: familia, base: base, focal: minima}
bloques: repositorio
remuestreos: 20
simulaciones: 2
reactivos_dudosos: [psf__requests-1724, psf__requests-2317, pylint-dev__pylint-7277]
";
    let Some(study) = real(options) else { return };
    let (computed, found) = compute(&study, |_| true);
    assert!(found.is_empty(), "{found:?}");
    let undefined: Vec<&str> = computed
        .values
        .iter()
        .filter(|(_, datum)| matches!(datum, Datum::Undefined(_)))
        .map(|(name, _)| *name)
        .collect();
    assert!(undefined.is_empty(), "{undefined:?}");
    let value = |name| number(&computed, name);
    // The wide grid of the reference.
    assert_close(value("sensibilidad.varianza_rejilla"), 3.86935, 1e-4);
    assert_close(value("sensibilidad.desplazamiento_b").abs(), 0.26, 0.01);
    assert_close(value("sensibilidad.desplazamiento_b_max"), 0.38, 0.01);
    assert_close(value("sensibilidad.log_l_rejilla"), -24875.6146, 0.01);
    assert_eq!(value("dif.n_focal") + value("dif.n_referencia"), value("datos.n_examinados"));
    let known = ["dif.n_a", "dif.n_b", "dif.n_c", "dif.n_sin_estadistico"];
    assert_eq!(known.map(value).iter().sum::<f64>(), value("datos.n_reactivos"));
    assert!(value("dif.n_c") > value("dif.azar_n_c_p95"));
    assert!(value("intervalos.kr20_min") < value("tct.kr20"));
    assert!(value("tct.kr20") < value("intervalos.kr20_max"));
    assert!(value("nulos.barajado_kr20_p95") < value("tct.kr20"));
    assert!(value("precision.n_primeros") > 1.0);
    assert!(value("forma_corta.n_reactivos") < value("forma_corta.n_candidatos"));
    assert!(value("precision.ee_bloques_superior") > 0.0);
    // The fitted model expects far fewer pairs beyond the customary cut.
    assert!(value("nulos.q3_pct_alto") < value("q3.pct_alto"));
    // Rasch, whose first eigenvalue is too large, leaves the others too small; neither
    // model explains the second.
    assert!(value("nulos.modelo_n_retenidos") > value("nulos.modelo_2pl_n_retenidos"));
    assert!(value("nulos.modelo_2pl_n_retenidos") > 1.0);
}
