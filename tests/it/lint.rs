//! Numbers typed by hand, in books as an author has them.

use crate::book::Book;

const CHAPTER: &str = "content/uno/index.md";

/// What a strict build of the small book says with some text added to a chapter.
fn told(text: &str) -> String {
    let book = Book::small();
    book.append(CHAPTER, text);
    book.run(&["construir", "--estricto"]).err
}

#[test]
fn a_hand_typed_value_is_told_with_the_directive_that_prints_it() {
    let told = told("La consistencia es de 0,664.");
    assert!(told.contains("aviso[numero-a-mano]"), "{told}");
    assert!(told.contains("content/uno/index.md:26:23"), "{told}");
    assert!(told.contains("<< valor \"tct.kr20\" decimales=3 >>"), "{told}");
}

#[test]
fn the_texts_of_tables_and_figures_are_prose_too() {
    let book = Book::small();
    book.append("content/uno/tablas.yaml", "  nota: Con una KR-20 de 0.664.");
    let run = book.run(&["construir", "--estricto"]);
    assert!(run.err.contains("aviso[numero-a-mano]"), "{}", run.err);
    assert!(run.err.contains("content/uno/tablas.yaml:"), "{}", run.err);
}

#[test]
fn a_book_can_silence_the_rule() {
    let book = Book::small();
    book.append(CHAPTER, "La consistencia es de 0.664.");
    let rules = "[preprocessor.escritura.reglas]\n";
    let rule = "numero-a-mano = \"permitir\"\n";
    match book.read("book.toml").contains(rules) {
        true => book.replace("book.toml", rules, &format!("{rules}{rule}")),
        false => book.append("book.toml", &format!("{rules}{rule}")),
    }
    book.run(&["construir", "--estricto"]).good();
}

#[test]
fn what_is_no_value_of_prose_is_let_be() {
    let book = Book::small();
    book.append(
        CHAPTER,
        "`0.664`, [0.664](https://example.org/0.664), «0.664», p. 664, 6 reactivos, v0.664, en \
         1984, el 12 de agosto, por debajo de .66 y de 0.70.\n\n> 0.664\n\n    0.664\n",
    );
    let run = book.run(&["construir", "--estricto"]);
    let lines: Vec<&str> = run.err.lines().filter(|line| line.contains("escrito a mano")).collect();
    assert_eq!(lines.len(), 1, "only .66, which is the KR-20 to two decimals: {}", run.err);
}
