//! Citations, from the chapter to the page, and chapters that share a study.

use crate::book::Book;

const CHAPTER: &str = "content/uno/index.md";
const BIBTEX: &str = "@article{yen1984,
  author = {Yen, Wendy M.},
  title = {Effects of local item dependence},
  journal = {Applied Psychological Measurement},
  volume = {8},
  pages = {125--145},
  year = {1984},
}

@book{garcia:ñu/1, author = {García Ñúñez, Ana and Ibáñez, Luis}, title = {A < B & C}, publisher = {Editorial}, year = {2001}}
";

/// The small book whose first chapter cites.
fn citing(text: &str) -> Book {
    let book = Book::small();
    book.append(CHAPTER, text);
    book.write("content/uno/referencias.bib", BIBTEX);
    book
}

#[track_caller]
fn page(text: &str) -> String {
    let book = citing(text);
    book.run(&["construir", "--estricto"]).good();
    book.page("uno")
}

const BOTH: &str = "Ya se sabía [véase @yen1984, p. 127; @garcia:ñu/1]; @yen1984 lo dice.";

#[test]
fn a_citation_leads_to_its_entry_at_the_end_of_the_chapter() {
    let page = page(BOTH);
    assert!(page.contains(
        "(<a href=\"#referencia:garcia%3A%C3%B1u/1\" role=\"doc-biblioref\">García Ñúñez e \
         Ibáñez, 2001</a>; véase <a href=\"#referencia:yen1984\" role=\"doc-biblioref\">Yen, 1984, \
         p. 127</a>)"
    ));
    assert!(page.contains(">Yen (1984)</a></span> lo dice."));
    let list = page.find("<h2 id=\"referencias\">Referencias").unwrap();
    let entry = list + page[list..].find("<li id=\"referencia:yen1984\">").unwrap();
    let expected = "Yen, W. M. (1984). Effects of local item dependence. <i>Applied Psychological \
                    Measurement</i>, <i>8</i>, 125–145.</li>";
    assert!(page[entry..].contains(expected), "{}", &page[entry..entry + 300]);
    assert!(page[list..].contains("id=\"referencia:garcia:ñu/1\""));
    assert!(page[list..].contains("<i>A &lt; B &amp; C</i>"));
    let contents = &page[..page.find("<article>").unwrap()];
    assert!(contents.contains("href=\"#referencias\""), "the table of contents has it");
}

#[test]
fn a_heading_of_the_author_for_the_references_is_kept() {
    let page = page(&format!("{BOTH}\n\n## Referencias\n"));
    assert_eq!(page.matches(">Referencias").count(), 2, "in the contents and as a heading");
}

#[test]
fn citations_in_titles_links_and_attributes_become_text() {
    let page = page(&format!(
        "{BOTH}\n\n## Según @yen1984\n\n<p title=\"[@no]\">x [^1]</p>\n\nNota[^n].\n\n[^n]: Al pie [@yen1984].\n"
    ));
    assert!(page.contains("<h2 id=\"según-yen-1984\">Según Yen (1984) "), "{page}");
    assert!(page.contains("title=\"[@no]\""));
    let notes = &page[page.find("role=\"doc-endnotes\"").unwrap()..];
    assert!(notes.contains("(<a href=\"#referencia:yen1984\""));
}

#[test]
fn a_citation_in_a_branch_that_does_not_stand_is_not_in_the_list() {
    let text = "[@garcia:ñu/1]<< si \"tct.kr20 < 0\" >> y [@yen1984]<< fin >>.";
    let page = page(text);
    assert!(!page.contains("referencia:yen1984"), "and is not reported as unused");
}

#[test]
fn markdown_has_citations_and_references_as_text() {
    let book = citing(BOTH);
    book.run(&["construir"]).good();
    let text = book.read("sitio/uno/index.md");
    assert!(text.contains("(García Ñúñez e Ibáñez, 2001; véase Yen, 1984, p. 127)"), "{text}");
    assert!(
        text.contains("## Referencias\n\n- García Ñúñez, A. e Ibáñez, L. (2001). *A"),
        "{text}"
    );
}

#[test]
fn every_chapter_has_its_own_bibliography() {
    let book = citing(BOTH);
    book.append("content/dos/index.md", "Y @alguien@correo no es una cita, ni @yen1984 aquí.");
    book.build();
    assert!(book.page("dos").contains("ni @yen1984 aquí"));
}

#[test]
fn the_same_bibliography_in_yaml_gives_the_same_list() {
    let book = Book::small();
    book.append(CHAPTER, "Ya se sabía [@rasch1960].");
    book.write(
        "content/uno/referencias.yaml",
        "rasch1960:\n  type: Book\n  title: Probabilistic models\n  author: Rasch, Georg\n  \
         date: 1960\n  publisher: Danish Institute\n",
    );
    book.run(&["construir", "--estricto"]).good();
    let expected = "Rasch, G. (1960). <i>Probabilistic models</i>. Danish Institute.";
    assert!(book.page("uno").contains(expected));
}

#[test]
fn a_chapter_may_use_the_study_of_another() {
    let book = Book::small();
    book.write(
        "content/dos/index.md",
        "---\ntitulo: Dos con << valor \"datos.k\" >>\nestudio: uno\n---\n\n\
         Fáciles: << valor \"n_faciles\" >>; log L = << valor \"rasch.log_l\" decimales=3 >>, \
         véase la << ref \"uno/tabla:dificiles\" formato=corto >>.\n",
    );
    let run = book.run(&["construir", "--estricto"]).good();
    let values = |slug: &str| -> serde_json::Value {
        serde_json::from_str(&book.read(&format!("sitio/{slug}/valores.json"))).unwrap()
    };
    let (one, two) = (values("uno"), values("dos"));
    assert_eq!(one["valores"], two["valores"], "one study, computed once");
    assert_eq!(one["datos"], two["datos"]);
    assert!(two["valores"]["rasch.log_l"].is_number());
    assert_eq!(two["titulo"], "Dos con 6");
    assert!(book.page("dos").contains("uno/index.html#tabla-dificiles\">Tabla 1</a>"));
    assert!(run.err.contains("2 capítulos"));
}

#[test]
fn a_chapter_whose_study_fails_is_not_told_twice() {
    let book = Book::small();
    book.write("content/dos/index.md", "---\ntitulo: Dos\nestudio: uno\n---\n\nNada.\n");
    std::fs::remove_file(book.path("content/uno/datos/respuestas.csv")).unwrap();
    let run = book.run(&["construir"]);
    assert_eq!(run.code, 1);
    assert!(!run.err.contains("dos/index.md"), "{}", run.err);
}
