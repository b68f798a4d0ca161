//! The site, from hand-made chapters to files on disk.

use escritura::data::Cache;
use escritura::diagnostics::{Diagnostics, Source, code};
use escritura::report::document::{
    Code, DataFile, DataNotice, Document, Download, Figure, FigureData, Fragment, Inline, MARK_END,
    MARK_START, Meta, Origin, PrintedValue, Reference, Table, TableCell, TableColumn, ValueInput,
    mark,
};
use escritura::site::{self, Book, Config, SiteFiles, Summary, markup};
use jiff::civil::date;
use std::collections::BTreeSet;
use std::path::Path;

const SUMMARY: &str =
    "# Índice\n\n- [Un examen](examen/index.md)\n- [Ficha](día.md)\n- [Próximo]()\n";

pub fn book(root: &Path, toml: &str) -> Book {
    let mut found = Diagnostics::new();
    let config = Config::parse(root, Source::new("book.toml", toml)).unwrap();
    let summary = Summary::parse(&Source::new("content/SUMMARY.md", SUMMARY), &mut found);
    assert!(found.is_empty(), "{found:?}");
    Book { config, summary }
}

fn declaration(what: &str, file: &str, text: &str) -> Code {
    Code { title: format!("Código de la {what}"), file: file.into(), text: text.into() }
}

pub fn value(text: &str, machine: &str, expression: &str) -> Fragment {
    let inputs = vec![ValueInput {
        name: expression.into(),
        meaning: "consistencia interna".into(),
        function: Some("psychometrics::classical::analyse".into()),
        reference: Some("Kuder y Richardson (1937)".into()),
    }];
    Fragment::Value(PrintedValue {
        text: text.into(),
        machine: machine.into(),
        expression: expression.into(),
        inputs,
    })
}

fn column(header: &str, numeric: bool, code: bool) -> TableColumn {
    TableColumn { header: Inline::emphasised(header), numeric, code }
}

fn cell(text: &&str) -> TableCell {
    let machine = text.replace(',', ".").replace('−', "-").replace(" %", "");
    TableCell { text: (*text).into(), machine }
}

pub fn table() -> Table {
    let rows = [
        ["django__django-11099", "0,93", "−0,02", "12,5 %"],
        ["sphinx__sphinx-8721", "0,6", "0,415", "100 %"],
        ["<script>alert(1)</script>", "—", "1", "0,25 %"],
    ];
    Table {
        name: "anomalos".into(),
        number: 1,
        title: "Reactivos con correlación negativa".into(),
        columns: vec![
            column("Reactivo", false, true),
            column("p", true, false),
            column("*r*", true, false),
            column("Resuelto", true, false),
        ],
        rows: rows.iter().map(|row| row.iter().map(cell).collect()).collect(),
        note: vec!["p: proporción de aciertos; r: correlación corregida.".into()],
        code: declaration(
            "Tabla 1",
            "tablas.yaml",
            "anomalos:\n  marco: reactivos\n  donde: r_it < 0\n",
        ),
        csv: "datos/anomalos.csv".into(),
    }
}

pub fn figure() -> Figure {
    Figure {
        name: "informacion".into(),
        number: 1,
        title: "Información de la prueba".into(),
        description: "Una curva con su máximo por debajo de la mediana.".into(),
        note: vec![],
        svg: "<svg viewBox=\"0 0 10 5\" role=\"img\" aria-labelledby=\"f1-t\"><title id=\"f1-t\">Información</title><path d=\"M0 5L10 0\"/></svg>".into(),
        code: declaration("Figura 1", "figuras.yaml", "informacion:\n  capas: [linea]\n"),
        data: FigureData {
            columns: vec![column("capa", false, false), column("x", true, false)],
            rows: vec![vec![cell(&"línea"), cell(&"−0,5")], vec![cell(&"línea"), cell(&"1")]],
            every: 3,
        },
        csv: "datos/informacion.csv".into(),
        file: "figuras/informacion.svg".into(),
    }
}

