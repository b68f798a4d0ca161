//! The nodes of a study, what each needs, and their parallel execution.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A computation with a name. Its results are published under the names that the
/// [catalogue](super::catalogue) lists for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Node {
    /// Shape of the data.
    Data,
    /// Total scores.
    Scores,
    /// Nearly equal response vectors.
    NearDuplicates,
    /// Classical test theory.
    Classical,
    /// Highest scorers and the items they differ on.
    Frontier,
    /// Tetrachoric eigenvalues.
    Tetrachoric,
    /// Phi eigenvalues and the horseshoe check.
    Phi,
    /// Permutation thresholds.
    Parallel,
    /// Phi eigenvalues without the base group.
    WithoutBase,
    /// Rasch model.
    Rasch,
    /// One common slope.
    OnePl,
    /// Two-parameter model, maximum likelihood.
    TwoPl,
    /// Two-parameter model with a prior on slopes.
    TwoPlPrior,
    /// Rasch against two-parameter.
    Comparison,
    /// EAP scores of the Rasch model.
    RaschScores,
    /// EAP scores of the two-parameter model with prior.
    TwoPlPriorScores,
    /// Test information of the Rasch model.
    Information,
    /// Item and person fit to the Rasch model.
    Fit,
    /// Flags of the items: low discrimination, misfit.
    Flags,
    /// Local dependence.
    Dependence,
    /// Standard errors of the parameters.
    StandardErrors,
    /// Scores other than EAP.
    OtherScores,
    /// S-X2.
    GroupedFit,
    /// Errors of the scores, comparisons of examinees, ranks.
    Precision,
    /// Smallest differences worth claiming.
    Claims,
    /// Errors of the scores by a bootstrap of blocks of items.
    BlockErrors,
    /// Differential item functioning.
    Dif,
    /// Permutation null of the number of flagged items.
    DifNull,
    /// Bootstrap over examinees.
    Bootstrap,
    /// Statistics of shuffled answers.
    Shuffle,
    /// Parallel analysis with the fitted one-dimensional models as nulls.
    ModelNull,
    /// Simulated cuts for fit and dependence.
    SimulatedCuts,
    /// Short form for the frontier.
    ShortForm,
    /// Sensitivity to decisions of the analysis.
    Sensitivity,
}

impl Node {
    /// What must be computed before.
    pub fn dependencies(self) -> &'static [Self] {
        use Node::*;
        match self {
            Data | Scores | NearDuplicates | Classical => &[],
            Frontier => &[],
            Tetrachoric | Phi | WithoutBase | Rasch | OnePl | TwoPl | TwoPlPrior => &[Classical],
            Parallel => &[Phi],
            Comparison => &[Rasch, TwoPl],
            RaschScores => &[Rasch],
            TwoPlPriorScores => &[TwoPlPrior],
            Information => &[Rasch, RaschScores],
            Fit => &[Rasch, RaschScores],
            Flags => &[Classical, TwoPlPrior, Fit],
            Dependence => &[Rasch, RaschScores],
            StandardErrors => &[Rasch, TwoPlPrior],
            OtherScores | GroupedFit => &[Rasch],
            Precision => &[Classical, Frontier],
            Claims => &[Classical, Rasch, Information],
            BlockErrors => &[Frontier],
            Dif | Bootstrap | Shuffle | ShortForm | Sensitivity => &[],
            DifNull => &[Dif],
            ModelNull => &[Phi, Rasch, TwoPlPrior],
            SimulatedCuts => &[Fit],
        }
    }

    /// Whether it resamples, simulates or refits many times. Such nodes are computed
    /// when something names what they give, and not because "everything" is wanted.
    pub fn is_slow(self) -> bool {
        use Node::*;
        matches!(
            self,
            BlockErrors
                | DifNull
                | Bootstrap
                | Shuffle
                | ModelNull
                | SimulatedCuts
                | ShortForm
                | Sensitivity
        )
    }

    /// What it does, for progress messages.
    pub fn title(self) -> &'static str {
        use Node::*;
        match self {
            Data => "forma de los datos",
            Scores => "puntajes",
            NearDuplicates => "casi duplicados",
            Classical => "análisis clásico",
            Frontier => "frontera",
            Tetrachoric => "correlaciones tetracóricas",
            Phi => "autovalores phi",
            Parallel => "análisis paralelo",
            WithoutBase => "autovalores sin el grupo base",
            Rasch => "modelo de Rasch",
            OnePl => "modelo de un parámetro",
            TwoPl => "modelo de dos parámetros",
            TwoPlPrior => "modelo de dos parámetros con previa",
            Comparison => "comparación de modelos",
            RaschScores => "puntajes EAP de Rasch",
            TwoPlPriorScores => "puntajes EAP de dos parámetros",
            Information => "información del test",
            Fit => "ajuste",
            Flags => "señales por reactivo",
            Dependence => "dependencia local",
            StandardErrors => "errores estándar",
            OtherScores => "otros puntajes",
            GroupedFit => "ajuste por grupos de total",
            Precision => "precisión de los puntajes",
            Claims => "diferencias mínimas",
            BlockErrors => "remuestreo de bloques de reactivos",
            Dif => "funcionamiento diferencial",
            DifNull => "funcionamiento diferencial por azar",
            Bootstrap => "remuestreo de examinados",
            Shuffle => "control de barajado",
            ModelNull => "análisis paralelo con los modelos",
            SimulatedCuts => "cortes simulados",
            ShortForm => "forma corta",
            Sensitivity => "sensibilidad",
        }
    }

    /// Adds to `wanted` all that its nodes need.
    pub fn close(wanted: &mut BTreeSet<Self>) {
        let mut queue: Vec<Self> = wanted.iter().copied().collect();
        while let Some(node) = queue.pop() {
            for &needed in node.dependencies() {
                if wanted.insert(needed) {
                    queue.push(needed);
                }
            }
        }
    }
}

