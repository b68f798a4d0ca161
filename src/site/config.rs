//! `book.toml`: mdBook's keys with mdBook's meaning, and ours under
//! `[output.escritura]` (the site) and `[preprocessor.escritura]` (the report).

use super::section::Section;
use crate::diagnostics::{
    CATALOGUE, Diagnostic, Diagnostics, Place, Rules, Severity, Source, code, did_you_mean,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toml::de::{DeTable, DeValue};

/// The name of the file that makes a folder a book.
pub const FILE: &str = "book.toml";

/// A book's configuration.
#[derive(Debug, Clone)]
pub struct Config {
    /// Folder of the book: the one that holds `book.toml`.
    pub root: PathBuf,
    /// The file itself, for diagnostics.
    pub source: Source,
    /// `[book]`.
    pub book: BookOptions,
    /// `[build] build-dir`, relative to the root.
    pub build_dir: PathBuf,
    /// Where `book.toml` states it.
    pub build_dir_place: Place,
    /// `[build] extra-watch-dirs`, relative to the root.
    pub extra_watch_dirs: Vec<PathBuf>,
    /// `[output.html]`, what of it concerns us, and `[output.escritura]`.
    pub site: SiteOptions,
    /// `[preprocessor.escritura]`.
    pub report: ReportOptions,
}

/// `[book]`.
#[derive(Debug, Clone, PartialEq)]
pub struct BookOptions {
    /// Title of the book.
    pub title: String,
    /// Authors of the book; a chapter may name its own.
    pub authors: Vec<String>,
    /// One line about the book.
    pub description: Option<String>,
    /// BCP 47 tag of its language.
    pub language: String,
    /// `ltr` or `rtl`.
    pub text_direction: Option<String>,
    /// Folder of the chapters, relative to the root.
    pub src: PathBuf,
}

/// What the site needs to know.
#[derive(Debug, Clone, PartialEq)]
pub struct SiteOptions {
    /// Name of the section that the book is: title of its index page.
    pub section: String,
    /// `site-url`: a path (`/repo/`) or a whole address.
    pub site_url: Option<String>,
    /// Domain for the `CNAME` file.
    pub cname: Option<String>,
    /// Where the book's sources are published.
    pub repository_url: Option<String>,
    /// Address to edit a chapter; `{path}` stands for its file.
    pub edit_url_template: Option<String>,
    /// `light`, `dark`; anything else follows the reader's system.
    pub default_theme: Option<String>,
    /// Style sheets of the book, relative to the root.
    pub additional_css: Vec<PathBuf>,
    /// Scripts of the book, relative to the root.
    pub additional_js: Vec<PathBuf>,
    /// Whether straight quotes and dots become typographic ones.
    pub smart_punctuation: bool,
    /// Old address to new address.
    pub redirect: BTreeMap<String, String>,
    /// Whether pages offer a search box.
    pub search: bool,
    /// Whether the site has an Atom feed.
    pub feed: bool,
    /// Licence of text and data, as the footer states it.
    pub licence: Option<String>,
    /// Folder of the book's own templates, relative to the root.
    pub templates: PathBuf,
}

/// How numbers are computed and printed, and how strict the build is.
#[derive(Debug, Clone, PartialEq)]
pub struct ReportOptions {
    /// Marks of printed numbers.
    pub numbers: NumberMarks,
    /// Decimals of a printed value that does not say.
    pub decimals: usize,
    /// Severities that the book changes.
    pub rules: Rules,
    /// Whether warnings fail the build.
    pub strict: bool,
    /// Folder where chapters find their data instead of their own.
    pub data: Option<PathBuf>,
}

/// Marks of printed numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberMarks {
    /// Between units and tenths.
    pub decimal: String,
    /// Between thousands; may be empty.
    pub thousands: String,
    /// Before a negative number.
    pub minus: String,
}

impl Default for NumberMarks {
    /// A comma, a narrow no-break space and the true minus sign, as the Spanish
    /// academies recommend.
    fn default() -> Self {
        Self { decimal: ",".into(), thousands: "\u{202f}".into(), minus: "\u{2212}".into() }
    }
}

