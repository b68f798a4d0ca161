//! How each node computes: the function of this crate, and the work that defines
//! what it gives. The page's provenance shows both beside every number.

use super::graph::Node;

/// What computes a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Method {
    /// Path of the function or module in this crate.
    pub function: &'static str,
    /// Author and year, where the method has an author.
    pub reference: Option<&'static str>,
}

/// The method of a node.
pub fn of(node: Node) -> Method {
    use Node::*;
    let (function, reference) = match node {
        Data => ("data::responses", None),
        Scores => ("psychometrics::stats", None),
        NearDuplicates => ("study::results::near_duplicates", Some("Hamming (1950)")),
        Classical => ("psychometrics::classical::analyse", Some("Kuder y Richardson (1937)")),
        Frontier => ("study::results::frontier", None),
        Tetrachoric => ("psychometrics::association::tetrachoric_matrix", Some("Olsson (1979)")),
        Phi | WithoutBase => ("psychometrics::dimensionality", None),
        Parallel => ("psychometrics::dimensionality", Some("Horn (1965)")),
        Rasch => ("psychometrics::irt::estimation", Some("Rasch (1960); Bock y Aitkin (1981)")),
        OnePl => ("psychometrics::irt::estimation", Some("Bock y Aitkin (1981)")),
        TwoPl => ("psychometrics::irt::estimation", Some("Birnbaum (1968); Bock y Aitkin (1981)")),
        TwoPlPrior => ("psychometrics::irt::estimation", Some("Mislevy (1986)")),
        Comparison => ("psychometrics::comparison", Some("Akaike (1974); Schwarz (1978)")),
        RaschScores | TwoPlPriorScores => {
            ("psychometrics::irt::scoring", Some("Bock y Mislevy (1982)"))
        }
        Information => ("psychometrics::irt::information", Some("Birnbaum (1968)")),
        Fit => ("psychometrics::fit", Some("Wright y Masters (1982); Drasgow et al. (1985)")),
        Flags => ("study::results", None),
        Dependence => ("psychometrics::dependence", Some("Yen (1984)")),
        StandardErrors => ("psychometrics::irt::standard_errors", None),
        OtherScores => ("psychometrics::irt::scoring", Some("Warm (1989)")),
        GroupedFit => ("psychometrics::fit::s_x2", Some("Orlando y Thissen (2000)")),
        Precision => ("psychometrics::precision", Some("McNemar (1947); Holm (1979)")),
        Claims => ("study::further::precision", None),
        BlockErrors => ("psychometrics::precision::blocks", Some("Efron (1979)")),
        Dif => ("psychometrics::dif::mantel_haenszel", Some("Holland y Thayer (1988)")),
        DifNull => ("psychometrics::dif::null", None),
        Bootstrap => ("psychometrics::resampling", Some("Efron (1979)")),
        Shuffle => ("psychometrics::resampling", None),
        ModelNull => ("psychometrics::dimensionality::null", None),
        SimulatedCuts => ("psychometrics::cutoffs", None),
        ShortForm => ("psychometrics::short_form", None),
        Sensitivity => ("psychometrics::sensitivity", None),
    };
    Method { function, reference }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::{Path, PathBuf};

    /// The file of a module, if there is one.
    fn file(module: &str) -> Option<PathBuf> {
        let base =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(module.replace("::", "/"));
        [base.with_extension("rs"), base.join("mod.rs")].into_iter().find(|path| path.is_file())
    }

    #[test]
    fn every_function_named_is_in_the_source() {
        let mut nodes: Vec<Node> = super::super::catalogue::VALUES.iter().map(|e| e.node).collect();
        nodes.extend(super::super::catalogue::COLUMNS.iter().map(|entry| entry.node));
        for node in nodes {
            let path = of(node).function;
            let (module, name) = path.rsplit_once("::").unwrap();
            let text = || {
                let folder = file(module)?.with_file_name("");
                let files = std::fs::read_dir(folder).ok()?.flatten();
                Some(files.filter_map(|one| std::fs::read_to_string(one.path()).ok()).collect())
            };
            let defines = |text: String| text.contains(&format!("fn {name}("));
            assert!(file(path).is_some() || text().is_some_and(defines), "{node:?}: {path}");
        }
    }
}
