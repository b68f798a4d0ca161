//! Every number of the flagship chapter against what R printed with its default
//! settings: equal as printed, or in the committed list of those that are not, with
//! the reason.

use super::acceptance::real;
use crate::oracle::{json, number};
use serde_json::Value;
use std::collections::BTreeSet;

/// A number as the chapter prints it: our name or expression, its decimals, ours,
/// theirs.
struct Pair {
    name: &'static str,
    decimals: usize,
    ours: f64,
    theirs: f64,
}

impl Pair {
    fn agrees(&self) -> bool {
        let written = |x: f64| format!("{:.*}", self.decimals, x + 0.0);
        written(self.ours) == written(self.theirs)
    }
}

/// The value of a name, or of a position of a list: `dim.phi[2]`.
fn ours(values: &Value, name: &str) -> f64 {
    let (name, at) = name.trim_end_matches(']').split_once('[').unwrap_or((name, ""));
    let value = &values[name];
    number(if at.is_empty() { value } else { &value[at.parse::<usize>().unwrap()] })
}

/// The value at a path of the reference's JSON: `dim.ev_tet.0`.
fn theirs(reference: &Value, path: &str) -> f64 {
    number(reference.pointer(&format!("/{}", path.replace('.', "/"))).unwrap_or(&Value::Null))
}

