//! Opens the memory for a request.

use std::time::Duration;

use memory::{Memory, OpenedMemory};
use vocabulary::{Stage, Trouble};

use super::failure::Failure;
use super::memory_source::{MemorySource, OpenMemory};
use super::parts::DataService;
use super::responder::Responder;
use crate::memory_upkeep::memory_files::place;

/// The time that words that were just said may take to reach the disk before a request reads it.
const FLUSH_LIMIT: Duration = Duration::from_secs(3);

/// The time that a request waits for the memory of a Jarvis that is starting.
const OPENING_LIMIT: Duration = Duration::from_secs(5);

impl DataService {
    /// Opens the memory; a file that was damaged is quarantined, and the caller learns of it.
    pub(super) async fn open(&self, responder: &Responder) -> Result<OpenMemory, Failure> {
        let (opened, trouble) = self.try_to_open().await?;
        if let Some(trouble) = trouble {
            responder.notice(trouble.to_string()).await?;
        }
        Ok(opened)
    }

    /// The same with what had to be done to open it.
    pub(super) async fn try_to_open(&self) -> Result<(OpenMemory, Option<Trouble>), Failure> {
        match &self.parts.memory {
            MemorySource::Running { memory, dialogue } => {
                dialogue.flush(FLUSH_LIMIT).await;
                let mut memory = memory.clone();
                let opened = tokio::time::timeout(OPENING_LIMIT, memory.wait_for(Option::is_some)).await;
                let memory = opened.ok().and_then(|opened| opened.ok()?.clone()).ok_or_else(not_open)?;
                Ok((OpenMemory { memory, dialogue: Some(dialogue.clone()) }, None))
            }
            MemorySource::File => {
                let place = place(&self.parts.folders, &self.parts.secrets);
                let OpenedMemory { memory, trouble } =
                    tokio::task::spawn_blocking(move || Memory::open(place)).await??;
                Ok((OpenMemory { memory, dialogue: None }, trouble))
            }
        }
    }

    /// Returns `true` if a running assistant has the file open.
    pub(super) fn is_in_use(&self) -> bool {
        matches!(self.parts.memory, MemorySource::Running { .. })
    }
}

fn not_open() -> Failure {
    Failure::Trouble(Trouble::new(
        Stage::Memory,
        "The running Jarvis has no memory open.",
        "Its window and its log say why; `jarvis doctor` names the remedy.",
    ))
}
