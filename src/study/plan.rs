//! What an expression needs: nodes to compute and declarations to evaluate.
//!
//! A [`Plan`] follows the names of every expression that a chapter uses, through
//! the declarations that they mention, down to nodes of the graph. Names that
//! lead nowhere are reported where they are written.

use super::assembly::narrowed;
use super::catalogue;
use super::declarations::{Declarations, DerivedFrame};
use super::expression::{Engine, Fault, FaultKind, Names};
use super::graph::Node;
use super::input::{ITEM, StudyData};
use crate::diagnostics::{did_you_mean, nearest};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The frames of the data, before anything is computed: names and columns.
pub type BaseColumns = BTreeMap<String, BTreeSet<String>>;

/// Rows that share a key, in the columns of a grouped frame.
pub const GROUP: &str = "grupo";
/// Declarations that may lean one on the other: far more than a person writes, and
/// far fewer than would exhaust the stack.
pub const DEEPEST: usize = 100;
/// Names that every frame answers to.
const FRAME_ATTRIBUTES: [&str; 2] = ["disponible", "n_filas"];

/// The columns of the data's own frames.
pub fn base_columns(data: &StudyData) -> BaseColumns {
    let names = |frame: &crate::data::Frame| frame.names().map(String::from).collect();
    let mut base = BaseColumns::from([
        ("examinados".to_owned(), names(&data.examinees)),
        ("reactivos".to_owned(), BTreeSet::from([ITEM.to_owned()])),
    ]);
    if let Some(folders) = &data.folders {
        base.insert("carpetas".into(), names(folders));
        base.insert("excluidos".into(), names(folders));
    }
    for (name, frame) in &data.frames {
        base.insert(name.clone(), frame.as_ref().map(|frame| names(frame)).unwrap_or_default());
    }
    base
}

/// Collects what expressions need.
#[derive(Debug)]
pub struct Plan<'a> {
    engine: &'a Engine,
    declarations: &'a Declarations,
    base: &'a BaseColumns,
    /// The file of the declarations.
    text: &'a str,
    /// Frames whose file is absent: any column of theirs is taken for good.
    absent: BTreeSet<String>,
    /// Declarations being followed, one inside the other.
    depth: usize,
    /// Nodes to compute.
    pub nodes: BTreeSet<Node>,
    /// Declared values to evaluate.
    pub values: BTreeSet<String>,
    /// Derived frames to make.
    pub frames: BTreeSet<String>,
    /// Derived variables to evaluate: frame and name.
    pub variables: BTreeSet<(String, String)>,
    /// What is wrong with the declarations that are needed: the bytes of their file
    /// to blame, and why.
    pub faults: Vec<(Range<usize>, Fault)>,
    /// The names of those declarations.
    pub broken: BTreeSet<String>,
}

impl<'a> Plan<'a> {
    /// An empty plan.
    pub fn new(
        engine: &'a Engine,
        declarations: &'a Declarations,
        text: &'a str,
        base: &'a BaseColumns,
        data: &StudyData,
    ) -> Self {
        let absent = data.frames.iter().filter(|(_, frame)| frame.is_err());
        Self {
            engine,
            declarations,
            text,
            base,
            absent: absent.map(|(name, _)| name.clone()).collect(),
            depth: 0,
            nodes: BTreeSet::new(),
            values: BTreeSet::new(),
            frames: BTreeSet::new(),
            variables: BTreeSet::new(),
            faults: vec![],
            broken: BTreeSet::new(),
        }
    }

    /// Adds an expression evaluated once.
    pub fn expression(&mut self, text: &str) -> Result<(), Fault> {
        self.names(text, None)
    }

    /// Adds an expression evaluated for each row of a frame.
    pub fn row_expression(&mut self, frame: &str, text: &str) -> Result<(), Fault> {
        self.names(text, Some(frame))
    }

