//! Pages made of data that nobody would choose stay valid, whole and light.

use super::Book;
use crate::site::assert_well_formed;
use escritura::site::markup;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::collections::BTreeSet;
use std::io::Write;

const HEAD: &str = "---\ntitulo: Con << valor \"datos.n_reactivos\" >> reactivos <raros> & «difíciles»\n\
    datos:\n  respuestas: respuestas.csv\n  marcos: {filas: filas.csv}\n---\n\n";

fn names() -> Vec<String> {
    let fixed = [
        "<script>alert(1)</script>",
        "a & b &amp; c",
        "comillas \"dobles\" y 'simples'",
        "مرحبا بالعالم",
        "barras | y << valor >> {{ 7 * 7 }} *n*",
    ];
    fixed.map(str::to_owned).into_iter().chain(["x".repeat(200)]).collect()
}

fn csv_line(cells: impl IntoIterator<Item = String>) -> String {
    let quoted = cells.into_iter().map(|cell| format!("\"{}\"", cell.replace('"', "\"\"")));
    quoted.collect::<Vec<_>>().join(",") + "\n"
}

/// A book of one chapter whose table and figures show `n` rows of awkward names.
fn awkward(n: usize) -> Book {
    let book = Book::of(&[]);
    let names = names();
    book.write(
        "book.toml",
        "[book]\ntitle = \"Libro <raro> & \\\"difícil\\\"\"\nsrc = \"content\"\n[build]\nbuild-dir = \"sitio\"\n\
         [preprocessor.escritura.reglas]\nsin-procedencia = \"permitir\"\n",
    );
    book.write("content/SUMMARY.md", "- [Raro](raro/index.md)\n");
    let mut answers = csv_line(["id".to_owned()].into_iter().chain(names.iter().cloned()));
    for at in 1..=60_usize {
        let own = (0..names.len()).map(|item| ((at >> item) & 1).to_string());
        let id = format!("{} {at}", names[at % names.len()]);
        answers += &csv_line([id].into_iter().chain(own));
    }
    book.write("content/raro/datos/respuestas.csv", answers);
    let row =
        |at: usize| csv_line([format!("{} {at}", names[at % 5]), (at * 7919 % n).to_string()]);
    let rows: String = (0..n).map(row).collect();
    book.write("content/raro/datos/filas.csv", format!("nombre,n\n{rows}"));
    book
}

fn figure(name: &str, filter: &str, x: &str) -> String {
    format!(
        "{name}:\n  titulo: Figura <{name}> & \"más\"\n  descripcion: Puntos de {name}.\n  \
         x: {{titulo: \"<x> & y\"}}\n  y: {{titulo: n}}\n  capas:\n    \
         - {{tipo: puntos, marco: filas, filtro: \"{filter}\", x: {x}, y: {x}, etiqueta: nombre}}\n"
    )
}

