//! A table of `book.toml` being read: every key that is asked for is known, and
//! whatever was not asked for is reported when the reading ends.

use crate::diagnostics::{Diagnostic, Diagnostics, Source, code, did_you_mean, nearest};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value with the range where the file states it.
pub(super) type Entry<'a> = (&'a str, &'a Spanned<DeValue<'a>>);

/// One table of the file.
pub(super) struct Section<'a> {
    /// Its name with dots, for messages: `output.html`.
    name: String,
    source: &'a Source,
    table: Option<&'a DeTable<'a>>,
    asked: Vec<&'static str>,
}

impl<'a> Section<'a> {
    /// The file's top level.
    pub fn root(source: &'a Source, table: &'a DeTable<'a>) -> Self {
        Self { name: String::new(), source, table: Some(table), asked: vec![] }
    }

    /// Keys that are valid here but mean nothing to us: mdBook's own.
    pub fn tolerate(&mut self, keys: &[&'static str]) {
        self.asked.extend(keys);
    }

    /// A table inside this one; empty when absent.
    pub fn section(&mut self, key: &'static str, found: &mut Diagnostics) -> Section<'a> {
        let name = if self.name.is_empty() { key.into() } else { format!("{}.{key}", self.name) };
        let table = self.read(key, "una tabla", found, |value| match value {
            DeValue::Table(table) => Some(table),
            _ => None,
        });
        Section { name, source: self.source, table, asked: vec![] }
    }

    /// A text.
    pub fn text(&mut self, key: &'static str, found: &mut Diagnostics) -> Option<String> {
        self.read(key, "un texto", found, |value| value.as_str().map(str::to_owned))
    }

    /// A text and where it stands.
    pub fn located(
        &mut self,
        key: &'static str,
        found: &mut Diagnostics,
    ) -> Option<(String, Range<usize>)> {
        let text = self.text(key, found)?;
        let range = self.get(key).map_or(0..0, |value| value.span());
        Some((text, range))
    }

    /// A list of texts.
    pub fn texts(&mut self, key: &'static str, found: &mut Diagnostics) -> Vec<String> {
        let read = |value: &'a DeValue<'a>| {
            let items = value.as_array()?.iter();
            items.map(|item| item.get_ref().as_str().map(str::to_owned)).collect()
        };
        self.read(key, "una lista de textos", found, read).unwrap_or_default()
    }

    /// `true` or `false`.
    pub fn flag(&mut self, key: &'static str, found: &mut Diagnostics) -> Option<bool> {
        self.read(key, "true o false", found, DeValue::as_bool)
    }

    /// A whole number between 0 and `most`.
    pub fn count(
        &mut self,
        key: &'static str,
        most: usize,
        found: &mut Diagnostics,
    ) -> Option<usize> {
        self.read(key, &format!("un entero entre 0 y {most}"), found, |value| {
            let integer = value.as_integer()?;
            let count = usize::from_str_radix(integer.as_str(), integer.radix()).ok()?;
            (count <= most).then_some(count)
        })
    }

    /// Every entry of a table whose keys are free (rules, redirects).
    pub fn entries(&self) -> impl Iterator<Item = (Range<usize>, Entry<'a>)> + use<'a> {
        let table = self.table.into_iter().flat_map(|table| table.iter());
        table.map(|(key, value)| (key.span(), (&**key.get_ref(), value)))
    }

    /// A finding at a range of the file.
    pub fn complain(&self, range: Range<usize>, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code::CONFIG, self.source.place(range), message)
    }

    /// Reports every key that nobody asked for.
    pub fn finish(self, found: &mut Diagnostics) {
        for (range, (key, _)) in self.entries() {
            if !self.asked.contains(&key) {
                let place = self.source.place(range);
                let whose = match self.name.as_str() {
                    "" => "book.toml".to_owned(),
                    name => format!("[{name}]"),
                };
                let message = format!("la clave «{key}» no existe en {whose}");
                let hint = did_you_mean(key, self.asked.iter().copied());
                found.push(Diagnostic::new(code::UNKNOWN_KEY, place, message).hint(hint));
            }
        }
    }

    /// Reports the keys that are a slip away from one that was asked for, where any
    /// other key is somebody else's business.
    pub fn near_misses(&self, found: &mut Diagnostics) {
        for (range, (key, _)) in self.entries() {
            let known = self.asked.iter().copied();
            if let (false, Some(near)) = (self.asked.contains(&key), nearest(key, known)) {
                let place = self.source.place(range);
                let message =
                    format!("la clave «{key}» de [{}] se parece a una nuestra", self.name);
                let hint = format!("¿quiso decir «{near}»?");
                found.push(Diagnostic::new(code::UNKNOWN_KEY, place, message).hint(Some(hint)));
            }
        }
    }

    fn get(&self, key: &str) -> Option<&'a Spanned<DeValue<'a>>> {
        self.table?.iter().find(|(name, _)| name.get_ref() == key).map(|(_, value)| value)
    }

    fn read<T>(
        &mut self,
        key: &'static str,
        expected: &str,
        found: &mut Diagnostics,
        convert: impl FnOnce(&'a DeValue<'a>) -> Option<T>,
    ) -> Option<T> {
        self.asked.push(key);
        let value = self.get(key)?;
        let converted = convert(value.get_ref());
        if converted.is_none() {
            found.push(self.complain(value.span(), format!("«{key}» debe ser {expected}")));
        }
        converted
    }
}
