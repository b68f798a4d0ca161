//! A comparison as people read it: sections of rows, as text or as Markdown.

use super::tables::TableChange;
use super::values::{Kind, Line, Reading, ValueChange, Verb};
use super::{Both, Broken, ClaimChange, Comparison, DataChange, Membership};
use crate::report::format::{NO_BREAK_SPACE, NumberStyle, escape_markdown};
use serde_json::Value;

/// Names that a list shows before it says how many more there are.
const MOST_NAMES: usize = 20;
/// Items whose changed answers are told one by one.
const MOST_ITEMS: usize = 10;
/// Cells of a table that are told one by one.
const MOST_CELLS: usize = 5;
/// Characters of a name that shares its line.
const WIDEST_NAME: usize = 40;
/// Characters of a text or of a list of names before it is cut.
const LONGEST: usize = 30;
/// Below it a number is written with an exponent.
const TINY: f64 = 1e-6;
/// Decimals beyond which a difference is written with an exponent.
const MOST_DECIMALS: i32 = 9;

/// A heading, what it says before its rows, and these.
#[derive(Debug, Default)]
struct Section {
    title: String,
    headers: &'static [&'static str],
    rows: Vec<Row>,
    /// Lines of a section without columns.
    lines: Vec<String>,
}

/// The cells of a row, and what goes with it: the places.
#[derive(Debug)]
struct Row {
    cells: Vec<String>,
    details: Vec<String>,
}

/// The comparison for a terminal.
pub fn text(comparison: &Comparison, labels: &Both<String>, style: &NumberStyle) -> String {
    let mut out = format!("A: {}\nB: {}\n", labels.a, labels.b);
    for section in sections(comparison, style) {
        out += &format!("\n{}\n", section.title);
        section.lines.iter().for_each(|line| out += &format!("  {line}\n"));
        out += &aligned(&section);
    }
    out
}

/// The comparison for a comment on a change.
pub fn markdown(comparison: &Comparison, labels: &Both<String>, style: &NumberStyle) -> String {
    let (a, b) = (one_line(&labels.a), one_line(&labels.b));
    let mut out = format!("## Qué cambia en el informe\n\nDe **{a}** a **{b}**.\n");
    for section in sections(comparison, style) {
        out += &format!("\n### {}\n\n", one_line(&section.title));
        section.lines.iter().for_each(|line| out += &format!("- {}\n", one_line(line)));
        if !section.lines.is_empty() && !section.rows.is_empty() {
            out.push('\n');
        }
        out += &pipe_table(&section);
    }
    out
}

fn one_line(text: &str) -> String {
    escape_markdown(text).replace('\n', " ")
}

/// The rows as a Markdown table; the places in the last column.
fn pipe_table(section: &Section) -> String {
    if section.rows.is_empty() {
        return String::new();
    }
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let n = section.headers.len();
    let placed = section.rows.iter().any(|row| !row.details.is_empty());
    let last = placed.then_some("Dónde");
    let mut out = line(section.headers.iter().copied().chain(last).map(str::to_owned).collect());
    let rule = |at: usize| if at == 0 || at == n { ":---" } else { "---:" }.to_owned();
    out += &line((0..n + usize::from(placed)).map(rule).collect());
    for row in &section.rows {
        let places: Vec<String> = row.details.iter().map(|text| one_line(text)).collect();
        let last = placed.then(|| places.join("<br>"));
        out += &line(row.cells.iter().map(|text| one_line(text)).chain(last).collect());
    }
    out
}

