//! Books, from their folder to their site, with the real binary.

mod acceptance;
mod any_bytes;
mod awkward;
mod bytes;
mod computed;
mod degenerate;
mod faults;
mod kept;
mod literature;
mod reference;
mod unreadable;

use crate::cli::{Run, copy, escritura};
use escritura::data::digest;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Every file of a site: relative path and content.
pub type Site = BTreeMap<String, Vec<u8>>;

/// A book in a temporary folder.
pub struct Book {
    folder: tempfile::TempDir,
}

impl Book {
    /// The small book that the others vary: two chapters, twelve examinees.
    pub fn small() -> Self {
        Self::of(&[&fixtures().join("base")])
    }

    /// The project's own book.
    pub fn project() -> Self {
        let book = Self { folder: tempfile::tempdir().unwrap() };
        let project = Path::new(env!("CARGO_MANIFEST_DIR"));
        copy(&project.join("content"), &book.path("content"));
        std::fs::copy(project.join("book.toml"), book.path("book.toml")).unwrap();
        book
    }

    /// A book made of folders laid one over another. A file `quitar.txt` names
    /// those that go.
    pub fn of(layers: &[&Path]) -> Self {
        let book = Self { folder: tempfile::tempdir().unwrap() };
        layers.iter().for_each(|layer| book.lay(layer));
        book
    }

    pub fn lay(&self, layer: &Path) {
        copy(layer, self.root());
        let list = self.path("quitar.txt");
        if let Ok(names) = std::fs::read_to_string(&list) {
            names.lines().for_each(|name| std::fs::remove_file(self.path(name)).unwrap());
            std::fs::remove_file(list).unwrap();
        }
    }

    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    pub fn path(&self, file: &str) -> PathBuf {
        self.root().join(file)
    }

    pub fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.path(file)).unwrap()
    }

    pub fn write(&self, file: &str, content: impl AsRef<[u8]>) {
        let path = self.path(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    /// Replaces a text that must be there.
    #[track_caller]
    pub fn replace(&self, file: &str, from: &str, to: &str) {
        let text = self.read(file);
        assert!(text.contains(from), "«{from}» is not in {file}");
        self.write(file, text.replace(from, to));
    }

    /// Adds lines at the end of a file.
    pub fn append(&self, file: &str, text: &str) {
        self.write(file, self.read(file) + "\n" + text + "\n");
    }

    /// Replaces the small book's answers, and the provenance with them.
    pub fn write_answers(&self, csv: impl AsRef<[u8]>) {
        self.write("content/uno/datos/respuestas.csv", &csv);
        self.renew_provenance();
    }

    /// The provenance of the small book's data describes them again.
    pub fn renew_provenance(&self) {
        let digest = |name: &str| {
            digest::of_bytes(
                &std::fs::read(self.path(&format!("content/uno/datos/{name}"))).unwrap(),
            )
        };
        let text = format!(
            "tipo: real\nfuente: inventada para las pruebas\nfecha: 2026-01-31\narchivos:\n  \
             respuestas.csv: {{sha256: {}}}\n  examinados.csv: {{sha256: {}}}\n",
            digest("respuestas.csv"),
            digest("examinados.csv"),
        );
        self.write("content/uno/datos/procedencia.yaml", text);
    }

    pub fn run(&self, arguments: &[&str]) -> Run {
        escritura(self.root(), arguments)
    }

    #[track_caller]
    pub fn build(&self) -> Site {
        self.run(&["construir"]).good();
        self.site()
    }

    /// Removes the results kept.
    pub fn forget(&self) {
        std::fs::remove_dir_all(self.path(".escritura")).unwrap();
    }

    /// What stands in the output folder.
    pub fn site(&self) -> Site {
        files(&self.path("sitio"))
    }

    /// The page of a chapter, as text.
    #[track_caller]
    pub fn page(&self, slug: &str) -> String {
        self.read(&format!("sitio/{slug}/index.html"))
    }
}

pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/libros")
}

/// Every file under a folder.
pub fn files(folder: &Path) -> Site {
    let mut found = Site::new();
    let mut pending = vec![folder.to_path_buf()];
    while let Some(current) = pending.pop() {
        let Ok(entries) = std::fs::read_dir(&current) else { continue };
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() {
                // What is kept to save time is not part of a book.
                if path != folder.join(".escritura") {
                    pending.push(path);
                }
            } else {
                let name = path.strip_prefix(folder).unwrap().to_string_lossy().replace('\\', "/");
                found.insert(name, std::fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// The names of the files that differ between two sites.
pub fn differing(one: &Site, other: &Site) -> Vec<String> {
    let names: std::collections::BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    names.into_iter().filter(|name| one.get(*name) != other.get(*name)).cloned().collect()
}
