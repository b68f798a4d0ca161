//! Why a value is not defined, in the reader's language.

use crate::psychometrics::Undefined;

/// The reason in Spanish, without a final stop.
pub fn reason(undefined: &Undefined) -> String {
    match undefined {
        Undefined::ZeroVariance => "varianza 0".into(),
        Undefined::TooFew { needed, found } => {
            format!("hacen falta al menos {needed} datos y hay {found}")
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
