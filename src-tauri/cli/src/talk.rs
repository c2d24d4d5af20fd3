//! `jarvis talk`: the talk key for desktops that let no program grab one.

use ::settings::Folders;
use assistant::{Connection, IpcError, Request, Response};

/// Makes the running Jarvis listen.
pub(crate) async fn run() -> anyhow::Result<()> {
    let folders = Folders::from_environment()?;
    let mut connection = match Connection::open(&folders.data, &Request::Talk).await {
        Err(IpcError::NotRunning(_)) => anyhow::bail!("Jarvis is not running: start it with `jarvis`"),
        connection => connection?,
    };
    match connection.next().await? {
        Response::Failed(trouble) => anyhow::bail!("{} {}", trouble.message, trouble.remedy),
        _ => Ok(()),
    }
}
