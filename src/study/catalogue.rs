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
        "analisis.semilla" "semilla de los procedimientos al azar"
        "analisis.permutaciones" "permutaciones del análisis paralelo"
        "analisis.remuestreos" "remuestreos, permutaciones de grupos y formas al azar que pide el capítulo"
        "analisis.simulaciones" "matrices simuladas con el modelo que pide el capítulo"
        "analisis.previa_media" "media del logaritmo de las pendientes según la previa"
        "analisis.previa_desviacion" "desviación estándar del logaritmo de las pendientes según la previa"
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
        "rasch.sabic" "SABIC, Rasch (Sclove, 1987)"
        "rasch.gradiente" "mayor derivada del objetivo al terminar, Rasch"
        "rasch.parada" "qué detuvo el ajuste, Rasch"
        "rasch.n_examinados" "examinados con alguna respuesta, Rasch"
        "rasch.descartados" "reactivos que el ajuste deja fuera y por qué, Rasch"
        "rasch.convergio" "si el ajuste de Rasch convergió"
        "rasch.ciclos" "ciclos del ajuste de Rasch"
        "rasch.cambio_final" "último cambio del ajuste de Rasch"
        "rasch.varianza" "varianza latente del modelo de Rasch"
        "rasch.desviacion" "desviación estándar latente del modelo de Rasch"
        "rasch.rejilla_adecuada" "si la cuadratura alcanza 5 desviaciones y es bastante fina"
        "rasch.b_min" "dificultad mínima en el modelo de Rasch"
        "rasch.b_max" "dificultad máxima en el modelo de Rasch"
    }
    OnePl {
        "un_pl.log_l" "logaritmo de la verosimilitud marginal, un parámetro"
        "un_pl.n_parametros" "parámetros libres, un parámetro"
        "un_pl.aic" "AIC, un parámetro"
        "un_pl.bic" "BIC, un parámetro"
        "un_pl.sabic" "SABIC, un parámetro (Sclove, 1987)"
        "un_pl.gradiente" "mayor derivada del objetivo al terminar, un parámetro"
        "un_pl.parada" "qué detuvo el ajuste, un parámetro"
        "un_pl.n_examinados" "examinados con alguna respuesta, un parámetro"
        "un_pl.descartados" "reactivos que el ajuste deja fuera y por qué, un parámetro"
        "un_pl.convergio" "si el ajuste de un parámetro convergió"
        "un_pl.ciclos" "ciclos del ajuste de un parámetro"
        "un_pl.cambio_final" "último cambio del ajuste de un parámetro"
        "un_pl.a" "pendiente común, un parámetro"
    }
    TwoPl {
        "dos_pl.log_l" "logaritmo de la verosimilitud marginal, dos parámetros"
        "dos_pl.n_parametros" "parámetros libres, dos parámetros"
        "dos_pl.aic" "AIC, dos parámetros"
        "dos_pl.bic" "BIC, dos parámetros"
        "dos_pl.sabic" "SABIC, dos parámetros (Sclove, 1987)"
        "dos_pl.gradiente" "mayor derivada del objetivo al terminar, dos parámetros"
        "dos_pl.parada" "qué detuvo el ajuste, dos parámetros"
        "dos_pl.n_examinados" "examinados con alguna respuesta, dos parámetros"
        "dos_pl.descartados" "reactivos que el ajuste deja fuera y por qué, dos parámetros"
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
        "dos_pl_previa.sabic" "SABIC, dos parámetros con previa (Sclove, 1987)"
        "dos_pl_previa.gradiente" "mayor derivada del objetivo al terminar, dos parámetros con previa"
        "dos_pl_previa.parada" "qué detuvo el ajuste, dos parámetros con previa"
        "dos_pl_previa.n_examinados" "examinados con alguna respuesta, dos parámetros con previa"
        "dos_pl_previa.descartados" "reactivos que el ajuste deja fuera y por qué, dos parámetros con previa"
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
        "rasch.fiabilidad_marginal" "fiabilidad marginal del modelo de Rasch: información sobre información más previa"
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
        "q3.dudosos" "media de Q3 entre los reactivos dudosos del mismo bloque"
        "q3.esperada" "valor esperado de Q3 sin dependencia, cerca de -1/(k - 1)"
        "q3.pct_alto" "porcentaje de pares con |Q3| mayor que .20"
        "q3.maximo" "Q3 máximo"
    }
    StandardErrors {
        "rasch.varianza_ee" "error estándar de la varianza latente"
        "rasch.ee_conjuntos" "si los errores estándar vienen de la información de todos los parámetros juntos (Louis, 1982)"
        "dos_pl_previa.ee_conjuntos" "lo mismo, dos parámetros con previa"
    }
    OtherScores {
        "rasch.n_sin_ml" "examinados sin puntaje de máxima verosimilitud finito"
    }
    GroupedFit {
        "ajuste.n_sx2" "reactivos con S-X2 significativa al .05 (Orlando y Thissen, 2000)"
    }
    Precision {
        "precision.ee_mediana" "mediana del error estándar binomial del total (Lord, 1955), en reactivos"
        "precision.ee_superior" "error estándar binomial del total más alto, en reactivos"
        "precision.factor_keats" "(1 - KR-20) / (1 - KR-21) con todos los reactivos, factor de la varianza de error con los reactivos fijos (Keats, 1957)"
        "precision.n_pares" "pares de examinados con reactivos en común"
        "precision.n_pares_distintos" "pares que se distinguen (McNemar exacta, Holm sobre todos los pares, .05)"
        "precision.n_primeros" "examinados que podrían ser el primero: de nadie se muestra que los supere"
        "precision.indistinguibles_mediana" "mediana de cuántos examinados no se distinguen de uno"
        "precision.n_pares_frontera" "pares de examinados de la frontera"
        "precision.n_frontera_distintos" "pares de la frontera que se distinguen (Holm sobre los pares de la frontera)"
        "precision.n_frontera_sin_corregir" "pares de la frontera con p hasta .05 sin corregir"
        "precision.detectable_frontera" "mediana, en la frontera, de la diferencia detectable con potencia .80, en puntos porcentuales"
    }
    Claims {
        "precision.diferencia_superior" "dos errores estándar de una diferencia en el nivel del más alto, en puntos porcentuales"
        "precision.diferencia_theta_superior" "dos errores estándar de una diferencia en el nivel del más alto, en logits"
        "precision.diferencia_max" "la mayor a lo largo de la escala, en puntos porcentuales"
    }
    BlockErrors {
        "precision.ee_bloques_mediana" "mediana del error estándar del total al remuestrear bloques de reactivos"
        "precision.ee_bloques_superior" "error estándar del total más alto al remuestrear bloques de reactivos"
    }
    Dif {
        "dif.n_focal" "examinados del grupo focal"
        "dif.n_referencia" "examinados del grupo de referencia"
        "dif.n_a" "reactivos de clase A (ETS): sin funcionamiento diferencial apreciable"
        "dif.n_b" "reactivos de clase B (ETS): funcionamiento diferencial moderado"
        "dif.n_c" "reactivos de clase C (ETS): funcionamiento diferencial grande"
        "dif.n_c_contra_focal" "reactivos de clase C más difíciles para el grupo focal"
        "dif.n_sin_delta" "reactivos cuya razón de momios común es cero o infinita"
        "dif.n_estratos" "estratos del resto que informan, en el reactivo que más tiene"
        "dif.n_sin_estadistico" "reactivos sin varianza o sin estratos comunes que informen"
    }
    DifNull {
        "dif.azar_n_c" "media de reactivos de clase C al permutar los grupos entre examinados de total parecido"
        "dif.azar_n_c_p95" "percentil 95 de reactivos de clase C al permutar los grupos"
        "dif.azar_p" "probabilidad de tantos reactivos de clase C al permutar los grupos"
    }
    Bootstrap {
        "intervalos.n" "remuestreos de examinados (Efron, 1979)"
        "intervalos.kr20_min" "extremo inferior del intervalo de KR-20 al 95 % (percentiles)"
        "intervalos.kr20_max" "extremo superior del intervalo de KR-20 al 95 %"
        "intervalos.kr20_ee" "error estándar de KR-20 por remuestreo"
        "intervalos.r_mediana_min" "extremo inferior del intervalo de la mediana de r al 95 %"
        "intervalos.r_mediana_max" "extremo superior del intervalo de la mediana de r al 95 %"
        "intervalos.r_mediana_ee" "error estándar de la mediana de r por remuestreo"
        "intervalos.razon_phi_min" "extremo inferior del intervalo de la razón de autovalores phi 1:2 al 95 %"
        "intervalos.razon_phi_max" "extremo superior del intervalo de la razón de autovalores phi 1:2 al 95 %"
        "intervalos.razon_phi_ee" "error estándar de la razón de autovalores phi 1:2 por remuestreo"
    }
    Shuffle {
        "nulos.barajado_kr20" "media de KR-20 con las respuestas a cada reactivo barajadas"
        "nulos.barajado_kr20_p95" "percentil 95 de KR-20 con las respuestas barajadas"
        "nulos.barajado_r_mediana" "media de la mediana de r con las respuestas barajadas"
        "nulos.barajado_r_mediana_p95" "percentil 95 de la mediana de r con las respuestas barajadas"
        "nulos.barajado_phi_1" "media del primer autovalor phi con las respuestas barajadas"
        "nulos.barajado_phi_1_p95" "percentil 95 del primer autovalor phi con las respuestas barajadas"
        "nulos.barajado_razon_phi" "media de la razón de autovalores phi 1:2 con las respuestas barajadas"
        "nulos.barajado_razon_phi_p95" "percentil 95 de la razón de autovalores phi 1:2 con las respuestas barajadas"
    }
    ModelNull {
        "nulos.modelo_p95" "percentil 95 de los autovalores phi de respuestas simuladas con el modelo de Rasch"
        "nulos.modelo_n_retenidos" "dimensiones: la del modelo de Rasch y los autovalores phi siguientes por encima de su percentil 95"
        "nulos.modelo_p_segundo" "probabilidad, según el modelo de Rasch, de un segundo autovalor phi como el observado"
        "nulos.modelo_2pl_p95" "percentil 95 de los autovalores phi de respuestas simuladas con el modelo de dos parámetros con previa"
        "nulos.modelo_2pl_n_retenidos" "dimensiones según el modelo de dos parámetros con previa"
        "nulos.modelo_2pl_p_segundo" "probabilidad, según el modelo de dos parámetros con previa, de un segundo autovalor phi como el observado"
    }
    SimulatedCuts {
        "nulos.n_simulaciones" "matrices simuladas con el modelo de Rasch y reajustadas"
        "nulos.corte_infit" "percentil 99 del infit según el modelo de Rasch"
        "nulos.n_infit" "reactivos con infit mayor que el corte simulado"
        "nulos.corte_outfit" "percentil 99 del outfit según el modelo de Rasch"
        "nulos.n_outfit" "reactivos con outfit mayor que el corte simulado"
        "nulos.corte_zh" "percentil 1 de Zh según el modelo de Rasch"
        "nulos.n_zh" "examinados con Zh menor que el corte simulado"
        "nulos.corte_q3" "percentil 99 de |Q3| según el modelo de Rasch"
        "nulos.n_q3" "pares de reactivos con |Q3| mayor que el corte simulado"
        "nulos.corte_q3_max" "percentil 99 del Q3 máximo según el modelo de Rasch: cerca de 1 si hay reactivos que acierta uno solo"
        "nulos.q3_pct_alto" "porcentaje de pares con |Q3| mayor que .20 que espera el modelo de Rasch"
    }
    ShortForm {
        "forma_corta.n_reactivos" "reactivos que, elegidos en una mitad de los examinados, conservan el 90 % de la información en la frontera (Rasch)"
        "forma_corta.n_reactivos_2pl" "los mismos según el modelo de dos parámetros con previa"
        "forma_corta.n_candidatos" "reactivos con varianza en la mitad que elige"
        "forma_corta.informacion" "proporción de la información que conserva la forma corta"
        "forma_corta.spearman" "correlación de Spearman de la forma corta con el total, en la otra mitad"
        "forma_corta.spearman_frontera" "la misma, en la frontera de la otra mitad"
        "forma_corta.azar_spearman" "mediana de la correlación de formas al azar del mismo largo con el total"
        "forma_corta.azar_frontera" "la misma, en la frontera de la otra mitad"
        "forma_corta.p_azar" "proporción de formas al azar que ordenan al menos igual de bien"
        "forma_corta.p_azar_frontera" "la misma, en la frontera de la otra mitad"
    }
    Sensitivity {
        "sensibilidad.varianza_rejilla" "varianza latente con una cuadratura adecuada"
        "sensibilidad.rejilla_puntos" "puntos de una cuadratura adecuada"
        "sensibilidad.rejilla_limite" "extremo de una cuadratura adecuada, en logits: va de su opuesto a él"
        "sensibilidad.log_l_rejilla" "logaritmo de la verosimilitud con una cuadratura adecuada"
        "sensibilidad.desplazamiento_b" "desplazamiento medio de las dificultades con una cuadratura adecuada, en logits"
        "sensibilidad.desplazamiento_b_max" "mayor desplazamiento de una dificultad con una cuadratura adecuada"
        "sensibilidad.r_theta_rejilla" "correlación de los puntajes EAP con los de una cuadratura adecuada"
        "sensibilidad.varianza_sin_base" "varianza latente sin el grupo base"
        "sensibilidad.kr20_sin_base" "KR-20 sin el grupo base"
        "sensibilidad.razon_phi_sin_base" "razón de autovalores phi 1:2 sin el grupo base"
        "sensibilidad.r_theta_sin_base" "correlación de los puntajes EAP con y sin el grupo base"
        "sensibilidad.n_dudosos" "reactivos declarados dudosos"
        "sensibilidad.kr20_sin_dudosos" "KR-20 sin los reactivos dudosos"
        "sensibilidad.spearman_sin_dudosos" "correlación de Spearman de los totales con y sin los reactivos dudosos"
        "sensibilidad.r_theta_sin_dudosos" "correlación de los puntajes EAP con y sin los reactivos dudosos"
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
        Fit "z_infit" "infit estandarizado"
        Fit "z_outfit" "outfit estandarizado"
        Fit "zh" "Zh del reactivo"
        GroupedFit "sx2" "S-X2 (Orlando y Thissen, 2000)"
        GroupedFit "sx2_gl" "grados de libertad de S-X2"
        GroupedFit "sx2_p" "probabilidad de S-X2"
        StandardErrors "ee_b_rasch" "error estándar de la dificultad, modelo de Rasch"
        StandardErrors "ee_a_2pl" "error estándar de la pendiente, dos parámetros con previa"
        StandardErrors "ee_b_2pl" "error estándar de la dificultad, dos parámetros con previa"
        Flags "n_banderas" "señales: r < .10, pendiente con previa < .50, infit > 1.30"
        Dif "dif_delta" "delta de ETS, -2.35 ln(razón de momios de Mantel y Haenszel): negativa si es más difícil para el grupo focal"
        Dif "dif_ee" "error estándar de delta (Robins, Breslow y Greenland, 1986)"
        Dif "dif_chi2" "ji cuadrada de Mantel y Haenszel (1959), corregida por continuidad"
        Dif "dif_p" "su probabilidad"
        Dif "dif_clase" "clase de ETS: A, B o C"
        Dif "dif_estandarizada" "diferencia estandarizada de proporciones, focal menos referencia (Dorans y Kulick, 1986)"
        Dif "dif_exceso" "aciertos del grupo de referencia por encima de lo esperado si el trato fuera igual"
        Dif "dif_estratos" "estratos del resto que informan"
        SimulatedCuts "infit_p95" "percentil 95 del infit del reactivo según el modelo de Rasch"
        SimulatedCuts "outfit_p95" "percentil 95 del outfit del reactivo según el modelo de Rasch"
        ShortForm "lugar_forma_corta" "lugar del reactivo en la forma corta, si entra"
    }
    "examinados" {
        Scores "total" "aciertos"
        RaschScores "theta" "puntaje EAP, modelo de Rasch"
        RaschScores "ee" "error estándar del puntaje EAP"
        TwoPlPriorScores "theta_2pl" "puntaje EAP, dos parámetros con previa"
        Fit "infit" "infit de la persona"
        Fit "outfit" "outfit de la persona"
        Fit "z_infit" "infit estandarizado de la persona"
        Fit "z_outfit" "outfit estandarizado de la persona"
        OtherScores "theta_map" "puntaje MAP, modelo de Rasch"
        OtherScores "ee_map" "error estándar del puntaje MAP"
        OtherScores "theta_ml" "puntaje de máxima verosimilitud; no existe para totales perfectos o nulos"
        OtherScores "ee_ml" "error estándar del puntaje de máxima verosimilitud"
        OtherScores "theta_wle" "puntaje de verosimilitud ponderada (Warm, 1989)"
        OtherScores "ee_wle" "error estándar del puntaje de verosimilitud ponderada"
        Fit "zh" "Zh de la persona (Drasgow, Levine y Williams, 1985)"
        Precision "ee_puntaje" "error estándar binomial del total, los reactivos como muestra (Lord, 1955)"
        Precision "ee_puntaje_fijo" "error estándar condicional del total, los reactivos fijos (Keats, 1957)"
        Precision "rango_min" "mejor lugar posible (todos los pares, McNemar exacta, Holm, .05)"
        Precision "rango_max" "peor lugar posible"
        Precision "n_indistinguibles" "examinados de los que no se distingue"
        Precision "n_indistinguibles_frontera" "examinados de la frontera de los que no se distingue"
        BlockErrors "ee_bloques" "error estándar del total al remuestrear bloques de reactivos"
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
        ModelNull "p95_modelo" "percentil 95 de respuestas simuladas con el modelo de Rasch"
        ModelNull "p95_modelo_2pl" "percentil 95 de respuestas simuladas con el modelo de dos parámetros con previa"
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
    "comparaciones" {
        Precision "examinado_a" "examinado más alto del par"
        Precision "examinado_b" "el otro; los pares son los de la frontera"
        Precision "n" "reactivos que ambos respondieron"
        Precision "solo_a" "reactivos que solo acierta el primero"
        Precision "solo_b" "reactivos que solo acierta el segundo"
        Precision "diferencia_pp" "diferencia, en puntos porcentuales"
        Precision "ee_pp" "error estándar de la diferencia, en puntos porcentuales"
        Precision "p" "probabilidad de McNemar, exacta y bilateral"
        Precision "p_holm" "la misma, corregida por Holm sobre los pares de la frontera"
        Precision "detectable_pp" "diferencia detectable con potencia .80 (Miettinen, 1968), en puntos porcentuales"
    }
    "diferencia_minima" {
        Claims "porcentaje" "porcentaje de aciertos esperado"
        Claims "theta" "nivel del rasgo donde se espera"
        Claims "ee_theta" "error estándar de theta"
        Claims "ee_pp" "error estándar del porcentaje dado theta"
        Claims "diferencia_theta" "dos errores estándar de una diferencia, en logits"
        Claims "diferencia_pp" "dos errores estándar de una diferencia, en puntos porcentuales"
    }
    "cortes" {
        SimulatedCuts "estadistico" "infit, outfit, Zh o Q3"
        SimulatedCuts "usual" "corte usual"
        SimulatedCuts "n_usual" "reactivos, examinados o pares más allá del corte usual"
        SimulatedCuts "esperados_usual" "los que el modelo de Rasch espera más allá del corte usual"
        SimulatedCuts "simulado" "corte simulado: deja fuera al 1 %"
        SimulatedCuts "n_simulado" "reactivos, examinados o pares más allá del corte simulado"
    }
    "formas_cortas" {
        ShortForm "modelo" "modelo cuya información cuenta"
        ShortForm "n_reactivos" "reactivos de la forma"
        ShortForm "n_candidatos" "reactivos entre los que se eligieron"
        ShortForm "informacion" "proporción de la información en la frontera que conserva"
        ShortForm "spearman" "correlación de Spearman con el total, en la otra mitad"
        ShortForm "azar_spearman" "mediana de la de formas al azar del mismo largo"
        ShortForm "p_azar" "proporción de formas al azar al menos igual de buenas"
        ShortForm "spearman_frontera" "correlación de Spearman en la frontera de la otra mitad"
        ShortForm "azar_frontera" "mediana de la de formas al azar del mismo largo"
        ShortForm "p_azar_frontera" "proporción de formas al azar al menos igual de buenas"
    }
    "variantes" {
        Sensitivity "variante" "qué cambia respecto del análisis de referencia"
        Sensitivity "n_examinados" "examinados"
        Sensitivity "k" "reactivos con varianza"
        Sensitivity "kr20" "KR-20"
        Sensitivity "r_mediana" "mediana de la correlación reactivo-resto"
        Sensitivity "phi_1" "primer autovalor phi"
        Sensitivity "razon_phi" "razón de autovalores phi 1:2"
        Sensitivity "varianza" "varianza latente"
        Sensitivity "log_l" "logaritmo de la verosimilitud"
        Sensitivity "desplazamiento_b" "desplazamiento medio de las dificultades comunes"
        Sensitivity "desplazamiento_b_max" "mayor desplazamiento de una dificultad"
        Sensitivity "r_b" "correlación de las dificultades"
        Sensitivity "r_theta" "correlación de los puntajes EAP"
        Sensitivity "spearman_total" "correlación de Spearman de los totales"
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

/// Whether a frame of the data or a declaration may not have this name: that of
/// something computed, or of what the table of examinees gives.
pub fn is_reserved(name: &str) -> bool {
    frames().chain(namespaces()).chain(["carpetas", "excluidos"]).any(|taken| taken == name)
}

fn distinct(names: impl Iterator<Item = &'static str>) -> impl Iterator<Item = &'static str> {
    let mut seen = vec![];
    names.filter(move |name| {
        let new = !seen.contains(name);
        if new {
            seen.push(name);
        }
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
