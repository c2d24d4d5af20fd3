//! Arithmetic.

use async_trait::async_trait;
use languages::messages::Messages;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::arithmetic::{ArithmeticError, evaluate};
use super::declaration::{declaration, read};
use super::wording::{id, told, wording};
use crate::{Declaration, Effect, Tool, ToolContext, ToolResult};

/// More digits than this are no answer for the ear.
const MAX_SPOKEN_DIGITS: usize = 30;

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// Numbers with + - * / ^ ( ), sqrt, "mod", and percentages as in "15% of 80".
    expression: String,
}

pub(super) struct Calculate(Declaration);

impl Calculate {
    pub fn new() -> Self {
        Self(declaration::<Arguments>(
            "calculate",
            Effect::ReadOnly,
            "Calculates exactly: sums, products, powers, roots and percentages.",
            "maths math arithmetic sum plus minus times divided percent root square calculator",
            &[
                ("what is 17 times 23?", json!({"expression": "17 * 23"})),
                ("fifteen percent of eighty", json!({"expression": "15% of 80"})),
                ("the square root of two", json!({"expression": "sqrt(2)"})),
            ],
        ))
    }
}

#[async_trait]
impl Tool for Calculate {
    fn declaration(&self) -> &Declaration {
        &self.0
    }

    async fn run(&self, arguments: Map<String, Value>, context: &ToolContext) -> ToolResult {
        let expression = match read::<Arguments>(arguments) {
            Ok(arguments) => arguments.expression,
            Err(failure) => return failure,
        };
        let figure = match evaluate(&expression) {
            Ok(figure) => figure,
            Err(error) => return no_result(error, context),
        };
        let percent = if figure.is_percent { "%" } else { "" };
        let about = if figure.is_rounded { "about " } else { "" };
        let result = ToolResult::done(format!("{} = {about}{}{percent}", expression.trim(), figure.digits));
        match wording(context, id::CALCULATION_EXACT) {
            Some(wording) if figure.digits.len() <= MAX_SPOKEN_DIGITS => {
                let number = format!("{}{percent}", wording.number(&figure.digits));
                result.answering(sentence(wording, &expression, &number, figure.is_rounded))
            }
            _ => result,
        }
    }
}

fn no_result(error: ArithmeticError, context: &ToolContext) -> ToolResult {
    let failure = ToolResult::failed(format!("No result: {error}."));
    match error {
        ArithmeticError::DivisionByZero => {
            told(failure, context, id::CALCULATION_BY_ZERO, |it| it.calculation_by_zero().to_owned())
        }
        ArithmeticError::TooLarge => {
            told(failure, context, id::CALCULATION_TOO_LARGE, |it| it.calculation_too_large().to_owned())
        }
        ArithmeticError::NotReal => {
            told(failure, context, id::CALCULATION_NOT_REAL, |it| it.calculation_not_real().to_owned())
        }
        // The words were read wrongly: a model reads them again.
        ArithmeticError::Invalid => failure,
    }
}

/// The result in a sentence, without words of the notation of this tool.
fn sentence(wording: &'static Messages, expression: &str, result: &str, is_rounded: bool) -> String {
    let expression = expression.trim().trim_end_matches('=').trim();
    let of_root = expression.strip_prefix("sqrt(").and_then(|rest| rest.strip_suffix(')'));
    if let Some(number) = of_root.filter(|number| is_number(number)) {
        let number = wording.number(number);
        return match is_rounded {
            true => wording.calculation_root_about(&number, result),
            false => wording.calculation_root_exact(&number, result),
        };
    }
    let share =
        expression.split_once("% of ").filter(|(percent, whole)| is_number(percent) && is_number(whole));
    let calculated = match share {
        Some((percent, whole)) => {
            wording.calculation_percent_of(&wording.number(percent), &wording.number(whole))
        }
        None => localised(expression, wording),
    };
    match is_rounded {
        true => wording.calculation_about(&calculated, result),
        false => wording.calculation_exact(&calculated, result),
    }
}

/// `true` for digits with or without decimals.
fn is_number(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit()) && text.chars().all(|c| c.is_ascii_digit() || c == '.')
}

/// The expression with the signs that people read, and the decimal sign of the language.
fn localised(expression: &str, wording: &'static Messages) -> String {
    let readable = expression.replace("% of ", "% × ").replace("sqrt(", "√(").replace("cbrt(", "∛(");
    let readable = readable.replace('*', "×").replace('/', "÷").replace('-', "−");
    readable.replace('.', &wording.decimal_sign())
}
