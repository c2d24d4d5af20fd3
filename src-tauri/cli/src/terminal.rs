//! The terminal as a door: shows words while they are spoken and the reply as it is written, and takes typed queries.

mod microphone; // whether it is opened
mod conversation; // what is shown, pure
mod editor; // the line being typed, pure
mod screen; // an interactive terminal
mod plain; // pipes and files

use std::io::IsTerminal;

use ::settings::Folders;
use assistant::{Assistant, AssistantBuilder};

pub(crate) use conversation::asked;
pub(crate) use microphone::MicrophoneChoice;

use crate::doors::Doors;
use crate::owner;

/// Chats until the user quits. Nothing of a temporary conversation is kept. A verbose log on the same terminal would run over
/// the screen, so the plain form stands in for it.
pub(crate) async fn run(
    microphone: MicrophoneChoice,
    is_temporary: bool,
    is_verbose: bool,
    doors: Doors,
) -> anyhow::Result<()> {
    let folders = Folders::from_environment()?;
    let instance = owner::claim(&folders.data)?;
    let builder = AssistantBuilder::new(folders);
    let builder = if microphone == MicrophoneChoice::Closed { builder.without_audio() } else { builder };
    let builder = if is_temporary { builder.keeping_nothing() } else { builder };
    let assistant = Assistant::start(builder, instance).await?;
    if microphone == MicrophoneChoice::Open {
        assistant.open_microphone();
    }
    let serving = tokio::spawn((doors.serve)(assistant.clone()));
    let is_disturbed = is_verbose && std::io::stderr().is_terminal();
    let outcome = if std::io::stdout().is_terminal() && std::io::stdin().is_terminal() && !is_disturbed {
        screen::run(&assistant, microphone).await
    } else {
        plain::run(&assistant).await
    };
    assistant.shut_down().await;
    let _ = serving.await;
    outcome
}
