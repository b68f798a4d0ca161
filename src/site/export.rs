//! A resolved chapter as clean CommonMark, for other programs and for reading
//! without a browser.
//!
//! Values become text, tables pipe tables, figures images that point to their SVG
//! file. comrak then rewrites the whole in one canonical form, so that two exports
//! differ only where the report does.

use super::words::SPANISH;
use crate::report::document::{Document, Fragment, Inline, Table, Target, marks};
use crate::report::format::escape_markdown as escape;
use comrak::nodes::NodeValue;
use comrak::{Arena, Options, format_commonmark, parse_document};

/// The chapter as CommonMark with tables and footnotes; `address` gives each
/// address of the text the form that it must have here.
pub fn commonmark(document: &Document, address: impl Fn(&str) -> String) -> String {
    let mut text = opening(document);
    let mut at = own_title(document);
    let start = at;
    for (range, index) in marks(&document.markdown).filter(|(range, _)| range.start >= start) {
        text += &document.markdown[at..range.start];
        if let Some(fragment) = document.fragments.get(index) {
            text += &markdown(fragment);
        }
        at = range.end;
    }
    text += &document.markdown[at..];
    let mut options = Options::default();
    options.extension.table = true;
    options.extension.footnotes = true;
    options.extension.strikethrough = true;
    options.render.r#unsafe = true;
    let arena = Arena::new();
    let root = parse_document(&arena, &text, &options);
    for node in root.descendants() {
        if let NodeValue::Link(link) | NodeValue::Image(link) = &mut node.data.borrow_mut().value {
            link.url = address(&link.url);
        }
    }
    let mut written = String::new();
    // Writing to a string does not fail.
    let _ = format_commonmark(root, &options, &mut written);
    written
}

/// Where the text begins, past a title that the front matter gives already.
fn own_title(document: &Document) -> usize {
    let text = &document.markdown;
    let start = text.len() - text.trim_start().len();
    match text[start..].starts_with("# ") && !document.meta.title.is_empty() {
        true => text[start..].find('\n').map_or(text.len(), |end| start + end),
        false => 0,
    }
}

/// Title, notice of simulated data, summary, authors and date.
fn opening(document: &Document) -> String {
    let meta = &document.meta;
    let mut text = String::new();
    if !meta.title.is_empty() {
        text += &format!("# {}\n\n", escape(&meta.title));
    }
    if document.is_simulated() {
        text += &format!("**{}** {}\n\n", SPANISH.datos_simulados, SPANISH.nota_simulados);
    }
    let date = meta.date.map(super::super::report::format::long_date);
    let signature: Vec<String> = meta.authors.iter().cloned().chain(date).collect();
    let description = meta.description.iter().map(|text| format!("> {}\n\n", escape(text)));
    let signature = Some(signature.join(", ")).filter(|text| !text.is_empty());
    text + &description.chain(signature.map(|text| escape(&text) + "\n\n")).collect::<String>()
}

fn markdown(fragment: &Fragment) -> String {
    match fragment {
        Fragment::Value(value) => escape(&value.text),
        Fragment::Reference(reference) => escape(&reference.text),
        Fragment::Table(table) => table_markdown(table),
        Fragment::Figure(figure) => format!(
            "\n\n![{}]({})\n\n*{}. {}*\n{}\n",
            escape(&figure.description),
            figure.file,
            figure.heading(),
            escape(&figure.title),
            note(&figure.note),
        ),
        Fragment::Code(code) => format!("\n\n~~~~yaml\n{}\n~~~~\n\n", code.text),
        Fragment::Citation(parts) => inlines(parts),
        Fragment::Bibliography(entries) => {
            let items = entries.iter().map(|entry| format!("- {}\n", inlines(&entry.parts)));
            format!("\n\n{}\n", items.collect::<String>())
        }
    }
}

/// The text of a citation or reference; only addresses stay as links, since the
/// entries of a list have no place to lead to.
fn inlines(parts: &[Inline]) -> String {
    let one = |part: &Inline| {
        let text = match part.italic {
            true => format!("*{}*", escape(&part.text)),
            false => escape(&part.text),
        };
        match &part.target {
            Some(Target::Address(url)) => format!("[{text}](<{url}>)"),
            _ => text,
        }
    };
    parts.iter().map(one).collect()
}

fn table_markdown(table: &Table) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let cell = |text: &str| escape(text).replace('|', "\\|").replace('\n', " ");
    let header = |parts: &[Inline]| inlines(parts).replace('|', "\\|").replace('\n', " ");
    let mut out = format!("\n\n*{}. {}*\n\n", table.heading(), escape(&table.title));
    out += &line(table.columns.iter().map(|column| header(&column.header)).collect());
    let rule = |numeric| if numeric { "---:" } else { ":---" }.to_owned();
    out += &line(table.columns.iter().map(|column| rule(column.numeric)).collect());
    for row in &table.rows {
        out += &line(row.iter().map(|one| cell(&one.text)).collect());
    }
    out + &note(&table.note) + "\n"
}

/// What stands under a table or a figure.
fn note(parts: &[Inline]) -> String {
    match parts {
        [] => String::new(),
        parts => format!("\n*{}* {}\n", SPANISH.nota, inlines(parts)),
    }
}