fn download(path: &str) -> Download {
    let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"60\" height=\"40\">\
               <view id=\"miniatura\" viewBox=\"6 6 40 20\"/><text y=\"20\">θ año</text></svg>";
    let text = if path.ends_with(".svg") { svg } else { "a,b\n1,2\n" };
    Download { path: path.into(), bytes: text.into() }
}

pub fn document(slug: &str, file: &str, markdown: &str, fragments: Vec<Fragment>) -> Document {
    let mut origin = Origin::default();
    origin.push(0, 0);
    Document {
        slug: slug.into(),
        source: Source::new(format!("content/{file}"), markdown),
        meta: Meta {
            title: format!("Capítulo «{slug}» & más"),
            authors: vec!["Ana Ñúñez".into()],
            date: Some(date(2023, 8, 9)),
            description: Some("Resumen con <ángulos> y \"comillas\".".into()),
            draft: false,
        },
        markdown: markdown.into(),
        origin,
        claims: vec![],
        fragments,
        data: vec![],
        inputs: vec![],
        downloads: vec![],
    }
}

pub fn exam() -> Document {
    let fragments = vec![
        value("0,994", "0.993958775", "tct.kr20"),
        Fragment::Reference(Reference {
            text: "Tabla 1".into(),
            chapter: None,
            anchor: "tabla-anomalos".into(),
        }),
        Fragment::Table(table()),
        Fragment::Figure(figure()),
        value("158", "158", "datos.n_examinados"),
    ];
    let text = format!(
        "# Un examen\n\nEl KR-20 es {} ({}).\n\n## Ítems anómalos\n\n{}\n\n### Años de {}\n\n{}\n\n- [ficha](../día.md#años) y [datos](datos/anomalos.csv)\n- nota[^1]\n\n[^1]: Al pie.\n",
        mark(0),
        mark(1),
        mark(2),
        mark(4),
        mark(3)
    );
    let mut one = document("examen", "examen/index.md", &text, fragments);
    one.data = vec![DataNotice {
        simulated: true,
        origin: Some("escritura datos simular".into()),
        date: Some(date(2026, 10, 25)),
        commit: None,
        examinees: 173,
        items: 500,
        files: vec![DataFile {
            name: "respuestas.csv".into(),
            sha256: "0123456789abcdef".repeat(4),
            rows: 173,
            columns: 501,
        }],
    }];
    one.downloads =
        ["valores.json", "datos/anomalos.csv", "datos/informacion.csv", "figuras/informacion.svg"]
            .map(download)
            .to_vec();
    one
}

pub fn file_card() -> Document {
    let there = Reference {
        text: "Tabla 1 de «Un examen»".into(),
        chapter: Some("examen".into()),
        anchor: "tabla-anomalos".into(),
    };
    let text =
        format!("Véase {} y [arriba](examen/index.md#ítems-anómalos).\n\n## Años\n", mark(0));
    document("día", "día.md", &text, vec![Fragment::Reference(there)])
}

fn build(toml: &str, documents: &[Document]) -> (SiteFiles, Diagnostics) {
    let mut found = Diagnostics::new();
    let files =
        site::build(&book(Path::new("no-existe"), toml), documents, &Cache::none(), &mut found);
    (files, found)
}

fn good(toml: &str) -> SiteFiles {
    let (files, found) = build(toml, &[exam(), file_card()]);
    assert!(found.is_empty(), "{found:?}");
    files
}

fn text<'a>(files: &'a SiteFiles, path: &str) -> &'a str {
    std::str::from_utf8(&files[path]).unwrap()
}

fn pages(files: &SiteFiles) -> impl Iterator<Item = (&str, &str)> {
    files.keys().filter(|path| path.ends_with(".html")).map(|path| (&**path, text(files, path)))
}

