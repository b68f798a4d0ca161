//! What several areas need: the reference data, when this machine has them.

use std::path::PathBuf;

/// A file of the reference data (`oraculo/LSAT7.json`, `datos/...`), or `None`
/// with a notice where they are absent: they may not be committed, so a clone of
/// the public repository runs without them. CI has them.
pub fn shared(file: &str) -> Option<PathBuf> {
    let beside = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared"));
    let folder = std::env::var_os("ESCRITURA_SHARED").map_or(beside, PathBuf::from);
    let path = folder.join(file);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: {file} is not on this machine");
    None
}
