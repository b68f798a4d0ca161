//! The chapters of the project, built by the real binary: the demonstration as it
//! is committed, and the same chapter over the real data against the reference.

use super::{Book, Site};
use crate::oracle::{csv, json, number, numbers};
use crate::support::shared;
use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

type Row = HashMap<String, String>;

/// A table as a reader sees it.
struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

fn texts(node: roxmltree::Node, tag: &str) -> Vec<String> {
    let text = |cell: roxmltree::Node| {
        cell.descendants().filter_map(|n| if n.is_text() { n.text() } else { None }).collect()
    };
    node.descendants()
        .filter(|n| n.has_tag_name(tag) || (tag == "td" && n.has_tag_name("th")))
        .map(text)
        .collect()
}

/// The table of that name on a page. Its markup must be well-formed XML.
#[track_caller]
fn table(page: &str, name: &str) -> Table {
    let caption = page.find(&format!("<caption id=\"tabla-{name}:titulo\"")).expect(name);
    let start = page[..caption].rfind("<table").unwrap();
    let end = start + page[start..].find("</table>").unwrap() + "</table>".len();
    // Where a long name may break.
    let source = page[start..end].replace("<wbr>", "");
    let document = roxmltree::Document::parse(&source).unwrap();
    let part = |tag: &str| document.descendants().find(|n| n.has_tag_name(tag)).unwrap();
    let rows = part("tbody").children().filter(|n| n.has_tag_name("tr"));
    Table { header: texts(part("thead"), "th"), rows: rows.map(|row| texts(row, "td")).collect() }
}

/// How the book writes a number: point, true minus, thin spaces from five digits.
fn written(x: f64, decimals: usize) -> String {
    let text = format!("{x:.decimals$}").replace('-', "−");
    if text.trim_start_matches(['−', '0', '.']).is_empty() {
        text.replace('−', "")
    } else {
        text
    }
}

/// The site of the project's book over the real data, built once; `None` where
/// they are absent.
pub fn real() -> Option<&'static (String, Site)> {
    static BUILT: OnceLock<Option<(String, Site)>> = OnceLock::new();
    let build = || {
        let data = shared("datos/respuestas_swebench_verified.csv")?;
        let folder = data.parent()?.to_str()?;
        let book = Book::project();
        book.run(&["construir", "--datos", folder, "--estricto"]).good();
        Some((book.page("swebench"), book.site()))
    };
    BUILT.get_or_init(build).as_ref()
}

fn real_page() -> Option<&'static str> {
    real().map(|(page, _)| page.as_str())
}

fn submissions() -> Vec<Row> {
    csv("datos/envios_swebench_verified.csv").unwrap()
}

fn repository(item: &str) -> &str {
    item.split("__").next().unwrap()
}

/// The reference's exact Rasch and MAP results by item, and by examinee.
struct Exact {
    item: HashMap<String, BTreeMap<&'static str, f64>>,
    person: Vec<BTreeMap<&'static str, f64>>,
}

