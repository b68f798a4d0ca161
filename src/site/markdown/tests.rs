use super::super::resolve::Targets;
use super::*;
use crate::diagnostics::Source;
use crate::report::document::{
    Code, Figure, Meta, Origin, PrintedValue, Table, TableCell, TableColumn, mark,
};

fn value(text: &str) -> Fragment {
    Fragment::Value(PrintedValue {
        text: text.into(),
        machine: "1".into(),
        expression: "x".into(),
        inputs: vec![],
    })
}

fn code() -> Code {
    Code { title: "Código".into(), file: "tablas.yaml".into(), text: "a: 1".into() }
}

fn table() -> Fragment {
    Fragment::Table(Table {
        name: "t".into(),
        number: 1,
        title: "T".into(),
        columns: vec![TableColumn { header: vec!["a".into()], numeric: false, code: false }],
        rows: vec![vec![TableCell { text: "b".into(), machine: "b".into() }]],
        note: vec![],
        code: code(),
        csv: "t.csv".into(),
    })
}

fn figure() -> Fragment {
    Fragment::Figure(Figure {
        name: "f".into(),
        number: 1,
        title: "F".into(),
        description: "D".into(),
        note: vec![],
        svg: "<svg></svg>".into(),
        code: code(),
        data: Default::default(),
        csv: "f.csv".into(),
        file: "f.svg".into(),
    })
}

fn document(markdown: &str, fragments: Vec<Fragment>) -> Document {
    let mut origin = Origin::default();
    origin.push(0, 0);
    Document {
        slug: "cap".into(),
        source: Source::new("cap/index.md", markdown),
        meta: Meta::default(),
        markdown: markdown.into(),
        origin,
        claims: vec![],
        fragments,
        data: vec![],
        inputs: vec![],
        downloads: vec![],
    }
}

/// Renders with fragments as `<data>TEXT</data>`, `<table>`, `<svg>`.
fn render(markdown: &str, fragments: Vec<Fragment>) -> (String, Diagnostics) {
    let document = document(markdown, fragments);
    let mut found = Diagnostics::new();
    let parsed = Parsed::new(&document, false, &mut found);
    let targets = Targets {
        chapters: BTreeMap::from([
            ("cap/index.md".to_owned(), Some(parsed.ids.clone())),
            ("otro.md".to_owned(), Some(BTreeSet::from(["ítems".to_owned()]))),
        ]),
        ..Targets::default()
    };
    let html = document.fragments.iter().map(|fragment| match fragment {
        Fragment::Table(_) => "<table></table>".to_owned(),
        Fragment::Figure(_) => "<svg></svg>".to_owned(),
        other => format!("<data>{}</data>", markup::escape(&other.plain_text())),
    });
    let html: Vec<_> = html.collect();
    let body = parsed.render("cap/index.md", &targets, &html, &mut BTreeSet::new(), &mut found);
    (body.html + &body.notes.unwrap_or_default(), found)
}

fn good(markdown: &str, fragments: Vec<Fragment>) -> String {
    let (html, found) = render(markdown, fragments);
    assert!(found.is_empty(), "{found:?}");
    assert!(!html.contains(crate::report::document::MARK_START));
    html
}

fn codes(found: &Diagnostics) -> Vec<&'static str> {
    found.iter().map(|one| one.code.name).collect()
}

#[test]
fn a_value_is_an_element_in_text_and_plain_text_in_the_ids_of_titles() {
    let html = good(
        &format!("## Sobre {}\n\nVale *{}* hoy.\n", mark(0), mark(1)),
        vec![value("0,5"), value("<b>")],
    );
    assert!(html.contains("id=\"sobre-05\">Sobre <data>0,5</data> "), "{html}");
    assert!(html.contains("<p>Vale <em><data>&lt;b&gt;</data></em> hoy.</p>"), "{html}");
}

