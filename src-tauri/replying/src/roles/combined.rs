//! Tools, steps and memory in one call.

use std::time::Duration;

use llm::Message;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::role_call::{ModelTask, RoleCall, RoleModels, dialogue_lines, object_in};
use crate::planning::plan::Plan;
use crate::prompting::prompts::fill;

/// Five names, a topic and five steps need fewer.
const MAX_TOKENS: u32 = 350;

/// The result of a preparation in one call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PreparationResult {
    /// Names of tools, as the model wrote them.
    pub tools: Vec<String>,
    /// The plan; a memory step stands first where memory is needed.
    pub plan: Plan,
}

/// The answer to a question for all of it at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CombinedAnswer {
    /// It was read.
    Prepared(PreparationResult),
    /// The model answered in another form: the provider does not enforce one.
    Unreadable,
    /// The model failed.
    None,
}

/// Prepares a reply in one call.
pub async fn prepare_combined(
    models: &RoleModels,
    catalogue: &str,
    recent: &[Message],
    query: &str,
    timeout: Duration,
    stop: &CancellationToken,
) -> CombinedAnswer {
    let system = fill(include_str!("../../prompts/combined.md"), &[]);
    let dialogue = dialogue_lines(recent);
    let user = format!("TOOLS\n{catalogue}\n\nDIALOGUE\n{dialogue}\n\nREQUEST\n{query}");
    let list = json!({ "type": "array", "maxItems": 5, "items": { "type": "string" } });
    let format = json!({
        "type": "object",
        "properties": { "tools": list, "memory": { "type": "string" }, "steps": list },
        "required": ["tools", "memory", "steps"],
        "additionalProperties": false,
    });
    let call = RoleCall {
        role: ModelTask::Combined,
        system,
        user,
        format: Some(format),
        max_tokens: MAX_TOKENS,
        timeout,
        stop,
    };
    let Some(answer) = call.ask(models).await else { return CombinedAnswer::None };
    match object_in(&answer).and_then(|object| read(&object)) {
        Some(combined) => CombinedAnswer::Prepared(combined),
        None => CombinedAnswer::Unreadable,
    }
}

fn read(object: &Map<String, Value>) -> Option<PreparationResult> {
    let texts = |key: &str| -> Option<Vec<String>> {
        let items = object.get(key)?.as_array()?;
        Some(items.iter().filter_map(Value::as_str).map(str::to_owned).collect())
    };
    let steps = Plan::parse(&texts("steps")?.join("\n"));
    let topic = object.get("memory").and_then(Value::as_str).map(str::trim).unwrap_or_default();
    let needs_memory = !topic.is_empty() && !steps.asks_for_memory();
    let memory = needs_memory.then(|| format!("searchMemory topic='{}'", topic.replace('\'', "’")));
    let plan = Plan::from_steps(memory.into_iter().chain(steps.steps().iter().cloned()));
    Some(PreparationResult { tools: texts("tools")?, plan })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_object_holds_tools_memory_and_steps() {
        let answer = r#"{"tools": ["getWeather"], "memory": "user's home", "steps": ["getWeather location='<home>'", "Reply."]}"#;

        let combined = read(&object_in(answer).unwrap()).unwrap();

        assert_eq!(combined.tools, ["getWeather"]);
        assert_eq!(combined.plan.memory_topic().as_deref(), Some("user’s home"));
        assert_eq!(combined.plan.tool_steps(), ["getWeather location='<home>'"]);
    }

    #[test]
    fn object_without_steps_is_no_preparation() {
        assert_eq!(read(&object_in(r#"{"tools": []}"#).unwrap()), None);
    }
}
