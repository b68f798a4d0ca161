//! Every fixed word that a page shows, in one table, and dates in Spanish.

use jiff::civil::Date;
use serde::Serialize;

/// The words of the pages; templates know them as `palabras.X`.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs, reason = "each field is the word that it names")]
pub struct Words {
    pub anterior: &'static str,
    pub borrador: &'static str,
    pub citar: &'static str,
    pub commit: &'static str,
    pub contenido: &'static str,
    pub copiado: &'static str,
    pub copiar: &'static str,
    pub datos_csv: &'static str,
    pub datos_simulados: &'static str,
    pub descripcion: &'static str,
    pub editar: &'static str,
    pub enlace_seccion: &'static str,
    pub filtrar: &'static str,
    pub huella: &'static str,
    pub motor: &'static str,
    pub no_encontrada: &'static str,
    pub no_encontrada_texto: &'static str,
    pub nota: &'static str,
    pub nota_simulados: &'static str,
    pub notas: &'static str,
    pub origen: &'static str,
    pub partes: &'static str,
    pub puntos: &'static str,
    pub repositorio: &'static str,
    pub saltar: &'static str,
    pub siguiente: &'static str,
    pub tabla: &'static str,
    pub tema: &'static str,
    pub valores: &'static str,
    pub valores_json: &'static str,
    pub valores_texto: &'static str,
    pub ver_codigo: &'static str,
    pub volver: &'static str,
}

/// Spanish.
pub const SPANISH: Words = Words {
    anterior: "Anterior",
    borrador: "Borrador",
    citar: "Cómo citar",
    commit: "revisión",
    contenido: "En esta página",
    copiado: "Copiado",
    copiar: "Copiar como Markdown",
    datos_csv: "Datos (CSV)",
    datos_simulados: "Datos simulados.",
    descripcion: "Descripción de la figura",
    editar: "Editar esta página",
    enlace_seccion: "Enlace a esta sección",
    filtrar: "Filtrar filas",
    huella: "SHA-256",
    motor: "Hecho con Escritura",
    no_encontrada: "Página no encontrada",
    no_encontrada_texto: "La dirección no corresponde a ninguna página de este sitio.",
    nota: "Nota.",
    nota_simulados: "Los números de esta página salen de datos generados por computadora \
                     para mostrar el informe; no describen a ningún sistema real.",
    notas: "Notas",
    origen: "Procedencia",
    partes: "Capítulos",
    puntos: "Las flechas izquierda y derecha recorren los datos.",
    repositorio: "Código fuente",
    saltar: "Saltar al contenido",
    siguiente: "Siguiente",
    tabla: "Tabla",
    tema: "Cambiar entre claro y oscuro",
    valores: "Valores de esta página",
    valores_json: "Todos los valores (JSON)",
    valores_texto: "Cada número del texto, la expresión que lo calcula y su valor completo.",
    ver_codigo: "Ver código",
    volver: "Volver al texto",
};

const MONTHS: [&str; 12] = [
    "enero",
    "febrero",
    "marzo",
    "abril",
    "mayo",
    "junio",
    "julio",
    "agosto",
    "septiembre",
    "octubre",
    "noviembre",
    "diciembre",
];

/// "9 de agosto de 2023".
pub fn long_date(date: Date) -> String {
    let month = MONTHS[usize::from(date.month().unsigned_abs() - 1)];
    format!("{} de {month} de {}", date.day(), date.year())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_spanish_with_lower_case_months() {
        assert_eq!(long_date(Date::constant(2023, 8, 9)), "9 de agosto de 2023");
        assert_eq!(long_date(Date::constant(2026, 12, 31)), "31 de diciembre de 2026");
    }
}
