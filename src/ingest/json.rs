//! JSON objects as lists of pairs, so that a repeated key is seen.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};

/// Keys and values in the order of the file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pairs<T>(pub Vec<(String, T)>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Pairs<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder<T>(std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for InOrder<T> {
            type Value = Pairs<T>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("un objeto")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut pairs = vec![];
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(InOrder(std::marker::PhantomData))
    }
}

/// What is wrong with a JSON text, and where, in Spanish.
pub(super) fn explain(error: &serde_json::Error) -> String {
    use serde_json::error::Category;
    let what = match error.classify() {
        Category::Eof => "el JSON está incompleto",
        Category::Syntax => "el JSON está mal formado",
        Category::Data => "el JSON no tiene la forma esperada",
        Category::Io => "el JSON no se puede leer",
    };
    format!("{what} (línea {}, columna {})", error.line(), error.column())
}

/// The kind of a JSON value, for messages.
pub(super) fn kind(value: &serde_json::Value) -> &'static str {
    match value {
        serde_json::Value::Null => "nada",
        serde_json::Value::Bool(_) => "un valor lógico",
        serde_json::Value::Number(_) => "un número",
        serde_json::Value::String(_) => "un texto",
        serde_json::Value::Array(_) => "una lista",
        serde_json::Value::Object(_) => "un objeto",
    }
}
