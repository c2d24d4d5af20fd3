//! Models that are loaded before the first question, so that it is quick; and again once others were chosen.

use std::sync::Arc;
use std::time::Duration;

use hearing::SpeechToText;
use llm::ChatModel;
use replying::ReplyEngine;
use tokio::sync::{Notify, mpsc, watch};
use tokio_util::sync::CancellationToken;
use vocabulary::Stage;

use crate::conductor::Command;

/// A provider that is not there is looked for again after so long, and after twice as long each time.
const FIRST_WAIT: Duration = Duration::from_secs(10);
const LONGEST_WAIT: Duration = Duration::from_secs(300);

/// What is warmed up, and who is told.
pub(crate) struct Warming {
    /// The one in use. `None`: nobody will speak.
    pub recogniser: Option<watch::Receiver<Arc<dyn SpeechToText>>>,
    pub model: Arc<dyn ChatModel>,
    pub replier: ReplyEngine,
    /// Another language model was chosen, or the one chosen came.
    pub chosen: Arc<Notify>,
    pub commands: mpsc::Sender<Command>,
}

/// How the language model is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Warm,
    /// Its provider is not there, or has not the model: it may come.
    Away,
    /// It is there and fails: nobody tries it again unasked.
    Failed,
}

impl Warming {
    /// Loads the models in use, once.
    pub async fn once(&mut self) {
        self.load().await;
    }

    /// Loads them, and again whenever others were chosen; a language model that was not there also when it may have come.
    pub async fn keep_warm(mut self, stop: CancellationToken) {
        let following = async {
            let first = self.load().await;
            self.follow(first).await;
        };
        // What is being loaded finishes in the background; nothing waits for it.
        let _ = stop.run_until_cancelled(following).await;
    }

    async fn load(&mut self) -> Outcome {
        let recogniser = self.recogniser.as_mut().map(|in_use| in_use.borrow_and_update().clone());
        let hearing = async {
            if let Some(recogniser) = recogniser {
                self.recogniser(recogniser).await;
            }
        };
        let ((), outcome) = tokio::join!(hearing, self.language_model());
        tracing::info!("the models are warm");
        outcome
    }

    async fn follow(&mut self, mut outcome: Outcome) {
        let mut wait = FIRST_WAIT;
        loop {
            let is_away = outcome == Outcome::Away;
            tokio::select! {
                recogniser = next(&mut self.recogniser) => {
                    self.recogniser(recogniser).await;
                    continue;
                }
                () = self.chosen.notified() => wait = FIRST_WAIT,
                () = tokio::time::sleep(wait), if is_away => wait = (wait * 2).min(LONGEST_WAIT),
            }
            let was_warm = outcome == Outcome::Warm;
            outcome = self.language_model().await;
            if outcome == Outcome::Warm && !was_warm {
                self.tell(Command::Recovered(Stage::LanguageModel)).await;
            }
        }
    }

    async fn recogniser(&self, recogniser: Arc<dyn SpeechToText>) {
        let warmed = tokio::task::spawn_blocking(move || recogniser.warm_up()).await;
        match warmed {
            Ok(Ok(())) => self.tell(Command::Recovered(Stage::Recognition)).await,
            Ok(Err(error)) => self.tell(Command::Trouble(error.trouble())).await,
            Err(panic) => tracing::error!(%panic, "recognition was not warmed up"),
        }
    }

    async fn language_model(&self) -> Outcome {
        match self.model.warm_up(&self.replier.prefix().await).await {
            Ok(()) => Outcome::Warm,
            Err(error) => {
                self.tell(Command::Trouble(error.trouble())).await;
                if error.is_of_the_provider() { Outcome::Away } else { Outcome::Failed }
            }
        }
    }

    async fn tell(&self, command: Command) {
        // A conductor that is gone needs to know nothing.
        let _ = self.commands.send(command).await;
    }
}

/// The next recogniser that takes the place of the one in use.
async fn next(recogniser: &mut Option<watch::Receiver<Arc<dyn SpeechToText>>>) -> Arc<dyn SpeechToText> {
    if let Some(in_use) = recogniser
        && in_use.changed().await.is_ok()
    {
        return in_use.borrow_and_update().clone();
    }
    std::future::pending().await
}
