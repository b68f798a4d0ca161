//! What nodes published, kept between runs under a digest of what they compute from.

use super::catalogue;
use super::datum::Datum;
use super::graph::Node;
use super::options::AnalysisOptions;
use super::publish::Published;
use super::results::Inputs;
use crate::data::{Cache, Cell, Frame, digest};
use serde::{Deserialize, Serialize};

/// The results of earlier runs on the same data with the same options.
#[derive(Debug)]
pub struct Memory<'a> {
    cache: &'a Cache,
    /// Digest of everything that the nodes see.
    inputs: String,
}

impl<'a> Memory<'a> {
    /// The memory of a study.
    pub fn new(cache: &'a Cache, inputs: &Inputs) -> Self {
        Self { cache, inputs: inputs_digest(inputs) }
    }

    /// What a node published, if it is known.
    pub fn recall(&self, node: Node) -> Option<Published> {
        if !is_kept(node) {
            return None;
        }
        let kept = serde_json::from_slice::<Kept>(&self.cache.get(&self.key(node))?).ok()?;
        kept.published()
    }

    /// Keeps what a node published.
    pub fn keep(&self, node: Node, published: &Published) {
        if is_kept(node)
            && let Ok(bytes) = serde_json::to_vec(&Kept::from(published))
        {
            self.cache.put(&self.key(node), &bytes);
        }
    }

    fn key(&self, node: Node) -> String {
        digest::of_bytes(format!("{node:?} {}", self.inputs).as_bytes())
    }
}

/// Whether keeping it pays. These two count rows, also of tables that the digest
/// leaves out.
fn is_kept(node: Node) -> bool {
    !matches!(node, Node::Data | Node::Scores)
}

/// Digest of the matrix, the names of its items and examinees, the options and the
/// groups. Nodes see nothing else: neither the files nor how they were written.
///
/// One digest for all of them: that a node recomputes for an option that is not its
/// own costs a little time, and a list of options by node that forgot one would cost
/// a wrong number.
fn inputs_digest(inputs: &Inputs) -> String {
    let Inputs { data, options, groups } = inputs;
    // What these name is in the groups; here would be where they are written.
    let options = AnalysisOptions {
        grupos: None,
        bloques: None,
        reactivos_dudosos: None,
        ..(*options).clone()
    };
    let ids = data.examinees.column(&data.id_name).unwrap_or_default();
    let parts = [
        data.responses.digest(),
        digest::of_bytes(format!("{:?}", data.items.iter().collect::<Vec<_>>()).as_bytes()),
        digest::of_bytes(format!("{ids:?}").as_bytes()),
        digest::of_bytes(format!("{groups:?}").as_bytes()),
        format!("{options:?}"),
    ];
    digest::of_bytes(parts.join("\n").as_bytes())
}

/// The stored form of what a node published.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    values: Vec<(String, Datum)>,
    frames: Vec<(String, usize, Vec<(String, Vec<Cell>)>)>,
}

impl From<&Published> for Kept {
    fn from(published: &Published) -> Self {
        let frame = |(name, frame): (&&str, &Frame)| {
            let columns = frame.columns().iter().map(|c| (c.name.clone(), c.cells.clone()));
            ((*name).to_owned(), frame.n_rows(), columns.collect())
        };
        let value = |(name, datum): (&&str, &Datum)| ((*name).to_owned(), datum.clone());
        Self {
            values: published.values.iter().map(value).collect(),
            frames: published.frames.iter().map(frame).collect(),
        }
    }
}

impl Kept {
    /// Under the names of the catalogue; `None` when it has one that is not there.
    fn published(self) -> Option<Published> {
        let mut published = Published::default();
        for (name, datum) in self.values {
            published.values.insert(catalogue::value(&name)?.name, datum);
        }
        for (name, n_rows, columns) in self.frames {
            let mut frame = Frame::new(n_rows);
            for (column, cells) in columns {
                if cells.len() != n_rows {
                    return None;
                }
                frame.set(&column, cells);
            }
            let name = catalogue::frames().find(|known| *known == name)?;
            published.frames.insert(name, frame);
        }
        Some(published)
    }
}
