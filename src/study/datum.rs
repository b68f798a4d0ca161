//! A value as it is published: typed, or undefined with its reason.

use super::reasons::reason;
use crate::psychometrics::Undefined;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A published value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Datum {
    /// A count.
    Integer(i64),
    /// A real number.
    Number(f64),
    /// Yes or no.
    Truth(bool),
    /// Words.
    Text(String),
    /// Several numbers.
    List(Vec<f64>),
    /// Several names.
    Names(Vec<String>),
    /// Nothing, and why, in Spanish.
    Undefined(String),
}

impl Datum {
    /// As JSON: null when not defined.
    pub fn to_json(&self) -> Value {
        match self {
            Self::Integer(value) => json!(value),
            Self::Number(value) => json!(value),
            Self::Truth(value) => json!(value),
            Self::Text(text) => json!(text),
            Self::List(values) => json!(values),
            Self::Names(names) => json!(names),
            Self::Undefined(_) => Value::Null,
        }
    }
}

impl From<usize> for Datum {
    fn from(value: usize) -> Self {
        Self::Integer(value as i64)
    }
}

impl From<u32> for Datum {
    fn from(value: u32) -> Self {
        Self::Integer(value.into())
    }
}

impl From<f64> for Datum {
    fn from(value: f64) -> Self {
        if value.is_finite() {
            Self::Number(value)
        } else {
            Self::Undefined("el resultado no es un número finito".into())
        }
    }
}

impl From<bool> for Datum {
    fn from(value: bool) -> Self {
        Self::Truth(value)
    }
}

impl From<Vec<f64>> for Datum {
    fn from(values: Vec<f64>) -> Self {
        Self::List(values)
    }
}

impl<T: Into<Datum>> From<Result<T, Undefined>> for Datum {
    fn from(value: Result<T, Undefined>) -> Self {
        value.map_or_else(|why| Self::Undefined(reason(&why)), Into::into)
    }
}

impl<T: Into<Datum>> From<Option<T>> for Datum {
    fn from(value: Option<T>) -> Self {
        value.map_or_else(|| Self::Undefined("no hay datos".into()), Into::into)
    }
}
