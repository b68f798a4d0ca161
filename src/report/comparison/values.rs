//! Values of two editions, by name or by the expression that prints them.

use super::edition::Chapter;
use super::{magnitude, relative_change};
use crate::report::values::{Asserted, ChapterValues, Printed};
use serde::{Serialize, Serializer};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What an edition gives for a name.
#[derive(Debug, Clone, PartialEq)]
pub enum Reading {
    /// It has no such value.
    Absent,
    /// It is not defined for its data: why.
    Undefined(String),
    /// The value.
    Given(Value),
}

impl Serialize for Reading {
    /// Null when there is no value: the kind of the change says why.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Given(value) => value.serialize(serializer),
            Self::Absent | Self::Undefined(_) => serializer.serialize_none(),
        }
    }
}

/// How a value changed. The order matters: it is that of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Only the second edition has it.
    #[serde(rename = "aparece")]
    Appeared,
    /// Only the first has it.
    #[serde(rename = "desaparece")]
    Gone,
    /// It is defined in one of them, or not defined for another reason.
    #[serde(rename = "definicion")]
    Definition,
    /// It is of another type.
    #[serde(rename = "tipo")]
    Type,
    /// Yes became no, or the reverse.
    #[serde(rename = "logico")]
    Truth,
    /// Another text.
    #[serde(rename = "texto")]
    Text,
    /// Other names in a list, or another number of them.
    #[serde(rename = "nombres")]
    Names,
    /// A number, or the number of a list that moved most.
    #[serde(rename = "numero")]
    Number,
}

/// A value that changed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ValueChange {
    /// Its name, or the expression that prints it.
    #[serde(rename = "nombre")]
    pub name: String,
    /// The chapters where it changed so.
    #[serde(rename = "capitulos")]
    pub chapters: Vec<String>,
    /// How it changed.
    #[serde(rename = "clase")]
    pub kind: Kind,
    /// What it was.
    #[serde(rename = "antes")]
    pub before: Reading,
    /// What it is.
    #[serde(rename = "ahora")]
    pub after: Reading,
    /// Of a list, the position (from 1) of the number that moved most, to which
    /// the two following belong.
    #[serde(rename = "posicion", skip_serializing_if = "Option::is_none")]
    pub position: Option<usize>,
    /// Of numbers, what it is minus what it was.
    #[serde(rename = "diferencia")]
    pub difference: Option<f64>,
    /// The difference over what it was; `None` when that is zero.
    #[serde(rename = "relativa")]
    pub relative: Option<f64>,
    /// Whether every place that prints it prints the same; `None` when none does.
    #[serde(rename = "igual_al_imprimirse")]
    pub printed_alike: Option<bool>,
    /// Why it is not defined, before and now.
    #[serde(rename = "motivos", skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    /// The lines that print or assert it.
    #[serde(rename = "lineas")]
    pub lines: Vec<Line>,
}

/// What a line does with a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Verb {
    /// Prints it, alone or in an expression.
    #[serde(rename = "imprime")]
    Prints,
    /// Asserts something of it.
    #[serde(rename = "afirma")]
    Asserts,
}

/// A line of the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Line {
    /// File of the chapter.
    #[serde(rename = "archivo")]
    pub file: String,
    /// Line in it; 0 when it is not known.
    #[serde(rename = "linea")]
    pub line: usize,
    /// What it does.
    #[serde(rename = "hace")]
    pub verb: Verb,
    /// What it printed; `None` when the value is only a part of what it prints.
    #[serde(rename = "antes")]
    pub before: Option<String>,
    /// What it prints.
    #[serde(rename = "ahora")]
    pub after: Option<String>,
}

