//! Numbers typed by hand that the chapter computes.
//!
//! A number in the prose is a finding when it equals, at the precision typed, a
//! value that the chapter computes or declares. What cannot be told from chance or
//! convention is passed over: whole numbers up to [`SMALL`], years, dates,
//! ordinals, versions and names (`KR-20`), numbers that a word labels (`p. 127`),
//! quotations, and numbers of too few digits to mean one value (`.20`, `1.3`,
//! `95 %`: customary cuts are of this kind).

use super::chapter::{Chapter, text_pieces};
use super::directives::Piece;
use super::document::{Document, MARK_END, MARK_START};
use super::format::MONTHS;
use super::text::Context;
use crate::diagnostics::{Diagnostic, Diagnostics, Place, Source, code};
use crate::study::publish::Datum;
use crate::yaml::Located;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::ops::Range;

/// Whole numbers up to this one are words of the language more often than values.
const SMALL: f64 = 12.0;

/// Words that say what the number after them counts.
const LABELS: &[&str] = &[
    "p.",
    "pp.",
    "pág.",
    "págs.",
    "página",
    "páginas",
    "cap.",
    "capítulo",
    "capítulos",
    "sección",
    "secciones",
    "sec.",
    "§",
    "tabla",
    "tablas",
    "figura",
    "figuras",
    "nota",
    "ecuación",
    "ec.",
    "vol.",
    "volumen",
    "núm.",
    "n.º",
    "número",
    "versión",
    "v.",
    "semilla",
];

/// Reports the numbers of a chapter's prose, and of the texts of its tables and
/// figures, that it could compute.
pub fn check(chapter: &Chapter, document: &Document, context: &Context, found: &mut Diagnostics) {
    let known = known(context);
    for typed in prose(&document.markdown) {
        if let Some(expression) = typed.matching(&known) {
            found.push(finding(&typed, &expression, document.place(typed.range.clone())));
        }
    }
    for (text, source) in declared_texts(chapter) {
        let (pieces, _) = text_pieces(text, source);
        let copied = pieces.iter().filter(|(_, piece)| matches!(piece, Piece::Text(_)));
        for (copied, _) in copied {
            for typed in numbers(copied, 0..copied.len()) {
                if let Some(expression) = typed.matching(&known) {
                    found.push(finding(&typed, &expression, text.place(source)));
                }
            }
        }
    }
}

fn finding(typed: &Typed, expression: &str, place: Place) -> Diagnostic {
    let message = format!("«{}» está escrito a mano y el capítulo lo calcula", typed.text);
    Diagnostic::new(code::HAND_TYPED, place, message)
        .hint(Some(format!("escriba en su lugar: {expression}")))
}

/// The texts of the YAML files that a reader sees as prose.
fn declared_texts(chapter: &Chapter) -> Vec<(&Located<String>, &Source)> {
    let mut texts: Vec<_> =
        chapter.front.descripcion.iter().map(|text| (text, &chapter.source)).collect();
    if let Some(source) = &chapter.tables.source {
        for (_, table) in chapter.tables.entries.iter() {
            let own = [Some(&table.titulo), table.nota.as_ref()];
            texts.extend(own.into_iter().flatten().map(|text| (text, source)));
        }
    }
    if let Some(source) = &chapter.figures.source {
        for (_, figure) in chapter.figures.entries.iter() {
            let own = [Some(&figure.titulo), figure.descripcion.as_ref(), figure.nota.as_ref()];
            texts.extend(own.into_iter().flatten().map(|text| (text, source)));
        }
    }
    texts
}

/// A value by the expression that gives it.
struct Known {
    expression: String,
    value: f64,
    whole: bool,
}

/// Every finite number that the chapter computes or declares, by name.
fn known(context: &Context) -> Vec<Known> {
    let mut known = vec![];
    let mut add = |expression: String, value: f64, whole: bool| {
        if value.is_finite() {
            known.push(Known { expression, value, whole });
        }
    };
    for (name, value) in &context.computed.assembled.values {
        if let (minijinja::value::ValueKind::Number, Ok(number)) =
            (value.kind(), f64::try_from(value.clone()))
        {
            add(name.clone(), number, value.is_integer());
        }
    }
    for (name, datum) in &context.computed.values {
        match datum {
            Datum::Integer(value) => add((*name).to_owned(), *value as f64, true),
            Datum::Number(value) => add((*name).to_owned(), *value, false),
            Datum::List(values) => {
                for (at, value) in values.iter().enumerate() {
                    add(format!("{name}[{at}]"), *value, false);
                }
            }
            _ => {}
        }
    }
    known
}

