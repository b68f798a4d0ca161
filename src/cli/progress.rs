//! Progress on standard error, for work that takes more than a second.

use crate::study::graph::Node;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::{Duration, Instant};

/// Patience before anything is shown.
const PATIENCE: Duration = Duration::from_secs(1);

/// A line that says what was computed last; it stays quiet during the first
/// second, and draws only on a terminal.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    start: Instant,
}

impl Progress {
    /// Progress of a task.
    pub fn new(task: &'static str) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{spinner} {prefix}: {msg} [{elapsed}]");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        bar.set_prefix(task);
        Self { bar, start: Instant::now() }
    }

    /// Notes that a node is done.
    pub fn done(&self, node: Node) {
        self.note(node.title());
    }

    /// Says how far the work is.
    pub fn note(&self, message: &str) {
        if self.start.elapsed() > PATIENCE {
            self.bar.set_message(message.to_owned());
            self.bar.tick();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
