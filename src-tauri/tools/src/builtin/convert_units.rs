//! Conversion between units of measure.

use async_trait::async_trait;
use languages::MEASURES;
use languages::messages::Messages;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::arithmetic::{Figure, evaluate_trusted};
use super::declaration::{declaration, read, words};
use super::wording::{id, quantity, told, unit_name, wording};
use crate::{Declaration, Effect, Tool, ToolContext, ToolResult};

/// Ids of ingredients, and how much a millilitre weighs in grams. Source: usual kitchen tables; flour and powders loosely
/// filled.
const DENSITIES: [(&str, &str); 10] = [
    ("water", "1"),
    ("milk", "1.03"),
    ("flour", "0.53"),
    ("sugar", "0.85"),
    ("butter", "0.96"),
    ("rice", "0.85"),
    ("oil", "0.92"),
    ("honey", "1.42"),
    ("salt", "1.22"),
    ("oats", "0.38"),
];

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// How much of it.
    #[serde(default = "one")]
    amount: f64,
    /// The unit it is in, such as cup, mile, celsius, square_metre, kilometre_per_hour.
    from: String,
    /// The unit to convert it to.
    to: String,
    /// What it is, where a volume becomes a mass or the other way round: water, milk, flour, sugar, butter, rice, oil, honey, salt or oats.
    ingredient: Option<String>,
}

fn one() -> f64 {
    1.0
}

pub(super) struct ConvertUnits(Declaration);

impl ConvertUnits {
    pub fn new() -> Self {
        Self(declaration::<Arguments>(
            "convertUnits",
            Effect::ReadOnly,
            "Converts length, mass, volume, temperature, speed, area, time and data, also cups and spoons.",
            "unit measure kilometres miles pounds grams cups litres fahrenheit celsius inches feet recipe",
            &[
                ("convert 5 miles to km", json!({"amount": 5, "from": "mile", "to": "kilometre"})),
                (
                    "how many grams are two cups of flour?",
                    json!({"amount": 2, "from": "cup", "to": "gram", "ingredient": "flour"}),
                ),
                ("what is 100 °F in Celsius?", json!({"amount": 100, "from": "fahrenheit", "to": "celsius"})),
            ],
        ))
    }
}

#[async_trait]
impl Tool for ConvertUnits {
    fn declaration(&self) -> &Declaration {
        &self.0
    }

    async fn run(&self, arguments: Map<String, Value>, context: &ToolContext) -> ToolResult {
        match read(arguments).and_then(|arguments| convert(arguments, context)) {
            Ok(result) | Err(result) => result,
        }
    }
}

fn convert(arguments: Arguments, context: &ToolContext) -> Result<ToolResult, ToolResult> {
    let Arguments { amount, from, to, ingredient } = arguments;
    let (from, to) = (Unit::named(&from, context)?, Unit::named(&to, context)?);
    if from.measures == "temperature" && is_below_absolute_zero(amount, from.id) {
        let failure = ToolResult::failed("Nothing is colder than absolute zero, -273.15 degrees Celsius.");
        return Err(told(failure, context, id::UNITS_TOO_COLD, |it| it.units_too_cold().to_owned()));
    }
    // Display writes the shortest decimal digits of a number, and no exponent.
    let amount = amount.to_string();
    let english = Messages::english();
    let figure = match (from.measures, to.measures) {
        (from_what, to_what) if from_what == to_what => converted(&amount, from, to, "1")?,
        ("volume", "mass") | ("mass", "volume") => {
            return weighed(&amount, (from, to), words(ingredient).as_deref(), context);
        }
        (from_what, to_what) => {
            let failure = ToolResult::failed(format!(
                "{} measures {from_what} and {} measures {to_what}: they cannot be converted.",
                from.name(),
                to.name()
            ));
            return Err(told(failure, context, id::UNITS_DIFFER, |wording| {
                wording.units_differ(unit_name(wording, from.id), unit_name(wording, to.id))
            }));
        }
    };
    let rounded = rounded(&figure);
    let is_about = if rounded.is_rounded { "about " } else { "" };
    let text = format!(
        "{} = {is_about}{} (exactly converted: {})",
        quantity(english, &amount, from.id),
        quantity(english, &rounded.digits, to.id),
        figure.digits
    );
    let result = ToolResult::done(text);
    Ok(match wording(context, id::CALCULATION_EXACT) {
        None => result,
        Some(wording) => {
            let from = quantity(wording, &amount, from.id);
            let to = quantity(wording, &rounded.digits, to.id);
            result.answering(match rounded.is_rounded {
                true => wording.calculation_about(&from, &to),
                false => wording.calculation_exact(&from, &to),
            })
        }
    })
}

