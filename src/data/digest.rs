//! SHA-256 of data files: of their bytes as they stand, and of their content.

use super::reading;
use crate::diagnostics::{Diagnostic, system};
use sha2::{Digest, Sha256};
use std::path::Path;

/// SHA-256 of a file's bytes, read in blocks.
pub fn of_file(path: &Path) -> Result<String, Diagnostic> {
    system::check_file(path).map_err(|error| reading::unreadable(path, &error))?;
    reading::scan(path, |bytes, _| Ok(bytes.len()))
}

/// SHA-256 of the bytes as they are, in hexadecimal: what `sha256sum` prints.
pub fn of_bytes(bytes: &[u8]) -> String {
    hex(Sha256::digest(bytes))
}

/// SHA-256 of many bytes given piece by piece, in hexadecimal.
pub fn of_parts(parts: impl IntoIterator<Item = impl AsRef<[u8]>>) -> String {
    let mut hasher = Sha256::new();
    parts.into_iter().for_each(|part| hasher.update(part));
    hex(hasher.finalize())
}

/// SHA-256 of the text behind the bytes: without BOM, with LF line ends. The same
/// data saved on another system have the same digest, so cache keys use this one.
pub fn of_content(bytes: &[u8]) -> String {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut hasher = Sha256::new();
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'\r', rest) {
        hasher.update(&rest[..at]);
        hasher.update(b"\n");
        let skip = if rest.get(at + 1) == Some(&b'\n') { 2 } else { 1 };
        rest = &rest[at + skip..];
    }
    hasher.update(rest);
    hex(hasher.finalize())
}

/// A digest as lower-case hexadecimal.
pub(crate) fn hex(digest: impl AsRef<[u8]>) -> String {
    digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_hash_as_sha256sum_does() {
        // FIPS 180-2, appendix B.1.
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(of_bytes(b"abc"), expected);
    }

    #[test]
    fn line_ends_and_bom_do_not_change_the_content() {
        let content = of_content(b"a\nb\n\n");
        assert_eq!(of_content(b"\xef\xbb\xbfa\r\nb\r\n\r\n"), content);
        assert_eq!(of_content(b"a\rb\r\r"), content);
        assert_ne!(of_content(b"a\nb\n"), content);
        assert_ne!(of_bytes(b"a\r\n"), of_bytes(b"a\n"));
    }
}
