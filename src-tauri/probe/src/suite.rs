//! The type of a suite, and reading its input.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// Runs one stage of the product: takes the input of a request and returns the output, or an error about the input.
pub(crate) type Suite = fn(Value) -> Result<Value, String>;

/// Runs a stage to its end on this thread.
pub(crate) fn block_on<T>(stage: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    runtime.expect("a runtime without input and output can be made").block_on(stage)
}

/// Reads an input. Unknown fields are ignored.
pub(crate) fn read<T: DeserializeOwned>(input: Value) -> Result<T, String> {
    serde_json::from_value(input).map_err(|error| format!("the input is not of this suite: {error}"))
}
