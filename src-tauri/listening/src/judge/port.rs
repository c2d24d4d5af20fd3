//! The port to the language model that judges.

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use super::availability::JudgeError;
use super::prompt::JudgePrompt;

/// A language model that is asked whom an utterance was meant for.
#[async_trait]
pub trait IntentJudge: Send + Sync {
    /// The answer as the model wrote it. `stop` ends the generation.
    ///
    /// # Errors
    ///
    /// [`JudgeError`]; the rules decide then.
    async fn ask(&self, prompt: JudgePrompt, stop: CancellationToken) -> Result<String, JudgeError>;
}