fn exact() -> Exact {
    let all = json("oraculo/real_exact.json").unwrap();
    let names: Vec<String> =
        all["items"].as_array().unwrap().iter().map(|n| n.as_str().unwrap().to_owned()).collect();
    let zip = |columns: &[(&'static str, Vec<f64>)], at: usize| {
        columns.iter().map(|(name, values)| (*name, values[at])).collect()
    };
    let items = [
        ("b", numbers(&all["rasch"]["d"]).iter().map(|d| -d).collect()),
        ("infit", numbers(&all["rasch"]["item_infit"])),
        ("outfit", numbers(&all["rasch"]["item_outfit"])),
        ("a", numbers(&all["map"]["a"])),
    ];
    let persons = [
        ("theta", numbers(&all["rasch"]["eap"])),
        ("infit", numbers(&all["rasch"]["person_infit"])),
        ("outfit", numbers(&all["rasch"]["person_outfit"])),
        ("zh", numbers(&all["rasch"]["Zh"])),
    ];
    let n = persons[0].1.len();
    Exact {
        item: names.into_iter().enumerate().map(|(at, name)| (name, zip(&items, at))).collect(),
        person: (0..n).map(|at| zip(&persons, at)).collect(),
    }
}

#[test]
fn the_real_book_has_its_tables_and_figures_numbered_in_order() {
    let Some((page, site)) = real() else { return };
    let tables = [
        "excluidos",
        "intentos",
        "items_anomalos",
        "modelos",
        "banderas",
        "personas",
        "repositorios",
        "anios",
    ];
    for (at, name) in tables.iter().enumerate() {
        let caption = page.find(&format!("<caption id=\"tabla-{name}:titulo\"")).expect(name);
        assert!(page[caption..].contains(&format!("<b>Tabla {}</b>", at + 1)), "{name}");
        assert!(site.contains_key(&format!("swebench/tabla-{name}.csv")));
    }
    for name in ["fechas", "proporciones", "autovalores", "informacion", "mapa", "tendencia"] {
        let svg = &site[&format!("swebench/figura-{name}.svg")];
        roxmltree::Document::parse(std::str::from_utf8(svg).unwrap()).expect(name);
        assert!(page.contains(&format!("id=\"figura-{name}\"")), "{name}");
        assert!(site.contains_key(&format!("swebench/figura-{name}.csv")));
    }
    assert_eq!(page.matches("<svg").count(), page.matches("</svg>").count());
    assert!(page.matches("<svg").count() >= 6);
}

#[test]
fn table_1_lists_the_excluded_submissions_and_why() {
    let Some(page) = real_page() else { return };
    let mut expected: Vec<Vec<String>> = submissions()
        .into_iter()
        .filter(|row| row["incluido"] == "0")
        .map(|row| {
            let why = row["motivo_exclusion"].replace("por ítem", "por reactivo");
            vec![row["envio"].clone(), why.replace(" vs ", " frente a ").replace('%', "\u{a0}%")]
        })
        .collect();
    expected.sort();
    assert!(!expected.is_empty());
    assert_eq!(table(page, "excluidos").rows, expected);
}

#[test]
fn table_2_counts_families_by_declared_attempts() {
    let Some(page) = real_page() else { return };
    let family = |row: &Row| match () {
        () if row["agente"] == "RAG baseline" => 0,
        () if row["mini_swe_agent"] == "1" => 1,
        () => 2,
    };
    let mut counts: BTreeMap<(usize, String), usize> = BTreeMap::new();
    for row in submissions().iter().filter(|row| row["incluido"] == "1") {
        let attempts = if row["intentos"].is_empty() { "sin dato" } else { &row["intentos"] };
        *counts.entry((family(row), attempts.to_owned())).or_default() += 1;
    }
    let found = table(page, "intentos");
    let columns = &found.header[1..found.header.len() - 1];
    let names = ["Línea base RAG (2023-2024)", "mini-SWE-agent (bash-only)", "Otros agentes"];
    let count =
        |at: usize, column: &String| counts.get(&(at, column.clone())).copied().unwrap_or(0);
    let mut expected = vec![];
    for (at, name) in names.iter().enumerate() {
        let row: Vec<usize> = columns.iter().map(|column| count(at, column)).collect();
        let total = row.iter().sum::<usize>();
        let cells = row.into_iter().chain([total]).map(|count| count.to_string());
        expected.push([(*name).to_owned()].into_iter().chain(cells).collect::<Vec<_>>());
    }
    assert_eq!(found.rows[..3], expected[..]);
    assert_eq!(found.rows[3].last().unwrap(), &counts.values().sum::<usize>().to_string());
    assert_eq!(counts.values().sum::<usize>(), 158);
}

#[test]
fn table_3_lists_the_items_with_negative_correlation() {
    let Some(page) = real_page() else { return };
    let value = |row: &Row, name: &str| row[name].parse::<f64>().unwrap();
    let mut items: Vec<Row> = csv("oraculo/real_items.csv").unwrap();
    items.retain(|row| value(row, "r_itc") < 0.0);
    items.sort_by(|a, b| value(a, "r_itc").total_cmp(&value(b, "r_itc")));
    let expected: Vec<Vec<String>> = items
        .iter()
        .map(|row| {
            let two = |name: &str| written(value(row, name), 2);
            let numbers = ["p", "r_itc", "p_bajo", "p_alto"].map(two);
            let names = [row["item"].clone(), repository(&row["item"]).to_owned()];
            names.into_iter().chain(numbers).collect()
        })
        .collect();
    assert_eq!(expected.len(), 9);
    assert_eq!(table(page, "items_anomalos").rows, expected);
}

#[test]
fn table_4_compares_the_models_and_never_falls_below_the_reference() {
    let Some((page, site)) = real() else { return };
    let reference = json("oraculo/real.json").unwrap();
    let exact = json("oraculo/real_exact.json").unwrap();
    let mut reader = csv::Reader::from_reader(&site["swebench/tabla-modelos.csv"][..]);
    let rows: Vec<Row> = reader.deserialize().map(Result::unwrap).collect();
    let value = |at: usize, name: &str| rows[at][name].parse::<f64>().unwrap();
    for (at, parameters) in [(0, 470.0), (1, 938.0), (2, 938.0)] {
        assert_eq!(value(at, "Parámetros"), parameters);
    }
    // Same model, same grid, both at the optimum: only its flatness separates them.
    assert!((value(0, "log L") - number(&exact["rasch"]["logLik"])).abs() < 1e-5);
    assert!((value(2, "log L") - number(&exact["map"]["logLik"])).abs() < 1e-4);
    assert!(value(1, "log L") >= number(&reference["modelos"]["ml"]["logLik"]));
    for at in [0, 1] {
        let (k, log_l) = (value(at, "Parámetros"), value(at, "log L"));
        assert!((value(at, "AIC") - (2.0 * k - 2.0 * log_l)).abs() < 1e-6);
        assert!((value(at, "BIC") - (k * 158f64.ln() - 2.0 * log_l)).abs() < 1e-6);
    }
    let converged: Vec<&str> = rows.iter().map(|row| row["Convergió"].as_str()).collect();
    assert_eq!(converged, ["sí", "no", "sí"]);
    let shown = table(page, "modelos").rows;
    assert_eq!((&*shown[0][2], &*shown[2][3], &*shown[2][4]), ("−24\u{202f}882.4", "—", "—"));
}

#[test]
fn table_5_lists_the_items_with_two_flags_or_more() {
    let Some(page) = real_page() else { return };
    let exact = exact();
    let value = |row: &Row, name: &str| row[name].parse::<f64>().unwrap();
    let mut items: Vec<(u8, Row)> = vec![];
    for row in csv("oraculo/real_items.csv").unwrap() {
        let Some(own) = exact.item.get(&row["item"]) else { continue };
        let flags = [value(&row, "r_itc") < 0.10, own["a"] < 0.50, own["infit"] > 1.30];
        let flags = flags.iter().filter(|&&flag| flag).count() as u8;
        if flags >= 2 {
            items.push((flags, row));
        }
    }
    items.sort_by(|(m, a), (n, b)| n.cmp(m).then(value(a, "r_itc").total_cmp(&value(b, "r_itc"))));
    let expected: Vec<Vec<String>> = items
        .iter()
        .map(|(flags, row)| {
            let own = &exact.item[&row["item"]];
            // Three decimals where a flag has its cut at two.
            let numbers = [
                (value(row, "p"), 2),
                (value(row, "r_itc"), 3),
                (own["b"], 2),
                (own["a"], 3),
                (own["infit"], 2),
                (own["outfit"], 2),
            ];
            let names = [row["item"].clone(), repository(&row["item"]).to_owned()];
            let numbers = numbers.into_iter().map(|(x, decimals)| written(x, decimals));
            names.into_iter().chain(numbers).chain([flags.to_string()]).collect()
        })
        .collect();
    assert_eq!(expected.len(), 16);
    assert_eq!(table(page, "banderas").rows, expected);
}

#[test]
fn table_6_lists_the_five_worst_fitting_submissions() {
    let Some(page) = real_page() else { return };
    let exact = exact();
    let included: Vec<Row> =
        submissions().into_iter().filter(|row| row["incluido"] == "1").collect();
    assert_eq!(included.len(), exact.person.len());
    let mut order: Vec<usize> = (0..included.len()).collect();
    order.sort_by(|&a, &b| exact.person[a]["zh"].total_cmp(&exact.person[b]["zh"]));
    let found = table(page, "personas").rows;
    assert_eq!(found.len(), 5);
    for (row, &at) in found.iter().zip(&order) {
        let (own, person) = (&included[at], &exact.person[at]);
        assert_eq!((&row[0], &row[2]), (&own["envio"], &own["total"]));
        // A column that no row has is not there.
        assert_eq!(own["n_sin_parche"], "");
        assert_eq!(row[3..], ["zh", "infit", "outfit"].map(|name| written(person[name], 2)));
    }
}

#[test]
fn table_7_describes_the_repositories() {
    let Some(page) = real_page() else { return };
    let exact = exact();
    let reference = json("oraculo/real.json").unwrap();
    let path = shared("datos/respuestas_swebench_verified.csv").unwrap();
    let mut reader = csv::Reader::from_path(path).unwrap();
    let names: Vec<String> = reader.headers().unwrap().iter().skip(1).map(String::from).collect();
    let records: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let p = |at: usize| records.iter().filter(|row| &row[at + 1] == "1").count() as f64 / 158.0;
    let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, name) in names.iter().enumerate() {
        groups.entry(repository(name)).or_default().push(at);
    }
    let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
    let found = table(page, "repositorios").rows;
    assert_eq!(found.len(), groups.len());
    for row in &found {
        let items = &groups[row[0].as_str()];
        let nobody = items.iter().filter(|&&at| p(at) == 0.0).count();
        let b = items.iter().filter_map(|&at| exact.item.get(&names[at]).map(|own| own["b"]));
        let q3 = match &reference["q3"]["repo"][&row[0]] {
            serde_json::Value::Number(value) => written(value.as_f64().unwrap(), 3),
            _ => "—".to_owned(),
        };
        let expected = [
            items.len().to_string(),
            nobody.to_string(),
            written(mean(items.iter().map(|&at| p(at)).collect()), 2),
            written(mean(b.collect()), 2),
            q3,
        ];
        assert_eq!(row[1..], expected, "{}", row[0]);
    }
    let sizes: Vec<usize> = found.iter().map(|row| row[1].parse().unwrap()).collect();
    assert!(sizes.is_sorted_by(|a, b| a >= b));
}

