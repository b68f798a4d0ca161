//! `--descargar`, against a bare repository on this machine.

use super::{put, read};
use escritura::ingest::{DownloadOptions, Split, download};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

const RESULTS: &str = "evaluation/verified/20240101_sim_a/results/results.json";
const LOG: &str = "evaluation/verified/20240101_sim_a/logs/grande.txt";

/// A bare repository with two commits, and the hash of each.
struct Remote {
    folder: TempDir,
    commits: [String; 2],
}

fn git(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(["-c", "user.name=sim", "-c", "user.email=sim@sim.example"]);
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        command.env_remove(name);
    }
    let output = command.args(arguments).output().expect("these tests need git");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn remote() -> Remote {
    let folder = tempfile::tempdir().unwrap();
    let work = folder.path().join("trabajo");
    std::fs::create_dir(&work).unwrap();
    git(&work, &["init", "--quiet", "--initial-branch=main"]);
    let commit = |text: &str| {
        let metadata = "evaluation/verified/20240101_sim_a/metadata.yaml";
        put(&work, &[(RESULTS, text), (LOG, "no hace falta"), (metadata, "name: a\n")]);
        git(&work, &["add", "-A"]);
        git(&work, &["commit", "--quiet", "-m", "sim"]);
        git(&work, &["rev-parse", "HEAD"])
    };
    let commits = [commit("uno"), commit("dos")];
    git(folder.path(), &["clone", "--quiet", "--bare", "trabajo", "remoto.git"]);
    let bare = folder.path().join("remoto.git");
    // What public servers allow.
    git(&bare, &["config", "uploadpack.allowFilter", "true"]);
    git(&bare, &["config", "uploadpack.allowAnySHA1InWant", "true"]);
    Remote { folder, commits }
}

impl Remote {
    fn options(&self, cache: &Path) -> DownloadOptions {
        DownloadOptions {
            repository: self.folder.path().join("remoto.git").display().to_string(),
            commit: None,
            split: Split::Verified,
            cache: cache.into(),
            git: "git".into(),
        }
    }
}

fn run(options: &DownloadOptions) -> Result<(), String> {
    download(options, &|_| {}).map_err(|fault| format!("{} {:?}", fault.message, fault.notes))
}

#[test]
fn only_the_files_needed_of_the_newest_commit_are_downloaded() {
    let (remote, folder) = (remote(), tempfile::tempdir().unwrap());
    let cache = folder.path().join("a/b");
    run(&remote.options(&cache)).unwrap();
    assert_eq!(read(cache.join(RESULTS)), "dos");
    assert!(!cache.join(LOG).exists(), "logs are not needed");
    assert_eq!(git(&cache, &["rev-list", "--count", "HEAD"]), "1", "no history");
    let missing = git(&cache, &["rev-list", "--objects", "--all", "--missing=print"]);
    assert!(missing.lines().any(|line| line.starts_with('?')), "blobs of logs stay away");
    assert_eq!(git(&cache, &["rev-parse", "HEAD"]), remote.commits[1]);
}

#[test]
fn a_pinned_commit_is_checked_out_and_then_needs_no_remote() {
    let (remote, cache) = (remote(), tempfile::tempdir().unwrap());
    let newest = remote.options(cache.path());
    let pinned = DownloadOptions { commit: Some(remote.commits[0].clone()), ..newest.clone() };
    run(&newest).unwrap();
    run(&pinned).unwrap();
    assert_eq!(read(cache.path().join(RESULTS)), "uno");
    let elsewhere = remote.folder.path().join("remoto.git");
    std::fs::rename(&elsewhere, remote.folder.path().join("lejos.git")).unwrap();
    run(&pinned).unwrap();
    assert_eq!(read(cache.path().join(RESULTS)), "uno");
    assert!(run(&newest).is_err());
    assert_eq!(read(cache.path().join(RESULTS)), "uno", "a failed run changes nothing");
}

#[cfg(unix)]
#[test]
fn an_interrupted_download_goes_on_where_it_was() {
    let (remote, cache) = (remote(), tempfile::tempdir().unwrap());
    let good = remote.options(cache.path());
    for command in ["init", "sparse-checkout", "fetch", "checkout"] {
        let killed = DownloadOptions { git: dying_git(&remote, command), ..good.clone() };
        assert!(run(&killed).unwrap_err().contains(command));
        assert!(!cache.path().join(RESULTS).exists());
        put(cache.path(), &[(".git/index.lock", ""), (".git/shallow.lock", "")]);
    }
    run(&good).unwrap();
    assert_eq!(read(cache.path().join(RESULTS)), "dos");
    // A checkout cut in the middle.
    std::fs::remove_file(cache.path().join(RESULTS)).unwrap();
    put(cache.path(), &[("evaluation/verified/20240101_sim_a/metadata.yaml", "nam")]);
    run(&good).unwrap();
    assert_eq!(read(cache.path().join(RESULTS)), "dos");
    assert_eq!(
        read(cache.path().join("evaluation/verified/20240101_sim_a/metadata.yaml")),
        "name: a\n"
    );
}

/// A git that is killed when it comes to a command.
#[cfg(unix)]
fn dying_git(remote: &Remote, command: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = remote.folder.path().join(format!("git-{command}"));
    let script = format!(
        "#!/bin/sh\ncase \" $* \" in *\" {command} \"*) kill -9 $$;; esac\nexec git \"$@\"\n"
    );
    std::fs::write(&path, script).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn a_folder_that_is_not_ours_is_left_alone() {
    let (remote, cache) = (remote(), tempfile::tempdir().unwrap());
    put(cache.path(), &[("tesis.txt", "mía")]);
    assert!(run(&remote.options(cache.path())).unwrap_err().contains("ni es nuestra"));
    assert_eq!(std::fs::read_dir(cache.path()).unwrap().count(), 1);
}

#[test]
fn what_cannot_be_downloaded_is_explained() {
    let (remote, folder) = (remote(), tempfile::tempdir().unwrap());
    let with = |name: &str, change: &dyn Fn(&mut DownloadOptions)| {
        let mut options = remote.options(&folder.path().join(name));
        change(&mut options);
        run(&options).unwrap_err()
    };
    assert!(with("a", &|o| o.commit = Some("--upload-pack=x".into())).contains("no es un commit"));
    assert!(with("b", &|o| o.commit = Some("f".repeat(40))).contains("fetch"));
    assert!(with("c", &|o| o.repository = "--x".into()).contains("no es un repositorio"));
    assert!(with("d", &|o| o.git = "no-hay-tal-programa".into()).contains("no se encuentra"));
}
