//! The functions of the expression language.
//!
//! Every aggregate takes a list (`media(reactivos.p)`) or a frame and an
//! expression evaluated for each of its rows (`media(reactivos, "p", donde="r < 0")`).
//! Rows without a datum are skipped.

use super::values::FrameValue;
use super::{not_defined, rows, truth, value_to_cell};
use crate::data::{Cell, Frame};
use crate::psychometrics::Undefined;
use crate::psychometrics::stats;
use crate::study::reasons::reason;
use minijinja::value::{Kwargs, Rest, ValueKind};
use minijinja::{Environment, Error, ErrorKind, State, Value};
use std::sync::Arc;

/// Every function and what it gives.
pub(super) const NAMES: &[(&str, &str)] = &[
    ("cuenta", "filas de un marco, que cumplen una condición, o datos de una lista"),
    ("suma", "suma"),
    ("media", "media aritmética"),
    ("mediana", "mediana"),
    ("minimo", "valor mínimo"),
    ("maximo", "valor máximo"),
    ("varianza", "varianza con divisor n - 1"),
    ("desviacion", "desviación estándar con divisor n - 1"),
    ("cuantil", "cuantil de tipo 7: cuantil(lista, 0.25)"),
    ("correlacion", "correlación de Pearson de dos listas o dos expresiones de un marco"),
    ("spearman", "correlación de Spearman con rangos medios"),
    ("filtra", "las filas de un marco que cumplen una condición"),
    ("ordena", "un marco ordenado por una o más claves; «-clave» invierte"),
    ("primeras", "las primeras n filas de un marco o datos de una lista"),
    ("busca", "una expresión en la primera fila que cumple una condición"),
    ("columna", "una expresión por fila, como lista"),
    ("unicos", "los valores distintos, en orden de aparición"),
    ("raiz", "raíz cuadrada"),
    ("ln", "logaritmo natural"),
    ("exp", "exponencial"),
    ("anio", "año de una fecha ISO"),
];

pub(super) fn register(environment: &mut Environment<'static>) {
    environment.add_function("cuenta", count);
    aggregate(environment, "suma", |x| Ok(x.iter().sum()));
    aggregate(environment, "media", stats::mean);
    aggregate(environment, "mediana", stats::median);
    aggregate(environment, "minimo", |x| stats::quantile7(x, 0.0));
    aggregate(environment, "maximo", |x| stats::quantile7(x, 1.0));
    aggregate(environment, "varianza", stats::variance);
    aggregate(environment, "desviacion", |x| stats::variance(x).map(f64::sqrt));
    environment.add_function("cuantil", quantile);
    association(environment, "correlacion", stats::pearson);
    association(environment, "spearman", stats::spearman);
    environment.add_function("filtra", filter);
    environment.add_function("ordena", order);
    environment.add_function("primeras", head);
    environment.add_function("busca", look_up);
    environment.add_function("columna", column);
    environment.add_function("unicos", distinct);
    real_function(environment, "raiz", f64::sqrt);
    real_function(environment, "ln", f64::ln);
    real_function(environment, "exp", f64::exp);
    environment.add_function("anio", year);
}

fn aggregate(
    environment: &mut Environment<'static>,
    name: &'static str,
    statistic: fn(&[f64]) -> Result<f64, Undefined>,
) {
    environment.add_function(
        name,
        move |state: &State, source: Value, text: Option<String>, options: Kwargs| {
            let data = data(state, &source, text.as_deref(), &options)?;
            options.assert_all_used()?;
            statistic(&numbers(name, &data)?).map_err(|why| not_defined(&reason(&why)))
        },
    );
}

fn real_function(
    environment: &mut Environment<'static>,
    name: &'static str,
    function: fn(f64) -> f64,
) {
    environment.add_function(name, move |x: f64| {
        let result = function(x);
        match result.is_finite() {
            true => Ok(result),
            false => Err(not_defined(&format!("{name}({x}) no existe"))),
        }
    });
}

