//! Gives the program a digest of its own sources, so that results kept by another
//! version of the engine are never taken for its own.

use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};

fn main() {
    let mut files = vec![PathBuf::from("Cargo.toml")];
    for folder in ["src", "static"] {
        println!("cargo::rerun-if-changed={folder}");
        collect(Path::new(folder), &mut files);
    }
    for lock in ["Cargo.lock"].map(PathBuf::from).into_iter().filter(|file| file.exists()) {
        println!("cargo::rerun-if-changed={}", lock.display());
        files.push(lock);
    }
    files.sort();
    // Its algorithm is fixed for a version of the standard library.
    let mut digest = DefaultHasher::new();
    for file in &files {
        digest.write(file.to_string_lossy().as_bytes());
        digest.write(&std::fs::read(file).expect("a source file that can be read"));
    }
    println!("cargo::rustc-env=ESCRITURA_MOTOR={:016x}", digest.finish());
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).expect("a source folder that can be read");
    for entry in entries.map(|entry| entry.expect("an entry that can be read").path()) {
        if entry.is_dir() { collect(&entry, files) } else { files.push(entry) }
    }
}
