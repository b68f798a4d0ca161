//! The expression language: minijinja expressions over values and frames.
//!
//! One language serves inline values, filters, table columns, assertions,
//! conditions and derived variables. An expression is first analysed
//! ([`Engine::names`]), so that the study knows what to compute, and then
//! evaluated against a [`Scope`].
//!
//! A value that is not defined for the data (a correlation with an item of zero
//! variance) raises its reason wherever it is used. A missing cell of a frame
//! makes the row's result missing, as in SQL, unless the expression itself deals
//! with absence by naming `none` or `default`.

mod comparisons;
pub(super) mod functions;
mod names;
mod spanish;
mod values;

pub use names::Names;
pub use values::{FrameValue, Namespace, cell_to_value, value_to_cell};

use crate::data::{Cell, Frame};
use minijinja::value::{Object, ValueKind};
use minijinja::{Environment, Error, ErrorKind, UndefinedBehavior, Value};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// What an expression can name: values, namespaces of values, and frames.
#[derive(Debug, Default)]
pub struct Scope(BTreeMap<String, Value>);

impl Scope {
    /// Adds or replaces a name.
    pub fn set(&mut self, name: impl Into<String>, value: Value) {
        self.0.insert(name.into(), value);
    }

    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }
}

impl Object for Scope {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.0.get(key.as_str()?).cloned()
    }
}

/// Why an expression gives no result.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// The kind of failure.
    pub kind: FaultKind,
    /// What happened, in Spanish.
    pub message: String,
    /// How to mend it: the nearest name.
    pub hint: Option<String>,
    /// The part of the expression to blame, in bytes, when it is known.
    pub range: Option<Range<usize>>,
    /// The column that the frame has not, of those that were computed; the chapter may
    /// have others to suggest.
    pub column: Option<String>,
}

impl Fault {
    /// A cell that the data lack, where a value has to be printed.
    pub fn no_datum() -> Self {
        let message = "ese dato falta en los datos o no se puede calcular".to_owned();
        Self::new(FaultKind::Undefined, message)
    }

    /// A fault of the whole expression.
    pub fn new(kind: FaultKind, message: String) -> Self {
        Self { kind, message, hint: None, range: None, column: None }
    }
}

/// Kinds of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// The text is not an expression.
    Syntax,
    /// A value or column that does not exist.
    UnknownName,
    /// A value that exists but is not defined for these data.
    Undefined,
    /// Anything else that evaluation found wrong.
    Evaluation,
}

/// Marks an error as "not defined for these data", with the reason.
#[derive(Debug, Clone)]
pub(crate) struct NotDefined(pub String);

impl std::fmt::Display for NotDefined {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotDefined {}

/// Marks an error as "no such name", with the nearest one.
#[derive(Debug, Clone)]
struct NoSuchName {
    message: String,
    hint: Option<String>,
    column: Option<String>,
}

impl std::fmt::Display for NoSuchName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for NoSuchName {}

/// The value that raises `reason` as soon as an expression uses it.
pub(crate) fn undefined(reason: &str) -> Value {
    Value::from(not_defined(reason))
}

pub(crate) fn not_defined(reason: &str) -> Error {
    Error::new(ErrorKind::InvalidOperation, reason.to_owned())
        .with_source(NotDefined(reason.to_owned()))
}

fn no_such_value(path: &str, hint: Option<String>) -> Error {
    let message = format!("no existe el valor «{path}»");
    Error::new(ErrorKind::InvalidOperation, message.clone()).with_source(NoSuchName {
        message,
        hint,
        column: None,
    })
}

fn no_such_column(column: &str, hint: Option<String>) -> Error {
    let message = format!("no existe la columna «{column}»");
    let column = Some(column.to_owned());
    Error::new(ErrorKind::InvalidOperation, message.clone()).with_source(NoSuchName {
        message,
        hint,
        column,
    })
}

/// Compiles and evaluates expressions.
#[derive(Debug)]
pub struct Engine {
    environment: Environment<'static>,
}

impl Default for Engine {
    fn default() -> Self {
        Self::new()
    }
}

impl Engine {
    /// An engine with the functions of the language.
    pub fn new() -> Self {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        functions::register(&mut environment);
        Self { environment }
    }

