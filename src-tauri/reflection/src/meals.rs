//! Reads what was eaten, and says what was logged.
//!
//! The caller inserts the meal between [`read_meal`] and [`follow_ups`], for what is not stored must not be confirmed.
//!
//! Source: behaviour reference, section 4.7.

mod prompt;
mod parsing;
mod rendering;

use std::time::Duration;

use llm::{CancellationToken, ChatModel};
use memory::Meal;

pub use parsing::parse_meal;
pub use rendering::{MealShown, MealsShown, Totals, logged, shown, summarise_meals};

use crate::ReflectionError;
use crate::asking::{Question, Randomness, ask};
use crate::grounding::grounded_share;
use crate::language::language_perhaps;
use crate::reading::is_nothing;

/// How long one call may take. Source: behaviour reference, `llm_chat_timeout_sec`.
const LIMIT: Duration = Duration::from_secs(180);

/// The longest text that is read, in characters. Source: behaviour reference, section 4.7.
const LONGEST_TEXT: usize = 1200;

/// The longest follow-ups that are said, in characters: three short sentences. A model that says more rambles.
const LONGEST_FOLLOW_UPS: usize = 400;

/// So much of a description stands in what was said when it is more than a copy of an example.
const DESCRIBED: f64 = 0.5;

/// The text a meal is read from: what the model passed to the tool, else what the user said, redacted. `None` when
/// both are blank.
pub fn meal_text<'t>(meal: Option<&'t str>, said: &'t str) -> Option<&'t str> {
    let texts = [meal.unwrap_or_default(), said].map(str::trim);
    texts.into_iter().find(|text| !text.is_empty())
}

/// Reads a meal out of `text`, at the second attempt where the first comes to nothing. `None` when no meal is in it.
///
/// # Errors
///
/// Why the model could not be asked the second time.
pub async fn read_meal(
    model: &dyn ChatModel,
    text: &str,
    stop: &CancellationToken,
) -> Result<Option<Meal>, ReflectionError> {
    let text: String = text.chars().take(LONGEST_TEXT).collect();
    let question = |randomness| Question {
        task: prompt::reading_task(),
        material: prompt::reading_material(&text),
        limit: LIMIT,
        max_tokens: 600,
        randomness,
        examples: prompt::examples(),
        format: None,
    };
    match ask(model, question(Randomness::None), stop).await {
        Ok(reply) => match meal_in(&reply, &text) {
            Some(meal) => return Ok(Some(meal)),
            None => tracing::debug!("no meal in the answer; asking once more"),
        },
        Err(ReflectionError::Stopped) => return Err(ReflectionError::Stopped),
        Err(error) => tracing::warn!(%error, "a meal could not be read; asking once more"),
    }
    // The same question with the same luck has the same answer.
    let reply = ask(model, question(Randomness::AsSet), stop).await?;
    Ok(meal_in(&reply, &text))
}

/// The meal in an answer about `text`. A description in another language gives way to the user's own words.
fn meal_in(reply: &str, text: &str) -> Option<Meal> {
    let mut meal = parse_meal(reply).filter(|meal| !is_of_the_examples(meal, text))?;
    let languages = language_perhaps(&meal.description).zip(language_perhaps(text));
    if languages.is_some_and(|(described, said)| described != said) {
        meal.description = text.trim().to_owned();
    }
    Some(meal)
}

/// A small model copies a meal that it was shown; its amounts are then of nothing that was eaten.
fn is_of_the_examples(meal: &Meal, text: &str) -> bool {
    let is_shown = prompt::examples().iter().any(|(_, answer)| answer.contains(&meal.description));
    is_shown && grounded_share(&meal.description, &[text]) < DESCRIBED
}

/// Two or three short follow-ups to a meal that was logged; empty when the model has none or fails, for the meal is
/// logged all the same.
pub async fn follow_ups(model: &dyn ChatModel, meal: &Meal, stop: &CancellationToken) -> String {
    let question = Question {
        task: prompt::follow_ups_task(),
        material: prompt::follow_ups_material(meal),
        limit: LIMIT,
        max_tokens: 200,
        randomness: Randomness::AsSet,
        examples: Vec::new(),
        format: None,
    };
    match ask(model, question, stop).await {
        Ok(reply) if !is_nothing(&reply) => cut(reply.trim(), LONGEST_FOLLOW_UPS),
        Ok(_) => String::new(),
        Err(error) => {
            tracing::debug!(%error, "a meal was logged without follow-ups");
            String::new()
        }
    }
}

fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most - 1).collect();
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
    async fn a_meal_is_read_in_two_attempts(#[case] turns: Vec<Turn>, #[case] calls: usize) {
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
    async fn nonsense_is_no_meal(#[case] answer: &str) {
        let (meal, asked) = read_with([Turn::says(answer), Turn::says(answer)]).await;

        assert_eq!((meal.unwrap(), asked), (None, 2));
    }

    #[rstest]
    #[case::in_their_words("two eggs and toast", Some("two eggs and toast"))]
    #[case::in_other_words("2 eggs, toast", Some("2 eggs, toast"))]
    #[case::in_another_language("zwei Eier und Brot", Some("I had two eggs and toast"))]
    #[case::the_example("eine Schüssel Haferflocken mit Milch", None)]
    #[tokio::test]
    async fn a_meal_is_described_as_it_was_told(#[case] description: &str, #[case] expected: Option<&str>) {
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
    async fn follow_ups_never_stand_in_the_way(#[case] turns: Vec<Turn>, #[case] expected: &str) {
        let model = ScriptedModel::new(turns);

        assert_eq!(follow_ups(&model, &Meal::default(), &CancellationToken::new()).await, expected);
    }

    #[rstest]
    #[case::argument(Some(" tea "), "I had cake", Some("tea"))]
    #[case::blank_argument(Some(" "), "I had cake", Some("I had cake"))]
    #[case::nothing(None, " ", None)]
    fn reads_the_argument_before_what_was_said(
        #[case] meal: Option<&str>,
        #[case] said: &str,
        #[case] expected: Option<&str>,
    ) {
        assert_eq!(meal_text(meal, said), expected);
    }

    #[test]
    fn a_model_that_rambles_is_cut_short() {
        assert_eq!(cut("tea and cake", 5), "tea…");
    }
}
