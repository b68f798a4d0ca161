//! Results kept between builds: they save time and can do nothing else.

use super::{Book, differing};
use escritura::data::digest;
use std::path::PathBuf;

/// The entries of the cache of a book that was built.
fn entries(book: &Book) -> Vec<PathBuf> {
    let engine = std::fs::read_dir(book.path(".escritura/resultados")).unwrap();
    let engine = engine.map(|entry| entry.unwrap().path()).next().unwrap();
    std::fs::read_dir(engine).unwrap().map(|entry| entry.unwrap().path()).collect()
}

/// Rewrites every entry that is text, with a digest that fits.
fn forge(book: &Book, change: impl Fn(&str) -> String) {
    for entry in entries(book) {
        // The others are pictures.
        let Ok(text) = std::fs::read_to_string(&entry) else { continue };
        let content = change(text.split_once('\n').unwrap().1);
        let key = entry.file_name().unwrap().to_string_lossy();
        let digest = digest::of_bytes(format!("{key}\n{content}").as_bytes());
        std::fs::write(&entry, format!("{digest}\n{content}")).unwrap();
    }
}

fn kr20(book: &Book) -> f64 {
    let values = book.read("sitio/uno/valores.json");
    let values: serde_json::Value = serde_json::from_str(&values).unwrap();
    values["valores"]["tct.kr20"].as_f64().unwrap()
}

#[test]
fn a_second_build_takes_what_the_first_one_kept() {
    let book = Book::small();
    book.build();
    let honest = kr20(&book);
    let number = format!("{{\"Number\":{honest}}}");
    forge(&book, |content| content.replace(&number, "{\"Number\":0.125}"));
    book.build();
    assert_eq!(kr20(&book), 0.125, "the page shows what was kept, here on purpose another number");
    book.forget();
    book.build();
    assert_eq!(kr20(&book), honest);
}

#[test]
fn damaged_entries_are_computed_again() {
    let book = Book::small();
    let first = book.build();
    for (at, entry) in entries(&book).into_iter().enumerate() {
        let bytes = std::fs::read(&entry).unwrap();
        let damaged = match at % 3 {
            0 => bytes[..bytes.len() / 2].to_vec(),
            1 => [&bytes[..], b"x"].concat(),
            _ => vec![],
        };
        std::fs::write(&entry, damaged).unwrap();
    }
    assert_eq!(differing(&first, &book.build()), Vec::<String>::new());
}

#[test]
fn entries_that_fit_their_digest_and_say_nothing_known_are_computed_again() {
    let book = Book::small();
    let first = book.build();
    forge(&book, |_| r#"{"values": [["otro.nombre", {"Number": 1.0}]], "frames": []}"#.into());
    assert_eq!(differing(&first, &book.build()), Vec::<String>::new());
    forge(&book, |_| r#"{"values": [], "frames": [["reactivos", 3, [["p", []]]]]}"#.into());
    assert_eq!(differing(&first, &book.build()), Vec::<String>::new());
}

#[test]
fn a_cell_and_an_option_that_change_are_noticed() {
    let answers = "content/uno/datos/respuestas.csv";
    let book = Book::small();
    book.build();
    book.write_answers(book.read(answers).replace("e10,0,1,0,0,0,0", "e10,0,1,0,0,1,0"));
    book.replace("content/uno/index.md", "fecha:", "analisis: {frontera: 3}\nfecha:");
    let warm = book.build();
    book.forget();
    assert_eq!(differing(&warm, &book.build()), Vec::<String>::new());
}

#[test]
fn a_place_where_nothing_can_be_kept_only_costs_time() {
    let book = Book::small();
    let first = book.build();
    book.forget();
    book.write(".escritura", "an ordinary file");
    assert_eq!(differing(&first, &book.build()), Vec::<String>::new());
}

#[test]
fn limpiar_removes_what_was_kept() {
    let book = Book::small();
    book.build();
    let said = book.run(&["limpiar"]).good().err;
    assert!(said.contains("resultados guardados"), "{said}");
    assert!(!book.path(".escritura/resultados").exists());
    assert!(!book.path("sitio").exists());
}