/// Every tag is closed in order, void elements aside.
#[track_caller]
pub fn assert_well_formed(path: &str, html: &str) {
    const VOID: [&str; 9] = ["base", "br", "hr", "img", "input", "link", "meta", "path", "wbr"];
    let mut open: Vec<String> = vec![];
    for piece in markup::pieces(html) {
        let markup::Piece::Tag(tag) = piece else { continue };
        let name = html[tag.name].to_ascii_lowercase();
        match name.strip_prefix('/') {
            Some(end) => assert_eq!(open.pop().as_deref(), Some(end), "{path}: </{end}>"),
            None if VOID.contains(&&*name) || html[tag.range].ends_with("/>") => {}
            None => open.push(name),
        }
    }
    assert!(open.is_empty(), "{path}: {open:?} left open");
}

#[test]
fn the_site_has_its_pages_downloads_and_files_for_machines() {
    let files = good("[output.html]\nsite-url = \"https://a.org/repo/\"\n");
    for path in [
        ".nojekyll",
        "404.html",
        "atom.xml",
        "día/index.html",
        "estaticos/escritura.css",
        "examen/datos/anomalos.csv",
        "examen/index.html",
        "examen/valores.json",
        "index.html",
        "robots.txt",
        "sitemap.xml",
    ] {
        assert!(files.contains_key(path), "{path}");
    }
    assert!(text(&files, "sitemap.xml").contains("<loc>https://a.org/repo/d%C3%ADa/</loc>"));
    assert!(text(&files, "atom.xml").contains("<updated>2023-08-09T00:00:00Z</updated>"));
    assert!(text(&files, "robots.txt").contains("Sitemap: https://a.org/repo/sitemap.xml"));
    let page = text(&files, "examen/index.html");
    assert!(page.contains("<link rel=\"canonical\" href=\"https://a.org/repo/examen/\">"));
    assert!(page.contains("9 de agosto de 2023"));
    assert!(text(&files, "index.html").contains("Próximo"));
}

#[test]
fn pages_are_well_formed_and_clean() {
    for (path, html) in pages(&good("")) {
        assert_well_formed(path, html);
        let ids: Vec<_> = markup::ids(html).collect();
        let distinct: BTreeSet<_> = ids.iter().collect();
        assert_eq!(ids.len(), distinct.len(), "{path}: repeated ids in {ids:?}");
        for bad in [MARK_START, MARK_END] {
            assert!(!html.contains(bad), "{path}");
        }
        for bad in ["NaN", "-0.00", "−0,00", "<script>alert", "«día» & más"] {
            assert!(!html.contains(bad), "{path}: {bad}");
        }
    }
}

#[test]
fn every_internal_link_of_every_page_resolves_and_is_relative() {
    let files = good("[output.html]\nsite-url = \"/repo/\"\n");
    for (path, html) in pages(&files).filter(|(path, _)| *path != "404.html") {
        for (tag, name, address) in markup::attributes_of(html) {
            if !matches!(name.as_str(), "href" | "src") || address.contains("://") {
                continue;
            }
            assert!(!address.starts_with('/'), "{path}: <{tag} {name}={address}>");
            let (target, anchor) = address.split_once('#').unwrap_or((&address, ""));
            let target = if target.is_empty() { path.to_owned() } else { join(path, target) };
            assert!(files.contains_key(&target), "{path}: {address} -> {target}");
            if !anchor.is_empty() {
                let anchor = percent_decode(anchor);
                let found = markup::ids(text(&files, &target)).any(|id| id == anchor);
                assert!(found, "{path}: {address}");
            }
        }
    }
}

fn join(page: &str, address: &str) -> String {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    let address = percent_decode(address);
    for part in address.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." => {}
            name => parts.push(name),
        }
    }
    parts.join("/")
}

