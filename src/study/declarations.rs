//! What a chapter declares in `valores.yaml`: derived variables, derived frames
//! and named values, all by expressions.

use super::catalogue;
use crate::diagnostics::{Diagnostic, Diagnostics, Source, code};
use crate::yaml::{self, Entries, Located};
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
#[derive(Debug, Clone, PartialEq)]
pub enum Definition {
    /// Only the expression.
    Expression(String),
    /// The expression and more.
    Described(Described),
}

impl<'de> Deserialize<'de> for Definition {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        yaml::short_or_long(deserializer, Self::Expression, Self::Described)
    }
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
    ///
    /// YAML gives a mapping no end, and may fold a text over several lines: the
    /// expression is looked for after the start, and its first line is enough.
    pub fn expression_range(&self, text: &str) -> Range<usize> {
        let rest = text.get(self.range.start..).unwrap_or_default();
        let key = match &self.value {
            Definition::Expression(_) => 0,
            Definition::Described(_) => rest.find("expresion:").map_or(0, |at| at + 10),
        };
        let first_word = self.expression().split(['\n', ' ']).next().unwrap_or_default();
        [self.expression(), first_word]
            .iter()
            .filter(|wanted| !wanted.is_empty())
            .find_map(|wanted| Some((rest[key..].find(wanted)?, wanted.len())))
            .map_or(self.range.clone(), |(at, length)| {
                let start = self.range.start + key + at;
                start..start + length
            })
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
    /// How many rows stay, the first ones in that order; all of them without it.
    #[serde(default)]
    pub limite: Option<usize>,
}

/// What is wrong with the declarations as they stand, before anything is computed.
pub fn check(declarations: &Declarations, source: &Source) -> Diagnostics {
    let mut found = Diagnostics::new();
    for (name, _) in declarations.valores.iter() {
        let taken = catalogue::value(name).map(|entry| entry.meaning);
        check_name(name, "un valor", taken, source, &mut found);
    }
    for (name, derived) in declarations.marcos.iter() {
        let taken = catalogue::is_reserved(name).then_some("un marco o un grupo");
        check_name(name, "un marco", taken, source, &mut found);
        for (column, _) in derived.columnas.iter() {
            check_name(column, "una columna", None, source, &mut found);
        }
    }
    for (frame, variables) in declarations.variables.iter() {
        for (name, variable) in variables.iter() {
            let taken = catalogue::column(frame, name).map(|entry| entry.meaning);
            check_name(name, "una variable", taken, source, &mut found);
            let colours = variable.categories().iter().filter_map(|one| one.color.as_deref());
            colours.for_each(|one| check_colour(one, variable.range.start, source, &mut found));
        }
    }
    found
}

/// A name must be usable in an expression and mean one thing.
fn check_name(
    name: &Located<String>,
    what: &str,
    taken: Option<&str>,
    source: &Source,
    found: &mut Diagnostics,
) {
    let word = |part: &str| {
        part.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    if !name.split('.').all(word) {
        let message = format!("«{}» no puede ser el nombre de {what}", name.value);
        let hint = "use letras, cifras y guiones bajos, sin empezar por cifra";
        let finding = Diagnostic::new(code::YAML, name.place(source), message);
        found.push(finding.hint(Some(hint.to_owned())));
    }
    if let Some(meaning) = taken {
        let message = format!("«{}» ya existe y se calcula: {meaning}", name.value);
        let finding = Diagnostic::new(code::DUPLICATE_NAME, name.place(source), message);
        found.push(finding.hint(Some("elija otro nombre".to_owned())));
    }
}

/// `after` is where its variable is declared: the first such text there is it.
fn check_colour(colour: &str, after: usize, source: &Source, found: &mut Diagnostics) {
    let digits = colour.strip_prefix('#').unwrap_or_default();
    if digits.len() != 6 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        let at = source.text()[after..].find(colour).map_or(after, |at| after + at);
        let message = format!("«{colour}» no es un color");
        let finding = Diagnostic::new(code::YAML, source.place(at..at + colour.len()), message);
        found.push(finding.hint(Some("escriba seis cifras hexadecimales: \"#2a78d6\"".into())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(text: &str) -> Vec<(usize, String)> {
        let source = Source::new("valores.yaml", text);
        let found = check(&crate::yaml::parse(&source).unwrap(), &source);
        found.iter().map(|one| (one.place.order().1, one.message.clone())).collect()
    }

    #[test]
    fn a_name_must_be_a_word_and_new_and_a_colour_a_colour() {
        let found = checked(
            "valores:\n  n total: '1'\n  tct.kr20: '2'\n  tct.propio: '3'\nvariables:\n  reactivos:\n    \
             r_it: '1'\n    zona: {expresion: '1', categorias: [{valor: a, color: verde}, {valor: b, color: '#00ff00'}]}\n",
        );
        assert_eq!(found.iter().map(|one| one.0).collect::<Vec<_>>(), [2, 3, 7, 8], "{found:?}");
    }

    #[test]
    fn an_expression_is_found_after_its_key() {
        let text = "valores:\n  p:\n    expresion: p\n    descripcion: p\n  q: 1 + p\n";
        let source = Source::new("valores.yaml", text);
        let declared: Declarations = crate::yaml::parse(&source).unwrap();
        let place = |name: &str| {
            let range = declared.valores.get(name).unwrap().expression_range(text);
            (source.line_column(range.start), text[range].to_owned())
        };
        assert_eq!(place("p"), ((3, 16), "p".to_owned()));
        assert_eq!(place("q"), ((5, 6), "1 + p".to_owned()));
    }
}