fn compressed(bytes: &[u8]) -> usize {
    let mut encoder = GzEncoder::new(vec![], Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap().len()
}

/// A page whose tags close, whose ids are its own and whose drawings are XML.
#[track_caller]
fn assert_valid(page: &str) {
    assert_well_formed("raro", page);
    let ids: Vec<_> = markup::ids(page).collect();
    assert_eq!(ids.len(), ids.iter().collect::<BTreeSet<_>>().len(), "an id is repeated");
    for drawing in page.split("<svg").skip(1) {
        let drawing = drawing.split_inclusive("</svg>").next().unwrap();
        roxmltree::Document::parse(&format!("<svg{drawing}")).unwrap();
    }
    assert!(!page.contains("<script>alert"), "a name became markup");
    for bad in ["NaN", "inf", "-0.00"] {
        assert!(
            !markup::pieces(page).iter().any(|piece| match piece {
                markup::Piece::Text(range) =>
                    page[range.clone()].split_whitespace().any(|w| w == bad),
                _ => false,
            }),
            "{bad}"
        );
    }
}

#[test]
fn awkward_names_and_degenerate_figures_leave_a_valid_page() {
    let book = awkward(7);
    book.write(
        "content/raro/tablas.yaml",
        "reactivos:\n  titulo: Nombres <raros> & \"difíciles\"\n  marco: reactivos\n  columnas:\n    \
         - {titulo: Reactivo, valor: reactivo, codigo: true}\n    - {titulo: \"*p* <0> & *r*\", valor: p}\n",
    );
    let figures =
        [("uno", "n == 0", "n"), ("ninguno", "n < 0", "n"), ("iguales", "n >= 0", "n - n")];
    let declared = figures.map(|(name, filter, x)| figure(name, filter, x)).concat();
    book.write("content/raro/figuras.yaml", declared);
    book.write(
        "content/raro/index.md",
        HEAD.to_owned()
            + "La << ref \"tabla:reactivos\" >>, la << ref \"figura:uno\" >>, la << ref \"figura:ninguno\" >> \
               y la << ref \"figura:iguales\" >>.\n\n<< tabla \"reactivos\" >>\n\n<< figura \"uno\" >>\n\n\
               << figura \"ninguno\" >>\n\n<< figura \"iguales\" >>\n",
    );
    let site = book.build();
    let page = book.page("raro");
    assert_valid(&page);
    assert!(page.contains("<h1>Con 6 reactivos &lt;raros&gt; &amp; «difíciles»</h1>"));
    assert!(page.contains("{{ 7 * 7 }} *n*"), "a name is never read as Markdown");
    assert!(page.contains("<i>p</i> &lt;0&gt; &amp; <i>r</i></th>"));
    for (path, bytes) in &site {
        match path.rsplit_once('.').map(|(_, end)| end) {
            Some("svg") => {
                roxmltree::Document::parse(std::str::from_utf8(bytes).unwrap()).unwrap();
            }
            Some("json") => drop(serde_json::from_slice::<serde_json::Value>(bytes).unwrap()),
            _ => {}
        }
    }
    for name in ["uno", "ninguno", "iguales"] {
        assert!(site.contains_key(&format!("raro/figura-{name}.png")), "{name}");
    }
}

#[test]
fn a_hundred_thousand_points_are_thinned_with_a_note_and_the_page_stays_light() {
    let book = awkward(100_000);
    book.write("content/raro/figuras.yaml", figure("nube", "n >= 0", "n"));
    let text = "La << ref \"figura:nube\" >>.\n\n<< figura \"nube\" >>\n";
    book.write("content/raro/index.md", HEAD.to_owned() + text);
    let site = book.build();
    let page = book.page("raro");
    assert_valid(&page);
    let note = page.split("<p class=\"nota\">").nth(1).unwrap().split("</p>").next().unwrap();
    assert!(note.contains("100"), "{note}");
    assert!(page.contains("Una fila de cada 500."));
    assert!(compressed(page.as_bytes()) < 300_000, "{}", compressed(page.as_bytes()));
    assert_eq!(site["raro/figura-nube.csv"].iter().filter(|&&b| b == b'\n').count(), 100_001);
}

#[test]
fn a_table_of_five_thousand_rows_is_whole_and_the_page_stays_light() {
    let book = awkward(5000);
    book.write(
        "content/raro/tablas.yaml",
        "filas:\n  titulo: Filas\n  marco: filas\n  columnas:\n    - {titulo: Nombre, valor: nombre}\n    \
         - {titulo: n, valor: n}\n",
    );
    let text = "La << ref \"tabla:filas\" >>.\n\n<< tabla \"filas\" >>\n";
    book.write("content/raro/index.md", HEAD.to_owned() + text);
    book.build();
    let page = book.page("raro");
    assert_valid(&page);
    assert_eq!(page.matches("<th scope=\"row\"").count(), 5000);
    assert!(compressed(page.as_bytes()) < 300_000, "{}", compressed(page.as_bytes()));
}

/// What a browser fetches to show the flagship chapter: the page and what it asks
/// for by itself, fonts included. The limit is that of the project's brief.
#[test]
fn the_flagship_page_weighs_less_than_six_hundred_kilobytes() {
    let book = Book::project();
    let site = book.build();
    let page = book.page("swebench");
    let asked = |(tag, name, address): &(String, String, String)| {
        let is_link = tag == "link" && name == "href" && !address.contains("://");
        (is_link || name == "src") && address.starts_with("../estaticos/")
    };
    let attributes =
        markup::attributes_of(&page).map(|(a, b, c)| (a.to_string(), b.to_string(), c.to_string()));
    let parts: BTreeSet<String> = attributes
        .filter(asked)
        .map(|(.., address)| address.trim_start_matches("../").to_owned())
        .collect();
    assert!(parts.len() >= 3, "{parts:?}");
    let fonts = site.keys().filter(|path| path.ends_with(".woff2")).cloned();
    let all = parts.into_iter().chain(fonts).chain(["swebench/index.html".to_owned()]);
    let weight: usize = all.map(|path| compressed(&site[&path])).sum();
    assert!(weight < 600_000, "{weight} bytes");
}