    pub(super) fn environment(&self) -> &Environment<'static> {
        &self.environment
    }

    /// Names of the functions, for the manual and for hints.
    pub fn functions(&self) -> impl Iterator<Item = &'static str> + Clone {
        functions::NAMES.iter().map(|&(name, _)| name)
    }

    /// What the expression names, itself and in the texts it passes to functions.
    pub fn names(&self, text: &str) -> Result<Names, Fault> {
        names::analyse(&self.environment, text)
    }

    /// Evaluates the expression once.
    pub fn eval(&self, text: &str, scope: &Arc<Scope>) -> Result<Value, Fault> {
        let compiled =
            names::compile(&self.environment, text).map_err(|error| fault(text, &error))?;
        let context = Value::from_dyn_object(scope.clone());
        let value = compiled.eval(context.clone()).and_then(settled);
        let checked = value
            .and_then(|value| comparisons::check(&self.environment, text, &context).map(|_| value));
        checked.map_err(|error| fault(text, &error))
    }

    /// Evaluates a condition.
    pub fn holds(&self, text: &str, scope: &Arc<Scope>) -> Result<bool, Fault> {
        let value = self.eval(text, scope)?;
        truth(&value).map_err(|error| fault(text, &error))
    }

    /// Evaluates the expression for each row of a frame, its columns being
    /// variables; rows that lack a datum give `None`.
    pub fn eval_rows(
        &self,
        text: &str,
        frame: &Arc<Frame>,
        scope: &Arc<Scope>,
    ) -> Result<Vec<Option<Value>>, Fault> {
        let outer = |name: &str| scope.get(name).cloned();
        rows(&self.environment, text, frame, &outer).map_err(|error| fault(text, &error))
    }
}

/// Evaluates `text` for each row of `frame`; names that are not columns come from
/// `outer`.
pub(crate) fn rows(
    environment: &Environment<'_>,
    text: &str,
    frame: &Arc<Frame>,
    outer: &dyn Fn(&str) -> Option<Value>,
) -> Result<Vec<Option<Value>>, Error> {
    // Most of what tables and figures ask for is a column as it is.
    if let Some(cells) = names::is_name(text.trim()).then(|| frame.column(text.trim())).flatten() {
        let value = |cell: &Cell| match cell.is_missing() {
            true => Ok(None),
            false => settled(cell_to_value(cell)).map(Some),
        };
        return cells.iter().map(value).collect();
    }
    let compiled = names::compile(environment, text)?;
    let (columns, others): (Vec<_>, Vec<_>) =
        compiled.undeclared_variables(false).into_iter().partition(|n| frame.column(n).is_some());
    let mut captured = BTreeMap::new();
    for name in others {
        match outer(&name) {
            Some(value) => drop(captured.insert(name, value)),
            None if environment.globals().any(|(global, _)| global == name) => {}
            None => return Err(unknown_column(&name, frame)),
        }
    }
    let handles_absence = names::deals_with_absence(text);
    let captured = Arc::new(captured);
    let mut judged = false;
    (0..frame.n_rows())
        .map(|row| {
            let lacks = |name: &String| frame.cell(row, name).is_none_or(|c| c.is_missing());
            if !handles_absence && columns.iter().any(lacks) {
                return Ok(None);
            }
            let context = Row { frame: frame.clone(), row, outer: captured.clone() };
            let context = Value::from_object(context);
            let value = settled(compiled.eval(context.clone())?)?;
            // A column is of one kind: what a row without gaps tells holds of all.
            if !judged {
                judged = comparisons::check(environment, text, &context)?;
            }
            Ok((!value.is_none()).then_some(value))
        })
        .collect()
}

fn unknown_column(name: &str, frame: &Frame) -> Error {
    let hint = crate::diagnostics::did_you_mean(name, frame.names());
    no_such_column(name, hint)
}

/// A row of a frame as evaluation context.
#[derive(Debug)]
struct Row {
    frame: Arc<Frame>,
    row: usize,
    outer: Arc<BTreeMap<String, Value>>,
}