/// Rows in columns, each followed by its places. A name too long for its column has
/// a line of its own.
fn aligned(section: &Section) -> String {
    if section.rows.is_empty() {
        return String::new();
    }
    let headers: Vec<String> = section.headers.iter().map(|&text| text.to_owned()).collect();
    let lines = || [&headers].into_iter().chain(section.rows.iter().map(|row| &row.cells));
    let width = |at: usize| {
        let lengths = lines().filter_map(|cells| Some(cells.get(at)?.chars().count()));
        let longest = if at == 0 { WIDEST_NAME } else { usize::MAX };
        lengths.filter(|&length| length <= longest).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..headers.len()).map(width).collect();
    let line = |cells: &[String]| -> String {
        let padded = cells.iter().zip(&widths).enumerate().map(|(at, (cell, &width))| match at {
            0 if cell.chars().count() > width => format!("{cell}\n  {:width$}", ""),
            0 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        format!("  {}\n", padded.collect::<Vec<_>>().join("  ").trim_end())
    };
    let mut out = line(&headers);
    for row in &section.rows {
        out += &line(&row.cells);
        row.details.iter().for_each(|detail| out += &format!("      {detail}\n"));
    }
    out
}

fn sections(comparison: &Comparison, style: &NumberStyle) -> Vec<Section> {
    let mut all = vec![];
    if comparison.is_empty() {
        let n = comparison.n_values;
        let compared = format!(
            "{} {}",
            count(n, "valor", "valores"),
            if n == 1 { "comparado" } else { "comparados" }
        );
        all.push(Section {
            title: "Nada cambia".into(),
            lines: vec![compared],
            ..Section::default()
        });
    }
    all.push(claims(&comparison.claims));
    all.push(broken(&comparison.broken.b, "Lo que B no puede imprimir y A sí"));
    all.push(broken(&comparison.broken.a, "Lo que A no podía imprimir y B sí"));
    all.push(Section {
        title: "Capítulos".to_owned(),
        lines: membership(&comparison.chapters, "capítulos", "nuevos"),
        ..Section::default()
    });
    all.extend(comparison.data.iter().map(|change| data(change, style)));
    let (told, others): (Vec<_>, Vec<_>) =
        comparison.values.iter().partition(|change| !change.lines.is_empty());
    let n = comparison.n_values;
    let title = |n_changed: usize, what: &str| {
        let rest = "los que más cambian en proporción, primero";
        format!("Valores {what}: cambian {n_changed} ({n} comparados en total; {rest})")
    };
    all.push(values(&told, title(told.len(), "que el texto imprime o afirma"), style));
    all.push(values(&others, title(others.len(), "que el texto no imprime"), style));
    all.extend(comparison.tables.iter().map(|change| table(change, style)));
    all.push(Section {
        title: "Con lo que se dio no se sabe".to_owned(),
        lines: comparison.unknown.iter().map(|&text| text.to_owned()).collect(),
        ..Section::default()
    });
    all.retain(|one| !one.rows.is_empty() || !one.lines.is_empty());
    all
}

fn claims(changes: &[ClaimChange]) -> Section {
    let truth = |holds: Option<bool>| match holds {
        Some(true) => "cierta",
        Some(false) => "falsa",
        None => "—",
    };
    let row = |one: &ClaimChange| Row {
        cells: vec![
            one.expression.clone(),
            truth(one.before).to_owned(),
            truth(one.after).to_owned(),
        ],
        details: [place(&one.file, one.line)]
            .into_iter()
            .chain(one.message.as_ref().map(|message| format!("«{message}»")))
            .collect(),
    };
    Section {
        title: format!("Afirmaciones que cambian: {}", changes.len()),
        headers: &["Afirmación", "A", "B"],
        rows: changes.iter().map(row).collect(),
        lines: vec![],
    }
}

fn broken(all: &[Broken], title: &str) -> Section {
    let line = |one: &Broken| format!("{}: {}", place(&one.file, one.line), one.reason);
    Section { title: title.to_owned(), lines: all.iter().map(line).collect(), ..Section::default() }
}

fn data(change: &DataChange, style: &NumberStyle) -> Section {
    let whole = |n: usize| style.number(n as f64, Some(0), None);
    let mut lines = vec![format!("archivos que cambian: {}", change.files.join(", "))];
    let mut none = vec![];
    for (names, what, new) in
        [(&change.examinees, "examinados", "nuevos"), (&change.items, "reactivos", "nuevos")]
    {
        match names {
            Some(names) if names.is_empty() => none.push(what),
            Some(names) => lines.extend(membership(names, what, new)),
            None => {}
        }
    }
    if !none.is_empty() {
        lines.push(format!("los mismos {}", none.join(" y ")));
    }
    if let Some(cells) = &change.cells {
        lines.push(format!(
            "celdas que cambian: {} de las {} comunes",
            whole(cells.changed),
            whole(cells.common)
        ));
        let shown = cells.by_item.iter().take(MOST_ITEMS);
        let mut items: Vec<String> = shown.map(|(name, n)| format!("{name} {n}")).collect();
        items.extend(more(cells.by_item.len(), MOST_ITEMS));
        if !items.is_empty() {
            lines.push(format!("por reactivo: {}", items.join(", ")));
        }
    }
    Section {
        title: format!("Datos ({})", change.chapters.join(", ")),
        lines,
        ..Section::default()
    }
}

/// Who is new and who is gone, by name.
fn membership(names: &Membership, what: &str, new: &str) -> Vec<String> {
    let list = |verb: &str, names: &[String]| {
        let shown = names.iter().take(MOST_NAMES).cloned();
        let shown: Vec<String> = shown.chain(more(names.len(), MOST_NAMES)).collect();
        (!names.is_empty())
            .then(|| format!("{what} {verb}: {} ({})", names.len(), shown.join(", ")))
    };
    [list(new, &names.new), list("que desaparecen", &names.gone)].into_iter().flatten().collect()
}

fn more(n: usize, shown: usize) -> Option<String> {
    (n > shown).then(|| format!("y {} más", n - shown))
}

fn values(changes: &[&ValueChange], title: String, style: &NumberStyle) -> Section {
    Section {
        title,
        headers: &["Valor", "A", "B", "Diferencia", "Relativa"],
        rows: changes.iter().map(|change| value(change, style)).collect(),
        lines: vec![],
    }
}

fn value(change: &ValueChange, style: &NumberStyle) -> Row {
    let (before, after, difference) = match change.numbers() {
        Some((before, after)) => figures(before, after, style),
        None => (shown(&change.before, style), shown(&change.after, style), "—".to_owned()),
    };
    let name = match change.position {
        Some(position) => format!("{} (el {position}.º)", change.name),
        None => change.name.clone(),
    };
    let relative = match (change.relative, change.kind) {
        (Some(relative), _) => percent(relative, style),
        (None, Kind::Number) => "desde 0".to_owned(),
        (None, kind) => kind_text(kind).to_owned(),
    };
    let mut details: Vec<String> = change.reasons.clone();
    if let (Reading::Given(before), Reading::Given(after)) = (&change.before, &change.after) {
        let (before, after) = (list_of_names(before), list_of_names(after));
        details.extend(membership(&Membership::of(before, after), "nombres", "nuevos"));
    }
    if change.printed_alike == Some(true) {
        let line = |line: &Line| place(&line.file, line.line);
        let exact = change.lines.iter().filter(|line| line.after.is_some());
        let places: Vec<String> = exact.map(line).collect();
        let printed = change.lines.iter().find_map(|line| line.after.as_deref()).unwrap_or("");
        details.push(format!("igual al imprimirse, «{printed}»: {}", places.join(", ")));
    }
    let told = |line: &&Line| change.printed_alike != Some(true) || line.after.is_none();
    details.extend(change.lines.iter().filter(told).map(line_text));
    Row { cells: vec![name, before, after, difference, relative], details }
}

fn line_text(line: &Line) -> String {
    let at = place(&line.file, line.line);
    let quoted = |text: &Option<String>| text.as_ref().map_or("nada".into(), |t| format!("«{t}»"));
    match (line.verb, &line.before, &line.after) {
        (Verb::Asserts, ..) => format!("{at} lo afirma"),
        (Verb::Prints, None, None) => format!("{at} lo usa"),
        (Verb::Prints, before, after) if before == after => {
            format!("{at} imprime lo mismo, {}", quoted(after))
        }
        (Verb::Prints, before, after) => {
            format!("{at} imprimía {} y ahora {}", quoted(before), quoted(after))
        }
    }
}

fn kind_text(kind: Kind) -> &'static str {
    match kind {
        Kind::Appeared => "aparece",
        Kind::Gone => "desaparece",
        Kind::Definition => "sin definir",
        Kind::Type => "otro tipo",
        Kind::Truth | Kind::Text | Kind::Names | Kind::Number => "—",
    }
}

fn table(change: &TableChange, style: &NumberStyle) -> Section {
    let title = |what: String| format!("Tabla {}/{}: {what}", change.chapter, change.name);
    match (change.rows_before, change.rows_after) {
        (None, _) => {
            let lines = vec!["B la tiene y A no".to_owned()];
            return Section { title: title("nueva".into()), lines, ..Section::default() };
        }
        (_, None) => {
            let lines = vec!["A la tiene y B no".to_owned()];
            return Section { title: title("desaparece".into()), lines, ..Section::default() };
        }
        _ => {}
    }
    let mut lines = membership(&change.rows, "filas", "nuevas");
    lines.extend(membership(&change.columns, "columnas", "nuevas"));
    let n = change.cells.len();
    if n == 0 && lines.is_empty() {
        lines.push("otro orden de filas o de columnas".to_owned());
    }
    let written = |text: &str| match text.parse::<f64>() {
        Ok(x) if x.is_finite() => number(x, style),
        _ => cut(text),
    };
    let row = |cell: &super::CellChange| Row {
        cells: vec![
            format!("{} · {}", cell.row, cell.column),
            written(&cell.before),
            written(&cell.after),
            cell.relative.map_or("—".into(), |relative| percent(relative, style)),
        ],
        details: vec![],
    };
    lines.extend((n > MOST_CELLS).then(|| format!("las {MOST_CELLS} celdas que más cambian:")));
    Section {
        title: title(format!("cambian {n} de {} comunes", count(change.common, "celda", "celdas"))),
        headers: &["Celda", "A", "B", "Relativa"],
        rows: change.cells.iter().take(MOST_CELLS).map(row).collect(),
        lines,
    }
}

/// Both numbers and their difference, with as many decimals as show three figures
/// of it.
fn figures(before: f64, after: f64, style: &NumberStyle) -> (String, String, String) {
    let difference = after - before;
    let sign = if difference > 0.0 { "+" } else { "" };
    if before.fract() == 0.0 && after.fract() == 0.0 {
        let whole = |x: f64| style.number(x, Some(0), None);
        return (whole(before), whole(after), format!("{sign}{}", whole(difference)));
    }
    let decimals = (2 - difference.abs().log10().floor() as i32).max(style.decimals as i32);
    let largest = before.abs().max(after.abs());
    if decimals > MOST_DECIMALS || largest < TINY {
        let [before, after] = [before, after].map(|x| precise(x, style));
        return (before, after, format!("{sign}{}", scientific(difference, style)));
    }
    let fixed = |x: f64| style.number(x, Some(decimals as usize), None);
    (fixed(before), fixed(after), format!("{sign}{}", fixed(difference)))
}

/// A number by itself.
fn number(x: f64, style: &NumberStyle) -> String {
    if x.fract() == 0.0 { style.number(x, Some(0), None) } else { precise(x, style) }
}

/// Six significant digits.
fn precise(x: f64, style: &NumberStyle) -> String {
    if x.abs() < TINY { scientific(x, style) } else { style.number(x, None, Some(6)) }
}

fn scientific(x: f64, style: &NumberStyle) -> String {
    let written = format!("{x:.2e}");
    let (digits, exponent) = written.split_once('e').unwrap_or((&written, "0"));
    let marked =
        |text: &str| text.replace('-', &style.minus).replace('.', &style.decimal.to_string());
    format!("{}e{}", marked(digits), marked(exponent))
}

/// A relative change as a signed percentage, with two figures when it is small.
fn percent(relative: f64, style: &NumberStyle) -> String {
    let percent = 100.0 * relative;
    let sign = if percent > 0.0 { "+" } else { "" };
    let written = match percent.abs() {
        size if size >= 1.0 => style.number(percent, Some(1), None),
        size if size >= 1e-4 => style.number(percent, None, Some(2)),
        _ => scientific(percent, style),
    };
    format!("{sign}{written}{NO_BREAK_SPACE}%")
}

/// A value that is no number.
fn shown(reading: &Reading, style: &NumberStyle) -> String {
    match reading {
        Reading::Absent => "no está".to_owned(),
        Reading::Undefined(_) => "sin definir".to_owned(),
        Reading::Given(Value::Bool(holds)) => if *holds { "sí" } else { "no" }.to_owned(),
        Reading::Given(Value::String(text)) => cut(text),
        Reading::Given(Value::Array(list)) => match list.first() {
            None => "ninguno".to_owned(),
            Some(Value::String(_)) => {
                let names: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
                cut(&format!("{}: {}", list.len(), names.join(", ")))
            }
            Some(_) => count(list.len(), "número", "números"),
        },
        Reading::Given(value) => match value.as_f64() {
            Some(x) => number(x, style),
            None => cut(&value.to_string()),
        },
    }
}

fn list_of_names(value: &Value) -> impl Iterator<Item = &str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str)
}

fn cut(text: &str) -> String {
    let mut cut: String = text.chars().take(LONGEST).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    cut
}

fn place(file: &str, line: usize) -> String {
    if line == 0 { file.to_owned() } else { format!("{file}:{line}") }
}

fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
