//! What the evaluator says of a bad expression, in Spanish.

use super::FaultKind;
use minijinja::{Error, ErrorKind};

/// The kind of an error of the evaluator, and its message.
pub(super) fn explain(error: &Error) -> (FaultKind, String) {
    let detail = error.detail().unwrap_or_default();
    // «promedio is unknown», «`puntaje` is undefined».
    let name = detail.split([' ', '`']).find(|word| !word.is_empty()).unwrap_or_default();
    let unknown = |what: &str| (FaultKind::UnknownName, format!("no existe {what} «{name}»"));
    match error.kind() {
        ErrorKind::SyntaxError => (FaultKind::Syntax, syntax(detail)),
        // Ours, which has no name in it.
        ErrorKind::UndefinedError if !detail.contains("is undefined") => {
            (FaultKind::UnknownName, detail.to_owned())
        }
        ErrorKind::UndefinedError => unknown("el nombre"),
        ErrorKind::UnknownFunction => unknown("la función"),
        // «filter promedio is unknown».
        ErrorKind::UnknownFilter | ErrorKind::UnknownTest => {
            let named = detail.split(' ').nth(1).filter(|_| detail.ends_with("is unknown"));
            let what =
                if error.kind() == ErrorKind::UnknownFilter { "el filtro" } else { "la prueba" };
            (FaultKind::UnknownName, format!("no existe {what} «{}»", named.unwrap_or(name)))
        }
        ErrorKind::UnknownMethod => (FaultKind::UnknownName, "ese método no existe".to_owned()),
        ErrorKind::MissingArgument => (FaultKind::Evaluation, "falta un argumento".to_owned()),
        ErrorKind::TooManyArguments => (FaultKind::Evaluation, "sobran argumentos".to_owned()),
        _ => operation(detail),
    }
}

fn operation(detail: &str) -> (FaultKind, String) {
    if let Some(rest) = detail.strip_prefix("unable to calculate ") {
        return (FaultKind::Undefined, format!("no se puede calcular {rest}"));
    }
    // «tried to use + operator on unsupported types string and number».
    if let Some((operator, types)) = detail
        .strip_prefix("tried to use ")
        .and_then(|rest| rest.split_once(" operator on unsupported types "))
    {
        let types = types.split(" (").next().unwrap_or(types);
        let (left, right) = types.split_once(" and ").unwrap_or((types, ""));
        let message =
            format!("«{operator}» no se puede aplicar a {} y {}", kind(left), kind(right));
        return (FaultKind::Evaluation, message);
    }
    match detail {
        "" => (FaultKind::Evaluation, "la expresión no se puede evaluar".to_owned()),
        detail => (FaultKind::Evaluation, detail.to_owned()),
    }
}

fn kind(name: &str) -> &str {
    match name {
        "undefined" => "un nombre sin definir",
        "none" => "un dato ausente",
        "bool" => "verdadero o falso",
        "number" => "un número",
        "string" => "un texto",
        "sequence" | "iterator" => "una lista",
        "map" | "plain object" => "un marco o grupo de valores",
        other => other,
    }
}

/// «unexpected end of input, expected `)`».
fn syntax(detail: &str) -> String {
    let Some((found, wanted)) =
        detail.strip_prefix("unexpected ").and_then(|rest| rest.split_once(", expected "))
    else {
        return match detail {
            "unexpected input after expression" => "sobra algo al final de la expresión".to_owned(),
            "unexpected character" => "hay un signo que la expresión no admite".to_owned(),
            "unexpected end of string" => "hay un texto sin cerrar en la expresión".to_owned(),
            "" => "la expresión no se puede leer".to_owned(),
            detail => format!("la expresión no se puede leer: {}", token(detail)),
        };
    };
    match (found, wanted) {
        ("end of input", "expression") => "la expresión está vacía o incompleta".to_owned(),
        ("end of input", wanted) => format!("la expresión termina y falta {}", token(wanted)),
        (found, "end of input") => format!("sobra {} en la expresión", token(found)),
        (found, wanted) => {
            format!("se esperaba {} y hay {} en la expresión", token(wanted), token(found))
        }
    }
}

fn token(name: &str) -> String {
    match name {
        "end of input" => "el final".to_owned(),
        "expression" => "un valor".to_owned(),
        "identifier" => "un nombre".to_owned(),
        "string" => "un texto".to_owned(),
        "integer" | "float" => "un número".to_owned(),
        other => other
            .replace('`', "")
            .split(' ')
            .map(|sign| format!("«{sign}»"))
            .collect::<Vec<_>>()
            .join(" "),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Engine, Scope};

    #[test]
    fn a_bad_expression_is_explained_without_english() {
        let engine = Engine::new();
        let scope = std::sync::Arc::new(Scope::default());
        let message = |text: &str| engine.eval(text, &scope).unwrap_err().message;
        assert_eq!(message(""), "la expresión está vacía o incompleta");
        assert_eq!(message("100 * (1"), "la expresión termina y falta «)»");
        assert_eq!(message("1 2"), "sobra algo al final de la expresión");
        assert_eq!(message("promedio(1)"), "no existe la función «promedio»");
        assert_eq!(message("1 | promedio"), "no existe el filtro «promedio»");
        assert_eq!(message("'a' + 1"), "«+» no se puede aplicar a un texto y un número");
        assert_eq!(message("1 / 0"), "no se puede calcular 1 / 0");
    }
}
