//! The flagship chapter on data that lack something: it builds and reads true, or
//! says precisely what it lacks.

use super::Book;
use crate::cli::Run;
use escritura::data::digest;

const DATA: &str = "content/swebench/datos";
const ANSWERS: &str = "respuestas_swebench_verified.csv";
const SUBMISSIONS: &str = "envios_swebench_verified.csv";
const ENVIRONMENT: &str = "entorno_swebench_verified.csv";

/// The project's book without what takes long: these tests are about the data.
fn book() -> Book {
    let book = Book::project();
    book.replace(
        "content/swebench/index.md",
        "  frontera: 20\n",
        "  frontera: 20\n  remuestreos: 0\n  simulaciones: 0\n",
    );
    book
}

/// Keeps the rows of a data file whose identifier fulfils a condition.
fn keep(book: &Book, file: &str, wanted: impl Fn(&str) -> bool) {
    let path = format!("{DATA}/{file}");
    let text = book.read(&path);
    let mut lines = text.lines();
    let header = lines.next().unwrap().to_owned();
    let kept = lines.filter(|line| wanted(line.split(',').next().unwrap())).map(String::from);
    let lines: Vec<String> = std::iter::once(header).chain(kept).collect();
    book.write(&path, lines.join("\n") + "\n");
}

fn ids(book: &Book) -> Vec<String> {
    let text = book.read(&format!("{DATA}/{ANSWERS}"));
    text.lines().skip(1).map(|line| line.split(',').next().unwrap().to_owned()).collect()
}

/// Only the submissions that fulfil a condition, in the three files.
fn only(book: &Book, wanted: impl Fn(&str) -> bool) {
    [ANSWERS, SUBMISSIONS, ENVIRONMENT].iter().for_each(|file| keep(book, file, &wanted));
    renew(book);
}

/// The provenance describes the files again.
fn renew(book: &Book) {
    let mut text =
        "tipo: simulado\nfuente: inventada para las pruebas\nfecha: 2026-01-31\narchivos:\n"
            .to_owned();
    for file in [ANSWERS, SUBMISSIONS, ENVIRONMENT] {
        if let Ok(bytes) = std::fs::read(book.path(&format!("{DATA}/{file}"))) {
            text += &format!("  {file}: {{sha256: {}}}\n", digest::of_bytes(&bytes));
        }
    }
    book.write(&format!("{DATA}/procedencia.yaml"), text);
}

/// Each error's title and place.
fn errors(run: &Run) -> Vec<String> {
    let lines: Vec<&str> = run.err.lines().collect();
    let is_title = |line: &&str| line.starts_with("error[") || line.starts_with("aviso[");
    let titles = lines.iter().enumerate().filter(|(_, line)| is_title(line));
    titles.map(|(at, title)| format!("{title} {}", lines[at + 1].trim())).collect()
}

#[test]
fn the_chapter_builds_without_resampling() {
    let book = book();
    let run = book.run(&["construir", "--estricto"]).good();
    assert_eq!(errors(&run), Vec::<String>::new());
    let page = book.page("swebench");
    assert!(page.contains("El análisis con otras decisiones"));
    assert!(!page.contains("Cortes usuales y cortes simulados"), "nothing was simulated");
}

#[test]
fn the_chapter_builds_without_the_environment_file() {
    let book = book();
    std::fs::remove_file(book.path(&format!("{DATA}/{ENVIRONMENT}"))).unwrap();
    renew(&book);
    book.run(&["construir", "--estricto"]).good();
    assert!(book.page("swebench").contains("no traen los registros de ejecución"));
}

#[test]
fn the_chapter_builds_without_the_base_family() {
    let book = book();
    only(&book, |id| !id.contains("_rag_"));
    assert_eq!(errors(&book.run(&["construir", "--estricto"]).good()), Vec::<String>::new());
    assert!(!book.page("swebench").contains("Sin las líneas base"));
}

#[test]
fn the_chapter_builds_with_one_family_and_compares_no_groups() {
    let book = book();
    only(&book, |id| !id.contains("_rag_") && !id.contains("_mini-"));
    assert_eq!(errors(&book.run(&["construir", "--estricto"]).good()), Vec::<String>::new());
    assert!(!book.page("swebench").contains("Mantel"));
}

#[test]
fn with_two_examinees_nothing_panics_and_every_lack_is_located() {
    let book = book();
    let two: Vec<String> = ids(&book).into_iter().rev().take(2).collect();
    only(&book, |id| two.iter().any(|one| one == id));
    let run = book.run(&["construir", "--estricto"]);
    assert_eq!(run.code, 1, "{}", run.err);
    for error in errors(&run) {
        assert!(error.contains("--> content/"), "{error}");
    }
}

#[test]
fn a_first_eigenvalue_that_no_longer_dominates_fails_at_its_sentence() {
    let book = book();
    // Each item's answers moved down by its own number of rows: nothing is related.
    let text = book.read(&format!("{DATA}/{ANSWERS}"));
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    let n = rows.len() - 1;
    let cell = |i: usize, j: usize| rows[1 + (i + 37 * j) % n][j];
    let mut moved = rows[0].join(",") + "\n";
    for i in 0..n {
        let answers: Vec<&str> = (1..rows[0].len()).map(|j| cell(i, j)).collect();
        moved += &format!("{},{}\n", rows[1 + i][0], answers.join(","));
    }
    book.write(&format!("{DATA}/{ANSWERS}"), moved);
    renew(&book);
    let run = book.run(&["construir"]);
    assert_eq!(run.code, 1);
    let at = run.err.find("el primer componente domina").expect("the sentence is told");
    let told = &run.err[..at + 900.min(run.err.len() - at)];
    assert!(told.contains("error[afirmacion-falsa]"), "{told}");
    assert!(told.contains("razon_tetracorica > 3 and razon_phi > 3"), "{told}");
    assert!(!book.path("sitio").exists());
}
