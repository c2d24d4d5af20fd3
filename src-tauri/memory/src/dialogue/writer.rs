//! The task that writes the dialogue to the database.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{mpsc, watch};

use super::recent_turns::{Job, MAX_TURNS, Persistence, RecentTurns};
use crate::MemoryError;
use crate::memory::{Memory, WriteTransaction};
use crate::records::messages::{NewMessage, add_beside, newest_of_each};
use crate::records::traces::put_delivery;
use crate::service::MemoryService;

/// The time to wait before a failed write is repeated.
const RETRY_EVERY: Duration = Duration::from_secs(2);

pub(super) struct DialogueWriter {
    pub turns: Arc<Mutex<RecentTurns>>,
    /// Closes when the last dialogue is dropped.
    pub woken: mpsc::Receiver<()>,
    pub service: MemoryService,
    /// Set once the turns of earlier runs are loaded.
    pub loaded: watch::Sender<bool>,
}

impl DialogueWriter {
    pub async fn run(mut self) {
        let Some(memory) = self.opened().await else { return };
        if !self.load(&memory).await {
            return;
        }
        self.loaded.send_replace(true);
        loop {
            if !self.write_all(&memory).await {
                return;
            }
            if self.woken.recv().await.is_none() {
                self.write_all(&memory).await;
                return;
            }
        }
    }

    /// Waits for the database; `None` when the dialogue was dropped before.
    async fn opened(&mut self) -> Option<Memory> {
        let mut memory = self.service.watch();
        loop {
            tokio::select! {
                opened = memory.wait_for(Option::is_some) => return opened.ok().and_then(|memory| memory.clone()),
                woken = self.woken.recv() => woken?,
            }
        }
    }

    /// Loads the turns of earlier runs. Returns `false` when the dialogue was dropped before it worked.
    async fn load(&mut self, memory: &Memory) -> bool {
        let mut is_failing = false;
        while let Err(error) = reload(&self.turns, memory).await {
            if !std::mem::replace(&mut is_failing, true) {
                self.service.report(Some(error.trouble()));
            }
            tokio::time::sleep(RETRY_EVERY).await;
            if self.woken.is_closed() {
                return false;
            }
        }
        if is_failing {
            self.service.report(None);
        }
        true
    }

    /// Empties the queue. Returns `false` when the dialogue was dropped while the disk was failing.
    async fn write_all(&mut self, memory: &Memory) -> bool {
        let mut is_failing = false;
        loop {
            let Some((number, job)) = self.turns.lock().next_job() else { return true };
            match run(memory, &job).await {
                Ok(at_micros) => {
                    self.finish(number, &job, Persistence::Written, at_micros);
                    if std::mem::take(&mut is_failing) {
                        self.service.report(None);
                    }
                }
                Err(error) => {
                    if !std::mem::replace(&mut is_failing, true) {
                        self.service.report(Some(error.trouble()));
                    }
                    if error.is_transient() {
                        tokio::time::sleep(RETRY_EVERY).await;
                        if self.woken.is_closed() {
                            return false;
                        }
                    } else {
                        let at_micros = match &job {
                            Job::Write { content, .. } => content.at_micros,
                            Job::NoteDelivery { at_micros, .. } => {
                                tracing::error!(%error, "the delivery of a reply could not be written");
                                *at_micros
                            }
                            Job::Withdraw { .. } => {
                                tracing::error!(%error, "withdrawn messages could not be deleted");
                                0
                            }
                        };
                        self.finish(number, &job, Persistence::Nowhere, at_micros);
                    }
                }
            }
        }
    }

    fn finish(&self, number: u64, job: &Job, persistence: Persistence, at_micros: i64) {
        let mut turns = self.turns.lock();
        if let Job::Write { turn, conversation, .. } = job {
            turns.set_persistence(conversation, *turn, persistence, at_micros);
        }
        turns.finish(number);
    }
}

/// Does a job. Returns the time of a written message in the database.
async fn run(memory: &Memory, job: &Job) -> Result<i64, MemoryError> {
    match job {
        Job::Write { conversation, channel, content, trace, .. } => {
            let message = NewMessage {
                conversation: conversation.clone(),
                channel: (*channel).to_owned(),
                content: content.clone(),
                is_in_diary: false,
            };
            let trace = trace.clone();
            memory.change(move |changing| Ok(add_beside(changing, message, trace.as_deref())?)).await
        }
        Job::NoteDelivery { conversation, at_micros, delivery, .. } => {
            let (conversation, at, delivery) = (conversation.clone(), *at_micros, delivery.clone());
            let write = move |changing: &mut WriteTransaction<'_>| {
                Ok(put_delivery(changing, &conversation, at, &delivery)?)
            };
            memory.change(write).await?;
            Ok(*at_micros)
        }
        Job::Withdraw { conversation, since_micros } => {
            memory.withdraw_messages(&conversation.0, *since_micros).await?;
            Ok(*since_micros)
        }
    }
}

/// Replaces the recent turns with what is in the database. Messages that are not written stay.
pub(super) async fn reload(turns: &Mutex<RecentTurns>, memory: &Memory) -> Result<(), MemoryError> {
    loop {
        let before = turns.lock().snapshot();
        let read = memory.read(|connection| newest_of_each(connection, MAX_TURNS)).await?;
        if turns.lock().replace(read, &before) {
            return Ok(());
        }
    }
}
