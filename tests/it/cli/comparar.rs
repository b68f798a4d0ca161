//! `escritura comparar`: two data folders, two builds, two commits.

use super::{Run, copy, escritura};
use crate::book::Book;
use crate::support::shared;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

const ANSWERS: &str = "content/uno/datos/respuestas.csv";

/// Copies a data folder without its last `n` examinees.
fn without_last(n: usize, from: &Path, to: &Path) {
    copy(from, to);
    let id = |line: &str| line.split(',').next().unwrap().to_owned();
    let names = |prefix: &str| -> Vec<std::path::PathBuf> {
        let files = std::fs::read_dir(to).unwrap().map(|entry| entry.unwrap().path());
        files.filter(|path| is_csv(path) && name(path).starts_with(prefix)).collect()
    };
    let matrix = std::fs::read_to_string(&names("respuestas")[0]).unwrap();
    let ids: Vec<String> = matrix.lines().map(id).collect();
    let gone = &ids[ids.len() - n..];
    for path in names("") {
        let text = std::fs::read_to_string(&path).unwrap();
        let kept = text.split_inclusive('\n').filter(|line| !gone.contains(&id(line)));
        std::fs::write(&path, kept.collect::<String>()).unwrap();
    }
    let folder = to.to_str().unwrap();
    let provenance = [
        "datos",
        "verificar",
        folder,
        "--escribir",
        "--tipo",
        "simulado",
        "--fuente",
        "prueba",
        "--fecha",
        "2026-01-31",
    ];
    let run = escritura(to, &provenance);
    assert!(run.code == 0 || !run.err.contains("procedencia"), "{run:?}");
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

fn is_csv(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "csv")
}

fn head(text: &str, lines: usize) -> String {
    text.lines().take(lines).map(|line| format!("{line}\n")).collect()
}

/// The values that changed, as the JSON lists them.
fn values(changes: &Value) -> &Vec<Value> {
    changes["cambios"]["valores"].as_array().unwrap()
}

#[track_caller]
fn value<'a>(changes: &'a Value, name: &str) -> &'a Value {
    values(changes).iter().find(|one| one["nombre"] == name).expect(name)
}

/// Whatever is no number first; then numbers, those that moved most first.
#[track_caller]
fn assert_largest_first(changes: &Value) {
    let size = |one: &Value| match (one["clase"].as_str(), one["relativa"].as_f64()) {
        (Some("numero"), Some(relative)) => relative.abs(),
        _ => f64::INFINITY,
    };
    let sizes: Vec<f64> = values(changes).iter().map(size).collect();
    assert!(sizes.len() > 1 && sizes.is_sorted_by(|a, b| a >= b), "{sizes:?}");
}

/// The small book built into `sitio`, then again over other answers into `otro`.
fn two_builds() -> Book {
    let book = Book::small();
    book.run(&["construir", "-d", "sitio-a"]).good();
    change_answers(&book);
    book.run(&["construir", "-d", "sitio-b"]).good();
    book
}

fn change_answers(book: &Book) {
    book.write_answers(book.read(ANSWERS).replace("e10,0,1,0,0,0,0", "e10,0,1,0,0,1,0"));
}

/// The small book with a second data folder, `otros`, which `change` makes of the
/// first.
fn two_folders(change: impl Fn(&str) -> String) -> Book {
    let book = Book::small();
    let first = book.read(ANSWERS);
    copy(&book.path("content/uno/datos"), &book.path("primeros"));
    book.write_answers(change(&first));
    copy(&book.path("content/uno/datos"), &book.path("otros"));
    book.write_answers(first);
    book
}

fn compare(book: &Book, more: &[&str]) -> Run {
    book.run(&[&["comparar", "primeros", "otros"], more].concat())
}

/// A chapter over the demonstration's data whose text stays as it is here.
const DEMONSTRATION: &str = r#"---
titulo: La demostración
datos:
  respuestas: respuestas_swebench_verified.csv
  examinados: {archivo: envios_swebench_verified.csv, texto: [intentos]}
---

