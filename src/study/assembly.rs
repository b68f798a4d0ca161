//! From published results and declarations to the scope of the expressions.
//!
//! Declarations are evaluated in the order of their needs: a variable before the
//! frame that filters by it, a frame before the value that counts its rows. A
//! circle of them is an error.

use super::catalogue;
use super::declarations::{Declarations, DerivedFrame};
use super::expression::functions::sorted_rows;
use super::expression::{
    Engine, Fault, FaultKind, FrameValue, Namespace, Scope, rows, undefined, value_to_cell,
};
use super::input::StudyData;
use super::plan::{DEEPEST, GROUP, Plan};
use super::publish::{Datum, Published};
use crate::data::{Cell, Frame};
use crate::diagnostics::{Diagnostic, Diagnostics, Source, code};
use minijinja::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// What is there once everything planned has been evaluated.
#[derive(Debug, Default)]
pub struct Assembled {
    /// Names for expressions.
    pub scope: Arc<Scope>,
    /// Frames that exist, by name.
    pub frames: BTreeMap<String, Arc<Frame>>,
    /// Declared values that were evaluated.
    pub values: BTreeMap<String, Value>,
    /// Declared values, variables and frames whose own fault has been reported:
    /// what uses them is not to be reported as well.
    pub broken: BTreeSet<String>,
}

/// Evaluates what `plan` asks for.
pub fn assemble(
    engine: &Engine,
    plan: &Plan,
    declarations: &Declarations,
    published: Published,
    data: &StudyData,
    source: Option<&Source>,
) -> (Assembled, Diagnostics) {
    let mut frames: BTreeMap<String, Arc<Frame>> = published
        .frames
        .into_iter()
        .map(|(name, frame)| (name.to_owned(), Arc::new(frame)))
        .collect();
    let mut absent = BTreeMap::new();
    for (name, frame) in [("carpetas", &data.folders), ("excluidos", &data.excluded)] {
        match frame {
            Some(frame) => drop(frames.insert(name.into(), Arc::new(frame.clone()))),
            None => drop(absent.insert(name.to_owned(), "una tabla de examinados".to_owned())),
        }
    }
    for (name, frame) in &data.frames {
        match frame {
            Ok(frame) => drop(frames.insert(name.clone(), frame.clone())),
            Err(file) => drop(absent.insert(name.clone(), file.clone())),
        }
    }
    let mut assembler = Assembler {
        engine,
        plan,
        declarations,
        source,
        frames,
        absent,
        namespaces: namespaces(&published.values),
        values: BTreeMap::new(),
        finished: BTreeSet::new(),
        under_way: vec![],
        broken: plan.broken.clone(),
        found: Diagnostics::new(),
    };
    assembler.run();
    let scope = Arc::new(assembler.scope());
    let Assembler { frames, values, broken, found, .. } = assembler;
    (Assembled { scope, frames, values, broken }, found)
}

/// A published value as the language sees it.
pub fn datum_value(datum: &Datum) -> Value {
    match datum {
        Datum::Integer(value) => Value::from(*value),
        Datum::Number(value) => Value::from(*value),
        Datum::Truth(value) => Value::from(*value),
        Datum::Text(text) => Value::from(text.as_str()),
        Datum::List(values) => Value::from(values.clone()),
        Datum::Names(names) => Value::from(names.clone()),
        Datum::Undefined(reason) => undefined(reason),
    }
}

/// The published values by namespace: every one of the catalogue is there, so that
/// a slip in a name is told apart from a value that was not computed.
fn namespaces(values: &BTreeMap<&'static str, Datum>) -> Namespaces {
    let mut all: Namespaces =
        catalogue::namespaces().map(|namespace| (namespace.to_owned(), BTreeMap::new())).collect();
    for (full, datum) in values {
        let (namespace, name) = full.split_once('.').unwrap_or((full, ""));
        let group = all.entry(namespace.to_owned()).or_default();
        group.insert(name.to_owned(), datum_value(datum));
    }
    all
}

/// Values by the two halves of their names.
type Namespaces = BTreeMap<String, BTreeMap<String, Value>>;

