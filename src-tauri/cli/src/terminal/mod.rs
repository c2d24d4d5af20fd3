//! The terminal as a door: words appear while they are spoken, the reply as it is written, typing in between.

mod conversation; // what is on show, pure
mod line; // the line being typed, pure
mod screen; // a terminal that a person watches
mod plain; // everything else: pipes, files

use ::settings::Folders;
use assistant::{Assistant, AssistantBuilder, Instance, InstanceError};

/// Is the microphone opened?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ears {
    /// Spoken and typed queries.
    Open,
    /// Typed queries only; nothing is spoken either.
    Closed,
}

/// Converses until the user quits. Nothing is kept of a conversation `in_passing`.
pub(crate) async fn run(ears: Ears, in_passing: bool) -> anyhow::Result<()> {
    let folders = Folders::of_this_user()?;
    let instance = Instance::claim(&folders.data).map_err(|error| match error {
        InstanceError::AlreadyRunning => anyhow::anyhow!("{}", error.trouble()),
        other => other.into(),
    })?;
    let parts = AssistantBuilder::of_this_machine(folders);
    let parts = if ears == Ears::Closed { parts.without_audio() } else { parts };
    let parts = if in_passing { parts.keeping_nothing() } else { parts };
    let assistant = Assistant::start(parts, instance).await?;
    if ears == Ears::Open {
        assistant.open_microphone();
    }
    let outcome = if crate::cli::is_watched() && std::io::IsTerminal::is_terminal(&std::io::stdin()) {
        screen::run(&assistant, ears).await
    } else {
        plain::run(&assistant).await
    };
    assistant.shut_down().await;
    outcome
}