#[test]
fn table_8_describes_the_years() {
    let Some(page) = real_page() else { return };
    let exact = exact();
    let mut years: BTreeMap<String, Vec<(f64, f64)>> = BTreeMap::new();
    let included = submissions().into_iter().filter(|row| row["incluido"] == "1");
    for (row, person) in included.zip(&exact.person) {
        let solved = 100.0 * row["total"].parse::<f64>().unwrap() / 500.0;
        years.entry(row["fecha"][..4].to_owned()).or_default().push((person["theta"], solved));
    }
    let expected: Vec<Vec<String>> = years
        .into_iter()
        .map(|(year, rows)| {
            let mut theta: Vec<f64> = rows.iter().map(|row| row.0).collect();
            theta.sort_by(f64::total_cmp);
            let n = theta.len();
            let median = f64::midpoint(theta[(n - 1) / 2], theta[n / 2]);
            let best = rows.iter().map(|row| row.1).fold(0.0, f64::max);
            vec![
                year,
                n.to_string(),
                written(median, 2),
                written(theta[n - 1], 2),
                written(best, 1),
            ]
        })
        .collect();
    assert_eq!(table(page, "anios").rows, expected);
}

#[test]
fn the_real_page_says_where_its_data_come_from_and_has_no_simulation_banner() {
    let Some(page) = real_page() else { return };
    assert!(page.contains("SWE-bench/experiments"));
    let hash = "b54c121c4332d3670528f85e8ab55ba20561ead86c7407c325a19cb10cfe4a8d";
    assert!(page.contains(&hash[..12]), "the digest of the matrix is on the page");
    assert!(!page.contains("atos simulados"), "no banner on real data");
}

