//! A step of the plan as a call, if the step does not say everything itself.
//!
//! Source: docs/behaviour/replying.md#plan.

use std::time::Duration;

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::role_call::{ModelTask, RoleCall, RoleModels, object_in};
use crate::planning::plan::{DeclaredTools, normalise_url_arguments};
use crate::prompting::prompts::fill;
use crate::prompting::text_cut::cut;
use crate::tool_calls::nested_call::nested_call;

/// One call needs fewer.
const MAX_TOKENS: u32 = 200;

/// The longest part of an earlier result that is shown, in characters. Source: docs/behaviour/replying.md#plan.
const EXCERPT: usize = 500;

/// The result of an earlier step.
#[derive(Debug, Clone, PartialEq)]
pub struct PriorResult {
    /// The tool.
    pub name: String,
    /// The arguments by name.
    pub arguments: Value,
    /// The text that it returned.
    pub text: String,
}

/// Asks a model for the call that a step stands for. `catalogue` lists the tools with their arguments. `None` when the step
/// is no call, or the model failed.
pub async fn resolve_step(
    models: &RoleModels,
    step: &str,
    catalogue: &str,
    declared: &DeclaredTools,
    results: &[PriorResult],
    timeout: Duration,
    stop: &CancellationToken,
) -> Option<(String, Map<String, Value>)> {
    let results: Vec<String> = results
        .iter()
        .map(|result| {
            format!("{} {} (untrusted data)\n{}", result.name, result.arguments, cut(&result.text, EXCERPT))
        })
        .collect();
    let user = format!("TOOLS\n{catalogue}\n\nEARLIER RESULTS\n{}\n\nSTEP\n{step}", results.join("\n\n"));
    let system = fill(include_str!("../../prompts/resolver.md"), &[]);
    let call = RoleCall {
        role: ModelTask::Resolver,
        system,
        user,
        format: None,
        max_tokens: MAX_TOKENS,
        timeout,
        stop,
    };
    read(&call.ask(models).await?, declared)
}

/// The call in an answer: of a listed tool, with the arguments that it declares.
fn read(answer: &str, declared: &DeclaredTools) -> Option<(String, Map<String, Value>)> {
    let object = object_in(answer)?;
    let is_known = |name: &str| declared.contains_key(name);
    let (name, arguments) = match nested_call(&object, is_known) {
        Some(call) => call,
        None => {
            let name = object.get("name")?.as_str()?.to_owned();
            let arguments = object.get("arguments").or_else(|| object.get("args"));
            let arguments = arguments.and_then(Value::as_object).cloned().unwrap_or_default();
            nested_call(&arguments, is_known).unwrap_or((name, arguments))
        }
    };
    let known = declared.get(&name)?;
    let is_declared = |key: &String| known.is_empty() || known.contains(key);
    let arguments = arguments.into_iter().filter(|(key, _)| is_declared(key)).collect();
    Some((name, normalise_url_arguments(arguments)))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case::fenced("```json\n{\"name\": \"fetchWebPage\", \"arguments\": {\"url\": \"example.org\", \"x\": 1}}\n```", Some(json!({"url": "https://example.org"})))]
    #[case::short_key("{\"name\": \"fetchWebPage\", \"args\": {\"url\": \"example.org\"}}", Some(json!({"url": "https://example.org"})))]
    #[case::nested("{\"tool\": {\"name\": \"fetchWebPage\", \"args\": {\"url\": \"example.org\"}}}", Some(json!({"url": "https://example.org"})))]
    #[case::nested_in_arguments("{\"name\": \"call\", \"arguments\": {\"tool\": {\"name\": \"fetchWebPage\", \"args\": {\"url\": \"example.org\"}}}}", Some(json!({"url": "https://example.org"})))]
    #[case::null("null", None)]
    #[case::unknown_tool("{\"name\": \"callMum\", \"arguments\": {}}", None)]
    fn reads_a_call(#[case] answer: &str, #[case] expected: Option<Value>) {
        let declared = DeclaredTools::from([("fetchWebPage".to_owned(), vec!["url".to_owned()])]);

        let arguments = read(answer, &declared).map(|(_, arguments)| Value::Object(arguments));

        assert_eq!(arguments, expected);
    }
}