impl Config {
    /// Reads `book.toml` of a folder; reports all that is wrong with it at once.
    pub fn load(root: &Path) -> Result<Self, Diagnostics> {
        let path = root.join(FILE);
        let source = Source::read(&path, path.as_path()).map_err(|fault| {
            let hint = fault.hint.clone();
            fault.hint(hint.or(Some("un libro es una carpeta con book.toml".into())))
        })?;
        Self::parse(root, source)
    }

    /// Reads a `book.toml` that is already at hand.
    pub fn parse(root: &Path, source: Source) -> Result<Self, Diagnostics> {
        let mut found = Diagnostics::new();
        let (table, errors) = DeTable::parse_recoverable(source.text());
        for error in errors {
            let place = source.place(error.span().unwrap_or(0..0));
            let finding = Diagnostic::new(code::CONFIG, place, "book.toml no es TOML válido");
            found.push(finding.note(format!("el lector de TOML dice: {}", error.message())));
        }
        // What follows a syntax error would be reported for no reason.
        if !found.is_empty() {
            return Err(found);
        }
        let config = read(root, &source, table.get_ref(), &mut found);
        if found.is_empty() { Ok(config) } else { Err(found) }
    }

    /// The folder of the chapters.
    pub fn src_dir(&self) -> PathBuf {
        self.root.join(&self.book.src)
    }

    /// The folder where the site goes unless the command line says otherwise.
    pub fn output_dir(&self) -> PathBuf {
        self.root.join(&self.build_dir)
    }
}

fn read(root: &Path, source: &Source, table: &DeTable<'_>, found: &mut Diagnostics) -> Config {
    let mut top = Section::root(source, table);
    let book = read_book(top.section("book", found), found);
    let mut build = top.section("build", found);
    let build_dir = build.located("build-dir", found);
    let build_dir_place = match &build_dir {
        Some((_, range)) => source.place(range.clone()),
        None => source.into(),
    };
    let build_dir = build_dir.map_or_else(|| "book".into(), |(text, _)| text).into();
    let extra_watch_dirs = paths(build.texts("extra-watch-dirs", found));
    build.tolerate(&["create-missing", "use-default-preprocessors"]);
    build.finish(found);
    let site = read_outputs(top.section("output", found), &book.title, found);
    let mut preprocessors = top.section("preprocessor", found);
    let report = read_report(preprocessors.section("escritura", found), found);
    preprocessors.near_misses(found);
    top.section("rust", found).tolerate(&["edition"]);
    top.finish(found);
    let root = root.to_path_buf();
    let source = source.clone();
    Config { root, source, book, build_dir, build_dir_place, extra_watch_dirs, site, report }
}

fn paths(texts: Vec<String>) -> Vec<PathBuf> {
    texts.into_iter().map(PathBuf::from).collect()
}

fn read_book(mut book: Section<'_>, found: &mut Diagnostics) -> BookOptions {
    let options = BookOptions {
        title: book.text("title", found).unwrap_or_else(|| "Escritura".into()),
        authors: book.texts("authors", found),
        description: book.text("description", found),
        language: book.text("language", found).unwrap_or_else(|| "es".into()),
        text_direction: book.text("text-direction", found),
        src: book.text("src", found).unwrap_or_else(|| "content".into()).into(),
    };
    book.finish(found);
    options
}

fn read_outputs(mut output: Section<'_>, title: &str, found: &mut Diagnostics) -> SiteOptions {
    let mut html = output.section("html", found);
    let mut ours = output.section("escritura", found);
    let options = SiteOptions {
        section: ours.text("seccion", found).unwrap_or_else(|| title.into()),
        site_url: html.text("site-url", found),
        cname: html.text("cname", found),
        repository_url: html.text("git-repository-url", found),
        edit_url_template: html.text("edit-url-template", found),
        default_theme: html.text("default-theme", found),
        additional_css: paths(html.texts("additional-css", found)),
        additional_js: paths(html.texts("additional-js", found)),
        smart_punctuation: html.flag("smart-punctuation", found).unwrap_or(false),
        redirect: read_redirects(html.section("redirect", found), found),
        search: read_search(html.section("search", found), found),
        feed: ours.flag("canal", found).unwrap_or(true),
        licence: ours.text("licencia", found),
        templates: ours.text("plantillas", found).unwrap_or_else(|| "templates".into()).into(),
    };
    tolerate_mdbook(&mut html, found);
    html.finish(found);
    // mdBook runs `command` for a renderer that it does not know.
    ours.tolerate(&["command", "optional"]);
    ours.finish(found);
    output.near_misses(found);
    options
}

