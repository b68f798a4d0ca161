//! Values and frames as the expression language sees them.

use super::{no_such_column, no_such_value, not_defined, undefined};
use crate::data::{Cell, Frame};
use crate::diagnostics::did_you_mean;
use minijinja::Value;
use minijinja::value::{Enumerator, Object, ObjectRepr, ValueKind};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A group of values with a common prefix: `tct` of `tct.kr20`.
#[derive(Debug, Default)]
pub struct Namespace {
    name: String,
    values: BTreeMap<String, Value>,
}

impl Namespace {
    /// A group of values.
    pub fn new(name: &str, values: BTreeMap<String, Value>) -> Self {
        Self { name: name.into(), values }
    }
}

impl Object for Namespace {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let key = key.as_str()?;
        Some(self.values.get(key).cloned().unwrap_or_else(|| {
            let hint = did_you_mean(key, self.values.keys().map(String::as_str));
            Value::from(no_such_value(&format!("{}.{key}", self.name), hint))
        }))
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Values(self.values.keys().map(|key| Value::from(key.as_str())).collect())
    }
}

/// A frame, or the notice that its file is not there.
///
/// `marco.columna` is the list of a column's cells; `marco.n_filas` and
/// `marco.disponible` describe the frame.
#[derive(Debug)]
pub struct FrameValue(Result<Arc<Frame>, String>);

impl FrameValue {
    /// A frame that was read or computed.
    pub fn present(frame: Arc<Frame>) -> Value {
        Value::from_object(Self(Ok(frame)))
    }

    /// A declared, optional frame whose file does not exist.
    pub fn absent(file: &str) -> Value {
        Self::failed(format!("el marco no está disponible: falta {file}"))
    }

    /// A frame that could not be made, with the reason.
    pub fn failed(reason: String) -> Value {
        Value::from_object(Self(Err(reason)))
    }

    /// The frame in a value, or why there is none.
    pub fn frame(value: &Value) -> Option<Result<Arc<Frame>, minijinja::Error>> {
        let frame = value.downcast_object_ref::<Self>()?;
        Some(frame.0.clone().map_err(|reason| not_defined(&reason)))
    }
}

impl Object for FrameValue {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let key = key.as_str()?;
        let frame = match &self.0 {
            _ if key == "disponible" => return Some(Value::from(self.0.is_ok())),
            Ok(frame) => frame,
            Err(reason) => return Some(undefined(reason)),
        };
        if key == "n_filas" {
            return Some(Value::from(frame.n_rows()));
        }
        Some(match frame.column(key) {
            Some(cells) => cells.iter().map(cell_to_value).collect(),
            None => {
                let hint = did_you_mean(key, frame.names());
                Value::from(no_such_column(key, hint))
            }
        })
    }
}

/// A cell in the language: dates are ISO texts, which order as dates do.
pub fn cell_to_value(cell: &Cell) -> Value {
    match cell {
        Cell::Missing => Value::from(()),
        Cell::Integer(value) => Value::from(*value),
        Cell::Number(value) => Value::from(*value),
        Cell::Date(value) => Value::from(value.to_string()),
        Cell::Text(value) => Value::from(value.clone()),
    }
}

/// A result as a cell; truth values become 1 and 0.
pub fn value_to_cell(value: &Value) -> Cell {
    match value.kind() {
        ValueKind::Bool => Cell::Integer(i64::from(value.is_true())),
        ValueKind::Number if value.is_integer() => {
            let beyond = || f64::try_from(value.clone()).map_or(Cell::Missing, Cell::number);
            i64::try_from(value.clone()).map_or_else(|_| beyond(), Cell::Integer)
        }
        ValueKind::Number => f64::try_from(value.clone()).map_or(Cell::Missing, Cell::number),
        ValueKind::String => Cell::text_or_date(value.as_str().unwrap_or_default()),
        _ => Cell::Missing,
    }
}
