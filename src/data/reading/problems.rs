//! Faults of one file, counted without end and reported up to a limit.

use crate::diagnostics::{Diagnostic, Diagnostics, code};
use std::path::Path;

/// Faults of one file that are reported one by one.
pub(super) const LIMIT: usize = 20;

/// The first faults, and how many there were.
#[derive(Debug, Default)]
pub(super) struct Problems {
    found: Vec<Diagnostic>,
    total: usize,
}

impl Problems {
    /// Counts a fault, and builds its message when there is still room for it.
    pub fn add(&mut self, diagnostic: impl FnOnce() -> Diagnostic) {
        if self.found.len() < LIMIT {
            self.found.push(diagnostic());
        }
        self.total += 1;
    }

    /// Adds the faults of what follows in the file.
    pub fn append(&mut self, mut later: Self) {
        later.found.truncate(LIMIT - self.found.len());
        self.found.append(&mut later.found);
        self.total += later.total;
    }

    /// Nothing when there were no faults; otherwise the report.
    pub fn into_result(self, path: &Path) -> Result<(), Diagnostics> {
        if self.total == 0 {
            return Ok(());
        }
        let omitted = self.total - self.found.len();
        let mut all: Diagnostics = self.found.into_iter().collect();
        if omitted > 0 {
            let message = format!("y {omitted} errores más en este archivo");
            all.push(Diagnostic::new(code::CSV, path, message));
        }
        Err(all)
    }
}
