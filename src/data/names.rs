//! Many short names in one piece of memory.

/// A list of names stored end to end: a million identifiers cost two
/// allocations instead of a million.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    text: String,
    ends: Vec<usize>,
}

impl Names {
    /// An empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// The names `1`, `2`, ... `n`.
    pub fn numbered(n: usize) -> Self {
        (1..=n).map(|i| i.to_string()).collect()
    }

    /// Adds a name at the end.
    pub fn push(&mut self, name: &str) {
        self.text.push_str(name);
        self.ends.push(self.text.len());
    }

    /// Adds every name of another list.
    pub fn append(&mut self, other: &Self) {
        let offset = self.text.len();
        self.text.push_str(&other.text);
        self.ends.extend(other.ends.iter().map(|end| end + offset));
    }

    /// Number of names.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The name at position `i`.
    pub fn get(&self, i: usize) -> Option<&str> {
        let end = *self.ends.get(i)?;
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        Some(&self.text[start..end])
    }

    /// The names, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        (0..self.len()).map(|i| &self[i])
    }

    /// The names at the given positions, in the given order.
    pub fn select(&self, positions: &[usize]) -> Self {
        positions.iter().map(|&i| &self[i]).collect()
    }

    /// Pairs of positions that hold the same name: where it stood first, and
    /// where it stands again.
    pub fn repeated(&self) -> impl Iterator<Item = (usize, usize)> {
        // Names in ascending order, as files often have them, cannot repeat.
        let ascending = (1..self.len()).all(|i| self[i - 1] < self[i]);
        let mut first = std::collections::HashMap::new();
        let rest = if ascending { self.len() } else { 0 };
        (rest..self.len()).filter_map(move |i| match first.entry(&self[i]) {
            std::collections::hash_map::Entry::Occupied(seen) => Some((*seen.get(), i)),
            std::collections::hash_map::Entry::Vacant(new) => {
                new.insert(i);
                None
            }
        })
    }
}

impl std::ops::Index<usize> for Names {
    type Output = str;
    fn index(&self, i: usize) -> &str {
        self.get(i).expect("position within the list")
    }
}

impl<S: AsRef<str>> FromIterator<S> for Names {
    fn from_iter<I: IntoIterator<Item = S>>(names: I) -> Self {
        let mut all = Self::new();
        names.into_iter().for_each(|name| all.push(name.as_ref()));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back_as_they_went_in() {
        let mut names: Names = ["uno", "", "año"].into_iter().collect();
        names.append(&Names::numbered(2));
        assert_eq!(names.iter().collect::<Vec<_>>(), ["uno", "", "año", "1", "2"]);
        assert_eq!(names.get(5), None);
        assert_eq!(names.select(&[4, 0]), ["2", "uno"].into_iter().collect());
    }

    #[test]
    fn repeated_names_are_found_with_both_positions() {
        let names: Names = ["b", "a", "b", "b"].into_iter().collect();
        assert_eq!(names.repeated().collect::<Vec<_>>(), [(0, 2), (0, 3)]);
        assert_eq!(Names::numbered(9).repeated().count(), 0);
    }
}
