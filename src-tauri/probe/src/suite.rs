//! What every suite is, and how its input is read.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// Asks one stage of the product: takes the input of a line, returns its output or what is wrong with the input.
pub(crate) type Suite = fn(Value) -> Result<Value, String>;

/// Reads an input; unknown fields are ignored.
pub(crate) fn read<T: DeserializeOwned>(input: Value) -> Result<T, String> {
    serde_json::from_value(input).map_err(|error| format!("the input is not of this suite: {error}"))
}
