//! The program `jarvis`: arguments in, a door opened.

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main(WINDOW)
}

/// The door with windows, in builds that have it.
#[cfg(feature = "desktop")]
const WINDOW: Option<cli::Window> =
    Some(|is_hidden| Ok(desktop::run(tauri::generate_context!(), is_hidden)?));
#[cfg(not(feature = "desktop"))]
const WINDOW: Option<cli::Window> = None;
