//! Located, collected diagnostics: the foundation that every layer may use.
//!
//! A [`Diagnostic`] carries a [`Code`], a [`Severity`], a [`Place`] in a file, a
//! message and a hint. Layers push them into a [`Diagnostics`] collection and go
//! on; [`Diagnostics::verdict`] is the one function that decides whether the
//! command succeeded.

mod codes;
mod names;
mod render;
mod source;
pub mod system;

pub use codes::{CATALOGUE, Code, code};
pub use names::{did_you_mean, nearest};
pub use render::{Style, to_json};
pub use source::{Place, Source};

use rayon::prelude::*;
use std::collections::BTreeMap;

/// How serious a diagnostic is. The order matters: `Off < Warning < Error`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Not reported at all.
    Off,
    /// Reported; fails only a strict build.
    Warning,
    /// Reported; the command fails.
    Error,
}

/// One finding about one place.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagnostic {
    /// What kind of finding this is.
    pub code: Code,
    /// How serious it is; starts as the code's own severity.
    pub severity: Severity,
    /// Where it is.
    pub place: Place,
    /// What is wrong, in Spanish, one sentence without a final stop.
    pub message: String,
    /// Further facts (expected and found, the nearest name), one line each.
    pub notes: Vec<String>,
    /// How to mend it.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// A finding with the severity of its code.
    pub fn new(code: Code, place: impl Into<Place>, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.severity,
            place: place.into(),
            message: message.into(),
            notes: vec![],
            hint: None,
        }
    }

    /// Adds a further fact.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Says how to mend it; `None` leaves it unsaid.
    pub fn hint(mut self, hint: impl Into<Option<String>>) -> Self {
        self.hint = hint.into();
        self
    }
}

/// Severities that a book changes, by the code's name.
pub type Rules = BTreeMap<&'static str, Severity>;

/// Everything found in one run, in order of appearance.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Diagnostics {
    found: Vec<Diagnostic>,
}

/// What a run's diagnostics amount to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing prevents the result from being used.
    Good,
    /// At least one error, or a warning in a strict run.
    Bad,
}

impl Diagnostics {
    /// An empty collection.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a finding, once: the same code and message at the same place are one.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if !self.found.contains(&diagnostic) {
            self.found.push(diagnostic);
        }
    }

    /// Adds every finding of another collection.
    pub fn extend(&mut self, others: impl IntoIterator<Item = Diagnostic>) {
        others.into_iter().for_each(|one| self.push(one));
    }

    /// Keeps the value, or keeps the finding and returns nothing.
    pub fn check<T>(&mut self, result: Result<T, Diagnostic>) -> Option<T> {
        result.map_err(|found| self.push(found)).ok()
    }

    /// Like [`check`](Self::check), for steps that report several findings at once.
    pub fn check_all<T>(&mut self, result: Result<T, Diagnostics>) -> Option<T> {
        result.map_err(|found| self.extend(found)).ok()
    }

    /// Does the same with every item, in parallel: what came of each, in order; what
    /// each found is kept in the same order.
    pub fn in_parallel<T, R: Send>(
        &mut self,
        items: impl IndexedParallelIterator<Item = T>,
        one: impl Fn(T, &mut Self) -> R + Sync + Send,
    ) -> Vec<R> {
        let alone = |item| {
            let mut found = Self::new();
            (one(item, &mut found), found)
        };
        let (results, found): (Vec<R>, Vec<Self>) = items.map(alone).unzip();
        self.extend(found.into_iter().flatten());
        results
    }

    /// Applies the severities that the book chose and drops what it turned off.
    pub fn apply(&mut self, rules: &Rules) {
        for one in &mut self.found {
            if let Some(&severity) = rules.get(one.code.name) {
                one.severity = severity;
            }
        }
        self.found.retain(|one| one.severity > Severity::Off);
    }

    /// The one place that decides success.
    pub fn verdict(&self, strict: bool) -> Verdict {
        let tolerated = if strict { Severity::Off } else { Severity::Warning };
        let bad = self.found.iter().any(|one| one.severity > tolerated);
        if bad { Verdict::Bad } else { Verdict::Good }
    }

    /// Whether at least one error was found.
    pub fn has_errors(&self) -> bool {
        self.verdict(false) == Verdict::Bad
    }

    /// Number of findings of a severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.found.iter().filter(|one| one.severity == severity).count()
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// The findings, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.found.iter()
    }

    /// Names every file relative to a folder: the book's.
    pub fn relative_to(&mut self, folder: &std::path::Path) {
        for one in &mut self.found {
            let place = std::mem::replace(&mut one.place, Place::Nowhere);
            one.place = place.relative_to(folder);
        }
    }

    /// Orders the findings by file and position, so that a run on several threads
    /// reports them as a run on one.
    pub fn sort(&mut self) {
        self.found.sort_by_cached_key(|one| one.place.order());
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;
    fn into_iter(self) -> Self::IntoIter {
        self.found.into_iter()
    }
}

impl FromIterator<Diagnostic> for Diagnostics {
    fn from_iter<I: IntoIterator<Item = Diagnostic>>(iter: I) -> Self {
        let mut all = Self::new();
        all.extend(iter);
        all
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(one: Diagnostic) -> Self {
        Self { found: vec![one] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(code: Code) -> Diagnostic {
        let source = Source::new("capítulo.md", "uno\ndos tres\n");
        Diagnostic::new(code, source.place(8..12), "algo")
    }

    #[test]
    fn the_same_finding_is_reported_once() {
        let all: Diagnostics = (0..186).map(|_| finding(code::UNKNOWN_KEY)).collect();
        assert_eq!(all.iter().count(), 1);
    }

    #[test]
    fn a_warning_fails_only_a_strict_run() {
        let all = Diagnostics::from(finding(code::UNUSED_VALUE));
        assert_eq!(all.verdict(false), Verdict::Good);
        assert_eq!(all.verdict(true), Verdict::Bad);
    }

    #[test]
    fn a_book_can_silence_or_raise_a_rule() {
        let mut all = Diagnostics::from(finding(code::UNUSED_VALUE));
        all.apply(&Rules::from([(code::UNUSED_VALUE.name, Severity::Error)]));
        assert!(all.has_errors());
        all.apply(&Rules::from([(code::UNUSED_VALUE.name, Severity::Off)]));
        assert!(all.is_empty());
    }
}