fn association(
    environment: &mut Environment<'static>,
    name: &'static str,
    statistic: fn(&[f64], &[f64]) -> Result<f64, Undefined>,
) {
    environment.add_function(
        name,
        move |state: &State, args: Rest<Value>, options: Kwargs| -> Result<f64, Error> {
            let (x, y) = match &args[..] {
                [frame, x, y] => (
                    values(state, frame, Some(text(x)?), &options)?,
                    values(state, frame, Some(text(y)?), &options)?,
                ),
                [x, y] => (values(state, x, None, &options)?, values(state, y, None, &options)?),
                _ => {
                    return Err(invalid(format!(
                        "«{name}» pide dos listas, o un marco y dos expresiones"
                    )));
                }
            };
            options.assert_all_used()?;
            if x.len() != y.len() {
                return Err(invalid(format!(
                    "las dos listas tienen distinta longitud: {} y {}",
                    x.len(),
                    y.len()
                )));
            }
            let complete = x.into_iter().zip(y).filter_map(|(x, y)| Some((x?, y?)));
            let (x, y): (Vec<_>, Vec<_>) = complete.unzip();
            statistic(&numbers(name, &x)?, &numbers(name, &y)?)
                .map_err(|why| not_defined(&reason(&why)))
        },
    );
}

fn count(
    state: &State,
    source: Value,
    condition: Option<String>,
    options: Kwargs,
) -> Result<usize, Error> {
    let condition = match condition {
        Some(condition) => Some(condition),
        None => options.get("donde")?,
    };
    options.assert_all_used()?;
    match (FrameValue::frame(&source), condition) {
        (Some(frame), Some(text)) => Ok(matching(state, &frame?, &text)?.len()),
        (Some(frame), None) => Ok(frame?.n_rows()),
        (None, _) => Ok(list(&source)?.into_iter().flatten().count()),
    }
}

fn quantile(state: &State, args: Rest<Value>, options: Kwargs) -> Result<f64, Error> {
    let (data, q) = match &args[..] {
        [list, q] => (data(state, list, None, &options)?, q),
        [frame, expression, q] => (data(state, frame, Some(text(expression)?), &options)?, q),
        _ => return Err(invalid("«cuantil» pide una lista y un número entre 0 y 1".into())),
    };
    options.assert_all_used()?;
    let q = f64::try_from(q.clone())?;
    if !(0.0..=1.0).contains(&q) {
        return Err(invalid(format!("un cuantil está entre 0 y 1, no en {q}")));
    }
    stats::quantile7(&numbers("cuantil", &data)?, q).map_err(|why| not_defined(&reason(&why)))
}

fn filter(state: &State, source: Value, condition: &str) -> Result<Value, Error> {
    let frame = frame_of(&source)?;
    let kept = matching(state, &frame, condition)?;
    Ok(FrameValue::present(Arc::new(frame.select(&kept))))
}

fn order(state: &State, source: Value, keys: Rest<String>) -> Result<Value, Error> {
    let frame = frame_of(&source)?;
    let sorted = sorted_rows(&frame, &keys, |text, frame| row_values(state, text, frame))?;
    Ok(FrameValue::present(Arc::new(frame.select(&sorted))))
}

/// Row numbers ordered by keys, the first one first; `-key` reverses; ties keep
/// their order and missing cells go last either way.
pub(crate) fn sorted_rows(
    frame: &Arc<Frame>,
    keys: &[String],
    mut evaluate: impl FnMut(&str, &Arc<Frame>) -> Result<Vec<Option<Value>>, Error>,
) -> Result<Vec<usize>, Error> {
    let mut sorted: Vec<usize> = (0..frame.n_rows()).collect();
    for key in keys.iter().rev() {
        let (text, reverse) = match key.trim().strip_prefix('-') {
            Some(rest) => (rest, true),
            None => (key.as_str(), false),
        };
        let cells: Vec<Cell> = evaluate(text, frame)?
            .iter()
            .map(|value| value.as_ref().map_or(Cell::Missing, value_to_cell))
            .collect();
        sorted.sort_by(|&a, &b| {
            let (a, b) = (&cells[a], &cells[b]);
            let either_missing = a.is_missing() || b.is_missing();
            if reverse && !either_missing { b.order(a) } else { a.order(b) }
        });
    }
    Ok(sorted)
}

fn head(source: Value, n: usize) -> Result<Value, Error> {
    match FrameValue::frame(&source) {
        Some(frame) => {
            let frame = frame?;
            let rows: Vec<usize> = (0..frame.n_rows().min(n)).collect();
            Ok(FrameValue::present(Arc::new(frame.select(&rows))))
        }
        None => Ok(source.try_iter()?.take(n).collect()),
    }
}

