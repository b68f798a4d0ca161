//! Results kept between runs, found again by what they were computed from.

use super::digest;
use super::storage;
use crate::diagnostics::Diagnostic;
use std::path::{Path, PathBuf};

/// What tells this engine from any other: a digest of its sources.
const ENGINE: &str = env!("ESCRITURA_MOTOR");

/// A folder of entries named by a digest of everything they depend on.
///
/// It can only save time. An entry that is not there, is cut short or was written
/// by another engine is computed again, and one that cannot be written is lost,
/// silently in both cases. Modification times play no part.
#[derive(Debug, Clone, Default)]
pub struct Cache {
    folder: Option<PathBuf>,
}

impl Cache {
    /// A cache that forgets everything.
    pub fn none() -> Self {
        Self::default()
    }

    /// The cache of a book; entries of other engines are removed.
    pub fn of_book(root: &Path) -> Self {
        let all = folder(root);
        for entry in std::fs::read_dir(&all).into_iter().flatten().flatten() {
            if entry.file_name() != ENGINE && entry.path().is_dir() {
                let _ = std::fs::remove_dir_all(entry.path());
            }
        }
        Self { folder: Some(all.join(ENGINE)) }
    }

    /// The bytes kept under `key`.
    pub fn get(&self, key: &str) -> Option<Vec<u8>> {
        let mut bytes = std::fs::read(self.file(key)?).ok()?;
        let content = bytes.split_off(bytes.iter().position(|byte| *byte == b'\n')? + 1);
        (bytes.trim_ascii_end() == checksum(key, &content).as_bytes()).then_some(content)
    }

    /// Keeps bytes under `key`.
    pub fn put(&self, key: &str, content: &[u8]) {
        let Some(file) = self.file(key) else { return };
        let mut bytes = checksum(key, content).into_bytes();
        bytes.push(b'\n');
        bytes.extend(content);
        let _ = storage::replace(&[(&file, &bytes)]);
    }

    fn file(&self, key: &str) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.join(key))
    }
}

/// Digest of an entry: of its key as well, so that one entry is not taken for another.
fn checksum(key: &str, content: &[u8]) -> String {
    digest::of_bytes(&[key.as_bytes(), b"\n", content].concat())
}

/// Removes the cache of a book; whether there was one.
pub fn remove(root: &Path) -> Result<bool, Diagnostic> {
    let folder = folder(root);
    match std::fs::remove_dir_all(&folder) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(storage::unwritable(&folder, &error)),
    }
}

fn folder(root: &Path) -> PathBuf {
    root.join(".escritura").join("resultados")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_found_and_nothing_else() {
        let root = tempfile::tempdir().unwrap();
        let cache = Cache::of_book(root.path());
        assert_eq!(cache.get("a"), None);
        cache.put("a", b"uno\ndos");
        assert_eq!(cache.get("a").as_deref(), Some(&b"uno\ndos"[..]));
        assert_eq!(cache.get("b"), None);
        assert!(remove(root.path()).unwrap());
        assert_eq!(cache.get("a"), None);
        assert!(!remove(root.path()).unwrap());
    }

    #[test]
    fn an_entry_that_was_touched_is_not_believed() {
        let root = tempfile::tempdir().unwrap();
        let cache = Cache::of_book(root.path());
        cache.put("a", b"0.9939");
        let file = cache.file("a").unwrap();
        let whole = std::fs::read(&file).unwrap();
        for end in 0..whole.len() {
            std::fs::write(&file, &whole[..end]).unwrap();
            assert_eq!(cache.get("a"), None, "cut at {end}");
        }
        let changed: Vec<u8> = [&whole[..whole.len() - 1], b"8"].concat();
        std::fs::write(&file, changed).unwrap();
        assert_eq!(cache.get("a"), None);
        std::fs::write(cache.file("b").unwrap(), whole).unwrap();
        assert_eq!(cache.get("b"), None, "whole, and of another key");
    }

    #[test]
    fn what_another_engine_kept_is_removed() {
        let root = tempfile::tempdir().unwrap();
        let other = folder(root.path()).join("0123");
        std::fs::create_dir_all(&other).unwrap();
        Cache::of_book(root.path());
        assert!(!other.exists());
    }

    #[test]
    fn a_cache_that_cannot_be_written_only_forgets() {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join(".escritura"), "a file, not a folder").unwrap();
        let cache = Cache::of_book(root.path());
        cache.put("a", b"uno");
        assert_eq!(cache.get("a"), None);
    }
}