    /// Adds a frame with everything that it can have; of a frame that is not slow
    /// itself, without its slow columns, which are computed when they are named.
    pub fn whole_frame(&mut self, frame: &str) -> Result<(), Fault> {
        self.frame(frame)?;
        let all_slow =
            catalogue::COLUMNS.iter().filter(|c| c.frame == frame).all(|c| c.node.is_slow());
        let mut columns: Vec<String> = catalogue::COLUMNS
            .iter()
            .filter(|c| c.frame == frame && (all_slow || !c.node.is_slow()))
            .map(|c| c.column.into())
            .collect();
        if let Some(variables) = self.declarations.variables.get(frame) {
            columns.extend(variables.keys().map(String::from));
        }
        if let Some(derived) = self.declarations.marcos.get(frame) {
            columns.extend(derived.columnas.keys().map(String::from));
        }
        columns.iter().try_for_each(|column| self.column(frame, column).map(drop))
    }

    /// Whether a frame of that name exists.
    pub fn knows_frame(&self, name: &str) -> bool {
        self.base.contains_key(name)
            || catalogue::frames().any(|frame| frame == name)
            || self.declarations.marcos.get(name).is_some()
    }

    /// Every frame, for hints.
    pub fn frame_names(&self) -> Vec<String> {
        let mut names: BTreeSet<String> = self.base.keys().cloned().collect();
        names.extend(catalogue::frames().map(String::from));
        names.extend(self.declarations.marcos.keys().map(String::from));
        names.into_iter().collect()
    }

    fn names(&mut self, text: &str, row_of: Option<&str>) -> Result<(), Fault> {
        if self.depth == DEEPEST {
            let message = format!("declaraciones encadenadas a más de {DEEPEST} niveles");
            return Err(Fault::new(FaultKind::Evaluation, message));
        }
        self.depth += 1;
        let planned = self.names_at_depth(text, row_of);
        self.depth -= 1;
        planned
    }

    fn names_at_depth(&mut self, text: &str, row_of: Option<&str>) -> Result<(), Fault> {
        let names = self.engine.names(text)?;
        // The frames that the expression mentions: texts name their columns.
        let mut mentioned: BTreeSet<String> = row_of.map(str::to_owned).into_iter().collect();
        for path in names.all() {
            let root = path.split('.').next().unwrap_or(path);
            if self.knows_frame(root) {
                mentioned.insert(root.to_owned());
            }
        }
        for path in &names.paths {
            let is_column = match row_of {
                Some(frame) => self.row_name(frame, path)?,
                None => false,
            };
            if !is_column {
                self.path(path).map_err(|fault| {
                    located(self.reworded(fault, text, path, row_of), text, path)
                })?;
            }
        }
        self.inner(&names, &mentioned)
    }

    /// An unknown name in the words of what it was meant to be: a function where it
    /// is called, a column where rows are evaluated.
    fn reworded(&self, fault: Fault, text: &str, path: &str, row_of: Option<&str>) -> Fault {
        let is_value =
            !path.contains('.') || !self.knows_frame(path.split('.').next().unwrap_or(path));
        if fault.kind != FaultKind::UnknownName || !is_value {
            return fault;
        }
        if text.contains(&format!("{path}(")) {
            let functions: Vec<String> = self.engine.functions().map(String::from).collect();
            return unknown(path, format!("no existe la función «{path}»"), &functions);
        }
        match row_of {
            Some(frame) if !path.contains('.') => {
                let what = format!("«{path}» no es una columna de «{frame}» ni un valor");
                let mut names = self.columns_of(frame);
                match nearest(path, names.iter().map(String::as_str)) {
                    Some(_) => {}
                    None if nearest(path, self.every_name().iter().map(String::as_str))
                        .is_some() =>
                    {
                        names = self.every_name();
                    }
                    None => {}
                }
                unknown(path, what, &names)
            }
            _ => fault,
        }
    }