impl Object for Row {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let name = key.as_str()?;
        let cell = self.frame.cell(self.row, name).map(cell_to_value);
        cell.or_else(|| self.outer.get(name).cloned())
    }
}

/// Refuses results that are no result: errors in disguise, NaN and infinity.
fn settled(value: Value) -> Result<Value, Error> {
    match value.kind() {
        // A list that checks its items is the public way to get the error out.
        ValueKind::Invalid => Value::from(vec![value]).try_iter()?.checked().collect(),
        ValueKind::Undefined => {
            Err(Error::new(ErrorKind::UndefinedError, "la expresión no da ningún valor"))
        }
        ValueKind::Number if f64::try_from(value.clone()).is_ok_and(|x| !x.is_finite()) => {
            Err(not_defined("el resultado no es un número finito (¿división entre cero?)"))
        }
        _ => Ok(value),
    }
}

/// The truth of a condition: true and false, and the 1 and 0 that columns store
/// them as. Any other value is a forgotten comparison, not a truth.
pub(crate) fn truth(value: &Value) -> Result<bool, Error> {
    let number = || f64::try_from(value.clone()).ok();
    match value.kind() {
        ValueKind::Bool => Ok(value.is_true()),
        ValueKind::Number if number() == Some(1.0) => Ok(true),
        ValueKind::Number if number() == Some(0.0) => Ok(false),
        kind => Err(Error::new(
            ErrorKind::InvalidOperation,
            format!("se esperaba verdadero o falso y resultó {}", kind_name(kind)),
        )),
    }
}

/// What a value is, in Spanish.
pub fn kind_name(kind: ValueKind) -> &'static str {
    match kind {
        ValueKind::Undefined => "un nombre sin definir",
        ValueKind::None => "un dato ausente",
        ValueKind::Bool => "verdadero o falso",
        ValueKind::Number => "un número",
        ValueKind::String => "un texto",
        ValueKind::Seq | ValueKind::Iterable => "una lista",
        _ => "un marco o grupo de valores",
    }
}

