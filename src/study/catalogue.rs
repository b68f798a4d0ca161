//! Everything a study can compute: its names, what they mean and which node
//! makes them. Chapters, other programs and the page's provenance rely on it.

use super::graph::Node;

/// A value that expressions can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Full name, `tct.kr20`.
    pub name: &'static str,
    /// The node that computes it.
    pub node: Node,
    /// What it is, in Spanish, with its source where it has one.
    pub meaning: &'static str,
}

/// A column of a computed frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ColumnEntry {
    /// Name of the frame.
    pub frame: &'static str,
    /// Name of the column.
    pub column: &'static str,
    /// The node that computes it.
    pub node: Node,
    /// What it is, in Spanish.
    pub meaning: &'static str,
}

macro_rules! values {
    ($($node:ident { $($name:literal $meaning:literal)* })*) => {
        /// Every value, by node.
        pub const VALUES: &[Entry] = &[
            $($(Entry { name: $name, node: Node::$node, meaning: $meaning },)*)*
        ];
    };
}

values! {
    Data {
        "datos.n_examinados" "examinados de la matriz"
        "datos.n_reactivos" "reactivos de la matriz"
        "datos.n_faltantes" "celdas sin respuesta"
        "datos.n_carpetas" "filas de la tabla de examinados, incluidas o no"
        "datos.n_excluidos" "filas de la tabla de examinados que no se incluyen"
    }
    Scores {
        "puntajes.mediana" "mediana del total"
        "puntajes.media" "media del total"
        "puntajes.desviacion" "desviación estándar del total (n - 1)"
        "puntajes.min" "total mínimo"
        "puntajes.max" "total máximo"
        "puntajes.q1" "primer cuartil del total (tipo 7)"
        "puntajes.q3" "tercer cuartil del total (tipo 7)"
    }
    NearDuplicates {
        "hamming.n_pares" "pares de examinados casi iguales (distancia de Hamming)"
        "hamming.max_total" "total más alto entre esos pares"
        "hamming.min_50" "distancia mínima entre examinados con bastantes aciertos"
    }
    Classical {
        "datos.k" "reactivos con varianza"
        "tct.kr20" "fórmula 20 de Kuder y Richardson (1937), reactivos con varianza"
        "tct.r_mediana" "mediana de la correlación reactivo-resto"
        "tct.n_r_bajo" "reactivos con correlación reactivo-resto menor que .20"
        "tct.n_r_negativa" "reactivos con correlación reactivo-resto negativa"
        "tct.n_p0" "reactivos que nadie acierta"
        "tct.n_p1" "reactivos que todos aciertan"
        "tct.n_raros" "reactivos que aciertan algunos, hasta el 2 %"
        "tct.n_faciles" "reactivos que acierta el 90 % o más"
    }
    Frontier {
        "frontera.n" "examinados de la frontera: los de total más alto"
        "frontera.min" "total mínimo en la frontera"
        "frontera.max" "total máximo en la frontera"
        "frontera.n_todos" "reactivos que acierta toda la frontera"
        "frontera.n_ninguno" "reactivos que nadie acierta en la frontera"
        "frontera.n_varian" "reactivos que distinguen a la frontera"
    }
    Tetrachoric {
        "dim.tetracorica" "diez primeros autovalores de la matriz tetracórica suavizada (psych)"
        "dim.traza" "traza de la matriz: número de reactivos con varianza"
        "dim.tetracorica_minimo" "autovalor mínimo de la matriz tetracórica sin suavizar"
        "dim.n_corregidos" "pares de reactivos con una celda vacía corregida"
    }
    Phi {
        "dim.phi" "diez primeros autovalores de la matriz phi"
        "dim.r2_lineal" "R² de la segunda componente sobre el total, lineal"
        "dim.r2_cuadratico" "R² de la segunda componente sobre el total, cuadrático (herradura)"
    }
    Parallel {
        "dim.p95" "percentil 95 de los autovalores phi de columnas permutadas (Horn, 1965)"
        "dim.n_retenidos" "primeros autovalores phi por encima de su percentil 95"
    }
    WithoutBase {
        "dim.phi_sin_base" "tres primeros autovalores phi sin el grupo base"
    }
    Rasch {
        "rasch.log_l" "logaritmo de la verosimilitud marginal del modelo de Rasch"
        "rasch.n_parametros" "parámetros libres del modelo de Rasch"
        "rasch.aic" "AIC del modelo de Rasch (Akaike, 1974)"
        "rasch.bic" "BIC del modelo de Rasch (Schwarz, 1978)"
        "rasch.convergio" "si el ajuste de Rasch convergió"
        "rasch.ciclos" "ciclos del ajuste de Rasch"
        "rasch.cambio_final" "último cambio del ajuste de Rasch"
        "rasch.varianza" "varianza latente del modelo de Rasch"
        "rasch.desviacion" "desviación estándar latente del modelo de Rasch"
        "rasch.rejilla_adecuada" "si la cuadratura alcanza 5 desviaciones y es bastante fina"
        "rasch.b_min" "dificultad mínima en el modelo de Rasch"
        "rasch.b_max" "dificultad máxima en el modelo de Rasch"
    }
    TwoPl {
        "dos_pl.log_l" "logaritmo de la verosimilitud marginal, dos parámetros"
        "dos_pl.n_parametros" "parámetros libres, dos parámetros"
        "dos_pl.aic" "AIC, dos parámetros"
        "dos_pl.bic" "BIC, dos parámetros"
        "dos_pl.convergio" "si el ajuste de dos parámetros convergió"
        "dos_pl.ciclos" "ciclos del ajuste de dos parámetros"
        "dos_pl.cambio_final" "último cambio del ajuste de dos parámetros"
        "dos_pl.a_max" "pendiente máxima, dos parámetros"
        "dos_pl.a_min" "pendiente mínima, dos parámetros"
        "dos_pl.a_mediana" "mediana de las pendientes, dos parámetros"
        "dos_pl.n_a_mayor_4" "pendientes mayores que 4, dos parámetros"
        "dos_pl.n_a_negativa" "pendientes negativas, dos parámetros"
        "dos_pl.n_a_menor_05" "pendientes menores que .50, dos parámetros"
        "dos_pl.no_identificadas" "reactivos cuya pendiente no está identificada"
    }
    TwoPlPrior {
        "dos_pl_previa.log_l" "logaritmo de la verosimilitud marginal, dos parámetros con previa"
        "dos_pl_previa.log_previa" "logaritmo de la densidad previa de las pendientes"
        "dos_pl_previa.n_parametros" "parámetros libres, dos parámetros con previa"
        "dos_pl_previa.aic" "AIC, dos parámetros con previa"
        "dos_pl_previa.bic" "BIC, dos parámetros con previa"
        "dos_pl_previa.convergio" "si el ajuste con previa convergió"
        "dos_pl_previa.ciclos" "ciclos del ajuste con previa"
        "dos_pl_previa.cambio_final" "último cambio del ajuste con previa"
        "dos_pl_previa.a_max" "pendiente máxima, con previa"
        "dos_pl_previa.a_min" "pendiente mínima, con previa"
        "dos_pl_previa.a_mediana" "mediana de las pendientes, con previa"
        "dos_pl_previa.n_a_mayor_4" "pendientes mayores que 4, con previa"
        "dos_pl_previa.n_a_negativa" "pendientes negativas, con previa"
        "dos_pl_previa.n_a_menor_05" "pendientes menores que .50, con previa"
        "dos_pl_previa.no_identificadas" "reactivos cuya pendiente no está identificada, con previa"
    }
    Comparison {
        "comparacion.chi2" "razón de verosimilitudes, Rasch contra dos parámetros"
        "comparacion.gl" "grados de libertad de la razón de verosimilitudes"
        "comparacion.p" "probabilidad de la razón de verosimilitudes, cola superior"
        "comparacion.delta_aic" "AIC de Rasch menos AIC de dos parámetros"
        "comparacion.delta_bic" "BIC de Rasch menos BIC de dos parámetros"
        "comparacion.es_cota" "si la comparación usa un ajuste sin converger: es una cota"
    }
    RaschScores {
        "rasch.theta_min" "puntaje EAP mínimo"
        "rasch.theta_max" "puntaje EAP máximo"
        "rasch.theta_mediana" "mediana de los puntajes EAP"
        "rasch.fiabilidad" "fiabilidad empírica de los puntajes EAP"
    }
    Information {
        "info.theta_max" "theta donde el test informa más, modelo de Rasch"
        "info.maximo" "información máxima del test"
        "info.theta_superior" "theta del examinado más alto"
        "info.en_superior" "información en el examinado más alto"
        "info.ee_superior" "error estándar condicional del examinado más alto"
        "info.n_b_mayor" "reactivos con dificultad por encima del examinado más alto"
    }
    Fit {
        "ajuste.n_infit" "reactivos con infit mayor que 1.3"
        "ajuste.n_outfit" "reactivos con outfit mayor que 2"
        "ajuste.n_celdas_piso" "celdas cuya varianza esperada toca el piso de mirt"
    }
    Flags {
        "ajuste.n_banderas" "reactivos con dos señales o más"
    }
    Dependence {
        "q3.dentro" "media de Q3 (Yen, 1984) entre reactivos del mismo bloque"
        "q3.entre" "media de Q3 entre reactivos de distinto bloque"
        "q3.media" "media de Q3 entre todos los pares"
        "q3.esperada" "valor esperado de Q3 sin dependencia, cerca de -1/(k - 1)"
        "q3.pct_alto" "porcentaje de pares con |Q3| mayor que .20"
        "q3.maximo" "Q3 máximo"
    }
}

