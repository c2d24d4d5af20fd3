//! Reads meals from the user's words, and words remarks about them.
//!
//! The caller stores the meal between [`read_meal`] and [`follow_ups`], because only a stored meal may be confirmed.
//!
//! Source: docs/behaviour/tools.md#meals.

mod prompt;
mod parsing;

use std::time::Duration;

use llm::{CancellationToken, ChatModel};
use memory::Meal;

use parsing::parse_meal;

use crate::ReflectionError;
use crate::answers::is_nothing;
use crate::asking::{ModelQuestion, Sampling, ask};
use crate::grounding::grounded_share;
use crate::language::detect_language;

/// Time limit of one question. Source: `llm_chat_timeout_sec` of imported settings.
const LIMIT: Duration = Duration::from_secs(180);

/// Length limit of the text that is read, in characters. Source: docs/behaviour/tools.md#meals.
const MAX_TEXT_CHARS: usize = 1200;

/// Length limit of the follow-ups, in characters: three short sentences.
const MAX_FOLLOW_UP_CHARS: usize = 400;

/// A description with at least this grounded share comes from the user's text, although it equals an example.
const MIN_GROUNDED_SHARE: f64 = 0.5;

/// Tokens of an answer with a meal.
const MEAL_TOKENS: u32 = 600;

/// Tokens of an answer with follow-ups.
const FOLLOW_UP_TOKENS: u32 = 200;

/// Reads a meal from `text`, in at most two attempts. `None` when the text contains no meal.
///
/// # Errors
///
/// When the model fails in the second attempt.
pub async fn read_meal(
    model: &dyn ChatModel,
    text: &str,
    stop: &CancellationToken,
) -> Result<Option<Meal>, ReflectionError> {
    let text: String = text.chars().take(MAX_TEXT_CHARS).collect();
    let question = |sampling| ModelQuestion {
        sampling,
        examples: prompt::examples(),
        ..ModelQuestion::new(prompt::reading_task(), prompt::reading_material(&text), LIMIT, MEAL_TOKENS)
    };
    match ask(model, question(Sampling::Greedy), stop).await {
        Ok(reply) => match meal_in(&reply, &text) {
            Some(meal) => return Ok(Some(meal)),
            None => tracing::debug!("no meal in the answer; asking once more"),
        },
        Err(ReflectionError::Stopped) => return Err(ReflectionError::Stopped),
        Err(error) => tracing::warn!(%error, "a meal could not be read; asking once more"),
    }
    // With greedy sampling the same question would get the same answer.
    let reply = ask(model, question(Sampling::Configured), stop).await?;
    Ok(meal_in(&reply, &text))
}

/// The meal in an answer about `text`. A description in another language is replaced by the user's words.
fn meal_in(reply: &str, text: &str) -> Option<Meal> {
    let mut meal = parse_meal(reply).filter(|meal| !is_copied_example(meal, text))?;
    let languages = detect_language(&meal.description).zip(detect_language(text));
    if languages.is_some_and(|(described, said)| described != said) {
        meal.description = text.trim().to_owned();
    }
    Some(meal)
}

/// Returns `true` if a small model copied a meal from the prompt: its amounts are then wrong.
fn is_copied_example(meal: &Meal, text: &str) -> bool {
    let is_shown = prompt::examples().iter().any(|(_, answer)| answer.contains(&meal.description));
    is_shown && grounded_share(&meal.description, &[text]) < MIN_GROUNDED_SHARE
}

/// Two or three short remarks about a stored meal.
///
/// Falls open: empty when the model fails or has no remarks.
pub async fn follow_ups(model: &dyn ChatModel, meal: &Meal, stop: &CancellationToken) -> String {
    let question = ModelQuestion {
        sampling: Sampling::Configured,
        ..ModelQuestion::new(
            prompt::follow_ups_task(),
            prompt::follow_ups_material(meal),
            LIMIT,
            FOLLOW_UP_TOKENS,
        )
    };
    match ask(model, question, stop).await {
        Ok(reply) if !is_nothing(&reply) => truncated(reply.trim(), MAX_FOLLOW_UP_CHARS),
        Ok(_) => String::new(),
        Err(error) => {
            tracing::debug!(%error, "a meal was stored without follow-ups");
            String::new()
        }
    }
}

