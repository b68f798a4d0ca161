//! `SUMMARY.md`: which chapters the book has and in which order, as mdBook
//! reads it: prefix chapters, parts, numbered lists, separators, drafts, suffix
//! chapters.

use super::links::{decode_percent, normalise};
use crate::diagnostics::{Diagnostic, Diagnostics, Place, Source, code, did_you_mean, system};
use pulldown_cmark::{Event, HeadingLevel, Parser, Tag, TagEnd};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;

/// The name of the file, inside the folder of the chapters.
pub const FILE: &str = "SUMMARY.md";

/// The book's order.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// What the file lists, in order; nested chapters follow their parent.
    pub entries: Vec<Entry>,
}

/// One line of the summary.
#[derive(Debug, Clone, PartialEq)]
pub enum Entry {
    /// The title of a part.
    Part(String),
    /// A rule between groups of chapters.
    Separator,
    /// A chapter.
    Chapter(Chapter),
}

/// A chapter as the summary lists it.
#[derive(Debug, Clone, PartialEq)]
pub struct Chapter {
    /// Its name in the summary.
    pub name: String,
    /// Its file under the folder of the chapters, with `/`; `None` for a draft
    /// that is announced but not written.
    pub file: Option<String>,
    /// Its number, `[2, 1]` for 2.1; empty for prefix and suffix chapters.
    pub number: Vec<usize>,
    /// Where the summary lists it.
    pub place: Place,
}

impl Chapter {
    /// Folder of its page: `swebench` for `swebench/index.md`, `a/b` for
    /// `a/b.md`, nothing for the book's front page, `index.md` or `README.md`.
    pub fn slug(&self) -> Option<String> {
        self.file.as_deref().map(slug_of)
    }

    /// "2.1", or nothing.
    pub fn label(&self) -> String {
        self.number.iter().map(usize::to_string).collect::<Vec<_>>().join(".")
    }
}

/// The slug of a chapter's file.
pub fn slug_of(file: &str) -> String {
    let stem = file.strip_suffix(".md").unwrap_or(file);
    let (folder, name) = stem.rsplit_once('/').unwrap_or(("", stem));
    match name {
        "index" | "README" => folder.to_owned(),
        _ => stem.to_owned(),
    }
}

impl Summary {
    /// Reads the summary of a folder of chapters and checks that it and the
    /// folder agree.
    pub fn load(src: &Path, found: &mut Diagnostics) -> Option<Self> {
        let path = src.join(FILE);
        let source = found.check(Source::read(&path, path.as_path()).map_err(|fault| {
            let hint = "SUMMARY.md lista los capítulos del libro, como en mdBook";
            let own = fault.hint.clone();
            fault.hint(own.or(Some(hint.into())))
        }))?;
        let summary = Self::parse(&source, found);
        let files = markdown_files(src);
        summary.check(src, &files, found);
        if summary.chapters().next().is_none() {
            let message = "SUMMARY.md no lista ningún capítulo";
            found.push(Diagnostic::new(code::CONFIG, src.join(FILE), message));
        }
        let listed: BTreeSet<_> = summary.chapters().filter_map(|one| one.file.clone()).collect();
        for orphan in files.difference(&listed).filter(|file| *file != FILE) {
            let message = format!("«{orphan}» no está en SUMMARY.md y no se publica");
            found.push(Diagnostic::new(code::ORPHAN_CHAPTER, src.join(orphan), message));
        }
        Some(summary)
    }

    /// Reads a summary's text.
    pub fn parse(source: &Source, found: &mut Diagnostics) -> Self {
        Reader::new(source, found).read()
    }

    /// The chapters, drafts included, in reading order.
    pub fn chapters(&self) -> impl Iterator<Item = &Chapter> {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::Chapter(chapter) => Some(chapter),
            _ => None,
        })
    }

    /// Every chapter is a file, stands once and has a page of its own.
    fn check(&self, src: &Path, files: &BTreeSet<String>, found: &mut Diagnostics) {
        let mut pages: BTreeMap<String, &str> = BTreeMap::new();
        let mut seen = BTreeSet::new();
        for chapter in self.chapters() {
            let (Some(file), Some(slug)) = (chapter.file.as_deref(), chapter.slug()) else {
                continue;
            };
            let mut complain = |code, message: String, hint: Option<String>| {
                found.push(Diagnostic::new(code, chapter.place.clone(), message).hint(hint));
            };
            if !files.contains(file) {
                let near = did_you_mean(file, files.iter().map(String::as_str));
                complain(code::FILE, format!("el capítulo «{file}» no existe"), near);
            } else if let Err(error) = system::check_file(&src.join(file)) {
                let cause = system::cause(&error);
                complain(
                    code::FILE,
                    format!("el capítulo «{file}» no se puede leer: {cause}"),
                    None,
                );
            } else if !seen.insert(file) {
                complain(code::DUPLICATE_NAME, format!("«{file}» aparece dos veces"), None);
            } else if let Some(other) = pages.insert(slug, file) {
                let message = format!("«{file}» y «{other}» darían la misma página");
                complain(code::DUPLICATE_NAME, message, None);
            }
        }
    }
}

/// Every Markdown file under a folder, as relative paths with `/`, sorted.
fn markdown_files(src: &Path) -> BTreeSet<String> {
    let mut files = BTreeSet::new();
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(src.join(&folder)) else { continue };
        for entry in entries.flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && !name.starts_with('.') => folders.push(path),
                Ok(kind) if !kind.is_dir() && name.ends_with(".md") => drop(files.insert(path)),
                _ => {}
            }
        }
    }
    files
}