#[test]
fn attributes_get_escaped_plain_text() {
    let text = format!(
        "[a](../otro.md \"t {}\") ![x {}](https://a.b/c.png) <span title=\"{}\">s</span>\n\n<div data-x={}>\n{}\n</div>\n",
        mark(0),
        mark(1),
        mark(2),
        mark(3),
        mark(4)
    );
    let html = good(&text, ["a\"b", "1 < 2", "\"><script>", "x y", "v"].map(value).to_vec());
    for expected in [
        "href=\"../otro/index.html\" title=\"t a&quot;b\"",
        "alt=\"x 1 &lt; 2\"",
        "<span title=\"&quot;&gt;&lt;script&gt;\">",
        "<div data-x=x&#32;y>",
        "<data>v</data>",
    ] {
        assert!(html.contains(expected), "{expected}\n{html}");
    }
}

#[test]
fn a_block_alone_in_its_paragraph_has_no_p() {
    let html = good(&format!("Antes\n\n{}\n\nDespués\n", mark(0)), vec![table()]);
    assert_eq!(html, "<p>Antes</p>\n<table></table>\n<p>Después</p>\n");
    let html = good(&format!("{}\n{}\n", mark(0), mark(1)), vec![table(), figure()]);
    assert!(!html.contains("<p>"), "{html}");
}

#[test]
fn a_block_between_the_lines_of_a_paragraph_splits_it() {
    let html = good(&format!("Antes:\n{}\ny después.\n", mark(0)), vec![table()]);
    assert_eq!(html, "<p>Antes:</p>\n<table></table>\n<p>y después.</p>\n");
    let html = good(&format!("- uno\n- {}\n", mark(0)), vec![table()]);
    assert!(html.contains("<li><table></table>") || html.contains("<li>\n<table>"), "{html}");
}

#[test]
fn a_block_inside_a_title_a_cell_or_emphasis_is_an_error_with_its_place() {
    for text in [
        format!("uno\n\n## T {}\n", mark(0)),
        format!("uno\n\n**{}**\n", mark(0)),
        format!("uno\n\n[a {}](../otro.md)\n", mark(0)),
        format!("| a |\n|---|\n| {} |\n", mark(0)),
    ] {
        let (_, found) = render(&text, vec![table()]);
        assert_eq!(codes(&found), ["directiva-mal-formada"], "{text}");
        assert_eq!(found.iter().next().unwrap().place.order().1, 3);
    }
}

#[test]
fn every_mark_reaches_the_page_exactly_once() {
    let hidden = [
        format!("`{}`\n", mark(0)),
        format!("<!-- {} -->\n", mark(0)),
        format!("<script>\nlet x = {};\n</script>\n", mark(0)),
        format!("a\n\n[^n]: nota {}\n", mark(0)),
        format!("[x]: /otro.md \"{}\"\n", mark(0)),
    ];
    for text in hidden {
        let (_, found) = render(&text, vec![value("1")]);
        assert!(codes(&found).contains(&"marcador"), "{text} {found:?}");
    }
    let (_, found) = render(&format!("{} {}\n", mark(0), mark(0)), vec![value("1")]);
    assert!(codes(&found).contains(&"marcador"));
    let (_, found) = render(&format!("{}\n", mark(7)), vec![]);
    assert_eq!(codes(&found), ["marcador"]);
    let (_, found) = render("nada\n", vec![value("1")]);
    assert_eq!(codes(&found), ["marcador"]);
}

#[test]
fn headings_are_named_by_one_function_and_links_find_them() {
    let html = good(
        "## Ítems anómalos\n\n## Ítems anómalos\n\n[a](#ítems-anómalos-2) [b](../otro.md#%C3%ADtems)\n",
        vec![],
    );
    assert!(html.contains("id=\"ítems-anómalos-2\""));
    let (_, found) = render("## Años ⚡\n\n[a](#anos)\n[b](../otra.md)\n", vec![]);
    let hints: Vec<_> = found.iter().map(|one| one.hint.clone().unwrap()).collect();
    assert_eq!(codes(&found), ["enlace-roto", "enlace-roto"]);
    assert_eq!(hints, ["¿quiso decir «#años»?", "¿quiso decir «../otro.md»?"]);
}

