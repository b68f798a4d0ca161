//! Writing a site: into a folder beside the output, then in its place. Only a
//! folder that carries our marker is ever replaced or removed.

use super::Config;
use super::SiteFiles;
use crate::diagnostics::{Diagnostic, Diagnostics, Severity, code, system};
use rayon::prelude::*;
use std::io;
use std::path::{Path, PathBuf};

/// The file that says that a folder is ours.
pub const MARKER: &str = ".escritura";

const MARKER_TEXT: &str = "Esta carpeta la escribe Escritura y la reemplaza entera en cada \
                           construcción. No guarde nada aquí.\n";

/// Writes a site. On any failure what was there before stays as it was. That the old
/// site could not be deleted, once the new one is in its place, is only a warning.
pub fn write(
    files: &SiteFiles,
    destination: &Path,
    config: &Config,
) -> Result<Diagnostics, Diagnostics> {
    let destination = check(destination, config)?;
    let fail = |error: io::Error| {
        let message = "no se puede escribir la carpeta de salida";
        Diagnostic::new(code::OUTPUT, destination.as_path(), message).note(system::cause(&error))
    };
    let parent = destination.parent().unwrap_or(Path::new("/"));
    std::fs::create_dir_all(parent).map_err(fail)?;
    let fresh = beside(&destination, NEW).map_err(fail)?;
    let lock = take(fresh.path()).map_err(fail)?;
    fill(fresh.path(), files).map_err(fail)?;
    // Where an open file cannot be moved, the lock goes before the folder does.
    #[cfg(windows)]
    drop(lock);
    let old = swap(fresh, &destination).map_err(fail)?;
    #[cfg(not(windows))]
    drop(lock);
    let kept = old.and_then(|old| Some((remove(&old, KEPT).err()?, old)));
    // Another build may have been quicker to remove it.
    let kept = kept.filter(|(_, old)| old.exists());
    // What an interrupted build left is of no more use, now that there is a site.
    remove_stale(&destination);
    Ok(kept.map(|(error, old)| undeleted(&old, &error)).into_iter().collect())
}

fn undeleted(old: &Path, error: &io::Error) -> Diagnostic {
    let message = "no se pudo borrar el sitio anterior";
    let severity = Severity::Warning;
    Diagnostic { severity, ..Diagnostic::new(code::OUTPUT, old, message) }
        .note(system::cause(error))
        .hint(Some("bórrelo, o lo hará la próxima construcción que pueda".into()))
}

/// Removes a site, if it is ours, and what interrupted builds of it left beside;
/// whether there was one.
pub fn clean(destination: &Path, config: &Config) -> Result<bool, Diagnostics> {
    let destination = check(destination, config)?;
    remove_stale(&destination);
    if !destination.join(MARKER).is_file() {
        return Ok(false);
    }
    if destination.join(GIT).exists() {
        let message = "no se borra la carpeta de salida: es un repositorio de git";
        return Err(Diagnostic::new(code::OUTPUT, destination.as_path(), message).into());
    }
    let fail = |error: io::Error| {
        let message = "no se puede borrar la carpeta de salida";
        Diagnostic::new(code::OUTPUT, destination.as_path(), message).note(system::cause(&error))
    };
    // Aside first: what an interruption leaves is known to be ours.
    let old = beside(&destination, OLD).map_err(fail)?;
    std::fs::rename(&destination, old.path().join(KEPT)).map_err(fail)?;
    remove(&old.keep(), KEPT).map_err(fail)?;
    Ok(true)
}