macro_rules! columns {
    ($($frame:literal { $($node:ident $column:literal $meaning:literal)* })*) => {
        /// Every computed column, by frame.
        pub const COLUMNS: &[ColumnEntry] = &[
            $($(ColumnEntry {
                frame: $frame,
                column: $column,
                node: Node::$node,
                meaning: $meaning,
            },)*)*
        ];
    };
}

columns! {
    "reactivos" {
        Classical "p" "proporción de aciertos"
        Classical "r_it" "correlación reactivo-resto"
        Classical "p_bajo" "proporción de aciertos hasta el primer cuartil del total"
        Classical "p_alto" "proporción de aciertos desde el tercer cuartil del total"
        Rasch "b_rasch" "dificultad, modelo de Rasch"
        TwoPl "a_ml" "pendiente, dos parámetros"
        TwoPl "b_ml" "dificultad, dos parámetros"
        TwoPlPrior "a_2pl" "pendiente, dos parámetros con previa"
        TwoPlPrior "b_2pl" "dificultad, dos parámetros con previa"
        Fit "infit" "infit (media de cuadrados ponderada)"
        Fit "outfit" "outfit (media de cuadrados)"
        Flags "n_banderas" "señales: r < .10, pendiente con previa < .50, infit > 1.30"
    }
    "examinados" {
        Scores "total" "aciertos"
        RaschScores "theta" "puntaje EAP, modelo de Rasch"
        RaschScores "ee" "error estándar del puntaje EAP"
        TwoPlPriorScores "theta_2pl" "puntaje EAP, dos parámetros con previa"
        Fit "infit" "infit de la persona"
        Fit "outfit" "outfit de la persona"
        Fit "zh" "Zh de la persona (Drasgow, Levine y Williams, 1985)"
    }
    "modelos" {
        Rasch "modelo" "nombre del modelo"
        Rasch "n_parametros" "parámetros libres"
        Rasch "log_l" "logaritmo de la verosimilitud"
        Rasch "aic" "AIC"
        Rasch "bic" "BIC"
        Rasch "convergio" "si convergió"
        Rasch "ciclos" "ciclos"
    }
    "autovalores" {
        Phi "posicion" "posición del autovalor"
        Tetrachoric "tetracorica" "autovalor de la matriz tetracórica"
        Phi "phi" "autovalor de la matriz phi"
        Parallel "p95" "percentil 95 de las permutaciones"
    }
    "informacion" {
        Information "theta" "nivel del rasgo"
        Information "informacion" "información del test"
        Information "ee" "error estándar condicional"
    }
    "bloques" {
        Dependence "bloque" "bloque de reactivos"
        Dependence "q3" "media de Q3 dentro del bloque"
    }
    "pares_q3" {
        Dependence "reactivo_a" "primer reactivo del par"
        Dependence "reactivo_b" "segundo reactivo del par"
        Dependence "q3" "Q3 del par"
    }
    "casi_duplicados" {
        NearDuplicates "examinado_a" "primer examinado del par"
        NearDuplicates "examinado_b" "segundo examinado del par"
        NearDuplicates "distancia" "distancia de Hamming"
    }
}