/// State of the reading: the numbers of the open lists and the link at hand.
struct Reader<'a, 'd> {
    source: &'a Source,
    found: &'d mut Diagnostics,
    entries: Vec<Entry>,
    /// One counter for each open list; the first goes on after a part's title.
    counters: Vec<usize>,
    numbered: usize,
    heading: Option<(HeadingLevel, String)>,
    link: Option<(String, String, Range<usize>)>,
}

impl<'a, 'd> Reader<'a, 'd> {
    fn new(source: &'a Source, found: &'d mut Diagnostics) -> Self {
        let (entries, counters) = (vec![], vec![]);
        Self { source, found, entries, counters, numbered: 0, heading: None, link: None }
    }

    fn read(mut self) -> Summary {
        for (event, range) in Parser::new(self.source.text()).into_offset_iter() {
            self.event(event, range);
        }
        Summary { entries: self.entries }
    }

    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(Tag::List(_)) => {
                self.counters.push(if self.counters.is_empty() { self.numbered } else { 0 });
            }
            Event::End(TagEnd::List(_)) => {
                let last = self.counters.pop();
                if self.counters.is_empty() {
                    self.numbered = last.unwrap_or(0);
                }
            }
            Event::Start(Tag::Item) => {
                if let Some(counter) = self.counters.last_mut() {
                    *counter += 1;
                }
            }
            Event::Start(Tag::Heading { level, .. }) => {
                self.heading = Some((level, String::new()));
            }
            Event::End(TagEnd::Heading(_)) => self.close_heading(),
            Event::Start(Tag::Link { dest_url, .. }) => {
                self.link = Some((String::new(), dest_url.into_string(), range));
            }
            Event::End(TagEnd::Link) => self.close_link(),
            Event::Rule => self.entries.push(Entry::Separator),
            Event::Text(text) | Event::Code(text) => self.text(&text, range),
            _ => {}
        }
    }

    fn text(&mut self, text: &str, range: Range<usize>) {
        if let Some((name, ..)) = &mut self.link {
            name.push_str(text);
        } else if let Some((_, title)) = &mut self.heading {
            title.push_str(text);
        } else if !text.trim().is_empty() {
            let message = format!("«{}» no es un capítulo: falta el enlace", text.trim());
            let finding = Diagnostic::new(code::CONFIG, self.source.place(range), message);
            self.found.push(finding.hint(Some("[Título](capitulo/index.md)".into())));
        }
    }

    /// The first heading names the summary itself; the others are parts.
    fn close_heading(&mut self) {
        let Some((level, title)) = self.heading.take() else { return };
        if level == HeadingLevel::H1 && !self.entries.is_empty() {
            self.entries.push(Entry::Part(title));
        }
    }

    fn close_link(&mut self) {
        let Some((name, target, range)) = self.link.take() else { return };
        let place = self.source.place(range);
        let file = match target.as_str() {
            "" => None,
            target => match normalise("", &decode_percent(target)) {
                Some(file) if file.ends_with(".md") => Some(file),
                _ => {
                    let message = format!("«{target}» no es un archivo .md de esta carpeta");
                    self.found.push(Diagnostic::new(code::CONFIG, place, message));
                    return;
                }
            },
        };
        let number = self.counters.clone();
        self.entries.push(Entry::Chapter(Chapter { name, file, number, place }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> (Summary, Diagnostics) {
        let mut found = Diagnostics::new();
        let summary = Summary::parse(&Source::new(FILE, text), &mut found);
        (summary, found)
    }

    const FULL: &str = "# Summary\n\n[Prefacio](prefacio.md)\n\n# Parte uno\n\n- [A](a/index.md)\n  - [A1](a/uno.md)\n- [Borrador]()\n\n---\n\n# Parte dos\n\n- [B](./b.md)\n\n[Créditos](créditos.md)\n";

    #[test]
    fn the_shapes_of_mdbook_are_read() {
        let (summary, found) = parse(FULL);
        assert!(found.is_empty(), "{found:?}");
        let lines: Vec<_> = summary
            .entries
            .iter()
            .map(|entry| match entry {
                Entry::Part(title) => format!("# {title}"),
                Entry::Separator => "---".into(),
                Entry::Chapter(one) => {
                    format!("{} {} {}", one.label(), one.name, one.slug().unwrap_or("-".into()))
                }
            })
            .collect();
        let expected = [
            " Prefacio prefacio",
            "# Parte uno",
            "1 A a",
            "1.1 A1 a/uno",
            "2 Borrador -",
            "---",
            "# Parte dos",
            "3 B b",
            " Créditos créditos",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn a_path_outside_the_folder_is_an_error_with_its_place() {
        let (_, found) = parse("- [A](../a.md)\n- [B](/etc/x.md)\n- [C](c.txt)\n- suelto\n");
        let places: Vec<_> = found.iter().map(|one| one.place.order().1).collect();
        assert_eq!(places, [1, 3, 4], "an absolute path is relative to the folder: {found:?}");
    }

    #[test]
    fn the_folder_and_the_summary_must_agree() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write(FILE, "- [A](a.md)\n- [A](a.md)\n- [A](a/index.md)\n- [No](sweb/index.md)\n");
        write("a.md", "");
        write("a/index.md", "");
        write("swe/index.md", "");
        let mut found = Diagnostics::new();
        Summary::load(dir.path(), &mut found).unwrap();
        let codes: Vec<_> = found.iter().map(|one| one.code.name).collect();
        let expected = ["nombre-repetido", "nombre-repetido", "archivo", "capitulo-huerfano"];
        assert_eq!(codes, expected);
        let near = found.iter().nth(2).unwrap().hint.as_deref();
        assert_eq!(near, Some("¿quiso decir «swe/index.md»?"));
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(text in "[-#*a\\[\\]()./ \n%ñ]{0,80}") {
            parse(&text);
        }
    }
}
