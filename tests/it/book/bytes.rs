//! The same book gives the same bytes; another cell gives other numbers.

use super::{Book, differing, files};
use crate::cli::escritura_with_threads;
use std::collections::BTreeMap;

const ANSWERS: &str = "content/uno/datos/respuestas.csv";

#[test]
fn two_builds_are_equal_byte_by_byte_on_one_thread_and_on_two() {
    let book = Book::project();
    let build = |folder: &str, threads| {
        escritura_with_threads(book.root(), &["construir", "-d", folder], threads).good();
        files(&book.path(folder))
    };
    let one = build("uno", 1);
    // From the results kept, then from nothing.
    let again = build("otra", 1);
    book.forget();
    let two = build("dos", 2);
    assert!(one.len() > 10);
    assert_eq!(differing(&one, &again), Vec::<String>::new());
    assert_eq!(differing(&one, &two), Vec::<String>::new());
}

#[test]
fn a_build_over_a_previous_one_equals_a_build_from_nothing() {
    let book = Book::small();
    let first = book.build();
    book.forget();
    assert_eq!(differing(&first, &book.build()), Vec::<String>::new());
}

/// A page without the digests of its data, which tell the file as it stands.
fn without_digests(page: &[u8]) -> String {
    let text = String::from_utf8_lossy(page).into_owned();
    let is_hex = |c: char| c.is_ascii_hexdigit();
    let mut out = String::new();
    for word in text.split_inclusive(|c: char| !is_hex(c)) {
        let digits = word.trim_end_matches(|c: char| !is_hex(c));
        let is_digest = digits.len() >= 12 && digits.contains(|c: char| c.is_ascii_digit());
        out += if is_digest { &word[digits.len()..] } else { word };
    }
    out
}

#[test]
fn a_bom_and_crlf_change_no_page() {
    let book = Book::small();
    let plain = book.build();
    for (name, content) in files(book.root()) {
        let text = name.ends_with(".md")
            || name.ends_with(".yaml")
            || name.ends_with(".csv")
            || name.ends_with(".toml");
        if text && !name.starts_with("sitio/") {
            let text = String::from_utf8(content).unwrap().replace('\n', "\r\n");
            book.write(&name, format!("\u{feff}{text}"));
        }
    }
    book.renew_provenance();
    let provenance = book.read("content/uno/datos/procedencia.yaml").replace('\n', "\r\n");
    book.write("content/uno/datos/procedencia.yaml", format!("\u{feff}{provenance}"));
    let windows = book.build();
    assert_eq!(plain.keys().collect::<Vec<_>>(), windows.keys().collect::<Vec<_>>());
    for (name, bytes) in &plain {
        assert_eq!(without_digests(bytes), without_digests(&windows[name]), "{name}");
    }
}

#[test]
fn another_cell_moves_every_number_that_depends_on_it_and_no_other_page() {
    let book = Book::small();
    let before = book.build();
    let values = |book: &Book| -> serde_json::Value {
        serde_json::from_str(&book.read("sitio/uno/valores.json")).unwrap()
    };
    let old = values(&book);
    book.write_answers(book.read(ANSWERS).replace("e10,0,1,0,0,0,0", "e10,0,1,0,0,1,0"));
    let after = book.build();
    let new = values(&book);
    assert_ne!(old["valores"]["tct.kr20"], new["valores"]["tct.kr20"]);
    assert_eq!(old["valores"]["datos.k"], new["valores"]["datos.k"]);
    let moved = differing(&before, &after);
    for file in [
        "uno/index.html",
        "uno/valores.json",
        "uno/tabla-dificiles.csv",
        "uno/figura-puntajes.csv",
        "uno/figura-puntajes.svg",
    ] {
        assert!(moved.contains(&file.to_owned()), "{file} did not move: {moved:?}");
    }
    assert!(!moved.iter().any(|name| name.starts_with("dos/")), "{moved:?}");
    // What the page prints is what its values say.
    let page = book.page("uno");
    let printed = new["impresos"].as_array().unwrap();
    assert!(printed.iter().all(|one| page.contains(one["texto"].as_str().unwrap())));
    let kr20 = new["valores"]["tct.kr20"].as_f64().unwrap();
    assert!(page.contains(&format!("{kr20:.3}").replace('.', ",")), "KR-20 {kr20}");
}

#[test]
fn an_option_of_the_book_moves_the_numbers_too() {
    let book = Book::small();
    book.build();
    assert!(book.page("uno").contains("0,25"), "two decimals");
    book.replace(
        "book.toml",
        "decimales = 2",
        "decimales = 2\n\n[preprocessor.escritura.numeros]\ndecimal = \".\"",
    );
    book.build();
    let page = book.page("uno");
    assert!(page.contains("0.25") && !page.contains("0,25"));
}

#[test]
fn the_decimal_mark_reaches_text_only() {
    let book = Book::small();
    let site = book.build();
    let svg = String::from_utf8(site["uno/figura-puntajes.svg"].clone()).unwrap();
    let drawing = roxmltree::Document::parse(&svg).unwrap();
    for node in drawing.descendants().filter(|node| node.is_element()) {
        for name in ["x", "y", "cx", "cy", "x1", "x2", "y1", "y2", "width", "height", "r"] {
            let Some(number) = node.attribute(name) else { continue };
            assert!(
                number.trim_end_matches(['%', 'p', 'x']).parse::<f64>().is_ok(),
                "{name}={number}"
            );
        }
    }
    let csv = String::from_utf8(site["uno/tabla-dificiles.csv"].clone()).unwrap();
    assert!(csv.contains("0.25") && !csv.contains("0,25"), "{csv}");
    let json: BTreeMap<String, serde_json::Value> =
        serde_json::from_slice(&site["uno/valores.json"]).unwrap();
    assert!(json["valores"]["tct.kr20"].is_f64());
    assert!(book.page("uno").contains("0,25"), "the page is in Spanish");
}
