//! Writing files so that a reader never sees half of one.

use crate::diagnostics::{Diagnostic, code, system};
use std::io::Write;
use std::path::Path;
use tempfile::{Builder, NamedTempFile};

/// A file being written beside the place where it will stand.
#[derive(Debug)]
pub struct Draft<'a> {
    path: &'a Path,
    file: NamedTempFile,
}

impl<'a> Draft<'a> {
    /// Starts the file that will be `path`; makes its folder if there is none.
    pub fn new(path: &'a Path) -> Result<Self, Diagnostic> {
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let begin = || {
            std::fs::create_dir_all(folder)?;
            builder().tempfile_in(folder)
        };
        begin().map(|file| Self { path, file }).map_err(|error| unwritable(path, &error))
    }

    /// Adds bytes.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Diagnostic> {
        self.file.write_all(bytes).map_err(|error| unwritable(self.path, &error))
    }

    /// Puts the file in its place, whole, instead of whatever stood there.
    pub fn publish(self) -> Result<(), Diagnostic> {
        self.file.persist(self.path).map(drop).map_err(|e| unwritable(self.path, &e.error))
    }
}

/// Writes files of one folder; none is put in its place before all are written.
pub fn replace(files: &[(&Path, &[u8])]) -> Result<(), Diagnostic> {
    let mut drafts = vec![];
    for &(path, bytes) in files {
        let mut draft = Draft::new(path)?;
        draft.write(bytes)?;
        drafts.push(draft);
    }
    drafts.into_iter().try_for_each(Draft::publish)
}

#[cfg(unix)]
fn builder() -> Builder<'static, 'static> {
    use std::os::unix::fs::PermissionsExt;
    let mut builder = Builder::new();
    // A temporary file is private by default; these are ordinary files (less the umask).
    builder.prefix(".escritura-").permissions(std::fs::Permissions::from_mode(0o666));
    builder
}

#[cfg(not(unix))]
fn builder() -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    builder.prefix(".escritura-");
    builder
}

pub(super) fn unwritable(path: &Path, error: &std::io::Error) -> Diagnostic {
    Diagnostic::new(
        code::FILE,
        path,
        format!("no se puede escribir el archivo: {}", system::cause(error)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_replaced_together_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let (a, blocked) = (folder.path().join("a.csv"), folder.path().join("a.csv/b.csv"));
        replace(&[(&a, b"uno")]).unwrap();
        assert!(replace(&[(&a, b"dos"), (&blocked, b"x")]).is_err());
        assert_eq!(std::fs::read(&a).unwrap(), b"uno");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no draft is left");
    }
}
