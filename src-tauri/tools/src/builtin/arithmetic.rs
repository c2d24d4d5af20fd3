//! Exact arithmetic with decimal results, through the `fend` calculator.
//!
//! Only digits, signs and a few function names reach it: its own dates, dice and unit names do not.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

use fend_core::{Context, Interrupt};

/// The longest expression, in characters.
const MAX_CHARS: usize = 200;

/// Steps after which a calculation counts as endless; 2^1000 takes about a hundred.
const MAX_STEPS: u32 = 50_000;

const FUNCTIONS: [&str; 13] =
    ["sqrt", "cbrt", "abs", "sin", "cos", "tan", "ln", "log", "floor", "ceil", "round", "of", "mod"];

/// A number as a person reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Figure {
    /// Decimal digits with a full stop before the decimals.
    pub digits: String,
    /// `true` if digits were cut off.
    pub is_rounded: bool,
    /// A percentage.
    pub is_percent: bool,
}

/// Why there is no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum ArithmeticError {
    #[error("nothing can be divided by zero")]
    DivisionByZero,
    #[error("the calculation is too large")]
    TooLarge,
    #[error("this has no real number as its result")]
    NotReal,
    #[error("this is no calculation; write one such as (17 + 3) * 2, 15% of 80 or sqrt(2)")]
    Invalid,
}

/// Evaluates an expression.
pub(super) fn evaluate(expression: &str) -> Result<Figure, ArithmeticError> {
    let checked = checked(expression)?;
    if closes_nothing(&checked) {
        return Err(ArithmeticError::Invalid);
    }
    evaluate_trusted(&checked)
}

/// Returns `true` if a parenthesis closes that was not opened: `fend` opens it at the beginning, which may not be meant. One that
/// is left open is closed at the end.
fn closes_nothing(expression: &str) -> bool {
    let mut open = 0_u32;
    expression.chars().any(|char| match char {
        '(' => {
            open += 1;
            false
        }
        ')' if open == 0 => true,
        ')' => {
            open -= 1;
            false
        }
        _ => false,
    })
}

/// Evaluates an expression of our own making, which may name units of `fend`.
pub(super) fn evaluate_trusted(expression: &str) -> Result<Figure, ArithmeticError> {
    // The context holds the table of units, which is expensive to make and cheap to copy.
    static CONTEXT: LazyLock<Context> = LazyLock::new(Context::new);
    let steps = StepLimit(AtomicU32::new(0));
    let outcome = fend_core::evaluate_with_interrupt(expression, &mut CONTEXT.clone(), &steps);
    let result = outcome.map_err(|message| match message {
        _ if steps.0.load(Ordering::Relaxed) >= MAX_STEPS => ArithmeticError::TooLarge,
        message if message.contains("division by zero") => ArithmeticError::DivisionByZero,
        message
            if message.contains("range") || message.contains("too large") || message.contains("exceed") =>
        {
            ArithmeticError::TooLarge
        }
        message if message.contains("real") || message.contains("complex") => ArithmeticError::NotReal,
        _ => ArithmeticError::Invalid,
    })?;
    figure(result.get_main_result()).ok_or(ArithmeticError::NotReal)
}

/// The number that a result begins with; `None` when more than a unit follows it.
fn figure(result: &str) -> Option<Figure> {
    let (is_rounded, result) = result.strip_prefix("approx. ").map_or((false, result), |rest| (true, rest));
    let mut parts = result.split(' ');
    let number = parts.next()?;
    // "0 + 2i"
    if matches!(parts.next(), Some("+" | "-")) {
        return None;
    }
    let (number, is_percent) = number.strip_suffix('%').map_or((number, false), |number| (number, true));
    let digits = number.strip_prefix('-').unwrap_or(number);
    let is_number = digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.chars().all(|c| c.is_ascii_digit() || c == '.');
    let digits = number.trim_end_matches(|c: char| number.contains('.') && c == '0').trim_end_matches('.');
    is_number.then(|| Figure { digits: digits.to_owned(), is_rounded, is_percent })
}

