//! Which items there are: the union of what all folders name.

use super::results::{Format, Results};
use crate::data::Names;
use std::collections::{BTreeSet, HashMap};

/// Identifiers of items as small numbers, in order of appearance, and how many
/// folders name each.
#[derive(Debug, Default)]
pub(super) struct Catalogue {
    numbers: HashMap<String, u32>,
    names: Vec<String>,
    folders: Vec<usize>,
}

/// Results with the items as numbers of a [`Catalogue`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answers {
    pub format: Format,
    pub solved: Vec<u32>,
    /// Items listed as without patch; `None` when the file does not tell.
    pub n_listed: Option<usize>,
    pub named: Vec<u32>,
}

impl Answers {
    /// Items without patch among the given number: those listed, or those absent
    /// from the details; `None` when the file does not tell.
    pub fn n_without_patch(&self, n_items: usize) -> Option<usize> {
        match self.format {
            Format::Lists => self.n_listed,
            Format::Details => Some(n_items.saturating_sub(self.named.len())),
        }
    }
}

/// The items of the matrix, in order, and those that do not belong in it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Items {
    pub names: Names,
    /// Column of each number; `None` for unknown items.
    pub columns: Vec<Option<usize>>,
}

impl Catalogue {
    /// Adds what a folder names.
    pub fn add(&mut self, results: Results) -> Answers {
        let named: Vec<u32> = results.named.into_iter().map(|id| self.number(id)).collect();
        named.iter().for_each(|&number| self.folders[number as usize] += 1);
        // What is solved is named, so it has its number.
        let solved = results.solved.iter().map(|id| self.numbers[id]).collect();
        let n_listed = results.without_patch.map(|ids| ids.len());
        Answers { format: results.format, solved, n_listed, named }
    }

    fn number(&mut self, id: String) -> u32 {
        if let Some(&number) = self.numbers.get(&id) {
            return number;
        }
        let number = self.names.len() as u32;
        self.names.push(id.clone());
        self.folders.push(0);
        self.numbers.insert(id, number);
        number
    }

    /// The name of an item.
    pub fn name(&self, number: u32) -> &str {
        &self.names[number as usize]
    }

    /// Settles the items. With more names than expected, those that fewest folders
    /// name are unknown, provided that they stand apart from the rest.
    ///
    /// # Errors
    /// The names are fewer than expected, or more and none stands apart: how many.
    pub fn settle(&self, expected: Option<usize>) -> Result<Items, usize> {
        let n = self.names.len();
        let expected = expected.unwrap_or(n);
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&a, &b| self.folders[b].cmp(&self.folders[a]));
        let apart = |cut: usize| {
            cut == n || (cut > 0 && self.folders[order[cut - 1]] > self.folders[order[cut]])
        };
        if n < expected || !apart(expected) {
            return Err(n);
        }
        let known: BTreeSet<(&str, usize)> =
            order[..expected].iter().map(|&number| (&*self.names[number], number)).collect();
        let mut columns = vec![None; n];
        for (column, &(_, number)) in known.iter().enumerate() {
            columns[number] = Some(column);
        }
        Ok(Items { names: known.into_iter().map(|(name, _)| name).collect(), columns })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn catalogue(folders: &[&[&str]]) -> Catalogue {
        let mut catalogue = Catalogue::default();
        for named in folders {
            let named: BTreeSet<String> = named.iter().map(ToString::to_string).collect();
            let (solved, without_patch) = (named.clone(), None);
            catalogue.add(Results { format: Format::Lists, solved, without_patch, named });
        }
        catalogue
    }

    #[test]
    fn items_are_the_union_in_the_order_of_their_names() {
        let items = catalogue(&[&["b", "c"], &["a", "b"]]).settle(None).unwrap();
        assert_eq!(items.names.iter().collect::<Vec<_>>(), ["a", "b", "c"]);
        assert_eq!(items.columns, [Some(1), Some(2), Some(0)]);
    }

    #[test]
    fn an_item_that_stands_apart_is_unknown() {
        let catalogue = catalogue(&[&["b", "c"], &["b", "c", "zzz"]]);
        assert_eq!(catalogue.settle(Some(2)).unwrap().columns, [Some(0), Some(1), None]);
        assert_eq!(catalogue.settle(Some(1)), Err(3), "b and c are named alike");
        assert_eq!(catalogue.settle(Some(4)), Err(3));
        assert_eq!(catalogue.settle(Some(0)), Err(3));
    }
}
