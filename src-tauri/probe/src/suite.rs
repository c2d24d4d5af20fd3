//! The type of a suite, and reading its input.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// Runs one stage of the product: takes the input of a request and returns the output, or an error about the input.
pub(crate) type Suite = fn(Value) -> Result<Value, String>;

/// Reads an input. Unknown fields are ignored.
pub(crate) fn read<T: DeserializeOwned>(input: Value) -> Result<T, String> {
    serde_json::from_value(input).map_err(|error| format!("the input is not of this suite: {error}"))
}
