//! Why a value is not defined, in the reader's language.

use crate::psychometrics::Undefined;
use crate::psychometrics::comparison::NoTest;
use crate::psychometrics::irt::{DropReason, IrtError, Stop};

/// The reason in Spanish, without a final stop.
pub fn reason(undefined: &Undefined) -> String {
    match undefined {
        Undefined::ZeroVariance => "varianza 0".into(),
        Undefined::TooFew { needed, found } => {
            format!("hacen falta al menos {needed} datos y hay {found}")
        }
        Undefined::TooMany { most, found } => {
            format!("{found} son demasiados: se tratan hasta {most}")
        }
        Undefined::NoObservations => "no hay datos".into(),
        Undefined::UndefinedEntries { count } => format!("{count} pares no tienen valor"),
        Undefined::LengthMismatch { left, right } => {
            format!("las longitudes {left} y {right} no coinciden")
        }
        Undefined::NotFinite => "un dato no es un número finito".into(),
        Undefined::EqualQuartiles => "el primer y el tercer cuartil coinciden".into(),
        Undefined::NoConvergence => "la descomposición no convergió".into(),
    }
}

/// Why a model cannot be fitted, in Spanish.
pub fn irt_reason(error: &IrtError) -> String {
    match error {
        IrtError::NoExaminees => "ningún examinado tiene respuestas".into(),
        IrtError::OneExaminee => "un solo examinado: nada varía".into(),
        IrtError::TooFewItems { k, n_parameters, .. } => format!(
            "no hay grados de libertad: reactivos con varianza, {k}; parámetros, {n_parameters}"
        ),
        IrtError::InvalidPrior => {
            "la previa de las pendientes necesita una desviación positiva".into()
        }
        IrtError::InvalidOptions => "la tolerancia y los ciclos deben ser positivos".into(),
    }
}

/// Why there is no likelihood ratio test, in Spanish.
pub fn no_test_reason(refusal: &NoTest) -> String {
    match refusal {
        NoTest::Prior => "una razón de verosimilitudes no tiene sentido con una previa",
        NoTest::NotNested => "el segundo modelo no contiene al primero",
        NoTest::DifferentData => "los modelos no usan los mismos reactivos o examinados",
        NoTest::SmallerUnconverged => "el modelo menor no convergió",
        NoTest::Negative => "el modelo mayor tiene menor verosimilitud: no se ha maximizado",
    }
    .into()
}

/// Why an item is left out of a model, in Spanish.
pub fn drop_reason(reason: DropReason) -> &'static str {
    match reason {
        DropReason::AllCorrect => "todos lo aciertan",
        DropReason::AllWrong => "nadie lo acierta",
        DropReason::NoAnswers => "nadie lo responde",
    }
}

/// What ended the iterations of a fit, in Spanish.
pub fn stop_reason(stop: Stop) -> String {
    match stop {
        Stop::Tolerance => "tolerancia",
        Stop::VarianceAtBound => "la varianza latente llegó a cero: no hay factor común",
        Stop::SlopesDiverge => "hay pendientes que crecen sin fin",
        Stop::Cycles => "se agotaron los ciclos",
        Stop::NoProgress => "ningún paso mejora la verosimilitud",
    }
    .into()
}
