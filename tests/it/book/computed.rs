//! What is computed keeps its name, whatever the data call their columns.

use super::Book;

const EXAMINEES: &str = "content/uno/datos/examinados.csv";

/// The small book, whose table of examinees declares totals of its own.
fn with_declared_totals() -> Book {
    let book = Book::small();
    let table = book.read(EXAMINEES);
    let lines = table.lines().enumerate();
    let lines = lines.map(|(at, line)| match at {
        0 => format!("{line},total,theta\n"),
        at => format!("{line},{},9\n", 90 + at),
    });
    book.write(EXAMINEES, lines.collect::<String>());
    book.renew_provenance();
    // The figure and the values would ask for the totals as well.
    book.write("content/uno/figuras.yaml", "{}\n");
    book.replace("content/uno/index.md", "<< figura \"puntajes\" >>", "");
    book.replace("content/uno/index.md", "la << ref \"figura:puntajes\" >>", "nada más");
    book
}

fn printed(book: &Book, expression: &str) -> String {
    let directive = format!("Impreso: << valor \"{expression}\" decimales=2 >>.");
    book.append("content/uno/index.md", &directive);
    book.build();
    let page = book.read("sitio/uno/index.md");
    let (_, rest) = page.split_once("Impreso: ").expect("it is printed");
    rest.split_once("\n").map_or(rest, |(line, _)| line).to_owned()
}

#[test]
fn a_column_of_the_data_does_not_take_the_name_of_a_computed_one() {
    let without = printed(&with_declared_totals(), "media(examinados.total)");
    assert!(without.starts_with("2,92"), "{without}");
    let book = with_declared_totals();
    // Everything that computes scores.
    book.append("content/uno/index.md", "<< valor \"puntajes.mediana\" >>");
    assert_eq!(printed(&book, "media(examinados.total)"), without);
}

#[test]
fn the_columns_of_the_file_stay_where_the_file_is_read_whole() {
    let declared = printed(&with_declared_totals(), "media(carpetas.total)");
    assert!(declared.starts_with("96,50"), "{declared}");
}

#[test]
fn identifiers_may_not_have_the_name_of_a_computed_column() {
    let book = Book::small();
    for file in ["examinados.csv", "respuestas.csv"] {
        book.replace(&format!("content/uno/datos/{file}"), "id,", "total,");
    }
    book.renew_provenance();
    let run = book.run(&["construir"]);
    assert_eq!(run.code, 1);
    assert!(run.err.contains("error[nombre-repetido]"), "{}", run.err);
    let alone = book.run(&["analizar", "content/uno/datos/respuestas.csv"]);
    assert_eq!((alone.code, alone.out.as_str()), (1, ""));
}
