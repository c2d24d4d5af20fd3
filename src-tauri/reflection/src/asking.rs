//! One bounded question to a model.

use std::time::Duration;

use futures::StreamExt;
use llm::{CancellationToken, ChatEvent, ChatModel, ChatRequest, FinishReason, LlmError, Message};

use crate::ReflectionError;

/// The longest answer worth reading, in bytes: four times the longest that any pass asks for.
const LONGEST: usize = 64 * 1024;

/// What is asked, and how long it may take.
pub(crate) struct Question {
    /// What to do: the same for every call of a pass, so that its prefix cache holds.
    pub(crate) task: String,
    /// What to do it with.
    pub(crate) material: String,
    pub(crate) limit: Duration,
    pub(crate) max_tokens: u32,
    pub(crate) randomness: Randomness,
}

/// How freely the model may choose its words.
#[derive(Clone, Copy)]
pub(crate) enum Randomness {
    /// Not at all: what is read by a parser, or must hold nothing that was not there.
    None,
    /// As the settings say.
    AsSet,
}

/// Asks and waits for the whole answer.
///
/// Cancel-safe: dropping it ends the model's work.
pub(crate) async fn ask(
    model: &dyn ChatModel,
    question: Question,
    stop: &CancellationToken,
) -> Result<String, ReflectionError> {
    ask_aloud(model, question, stop, &mut |_| {}).await
}

/// As [`ask`], and tells `on_text` of every piece as it is written.
pub(crate) async fn ask_aloud(
    model: &dyn ChatModel,
    question: Question,
    stop: &CancellationToken,
    on_text: &mut (dyn FnMut(&str) + Send + Sync),
) -> Result<String, ReflectionError> {
    let limit = question.limit;
    let messages = vec![Message::system(question.task), Message::user(question.material)];
    let mut request = ChatRequest::new(messages).with_max_tokens(question.max_tokens);
    if let Randomness::None = question.randomness {
        request = request.with_temperature(0.0);
    }
    let answering = tokio::time::timeout(limit, whole_answer(model, request, stop, on_text));
    tokio::select! {
        biased; // What was stopped asks no model any more.
        () = stop.cancelled() => Err(ReflectionError::Stopped),
        answer = answering => match answer.map_err(|_| ReflectionError::TooSlow { limit })? {
            // A model that is stopped may break off before we look.
            Err(_) if stop.is_cancelled() => Err(ReflectionError::Stopped),
            answer => answer,
        },
    }
}

async fn whole_answer(
    model: &dyn ChatModel,
    request: ChatRequest,
    stop: &CancellationToken,
    on_text: &mut (dyn FnMut(&str) + Send + Sync),
) -> Result<String, ReflectionError> {
    let mut answer = model.chat(request, stop.clone()).await?;
    let mut text = String::new();
    while let Some(event) = answer.next().await {
        match event? {
            ChatEvent::Text(piece) => {
                text.push_str(&piece);
                if text.len() > LONGEST {
                    return Err(ReflectionError::TooMuch { chars: LONGEST });
                }
                on_text(&piece);
            }
            ChatEvent::Finished(usage) => {
                return match usage.reason {
                    FinishReason::Stop | FinishReason::ToolCalls => Ok(text),
                    FinishReason::Cancelled => Err(ReflectionError::Stopped),
                    // Half an answer would be taken for all there is to keep.
                    FinishReason::Length => Err(LlmError::Cut.into()),
                };
            }
            ChatEvent::Thinking(_) | ChatEvent::ToolCalls(_) => {}
        }
    }
    Err(LlmError::Cut.into())
}

/// Room for an answer that repeats `material` and adds a little. A byte is at most half a token in any script.
pub(crate) fn tokens_to_repeat(material_bytes: usize) -> u32 {
    const LEAST: usize = 512;
    const MOST: usize = 4096;
    (material_bytes / 2 + LEAST).min(MOST) as u32
}

#[cfg(test)]
mod tests {
    use testkit::{ScriptedModel, Turn};

    use super::*;

    fn question() -> Question {
        Question {
            task: "Say yes.".into(),
            material: "Well?".into(),
            limit: Duration::from_secs(5),
            max_tokens: 10,
            randomness: Randomness::None,
        }
    }

    async fn ask_one(turn: Turn) -> Result<String, ReflectionError> {
        ask(&ScriptedModel::new([turn]), question(), &CancellationToken::new()).await
    }

    #[tokio::test]
    async fn an_answer_comes_whole() {
        assert_eq!(ask_one(Turn::says("yes, of course")).await.unwrap(), "yes, of course");
    }

    #[tokio::test(start_paused = true)]
    async fn a_model_that_falls_silent_is_given_up() {
        let error = ask_one(Turn::hangs_after("ye")).await.unwrap_err();

        assert_eq!(error.to_string(), "the language model took longer than 5s");
    }

    #[tokio::test]
    async fn an_answer_without_end_is_given_up() {
        let endless = Turn::Says(vec!["x".repeat(1000); 100]);

        assert_eq!(ask_one(endless).await.unwrap_err().code(), "too_much");
    }

    #[tokio::test]
    async fn an_answer_that_breaks_off_is_none() {
        let error = ask_one(Turn::breaks_off_after("ye", LlmError::Cut)).await.unwrap_err();

        assert_eq!(error.code(), "model_failed");
    }

    #[tokio::test]
    async fn what_was_stopped_asks_no_model() {
        let model = ScriptedModel::new([Turn::says("yes")]);
        let stop = CancellationToken::new();
        stop.cancel();

        let error = ask(&model, question(), &stop).await.unwrap_err();

        assert_eq!(error.code(), "stopped");
        assert!(model.asked().is_empty());
    }
}