fn truncated(text: &str, max_chars: usize) -> String {
    if text.chars().count() <= max_chars {
        return text.to_owned();
    }
    let kept: String = text.chars().take(max_chars - 1).collect();
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use llm::LlmError;
    use rstest::rstest;
    use testkit::{ScriptedModel, Turn};

    use super::*;

    const ANSWER: &str = "```json\n{\"description\": \"porridge and tea\", \"calories_kcal\": \"310\"}\n```";

    async fn read_with(
        turns: impl IntoIterator<Item = Turn>,
    ) -> (Result<Option<Meal>, ReflectionError>, usize) {
        let model = ScriptedModel::new(turns);
        let meal = read_meal(&model, "porridge and tea", &CancellationToken::new()).await;
        (meal, model.asked().len())
    }

    #[rstest]
    #[case::at_once(vec![Turn::says(ANSWER)], 1)]
    #[case::after_nonsense(vec![Turn::says("banana"), Turn::says(ANSWER)], 2)]
    #[case::after_a_failure(vec![Turn::Refuses(LlmError::Busy), Turn::says(ANSWER)], 2)]
    #[tokio::test]
    async fn meal_is_read_in_at_most_two_attempts(#[case] turns: Vec<Turn>, #[case] calls: usize) {
        let (meal, asked) = read_with(turns).await;

        let expected =
            Meal { description: "porridge and tea".into(), calories_kcal: Some(310.0), ..Meal::default() };
        assert_eq!((meal.unwrap(), asked), (Some(expected), calls));
    }

    #[rstest]
    #[case::nonsense("banana")]
    #[case::none("NONE")]
    #[case::empty("")]
    #[case::cut_off("{\"description\": \"porr")]
    #[case::nulls("{\"description\": null, \"calories_kcal\": null}")]
    #[tokio::test]
    async fn unusable_answer_contains_no_meal(#[case] answer: &str) {
        let (meal, asked) = read_with([Turn::says(answer), Turn::says(answer)]).await;

        assert_eq!((meal.unwrap(), asked), (None, 2));
    }

    #[rstest]
    #[case::in_their_words("two eggs and toast", Some("two eggs and toast"))]
    #[case::in_other_words("2 eggs, toast", Some("2 eggs, toast"))]
    #[case::in_another_language("zwei Eier und Brot", Some("I had two eggs and toast"))]
    #[case::the_example("eine Schüssel Haferflocken mit Milch", None)]
    #[tokio::test]
    async fn meal_is_described_in_the_language_of_the_user(
        #[case] description: &str,
        #[case] expected: Option<&str>,
    ) {
        let answer = serde_json::json!({ "description": description, "calories_kcal": 300 }).to_string();
        let model = ScriptedModel::new([Turn::says(&answer), Turn::says(&answer)]);

        let meal = read_meal(&model, "I had two eggs and toast", &CancellationToken::new()).await.unwrap();

        assert_eq!(meal.map(|meal| meal.description).as_deref(), expected);
    }

    #[rstest]
    #[case::said(vec![Turn::says(" How was it? ")], "How was it?")]
    #[case::none(vec![Turn::says("None.")], "")]
    #[case::failed(vec![Turn::Refuses(LlmError::Busy)], "")]
    #[tokio::test]
    async fn missing_follow_ups_are_empty_and_no_error(#[case] turns: Vec<Turn>, #[case] expected: &str) {
        let model = ScriptedModel::new(turns);

        assert_eq!(follow_ups(&model, &Meal::default(), &CancellationToken::new()).await, expected);
    }

    #[test]
    fn long_follow_ups_are_truncated() {
        assert_eq!(truncated("tea and cake", 5), "tea…");
    }
}
