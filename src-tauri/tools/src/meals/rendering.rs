//! Meals as the user reads them: rounded, without unknown amounts.

use memory::Meal;
use serde::Serialize;
use vocabulary::Private;

/// The rounded amounts of a meal. Unknown amounts are left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct RoundedMeal {
    /// Energy in kilocalories.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kcal: Option<i64>,
    /// Protein in grams.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protein_g: Option<i64>,
    /// Carbohydrates in grams.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub carbs_g: Option<i64>,
    /// Fat in grams.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fat_g: Option<i64>,
    /// Fibre in grams.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fiber_g: Option<i64>,
    /// Confidence of the model, in per cent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence_pct: Option<i64>,
}

/// Rounds the amounts of a meal.
pub fn round_meal(meal: &Meal) -> RoundedMeal {
    RoundedMeal {
        kcal: meal.calories_kcal.map(rounded),
        protein_g: meal.protein_g.map(rounded),
        carbs_g: meal.carbs_g.map(rounded),
        fat_g: meal.fat_g.map(rounded),
        fiber_g: meal.fiber_g.map(rounded),
        confidence_pct: meal.confidence.map(|share| rounded(share * 100.0)),
    }
}

/// The confirmation for a meal stored under `id`. Empty `follow_ups` are left out.
///
/// Source: docs/behaviour/tools.md#meals.
pub fn confirmation(id: i64, meal: &Meal, follow_ups: &str) -> String {
    let mut text = format!("Logged meal #{id}: {}", meal.description);
    let amounts = amounts(meal);
    if !amounts.is_empty() {
        text += &format!(" — {amounts}");
    }
    if let Some(confidence) = round_meal(meal).confidence_pct {
        text += &format!(" (confidence {confidence}%)");
    }
    text += ".";
    if !follow_ups.is_empty() {
        text += &format!("\n{follow_ups}");
    }
    text
}

/// The known amounts of a meal in one line; empty when none is known.
pub fn amounts(meal: &Meal) -> String {
    let amounts = round_meal(meal);
    let parts = [
        amounts.kcal.map(|amount| format!("~{amount} kcal")),
        amounts.protein_g.map(|amount| format!("{amount}g protein")),
        amounts.carbs_g.map(|amount| format!("{amount}g carbs")),
        amounts.fat_g.map(|amount| format!("{amount}g fat")),
        amounts.fiber_g.map(|amount| format!("{amount}g fiber")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Several meals with their totals.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MealSummary {
    /// The sum of all meals.
    pub totals: Totals,
    /// Description and amounts of each meal.
    pub meals: Vec<(Private<String>, Totals)>,
}

/// Rounded amounts. An unknown amount counts as zero.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Energy in kilocalories.
    pub kcal: i64,
    /// Protein in grams.
    pub protein_g: i64,
    /// Carbohydrates in grams.
    pub carbs_g: i64,
    /// Fat in grams.
    pub fat_g: i64,
}

/// Adds meals up. The sum is rounded, not its parts: ten biscuits of half a gram are five grams.
pub fn summarise_meals(meals: &[Meal]) -> MealSummary {
    let sum = |amount: fn(&Meal) -> Option<f64>| meals.iter().filter_map(amount).sum::<f64>();
    let totals = Totals {
        kcal: rounded(sum(|meal| meal.calories_kcal)),
        protein_g: rounded(sum(|meal| meal.protein_g)),
        carbs_g: rounded(sum(|meal| meal.carbs_g)),
        fat_g: rounded(sum(|meal| meal.fat_g)),
    };
    let amount = |amount: Option<f64>| rounded(amount.unwrap_or_default());
    let each = meals.iter().map(|meal| {
        let amounts = Totals {
            kcal: amount(meal.calories_kcal),
            protein_g: amount(meal.protein_g),
            carbs_g: amount(meal.carbs_g),
            fat_g: amount(meal.fat_g),
        };
        (Private(meal.description.clone()), amounts)
    });
    MealSummary { totals, meals: each.collect() }
}

/// Rounds half to even, so that many halves do not accumulate.
fn rounded(amount: f64) -> i64 {
    amount.round_ties_even() as i64
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn meal() -> Meal {
        Meal { description: "porridge and tea".into(), ..Meal::default() }
    }

    #[rstest]
    #[case::nothing_known(meal(), "", "Logged meal #7: porridge and tea.")]
    #[case::all_known(
        Meal {
            calories_kcal: Some(310.4),
            protein_g: Some(10.5),
            carbs_g: Some(55.0),
            fat_g: Some(5.5),
            fiber_g: Some(0.0),
            confidence: Some(0.825),
            ..meal()
        },
        "Milk or water?",
        "Logged meal #7: porridge and tea — ~310 kcal, 10g protein, 55g carbs, 6g fat, 0g fiber (confidence 82%).\n\
         Milk or water?"
    )]
    fn confirmation_lists_the_known_amounts(
        #[case] meal: Meal,
        #[case] follow_ups: &str,
        #[case] expected: &str,
    ) {
        assert_eq!(confirmation(7, &meal, follow_ups), expected);
    }

    #[test]
    fn totals_are_rounded_after_adding_up() {
        let biscuit = Meal {
            description: "biscuit".into(),
            calories_kcal: Some(0.5),
            fat_g: Some(1.5),
            ..Meal::default()
        };

        let shown = summarise_meals(&[biscuit.clone(), biscuit]);

        assert_eq!(shown.totals, Totals { kcal: 1, fat_g: 3, ..Totals::default() });
        assert_eq!(shown.meals[0], (Private("biscuit".to_owned()), Totals { fat_g: 2, ..Totals::default() }));
    }
}
