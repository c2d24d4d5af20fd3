//! What the model is told about meals. The words are ours.

use super::Meal;
use crate::fencing::{FENCE_RULE, fenced};

pub(super) fn reading_task() -> String {
    format!("{READING}\n\n{FENCE_RULE}")
}

const READING: &str = "\
You read from what somebody says what they ate or drank, and estimate what was in it. Answer with one JSON object and \
nothing else:
{\"description\": \"…\", \"calories_kcal\": 0, \"protein_g\": 0, \"carbs_g\": 0, \"fat_g\": 0, \"fiber_g\": 0, \"sugar_g\": 0, \
\"sodium_mg\": 0, \"potassium_mg\": 0, \"micros\": {}, \"confidence\": 0.0}

description names every single thing that was eaten or drunk, with amounts as far as they were said, in the language of \
the text. All numbers are for everything together, without units; take usual portions where no amount was said. Use \
null for what you cannot estimate. micros holds vitamins and minerals worth naming, with the unit in the name. \
confidence is 0 to 1: how sure you are of the numbers.

Answer NONE when nothing was eaten or drunk: a plan, a recipe or a question is no meal.";

pub(super) fn reading_material(text: &str) -> String {
    fenced("USER TEXT", text)
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
    let meal = serde_json::to_string(meal).expect("a meal holds nothing that JSON cannot");
    fenced("MEAL", &meal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prompts_for_meals_read_so() {
        let meal = Meal { calories_kcal: Some(310.0), ..Meal::default() };
        let parts = [
            reading_task(),
            reading_material("I had porridge"),
            follow_ups_task(),
            follow_ups_material(&meal),
        ];

        insta::assert_snapshot!(parts.join("\n=====\n"));
    }
}