/// The destination as an absolute path without links, if writing there can harm
/// nothing: neither the book's sources nor a folder of somebody else.
pub fn check(destination: &Path, config: &Config) -> Result<PathBuf, Diagnostic> {
    let refuse = |why: &str| {
        Diagnostic::new(code::OUTPUT, destination, format!("no se escribe ahí: {why}"))
            .hint(Some("elija una carpeta vacía o la de una construcción anterior".into()))
    };
    let cannot = |error: io::Error| refuse(&system::cause(&error));
    let target = resolve(destination).map_err(cannot)?;
    let root = resolve(&config.root).map_err(cannot)?;
    let src = resolve(&config.src_dir()).map_err(cannot)?;
    if root.starts_with(&target) {
        return Err(refuse("contiene el libro"));
    }
    if src.starts_with(&target) || target.starts_with(&src) {
        return Err(refuse("se mezcla con los capítulos"));
    }
    if let Some(data) = &config.report.data {
        let data = resolve(&config.root.join(data)).map_err(cannot)?;
        if data.starts_with(&target) || target.starts_with(&data) {
            return Err(refuse("se mezcla con los datos"));
        }
    }
    if !target.exists() || target.join(MARKER).is_file() {
        return Ok(target);
    }
    if !target.is_dir() {
        return Err(refuse("es un archivo"));
    }
    match std::fs::read_dir(&target).map_err(cannot)?.next() {
        None => Ok(target),
        Some(_) => Err(refuse("tiene archivos que no son de Escritura")),
    }
}

/// An absolute path without links or `..`; what does not exist yet is kept.
fn resolve(path: &Path) -> io::Result<PathBuf> {
    let path = std::path::absolute(path)?;
    let mut missing = vec![];
    let mut existing = path.as_path();
    loop {
        match existing.canonicalize() {
            Ok(found) => {
                let tail: PathBuf = missing.iter().rev().collect();
                return Ok(found.join(tail).components().collect());
            }
            Err(error) => match (existing.parent(), existing.file_name()) {
                (Some(parent), Some(name)) => {
                    missing.push(name.to_owned());
                    existing = parent;
                }
                // `a/missing/..` has no name to keep: the path is ambiguous.
                _ => return Err(error),
            },
        }
    }
}

/// Folders beside the output that exist while a site is put in its place.
const NEW: &str = "nueva";
const OLD: &str = "vieja";
/// Where the folder of the old site stands in the one that keeps it.
const KEPT: &str = "sitio";
/// What makes of a folder a repository, or a part of one.
const GIT: &str = ".git";
/// Letters that a temporary name ends with.
const RANDOM: usize = 6;

/// `.escritura-nueva-sitio-`: says of which site a temporary folder is.
fn prefix(destination: &Path, role: &str) -> String {
    let name = destination.file_name().unwrap_or_default().to_string_lossy();
    format!(".escritura-{role}-{name}-")
}

fn beside(destination: &Path, role: &str) -> io::Result<tempfile::TempDir> {
    let parent = destination.parent().unwrap_or(Path::new("/"));
    let prefix = prefix(destination, role);
    tempfile::Builder::new().prefix(&prefix).rand_bytes(RANDOM).tempdir_in(parent)
}

/// The marker of a folder, made if it is not there and locked: as long as it is
/// open, somebody works in the folder.
fn take(folder: &Path) -> io::Result<std::fs::File> {
    let marker = folder.join(MARKER);
    let marker = std::fs::File::options().create(true).append(true).open(marker)?;
    marker.lock()?;
    Ok(marker)
}

/// Removes what builds of this site that were killed left beside it: folders with
/// our name and our marker, on which no process holds a lock. One that cannot be
/// removed stays: it harms nothing.
fn remove_stale(destination: &Path) {
    let parent = destination.parent().unwrap_or(Path::new("/"));
    let Ok(entries) = std::fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_temporary = [(NEW, ""), (OLD, KEPT)].into_iter().find(|(role, _)| {
            let random = name.strip_prefix(&prefix(destination, role));
            random.is_some_and(|rest| {
                rest.len() == RANDOM && rest.bytes().all(|byte| byte.is_ascii_alphanumeric())
            })
        });
        let Some((_, site)) = is_temporary else { continue };
        if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        let marker = std::fs::File::open(entry.path().join(site).join(MARKER));
        if marker.is_ok_and(|marker| marker.try_lock().is_ok()) {
            let _ = remove(&entry.path(), site);
        }
    }
}

/// Removes a temporary folder of ours, the marker of the site in it last: as long as
/// anything is left, it says whose it is.
fn remove(folder: &Path, site: &str) -> io::Result<()> {
    for entry in std::fs::read_dir(folder.join(site))? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            std::fs::remove_dir_all(entry.path())?;
        } else if entry.file_name() != MARKER {
            std::fs::remove_file(entry.path())?;
        }
    }
    std::fs::remove_dir_all(folder)
}

