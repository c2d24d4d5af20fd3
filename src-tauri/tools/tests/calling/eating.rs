//! Logging, listing and deleting meals.

use std::collections::VecDeque;
use std::error::Error;
use std::sync::Arc;

use async_trait::async_trait;
use llm::CancellationToken;
use memory::{ItemId, Meal, RecordKind};
use parking_lot::Mutex;
use rstest::rstest;
use serde_json::{Value, json};
use tools::meals::MealReader;
use vocabulary::Origin;

use crate::fixture::{Fixture, micros};

/// A reader with one answer for each text that it is asked to read.
#[derive(Default)]
struct ScriptedReader {
    answers: Mutex<VecDeque<Reading>>,
    read: Mutex<Vec<String>>,
}

enum Reading {
    Meal(Box<Meal>),
    Nothing,
    Fails,
    Hangs,
}

#[async_trait]
impl MealReader for ScriptedReader {
    async fn read(
        &self,
        text: &str,
        _: &CancellationToken,
    ) -> Result<Option<Meal>, Box<dyn Error + Send + Sync>> {
        self.read.lock().push(text.to_owned());
        let answer = self.answers.lock().pop_front();
        match answer.unwrap_or(Reading::Nothing) {
            Reading::Meal(meal) => Ok(Some(*meal)),
            Reading::Nothing => Ok(None),
            Reading::Fails => Err("the server is busy".into()),
            Reading::Hangs => std::future::pending().await,
        }
    }

    async fn follow_ups(&self, meal: &Meal, _: &CancellationToken) -> String {
        match meal.description.as_str() {
            "a feast" => std::future::pending().await,
            _ => "Milk or water?".to_owned(),
        }
    }
}

fn porridge() -> Meal {
    Meal {
        description: "porridge".into(),
        calories_kcal: Some(310.0),
        protein_g: Some(10.0),
        ..Meal::default()
    }
}

fn fixture(answers: impl IntoIterator<Item = Reading>) -> (Fixture, Arc<ScriptedReader>) {
    let answers = Mutex::new(answers.into_iter().collect());
    let reader = Arc::new(ScriptedReader { answers, ..ScriptedReader::default() });
    let meal_reader = Arc::clone(&reader) as Arc<dyn MealReader>;
    let fixture = Fixture::with(|mut parts| {
        parts.meal_reader = Some(meal_reader);
        parts
    });
    (fixture, reader)
}

#[tokio::test]
async fn meal_is_read_stored_and_confirmed() {
    let (mut fixture, reader) = fixture([Reading::Meal(porridge().into())]);
    fixture.context.origin = Origin::Voice;

    let result = fixture.call("logMeal", json!({"meal": " porridge with milk "})).await;

    assert_eq!(*result.text.unwrap(), "Logged meal #1: porridge — ~310 kcal, 10g protein.\nMilk or water?");
    assert_eq!(result.touched, [ItemId::new(RecordKind::Meal, 1)]);
    assert_eq!(*reader.read.lock(), ["porridge with milk"]);
    let now = fixture.context.now.as_microsecond();
    let stored = fixture.memory.meals(now..now + 1, 9).await.unwrap();
    let expected = Meal { id: 1, eaten_at: now, entered_at: now, source: "voice".into(), ..porridge() };
    assert_eq!(stored, [expected]);
}

#[tokio::test]
async fn meal_without_an_argument_is_read_from_the_users_words() {
    let (fixture, reader) = fixture([Reading::Meal(porridge().into())]);

    fixture.asked("I had porridge").call("logMeal", json!({})).await;

    assert_eq!(*reader.read.lock(), ["I had porridge"]);
}

