//! Whatever bytes the files of a book hold, the pipeline reports and does not
//! panic, and what it reports can be rendered.

use super::Book;
use escritura::data::Cache;
use escritura::diagnostics::{Diagnostics, Style, to_json};
use escritura::report::book::{self, Settings};
use escritura::report::format::NumberStyle;
use escritura::site;
use proptest::prelude::*;

/// The whole pipeline in memory, as `construir` runs it.
fn build(book: &Book) {
    let mut found = Diagnostics::new();
    if let Some(read) = site::Book::load(book.root(), &mut found) {
        let settings = Settings {
            root: book.root().to_path_buf(),
            style: NumberStyle::default(),
            data: None,
            cache: Cache::none(),
        };
        let opened = book::open(read.chapter_files(), &settings, &mut found);
        let documents = book::resolve(&opened, &settings, &|_| {}, &mut found);
        site::build(&read, &documents, &Cache::none(), &mut found);
    }
    found.sort();
    let _ = found.render(Style::Plain);
    let _ = to_json(&found);
}

/// Text near enough to the language to get past its first reader.
fn pieces(words: &'static [&'static str]) -> impl Strategy<Value = Vec<u8>> {
    let word = prop_oneof![
        8 => proptest::sample::select(words).prop_map(|word| word.as_bytes().to_vec()),
        1 => proptest::collection::vec(any::<u8>(), 0..6),
        1 => "\\PC{0,6}".prop_map(String::into_bytes),
    ];
    proptest::collection::vec(word, 0..60).prop_map(|all| all.concat())
}

/// A sound file with one stretch replaced by anything.
fn damaged(text: String) -> impl Strategy<Value = Vec<u8>> {
    let length = text.len();
    (0..=length, 0..30usize, proptest::collection::vec(any::<u8>(), 0..12)).prop_map(
        move |(start, removed, added)| {
            let bytes = text.as_bytes();
            let end = (start + removed).min(length);
            [&bytes[..start], &added, &bytes[end..]].concat()
        },
    )
}

const MARKDOWN: &[&str] = &[
    "<< ",
    " >>",
    ">>",
    "<<",
    "valor ",
    "tabla ",
    "figura ",
    "ref ",
    "si ",
    "si_no",
    "fin",
    "elige ",
    "afirma ",
    "codigo ",
    "\"",
    "\"datos.k\"",
    "\"tct.kr20\"",
    "\"dificiles\"",
    "\"tabla:dificiles\"",
    "decimales=2",
    "vacio=\"—\"",
    "si=\"a\"",
    "no=\"b\"",
    "\n",
    "\n\n",
    "# ",
    "- ",
    "> ",
    "| a | b |\n|---|---|\n",
    "```\n",
    "`",
    "    ",
    "[x](y.md)",
    "![a](b)",
    "[^1]",
    "<b>",
    "<!--",
    "-->",
    "*",
    "\u{f0000}",
    "\u{f0001}0",
    "\u{f0000}0\u{f0001}",
    "ñ",
    "\\",
    "$x$",
    "&amp;",
    "\t",
    "\r\n",
    "[@a; @b, p. 3]",
];

const YAML: &[&str] = &[
    "titulo: ",
    "marco: ",
    "filtro: ",
    "columnas:",
    "valor: ",
    "capas:",
    "tipo: ",
    "puntos",
    "histograma",
    "reactivos",
    "examinados",
    "p",
    "r_it",
    "total",
    "x: ",
    "y: ",
    "ancho: ",
    "0",
    "-1",
    "1e308",
    "1e-300",
    ".nan",
    ".inf",
    "\n",
    "\n  ",
    "\n    ",
    "- ",
    "{",
    "}",
    "[",
    "]",
    ", ",
    "\"",
    "'",
    ": ",
    "&a ",
    "*a",
    "!!int ",
    "|\n",
    ">-\n",
    "#",
    "---\n",
    "valores:",
    "variables:",
    "marcos:",
    "expresion: ",
    "cuenta(reactivos, 'p > 0.5')",
    "agrupar: ",
    "orden: ",
    "limite: ",
    "desde: ",
    "hasta: ",
    "datos.k",
    "null",
    "true",
    "~",
    "uno",
    "dificiles",
    "puntajes",
    "n_faciles",
    "ñ",
];

const TOML: &[&str] = &[
    "[book]\n",
    "[build]\n",
    "[output.escritura]\n",
    "[preprocessor.escritura]\n",
    "[preprocessor.escritura.numeros]\n",
    "src = ",
    "build-dir = ",
    "title = ",
    "decimal = ",
    "decimales = ",
    "\"content\"",
    "\"..\"",
    "\"\"",
    "\"ñ\"",
    "1",
    "-1",
    "99999999999999999999",
    "true",
    "[",
    "]",
    "{",
    "}",
    "=",
    "\n",
    "\"",
    "'''",
    "#",
    "reglas.yaml = \"error\"\n",
    ".",
    ",",
];

const SUMMARY: &[&str] = &[
    "# Capítulos\n",
    "- ",
    "  - ",
    "[Uno]",
    "(uno/index.md)",
    "(dos/index.md)",
    "()",
    "(../x.md)",
    "(/etc/passwd)",
    "---\n",
    "\n",
    "[",
    "]",
    "(",
    ")",
    "%2e%2e/",
    "uno",
    ".md",
    "<b>",
    "`",
    "ñ",
    "\\",
];

proptest! {
    // Each case builds a book on disk: enough to meet every reader, few enough
    // to stay within seconds.
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_chapter_is_built_or_reported(text in pieces(MARKDOWN), keep_front in any::<bool>()) {
        let book = Book::small();
        let front = book.read("content/uno/index.md");
        let end = front.rfind("---\n").unwrap() + 4;
        let front = if keep_front { &front.as_bytes()[..end] } else { &[] };
        book.write("content/uno/index.md", [front, &text].concat());
        build(&book);
    }

    #[test]
    fn any_damage_to_a_file_is_reported(
        (file, bytes) in proptest::sample::select(vec![
            "content/uno/index.md",
            "content/uno/tablas.yaml",
            "content/uno/figuras.yaml",
            "content/uno/valores.yaml",
            "content/uno/datos/respuestas.csv",
            "content/uno/datos/examinados.csv",
            "content/uno/datos/procedencia.yaml",
            "content/SUMMARY.md",
            "book.toml",
        ]).prop_flat_map(|file| {
            let text = std::fs::read_to_string(super::fixtures().join("base").join(file)).unwrap();
            (Just(file), damaged(text))
        })
    ) {
        let book = Book::small();
        book.write(file, bytes);
        build(&book);
    }

    #[test]
    fn any_declarations_are_read_or_reported(
        file in proptest::sample::select(vec!["tablas", "figuras", "valores"]),
        text in pieces(YAML),
    ) {
        let book = Book::small();
        book.write(&format!("content/uno/{file}.yaml"), text);
        build(&book);
    }

    #[test]
    fn any_configuration_is_read_or_reported(text in pieces(TOML)) {
        let book = Book::small();
        book.write("book.toml", text);
        build(&book);
    }

    #[test]
    fn any_summary_is_read_or_reported(text in pieces(SUMMARY)) {
        let book = Book::small();
        book.write("content/SUMMARY.md", text);
        build(&book);
    }
}
