//! A chapter's data and options as a graph of named results.
//!
//! A [`Study`] is opened on data, options and declarations; it is told which
//! expressions will be evaluated ([`Plan`]); it computes what they need, once and
//! in parallel ([`Study::compute`]); and from then on it evaluates them.

mod assembly;
pub mod catalogue;
mod datum;
pub mod declarations;
pub mod expression;
mod further;
pub mod graph;
mod grouping;
pub mod input;
mod memory;
pub mod methods;
mod misnamed;
pub mod options;
pub mod plan;
pub mod publish;
pub mod reasons;
mod results;

pub use assembly::{Assembled, fault_diagnostic, mentions, narrowed};
pub use plan::Plan;

use crate::data::Cache;
use crate::diagnostics::{Diagnostics, Source};
use declarations::{Category, Declarations};
use expression::Engine;
use graph::Node;
use input::StudyData;
use memory::Memory;
use options::AnalysisOptions;
use plan::{BaseColumns, base_columns};
use publish::{Datum, Published, publish};
use rayon::prelude::*;
use results::{Groups, Inputs, Results};
use std::collections::{BTreeMap, BTreeSet};

/// The files in which a study is described, for its messages.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// That of the options.
    pub options: Option<Source>,
    /// That of the declarations.
    pub declarations: Option<Source>,
}

/// Data, options and declarations, ready to be planned and computed.
#[derive(Debug)]
pub struct Study {
    engine: Engine,
    data: StudyData,
    options: AnalysisOptions,
    declarations: Declarations,
    sources: Sources,
    base: BaseColumns,
    cache: Cache,
}

/// A study whose plan has been computed.
#[derive(Debug)]
pub struct Computed {
    /// Everything expressions can name.
    pub assembled: Assembled,
    /// The published values, by name.
    pub values: BTreeMap<&'static str, Datum>,
}

impl Study {
    /// Opens a study; its results are kept in `cache`.
    pub fn new(
        data: StudyData,
        options: AnalysisOptions,
        declarations: Declarations,
        sources: Sources,
        cache: Cache,
    ) -> Self {
        let base = base_columns(&data);
        Self { engine: Engine::new(), data, options, declarations, sources, base, cache }
    }

    /// The expression language.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The data.
    pub fn data(&self) -> &StudyData {
        &self.data
    }

    /// The options.
    pub fn options(&self) -> &AnalysisOptions {
        &self.options
    }

    /// The declarations.
    pub fn declarations(&self) -> &Declarations {
        &self.declarations
    }

    /// The file of the declarations.
    pub fn source(&self) -> Option<&Source> {
        self.sources.declarations.as_ref()
    }

    /// An empty plan.
    pub fn plan(&self) -> Plan<'_> {
        let text = self.sources.declarations.as_ref().map_or("", Source::text);
        Plan::new(&self.engine, &self.declarations, text, &self.base, &self.data)
    }

    /// The declared categories of a variable of a frame, or of the one it comes from.
    pub fn categories(&self, frame: &str, variable: &str) -> &[Category] {
        let mut frame = frame;
        // A circle of frames is an error of its own.
        for _ in 0..plan::DEEPEST {
            let variables = self.declarations.variables.get(frame);
            if let Some(declared) = variables.and_then(|all| all.get(variable)) {
                return declared.categories();
            }
            let Some(derived) = self.declarations.marcos.get(frame) else { break };
            frame = &derived.desde;
        }
        &[]
    }

    /// What a name means, for the page's provenance.
    pub fn describe(&self, path: &str) -> Option<(String, Option<methods::Method>)> {
        if let Some(declared) = self.declarations.valores.get(path) {
            let text = declared.description();
            return Some((text.unwrap_or(declared.expression()).to_owned(), None));
        }
        let two = path.split('.').take(2).collect::<Vec<_>>().join(".");
        let value = catalogue::value(&two).map(|entry| (entry.meaning, entry.node));
        let column = || {
            let (frame, column) = path.split_once('.')?;
            catalogue::column(frame, column).map(|entry| (entry.meaning, entry.node))
        };
        let (meaning, node) = value.or_else(column)?;
        Some((meaning.to_owned(), Some(methods::of(node))))
    }

    /// What the nodes publish: remembered, or computed now and kept.
    fn published(
        &self,
        nodes: &BTreeSet<Node>,
        groups: &Groups,
        progress: &(dyn Fn(Node) + Sync),
    ) -> Published {
        let mut wanted = nodes.clone();
        Node::close(&mut wanted);
        let inputs = Inputs { data: &self.data, options: &self.options, groups };
        let memory = Memory::new(&self.cache, &inputs);
        let mut remembered: BTreeMap<Node, Published> =
            wanted.par_iter().filter_map(|&node| Some((node, memory.recall(node)?))).collect();
        let mut running: BTreeSet<Node> =
            wanted.iter().copied().filter(|node| !remembered.contains_key(node)).collect();
        // What they need runs again: only what is published is kept.
        Node::close(&mut running);
        let results = Results::default();
        graph::run(&running, &|node| {
            results.compute(node, &inputs);
            progress(node);
        });
        let mut published = Published::of_data(&self.data);
        for node in wanted {
            published.join(remembered.remove(&node).unwrap_or_else(|| {
                let now = publish(node, &results, &inputs);
                memory.keep(node, &now);
                now
            }));
        }
        published
    }

    /// Computes what the plan needs and evaluates its declarations.
    pub fn compute(
        &self,
        plan: &Plan,
        progress: &(dyn Fn(Node) + Sync),
    ) -> (Computed, Diagnostics) {
        let (groups, mut found) = self.groups();
        found.extend(self.misnamed());
        let published = self.published(&plan.nodes, &groups, progress);
        let values = published.values.clone();
        let (assembled, faults) = assembly::assemble(
            &self.engine,
            plan,
            &self.declarations,
            published,
            &self.data,
            self.sources.declarations.as_ref(),
        );
        if let Some(source) = self.source() {
            let planned = plan.faults.iter();
            found.extend(
                planned.map(|(at, fault)| fault_diagnostic(fault, source.place(at.clone()))),
            );
        }
        found.extend(faults);
        (Computed { assembled, values }, found)
    }
}
