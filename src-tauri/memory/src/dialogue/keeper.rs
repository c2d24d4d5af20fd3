//! The one that opens the database and writes to it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use vocabulary::Trouble;

use super::{AtHand, Kept, ToWrite, reload};
use crate::key::Place;
use crate::memory::Memory;
use crate::messages::{NewMessage, add_beside};
use crate::store::Opened;
use crate::{MemoryError, Store};

/// A failed write is tried again so often.
const RETRY_EVERY: Duration = Duration::from_secs(2);

/// So many of these times pass before a keychain is asked again that gave no key: it may ask its user for a password.
const TRIES_WITHOUT_KEY: u32 = 15;

/// The one that opens the database and writes to it.
pub(super) struct DatabaseWriter<R> {
    pub at_hand: Arc<Mutex<AtHand>>,
    pub to_write: mpsc::Receiver<ToWrite>,
    pub waiting: watch::Sender<usize>,
    pub report: R,
}

impl<R: Fn(Option<Trouble>) + Send> DatabaseWriter<R> {
    pub async fn keep(mut self, place: Place, opened: watch::Sender<Option<Memory>>) {
        let Some(memory) = self.open(&place).await else { return };
        opened.send_replace(Some(memory.clone()));
        self.write_all(&memory).await;
        let closing = tokio::task::spawn_blocking(move || memory.store.close()).await;
        if let Err(panic) = closing {
            tracing::error!(%panic, "the database was not closed cleanly");
        }
    }

    /// Opens the database, as often as it takes; `None` when nobody waits for it any more.
    async fn open(&mut self, place: &Place) -> Option<Memory> {
        let mut is_failing = false;
        loop {
            let mut tries = 1;
            match self.try_to_open(place.clone()).await {
                Ok((memory, trouble)) => {
                    if is_failing {
                        (self.report)(None);
                    }
                    if trouble.is_some() {
                        (self.report)(trouble);
                    }
                    return Some(memory);
                }
                Err(error) => {
                    if error.is_about_the_key() {
                        tries = TRIES_WITHOUT_KEY;
                    }
                    if !std::mem::replace(&mut is_failing, true) {
                        (self.report)(Some(error.trouble()));
                    }
                }
            }
            for _ in 0..tries {
                tokio::time::sleep(RETRY_EVERY).await;
                if self.to_write.is_closed() {
                    return None;
                }
            }
        }
    }

    async fn try_to_open(&mut self, place: Place) -> Result<(Memory, Option<Trouble>), MemoryError> {
        let opened = tokio::task::spawn_blocking(move || Store::open(place)).await;
        let Opened { store, trouble } = opened.map_err(|_| MemoryError::Closed)??;
        // What was said while the database was not open comes after what it holds.
        let memory = Memory::new(store);
        reload(&self.at_hand, &memory).await?;
        Ok((memory, trouble))
    }

    async fn write_all(&mut self, memory: &Memory) {
        let mut is_failing = false;
        while let Some(to_write) = self.to_write.recv().await {
            self.waiting.send_replace(self.to_write.len() + 1);
            loop {
                match write_one(memory, &to_write).await {
                    Ok(at_micros) => {
                        self.note(&to_write, at_micros, Kept::Written);
                        if std::mem::take(&mut is_failing) {
                            (self.report)(None);
                        }
                        break;
                    }
                    Err(error) => {
                        if !std::mem::replace(&mut is_failing, true) {
                            (self.report)(Some(error.trouble()));
                        }
                        if !error.is_transient() {
                            self.note(&to_write, to_write.said.at_micros, Kept::Nowhere);
                            break;
                        }
                        tokio::time::sleep(RETRY_EVERY).await;
                        if self.to_write.is_closed() {
                            // Nobody waits any more: the program is going.
                            return;
                        }
                    }
                }
            }
            self.waiting.send_replace(self.to_write.len());
        }
    }

    /// Notes what became of something at hand, and when the database says that it was said.
    fn note(&self, to_write: &ToWrite, at_micros: i64, kept: Kept) {
        let mut at_hand = self.at_hand.lock().unwrap_or_else(PoisonError::into_inner);
        let lines = at_hand.get_mut(&to_write.conversation);
        let mut waiting = lines.into_iter().flatten().filter(|line| line.kept == Kept::Waiting);
        // It may be gone by now: only so much is at hand.
        if let Some(line) = waiting.find(|line| line.said == to_write.said) {
            line.said.at_micros = at_micros;
            line.kept = kept;
        }
    }
}

/// Says when it was said, as far as the database is concerned.
async fn write_one(memory: &Memory, to_write: &ToWrite) -> Result<i64, MemoryError> {
    let ToWrite { conversation, channel, said } = to_write;
    let message = NewMessage {
        conversation: conversation.clone(),
        channel: (*channel).to_owned(),
        said: said.clone(),
        is_in_diary: false,
    };
    memory.change(move |changing| Ok(add_beside(changing, message)?)).await
}