fn look_up(
    state: &State,
    source: Value,
    expression: &str,
    condition: Option<String>,
) -> Result<Value, Error> {
    let frame = frame_of(&source)?;
    let rows = match condition {
        Some(condition) => matching(state, &frame, &condition)?,
        None => (0..frame.n_rows()).collect(),
    };
    let Some(&first) = rows.first() else {
        return Err(not_defined("ninguna fila cumple la condición"));
    };
    let row = Arc::new(frame.select(&[first]));
    let value = row_values(state, expression, &row)?.remove(0);
    Ok(value.unwrap_or(Value::from(())))
}

fn column(state: &State, source: Value, expression: &str) -> Result<Value, Error> {
    let frame = frame_of(&source)?;
    let cells = row_values(state, expression, &frame)?;
    Ok(cells.into_iter().map(|value| value.unwrap_or(Value::from(()))).collect())
}

fn distinct(
    state: &State,
    source: Value,
    expression: Option<String>,
    options: Kwargs,
) -> Result<Value, Error> {
    let data = data(state, &source, expression.as_deref(), &options)?;
    options.assert_all_used()?;
    let mut seen: Vec<Value> = vec![];
    for value in data {
        if !seen.contains(&value) {
            seen.push(value);
        }
    }
    Ok(Value::from(seen))
}

fn year(date: &str) -> Result<i64, Error> {
    date.parse::<jiff::civil::Date>()
        .map(|date| i64::from(date.year()))
        .map_err(|_| invalid(format!("«{date}» no es una fecha ISO (2025-10-26)")))
}

/// The data of a list, or of an expression over the rows of a frame: what is
/// there, without the rows that lack it.
fn data(
    state: &State,
    source: &Value,
    text: Option<&str>,
    options: &Kwargs,
) -> Result<Vec<Value>, Error> {
    Ok(values(state, source, text, options)?.into_iter().flatten().collect())
}

fn values(
    state: &State,
    source: &Value,
    text: Option<&str>,
    options: &Kwargs,
) -> Result<Vec<Option<Value>>, Error> {
    let condition: Option<String> = options.get("donde")?;
    let Some(frame) = FrameValue::frame(source) else {
        return list(source);
    };
    let mut frame = frame?;
    if let Some(condition) = condition {
        frame = Arc::new(frame.select(&matching(state, &frame, &condition)?));
    }
    let Some(text) = text else {
        return Err(invalid("falta la expresión que se calcula en cada fila del marco".into()));
    };
    row_values(state, text, &frame)
}

fn list(source: &Value) -> Result<Vec<Option<Value>>, Error> {
    match source.kind() {
        ValueKind::Seq | ValueKind::Iterable => {
            Ok(source.try_iter()?.map(|value| (!value.is_none()).then_some(value)).collect())
        }
        kind => Err(invalid(format!(
            "se esperaba una lista o un marco y resultó {}",
            super::kind_name(kind)
        ))),
    }
}

fn row_values(state: &State, text: &str, frame: &Arc<Frame>) -> Result<Vec<Option<Value>>, Error> {
    rows(state.env(), text, frame, &|name| state.lookup(name))
}

fn matching(state: &State, frame: &Arc<Frame>, condition: &str) -> Result<Vec<usize>, Error> {
    let mut kept = vec![];
    for (row, value) in row_values(state, condition, frame)?.iter().enumerate() {
        if let Some(value) = value
            && truth(value)?
        {
            kept.push(row);
        }
    }
    Ok(kept)
}

fn frame_of(source: &Value) -> Result<Arc<Frame>, Error> {
    FrameValue::frame(source).unwrap_or_else(|| {
        Err(invalid(format!("se esperaba un marco y resultó {}", super::kind_name(source.kind()))))
    })
}

fn numbers(function: &str, values: &[Value]) -> Result<Vec<f64>, Error> {
    values
        .iter()
        .map(|value| match value.kind() {
            ValueKind::Number => f64::try_from(value.clone()),
            ValueKind::Bool => Ok(f64::from(u8::from(value.is_true()))),
            kind => Err(invalid(format!(
                "«{function}» pide números y encontró {}: {value}",
                super::kind_name(kind)
            ))),
        })
        .collect()
}

fn text(value: &Value) -> Result<&str, Error> {
    value.as_str().ok_or_else(|| invalid("se esperaba una expresión entre comillas".into()))
}

fn invalid(message: String) -> Error {
    Error::new(ErrorKind::InvalidOperation, message)
}
