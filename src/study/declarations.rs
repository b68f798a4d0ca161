//! What a chapter declares in `valores.yaml`: derived variables, derived frames
//! and named values, all by expressions.

use crate::yaml::{Entries, Located};
use serde::Deserialize;
use std::ops::Range;

/// The content of `valores.yaml`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Declarations {
    /// Derived columns, by frame and name.
    pub variables: Entries<Entries<Located<Definition>>>,
    /// Derived frames, by name.
    pub marcos: Entries<DerivedFrame>,
    /// Named values.
    pub valores: Entries<Located<Definition>>,
}

/// An expression, alone or with what is said of it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged, expecting = "se esperaba una expresión, o {expresion, descripcion, categorias}")]
pub enum Definition {
    /// Only the expression.
    Expression(String),
    /// The expression and more.
    Described(Described),
}

/// An expression with its description and, for a variable, its categories.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Described {
    /// Evaluated once for a value, for each row for a variable.
    pub expresion: String,
    /// What it means, for the catalogue and the page.
    #[serde(default)]
    pub descripcion: Option<String>,
    /// Categories of a variable, in the order and with the looks that they have in
    /// every table and figure.
    #[serde(default)]
    pub categorias: Vec<Category>,
}

impl Definition {
    /// The expression.
    pub fn expression(&self) -> &str {
        match self {
            Self::Expression(text) => text,
            Self::Described(described) => &described.expresion,
        }
    }

    /// What is said of it.
    pub fn description(&self) -> Option<&str> {
        match self {
            Self::Expression(_) => None,
            Self::Described(described) => described.descripcion.as_deref(),
        }
    }

    /// The categories of a variable.
    pub fn categories(&self) -> &[Category] {
        match self {
            Self::Expression(_) => &[],
            Self::Described(described) => &described.categorias,
        }
    }
}

impl Located<Definition> {
    /// Where the expression itself stands in `text`, the whole of the YAML file.
    pub fn expression_range(&self, text: &str) -> Range<usize> {
        let whole = text.get(self.range.clone()).unwrap_or_default();
        match whole.find(self.expression()) {
            Some(at) => {
                let start = self.range.start + at;
                start..start + self.expression().len()
            }
            None => self.range.clone(),
        }
    }
}

/// A category of a variable.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Category {
    /// The value of the variable.
    pub valor: String,
    /// Colour, `#rrggbb`.
    #[serde(default)]
    pub color: Option<String>,
}

/// A frame made from another one.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DerivedFrame {
    /// The frame it comes from.
    pub desde: Located<String>,
    /// Keeps the rows that fulfil it.
    #[serde(default)]
    pub filtro: Option<Located<String>>,
    /// One row for each value of this column, the first one of the new frame; the
    /// rows that share it are `grupo` in the other columns' expressions. Without
    /// it, one row for each row.
    #[serde(default)]
    pub agrupar: Option<Located<String>>,
    /// Columns, in order.
    #[serde(default)]
    pub columnas: Entries<Located<String>>,
    /// Keys of order; `-clave` reverses.
    #[serde(default)]
    pub orden: Vec<Located<String>>,
}
