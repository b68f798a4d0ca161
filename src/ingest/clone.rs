//! The clone as a place: its files, its commit and where it comes from.

use super::Fault;
use crate::data::reading::unreadable;
use crate::diagnostics::Diagnostic;
use crate::diagnostics::system::cause;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// The longest file that is read: results of a thousand times as many items.
const LONGEST: u64 = 64 << 20;

/// A folder out of which nothing is read, whatever its symbolic links say.
#[derive(Debug, Clone)]
pub(super) struct Clone {
    root: PathBuf,
}

impl Clone {
    /// Opens a clone.
    pub fn open(path: &Path) -> Result<Self, Diagnostic> {
        let root = path.canonicalize().map_err(|error| unreadable(path, &error))?;
        Ok(Self { root })
    }

    /// The folders directly within a folder of the clone, by name; `None` when it
    /// does not exist. Hidden folders and single files are not submissions.
    pub fn folders(&self, within: &Path) -> Result<Option<Vec<PathBuf>>, Diagnostic> {
        let folder = self.root.join(within);
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unreadable(&folder, &error)),
        };
        let mut folders = vec![];
        for entry in entries {
            let path = entry.map_err(|error| unreadable(&folder, &error))?.path();
            let name = path.file_name().unwrap_or_default();
            let hidden = name.as_encoded_bytes().starts_with(b".");
            // A link that leads nowhere is kept: it is named when it is opened.
            if !hidden && (path.is_dir() || path.is_symlink()) {
                folders.push(within.join(name));
            }
        }
        folders.sort_unstable();
        Ok(Some(folders))
    }

    /// Whether a folder of the clone really stands in it.
    pub fn contains(&self, folder: &Path) -> bool {
        self.root.join(folder).canonicalize().is_ok_and(|path| path.starts_with(&self.root))
    }

    /// Opens a file of the clone; `None` when there is none. `name` is what messages
    /// call it.
    ///
    /// # Errors
    /// It lies outside the clone, is not an ordinary file or cannot be opened.
    pub fn open_file(&self, path: &Path, name: &str) -> Result<Option<File>, Fault> {
        let fault = |what: &str| Fault::new(name, "", what);
        let full = self.root.join(path);
        let real = match full.canonicalize() {
            Ok(real) => real,
            Err(error) if error.kind() == ErrorKind::NotFound && !full.is_symlink() => {
                return Ok(None);
            }
            Err(error) if error.kind() == ErrorKind::NotADirectory => return Ok(None),
            Err(_) => return Err(fault("el enlace no lleva a ningún archivo")),
        };
        if !real.starts_with(&self.root) {
            return Err(fault("el enlace sale del clon"));
        }
        if !real.is_file() {
            return Err(fault("no es un archivo"));
        }
        let opened = File::open(&real);
        opened.map(Some).map_err(|error| fault(&format!("no se puede leer: {}", cause(&error))))
    }

    /// The text of a file of the clone, without BOM; `None` when there is none.
    ///
    /// # Errors
    /// Those of [`open_file`](Self::open_file); it is too large or not UTF-8.
    pub fn text(&self, path: &Path, name: &str) -> Result<Option<String>, Fault> {
        let fault = |what: &str| Fault::new(name, "", what);
        let Some(file) = self.open_file(path, name)? else { return Ok(None) };
        let mut bytes = vec![];
        file.take(LONGEST + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| fault(&format!("no se puede leer: {}", cause(&error))))?;
        if bytes.len() as u64 > LONGEST {
            return Err(fault(&format!("supera {} MiB", LONGEST >> 20)));
        }
        let text = String::from_utf8(bytes).map_err(|_| fault("no es texto UTF-8"))?;
        Ok(Some(text.strip_prefix('\u{feff}').map(String::from).unwrap_or(text)))
    }

    /// The commit that is checked out, when the clone has its `.git`.
    pub fn commit(&self) -> Option<String> {
        let head = self.git("HEAD")?;
        let hash = match head.trim().strip_prefix("ref: ") {
            None => head.trim().to_owned(),
            Some(name) => {
                self.git(name).or_else(|| packed(&self.git("packed-refs")?, name))?.trim().into()
            }
        };
        let valid = matches!(hash.len(), 40 | 64) && hash.bytes().all(|b| b.is_ascii_hexdigit());
        valid.then_some(hash)
    }

    /// The repository that the clone was made from, without credentials.
    pub fn origin(&self) -> Option<String> {
        let config = self.git("config")?;
        let mut lines = config.lines().map(str::trim);
        lines.find(|line| *line == "[remote \"origin\"]")?;
        let url = lines
            .take_while(|line| !line.starts_with('['))
            .find_map(|line| line.strip_prefix("url")?.trim_start().strip_prefix('='))?;
        Some(public_url(url.trim()))
    }

    fn git(&self, name: &str) -> Option<String> {
        self.text(&Path::new(".git").join(name), name).ok()?
    }
}

fn packed(refs: &str, name: &str) -> Option<String> {
    let mut pairs = refs.lines().filter_map(|line| line.split_once(' '));
    pairs.find(|(_, found)| *found == name).map(|(hash, _)| hash.to_owned())
}

/// Without user and password, nor the folder of this machine.
fn public_url(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        let remote = url.split_once(':').is_some_and(|(host, _)| host.len() > 1);
        return if remote { url.to_owned() } else { last_part(url) };
    };
    if scheme == "file" {
        return last_part(rest);
    }
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    format!("{scheme}://{host}/{path}").trim_end_matches(".git").to_owned()
}

fn last_part(path: &str) -> String {
    path.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clone_with(files: &[(&str, &str)]) -> (tempfile::TempDir, Clone) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let clone = Clone::open(folder.path()).unwrap();
        (folder, clone)
    }

    #[test]
    fn the_commit_is_found_loose_packed_or_detached() {
        let hash = "0123456789abcdef0123456789abcdef01234567";
        let line = format!("{hash}\n");
        let packed = format!("# pack-refs\n{hash} refs/heads/main\n");
        let on_branch = (".git/HEAD", "ref: refs/heads/main\n");
        for files in [
            vec![(".git/HEAD", &*line)],
            vec![on_branch, (".git/refs/heads/main", &*line)],
            vec![on_branch, (".git/packed-refs", &*packed)],
        ] {
            assert_eq!(clone_with(&files).1.commit().as_deref(), Some(hash));
        }
        assert_eq!(clone_with(&[(".git/HEAD", "nada")]).1.commit(), None);
        assert_eq!(clone_with(&[]).1.commit(), None);
    }

    #[test]
    fn the_origin_is_told_without_secrets_nor_local_folders() {
        let origin = |url: &str| {
            let config = format!("[core]\n\tbare = false\n[remote \"origin\"]\n\turl = {url}\n");
            clone_with(&[(".git/config", &config)]).1.origin().unwrap()
        };
        assert_eq!(origin("https://me:secret@host.org/a/b.git"), "https://host.org/a/b");
        assert_eq!(origin("git@host.org:a/b"), "git@host.org:a/b");
        assert_eq!(origin("file:///home/me/b.git"), "b.git");
        assert_eq!(origin("/home/me/b"), "b");
    }
}
