//! A chapter's data and options as a graph of named results.
//!
//! A [`Study`] is opened on data, options and declarations; it is told which
//! expressions will be evaluated ([`Plan`]); it computes what they need, once and
//! in parallel ([`Study::compute`]); and from then on it evaluates them.

mod assembly;
pub mod catalogue;
pub mod declarations;
pub mod expression;
pub mod graph;
pub mod input;
pub mod options;
pub mod plan;
pub mod publish;
pub mod reasons;
mod results;

pub use assembly::{Assembled, fault_diagnostic, mentions, narrowed};
pub use plan::Plan;

use crate::data::Cell;
use crate::diagnostics::{Diagnostic, Diagnostics, Source, code, did_you_mean};
use declarations::{Category, Declarations};
use expression::{Engine, Scope};
use graph::Node;
use input::{ITEM, StudyData};
use options::AnalysisOptions;
use plan::{BaseColumns, base_columns};
use publish::{Datum, publish};
use results::{Groups, Inputs, Results};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Data, options and declarations, ready to be planned and computed.
#[derive(Debug)]
pub struct Study {
    engine: Engine,
    data: StudyData,
    options: AnalysisOptions,
    declarations: Declarations,
    /// Where the declarations stand.
    source: Option<Source>,
    base: BaseColumns,
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
    /// Opens a study. `source` is the file of the declarations, if there is one.
    pub fn new(
        data: StudyData,
        options: AnalysisOptions,
        declarations: Declarations,
        source: Option<Source>,
    ) -> Self {
        let base = base_columns(&data);
        Self { engine: Engine::new(), data, options, declarations, source, base }
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
        self.source.as_ref()
    }

    /// An empty plan.
    pub fn plan(&self) -> Plan<'_> {
        let text = self.source.as_ref().map_or("", Source::text);
        Plan::new(&self.engine, &self.declarations, text, &self.base, &self.data)
    }

    /// The declared categories of a variable, in whatever frame it is.
    pub fn categories(&self, frame: &str, variable: &str) -> &[Category] {
        let variables = self.declarations.variables.get(frame);
        let declared = variables.and_then(|all| all.get(variable));
        declared.map_or(&[], |variable| variable.categories())
    }

    /// What a name means, for the page's provenance.
    pub fn describe(&self, path: &str) -> Option<String> {
        if let Some(declared) = self.declarations.valores.get(path) {
            let text = declared.description();
            return Some(text.unwrap_or(declared.expression()).to_owned());
        }
        let two = path.split('.').take(2).collect::<Vec<_>>().join(".");
        if let Some(entry) = catalogue::value(&two) {
            return Some(entry.meaning.to_owned());
        }
        let (frame, column) = path.split_once('.')?;
        catalogue::column(frame, column).map(|entry| entry.meaning.to_owned())
    }

    /// Computes what the plan needs and evaluates its declarations.
    pub fn compute(
        &self,
        plan: &Plan,
        progress: &(dyn Fn(Node) + Sync),
    ) -> (Computed, Diagnostics) {
        let (groups, mut found) = self.groups();
        let mut nodes = plan.nodes.clone();
        Node::close(&mut nodes);
        let results = Results::default();
        let inputs = Inputs { data: &self.data, options: &self.options, groups: &groups };
        graph::run(&nodes, &|node| {
            results.compute(node, &inputs);
            progress(node);
        });
        let published = publish(nodes, &results, &self.data, &groups);
        let values = published.values.clone();
        let (assembled, faults) = assembly::assemble(
            &self.engine,
            plan,
            &self.declarations,
            published,
            &self.data,
            self.source.as_ref(),
        );
        if let Some(source) = &self.source {
            let planned = plan.faults.iter();
            found.extend(
                planned.map(|(at, fault)| fault_diagnostic(fault, source.place(at.clone()))),
            );
        }
        found.extend(faults);
        (Computed { assembled, values }, found)
    }

    /// The declared groups, from columns of the data or variables derived from them.
    fn groups(&self) -> (Groups, Diagnostics) {
        let mut found = Diagnostics::new();
        let mut groups = Groups::default();
        if let Some(declared) = &self.options.grupos
            && let Some(base) = &declared.base
        {
            let labels = self.labels("examinados", &declared.variable, &mut found);
            let outside = |labels: Vec<String>| {
                let keep = |(i, label): (usize, &String)| (*label != base.value).then_some(i);
                labels.iter().enumerate().filter_map(keep).collect()
            };
            groups.without_base = labels.map(outside);
        }
        if let Some(column) = &self.options.bloques {
            groups.blocks = self.labels("reactivos", column, &mut found).map(|labels| {
                let mut names: Vec<String> = vec![];
                let position = |label: String| {
                    names.iter().position(|name| *name == label).unwrap_or_else(|| {
                        names.push(label);
                        names.len() - 1
                    })
                };
                let positions = labels.into_iter().map(position).collect();
                (names, positions)
            });
        }
        (groups, found)
    }

    /// The values of a column of the data or of a variable derived from them.
    fn labels(
        &self,
        frame_name: &str,
        column: &str,
        found: &mut Diagnostics,
    ) -> Option<Vec<String>> {
        let frame = match frame_name {
            "examinados" => self.data.examinees.clone(),
            _ => crate::data::Frame::new(self.data.items.len()).with(ITEM, self.data.items.iter()),
        };
        if let Some(cells) = frame.column(column) {
            return Some(cells.iter().map(ToString::to_string).collect());
        }
        let variables = self.declarations.variables.get(frame_name);
        let Some(variable) = variables.and_then(|all| all.get(column)) else {
            let candidates =
                variables.map(|all| all.keys().collect::<Vec<_>>()).unwrap_or_default();
            let message = format!("no hay columna «{column}» en «{frame_name}» para agrupar");
            let hint = did_you_mean(column, frame.names().chain(candidates).collect::<Vec<_>>());
            let place = self.source.as_ref().map_or(crate::diagnostics::Place::Nowhere, Into::into);
            found.push(Diagnostic::new(code::UNKNOWN_VALUE, place, message).hint(hint));
            return None;
        };
        let scope = Arc::new(Scope::default());
        match self.engine.eval_rows(variable.expression(), &Arc::new(frame), &scope) {
            Ok(values) => Some(
                values
                    .iter()
                    .map(|value| value.as_ref().map_or(Cell::Missing, expression::value_to_cell))
                    .map(|cell| cell.to_string())
                    .collect(),
            ),
            Err(fault) => {
                let text = self.source.as_ref().map_or("", Source::text);
                let range = narrowed(variable.expression_range(text), &fault);
                let place = self
                    .source
                    .as_ref()
                    .map_or(crate::diagnostics::Place::Nowhere, |source| source.place(range));
                found.push(fault_diagnostic(&fault, place));
                None
            }
        }
    }
}