/// The entry of a value.
pub fn value(name: &str) -> Option<&'static Entry> {
    VALUES.iter().find(|entry| entry.name == name)
}

/// The entry of a computed column.
pub fn column(frame: &str, column: &str) -> Option<&'static ColumnEntry> {
    COLUMNS.iter().find(|entry| entry.frame == frame && entry.column == column)
}

/// The first parts of the values' names: `tct`, `dim`, ...
pub fn namespaces() -> impl Iterator<Item = &'static str> {
    distinct(VALUES.iter().map(|entry| entry.name.split('.').next().unwrap_or_default()))
}

/// The names of the computed frames.
pub fn frames() -> impl Iterator<Item = &'static str> {
    distinct(COLUMNS.iter().map(|entry| entry.frame))
}

fn distinct(names: impl Iterator<Item = &'static str>) -> impl Iterator<Item = &'static str> {
    let mut seen = vec![];
    names.filter(move |name| {
        let new = !seen.contains(name);
        seen.push(name);
        new
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_have_one_namespace() {
        let mut names: Vec<_> = VALUES.iter().map(|entry| entry.name).collect();
        assert!(names.iter().all(|name| name.matches('.').count() == 1));
        names.sort_unstable();
        let n = names.len();
        names.dedup();
        assert_eq!(names.len(), n);
        assert!(namespaces().any(|one| one == "tct"));
        assert!(frames().all(|frame| namespaces().all(|namespace| namespace != frame)));
    }
}