/// Runs `work` once for each node, after those it depends on, side by side where
/// nothing forbids it. `nodes` must be closed under dependencies.
///
/// No thread waits for another: a finished node starts those that it leaves
/// ready, so that nodes can themselves be parallel on the same threads.
pub fn run(nodes: &BTreeSet<Node>, work: &(impl Fn(Node) + Sync)) {
    let waiting: Vec<(Node, AtomicUsize)> =
        nodes.iter().map(|&n| (n, AtomicUsize::new(n.dependencies().len()))).collect();
    rayon::scope(|scope| {
        for (node, pending) in &waiting {
            if pending.load(Ordering::Relaxed) == 0 {
                scope.spawn(|scope| run_from(scope, *node, &waiting, work));
            }
        }
    });
}

fn run_from<'scope>(
    scope: &rayon::Scope<'scope>,
    node: Node,
    waiting: &'scope [(Node, AtomicUsize)],
    work: &'scope (impl Fn(Node) + Sync),
) {
    work(node);
    for (next, pending) in waiting {
        let needs = next.dependencies().iter().filter(|&&needed| needed == node).count();
        if needs > 0 && pending.fetch_sub(needs, Ordering::AcqRel) == needs {
            scope.spawn(|scope| run_from(scope, *next, waiting, work));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn every_node_runs_once_and_after_what_it_needs() {
        let mut wanted = BTreeSet::from([Node::Flags, Node::Comparison, Node::Data]);
        Node::close(&mut wanted);
        let done = Mutex::new(vec![]);
        run(&wanted, &|node| {
            let mut done = done.lock().unwrap();
            assert!(node.dependencies().iter().all(|needed| done.contains(needed)));
            done.push(node);
        });
        let done = done.into_inner().unwrap();
        assert_eq!(done.len(), wanted.len());
        assert_eq!(done.into_iter().collect::<BTreeSet<_>>(), wanted);
    }

    #[test]
    fn nothing_quick_waits_for_something_slow() {
        let nodes = super::super::catalogue::VALUES.iter().map(|entry| entry.node);
        for quick in nodes.filter(|node| !node.is_slow()) {
            assert!(quick.dependencies().iter().all(|needed| !needed.is_slow()), "{quick:?}");
        }
    }

    #[test]
    fn what_is_not_asked_for_is_not_run() {
        let mut wanted = BTreeSet::from([Node::Classical]);
        Node::close(&mut wanted);
        assert_eq!(wanted, BTreeSet::from([Node::Classical]));
    }
}