/// Something declared: the unit of evaluation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Declared {
    Variable(String, String),
    Frame(String),
    Value(String),
}

impl Declared {
    /// Its name, as expressions use it.
    fn name(&self) -> String {
        match self {
            Self::Variable(_, name) | Self::Frame(name) | Self::Value(name) => name.clone(),
        }
    }
}

struct Assembler<'a> {
    engine: &'a Engine,
    plan: &'a Plan<'a>,
    declarations: &'a Declarations,
    source: Option<&'a Source>,
    frames: BTreeMap<String, Arc<Frame>>,
    absent: BTreeMap<String, String>,
    namespaces: Namespaces,
    values: BTreeMap<String, Value>,
    finished: BTreeSet<Declared>,
    under_way: Vec<Declared>,
    broken: BTreeSet<String>,
    found: Diagnostics,
}

impl Assembler<'_> {
    fn run(&mut self) {
        let plan = self.plan;
        for (frame, name) in &plan.variables {
            // Columns of derived frames come with their frame.
            if self.declarations.marcos.get(frame).is_none() {
                self.make(Declared::Variable(frame.clone(), name.clone()));
            }
        }
        plan.frames.iter().for_each(|name| self.make(Declared::Frame(name.clone())));
        plan.values.iter().for_each(|name| self.make(Declared::Value(name.clone())));
    }

    fn scope(&self) -> Scope {
        let mut scope = Scope::default();
        // A declared value may join a computed namespace: `datos.n_sin_datos`.
        let mut namespaces = self.namespaces.clone();
        for (name, value) in &self.values {
            match name.split_once('.') {
                Some((namespace, rest)) => {
                    let group = namespaces.entry(namespace.to_owned()).or_default();
                    group.insert(rest.to_owned(), value.clone());
                }
                None => scope.set(name, value.clone()),
            }
        }
        for (name, values) in namespaces {
            scope.set(&name, Value::from_object(Namespace::new(&name, values)));
        }
        for (name, frame) in &self.frames {
            scope.set(name, FrameValue::present(frame.clone()));
        }
        self.absent.iter().for_each(|(name, file)| scope.set(name, FrameValue::absent(file)));
        scope
    }

    /// Makes a declared thing, after those it needs; once.
    fn make(&mut self, what: Declared) {
        if self.finished.contains(&what) {
            return;
        }
        if self.under_way.contains(&what) {
            let (place, name) = self.place_and_name(&what);
            let message = format!("la declaración de «{name}» se necesita a sí misma");
            let circle: Vec<String> =
                self.under_way.iter().skip_while(|one| **one != what).map(Declared::name).collect();
            let note = format!("el círculo: {} → {}", circle.join(" → "), what.name());
            let diagnostic = Diagnostic::new(code::EXPRESSION, self.source_place(place), message);
            self.found.push(diagnostic.note(note));
            self.broken.insert(what.name());
            return;
        }
        if self.under_way.len() == DEEPEST {
            return; // Reported by the plan.
        }
        self.under_way.push(what.clone());
        self.needs(&what).into_iter().for_each(|need| self.make(need));
        match &what {
            Declared::Variable(frame, name) => self.variable(frame, name),
            Declared::Frame(name) => self.derived_frame(name),
            Declared::Value(name) => self.declared_value(name),
        }
        self.under_way.pop();
        self.finished.insert(what);
    }

    /// The declared things that a declared thing names, itself aside.
    fn needs(&self, what: &Declared) -> Vec<Declared> {
        let texts: Vec<&str> = match what {
            Declared::Variable(frame, name) => {
                let variable = self.declarations.variables.get(frame).and_then(|v| v.get(name));
                variable.iter().map(|variable| variable.expression()).collect()
            }
            Declared::Value(name) => {
                self.declarations.valores.get(name).iter().map(|v| v.expression()).collect()
            }
            Declared::Frame(name) => self.frame_texts(name),
        };
        let mut needs = BTreeSet::new();
        for text in texts {
            let names = self.engine.names(text).unwrap_or_default();
            for name in names.all() {
                let root = name.split('.').next().unwrap_or(name);
                for (frame, variable) in &self.plan.variables {
                    if variable == name || name == format!("{frame}.{variable}") {
                        needs.insert(Declared::Variable(frame.clone(), variable.clone()));
                    }
                }
                for known in [name, root] {
                    if self.plan.frames.contains(known) {
                        needs.insert(Declared::Frame(known.to_owned()));
                    }
                    if self.plan.values.contains(known) {
                        needs.insert(Declared::Value(known.to_owned()));
                    }
                }
            }
        }
        // A column may bear the name of its own frame's variable or of a value.
        let own_frame = match what {
            Declared::Variable(frame, _) => Some(frame),
            _ => None,
        };
        let derived = |frame: &String| self.declarations.marcos.get(frame).is_some();
        needs
            .into_iter()
            .map(|need| match need {
                Declared::Variable(frame, _) if derived(&frame) => Declared::Frame(frame),
                other => other,
            })
            .filter(|need| match (need, what) {
                (Declared::Frame(a), Declared::Frame(b)) => a != b,
                (Declared::Variable(frame, _), Declared::Variable(..)) => Some(frame) == own_frame,
                _ => true,
            })
            .collect()
    }

    fn frame_texts(&self, name: &str) -> Vec<&str> {
        let Some(derived) = self.declarations.marcos.get(name) else { return vec![] };
        let mut texts: Vec<&str> = vec![&derived.desde];
        texts.extend(derived.filtro.iter().map(|text| text.value.as_str()));
        texts.extend(derived.agrupar.iter().map(|text| text.value.as_str()));
        texts.extend(derived.columnas.iter().map(|(_, text)| text.value.as_str()));
        texts
    }

    fn variable(&mut self, frame_name: &str, name: &str) {
        let variable = self.declarations.variables.get(frame_name).and_then(|v| v.get(name));
        let (Some(variable), Some(frame)) = (variable, self.frames.get(frame_name).cloned()) else {
            return;
        };
        let scope = Arc::new(self.scope());
        match self.engine.eval_rows(variable.expression(), &frame, &scope) {
            Ok(values) => {
                let mut frame = (*frame).clone();
                frame.set(name, cells(&values));
                self.frames.insert(frame_name.to_owned(), Arc::new(frame));
            }
            Err(fault) => {
                let at = variable.expression_range(self.text());
                self.fault(name, at, variable.expression(), &fault);
            }
        }
    }

    fn declared_value(&mut self, name: &str) {
        let Some(value) = self.declarations.valores.get(name) else { return };
        let scope = Arc::new(self.scope());
        let result = match self.engine.eval(value.expression(), &scope) {
            Ok(result) => result,
            Err(fault) => {
                // Not defined for these data: whoever prints it says so.
                if fault.kind != FaultKind::Undefined || self.is_broken(value.expression()) {
                    let at = value.expression_range(self.text());
                    self.fault(name, at, value.expression(), &fault);
                }
                undefined(&fault.message)
            }
        };
        self.values.insert(name.to_owned(), result);
    }

    fn derived_frame(&mut self, name: &str) {
        let Some(derived) = self.declarations.marcos.get(name) else { return };
        let Some(from) = self.frames.get(&derived.desde.value).cloned() else {
            let reason = self.absent.get(&derived.desde.value).cloned();
            self.absent
                .insert(name.to_owned(), reason.unwrap_or_else(|| derived.desde.value.clone()));
            return;
        };
        match self.derive(name, derived, from) {
            Ok(frame) => drop(self.frames.insert(name.to_owned(), Arc::new(frame))),
            Err((range, fault)) => {
                let uses_broken = self.broken.contains(name)
                    || self.frame_texts(name).iter().any(|text| self.is_broken(text));
                if uses_broken {
                    self.broken.insert(name.to_owned());
                } else if fault.kind != FaultKind::Undefined {
                    self.fault(name, range, "", &fault);
                }
                self.absent.insert(name.to_owned(), fault.message);
            }
        }
    }

    fn derive(
        &self,
        name: &str,
        derived: &DerivedFrame,
        mut from: Arc<Frame>,
    ) -> Result<Frame, (Range<usize>, Fault)> {
        let scope = Arc::new(self.scope());
        if let Some(condition) = &derived.filtro {
            let at = |fault| (condition.range.clone(), fault);
            let kept = self.engine.matching(condition, &from, &scope).map_err(at)?;
            from = Arc::new(from.select(&kept));
        }
        let mut frame = match &derived.agrupar {
            Some(key) => self.grouped(name, derived, key, &from, &scope)?,
            None => (*from).clone(),
        };
        if derived.agrupar.is_none() {
            for (column, text) in derived.columnas.iter().filter(|(c, _)| self.wanted(name, c)) {
                let at = |fault| (text.range.clone(), fault);
                let current = Arc::new(frame.clone());
                frame.set(
                    column,
                    cells(&self.engine.eval_rows(text, &current, &scope).map_err(at)?),
                );
            }
        }
        let mut frame = Arc::new(frame);
        for key in derived.orden.iter().rev() {
            let order = self.engine.order(std::slice::from_ref(&key.value), &frame, &scope);
            let order = order.map_err(|fault| (key.range.clone(), fault))?;
            frame = Arc::new(frame.select(&order));
        }
        if let Some(limit) = derived.limite.filter(|limit| *limit < frame.n_rows()) {
            frame = Arc::new(frame.select(&(0..limit).collect::<Vec<_>>()));
        }
        Ok(Arc::unwrap_or_clone(frame))
    }

    fn wanted(&self, frame: &str, column: &str) -> bool {
        self.plan.variables.contains(&(frame.to_owned(), column.to_owned()))
    }

    /// One row for each value of `key`, in order of appearance.
    fn grouped(
        &self,
        name: &str,
        derived: &DerivedFrame,
        key: &crate::yaml::Located<String>,
        from: &Arc<Frame>,
        scope: &Arc<Scope>,
    ) -> Result<Frame, (Range<usize>, Fault)> {
        let Some(keys) = from.column(key) else {
            let message = format!("no hay columna «{}» en «{}»", key.value, derived.desde.value);
            let fault = Fault::new(FaultKind::UnknownName, message);
            return Err((key.range.clone(), fault));
        };
        let mut groups: Vec<(Cell, Vec<usize>)> = vec![];
        for (row, cell) in keys.iter().enumerate() {
            match groups.iter_mut().find(|(one, _)| one == cell) {
                Some((_, rows)) => rows.push(row),
                None => groups.push((cell.clone(), vec![row])),
            }
        }
        let mut frame =
            Frame::new(groups.len()).with(key, groups.iter().map(|(cell, _)| cell.clone()));
        let parts: Vec<Value> = groups
            .iter()
            .map(|(_, rows)| FrameValue::present(Arc::new(from.select(rows))))
            .collect();
        for (column, text) in derived.columnas.iter().filter(|(c, _)| self.wanted(name, c)) {
            let at = |fault| (text.range.clone(), fault);
            let current = Arc::new(frame.clone());
            let values = self.engine.eval_groups(text, GROUP, &parts, &current, scope);
            frame.set(column, cells(&values.map_err(at)?));
        }
        Ok(frame)
    }

    fn text(&self) -> &str {
        self.source.map_or("", Source::text)
    }

    fn source_place(&self, range: Range<usize>) -> crate::diagnostics::Place {
        self.source.map_or(crate::diagnostics::Place::Nowhere, |source| source.place(range))
    }

    fn place_and_name(&self, what: &Declared) -> (Range<usize>, String) {
        match what {
            Declared::Variable(frame, name) => {
                let variable = self.declarations.variables.get(frame).and_then(|v| v.get(name));
                let range = variable.map_or(0..0, |v| v.expression_range(self.text()));
                (range, format!("{frame}.{name}"))
            }
            Declared::Frame(name) => {
                let derived = self.declarations.marcos.get(name);
                (derived.map_or(0..0, |d| d.desde.range.clone()), name.clone())
            }
            Declared::Value(name) => {
                let value = self.declarations.valores.get(name);
                (value.map_or(0..0, |v| v.expression_range(self.text())), name.clone())
            }
        }
    }

    /// Reports what is wrong with the declaration of `name`, unless it only uses
    /// another that has been reported.
    fn fault(&mut self, name: &str, at: Range<usize>, expression: &str, fault: &Fault) {
        if !self.broken.contains(name) && !self.is_broken(expression) {
            let place = self.source_place(narrowed(at, fault));
            self.found.push(fault_diagnostic(fault, place));
        }
        self.broken.insert(name.to_owned());
    }

    fn is_broken(&self, expression: &str) -> bool {
        mentions(self.engine, expression, &self.broken)
    }
}

