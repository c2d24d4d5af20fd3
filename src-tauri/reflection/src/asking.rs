//! One question to a model, with limits on time and length.

use std::time::Duration;

use futures::StreamExt;
use llm::{CancellationToken, ChatEvent, ChatModel, ChatRequest, FinishReason, LlmError, Message};
use serde_json::Value;

use crate::ReflectionError;

/// The longest answer worth reading, in bytes: four times the longest that any pass asks for.
const MAX_ANSWER_BYTES: usize = 64 * 1024;

/// A question and its limits.
pub(crate) struct ModelQuestion {
    /// The instruction: the same for every call of a pass, so that the model's prefix cache can be used.
    pub(crate) task: String,
    /// The data to work on.
    pub(crate) material: String,
    /// Few-shot examples: pairs of material and answer, sent as earlier messages.
    pub(crate) examples: Vec<(String, String)>,
    /// A JSON schema for the answer. Providers that cannot enforce one ignore it.
    pub(crate) format: Option<Value>,
    pub(crate) limit: Duration,
    pub(crate) max_tokens: u32,
    pub(crate) sampling: Sampling,
}

impl ModelQuestion {
    /// A question without examples and schema, with greedy sampling.
    pub(crate) fn new(task: String, material: String, limit: Duration, max_tokens: u32) -> Self {
        let (examples, format, sampling) = (Vec::new(), None, Sampling::Greedy);
        Self { task, material, examples, format, limit, max_tokens, sampling }
    }
}

/// The way the model chooses its next token.
#[derive(Clone, Copy)]
pub(crate) enum Sampling {
    /// The most likely token: for answers that a parser reads or that must not invent anything.
    Greedy,
    /// With the temperature from the settings.
    Configured,
}

/// Asks the model and returns the whole answer.
///
/// Cancel-safe: dropping the future cancels the request.
pub(crate) async fn ask(
    model: &dyn ChatModel,
    question: ModelQuestion,
    stop: &CancellationToken,
) -> Result<String, ReflectionError> {
    ask_streaming(model, question, stop, &mut |_| {}).await
}

/// As [`ask`], and passes every piece of the answer to `on_text` as it arrives.
pub(crate) async fn ask_streaming(
    model: &dyn ChatModel,
    question: ModelQuestion,
    stop: &CancellationToken,
    on_text: &mut (dyn FnMut(&str) + Send + Sync),
) -> Result<String, ReflectionError> {
    let limit = question.limit;
    let mut messages = vec![Message::system(question.task)];
    for (material, answer) in question.examples {
        messages.extend([Message::user(material), Message::assistant(answer)]);
    }
    messages.push(Message::user(question.material));
    let mut request = ChatRequest::new(messages).with_max_tokens(question.max_tokens);
    request.format = question.format;
    if let Sampling::Greedy = question.sampling {
        request = request.with_temperature(0.0);
    }
    let answering = tokio::time::timeout(limit, whole_answer(model, request, stop, on_text));
    tokio::select! {
        biased; // A stopped pass must not ask the model.
        () = stop.cancelled() => Err(ReflectionError::Stopped),
        answer = answering => match answer.map_err(|_| ReflectionError::TooSlow { limit })? {
            // A cancelled model may return an error before we see the token.
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
                if text.len() > MAX_ANSWER_BYTES {
                    return Err(ReflectionError::TooMuch { chars: MAX_ANSWER_BYTES });
                }
                // Otherwise the model would repeat itself up to the token limit, which takes minutes on a small machine.
                if is_repeating(&text) {
                    return Err(ReflectionError::Unusable);
                }
                on_text(&piece);
            }
            ChatEvent::Finished(usage) => {
                return match usage.reason {
                    FinishReason::Stop | FinishReason::ToolCalls => Ok(text),
                    FinishReason::Cancelled => Err(ReflectionError::Stopped),
                    // A truncated answer would be taken for a complete one.
                    FinishReason::Length => Err(LlmError::Incomplete.into()),
                };
            }
            ChatEvent::Thinking(_) | ChatEvent::ToolCalls(_) => {}
        }
    }
    Err(LlmError::Incomplete.into())
}