fn pairs(values: &Value, reference: &Value) -> Vec<Pair> {
    let direct = [
        ("datos.n_examinados", 0, "dist.n"),
        ("datos.n_reactivos", 0, "dist.k"),
        ("hamming.n_pares", 0, "hamming.n_pares"),
        ("hamming.max_total", 0, "hamming.max_tot"),
        ("hamming.min_50", 0, "hamming.d_min50"),
        ("puntajes.mediana", 0, "dist.mediana"),
        ("puntajes.q1", 2, "dist.q.0"),
        ("puntajes.q3", 2, "dist.q.1"),
        ("puntajes.min", 0, "dist.min"),
        ("puntajes.max", 0, "dist.max"),
        ("tct.n_p0", 0, "dist.n_p0"),
        ("tct.n_p1", 0, "dist.n_p1"),
        ("tct.n_raros", 0, "dist.n_raros"),
        ("tct.n_faciles", 0, "dist.n_p90"),
        ("datos.k", 0, "tct.k"),
        ("tct.kr20", 3, "tct.kr20"),
        ("tct.r_mediana", 2, "tct.r_mediana"),
        ("tct.n_r_bajo", 0, "tct.n_r20"),
        ("tct.n_r_negativa", 0, "tct.n_rneg"),
        ("dim.tetracorica[0]", 1, "dim.ev_tet.0"),
        ("dim.traza", 0, "dim.traza"),
        ("dim.phi[2]", 2, "dim.ev_phi.2"),
        ("dim.phi[3]", 2, "dim.ev_phi.3"),
        ("dim.p95[2]", 2, "dim.umbral_pa.2"),
        ("dim.p95[3]", 2, "dim.umbral_pa.3"),
        ("dim.n_retenidos", 0, "dim.n_fact"),
        ("dim.r2_lineal", 3, "dim.r2_lin"),
        ("dim.r2_cuadratico", 3, "dim.r2_quad"),
        ("rasch.n_parametros", 0, "modelos.rasch.npar"),
        ("rasch.log_l", 1, "modelos.rasch.logLik"),
        ("rasch.aic", 1, "modelos.rasch.AIC"),
        ("rasch.bic", 1, "modelos.rasch.BIC"),
        ("rasch.varianza", 2, "modelos.rasch.var"),
        ("dos_pl.n_parametros", 0, "modelos.ml.npar"),
        ("dos_pl.log_l", 1, "modelos.ml.logLik"),
        ("dos_pl.aic", 1, "modelos.ml.AIC"),
        ("dos_pl.bic", 1, "modelos.ml.BIC"),
        ("dos_pl.a_max", 0, "modelos.ml.a_max"),
        ("dos_pl.n_a_mayor_4", 0, "modelos.ml.n_a4"),
        ("dos_pl.n_a_negativa", 0, "modelos.ml.n_neg"),
        ("dos_pl_previa.n_parametros", 0, "modelos.map.npar"),
        ("dos_pl_previa.log_l", 1, "modelos.map.logLik"),
        ("dos_pl_previa.a_min", 2, "modelos.map.a.0"),
        ("dos_pl_previa.a_mediana", 2, "modelos.map.a.2"),
        ("dos_pl_previa.a_max", 2, "modelos.map.a.4"),
        ("dos_pl_previa.n_a_menor_05", 0, "modelos.map.n_a05"),
        ("comparacion.chi2", 0, "comp.1.X2"),
        ("comparacion.gl", 0, "comp.1.df"),
        ("r_dificultades", 3, "tri.r_bb"),
        ("rho_theta_total", 4, "tri.rho_th_total"),
        ("r_thetas", 3, "tri.r_th_2p"),
        ("info.theta_max", 2, "tri.th_max"),
        ("info.maximo", 1, "tri.info_max"),
        ("rasch.theta_mediana", 2, "tri.th_mediana"),
        ("info.theta_superior", 2, "tri.th_top"),
        ("info.en_superior", 1, "tri.info_top"),
        ("info.ee_superior", 3, "tri.se_top"),
        ("info.n_b_mayor", 0, "tri.n_b_sobre"),
        ("frontera.min", 0, "tri.top20_rango.0"),
        ("frontera.max", 0, "tri.top20_rango.1"),
        ("frontera.n_todos", 0, "tri.n_todos"),
        ("frontera.n_ninguno", 0, "tri.n_nadie"),
        ("frontera.n_varian", 0, "tri.n_var"),
        ("ajuste.n_infit", 0, "ajuste.n_infit"),
        ("ajuste.n_outfit", 0, "ajuste.n_outfit"),
        ("ajuste.n_banderas", 0, "ajuste.n_band2"),
        ("q3.dentro", 3, "q3.dentro"),
        ("q3.entre", 3, "q3.entre"),
    ];
    let of = |path: &str| theirs(reference, path);
    let derived = [
        ("razon_tetracorica", 1, of("dim.ev_tet.0") / of("dim.ev_tet.1")),
        ("razon_phi", 1, of("dim.ev_phi.0") / of("dim.ev_phi.1")),
        ("razon_phi_sin_base", 1, of("dim.ev_s.0") / of("dim.ev_s.1")),
        ("rasch.desviacion", 2, of("modelos.rasch.var").sqrt()),
        ("comparacion.delta_aic", 0, of("modelos.rasch.AIC") - of("modelos.ml.AIC")),
        ("comparacion.delta_bic", 0, of("modelos.rasch.BIC") - of("modelos.ml.BIC")),
        ("diferencia_logits", 2, 8f64.sqrt() * of("tri.se_top")),
        ("pct_informacion", 0, 100.0 * of("tri.info_top") / of("tri.info_max")),
        ("q3.pct_alto", 1, 100.0 * of("q3.alto")),
    ];
    let direct = direct.map(|(name, decimals, path)| (name, decimals, of(path)));
    let pair = |(name, decimals, theirs)| Pair { name, decimals, ours: ours(values, name), theirs };
    direct.into_iter().chain(derived).map(pair).collect()
}

/// The names in the first column of the committed list.
fn listed() -> BTreeSet<String> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/frente-a-la-referencia.md");
    let text = std::fs::read_to_string(file).unwrap();
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.map(|row| row.split_once('`').unwrap().0.to_owned()).collect()
}

#[test]
fn every_number_that_differs_as_printed_from_the_reference_is_listed_with_its_reason() {
    let Some((_, site)) = real() else { return };
    let values: Value = serde_json::from_slice(&site["swebench/valores.json"]).unwrap();
    let reference = json("oraculo/real.json").unwrap();
    let pairs = pairs(&values["valores"], &reference);
    let differing = pairs.iter().filter(|pair| !pair.agrees());
    let told: Vec<String> = differing
        .clone()
        .map(|p| {
            format!("{}: {:.*} here, {:.*} there", p.name, p.decimals, p.ours, p.decimals, p.theirs)
        })
        .collect();
    let differing: BTreeSet<String> = differing.map(|pair| pair.name.to_owned()).collect();
    assert_eq!(differing, listed(), "{}", told.join("\n"));
}
