//! Which values and columns an expression uses, found without evaluating it.

use super::{Fault, fault};
use minijinja::{Environment, Error, ErrorKind, Expression};
use std::collections::BTreeSet;

/// The names in an expression.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    /// Paths as written, longest form: `tct.kr20`, `reactivos.p`, `umbral`.
    pub paths: BTreeSet<String>,
    /// Names inside the texts that the expression passes to functions
    /// (`cuenta(reactivos, "r < 0")` gives `r`): columns, most likely. A text that
    /// is no expression contributes nothing.
    pub inner: BTreeSet<String>,
}

impl Names {
    /// Every name, outside and inside of texts.
    pub fn all(&self) -> impl Iterator<Item = &str> {
        self.paths.iter().chain(&self.inner).map(String::as_str)
    }

    /// Adds another expression's names.
    pub fn merge(&mut self, other: Names) {
        self.paths.extend(other.paths);
        self.inner.extend(other.inner);
    }
}

pub(super) fn analyse(environment: &Environment<'_>, text: &str) -> Result<Names, Fault> {
    let compiled = compile(environment, text).map_err(|error| fault(text, &error))?;
    let is_function = |path: &str| environment.globals().any(|(name, _)| name == path);
    let code = without_texts(text);
    // A column may have the name of a function: `anio(fecha)` calls it, `anio` does not.
    let paths = compiled.undeclared_variables(true).into_iter();
    let paths = paths.filter(|path| !is_function(path) || is_more_than_called(&code, path));
    let paths = paths.collect();
    let mut names = Names { paths, inner: BTreeSet::new() };
    for literal in string_literals(text) {
        let literal = literal.strip_prefix('-').unwrap_or(literal);
        if let Ok(inner) = analyse(environment, literal) {
            names.inner.extend(inner.paths);
            names.inner.extend(inner.inner);
        }
    }
    Ok(names)
}

/// Operators of an expression beyond which compiling it, one inside the other, could
/// exhaust the stack.
const MOST_OPERATORS: usize = 500;

/// Compiles an expression, unless it is one that nobody wrote by hand.
pub(super) fn compile<'a>(
    environment: &'a Environment<'a>,
    text: &'a str,
) -> Result<Expression<'a, 'a>, Error> {
    let code = without_texts(text);
    let signs = code.matches(['+', '-', '*', '/', '%', '~', '|', '<', '>', '=', '!']).count();
    let operator = |word: &str| ["and", "or", "not", "is", "in", "if"].contains(&word);
    let words = words(&code).filter(|(_, word)| operator(word)).count();
    if signs + words > MOST_OPERATORS {
        let message = format!("la expresión tiene más de {MOST_OPERATORS} operaciones");
        return Err(Error::new(ErrorKind::InvalidOperation, message));
    }
    environment.compile_expression(text)
}

/// Whether the expression is a name and nothing else: neither a number nor a constant.
pub(super) fn is_name(text: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let constants = ["true", "false", "none", "True", "False", "None"];
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && text.chars().all(is_word)
        && !constants.contains(&text)
}

/// Whether an expression says itself what an absent datum means: it names `none` or
/// `default` outside of its texts.
pub(super) fn deals_with_absence(text: &str) -> bool {
    words(&without_texts(text)).any(|(_, word)| word == "none" || word == "default")
}

/// Whether a name stands somewhere without the brackets of a call.
fn is_more_than_called(code: &str, name: &str) -> bool {
    let uses = words(code).filter(|(_, word)| *word == name);
    uses.into_iter().any(|(end, _)| !code[end..].trim_start().starts_with('('))
}

/// The words of an expression, each with where it ends.
fn words(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let words = code.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.map(|word| (word.as_ptr() as usize - code.as_ptr() as usize + word.len(), word))
}

/// An expression without what stands in its texts.
fn without_texts(text: &str) -> String {
    let (mut code, mut at) = (String::new(), 0);
    for literal in string_literals(text) {
        let start = literal.as_ptr() as usize - text.as_ptr() as usize;
        code += &text[at..start];
        at = start + literal.len();
    }
    code + &text[at..]
}

/// The contents of the quoted texts of an expression. Escapes are left as they
/// are: a name does not contain any.
fn string_literals(text: &str) -> Vec<&str> {
    let mut literals = vec![];
    let mut rest = text;
    while let Some(start) = rest.find(['"', '\'']) {
        let quote = rest.as_bytes()[start];
        let inside = &rest[start + 1..];
        let mut escaped = false;
        let end = inside.bytes().position(|byte| {
            let closes = byte == quote && !escaped;
            escaped = byte == b'\\' && !escaped;
            closes
        });
        let Some(end) = end else { break };
        literals.push(&inside[..end]);
        rest = &inside[end + 1..];
    }
    literals
}

#[cfg(test)]
mod tests {
    use super::super::Engine;

    fn names(text: &str) -> (Vec<String>, Vec<String>) {
        let names = Engine::new().names(text).unwrap();
        (names.paths.into_iter().collect(), names.inner.into_iter().collect())
    }

    #[test]
    fn paths_and_the_columns_in_texts_are_found() {
        let (paths, inner) =
            names("100 * cuenta(reactivos, \"infit > 1.3 and r_it < umbral\") / tct.k");
        assert_eq!(paths, ["reactivos", "tct.k"]);
        assert_eq!(inner, ["infit", "r_it", "umbral"]);
        assert_eq!(names("dim.phi[0] > media(reactivos.p)").0, ["dim.phi", "reactivos.p"]);
    }

    #[test]
    fn a_column_with_the_name_of_a_function_is_found() {
        assert_eq!(names("cuenta(examinados, 'anio >= 2025')").1, ["anio"]);
        assert_eq!(names("spearman(examinados, 'anio', 'theta')").1, ["anio", "theta"]);
        assert_eq!(names("anio(fecha) > 2024").0, ["fecha"]);
        assert_eq!(names("anio(fecha) > anio").0, ["anio", "fecha"]);
    }

    #[test]
    fn a_text_that_is_no_expression_contributes_nothing() {
        assert_eq!(names("familia == 'Línea base RAG (2023)'").1, Vec::<String>::new());
    }

    #[test]
    fn only_a_bare_none_deals_with_absence() {
        assert!(super::deals_with_absence("p is none"));
        assert!(super::deals_with_absence("p | default(0) > 1"));
        assert!(!super::deals_with_absence("familia != 'none'"));
        assert!(!super::deals_with_absence("nonestop > 1"));
        assert!(super::deals_with_absence("p is none and q != 'p is none'"));
    }

    #[test]
    fn an_expression_of_thousands_of_terms_is_refused() {
        for text in
            ["1+".repeat(20_000) + "1", "-".repeat(20_000) + "1", "not ".repeat(9_000) + "1"]
        {
            let fault = Engine::new().names(&text).unwrap_err();
            assert!(fault.message.contains("operaciones"), "{}", fault.message);
        }
        let list = format!("reactivo in [{}]", "'un-nombre-con-guiones', ".repeat(2_000));
        assert_eq!(names(&list).0, ["reactivo"]);
    }

    #[test]
    fn a_name_is_neither_a_number_nor_a_constant() {
        assert!(["p", "r_it", "_x", "año"].iter().all(|text| super::is_name(text)));
        assert!(
            !["2024", "true", "none", "p.q", "-p", "", "a b"].iter().any(|t| super::is_name(t))
        );
    }

    #[test]
    fn an_order_key_counts_as_a_column() {
        assert_eq!(names("ordena(reactivos, '-theta')").1, ["theta"]);
    }
}