/// A number as somebody typed it.
#[derive(Debug, PartialEq)]
struct Typed {
    text: String,
    range: Range<usize>,
    /// What it may mean, with its decimals: `19.961` is two numbers.
    readings: Vec<(f64, usize)>,
    percent: bool,
}

impl Typed {
    /// The directive that would print it, if one of the known values is this one.
    fn matching(&self, known: &[Known]) -> Option<String> {
        let meanings = self.readings.iter().filter(|reading| self.is_telling(**reading));
        meanings
            .clone()
            .find_map(|&reading| {
                let same = known.iter().find(|known| known.is(reading))?;
                let decimals = match (same.whole, reading.1) {
                    (true, 0) => String::new(),
                    (_, decimals) => format!(" decimales={decimals}"),
                };
                let suffix = if self.percent { " sufijo=\" %\"" } else { "" };
                Some(format!("<< valor \"{}\"{decimals}{suffix} >>", same.expression))
            })
            .or_else(|| {
                let (number, decimals) = *meanings.clone().find(|_| self.percent)?;
                let hundredfold = |one: &&Known| {
                    !one.whole
                        && Known {
                            value: 100.0 * one.value,
                            expression: String::new(),
                            whole: false,
                        }
                        .prints(number, decimals)
                };
                let same = known.iter().find(hundredfold)?;
                Some(format!(
                    "<< valor \"{}\" formato=\"porcentaje\" decimales={decimals} >>",
                    same.expression
                ))
            })
    }

    /// Whether a number has enough digits to mean one value and not many.
    fn is_telling(&self, (number, decimals): (f64, usize)) -> bool {
        if decimals == 0 {
            return number.abs() > SMALL && !(self.percent && number % 5.0 == 0.0);
        }
        let digits = format!("{:.*}", decimals, number.abs()).replace('.', "");
        let digits = digits.trim_start_matches('0');
        digits.trim_end_matches('0').len() >= 2 && (decimals >= 2 || digits.len() >= 3)
    }
}

impl Known {
    /// Whether a number typed with so many decimals is this value. A real number
    /// that is typed without decimals must be large to be told from chance.
    fn is(&self, (number, decimals): (f64, usize)) -> bool {
        match (self.whole, decimals) {
            (true, 0) => self.value == number,
            (true, _) => false,
            (false, 0) => number.abs() >= 100.0 && self.prints(number, 0),
            (false, _) => self.prints(number, decimals),
        }
    }

    fn prints(&self, number: f64, decimals: usize) -> bool {
        format!("{:.decimals$}", self.value) == format!("{number:.decimals$}")
    }
}

/// The numbers in the prose of a Markdown text: not in code, links, images, HTML
/// nor quotations, nor the number of a heading.
fn prose(markdown: &str) -> Vec<Typed> {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_HEADING_ATTRIBUTES;
    let mut found = vec![];
    let mut passed_over = 0usize;
    let mut block = 0;
    let mut heading = false;
    for (event, range) in Parser::new_ext(markdown, options).into_offset_iter() {
        match event {
            Event::Start(tag) => match tag {
                Tag::CodeBlock(_)
                | Tag::Link { .. }
                | Tag::Image { .. }
                | Tag::BlockQuote(_)
                | Tag::HtmlBlock => passed_over += 1,
                Tag::Heading { .. } => (heading, block) = (true, range.start),
                Tag::Paragraph | Tag::Item | Tag::TableCell => block = range.start,
                _ => {}
            },
            Event::End(
                TagEnd::CodeBlock
                | TagEnd::Link
                | TagEnd::Image
                | TagEnd::BlockQuote(_)
                | TagEnd::HtmlBlock,
            ) => passed_over -= 1,
            Event::Text(_) if passed_over == 0 => {
                let mut own = numbers(markdown, range.clone());
                if std::mem::take(&mut heading) {
                    own.retain(|typed| typed.range.start > range.start);
                }
                own.retain(|typed| !is_quoted(&markdown[block..typed.range.start]));
                found.append(&mut own);
            }
            _ => {}
        }
    }
    found
}

/// Whether quotation marks are open at the end of a text.
fn is_quoted(before: &str) -> bool {
    [('«', '»'), ('“', '”')].iter().any(|&(open, close)| before.rfind(open) > before.rfind(close))
}