/// The values that changed, ordered, and how many were compared.
pub fn compare(both: &[(&Chapter, &Chapter)]) -> (Vec<ValueChange>, usize) {
    // Chapters that share a study have the same values: they are told once.
    let mut all: Vec<ValueChange> = vec![];
    let mut at: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (a, b) in both {
        let (before, after) = (readings(&a.values), readings(&b.values));
        let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
        for name in names {
            let reading =
                |all: &BTreeMap<String, Reading>| all.get(name).cloned().unwrap_or(Reading::Absent);
            let (before, after) = (reading(&before), reading(&after));
            let known = at.entry(name.clone()).or_default();
            let same = known.iter().find(|&&at| all[at].before == before && all[at].after == after);
            let place = same.copied().unwrap_or_else(|| {
                known.push(all.len());
                all.push(change(name, before, after));
                all.len() - 1
            });
            all[place].chapters.push(b.slug().to_owned());
            all[place].lines.append(&mut lines(name, a, b));
        }
    }
    let compared = all.len();
    let mut changed: Vec<ValueChange> =
        all.into_iter().filter(|one| one.before != one.after).collect();
    for one in &mut changed {
        one.printed_alike = printed_alike(&one.lines);
    }
    let largest = |one: &ValueChange| magnitude(one.difference, one.relative);
    changed.sort_by(|one, other| {
        let by_kind = one.kind.cmp(&other.kind);
        let by_size = largest(other).total_cmp(&largest(one));
        by_kind.then(by_size).then_with(|| one.name.cmp(&other.name))
    });
    (changed, compared)
}

/// Everything that a chapter computes, and what it prints besides.
fn readings(values: &ChapterValues) -> BTreeMap<String, Reading> {
    let reason = |name: &String| values.razones.get(name).cloned().unwrap_or_default();
    let mut all: BTreeMap<String, Reading> = values
        .valores
        .iter()
        .map(|(name, value)| match value {
            Value::Null => (name.clone(), Reading::Undefined(reason(name))),
            value => (name.clone(), Reading::Given(value.clone())),
        })
        .collect();
    for printed in &values.impresos {
        all.entry(printed.expresion.clone()).or_insert_with(|| reading_of(&printed.valor));
    }
    all
}

/// What a machine reads of a printed value.
fn reading_of(text: &str) -> Reading {
    let whole = text.parse::<i64>().ok().map(Value::from);
    let number = || Some(Value::Number(serde_json::Number::from_f64(text.parse().ok()?)?));
    match text {
        "" => Reading::Undefined(String::new()),
        text => Reading::Given(whole.or_else(number).unwrap_or_else(|| Value::from(text))),
    }
}

fn change(name: &str, before: Reading, after: Reading) -> ValueChange {
    let (kind, moved) = how(&before, &after);
    let reasons = [&before, &after].into_iter().filter_map(|reading| match reading {
        Reading::Undefined(reason) => Some(reason.clone()),
        _ => None,
    });
    ValueChange {
        name: name.to_owned(),
        chapters: vec![],
        kind,
        position: moved.and_then(|moved| moved.position),
        difference: moved.map(|moved| moved.after - moved.before),
        relative: moved.and_then(|moved| relative_change(moved.before, moved.after)),
        printed_alike: None,
        reasons: reasons.filter(|reason| !reason.is_empty()).collect(),
        lines: vec![],
        before,
        after,
    }
}

/// A number before and after, and its position when it is one of a list.
#[derive(Debug, Clone, Copy)]
struct Moved {
    before: f64,
    after: f64,
    position: Option<usize>,
}

fn how(before: &Reading, after: &Reading) -> (Kind, Option<Moved>) {
    let (before, after) = match (before, after) {
        (Reading::Absent, _) => return (Kind::Appeared, None),
        (_, Reading::Absent) => return (Kind::Gone, None),
        (Reading::Given(before), Reading::Given(after)) => (before, after),
        _ => return (Kind::Definition, None),
    };
    match (before, after) {
        (Value::Number(_), Value::Number(_)) => {
            let pair = before.as_f64().zip(after.as_f64());
            let moved = pair.map(|(before, after)| Moved { before, after, position: None });
            (Kind::Number, moved)
        }
        (Value::Bool(_), Value::Bool(_)) => (Kind::Truth, None),
        (Value::String(_), Value::String(_)) => (Kind::Text, None),
        (Value::Array(before), Value::Array(after)) => match largest_move(before, after) {
            Some(moved) => (Kind::Number, Some(moved)),
            None => (Kind::Names, None),
        },
        _ => (Kind::Type, None),
    }
}

