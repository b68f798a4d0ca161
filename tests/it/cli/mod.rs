//! The real binary, run as a person runs it.

mod analizar;
mod comparar;
mod lost;
mod matrices;
mod usage;

use std::path::Path;
use std::process::Command;

/// What a run of the program said and how it ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Run {
    /// The standard output as JSON.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The same run, which must have gone well.
    #[track_caller]
    pub fn good(self) -> Self {
        assert_eq!(self.code, 0, "{}{}", self.out, self.err);
        self
    }
}

/// Runs `escritura` in a folder.
pub fn escritura<S: AsRef<std::ffi::OsStr>>(folder: &Path, arguments: &[S]) -> Run {
    escritura_with_threads(folder, arguments, 2)
}

pub fn escritura_with_threads<S: AsRef<std::ffi::OsStr>>(
    folder: &Path,
    arguments: &[S],
    threads: usize,
) -> Run {
    let output = Command::new(env!("CARGO_BIN_EXE_escritura"))
        .args(arguments)
        .current_dir(folder)
        .env("RAYON_NUM_THREADS", threads.to_string())
        .env_remove("CLICOLOR_FORCE")
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let code = output.status.code().expect("no signal ends the program");
    let run = Run { code, out: text(output.stdout), err: text(output.stderr) };
    assert!(!run.err.contains("panicked"), "{}", run.err);
    run
}

/// A copy of a folder, files only where they are files.
pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            // Not `fs::copy`: a read-only original would give a read-only copy.
            std::fs::write(target, std::fs::read(entry.path()).unwrap()).unwrap();
        }
    }
}