pub(crate) fn fault(text: &str, error: &Error) -> Fault {
    let range = error.range().filter(|range| range.end <= text.len() && range.start < range.end);
    let fault = |kind, message| Fault { range: range.clone(), ..Fault::new(kind, message) };
    let mut reason: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(current) = reason {
        if let Some(NotDefined(message)) = current.downcast_ref() {
            return fault(FaultKind::Undefined, message.clone());
        }
        if let Some(NoSuchName { message, hint, column }) = current.downcast_ref() {
            let (hint, column) = (hint.clone(), column.clone());
            return Fault { hint, column, ..fault(FaultKind::UnknownName, message.clone()) };
        }
        reason = current.source();
    }
    // Names are known before anything is evaluated: what is left is the place.
    if error.kind() == ErrorKind::UndefinedError && text.contains('[') {
        let message = "la lista no tiene tantos elementos".to_owned();
        return fault(FaultKind::Undefined, message);
    }
    let (kind, message) = spanish::explain(error);
    fault(kind, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope() -> Arc<Scope> {
        let frame = Frame::new(4)
            .with("reactivo", ["a__1", "a__2", "b__1", "b__2"])
            .with("p", [0.1, 0.5, 0.25, 0.75])
            .with("r", [Some(-0.2), None, Some(0.3), Some(0.6)]);
        let values = [
            ("kr20", Value::from(0.99)),
            ("r_mediana", undefined("varianza 0")),
            ("lista", Value::from(vec![4.0, 2.0])),
        ];
        let values = values.map(|(name, value)| (name.to_owned(), value));
        let tct = Namespace::new("tct", values.into());
        let mut scope = Scope::default();
        scope.set("tct", Value::from_object(tct));
        scope.set("reactivos", FrameValue::present(Arc::new(frame)));
        scope.set("entorno", FrameValue::absent("entorno.csv"));
        scope.set("umbral", Value::from(0.3));
        Arc::new(scope)
    }

    fn eval(text: &str) -> Result<Value, Fault> {
        Engine::new().eval(text, &scope())
    }

    fn number(text: &str) -> f64 {
        f64::try_from(eval(text).unwrap()).unwrap()
    }

    #[test]
    fn values_and_arithmetic() {
        assert_eq!(number("100 * tct.kr20"), 99.0);
        assert_eq!(number("tct.lista[0] / tct.lista[1]"), 2.0);
        assert!(eval("tct.kr20 > 0.9 and umbral < 1").unwrap().is_true());
    }

    #[test]
    fn aggregates_skip_missing_cells() {
        assert_eq!(number("cuenta(reactivos)"), 4.0);
        assert_eq!(number("cuenta(reactivos.r)"), 3.0);
        assert_eq!(number("cuenta(reactivos, 'r < 0.4')"), 2.0);
        assert_eq!(number("cuenta(reactivos, 'r is none')"), 1.0);
        assert_eq!(number("media(reactivos.p)"), 0.4);
        assert_eq!(number("media(reactivos, 'p', donde='p > umbral')"), 0.625);
        assert_eq!(number("suma(reactivos, '2 * p')"), 3.2);
        assert_eq!(number("mediana(reactivos, 'p')"), 0.375);
        assert_eq!(number("maximo(reactivos.r)"), 0.6);
    }

    #[test]
    fn rows_can_be_filtered_ordered_and_looked_up() {
        let text = "busca(ordena(filtra(reactivos, 'p > 0.2'), '-p'), 'reactivo')";
        assert_eq!(eval(text).unwrap().as_str(), Some("b__2"));
        assert_eq!(eval("busca(reactivos, 'reactivo', 'r < 0')").unwrap().as_str(), Some("a__1"));
        assert_eq!(number("cuenta(filtra(reactivos, \"(reactivo|split('__'))[0] == 'b'\"))"), 2.0);
        assert_eq!(number("reactivos.n_filas"), 4.0);
    }

    #[test]
    fn an_undefined_value_raises_its_reason_wherever_it_is_used() {
        for text in ["tct.r_mediana", "tct.r_mediana > 0", "1 + tct.r_mediana", "[tct.r_mediana]"] {
            let found = eval(text).unwrap_err();
            assert_eq!(
                (found.kind, &*found.message),
                (FaultKind::Undefined, "varianza 0"),
                "{text}"
            );
        }
        for text in ["1 / 0", "raiz(-1) < 3", "ln(0) < 3", "exp(1000) > 3"] {
            assert_eq!(eval(text).unwrap_err().kind, FaultKind::Undefined, "{text}");
        }
    }

    #[test]
    fn an_absent_frame_says_so_and_answers_whether_it_is_there() {
        assert!(!eval("entorno.disponible").unwrap().is_true());
        assert!(eval("reactivos.disponible").unwrap().is_true());
        assert!(eval("cuenta(entorno)").unwrap_err().message.contains("entorno.csv"));
    }

    #[test]
    fn unknown_names_are_found_in_rows_too() {
        let found = eval("cuenta(reactivos, 'pp < 0')").unwrap_err();
        assert_eq!(found.kind, FaultKind::UnknownName);
        assert_eq!(found.hint.as_deref(), Some("¿quiso decir «p»?"), "{}", found.message);
        assert_eq!(eval("kr20").unwrap_err().kind, FaultKind::UnknownName);
        // A row whose datum is absent is guarded, and says nothing of the others.
        assert_eq!(number("cuenta(reactivos, 'r is not none and r > 0.2')"), 2.0);
        let guarded = eval("cuenta(reactivos, \"r is not none and r > 'a'\")").unwrap_err();
        assert!(guarded.message.contains("no se pueden comparar"), "{}", guarded.message);
        for beyond in ["tct.lista[7]", "tct.lista[7] > 1"] {
            assert_eq!(eval(beyond).unwrap_err().message, "la lista no tiene tantos elementos");
        }
        assert_eq!(eval("tct.nada > 1").unwrap_err().kind, FaultKind::UnknownName);
        assert_eq!(eval("1 +").unwrap_err().kind, FaultKind::Syntax);
    }

    #[test]
    fn a_condition_must_be_true_or_false() {
        let engine = Engine::new();
        assert!(engine.holds("umbral < 1", &scope()).unwrap());
        assert!(engine.holds("umbral", &scope()).is_err());
    }
}
