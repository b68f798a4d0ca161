//! Declarations whose names clash with the data's. Clashes with what is computed
//! are found without data, by [`check`](super::declarations::check).

use super::{Study, catalogue};
use crate::diagnostics::{Diagnostic, Diagnostics, code, did_you_mean};
use crate::yaml::Located;

impl Study {
    /// Names that would change what another name means, and variables of frames that
    /// do not exist.
    pub(super) fn misnamed(&self) -> Diagnostics {
        let mut found = Diagnostics::new();
        let Some(source) = self.source() else { return found };
        let mut report = |name: &Located<String>, kind, message, hint| {
            found.push(Diagnostic::new(kind, name.place(source), message).hint(hint));
        };
        let declared = &self.declarations;
        for (name, _) in declared.valores.iter() {
            let is_frame =
                self.base.contains_key(&name.value) || declared.marcos.get(name).is_some();
            if is_frame || catalogue::is_reserved(name) {
                let message = format!("«{}» ya es el nombre de un marco o de un grupo", name.value);
                report(name, code::DUPLICATE_NAME, message, None);
            }
        }
        for (name, _) in declared.marcos.iter() {
            if self.base.contains_key(&name.value) && !catalogue::is_reserved(name) {
                let message = format!("los datos ya tienen un marco «{}»", name.value);
                report(name, code::DUPLICATE_NAME, message, None);
            }
        }
        let plan = self.plan();
        for (frame, variables) in declared.variables.iter() {
            if !plan.knows_frame(frame) {
                let names = plan.frame_names();
                let hint = did_you_mean(frame, names.iter().map(String::as_str));
                let message = format!("no existe el marco «{}»", frame.value);
                report(frame, code::UNKNOWN_VALUE, message, hint);
            }
            let columns = self.base.get(&frame.value);
            for (name, _) in variables.iter() {
                if columns.is_some_and(|columns| columns.contains(&name.value)) {
                    let message =
                        format!("«{}» ya tiene una columna «{}»", frame.value, name.value);
                    report(name, code::DUPLICATE_NAME, message, None);
                }
            }
        }
        found
    }
}
