//! The part of a remote repository that is needed, with the user's `git`: no
//! history, only the files that hold metadata and results.

use super::prepare::Split;
use crate::diagnostics::system::cause;
use crate::diagnostics::{Diagnostic, code};
use crate::git;
use std::fs::{File, TryLockError};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The public repository.
pub const REPOSITORY: &str = "https://github.com/SWE-bench/experiments";

/// Our mark in the cache folder, and the lock of one run at a time.
const LOCK: &str = ".git/escritura.lock";
/// Lines of git's messages that an error quotes.
const QUOTED: usize = 5;

/// What to download, and where.
#[derive(Debug, Clone)]
pub struct DownloadOptions {
    /// The repository: an address or a path.
    pub repository: String,
    /// A full commit hash, branch or tag; without it, the newest.
    pub commit: Option<String>,
    /// The split whose files are needed.
    pub split: Split,
    /// The cache folder: absent, empty or made by us.
    pub cache: PathBuf,
    /// The program.
    pub git: PathBuf,
}

/// Downloads, or completes a download that was interrupted. What is there is not
/// downloaded again; a pinned commit that is there needs no network. `progress`
/// gets what git says.
///
/// # Errors
/// git is missing or fails (with its message), the folder is not ours, or another
/// run is using it.
pub fn download(options: &DownloadOptions, progress: &dyn Fn(&str)) -> Result<(), Diagnostic> {
    let cache = Cache { options, progress };
    let _lock = cache.open()?;
    cache.remove_stale_locks()?;
    cache.configure()?;
    let wanted = cache.wanted()?;
    if !(is_hash(&wanted) && cache.has(&wanted)) {
        let fetch =
            ["fetch", "--progress", "--depth=1", "--filter=blob:none", "--no-tags", "origin"];
        cache.git(&fetch, Some(&format!("+{wanted}:{FETCHED}")))?;
    } else {
        cache.git(&["update-ref", FETCHED], Some(&wanted))?;
    }
    cache.git(&["checkout", "--progress", "--force", "--detach"], Some(FETCHED))
}

/// Where the commit to check out is noted, so that an interrupted run loses nothing.
const FETCHED: &str = "refs/escritura/pedido";

struct Cache<'a> {
    options: &'a DownloadOptions,
    progress: &'a dyn Fn(&str),
}

/// Tries at the lock of the folder, and the pause between them: one second in all.
const LOCK_TRIES: usize = 20;
const LOCK_PAUSE: std::time::Duration = std::time::Duration::from_millis(50);