fn percent_decode(text: &str) -> String {
    let mut bytes = vec![];
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        if *first == b'%' {
            bytes.push(u8::from_str_radix(std::str::from_utf8(&tail[..2]).unwrap(), 16).unwrap());
            rest = &tail[2..];
        } else {
            bytes.push(*first);
            rest = tail;
        }
    }
    String::from_utf8(bytes).unwrap()
}

#[test]
fn a_table_has_caption_scopes_alignment_and_its_declaration() {
    let files = good("");
    let page = text(&files, "examen/index.html");
    for expected in [
        "<caption id=\"tabla-anomalos:titulo\"><span class=\"titulo\"><b>Tabla 1</b>",
        "<th scope=\"row\"><code>django__django-11099</code></th>",
        "<th scope=\"col\" class=\"numero\"><i>r</i></th>",
        "<td class=\"numero\" data-valor=\"-0.02\" data-falta=\"5\">−0,02</td>",
        "<td class=\"numero\" data-falta=\",415\">1</td>",
        "Datos simulados.",
        "donde: r_it &lt; 0",
        "href=\"datos/anomalos.csv\"",
    ] {
        assert!(page.contains(expected), "{expected}\n{page}");
    }
    let heads = page.matches("<th").count() - page.matches("<thead").count();
    assert_eq!(heads, page.matches("<th scope=").count());
}

#[test]
fn a_value_carries_its_machine_form_and_can_be_opened() {
    let files = good("");
    let page = text(&files, "examen/index.html");
    assert!(
        page.contains(
            "value=\"0.993958775\" data-expr=\"tct.kr20\" data-origen=\"1\">0,994</data>"
        )
    );
    assert!(page.contains("<li id=\"origen:1\">"));
    assert!(page.contains("id=\"años-de-158\""));
}

#[test]
fn two_builds_give_the_same_bytes_whatever_the_order_of_documents() {
    let (other, _) = build("", &[file_card(), exam()]);
    assert_eq!(good(""), other);
}

#[test]
fn a_chapter_that_failed_has_no_page_and_no_dead_links_to_it() {
    let (files, found) = build("", &[file_card()]);
    assert!(found.is_empty(), "{found:?}");
    assert!(!files.contains_key("examen/index.html"));
}

#[test]
fn dead_links_and_references_are_reported_with_their_place() {
    let mut card = file_card();
    card.markdown = card.markdown.replace("#ítems-anómalos", "#items-anomalos");
    card.markdown += "\n[x](examen/indice.md)\n";
    let Fragment::Reference(there) = &mut card.fragments[0] else { unreachable!() };
    there.anchor = "tabla-anomalo".into();
    let (_, found) = build("", &[exam(), card]);
    assert_eq!(found.iter().count(), 3, "{found:?}");
    assert!(found.iter().all(|one| one.code == code::DEAD_LINK && one.hint.is_some()));
    assert!(found.iter().all(|one| one.place.order().1 >= 1));
}

#[test]
fn the_books_own_templates_and_styles_take_part() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(dir.path().join("templates")).unwrap();
    std::fs::write(dir.path().join("templates/valor.html"), "<b>{{ texto }}</b>").unwrap();
    std::fs::write(dir.path().join("mi.css"), "p{}").unwrap();
    let own = book(dir.path(), "[output.html]\nadditional-css = [\"mi.css\"]\n");
    let mut found = Diagnostics::new();
    let files = site::build(&own, &[exam()], &Cache::none(), &mut found);
    assert!(found.is_empty(), "{found:?}");
    let page = text(&files, "examen/index.html");
    assert!(page.contains("<b>0,994</b>") && page.contains("href=\"../mi.css\""));
    assert_eq!(files["mi.css"], b"p{}");
    std::fs::write(dir.path().join("templates/valor.html"), "{{ texto").unwrap();
    site::build(&own, &[exam()], &Cache::none(), &mut found);
    assert_eq!(found.iter().next().unwrap().code, code::CONFIG);
}