La KR-20 es << valor "tct.kr20" decimales=3 >> con << valor "datos.n_examinados" >> envíos. El mejor
resuelve el << valor "100 * puntajes.max / datos.n_reactivos" decimales=1 sufijo="%" >>.
<< afirma "tct.kr20 > 0.9" mensaje="la consistencia es alta" >>

Entre parecidos, el mayor total es << valor "hamming.max_total" >>.
<< afirma "hamming.max_total > 100" mensaje="alguno de los parecidos resuelve muchos" >>

<< elige "n_faciles > 40" si="Varios son fáciles" no="Pocos son fáciles" >>: la << ref "tabla:dificiles" >>.

<< tabla "dificiles" >>
"#;

#[test]
fn the_demonstration_without_its_last_ten_submissions() {
    let book = Book::small();
    let demonstration = Path::new(env!("CARGO_MANIFEST_DIR")).join("content/swebench/datos");
    copy(&demonstration, &book.path("todos"));
    without_last(10, &demonstration, &book.path("menos"));
    copy(&demonstration, &book.path("content/uno/datos"));
    book.write("content/uno/index.md", DEMONSTRATION);
    let run = |more: &[&str]| book.run(&[&["comparar", "todos", "menos"], more].concat());
    insta::assert_snapshot!("demonstration_text", head(&run(&[]).good().out, 60));
    let markdown = run(&["--formato", "markdown"]).good().out;
    insta::assert_snapshot!("demonstration_markdown", head(&markdown, 30));
    let json = run(&["--json", "--fallar-si-cambia"]);
    assert_eq!(json.code, 1);
    insta::assert_snapshot!("demonstration_json", head(&json.out, 60));
    let changes = json.json();
    assert_largest_first(&changes);
    let data = &changes["cambios"]["datos"][0];
    assert_eq!(data["examinados"]["desaparecidos"].as_array().unwrap().len(), 10);
    assert_eq!(data["celdas"]["comunes"], 163 * 500);
    assert_eq!(data["celdas"]["cambiadas"], 0);
    assert_eq!(value(&changes, "datos.n_examinados")["diferencia"], -10.0);
}

#[test]
fn the_real_data_without_their_last_ten_submissions() {
    let Some(matrix) = shared("datos/respuestas_swebench_verified.csv") else { return };
    let data = matrix.parent().unwrap();
    let book = Book::project();
    // Only the files that the chapter reads: the folder holds a clone besides.
    std::fs::create_dir(book.path("todos")).unwrap();
    for entry in std::fs::read_dir(data).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            std::fs::copy(&path, book.path("todos").join(name(&path))).unwrap();
        }
    }
    without_last(10, &book.path("todos"), &book.path("menos"));
    let changes = book.run(&["comparar", "todos", "menos", "--json"]).good().json();
    assert_largest_first(&changes);
    assert!(values(&changes).len() > 50, "{}", values(&changes).len());
    let examinees = value(&changes, "datos.n_examinados");
    assert_eq!((&examinees["antes"], &examinees["ahora"]), (&158.into(), &148.into()));
    assert!(!examinees["lineas"].as_array().unwrap().is_empty());
    let data = &changes["cambios"]["datos"][0];
    assert_eq!(data["examinados"]["desaparecidos"].as_array().unwrap().len(), 10);
    assert_eq!(data["celdas"]["cambiadas"], 0);
}

#[test]
fn nothing_changes_between_a_thing_and_itself() {
    let book = two_builds();
    let same = [
        ["content/uno/datos", "content/uno/datos"],
        ["sitio-a", "sitio-a"],
        ["sitio-a/uno/valores.json", "sitio-a/uno/valores.json"],
    ];
    for [a, b] in same {
        let run = book.run(&["comparar", a, b, "--fallar-si-cambia"]).good();
        assert!(run.out.contains("Nada cambia"), "{run:?}");
        let json = book.run(&["comparar", a, b, "--fallar-si-cambia", "--json"]).good().json();
        assert_eq!(json["cambia"], false);
        assert!(json["cambios"]["valores_comparados"].as_u64().unwrap() > 1);
    }
}

