//! `metadata.yaml`, in the shapes that it has had: flat (`name`, `oss`, `site`)
//! and nested (`info`, `tags`, `assets`), with fields moved or absent.

use super::{Fault, json};
use crate::diagnostics::Source;
use crate::yaml;
use serde_json::Value;

const FILE: &str = "metadata.yaml";

/// What a submission says of itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Metadata {
    pub name: Option<String>,
    pub models: Vec<String>,
    pub organisations: Vec<String>,
    pub attempts: Attempts,
    /// Percentage of items solved, as declared.
    pub declared: Option<f64>,
    /// Version of mini-SWE-agent, when it was the scaffold.
    pub mini_version: Option<String>,
    /// A day, when the file tells one.
    pub date: Option<String>,
}

/// Candidate solutions per item, of which one was submitted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Attempts {
    #[default]
    Unknown,
    One,
    Several,
}

impl Attempts {
    /// As the CSV writes it.
    pub fn text(self) -> Option<&'static str> {
        match self {
            Self::Unknown => None,
            Self::One => Some("1"),
            Self::Several => Some("2+"),
        }
    }
}

/// Reads the file's text.
pub(super) fn parse(text: String) -> Result<Metadata, Fault> {
    let source = Source::new(FILE, text);
    let whole: Value = yaml::parse(&source).map_err(|found| {
        // The parser's own words are not in Spanish; its line is enough to find it.
        let (_, line, _) = found.place.order();
        Fault::new(FILE, &format!("línea {line}"), found.message)
    })?;
    if !(whole.is_object() || whole.is_null()) {
        return Err(Fault::new(
            FILE,
            "",
            format!("es {}, no un grupo de claves", json::kind(&whole)),
        ));
    }
    let fields = Fields(&whole);
    Ok(Metadata {
        name: fields.text(&["info.name", "name", "tags.name"])?,
        models: fields.texts(&["tags.model", "info.model", "model", "models"])?,
        organisations: fields.texts(&["tags.org", "info.org", "org", "organization"])?,
        attempts: fields.attempts(&["tags.system.attempts", "tags.attempts", "attempts"])?,
        declared: fields.percentage(&["info.resolved", "resolved", "tags.resolved"])?,
        mini_version: fields.text(&[
            "info.mini-swe-agent_version",
            "mini-swe-agent_version",
            "tags.mini-swe-agent_version",
        ])?,
        date: fields.text(&["info.date", "date"])?,
    })
}

/// The document, with fields that may stand in several places.
struct Fields<'a>(&'a Value);