#[test]
fn redirects_lead_to_pages_that_exist() {
    let toml = "[output.html.redirect]\n\"/viejo.html\" = \"examen/index.html\"\n\"/otro.html\" = \"no.html\"\n";
    let (files, found) = build(toml, &[exam(), file_card()]);
    assert!(text(&files, "viejo.html").contains("url=examen/index.html"));
    assert_eq!(found.iter().count(), 1);
    assert!(found.iter().next().unwrap().message.contains("otro.html"));
}

#[test]
fn a_front_page_shows_its_text_its_notes_and_the_list() {
    let mut own = book(Path::new("no-existe"), "");
    let order = "[Prólogo](README.md)\n\n- [Un examen](examen/index.md)\n- [Ficha](día.md)\n";
    own.summary = Summary::parse(&Source::new("SUMMARY.md", order), &mut Diagnostics::new());
    let front = document("", "README.md", "Hola[^1]. [Ficha](día.md)\n\n[^1]: Nota.\n", vec![]);
    let mut found = Diagnostics::new();
    let files = site::build(&own, &[front, exam(), file_card()], &Cache::none(), &mut found);
    assert!(found.is_empty(), "{found:?}");
    let page = text(&files, "index.html");
    for expected in ["Hola", "id=\"nota:1\"", "href=\"d%C3%ADa/index.html\"", "Capítulo «examen»"]
    {
        assert!(page.contains(expected), "{expected}");
    }
    assert_well_formed("index.html", page);
}

/// The two colours of `--name: light-dark(#a, #b)`.
fn colours(css: &str, name: &str) -> [String; 2] {
    let rule = css.split(&format!("--{name}: light-dark(")).nth(1).unwrap();
    let (light, dark) = rule.split_once(')').unwrap().0.split_once(", ").unwrap();
    [light.into(), dark.into()]
}