#[test]
fn a_changed_answer_is_counted_and_moves_what_depends_on_it() {
    let book = two_folders(|text| text.replace("e10,0,1,0,0,0,0", "e10,0,1,0,0,1,0"));
    let changes = compare(&book, &["--json"]).good().json();
    let cells = &changes["cambios"]["datos"][0]["celdas"];
    assert_eq!((&cells["comunes"], &cells["cambiadas"]), (&72.into(), &1.into()));
    assert_eq!(cells["por_reactivo"].as_array().unwrap().len(), 1);
    let kr20 = value(&changes, "tct.kr20");
    let difference = kr20["ahora"].as_f64().unwrap() - kr20["antes"].as_f64().unwrap();
    assert_eq!(kr20["diferencia"].as_f64().unwrap(), difference);
    let verbs: Vec<&Value> =
        kr20["lineas"].as_array().unwrap().iter().map(|line| &line["hace"]).collect();
    assert_eq!(verbs, ["imprime", "afirma"]);
    assert!(!values(&changes).iter().any(|one| one["nombre"] == "datos.k"));
    let text = compare(&book, &[]).good();
    insta::assert_snapshot!(text.out);
    // Nothing of the site is written.
    assert!(!book.path("sitio").exists());
}

#[test]
fn assertions_that_stop_being_true_come_first() {
    let book = two_folders(|text| text.replace("e10,0,1,0,0,0,0", "e10,0,1,0,0,1,0"));
    let page = book.read("content/uno/index.md");
    let claim = "<< afirma \"tct.kr20 > 0\" mensaje=\"la consistencia es positiva\" >>";
    let total = "<< afirma \"puntajes.media < 3.5\" mensaje=\"la media es baja\" >>";
    let before = compare(&book, &["--json"]).good().json();
    let mean = value(&before, "puntajes.media").clone();
    let between = (mean["antes"].as_f64().unwrap() + mean["ahora"].as_f64().unwrap()) / 2.0;
    let total = total.replace("3.5", &between.to_string());
    book.write("content/uno/index.md", page.replace(claim, &total));
    let run = compare(&book, &[]).good();
    let first = run.out.lines().nth(3).unwrap();
    assert_eq!(first, "Afirmaciones que cambian: 1", "{}", run.out);
    assert!(run.out.contains("cierta  falsa"), "{}", run.out);
    assert!(run.out.contains("content/uno/index.md:13"), "{}", run.out);
}

#[test]
fn a_value_that_is_no_longer_defined_is_told_with_its_reason() {
    let constant = |text: &str| {
        let line = |line: &str| match line.split_once(',') {
            Some((id, _)) if id.starts_with('e') && id != "examinado" => {
                format!("{id},1,1,1,1,1,1\n")
            }
            _ => format!("{line}\n"),
        };
        text.lines().map(line).collect::<String>()
    };
    let book = two_folders(constant);
    let run = compare(&book, &["--json"]).good();
    let changes = run.json();
    let kr20 = value(&changes, "tct.kr20");
    assert_eq!(kr20["clase"], "definicion");
    assert!(!kr20["motivos"][0].as_str().unwrap().is_empty());
    let broken = changes["cambios"]["sin_definir"]["b"].as_array().unwrap();
    assert!(broken.iter().any(|one| one["archivo"] == "content/uno/index.md"), "{broken:?}");
    let text = compare(&book, &[]).good().out;
    assert!(text.contains("Lo que B no puede imprimir y A sí"), "{text}");
}

