//! Declarations whose names cannot be used.

use super::{Study, catalogue};
use crate::diagnostics::{Diagnostic, Diagnostics, code, did_you_mean};

impl Study {
    /// Declarations whose name is already another's: they would change what it means.
    pub(super) fn misnamed(&self) -> Diagnostics {
        let mut found = Diagnostics::new();
        let Some(source) = &self.source else { return found };
        let mut taken = |range: std::ops::Range<usize>, what: String| {
            found.push(Diagnostic::new(code::DUPLICATE_NAME, source.place(range), what));
        };
        let is_frame = |name: &str| {
            self.base.contains_key(name) || catalogue::frames().any(|frame| frame == name)
        };
        let is_namespace = |name: &str| catalogue::namespaces().any(|one| one == name);
        for (name, _) in self.declarations.valores.iter() {
            let of_a_frame = is_frame(name) || self.declarations.marcos.get(name).is_some();
            if catalogue::value(name).is_some() || of_a_frame || is_namespace(name) {
                taken(name.range.clone(), format!("«{}» ya es el nombre de otra cosa", name.value));
            }
        }
        for (name, _) in self.declarations.marcos.iter() {
            if is_frame(name) || is_namespace(name) {
                taken(name.range.clone(), format!("ya existe un marco «{}»", name.value));
            }
        }
        for (frame, variables) in self.declarations.variables.iter() {
            for (name, _) in variables.iter() {
                let in_data =
                    self.base.get(&frame.value).is_some_and(|all| all.contains(&name.value));
                if in_data || catalogue::column(frame, name).is_some() {
                    let what = format!("«{}» ya tiene una columna «{}»", frame.value, name.value);
                    taken(name.range.clone(), what);
                }
            }
        }
        for (frame, _) in self.declarations.variables.iter() {
            if !is_frame(frame) && self.declarations.marcos.get(frame).is_none() {
                let names = self.plan().frame_names();
                let message = format!("no existe el marco «{}»", frame.value);
                let hint = did_you_mean(frame, names.iter().map(String::as_str));
                let place = source.place(frame.range.clone());
                found.push(Diagnostic::new(code::UNKNOWN_VALUE, place, message).hint(hint));
            }
        }
        found
    }
}
