//! What was solved, in both formats: `results/results.json` (lists of items) and
//! `per_instance_details.json` (one object per item).

use super::{Fault, json};
use json::Pairs;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeSet;

/// The two files, as the folder holds them.
pub(super) const LISTS: &str = "results/results.json";
pub(super) const DETAILS: &str = "per_instance_details.json";

/// Items by what happened to them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Results {
    pub format: Format,
    /// Solved.
    pub solved: BTreeSet<String>,
    /// Known to have no patch; `None` when the file does not tell.
    pub without_patch: Option<BTreeSet<String>>,
    /// Every item that the file names, in whatever role.
    pub named: BTreeSet<String>,
}

/// Which file told it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Lists,
    Details,
}

impl Format {
    /// As the CSV writes it.
    pub fn text(self) -> &'static str {
        match self {
            Self::Lists => "results",
            Self::Details => "per_instance_details",
        }
    }
}

/// Reads `results.json`.
pub(super) fn parse_lists(text: &str) -> Result<Results, Fault> {
    let Pairs(fields) = parse::<Value>(text, LISTS)?;
    let mut results = Results {
        format: Format::Lists,
        solved: BTreeSet::new(),
        without_patch: None,
        named: BTreeSet::new(),
    };
    let mut seen = BTreeSet::new();
    for (field, value) in &fields {
        if !seen.insert(&**field) {
            return Err(Fault::new(LISTS, field, "la clave aparece dos veces"));
        }
        let ids = match &**field {
            "resolved" | "no_generation" | "no_logs" => ids(field, value)?,
            // Other lists (`generated`, `applied`) only tell which items there are.
            _ => other_ids(value),
        };
        results.named.extend(ids.iter().cloned());
        match &**field {
            "resolved" => results.solved = ids,
            "no_generation" => results.without_patch = Some(ids),
            _ => {}
        }
    }
    if !seen.contains("resolved") {
        return Err(Fault::new(LISTS, "resolved", "falta la lista"));
    }
    let without_patch = results.without_patch.iter().flatten();
    if let Some(id) = without_patch.into_iter().find(|&id| results.solved.contains(id)) {
        let what = format!("«{id}» está también en no_generation");
        return Err(Fault::new(LISTS, "resolved", what));
    }
    Ok(results)
}

/// Reads `per_instance_details.json`.
pub(super) fn parse_details(text: &str) -> Result<Results, Fault> {
    #[derive(Deserialize)]
    struct Detail {
        resolved: Value,
    }
    let Pairs(details) = parse::<Detail>(text, DETAILS)?;
    let mut named = BTreeSet::new();
    let mut solved = BTreeSet::new();
    for (id, detail) in details {
        check_id(DETAILS, "", &id)?;
        let Value::Bool(resolved) = detail.resolved else {
            let what = format!("se esperaba true o false y es {}", json::kind(&detail.resolved));
            return Err(Fault::new(DETAILS, &format!("{id}.resolved"), what));
        };
        if resolved {
            solved.insert(id.clone());
        }
        if let Some(id) = named.replace(id) {
            return Err(Fault::new(DETAILS, &id, "el reactivo aparece dos veces"));
        }
    }
    Ok(Results { format: Format::Details, solved, without_patch: None, named })
}

fn parse<'a, T: Deserialize<'a>>(text: &'a str, file: &str) -> Result<Pairs<T>, Fault> {
    serde_json::from_str(text).map_err(|error| Fault::new(file, "", json::explain(&error)))
}

/// A list of different items.
fn ids(field: &str, value: &Value) -> Result<BTreeSet<String>, Fault> {
    let Value::Array(values) = value else {
        let what = format!("se esperaba una lista y es {}", json::kind(value));
        return Err(Fault::new(LISTS, field, what));
    };
    let mut ids = BTreeSet::new();
    for value in values {
        let Value::String(id) = value else {
            let what = format!("un elemento de la lista es {}", json::kind(value));
            return Err(Fault::new(LISTS, field, what));
        };
        check_id(LISTS, field, id)?;
        if !ids.insert(id.clone()) {
            return Err(Fault::new(LISTS, field, format!("«{id}» está repetido")));
        }
    }
    Ok(ids)
}

