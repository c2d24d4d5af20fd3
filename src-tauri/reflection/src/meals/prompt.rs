//! The prompts about meals. The words are ours.

use memory::Meal;
use serde_json::json;

use crate::fencing::{FENCE_RULE, fenced};

pub(super) fn reading_task() -> String {
    format!("{READING}\n\n{FENCE_RULE}")
}

const READING: &str = "\
You read from what somebody says what they ate or drank, and estimate what was in it. Answer with one JSON object and \
nothing else:
{\"description\": \"…\", \"calories_kcal\": …, \"protein_g\": …, \"carbs_g\": …, \"fat_g\": …, \"fiber_g\": …, \"sugar_g\": …, \
\"sodium_mg\": …, \"potassium_mg\": …, \"micros\": {}, \"confidence\": …}

description names every single thing that was eaten or drunk, with amounts as far as they were said, in the language of \
the text. All numbers are for everything together, without units; take usual portions where no amount was said. Use \
null for what you cannot estimate. micros holds vitamins and minerals worth naming, with the unit in the name. \
confidence is 0 to 1: how sure you are of the numbers.

Answer NONE when nothing was eaten or drunk: a plan, a recipe or a question is no meal.";

/// Two meals, and a remark without a meal. The amounts are rounded values from common tables.
pub(super) fn examples() -> Vec<(String, String)> {
    let pairs = [
        ("for lunch I had a bowl of tomato soup, two slices of rye bread and an orange juice", MEAL),
        ("heute früh eine Schüssel Haferflocken mit Milch", GERMAN_MEAL),
        ("is there any rice left? I want to make curry tomorrow", "NONE"),
    ];
    pairs.map(|(text, answer)| (reading_material(text), answer.to_owned())).into()
}

const MEAL: &str = "\
{\"description\": \"a bowl of tomato soup, two slices of rye bread, an orange juice\", \"calories_kcal\": 430, \
\"protein_g\": 12, \"carbs_g\": 82, \"fat_g\": 6, \"fiber_g\": 8, \"sugar_g\": 34, \"sodium_mg\": 1150, \"potassium_mg\": 950, \
\"micros\": {\"vitamin_c_mg\": 90}, \"confidence\": 0.6}";

const GERMAN_MEAL: &str = "\
{\"description\": \"eine Schüssel Haferflocken mit Milch\", \"calories_kcal\": 320, \"protein_g\": 14, \"carbs_g\": 46, \
\"fat_g\": 9, \"fiber_g\": 6, \"sugar_g\": 11, \"sodium_mg\": 90, \"potassium_mg\": 520, \"micros\": {\"calcium_mg\": 270}, \
\"confidence\": 0.6}";

pub(super) fn reading_material(text: &str) -> String {
    format!(
        "{}\n\nWhat of this was eaten or drunk, in the language of the text? NONE if it is only asked about or planned.",
        fenced("USER TEXT", text)
    )
}

pub(super) fn follow_ups_task() -> String {
    format!("{FOLLOW_UPS}\n\n{FENCE_RULE}")
}

const FOLLOW_UPS: &str = "\
Somebody has just logged a meal by voice. Say two or three short things about it that are of use: what it was rich in or \
short of, what would go well with it later today, or one thing to ask where an amount matters. Plain sentences that can \
be read aloud, in the language of the meal's description, forty words at most. No lists, no praise, no medical advice, \
no numbers that are not given.";

pub(super) fn follow_ups_material(meal: &Meal) -> String {
    let meal = json!({
        "description": meal.description,
        "calories_kcal": meal.calories_kcal,
        "protein_g": meal.protein_g,
        "carbs_g": meal.carbs_g,
        "fat_g": meal.fat_g,
        "fiber_g": meal.fiber_g,
        "sugar_g": meal.sugar_g,
        "sodium_mg": meal.sodium_mg,
        "potassium_mg": meal.potassium_mg,
        "micros": meal.micros,
        "confidence": meal.confidence,
    });
    fenced("MEAL", &meal.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_for_meals_match_their_snapshot() {
        let meal = Meal { calories_kcal: Some(310.0), ..Meal::default() };
        let examples =
            examples().into_iter().map(|(material, answer)| format!("{material}\n=====\n{answer}"));
        let mut parts = vec![reading_task()];
        parts.extend(examples);
        parts.extend([reading_material("I had porridge"), follow_ups_task(), follow_ups_material(&meal)]);

        insta::assert_snapshot!(parts.join("\n=====\n"));
    }
}
