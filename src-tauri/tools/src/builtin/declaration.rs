//! The parts of every built-in tool: a declaration, and arguments with a schema.

use std::time::Duration;

use memory::Memory;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tokio::sync::watch;

use crate::{Declaration, Effect, Example, ToolContext, ToolResult, ToolSource};

/// Local work takes milliseconds; the database may be busy for longer.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The declaration of a built-in tool with arguments `A`.
pub(crate) fn declaration<A: JsonSchema>(
    name: &str,
    effect: Effect,
    description: &str,
    keywords: &str,
    examples: &[(&str, Value)],
) -> Declaration {
    // Without references: a form for several tools holds this schema in a part of it, where they would lead nowhere.
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut parameters = settings.into_generator().into_root_schema_for::<A>().to_value();
    if let Value::Object(schema) = &mut parameters {
        schema.remove("$schema");
        schema.remove("title");
        schema.remove("description");
    }
    let example = |(request, arguments): &(&str, Value)| Example {
        request: (*request).to_owned(),
        arguments: arguments.clone(),
    };
    Declaration {
        name: name.to_owned(),
        description: description.to_owned(),
        parameters,
        keywords: keywords.split_whitespace().map(str::to_owned).collect(),
        examples: examples.iter().map(example).collect(),
        effect,
        timeout: TIMEOUT,
        source: ToolSource::BuiltIn,
    }
}

/// The arguments of a tool that has none.
#[derive(serde::Deserialize, JsonSchema)]
pub(crate) struct NoArguments {}

/// Runs a tool on its arguments in their type. A failure is its result.
pub(crate) async fn run<A: DeserializeOwned, Running>(
    arguments: Map<String, Value>,
    tool: impl FnOnce(A) -> Running,
) -> ToolResult
where
    Running: Future<Output = Result<ToolResult, ToolResult>>,
{
    match read(arguments) {
        Ok(arguments) => tool(arguments).await.unwrap_or_else(|failure| failure),
        Err(failure) => failure,
    }
}

/// The arguments in their type, or the failure to return.
pub(super) fn read<A: DeserializeOwned>(arguments: Map<String, Value>) -> Result<A, ToolResult> {
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| ToolResult::failed(format!("The arguments do not fit: {error}.")))
}

/// The records, or the failure to return while they are not open.
pub(super) fn opened(memory: &watch::Receiver<Option<Memory>>) -> Result<Memory, ToolResult> {
    memory.borrow().clone().ok_or_else(|| {
        ToolResult::failed("The memory is not open yet. Try again in a moment; the log says what is wrong.")
    })
}

/// The same, for changes that "undo that" takes back.
pub(super) fn changing(
    memory: &watch::Receiver<Option<Memory>>,
    context: &ToolContext,
) -> Result<Memory, ToolResult> {
    let asked_at = context.now.as_microsecond();
    opened(memory).map(|memory| memory.in_request(&context.conversation, asked_at))
}

/// The failure to return when the records could not be read or changed.
pub(super) fn broken(error: memory::MemoryError) -> ToolResult {
    tracing::warn!(%error, "a tool could not use the memory");
    ToolResult::failed(format!("The memory could not be used: {error}. {}", error.remedy()))
}

/// A text of the arguments without blanks around it; `None` when nothing is left.
pub(crate) fn words(text: Option<String>) -> Option<String> {
    text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde_json::json;

    use super::*;

    #[derive(JsonSchema)]
    struct Arguments {
        #[expect(dead_code, reason = "only its schema is used")]
        change: Option<Change>,
    }

    #[derive(JsonSchema)]
    #[serde(rename_all = "snake_case")]
    #[expect(dead_code, reason = "only its schema is used")]
    enum Change {
        Up,
        Down,
    }

    #[test]
    fn schema_holds_its_parts_instead_of_references_to_them() {
        let declaration = declaration::<Arguments>("setVolume", Effect::Writes, "Sets it.", "", &[]);

        assert_eq!(declaration.parameters["properties"]["change"]["enum"], json!(["up", "down", null]));
        assert_eq!(declaration.parameters.get("$defs"), None);
    }
}
