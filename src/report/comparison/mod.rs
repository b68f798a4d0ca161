//! What changed between two editions of a report: the same book over other data,
//! two builds, two moments of the book.
//!
//! An [`Edition`] is what a build publishes of each chapter, in memory or on disk;
//! [`compare`] sets two of them side by side, and [`text`] and [`markdown`] tell the
//! [`Comparison`] to people. Serialised, it is what machines read.

mod data;
mod edition;
mod render;
mod tables;
mod values;

pub use data::{Cells, DataChange};
pub use edition::{Broken, Chapter, Edition, Grid, value_files};
pub use render::{markdown, text};
pub use tables::{CellChange, TableChange};
pub use values::{Kind, Line, Reading, ValueChange, Verb};

use serde::Serialize;
use std::collections::BTreeSet;

/// Everything that changed.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Comparison {
    /// Assertions that stopped being true, or began to be.
    #[serde(rename = "afirmaciones")]
    pub claims: Vec<ClaimChange>,
    /// What only the first edition cannot print, and what only the second cannot.
    #[serde(rename = "sin_definir")]
    pub broken: Both<Vec<Broken>>,
    /// Chapters that only one of them has.
    #[serde(rename = "capitulos")]
    pub chapters: Membership,
    /// Values that changed, those that moved most first.
    #[serde(rename = "valores")]
    pub values: Vec<ValueChange>,
    /// How many values were compared.
    #[serde(rename = "valores_comparados")]
    pub n_values: usize,
    /// Tables that changed.
    #[serde(rename = "tablas")]
    pub tables: Vec<TableChange>,
    /// Data that changed.
    #[serde(rename = "datos")]
    pub data: Vec<DataChange>,
    /// What cannot be known from what was given.
    #[serde(rename = "no_se_sabe")]
    pub unknown: Vec<&'static str>,
}

/// The same of each edition.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Both<T> {
    /// Of the first.
    #[serde(rename = "a")]
    pub a: T,
    /// Of the second.
    #[serde(rename = "b")]
    pub b: T,
}

/// Names that only one of the editions has.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Membership {
    /// Only in the second.
    #[serde(rename = "nuevos")]
    pub new: Vec<String>,
    /// Only in the first.
    #[serde(rename = "desaparecidos")]
    pub gone: Vec<String>,
}

impl Membership {
    /// What each list has and the other lacks, in its own order.
    pub fn of<'a>(
        a: impl IntoIterator<Item = &'a str>,
        b: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let (a, b): (Vec<&str>, Vec<&str>) = (a.into_iter().collect(), b.into_iter().collect());
        let missing = |these: &[&str], those: &[&str]| {
            let those: BTreeSet<&str> = those.iter().copied().collect();
            let only = these.iter().filter(|name| !those.contains(*name));
            only.map(|name| (*name).to_owned()).collect()
        };
        Self { new: missing(&b, &a), gone: missing(&a, &b) }
    }

    /// Whether both have the same names.
    pub fn is_empty(&self) -> bool {
        self.new.is_empty() && self.gone.is_empty()
    }
}

/// An assertion whose truth changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClaimChange {
    /// File of the chapter.
    #[serde(rename = "archivo")]
    pub file: String,
    /// Line in it.
    #[serde(rename = "linea")]
    pub line: usize,
    /// The expression.
    #[serde(rename = "expresion")]
    pub expression: String,
    /// What the text says with it.
    #[serde(rename = "mensaje")]
    pub message: Option<String>,
    /// Whether it held; `None` where it could not be said or was not asserted.
    #[serde(rename = "antes")]
    pub before: Option<bool>,
    /// Whether it holds.
    #[serde(rename = "ahora")]
    pub after: Option<bool>,
}

impl Comparison {
    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.claims.is_empty()
            && self.broken == Both::default()
            && self.chapters.is_empty()
            && self.values.is_empty()
            && self.tables.is_empty()
            && self.data.is_empty()
    }
}

/// Compares two editions.
pub fn compare(a: &Edition, b: &Edition) -> Comparison {
    let slugs = |edition: &'_ Edition| -> Vec<String> {
        edition.chapters.iter().map(|one| one.values.capitulo.clone()).collect()
    };
    let (slugs_a, slugs_b) = (slugs(a), slugs(b));
    let chapters =
        Membership::of(slugs_a.iter().map(String::as_str), slugs_b.iter().map(String::as_str));
    let both: Vec<(&Chapter, &Chapter)> =
        b.chapters.iter().filter_map(|after| Some((a.chapter(after.slug())?, after))).collect();
    let (values, n_values) = values::compare(&both);
    let mut claims: Vec<ClaimChange> = both.iter().flat_map(|(a, b)| claims(a, b)).collect();
    // Those that prevent publishing come first.
    claims.sort_by_key(|one| one.after == Some(true));
    let data = data::compare(&both);
    Comparison {
        claims,
        broken: Both { a: only(&a.broken, &b.broken), b: only(&b.broken, &a.broken) },
        chapters,
        values,
        n_values,
        tables: both.iter().flat_map(|(a, b)| tables::compare(a, b)).collect(),
        unknown: unknown(&both, &data),
        data,
    }
}

fn only(these: &[Broken], those: &[Broken]) -> Vec<Broken> {
    these.iter().filter(|one| !those.contains(one)).cloned().collect()
}

