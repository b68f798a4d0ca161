//! Inputs that broke other literate engines, and what a book does with them here.

use super::{Book, differing};

const CHAPTER: &str = "content/uno/index.md";

/// The page of the small book with some text added to its first chapter.
#[track_caller]
fn page_with(text: &str) -> String {
    let book = Book::small();
    book.append(CHAPTER, text);
    book.build();
    book.page("uno")
}

#[test]
fn a_directive_prints_its_value_wherever_markdown_lets_it_stand() {
    let value = "<< valor \"datos.k\" >>";
    let page = page_with(&format!(
        "## Con {value} reactivos\n\n- uno {value}\n\n> cita {value}\n\n| a | b |\n|---|---|\n| {value} | x |\n\n\
         Nota[^n], **{value}**, [enlace {value}](https://example.org \"título {value}\").\n\n[^n]: Al pie, {value}.\n\n\
         <p class=\"mio\">crudo {value}</p>\n"
    ));
    for text in ["valor \"datos.k\"", "valor &quot;", "\u{f0000}", "&lt;&lt;"] {
        assert!(!page.contains(text), "«{text}» is left");
    }
    assert!(page.contains("título 6"), "the attribute has the text");
    assert!(page.contains("id=\"con-6-reactivos\""), "the slug has the value");
}

#[test]
fn a_directive_in_alternative_text_becomes_text() {
    let book = Book::small();
    book.write("content/uno/foto.png", b"\x89PNG");
    book.append(CHAPTER, "![Foto de << valor \"datos.k\" >> reactivos](foto.png)");
    book.build();
    assert!(book.page("uno").contains("alt=\"Foto de 6 reactivos\""));
}

#[test]
fn what_looks_like_a_directive_in_code_is_code() {
    let page = page_with(
        "`<< tabla \"x\" >>`\n\n```\n<< tabla \"y\" >>\n```\n\n```bash\ncat << EOF\n```\n\n```cpp\ncout << a >> b;\n```\n\n\
         ```r\n<<chunk>>=\n```\n",
    );
    for text in [
        "&lt;&lt; tabla &quot;x&quot; &gt;&gt;",
        "cat &lt;&lt; EOF",
        "cout &lt;&lt; a &gt;&gt; b",
        "&lt;&lt;chunk&gt;&gt;=",
    ] {
        let plain = text.replace("&quot;", "\"");
        assert!(page.contains(text) || page.contains(&plain), "{text}");
    }
}

#[test]
fn an_escaped_directive_shows_itself_once() {
    let page = page_with("Se escribe \\<< valor \"datos.k\" >> en el texto.");
    assert!(page.contains("&lt;&lt; valor") && !page.contains("\\&lt;"));
}

#[test]
fn spanish_ascii_guillemets_and_shifts_are_prose() {
    let page = page_with("Dijo <<hola>> y 1 << 3, x >> y, << cita >>.");
    assert!(page.contains("&lt;&lt;hola&gt;&gt;") && page.contains("1 &lt;&lt; 3"));
}

#[test]
fn a_directive_may_be_wrapped_at_any_space() {
    let page =
        page_with("Hay << valor \"datos.k\"\nsingular=\"reactivo\"\nplural=\"reactivos\" >> más.");
    assert!(page.contains("6\u{a0}reactivos"));
}

#[test]
fn a_chapter_with_one_inline_value_is_evaluated() {
    let book = Book::small();
    book.write("content/dos/index.md", "---\ntitulo: Dos\n---\n\nNada.\n");
    for name in ["tablas", "figuras", "valores"] {
        std::fs::remove_file(book.path(&format!("content/uno/{name}.yaml"))).unwrap();
    }
    book.write(
        CHAPTER,
        "---\ntitulo: Uno\ndatos: {respuestas: respuestas.csv, examinados: examinados.csv}\n---\n\nHay << valor \"datos.k\" >>.\n",
    );
    book.build();
    assert!(book.page("uno").contains(">6</data>"));
}

#[test]
fn whole_numbers_have_no_exponent_and_zero_no_sign() {
    let page = page_with(
        "<< valor \"19961 + 0\" >>; << valor \"100000 * 1\" >>; << valor \"0 - 0.0004\" decimales=2 >>; \
         << valor \"0 - 0.004\" decimales=2 >>; << valor \"1e15 * 1\" >>",
    );
    for text in [
        ">19\u{202f}961<",
        ">100\u{202f}000<",
        ">0,00<",
        ">1\u{202f}000\u{202f}000\u{202f}000\u{202f}000\u{202f}000<",
    ] {
        assert!(page.contains(text), "{text}");
    }
    assert!(!page.contains("−0,00"));
}

#[test]
fn decimals_and_significant_digits_are_two_options() {
    let page = page_with(
        "<< valor \"0.0052 * 1\" decimales=2 >> y << valor \"0.0052 * 10\" significativas=1 >>",
    );
    assert!(page.contains(">0,01<") && page.contains(">0,05<"));
}

