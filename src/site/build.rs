//! Assembling a site in memory: from resolved chapters to files.

use super::cite::{Author, Work};
use super::fragments::Renderer;
use super::links::{encode_percent, folder, is_external, normalise, relative};
use super::markdown::Parsed;
use super::page::{Listed, Neighbour, PageContext, SiteContext};
use super::pictures::{self, Card, Picture};
use super::resolve::{Targets, page_path};
use super::summary::{Chapter, Entry};
use super::templates::Templates;
use super::{Book, SiteFiles, export, feeds, manifest, search};
use crate::chart;
use crate::data::Cache;
use crate::diagnostics::{Diagnostic, Diagnostics, code, did_you_mean};
use crate::report::document::{Document, MARK_END, MARK_START};
use minijinja::context;
use minijinja::value::{Serde, Value};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A file of ours: its path under `static/`, and its bytes.
macro_rules! asset {
    ($path:literal) => {
        (concat!("estaticos/", $path), include_bytes!(concat!("../../static/", $path)) as &[u8])
    };
}

/// Our style sheet, script, icon and fonts, in the folder of the site that holds them.
const ASSETS: [(&str, &[u8]); 10] = [
    asset!("escritura.css"),
    asset!("escritura.js"),
    asset!("fuentes/OFL.txt"),
    asset!("fuentes/source-sans-3-greek.woff2"),
    asset!("fuentes/source-sans-3-latin.woff2"),
    asset!("fuentes/source-serif-4-greek.woff2"),
    asset!("fuentes/source-serif-4-greek-italic.woff2"),
    asset!("fuentes/source-serif-4-latin.woff2"),
    asset!("fuentes/source-serif-4-latin-italic.woff2"),
    asset!("icono.svg"),
];

/// Makes every file of the site; writes nothing. Chapters without a document
/// (theirs failed) get no page, and links to them are not reported. What is slow to
/// draw is kept in `cache`.
pub fn build(
    book: &Book,
    documents: &[Document],
    cache: &Cache,
    found: &mut Diagnostics,
) -> SiteFiles {
    Builder::new(book, documents, found).run(cache, found)
}

/// A chapter, its file and its text after the first pass.
struct Page<'a> {
    chapter: &'a Chapter,
    file: &'a str,
    path: String,
    document: &'a Document,
    parsed: Parsed<'a>,
    title: String,
}

/// A page as it is published, and the book's files that it shows.
struct Rendered {
    html: Vec<u8>,
    linked: BTreeSet<String>,
}

struct Builder<'a> {
    book: &'a Book,
    site: SiteContext,
    templates: Templates,
    targets: Targets,
    pages: Vec<Page<'a>>,
    files: SiteFiles,
}

impl<'a> Builder<'a> {
    fn new(book: &'a Book, documents: &'a [Document], found: &mut Diagnostics) -> Self {
        let config = &book.config;
        let templates = Templates::load(&config.root.join(&config.site.templates), found);
        let pages = read_pages(book, documents, found);
        let targets = targets(book, &pages);
        let mut site = feeds::site_context(config);
        // A feed needs dates: without any there is none to link to.
        site.canal &= documents.iter().any(|one| one.meta.date.is_some() && !one.meta.draft);
        Self { book, site, templates, targets, pages, files: SiteFiles::new() }
    }

    fn run(mut self, cache: &Cache, found: &mut Diagnostics) -> SiteFiles {
        self.assets(found);
        self.downloads(found);
        self.pictures(cache);
        let listed = self.listed();
        let list = Value::from(Serde(&listed));
        let (rendered, others) = rayon::join(
            || {
                let pages = self.pages.par_iter().enumerate();
                found.in_parallel(pages, |(at, page), found| self.page(at, page, &list, found))
            },
            || rayon::join(|| self.search_index(), || self.markdown()),
        );
        let (index, markdown) = others;
        let mut linked = BTreeSet::new();
        for (page, rendered) in self.pages.iter().zip(rendered) {
            linked.extend(rendered.linked);
            self.files.insert(page.path.clone(), rendered.html);
        }
        for (template, path) in [("indice.html", "index.html"), ("404.html", "404.html")] {
            if !self.files.contains_key(path) {
                let html = self.html(template, path, context! { lista => list.clone() }, found);
                self.files.insert(path.into(), html);
            }
        }
        self.redirects(found);
        self.copy(linked, found);
        self.files.extend(index.map(|json| ("buscar.json".to_owned(), json)));
        for (path, text) in markdown {
            self.files.entry(path).or_insert(text);
        }
        feeds::add(&self.site, &self.templates, &listed, &mut self.files, found);
        if let Some(name) = &self.book.config.site.cname {
            self.files.insert("CNAME".into(), format!("{name}\n").into_bytes());
        }
        check_marks(&self.files, found);
        let documents: Vec<_> = self.pages.iter().map(|page| page.document).collect();
        let manifest = manifest::write(self.book, &self.templates.inputs, &documents, &self.files);
        self.files.insert("manifiesto.json".into(), manifest);
        self.files
    }

