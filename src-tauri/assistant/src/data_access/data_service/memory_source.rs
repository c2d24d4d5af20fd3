//! The memory of a running assistant or in its file, and one that is open for a request.

use std::ops::Deref;

use memory::{Dialogue, Forget, ForgetOutcome, Memory, MemoryError, Undo};
use tokio::sync::watch;

/// The owner of the memory that a request uses.
pub(crate) enum MemorySource {
    /// In a running assistant.
    Running {
        /// The memory, once it is open.
        memory: watch::Receiver<Option<Memory>>,
        /// Its dialogue, which holds recent messages of its own.
        dialogue: Dialogue,
    },
    /// In the file, which this process owns.
    File,
}

/// A memory that is open for one request.
pub(super) struct OpenMemory {
    pub memory: Memory,
    /// The dialogue of a running assistant, which holds recent messages of its own.
    pub dialogue: Option<Dialogue>,
}

impl Deref for OpenMemory {
    type Target = Memory;

    fn deref(&self) -> &Memory {
        &self.memory
    }
}

impl OpenMemory {
    /// Forgets in the database, and in the dialogue of a running assistant.
    pub async fn forget(
        &self,
        what: Forget,
        undo: Undo,
        now_micros: i64,
    ) -> Result<ForgetOutcome, MemoryError> {
        match &self.dialogue {
            Some(dialogue) => dialogue.forget(what, undo, now_micros).await,
            None => self.memory.forget(what, undo, now_micros).await,
        }
    }

    /// Lets the dialogue of a running assistant take in messages that came or went.
    pub async fn reload_dialogue(&self) -> Result<(), MemoryError> {
        match &self.dialogue {
            Some(dialogue) => dialogue.reload().await,
            None => Ok(()),
        }
    }

    /// Closes the file, unless a running assistant uses it.
    pub async fn close(self) {
        if self.dialogue.is_none() {
            let memory = self.memory;
            if let Err(panic) = tokio::task::spawn_blocking(move || memory.store().close()).await {
                tracing::error!(%panic, "the database was not closed cleanly");
            }
        }
    }
}