fn other_ids(value: &Value) -> BTreeSet<String> {
    let Value::Array(values) = value else { return BTreeSet::new() };
    values.iter().filter_map(Value::as_str).filter(|id| is_id(id)).map(String::from).collect()
}

fn check_id(file: &str, field: &str, id: &str) -> Result<(), Fault> {
    if is_id(id) {
        return Ok(());
    }
    let shown: String = id.chars().take(60).flat_map(char::escape_debug).collect();
    Err(Fault::new(file, field, format!("«{shown}» no es un reactivo (dueño__repositorio-número)")))
}

/// `owner__repository-number`.
fn is_id(id: &str) -> bool {
    let word = |text: &str| {
        !text.is_empty()
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
    };
    id.split_once("__").is_some_and(|(owner, rest)| {
        rest.rsplit_once('-')
            .is_some_and(|(repository, number)| word(owner) && word(repository) && word(number))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn both_formats_say_the_same() {
        let lists = r#"{"resolved": ["o__r-1"], "no_generation": ["o__r-3"], "no_logs": []}"#;
        let lists = parse_lists(lists).unwrap();
        let details = r#"{"o__r-1": {"resolved": true, "cost": 0.1, "api_calls": 3},
                          "o__r-2": {"resolved": false}}"#;
        let details = parse_details(details).unwrap();
        assert_eq!(lists.solved, details.solved);
        assert_eq!(lists.without_patch.map(|ids| ids.len()), Some(1));
        assert_eq!((details.without_patch, details.named.len()), (None, 2));
    }

    #[test]
    fn older_lists_tell_more_items() {
        let text = r#"{"resolved": [], "generated": ["o__r-1", "x"], "n": 3}"#;
        let results = parse_lists(text).unwrap();
        assert_eq!(results.named.into_iter().collect::<Vec<_>>(), ["o__r-1"]);
    }

    #[test]
    fn faults_name_the_file_and_the_field() {
        for (text, says) in [
            (r#"{"resolved": ["o__r-1", "o__r-1"]}"#, "resolved: «o__r-1» está repetido"),
            (r#"{"resolved": ["o__r-1"], "no_generation": ["o__r-1"]}"#, "está también en"),
            (r#"{"resolved": {"o__r-1": 1}}"#, "resolved: se esperaba una lista y es un objeto"),
            (r#"{"resolved": [1]}"#, "resolved: un elemento de la lista es un número"),
            (r#"{"resolved": ["../x"]}"#, "no es un reactivo"),
            (r#"{"no_logs": []}"#, "resolved: falta la lista"),
            (r#"{"resolved": [], "resolved": []}"#, "resolved: la clave aparece dos veces"),
            (r#"{"resolved": ["#, "incompleto (línea 1"),
            ("[]", "no tiene la forma esperada"),
            ("", "incompleto"),
        ] {
            let fault = parse_lists(text).unwrap_err().0;
            assert!(fault.starts_with(LISTS) && fault.contains(says), "{text}: {fault}");
        }
        for (text, says) in [
            (r#"{"o__r-1": {"resolved": "sí"}}"#, "o__r-1.resolved: se esperaba true o false"),
            (r#"{"o__r-1": {"resolved": null}}"#, "y es nada"),
            (r#"{"o__r-1": {}}"#, "no tiene la forma esperada"),
            (r#"{"o__r-1": {"resolved": true}, "o__r-1": {"resolved": true}}"#, "dos veces"),
            (r#"{"raro": {"resolved": true}}"#, "«raro» no es un reactivo"),
        ] {
            let fault = parse_details(text).unwrap_err().0;
            assert!(fault.starts_with(DETAILS) && fault.contains(says), "{text}: {fault}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_the_readers_panic(
            pieces in prop::collection::vec(prop_oneof![
                Just("{".to_owned()), Just("}".to_owned()), Just("[".to_owned()), Just("]".to_owned()),
                Just("\"resolved\":".to_owned()), Just("\"o__r-1\"".to_owned()), Just(",".to_owned()),
                Just(":".to_owned()), Just("true".to_owned()), Just("{\"resolved\":true}".to_owned()),
                ".{0,3}",
            ], 0..25)
        ) {
            let text = pieces.concat();
            for results in [parse_lists(&text), parse_details(&text)].into_iter().flatten() {
                prop_assert!(results.solved.is_subset(&results.named));
            }
        }
    }
}