/// Whether an expression names one of `names`.
pub fn mentions(engine: &Engine, expression: &str, names: &BTreeSet<String>) -> bool {
    let used = engine.names(expression).unwrap_or_default();
    !names.is_empty()
        && used
            .all()
            .any(|path| names.contains(path) || path.split('.').any(|part| names.contains(part)))
}

/// The part of an expression's range that a fault blames.
pub fn narrowed(expression: Range<usize>, fault: &Fault) -> Range<usize> {
    match &fault.range {
        Some(part) if expression.start + part.end <= expression.end => {
            expression.start + part.start..expression.start + part.end
        }
        _ => expression,
    }
}

/// A fault as a diagnostic.
pub fn fault_diagnostic(fault: &Fault, place: crate::diagnostics::Place) -> Diagnostic {
    let kind = match fault.kind {
        FaultKind::UnknownName => code::UNKNOWN_VALUE,
        FaultKind::Undefined => code::UNDEFINED_VALUE,
        FaultKind::Syntax | FaultKind::Evaluation => code::EXPRESSION,
    };
    let message = match fault.kind {
        FaultKind::Undefined => format!("valor sin definir: {}", fault.message),
        _ => fault.message.clone(),
    };
    Diagnostic::new(kind, place, message).hint(fault.hint.clone())
}

