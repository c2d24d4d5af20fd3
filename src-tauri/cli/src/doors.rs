//! The other doors, as the command line opens them.

use std::path::PathBuf;

use assistant::Assistant;
use futures::future::BoxFuture;

/// The other doors of this program.
#[derive(Clone, Copy)]
pub struct Doors {
    /// Runs the windows until the user quits; hidden, it opens none at first. `None` in builds without windows.
    pub window: Option<fn(is_hidden: bool) -> anyhow::Result<()>>,
    /// Serves other programs as long as the assistant runs, whenever its settings say so.
    pub serve: fn(Assistant) -> BoxFuture<'static, ()>,
    /// Serves them at this port in any case, and prints the address.
    pub serve_at: fn(Assistant, Option<u16>) -> BoxFuture<'static, anyhow::Result<()>>,
    /// The description of what they may ask, as OpenAPI in JSON.
    pub openapi: fn() -> String,
    /// Serves the program at standard input and output with the Jarvis whose data is in this folder.
    pub mcp: fn(PathBuf) -> BoxFuture<'static, anyhow::Result<()>>,
}
