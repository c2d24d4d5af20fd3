//! The program `jarvis`: arguments in, a door opened.

use std::process::ExitCode;

fn main() -> ExitCode {
    loopback::main(WINDOW)
}

/// The door with windows, in builds that have it.
#[cfg(feature = "desktop")]
const WINDOW: Option<loopback::Window> = Some(|| Ok(desktop::run(tauri::generate_context!())?));
#[cfg(not(feature = "desktop"))]
const WINDOW: Option<loopback::Window> = None;
