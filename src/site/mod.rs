//! The site: a book's configuration and order, and its pages.
//!
//! [`Book::load`] reads `book.toml` and `SUMMARY.md`; [`build`] turns the resolved
//! chapters into files, in memory; [`output::write`] puts them in place.

mod build;
mod cite;
pub mod config;
pub mod export;
mod feeds;
mod fragments;
mod links;
mod manifest;
pub mod markdown;
pub mod markup;
pub mod output;
mod page;
mod pictures;
mod raster;
mod resolve;
mod search;
mod section;
mod slug;
pub mod summary;
mod templates;
mod words;

pub use build::build;
pub use config::Config;
pub use slug::slug;
pub use summary::{Chapter, Entry, Summary};

use crate::diagnostics::Diagnostics;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A book: how it is configured and which chapters it has.
#[derive(Debug, Clone)]
pub struct Book {
    /// `book.toml`.
    pub config: Config,
    /// `SUMMARY.md`.
    pub summary: Summary,
}

impl Book {
    /// Reads the book of a folder. Nothing comes back when its configuration or
    /// its order cannot be read; all that was found wrong is in `found`.
    pub fn load(root: &Path, found: &mut Diagnostics) -> Option<Self> {
        let config = found.check_all(Config::load(root))?;
        let summary = Summary::load(&config.src_dir(), found)?;
        Some(Self { config, summary })
    }

    /// The written chapters, in order: their slug and their file on disk.
    pub fn chapter_files(&self) -> impl Iterator<Item = (String, PathBuf)> + '_ {
        let src = self.config.src_dir();
        self.summary
            .chapters()
            .filter_map(move |chapter| Some((chapter.slug()?, src.join(chapter.file.as_deref()?))))
    }
}

/// The files of a site: path from its root, with `/`, and content.
pub type SiteFiles = BTreeMap<String, Vec<u8>>;
