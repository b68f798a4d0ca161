//! A resolved chapter as clean CommonMark, for other programs and for reading
//! without a browser.
//!
//! Values become text, tables pipe tables, figures images that point to their SVG
//! file. comrak then rewrites the whole in one canonical form, so that two exports
//! differ only where the report does.

use crate::report::document::{Document, Fragment, Inline, Table, Target, marks};
use crate::report::format::escape_markdown as escape;
use comrak::{Options, markdown_to_commonmark};

/// The chapter as CommonMark with tables and footnotes.
pub fn commonmark(document: &Document) -> String {
    let mut text = format!("# {}\n\n", escape(&document.meta.title));
    let mut at = 0;
    for (range, index) in marks(&document.markdown) {
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
    markdown_to_commonmark(&text, &options)
}

fn markdown(fragment: &Fragment) -> String {
    match fragment {
        Fragment::Value(value) => escape(&value.text),
        Fragment::Reference(reference) => escape(&reference.text),
        Fragment::Table(table) => table_markdown(table),
        Fragment::Figure(figure) => format!(
            "\n\n![{}]({})\n\n*{}. {}*\n\n",
            escape(&figure.description),
            figure.file,
            figure.heading(),
            escape(&figure.title)
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
    let mut out = format!("\n\n*{}. {}*\n\n", table.heading(), escape(&table.title));
    out += &line(table.columns.iter().map(|column| cell(&column.header)).collect());
    let rule = |numeric| if numeric { "---:" } else { ":---" }.to_owned();
    out += &line(table.columns.iter().map(|column| rule(column.numeric)).collect());
    for row in &table.rows {
        out += &line(row.iter().map(|one| cell(&one.text)).collect());
    }
    if let Some(note) = &table.note {
        out += &format!("\n*Nota.* {}\n", escape(note));
    }
    out + "\n"
}
