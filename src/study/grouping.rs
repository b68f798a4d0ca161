//! The groups that the options declare, resolved to positions.
//!
//! They are needed before anything is computed: what they name are columns of the
//! data or variables derived from them.

use super::expression::{Scope, value_to_cell};
use super::input::ITEM;
use super::options::{DoubtfulItems, ExamineeGroups};
use super::results::{Groups, Outcome};
use super::{Study, fault_diagnostic, narrowed};
use crate::data::{Cell, Frame};
use crate::diagnostics::{Diagnostic, Diagnostics, Place, code, did_you_mean};
use crate::psychometrics::dif::Group;
use crate::yaml::Located;
use std::collections::BTreeSet;
use std::sync::Arc;

impl Study {
    /// The declared groups.
    pub(super) fn groups(&self) -> (Groups, Diagnostics) {
        let mut found = Diagnostics::new();
        let mut groups = Groups::default();
        if let Some(declared) = &self.options.grupos
            && let Some(labels) = self.labels("examinados", &declared.variable, &mut found)
        {
            found.extend(self.unknown_groups(declared, &labels));
            found.extend(self.one_group_twice(declared));
            groups.without_base = without_base(declared, &labels);
            groups.dif = focal_group(declared, &labels);
        }
        if let Some(column) = &self.options.bloques {
            groups.blocks = self.labels("reactivos", column, &mut found).map(blocks);
        }
        groups.doubtful = self.options.reactivos_dudosos.as_ref().and_then(|declared| {
            let place = self.in_options(declared);
            match &declared.value {
                DoubtfulItems::Names(names) => self.named_items(names, &place, &mut found),
                DoubtfulItems::Condition(condition) => {
                    self.items_that_fulfil(condition, place, &mut found)
                }
            }
        });
        (groups, found)
    }

    /// The values of a column of the data or of a variable derived from them; empty
    /// where there is none.
    fn labels(
        &self,
        frame_name: &str,
        column: &Located<String>,
        found: &mut Diagnostics,
    ) -> Option<Vec<String>> {
        let frame = match frame_name {
            "examinados" => self.data.examinees.clone(),
            _ => self.bare_items(),
        };
        if let Some(cells) = frame.column(column) {
            return Some(cells.iter().map(ToString::to_string).collect());
        }
        let variables = self.declarations.variables.get(frame_name);
        let Some(variable) = variables.and_then(|all| all.get(&column.value)) else {
            let candidates =
                variables.map(|all| all.keys().collect::<Vec<_>>()).unwrap_or_default();
            let message = format!("no hay columna «{}» en «{frame_name}»", column.value);
            let hint = did_you_mean(column, frame.names().chain(candidates).collect::<Vec<_>>());
            let place = self.in_options(column);
            found.push(Diagnostic::new(code::UNKNOWN_VALUE, place, message).hint(hint));
            return None;
        };
        let scope = Arc::new(Scope::default());
        match self.engine.eval_rows(variable.expression(), &Arc::new(frame), &scope) {
            Ok(values) => {
                let cell = |v: &Option<_>| v.as_ref().map_or(Cell::Missing, value_to_cell);
                Some(values.iter().map(|value| cell(value).to_string()).collect())
            }
            Err(fault) => {
                let place = self.source().map_or(Place::Nowhere, |source| {
                    source.place(narrowed(variable.expression_range(source.text()), &fault))
                });
                found.push(fault_diagnostic(&fault, place));
                None
            }
        }
    }

    /// The positions of items by name.
    fn named_items(
        &self,
        names: &[String],
        place: &Place,
        found: &mut Diagnostics,
    ) -> Option<Vec<usize>> {
        let items: Vec<&str> = self.data.items.iter().collect();
        let position = |name: &String| {
            let at = items.iter().position(|item| item == name);
            if at.is_none() {
                let message = format!("«reactivos_dudosos» nombra «{name}», que no es un reactivo");
                let hint = did_you_mean(name, items.iter().copied());
                let place = place.clone();
                found.push(Diagnostic::new(code::UNKNOWN_VALUE, place, message).hint(hint));
            }
            at
        };
        names.iter().map(position).collect()
    }