fn fill(folder: &Path, files: &SiteFiles) -> io::Result<()> {
    files.iter().collect::<Vec<_>>().into_par_iter().try_for_each(|(path, bytes)| {
        let inside = |part| matches!(part, std::path::Component::Normal(_));
        if !Path::new(path).components().all(inside) {
            return Err(io::Error::other(format!("«{path}» sale de la carpeta del sitio")));
        }
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().unwrap_or(folder))?;
        std::fs::write(path, bytes)
    })?;
    std::fs::write(folder.join(MARKER), MARKER_TEXT)
}

/// Puts the new folder in the place of the old one, and tells where that one is now.
/// If it fails, the old one goes back.
fn swap(fresh: tempfile::TempDir, destination: &Path) -> io::Result<Option<PathBuf>> {
    open_to_readers(fresh.path())?;
    if !destination.exists() {
        std::fs::rename(fresh.path(), destination)?;
        let _ = fresh.keep();
        return Ok(None);
    }
    // The old site is ours until the new one is in place.
    #[cfg(not(windows))]
    let _held = take(destination);
    // Kept until then: dropping it would delete the old one.
    let old = beside(destination, OLD)?.keep();
    let aside = old.join(KEPT);
    std::fs::rename(destination, &aside)?;
    let placed =
        hand_over(&aside, fresh.path()).and_then(|()| std::fs::rename(fresh.path(), destination));
    if let Err(error) = placed {
        if hand_over(fresh.path(), &aside).is_err() {
            // What cannot go back is not deleted.
            let _ = fresh.keep();
        }
        std::fs::rename(&aside, destination).map_err(|_| {
            io::Error::other(format!(
                "{}; el sitio anterior está en {}",
                system::cause(&error),
                aside.display()
            ))
        })?;
        std::fs::remove_dir(&old)?;
        return Err(error);
    }
    let _ = fresh.keep();
    Ok(Some(old))
}

