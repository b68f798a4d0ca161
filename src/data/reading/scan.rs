//! A file in blocks: read, hashed and consumed without being held whole.

use crate::data::digest;
use crate::diagnostics::{Diagnostic, code, nearest, system};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

/// Bytes read at a time.
const BLOCK: usize = 8 << 20;

/// The longest record: far beyond any data set, well within the memory.
pub(super) const LONGEST: usize = 256 << 20;

/// Passes the file to `consume`, block after block, and returns the SHA-256 of
/// its bytes. `consume` gets what it did not take before plus the next block,
/// and whether the file ends there; it returns how many bytes it took.
/// Each block is hashed while it is consumed.
pub(crate) fn scan<E: From<Diagnostic> + Send>(
    path: &Path,
    mut consume: impl FnMut(&[u8], bool) -> Result<usize, E> + Send,
) -> Result<String, E> {
    let unreadable = |error| unreadable(path, &error);
    let mut file = File::open(path).map_err(unreadable)?;
    let mut hasher = Sha256::new();
    let mut pending = Vec::new();
    loop {
        let old = pending.len();
        let mut block = file.by_ref().take(BLOCK as u64);
        let last = block.read_to_end(&mut pending).map_err(unreadable)? < BLOCK;
        let ((), taken) =
            rayon::join(|| hasher.update(&pending[old..]), || consume(&pending, last));
        pending.drain(..taken?);
        if last {
            return Ok(digest::hex(hasher.finalize()));
        }
    }
}

/// Why a file cannot be read, with the nearest name when it does not exist.
pub(crate) fn unreadable(path: &Path, error: &std::io::Error) -> Diagnostic {
    let message = match error.kind() {
        ErrorKind::NotFound => "el archivo no existe".into(),
        _ => format!("no se puede leer el archivo: {}", system::cause(error)),
    };
    let hint = if error.kind() == ErrorKind::NotFound { similar(path) } else { None };
    Diagnostic::new(code::FILE, path, message).hint(hint)
}

fn similar(path: &Path) -> Option<String> {
    let wanted = path.file_name()?.to_str()?;
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .ok()?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name != wanted)
        .collect();
    names.sort_unstable();
    let found = nearest(wanted, names.iter().map(String::as_str))?;
    Some(format!("¿quiso decir «{found}»?"))
}
