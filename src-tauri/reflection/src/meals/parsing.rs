//! Reads the meal in an answer.

use memory::Meal;
use serde_json::{Map, Value};

use crate::answers::{number, strip_code_fence};

/// Reads a meal: a JSON object, with or without a code fence. `None` when the answer is anything else or has no description.
///
/// Numbers may be given as text. Other values and negative numbers count as unknown.
pub(super) fn parse_meal(reply: &str) -> Option<Meal> {
    let object: Map<String, Value> = serde_json::from_str(strip_code_fence(reply)).ok()?;
    let amount = |key: &str| object.get(key).and_then(number).filter(|amount| *amount >= 0.0);
    let description = object.get("description")?.as_str()?.trim();
    if description.is_empty() {
        return None;
    }
    Some(Meal {
        description: description.to_owned(),
        calories_kcal: amount("calories_kcal"),
        protein_g: amount("protein_g"),
        carbs_g: amount("carbs_g"),
        fat_g: amount("fat_g"),
        fiber_g: amount("fiber_g"),
        sugar_g: amount("sugar_g"),
        sodium_mg: amount("sodium_mg"),
        potassium_mg: amount("potassium_mg"),
        micros: object.get("micros").and_then(Value::as_object).cloned(),
        confidence: amount("confidence").filter(|confidence| *confidence <= 1.0),
        ..Meal::default()
    })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[test]
    fn numbers_are_read_from_text_and_invalid_values_ignored() {
        let reply = r#"{"description": " tea ", "calories_kcal": " 2.5 ", "protein_g": 0, "carbs_g": "a little",
            "fat_g": null, "fiber_g": true, "sugar_g": -1, "sodium_mg": "inf", "micros": {"iron_mg": 1}, "confidence": 0.9}"#;

        let expected = Meal {
            description: "tea".into(),
            calories_kcal: Some(2.5),
            protein_g: Some(0.0),
            micros: serde_json::json!({"iron_mg": 1}).as_object().cloned(),
            confidence: Some(0.9),
            ..Meal::default()
        };
        assert_eq!(parse_meal(reply), Some(expected));
    }

    #[rstest]
    #[case::none("NONE")]
    #[case::a_list("[1]")]
    #[case::without_a_description("{\"calories_kcal\": 2}")]
    #[case::blank_description("{\"description\": \" \"}")]
    #[case::description_of_another_type("{\"description\": [\"tea\"]}")]
    #[case::cut_off("{\"description\": \"tea\"")]
    fn answer_without_a_meal_is_none(#[case] reply: &str) {
        assert_eq!(parse_meal(reply), None);
    }
}
