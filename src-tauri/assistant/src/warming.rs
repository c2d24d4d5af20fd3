//! Models that are loaded before the first question, so that it is quick; and again once others were chosen.

use std::sync::Arc;
use std::time::Duration;

use hearing::SpeechToText;
use llm::ChatModel;
use replying::ReplyEngine;
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;
use vocabulary::{Stage, Trouble};

use crate::conductor::Command;

/// A language model that does not answer is tried again after so long, and after twice as long each time.
const FIRST_WAIT: Duration = Duration::from_secs(10);
const LONGEST_WAIT: Duration = Duration::from_secs(300);

/// What is warmed up, and who is told.
pub(crate) struct Warming {
    /// `None`: nobody will speak.
    pub recogniser: Option<Arc<dyn SpeechToText>>,
    pub model: Arc<dyn ChatModel>,
    pub replier: ReplyEngine,
    /// Another language model was chosen.
    pub chosen: Arc<Notify>,
    pub commands: mpsc::Sender<Command>,
}

impl Warming {
    /// Loads the models in use, once.
    pub async fn once(&self) -> Option<Trouble> {
        let ((), trouble) = tokio::join!(self.recogniser(), self.language_model());
        tracing::info!("the models are warm");
        trouble
    }

    /// Loads them, and the language model again whenever another one was chosen, or this one may work by now.
    pub async fn keep_warm(self, stop: CancellationToken) {
        let following = async {
            let mut trouble = self.once().await;
            self.follow(&mut trouble).await;
        };
        // What is being loaded finishes in the background; nothing waits for it.
        let _ = stop.run_until_cancelled(following).await;
    }

    /// As [`Warming::keep_warm`], after `trouble` was the outcome of the first time.
    pub async fn follow(&self, trouble: &mut Option<Trouble>) {
        let mut wait = FIRST_WAIT;
        loop {
            let is_in_trouble = trouble.is_some();
            tokio::select! {
                () = self.chosen.notified() => wait = FIRST_WAIT,
                () = tokio::time::sleep(wait), if is_in_trouble => wait = (wait * 2).min(LONGEST_WAIT),
            }
            let now = self.language_model().await;
            if now.is_none() && is_in_trouble {
                self.tell(Command::Recovered(Stage::LanguageModel)).await;
            }
            *trouble = now;
        }
    }

    async fn recogniser(&self) {
        let Some(recogniser) = self.recogniser.clone() else { return };
        let warmed = tokio::task::spawn_blocking(move || recogniser.warm_up()).await;
        if let Ok(Err(error)) = warmed {
            self.tell(Command::Trouble(error.trouble())).await;
        }
    }

    async fn language_model(&self) -> Option<Trouble> {
        let trouble = self.model.warm_up(&self.replier.prefix().await).await.err()?.trouble();
        self.tell(Command::Trouble(trouble.clone())).await;
        Some(trouble)
    }

    async fn tell(&self, command: Command) {
        // A conductor that is gone needs to know nothing.
        let _ = self.commands.send(command).await;
    }
}
