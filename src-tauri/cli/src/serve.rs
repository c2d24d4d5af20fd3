//! `jarvis serve`: answers other programs without a window and without sound devices.

use std::io::{self, Write};

use ::settings::Folders;
use assistant::{Assistant, AssistantBuilder, Instance, InstanceError};

use crate::doors::Doors;
use crate::owner;

/// Prints the description of the interface.
pub(crate) fn print_openapi(doors: Doors) -> anyhow::Result<()> {
    writeln!(io::stdout(), "{}", (doors.openapi)())?;
    Ok(())
}

/// Serves until it is interrupted.
pub(crate) async fn run(port: Option<u16>, doors: Doors) -> anyhow::Result<()> {
    let folders = Folders::from_environment()?;
    let instance = Instance::claim(&folders.data).map_err(|error| match error {
        InstanceError::AlreadyRunning => anyhow::anyhow!(
            "Jarvis runs already: `jarvis settings set programs.enabled true` lets it answer other programs"
        ),
        other => owner::unclaimed(other),
    })?;
    let builder = AssistantBuilder::new(folders).without_audio();
    let assistant = Assistant::start(builder, instance).await?;
    if assistant.settings().current().programs.keys.is_empty() {
        writeln!(io::stderr(), "No program has a key yet: `jarvis programs add NAME --may ask` gives one.")?;
    }
    let served = tokio::select! {
        served = (doors.serve_at)(assistant.clone(), port) => served,
        interrupted = tokio::signal::ctrl_c() => interrupted.map_err(anyhow::Error::from),
    };
    assistant.shut_down().await;
    served
}
