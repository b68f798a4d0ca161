//! Progress on standard error, for work that takes more than a second.

use crate::study::graph::Node;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// Patience before anything is shown.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often the line moves.
const TICK: Duration = Duration::from_millis(200);

/// What is being done and what was done last; quiet during the first second.
///
/// On a terminal it is one line that moves, also while a single long step is under
/// way; elsewhere, a line for each step that ends.
#[derive(Debug)]
pub struct Progress {
    task: &'static str,
    bar: ProgressBar,
    start: Instant,
    on_terminal: bool,
    /// Dropping it ends the thread that waits to show the line.
    _stop: Sender<()>,
}

impl Progress {
    /// Progress of a task.
    pub fn new(task: &'static str) -> Self {
        let on_terminal = std::io::stderr().is_terminal();
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template("{spinner} {prefix} {msg} [{elapsed}]");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        bar.set_prefix(task);
        let (stop, stopped) = channel::<()>();
        if on_terminal {
            let bar = bar.clone();
            std::thread::spawn(move || {
                if stopped.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                    bar.set_draw_target(ProgressDrawTarget::stderr());
                    bar.enable_steady_tick(TICK);
                }
            });
        }
        Self { task, bar, start: Instant::now(), on_terminal, _stop: stop }
    }

    /// Notes that a node is done.
    pub fn done(&self, node: Node) {
        self.note(node.title());
    }

    /// Says how far the work is.
    pub fn note(&self, message: &str) {
        self.bar.set_message(format!("· {message}"));
        if !self.on_terminal && self.start.elapsed() > PATIENCE {
            super::output::say(format_args!("{}: {message}", self.task));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