    /// The HTML of a chapter; that of the first page of all is followed by the list.
    fn page(&self, at: usize, page: &Page, list: &Value, found: &mut Diagnostics) -> Rendered {
        let mut linked = BTreeSet::new();
        let context = self.page_context(at, &mut linked, found);
        let context = context! { pagina => Value::from(Serde(context)) };
        let html = match page.path.as_str() {
            "index.html" => {
                let context = context! { lista => list, ..context };
                self.html("indice.html", "index.html", context, found)
            }
            path => self.html("pagina.html", path, context, found),
        };
        Rendered { html, linked }
    }

    /// Renders a page of the site.
    fn html(&self, template: &str, path: &str, context: Value, found: &mut Diagnostics) -> Vec<u8> {
        let raiz = "../".repeat(path.matches('/').count());
        let site = Value::from(Serde(&self.site));
        let whole = context! { sitio => site, raiz => raiz, ruta => path, ..context };
        self.templates.render(template, whole, found).into_bytes()
    }

    fn page_context(
        &self,
        at: usize,
        linked: &mut BTreeSet<String>,
        found: &mut Diagnostics,
    ) -> PageContext {
        let page = &self.pages[at];
        let config = &self.book.config;
        let renderer = Renderer {
            document: page.document,
            chapter: page.file,
            targets: &self.targets,
            templates: &self.templates,
            published: &self.files,
            decimal: &config.report.numbers.decimal,
        };
        let fragments = renderer.render(found);
        let body = page.parsed.render(page.file, &self.targets, &fragments.html, linked, found);
        let places = body.values();
        let mut context = PageContext::new(page.document, &page.title, body);
        let authors = authors_of(self.book, page.document);
        context.autores = authors.iter().map(Author::natural).collect();
        context.numero = page.chapter.label();
        context.secciones = page.parsed.headings.clone();
        context.valores = fragments.origins;
        context.valores.iter_mut().for_each(|one| one.keep_places(&places));
        context.tarjeta = self.published(page, "tarjeta.png");
        context.url = self.site.base.as_ref().map(|base| base.clone() + &public_path(&page.path));
        context.editar = config.site.edit_url_template.as_ref().map(|template| {
            let path = config.book.src.join(page.file);
            template.replace("{path}", &encode_percent(&path.to_string_lossy().replace('\\', "/")))
        });
        let work = Work {
            authors: &authors,
            date: page.document.meta.date,
            title: &page.title,
            site: &self.site.titulo,
            url: context.url.as_deref(),
            slug: &page.document.slug,
        };
        context.cita = Some(work.cite());
        let neighbour = |other: Option<&Page<'_>>| {
            other.map(|other| Neighbour {
                titulo: other.title.clone(),
                url: relative(&page.path, &other.path),
            })
        };
        context.anterior = neighbour(at.checked_sub(1).and_then(|one| self.pages.get(one)));
        context.siguiente = neighbour(self.pages.get(at + 1));
        context
    }

    /// The path of something that stands beside a page, if it does.
    fn published(&self, page: &Page<'_>, name: &str) -> Option<String> {
        normalise(folder(&page.path), name).filter(|path| self.files.contains_key(path))
    }

    /// What the index shows, in the order of the summary.
    fn listed(&self) -> Vec<Listed> {
        let entries = self.book.summary.entries.iter();
        entries
            .map(|entry| match entry {
                Entry::Part(title) => listed("parte", title),
                Entry::Separator => listed("separador", ""),
                Entry::Chapter(chapter) => {
                    let page = self.pages.iter().find(|page| std::ptr::eq(page.chapter, chapter));
                    self.listed_chapter(chapter, page)
                }
            })
            .collect()
    }

    fn listed_chapter(&self, chapter: &Chapter, page: Option<&Page<'_>>) -> Listed {
        let mut one = listed("capitulo", &chapter.name);
        one.numero = chapter.label();
        one.nivel = chapter.number.len().saturating_sub(1);
        if let Some(page) = page {
            let meta = &page.document.meta;
            one.titulo = page.title.clone();
            one.ruta = Some(page.path.clone());
            one.fecha = meta.date.map(Into::into);
            one.descripcion = meta.description.clone();
            let authors = authors_of(self.book, page.document);
            one.autores = authors.iter().map(Author::natural).collect();
            one.borrador = meta.draft;
            let figure = page.document.figures().next();
            let file = figure.and_then(|figure| self.published(page, &figure.file));
            one.figura = file.map(|file| file + chart::THUMBNAIL);
            one.simulados = page.document.is_simulated();
        }
        one
    }

    /// What the search box looks through: every chapter that is published.
    fn search_index(&self) -> Option<Vec<u8>> {
        let published = self.pages.iter().filter(|page| !page.document.meta.draft);
        let index = published
            .map(|page| search::chapter(&page.title, &page.path, page.document, &page.parsed));
        let wanted = self.book.config.site.search;
        wanted.then(|| serde_json::to_vec(&index.collect::<Vec<_>>()).unwrap_or_default())
    }

    /// Every chapter with its numbers as Markdown, whose links lead to one another.
    fn markdown(&self) -> Vec<(String, Vec<u8>)> {
        let text = |page: &Page<'_>| {
            let address = |written: &str| self.markdown_address(page.file, written);
            export::commonmark(page.document, address).into_bytes()
        };
        self.pages.iter().map(|page| (markdown_path(&page.path), text(page))).collect()
    }

    /// A link of a chapter as its Markdown has it.
    fn markdown_address(&self, chapter: &str, written: &str) -> String {
        // Whatever is wrong with it was reported with the page.
        let resolved = self.targets.resolve(chapter, written, &mut BTreeSet::new());
        let (path, anchor) = match &resolved {
            Ok(address) if !is_external(address) => {
                address.split_once('#').map_or((&**address, ""), |(p, a)| (p, a))
            }
            _ => return written.to_owned(),
        };
        let path = match path.strip_suffix("index.html") {
            Some(folder) => format!("{folder}index.md"),
            None => path.to_owned(),
        };
        if anchor.is_empty() { path } else { format!("{path}#{anchor}") }
    }

    /// Our files, and the book's own style and script.
    fn assets(&mut self, found: &mut Diagnostics) {
        for (path, bytes) in ASSETS {
            self.files.insert(path.into(), bytes.to_vec());
        }
        let site = &self.book.config.site;
        for file in site.additional_css.iter().chain(&site.additional_js) {
            let name = file.to_string_lossy().replace('\\', "/");
            match normalise("", &name).filter(|_| !file.is_absolute()) {
                Some(path) => self.read(&self.book.config.root.join(&path), path, found),
                None => found.push(Diagnostic::new(
                    code::CONFIG,
                    &self.book.config.source,
                    format!("«{name}» está fuera del libro"),
                )),
            }
        }
    }

    /// Files that the chapters' pages show, at the same path as in the book.
    fn copy(&mut self, linked: BTreeSet<String>, found: &mut Diagnostics) {
        for path in linked {
            self.read(&self.targets.src.join(&path), path, found);
        }
    }

    fn read(&mut self, from: &Path, to: String, found: &mut Diagnostics) {
        match std::fs::read(from) {
            Ok(bytes) => drop(self.files.insert(to, bytes)),
            Err(error) => found.push(
                Diagnostic::new(code::FILE, from, format!("no se puede leer «{to}»"))
                    .note(error.to_string()),
            ),
        }
    }

    /// What stands beside each page; nothing may take the place of a page or of
    /// another download.
    fn downloads(&mut self, found: &mut Diagnostics) {
        for page in &self.pages {
            for one in &page.document.downloads {
                let path = normalise(folder(&page.path), &one.path);
                let free = |path: &String| {
                    !self.files.contains_key(path) && !self.pages.iter().any(|it| it.path == *path)
                };
                match path.filter(free) {
                    Some(path) => drop(self.files.insert(path, one.bytes.clone())),
                    None => {
                        let message = format!("no se puede publicar la descarga «{}»", one.path);
                        let place = &page.document.source;
                        found.push(Diagnostic::new(code::DUPLICATE_NAME, place, message));
                    }
                }
            }
        }
    }

    /// The figures as PNG beside their SVG, and the card of each page; neither
    /// takes the place of a download.
    fn pictures(&mut self, cache: &Cache) {
        let section = self.site.seccion.as_str();
        let mut all: BTreeMap<String, Picture<'_>> = BTreeMap::new();
        let index = Card {
            section: &self.site.titulo,
            title: section,
            description: self.site.descripcion.as_deref(),
            simulated: false,
            figure: None,
        };
        all.insert("tarjeta.png".into(), Picture::Card(index));
        for page in &self.pages {
            let at = |name: &str| normalise(folder(&page.path), name).unwrap_or_default();
            let figures = page.document.figures().map(|one| (at(&one.file), at(&one.png())));
            let drawn: Vec<_> = figures
                .filter_map(|(svg, png)| Some((self.files.get(&svg)?.as_slice(), png)))
                .collect();
            let card = Card {
                section,
                title: &page.title,
                description: page.document.meta.description.as_deref(),
                simulated: page.document.is_simulated(),
                figure: drawn.first().map(|(svg, _)| *svg),
            };
            all.insert(at("tarjeta.png"), Picture::Card(card));
            all.extend(drawn.into_iter().map(|(svg, png)| (png, Picture::Figure(svg))));
        }
        all.retain(|path, _| !self.files.contains_key(path));
        let drawn = pictures::draw(all.into_iter().collect(), cache);
        self.files.extend(drawn);
    }

    fn redirects(&mut self, found: &mut Diagnostics) {
        let config = &self.book.config;
        for (from, to) in &config.site.redirect {
            let mut path = from.trim_start_matches('/').to_owned();
            if path.is_empty() || path.ends_with('/') {
                path += "index.html";
            }
            let target = to.split(['#', '?']).next().unwrap_or_default();
            let known = normalise(folder(&path), target);
            if !is_external(to) && !known.as_ref().is_some_and(|to| self.files.contains_key(to)) {
                let message = format!("el desvío de «{from}» lleva a «{to}», que no existe");
                let near = did_you_mean(target, self.files.keys().map(String::as_str));
                found.push(Diagnostic::new(code::DEAD_LINK, &config.source, message).hint(near));
            } else if normalise("", &path).is_some_and(|from| !self.files.contains_key(&from)) {
                let context = context! { destino => to, sitio => Value::from(Serde(&self.site)) };
                let html = self.templates.render("desvio.html", context, found);
                self.files.insert(path, html.into_bytes());
            }
        }
    }
}

