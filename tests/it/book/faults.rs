//! Bad input: a small book for each kind of fault.
//!
//! Each folder of `tests/fixtures/libros/faltas` is laid over the sound book of
//! `base`. Its name is the code of the fault and, after `--`, the variant. To add
//! a fault, add a folder and review its snapshot.

use super::{Book, fixtures};
use crate::cli::Run;
use escritura::diagnostics::{CATALOGUE, Code, Severity};
use rayon::prelude::*;
use std::collections::BTreeSet;

/// Faults of the book as a whole, that no line of a file shows.
const WITHOUT_A_LINE: &[&str] = &[
    "csv--vacio",
    "csv--solo-encabezado",
    "capitulo-huerfano--",
    "sin-procedencia--",
    "archivo--sin-summary",
    "archivo--dos-bibliografias",
];

/// A fault, with what two runs say of it.
struct Fault {
    name: String,
    code: Code,
    plain: Run,
    strict: Run,
    site_is_untouched: bool,
    nothing_else_changed: bool,
}

fn code_of(folder: &str) -> Code {
    let name = folder.split("--").next().unwrap();
    *CATALOGUE.iter().find(|code| code.name == name).unwrap_or_else(|| panic!("no code {name}"))
}

fn run(name: &str) -> Fault {
    let book = Book::small();
    let before = book.build();
    book.lay(&fixtures().join("faltas").join(name));
    let sources = |book: &Book| {
        let mut all = super::files(book.root());
        all.retain(|path, _| !path.starts_with("sitio/"));
        all
    };
    let given = sources(&book);
    let strict = book.run(&["construir", "--estricto"]);
    let site_is_untouched = book.site() == before;
    let nothing_else_changed = sources(&book) == given;
    let plain = book.run(&["construir"]);
    Fault {
        name: name.to_owned(),
        code: code_of(name),
        plain,
        strict,
        site_is_untouched,
        nothing_else_changed,
    }
}

fn corpus() -> Vec<Fault> {
    let entries = std::fs::read_dir(fixtures().join("faltas")).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names.par_iter().map(|name| run(name)).collect()
}

/// Whether a message shows `file:line:column`.
fn is_located(text: &str) -> bool {
    text.lines().filter_map(|line| line.trim_start().strip_prefix("--> ")).any(|place| {
        let mut parts = place.rsplitn(3, ':');
        let numbers = [parts.next(), parts.next()];
        numbers.iter().all(|part| part.is_some_and(|n| n.parse::<usize>().is_ok()))
            && parts.next().is_some()
    })
}

#[test]
fn every_fault_has_its_code_its_place_and_leaves_the_site_as_it_was() {
    let mut broken = vec![];
    for fault in corpus() {
        let is_error = fault.code.severity == Severity::Error;
        let word = if is_error { "error" } else { "aviso" };
        let title = format!("{word}[{}]", fault.code.name);
        let checks = [
            ("the code", fault.strict.err.contains(&title)),
            ("exit status 1", fault.strict.code == 1),
            ("a warning alone does not fail", fault.plain.code == i32::from(is_error)),
            ("nothing on standard output", fault.strict.out.is_empty()),
            ("the place", is_located(&fault.strict.err) || WITHOUT_A_LINE.contains(&&*fault.name)),
            ("the site stays", fault.site_is_untouched),
            ("nothing else is written", fault.nothing_else_changed),
            ("no path of a machine", !fault.strict.err.contains("/tmp/")),
        ];
        broken.extend(
            checks
                .iter()
                .filter(|(_, good)| !good)
                .map(|(what, _)| format!("{}: {what}\n{}", fault.name, fault.strict.err)),
        );
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn every_message_reads_as_its_snapshot() {
    for fault in corpus() {
        insta::assert_snapshot!(fault.name.as_str(), fault.strict.err);
    }
}

#[test]
fn every_kind_of_fault_of_a_book_has_an_example() {
    let names: BTreeSet<String> = std::fs::read_dir(fixtures().join("faltas"))
        .unwrap()
        .map(|entry| code_of(&entry.unwrap().file_name().into_string().unwrap()).name.to_owned())
        .collect();
    let missing: Vec<&str> =
        CATALOGUE.iter().map(|code| code.name).filter(|name| !names.contains(*name)).collect();
    // Raised by other commands, or not by a fault of the author: what the catalogue
    // reserves stays out of the corpus until something raises it.
    let elsewhere =
        ["marcador", "datos-antiguos", "sin-convergencia", "envio-excluido", "envio-dudoso"];
    let missing: Vec<&str> = missing.into_iter().filter(|name| !elsewhere.contains(name)).collect();
    assert!(missing.is_empty(), "no fixture shows {missing:?}");
}

#[test]
fn all_the_faults_of_a_book_are_told_in_one_run() {
    let found = run("directiva-mal-formada--muchas-a-la-vez").strict.err;
    for code in [
        "tabla-desconocida",
        "figura-desconocida",
        "valor-desconocido",
        "rotulo-desconocido",
        "afirmacion-falsa",
        "directiva-mal-formada",
        "enlace-roto",
    ] {
        assert!(found.contains(&format!("[{code}]")), "{code} is not in\n{found}");
    }
    for file in ["uno/index.md", "uno/tablas.yaml", "uno/figuras.yaml", "dos/index.md"] {
        assert!(found.contains(file), "{file} is not in\n{found}");
    }
}

#[test]
fn a_fault_reads_the_same_on_every_run_and_in_json() {
    let book = Book::small();
    book.lay(&fixtures().join("faltas/directiva-mal-formada--muchas-a-la-vez"));
    let first = book.run(&["revisar"]);
    assert_eq!(first, book.run(&["revisar"]));
    assert_eq!(first.code, 1);
    let json = book.run(&["revisar", "--json"]);
    assert_eq!(json.code, 1);
    let all = json.json();
    let all = all.as_array().unwrap();
    let errors = all.iter().filter(|one| one["severidad"] == "error").count();
    assert!(first.err.contains(&format!("{errors} errores")), "{}", first.err);
    assert!(all.iter().all(|one| one["mensaje"].is_string() && one["archivo"].is_string()));
}

#[test]
fn a_folder_without_a_book_is_an_error_and_nothing_is_made_there() {
    let folder = tempfile::tempdir().unwrap();
    for command in ["construir", "revisar", "limpiar"] {
        let run = crate::cli::escritura(folder.path(), &[command]);
        assert_eq!(run.code, 1, "{command}");
        assert!(run.err.contains("book.toml"), "{}", run.err);
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn an_output_folder_that_is_not_ours_is_refused_by_every_road() {
    let book = Book::small();
    book.write("ajena/tesis.txt", "no borrar\n");
    let sources = super::files(book.root());
    for folder in [
        ".",
        "content",
        "content/uno",
        "content/sitio",
        "ajena",
        "ajena/tesis.txt",
        "..",
        "ajena/../content",
    ] {
        for command in ["construir", "limpiar"] {
            let run = book.run(&[command, "-d", folder]);
            assert_eq!(run.code, 1, "{command} -d {folder}: {}", run.err);
            assert!(run.err.contains("error[carpeta-de-salida]"), "{}", run.err);
        }
    }
    assert_eq!(super::files(book.root()), sources);
}