impl<'a> Fields<'a> {
    /// The first place that holds something, and what.
    fn find(&self, paths: &[&'static str]) -> Option<(&'static str, &'a Value)> {
        paths.iter().find_map(|path| {
            let found = path.split('.').try_fold(self.0, |value, key| value.get(key))?;
            (!found.is_null()).then_some((*path, found))
        })
    }

    fn text(&self, paths: &[&'static str]) -> Result<Option<String>, Fault> {
        let Some((path, value)) = self.find(paths) else { return Ok(None) };
        let text = scalar(value).ok_or_else(|| wrong(path, value, "un texto"))?;
        Ok(Some(text).filter(|text| !text.is_empty()))
    }

    /// A text, a list of texts, or nothing.
    fn texts(&self, paths: &[&'static str]) -> Result<Vec<String>, Fault> {
        let Some((path, value)) = self.find(paths) else { return Ok(vec![]) };
        let wrong = |value| wrong(path, value, "un texto o una lista de textos");
        let values = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
        let present = values.iter().filter(|value| !value.is_null());
        let texts: Result<Vec<_>, _> =
            present.map(|value| scalar(value).ok_or_else(|| wrong(value))).collect();
        Ok(texts?.into_iter().filter(|text| !text.is_empty()).collect())
    }

    fn attempts(&self, paths: &[&'static str]) -> Result<Attempts, Fault> {
        let Some(text) = self.text(paths)? else { return Ok(Attempts::Unknown) };
        let digits = text.trim_end_matches('+');
        let more = digits.len() < text.len();
        match digits.trim().parse::<u64>() {
            Ok(1) if !more => Ok(Attempts::One),
            Ok(n) if n > 0 => Ok(Attempts::Several),
            _ => {
                let field = self.find(paths).map_or("", |(path, _)| path);
                Err(Fault::new(FILE, field, format!("«{text}» no es un número de intentos")))
            }
        }
    }

    fn percentage(&self, paths: &[&'static str]) -> Result<Option<f64>, Fault> {
        let Some((path, value)) = self.find(paths) else { return Ok(None) };
        let number = match value {
            Value::Number(number) => number.as_f64(),
            Value::String(text) => text.trim().trim_end_matches('%').trim_end().parse().ok(),
            _ => None,
        };
        match number {
            Some(number) if (0.0..=100.0).contains(&number) => Ok(Some(number)),
            Some(number) => {
                Err(Fault::new(FILE, path, format!("{number} no es un porcentaje entre 0 y 100")))
            }
            None => Err(wrong(path, value, "un porcentaje")),
        }
    }
}

/// A text in one line, whatever YAML took it for.
fn scalar(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn wrong(path: &str, value: &Value, expected: &str) -> Fault {
    Fault::new(FILE, path, format!("se esperaba {expected} y es {}", json::kind(value)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Metadata {
        parse(text.into()).unwrap()
    }

    fn fault(text: &str) -> String {
        parse(text.into()).unwrap_err().0
    }

    #[test]
    fn the_nested_shape_is_read() {
        let text = "info:\n  name: Sim + M\n  resolved: 12.5\n  mini-swe-agent_version: \"1.0.0\"\n\
                    tags:\n  model: [m-1, m-2]\n  org:\n    - A\n  system:\n    attempts: 2+\n";
        let expected = Metadata {
            name: Some("Sim + M".into()),
            models: vec!["m-1".into(), "m-2".into()],
            organisations: vec!["A".into()],
            attempts: Attempts::Several,
            declared: Some(12.5),
            mini_version: Some("1.0.0".into()),
            date: None,
        };
        assert_eq!(read(text), expected);
    }

    #[test]
    fn the_flat_shape_is_read_with_its_site_as_text_list_or_nothing() {
        for site in ["https://sim.example", "[https://sim.example, b]", "", "null"] {
            let read = read(&format!("name: Sim\noss: true\nverified: false\nsite: {site}\n"));
            assert_eq!(read, Metadata { name: Some("Sim".into()), ..Metadata::default() });
        }
        assert_eq!(read("name: Sim\nresolved: \"40 %\"\n").declared, Some(40.0));
        assert_eq!(read(""), Metadata::default());
        assert_eq!(read("tags:\ninfo:\n  resolved: 0\n").declared, Some(0.0));
    }

    #[test]
    fn attempts_come_as_numbers_and_as_texts() {
        let attempts =
            |text: &str| read(&format!("tags: {{system: {{attempts: {text}}}}}")).attempts;
        for text in ["1", "\"1\""] {
            assert_eq!(attempts(text), Attempts::One);
        }
        for text in ["2", "\"2\"", "2+", "\"2+\"", "5", "1+"] {
            assert_eq!(attempts(text), Attempts::Several, "{text}");
        }
        assert_eq!(attempts("null"), Attempts::Unknown);
        assert_eq!(read("tags:\n  system:\n    - a\n").attempts, Attempts::Unknown);
    }

    #[test]
    fn wrong_types_name_their_field() {
        for (text, says) in [
            ("info: {resolved: [1]}", "info.resolved: se esperaba un porcentaje y es una lista"),
            ("info: {resolved: 120}", "info.resolved: 120 no es un porcentaje"),
            ("resolved: muchos", "resolved: se esperaba"),
            ("info: {name: {a: 1}}", "info.name: se esperaba un texto y es un objeto"),
            ("tags: {model: [[1]]}", "tags.model: se esperaba un texto o una lista"),
            ("tags: {system: {attempts: muchos}}", "«muchos» no es un número de intentos"),
            ("- a\n- b\n", "es una lista, no un grupo"),
            ("info: [a\n", "línea"),
        ] {
            assert!(fault(text).contains(says), "{text}: {}", fault(text));
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(
            pieces in prop::collection::vec(prop_oneof![
                Just("info:\n".to_owned()), Just("  resolved: ".to_owned()), Just("tags: ".to_owned()),
                Just("&a ".to_owned()), Just("*a".to_owned()), Just("{".to_owned()), Just("- ".to_owned()),
                Just("\n".to_owned()), Just("1e999".to_owned()), Just(".nan".to_owned()),
                Just("attempts: ".to_owned()), Just("\"".to_owned()), ".{0,4}",
            ], 0..30)
        ) {
            if let Ok(metadata) = parse(pieces.concat()) {
                prop_assert!(metadata.declared.is_none_or(f64::is_finite));
            }
        }
    }
}