#[test]
fn two_builds_say_what_they_hold_and_what_they_do_not() {
    let book = two_builds();
    let values_only =
        book.run(&["comparar", "sitio-a/uno/valores.json", "sitio-b/uno/valores.json"]);
    let values_only = values_only.good().out;
    assert!(values_only.contains("qué celdas de las tablas cambian"), "{values_only}");
    assert!(values_only.contains("qué examinados y reactivos"), "{values_only}");
    assert!(values_only.contains("content/uno/index.md:11"), "{values_only}");
    let site = book.run(&["comparar", "sitio-a", "sitio-b"]).good().out;
    assert!(site.contains("Tabla uno/dificiles") && !site.contains("qué celdas de las tablas"));
    let told = |out: &str| -> String {
        let from = out.find("Valores que").unwrap();
        out[from..].split("\n\n").next().unwrap().to_owned()
    };
    assert_eq!(told(&values_only), told(&site));
    // The same as computing the book over each: a build publishes all of it.
    let folders = two_folders(|text| text.replace("e10,0,1,0,0,0,0", "e10,0,1,0,0,1,0"));
    let values = |run: Run| run.good().json()["cambios"]["valores"].clone();
    assert_eq!(
        values(compare(&folders, &["--json"])),
        values(book.run(&["comparar", "sitio-a", "sitio-b", "--json"]))
    );
}

#[test]
fn chapters_that_come_and_go_are_counted_in_whole_words() {
    let book = Book::small();
    book.run(&["construir", "-d", "sitio-a"]).good();
    copy(&book.path("sitio-a"), &book.path("sitio-b"));
    let values = "sitio-b/uno/valores.json";
    let mut renamed: Value = serde_json::from_str(&book.read(values)).unwrap();
    renamed["capitulo"] = "otro".into();
    book.write(values, renamed.to_string());
    let said = book.run(&["comparar", "sitio-a", "sitio-b"]).good().out;
    assert!(said.contains("capítulos nuevos: 1 (otro)"), "{said}");
    assert!(said.contains("capítulos que desaparecen: 1 (uno)"), "{said}");
}

#[test]
fn a_build_of_an_older_version_can_be_compared() {
    let book = two_builds();
    for site in ["sitio-a", "sitio-b"] {
        let path = format!("{site}/uno/valores.json");
        let mut json: Value = serde_json::from_str(&book.read(&path)).unwrap();
        let object = json.as_object_mut().unwrap();
        for key in ["archivo", "razones", "afirmaciones"] {
            object.remove(key);
        }
        for printed in object["impresos"].as_array_mut().unwrap() {
            let printed = printed.as_object_mut().unwrap();
            printed.remove("linea");
            printed.remove("usa");
        }
        book.write(&path, json.to_string());
    }
    let out = book.run(&["comparar", "sitio-a", "sitio-b"]).good().out;
    assert!(out.contains("en qué líneas se imprime"), "{out}");
    assert!(out.contains("tct.kr20"), "{out}");
}

fn git(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(["-c", "user.name=sim", "-c", "user.email=sim@sim.example"]);
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        command.env_remove(name);
    }
    let output = command.args(arguments).output().expect("these tests need git");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The small book in a repository with two commits, in a folder of it.
fn repository() -> Book {
    let book = Book::small();
    git(book.root(), &["init", "--quiet", "--initial-branch=main"]);
    git(book.root(), &["add", "-A"]);
    git(book.root(), &["commit", "--quiet", "-m", "uno"]);
    git(book.root(), &["tag", "primera"]);
    change_answers(&book);
    book.replace("content/uno/index.md", "## Los reactivos", "Una línea más.\n\n## Los reactivos");
    git(book.root(), &["commit", "--quiet", "-am", "dos"]);
    book
}

#[test]
fn two_commits_are_compared_and_the_checkout_is_not_touched() {
    let book = repository();
    // What is not committed plays no part and stays.
    book.write("content/uno/index.md", "sin guardar");
    book.write("suelto.txt", "x");
    let state = || {
        let list = |arguments: &[&str]| git(book.root(), arguments);
        [
            list(&["status", "--porcelain"]),
            list(&["worktree", "list"]),
            list(&["for-each-ref"]),
            list(&["stash", "list"]),
        ]
    };
    let before = state();
    let run = book.run(&["comparar", "primera", "HEAD", "--json"]).good();
    let changes = run.json();
    assert_eq!(changes["a"]["clase"], "revisión de git");
    assert_eq!(changes["cambios"]["datos"][0]["celdas"]["cambiadas"], 1);
    assert_eq!(value(&changes, "tct.kr20")["lineas"][0]["archivo"], "content/uno/index.md");
    assert_eq!(state(), before);
    // The book may be in a folder of the repository, and the command elsewhere.
    let elsewhere = tempfile::tempdir().unwrap();
    let root = book.root().to_str().unwrap();
    let again = escritura(elsewhere.path(), &["diff", "primera", "HEAD", "--json", "--raiz", root]);
    assert_eq!(again.good().out, run.out);
}

