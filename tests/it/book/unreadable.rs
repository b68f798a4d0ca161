//! Something that is no file where a file should be: told at its place, and neither
//! waited for nor taken for nothing.

use super::Book;
use std::path::Path;

/// What takes the place of a file.
const INSTEAD: [(&str, &str); 3] = [
    ("enlace", "es un enlace que no lleva a nada"),
    ("tubo", "no es un archivo ordinario"),
    ("carpeta", "es una carpeta, no un archivo"),
];

#[cfg(unix)]
fn put(kind: &str, path: &Path) {
    let _ = std::fs::remove_file(path);
    match kind {
        "enlace" => std::os::unix::fs::symlink("no-esta", path).unwrap(),
        "carpeta" => std::fs::create_dir(path).unwrap(),
        _ => {
            let made = std::process::Command::new("mkfifo").arg(path).status().unwrap();
            assert!(made.success());
        }
    }
}

/// Runs on the small book with something else at `file`: the site stays, and the
/// error names `shown`.
#[cfg(unix)]
fn refused(file: &str, shown: &str) {
    for (kind, cause) in INSTEAD {
        let book = Book::small();
        let before = book.build();
        put(kind, &book.path(file));
        for command in ["construir", "revisar"] {
            let run = book.run(&[command]);
            assert_eq!(run.code, 1, "{command}, {kind}: {}", run.err);
            assert!(run.err.contains(cause), "{file}, {kind}: {}", run.err);
            assert!(run.err.contains(&format!("--> {shown}")), "{file}, {kind}: {}", run.err);
            assert!(!run.err.contains("¿quiso decir"), "{file}, {kind}: {}", run.err);
        }
        assert_eq!(book.site(), before, "{file}, {kind}");
    }
}

#[cfg(unix)]
#[test]
fn a_chapter_that_is_no_file_is_told_where_it_is_listed() {
    for (kind, cause) in INSTEAD {
        let book = Book::small();
        let before = book.build();
        put(kind, &book.path("content/dos/index.md"));
        let run = book.run(&["construir"]);
        assert_eq!(run.code, 1, "{kind}: {}", run.err);
        // A folder has never been one of the files of Markdown.
        let said = if kind == "carpeta" { "no existe" } else { cause };
        assert!(run.err.contains(said), "{kind}: {}", run.err);
        assert!(run.err.contains("--> content/SUMMARY.md:4:3"), "{kind}: {}", run.err);
        assert_eq!(book.site(), before);
    }
}

#[cfg(unix)]
#[test]
fn declarations_that_are_no_file_are_not_taken_for_absent() {
    for name in ["valores.yaml", "tablas.yaml", "figuras.yaml"] {
        refused(&format!("content/uno/{name}"), &format!("content/uno/{name}"));
    }
}

#[cfg(unix)]
#[test]
fn data_that_are_no_file_are_told_where_they_are_named() {
    refused("content/uno/datos/respuestas.csv", "content/uno/index.md:7:15");
    refused("content/uno/datos/examinados.csv", "content/uno/index.md:8:15");
    refused("content/uno/datos/procedencia.yaml", "content/uno/datos/procedencia.yaml");
}

#[cfg(unix)]
#[test]
fn the_files_of_the_book_itself_must_be_files() {
    refused("book.toml", "book.toml");
    refused("content/SUMMARY.md", "content/SUMMARY.md");
}

#[test]
fn a_folder_without_a_book_is_named_as_it_was_given() {
    let book = Book::small();
    for command in ["construir", "revisar", "limpiar"] {
        let run = book.run(&[command, "-r", "no"]);
        let shown = Path::new("no").join("book.toml");
        assert!(run.err.contains(&format!("--> {}", shown.display())), "{}", run.err);
    }
}