/// The expression in the signs of `fend`, if it has nothing else in it.
fn checked(expression: &str) -> Result<String, ArithmeticError> {
    if expression.trim().is_empty() || expression.chars().count() > MAX_CHARS {
        return Err(if expression.trim().is_empty() {
            ArithmeticError::Invalid
        } else {
            ArithmeticError::TooLarge
        });
    }
    let chars: Vec<char> = expression.to_lowercase().chars().collect();
    let mut checked = String::new();
    let mut at = 0;
    while at < chars.len() {
        let c = chars[at];
        let digit_after = |count: usize| chars.get(at + count).is_some_and(char::is_ascii_digit);
        match c {
            '0'..='9' | '.' | '+' | '-' | '*' | '/' | '^' | '(' | ')' | '%' | ' ' => checked.push(c),
            '×' | '·' => checked.push('*'),
            '÷' | ':' => checked.push('/'),
            '−' | '–' => checked.push('-'),
            '²' => checked.push_str("^2"),
            '³' => checked.push_str("^3"),
            '√' => checked.push_str(" sqrt "),
            'π' => checked.push_str("pi"),
            // "1,000" groups, "2,5" has decimals.
            ',' if (1..=3).all(digit_after) && !digit_after(4) => {}
            ',' if digit_after(1) => checked.push('.'),
            c if c.is_alphabetic() => {
                let word: String = chars[at..].iter().take_while(|c| c.is_alphabetic()).collect();
                match word.as_str() {
                    "x" => checked.push_str(" * "),
                    "pi" => checked.push_str("pi"),
                    word if FUNCTIONS.contains(&word) => checked.push_str(&format!(" {word} ")),
                    _ => return Err(ArithmeticError::Invalid),
                }
                at += word.chars().count();
                continue;
            }
            '=' if at + 1 == chars.len() => {}
            _ => return Err(ArithmeticError::Invalid),
        }
        at += 1;
    }
    Ok(checked)
}

struct StepLimit(AtomicU32);

impl Interrupt for StepLimit {
    fn should_interrupt(&self) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed) >= MAX_STEPS
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::no_float_dust("0.1 + 0.2", "0.3")]
    #[case::product("17 × 23", "391")]
    #[case::precedence("2 + 3 * (4 - 1) ^ 2", "29")]
    #[case::percent_of("15% of 80", "12")]
    #[case::root("sqrt(144)", "12")]
    #[case::rounded("1 / 3", "~0.3333333333")]
    #[case::groups_of_digits("1,000 * 2", "2000")]
    #[case::decimal_comma("2,5 * 2", "5")]
    #[case::negative("3 - 10", "-7")]
    #[case::trailing_equals("2+2=", "4")]
    #[case::large("2^100", "1267650600228229401496703205376")]
    fn expression_has_an_exact_result(#[case] expression: &str, #[case] expected: &str) {
        let result = evaluate(expression).unwrap();

        assert_eq!(format!("{}{}", if result.is_rounded { "~" } else { "" }, result.digits), expected);
    }

    #[rstest]
    #[case::division_by_zero("1 / 0", ArithmeticError::DivisionByZero)]
    #[case::endless("9^9^9^9", ArithmeticError::TooLarge)]
    #[case::root_of_a_negative("sqrt(-4)", ArithmeticError::NotReal)]
    #[case::words("the length of the Titanic", ArithmeticError::Invalid)]
    #[case::unfinished("2 +", ArithmeticError::Invalid)]
    #[case::closed_but_not_opened("20% of 84.50) / 3", ArithmeticError::Invalid)]
    #[case::nothing(" ", ArithmeticError::Invalid)]
    fn impossible_expression_says_why(#[case] expression: &str, #[case] expected: ArithmeticError) {
        assert_eq!(evaluate(expression), Err(expected));
    }

    proptest! {
        #[test]
        fn any_text_is_evaluated_or_refused(text in "[0-9+*/^()%. ,x-]{0,60}|\\PC{0,60}") {
            let _ = evaluate(&text);
        }
    }
}