/// Of two lists of as many numbers, the one that moved most; the first of several.
fn largest_move(before: &[Value], after: &[Value]) -> Option<Moved> {
    if before.len() != after.len() {
        return None;
    }
    let mut largest: Option<(f64, Moved)> = None;
    for (at, (before, after)) in before.iter().zip(after).enumerate() {
        let (before, after) = (before.as_f64()?, after.as_f64()?);
        let size = match before == after {
            true => 0.0,
            false => magnitude(Some(after - before), relative_change(before, after)),
        };
        if largest.is_none_or(|(most, _)| size > most) {
            largest = Some((size, Moved { before, after, position: Some(at + 1) }));
        }
    }
    largest.map(|(_, moved)| moved)
}

impl ValueChange {
    /// The two numbers that the difference is of.
    pub fn numbers(&self) -> Option<(f64, f64)> {
        let number = |reading: &Reading| match (reading, self.position) {
            (Reading::Given(value), None) => value.as_f64(),
            (Reading::Given(list), Some(position)) => list.get(position - 1)?.as_f64(),
            _ => None,
        };
        self.difference.and(number(&self.before).zip(number(&self.after)))
    }
}

/// The lines that print or assert a value: those of the second edition, or of the
/// first where the second has none.
fn lines(name: &str, a: &Chapter, b: &Chapter) -> Vec<Line> {
    let exact = |chapter: &Chapter| -> Vec<Printed> {
        let printed = chapter.values.impresos.iter();
        printed.filter(|one| one.expresion == name).cloned().collect()
    };
    let (old, new) = (exact(a), exact(b));
    let mut lines: Vec<Line> = (0..old.len().max(new.len()))
        .filter_map(|at| {
            let (before, after) = (old.get(at), new.get(at));
            let (file, shown) = match after {
                Some(after) => (b.file(), after),
                None => (a.file(), before?),
            };
            let text = |one: Option<&Printed>| one.map(|one| one.texto.clone());
            let (before, after) = (text(before), text(after));
            Some(Line {
                file: file.to_owned(),
                line: shown.linea,
                verb: Verb::Prints,
                before,
                after,
            })
        })
        .collect();
    let uses = |one: &Asserted| one.usa.iter().any(|used| used == name) || one.expresion == name;
    let further = |chapter: &Chapter| -> Vec<Line> {
        let part = chapter
            .values
            .impresos
            .iter()
            .filter(|one| one.expresion != name && one.usa.iter().any(|used| used == name));
        let asserted = chapter.values.afirmaciones.iter().filter(|one| uses(one));
        let printed = part.map(|one| (one.linea, Verb::Prints));
        printed
            .chain(asserted.map(|one| (one.linea, Verb::Asserts)))
            .map(|(line, verb)| {
                let file = chapter.file().to_owned();
                Line { file, line, verb, before: None, after: None }
            })
            .collect()
    };
    let mut others = further(b);
    if others.is_empty() && lines.is_empty() {
        others = further(a);
    }
    for one in others {
        let known = |line: &Line| line.line == one.line && line.verb == one.verb;
        if !lines.iter().any(known) {
            lines.push(one);
        }
    }
    lines.sort_by_key(|line| (line.line, line.verb));
    lines
}

fn printed_alike(lines: &[Line]) -> Option<bool> {
    let mut printed = lines.iter().filter(|line| line.before.is_some() || line.after.is_some());
    let first = printed.next()?;
    Some(first.before == first.after && printed.all(|line| line.before == line.after))
}
