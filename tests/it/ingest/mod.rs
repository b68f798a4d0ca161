//! From the public repository to the book's data.

mod check;
mod convert;
mod download;
mod environment;
mod prepare;

use escritura::diagnostics::{Diagnostic, Diagnostics};
use std::path::Path;

/// Copies a folder with everything in it.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Writes files, with their folders.
fn put(folder: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

fn read(path: impl AsRef<Path>) -> String {
    std::fs::read_to_string(path).unwrap()
}

fn messages(found: &Diagnostics) -> Vec<String> {
    found.iter().map(text).collect()
}

fn text(one: &Diagnostic) -> String {
    format!("{} {} {}", one.message, one.notes.join(" "), one.hint.as_deref().unwrap_or_default())
}
