//! How to cite a page: APA 7 and BibTeX.

use crate::report::format::long_date;
use jiff::civil::Date;
use minijinja::value::Value;
use serde::Serialize;

/// An author. A comma, as in "García Ñúñez, Ana", says which part is the family
/// name; without one the name stays whole, because Spanish does not say.
#[derive(Debug, Clone, PartialEq)]
pub struct Author {
    family: String,
    given: Option<String>,
}

impl Author {
    /// Reads a name as a book or chapter writes it.
    pub fn new(name: &str) -> Self {
        match name.split_once(',') {
            Some((family, given)) if !given.trim().is_empty() => {
                Self { family: family.trim().into(), given: Some(given.trim().into()) }
            }
            _ => Self { family: name.trim().trim_end_matches(',').into(), given: None },
        }
    }

    /// "Ana García Ñúñez".
    pub fn natural(&self) -> String {
        match &self.given {
            Some(given) => format!("{given} {}", self.family),
            None => self.family.clone(),
        }
    }

    /// "García Ñúñez, A. M.".
    fn apa(&self) -> String {
        let initials = self.given.iter().flat_map(|given| given.split_whitespace());
        let initials = initials.filter_map(|name| name.chars().next()).map(|c| format!("{c}."));
        let initials: Vec<_> = initials.collect();
        match initials.is_empty() {
            true => self.family.clone(),
            false => format!("{}, {}", self.family, initials.join(" ")),
        }
    }

    /// "García Ñúñez, Ana María"; a whole name is braced, so that no program
    /// takes it apart.
    fn bibtex(&self) -> String {
        match &self.given {
            Some(given) => format!("{}, {given}", self.family),
            None => format!("{{{}}}", self.family),
        }
    }
}

/// What is cited.
pub struct Work<'a> {
    /// Its authors.
    pub authors: &'a [Author],
    /// Date of publication.
    pub date: Option<Date>,
    /// Title.
    pub title: &'a str,
    /// The site that holds it.
    pub site: &'a str,
    /// Whole address, when it is known.
    pub url: Option<&'a str>,
    /// Last part of the BibTeX key.
    pub slug: &'a str,
}

/// A page's citation in both forms.
#[derive(Debug, Serialize)]
pub struct Citation {
    /// APA 7, as HTML.
    pub apa: Value,
    /// BibTeX.
    pub bibtex: String,
}

impl Work<'_> {
    /// Both forms.
    pub fn cite(&self) -> Citation {
        Citation { apa: Value::from_safe_string(self.apa()), bibtex: self.bibtex() }
    }

    fn apa(&self) -> String {
        use super::markup::escape;
        let names: Vec<_> = self.authors.iter().map(Author::apa).collect();
        let authors = match names.as_slice() {
            [] => self.site.to_owned(),
            [one] => one.clone(),
            [rest @ .., last] => format!("{} y {last}", rest.join(", ")),
        };
        let stop = if authors.ends_with('.') { "" } else { "." };
        let date = self.date.map_or("s. f.".into(), |date| {
            let long = long_date(date);
            let (day, _) = long.rsplit_once(" de ").unwrap_or((&long, ""));
            format!("{}, {day}", date.year())
        });
        let url = match self.url {
            Some(url) => format!(" <a href=\"{0}\">{0}</a>", escape(url)),
            None => String::new(),
        };
        let site = if names.is_empty() { String::new() } else { format!(" {}.", self.site) };
        format!(
            "{}{stop} ({date}). <i>{}</i>.{}{url}",
            escape(&authors),
            escape(self.title),
            escape(&site)
        )
    }

    fn bibtex(&self) -> String {
        let mut fields = vec![];
        let authors: Vec<_> = self.authors.iter().map(Author::bibtex).collect();
        if !authors.is_empty() {
            fields.push(("author", authors.join(" and ")));
        }
        fields.push(("title", format!("{{{}}}", protect(self.title))));
        fields.push(("organization", protect(self.site)));
        if let Some(date) = self.date {
            fields.push(("date", date.to_string()));
            fields.push(("year", date.year().to_string()));
        }
        fields.extend(self.url.map(|url| ("url", url.to_owned())));
        fields.push(("langid", "spanish".into()));
        let lines: String =
            fields.iter().map(|(name, value)| format!("  {name} = {{{value}}},\n")).collect();
        format!("@online{{{},\n{lines}}}", self.key())
    }

    /// "garcia2026swebench": plain letters and digits, which every program takes.
    fn key(&self) -> String {
        use unicode_normalization::UnicodeNormalization;
        let family = self.authors.first().map_or(self.site, |author| &author.family);
        let family = family.split_whitespace().next().unwrap_or_default();
        let year = self.date.map_or(String::new(), |date| date.year().to_string());
        let whole = format!("{family}{year}{}", self.slug).to_lowercase();
        whole.nfd().filter(char::is_ascii_alphanumeric).collect()
    }
}

/// Braces must balance and TeX's own characters must not act.
fn protect(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '{' | '}' => {}
            '&' | '%' | '$' | '#' | '_' => out.extend(['\\', c]),
            '\\' => out += "\\textbackslash ",
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(authors: &[Author]) -> (String, String) {
        let work = Work {
            authors,
            date: Some(Date::constant(2026, 10, 25)),
            title: "Dos & más",
            site: "Escritura",
            url: Some("https://a.org/e/"),
            slug: "dos-más",
        };
        (work.apa(), work.bibtex())
    }

    #[test]
    fn apa_has_initials_a_spanish_date_and_the_address() {
        let authors = [Author::new("García Ñúñez, Ana María"), Author::new("Equipo X")];
        let (apa, _) = work(&authors);
        assert_eq!(
            apa,
            "García Ñúñez, A. M. y Equipo X. (2026, 25 de octubre). <i>Dos &amp; más</i>. \
             Escritura. <a href=\"https://a.org/e/\">https://a.org/e/</a>"
        );
    }

    #[test]
    fn bibtex_is_safe_to_paste() {
        let (_, bibtex) = work(&[Author::new("Ñúñez, Ana")]);
        assert!(bibtex.starts_with("@online{nunez2026dosmas,\n  author = {Ñúñez, Ana},\n"));
        assert!(bibtex.contains("title = {{Dos \\& más}}"), "{bibtex}");
        assert_eq!(bibtex.matches('{').count(), bibtex.matches('}').count());
    }

    #[test]
    fn names_are_shown_in_their_natural_order() {
        assert_eq!(Author::new("Ñúñez, Ana").natural(), "Ana Ñúñez");
        assert_eq!(Author::new("Equipo de datos").natural(), "Equipo de datos");
    }
}
