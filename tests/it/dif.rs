//! Differential functioning on the real matrix: the minimal scaffold against the rest.

use escritura::psychometrics::dif::{EtsClass, Group, ItemDif, Matching, flag_null, item_dif};

use crate::oracle::{csv, real_matrix};

fn scaffold_groups() -> Option<Vec<Option<Group>>> {
    let rows = csv("datos/envios_swebench_verified.csv")?;
    let included = rows.iter().filter(|row| row["incluido"] == "1");
    let group = |minimal: bool| Some(if minimal { Group::Focal } else { Group::Reference });
    Some(included.map(|row| group(row["mini_swe_agent"] == "1")).collect())
}

/// The items known to depend on the machine or on an external service.
const ENVIRONMENT: [&str; 6] = [
    "pylint-dev__pylint-7277",
    "pylint-dev__pylint-6903",
    "psf__requests-1724",
    "psf__requests-1766",
    "psf__requests-1921",
    "psf__requests-2317",
];

#[test]
fn items_are_flagged_beyond_chance_by_scaffold() {
    let (Some((responses, names)), Some(groups)) = (real_matrix(), scaffold_groups()) else {
        return;
    };
    let matching = Matching::Quantiles(10);
    let found = item_dif(&responses, &groups, matching);
    let of_class_c = |dif: &&ItemDif| dif.class() == EtsClass::C;
    let flagged = found.iter().flatten().filter(of_class_c).count();
    let null = flag_null(&responses, &groups, matching, 200, 20_261_025);
    let most = null.iter().map(|count| count.c).max().unwrap();
    assert!(flagged > most, "{flagged}, and {most} in one of 200 permutations");
    // The environment items, but one, are found without the logs, and all of them
    // are harder for the minimal scaffold.
    let class_c = ENVIRONMENT.map(|name| {
        let at = names.iter().position(|n| n == name).unwrap();
        let dif = found[at].unwrap();
        assert!(dif.excess > 0.0 && dif.standardised_difference < 0.0, "{name}");
        dif.class() == EtsClass::C
    });
    assert_eq!(class_c.iter().filter(|&&c| c).count(), 5);
}