#[test]
fn a_book_in_a_folder_of_its_repository() {
    let book = Book::small();
    let outer = tempfile::tempdir().unwrap();
    let root = outer.path().join("libros/mío");
    copy(book.root(), &root);
    git(outer.path(), &["init", "--quiet", "--initial-branch=main"]);
    git(outer.path(), &["add", "-A"]);
    git(outer.path(), &["commit", "--quiet", "-m", "uno"]);
    let run = escritura(&root, &["comparar", "HEAD", "main", "--fallar-si-cambia"]).good();
    assert!(run.out.contains("Nada cambia"), "{run:?}");
}

#[test]
fn what_cannot_be_compared_is_told_and_nothing_is_printed() {
    let book = repository();
    book.run(&["construir", "-d", "sitio-a"]).good();
    book.write("roto.json", "{\"capitulo\": \"uno\",\n  \"valores\": [}");
    book.write("corto.json", "{\"capitulo\": \"uno\"");
    book.write("otra.json", "{\"capitulo\": \"uno\", \"titulo\": \"x\"}");
    book.write("dos.json", book.read("sitio-a/uno/valores.json").replace("\"uno\"", "\"tres\""));
    book.write("nota.txt", "x");
    std::fs::create_dir(book.path("vacia")).unwrap();
    let data = "content/uno/datos";
    copy(&book.path(data), &book.path("rotos"));
    book.write("rotos/respuestas.csv", "examinado,r1\ne1,7\n");
    copy(&book.path(data), &book.path("ajenos"));
    std::fs::rename(book.path("ajenos/respuestas.csv"), book.path("ajenos/x.csv")).unwrap();
    let values = "sitio-a/uno/valores.json";
    let cases = [
        [data, "no-existe"],
        [data, "primera"],
        [data, values],
        [values, "sitio-a"],
        ["primera", "primra"],
        ["primera..HEAD", "HEAD"],
        ["-x", "main"],
        ["main", ""],
        ["vacia", data],
        ["nota.txt", data],
        [values, "roto.json"],
        [values, "corto.json"],
        [values, "otra.json"],
        [values, "dos.json"],
        [data, "rotos"],
        [data, "ajenos"],
    ];
    let mut all = String::new();
    for [a, b] in cases {
        let run = book.run(&["comparar", a, b, "--json"]);
        assert!(run.code == 1 || run.code == 2, "{a} {b}: {run:?}");
        assert_eq!(run.out, "", "{a} {b}");
        all += &format!("$ escritura comparar {a} {b}\n{}\n", run.err);
    }
    insta::assert_snapshot!(all);
}

#[test]
fn a_commit_whose_book_is_broken_is_told_with_its_side_and_line() {
    let book = repository();
    book.replace("content/uno/index.md", "tct.kr20", "tct.kr21");
    git(book.root(), &["commit", "--quiet", "-am", "roto"]);
    let run = book.run(&["comparar", "primera", "main"]);
    assert_eq!((run.code, &*run.out), (1, ""));
    assert!(run.err.contains("content/uno/index.md:11"), "{}", run.err);
    assert!(run.err.contains("al leer B: main ("), "{}", run.err);
    assert!(!run.err.contains("escritura-comparar-"), "{}", run.err);
}

#[test]
fn without_a_repository_a_revision_is_nothing() {
    let book = Book::small();
    // A repository around the temporary folder would be found.
    let run = book.run(&["comparar", "HEAD", "HEAD~1"]);
    assert_eq!((run.code, &*run.out), (1, ""));
    assert!(run.err.contains("el libro no está en un repositorio de git"), "{}", run.err);
}
