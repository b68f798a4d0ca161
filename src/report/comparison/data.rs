//! The data of two editions: files, examinees, items, answers.

use super::Membership;
use super::edition::Chapter;
use crate::data::Responses;
use crate::study::input::StudyData;
use serde::Serialize;
use std::collections::HashMap;

/// Data that changed.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct DataChange {
    /// The chapters that read them.
    #[serde(rename = "capitulos")]
    pub chapters: Vec<String>,
    /// Files whose content changed, or that only one edition reads.
    #[serde(rename = "archivos")]
    pub files: Vec<String>,
    /// Examinees by name; `None` when the data are not at hand.
    #[serde(rename = "examinados")]
    pub examinees: Option<Membership>,
    /// Items by name; `None` when the data are not at hand.
    #[serde(rename = "reactivos")]
    pub items: Option<Membership>,
    /// Answers of the examinees and items that both have; `None` when the data are
    /// not at hand.
    #[serde(rename = "celdas")]
    pub cells: Option<Cells>,
}

/// Answers that changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Cells {
    /// Answers of the examinees and items that both have.
    #[serde(rename = "comunes")]
    pub common: usize,
    /// Those that differ.
    #[serde(rename = "cambiadas")]
    pub changed: usize,
    /// How many by item, most first; the items where none does are left out.
    #[serde(rename = "por_reactivo")]
    pub by_item: Vec<(String, usize)>,
}

/// The data that changed; chapters that read the same are told together.
pub fn compare(both: &[(&Chapter, &Chapter)]) -> Vec<DataChange> {
    let mut changes: Vec<DataChange> = vec![];
    for (a, b) in both {
        let files = changed_files(a, b);
        if files.is_empty() {
            continue;
        }
        let slug = b.slug().to_owned();
        let mut change = DataChange { files, ..DataChange::default() };
        if let (Some(before), Some(after)) = (&a.study, &b.study) {
            let (before, after) = (before.data(), after.data());
            change.examinees = Some(names(&examinees(before), &examinees(after)));
            change.items = Some(Membership::of(before.items.iter(), after.items.iter()));
            change.cells = Some(cells(before, after));
        }
        match changes
            .iter_mut()
            .find(|one| DataChange { chapters: vec![], ..(*one).clone() } == change)
        {
            Some(same) => same.chapters.push(slug),
            None => changes.push(DataChange { chapters: vec![slug], ..change }),
        }
    }
    changes
}

fn changed_files(a: &Chapter, b: &Chapter) -> Vec<String> {
    let (before, after) = (&a.values.datos, &b.values.datos);
    let mut names: Vec<&String> = before.keys().chain(after.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let changed = names.into_iter().filter(|name| before.get(*name) != after.get(*name));
    changed.cloned().collect()
}

fn examinees(data: &StudyData) -> Vec<String> {
    let names = data.examinees.column(&data.id_name).unwrap_or_default();
    names.iter().map(ToString::to_string).collect()
}

fn names(before: &[String], after: &[String]) -> Membership {
    Membership::of(before.iter().map(String::as_str), after.iter().map(String::as_str))
}

fn cells(before: &StudyData, after: &StudyData) -> Cells {
    let (old, new) = (examinees(before), examinees(after));
    let rows = matching(old.iter().map(String::as_str), new.iter().map(String::as_str));
    let columns = matching(before.items.iter(), after.items.iter());
    let (a, b): (&Responses, &Responses) = (&before.responses, &after.responses);
    let mut by_item: Vec<(String, usize)> = columns
        .iter()
        .map(|&(old, new)| {
            let changed = rows.iter().filter(|&&(i, j)| a.get(i, old) != b.get(j, new)).count();
            (after.items.get(new).unwrap_or_default().to_owned(), changed)
        })
        .filter(|(_, changed)| *changed > 0)
        .collect();
    by_item.sort_by_key(|(_, changed)| std::cmp::Reverse(*changed));
    let changed = by_item.iter().map(|(_, changed)| changed).sum();
    Cells { common: rows.len() * columns.len(), changed, by_item }
}

/// Positions of the names that both have, in the order of the second.
fn matching<'a>(
    before: impl Iterator<Item = &'a str>,
    after: impl Iterator<Item = &'a str>,
) -> Vec<(usize, usize)> {
    let positions: HashMap<&str, usize> = before.enumerate().map(|(at, name)| (name, at)).collect();
    after.enumerate().filter_map(|(at, name)| Some((*positions.get(name)?, at))).collect()
}