/// The assertions of the second edition, each against the same one in the first:
/// one that both make and whose truth differs. One that only one of them makes,
/// false, counts as a change too.
fn claims(a: &Chapter, b: &Chapter) -> Vec<ClaimChange> {
    let change = |file: &str, one: &super::values::Asserted, before, after| ClaimChange {
        file: file.to_owned(),
        line: one.linea,
        expression: one.expresion.clone(),
        message: one.mensaje.clone(),
        before,
        after,
    };
    let mut changes = vec![];
    let mut seen = BTreeSet::new();
    for one in &b.values.afirmaciones {
        let matching = a.values.afirmaciones.iter().find(|old| old.expresion == one.expresion);
        let before = matching.map_or(Some(true), |old| old.cierta);
        if seen.insert(&one.expresion) && before != one.cierta {
            let before = matching.and_then(|old| old.cierta);
            changes.push(change(b.file(), one, before, one.cierta));
        }
    }
    for old in &a.values.afirmaciones {
        if seen.insert(&old.expresion) && old.cierta != Some(true) {
            changes.push(change(a.file(), old, old.cierta, None));
        }
    }
    changes
}

/// What the editions do not hold, where that matters.
fn unknown(both: &[(&Chapter, &Chapter)], data: &[DataChange]) -> Vec<&'static str> {
    let any = |lacks: fn(&Chapter) -> bool| both.iter().any(|(a, b)| lacks(a) || lacks(b));
    let mut unknown = vec![];
    if data.iter().any(|one| one.cells.is_none()) {
        unknown.push(
            "qué examinados y reactivos son nuevos o desaparecen, y qué celdas de la matriz cambian: \
             un valores.json solo guarda la huella de los archivos de datos (para saberlo, compare \
             las carpetas de datos)",
        );
    }
    if any(|one| one.tables.is_none()) {
        unknown.push(
            "qué celdas de las tablas cambian: están en los CSV del sitio, no en valores.json (para \
             saberlo, compare las carpetas de los sitios)",
        );
    }
    if any(|one| one.values.archivo.is_empty()) {
        unknown.push(
            "en qué líneas se imprime o se afirma cada valor: un valores.json de una versión \
             anterior no lo guarda",
        );
    }
    unknown
}

/// How much a number moved, whatever its scale: the change over what it was.
/// `None` when it was zero.
fn relative_change(before: f64, after: f64) -> Option<f64> {
    (before != 0.0).then(|| (after - before) / before.abs())
}

/// Sorts from the largest change to the smallest: what is no number first, then
/// what left zero, then by relative change.
fn magnitude(difference: Option<f64>, relative: Option<f64>) -> f64 {
    match (difference, relative) {
        (Some(_), Some(relative)) => relative.abs(),
        _ => f64::INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::values::{ChapterValues, Printed};
    use serde_json::json;

    fn edition(values: serde_json::Value) -> Edition {
        let values = ChapterValues {
            capitulo: "uno".into(),
            valores: serde_json::from_value(values).unwrap(),
            ..ChapterValues::default()
        };
        Edition { chapters: vec![Chapter { values, tables: None, study: None }], broken: vec![] }
    }

    #[test]
    fn what_moves_most_comes_first_and_what_is_no_number_before() {
        let a = edition(json!({
            "igual": 1, "a_diez": 100.0, "al_doble": -1e-9, "del_cero": 0, "se_va": 3, "texto": "x",
            "lista": [1.0, 2.0, 4.0], "sin": 2.0, "empate": 10, "nombres": ["r1"]
        }));
        let b = edition(json!({
            "igual": 1, "a_diez": 110.0, "al_doble": -2e-9, "del_cero": 1e-12, "llega": 3, "texto": "y",
            "lista": [1.0, 3.0, 4.0], "sin": null, "empate": 9, "nombres": ["r1", "r2"]
        }));
        let found = compare(&a, &b);
        let names: Vec<&str> = found.values.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "llega", "se_va", "sin", "texto", "nombres", "del_cero", "al_doble", "lista",
                "a_diez", "empate"
            ]
        );
        assert_eq!(found.n_values, 11);
        let of = |name: &str| found.values.iter().find(|one| one.name == name).unwrap();
        assert_eq!((of("al_doble").relative, of("del_cero").relative), (Some(-1.0), None));
        assert_eq!((of("lista").position, of("lista").difference), (Some(2), Some(1.0)));
        assert_eq!(compare(&b, &b), Comparison { n_values: 10, ..unchanged(&b) });
    }

    /// What the comparison of an edition with itself says.
    fn unchanged(edition: &Edition) -> Comparison {
        let found = compare(edition, edition);
        assert!(found.is_empty());
        found
    }

    #[test]
    fn a_change_beyond_what_is_printed_says_so() {
        let printing = |x: f64| {
            let mut one = edition(json!({ "x": x }));
            one.chapters[0].values.impresos = vec![Printed {
                expresion: "x".into(),
                texto: format!("{x:.2}"),
                valor: x.to_string(),
                linea: 7,
                usa: vec!["x".into()],
            }];
            one
        };
        let alike = |a: f64, b: f64| compare(&printing(a), &printing(b)).values[0].printed_alike;
        assert_eq!(alike(0.501, 0.502), Some(true));
        assert_eq!(alike(0.501, 0.512), Some(false));
        let lines = &compare(&printing(0.5), &printing(0.6)).values[0].lines;
        assert_eq!((lines.len(), lines[0].line, lines[0].verb), (1, 7, Verb::Prints));
    }
}
