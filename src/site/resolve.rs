//! Where a chapter's links lead: chapters, anchors, downloads and files of the
//! book, each as an address relative to the page.

use super::links::{decode_percent, folder, is_external, normalise, relative};
use super::summary::slug_of;
use crate::diagnostics::{did_you_mean, nearest};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A link that leads nowhere: what to say and how to mend it.
#[derive(Debug, PartialEq)]
pub struct Dead {
    /// What is wrong.
    pub message: String,
    /// The nearest name.
    pub hint: Option<String>,
}

/// All that links may point to.
#[derive(Debug, Default)]
pub struct Targets {
    /// Chapter file to the ids of its page; `None` while the page is not known
    /// (its chapter failed), so that its links are not reported as well.
    pub chapters: BTreeMap<String, Option<BTreeSet<String>>>,
    /// Files that the site will hold besides pages, by path.
    pub files: BTreeSet<String>,
    /// Folder of the chapters, where images and other files are found.
    pub src: PathBuf,
}

/// The address of a chapter's page.
pub fn page_path(slug: &str) -> String {
    if slug.is_empty() { "index.html".into() } else { format!("{slug}/index.html") }
}

impl Targets {
    /// The address that a link of a chapter must have on its page. Files of the
    /// book that it names are added to `assets`, to be copied.
    pub fn resolve(
        &self,
        chapter: &str,
        address: &str,
        assets: &mut BTreeSet<String>,
    ) -> Result<String, Dead> {
        if is_external(address) || address.is_empty() {
            return Ok(address.to_owned());
        }
        let (target, anchor) = match address.split_once('#') {
            Some((target, anchor)) => (target, Some(decode_percent(anchor))),
            None => (address, None),
        };
        let (target, query) = target.split_once('?').map_or((target, ""), |(t, q)| (t, q));
        let here = page_path(&slug_of(chapter));
        if target.is_empty() {
            return self.with_anchor(chapter, String::new(), anchor);
        }
        let target = decode_percent(target);
        let outside = || Dead {
            message: format!("«{address}» sale de la carpeta de los capítulos"),
            hint: None,
        };
        let path = normalise(folder(chapter), &target).ok_or_else(outside)?;
        if let Some(file) = self.chapter_of(&path) {
            let page = relative(&here, &page_path(&slug_of(file)));
            return self.with_anchor(file, page, anchor);
        }
        if path.is_empty() || path == "index.html" {
            return Ok(relative(&here, "index.html"));
        }
        let tail = |base: String| {
            let query = if query.is_empty() { String::new() } else { format!("?{query}") };
            base + &query + &anchor.as_ref().map(|name| format!("#{name}")).unwrap_or_default()
        };
        // Downloads stand beside the page, which is not always beside the chapter.
        let beside = normalise(folder(&here), &target).unwrap_or_default();
        if self.files.contains(&beside) {
            return Ok(tail(relative(&here, &beside)));
        }
        if self.publishes(&path) {
            assets.insert(path.clone());
            return Ok(tail(relative(&here, &path)));
        }
        Err(self.dead(chapter, &target, address))
    }

    /// The chapter that a path names: its file, its folder or its page.
    fn chapter_of(&self, path: &str) -> Option<&str> {
        let folder = path.strip_suffix("index.html").map(|rest| rest.trim_end_matches('/'));
        let wanted = folder.or_else(|| path.strip_suffix(".html")).unwrap_or(path);
        self.chapters
            .keys()
            .map(String::as_str)
            .find(|file| *file == path || slug_of(file) == wanted)
    }

    /// Whether a path names a file of the book that may be published: inside the
    /// folder of the chapters even through links, and no source of a chapter.
    fn publishes(&self, path: &str) -> bool {
        let file = self.src.join(path);
        let inside = |file: &Path| {
            Some(file.canonicalize().ok()?.starts_with(self.src.canonicalize().ok()?))
        };
        let hidden = path.split('/').any(|part| part.starts_with('.'));
        !hidden && !path.ends_with(".md") && file.is_file() && inside(&file) == Some(true)
    }

    /// Adds an anchor to a page's address, if the page has it.
    pub fn with_anchor(
        &self,
        file: &str,
        page: String,
        anchor: Option<String>,
    ) -> Result<String, Dead> {
        let Some(anchor) = anchor.filter(|name| !name.is_empty()) else { return Ok(page) };
        if let Some(Some(ids)) = self.chapters.get(file)
            && !ids.contains(&anchor)
        {
            let visible = ids.iter().map(String::as_str).filter(|id| !id.contains(':'));
            let hint = nearest(&super::slug::slug(&anchor), visible.clone())
                .map(|id| format!("¿quiso decir «#{id}»?"))
                .or_else(|| did_you_mean(&anchor, visible));
            return Err(Dead {
                message: format!("«{file}» no tiene el ancla «#{anchor}»"), hint
            });
        }
        Ok(format!("{page}#{anchor}"))
    }

    /// Names as the chapter would have to write them.
    fn dead(&self, chapter: &str, target: &str, address: &str) -> Dead {
        let page = page_path(&slug_of(chapter));
        let chapters = self.chapters.keys().map(|file| relative(chapter, file));
        let files = self.files.iter().map(|file| relative(&page, file));
        let names: Vec<_> = chapters.chain(files).map(|name| decode_percent(&name)).collect();
        let same_file = |name: &&String| name.rsplit('/').next() == target.rsplit('/').next();
        let hint = match names.iter().find(same_file) {
            Some(name) => Some(format!("¿quiso decir «{name}»?")),
            None => did_you_mean(target, names.iter().map(String::as_str)),
        };
        Dead { message: format!("«{address}» no existe"), hint }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn targets() -> Targets {
        let ids = |names: &[&str]| Some(names.iter().map(|name| name.to_string()).collect());
        Targets {
            chapters: BTreeMap::from([
                ("swebench/index.md".into(), ids(&["datos", "ítems-anómalos"])),
                ("ficha.md".into(), ids(&["contenido"])),
                ("roto.md".into(), None),
            ]),
            files: BTreeSet::from(["ficha/valores.json".to_owned()]),
            src: PathBuf::from("no-existe"),
        }
    }

    fn resolve(from: &str, address: &str) -> Result<String, Dead> {
        targets().resolve(from, address, &mut BTreeSet::new())
    }

    #[test]
    fn links_between_chapters_become_links_between_pages() {
        let to = |address| resolve("ficha.md", address).unwrap();
        assert_eq!(to("swebench/index.md#ítems-anómalos"), "../swebench/index.html#ítems-anómalos");
        assert_eq!(
            to("/swebench/index.md#%C3%ADtems-an%C3%B3malos").len(),
            to("swebench/#ítems-anómalos").len()
        );
        assert_eq!(to("roto.md#lo-que-sea"), "../roto/index.html#lo-que-sea");
        assert_eq!(to("#contenido"), "#contenido");
        assert_eq!(to("valores.json"), "valores.json");
        assert_eq!(to("https://a.b/c.md#d"), "https://a.b/c.md#d");
        assert_eq!(resolve("swebench/index.md", "../ficha.md").unwrap(), "../ficha/index.html");
    }

    #[test]
    fn a_dead_link_names_the_nearest() {
        let hint = |address| resolve("ficha.md", address).unwrap_err().hint.unwrap();
        assert_eq!(hint("swebench/indx.md"), "¿quiso decir «swebench/index.md»?");
        assert_eq!(hint("swebench/index.md#Ítems-anomalos"), "¿quiso decir «#ítems-anómalos»?");
        assert!(resolve("ficha.md", "../../x.md").unwrap_err().message.contains("sale"));
    }
}