#[rstest]
#[case::no_meal(
    Reading::Nothing,
    "failed: No meal was found in these words, so nothing was logged. Ask what was eaten or drunk."
)]
#[case::failing_model(Reading::Fails, "failed: The meal was not logged: the server is busy.")]
#[case::slow_model(
    Reading::Hangs,
    "failed: The meal was not logged: the language model did not read it within 90 seconds."
)]
#[tokio::test(start_paused = true)]
async fn meal_that_cannot_be_read_is_not_stored(#[case] reading: Reading, #[case] expected: &str) {
    let (fixture, _) = fixture([reading]);

    let told = fixture.told("logMeal", json!({"meal": "porridge"})).await;

    assert_eq!(told, expected);
    assert!(fixture.memory.meals(0..i64::MAX, 9).await.unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn stored_meal_is_confirmed_although_its_remarks_take_too_long() {
    let feast = Meal { description: "a feast".into(), ..Meal::default() };
    let (fixture, _) = fixture([Reading::Meal(feast.into())]);

    let told = fixture.told("logMeal", json!({"meal": "a feast"})).await;

    assert_eq!(told, "Logged meal #1: a feast.");
}

#[tokio::test]
async fn meal_without_a_language_model_is_refused_with_a_remedy() {
    let told = Fixture::new().told("logMeal", json!({"meal": "tea"})).await;

    assert!(told.starts_with("failed: Meals are read by a language model, and there is none."), "{told}");
}

/// Meals of yesterday noon, this morning and this moment.
async fn with_meals() -> Fixture {
    let (fixture, _) = fixture([]);
    for (at, description) in [
        ("2026-11-22T12:00:00Z", "soup"),
        ("2026-11-23T08:00:00Z", "porridge"),
        ("2026-11-23T15:05:00Z", "tea"),
    ] {
        let meal = Meal { eaten_at: micros(at), description: description.into(), ..porridge() };
        fixture.memory.log_meal(meal).await.unwrap();
    }
    fixture
}

#[rstest]
#[case::last_day(json!({}), "porridge tea")]
#[case::yesterday(json!({"since_utc": "yesterday"}), "soup")]
#[case::today(json!({"since_utc": "today"}), "porridge tea")]
#[case::since_a_moment(json!({"since_utc": "2026-11-22T00:00:00Z"}), "soup porridge tea")]
#[case::day_before_a_moment(json!({"until_utc": "2026-11-23T08:00:00Z"}), "soup")]
#[case::between_moments(json!({"since_utc": "2026-11-22T11:00:00Z", "until_utc": "2026-11-23T09:00:00Z"}), "soup porridge")]
#[case::nothing_eaten(json!({"since_utc": "2026-11-20", "until_utc": "2026-11-21"}), "No meals are logged from 2026-11-20 00:00 to 2026-11-22 00:00.")]
#[case::backwards(json!({"since_utc": "today", "until_utc": "2026-11-20"}), "failed: That time has no length or lies ahead. Ask for a time that is over.")]
#[tokio::test]
async fn meals_of_the_asked_time_are_told(#[case] arguments: Value, #[case] expected: &str) {
    let fixture = with_meals().await;

    let told = fixture.told("fetchMeals", arguments).await;

    let names: Vec<&str> =
        ["soup", "porridge", "tea"].into_iter().filter(|name| told.contains(&format!(": {name} "))).collect();
    assert_eq!(if names.is_empty() { told.clone() } else { names.join(" ") }, expected, "{told}");
}

#[tokio::test]
async fn meals_are_told_with_numbers_and_totals_and_deleted_by_number() {
    let fixture = with_meals().await;
    let before = fixture.call("fetchMeals", json!({})).await;

    let deleted = fixture.call("deleteMeal", json!({"id": 2})).await;
    let unknown = fixture.told("deleteMeal", json!({"id": 2})).await;
    let after = fixture.told("fetchMeals", json!({})).await;

    insta::assert_snapshot!([before.text.unwrap().0, deleted.text.unwrap().0, unknown, after].join("\n\n"), @r"
    2 meals from 2026-11-22 15:05 to 2026-11-23 15:05. Together: 620 kcal, 20g protein, 0g carbs, 0g fat.
    #2, 2026-11-23 08:00: porridge — ~310 kcal, 10g protein
    #3, 2026-11-23 15:05: tea — ~310 kcal, 10g protein

    Meal #2 is deleted.

    failed: There is no meal #2, so nothing was deleted. Look its number up with fetchMeals.

    1 meals from 2026-11-22 15:05 to 2026-11-23 15:05. Together: 310 kcal, 10g protein, 0g carbs, 0g fat.
    #3, 2026-11-23 15:05: tea — ~310 kcal, 10g protein
    ");
    assert_eq!(before.touched, [2, 3].map(|row| ItemId::new(RecordKind::Meal, row)));
    assert_eq!(deleted.touched, [ItemId::new(RecordKind::Meal, 2)]);
}