/// Texts that must never reach a reader; attributes are for machines.
fn assert_clean(page: &str) {
    let page = &visible(page);
    for bad in [
        "NaN",
        "&lt;&lt; valor",
        "&lt;&lt; tabla",
        "\u{f0000}",
        "\u{f0001}",
        "undefined",
        "Infinity",
    ] {
        assert!(!page.contains(bad), "«{bad}» at …{}…", around(page, bad));
    }
    for zero in ["-0.00", "−0.00", "-0,00", "−0,00"] {
        let bad = page
            .match_indices(zero)
            .any(|(at, _)| !page[at + zero.len()..].starts_with(|c: char| c.is_ascii_digit()));
        assert!(!bad, "«{zero}» at …{}…", around(page, zero));
    }
}

/// A page without its tags and without the code that it shows.
fn visible(page: &str) -> String {
    let mut prose = String::new();
    for part in page.split("<pre") {
        prose += part.split_once("</pre>").map_or(part, |(_, after)| after);
    }
    prose.split('<').filter_map(|part| part.split_once('>')).map(|(_, text)| text).collect()
}

fn around(page: &str, bad: &str) -> String {
    let at = page.find(bad).unwrap_or_default();
    page[..at]
        .chars()
        .rev()
        .take(80)
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
        .chain(page[at..].chars().take(80))
        .collect()
}

#[test]
fn the_real_page_is_clean() {
    let Some((_, site)) = real() else { return };
    for (name, bytes) in site.iter().filter(|(name, _)| !name.starts_with("estaticos/")) {
        let text = String::from_utf8_lossy(bytes);
        assert!(!text.contains("NaN"), "{name}");
        if name.ends_with(".html") || name.ends_with(".xml") {
            assert_clean(&text);
        }
    }
}

#[test]
fn the_demonstration_book_builds_with_numbered_tables_and_figures_and_nothing_left_over() {
    let book = Book::project();
    let site = book.build();
    let page = book.page("swebench");
    for number in 1..=8 {
        assert!(page.contains(&format!("<b>Tabla {number}</b>")), "Tabla {number}");
    }
    for number in 1..=6 {
        assert!(page.contains(&format!("<b>Figura {number}</b>")), "Figura {number}");
    }
    assert!(page.to_lowercase().contains("simulad"), "simulated data say so");
    for (_, bytes) in site.iter().filter(|(name, _)| name.ends_with(".html")) {
        assert_clean(std::str::from_utf8(bytes).unwrap());
    }
}
