//! The one door to the user's `git`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Variables of a hook or of another repository, which must not redirect git.
const REDIRECTING: [&str; 5] =
    ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR"];

/// `git` in a folder: it asks nothing and is redirected by nothing.
pub fn command(git: &Path, folder: &Path) -> Command {
    let mut command = Command::new(git);
    command.arg("-C").arg(folder).stdin(Stdio::null());
    for name in REDIRECTING {
        command.env_remove(name);
    }
    command.env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C");
    command
}

/// A repository that holds a folder, read without touching its checkout.
#[derive(Debug, Clone)]
pub struct Repository {
    /// Its `.git`.
    database: PathBuf,
    /// The folder, relative to the top of the checkout.
    prefix: PathBuf,
}

impl Repository {
    /// The repository of a folder; `None` when it is in none, or there is no git.
    pub fn of(folder: &Path) -> Option<Self> {
        let ask = |what: &str| {
            let mut git = command(Path::new("git"), folder);
            output(git.args(["rev-parse", what])).ok()
        };
        let database = PathBuf::from(ask("--absolute-git-dir")?);
        Some(Self { database, prefix: PathBuf::from(ask("--show-prefix")?) })
    }

    /// The full hash of the commit that a revision names.
    pub fn commit(&self, revision: &str) -> Option<String> {
        let object = format!("{revision}^{{commit}}");
        let verify = ["rev-parse", "--verify", "--quiet", "--end-of-options", &object];
        output(self.git().args(verify)).ok().filter(|hash| !hash.is_empty())
    }

    /// Names of branches and tags.
    pub fn names(&self) -> Vec<String> {
        let list = ["for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/tags"];
        let names = output(self.git().args(list)).unwrap_or_default();
        names.lines().map(str::to_owned).collect()
    }

    /// Writes the files of a commit into an empty folder and gives the place in it
    /// of the repository's folder. The index it needs is a file of its own, so that
    /// neither the user's index nor the list of worktrees changes.
    ///
    /// # Errors
    /// What git said.
    pub fn export(&self, commit: &str, into: &Path) -> Result<PathBuf, String> {
        let (index, files) = (into.join("indice"), into.join("libro"));
        std::fs::create_dir(&files).map_err(|error| error.to_string())?;
        let git = |arguments: &[&str]| {
            let mut git = command(Path::new("git"), &files);
            git.args([option("--git-dir=", &self.database), option("--work-tree=", &files)]);
            output(git.env("GIT_INDEX_FILE", &index).args(arguments))
        };
        git(&["read-tree", commit])?;
        git(&["checkout-index", "--all", "--force"])?;
        Ok(files.join(&self.prefix))
    }

    fn git(&self) -> Command {
        let mut git = command(Path::new("git"), Path::new("."));
        git.arg(option("--git-dir=", &self.database));
        git
    }
}

fn option(name: &str, path: &Path) -> std::ffi::OsString {
    let mut option = std::ffi::OsString::from(name);
    option.push::<&OsStr>(path.as_ref());
    option
}

/// What a command printed, or what it said when it failed.
fn output(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| error.to_string())?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
}
