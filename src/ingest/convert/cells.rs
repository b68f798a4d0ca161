//! Answers that arrive one by one, in any order.

use super::Converted;
use crate::data::{Names, Responses};
use std::collections::HashMap;

/// Cells of the largest matrix that is made: more is a slip in the columns.
const MOST_CELLS: usize = 4_000_000_000;

/// Names as numbers, in order of appearance.
#[derive(Debug, Default)]
struct Index {
    numbers: HashMap<String, u32>,
    names: Names,
}

impl Index {
    fn number(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.names.len() as u32;
        self.names.push(name);
        self.numbers.insert(name.to_owned(), number);
        number
    }
}

/// The answers so far.
#[derive(Debug, Default)]
pub(super) struct Cells {
    examinees: Index,
    items: Index,
    answers: HashMap<(u32, u32), Option<bool>>,
}

impl Cells {
    /// Adds an examinee, perhaps without any answer; false when it was there.
    pub fn add_examinee(&mut self, name: &str) -> bool {
        let n = self.examinees.names.len();
        self.examinees.number(name) as usize == n
    }

    /// Adds an answer; false when the examinee already has one to that item.
    pub fn add(&mut self, examinee: &str, item: &str, answer: Option<bool>) -> bool {
        let key = (self.examinees.number(examinee), self.items.number(item));
        self.answers.insert(key, answer).is_none()
    }

    /// The matrix; cells that nobody added are `absent`.
    ///
    /// # Errors
    /// It would be absurdly large: its shape.
    pub fn finish(self, absent: Option<bool>) -> Result<Converted, (usize, usize)> {
        let (n, k) = (self.examinees.names.len(), self.items.names.len());
        if n.checked_mul(k).is_none_or(|cells| cells > MOST_CELLS) {
            return Err((n, k));
        }
        let mut responses = Responses::from_fn(n, k, |_, _| absent);
        // Each cell is set once: the order of the map does not show.
        for ((examinee, item), answer) in self.answers {
            responses.set(examinee as usize, item as usize, answer);
        }
        Ok(Converted { examinees: self.examinees.names, items: self.items.names, responses })
    }
}

/// The message of a matrix that is too large.
pub(super) fn too_large((n, k): (usize, usize)) -> String {
    format!("saldría una matriz de {n} × {k}: ¿son esas las columnas?")
}
