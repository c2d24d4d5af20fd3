//! `jarvis mcp`: a server of the Model Context Protocol at standard input and output.

use ::settings::Folders;
use assistant::{Assistant, AssistantBuilder, Instance, InstanceError};

use crate::doors::Doors;
use crate::owner;

/// Serves until the client hangs up: with the running Jarvis, or with one of our own when none runs.
pub(crate) async fn run(doors: Doors) -> anyhow::Result<()> {
    let folders = Folders::from_environment()?;
    let data = folders.data.clone();
    let own = match Instance::claim(&data) {
        Ok(instance) => {
            let builder = AssistantBuilder::new(folders).without_audio();
            Some(Assistant::start(builder, instance).await?)
        }
        Err(InstanceError::AlreadyRunning) => None,
        Err(error) => return Err(owner::unclaimed(error)),
    };
    let served = (doors.mcp)(data).await;
    if let Some(own) = own {
        own.shut_down().await;
    }
    served
}