#[test]
fn raw_html_passes_with_its_links_resolved_and_its_ids_known() {
    let html =
        good("<p id=\"aquí\"><a href=\"../otro.md#ítems\">x</a></p>\n\n[y](#aquí)\n", vec![]);
    assert!(html.contains("<a href=\"../otro/index.html#ítems\">"), "{html}");
}

#[test]
fn footnotes_go_to_the_end_in_order_of_call() {
    let html = good(
        &format!("Uno[^b], dos[^a], otra vez[^b].\n\n[^a]: Primera {}.\n[^b]: Segunda.\n", mark(0)),
        vec![value("3")],
    );
    let (first, second) = (html.find("Segunda").unwrap(), html.find("Primera").unwrap());
    assert!(first < second, "{html}");
    assert!(html.contains("<li id=\"nota:2\"><p>Primera <data>3</data>."));
    assert!(html.contains("id=\"n:1:2\""));
}

#[test]
fn a_title_that_opens_the_chapter_is_taken_out_with_its_marks() {
    let document = document(&format!("# Con {}\n\nTexto\n", mark(0)), vec![value("1")]);
    let mut found = Diagnostics::new();
    let parsed = Parsed::new(&document, false, &mut found);
    assert_eq!(parsed.title(), Some("Con 1"));
    let body = parsed.render(
        "a.md",
        &Targets::default(),
        &[String::new()],
        &mut BTreeSet::new(),
        &mut found,
    );
    assert_eq!(body.html, "<p>Texto</p>\n");
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn the_same_id_twice_is_an_error() {
    let (_, found) = render("<i id=\"a\"></i>\n\n## B {#a}\n", vec![]);
    assert_eq!(codes(&found), ["nombre-repetido"]);
    assert_eq!(found.iter().next().unwrap().place.order().1, 3);
}

#[test]
fn tables_of_markdown_say_what_each_header_heads() {
    let html = good("| a | b |\n|---|--:|\n| 1 | 2 |\n", vec![]);
    assert!(html.contains("<th scope=\"col\">a</th><th scope=\"col\" class=\"derecha\">b</th>"));
    assert!(html.contains("<td>1</td><td class=\"derecha\">2</td>"), "{html}");
}

#[test]
fn an_image_without_description_and_an_undefined_note_are_reported() {
    let (_, found) = render("![](https://a.b/c.png)\n\nAlgo[^x].\n\n    `[^y]`\n", vec![]);
    assert_eq!(codes(&found), ["figura-sin-descripcion", "enlace-roto"]);
}

#[test]
fn code_blocks_keep_marks_out_and_report_them() {
    let (_, found) = render(&format!("```\n{}\n```\n", mark(0)), vec![value("1")]);
    assert!(codes(&found).contains(&"marcador"), "{found:?}");
}

proptest::proptest! {
    /// Whatever the Markdown, nothing panics, and a mark that survives or is
    /// lost is always reported.
    #[test]
    fn no_mark_is_lost_in_silence(
        pieces in proptest::collection::vec(
            proptest::sample::select(vec![
                "a", "ñ", " ", "\n", "\n\n", "*", "_", "`", "```\n", "[", "]", "(", ")", "<", ">",
                "!", "#", "- ", "> ", "| ", "|--|\n", "[^1]", "[^1]: ", "\"", "<b>", "<!--", "-->",
                "<i title=", "<script>", "    ", "\\", "&", "~~", "{#x}", ": ", "V", "T",
            ]),
            0..40,
        )
    ) {
        let mut fragments = vec![];
        let mut text = String::new();
        for piece in pieces {
            match piece {
                "V" => { text += &mark(fragments.len()); fragments.push(value("<7>")); }
                "T" => { text += &mark(fragments.len()); fragments.push(table()); }
                other => text += other,
            }
        }
        let (html, found) = render(&text, fragments);
        let survived = html.contains([
            crate::report::document::MARK_START,
            crate::report::document::MARK_END,
        ]);
        proptest::prop_assert!(!survived || found.has_errors());
        proptest::prop_assert!(!html.contains("<7>"));
    }
}