impl Cache<'_> {
    fn fault(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code::FILE, &*self.options.cache, message)
    }

    /// The folder with its repository, locked for this run.
    fn open(&self) -> Result<File, Diagnostic> {
        let folder = &self.options.cache;
        let io = |error: std::io::Error| {
            self.fault(format!("no se puede usar la carpeta: {}", cause(&error)))
        };
        let is_empty = match std::fs::read_dir(folder) {
            Ok(mut entries) => entries.next().is_none(),
            Err(error) if error.kind() == ErrorKind::NotFound => true,
            Err(error) => return Err(io(error)),
        };
        if !is_empty && !folder.join(LOCK).is_file() {
            return Err(self
                .fault("la carpeta de descarga no está vacía ni es nuestra")
                .hint(Some("elija otra con --cache".into())));
        }
        std::fs::create_dir_all(folder.join(".git")).map_err(io)?;
        let lock = File::options().create(true).append(true).open(folder.join(LOCK)).map_err(io)?;
        // A child being started by another thread holds the lock for an instant after
        // this process has let it go: only a lock that lasts is another download.
        for _ in 0..LOCK_TRIES {
            match lock.try_lock() {
                Ok(()) => return Ok(lock),
                Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
                Err(TryLockError::Error(error)) => return Err(io(error)),
            }
        }
        Err(self.fault("otra descarga usa esta carpeta"))
    }

    /// An interrupted git leaves its own locks; ours says that nobody is working.
    fn remove_stale_locks(&self) -> Result<(), Diagnostic> {
        for name in
            ["index.lock", "shallow.lock", "config.lock", "HEAD.lock", "info/sparse-checkout.lock"]
        {
            match std::fs::remove_file(self.options.cache.join(".git").join(name)) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(self.fault(format!("no se puede borrar {name}: {}", cause(&error))));
                }
                _ => {}
            }
        }
        let refs = self.options.cache.join(".git").join(format!("{FETCHED}.lock"));
        let _ = std::fs::remove_file(refs);
        Ok(())
    }

    fn configure(&self) -> Result<(), Diagnostic> {
        let address = self.address()?;
        self.git(&["init", "--quiet"], None)?;
        for (key, value) in [
            ("remote.origin.url", &*address),
            ("remote.origin.promisor", "true"),
            ("remote.origin.partialclonefilter", "blob:none"),
            ("core.autocrlf", "false"),
            ("core.repositoryformatversion", "1"),
            ("extensions.partialClone", "origin"),
        ] {
            self.git(&["config", key], Some(value))?;
        }
        let patterns = self.options.split.trees().into_iter().flat_map(|tree| {
            ["metadata.yaml", "results/results.json", "per_instance_details.json"]
                .map(|file| format!("/{tree}/*/{file}"))
        });
        let patterns: Vec<String> = patterns.collect();
        let mut arguments = vec!["sparse-checkout", "set", "--no-cone"];
        arguments.extend(patterns.iter().map(String::as_str));
        self.git(&arguments, None)
    }

    /// The repository; a path is made absolute, since git runs elsewhere.
    fn address(&self) -> Result<String, Diagnostic> {
        let address = &self.options.repository;
        if address.starts_with('-') || address.is_empty() {
            return Err(self.fault(format!("«{address}» no es un repositorio")));
        }
        let path = Path::new(address);
        let local = path.exists().then(|| path.canonicalize().ok()).flatten();
        // As an address, so that filters and depth apply to it too.
        Ok(local.map_or(address.clone(), |path| format!("file://{}", path.display())))
    }

    fn wanted(&self) -> Result<String, Diagnostic> {
        let wanted = self.options.commit.as_deref().unwrap_or("HEAD");
        let name = |b: u8| b.is_ascii_alphanumeric() || b"-_./".contains(&b);
        let odd = wanted.is_empty() || wanted.starts_with('-') || wanted.contains("..");
        if odd || !wanted.bytes().all(name) {
            return Err(self.fault(format!("«{wanted}» no es un commit, una rama ni una etiqueta")));
        }
        Ok(wanted.to_owned())
    }

    fn has(&self, commit: &str) -> bool {
        let object = format!("{commit}^{{commit}}");
        let mut command = self.command(&["cat-file", "-e", &object]);
        // Do not ask the remote for what may not be here.
        command.env("GIT_NO_LAZY_FETCH", "1").stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = git::command(&self.options.git, &self.options.cache);
        command.args(arguments);
        command
    }

    fn git(&self, arguments: &[&str], last: Option<&str>) -> Result<(), Diagnostic> {
        let mut command = self.command(arguments);
        command.args(last).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| match error.kind() {
            ErrorKind::NotFound => self
                .fault("no se encuentra el programa git")
                .hint(Some("instálelo, o use --clon con una copia ya descargada".into())),
            _ => self.fault(format!("no se puede ejecutar git: {}", cause(&error))),
        })?;
        let mut said = Said::default();
        if let Some(mut messages) = child.stderr.take() {
            said.listen(&mut messages, self.progress);
        }
        let status = child
            .wait()
            .map_err(|error| self.fault(format!("git no terminó bien: {}", cause(&error))))?;
        if status.success() {
            return Ok(());
        }
        let fault = self.fault(format!("git {} falló ({status})", arguments[0]));
        let hint = "repita la orden: sigue donde quedó";
        Err(said.lines.into_iter().fold(fault, Diagnostic::note).hint(Some(hint.into())))
    }
}

fn is_hash(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// The last lines that git said.
#[derive(Debug, Default)]
struct Said {
    lines: Vec<String>,
}

impl Said {
    /// Progress lines end in a carriage return and are only passed on.
    fn listen(&mut self, messages: &mut impl Read, progress: &dyn Fn(&str)) {
        let (mut line, mut block) = (vec![], [0; 1024]);
        while let Ok(n @ 1..) = messages.read(&mut block) {
            for &byte in &block[..n] {
                match byte {
                    b'\r' | b'\n' => self.end_line(&std::mem::take(&mut line), byte, progress),
                    _ if line.len() < 500 => line.push(byte),
                    _ => {}
                }
            }
        }
        self.end_line(&line, b'\n', progress);
    }

    fn end_line(&mut self, line: &[u8], end: u8, progress: &dyn Fn(&str)) {
        let text = String::from_utf8_lossy(line).trim().to_owned();
        if text.is_empty() {
            return;
        }
        progress(&text);
        if end == b'\n' {
            self.lines.push(text);
            let extra = self.lines.len().saturating_sub(QUOTED);
            self.lines.drain(..extra);
        }
    }
}