/// Contrast of two colours (WCAG 2.2, relative luminance).
fn contrast(a: &str, b: &str) -> f64 {
    let luminance = |colour: &str| {
        let channel = |at: usize| {
            let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    };
    let (x, y) = (luminance(a), luminance(b));
    (x.max(y) + 0.05) / (x.min(y) + 0.05)
}

/// Text needs 4.5 to 1 (success criterion 1.4.3); the marks of charts and the
/// edges of controls 3 to 1 (1.4.11).
#[test]
fn colours_have_the_contrast_of_wcag_aa_in_light_and_dark() {
    let files = good("");
    let css = text(&files, "estaticos/escritura.css");
    let check = |front: &str, back: &str, least: f64| {
        for (a, b) in colours(css, front).iter().zip(&colours(css, back)) {
            let found = contrast(a, b);
            assert!(found >= least, "{front} {a} on {back} {b}: {found:.2} < {least}");
        }
    };
    for front in ["tinta", "tenue", "acento"] {
        for back in ["papel", "fondo"] {
            check(front, back, 4.5);
        }
    }
    check("tinta", "aviso", 4.5);
    check("tinta", "senal", 4.5);
    check("aviso-borde", "papel", 3.0);
    for series in 1..=8 {
        check(&format!("serie-{series}"), "papel", 3.0);
    }
}

#[test]
fn style_and_script_stay_light() {
    let files = good("");
    assert!(files["estaticos/escritura.css"].len() < 20_000);
    assert!(files["estaticos/escritura.js"].len() < 15_000);
}

#[test]
fn a_book_on_disk_reports_all_that_is_wrong_with_it() {
    let dir = tempfile::tempdir().unwrap();
    let mut found = Diagnostics::new();
    assert!(Book::load(dir.path(), &mut found).is_none());
    assert_eq!(found.iter().next().unwrap().code, code::FILE);
    std::fs::write(dir.path().join("book.toml"), "\u{feff}[book]\r\ntitle = \"T\"\r\n").unwrap();
    std::fs::create_dir(dir.path().join("content")).unwrap();
    std::fs::write(dir.path().join("content/SUMMARY.md"), "- [A](a.md)\n- [B](b.md)\n").unwrap();
    std::fs::write(dir.path().join("content/b.md"), "").unwrap();
    std::fs::write(dir.path().join("content/c.md"), "").unwrap();
    let mut found = Diagnostics::new();
    let own = Book::load(dir.path(), &mut found).unwrap();
    let codes: Vec<_> = found.iter().map(|one| one.code.name).collect();
    assert_eq!(codes, ["archivo", "capitulo-huerfano"]);
    let slugs: Vec<_> = own.chapter_files().map(|(slug, _)| slug).collect();
    assert_eq!(slugs, ["a", "b"]);
}

/// The index of a build: (address, anchor, title, text) of all that can be found.
fn found_by_search(files: &SiteFiles) -> Vec<[String; 4]> {
    let index: serde_json::Value = serde_json::from_slice(&files["buscar.json"]).unwrap();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let parts = index.as_array().unwrap().iter().flat_map(|chapter| {
        chapter["partes"].as_array().unwrap().iter().map(move |part| {
            ["ruta", "ancla", "titulo", "texto"]
                .map(|key| text(if key == "ruta" { &chapter[key] } else { &part[key] }))
        })
    });
    parts.collect()
}

#[test]
fn everything_that_search_finds_is_there_and_says_what_it_prints() {
    let files = good("");
    let parts = found_by_search(&files);
    for [path, anchor, ..] in &parts {
        let page = text(&files, &percent_decode(path));
        assert!(anchor.is_empty() || markup::ids(page).any(|id| id == *anchor), "{anchor}");
    }
    let of = |anchor: &str| parts.iter().find(|part| part[1] == anchor).unwrap();
    assert_eq!(of("")[3], "Resumen con <ángulos> y \"comillas\". El KR-20 es 0,994 (Tabla 1).");
    assert_eq!(of("ítems-anómalos")[2], "Ítems anómalos");
    assert!(of("tabla-anomalos")[3].contains("django__django-11099"));
    assert!(of("figura-informacion")[2].contains("Figura 1. Información"));
    assert_eq!(of("pagina:notas")[3], "Al pie.");
}

#[test]
fn a_draft_is_not_found_and_search_can_be_turned_off() {
    let mut draft = exam();
    draft.meta.draft = true;
    let (files, _) = build("", &[draft, file_card()]);
    assert!(found_by_search(&files).iter().all(|part| part[0] != "examen/index.html"));
    let files = good("[output.html.search]\nenable = false\n");
    assert!(!files.contains_key("buscar.json"));
    assert!(pages(&files).all(|(_, html)| !html.contains("class=\"buscar\"")));
}

#[test]
fn every_figure_is_also_a_png_and_every_page_has_a_card() {
    let files = good("[output.html]\nsite-url = \"https://a.org/repo/\"\n");
    let size = |path: &str| {
        let reader = png::Decoder::new(std::io::Cursor::new(&files[path])).read_info().unwrap();
        (reader.info().width, reader.info().height)
    };
    assert_eq!(size("examen/figuras/informacion.png"), (120, 80));
    for card in ["tarjeta.png", "examen/tarjeta.png", "día/tarjeta.png"] {
        assert_eq!(size(card), (1200, 630), "{card}");
    }
    let page = text(&files, "examen/index.html");
    assert!(page.contains("<a href=\"figuras/informacion.png\" download>PNG</a>"));
    let image = "<meta property=\"og:image\" content=\"https://a.org/repo/examen/tarjeta.png\">";
    assert!(page.contains(image));
    let thumbnail = "src=\"examen/figuras/informacion.svg#miniatura\" alt=\"\"";
    assert!(text(&files, "index.html").contains(thumbnail));
    // Without the address of the site that of a card is none.
    assert!(!text(&good(""), "examen/index.html").contains("og:image"));
}

#[test]
fn what_cannot_be_drawn_has_no_link_to_a_drawing() {
    let mut broken = exam();
    broken.downloads.last_mut().unwrap().bytes = b"no es un dibujo".to_vec();
    let (files, found) = build("", &[broken, file_card()]);
    assert!(found.is_empty(), "{found:?}");
    assert!(!files.contains_key("examen/figuras/informacion.png"));
    assert!(!text(&files, "examen/index.html").contains("informacion.png"));
    assert!(files.contains_key("examen/tarjeta.png"));
}

#[test]
fn the_data_of_a_figure_are_under_it_and_say_how_many_they_leave_out() {
    let files = good("");
    let page = text(&files, "examen/index.html");
    for expected in [
        "<summary>Tabla de datos<span class=\"oculto\">: Figura 1</span></summary>",
        "<td>línea</td><td class=\"numero\">−0,5</td>",
        "<td class=\"numero\" data-falta=\",5\">1</td>",
        "Una fila de cada 3.",
    ] {
        assert!(page.contains(expected), "{expected}");
    }
}

#[test]
fn each_chapter_is_also_markdown_whose_links_lead_to_markdown() {
    let mut draft = exam();
    draft.meta.draft = true;
    let (files, _) = build("[output.html]\nsite-url = \"https://a.org/\"\n", &[draft, file_card()]);
    let exam = text(&files, "examen/index.md");
    let opening = "# Capítulo «examen» & más\n\n**Datos simulados.** Los números";
    assert!(exam.starts_with(opening) && exam.contains("\n\n> Resumen con"), "{exam}");
    for expected in ["El KR-20 es 0,994 (Tabla 1).", "[ficha](../d%C3%ADa/index.md#años)"] {
        assert!(exam.contains(expected), "{expected}\n{exam}");
        assert!(!exam.contains("# Un examen"), "one title is enough");
    }
    assert!(text(&files, "día/index.md").contains("[arriba](../examen/index.md#ítems-anómalos)"));
    let alternate = "<link rel=\"alternate\" type=\"text/markdown\" href=\"index.md\">";
    assert!(text(&files, "día/index.html").contains(alternate));
    let list = text(&files, "llms.txt");
    assert!(list.starts_with("# Escritura\n"), "{list}");
    assert!(list.contains("(https://a.org/d%C3%ADa/index.md)"), "{list}");
    assert!(!list.contains("examen"), "a draft is not listed: {list}");
}

#[test]
fn the_manifest_names_every_file_with_its_digest() {
    let files = good("");
    let manifest: serde_json::Value = serde_json::from_slice(&files["manifiesto.json"]).unwrap();
    let listed = manifest["archivos"].as_array().unwrap();
    assert_eq!(listed.len(), files.len() - 1, "all but itself");
    for one in listed {
        let bytes = &files[one["ruta"].as_str().unwrap()];
        assert_eq!(one["sha256"], escritura::data::digest::of_bytes(bytes), "{}", one["ruta"]);
        assert_eq!(one["bytes"], bytes.len());
    }
    assert_eq!(manifest["datos"][0]["archivo"], "respuestas.csv");
    assert_eq!(manifest["entradas"][0]["archivo"], "book.toml");
    assert!(
        pages(&files)
            .filter(|(path, _)| *path != "404.html")
            .all(|(_, html)| { html.contains("manifiesto.json\">Manifiesto</a>") })
    );
}

#[test]
fn the_origin_of_a_number_is_on_the_page_without_script() {
    let files = good("");
    let page = text(&files, "examen/index.html");
    for expected in [
        "consistencia interna. <code>psychometrics::classical::analyse</code>, Kuder y Richardson (1937)",
        "<code>respuestas.csv</code>, 173 examinados × 500 reactivos, SHA-256 <code>0123456789ab</code>",
    ] {
        assert!(page.contains(expected), "{expected}");
    }
}