/// A site may be a checkout of its own, from which it is published: what says so goes
/// from the old folder to the new one.
fn hand_over(from: &Path, to: &Path) -> io::Result<()> {
    match std::fs::rename(from.join(GIT), to.join(GIT)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

/// Temporary folders are private; a site is to be served.
#[cfg(unix)]
fn open_to_readers(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn open_to_readers(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::Source;
    use std::fs;

    fn book() -> (tempfile::TempDir, Config) {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("libro");
        fs::create_dir_all(root.join("content/cap")).unwrap();
        let config = Config::parse(&root, Source::new("book.toml", "")).unwrap();
        (dir, config)
    }

    fn site(text: &str) -> SiteFiles {
        let mut files = SiteFiles::default();
        files.insert("a/index.html".into(), text.as_bytes().to_vec());
        files
    }

    #[test]
    fn a_site_replaces_the_one_before_and_leaves_nothing_else() {
        let (_dir, config) = book();
        let out = config.output_dir();
        write(&site("uno"), &out, &config).unwrap();
        fs::write(out.join("sobra.txt"), "x").unwrap();
        write(&site("dos"), &out, &config).unwrap();
        assert_eq!(fs::read_to_string(out.join("a/index.html")).unwrap(), "dos");
        assert!(!out.join("sobra.txt").exists());
        let mut names: Vec<_> =
            fs::read_dir(&config.root).unwrap().map(|one| one.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["book", "content"]);
        assert!(clean(&out, &config).unwrap());
        assert!(!out.exists());
    }

    #[test]
    fn what_killed_builds_left_goes_and_what_others_use_stays() {
        let (_dir, config) = book();
        let out = config.output_dir();
        let mine = |name: &str, marker: &str| {
            let folder = config.root.join(name);
            fs::create_dir_all(folder.join(marker).parent().unwrap()).unwrap();
            fs::write(folder.join(marker), "").unwrap();
            folder
        };
        let killed = mine(".escritura-nueva-book-abc123", MARKER);
        let kept = mine(".escritura-vieja-book-abc123", "sitio/.escritura");
        let busy = mine(".escritura-nueva-book-def456", MARKER);
        let lock = take(&busy).unwrap();
        let stay = [
            mine(".escritura-nueva-otro-abc123", MARKER),
            mine(".escritura-nueva-book-abc123-mia", MARKER),
            mine(".escritura-nueva-book-ghi789", "tesis.doc"),
        ];
        write(&site("uno"), &out, &config).unwrap();
        assert!(!killed.exists() && !kept.exists());
        assert!(busy.exists() && stay.iter().all(|folder| folder.exists()));
        drop(lock);
        assert!(clean(&out, &config).unwrap());
        assert!(!busy.exists() && stay.iter().all(|folder| folder.exists()));
    }

    #[test]
    fn a_site_that_is_a_repository_stays_one() {
        let (_dir, config) = book();
        let out = config.output_dir();
        write(&site("uno"), &out, &config).unwrap();
        fs::create_dir(out.join(".git")).unwrap();
        fs::write(out.join(".git/HEAD"), "ref: refs/heads/gh-pages").unwrap();
        write(&site("dos"), &out, &config).unwrap();
        assert_eq!(fs::read_to_string(out.join("a/index.html")).unwrap(), "dos");
        assert!(out.join(".git/HEAD").exists());
        assert!(clean(&out, &config).is_err() && out.join(".git/HEAD").exists());
    }

    #[test]
    fn sources_and_foreign_folders_are_never_touched() {
        let (dir, config) = book();
        let foreign = dir.path().join("ajena");
        fs::create_dir(&foreign).unwrap();
        fs::write(foreign.join("tesis.doc"), "x").unwrap();
        let root = &config.root;
        for bad in [
            root.clone(),
            root.join("."),
            root.join("content"),
            root.join("content/sitio"),
            root.join("book/../content"),
            dir.path().to_path_buf(),
            foreign.clone(),
            foreign.join("tesis.doc"),
        ] {
            let found = write(&site("x"), &bad, &config).unwrap_err();
            assert_eq!(found.iter().next().unwrap().code, code::OUTPUT, "{bad:?}");
            assert!(clean(&bad, &config).is_err(), "{bad:?}");
        }
        assert!(foreign.join("tesis.doc").exists() && root.join("content/cap").exists());
    }

    #[cfg(unix)]
    #[test]
    fn an_old_site_that_cannot_be_deleted_is_a_warning_and_goes_later() {
        use std::os::unix::fs::PermissionsExt;
        let (_dir, config) = book();
        let out = config.output_dir();
        let mode = |folder: &Path, mode| {
            fs::set_permissions(folder, fs::Permissions::from_mode(mode)).unwrap();
        };
        write(&site("uno"), &out, &config).unwrap();
        mode(&out.join("a"), 0o555);
        let warnings = write(&site("dos"), &out, &config).unwrap();
        assert_eq!(fs::read_to_string(out.join("a/index.html")).unwrap(), "dos");
        let Some(warning) = warnings.iter().next() else {
            eprintln!("skipped: this user may delete anything");
            return;
        };
        assert!(!warnings.has_errors());
        let crate::diagnostics::Place::File(old) = &warning.place else { panic!("{warning:?}") };
        assert!(old.join(KEPT).join(MARKER).is_file(), "what is left says whose it is");
        mode(&old.join(KEPT).join("a"), 0o755);
        assert!(write(&site("tres"), &out, &config).unwrap().is_empty());
        assert!(!old.exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_the_sources_is_seen_through() {
        let (dir, config) = book();
        let link = dir.path().join("salida");
        std::os::unix::fs::symlink(config.src_dir(), &link).unwrap();
        assert!(write(&site("x"), &link, &config).is_err());
    }

    #[test]
    fn an_empty_folder_may_be_used_and_a_failure_keeps_the_old_site() {
        let (dir, config) = book();
        let out = dir.path().join("vacía");
        fs::create_dir(&out).unwrap();
        write(&site("uno"), &out, &config).unwrap();
        let mut broken = site("dos");
        // A file cannot also be a folder: filling fails half-way.
        broken.insert("a/index.html/x".into(), vec![]);
        assert!(write(&broken, &out, &config).is_err());
        assert_eq!(fs::read_to_string(out.join("a/index.html")).unwrap(), "uno");
    }
}
