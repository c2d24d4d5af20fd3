//! Loads models before the first question, so that it is answered quickly, again after others were chosen, and when a
//! question seems to follow after a time without any.

use std::sync::Arc;
use std::time::Duration;

use hearing::SpeechToText;
use llm::{ChatModel, LlmError, ProviderKind};
use replying::ReplyEngine;
use tokio::sync::{Notify, mpsc, watch};
use tokio_util::sync::CancellationToken;
use vocabulary::{ConversationId, ReplyId, Stage};

use crate::command::Command;
use crate::models_in_use::active_embedder::ActiveEmbedder;

/// The time to wait before trying an unreachable provider again; the wait doubles each time.
const FIRST_WAIT: Duration = Duration::from_secs(10);
const LONGEST_WAIT: Duration = Duration::from_secs(300);

/// The models that are warmed up.
pub(crate) struct WarmUp {
    /// The recogniser in use; `None` if no microphone will be opened.
    pub recogniser: Option<watch::Receiver<Arc<dyn SpeechToText>>>,
    pub model: Arc<dyn ChatModel>,
    pub embedder: Arc<ActiveEmbedder>,
    pub replier: ReplyEngine,
    /// The foreground reply, until it ends.
    pub foreground: watch::Receiver<Option<ReplyId>>,
    /// A query seems to follow.
    pub expected: Arc<Notify>,
    /// Another language model was chosen, or the file of the chosen one arrived.
    pub chosen: Arc<Notify>,
    pub commands: mpsc::Sender<Command>,
}

/// The outcome of warming up the language model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Warm,
    /// Its provider cannot be reached, or lacks the model: that may change.
    Unreachable,
    /// It fails: trying again unasked makes no sense.
    Failed,
}

impl WarmUp {
    /// Loads the models in use, once.
    pub async fn once(&mut self) {
        self.load().await;
    }

    /// Loads them, and again whenever others are chosen; an unreachable language model is tried again from time to time.
    pub async fn keep_warm(mut self, stop: CancellationToken) {
        let warming = async {
            let first = self.load().await;
            self.keep_trying(first).await;
        };
        // What is being loaded finishes in the background; nothing waits for it.
        let _ = stop.run_until_cancelled(warming).await;
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

    async fn keep_trying(&mut self, mut outcome: Outcome) {
        let mut wait = FIRST_WAIT;
        loop {
            let is_unreachable = outcome == Outcome::Unreachable;
            tokio::select! {
                recogniser = next(&mut self.recogniser) => {
                    self.recogniser(recogniser).await;
                    continue;
                }
                () = reply_ended(&mut self.foreground) => {
                    self.read_dialogue().await;
                    continue;
                }
                () = self.expected.notified() => {
                    self.get_ready().await;
                    continue;
                }
                () = self.chosen.notified() => wait = FIRST_WAIT,
                () = tokio::time::sleep(wait), if is_unreachable => wait = (wait * 2).min(LONGEST_WAIT),
            }
            let was_warm = outcome == Outcome::Warm;
            outcome = self.language_model().await;
            if outcome == Outcome::Warm && !was_warm {
                self.report(Command::Recovered(Stage::LanguageModel)).await;
            }
        }
    }

    async fn recogniser(&self, recogniser: Arc<dyn SpeechToText>) {
        let warmed = tokio::task::spawn_blocking(move || recogniser.warm_up()).await;
        match warmed {
            Ok(Ok(())) => self.report(Command::Recovered(Stage::Recognition)).await,
            Ok(Err(error)) => self.report(Command::Trouble(error.trouble())).await,
            Err(panic) => tracing::error!(%panic, "recognition was not warmed up"),
        }
    }

    async fn language_model(&self) -> Outcome {
        match warm_prefix(&*self.model, &self.replier).await {
            Ok(()) => Outcome::Warm,
            Err(error) => {
                self.report(Command::Trouble(error.trouble())).await;
                if error.is_provider_unavailable() { Outcome::Unreachable } else { Outcome::Failed }
            }
        }
    }

    /// Loads what was unloaded while nobody asked, while the user still speaks or types. A reply under way has it loaded.
    async fn get_ready(&self) {
        if self.foreground.borrow().is_none() {
            tokio::join!(self.embedder.get_ready(), self.read_dialogue());
        }
    }

    /// Lets the embedded model read the last exchange while nobody waits for it: it is stored without the lines that came
    /// with the question, so that its end is not in the prefix cache.
    async fn read_dialogue(&self) {
        if is_embedded(&*self.model)
            && let Err(error) = warm_prefix(&*self.model, &self.replier).await
        {
            tracing::debug!(%error, "the dialogue was not read in advance");
        }
    }

    async fn report(&self, command: Command) {
        // A coordinator that has ended needs no news.
        let _ = self.commands.send(command).await;
    }
}

/// Reads what the next reply begins with into the model's prefix cache, and what its choice of a tool begins with into
/// that of a model which keeps it beside.
///
/// # Errors
///
/// As [`ChatModel::warm_up`].
pub(crate) async fn warm_prefix(model: &dyn ChatModel, replier: &ReplyEngine) -> Result<(), LlmError> {
    // A server would answer a dialogue that ends with its own answer.
    if model.found_identity().await?.provider != ProviderKind::Embedded {
        let beginning = replier.prefix_request().await;
        return match model.warm_up_with(beginning.clone()).await {
            // Replies will find that out too, and describe the tools in their text.
            Err(LlmError::ToolsRefused { .. }) => model.warm_up(&beginning.messages).await,
            done => done,
        };
    }
    let conversation = ConversationId::main();
    let beginning = replier.beginning_of_choices();
    // First, because answers begin with the same rules, and a model that was just loaded has them in a file.
    if let Some(beginning) = &beginning {
        model.keep_beginning(beginning).await?;
    }
    model.warm_up(&replier.prefix_with_dialogue(&conversation).await).await?;
    let Some(beginning) = beginning else { return Ok(()) };
    // A question interrupted it the first time.
    if !model.has_kept(&beginning) {
        model.keep_beginning(&beginning).await?;
    }
    match model.has_kept(&beginning) {
        true => model.warm_up(&replier.choice_with_dialogue(&conversation).await).await,
        false => Ok(()),
    }
}

fn is_embedded(model: &dyn ChatModel) -> bool {
    model.identity().provider == ProviderKind::Embedded
}

/// Waits until a foreground reply ends, forever when there will be none. A reply that ended since the last call counts too,
/// also one so short that its beginning was not seen.
async fn reply_ended(foreground: &mut watch::Receiver<Option<ReplyId>>) {
    loop {
        if foreground.changed().await.is_err() {
            std::future::pending().await
        }
        if foreground.borrow_and_update().is_none() {
            return;
        }
    }
}

/// Waits for the recogniser that replaces the one in use.
async fn next(recogniser: &mut Option<watch::Receiver<Arc<dyn SpeechToText>>>) -> Arc<dyn SpeechToText> {
    if let Some(in_use) = recogniser
        && in_use.changed().await.is_ok()
    {
        return in_use.borrow_and_update().clone();
    }
    std::future::pending().await
}

#[cfg(test)]
mod tests;