/// A volume as a mass or the other way round: of one ingredient, or of all that we know.
fn weighed(
    amount: &str,
    (from, to): (Unit, Unit),
    ingredient: Option<&str>,
    context: &ToolContext,
) -> Result<ToolResult, ToolResult> {
    let of = |(name, density): &(&str, &str)| -> Result<String, ToolResult> {
        let factor =
            if from.measures == "volume" { format!("{density} g/ml") } else { format!("(1/{density}) ml/g") };
        let figure = converted(amount, from, to, &factor)?;
        let figure = rounded(&Figure { is_rounded: true, ..figure });
        let english = Messages::english();
        Ok(format!(
            "{} of {name} = about {}",
            quantity(english, amount, from.id),
            quantity(english, &figure.digits, to.id)
        ))
    };
    let known: Vec<&str> = DENSITIES.iter().map(|(name, _)| *name).collect();
    match ingredient {
        Some(ingredient) => {
            let id = languages::ingredient(ingredient, context.language.as_ref());
            let density = DENSITIES.iter().find(|(known, _)| Some(*known) == id).ok_or_else(|| {
                ToolResult::failed(format!(
                    "The weight of {ingredient} is not known here, only of {}.",
                    known.join(", ")
                ))
            })?;
            Ok(ToolResult::done(of(density)?))
        }
        None => {
            let lines = DENSITIES.iter().map(of).collect::<Result<Vec<_>, _>>()?;
            Ok(ToolResult::done(format!("It depends on the ingredient. {}", lines.join("; "))))
        }
    }
}

fn converted(amount: &str, from: Unit, to: Unit, factor: &str) -> Result<Figure, ToolResult> {
    let expression = format!("({amount} {}) * ({factor}) to {}", from.symbol, to.symbol);
    let plain = format!("{amount} {} to {}", from.symbol, to.symbol);
    let expression = if factor == "1" { plain } else { expression };
    evaluate_trusted(&expression).map_err(|error| ToolResult::failed(format!("No result: {error}.")))
}

/// Four decimals are enough for a person, more where the number is small.
fn rounded(figure: &Figure) -> Figure {
    let (whole, decimals) = figure.digits.split_once('.').unwrap_or((&figure.digits, ""));
    let is_small = whole.trim_start_matches('-') == "0";
    let leading_zeros = decimals.bytes().take_while(|byte| *byte == b'0').count();
    let kept = if is_small {
        leading_zeros + 4
    } else if figure.is_rounded {
        2
    } else {
        5
    };
    if decimals.len() <= kept {
        return figure.clone();
    }
    let digits =
        figure.digits.parse::<f64>().map_or(figure.digits.clone(), |value| format!("{value:.kept$}"));
    let digits = digits.trim_end_matches('0').trim_end_matches('.').to_owned();
    Figure { digits, is_rounded: true, is_percent: false }
}

fn is_below_absolute_zero(amount: f64, unit: &str) -> bool {
    let zero = match unit {
        "celsius" => -273.15,
        "fahrenheit" => -459.67,
        _ => 0.0,
    };
    amount < zero
}

/// A unit of measure.
#[derive(Clone, Copy)]
struct Unit {
    id: &'static str,
    /// The measured quantity.
    measures: &'static str,
    /// The name in the evaluator.
    symbol: &'static str,
}

impl Unit {
    fn name(self) -> String {
        self.id.replace('_', " ")
    }

    /// The unit with this id or name, in the user's language or in English.
    fn named(name: &str, context: &ToolContext) -> Result<Self, ToolResult> {
        let wanted = languages::folded(name.trim());
        let id = wanted.replace([' ', '-'], "_");
        let by_id = MEASURES.iter().find_map(|(_, ids)| ids.iter().find(|known| **known == id)).copied();
        let codes = context.language.as_ref().map(|language| language.code()).into_iter().chain(["en"]);
        let by_name = || {
            codes.filter_map(languages::MeasureNames::of_code).find_map(|names| {
                names.iter().find_map(|(id, mut names)| {
                    names.any(|name| languages::folded(name) == wanted).then_some(id)
                })
            })
        };
        // A unit that nobody knows was read wrongly: a model reads the words again.
        let id = by_id.or_else(by_name).ok_or_else(|| {
            ToolResult::failed(format!("The unit {name:?} is unknown. Write it out, such as kilometre."))
        })?;
        let measures = MEASURES.iter().find(|(_, ids)| ids.contains(&id)).map_or("", |(what, _)| *what);
        Ok(Self { id, measures, symbol: symbol(id) })
    }
}

/// The name of a unit in the evaluator, where it is another one.
fn symbol(id: &'static str) -> &'static str {
    match id {
        "metre_per_second" => "m/s",
        "kilometre_per_hour" => "km/h",
        "mile_per_hour" => "mph",
        "square_metre" => "m^2",
        "square_kilometre" => "km^2",
        "square_foot" => "ft^2",
        "square_mile" => "mile^2",
        "kilobyte" => "kB",
        "megabyte" => "MB",
        "gigabyte" => "GB",
        "terabyte" => "TB",
        id => id,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ingredient_has_a_density() {
        assert_eq!(DENSITIES.map(|(id, _)| id), languages::INGREDIENTS);
    }
}
