//! What the program prints, and where.

use super::Failed;
use crate::diagnostics::{Diagnostics, Severity, Style, Verdict, system};
use std::io::{IsTerminal, Write};

/// Prints data to standard output. A reader that closed the pipe has enough; any
/// other failure, a full disk, is an error.
pub fn print(text: &str) -> Result<(), Failed> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            say(format_args!(
                "error: no se puede escribir en la salida estándar: {}",
                system::cause(&error)
            ));
            Err(Failed)
        }
        _ => Ok(()),
    }
}

/// Tells something on standard error. When nobody can be told, a closed pipe or a
/// full disk, the exit status still says how it went.
pub fn say(line: impl std::fmt::Display) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Prints JSON, indented, to standard output.
pub fn print_json(value: &serde_json::Value) -> Result<(), Failed> {
    print(&format!("{value:#}\n"))
}

/// Shows diagnostics on standard error and decides whether the command goes on.
pub fn report(diagnostics: &Diagnostics, strict: bool) -> Result<(), Failed> {
    if !diagnostics.is_empty() {
        say(diagnostics.render(style()).trim_end_matches('\n'));
    }
    match diagnostics.verdict(strict) {
        Verdict::Good => Ok(()),
        Verdict::Bad => {
            if strict && diagnostics.count(Severity::Error) == 0 {
                say("Con --estricto, los avisos también impiden seguir.");
            }
            Err(Failed)
        }
    }
}

/// Colours only for a person who wants them (NO_COLOR, CLICOLOR_FORCE).
fn style() -> Style {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0");
    let coloured = set("CLICOLOR_FORCE") || (std::io::stderr().is_terminal() && !set("NO_COLOR"));
    if coloured { Style::Coloured } else { Style::Plain }
}
