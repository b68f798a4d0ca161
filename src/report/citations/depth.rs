//! What would send biblatex round in a circle: it follows `crossref`, `xdata` and
//! `@string` wherever they lead, and braces however deep.

use super::library::parse_message;
use biblatex::{Pair, RawBibliography, RawChunk};
use std::collections::BTreeMap;
use std::ops::Range;

/// Works or abbreviations that lead from one to the next; real bibliographies have
/// two or three.
const LONGEST_CHAIN: usize = 20;
/// Places that following one work may lead to, counted each time.
const MOST_STEPS: usize = 1000;
/// Braces one inside the other.
const DEEPEST: usize = 200;

/// Where each name leads.
type Links = BTreeMap<String, Vec<String>>;

/// Reads a bibliography as far as it is safe; a fault is where and what.
pub(super) fn read(text: &str) -> Result<RawBibliography<'_>, (Range<usize>, String)> {
    if let Some(at) = too_deep(text) {
        return Err((at..at + 1, format!("hay más de {DEEPEST} llaves, una dentro de otra")));
    }
    let raw = RawBibliography::parse(text)
        .map_err(|error| (error.span.clone(), parse_message(&error.kind)))?;
    let links = links(&raw);
    let works = raw.entries.iter().map(|entry| (entry.v.key.v.to_owned(), &entry.v.key.span));
    let strings = raw.abbreviations.iter().map(|pair| (string(pair.key.v), &pair.key.span));
    for (name, place) in works.chain(strings) {
        if leads_too_far(LONGEST_CHAIN, &name, &links, &mut 0) {
            let name = name.trim_start_matches('@');
            let message = format!("«{name}» remite en círculo, o a demasiadas entradas");
            return Err((place.clone(), message));
        }
    }
    Ok(raw)
}

/// The brace that is one too many.
fn too_deep(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    text.bytes().position(|byte| {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > DEEPEST
    })
}

/// How an abbreviation is told from a work of the same name.
fn string(name: &str) -> String {
    format!("@{}", name.to_lowercase())
}

fn links(raw: &RawBibliography<'_>) -> Links {
    let abbreviations = |pair: &Pair<'_>| {
        let names = pair.value.v.iter().filter_map(|chunk| match &chunk.v {
            RawChunk::Abbreviation(name) => Some(string(name)),
            RawChunk::Normal(_) => None,
        });
        names.collect::<Vec<String>>()
    };
    let words = |pair: &Pair<'_>| {
        let text = pair.value.v.iter().filter_map(|chunk| match &chunk.v {
            RawChunk::Normal(text) => Some(*text),
            RawChunk::Abbreviation(_) => None,
        });
        let text = text.collect::<String>();
        let names = text.split(',').map(|name| name.trim_matches([' ', '{', '}', '\n']).to_owned());
        names.filter(|name| !name.is_empty()).collect::<Vec<String>>()
    };
    let mut links = Links::new();
    for pair in &raw.abbreviations {
        links.entry(string(pair.key.v)).or_default().extend(abbreviations(pair));
    }
    for entry in &raw.entries {
        for field in &entry.v.fields {
            match field.key.v.to_lowercase().as_str() {
                "crossref" | "xdata" => {
                    links.entry(entry.v.key.v.to_owned()).or_default().extend(words(field));
                }
                // Another name of the same work.
                "ids" => words(field).into_iter().for_each(|alias| {
                    links.entry(alias).or_default().push(entry.v.key.v.to_owned());
                }),
                _ => {}
            }
        }
    }
    links
}

/// Whether following a name reaches further than `most` steps, or more than
/// [`MOST_STEPS`] places in all: biblatex follows every one of them, however often.
fn leads_too_far(most: usize, name: &str, links: &Links, steps: &mut usize) -> bool {
    *steps += 1;
    if most == 0 || *steps > MOST_STEPS {
        return true;
    }
    let mut next = links.get(name).into_iter().flatten();
    next.any(|other| leads_too_far(most - 1, other, links, steps))
}
