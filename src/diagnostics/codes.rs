//! The catalogue of diagnostics: one name for each kind of fault, its usual
//! severity and a line that explains it.

use super::Severity;

/// A kind of fault. Its name is stable: books configure rules with it.
#[derive(Debug, Clone, Copy)]
pub struct Code {
    /// Stable name, in Spanish, as `book.toml` writes it.
    pub name: &'static str,
    /// The severity it has unless the book says otherwise.
    pub severity: Severity,
    /// What the rule guards, in one line of Spanish.
    pub summary: &'static str,
}

impl Code {
    /// Whether a book may change its severity: with any other fault the page would
    /// lack something or say something untrue.
    pub fn is_rule(&self) -> bool {
        self.severity == Severity::Warning || [code::DEAD_LINK, code::ASSERTION].contains(self)
    }
}

impl PartialEq for Code {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Code {}

macro_rules! catalogue {
    ($($constant:ident $severity:ident $name:literal $summary:literal)*) => {
        /// Every code, by its name in the program.
        #[allow(missing_docs, reason = "each constant's summary is its documentation")]
        pub mod code {
            use super::{Code, Severity};
            $(pub const $constant: Code = Code {
                name: $name,
                severity: Severity::$severity,
                summary: $summary,
            };)*
        }

        /// All the codes, in the order of the manual.
        pub const CATALOGUE: &[Code] = &[$(code::$constant),*];
    };
}

catalogue! {
    FILE Error "archivo" "un archivo falta, no se puede leer o no es texto UTF-8"
    UNKNOWN_KEY Error "clave-desconocida" "una clave de book.toml, del encabezado o de un YAML no existe"
    CONFIG Error "configuracion" "book.toml o SUMMARY.md no tienen la forma esperada"
    YAML Error "yaml" "un archivo YAML no se puede leer"
    CSV Error "csv" "un archivo CSV está mal formado"
    RESPONSE Error "respuesta-invalida" "una celda de la matriz de respuestas no es 0, 1 ni dato faltante"
    DUPLICATE_NAME Error "nombre-repetido" "un reactivo, examinado, columna o rótulo aparece dos veces"
    MISMATCH Error "datos-discordantes" "la matriz y los metadatos no describen a los mismos examinados"
    PROVENANCE Error "procedencia" "procedencia.yaml falta, está mal o no concuerda con los archivos"
    NO_PROVENANCE Warning "sin-procedencia" "una carpeta de datos no dice de dónde vienen"
    UNKNOWN_DIRECTIVE Error "directiva-desconocida" "una palabra tras << se parece a una directiva y no lo es"
    DIRECTIVE Error "directiva-mal-formada" "una directiva no está bien escrita o no se cierra"
    UNKNOWN_VALUE Error "valor-desconocido" "una expresión nombra un valor, marco o columna que no existe"
    UNDEFINED_VALUE Error "valor-sin-definir" "un valor no está definido para estos datos"
    EXPRESSION Error "expresion" "una expresión no se puede leer o evaluar"
    UNKNOWN_TABLE Error "tabla-desconocida" "se pide una tabla que no está declarada"
    UNKNOWN_FIGURE Error "figura-desconocida" "se pide una figura que no está declarada"
    UNKNOWN_LABEL Error "rotulo-desconocido" "una referencia no tiene destino"
    AMBIGUOUS_LABEL Error "rotulo-ambiguo" "una referencia tiene varios destinos en otros capítulos"
    ASSERTION Error "afirmacion-falsa" "una afirmación dejó de ser cierta"
    DEAD_LINK Error "enlace-roto" "un enlace interno o un ancla no existen"
    CITATION Error "cita-desconocida" "una clave de cita no está en la bibliografía"
    BIBLIOGRAPHY Error "bibliografia" "referencias.bib o referencias.yaml están mal formados"
    UNUSED_REFERENCE Warning "referencia-sin-usar" "una entrada de la bibliografía no se cita"
    OUTPUT Error "carpeta-de-salida" "la carpeta de salida no es nuestra o contiene las fuentes"
    PLACEHOLDER Error "marcador" "un marcador interno llegó a la página"
    UNUSED_VALUE Warning "valor-sin-usar" "un valor declarado no se usa"
    UNREFERENCED Warning "sin-referencia" "una figura o tabla no se menciona en el texto"
    NO_DESCRIPTION Warning "figura-sin-descripcion" "una figura no tiene descripción para quien no la ve"
    HAND_TYPED Warning "numero-a-mano" "un número escrito a mano coincide con un valor calculado"
    MIXED_PRECISION Warning "precision-distinta" "el mismo valor se imprime con precisiones distintas"
    ORPHAN_CHAPTER Warning "capitulo-huerfano" "un capítulo no está en SUMMARY.md"
    SIMULATED Warning "datos-simulados" "se publica un informe sobre datos simulados"
    NOT_CONVERGED Warning "sin-convergencia" "un modelo que el capítulo usa no convergió"
    INGEST Warning "envio-excluido" "una carpeta de resultados se excluye, con su motivo"
    INGEST_DOUBT Warning "envio-dudoso" "una carpeta de resultados se usa, aunque algo en ella merece atención"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_typable() {
        let mut names: Vec<_> = CATALOGUE.iter().map(|code| code.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), CATALOGUE.len());
        assert!(names.iter().all(|n| n.chars().all(|c| c.is_ascii_lowercase() || c == '-')));
    }
}