#[test]
fn values_are_text_and_never_markdown_or_html() {
    let book = Book::small();
    let rows = book.read("content/uno/datos/examinados.csv");
    book.write(
        "content/uno/datos/examinados.csv",
        rows.replace("e01,Norte", "e01,<b>*Norte*</b> $x$"),
    );
    book.renew_provenance();
    book.append(CHAPTER, "Es << valor \"busca(examinados, 'grupo')\" >>.");
    book.build();
    let page = book.page("uno");
    assert!(page.contains("&lt;b&gt;*Norte*&lt;/b&gt; $x$"));
    assert!(!page.contains("<b>*Norte*"));
}

#[test]
fn plurals_agree_with_the_number() {
    let page = page_with(
        "<< valor \"datos.k - 5\" singular=\"reactivo\" plural=\"reactivos\" >>, \
         << valor \"datos.k - 6\" singular=\"reactivo\" plural=\"reactivos\" >>",
    );
    assert!(page.contains(">1\u{a0}reactivo<") && page.contains(">0\u{a0}reactivos<"));
}

#[test]
fn dates_are_in_spanish() {
    let page = page_with(
        "<< valor \"'2023-08-09'\" formato=\"fecha\" >> y << valor \"'2023-09-01'\" formato=\"mes\" >>",
    );
    assert!(page.contains("9 de agosto de 2023") && page.contains("septiembre de 2023"));
}

#[test]
fn an_undefined_value_is_an_error_unless_the_author_says_what_to_print() {
    let book = Book::small();
    book.append(CHAPTER, "<< valor \"1 / (datos.k - 6)\" vacio=\"—\" >>");
    book.build();
    assert!(book.page("uno").contains(">—<"));
}

#[test]
fn anchors_keep_accents_and_links_find_them() {
    let page = page_with(
        "## Ítems anómalos\n\n## Años ⚡\n\nVéase [esto](#ítems-anómalos) y [eso](#años).",
    );
    assert!(page.contains("id=\"ítems-anómalos\""), "accents stay");
    assert!(
        page.contains("#%C3%ADtems-an%C3%B3malos") || page.contains("href=\"#ítems-anómalos\"")
    );
}

#[test]
fn a_page_without_number_refers_to_numbered_tables() {
    let book = Book::small();
    book.write(
        "content/prólogo.md",
        "---\ntitulo: Prólogo\n---\n\nVéase la << ref \"uno/tabla:dificiles\" >>.\n",
    );
    let summary = book.read("content/SUMMARY.md");
    let first = summary.find("- [").unwrap();
    let (head, list) = summary.split_at(first);
    book.write("content/SUMMARY.md", format!("{head}[Prólogo](prólogo.md)\n\n{list}"));
    book.build();
    let page = book.page("prólogo");
    assert!(page.contains("Tabla 1 de «Un test de seis reactivos»</a>"), "{page}");
    assert!(page.contains("../uno/index.html#tabla-dificiles"));
}

#[test]
fn an_accented_folder_is_a_page_that_links_reach() {
    let book = Book::small();
    book.write(
        "content/día uno/index.md",
        "---\ntitulo: El día\n---\n\n[Al otro](../dos/index.md)\n",
    );
    book.replace("content/SUMMARY.md", "- [Dos]", "- [Día](<día uno/index.md>)\n- [Dos]");
    book.append("content/dos/index.md", "[Al día](<../día uno/index.md>)");
    book.build();
    assert!(book.page("dos").contains("../d%C3%ADa%20uno/index.html"));
}

#[test]
fn a_reference_comes_before_or_after_and_from_another_chapter() {
    let book = Book::small();
    book.append(CHAPTER, "Al final, la << ref \"figura:puntajes\" >>.");
    book.build();
    let text = |page: &str| {
        page.split('<')
            .filter_map(|part| part.split_once('>'))
            .map(|(_, t)| t.to_owned())
            .collect::<String>()
    };
    assert!(text(&book.page("uno")).contains("La Tabla 1 y la Figura 1 los muestran"));
    assert!(text(&book.page("uno")).contains("Al final, la Figura 1."));
    assert!(text(&book.page("dos")).contains("Tabla 1 de «Un test de seis reactivos»"));
    assert!(book.page("dos").contains("../uno/index.html#tabla-dificiles"));
}

#[test]
fn every_table_has_a_caption_and_scopes_and_every_figure_a_description() {
    let book = Book::small();
    book.build();
    let page = book.page("uno");
    assert!(page.contains("<caption"));
    for header in page.split("<th").skip(1).filter(|rest| !rest.starts_with("ead")) {
        assert!(header[..header.find('>').unwrap()].contains("scope="), "{}", &header[..40]);
    }
    let start = page.find("<svg").unwrap();
    let end = start + page[start..].find("</svg>").unwrap() + "</svg>".len();
    let drawing = roxmltree::Document::parse(&page[start..end]).unwrap();
    let svg = drawing.root_element();
    assert_eq!(svg.attribute("role"), Some("img"));
    assert!(svg.attribute("aria-labelledby").is_some());
    assert!(svg.children().any(|node| node.has_tag_name("title")));
    assert!(svg.children().any(|node| node.has_tag_name("desc")));
    assert!(!page[start..end].to_lowercase().contains("#fff"), "no white for a dark page");
}

