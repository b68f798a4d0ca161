//! The one function that names headings: their ids, the links to them and the
//! table of contents all use it.

use std::collections::BTreeSet;

/// A heading's text as an id: lower case, letters (with their accents), digits
/// and hyphens; anything else separates words, and an emoji is nothing at all.
pub fn slug(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() || c == '_' {
            out.push(c);
        } else if (c.is_whitespace() || c == '-') && !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
    }
    let trimmed = out.trim_end_matches('-').len();
    out.truncate(trimmed);
    if out.is_empty() { "seccion".into() } else { out }
}

/// The ids of one page. The second of a name gets `-2`, the third `-3`.
#[derive(Debug, Default)]
pub struct Ids {
    taken: BTreeSet<String>,
}

impl Ids {
    /// Reserves an id; whether it was free.
    pub fn claim(&mut self, id: &str) -> bool {
        self.taken.insert(id.to_owned())
    }

    /// A free id for a text.
    pub fn unique(&mut self, text: &str) -> String {
        let base = slug(text);
        let mut id = base.clone();
        let mut copy = 1;
        while !self.claim(&id) {
            copy += 1;
            id = format!("{base}-{copy}");
        }
        id
    }

    /// All of them, sorted.
    pub fn into_set(self) -> BTreeSet<String> {
        self.taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accents_stay_and_emoji_go() {
        assert_eq!(slug("Ítems anómalos"), "ítems-anómalos");
        assert_eq!(slug("Años, ¿y después?"), "años-y-después");
        assert_eq!(slug("Resumen ⚡"), "resumen");
        assert_eq!(slug("KR-20: 0,99"), "kr-20-099");
        assert_eq!(slug("⚡"), "seccion");
    }

    #[test]
    fn duplicates_are_numbered_without_collisions() {
        let mut ids = Ids::default();
        assert_eq!(ids.unique("Datos 2"), "datos-2");
        assert_eq!(ids.unique("Datos"), "datos");
        assert_eq!(ids.unique("Datos"), "datos-3");
    }
}
