//! What the commands that work on a book have in common.

use super::progress::Progress;
use super::{Failed, output};
use crate::data::Cache;
use crate::diagnostics::{Diagnostic, Diagnostics, Place, code, did_you_mean, system};
use crate::report::book::{self, Chapters, Opened, Settings};
use crate::report::document::Document;
use crate::report::format::NumberStyle;
use crate::site::{self, Book, Config, SiteFiles};
use std::path::{Path, PathBuf};

/// Which book.
#[derive(Debug, Clone, clap::Args)]
pub struct BookFolder {
    /// Carpeta del libro, la que tiene book.toml
    #[arg(
        short = 'r',
        long = "raiz",
        alias = "root",
        value_name = "CARPETA",
        default_value = ".",
        hide_default_value = true,
        help_heading = "Opciones"
    )]
    pub root: PathBuf,
}

/// Which book, and with which data.
#[derive(Debug, clap::Args)]
pub struct BookArguments {
    #[command(flatten)]
    folder: BookFolder,

    /// Carpeta de datos que sustituye a la de los capítulos que encuentren en ella sus archivos
    #[arg(long = "datos", alias = "data", value_name = "CARPETA", help_heading = "Opciones")]
    data: Option<PathBuf>,
}

/// Where the site goes.
#[derive(Debug, clap::Args)]
pub struct Destination {
    /// Carpeta del sitio, en lugar de la de book.toml
    #[arg(
        short = 'd',
        long = "destino",
        alias = "dest-dir",
        value_name = "CARPETA",
        help_heading = "Opciones"
    )]
    pub destination: Option<PathBuf>,
}

/// A book whose chapters and data have been read.
#[derive(Debug)]
pub struct OpenBook {
    /// Configuration and order.
    pub book: Book,
    /// How numbers are written, and data.
    pub settings: Settings,
    /// The chapters.
    pub chapters: Chapters,
}

impl BookArguments {
    /// Reads the book; `None` when there is none to speak of.
    pub fn open(&self, found: &mut Diagnostics) -> Option<OpenBook> {
        OpenBook::open(&self.folder.root, self.data.clone(), found)
    }
}

fn settings(config: &Config, data: Option<PathBuf>) -> Settings {
    Settings {
        root: config.root.clone(),
        style: number_style(config),
        cache: Cache::of_book(&config.root),
        data: data.or_else(|| config.report.data.as_ref().map(|folder| config.root.join(folder))),
    }
}

/// How a book writes numbers.
pub fn number_style(config: &Config) -> NumberStyle {
    let report = &config.report;
    NumberStyle {
        decimal: report.numbers.decimal.chars().next().unwrap_or('.'),
        thousands: report.numbers.thousands.clone(),
        minus: report.numbers.minus.clone(),
        decimals: report.decimals,
    }
}

impl OpenBook {
    /// Reads the book of a folder, over its own data or those of another folder.
    pub fn open(root: &Path, data: Option<PathBuf>, found: &mut Diagnostics) -> Option<Self> {
        let book = Book::load(root, found).map(|book| {
            let settings = settings(&book.config, data);
            let chapters = book::open(book.chapter_files(), &settings, found);
            Self { book, settings, chapters }
        });
        // Where there is no book, its name is what was given.
        if system::is_there(&root.join(site::config::FILE)) {
            found.relative_to(root);
        }
        book
    }

    /// Computes and resolves every chapter.
    pub fn resolve(&self, found: &mut Diagnostics) -> Vec<Document> {
        let progress = Progress::new("calculando");
        book::resolve(&self.chapters, &self.settings, &|node| progress.done(node), found)
    }

    /// The site's files, in memory, with every diagnostic of the book.
    pub fn build(&self, found: &mut Diagnostics) -> (Vec<Document>, SiteFiles) {
        let documents = self.resolve(found);
        let files = site::build(&self.book, &documents, &self.settings.cache, found);
        found.relative_to(&self.book.config.root);
        found.sort();
        found.apply(&self.book.config.report.rules);
        (documents, files)
    }

    /// Where the site goes. A folder where it must not is reported where it was
    /// chosen.
    pub fn destination(&self, given: Option<&Path>, found: &mut Diagnostics) -> PathBuf {
        let config = &self.book.config;
        let destination = given.map_or_else(|| config.output_dir(), Path::to_path_buf);
        if let Err(mut refused) = site::output::check(&destination, config) {
            if given.is_none() {
                refused.place = config.build_dir_place.clone();
            }
            found.push(refused);
        }
        destination
    }

    /// The chapter of that slug, or the only one of a book of one chapter.
    pub fn chapter(&self, slug: &str) -> Result<&Opened, Diagnostic> {
        let slug = slug.trim_end_matches('/').trim_end_matches("/index.md");
        let found = self.chapters.read.iter().find(|one| one.chapter.slug == slug);
        found.ok_or_else(|| {
            let slugs: Vec<&str> =
                self.chapters.read.iter().map(|one| one.chapter.slug.as_str()).collect();
            let message = format!("no hay un capítulo «{slug}»");
            Diagnostic::new(code::CONFIG, Place::Nowhere, message).hint(did_you_mean(slug, slugs))
        })
    }

    /// Whether warnings are errors: by the command or by the book.
    pub fn strict(&self, asked: bool) -> bool {
        asked || self.book.config.report.strict
    }
}

/// Shows what was found when a book could not even be read.
pub fn unreadable(found: &Diagnostics) -> Failed {
    output::report(found, false).err().unwrap_or(Failed)
}

/// A path as a person on this machine would write it.
pub fn shown(path: &Path) -> String {
    path.strip_prefix(".").unwrap_or(path).display().to_string()
}
