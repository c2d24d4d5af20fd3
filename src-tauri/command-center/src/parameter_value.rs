//! The check of a value against the declared type of its parameter.

use jiff::civil::{Date, Time};
use serde_json::Value;

use crate::command::element_type;

/// Returns `true` if a value fits a declared type. An unknown type fits anything, and an absent value (`null`) fits every
/// type: the command knows what it requires.
pub fn fits_declared_type(declared_type: &str, value: &Value) -> bool {
    value.is_null() || fits(&declared_type.trim().to_ascii_lowercase(), value)
}

fn fits(declared: &str, value: &Value) -> bool {
    match declared {
        "string" => value.is_string(),
        "int" | "integer" => value.is_i64() || value.is_u64(),
        "float" | "number" | "double" => value.is_number(),
        "bool" | "boolean" => value.is_boolean(),
        "date" => value.as_str().is_some_and(is_date),
        "datetime" => value.as_str().is_some_and(is_instant),
        _ => match (element_type(declared), value) {
            (Some(element), Value::Array(values)) => values.iter().all(|value| fits(element, value)),
            (Some(_), _) => false,
            (None, _) => true,
        },
    }
}

/// `YYYY-MM-DD`
fn is_date(text: &str) -> bool {
    has_shape(text, "dddd-dd-dd") && text.parse::<Date>().is_ok()
}

/// An ISO time with `T` and an offset or `Z`.
fn is_instant(text: &str) -> bool {
    let Some((date, time)) = text.split_once('T') else { return false };
    let offset_at = time.find(['Z', 'z', '+', '-']);
    offset_at.is_some_and(|at| is_date(date) && is_time(&time[..at]) && is_offset(&time[at..]))
}

fn is_time(text: &str) -> bool {
    let (whole, fraction) = text.split_once(['.', ',']).unwrap_or((text, "0"));
    let has_known_shape = match text.len() == whole.len() {
        true => has_shape(whole, "dd:dd") || has_shape(whole, "dd:dd:dd"),
        false => has_shape(whole, "dd:dd:dd"),
    };
    // A leap second is no time of other systems.
    let has_valid_seconds = whole.get(6..).is_none_or(|seconds| seconds < "60");
    let has_digits = !fraction.is_empty() && fraction.bytes().all(|b| b.is_ascii_digit());
    has_known_shape && has_valid_seconds && has_digits && whole.parse::<Time>().is_ok()
}

fn is_offset(text: &str) -> bool {
    if matches!(text, "Z" | "z") {
        return true;
    }
    let digits = &text[1..];
    let has_known_shape = ["dd:dd", "dddd", "dd"].iter().any(|shape| has_shape(digits, shape));
    let minutes = || digits[digits.len() - 2..].to_owned();
    has_known_shape && &digits[..2] < "24" && (digits.len() == 2 || minutes().as_str() < "60")
}

/// Compares a text with a shape in which `d` stands for a digit.
fn has_shape(text: &str, shape: &str) -> bool {
    text.len() == shape.len()
        && text.bytes().zip(shape.bytes()).all(|(c, shape)| match shape {
            b'd' => c.is_ascii_digit(),
            sign => c == sign,
        })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case::string("string", json!("a"), true)]
    #[case::number_is_no_string("string", json!(1), false)]
    #[case::int("int", json!(-3), true)]
    #[case::float_is_no_int("integer", json!(2.0), false)]
    #[case::bool_is_no_int("int", json!(true), false)]
    #[case::digits_are_no_int("int", json!("3"), false)]
    #[case::int_is_a_float("float", json!(2), true)]
    #[case::double("double", json!(2.5), true)]
    #[case::bool_is_no_number("number", json!(false), false)]
    #[case::bool("boolean", json!(true), true)]
    #[case::one_is_no_bool("bool", json!(1), false)]
    #[case::word_is_no_bool("bool", json!("true"), false)]
    #[case::date("date", json!("2024-02-29"), true)]
    #[case::no_leap_year("date", json!("2025-02-29"), false)]
    #[case::short_date("date", json!("2025-1-2"), false)]
    #[case::basic_date("date", json!("20250102"), false)]
    #[case::date_with_time("date", json!("2025-01-02T00:00:00Z"), false)]
    #[case::instant("datetime", json!("2025-01-02T03:04:05Z"), true)]
    #[case::instant_with_offset("datetime", json!("2025-01-02T03:04:05.678+05:30"), true)]
    #[case::minutes_only("datetime", json!("2025-01-02T03:04-08:00"), true)]
    #[case::no_offset("datetime", json!("2025-01-02T03:04:05"), false)]
    #[case::blank_for_t("datetime", json!("2025-01-02 03:04:05Z"), false)]
    #[case::date_alone("datetime", json!("2025-01-02"), false)]
    #[case::hour_24("datetime", json!("2025-01-02T24:00:00Z"), false)]
    #[case::second_60("datetime", json!("2025-01-02T23:59:60Z"), false)]
    #[case::wide_offset("datetime", json!("2025-01-02T03:04:05+25:00"), false)]
    #[case::wide_characters("datetime", json!("2025-01-02T03:04:05+é:0"), false)]
    #[case::array("array<int>", json!([1, 2]), true)]
    #[case::empty_array("int[]", json!([]), true)]
    #[case::array_in_brackets("array[date]", json!(["2025-01-02", "x"]), false)]
    #[case::bool_in_array("array<int>", json!([1, true]), false)]
    #[case::null_in_array("array<string>", json!([null]), false)]
    #[case::no_array("array<string>", json!("a"), false)]
    #[case::array_of_arrays("array<array<int>>", json!([[1], ["a"]]), false)]
    #[case::array_of_anything("array<colour>", json!([1, "a"]), true)]
    #[case::plain_array("array", json!("a"), true)]
    #[case::unknown("colour", json!(3), true)]
    #[case::absent("int", Value::Null, true)]
    #[case::case_and_blanks(" Integer ", json!("x"), false)]
    fn value_is_compared_with_its_declared_type(
        #[case] declared: &str,
        #[case] value: Value,
        #[case] expected: bool,
    ) {
        assert_eq!(fits_declared_type(declared, &value), expected);
    }
}
