//! What a command must not lose: a file that it did not make, an answer, or its own
//! exit status.

use super::{Run, escritura};
use crate::book::Book;
use std::path::Path;

const MATRIX: &str = "id,a,b,c\nx,1,1,0\ny,0,1,0\nz,1,0,1\nw,0,0,0\n";

/// Runs in a folder with one file.
fn with_file(name: &str, text: &str, arguments: &[&str]) -> (tempfile::TempDir, Run) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(name), text).unwrap();
    let run = escritura(folder.path(), arguments);
    (folder, run)
}

#[test]
fn frames_do_not_replace_the_matrix_that_they_come_from() {
    let name = "reactivos.csv";
    let (folder, run) = with_file(name, MATRIX, &["analizar", name, "--marcos", "."]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.err.contains("borraría el archivo que se analiza"), "{}", run.err);
    assert_eq!(std::fs::read_to_string(folder.path().join(name)).unwrap(), MATRIX);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is written");
}

#[test]
fn simulated_data_do_not_replace_real_ones() {
    let book = Book::small();
    let data = "content/uno/datos";
    let before = crate::book::files(book.root());
    let matrix = format!("{data}/respuestas.csv");
    for arguments in [
        &["datos", "simular", "--destino", data][..],
        &["datos", "simular", "--destino", data, "--examinados", "3", "--reactivos", "3"],
        &["datos", "simular", "--destino", &matrix, "--examinados", "3", "--reactivos", "3"],
    ] {
        let run = book.run(arguments);
        assert_eq!(run.code, 1, "{run:?}");
        assert!(run.err.contains("no son simulados"), "{}", run.err);
    }
    assert_eq!(crate::book::files(book.root()), before);
    let twice = ["datos", "simular", "--destino", "simulados"];
    book.run(&twice).good();
    book.run(&twice).good();
}

#[test]
fn a_matrix_beyond_all_measure_is_refused_before_it_is_begun() {
    let folder = Path::new(".");
    let huge = "99999999999";
    let run = escritura(
        folder,
        &["datos", "simular", "--destino", "x.csv", "--examinados", huge, "--reactivos", huge],
    );
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.err.contains("no pasa de 10 000 000"), "{}", run.err);
}

#[test]
fn an_item_with_the_name_of_a_count_is_an_item_here_as_in_a_book() {
    let text = MATRIX.replace("a,b,c", "a,b,n");
    let (_folder, run) = with_file("r.csv", &text, &["analizar", "r.csv", "--json"]);
    let all = run.good().json();
    assert_eq!(all["datos"]["n_reactivos"], 3);
    assert_eq!(all["datos"]["n_examinados"], 4);
}

#[test]
fn the_line_that_excel_writes_first_changes_nothing() {
    let (_one, plain) = with_file("r.csv", MATRIX, &["analizar", "r.csv", "--json"]);
    let (_two, told) =
        with_file("r.csv", &format!("sep=,\r\n{MATRIX}"), &["analizar", "r.csv", "--json"]);
    assert_eq!(told.good().out, plain.good().out);
    let wrong = format!("sep=,\n{}", MATRIX.replace("y,0", "y,7"));
    let (_three, run) = with_file("r.csv", &wrong, &["analizar", "r.csv"]);
    assert!(run.err.contains("r.csv:4:3"), "{}", run.err);
}

#[test]
fn a_code_that_was_not_declared_is_told_from_one_that_is_no_answer() {
    let (_folder, run) = with_file("r.csv", MATRIX, &["analizar", "r.csv", "--recodificar", "1:0"]);
    assert_eq!(run.code, 1);
    assert!(run.err.contains("«0» no es un código declarado (1) ni dato faltante"), "{}", run.err);
}

#[test]
fn columns_that_are_named_say_that_the_table_is_long() {
    let long = "s,i,r\nx,a,1\nx,b,0\ny,a,0\ny,b,1\n";
    let convert = ["datos", "convertir", "l.csv", "--destino", "m.csv", "--columnas", "s,i,r"];
    let (folder, run) = with_file("l.csv", long, &convert);
    run.good();
    let matrix = std::fs::read_to_string(folder.path().join("m.csv")).unwrap();
    assert_eq!(matrix, "id,a,b\nx,1,0\ny,0,1\n");
    let other = [&convert[..], &["--formato", "transpuesto"]].concat();
    let (_folder, run) = with_file("l.csv", long, &other);
    assert_eq!(run.code, 1);
    assert!(run.err.contains("--formato largo"), "{}", run.err);
}

#[cfg(target_os = "linux")]
#[test]
fn nowhere_to_write_messages_is_no_panic() {
    let book = Book::small();
    let full = || std::fs::File::options().write(true).open("/dev/full").unwrap();
    let run = |arguments: &[&str], out: bool| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_escritura"));
        command.args(arguments).current_dir(book.root()).stderr(full());
        if out {
            command.stdout(full());
        }
        command.output().unwrap().status.code()
    };
    assert_eq!(run(&["construir"], false), Some(0));
    assert!(book.path("sitio/index.html").is_file());
    assert_eq!(run(&["limpiar"], false), Some(0));
    assert_eq!(run(&["analizar", "content/uno/datos/respuestas.csv"], true), Some(1));
    assert_eq!(run(&["analizar", "no.csv"], true), Some(1));
    assert_eq!(run(&["construr"], false), Some(2));
}
