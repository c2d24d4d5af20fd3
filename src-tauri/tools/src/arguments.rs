//! The arguments of a call: repaired where their meaning is clear, then checked against the schema.
//!
//! Small models write `"5"` for 5, `searchQuery` for `search_query`, and null for what they leave out. A call that still
//! does not fit is refused with a text that tells the model what to change.

mod bounds;
mod coercion;
mod keys;
mod summary;

use jsonschema::{PatternOptions, Validator};
use serde_json::{Map, Value};

pub(crate) use keys::declared_names;
pub use keys::{KeyFaults, key_faults};
pub use summary::summary;

/// Faults that the refusal names: a model repairs the first ones and tries again.
const SHOWN_FAULTS: usize = 4;

/// Characters of a fault. The message of a long list of choices is long.
const FAULT_CHARS: usize = 240;

/// Steps of a pattern with look-around. More means a pattern that would take seconds.
const BACKTRACK_LIMIT: usize = 50_000;

/// The compiled schema of a tool's arguments.
pub struct ArgumentSchema {
    schema: Value,
    /// `None` if the schema cannot be compiled: the arguments are repaired, but not checked.
    validator: Option<Validator>,
    /// Upper bound of the work for one value at one place, in steps.
    width: u64,
}

/// The treatment of keys that the schema does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnknownKeys {
    /// They are dropped: reading a little more than asked does no harm.
    Drop,
    /// The call is refused: a misspelt `dry_run` must not delete.
    Refuse,
}

/// Why arguments were refused. The text is for the model and contains no value of the arguments.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the arguments do not fit: {}. Expected: {expected}.", faults.join("; "))]
pub struct ArgumentError {
    /// The faults, each as a part of a sentence.
    pub faults: Vec<String>,
    /// The arguments of the tool in short.
    pub expected: String,
}

impl ArgumentSchema {
    /// Compiles a schema. References to other documents are not followed.
    ///
    /// Falls open: the arguments for a schema that is broken, or refers to itself without end, are not checked. The tool
    /// still gets an object, and its server checks for itself.
    pub fn new(schema: &Value) -> Self {
        let width = bounds::width(schema);
        let compiled = width.map(|_| {
            let patterns = PatternOptions::fancy_regex().backtrack_limit(BACKTRACK_LIMIT);
            jsonschema::options().with_pattern_options(patterns).build(schema)
        });
        let validator = match compiled {
            Some(Ok(validator)) => Some(validator),
            Some(Err(_)) | None => {
                tracing::warn!("the schema of a tool cannot be used; its arguments are not checked");
                None
            }
        };
        Self { schema: schema.clone(), validator, width: width.unwrap_or(u64::MAX) }
    }

    /// The arguments of a call as the tool gets them.
    ///
    /// # Errors
    ///
    /// They do not fit the schema, even after the repairs that are certain.
    pub fn fit(
        &self,
        arguments: &Value,
        unknown_keys: UnknownKeys,
    ) -> Result<Map<String, Value>, ArgumentError> {
        let Some(arguments) = self.repaired(arguments) else {
            return Err(self.error(vec!["they must be one JSON object".to_owned()]));
        };
        let known = key_faults(&self.schema, &arguments);
        let mut faults = Vec::new();
        if !known.missing.is_empty() {
            faults.push(format!("missing: {}", known.missing.join(", ")));
        }
        let refuses_unknown = unknown_keys == UnknownKeys::Refuse || !known.missing.is_empty();
        if refuses_unknown && !known.unknown.is_empty() {
            faults.push(format!("unknown: {}", known.unknown.join(", ")));
        }
        let mut arguments = arguments;
        arguments.retain(|key, _| !known.unknown.contains(key));
        let arguments = Value::Object(arguments);
        faults.extend(self.value_faults(&arguments));
        match (faults.is_empty(), arguments) {
            (true, Value::Object(arguments)) => Ok(arguments),
            _ => Err(self.error(faults)),
        }
    }

    /// The arguments with keys and values as the schema wants them, as far as their meaning is clear; `None` if they are no
    /// object.
    pub(crate) fn repaired(&self, arguments: &Value) -> Option<Map<String, Value>> {
        coercion::object(arguments).map(|arguments| coercion::repaired(&self.schema, arguments))
    }

    fn value_faults(&self, arguments: &Value) -> Vec<String> {
        let is_affordable = bounds::is_affordable(self.width, arguments);
        let Some(validator) = self.validator.as_ref().filter(|_| is_affordable) else { return Vec::new() };
        let is_missing = |error: &jsonschema::ValidationError| {
            error.instance_path().as_str().is_empty() && error.kind().keyword() == "required"
        };
        let errors = validator.iter_errors(arguments).filter(|error| !is_missing(error));
        let fault = |error: jsonschema::ValidationError| {
            let place = error.instance_path().as_str().trim_start_matches('/').replace('/', ".");
            let said = error.masked_with("it").to_string();
            let place = if place.is_empty() { "the object".to_owned() } else { place };
            shortened(&format!("{place}: {said}"))
        };
        errors.map(fault).take(SHOWN_FAULTS).collect()
    }

    fn error(&self, faults: Vec<String>) -> ArgumentError {
        let faults = faults.iter().map(|fault| shortened(fault)).collect();
        ArgumentError { faults, expected: summary(&self.schema) }
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(FAULT_CHARS) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests;