/// Returns `true` if the end of the text occurs in it several times: a small model that repeats a sentence does not
/// stop by itself.
///
/// The compared end is longer than what the items of a list have in common without indentation, and no sentence of a
/// diary occurs five times.
fn is_repeating(text: &str) -> bool {
    const END_CHARS: usize = 60;
    const REPEATS: usize = 5;
    /// The part of the text that is examined, in bytes. A longer repetition does not fit five times into most answers.
    const WINDOW: usize = 4096;
    let window = &text[text.floor_char_boundary(text.len().saturating_sub(WINDOW))..];
    // A JSON grammar allows any number of blanks.
    let blanks = window.chars().rev().take_while(|c| c.is_whitespace()).count();
    if blanks >= END_CHARS * REPEATS {
        return true;
    }
    let window = window.split_whitespace().collect::<Vec<_>>().join(" ");
    let Some((end, _)) = window.char_indices().rev().nth(END_CHARS - 1) else { return false };
    window.matches(&window[end..]).count() >= REPEATS
}

/// Token limit of an answer that repeats `material` with small additions. A byte is at most half a token in any script.
pub(crate) fn tokens_to_repeat(material_bytes: usize) -> u32 {
    const MIN_TOKENS: usize = 512;
    const MAX_TOKENS: usize = 4096;
    (material_bytes / 2 + MIN_TOKENS).min(MAX_TOKENS) as u32
}

#[cfg(test)]
mod tests {
    use testkit::{ScriptedModel, Turn};

    use super::*;

    fn question() -> ModelQuestion {
        ModelQuestion {
            task: "Say yes.".into(),
            material: "Well?".into(),
            examples: vec![("Sure?".into(), "Yes.".into())],
            format: None,
            limit: Duration::from_secs(5),
            max_tokens: 10,
            sampling: Sampling::Greedy,
        }
    }

    async fn ask_one(turn: Turn) -> Result<String, ReflectionError> {
        ask(&ScriptedModel::new([turn]), question(), &CancellationToken::new()).await
    }

    #[tokio::test]
    async fn pieces_of_an_answer_are_joined() {
        assert_eq!(ask_one(Turn::says("yes, of course")).await.unwrap(), "yes, of course");
    }

    #[tokio::test(start_paused = true)]
    async fn silent_model_fails_after_the_time_limit() {
        let error = ask_one(Turn::hangs_after("ye")).await.unwrap_err();

        assert_eq!(error.to_string(), "the language model took longer than 5s");
    }

    #[tokio::test]
    async fn answer_above_the_size_limit_is_rejected() {
        let endless = Turn::Says((0..10_000).map(|i| format!("{i} and {i} is what? ")).collect());

        assert_eq!(ask_one(endless).await.unwrap_err().code(), "too_much");
    }

    #[tokio::test]
    async fn repeating_answer_is_rejected_early() {
        let sentence = "The user asked whether the pharmacy is open on Sundays, and then once more. ";
        let circling = Turn::Hangs(vec![sentence.to_owned(); 6]);

        assert_eq!(ask_one(circling).await.unwrap_err().code(), "unusable_answer");
    }

    #[tokio::test]
    async fn endless_blanks_are_rejected_early() {
        let blank = Turn::Hangs(vec!["\n    ".to_owned(); 100]);

        assert_eq!(ask_one(blank).await.unwrap_err().code(), "unusable_answer");
    }

    #[tokio::test]
    async fn indented_list_does_not_count_as_repetition() {
        let facts = (0..12).map(|i| {
            format!("        {{\n            \"branch\": \"USER\",\n            \"quote\": \"I like {i}\"\n        }}")
        });
        let list = format!("{{\n    \"facts\": [\n{}\n    ]\n}}", facts.collect::<Vec<_>>().join(",\n"));
        let pieces = list.chars().map(String::from).collect();

        assert_eq!(ask_one(Turn::Says(pieces)).await.unwrap(), list);
    }

    #[tokio::test]
    async fn examples_are_sent_between_task_and_material() {
        let model = ScriptedModel::new([Turn::says("yes")]);

        ask(&model, question(), &CancellationToken::new()).await.unwrap();

        let asked: Vec<String> = model.asked()[0].messages.iter().map(|said| said.content.clone()).collect();
        assert_eq!(asked, ["Say yes.", "Sure?", "Yes.", "Well?"]);
    }

    #[tokio::test]
    async fn interrupted_answer_is_an_error() {
        let error = ask_one(Turn::fails_after("ye", LlmError::Incomplete)).await.unwrap_err();

        assert_eq!(error.code(), "model_failed");
    }

    #[tokio::test]
    async fn stopped_pass_does_not_ask_the_model() {
        let model = ScriptedModel::new([Turn::says("yes")]);
        let stop = CancellationToken::new();
        stop.cancel();

        let error = ask(&model, question(), &stop).await.unwrap_err();

        assert_eq!(error.code(), "stopped");
        assert!(model.asked().is_empty());
    }
}
