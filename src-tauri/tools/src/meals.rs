//! Meals: the port that reads them from what somebody says, and their amounts as they are told.
//!
//! Source: docs/behaviour/tools.md#meals.

mod rendering;

use std::error::Error;

use async_trait::async_trait;
use memory::Meal;
use tokio_util::sync::CancellationToken;

pub use rendering::{MealSummary, RoundedMeal, Totals, amounts, confirmation, round_meal, summarise_meals};

/// Reads meals with a language model.
#[async_trait]
pub trait MealReader: Send + Sync {
    /// The meal in a text; `None` when nothing in it was eaten or drunk.
    ///
    /// # Errors
    ///
    /// The model failed.
    async fn read(
        &self,
        text: &str,
        stop: &CancellationToken,
    ) -> Result<Option<Meal>, Box<dyn Error + Send + Sync>>;

    /// Two or three short remarks about a stored meal; empty when there are none.
    async fn follow_ups(&self, meal: &Meal, stop: &CancellationToken) -> String;
}

/// The text that a meal is read from: the argument of the tool call, else the user's redacted words. `None` when both are
/// blank.
pub fn meal_text<'t>(meal: Option<&'t str>, said: &'t str) -> Option<&'t str> {
    let texts = [meal.unwrap_or_default(), said].map(str::trim);
    texts.into_iter().find(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::argument(Some(" tea "), "I had cake", Some("tea"))]
    #[case::blank_argument(Some(" "), "I had cake", Some("I had cake"))]
    #[case::nothing(None, " ", None)]
    fn argument_is_preferred_to_the_users_words(
        #[case] meal: Option<&str>,
        #[case] said: &str,
        #[case] expected: Option<&str>,
    ) {
        assert_eq!(meal_text(meal, said), expected);
    }
}