/// The numbers of a range of a text that could be values.
fn numbers(text: &str, within: Range<usize>) -> Vec<Typed> {
    let mut found = vec![];
    let mut at = within.start;
    while let Some(start) = text[at..within.end].find(|c: char| c.is_ascii_digit()) {
        let start = at + start;
        let end = number_end(text, start);
        at = end;
        found.extend(typed(text, start, end));
    }
    found
}

/// Marks that may stand between the digits of a number: decimal marks, and spaces
/// that do not break.
fn is_separator(c: char) -> bool {
    matches!(c, '.' | ',' | '\u{a0}' | '\u{202f}' | '\u{2009}')
}

fn number_end(text: &str, start: usize) -> usize {
    let mut end = start;
    let mut after_separator = false;
    for (offset, c) in text[start..].char_indices() {
        if c.is_ascii_digit() {
            end = start + offset + 1;
            after_separator = false;
        } else if is_separator(c) && !after_separator {
            after_separator = true;
        } else {
            break;
        }
    }
    end
}

/// The number between two offsets, unless it is a year, a name, a label or the like.
fn typed(text: &str, digits: usize, end: usize) -> Option<Typed> {
    let mut start = digits;
    // «.20»: the zero before the mark is left out of what cannot exceed one.
    if text[..start].ends_with(['.', ',']) {
        let before = text[..start - 1].chars().next_back();
        if before.is_none_or(|c| c.is_whitespace() || "([−-<>=≤≥".contains(c)) {
            start -= 1;
        }
    }
    let (before, after) = (&text[..start], &text[end..]);
    let negative = before.ends_with(['−', '-']);
    let before = if negative { before.trim_end_matches(['−', '-']) } else { before };
    if is_part_of_a_word(before, after) || is_labelled(before) || is_day(after) {
        return None;
    }
    let sign = if negative { -1.0 } else { 1.0 };
    let raw = &text[start..end];
    let readings = readings(raw).into_iter().filter(|&reading| !is_year(raw, reading));
    let readings: Vec<_> = readings.map(|(number, decimals)| (sign * number, decimals)).collect();
    let after = after.trim_start_matches([' ', '\u{a0}', '\u{202f}', '\n']);
    let percent = after.starts_with('%');
    let text = raw.to_owned();
    (!readings.is_empty()).then_some(Typed { text, range: start..end, readings, percent })
}

fn is_part_of_a_word(before: &str, after: &str) -> bool {
    let joins = |c: char| c.is_alphanumeric() || "_/#@:^+".contains(c) || c == MARK_START;
    let ends = |c: char| c.is_alphanumeric() || "_/º°ª^+".contains(c) || c == MARK_END;
    let mut next = after.chars();
    let ends_word = next.next().is_some_and(|c| {
        let then = next.next();
        ends(c)
            || ("-:".contains(c) && then.is_some_and(char::is_alphanumeric))
            || (c == '.' && then.is_some_and(|c| "ºª".contains(c)))
    });
    before.ends_with(joins) || ends_word
}

/// Whether the word before says what the number counts.
fn is_labelled(before: &str) -> bool {
    let word = before.trim_end().rsplit(char::is_whitespace).next().unwrap_or_default();
    let word = word.trim_start_matches(['(', '[', '¿', '«', '*', '_']).to_lowercase();
    LABELS.contains(&word.as_str())
}

/// "13 de agosto".
fn is_day(after: &str) -> bool {
    let month = after.trim_start().strip_prefix("de ").map(str::trim_start);
    month.is_some_and(|rest| {
        MONTHS.iter().chain(&["setiembre"]).any(|month| rest.starts_with(month))
    })
}

/// Four digits of our time, written without marks.
fn is_year(raw: &str, (number, decimals): (f64, usize)) -> bool {
    decimals == 0 && raw.len() == 4 && (1800.0..=2100.0).contains(&number)
}