/// The keys of mdBook 0.5's HTML renderer that change nothing here.
fn tolerate_mdbook(html: &mut Section<'_>, found: &mut Diagnostics) {
    html.tolerate(&[
        "admonitions",
        "definition-lists",
        "git-repository-icon",
        "hash-files",
        "input-404",
        "live-reload-endpoint",
        "mathjax-support",
        "no-section-label",
        "preferred-dark-theme",
        "sidebar-header-nav",
        "theme",
    ]);
    let tables: [(&str, &[&str]); 4] = [
        ("code", &["hidelines"]),
        ("fold", &["enable", "level"]),
        ("playground", &["copy-js", "copyable", "editable", "line-numbers", "runnable"]),
        ("print", &["enable", "page-break"]),
    ];
    for (name, keys) in tables {
        let mut table = html.section(name, found);
        table.tolerate(keys);
        table.finish(found);
    }
}

fn read_search(mut search: Section<'_>, found: &mut Diagnostics) -> bool {
    let enabled = search.flag("enable", found).unwrap_or(true);
    search.tolerate(&[
        "boost-hierarchy",
        "boost-paragraph",
        "boost-title",
        "chapter",
        "copy-js",
        "expand",
        "heading-split-level",
        "limit-results",
        "teaser-word-count",
        "use-boolean-and",
    ]);
    search.finish(found);
    enabled
}

fn read_redirects(section: Section<'_>, found: &mut Diagnostics) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for (_, (from, to)) in section.entries() {
        match to.get_ref().as_str() {
            Some(target) => drop(all.insert(from.to_owned(), target.to_owned())),
            None => found.push(section.complain(to.span(), "un desvío debe ser un texto")),
        }
    }
    all
}

fn read_report(mut ours: Section<'_>, found: &mut Diagnostics) -> ReportOptions {
    let options = ReportOptions {
        numbers: read_numbers(ours.section("numeros", found), found),
        decimals: ours.count("decimales", 15, found).unwrap_or(2),
        rules: read_rules(ours.section("reglas", found), found),
        strict: ours.flag("estricto", found).unwrap_or(false),
        data: ours.text("datos", found).map(PathBuf::from),
    };
    ours.tolerate(&["after", "before", "command", "optional", "renderer", "renderers"]);
    ours.finish(found);
    options
}

fn read_numbers(mut table: Section<'_>, found: &mut Diagnostics) -> NumberMarks {
    let mut marks = NumberMarks::default();
    let fields = [
        ("decimal", &mut marks.decimal),
        ("miles", &mut marks.thousands),
        ("menos", &mut marks.minus),
    ];
    for (key, mark) in fields {
        if let Some((text, range)) = table.located(key, found) {
            let fits = text.chars().count() <= 1 && !text.contains(char::is_alphanumeric);
            match fits && (key == "miles" || !text.is_empty()) {
                true => *mark = text,
                false => found.push(table.complain(range, format!("«{key}» debe ser un signo"))),
            }
        }
    }
    if marks.decimal == marks.thousands {
        let range = table.located("miles", found).map_or(0..0, |(_, range)| range);
        found.push(table.complain(range, "decimales y miles no pueden usar el mismo signo"));
    }
    table.finish(found);
    marks
}

fn read_rules(section: Section<'_>, found: &mut Diagnostics) -> Rules {
    let mut rules = Rules::new();
    let names = CATALOGUE.iter().filter(|code| code.is_rule()).map(|code| code.name);
    for (key, (name, value)) in section.entries() {
        let known = CATALOGUE.iter().find(|code| code.name == name);
        let Some(rule) = known.filter(|code| code.is_rule()) else {
            let what =
                if known.is_some() { "no es una regla: no se puede permitir" } else { "no existe" };
            let finding = section.complain(key, format!("la regla «{name}» {what}"));
            let finding = Diagnostic { code: code::UNKNOWN_KEY, ..finding };
            found.push(finding.hint(did_you_mean(name, names.clone())));
            continue;
        };
        match severity(value.get_ref()) {
            Some(severity) => drop(rules.insert(rule.name, severity)),
            None => found.push(
                section
                    .complain(value.span(), format!("no es una severidad para «{name}»"))
                    .hint(Some("existen: error, aviso, permitir".into())),
            ),
        }
    }
    rules
}