    /// The positions of the items that fulfil a condition over their names and the
    /// variables that can be derived from these.
    fn items_that_fulfil(
        &self,
        condition: &str,
        place: Place,
        found: &mut Diagnostics,
    ) -> Option<Vec<usize>> {
        let scope = Arc::new(Scope::default());
        let mut frame = Arc::new(self.bare_items());
        let variables = self.declarations.variables.get("reactivos");
        for (name, variable) in variables.iter().flat_map(|all| all.iter()) {
            // A variable over computed columns cannot be had yet: a condition that
            // names it is reported below.
            if let Ok(values) = self.engine.eval_rows(variable.expression(), &frame, &scope) {
                let cell = |v: &Option<_>| v.as_ref().map_or(Cell::Missing, value_to_cell);
                frame = Arc::new((*frame).clone().with(name, values.iter().map(cell)));
            }
        }
        match self.engine.matching(condition, &frame, &scope) {
            Ok(items) => Some(items),
            Err(mut fault) => {
                fault.message = format!("«reactivos_dudosos»: {}", fault.message);
                found.push(fault_diagnostic(&fault, place));
                None
            }
        }
    }

    fn bare_items(&self) -> Frame {
        Frame::new(self.data.items.len()).with(ITEM, self.data.items.iter())
    }

    /// Groups that neither the data nor the categories of their variable have. Those
    /// of a category may be missing from the data of the day.
    fn unknown_groups(&self, declared: &ExamineeGroups, labels: &[String]) -> Vec<Diagnostic> {
        let categories = self.categories("examinados", &declared.variable);
        let mut names: BTreeSet<&str> = labels.iter().map(String::as_str).collect();
        names.extend(categories.iter().map(|category| category.valor.as_str()));
        let groups = [&declared.base, &declared.focal].into_iter().flatten();
        let unknown = groups.filter(|group| !names.contains(group.as_str()));
        unknown
            .map(|group| {
                let (variable, name) = (&declared.variable.value, &group.value);
                let message = format!("«{variable}» no vale «{name}» en ningún examinado");
                let hint = did_you_mean(name, names.iter().copied()).unwrap_or_else(|| {
                    format!("si otros datos lo tienen, póngalo en «categorias» de «{variable}»")
                });
                let place = self.in_options(group);
                Diagnostic::new(code::UNKNOWN_VALUE, place, message).hint(Some(hint))
            })
            .collect()
    }

    /// The group left out of the sensitivity analyses and the focal one are two.
    fn one_group_twice(&self, declared: &ExamineeGroups) -> Option<Diagnostic> {
        let (base, focal) = (declared.base.as_ref()?, declared.focal.as_ref()?);
        (base.value == focal.value).then(|| {
            let message = format!("«{}» es el grupo base y no puede ser el focal", focal.value);
            Diagnostic::new(code::CONFIG, self.in_options(focal), message)
                .hint(Some("el focal se compara con todos los demás, también con el base".into()))
        })
    }

    fn in_options<T>(&self, option: &Located<T>) -> Place {
        self.sources.options.as_ref().map_or(Place::Nowhere, |source| option.place(source))
    }
}

/// Examinees outside the base group, where one is declared; it must exist.
fn without_base(declared: &ExamineeGroups, labels: &[String]) -> Option<Outcome<Vec<usize>>> {
    let base = &declared.base.as_ref()?.value;
    let rest: Vec<usize> = (0..labels.len()).filter(|&i| labels[i] != *base).collect();
    Some(match rest.len() == labels.len() {
        true => Err(format!("ningún examinado es del grupo «{base}»")),
        false => Ok(rest),
    })
}

/// The focal group, where one is declared, against the rest; who has no label is in
/// neither.
fn focal_group(declared: &ExamineeGroups, labels: &[String]) -> Option<Vec<Option<Group>>> {
    let focal = &declared.focal.as_ref()?.value;
    let group = |label: &String| match label {
        none if none.is_empty() => None,
        label if label == focal => Some(Group::Focal),
        _ => Some(Group::Reference),
    };
    Some(labels.iter().map(group).collect())
}

/// The names of the blocks, in order of appearance, and the block of each item.
fn blocks(labels: Vec<String>) -> (Vec<String>, Vec<usize>) {
    let mut names: Vec<String> = vec![];
    let position = |label: String| {
        names.iter().position(|name| *name == label).unwrap_or_else(|| {
            names.push(label);
            names.len() - 1
        })
    };
    let positions = labels.into_iter().map(position).collect();
    (names, positions)
}