/// A chapter's authors: its own, or the book's.
fn authors_of(book: &Book, document: &Document) -> Vec<Author> {
    let own = &document.meta.authors;
    let names = if own.is_empty() { &book.config.book.authors } else { own };
    names.iter().map(|name| Author::new(name)).collect()
}

fn listed(tipo: &'static str, title: &str) -> Listed {
    Listed {
        tipo,
        titulo: title.to_owned(),
        numero: String::new(),
        nivel: 0,
        ruta: None,
        fecha: None,
        descripcion: None,
        autores: vec![],
        borrador: false,
        figura: None,
        simulados: false,
    }
}

/// The address of a page as readers share it: folders without `index.html`.
pub(super) fn public_path(path: &str) -> String {
    encode_percent(path.strip_suffix("index.html").unwrap_or(path))
}

/// The path of a page's Markdown.
pub(super) fn markdown_path(page: &str) -> String {
    format!("{}.md", page.strip_suffix(".html").unwrap_or(page))
}

/// First pass over every chapter that has a document, in the summary's order.
fn read_pages<'a>(
    book: &'a Book,
    documents: &'a [Document],
    found: &mut Diagnostics,
) -> Vec<Page<'a>> {
    let smart = book.config.site.smart_punctuation;
    let mut seen = BTreeSet::new();
    let chapters = book.summary.chapters();
    let mut page = |chapter: &'a Chapter| {
        let (file, slug) = (chapter.file.as_deref()?, chapter.slug()?);
        let document = documents.iter().find(|document| document.slug == slug)?;
        if !seen.insert(slug.clone()) {
            return None;
        }
        let parsed = Parsed::new(document, smart, found);
        let title = match document.meta.title.as_str() {
            "" => parsed.title().unwrap_or(&chapter.name).to_owned(),
            title => title.to_owned(),
        };
        Some(Page { chapter, file, path: page_path(&slug), document, parsed, title })
    };
    chapters.filter_map(&mut page).collect()
}

fn targets(book: &Book, pages: &[Page<'_>]) -> Targets {
    let mut chapters: BTreeMap<String, Option<BTreeSet<String>>> = BTreeMap::new();
    for chapter in book.summary.chapters() {
        chapters.extend(chapter.file.clone().map(|file| (file, None)));
    }
    for page in pages {
        chapters.insert(page.file.to_owned(), Some(page.parsed.ids.clone()));
    }
    let downloads = pages.iter().flat_map(|page| {
        let paths = page.document.downloads.iter();
        paths.filter_map(|one| normalise(folder(&page.path), &one.path))
    });
    let files = downloads.collect();
    let src: PathBuf = book.config.src_dir();
    Targets { chapters, files, src }
}

/// Last guard: no mark may be left anywhere.
fn check_marks(files: &SiteFiles, found: &mut Diagnostics) {
    for (path, bytes) in files {
        let text = std::str::from_utf8(bytes).unwrap_or_default();
        if text.contains([MARK_START, MARK_END]) {
            let message = format!("un marcador interno llegó a «{path}»");
            found.push(Diagnostic::new(code::PLACEHOLDER, Path::new(path), message));
        }
    }
}