    /// Names inside texts: columns of a mentioned frame, or any other name. What
    /// is neither may be a plain text, so that nothing is reported here: the
    /// evaluation will, if it was meant as an expression.
    fn inner(&mut self, names: &Names, mentioned: &BTreeSet<String>) -> Result<(), Fault> {
        for name in &names.inner {
            let mut found = false;
            for frame in mentioned {
                found |= self.column(frame, name)?;
            }
            if !found && self.leads_somewhere(name) {
                match self.path(name) {
                    Err(fault) if fault.kind != FaultKind::UnknownName => return Err(fault),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Whether a name may be more than a plain text: most texts are not, and looking
    /// for what each one resembles would take longer than planning.
    fn leads_somewhere(&self, path: &str) -> bool {
        let root = path.split('.').next().unwrap_or(path);
        let declared = |name: &str| self.declarations.valores.get(name).is_some();
        let computed = catalogue::namespaces().any(|namespace| namespace == root);
        declared(path) || declared(root) || computed || self.knows_frame(root)
    }

    /// A name in a row expression that is a column, or part of the group.
    fn row_name(&mut self, frame: &str, path: &str) -> Result<bool, Fault> {
        match path.split_once('.') {
            None => self.column(frame, path),
            Some(_) => Ok(false),
        }
    }

    fn path(&mut self, path: &str) -> Result<(), Fault> {
        let (root, rest) = path.split_once('.').unwrap_or((path, ""));
        if self.declarations.valores.get(path).is_some() {
            return self.declared_value(path);
        }
        if self.declarations.valores.get(root).is_some() {
            return self.declared_value(root);
        }
        if self.knows_frame(root) {
            self.frame(root)?;
            let column = rest.split('.').next().unwrap_or(rest);
            if column.is_empty()
                || FRAME_ATTRIBUTES.contains(&column)
                || self.column(root, column)?
            {
                return Ok(());
            }
            let columns = self.columns_of(root);
            let what = format!("no existe la columna «{column}» en «{root}»");
            return Err(unknown(column, what, &columns));
        }
        let two: Vec<&str> = path.splitn(3, '.').collect();
        let name = two.iter().take(2).copied().collect::<Vec<_>>().join(".");
        if let Some(entry) = catalogue::value(&name) {
            self.nodes.insert(entry.node);
            return Ok(());
        }
        let mut fault = unknown(path, format!("no existe el valor «{path}»"), &self.every_name());
        // The list is long, and a command shows it whole.
        if fault.hint.as_ref().is_some_and(|hint| hint.starts_with("existen")) {
            fault.hint = Some("para ver los que hay: escritura valores CAPÍTULO".to_owned());
        }
        Err(fault)
    }

    fn declared_value(&mut self, name: &str) -> Result<(), Fault> {
        if !self.values.insert(name.to_owned()) {
            return Ok(());
        }
        if let Some(value) = self.declarations.valores.get(name) {
            let planned = self.names(value.expression(), None);
            self.keep(name, value.expression_range(self.text), planned);
        }
        Ok(())
    }

    /// Keeps the fault of a declaration, which is shown where it stands and not
    /// where it is used.
    fn keep(&mut self, name: &str, range: Range<usize>, planned: Result<(), Fault>) {
        if let Err(fault) = planned {
            let narrow = narrowed(range, &fault);
            self.faults.push((narrow, fault));
            self.broken.insert(name.to_owned());
        }
    }

    fn frame(&mut self, name: &str) -> Result<(), Fault> {
        let Some(derived) = self.declarations.marcos.get(name) else { return Ok(()) };
        if !self.frames.insert(name.to_owned()) {
            return Ok(());
        }
        if !self.knows_frame(&derived.desde) {
            let what = format!("no existe el marco «{}»", derived.desde.value);
            let fault = unknown(&derived.desde, what, &self.frame_names());
            self.keep(name, derived.desde.range.clone(), Err(fault));
            return Ok(());
        }
        self.frame(&derived.desde)?;
        for text in derived.filtro.iter() {
            let planned = self.names(text, Some(&derived.desde));
            self.keep(name, text.range.clone(), planned);
        }
        if let Some(key) = &derived.agrupar {
            self.column(&derived.desde, key)?;
        }
        for key in &derived.orden {
            let planned = self.names(key.strip_prefix('-').unwrap_or(key), Some(name));
            self.keep(name, key.range.clone(), planned);
        }
        Ok(())
    }

    /// Plans a column of a frame; `false` when the frame has none of that name.
    fn column(&mut self, frame: &str, column: &str) -> Result<bool, Fault> {
        if self.base.get(frame).is_some_and(|columns| columns.contains(column))
            || self.absent.contains(frame)
        {
            return Ok(true);
        }
        if let Some(entry) = catalogue::column(frame, column) {
            self.nodes.insert(entry.node);
            // A row for each model: the frame is what was fitted, all of it.
            if frame == "modelos" {
                self.nodes.extend([Node::Rasch, Node::TwoPl, Node::TwoPlPrior]);
            }
            return Ok(true);
        }
        let variable = self.declarations.variables.get(frame).and_then(|all| all.get(column));
        if let Some(variable) = variable {
            if self.variables.insert((frame.to_owned(), column.to_owned())) {
                let planned = self.names(variable.expression(), Some(frame));
                self.keep(column, variable.expression_range(self.text), planned);
            }
            return Ok(true);
        }
        match self.declarations.marcos.get(frame) {
            Some(derived) => self.derived_column(frame, derived, column),
            None => Ok(false),
        }
    }

    fn derived_column(
        &mut self,
        frame: &str,
        derived: &'a DerivedFrame,
        column: &str,
    ) -> Result<bool, Fault> {
        self.frame(frame)?;
        if let Some(expression) = derived.columnas.get(column) {
            if self.variables.insert((frame.to_owned(), column.to_owned())) {
                let planned = self.derived_expression(derived, expression);
                self.keep(column, expression.range.clone(), planned);
            }
            return Ok(true);
        }
        match &derived.agrupar {
            Some(key) => Ok(key.value == column),
            None => self.column(&derived.desde, column),
        }
    }

    /// The expression of a derived frame's column: over rows, or over `grupo`.
    fn derived_expression(&mut self, derived: &DerivedFrame, text: &str) -> Result<(), Fault> {
        let Some(key) = &derived.agrupar else {
            return self.names(text, Some(&derived.desde));
        };
        let names = self.engine.names(text)?;
        for path in &names.paths {
            let (root, rest) = path.split_once('.').unwrap_or((path, ""));
            if root == GROUP {
                if !rest.is_empty() && !FRAME_ATTRIBUTES.contains(&rest) {
                    self.column(&derived.desde, rest)?;
                }
            } else if *path != key.value && derived.columnas.get(path).is_none() {
                self.path(path).map_err(|fault| located(fault, text, path))?;
            }
        }
        let mut mentioned: BTreeSet<String> = BTreeSet::from([derived.desde.value.clone()]);
        mentioned.extend(names.paths.iter().filter(|p| self.knows_frame(p)).cloned());
        self.inner(&names, &mentioned)
    }

    fn columns_of(&self, frame: &str) -> Vec<String> {
        let mut columns: BTreeSet<String> = self.base.get(frame).cloned().unwrap_or_default();
        let computed = catalogue::COLUMNS.iter().filter(|entry| entry.frame == frame);
        columns.extend(computed.map(|entry| entry.column.to_owned()));
        if let Some(variables) = self.declarations.variables.get(frame) {
            columns.extend(variables.keys().map(String::from));
        }
        if let Some(derived) = self.declarations.marcos.get(frame) {
            columns.extend(derived.columnas.keys().map(String::from));
            columns.extend(derived.agrupar.iter().map(|key| key.value.clone()));
        }
        columns.into_iter().collect()
    }

    /// The column meant by one that the frames of an expression have not.
    pub fn nearest_column(&self, expression: &str, column: &str) -> Option<String> {
        let names = self.engine.names(expression).ok()?;
        let roots = names.all().map(|path| path.split('.').next().unwrap_or(path).to_owned());
        let frames: BTreeSet<String> = roots.filter(|root| self.knows_frame(root)).collect();
        let columns: Vec<String> = frames.iter().flat_map(|frame| self.columns_of(frame)).collect();
        did_you_mean(column, columns.iter().map(String::as_str))
    }

    fn every_name(&self) -> Vec<String> {
        let values = catalogue::VALUES.iter().map(|entry| entry.name.to_owned());
        let declared = self.declarations.valores.keys().map(String::from);
        values.chain(declared).chain(self.frame_names()).collect()
    }
}

fn unknown(name: &str, message: String, candidates: &[String]) -> Fault {
    let hint = did_you_mean(name, candidates.iter().map(String::as_str).collect::<Vec<_>>());
    Fault { hint, ..Fault::new(FaultKind::UnknownName, message) }
}

/// Points a fault at the name within the expression.
fn located(mut fault: Fault, text: &str, name: &str) -> Fault {
    if fault.range.is_none() {
        fault.range = text.find(name).map(|at| at..at + name.len());
    }
    fault
}