#[test]
fn the_page_shows_which_data_it_stands_on() {
    let book = Book::small();
    let run = book.run(&["construir"]).good();
    let digest = "59d9424a7b0c";
    assert!(
        run.err.contains(&format!("12 examinados × 6 reactivos (datos {digest}")),
        "{}",
        run.err
    );
    assert!(book.page("uno").contains(digest));
}

#[test]
fn the_second_of_two_data_files_is_a_dependency_too() {
    let book = Book::small();
    book.append(CHAPTER, "<< valor \"media(examinados.edad)\" >>");
    let before = book.build();
    let rows = book.read("content/uno/datos/examinados.csv");
    book.write("content/uno/datos/examinados.csv", rows.replace("e01,Norte,25", "e01,Norte,85"));
    book.renew_provenance();
    let moved = differing(&before, &book.build());
    assert!(moved.contains(&"uno/index.html".to_owned()), "{moved:?}");
    assert!(!moved.iter().any(|name| name.starts_with("dos/")), "{moved:?}");
}

#[test]
fn an_output_folder_inside_the_chapters_is_refused_and_so_is_data_outside() {
    // Both are in the corpus of faults; this is the reason why they are one rule:
    // what a build reads, it never writes, and what it writes, it never reads.
    let book = Book::small();
    let run = book.run(&["construir", "-d", "content/sitio"]);
    assert_eq!(run.code, 1);
    assert!(!book.path("content/sitio").exists());
}

#[test]
fn the_base_path_of_the_site_is_never_written_into_its_links() {
    let book = Book::small();
    book.replace(
        "book.toml",
        "[output.escritura]",
        "[output.html]\nsite-url = \"/repo/\"\n\n[output.escritura]",
    );
    let site = book.build();
    for (name, bytes) in site.iter().filter(|(name, _)| name.ends_with(".html")) {
        let text = String::from_utf8_lossy(bytes);
        for attribute in ["href=\"/", "src=\"/"] {
            for rest in text.split(attribute).skip(1) {
                assert!(
                    rest.starts_with("repo/"),
                    "{name}: {attribute}{}",
                    &rest[..30.min(rest.len())]
                );
            }
        }
    }
    let page = book.page("uno");
    assert!(!page.contains("href=\"/"), "pages use relative paths");
}

#[test]
fn a_bad_key_is_told_once_however_many_chapters_there_are() {
    let book = Book::small();
    book.replace("book.toml", "decimales = 2", "decimal = 2");
    let run = book.run(&["revisar"]);
    assert_eq!(run.err.matches("clave-desconocida").count(), 1, "{}", run.err);
}

#[test]
fn warnings_of_several_files_are_all_told_and_fail_only_a_strict_build() {
    let book = Book::small();
    book.write("content/tres/index.md", "---\ntitulo: Tres\n---\n");
    book.replace("content/uno/valores.yaml", "valores:", "valores:\n  n_medio: datos.k / 2");
    book.replace(
        "content/uno/figuras.yaml",
        "  descripcion: Un punto por examinado, con su edad y su puntaje.\n",
        "",
    );
    let run = book.run(&["construir"]);
    assert_eq!(run.code, 0);
    assert!(run.err.contains("3 avisos"), "{}", run.err);
    let strict = book.run(&["construir", "--estricto"]);
    assert_eq!(strict.code, 1);
    assert!(strict.err.contains("3 avisos"), "{}", strict.err);
}

#[test]
fn building_checking_and_cleaning_agree() {
    let book = Book::small();
    assert_eq!(book.run(&["revisar", "--estricto"]).code, 0);
    assert!(!book.path("sitio").exists(), "checking writes nothing");
    book.build();
    assert_eq!(book.run(&["limpiar"]).code, 0);
    assert!(!book.path("sitio").exists());
    assert_eq!(book.run(&["limpiar"]).code, 0, "nothing to clean is no fault");
}

#[test]
fn values_and_frames_are_printed_for_machines() {
    let book = Book::small();
    let values = book.run(&["valores", "uno", "--json"]).good().json();
    assert_eq!(values["datos"]["k"], 6);
    assert!(values["n_faciles"].is_number(), "{values}");
    let frame = book.run(&["marco", "uno", "reactivos"]).good().out;
    assert!(frame.starts_with("reactivo,p,"), "{frame}");
    assert_eq!(frame.lines().count(), 7);
    for (arguments, near) in [
        (["marco", "uno", "reactivo"], "«reactivos»"),
        (["marco", "un", "reactivos"], "«uno»"),
        (["valores", "dso", "--json"], "«dos»"),
    ] {
        let run = book.run(&arguments);
        assert_eq!((run.code, &*run.out), (1, ""), "{arguments:?}");
        assert!(run.err.contains(near), "{}", run.err);
    }
    assert_eq!(book.run(&["valores", "dos"]).code, 1, "a chapter without data has no values");
}