fn severity(value: &DeValue<'_>) -> Option<Severity> {
    match value.as_str()? {
        "error" | "deny" => Some(Severity::Error),
        "aviso" | "warn" => Some(Severity::Warning),
        "permitir" | "allow" => Some(Severity::Off),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Config, Diagnostics> {
        Config::parse(Path::new("."), Source::new(FILE, text))
    }

    fn faults(text: &str) -> Vec<(usize, String, Option<String>)> {
        let found = parse(text).unwrap_err();
        found.into_iter().map(|one| (one.place.order().1, one.message, one.hint)).collect()
    }

    #[test]
    fn an_empty_file_gives_the_defaults() {
        let config = parse("").unwrap();
        assert_eq!(config.book.src, Path::new("content"));
        assert_eq!(config.build_dir, Path::new("book"));
        assert_eq!(config.report.numbers, NumberMarks::default());
        assert!(!config.report.strict);
    }

    #[test]
    fn every_unknown_key_is_reported_with_its_line_and_nearest_name() {
        let found = faults(
            "[book]\ntitel = \"x\"\n[output.html]\nsite_url = \"/\"\n[preprocessor.escritura]\nestrcto = true\n[otra]\n",
        );
        let hints: Vec<_> = found.iter().map(|(line, _, hint)| (*line, hint.as_deref())).collect();
        assert!(hints.contains(&(2, Some("¿quiso decir «title»?"))), "{found:?}");
        assert!(hints.contains(&(4, Some("¿quiso decir «site-url»?"))), "{found:?}");
        assert!(hints.contains(&(6, Some("¿quiso decir «estricto»?"))), "{found:?}");
        assert!(found.iter().any(|(line, ..)| *line == 7), "{found:?}");
    }

    #[test]
    fn rules_take_spanish_and_english_severities() {
        let config = parse(
            "[preprocessor.escritura.reglas]\nvalor-sin-usar = \"permitir\"\nenlace-roto = \"warn\"\n",
        );
        let rules = config.unwrap().report.rules;
        assert_eq!(rules[code::UNUSED_VALUE.name], Severity::Off);
        assert_eq!(rules[code::DEAD_LINK.name], Severity::Warning);
    }

    #[test]
    fn an_unknown_rule_or_severity_is_an_error() {
        let found = faults(
            "[preprocessor.escritura.reglas]\nvalor-sin-usr = \"error\"\nenlace-roto = \"fatal\"\n",
        );
        assert_eq!(found.len(), 2);
        assert!(
            found
                .iter()
                .any(|(.., hint)| { hint.as_deref() == Some("¿quiso decir «valor-sin-usar»?") })
        );
    }

    #[test]
    fn other_programs_tables_are_tolerated() {
        let text = "[book]\ntitle = \"a\"\n[preprocessor.links]\nx = 1\n[output.linkcheck]\ny = 2\n[preprocessor.escritura]\ncommand = \"escritura mdbook\"\nbefore = [\"links\"]\n[output.html.search]\nlimit-results = 3\n[output.html.fold]\nenable = true\n[rust]\nedition = \"2024\"\n";
        assert!(parse(text).is_ok(), "{:?}", parse(text));
    }

    #[test]
    fn a_wrong_type_and_a_wrong_mark_are_located() {
        let found = faults(
            "[book]\nauthors = \"yo\"\n[preprocessor.escritura.numeros]\ndecimal = \"x\"\n[preprocessor.escritura]\ndecimales = 99\n",
        );
        let mut lines: Vec<_> = found.iter().map(|(line, ..)| *line).collect();
        lines.sort_unstable();
        assert_eq!(lines, [2, 4, 6]);
    }

    #[test]
    fn broken_toml_is_located() {
        assert_eq!(faults("[book]\ntitle = \"a\n")[0].0, 2);
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(
            text in "(\\[(book|output|output.html|preprocessor.escritura)\\]\n|title|src|=|\"a\"|1|\n|\\[|\\]|ñ){0,20}"
        ) {
            let _ = parse(&text);
        }
    }
}