/// What a number may mean: its marks are decimal or part thousands.
fn readings(raw: &str) -> Vec<(f64, usize)> {
    let marks: Vec<(usize, char)> = raw.char_indices().filter(|(_, c)| is_separator(*c)).collect();
    let digits: String = raw.chars().filter(char::is_ascii_digit).collect();
    let groups: Vec<&str> = raw.split(is_separator).collect();
    let in_threes = |groups: &[&str]| {
        groups[0].len() <= 3
            && !groups[0].is_empty()
            && !groups[0].starts_with('0')
            && groups[1..].iter().all(|group| group.len() == 3)
    };
    let mut meanings = vec![];
    if marks.is_empty() || in_threes(&groups) && marks.iter().all(|(_, c)| *c == marks[0].1) {
        meanings.extend(digits.parse().ok().map(|number: f64| (number, 0)));
    }
    if let Some((&(at, last), others)) = marks.split_last()
        && matches!(last, '.' | ',')
        && others.iter().all(|(_, c)| *c != last && *c == others[0].1)
        && (others.is_empty() || in_threes(&groups[..groups.len() - 1]))
    {
        let whole: String = raw[..at].chars().filter(char::is_ascii_digit).collect();
        let fraction = &raw[at + 1..];
        let number = format!("{whole}.{fraction}").parse().ok();
        meanings.extend(number.map(|number: f64| (number, fraction.len())));
    }
    meanings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Vec<Known> {
        let one = |name: &str, value: f64, whole| Known { expression: name.into(), value, whole };
        vec![
            one("tct.kr20", 0.993958775, false),
            one("tct.r_mediana", 0.555134972, false),
            one("datos.n_reactivos", 500.0, true),
            one("datos.k", 469.0, true),
            one("tct.n_r_negativa", 9.0, true),
            one("n", 20.0, true),
            one("anio", 1961.0, true),
            one("rasch.log_l", -24882.4146206, false),
            one("dim.phi[2]", 12.34, false),
            one("parte", 0.2043, false),
            one("corte", 1.304, false),
            one("pct", 52.34, false),
            one("grande", 19961.0, true),
        ]
    }

    fn suggested(text: &str) -> Vec<String> {
        prose(text).iter().filter_map(|typed| typed.matching(&known())).collect()
    }

    #[test]
    fn a_number_that_equals_a_value_at_its_precision_is_found() {
        assert_eq!(suggested("La KR-20 es 0.994."), ["<< valor \"tct.kr20\" decimales=3 >>"]);
        assert_eq!(suggested("La mediana (0,56)"), ["<< valor \"tct.r_mediana\" decimales=2 >>"]);
        assert_eq!(suggested("r = .56, y"), ["<< valor \"tct.r_mediana\" decimales=2 >>"]);
        assert_eq!(suggested("De los 500 reactivos"), ["<< valor \"datos.n_reactivos\" >>"]);
        assert_eq!(suggested("| a |\n|---|\n| 469 |\n"), ["<< valor \"datos.k\" >>"]);
        assert_eq!(
            suggested("log L = −24\u{202f}882.41"),
            ["<< valor \"rasch.log_l\" decimales=2 >>"]
        );
        assert_eq!(suggested("autovalor de 12.3"), ["<< valor \"dim.phi[2]\" decimales=1 >>"]);
        for text in ["19.961", "19,961", "19\u{a0}961", "19961"] {
            assert_eq!(suggested(text), ["<< valor \"grande\" >>"], "{text}");
        }
    }

    #[test]
    fn percentages_are_values_or_a_hundred_times_a_proportion() {
        assert_eq!(
            suggested("el 20.4 %"),
            ["<< valor \"parte\" formato=\"porcentaje\" decimales=1 >>"]
        );
        assert_eq!(suggested("el 52,3\u{a0}%"), ["<< valor \"pct\" decimales=1 sufijo=\" %\" >>"]);
        assert!(suggested("el 20 % y el 95 %").is_empty());
    }

    #[test]
    fn conventions_names_dates_and_labels_are_no_values() {
        for text in [
            "Con 9 reactivos, KR-20 y 2PL.",
            "En 1961 y el 20 de agosto de 1961, 1961-05-20.",
            "Por debajo de .20 o de 1.3.",
            "véase p. 500, la tabla 20, la versión 1.20.3 y el 20.º",
            "`500` [500](x.md) ![500](a.png) <https://x.org/500> <b title=\"500\">x</b>",
            "    500\n",
            "> 500\n",
            "Dice «son 500 reactivos».",
            "## 20 Los datos",
            "20. uno\n21. dos\n",
            "v500 500k 500/469 #500 500_1 3:20 10-20-x",
        ] {
            assert_eq!(suggested(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn a_number_of_another_precision_or_sign_is_another_number() {
        for text in ["0.995", "-0.994", "0.9941", "501", "24882.41"] {
            assert_eq!(suggested(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn marks_of_printed_values_are_not_numbers() {
        let text = format!("Hay {} y {} %.", crate::report::document::mark(500), "7");
        assert!(suggested(&text).is_empty());
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_without_panic(text in "[0-9.,\u{a0}\u{202f}«»%a-c\\-−<>*\n |ñ]{0,40}") {
            prose(&text);
        }
    }
}
