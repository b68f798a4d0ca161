//! The `escritura` program: see [`escritura::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    escritura::cli::main()
}