fn cells(values: &[Option<Value>]) -> Vec<Cell> {
    values.iter().map(|value| value.as_ref().map_or(Cell::Missing, value_to_cell)).collect()
}

impl Engine {
    /// The rows of a frame that fulfil a condition.
    pub fn matching(
        &self,
        condition: &str,
        frame: &Arc<Frame>,
        scope: &Arc<Scope>,
    ) -> Result<Vec<usize>, Fault> {
        let mut kept = vec![];
        for (row, value) in self.eval_rows(condition, frame, scope)?.into_iter().enumerate() {
            if let Some(value) = value
                && super::expression::truth(&value)
                    .map_err(|e| super::expression::fault(condition, &e))?
            {
                kept.push(row);
            }
        }
        Ok(kept)
    }

    /// Row numbers of a frame in the order of the keys.
    pub fn order(
        &self,
        keys: &[String],
        frame: &Arc<Frame>,
        scope: &Arc<Scope>,
    ) -> Result<Vec<usize>, Fault> {
        let outer = |name: &str| scope.get(name).cloned();
        sorted_rows(frame, keys, |text, frame| rows(self.environment(), text, frame, &outer))
            .map_err(|error| super::expression::fault(&keys.join(" "), &error))
    }

    /// Evaluates an expression for each row of a frame of groups, the group's own
    /// rows being the frame `group`.
    fn eval_groups(
        &self,
        text: &str,
        group: &str,
        parts: &[Value],
        frame: &Arc<Frame>,
        scope: &Arc<Scope>,
    ) -> Result<Vec<Option<Value>>, Fault> {
        let one = |(row, part): (usize, &Value)| {
            let row = Arc::new(frame.select(&[row]));
            let outer = |name: &str| {
                if name == group { Some(part.clone()) } else { scope.get(name).cloned() }
            };
            match rows(self.environment(), text, &row, &outer) {
                Ok(mut values) => Ok(values.pop().flatten()),
                Err(error) => match super::expression::fault(text, &error) {
                    // A group too small for a statistic lacks it; the rest have it.
                    fault if fault.kind == FaultKind::Undefined => Ok(None),
                    fault => Err(fault),
                },
            }
        };
        parts.iter().enumerate().map(one).collect()
    }
}
