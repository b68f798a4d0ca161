//! One folder of the repository: a submission.

use super::Fault;
use super::clone::Clone as Repository;
use super::metadata::{self, Metadata};
use super::results::{self, DETAILS, LISTS, Results};
use jiff::civil::Date;
use std::path::{Path, PathBuf};
use unicode_normalization::UnicodeNormalization;

/// Folders of this tree hold runs of mini-SWE-agent.
pub(super) const BASH_ONLY: &str = "evaluation/bash-only";

/// What one folder says.
#[derive(Debug, Clone)]
pub(super) struct Submission {
    /// The folder's name, composed (NFC): the same on every system.
    pub id: String,
    /// The folder, from the root of the clone.
    pub folder: PathBuf,
    pub metadata: Metadata,
    pub date: Option<Date>,
    /// What was solved; `None` when no file tells.
    pub results: Option<Results>,
    /// Why the folder cannot be used.
    pub fault: Option<Fault>,
    /// What a person should look at, though it can be used.
    pub doubts: Vec<String>,
}

/// What kind of examinee a submission is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Agent {
    pub name: String,
    pub is_mini: bool,
}

impl Submission {
    /// Reads a folder.
    pub fn read(clone: &Repository, folder: &Path) -> Self {
        let (id, id_fault) = identify(folder);
        let mut submission = Self {
            id,
            folder: folder.into(),
            metadata: Metadata::default(),
            date: None,
            results: None,
            fault: id_fault,
            doubts: vec![],
        };
        if !clone.contains(folder) {
            submission.fault = Some(Fault("la carpeta es un enlace que sale del clon".into()));
            return submission;
        }
        submission.read_metadata(clone);
        match read_results(clone, folder, &mut submission.doubts) {
            Ok(results) => submission.results = results,
            Err(fault) => submission.fail(fault),
        }
        submission
    }

    fn fail(&mut self, fault: Fault) {
        self.fault.get_or_insert(fault);
    }

    fn read_metadata(&mut self, clone: &Repository) {
        match clone.text(&self.folder.join("metadata.yaml"), "metadata.yaml") {
            Ok(Some(text)) => match metadata::parse(text) {
                Ok(metadata) => self.metadata = metadata,
                Err(fault) => self.fail(fault),
            },
            Ok(None) => self.doubts.push("no tiene metadata.yaml".into()),
            Err(fault) => self.fail(fault),
        }
        self.date = date_of(&self.id).or_else(|| self.metadata.date.as_deref()?.parse().ok());
        if self.date.is_none() {
            self.doubts.push("ni el nombre de la carpeta ni metadata.yaml dicen la fecha".into());
        }
    }

    /// The name that readers see.
    pub fn name(&self) -> &str {
        self.metadata.name.as_deref().unwrap_or(&self.id)
    }

    /// The scaffold: what the families are made of.
    pub fn agent(&self) -> Agent {
        let (name, id) = (self.name().to_lowercase(), self.id.to_lowercase());
        let is_mini = self.metadata.mini_version.is_some()
            || name.starts_with("mini-swe-agent")
            || id.contains("_mini-v")
            || self.folder.starts_with(BASH_ONLY);
        let is_baseline = name.starts_with("rag ") || id.contains("_rag_");
        let name = if is_mini {
            "mini-SWE-agent"
        } else if is_baseline {
            "RAG baseline"
        } else {
            self.name()
        };
        Agent { name: name.into(), is_mini }
    }
}

/// The identifier, and what makes the folder's name useless as one.
fn identify(folder: &Path) -> (String, Option<Fault>) {
    let name = folder.file_name().unwrap_or_default();
    let text = name.to_string_lossy();
    let id: String = text.nfc().collect();
    let plain = name.to_str().is_some()
        && id.trim() == id
        && !id.chars().any(char::is_control)
        && !crate::data::reading::MISSING.contains(&&*id);
    let clean = || id.trim().chars().map(|c| if c.is_control() { '·' } else { c }).collect();
    match plain {
        true => (id, None),
        false => (clean(), Some(Fault("el nombre de la carpeta no sirve de identificador".into()))),
    }
}

/// `20240612_...`
fn date_of(id: &str) -> Option<Date> {
    let digits = id.split(['_', '-']).next().filter(|digits| digits.len() == 8)?;
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    format!("{}-{}-{}", &digits[..4], &digits[4..6], &digits[6..]).parse().ok()
}

fn read_results(
    clone: &Repository,
    folder: &Path,
    doubts: &mut Vec<String>,
) -> Result<Option<Results>, Fault> {
    let text = |name: &str| clone.text(&folder.join(name), name);
    let lists = text(LISTS)?.map(|text| results::parse_lists(&text)).transpose()?;
    let details = text(DETAILS)?.map(|text| results::parse_details(&text)).transpose()?;
    if let (Some(lists), Some(details)) = (&lists, &details)
        && lists.solved != details.solved
    {
        doubts.push(format!("{LISTS} y {DETAILS} no dicen lo mismo: se usa el primero"));
    }
    Ok(lists.or(details))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_date_is_that_of_the_folder() {
        assert_eq!(date_of("20240612_sim").unwrap().to_string(), "2024-06-12");
        for id in ["sim", "20241350_sim", "2024_sim", "202406123_sim", "2024061é_sim"] {
            assert_eq!(date_of(id), None, "{id}");
        }
    }

    #[test]
    fn names_that_cannot_be_identifiers_are_faults() {
        assert_eq!(identify(Path::new("a/20240101_año nuevo")).1, None);
        assert_eq!(identify(Path::new("a/n\u{303}")).0, "ñ");
        for name in ["x ", "a\nb", "NA"] {
            assert!(identify(Path::new(name)).1.is_some(), "{name:?}");
        }
    }
}
