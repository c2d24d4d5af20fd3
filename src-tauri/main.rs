//! The program `jarvis`: arguments in, a door opened.

use std::io::Write;
use std::process::ExitCode;

use cli::Doors;
use futures::FutureExt;

fn main() -> ExitCode {
    cli::main(Doors {
        window: WINDOW,
        serve: |assistant| server::serve(assistant).boxed(),
        serve_at: |assistant, port| {
            let print = |address| {
                // Without standard output there is no place to say it.
                let _ = writeln!(std::io::stdout(), "Other programs may ask at http://{address}");
            };
            async move { Ok(server::serve_at(assistant, port, print).await?) }.boxed()
        },
        openapi: server::openapi_json,
        mcp: |data| {
            async move { Ok(server::serve_mcp(data, tokio::io::stdin(), tokio::io::stdout()).await?) }.boxed()
        },
    })
}

/// The door with windows, in builds that have it.
#[cfg(feature = "desktop")]
const WINDOW: Option<fn(bool) -> anyhow::Result<()>> = Some(|is_hidden| {
    Ok(desktop::run(tauri::generate_context!(), is_hidden, |assistant| server::serve(assistant).boxed())?)
});
#[cfg(not(feature = "desktop"))]
const WINDOW: Option<fn(bool) -> anyhow::Result<()>> = None;
