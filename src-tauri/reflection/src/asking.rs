//! One bounded question to a model.

use std::time::Duration;

use futures::StreamExt;
use llm::{CancellationToken, ChatEvent, ChatModel, ChatRequest, FinishReason, LlmError, Message};
use serde_json::Value;

use crate::ReflectionError;

/// The longest answer worth reading, in bytes: four times the longest that any pass asks for.
const LONGEST: usize = 64 * 1024;

/// What is asked, and how long it may take.
pub(crate) struct Question {
    /// What to do: the same for every call of a pass, so that its prefix cache holds.
    pub(crate) task: String,
    /// What to do it with.
    pub(crate) material: String,
    /// Materials with their answers, shown before the material as if they had been asked.
    pub(crate) examples: Vec<(String, String)>,
    /// A JSON schema for the answer; providers that cannot enforce one pass it over.
    pub(crate) format: Option<Value>,
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
    let mut messages = vec![Message::system(question.task)];
    for (material, answer) in question.examples {
        messages.extend([Message::user(material), Message::assistant(answer)]);
    }
    messages.push(Message::user(question.material));
    let mut request = ChatRequest::new(messages).with_max_tokens(question.max_tokens);
    request.format = question.format;
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
                // Without this it would go on until the longest answer: minutes, on a small machine.
                if goes_in_circles(&text) {
                    return Err(ReflectionError::Unusable);
                }
                on_text(&piece);
            }
            ChatEvent::Finished(usage) => {
                return match usage.reason {
                    FinishReason::Stop | FinishReason::ToolCalls => Ok(text),
                    FinishReason::Cancelled => Err(ReflectionError::Stopped),
                    // Half an answer would be taken for all there is to keep.
                    FinishReason::Length => Err(LlmError::Incomplete.into()),
                };
            }
            ChatEvent::Thinking(_) | ChatEvent::ToolCalls(_) => {}
        }
    }
    Err(LlmError::Incomplete.into())
}

/// Does the end of the text stand in it again and again? A small model that has begun to repeat a sentence never ends.
///
/// The end is longer than what the items of a list have in common once its indentation is gone, and a sentence of a diary
/// never comes five times.
fn goes_in_circles(text: &str) -> bool {
    const END_CHARS: usize = 60;
    const REPEATS: usize = 5;
    /// So much of the text is looked at, in bytes: a longer circle has no room for so many repeats in most answers.
    const WINDOW: usize = 4096;
    let window = &text[text.floor_char_boundary(text.len().saturating_sub(WINDOW))..];
    // A grammar for JSON allows blanks without end.
    let blanks = window.chars().rev().take_while(|c| c.is_whitespace()).count();
    if blanks >= END_CHARS * REPEATS {
        return true;
    }
    let window = window.split_whitespace().collect::<Vec<_>>().join(" ");
    let Some((end, _)) = window.char_indices().rev().nth(END_CHARS - 1) else { return false };
    window.matches(&window[end..]).count() >= REPEATS
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
            examples: vec![("Sure?".into(), "Yes.".into())],
            format: None,
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
        let endless = Turn::Says((0..10_000).map(|i| format!("{i} and {i} is what? ")).collect());

        assert_eq!(ask_one(endless).await.unwrap_err().code(), "too_much");
    }

    #[tokio::test]
    async fn an_answer_that_goes_in_circles_is_given_up_early() {
        let sentence = "The user asked whether the pharmacy is open on Sundays, and then once more. ";
        let circling = Turn::Hangs(vec![sentence.to_owned(); 6]);

        assert_eq!(ask_one(circling).await.unwrap_err().code(), "unusable_answer");
    }

    #[tokio::test]
    async fn blanks_without_end_are_given_up_early() {
        let blank = Turn::Hangs(vec!["\n    ".to_owned(); 100]);

        assert_eq!(ask_one(blank).await.unwrap_err().code(), "unusable_answer");
    }

    #[tokio::test]
    async fn a_list_with_indentation_goes_in_no_circles() {
        let facts = (0..12).map(|i| {
            format!("        {{\n            \"branch\": \"USER\",\n            \"quote\": \"I like {i}\"\n        }}")
        });
        let list = format!("{{\n    \"facts\": [\n{}\n    ]\n}}", facts.collect::<Vec<_>>().join(",\n"));
        let pieces = list.chars().map(String::from).collect();

        assert_eq!(ask_one(Turn::Says(pieces)).await.unwrap(), list);
    }

    #[tokio::test]
    async fn examples_stand_between_task_and_material() {
        let model = ScriptedModel::new([Turn::says("yes")]);

        ask(&model, question(), &CancellationToken::new()).await.unwrap();

        let asked: Vec<String> = model.asked()[0].messages.iter().map(|said| said.content.clone()).collect();
        assert_eq!(asked, ["Say yes.", "Sure?", "Yes.", "Well?"]);
    }

    #[tokio::test]
    async fn an_answer_that_breaks_off_is_none() {
        let error = ask_one(Turn::fails_after("ye", LlmError::Incomplete)).await.unwrap_err();

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
